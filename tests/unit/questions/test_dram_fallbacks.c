/* dram_fallbacks, and what operation_detail tells of it: which operations likely fell back. */
#include "support/failure_case.h"

#include <stdio.h>

#define CONFIG(type) "'MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::" type ")'"

/* Tensor id = address; memory by number. */
static void tensor(int id, int memory, const char *shape)
{
    char sql[256];
    snprintf(sql, sizeof sql, "INSERT INTO tensors VALUES(%d,'%s','','',NULL,0,%d,%d)", id, shape, id, memory);
    operation_database_run(db, sql);
}

static void join(const char *table, int operation, int id)
{
    char sql[128];
    snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(%d,0,%d)", table, operation, id);
    operation_database_run(db, sql);
}

static void argument(int operation, const char *name, const char *value)
{
    char sql[512];
    snprintf(sql, sizeof sql, "INSERT INTO operation_arguments VALUES(%d,%s,%s)", operation, name, value);
    operation_database_run(db, sql);
}

static void asked_in_dram(int operation, const char *name, const char *config)
{
    operation_database_add(db, -1, operation, name, NULL);
    if (config)
        argument(operation, "'memory_config'", config);
    tensor(1000 + operation, 0, "Shape([8])");
    join("output_tensors", operation, 1000 + operation);
}

static void expect_fallbacks(const char *json)
{
    yyjson_doc *answer = ask("dram_fallbacks", "{\"limit\":100}");
    perf_expect(answer, "/fallbacks", json);
    yyjson_doc_free(answer);
}

static void test_arguments(void **state)
{
    (void)state;
    asked_in_dram(1, "one", CONFIG("L1"));
    asked_in_dram(2, "intermediate", CONFIG("L1_SMALL"));
    argument(2, "'intermediate_memory_config'", CONFIG("DRAM"));
    argument(2, "'later'", CONFIG("L1"));
    argument(2, "NULL", "NULL");
    argument(2, "'x'", "'5'");
    asked_in_dram(3, "both", CONFIG("L1"));
    argument(3, "'other'", CONFIG("DRAM"));
    asked_in_dram(4, "undeclared", "'MemoryConfig(memory_layout=x)'");
    asked_in_dram(5, "nothing", NULL);
    asked_in_dram(6, "in a list",
                  "' "
                  "MemoryConfig(buffer_type=BufferType::L1)'");
    operation_database_add(db, -1, 7, "no outputs", NULL);
    argument(7, "'memory_config'", CONFIG("L1"));
    asked_in_dram(8, "one in L1", CONFIG("L1"));
    tensor(2000, 1, "Shape([8])");
    join("output_tensors", 8, 2000);
    asked_in_dram(9, "unknown beside", CONFIG("L1"));
    join("output_tensors", 9, 5555);
    expect_fallbacks(
        "[{\"operation_id\":1,\"name\":\"one\",\"signal\":\"argument_mismatch\",\"requested_buffer_type\":\"L1\","
        "\"dram_output_count\":1,\"output_count\":1},{\"operation_id\":2,\"name\":\"intermediate\",\"signal\":"
        "\"argument_mismatch\",\"requested_buffer_type\":\"L1_SMALL\",\"dram_output_count\":1,"
        "\"output_count\":1},{\"operation_id\":9,\"name\":\"unknown beside\",\"signal\":\"argument_mismatch\","
        "\"requested_buffer_type\":\"L1\",\"dram_output_count\":1,\"output_count\":1}]");
    yyjson_doc *answer = detail(1);
    perf_expect(answer, "/dram_fallback",
                "{\"signal\":\"argument_mismatch\",\"requested_buffer_type\":\"L1\",\"dram_output_count\":1,"
                "\"output_count\":1}");
    yyjson_doc_free(answer);
    answer = detail(3);
    assert_false(perf_has(answer, "/dram_fallback"));
    yyjson_doc_free(answer);
    answer = ask("dram_fallbacks", "{\"limit\":1}");
    perf_expect(answer, "/fallback_count", "3");
    perf_expect(answer, "/returned", "1");
    yyjson_doc_free(answer);
}

