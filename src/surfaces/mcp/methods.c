#include "surfaces/mcp/methods.h"

#include <stdio.h>

#include "questions/schema.h"
#include "questions/table.h"
#include "surfaces/mcp/call.h"
#include "surfaces/mcp/instructions.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_SERVER "io.modelcontextprotocol/serverInfo"

static void write_text(struct ts_json_out *json, const char *key, const char *value)
{
    ts_json_key(json, ts_str_from(key));
    ts_json_string(json, ts_str_from(value));
}

static void write_boolean(struct ts_json_out *json, const char *key, bool value)
{
    ts_json_key(json, ts_str_from(key));
    ts_json_boolean(json, value);
}

static bool is_modern(const struct ts_mcp_call *call)
{
    return call->version == TS_MCP_2026_07_28;
}

void ts_mcp_result_begin(const struct ts_mcp_call *call, struct ts_json_out *json, struct ts_buf *out)
{
    ts_json_out_buf(json, out);
    ts_json_open_object(json);
    write_text(json, "jsonrpc", "2.0");
    ts_json_key(json, TS_STR("id"));
    ts_rpc_write_id(json, call->message->id);
    ts_json_key(json, TS_STR("result"));
    ts_json_open_object(json);
    if (is_modern(call))
        write_text(json, "resultType", "complete");
}

void ts_mcp_result_end(const struct ts_mcp_call *call, struct ts_json_out *json)
{
    if (is_modern(call)) {
        ts_json_key(json, TS_STR("_meta"));
        ts_json_open_object(json);
        ts_json_key(json, TS_STR(META_SERVER));
        ts_json_open_object(json);
        write_text(json, "name", "tilesight");
        write_text(json, "version", ts_version());
        ts_json_close_object(json);
        ts_json_close_object(json);
    }
    ts_json_close_object(json);
    ts_json_close_object(json);
}

/* capabilities: nothing but tools, whose list never changes. */
static void write_capabilities(struct ts_json_out *json)
{
    ts_json_key(json, TS_STR("capabilities"));
    ts_json_raw(json, TS_STR("{\"tools\":{}}"));
}

/* How long a client may keep what does not change while this release runs. */
static void write_caching(struct ts_json_out *json)
{
    ts_json_key(json, TS_STR("ttlMs"));
    ts_json_integer(json, 3600000);
    write_text(json, "cacheScope", "public");
}

static void serve_initialize(const struct ts_mcp_call *call, struct ts_buf *out)
{
    struct ts_json_out json;
    enum ts_mcp_version version = ts_mcp_version_agree(ts_json_get(call->message->params, "protocolVersion"));
    ts_mcp_result_begin(call, &json, out);
    write_text(&json, "protocolVersion", ts_mcp_version_name(version));
    write_capabilities(&json);
    ts_json_key(&json, TS_STR("serverInfo"));
    ts_json_open_object(&json);
    write_text(&json, "name", "tilesight");
    if (version >= TS_MCP_2025_06_18)
        write_text(&json, "title", "tilesight");
    write_text(&json, "version", ts_version());
    ts_json_close_object(&json);
    write_text(&json, "instructions", ts_mcp_instructions());
    ts_mcp_result_end(call, &json);
}

static void serve_ping(const struct ts_mcp_call *call, struct ts_buf *out)
{
    struct ts_json_out json;
    ts_mcp_result_begin(call, &json, out);
    ts_mcp_result_end(call, &json);
}

static void serve_discover(const struct ts_mcp_call *call, struct ts_buf *out)
{
    struct ts_json_out json;
    ts_mcp_result_begin(call, &json, out);
    ts_json_key(&json, TS_STR("supportedVersions"));
    ts_mcp_version_list(&json);
    write_capabilities(&json);
    write_text(&json, "instructions", ts_mcp_instructions());
    write_caching(&json);
    ts_mcp_result_end(call, &json);
}

static void write_tool(const struct ts_mcp_call *call, const struct ts_question *question, struct ts_json_out *json)
{
    ts_json_open_object(json);
    write_text(json, "name", question->name);
    if (call->version >= TS_MCP_2025_06_18)
        write_text(json, "title", question->title);
    write_text(json, "description", question->description);
    ts_json_key(json, TS_STR("inputSchema"));
    ts_schema_input(question, json);
    if (call->server->options->structured) {
        ts_json_key(json, TS_STR("outputSchema"));
        ts_schema_output(question, json);
    }
    if (call->version >= TS_MCP_2025_03_26) {
        /* Nothing here writes, and nothing reaches past the report it is given. */
        ts_json_key(json, TS_STR("annotations"));
        ts_json_open_object(json);
        write_text(json, "title", question->title);
        write_boolean(json, "readOnlyHint", true);
        write_boolean(json, "destructiveHint", false);
        write_boolean(json, "idempotentHint", true);
        write_boolean(json, "openWorldHint", false);
        ts_json_close_object(json);
    }
    ts_json_close_object(json);
}

