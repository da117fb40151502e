/* The group "flags" of an argument `include`: heuristic flags on rows, and what they were read against. */
#ifndef TS_QUESTIONS_PERF_FLAGS_H
#define TS_QUESTIONS_PERF_FLAGS_H

#include "models/op_flags.h"
#include "questions/question.h"

struct ts_perf_flags {
    struct ts_max_cores max_cores;
    bool all_missed;      /* every repeat call of the whole report that recorded a result missed the program cache */
    uint8_t *repeat_miss; /* by row of the table, owned */
    uint32_t flagged[TS_FLAG_COUNT]; /* rows of the report with each flag */
};
/* Read the device's cores and the program cache's record, and count the flags over all rows of report. Freed with
 * ts_perf_flags_free, also after a failure. Errors: those of the capture, TS_NO_MEMORY. */
enum ts_status ts_perf_flags_read(struct ts_context *context, struct ts_capture *capture,
                                  const struct ts_perf_report *report, struct ts_perf_flags *out,
                                  struct ts_error *error);
/* Count them over these rows instead. */
void ts_perf_flags_count(struct ts_perf_flags *flags, const struct ts_perf_report *report, const uint32_t *rows,
                         uint32_t count);
void ts_perf_flags_free(struct ts_perf_flags *flags);
/* "flags" of one row. percentages_given: the row carries dram_percent and flops_percent already. */
void ts_perf_flags_add_row(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_flags *flags,
                           const struct ts_perf_report *report, uint32_t row, bool percentages_given);
/* "flag_basis". */
void ts_perf_flags_add_basis(struct ts_answer *answer, const struct ts_perf_flags *flags);

extern const struct ts_field ts_perf_flag_fields[], ts_perf_flag_basis_fields[];
#define TS_PERF_FLAGS_FIELD                                                                                            \
    {                                                                                                                  \
        .key = "flags", .kind = TS_KIND_LIST, .of = TS_KIND_OBJECT, .group = "flags", .children = ts_perf_flag_fields, \
        .show = TS_SHOW_COLUMN, .help = "heuristics that apply, each with the figures it fired on"                     \
    }
#define TS_PERF_FLAG_BASIS_FIELD                                                                                       \
    {                                                                                                                  \
        .key = "flag_basis", .kind = TS_KIND_OBJECT, .group = "flags", .children = ts_perf_flag_basis_fields,          \
        .show = TS_SHOW_BELOW, .heading = "flag basis", .help = "what the flags were read against"                     \
    }

/* Said wherever misses are counted and no repeat call ever hit. */
#define TS_PERF_CACHE_DISABLED                                                                                         \
    "Every repeat call that recorded a result missed, which is what a run with the program cache disabled records: "   \
    "check "                                                                                                           \
    "that before reading a miss as a program built again."

#endif
