/* Packing the slices of each lane into rows, so that what overlaps does not stand on one. */
#ifndef TS_MODELS_PIPELINE_ROWS_H
#define TS_MODELS_PIPELINE_ROWS_H

#include "models/pipeline_trace.h"

/* Make `order`, the rows of all slices, and where in the file each row begins and ends. Afterwards the slices of a lane
 * stand in `order` by time, those of one time in the order of the file. Errors: TS_NO_MEMORY, TS_CANCELLED. */
enum ts_status ts_pipeline_pack(struct ts_context *context, struct ts_pipeline *pipeline, struct ts_error *error);

/* Sort count numbers so that before(data, a, b) holds for no b in front of an a; numbers that neither comes before keep
 * their order. Fast on what is nearly sorted. temporary: room for as many. */
void ts_pipeline_sort(uint32_t *numbers, uint32_t *temporary, size_t count,
                      bool (*before)(const void *data, uint32_t a, uint32_t b), const void *data);
/* For that, by when they begin: of an array of struct ts_pipeline_set, and of one of struct ts_pipeline_wait. */
bool ts_pipeline_set_before(const void *data, uint32_t a, uint32_t b);
bool ts_pipeline_wait_before(const void *data, uint32_t a, uint32_t b);

#endif
