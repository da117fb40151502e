#include "models/core_spans.h"

#include <stdlib.h>

#include "base/number.h"
#include "base/vec.h"

enum { CORES_AT_ONCE_MAX = 1024, CELL_ROOM = 4, CELL_SLOTS_AT_FIRST = 64 };

/* A window of a pair by its end. */
struct ts_span_end {
    uint64_t to;
    uint32_t span;
};

/* ---- which rows want what ---- */

struct wanted {
    uint64_t run, from, to;
    uint32_t slot, row;
    bool pooled;
};

static bool whole_cell(struct ts_str cell, uint64_t *out)
{
    int64_t whole;
    if (ts_number_parse_u64(cell, out))
        return true;
    if (!ts_number_parse_whole(cell, &whole) || whole < 0)
        return false;
    *out = (uint64_t)whole;
    return true;
}

static bool want(const struct ts_perf_source *source, uint32_t row, struct wanted *out)
{
    const struct ts_op_facts *facts = &source->facts[row];
    *out = (struct wanted){.row = row};
    if (facts->kind != TS_ROW_DEVICE || facts->device < 0 ||
        !whole_cell(ts_ops_text(source->ops, TS_OPS_GLOBAL_CALL_COUNT, row), &out->run))
        return false;
    out->slot = (uint32_t)facts->device;
    out->pooled = !whole_cell(ts_ops_text(source->ops, TS_OPS_FW_START_CYCLE, row), &out->from) ||
                  !whole_cell(ts_ops_text(source->ops, TS_OPS_FW_END_CYCLE, row), &out->to);
    if (out->pooled) {
        out->from = 0;
        out->to = UINT64_MAX;
    }
    return true;
}

static int three_way(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_pair_and_window(const void *a, const void *b)
{
    const struct wanted *left = a, *right = b;
    int order = three_way(left->run, right->run);
    if (!order)
        order = three_way(left->slot, right->slot);
    if (!order)
        order = three_way(left->pooled, right->pooled);
    if (!order)
        order = three_way(left->from, right->from);
    if (!order)
        order = three_way(left->to, right->to);
    return order ? order : three_way(left->row, right->row);
}

static bool same_pair(const struct wanted *a, const struct wanted *b)
{
    return a->run == b->run && a->slot == b->slot;
}

static bool same_window(const struct wanted *a, const struct wanted *b)
{
    return same_pair(a, b) && a->pooled == b->pooled && a->from == b->from && a->to == b->to;
}

/* ---- finding a pair ---- */

static uint32_t pair_hash(uint64_t run, uint32_t slot)
{
    uint64_t mixed = (run ^ (uint64_t)slot << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> 32);
}

uint32_t ts_core_spans_pair(const struct ts_core_spans *spans, uint64_t run, uint32_t slot)
{
    uint32_t mask = spans->pair_slot_count - 1;
    for (uint32_t at = pair_hash(run, slot) & mask;; at = (at + 1) & mask) {
        uint32_t number = spans->pair_slots[at];
        if (number == 0)
            return TS_NO_PAIR;
        const struct ts_span_pair *pair = &spans->pairs[number - 1];
        if (pair->run == run && pair->slot == slot)
            return number - 1;
    }
}

static void index_pairs(struct ts_core_spans *spans)
{
    uint32_t mask = spans->pair_slot_count - 1;
    for (uint32_t i = 0; i < spans->pair_count; i++) {
        uint32_t at = pair_hash(spans->pairs[i].run, spans->pairs[i].slot) & mask;
        while (spans->pair_slots[at])
            at = (at + 1) & mask;
        spans->pair_slots[at] = i + 1;
    }
}

/* ---- windows that overlap ---- */

static int by_end(const void *a, const void *b)
{
    const struct ts_span_end *left = a, *right = b;
    int order = three_way(left->to, right->to);
    return order ? order : three_way(left->span, right->span);
}

/* How many of a pair's spans are windows: the one without stands last. */
static uint32_t windows_of(const struct ts_core_spans *spans, const struct ts_span_pair *pair)
{
    return pair->span_count - (pair->span_count && spans->spans[pair->first_span + pair->span_count - 1].pooled);
}

/* Their windows by their end, of each pair that has such. */
static enum ts_status set_ends(struct ts_core_spans *spans, struct ts_error *error)
{
    bool overlap = false;
    for (uint32_t i = 0; i < spans->pair_count; i++)
        overlap = overlap || spans->pairs[i].overlap;
    if (!overlap)
        return TS_OK;
    spans->ends = TS_ARENA_ARRAY(&spans->arena, struct ts_span_end, spans->span_count);
    if (!spans->ends)
        return ts_arena_error(&spans->arena, error);
    for (uint32_t i = 0; i < spans->pair_count; i++) {
        const struct ts_span_pair *pair = &spans->pairs[i];
        uint32_t count = pair->overlap ? windows_of(spans, pair) : 0;
        struct ts_span_end *ends = &spans->ends[pair->first_span];
        for (uint32_t k = 0; k < count; k++)
            ends[k] = (struct ts_span_end){spans->spans[pair->first_span + k].to, pair->first_span + k};
        qsort(ends, count, sizeof *ends, by_end);
        for (uint32_t k = 0; k < count; k++)
            spans->spans[ends[k].span].to_rank = k;
    }
    return TS_OK;
}

/* ---- making ---- */

static uint16_t cores_of(const struct ts_perf_source *source, uint32_t row)
{
    int32_t cores = source->facts[row].cores;
    return (uint16_t)(cores < 1 ? 1 : cores > CORES_AT_ONCE_MAX ? CORES_AT_ONCE_MAX : cores);
}

static bool is_wide(uint64_t from, uint64_t to)
{
    return to < from || to - from >= UINT32_MAX;
}

/* Pairs and spans of the wanted rows, which are sorted. */
static void set_spans(struct ts_core_spans *spans, const struct ts_perf_source *source, const struct wanted *wanted,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct wanted *at = &wanted[i];
        if (i == 0 || !same_pair(at, at - 1))
            spans->pairs[spans->pair_count++] =
                (struct ts_span_pair){.run = at->run, .slot = at->slot, .first_span = spans->span_count};
        struct ts_span_pair *pair = &spans->pairs[spans->pair_count - 1];
        pair->rows++;
        if (i == 0 || !same_window(at, at - 1)) {
            struct ts_span *span = &spans->spans[spans->span_count];
            uint64_t before = pair->span_count ? span[-1].last_to : 0;
            *span = (struct ts_span){.from = at->from,
                                     .to = at->to,
                                     .last_to = before > at->to ? before : at->to,
                                     .pair = spans->pair_count - 1,
                                     .least_to = UINT32_MAX,
                                     .pooled = at->pooled};
            span->times = (struct ts_span_times){
                .base = at->from, .room = cores_of(source, at->row), .wide = is_wide(at->from, at->to)};
            pair->overlap = pair->overlap || (pair->span_count && !at->pooled && at->from <= before);
            spans->span_count++;
            pair->span_count++;
        }
        spans->span_of_row[at->row] = spans->span_count - 1;
    }
    index_pairs(spans);
}

