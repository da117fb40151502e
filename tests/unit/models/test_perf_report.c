#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/number.h"
#include "support/interpose_malloc.c"
#include "support/perf_table.h"

#define HEADER "OP CODE,OP TYPE,DEVICE ID,HOST START TS,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]\n"
#define OP(code, device, time, latency, duration) code ",tt_dnn_device," device "," time "," latency "," duration "\n"
#define SIGNPOST(name) name ",signpost,,,,\n"
#define HOST(name, latency)                                                                                            \
    "(torch) " name ",host,,"                                                                                          \
    "," latency ",\n"

static void check_number(const char *what, uint32_t row, double got, double expected)
{
    if (got != expected && !(got != got && expected != expected))
        fail_msg("%s of row %u: %.17g, not %.17g", what, row, got, expected);
}

/* Device time and gap of every row, absent as NaN. */
static void check_times(const struct ts_perf_report *report, const double (*expected)[2])
{
    for (uint32_t i = 0; i < report->count; i++) {
        check_number("device time", i, report->rows[i].device_time, expected[i][0]);
        check_number("gap", i, report->rows[i].op_to_op_gap, expected[i][1]);
    }
}
#define NONE __builtin_nan("")

static void test_which_durations_are_usable(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(
        HEADER OP("A", "0", "", "0", "1500.5") OP("B", "0", "", "-2000000", "1000000")
            OP("C", "0", "", "-3000000", "10000000") OP("D", "0", "", "-1000000", "") OP("E", "0", "", "-5", "0")
                OP("F", "0", "", "7", "-1") OP("G", "0", "", "-1000001", "3000000") HOST("h", ""),
        NULL);
    static const double expected[][2] = {{1.5005, NONE}, {NONE, NONE},  {10000, NONE}, {NONE, NONE},
                                         {0, NONE},      {NONE, 0.007}, {3000, NONE},  {NONE, NONE}};

    assert_int_equal(report->count, 8);
    check_times(report, expected);
    assert_int_equal(report->invalid_durations, 4); /* B, D, F and the host operation */
    assert_int_equal(report->device_ops, 7);
    assert_int_equal(report->timed_ops, 4);
    assert_int_equal(report->gaps_dropped_negative, 5);
    assert_int_equal(report->gaps_dropped_invalid, 0);
    ts_perf_report_destroy(report);
}

static void test_gaps_need_a_row_before_them(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(
        HEADER SIGNPOST("S") OP("A", "0", "", "500", "10") SIGNPOST("T") OP("B", "0", "", "600", "10"), NULL);
    static const double expected[][2] = {{NONE, NONE}, {0.01, NONE}, {NONE, NONE}, {0.01, 0.6}};

    check_times(report, expected);
    assert_int_equal(report->gaps_dropped_negative + report->gaps_dropped_invalid, 0);
    assert_false(report->rows[1].gap_dropped);
    assert_int_equal(report->invalid_durations, 0);
    ts_perf_report_destroy(report);

    /* the host operation is the first row: it has no gap, the device operation after it does */
    report = perf_table_report_of(HEADER HOST("h", "9") OP("A", "0", "", "500", "10"), NULL);
    static const double after_host[][2] = {{NONE, NONE}, {0.01, 0.5}};
    check_times(report, after_host);
    ts_perf_report_destroy(report);
}

static void test_long_gaps_beside_a_row_without_a_duration(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(
        HEADER OP("A", "0", "", "", "10") OP("B", "0", "", "2000000", "") OP("C", "0", "", "2000000", "5")
            OP("D", "0", "", "2000000", "5") HOST("h", "7000") SIGNPOST("S") OP("E", "0", "", "1000001", "5")
                HOST("i", "") OP("F", "0", "", "1000000", "5"),
        NULL);
    static const double expected[][2] = {{0.01, NONE}, {NONE, NONE},  {0.005, NONE}, {0.005, 2000}, {NONE, 7},
                                         {NONE, NONE}, {0.005, NONE}, {NONE, NONE},  {0.005, 1000}};

    check_times(report, expected);
    assert_int_equal(report->gaps_dropped_invalid, 3);
    assert_int_equal(report->gaps_dropped_negative, 0);
    assert_true(report->rows[6].gap_dropped);
    assert_false(report->rows[6].gap_negative);
    ts_perf_report_destroy(report);
}

