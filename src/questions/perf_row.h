/* What the row of an operation says alike in every answer: how it ran, and what an argument `include` adds to it. */
#ifndef TS_QUESTIONS_PERF_ROW_H
#define TS_QUESTIONS_PERF_ROW_H

#include "questions/perf_fields.h"
#include "questions/perf_flags.h"

/* ---- how it ran ---- */

/* "cores", null when there is no such figure. */
void ts_perf_row_add_cores(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report,
                           uint32_t row);
/* "bound", "bound_analysis" and "op_category". */
void ts_perf_row_add_bound(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report,
                           uint32_t row);
/* All four; category_help: of "op_category". */
#define TS_PERF_ROW_FIELDS(category_help)                                                                              \
    {.key = "cores", .kind = TS_KIND_NUMBER, .nullable = true, .show = TS_SHOW_COLUMN, .help = "cores it ran on"},     \
        {.key = "bound",                                                                                               \
         .kind = TS_KIND_STRING,                                                                                       \
         .nullable = true,                                                                                             \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .help = "DRAM, FLOP, BOTH, HOST, or SLOW: neither reached 65 % of its peak; null: read bound_analysis"},      \
        {.key = "bound_analysis",                                                                                      \
         .kind = TS_KIND_STRING,                                                                                       \
         .nullable = true,                                                                                             \
         .help = "the roofline model that ran: full (matmul), flops_only (convolution: no DRAM, no bound), none"},     \
    {                                                                                                                  \
        .key = "op_category", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_COLUMN, .heading = "category", \
        .help = category_help                                                                                          \
    }

/* ---- what is included ---- */

struct ts_perf_extras {
    struct ts_perf_details details;
    struct ts_perf_flags flags; /* counted over the report, with_flags only */
    bool with_flags, with_devices;
};
/* Read what the arguments include, for rows of report. Freed with ts_perf_extras_free, also after a failure, for which out
 * begins as zeros. Errors: those of ts_perf_details_read and ts_perf_flags_read. */
enum ts_status ts_perf_extras_read(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                   const struct ts_perf_report *report, struct ts_perf_extras *out,
                                   struct ts_error *error);
void ts_perf_extras_free(struct ts_perf_extras *extras);
/* The included fields of one row. */
void ts_perf_extras_add_row(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_extras *extras,
                            const struct ts_perf_report *report, uint32_t row);
/* What the answer says of them once: the notes on the details, then "flag_basis". */
void ts_perf_extras_add_notes(struct ts_answer *answer, const struct ts_perf_extras *extras);
#define TS_PERF_EXTRA_FIELDS TS_PERF_DETAIL(TS_PERF_DETAIL_DECLARATION) TS_PERF_DEVICES_FIELDS, TS_PERF_FLAGS_FIELD

#endif
