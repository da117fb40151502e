#include "models/pipeline_blocks.h"

#include <stdlib.h>

#include "models/pipeline_rows.h"

enum { NOBODY = UINT32_MAX };

/* The waits of one sub-core for one sync_id, by time. */
struct queue {
    uint32_t first, count; /* in wait_order */
};

struct blocks {
    struct ts_pipeline *pipeline;
    struct ts_arena arena;
    struct ts_map queues;  /* "CORE SYNC": waits */
    struct ts_map counts;  /* "CORE CORE SYNC": sets of the first that were seen for the second */
    struct ts_map titles;  /* two details: the detail with their arrows' title */
    struct ts_map members; /* AI core: the last of its sub-cores, plus 1 */
    uint32_t *next_member; /* per core: the one before, plus 1 */
    uint32_t *set_order, *wait_order, *temporary;
    TS_VEC(struct queue) lists;
};

/* "core0" of "core0.veccore1". */
static struct ts_str ai_core(struct ts_str name)
{
    const char *dot = name.len ? memchr(name.ptr, '.', name.len) : NULL;
    return (struct ts_str){name.ptr, dot ? (size_t)(dot - name.ptr) : name.len};
}

static bool is_cube(struct ts_str name)
{
    return ts_str_starts_with(ts_str_sub(name, ai_core(name).len, name.len), TS_STR(".cube"));
}

static struct ts_str name_of(const struct ts_pipeline *pipeline, uint32_t core)
{
    return pipeline->cores.items[core].name.plain;
}

static struct ts_pipeline_flag flag_of(const struct ts_pipeline *pipeline, uint32_t detail)
{
    return ts_pipeline_flag_parse(&pipeline->options, pipeline->details.items[detail].text);
}

/* ---- queues of waits ---- */

static uint64_t *find_queue(struct blocks *blocks, uint32_t core, struct ts_str sync, bool *added)
{
    struct ts_str key = ts_arena_printf(&blocks->arena, "%u %.*s", core, TS_STR_ARG(sync));
    return key.ptr ? ts_map_at(&blocks->queues, key, added) : NULL;
}

/* The waits of each queue, one after the other in wait_order. */
static bool line_up(struct blocks *blocks)
{
    struct ts_pipeline *pipeline = blocks->pipeline;
    size_t count = pipeline->block_waits.count;
    uint32_t *queue_of = malloc(count * sizeof *queue_of + 1);
    bool good = queue_of != NULL;
    for (size_t i = 0; i < count && good; i++) {
        uint32_t detail = pipeline->block_waits.items[i].detail;
        bool added = false;
        uint64_t *number =
            find_queue(blocks, pipeline->details.items[detail].core, flag_of(pipeline, detail).sync, &added);
        good = number != NULL;
        if (good && added) {
            *number = blocks->lists.count;
            good = ts_vec_push(&blocks->lists, ((struct queue){0, 0}));
        }
        if (good) {
            queue_of[i] = (uint32_t)*number;
            blocks->lists.items[*number].count++;
        }
    }
    uint32_t first = 0;
    for (size_t i = 0; i < blocks->lists.count; i++) {
        blocks->lists.items[i].first = first;
        first += blocks->lists.items[i].count;
        blocks->lists.items[i].count = 0;
    }
    for (size_t i = 0; i < count && good; i++) {
        struct queue *queue = &blocks->lists.items[queue_of[i]];
        blocks->wait_order[queue->first + queue->count++] = (uint32_t)i;
    }
    for (size_t i = 0; i < blocks->lists.count && good; i++)
        ts_pipeline_sort(blocks->wait_order + blocks->lists.items[i].first, blocks->temporary,
                         blocks->lists.items[i].count, ts_pipeline_wait_before, pipeline->block_waits.items);
    free(queue_of);
    return good;
}

/* Chain the sub-cores of each AI core. */
static bool chain_cores(struct blocks *blocks)
{
    for (uint32_t core = 0; core < blocks->pipeline->cores.count; core++) {
        uint64_t *last = ts_map_at(&blocks->members, ai_core(name_of(blocks->pipeline, core)), NULL);
        if (!last)
            return false;
        blocks->next_member[core] = (uint32_t)*last;
        *last = core + 1;
    }
    return true;
}

