#include "models/advice_groups.h"

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
    "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]," \
    "INPUT_0_W,INPUT_0_Z,INPUT_0_Y,INPUT_0_X,INPUT_1_W,INPUT_1_Z,INPUT_1_Y,INPUT_1_X,"                                 \
    "OUTPUT_0_W,OUTPUT_0_Z,OUTPUT_0_Y,OUTPUT_0_X,INPUT_0_DATATYPE,INPUT_1_DATATYPE,OUTPUT_0_DATATYPE,"                 \
    "INPUT_0_MEMORY,INPUT_1_MEMORY,OUTPUT_0_MEMORY\n"
#define TYPES "BFLOAT16,BFLOAT16,BFLOAT16"
#define MATMUL(gap, duration, memory)                                                                                  \
    "Matmul,tt_dnn_device,0,,HiFi4,64," gap "," duration ",1,1,1024,1024,1,1,1024,1024,1,1,1024,1024," TYPES           \
    "," memory ",DEV_0_DRAM,DEV_0_DRAM\n"
#define OP(name, gap) name ",tt_dnn_device,0,,,8," gap ",1000,,,,,,,,,,,,,,,,,,\n"
#define HOST(name) "(torch) " name ",host,,,,,,,,,,,,,,,,,,,,,,,,\n"

static const char capture[] = HEADER OP("A", "100") MATMUL("100", "1000000", "DEV_0_DRAM") HOST("copy")
    MATMUL("7000", "500000", "DEV_0_L1") OP("A", "6500") MATMUL("100", "2000000", "DEV_0_DRAM") OP("B", "20000")
        HOST("add") OP("A", "9000") HOST("copy") OP("A", "7000");

static struct ts_advice_groups *groups_of(const struct ts_perf_report *report)
{
    struct ts_context context;
    struct ts_error error;
    struct ts_advice_groups *groups = NULL;
    ts_context_init(&context);
    assert_int_equal(ts_advice_groups_create(&context, report, &groups, &error), TS_OK);
    return groups;
}

/* "4 7|5" of the ids in each group. */
static const char *ids(const struct ts_advice_list *list)
{
    static char text[512];
    size_t len = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t j = 0; j < list->groups[i].count; j++)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%u",
                                    j   ? " "
                                    : i ? "|"
                                        : "",
                                    list->groups[i].rows[j] + 2);
    return text;
}

static void test_what_goes_together(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(capture, NULL);
    struct ts_advice_groups *groups = groups_of(report);
    assert_string_equal(ids(&groups->host), "4 11|9");
    assert_string_equal(ids(&groups->gaps), "8|10 12|5"); /* 6.5 us is not above */
    assert_string_equal(ids(&groups->matmuls), "3 7|5");  /* the one in L1 gets other advice */
    assert_int_equal(groups->host.rows, 3);
    assert_int_equal(groups->gaps.rows, 4);
    ts_advice_groups_destroy(groups);
    ts_perf_report_destroy(report);
}

static void test_figures(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(capture, NULL);
    struct ts_advice_groups *groups = groups_of(report);
    /* (20 - 6) + (9 - 6) + (7 - 6) + (7 - 6) */
    assert_true(fabs(groups->gap_saving - 19) < 1e-9);
    double all = report->device_time_total + report->gap_total;
    assert_true(fabs(groups->gap_saving_percent - 1900 / all) < 1e-9);
    assert_true(fabs(groups->gaps.groups[1].gap - 16) < 1e-9);
    assert_true(fabs(groups->gaps.groups[1].gap_largest - 9) < 1e-9);

    const struct ts_advice_group *matmul = &groups->matmuls.groups[0];
    assert_true(fabs(matmul->device_time - 3000) < 1e-9);
    assert_int_equal(matmul->bound, TS_BOUND_SLOW);
    assert_int_equal(matmul->verdict, TS_FIDELITY_SUFFICIENT);
    assert_true(fabs(matmul->dram_percent.high - 2 * matmul->dram_percent.low) < 1e-9);
    assert_true(fabs(matmul->flops_percent.high - 2 * matmul->flops_percent.low) < 1e-9);
    /* The FLOPs roofline is nearer: 3.26 % of 1 ms and half of that of 2 ms are what it needs. */
    double needed = 1000 * matmul->flops_percent.high / 100 * 2;
    assert_true(matmul->flops_percent.high > matmul->dram_percent.high);
    assert_true(fabs(matmul->roofline_saving - (3000 - needed)) < 1e-6);
    assert_int_equal(matmul->advice_count, 2);
    assert_int_equal(matmul->advice[0].code, TS_ADVICE_INPUT0_TO_L1);
    ts_advice_groups_destroy(groups);
    ts_perf_report_destroy(report);
}

static void test_nothing(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(HEADER OP("A", "100"), NULL);
    struct ts_advice_groups *groups = groups_of(report);
    assert_int_equal(groups->host.count + groups->gaps.count + groups->matmuls.count, 0);
    assert_true(groups->gap_saving == 0 && groups->gap_saving_percent == 0);
    ts_advice_groups_destroy(groups);
    ts_advice_groups_destroy(NULL);
    ts_perf_report_destroy(report);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(capture, NULL);
    struct ts_context context;
    ts_context_init(&context);
    long good = 0;
    for (bool failed = true; failed; good++) {
        struct ts_error error = {0};
        struct ts_advice_groups *groups = NULL;
        interpose_fail_from(good);
        enum ts_status status = ts_advice_groups_create(&context, report, &groups, &error);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        assert_true(failed == (groups == NULL));
        ts_advice_groups_destroy(groups);
    }
    assert_true(good > 5);
    ts_perf_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_goes_together),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
