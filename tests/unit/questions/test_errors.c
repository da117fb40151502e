/* errors, what operation_detail tells of them, and what errors and dram_fallbacks cannot do without. */
#include "support/failure_case.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

/* ---- errors ---- */

static void test_attached(void **state)
{
    (void)state;
    operation_database_add(db, -1, 5, "ttnn.x", "(ttnn.x (A )!A )!ttnn.x");
    operation_database_add(db, -1, 6, "ttnn.y", NULL);
    operation_database_run(db, "INSERT INTO operations VALUES(7,NULL,0);"
                               "INSERT INTO errors VALUES(5,'ttnn.z','RuntimeError','other name','now'),"
                               "(5,'ttnn.x','RuntimeError','first',''),(5,'ttnn.x','RuntimeError','second',NULL),"
                               "(6,'ttnn.y',NULL,NULL,NULL),(7,NULL,'x','y',NULL),('six','ttnn.y','x','y',NULL),"
                               "(9,'ttnn.x','x','no such operation',NULL)");
    yyjson_doc *answer = ask("errors", "{}");
    perf_expect(answer, "/error_count", "7");
    perf_expect(answer, "/attached_count", "2");
    perf_expect(answer, "/returned", "7");
    static const char *const attached[] = {"false", "true", "false", "true", "false", "false", "false"};
    for (size_t i = 0; i < sizeof attached / sizeof *attached; i++) {
        char path[64];
        snprintf(path, sizeof path, "/errors/%zu/attached", i);
        perf_expect(answer, path, attached[i]);
    }
    perf_expect(answer, "/errors/0/timestamp", "\"now\"");
    perf_expect(
        answer, "/errors/1",
        "{\"operation_id\":5,\"operation_name\":\"ttnn.x\",\"error_type\":\"RuntimeError\",\"message\":\"first\","
        "\"timestamp\":null,\"attached\":true,\"failed_device_operations\":[\"A\"],"
        "\"failed_device_operation_count\":1}");
    perf_expect(
        answer, "/errors/3",
        "{\"operation_id\":6,\"operation_name\":\"ttnn.y\",\"error_type\":null,\"message\":null,\"timestamp\":null,"
        "\"attached\":true}");
    perf_expect(answer, "/errors/5/operation_id", "null");
    expect_caveat(answer, "attached false may name another operation");
    yyjson_doc_free(answer);
    answer = ask("errors", "{\"limit\":2}");
    perf_expect(answer, "/error_count", "7");
    perf_expect(answer, "/returned", "2");
    yyjson_doc_free(answer);
    answer = detail(5);
    perf_expect(answer, "/error",
                "{\"error_type\":\"RuntimeError\",\"error_message\":\"first\",\"timestamp\":null,"
                "\"failed_device_operations\":[\"A\"],\"failed_device_operation_count\":1}");
    yyjson_doc_free(answer);
    answer = detail(7);
    assert_false(perf_has(answer, "/error"));
    yyjson_doc_free(answer);
}

static void test_figures(void **state)
{
    (void)state;
    operation_database_add(db, -1, 5, "ttnn.x", NULL);
    operation_database_run(db, "INSERT INTO errors VALUES(5,'ttnn.x','RuntimeError'," L1_FAILURE ",''),"
                               "(1,'a','b'," CLASH ",'')");
    yyjson_doc *answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/allocation_failure",
                "{\"kind\":\"bank_out_of_memory\",\"buffer_type\":\"L1\",\"requested_bytes\":800,\"num_banks\":8,"
                "\"bytes_per_bank\":100,\"bank_size_bytes\":1000,\"allocated_bytes\":50,\"free_bytes\":40,"
                "\"largest_free_block_bytes\":30}");
    perf_expect(answer, "/errors/0/diagnosis/reason", "\"not_enough_free_space\"");
    perf_expect(answer, "/errors/0/diagnosis/short_by_bytes", "60");
    perf_expect(answer, "/errors/0/diagnosis/interleaved_region_limit", "true");
    perf_expect(answer, "/errors/1/allocation_failure",
                "{\"kind\":\"circular_buffers_clash\",\"core_range\":\"[0-0 - 1-1]\",\"l1_buffer_address\":100,"
                "\"circular_buffer_region_end\":150}");
    perf_expect(answer, "/errors/1/diagnosis/overlap_bytes", "50");
    assert_false(perf_has(answer, "/errors/1/diagnosis/interleaved_region_limit"));
    yyjson_doc_free(answer);
    answer = detail(5);
    perf_expect(answer, "/error/diagnosis/short_by_bytes", "60");
    yyjson_doc_free(answer);
}

