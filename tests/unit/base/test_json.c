#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/limits.h"
#include "support/scratch.h"

/* ---- reading ---- */

/* Parses a copy of exactly the text's length, so that a sanitizer sees a byte too many. */
static enum ts_status parse_exactly(struct ts_str text, unsigned depth, bool raw, yyjson_doc **doc,
                                    struct ts_error *error)
{
    char *copy = malloc(text.len ? text.len : 1);
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    enum ts_status status = ts_json_parse((struct ts_str){copy, text.len}, depth, raw, doc, error);
    free(copy);
    return status;
}

static void assert_refused(struct ts_str text, const char *part_of_message)
{
    struct ts_error error = {0};
    yyjson_doc *doc = NULL;
    for (int raw = 0; raw < 2; raw++) {
        if (parse_exactly(text, 64, raw, &doc, &error) != TS_INPUT)
            fail_msg("accepted: %.*s", TS_STR_ARG(text));
        assert_null(doc);
        assert_non_null(strstr(error.message, part_of_message));
    }
}

static yyjson_doc *parse(const char *text, bool raw)
{
    struct ts_error error = {0};
    yyjson_doc *doc = NULL;
    if (parse_exactly(ts_str_from(text), 64, raw, &doc, &error) != TS_OK)
        fail_msg("%s: %s", text, error.message);
    return doc;
}

static void refuses_what_is_not_json(void **state)
{
    (void)state;
    assert_refused(TS_STR(""), "nothing");
    assert_refused((struct ts_str){NULL, 0}, "nothing");
    assert_refused(TS_STR("   "), "at byte");
    assert_refused(TS_STR("{\"a\":1} x"), "at byte 8");
    assert_refused(TS_STR("1 2"), "at byte 2");
    assert_refused(TS_STR("[1,]"), "at byte");
    assert_refused(TS_STR("[1"), "at byte");
    assert_refused(TS_STR("\"abc"), "at byte");
    assert_refused(TS_STR("\"abc\\"), "at byte");
    assert_refused(TS_STR("\"a\nb\""), "at byte");
    assert_refused(TS_STR("// c\n1"), "at byte");
    assert_refused(TS_STR("{'a':1}"), "at byte");
    assert_refused(TS_STR("1\0"), "at byte 1");
}

static void refuses_numbers_that_json_does_not_have(void **state)
{
    (void)state;
    assert_refused(TS_STR("NaN"), "at byte 0");
    assert_refused(TS_STR("[nan]"), "at byte 1");
    assert_refused(TS_STR("Infinity"), "at byte 0");
    assert_refused(TS_STR("-inf"), "at byte");
    assert_refused(TS_STR("+1"), "at byte 0");
    assert_refused(TS_STR("01"), "at byte");
    assert_refused(TS_STR("1."), "at byte");
    assert_refused(TS_STR(".5"), "at byte");
    struct ts_error error;
    yyjson_doc *doc;
    assert_int_equal(ts_json_parse(TS_STR("1e999"), 64, false, &doc, &error), TS_INPUT);
}

static void refuses_text_that_is_not_unicode(void **state)
{
    (void)state;
    assert_refused(TS_STR("\"\xff\""), "at byte");
    assert_refused(TS_STR("\"\xc0\x80\""), "at byte");         /* overlong */
    assert_refused(TS_STR("\"\xed\xa0\x80\""), "at byte");     /* a surrogate's bytes */
    assert_refused(TS_STR("\"\xf4\x90\x80\x80\""), "at byte"); /* above U+10FFFF */
    assert_refused(TS_STR("\"\xe2\x82\""), "at byte");         /* cut */
    assert_refused(TS_STR("\"\\ud800\""), "at byte");
    assert_refused(TS_STR("\"\\udc00x\""), "at byte");
    assert_refused(TS_STR("\"\\ud800\\u0041\""), "at byte");
    assert_refused(TS_STR("{\"\\udfff\":1}"), "at byte");
}

static void accepts_text_of_every_kind(void **state)
{
    (void)state;
    yyjson_doc *doc = parse(" [\"\\ud83d\\ude00\", \"\\u0000x\", \"\xc3\xa4\", \"\\\"\\\\\"] ", false);
    yyjson_val *root = yyjson_doc_get_root(doc);
    assert_true(ts_str_is(ts_json_str(yyjson_arr_get(root, 0)), "\xf0\x9f\x98\x80"));
    assert_true(ts_str_equal(ts_json_str(yyjson_arr_get(root, 1)), TS_STR("\0x")));
    assert_true(ts_str_is(ts_json_str(yyjson_arr_get(root, 2)), "\xc3\xa4"));
    assert_true(ts_str_is(ts_json_str(yyjson_arr_get(root, 3)), "\"\\"));
    yyjson_doc_free(doc);
}