static enum ts_status allocate(struct ts_core_spans *spans, const struct wanted *wanted, uint32_t count,
                               struct ts_error *error)
{
    uint32_t pairs = 0, distinct = 0;
    for (uint32_t i = 0; i < count; i++) {
        pairs += i == 0 || !same_pair(&wanted[i], &wanted[i - 1]);
        distinct += i == 0 || !same_window(&wanted[i], &wanted[i - 1]);
    }
    spans->pair_slot_count = 16;
    while (spans->pair_slot_count < 2 * pairs && spans->pair_slot_count < UINT32_C(1) << 31)
        spans->pair_slot_count *= 2;
    spans->span_of_row = TS_ARENA_ARRAY(&spans->arena, uint32_t, spans->row_count);
    spans->pairs = TS_ARENA_ARRAY(&spans->arena, struct ts_span_pair, pairs);
    spans->spans = TS_ARENA_ARRAY(&spans->arena, struct ts_span, distinct);
    spans->pair_slots = TS_ARENA_ARRAY(&spans->arena, uint32_t, spans->pair_slot_count);
    if (!spans->span_of_row || !spans->pairs || !spans->spans || !spans->pair_slots)
        return ts_arena_error(&spans->arena, error);
    for (uint32_t row = 0; row < spans->row_count; row++)
        spans->span_of_row[row] = TS_NO_SPAN;
    return TS_OK;
}

enum ts_status ts_core_spans_create(struct ts_context *context, const struct ts_perf_source *source,
                                    struct ts_core_spans **out, struct ts_error *error)
{
    uint32_t rows = source->ops->rows, count = 0;
    struct ts_core_spans *spans = calloc(1, sizeof *spans);
    struct wanted *wanted = malloc((rows ? rows : 1) * sizeof *wanted);
    if (!spans || !wanted) {
        free(spans);
        free(wanted);
        return ts_error_no_memory(error);
    }
    ts_arena_init(&spans->arena, context->memory_limit);
    spans->row_count = rows;
    for (uint32_t row = 0; row < rows; row++)
        count += want(source, row, &wanted[count]);
    qsort(wanted, count, sizeof *wanted, by_pair_and_window);
    enum ts_status status = allocate(spans, wanted, count, error);
    if (status == TS_OK) {
        set_spans(spans, source, wanted, count);
        status = set_ends(spans, error);
    }
    free(wanted);
    if (status == TS_OK)
        *out = spans;
    else
        ts_core_spans_destroy(spans);
    return status;
}

