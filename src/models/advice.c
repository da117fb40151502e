#include "models/advice.h"

#include <inttypes.h>

#define FLOPS_LEFT_PERCENT 40.0 /* below this a DRAM-bound matmul can afford a higher fidelity */

/* The pieces found so far. */
struct pieces {
    struct ts_advice *out;
    unsigned count;
};

static void add(struct pieces *pieces, enum ts_advice_code code, int64_t a, int64_t b, int64_t c)
{
    pieces->out[pieces->count++] = (struct ts_advice){.code = code, .a = a, .b = b, .c = c, .text = {"", 0}};
}

static void add_fidelity(struct pieces *pieces, const struct ts_fidelity *fidelity)
{
    if (fidelity->advice == TS_FIDELITY_NO_ADVICE)
        return;
    add(pieces, TS_ADVICE_FIDELITY, -1, -1, -1);
    pieces->out[pieces->count - 1].fidelity = fidelity->advice;
    pieces->out[pieces->count - 1].text = fidelity->unsupported;
}

static struct ts_str cell(const struct ts_ops_csv *ops, enum ts_ops_column column, uint32_t row)
{
    struct ts_str text = ts_ops_text(ops, column, row);
    return ts_ops_cell_empty(text) ? (struct ts_str){"", 0} : text;
}

static void advise_blocks(struct pieces *pieces, const struct ts_op_attributes *attributes, bool dram_sharded)
{
    int64_t width = attributes->in0_block_w, h = attributes->out_subblock_h, w = attributes->out_subblock_w;
    unsigned before = pieces->count;

    if (width == TS_ATTRIBUTE_ABSENT)
        add(pieces, TS_ADVICE_NO_IN0_BLOCK_W, -1, -1, -1);
    else if (width < 2)
        add(pieces, TS_ADVICE_IN0_BLOCK_W_SMALL, width, -1, -1);
    if (!dram_sharded) {
        if (h == TS_ATTRIBUTE_ABSENT || w == TS_ATTRIBUTE_ABSENT)
            add(pieces, TS_ADVICE_NO_OUT_SUBBLOCK, -1, -1, -1);
        else if (h * w < 2)
            add(pieces, TS_ADVICE_OUT_SUBBLOCK_SMALL, h, w, -1);
    }
    if (pieces->count == before)
        add(pieces, TS_ADVICE_BLOCKS_OK, width, dram_sharded ? -1 : h, dram_sharded ? -1 : w);
}

static void advise_slow(struct pieces *pieces, const struct ts_ops_csv *ops, uint32_t row,
                        const struct ts_op_facts *facts, const struct ts_fidelity *fidelity)
{
    const struct ts_op_attributes *attributes = ts_ops_attributes(ops, row);
    struct ts_str memory = cell(ops, TS_OPS_INPUT_0_MEMORY, row);

    if (memory.len > 0 && !ts_str_contains(memory, TS_STR("L1"))) {
        add(pieces, TS_ADVICE_INPUT0_TO_L1, -1, -1, -1);
        pieces->out[pieces->count - 1].text = memory;
    }
    if (!facts->dram_sharded && attributes->in0_block_w == TS_ATTRIBUTE_ABSENT &&
        attributes->out_subblock_h == TS_ATTRIBUTE_ABSENT && attributes->out_subblock_w == TS_ATTRIBUTE_ABSENT) {
        add(pieces, TS_ADVICE_NO_PROGRAM_CONFIG, -1, -1, -1);
        return;
    }
    advise_blocks(pieces, attributes, facts->dram_sharded);
    add_fidelity(pieces, fidelity);
}

struct ts_fidelity ts_advice_fidelity(const struct ts_perf_report *report, uint32_t index)
{
    const struct ts_ops_csv *ops = report->source->ops;
    uint32_t row = report->rows[index].source;
    return ts_fidelity_judge(cell(ops, TS_OPS_INPUT_0_DATATYPE, row), cell(ops, TS_OPS_INPUT_1_DATATYPE, row),
                             cell(ops, TS_OPS_OUTPUT_0_DATATYPE, row), cell(ops, TS_OPS_MATH_FIDELITY, row));
}

