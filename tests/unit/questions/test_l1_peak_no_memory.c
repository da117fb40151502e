/* Memory that runs out at any point of l1_peak: a failure that says so, and nothing kept of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/interpose_malloc.c"
#include "support/operation_database.h"

static char *text_of(struct perf_bench *bench, unsigned capture)
{
    struct ts_answer *answer;
    struct ts_error error;
    if (ts_session_ask(bench->session, "l1_peak", NULL, bench->captures[capture], NULL, &answer, &error) != TS_OK)
        fail_msg("%s", error.message);
    char *text = strdup(ts_answer_json(answer, NULL));
    ts_answer_destroy(answer);
    assert_non_null(text);
    return text;
}

/* A report with all that allocates: stale tensors that go behind the peak, circular buffers, launches, compositions. */
static void fill(sqlite3 *db, bool ordered)
{
    operation_database_add(db, -1, 1, "ttnn.a",
                           "[{\"node_type\":\"buffer_allocate\",\"params\":{\"type\":\"L1\",\"address\":1,"
                           "\"max_size_per_bank\":50}}]");
    operation_database_add(db, -1, 2, "ttnn.b", "(Add F@0 C5000+60/{[0-0_-_0-0]}@0 )Add (Add F@0 )Add");
    operation_database_add(db, -1, 3, "ttnn.c", "x");
    operation_database_run(db, "INSERT INTO tensors VALUES(1,NULL,NULL,NULL,NULL,0,1,1);"
                               "INSERT INTO input_tensors VALUES(1,0,1);INSERT INTO devices VALUES(0,1000,1000,0);"
                               "INSERT INTO buffers VALUES(3,0,9,5,1),(1,0,1,50,1);");
    if (ordered)
        operation_database_run(db, "DELETE FROM buffers WHERE operation_id = 1");
}

/* A capture opened anew each time: what one has read it keeps. */
static void fail_at_every_allocation(struct perf_bench *bench, bool once)
{
    long good = 0;
    for (bool failed = true; failed; good++) {
        struct ts_answer *answer = NULL;
        struct ts_error error;
        unsigned capture = perf_bench_open_pair(bench, "prof", NULL);
        if (once)
            interpose_fail_once(good);
        else
            interpose_fail_from(good);
        enum ts_status status =
            ts_session_ask(bench->session, "l1_peak", NULL, bench->captures[capture], NULL, &answer, &error);
        failed = interpose_stop();
        if (status != TS_OK && status != TS_NO_MEMORY)
            fail_msg("allocation %ld: status %d: %s", good, status, error.message);
        char *expected = text_of(bench, capture);
        assert_non_null(strstr(expected, "\"peak\":110"));
        if (status == TS_OK) {
            assert_string_equal(ts_answer_json(answer, NULL), expected);
            ts_answer_destroy(answer);
        }
        free(expected);
        ts_capture_close(bench->captures[capture]);
        bench->count--;
        ts_session_destroy(bench->session);
        assert_int_equal(ts_session_create(NULL, &bench->session, &error), TS_OK);
    }
    assert_true(good > 50);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 4; way++) {
        struct perf_bench bench;
        perf_bench_make(&bench);
        sqlite3 *db = operation_database_make(&bench, "prof", operation_database_plain);
        fill(db, way & 1);
        sqlite3_close(db);
        fail_at_every_allocation(&bench, way & 2);
        perf_bench_free(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
