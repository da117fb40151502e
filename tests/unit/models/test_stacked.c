#include "models/stacked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/number.h"
#include "support/interpose_malloc.c"
#include "support/perf_table.h"

#define HEADER                                                                                                         \
    "OP CODE,OP TYPE,DEVICE ID,HOST START TS,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],INPUT_0_MEMORY\n"
#define OP(code, device, duration, memory) code ",tt_dnn_device," device ",,100," duration "," memory "\n"
#define SIGNPOST(name) name ",signpost,,,,,\n"
#define HOST(name) "(torch) " name ",host,,,,,\n"

static struct ts_stacked *stack(const struct ts_perf_report *report, struct ts_stacked_options options)
{
    struct ts_context context;
    struct ts_stacked *stacked = NULL;
    struct ts_error error;
    ts_context_init(&context);
    assert_int_equal(ts_stacked_create(&context, report, &options, &stacked, &error), TS_OK);
    return stacked;
}

/* "NAME@DEVICE count/timed=time" of every group; in static memory. */
static const char *groups(const struct ts_stacked *stacked)
{
    static char text[2048];
    size_t len = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < stacked->count; i++) {
        const struct ts_stacked_group *group = &stacked->groups[i];
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s", i > 0 ? "|" : "", TS_STR_ARG(group->name));
        if (group->device >= 0)
            len += (size_t)snprintf(text + len, sizeof text - len, "@%d", group->device);
        len += (size_t)snprintf(text + len, sizeof text - len, " %u/%u=%g", group->count, group->timed,
                                group->device_time);
    }
    return text;
}

static void check_groups(const char *csv, struct ts_stacked_options options, const char *expected)
{
    struct ts_perf_report *report = perf_table_report_of(csv, NULL);
    struct ts_stacked *stacked = stack(report, options);
    assert_string_equal(groups(stacked), expected);
    ts_stacked_destroy(stacked);
    ts_perf_report_destroy(report);
}

static const char mixed[] = HEADER OP("LayerNorm", "0", "2000", "DEV_1_L1_HEIGHT_SHARDED") SIGNPOST("mark")
    OP("Matmul x", "0", "5000", "DEV_1_DRAM_INTERLEAVED") HOST("copy") OP("LayerNorm", "0", "", "")
        OP("Matmul y", "0", "500", "DEV_0_DRAM_INTERLEAVED");

static void test_groups_by_operation(void **state)
{
    (void)state;
    check_groups(mixed, (struct ts_stacked_options){.by = TS_STACKED_OP},
                 "LayerNorm 2/1=2|Matmul 2/2=5.5|(torch) 1/1=0");
    check_groups(mixed, (struct ts_stacked_options){.by = TS_STACKED_OP, .no_host_ops = true},
                 "LayerNorm 2/1=2|Matmul 2/2=5.5");
}

static void test_groups_by_category(void **state)
{
    (void)state;
    check_groups(mixed, (struct ts_stacked_options){.by = TS_STACKED_CATEGORY}, "Compute 4/3=7.5|Host 1/1=0");
}

static void test_groups_by_memory(void **state)
{
    (void)state;
    check_groups(
        mixed, (struct ts_stacked_options){.by = TS_STACKED_MEMORY},
        "LayerNorm (in0:height_sharded) 1/1=2|Matmul (in0:dram_interleaved) 2/2=5.5|(torch) 1/1=0|LayerNorm 1/0=0");
    check_groups(HEADER OP("A", "0", "1000", "A_B") OP("A", "0", "1000", "A_") OP("A", "0", "1000", "DEV_1_L1_X_Y"),
                 (struct ts_stacked_options){.by = TS_STACKED_MEMORY},
                 "A (in0:a_b) 1/1=1|A (in0:a_) 1/1=1|A (in0:x_y) 1/1=1");
    /* Without two parts a row has no key. */
    check_groups(HEADER OP("A", "0", "1000", "HOST") OP("B", "0", "1000", "NA") OP("C", "0", "1000", " "),
                 (struct ts_stacked_options){.by = TS_STACKED_MEMORY}, "B 1/1=1");
}

static void test_rows_without_a_key(void **state)
{
    (void)state;
    const char csv[] = HEADER OP("  ", "0", "1000", "") OP("A", "0", "2000", "") OP(" ", "0", "4000", "");
    check_groups(csv, (struct ts_stacked_options){.by = TS_STACKED_OP}, "A 1/1=2");
    check_groups(csv, (struct ts_stacked_options){.by = TS_STACKED_OP, .with_blank = true}, " 2/2=5|A 1/1=2");

    struct ts_perf_report *report = perf_table_report_of(csv, NULL);
    struct ts_stacked *stacked = stack(report, (struct ts_stacked_options){.by = TS_STACKED_OP});
    assert_int_equal(stacked->rows, 1);
    assert_int_equal(stacked->rows_seen, 3);
    assert_true(stacked->any_timed);
    ts_stacked_destroy(stacked);
    ts_perf_report_destroy(report);
}

