#include "support/perf_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "questions/table.h"

#define COLUMNS "OP CODE,OP TYPE,DEVICE ID,HOST START TS,PROGRAM HASH,PROGRAM CACHE HIT\n"

/* Of a list of questions, those that need an operations CSV and nothing else. */
static void expect_csv_questions(yyjson_doc *answer, const char *path, const char *json)
{
    static const char *const questions[] = {"top_ops", "op_breakdown", "program_cache"};
    char listed[128] = "[";
    yyjson_arr_iter items = yyjson_arr_iter_with(perf_at(answer, path));
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&items));)
        for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
            if (yyjson_equals_str(item, questions[i]))
                snprintf(listed + strlen(listed), sizeof listed - strlen(listed), "%s\"%s\"", listed[1] ? "," : "",
                         questions[i]);
    strcat(listed, "]");
    assert_string_equal(listed, json);
}

static void test_signposts_as_a_range_takes_them(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "run",
                       COLUMNS "b,signpost,,200,,\n"
                               "a,signpost,,300,,\n"
                               "A,tt_dnn_device,0,400,,\n"
                               "A,tt_dnn_device,3,400,,\n"
                               "b,signpost,,100,,\n"
                               "NA,signpost,,500,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "load_report", NULL);
    perf_expect(answer, "/signposts", "[{\"name\":\"a\",\"occurrences\":1},{\"name\":\"b\",\"occurrences\":2}]");
    perf_expect(answer, "/signpost_count", "2");
    perf_expect(answer, "/device_count", "{\"performance_csv\":2}");
    expect_csv_questions(answer, "/answerable", "[\"top_ops\",\"op_breakdown\",\"program_cache\"]");
    expect_csv_questions(answer, "/unanswerable", "[]");
    perf_expect(answer, "/performance_csv", "\"ops_perf_results.csv\"");
    perf_expect(answer, "/performance_csv_problem", "null");
    perf_expect(answer, "/profiler_path", "null");
    perf_expect(answer, "/tt_perf_report_version", "\"1.4.0\"");
    perf_expect(answer, "/data_present_without_tools", "[]");
    assert_false(perf_has(answer, "/signposts_unlisted_too_long") || perf_has(answer, "/signposts_problem"));
    yyjson_doc_free(answer);
}

static void test_many_and_long_signposts(void **state)
{
    (void)state;
    char csv[16384] = COLUMNS;
    for (unsigned i = 0; i < 30; i++) {
        char row[600], name[300] = "";
        if (i % 10 == 5)
            memset(name, 'x', 257);
        snprintf(row, sizeof row, "%s%02u,signpost,,%u,,\n", name, i, i);
        strcat(csv, row);
    }
    perf_bench_capture(&bench, "many", csv);
    yyjson_doc *answer = perf_bench_ask(&bench, "load_report", NULL);
    perf_expect(answer, "/signpost_count", "30");
    perf_expect(answer, "/signposts_unlisted_too_long", "3");
    assert_int_equal(yyjson_arr_size(perf_at(answer, "/signposts")), 20);
    perf_expect(answer, "/signposts/5/name", "\"06\""); /* long ones take no place */
    perf_expect(answer, "/signposts/19/name", "\"21\"");
    yyjson_doc_free(answer);
}

