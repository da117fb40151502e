#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>

#include <cmocka.h>

#include "support/interpose_malloc.c"
#include "support/perf_table.h"

#define HEADER "OP CODE,OP TYPE,DEVICE ID"

static void test_architecture_is_the_first_named(void **state)
{
    (void)state;
    struct ts_perf_source *source =
        perf_table_source(HEADER ",DEVICE ARCH\nS,signpost,,\nA,tt_dnn_device,0,NA\nA,tt_dnn_device,0,P100a\n"
                                 "A,tt_dnn_device,0,P100a\n",
                          NULL);
    assert_string_equal(source->arch->name, "blackhole_p100");
    assert_false(source->several_arches);
    ts_perf_source_release(source);

    source = perf_table_source(HEADER ",DEVICE ARCH\nA,tt_dnn_device,0,n1\nB,tt_dnn_device,0,odd\n", NULL);
    assert_string_equal(source->arch->name, "n1");
    assert_true(source->several_arches);
    ts_perf_source_release(source);
}

static void test_architecture_without_a_name(void **state)
{
    (void)state;
    struct ts_perf_source *source = perf_table_source(HEADER "\nA,tt_dnn_device,0\n", NULL);
    assert_string_equal(source->arch->name, "wormhole");
    ts_perf_source_release(source);
    source = perf_table_source(HEADER ",DEVICE ARCH\nA,tt_dnn_device,0,\n", NULL);
    assert_string_equal(source->arch->name, "wormhole");
    ts_perf_source_release(source);
}

static void test_an_unknown_architecture_is_refused(void **state)
{
    (void)state;
    const char *csv = HEADER ",DEVICE ARCH\nS,signpost,,\nA,tt_dnn_device,0,grayskull\n";
    struct ts_perf_source_options options = {0};
    struct ts_perf_source *source = NULL;
    struct ts_context context;
    struct ts_error error = {0};

    ts_context_init(&context);
    assert_int_equal(ts_perf_source_create(&context, perf_table_read(csv), &options, &source, &error), TS_REFUSED);
    assert_null(source);
    assert_non_null(strstr(error.message, "\"grayskull\""));
    assert_non_null(strstr(error.message, "row id 3"));
    assert_non_null(strstr(error.message, ts_arch_names()));

    options.arch = ts_arch_find(TS_STR("p150"));
    source = perf_table_source(csv, &options);
    assert_string_equal(source->arch->name, "blackhole");
    ts_perf_source_release(source);
}

static void test_budgets(void **state)
{
    (void)state;
    static const int32_t expected[] = {40, 24, 64, 64, 64, 64};
    struct ts_perf_source *source = perf_table_source(
        HEADER ",AVAILABLE WORKER CORE COUNT\nA,tt_dnn_device,0,40\nA,tt_dnn_device,0,24\nA,tt_dnn_device,0,x\n"
               "A,tt_dnn_device,0,0\n(torch) A,host,,\nS,signpost,,64.0\n",
        NULL);

    assert_int_equal(source->fallback_cores, 64);
    for (int i = 0; i < 6; i++)
        assert_int_equal(source->facts[i].available_cores, expected[i]);
    assert_int_equal(source->budget_not_number, 1);
    assert_int_equal(source->budget_not_cores, 1);
    ts_perf_source_release(source);
}

static void test_the_largest_budget_stands_in(void **state)
{
    (void)state;
    struct ts_perf_source *source = perf_table_source(
        HEADER ",AVAILABLE WORKER CORE COUNT\nA,tt_dnn_device,0,\nA,tt_dnn_device,0,72\nA,tt_dnn_device,0,56\n", NULL);

    assert_int_equal(source->fallback_cores, 72);
    assert_int_equal(source->facts[0].available_cores, 72);
    assert_int_equal(source->facts[2].available_cores, 56);
    ts_perf_source_release(source);
}

static void test_budgets_without_a_usable_one(void **state)
{
    (void)state;
    struct ts_perf_source_options options = {.arch = ts_arch_find(TS_STR("bh20"))};
    struct ts_perf_source *source = perf_table_source(
        HEADER ",AVAILABLE WORKER CORE COUNT\nA,tt_dnn_device,0,1.5\nA,tt_dnn_device,0,nan\n", &options);

    assert_int_equal(source->fallback_cores, 20);
    assert_int_equal(source->budget_not_number, 0);
    assert_int_equal(source->budget_not_cores, 1);
    ts_perf_source_release(source);
}

