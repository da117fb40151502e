/* The server without its threads: a line goes in, answers are collected; and with every allocation made to fail. */
#include "surfaces/mcp/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/json.h"
#include "support/interpose_malloc.c"
#include "support/scratch.h"

static const struct ts_mcp_options options = {
    .log_level = TS_MCP_DEBUG,
    .cache_bytes = TS_MIB,
    .memory_limit = TS_GIB,
    .time_limit_s = 60,
};

static void say(struct ts_mcp_server *server, const char *line)
{
    ts_mcp_server_line(server, ts_str_from(line), TS_MCP_LINE_GOOD);
    while (ts_mcp_server_step(server, false))
        continue;
}

/* The answers to some lines, of a server of their own. */
static struct ts_buf answers(const char *const *lines)
{
    struct ts_buf out;
    struct ts_mcp_server server;
    struct ts_error error;
    ts_buf_init(&out, 0);
    if (ts_mcp_server_init(&server, &options, &out, &error))
        return out;
    for (; *lines; lines++)
        say(&server, *lines);
    ts_mcp_server_free(&server);
    return out;
}

static void answers_a_line(void **state)
{
    (void)state;
    struct ts_buf out = answers((const char *const[]){
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\",\"params\":{\"name\":\"top_ops\",\"arguments\":"
        "{\"handle\":\"x\"}}}",
        NULL});
    assert_string_equal(
        out.ptr, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
                 "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"There is no "
                 "handle \\\"x\\\". Handles: none. load_report opens a report and returns one.\"}],\"isError\":"
                 "true}}\n");
    ts_buf_free(&out);
}

static void answers_lines_that_cannot_be_read(void **state)
{
    (void)state;
    struct ts_buf out;
    struct ts_mcp_server server;
    struct ts_error error;
    ts_buf_init(&out, 0);
    assert_int_equal(ts_mcp_server_init(&server, &options, &out, &error), TS_OK);
    ts_mcp_server_line(&server, TS_STR(""), TS_MCP_LINE_TOO_LONG);
    ts_mcp_server_line(&server, TS_STR(""), TS_MCP_LINE_NO_MEMORY);
    while (ts_mcp_server_step(&server, false))
        continue;
    assert_non_null(strstr(out.ptr, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"));
    assert_non_null(strstr(out.ptr, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,"));
    ts_mcp_server_free(&server);
    ts_buf_free(&out);
}

/* Every line of output is JSON; how many there are. */
static size_t count_answers(struct ts_str text)
{
    size_t count = 0;
    struct ts_str line;
    bool done = false;
    while (ts_str_split(&text, '\n', &line, &done)) {
        yyjson_doc *doc = NULL;
        if (line.len == 0)
            continue;
        assert_int_equal(ts_json_parse(line, 64, true, &doc, NULL), TS_OK);
        yyjson_doc_free(doc);
        count++;
    }
    return count;
}

/* Whatever allocation fails, each request is answered by a line of JSON, and the server goes on. */
static void survives_without_memory(void **state)
{
    (void)state;
    static const char csv[] =
        "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,HOST START TS,DEVICE KERNEL DURATION [ns]\n"
        "a,signpost,,,,1,\nAdd,tt_dnn_device,1,0,8,2,500\n";
    struct scratch scratch;
    char load[512];
    scratch_create(&scratch);
    scratch_folder(&scratch, "c");
    scratch_put(&scratch, "c/ops_perf_results_1.csv", TS_STR(csv));
    snprintf(
        load, sizeof load,
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"load_report\",\"arguments\":"
        "{\"performance_path\":\"%s\"}}}",
        scratch_path(&scratch, "c"));
    const char *const lines[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\"}}",
        "[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"nothing\"}]",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":9}}",
        load,
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/"
        "call\",\"params\":{\"name\":\"top_ops\",\"arguments\":{\"handle\":"
        "\"report-1\"},\"_meta\":{\"progressToken\":1}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\",\"params\":{\"name\":\"nothing\"}}",
        "nonsense",
    };
    static char room[1 << 20];
    bool failed = true;
    for (long good = 0; failed; good++) {
        struct ts_mcp_server server;
        struct ts_error error;
        /* Room of its own, so that only the server's allocations fail. */
        struct ts_buf out = {.ptr = room, .capacity = sizeof room, .limit = sizeof room - 1};
        assert_int_equal(ts_mcp_server_init(&server, &options, &out, &error), TS_OK);
        size_t expected = 0;
        interpose_fail_once(good);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            say(&server, lines[i]);
            expected += i != 2;
        }
        failed = interpose_stop();
        say(&server, "{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"method\":\"ping\"}");
        assert_non_null(strstr(out.ptr, "{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"result\":{}}\n"));
        /* A line whose reading failed is answered even when it was a notification. */
        size_t count = count_answers(ts_buf_view(&out));
        assert_in_range(count, expected + 1, expected + 2);
        ts_mcp_server_free(&server);
    }
    scratch_destroy(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_a_line),
        cmocka_unit_test(answers_lines_that_cannot_be_read),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
