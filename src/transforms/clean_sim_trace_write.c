#include "transforms/clean_sim_trace_write.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/thread.h"
#include "formats/sim_dump_turns.h"
#include "formats/sim_dump_window.h"

enum { SLICES = 2048, ARROWS = 4096 }; /* of one turn */
#define WINDOW (192 * TS_KIB)          /* read at once */
#define GAP_MAX (16 * TS_KIB)          /* events left out that are read rather than skipped */
#define FLUSH_SIZE (64 * TS_KIB)
#define TAIL (4 * TS_KIB) /* for the last event of a window */

struct writing {
    struct ts_context *context;
    const struct ts_sim_dump *dump;
    struct ts_sim_block all; /* of the dump, as one: slices know where in it they begin */
    const struct ts_pipeline *pipeline;
    struct ts_writer *writer;
    struct ts_sim_turns turns;
    /* Per core: 0, and a row is its lane, # and a number (MTE1#1); or what stands, with another #, in between (MTE1#2#1). */
    uint32_t *marks;
};

#define ADD(out, literal) ts_sim_out_add((out), TS_STR(literal))

/* ---- names ---- */

static void add_core(struct ts_sim_out *out, const struct ts_pipeline *pipeline, const struct ts_pipeline_lane *lane)
{
    ts_sim_out_add(out, pipeline->cores.items[lane->core].name.json);
}

/* The tid of a row: the lane itself, or a text with its number. */
static void add_row(struct ts_sim_out *out, const struct writing *writing, const struct ts_pipeline_lane *lane,
                    uint32_t row)
{
    uint32_t mark = writing->marks[lane->core];
    struct ts_str name = lane->name.json;
    if (row == 0) {
        ts_sim_out_add(out, name);
        return;
    }
    if (lane->name.kind == TS_PIPELINE_TEXT) {
        ts_sim_out_add(out, (struct ts_str){name.ptr, name.len - 1});
    } else {
        ADD(out, "\"");
        ts_sim_out_add(out, lane->name.plain);
        if (mark > 0) /* not as behind a text: 3 and "3" are two lanes */
            mark++;
    }
    ADD(out, "#");
    if (mark > 0) {
        ts_sim_out_unsigned(out, mark);
        ADD(out, "#");
    }
    ts_sim_out_unsigned(out, row);
    ADD(out, "\"");
}

/* What a row is called for people. */
static void add_label(struct ts_sim_out *out, const struct ts_pipeline_lane *lane, uint32_t row)
{
    const struct ts_str *name = &lane->name.json;
    if (!lane->style->label && row == 0) {
        ts_sim_out_add(out, *name);
        return;
    }
    ADD(out, "\"");
    if (lane->style->label)
        ts_sim_out_add(out, ts_str_from(lane->style->label));
    else if (lane->name.kind == TS_PIPELINE_TEXT)
        ts_sim_out_add(out, (struct ts_str){name->ptr + 1, name->len - 2});
    else
        ts_sim_out_add(out, lane->name.plain);
    if (row > 0) {
        ADD(out, " #");
        ts_sim_out_unsigned(out, row);
    }
    ADD(out, "\"");
}

/* ---- metadata ---- */

/* A row as it is announced. Rows of one tid (a lane may be called like another's row; so only with --compat) are announced
 * once: in the place of the first of their slices and with the lane of the last. */
struct row {
    uint32_t lane, row;
    uint32_t first, last;
    uint32_t shown_lane, shown_row; /* whose tid is written */
};

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int by_first(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return compare_numbers(x->first, y->first);
}

struct by_place {
    unsigned order;
    struct row row;
};

static int by_place(const void *a, const void *b)
{
    const struct by_place *x = a, *y = b;
    int order = compare_numbers(x->order, y->order);
    if (!order)
        order = compare_numbers(x->row.row, y->row.row);
    return order ? order : compare_numbers(x->row.first, y->row.first);
}

typedef TS_VEC(struct row) row_list;

static bool list_rows(const struct ts_pipeline *pipeline, uint32_t core, row_list *rows)
{
    const struct ts_pipeline_core *owner = &pipeline->cores.items[core];
    for (uint32_t i = 0; i < owner->lane_count; i++) {
        uint32_t number = pipeline->lane_order[owner->first_lane + i];
        const struct ts_pipeline_lane *lane = &pipeline->lanes.items[number];
        for (uint32_t row = 0; row < lane->rows; row++) {
            size_t at = (size_t)lane->first_row + row;
            struct row made = {number, row, pipeline->row_first[at], pipeline->row_last[at], number, row};
            if (!ts_vec_push(rows, made))
                return false;
        }
    }
    return true;
}

