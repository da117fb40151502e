/* Every question with many arguments, asked of every capture of the tree: what is answered is as it was declared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/error.h"
#include "support/perf_capture.h"

static const char *const folders[] = {
    "tests/golden/captures/model",  "tests/golden/captures/mesh",        "tests/golden/captures/torn_mesh",
    "tests/golden/captures/wide",   "tests/golden/captures/partitioned", "tests/golden/captures/compiling",
    "tests/golden/captures/holes",  "tests/golden/captures/legacy",      "tests/golden/captures/marks",
    "tests/golden/captures/ragged", "tests/golden/captures/header",      "tests/golden/captures/columns",
    "tests/golden/captures/nothing"};
static const char *const metrics[] = {"device_time", "op_to_op_gap", "total_percent", "flops", "dram", "cores"};
static const char *const ranges[] = {"",
                                     ",\"start_signpost\":\"warmup\",\"end_signpost\":\"warmup\"",
                                     ",\"start_signpost\":\"iter\"",
                                     ",\"end_signpost\":\"late\"",
                                     ",\"start_signpost\":\"begin\",\"end_signpost\":\"end\"",
                                     ",\"start_signpost\":\"end\",\"end_signpost\":\"begin\""};
static const char *const groups[] = {"\"config\"", "\"utilisation\"", "\"noc\"",   "\"riscs\"",
                                     "\"cores\"",  "\"dispatch\"",    "\"cache\"", "\"kernels\"",
                                     "\"advice\"", "\"devices\"",     "\"flags\""};
static const char everything[] =
    "\"config\",\"utilisation\",\"noc\",\"riscs\",\"cores\",\"dispatch\",\"cache\",\"kernels\","
    "\"advice\",\"devices\",\"flags\"";
enum {
    METRICS = sizeof metrics / sizeof *metrics,
    RANGES = sizeof ranges / sizeof *ranges,
    GROUPS = sizeof groups / sizeof *groups
};

static unsigned answered, refused;

/* An answer is checked by perf_bench_ask; a refusal must be one of the capture, and say something. */
static void ask(struct perf_bench *bench, const char *question, const char *arguments)
{
    struct ts_error error;
    struct ts_answer *answer;
    struct ts_capture *second = strcmp(question, "diff_reports") == 0 ? bench->captures[1] : NULL;
    enum ts_status status =
        ts_session_ask(bench->session, question, arguments, bench->captures[0], second, &answer, &error);
    if (!status) {
        ts_answer_destroy(answer);
        yyjson_doc_free(perf_bench_ask(bench, question, arguments));
        answered++;
        return;
    }
    if (status != TS_REFUSED || strlen(error.message) < 20)
        fail_msg("%s %s: status %d: %s", question, arguments, status, error.message);
    refused++;
}

static void ask_top_ops(struct perf_bench *bench)
{
    char arguments[512];
    for (unsigned metric = 0; metric < METRICS; metric++) {
        for (unsigned range = 0; range < RANGES; range++) {
            snprintf(arguments, sizeof arguments, "{\"by\":\"%s\"%s}", metrics[metric], ranges[range]);
            ask(bench, "top_ops", arguments);
            snprintf(arguments, sizeof arguments, "{\"by\":\"%s\",\"include\":[%s]%s}", metrics[metric], everything,
                     ranges[range]);
            ask(bench, "top_ops", arguments);
        }
        for (unsigned group = 0; group < GROUPS; group++) {
            snprintf(arguments, sizeof arguments, "{\"by\":\"%s\",\"include\":[%s],\"limit\":1000}", metrics[metric],
                     groups[group]);
            ask(bench, "top_ops", arguments);
        }
    }
}

static void ask_others(struct perf_bench *bench)
{
    char arguments[512];
    ask(bench, "load_report", NULL);
    ask(bench, "program_cache", "{\"limit\":2}");
    ask(bench, "program_cache", NULL);
    for (unsigned metric = 0; metric < 3; metric++)
        for (unsigned range = 0; range < RANGES; range++)
            for (unsigned few = 0; few < 2; few++) {
                unsigned limit = few ? 1 : 100;
                snprintf(arguments, sizeof arguments, "{\"by\":\"%s\",\"limit\":%u%s}", metrics[metric], limit,
                         ranges[range]);
                ask(bench, "op_breakdown", arguments);
                ask(bench, "diff_reports", arguments);
                snprintf(arguments, sizeof arguments, "{\"by\":\"%s\",\"group_by\":\"op_category\",\"limit\":%u%s}",
                         metrics[metric], limit, ranges[range]);
                ask(bench, "op_breakdown", arguments);
            }
}

static void test_every_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct perf_bench bench;
        char path[512];
        perf_bench_make(&bench);
        snprintf(path, sizeof path, "%s/%s", TS_SOURCE_DIR, folders[i]);
        perf_bench_open_at(&bench, path);
        snprintf(path, sizeof path, "%s/%s", TS_SOURCE_DIR, folders[(i + 1) % 9]);
        perf_bench_open_at(&bench, path);
        ask_top_ops(&bench);
        ask_others(&bench);
        perf_bench_free(&bench);
    }
    assert_true(answered > 900);
    assert_true(refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_answer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
