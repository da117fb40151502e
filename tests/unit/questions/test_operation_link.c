/* How performance rows link to operations, as top_ops, program_cache and operation_detail tell it. */
#include "support/perf_case.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/operation_database.h"

#define COLUMNS                                                                                                        \
    "OP CODE,OP TYPE,DEVICE ID,GLOBAL CALL COUNT,DEVICE KERNEL DURATION [ns],PROGRAM HASH,PROGRAM CACHE HIT\n"
#define ROW(code, us) code ",tt_dnn_device,0,1," us "000,h" code ",False\n"
#define DEVICE_ROW(code, device, us) code ",tt_dnn_device," device ",1," us "000,h,False\n"
#define SIGNPOST(name) name ",signpost,,,,,\n"
#define HOST "(torch) add,python_fallback,,,,,\n"

/* Operations 1, 2, ... with these graphs, up to NULL. */
static void write_profiler(const char *const *graphs)
{
    sqlite3 *db = operation_database_make(&bench, "prof", operation_database_plain);
    for (int i = 0; graphs[i]; i++)
        operation_database_add(db, -1, i + 1, "ttnn.x", graphs[i]);
    sqlite3_close(db);
}

static void open_pair(const char *rows)
{
    char csv[4096];
    assert_true((size_t)snprintf(csv, sizeof csv, COLUMNS "%s", rows) < sizeof csv);
    perf_bench_write(&bench, "perf/ops_perf_results.csv", csv);
    perf_bench_open_pair(&bench, "prof", "perf");
}

static void expect_link(const char *question, const char *arguments, const char *path, const char *json)
{
    yyjson_doc *answer = perf_bench_ask(&bench, question, arguments);
    perf_expect(answer, path, json);
    yyjson_doc_free(answer);
}

static void expect_status(const char *status, const char *reason)
{
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", NULL);
    assert_string_equal(perf_text(answer, "/operation_link/status"), status);
    if (reason && !strstr(perf_text(answer, "/operation_link/reason"), reason))
        fail_msg("%s: not in: %s", reason, perf_text(answer, "/operation_link/reason"));
    assert_true(perf_has(answer, "/operation_link/note"));
    yyjson_doc_free(answer);
}

static void test_linked(void **state)
{
    (void)state;
    write_profiler(
        (const char *const[]){"x (ttnn.x (A )A (B )B )ttnn.x x", "x (ttnn.x )ttnn.x", "(ttnn.x (A )A )ttnn.x", NULL});
    open_pair(SIGNPOST("s") ROW("A", "1") HOST ROW("B", "3") ROW("A", "2") SIGNPOST("e") ROW("C", "4"));
    expect_link("top_ops", NULL, "/operation_link/status", "\"linked\"");
    expect_link("top_ops", NULL, "/operation_link/rank", "null");
    expect_link("top_ops", NULL, "/operation_link/matched_on", "\"function_start\"");
    expect_link("top_ops", NULL, "/operation_link/matched_rows", "3");
    expect_link("top_ops", NULL, "/operation_link/unlinked_row_count", "4");
    expect_link("top_ops", NULL, "/operation_link/unlinked_by_reason",
                "{\"signpost\":2,\"host_op\":1,\"past_profiler_capture\":1}");
    expect_link("top_ops", NULL, "/operation_link/first_past_profiler_capture_id", "\"8\"");
    /* C, B, A, A by time */
    expect_link("top_ops", NULL, "/ops/0/operation_id", "null");
    expect_link("top_ops", NULL, "/ops/1/operation_id", "1");
    expect_link("top_ops", NULL, "/ops/2/operation_id", "3");
    expect_link("top_ops", NULL, "/ops/3/operation_id", "1");
    expect_link("program_cache", NULL, "/op_codes/0/first_repeat_miss_operation_id", "3");
    expect_link("program_cache", NULL, "/op_codes/1/first_repeat_miss_operation_id", "null");
    expect_link("program_cache", NULL, "/operation_link/matched_rows", "3");
    /* Over a range the ids and counts are those of the whole report. */
    const char *range = "{\"start_signpost\":\"s\",\"end_signpost\":\"e\"}";
    expect_link("top_ops", range, "/operation_link/matched_rows", "3");
    expect_link("top_ops", range, "/operation_link/scope", "\"whole_report\"");
    expect_link("top_ops", range, "/ops/1/operation_id", "3");
}