/* Make one of rows with the same tid. */
static bool unite_rows(const struct writing *writing, row_list *rows)
{
    const struct ts_pipeline *pipeline = writing->pipeline;
    struct ts_map map;
    struct ts_arena arena;
    struct ts_sim_out tid = {0};
    size_t kept = 0;
    bool good = true;
    ts_map_init(&map);
    ts_arena_init(&arena, 0);
    for (size_t i = 0; i < rows->count && good; i++) {
        struct row row = rows->items[i];
        tid.len = 0;
        add_row(&tid, writing, &pipeline->lanes.items[row.lane], row.row);
        struct ts_str key = ts_arena_copy(&arena, (struct ts_str){tid.ptr ? tid.ptr : "", tid.len});
        uint64_t *known = key.ptr && !tid.failed ? ts_map_at(&map, key, NULL) : NULL;
        good = known != NULL;
        if (good && *known == 0) {
            rows->items[kept++] = row;
            *known = kept;
        } else if (good) {
            struct row *first = &rows->items[*known - 1];
            if (row.last > first->last) {
                first->last = row.last;
                first->lane = row.lane;
                first->row = row.row;
            }
        }
    }
    rows->count = kept;
    free(tid.ptr);
    ts_arena_free(&arena);
    ts_map_free(&map);
    return good;
}

/* The 12 of a name that ends in #12#345; 0 without one, or when it is above the limit. */
static uint32_t mark_of(struct ts_str name, uint32_t limit)
{
    size_t at = name.len;
    while (at > 0 && name.ptr[at - 1] >= '0' && name.ptr[at - 1] <= '9')
        at--;
    if (at == 0 || at == name.len || name.ptr[--at] != '#')
        return 0;
    uint64_t mark = 0, place = 1;
    for (; at > 0 && name.ptr[at - 1] >= '0' && name.ptr[at - 1] <= '9'; at--) {
        mark += place * (uint64_t)(name.ptr[at - 1] - '0');
        place *= 10;
        if (mark > limit || place > UINT32_MAX)
            return 0;
    }
    return at > 0 && name.ptr[at - 1] == '#' ? (uint32_t)mark : 0;
}

/* The least even number that is, like the one behind it, the mark in no lane's name of the core; 0 when memory is out. */
static uint32_t free_mark(const struct ts_pipeline *pipeline, uint32_t core)
{
    const struct ts_pipeline_core *owner = &pipeline->cores.items[core];
    /* Each lane takes at most one pair. */
    size_t pairs = (size_t)owner->lane_count + 2;
    bool *taken = calloc(pairs, sizeof *taken);
    if (!taken)
        return 0;
    for (uint32_t i = 0; i < owner->lane_count; i++) {
        uint32_t lane = pipeline->lane_order[owner->first_lane + i];
        taken[mark_of(pipeline->lanes.items[lane].name.plain, (uint32_t)(2 * pairs - 1)) / 2] = true;
    }
    uint32_t pair = 1;
    while (taken[pair])
        pair++;
    free(taken);
    return 2 * pair;
}

/* The rows of a core in the order of their first slices, each tid once. */
static bool order_rows(struct writing *writing, uint32_t core, row_list *rows)
{
    rows->count = 0;
    if (!list_rows(writing->pipeline, core, rows))
        return false;
    if (rows->count > 1)
        qsort(rows->items, rows->count, sizeof *rows->items, by_first);
    size_t count = rows->count;
    if (!unite_rows(writing, rows))
        return false;
    if (rows->count == count || writing->pipeline->options.compat)
        return true;
    /* A lane is called like a row of another. With a mark that no name has, no tid of the core is that of two. */
    writing->marks[core] = free_mark(writing->pipeline, core);
    rows->count = 0;
    if (!writing->marks[core] || !list_rows(writing->pipeline, core, rows))
        return false;
    qsort(rows->items, rows->count, sizeof *rows->items, by_first);
    return true;
}

