/* What answers about a performance report share: metrics, the rows read, and what makes a figure unsafe to take at face
 * value. */
#ifndef TS_QUESTIONS_PERF_COMMON_H
#define TS_QUESTIONS_PERF_COMMON_H

#include "questions/question.h"

/* The tt-perf-report release whose rules the rows follow. */
#define TS_PERF_REPORT_RULES "1.4.0"

/* ---- metrics ---- */

enum ts_perf_metric {
    TS_METRIC_DEVICE_TIME,
    TS_METRIC_OP_TO_OP_GAP,
    TS_METRIC_TOTAL_PERCENT,
    TS_METRIC_FLOPS,
    TS_METRIC_DRAM,
    TS_METRIC_CORES,
};
/* Names as arguments and keys have them, in the order of the enum, NULL behind. The first three can be added up. */
extern const char *const ts_perf_metric_names[];
extern const char *const ts_perf_additive_names[];
enum ts_perf_metric ts_perf_metric_of(struct ts_str name);
static inline bool ts_perf_metric_adds_up(enum ts_perf_metric metric)
{
    return metric <= TS_METRIC_TOTAL_PERCENT;
}
static inline bool ts_perf_metric_has_gaps(enum ts_perf_metric metric)
{
    return metric == TS_METRIC_OP_TO_OP_GAP || metric == TS_METRIC_TOTAL_PERCENT;
}
/* Of a row of the report, not rounded; absent for none. */
double ts_perf_metric_value(const struct ts_perf_report *report, uint32_t row, enum ts_perf_metric metric);
/* The sum over all rows that have a value, in row order. */
double ts_perf_metric_total(const struct ts_perf_report *report, enum ts_perf_metric metric);

/* ---- the rows read ---- */

/* Arguments of a signpost range, for a list of parameters. */
#define TS_PERF_RANGE_PARAMS                                                                                           \
    {.name = "start_signpost", .kind = TS_PARAM_SIGNPOST, .help = "read only the rows after this signpost"},           \
    {                                                                                                                  \
        .name = "end_signpost", .kind = TS_PARAM_SIGNPOST, .help = "read only the rows before this signpost"           \
    }
#define TS_PERF_HANDLE_PARAM                                                                                           \
    {                                                                                                                  \
        .name = "handle", .kind = TS_PARAM_HANDLE, .required = true, .help = "from load_report"                        \
    }

/* Long loops over rows look at the context this often. */
enum { TS_PERF_CHECK_ROWS = 1 << 16 };
static inline enum ts_status ts_perf_check_row(struct ts_context *context, uint32_t row, struct ts_error *error)
{
    return row % TS_PERF_CHECK_ROWS == TS_PERF_CHECK_ROWS - 1 ? ts_context_check(context, error) : TS_OK;
}

struct ts_perf_view {
    const struct ts_perf_report *report; /* borrowed for the call */
    struct ts_signpost_range range;      /* borrowed from the arguments */
    struct ts_row_window window;
};
/* Read the rows that the arguments' range names. Errors: those of ts_capture_report. */
enum ts_status ts_perf_view_read(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                 struct ts_perf_view *out, struct ts_error *error);
struct ts_signpost_range ts_perf_range(const struct ts_args *args);

/* Which rows were read. range NULL or empty: the whole report. */
void ts_perf_add_projection(struct ts_answer *answer, const struct ts_signpost_range *range, bool ignored);
extern const struct ts_field ts_perf_projection_fields[];
#define TS_PERF_PROJECTION_FIELD                                                                                       \
    {                                                                                                                  \
        .key = "projection", .kind = TS_KIND_OBJECT, .children = ts_perf_projection_fields,                            \
        .help = "which rows were read"                                                                                 \
    }

/* The id of a table row, as answers give it. */
void ts_perf_add_id(struct ts_answer *answer, yyjson_mut_val *object, const char *key, uint32_t source);
/* A device id, null when it is negative. */
void ts_perf_add_device(struct ts_answer *answer, yyjson_mut_val *object, const char *key, int32_t device);
/* The row's code; the raw one when it is empty. */
struct ts_str ts_perf_op_code(const struct ts_perf_report *report, uint32_t row);
/* ---- what the figures lack ---- */

