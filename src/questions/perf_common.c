#include "questions/perf_common.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"

/* ---- metrics ---- */

const char *const ts_perf_metric_names[] = {"device_time", "op_to_op_gap", "total_percent", "flops", "dram", "cores",
                                            NULL};
const char *const ts_perf_additive_names[] = {"device_time", "op_to_op_gap", "total_percent", NULL};

enum ts_perf_metric ts_perf_metric_of(struct ts_str name)
{
    unsigned metric = TS_METRIC_DEVICE_TIME;
    while (metric < TS_METRIC_CORES && !ts_str_is(name, ts_perf_metric_names[metric]))
        metric++;
    return (enum ts_perf_metric)metric;
}

double ts_perf_metric_value(const struct ts_perf_report *report, uint32_t row, enum ts_perf_metric metric)
{
    const struct ts_perf_row *figures = &report->rows[row];
    switch (metric) {
    case TS_METRIC_DEVICE_TIME:
        return figures->device_time;
    case TS_METRIC_OP_TO_OP_GAP:
        return figures->op_to_op_gap;
    case TS_METRIC_TOTAL_PERCENT:
        return figures->total_percent;
    case TS_METRIC_FLOPS:
        return figures->tflops;
    case TS_METRIC_DRAM:
        return figures->dram_gb_per_s;
    case TS_METRIC_CORES:
        break;
    }
    int32_t cores = ts_perf_row_facts(report, row)->cores;
    return cores < 0 ? TS_ABSENT : cores;
}

double ts_perf_metric_total(const struct ts_perf_report *report, enum ts_perf_metric metric)
{
    double total = 0;
    for (uint32_t row = 0; row < report->count; row++) {
        double value = ts_perf_metric_value(report, row, metric);
        if (ts_present(value))
            total += value;
    }
    return total;
}

/* ---- the rows read ---- */

struct ts_signpost_range ts_perf_range(const struct ts_args *args)
{
    return (struct ts_signpost_range){ts_args_get(args, "start_signpost")->text,
                                      ts_args_get(args, "end_signpost")->text};
}

enum ts_status ts_perf_view_read(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                 struct ts_perf_view *out, struct ts_error *error)
{
    out->range = ts_perf_range(args);
    return ts_capture_report(context, capture, &out->range, &out->report, &out->window, error);
}

const struct ts_field ts_perf_projection_fields[] = {
    {.key = "hide_host_ops", .kind = TS_KIND_BOOLEAN, .help = "false: host operations are rows too"},
    {.key = "merge_devices",
     .kind = TS_KIND_BOOLEAN,
     .help = "true: an operation that ran on several devices is one row"},
    {.key = "print_signposts", .kind = TS_KIND_BOOLEAN, .help = "true: signposts are rows too"},
    {.key = "start_signpost",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .sometimes = true,
     .help = "of the range asked"},
    {.key = "end_signpost", .kind = TS_KIND_STRING, .nullable = true, .sometimes = true, .help = "of the range asked"},
    {.key = "boundary_signposts_included", .kind = TS_KIND_BOOLEAN, .sometimes = true, .help = "false, with a range"},
    {.key = "signpost_range_ignored",
     .kind = TS_KIND_BOOLEAN,
     .sometimes = true,
     .help = "with a range; true: the report has no signposts and was read whole"},
    {.key = NULL},
};

static void add_bound(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str name)
{
    if (name.len > 0)
        ts_answer_text(answer, object, key, name);
    else
        ts_answer_null(answer, object, key);
}

void ts_perf_add_projection(struct ts_answer *answer, const struct ts_signpost_range *range, bool ignored)
{
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, "projection");
    ts_answer_boolean(answer, object, "hide_host_ops", false);
    ts_answer_boolean(answer, object, "merge_devices", true);
    ts_answer_boolean(answer, object, "print_signposts", true);
    if (!range || !ts_signpost_range_given(range))
        return;
    add_bound(answer, object, "start_signpost", range->start);
    add_bound(answer, object, "end_signpost", range->end);
    ts_answer_boolean(answer, object, "boundary_signposts_included", false);
    ts_answer_boolean(answer, object, "signpost_range_ignored", ignored);
}

