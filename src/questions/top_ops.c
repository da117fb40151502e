#include "base/number.h"
#include "questions/perf_common.h"
#include "questions/perf_links.h"
#include "questions/perf_row.h"
#include "questions/ranking.h"

enum { LIMIT_PLAIN = 100, LIMIT_WITH_GROUPS = 25 };

/* ---- ranking ---- */

struct rows {
    const struct ts_perf_report *report;
    enum ts_perf_metric metric;
    struct ts_perf_extras extras;
    struct ts_perf_link_state link;
};

static bool costs_more(const void *data, uint32_t a, uint32_t b)
{
    const struct rows *rows = data;
    double left = ts_perf_metric_value(rows->report, a, rows->metric);
    double right = ts_perf_metric_value(rows->report, b, rows->metric);
    return left != right ? left > right : a < b;
}

static enum ts_status rank(struct ts_context *context, const struct rows *rows, int64_t limit,
                           struct ts_ranking *ranking, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    ts_ranking_init(ranking, costs_more, rows, limit);
    for (uint32_t row = 0; !status && row < rows->report->count; row++) {
        if (ts_present(ts_perf_metric_value(rows->report, row, rows->metric)))
            ts_ranking_add(ranking, row);
        status = ts_perf_check_row(context, row, error);
    }
    ts_ranking_finish(ranking);
    return status;
}

/* ---- rows ---- */

static void add_text_or_null(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str text)
{
    if (text.len > 0)
        ts_answer_text(answer, object, key, text);
    else
        ts_answer_null(answer, object, key);
}

static void add_identity(struct ts_answer *answer, yyjson_mut_val *object, const struct rows *rows, uint32_t row)
{
    const struct ts_perf_source *source = rows->report->source;
    uint32_t table_row = rows->report->rows[row].source;
    ts_perf_row_add_bound(answer, object, rows->report, row);
    ts_perf_add_device(answer, object, "device", ts_perf_row_facts(rows->report, row)->device);
    char buffer[64];
    add_text_or_null(answer, object, "sub_device_id", ts_perf_source_sub_device(source, table_row, buffer));
    add_text_or_null(answer, object, "op_type", ts_ops_text(source->ops, TS_OPS_OP_TYPE, table_row));
}

static void add_row(struct ts_answer *answer, yyjson_mut_val *list, const struct rows *rows, uint32_t row)
{
    const struct ts_perf_report *report = rows->report;
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    ts_perf_add_id(answer, object, "id", report->rows[row].source);
    ts_answer_text(answer, object, "op_code", ts_perf_op_code(report, row));
    ts_answer_rounded(answer, object, ts_perf_metric_names[rows->metric],
                      ts_perf_metric_value(report, row, rows->metric));
    if (rows->metric != TS_METRIC_CORES)
        ts_perf_row_add_cores(answer, object, report, row);
    add_identity(answer, object, rows, row);
    if (rows->extras.with_flags && rows->metric != TS_METRIC_TOTAL_PERCENT)
        ts_answer_rounded(answer, object, "total_percent", report->rows[row].total_percent);
    ts_perf_extras_add_row(answer, object, &rows->extras, report, row);
    ts_perf_links_add_id(answer, object, "operation_id", &rows->link, report->rows[row].source);
}

static void add_totals(struct ts_answer *answer, const struct rows *rows)
{
    static const char *const keys[] = {"device_time_total", "op_to_op_gap_total", "total_percent_total"};
    if (ts_perf_metric_adds_up(rows->metric))
        ts_answer_rounded(answer, answer->root, keys[rows->metric], ts_perf_metric_total(rows->report, rows->metric));
    ts_perf_add_coverage(answer, rows->report, NULL);
    if (ts_perf_metric_has_gaps(rows->metric))
        ts_perf_add_gaps_dropped(answer, rows->report, NULL);
    ts_perf_add_unmatched(answer, rows->report, NULL);
    ts_perf_add_unusable_ids(answer, rows->report, NULL);
    ts_perf_add_caveat(answer, rows->report, NULL);
}

static void add_answer(struct ts_answer *answer, const struct ts_capture *capture, const struct ts_perf_view *view,
                       const struct rows *rows, const struct ts_ranking *ranking)
{
    ts_answer_name(answer, answer->root, "metric", ts_perf_metric_names[rows->metric]);
    ts_answer_integer(answer, answer->root, "op_count", view->report->count);
    ts_answer_integer(answer, answer->root, "returned", ranking->count);
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "ops");
    for (uint32_t i = 0; i < ranking->count; i++)
        add_row(answer, list, rows, ranking->items[i]);
    ts_perf_add_projection(answer, &view->range, view->window.ignored);
    ts_perf_extras_add_notes(answer, &rows->extras);
    add_totals(answer, rows);
    yyjson_mut_val *link = ts_perf_links_add(answer, &rows->link);
    ts_perf_links_add_note(answer, link, capture, &rows->link);
    ts_perf_links_add_counts(answer, link, &rows->link);
    ts_perf_links_add_scope(answer, link, capture, ts_signpost_range_given(&view->range));
}

