/* Which cores a core range set covers: "{[(x=0,y=0) - (x=7,y=7)], [0-8 - 3-8]}". */
#ifndef TS_MODELS_CORE_RANGES_H
#define TS_MODELS_CORE_RANGES_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* Cores at larger coordinates are none: no chip has them. */
enum { TS_CORE_COORDINATE_MAX = 511 };

/* Cores from 0, 0 on, and how often each was covered by rectangles. Used for one set after the other. */
struct ts_core_mask {
    int32_t *cells; /* width * height, row by row, and one row and column of room */
    uint32_t width, height;
    size_t capacity;
    uint32_t count; /* distinct cores */
};

/* Cover the cores of a set and no others. Errors: TS_NO_MEMORY. */
enum ts_status ts_core_mask_read(struct ts_core_mask *mask, struct ts_str set, struct ts_error *error);
void ts_core_mask_free(struct ts_core_mask *mask);
static inline bool ts_core_mask_has(const struct ts_core_mask *mask, uint32_t x, uint32_t y)
{
    return mask->cells[(size_t)y * (mask->width + 1) + x] > 0;
}

/* The cores of a set as text have one rectangle for each pair of corners: take the next one, false when there is none. */
struct ts_core_range {
    uint32_t left, top, right, bottom; /* inclusive */
};
bool ts_core_ranges_next(struct ts_str set, size_t *at, struct ts_core_range *out);

#endif
