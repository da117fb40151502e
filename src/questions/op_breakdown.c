#include <stdlib.h>

#include "base/number.h"
#include "models/stacked.h"
#include "questions/perf_common.h"
#include "questions/ranking.h"

struct groups {
    const struct ts_stacked *stacked;
    enum ts_perf_metric metric;
};

static double sum_of(const struct ts_stacked_group *group, enum ts_perf_metric metric)
{
    return metric == TS_METRIC_DEVICE_TIME    ? group->device_time
           : metric == TS_METRIC_OP_TO_OP_GAP ? group->op_to_op_gap
                                              : group->total_percent;
}

static bool takes_more(const void *data, uint32_t a, uint32_t b)
{
    const struct groups *groups = data;
    const struct ts_stacked_group *left = &groups->stacked->groups[a], *right = &groups->stacked->groups[b];
    double left_sum = sum_of(left, groups->metric), right_sum = sum_of(right, groups->metric);
    return left_sum != right_sum ? left_sum > right_sum : ts_str_compare(left->name, right->name) < 0;
}

/* Figures of one group, or of several together. */
struct figures {
    uint32_t groups, count;
    double device_time, op_to_op_gap, total_percent;
};

static void add_group_to(struct figures *sum, const struct ts_stacked_group *group)
{
    sum->groups++;
    sum->count += group->count;
    sum->device_time += group->device_time;
    sum->op_to_op_gap += group->op_to_op_gap;
    sum->total_percent += group->total_percent;
}

static void add_figures(struct ts_answer *answer, yyjson_mut_val *object, const struct figures *figures,
                        const struct figures *totals)
{
    ts_answer_integer(answer, object, "count", figures->count);
    ts_answer_rounded(answer, object, "device_time", figures->device_time);
    ts_answer_number(answer, object, "device_time_share_percent", ts_share(figures->device_time, totals->device_time));
    ts_answer_rounded(answer, object, "op_to_op_gap", figures->op_to_op_gap);
    ts_answer_number(answer, object, "op_to_op_gap_share_percent",
                     ts_share(figures->op_to_op_gap, totals->op_to_op_gap));
    ts_answer_rounded(answer, object, "total_percent", figures->total_percent);
}

static void add_groups(struct ts_answer *answer, const struct ts_stacked *stacked, const struct ts_ranking *ranking,
                       bool by_category, const struct figures *totals)
{
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "groups");
    for (uint32_t i = 0; i < ranking->count; i++) {
        const struct ts_stacked_group *group = &stacked->groups[ranking->items[i]];
        yyjson_mut_val *object = ts_answer_push_object(answer, list);
        if (!by_category)
            ts_answer_text(answer, object, "op", group->name);
        ts_answer_name(answer, object, "op_category", ts_op_category_name(group->category));
        struct figures figures = {.groups = 0};
        add_group_to(&figures, group);
        add_figures(answer, object, &figures, totals);
    }
}

/* The groups that are not listed, in their order of appearance. */
static enum ts_status sum_rest(const struct ts_stacked *stacked, const struct ts_ranking *ranking, struct figures *out,
                               struct ts_error *error)
{
    bool *listed = calloc(stacked->count ? stacked->count : 1, sizeof *listed);
    if (!listed)
        return ts_error_no_memory(error);
    for (uint32_t i = 0; i < ranking->count; i++)
        listed[ranking->items[i]] = true;
    for (uint32_t i = 0; i < stacked->count; i++)
        if (!listed[i])
            add_group_to(out, &stacked->groups[i]);
    free(listed);
    return TS_OK;
}

static void add_rest(struct ts_answer *answer, const struct figures *rest, const struct figures *totals)
{
    if (rest->groups == 0) {
        ts_answer_null(answer, answer->root, "rest");
        return;
    }
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, "rest");
    ts_answer_integer(answer, object, "group_count", rest->groups);
    add_figures(answer, object, rest, totals);
}