static void test_long_texts(void **state)
{
    (void)state;
    operation_database_run(
        db, "INSERT INTO errors SELECT 1,'a','b',printf('%.*c',2001,'x'),'' UNION ALL SELECT 1,'a','b',"
            "printf('%.*c',2000,'x'),'' UNION ALL SELECT 1,'a','b',replace(printf('%.*c',3000,'x'),'x','\u20ac'),'' "
            "UNION ALL "
            "SELECT 1,'a','b','Statically allocated circular buffers on core range ' || printf('%.*c',300,'r') || "
            "' grow to 5 B which is beyond max L1 size of 4 B',''");
    yyjson_doc *answer = ask("errors", "{}");
    assert_int_equal(yyjson_get_len(perf_at(answer, "/errors/0/message")), 2000);
    perf_expect(answer, "/errors/0/message_full_length", "2001");
    assert_false(perf_has(answer, "/errors/1/message_full_length"));
    assert_true(yyjson_get_len(perf_at(answer, "/errors/2/message")) <= 4096);
    perf_expect(answer, "/errors/2/message_full_length", "3000");
    assert_int_equal(yyjson_get_len(perf_at(answer, "/errors/3/allocation_failure/core_range")), 200);
    perf_expect(answer, "/errors/3/allocation_failure/core_range_full_length", "300");
    yyjson_doc_free(answer);
}

static void test_a_cause_that_was_not_recorded(void **state)
{
    (void)state;
    operation_database_add(db, -1, 3, "ttnn.x", NULL);
    operation_database_add(db, -1, 8, "ttnn.stop", NULL);
    operation_database_run(db,
                           "INSERT INTO devices VALUES(0,1499136,1370848,103712);"
                           "INSERT INTO buffers VALUES(2,0,9,9,0),(3,0,1409024,65536,1),(3,0,7,7,0);"
                           "INSERT INTO errors VALUES(0,'ttnn.y','incomplete_operation','it never completed',''),"
                           "(8,'ttnn.stop','aborted_operation','x',''),(8,'ttnn.q','aborted_operation'," CLASH ",''),"
                           "(8,'ttnn.q','RuntimeError','x','')");
    yyjson_doc *answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/last_completed_operation/operation_id", "3");
    perf_expect(answer, "/errors/0/last_completed_operation/name", "\"ttnn.x\"");
    perf_expect(answer, "/errors/0/last_completed_operation/allocations",
                "{\"DRAM\":{\"buffers\":1,\"size\":7},\"L1\":{\"buffers\":1,\"size\":65536}}");
    perf_expect(answer, "/errors/0/last_completed_operation/l1_pressure/largest_free_block", "1305312");
    perf_expect(answer, "/errors/1/last_completed_operation/operation_id", "3");
    assert_false(perf_has(answer, "/errors/2/last_completed_operation"));
    assert_false(perf_has(answer, "/errors/3/last_completed_operation"));
    expect_caveat(answer, "console output");
    yyjson_doc_free(answer);
    operation_database_run(db, "DELETE FROM buffers; DELETE FROM errors WHERE operation_id = 0");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/last_completed_operation", "null");
    expect_caveat(answer, "last_completed_operation is not known: no operation has buffers recorded.");
    yyjson_doc_free(answer);
    operation_database_run(db, "DROP TABLE buffers");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/last_completed_operation", "null");
    expect_caveat(answer, "last_completed_operation is not known: the report has no table buffers.");
    yyjson_doc_free(answer);
}

static void test_graphs_that_cannot_be_read(void **state)
{
    (void)state;
    operation_database_add(db, -1, 3, "ttnn.x", "[1");
    operation_database_add(db, -1, 4, "ttnn.x", "[{\"node_type\":\"function_start\",\"params\":{}}]");
    operation_database_run(db, "INSERT INTO errors VALUES(3,'ttnn.x','x'," CLASH ",''),(4,'ttnn.x','x','y','')");
    yyjson_doc *answer = ask("errors", "{}");
    assert_false(perf_has(answer, "/errors/0/failed_device_operations"));
    perf_expect(answer, "/errors/0/diagnosis/reason", "\"overlaps_l1_buffer\"");
    expect_caveat(answer, "left out of operation 3: its captured graph is not valid JSON. It is left out of 1 more");
    yyjson_doc_free(answer);
}

