#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "base/number.h"
#include "support/perf_table.h"

/* One row with everything that names and figures depend on. */
struct op {
    const char *code, *type, *attributes, *fidelity, *cores;
    const char *dims[3][4];
    const char *datatypes[3], *memories[3];
};
#define DRAM "DEV_0_DRAM_INTERLEAVED"
#define L1 "DEV_0_L1_INTERLEAVED"
#define BF16 "BFLOAT16"

/* 1024 x 1024 x 1024, BF16, all in DRAM, 64 cores at HiFi4. */
static struct op matmul(const char *code)
{
    struct op op = {.code = code, .type = "tt_dnn_device", .attributes = "", .fidelity = "HiFi4", .cores = "64"};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++)
            op.dims[i][j] = j < 2 ? "1[1]" : "1024[1024]";
        op.datatypes[i] = BF16;
        op.memories[i] = DRAM;
    }
    return op;
}

static const struct ts_perf_source_options *source_options;

static struct ts_perf_source *source_of(const struct op *op)
{
    static const char *const tensors[] = {"INPUT_0", "INPUT_1", "OUTPUT_0"};
    static char csv[8192];
    size_t len = 0;

    len += (size_t)snprintf(csv, sizeof csv, "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT");
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++)
            len += (size_t)snprintf(csv + len, sizeof csv - len, ",%s_%c_PAD[LOGICAL]", tensors[i], "WZYX"[j]);
        len += (size_t)snprintf(csv + len, sizeof csv - len, ",%s_DATATYPE,%s_MEMORY", tensors[i], tensors[i]);
    }
    len += (size_t)snprintf(csv + len, sizeof csv - len, "\n%s,%s,0,%s,%s,%s", op->code, op->type, op->attributes,
                            op->fidelity, op->cores);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++)
            len += (size_t)snprintf(csv + len, sizeof csv - len, ",%s", op->dims[i][j]);
        len += (size_t)snprintf(csv + len, sizeof csv - len, ",%s,%s", op->datatypes[i], op->memories[i]);
    }
    assert_true(len < sizeof csv - 1);
    return perf_table_source(csv, source_options);
}

static bool same(double a, double b)
{
    return a == b || (a != a && b != b);
}

static void check(const struct op *op, const char *name, double flop, double dram_bytes)
{
    struct ts_perf_source *source = source_of(op);
    struct ts_str got = ts_perf_source_name(source, 0);

    if (!ts_str_is(got, name))
        fail_msg("\"%.*s\" is not \"%s\"", TS_STR_ARG(got), name);
    if (!same(source->facts[0].flop, flop))
        fail_msg("%s: flop is %.17g", name, source->facts[0].flop);
    if (!same(source->facts[0].dram_bytes, dram_bytes))
        fail_msg("%s: DRAM bytes are %.17g", name, source->facts[0].dram_bytes);
    ts_perf_source_release(source);
}

#define CUBE (1024.0 * 1024 * 1024)
#define SQUARE (1024.0 * 1024)

static void test_matmul(void **state)
{
    (void)state;
    struct op op = matmul("Matmul");
    check(&op, "Matmul 1024 x 1024 x 1024", CUBE * 2, SQUARE * 6);

    op.dims[0][0] = "2";
    op.dims[1][0] = "4[4]";
    op.dims[1][1] = "3[1]";
    op.dims[0][2] = "32[7]"; /* the padded size counts */
    check(&op, "Matmul b={12} x 32 x 1024 x 1024", 32.0 * SQUARE * 24, (2.0 * 32768 + 12 * SQUARE + SQUARE) * 2);

    op = matmul("\x01"
                "Mat\x1bmul\tx");
    check(&op, "Matmul\tx 1024 x 1024 x 1024", CUBE * 2, SQUARE * 6);
}

static void test_matmul_datatypes_and_memories(void **state)
{
    (void)state;
    struct op op = matmul("Matmul");
    op.datatypes[0] = "BFLOAT8_B";
    op.datatypes[1] = "BFLOAT4_B";
    op.datatypes[2] = "FLOAT32";
    check(&op, "Matmul 1024 x 1024 x 1024", CUBE * 2, SQUARE * 5.5);
    op.datatypes[0] = "BOOL"; /* no number in it: 4 bytes */
    check(&op, "Matmul 1024 x 1024 x 1024", CUBE * 2, SQUARE * 8.5);
    op.memories[1] = op.memories[2] = L1;
    check(&op, "Matmul 1024 x 1024 x 1024", CUBE * 2, SQUARE * 4);
    op.memories[0] = L1;
    check(&op, "Matmul 1024 x 1024 x 1024", CUBE * 2, 0);
}