static void raw_numbers_stay_as_written(void **state)
{
    (void)state;
    yyjson_doc *doc = parse("[1.50, 12345678901234567890123, 1e999, -0]", true);
    yyjson_val *root = yyjson_doc_get_root(doc);
    assert_true(yyjson_is_raw(yyjson_arr_get(root, 0)));
    assert_true(ts_str_is(ts_json_str(yyjson_arr_get(root, 0)), "1.50"));
    assert_true(ts_str_is(ts_json_str(yyjson_arr_get(root, 1)), "12345678901234567890123"));
    assert_true(ts_str_is(ts_json_str(yyjson_arr_get(root, 2)), "1e999"));
    assert_true(ts_str_is(ts_json_str(yyjson_arr_get(root, 3)), "-0"));
    yyjson_doc_free(doc);
    doc = parse("18446744073709551615", false);
    assert_true(yyjson_get_uint(yyjson_doc_get_root(doc)) == UINT64_MAX);
    yyjson_doc_free(doc);
}

static enum ts_status parse_nested(unsigned levels, unsigned max_depth, struct ts_error *error)
{
    struct ts_buf text;
    yyjson_doc *doc = NULL;
    ts_buf_init(&text, 0);
    for (unsigned i = 0; i < levels; i++)
        ts_buf_text(&text, i % 2 ? "[" : "{\"[\\\"{\":");
    ts_buf_text(&text, "0");
    for (unsigned i = levels; i-- > 0;)
        ts_buf_text(&text, i % 2 ? "]" : "}");
    enum ts_status status = ts_json_parse(ts_buf_view(&text), max_depth, false, &doc, error);
    yyjson_doc_free(doc);
    ts_buf_free(&text);
    return status;
}

static void nesting_is_allowed_to_the_limit_and_no_further(void **state)
{
    (void)state;
    struct ts_error error;
    assert_int_equal(parse_nested(64, 64, &error), TS_OK);
    assert_int_equal(parse_nested(65, 64, &error), TS_INPUT);
    assert_non_null(strstr(error.message, "deeper than 64 levels at byte"));
    assert_int_equal(parse_nested(512, TS_LIMIT_JSON_DEPTH, &error), TS_OK);
    assert_int_equal(parse_nested(513, TS_LIMIT_JSON_DEPTH, &error), TS_INPUT);
    assert_int_equal(parse_nested(0, 0, &error), TS_OK);
    assert_int_equal(parse_nested(1, 0, &error), TS_INPUT);
}

static void a_flood_of_brackets_is_refused(void **state)
{
    (void)state;
    size_t len = 5000000;
    char *text = malloc(len);
    struct ts_error error;
    yyjson_doc *doc;
    memset(text, '[', len);
    assert_int_equal(ts_json_parse((struct ts_str){text, len}, 512, false, &doc, &error), TS_INPUT);
    assert_non_null(strstr(error.message, "at byte 512"));
    free(text);
}

static void brackets_in_strings_and_side_by_side_do_not_nest(void **state)
{
    (void)state;
    yyjson_doc *doc;
    struct ts_error error;
    static const char *const flat[] = {"\"[[[[\"", "[\"\\\"[[[\",\"\\\\\",\"[\"]", "[\"\\\\\\\"[[[\"]",
                                       "[{},{},{},{}]"};
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; i++) {
        assert_int_equal(ts_json_parse(ts_str_from(flat[i]), 2, false, &doc, &error), TS_OK);
        yyjson_doc_free(doc);
    }
    /* A backslash in front of the closing quote that is itself escaped does not hide what follows. */
    assert_int_equal(ts_json_parse(TS_STR("[\"\\\\\",[[0]]]"), 2, false, &doc, &error), TS_INPUT);
    assert_non_null(strstr(error.message, "deeper"));
}

static void the_last_of_equal_keys_counts(void **state)
{
    (void)state;
    yyjson_doc *doc = parse("{\"a\":1,\"b\":2,\"a\":3,\"ab\":4,\"\":5}", false);
    yyjson_val *root = yyjson_doc_get_root(doc);
    assert_int_equal(yyjson_get_int(ts_json_get(root, "a")), 3);
    assert_int_equal(yyjson_get_int(ts_json_get(root, "b")), 2);
    assert_int_equal(yyjson_get_int(ts_json_get(root, "")), 5);
    assert_null(ts_json_get(root, "c"));
    assert_null(ts_json_get(ts_json_get(root, "a"), "a"));
    assert_null(ts_json_get(NULL, "a"));
    assert_int_equal(ts_json_str(root).len, 0);
    assert_int_equal(ts_json_str(NULL).len, 0);
    yyjson_doc_free(doc);
}

