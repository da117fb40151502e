#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/vec.h"
#include "questions/perf_common.h"
#include "questions/ranking.h"

enum { BEFORE, AFTER, SIDES };

/* ---- the rows of both, by op code ---- */

struct change {
    struct ts_str op_code;
    double sums[SIDES], delta; /* delta: rounded as it is printed */
    uint32_t counts[SIDES];
};

struct changes {
    TS_VEC(struct change) items; /* in order of first appearance */
    struct ts_map by_code;
    enum ts_perf_metric metric;
};

static struct change *find_change(struct changes *changes, struct ts_str op_code)
{
    bool added;
    uint64_t *index = ts_map_at(&changes->by_code, op_code, &added);
    if (!index)
        return NULL;
    if (added) {
        *index = changes->items.count;
        if (!ts_vec_push(&changes->items, (struct change){.op_code = op_code}))
            return NULL;
    }
    return &changes->items.items[*index];
}

/* Add one report's rows. Names repeat: known[name] is where a displayed name was found before, plus 1. */
static enum ts_status add_rows(struct ts_context *context, struct changes *changes, const struct ts_perf_report *report,
                               unsigned side, uint32_t *known, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    for (uint32_t row = 0; !status && row < report->count; row++) {
        status = ts_perf_check_row(context, row, error);
        double value = ts_perf_metric_value(report, row, changes->metric);
        if (!ts_present(value))
            continue;
        uint32_t name = ts_perf_row_facts(report, row)->name;
        struct change *change = name && known[name] ? &changes->items.items[known[name] - 1] : NULL;
        if (!change) {
            struct ts_str op_code = ts_str_trim(ts_perf_op_code(report, row));
            if (op_code.len == 0)
                continue;
            change = find_change(changes, op_code);
            if (!change)
                return ts_error_no_memory(error);
            known[name] = (uint32_t)(change - changes->items.items) + 1;
        }
        change->sums[side] += value;
        change->counts[side]++;
    }
    return status;
}

static enum ts_status add_side(struct ts_context *context, struct changes *changes, const struct ts_perf_report *report,
                               unsigned side, struct ts_error *error)
{
    uint32_t *known = calloc((size_t)report->source->names.count + 1, sizeof *known);
    enum ts_status status = known ? add_rows(context, changes, report, side, known, error) : ts_error_no_memory(error);
    free(known);
    return status;
}

static bool moved_more(const void *data, uint32_t a, uint32_t b)
{
    const struct changes *changes = data;
    const struct change *left = &changes->items.items[a], *right = &changes->items.items[b];
    double left_size = fabs(left->delta), right_size = fabs(right->delta);
    return left_size != right_size ? left_size > right_size : ts_str_compare(left->op_code, right->op_code) < 0;
}

/* ---- the range ---- */

static enum ts_status one_lacks_signposts(const struct ts_capture *lacking, struct ts_error *error)
{
    struct ts_quote label;
    return ts_error_set(
        error, TS_REFUSED,
        "%s holds no signposts and the other report does: a range of one against all of the other would show "
        "every row outside the range as a change. Compare without start_signpost and end_signpost.",
        ts_error_quote(&label, ts_str_from(lacking->label), TS_QUOTE_FILE));
}

/* A range has to be good for both before either report is made. */
static enum ts_status check_range(struct ts_context *context, const struct ts_signpost_range *range,
                                  struct ts_capture *const captures[SIDES], struct ts_error *error)
{
    struct ts_perf_source *sources[SIDES];
    struct ts_row_window window;
    enum ts_status status = TS_OK;
    for (unsigned side = 0; !status && side < SIDES; side++)
        status = ts_capture_source(context, captures[side], &sources[side], error);
    if (status || !ts_signpost_range_given(range))
        return status;
    bool before = sources[BEFORE]->signposts.count > 0, after = sources[AFTER]->signposts.count > 0;
    if (before != after)
        return one_lacks_signposts(captures[before ? AFTER : BEFORE], error);
    for (unsigned side = 0; before && !status && side < SIDES; side++)
        status = ts_signposts_window(&sources[side]->signposts, range, sources[side]->ops->rows, captures[side]->label,
                                     &window, error);
    return status;
}

/* ---- the answer ---- */

static void add_change(struct ts_answer *answer, yyjson_mut_val *list, const struct change *change,
                       enum ts_perf_metric metric)
{
    char before[40], after[40];
    snprintf(before, sizeof before, "%s_before", ts_perf_metric_names[metric]);
    snprintf(after, sizeof after, "%s_after", ts_perf_metric_names[metric]);
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    ts_answer_text(answer, object, "op_code", change->op_code);
    ts_answer_rounded(answer, object, before, change->sums[BEFORE]);
    ts_answer_rounded(answer, object, after, change->sums[AFTER]);
    ts_answer_number(answer, object, "delta", change->delta);
    ts_answer_integer(answer, object, "count_before", change->counts[BEFORE]);
    ts_answer_integer(answer, object, "count_after", change->counts[AFTER]);
}

static void add_changes(struct ts_answer *answer, struct changes *changes, int64_t limit, double *delta_total)
{
    double totals[SIDES] = {0};
    struct ts_ranking ranking;
    ts_ranking_init(&ranking, moved_more, changes, limit);
    for (uint32_t i = 0; i < changes->items.count; i++) {
        struct change *change = &changes->items.items[i];
        change->delta = ts_round(change->sums[AFTER] - change->sums[BEFORE], 3);
        totals[BEFORE] += change->sums[BEFORE];
        totals[AFTER] += change->sums[AFTER];
    }
    for (uint32_t i = 0; i < changes->items.count; i++)
        ts_ranking_add(&ranking, i);
    ts_ranking_finish(&ranking);
    *delta_total = totals[AFTER] - totals[BEFORE];
    ts_answer_integer(answer, answer->root, "change_count", (int64_t)changes->items.count);
    ts_answer_integer(answer, answer->root, "returned", ranking.count);
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "changes");
    for (uint32_t i = 0; i < ranking.count; i++)
        add_change(answer, list, &changes->items.items[ranking.items[i]], changes->metric);
}

