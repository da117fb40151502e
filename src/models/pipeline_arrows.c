#include "models/pipeline_arrows.h"

#include <stdlib.h>

#include "base/thread.h"
#include "models/pipeline_rows.h"

enum { NOBODY = UINT32_MAX, TWINS = 2, PART = 16384 /* sets searched for at a time */ };

/* The lanes that the two sides of a detail mean. */
struct anchors {
    uint32_t producers[TWINS], consumers[TWINS];
};

struct connecting {
    struct ts_pipeline *pipeline;
    struct anchors *anchors; /* per detail */
    uint32_t *set_order, *wait_order, *temporary;
    uint32_t *wait_first, *wait_end; /* per key, in wait_order: the next one and behind the last */
};

/* Some of the sets, in the order of time. */
struct search {
    const struct connecting *all;
    uint32_t *hints; /* per lane: where in it was looked last */
};

/* ---- the slices beside a flag ---- */

static double time_at(const struct ts_pipeline *pipeline, const struct ts_pipeline_lane *lane, uint32_t place)
{
    return pipeline->slices.items[pipeline->order[lane->first + place]].ts;
}

/* How many slices of the lane begin before the time, or at it when `at` is set. Flags come in the order of time, so the
 * search goes out from where the last one ended, in steps that double. */
static uint32_t count_before(struct search *search, uint32_t number, double time, bool at)
{
    const struct ts_pipeline *pipeline = search->all->pipeline;
    const struct ts_pipeline_lane *lane = &pipeline->lanes.items[number];
    uint32_t low = 0, high = lane->count, hint = search->hints[number], step = 1;
#define COUNTS(place) (at ? time_at(pipeline, lane, place) <= time : time_at(pipeline, lane, place) < time)
    if (hint < high && COUNTS(hint)) {
        low = hint + 1;
        while (step < high - low && COUNTS(low + step - 1)) {
            low += step;
            step *= 2;
        }
        if (step < high - low)
            high = low + step;
    } else {
        if (hint < high)
            high = hint;
        while (step < high - low && !COUNTS(high - step)) {
            high -= step;
            step *= 2;
        }
        if (step < high - low)
            low = high - step;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (COUNTS(middle))
            low = middle + 1;
        else
            high = middle;
    }
#undef COUNTS
    search->hints[number] = low ? low - 1 : 0;
    return low;
}

/* Of two slices the one that begins later, or earlier, than the other; of one time the later, or earlier, in the file. */
static uint32_t choose(const struct ts_pipeline *pipeline, uint32_t a, uint32_t b, bool later)
{
    if (a == NOBODY || b == NOBODY)
        return a == NOBODY ? b : a;
    double x = pipeline->slices.items[a].ts, y = pipeline->slices.items[b].ts;
    bool first = x != y ? x > y : a > b;
    return first == later ? a : b;
}

/* The last slice of the producer that begins no later than the flag is set. */
static uint32_t find_producer(struct search *search, const uint32_t lanes[TWINS], double begin)
{
    const struct ts_pipeline *pipeline = search->all->pipeline;
    uint32_t found = NOBODY;
    for (unsigned i = 0; i < TWINS; i++) {
        uint32_t count = lanes[i] == NOBODY ? 0 : count_before(search, lanes[i], begin, true);
        if (count > 0)
            found = choose(pipeline, found, pipeline->order[pipeline->lanes.items[lanes[i]].first + count - 1], true);
    }
    return found;
}

/* The first slice of the consumer that begins no earlier than the wait ends. */
static uint32_t find_consumer(struct search *search, const uint32_t lanes[TWINS], double end)
{
    const struct ts_pipeline *pipeline = search->all->pipeline;
    uint32_t found = NOBODY;
    for (unsigned i = 0; i < TWINS; i++) {
        if (lanes[i] == NOBODY)
            continue;
        const struct ts_pipeline_lane *lane = &pipeline->lanes.items[lanes[i]];
        uint32_t count = count_before(search, lanes[i], end, false);
        if (count < lane->count)
            found = choose(pipeline, found, pipeline->order[lane->first + count], false);
    }
    return found;
}

/* ---- preparing ---- */

static bool find_lanes(const struct ts_pipeline *pipeline, uint32_t core, struct ts_str pipe, uint32_t lanes[TWINS])
{
    struct ts_str name = ts_pipeline_alias(&pipeline->options, pipe);
    struct ts_str twin = ts_pipeline_twin(&pipeline->options, name);
    lanes[1] = NOBODY;
    if (!ts_pipeline_find_lane(pipeline, core, name, &lanes[0]) ||
        (twin.len && !ts_pipeline_find_lane(pipeline, core, twin, &lanes[1])))
        return false;
    for (unsigned i = 0; i < TWINS; i++)
        if (lanes[i] != NOBODY && pipeline->lanes.items[lanes[i]].count == 0)
            lanes[i] = NOBODY;
    return true;
}

static bool find_anchors(struct connecting *all)
{
    const struct ts_pipeline *pipeline = all->pipeline;
    for (size_t i = 0; i < pipeline->details.count; i++) {
        const struct ts_pipeline_detail *detail = &pipeline->details.items[i];
        struct ts_pipeline_flag flag = ts_pipeline_flag_parse(&pipeline->options, detail->text);
        if (!find_lanes(pipeline, detail->core, flag.producer, all->anchors[i].producers) ||
            !find_lanes(pipeline, detail->core, flag.consumer, all->anchors[i].consumers))
            return false;
    }
    return true;
}

