#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/number.h"
#include "questions/answer.h"

static struct ts_answer *make(void)
{
    struct ts_answer *answer = NULL;
    assert_int_equal(ts_answer_create(&answer, NULL), TS_OK);
    return answer;
}

/* Finish the answer, compare it, and give it back. */
static void expect(struct ts_answer *answer, const char *json)
{
    struct ts_error error;
    if (ts_answer_finish(answer, "ask for less", &error))
        fail_msg("%s", error.message);
    assert_string_equal(answer->json, json);
    assert_int_equal(answer->json_len, strlen(json));
    ts_answer_free(answer);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *json;
    } cases[] = {
        {64, "64"},
        {-0.0, "0"},
        {-3, "-3"},
        {0.5, "0.5"},
        {66.4, "66.4"},
        {0.1 + 0.2, "0.30000000000000004"},
        {9007199254740993.0, "9007199254740992"},
        {-9223372036854774784.0, "-9223372036854774784"},
        {1e19, "1e19"},
        {-1e300, "-1e300"},
        {1e-7, "1e-7"},
        {TS_ABSENT, "null"},
        {__builtin_inf(), "null"},
        {-__builtin_inf(), "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_answer *answer = make();
        ts_answer_number(answer, answer->root, "n", cases[i].value);
        char json[64];
        assert_true(strlen(cases[i].json) + 6 < sizeof json);
        strcpy(json, "{\"n\":");
        strcat(json, cases[i].json);
        strcat(json, "}");
        /* Exponents may be written with or without a sign and a fraction: compare by value where they are used. */
        assert_int_equal(ts_answer_finish(answer, NULL, NULL), TS_OK);
        if (strchr(cases[i].json, 'e')) {
            double read = 0;
            assert_true(ts_number_parse((struct ts_str){answer->json + 5, answer->json_len - 6}, &read));
            assert_true(read == cases[i].value);
        } else {
            assert_string_equal(answer->json, json);
        }
        ts_answer_free(answer);
    }
}

static void test_rounded(void **state)
{
    (void)state;
    struct ts_answer *answer = make();
    ts_answer_rounded(answer, answer->root, "a", 12.34567);
    ts_answer_rounded(answer, answer->root, "b", 1.9996);
    ts_answer_rounded(answer, answer->root, "c", -0.0004);
    ts_answer_rounded(answer, answer->root, "d", TS_ABSENT);
    expect(answer, "{\"a\":12.346,\"b\":2,\"c\":0,\"d\":null}");
}

static void test_members_keep_their_order(void **state)
{
    (void)state;
    struct ts_answer *answer = make();
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "list");
    ts_answer_name(answer, answer->root, "none", NULL);
    ts_answer_name(answer, answer->root, "name", "a \"quoted\" name");
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    ts_answer_boolean(answer, object, "yes", true);
    ts_answer_integer(answer, object, "least", INT64_MIN);
    ts_answer_push_string(answer, list, TS_STR("s"));
    ts_answer_null(answer, answer->root, "null");
    ts_answer_string(answer, ts_answer_object(answer, answer->root, "object"), "k", TS_STR(""));
    expect(answer, "{\"list\":[{\"yes\":true,\"least\":-9223372036854775808},\"s\"],\"none\":null,"
                   "\"name\":\"a \\\"quoted\\\" name\",\"null\":null,\"object\":{\"k\":\"\"}}");
}

static void test_keys_and_texts_are_copied(void **state)
{
    (void)state;
    char key[] = "key", text[] = "text";
    struct ts_answer *answer = make();
    ts_answer_text(answer, answer->root, key, ts_str_from(text));
    ts_answer_text_at(answer, answer->root, ts_str_from(text), ts_str_from(key));
    memset(key, 'x', 3);
    memset(text, 'x', 4);
    expect(answer, "{\"key\":\"text\",\"text\":\"key\"}");
}

static void test_bytes_that_are_no_text(void **state)
{
    (void)state;
    struct ts_answer *answer = make();
    ts_answer_text(answer, answer->root, "bad",
                   TS_STR("a\xFF"
                          "b\xE2\x82"));
    ts_answer_text(answer, answer->root, "nul", (struct ts_str){"a\0b", 3});
    ts_answer_text(answer, answer->root, "none", (struct ts_str){NULL, 0});
    ts_answer_text_at(answer, answer->root, TS_STR("k\xC0"), TS_STR("v"));
    expect(answer, "{\"bad\":\"a\xEF\xBF\xBD"
                   "b\xEF\xBF\xBD\xEF\xBF\xBD\",\"nul\":\"a\\u0000b\",\"none\":\"\",\"k\xEF\xBF\xBD\":\"v\"}");
}

/* Keys of a capture that look alike once they are mended or cut are members of their own all the same. */
static void test_keys_that_look_alike(void **state)
{
    (void)state;
    struct ts_answer *answer = make();
    ts_answer_text_at(answer, answer->root, TS_STR("k\xC0"), TS_STR("a"));
    ts_answer_text_at(answer, answer->root, TS_STR("k\xC1"), TS_STR("b"));
    ts_answer_object_at(answer, answer->root, TS_STR("k\xEF\xBF\xBD"));
    ts_answer_object_at(answer, answer->root, TS_STR("l"));
    ts_answer_object_at(answer, answer->root, TS_STR("l"));
    expect(answer,
           "{\"k\xEF\xBF\xBD\":\"a\",\"k\xEF\xBF\xBD (2)\":\"b\",\"k\xEF\xBF\xBD (3)\":{},\"l\":{},\"l (2)\":{}}");
    answer = make();
    for (unsigned i = 0; i < 3000; i++)
        ts_answer_object_at(answer, answer->root, TS_STR("same"));
    assert_int_equal(yyjson_mut_obj_size(answer->root), 3000);
    yyjson_mut_obj_iter iter;
    yyjson_mut_obj_iter_init(answer->root, &iter);
    for (yyjson_mut_val *key; (key = yyjson_mut_obj_iter_next(&iter));)
        assert_ptr_equal(yyjson_mut_obj_get(answer->root, yyjson_mut_get_str(key)), yyjson_mut_obj_iter_get_val(key));
    ts_answer_free(answer);
}

