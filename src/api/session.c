/* Sessions, captures and asking: the public face of what lies left. */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "base/limits.h"
#include "questions/ask.h"
#include "questions/table.h"

/* A progress callback hears of a call once it has taken this long, and then this often. */
static const uint64_t PROGRESS_NS = 250 * 1000000ull;

struct ts_session {
    struct ts_context context; /* its `cancelled` lives as long as the session; the rest is set anew for every call */
    struct ts_parts *parts;
    struct ts_roots *roots;
    unsigned time_limit_ms;
};

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static unsigned usable_cores(void)
{
    cpu_set_t cores;
    int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return count < 1 ? 1 : (unsigned)count;
}

enum ts_status ts_session_create(const struct ts_session_options *options, struct ts_session **out,
                                 struct ts_error *error)
{
    static const struct ts_session_options standard = {0};
    const struct ts_session_options *given = options ? options : &standard;
    struct ts_session *session = calloc(1, sizeof *session);
    if (!session)
        return ts_error_no_memory(error);
    ts_context_init(&session->context);
    session->context.memory_limit = given->memory_limit ? given->memory_limit : TS_DEFAULT_CALL_MEMORY;
    session->context.threads = given->threads ? given->threads : usable_cores();
    session->context.progress = given->progress;
    session->context.progress_data = given->progress_data;
    session->context.progress_every_ns = PROGRESS_NS;
    session->time_limit_ms = given->time_limit_ms;
    enum ts_status status = given->roots ? ts_roots_create(given->roots, &session->roots, error) : TS_OK;
    session->context.roots = session->roots;
    if (!status)
        status = ts_parts_create(given->cache_bytes ? given->cache_bytes : TS_DEFAULT_CACHE, &session->parts, error);
    if (status)
        ts_session_destroy(session);
    else
        *out = session;
    return status;
}

void ts_session_destroy(struct ts_session *session)
{
    if (!session)
        return;
    ts_parts_destroy(session->parts);
    ts_roots_destroy(session->roots);
    free(session);
}

void ts_session_cancel(struct ts_session *session)
{
    atomic_store_explicit(&session->context.cancelled, true, memory_order_relaxed);
}

/* A clock is read only where somebody waits for it. */
static struct ts_context *begin_call(struct ts_session *session)
{
    struct ts_context *context = &session->context;
    bool timed = session->time_limit_ms || context->progress;
    uint64_t now = timed ? monotonic_ns() : 0;
    context->now_ns = timed ? monotonic_ns : NULL;
    context->deadline_ns = session->time_limit_ms ? now + session->time_limit_ms * 1000000ull : 0;
    context->progress_from_ns = now + PROGRESS_NS;
    context->progress_next_ns = 0;
    return context;
}

/* What was asked to stop is over; a later call is another. */
static void end_call(struct ts_session *session)
{
    atomic_store_explicit(&session->context.cancelled, false, memory_order_relaxed);
}

enum ts_status ts_capture_open(struct ts_session *session, const char *profiler_path, const char *performance_path,
                               const char *label, struct ts_capture **out, struct ts_error *error)
{
    struct ts_capture_paths paths = {.profiler = profiler_path, .performance = performance_path};
    struct ts_capture *capture;
    enum ts_status status = ts_capture_create(begin_call(session), session->parts, &paths, label, &capture, error);
    if (!status) {
        ts_capture_release(capture);
        *out = capture;
    }
    end_call(session);
    return status;
}

void ts_capture_close(struct ts_capture *capture)
{
    if (capture)
        ts_capture_destroy(capture);
}

static enum ts_status check_captures(const struct ts_session *session, const struct ts_question *question,
                                     const struct ts_capture *capture, const struct ts_capture *second,
                                     struct ts_error *error)
{
    bool two = question->needs & TS_NEED_TWO_CAPTURES;
    if (!capture || (second != NULL) != two)
        return ts_error_set(error, TS_USAGE, "%s is asked of %s", question->name, two ? "two captures" : "one capture");
    if (capture->parts != session->parts || (second && second->parts != session->parts))
        return ts_error_set(error, TS_USAGE, "the capture belongs to another session");
    return TS_OK;
}

static enum ts_status parse_arguments(const struct ts_question *question, const char *arguments, yyjson_doc **out,
                                      struct ts_error *error)
{
    struct ts_error why;
    enum ts_status status = ts_json_parse(ts_str_from(arguments), TS_LIMIT_MCP_DEPTH, true, out, &why);
    if (status == TS_OK)
        return TS_OK;
    /* Text of the caller's, not of a file. */
    return status == TS_INPUT ? ts_error_set(error, TS_USAGE, "the arguments of %s: %s", question->name, why.message)
                              : ts_error_set(error, status, "%s", why.message);
}

enum ts_status ts_session_ask(struct ts_session *session, const char *question, const char *arguments,
                              struct ts_capture *capture, struct ts_capture *second, struct ts_answer **out,
                              struct ts_error *error)
{
    const struct ts_question *found = ts_question_find(ts_str_from(question));
    struct ts_quote quote;
    if (!found)
        return ts_error_set(error, TS_USAGE, "there is no question \"%s\"",
                            ts_error_quote(&quote, ts_str_from(question), TS_QUOTE_ARGUMENT));
    enum ts_status status = check_captures(session, found, capture, second, error);
    if (status)
        return status;
    yyjson_doc *doc = NULL;
    struct ts_args args;
    struct ts_ask_options options = {.with_handle = false};
    if (arguments)
        status = parse_arguments(found, arguments, &doc, error);
    if (!status)
        status = ts_args_check(found, yyjson_doc_get_root(doc), false, &args, error);
    if (!status)
        status = ts_ask(begin_call(session), found, &args, capture, second, &options, out, error);
    yyjson_doc_free(doc);
    end_call(session);
    return status;
}

const char *ts_answer_json(const struct ts_answer *answer, size_t *length)
{
    if (length)
        *length = answer->json_len;
    return answer->json;
}

void ts_answer_destroy(struct ts_answer *answer)
{
    ts_answer_free(answer);
}