static void test_rows_of_an_operation(void **state)
{
    (void)state;
    write_profiler((const char *const[]){"(A )A (B )B (A )A", "x", "(B )B", NULL});
    open_pair(ROW("A", "1") ROW("B", "5") ROW("A", "") HOST ROW("B", "-2") ROW("C", "4"));
    yyjson_doc *answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":1}");
    perf_expect(answer, "/perf_row_count", "3");
    perf_expect(answer, "/perf_rows/0/id", "\"2\"");
    perf_expect(answer, "/perf_rows/0/device_time_share_percent", "10");
    perf_expect(answer, "/perf_rows/1/id", "\"3\"");
    perf_expect(answer, "/perf_rows/1/device_time", "5");
    perf_expect(answer, "/perf_rows/2/device_time_share_percent", "null");
    perf_expect(answer, "/device_time", "6");
    perf_expect(answer, "/device_time_share_percent", "60");
    perf_expect(answer, "/slowest_perf_id", "\"3\"");
    perf_expect(answer, "/report_device_time_total", "10");
    perf_expect(answer, "/operation_link",
                "{\"status\":\"linked\",\"rank\":null,\"matched_on\":\"function_start\",\"matched_rows\":4}");
    yyjson_doc_free(answer);
    /* No rows, and rows without a time that counts. */
    answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":2}");
    perf_expect(answer, "/perf_rows", "[]");
    assert_false(perf_has(answer, "/report_device_time_total"));
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":3}");
    perf_expect(answer, "/perf_row_count", "1");
    perf_expect(answer, "/report_device_time_total", "10");
    assert_false(perf_has(answer, "/device_time"));
    yyjson_doc_free(answer);
}

static void test_groups(void **state)
{
    (void)state;
    sqlite3 *db = operation_database_make(&bench, "prof", operation_database_plain);
    char nodes[2048] = "", rows[4096] = "";
    for (int i = 0; i < 110; i++) {
        strcat(nodes, "(A )A ");
        strcat(rows, ROW("A", "1"));
    }
    operation_database_add(db, -1, 1, "ttnn.x", nodes);
    sqlite3_close(db);
    open_pair(rows);
    yyjson_doc *answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":1}");
    perf_expect(answer, "/perf_row_count", "110");
    assert_int_equal(yyjson_arr_size(perf_at(answer, "/perf_rows")), 100);
    assert_false(perf_has(answer, "/included"));
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":1,\"include\":[\"cache\",\"flags\"]}");
    assert_int_equal(yyjson_arr_size(perf_at(answer, "/perf_rows")), 25);
    perf_expect(answer, "/included", "[\"cache\"]");
    perf_expect(answer, "/perf_rows/1/program_hash", "\"hA\"");
    perf_expect(answer, "/perf_rows/1/flags/0/flag", "\"recompute_candidate\"");
    perf_expect(answer, "/flag_basis/flagged_rows/recompute_candidate", "109");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":1,\"include\":[\"flags\"]}");
    assert_false(perf_has(answer, "/included"));
    assert_true(perf_has(answer, "/flag_basis"));
    yyjson_doc_free(answer);
    perf_bench_refused(&bench, "operation_detail", "{\"operation_id\":1,\"include\":[\"bogus\"]}", TS_USAGE,
                       "include|bogus|");
}