void ts_perf_add_id(struct ts_answer *answer, yyjson_mut_val *object, const char *key, uint32_t source)
{
    char text[24];
    int len = snprintf(text, sizeof text, "%" PRIu64, (uint64_t)source + 2);
    ts_answer_string(answer, object, key, (struct ts_str){text, (size_t)len});
}

void ts_perf_add_device(struct ts_answer *answer, yyjson_mut_val *object, const char *key, int32_t device)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRId32, device);
    ts_answer_name(answer, object, key, device < 0 ? NULL : text);
}

struct ts_str ts_perf_op_code(const struct ts_perf_report *report, uint32_t row)
{
    uint32_t source = report->rows[row].source;
    struct ts_str name = ts_perf_source_name(report->source, source);
    return name.len > 0 ? name : ts_ops_text(report->source->ops, TS_OPS_OP_CODE, source);
}

/* ---- what the figures lack ---- */

/* Add figures of one report, or of those of two that have some, each under its own key; then a caveat, if any. */
typedef void (*add_figures)(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report,
                            bool pair);

static void add_lack(struct ts_answer *answer, const char *key, const struct ts_perf_report *report, bool says,
                     const struct ts_perf_report *after, bool after_says, add_figures add, const char *caveat)
{
    if (!says && !after_says)
        return;
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, key);
    if (!after) {
        add(answer, object, report, false);
    } else {
        if (says)
            add(answer, ts_answer_object(answer, object, "before"), report, true);
        if (after_says)
            add(answer, ts_answer_object(answer, object, "after"), after, true);
    }
    if (caveat)
        ts_answer_name(answer, object, "caveat", caveat);
}

#define CAVEAT_FIELD(text)                                                                                             \
    {                                                                                                                  \
        .key = "caveat", .kind = TS_KIND_STRING, .help = text                                                          \
    }
#define PAIR_FIELDS(sides)                                                                                             \
    {.key = "before", .kind = TS_KIND_OBJECT, .sometimes = true, .children = sides, .help = "of the first report"},    \
    {                                                                                                                  \
        .key = "after", .kind = TS_KIND_OBJECT, .sometimes = true, .children = sides, .help = "of the second report"   \
    }

#define COVERAGE_FIELDS                                                                                                \
    {.key = "device_ops", .kind = TS_KIND_INTEGER, .help = "device operations read"},                                  \
    {                                                                                                                  \
        .key = "timed", .kind = TS_KIND_INTEGER, .help = "how many of them have a device time"                         \
    }
static const struct ts_field coverage_side[] = {COVERAGE_FIELDS, {.key = NULL}};
const struct ts_field ts_perf_coverage_fields[] = {
    COVERAGE_FIELDS, CAVEAT_FIELD("what the figures leave out"), {.key = NULL}};
const struct ts_field ts_perf_coverage_pair_fields[] = {
    PAIR_FIELDS(coverage_side), CAVEAT_FIELD("what the figures leave out"), {.key = NULL}};

static bool lacks_times(const struct ts_perf_report *report)
{
    return report && report->timed_ops < report->device_ops;
}

static void add_coverage(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report,
                         bool pair)
{
    (void)pair;
    ts_answer_integer(answer, object, "device_ops", report->device_ops);
    ts_answer_integer(answer, object, "timed", report->timed_ops);
}

void ts_perf_add_coverage(struct ts_answer *answer, const struct ts_perf_report *report,
                          const struct ts_perf_report *after)
{
    const char *caveat =
        after ? "Device operations without a device time add nothing to these sums: a change can be a measurement that "
                "was lost."
              : "Device operations without a device time add nothing to these figures: the true times are larger.";
    add_lack(answer, "coverage", report, lacks_times(report), after, lacks_times(after), add_coverage, caveat);
}

