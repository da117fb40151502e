/* Which performance rows belong to which operation of the profiler report. Neither report records the other's ids, so the
 * device operations that captured graphs show and the rows of the performance report are put side by side in order. */
#ifndef TS_MODELS_PERF_LINK_H
#define TS_MODELS_PERF_LINK_H

#include "models/capture.h"

enum ts_perf_link_status {
    TS_PERF_LINKED,
    TS_PERF_UNLINKED,         /* both were read, and do not line up */
    TS_PERF_LINK_UNAVAILABLE, /* not tried: something that it takes is missing or cannot be read */
};
/* The order of device operations that lined up. Collapsed: where every one stands once for each device, one of them. */
enum ts_perf_link_order {
    TS_PERF_ORDER_START,
    TS_PERF_ORDER_END,
    TS_PERF_ORDER_START_COLLAPSED,
    TS_PERF_ORDER_END_COLLAPSED,
};
const char *ts_perf_link_order_name(enum ts_perf_link_order order); /* "function_start" */

enum ts_perf_unlinked { TS_UNLINKED_SIGNPOST, TS_UNLINKED_HOST_OP, TS_UNLINKED_PAST_CAPTURE, TS_UNLINKED_KINDS };

/* Over the whole performance report, whatever window is read, and at rank 0, the only one the web application links. */
struct ts_perf_link {
    struct ts_part part; /* first: kept by the session, made once a capture */
    enum ts_perf_link_status status;
    bool ranked;  /* the report has ranks: what is linked is rank 0 */
    char *reason; /* why it is not linked, NULL when it is */
    /* when linked */
    enum ts_perf_link_order order;
    uint32_t matched;    /* rows, counted in report rows */
    uint32_t *rows;      /* of them: row of the table; in order of the report */
    uint32_t *reported;  /* of them: row of the whole report */
    int64_t *operations; /* their operations, ascending */
    uint32_t *by_row;    /* indices of the above by ascending row */
    uint32_t unlinked[TS_UNLINKED_KINDS];
    uint32_t first_past;      /* row of the table; UINT32_MAX: none */
    double device_time_total; /* us, of all rows that are no signpost and no host operation and have a time */
};

/* The link as one call reads it. */
struct ts_perf_link_state {
    enum ts_perf_link_status status;
    const struct ts_perf_link *link;   /* NULL when it could not be tried; borrowed for the call */
    char reason[TS_ERROR_MESSAGE_MAX]; /* when not linked */
};

/* Find or make the link. What stands in the way of it is no error but its state; it is tried again the next time when that
 * may pass. Errors: TS_CHANGED (the operations CSV, see ts_capture_report), TS_NO_MEMORY, TS_LIMIT (time), TS_CANCELLED. */
enum ts_status ts_perf_link_read(struct ts_context *context, struct ts_capture *capture, struct ts_perf_link_state *out,
                                 struct ts_error *error);
void ts_perf_link_destroy(struct ts_perf_link *link); /* accepts NULL */

/* The operation of a row of the table; false when it has none. link may be NULL. */
bool ts_perf_link_operation(const struct ts_perf_link *link, uint32_t row, int64_t *operation);
/* The rows of an operation: rows[*first] and as many as are returned. */
uint32_t ts_perf_link_rows(const struct ts_perf_link *link, int64_t operation, uint32_t *first);

/* Whether a row has a device time that can be added up. */
static inline bool ts_perf_link_counts(double device_time)
{
    return device_time > 0 && __builtin_isfinite(device_time);
}

#endif
