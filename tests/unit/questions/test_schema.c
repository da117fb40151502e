#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "questions/schema.h"
#include "questions/table.h"

/* ---- a question of every kind of parameter and field ---- */

static const char *const metrics[] = {"time", "size", NULL};
static const char *const groups[] = {"more", "flags", NULL};
static const struct ts_param params[] = {
    {.name = "handle", .kind = TS_PARAM_HANDLE, .required = true, .help = "from load_report"},
    {.name = "by", .kind = TS_PARAM_ENUM, .values = metrics, .standard = "time", .help = "metric"},
    {.name = "include", .kind = TS_PARAM_GROUPS, .values = groups, .help = "a|b"},
    {.name = "limit", .kind = TS_PARAM_LIMIT, .default_integer = 10, .maximum = 100},
    {.name = "rank", .kind = TS_PARAM_INTEGER},
    {.name = "row", .kind = TS_PARAM_ROW_ID, .required = true, .help = "row"},
    {.name = "start", .kind = TS_PARAM_SIGNPOST, .help = "from"},
    {.name = "path", .kind = TS_PARAM_PATH, .help = "where"},
    {.name = "text", .kind = TS_PARAM_TEXT, .help = "any"},
    {.name = NULL},
};
static const struct ts_field inner[] = {
    {.key = "id", .kind = TS_KIND_STRING, .help = "i"},
    {.key = "{by}", .kind = TS_KIND_NUMBER, .unit = "us", .help = "m"},
    {.key = "size", .kind = TS_KIND_INTEGER, .nullable = true, .help = "s"},
    {.key = "extra", .kind = TS_KIND_BOOLEAN, .group = "more", .help = "e"},
    {.key = NULL},
};
static const struct ts_field fields[] = {
    {.key = "count", .kind = TS_KIND_INTEGER, .help = "c"},
    {.key = "rows", .kind = TS_KIND_LIST, .of = TS_KIND_OBJECT, .children = inner, .help = "r"},
    {.key = "why", .kind = TS_KIND_MAP, .of = TS_KIND_STRING, .sometimes = true, .help = "w"},
    {.key = "rest", .kind = TS_KIND_OBJECT, .nullable = true, .sometimes = true, .children = inner, .help = "o"},
    {.key = "{by}_total", .kind = TS_KIND_NUMBER, .sometimes = true, .help = "t"},
    {.key = NULL},
};
static const struct ts_question question = {.name = "fake",
                                            .title = "Fake",
                                            .summary = "A question",
                                            .description = "Says something.",
                                            .params = params,
                                            .fields = fields,
                                            .link = TS_LINK_REPORT};

static void expect_schema(void (*make)(const struct ts_question *question, struct ts_json_out *out), const char *json)
{
    struct ts_buf text;
    struct ts_json_out out;
    ts_buf_init(&text, 0);
    ts_json_out_buf(&out, &text);
    make(&question, &out);
    assert_string_equal(text.ptr, json);
    ts_buf_free(&text);
}

static void test_input_schema(void **state)
{
    (void)state;
    expect_schema(
        ts_schema_input,
        "{\"type\":\"object\",\"properties\":{"
        "\"handle\":{\"type\":\"string\",\"description\":\"from load_report\"},"
        "\"by\":{\"type\":\"string\",\"enum\":[\"time\",\"size\"],\"default\":\"time\",\"description\":\"metric\"},"
        "\"include\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"more\",\"flags\"]},"
        "\"description\":\"a|b\"},"
        "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,\"default\":10},"
        "\"rank\":{\"type\":\"integer\",\"default\":0},"
        "\"row\":{\"type\":[\"integer\",\"string\"],\"description\":\"row\"},"
        "\"start\":{\"type\":\"string\",\"maxLength\":256,\"description\":\"from\"},"
        "\"path\":{\"type\":\"string\",\"description\":\"where\"},"
        "\"text\":{\"type\":\"string\",\"description\":\"any\"}},"
        "\"required\":[\"handle\",\"row\"],\"additionalProperties\":false}");
}

