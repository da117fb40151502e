#include "support/perf_case.h"

#include <stdio.h>
#include <stdlib.h>

#include "questions/perf_fields.h"

#define COLUMNS                                                                                                        \
    "OP CODE,OP TYPE,DEVICE ID,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],CORE COUNT,AVAILABLE WORKER CORE "    \
    "COUNT,PROGRAM HASH,PROGRAM CACHE HIT,PM IDEAL [ns],PM COMPUTE [ns],PM FPU UTIL (%),SUB DEVICE ID\n"

/* ---- ranking and rows ---- */

static void test_ties_keep_row_order(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "ties",
                       COLUMNS "A,tt_dnn_device,0,0,5000,1,64,,,,,,\n"
                               "B,tt_dnn_device,0,0,9000,1,64,,,,,,\n"
                               "C,tt_dnn_device,0,0,5000,1,64,,,,,,\n"
                               "D,tt_dnn_device,0,0,5000,1,64,,,,,,\n"
                               "E,tt_dnn_device,0,0,,1,64,,,,,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", "{\"limit\":3}");
    perf_expect(answer, "/op_count", "5");
    perf_expect(answer, "/returned", "3");
    perf_expect(answer, "/ops/0/op_code", "\"B\"");
    perf_expect(answer, "/ops/1/id", "\"2\"");
    perf_expect(answer, "/ops/2/id", "\"4\"");
    perf_expect(answer, "/device_time_total", "24");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "top_ops", NULL);
    perf_expect(answer, "/returned", "4"); /* the row without the metric is not ranked */
    yyjson_doc_free(answer);
}

static void test_what_a_row_says(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "rows",
                       COLUMNS "A,tt_dnn_device,3,1500,2000,0,64,,,,,,7.0\n"
                               ",tt_dnn_device,0,100,1000,8,64,,,,,,\n"
                               "(torch) x,host,,250,,,,,,,,,\n"
                               "S,signpost,,,,,,,,,,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", NULL);
    perf_expect(
        answer, "/ops/0",
        "{\"id\":\"2\",\"op_code\":\"A\",\"device_time\":2,\"cores\":null,\"bound\":null,\"bound_analysis\":\"none\","
        "\"op_category\":\"Other\",\"device\":\"3\",\"sub_device_id\":\"7\",\"op_type\":\"tt_dnn_device\","
        "\"operation_id\":null}");
    perf_expect(answer, "/ops/1/op_code", "\"\"");
    perf_expect(answer, "/op_count", "4");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "top_ops", "{\"by\":\"op_to_op_gap\"}");
    perf_expect(answer, "/ops/0/op_code", "\"(torch) x\"");
    perf_expect(answer, "/ops/0/bound", "\"HOST\"");
    perf_expect(answer, "/ops/0/device", "null");
    perf_expect(answer, "/ops/0/op_type", "\"host\"");
    perf_expect(answer, "/ops/0/op_category", "\"Host\"");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "top_ops", "{\"by\":\"cores\"}");
    perf_expect(answer, "/returned", "1");
    perf_expect(answer, "/ops/0/cores", "8");
    assert_false(perf_has(answer, "/cores_total"));
    yyjson_doc_free(answer);
}

static void test_groups_cap_the_limit(void **state)
{
    (void)state;
    char csv[16384] = COLUMNS;
    for (unsigned i = 0; i < 120; i++)
        strcat(csv, "A,tt_dnn_device,0,0,5000,1,64,h,True,,,,\n");
    perf_bench_capture(&bench, "many", csv);
    static const struct {
        const char *arguments, *returned;
    } cases[] = {
        {"{}", "10"},
        {"{\"limit\":1000}", "100"},
        {"{\"limit\":1000,\"include\":[]}", "100"},
        {"{\"limit\":1000,\"include\":[\"cache\"]}", "25"},
        {"{\"limit\":1000,\"include\":[\"flags\"]}", "25"},
        {"{\"limit\":24,\"include\":[\"devices\"]}", "24"},
        {"{\"limit\":0}", "1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", cases[i].arguments);
        perf_expect(answer, "/returned", cases[i].returned);
        yyjson_doc_free(answer);
    }
}

