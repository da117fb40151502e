/* The ATTRIBUTES cell of an operations CSV: what the performance report takes from its text. */
#ifndef TS_FORMATS_OP_ATTRIBUTES_H
#define TS_FORMATS_OP_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/str.h"

enum { TS_ATTRIBUTE_ABSENT = INT32_MIN };

struct ts_op_attributes {
    bool dram_sharded;      /* names MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig */
    bool input_a_sparse;    /* is_input_a_sparse, default false */
    bool input_b_sparse;    /* is_input_b_sparse, default true */
    bool act_double_buffer; /* the convolution prints ADB: absent, or exactly true */
    bool split_reader;      /* the same for SR */
    int64_t nnz;            /* -1: absent or not an integer; see has_nnz */
    bool has_nnz;
    int32_t in0_block_w, out_subblock_h, out_subblock_w; /* only with a program_config; else TS_ATTRIBUTE_ABSENT */
    int64_t act_block_h, per_core_out_h;                 /* of a convolution; INT64_MIN when absent or not an integer */
    double window_h, window_w;                           /* of a convolution; NaN when not usable */
    uint32_t halo; /* interned "w=(7,7) s=(2,2) p=((3, 3), (3, 3)) d=(1,1) | HEIGHT_SHARDED"; 0 for no text */
};

/* Parse a cell. Only what kind calls for is looked for. Texts go into
 * intern. Errors: false when memory is out. */
enum ts_op_attributes_kind { TS_ATTRIBUTES_PLAIN, TS_ATTRIBUTES_MATMUL, TS_ATTRIBUTES_CONV, TS_ATTRIBUTES_HALO };
bool ts_op_attributes_parse(struct ts_str cell, enum ts_op_attributes_kind kind, struct ts_intern *intern,
                            struct ts_op_attributes *out);
/* The halo text of a cell alone, for an operation of another kind that is displayed as a halo: sets out->halo, nothing
 * else. False when memory is out. */
bool ts_op_attributes_parse_halo(struct ts_str cell, struct ts_intern *intern, struct ts_op_attributes *out);
/* Whether the op code is displayed as a halo. */
bool ts_op_attributes_is_halo(struct ts_str op_code);
/* By the op code: contains Matmul; else OptimizedConvNew or Conv2d; else HaloDeviceOperation; else plain. (A code that
 * holds both Matmul and Halo is a matmul that is displayed as a halo: kind MATMUL, and halo is parsed too.) */
enum ts_op_attributes_kind ts_op_attributes_kind(struct ts_str op_code);

#endif
