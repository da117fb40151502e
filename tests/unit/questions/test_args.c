#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/limits.h"
#include "questions/question.h"

static const char *const colours[] = {"red", "green", "blue", NULL};
static const struct ts_param params[] = {
    {.name = "handle", .kind = TS_PARAM_HANDLE, .required = true, .help = "h"},
    {.name = "path", .kind = TS_PARAM_PATH, .help = "p"},
    {.name = "by", .kind = TS_PARAM_ENUM, .values = colours, .standard = "green", .help = "which colour"},
    {.name = "include", .kind = TS_PARAM_GROUPS, .values = colours, .help = "g"},
    {.name = "limit", .kind = TS_PARAM_LIMIT, .default_integer = 10, .maximum = 100, .maximum_with_groups = 50},
    {.name = "rank", .kind = TS_PARAM_INTEGER, .default_integer = -7},
    {.name = "row", .kind = TS_PARAM_ROW_ID},
    {.name = "start", .kind = TS_PARAM_SIGNPOST},
    {.name = "text", .kind = TS_PARAM_TEXT},
    {.name = NULL},
};
static const struct ts_question question = {.name = "colours", .params = params};

static enum ts_status check(const char *json, bool handles, bool raw, struct ts_args *args, yyjson_doc **doc,
                            struct ts_error *error)
{
    assert_int_equal(ts_json_parse(ts_str_from(json), 64, raw, doc, error), TS_OK);
    return ts_args_check(&question, yyjson_doc_get_root(*doc), handles, args, error);
}

/* The one document whose texts args borrow; freed by the next call. */
static yyjson_doc *kept;

static struct ts_args good(const char *json)
{
    struct ts_args args;
    struct ts_error error;
    for (unsigned raw = 0; raw < 2; raw++) {
        yyjson_doc_free(kept);
        if (check(json, true, raw, &args, &kept, &error))
            fail_msg("%s: %s", json, error.message);
    }
    return args;
}

static void bad(const char *json, const char *what)
{
    for (unsigned raw = 0; raw < 2; raw++) {
        struct ts_args args = {.question = NULL};
        struct ts_error error;
        yyjson_doc *doc;
        if (check(json, true, raw, &args, &doc, &error) != TS_USAGE)
            fail_msg("%s was taken", json);
        if (!strstr(error.message, what))
            fail_msg("%s: \"%s\" lacks \"%s\"", json, error.message, what);
        assert_null(args.question); /* untouched */
        yyjson_doc_free(doc);
    }
}

static void test_defaults(void **state)
{
    (void)state;
    struct ts_args args = good("{\"handle\":\"report-1\"}");
    assert_true(ts_str_is(ts_args_get(&args, "handle")->text, "report-1"));
    assert_true(ts_args_get(&args, "handle")->given);
    assert_false(ts_args_get(&args, "by")->given);
    assert_true(ts_str_is(ts_args_get(&args, "by")->text, "green"));
    assert_int_equal(ts_args_get(&args, "limit")->integer, 10);
    assert_int_equal(ts_args_get(&args, "rank")->integer, -7);
    assert_int_equal(ts_args_get(&args, "include")->groups, 0);
    assert_int_equal(ts_args_get(&args, "start")->text.len, 0);
    assert_false(ts_args_get(&args, "no such argument")->given);
}

static void test_null_is_not_given(void **state)
{
    (void)state;
    struct ts_args args = good("{\"handle\":\"h\",\"by\":null,\"limit\":null,\"include\":null,\"start\":null}");
    assert_false(ts_args_get(&args, "by")->given);
    assert_true(ts_str_is(ts_args_get(&args, "by")->text, "green"));
    assert_int_equal(ts_args_get(&args, "limit")->integer, 10);
    bad("{\"handle\":null}", "handle");
}

static void test_the_first_problem_is_told(void **state)
{
    (void)state;
    bad("{\"nope\":1,\"by\":3}", "no argument \"nope\"; it takes handle, path, by, include, limit");
    bad("{\"by\":3,\"limit\":\"x\"}", "needs the argument handle");
    bad("{\"handle\":\"h\",\"by\":\"pink\",\"limit\":\"x\"}", "limit must be an integer, not string");
    bad("{\"handle\":\"h\",\"by\":\"pink\",\"include\":[\"pink\"]}",
        "by must be one of blue, green, red, not \"pink\" (which");
}

