#include "support/perf_case.h"

#include <stdio.h>
#include <stdlib.h>

#define COLUMNS "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]\n"

static int begin(void **state)
{
    perf_case_begin(state);
    perf_bench_capture(&bench, "run", COLUMNS "A,tt_dnn_device,0,1000\n");
    return 0;
}

static void test_version(void **state)
{
    (void)state;
    assert_string_equal(ts_version(), TS_VERSION);
}

static void test_usage(void **state)
{
    (void)state;
    struct ts_error error;
    struct ts_answer *answer = NULL;
    struct ts_capture *run = bench.captures[0];
    perf_bench_refused(&bench, "no_such_question", NULL, TS_USAGE, "no_such_question");
    perf_bench_refused(&bench, "top_ops", "{\"limit\":", TS_USAGE, "the arguments of top_ops");
    perf_bench_refused(&bench, "top_ops", "[]", TS_USAGE, "must be an object");
    perf_bench_refused(&bench, "top_ops", "{\"handle\":\"x\"}", TS_USAGE, "no argument \"handle\"");
    perf_bench_refused(&bench, "load_report", "{\"performance_path\":\"x\"}", TS_USAGE, "no argument");
    assert_int_equal(ts_session_ask(bench.session, "top_ops", NULL, run, run, &answer, &error), TS_USAGE);
    assert_int_equal(ts_session_ask(bench.session, "top_ops", NULL, NULL, NULL, &answer, &error), TS_USAGE);
    assert_int_equal(ts_session_ask(bench.session, "diff_reports", NULL, run, NULL, &answer, &error), TS_USAGE);
    assert_non_null(strstr(error.message, "two captures"));
    assert_int_equal(ts_session_ask(bench.session, "diff_reports", NULL, run, run, &answer, NULL), TS_OK);
    ts_answer_destroy(answer);
    answer = NULL;
    assert_int_equal(ts_session_ask(bench.session, "top_ops", "{", run, NULL, &answer, NULL), TS_USAGE);
    assert_null(answer);
    ts_answer_destroy(NULL);
    ts_capture_close(NULL);
    ts_session_destroy(NULL);
}

static void test_captures_of_another_session(void **state)
{
    (void)state;
    struct perf_bench other;
    struct ts_answer *answer = NULL;
    struct ts_error error;
    perf_bench_make(&other);
    assert_int_equal(ts_session_ask(other.session, "top_ops", NULL, bench.captures[0], NULL, &answer, &error),
                     TS_USAGE);
    assert_non_null(strstr(error.message, "another session"));
    assert_null(answer);
    perf_bench_free(&other);
}

static void test_opening(void **state)
{
    (void)state;
    struct ts_capture *capture = NULL;
    struct ts_error error;
    assert_int_equal(ts_capture_open(bench.session, NULL, NULL, NULL, &capture, &error), TS_USAGE);
    assert_int_equal(ts_capture_open(bench.session, NULL, "/nowhere/at/all", NULL, &capture, &error), TS_REFUSED);
    assert_non_null(strstr(error.message, "/nowhere/at/all"));
    assert_null(capture);
    char path[512];
    snprintf(path, sizeof path, "%s/run/ops_perf_results.csv", bench.folder);
    perf_bench_open_at(&bench, path); /* the file itself */
    yyjson_doc_free(perf_bench_ask_of(&bench, 1, "top_ops", NULL));
}

static void test_roots(void **state)
{
    (void)state;
    const char *const roots[] = {bench.folder, NULL}, *const nowhere[] = {"/nowhere/at/all", NULL};
    struct ts_session_options options = {.roots = roots};
    struct ts_session *session = NULL;
    struct ts_capture *capture = NULL;
    struct ts_error error;
    assert_int_equal(ts_session_create(&options, &session, &error), TS_OK);
    assert_int_equal(
        ts_capture_open(session, NULL, TS_SOURCE_DIR "/tests/golden/captures/model", NULL, &capture, &error),
        TS_REFUSED);
    char path[512];
    snprintf(path, sizeof path, "%s/run", bench.folder);
    assert_int_equal(ts_capture_open(session, NULL, path, NULL, &capture, &error), TS_OK);
    ts_capture_close(capture);
    ts_session_destroy(session);
    options.roots = nowhere;
    session = NULL;
    assert_int_equal(ts_session_create(&options, &session, &error), TS_IO);
    assert_null(session);
}

