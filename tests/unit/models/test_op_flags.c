#include "models/op_flags.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "base/number.h"
#include "support/perf_table.h"

static const struct ts_max_cores no_cores = {0, TS_MAX_CORES_ROWS};
static const struct ts_max_cores cores_64 = {64, TS_MAX_CORES_ARCHITECTURE};

#define HEADER "OP CODE,OP TYPE,DEVICE ID,CORE COUNT,DEVICE KERNEL DURATION [ns],PM IDEAL [ns]\n"
#define OP(code, cores, duration, ideal) code ",tt_dnn_device,0," cores "," duration "," ideal "\n"

/* The flags of a row of a report on csv; *flags_out, unless NULL, is filled. */
static unsigned flags_of(const char *csv, uint32_t row, struct ts_max_cores max_cores, bool repeat_miss,
                         struct ts_op_flags *flags_out)
{
    struct ts_perf_report *report = perf_table_report_of(csv, NULL);
    struct ts_op_flags flags = ts_op_flags(report, row, max_cores, repeat_miss);
    if (flags_out)
        *flags_out = flags;
    ts_perf_report_destroy(report);
    return flags.set;
}

/* ---- figures put into a report as no CSV gives them so easily ---- */

struct figures {
    enum ts_bound bound;
    double dram_percent, flops_percent, total_percent;
};

static struct ts_op_flags flags_with(struct figures figures)
{
    struct ts_perf_report *report = perf_table_report_of(HEADER OP("A", "64", "1000", ""), NULL);
    report->rows[0].bound = (uint8_t)figures.bound;
    report->rows[0].dram_percent = figures.dram_percent;
    report->rows[0].flops_percent = figures.flops_percent;
    report->rows[0].total_percent = figures.total_percent;
    struct ts_op_flags flags = ts_op_flags(report, 0, cores_64, false);
    ts_perf_report_destroy(report);
    return flags;
}

static void test_dram_bound(void **state)
{
    (void)state;
    const unsigned dram = 1u << TS_FLAG_DRAM_BOUND;
    struct ts_op_flags flags = flags_with((struct figures){TS_BOUND_DRAM, 70, 10, 3});
    assert_int_equal(flags.set, dram);
    assert_true(flags.dram_from_bound);
    flags = flags_with((struct figures){TS_BOUND_SLOW, 30, 20, 3});
    assert_int_equal(flags.set, dram);
    assert_false(flags.dram_from_bound);
    assert_int_equal(flags_with((struct figures){TS_BOUND_SLOW, 20, 20, 3}).set, 0);
    assert_int_equal(flags_with((struct figures){TS_BOUND_SLOW, 20, 30, 3}).set, 0);
    assert_int_equal(flags_with((struct figures){TS_BOUND_SLOW, 20, TS_ABSENT, 3}).set, 0);
    assert_int_equal(flags_with((struct figures){TS_BOUND_SLOW, TS_ABSENT, 20, 3}).set, 0);
    assert_int_equal(flags_with((struct figures){TS_BOUND_BOTH, 70, 66, 3}).set, 0);
    assert_int_equal(flags_with((struct figures){TS_BOUND_FLOP, 50, 66, 3}).set, 0);
}

static void test_small_rows_are_not_flagged(void **state)
{
    (void)state;
    assert_int_equal(flags_with((struct figures){TS_BOUND_DRAM, 70, 10, 0.5}).set, 1u << TS_FLAG_DRAM_BOUND);
    assert_int_equal(flags_with((struct figures){TS_BOUND_DRAM, 70, 10, 0.4999}).set, 0);
    assert_int_equal(flags_with((struct figures){TS_BOUND_DRAM, 70, 10, TS_ABSENT}).set, 0);
}