static void test_types(void **state)
{
    (void)state;
    bad("{\"handle\":1}", "handle must be");
    bad("{\"handle\":\"h\",\"by\":true}", "by must be a string");
    bad("{\"handle\":\"h\",\"include\":\"red\"}", "include must be a list");
    bad("{\"handle\":\"h\",\"include\":{}}", "include must be a list");
    bad("{\"handle\":\"h\",\"limit\":true}", "limit must be an integer");
    bad("{\"handle\":\"h\",\"limit\":\"5\"}", "limit must be an integer");
    bad("{\"handle\":\"h\",\"row\":[]}", "row must be the id of a row");
    bad("{\"handle\":\"h\",\"start\":5}", "start must be the name of a signpost");
    bad("{\"handle\":\"h\",\"text\":{}}", "text must be a string");
    bad("{\"handle\":\"h\",\"path\":5}", "path must be a path");
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        int64_t limit, rank;
    } cases[] = {
        {"0", 1, 0},
        {"-5", 1, -5},
        {"1", 1, 1},
        {"100", 100, 100},
        {"101", 100, 101},
        {"3.0", 3, 3},
        {"2e1", 20, 20},
        {"9223372036854775807", 100, INT64_MAX},
        {"-9223372036854775808", 1, INT64_MIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[128];
        snprintf(json, sizeof json, "{\"handle\":\"h\",\"limit\":%s,\"rank\":%s}", cases[i].json, cases[i].json);
        struct ts_args args = good(json);
        assert_int_equal(ts_args_get(&args, "limit")->integer, cases[i].limit);
        assert_int_equal(ts_args_get(&args, "rank")->integer, cases[i].rank);
    }
    bad("{\"handle\":\"h\",\"limit\":2.9}", "limit must be an integer");
    bad("{\"handle\":\"h\",\"rank\":0.5}", "rank must be an integer");
    bad("{\"handle\":\"h\",\"rank\":1e30}", "64 bits");
    bad("{\"handle\":\"h\",\"rank\":9223372036854775808}", "64 bits");
}

/* The cap that groups lower holds whatever the order of the arguments, and what was asked stays known. */
static void test_limits_with_groups(void **state)
{
    (void)state;
    struct ts_args args = good("{\"handle\":\"h\",\"limit\":60,\"include\":[\"red\"]}");
    assert_int_equal(ts_args_get(&args, "limit")->integer, 50);
    assert_int_equal(ts_args_get(&args, "limit")->asked, 60);
    args = good("{\"handle\":\"h\",\"limit\":60,\"include\":[]}");
    assert_int_equal(ts_args_get(&args, "limit")->integer, 60);
    args = good("{\"handle\":\"h\",\"include\":[\"red\"]}");
    assert_int_equal(ts_args_get(&args, "limit")->integer, ts_args_get(&args, "limit")->asked);
}

static void test_names_of_options(void **state)
{
    (void)state;
    static const char *const bad_options[][2] = {
        {"{\"by\":\"purple\"}", "--by must be one of"},
        {"{\"include\":[\"pink\"]}", "--include takes any of"},
        {"{\"limit\":2.5}", "--limit must be an integer"},
        {"{\"limit\":true}", "--limit must be an integer"},
    };
    struct ts_args args;
    struct ts_error error;
    for (size_t i = 0; i < sizeof bad_options / sizeof *bad_options; i++) {
        yyjson_doc *doc = yyjson_read(bad_options[i][0], strlen(bad_options[i][0]), 0);
        assert_int_equal(ts_args_check_options(&question, yyjson_doc_get_root(doc), &args, &error), TS_USAGE);
        assert_non_null(strstr(error.message, bad_options[i][1]));
        yyjson_doc_free(doc);
    }
    assert_int_equal(ts_args_check_options(&question, NULL, &args, &error), TS_OK);
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_args_explain(&args, "lower limit, or include less; limits and bystanders stay", &text);
    assert_string_equal(text.ptr, "lower --limit, or --include less; limits and bystanders stay");
    ts_buf_clear(&text);
    args = good("{\"handle\":\"h\"}");
    ts_args_explain(&args, "lower limit", &text);
    assert_string_equal(text.ptr, "lower limit");
    ts_buf_free(&text);
}

static void test_row_ids(void **state)
{
    (void)state;
    struct ts_args args = good("{\"handle\":\"h\",\"row\":\"17\"}");
    assert_int_equal(ts_args_get(&args, "row")->integer, 17);
    args = good("{\"handle\":\"h\",\"row\":17}");
    assert_int_equal(ts_args_get(&args, "row")->integer, 17);
    bad("{\"handle\":\"h\",\"row\":\"\"}", "row must be");
    bad("{\"handle\":\"h\",\"row\":\" 7\"}", "row must be");
    bad("{\"handle\":\"h\",\"row\":\"-7\"}", "row must be");
    bad("{\"handle\":\"h\",\"row\":\"99999999999999999999\"}", "row must be");
    bad("{\"handle\":\"h\",\"row\":1.5}", "row must be");
}

