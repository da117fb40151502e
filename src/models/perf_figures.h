/* Times, rooflines, bounds and shares of a report's rows. */
#ifndef TS_MODELS_PERF_FIGURES_H
#define TS_MODELS_PERF_FIGURES_H

#include "base/number.h"
#include "models/perf_report.h"

/* Whether a kernel duration cannot be used (ns): absent, negative, or contradicted by the gap before it. */
static inline bool ts_duration_invalid(double duration, double latency)
{
    if (!(duration >= 0))
        return true;
    double bound = duration / 2 > 1000000 ? duration / 2 : 1000000;
    return latency < -1000000 && -latency > bound;
}

/* Device time in us of a row of the table by itself, whatever it was merged into; absent when it is not usable. */
static inline double ts_perf_own_device_time(const struct ts_ops_csv *ops, uint32_t source)
{
    double duration = ts_ops_number(ops, TS_OPS_KERNEL_DURATION, source);
    double latency = ts_ops_number(ops, TS_OPS_OP_TO_OP_LATENCY, source);
    return ts_duration_invalid(duration, latency) ? TS_ABSENT : duration / 1000;
}

/* Each row's own figures, from its duration in ns, which its device_time holds until then. Rows in their order. */
void ts_perf_figures_fill(struct ts_perf_report *report);
/* Totals over the rows that are left, each row's share of them, and what is counted. */
void ts_perf_figures_total(struct ts_perf_report *report);

#endif
