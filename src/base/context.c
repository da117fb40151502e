#include "base/context.h"

void ts_context_init(struct ts_context *context)
{
    *context = (struct ts_context){.threads = 1};
}

static enum ts_status check_at(struct ts_context *context, uint64_t now, struct ts_error *error)
{
    if (atomic_load_explicit(&context->cancelled, memory_order_relaxed))
        return ts_error_set(error, TS_CANCELLED, "cancelled");
    if (context->deadline_ns && now >= context->deadline_ns)
        return ts_error_set(error, TS_LIMIT, "the time limit for one call has passed before the answer was ready");
    return TS_OK;
}

enum ts_status ts_context_check(struct ts_context *context, struct ts_error *error)
{
    uint64_t now = context->now_ns && context->deadline_ns ? context->now_ns() : 0;
    return check_at(context, now, error);
}

enum ts_status ts_context_progress(struct ts_context *context, uint64_t done, uint64_t total, const char *message,
                                   struct ts_error *error)
{
    if (!context->now_ns || !context->progress)
        return ts_context_check(context, error);
    uint64_t now = context->now_ns();
    enum ts_status status = check_at(context, now, error);
    if (status != TS_OK)
        return status;
    if (now >= context->progress_from_ns && now >= context->progress_next_ns) {
        /* Counted from now, not from when it was due: a call that was late must not be followed by a burst. */
        context->progress_next_ns = now + context->progress_every_ns;
        context->progress(context->progress_data, done, total, message);
    }
    return TS_OK;
}