/* ---- writing ---- */

struct written {
    struct ts_buf buf;
    struct ts_json_out out;
};

static int set_up(void **state)
{
    struct written *w = calloc(1, sizeof *w);
    ts_buf_init(&w->buf, 0);
    ts_json_out_buf(&w->out, &w->buf);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct written *w = *state;
    ts_buf_free(&w->buf);
    free(w);
    return 0;
}

static void assert_written(struct written *w, const char *expected)
{
    assert_string_equal(ts_buf_view(&w->buf).ptr, expected);
}

static void commas_stand_between_values_and_nowhere_else(void **state)
{
    struct written *w = *state;
    struct ts_json_out *out = &w->out;
    ts_json_open_object(out);
    ts_json_key(out, TS_STR("a"));
    ts_json_open_array(out);
    ts_json_integer(out, 1);
    ts_json_open_object(out);
    ts_json_close_object(out);
    ts_json_open_array(out);
    ts_json_close_array(out);
    ts_json_null(out);
    ts_json_close_array(out);
    ts_json_key(out, TS_STR("b"));
    ts_json_boolean(out, true);
    ts_json_key(out, TS_STR("c"));
    ts_json_raw(out, TS_STR("{\"x\":[1,2]}"));
    ts_json_key(out, TS_STR("d"));
    ts_json_boolean(out, false);
    ts_json_close_object(out);
    assert_written(w, "{\"a\":[1,{},[],null],\"b\":true,\"c\":{\"x\":[1,2]},\"d\":false}");
}

static void strings_are_escaped_where_they_must_be(void **state)
{
    struct written *w = *state;
    ts_json_open_array(&w->out);
    ts_json_string(&w->out, TS_STR("q\" b\\ s/ \b\f\n\r\t \x01\x1f\0 \x7f"));
    ts_json_string(&w->out, TS_STR(""));
    ts_json_string(&w->out, (struct ts_str){NULL, 0});
    ts_json_string(&w->out, TS_STR("\xc3\xa4\xf0\x9f\x98\x80\xe2\x80\xa8"));
    ts_json_close_array(&w->out);
    assert_written(w, "[\"q\\\" b\\\\ s/ \\b\\f\\n\\r\\t \\u0001\\u001f\\u0000 \\u007f\",\"\",\"\","
                      "\"\xc3\xa4\xf0\x9f\x98\x80\\u2028\"]");
}

static void what_must_not_reach_a_terminal_is_escaped(void **state)
{
    struct written *w = *state;
    ts_json_open_object(&w->out);
    ts_json_key(&w->out, TS_STR("\xe2\x80\xae"));
    ts_json_string(&w->out, TS_STR("a\xc2\x9b\xe2\x80\x8b\xf3\xa0\x81\xa1z"));
    ts_json_close_object(&w->out);
    assert_written(w, "{\"\\u202e\":\"a\\u009b\\u200b\\udb40\\udc61z\"}");
}

static void json_of_others_is_escaped_afterwards(void **state)
{
    struct ts_buf out;
    (void)state;
    ts_buf_init(&out, 0);
    assert_false(ts_json_escape_unsafe(&out, TS_STR("{\"\xc3\xa4\":\"\xf0\x9f\x98\x80\"}")));
    assert_false(ts_json_escape_unsafe(&out, TS_STR("")));
    assert_int_equal(out.len, 0);
    assert_true(ts_json_escape_unsafe(&out, TS_STR("[\"\x7f\",\"x\xe2\x81\xa6\",\"\xf3\xa0\x81\xa1\",1]")));
    assert_string_equal(out.ptr, "[\"\\u007f\",\"x\\u2066\",\"\\udb40\\udc61\",1]");
    ts_buf_free(&out);
}

static void invalid_bytes_become_replacement_characters(void **state)
{
    struct written *w = *state;
    ts_json_open_object(&w->out);
    ts_json_key(&w->out, TS_STR("\xff"));
    ts_json_string(&w->out, TS_STR("a\xff\x80"
                                   "b\xed\xa0\x80\"\xe2\x82"));
    ts_json_close_object(&w->out);
#define R "\xef\xbf\xbd"
    assert_written(w, "{\"" R "\":\"a" R R "b" R R R "\\\"" R R "\"}");
#undef R
}