static void test_totals_and_shares(void **state)
{
    (void)state;
    struct ts_perf_report *report =
        perf_table_report_of(HEADER OP("A", "0", "", "", "123927") SIGNPOST("S") HOST("h", "1000")
                                 OP("B", "0", "", "297295", "123539") OP("C", "0", "", "-1", ""),
                             NULL);
    double device_time = 123.927 + 123.539, gaps = 1.0 + 297.295, total = device_time + gaps;

    check_number("total", 0, report->device_time_total, device_time);
    check_number("total", 1, report->gap_total, gaps);
    check_number("share", 0, report->rows[0].total_percent, 123.927 / total * 100);
    check_number("share", 1, report->rows[1].total_percent, NONE);
    check_number("share", 2, report->rows[2].total_percent, 1.0 / total * 100);
    check_number("share", 3, report->rows[3].total_percent, (123.539 + 297.295) / total * 100);
    check_number("share", 4, report->rows[4].total_percent, NONE);
    assert_int_equal(report->rows[2].bound, TS_BOUND_HOST);
    assert_int_equal(report->rows[3].bound, TS_BOUND_NONE);
    ts_perf_report_destroy(report);

    report = perf_table_report_of(HEADER OP("A", "0", "", "", "0"), NULL);
    check_number("share of nothing", 0, report->rows[0].total_percent, NONE);
    check_number("device time", 0, report->rows[0].device_time, 0);
    ts_perf_report_destroy(report);
}

static void test_host_rows_have_no_device_time(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(
        HEADER OP("A", "0", "", "", "10") "(torch) h,host,0,,5,900\n" OP("B", "0", "", "2000000", "10"), NULL);
    static const double expected[][2] = {{0.01, NONE}, {NONE, 0.005}, {0.01, 2000}}; /* its duration is valid, though */

    check_times(report, expected);
    check_number("total", 0, report->device_time_total, 0.02);
    assert_int_equal(report->invalid_durations, 0);
    assert_int_equal(report->device_ops, 2);
    ts_perf_report_destroy(report);
}

/* ---- rooflines ---- */

#define TENSOR(name) name "_W," name "_Z," name "_Y," name "_X," name "_DATATYPE," name "_MEMORY"
#define SHAPED                                                                                                         \
    "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT,DEVICE KERNEL DURATION [ns]," TENSOR(               \
        "INPUT_0") "," TENSOR("INPUT_1") "," TENSOR("OUTPUT_0") "\n"
#define K1 "1,1,1024,1024,BFLOAT16,DEV_0_DRAM_INTERLEAVED"
#define MATMUL(attributes, fidelity, cores, duration)                                                                  \
    "Matmul,tt_dnn_device,0," attributes "," fidelity "," cores "," duration "," K1 "," K1 "," K1 "\n"
#define SHARDED "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"

static void check_roofline(const struct ts_perf_report *report, uint32_t row, enum ts_bound bound,
                           const double expected[4])
{
    const struct ts_perf_row *got = &report->rows[row];

    assert_int_equal(got->bound, bound);
    check_number("DRAM", row, got->dram_gb_per_s, expected[0]);
    check_number("DRAM %", row, got->dram_percent, expected[1]);
    check_number("FLOPs", row, got->tflops, expected[2]);
    check_number("FLOPs %", row, got->flops_percent, expected[3]);
}

static void test_matmul_roofline(void **state)
{
    (void)state;
    struct ts_perf_report *report =
        perf_table_report_of(SHAPED MATMUL("", "HiFi4", "64", "100000") MATMUL(SHARDED, "HiFi4", "64", "1000000")
                                 MATMUL("", "", "64", "100000") MATMUL("", "HiFi4", "64", "0")
                                     MATMUL("", "HiFi4", "64", "-1") MATMUL("", "HiFi4", "", "100000"),
                             NULL);
    static const double none[4] = {NONE, NONE, NONE, NONE};
    static const double first[4] = {62.91456, 21.845333333333333, 21.47483648, 32.64755545945946};
    static const double sharded[4] = {6.291456, 2.1845333333333334, 2.147483648, 17.41202957837838};
    static const double no_peak[4] = {62.91456, 21.845333333333333, 21.47483648, NONE};

    check_roofline(report, 0, TS_BOUND_SLOW, first);
    check_roofline(report, 1, TS_BOUND_SLOW, sharded);
    assert_int_equal(ts_perf_row_facts(report, 1)->cores, 12);
    check_roofline(report, 2, TS_BOUND_NONE, no_peak); /* one odd row costs that row's figure */
    check_roofline(report, 3, TS_BOUND_NONE, none);
    check_roofline(report, 4, TS_BOUND_NONE, none);
    check_roofline(report, 5, TS_BOUND_NONE, no_peak);
    ts_perf_report_destroy(report);
}

