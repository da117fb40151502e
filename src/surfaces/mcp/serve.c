#include "surfaces/mcp/serve.h"

#include <stdio.h>

#include "surfaces/mcp/methods.h"

#define NO_MEMORY "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"Out of memory.\"}}\n"

void ts_mcp_serve_no_memory(struct ts_mcp_server *server)
{
    ts_mcp_output_line(&server->output, TS_STR(NO_MEMORY));
}

/* The requests of a job, met in the order of their elements. */
struct requests {
    struct ts_mcp_job *job;
    size_t next;
};

static struct ts_mcp_request *take_request(struct requests *requests, size_t element)
{
    struct ts_mcp_job *job = requests->job;
    if (requests->next < job->request_count && job->requests[requests->next].element == element)
        return &job->requests[requests->next++];
    return NULL;
}

static void fail(struct ts_buf *out, yyjson_val *id, int code, const char *problem)
{
    ts_rpc_error(out, id, code, problem, TS_STR(""));
}

static void serve_request(struct ts_mcp_server *server, const struct ts_rpc_message *message,
                          struct ts_mcp_request *request, struct ts_buf *out)
{
    size_t before = out->len;
    if (!request) {
        char problem[96];
        snprintf(problem, sizeof problem,
                 "%d requests are waiting already: send this one again when some are answered.", TS_LIMIT_MCP_WAITING);
        fail(out, message->id, TS_RPC_INTERNAL, problem);
    } else if (!request->key) {
        fail(out, message->id, TS_RPC_INVALID_REQUEST, "A request with this id has not been answered yet.");
    } else if (ts_mcp_queue_begin(&server->queue, request, NULL)) {
        ts_mcp_methods_serve(server, message, request, out);
        if (!ts_mcp_queue_finish(&server->queue, request) && out->ptr) {
            out->len = before;
            out->ptr[before] = '\0';
        }
    }
}

static void serve_value(struct ts_mcp_server *server, yyjson_val *value, struct ts_mcp_request *request,
                        struct ts_buf *out)
{
    struct ts_rpc_message message;
    ts_rpc_read(value, &message);
    if (message.kind == TS_RPC_REQUEST)
        serve_request(server, &message, request, out);
    else if (message.kind == TS_RPC_BROKEN)
        fail(out, message.id, message.code, message.problem);
}

static void serve_batch(struct ts_mcp_server *server, yyjson_val *batch, struct requests *requests, struct ts_buf *out)
{
    size_t element, count;
    yyjson_val *value;
    ts_buf_char(out, '[');
    yyjson_arr_foreach(batch, element, count, value)
    {
        size_t before = out->len;
        if (before > 1)
            ts_buf_char(out, ',');
        size_t start = out->len;
        serve_value(server, value, take_request(requests, element), out);
        if (out->len == start && out->ptr) {
            out->len = before;
            out->ptr[before] = '\0';
        }
    }
    if (out->len == 1)
        ts_buf_clear(out);
    else
        ts_buf_char(out, ']');
}

static void serve_line(struct ts_mcp_server *server, struct ts_mcp_job *job, struct ts_buf *out)
{
    struct ts_error error;
    yyjson_doc *doc;
    enum ts_status status = ts_json_parse((struct ts_str){job->line, job->len}, TS_LIMIT_MCP_DEPTH, true, &doc, &error);
    if (status == TS_NO_MEMORY) {
        out->failed = true;
        return;
    }
    if (status) {
        fail(out, NULL, TS_RPC_NOT_JSON, error.message);
        return;
    }
    struct requests requests = {job, 0};
    if (job->batch)
        serve_batch(server, yyjson_doc_get_root(doc), &requests, out);
    else
        serve_value(server, yyjson_doc_get_root(doc), take_request(&requests, 0), out);
    yyjson_doc_free(doc);
}

static void serve_job(struct ts_mcp_server *server, struct ts_mcp_job *job, struct ts_buf *out)
{
    char problem[64];
    switch (job->fault) {
    case TS_MCP_LINE_GOOD:
        serve_line(server, job, out);
        break;
    case TS_MCP_LINE_TOO_LONG:
        snprintf(problem, sizeof problem, "A line has at most %d bytes.", TS_LIMIT_MCP_LINE);
        fail(out, NULL, TS_RPC_INVALID_REQUEST, problem);
        break;
    case TS_MCP_LINE_NO_MEMORY:
        out->failed = true;
        break;
    }
}

void ts_mcp_serve(struct ts_mcp_server *server, struct ts_mcp_job *job, bool queued)
{
    struct ts_buf out;
    ts_buf_init(&out, 0);
    serve_job(server, job, &out);
    if (out.len > 0)
        ts_buf_char(&out, '\n');
    if (queued)
        ts_mcp_queue_retire(&server->queue);
    if (out.failed)
        ts_mcp_serve_no_memory(server);
    else if (out.len > 0)
        ts_mcp_output_line(&server->output, ts_buf_view(&out));
    if (queued)
        ts_mcp_queue_done(&server->queue);
    ts_buf_free(&out);
    ts_mcp_job_free(job);
}

bool ts_mcp_server_step(struct ts_mcp_server *server, bool wait)
{
    struct ts_mcp_job *job = ts_mcp_queue_take(&server->queue, wait);
    if (!job)
        return false;
    ts_mcp_serve(server, job, true);
    return true;
}
