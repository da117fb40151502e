#include "models/op_detail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "base/number.h"
#include "support/perf_table.h"

/* A report of device operations that fill one column (or two). */
static struct ts_perf_report *report_of(const char *columns, const char *const *cells)
{
    static char csv[8192];
    size_t len = (size_t)snprintf(csv, sizeof csv, "OP CODE,OP TYPE,DEVICE ID,%s\n", columns);
    for (size_t i = 0; cells[i]; i++)
        len += (size_t)snprintf(csv + len, sizeof csv - len, "A,tt_dnn_device,0,%s\n", cells[i]);
    return perf_table_report_of(csv, NULL);
}
#define REPORT(columns, ...) report_of(columns, (const char *const[]){__VA_ARGS__, NULL})

/* A value as text, as an answer would show it. */
static const char *shown(const struct ts_perf_report *report, uint32_t row, enum ts_detail_field field)
{
    static char text[512];
    struct ts_detail_value value = ts_detail_value(report, row, field);
    struct ts_str rest = value.text, item;
    size_t len = 0;
    switch (value.type) {
    case TS_DETAIL_NULL:
        return "null";
    case TS_DETAIL_NUMBER:
        ts_number_json(value.number, text);
        return text;
    case TS_DETAIL_INTEGER:
        snprintf(text, sizeof text, "i%lld", (long long)value.integer);
        return text;
    case TS_DETAIL_BOOLEAN:
        return value.boolean ? "true" : "false";
    case TS_DETAIL_TEXT:
        snprintf(text, sizeof text, "'%.*s'", TS_STR_ARG(value.text));
        return text;
    case TS_DETAIL_LIST:
        len = (size_t)snprintf(text, sizeof text, "[");
        while (ts_detail_list_next(&rest, &item))
            len += (size_t)snprintf(text + len, sizeof text - len, "<%.*s>", TS_STR_ARG(item));
        snprintf(text + len, sizeof text - len, "]");
        return text;
    }
    return "?";
}

struct expected {
    const char *cell, *shown;
};

