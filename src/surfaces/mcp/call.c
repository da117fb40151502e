#include "surfaces/mcp/call.h"

#include <stdio.h>
#include <stdlib.h>

#include "questions/ask.h"
#include "questions/table.h"
#include "surfaces/cli/environment.h"
#include "surfaces/home.h"
#include "surfaces/mcp/progress.h"

#define MS ((uint64_t)1000000)

/* ---- the parameters ---- */

/* Exactly, unlike on the command line. */
static const struct ts_question *find_tool(struct ts_str name)
{
    const struct ts_question *question = ts_question_find(name);
    return question && ts_str_is(name, question->name) ? question : NULL;
}

static void refuse_params(const struct ts_mcp_call *call, const char *problem, struct ts_buf *out)
{
    ts_rpc_error(out, call->message->id, TS_RPC_INVALID_PARAMS, problem, TS_STR(""));
}

static void refuse_tool(const struct ts_mcp_call *call, struct ts_str name, struct ts_buf *out)
{
    struct ts_buf problem;
    struct ts_quote quote;
    ts_buf_init(&problem, 0);
    ts_buf_printf(&problem, "There is no tool \"%s\". Tools: ", ts_error_quote(&quote, name, TS_QUOTE_ARGUMENT));
    for (const struct ts_question *const *question = ts_questions; *question; question++)
        ts_buf_printf(&problem, "%s%s", question == ts_questions ? "" : ", ", (*question)->name);
    if (problem.failed)
        out->failed = true;
    else
        refuse_params(call, problem.ptr, out);
    ts_buf_free(&problem);
}

struct params {
    const struct ts_question *question;
    yyjson_val *arguments; /* NULL: none given */
    yyjson_val *token;     /* of progress, or NULL */
};

/* True when the call can be made; else the error is written. */
static bool read_params(const struct ts_mcp_call *call, struct params *params, struct ts_buf *out)
{
    yyjson_val *object = call->message->params;
    yyjson_val *name = ts_json_get(object, "name"), *meta = ts_json_get(object, "_meta");
    params->arguments = ts_json_get(object, "arguments");
    params->token = ts_json_get(meta, "progressToken");
    if (!yyjson_is_str(name))
        refuse_params(call, "tools/call needs name, the name of a tool: a string.", out);
    else if (params->arguments && !yyjson_is_obj(params->arguments))
        refuse_params(call, "arguments is an object.", out);
    else if (meta && !yyjson_is_obj(meta))
        refuse_params(call, "_meta is an object.", out);
    else if (params->token && !ts_rpc_is_id(params->token))
        refuse_params(call, "progressToken is a string or an integer.", out);
    else if (!(params->question = find_tool(ts_json_str(name))))
        refuse_tool(call, ts_json_str(name), out);
    else
        return true;
    return false;
}

/* ---- the call ---- */

static void prepare(const struct ts_mcp_call *call, yyjson_val *token, struct ts_context *context,
                    struct ts_mcp_progress *progress)
{
    struct ts_mcp_server *server = call->server;
    uint64_t now = ts_clock_ns();
    if (server->threads == 0)
        server->threads = ts_cores();
    ts_context_init(context);
    context->now_ns = ts_clock_ns;
    context->deadline_ns = now + 1000 * MS * server->options->time_limit_s;
    context->memory_limit = server->options->memory_limit;
    context->threads = server->threads;
    context->roots = server->roots;
    if (token) {
        *progress = (struct ts_mcp_progress){
            .output = &server->output, .token = token, .with_message = call->version >= TS_MCP_2025_03_26};
        context->progress = ts_mcp_progress_report;
        context->progress_data = progress;
        context->progress_from_ns = now + 500 * MS;
        context->progress_every_ns = 250 * MS;
    }
}

/* The path that an argument names, "~" replaced. *out is NULL when it was not given, else malloc'ed. */
static enum ts_status take_path(const struct ts_args *args, const char *name, char **out, struct ts_error *error)
{
    const struct ts_arg *arg = ts_args_get(args, name);
    *out = arg->given ? ts_home_expand(arg->text) : NULL;
    return arg->given && !*out ? ts_error_no_memory(error) : TS_OK;
}

