/* The errors that a profiler report records, and which operations they belong to. */
#ifndef TS_MODELS_REPORT_ERRORS_H
#define TS_MODELS_REPORT_ERRORS_H

#include "models/profiler.h"

struct ts_report_error {
    bool has_operation;
    int64_t operation; /* as stored: of an error that is not attached it may be another one's */
    struct ts_str name, type, message, timestamp; /* as stored; ptr NULL: NULL */
    bool attached;                                /* the first error of an operation of that id and name */
};

/* Whether the report tells of errors at all, and at the profiler's rank. */
enum ts_report_errors_state { TS_REPORT_ERRORS_THERE, TS_REPORT_ERRORS_MISSING, TS_REPORT_ERRORS_UNATTRIBUTABLE };
enum ts_report_errors_state ts_report_errors_state(const struct ts_profiler *profiler);

/* Call visit for each error at the profiler's rank, in row order; texts are borrowed for the visit. None are when the state is
 * another than THERE. Errors: those of ts_db_next, and visit's. */
enum ts_status ts_report_errors_visit(struct ts_context *context, struct ts_profiler *profiler,
                                      enum ts_status (*visit)(void *data, const struct ts_report_error *item,
                                                              struct ts_error *error),
                                      void *data, struct ts_error *error);
/* The error attached to an operation; *found false when it has none. Texts are in the profiler's arena. */
enum ts_status ts_report_error_of(struct ts_context *context, struct ts_profiler *profiler,
                                  const struct ts_profiler_operation *operation, struct ts_report_error *out,
                                  bool *found, struct ts_error *error);
/* A copy of its texts in the profiler's arena. */
enum ts_status ts_report_error_copy(struct ts_profiler *profiler, struct ts_report_error *item, struct ts_error *error);

/* An operation that started and never completed, or was aborted for a reason that was not recorded. */
bool ts_report_error_is_bare(const struct ts_report_error *item);

#endif
