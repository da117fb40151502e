#include "formats/op_attributes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

static struct ts_arena arena;
static struct ts_intern intern;

static int set_up(void **state)
{
    (void)state;
    ts_arena_init(&arena, 0);
    return ts_intern_init(&intern, &arena, NULL) == TS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ts_intern_free(&intern);
    ts_arena_free(&arena);
    return 0;
}

static struct ts_op_attributes parse(enum ts_op_attributes_kind kind, const char *cell)
{
    struct ts_op_attributes found;
    assert_true(ts_op_attributes_parse(ts_str_from(cell), kind, &intern, &found));
    return found;
}

static void expect_halo(const char *cell, const char *wanted)
{
    struct ts_op_attributes found = parse(TS_ATTRIBUTES_HALO, cell);
    struct ts_str text = ts_intern_text(&intern, found.halo);
    assert_string_equal(text.ptr, wanted);
    struct ts_op_attributes alone = {.nnz = 5, .halo = 77};
    assert_true(ts_op_attributes_parse_halo(ts_str_from(cell), &intern, &alone));
    assert_int_equal(alone.halo, found.halo);
    assert_int_equal(alone.nnz, 5);
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        enum ts_op_attributes_kind kind;
        bool halo;
    } cases[] = {
        {"Matmul", TS_ATTRIBUTES_MATMUL, false},
        {"SparseMatmulDeviceOperation", TS_ATTRIBUTES_MATMUL, false},
        {"MatmulConv2dHaloDeviceOperation", TS_ATTRIBUTES_MATMUL, true},
        {"OptimizedConvNew", TS_ATTRIBUTES_CONV, false},
        {"Conv2dDeviceOperation", TS_ATTRIBUTES_CONV, false},
        {"Conv2dHaloDeviceOperation", TS_ATTRIBUTES_CONV, true},
        {"HaloDeviceOperation", TS_ATTRIBUTES_HALO, true},
        {"Halo", TS_ATTRIBUTES_PLAIN, false},
        {"matmul", TS_ATTRIBUTES_PLAIN, false},
        {"conv2d", TS_ATTRIBUTES_PLAIN, false},
        {"", TS_ATTRIBUTES_PLAIN, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(ts_op_attributes_kind(ts_str_from(cases[i].code)), cases[i].kind);
        assert_int_equal(ts_op_attributes_is_halo(ts_str_from(cases[i].code)), cases[i].halo);
    }
}

static void test_absent_attributes(void **state)
{
    (void)state;
    static const enum ts_op_attributes_kind kinds[] = {TS_ATTRIBUTES_PLAIN, TS_ATTRIBUTES_MATMUL, TS_ATTRIBUTES_CONV};
    for (size_t i = 0; i < 3; i++) {
        struct ts_op_attributes a = parse(kinds[i], "");
        assert_false(a.dram_sharded);
        assert_false(a.input_a_sparse);
        assert_true(a.input_b_sparse);
        assert_true(a.act_double_buffer);
        assert_true(a.split_reader);
        assert_false(a.has_nnz);
        assert_int_equal(a.nnz, -1);
        assert_int_equal(a.in0_block_w, TS_ATTRIBUTE_ABSENT);
        assert_int_equal(a.out_subblock_h, TS_ATTRIBUTE_ABSENT);
        assert_int_equal(a.out_subblock_w, TS_ATTRIBUTE_ABSENT);
        assert_true(a.act_block_h == INT64_MIN);
        assert_true(a.per_core_out_h == INT64_MIN);
        assert_true(isnan(a.window_h));
        assert_true(isnan(a.window_w));
        assert_int_equal(a.halo, 0);
    }
    expect_halo("", "w=x s=x p=x d=x | x");
}