static void test_output_schema(void **state)
{
    (void)state;
#define ROW                                                                                                            \
    "\"properties\":{\"id\":{\"type\":\"string\"},\"time\":{\"type\":\"number\"},\"size\":{\"type\":[\"integer\","     \
    "\"null\"]},\"extra\":{\"type\":\"boolean\"}},\"required\":[\"id\",\"size\"],\"additionalProperties\":true"
    expect_schema(ts_schema_output, "{\"type\":\"object\",\"properties\":{"
                                    "\"handle\":{\"type\":\"string\"},\"capture_changed\":{\"type\":\"boolean\"},"
                                    "\"left_out\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
                                    "\"integer\"}},\"app_link\":{\"type\":\"string\"},"
                                    "\"count\":{\"type\":\"integer\"},"
                                    "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\"," ROW "}},"
                                    "\"why\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
                                    "\"rest\":{\"type\":[\"object\",\"null\"]," ROW "},"
                                    "\"time_total\":{\"type\":\"number\"},\"size_total\":{\"type\":\"number\"}},"
                                    "\"required\":[\"count\",\"rows\"],\"additionalProperties\":true}");
#undef ROW
}

/* ---- the check ---- */

static enum ts_status check(const char *arguments, const char *answer, struct ts_error *error)
{
    struct ts_args args;
    yyjson_doc *given = yyjson_read(arguments, strlen(arguments), 0), *doc = yyjson_read(answer, strlen(answer), 0);
    assert_non_null(doc);
    if (ts_args_check(&question, yyjson_doc_get_root(given), true, &args, error))
        fail_msg("%s", error->message);
    enum ts_status status = ts_schema_check(&question, &args, yyjson_doc_get_root(doc), error);
    yyjson_doc_free(given);
    yyjson_doc_free(doc);
    return status;
}

#define BASE "\"handle\":\"h\",\"row\":1"
#define BY_TIME "{" BASE "}"
#define BY_SIZE "{" BASE ",\"by\":\"size\"}"
#define MORE "{" BASE ",\"include\":[\"more\"]}"

static void good(const char *arguments, const char *answer)
{
    struct ts_error error;
    if (check(arguments, answer, &error))
        fail_msg("%s", error.message);
}

static void bad(const char *arguments, const char *answer, const char *what)
{
    struct ts_error error;
    if (check(arguments, answer, &error) != TS_INTERNAL)
        fail_msg("%s passed", answer);
    if (!strstr(error.message, what))
        fail_msg("%s: \"%s\" lacks \"%s\"", answer, error.message, what);
}

static void test_good_answers(void **state)
{
    (void)state;
    good(BY_TIME, "{\"count\":0,\"rows\":[]}");
    good(BY_TIME, "{\"handle\":\"h\",\"count\":0,\"rows\":[],\"capture_changed\":true,\"app_link\":\"l\"}");
    good(BY_TIME, "{\"count\":1,\"rows\":[{\"id\":\"2\",\"time\":1.5,\"size\":null}],\"rest\":null,\"time_total\":3}");
    good(BY_SIZE,
         "{\"count\":1,\"rows\":[{\"id\":\"2\",\"size\":3}],\"why\":{\"anything\":\"text\"},\"size_total\":3}");
    good(BY_SIZE, "{\"count\":1,\"rows\":[{\"id\":\"2\",\"size\":3.5}]}");
    good(MORE, "{\"count\":1,\"rows\":[{\"id\":\"2\",\"time\":1,\"size\":1,\"extra\":false}]}");
    good(BY_TIME, "{\"count\":1,\"rows\":[{\"id\":\"cut\",\"id_full_length\":9000,\"time\":1,\"size\":1}]}");
}

