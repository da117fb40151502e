#include "formats/memory_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/buffer_type.h"

static struct ts_arena arena;

static int set_up(void **state)
{
    (void)state;
    ts_arena_init(&arena, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ts_arena_free(&arena);
    return 0;
}

static struct ts_memory_config parse(const char *text)
{
    struct ts_memory_config config;
    bool valid = false;
    assert_int_equal(ts_memory_config_parse(&arena, ts_str_from(text), &config, &valid, NULL), TS_OK);
    assert_true(valid);
    return config;
}

static void expect_invalid(struct ts_str text)
{
    struct ts_memory_config config;
    bool valid = true;
    assert_int_equal(ts_memory_config_parse(&arena, text, &config, &valid, NULL), TS_OK);
    assert_false(valid);
}

static void test_interleaved(void **state)
{
    (void)state;
    struct ts_memory_config config = parse("MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type="
                                           "BufferType::L1,shard_spec=std::nullopt)");
    assert_true(ts_str_is(config.layout, "TensorMemoryLayout::INTERLEAVED"));
    assert_false(config.sharded);
}

static void test_what_frames_it(void **state)
{
    (void)state;
    assert_null(parse("MemoryConfig()").layout.ptr);
    assert_true(ts_str_is(parse("tt::tt_metal::MemoryConfig(memory_layout=X::y_Z9)\n").layout, "X::y_Z"));
    assert_null(parse("MemoryConfig(memory_layout=)").layout.ptr);
    expect_invalid(TS_STR(""));
    expect_invalid((struct ts_str){NULL, 0});
    expect_invalid(TS_STR(" MemoryConfig(memory_layout=X)"));
    expect_invalid(TS_STR("MemoryConfig(memory_layout=X) trailing"));
    expect_invalid(TS_STR("MemoryConfig(memory_layout=X)\n\n"));
    expect_invalid(TS_STR("MemoryConfig(memory_layout=X\n,a)"));
    expect_invalid(TS_STR("MemoryConfig("));
    expect_invalid(TS_STR("memoryConfig()"));
}

static void test_first_form(void **state)
{
    (void)state;
    struct ts_memory_config config =
        parse("tt::tt_metal::MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,buffer_type=BufferType::L1,"
              "shard_spec=ShardSpec(grid={[(x=0,y=0) - (x=7,y=6)]},shape={896, "
              "64},orientation=ShardOrientation::ROW_MAJOR,halo=3))");
    assert_true(config.sharded);
    assert_true(ts_str_is(config.grid, "[(x=0,y=0) - (x=7,y=6)]"));
    assert_true(ts_str_is(config.height, "896") && ts_str_is(config.width, "64"));
    assert_true(ts_str_is(config.orientation, "ROW_MAJOR"));
    assert_true(ts_str_is(config.halo, "3"));
    assert_null(config.mode.ptr);
    assert_null(config.physical.ptr);
}

static void test_second_form(void **state)
{
    (void)state;
    struct ts_memory_config config =
        parse("MemoryConfig(memory_layout=TensorMemoryLayout::BLOCK_SHARDED,buffer_type=BufferType::L1,shard_spec="
              "ShardSpec(grid={"
              "[(x=0,y=0) - (x=1,y=1)], [(x=3,y=3) - (x=4,y=4)]},shape={1,2},orientation=ShardOrientation::COL_MAJOR,"
              "mode=ShardMode::PHYSICAL,physical_shard_shape=std::nullopt),nd_shard_spec=std::nullopt)");
    assert_true(config.sharded);
    assert_true(ts_str_is(config.grid, "[(x=0,y=0) - (x=1,y=1)], [(x=3,y=3) - (x=4,y=4)]"));
    assert_true(ts_str_is(config.height, "1") && ts_str_is(config.width, "2"));
    assert_true(ts_str_is(config.orientation, "COL_MAJOR"));
    assert_null(config.halo.ptr);
    assert_true(ts_str_is(config.mode, "PHYSICAL"));
    assert_true(ts_str_is(config.physical, "std::nullopt"));
}

#define CURLY(grid, rest)                                                                                              \
    "MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,buffer_type=BufferType::L1,shard_spec=ShardSpec{"   \
    "grid=" grid ", shape=[64, 2048], orientation=ShardOrientation::ROW_MAJOR}" rest ")"

static void test_third_form(void **state)
{
    (void)state;
    struct ts_memory_config config = parse(CURLY("[{\"start\":{\"x\":0,\"y\":0},\"end\":{\"x\":7,\"y\":7}]",
                                                 ",nd_shard_spec={\"grid\":[1]},per_core_allocation=0"));
    assert_true(config.sharded);
    assert_true(ts_str_is(config.grid, "[(x=0,y=0) - (x=7,y=7)]"));
    assert_true(ts_str_is(config.height, "64") && ts_str_is(config.width, "2048"));
    assert_true(ts_str_is(config.orientation, "ROW_MAJOR"));
    assert_null(config.halo.ptr);
    config = parse(CURLY("[{\"start\":{\"x\":0,\"y\":0},\"end\":{\"x\":7,\"y\":7}, "
                         "{\"start\":{\"x\":0,\"y\":8},\"end\":{\"x\":3,\"y\":8}]",
                         ""));
    assert_true(ts_str_is(config.grid, "[(x=0,y=0) - (x=7,y=7)], [(x=0,y=8) - (x=3,y=8)]"));
    /* Points that make no pairs: as it was written. */
    config = parse(CURLY("[{\"start\":{\"x\":0,\"y\":0}]", ""));
    assert_true(ts_str_is(config.grid, "[{\"start\":{\"x\":0,\"y\":0}]"));
    config = parse(CURLY("[]", ""));
    assert_true(ts_str_is(config.grid, "[]"));
}

static void test_what_is_no_shard_spec(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "MemoryConfig(shard_spec=ShardSpec(grid={[a]},shape={1},orientation=ShardOrientation::X,halo=0))",
        "MemoryConfig(shard_spec=ShardSpec(grid={[a]},shape={1, -2},orientation=ShardOrientation::X,halo=0))",
        "MemoryConfig(shard_spec=ShardSpec(grid={[a]}, shape={1, 2},orientation=ShardOrientation::X,halo=0))",
        "MemoryConfig(shard_spec=ShardSpec(grid={[a]},shape={1, 2},orientation=ShardOrientation::x,halo=0))",
        "MemoryConfig(shard_spec=ShardSpec(grid={[a]},shape={1, 2},orientation=ShardOrientation::X,halo=))",
        "MemoryConfig(shard_spec=ShardSpec(grid={[a",
        "MemoryConfig(nd_shard_spec=ShardSpec(grid={[a]},shape={1, 2},orientation=ShardOrientation::X,halo=0))",
        "MemoryConfig(shard_spec=ShardSpec{grid=[, shape=[1, 2, orientation=ShardOrientation::X})",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ts_memory_config config;
        bool valid;
        assert_int_equal(ts_memory_config_parse(&arena, ts_str_from(specs[i]), &config, &valid, NULL), TS_OK);
        if (valid && config.sharded)
            fail_msg("%s", specs[i]);
    }
}

