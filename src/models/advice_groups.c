#include "models/advice_groups.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/number.h"
#include "base/vec.h"

enum { CHECK_EVERY_ROWS = 4096 };
#define NO_GROUP UINT32_MAX

/* Rows of one list, on the way to their groups. */
struct builder {
    const struct ts_perf_report *report;
    struct ts_arena *arena;
    struct ts_map by_key;
    TS_VEC(struct ts_advice_group) groups;
    uint32_t *group_of; /* by row */
    uint32_t rows;
    struct ts_buf key;
};

/* What besides the advice makes matmuls alike. */
struct matmul_key {
    uint32_t name, fidelity, input_0, input_1, output;
    int32_t cores;
    uint32_t bound;
};

static uint32_t text_id(const struct ts_ops_csv *ops, enum ts_ops_column column, uint32_t row)
{
    return ops->texts[column] ? ops->texts[column][row] : 0;
}

static void widen(struct ts_range *range, double value)
{
    if (!ts_present(value))
        return;
    range->low = range->low <= value ? range->low : value;
    range->high = range->high >= value ? range->high : value;
}

/* ---- keys ---- */

static bool is_gap(const struct ts_perf_report *report, uint32_t row)
{
    return ts_perf_row_facts(report, row)->kind != TS_ROW_SIGNPOST && report->rows[row].op_to_op_gap > TS_GAP_HIGH_US;
}

static bool is_host(const struct ts_perf_report *report, uint32_t row)
{
    return ts_perf_row_facts(report, row)->kind == TS_ROW_HOST;
}

static bool is_matmul(const struct ts_perf_report *report, uint32_t row)
{
    return ts_perf_row_facts(report, row)->analysis == TS_ANALYSIS_FULL;
}

static void key_of_name(struct builder *builder, uint32_t row)
{
    uint32_t name = ts_perf_row_facts(builder->report, row)->name;
    ts_buf_add(&builder->key, &name, sizeof name);
}

static void key_of_matmul(struct builder *builder, uint32_t row)
{
    const struct ts_perf_report *report = builder->report;
    const struct ts_ops_csv *ops = report->source->ops;
    const struct ts_op_facts *facts = ts_perf_row_facts(report, row);
    uint32_t source = report->rows[row].source;
    const struct matmul_key key = {
        .name = facts->name,
        .fidelity = text_id(ops, TS_OPS_MATH_FIDELITY, source),
        .input_0 = text_id(ops, TS_OPS_INPUT_0_DATATYPE, source),
        .input_1 = text_id(ops, TS_OPS_INPUT_1_DATATYPE, source),
        .output = text_id(ops, TS_OPS_OUTPUT_0_DATATYPE, source),
        .cores = facts->cores,
        .bound = report->rows[row].bound,
    };
    struct ts_advice advice[TS_ADVICE_MAX];
    unsigned count = ts_advice_for(report, row, advice);
    ts_buf_add(&builder->key, &key, sizeof key);
    for (unsigned i = 0; i < count; i++) {
        ts_advice_short_code(&advice[i], &builder->key);
        ts_buf_char(&builder->key, '\n');
    }
}

/* ---- groups ---- */

static struct ts_advice_group new_group(const struct ts_perf_report *report, uint32_t row)
{
    const struct ts_range none = {TS_ABSENT, TS_ABSENT};
    struct ts_advice_group group = {
        .bound = report->rows[row].bound,
        .dram_gb_per_s = none,
        .dram_percent = none,
        .tflops = none,
        .flops_percent = none,
        .roofline_saving = TS_ABSENT,
    };
    if (is_matmul(report, row)) {
        group.verdict = ts_advice_fidelity(report, row).verdict;
        group.advice_count = ts_advice_for(report, row, group.advice);
    }
    return group;
}

static void add_figures(struct ts_advice_group *group, const struct ts_perf_row *row)
{
    group->count++;
    if (ts_present(row->device_time))
        group->device_time += row->device_time;
    if (ts_present(row->total_percent))
        group->total_percent += row->total_percent;
    if (ts_present(row->op_to_op_gap)) {
        group->gap += row->op_to_op_gap;
        group->gap_largest = row->op_to_op_gap > group->gap_largest ? row->op_to_op_gap : group->gap_largest;
    }
    widen(&group->dram_gb_per_s, row->dram_gb_per_s);
    widen(&group->dram_percent, row->dram_percent);
    widen(&group->tflops, row->tflops);
    widen(&group->flops_percent, row->flops_percent);
    if (!ts_present(row->device_time) || !ts_present(row->dram_percent) || !ts_present(row->flops_percent))
        return;
    double reached = row->dram_percent > row->flops_percent ? row->dram_percent : row->flops_percent;
    double above = reached < 100 ? row->device_time * (1 - reached / 100) : 0;
    group->roofline_saving = ts_present(group->roofline_saving) ? group->roofline_saving + above : above;
}

static bool add_row(struct builder *builder, uint32_t row)
{
    uint64_t *number = ts_map_find(&builder->by_key, ts_buf_view(&builder->key));
    if (!number) {
        struct ts_str key = ts_arena_copy(builder->arena, ts_buf_view(&builder->key));
        number = key.ptr ? ts_map_at(&builder->by_key, key, NULL) : NULL;
        if (!number || !ts_vec_push(&builder->groups, new_group(builder->report, row)))
            return false;
        *number = builder->groups.count - 1;
    }
    builder->group_of[row] = (uint32_t)*number;
    builder->rows++;
    add_figures(&builder->groups.items[*number], &builder->report->rows[row]);
    return true;
}

