/* The order of rows by a time column. */
#ifndef TS_MODELS_ROW_ORDER_H
#define TS_MODELS_ROW_ORDER_H

#include <stdint.h>

#include "base/arena.h"

/* Rows 0 .. count - 1 by ascending time, equal times in row order, absent ones (NaN) last. *out is allocated in arena; it
 * stays NULL when the rows are in that order already. Errors: TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_row_order_create(const double *times, uint32_t count, struct ts_arena *arena, uint32_t **out,
                                   struct ts_error *error);

#endif
