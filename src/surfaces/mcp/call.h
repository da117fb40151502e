/* tools/call: a question asked of a capture. */
#ifndef TS_SURFACES_MCP_CALL_H
#define TS_SURFACES_MCP_CALL_H

#include "surfaces/mcp/methods.h"

/* Append the answer; nothing when the call was cancelled. Records the call in the usage log. */
void ts_mcp_call_tool(const struct ts_mcp_call *call, struct ts_buf *out);

#endif
