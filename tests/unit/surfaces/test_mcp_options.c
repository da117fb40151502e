#include "surfaces/mcp/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/limits.h"
#include "surfaces/mcp/print_config.h"

static enum ts_status parse(const char *words, struct ts_mcp_options *options)
{
    char *argv[16], *copy = strdup(words), *rest = copy;
    int argc = 0;
    for (char *word; (word = strsep(&rest, " ")) && argc < 16;)
        if (*word)
            argv[argc++] = word;
    struct ts_error error = {.code = TS_OK};
    enum ts_status status = ts_mcp_options_parse(argc, argv, options, &error);
    if (status)
        assert_true(strlen(error.message) > 0);
    free(copy);
    return status;
}

static void has_defaults(void **state)
{
    (void)state;
    struct ts_mcp_options options;
    assert_int_equal(parse("", &options), TS_OK);
    assert_false(options.help || options.structured);
    assert_null(options.print_config);
    assert_null(options.roots);
    assert_int_equal(options.log_level, TS_MCP_INFO);
    assert_int_equal(options.cache_bytes, TS_DEFAULT_CACHE);
    assert_int_equal(options.memory_limit, TS_DEFAULT_CALL_MEMORY);
    assert_int_equal(options.time_limit_s, 120);
}

static void takes_each_option(void **state)
{
    (void)state;
    struct ts_mcp_options options;
    assert_int_equal(parse("--structured --log-level=debug --cache-mib 3 --time-limit=7 --memory-limit 5", &options),
                     TS_OK);
    assert_true(options.structured);
    assert_int_equal(options.log_level, TS_MCP_DEBUG);
    assert_int_equal(options.cache_bytes, 3 * TS_MIB);
    assert_int_equal(options.time_limit_s, 7);
    assert_int_equal(options.memory_limit, 5 * TS_MIB);
    ts_mcp_options_free(&options);
    static char *words[] = {"--root", "a", "--root=b", "--root", "--structured"};
    assert_int_equal(ts_mcp_options_parse(5, words, &options, NULL), TS_OK);
    assert_string_equal(options.roots[0], "a");
    assert_string_equal(options.roots[1], "b");
    assert_string_equal(options.roots[2], "--structured");
    assert_null(options.roots[3]);
    assert_false(options.structured);
    ts_mcp_options_free(&options);
}

static void refuses_the_rest(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "x",
        "-x",
        "--",
        "--root",
        "--structured=yes",
        "--log-level x",
        "--cache-mib",
        "--cache-mib=",
        "--cache-mib 0",
        "--cache-mib 1.5",
        "--cache-mib 1048577",
        "--time-limit -1",
        "--nonsense",
        "--ROOT a",
        "--roo a",
        "--time-limit 0",
        "--time-limit 100000000",
        "--root a x",
    };
    struct ts_mcp_options options;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(parse(wrong[i], &options), TS_USAGE);
}

static void expect_registration(const char *client, char **argv, int argc, const char *text)
{
    const struct ts_mcp_registration registration = {"/opt/a \"b\"/tilesight", "/", argc, argv};
    struct ts_buf out;
    const char *where = NULL;
    struct ts_error error;
    ts_buf_init(&out, 0);
    assert_int_equal(ts_mcp_print_config(client, &registration, &out, &where, &error), TS_OK);
    assert_string_equal(out.ptr, text);
    assert_true(strlen(where) > 0);
    ts_buf_free(&out);
}

static void prints_roots_as_they_are_meant_here(void **state)
{
    (void)state;
    static char *argv[] = {"--root", "a", "--root=/b", "--root", "--print-config", "--root=~/c"};
    expect_registration("cursor", argv, 6,
                        "{\"mcpServers\":{\"tilesight\":{\"command\":\"/opt/a \\\"b\\\"/tilesight\",\"args\":[\"mcp\","
                        "\"--root\",\"/a\",\"--root\",\"/b\",\"--root\",\"/--print-config\",\"--root\",\"~/c\"]}}}\n");
}

static void prints_registrations(void **state)
{
    (void)state;
    static char *argv[] = {"--structured", "--print-config", "x", "--print-config=x"};
    expect_registration("cursor", argv, 4,
                        "{\"mcpServers\":{\"tilesight\":{\"command\":\"/opt/a \\\"b\\\"/tilesight\",\"args\":[\"mcp\","
                        "\"--structured\"]}}}\n");
    expect_registration(
        "vscode", NULL, 0,
        "{\"servers\":{\"tilesight\":{\"type\":\"stdio\",\"command\":\"/opt/a \\\"b\\\"/tilesight\",\"args\":"
        "[\"mcp\"]}}}\n");
    expect_registration("codex", NULL, 0,
                        "[mcp_servers.tilesight]\ncommand = \"/opt/a \\\"b\\\"/tilesight\"\nargs = [\"mcp\"]\n");
}

static void prints_no_registration_that_could_not_work(void **state)
{
    (void)state;
    struct ts_buf out;
    struct ts_error error;
    const char *where;
    ts_buf_init(&out, 0);
    const struct ts_mcp_registration odd = {"/opt/\xff/tilesight", "/", 0, NULL},
                                     good = {"/opt/tilesight", "/", 0, NULL};
    assert_int_equal(ts_mcp_print_config("cursor", &odd, &out, &where, &error), TS_REFUSED);
    /* The folder counts where a root is relative to it. */
    static char *relative[] = {"--root", "a"}, *absolute[] = {"--root", "/a"};
    const struct ts_mcp_registration here = {"/opt/tilesight", "/\xff", 2, relative};
    assert_int_equal(ts_mcp_print_config("cursor", &here, &out, &where, &error), TS_REFUSED);
    assert_int_equal(ts_mcp_print_config("nobody", &good, &out, &where, &error), TS_USAGE);
    assert_non_null(strstr(error.message, "claude-code, claude-desktop, codex, cursor"));
    assert_int_equal(out.len, 0);
    const struct ts_mcp_registration anywhere = {"/opt/tilesight", "/\xff", 2, absolute};
    assert_int_equal(ts_mcp_print_config("cursor", &anywhere, &out, &where, &error), TS_OK);
    ts_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_defaults),
        cmocka_unit_test(takes_each_option),
        cmocka_unit_test(refuses_the_rest),
        cmocka_unit_test(prints_registrations),
        cmocka_unit_test(prints_roots_as_they_are_meant_here),
        cmocka_unit_test(prints_no_registration_that_could_not_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