/* An output that may be a view of an input was not allocated. Each case: whether it still counts. */
static void test_views(void **state)
{
    static const struct {
        const char *input, *output, *devices;
        bool counts;
    } cases[] = {
        {"'Shape([8])','','',NULL,0,50,0", "'Shape([8])','','',NULL,0,50,0", NULL, false},
        {"'Shape([8])','','',NULL,0,50,0", "'torch.Size([2, 4])','','',NULL,0,50,0", NULL, false},
        {"'Shape([8])','','',NULL,0,50,0", "'Shape([9])','','',NULL,0,50,0", NULL, true},
        {"'(8,)','','',NULL,0,50,0", "'Shape([9])','','',NULL,0,50,0", NULL, false},
        {"'Shape([8])','','',NULL,0,51,0", "'Shape([8])','','',NULL,0,50,0", NULL, true},
        {"'Shape([8])','','',NULL,1,50,0", "'Shape([8])','','',NULL,0,50,0", NULL, true},
        {"'Shape([8])','','',NULL,NULL,50,0", "'Shape([8])','','',NULL,0,51,0", NULL, false},
        {"'Shape([8])','',''," CONFIG("DRAM") ",0,NULL,0", "'Shape([8])','','',NULL,0,51,0", NULL, false},
        {"'Shape([8])','',''," CONFIG("L1") ",0,NULL,0", "'Shape([8])','','',NULL,0,51,0", NULL, true},
        {"'Shape([8])','','',NULL,0,50,1", "'Shape([8])','','',NULL,0,50,0", NULL, true},
        {"'Shape([])','','',NULL,0,50,0", "'Shape([1])','','',NULL,0,50,0", NULL, false},
        /* On a mesh every device that both lie on must agree; a device's last row counts. */
        {"'x','','',NULL,0,50,0", "'x','','',NULL,0,50,0", "(1,1,7),(2,1,8)", true},
        {"'x','','',NULL,0,50,0", "'x','','',NULL,0,50,0", "(1,1,7),(2,1,7)", false},
        {"'x','','',NULL,0,50,0", "'x','','',NULL,0,50,0", "(1,1,7),(2,1,8),(2,1,7)", false},
        {"'x','','',NULL,0,50,0", "'x','','',NULL,0,50,0", "(1,1,7),(2,2,8)", false},
        {"'x','','',NULL,0,50,0", "'x','','',NULL,0,50,0", "(1,0,60)", true},
        {"'x','','',NULL,0,50,0", "'x','','',NULL,0,50,0", "(1,0,60),(2,0,60)", false},
        {"'x','','',NULL,0,50,0", "'x','','',NULL,0,51,0", "(1,0,60),(2,0,60)", false},
        /* The column says where a tensor with an address lies, not its configuration. */
        {"'Shape([9])','','',NULL,0,50,0", "'Shape([8])','',''," CONFIG("L1") ",0,51,0", NULL, true},
        {"'x','','',NULL,3,50,0", "'x','','',NULL,0,51,0", "(1,0,51)", false},
    };
    (void)state;
    operation_database_add(db, -1, 1, "ttnn.view", NULL);
    argument(1, "'memory_config'", CONFIG("L1"));
    join("input_tensors", 1, 1);
    join("output_tensors", 1, 2);
    operation_database_run(db, "CREATE TABLE device_tensors(tensor_id int, device_id int, address int)");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[1024];
        snprintf(sql, sizeof sql,
                 "DELETE FROM tensors; DELETE FROM device_tensors; INSERT INTO tensors VALUES(1,%s),(2,%s);%s%s",
                 cases[i].input, cases[i].output, cases[i].devices ? "INSERT INTO device_tensors VALUES" : "",
                 cases[i].devices ? cases[i].devices : "");
        operation_database_run(db, sql);
        yyjson_doc *answer = ask("dram_fallbacks", "{}");
        if (yyjson_get_int(perf_at(answer, "/fallback_count")) != cases[i].counts)
            fail_msg("case %zu", i);
        yyjson_doc_free(answer);
    }
}

static void failed(int operation, const char *name, const char *message, const char *config)
{
    char sql[1024];
    operation_database_add(db, -1, operation, name, NULL);
    if (config)
        argument(operation, "'memory_config'", config);
    snprintf(sql, sizeof sql, "INSERT INTO errors VALUES(%d,'%s','RuntimeError',%s,'')", operation, name, message);
    operation_database_run(db, sql);
}