/* ---- groups ---- */

/* Keys and groups of the declarations are those of the model, one by one. */
static void test_declarations_follow_the_model(void **state)
{
    (void)state;
    static const struct {
        const char *key, *group;
    } declared[] = {
#define DECLARED(name, type, include, measure, words) {name, include},
        TS_PERF_DETAIL(DECLARED)
#undef DECLARED
    };
    static const char *const model[] = {
#define MODEL(name, group) #name,
        TS_DETAIL_FIELDS(MODEL)
#undef MODEL
    };
    for (unsigned i = 0; i < TS_DETAIL_FIELD_COUNT; i++) {
        assert_int_equal(strcasecmp(declared[i].key, model[i]), 0);
        assert_string_equal(declared[i].group, ts_perf_groups[ts_detail_group_of((enum ts_detail_field)i)]);
    }
    assert_string_equal(ts_perf_groups[TS_DETAIL_GROUP_COUNT], "devices");
    assert_string_equal(ts_perf_groups[TS_DETAIL_GROUP_COUNT + 1], "flags");
    assert_null(ts_perf_groups[TS_DETAIL_GROUP_COUNT + 2]);
}

static void test_groups_that_bring_no_fields_bring_no_notes(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "notes", COLUMNS "A,tt_dnn_device,0,0,5000,1,64,h,True,,,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", "{\"include\":[\"flags\",\"devices\"]}");
    assert_false(perf_has(answer, "/included") || perf_has(answer, "/empty_in_report") ||
                 perf_has(answer, "/detail_note"));
    assert_true(perf_has(answer, "/flag_basis"));
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "top_ops", "{\"include\":[\"flags\",\"advice\",\"cache\",\"devices\",\"cache\"]}");
    perf_expect(answer, "/included", "[\"cache\",\"advice\"]");
    assert_true(perf_has(answer, "/detail_note"));
    perf_expect(answer, "/ops/0/advice", "[]");
    perf_expect(answer, "/ops/0/program_hash", "\"h\"");
    yyjson_doc_free(answer);
}

/* What is empty is decided over the whole report, also for a range; each class says what would fill it. */
static void test_empty_fields(void **state)
{
    (void)state;
    perf_bench_capture(
        &bench, "empty",
        "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],PM IDEAL [ns],PM COMPUTE [ns],PM FPU UTIL (%),"
        "NOC UTIL (%),DEVICE BRISC KERNEL DURATION [ns],METAL TRACE ID,DISPATCH TOTAL CQ CMD OP TIME [ns],PROGRAM "
        "HASH\n"
        "A,tt_dnn_device,0,5000,1,1,5,,,,,\n"
        "S,signpost,,,,,,,,,,\n"
        "B,tt_dnn_device,0,4000,,,,,,,,\n"
        "T,signpost,,,,,,,,,,\n"
        "C,tt_dnn_device,0,3000,,,,,,,,h\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops",
                                        "{\"include\":[\"utilisation\",\"noc\",\"riscs\",\"dispatch\",\"cache\"],"
                                        "\"start_signpost\":\"S\",\"end_signpost\":\"T\"}");
    perf_expect(answer, "/returned", "1");
    perf_expect_part(answer, "/empty_in_report/ideal_us", "model");
    perf_expect_part(answer, "/empty_in_report/fpu_util_percent", "model");
    perf_expect_part(answer, "/empty_in_report/ideal_bandwidth_us", "no column");
    perf_expect_part(answer, "/empty_in_report/noc_util_percent", "--collect-noc-traces");
    perf_expect_part(answer, "/empty_in_report/dispatch_cq_cmd_op_us", "--profile-dispatch-cores");
    perf_expect_part(answer, "/empty_in_report/metal_trace_id", "metal trace");
    perf_expect_part(answer, "/empty_in_report/brisc_us", "blank");
    assert_false(perf_has(answer, "/empty_in_report/program_hash")); /* a row outside the range has it */
    perf_expect(answer, "/ops/0/program_hash", "null");
    perf_expect(answer, "/ops/0/kernel_us", "4");
    assert_false(perf_has(answer, "/ops/0/ideal_us") || perf_has(answer, "/ops/0/brisc_us"));
    yyjson_doc_free(answer);
}