/* What only adding needs. */
static void give_back(struct ts_core_spans *spans)
{
    for (uint32_t i = 0; i < spans->span_count; i++)
        ts_span_times_seal(&spans->spans[i].times);
    for (uint32_t i = 0; i < spans->pair_count; i++)
        for (struct ts_span_cell *cell = spans->pairs[i].cells; cell; cell = cell->next)
            ts_span_times_seal(&cell->times);
    free(spans->cell_slots);
    spans->cell_slots = NULL;
}

void ts_core_spans_destroy(struct ts_core_spans *spans)
{
    if (!spans)
        return;
    give_back(spans);
    ts_arena_free(&spans->arena);
    free(spans);
}

/* ---- adding zones ---- */

static uint32_t cell_hash(uint32_t from, uint32_t to)
{
    uint64_t mixed = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> 32);
}

static void put_cell(struct ts_span_cell **slots, uint32_t count, struct ts_span_cell *cell)
{
    uint32_t at = cell_hash(cell->from, cell->to) & (count - 1);
    while (slots[at])
        at = (at + 1) & (count - 1);
    slots[at] = cell;
}

static bool grow_cells(struct ts_core_spans *spans)
{
    if (2 * spans->cell_count < spans->cell_slot_count)
        return true;
    uint32_t larger = spans->cell_slot_count ? 2 * spans->cell_slot_count : CELL_SLOTS_AT_FIRST;
    struct ts_span_cell **made = calloc(larger, sizeof(struct ts_span_cell *));
    if (!made)
        return false;
    for (uint32_t i = 0; i < spans->cell_slot_count; i++)
        if (spans->cell_slots[i])
            put_cell(made, larger, spans->cell_slots[i]);
    free(spans->cell_slots);
    spans->cell_slots = made;
    spans->cell_slot_count = larger;
    return true;
}

/* The times of zones between one window's start and another's end. NULL when memory is out. */
static struct ts_span_times *cell_at(struct ts_core_spans *spans, struct ts_span_pair *pair, uint32_t from, uint32_t to)
{
    if (!grow_cells(spans))
        return NULL;
    uint32_t mask = spans->cell_slot_count - 1;
    for (uint32_t at = cell_hash(from, to) & mask; spans->cell_slots[at]; at = (at + 1) & mask)
        if (spans->cell_slots[at]->from == from && spans->cell_slots[at]->to == to)
            return &spans->cell_slots[at]->times;
    struct ts_span_cell *cell = TS_ARENA_NEW(&spans->arena, struct ts_span_cell);
    if (!cell)
        return NULL;
    uint64_t base = spans->spans[from].from;
    *cell = (struct ts_span_cell){.next = pair->cells, .from = from, .to = to};
    cell->times = (struct ts_span_times){
        .base = base, .room = CELL_ROOM, .wide = is_wide(base, spans->ends[pair->first_span + to].to)};
    pair->cells = cell;
    put_cell(spans->cell_slots, spans->cell_slot_count, cell);
    spans->cell_count++;
    return &cell->times;
}

/* The number of the first window by end that ends at or behind `end`; one does. */
static uint32_t first_end(const struct ts_span_end *ends, uint32_t count, uint64_t end)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ends[middle].to < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where a zone of the pair goes, when the last window that begins at or before it is `from`. */
static struct ts_span_times *place_of(struct ts_core_spans *spans, struct ts_span_pair *pair, uint32_t from,
                                      uint64_t end)
{
    struct ts_span *span = &spans->spans[from];
    if (!pair->overlap)
        return &span->times;
    uint32_t to = first_end(&spans->ends[pair->first_span], windows_of(spans, pair), end);
    if (to < span->least_to)
        span->least_to = to;
    return to == span->to_rank ? &span->times : cell_at(spans, pair, from, to);
}

void ts_core_spans_add(struct ts_core_spans *spans, uint32_t pair_number, struct ts_log_lane lane, uint64_t start,
                       uint64_t end)
{
    struct ts_span_pair *pair = &spans->pairs[pair_number];
    struct ts_span *first = &spans->spans[pair->first_span];
    uint32_t count = windows_of(spans, pair), low = 0, high = count;
    bool good = true;
    pair->any_zone = true;
    if (count < pair->span_count)
        good = ts_span_times_add(&first[count].times, &spans->arena, lane, start, end);
    /* Windows that begin at or before the zone; in one of them it lies when the largest end is not before its own. */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (first[middle].from <= start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && first[low - 1].last_to >= end) {
        struct ts_span_times *times = place_of(spans, pair, pair->first_span + low - 1, end);
        good = good && times && ts_span_times_add(times, &spans->arena, lane, start, end);
    }
    if (!good)
        spans->failed = true;
}