static void test_sub_devices(void **state)
{
    (void)state;
    static const struct {
        const char *cell, *reported;
    } cases[] = {
        {"", ""},
        {"nan", ""},
        {"0", "0"},
        {"0.0", "0"},
        {"-3", "-3"},
        {"+4", "4"},
        {"1.5", "1.5"},
        {"1e3", "1000"},
        {" 7 ", "7"},
        {"007", "7"},
        {"-0", "0"},
        {"\x01\x02", ""},
        {" a\x01"
         "b ",
         "ab"},
        {"1e30", "1000000000000000019884624838656"},
        {"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxyy", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
    };
    static char csv[4096] = HEADER ",SUB DEVICE ID\n";
    char buffer[64];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        strcat(csv, "A,tt_dnn_device,0,");
        strcat(csv, cases[i].cell);
        strcat(csv, "\n");
    }
    struct ts_perf_source *source = perf_table_source(csv, NULL);
    assert_true(source->any_sub_device);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_str got = ts_perf_source_sub_device(source, i, buffer);
        if (!ts_str_is(got, cases[i].reported))
            fail_msg("\"%s\" is \"%.*s\"", cases[i].cell, TS_STR_ARG(got));
    }
    ts_perf_source_release(source);

    source = perf_table_source(HEADER ",SUB DEVICE ID\nA,tt_dnn_device,0,\nB,tt_dnn_device,0,NA\n", NULL);
    assert_false(source->any_sub_device);
    ts_perf_source_release(source);
}

static void test_devices(void **state)
{
    (void)state;
    static const int32_t devices[] = {7, 3, -1, 3, 7, 0, -1, 3};
    static const uint32_t lanes[] = {2, 1, TS_NO_LANE, TS_NO_LANE, 2, TS_NO_LANE, TS_NO_LANE, 1};
    static const bool numeric[] = {true, true, true, true, true, true, false, true};
    struct ts_perf_source *source = perf_table_source(
        HEADER "\nA,tt_dnn_device,7\nA,tt_dnn_device,3\nA,tt_dnn_device,-1\nA,other,3\n(torch) x,tt_dnn_device,7.0\n"
               "S,signpost,0\nA,tt_dnn_device,x\nA,tt_dnn_device,3\n",
        NULL);

    assert_int_equal(source->device_count, 3);
    assert_int_equal(source->devices[0], 0);
    assert_int_equal(source->devices[1], 3);
    assert_int_equal(source->devices[2], 7);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(source->facts[i].device, devices[i]);
        assert_int_equal(source->facts[i].lane, lanes[i]);
        assert_int_equal(source->facts[i].device_numeric, numeric[i]);
    }
    ts_perf_source_release(source);
}

static void test_no_device_at_all(void **state)
{
    (void)state;
    struct ts_perf_source *source = perf_table_source(HEADER "\n(torch) x,host,\n", NULL);
    assert_int_equal(source->device_count, 0);
    ts_perf_source_release(source);
}

static void test_codes_and_unclassified_names(void **state)
{
    (void)state;
    struct ts_perf_source *source =
        perf_table_source(HEADER "\nNew,tt_dnn_device,0\nMatmul,tt_dnn_device,0\nNew,tt_dnn_device,0\nOld,signpost,\n"
                                 "Newer,other,0\n(torch) New,host,\nNA,tt_dnn_device,0\n",
                          NULL);

    assert_int_equal(source->unclassified_names, 2); /* New and Newer; a signpost's name is none */
    assert_int_equal(source->code_count, 6);
    assert_int_equal(source->facts[0].code, source->facts[2].code);
    assert_int_not_equal(source->facts[0].code, source->facts[1].code);
    ts_perf_source_release(source);
}

