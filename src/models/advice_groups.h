/* What a report suggests changing, with operations that are alike told together. */
#ifndef TS_MODELS_ADVICE_GROUPS_H
#define TS_MODELS_ADVICE_GROUPS_H

#include "models/advice.h"

#define TS_GAP_HIGH_US 6.5       /* a gap above this is a wait for the host */
#define TS_GAP_WITH_TRACE_US 6.0 /* what is left of it when a trace is replayed */

struct ts_range {
    double low, high; /* absent: no row has the figure */
};
/* Rows that are alike. */
struct ts_advice_group {
    const uint32_t *rows; /* of the report, in their order */
    uint32_t count;
    double device_time, total_percent; /* sums, us and percent */
    double gap, gap_largest;           /* us */
    /* of matmuls: */
    uint8_t bound; /* enum ts_bound */
    enum ts_fidelity_verdict verdict;
    struct ts_range dram_gb_per_s, dram_percent, tflops, flops_percent;
    double roofline_saving; /* us of device_time that lie above the nearer of both rooflines; absent: not known */
    struct ts_advice advice[TS_ADVICE_MAX];
    unsigned advice_count;
};
struct ts_advice_list {
    struct ts_advice_group *groups;
    uint32_t count, rows;
};
struct ts_advice_groups {
    struct ts_arena arena;
    struct ts_advice_list host;    /* host operations by name, in order of appearance */
    struct ts_advice_list gaps;    /* operations behind a high gap by name, largest sum of gaps first */
    struct ts_advice_list matmuls; /* by shape, configuration and advice; most device time first */
    double gap_saving;             /* us: what the high gaps have above TS_GAP_WITH_TRACE_US */
    double gap_saving_percent;     /* of all device time and gaps; 0 when there is none */
};

/* Errors: TS_NO_MEMORY, TS_LIMIT, TS_CANCELLED. */
enum ts_status ts_advice_groups_create(struct ts_context *context, const struct ts_perf_report *report,
                                       struct ts_advice_groups **out, struct ts_error *error);
void ts_advice_groups_destroy(struct ts_advice_groups *groups); /* accepts NULL */

#endif
