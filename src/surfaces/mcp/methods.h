/* The methods of the protocol, and the frame of their results. */
#ifndef TS_SURFACES_MCP_METHODS_H
#define TS_SURFACES_MCP_METHODS_H

#include "surfaces/mcp/jsonrpc.h"
#include "surfaces/mcp/server.h"

/* A request under the revision it is served by: its own, or the session's. */
struct ts_mcp_call {
    struct ts_mcp_server *server;
    const struct ts_rpc_message *message;
    struct ts_mcp_request *request;
    enum ts_mcp_version version;
};

/* Append the answer to a request, without line end, to out; nothing when the request was cancelled. */
void ts_mcp_methods_serve(struct ts_mcp_server *server, const struct ts_rpc_message *message,
                          struct ts_mcp_request *request, struct ts_buf *out);

/* Open the answer and its result, whose members are then written; and close both. */
void ts_mcp_result_begin(const struct ts_mcp_call *call, struct ts_json_out *json, struct ts_buf *out);
void ts_mcp_result_end(const struct ts_mcp_call *call, struct ts_json_out *json);

#endif
