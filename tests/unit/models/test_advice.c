#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "models/advice.h"
#include "support/perf_table.h"

/* A matmul of 1024 x 1024 x 1024: 6.3 MB and 2.1 GFLOP in BF16. */
struct matmul {
    const char *code, *attributes, *fidelity, *cores, *duration;
    const char *datatype;
    const char *memory_0; /* of input 0 */
    const char *output;   /* datatype */
};
#define IN_DRAM "DEV_0_DRAM_INTERLEAVED"
#define SLOW "1000000"
#define CONFIG(w, h, sub_w)                                                                                            \
    "{'program_config': 'Config(in0_block_w=" w ";out_subblock_h=" h ";out_subblock_w=" sub_w ")'}"
#define SHARDED(w) "{'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(" w ")'}"

static struct matmul matmul(const char *duration, const char *attributes, const char *fidelity, const char *datatype)
{
    return (struct matmul){"Matmul", attributes, fidelity, "64", duration, datatype, IN_DRAM, datatype};
}

static struct ts_perf_report *report_of(const struct matmul *op)
{
    static char csv[4096];

    snprintf(csv, sizeof csv,
             "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT,DEVICE KERNEL DURATION [ns],"
             "INPUT_0_W,INPUT_0_Z,INPUT_0_Y,INPUT_0_X,INPUT_1_W,INPUT_1_Z,INPUT_1_Y,INPUT_1_X,"
             "OUTPUT_0_W,OUTPUT_0_Z,OUTPUT_0_Y,OUTPUT_0_X,INPUT_0_DATATYPE,INPUT_1_DATATYPE,OUTPUT_0_DATATYPE,"
             "INPUT_0_MEMORY,INPUT_1_MEMORY,OUTPUT_0_MEMORY\n"
             "%s,tt_dnn_device,0,%s,%s,%s,%s,1,1,1024,1024,1,1,1024,1024,1,1,1024,1024,%s,%s,%s,%s," IN_DRAM "," IN_DRAM
             "\n",
             op->code, op->attributes, op->fidelity, op->cores, op->duration, op->datatype, op->datatype, op->output,
             op->memory_0);
    return perf_table_report_of(csv, NULL);
}

/* Short codes of the row's advice with a blank between; every one has a sentence. */
static void check(const struct matmul *op, const char *expected)
{
    struct ts_perf_report *report = report_of(op);
    struct ts_advice advice[TS_ADVICE_MAX];
    struct ts_buf codes, sentence;

    ts_buf_init(&codes, 0);
    ts_buf_init(&sentence, 0);
    unsigned count = ts_advice_for(report, 0, advice);
    assert_true(count <= TS_ADVICE_MAX);
    for (unsigned i = 0; i < count; i++) {
        ts_buf_text(&codes, i > 0 ? " " : "");
        ts_advice_short_code(&advice[i], &codes);
        ts_buf_clear(&sentence);
        ts_advice_sentence(&advice[i], &sentence);
        assert_in_range(sentence.len, 20, 200);
    }
    assert_string_equal(ts_buf_view(&codes).ptr, expected);
    ts_buf_free(&codes);
    ts_buf_free(&sentence);
    ts_perf_report_destroy(report);
}

static void test_slow(void **state)
{
    (void)state;
    struct matmul op = matmul(SLOW, CONFIG("1", "1", "1"), "HiFi4", "BFLOAT16");
    check(&op, "input0_to_l1:" IN_DRAM " in0_block_w_small:1 out_subblock_small:1x1 fidelity:bf16_hifi4");
    op.attributes = CONFIG("8", "1", "2");
    check(&op, "input0_to_l1:" IN_DRAM " blocks_ok:8,1x2 fidelity:bf16_hifi4");
    op.memory_0 = "DEV_0_L1_HEIGHT_SHARDED";
    check(&op, "blocks_ok:8,1x2 fidelity:bf16_hifi4");
    op.attributes = "{'program_config': 'Config(in0_block_w=4)'}";
    check(&op, "no_out_subblock fidelity:bf16_hifi4");
    op.attributes = "{'program_config': 'Config(out_subblock_h=2;out_subblock_w=3)'}";
    check(&op, "no_in0_block_w fidelity:bf16_hifi4");
    op.attributes = "{'program_config': 'Config(out_subblock_h=2)'}";
    op.fidelity = "HiFi2";
    op.datatype = op.output = "BFLOAT8_B"; /* sufficient, without anything to say */
    check(&op, "no_in0_block_w no_out_subblock");
}

