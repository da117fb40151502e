/* Rows of a report by their share of the time. */
#ifndef TS_MODELS_PERF_ORDER_H
#define TS_MODELS_PERF_ORDER_H

#include "models/perf_report.h"

/* All rows, those with the largest total_percent first and those without one last, ties as they come; *count of them, at
 * most top, have a share. Free it; NULL: memory is out. */
uint32_t *ts_perf_order_by_share(const struct ts_perf_report *report, uint32_t top, uint32_t *count);

#endif