static enum ts_status add_breakdown(struct ts_answer *answer, const struct ts_args *args,
                                    const struct ts_perf_view *view, const struct ts_stacked *stacked,
                                    struct ts_error *error)
{
    struct groups groups = {stacked, ts_perf_metric_of(ts_args_get(args, "by")->text)};
    struct figures rest = {.groups = 0};
    struct figures totals = {.device_time = ts_perf_metric_total(view->report, TS_METRIC_DEVICE_TIME),
                             .op_to_op_gap = ts_perf_metric_total(view->report, TS_METRIC_OP_TO_OP_GAP),
                             .total_percent = ts_perf_metric_total(view->report, TS_METRIC_TOTAL_PERCENT)};
    struct ts_str group_by = ts_args_get(args, "group_by")->text;
    struct ts_ranking ranking;
    ts_ranking_init(&ranking, takes_more, &groups, ts_args_get(args, "limit")->integer);
    for (uint32_t i = 0; i < stacked->count; i++)
        ts_ranking_add(&ranking, i);
    ts_ranking_finish(&ranking);
    enum ts_status status = sum_rest(stacked, &ranking, &rest, error);
    if (status)
        return status;
    ts_answer_name(answer, answer->root, "metric", ts_perf_metric_names[groups.metric]);
    ts_answer_string(answer, answer->root, "grouped_by", group_by);
    ts_answer_integer(answer, answer->root, "op_count", stacked->rows);
    ts_answer_integer(answer, answer->root, "group_count", stacked->count);
    ts_answer_integer(answer, answer->root, "returned", ranking.count);
    add_groups(answer, stacked, &ranking, ts_str_is(group_by, "op_category"), &totals);
    add_rest(answer, &rest, &totals);
    ts_answer_rounded(answer, answer->root, "device_time_total", totals.device_time);
    ts_answer_rounded(answer, answer->root, "op_to_op_gap_total", totals.op_to_op_gap);
    ts_answer_rounded(answer, answer->root, "total_percent_total", totals.total_percent);
    return TS_OK;
}

static enum ts_status answer_op_breakdown(struct ts_context *context, const struct ts_args *args,
                                          struct ts_capture *capture, struct ts_capture *second,
                                          struct ts_answer *answer, struct ts_error *error)
{
    (void)second;
    struct ts_perf_view view;
    struct ts_stacked *stacked = NULL;
    bool by_category = ts_str_is(ts_args_get(args, "group_by")->text, "op_category");
    struct ts_stacked_options options = {.by = by_category ? TS_STACKED_CATEGORY : TS_STACKED_OP, .with_blank = true};
    enum ts_status status = ts_perf_view_read(context, args, capture, &view, error);
    if (!status)
        status = ts_stacked_create(context, view.report, &options, &stacked, error);
    if (!status) {
        status = add_breakdown(answer, args, &view, stacked, error);
        ts_perf_add_projection(answer, &view.range, view.window.ignored);
        ts_perf_add_coverage(answer, view.report, NULL);
        ts_perf_add_gaps_dropped(answer, view.report, NULL);
        ts_perf_add_unmatched(answer, view.report, NULL);
        ts_perf_add_unusable_ids(answer, view.report, NULL);
        ts_perf_add_caveat(answer, view.report, NULL);
        ts_stacked_destroy(stacked);
    }
    return status;
}

/* ---- declaration ---- */

static const char *const groupings[] = {"op", "op_category", NULL};

static const struct ts_param params[] = {
    TS_PERF_HANDLE_PARAM,
    {.name = "group_by",
     .kind = TS_PARAM_ENUM,
     .values = groupings,
     .standard = "op",
     .help = "op: first word of the op code, all shapes together"},
    {.name = "by",
     .kind = TS_PARAM_ENUM,
     .values = ts_perf_additive_names,
     .standard = "device_time",
     .help = "what to order groups by"},
    {.name = "limit", .kind = TS_PARAM_LIMIT, .default_integer = 10, .maximum = 100},
    TS_PERF_RANGE_PARAMS,
    {.name = NULL},
};