static void test_launches_that_never_ran(void **state)
{
    (void)state;
    /* Aborted or left open: no row. The retry in the next operation has its own. */
    write_profiler((const char *const[]){"(A )A (B )!B", "(B )B", "(C (A )A (D", "(D )D", NULL});
    open_pair(ROW("A", "1") ROW("B", "2") ROW("A", "3") ROW("D", "4"));
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", NULL);
    perf_expect(answer, "/operation_link/matched_rows", "4");
    perf_expect(answer, "/ops/0/operation_id", "4");
    perf_expect(answer, "/ops/1/operation_id", "3");
    perf_expect(answer, "/ops/2/operation_id", "2");
    perf_expect(answer, "/ops/3/operation_id", "1");
    perf_expect(answer, "/operation_link/first_past_profiler_capture_id", "null");
    yyjson_doc_free(answer);
}

static void test_orders(void **state)
{
    (void)state;
    write_profiler((const char *const[]){"(A (B )B )A", NULL});
    open_pair(ROW("B", "1") ROW("A", "2"));
    expect_link("top_ops", NULL, "/operation_link/matched_on", "\"function_end\"");
    expect_link("top_ops", NULL, "/operation_link/matched_rows", "2");
}

static void test_an_operation_for_every_device(void **state)
{
    (void)state;
    sqlite3 *db = operation_database_make(&bench, "prof", operation_database_plain);
    operation_database_run(db, "INSERT INTO devices VALUES(0,0,0,0),(1,0,0,0),(1,0,0,0)");
    operation_database_add(db, -1, 1, "ttnn.x", "(A )A (B )B (A )A (B )B");
    operation_database_add(db, -1, 2, "ttnn.x", "(A (B )B )A (A (B )B )A");
    sqlite3_close(db);
    open_pair(DEVICE_ROW("A", "0", "1") DEVICE_ROW("A", "1", "1") DEVICE_ROW("B", "0", "1") DEVICE_ROW("B", "1", "1")
                  DEVICE_ROW("A", "0", "2") DEVICE_ROW("A", "1", "2") DEVICE_ROW("B", "0", "2")
                      DEVICE_ROW("B", "1", "2"));
    expect_link("top_ops", NULL, "/operation_link/matched_on", "\"function_start_collapsed\"");
    expect_link("top_ops", NULL, "/operation_link/matched_rows", "4");
    expect_link("top_ops", NULL, "/ops/0/operation_id", "2");
    expect_link("top_ops", NULL, "/ops/3/operation_id", "1");
}

static void test_an_operation_for_some_devices_only(void **state)
{
    (void)state;
    sqlite3 *db = operation_database_make(&bench, "prof", operation_database_plain);
    operation_database_run(db, "INSERT INTO devices VALUES(0,0,0,0),(1,0,0,0)");
    operation_database_add(db, -1, 1, "ttnn.x", "(A )A (A )A");
    operation_database_add(db, -1, 2, "ttnn.x", "(B )B");
    sqlite3_close(db);
    open_pair(ROW("A", "1") ROW("B", "1"));
    expect_status("unlinked", "do not line up");
}

static void test_unlinked(void **state)
{
    (void)state;
    write_profiler((const char *const[]){"(A )A", "(B )B (Q )Q", NULL});
    open_pair(ROW("A", "1") ROW("B", "1") ROW("C", "1"));
    expect_status("unlinked", "number 3, of operation 2, has another name in performance row 4");
    expect_link("top_ops", NULL, "/ops/0/operation_id", "null");
    yyjson_doc *answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":1}");
    assert_false(perf_has(answer, "/perf_rows"));
    perf_expect(answer, "/operation_link/status", "\"unlinked\"");
    yyjson_doc_free(answer);
    yyjson_doc *cache = perf_bench_ask(&bench, "program_cache", NULL);
    perf_expect(cache, "/operation_link/status", "\"unlinked\"");
    yyjson_doc_free(cache);
}

static void test_a_performance_capture_that_stopped_early(void **state)
{
    (void)state;
    write_profiler((const char *const[]){"(A )A (B )B (A )A", NULL});
    open_pair(ROW("A", "1") ROW("B", "1"));
    expect_status("unlinked", "hold 3 and the performance report 2");
}

static void test_no_device_operation(void **state)
{
    (void)state;
    write_profiler((const char *const[]){"(ttnn.x )ttnn.x", NULL});
    open_pair(ROW("A", "1"));
    expect_status("unlinked", "no device operation");
}