static enum ts_status answer_top_ops(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                     struct ts_capture *second, struct ts_answer *answer, struct ts_error *error)
{
    (void)second;
    struct ts_perf_view view;
    struct ts_ranking ranking;
    struct rows rows = {.metric = ts_perf_metric_of(ts_args_get(args, "by")->text)};
    enum ts_status status = ts_perf_view_read(context, args, capture, &view, error);
    if (!status)
        status = ts_perf_extras_read(context, args, capture, view.report, &rows.extras, error);
    if (!status)
        status = ts_perf_link_read(context, capture, &rows.link, error);
    if (!status) {
        rows.report = view.report;
        status = rank(context, &rows, ts_args_get(args, "limit")->integer, &ranking, error);
    }
    if (!status)
        add_answer(answer, capture, &view, &rows, &ranking);
    ts_perf_extras_free(&rows.extras);
    return status;
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PERF_HANDLE_PARAM,
    {.name = "by",
     .kind = TS_PARAM_ENUM,
     .values = ts_perf_metric_names,
     .standard = "device_time",
     .help = "what to rank by; flops in TFLOPS, dram in GB/s"},
    {.name = "limit",
     .kind = TS_PARAM_LIMIT,
     .default_integer = 10,
     .maximum = LIMIT_PLAIN,
     .maximum_with_groups = LIMIT_WITH_GROUPS,
     .help = "with include at most 25"},
    TS_PERF_RANGE_PARAMS,
    {.name = "include",
     .kind = TS_PARAM_GROUPS,
     .values = ts_perf_groups,
     .help = "groups of fields to add to each row"},
    {.name = NULL},
};

static const struct ts_field row_fields[] = {
    {.key = "id",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .help = "row of the performance CSV; the first data row is 2"},
    {.key = "op_code",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .heading = "operation",
     .help = "a matmul's with its shape"},
    {.key = "{by}",
     .kind = TS_KIND_NUMBER,
     .show = TS_SHOW_COLUMN,
     .help = "the metric: device_time and op_to_op_gap in us, flops in TFLOPS, dram in GB/s"},
    TS_PERF_ROW_FIELDS("Compute, CCL, DM, TM, Host, Other; null on signposts"),
    {.key = "device",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .help = "the device whose row stands for all: the slowest, of a collective the first"},
    {.key = "sub_device_id", .kind = TS_KIND_STRING, .nullable = true, .help = "null: the whole grid"},
    {.key = "op_type", .kind = TS_KIND_STRING, .nullable = true, .help = "OP TYPE as written"},
    {.key = "total_percent",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .group = "flags",
     .unit = "percent",
     .show = TS_SHOW_COLUMN,
     .heading = "total %",
     .help = "its share of all device time and gaps read"},
    TS_PERF_EXTRA_FIELDS,
    {.key = "operation_id",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .help = "of the profiler report; null: not linked"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "metric", .kind = TS_KIND_STRING, .help = "what the rows are ranked by"},
    {.key = "op_count",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_ABOVE,
     .heading = "rows read",
     .help = "rows read, signposts and host operations included"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "rows listed"},
    {.key = "ops",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = row_fields,
     .show = TS_SHOW_ROWS,
     .help = "rows with the metric, largest first, ties in row order"},
    TS_PERF_PROJECTION_FIELD,
    TS_PERF_DETAIL_NOTE_FIELDS,
    TS_PERF_FLAG_BASIS_FIELD,
    {.key = "{by}_total",
     .kind = TS_KIND_NUMBER,
     .sometimes = true,
     .show = TS_SHOW_BELOW,
     .help = "over all rows read; of device_time, op_to_op_gap and total_percent only"},
    TS_PERF_LACK_FIELDS,
    TS_PERF_LINKS_FIELD(ts_perf_links_count_fields),
    {.key = NULL},
};

const struct ts_question ts_question_top_ops = {
    .name = "top_ops",
    .title = "Costliest operations",
    .summary = "Which operations cost the most, and with --include why",
    .description =
        "The costliest operations, one row each, devices merged. A null bound is no verdict unless bound_analysis is "
        "full. include says why an operation took its time. config: fidelity, datatypes, blocks; utilisation: of "
        "DRAM and FLOPs peaks; riscs: time per processor, waits for data; cores: skew and imbalance; dispatch: what "
        "the gap was; devices: the times behind a merged row, one slow chip shows here; flags: dram_bound, "
        "low_utilisation, underutilised_cores, recompute_candidate with their figures.",
    .params = params,
    .needs = TS_NEED_REPORT,
    .fields = fields,
    .link = TS_LINK_LINKED_OPERATIONS,
    .too_large = "lower limit, or ask for fewer groups in include",
    .answer = answer_top_ops,
};