static void check_bound(const char *csv, enum ts_bound bound)
{
    struct ts_perf_report *report = perf_table_report_of(csv, NULL);
    assert_int_equal(report->rows[0].bound, bound);
    ts_perf_report_destroy(report);
}

static void test_bounds(void **state)
{
    (void)state;
    /* 6.3 MB at 288 GB/s take 21.8 us; 2.1 GFLOP take 32.6 us on 64 cores at HiFi4, 9.2 us at LoFi */
    check_bound(SHAPED MATMUL("", "HiFi4", "64", "100000"), TS_BOUND_SLOW);
    check_bound(SHAPED MATMUL("", "LoFi", "64", "33000"), TS_BOUND_DRAM);
    check_bound(SHAPED MATMUL("", "HiFi4", "64", "50000"), TS_BOUND_FLOP);
    check_bound(SHAPED MATMUL("", "HiFi4", "64", "33000"), TS_BOUND_BOTH);
    check_bound(SHAPED "Matmul block,signpost,0,,,,1000," K1 "," K1 "," K1 "\n", TS_BOUND_NONE);
    check_bound(SHAPED "(torch) Matmul,host,0,,HiFi4,64,33000," K1 "," K1 "," K1 "\n", TS_BOUND_HOST);
    check_bound(SHAPED "Conv2d,tt_dnn_device,0,window_hw=(1;1); x,HiFi4,64,33000," K1 "," K1 "," K1 "\n",
                TS_BOUND_NONE);
}

static void test_convolutions_have_flops_only(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(
        SHAPED "Conv2d,tt_dnn_device,0,window_hw=(1;1); x,HiFi4,64,100000," K1 "," K1 "," K1 "\n", NULL);
    static const double expected[4] = {NONE, NONE, 21.47483648, 32.64755545945946};

    check_roofline(report, 0, TS_BOUND_NONE, expected);
    ts_perf_report_destroy(report);
}

static void test_a_matmul_without_dram_has_no_bound(void **state)
{
    (void)state;
#define IN_L1 "1,1,1024,1024,BFLOAT16,DEV_0_L1_INTERLEAVED"
    struct ts_perf_report *report =
        perf_table_report_of(SHAPED "Matmul,tt_dnn_device,0,,HiFi4,64,100000," IN_L1 "," IN_L1 "," IN_L1 "\n", NULL);
    static const double expected[4] = {NONE, NONE, 21.47483648, 32.64755545945946};

    check_roofline(report, 0, TS_BOUND_NONE, expected);
    assert_int_equal(ts_perf_row_facts(report, 0)->analysis, TS_ANALYSIS_FULL);
    ts_perf_report_destroy(report);
}

static void test_names_of_bounds(void **state)
{
    (void)state;
    assert_null(ts_bound_name(TS_BOUND_NONE));
    assert_string_equal(ts_bound_name(TS_BOUND_DRAM), "DRAM");
    assert_string_equal(ts_bound_name(TS_BOUND_FLOP), "FLOP");
    assert_string_equal(ts_bound_name(TS_BOUND_BOTH), "BOTH");
    assert_string_equal(ts_bound_name(TS_BOUND_SLOW), "SLOW");
    assert_string_equal(ts_bound_name(TS_BOUND_HOST), "HOST");
    assert_string_equal(ts_bound_analysis_name(TS_ANALYSIS_NONE), "none");
    assert_string_equal(ts_bound_analysis_name(TS_ANALYSIS_FULL), "full");
    assert_string_equal(ts_bound_analysis_name(TS_ANALYSIS_FLOPS_ONLY), "flops_only");
}

/* ---- which rows, and their order ---- */

static void check_rows(const char *csv, const struct ts_perf_report_options *options, const char *expected,
                       bool order_by_time)
{
    struct ts_perf_report *report = perf_table_report_of(csv, options);
    assert_string_equal(perf_table_rows(report), expected);
    assert_int_equal(report->order_by_time, order_by_time);
    ts_perf_report_destroy(report);
}