static void test_buffer_types(void **state)
{
    (void)state;
    static const struct {
        const char *cell, *type, *param;
    } cases[] = {
        {"0", "DRAM", "DRAM"},
        {"1", "L1", "L1"},
        {"2", "SYSTEM_MEMORY", "SYSTEM_MEMORY"},
        {"3", "L1_SMALL", "L1_SMALL"},
        {"4", "TRACE", "TRACE"},
        {"5", "5", "5"},
        {"-1", "-1", "-1"},
        {"1.0", "L1", "L1"},
        {"L1", "L1", "L1"},
        {"l1", "l1", "l1"},
        {"weird", "weird", "weird"},
        {"", "", ""},
        {"BufferType::L1", "BufferType::L1", "L1"},
        {"BufferType::3", "BufferType::3", "L1_SMALL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(ts_str_is(ts_buffer_type_of_cell(ts_str_from(cases[i].cell)), cases[i].type));
        assert_true(ts_str_is(ts_buffer_type_of_param(ts_str_from(cases[i].cell)), cases[i].param));
    }
    assert_true(ts_buffer_type_is_l1(TS_STR("L1")) && ts_buffer_type_is_l1(TS_STR("L1_SMALL")));
    assert_false(ts_buffer_type_is_l1(TS_STR("DRAM")) || ts_buffer_type_is_l1(TS_STR("")));
}

static void test_buffer_type_of_config(void **state)
{
    (void)state;
    struct ts_str type;
    assert_true(ts_buffer_type_of_config(TS_STR("MemoryConfig(buffer_type=BufferType::L1_SMALL,x)"), &type));
    assert_true(ts_str_is(type, "L1_SMALL"));
    assert_true(ts_buffer_type_of_config(TS_STR("buffer_type=BufferType::x buffer_type=BufferType::L1"), &type));
    assert_true(ts_str_is(type, "L1"));
    assert_false(ts_buffer_type_of_config(TS_STR("buffer_type=BufferType::"), &type));
    assert_false(ts_buffer_type_of_config(TS_STR("buffer_type=L1"), &type));
    assert_false(ts_buffer_type_of_config(TS_STR(""), &type));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_interleaved, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_frames_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_form, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_second_form, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_third_form, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_no_shard_spec, set_up, tear_down),
        cmocka_unit_test(test_buffer_types),
        cmocka_unit_test(test_buffer_type_of_config),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
