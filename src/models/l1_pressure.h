/* How full the L1 of a device was behind an operation, from the buffers that lay in it and the device's geometry. */
#ifndef TS_MODELS_L1_PRESSURE_H
#define TS_MODELS_L1_PRESSURE_H

#include "models/profiler.h"

struct ts_l1_window {
    int64_t start, end; /* start == end: the geometry is of no use */
};
/* Where tensors may lie in the L1 of a device. */
struct ts_l1_window ts_l1_window_of(const struct ts_profiler_device *device);

struct ts_l1_chunk {
    int64_t address, size;
};
struct ts_l1_pressure {
    int64_t device_id;
    double fullness_pct, largest_free_pct; /* not rounded */
    int64_t free_segments, largest_free_block;
};
/* chunks (sorted in place) are the L1 rows of one operation and device, in any order, repeats allowed. */
void ts_l1_pressure_of(struct ts_l1_window window, struct ts_l1_chunk *chunks, size_t count,
                       struct ts_l1_pressure *out);
/* Whether a is more constrained than b: less in its largest free block, then fuller, then the lower device id. */
bool ts_l1_pressure_tighter(const struct ts_l1_pressure *a, const struct ts_l1_pressure *b);

#endif
