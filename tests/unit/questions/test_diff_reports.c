#include "support/perf_case.h"

#include <stdio.h>
#include <stdlib.h>

#define COLUMNS "OP CODE,OP TYPE,DEVICE ID,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],SUB DEVICE ID\n"

static void test_changes(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "a",
                       COLUMNS "Gone,tt_dnn_device,0,0,2000,\n"
                               "Same,tt_dnn_device,0,0,1000,\n"
                               " Same ,tt_dnn_device,0,0,500,\n"
                               "Less,tt_dnn_device,0,0,3000,\n"
                               "Untimed,tt_dnn_device,0,0,,\n");
    perf_bench_capture(&bench, "b",
                       COLUMNS "Same,tt_dnn_device,0,0,1500,\n"
                               "New,tt_dnn_device,0,0,2000,\n"
                               "Less,tt_dnn_device,0,0,2000,\n"
                               "  ,tt_dnn_device,0,0,7000,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "diff_reports", NULL);
    perf_expect(answer, "/before", "\"a\"");
    perf_expect(answer, "/after", "\"b\"");
    perf_expect(answer, "/change_count", "4");
    perf_expect(
        answer, "/changes",
        "[{\"op_code\":\"Gone\",\"device_time_before\":2,\"device_time_after\":0,\"delta\":-2,\"count_before\":1,"
        "\"count_after\":0},"
        "{\"op_code\":\"New\",\"device_time_before\":0,\"device_time_after\":2,\"delta\":2,\"count_before\":0,"
        "\"count_after\":1},"
        "{\"op_code\":\"Less\",\"device_time_before\":3,\"device_time_after\":2,\"delta\":-1,\"count_before\":1,"
        "\"count_after\":1},"
        "{\"op_code\":\"Same\",\"device_time_before\":1.5,\"device_time_after\":1.5,\"delta\":0,\"count_before\":2,"
        "\"count_after\":1}]");
    perf_expect(answer, "/delta_total", "-1");
    perf_expect(answer, "/coverage/before", "{\"device_ops\":5,\"timed\":4}");
    assert_false(perf_has(answer, "/coverage/after"));
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "diff_reports", "{\"limit\":2}");
    perf_expect(answer, "/returned", "2");
    perf_expect(answer, "/change_count", "4");
    perf_expect(answer, "/delta_total", "-1"); /* of all */
    yyjson_doc_free(answer);
}

/* Deltas that round to the same are ties: 0.1 - 0.2 and 0.2 - 0.1 are not, bit for bit. */
static void test_ties_are_those_of_the_rounded_deltas(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "a", COLUMNS "b,tt_dnn_device,0,0,100.0001,\na,tt_dnn_device,0,0,200,\n");
    perf_bench_capture(&bench, "b", COLUMNS "b,tt_dnn_device,0,0,200,\na,tt_dnn_device,0,0,100,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "diff_reports", NULL);
    perf_expect(answer, "/changes/0/op_code", "\"a\"");
    perf_expect(answer, "/changes/0/delta", "-0.1");
    perf_expect(answer, "/changes/1/delta", "0.1");
    perf_expect(answer, "/delta_total", "0");
    yyjson_doc_free(answer);
}

static void test_ranges(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "a", COLUMNS "A,tt_dnn_device,0,0,1000,\nS,signpost,,,,\nA,tt_dnn_device,0,0,2000,\n");
    perf_bench_capture(
        &bench, "b", COLUMNS "A,tt_dnn_device,0,0,4000,\nS,signpost,,,,\nA,tt_dnn_device,0,0,8000,\nT,signpost,,,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "diff_reports", "{\"start_signpost\":\"S\"}");
    perf_expect(answer, "/changes/0/device_time_before", "2");
    perf_expect(answer, "/changes/0/device_time_after", "8");
    perf_expect(answer, "/projection/start_signpost", "\"S\"");
    perf_expect(answer, "/projection/end_signpost", "null");
    perf_expect(answer, "/projection/signpost_range_ignored", "false");
    yyjson_doc_free(answer);
    /* The first report is checked first, and each refusal names its report. */
    perf_bench_refused(&bench, "diff_reports", "{\"start_signpost\":\"nope\"}", TS_REFUSED, "a:|\"nope\"");
    perf_bench_refused(&bench, "diff_reports", "{\"start_signpost\":\"T\"}", TS_REFUSED, "a:|\"T\"");
    struct ts_capture *before = bench.captures[0];
    bench.captures[0] = bench.captures[1];
    bench.captures[1] = before;
    perf_bench_refused(&bench, "diff_reports", "{\"start_signpost\":\"T\"}", TS_REFUSED, "a:|\"T\"");
}

