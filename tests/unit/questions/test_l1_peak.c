/* l1_peak as an answer: what of a database goes into the replay, the frame around it, and what is withheld. The replay itself
 * is test_l1_occupancy's. */
#include "support/operation_case.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

static yyjson_doc *peak(const char *arguments)
{
    return ask("l1_peak", arguments);
}

static void add(int id, const char *name, const char *graph)
{
    operation_database_add(db, -1, id, name, graph);
}

#define ALLOCATE(address, bytes)                                                                                       \
    "{\"node_type\":\"buffer_allocate\",\"params\":{\"type\":\"L1\",\"address\":" #address                             \
    ",\"max_size_per_bank\":" #bytes "}}"
#define FREE(address) "{\"node_type\":\"buffer_deallocate\",\"params\":{\"type\":\"L1\",\"address\":\"" #address "\"}}"
#define CIRCULAR(address, bytes)                                                                                       \
    "{\"node_type\":\"circular_buffer_allocate\",\"params\":{\"address\":" #address ",\"size\":" #bytes "}}"
#define FREE_ALL "{\"node_type\":\"circular_buffer_deallocate_all\",\"params\":{\"device_id\":0}}"

static void add_worked_example(void)
{
    add(1, "ttnn.one", "[" ALLOCATE(1000, 400) "," CIRCULAR(5000, 600) "]");
    add(2, "ttnn.two", "[" FREE_ALL "," ALLOCATE(2000, 300) "," FREE(2000) "," CIRCULAR(5000, 100) "]");
    add(3, "ttnn.three", "[]");
    operation_database_run(db, "INSERT INTO buffers VALUES(1,0,1000,400,1),(2,0,1000,400,1),(3,0,7,7,0);"
                               "INSERT INTO tensors VALUES(1,NULL,NULL,NULL,NULL,0,1000,1);"
                               "INSERT INTO input_tensors VALUES(1,0,1);"
                               "INSERT INTO devices VALUES(0,1499136,1370848,103712);");
}

static void test_worked_example(void **state)
{
    (void)state;
    add_worked_example();
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/withheld", "false");
    perf_expect(answer, "/peak", "1000");
    perf_expect(answer, "/size_unit", "\"bytes_per_bank\"");
    perf_expect(answer, "/operation_id", "1");
    perf_expect(answer, "/name", "\"ttnn.one\"");
    perf_expect(answer, "/composition",
                "{\"circular_buffers\":600,\"intermediate_tensors\":0,\"persistent_tensors\":400,\"stale_tensors\":0}");
    perf_expect(answer, "/precision", "\"upper-bound\"");
    perf_expect(answer, "/largest_resident",
                "{\"kind\":\"circular-buffer\",\"address\":5000,\"size\":600,\"last_used_by_operation_id\":null}");
    perf_expect(answer, "/l1_size", "1499136");
    perf_expect(answer, "/l1_percent", "0.067");
    perf_expect(answer, "/top_operations/1",
                "{\"operation_id\":2,\"name\":\"ttnn.two\",\"peak\":700,\"composition\":{\"circular_buffers\":0,"
                "\"intermediate_tensors\":300,\"persistent_tensors\":0,\"stale_tensors\":400},\"precision\":"
                "\"upper-bound\",\"largest_resident\":{\"kind\":\"stale-tensor\",\"address\":1000,\"size\":400,"
                "\"last_used_by_operation_id\":1},\"also_at\":[],\"also_at_count\":0}");
    perf_expect(answer, "/top_operations/2/peak", "400");
    perf_expect(answer, "/top_operations/2/precision", "\"exact\"");
    perf_expect(answer, "/returned", "3");
    perf_expect(answer, "/composition_count", "3");
    perf_expect(answer, "/operation_count", "3");
    perf_expect(answer, "/reconciled_away_count", "0");
    perf_expect(answer, "/unattributable_stale_addresses", "0");
    perf_expect(answer, "/freeing",
                "{\"peak\":1000,\"operation_id\":1,\"name\":\"ttnn.one\",\"resident_count\":0,\"returned\":0,"
                "\"residents\":[]}");
    perf_expect(answer, "/multi_host", "false");
    perf_expect(answer, "/rank", "null");
    assert_false(perf_has(answer, "/reason"));
    assert_false(perf_has(answer, "/caveat"));
    yyjson_doc_free(answer);
    answer = peak("{\"limit\":1}");
    perf_expect(answer, "/returned", "1");
    perf_expect(answer, "/composition_count", "3");
    perf_expect(answer, "/peak", "1000");
    yyjson_doc_free(answer);
}

