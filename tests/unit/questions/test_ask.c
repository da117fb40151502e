#include "support/perf_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "questions/ask.h"
#include "questions/table.h"

#define COLUMNS "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]\n"

/* Ask as a surface does. */
static struct ts_answer *ask(const struct ts_question *question, struct ts_capture *second, const char *link_base)
{
    struct ts_context context;
    struct ts_args args;
    struct ts_error error;
    struct ts_answer *answer = NULL;
    struct ts_ask_options options = {.with_handle = true, .link_base = link_base};
    ts_context_init(&context);
    assert_int_equal(ts_args_check(question, NULL, false, &args, &error), TS_OK);
    if (ts_ask(&context, question, &args, bench.captures[0], second, &options, &answer, &error))
        fail_msg("%s", error.message);
    return answer;
}

static const char *first_key(const struct ts_answer *answer)
{
    yyjson_mut_obj_iter members = yyjson_mut_obj_iter_with(answer->root);
    return yyjson_mut_get_str(yyjson_mut_obj_iter_next(&members));
}

static const char *text_of(const struct ts_answer *answer, const char *key)
{
    return yyjson_mut_get_str(yyjson_mut_obj_get(answer->root, key));
}

static void test_the_handle_is_first(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "run", COLUMNS "A,tt_dnn_device,0,1000\n");
    struct ts_answer *answer = ask(ts_question_find(TS_STR("top_ops")), NULL, NULL);
    assert_string_equal(first_key(answer), "handle");
    assert_string_equal(text_of(answer, "handle"), "run");
    ts_answer_free(answer);
    answer = ask(ts_question_find(TS_STR("diff_reports")), bench.captures[0], NULL);
    assert_null(text_of(answer, "handle"));
    assert_string_equal(text_of(answer, "before"), "run");
    ts_answer_free(answer);
}

/* What was read stays good for an answer, which says so; a range needs the file again. */
static void test_a_capture_that_changed(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "run", COLUMNS "A,tt_dnn_device,0,1000\nS,signpost,,\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", NULL);
    assert_false(perf_has(answer, "/capture_changed"));
    yyjson_doc_free(answer);
    perf_bench_write(&bench, "run/ops_perf_results.csv", COLUMNS "B,tt_dnn_device,0,1000\nB,tt_dnn_device,0,1000\n");
    answer = perf_bench_ask(&bench, "top_ops", NULL);
    perf_expect(answer, "/capture_changed", "true");
    perf_expect(answer, "/ops/0/op_code", "\"A\"");
    yyjson_doc_free(answer);
    perf_bench_refused(&bench, "top_ops", "{\"start_signpost\":\"S\"}", TS_CHANGED, "run");
    perf_bench_capture(&bench, "other", COLUMNS "A,tt_dnn_device,0,1000\n");
    answer = perf_bench_ask(&bench, "diff_reports", NULL);
    perf_expect(answer, "/capture_changed", "true");
    yyjson_doc_free(answer);
    struct ts_capture *changed = bench.captures[0];
    bench.captures[0] = bench.captures[1];
    bench.captures[1] = changed;
    answer = perf_bench_ask(&bench, "diff_reports", NULL);
    perf_expect(answer, "/capture_changed", "true");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "top_ops", NULL);
    assert_false(perf_has(answer, "/capture_changed"));
    yyjson_doc_free(answer);
}

/* ---- links ---- */

static const char *link_status;
static int link_rank;

static enum ts_status answer_link(struct ts_context *context, const struct ts_args *args, struct ts_capture *first,
                                  struct ts_capture *second, struct ts_answer *answer, struct ts_error *error)
{
    (void)context;
    (void)args;
    (void)first;
    (void)second;
    (void)error;
    yyjson_mut_val *link = ts_answer_object(answer, answer->root, "operation_link");
    ts_answer_name(answer, link, "status", link_status);
    if (link_rank >= 0)
        ts_answer_integer(answer, link, "rank", link_rank);
    else
        ts_answer_null(answer, link, "rank");
    return TS_OK;
}

static const struct ts_param no_params[] = {{.name = NULL}};
static const struct ts_question linking = {
    .name = "linking", .params = no_params, .link = TS_LINK_LINKED_OPERATIONS, .answer = answer_link};

static void expect_link(const struct ts_question *question, const char *key, const char *expected)
{
    struct ts_answer *answer = ask(question, NULL, "http://host:8000");
    const char *link = text_of(answer, key);
    if (!expected) {
        assert_null(link);
    } else {
        assert_non_null(link);
        char whole[1024];
        snprintf(whole, sizeof whole, expected, bench.folder, bench.folder);
        assert_string_equal(link, whole);
    }
    ts_answer_free(answer);
}

