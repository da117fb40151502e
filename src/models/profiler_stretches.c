#include "models/profiler_stretches.h"

#include "base/thread.h"

struct run {
    struct ts_context *context;
    struct ts_profiler *profiler;
    unsigned count;
    ts_profiler_stretch_fn *read;
    void *data;
    bool left[TS_PROFILER_STRETCHES_MAX]; /* to be read by the first connection, when that has time */
};

enum ts_status ts_profiler_count_stretches(struct ts_context *context, struct ts_profiler *profiler,
                                           enum ts_db_table table, uint64_t rows_each, unsigned *out,
                                           struct ts_error *error)
{
    uint64_t span;
    enum ts_status status = ts_db_row_span(profiler->db, table, &span, error);
    if (status != TS_OK)
        return status;
    uint64_t most = context->threads < TS_PROFILER_STRETCHES_MAX ? context->threads : TS_PROFILER_STRETCHES_MAX;
    uint64_t count = span / rows_each < most ? span / rows_each : most;
    *out = count > 1 ? (unsigned)count : 1;
    return TS_OK;
}

static enum ts_status read_one(void *data, size_t index, struct ts_error *error)
{
    struct run *run = data;
    struct ts_profiler_stretch stretch = {run->profiler->db, (unsigned)index, run->count};
    if (index == 0)
        return run->read(run->data, &stretch, error);
    if (ts_db_open_beside(run->profiler->db, &stretch.db, NULL) != TS_OK) {
        run->left[index] = true;
        return TS_OK;
    }
    enum ts_status status = run->read(run->data, &stretch, error);
    ts_db_close(stretch.db);
    return status;
}

/* For want of memory or files, or because of a writer, not every stretch may get a connection of its own. */
static enum ts_status read_left(struct run *run, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    for (unsigned i = 1; i < run->count && status == TS_OK; i++) {
        const struct ts_profiler_stretch stretch = {run->profiler->db, i, run->count};
        status = run->left[i] ? ts_context_check(run->context, error) : TS_OK;
        if (status == TS_OK && run->left[i])
            status = run->read(run->data, &stretch, error);
    }
    return status;
}

enum ts_status ts_profiler_read_stretches(struct ts_context *context, struct ts_profiler *profiler, unsigned count,
                                          ts_profiler_stretch_fn *read, void *data, struct ts_error *error)
{
    struct run run = {context, profiler, count, read, data, {false}};
    enum ts_status status = ts_parallel(context, count, read_one, &run, error);
    return status == TS_OK ? read_left(&run, error) : status;
}