/* Later writers put the memory into the tables by its name in C++. */
static void test_names_of_memory(void **state)
{
    (void)state;
    add_worked_example();
    operation_database_run(db, "UPDATE buffers SET buffer_type = 'BufferType::L1' WHERE buffer_type = 1;"
                               "UPDATE tensors SET buffer_type = 'BufferType::L1'");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/peak", "1000");
    perf_expect(answer, "/reconciled_away_count", "0");
    perf_expect(answer, "/top_operations/1/composition/stale_tensors", "400");
    perf_expect(answer, "/unattributable_stale_addresses", "0");
    yyjson_doc_free(answer);
}

static void test_freeing(void **state)
{
    (void)state;
    add(1, "ttnn.one", "[" ALLOCATE(1000, 400) "," ALLOCATE(2000, 90) "]");
    add(2, "ttnn.two", "[" ALLOCATE(3000, 50) "]");
    add(3, NULL, "[" CIRCULAR(5000, 60) "]");
    operation_database_run(db, "INSERT INTO tensors VALUES(1,NULL,NULL,NULL,NULL,0,1000,1),"
                               "(2,NULL,NULL,NULL,NULL,0,2000,'L1_SMALL');"
                               "INSERT INTO input_tensors VALUES(1,0,1),(0,0,2);");
    yyjson_doc *answer = peak("{\"limit\":1}");
    perf_expect(answer, "/peak", "600");
    perf_expect(answer, "/name", "null");
    perf_expect(answer, "/composition/stale_tensors", "490");
    /* Without them the first operation is the fullest: not 600 less 490. */
    perf_expect(answer, "/freeing",
                "{\"peak\":400,\"operation_id\":1,\"name\":\"ttnn.one\",\"resident_count\":2,\"returned\":1,"
                "\"residents\":[{\"address\":1000,\"size\":400,\"free_after_operation_id\":1,\"free_after_name\":"
                "\"ttnn.one\"}]}");
    yyjson_doc_free(answer);
    answer = peak(NULL);
    perf_expect(answer, "/freeing/residents/1",
                "{\"address\":2000,\"size\":90,\"free_after_operation_id\":0,\"free_after_name\":null}");
    yyjson_doc_free(answer);
}

