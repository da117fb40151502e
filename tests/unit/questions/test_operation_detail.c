/* What operation_detail tells of an operation itself; how rows link to it is test_operation_link's. */
#include "support/operation_case.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

static void test_an_operation(void **state)
{
    (void)state;
    operation_database_add(db, -1, 7, "ttnn.x", NULL);
    operation_database_run(
        db,
        "INSERT INTO operations VALUES(8,NULL,NULL);"
        "INSERT INTO tensors VALUES(1,'Shape([1, 32])','DataType.BFLOAT16','Layout.TILE','MemoryConfig(memory_layout="
        "TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt)',0,1024,1);"
        "INSERT INTO buffers VALUES(7,0,1024,2048,1);"
        "INSERT INTO input_tensors VALUES(7,0,1),(7,1,99),(7,2,1),(7,3,'seven');"
        "INSERT INTO output_tensors VALUES(7,'x',1);");
    yyjson_doc *answer = detail(7);
    perf_expect(answer, "/operation_id", "7");
    perf_expect(answer, "/name", "\"ttnn.x\"");
    perf_expect(answer, "/duration", "0.5");
    perf_expect(answer, "/duration_unit", "\"host_seconds\"");
    perf_expect(answer, "/input_count", "3");
    perf_expect(answer, "/output_count", "1");
    perf_expect(answer, "/inputs/1", "{\"index\":1,\"tensor_id\":99}");
    perf_expect(
        answer, "/inputs/2",
        "{\"index\":2,\"tensor_id\":1,\"shape\":\"Shape([1, 32])\",\"dtype\":\"DataType.BFLOAT16\",\"layout\":"
        "\"Layout.TILE\",\"memory_config\":{\"memory_layout\":\"TensorMemoryLayout::INTERLEAVED\",\"shard_spec\":"
        "\"std::nullopt\"},\"size\":2048,\"buffer_type\":\"L1\"}");
    perf_expect(answer, "/outputs/0/index", "null");
    perf_expect(answer, "/tensor_size_unit", "\"bytes_per_bank\"");
    perf_expect(answer, "/multi_host", "false");
    perf_expect(answer, "/rank", "null");
    perf_expect(answer, "/operation_link/status", "\"unavailable\"");
    expect_caveat(answer, "1 inputs or outputs are left out");
    assert_false(perf_has(answer, "/circular_buffers"));
    yyjson_doc_free(answer);
    answer = detail(8);
    perf_expect(answer, "/name", "null");
    perf_expect(answer, "/duration", "null");
    yyjson_doc_free(answer);
    perf_bench_refused(&bench, "operation_detail", "{\"operation_id\":9}", TS_REFUSED,
                       "no operation 9 in this report|");
    perf_bench_refused(&bench, "operation_detail", "{\"operation_id\":7,\"rank\":1}", TS_REFUSED, "rank|");
    perf_bench_refused(&bench, "operation_detail", "{}", TS_USAGE, "operation_id|");
}

static void test_many_tensors(void **state)
{
    (void)state;
    operation_database_add(db, -1, 1, "ttnn.x", NULL);
    operation_database_run(db, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<149) "
                               "INSERT INTO input_tensors SELECT 1,i,i FROM n");
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/input_count", "150");
    assert_int_equal(yyjson_arr_size(perf_at(answer, "/inputs")), 100);
    perf_expect(answer, "/inputs/99/tensor_id", "99");
    yyjson_doc_free(answer);
}