static void test_older_reports(void **state)
{
    (void)state;
    operation_database_add(db, -1, 3, "ttnn.x", NULL);
    operation_database_run(db,
                           "DROP TABLE errors; CREATE TABLE errors(operation_id int, error_type text, error_message "
                           "text, error_operation text); INSERT INTO errors VALUES(3,'x','y','ttnn.x')");
    yyjson_doc *answer = ask("errors", "{}");
    perf_expect(
        answer, "/errors/0",
        "{\"operation_id\":3,\"operation_name\":\"ttnn.x\",\"error_type\":\"x\",\"message\":\"y\",\"timestamp\":null,"
        "\"attached\":true}");
    yyjson_doc_free(answer);
    operation_database_run(db, "DROP TABLE errors");
    answer = ask("errors", "{}");
    perf_expect(answer, "/error_count", "null");
    perf_expect(answer, "/errors", "[]");
    expect_caveat(answer, "predates the table errors");
    yyjson_doc_free(answer);
    answer = ask("dram_fallbacks", "{}");
    expect_caveat(answer, "has no table errors");
    yyjson_doc_free(answer);
    operation_database_run(db, "DROP TABLE buffers");
    perf_bench_refused(&bench, "errors", "{}", TS_REFUSED, "errors|buffers|");
}

/* What a column that is missing would have said is unknown: no error is of operation 0 for want of it. */
static void test_missing_columns(void **state)
{
    (void)state;
    operation_database_add(db, -1, 0, "ttnn.x", NULL);
    operation_database_run(db, "DROP TABLE errors; CREATE TABLE errors(operation_name text); "
                               "INSERT INTO errors VALUES('ttnn.x')");
    yyjson_doc *answer = ask("errors", "{}");
    perf_expect(answer, "/errors",
                "[{\"operation_id\":null,\"operation_name\":\"ttnn.x\",\"error_type\":null,\"message\":null,"
                "\"timestamp\":null,\"attached\":false}]");
    perf_expect(answer, "/attached_count", "0");
    perf_expect(answer, "/caveat",
                "\"Which operations failed is not known: the table errors lacks its column operation_id.\"");
    yyjson_doc_free(answer);
    answer = detail(0);
    assert_false(perf_has(answer, "/error"));
    expect_caveat(answer, "Left out: the table errors, which lacks its column operation_id.");
    yyjson_doc_free(answer);
    answer = ask("dram_fallbacks", "{}");
    expect_caveat(answer, "Retries after a failure are not looked for: the table errors lacks its column");
    yyjson_doc_free(answer);
}

static void test_ranks(void **state)
{
    (void)state;
    operation_database_run(db, ERRORS(", rank int") ARGUMENTS(", rank int"));
    operation_database_add(db, 0, 3, "ttnn.x", NULL);
    operation_database_add(db, 1, 3, "ttnn.y", NULL);
    operation_database_run(db, "INSERT INTO errors VALUES(3,'ttnn.x','x','zero','',0),(3,'ttnn.y','x','one','',1)");
    yyjson_doc *answer = ask("errors", "{\"rank\":1}");
    perf_expect(answer, "/error_count", "1");
    perf_expect(answer, "/errors/0/message", "\"one\"");
    perf_expect(answer, "/errors/0/attached", "true");
    perf_expect(answer, "/rank", "1");
    yyjson_doc_free(answer);
    perf_bench_refused(&bench, "errors", "{\"rank\":2}", TS_REFUSED, "rank 2|");
    perf_bench_refused(&bench, "dram_fallbacks", "{\"rank\":2}", TS_REFUSED, "rank 2|");
}

