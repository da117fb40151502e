/* "circular_buffers" of an operation, out of its captured graph. */
#ifndef TS_QUESTIONS_OPERATION_CIRCULAR_H
#define TS_QUESTIONS_OPERATION_CIRCULAR_H

#include "questions/profiler_common.h"

/* Read the operation's graph and add the field, at most row_cap buffers in all. It is left out when there is no graph, and
 * when the graph cannot be read, which the caveat says. Errors: those of ts_profiler_rows and ts_db_read_text. */
enum ts_status ts_operation_circular_add(struct ts_context *context, struct ts_answer *answer,
                                         struct ts_profiler *profiler, int64_t operation, uint32_t row_cap,
                                         struct ts_caveat *caveat, struct ts_error *error);

extern const struct ts_field ts_operation_circular_fields[];

#endif
