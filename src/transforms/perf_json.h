/* The performance report as one JSON object: what it is of, its rows, its groups. docs/perf-report.md has the keys. */
#ifndef TS_TRANSFORMS_PERF_JSON_H
#define TS_TRANSFORMS_PERF_JSON_H

#include "base/write.h"
#include "models/perf_selection.h"
#include "models/stacked.h"

struct ts_perf_json_options {
    const char *const *files;
    size_t file_count;
    bool no_advice;
    bool raw_op_codes;     /* with raw_op_code in every row */
    bool devices;          /* with the devices behind merged rows */
    bool per_device;       /* rows were not merged */
    enum ts_stacked_by by; /* what stacked is grouped by */
    unsigned top;          /* only the rows with the largest shares, those first; 0: all as they come */
};

/* One line a row, so that memory is bounded by a row. stacked NULL: no groups. Errors: TS_NO_MEMORY, TS_CANCELLED; what
 * the writer meets comes out at its commit, which is the caller's. */
enum ts_status ts_perf_json_write(struct ts_context *context, const struct ts_perf_selection *selection,
                                  struct ts_stacked *stacked, const struct ts_perf_json_options *options,
                                  struct ts_writer *writer, struct ts_error *error);

#endif
