/* What stood in the way of an allocation that failed: L1 buffers that a program's circular buffers would have reached into, or
 * that split the free space into pieces too small. */
#ifndef TS_MODELS_IN_THE_WAY_H
#define TS_MODELS_IN_THE_WAY_H

#include "models/allocation_failure.h"
#include "models/profiler.h"

enum { TS_RESIDENTS_LISTED = 10 };

struct ts_resident {
    int64_t address, size; /* of one bank */
    bool has_tensor, has_maker;
    int64_t tensor;           /* that lay there */
    int64_t maker;            /* the operation that it was an output of */
    struct ts_str maker_name; /* ptr NULL: none */
};
struct ts_in_the_way {
    bool applies;     /* something in particular can stand in the way of such a failure */
    char unknown[96]; /* why what did cannot be told, for a sentence; empty: it can, and the figures below hold */
    bool looked;      /* behind is known */
    int64_t behind; /* the operation behind which they lay: the last before the failed one whose buffers are recorded */
    int64_t device; /* where they lay; of several the first that has some */
    int64_t misses; /* bytes of one bank that the request misses */
    struct ts_resident listed[TS_RESIDENTS_LISTED]; /* by address */
    size_t count;                                   /* all of them */
};

/* For a failure of the operation. Names are in the profiler's arena. Errors: those of ts_profiler_rows and ts_db_next. */
enum ts_status ts_in_the_way_read(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                  const struct ts_allocation_failure *failure, struct ts_in_the_way *out,
                                  struct ts_error *error);

#endif