static void test_what_is_missing_costs_its_own_figure(void **state)
{
    (void)state;
    struct op op = matmul("Matmul");
    op.memories[1] = "";
    check(&op, "Matmul 1024 x 1024 x 1024", CUBE * 2, TS_ABSENT);
    op.memories[1] = "NA";
    check(&op, "Matmul 1024 x 1024 x 1024", CUBE * 2, TS_ABSENT);
    op = matmul("Matmul");
    op.datatypes[2] = "None"; /* in DRAM: its size is not known */
    check(&op, "Matmul 1024 x 1024 x 1024", CUBE * 2, TS_ABSENT);
    op.memories[2] = L1;
    check(&op, "Matmul 1024 x 1024 x 1024", CUBE * 2, SQUARE * 4);
    op = matmul("Matmul");
    op.dims[2][3] = "abc";
    check(&op, "Matmul unknown shape", TS_ABSENT, TS_ABSENT);
    op.dims[2][3] = "0[0]";
    check(&op, "Matmul unknown shape", TS_ABSENT, TS_ABSENT);
}

static void check_cores(const struct op *op, int32_t cores, bool dram_sharded, double peak)
{
    struct ts_perf_source *source = source_of(op);

    assert_int_equal(source->facts[0].cores, cores);
    assert_int_equal(source->facts[0].dram_sharded, dram_sharded);
    assert_true(same(source->facts[0].peak_flops, peak));
    ts_perf_source_release(source);
}

static void test_cores_and_peak(void **state)
{
    (void)state;
    struct op op = matmul("Matmul");
    check_cores(&op, 64, false, (74.0 / 72 * 1e12) * 64);
    op.fidelity = "LoFi";
    op.cores = "8.0";
    check_cores(&op, 8, false, (262.0 / 72 * 1e12) * 8);
    op.fidelity = "";
    check_cores(&op, 8, false, TS_ABSENT);
    op.fidelity = "HiFi2";
    static const char *const unusable[] = {"", "0", "-1", "1.5", "1048577", "x"};
    for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
        op.cores = unusable[i];
        check_cores(&op, -1, false, TS_ABSENT);
    }
    op.cores = "1048576";
    check_cores(&op, 1048576, false, (148.0 / 72 * 1e12) * 1048576);
}

static void test_dram_sharded_matmuls_have_the_cores_of_the_architecture(void **state)
{
    (void)state;
    struct op op = matmul("Matmul");
    op.attributes = "{'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=2)'}";
    check_cores(&op, 12, true, (74.0 / 72 * 1e12) * 12);
    op.cores = "";
    check_cores(&op, 12, true, (74.0 / 72 * 1e12) * 12);
    op.code = "Conv2d"; /* only a matmul is */
    check_cores(&op, -1, false, TS_ABSENT);
    op.code = "Reshape";
    op.cores = "7";
    check_cores(&op, 7, false, TS_ABSENT);
}

static struct op sparse(const char *attributes)
{
    struct op op = matmul("SparseMatmul");
    op.dims[0][0] = "2";
    op.dims[0][1] = "2";
    op.dims[1][1] = "8";
    op.attributes = attributes;
    return op;
}

static void test_sparse_batches(void **state)
{
    (void)state;
    static const struct ts_perf_source_options experts = {.active_experts = 2};
    struct op op = sparse("");
    check(&op, "SparseMatmul active=?/32 x 1024 x 1024 x 1024", TS_ABSENT, TS_ABSENT);
    source_options = &experts;
    check(&op, "SparseMatmul active=8/32 x 1024 x 1024 x 1024", 8 * CUBE * 2, 8 * SQUARE * 6);
    op = sparse("{'is_input_a_sparse': 'true'; 'is_input_b_sparse': 'false'}");
    op.dims[0][0] = "2";
    check(&op, "SparseMatmul active=2/8 x 1024 x 1024 x 1024", 2 * CUBE * 2, 2 * SQUARE * 6);
    op = sparse("{'is_input_a_sparse': 'false'; 'is_input_b_sparse': 'false'}");
    check(&op, "SparseMatmul active=8/8 x 1024 x 1024 x 1024", 8 * CUBE * 2, 8 * SQUARE * 6);
    source_options = NULL;
    op = sparse("{'is_input_a_sparse': 'true'; 'nnz': '5'}");
    check(&op, "SparseMatmul active=5/8 x 1024 x 1024 x 1024", 5 * CUBE * 2, 5 * SQUARE * 6);
    op.memories[0] = L1;
    check(&op, "SparseMatmul active=5/8 x 1024 x 1024 x 1024", 5 * CUBE * 2, 5 * SQUARE * 4);
}