static void expect_blocks(const char *cell, int32_t width, int32_t h, int32_t w)
{
    static const enum ts_op_attributes_kind kinds[] = {TS_ATTRIBUTES_PLAIN, TS_ATTRIBUTES_MATMUL, TS_ATTRIBUTES_CONV,
                                                       TS_ATTRIBUTES_HALO};
    for (size_t i = 0; i < 4; i++) {
        struct ts_op_attributes a = parse(kinds[i], cell);
        assert_int_equal(a.in0_block_w, width);
        assert_int_equal(a.out_subblock_h, h);
        assert_int_equal(a.out_subblock_w, w);
    }
}

static void test_block_sizes(void **state)
{
    (void)state;
    enum { NONE = TS_ATTRIBUTE_ABSENT };
    expect_blocks("'program_config': 'C(in0_block_w=2;out_subblock_h=1;out_subblock_w=4)'", 2, 1, 4);
    expect_blocks("in0_block_w=2;out_subblock_h=1;out_subblock_w=4", NONE, NONE, NONE);
    expect_blocks("in0_block_w=7 program_config", 7, NONE, NONE);
    expect_blocks("program_config out_subblock_h_ntiles=3;out_subblock_w_ntiles=2", NONE, NONE, NONE);
    expect_blocks("program_config out_subblock_h=;out_subblock_h=x;out_subblock_h=5)", NONE, 5, NONE);
    expect_blocks("program_config in0_block_w=2;in0_block_w=3", 2, NONE, NONE);
    expect_blocks("program_config in0_block_w=-2", NONE, NONE, NONE);
    expect_blocks("program_config in0_block_w=2147483647;out_subblock_h=2147483648;"
                  "out_subblock_w=99999999999999999999999999",
                  2147483647, NONE, NONE);
    expect_blocks("program_config in0_block_w=0012", 12, NONE, NONE);
    expect_blocks("program_config in0_block_w=", NONE, NONE, NONE);
}

static void test_dram_sharded_matmul(void **state)
{
    (void)state;
    const char *cell = "{'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=1)'}";
    assert_true(parse(TS_ATTRIBUTES_MATMUL, cell).dram_sharded);
    assert_false(parse(TS_ATTRIBUTES_PLAIN, cell).dram_sharded);
    assert_false(parse(TS_ATTRIBUTES_MATMUL, "MatmulMultiCoreReuseMultiCastProgramConfig").dram_sharded);
}

static void expect_sparse(const char *cell, bool a_sparse, bool b_sparse, bool has_nnz, int64_t nnz)
{
    struct ts_op_attributes a = parse(TS_ATTRIBUTES_MATMUL, cell);
    assert_int_equal(a.input_a_sparse, a_sparse);
    assert_int_equal(a.input_b_sparse, b_sparse);
    assert_int_equal(a.has_nnz, has_nnz);
    assert_int_equal(a.nnz, nnz);
}

static void test_sparse_matmul(void **state)
{
    (void)state;
    expect_sparse("{'is_input_a_sparse': 'true'; 'is_input_b_sparse': 'false'; 'nnz': '5'}", true, false, true, 5);
    expect_sparse("{\"is_input_a_sparse\": \"True\"; \"is_input_b_sparse\": \"0\"; \"nnz\": \"12\"}", true, false, true,
                  12);
    expect_sparse("{'is_input_a_sparse': TRUE; 'is_input_b_sparse': false, 'nnz': 7}", true, false, true, 7);
    expect_sparse("{'nnz': 'std::nullopt'}", false, true, false, -1);
    expect_sparse("{'nnz': std::nullopt; 'is_input_b_sparse': 'std::nullopt'}", false, false, false, -1);
    expect_sparse("{'nnz': '5.0'}", false, true, false, -1);
    expect_sparse("{'nnz': '-1'}", false, true, true, -1);
    expect_sparse("{'nnz': ' 8 '}", false, true, true, 8);
    expect_sparse("{'nnz': ''}", false, true, false, -1);
    expect_sparse("{'nnz': ''; 'nnz': '9'}", false, true, true, 9);
    expect_sparse("{'nnz': 'open", false, true, false, -1);
    expect_sparse("{'nnz': 3", false, true, true, 3);
    expect_sparse("nnz: 3; 'nnz' 4; nnz': 5; 'nnz", false, true, false, -1);
    expect_sparse("{'total_nnz': 3; 'nnz_total': 4}", false, true, false, -1);
    expect_sparse("'nnz':", false, true, false, -1);
    /* Only for matmuls. */
    assert_false(parse(TS_ATTRIBUTES_PLAIN, "{'nnz': '5'}").has_nnz);
}