/* Which consumers make a last use, and which tensors have one. */
static void test_last_uses(void **state)
{
    (void)state;
    add(1, "ttnn.make",
        "[" ALLOCATE(1000, 1) "," ALLOCATE(2000, 2) "," ALLOCATE(3000, 4) "," ALLOCATE(4000, 8) "," ALLOCATE(
            5000, 16) "," ALLOCATE(6000, 32) "," ALLOCATE(7000, 64) "," ALLOCATE(8000, 128) "]");
    add(2, "TTNN.Deallocate", NULL);
    add(3, "ttnn::deallocate", NULL);
    add(4, "ttnn.deallocate_all", NULL);
    add(9, "ttnn.end", "[" ALLOCATE(9000, 1000) "]");
    operation_database_run(db,
                           "INSERT INTO tensors VALUES"
                           "(1,NULL,NULL,NULL,NULL,0,1000,1),(2,NULL,NULL,NULL,NULL,0,2000,3),"
                           "(3,NULL,NULL,NULL,NULL,0,3000,0),(4,NULL,NULL,NULL,NULL,0,4000,1),"
                           "(5,NULL,NULL,NULL,NULL,0,4000,1),(6,NULL,NULL,NULL,NULL,0,5000,1),"
                           "(7,NULL,NULL,NULL,NULL,0,5000,1),(8,NULL,NULL,NULL,NULL,0,6000,1),"
                           "(9,NULL,NULL,NULL,NULL,0,7000,1),(1,NULL,NULL,NULL,NULL,0,8000,1);"
                           /* 1: its first row counts; 2: a deallocation is no use; 3: in DRAM; 4 and 5: two uses of one
                            * address; 6 and 7: one of the two is used; 8: by an operation without a row; 9: never. */
                           "INSERT INTO input_tensors VALUES(1,0,1),(4,0,1),(2,0,1),(2,0,2),(3,0,2),(1,0,3),(1,0,4),"
                           "(4,0,5),(1,0,6),(50,0,8),(1,0,99),('x',0,1);"
                           "INSERT INTO output_tensors VALUES(1,0,9);");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/operation_id", "9");
    perf_expect(answer, "/composition/stale_tensors", "17"); /* addresses 1000 and 5000 */
    perf_expect(answer, "/composition/persistent_tensors", "1238");
    perf_expect(answer, "/unattributable_stale_addresses", "1");
    perf_expect(answer, "/freeing/residents",
                "[{\"address\":5000,\"size\":16,\"free_after_operation_id\":1,\"free_after_name\":\"ttnn.make\"},"
                "{\"address\":1000,\"size\":1,\"free_after_operation_id\":4,\"free_after_name\":"
                "\"ttnn.deallocate_all\"}]");
    expect_caveat(answer, "Stale is a floor: 1 addresses");
    expect_caveat(answer, "1 rows of input_tensors");
    yyjson_doc_free(answer);
}

/* What of the buffers table is a snapshot. */
static void test_snapshots(void **state)
{
    (void)state;
    add(1, "ttnn.a", "[" ALLOCATE(1000, 10) "," ALLOCATE(2000, 20) "]");
    add(2, "ttnn.b", NULL);
    add(3, "ttnn.c", NULL);
    operation_database_run(
        db, "INSERT INTO buffers VALUES(1,0,1000,100,'L1'),(1,0,1000,30,1),(1,1,3000,5,3),(1,0,4000,900,0),"
            "(1,0,NULL,900,1),(1,0,7000,900,NULL),(1,0,5000,NULL,1),(1,0,6000,900,'DRAM'),(2,0,1000,900,4),('x',0,1000,"
            "900,1),"
            "(3,0,1000,6,'BufferType::L1'),(3,0,1000,7,'L1_SMALL');");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/peak", "35"); /* 1000: 30, the last row; 3000: 5; 5000: no size, a resident all the same */
    perf_expect(answer, "/operation_id", "1");
    perf_expect(answer, "/top_operations/0/also_at", "[2,3]");
    perf_expect(answer, "/reconciled_away_count", "3"); /* 2000; and behind 3, 3000 and 5000 */
    expect_caveat(answer, "3 residents were dropped");
    expect_caveat(answer, "leave out 3 buffers that may lie in L1");
    expect_caveat(answer, "1 rows of buffers");
    yyjson_doc_free(answer);
}

static void test_graph_rows(void **state)
{
    (void)state;
    add(2, "ttnn.two", "[" ALLOCATE(1000, 900) "]");
    add(3, "ttnn.three", "[" ALLOCATE(1000, 1) ",7,null,{\"node_type\":\"buffer_allocate\",\"params\":null}]");
    add(4, "ttnn.four", "not JSON");
    operation_database_run(db,
                           "UPDATE captured_graph SET captured_graph = '{\"a\":1}' WHERE operation_id = 4;"
                           "INSERT INTO captured_graph VALUES(2,'[" ALLOCATE(
                               1000, 20) "]');"
                                         "INSERT INTO captured_graph VALUES(1,'[" ALLOCATE(1000, 5000) "]'),(3,NULL);");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/peak", "20"); /* the last row of 2, none of 1, which is no operation; 3 empty */
    perf_expect(answer, "/operation_id", "2");
    perf_expect(answer, "/top_operations/0/also_at", "[3,4]");
    perf_expect(answer, "/operation_count", "3");
    expect_caveat(answer, "1 captured graphs cannot be read (first: operation 4)");
    expect_caveat(answer, "capacity of L1 is unknown");
    perf_expect(answer, "/l1_size", "null");
    perf_expect(answer, "/l1_percent", "null");
    yyjson_doc_free(answer);
}

