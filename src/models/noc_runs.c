#include "models/noc_runs.h"

#include "base/limits.h"
#include "formats/noc_log.h"

enum ts_status ts_noc_runs_create(struct ts_context *context, struct ts_noc_description *description, bool per_kernel,
                                  struct ts_noc_runs **out, struct ts_error *error)
{
    struct ts_noc_runs *runs = calloc(1, sizeof *runs);
    if (!runs)
        return ts_error_no_memory(error);
    runs->context = context;
    runs->description = description;
    runs->per_kernel = per_kernel;
    ts_map_init(&runs->by_key);
    ts_arena_init(&runs->keys, 0);
    *out = runs;
    return TS_OK;
}

void ts_noc_runs_destroy(struct ts_noc_runs *runs)
{
    if (!runs)
        return;
    ts_vec_free(&runs->lanes);
    ts_vec_free(&runs->runs);
    ts_vec_free(&runs->segments);
    ts_vec_free(&runs->dropped);
    ts_vec_free(&runs->names);
    ts_map_free(&runs->by_key);
    ts_arena_free(&runs->keys);
    free(runs->block);
    ts_noc_near_raw_destroy(runs->near);
    if (runs->rows)
        ts_noc_rows_free(runs->rows);
    free(runs->rows);
    free(runs);
}

enum ts_status ts_noc_runs_find(struct ts_noc_runs *runs, const struct ts_noc_run *key, uint32_t *out,
                                struct ts_error *error)
{
    /* What tells runs apart, as bytes without gaps. */
    uint64_t bytes[5] = {key->device, key->traced, key->host_id, key->traced ? key->trace : 0,
                         key->traced ? key->count : 0};
    struct ts_str text = {(const char *)bytes, sizeof bytes};
    uint64_t *number = ts_map_find(&runs->by_key, text);
    if (!number) {
        if (runs->runs.count >= TS_LIMIT_NOC_RUNS)
            return ts_error_set(error, TS_LIMIT, "there are more than %u program runs; decode fewer at a time",
                                TS_LIMIT_NOC_RUNS);
        text = ts_arena_copy(&runs->keys, text);
        number = text.ptr ? ts_map_at(&runs->by_key, text, NULL) : NULL;
        if (!number || !ts_vec_push(&runs->runs, *key))
            return ts_error_no_memory(error);
        *number = runs->runs.count - 1;
    }
    *out = (uint32_t)*number;
    return TS_OK;
}

enum ts_status ts_noc_runs_add(struct ts_noc_runs *runs, const struct ts_noc_segment *segment, struct ts_error *error)
{
    if (runs->segments.count > runs->joins_from) {
        struct ts_noc_segment *last = &runs->segments.items[runs->segments.count - 1];
        if (last->run == segment->run && last->lane == segment->lane && last->end == segment->begin) {
            last->end = segment->end;
            return TS_OK;
        }
    }
    if (runs->segments.count >= TS_LIMIT_NOC_RUNS)
        return ts_error_set(error, TS_LIMIT,
                            "the input changes between programs or cores more than %u times; sort it by core and time",
                            TS_LIMIT_NOC_RUNS);
    return ts_vec_push(&runs->segments, *segment) ? TS_OK : ts_error_no_memory(error);
}

static int compare_lanes(const struct ts_noc_lane *a, const struct ts_noc_lane *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->risc < b->risc ? -1 : a->risc > b->risc;
}

struct ordered_lane {
    struct ts_noc_lane lane;
    uint32_t was;
};

static int compare_ordered(const void *a, const void *b)
{
    const struct ordered_lane *x = a, *y = b;
    int order = compare_lanes(&x->lane, &y->lane);
    return order ? order : x->was < y->was ? -1 : x->was > y->was;
}

static bool is_before(const struct ts_noc_segment *x, const struct ts_noc_segment *y)
{
    if (x->run != y->run)
        return x->run < y->run;
    if (x->lane != y->lane)
        return x->lane < y->lane;
    return x->begin < y->begin;
}

