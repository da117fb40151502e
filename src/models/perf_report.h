/* The performance report: rows of one window, devices merged, with gaps, totals, rooflines and bounds. */
#ifndef TS_MODELS_PERF_REPORT_H
#define TS_MODELS_PERF_REPORT_H

#include "base/buf.h"
#include "models/perf_source.h"

enum ts_bound { TS_BOUND_NONE, TS_BOUND_DRAM, TS_BOUND_FLOP, TS_BOUND_BOTH, TS_BOUND_SLOW, TS_BOUND_HOST };
const char *ts_bound_name(enum ts_bound bound); /* NULL for NONE */
const char *ts_bound_analysis_name(enum ts_bound_analysis analysis);

struct ts_perf_row {
    uint32_t source;       /* row of the table; the id in answers is source + 2 */
    uint32_t members;      /* first of its rows in report->members, itself included */
    uint32_t member_count; /* device rows merged into it; 1 where nothing was merged, 0 for rows set aside */
    uint8_t bound;         /* enum ts_bound */
    bool invalid;          /* the duration is not usable: no figure of the row derives from it */
    bool gap_dropped;      /* a latency is recorded, but the rules give no gap for it (not: first of the window) */
    bool gap_negative;     /* with gap_dropped: because it is negative; else because of an invalid neighbour */
    double device_time;    /* us; absent for none */
    double op_to_op_gap;   /* us; absent for none */
    double total_percent;
    double dram_gb_per_s, dram_percent, tflops, flops_percent;
};

struct ts_id_range { /* inclusive; both 0: all */
    uint64_t first, last;
};
struct ts_perf_report_options {  /* zero: as the questions read it */
    struct ts_row_window window; /* end 0: the whole file */
    bool no_merge;               /* keep each device's rows */
    bool no_host_ops;
    bool drop_signposts;
    bool tracing_mode;
    struct ts_id_range ids;
};

/* One operation that not every device had when its turn came while devices were merged: these devices have other
 * operations next, or none left, so that later rows of the same name may pair calls that do not belong together. */
struct ts_merge_notice {
    int32_t device;     /* that lacks the operation; -1: several, see devices */
    uint32_t first_row; /* table row of the operation on the lowest device that has it */
    uint32_t index;     /* how many operations were merged before it */
    uint32_t devices;   /* how many lack it */
};

struct ts_perf_report {
    struct ts_part part;           /* first: kept by the session */
    struct ts_perf_source *source; /* a reference of its own */
    struct ts_arena arena;
    struct ts_perf_row *rows;
    uint32_t count;
    uint32_t *members;                   /* table rows, grouped by report row */
    double device_time_total, gap_total; /* us, over rows in order */
    uint32_t device_ops, timed_ops;      /* device operations reported, and how many of them have a device time */
    int32_t most_cores;                  /* any row's; 0 when no row has any */
    uint32_t invalid_durations;
    uint32_t gaps_dropped_negative, gaps_dropped_invalid;
    uint32_t distinct_sub_devices;
    struct ts_str *sub_devices;      /* distinct reported ids in byte order */
    struct ts_merge_notice *notices; /* the first TS_MERGE_NOTICES_MAX */
    uint32_t notice_count;           /* all of them */
    uint32_t unpaired_rows;          /* device rows that were merged with fewer devices than the window has */
    uint32_t unusable_device_rows;   /* device operations that no merge could take: their DEVICE ID is not usable */
    uint32_t order_by_time;          /* rows are in HOST START TS order, not id order */
};
enum { TS_MERGE_NOTICES_MAX = 32 };

/* Errors: TS_NO_MEMORY, TS_LIMIT, TS_CANCELLED. */
enum ts_status ts_perf_report_create(struct ts_context *context, struct ts_perf_source *source,
                                     const struct ts_perf_report_options *options, struct ts_perf_report **out,
                                     struct ts_error *error);
void ts_perf_report_destroy(struct ts_perf_report *report);

static inline const struct ts_op_facts *ts_perf_row_facts(const struct ts_perf_report *report, uint32_t row)
{
    return &report->source->facts[report->rows[row].source];
}
/* What the row's Math Fidelity shows: "HiFi2 BF16 x BFP8 => BF16", "BF16 => BF16", or empty. */
enum ts_status ts_perf_row_math_fidelity(const struct ts_perf_report *report, uint32_t row, struct ts_buf *out);

#endif