/* Waits by key, by time within each. */
static void group_waits(struct connecting *all)
{
    const struct ts_pipeline *pipeline = all->pipeline;
    size_t count = pipeline->waits.count;
    for (size_t i = 0; i < count; i++)
        all->wait_end[pipeline->waits.items[i].key]++;
    uint32_t first = 0;
    for (size_t key = 0; key < pipeline->keys; key++) {
        uint32_t waits = all->wait_end[key];
        all->wait_first[key] = all->wait_end[key] = first;
        first += waits;
    }
    for (size_t i = 0; i < count; i++)
        all->wait_order[all->wait_end[pipeline->waits.items[i].key]++] = (uint32_t)i;
    for (size_t key = 0; key < pipeline->keys; key++)
        ts_pipeline_sort(all->wait_order + all->wait_first[key], all->temporary,
                         all->wait_end[key] - all->wait_first[key], ts_pipeline_wait_before, pipeline->waits.items);
}

static bool prepare(struct connecting *all)
{
    struct ts_pipeline *pipeline = all->pipeline;
    size_t sets = pipeline->sets.count, waits = pipeline->waits.count;
    if (sets >= NOBODY || waits >= NOBODY)
        return false;
    all->anchors = malloc(pipeline->details.count * sizeof *all->anchors + 1);
    all->set_order = malloc(sets * sizeof *all->set_order + 1);
    all->wait_order = malloc(waits * sizeof *all->wait_order + 1);
    all->temporary = malloc((sets > waits ? sets : waits) * sizeof *all->temporary + 1);
    all->wait_first = calloc((size_t)pipeline->keys + 1, sizeof *all->wait_first);
    all->wait_end = calloc((size_t)pipeline->keys + 1, sizeof *all->wait_end);
    if (!all->anchors || !all->set_order || !all->wait_order || !all->temporary || !all->wait_first || !all->wait_end ||
        !find_anchors(all))
        return false;
    for (size_t i = 0; i < sets; i++)
        all->set_order[i] = (uint32_t)i;
    ts_pipeline_sort(all->set_order, all->temporary, sets, ts_pipeline_set_before, pipeline->sets.items);
    group_waits(all);
    free(all->temporary);
    all->temporary = NULL;
    return ts_vec_reserve(&pipeline->arrows, sets);
}

/* ---- connecting ---- */

/* Each set with the wait that answers it, the n-th of a key with the n-th: `to` is its number for now. */
static void match_waits(struct connecting *all)
{
    struct ts_pipeline *pipeline = all->pipeline;
    for (size_t i = 0; i < pipeline->sets.count; i++) {
        const struct ts_pipeline_set *set = &pipeline->sets.items[all->set_order[i]];
        uint32_t key = pipeline->details.items[set->detail].key;
        bool left = all->wait_first[key] < all->wait_end[key];
        uint32_t wait = left ? all->wait_order[all->wait_first[key]++] : NOBODY;
        pipeline->skipped_without_wait += !left;
        if (left)
            pipeline->arrows.items[pipeline->arrows.count++] =
                (struct ts_pipeline_arrow){all->set_order[i], wait, set->detail};
    }
}

/* From the numbers of a set and its wait to those of slices; NOBODY in `to` where one is missing. */
static enum ts_status find_slices(void *data, size_t part, struct ts_error *error)
{
    const struct connecting *all = data;
    struct ts_pipeline *pipeline = all->pipeline;
    size_t first = part * PART, count = pipeline->arrows.count;
    size_t end = count - first < PART ? count : first + PART;
    struct search search = {all, calloc(pipeline->lanes.count + 1, sizeof(uint32_t))};
    if (!search.hints)
        return ts_error_no_memory(error);
    for (size_t i = first; i < end; i++) {
        struct ts_pipeline_arrow *arrow = &pipeline->arrows.items[i];
        const struct anchors *anchors = &all->anchors[arrow->detail];
        double begin = pipeline->sets.items[arrow->from].begin, wait_end = pipeline->waits.items[arrow->to].end;
        arrow->from = find_producer(&search, anchors->producers, begin);
        arrow->to = arrow->from == NOBODY ? NOBODY : find_consumer(&search, anchors->consumers, wait_end);
    }
    free(search.hints);
    return TS_OK;
}

static void keep_found(struct ts_pipeline *pipeline)
{
    size_t kept = 0;
    for (size_t i = 0; i < pipeline->arrows.count; i++) {
        struct ts_pipeline_arrow arrow = pipeline->arrows.items[i];
        if (arrow.to == NOBODY) {
            pipeline->skipped_without_slice++;
            continue;
        }
        pipeline->backwards += pipeline->slices.items[arrow.to].start_ns < pipeline->slices.items[arrow.from].start_ns;
        pipeline->arrows.items[kept++] = arrow;
    }
    pipeline->arrows.count = kept;
}

enum ts_status ts_pipeline_connect(struct ts_context *context, struct ts_pipeline *pipeline, struct ts_error *error)
{
    struct connecting all = {.pipeline = pipeline};
    enum ts_status status = prepare(&all) ? TS_OK : ts_error_no_memory(error);
    if (status == TS_OK) {
        match_waits(&all);
        size_t parts = pipeline->arrows.count / PART + (pipeline->arrows.count % PART != 0);
        status = ts_parallel(context, parts, find_slices, &all, error);
    }
    if (status == TS_OK)
        keep_found(pipeline);
    free(all.anchors);
    free(all.set_order);
    free(all.wait_order);
    free(all.temporary);
    free(all.wait_first);
    free(all.wait_end);
    ts_vec_free(&pipeline->sets);
    ts_vec_free(&pipeline->waits);
    return status;
}