/* ---- the group devices ---- */

static void test_devices_behind_a_row(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "devices",
                       COLUMNS "A,tt_dnn_device,10,0,2000,1,64,,,,,,\n"
                               "A,tt_dnn_device,2,0,1234.5678,1,64,,,,,,\n"
                               "A,tt_dnn_device,0,0,,1,64,,,,,,\n"
                               "A,tt_dnn_device,1,-9000000,100,1,64,,,,,,\n"
                               "B,tt_dnn_device,x,0,900,1,64,,,,,,\n"
                               "(torch) x,host,,250,,,,,,,,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", "{\"include\":[\"devices\"]}");
    perf_expect(answer, "/ops/0/device", "\"10\"");
    perf_expect(answer, "/ops/0/devices",
                "[{\"device\":\"0\",\"device_time\":null},{\"device\":\"1\",\"device_time\":null},"
                "{\"device\":\"2\",\"device_time\":1.235},{\"device\":\"10\",\"device_time\":2}]");
    assert_false(perf_has(answer, "/ops/0/device_count"));
    perf_expect(answer, "/ops/1/devices", "[{\"device\":null,\"device_time\":0.9}]");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "top_ops", "{\"include\":[\"devices\"],\"by\":\"op_to_op_gap\",\"limit\":1}");
    perf_expect(answer, "/ops/0/op_code", "\"(torch) x\"");
    perf_expect(answer, "/ops/0/devices", "[]");
    yyjson_doc_free(answer);
}

/* Of many the slowest are kept, wherever they stand. */
static void test_the_slowest_devices_are_kept(void **state)
{
    (void)state;
    char csv[16384] = COLUMNS;
    for (unsigned device = 0; device < 100; device++) {
        char row[128];
        bool slow = device % 3 == 2; /* 33 of them: the one with the shortest time drops out */
        snprintf(row, sizeof row, "A,tt_dnn_device,%u,0,%u,1,64,,,,,,\n", device, slow ? 5000 + device : 10 + device);
        strcat(csv, row);
    }
    perf_bench_capture(&bench, "crowd", csv);
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", "{\"include\":[\"devices\"]}");
    perf_expect(answer, "/ops/0/device_count", "100");
    assert_int_equal(yyjson_arr_size(perf_at(answer, "/ops/0/devices")), 32);
    for (unsigned i = 0; i < 32; i++) {
        char path[64], device[16];
        snprintf(path, sizeof path, "/ops/0/devices/%u/device", i);
        snprintf(device, sizeof device, "\"%u\"", 3 * i + 5);
        perf_expect(answer, path, device);
    }
    yyjson_doc_free(answer);
}

/* ---- flags ---- */

static void test_flags_and_their_evidence(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "flags",
                       COLUMNS "A,tt_dnn_device,0,0,100000,8,64,p,False,1000,,,\n"
                               "S,signpost,,,,,,,,,,,\n"
                               "A,tt_dnn_device,0,0,100000,64,64,p,False,1,,,\n"
                               "(torch) x,host,,250,,,,p,False,,,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", "{\"include\":[\"flags\"]}");
    /* 1000 / 100000 of 8 of 64 cores: 8 percent */
    perf_expect(answer, "/ops/0/flags",
                "[{\"flag\":\"low_utilisation\",\"core_utilisation_percent\":8,\"roofline_modelled\":false},"
                "{\"flag\":\"underutilised_cores\",\"core_capacity\":64,\"core_capacity_from\":\"available_cores\"}]");
    perf_expect(answer, "/ops/1/flags", "[{\"flag\":\"recompute_candidate\"}]");
    perf_expect(answer, "/flag_basis/flagged_rows",
                "{\"dram_bound\":0,\"low_utilisation\":1,\"underutilised_cores\":1,\"recompute_candidate\":1}");
    perf_expect(answer, "/flag_basis/max_cores", "64");
    perf_expect(answer, "/flag_basis/max_cores_source", "\"architecture_default\"");
    perf_expect_part(answer, "/flag_basis/caveat", "disabled");
    yyjson_doc_free(answer);
    /* Inside the range the call is the first, in the report it is not. */
    answer = perf_bench_ask(&bench, "top_ops", "{\"include\":[\"flags\"],\"start_signpost\":\"S\",\"limit\":1}");
    perf_expect(answer, "/ops/0/id", "\"4\"");
    perf_expect(answer, "/ops/0/flags", "[{\"flag\":\"recompute_candidate\"}]");
    yyjson_doc_free(answer);
}

