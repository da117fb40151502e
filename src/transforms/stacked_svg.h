/* The stacked report as a picture: device time as a bar of its groups, the largest on top, with a legend. */
#ifndef TS_TRANSFORMS_STACKED_SVG_H
#define TS_TRANSFORMS_STACKED_SVG_H

#include "models/stacked.h"

struct ts_stacked_svg_options {
    enum ts_stacked_by by;
    bool per_device;     /* a bar for each device */
    bool classic_colors; /* a plain palette instead of one by category */
};

/* Write it to path, whole or not at all. Groups beyond those a legend can hold are drawn as one. Errors: TS_IO,
 * TS_NO_MEMORY, TS_LIMIT, TS_CANCELLED. */
enum ts_status ts_stacked_svg_write(struct ts_context *context, struct ts_stacked *stacked,
                                    const struct ts_stacked_svg_options *options, const char *path,
                                    struct ts_error *error);

#endif
