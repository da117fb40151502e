/* Shapes of the operations that a roofline is modelled for: what they are called, compute and move. */
#ifndef TS_MODELS_OP_SHAPE_H
#define TS_MODELS_OP_SHAPE_H

#include "base/buf.h"
#include "formats/ops_csv.h"
#include "models/arch.h"

enum { TS_OPERAND_INPUT_0, TS_OPERAND_INPUT_1, TS_OPERAND_OUTPUT_0, TS_OPERANDS };
enum { TS_DIM_W, TS_DIM_Z, TS_DIM_Y, TS_DIM_X, TS_DIMS };

/* All that a shape and its figures depend on. Equal inputs have equal bytes: what is not used is 0. */
struct ts_op_shape_input {
    double dims[TS_OPERANDS][TS_DIMS];
    uint32_t datatypes[TS_OPERANDS], memories[TS_OPERANDS]; /* texts of the table */
    uint32_t code, attributes, fidelity;
    int32_t cores; /* -1: absent */
};

struct ts_op_shape {
    bool dram_sharded, sparse_unknown;
    int32_t cores;     /* of the input, or a DRAM-sharded matmul's */
    double flop;       /* of one call; absent when not derived */
    double dram_bytes; /* of one call; absent when not derived */
    double peak_flops; /* of the cores at the fidelity; absent when unknown */
};

/* Both append what the name has behind its op code: " 1024 x 64 x 32". active_experts 0: not given. */
struct ts_op_shape ts_op_shape_matmul(const struct ts_ops_csv *ops, const struct ts_op_shape_input *input, bool sparse,
                                      const struct ts_arch *arch, unsigned active_experts, struct ts_buf *name);
struct ts_op_shape ts_op_shape_conv(const struct ts_ops_csv *ops, const struct ts_op_shape_input *input,
                                    const struct ts_arch *arch, struct ts_buf *name);

#endif