static void test_low_utilisation(void **state)
{
    (void)state;
    const unsigned low = 1u << TS_FLAG_LOW_UTILISATION;
    struct ts_op_flags flags;
    /* 250 of 1000 ns on 32 of 32 cores */
    const char header[] = "OP CODE,OP TYPE,DEVICE ID,CORE COUNT,AVAILABLE WORKER CORE COUNT,"
                          "DEVICE KERNEL DURATION [ns],PM IDEAL [ns]\n";
    char csv[400];
#define ROW(cores, available, duration, ideal)                                                                         \
    (snprintf(csv, sizeof csv, "%sA,tt_dnn_device,0,%s,%s,%s,%s\n", header, cores, available, duration, ideal), csv)
    assert_int_equal(flags_of(ROW("32", "32", "1000", "250"), 0, cores_64, false, &flags), low);
    assert_true(flags.core_utilisation_percent == 25);
    /* the same on half of 64 cores is 50 % */
    assert_int_equal(flags_of(ROW("32", "64", "1000", "250"), 0, cores_64, false, &flags), 0);
    assert_false(ts_present(flags.core_utilisation_percent));
    assert_int_equal(flags_of(ROW("32", "32", "1000", "300"), 0, cores_64, false, NULL), 0);
    assert_int_equal(flags_of(ROW("32", "32", "1000", "299.9999"), 0, cores_64, false, &flags), low);
    assert_true(flags.core_utilisation_percent == 29.999);
    assert_int_equal(flags_of(ROW("32", "32", "1000000", "299999.9999999999"), 0, cores_64, false, &flags), low);
    assert_true(flags.core_utilisation_percent == 29.999);
    /* cut, not rounded */
    assert_int_equal(flags_of(ROW("32", "32", "100000", "12345.9"), 0, cores_64, false, &flags), low);
    assert_true(flags.core_utilisation_percent == 12.345);
    /* the placeholder, and what rounds to it */
    assert_int_equal(flags_of(ROW("32", "32", "1000", "1"), 0, cores_64, false, NULL), 0);
    assert_int_equal(flags_of(ROW("32", "32", "1000", "1.0004"), 0, cores_64, false, NULL), 0);
    assert_int_equal(flags_of(ROW("32", "32", "1000", "1.0006"), 0, cores_64, false, NULL), low);
    /* nothing to tell from */
    assert_int_equal(flags_of(ROW("32", "32", "1000", "0"), 0, cores_64, false, NULL), 0);
    assert_int_equal(flags_of(ROW("32", "32", "1000", "-5"), 0, cores_64, false, NULL), 0);
    assert_int_equal(flags_of(ROW("32", "32", "1000", ""), 0, cores_64, false, NULL), 0);
    assert_int_equal(flags_of(ROW("", "32", "1000", "250"), 0, cores_64, false, NULL), 0);
#undef ROW
}

static void test_underutilised_cores(void **state)
{
    (void)state;
    const unsigned few = 1u << TS_FLAG_UNDERUTILISED_CORES;
    struct ts_op_flags flags;
    /* wormhole has 64 worker cores */
    assert_int_equal(flags_of(HEADER OP("A", "15", "1000", ""), 0, cores_64, false, &flags), few);
    assert_int_equal(flags.core_capacity, 64);
    assert_true(flags.capacity_from_available);
    assert_int_equal(flags_of(HEADER OP("A", "16", "1000", ""), 0, cores_64, false, NULL), 0);
    assert_int_equal(flags_of(HEADER OP("A", "", "1000", ""), 0, cores_64, false, NULL), 0);
    assert_int_equal(flags_of(HEADER OP("A", "15", "1000", ""), 0, no_cores, false, NULL), 0);
}

static void test_capacity_without_available_cores(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(HEADER OP("A", "15", "1000", ""), NULL);
    report->source->facts[0].available_cores = -1;
    struct ts_op_flags flags = ts_op_flags(report, 0, (struct ts_max_cores){100, TS_MAX_CORES_ROWS}, false);
    assert_int_equal(flags.set, 1u << TS_FLAG_UNDERUTILISED_CORES);
    assert_int_equal(flags.core_capacity, 100);
    assert_false(flags.capacity_from_available);
    ts_perf_report_destroy(report);
}