static void check_cells(const char *column, enum ts_detail_field field, const struct expected *expected)
{
    const char *cells[32] = {NULL};
    for (size_t i = 0; expected[i].cell; i++)
        cells[i] = expected[i].cell;
    struct ts_perf_report *report = report_of(column, cells);
    for (uint32_t i = 0; expected[i].cell; i++)
        assert_string_equal(shown(report, i, field), expected[i].shown);
    ts_perf_report_destroy(report);
}
#define CHECK(column, field, ...)                                                                                      \
    check_cells(column, TS_FIELD_##field, (const struct expected[]){__VA_ARGS__, {NULL, NULL}})

static void test_numbers(void **state)
{
    (void)state;
    CHECK("NOC UTIL (%)", NOC_UTIL_PERCENT, {"12.34567", "12.346"}, {"0", "0"}, {" 5 ", "5"}, {"", "null"},
          {"nan", "null"}, {"inf", "null"}, {"x", "null"}, {"1e2", "100"}, {"-0.0001", "0"}, {"0.0005", "0.001"},
          {"2.0005", "2.001"});
}

static void test_microseconds(void **state)
{
    (void)state;
    CHECK("DEVICE KERNEL DURATION [ns]", KERNEL_US, {"38999.5", "38.999"}, {"3.75", "0.004"}, {"41000", "41"},
          {"", "null"}, {"1", "0.001"});
    CHECK("DEVICE BRISC KERNEL DURATION [ns]", BRISC_US, {"40250", "40.25"});
    CHECK("DEVICE NCRISC KERNEL DURATION [ns]", NCRISC_US, {"40250", "40.25"});
    CHECK("DEVICE TRISC0 KERNEL DURATION [ns]", TRISC0_US, {"40250", "40.25"});
    CHECK("DEVICE TRISC1 KERNEL DURATION [ns]", TRISC1_US, {"40250", "40.25"});
    CHECK("DEVICE TRISC2 KERNEL DURATION [ns]", TRISC2_US, {"40250", "40.25"});
    CHECK("DEVICE ERISC KERNEL DURATION [ns]", ERISC_US, {"40250", "40.25"});
    CHECK("DEVICE COMPUTE CB WAIT FRONT [ns]", COMPUTE_CB_WAIT_FRONT_US, {"12345", "12.345"});
    CHECK("DEVICE COMPUTE CB RESERVE BACK [ns]", COMPUTE_CB_RESERVE_BACK_US, {"678", "0.678"});
    CHECK("DEVICE KERNEL FIRST TO LAST START [ns]", FIRST_TO_LAST_START_US, {"321", "0.321"});
    CHECK("DEVICE KERNEL DURATION PER CORE MIN [ns]", PER_CORE_MIN_US, {"39000", "39"});
    CHECK("DEVICE KERNEL DURATION PER CORE MAX [ns]", PER_CORE_MAX_US, {"40999", "40.999"});
    CHECK("DEVICE KERNEL DURATION PER CORE AVG [ns]", PER_CORE_AVG_US, {"40000.1234", "40"});
    CHECK("DISPATCH TOTAL CQ CMD OP TIME [ns]", DISPATCH_CQ_CMD_OP_US, {"1500", "1.5"});
    CHECK("DISPATCH GO SEND WAIT TIME [ns]", DISPATCH_GO_SEND_WAIT_US, {"2500", "2.5"});
}

static void test_the_placeholder_is_no_value(void **state)
{
    (void)state;
    CHECK("PM IDEAL [ns]", IDEAL_US, {"30000", "30"}, {"1", "null"}, {"1.0", "null"}, {"1.0004", "null"},
          {"0.9996", "null"}, {"1.0006", "0.001"}, {"0", "0"}, {"2", "0.002"});
    CHECK("PM COMPUTE [ns]", IDEAL_COMPUTE_US, {"20000", "20"}, {"1", "null"});
    CHECK("PM BANDWIDTH [ns]", IDEAL_BANDWIDTH_US, {"20000", "20"}, {"1", "null"});
    CHECK("PM FPU UTIL (%),PM COMPUTE [ns]", FPU_UTIL_PERCENT, {"48.7,20000", "48.7"}, {"0.5,1", "null"},
          {"0.5,", "0.5"}, {",5", "null"});
}

static void test_texts(void **state)
{
    (void)state;
    CHECK("INPUT_0_DATATYPE", INPUT_0_DATATYPE, {"BFLOAT16", "'BFLOAT16'"}, {" x ", "'x'"}, {"", "null"},
          {"nan", "null"}, {"NaN", "null"}, {"None", "null"}, {" None ", "null"}, {"NA", "'NA'"}, {"   ", "null"});
    CHECK("INPUT_1_DATATYPE", INPUT_1_DATATYPE, {"A", "'A'"});
    CHECK("OUTPUT_0_DATATYPE", OUTPUT_DATATYPE, {"A", "'A'"});
    CHECK("INPUT_0_MEMORY", INPUT_0_MEMORY, {"DEV_0_L1_X", "'DEV_0_L1_X'"});
    CHECK("DRAM BW UTIL PER CTRL (%)", DRAM_BW_UTIL_PER_CONTROLLER, {"[1.0; 2.0]", "'[1.0; 2.0]'"});
    CHECK("ETH BW UTIL (%)", ETH_BW_UTIL_PER_CORE, {"5", "'5'"});
    CHECK("PROGRAM HASH", PROGRAM_HASH, {"123", "'123'"});
}

static void test_fidelity_and_flags(void **state)
{
    (void)state;
    CHECK("MATH FIDELITY", MATH_FIDELITY, {"LoFi", "'LoFi'"}, {"HiFi2", "'HiFi2'"}, {" HiFi3 ", "'HiFi3'"},
          {"HiFi4", "'HiFi4'"}, {"hifi4", "null"}, {"HiFi5", "null"}, {"", "null"});
    CHECK("PROGRAM CACHE HIT", PROGRAM_CACHE_HIT, {"True", "true"}, {"False", "false"}, {" True", "null"},
          {"true", "null"}, {"1", "null"}, {"", "null"});
}

static void test_counts(void **state)
{
    (void)state;
    CHECK("GLOBAL CALL COUNT", GLOBAL_CALL_COUNT, {"1024", "i1024"}, {"1024.0", "i1024"}, {"2.9996", "i3"},
          {"2.5", "i2"}, {"-2.5", "i-2"}, {"9007199254740993", "i9007199254740993"},
          {"9223372036854775807", "i9223372036854775807"}, {"1e30", "1e30"}, {"x", "null"}, {"", "null"},
          {"nan", "null"});
    CHECK("METAL TRACE ID", METAL_TRACE_ID, {"3", "i3"});
    CHECK("METAL TRACE REPLAY SESSION ID", METAL_TRACE_REPLAY_SESSION_ID, {"1", "i1"});
}

static void test_lists(void **state)
{
    (void)state;
    CHECK("COMPUTE KERNEL SOURCE", COMPUTE_KERNELS, {"['a/compute/mm.cpp']", "[<a/compute/mm.cpp>]"},
          {"['a'; 'b' ;\tc]", "[<a><b><c>]"}, {"[]", "[]"}, {"", "null"}, {"x;;y", "[<x><y>]"}, {"[;' ';]", "[< >]"},
          {"[[a]]", "[<[a]>]"}, {"[", "[<[>]"}, {"nan", "null"}, {" [a] ", "[<a>]"});
    CHECK("COMPUTE KERNEL HASH", COMPUTE_KERNEL_HASHES, {"['h']", "[<h>]"});
    CHECK("DATA MOVEMENT KERNEL SOURCE", DATA_MOVEMENT_KERNELS, {"['h']", "[<h>]"});
    CHECK("DATA MOVEMENT KERNEL HASH", DATA_MOVEMENT_KERNEL_HASHES, {"['h']", "[<h>]"});
}

static void test_what_the_report_computes(void **state)
{
    (void)state;
    CHECK("ATTRIBUTES", INNER_DIM_BLOCK_SIZE, {"program_config in0_block_w=4", "i4"}, {"in0_block_w=4", "null"},
          {"", "null"});
    CHECK("ATTRIBUTES", OUTPUT_SUBBLOCK_H, {"program_config out_subblock_h=2", "i2"});
    CHECK("ATTRIBUTES", OUTPUT_SUBBLOCK_W, {"program_config out_subblock_w=3", "i3"});
    CHECK("AVAILABLE WORKER CORE COUNT", AVAILABLE_CORES, {"40", "i40"}, {"", "i40"});
    CHECK("ATTRIBUTES", DRAM_SHARDED, {"", "false"});
    CHECK("OP TO OP LATENCY [ns]", OP_TO_OP_GAP_US, {"5", "null"}, {"1234.5678", "1.235"});

    struct ts_perf_report *report = REPORT("ATTRIBUTES", "");
    report->rows[0].dram_gb_per_s = 12.3456;
    report->rows[0].dram_percent = 1.23456;
    report->rows[0].tflops = 3;
    report->rows[0].flops_percent = TS_ABSENT;
    assert_string_equal(shown(report, 0, TS_FIELD_DRAM_GB_PER_S), "12.346");
    assert_string_equal(shown(report, 0, TS_FIELD_DRAM_PERCENT), "1.235");
    assert_string_equal(shown(report, 0, TS_FIELD_TFLOPS), "3");
    assert_string_equal(shown(report, 0, TS_FIELD_FLOPS_PERCENT), "null");
    assert_string_equal(shown(report, 0, TS_FIELD_ADVICE), "null");
    ts_perf_report_destroy(report);
}

static void test_groups(void **state)
{
    (void)state;
    assert_int_equal(ts_detail_group_of(TS_FIELD_MATH_FIDELITY), TS_DETAIL_CONFIG);
    assert_int_equal(ts_detail_group_of(TS_FIELD_FPU_UTIL_PERCENT), TS_DETAIL_UTILISATION);
    assert_int_equal(ts_detail_group_of(TS_FIELD_NPE_CONGESTION_IMPACT_PERCENT), TS_DETAIL_NOC);
    assert_int_equal(ts_detail_group_of(TS_FIELD_KERNEL_US), TS_DETAIL_RISCS);
    assert_int_equal(ts_detail_group_of(TS_FIELD_AVAILABLE_CORES), TS_DETAIL_CORES);
    assert_int_equal(ts_detail_group_of(TS_FIELD_METAL_TRACE_REPLAY_SESSION_ID), TS_DETAIL_DISPATCH);
    assert_int_equal(ts_detail_group_of(TS_FIELD_GLOBAL_CALL_COUNT), TS_DETAIL_CACHE);
    assert_int_equal(ts_detail_group_of(TS_FIELD_DATA_MOVEMENT_KERNEL_HASHES), TS_DETAIL_KERNELS);
    assert_int_equal(ts_detail_group_of(TS_FIELD_ADVICE), TS_DETAIL_ADVICE);
}

/* ---- absence ---- */

static void check_absence(const char *columns, const char *first, const char *second, enum ts_detail_field field,
                          enum ts_detail_absence expected)
{
    struct ts_perf_report *report = REPORT(columns, first, second);
    assert_int_equal(ts_detail_absence(report, field), expected);
    ts_perf_report_destroy(report);
}

static void test_absence_of_columns(void **state)
{
    (void)state;
    struct ts_perf_report *report = REPORT("ATTRIBUTES", "", "");
    for (int field = 0; field < TS_DETAIL_FIELD_COUNT; field++) {
        enum ts_detail_absence expected = TS_ABSENT_NO_COLUMN;
        switch (field) {
        case TS_FIELD_DRAM_SHARDED:
        case TS_FIELD_AVAILABLE_CORES:
        case TS_FIELD_ADVICE:
            expected = TS_PRESENT_SOMEWHERE;
            break;
        case TS_FIELD_INNER_DIM_BLOCK_SIZE:
        case TS_FIELD_OUTPUT_SUBBLOCK_H:
        case TS_FIELD_OUTPUT_SUBBLOCK_W:
        case TS_FIELD_DRAM_GB_PER_S:
        case TS_FIELD_DRAM_PERCENT:
        case TS_FIELD_TFLOPS:
        case TS_FIELD_FLOPS_PERCENT:
        case TS_FIELD_OP_TO_OP_GAP_US:
            expected = TS_ABSENT_EMPTY;
            break;
        default:
            break;
        }
        if (ts_detail_absence(report, (enum ts_detail_field)field) != expected)
            fail_msg("field %d", field);
    }
    ts_perf_report_destroy(report);
}

static void test_absence_of_values(void **state)
{
    (void)state;
    check_absence("PM IDEAL [ns]", "1", "", TS_FIELD_IDEAL_US, TS_ABSENT_MODELLED);
    check_absence("PM IDEAL [ns]", "1", "2", TS_FIELD_IDEAL_US, TS_PRESENT_SOMEWHERE);
    check_absence("PM FPU UTIL (%),PM COMPUTE [ns]", "5,1", "6,1", TS_FIELD_FPU_UTIL_PERCENT, TS_ABSENT_MODELLED);
    check_absence("PM FPU UTIL (%),PM COMPUTE [ns]", "5,1", "6,", TS_FIELD_FPU_UTIL_PERCENT, TS_PRESENT_SOMEWHERE);
    check_absence("NOC UTIL (%)", "", "nan", TS_FIELD_NOC_UTIL_PERCENT, TS_ABSENT_CAPTURE_OPTION);
    check_absence("NOC UTIL (%)", "", "0", TS_FIELD_NOC_UTIL_PERCENT, TS_PRESENT_SOMEWHERE);
    check_absence("ETH BW UTIL (%)", "nan", "None", TS_FIELD_ETH_BW_UTIL_PER_CORE, TS_ABSENT_CAPTURE_OPTION);
    check_absence("ETH BW UTIL (%)", "nan", "x", TS_FIELD_ETH_BW_UTIL_PER_CORE, TS_PRESENT_SOMEWHERE);
    check_absence("DISPATCH GO SEND WAIT TIME [ns]", "", "", TS_FIELD_DISPATCH_GO_SEND_WAIT_US,
                  TS_ABSENT_CAPTURE_OPTION);
    check_absence("DISPATCH TOTAL CQ CMD OP TIME [ns]", "", "", TS_FIELD_DISPATCH_CQ_CMD_OP_US,
                  TS_ABSENT_CAPTURE_OPTION);
    check_absence("METAL TRACE ID", "", "-", TS_FIELD_METAL_TRACE_ID, TS_ABSENT_CAPTURE_OPTION);
    check_absence("METAL TRACE REPLAY SESSION ID", "", "", TS_FIELD_METAL_TRACE_REPLAY_SESSION_ID,
                  TS_ABSENT_CAPTURE_OPTION);
    check_absence("PROGRAM CACHE HIT", "true", "", TS_FIELD_PROGRAM_CACHE_HIT, TS_ABSENT_EMPTY);
    check_absence("PROGRAM CACHE HIT", "true", "False", TS_FIELD_PROGRAM_CACHE_HIT, TS_PRESENT_SOMEWHERE);
    check_absence("MATH FIDELITY", "odd", "odd", TS_FIELD_MATH_FIDELITY, TS_ABSENT_EMPTY);
    check_absence("COMPUTE KERNEL SOURCE", "", "[]", TS_FIELD_COMPUTE_KERNELS, TS_PRESENT_SOMEWHERE);
    check_absence("DEVICE ERISC KERNEL DURATION [ns]", "", "", TS_FIELD_ERISC_US, TS_ABSENT_EMPTY);
    check_absence("OP TO OP LATENCY [ns]", "5", "7", TS_FIELD_OP_TO_OP_GAP_US, TS_PRESENT_SOMEWHERE);
    check_absence("OP TO OP LATENCY [ns]", "5", "", TS_FIELD_OP_TO_OP_GAP_US, TS_ABSENT_EMPTY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_microseconds),
        cmocka_unit_test(test_the_placeholder_is_no_value),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_fidelity_and_flags),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_what_the_report_computes),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_absence_of_columns),
        cmocka_unit_test(test_absence_of_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