static void test_bad_answers(void **state)
{
    (void)state;
    bad(BY_TIME, "[]", "is not an object");
    bad(BY_TIME, "{\"rows\":[]}", "fake: answer: count is missing");
    bad(BY_TIME, "{\"count\":0,\"rows\":[],\"more\":1}", "more is not declared");
    bad(BY_TIME, "{\"count\":0,\"rows\":[],\"app_link_template\":\"l\"}", "app_link_template is not declared");
    bad(BY_TIME, "{\"count\":0,\"count\":0,\"rows\":[]}", "count is there twice");
    bad(BY_TIME, "{\"count\":0.5,\"rows\":[]}", "count is of another type");
    bad(BY_TIME, "{\"count\":null,\"rows\":[]}", "count is null");
    bad(BY_TIME, "{\"count\":0,\"rows\":{}}", "rows is of another type");
    bad(BY_TIME, "{\"count\":0,\"rows\":[7]}", "rows[0] is of another type");
    bad(BY_TIME, "{\"count\":0,\"rows\":[null]}", "rows[0] is null");
    bad(BY_TIME, "{\"count\":0,\"rows\":[{\"id\":\"2\",\"time\":1,\"size\":1},{\"id\":\"3\",\"time\":1}]}",
        "rows[1].size is missing");
    bad(BY_TIME, "{\"count\":0,\"rows\":[{\"id\":2,\"time\":1,\"size\":1}]}", "rows[0].id is of another type");
    bad(BY_TIME, "{\"count\":0,\"rows\":[{\"id\":\"2\",\"size\":1}]}", "rows[0].time is missing");
    bad(BY_TIME, "{\"count\":0,\"rows\":[{\"id\":\"2\",\"time\":null,\"size\":1}]}", "rows[0].time is null");
    bad(BY_TIME, "{\"count\":0,\"rows\":[{\"id\":\"2\",\"time\":1,\"size\":1,\"extra\":true}]}",
        "extra is not declared");
    bad(BY_SIZE, "{\"count\":0,\"rows\":[],\"time_total\":1}", "time_total is not declared");
    bad(MORE, "{\"count\":0,\"rows\":[{\"id\":\"2\",\"time\":1,\"size\":1}]}", "rows[0].extra is missing");
    bad(BY_TIME, "{\"count\":0,\"rows\":[],\"why\":{\"k\":1}}", "why{k} is of another type");
    bad(BY_TIME, "{\"count\":0,\"rows\":[],\"rest\":{}}", "rest.id is missing");
    bad(BY_TIME, "{\"count\":0,\"count_full_length\":1,\"rows\":[]}", "count_full_length is not declared");
    bad(BY_TIME, "{\"count\":0,\"rows\":[{\"id\":\"2\",\"handle\":\"h\",\"time\":1,\"size\":1}]}",
        "handle is not declared");
}

static void test_long_keys_do_not_overflow(void **state)
{
    (void)state;
    char answer[2048], key[1001];
    memset(key, 'k', 1000);
    key[1000] = '\0';
    snprintf(answer, sizeof answer, "{\"count\":0,\"rows\":[],\"why\":{\"%s\":1}}", key);
    bad(BY_TIME, answer, "why{kkk");
    snprintf(answer, sizeof answer, "{\"count\":0,\"rows\":[],\"%s_full_length\":1}", key);
    bad(BY_TIME, answer, "kkk");
    struct ts_field field = {.key = key};
    char small[16];
    assert_string_equal(ts_schema_key(&field, NULL, small, sizeof small), "kkkkkkkkkkkkkkk");
}

/* ---- the page ---- */

static void test_page(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "# fake: Fake\n",
        "A question.\n\nSays something.\n",
        "    tilesight fake CAPTURE [--by NAME] [--include GROUP,...] [--limit N] [--rank N] --row ID ",
        " --row ID [--start TEXT] [--text TEXT] [--json]\n",
        "| `handle` | handle; on the command line a path | required | from load_report |\n",
        "| `by` | one of `time`, `size` | `time` | metric |\n",
        "| `include` | any of `more`, `flags` |  | a\\|b |\n",
        "| `limit` | 1 to 100 | 10 |  |\n",
        "| `rows[].{by}` | number | us | always | m |\n",
        "| `rows[].size` | integer or null |  | always | s |\n",
        "| `rows[].extra` | boolean |  | with `more` | e |\n",
        "| `why` | map of strings |  | sometimes | w |\n",
        "| `rest.id` | string |  | always | i |\n",
        "| `app_link` |",
    };
    struct ts_buf page;
    ts_buf_init(&page, 0);
    ts_schema_page(&question, TS_STR("$ tilesight example\n"), &page);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(page.ptr, parts[i]))
            fail_msg("the page lacks: %s\n%s", parts[i], page.ptr);
    assert_null(strstr(page.ptr, "app_link_template"));
    ts_buf_free(&page);
}