static void test_sparse_with_odd_counts(void **state)
{
    (void)state;
    struct op op = sparse("{'nnz': 'std::nullopt'}");
    struct ts_perf_source *source = source_of(&op);

    assert_true(source->facts[0].sparse);
    assert_true(source->facts[0].sparse_unknown);
    ts_perf_source_release(source);
    op = sparse("{'nnz': '0'}");
    check(&op, "SparseMatmul active=0/32 x 1024 x 1024 x 1024", 0, 0);
    op = sparse("{'nnz': '-3'}");
    check(&op, "SparseMatmul active=-3/32 x 1024 x 1024 x 1024", -3 * CUBE * 2, -3 * SQUARE * 6);
    op.dims[0][0] = "";
    check(&op, "SparseMatmul unknown shape", TS_ABSENT, TS_ABSENT);
    source = source_of(&op);
    assert_false(source->facts[0].sparse_unknown);
    ts_perf_source_release(source);
}

static void test_products_beyond_64_bits(void **state)
{
    (void)state;
    struct op op = matmul("Matmul");
    op.dims[0][2] = op.dims[0][3] = op.dims[1][3] = "4294967296";
    check(&op, "Matmul 4294967296 x 4294967296 x 4294967296", 0x1p97,
          (0x1p64 + 0x1p42 + 0x1p20) * 2); /* exact, then rounded once */
    op.dims[0][0] = op.dims[1][1] = "4294967296";
    check(&op, "Matmul b={18446744073709551616} x 4294967296 x 4294967296 x 4294967296", 0x1p161,
          (0x1p96 + 0x1p74 + 0x1p20) * 2);
    op.code = "SparseMatmul";
    op.attributes = "{'is_input_b_sparse': 'true'}";
    op.dims[0][1] = op.dims[1][0] = "4294967296"; /* 2^128 batches do not fit: saturated, not wrapped */
    check(&op, "SparseMatmul active=?/340282366920938463463374607431768211455 x 4294967296 x 4294967296 x 4294967296",
          TS_ABSENT, TS_ABSENT);
}

static void test_convolution(void **state)
{
    (void)state;
    struct op op = matmul("Conv2dDeviceOperation");
    op.dims[2][2] = "30720";
    op.dims[0][3] = "8";
    op.dims[1][3] = "64";
    op.attributes =
        "{'a': 'x(act_block_h_ntiles=4;per_core_out_matrix_height_ntile=48;enable_act_double_buffer=false)';"
        " 'enable_act_double_buffer': 'false'; 'window': 'window_hw=(7;7); stride_hw=(2;2)'}";
    check(&op, "Conv2dDeviceOperation 30720 x 392 x 64 [ABH=48|4 SR]", 30720.0 * 392 * 64 * 2, TS_ABSENT);
    op.code = "OptimizedConvNew";
    op.attributes = "";
    check(&op, "OptimizedConvNew unknown shape [ABH=x|x ADB SR]", TS_ABSENT, TS_ABSENT);
    op.attributes = "{'window': 'window_hw=(7;7); stride_hw=(2;2)'; 'enable_split_reader': 'false'}";
    check(&op, "OptimizedConvNew 30720 x 392 x 64 [ABH=x|x ADB]", 30720.0 * 392 * 64 * 2, TS_ABSENT);
    op.dims[1][3] = "";
    check(&op, "OptimizedConvNew unknown shape [ABH=x|x ADB]", TS_ABSENT, TS_ABSENT);
}

static void test_halo_changes_the_name_only(void **state)
{
    (void)state;
    struct op op = matmul("HaloDeviceOperation");
    check(&op, "HaloDeviceOperation w=x s=x p=x d=x | x", TS_ABSENT, TS_ABSENT);
    op.attributes = "{'c': 'window_hw=(7;7);stride_hw=(2;2);padding=((3; 3); (3; 3));dilation_hw=(1;1);x'; 'm': "
                    "'memory_layout=TensorMemoryLayout::HEIGHT_SHARDED; x'}";
    check(&op, "HaloDeviceOperation w=(7,7) s=(2,2) p=((3, 3), (3, 3)) d=(1,1) | HEIGHT_SHARDED", TS_ABSENT, TS_ABSENT);
    op.code = "HaloDeviceOperationMatmul"; /* a matmul is named as such */
    check(&op, "HaloDeviceOperationMatmul 1024 x 1024 x 1024", CUBE * 2, SQUARE * 6);
    op.code = "Conv2dHaloDeviceOperation";
    op.attributes = "";
    check(&op, "Conv2dHaloDeviceOperation unknown shape [ABH=x|x ADB SR]", TS_ABSENT, TS_ABSENT);
}