static bool sort_rows(const struct ts_pipeline *pipeline, row_list *rows)
{
    struct by_place *places = malloc(rows->count * sizeof *places + 1);
    if (!places)
        return false;
    for (size_t i = 0; i < rows->count; i++)
        places[i] = (struct by_place){pipeline->lanes.items[rows->items[i].lane].style->order, rows->items[i]};
    qsort(places, rows->count, sizeof *places, by_place);
    for (size_t i = 0; i < rows->count; i++)
        rows->items[i] = places[i].row;
    free(places);
    return true;
}

static void add_row_metadata(struct ts_sim_out *out, const struct writing *writing, const struct row *row)
{
    const struct ts_pipeline *pipeline = writing->pipeline;
    const struct ts_pipeline_lane *lane = &pipeline->lanes.items[row->lane];
    static const char *const kinds[] = {"thread_name", "thread_sort_index"};
    for (unsigned kind = 0; kind < 2; kind++) {
        ADD(out, "{\"name\": \"");
        ts_sim_out_add(out, ts_str_from(kinds[kind]));
        ADD(out, "\", \"ph\": \"M\", \"pid\": ");
        add_core(out, pipeline, lane);
        ADD(out, ", \"tid\": ");
        add_row(out, writing, &pipeline->lanes.items[row->shown_lane], row->shown_row);
        ADD(out, ", \"args\": {");
        if (kind == 0) {
            ADD(out, "\"name\": ");
            add_label(out, lane, row->row);
        } else {
            ADD(out, "\"sort_index\": ");
            ts_sim_out_unsigned(out, (uint64_t)lane->style->order * 100 + row->row);
        }
        ADD(out, "}}, ");
    }
}

static void flush(struct ts_sim_out *out, struct ts_writer *writer)
{
    ts_writer_add(writer, out->ptr ? out->ptr : "", out->len);
    out->len = 0;
}

