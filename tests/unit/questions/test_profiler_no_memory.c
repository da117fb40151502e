/* Memory that runs out at any point of a database question, SQLite's own included: a failure that says so, and nothing lost
 * or half-kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "support/interpose_malloc.c"
#include "support/profiler_database.h"
#include "support/profiler_report.h"

static const char *const calls[][2] = {
    {"load_report", NULL},
    {"find_operations", "{\"name_contains\":\"t\",\"called_from\":\"code\"}"},
    {"memory_profile", NULL},
    {"tensor_flow", "{\"tensor_id\":5}"},
    {"tensor_flow", "{\"tensor_id\":1}"},
    {"operation_provenance", "{\"operation_id\":1}"},
    {"errors", NULL},
    {"dram_fallbacks", NULL},
};

static enum ts_status ask(struct perf_bench *bench, size_t i, struct ts_answer **answer, struct ts_error *error)
{
    return ts_session_ask(bench->session, calls[i][0], calls[i][1], bench->captures[0], NULL, answer, error);
}

static char *text_of(struct perf_bench *bench, size_t i)
{
    struct ts_answer *answer;
    struct ts_error error;
    if (ask(bench, i, &answer, &error) != TS_OK)
        fail_msg("%s: %s", calls[i][0], error.message);
    char *text = strdup(ts_answer_json(answer, NULL));
    ts_answer_destroy(answer);
    assert_non_null(text);
    return text;
}

/* Make it another state of the file, so that nothing kept of it answers. */
static void touch(const struct perf_bench *bench)
{
    static time_t now = 1000000000;
    char path[512];
    snprintf(path, sizeof path, "%s/usual/db.sqlite", bench->folder);
    now++;
    const struct timespec times[] = {{now, 0}, {now, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Fail one allocation after the other, each alone or with all that follow, until a call makes no more. */
static long fail_at_every_allocation(struct perf_bench *bench, size_t i, const char *expected, bool once)
{
    for (long good = 0;; good++) {
        struct ts_answer *answer = NULL;
        struct ts_error error;
        touch(bench);
        if (once)
            interpose_fail_once(good);
        else
            interpose_fail_from(good);
        enum ts_status status = ask(bench, i, &answer, &error);
        bool failed = interpose_stop();
        if (status != TS_OK && status != TS_NO_MEMORY)
            fail_msg("%s, allocation %ld: status %d: %s", calls[i][0], good, status, error.message);
        /* SQLite can do without some: then the answer is whole. */
        if (status == TS_OK) {
            assert_string_equal(ts_answer_json(answer, NULL), expected);
            ts_answer_destroy(answer);
        }
        if (!failed)
            return good;
        char *again = text_of(bench, i);
        assert_string_equal(again, expected);
        free(again);
    }
}

/* An operation that failed with a resident in its way, another that never completed, and a likely fallback. */
static void add_failures(const struct perf_bench *bench)
{
    char path[512];
    snprintf(path, sizeof path, "%s/usual/db.sqlite", bench->folder);
    profiler_database_run(
        path,
        "INSERT INTO operations VALUES(40,'ttnn.fails',0),(41,'ttnn.lands',0);"
        "INSERT INTO errors VALUES(40,'ttnn.fails','RuntimeError','Out of Memory: Not enough space to allocate 800 B "
        "L1 "
        "buffer across 8 banks, where each bank needs to store 500 B, but bank size is 1000 B (allocated: 400 B, free: "
        "600 "
        "B, largest free block: 300 B)','',''),(0,'ttnn.stops','incomplete_operation','it never completed','','');"
        "INSERT INTO captured_graph VALUES(40,'[{\"node_type\":\"function_start\",\"params\":{\"name\":\"Launch\"}}]');"
        "INSERT INTO devices VALUES(90,0,64,1000,1000,1,1); INSERT INTO buffers VALUES(39,90,1300,50,1);"
        "INSERT INTO operation_arguments VALUES(41,'c','MemoryConfig(buffer_type=BufferType::L1)');"
        "INSERT INTO tensors VALUES(50,'Shape([8])','','',NULL,0,70,0),(51,'','','',NULL,90,1300,1);"
        "INSERT INTO output_tensors VALUES(41,0,50),(39,0,51)");
}

static void test_every_question(void **state)
{
    (void)state;
    struct perf_bench bench;
    perf_bench_make(&bench);
    profiler_report_open(&bench, "usual", profiler_report_usual);
    add_failures(&bench);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char *expected = text_of(&bench, i);
        for (unsigned once = 0; once < 2; once++)
            if (fail_at_every_allocation(&bench, i, expected, once) < 50)
                fail_msg("%s made hardly an allocation", calls[i][0]);
        free(expected);
    }
    perf_bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_question)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