static void test_memory(void **state)
{
    (void)state;
    operation_database_add(db, -1, 1, "ttnn.x", NULL);
    operation_database_run(db,
                           "INSERT INTO devices VALUES(0,1499136,1370848,103712),(1,1499136,1370848,103712),(2,0,0,0);"
                           "INSERT INTO buffers VALUES(1,0,1409024,65536,1),(1,0,1376256,32768,'L1'),(1,0,5000,100,0),"
                           "(1,1,200000,100,1),(1,1,NULL,7,1),(1,1,200050,'x',1),(1,2,300000,50,1),(1,0,1480000,64,3),"
                           "(1,0,1,2,9),(1,0,1,2,NULL)");
    yyjson_doc *answer = detail(1);
    perf_expect(
        answer, "/allocations",
        "{\"9\":{\"buffers\":1,\"size\":2},\"DRAM\":{\"buffers\":1,\"size\":100},\"L1\":{\"buffers\":6,\"size\":98461},"
        "\"L1_SMALL\":{\"buffers\":1,\"size\":64},\"UNKNOWN\":{\"buffers\":1,\"size\":2}}");
    expect_caveat(answer, "3 devices (0, 1, 2)");
    perf_expect(answer, "/l1_pressure/device_id", "0");
    perf_expect(answer, "/l1_pressure/fullness_pct", "7.171");
    perf_expect(answer, "/l1_pressure/free_segments", "1");
    perf_expect(answer, "/l1_pressure/largest_free_block", "1272544");
    perf_expect(answer, "/l1_pressure/largest_free_pct", "92.829");
    perf_expect(answer, "/l1_pressure/device_count", "2");
    perf_expect(answer, "/l1_pressure/devices/1/device_id", "1");
    perf_expect(answer, "/l1_pressure/devices/1/free_segments", "2");
    assert_false(perf_has(answer, "/l1_pressure/devices/2"));
    yyjson_doc_free(answer);
}

static void test_why_there_is_no_pressure(void **state)
{
    (void)state;
    operation_database_add(db, -1, 1, "ttnn.x", NULL);
    operation_database_add(db, -1, 2, "ttnn.x", NULL);
    operation_database_run(db, "INSERT INTO devices VALUES(0,0,0,0); INSERT INTO buffers VALUES(1,0,0,5,0)");
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/l1_pressure", "null");
    expect_caveat(answer, "no L1 geometry");
    yyjson_doc_free(answer);
    answer = detail(2);
    perf_expect(answer, "/allocations", "{}");
    perf_expect(answer, "/l1_pressure", "null");
    expect_caveat(answer, "the operation before it");
    yyjson_doc_free(answer);
    operation_database_run(db, "DROP TABLE devices");
    answer = detail(1);
    expect_caveat(answer, "records no devices");
    yyjson_doc_free(answer);
}

static void test_circular_buffers(void **state)
{
    (void)state;
    operation_database_add(
        db, -1, 1, "ttnn.x",
        "x (ttnn.x (A F C1000+64/{[0-0_-_7-7]}@0 C1000+64/{[0-0_-_7-7]}@1 G5+6/{}@0 x )A (!B F )B (C F "
        "C1+2/{} )ttnn.x");
    operation_database_add(db, -1, 2, "ttnn.x", "x (ttnn.x )ttnn.x");
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/circular_buffers/size_unit", "\"bytes_per_bank\"");
    perf_expect(answer, "/circular_buffers/device_operation_count", "2");
    perf_expect(answer, "/circular_buffers/circular_buffer_count", "3");
    perf_expect(answer, "/circular_buffers/returned", "3");
    perf_expect(
        answer, "/circular_buffers/device_operations/0",
        "{\"name\":\"A\",\"device_count\":2,\"circular_buffer_count\":2,\"max_bytes_per_core\":64,"
        "\"unattributed_bytes\":0,\"buffers\":[{\"address\":1000,\"size\":64,\"core_range_set\":\"{[0-0 - 7-7]}\","
        "\"core_count\":64,\"globally_allocated\":false,\"device_count\":2},{\"address\":5,\"size\":6,"
        "\"core_range_set\":\"{}\",\"core_count\":0,\"globally_allocated\":true,\"device_count\":1}]}");
    perf_expect(answer, "/circular_buffers/device_operations/1/unattributed_bytes", "2");
    perf_expect(answer, "/circular_buffers/unrecorded_launch_count", "1");
    perf_expect(answer, "/circular_buffers/unrecorded_device_operations",
                "[{\"name\":\"B\",\"launch_count\":1,\"device_count\":1}]");
    perf_expect(answer, "/circular_buffers/unrecorded_first_launch_count", "1");
    expect_caveat(answer, "unknown, not zero");
    expect_caveat(answer, "no relaunches");
    yyjson_doc_free(answer);
    answer = detail(2); /* a real zero */
    perf_expect(
        answer, "/circular_buffers",
        "{\"size_unit\":\"bytes_per_bank\",\"device_operation_count\":0,\"circular_buffer_count\":0,\"returned\":0,"
        "\"device_operations\":[]}");
    yyjson_doc_free(answer);
}