#define FIGURE_FIELDS                                                                                                  \
    {.key = "count", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "rows"},                                 \
        {.key = "device_time", .kind = TS_KIND_NUMBER, .unit = "us", .show = TS_SHOW_COLUMN, .help = "summed"},        \
        {.key = "device_time_share_percent",                                                                           \
         .kind = TS_KIND_NUMBER,                                                                                       \
         .nullable = true,                                                                                             \
         .unit = "percent",                                                                                            \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .heading = "time %",                                                                                          \
         .help = "of device_time_total; null when that is 0"},                                                         \
        {.key = "op_to_op_gap",                                                                                        \
         .kind = TS_KIND_NUMBER,                                                                                       \
         .unit = "us",                                                                                                 \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .heading = "gap before",                                                                                      \
         .help = "summed: the time before these operations, waiting for them to start"},                               \
        {.key = "op_to_op_gap_share_percent",                                                                          \
         .kind = TS_KIND_NUMBER,                                                                                       \
         .nullable = true,                                                                                             \
         .unit = "percent",                                                                                            \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .heading = "gap %",                                                                                           \
         .help = "of op_to_op_gap_total; null when that is 0"},                                                        \
    {                                                                                                                  \
        .key = "total_percent", .kind = TS_KIND_NUMBER, .unit = "percent", .show = TS_SHOW_COLUMN,                     \
        .heading = "total %", .help = "device time and gaps together, of all of them"                                  \
    }

static const struct ts_field group_fields[] = {
    {.key = "op",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_COLUMN,
     .heading = "operation",
     .help = "the group, grouped by op"},
    {.key = "op_category",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .heading = "category",
     .help = "the group, grouped by op_category; else that of its first row"},
    FIGURE_FIELDS,
    {.key = NULL},
};

static const struct ts_field rest_fields[] = {
    {.key = "group_count", .kind = TS_KIND_INTEGER, .help = "groups not listed"},
    FIGURE_FIELDS,
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "metric", .kind = TS_KIND_STRING, .help = "what groups are ordered by"},
    {.key = "grouped_by", .kind = TS_KIND_STRING, .help = "op or op_category"},
    {.key = "op_count",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_ABOVE,
     .heading = "rows grouped",
     .help = "rows grouped: those read without signposts"},
    {.key = "group_count",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_ABOVE,
     .heading = "groups",
     .help = "groups there are"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "groups listed"},
    {.key = "groups",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = group_fields,
     .show = TS_SHOW_ROWS,
     .help = "by the metric, largest first, ties by name"},
    {.key = "rest",
     .kind = TS_KIND_OBJECT,
     .nullable = true,
     .children = rest_fields,
     .show = TS_SHOW_BELOW,
     .help = "the groups not listed, together; null: there are none"},
    {.key = "device_time_total",
     .kind = TS_KIND_NUMBER,
     .unit = "us",
     .show = TS_SHOW_BELOW,
     .help = "over the rows grouped"},
    {.key = "op_to_op_gap_total",
     .kind = TS_KIND_NUMBER,
     .unit = "us",
     .show = TS_SHOW_BELOW,
     .help = "over the rows grouped"},
    {.key = "total_percent_total", .kind = TS_KIND_NUMBER, .unit = "percent", .help = "over the rows grouped"},
    TS_PERF_PROJECTION_FIELD,
    TS_PERF_LACK_FIELDS,
    {.key = NULL},
};

const struct ts_question ts_question_op_breakdown = {
    .name = "op_breakdown",
    .title = "Where the time went",
    .summary = "Where the time went, by operation or by category",
    .description = "Groups of operations with their count, device time and the gaps before them, each with its share "
                   "of the total. Host operations count without a device time. rest sums the groups past limit, so "
                   "shares add up.",
    .params = params,
    .needs = TS_NEED_REPORT,
    .fields = fields,
    .too_large = "lower limit",
    .answer = answer_op_breakdown,
};