#define GAPS_FIELDS                                                                                                    \
    {.key = "negative", .kind = TS_KIND_INTEGER, .help = "below zero"},                                                \
    {                                                                                                                  \
        .key = "beside_invalid_duration", .kind = TS_KIND_INTEGER,                                                     \
        .help = "above 1 ms, on or behind a row without a usable duration"                                             \
    }
const struct ts_field ts_perf_gaps_fields[] = {GAPS_FIELDS, {.key = NULL}};
const struct ts_field ts_perf_gaps_pair_fields[] = {PAIR_FIELDS(ts_perf_gaps_fields), {.key = NULL}};

static bool drops_gaps(const struct ts_perf_report *report)
{
    return report && (report->gaps_dropped_negative || report->gaps_dropped_invalid);
}

static void add_gaps(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report, bool pair)
{
    (void)pair;
    ts_answer_integer(answer, object, "negative", report->gaps_dropped_negative);
    ts_answer_integer(answer, object, "beside_invalid_duration", report->gaps_dropped_invalid);
}

void ts_perf_add_gaps_dropped(struct ts_answer *answer, const struct ts_perf_report *report,
                              const struct ts_perf_report *after)
{
    add_lack(answer, "gaps_dropped", report, drops_gaps(report), after, drops_gaps(after), add_gaps, NULL);
}

#define UNMATCHED_COUNT                                                                                                \
    {                                                                                                                  \
        .key = "count", .kind = TS_KIND_INTEGER, .help = "operations that some device did not have in turn"            \
    }
#define UNMATCHED_DEVICE                                                                                               \
    {                                                                                                                  \
        .key = "device", .kind = TS_KIND_STRING, .nullable = true,                                                     \
        .help = "the device that lacks the first of them; null: several do"                                            \
    }
#define UNMATCHED_ID                                                                                                   \
    {                                                                                                                  \
        .key = "first_id", .kind = TS_KIND_STRING, .nullable = true, .help = "row of the first of them"                \
    }
#define UNMATCHED_OP                                                                                                   \
    {                                                                                                                  \
        .key = "first_op", .kind = TS_KIND_STRING, .nullable = true, .help = "its op code"                             \
    }
static const struct ts_field unmatched_side[] = {UNMATCHED_COUNT, UNMATCHED_DEVICE, UNMATCHED_OP, {.key = NULL}};
const struct ts_field ts_perf_unmatched_fields[] = {
    UNMATCHED_COUNT, UNMATCHED_DEVICE, UNMATCHED_ID, UNMATCHED_OP, CAVEAT_FIELD("what cannot be trusted from there on"),
    {.key = NULL}};
const struct ts_field ts_perf_unmatched_pair_fields[] = {
    PAIR_FIELDS(unmatched_side), CAVEAT_FIELD("what cannot be trusted from there on"), {.key = NULL}};

static void add_unmatched(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report,
                          bool pair)
{
    const struct ts_merge_notice *first = &report->notices[0];
    bool known = first->first_row != UINT32_MAX;
    ts_answer_integer(answer, object, "count", report->notice_count);
    ts_perf_add_device(answer, object, "device", first->device);
    if (!pair && known)
        ts_perf_add_id(answer, object, "first_id", first->first_row);
    else if (!pair)
        ts_answer_null(answer, object, "first_id");
    if (known)
        ts_answer_text(answer, object, "first_op", ts_perf_source_name(report->source, first->first_row));
    else
        ts_answer_null(answer, object, "first_op");
}

void ts_perf_add_unmatched(struct ts_answer *answer, const struct ts_perf_report *report,
                           const struct ts_perf_report *after)
{
    add_lack(
        answer, "unmatched", report, report->notice_count > 0, after, after && after->notice_count > 0, add_unmatched,
        "The devices did not record the same operations: from there on a merged row can hold calls that do not belong "
        "together.");
}