static void test_why_a_question_cannot_be_answered(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "old", "OP CODE,OP TYPE,DEVICE ID,PROGRAM HASH\nA,tt_dnn_device,0,h\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "load_report", NULL);
    expect_csv_questions(answer, "/answerable", "[\"top_ops\",\"op_breakdown\"]");
    expect_csv_questions(answer, "/unanswerable", "[\"program_cache\"]");
    perf_expect_part(answer, "/unanswerable_why/program_cache", "PROGRAM CACHE HIT");
    yyjson_doc_free(answer);
    perf_bench_write(&bench, "log/profile_log_device.csv",
                     "ARCH: blackhole, odd, CHIP_FREQ[MHz]: 1350, a:b:c, ARCH : x\n");
    unsigned log = perf_bench_open(&bench, "log");
    answer = perf_bench_ask_of(&bench, log, "load_report", NULL);
    perf_expect(answer, "/capture", "{\"ARCH\":\"x\",\"CHIP_FREQ[MHz]\":\"1350\",\"a\":\"b:c\"}");
    perf_expect(answer, "/arch", "{\"device_log\":\"x\"}");
    perf_expect(answer, "/performance_csv", "null");
    perf_expect(answer, "/device_count", "{}");
    perf_expect_part(answer, "/unanswerable_why/top_ops", "no ops_perf_results CSV");
    assert_false(perf_has(answer, "/signposts") || perf_has(answer, "/signpost_count"));
    yyjson_doc_free(answer);
}

static void test_problems_of_the_csv(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "ragged", COLUMNS "A,tt_dnn_device,0,1,,\nB,tt_dnn_device,0,1,,,7\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "load_report", NULL);
    perf_expect_part(answer, "/signposts_problem", "3");
    perf_expect(answer, "/performance_csv_problem", "null");
    expect_csv_questions(answer, "/answerable", "[\"top_ops\",\"op_breakdown\",\"program_cache\"]");
    assert_false(perf_has(answer, "/signposts") || perf_has(answer, "/signpost_count"));
    perf_expect(answer, "/device_count", "{}");
    yyjson_doc_free(answer);
    perf_bench_refused(&bench, "top_ops", NULL, TS_REFUSED, "ragged|3");
    unsigned columns = perf_bench_capture(&bench, "columns", "OP CODE,X\n1,2\n");
    answer = perf_bench_ask_of(&bench, columns, "load_report", NULL);
    perf_expect(answer, "/performance_csv_problem", "\"missing columns: DEVICE ID, OP TYPE\"");
    expect_csv_questions(answer, "/answerable", "[]");
    expect_csv_questions(answer, "/unanswerable", "[\"top_ops\",\"op_breakdown\",\"program_cache\"]");
    yyjson_doc_free(answer);
}

/* A log that cannot be read costs what it would tell, no more. */
static void test_a_damaged_log(void **state)
{
    (void)state;
    perf_bench_write(&bench, "run/profile_log_device.csv.gz", "this is not compressed");
    perf_bench_capture(&bench, "run", COLUMNS "A,tt_dnn_device,0,1,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "load_report", NULL);
    perf_expect(answer, "/capture", "{}");
    perf_expect(answer, "/arch", "{}");
    perf_expect(answer, "/device_count", "{\"performance_csv\":1}");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "top_ops", "{\"include\":[\"flags\"]}");
    perf_expect(answer, "/flag_basis/max_cores_source", "\"architecture_default\"");
    yyjson_doc_free(answer);
}

static void test_names_of_questions(void **state)
{
    (void)state;
    assert_string_equal(ts_question_find(TS_STR("top_ops"))->name, "top_ops");
    assert_string_equal(ts_question_find(TS_STR("top-ops"))->name, "top_ops");
    assert_string_equal(ts_question_find(TS_STR("diff-reports"))->name, "diff_reports");
    assert_null(ts_question_find(TS_STR("top ops")));
    assert_null(ts_question_find(TS_STR("top_op")));
    assert_null(ts_question_find(TS_STR("top_opss")));
    assert_null(ts_question_find(TS_STR("")));
    assert_null(ts_question_find((struct ts_str){"top_ops\0", 8}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERF_CASE(test_signposts_as_a_range_takes_them),
        PERF_CASE(test_many_and_long_signposts),
        PERF_CASE(test_why_a_question_cannot_be_answered),
        PERF_CASE(test_problems_of_the_csv),
        PERF_CASE(test_a_damaged_log),
        cmocka_unit_test(test_names_of_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
