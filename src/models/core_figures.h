/* How evenly one operation fell over its cores: figures of a span. */
#ifndef TS_MODELS_CORE_FIGURES_H
#define TS_MODELS_CORE_FIGURES_H

#include "models/core_spans.h"

struct ts_spread { /* in cycles; the median of an even number is the mean of the middle two */
    uint32_t cores;
    double least, median, most;
};
struct ts_slow_core {
    struct ts_log_core core;
    double span;
};
struct ts_risc_spread {
    uint32_t risc; /* in spans->riscs */
    struct ts_spread spread;
};
enum { TS_SLOW_CORES = 5 };
struct ts_core_figures {
    struct ts_spread all;                       /* of each core from its first start to its last end */
    double imbalance;                           /* most over median; absent when the median is 0 */
    struct ts_slow_core slowest[TS_SLOW_CORES]; /* longest first, ties by y, then x */
    uint32_t slowest_count;
    struct ts_risc_spread *riscs; /* BRISC, NCRISC, TRISC_0 to 2, ERISC, then others by name */
    uint32_t risc_count;
};

/* Figures of a span that is not empty; the list lies in arena. Errors: TS_NO_MEMORY, TS_LIMIT,
 * TS_CANCELLED. */
enum ts_status ts_core_figures_of(struct ts_context *context, const struct ts_core_spans *spans, uint32_t span,
                                  struct ts_arena *arena, struct ts_core_figures *out, struct ts_error *error);

/* Why a row has no zones in the log. */
enum ts_not_in_log { TS_IN_LOG, TS_NO_ZONES, TS_OTHER_EXECUTION, TS_DROPPED_REPLAY };
/* row: of the table. */
enum ts_not_in_log ts_core_spans_find_row(const struct ts_core_spans *spans, uint32_t row);
/* Whether it is TS_IN_LOG, at once however many rows share the pair. */
bool ts_core_spans_in_log(const struct ts_core_spans *spans, uint32_t row);

#endif