static void test_tables_without_ranks(void **state)
{
    (void)state;
    operation_database_run(db, ERRORS("") ARGUMENTS(", rank int"));
    operation_database_add(db, 0, 3, "ttnn.x", NULL);
    operation_database_add(db, 1, 3, "ttnn.y", NULL);
    operation_database_run(db, "INSERT INTO errors VALUES(3,'ttnn.x','x','zero','')");
    yyjson_doc *answer = ask("dram_fallbacks", "{}");
    expect_caveat(answer, "table errors carries none");
    yyjson_doc_free(answer);
    perf_bench_refused(&bench, "errors", "{}", TS_REFUSED, "`errors`|ranks 0, 1|");
    answer = detail(3);
    assert_false(perf_has(answer, "/error"));
    expect_caveat(answer, "error is left out");
    expect_caveat(answer, "dram_fallback is left out");
    yyjson_doc_free(answer);
    operation_database_run(db, "DROP TABLE operation_arguments; DROP TABLE errors; " ARGUMENTS(""));
    perf_bench_refused(&bench, "dram_fallbacks", "{}", TS_REFUSED, "`operation_arguments`|");
}

/* ---- what stood in the way ---- */

#define FRAGMENTED                                                                                                     \
    "'Out of Memory: Not enough space to allocate 800 B L1 buffer across 8 banks, where each bank needs to store 500 " \
    "B, "                                                                                                              \
    "but bank size is 1000 B (allocated: 400 B, free: 600 B, largest free block: 300 B)'"

/* What is answered where nothing can be told, up to why. */
#define UNKNOWN(misses, behind)                                                                                        \
    "{\"misses_by_bytes\":" misses ",\"seen_behind_operation\":" behind                                                \
    ",\"device_id\":null,\"resident_count\":null,\"returned\":0,\"residents\":[],\"unknown_because\":"

/* The window of device 0 is 1000 to 2000. Operation 3 failed; behind 2 is what it met. */
static void fill_l1(const char *message)
{
    char sql[1024];
    operation_database_add(db, -1, 1, "ttnn.first", NULL);
    operation_database_add(db, -1, 2, "ttnn.second", NULL);
    operation_database_add(db, -1, 3, "ttnn.x", NULL);
    snprintf(sql, sizeof sql, "INSERT INTO errors VALUES(3,'ttnn.x','RuntimeError',%s,'')", message);
    operation_database_run(db, sql);
    operation_database_run(
        db,
        "INSERT INTO devices VALUES(0,0,1000,1000);"
        "INSERT INTO tensors VALUES(5,'','','',NULL,0,1300,1),(6,'','','',NULL,0,1300,1),(7,'','','',NULL,0,1300,1),"
        "(8,'','','',NULL,1,1300,1),(9,'','','',NULL,0,1300,0),(10,'','','',NULL,0,1300,1);"
        "INSERT INTO output_tensors VALUES(1,0,5),(1,0,6),(2,0,6),(4,0,7),(2,0,8),(2,0,9),(1,0,10);"
        "INSERT INTO buffers VALUES(2,0,1900,100,1),(2,0,1300,50,1),(2,0,1350,50,1),(2,0,1600,10,1),(2,0,1500,10,0),"
        "(2,0,1700,10,3),(2,0,1000,20,1),(3,0,1450,10,1),(4,0,1450,10,1),(2,0,NULL,1,1)");
}

static void test_what_splits_the_free_space(void **state)
{
    (void)state;
    fill_l1(FRAGMENTED);
    yyjson_doc *answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/diagnosis/reason", "\"fragmented\"");
    perf_expect(answer, "/errors/0/in_the_way",
                "{\"misses_by_bytes\":200,\"seen_behind_operation\":2,\"device_id\":0,\"resident_count\":3,"
                "\"returned\":3,\"residents\":[{\"address\":1300,\"size\":50,\"tensor_id\":6,\"made_by\":2,"
                "\"made_by_name\":\"ttnn.second\"},{\"address\":1350,\"size\":50,\"tensor_id\":null,\"made_by\":null,"
                "\"made_by_name\":null},{\"address\":1600,\"size\":10,\"tensor_id\":null,\"made_by\":null,"
                "\"made_by_name\":null}]}");
    yyjson_doc_free(answer);
    answer = detail(3);
    perf_expect(answer, "/error/in_the_way/resident_count", "3");
    yyjson_doc_free(answer);
    /* Further rows of a buffer are no further buffers; another device's is not there. */
    operation_database_run(db, "INSERT INTO buffers VALUES(2,0,1300,50,1),(2,0,1300,40,1),(2,1,1300,50,1)");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way/resident_count", "3");
    perf_expect(answer, "/errors/0/in_the_way/residents/0/size", "50");
    perf_expect(answer, "/errors/0/in_the_way/residents/1/address", "1350");
    yyjson_doc_free(answer);
    operation_database_run(db, "UPDATE buffers SET buffer_type = 'BufferType::L1' WHERE buffer_type = 1;"
                               "UPDATE tensors SET buffer_type = 'BufferType::L1' WHERE buffer_type = 1");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way/resident_count", "3");
    perf_expect(answer, "/errors/0/in_the_way/residents/0/tensor_id", "6");
    yyjson_doc_free(answer);
    operation_database_run(db, "DELETE FROM buffers WHERE operation_id < 3");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way",
                UNKNOWN("200", "null") "\"no buffers are recorded behind an earlier operation\"}");
    yyjson_doc_free(answer);
    operation_database_run(db, "DROP TABLE buffers");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way", UNKNOWN("200", "null") "\"the report has no table buffers\"}");
    yyjson_doc_free(answer);
}

