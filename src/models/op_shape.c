#include "models/op_shape.h"

#include <inttypes.h>

#include "base/number.h"

/* Products of dimensions are whole numbers, exact up to 128 bits and turned into a double once: so the last digit of
 * every figure is that of exact arithmetic. Products beyond (of no real shape) saturate or go on as doubles. */
typedef unsigned __int128 wide;

static wide wide_product(wide a, wide b)
{
    wide product;
    return __builtin_mul_overflow(a, b, &product) ? ~(wide)0 : product;
}

static wide wide_max(wide a, wide b)
{
    return a > b ? a : b;
}

static double product(const wide *factors, size_t count)
{
    wide exact = 1;
    double rounded = 1;
    bool fits = true;

    for (size_t i = 0; i < count; i++) {
        fits = fits && !__builtin_mul_overflow(exact, factors[i], &exact);
        rounded *= (double)factors[i];
    }
    return fits ? (double)exact : rounded;
}
#define PRODUCT(...) product((const wide[]){__VA_ARGS__}, sizeof((const wide[]){__VA_ARGS__}) / sizeof(wide))

static void add_wide(struct ts_buf *out, wide value)
{
    char digits[40];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value > 0);
    ts_buf_add(out, digits + at, sizeof digits - at);
}

static bool usable(double dimension)
{
    return dimension >= 1 && dimension <= 4294967296.0;
}

/* Bytes of an element as far as the datatype's name tells: its first number is in bits. */
static double element_size(struct ts_str datatype)
{
    size_t start = 0, end;
    double bits;

    while (start < datatype.len && (datatype.ptr[start] < '0' || datatype.ptr[start] > '9'))
        start++;
    for (end = start; end < datatype.len && datatype.ptr[end] >= '0' && datatype.ptr[end] <= '9';)
        end++;
    return ts_number_parse(ts_str_sub(datatype, start, end - start), &bits) ? bits / 8 : 4;
}

/* What is known of one operand's place: whether it moves through DRAM, and the size of its elements. */
struct operand {
    bool known, dram;
    double size; /* absent when the datatype is */
};

static struct operand operand_of(const struct ts_ops_csv *ops, const struct ts_op_shape_input *input, int which)
{
    struct ts_str memory = ts_intern_text(&ops->text, input->memories[which]);
    struct ts_str datatype = ts_intern_text(&ops->text, input->datatypes[which]);

    return (struct operand){
        .known = !ts_ops_cell_empty(memory),
        .dram = ts_str_contains(memory, TS_STR("DRAM")),
        .size = ts_ops_cell_empty(datatype) ? TS_ABSENT : element_size(datatype),
    };
}

/* The sum over the operands in DRAM of elements x size; absent when one of them is not known well enough. */
static double dram_bytes(const struct ts_ops_csv *ops, const struct ts_op_shape_input *input,
                         const double elements[TS_OPERANDS])
{
    double bytes = 0;

    for (int i = 0; i < TS_OPERANDS; i++) {
        struct operand operand = operand_of(ops, input, i);
        if (!operand.known)
            return TS_ABSENT;
        if (operand.dram)
            bytes += elements[i] * operand.size; /* absent stays absent */
    }
    return bytes;
}

static struct ts_op_shape new_shape(const struct ts_ops_csv *ops, const struct ts_op_shape_input *input,
                                    const struct ts_arch *arch, int32_t cores)
{
    double peak = ts_arch_peak(arch, ts_intern_text(&ops->text, input->fidelity));

    return (struct ts_op_shape){
        .cores = cores,
        .flop = TS_ABSENT,
        .dram_bytes = TS_ABSENT,
        .peak_flops = cores > 0 ? (peak * 1e12) * cores : TS_ABSENT,
    };
}

/* How many batches of a sparse matmul are computed, and out of how many. */
struct active {
    bool known;
    bool negative; /* as a capture may write it */
    wide batches;  /* without its sign */
    wide dense;
};

static struct active active_batches(const struct ts_op_attributes *attributes, wide batch_0, wide batch_1,
                                    unsigned active_experts)
{
    bool a = attributes->input_a_sparse, b = attributes->input_b_sparse;
    struct active active = {0};
    wide groups = batch_0;

    if (a && b) {
        groups = 1;
        active.dense = batch_1;
    } else if (a) {
        groups = wide_max(1, batch_0 / batch_1);
        active.dense = wide_product(groups, batch_1);
    } else {
        active.dense = b ? wide_product(groups, batch_1) : wide_max(batch_0, batch_1);
    }
    if (attributes->has_nnz) {
        active.known = true;
        active.negative = attributes->nnz < 0;
        active.batches = active.negative ? 0 - (wide)attributes->nnz : (wide)attributes->nnz;
    } else if (active_experts > 0) {
        active.known = true;
        active.batches = wide_product(active_experts, groups);
    }
    return active;
}

