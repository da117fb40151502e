#include "models/launch_order.h"

#include <stdlib.h>

#include "base/limits.h"
#include "models/profiler_stretches.h"

enum {
    CHECK_EVERY = 64,       /* graphs */
    ROWS_PER_STRETCH = 500, /* that are worth a thread */
};

/* The launches of one graph, among those of all. */
struct graph_run {
    int64_t operation;
    size_t order; /* in which it was read */
    size_t starts, ends, count;
};
struct operations {
    TS_VEC(int64_t) ids; /* ascending */
};
/* What one stretch of the graphs' table holds. It ends at the first thing that is wrong: only so is it told which was the
 * first of all, whatever the number of threads. */
struct stretch {
    struct ts_context *context;
    const struct ts_profiler *profiler;
    const struct operations *known;
    struct ts_graph_scopes *scopes; /* the result's for the first, own for the others */
    struct ts_graph_scopes own;
    TS_VEC(struct graph_run) runs;
    TS_VEC(uint32_t) starts, ends; /* names */
    struct ts_graph graph;
    struct ts_buf text;
    uint64_t bytes, rows;
    bool unreadable;   /* the graph of */
    int64_t operation; /* this one */
    enum ts_graph_state state;
    enum ts_status failed;
    struct ts_error failure;
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

static enum ts_status note_operation(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct operations *known = data;
    bool noted = !cells[0].is_integer || ts_vec_push(&known->ids, cells[0].integer);
    return noted ? TS_OK : ts_error_no_memory(error);
}

static enum ts_status read_operations(struct ts_profiler *profiler, struct operations *known, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", NULL};
    enum ts_status status = ts_profiler_each(profiler, TS_DB_OPERATIONS, columns, note_operation, known, error);
    if (known->ids.count > 0)
        qsort(known->ids.items, known->ids.count, sizeof *known->ids.items, by_number);
    return status;
}

static bool is_known(const struct operations *known, int64_t operation)
{
    return known->ids.count > 0 &&
           bsearch(&operation, known->ids.items, known->ids.count, sizeof *known->ids.items, by_number) != NULL;
}

/* ---- the graphs ---- */

static enum ts_status keep_launches(struct stretch *stretch, int64_t operation, struct ts_error *error)
{
    const struct ts_graph_scopes *scopes = stretch->scopes;
    struct graph_run run = {operation, stretch->runs.count, stretch->starts.count, stretch->ends.count, 0};
    for (size_t i = 0; i < scopes->items.count; i++) {
        const struct ts_graph_scope *scope = &scopes->items.items[i];
        if (scope->device && scope->outcome == TS_SCOPE_COMPLETED && !ts_vec_push(&stretch->starts, scope->name))
            return ts_error_no_memory(error);
    }
    for (size_t i = 0; i < scopes->ended.count; i++) {
        const struct ts_graph_scope *scope = &scopes->items.items[scopes->ended.items[i]];
        if (scope->device && scope->outcome == TS_SCOPE_COMPLETED && !ts_vec_push(&stretch->ends, scope->name))
            return ts_error_no_memory(error);
    }
    run.count = stretch->starts.count - run.starts;
    return ts_vec_push(&stretch->runs, run) ? TS_OK : ts_error_no_memory(error);
}

static enum ts_status read_graph(struct stretch *stretch, int64_t operation, struct ts_str text, struct ts_error *error)
{
    static const char slack[TS_GRAPH_SLACK] = {0};
    ts_buf_clear(&stretch->text);
    ts_buf_str(&stretch->text, text);
    ts_buf_add(&stretch->text, slack, sizeof slack);
    enum ts_status status = ts_buf_status(&stretch->text, error);
    if (status == TS_OK)
        status = ts_graph_read(&stretch->graph, stretch->text.ptr, text.len, TS_GRAPH_SCOPES, TS_LIMIT_GRAPH_PARSED,
                               &stretch->state, error);
    stretch->unreadable = status == TS_OK && stretch->state != TS_GRAPH_READ;
    stretch->operation = operation;
    if (status != TS_OK || stretch->unreadable)
        return status;
    status = ts_graph_scopes_read(stretch->scopes, &stretch->graph, error);
    return status == TS_OK ? keep_launches(stretch, operation, error) : status;
}

static bool is_over(const struct stretch *stretch)
{
    return stretch->unreadable || stretch->bytes > TS_LIMIT_GRAPHS;
}

/* Another status than TS_OK, whichever, ends the visit. */
static enum ts_status read_row(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct stretch *stretch = data;
    struct ts_db_digits digits;
    struct ts_str text = TS_STR("");
    enum ts_status status = TS_OK;
    ts_db_cell_text(&cells[1], &digits, &text);
    stretch->bytes += text.len;
    if (stretch->rows++ % CHECK_EVERY == 0)
        status = ts_context_check(stretch->context, error);
    if (status == TS_OK && !is_over(stretch) && cells[0].is_integer && is_known(stretch->known, cells[0].integer))
        status = read_graph(stretch, cells[0].integer, text, error);
    return status == TS_OK && is_over(stretch) ? TS_LIMIT : status;
}

static enum ts_status read_stretch(void *data, const struct ts_profiler_stretch *part, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", "captured_graph", NULL};
    struct stretch *stretch = (struct stretch *)data + part->index;
    const struct ts_db_select select = ts_profiler_select(stretch->profiler, TS_DB_CAPTURED_GRAPH, columns);
    (void)error;
    stretch->failed = ts_graph_scopes_init(stretch->scopes, TS_LIMIT_GRAPH_NAMES, &stretch->failure);
    if (stretch->failed == TS_OK)
        stretch->failed =
            ts_db_visit_part(part->db, &select, part->index, part->count, read_row, stretch, &stretch->failure);
    if (is_over(stretch))
        stretch->failed = TS_OK;
    return TS_OK;
}

/* ---- the stretches, one behind the other ---- */

/* Add the launches of a later stretch, by the names' numbers of the first. */
static bool append(struct stretch *into, const struct stretch *from)
{
    const struct ts_intern *names = &from->scopes->names;
    size_t starts = into->starts.count, ends = into->ends.count;
    uint32_t *numbers = malloc((names->count + 1) * sizeof *numbers);
    bool good = numbers && ts_vec_reserve(&into->starts, from->starts.count) &&
                ts_vec_reserve(&into->ends, from->ends.count) && ts_vec_reserve(&into->runs, from->runs.count);
    for (uint32_t i = 0; good && i < names->count; i++) {
        numbers[i] = ts_graph_scopes_name(into->scopes, ts_intern_text(names, i));
        good = numbers[i] != UINT32_MAX;
    }
    for (size_t i = 0; good && i < from->starts.count; i++)
        into->starts.items[into->starts.count++] = numbers[from->starts.items[i]];
    for (size_t i = 0; good && i < from->ends.count; i++)
        into->ends.items[into->ends.count++] = numbers[from->ends.items[i]];
    for (size_t i = 0; good && i < from->runs.count; i++) {
        struct graph_run run = from->runs.items[i];
        run.order = into->runs.count;
        run.starts += starts;
        run.ends += ends;
        into->runs.items[into->runs.count++] = run;
    }
    free(numbers);
    return good;
}

/* The first thing that is wrong in all of them counts, as if they had been read one after the other. */
static enum ts_status join(struct stretch *stretches, unsigned count, struct ts_launch_order *out,
                           struct ts_error *error)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        struct stretch *stretch = &stretches[i];
        bytes += stretch->bytes;
        out->any_graph = out->any_graph || stretch->rows > 0;
        if (bytes > TS_LIMIT_GRAPHS) {
            out->too_large = true;
            return TS_OK;
        }
        if (stretch->unreadable) {
            out->unreadable = true;
            out->operation = stretch->operation;
            out->state = stretch->state;
            return TS_OK;
        }
        if (stretch->failed != TS_OK) {
            if (error)
                *error = stretch->failure;
            return stretch->failed;
        }
        if (i > 0 && !append(&stretches[0], stretch))
            return ts_arena_error(&stretches[0].scopes->arena, error);
    }
    return TS_OK;
}

