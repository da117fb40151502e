#include "surfaces/mcp/server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "surfaces/cli/environment.h"
#include "surfaces/home.h"

enum ts_status ts_mcp_server_init(struct ts_mcp_server *server, const struct ts_mcp_options *options,
                                  struct ts_buf *copy, struct ts_error *error)
{
    *server = (struct ts_mcp_server){
        .options = options,
        .log = {options->log_level, copy ? -1 : STDERR_FILENO},
        .version = TS_MCP_2025_11_25, /* until the client says otherwise */
        .usage = {.off = true},
        .budget = {.sizes = -1},
    };
    enum ts_status status = ts_parts_create(options->cache_bytes, &server->parts, error);
    if (!status && options->roots)
        status = ts_roots_create((const char *const *)options->roots, &server->roots, error);
    if (status) {
        ts_parts_destroy(server->parts);
        return status;
    }
    ts_mcp_output_init(&server->output, STDOUT_FILENO, copy, &server->log);
    ts_mcp_queue_init(&server->queue);
    return TS_OK;
}

void ts_mcp_server_environment(struct ts_mcp_server *server)
{
    char *home = ts_home_directory();
    ts_mcp_usage_start(&server->usage, &server->log, ts_clock_ns, home, getenv("USAGE_RECORDING_DISABLED"));
    free(home);
    server->link_base = ts_link_base_from_environment(&server->link);
    if (!server->link_base)
        ts_mcp_log(
            &server->log, TS_MCP_WARNING,
            "answers carry no links: TTNN_VISUALIZER_URL is not an http or https address one could put a path behind");
}

static const char *reason_of(int number)
{
    const char *reason = strerrordesc_np(number);
    return reason ? reason : "unknown error";
}

/* One line, which says what does not hold on this kernel. */
static void tell_of_gaps(const struct ts_mcp_server *server, const struct ts_sandbox *offered)
{
    const char *landlock = "", *seccomp = "";
    if (!offered->landlock)
        landlock = server->roots
                       ? " without Landlock, that nothing outside --root is opened rests on this program alone;"
                       : " without Landlock, files are guarded by seccomp alone;";
    if (!offered->seccomp)
        seccomp = " without seccomp, the kernel does not cut off the network and other programs;";
    if (*landlock || *seccomp)
        ts_mcp_log(&server->log, TS_MCP_WARNING,
                   "the sandbox is incomplete on this kernel:%s%s --no-sandbox says no to it",
                   offered->landlock || offered->seccomp ? landlock : " it has neither Landlock nor seccomp;",
                   offered->landlock || offered->seccomp ? seccomp : "");
}

static bool enter_failed(const struct ts_mcp_server *server, int number)
{
    ts_mcp_log(&server->log, TS_MCP_ERROR, "cannot enter the sandbox: %s; --no-sandbox starts without it",
               reason_of(number));
    return false;
}

bool ts_mcp_server_confine(struct ts_mcp_server *server)
{
    struct ts_mcp_usage *usage = &server->usage;
    struct ts_sandbox offered;
    ts_sandbox_probe(&offered);
    ts_mcp_usage_settle(usage, !offered.landlock);
    int failure = 0;
    if (offered.landlock)
        failure = ts_sandbox_restrict_files(offered.landlock, server->roots, usage->off ? NULL : usage->folder);
    if (!failure && offered.seccomp)
        failure = ts_sandbox_restrict_calls(offered.landlock);
    if (failure)
        return enter_failed(server, failure);
    server->sandbox = offered;
    tell_of_gaps(server, &offered);
    return true;
}

void ts_mcp_server_free(struct ts_mcp_server *server)
{
    ts_mcp_handles_free(&server->handles);
    ts_parts_destroy(server->parts);
    ts_roots_destroy(server->roots);
    ts_mcp_usage_free(&server->usage);
    ts_mcp_budget_close(&server->budget);
    ts_mcp_queue_free(&server->queue);
    ts_mcp_output_free(&server->output);
}

/* ---- the thread that reads ---- */

/* Little is ever on it; what is not touched costs nothing. */
#define READER_STACK (512 * TS_KIB)

struct reader {
    struct ts_mcp_server *server;
    int wake; /* readable when the other thread is done */
    bool failed;
};