/* A capture under the name that the next handle will have. */
static enum ts_status load(struct ts_mcp_server *server, struct ts_context *context, const struct ts_args *args,
                           struct ts_capture **out, struct ts_error *error)
{
    char *profiler, *performance = NULL, label[TS_MCP_HANDLE_TEXT];
    enum ts_status status = take_path(args, "profiler_path", &profiler, error);
    if (!status)
        status = take_path(args, "performance_path", &performance, error);
    if (!status) {
        const struct ts_capture_paths paths = {profiler, performance, .directories_only = true};
        ts_mcp_handles_next(&server->handles, label);
        status = ts_capture_create(context, server->parts, &paths, label, out, error);
    }
    free(profiler);
    free(performance);
    return status;
}

static enum ts_status ask(struct ts_mcp_server *server, struct ts_context *context, const struct ts_args *args,
                          struct ts_capture *first, struct ts_capture *second, struct ts_answer **out,
                          struct ts_error *error)
{
    const struct ts_ask_options options = {
        .with_handle = true, .link_base = server->link_base, .sandbox = ts_sandbox_word(&server->sandbox)};
    return ts_ask(context, args->question, args, first, second, &options, out, error);
}

/* The capture gets its handle only when it could be described: a refused load uses up no number. */
static enum ts_status load_and_ask(struct ts_mcp_server *server, struct ts_context *context, const struct ts_args *args,
                                   struct ts_answer **out, struct ts_error *error)
{
    struct ts_capture *capture;
    struct ts_answer *answer;
    enum ts_status status = load(server, context, args, &capture, error);
    if (status)
        return status;
    status = ask(server, context, args, capture, NULL, &answer, error);
    if (!status && !ts_mcp_handles_add(&server->handles, capture)) {
        ts_answer_free(answer);
        status = ts_error_no_memory(error);
    }
    if (status)
        ts_capture_destroy(capture);
    else
        *out = answer;
    return status;
}

/* The captures whose handles the arguments name, in the order of the question's parameters. */
static enum ts_status find_captures(const struct ts_mcp_server *server, const struct ts_args *args,
                                    struct ts_capture *captures[2], struct ts_error *error)
{
    size_t found = 0;
    const struct ts_param *params = args->question->params;
    for (size_t i = 0; params[i].name && found < 2; i++) {
        if (params[i].kind != TS_PARAM_HANDLE)
            continue;
        enum ts_status status = ts_mcp_handles_find(&server->handles, args->values[i].text, &captures[found], error);
        if (status)
            return status;
        found++;
    }
    return TS_OK;
}

static bool opens_report(const struct ts_question *question)
{
    for (const struct ts_param *param = question->params; param->name; param++)
        if (param->kind == TS_PARAM_PATH)
            return true;
    return false;
}

static enum ts_status make_call(struct ts_mcp_server *server, struct ts_context *context, const struct params *params,
                                struct ts_answer **out, struct ts_error *error)
{
    struct ts_args args;
    struct ts_capture *captures[2] = {NULL, NULL};
    enum ts_status status = ts_args_check(params->question, params->arguments, true, &args, error);
    if (status)
        return status;
    if (opens_report(params->question))
        return load_and_ask(server, context, &args, out, error);
    status = find_captures(server, &args, captures, error);
    return status ? status : ask(server, context, &args, captures[0], captures[1], out, error);
}

/* ---- the answer ---- */

/* Whether a status is the tool's answer that it will not, rather than a failure. */
static bool is_refusal(enum ts_status status)
{
    return status >= TS_USAGE && status <= TS_INPUT;
}

static const char *outcome_of(enum ts_status status)
{
    return status == TS_OK ? "ok" : is_refusal(status) ? "refused" : "error";
}