static void expect_window(const char *cell, double h, double w)
{
    struct ts_op_attributes a = parse(TS_ATTRIBUTES_CONV, cell);
    if (isnan(h))
        assert_true(isnan(a.window_h));
    else
        assert_true(a.window_h == h);
    if (isnan(w))
        assert_true(isnan(a.window_w));
    else
        assert_true(a.window_w == w);
}

static void test_convolution_window(void **state)
{
    (void)state;
    expect_window("window_hw=(7;7); stride_hw=(2;2); ", 7, 7);
    expect_window("{'s': 'SlidingWindowConfig(window_hw=(3;5); padding=((3; 3); (3; 3)))'}", 3, 5);
    expect_window("window_hw=(3;5)", 3, 5);
    expect_window("window_hw=(3;5;9); x", 3, 5);
    expect_window("window_hw=(3); x", NAN, NAN);
    expect_window("window_hw=(0;4294967296); x", NAN, 4294967296.0);
    expect_window("window_hw=(1;4294967297); x", 1, NAN);
    expect_window("window_hw=(a;2); x", NAN, 2);
    expect_window("window_hw=(2.0; 3 ); x", NAN, NAN); /* "; " ends the text: "=(2.0" */
    expect_window("window_hw=(2.0;3 ); x", 2, 3);
    expect_window("window_hw", NAN, NAN);
    expect_window("window_hw=", NAN, NAN);
    expect_window("window_hw;;;", NAN, NAN);
    /* The text behind the key ends where the key comes again. */
    expect_window("window_hw=(3;5)window_hw=(7;7); ", 3, 5);
    /* Characters are left out at both ends, not bytes. */
    expect_window("window_hw\xc3\xa9(3;5\xe2\x82\xac; ", 3, 5);
}

static void expect_config(const char *cell, int64_t act_block, int64_t out_height, bool double_buffer,
                          bool split_reader)
{
    struct ts_op_attributes a = parse(TS_ATTRIBUTES_CONV, cell);
    assert_true(a.act_block_h == act_block);
    assert_true(a.per_core_out_h == out_height);
    assert_int_equal(a.act_double_buffer, double_buffer);
    assert_int_equal(a.split_reader, split_reader);
}

static void test_convolution_config(void **state)
{
    (void)state;
    /* "[ABH=192|1]" */
    expect_config(
        "{'block_config': 'OptimizedConvBlockConfig(act_block_h_ntiles=1;act_block_w_ntiles=2)'; "
        "'enable_act_double_buffer': 'false'; 'enable_split_reader': 'false'; "
        "'parallelization_config': 'P(per_core_out_matrix_height_ntile=192;per_core_out_matrix_width_ntile=2)'}",
        1, 192, false, false);
    /* "[ABH=48|4 SR]" */
    expect_config(
        "{'block_config': 'Conv2dBlockConfig(act_block_h_ntiles=4;act_block_w_ntiles=2)'; "
        "'enable_act_double_buffer': 'false'; "
        "'parallelization_config': 'P(per_core_out_matrix_height_ntile=48;per_core_out_matrix_width_ntile=2)'}",
        4, 48, false, true);
    expect_config("act_block_h_ntiles=4)", INT64_MIN, INT64_MIN, true, true);
    expect_config("act_block_h_ntiles=-4;", -4, INT64_MIN, true, true);
    expect_config("act_block_h_ntiles=4", 4, INT64_MIN, true, true);
    expect_config("act_block_h_ntiles: 4 ;per_core_out_matrix_height_ntile=x;", 4, INT64_MIN, true, true);
    expect_config("act_block_h_ntiles=;per_core_out_matrix_height_ntile;", INT64_MIN, INT64_MIN, true, true);
    expect_config("per_core_out_matrix_height_ntile=3;per_core_out_matrix_height_ntile=4;", INT64_MIN, 3, true, true);
    expect_config("enable_act_double_buffer': 'true'; xenable_split_reader': 'True'", INT64_MIN, INT64_MIN, true,
                  false);
    expect_config("'enable_act_double_buffer': true; 'enable_split_reader': 'tr", INT64_MIN, INT64_MIN, true, false);
    expect_config("'enable_act_double_buffer': 'true", INT64_MIN, INT64_MIN, true, true);
    /* Other kinds have no such suffix. */
    struct ts_op_attributes a = parse(TS_ATTRIBUTES_MATMUL, "act_block_h_ntiles=4; enable_split_reader': 'false'");
    assert_true(a.act_block_h == INT64_MIN);
    assert_true(a.split_reader);
}