/* Rows that do not come by operation give the same answer, wherever the first one out of order lies. */
static void test_rows_out_of_order(void **state)
{
    (void)state;
    add_worked_example();
    yyjson_doc *answer = peak(NULL);
    char *ordered = yyjson_write(answer, 0, NULL);
    yyjson_doc_free(answer);
    static const char *const ways[] = {
        "CREATE TABLE t AS SELECT * FROM captured_graph ORDER BY operation_id DESC; DELETE FROM captured_graph;"
        "INSERT INTO captured_graph SELECT * FROM t; DROP TABLE t;",
        "CREATE TABLE t AS SELECT * FROM buffers ORDER BY operation_id DESC; DELETE FROM buffers;"
        "INSERT INTO buffers SELECT * FROM t; DROP TABLE t; INSERT INTO buffers VALUES(99,0,1,1,0),(98,0,1,1,0);",
        "CREATE TABLE t AS SELECT * FROM operations ORDER BY operation_id DESC; DELETE FROM operations;"
        "INSERT INTO operations SELECT * FROM t; INSERT INTO operations VALUES(1,'ttnn.later',0); DROP TABLE t;",
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        operation_database_run(db, ways[i]);
        unsigned capture = perf_bench_open_pair(&bench, "prof", NULL);
        answer = perf_bench_ask_of(&bench, capture, "l1_peak", NULL);
        char *text = yyjson_write(answer, 0, NULL);
        assert_string_equal(text, ordered);
        free(text);
        yyjson_doc_free(answer);
    }
    free(ordered);
}

/* The row out of order may lie behind those of an operation that there is none of. */
static void test_rows_behind_the_last_operation(void **state)
{
    (void)state;
    add(1, "ttnn.a", NULL);
    operation_database_run(db, "INSERT INTO captured_graph VALUES(99,'[]'),(1,'[" ALLOCATE(1000, 20) "]');");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/peak", "20");
    yyjson_doc_free(answer);
    operation_database_run(db, "DELETE FROM captured_graph;"
                               "INSERT INTO buffers VALUES(99,0,1000,50,1),(1,0,1000,30,1);");
    unsigned capture = perf_bench_open_pair(&bench, "prof", NULL);
    answer = perf_bench_ask_of(&bench, capture, "l1_peak", NULL);
    perf_expect(answer, "/peak", "30");
    yyjson_doc_free(answer);
}

static void test_compositions(void **state)
{
    (void)state;
    for (int id = 1; id <= 30; id++)
        add(id, "ttnn.same", id == 1 ? "[" ALLOCATE(1000, 10) "]" : NULL);
    add(31, "ttnn.equal", "[" FREE(1000) "," CIRCULAR(5000, 10) "]");
    add(32, "ttnn.other", "[" CIRCULAR(5000, 10) "]");
    add(33, "ttnn.nothing", NULL);
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/composition_count", "2");
    perf_expect(answer, "/operation_count", "33");
    perf_expect(answer, "/top_operations/0/also_at", "[2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]");
    perf_expect(answer, "/top_operations/0/also_at_count", "30");
    perf_expect(answer, "/top_operations/1/operation_id", "32");
    perf_expect(answer, "/top_operations/1/largest_resident/kind", "\"circular-buffer\"");
    yyjson_doc_free(answer);
}