static void write_content(const struct ts_mcp_call *call, struct ts_str text, bool failed, struct ts_str structured,
                          struct ts_buf *out)
{
    struct ts_json_out json;
    ts_mcp_result_begin(call, &json, out);
    ts_json_key(&json, TS_STR("content"));
    ts_json_open_array(&json);
    ts_json_open_object(&json);
    ts_json_key(&json, TS_STR("type"));
    ts_json_string(&json, TS_STR("text"));
    ts_json_key(&json, TS_STR("text"));
    ts_json_string(&json, text);
    ts_json_close_object(&json);
    ts_json_close_array(&json);
    if (structured.len > 0) {
        ts_json_key(&json, TS_STR("structuredContent"));
        ts_json_raw(&json, structured);
    }
    if (failed) {
        ts_json_key(&json, TS_STR("isError"));
        ts_json_boolean(&json, true);
    }
    ts_mcp_result_end(call, &json);
}

static void add_to_message(struct ts_error *error, const char *text)
{
    size_t len = strlen(error->message);
    snprintf(error->message + len, sizeof error->message - len, " (%s)", text);
}

/* The library does not know how its callers open a capture, or what set a call's limits. */
static void name_the_cure(const struct ts_mcp_call *call, const struct ts_context *context, bool budgeted,
                          enum ts_status status, struct ts_error *error)
{
    char text[96];
    if (status == TS_CHANGED && !strstr(error->message, "load_report"))
        add_to_message(error, "load_report gives a fresh handle");
    if (status == TS_NO_MEMORY && budgeted) {
        snprintf(text, sizeof text, "a call may use %zu MiB, set by the server's option --memory-limit",
                 call->server->options->memory_limit / TS_MIB);
        add_to_message(error, text);
    }
    if (status == TS_REFUSED && strstr(error->message, "lies outside the directories"))
        add_to_message(error, "set by the server's option --root");
    if (status != TS_LIMIT)
        return;
    if (ts_clock_ns() >= context->deadline_ns) {
        snprintf(text, sizeof text, "%u s, set by the server's option --time-limit",
                 call->server->options->time_limit_s);
        add_to_message(error, text);
    } else if (strstr(error->message, "call may use")) {
        add_to_message(error, "set by the server's option --memory-limit, in MiB");
    }
}

static void write_failure(const struct ts_mcp_call *call, const char *tool, const struct ts_context *context,
                          bool budgeted, enum ts_status status, struct ts_error *error, struct ts_buf *out)
{
    if (!is_refusal(status))
        ts_error_prefix(error, "%s", tool);
    name_the_cure(call, context, budgeted, status, error);
    if (!is_refusal(status))
        ts_mcp_log(&call->server->log, TS_MCP_ERROR, "%s", error->message);
    write_content(call, ts_str_from(error->message), true, TS_STR(""), out);
}

void ts_mcp_call_tool(const struct ts_mcp_call *call, struct ts_buf *out)
{
    struct ts_mcp_server *server = call->server;
    struct params params;
    struct ts_context context;
    struct ts_mcp_progress progress;
    struct ts_answer *answer = NULL;
    struct ts_error error = {.code = TS_OK};
    if (!read_params(call, &params, out))
        return;
    prepare(call, params.token, &context, &progress);
    enum ts_status status = TS_CANCELLED;
    bool budgeted = ts_mcp_budget_begin(&server->budget, context.memory_limit, context.threads);
    if (ts_mcp_queue_begin(&server->queue, call->request, &context))
        status = make_call(server, &context, &params, &answer, &error);
    if (budgeted)
        ts_mcp_budget_end(&server->budget);
    if (ts_mcp_queue_finish(&server->queue, call->request) && status != TS_CANCELLED) {
        const char *tool = params.question->name;
        ts_mcp_log(&server->log, TS_MCP_INFO, "%s %s", tool, outcome_of(status));
        ts_mcp_usage_record(&server->usage, tool, outcome_of(status));
        struct ts_str json = answer ? (struct ts_str){answer->json, answer->json_len} : TS_STR("");
        if (status)
            write_failure(call, tool, &context, budgeted, status, &error, out);
        else
            write_content(call, json, false, server->options->structured ? json : TS_STR(""), out);
    }
    ts_answer_free(answer);
}