static void test_what_was_seen(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(HEADER HOST("a") OP("B", "0", "", "") HOST("c"), NULL);
    struct ts_stacked *stacked = stack(report, (struct ts_stacked_options){.by = TS_STACKED_OP});
    assert_false(stacked->any_timed);
    assert_int_equal(stacked->rows_seen, 3);
    assert_int_equal(stacked->host_rows_seen, 2);
    ts_stacked_destroy(stacked);
    ts_perf_report_destroy(report);
}

static void test_devices_apart(void **state)
{
    (void)state;
    const char csv[] = HEADER OP("A", "1", "1000", "") OP("A", "0", "2000", "") OP("A", "1", "3000", "") HOST("h")
        OP("A", "-1", "9000", "");
    const struct ts_perf_report_options apart = {.no_merge = true};
    struct ts_perf_report *report = perf_table_report_of(csv, &apart);
    struct ts_stacked *stacked = stack(report, (struct ts_stacked_options){.by = TS_STACKED_OP, .per_device = true});
    assert_string_equal(groups(stacked), "A@1 2/2=4|A@0 1/1=2");
    ts_stacked_destroy(stacked);
    ts_perf_report_destroy(report);
}

#define MATMUL_HEADER                                                                                                  \
    "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],MATH FIDELITY,CORE COUNT,INPUT_0_MEMORY,INPUT_1_MEMORY,"    \
    "OUTPUT_0_MEMORY,INPUT_0_DATATYPE,INPUT_1_DATATYPE,OUTPUT_0_DATATYPE,INPUT_0_W,INPUT_0_Z,INPUT_0_Y,INPUT_0_X,"     \
    "INPUT_1_W,INPUT_1_Z,INPUT_1_Y,INPUT_1_X,OUTPUT_0_W,OUTPUT_0_Z,OUTPUT_0_Y,OUTPUT_0_X\n"
#define MATMUL(device, duration)                                                                                       \
    "Matmul,tt_dnn_device," device "," duration                                                                        \
    ",HiFi4,64,D_L1_X,D_L1_X,D_L1_X,BFLOAT16,BFLOAT16,BFLOAT16,1,1,1024,1024,1,1,1024,1024,1,1,1024,1024\n"

/* 1024^3 * 2 operations in 100 us on 64 cores are 32.65 %. */
static void test_flops(void **state)
{
    (void)state;
    struct ts_perf_report *report =
        perf_table_report_of(MATMUL_HEADER MATMUL("0", "100000") MATMUL("0", "200000") MATMUL("0", ""), NULL);
    struct ts_stacked *stacked = stack(report, (struct ts_stacked_options){.by = TS_STACKED_OP});
    const struct ts_stacked_group *group = &stacked->groups[0];
    double fast = report->rows[0].flops_percent, slow = report->rows[1].flops_percent;
    assert_int_equal(stacked->count, 1);
    assert_int_equal(group->count, 3);
    assert_true(fabs(fast - 32.647555) < 1e-5);
    assert_true(group->flops_max == fast && group->flops_min == slow);
    assert_true(fabs(group->flops_mean - (fast + slow) / 2) < 1e-12);
    assert_true(fabs(group->flops_std - (fast - slow) / sqrt(2)) < 1e-12);
    assert_true(fabs(group->flops_weighted_mean - (fast * 100 + slow * 200) / 300) < 1e-12);
    ts_stacked_destroy(stacked);
    ts_perf_report_destroy(report);
}

static void test_one_value_has_no_deviation(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(MATMUL_HEADER MATMUL("0", "100000"), NULL);
    struct ts_stacked *stacked = stack(report, (struct ts_stacked_options){.by = TS_STACKED_MEMORY});
    assert_true(ts_str_is(stacked->groups[0].name, "Matmul (in0:l1_x)"));
    assert_true(ts_present(stacked->groups[0].flops_mean));
    assert_false(ts_present(stacked->groups[0].flops_std));
    ts_stacked_destroy(stacked);
    ts_perf_report_destroy(report);
}