/* Hand the rows out to their groups. */
static bool finish(struct builder *builder, struct ts_advice_list *out)
{
    size_t count = builder->groups.count;
    uint32_t *rows = TS_ARENA_ARRAY(builder->arena, uint32_t, (size_t)builder->rows + 1);
    uint32_t *next = TS_ARENA_ARRAY(builder->arena, uint32_t, count + 1);
    out->groups = TS_ARENA_ARRAY(builder->arena, struct ts_advice_group, count + 1);
    if (!rows || !next || !out->groups)
        return false;
    uint32_t first = 0;
    for (size_t i = 0; i < count; i++) {
        out->groups[i] = builder->groups.items[i];
        out->groups[i].rows = rows + first;
        next[i] = first;
        first += out->groups[i].count;
    }
    for (uint32_t row = 0; row < builder->report->count; row++)
        if (builder->group_of[row] != NO_GROUP)
            rows[next[builder->group_of[row]]++] = row;
    out->count = (uint32_t)count;
    out->rows = builder->rows;
    return true;
}

static enum ts_status collect(struct ts_context *context, struct builder *builder,
                              bool (*wanted)(const struct ts_perf_report *, uint32_t),
                              void (*make_key)(struct builder *, uint32_t), struct ts_error *error)
{
    for (uint32_t row = 0; row < builder->report->count; row++) {
        enum ts_status status = row % CHECK_EVERY_ROWS == 0 ? ts_context_check(context, error) : TS_OK;
        if (status != TS_OK)
            return status;
        builder->group_of[row] = NO_GROUP;
        if (!wanted(builder->report, row))
            continue;
        ts_buf_clear(&builder->key);
        make_key(builder, row);
        if (builder->key.failed || !add_row(builder, row))
            return ts_error_no_memory(error);
    }
    return TS_OK;
}

static enum ts_status group(struct ts_context *context, const struct ts_perf_report *report,
                            bool (*wanted)(const struct ts_perf_report *, uint32_t),
                            void (*make_key)(struct builder *, uint32_t), struct ts_arena *arena,
                            struct ts_advice_list *out, struct ts_error *error)
{
    struct builder builder = {.report = report, .arena = arena};
    builder.group_of = TS_ARENA_ARRAY(arena, uint32_t, (size_t)report->count + 1);
    if (!builder.group_of)
        return ts_arena_error(arena, error);
    ts_map_init(&builder.by_key);
    ts_buf_init(&builder.key, 0);
    enum ts_status status = collect(context, &builder, wanted, make_key, error);
    if (status == TS_OK && !finish(&builder, out))
        status = ts_arena_error(arena, error);
    ts_map_free(&builder.by_key);
    ts_vec_free(&builder.groups);
    ts_buf_free(&builder.key);
    return status;
}

/* ---- order ---- */

static int descending(double a, double b)
{
    return (a < b) - (a > b);
}

static int by_first_row(const struct ts_advice_group *a, const struct ts_advice_group *b)
{
    return (a->rows[0] > b->rows[0]) - (a->rows[0] < b->rows[0]);
}

static int by_time(const void *left, const void *right)
{
    const struct ts_advice_group *a = left, *b = right;
    int order = descending(a->device_time, b->device_time);
    return order ? order : by_first_row(a, b);
}

static int by_gap(const void *left, const void *right)
{
    const struct ts_advice_group *a = left, *b = right;
    int order = descending(a->gap, b->gap);
    return order ? order : by_first_row(a, b);
}

/* ---- making ---- */

static enum ts_status build(struct ts_context *context, const struct ts_perf_report *report,
                            struct ts_advice_groups *groups, struct ts_error *error)
{
    struct ts_arena *arena = &groups->arena;
    enum ts_status status = group(context, report, is_host, key_of_name, arena, &groups->host, error);
    if (status == TS_OK)
        status = group(context, report, is_gap, key_of_name, arena, &groups->gaps, error);
    if (status == TS_OK)
        status = group(context, report, is_matmul, key_of_matmul, arena, &groups->matmuls, error);
    if (status != TS_OK)
        return status;
    qsort(groups->gaps.groups, groups->gaps.count, sizeof *groups->gaps.groups, by_gap);
    qsort(groups->matmuls.groups, groups->matmuls.count, sizeof *groups->matmuls.groups, by_time);
    for (uint32_t i = 0; i < groups->gaps.count; i++)
        groups->gap_saving += groups->gaps.groups[i].gap - groups->gaps.groups[i].count * TS_GAP_WITH_TRACE_US;
    double all = report->device_time_total + report->gap_total;
    groups->gap_saving_percent = all > 0 ? groups->gap_saving / all * 100 : 0;
    return TS_OK;
}

enum ts_status ts_advice_groups_create(struct ts_context *context, const struct ts_perf_report *report,
                                       struct ts_advice_groups **out, struct ts_error *error)
{
    struct ts_advice_groups *groups = calloc(1, sizeof *groups);
    if (!groups)
        return ts_error_no_memory(error);
    ts_arena_init(&groups->arena, context->memory_limit);
    enum ts_status status = build(context, report, groups, error);
    if (status != TS_OK) {
        ts_advice_groups_destroy(groups);
        return status;
    }
    *out = groups;
    return TS_OK;
}

void ts_advice_groups_destroy(struct ts_advice_groups *groups)
{
    if (!groups)
        return;
    ts_arena_free(&groups->arena);
    free(groups);
}