static void sparse_figures(const struct ts_ops_csv *ops, const struct ts_op_shape_input *input, struct active active,
                           wide m, wide k, wide n, struct ts_op_shape *shape, struct ts_buf *name)
{
    const double elements[TS_OPERANDS] = {PRODUCT(m, k), PRODUCT(k, n), PRODUCT(m, n)};
    double sign = active.negative ? -1 : 1;

    ts_buf_text(name, " active=");
    if (active.known) {
        ts_buf_text(name, active.negative ? "-" : "");
        add_wide(name, active.batches);
        shape->flop = sign * PRODUCT(m, k, n, active.batches, 2);
        shape->dram_bytes = sign * (double)active.batches * dram_bytes(ops, input, elements);
    } else {
        ts_buf_char(name, '?');
        shape->sparse_unknown = true;
    }
    ts_buf_char(name, '/');
    add_wide(name, active.dense);
}

struct ts_op_shape ts_op_shape_matmul(const struct ts_ops_csv *ops, const struct ts_op_shape_input *input, bool sparse,
                                      const struct ts_arch *arch, unsigned active_experts, struct ts_buf *name)
{
    const struct ts_op_attributes *attributes = &ops->attribute_sets[input->attributes];
    int32_t cores = attributes->dram_sharded ? (int32_t)arch->dram_sharded_cores : input->cores;
    struct ts_op_shape shape = new_shape(ops, input, arch, cores);
    wide dims[TS_OPERANDS][TS_DIMS];
    double elements[TS_OPERANDS];

    shape.dram_sharded = attributes->dram_sharded;
    for (int i = 0; i < TS_OPERANDS; i++) {
        for (int j = 0; j < TS_DIMS; j++) {
            if (!usable(input->dims[i][j])) {
                ts_buf_text(name, " unknown shape");
                return shape;
            }
            dims[i][j] = (wide)input->dims[i][j];
        }
        elements[i] = PRODUCT(dims[i][TS_DIM_W], dims[i][TS_DIM_Z], dims[i][TS_DIM_Y], dims[i][TS_DIM_X]);
    }

    const wide *in0 = dims[TS_OPERAND_INPUT_0], *in1 = dims[TS_OPERAND_INPUT_1];
    wide m = in0[TS_DIM_Y], k = in0[TS_DIM_X], n = in1[TS_DIM_X];
    if (sparse) {
        struct active active =
            active_batches(attributes, in0[TS_DIM_W] * in0[TS_DIM_Z], in1[TS_DIM_W] * in1[TS_DIM_Z], active_experts);
        sparse_figures(ops, input, active, m, k, n, &shape, name);
    } else {
        wide w = wide_max(in0[TS_DIM_W], in1[TS_DIM_W]), z = wide_max(in0[TS_DIM_Z], in1[TS_DIM_Z]);
        if (w * z > 1) {
            ts_buf_text(name, " b={");
            add_wide(name, w * z);
            ts_buf_char(name, '}');
            ts_buf_text(name, " x");
        }
        shape.flop = PRODUCT(m, k, n, w, z, 2);
        shape.dram_bytes = dram_bytes(ops, input, elements);
    }
    ts_buf_printf(name, "%s %" PRIu64 " x %" PRIu64 " x %" PRIu64, sparse ? " x" : "", (uint64_t)m, (uint64_t)k,
                  (uint64_t)n);
    return shape;
}

/* One number of a convolution's configuration, "x" where the capture has none. */
static void add_setting(struct ts_buf *out, int64_t value)
{
    if (value == INT64_MIN)
        ts_buf_char(out, 'x');
    else
        ts_buf_printf(out, "%" PRId64, value);
}

struct ts_op_shape ts_op_shape_conv(const struct ts_ops_csv *ops, const struct ts_op_shape_input *input,
                                    const struct ts_arch *arch, struct ts_buf *name)
{
    const struct ts_op_attributes *attributes = &ops->attribute_sets[input->attributes];
    struct ts_op_shape shape = new_shape(ops, input, arch, input->cores);
    const double needed[5] = {input->dims[TS_OPERAND_OUTPUT_0][TS_DIM_Y], input->dims[TS_OPERAND_INPUT_0][TS_DIM_X],
                              attributes->window_h, attributes->window_w, input->dims[TS_OPERAND_INPUT_1][TS_DIM_X]};
    wide factors[5];
    bool known = true;

    for (int i = 0; i < 5; i++) {
        known = known && usable(needed[i]);
        factors[i] = known ? (wide)needed[i] : 0;
    }
    if (known) {
        wide k = wide_product(wide_product(factors[1], factors[2]), factors[3]);
        ts_buf_printf(name, " %" PRIu64 " x ", (uint64_t)factors[0]);
        add_wide(name, k);
        ts_buf_printf(name, " x %" PRIu64, (uint64_t)factors[4]);
        shape.flop = PRODUCT(factors[0], k, factors[4], 2);
    } else {
        ts_buf_text(name, " unknown shape");
    }
    ts_buf_text(name, " [ABH=");
    add_setting(name, attributes->per_core_out_h);
    ts_buf_char(name, '|');
    add_setting(name, attributes->act_block_h);
    ts_buf_printf(name, "%s%s]", attributes->act_double_buffer ? " ADB" : "", attributes->split_reader ? " SR" : "");
    return shape;
}
