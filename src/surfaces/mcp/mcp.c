#include "surfaces/mcp/mcp.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "surfaces/mcp/print_config.h"
#include "surfaces/mcp/server.h"

static int complain(const struct ts_error *error)
{
    fprintf(stderr, "tilesight mcp: %s\n", error->message);
    if (error->code == TS_USAGE)
        fputs("tilesight mcp --help shows what it takes\n", stderr);
    return error->code == TS_USAGE ? 2 : 1;
}

static int print_config(const char *client, int argc, char **argv)
{
    struct ts_error error;
    struct ts_buf text;
    const char *where;
    char *program = realpath("/proc/self/exe", NULL), *folder = getcwd(NULL, 0);
    if (!program || !folder) {
        fputs(program ? "tilesight mcp: there is no working directory any more; start in one that is there\n"
                      : "tilesight mcp: /proc/self/exe, which tells where this program lies, cannot be read\n",
              stderr);
        free(program);
        free(folder);
        return 1;
    }
    const struct ts_mcp_registration registration = {program, folder, argc, argv};
    ts_buf_init(&text, 0);
    int result = 0;
    if (ts_mcp_print_config(client, &registration, &text, &where, &error)) {
        result = complain(&error);
    } else {
        fprintf(stderr, "This goes into %s:\n", where);
        if (fwrite(text.ptr, 1, text.len, stdout) != text.len || fflush(stdout) != 0) {
            fputs("tilesight mcp: cannot write to standard output\n", stderr);
            result = 1;
        }
    }
    ts_buf_free(&text);
    free(program);
    free(folder);
    return result;
}

/* A standard stream that is closed must not become the number of the next file opened: put something there that cannot be
 * read, or written. */
static bool occupy_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

static int serve(const struct ts_mcp_options *options)
{
    struct ts_mcp_server server;
    struct ts_error error;
    if (!occupy_streams()) {
        fputs("tilesight mcp: a standard stream is closed and there is no /dev/null to put in its place; start it with "
              "all "
              "three\n",
              stderr);
        return 1;
    }
    /* A client that goes away is an event of its own, not a reason to die. */
    signal(SIGPIPE, SIG_IGN);
    if (ts_mcp_server_init(&server, options, NULL, &error))
        return complain(&error);
    int result = ts_mcp_server_run(&server);
    ts_mcp_server_free(&server);
    return result;
}

static int help(void)
{
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_command_help(&ts_mcp_command, &text);
    fputs(text.failed ? "tilesight mcp: out of memory\n" : text.ptr, stderr);
    ts_buf_free(&text);
    return 2;
}

static int run(int argc, char **argv)
{
    struct ts_mcp_options options;
    struct ts_error error;
    if (ts_mcp_options_parse(argc, argv, &options, &error))
        return complain(&error);
    int result;
    if (options.help) {
        result = help();
    } else if (options.print_config) {
        result = print_config(options.print_config, argc, argv);
    } else {
        result = serve(&options);
    }
    ts_mcp_options_free(&options);
    return result;
}

const struct ts_command ts_mcp_command = {
    .name = "mcp",
    .summary = "Serve the questions to an agent over standard input and output",
    .usage = "tilesight mcp [OPTION...]",
    .about = "Serve the questions to an agent: the Model Context Protocol on standard input and output. An MCP client\n"
             "starts this itself; --print-config shows what to register. Nothing is written into a report, and no\n"
             "network is used.",
    .options = ts_mcp_option_table,
    .environment = "TTNN_VISUALIZER_URL: where links in answers point to (http://localhost:8000).\n"
                   "USAGE_RECORDING_DISABLED=true: keep no record of which tools were called\n"
                   "(~/.tilesight/usage/events.log).",
    .run = run,
};