#define WIDE_COLUMNS                                                                                                   \
    "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],CORE COUNT,MATH FIDELITY,ATTRIBUTES,INPUT_0_W,INPUT_0_Z,"   \
    "INPUT_0_Y,INPUT_0_X,INPUT_1_W,INPUT_1_Z,INPUT_1_Y,INPUT_1_X,OUTPUT_0_W,OUTPUT_0_Z,OUTPUT_0_Y,OUTPUT_0_X,"         \
    "INPUT_0_DATATYPE,INPUT_1_DATATYPE,OUTPUT_0_DATATYPE,INPUT_0_MEMORY,INPUT_1_MEMORY,OUTPUT_0_MEMORY\n"

/* 64 x 64 x 64 in 0.1 us: 24,576 bytes in 100 ns are 245.76 GB/s of 288, that is 85 percent. */
static void test_dram_bound_carries_its_figures_once(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "dram",
                       WIDE_COLUMNS "Matmul,tt_dnn_device,0,100,64,HiFi4,,1,1,64,64,1,1,64,64,1,1,64,64,"
                                    "BFLOAT16,BFLOAT16,BFLOAT16,DEV_0_DRAM_X,DEV_0_DRAM_X,DEV_0_DRAM_X\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", "{\"include\":[\"flags\"]}");
    perf_expect(answer, "/ops/0/bound", "\"DRAM\"");
    perf_expect(
        answer, "/ops/0/flags",
        "[{\"flag\":\"dram_bound\",\"reason\":\"bound_dram\",\"dram_percent\":85.333,\"flops_percent\":7.971}]");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "top_ops", "{\"include\":[\"flags\",\"utilisation\"]}");
    perf_expect(answer, "/ops/0/dram_percent", "85.333");
    perf_expect(answer, "/ops/0/flags", "[{\"flag\":\"dram_bound\",\"reason\":\"bound_dram\"}]");
    yyjson_doc_free(answer);
}

static void test_where_the_cores_come_from(void **state)
{
    (void)state;
    static const struct {
        const char *log, *cores, *source;
    } cases[] = {
        {"ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 72\n", "72", "\"device_log\""},
        {"ARCH: wormhole_b0, Max Compute Cores: 0\n", "64", "\"fallback_default\""},
        {"ARCH: blackhole, CHIP_FREQ[MHz]: 1000\n", "130", "\"architecture_default\""},
        {"ARCH: wormhole_b0\n", "99", "\"report_rows\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct perf_bench own;
        perf_bench_make(&own);
        perf_bench_write(&own, "run/profile_log_device.csv", cases[i].log);
        perf_bench_capture(&own, "run", COLUMNS "A,tt_dnn_device,0,0,5000,99,,,,,,,\n");
        yyjson_doc *answer = perf_bench_ask(&own, "top_ops", "{\"include\":[\"flags\"]}");
        perf_expect(answer, "/flag_basis/max_cores", cases[i].cores);
        perf_expect(answer, "/flag_basis/max_cores_source", cases[i].source);
        yyjson_doc_free(answer);
        perf_bench_free(&own);
    }
}

/* ---- what figures lack ---- */

static void test_gaps_are_only_counted_where_gaps_matter(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "gaps",
                       COLUMNS "A,tt_dnn_device,0,0,1000,1,64,,,,,,\n"
                               "A,tt_dnn_device,0,-5,1000,1,64,,,,,,\n"
                               "A,tt_dnn_device,0,5,,1,64,,,,,,\n"
                               "A,tt_dnn_device,0,1000001,1000,1,64,,,,,,\n");
    static const char *const with[] = {"op_to_op_gap", "total_percent"}, *const without[] = {"device_time", "cores",
                                                                                             "dram"};
    char arguments[64];
    for (size_t i = 0; i < 2; i++) {
        snprintf(arguments, sizeof arguments, "{\"by\":\"%s\"}", with[i]);
        yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", arguments);
        perf_expect(answer, "/gaps_dropped", "{\"negative\":1,\"beside_invalid_duration\":1}");
        yyjson_doc_free(answer);
    }
    for (size_t i = 0; i < 3; i++) {
        snprintf(arguments, sizeof arguments, "{\"by\":\"%s\"}", without[i]);
        yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", arguments);
        assert_false(perf_has(answer, "/gaps_dropped"));
        perf_expect(answer, "/coverage/device_ops", "4");
        perf_expect(answer, "/coverage/timed", "3");
        yyjson_doc_free(answer);
    }
}