static void test_halo(void **state)
{
    (void)state;
    expect_halo("{'config': 'SlidingWindowConfig(batch_size=1; input_hw=(98;1280); window_hw=(7;7); stride_hw=(2;2); "
                "padding=((3; 3); (3; 3)); output_padding = (0; 0); dilation_hw=(1;1); num_cores_nhw=20)'; "
                "'output_memory_config': 'MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED;"
                "buffer_type=BufferType::L1)'}",
                "w=(7,7) s=(2,2) p=((3, 3), (3, 3)) d=(1,1) | HEIGHT_SHARDED");
    expect_halo("window_hw=(7", "w=(7 s=x p=x d=x | x");
    expect_halo("window_hw=;;;stride_hw=", "w=, s= p=x d=x | x");
    expect_halo("padding=1;2;3", "w=x s=x p=1,2,3 d=x | x");
    expect_halo("padding=1;2;3;4;5", "w=x s=x p=1,2,3,4 d=x | x");
    expect_halo("memory_layout=A::B::C;D", "w=x s=x p=x d=x | B");
    expect_halo("memory_layout=A;::B", "w=x s=x p=x d=x | x");
    expect_halo("memory_layout=A::", "w=x s=x p=x d=x | ");
    expect_halo("window_hw=(1window_hw=2;3", "w=(1 s=x p=x d=x | x");
}

static void test_equal_halos_share_their_text(void **state)
{
    (void)state;
    uint32_t first = parse(TS_ATTRIBUTES_HALO, "a window_hw=(7;7)").halo;
    assert_int_equal(parse(TS_ATTRIBUTES_HALO, "b window_hw=(7;7)").halo, first);
    assert_int_not_equal(parse(TS_ATTRIBUTES_HALO, "b window_hw=(7;8)").halo, first);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct ts_arena small;
    struct ts_intern little;
    ts_arena_init(&small, 4096);
    assert_int_equal(ts_intern_init(&little, &small, NULL), TS_OK);
    char cell[8192] = "window_hw=";
    memset(cell + 10, 'x', sizeof cell - 11);
    struct ts_op_attributes out = {.nnz = 42};
    assert_false(ts_op_attributes_parse(ts_str_from(cell), TS_ATTRIBUTES_HALO, &little, &out));
    assert_int_equal(out.nnz, 42);
    assert_true(ts_op_attributes_parse(ts_str_from(cell), TS_ATTRIBUTES_CONV, &little, &out));
    ts_intern_free(&little);
    ts_arena_free(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_absent_attributes),
        cmocka_unit_test(test_block_sizes),
        cmocka_unit_test(test_dram_sharded_matmul),
        cmocka_unit_test(test_sparse_matmul),
        cmocka_unit_test(test_convolution_window),
        cmocka_unit_test(test_convolution_config),
        cmocka_unit_test(test_halo),
        cmocka_unit_test(test_equal_halos_share_their_text),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