static void numbers_are_written_exactly(void **state)
{
    struct written *w = *state;
    static const int64_t integers[] = {0, 7, -1, 10, 1234567890, INT64_MAX, INT64_MIN};
    static const double doubles[] = {0, -0.0, 64, 0.1, -2.5, 1e300};
    ts_json_open_array(&w->out);
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        ts_json_integer(&w->out, integers[i]);
    for (size_t i = 0; i < sizeof doubles / sizeof doubles[0]; i++)
        ts_json_number(&w->out, doubles[i]);
    ts_json_number(&w->out, (double)__builtin_nanf(""));
    ts_json_number(&w->out, (double)__builtin_inff());
    ts_json_close_array(&w->out);
    assert_written(w,
                   "[0,7,-1,10,1234567890,9223372036854775807,-9223372036854775808,0,0,64,0.1,-2.5,1e300,null,null]");
}

static void what_is_written_reads_back(void **state)
{
    struct written *w = *state;
    char bytes[256];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    ts_json_string(&w->out, (struct ts_str){bytes, 128});
    yyjson_doc *doc = parse(w->buf.ptr, false);
    assert_true(ts_str_equal(ts_json_str(yyjson_doc_get_root(doc)), (struct ts_str){bytes, 128}));
    yyjson_doc_free(doc);
    ts_buf_clear(&w->buf);
    ts_json_string(&w->out, (struct ts_str){bytes, 256});
    yyjson_doc_free(parse(w->buf.ptr, false));
}

static void sixty_four_levels_are_written_and_deeper_ones_are_null(void **state)
{
    struct written *w = *state;
    for (int levels = 64; levels <= 80; levels += 8) {
        ts_buf_clear(&w->buf);
        for (int i = 0; i < levels; i++) {
            ts_json_open_array(&w->out);
            ts_json_integer(&w->out, i);
            ts_json_open_object(&w->out);
            ts_json_key(&w->out, TS_STR("k"));
            ts_json_string(&w->out, TS_STR("v"));
            ts_json_close_object(&w->out);
        }
        for (int i = 0; i < levels; i++)
            ts_json_close_array(&w->out);
        assert_int_equal(w->out.depth, 0);
        yyjson_doc *doc;
        struct ts_error error;
        assert_int_equal(ts_json_parse(ts_buf_view(&w->buf), 64, false, &doc, &error), TS_OK);
        yyjson_doc_free(doc);
        assert_non_null(strstr(w->buf.ptr, levels == 64 ? "[63,null]" : "[63,null,null]"));
    }
}

static void a_close_too_many_does_no_harm(void **state)
{
    struct written *w = *state;
    ts_json_close_array(&w->out);
    ts_json_close_object(&w->out);
    assert_int_equal(w->out.depth, 0);
    assert_int_equal(w->buf.len, 0);
}

static void a_file_takes_what_a_buffer_takes(void **state)
{
    (void)state;
    struct scratch scratch;
    struct ts_context context;
    struct ts_error error;
    struct ts_writer *writer;
    struct ts_json_out out;
    ts_context_init(&context);
    scratch_create(&scratch);
    assert_int_equal(ts_writer_create(&context, scratch_path(&scratch, "x.json"), &writer, &error), TS_OK);
    ts_json_out_writer(&out, writer);
    ts_json_open_array(&out);
    ts_json_string(&out, TS_STR("x"));
    ts_json_close_array(&out);
    assert_int_equal(ts_writer_commit(writer, &error), TS_OK);
    assert_true(ts_str_is(scratch_get(&scratch, "x.json"), "[\"x\"]"));
    scratch_destroy(&scratch);
}

#define WRITING(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_not_json),
        cmocka_unit_test(refuses_numbers_that_json_does_not_have),
        cmocka_unit_test(refuses_text_that_is_not_unicode),
        cmocka_unit_test(accepts_text_of_every_kind),
        cmocka_unit_test(raw_numbers_stay_as_written),
        cmocka_unit_test(nesting_is_allowed_to_the_limit_and_no_further),
        cmocka_unit_test(a_flood_of_brackets_is_refused),
        cmocka_unit_test(brackets_in_strings_and_side_by_side_do_not_nest),
        cmocka_unit_test(the_last_of_equal_keys_counts),
        WRITING(commas_stand_between_values_and_nowhere_else),
        WRITING(strings_are_escaped_where_they_must_be),
        WRITING(what_must_not_reach_a_terminal_is_escaped),
        cmocka_unit_test(json_of_others_is_escaped_afterwards),
        WRITING(invalid_bytes_become_replacement_characters),
        WRITING(numbers_are_written_exactly),
        WRITING(what_is_written_reads_back),
        WRITING(sixty_four_levels_are_written_and_deeper_ones_are_null),
        WRITING(a_close_too_many_does_no_harm),
        cmocka_unit_test(a_file_takes_what_a_buffer_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
