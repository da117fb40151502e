/* What a client sends to the stdio server: framing, envelope, methods, arguments, and small captures opened by path. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "surfaces/mcp/server.h"

static void take_line(void *data, struct ts_str line, enum ts_mcp_line_fault fault)
{
    struct ts_mcp_server *server = data;
    ts_mcp_server_line(server, line, fault);
    /* There is no second thread: what was queued is served before the next line is taken. */
    while (ts_mcp_server_step(server, false))
        continue;
}

static char folder[] = "/tmp/tilesight-fuzz-XXXXXX";

static void remove_folder(void)
{
    if (chdir(folder) != 0 || unlink("c/ops_perf_results_1.csv") != 0 || rmdir("c") != 0 || rmdir(folder) != 0)
        fprintf(stderr, "%s could not be removed\n", folder);
}

/* A folder with one capture, "c", outside which nothing is opened. */
static void make_folder(void)
{
    static bool made;
    if (made) {
        if (chdir(folder) != 0)
            abort();
        return;
    }
    if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("c", 0700) != 0)
        abort();
    FILE *file = fopen("c/ops_perf_results_1.csv", "w");
    if (!file)
        abort();
    fputs(
        "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,HOST START TS,DEVICE KERNEL DURATION [ns],PROGRAM HASH,"
        "PROGRAM CACHE HIT\n"
        "a,signpost,,,,1,,,\nAdd,tt_dnn_device,1,0,8,2,500,7,False\nMul,tt_dnn_device,2,0,8,3,900,8,False\n"
        "b,signpost,,,,4,,,\nAdd,tt_dnn_device,3,0,8,5,400,7,True\n",
        file);
    if (fclose(file) != 0)
        abort();
    atexit(remove_folder);
    made = true;
}

/* Every answer must be one line of JSON. */
static void check_output(struct ts_str output)
{
    struct ts_str line;
    bool done = false;
    while (ts_str_split(&output, '\n', &line, &done)) {
        yyjson_doc *doc = NULL;
        if (line.len > 0 && ts_json_parse(line, 512, true, &doc, NULL))
            abort();
        yyjson_doc_free(doc);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *roots[] = {folder, NULL};
    int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    make_folder();
    struct ts_mcp_options options = {
        .structured = size % 2 == 0,
        .log_level = TS_MCP_DEBUG,
        .cache_bytes = 1 << 20,
        .memory_limit = 64 << 20,
        .time_limit_s = 10,
        .roots = roots,
    };
    struct ts_mcp_server server;
    struct ts_buf output;
    struct ts_error error;
    ts_buf_init(&output, 0);
    if (ts_mcp_server_init(&server, &options, &output, &error))
        abort();
    struct ts_mcp_lines lines;
    ts_mcp_lines_init(&lines, take_line, &server);
    /* In two pieces, so that lines are put together too. */
    struct ts_str all = {(const char *)data, size};
    ts_mcp_lines_feed(&lines, ts_str_sub(all, 0, size / 2));
    ts_mcp_lines_feed(&lines, ts_str_sub(all, size / 2, size));
    ts_mcp_lines_end(&lines);
    check_output(ts_buf_view(&output));
    ts_mcp_lines_free(&lines);
    ts_mcp_server_free(&server);
    ts_buf_free(&output);
    /* The fuzzer's own paths are relative to where it was started. */
    if (fchdir(before) != 0)
        abort();
    close(before);
    return 0;
}