/* All of a file of the tree; empty when it is not there. */
static size_t read_file(const char *folder, const char *name, const char *suffix, char *text, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s%s", TS_SOURCE_DIR, folder, name, suffix);
    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(text, 1, size - 1, file) : 0;
    text[len] = '\0';
    if (file)
        fclose(file);
    return len;
}

/* What ts-make-pages writes is checked in. */
static void test_pages_are_those_of_the_tree(void **state)
{
    (void)state;
    unsigned count = 0;
    for (const struct ts_question *const *at = ts_questions; *at; at++, count++) {
        struct ts_buf page;
        char text[65536], example[16384];
        size_t len = read_file("docs/examples", (*at)->name, ".txt", example, sizeof example);
        ts_buf_init(&page, 0);
        ts_schema_page(*at, (struct ts_str){example, len}, &page);
        if (!read_file("docs/questions", (*at)->name, ".md", text, sizeof text))
            fail_msg("docs/questions/%s.md is not there: run ./dev pages", (*at)->name);
        if (strcmp(text, page.ptr) != 0)
            fail_msg("docs/questions/%s.md differs from the declaration: run ./dev pages", (*at)->name);
        ts_buf_free(&page);
    }
    DIR *folder = opendir(TS_SOURCE_DIR "/docs/questions");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count -= strstr(entry->d_name, ".md") && strcmp(entry->d_name, "README.md") != 0;
    closedir(folder);
    assert_int_equal(count, 0); /* no page of a question that is gone */
}

/* ---- the questions there are ---- */

static void check_fields(const struct ts_question *of, const struct ts_field *list)
{
    for (; list->key; list++) {
        if (!list->help || strlen(list->help) > 140)
            fail_msg("%s: %s has no help, or too much of it", of->name, list->key);
        bool container = list->kind == TS_KIND_OBJECT ||
                         ((list->kind == TS_KIND_LIST || list->kind == TS_KIND_MAP) && list->of == TS_KIND_OBJECT);
        assert_int_equal(list->children != NULL, container);
        if (container)
            check_fields(of, list->children);
    }
}

static void test_declarations_are_whole(void **state)
{
    (void)state;
    for (const struct ts_question *const *at = ts_questions; *at; at++) {
        const struct ts_question *of = *at;
        size_t count = 0;
        assert_non_null(of->title);
        assert_non_null(of->summary);
        assert_non_null(of->too_large);
        assert_non_null(of->answer);
        for (const struct ts_param *param = of->params; param->name; param++, count++) {
            bool named = param->kind == TS_PARAM_ENUM || param->kind == TS_PARAM_GROUPS;
            assert_int_equal(param->values != NULL, named);
            assert_true(param->help || param->kind == TS_PARAM_LIMIT);
            assert_true(param->kind != TS_PARAM_LIMIT ||
                        (param->maximum > 0 && param->default_integer <= param->maximum));
        }
        assert_true(count <= TS_ARGS_MAX);
        check_fields(of, of->fields);
    }
}

/* An agent pays for the list of tools before it asks anything. */
static void test_what_the_tools_cost(void **state)
{
    (void)state;
    size_t all = 0;
    for (const struct ts_question *const *at = ts_questions; *at; at++) {
        struct ts_buf text;
        struct ts_json_out out;
        ts_buf_init(&text, 0);
        ts_json_out_buf(&out, &text);
        ts_schema_input(*at, &out);
        size_t frame = strlen(
            "{\"name\":\"\",\"title\":\"\",\"description\":\"\",\"inputSchema\":,\"annotations\":{\"title\":\"\","
            "\"readOnlyHint\":true,\"destructiveHint\":false,\"idempotentHint\":true,\"openWorldHint\":false}},");
        all += text.len + frame + strlen((*at)->name) + 2 * strlen((*at)->title) + strlen((*at)->description);
        ts_buf_free(&text);
    }
    assert_true(all < 15500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input_schema),
        cmocka_unit_test(test_output_schema),
        cmocka_unit_test(test_good_answers),
        cmocka_unit_test(test_bad_answers),
        cmocka_unit_test(test_long_keys_do_not_overflow),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_pages_are_those_of_the_tree),
        cmocka_unit_test(test_declarations_are_whole),
        cmocka_unit_test(test_what_the_tools_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
