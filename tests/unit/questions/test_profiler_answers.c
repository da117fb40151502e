/* The database questions with many arguments: what is answered is as it was declared, and says it twice alike. */
#include "support/perf_case.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/profiler_report.h"

static const char *const calls[][2] = {
    {"load_report", NULL},
    {"find_operations", NULL},
    {"find_operations", "{\"name_contains\":\"T\",\"called_from\":\"CODE\",\"limit\":1}"},
    {"find_operations", "{\"called_from\":\"nobody\"}"},
    {"memory_profile", NULL},
    {"memory_profile", "{\"buffer_type\":\"L1\",\"limit\":1}"},
    {"memory_profile", "{\"buffer_type\":\"DRAM\"}"},
    {"tensor_flow", "{\"tensor_id\":1}"},
    {"tensor_flow", "{\"tensor_id\":2}"},
    {"tensor_flow", "{\"tensor_id\":3}"},
    {"tensor_flow", "{\"tensor_id\":4}"},
    {"tensor_flow", "{\"tensor_id\":5}"},
    {"operation_provenance", "{\"operation_id\":1}"},
    {"operation_provenance", "{\"operation_id\":1,\"limit\":1}"},
    {"operation_provenance", "{\"operation_id\":2}"},
    {"operation_provenance", "{\"operation_id\":3}"},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* How many of the calls are answered; each is held against its declaration, and asked twice. */
static unsigned ask_all(void)
{
    unsigned answered = 0;
    for (size_t i = 0; i < CALLS; i++) {
        struct ts_answer *answer;
        struct ts_error error;
        enum ts_status status =
            ts_session_ask(bench.session, calls[i][0], calls[i][1], bench.captures[0], NULL, &answer, &error);
        if (status != TS_OK) {
            if (status != TS_REFUSED)
                fail_msg("%s %s: %s", calls[i][0], calls[i][1], error.message);
            continue;
        }
        char *first = strdup(ts_answer_json(answer, NULL));
        ts_answer_destroy(answer);
        yyjson_doc *again = perf_bench_ask(&bench, calls[i][0], calls[i][1]);
        char *second = yyjson_write(again, 0, NULL);
        assert_string_equal(first, second);
        free(first);
        free(second);
        yyjson_doc_free(again);
        answered++;
    }
    return answered;
}

static void test_a_usual_report(void **state)
{
    (void)state;
    profiler_report_open(&bench, "usual", profiler_report_usual);
    assert_int_equal(ask_all(), CALLS);
}

static void test_ranks(void **state)
{
    (void)state;
    profiler_report_open(&bench, "ranked", profiler_report_ranked);
    assert_int_equal(ask_all(), CALLS);
}

static void test_hardly_a_column(void **state)
{
    (void)state;
    profiler_report_open(&bench, "bare", profiler_report_bare);
    assert_int_equal(ask_all(), 8);
}

static void test_no_profiler_report(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "perf", "OP CODE,OP TYPE,DEVICE ID\nA,tt_dnn_device,0\n");
    perf_bench_refused(&bench, "find_operations", NULL, TS_REFUSED, "without profiler_path");
    perf_bench_write(&bench, "none/other", "");
    unsigned none = perf_bench_open_pair(&bench, "none", NULL);
    struct ts_answer *answer;
    struct ts_error error;
    assert_int_equal(ts_session_ask(bench.session, "memory_profile", NULL, bench.captures[none], NULL, &answer, &error),
                     TS_REFUSED);
    assert_non_null(strstr(error.message, "no db.sqlite in"));
}

static void test_figures(void **state)
{
    (void)state;
    profiler_report_open(&bench, "usual", profiler_report_usual);
    yyjson_doc *answer = perf_bench_ask(&bench, "memory_profile", "{\"limit\":2}");
    perf_expect(
        answer, "/memory_by_buffer_type/L1",
        "{\"peak\":96,\"operations_at_peak\":1,\"operation_count\":2,\"returned\":2,\"operations\":["
        "{\"operation_id\":1,\"name\":\"ttnn.matmul\",\"size\":96},{\"operation_id\":2,\"name\":null,\"size\":64}]}");
    perf_expect(answer, "/buffer_types_present", "[\"DRAM\",\"L1\",\"L1_SMALL\",\"odd\"]");
    perf_expect(answer, "/l1_pressure/operations/0",
                "{\"operation_id\":1,\"name\":\"ttnn.matmul\",\"device_id\":0,\"fullness_pct\":6.4,\"free_segments\":2,"
                "\"largest_free_block\":886,\"largest_free_pct\":88.6}");
    perf_expect(answer, "/l1_pressure/operation_count", "4");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "tensor_flow", "{\"tensor_id\":4}");
    perf_expect(answer, "/tensor/memory_config/shard_spec",
                "{\"grid\":\"[(x=0,y=0) - (x=1,y=1)]\",\"shape\":[1,2],\"orientation\":\"X\",\"mode\":\"M\","
                "\"physical_shard_shape\":\"std::nullopt\"}");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "tensor_flow", "{\"tensor_id\":1}");
    perf_expect(answer, "/tensor/size", "64");
    yyjson_doc_free(answer);
}