static void test_slow_without_a_config_ends_there(void **state)
{
    (void)state;
    struct matmul op = matmul(SLOW, "", "HiFi4", "UINT16");
    check(&op, "input0_to_l1:" IN_DRAM " no_program_config");
    op.attributes = "in0_block_w=1"; /* no program_config: not read */
    check(&op, "input0_to_l1:" IN_DRAM " no_program_config");
}

static void test_slow_with_odd_datatypes(void **state)
{
    (void)state;
    struct matmul op = matmul(SLOW, CONFIG("2", "2", "2"), "HiFi4", "INT32");
    check(&op, "input0_to_l1:" IN_DRAM " blocks_ok:2,2x2 fidelity:integer");
    op.datatype = "BFLOAT16";
    op.output = "FLOAT16";
    check(&op, "input0_to_l1:" IN_DRAM " blocks_ok:2,2x2 fidelity:unsupported:FLOAT16");
}

static void test_slow_dram_sharded(void **state)
{
    (void)state;
    struct matmul op = matmul(SLOW, SHARDED("in0_block_w=2"), "HiFi4", "BFLOAT8_B");
    check(&op, "input0_to_l1:" IN_DRAM " blocks_ok:2 fidelity:bfp8_hifi4");
    op.attributes = SHARDED("in0_block_w=1");
    check(&op, "input0_to_l1:" IN_DRAM " in0_block_w_small:1 fidelity:bfp8_hifi4");
    op.attributes = SHARDED("");
    check(&op, "input0_to_l1:" IN_DRAM " no_in0_block_w fidelity:bfp8_hifi4");
}

static void test_dram_bound(void **state)
{
    (void)state;
    struct matmul op = matmul("16000", "", "HiFi4", "BFLOAT8_B"); /* 3.1 MB in 16 us; FLOPs over the peak: BOTH */
    check(&op, "use_dram_sharded_config fidelity:bfp8_hifi4");
    op = matmul("33000", "", "HiFi2", "BFLOAT16"); /* BF16 wants HiFi4, but FLOPs are at 49 % */
    check(&op, "use_dram_sharded_config");
    op.fidelity = "LoFi"; /* at 28 % there is room */
    check(&op, "use_dram_sharded_config fidelity:bf16_lofi");
    op.attributes = SHARDED("in0_block_w=2"); /* 12 cores are at 149 % */
    check(&op, "");
    op = matmul("20000", "'nnz': '1'", "LoFi", "BFLOAT16");
    op.code = "SparseMatmul";
    check(&op, "");
}

static void test_flop_bound(void **state)
{
    (void)state;
    struct matmul op = matmul("100000", "", "HiFi4", "BFLOAT16");
    op.cores = "20";
    check(&op, "grow_grid:20/64");
    op.datatype = op.output = "BFLOAT8_B";
    check(&op, "grow_grid:20/64 fidelity:bfp8_hifi4");
    op.attributes = SHARDED("");
    check(&op, "fidelity:bfp8_hifi4");
    op = matmul("50000", "", "HiFi4", "BFLOAT16");
    check(&op, "");
}

static void test_sparse_without_a_count(void **state)
{
    (void)state;
    struct matmul op = matmul(SLOW, CONFIG("1", "1", "1"), "HiFi4", "BFLOAT16");
    op.code = "SparseMatmul";
    check(&op, "sparse_active_unknown");
}

