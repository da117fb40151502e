#include "models/stacked.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/number.h"
#include "base/vec.h"

enum { CHECK_EVERY_ROWS = 8192, NO_GROUP = -1 };

/* A compensated sum: device times are multiples of 0.001, so exact ties at the second decimal are common. */
struct kahan {
    double sum, lost;
};

/* What is needed of a group only while it grows. */
struct progress {
    struct kahan device_time, flops;
    double mean, spread; /* running mean and sum of squared deviations */
    uint32_t flops_count;
    uint32_t key;
};

/* Weighted mean of a key over all devices. */
struct key {
    struct ts_str name;
    struct kahan weighted, weight;
};

/* The parts of a row that decide its group, as numbers; equal ones need no text to be built again. */
struct selector {
    uint32_t name, memory;
    int32_t device;
    uint32_t category;
};

struct group_key {
    uint32_t key;
    int32_t device;
};

struct builder {
    const struct ts_perf_report *report;
    const struct ts_stacked_options *options;
    struct ts_stacked *stacked;
    struct ts_map by_selector; /* selector bytes to group + 2; 1: its rows vanish */
    struct ts_map by_key;      /* key text to key */
    struct ts_map by_group;    /* key and device to group */
    TS_VEC(struct ts_stacked_group) groups;
    TS_VEC(struct progress) progress;
    TS_VEC(struct key) keys;
    struct selector last; /* of the row before, whose group often comes again */
    int64_t last_group;
    bool has_last;
};

static void kahan_add(struct kahan *kahan, double value)
{
    double y = value - kahan->lost;
    double t = kahan->sum + y;
    kahan->lost = (t - kahan->sum) - y;
    kahan->sum = t;
}

/* ---- keys ---- */

/* The last two parts of "DEV_1_L1_HEIGHT_SHARDED", "HEIGHT_SHARDED"; ptr NULL when there are no two. */
static struct ts_str memory_tail(struct ts_str memory)
{
    unsigned separators = 0;
    for (size_t at = memory.len; at > 0; at--) {
        if (memory.ptr[at - 1] == '_' && ++separators == 2)
            return ts_str_sub(memory, at, memory.len);
    }
    return separators > 0 ? memory : (struct ts_str){NULL, 0};
}

