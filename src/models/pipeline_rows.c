#include "models/pipeline_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/thread.h"

/* ---- sorting ---- */

enum { RUN = 24 };

static void insert_all(uint32_t *numbers, size_t count, bool (*before)(const void *, uint32_t, uint32_t),
                       const void *data)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t moved = numbers[i];
        size_t at = i;
        for (; at > 0 && before(data, moved, numbers[at - 1]); at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = moved;
    }
}

/* How many of the sorted numbers do not come behind `pivot`. */
static size_t count_up_to(const uint32_t *numbers, size_t count, uint32_t pivot,
                          bool (*before)(const void *, uint32_t, uint32_t), const void *data)
{
    size_t low = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (before(data, pivot, numbers[low + half])) {
            count = half;
        } else {
            low += half + 1;
            count -= half + 1;
        }
    }
    return low;
}

/* Merge two sorted neighbours; what of the first already stands in front of all of the second is left alone. */
static void merge_runs(uint32_t *numbers, size_t middle, size_t count, uint32_t *temporary,
                       bool (*before)(const void *, uint32_t, uint32_t), const void *data)
{
    if (!before(data, numbers[middle], numbers[middle - 1]))
        return;
    size_t start = count_up_to(numbers, middle, numbers[middle], before, data);
    size_t left = middle - start, i = 0, right = middle, at = start;
    memcpy(temporary, numbers + start, left * sizeof *numbers);
    while (i < left && right < count)
        numbers[at++] = before(data, numbers[right], temporary[i]) ? numbers[right++] : temporary[i++];
    memcpy(numbers + at, temporary + i, (left - i) * sizeof *numbers);
}

void ts_pipeline_sort(uint32_t *numbers, uint32_t *temporary, size_t count,
                      bool (*before)(const void *data, uint32_t a, uint32_t b), const void *data)
{
    for (size_t at = 0; at < count; at += RUN)
        insert_all(numbers + at, count - at < RUN ? count - at : RUN, before, data);
    for (size_t width = RUN; width < count; width *= 2)
        for (size_t at = 0; count - at > width; at += 2 * width) {
            size_t both = count - at < 2 * width ? count - at : 2 * width;
            merge_runs(numbers + at, width, both, temporary, before, data);
            if (both < 2 * width)
                break;
        }
}

bool ts_pipeline_set_before(const void *data, uint32_t a, uint32_t b)
{
    const struct ts_pipeline_set *sets = data;
    return sets[a].begin < sets[b].begin;
}

bool ts_pipeline_wait_before(const void *data, uint32_t a, uint32_t b)
{
    const struct ts_pipeline_wait *waits = data;
    return waits[a].begin < waits[b].begin;
}

static bool starts_before(const void *data, uint32_t a, uint32_t b)
{
    const struct ts_pipeline_slice *slices = data;
    if (slices[a].ts != slices[b].ts)
        return slices[a].ts < slices[b].ts;
    return slices[a].dur < slices[b].dur;
}

static bool stands_before(const void *data, uint32_t a, uint32_t b)
{
    (void)data;
    return a < b;
}

/* ---- rows of one lane ---- */

/* When a row is free again: in microseconds as given, and in nanoseconds as a viewer rounds them. */
struct row_end {
    double us;
    int64_t ns;
};
/* The least ends below each node of a tree: which row is the first that is free is found without looking at all of them.
 * Leaf i of `leaves` is row i; those that are no row yet are never free. */
struct rows {
    struct row_end *tree;
    size_t leaves, count;
};

static bool is_free(struct row_end end, double us, int64_t ns)
{
    return end.us <= us && end.ns <= ns;
}

static struct row_end earlier(struct row_end a, struct row_end b)
{
    return (struct row_end){a.us < b.us ? a.us : b.us, a.ns < b.ns ? a.ns : b.ns};
}

static bool grow_rows(struct rows *rows)
{
    enum { FIRST = 8 };
    size_t leaves = rows->leaves ? rows->leaves * 2 : FIRST;
    struct row_end *tree = malloc(2 * leaves * sizeof *tree);
    if (!tree)
        return false;
    for (size_t i = 0; i < leaves; i++)
        tree[leaves + i] = i < rows->count ? rows->tree[rows->leaves + i] : (struct row_end){HUGE_VAL, INT64_MAX};
    for (size_t i = leaves; i-- > 1;)
        tree[i] = earlier(tree[2 * i], tree[2 * i + 1]);
    free(rows->tree);
    rows->tree = tree;
    rows->leaves = leaves;
    return true;
}

/* The first free row, or the number of rows. The two ends of a row say nearly the same, so a subtree whose least ends both
 * fit but that holds no free row is rare; an input made for it is answered with a row more. */
static size_t find_row(const struct rows *rows, double us, int64_t ns)
{
    enum { TURNS = 512 };
    size_t node = 1;
    for (unsigned turns = 0; turns < TURNS; turns++) {
        if (is_free(rows->tree[node], us, ns)) {
            if (node >= rows->leaves)
                return node - rows->leaves;
            node *= 2;
            continue;
        }
        /* To the next subtree on the right. */
        while (node & 1)
            node /= 2;
        if (node == 0)
            break;
        node++;
    }
    return rows->count;
}

static void set_row(struct rows *rows, size_t row, struct row_end end)
{
    size_t node = rows->leaves + row;
    rows->tree[node] = end;
    while (node > 1) {
        node /= 2;
        rows->tree[node] = earlier(rows->tree[2 * node], rows->tree[2 * node + 1]);
    }
}

