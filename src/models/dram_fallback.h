/* Operations that likely fell back from L1 to DRAM. Nothing records that: it is inferred from what their memory
 * configurations asked for and where their outputs lie, and from retries behind a failed allocation. */
#ifndef TS_MODELS_DRAM_FALLBACK_H
#define TS_MODELS_DRAM_FALLBACK_H

#include "models/profiler.h"

enum ts_fallback_signal {
    TS_FALLBACK_ARGUMENTS, /* every memory configuration asked for L1, every output of its own is in DRAM */
    TS_FALLBACK_RETRY,     /* its outputs are in DRAM, and shortly before one of its name failed to allocate L1 */
};
struct ts_dram_fallback {
    int64_t operation;
    struct ts_str name; /* ptr NULL: none */
    enum ts_fallback_signal signal;
    const char *requested; /* ARGUMENTS: the first type asked for, "L1" or "L1_SMALL" */
    int64_t failed;        /* RETRY: the operation that failed; its name is the same */
    int64_t dram_outputs;  /* in DRAM that are no views of an input */
    int64_t outputs;       /* that the report describes */
};
struct ts_dram_fallbacks {
    struct ts_part part;
    const struct ts_dram_fallback *items; /* by operation */
    size_t count;
    struct ts_arena arena;
};

/* All of them at the profiler's rank, kept between calls; borrowed until ts_capture_release. Tables that are missing, or cannot
 * be attributed to the rank, read as empty. Errors: those of ts_db_next. */
enum ts_status ts_dram_fallbacks_read(struct ts_context *context, struct ts_profiler *profiler,
                                      const struct ts_dram_fallbacks **out, struct ts_error *error);
/* That of one operation, or NULL. */
const struct ts_dram_fallback *ts_dram_fallback_of(const struct ts_dram_fallbacks *fallbacks, int64_t operation);

#endif
