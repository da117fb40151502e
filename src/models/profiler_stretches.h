/* A large table of a profiler report read by several threads, each a stretch of it. */
#ifndef TS_MODELS_PROFILER_STRETCHES_H
#define TS_MODELS_PROFILER_STRETCHES_H

#include "models/profiler.h"

enum { TS_PROFILER_STRETCHES_MAX = 8 };

struct ts_profiler_stretch {
    struct ts_db *db;
    unsigned index, count; /* for ts_db_visit_part: it is this one of so many, which follow one another */
};
typedef enum ts_status ts_profiler_stretch_fn(void *data, const struct ts_profiler_stretch *stretch,
                                              struct ts_error *error);

/* How many stretches a table is worth: one for so many rows, at least 1, and no more than the context has threads. Errors: as
 * for ts_db_next. */
enum ts_status ts_profiler_count_stretches(struct ts_context *context, struct ts_profiler *profiler,
                                           enum ts_db_table table, uint64_t rows_each, unsigned *out,
                                           struct ts_error *error);
/* Call read for each stretch of a table, all at the same time, and wait for them. Each but the first is read on a
 * connection of its own, to the same state of the database, and where that cannot be had, after the first. Errors: those of
 * read, of several that of the first stretch; TS_CANCELLED, TS_LIMIT, TS_NO_MEMORY. */
enum ts_status ts_profiler_read_stretches(struct ts_context *context, struct ts_profiler *profiler, unsigned count,
                                          ts_profiler_stretch_fn *read, void *data, struct ts_error *error);

#endif
