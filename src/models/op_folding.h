/* The rows of a report with what repeats told once: the layers of a model, the tokens of a generation. */
#ifndef TS_MODELS_OP_FOLDING_H
#define TS_MODELS_OP_FOLDING_H

#include "models/perf_report.h"

enum ts_fold_kind {
    TS_FOLD_ROW,   /* one operation */
    TS_FOLD_BLOCK, /* `repeats` times the items that follow and are deeper */
};
struct ts_fold_item {
    uint8_t kind;             /* enum ts_fold_kind */
    uint8_t depth;            /* blocks it lies in */
    uint32_t row;             /* of the report: the first it stands for */
    uint32_t count;           /* rows of the report it stands for, at least 1 */
    uint32_t repeats, period; /* of a block: repetitions within one of the block around it, rows of one repetition */
    /* Of one repetition, in us: the mean over all; absent where none is known. A block's are sums over its rows. */
    double device_time, op_to_op_gap;
    double total_percent; /* sum over all rows it stands for */
    /* Of a row, means; absent for a block. */
    double dram_gb_per_s, dram_percent, tflops, flops_percent;
    uint8_t bound; /* enum ts_bound; of the means where the rows differ */
};
struct ts_op_folding {
    struct ts_arena arena;
    struct ts_fold_item *items; /* in the order of the rows */
    uint32_t count;
    uint32_t blocks;
};
enum { TS_FOLD_DEPTH_MAX = 4 };

/* Rows are alike when their name with its shape, their fidelity, datatypes, cores and sub-device are; with by_device
 * their device too. Where repetitions could be cut in several ways, the run that covers most rows is taken, and of equal
 * ones that of the shortest block; a block is then folded in itself. The work is bounded whatever the rows hold. Errors:
 * TS_NO_MEMORY, TS_LIMIT, TS_CANCELLED. */
enum ts_status ts_op_folding_create(struct ts_context *context, const struct ts_perf_report *report, bool by_device,
                                    struct ts_op_folding **out, struct ts_error *error);
void ts_op_folding_destroy(struct ts_op_folding *folding); /* accepts NULL */

#endif
