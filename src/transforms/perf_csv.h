/* The performance report as files: the row CSV, and beside it the report grouped by operation. */
#ifndef TS_TRANSFORMS_PERF_CSV_H
#define TS_TRANSFORMS_PERF_CSV_H

#include "models/perf_selection.h"
#include "models/stacked.h"

struct ts_perf_csv_options {
    /* What is reported, as in struct ts_perf_selection_options. */
    const char *const *files;
    size_t file_count;
    struct ts_signpost_range range;
    bool ignore_signposts, print_signposts, no_merge_devices, tracing_mode, no_host_ops;
    struct ts_id_range ids;
    const struct ts_arch *arch;
    unsigned active_experts;
    /* What is written. */
    bool no_advice;    /* no Advice column */
    bool advice_codes; /* short codes instead of sentences, for tests and scripts */
    bool raw_op_codes; /* a last column Raw OP Code */
    bool no_summary;   /* no stacked report */
    enum ts_stacked_by group_by;
    const char *csv;          /* the row CSV; NULL: only the stacked report, to summary_base */
    const char *summary_base; /* the stacked report goes to this with .csv behind it; NULL: beside csv, its name without
                                 extension and with _stacked.csv behind it (none when csv is a device or a pipe) */
    bool plot; /* the caller will draw the stacked report to plot_path: it must not replace an input or the row CSV */
};

struct ts_perf_csv_signpost {
    struct ts_str name;
    uint32_t occurrences;
};

/* Zero it first. Texts live in it. */
struct ts_perf_csv_result {
    struct ts_arena arena;
    uint32_t rows;                                /* written to the row CSV */
    uint32_t device_ops, host_ops, signpost_rows; /* of these */
    uint32_t groups;                              /* written to the stacked report */
    const char *stacked_path;                     /* NULL: no stacked report was written */
    const char *stacked_left;     /* nothing to group, and a file of an earlier run stands there untouched; else NULL */
    const char *plot_path;        /* beside it, .svg for .csv; NULL without plot */
    struct ts_str after_signpost; /* the default window: which signpost it follows; empty: another window was used */
    struct ts_perf_csv_signpost *signposts; /* filled when device_ops is 0, so that another window can be chosen */
    uint32_t signpost_count;
    struct ts_str notices; /* for the console, one sentence a line, each ended by '\n' */
    bool has_dram;         /* DRAM speed and share of its peak over all operations are known */
    double dram_gb_per_s, dram_percent;
};

/* Write both files, each whole or not at all. A window without device operations is written too (header, signposts, host
 * operations); device_ops is 0 then, and what ran must not be taken for a report. result is freed with
 * ts_perf_csv_result_free, also after a failure. Errors: those of ts_perf_selection_create, TS_IO (a file cannot be
 * written). */
enum ts_status ts_perf_csv_write(struct ts_context *context, const struct ts_perf_csv_options *options,
                                 struct ts_perf_csv_result *result, struct ts_error *error);
/* The same of a report that is made already: what the options say on what is reported is not looked at. Errors: TS_IO,
 * TS_LIMIT, TS_NO_MEMORY, TS_CANCELLED. */
enum ts_status ts_perf_csv_write_report(struct ts_context *context, const struct ts_perf_csv_options *options,
                                        const struct ts_perf_selection *selection, struct ts_perf_csv_result *result,
                                        struct ts_error *error);
void ts_perf_csv_result_free(struct ts_perf_csv_result *result);

#endif