static void add_answer(struct ts_answer *answer, struct changes *changes, int64_t limit,
                       struct ts_capture *const captures[SIDES], const struct ts_perf_view views[SIDES])
{
    double delta_total;
    ts_answer_name(answer, answer->root, "metric", ts_perf_metric_names[changes->metric]);
    ts_answer_text(answer, answer->root, "before", ts_str_from(captures[BEFORE]->label));
    ts_answer_text(answer, answer->root, "after", ts_str_from(captures[AFTER]->label));
    add_changes(answer, changes, limit, &delta_total);
    ts_perf_add_projection(answer, &views[BEFORE].range, views[BEFORE].window.ignored);
    ts_answer_name(answer, answer->root, "grouped_by", "op_code");
    ts_answer_rounded(answer, answer->root, "delta_total", delta_total);
    ts_perf_add_coverage(answer, views[BEFORE].report, views[AFTER].report);
    if (ts_perf_metric_has_gaps(changes->metric))
        ts_perf_add_gaps_dropped(answer, views[BEFORE].report, views[AFTER].report);
    ts_perf_add_unmatched(answer, views[BEFORE].report, views[AFTER].report);
    ts_perf_add_unusable_ids(answer, views[BEFORE].report, views[AFTER].report);
    ts_perf_add_caveat(answer, views[BEFORE].report, views[AFTER].report);
}

static enum ts_status answer_diff_reports(struct ts_context *context, const struct ts_args *args,
                                          struct ts_capture *first, struct ts_capture *second, struct ts_answer *answer,
                                          struct ts_error *error)
{
    struct ts_capture *const captures[SIDES] = {first, second};
    struct ts_signpost_range range = ts_perf_range(args);
    struct ts_perf_view views[SIDES];
    struct changes changes = {.metric = ts_perf_metric_of(ts_args_get(args, "by")->text)};
    ts_map_init(&changes.by_code);
    enum ts_status status = check_range(context, &range, captures, error);
    for (unsigned side = 0; !status && side < SIDES; side++)
        status = ts_perf_view_read(context, args, captures[side], &views[side], error);
    for (unsigned side = 0; !status && side < SIDES; side++)
        status = add_side(context, &changes, views[side].report, side, error);
    if (!status)
        add_answer(answer, &changes, ts_args_get(args, "limit")->integer, captures, views);
    ts_map_free(&changes.by_code);
    ts_vec_free(&changes.items);
    return status;
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    {.name = "handle_a", .kind = TS_PARAM_HANDLE, .required = true, .help = "before"},
    {.name = "handle_b", .kind = TS_PARAM_HANDLE, .required = true, .help = "after"},
    {.name = "by",
     .kind = TS_PARAM_ENUM,
     .values = ts_perf_additive_names,
     .standard = "device_time",
     .help = "what to compare; rates and core counts do not add up, rank those with top_ops"},
    {.name = "limit", .kind = TS_PARAM_LIMIT, .default_integer = 10, .maximum = 100},
    TS_PERF_RANGE_PARAMS,
    {.name = NULL},
};

static const struct ts_field change_fields[] = {
    {.key = "op_code",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .heading = "operation",
     .help = "with its shape: shapes are compared apart"},
    {.key = "{by}_before",
     .kind = TS_KIND_NUMBER,
     .show = TS_SHOW_COLUMN,
     .heading = "before",
     .help = "summed; 0: not there"},
    {.key = "{by}_after",
     .kind = TS_KIND_NUMBER,
     .show = TS_SHOW_COLUMN,
     .heading = "after",
     .help = "summed; 0: not there"},
    {.key = "delta", .kind = TS_KIND_NUMBER, .show = TS_SHOW_COLUMN, .heading = "change", .help = "after minus before"},
    {.key = "count_before", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "rows with the metric"},
    {.key = "count_after", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "rows with the metric"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "metric",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_ABOVE,
     .help = "what is compared: times in us, percentages"},
    {.key = "before", .kind = TS_KIND_STRING, .show = TS_SHOW_ABOVE, .help = "the first report"},
    {.key = "after", .kind = TS_KIND_STRING, .show = TS_SHOW_ABOVE, .help = "the second report"},
    {.key = "change_count", .kind = TS_KIND_INTEGER, .help = "op codes of either report"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "op codes listed"},
    {.key = "changes",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = change_fields,
     .show = TS_SHOW_ROWS,
     .help = "largest movement first, ties by op code"},
    TS_PERF_PROJECTION_FIELD,
    {.key = "grouped_by", .kind = TS_KIND_STRING, .help = "op_code"},
    {.key = "delta_total",
     .kind = TS_KIND_NUMBER,
     .show = TS_SHOW_BELOW,
     .heading = "change of the total",
     .help = "over all op codes"},
    TS_PERF_LACK_PAIR_FIELDS,
    {.key = NULL},
};

const struct ts_question ts_question_diff_reports = {
    .name = "diff_reports",
    .title = "Compare two reports",
    .summary = "What changed between two captures, by operation",
    .description =
        "What changed between two reports, per op code with its shape, the largest movement first. A range applies "
        "to both. Answers no row ids.",
    .params = params,
    .needs = TS_NEED_REPORT | TS_NEED_TWO_CAPTURES,
    .fields = fields,
    .too_large = "lower limit",
    .answer = answer_diff_reports,
};
