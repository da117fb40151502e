#include "models/launch_order.h"

#include <stdlib.h>

#include "base/limits.h"

enum { PROGRESS_ROWS = 256 };

/* The launches of one graph, among those of all. */
struct graph_run {
    int64_t operation;
    size_t order; /* in which it was read */
    size_t starts, ends, count;
};
struct reader {
    struct ts_context *context;
    struct ts_profiler *profiler;
    struct ts_launch_order *out;
    TS_VEC(int64_t) known; /* operations, ascending */
    TS_VEC(struct graph_run) runs;
    TS_VEC(uint32_t) starts, ends; /* names */
    struct ts_graph graph;
    struct ts_buf text;
    size_t bytes;
    uint64_t rows;
};

static int by_number(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static int by_operation(const void *a, const void *b)
{
    const struct graph_run *left = a, *right = b;
    if (left->operation != right->operation)
        return left->operation < right->operation ? -1 : 1;
    return (left->order > right->order) - (left->order < right->order);
}

/* ---- the operations of the rank ---- */

static enum ts_status read_operations(struct reader *reader, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", NULL};
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status = ts_profiler_scan(reader->profiler, TS_DB_OPERATIONS, columns, &rows, error);
    if (status != TS_OK)
        return status;
    while (status == TS_OK && (status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        int64_t id;
        if (ts_db_integer(rows, 0, &id) && !ts_vec_push(&reader->known, id))
            status = ts_error_no_memory(error);
    }
    ts_db_rows_close(rows);
    if (reader->known.count > 0)
        qsort(reader->known.items, reader->known.count, sizeof *reader->known.items, by_number);
    return status;
}

static bool is_known(const struct reader *reader, int64_t operation)
{
    return reader->known.count > 0 && bsearch(&operation, reader->known.items, reader->known.count,
                                              sizeof *reader->known.items, by_number) != NULL;
}

/* ---- the graphs ---- */

static enum ts_status keep_launches(struct reader *reader, int64_t operation, struct ts_error *error)
{
    const struct ts_graph_scopes *scopes = &reader->out->scopes;
    struct graph_run run = {operation, reader->runs.count, reader->starts.count, reader->ends.count, 0};
    for (size_t i = 0; i < scopes->items.count; i++) {
        const struct ts_graph_scope *scope = &scopes->items.items[i];
        if (scope->device && scope->outcome == TS_SCOPE_COMPLETED && !ts_vec_push(&reader->starts, scope->name))
            return ts_error_no_memory(error);
    }
    for (size_t i = 0; i < scopes->ended.count; i++) {
        const struct ts_graph_scope *scope = &scopes->items.items[scopes->ended.items[i]];
        if (scope->device && scope->outcome == TS_SCOPE_COMPLETED && !ts_vec_push(&reader->ends, scope->name))
            return ts_error_no_memory(error);
    }
    run.count = reader->starts.count - run.starts;
    return ts_vec_push(&reader->runs, run) ? TS_OK : ts_error_no_memory(error);
}

static enum ts_status read_graph(struct reader *reader, int64_t operation, struct ts_str text, struct ts_error *error)
{
    static const char slack[TS_GRAPH_SLACK] = {0};
    struct ts_launch_order *out = reader->out;
    ts_buf_clear(&reader->text);
    ts_buf_str(&reader->text, text);
    ts_buf_add(&reader->text, slack, sizeof slack);
    enum ts_status status = ts_buf_status(&reader->text, error);
    if (status == TS_OK)
        status = ts_graph_read(&reader->graph, reader->text.ptr, text.len, TS_GRAPH_SCOPES, TS_LIMIT_GRAPH_PARSED,
                               &out->state, error);
    if (status == TS_OK && out->state != TS_GRAPH_READ) {
        out->unreadable = true;
        out->operation = operation;
    }
    if (status != TS_OK || out->unreadable)
        return status;
    status = ts_graph_scopes_read(&out->scopes, &reader->graph, error);
    return status == TS_OK ? keep_launches(reader, operation, error) : status;
}

static enum ts_status read_row(struct reader *reader, struct ts_db_rows *rows, struct ts_error *error)
{
    struct ts_str text = TS_STR("");
    int64_t operation;
    bool has_text = ts_db_text(rows, 1, &text);
    reader->out->any_graph = true;
    reader->bytes += has_text ? text.len : 0;
    if (reader->bytes > TS_LIMIT_GRAPHS)
        reader->out->too_large = true;
    if (++reader->rows % PROGRESS_ROWS == 0) {
        enum ts_status status = ts_context_progress(reader->context, reader->rows, 0, "captured graphs", error);
        if (status != TS_OK)
            return status;
    }
    if (reader->out->too_large || !ts_db_integer(rows, 0, &operation) || !is_known(reader, operation))
        return TS_OK;
    return read_graph(reader, operation, has_text ? text : TS_STR(""), error);
}

static enum ts_status read_graphs(struct reader *reader, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", "captured_graph", NULL};
    const struct ts_launch_order *out = reader->out;
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status = ts_profiler_scan(reader->profiler, TS_DB_CAPTURED_GRAPH, columns, &rows, error);
    if (status != TS_OK)
        return status;
    while (status == TS_OK && !out->unreadable && !out->too_large &&
           (status = ts_db_next(rows, &more, error)) == TS_OK && more)
        status = read_row(reader, rows, error);
    ts_db_rows_close(rows);
    return status;
}

/* ---- in order of the operations ---- */

static enum ts_status put_in_order(struct reader *reader, struct ts_error *error)
{
    struct ts_launch_order *out = reader->out;
    size_t count = reader->starts.count + 1;
    out->starts.items = malloc(count * sizeof *out->starts.items);
    out->ends.items = malloc(count * sizeof *out->ends.items);
    if (!out->starts.items || !out->ends.items)
        return ts_error_no_memory(error);
    if (reader->runs.count > 0)
        qsort(reader->runs.items, reader->runs.count, sizeof *reader->runs.items, by_operation);
    for (size_t i = 0; i < reader->runs.count; i++) {
        const struct graph_run *run = &reader->runs.items[i];
        /* Of several graphs of an operation the last counts. */
        if (i + 1 < reader->runs.count && run[1].operation == run->operation)
            continue;
        for (size_t at = 0; at < run->count; at++) {
            out->starts.items[out->starts.count++] =
                (struct ts_launch){run->operation, reader->starts.items[run->starts + at]};
            out->ends.items[out->ends.count++] = (struct ts_launch){run->operation, reader->ends.items[run->ends + at]};
        }
    }
    return TS_OK;
}

enum ts_status ts_launch_order_read(struct ts_context *context, struct ts_profiler *profiler,
                                    struct ts_launch_order *out, struct ts_error *error)
{
    struct reader reader = {.context = context, .profiler = profiler, .out = out};
    ts_buf_init(&reader.text, 0);
    enum ts_status status = ts_graph_scopes_init(&out->scopes, TS_LIMIT_GRAPH_NAMES, error);
    if (status == TS_OK)
        status = read_operations(&reader, error);
    if (status == TS_OK)
        status = read_graphs(&reader, error);
    if (status == TS_OK)
        status = put_in_order(&reader, error);
    ts_vec_free(&reader.known);
    ts_vec_free(&reader.runs);
    ts_vec_free(&reader.starts);
    ts_vec_free(&reader.ends);
    ts_graph_free(&reader.graph);
    ts_buf_free(&reader.text);
    return status;
}

void ts_launch_order_free(struct ts_launch_order *order)
{
    ts_graph_scopes_free(&order->scopes);
    free(order->starts.items);
    free(order->ends.items);
    order->starts = order->ends = (struct ts_launch_list){NULL, 0};
}

/* ---- one of each device's ---- */

bool ts_launch_list_collapse(struct ts_launch_order *order, struct ts_launch_list *list, size_t devices)
{
    struct ts_name_use *uses = order->scopes.uses.items;
    size_t kept = 0;
    bool even = true;
    for (size_t first = 0, end; first < list->count && even; first = end) {
        size_t begin = kept;
        for (size_t i = 0; i < order->scopes.uses.count && first == 0; i++)
            uses[i].open = 0;
        for (end = first; end < list->count && list->items[end].operation == list->items[first].operation; end++)
            if (uses[list->items[end].name].open++ == 0)
                list->items[kept++] = list->items[end];
        for (size_t i = begin; i < kept; i++) {
            even = even && uses[list->items[i].name].open == devices;
            uses[list->items[i].name].open = 0;
        }
    }
    list->count = kept;
    return even;
}