static void test_signposts_in_one_report_only(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "with", COLUMNS "A,tt_dnn_device,0,0,1000,\nS,signpost,,,,\n");
    perf_bench_capture(&bench, "without", COLUMNS "A,tt_dnn_device,0,0,1000,\n");
    perf_bench_refused(&bench, "diff_reports", "{\"end_signpost\":\"S\"}", TS_REFUSED, "without holds no signposts");
    perf_bench_refused(&bench, "diff_reports", "{\"end_signpost\":\"nope\"}", TS_REFUSED, "without holds no signposts");
    yyjson_doc_free(perf_bench_ask(&bench, "diff_reports", "{\"end_signpost\":\"\"}"));
}

static void test_no_signposts_at_all(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "a", COLUMNS "A,tt_dnn_device,0,0,1000,\n");
    perf_bench_capture(&bench, "b", COLUMNS "A,tt_dnn_device,0,0,2000,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "diff_reports", "{\"end_signpost\":\"S\"}");
    perf_expect(answer, "/projection/signpost_range_ignored", "true");
    perf_expect(answer, "/delta_total", "1");
    yyjson_doc_free(answer);
}

/* Neither report alone has two sub-devices. */
static void test_sub_devices_of_both_reports(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "a", COLUMNS "A,tt_dnn_device,0,0,1000,1\n");
    perf_bench_capture(&bench, "b", COLUMNS "A,tt_dnn_device,0,0,1000,0\nA,tt_dnn_device,0,0,1000,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "diff_reports", NULL);
    perf_expect_part(answer, "/caveat", "2 sub-devices (0, 1)");
    yyjson_doc_free(answer);
}

static void test_lacks_of_each_side(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "a", COLUMNS "A,tt_dnn_device,0,0,1000,\nA,tt_dnn_device,0,-1,1000,\n");
    perf_bench_capture(&bench, "b", COLUMNS "A,tt_dnn_device,0,0,1000,\nB,tt_dnn_device,1,0,1000,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "diff_reports", "{\"by\":\"op_to_op_gap\"}");
    perf_expect(answer, "/gaps_dropped", "{\"before\":{\"negative\":1,\"beside_invalid_duration\":0}}");
    assert_true(perf_has(answer, "/unmatched/after/count"));
    assert_false(perf_has(answer, "/unmatched/before") || perf_has(answer, "/coverage"));
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "diff_reports", NULL);
    assert_false(perf_has(answer, "/gaps_dropped"));
    yyjson_doc_free(answer);
}

static void test_rates_cannot_be_compared(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "a", COLUMNS "A,tt_dnn_device,0,0,1000,\n");
    static const char *const metrics[] = {"flops", "dram", "cores", "speed"};
    for (size_t i = 0; i < 4; i++) {
        char arguments[32];
        snprintf(arguments, sizeof arguments, "{\"by\":\"%s\"}", metrics[i]);
        perf_bench_refused(&bench, "diff_reports", arguments, TS_USAGE,
                           "device_time, op_to_op_gap, total_percent|top_ops");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERF_CASE(test_changes),
        PERF_CASE(test_ties_are_those_of_the_rounded_deltas),
        PERF_CASE(test_ranges),
        PERF_CASE(test_signposts_in_one_report_only),
        PERF_CASE(test_no_signposts_at_all),
        PERF_CASE(test_sub_devices_of_both_reports),
        PERF_CASE(test_lacks_of_each_side),
        PERF_CASE(test_rates_cannot_be_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
