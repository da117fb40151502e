/* The fields that the groups of an argument `include` bring to the row of an operation. */
#ifndef TS_QUESTIONS_PERF_FIELDS_H
#define TS_QUESTIONS_PERF_FIELDS_H

#include "models/op_detail.h"
#include "questions/question.h"

/* Names of all groups in the order of answers, NULL behind: those of CSV fields, then "devices" and "flags". */
extern const char *const ts_perf_groups[];

/* Declarations, in the order of enum ts_detail_field: FIELD(key, kind, group, unit, help). */
#define TS_PERF_DETAIL(FIELD)                                                                                          \
    FIELD("math_fidelity", STRING, "config", NULL, "LoFi, HiFi2, HiFi3 or HiFi4")                                      \
    FIELD("input_0_datatype", STRING, "config", NULL, "of the first input")                                            \
    FIELD("input_1_datatype", STRING, "config", NULL, "of the second input")                                           \
    FIELD("output_datatype", STRING, "config", NULL, "of the output")                                                  \
    FIELD("input_0_memory", STRING, "config", NULL, "device, memory and layout of the first input")                    \
    FIELD("dram_sharded", BOOLEAN, "config", NULL, "a DRAM-sharded matmul")                                            \
    FIELD("inner_dim_block_size", INTEGER, "config", NULL, "in0_block_w of the program config")                        \
    FIELD("output_subblock_h", INTEGER, "config", NULL, "out_subblock_h of the program config")                        \
    FIELD("output_subblock_w", INTEGER, "config", NULL, "out_subblock_w of the program config")                        \
    FIELD("dram_gb_per_s", NUMBER, "utilisation", "GB/s", "DRAM bandwidth reached")                                    \
    FIELD("dram_percent", NUMBER, "utilisation", "percent", "of the peak DRAM bandwidth")                              \
    FIELD("tflops", NUMBER, "utilisation", "TFLOPS", "computed")                                                       \
    FIELD("flops_percent", NUMBER, "utilisation", "percent", "of the peak of its cores at its fidelity")               \
    FIELD("ideal_us", NUMBER, "utilisation", "us", "tt-metal's ideal time")                                            \
    FIELD("ideal_compute_us", NUMBER, "utilisation", "us", "tt-metal's ideal compute time")                            \
    FIELD("ideal_bandwidth_us", NUMBER, "utilisation", "us", "tt-metal's ideal time for moving data")                  \
    FIELD("fpu_util_percent", NUMBER, "utilisation", "percent", "ideal compute time of the kernel time")               \
    FIELD("noc_util_percent", NUMBER, "noc", "percent", "NoC utilisation")                                             \
    FIELD("multicast_noc_util_percent", NUMBER, "noc", "percent", "NoC utilisation of multicasts")                     \
    FIELD("dram_bw_util_percent", NUMBER, "noc", "percent", "DRAM bandwidth utilisation")                              \
    FIELD("dram_bw_util_per_controller", STRING, "noc", "percent", "DRAM bandwidth utilisation by controller")         \
    FIELD("eth_bw_util_per_core", STRING, "noc", "percent", "Ethernet bandwidth utilisation by core")                  \
    FIELD("npe_congestion_impact_percent", NUMBER, "noc", "percent", "time lost to NoC congestion")                    \
    FIELD("kernel_us", NUMBER, "riscs", "us", "kernel time of the row's own device")                                   \
    FIELD("brisc_us", NUMBER, "riscs", "us", "kernel time on BRISC, usually the writer")                               \
    FIELD("ncrisc_us", NUMBER, "riscs", "us", "kernel time on NCRISC, usually the reader")                             \
    FIELD("trisc0_us", NUMBER, "riscs", "us", "kernel time on TRISC0, unpack")                                         \
    FIELD("trisc1_us", NUMBER, "riscs", "us", "kernel time on TRISC1, math")                                           \
    FIELD("trisc2_us", NUMBER, "riscs", "us", "kernel time on TRISC2, pack")                                           \
    FIELD("erisc_us", NUMBER, "riscs", "us", "kernel time on ERISC")                                                   \
    FIELD("compute_cb_wait_front_us", NUMBER, "riscs", "us", "compute waited for input in circular buffers")           \
    FIELD("compute_cb_reserve_back_us", NUMBER, "riscs", "us", "compute waited for room in circular buffers")          \
    FIELD("available_cores", INTEGER, "cores", NULL, "cores the operation could have used")                            \
    FIELD("first_to_last_start_us", NUMBER, "cores", "us", "from the first core's kernel start to the last's")         \
    FIELD("per_core_min_us", NUMBER, "cores", "us", "shortest kernel time of a core")                                  \
    FIELD("per_core_max_us", NUMBER, "cores", "us", "longest kernel time of a core")                                   \
    FIELD("per_core_avg_us", NUMBER, "cores", "us", "mean kernel time of the cores")                                   \
    FIELD("op_to_op_gap_us", NUMBER, "dispatch", "us", "from the end of the operation before to its start")            \
    FIELD("dispatch_cq_cmd_op_us", NUMBER, "dispatch", "us", "dispatch's time for the operation's commands")           \
    FIELD("dispatch_go_send_wait_us", NUMBER, "dispatch", "us", "dispatch's wait for sending GO")                      \
    FIELD("metal_trace_id", INTEGER, "dispatch", NULL, "the trace it was replayed from")                               \
    FIELD("metal_trace_replay_session_id", INTEGER, "dispatch", NULL, "which replay of the trace")                     \
    FIELD("program_hash", STRING, "cache", NULL, "names the program")                                                  \
    FIELD("program_cache_hit", BOOLEAN, "cache", NULL, "the program was in the cache")                                 \
    FIELD("global_call_count", INTEGER, "cache", NULL, "the device log's run host ID")                                 \
    FIELD("compute_kernels", LIST, "kernels", NULL, "sources of the compute kernels")                                  \
    FIELD("compute_kernel_hashes", LIST, "kernels", NULL, "their hashes")                                              \
    FIELD("data_movement_kernels", LIST, "kernels", NULL, "sources of the data movement kernels")                      \
    FIELD("data_movement_kernel_hashes", LIST, "kernels", NULL, "their hashes")                                        \
    FIELD("advice", LIST, "advice", NULL, "what to change, for a matmul; each a sentence")