static void test_order(void **state)
{
    (void)state;
    static const struct ts_perf_report_options unmerged = {.no_merge = true}, tracing = {.tracing_mode = true};
    static const char *const none = HEADER OP("A", "", "9", "", "") OP("B", "", "2", "", "");
    static const char *const one = HEADER OP("A", "0", "9", "", "") OP("B", "0", "2", "", "");
    static const char *const unusable = HEADER OP("A", "-1", "9", "", "") OP("B", "-1", "2", "", "");
    static const char *const odd = HEADER OP("A", "-1", "9", "", "") OP("B", "-2", "2", "", "");
    static const char *const two = HEADER OP("A", "0", "9", "", "") OP("B", "1", "2", "", "");
    static const char *const spelled = HEADER OP("A", "0", "9", "", "") OP("B", "0.0", "2", "", "");

    check_rows(none, NULL, "3 B|2 A", true);
    check_rows(none, &tracing, "2 A|3 B", false);
    check_rows(none, &unmerged, "3 B|2 A", true);
    check_rows(one, NULL, "2 A|3 B", false);
    check_rows(one, &unmerged, "2 A|3 B", false);
    check_rows(unusable, NULL, "2 A|3 B", false);
    check_rows(unusable, &unmerged, "2 A|3 B", false);
    check_rows(odd, &unmerged, "3 B|2 A", true); /* two device numbers, if no usable one */
    check_rows(odd, NULL, "2 A|3 B", false);
    check_rows(two, NULL, "2 A|3 B", false);
    check_rows(two, &unmerged, "3 B|2 A", true);
    check_rows(spelled, &unmerged, "2 A|3 B", false);
}

static void test_devices_count_within_the_window(void **state)
{
    (void)state;
    static const char *const csv = HEADER OP("A", "0", "9", "", "") OP("B", "0", "5", "", "") HOST("h", "")
        OP("C", "1", "7", "", "") "(torch) x,host,,3,,\n(torch) y,host,,1,,\n";
    static const struct ts_perf_report_options first = {.window = {0, 2, false}, .no_merge = true};
    static const struct ts_perf_report_options hosts = {.window = {4, 6, false}};
    static const struct ts_perf_report_options all = {.no_merge = true}, beyond = {.window = {5, 99, false}};
    static const struct ts_perf_report_options middle = {.window = {1, 4, false}, .no_merge = true};
    static const struct ts_perf_report_options past = {.window = {9, 9, false}};

    check_rows(csv, &first, "2 A|3 B", false);
    check_rows(csv, &hosts, "7 (torch) y|6 (torch) x", true);
    check_rows(csv, &all, "7 (torch) y|6 (torch) x|3 B|5 C|2 A|4 (torch) h", true);
    check_rows(csv, &beyond, "7 (torch) y", true);
    check_rows(csv, &middle, "3 B|5 C|4 (torch) h", true);
    check_rows(csv, &past, "", true);
}

static void test_a_window_is_reported_by_itself(void **state)
{
    (void)state;
    static const struct ts_perf_report_options window = {.window = {1, 3, false}};
    struct ts_perf_report *report =
        perf_table_report_of(HEADER OP("A", "0", "", "", "100") OP("B", "0", "", "100", "30")
                                 OP("C", "0", "", "30", "40") OP("D", "0", "", "5", "5"),
                             &window);
    static const double expected[][2] = {{0.03, NONE}, {0.04, 0.03}};

    assert_string_equal(perf_table_rows(report), "3 B|4 C");
    check_times(report, expected);
    check_number("share", 0, report->rows[0].total_percent, 0.03 / (0.03 + 0.04 + 0.03) * 100);
    ts_perf_report_destroy(report);
}

static const char *const mixed = HEADER OP("A", "0", "", "", "10") SIGNPOST("S") OP("B", "0", "", "100", "10")
    HOST("h", "9") OP("C", "0", "", "200", "10") OP("D", "0", "", "300", "10");

