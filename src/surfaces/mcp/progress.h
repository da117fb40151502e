/* notifications/progress of a running call. */
#ifndef TS_SURFACES_MCP_PROGRESS_H
#define TS_SURFACES_MCP_PROGRESS_H

#include "base/json.h"
#include "surfaces/mcp/output.h"

struct ts_mcp_progress {
    struct ts_mcp_output *output;
    yyjson_val *token; /* as it is echoed */
    bool with_message; /* the session's revision has it */
    uint64_t before;   /* what files read before this one came to */
    uint64_t current;  /* the last figure heard */
    uint64_t sent;     /* the last figure sent */
};

/* A ts_progress_fn; data is a struct ts_mcp_progress. What is sent only grows, also when the work turns to the next file. */
void ts_mcp_progress_report(void *data, uint64_t done, uint64_t total, const char *message);

#endif