static void test_nothing_is_said_when_nothing_is_lacking(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "good",
                       COLUMNS "A,tt_dnn_device,0,0,1000,1,64,,,,,,\n"
                               "A,tt_dnn_device,1,0,1000,1,64,,,,,,\n"
                               "(torch) x,host,,250,,,,,,,,,\n"
                               "S,signpost,,,,,,,,,,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", "{\"by\":\"total_percent\"}");
    assert_false(perf_has(answer, "/coverage") || perf_has(answer, "/gaps_dropped") || perf_has(answer, "/unmatched") ||
                 perf_has(answer, "/caveat") || perf_has(answer, "/capture_changed"));
    yyjson_doc_free(answer);
}

static void test_devices_that_lack_an_operation(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "torn",
                       COLUMNS "A,tt_dnn_device,0,0,1000,1,64,,,,,,\n"
                               "A,tt_dnn_device,1,0,1000,1,64,,,,,,\n"
                               "B,tt_dnn_device,0,0,1000,1,64,,,,,,\n"
                               "C,tt_dnn_device,0,0,1000,1,64,,,,,,\n"
                               "C,tt_dnn_device,1,0,1000,1,64,,,,,,\n"
                               "D,tt_dnn_device,0,0,1000,1,64,,,,,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", NULL);
    perf_expect(answer, "/unmatched/count", "2");
    perf_expect(answer, "/unmatched/device", "\"1\"");
    perf_expect(answer, "/unmatched/first_id", "\"4\"");
    perf_expect(answer, "/unmatched/first_op", "\"B\"");
    yyjson_doc_free(answer);
}

static void test_many_sub_devices_are_named_up_to_a_point(void **state)
{
    (void)state;
    char csv[8192] = COLUMNS;
    for (unsigned i = 0; i < 40; i++) {
        char row[96];
        snprintf(row, sizeof row, "A,tt_dnn_device,0,0,1000,1,64,,,,,,%u\n", i % 20 + 10);
        strcat(csv, row);
    }
    perf_bench_capture(&bench, "sub", csv);
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", NULL);
    const char *caveat = perf_text(answer, "/caveat");
    assert_non_null(strstr(caveat, "20 sub-devices (10, 11, 12"));
    assert_non_null(strstr(caveat, "25, ...)"));
    yyjson_doc_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERF_CASE(test_ties_keep_row_order),
        PERF_CASE(test_what_a_row_says),
        PERF_CASE(test_groups_cap_the_limit),
        PERF_CASE(test_declarations_follow_the_model),
        PERF_CASE(test_groups_that_bring_no_fields_bring_no_notes),
        PERF_CASE(test_empty_fields),
        PERF_CASE(test_devices_behind_a_row),
        PERF_CASE(test_the_slowest_devices_are_kept),
        PERF_CASE(test_flags_and_their_evidence),
        PERF_CASE(test_dram_bound_carries_its_figures_once),
        PERF_CASE(test_where_the_cores_come_from),
        PERF_CASE(test_gaps_are_only_counted_where_gaps_matter),
        PERF_CASE(test_nothing_is_said_when_nothing_is_lacking),
        PERF_CASE(test_devices_that_lack_an_operation),
        PERF_CASE(test_many_sub_devices_are_named_up_to_a_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
