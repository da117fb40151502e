#include "surfaces/mcp/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct ts_buf written;
static struct ts_mcp_output output;
static const struct ts_mcp_log silent = {TS_MCP_DEBUG, -1};

static void expect(struct ts_mcp_progress *progress, uint64_t done, uint64_t total, const char *message,
                   const char *text)
{
    ts_buf_clear(&written);
    ts_mcp_progress_report(progress, done, total, message);
    assert_string_equal(written.ptr ? written.ptr : "", text);
}

static void only_grows(void **state)
{
    (void)state;
    yyjson_doc *token;
    assert_int_equal(ts_json_parse(TS_STR("1e2"), 1, true, &token, NULL), TS_OK);
    ts_mcp_output_init(&output, -1, &written, &silent);
    struct ts_mcp_progress progress = {.output = &output, .token = yyjson_doc_get_root(token)};
#define HEAD                                                                                                           \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1e2,\"progress\":"
    expect(&progress, 0, 50, "a", "");
    expect(&progress, 10, 50, "a", HEAD "10,\"total\":50}}\n");
    expect(&progress, 10, 50, "a", "");
    expect(&progress, 40, 0, "a", HEAD "40}}\n");
    /* The next file: what it says is added to what came before. */
    expect(&progress, 0, 30, "b", "");
    expect(&progress, 5, 30, "b", HEAD "45,\"total\":70}}\n");
    progress.with_message = true;
    expect(&progress, 30, 20, "b\n", HEAD "70,\"message\":\"b\\n\"}}\n");
    ts_mcp_output_free(&output);
    ts_buf_free(&written);
    yyjson_doc_free(token);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_grows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