/* Without the device's geometry nothing tells a gap from what lies around; another device's may do. */
static void test_no_geometry(void **state)
{
    (void)state;
    fill_l1(FRAGMENTED);
    operation_database_run(db, "UPDATE devices SET l1_bank_size = 0");
    yyjson_doc *answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way", UNKNOWN("200", "2") "\"the L1 geometry of device 0 is not recorded\"}");
    yyjson_doc_free(answer);
    operation_database_run(db, "INSERT INTO devices VALUES(1,0,1000,1000);"
                               "INSERT INTO buffers VALUES(2,1,1300,50,1)");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way/device_id", "1");
    perf_expect(answer, "/errors/0/in_the_way/resident_count", "1");
    assert_false(perf_has(answer, "/errors/0/in_the_way/unknown_because"));
    yyjson_doc_free(answer);
    operation_database_run(db, "DROP TABLE devices");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way/resident_count", "null");
    yyjson_doc_free(answer);
    /* Where circular buffers end says enough. */
    operation_database_run(db,
                           "UPDATE errors SET error_message = 'Statically allocated circular buffers in program 3 "
                           "clash with L1 buffers on core range [0-0 - 1-1]. L1 buffer allocated at 1300 and static "
                           "circular buffer region ends at 1301'");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way/misses_by_bytes", "1");
    perf_expect(answer, "/errors/0/in_the_way/resident_count", "2");
    yyjson_doc_free(answer);
}

/* A table of several ranks that carries none. */
static void test_no_rank_in_the_way(void **state)
{
    (void)state;
    operation_database_run(
        db, ERRORS(", rank int") "DROP TABLE devices;"
                                 "CREATE TABLE devices(device_id int, worker_l1_size int, l1_bank_size int, "
                                 "address_at_first_l1_cb_buffer int);");
    operation_database_add(db, 0, 3, "ttnn.x", NULL);
    operation_database_add(db, 1, 3, "ttnn.y", NULL);
    operation_database_run(db, "INSERT INTO errors VALUES(3,'ttnn.x','x'," FRAGMENTED ",'',0),"
                               "(3,'ttnn.y','x'," CLASH ",'',1)");
    yyjson_doc *answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way", UNKNOWN("200", "null") "\"the table devices carries no rank\"}");
    yyjson_doc_free(answer);
}

