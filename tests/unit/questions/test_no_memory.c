/* Memory that runs out at any point of any question: a failure that says so, and nothing lost or half-kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/interpose_malloc.c"
#include "support/perf_capture.h"

static const struct {
    const char *question, *arguments;
} cases[] = {
    {"load_report", NULL},
    {"top_ops", "{\"include\":[\"config\",\"utilisation\",\"noc\",\"riscs\",\"cores\",\"dispatch\",\"cache\","
                "\"kernels\",\"advice\","
                "\"devices\",\"flags\"],\"limit\":25}"},
    {"top_ops",
     "{\"start_signpost\":\"iter\",\"end_signpost\":\"iter\",\"by\":\"total_percent\",\"include\":[\"flags\"]}"},
    {"op_breakdown", "{\"limit\":2}"},
    {"program_cache", "{\"limit\":1}"},
    {"diff_reports", "{\"by\":\"op_to_op_gap\"}"},
    {"top_ops", "{\"start_signpost\":\"nope\"}"},
    {"top_ops", "{\"by\":\"nope\"}"},
    {"top_ops", "{\"include\":[\"nope\"]}"},
};

static void open_captures(struct perf_bench *bench, const char *first, const char *second)
{
    char path[512];
    perf_bench_make(bench);
    snprintf(path, sizeof path, "%s/tests/golden/captures/%s", TS_SOURCE_DIR, first);
    perf_bench_open_at(bench, path);
    snprintf(path, sizeof path, "%s/tests/golden/captures/%s", TS_SOURCE_DIR, second);
    perf_bench_open_at(bench, path);
}

static enum ts_status ask(struct perf_bench *bench, size_t i, struct ts_answer **answer, struct ts_error *error)
{
    struct ts_capture *second = cases[i].question[0] == 'd' ? bench->captures[1] : NULL;
    return ts_session_ask(bench->session, cases[i].question, cases[i].arguments, bench->captures[0], second, answer,
                          error);
}

/* What the question comes to when memory is there: the answer, or the refusal's message. The caller frees it. */
static char *expected_of(struct perf_bench *bench, size_t i)
{
    struct ts_answer *answer;
    struct ts_error error;
    char *text;
    if (ask(bench, i, &answer, &error)) {
        text = strdup(error.message);
    } else {
        text = strdup(ts_answer_json(answer, NULL));
        ts_answer_destroy(answer);
    }
    assert_non_null(text);
    return text;
}

static long fail_at_every_allocation(size_t i, const char *first, const char *second)
{
    for (long good = 0;; good++) {
        struct perf_bench bench;
        struct ts_answer *answer = NULL;
        struct ts_error error;
        open_captures(&bench, first, second);
        interpose_fail_from(good);
        enum ts_status status = ask(&bench, i, &answer, &error);
        bool failed = interpose_stop();
        if (!failed) {
            if (status == TS_OK)
                ts_answer_destroy(answer);
            perf_bench_free(&bench);
            return good;
        }
        /* A refusal may have been shortened: what it lists is made in memory too. */
        if (status == TS_OK || (status != TS_NO_MEMORY && status != TS_REFUSED && status != TS_USAGE))
            fail_msg("%s %s, allocation %ld: status %d", cases[i].question, cases[i].arguments, good, status);
        assert_null(answer);
        /* Nothing half-made was kept. */
        char *again = expected_of(&bench, i);
        perf_bench_free(&bench);
        open_captures(&bench, first, second);
        char *expected = expected_of(&bench, i);
        assert_string_equal(again, expected);
        free(again);
        free(expected);
        perf_bench_free(&bench);
    }
}

static void test_every_question(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        long allocations = fail_at_every_allocation(i, "model", "holes");
        if (allocations < 2)
            fail_msg("%s made %ld allocations", cases[i].question, allocations);
    }
    fail_at_every_allocation(4, "compiling", "legacy");
    fail_at_every_allocation(5, "partitioned", "torn_mesh");
    fail_at_every_allocation(3, "partitioned", "torn_mesh");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_question)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
