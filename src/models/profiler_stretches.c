#include "models/profiler_stretches.h"

#include "base/thread.h"

struct run {
    struct ts_context *context;
    struct ts_profiler *profiler;
    const struct ts_db_select *select;
    unsigned count;
    ts_profiler_stretch_fn *read;
    void *data;
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
    struct ts_profiler *profiler = run->profiler;
    struct ts_profiler_stretch stretch = {profiler->db, run->select, (unsigned)index, run->count};
    if (index == 0)
        return run->read(run->data, &stretch, error);
    enum ts_status status = ts_db_open(run->context, profiler->capture->database, &stretch.db, error);
    if (status != TS_OK)
        return status;
    if (ts_identity_equal(ts_db_read_identity(stretch.db), ts_db_read_identity(profiler->db)))
        status = run->read(run->data, &stretch, error);
    else
        status = ts_db_changed(profiler->db, error);
    ts_db_close(stretch.db);
    return status;
}

enum ts_status ts_profiler_read_stretches(struct ts_context *context, struct ts_profiler *profiler,
                                          const struct ts_db_select *select, unsigned count,
                                          ts_profiler_stretch_fn *read, void *data, struct ts_error *error)
{
    struct run run = {context, profiler, select, count, read, data};
    return ts_parallel(context, count, read_one, &run, error);
}

enum ts_status ts_profiler_visit_stretch(const struct ts_profiler_stretch *stretch, ts_db_visit_fn *visit, void *data,
                                         struct ts_error *error)
{
    return ts_db_visit_part(stretch->db, stretch->select, stretch->index, stretch->count, visit, data, error);
}