static void test_bytes_by_banks(void **state)
{
    (void)state;
    static const char size[] = "[{\"node_type\":\"buffer_allocate\",\"params\":{\"type\":\"L1\",\"address\":1,\"size\":"
                               "\"96\",\"num_cores\":\"0\"}}]";
    add(1, "ttnn.a", size);
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/peak", "1.5"); /* 64 banks when nothing tells */
    yyjson_doc_free(answer);
    operation_database_run(db, "ALTER TABLE devices ADD COLUMN l1_num_banks int;"
                               "INSERT INTO devices VALUES(3,10,0,0,5),(1,1000,0,0,7),(3,2000,0,0,48);");
    unsigned capture = perf_bench_open_pair(&bench, "prof", NULL);
    answer = perf_bench_ask_of(&bench, capture, "l1_peak", NULL);
    perf_expect(answer, "/peak", "2"); /* the first id's last row */
    perf_expect(answer, "/l1_size", "2000");
    perf_expect(answer, "/l1_percent", "0.1");
    expect_caveat(answer, "2 devices");
    yyjson_doc_free(answer);
}

static void test_withheld(void **state)
{
    (void)state;
    add(1, "ttnn.a", "[" ALLOCATE(1000, 10) "]");
    add(2, "ttnn.b", "[" ALLOCATE(2000, 91) "]");
    operation_database_run(db, "INSERT INTO devices VALUES(0,100,100,0)");
    yyjson_doc *answer = peak(NULL);
    static const char *const nulls[] = {"/peak",      "/operation_id",     "/name",       "/composition",
                                        "/precision", "/largest_resident", "/l1_percent", "/freeing"};
    perf_expect(answer, "/withheld", "true");
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        perf_expect(answer, nulls[i], "null");
    perf_expect(answer, "/top_operations", "[]");
    perf_expect(answer, "/returned", "0");
    perf_expect(answer, "/composition_count", "2");
    perf_expect(answer, "/operation_count", "2");
    perf_expect(answer, "/l1_size", "100");
    static const char *const parts[] = {
        "101 bytes",     "100 of", "summed across devices", "cannot be reconstructed", "deallocations without",
        "disjoint cores"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(perf_text(answer, "/reason"), parts[i]));
    yyjson_doc_free(answer);
    /* As much as there is fits. */
    operation_database_run(db, "UPDATE devices SET worker_l1_size = 101");
    unsigned capture = perf_bench_open_pair(&bench, "prof", NULL);
    answer = perf_bench_ask_of(&bench, capture, "l1_peak", NULL);
    perf_expect(answer, "/withheld", "false");
    perf_expect(answer, "/l1_percent", "100");
    yyjson_doc_free(answer);
}

static void test_nothing_happened(void **state)
{
    (void)state;
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/withheld", "false");
    perf_expect(answer, "/peak", "0");
    perf_expect(answer, "/operation_id", "null");
    perf_expect(answer, "/composition", "null");
    perf_expect(answer, "/freeing", "null");
    perf_expect(answer, "/operation_count", "0");
    perf_expect(answer, "/l1_percent", "null");
    yyjson_doc_free(answer);
    add(1, "ttnn.a", NULL);
    operation_database_run(db, "INSERT INTO devices VALUES(0,100,100,0)");
    unsigned capture = perf_bench_open_pair(&bench, "prof", NULL);
    answer = perf_bench_ask_of(&bench, capture, "l1_peak", NULL);
    perf_expect(answer, "/operation_count", "1");
    perf_expect(answer, "/l1_percent", "0");
    yyjson_doc_free(answer);
}

static void test_unrecorded_launches(void **state)
{
    (void)state;
    add(1, "ttnn.a", "(Matmul F@0 )Matmul (Matmul F@0 )Matmul");
    add(2, "ttnn.b", "(Add F@0 C5000+60/{[0-0_-_0-0]}@0 )Add (Add F@0 )Add");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/composition/circular_buffers", "60");
    expect_caveat(answer, "is a floor: 3 launches");
    yyjson_doc_free(answer);
}

/* A mesh's copies, whichever device they name, are one buffer. */
static void test_mesh_copies(void **state)
{
    (void)state;
    add(1, "ttnn.a", "(Add F@3 C5000+60/{[0-0_-_0-0]}@0 C5000+60/{[0-0_-_0-0]}@1 C6000+5/{[0-0_-_0-0]} )Add");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/composition/circular_buffers", "65");
    yyjson_doc_free(answer);
}