static void serve_list(const struct ts_mcp_call *call, struct ts_buf *out)
{
    yyjson_val *cursor = ts_json_get(call->message->params, "cursor");
    if (cursor && !yyjson_is_null(cursor)) {
        ts_rpc_error(out, call->message->id, TS_RPC_INVALID_PARAMS, "The tools are one page: there is no such cursor.",
                     TS_STR(""));
        return;
    }
    struct ts_json_out json;
    ts_mcp_result_begin(call, &json, out);
    ts_json_key(&json, TS_STR("tools"));
    ts_json_open_array(&json);
    for (const struct ts_question *const *question = ts_questions; *question; question++)
        write_tool(call, *question, &json);
    ts_json_close_array(&json);
    if (is_modern(call))
        write_caching(&json);
    ts_mcp_result_end(call, &json);
}

static const struct method {
    const char *name;
    void (*serve)(const struct ts_mcp_call *call, struct ts_buf *out);
    enum { LEGACY, ANY, MODERN } era; /* which revisions have it, whatever the request says of itself */
} methods[] = {
    {"initialize", serve_initialize, LEGACY},
    {"ping", serve_ping, ANY},
    {"tools/list", serve_list, ANY},
    {"tools/call", ts_mcp_call_tool, ANY},
    {"server/discover", serve_discover, MODERN},
};

static const struct method *find(struct ts_str name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (ts_str_is(name, methods[i].name))
            return &methods[i];
    return NULL;
}

/* The checks of a request that carries its version. True when it may be served; else the error is written. */
static bool check_modern(const struct ts_mcp_call *call, yyjson_val *meta, struct ts_buf *out)
{
    yyjson_val *id = call->message->id, *version = ts_json_get(meta, META_VERSION);
    if (!yyjson_is_str(version)) {
        ts_rpc_error(out, id, TS_RPC_INVALID_PARAMS, "_meta needs the string " META_VERSION ".", TS_STR(""));
        return false;
    }
    if (!ts_str_is(ts_json_str(version), ts_mcp_version_name(TS_MCP_2026_07_28))) {
        struct ts_buf data;
        struct ts_json_out json;
        ts_buf_init(&data, 0);
        ts_json_out_buf(&json, &data);
        ts_json_open_object(&json);
        ts_json_key(&json, TS_STR("supported"));
        ts_mcp_version_list(&json);
        ts_json_key(&json, TS_STR("requested"));
        ts_json_string(&json, ts_json_str(version));
        ts_json_close_object(&json);
        if (data.failed)
            out->failed = true;
        ts_rpc_error(out, id, TS_RPC_UNSUPPORTED_VERSION, "Unsupported protocol version", ts_buf_view(&data));
        ts_buf_free(&data);
        return false;
    }
    if (!yyjson_is_obj(ts_json_get(meta, META_CAPABILITIES))) {
        ts_rpc_error(out, id, TS_RPC_INVALID_PARAMS, "_meta needs the object " META_CAPABILITIES ".", TS_STR(""));
        return false;
    }
    return true;
}

void ts_mcp_methods_serve(struct ts_mcp_server *server, const struct ts_rpc_message *message,
                          struct ts_mcp_request *request, struct ts_buf *out)
{
    struct ts_mcp_call call = {server, message, request, request->version};
    const struct method *method = find(message->method);
    yyjson_val *meta = ts_json_get(message->params, "_meta");
    bool legacy = method && method->era == LEGACY;
    if (!legacy && (ts_json_get(meta, META_VERSION) || (method && method->era == MODERN))) {
        if (!check_modern(&call, meta, out))
            return;
        call.version = TS_MCP_2026_07_28;
    }
    if (method) {
        method->serve(&call, out);
        return;
    }
    struct ts_quote quote;
    char problem[sizeof quote.text + 64];
    snprintf(problem, sizeof problem, "There is no method \"%s\".",
             ts_error_quote(&quote, message->method, TS_QUOTE_ARGUMENT));
    ts_rpc_error(out, message->id, TS_RPC_NO_METHOD, problem, TS_STR(""));
}