static void test_recompute_candidate(void **state)
{
    (void)state;
    const unsigned again = 1u << TS_FLAG_RECOMPUTE_CANDIDATE;
    /* not gated */
    const char csv[] =
        HEADER OP("A", "64", "1000000", "") OP("B", "64", "10", "") "(torch) h,host,,,,\nmark,signpost,,,,\n";
    assert_int_equal(flags_of(csv, 1, cores_64, true, NULL), again);
    assert_int_equal(flags_of(csv, 1, cores_64, false, NULL), 0);
    /* a host operation and a signpost have no flag at all */
    assert_int_equal(flags_of(csv, 2, cores_64, true, NULL), 0);
    assert_int_equal(flags_of(csv, 3, cores_64, true, NULL), 0);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(ts_op_flag_name(TS_FLAG_DRAM_BOUND), "dram_bound");
    assert_string_equal(ts_op_flag_name(TS_FLAG_LOW_UTILISATION), "low_utilisation");
    assert_string_equal(ts_op_flag_name(TS_FLAG_UNDERUTILISED_CORES), "underutilised_cores");
    assert_string_equal(ts_op_flag_name(TS_FLAG_RECOMPUTE_CANDIDATE), "recompute_candidate");
    assert_string_equal(ts_max_cores_source_name(TS_MAX_CORES_DEVICE_LOG), "device_log");
    assert_string_equal(ts_max_cores_source_name(TS_MAX_CORES_ARCHITECTURE), "architecture_default");
    assert_string_equal(ts_max_cores_source_name(TS_MAX_CORES_ROWS), "report_rows");
    assert_string_equal(ts_max_cores_source_name(TS_MAX_CORES_FALLBACK), "fallback_default");
}

static void check_max_cores(const struct ts_device_log_head *head, const char *cores, uint32_t expected,
                            enum ts_max_cores_source source)
{
    char csv[200];
    snprintf(csv, sizeof csv, "%sA,tt_dnn_device,0,%s,,\nB,tt_dnn_device,0,3,,\n", HEADER, cores);
    struct ts_perf_report *report = perf_table_report_of(csv, NULL);
    struct ts_max_cores max = ts_max_cores(head, report);
    assert_int_equal(max.cores, expected);
    assert_int_equal(max.source, source);
    ts_perf_report_destroy(report);
}

static void test_max_cores(void **state)
{
    (void)state;
    check_max_cores(NULL, "64", 64, TS_MAX_CORES_ARCHITECTURE);
    check_max_cores(NULL, "65", 65, TS_MAX_CORES_ROWS);
    struct ts_device_log_head head = {.arch = TS_STR("Blackhole"), .max_cores = -1};
    check_max_cores(&head, "64", 130, TS_MAX_CORES_ARCHITECTURE);
    check_max_cores(&head, "131", 131, TS_MAX_CORES_ROWS);
    head.max_cores = 56; /* never raised by what rows used */
    check_max_cores(&head, "131", 56, TS_MAX_CORES_DEVICE_LOG);
    head.max_cores = 0;
    check_max_cores(&head, "131", 64, TS_MAX_CORES_FALLBACK);
    head.max_cores = INT64_MAX;
    check_max_cores(&head, "1", UINT32_MAX, TS_MAX_CORES_DEVICE_LOG);
    head = (struct ts_device_log_head){.max_cores = -1};
    check_max_cores(&head, "1", 64, TS_MAX_CORES_ARCHITECTURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dram_bound),
        cmocka_unit_test(test_small_rows_are_not_flagged),
        cmocka_unit_test(test_low_utilisation),
        cmocka_unit_test(test_underutilised_cores),
        cmocka_unit_test(test_capacity_without_available_cores),
        cmocka_unit_test(test_recompute_candidate),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_max_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