/* Circular-buffer and tensor nodes may name different devices, or none: each circular buffer counts once all the same, here and
 * among the circular buffers of its operation. */
static void test_devices_that_disagree(void **state)
{
#define ON(device) ",\"device_id\":" device
#define SCOPE(inside)                                                                                                  \
    "[{\"node_type\":\"capture_start\"},{\"node_type\":\"function_start\",\"params\":{\"name\":\"Add\"}}," inside      \
    ",{\"node_type\":\"function_end\",\"params\":{\"name\":\"Add\"}}]"
#define BUFFER(address, device)                                                                                        \
    "{\"node_type\":\"circular_buffer_allocate\",\"params\":{\"address\":" address                                     \
    ",\"size\":60,\"core_range_set\":\"{[0-0 - 0-0]}\"" device "}}"
#define TENSOR(device)                                                                                                 \
    "{\"node_type\":\"buffer_allocate\",\"params\":{\"type\":\"L1\",\"address\":9000,\"max_size_per_bank\":7" device   \
    "}},"                                                                                                              \
    "{\"node_type\":\"tensor\",\"params\":{\"tensor_id\":\"1\",\"address\":\"9000\"" device "}}"
    static const struct {
        const char *graph, *devices;
    } cases[] = {
        {SCOPE(BUFFER("5000", ON("0")) "," BUFFER("5000", ON("1")) "," BUFFER("6000", ON("0")) "," BUFFER(
             "6000", ON("1")) "," TENSOR(ON("7"))),
         "2"},
        {SCOPE(BUFFER("5000", "") "," BUFFER("6000", "") "," TENSOR(ON("3"))), "1"},
        {SCOPE(BUFFER("5000", ON("4")) "," BUFFER("6000", ON("4")) "," TENSOR("")), "1"},
        {SCOPE(BUFFER("5000", ON("null")) "," BUFFER("6000", ON("\"n300\"")) "," TENSOR(ON("\"x\""))), "1"},
        {SCOPE(BUFFER("5000", ON("0")) "," BUFFER("5000", "") "," BUFFER("6000", "") "," BUFFER(
             "6000", ON("0")) "," TENSOR(ON("0")) "," TENSOR(ON("1"))),
         "2"},
    };
    (void)state;
    int count = (int)(sizeof cases / sizeof *cases);
    for (int i = 0; i < count; i++)
        add(i + 1, "ttnn.add", cases[i].graph);
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/composition",
                "{\"circular_buffers\":120,\"intermediate_tensors\":0,\"persistent_tensors\":7,\"stale_tensors\":0}");
    perf_expect(answer, "/top_operations/0/also_at", "[2,3,4,5]");
    yyjson_doc_free(answer);
    for (int i = 0; i < count; i++) {
        char text[96];
        snprintf(text, sizeof text, "{\"operation_id\":%d}", i + 1);
        answer = perf_bench_ask(&bench, "operation_detail", text);
        perf_expect(answer, "/circular_buffers/circular_buffer_count", "2");
        perf_expect(answer, "/circular_buffers/device_operations/0/max_bytes_per_core", "120");
        for (int row = 0; row < 2; row++) {
            snprintf(text, sizeof text, "/circular_buffers/device_operations/0/buffers/%d/device_count", row);
            perf_expect(answer, text, cases[i].devices);
        }
        yyjson_doc_free(answer);
    }
}

static void test_what_it_cannot_do_without(void **state)
{
    (void)state;
    operation_database_run(db, "DROP TABLE buffers; DROP TABLE captured_graph;");
    perf_bench_open_pair(&bench, "prof", NULL);
    perf_bench_refused(&bench, "l1_peak", NULL, TS_REFUSED, "buffers|captured_graph|");
    perf_bench_refused(&bench, "l1_peak", "{\"rank\":1}", TS_REFUSED, "");
}