static void test_filters(void **state)
{
    (void)state;
    static const struct ts_perf_report_options no_host = {.no_host_ops = true}, no_marks = {.drop_signposts = true};
    static const struct ts_perf_report_options from_5 = {.ids = {5, UINT64_MAX}};
    static const struct ts_perf_report_options from_5_no_host = {.ids = {5, UINT64_MAX}, .no_host_ops = true};
    static const struct ts_perf_report_options from_3 = {.ids = {3, 6}};
    static const struct ts_perf_report_options up_to_3 = {.ids = {0, 3}};

    check_rows(mixed, &no_host, "2 A|3 S (signpost)|4 B|6 C|7 D", false);
    check_rows(mixed, &no_marks, "2 A|4 B|5 (torch) h|6 C|7 D", false);
    check_rows(mixed, &up_to_3, "2 A|3 S (signpost)", false);

    struct ts_perf_report *report = perf_table_report_of(mixed, &from_5);
    static const double ranged[][2] = {{NONE, NONE}, {0.01, 0.2}, {0.01, 0.3}};
    assert_string_equal(perf_table_rows(report), "5 (torch) h|6 C|7 D");
    check_times(report, ranged);
    check_number("total", 0, report->gap_total, 0.2 + 0.3);
    check_number("share", 1, report->rows[1].total_percent, (0.01 + 0.2) / (0.02 + (0.2 + 0.3)) * 100);
    assert_int_equal(report->invalid_durations, 1);
    ts_perf_report_destroy(report);

    /* the host row was the first of the range: C keeps its gap */
    report = perf_table_report_of(mixed, &from_5_no_host);
    assert_string_equal(perf_table_rows(report), "6 C|7 D");
    check_times(report, ranged + 1);
    assert_int_equal(report->invalid_durations, 0);
    ts_perf_report_destroy(report);

    report = perf_table_report_of(mixed, &from_3);
    static const double after_mark[][2] = {{NONE, NONE}, {0.01, 0.1}, {NONE, 0.009}, {0.01, 0.2}};
    check_times(report, after_mark);
    ts_perf_report_destroy(report);
}

static void test_members_of_unmerged_rows(void **state)
{
    (void)state;
    static const struct ts_perf_report_options unmerged = {.no_merge = true};
    struct ts_perf_report *report = perf_table_report_of(
        HEADER SIGNPOST("S") OP("A", "1", "", "", "") OP("A", "0", "", "", "") OP("A", "x", "", "", ""), &unmerged);

    assert_int_equal(report->count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(report->rows[i].member_count, i == 1 || i == 2);
        if (report->rows[i].member_count == 1)
            assert_int_equal(report->members[report->rows[i].members], report->rows[i].source);
    }
    assert_int_equal(report->notice_count, 0);
    ts_perf_report_destroy(report);
}

static void test_sub_devices_of_the_rows_reported(void **state)
{
    (void)state;
    static const char *const csv =
        "OP CODE,OP TYPE,DEVICE ID,SUB DEVICE ID\nA,tt_dnn_device,0,2\nB,tt_dnn_device,0,10\n"
        "C,tt_dnn_device,0,2.0\nD,tt_dnn_device,0,\nE,tt_dnn_device,0,-1\n";
    static const struct ts_perf_report_options window = {.window = {2, 4, false}};
    struct ts_perf_report *report = perf_table_report_of(csv, NULL);

    assert_int_equal(report->distinct_sub_devices, 3);
    assert_true(ts_str_is(report->sub_devices[0], "-1"));
    assert_true(ts_str_is(report->sub_devices[1], "10"));
    assert_true(ts_str_is(report->sub_devices[2], "2"));
    ts_perf_report_destroy(report);

    report = perf_table_report_of(csv, &window);
    assert_int_equal(report->distinct_sub_devices, 1);
    ts_perf_report_destroy(report);
}

static void check_fidelity(const char *code, const char *type, const char *fidelity, const char *const datatypes[3],
                           const char *expected)
{
    static char csv[1024];
    struct ts_buf text;

    snprintf(csv, sizeof csv,
             "OP CODE,OP TYPE,DEVICE ID,MATH FIDELITY,INPUT_0_DATATYPE,INPUT_1_DATATYPE,OUTPUT_0_DATATYPE\n"
             "%s,%s,0,%s,%s,%s,%s\n",
             code, type, fidelity, datatypes[0], datatypes[1], datatypes[2]);
    struct ts_perf_report *report = perf_table_report_of(csv, NULL);
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "before:");
    assert_int_equal(ts_perf_row_math_fidelity(report, 0, &text), TS_OK);
    assert_memory_equal(ts_buf_view(&text).ptr, "before:", 7);
    assert_string_equal(ts_buf_view(&text).ptr + 7, expected);
    assert_int_equal(text.len, 7 + strlen(expected));
    ts_buf_free(&text);
    ts_perf_report_destroy(report);
}
#define CHECK_FIDELITY(code, type, fidelity, a, b, out, expected)                                                      \
    check_fidelity(code, type, fidelity, (const char *const[3]){a, b, out}, expected)