unsigned ts_advice_for(const struct ts_perf_report *report, uint32_t index, struct ts_advice out[TS_ADVICE_MAX])
{
    const struct ts_ops_csv *ops = report->source->ops;
    const struct ts_op_facts *facts = ts_perf_row_facts(report, index);
    const struct ts_perf_row *row = &report->rows[index];
    struct pieces pieces = {out, 0};

    if (facts->analysis != TS_ANALYSIS_FULL)
        return 0;
    if (facts->sparse_unknown) {
        add(&pieces, TS_ADVICE_SPARSE_ACTIVE_UNKNOWN, -1, -1, -1);
        return pieces.count;
    }
    struct ts_fidelity fidelity = ts_advice_fidelity(report, index);
    bool too_high = fidelity.verdict == TS_FIDELITY_TOO_HIGH;
    bool too_low = fidelity.verdict == TS_FIDELITY_TOO_LOW;

    if (row->bound == TS_BOUND_DRAM || row->bound == TS_BOUND_BOTH) {
        if (!facts->dram_sharded && !facts->sparse)
            add(&pieces, TS_ADVICE_USE_DRAM_SHARDED_CONFIG, -1, -1, -1);
        if (too_high || (too_low && row->flops_percent < FLOPS_LEFT_PERCENT))
            add_fidelity(&pieces, &fidelity);
    } else if (row->bound == TS_BOUND_FLOP) {
        if (!facts->dram_sharded && facts->cores > 0 && facts->cores < facts->available_cores)
            add(&pieces, TS_ADVICE_GROW_GRID, facts->cores, facts->available_cores, -1);
        if (too_high)
            add_fidelity(&pieces, &fidelity);
    } else if (row->bound == TS_BOUND_SLOW) {
        advise_slow(&pieces, ops, row->source, facts, &fidelity);
    }
    return pieces.count;
}

/* Code and sentence of each judgement on fidelity. */
static const struct {
    const char *code, *sentence;
} fidelity_texts[] = {
#define SAYS(advice, code, sentence) [TS_FIDELITY_##advice] = {code, sentence}
    SAYS(NO_ADVICE, "", ""),
    SAYS(BF16_HIFI4, "bf16_hifi4",
         "Try math_fidelity HiFi2: it gives up only the lowest bit of BF16 activations and computes at twice the rate "
         "of HiFi4"),
    SAYS(
        BF16_BELOW_HIFI4, "bf16_below_hifi4",
        "Where FLOPs do not limit this matmul raise math_fidelity to HiFi4: it wins the accuracy that BF16 activations "
        "hold, at little cost in time"),
    SAYS(BF16_LOFI, "bf16_lofi",
         "Raise math_fidelity to HiFi2 or HiFi4: it wins back accuracy that LoFi costs BF16 activations"),
    SAYS(
        BF16_BFP4OUT_HIFI4, "bf16_bfp4out_hifi4",
        "Lower math_fidelity to HiFi2: a BFP4 output hardly shows the difference, and the rate is twice that of HiFi4"),
    SAYS(BF16_BFP4OUT_HIFI3, "bf16_bfp4out_hifi3",
         "Lower math_fidelity to HiFi2: a BFP4 output hardly shows the difference, and it is faster than HiFi3"),
    SAYS(BFP4OUT_HIFI2, "bfp4out_hifi2",
         "Try math_fidelity LoFi: a BFP4 output may not need more, at nearly twice the rate of HiFi2"),
    SAYS(BF16_BFP4OUT_LOFI, "bf16_bfp4out_lofi",
         "Compare with math_fidelity HiFi2: it may be more accurate where a large matmul accumulates many intermediate "
         "results"),
    SAYS(BFP8_HIFI4, "bfp8_hifi4",
         "Lower math_fidelity to HiFi2: it multiplies BFP8 in full, at twice the rate of HiFi4"),
    SAYS(BFP8_HIFI3, "bfp8_hifi3", "Lower math_fidelity to HiFi2: it multiplies BFP8 in full and is faster than HiFi3"),
    SAYS(BFP8_LOFI, "bfp8_lofi",
         "Raise math_fidelity to HiFi2: it wins back the two lowest bits of the weights, which LoFi drops"),
    SAYS(BFP8_BFP4OUT_LOFI, "bfp8_bfp4out_lofi",
         "Compare with math_fidelity HiFi2: it may be slightly more accurate where a large matmul accumulates many "
         "intermediate results"),
    SAYS(BFP4_ABOVE_LOFI, "bfp4_above_lofi",
         "Lower math_fidelity to LoFi: BFP4 weights need no more, and it is much faster"),
    SAYS(INTEGER, "integer", "Math fidelity is not judged: it does not apply to integer datatypes"),
    SAYS(UNSUPPORTED, "unsupported", "Math fidelity is not judged for datatype "),
#undef SAYS
};