static void test_graphs_of_unknown_and_repeated_operations(void **state)
{
    (void)state;
    sqlite3 *db = operation_database_make(&bench, "prof", operation_database_plain);
    operation_database_add(db, -1, 2, "ttnn.x", "(B )B");
    operation_database_add(db, -1, 1, "ttnn.x", "(Old )Old");
    /* The last graph of an operation counts, and one of no operation does not, readable or not. */
    operation_database_run(
        db, "INSERT INTO captured_graph VALUES(1,'[{\"node_type\":\"function_start\",\"params\":{\"name\":"
            "\"A\"}},{\"node_type\":\"function_end\",\"params\":{\"name\":\"A\"}}]'),(7,'nonsense')");
    sqlite3_close(db);
    open_pair(ROW("A", "1") ROW("B", "1"));
    expect_status("linked", NULL);
}

static void test_unavailable(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *reason;
    } cases[] = {
        {"", "no captured graph"},
        {"DROP TABLE captured_graph", "no captured graph"},
        {"ALTER TABLE captured_graph DROP COLUMN operation_id; INSERT INTO captured_graph VALUES('[]')",
         "lacks its column operation_id"},
        {"ALTER TABLE captured_graph DROP COLUMN captured_graph; INSERT INTO captured_graph VALUES(1)",
         "lacks its column captured_graph"},
        {"INSERT INTO captured_graph VALUES(1,'nonsense')", "operation 1 is not valid JSON"},
        {"INSERT INTO captured_graph VALUES(1,'{}')", "operation 1 is not a list of nodes"},
        {"INSERT INTO captured_graph VALUES(1,'[{\"node_type\":\"function_end\"}]')",
         "operation 1 has a scope without a name"},
        {"DROP TABLE operations", "operations"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        perf_bench_free(&bench);
        perf_bench_make(&bench);
        sqlite3 *db = operation_database_make(&bench, "prof", operation_database_plain);
        operation_database_add(db, -1, 1, "ttnn.x", NULL);
        operation_database_run(db, cases[i].sql);
        sqlite3_close(db);
        open_pair(ROW("A", "1"));
        expect_status("unavailable", cases[i].reason);
    }
}

static void test_reports_that_are_missing(void **state)
{
    (void)state;
    perf_bench_write(&bench, "perf/ops_perf_results.csv", COLUMNS ROW("A", "1"));
    perf_bench_write(&bench, "prof/nothing", "");
    perf_bench_open_pair(&bench, NULL, "perf");
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", NULL);
    perf_expect(answer, "/operation_link/status", "\"unavailable\"");
    assert_false(perf_has(answer, "/operation_link/note"));
    yyjson_doc_free(answer);
    unsigned pair = perf_bench_open_pair(&bench, "prof", "perf");
    answer = perf_bench_ask_of(&bench, pair, "top_ops", NULL);
    perf_expect_part(answer, "/operation_link/reason", "db.sqlite");
    yyjson_doc_free(answer);
    write_profiler((const char *const[]){"(A )A", NULL});
    unsigned alone = perf_bench_open_pair(&bench, "prof", NULL);
    answer = perf_bench_ask_of(&bench, alone, "operation_detail", "{\"operation_id\":1}");
    perf_expect(answer, "/operation_link/status", "\"unavailable\"");
    yyjson_doc_free(answer);
    /* A CSV that cannot be reported on. */
    perf_bench_write(&bench, "bad/ops_perf_results.csv", "nothing,of,use\n1,2,3\n");
    unsigned bad = perf_bench_open_pair(&bench, "prof", "bad");
    answer = perf_bench_ask_of(&bench, bad, "operation_detail", "{\"operation_id\":1}");
    perf_expect(answer, "/operation_link/status", "\"unavailable\"");
    yyjson_doc_free(answer);
}

