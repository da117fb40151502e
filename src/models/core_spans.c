#include "models/core_spans.h"

#include <stdlib.h>

#include "base/number.h"
#include "base/vec.h"

/* A core and a group of processors is one entry; entries lie in blocks, times behind the keys. */
struct ts_span_block {
    struct ts_span_block *next;
    uint32_t count, capacity;
    uint32_t keys[]; /* core * 64 + processor / TS_SPAN_RISCS; then the times, narrow or wide */
};

struct narrow_time {
    uint32_t first, last; /* from the window's start */
};

enum { CORES_AT_ONCE_MAX = 1024, CORES_MORE = 4, GROUPS_PER_CORE = 64 };

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

/* ---- making ---- */

static uint16_t cores_of(const struct ts_perf_source *source, uint32_t row)
{
    int32_t cores = source->facts[row].cores;
    return (uint16_t)(cores < 1 ? 1 : cores > CORES_AT_ONCE_MAX ? CORES_AT_ONCE_MAX : cores);
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
                                     .pooled = at->pooled,
                                     .wide = at->to < at->from || at->to - at->from >= UINT32_MAX,
                                     .cores = cores_of(source, at->row)};
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
    if (status == TS_OK)
        set_spans(spans, source, wanted, count);
    free(wanted);
    if (status == TS_OK)
        *out = spans;
    else
        ts_core_spans_destroy(spans);
    return status;
}

void ts_core_spans_destroy(struct ts_core_spans *spans)
{
    if (!spans)
        return;
    ts_arena_free(&spans->arena);
    free(spans);
}

/* ---- adding zones ---- */

static size_t time_size(const struct ts_span *span)
{
    return TS_SPAN_RISCS * (span->wide ? sizeof(struct ts_span_time) : sizeof(struct narrow_time));
}

/* Keys are followed by times on a boundary of 8. */
static size_t keys_size(uint32_t capacity)
{
    size_t size = sizeof(struct ts_span_block) + capacity * sizeof(uint32_t);
    return (size + 7) & ~(size_t)7;
}

static char *times_of(const struct ts_span *span, const struct ts_span_block *block, uint32_t index)
{
    return (char *)(uintptr_t)block + keys_size(block->capacity) + index * time_size(span);
}

static struct ts_span_block *add_block(struct ts_core_spans *spans, struct ts_span *span)
{
    uint32_t capacity = span->blocks ? CORES_MORE : span->cores;
    struct ts_span_block *block = ts_arena_alloc(&spans->arena, keys_size(capacity) + capacity * time_size(span));
    if (!block) {
        spans->failed = true;
        return NULL;
    }
    *block = (struct ts_span_block){.capacity = capacity};
    struct ts_span_block **link = &span->blocks;
    while (*link)
        link = &(*link)->next;
    *link = block;
    return block;
}

/* Go to the entry with this key, which is most often the last one or the one behind it. */
static bool find_entry(struct ts_span *span, uint32_t key)
{
    struct ts_span_block *block = span->at;
    uint32_t index = span->at_index;
    if (block && index < block->count && block->keys[index] == key)
        return true;
    if (block && index + 1 < block->count && block->keys[index + 1] == key) {
        span->at_index++;
        return true;
    }
    for (block = span->blocks; block; block = block->next)
        for (index = 0; index < block->count; index++)
            if (block->keys[index] == key) {
                span->at = block;
                span->at_index = index;
                return true;
            }
    return false;
}

static bool add_entry(struct ts_core_spans *spans, struct ts_span *span, uint32_t key)
{
    struct ts_span_block *block = span->blocks;
    while (block && block->count == block->capacity)
        block = block->next;
    if (!block)
        block = add_block(spans, span);
    if (!block)
        return false;
    span->at = block;
    span->at_index = block->count++;
    block->keys[span->at_index] = key;
    char *times = times_of(span, block, span->at_index);
    for (unsigned i = 0; i < TS_SPAN_RISCS; i++) {
        if (span->wide)
            ((struct ts_span_time *)(void *)times)[i] = (struct ts_span_time){UINT64_MAX, 0};
        else
            ((struct narrow_time *)(void *)times)[i] = (struct narrow_time){UINT32_MAX, 0};
    }
    return true;
}

static void add_to_span(struct ts_core_spans *spans, struct ts_span *span, struct ts_log_lane lane, uint64_t start,
                        uint64_t end)
{
    uint32_t key = lane.core * GROUPS_PER_CORE + lane.risc / TS_SPAN_RISCS, risc = lane.risc % TS_SPAN_RISCS;
    if (!find_entry(span, key) && !add_entry(spans, span, key))
        return;
    char *times = times_of(span, span->at, span->at_index);
    if (span->wide) {
        struct ts_span_time *time = (struct ts_span_time *)(void *)times + risc;
        time->first = start < time->first ? start : time->first;
        time->last = end > time->last ? end : time->last;
    } else {
        struct narrow_time *time = (struct narrow_time *)(void *)times + risc;
        uint32_t from = (uint32_t)(start - span->from), to = (uint32_t)(end - span->from);
        time->first = from < time->first ? from : time->first;
        time->last = to > time->last ? to : time->last;
    }
}

void ts_core_spans_add(struct ts_core_spans *spans, uint32_t pair_number, struct ts_log_lane lane, uint64_t start,
                       uint64_t end)
{
    struct ts_span_pair *pair = &spans->pairs[pair_number];
    struct ts_span *first = &spans->spans[pair->first_span];
    uint32_t count = pair->span_count, low = 0, high;
    pair->any_zone = true;
    if (count > 0 && first[count - 1].pooled)
        add_to_span(spans, &first[--count], lane, start, end);
    /* Windows that begin at or before the zone; of those the ones that end behind it. */
    for (high = count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (first[middle].from <= start)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && first[--low].last_to >= end)
        if (first[low].to >= end)
            add_to_span(spans, &first[low], lane, start, end);
}

/* ---- reading ---- */

bool ts_span_walk_next(struct ts_span_walk *walk, struct ts_span_entry *out)
{
    while (walk->block && walk->index >= walk->block->count) {
        walk->block = walk->block->next;
        walk->index = 0;
    }
    if (!walk->block)
        return false;
    const struct ts_span *span = walk->span;
    uint32_t key = walk->block->keys[walk->index];
    const char *times = times_of(span, walk->block, walk->index++);
    out->core = key / GROUPS_PER_CORE;
    out->risc = key % GROUPS_PER_CORE * TS_SPAN_RISCS;
    for (unsigned i = 0; i < TS_SPAN_RISCS; i++) {
        if (span->wide) {
            out->times[i] = ((const struct ts_span_time *)(const void *)times)[i];
            continue;
        }
        struct narrow_time time = ((const struct narrow_time *)(const void *)times)[i];
        if (time.first > time.last)
            out->times[i] = (struct ts_span_time){UINT64_MAX, 0};
        else
            out->times[i] = (struct ts_span_time){time.first + span->from, time.last + span->from};
    }
    return true;
}