static void test_what_it_can_do_without(void **state)
{
    (void)state;
    add_worked_example();
    operation_database_run(db, "DROP TABLE tensors; DROP TABLE output_tensors; DROP TABLE devices;");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/peak", "1000");
    perf_expect(answer, "/top_operations/1/composition/stale_tensors", "0");
    expect_caveat(answer, "No tensor counts as stale");
    expect_caveat(answer, "capacity of L1 is unknown");
    yyjson_doc_free(answer);
}

static void test_missing_columns(void **state)
{
    (void)state;
    operation_database_run(db,
                           "DROP TABLE buffers; CREATE TABLE buffers(operation_id int); INSERT INTO buffers VALUES(1);"
                           "DROP TABLE captured_graph; CREATE TABLE captured_graph(operation_id int);"
                           "INSERT INTO captured_graph VALUES(1);"
                           "DROP TABLE operations; CREATE TABLE operations(operation_id int);"
                           "INSERT INTO operations VALUES(1),('x');");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/peak", "0");
    perf_expect(answer, "/operation_count", "1");
    expect_caveat(answer, "1 rows of operations");
    expect_caveat(answer, "leave out 1 buffers");
    yyjson_doc_free(answer);
}

/* A table that lacks a column which last uses come from tells none of them. */
static void test_last_uses_without_a_column(void **state)
{
    (void)state;
    add_worked_example();
    operation_database_run(db, "ALTER TABLE tensors RENAME COLUMN buffer_type TO memory");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/top_operations/1/composition/stale_tensors", "0");
    expect_caveat(answer, "No tensor counts as stale: tensors or input_tensors is missing, lacks a column");
    yyjson_doc_free(answer);
}

/* Sizes that no memory has are told, where they do not have the figures withheld. */
static void test_impossible_sizes(void **state)
{
    (void)state;
    add(1, "ttnn.a",
        "[{\"node_type\":\"buffer_allocate\",\"params\":{\"type\":\"L1\",\"address\":1,\"size\":-5}},"
        "{\"node_type\":\"buffer_allocate\",\"params\":{\"type\":\"L1\",\"address\":2}},"
        "{\"node_type\":\"circular_buffer_allocate\",\"params\":{\"address\":3,\"size\":9000000000000000000}},"
        "{\"node_type\":\"circular_buffer_allocate\",\"params\":{\"address\":4,\"size\":0}},"
        "{\"node_type\":\"circular_buffer_allocate\",\"params\":{\"address\":5,\"globally_allocated\":1}},"
        "{\"node_type\":\"buffer_allocate\",\"params\":{\"type\":\"DRAM\",\"address\":6}}]");
    operation_database_run(db, "INSERT INTO buffers VALUES(1,0,7,9000000000000000000,1)");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/composition/circular_buffers", "281474976710656");
    expect_caveat(answer, "4 sizes in the captured graphs or buffers are absent, negative or past 2^48 bytes");
    yyjson_doc_free(answer);
}

/* An operation without a name has none, and what lay in L1 within one without a graph is not known. */
static void test_nothing_but_buffers(void **state)
{
    (void)state;
    operation_database_run(db, "DROP TABLE operations; CREATE TABLE operations(operation_id int);"
                               "INSERT INTO operations VALUES(1),(2),(3);"
                               "INSERT INTO captured_graph VALUES(2,NULL),(3,'[]');"
                               "INSERT INTO buffers VALUES(1,0,5,6,1)");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/peak", "6");
    perf_expect(answer, "/name", "null");
    perf_expect(answer, "/top_operations/0/name", "null");
    expect_caveat(answer, "2 of 3 operations have no captured graph");
    yyjson_doc_free(answer);
}

static void test_ranks(void **state)
{
    (void)state;
    operation_database_add(db, 0, 1, "ttnn.zero", "[" ALLOCATE(1000, 10) "]");
    operation_database_add(db, 1, 1, "ttnn.one", "[" ALLOCATE(1000, 70) "]");
    operation_database_run(db, "INSERT INTO buffers VALUES(1,0,1000,90,1,1),(1,0,1000,10,1,0);"
                               "INSERT INTO devices VALUES(0,100,100,0,1);");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/peak", "10");
    perf_expect(answer, "/rank", "0");
    perf_expect(answer, "/multi_host", "true");
    perf_expect(answer, "/l1_size", "null");
    yyjson_doc_free(answer);
    answer = peak("{\"rank\":1}");
    perf_expect(answer, "/peak", "90");
    perf_expect(answer, "/name", "\"ttnn.one\"");
    perf_expect(answer, "/l1_size", "100");
    expect_caveat(answer, "rank 1");
    yyjson_doc_free(answer);
    perf_bench_refused(&bench, "l1_peak", "{\"rank\":2}", TS_REFUSED, "rank|0, 1|");
}