static void test_groups(void **state)
{
    (void)state;
    struct ts_args args = good("{\"handle\":\"h\",\"include\":[\"blue\",\"red\",\"blue\"]}");
    assert_int_equal(ts_args_get(&args, "include")->groups, 5);
    assert_true(ts_args_has_group(&args, "include", "red"));
    assert_false(ts_args_has_group(&args, "include", "green"));
    assert_false(ts_args_has_group(&args, "include", "pink"));
    assert_false(ts_args_has_group(&args, "no such argument", "red"));
    args = good("{\"handle\":\"h\",\"include\":[]}");
    assert_int_equal(ts_args_get(&args, "include")->groups, 0);
    bad("{\"handle\":\"h\",\"include\":[\"red\",\"pink\"]}", "include takes any of red, green, blue, not \"pink\"");
    bad("{\"handle\":\"h\",\"include\":[7]}", "include takes any of red, green, blue");
    bad("{\"handle\":\"h\",\"include\":[\"0123456789012345678901234567890123456789X\"]}",
        "0123456789012345678901234567890123456789...");
}

static void test_paths(void **state)
{
    (void)state;
    struct ts_args args = good("{\"handle\":\"h\",\"path\":\"/a\"}");
    assert_true(ts_str_is(ts_args_get(&args, "path")->text, "/a"));
    bad("{\"handle\":\"h\",\"path\":\"\"}", "path must be a path of 1 to 4096 bytes");
    bad("{\"handle\":\"h\",\"path\":\"a\\u0000b\"}", "without NUL");
    char json[TS_LIMIT_PATH + 64], path[TS_LIMIT_PATH + 2];
    memset(path, 'p', sizeof path);
    path[TS_LIMIT_PATH] = '\0';
    snprintf(json, sizeof json, "{\"handle\":\"h\",\"path\":\"%s\"}", path);
    good(json);
    path[TS_LIMIT_PATH] = 'p';
    path[TS_LIMIT_PATH + 1] = '\0';
    snprintf(json, sizeof json, "{\"handle\":\"h\",\"path\":\"%s\"}", path);
    bad(json, "this one has 4097");
}

/* The limit counts characters, and the name never comes back. */
static void test_signpost_names(void **state)
{
    (void)state;
    char json[2048], name[4 * TS_LIMIT_SIGNPOST + 8] = "";
    for (unsigned i = 0; i < TS_LIMIT_SIGNPOST; i++)
        strcat(name, "\xC3\xA9");
    snprintf(json, sizeof json, "{\"handle\":\"h\",\"start\":\"%s\"}", name);
    struct ts_args args = good(json);
    assert_int_equal(ts_args_get(&args, "start")->text.len, 2 * TS_LIMIT_SIGNPOST);
    strcat(name, "z");
    snprintf(json, sizeof json, "{\"handle\":\"h\",\"start\":\"%s\"}", name);
    bad(json, "257");
    bad(json, "256");
    struct ts_error error;
    yyjson_doc *doc;
    assert_int_equal(check(json, true, false, &args, &doc, &error), TS_USAGE);
    assert_null(strstr(error.message, "\xC3\xA9"));
    yyjson_doc_free(doc);
}

static void test_the_last_of_equal_names_counts(void **state)
{
    (void)state;
    struct ts_args args = good("{\"handle\":\"h\",\"limit\":3,\"limit\":4}");
    assert_int_equal(ts_args_get(&args, "limit")->integer, 4);
}

/* On the command line captures come beside the arguments. */
static void test_captures_given_apart(void **state)
{
    (void)state;
    struct ts_args args;
    struct ts_error error;
    assert_int_equal(ts_args_check(&question, NULL, false, &args, &error), TS_OK);
    assert_true(ts_str_is(ts_args_get(&args, "by")->text, "green"));
    yyjson_doc *doc;
    assert_int_equal(check("{\"path\":\"p\"}", false, false, &args, &doc, &error), TS_USAGE);
    assert_non_null(strstr(error.message, "no argument \"path\"; it takes by, include"));
    yyjson_doc_free(doc);
    assert_int_equal(check("[1]", false, false, &args, &doc, &error), TS_USAGE);
    yyjson_doc_free(doc);
}

static void test_what_is_quoted_is_safe_and_short(void **state)
{
    (void)state;
    bad("{\"handle\":\"h\",\"\\u001b[31m\":1}", "\\x1B[31m");
    bad("{\"handle\":\"h\",\"by\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}",
        "0123456789012345678901234567890123456789012345678901234567890123...");
}

static int free_kept(void **state)
{
    (void)state;
    yyjson_doc_free(kept);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_null_is_not_given),
        cmocka_unit_test(test_the_first_problem_is_told),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_limits_with_groups),
        cmocka_unit_test(test_names_of_options),
        cmocka_unit_test(test_row_ids),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_signpost_names),
        cmocka_unit_test(test_the_last_of_equal_names_counts),
        cmocka_unit_test(test_captures_given_apart),
        cmocka_unit_test(test_what_is_quoted_is_safe_and_short),
    };
    return cmocka_run_group_tests(tests, NULL, free_kept);
}