static void check_kind(const char *code, const char *type, enum ts_row_kind kind, enum ts_bound_analysis analysis,
                       enum ts_op_category category, const char *name)
{
    struct op op = matmul(code);
    op.type = type;
    struct ts_perf_source *source = source_of(&op);
    const struct ts_op_facts *facts = &source->facts[0];

    assert_int_equal(facts->kind, kind);
    assert_int_equal(facts->analysis, analysis);
    assert_int_equal(facts->category, category);
    assert_int_equal(ts_present(facts->flop), analysis == TS_ANALYSIS_FULL);
    if (!ts_str_is(ts_perf_source_name(source, 0), name))
        fail_msg("\"%.*s\" is not \"%s\"", TS_STR_ARG(ts_perf_source_name(source, 0)), name);
    ts_perf_source_release(source);
}

static void test_kinds_go_before_names(void **state)
{
    (void)state;
    check_kind("Matmul block", "signpost", TS_ROW_SIGNPOST, TS_ANALYSIS_NONE, TS_CATEGORY_NONE,
               "Matmul block (signpost)");
    check_kind("(torch) x", "my signposts", TS_ROW_SIGNPOST, TS_ANALYSIS_NONE, TS_CATEGORY_NONE,
               "(torch) x (signpost)");
    check_kind("", "signpost", TS_ROW_SIGNPOST, TS_ANALYSIS_NONE, TS_CATEGORY_NONE, "(signpost)");
    check_kind("(torch) Matmul", "python_fallback", TS_ROW_HOST, TS_ANALYSIS_NONE, TS_CATEGORY_HOST, "(torch) Matmul");
    check_kind("Conv2d (torch)", "tt_dnn_device", TS_ROW_HOST, TS_ANALYSIS_NONE, TS_CATEGORY_HOST, "Conv2d (torch)");
    check_kind("Matmul", "strange", TS_ROW_OTHER, TS_ANALYSIS_FULL, TS_CATEGORY_COMPUTE, "Matmul 1024 x 1024 x 1024");
    check_kind("Matmul", "", TS_ROW_OTHER, TS_ANALYSIS_NONE, TS_CATEGORY_COMPUTE, "Matmul 1024 x 1024 x 1024");
    check_kind("", "tt_dnn_device", TS_ROW_DEVICE, TS_ANALYSIS_NONE, TS_CATEGORY_OTHER, "");
    check_kind("None", "tt_dnn_device", TS_ROW_DEVICE, TS_ANALYSIS_NONE, TS_CATEGORY_OTHER, "");
}

static void test_matmul_goes_before_convolution(void **state)
{
    (void)state;
    struct op op = matmul("Conv2dMatmul");
    check(&op, "Conv2dMatmul 1024 x 1024 x 1024", CUBE * 2, SQUARE * 6);
}

static void test_collectives(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        bool collective;
    } cases[] = {{"AllGatherAsync", true},    {"RMSAllGather", true}, {"AllGatherMatmul", true},
                 {"xReduceScatterMin", true}, {"AllReduceX", true},   {"allgather", false},
                 {"AllBroadcast", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct op op = matmul(cases[i].code);
        struct ts_perf_source *source = source_of(&op);
        assert_int_equal(source->facts[0].collective, cases[i].collective);
        ts_perf_source_release(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_matmul_datatypes_and_memories),
        cmocka_unit_test(test_what_is_missing_costs_its_own_figure),
        cmocka_unit_test(test_cores_and_peak),
        cmocka_unit_test(test_dram_sharded_matmuls_have_the_cores_of_the_architecture),
        cmocka_unit_test(test_sparse_batches),
        cmocka_unit_test(test_sparse_with_odd_counts),
        cmocka_unit_test(test_products_beyond_64_bits),
        cmocka_unit_test(test_convolution),
        cmocka_unit_test(test_halo_changes_the_name_only),
        cmocka_unit_test(test_kinds_go_before_names),
        cmocka_unit_test(test_matmul_goes_before_convolution),
        cmocka_unit_test(test_collectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