/* Each of these adds its key only when there is something to say. With a second report the answer compares two: figures
 * stand under "before" and "after", each only where it has something to say. after may be NULL. */

/* "coverage": device operations without a device time. */
void ts_perf_add_coverage(struct ts_answer *answer, const struct ts_perf_report *report,
                          const struct ts_perf_report *after);
/* "gaps_dropped": gaps that the report's rules leave out. */
void ts_perf_add_gaps_dropped(struct ts_answer *answer, const struct ts_perf_report *report,
                              const struct ts_perf_report *after);
/* "unmatched": operations that not every device had when devices were merged. */
void ts_perf_add_unmatched(struct ts_answer *answer, const struct ts_perf_report *report,
                           const struct ts_perf_report *after);
/* "unusable_device_ids": device operations that no merge of devices could take. */
void ts_perf_add_unusable_ids(struct ts_answer *answer, const struct ts_perf_report *report,
                              const struct ts_perf_report *after);
/* A sentence, when operations ran on several sub-devices: their times may overlap. */
void ts_perf_sub_device_caveat(struct ts_buf *out, const struct ts_perf_report *report,
                               const struct ts_perf_report *after);
/* The same as "caveat". */
void ts_perf_add_caveat(struct ts_answer *answer, const struct ts_perf_report *report,
                        const struct ts_perf_report *after);

/* Their declarations: of an answer about one report, and of a comparison. */
extern const struct ts_field ts_perf_coverage_fields[], ts_perf_coverage_pair_fields[];
extern const struct ts_field ts_perf_gaps_fields[], ts_perf_gaps_pair_fields[];
extern const struct ts_field ts_perf_unmatched_fields[], ts_perf_unmatched_pair_fields[];
extern const struct ts_field ts_perf_unusable_fields[], ts_perf_unusable_pair_fields[];
#define TS_PERF_LACKS(coverage_fields, gaps_fields, unmatched_fields, unusable_fields)                                 \
    {.key = "coverage",                                                                                                \
     .kind = TS_KIND_OBJECT,                                                                                           \
     .sometimes = true,                                                                                                \
     .children = coverage_fields,                                                                                      \
     .show = TS_SHOW_BELOW,                                                                                            \
     .help = "when some device operations read have no device time"},                                                  \
        {.key = "gaps_dropped",                                                                                        \
         .kind = TS_KIND_OBJECT,                                                                                       \
         .sometimes = true,                                                                                            \
         .children = gaps_fields,                                                                                      \
         .show = TS_SHOW_BELOW,                                                                                        \
         .heading = "gaps dropped",                                                                                    \
         .help = "when the rules leave out gaps that were recorded: how many"},                                        \
        {.key = "unmatched",                                                                                           \
         .kind = TS_KIND_OBJECT,                                                                                       \
         .sometimes = true,                                                                                            \
         .children = unmatched_fields,                                                                                 \
         .show = TS_SHOW_BELOW,                                                                                        \
         .help = "when not every device recorded the same operations in the same order"},                              \
        {.key = "unusable_device_ids",                                                                                 \
         .kind = TS_KIND_OBJECT,                                                                                       \
         .sometimes = true,                                                                                            \
         .children = unusable_fields,                                                                                  \
         .show = TS_SHOW_BELOW,                                                                                        \
         .help = "when the DEVICE ID of some device operations is no whole number from 0 on"},                         \
    {                                                                                                                  \
        .key = "caveat", .kind = TS_KIND_STRING, .sometimes = true, .show = TS_SHOW_BELOW,                             \
        .help = "when operations ran on several sub-devices: sums overstate elapsed time"                              \
    }
#define TS_PERF_LACK_FIELDS                                                                                            \
    TS_PERF_LACKS(ts_perf_coverage_fields, ts_perf_gaps_fields, ts_perf_unmatched_fields, ts_perf_unusable_fields)
#define TS_PERF_LACK_PAIR_FIELDS                                                                                       \
    TS_PERF_LACKS(ts_perf_coverage_pair_fields, ts_perf_gaps_pair_fields, ts_perf_unmatched_pair_fields,               \
                  ts_perf_unusable_pair_fields)

#endif
