/* Fork and join inside one call. */
#ifndef TS_BASE_THREAD_H
#define TS_BASE_THREAD_H

#include "base/context.h"

/* Run work(data, index, error) for index 0 .. count - 1 on at most context->threads threads and wait for all. After
 * the first failure no further index is started; the failure of the lowest index is returned. Results must not
 * depend on the number of threads. With one thread no thread is made; those made have all signals blocked. Each
 * index begins with a ts_context_check, which work may call too; ts_context_progress, and so a reader with this
 * context, only the calling thread may. */
enum ts_status ts_parallel(struct ts_context *context, size_t count,
                           enum ts_status (*work)(void *data, size_t index, struct ts_error *error), void *data,
                           struct ts_error *error);

#endif