void ts_advice_sentence(const struct ts_advice *advice, struct ts_buf *out)
{
    switch (advice->code) {
    case TS_ADVICE_SPARSE_ACTIVE_UNKNOWN:
        ts_buf_text(out, "DRAM and FLOPs figures are left out: the capture does not say how many batches were active "
                         "(nnz)");
        break;
    case TS_ADVICE_USE_DRAM_SHARDED_CONFIG:
        ts_buf_text(out, "Shard the weights over DRAM and set program_config to "
                         "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig: it comes closer to the DRAM bandwidth "
                         "that limits this matmul");
        break;
    case TS_ADVICE_GROW_GRID:
        ts_buf_printf(out,
                      "Widen the core grid of the program_config: %" PRId64 " of %" PRId64
                      " cores are used and FLOPs are the limit, so time falls about in proportion",
                      advice->a, advice->b);
        break;
    case TS_ADVICE_INPUT0_TO_L1:
        ts_buf_text(out, "Move input 0 to L1 (memory_config) if it fits, so that cores wait less for DRAM: it is read "
                         "from ");
        ts_buf_str(out, advice->text);
        break;
    case TS_ADVICE_NO_PROGRAM_CONFIG:
        ts_buf_text(out,
                    "Give a program_config: none is recorded, and its in0_block_w and out_subblock_h x out_subblock_w "
                    "decide how often data is reused once it is in L1");
        break;
    case TS_ADVICE_NO_IN0_BLOCK_W:
        ts_buf_text(out, "Set in0_block_w in the program_config: none is recorded; with 2 or more tiles each transfer "
                         "feeds more work");
        break;
    case TS_ADVICE_IN0_BLOCK_W_SMALL:
        ts_buf_printf(out,
                      "Raise in0_block_w from %" PRId64 " to 2 or more tiles, so that each transfer feeds more work",
                      advice->a);
        break;
    case TS_ADVICE_NO_OUT_SUBBLOCK:
        ts_buf_text(
            out, "Set out_subblock_h and out_subblock_w in the program_config: they are not recorded; with 2 tiles or "
                 "more together the matrix unit stalls less");
        break;
    case TS_ADVICE_OUT_SUBBLOCK_SMALL:
        ts_buf_printf(out,
                      "Enlarge the output subblock from %" PRId64 "x%" PRId64
                      " to 2 tiles or more (out_subblock_h x out_subblock_w): the matrix unit then stalls less",
                      advice->a, advice->b);
        break;
    case TS_ADVICE_BLOCKS_OK:
        ts_buf_printf(out, "in0_block_w %" PRId64, advice->a);
        if (advice->b >= 0)
            ts_buf_printf(out, " and output subblock %" PRId64 "x%" PRId64, advice->b, advice->c);
        ts_buf_printf(out, " %s large enough: look elsewhere for the time", advice->b >= 0 ? "are" : "is");
        break;
    case TS_ADVICE_FIDELITY:
        ts_buf_text(out, fidelity_texts[advice->fidelity].sentence);
        if (advice->fidelity == TS_FIDELITY_UNSUPPORTED)
            ts_buf_str(out, advice->text.len > 0 ? advice->text : TS_STR("that is not recorded"));
        break;
    }
}

void ts_advice_short_code(const struct ts_advice *advice, struct ts_buf *out)
{
    static const char *const codes[] = {
        [TS_ADVICE_SPARSE_ACTIVE_UNKNOWN] = "sparse_active_unknown",
        [TS_ADVICE_USE_DRAM_SHARDED_CONFIG] = "use_dram_sharded_config",
        [TS_ADVICE_GROW_GRID] = "grow_grid:",
        [TS_ADVICE_INPUT0_TO_L1] = "input0_to_l1:",
        [TS_ADVICE_NO_PROGRAM_CONFIG] = "no_program_config",
        [TS_ADVICE_NO_IN0_BLOCK_W] = "no_in0_block_w",
        [TS_ADVICE_IN0_BLOCK_W_SMALL] = "in0_block_w_small:",
        [TS_ADVICE_NO_OUT_SUBBLOCK] = "no_out_subblock",
        [TS_ADVICE_OUT_SUBBLOCK_SMALL] = "out_subblock_small:",
        [TS_ADVICE_BLOCKS_OK] = "blocks_ok:",
        [TS_ADVICE_FIDELITY] = "fidelity:",
    };

    ts_buf_text(out, codes[advice->code]);
    if (advice->code == TS_ADVICE_GROW_GRID) {
        ts_buf_printf(out, "%" PRId64 "/%" PRId64, advice->a, advice->b);
    } else if (advice->code == TS_ADVICE_INPUT0_TO_L1) {
        ts_buf_str(out, advice->text);
    } else if (advice->code == TS_ADVICE_IN0_BLOCK_W_SMALL) {
        ts_buf_printf(out, "%" PRId64, advice->a);
    } else if (advice->code == TS_ADVICE_OUT_SUBBLOCK_SMALL) {
        ts_buf_printf(out, "%" PRId64 "x%" PRId64, advice->a, advice->b);
    } else if (advice->code == TS_ADVICE_BLOCKS_OK) {
        ts_buf_printf(out, "%" PRId64, advice->a);
        if (advice->b >= 0)
            ts_buf_printf(out, ",%" PRId64 "x%" PRId64, advice->b, advice->c);
    } else if (advice->code == TS_ADVICE_FIDELITY) {
        ts_buf_text(out, fidelity_texts[advice->fidelity].code);
        if (advice->fidelity == TS_FIDELITY_UNSUPPORTED) {
            ts_buf_char(out, ':');
            ts_buf_str(out, advice->text.len > 0 ? advice->text : TS_STR("nan"));
        }
    }
}
