#include "models/perf_order.h"

#include <stdlib.h>

#include "base/number.h"

static int by_share(const void *left, const void *right, void *data)
{
    const struct ts_perf_row *rows = data;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    double x = ts_present(rows[a].total_percent) ? rows[a].total_percent : -1;
    double y = ts_present(rows[b].total_percent) ? rows[b].total_percent : -1;
    if (x != y)
        return x > y ? -1 : 1;
    return (a > b) - (a < b);
}

uint32_t *ts_perf_order_by_share(const struct ts_perf_report *report, uint32_t top, uint32_t *count)
{
    uint32_t *order = malloc(((size_t)report->count + 1) * sizeof *order);
    if (!order)
        return NULL;
    for (uint32_t i = 0; i < report->count; i++)
        order[i] = i;
    qsort_r(order, report->count, sizeof *order, by_share, report->rows);
    uint32_t shared = 0;
    while (shared < report->count && shared < top && ts_present(report->rows[order[shared]].total_percent))
        shared++;
    *count = shared;
    return order;
}
