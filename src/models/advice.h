/* What a matmul's settings suggest changing. */
#ifndef TS_MODELS_ADVICE_H
#define TS_MODELS_ADVICE_H

#include "base/buf.h"
#include "models/fidelity.h"
#include "models/perf_report.h"

enum ts_advice_code {
    TS_ADVICE_SPARSE_ACTIVE_UNKNOWN,
    TS_ADVICE_USE_DRAM_SHARDED_CONFIG,
    TS_ADVICE_GROW_GRID,
    TS_ADVICE_INPUT0_TO_L1,
    TS_ADVICE_NO_PROGRAM_CONFIG,
    TS_ADVICE_NO_IN0_BLOCK_W,
    TS_ADVICE_IN0_BLOCK_W_SMALL,
    TS_ADVICE_NO_OUT_SUBBLOCK,
    TS_ADVICE_OUT_SUBBLOCK_SMALL,
    TS_ADVICE_BLOCKS_OK,
    TS_ADVICE_FIDELITY,
};
struct ts_advice {
    enum ts_advice_code code;
    int64_t a, b, c; /* figures of the code: C and A; n; H and W; n, H and W (absent: -1) */
    enum ts_fidelity_advice fidelity;
    struct ts_str text; /* memory, or the unsupported datatype */
};
enum { TS_ADVICE_MAX = 8 };
/* The pieces of advice for a row of a report, in order; how many is returned. */
unsigned ts_advice_for(const struct ts_perf_report *report, uint32_t row, struct ts_advice out[TS_ADVICE_MAX]);
/* How the row's math fidelity fits its datatypes. */
struct ts_fidelity ts_advice_fidelity(const struct ts_perf_report *report, uint32_t row);
/* One sentence that says what to change and what it is expected to win. */
void ts_advice_sentence(const struct ts_advice *advice, struct ts_buf *out);
/* A short stable code: "grow_grid:20/64", "fidelity:bf16_hifi4". */
void ts_advice_short_code(const struct ts_advice *advice, struct ts_buf *out);

#endif