static struct ts_str memory_key(struct ts_arena *arena, struct ts_str word, struct ts_str memory)
{
    static const char front[] = " (in0:";
    struct ts_str tail = memory_tail(memory);
    if (!tail.ptr)
        return (struct ts_str){"", 0};
    size_t len = word.len + sizeof front - 1 + tail.len + 1;
    char *text = ts_arena_alloc(arena, len);
    if (!text)
        return (struct ts_str){NULL, 0};
    char *at = text;
    memcpy(at, word.ptr, word.len);
    at += word.len;
    memcpy(at, front, sizeof front - 1);
    at += sizeof front - 1;
    for (size_t i = 0; i < tail.len; i++) {
        char c = tail.ptr[i];
        *at++ = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    *at = ')';
    return (struct ts_str){text, len};
}

static struct ts_str input_memory(const struct ts_perf_report *report, uint32_t row)
{
    struct ts_str memory = ts_ops_text(report->source->ops, TS_OPS_INPUT_0_MEMORY, report->rows[row].source);
    return ts_ops_cell_empty(memory) ? (struct ts_str){"", 0} : memory;
}

/* The key of a row: empty when the row has none, ptr NULL when memory is out. */
static struct ts_str make_key(struct builder *builder, uint32_t row)
{
    const struct ts_perf_report *report = builder->report;
    struct ts_arena *arena = &builder->stacked->arena;
    const struct ts_op_facts *facts = ts_perf_row_facts(report, row);
    if (builder->options->by == TS_STACKED_CATEGORY)
        return ts_str_from(ts_op_category_name((enum ts_op_category)facts->category));
    struct ts_str word = ts_str_first_word(ts_intern_text(&report->source->names, facts->name));
    if (word.len == 0)
        return (struct ts_str){"", 0};
    if (builder->options->by == TS_STACKED_MEMORY) {
        struct ts_str memory = input_memory(report, row);
        if (memory.len > 0)
            return memory_key(arena, word, memory);
    }
    return ts_arena_copy(arena, word);
}

static struct selector make_selector(const struct builder *builder, uint32_t row)
{
    const struct ts_op_facts *facts = ts_perf_row_facts(builder->report, row);
    const struct ts_ops_csv *ops = builder->report->source->ops;
    struct selector selector = {.device = builder->options->per_device ? facts->device : -1};
    if (builder->options->by == TS_STACKED_CATEGORY) {
        selector.category = facts->category;
        return selector;
    }
    selector.name = facts->name;
    if (builder->options->by == TS_STACKED_MEMORY && ops->texts[TS_OPS_INPUT_0_MEMORY])
        selector.memory = ops->texts[TS_OPS_INPUT_0_MEMORY][builder->report->rows[row].source];
    return selector;
}

/* ---- groups ---- */

/* The number of a key, new or known; UINT32_MAX when memory is out. */
static uint32_t find_key(struct builder *builder, struct ts_str name)
{
    bool added;
    uint64_t *value = ts_map_at(&builder->by_key, name, &added);
    if (!value)
        return UINT32_MAX;
    if (added) {
        *value = builder->keys.count;
        if (!ts_vec_push(&builder->keys, ((struct key){.name = name})))
            return UINT32_MAX;
    }
    return (uint32_t)*value;
}

/* The group of a key and a device; several selectors lead to one: all shapes of a matmul. INT64_MIN: memory is out. */
static int64_t find_group(struct builder *builder, uint32_t key, int32_t device, uint32_t row)
{
    const struct group_key parts = {key, device};
    struct ts_str bytes = {(const char *)&parts, sizeof parts};
    const uint64_t *known = ts_map_find(&builder->by_group, bytes);
    if (known)
        return (int64_t)*known;
    struct ts_str stored = ts_arena_copy(&builder->stacked->arena, bytes);
    uint64_t *value = stored.ptr ? ts_map_at(&builder->by_group, stored, NULL) : NULL;
    struct ts_stacked_group group = {
        .name = builder->keys.items[key].name,
        .device = device,
        .category = (enum ts_op_category)ts_perf_row_facts(builder->report, row)->category,
        .flops_min = TS_ABSENT,
        .flops_max = TS_ABSENT,
        .flops_mean = TS_ABSENT,
        .flops_std = TS_ABSENT,
        .flops_weighted_mean = TS_ABSENT,
    };
    if (!value || !ts_vec_push(&builder->groups, group) ||
        !ts_vec_push(&builder->progress, (struct progress){.key = key}))
        return INT64_MIN;
    *value = builder->groups.count - 1;
    return (int64_t)*value;
}

/* The group of a row, NO_GROUP when it has none, INT64_MIN when memory is out. */
static int64_t group_of(struct builder *builder, uint32_t row)
{
    struct selector selector = make_selector(builder, row);
    if (builder->has_last && memcmp(&selector, &builder->last, sizeof selector) == 0)
        return builder->last_group;
    uint64_t *value = ts_map_find(&builder->by_selector, (struct ts_str){(const char *)&selector, sizeof selector});
    int64_t group = value ? (int64_t)*value - 2 : NO_GROUP;
    if (!value) {
        struct ts_str stored =
            ts_arena_copy(&builder->stacked->arena, (struct ts_str){(const char *)&selector, sizeof selector});
        value = stored.ptr ? ts_map_at(&builder->by_selector, stored, NULL) : NULL;
        if (!value)
            return INT64_MIN;
        struct ts_str name = make_key(builder, row);
        if (!name.ptr)
            return INT64_MIN;
        if (name.len > 0 || builder->options->with_blank) {
            uint32_t key = find_key(builder, name);
            group = key == UINT32_MAX ? INT64_MIN : find_group(builder, key, selector.device, row);
        }
        if (group == INT64_MIN)
            return group;
        *value = (uint64_t)(group + 2);
    }
    builder->last = selector;
    builder->last_group = group;
    builder->has_last = true;
    return group;
}

/* ---- rows ---- */

static void add_flops(struct builder *builder, struct ts_stacked_group *group, struct progress *progress,
                      double percent, double device_time)
{
    if (!ts_present(percent))
        return;
    if (progress->flops_count++ == 0) {
        group->flops_min = percent;
        group->flops_max = percent;
    }
    group->flops_min = percent < group->flops_min ? percent : group->flops_min;
    group->flops_max = percent > group->flops_max ? percent : group->flops_max;
    kahan_add(&progress->flops, percent);
    double before = progress->mean;
    progress->mean += (percent - before) / progress->flops_count;
    progress->spread += (percent - progress->mean) * (percent - before);
    if (ts_present(device_time)) {
        struct key *key = &builder->keys.items[progress->key];
        kahan_add(&key->weighted, percent * device_time);
        kahan_add(&key->weight, device_time);
    }
}

static void add_row(struct builder *builder, size_t index, uint32_t row)
{
    struct ts_stacked *stacked = builder->stacked;
    struct ts_stacked_group *group = &builder->groups.items[index];
    struct progress *progress = &builder->progress.items[index];
    const struct ts_perf_row *figures = &builder->report->rows[row];
    bool host = ts_perf_row_facts(builder->report, row)->kind == TS_ROW_HOST;
    double device_time = host ? 0 : figures->device_time;
    group->count++;
    stacked->rows++;
    if (ts_present(device_time)) {
        group->timed++;
        group->device_time += device_time;
        kahan_add(&progress->device_time, device_time);
    }
    if (ts_present(figures->op_to_op_gap))
        group->op_to_op_gap += figures->op_to_op_gap;
    if (ts_present(figures->total_percent))
        group->total_percent += figures->total_percent;
    add_flops(builder, group, progress, figures->flops_percent, device_time);
}

static bool left_out(const struct builder *builder, uint32_t row)
{
    const struct ts_op_facts *facts = ts_perf_row_facts(builder->report, row);
    return facts->kind == TS_ROW_SIGNPOST || (builder->options->no_host_ops && facts->kind == TS_ROW_HOST);
}

static void see_row(struct builder *builder, uint32_t row)
{
    struct ts_stacked *stacked = builder->stacked;
    bool host = ts_perf_row_facts(builder->report, row)->kind == TS_ROW_HOST;
    stacked->rows_seen++;
    stacked->host_rows_seen += host;
    stacked->any_timed = stacked->any_timed || (!host && ts_present(builder->report->rows[row].device_time));
}

/* With devices kept apart a row without one has no group, though its figures weigh in the mean of its key. */
static enum ts_status add_rows(struct ts_context *context, struct builder *builder, struct ts_error *error)
{
    for (uint32_t row = 0; row < builder->report->count; row++) {
        if (row % CHECK_EVERY_ROWS == 0) {
            enum ts_status status = ts_context_check(context, error);
            if (status != TS_OK)
                return status;
        }
        if (left_out(builder, row))
            continue;
        see_row(builder, row);
        int64_t group = group_of(builder, row);
        if (group == INT64_MIN)
            return ts_error_no_memory(error);
        if (group != NO_GROUP)
            add_row(builder, (size_t)group, row);
    }
    return TS_OK;
}

/* ---- results ---- */

static void finish_group(const struct builder *builder, size_t index)
{
    struct ts_stacked_group *group = &builder->groups.items[index];
    const struct progress *progress = &builder->progress.items[index];
    const struct key *key = &builder->keys.items[progress->key];
    group->device_time_kahan = progress->device_time.sum;
    if (key->weight.sum > 0)
        group->flops_weighted_mean = key->weighted.sum / key->weight.sum;
    if (progress->flops_count == 0)
        return;
    group->flops_mean = progress->flops.sum / progress->flops_count;
    if (progress->flops_count > 1)
        group->flops_std = sqrt(progress->spread / (progress->flops_count - 1));
}

static enum ts_status finish(struct builder *builder, struct ts_error *error)
{
    struct ts_stacked *stacked = builder->stacked;
    bool drop_deviceless = builder->options->per_device;
    stacked->groups = TS_ARENA_ARRAY(&stacked->arena, struct ts_stacked_group, builder->groups.count + 1);
    if (!stacked->groups)
        return ts_arena_error(&stacked->arena, error);
    for (size_t i = 0; i < builder->groups.count; i++) {
        finish_group(builder, i);
        const struct ts_stacked_group *group = &builder->groups.items[i];
        if (!drop_deviceless || group->device >= 0)
            stacked->groups[stacked->count++] = *group;
    }
    return TS_OK;
}

enum ts_status ts_stacked_create(struct ts_context *context, const struct ts_perf_report *report,
                                 const struct ts_stacked_options *options, struct ts_stacked **out,
                                 struct ts_error *error)
{
    struct ts_stacked *stacked = calloc(1, sizeof *stacked);
    if (!stacked)
        return ts_error_no_memory(error);
    ts_arena_init(&stacked->arena, context->memory_limit);
    struct builder builder = {.report = report, .options = options, .stacked = stacked};
    ts_map_init(&builder.by_selector);
    ts_map_init(&builder.by_key);
    ts_map_init(&builder.by_group);
    enum ts_status status = add_rows(context, &builder, error);
    if (status == TS_OK)
        status = finish(&builder, error);
    ts_map_free(&builder.by_selector);
    ts_map_free(&builder.by_key);
    ts_map_free(&builder.by_group);
    ts_vec_free(&builder.groups);
    ts_vec_free(&builder.progress);
    ts_vec_free(&builder.keys);
    if (status != TS_OK) {
        ts_stacked_destroy(stacked);
        return status;
    }
    *out = stacked;
    return TS_OK;
}

void ts_stacked_destroy(struct ts_stacked *stacked)
{
    if (!stacked)
        return;
    ts_arena_free(&stacked->arena);
    free(stacked);
}

/* ---- order ---- */

static int by_device(const void *left, const void *right)
{
    const struct ts_stacked_line *a = left, *b = right;
    return (a->group->device > b->group->device) - (a->group->device < b->group->device);
}

static int by_time(const void *left, const void *right)
{
    const struct ts_stacked_line *a = left, *b = right;
    if (a->group->device_time_kahan != b->group->device_time_kahan)
        return a->group->device_time_kahan > b->group->device_time_kahan ? -1 : 1;
    int order = ts_str_compare(a->group->name, b->group->name);
    return order != 0 ? order : by_device(left, right);
}

const struct ts_stacked_line *ts_stacked_rank(struct ts_stacked *stacked)
{
    struct ts_stacked_line *lines = TS_ARENA_ARRAY(&stacked->arena, struct ts_stacked_line, (size_t)stacked->count + 1);
    if (!lines)
        return NULL;
    for (uint32_t i = 0; i < stacked->count; i++)
        lines[i].group = &stacked->groups[i];
    qsort(lines, stacked->count, sizeof *lines, by_device);
    for (uint32_t first = 0, end; first < stacked->count; first = end) {
        double total = 0;
        for (end = first; end < stacked->count && by_device(&lines[first], &lines[end]) == 0; end++)
            total += lines[end].group->device_time_kahan;
        for (uint32_t i = first; i < end; i++)
            lines[i].total = total;
    }
    qsort(lines, stacked->count, sizeof *lines, by_time);
    return lines;
}
