/* What the thread that reads does with a line: notifications are heeded and pings answered at once, the rest waits its turn. */
#include "surfaces/mcp/jsonrpc.h"
#include "surfaces/mcp/serve.h"

static void log_method(struct ts_mcp_server *server, const char *what, struct ts_str method)
{
    struct ts_quote quote;
    ts_mcp_log(&server->log, TS_MCP_DEBUG, "%s: %s", what, ts_error_quote(&quote, method, TS_QUOTE_ARGUMENT));
}

static void cancel(struct ts_mcp_server *server, yyjson_val *params)
{
    yyjson_val *id = ts_json_get(params, "requestId"), *reason = ts_json_get(params, "reason");
    struct ts_buf key;
    struct ts_quote quote;
    if (!ts_rpc_is_id(id))
        return;
    ts_buf_init(&key, 0);
    ts_rpc_id_key(id, &key);
    bool stopped = !key.failed && ts_mcp_queue_cancel(&server->queue, ts_buf_view(&key));
    ts_buf_free(&key);
    ts_mcp_log(&server->log, TS_MCP_DEBUG, "%s, reason given: %s",
               stopped ? "a request was cancelled" : "a cancellation came for a request that is not in flight",
               ts_error_quote(&quote, ts_json_str(reason), TS_QUOTE_FILE));
}

static void heed(struct ts_mcp_server *server, const struct ts_rpc_message *message)
{
    if (ts_str_is(message->method, "notifications/cancelled"))
        cancel(server, message->params);
    else
        log_method(server, "a notification was noted", message->method);
}

/* An answer that is about to be written frees its id: only one that may take long makes an id taken. */
static bool in_flight(struct ts_mcp_server *server, struct ts_str key)
{
    return ts_mcp_queue_in_flight(&server->queue, key) && !ts_mcp_queue_settle(&server->queue);
}

/* Add a request to its job: with an empty key when a request with its id is in flight. False when memory is out. */
static bool admit(struct ts_mcp_server *server, struct ts_mcp_job *job, const struct ts_rpc_message *message,
                  size_t element)
{
    struct ts_buf key;
    ts_buf_init(&key, 0);
    ts_rpc_id_key(message->id, &key);
    struct ts_str text = ts_buf_view(&key);
    bool twice = in_flight(server, text) || ts_mcp_job_has(job, text);
    struct ts_mcp_request *request = key.failed ? NULL : ts_mcp_job_add(job, twice ? TS_STR("") : text);
    ts_buf_free(&key);
    if (!request)
        return false;
    bool initialize = ts_str_is(message->method, "initialize");
    request->element = element;
    request->version = server->version;
    request->cancellable = !initialize;
    job->calls_tools = job->calls_tools || ts_str_is(message->method, "tools/call");
    /* Agreed on here rather than when it is served, so that the lines behind it are read by it. */
    if (initialize && !twice)
        server->version = ts_mcp_version_agree(ts_json_get(message->params, "protocolVersion"));
    return true;
}

/* A line that is answered in its turn, or here when the queue is full. */
static void enqueue(struct ts_mcp_server *server, struct ts_mcp_job *job)
{
    if (ts_mcp_queue_room(&server->queue) > 0)
        ts_mcp_queue_push(&server->queue, job);
    else
        ts_mcp_serve(server, job, false);
}

static void take_request(struct ts_mcp_server *server, const struct ts_rpc_message *message, struct ts_mcp_job *job)
{
    /* Where that takes no time it is answered behind what came before, so the answers to a few lines come in order. */
    bool ping = ts_str_is(message->method, "ping");
    if (ping)
        ts_mcp_queue_settle(&server->queue);
    bool room = ping || ts_mcp_queue_room(&server->queue) > 0;
    if (room && !admit(server, job, message, 0)) {
        ts_mcp_job_free(job);
        ts_mcp_serve_no_memory(server);
    } else if (ping || !room || !job->requests[0].key) {
        ts_mcp_serve(server, job, false);
    } else {
        ts_mcp_queue_push(&server->queue, job);
    }
}

static void take_message(struct ts_mcp_server *server, yyjson_val *value, struct ts_mcp_job *job)
{
    struct ts_rpc_message message;
    ts_rpc_read(value, &message);
    switch (message.kind) {
    case TS_RPC_REQUEST:
        take_request(server, &message, job);
        return;
    case TS_RPC_BROKEN:
        enqueue(server, job);
        return;
    case TS_RPC_NOTIFICATION:
        heed(server, &message);
        break;
    case TS_RPC_RESPONSE:
        ts_mcp_log(&server->log, TS_MCP_DEBUG, "an answer came to a request that was never sent");
        break;
    }
    ts_mcp_job_free(job);
}

/* Admit the requests for which there is room; the others are refused when the batch is served. */
static bool admit_batch(struct ts_mcp_server *server, yyjson_val *batch, struct ts_mcp_job *job)
{
    size_t element, count, room = ts_mcp_queue_room(&server->queue);
    yyjson_val *value;
    yyjson_arr_foreach(batch, element, count, value)
    {
        struct ts_rpc_message message;
        if (job->request_count == room)
            break;
        ts_rpc_read(value, &message);
        if (message.kind == TS_RPC_REQUEST && !admit(server, job, &message, element))
            return false;
    }
    return true;
}

static void take_batch(struct ts_mcp_server *server, yyjson_val *batch, struct ts_mcp_job *job)
{
    size_t element, count;
    yyjson_val *value;
    job->batch = true;
    if (!admit_batch(server, batch, job)) {
        ts_mcp_job_free(job);
        ts_mcp_serve_no_memory(server);
        return;
    }
    enqueue(server, job);
    /* Afterwards, since they may be about requests of this very batch. */
    yyjson_arr_foreach(batch, element, count, value)
    {
        struct ts_rpc_message message;
        ts_rpc_read(value, &message);
        if (message.kind == TS_RPC_NOTIFICATION)
            heed(server, &message);
    }
}

void ts_mcp_server_line(struct ts_mcp_server *server, struct ts_str line, enum ts_mcp_line_fault fault)
{
    yyjson_doc *doc = NULL;
    struct ts_mcp_job *job = ts_mcp_job_create(line, fault);
    if (!job) {
        ts_mcp_serve_no_memory(server);
        return;
    }
    if (fault != TS_MCP_LINE_GOOD || ts_json_parse(line, TS_LIMIT_MCP_DEPTH, true, &doc, NULL)) {
        enqueue(server, job);
        return;
    }
    yyjson_val *root = yyjson_doc_get_root(doc);
    if (yyjson_arr_size(root) > 0 && server->version == TS_MCP_2025_03_26)
        take_batch(server, root, job);
    else
        take_message(server, root, job);
    yyjson_doc_free(doc);
}