/* The weighted mean is the key's over all devices, also where a device has no value of its own. */
static void test_weighted_mean_over_devices(void **state)
{
    (void)state;
    const struct ts_perf_report_options apart = {.no_merge = true};
    struct ts_perf_report *report = perf_table_report_of(
        MATMUL_HEADER MATMUL("0", "100000") MATMUL("1", "200000") MATMUL("2", "") MATMUL("-1", "400000"), &apart);
    struct ts_stacked *stacked = stack(report, (struct ts_stacked_options){.by = TS_STACKED_OP, .per_device = true});
    double percent[3] = {report->rows[0].flops_percent, report->rows[1].flops_percent, report->rows[3].flops_percent};
    double mean = (percent[0] * 100 + percent[1] * 200 + percent[2] * 400) / 700;
    assert_int_equal(stacked->count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(fabs(stacked->groups[i].flops_weighted_mean - mean) < 1e-12);
    assert_false(ts_present(stacked->groups[2].flops_mean));
    ts_stacked_destroy(stacked);
    ts_perf_report_destroy(report);
}

/* The plain sum drifts, the compensated one is the exact sum rounded once. */
static void test_compensated_sum(void **state)
{
    (void)state;
    static char csv[400000];
    size_t len = (size_t)snprintf(csv, sizeof csv, "%s", HEADER);
    for (int i = 0; i < 5000; i++)
        len += (size_t)snprintf(csv + len, sizeof csv - len, OP("A", "0", "1001", ""));
    struct ts_perf_report *report = perf_table_report_of(csv, NULL);
    struct ts_stacked *stacked = stack(report, (struct ts_stacked_options){.by = TS_STACKED_OP});
    double plain = 0;
    for (int i = 0; i < 5000; i++)
        plain += 1.001;
    assert_true(stacked->groups[0].device_time == plain);
    double exact = (double)((long double)1.001 * 5000);
    assert_true(plain != exact);
    assert_true(stacked->groups[0].device_time_kahan == exact);
    ts_stacked_destroy(stacked);
    ts_perf_report_destroy(report);
}

static void test_sums_of_gaps_and_shares(void **state)
{
    (void)state;
    struct ts_perf_report *report =
        perf_table_report_of(HEADER OP("A", "0", "1000", "") OP("A", "0", "2000", "") OP("B", "0", "800", ""), NULL);
    struct ts_stacked *stacked = stack(report, (struct ts_stacked_options){.by = TS_STACKED_OP});
    /* The first row has no gap; the others 0.1 us each, 4 us in all. */
    assert_true(fabs(stacked->groups[0].op_to_op_gap - 0.1) < 1e-12);
    assert_true(fabs(stacked->groups[1].op_to_op_gap - 0.1) < 1e-12);
    assert_true(fabs(stacked->groups[0].total_percent - 77.5) < 1e-9);
    assert_true(fabs(stacked->groups[1].total_percent - 22.5) < 1e-9);
    assert_int_equal(stacked->groups[0].category, TS_CATEGORY_OTHER);
    ts_stacked_destroy(stacked);
    ts_perf_report_destroy(report);
}

static void test_no_rows(void **state)
{
    (void)state;
    check_groups(HEADER SIGNPOST("only"), (struct ts_stacked_options){.by = TS_STACKED_OP, .with_blank = true}, "");
}

static void test_cancelled(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_error error;
    struct ts_stacked *stacked = NULL;
    struct ts_perf_report *report = perf_table_report_of(mixed, NULL);
    const struct ts_stacked_options options = {.by = TS_STACKED_OP};
    ts_context_init(&context);
    context.cancelled = true;
    assert_int_equal(ts_stacked_create(&context, report, &options, &stacked, &error), TS_CANCELLED);
    assert_null(stacked);
    ts_stacked_destroy(NULL);
    ts_perf_report_destroy(report);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_perf_report *report = perf_table_report_of(mixed, NULL);
    const struct ts_stacked_options options = {.by = TS_STACKED_MEMORY, .per_device = true};
    ts_context_init(&context);
    long good = 0;
    for (bool failed = true; failed; good++) {
        struct ts_error error = {0};
        struct ts_stacked *stacked = NULL;
        interpose_fail_from(good);
        enum ts_status status = ts_stacked_create(&context, report, &options, &stacked, &error);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        assert_true(failed == (stacked == NULL));
        ts_stacked_destroy(stacked);
    }
    assert_true(good > 5);
    ts_perf_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_by_operation),
        cmocka_unit_test(test_groups_by_category),
        cmocka_unit_test(test_groups_by_memory),
        cmocka_unit_test(test_rows_without_a_key),
        cmocka_unit_test(test_what_was_seen),
        cmocka_unit_test(test_devices_apart),
        cmocka_unit_test(test_flops),
        cmocka_unit_test(test_one_value_has_no_deviation),
        cmocka_unit_test(test_weighted_mean_over_devices),
        cmocka_unit_test(test_compensated_sum),
        cmocka_unit_test(test_sums_of_gaps_and_shares),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