/* Let the item at `at` sink to its place in a heap of count whose largest is on top. */
static void sink(struct ts_noc_segment *items, size_t at, size_t count)
{
    struct ts_noc_segment item = items[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(&items[child], &items[child + 1]))
            child++;
        if (!is_before(&item, &items[child]))
            break;
        items[at] = items[child];
    }
    items[at] = item;
}

/* In place: qsort may take as much memory again. No two segments begin at one byte, so there are no equal ones. */
static void sort_segments(struct ts_noc_segment *items, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sink(items, i, count);
    for (size_t last = count; last-- > 1;) {
        struct ts_noc_segment largest = items[0];
        items[0] = items[last];
        items[last] = largest;
        sink(items, 0, last);
    }
}

/* Lanes in the order in which files show them, equal ones as one. */
static bool order_lanes(struct ts_noc_runs *runs)
{
    size_t count = runs->lanes.count, kept = 0;
    struct ordered_lane *order = malloc((count + 1) * sizeof *order);
    uint32_t *now = malloc((count + 1) * sizeof *now);
    if (!order || !now) {
        free(order);
        free(now);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (struct ordered_lane){runs->lanes.items[i], (uint32_t)i};
    qsort(order, count, sizeof *order, compare_ordered);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && compare_lanes(&order[i].lane, &order[i - 1].lane) != 0)
            kept++;
        runs->lanes.items[kept] = order[i].lane;
        now[order[i].was] = (uint32_t)kept;
    }
    runs->lanes.count = count ? kept + 1 : 0;
    for (size_t i = 0; i < runs->segments.count; i++)
        runs->segments.items[i].lane = now[runs->segments.items[i].lane];
    for (size_t i = 0; i < runs->dropped.count; i++)
        runs->dropped.items[i] = now[runs->dropped.items[i]];
    free(order);
    free(now);
    return true;
}

enum ts_status ts_noc_runs_finish(struct ts_noc_runs *runs, struct ts_error *error)
{
    if (!order_lanes(runs))
        return ts_error_no_memory(error);
    sort_segments(runs->segments.items, runs->segments.count);
    for (size_t i = 0; i < runs->segments.count; i++) {
        struct ts_noc_run *run = &runs->runs.items[runs->segments.items[i].run];
        if (run->last == 0)
            run->first = i;
        run->last = i + 1;
    }
    return TS_OK;
}

static unsigned judge(struct ts_str name, bool per_kernel)
{
    bool kernel = ts_str_ends_with(name, TS_STR("-KERNEL"));
    unsigned flags = kernel ? TS_NOC_NAME_KERNEL : 0;
    if (per_kernel)
        return kernel || ts_str_starts_with(name, TS_STR("TRUE-KERNEL-END")) ? flags | TS_NOC_NAME_KEEP_DATA_MOVERS
                                                                             : flags;
    if (ts_str_ends_with(name, TS_STR("-FW")) || ts_str_is(name, "SYNC-ZONE-SENDER") ||
        ts_str_is(name, "SYNC-ZONE-RECEIVER") || ts_str_is(name, "PROFILER-NOC-QUICK-SEND"))
        return flags;
    return flags | (kernel ? TS_NOC_NAME_KEEP_DATA_MOVERS : TS_NOC_NAME_KEEP);
}

bool ts_noc_runs_name(struct ts_noc_runs *runs, uint32_t name, unsigned *out)
{
    while (runs->names.count <= name) {
        unsigned char flags = (unsigned char)judge(
            ts_intern_text(&runs->description->names, (uint32_t)runs->names.count), runs->per_kernel);
        if (!ts_vec_push(&runs->names, flags))
            return false;
    }
    *out = runs->names.items[name];
    return true;
}

enum ts_status ts_noc_runs_load(struct ts_noc_runs *runs, const struct ts_noc_segment *segment,
                                struct ts_noc_markers *markers, struct ts_error *error)
{
    if (runs->capture)
        return ts_noc_runs_load_capture(runs, segment, markers, error);
    return ts_noc_runs_load_log(runs, segment, markers, error);
}