/* A text of TS_LIMIT_REPORT_TEXT bytes, then what is given. */
static char *long_text(size_t fill, const char *tail)
{
    char *text = malloc(fill + strlen(tail) + 1);
    assert_non_null(text);
    memset(text, 'x', fill);
    strcpy(text + fill, tail);
    return text;
}

static void test_long_texts_are_cut_at_a_character(void **state)
{
    (void)state;
    static const struct {
        size_t fill;
        const char *tail;
        size_t kept;
        bool cut;
    } cases[] = {
        {TS_LIMIT_REPORT_TEXT, "", TS_LIMIT_REPORT_TEXT, false},
        {TS_LIMIT_REPORT_TEXT, "y", TS_LIMIT_REPORT_TEXT, true},
        {TS_LIMIT_REPORT_TEXT - 1, "\xE2\x82\xAC", TS_LIMIT_REPORT_TEXT - 1, true},
        {TS_LIMIT_REPORT_TEXT - 2, "\xE2\x82\xAC", TS_LIMIT_REPORT_TEXT - 2, true},
        {TS_LIMIT_REPORT_TEXT - 3, "\xE2\x82\xAC-", TS_LIMIT_REPORT_TEXT, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = long_text(cases[i].fill, cases[i].tail);
        struct ts_answer *answer = make();
        ts_answer_text(answer, answer->root, "t", ts_str_from(text));
        yyjson_mut_val *shown = yyjson_mut_obj_get(answer->root, "t");
        yyjson_mut_val *length = yyjson_mut_obj_get(answer->root, "t_full_length");
        assert_int_equal(yyjson_mut_get_len(shown), cases[i].kept);
        assert_int_equal(length != NULL, cases[i].cut);
        if (length)
            assert_int_equal(yyjson_mut_get_uint(length), strlen(text));
        assert_int_equal(ts_answer_finish(answer, NULL, NULL), TS_OK);
        ts_answer_free(answer);
        free(text);
    }
}

static void test_long_elements_end_in_an_ellipsis(void **state)
{
    (void)state;
    char *text = long_text(TS_LIMIT_REPORT_TEXT, "more");
    struct ts_answer *answer = make();
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "l");
    ts_answer_push_text(answer, list, ts_str_from(text));
    ts_answer_push_text(answer, list, TS_STR("short"));
    yyjson_mut_val *first = yyjson_mut_arr_get_first(list);
    assert_int_equal(yyjson_mut_get_len(first), TS_LIMIT_REPORT_TEXT + 3);
    assert_string_equal(yyjson_mut_get_str(first) + TS_LIMIT_REPORT_TEXT, "\xE2\x80\xA6");
    assert_string_equal(yyjson_mut_get_str(yyjson_mut_arr_get_last(list)), "short");
    ts_answer_free(answer);
    free(text);
}

/* Fill with adds until the answer is over its limit; the failure comes out at the end, with the advice. */
static void expect_too_large(void (*add)(struct ts_answer *answer, yyjson_mut_val *list))
{
    struct ts_answer *answer = make();
    struct ts_error error;
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "l");
    for (unsigned i = 0; i < TS_LIMIT_ANSWER; i++)
        add(answer, list);
    assert_true(answer->failed);
    assert_non_null(ts_answer_object(answer, answer->root, "o"));
    ts_answer_integer(answer, ts_answer_push_object(answer, ts_answer_list(answer, list, "x")), "n", 1);
    assert_int_equal(ts_answer_finish(answer, "lower limit", &error), TS_LIMIT);
    assert_non_null(strstr(error.message, "400000"));
    assert_non_null(strstr(error.message, "lower limit"));
    ts_answer_free(answer);
}

static void add_text(struct ts_answer *answer, yyjson_mut_val *list)
{
    ts_answer_push_text(answer, list, TS_STR("some text, again and again"));
}

static void add_object(struct ts_answer *answer, yyjson_mut_val *list)
{
    ts_answer_boolean(answer, ts_answer_push_object(answer, list), "k", false);
}

static void test_size_is_bounded(void **state)
{
    (void)state;
    expect_too_large(add_text);
    expect_too_large(add_object);
}

/* What escapes make longer is only known once it is written. */
static void test_size_counts_what_is_written(void **state)
{
    (void)state;
    struct ts_answer *answer = make();
    struct ts_error error;
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "l");
    for (unsigned i = 0; i < 100; i++) {
        char text[1000];
        memset(text, '\n' + 1, sizeof text);
        ts_answer_push_text(answer, list, (struct ts_str){text, sizeof text});
    }
    assert_false(answer->failed);
    assert_int_equal(ts_answer_finish(answer, "lower limit", &error), TS_LIMIT);
    ts_answer_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_members_keep_their_order),
        cmocka_unit_test(test_keys_and_texts_are_copied),
        cmocka_unit_test(test_keys_that_look_alike),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_long_texts_are_cut_at_a_character),
        cmocka_unit_test(test_long_elements_end_in_an_ellipsis),
        cmocka_unit_test(test_size_is_bounded),
        cmocka_unit_test(test_size_counts_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