/* ---- in order of the operations ---- */

static enum ts_status put_in_order(struct stretch *all, struct ts_launch_order *out, struct ts_error *error)
{
    size_t count = all->starts.count + 1;
    out->starts.items = malloc(count * sizeof *out->starts.items);
    out->ends.items = malloc(count * sizeof *out->ends.items);
    if (!out->starts.items || !out->ends.items)
        return ts_error_no_memory(error);
    if (all->runs.count > 0)
        qsort(all->runs.items, all->runs.count, sizeof *all->runs.items, by_operation);
    for (size_t i = 0; i < all->runs.count; i++) {
        const struct graph_run *run = &all->runs.items[i];
        /* Of several graphs of an operation the last counts. */
        if (i + 1 < all->runs.count && run[1].operation == run->operation)
            continue;
        for (size_t at = 0; at < run->count; at++) {
            out->starts.items[out->starts.count++] =
                (struct ts_launch){run->operation, all->starts.items[run->starts + at]};
            out->ends.items[out->ends.count++] = (struct ts_launch){run->operation, all->ends.items[run->ends + at]};
        }
    }
    return TS_OK;
}

static void free_stretch(struct stretch *stretch)
{
    ts_graph_scopes_free(&stretch->own);
    ts_vec_free(&stretch->runs);
    ts_vec_free(&stretch->starts);
    ts_vec_free(&stretch->ends);
    ts_graph_free(&stretch->graph);
    ts_buf_free(&stretch->text);
}

static enum ts_status read_graphs(struct ts_context *context, struct ts_profiler *profiler,
                                  const struct operations *known, struct ts_launch_order *out, struct ts_error *error)
{
    struct stretch stretches[TS_PROFILER_STRETCHES_MAX] = {{.context = NULL}};
    unsigned count;
    enum ts_status status =
        ts_profiler_count_stretches(context, profiler, TS_DB_CAPTURED_GRAPH, ROWS_PER_STRETCH, &count, error);
    if (status != TS_OK)
        return status;
    for (unsigned i = 0; i < count; i++) {
        stretches[i].context = context;
        stretches[i].profiler = profiler;
        stretches[i].known = known;
        stretches[i].scopes = i == 0 ? &out->scopes : &stretches[i].own;
        ts_buf_init(&stretches[i].text, 0);
    }
    status = ts_profiler_read_stretches(context, profiler, count, read_stretch, stretches, error);
    if (status == TS_OK)
        status = join(stretches, count, out, error);
    if (status == TS_OK)
        status = put_in_order(&stretches[0], out, error);
    for (unsigned i = 0; i < count; i++)
        free_stretch(&stretches[i]);
    return status;
}

enum ts_status ts_launch_order_read(struct ts_context *context, struct ts_profiler *profiler,
                                    struct ts_launch_order *out, struct ts_error *error)
{
    struct operations known = {{NULL, 0, 0}};
    enum ts_status status = read_operations(profiler, &known, error);
    if (status == TS_OK)
        status = read_graphs(context, profiler, &known, out, error);
    ts_vec_free(&known.ids);
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
