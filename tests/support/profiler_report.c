#include "support/profiler_report.h"

#include <stdio.h>

#include "support/profiler_database.h"

#define HEIGHT_SHARDED "MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,shard_spec=ShardSpec"
#define USUAL                                                                                                          \
    "CREATE TABLE operations (operation_id int, name text, duration float);"                                           \
    "CREATE TABLE operation_arguments (operation_id int, name text, value text);"                                      \
    "CREATE TABLE tensors (tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int,"     \
    " address int, buffer_type int);"                                                                                  \
    "CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int);"                                   \
    "CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int);"                                 \
    "CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int);"     \
    "CREATE TABLE devices (device_id int, worker_l1_size int, l1_num_banks int, l1_bank_size int,"                     \
    " address_at_first_l1_cb_buffer int, num_compute_cores int, total_l1_for_tensors int);"                            \
    "CREATE TABLE captured_graph (operation_id int, captured_graph text);"                                             \
    "CREATE TABLE stack_traces (operation_id int, stack_trace text);"                                                  \
    "CREATE TABLE errors (operation_id int, operation_name text, error_type text, error_message text,"                 \
    " stack_trace text, timestamp text);"                                                                              \
    "INSERT INTO operations VALUES (1,'ttnn.matmul',0.5),(2,NULL,NULL),(3,'ttnn.add',1);"                              \
    "INSERT INTO operation_arguments VALUES (1,'0',printf('%600d',1)),(1,NULL,NULL),(1,'k','v');"                      \
    "INSERT INTO tensors VALUES "                                                                                      \
    "(1,'Shape([1])','BF16','TILE','MemoryConfig(memory_layout=X,shard_spec=std::nullopt)',0,100,1),"                  \
    "(2,NULL,NULL,NULL,NULL,NULL,NULL,NULL),"                                                                          \
    "(3,'a','b','c','" HEIGHT_SHARDED "(grid={[(x=0,y=0) - (x=1,y=1)]},shape={1, 2},"                                  \
    "orientation=ShardOrientation::ROW_MAJOR,halo=0))',0,200,'L1'),"                                                   \
    "(4,'a','b','c','" HEIGHT_SHARDED "(grid={[(x=0,y=0) - (x=1,y=1)]},shape={1,2},"                                   \
    "orientation=ShardOrientation::X,mode=ShardMode::M,physical_shard_shape=std::nullopt))',0,NULL,0),"                \
    "(5,'a','b','c','" HEIGHT_SHARDED                                                                                  \
    "{grid=[{\"start\":{\"x\":0,\"y\":0},\"end\":{\"x\":7,\"y\":7}], shape=[64, 32], "                                 \
    "orientation=ShardOrientation::COL_MAJOR})',0,300,9);"                                                             \
    "INSERT INTO input_tensors VALUES (1,0,1),(3,0,1),(3,1,77);"                                                       \
    "INSERT INTO output_tensors VALUES (1,0,3),(3,0,1),(9,0,1);"                                                       \
    "INSERT INTO buffers VALUES (1,0,100,64,1),(2,0,100,64,1),(1,1,200,32,'L1'),(3,0,100,NULL,3),(3,0,0,7,0),"         \
    "(9,0,0,7,'odd'),('x',0,0,1,1);"                                                                                   \
    "INSERT INTO devices VALUES (0,1499136,64,1000,50,64,0),(1,0,0,0,0,0,0);"                                          \
    "INSERT INTO stack_traces VALUES (1,'File \"a\", line 1, in f' || char(10) || ' code' || char(10) || "             \
    "'File \"b\", line 2, in g'),(3,' --- native');"                                                                   \
    "INSERT INTO captured_graph VALUES (1,'[]');"
/* A table whose rows stand there once for rank 0 and once more, behind those, for rank 1. */
#define RANKED(table)                                                                                                  \
    "ALTER TABLE " table " ADD COLUMN rank int; UPDATE " table " SET rank = 0;"                                        \
    "CREATE TEMP TABLE other AS SELECT * FROM " table "; UPDATE other SET rank = 1;"                                   \
    "INSERT INTO " table " SELECT * FROM other; DROP TABLE other;"

const char profiler_report_usual[] = "BEGIN;" USUAL "COMMIT";
const char profiler_report_ranked[] = "BEGIN;" USUAL RANKED("operations") RANKED("operation_arguments")
    RANKED("tensors") RANKED("input_tensors") RANKED("output_tensors") RANKED("buffers") RANKED("devices")
        RANKED("captured_graph") RANKED("stack_traces") RANKED("errors") "COMMIT";
const char profiler_report_bare[] =
    "BEGIN; CREATE TABLE operations (operation_id int); CREATE TABLE buffers (operation_id int);"
    "CREATE TABLE operation_arguments (operation_id int); CREATE TABLE tensors (tensor_id int);"
    "CREATE TABLE input_tensors (operation_id int, tensor_id int); CREATE TABLE output_tensors (operation_id, "
    "tensor_id);"
    "INSERT INTO operations VALUES (1); INSERT INTO buffers VALUES (1); INSERT INTO operation_arguments VALUES (1);"
    "INSERT INTO tensors VALUES (1); INSERT INTO input_tensors VALUES (1, 1); COMMIT";

unsigned profiler_report_open(struct perf_bench *bench, const char *name, const char *sql)
{
    char path[512];
    snprintf(path, sizeof path, "%s/db.sqlite", name);
    perf_bench_write(bench, path, "");
    snprintf(path, sizeof path, "%s/%s/db.sqlite", bench->folder, name);
    profiler_database_run(path, sql);
    return perf_bench_open_pair(bench, name, NULL);
}