/* What a session of so many threads answers of BENCH/many; the caller frees it. */
static char *profile_with(unsigned threads)
{
    struct ts_session_options options = {.threads = threads};
    struct ts_session *session;
    struct ts_capture *capture;
    struct ts_answer *answer;
    struct ts_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/many", bench.folder);
    assert_int_equal(ts_session_create(&options, &session, &error), TS_OK);
    assert_int_equal(ts_capture_open(session, path, NULL, "many", &capture, &error), TS_OK);
    if (ts_session_ask(session, "memory_profile", "{\"limit\":100}", capture, NULL, &answer, &error) != TS_OK)
        fail_msg("%s", error.message);
    char *text = strdup(ts_answer_json(answer, NULL));
    ts_answer_destroy(answer);
    ts_capture_close(capture);
    ts_session_destroy(session);
    return text;
}

/* Many rows are read by several threads, and come to the same. */
static void test_threads(void **state)
{
    (void)state;
    profiler_report_open(
        &bench, "many",
        "BEGIN; CREATE TABLE operations (operation_id int, name text, duration float);"
        "CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type);"
        "CREATE TABLE devices (device_id int, l1_bank_size int, address_at_first_l1_cb_buffer int);"
        "INSERT INTO devices VALUES (0, 1000000, 0), (1, 2000000, 0), (2, 3000000, 0);"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 350000)"
        "INSERT INTO buffers SELECT CASE WHEN i % 5000 = 0 THEN 7 WHEN i > 349000 THEN 'none' ELSE i / 70 END,"
        " i % 3, i * 7919 % 900000, i % 4000, CASE WHEN i % 11 = 0 THEN 'L1' WHEN i > 340000 THEN 'late'"
        " ELSE i % 4 END FROM n; COMMIT");
    char *one = profile_with(1);
    assert_non_null(strstr(one, "\"late\""));
    assert_non_null(strstr(one, "rows of buffers"));
    for (unsigned threads = 2; threads < 6; threads++) {
        char *several = profile_with(threads);
        assert_string_equal(one, several);
        free(several);
    }
    free(one);
}

/* Rows of one operation that lie apart, or are cut by the stretches, count once and have the type they have together. */
static void test_operations_that_lie_apart(void **state)
{
    (void)state;
    static const char *const orders[] = {"(1,0,0),(1,1,1),(2,0,2),(2,1,3),(2,2,4)",
                                         "(1,0,0),(2,0,2),(1,1,1),(2,2,4),(2,1,3)"};
    for (size_t i = 0; i < 2; i++) {
        char sql[2048];
        snprintf(
            sql, sizeof sql,
            "CREATE TABLE operations (operation_id int, name text, duration float);"
            "CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type);"
            "CREATE TABLE devices (device_id int, l1_bank_size int, address_at_first_l1_cb_buffer int);"
            "INSERT INTO devices VALUES (0, 1000000, 0);"
            "WITH v(operation, place, number) AS (VALUES %s) INSERT INTO buffers (rowid, operation_id, device_id,"
            " address, max_size_per_bank, buffer_type) SELECT 1 + 70000 * row_number() OVER (), operation, 0,"
            " 100000 * place, CASE number WHEN 3 THEN NULL ELSE 10 END, CASE number WHEN 4 THEN 2.5 ELSE 1 END FROM v;"
            "DROP TABLE IF EXISTS gone",
            orders[i]);
        profiler_report_open(&bench, i == 0 ? "together" : "many", sql);
        if (i == 0) {
            yyjson_doc *answer = perf_bench_ask(&bench, "memory_profile", NULL);
            perf_expect(answer, "/buffer_types_present", "[\"L1\",\"UNKNOWN\"]");
            perf_expect_part(answer, "/caveat", "Not in the sizes: 1 buffers");
            yyjson_doc_free(answer);
            continue;
        }
        for (unsigned threads = 1; threads < 5; threads++) {
            char *text = profile_with(threads);
            assert_non_null(strstr(text, "\"buffer_types_present\":[\"L1\",\"UNKNOWN\"]"));
            assert_non_null(strstr(text, "Not in the sizes: 1 buffers"));
            free(text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERF_CASE(test_a_usual_report),
        PERF_CASE(test_ranks),
        PERF_CASE(test_hardly_a_column),
        PERF_CASE(test_no_profiler_report),
        PERF_CASE(test_figures),
        PERF_CASE(test_threads),
        PERF_CASE(test_operations_that_lie_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