static void test_tables_without_a_rank(void **state)
{
    (void)state;
    operation_database_add(db, 0, 1, "ttnn.zero", "[" ALLOCATE(1000, 10) "]");
    operation_database_add(db, 1, 1, "ttnn.one", NULL);
    operation_database_run(db,
                           "DROP TABLE devices; CREATE TABLE devices(device_id int, worker_l1_size int);"
                           "INSERT INTO devices VALUES(0,5);"
                           "DROP TABLE input_tensors; CREATE TABLE input_tensors(operation_id int, tensor_id int);");
    yyjson_doc *answer = peak(NULL);
    perf_expect(answer, "/l1_size", "null");
    expect_caveat(answer, "devices table carries no rank");
    expect_caveat(answer, "No tensor counts as stale");
    yyjson_doc_free(answer);
    operation_database_run(
        db, "DROP TABLE captured_graph; CREATE TABLE captured_graph(operation_id int, captured_graph text);");
    unsigned capture = perf_bench_open_pair(&bench, "prof", NULL);
    assert_int_equal(capture, 1);
    ts_capture_close(bench.captures[0]);
    bench.captures[0] = bench.captures[--bench.count];
    perf_bench_refused(&bench, "l1_peak", NULL, TS_REFUSED, "captured_graph|");
}

/* The first read answers from then on, whatever becomes of the file. */
static void test_it_is_kept(void **state)
{
    (void)state;
    char path[256];
    add_worked_example();
    yyjson_doc *answer = peak(NULL);
    assert_false(perf_has(answer, "/capture_changed"));
    yyjson_doc_free(answer);
    operation_database_run(db, "UPDATE buffers SET max_size_per_bank = 7000; DELETE FROM captured_graph;");
    answer = peak(NULL);
    perf_expect(answer, "/peak", "1000");
    perf_expect(answer, "/capture_changed", "true");
    yyjson_doc_free(answer);
    assert_true((size_t)snprintf(path, sizeof path, "%s/prof/db.sqlite", bench.folder) < sizeof path);
    assert_int_equal(remove(path), 0);
    answer = peak(NULL);
    perf_expect(answer, "/peak", "1000");
    perf_expect(answer, "/capture_changed", "true");
    yyjson_doc_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OPERATION_CASE(test_worked_example),
        OPERATION_CASE(test_names_of_memory),
        OPERATION_CASE(test_freeing),
        OPERATION_CASE(test_last_uses),
        OPERATION_CASE(test_snapshots),
        OPERATION_CASE(test_graph_rows),
        OPERATION_CASE(test_rows_out_of_order),
        OPERATION_CASE(test_rows_behind_the_last_operation),
        OPERATION_CASE(test_compositions),
        OPERATION_CASE(test_bytes_by_banks),
        OPERATION_CASE(test_withheld),
        OPERATION_CASE(test_nothing_happened),
        OPERATION_CASE(test_unrecorded_launches),
        OPERATION_CASE(test_mesh_copies),
        OPERATION_CASE(test_devices_that_disagree),
        OPERATION_CASE(test_what_it_cannot_do_without),
        OPERATION_CASE(test_what_it_can_do_without),
        OPERATION_CASE(test_missing_columns),
        OPERATION_CASE(test_last_uses_without_a_column),
        OPERATION_CASE(test_impossible_sizes),
        OPERATION_CASE(test_nothing_but_buffers),
        RANKED_CASE(test_ranks),
        RANKED_CASE(test_tables_without_a_rank),
        OPERATION_CASE(test_it_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