/* Half of a clock cycle of the fastest chip, or what single precision cannot tell apart. */
static double tolerance_at(double ts)
{
    const double half_cycle = 0.45 / 1850, step = 0x1p-23;
    double rounding = fabs(ts) * step;
    return rounding > half_cycle ? rounding : half_cycle;
}

static bool place(const struct ts_pipeline_options *options, struct rows *rows, struct ts_pipeline_slice *slice)
{
    double us = options->tolerance ? slice->ts + tolerance_at(slice->ts) : slice->ts;
    int64_t ns = options->compat ? INT64_MAX : slice->start_ns;
    size_t row = rows->count ? find_row(rows, us, ns) : 0;
    struct row_end end = {slice->ts + slice->dur, options->compat ? INT64_MIN : slice->end_ns};
    if (row == rows->count) {
        if (row == rows->leaves && !grow_rows(rows))
            return false;
        rows->count++;
    } else if (!options->compat) {
        struct row_end old = rows->tree[rows->leaves + row];
        end.us = old.us > end.us ? old.us : end.us;
        end.ns = old.ns > end.ns ? old.ns : end.ns;
    }
    set_row(rows, row, end);
    slice->row = (uint32_t)row;
    return true;
}

/* Among slices of one time the order of the file counts from here on. */
static void order_ties(struct ts_pipeline *pipeline, uint32_t *numbers, uint32_t *temporary, size_t count)
{
    const struct ts_pipeline_slice *slices = pipeline->slices.items;
    for (size_t at = 0, next; at < count; at = next) {
        for (next = at + 1; next < count && slices[numbers[next]].ts == slices[numbers[at]].ts; next++)
            continue;
        if (next - at > 1)
            ts_pipeline_sort(numbers + at, temporary, next - at, stands_before, NULL);
    }
}

struct packing {
    struct ts_context *context;
    struct ts_pipeline *pipeline;
    uint32_t *temporary;
};

static enum ts_status pack_lane(void *data, size_t index, struct ts_error *error)
{
    struct packing *packing = data;
    struct ts_pipeline *pipeline = packing->pipeline;
    struct ts_pipeline_lane *lane = &pipeline->lanes.items[index];
    uint32_t *numbers = pipeline->order + lane->first, *temporary = packing->temporary + lane->first;
    struct rows rows = {NULL, 0, 0};
    enum ts_status status = TS_OK;
    ts_pipeline_sort(numbers, temporary, lane->count, starts_before, pipeline->slices.items);
    for (size_t i = 0; i < lane->count && status == TS_OK; i++) {
        if (!place(&pipeline->options, &rows, &pipeline->slices.items[numbers[i]]))
            status = ts_error_no_memory(error);
        else if (i % 16384 == 0)
            status = ts_context_check(packing->context, error);
    }
    lane->rows = (uint32_t)rows.count;
    free(rows.tree);
    if (status == TS_OK)
        order_ties(pipeline, numbers, temporary, lane->count);
    return status;
}

/* ---- all lanes ---- */

/* Slices by lane, in the order of the file within each. */
static bool group_slices(struct ts_pipeline *pipeline)
{
    size_t count = pipeline->slices.count;
    pipeline->order = malloc(count * sizeof *pipeline->order + 1);
    if (!pipeline->order)
        return false;
    for (size_t i = 0; i < count; i++)
        pipeline->lanes.items[pipeline->slices.items[i].lane].count++;
    uint32_t first = 0;
    for (size_t i = 0; i < pipeline->lanes.count; i++) {
        struct ts_pipeline_lane *lane = &pipeline->lanes.items[i];
        lane->first = first;
        first += lane->count;
        lane->count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct ts_pipeline_lane *lane = &pipeline->lanes.items[pipeline->slices.items[i].lane];
        pipeline->order[lane->first + lane->count++] = (uint32_t)i;
    }
    return true;
}

static bool find_row_ends(struct ts_pipeline *pipeline)
{
    size_t rows = 0;
    for (size_t i = 0; i < pipeline->lanes.count; i++) {
        pipeline->lanes.items[i].first_row = (uint32_t)rows;
        rows += pipeline->lanes.items[i].rows;
    }
    pipeline->row_count = rows;
    pipeline->row_first = malloc(rows * sizeof *pipeline->row_first + 1);
    pipeline->row_last = malloc(rows * sizeof *pipeline->row_last + 1);
    if (!pipeline->row_first || !pipeline->row_last)
        return false;
    for (size_t i = 0; i < rows; i++)
        pipeline->row_first[i] = UINT32_MAX;
    for (size_t i = 0; i < pipeline->slices.count; i++) {
        const struct ts_pipeline_slice *slice = &pipeline->slices.items[i];
        uint32_t row = pipeline->lanes.items[slice->lane].first_row + slice->row;
        if (pipeline->row_first[row] == UINT32_MAX)
            pipeline->row_first[row] = (uint32_t)i;
        pipeline->row_last[row] = (uint32_t)i;
    }
    return true;
}

enum ts_status ts_pipeline_pack(struct ts_context *context, struct ts_pipeline *pipeline, struct ts_error *error)
{
    struct packing packing = {context, pipeline, malloc(pipeline->slices.count * sizeof(uint32_t) + 1)};
    enum ts_status status = TS_OK;
    if (!packing.temporary || !group_slices(pipeline))
        status = ts_error_no_memory(error);
    if (status == TS_OK)
        status = ts_parallel(context, pipeline->lanes.count, pack_lane, &packing, error);
    free(packing.temporary);
    if (status == TS_OK && !find_row_ends(pipeline))
        status = ts_error_no_memory(error);
    return status;
}
