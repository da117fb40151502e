/* Rows of a report summed by operation, category, or operation and memory. */
#ifndef TS_MODELS_STACKED_H
#define TS_MODELS_STACKED_H

#include "models/perf_report.h"

enum ts_stacked_by { TS_STACKED_OP, TS_STACKED_CATEGORY, TS_STACKED_MEMORY };

struct ts_stacked_group {
    struct ts_str name;
    int32_t device;               /* with per_device; else -1 */
    enum ts_op_category category; /* of its first row */
    uint32_t count;
    uint32_t timed;                                  /* rows with a device time (host rows count as 0 us) */
    double device_time, op_to_op_gap, total_percent; /* sums in row order, over the rows that have one */
    double device_time_kahan;                        /* compensated, as the stacked report prints it */
    double flops_min, flops_max, flops_mean, flops_std, flops_weighted_mean; /* percent; absent for none */
};
struct ts_stacked {
    struct ts_arena arena;
    struct ts_stacked_group *groups; /* in order of first appearance */
    uint32_t count;
    uint32_t rows; /* grouped */
    /* Of all rows that were not left out, those without a key included: */
    uint32_t rows_seen, host_rows_seen;
    bool any_timed; /* a row other than a host operation has a device time */
};
/* Signposts are left out; with_blank keeps rows whose key is empty under "" (op_breakdown), else they vanish (the stacked
 * report). per_device groups by device too. Errors: TS_NO_MEMORY. */
struct ts_stacked_options {
    enum ts_stacked_by by;
    bool per_device, no_host_ops, with_blank;
};
enum ts_status ts_stacked_create(struct ts_context *context, const struct ts_perf_report *report,
                                 const struct ts_stacked_options *options, struct ts_stacked **out,
                                 struct ts_error *error);
void ts_stacked_destroy(struct ts_stacked *stacked);

/* A group in its place of the report. */
struct ts_stacked_line {
    const struct ts_stacked_group *group;
    double total; /* device time (us) its share is of: that of its device, of all groups where devices are merged */
};
/* The share in percent; 0 where there is no time to share. */
static inline double ts_stacked_share(const struct ts_stacked_line *line)
{
    return line->total > 0 ? line->group->device_time_kahan / line->total * 100 : 0;
}
/* All groups by device time, largest first, ties by name, then device. count lines that live as long as stacked; NULL: memory
 * is out (ts_arena_error of its arena). */
const struct ts_stacked_line *ts_stacked_rank(struct ts_stacked *stacked);

#endif
