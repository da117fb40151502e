/* What a call may use and how it is stopped. Goes first into every function that may allocate much, block or fail. */
#ifndef TS_BASE_CONTEXT_H
#define TS_BASE_CONTEXT_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

struct ts_roots;

struct ts_context {
    atomic_bool cancelled;      /* the only member another thread or a signal handler may touch */
    uint64_t (*now_ns)(void);   /* a monotonic clock lent by the surface; NULL: no deadline, no progress */
    uint64_t deadline_ns;       /* by that clock; 0: none */
    uint64_t progress_from_ns;  /* no progress before this time */
    uint64_t progress_every_ns; /* nor more often than this */
    uint64_t progress_next_ns;
    size_t memory_limit;     /* bytes one call may reserve; 0: none */
    unsigned threads;        /* at least 1 */
    ts_progress_fn progress; /* or NULL */
    void *progress_data;
    const struct ts_roots *roots; /* NULL: any file may be opened */
};

/* No limits, one thread, nothing to report to. */
void ts_context_init(struct ts_context *context);
/* TS_OK; TS_CANCELLED when somebody asked to stop; TS_LIMIT when the deadline has passed. Call it at least every
 * 50 ms of work: once per block read or some thousand rows. */
enum ts_status ts_context_check(struct ts_context *context, struct ts_error *error);
/* ts_context_check, and tell the progress callback if it is due. */
enum ts_status ts_context_progress(struct ts_context *context, uint64_t done, uint64_t total, const char *message,
                                   struct ts_error *error);

#endif