/* A cancellation ends one call, that in progress or the next one, and no other. */
static void test_cancelling(void **state)
{
    (void)state;
    ts_session_cancel(bench.session);
    perf_bench_refused(&bench, "top_ops", NULL, TS_CANCELLED, "");
    yyjson_doc_free(perf_bench_ask(&bench, "top_ops", NULL));
    ts_session_cancel(bench.session);
    struct ts_capture *capture = NULL;
    struct ts_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/run", bench.folder);
    assert_int_equal(ts_capture_open(bench.session, NULL, path, NULL, &capture, &error), TS_CANCELLED);
    assert_int_equal(ts_capture_open(bench.session, NULL, path, NULL, &capture, &error), TS_OK);
    ts_capture_close(capture);
}

/* A file large enough that reading it takes more than a millisecond. */
static void write_large(void)
{
    enum { ROWS = 300000 };
    static const char row[] = "SomeOperationWithAName,tt_dnn_device,0,12345,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9\n";
    static const char head[] = "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],a,b,c,d,e,f,g,h,i\n";
    char *csv = malloc(sizeof head + ROWS * sizeof row), *at = csv;
    assert_non_null(csv);
    memcpy(at, head, sizeof head);
    at += sizeof head - 1;
    for (unsigned i = 0; i < ROWS; i++, at += sizeof row - 1)
        memcpy(at, row, sizeof row);
    perf_bench_write(&bench, "large/ops_perf_results.csv", csv);
    free(csv);
}

static void count_progress(void *data, uint64_t done, uint64_t total, const char *message)
{
    uint64_t *last = data;
    assert_non_null(message);
    assert_true(done >= *last);
    assert_true(total == 0 || done <= total);
    *last = done;
}

static void test_limits_of_a_call(void **state)
{
    (void)state;
    write_large();
    char path[512];
    snprintf(path, sizeof path, "%s/large", bench.folder);
    uint64_t last = 0;
    struct ts_session_options options[] = {{.time_limit_ms = 1}, {.memory_limit = 1 << 20}};
    for (size_t i = 0; i < 2; i++) {
        struct ts_session *session;
        struct ts_capture *capture = NULL;
        struct ts_error error;
        options[i].progress = count_progress;
        options[i].progress_data = &last;
        options[i].threads = 1;
        last = 0;
        assert_int_equal(ts_session_create(&options[i], &session, &error), TS_OK);
        assert_int_equal(ts_capture_open(session, NULL, path, NULL, &capture, &error), TS_LIMIT);
        assert_null(capture);
        ts_session_destroy(session);
    }
}

static void test_answers_outlive_their_capture(void **state)
{
    (void)state;
    struct ts_answer *answer;
    struct ts_error error;
    size_t length;
    assert_int_equal(ts_session_ask(bench.session, "top_ops", "", bench.captures[0], NULL, &answer, &error), TS_USAGE);
    assert_int_equal(ts_session_ask(bench.session, "top_ops", "{}", bench.captures[0], NULL, &answer, &error), TS_OK);
    ts_capture_close(bench.captures[0]);
    bench.count = 0;
    const char *json = ts_answer_json(answer, &length);
    assert_int_equal(strlen(json), length);
    assert_non_null(strstr(json, "\"op_code\":\"A\""));
    assert_ptr_equal(ts_answer_json(answer, NULL), json);
    ts_answer_destroy(answer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, perf_case_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        TEST(test_usage),
        TEST(test_captures_of_another_session),
        TEST(test_opening),
        TEST(test_roots),
        TEST(test_cancelling),
        TEST(test_limits_of_a_call),
        TEST(test_answers_outlive_their_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
