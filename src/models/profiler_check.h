/* Whether the tables of a profiler report belong to one run. */
#ifndef TS_MODELS_PROFILER_CHECK_H
#define TS_MODELS_PROFILER_CHECK_H

#include "models/profiler.h"

struct ts_profiler_check {
    uint64_t repeated; /* ids with more captured graphs or stack traces than ranks */
    uint64_t unknown;  /* ids with captured graphs or stack traces that are no operation's */
    bool mixed;        /* so many that two runs must have been written into one database */
};
/* Errors: those of ts_profiler_begin and ts_profiler_index. */
enum ts_status ts_profiler_check(struct ts_context *context, struct ts_capture *capture, struct ts_profiler_check *out,
                                 struct ts_error *error);

#endif
