/* The server as its parts see it. Two threads: one takes lines off standard input (intake.c), one answers them (serve.c). */
#ifndef TS_SURFACES_MCP_SERVER_H
#define TS_SURFACES_MCP_SERVER_H

#include "surfaces/link_base.h"
#include "surfaces/mcp/budget.h"
#include "surfaces/mcp/handles.h"
#include "surfaces/mcp/options.h"
#include "surfaces/mcp/output.h"
#include "surfaces/mcp/queue.h"
#include "surfaces/mcp/sandbox.h"
#include "surfaces/mcp/usage_log.h"
#include "surfaces/mcp/versions.h"

struct ts_mcp_server {
    const struct ts_mcp_options *options;
    struct ts_mcp_log log;
    struct ts_mcp_output output;
    struct ts_mcp_queue queue;

    enum ts_mcp_version version; /* what the session has agreed on; of the thread that reads */

    /* Of the thread that works. */
    struct ts_roots *roots; /* NULL: any file may be opened */
    struct ts_parts *parts;
    struct ts_mcp_handles handles;
    struct ts_mcp_usage usage;
    struct ts_link_base link;
    const char *link_base; /* NULL: no links */
    unsigned threads;      /* for one call; 0: not asked yet */
    struct ts_mcp_budget budget;
    struct ts_sandbox sandbox; /* what of it is in force */
};

/* A server that answers into copy, or when that is NULL to standard output. Options are borrowed. It records no usage and makes no
 * links until it is told to (ts_mcp_server_environment). Errors: TS_IO (a root), TS_NO_MEMORY. */
enum ts_status ts_mcp_server_init(struct ts_mcp_server *server, const struct ts_mcp_options *options,
                                  struct ts_buf *copy, struct ts_error *error);
/* Take the usage log and the address for links from the environment. */
void ts_mcp_server_environment(struct ts_mcp_server *server);
/* Give up what answering does not take: the network, other programs, writing anything but the usage log, and with roots all that
 * lies outside them. What this kernel cannot do is said on the log. For this thread and those it starts; not to be taken back.
 * False, said on the log too, when a kernel that can did not. */
bool ts_mcp_server_confine(struct ts_mcp_server *server);
void ts_mcp_server_free(struct ts_mcp_server *server);

/* The reading half: one line. Queues it, or answers it where it stands. */
void ts_mcp_server_line(struct ts_mcp_server *server, struct ts_str line, enum ts_mcp_line_fault fault);
/* The working half: serve the next line that waits. False when there is none: at once, or with wait when none will come. */
bool ts_mcp_server_step(struct ts_mcp_server *server, bool wait);

/* Serve standard input with two threads until it ends or standard output is closed. Returns the exit status. */
int ts_mcp_server_run(struct ts_mcp_server *server);

#endif
