#include "models/profiler_check.h"

static uint64_t row_count(const struct ts_db_run *runs, size_t count)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += (uint64_t)(runs[i].last - runs[i].first) + 1;
    return rows;
}

/* Each operation has one graph and one trace a rank. */
static void compare(const struct ts_db_index *index, const struct ts_db_index *operations, uint64_t ranks,
                    struct ts_profiler_check *out)
{
    for (size_t i = 0, next; i < index->count; i = next) {
        size_t known;
        for (next = i + 1; next < index->count && index->runs[next].key == index->runs[i].key;)
            next++;
        ts_db_index_find(operations, index->runs[i].key, &known);
        out->repeated += row_count(&index->runs[i], next - i) > ranks;
        out->unknown += known == 0;
    }
}

static enum ts_status compare_tables(struct ts_context *context, struct ts_profiler *profiler,
                                     struct ts_profiler_check *out, struct ts_error *error)
{
    static const enum ts_db_table tables[] = {TS_DB_CAPTURED_GRAPH, TS_DB_STACK_TRACES};
    const struct ts_db_index *operations, *index;
    enum ts_status status = ts_profiler_index(context, profiler, TS_DB_OPERATIONS, "operation_id", &operations, error);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == TS_OK; i++) {
        status = ts_profiler_index(context, profiler, tables[i], "operation_id", &index, error);
        if (status == TS_OK)
            compare(index, operations, profiler->rank_count > 1 ? profiler->rank_count : 1, out);
    }
    return status;
}

enum ts_status ts_profiler_check(struct ts_context *context, struct ts_capture *capture, struct ts_profiler_check *out,
                                 struct ts_error *error)
{
    static const enum ts_db_table needed[] = {TS_DB_OPERATIONS};
    struct ts_profiler profiler;
    struct ts_profiler_check check = {.repeated = 0};
    enum ts_status status = ts_profiler_begin(context, capture, false, 0, needed, 1, &profiler, error);
    if (status != TS_OK)
        return status;
    status = compare_tables(context, &profiler, &check, error);
    ts_profiler_end(&profiler);
    /* One unknown id in each table is the operation that never ended, or the whole run's graph. */
    check.mixed = check.repeated > 1 || check.unknown > 2;
    if (status == TS_OK)
        *out = check;
    return status;
}