/* Rows without a number are read like all others, the last of an operation first of all. */
static void test_graphs_without_rowids(void **state)
{
    (void)state;
    operation_database_add(db, -1, 1, "ttnn.x", "(ttnn.x (A F C1000+64/{[0-0_-_7-7]} )A )ttnn.x");
    operation_database_run(db, "ALTER TABLE captured_graph RENAME TO old;"
                               "CREATE TABLE captured_graph(i PRIMARY KEY, operation_id, captured_graph) WITHOUT ROWID;"
                               "INSERT INTO captured_graph SELECT 1, 1, '[' UNION SELECT 2, * FROM old");
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/circular_buffers/circular_buffer_count", "1");
    yyjson_doc_free(answer);
    operation_database_run(db, "INSERT INTO captured_graph VALUES(3, 1, '[')");
    answer = detail(1);
    assert_false(perf_has(answer, "/circular_buffers"));
    expect_caveat(answer, "is not valid JSON");
    yyjson_doc_free(answer);
    operation_database_run(db, "INSERT INTO captured_graph VALUES(4, 1, NULL)");
    answer = detail(1);
    perf_expect(answer, "/circular_buffers/circular_buffer_count", "0");
    yyjson_doc_free(answer);
}

static void test_buffers_past_the_cap(void **state)
{
    (void)state;
    struct ts_buf nodes;
    ts_buf_init(&nodes, 0);
    ts_buf_text(&nodes, "x (A F ");
    for (int i = 0; i < 90; i++)
        ts_buf_printf(&nodes, "C%d+8/{[0-0_-_0-0]} ", i);
    ts_buf_text(&nodes, "x )A (B F C0+1/{[0-0_-_0-0]");
    for (int i = 0; i < 40; i++)
        ts_buf_printf(&nodes, ",_[%d-0_-_%d-0]", i, i);
    ts_buf_text(&nodes, "} ");
    for (int i = 0; i < 20; i++)
        ts_buf_printf(&nodes, "C%d+8/{} ", i);
    ts_buf_text(&nodes, "x )B (C F C0+1/{} x )C");
    operation_database_add(db, -1, 1, "ttnn.x", nodes.ptr);
    ts_buf_free(&nodes);
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/circular_buffers/circular_buffer_count", "112");
    perf_expect(answer, "/circular_buffers/returned", "100");
    assert_int_equal(yyjson_arr_size(perf_at(answer, "/circular_buffers/device_operations/1/buffers")), 10);
    perf_expect(answer, "/circular_buffers/device_operations/2/buffers", "[]");
    perf_expect(answer, "/circular_buffers/device_operations/2/circular_buffer_count", "1");
    assert_int_equal(strlen(perf_text(answer, "/circular_buffers/device_operations/1/buffers/0/core_range_set")), 200);
    assert_true(perf_has(answer, "/circular_buffers/device_operations/1/buffers/0/core_range_set_full_length"));
    perf_expect(answer, "/circular_buffers/device_operations/1/buffers/0/core_count", "40");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":1,\"include\":[\"config\"]}");
    perf_expect(answer, "/circular_buffers/returned", "25");
    yyjson_doc_free(answer);
}

static void test_buffers_of_no_operation(void **state)
{
    (void)state;
    operation_database_add(db, -1, 1, "ttnn.x", "x (A F C0+8/{}");
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/circular_buffers/unlisted_circular_buffer_count", "1");
    expect_caveat(answer, "leave them out");
    yyjson_doc_free(answer);
}

/* ---- graphs that cannot be read ---- */

static void expect_withheld(const char *graph, const char *why)
{
    operation_database_run(db, "DELETE FROM operations; DELETE FROM captured_graph");
    operation_database_add(db, -1, 1, "ttnn.x", graph);
    yyjson_doc *answer = detail(1);
    assert_false(perf_has(answer, "/circular_buffers"));
    expect_caveat(answer, why);
    yyjson_doc_free(answer);
}