/* Open FOLDER/profiler and FOLDER/name as one capture. */
static void open_both(const char *name)
{
    char profiler[256], performance[256];
    struct ts_error error;
    snprintf(profiler, sizeof profiler, "%s/profiler", bench.folder);
    snprintf(performance, sizeof performance, "%s/%s", bench.folder, name);
    if (ts_capture_open(bench.session, profiler, performance, "both", &bench.captures[0], &error))
        fail_msg("%s", error.message);
    bench.count = 1;
}

static void test_links_of_a_performance_report(void **state)
{
    (void)state;
    const struct ts_question *load = ts_question_find(TS_STR("load_report"));
    perf_bench_capture(&bench, "a b&c+d~\xC3\xA9", COLUMNS "A,tt_dnn_device,0,1000\n");
    expect_link(load, "app_link", NULL); /* the web application wants the log too */
    ts_capture_close(bench.captures[--bench.count]);
    perf_bench_write(&bench, "a b&c+d~\xC3\xA9/profile_log_device.csv", "ARCH: wormhole_b0\n");
    perf_bench_open(&bench, "a b&c+d~\xC3\xA9");
    expect_link(load, "app_link", "http://host:8000/performance?performance_path=%s/a%%20b%%26c%%2Bd~%%C3%%A9");
    struct ts_answer *answer = ask(load, NULL, NULL);
    assert_null(text_of(answer, "app_link"));
    ts_answer_free(answer);
}

static void test_links_of_both_reports(void **state)
{
    (void)state;
    perf_bench_write(&bench, "profiler/db.sqlite", "");
    perf_bench_write(&bench, "run/ops_perf_results.csv", COLUMNS "A,tt_dnn_device,0,1000\n");
    perf_bench_write(&bench, "run/profile_log_device.csv", "ARCH: wormhole_b0\n");
    open_both("run");
    expect_link(ts_question_find(TS_STR("load_report")), "app_link",
                "http://host:8000/operations?profiler_path=%s/profiler&performance_path=%s/run");
    static const struct {
        const char *status;
        int rank;
        bool link;
    } cases[] = {{"linked", 0, true},
                 {"linked", -1, true},
                 {"linked", 1, false},
                 {"unlinked", 0, false},
                 {"unavailable", -1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        link_status = cases[i].status;
        link_rank = cases[i].rank;
        expect_link(&linking, "app_link_template",
                    cases[i].link
                        ? "http://host:8000/operations/{operation_id}?profiler_path=%s/profiler&performance_path=%s/run"
                        : NULL);
    }
    expect_link(ts_question_find(TS_STR("top_ops")), "app_link_template", NULL); /* not linked yet */
}

/* ---- bounds ---- */

static enum ts_status answer_too_much(struct ts_context *context, const struct ts_args *args, struct ts_capture *first,
                                      struct ts_capture *second, struct ts_answer *answer, struct ts_error *error)
{
    (void)context;
    (void)args;
    (void)first;
    (void)second;
    (void)error;
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "list");
    for (unsigned i = 0; i < 100000; i++)
        ts_answer_push_string(answer, list, TS_STR("some text"));
    return TS_OK;
}

static void test_an_answer_that_is_too_large(void **state)
{
    (void)state;
    static const struct ts_question large = {
        .name = "large", .params = no_params, .too_large = "lower this", .answer = answer_too_much};
    perf_bench_capture(&bench, "run", COLUMNS "A,tt_dnn_device,0,1000\n");
    struct ts_context context;
    struct ts_args args = {.question = &large};
    struct ts_error error;
    struct ts_answer *answer = NULL;
    struct ts_ask_options options = {.with_handle = true};
    ts_context_init(&context);
    assert_int_equal(ts_ask(&context, &large, &args, bench.captures[0], NULL, &options, &answer, &error), TS_LIMIT);
    assert_null(answer);
    assert_non_null(strstr(error.message, "lower this"));
    atomic_store(&context.cancelled, true);
    assert_int_equal(ts_ask(&context, &large, &args, bench.captures[0], NULL, &options, &answer, &error), TS_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERF_CASE(test_the_handle_is_first),           PERF_CASE(test_a_capture_that_changed),
        PERF_CASE(test_links_of_a_performance_report), PERF_CASE(test_links_of_both_reports),
        PERF_CASE(test_an_answer_that_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