static void test_retries(void **state)
{
    (void)state;
    failed(1, "third", L1_FAILURE, NULL);
    operation_database_add(db, -1, 2, "p", NULL);
    operation_database_add(db, -1, 13, "q", NULL);
    asked_in_dram(24, "third", NULL);
    failed(30, "fourth", L1_FAILURE, NULL);
    operation_database_add(db, -1, 31, "p", NULL);
    operation_database_add(db, -1, 32, "p", NULL);
    operation_database_add(db, -1, 33, "p", NULL);
    asked_in_dram(34, "fourth", NULL);
    failed(40, "dram", L1_FAILURE, CONFIG("DRAM"));
    asked_in_dram(41, "dram", NULL);
    failed(42, "both", L1_FAILURE, NULL);
    asked_in_dram(43, "both", CONFIG("L1"));
    failed(44, "clash", CLASH, CONFIG("L1"));
    asked_in_dram(45, "clash", NULL);
    failed(46, "clash of none", CLASH, NULL);
    asked_in_dram(47, "clash of none", NULL);
    failed(48, "twice", L1_FAILURE, NULL);
    failed(49, "twice", L1_FAILURE, NULL);
    asked_in_dram(50, "twice", NULL);
    failed(60, "other", "'out of luck'", NULL);
    asked_in_dram(61, "other", NULL);
    operation_database_run(db, "INSERT INTO operations VALUES(70,'apart',0);"
                               "INSERT INTO errors VALUES(70,'another','RuntimeError'," L1_FAILURE ",'')");
    asked_in_dram(71, "apart", NULL);
    /* A failure for want of DRAM is none of L1; and only the first of the name tries again, here in L1. */
    failed(80, "of DRAM", "replace(" L1_FAILURE ",' L1 ',' DRAM ')", NULL);
    asked_in_dram(81, "of DRAM", NULL);
    failed(90, "stays", L1_FAILURE, NULL);
    operation_database_add(db, -1, 91, "stays", NULL);
    tensor(3000, 1, "Shape([8])");
    join("output_tensors", 91, 3000);
    asked_in_dram(92, "stays", NULL);
    yyjson_doc *answer = ask("dram_fallbacks", "{}");
    perf_expect(answer, "/fallback_count", "4");
    perf_expect(answer, "/fallbacks/0",
                "{\"operation_id\":24,\"name\":\"third\",\"signal\":\"retry_after_failure\",\"failed_operation_id\":1,"
                "\"failed_operation_name\":\"third\",\"dram_output_count\":1,\"output_count\":1}");
    perf_expect(answer, "/fallbacks/1/operation_id", "43");
    perf_expect(answer, "/fallbacks/1/signal", "\"retry_after_failure\"");
    perf_expect(answer, "/fallbacks/2/operation_id", "45");
    perf_expect(answer, "/fallbacks/3/operation_id", "50");
    perf_expect(answer, "/fallbacks/3/failed_operation_id", "49");
    yyjson_doc_free(answer);
}

/* None found for want of a column is not none. */
static void test_missing_columns(void **state)
{
    (void)state;
    asked_in_dram(1, "first", CONFIG("L1"));
    yyjson_doc *answer = ask("dram_fallbacks", "{}");
    perf_expect(answer, "/fallback_count", "1");
    assert_false(perf_has(answer, "/caveat"));
    yyjson_doc_free(answer);
    operation_database_run(db, "ALTER TABLE operation_arguments RENAME COLUMN value TO text;"
                               "ALTER TABLE tensors RENAME COLUMN buffer_type TO memory;"
                               "ALTER TABLE errors RENAME COLUMN operation_name TO error_operation;"
                               "ALTER TABLE errors RENAME COLUMN error_message TO text");
    answer = ask("dram_fallbacks", "{}");
    perf_expect(answer, "/fallback_count", "0");
    perf_expect(answer, "/caveat",
                "\"Fewer fallbacks can be told: the table operation_arguments lacks its column value. "
                "Fewer fallbacks can be told: the table tensors lacks its column buffer_type. "
                "Fewer fallbacks can be told: the table errors lacks its column error_message.\"");
    yyjson_doc_free(answer);
}

/* Places on the devices of a mesh that may be another rank's are nobody's: by them the output would be a view. */
static void test_device_tensors_without_ranks(void **state)
{
    (void)state;
    operation_database_run(
        db, ERRORS(", rank int")
                ARGUMENTS(", rank int") "CREATE TABLE device_tensors(tensor_id int, device_id int, address int);"
                                        "INSERT INTO device_tensors VALUES(5,0,300),(6,0,300)");
    operation_database_add(db, 0, 1, "x", NULL);
    operation_database_add(db, 1, 1, "x", NULL);
    operation_database_run(
        db, "INSERT INTO operation_arguments VALUES(1,'memory_config'," CONFIG(
                "L1") ",0);"
                      "INSERT INTO tensors VALUES(5,'Shape([8])','','',NULL,0,100,0,0),"
                      "(6,'Shape([8])','','',NULL,0,200,0,0);"
                      "INSERT INTO input_tensors VALUES(1,0,5,0); INSERT INTO output_tensors VALUES(1,0,6,0)");
    yyjson_doc *answer = ask("dram_fallbacks", "{}");
    perf_expect(answer, "/fallback_count", "1");
    expect_caveat(answer, "the table device_tensors carries no rank");
    yyjson_doc_free(answer);
    answer = detail(1);
    perf_expect(answer, "/dram_fallback/signal", "\"argument_mismatch\"");
    expect_caveat(answer, "dram_fallback does not compare addresses on the devices of a mesh");
    yyjson_doc_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAILURE_CASE(test_arguments),
        FAILURE_CASE(test_views),
        FAILURE_CASE(test_retries),
        FAILURE_CASE(test_missing_columns),
        RANKED_CASE(test_device_tensors_without_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
