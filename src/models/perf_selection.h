/* What a performance report is made of: one or several operations CSVs and the choices of the command line. */
#ifndef TS_MODELS_PERF_SELECTION_H
#define TS_MODELS_PERF_SELECTION_H

#include "models/perf_report.h"

struct ts_perf_selection_options {
    const char *const *files; /* at least one; several are read as one report, device ids of later ones raised */
    size_t file_count;
    struct ts_signpost_range range; /* overridden by ignore_signposts */
    bool ignore_signposts;          /* the whole file; without it and without a range: what follows the last signpost */
    bool print_signposts;           /* keep signpost rows; ignore_signposts keeps them too */
    bool no_merge_devices, tracing_mode, no_host_ops;
    struct ts_id_range ids;
    const struct ts_arch *arch; /* NULL: from the file */
    unsigned active_experts;    /* 0: not given */
};

struct ts_perf_selection {
    struct ts_perf_source *source; /* NULL, as is report: no file has a data row */
    struct ts_perf_report *report;
    struct ts_row_window window;  /* of a range asked for; else the whole file */
    struct ts_str after_signpost; /* of the window by default: the signpost it follows; empty: another window.
                                      Borrowed from source. */
    uint32_t after_row;           /* that signpost's row */
    uint32_t files_without_devices;
};

/* Read the files and make the report. Errors: TS_USAGE (no file), TS_INPUT (a file cannot be reported on, or files disagree
 * in their device counts), TS_REFUSED (unknown architecture or signpost, impossible range), TS_IO, TS_LIMIT, TS_CHANGED,
 * TS_NO_MEMORY, TS_CANCELLED. */
enum ts_status ts_perf_selection_create(struct ts_context *context, const struct ts_perf_selection_options *options,
                                        struct ts_perf_selection **out, struct ts_error *error);
void ts_perf_selection_destroy(struct ts_perf_selection *selection);

/* What a reader of the report must know, one sentence a line, each ended by '\n'; nothing when there is nothing. The window
 * by default is not among it: see after_signpost. */
void ts_perf_selection_notices(const struct ts_perf_selection *selection, struct ts_buf *out);

/* Over the reported operations: bytes moved from and to DRAM by those whose DRAM traffic is known, per second of all device
 * time, and the share of the peak weighted by device time. False when there is nothing to say. */
bool ts_perf_selection_dram(const struct ts_perf_selection *selection, double *gb_per_s, double *percent);

#endif
