#include "support/perf_case.h"

#include <stdio.h>
#include <stdlib.h>

#define COLUMNS "OP CODE,OP TYPE,DEVICE ID,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]\n"

static void test_groups_and_shares(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "groups",
                       COLUMNS "Matmul a,tt_dnn_device,0,0,60000\n"
                               "S,signpost,,,\n"
                               "Matmul b,tt_dnn_device,0,1000,6394\n"
                               "Softmax,tt_dnn_device,0,3000,33606\n"
                               "Softmax,tt_dnn_device,0,,\n"
                               "(torch) a,host,,,\n"
                               "(torch) b,host,,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "op_breakdown", NULL);
    perf_expect(answer, "/op_count", "6"); /* no signposts */
    perf_expect(answer, "/group_count", "3");
    perf_expect(answer, "/groups/0",
                "{\"op\":\"Matmul\",\"op_category\":\"Compute\",\"count\":2,\"device_time\":66.394,"
                "\"device_time_share_percent\":66.4,\"op_to_op_gap\":1,\"op_to_op_gap_share_percent\":25,"
                "\"total_percent\":64.802}");
    perf_expect(answer, "/groups/1/count", "2");
    perf_expect(answer, "/groups/1/device_time", "33.606");
    perf_expect(
        answer, "/groups/2",
        "{\"op\":\"(torch)\",\"op_category\":\"Host\",\"count\":2,\"device_time\":0,\"device_time_share_percent\":0,"
        "\"op_to_op_gap\":0,\"op_to_op_gap_share_percent\":0,\"total_percent\":0}");
    perf_expect(answer, "/rest", "null");
    perf_expect(answer, "/device_time_total", "100");
    perf_expect(answer, "/op_to_op_gap_total", "4");
    perf_expect(answer, "/total_percent_total", "100");
    yyjson_doc_free(answer);
}

static void test_order_and_ties(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "ties",
                       COLUMNS "b,tt_dnn_device,0,0,1000\n"
                               "a,tt_dnn_device,0,9000,1000\n"
                               "A,tt_dnn_device,0,0,1000\n"
                               "c,tt_dnn_device,0,0,1000.4\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "op_breakdown", NULL);
    static const char *const names[] = {"\"c\"", "\"A\"", "\"a\"", "\"b\""}; /* by the unrounded sum, then by bytes */
    for (unsigned i = 0; i < 4; i++) {
        char path[32];
        snprintf(path, sizeof path, "/groups/%u/op", i);
        perf_expect(answer, path, names[i]);
    }
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "op_breakdown", "{\"by\":\"op_to_op_gap\",\"limit\":1}");
    perf_expect(answer, "/metric", "\"op_to_op_gap\"");
    perf_expect(answer, "/groups/0/op", "\"a\"");
    yyjson_doc_free(answer);
}

/* What is listed and the rest add up to the totals, whatever the limit. */
static void test_rest_adds_up(void **state)
{
    (void)state;
    char csv[8192] = COLUMNS;
    for (unsigned i = 1; i <= 40; i++) {
        char row[64];
        snprintf(row, sizeof row, "op%u,tt_dnn_device,0,%u,%u\n", i % 13, 17 * i, 1000 * i);
        strcat(csv, row);
    }
    perf_bench_capture(&bench, "rest", csv);
    for (unsigned limit = 1; limit <= 14; limit++) {
        char arguments[32];
        snprintf(arguments, sizeof arguments, "{\"limit\":%u}", limit);
        yyjson_doc *answer = perf_bench_ask(&bench, "op_breakdown", arguments);
        yyjson_val *rest = perf_at(answer, "/rest"), *group;
        double time = yyjson_get_num(yyjson_obj_get(rest, "device_time"));
        int64_t count = yyjson_get_int(yyjson_obj_get(rest, "count"));
        size_t index, max;
        yyjson_arr_foreach(perf_at(answer, "/groups"), index, max, group)
        {
            time += yyjson_get_num(yyjson_obj_get(group, "device_time"));
            count += yyjson_get_int(yyjson_obj_get(group, "count"));
        }
        assert_int_equal(yyjson_is_null(rest), limit >= 13);
        assert_int_equal(index + (size_t)yyjson_get_int(yyjson_obj_get(rest, "group_count")), 13);
        assert_int_equal(count, 40);
        assert_true(time > 819.999 && time < 820.001);
        yyjson_doc_free(answer);
    }
}

static void test_by_category(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "categories",
                       COLUMNS "Matmul,tt_dnn_device,0,0,1000\n"
                               "AllGatherAsync,tt_dnn_device,0,0,3000\n"
                               "Softmax,tt_dnn_device,0,0,1500\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "op_breakdown", "{\"group_by\":\"op_category\"}");
    perf_expect(answer, "/grouped_by", "\"op_category\"");
    perf_expect(answer, "/groups/0/op_category", "\"CCL\"");
    perf_expect(answer, "/groups/1/op_category", "\"Compute\"");
    perf_expect(answer, "/groups/1/count", "2");
    assert_false(perf_has(answer, "/groups/0/op"));
    yyjson_doc_free(answer);
}

static void test_a_blank_code_is_a_group(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "blank",
                       COLUMNS ",tt_dnn_device,0,0,1000\n"
                               "  ,tt_dnn_device,0,0,2000\n"
                               "A,tt_dnn_device,0,0,500\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "op_breakdown", NULL);
    perf_expect(answer, "/groups/0/op", "\"\"");
    perf_expect(answer, "/groups/0/count", "2");
    perf_expect(answer, "/op_count", "3");
    yyjson_doc_free(answer);
}

/* Shares of a total of nothing are not known. */
static void test_nothing_timed(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "untimed", COLUMNS "A,tt_dnn_device,0,,\nB,tt_dnn_device,0,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "op_breakdown", NULL);
    perf_expect(
        answer, "/groups/0",
        "{\"op\":\"A\",\"op_category\":\"Other\",\"count\":1,\"device_time\":0,\"device_time_share_percent\":null,"
        "\"op_to_op_gap\":0,\"op_to_op_gap_share_percent\":null,\"total_percent\":0}");
    perf_expect(answer, "/coverage/timed", "0");
    yyjson_doc_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERF_CASE(test_groups_and_shares), PERF_CASE(test_order_and_ties),          PERF_CASE(test_rest_adds_up),
        PERF_CASE(test_by_category),       PERF_CASE(test_a_blank_code_is_a_group), PERF_CASE(test_nothing_timed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
