#include "models/cache_reuse.h"

#include <stdlib.h>

#include "base/vec.h"

enum { CHECK_EVERY_ROWS = 8192 };

/* Of each distinct text of the table, by its id, what has been found out so far. */
enum text_fact {
    HASH_UNKNOWN,
    HASH_NONE, /* no program hash: reads as null */
    HASH_UNSEEN,
    HASH_SEEN,
};

struct builder {
    const struct ts_perf_report *report;
    struct ts_cache_reuse *model;
    uint8_t *hashes;       /* enum text_fact by text id */
    uint32_t *group_of;    /* group + 1 by text id of the op code */
    struct ts_map by_code; /* trimmed op code to group */
    TS_VEC(struct ts_cache_group) groups;
};

static bool is_no_hash(struct ts_str cell)
{
    struct ts_str text = ts_str_trim(cell);
    return text.len == 0 || ts_str_is(text, "nan") || ts_str_is(text, "NaN") || ts_str_is(text, "None");
}

static uint32_t text_id(const struct ts_ops_csv *ops, enum ts_ops_column column, uint32_t row)
{
    return ops->texts[column] ? ops->texts[column][row] : 0;
}

/* The group of an op code, made when new; NULL when memory is out. Valid until the next one is made. */
static struct ts_cache_group *find_group(struct builder *builder, uint32_t code)
{
    if (builder->group_of[code] != 0)
        return &builder->groups.items[builder->group_of[code] - 1];
    const struct ts_ops_csv *ops = builder->report->source->ops;
    /* Copied, so that the model needs no table that the session may give up. */
    struct ts_str name = ts_arena_copy(&builder->model->arena, ts_str_trim(ts_intern_text(&ops->text, code)));
    if (!name.ptr)
        return NULL;
    bool added;
    uint64_t *value = ts_map_at(&builder->by_code, name, &added);
    if (!value)
        return NULL;
    if (added) {
        struct ts_cache_group group = {.op_code = name, .first_repeat_miss = UINT32_MAX};
        if (!ts_vec_push(&builder->groups, group))
            return NULL;
        *value = builder->groups.count - 1;
    }
    builder->group_of[code] = (uint32_t)*value + 1;
    return &builder->groups.items[*value];
}

static void count_repeat(struct builder *builder, struct ts_cache_group *group, uint32_t row)
{
    uint32_t source = builder->report->rows[row].source;
    struct ts_str hit = ts_ops_text(builder->report->source->ops, TS_OPS_PROGRAM_CACHE_HIT, source);
    group->counts.repeat_calls++;
    if (ts_str_is(hit, "True")) {
        group->counts.repeat_hits++;
    } else if (ts_str_is(hit, "False")) {
        if (group->counts.repeat_misses++ == 0)
            group->first_repeat_miss = source;
        builder->model->repeat_miss[row] = 1;
    } else {
        group->counts.repeat_unrecorded++;
    }
}

static bool add_row(struct builder *builder, uint32_t row)
{
    const struct ts_ops_csv *ops = builder->report->source->ops;
    uint32_t source = builder->report->rows[row].source;
    uint32_t hash = text_id(ops, TS_OPS_PROGRAM_HASH, source);
    uint8_t *fact = &builder->hashes[hash];
    if (*fact == HASH_UNKNOWN)
        *fact = is_no_hash(ts_intern_text(&ops->text, hash)) ? HASH_NONE : HASH_UNSEEN;
    if (*fact == HASH_NONE)
        return true;
    struct ts_cache_group *group = find_group(builder, text_id(ops, TS_OPS_OP_CODE, source));
    if (!group)
        return false;
    group->counts.calls++;
    if (*fact == HASH_SEEN) {
        count_repeat(builder, group, row);
    } else {
        *fact = HASH_SEEN;
        group->counts.programs++;
    }
    return true;
}

static int compare_groups(const void *left, const void *right)
{
    const struct ts_cache_group *a = left, *b = right;
    if (a->counts.repeat_misses != b->counts.repeat_misses)
        return a->counts.repeat_misses > b->counts.repeat_misses ? -1 : 1;
    if (a->counts.repeat_calls != b->counts.repeat_calls)
        return a->counts.repeat_calls > b->counts.repeat_calls ? -1 : 1;
    return ts_str_compare(a->op_code, b->op_code);
}

static enum ts_status finish(struct builder *builder, struct ts_error *error)
{
    struct ts_cache_reuse *model = builder->model;
    size_t count = builder->groups.count;
    model->groups = TS_ARENA_ARRAY(&model->arena, struct ts_cache_group, count + 1);
    if (!model->groups)
        return ts_arena_error(&model->arena, error);
    for (size_t i = 0; i < count; i++) {
        const struct ts_cache_counts *counts = &builder->groups.items[i].counts;
        model->groups[i] = builder->groups.items[i];
        model->totals.calls += counts->calls;
        model->totals.programs += counts->programs;
        model->totals.repeat_calls += counts->repeat_calls;
        model->totals.repeat_hits += counts->repeat_hits;
        model->totals.repeat_misses += counts->repeat_misses;
        model->totals.repeat_unrecorded += counts->repeat_unrecorded;
        model->always_new += counts->calls >= 2 && counts->programs == counts->calls;
    }
    model->count = (uint32_t)count;
    if (count > 1)
        qsort(model->groups, count, sizeof *model->groups, compare_groups);
    model->part.size = sizeof *model + model->arena.reserved;
    model->part.identity = builder->report->source->ops->identity;
    return TS_OK;
}

static enum ts_status build(struct ts_context *context, struct builder *builder, struct ts_error *error)
{
    const struct ts_perf_report *report = builder->report;
    struct ts_cache_reuse *model = builder->model;
    size_t texts = report->source->ops->text.count;
    model->repeat_miss = TS_ARENA_ARRAY(&model->arena, uint8_t, (size_t)report->count + 1);
    builder->hashes = calloc(texts + 1, sizeof *builder->hashes);
    builder->group_of = calloc(texts + 1, sizeof *builder->group_of);
    if (!model->repeat_miss)
        return ts_arena_error(&model->arena, error);
    if (!builder->hashes || !builder->group_of)
        return ts_error_no_memory(error);
    for (uint32_t row = 0; row < report->count; row++) {
        if (row % CHECK_EVERY_ROWS == 0) {
            enum ts_status status = ts_context_check(context, error);
            if (status != TS_OK)
                return status;
        }
        if (!add_row(builder, row))
            return ts_error_no_memory(error);
    }
    return finish(builder, error);
}

enum ts_status ts_cache_reuse_create(struct ts_context *context, const struct ts_perf_report *report,
                                     struct ts_cache_reuse **out, struct ts_error *error)
{
    struct ts_cache_reuse *model = calloc(1, sizeof *model);
    if (!model)
        return ts_error_no_memory(error);
    ts_arena_init(&model->arena, context->memory_limit);
    struct builder builder = {.report = report, .model = model};
    ts_map_init(&builder.by_code);
    enum ts_status status = build(context, &builder, error);
    ts_map_free(&builder.by_code);
    ts_vec_free(&builder.groups);
    free(builder.hashes);
    free(builder.group_of);
    if (status != TS_OK) {
        ts_cache_reuse_destroy(model);
        return status;
    }
    *out = model;
    return TS_OK;
}

void ts_cache_reuse_destroy(struct ts_cache_reuse *model)
{
    if (!model)
        return;
    ts_arena_free(&model->arena);
    free(model);
}