static void test_ranks(void **state)
{
    (void)state;
    sqlite3 *db = operation_database_make(&bench, "prof", operation_database_ranked);
    operation_database_add(db, 1, 1, "ttnn.other", "(Z )Z");
    operation_database_add(db, 0, 1, "ttnn.x", "(A )A");
    operation_database_add(db, 0, 2, "ttnn.x", "(B )B");
    sqlite3_close(db);
    open_pair(ROW("A", "1") ROW("B", "1"));
    expect_link("top_ops", NULL, "/operation_link/rank", "0");
    yyjson_doc *answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":1}");
    perf_expect(answer, "/perf_row_count", "1");
    perf_expect(answer, "/operation_link/rank", "0");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":1,\"rank\":1}");
    perf_expect(answer, "/name", "\"ttnn.other\"");
    perf_expect(answer, "/operation_link/status", "\"unavailable\"");
    perf_expect_part(answer, "/operation_link/reason", "rank 1");
    assert_false(perf_has(answer, "/perf_rows"));
    yyjson_doc_free(answer);
}

static void test_tables_without_the_ranks(void **state)
{
    (void)state;
    sqlite3 *db = operation_database_make(&bench, "prof", operation_database_ranked);
    operation_database_add(db, 0, 1, "ttnn.x", "(A )A");
    operation_database_add(db, 1, 1, "ttnn.x", "(A )A");
    operation_database_run(db, "DROP TABLE devices; CREATE TABLE devices(device_id int)");
    sqlite3_close(db);
    open_pair(ROW("A", "1"));
    expect_status("unavailable", "devices");
}

/* ---- what is kept ---- */

static void test_a_link_is_kept(void **state)
{
    (void)state;
    write_profiler((const char *const[]){"(A )A", NULL});
    open_pair(ROW("A", "1"));
    expect_status("linked", NULL);
    /* The database changes: the link is still that of the first read, and the answer says so. */
    char path[256];
    snprintf(path, sizeof path, "%s/prof/db.sqlite", bench.folder);
    assert_int_equal(unlink(path), 0);
    write_profiler((const char *const[]){"(B )B", NULL});
    yyjson_doc *answer = perf_bench_ask(&bench, "top_ops", NULL);
    perf_expect(answer, "/operation_link/status", "\"linked\"");
    perf_expect(answer, "/capture_changed", "true");
    yyjson_doc_free(answer);
    /* Another handle reads what is there now. */
    unsigned fresh = perf_bench_open_pair(&bench, "prof", "perf");
    answer = perf_bench_ask_of(&bench, fresh, "top_ops", NULL);
    perf_expect(answer, "/operation_link/status", "\"unlinked\"");
    yyjson_doc_free(answer);
}

static void test_what_may_pass_is_tried_again(void **state)
{
    (void)state;
    perf_bench_write(&bench, "prof/db.sqlite", "this is no database, but long enough to be looked at as one");
    open_pair(ROW("A", "1"));
    expect_status("unavailable", "db.sqlite");
    char path[256];
    snprintf(path, sizeof path, "%s/prof/db.sqlite", bench.folder);
    assert_int_equal(unlink(path), 0);
    write_profiler((const char *const[]){"(A )A", NULL});
    expect_status("linked", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERF_CASE(test_linked),
        PERF_CASE(test_rows_of_an_operation),
        PERF_CASE(test_groups),
        PERF_CASE(test_launches_that_never_ran),
        PERF_CASE(test_orders),
        PERF_CASE(test_an_operation_for_every_device),
        PERF_CASE(test_an_operation_for_some_devices_only),
        PERF_CASE(test_unlinked),
        PERF_CASE(test_a_performance_capture_that_stopped_early),
        PERF_CASE(test_no_device_operation),
        PERF_CASE(test_graphs_of_unknown_and_repeated_operations),
        PERF_CASE(test_unavailable),
        PERF_CASE(test_reports_that_are_missing),
        PERF_CASE(test_ranks),
        PERF_CASE(test_tables_without_the_ranks),
        PERF_CASE(test_a_link_is_kept),
        PERF_CASE(test_what_may_pass_is_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