/* ---- the slices beside it ---- */

/* How many slices of the lane begin before the time, or at it when `at` is set. */
static uint32_t count_before(const struct ts_pipeline *pipeline, const struct ts_pipeline_lane *lane, double time,
                             bool at)
{
    uint32_t low = 0, high = lane->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        double ts = pipeline->slices.items[pipeline->order[lane->first + middle]].ts;
        if (at ? ts <= time : ts < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* NOBODY in *out when there is none. False when memory is out. */
static bool find_slice(const struct ts_pipeline *pipeline, uint32_t core, struct ts_str pipe, double time,
                       bool producer, uint32_t *out)
{
    struct ts_str name = ts_pipeline_alias(&pipeline->options, pipe);
    uint32_t number;
    *out = NOBODY;
    if (!ts_pipeline_find_lane(pipeline, core, name, &number))
        return false;
    bool empty = number == NOBODY || pipeline->lanes.items[number].count == 0;
    if (empty && !ts_pipeline_find_lane(pipeline, core, ts_pipeline_twin(&pipeline->options, name), &number))
        return false;
    if (number == NOBODY)
        return true;
    const struct ts_pipeline_lane *lane = &pipeline->lanes.items[number];
    uint32_t count = count_before(pipeline, lane, time, producer);
    if (producer && count > 0)
        *out = pipeline->order[lane->first + count - 1];
    if (!producer && count < lane->count)
        *out = pipeline->order[lane->first + count];
    return true;
}

/* ---- arrows ---- */

static void add_part(struct ts_sim_out *out, struct ts_str text)
{
    if (text.ptr)
        ts_sim_json_escape(out, text);
    else
        ts_sim_out_add(out, TS_STR("?"));
}

/* A detail that holds the title of arrows from one to the other: "FIXP->MTE2 sync4". */
static uint32_t title_detail(struct blocks *blocks, uint32_t set, uint32_t wait)
{
    struct ts_pipeline *pipeline = blocks->pipeline;
    struct ts_str key = ts_arena_printf(&blocks->arena, "%u %u", set, wait);
    bool added = false;
    uint64_t *number = key.ptr ? ts_map_at(&blocks->titles, key, &added) : NULL;
    if (!number)
        return NOBODY;
    if (!added)
        return (uint32_t)*number;
    struct ts_pipeline_flag from = flag_of(pipeline, set), to = flag_of(pipeline, wait);
    struct ts_sim_out title = {0};
    ts_sim_out_add(&title, TS_STR("\""));
    add_part(&title, from.producer);
    ts_sim_out_add(&title, TS_STR("->"));
    add_part(&title, to.producer);
    ts_sim_out_add(&title, TS_STR(" sync"));
    add_part(&title, from.sync);
    ts_sim_out_add(&title, TS_STR("\""));
    struct ts_pipeline_detail detail = pipeline->details.items[set];
    detail.title = ts_arena_copy(&pipeline->arena, (struct ts_str){title.ptr ? title.ptr : "", title.len});
    free(title.ptr);
    if (title.failed || !detail.title.ptr || !ts_vec_push(&pipeline->details, detail))
        return NOBODY;
    *number = pipeline->details.count - 1;
    return (uint32_t)*number;
}

/* From a set to the wait of one other sub-core. */
static bool connect(struct blocks *blocks, const struct ts_pipeline_set *set, uint32_t other)
{
    struct ts_pipeline *pipeline = blocks->pipeline;
    uint32_t core = pipeline->details.items[set->detail].core;
    struct ts_pipeline_flag flag = flag_of(pipeline, set->detail);
    struct ts_str key = ts_arena_printf(&blocks->arena, "%u %u %.*s", core, other, TS_STR_ARG(flag.sync));
    uint64_t *count = key.ptr ? ts_map_at(&blocks->counts, key, NULL) : NULL;
    struct ts_str queue_key = ts_arena_printf(&blocks->arena, "%u %.*s", other, TS_STR_ARG(flag.sync));
    if (!count || !queue_key.ptr)
        return false;
    const uint64_t *number = ts_map_find(&blocks->queues, queue_key);
    if (!number || *count >= blocks->lists.items[*number].count)
        return true;
    uint32_t place = blocks->lists.items[*number].first + (uint32_t)(*count)++;
    const struct ts_pipeline_wait *wait = &pipeline->block_waits.items[blocks->wait_order[place]];
    struct ts_pipeline_arrow arrow = {NOBODY, NOBODY, title_detail(blocks, set->detail, wait->detail)};
    struct ts_str waiting = flag_of(pipeline, wait->detail).producer;
    if (arrow.detail == NOBODY || !find_slice(pipeline, core, flag.producer, set->begin, true, &arrow.from) ||
        !find_slice(pipeline, other, waiting, wait->end, false, &arrow.to))
        return false;
    if (arrow.from == NOBODY || arrow.to == NOBODY) {
        pipeline->skipped_without_slice++;
        return true;
    }
    if (pipeline->slices.items[arrow.to].start_ns < pipeline->slices.items[arrow.from].start_ns)
        pipeline->backwards++;
    return ts_vec_push(&pipeline->arrows, arrow);
}

/* To all partners of the set, in the order in which they came up in the file. */
static bool connect_set(struct blocks *blocks, const struct ts_pipeline_set *set)
{
    enum { PARTNERS_MAX = 8 };
    const struct ts_pipeline *pipeline = blocks->pipeline;
    struct ts_str name = name_of(pipeline, pipeline->details.items[set->detail].core);
    uint32_t partners[PARTNERS_MAX], count = 0;
    const uint64_t *last = ts_map_find(&blocks->members, ai_core(name));
    for (uint32_t at = last ? (uint32_t)*last : 0; at && count < PARTNERS_MAX; at = blocks->next_member[at - 1])
        if (is_cube(name_of(pipeline, at - 1)) != is_cube(name))
            partners[count++] = at - 1;
    while (count > 0)
        if (!connect(blocks, set, partners[--count]))
            return false;
    return true;
}

static bool connect_all(struct blocks *blocks)
{
    struct ts_pipeline *pipeline = blocks->pipeline;
    size_t sets = pipeline->block_sets.count, waits = pipeline->block_waits.count;
    if (sets >= NOBODY || waits >= NOBODY)
        return false;
    blocks->set_order = malloc(sets * sizeof *blocks->set_order + 1);
    blocks->wait_order = malloc(waits * sizeof *blocks->wait_order + 1);
    blocks->temporary = malloc((sets > waits ? sets : waits) * sizeof *blocks->temporary + 1);
    blocks->next_member = malloc(pipeline->cores.count * sizeof *blocks->next_member + 1);
    if (!blocks->set_order || !blocks->wait_order || !blocks->temporary || !blocks->next_member ||
        !chain_cores(blocks) || !line_up(blocks))
        return false;
    for (size_t i = 0; i < sets; i++)
        blocks->set_order[i] = (uint32_t)i;
    ts_pipeline_sort(blocks->set_order, blocks->temporary, sets, ts_pipeline_set_before, pipeline->block_sets.items);
    for (size_t i = 0; i < sets; i++)
        if (!connect_set(blocks, &pipeline->block_sets.items[blocks->set_order[i]]))
            return false;
    return true;
}

enum ts_status ts_pipeline_connect_blocks(struct ts_pipeline *pipeline, struct ts_error *error)
{
    struct blocks blocks = {.pipeline = pipeline};
    if (pipeline->block_sets.count == 0)
        return TS_OK;
    ts_arena_init(&blocks.arena, 0);
    ts_map_init(&blocks.queues);
    ts_map_init(&blocks.counts);
    ts_map_init(&blocks.titles);
    ts_map_init(&blocks.members);
    enum ts_status status = connect_all(&blocks) ? TS_OK : ts_error_no_memory(error);
    ts_map_free(&blocks.queues);
    ts_map_free(&blocks.counts);
    ts_map_free(&blocks.titles);
    ts_map_free(&blocks.members);
    ts_vec_free(&blocks.lists);
    free(blocks.next_member);
    free(blocks.set_order);
    free(blocks.wait_order);
    free(blocks.temporary);
    ts_arena_free(&blocks.arena);
    ts_vec_free(&pipeline->block_sets);
    ts_vec_free(&pipeline->block_waits);
    return status;
}