static void test_math_fidelity(void **state)
{
    (void)state;
    CHECK_FIDELITY("A", "tt_dnn_device", "HiFi4", "BFLOAT16", "BFLOAT16", "BFLOAT16", "BF16, BF16 => BF16");
    CHECK_FIDELITY("A", "tt_dnn_device", "HiFi4", "BFLOAT16", "", "BFLOAT16", "BF16 => BF16");
    CHECK_FIDELITY("A", "tt_dnn_device", "", "BFLOAT16", "nan", "NA", "BF16");
    CHECK_FIDELITY("A", "tt_dnn_device", "", "", "", "X", "=> X");
    CHECK_FIDELITY("A", "tt_dnn_device", "", "", "BFLOAT4_B", "BFLOAT8_B", ", BFP4 => BFP8");
    CHECK_FIDELITY("A", "tt_dnn_device", "LoFi", "", "", "", "");
    CHECK_FIDELITY("Matmul", "tt_dnn_device", "HiFi2", "BFLOAT16", "BFLOAT8_B", "FLOAT32", "HiFi2 BF16 x BFP8 => FP32");
    CHECK_FIDELITY("Conv2d", "tt_dnn_device", "LoFi", "BFLOAT16", "", "UINT32", "LoFi BF16 x nan => UINT32");
    CHECK_FIDELITY("Matmul", "tt_dnn_device", "", "BFLOAT16", "BFLOAT16", "BFLOAT16", "BF16 x BF16 => BF16");
    CHECK_FIDELITY("Matmul", "signpost", "HiFi2", "", "", "", "");
}

/* ---- failures ---- */

static void test_cancelled_and_limited(void **state)
{
    (void)state;
    static const struct ts_perf_report_options whole;
    struct ts_perf_source *source = perf_table_source(mixed, NULL);
    struct ts_perf_report *report = NULL;
    struct ts_context context;
    struct ts_error error = {0};

    ts_context_init(&context);
    context.cancelled = true;
    assert_int_equal(ts_perf_report_create(&context, source, &whole, &report, &error), TS_CANCELLED);
    ts_context_init(&context);
    context.memory_limit = 16;
    assert_int_equal(ts_perf_report_create(&context, source, &whole, &report, &error), TS_LIMIT);
    assert_null(report);
    assert_int_equal(source->references, 1);
    ts_perf_source_release(source);
    ts_perf_report_destroy(NULL);
}

static void check_every_allocation(const char *csv, const struct ts_perf_report_options *options)
{
    struct ts_perf_source *source = perf_table_source(csv, NULL);
    struct ts_context context;
    struct ts_error error;
    bool failed;
    long good = 0;

    ts_context_init(&context);
    do {
        struct ts_perf_report *report = NULL;
        interpose_fail_once(good++);
        enum ts_status status = ts_perf_report_create(&context, source, options, &report, &error);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        assert_int_equal(report == NULL, failed);
        ts_perf_report_destroy(report);
        assert_int_equal(source->references, 1);
    } while (failed);
    assert_true(good > 1);
    ts_perf_source_release(source);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    static const struct ts_perf_report_options whole, window = {.window = {1, 3, false}, .no_merge = true};
    static const char *const several = "OP CODE,OP TYPE,DEVICE ID,SUB DEVICE ID,HOST START TS\nA,tt_dnn_device,0,a,4\n"
                                       "A,tt_dnn_device,1,b,3\nB,tt_dnn_device,1,c,2\nS,signpost,,,1\n";

    check_every_allocation(mixed, &whole);
    check_every_allocation(several, &whole);
    check_every_allocation(several, &window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_durations_are_usable),
        cmocka_unit_test(test_gaps_need_a_row_before_them),
        cmocka_unit_test(test_long_gaps_beside_a_row_without_a_duration),
        cmocka_unit_test(test_totals_and_shares),
        cmocka_unit_test(test_host_rows_have_no_device_time),
        cmocka_unit_test(test_matmul_roofline),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_convolutions_have_flops_only),
        cmocka_unit_test(test_a_matmul_without_dram_has_no_bound),
        cmocka_unit_test(test_names_of_bounds),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_devices_count_within_the_window),
        cmocka_unit_test(test_a_window_is_reported_by_itself),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_members_of_unmerged_rows),
        cmocka_unit_test(test_sub_devices_of_the_rows_reported),
        cmocka_unit_test(test_math_fidelity),
        cmocka_unit_test(test_cancelled_and_limited),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
