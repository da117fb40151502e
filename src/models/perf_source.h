/* An operations CSV made ready for reports: the table, and what of each row does not depend on a window. */
#ifndef TS_MODELS_PERF_SOURCE_H
#define TS_MODELS_PERF_SOURCE_H

#include "base/parts.h"
#include "formats/ops_csv.h"
#include "models/arch.h"
#include "models/op_category.h"
#include "models/signposts.h"

enum ts_row_kind {
    TS_ROW_DEVICE,
    TS_ROW_SIGNPOST,
    TS_ROW_HOST,
    TS_ROW_OTHER,
    TS_ROW_LEFT_OUT, /* of every report: see ts_perf_source_leave_out */
};
/* Which roofline model applies: full (matmul), flops only (convolution), none. */
enum ts_bound_analysis { TS_ANALYSIS_NONE, TS_ANALYSIS_FULL, TS_ANALYSIS_FLOPS_ONLY };

#define TS_NO_LANE UINT32_MAX

/* Figures of one row of the table, whatever the window. */
struct ts_op_facts {
    uint8_t kind;     /* enum ts_row_kind */
    uint8_t analysis; /* enum ts_bound_analysis */
    uint8_t category; /* enum ts_op_category */
    bool dram_sharded, sparse, sparse_unknown, collective;
    bool device_numeric;     /* DEVICE ID is a number, usable or not */
    int32_t device;          /* usable DEVICE ID, else -1 */
    int32_t cores;           /* CORE COUNT, or a DRAM-sharded matmul's; -1 absent */
    int32_t available_cores; /* of its own, else the file's fallback */
    uint32_t name;           /* displayed op code, id in `names` */
    uint32_t sub_device;     /* SUB DEVICE ID in its reported form, id in `names`; 0: none */
    uint32_t code;           /* equal for rows of one raw OP CODE, below code_count */
    uint32_t lane;           /* index of its device in `devices`; TS_NO_LANE: set aside when devices are merged */
    double flop;             /* floating operations of one call; absent when not derived */
    double dram_bytes;       /* moved from and to DRAM by one call; absent when not derived */
    double peak_flops;       /* of its cores at its fidelity, FLOPS; absent when unknown */
};

struct ts_perf_source_options {
    const struct ts_arch *arch; /* override; NULL: from the file */
    unsigned active_experts;    /* sparse matmuls; 0: not given */
    bool tracing_mode;          /* rows in file order, not by HOST START TS */
};

struct ts_perf_source {
    struct ts_part part; /* first: kept by the session under the file's identity */
    unsigned references;
    struct ts_ops_csv *ops; /* owned */
    struct ts_arena arena;
    struct ts_intern names;    /* displayed op codes, sub-device ids */
    struct ts_op_facts *facts; /* by row */
    uint32_t *order;           /* rows by HOST START TS, stable, empty last; NULL: file order already */
    struct ts_signposts signposts;
    const struct ts_arch *arch;
    uint32_t fallback_cores; /* budget of a row without its own */
    int32_t *devices;        /* distinct usable device ids, ascending */
    uint32_t device_count;
    uint32_t code_count; /* distinct op codes */
    bool any_sub_device;
    bool any_call_count_missing; /* some row lacks GLOBAL CALL COUNT: the row CSV prints doubles then */
    /* notices, counted over the whole file */
    uint32_t budget_not_number, budget_not_cores, unclassified_names;
    bool several_arches;
};

/* Takes ops over in every case. Errors: TS_REFUSED (unknown DEVICE ARCH: lists the known names), TS_NO_MEMORY,
 * TS_LIMIT, TS_CANCELLED. */
enum ts_status ts_perf_source_create(struct ts_context *context, struct ts_ops_csv *ops,
                                     const struct ts_perf_source_options *options, struct ts_perf_source **out,
                                     struct ts_error *error);
void ts_perf_source_retain(struct ts_perf_source *source);
void ts_perf_source_release(struct ts_perf_source *source); /* frees it with the last reference; accepts NULL */

/* Keep a row out of all reports made from now on, for a window that is no run of rows. Only while source is not shared. */
static inline void ts_perf_source_leave_out(struct ts_perf_source *source, uint32_t row)
{
    source->facts[row].kind = TS_ROW_LEFT_OUT;
    source->facts[row].lane = TS_NO_LANE;
    source->facts[row].device_numeric = false;
}

static inline struct ts_str ts_perf_source_name(const struct ts_perf_source *source, uint32_t row)
{
    return ts_intern_text(&source->names, source->facts[row].name);
}
/* The sub-device id in its reported form ("1.0" is "1"); empty when there is none. buffer holds it where it was rewritten. */
struct ts_str ts_perf_source_sub_device(const struct ts_perf_source *source, uint32_t row, char buffer[64]);

#endif
