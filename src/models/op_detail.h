/* The figures that say why an operation took its time, in groups: one value of one row at a time, and which of them no row
 * of a report carries. */
#ifndef TS_MODELS_OP_DETAIL_H
#define TS_MODELS_OP_DETAIL_H

#include "models/perf_report.h"

enum ts_detail_group {
    TS_DETAIL_CONFIG,
    TS_DETAIL_UTILISATION,
    TS_DETAIL_NOC,
    TS_DETAIL_RISCS,
    TS_DETAIL_CORES,
    TS_DETAIL_DISPATCH,
    TS_DETAIL_CACHE,
    TS_DETAIL_KERNELS,
    TS_DETAIL_ADVICE,
    TS_DETAIL_GROUP_COUNT,
};
/* FIELD(name, group): in the order of answers. */
/* clang-format off */
#define TS_DETAIL_FIELDS(FIELD) \
    FIELD(MATH_FIDELITY, CONFIG) \
    FIELD(INPUT_0_DATATYPE, CONFIG) \
    FIELD(INPUT_1_DATATYPE, CONFIG) \
    FIELD(OUTPUT_DATATYPE, CONFIG) \
    FIELD(INPUT_0_MEMORY, CONFIG) \
    FIELD(DRAM_SHARDED, CONFIG) \
    FIELD(INNER_DIM_BLOCK_SIZE, CONFIG) \
    FIELD(OUTPUT_SUBBLOCK_H, CONFIG) \
    FIELD(OUTPUT_SUBBLOCK_W, CONFIG) \
    FIELD(DRAM_GB_PER_S, UTILISATION) \
    FIELD(DRAM_PERCENT, UTILISATION) \
    FIELD(TFLOPS, UTILISATION) \
    FIELD(FLOPS_PERCENT, UTILISATION) \
    FIELD(IDEAL_US, UTILISATION) \
    FIELD(IDEAL_COMPUTE_US, UTILISATION) \
    FIELD(IDEAL_BANDWIDTH_US, UTILISATION) \
    FIELD(FPU_UTIL_PERCENT, UTILISATION) \
    FIELD(NOC_UTIL_PERCENT, NOC) \
    FIELD(MULTICAST_NOC_UTIL_PERCENT, NOC) \
    FIELD(DRAM_BW_UTIL_PERCENT, NOC) \
    FIELD(DRAM_BW_UTIL_PER_CONTROLLER, NOC) \
    FIELD(ETH_BW_UTIL_PER_CORE, NOC) \
    FIELD(NPE_CONGESTION_IMPACT_PERCENT, NOC) \
    FIELD(KERNEL_US, RISCS) \
    FIELD(BRISC_US, RISCS) \
    FIELD(NCRISC_US, RISCS) \
    FIELD(TRISC0_US, RISCS) \
    FIELD(TRISC1_US, RISCS) \
    FIELD(TRISC2_US, RISCS) \
    FIELD(ERISC_US, RISCS) \
    FIELD(COMPUTE_CB_WAIT_FRONT_US, RISCS) \
    FIELD(COMPUTE_CB_RESERVE_BACK_US, RISCS) \
    FIELD(AVAILABLE_CORES, CORES) \
    FIELD(FIRST_TO_LAST_START_US, CORES) \
    FIELD(PER_CORE_MIN_US, CORES) \
    FIELD(PER_CORE_MAX_US, CORES) \
    FIELD(PER_CORE_AVG_US, CORES) \
    FIELD(OP_TO_OP_GAP_US, DISPATCH) \
    FIELD(DISPATCH_CQ_CMD_OP_US, DISPATCH) \
    FIELD(DISPATCH_GO_SEND_WAIT_US, DISPATCH) \
    FIELD(METAL_TRACE_ID, DISPATCH) \
    FIELD(METAL_TRACE_REPLAY_SESSION_ID, DISPATCH) \
    FIELD(PROGRAM_HASH, CACHE) \
    FIELD(PROGRAM_CACHE_HIT, CACHE) \
    FIELD(GLOBAL_CALL_COUNT, CACHE) \
    FIELD(COMPUTE_KERNELS, KERNELS) \
    FIELD(COMPUTE_KERNEL_HASHES, KERNELS) \
    FIELD(DATA_MOVEMENT_KERNELS, KERNELS) \
    FIELD(DATA_MOVEMENT_KERNEL_HASHES, KERNELS) \
    FIELD(ADVICE, ADVICE)
/* clang-format on */
enum ts_detail_field {
#define TS_DETAIL_ENUM(name, group) TS_FIELD_##name,
    TS_DETAIL_FIELDS(TS_DETAIL_ENUM)
#undef TS_DETAIL_ENUM
        TS_DETAIL_FIELD_COUNT
};
enum ts_detail_group ts_detail_group_of(enum ts_detail_field field);

enum ts_detail_type {
    TS_DETAIL_NULL,
    TS_DETAIL_NUMBER,
    TS_DETAIL_INTEGER,
    TS_DETAIL_BOOLEAN,
    TS_DETAIL_TEXT,
    TS_DETAIL_LIST
};
struct ts_detail_value {
    enum ts_detail_type type;
    double number;
    int64_t integer;
    bool boolean;
    struct ts_str text; /* TEXT; or LIST: the cell, to be walked with ts_detail_list_next */
};
/* The value of a field on a row of a report, by the cell readers. Not for ADVICE (see advice.h). Texts are borrowed. */
struct ts_detail_value ts_detail_value(const struct ts_perf_report *report, uint32_t row, enum ts_detail_field field);
/* Next item of a list cell; false at the end. Start with *rest = value.text. */
bool ts_detail_list_next(struct ts_str *rest, struct ts_str *item);

/* Why no row of the whole report carries a field. */
enum ts_detail_absence {
    TS_PRESENT_SOMEWHERE,
    TS_ABSENT_NO_COLUMN,
    TS_ABSENT_MODELLED,
    TS_ABSENT_CAPTURE_OPTION,
    TS_ABSENT_EMPTY
};
enum ts_detail_absence ts_detail_absence(const struct ts_perf_report *whole, enum ts_detail_field field);

#endif