static void test_figures_that_cannot_be(void **state)
{
    (void)state;
    operation_database_add(db, -1, 5, "ttnn.x", NULL);
    operation_database_run(
        db, "INSERT INTO errors VALUES(5,'ttnn.x','b','Statically allocated circular buffers in program 3 clash with "
            "L1 buffers on core range [0-0 - 1-1]. L1 buffer allocated at 150 and static circular buffer region ends "
            "at 100',''),(1,'a','b','Statically allocated circular buffers on core range [0-0] grow to "
            "99999999999999999999 B which is beyond max L1 size of 4 B',''),"
            "(1,'a','b','Out of Memory: Not enough space to allocate 8 B L1 buffer across 1 banks, where each bank "
            "needs to store 2 B, but bank size is only 4 B','')");
    yyjson_doc *answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/diagnosis", "null");
    perf_expect(answer, "/errors/0/no_diagnosis_because",
                "\"by the message's figures the circular buffers end before the L1 buffer begins\"");
    assert_false(perf_has(answer, "/errors/0/in_the_way"));
    perf_expect(answer, "/errors/1/allocation_failure",
                "{\"kind\":\"circular_buffers_beyond_l1\",\"core_range\":\"[0-0]\",\"max_l1_bytes\":4,"
                "\"circular_buffer_region_end\":null,\"past_63_bits\":[\"circular_buffer_region_end\"]}");
    perf_expect(answer, "/errors/1/diagnosis", "null");
    perf_expect(answer, "/errors/1/no_diagnosis_because", "\"a figure of the message is past 63 bits\"");
    perf_expect(answer, "/errors/2/allocation_failure/free_bytes", "null");
    assert_false(perf_has(answer, "/errors/2/allocation_failure/past_63_bits"));
    perf_expect(answer, "/errors/2/diagnosis", "null");
    perf_expect(answer, "/errors/2/no_diagnosis_because",
                "\"the message, of an older tt-metal, does not tell the free space\"");
    yyjson_doc_free(answer);
}

static void test_what_circular_buffers_reach_into(void **state)
{
    (void)state;
    fill_l1("'Statically allocated circular buffers in program 3 clash with L1 buffers on core range [0-0 - 1-1]. L1 "
            "buffer "
            "allocated at 1300 and static circular buffer region ends at 1351'");
    yyjson_doc *answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way/misses_by_bytes", "51");
    perf_expect(answer, "/errors/0/in_the_way/resident_count", "3");
    perf_expect(answer, "/errors/0/in_the_way/residents/0/address", "1000");
    perf_expect(answer, "/errors/0/in_the_way/residents/1/address", "1300");
    perf_expect(answer, "/errors/0/in_the_way/residents/2/address", "1350");
    yyjson_doc_free(answer);
    /* What ends where circular buffers begin is none. */
    operation_database_run(db, "INSERT INTO buffers VALUES(2,0,900,100,1)");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way/resident_count", "3");
    yyjson_doc_free(answer);
    operation_database_run(db, "UPDATE buffers SET address = 1351 WHERE address <= 1350");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/in_the_way/resident_count", "0");
    perf_expect(answer, "/errors/0/in_the_way/device_id", "null");
    yyjson_doc_free(answer);
}

/* Only where something in particular stands in the way, and only of an error that is attached. */
static void test_nothing_in_particular(void **state)
{
    (void)state;
    fill_l1(L1_FAILURE);
    operation_database_run(db, "INSERT INTO errors VALUES(3,'ttnn.x','RuntimeError'," FRAGMENTED ",'')");
    yyjson_doc *answer = ask("errors", "{}");
    assert_false(perf_has(answer, "/errors/0/in_the_way"));
    perf_expect(answer, "/errors/1/diagnosis/reason", "\"fragmented\"");
    assert_false(perf_has(answer, "/errors/1/in_the_way"));
    yyjson_doc_free(answer);
    /* Nor of another memory than L1. */
    operation_database_run(db,
                           "DELETE FROM errors; INSERT INTO errors VALUES(3,'ttnn.x','RuntimeError',replace(" FRAGMENTED
                           ",'L1','DRAM'),'')");
    answer = ask("errors", "{}");
    perf_expect(answer, "/errors/0/diagnosis/reason", "\"fragmented\"");
    assert_false(perf_has(answer, "/errors/0/diagnosis/interleaved_region_limit"));
    assert_false(perf_has(answer, "/errors/0/in_the_way"));
    yyjson_doc_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAILURE_CASE(test_attached),
        FAILURE_CASE(test_figures),
        FAILURE_CASE(test_long_texts),
        FAILURE_CASE(test_a_cause_that_was_not_recorded),
        FAILURE_CASE(test_graphs_that_cannot_be_read),
        FAILURE_CASE(test_older_reports),
        FAILURE_CASE(test_missing_columns),
        RANKED_CASE(test_ranks),
        RANKED_CASE(test_tables_without_ranks),
        FAILURE_CASE(test_what_splits_the_free_space),
        FAILURE_CASE(test_no_geometry),
        RANKED_CASE(test_no_rank_in_the_way),
        FAILURE_CASE(test_figures_that_cannot_be),
        FAILURE_CASE(test_what_circular_buffers_reach_into),
        FAILURE_CASE(test_nothing_in_particular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
