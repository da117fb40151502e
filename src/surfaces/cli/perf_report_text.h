/* The performance report as people read it: notes, the table of operations, advice, and the rows in groups. */
#ifndef TS_SURFACES_CLI_PERF_REPORT_TEXT_H
#define TS_SURFACES_CLI_PERF_REPORT_TEXT_H

#include "models/op_folding.h"
#include "models/perf_selection.h"
#include "models/stacked.h"

struct ts_perf_text_options {
    bool color;
    unsigned width;        /* columns of the terminal; 0: as wide as it gets, with nothing left out */
    double min_percentage; /* rows with a smaller share of the time are greyed */
    bool no_advice;
    bool advice_codes;     /* short codes instead of sentences */
    bool devices;          /* the times behind merged rows */
    bool per_device;       /* rows were not merged */
    unsigned top;          /* only the rows with the largest shares; 0: all */
    const char *title;     /* what is reported, for the heading; borrowed */
    enum ts_stacked_by by; /* what stacked is grouped by */
};

/* folding NULL: every row; stacked NULL: no groups. Errors: TS_NO_MEMORY, TS_LIMIT, TS_CANCELLED. */
enum ts_status ts_perf_text_write(struct ts_context *context, const struct ts_perf_selection *selection,
                                  const struct ts_op_folding *folding, struct ts_stacked *stacked,
                                  const struct ts_perf_text_options *options, struct ts_buf *out,
                                  struct ts_error *error);

#endif