/* Which windows of a pair hold anything: of what begins in or behind a window, the least end tells. */
static void seal_pair(struct ts_core_spans *spans, struct ts_span_pair *pair)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = pair->span_count; i-- > 0;) {
        struct ts_span *span = &spans->spans[pair->first_span + i];
        if (span->least_to < least)
            least = span->least_to;
        span->any = pair->overlap && !span->pooled ? least <= span->to_rank : span->times.count > 0;
        pair->any_inside = pair->any_inside || (span->any && !span->pooled);
    }
}

void ts_core_spans_seal(struct ts_core_spans *spans)
{
    give_back(spans);
    for (uint32_t i = 0; i < spans->pair_count; i++)
        seal_pair(spans, &spans->pairs[i]);
}

/* ---- asking ---- */

/* Entries as they come, of which those of one core and processors are made one now and then. */
struct entries {
    struct ts_context *context;
    struct ts_span_entry *items;
    uint32_t count, capacity;
};

static int by_core(const void *a, const void *b)
{
    const struct ts_span_entry *left = a, *right = b;
    int order = three_way(left->core, right->core);
    return order ? order : three_way(left->risc, right->risc);
}

static void merge_entries(struct entries *entries)
{
    uint32_t merged = 0;
    if (entries->count > 0)
        qsort(entries->items, entries->count, sizeof *entries->items, by_core);
    for (uint32_t i = 0; i < entries->count; i++) {
        const struct ts_span_entry *from = &entries->items[i];
        if (merged == 0 || by_core(&entries->items[merged - 1], from) != 0) {
            entries->items[merged++] = *from;
            continue;
        }
        struct ts_span_entry *to = &entries->items[merged - 1];
        for (unsigned k = 0; k < TS_SPAN_RISCS; k++) {
            if (from->times[k].first < to->times[k].first)
                to->times[k].first = from->times[k].first;
            if (from->times[k].last > to->times[k].last)
                to->times[k].last = from->times[k].last;
        }
    }
    entries->count = merged;
}

/* Room for one more. */
static enum ts_status make_room(struct entries *entries, struct ts_error *error)
{
    if (entries->count < entries->capacity)
        return TS_OK;
    enum ts_status status = ts_context_check(entries->context, error);
    if (status != TS_OK)
        return status;
    merge_entries(entries);
    if (entries->count <= entries->capacity / 2 && entries->capacity > 0)
        return TS_OK;
    uint32_t capacity = entries->capacity ? 2 * entries->capacity : CORES_AT_ONCE_MAX / 8;
    struct ts_span_entry *larger = realloc(entries->items, capacity * sizeof *larger);
    if (!larger)
        return ts_error_no_memory(error);
    entries->items = larger;
    entries->capacity = capacity;
    return TS_OK;
}

static enum ts_status add_times(struct entries *entries, const struct ts_span_times *times, struct ts_error *error)
{
    struct ts_span_walk walk = ts_span_walk_begin(times);
    struct ts_span_entry entry;
    while (ts_span_walk_next(&walk, &entry)) {
        enum ts_status status = make_room(entries, error);
        if (status != TS_OK)
            return status;
        entries->items[entries->count++] = entry;
    }
    return TS_OK;
}

/* What begins in or behind the window and ends before it does. */
static enum ts_status add_overlapping(const struct ts_core_spans *spans, uint32_t number, struct entries *entries,
                                      struct ts_error *error)
{
    const struct ts_span *window = &spans->spans[number];
    const struct ts_span_pair *pair = &spans->pairs[window->pair];
    enum ts_status status = TS_OK;
    for (uint32_t i = number; status == TS_OK && i < pair->first_span + windows_of(spans, pair); i++)
        if (spans->spans[i].to_rank <= window->to_rank)
            status = add_times(entries, &spans->spans[i].times, error);
    for (const struct ts_span_cell *cell = pair->cells; status == TS_OK && cell; cell = cell->next)
        if (cell->from >= number && cell->to <= window->to_rank)
            status = add_times(entries, &cell->times, error);
    return status;
}

enum ts_status ts_core_spans_entries(struct ts_context *context, const struct ts_core_spans *spans, uint32_t number,
                                     struct ts_span_entry **out, uint32_t *count, struct ts_error *error)
{
    const struct ts_span *span = &spans->spans[number];
    struct entries entries = {.context = context};
    bool overlap = !span->pooled && spans->pairs[span->pair].overlap;
    enum ts_status status =
        overlap ? add_overlapping(spans, number, &entries, error) : add_times(&entries, &span->times, error);
    if (status != TS_OK) {
        free(entries.items);
        return status;
    }
    merge_entries(&entries);
    *out = entries.items;
    *count = entries.count;
    return TS_OK;
}