/* As children of a row. A field that no row of the report carries is in no row. */
#define TS_PERF_DETAIL_DECLARATION(name, type, include, measure, words)                                                \
    {.key = name,                                                                                                      \
     .kind = TS_KIND_##type,                                                                                           \
     .of = TS_KIND_STRING,                                                                                             \
     .nullable = true,                                                                                                 \
     .sometimes = true,                                                                                                \
     .group = include,                                                                                                 \
     .unit = measure,                                                                                                  \
     .show = TS_SHOW_COLUMN,                                                                                           \
     .help = words},

/* Which groups an answer has, and which of their fields no row of the whole report carries. */
struct ts_perf_details {
    const struct ts_args *args;
    bool any;     /* any group at all, devices and flags too */
    bool any_csv; /* any group of CSV fields */
    bool included[TS_DETAIL_GROUP_COUNT];
    enum ts_detail_absence absence[TS_DETAIL_FIELD_COUNT]; /* of the included groups: why a field is on no row */
    const struct ts_perf_report *whole;                    /* NULL without any_csv */
};
/* Read which fields the whole report carries. Errors: those of ts_capture_report. */
enum ts_status ts_perf_details_read(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                    struct ts_perf_details *out, struct ts_error *error);
/* The included fields of one row. */
void ts_perf_details_add_row(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_details *details,
                             const struct ts_perf_report *report, uint32_t row);
/* "included", "empty_in_report" and "detail_note", with a group of CSV fields. */
void ts_perf_details_add_notes(struct ts_answer *answer, const struct ts_perf_details *details);
#define TS_PERF_DETAIL_NOTE_FIELDS                                                                                     \
    {.key = "included",                                                                                                \
     .kind = TS_KIND_LIST,                                                                                             \
     .of = TS_KIND_STRING,                                                                                             \
     .sometimes = true,                                                                                                \
     .help = "the groups that add CSV fields, when there are some"},                                                   \
        {.key = "empty_in_report",                                                                                     \
         .kind = TS_KIND_MAP,                                                                                          \
         .of = TS_KIND_STRING,                                                                                         \
         .sometimes = true,                                                                                            \
         .show = TS_SHOW_BELOW,                                                                                        \
         .heading = "empty in this report",                                                                            \
         .help = "included fields that no row of the whole report carries, and what would fill them"},                 \
    {                                                                                                                  \
        .key = "detail_note", .kind = TS_KIND_STRING, .sometimes = true, .help = "how to read the included fields"     \
    }

/* The per-device times behind a merged row, for the group "devices": "devices", and "device_count" when some are left
 * out. */
void ts_perf_devices_add(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report,
                         uint32_t row);
extern const struct ts_field ts_perf_device_fields[];
#define TS_PERF_DEVICES_FIELDS                                                                                         \
    {.key = "devices",                                                                                                 \
     .kind = TS_KIND_LIST,                                                                                             \
     .of = TS_KIND_OBJECT,                                                                                             \
     .group = "devices",                                                                                               \
     .children = ts_perf_device_fields,                                                                                \
     .show = TS_SHOW_COLUMN,                                                                                           \
     .help =                                                                                                           \
         "the operation on each device, by id; of more than 32 the slowest 32; [] for signposts and host operations"}, \
    {                                                                                                                  \
        .key = "device_count", .kind = TS_KIND_INTEGER, .sometimes = true, .group = "devices", .show = TS_SHOW_COLUMN, \
        .help = "how many devices ran it, when devices does not list them all"                                         \
    }

#endif
