/* The envelope: what kind of message a JSON value is, its id, and the frame of an answer. */
#ifndef TS_SURFACES_MCP_JSONRPC_H
#define TS_SURFACES_MCP_JSONRPC_H

#include "base/json.h"

enum {
    TS_RPC_NOT_JSON = -32700,
    TS_RPC_INVALID_REQUEST = -32600,
    TS_RPC_NO_METHOD = -32601,
    TS_RPC_INVALID_PARAMS = -32602,
    TS_RPC_INTERNAL = -32603,
    TS_RPC_UNSUPPORTED_VERSION = -32022,
};

enum ts_rpc_kind {
    TS_RPC_REQUEST,
    TS_RPC_NOTIFICATION, /* never answered */
    TS_RPC_RESPONSE,     /* to a request that was never sent */
    TS_RPC_BROKEN,       /* answered by an error whatever its method */
};

struct ts_rpc_message {
    enum ts_rpc_kind kind;
    yyjson_val *id; /* REQUEST, BROKEN: to be echoed; NULL is echoed as null */
    struct ts_str method;
    yyjson_val *params;  /* an object, or NULL. NOTIFICATION: whatever came */
    int code;            /* BROKEN: the error */
    const char *problem; /* BROKEN: its message */
};

/* Tell what value (parsed with raw numbers) is. What out points to is borrowed from value. */
void ts_rpc_read(yyjson_val *value, struct ts_rpc_message *out);
/* Whether value can be an id, or a progress token: a string or an integer. */
bool ts_rpc_is_id(yyjson_val *value);
/* Append a text that is equal for equal ids, however they are written, and differs for others. */
void ts_rpc_id_key(yyjson_val *id, struct ts_buf *out);
/* As it was written, digits included; null for NULL. */
void ts_rpc_write_id(struct ts_json_out *out, yyjson_val *id);

/* Append a whole error answer, without line end. data is compact JSON or empty. */
void ts_rpc_error(struct ts_buf *out, yyjson_val *id, int code, const char *message, struct ts_str data);

#endif