static void test_no_bound_no_advice(void **state)
{
    (void)state;
    struct matmul op = matmul("", "", "HiFi4", "BFLOAT16");
    check(&op, "");
    op = matmul(SLOW, "", "", "BFLOAT16"); /* no fidelity, no peak, no bound */
    check(&op, "");
    op = matmul(SLOW, "", "HiFi4", "BFLOAT16");
    op.code = "Conv2d";
    check(&op, "");
    op.code = "Reshape";
    check(&op, "");
}

static void test_sentences_carry_the_figures(void **state)
{
    (void)state;
    static const struct {
        struct ts_advice advice;
        const char *parts[3];
    } cases[] = {
        {{.code = TS_ADVICE_GROW_GRID, .a = 20, .b = 64}, {"20 of 64 cores", "grid"}},
        {{.code = TS_ADVICE_INPUT0_TO_L1, .text = {"DEV_0_DRAM", 10}}, {"input 0", "DEV_0_DRAM"}},
        {{.code = TS_ADVICE_IN0_BLOCK_W_SMALL, .a = 1}, {"in0_block_w", "1"}},
        {{.code = TS_ADVICE_OUT_SUBBLOCK_SMALL, .a = 1, .b = 1}, {"1x1", "out_subblock_h"}},
        {{.code = TS_ADVICE_BLOCKS_OK, .a = 8, .b = 2, .c = 3}, {"in0_block_w 8", "2x3"}},
        {{.code = TS_ADVICE_BLOCKS_OK, .a = 8, .b = -1, .c = -1}, {"in0_block_w 8"}},
        {{.code = TS_ADVICE_FIDELITY, .fidelity = TS_FIDELITY_UNSUPPORTED, .text = {"FLOAT16", 7}}, {"FLOAT16"}},
        {{.code = TS_ADVICE_FIDELITY, .fidelity = TS_FIDELITY_BFP8_HIFI4}, {"HiFi2", "HiFi4", "BFP8"}},
        {{.code = TS_ADVICE_USE_DRAM_SHARDED_CONFIG}, {"MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"}},
    };
    struct ts_buf sentence;

    ts_buf_init(&sentence, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ts_buf_clear(&sentence);
        ts_advice_sentence(&cases[i].advice, &sentence);
        for (int j = 0; j < 3 && cases[i].parts[j]; j++) {
            if (!strstr(ts_buf_view(&sentence).ptr, cases[i].parts[j]))
                fail_msg("\"%s\" is not in: %s", cases[i].parts[j], ts_buf_view(&sentence).ptr);
        }
    }
    ts_buf_free(&sentence);
}

static void test_every_fidelity_piece_has_its_own_text(void **state)
{
    (void)state;
    struct ts_buf texts[TS_FIDELITY_UNSUPPORTED + 1];

    for (int i = TS_FIDELITY_BF16_HIFI4; i <= TS_FIDELITY_UNSUPPORTED; i++) {
        struct ts_advice advice = {.code = TS_ADVICE_FIDELITY, .fidelity = (enum ts_fidelity_advice)i, .text = {"", 0}};
        ts_buf_init(&texts[i], 0);
        ts_advice_short_code(&advice, &texts[i]);
        ts_buf_text(&texts[i], " ");
        ts_advice_sentence(&advice, &texts[i]);
        assert_in_range(texts[i].len, 40, 200);
        for (int j = TS_FIDELITY_BF16_HIFI4; j < i; j++)
            assert_string_not_equal(texts[i].ptr, texts[j].ptr);
    }
    for (int i = TS_FIDELITY_BF16_HIFI4; i <= TS_FIDELITY_UNSUPPORTED; i++)
        ts_buf_free(&texts[i]);
}