static void test_equal_shapes_keep_their_own_names(void **state)
{
    (void)state;
    struct ts_perf_source *source = perf_table_source(
        HEADER ",CORE COUNT\nMatmul,tt_dnn_device,0,64\nMatmulX,tt_dnn_device,0,64\nMatmul,tt_dnn_device,0,8\n"
               "Matmul,tt_dnn_device,0,64\n",
        NULL);

    assert_true(ts_str_is(ts_perf_source_name(source, 0), "Matmul unknown shape"));
    assert_true(ts_str_is(ts_perf_source_name(source, 1), "MatmulX unknown shape"));
    assert_int_equal(source->facts[2].name, source->facts[0].name);
    assert_int_equal(source->facts[2].cores, 8);
    assert_int_equal(source->facts[3].cores, 64);
    ts_perf_source_release(source);
}

static void test_call_counts(void **state)
{
    (void)state;
    static const struct {
        const char *csv;
        bool missing;
    } cases[] = {
        {HEADER ",GLOBAL CALL COUNT\nA,tt_dnn_device,0,1024\nB,tt_dnn_device,0,-7\n", false},
        {HEADER ",GLOBAL CALL COUNT\nA,tt_dnn_device,0,1024\nS,signpost,,\n", true},
        {HEADER ",GLOBAL CALL COUNT\nA,tt_dnn_device,0,n/a\n", true},
        {HEADER "\nA,tt_dnn_device,0\n", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_perf_source *source = perf_table_source(cases[i].csv, NULL);
        assert_int_equal(source->any_call_count_missing, cases[i].missing);
        ts_perf_source_release(source);
    }
}

static void test_references(void **state)
{
    (void)state;
    struct ts_perf_source *source = perf_table_source(HEADER "\nA,tt_dnn_device,0\n", NULL);

    ts_perf_source_retain(source);
    ts_perf_source_release(source);
    assert_true(ts_str_is(ts_perf_source_name(source, 0), "A"));
    assert_true(source->part.size > sizeof *source);
    ts_perf_source_release(source);
    ts_perf_source_release(NULL);
}

static void test_cancelled_and_limited(void **state)
{
    (void)state;
    struct ts_perf_source_options options = {0};
    struct ts_perf_source *source = NULL;
    struct ts_context context;
    struct ts_error error = {0};
    const char *csv = HEADER "\nA,tt_dnn_device,0\n";

    ts_context_init(&context);
    context.cancelled = true;
    assert_int_equal(ts_perf_source_create(&context, perf_table_read(csv), &options, &source, &error), TS_CANCELLED);
    ts_context_init(&context);
    context.memory_limit = 16;
    assert_int_equal(ts_perf_source_create(&context, perf_table_read(csv), &options, &source, &error), TS_LIMIT);
    assert_null(source);
}

/* Everything that allocates: an order, signposts, devices, shapes, sub-devices. */
static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    const char *csv =
        HEADER ",HOST START TS,SUB DEVICE ID,INPUT_0_W\nS,signpost,,9,,\nMatmul,tt_dnn_device,1,3,a,1\n"
               "Conv2d,tt_dnn_device,0,2,2,\nHaloDeviceOperation,tt_dnn_device,0,1,,\n(torch) x,host,,0,,\n";
    struct ts_perf_source_options options = {0};
    struct ts_context context;
    struct ts_error error;
    long good = 0;

    ts_context_init(&context);
    for (;; good++) {
        struct ts_ops_csv *ops = perf_table_read(csv);
        struct ts_perf_source *source = NULL;
        interpose_fail_once(good);
        enum ts_status status = ts_perf_source_create(&context, ops, &options, &source, &error);
        bool failed = interpose_stop();
        if (status == TS_OK) {
            ts_perf_source_release(source);
            if (!failed)
                break;
            continue; /* a shorter array would do */
        }
        assert_int_equal(status, TS_NO_MEMORY);
        assert_null(source);
    }
    assert_true(good > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_architecture_is_the_first_named),
        cmocka_unit_test(test_architecture_without_a_name),
        cmocka_unit_test(test_an_unknown_architecture_is_refused),
        cmocka_unit_test(test_budgets),
        cmocka_unit_test(test_the_largest_budget_stands_in),
        cmocka_unit_test(test_budgets_without_a_usable_one),
        cmocka_unit_test(test_sub_devices),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_no_device_at_all),
        cmocka_unit_test(test_codes_and_unclassified_names),
        cmocka_unit_test(test_equal_shapes_keep_their_own_names),
        cmocka_unit_test(test_call_counts),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_cancelled_and_limited),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
