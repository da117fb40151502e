/* Standard output: whole lines, from whichever thread. */
#ifndef TS_SURFACES_MCP_OUTPUT_H
#define TS_SURFACES_MCP_OUTPUT_H

#include <pthread.h>

#include "base/buf.h"
#include "surfaces/mcp/log.h"

enum ts_mcp_output_state {
    TS_MCP_OUTPUT_OPEN,
    TS_MCP_OUTPUT_GONE,   /* the client closed its end */
    TS_MCP_OUTPUT_FAILED, /* any other failure, already logged */
};

struct ts_mcp_output {
    pthread_mutex_t lock;
    int fd;
    struct ts_buf *copy; /* instead of the descriptor: lines are collected here */
    enum ts_mcp_output_state state;
    const struct ts_mcp_log *log;
};

void ts_mcp_output_init(struct ts_mcp_output *output, int fd, struct ts_buf *copy, const struct ts_mcp_log *log);
void ts_mcp_output_free(struct ts_mcp_output *output);
/* Write a message; line must end with its line end. After a failure nothing is written any more. */
void ts_mcp_output_line(struct ts_mcp_output *output, struct ts_str line);
enum ts_mcp_output_state ts_mcp_output_state(struct ts_mcp_output *output);

#endif