static void take_line(void *data, struct ts_str line, enum ts_mcp_line_fault fault)
{
    ts_mcp_server_line(data, line, fault);
}

/* Wait until one of the two has news; true unless the other thread is done. */
static bool wait_for(int fd, short events, int wake, short *news)
{
    struct pollfd both[2] = {{.fd = fd, .events = events}, {.fd = wake, .events = POLLIN}};
    while (poll(both, 2, -1) < 0)
        if (errno != EINTR && errno != EAGAIN)
            return false;
    *news = both[0].revents;
    return !(both[1].revents & POLLIN);
}

/* Read until the end of input; false when the other thread was done before. */
static bool read_lines(struct reader *reader, struct ts_mcp_lines *lines)
{
    char block[16384];
    short news;
    while (wait_for(STDIN_FILENO, POLLIN, reader->wake, &news)) {
        ssize_t got = read(STDIN_FILENO, block, sizeof block);
        if (got == 0)
            return true;
        if (got > 0) {
            ts_mcp_lines_feed(lines, (struct ts_str){block, (size_t)got});
            if (ts_mcp_output_state(&reader->server->output) != TS_MCP_OUTPUT_OPEN)
                return false;
        } else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
            const char *reason = strerrordesc_np(errno);
            ts_mcp_log(&reader->server->log, TS_MCP_ERROR, "cannot read standard input: %s",
                       reason ? reason : "unknown error");
            reader->failed = true;
            return true;
        }
    }
    return false;
}

/* Requests still running are finished for a client that listens, and only for one. */
static void watch_output(struct reader *reader)
{
    short news = 0;
    while (wait_for(STDOUT_FILENO, 0, reader->wake, &news))
        if (news & (POLLERR | POLLHUP | POLLNVAL))
            return;
}

static void *read_input(void *data)
{
    struct reader *reader = data;
    struct ts_mcp_server *server = reader->server;
    struct ts_mcp_lines lines;
    ts_mcp_lines_init(&lines, take_line, server);
    if (read_lines(reader, &lines)) {
        ts_mcp_lines_end(&lines);
        ts_mcp_log(&server->log, TS_MCP_INFO, "end of input");
        ts_mcp_queue_end(&server->queue);
        watch_output(reader);
    }
    ts_mcp_lines_free(&lines);
    ts_mcp_queue_abort(&server->queue);
    return NULL;
}

static bool start_reader(struct reader *reader, pthread_t *thread)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool good = pthread_attr_setstacksize(&attributes, READER_STACK) == 0 &&
                pthread_create(thread, &attributes, read_input, reader) == 0;
    pthread_attr_destroy(&attributes);
    return good;
}

int ts_mcp_server_run(struct ts_mcp_server *server)
{
    struct reader reader = {.server = server, .wake = eventfd(0, EFD_CLOEXEC)};
    pthread_t thread;
    ts_mcp_server_environment(server);
    ts_mcp_usage_compact(&server->usage);
#ifndef TS_INSTRUMENTED /* What is built in to watch the program ends it when it gets no memory. */
    ts_mcp_budget_open(&server->budget);
    if (!server->budget.ready)
        ts_mcp_log(
            &server->log, TS_MCP_WARNING,
            "--memory-limit does not hold for libraries: /proc/self/statm, which tells how much there is already, "
            "cannot be read; what tilesight takes itself is still counted");
#endif
    if (!server->options->no_sandbox && !ts_mcp_server_confine(server)) {
        if (reader.wake >= 0)
            close(reader.wake);
        return 1;
    }
    if (reader.wake < 0 || !start_reader(&reader, &thread)) {
        ts_mcp_log(&server->log, TS_MCP_ERROR, "cannot start the thread that reads standard input");
        if (reader.wake >= 0)
            close(reader.wake);
        return 1;
    }
    while (ts_mcp_server_step(server, true))
        if (ts_mcp_output_state(&server->output) != TS_MCP_OUTPUT_OPEN)
            ts_mcp_queue_abort(&server->queue);
    eventfd_write(reader.wake, 1);
    pthread_join(thread, NULL);
    close(reader.wake);
    return reader.failed || ts_mcp_output_state(&server->output) == TS_MCP_OUTPUT_FAILED ? 1 : 0;
}