/* Whoever reads a sentence knows which setting to change and what that is expected to win. */
static void test_sentences_name_the_setting_and_the_win(void **state)
{
    (void)state;
#define ADVICE(name)                                                                                                   \
    {                                                                                                                  \
        .code = TS_ADVICE_##name, .a = 1, .b = 1, .c = 1, .text = { "DEV_0_DRAM", 10 }                                 \
    }
#define FIDELITY(name)                                                                                                 \
    {                                                                                                                  \
        .code = TS_ADVICE_FIDELITY, .fidelity = TS_FIDELITY_##name, .text = { "", 0 }                                  \
    }
    static const struct {
        struct ts_advice advice;
        const char *setting, *win;
    } cases[] = {
        {ADVICE(USE_DRAM_SHARDED_CONFIG), "program_config", "closer to the DRAM bandwidth"},
        {ADVICE(GROW_GRID), "core grid of the program_config", "time falls"},
        {ADVICE(INPUT0_TO_L1), "memory_config", "wait less for DRAM"},
        {ADVICE(NO_PROGRAM_CONFIG), "program_config", "data is reused"},
        {ADVICE(NO_IN0_BLOCK_W), "in0_block_w", "feeds more work"},
        {ADVICE(IN0_BLOCK_W_SMALL), "in0_block_w", "feeds more work"},
        {ADVICE(NO_OUT_SUBBLOCK), "out_subblock_h and out_subblock_w", "stalls less"},
        {ADVICE(OUT_SUBBLOCK_SMALL), "out_subblock_h x out_subblock_w", "stalls less"},
        {FIDELITY(BF16_HIFI4), "math_fidelity HiFi2", "twice the rate"},
        {FIDELITY(BF16_BELOW_HIFI4), "math_fidelity to HiFi4", "wins the accuracy"},
        {FIDELITY(BF16_LOFI), "math_fidelity to HiFi2 or HiFi4", "wins back accuracy"},
        {FIDELITY(BF16_BFP4OUT_HIFI4), "math_fidelity to HiFi2", "twice that of HiFi4"},
        {FIDELITY(BF16_BFP4OUT_HIFI3), "math_fidelity to HiFi2", "faster"},
        {FIDELITY(BFP4OUT_HIFI2), "math_fidelity LoFi", "twice the rate"},
        {FIDELITY(BF16_BFP4OUT_LOFI), "math_fidelity HiFi2", "more accurate"},
        {FIDELITY(BFP8_HIFI4), "math_fidelity to HiFi2", "twice the rate"},
        {FIDELITY(BFP8_HIFI3), "math_fidelity to HiFi2", "faster"},
        {FIDELITY(BFP8_LOFI), "math_fidelity to HiFi2", "wins back"},
        {FIDELITY(BFP8_BFP4OUT_LOFI), "math_fidelity HiFi2", "more accurate"},
        {FIDELITY(BFP4_ABOVE_LOFI), "math_fidelity to LoFi", "faster"},
        /* Nothing to change: these say why. */
        {ADVICE(SPARSE_ACTIVE_UNKNOWN), "nnz", "left out"},
        {ADVICE(BLOCKS_OK), "in0_block_w", "large enough"},
        {FIDELITY(INTEGER), "fidelity", "integer"},
        {FIDELITY(UNSUPPORTED), "fidelity", "not judged"},
    };
#undef ADVICE
#undef FIDELITY
    struct ts_buf sentence;

    ts_buf_init(&sentence, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ts_buf_clear(&sentence);
        ts_advice_sentence(&cases[i].advice, &sentence);
        if (!strstr(sentence.ptr, cases[i].setting) || !strstr(sentence.ptr, cases[i].win))
            fail_msg("\"%s\" or \"%s\" is not in: %s", cases[i].setting, cases[i].win, sentence.ptr);
    }
    ts_buf_free(&sentence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_slow_without_a_config_ends_there),
        cmocka_unit_test(test_slow_with_odd_datatypes),
        cmocka_unit_test(test_slow_dram_sharded),
        cmocka_unit_test(test_dram_bound),
        cmocka_unit_test(test_flop_bound),
        cmocka_unit_test(test_sparse_without_a_count),
        cmocka_unit_test(test_no_bound_no_advice),
        cmocka_unit_test(test_sentences_carry_the_figures),
        cmocka_unit_test(test_sentences_name_the_setting_and_the_win),
        cmocka_unit_test(test_every_fidelity_piece_has_its_own_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