#define UNUSABLE_COUNT                                                                                                 \
    {                                                                                                                  \
        .key = "count", .kind = TS_KIND_INTEGER, .help = "operations with such an id; each is a row of its own"        \
    }
static const struct ts_field unusable_side[] = {UNUSABLE_COUNT, {.key = NULL}};
const struct ts_field ts_perf_unusable_fields[] = {
    UNUSABLE_COUNT, CAVEAT_FIELD("what that does to the rows"), {.key = NULL}};
const struct ts_field ts_perf_unusable_pair_fields[] = {
    PAIR_FIELDS(unusable_side), CAVEAT_FIELD("what that does to the rows"), {.key = NULL}};

static void add_unusable(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report,
                         bool pair)
{
    (void)pair;
    ts_answer_integer(answer, object, "count", report->unusable_device_rows);
}

void ts_perf_add_unusable_ids(struct ts_answer *answer, const struct ts_perf_report *report,
                              const struct ts_perf_report *after)
{
    add_lack(
        answer, "unusable_device_ids", report, report->unusable_device_rows > 0, after,
        after && after->unusable_device_rows > 0, add_unusable,
        "Their DEVICE ID is no whole number from 0 on: they were merged with no other device's operations, and may "
        "count one operation several times.");
}

/* ---- sub-devices ---- */

enum { SUB_DEVICES_NAMED = 16 };

/* Walk the distinct ids of one or two reports in byte order: true with the next one. */
struct sub_devices {
    const struct ts_perf_report *reports[2];
    uint32_t at[2];
};

static bool next_sub_device(struct sub_devices *walk, struct ts_str *out)
{
    bool found = false;
    for (unsigned i = 0; i < 2; i++) {
        const struct ts_perf_report *report = walk->reports[i];
        if (report && walk->at[i] < report->distinct_sub_devices &&
            (!found || ts_str_compare(report->sub_devices[walk->at[i]], *out) < 0)) {
            *out = report->sub_devices[walk->at[i]];
            found = true;
        }
    }
    for (unsigned i = 0; i < 2 && found; i++) {
        const struct ts_perf_report *report = walk->reports[i];
        if (report && walk->at[i] < report->distinct_sub_devices &&
            ts_str_equal(report->sub_devices[walk->at[i]], *out))
            walk->at[i]++;
    }
    return found;
}

void ts_perf_sub_device_caveat(struct ts_buf *out, const struct ts_perf_report *report,
                               const struct ts_perf_report *after)
{
    struct sub_devices walk = {.reports = {report, after}};
    struct ts_buf names;
    ts_buf_init(&names, 0);
    struct ts_str id;
    uint32_t count = 0;
    for (; next_sub_device(&walk, &id); count++) {
        if (count < SUB_DEVICES_NAMED) {
            ts_buf_text(&names, count ? ", " : "");
            ts_buf_str(&names, id);
        }
    }
    if (count > 1) {
        ts_buf_printf(out, "Operations ran on %" PRIu32 " sub-devices (", count);
        ts_buf_str(out, ts_buf_view(&names));
        ts_buf_text(out, count > SUB_DEVICES_NAMED ? ", ...)" : ")");
        ts_buf_text(out,
                    " and those on different ones can run at the same time: summed device time, gaps and percentages "
                    "overstate elapsed time.");
        out->failed = out->failed || names.failed;
    }
    ts_buf_free(&names);
}

void ts_perf_add_caveat(struct ts_answer *answer, const struct ts_perf_report *report,
                        const struct ts_perf_report *after)
{
    struct ts_buf caveat;
    ts_buf_init(&caveat, 0);
    ts_perf_sub_device_caveat(&caveat, report, after);
    if (caveat.failed)
        answer->failed = true;
    if (caveat.len > 0)
        ts_answer_text(answer, answer->root, "caveat", ts_buf_view(&caveat));
    ts_buf_free(&caveat);
}
