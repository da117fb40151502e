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

/* Each row's own figures, from its duration in ns, which its device_time holds until then. Rows in their order. */
void ts_perf_figures_fill(struct ts_perf_report *report);
/* Totals over the rows that are left, each row's share of them, and what is counted. */
void ts_perf_figures_total(struct ts_perf_report *report);

#endif
