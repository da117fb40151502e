/* Heuristic flags on rows of a report, and the device's core count that they are read against. */
#ifndef TS_MODELS_OP_FLAGS_H
#define TS_MODELS_OP_FLAGS_H

#include "formats/device_log.h"
#include "models/cache_reuse.h"
#include "models/perf_report.h"

enum ts_op_flag {
    TS_FLAG_DRAM_BOUND,
    TS_FLAG_LOW_UTILISATION,
    TS_FLAG_UNDERUTILISED_CORES,
    TS_FLAG_RECOMPUTE_CANDIDATE,
    TS_FLAG_COUNT
};
const char *ts_op_flag_name(enum ts_op_flag flag);

enum ts_max_cores_source {
    TS_MAX_CORES_DEVICE_LOG,
    TS_MAX_CORES_ARCHITECTURE,
    TS_MAX_CORES_ROWS,
    TS_MAX_CORES_FALLBACK
};
struct ts_max_cores {
    uint32_t cores;
    enum ts_max_cores_source source;
};
const char *ts_max_cores_source_name(enum ts_max_cores_source source);
/* head may be NULL (no device log). whole is the whole report. */
struct ts_max_cores ts_max_cores(const struct ts_device_log_head *head, const struct ts_perf_report *whole);

struct ts_op_flags {
    unsigned set;                    /* bit 1 << enum ts_op_flag */
    bool dram_from_bound;            /* DRAM_BOUND: the bound is DRAM; else SLOW with DRAM above FLOPs */
    double core_utilisation_percent; /* LOW_UTILISATION: cut to 3 decimals */
    uint32_t core_capacity;          /* UNDERUTILISED_CORES */
    bool capacity_from_available;
};
/* Flags of one row of a (windowed) report. repeat_miss: the row's program was called before in the whole report and missed. */
struct ts_op_flags ts_op_flags(const struct ts_perf_report *report, uint32_t row, struct ts_max_cores max_cores,
                               bool repeat_miss);

#endif