static bool write_core_metadata(struct writing *writing, struct ts_sim_out *out, uint32_t core, uint64_t index)
{
    const struct ts_pipeline *pipeline = writing->pipeline;
    struct ts_str name = pipeline->cores.items[core].name.json;
    row_list rows = {0};
    ADD(out, "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": ");
    ts_sim_out_add(out, name);
    ADD(out, ", \"args\": {\"name\": ");
    ts_sim_out_add(out, name);
    ADD(out, "}}, {\"name\": \"process_sort_index\", \"ph\": \"M\", \"pid\": ");
    ts_sim_out_add(out, name);
    ADD(out, ", \"args\": {\"sort_index\": ");
    ts_sim_out_unsigned(out, index);
    ADD(out, "}}, ");
    bool good = order_rows(writing, core, &rows) && sort_rows(pipeline, &rows);
    for (size_t i = 0; i < rows.count && good; i++) {
        add_row_metadata(out, writing, &rows.items[i]);
        if (out->len > FLUSH_SIZE)
            flush(out, writing->writer);
    }
    flush(out, writing->writer);
    ts_vec_free(&rows);
    return good && !out->failed;
}

static enum ts_status write_metadata(struct writing *writing, struct ts_error *error)
{
    const struct ts_pipeline *pipeline = writing->pipeline;
    struct ts_sim_out out = {0};
    bool good = true;
    for (size_t i = 0; i < pipeline->core_count && good; i++)
        good = write_core_metadata(writing, &out, pipeline->core_order[i], i);
    free(out.ptr);
    return good ? TS_OK : ts_error_no_memory(error);
}

/* ---- slices ---- */

/* How much to read from the slice on: up to where many events were left out. */
static uint64_t stretch(const struct ts_pipeline_slice *slices, size_t count)
{
    uint64_t from = slices[0].offset, to = from;
    for (size_t i = 1; i < count; i++) {
        uint64_t next = slices[i].offset;
        if (next - to > GAP_MAX || next - from > WINDOW)
            break;
        to = next;
    }
    return to - from + TAIL;
}

/* The event of slices[0], for which the window may be moved on. */
static enum ts_status find_event(struct ts_sim_window *window, const struct ts_pipeline_slice *slices, size_t count,
                                 struct ts_sim_event *event, struct ts_error *error)
{
    uint64_t offset = slices[0].offset;
    bool inside = offset >= window->from && offset - window->from < window->len;
    for (uint64_t want = 0;;) {
        if (!inside || want) {
            want = want ? want * 2 : stretch(slices, count);
            enum ts_status status = ts_sim_window_fill(window, offset, want, error);
            if (status != TS_OK)
                return status;
        }
        struct ts_sim_json_fault fault;
        const char *p = window->bytes + (offset - window->from);
        const char *behind = *p == '{' ? ts_sim_event_scan(p, event, &fault) : NULL;
        if (behind && behind <= window->bytes + window->len)
            return TS_OK;
        bool more = window->from + window->len < window->block->size && want <= 4 * TS_LIMIT_SIM_EVENT;
        if (!more)
            return ts_error_set(error, TS_CHANGED,
                                "%s: the dump changed while it was being read; clean it again once it is written",
                                ts_sim_dump_name(window->dump));
        if (inside) { /* the event only begins in the window: move that to it */
            inside = false;
            want = 0;
        }
    }
}

static void add_slice(struct ts_sim_out *out, const struct writing *writing, const struct ts_pipeline_slice *slice,
                      const struct ts_sim_event *event)
{
    const struct ts_pipeline *pipeline = writing->pipeline;
    const struct ts_pipeline_lane *lane = &pipeline->lanes.items[slice->lane];
    ADD(out, "{\"name\": ");
    ts_sim_json_write(out, event->name.ptr);
    ADD(out, ", \"ph\": \"X\", \"pid\": ");
    add_core(out, pipeline, lane);
    ADD(out, ", \"tid\": ");
    add_row(out, writing, lane, slice->row);
    ADD(out, ", \"ts\": ");
    if (slice->decimal)
        ts_sim_out_add(out, event->ts);
    else
        ts_sim_json_write_number(out, event->ts);
    ADD(out, ", \"cname\": \"");
    ts_sim_out_add(out, lane->style->color);
    ADD(out, "\"");
    if (event->dur.ptr) {
        ADD(out, ", \"dur\": ");
        ts_sim_json_write_number(out, event->dur);
    }
    if (event->args.ptr) {
        ADD(out, ", \"args\": ");
        ts_sim_json_write(out, event->args.ptr);
    }
    ADD(out, "}");
}

/* Put what was made where its turn is. */
static enum ts_status hand_over(struct writing *writing, size_t number, enum ts_status status, struct ts_sim_out *out,
                                struct ts_error *error)
{
    if (status == TS_OK && out->failed)
        status = ts_error_no_memory(error);
    bool mine = ts_sim_turns_wait(&writing->turns, number);
    if (mine && status == TS_OK)
        ts_writer_add(writing->writer, out->ptr ? out->ptr : "", out->len);
    ts_sim_turns_finish(&writing->turns, number, status == TS_OK);
    free(out->ptr);
    return status;
}

static enum ts_status write_slices(void *data, size_t number, struct ts_error *error)
{
    struct writing *writing = data;
    const struct ts_pipeline *pipeline = writing->pipeline;
    size_t count = pipeline->slices.count, first = number * SLICES;
    size_t last = count - first < SLICES ? count : first + SLICES;
    struct ts_sim_out out = {0};
    struct ts_sim_window window = {.dump = writing->dump, .block = &writing->all};
    enum ts_status status = TS_OK;
    for (size_t i = first; i < last && status == TS_OK; i++) {
        struct ts_sim_event event;
        status = find_event(&window, &pipeline->slices.items[i], last - i, &event, error);
        if (status != TS_OK)
            break;
        if (i > 0)
            ADD(&out, ", ");
        add_slice(&out, writing, &pipeline->slices.items[i], &event);
    }
    ts_sim_window_free(&window);
    return hand_over(writing, number, status, &out, error);
}

/* ---- arrows ---- */

/* When a slice begins, as it stands on the slice. */
static enum ts_status add_time(struct writing *writing, struct ts_sim_out *out, const struct ts_pipeline_slice *slice,
                               struct ts_error *error)
{
    if (slice->decimal) {
        ts_sim_json_write_decimal(out, slice->decimal);
        return TS_OK;
    }
    struct ts_sim_window window = {.dump = writing->dump, .block = &writing->all};
    struct ts_sim_event event;
    enum ts_status status = find_event(&window, slice, 1, &event, error);
    if (status == TS_OK)
        ts_sim_json_write_number(out, event.ts);
    ts_sim_window_free(&window);
    return status;
}

static enum ts_status add_end(struct writing *writing, struct ts_sim_out *out, const struct ts_pipeline_arrow *arrow,
                              uint64_t id, bool start, struct ts_error *error)
{
    const struct ts_pipeline *pipeline = writing->pipeline;
    const struct ts_pipeline_slice *slice = &pipeline->slices.items[start ? arrow->from : arrow->to];
    const struct ts_pipeline_lane *lane = &pipeline->lanes.items[slice->lane];
    ts_sim_out_add(out, start ? TS_STR("{\"ph\": \"s\", \"id\": ") : TS_STR(", {\"ph\": \"f\", \"id\": "));
    ts_sim_out_unsigned(out, id);
    ts_sim_out_add(out, start ? TS_STR(", \"cat\": \"sync\", \"name\": ")
                              : TS_STR(", \"cat\": \"sync\", \"bp\": \"e\", \"name\": "));
    ts_sim_out_add(out, pipeline->details.items[arrow->detail].title);
    ADD(out, ", \"pid\": ");
    add_core(out, pipeline, lane);
    ADD(out, ", \"tid\": ");
    add_row(out, writing, lane, slice->row);
    ADD(out, ", \"ts\": ");
    enum ts_status status = add_time(writing, out, slice, error);
    ADD(out, "}");
    return status;
}

static enum ts_status write_arrows(void *data, size_t number, struct ts_error *error)
{
    struct writing *writing = data;
    const struct ts_pipeline *pipeline = writing->pipeline;
    size_t count = pipeline->arrows.count, first = number * ARROWS;
    size_t last = count - first < ARROWS ? count : first + ARROWS;
    struct ts_sim_out out = {0};
    enum ts_status status = TS_OK;
    for (size_t i = first; i < last && status == TS_OK; i++) {
        /* An arrow has slices, so something stands in front of it. */
        ADD(&out, ", ");
        status = add_end(writing, &out, &pipeline->arrows.items[i], i + 1, true, error);
        if (status == TS_OK)
            status = add_end(writing, &out, &pipeline->arrows.items[i], i + 1, false, error);
    }
    return hand_over(writing, number, status, &out, error);
}

/* ---- all of it ---- */

static enum ts_status in_turns(struct writing *writing, size_t count,
                               enum ts_status (*work)(void *, size_t, struct ts_error *), struct ts_error *error)
{
    ts_sim_turns_init(&writing->turns, writing->context);
    enum ts_status status = ts_parallel(writing->context, count, work, writing, error);
    ts_sim_turns_free(&writing->turns);
    return status == TS_OK ? ts_context_check(writing->context, error) : status;
}

static size_t parts_of(size_t count, size_t part)
{
    return count / part + (count % part != 0);
}

static void write_head(struct writing *writing)
{
    const struct ts_sim_trace_top *top = &writing->pipeline->top;
    struct ts_writer *writer = writing->writer;
    ts_writer_str(writer, TS_STR("{\"displayTimeUnit\": \"ns\", \"profilingType\": "));
    if (top->profiling_type.len)
        ts_writer_add(writer, top->profiling_type.ptr, top->profiling_type.len);
    else
        ts_writer_str(writer, TS_STR("\"op\""));
    ts_writer_str(writer, TS_STR(", \"schemaVersion\": "));
    if (top->schema_version.len)
        ts_writer_add(writer, top->schema_version.ptr, top->schema_version.len);
    else
        ts_writer_str(writer, TS_STR("1"));
    ts_writer_str(writer, TS_STR(", \"traceEvents\": ["));
}

enum ts_status ts_clean_sim_write(struct ts_context *context, const struct ts_sim_dump *dump,
                                  const struct ts_pipeline *pipeline, struct ts_writer *writer, struct ts_error *error)
{
    struct writing writing = {.context = context, .dump = dump, .pipeline = pipeline, .writer = writer};
    writing.all.size = ts_sim_dump_size(dump);
    writing.marks = calloc(pipeline->cores.count + 1, sizeof *writing.marks);
    if (!writing.marks)
        return ts_error_no_memory(error);
    write_head(&writing);
    enum ts_status status = write_metadata(&writing, error);
    if (status == TS_OK)
        status = in_turns(&writing, parts_of(pipeline->slices.count, SLICES), write_slices, error);
    if (status == TS_OK)
        status = in_turns(&writing, parts_of(pipeline->arrows.count, ARROWS), write_arrows, error);
    ts_writer_str(writer, TS_STR("]}"));
    free(writing.marks);
    return status;
}