static void test_graphs_that_cannot_be_read(void **state)
{
    (void)state;
    expect_withheld("[nonsense", "is not valid JSON");
    expect_withheld("[{\"node_type\":\"function_end\"}]", "has a scope without a name");
    struct ts_buf nested;
    ts_buf_init(&nested, 0);
    for (int i = 0; i < 100000; i++)
        ts_buf_text(&nested, "[{\"connections\":");
    ts_buf_char(&nested, '0');
    for (int i = 0; i < 100000; i++)
        ts_buf_text(&nested, "}]");
    expect_withheld(nested.ptr, "is nested too deeply");
    ts_buf_free(&nested);
    operation_database_run(db, "UPDATE captured_graph SET captured_graph='{}'");
    yyjson_doc *answer = detail(1);
    expect_caveat(answer, "is not a list of nodes");
    yyjson_doc_free(answer);
    /* NULL and nothing are graphs without nodes; the last row of an operation counts. */
    operation_database_run(db, "INSERT INTO captured_graph VALUES(1,NULL)");
    answer = detail(1);
    perf_expect(answer, "/circular_buffers/device_operation_count", "0");
    yyjson_doc_free(answer);
    operation_database_run(db, "UPDATE captured_graph SET captured_graph=x'ff'");
    answer = detail(1);
    expect_caveat(answer, "is not valid JSON");
    yyjson_doc_free(answer);
    /* Without the column nothing is known. */
    operation_database_run(db, "ALTER TABLE captured_graph DROP COLUMN captured_graph");
    answer = detail(1);
    assert_false(perf_has(answer, "/circular_buffers"));
    expect_caveat(answer, "is not recorded: the table captured_graph lacks the column");
    yyjson_doc_free(answer);
}

static void test_hostile_graphs(void **state)
{
    (void)state;
    /* Connections that lead back, to themselves and nowhere are never followed. */
    operation_database_add(
        db, -1, 1, "ttnn.x",
        "[{\"counter\":0,\"node_type\":\"function_start\",\"params\":{\"name\":\"A\"},\"connections\":[0,1,0]},"
        "{\"counter\":0,\"node_type\":\"circular_buffer_deallocate_all\",\"params\":{},\"connections\":[0,2]},"
        "{\"counter\":0,\"node_type\":\"function_end\",\"params\":{\"name\":\"A\"},\"connections\":[0,-7,99]}]");
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/circular_buffers/unrecorded_launch_count", "1");
    yyjson_doc_free(answer);
    /* Names and core ranges of 10 MB. */
    struct ts_buf nodes;
    ts_buf_init(&nodes, 0);
    ts_buf_text(&nodes, "x (");
    for (int i = 0; i < 1000000; i++)
        ts_buf_text(&nodes, "LongNameIs");
    ts_buf_text(&nodes, " F C0+8/");
    for (int i = 0; i < 1000000; i++)
        ts_buf_text(&nodes, "[0-0_-_1-1]");
    ts_buf_text(&nodes, " x");
    operation_database_add(db, -1, 2, "ttnn.x", nodes.ptr);
    ts_buf_free(&nodes);
    answer = detail(2);
    perf_expect(answer, "/circular_buffers/device_operations/0/buffers/0/core_count", "4");
    perf_expect(answer, "/circular_buffers/device_operations/0/buffers/0/core_range_set_full_length", "11000000");
    perf_expect(answer, "/circular_buffers/device_operations/0/name_full_length", "10000000");
    yyjson_doc_free(answer);
}

/* ---- ranks ---- */

static void make_ranked(const char *sql)
{
    operation_case_end(NULL);
    operation_case_begin_ranked(NULL);
    operation_database_add(db, 0, 1, "ttnn.zero", "x (A F )A");
    operation_database_add(db, 1, 1, "ttnn.one", "x");
    operation_database_run(db, sql);
}

