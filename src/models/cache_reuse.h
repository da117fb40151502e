/* Whether programs were built again rather than reused, per raw op code over a whole report. */
#ifndef TS_MODELS_CACHE_REUSE_H
#define TS_MODELS_CACHE_REUSE_H

#include "models/perf_report.h"

struct ts_cache_counts {
    uint32_t calls, programs, repeat_calls, repeat_hits, repeat_misses, repeat_unrecorded;
};
struct ts_cache_group {
    struct ts_str op_code;
    struct ts_cache_counts counts;
    uint32_t first_repeat_miss; /* table row; UINT32_MAX: none */
};
struct ts_cache_reuse {
    struct ts_part part; /* first: kept by the session */
    struct ts_arena arena;
    struct ts_cache_group *groups; /* repeat misses, repeat calls (both descending), op code */
    uint32_t count;
    struct ts_cache_counts totals;
    uint32_t always_new;  /* groups of two calls or more in which every call was a new program */
    uint8_t *repeat_miss; /* by report row: a repeat call that missed */
};
/* report is a whole one. Errors: TS_NO_MEMORY. */
enum ts_status ts_cache_reuse_create(struct ts_context *context, const struct ts_perf_report *report,
                                     struct ts_cache_reuse **out, struct ts_error *error);
void ts_cache_reuse_destroy(struct ts_cache_reuse *model);
/* All recorded repeats missed: what a run with the program cache disabled records. */
static inline bool ts_cache_reuse_all_missed(const struct ts_cache_reuse *model)
{
    return model->totals.repeat_misses > 0 && model->totals.repeat_hits == 0;
}

#endif