static void test_ranks(void **state)
{
    (void)state;
    make_ranked("INSERT INTO buffers VALUES(1,0,0,5,0,0),(1,0,0,7,0,1)");
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/name", "\"ttnn.zero\"");
    perf_expect(answer, "/rank", "0");
    perf_expect(answer, "/multi_host", "true");
    perf_expect(answer, "/allocations/DRAM/size", "5");
    perf_expect(answer, "/circular_buffers/unrecorded_launch_count", "1");
    expect_caveat(answer, "rank 0");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "operation_detail", "{\"operation_id\":1,\"rank\":1}");
    perf_expect(answer, "/name", "\"ttnn.one\"");
    perf_expect(answer, "/allocations/DRAM/size", "7");
    assert_false(perf_has(answer, "/circular_buffers/unrecorded_launch_count"));
    yyjson_doc_free(answer);
    perf_bench_refused(&bench, "operation_detail", "{\"operation_id\":1,\"rank\":5}", TS_REFUSED, "0, 1|");
    perf_bench_refused(&bench, "operation_detail", "{\"operation_id\":2}", TS_REFUSED, "no operation 2|rank 0|");
}

static void test_tables_without_the_ranks(void **state)
{
    (void)state;
    make_ranked("DROP TABLE devices; CREATE TABLE devices(device_id int, l1_bank_size int);"
                "DROP TABLE captured_graph; CREATE TABLE captured_graph(operation_id int, captured_graph text)");
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/l1_pressure", "null");
    expect_caveat(answer, "its table devices carries none");
    assert_false(perf_has(answer, "/circular_buffers"));
    expect_caveat(answer, "its table captured_graph carries none");
    yyjson_doc_free(answer);
    make_ranked("DROP TABLE tensors; CREATE TABLE tensors(tensor_id int); DROP TABLE buffers; CREATE TABLE "
                "buffers(operation_id int)");
    perf_bench_open_pair(&bench, "prof", NULL);
    perf_bench_refused(&bench, "operation_detail", "{\"operation_id\":1}", TS_REFUSED, "`buffers`, `tensors`|");
}

static void test_tables_that_are_missing(void **state)
{
    (void)state;
    static const char *const needed[] = {"operations", "buffers", "tensors", "input_tensors", "output_tensors"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        char sql[64], named[64];
        operation_case_end(NULL);
        operation_case_begin(NULL);
        operation_database_add(db, -1, 1, "ttnn.x", NULL);
        snprintf(sql, sizeof sql, "DROP TABLE %s", needed[i]);
        snprintf(named, sizeof named, "%s|", needed[i]);
        operation_database_run(db, sql);
        perf_bench_open_pair(&bench, "prof", NULL);
        perf_bench_refused(&bench, "operation_detail", "{\"operation_id\":1}", TS_REFUSED, named);
    }
    /* Tables and columns that it can do without. */
    operation_case_end(NULL);
    operation_case_begin(NULL);
    operation_database_add(db, -1, 1, "ttnn.x", NULL);
    operation_database_run(db, "DROP TABLE captured_graph; DROP TABLE devices; DROP TABLE buffers;"
                               "CREATE TABLE buffers(operation_id int, max_size_per_bank int);"
                               "INSERT INTO buffers VALUES(1, 77)");
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/allocations", "{\"UNKNOWN\":{\"buffers\":1,\"size\":77}}");
    assert_false(perf_has(answer, "/circular_buffers"));
    yyjson_doc_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OPERATION_CASE(test_an_operation),
        OPERATION_CASE(test_many_tensors),
        OPERATION_CASE(test_memory),
        OPERATION_CASE(test_why_there_is_no_pressure),
        OPERATION_CASE(test_circular_buffers),
        OPERATION_CASE(test_graphs_without_rowids),
        OPERATION_CASE(test_buffers_past_the_cap),
        OPERATION_CASE(test_buffers_of_no_operation),
        OPERATION_CASE(test_graphs_that_cannot_be_read),
        OPERATION_CASE(test_hostile_graphs),
        OPERATION_CASE(test_ranks),
        OPERATION_CASE(test_tables_without_the_ranks),
        OPERATION_CASE(test_tables_that_are_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
