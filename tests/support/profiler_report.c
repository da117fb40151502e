#include "support/profiler_report.h"

#include <stdio.h>

#include "support/profiler_database.h"

#define TABLES(rank)                                                                                                   \
    "BEGIN; CREATE TABLE operations (operation_id int, name text, duration float" rank ");"                            \
    "CREATE TABLE operation_arguments (operation_id int, name text, value text" rank ");"                              \
    "CREATE TABLE tensors (tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int,"     \
    " address int, buffer_type int" rank ");"                                                                          \
    "CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int" rank ");"                           \
    "CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int" rank ");"                         \
    "CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int" rank  \
    ");"                                                                                                               \
    "CREATE TABLE devices (device_id int, worker_l1_size int, l1_num_banks int, l1_bank_size int,"                     \
    " address_at_first_l1_cb_buffer int, num_compute_cores int, total_l1_for_tensors int" rank ");"                    \
    "CREATE TABLE captured_graph (operation_id int, captured_graph text" rank ");"                                     \
    "CREATE TABLE stack_traces (operation_id int, stack_trace text" rank ");"                                          \
    "CREATE TABLE errors (operation_id int, operation_name text, error_type text, error_message text,"                 \
    " stack_trace text, timestamp text" rank ");"

#define SHARDED(spec) "MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,shard_spec=ShardSpec" spec ")"
#define ROWS(rank)                                                                                                     \
    "INSERT INTO operations VALUES (1,'ttnn.matmul',0.5" rank "),(2,NULL,NULL" rank "),(3,'ttnn.add',1" rank ");"      \
    "INSERT INTO operation_arguments VALUES (1,'0',printf('%600d',1)" rank "),(1,NULL,NULL" rank "),(1,'k','v'" rank   \
    ");"                                                                                                               \
    "INSERT INTO tensors VALUES (1,'Shape([1])','BF16','TILE','MemoryConfig(memory_layout=X,shard_spec=std::nullopt)'" \
    ",0,100,1" rank "),(2,NULL,NULL,NULL,NULL,NULL,NULL,NULL" rank "),(3,'a','b','c','" SHARDED(                       \
        "(grid={[(x=0,y=0) - "                                                                                         \
        "(x=1,y=1)]},shape={"                                                                                          \
        "1, "                                                                                                          \
        "2},orientation="                                                                                              \
        "ShardOrientation::"                                                                                           \
        "ROW_MAJOR,halo=0)") "',0,200,'L1'" rank                                                                       \
                             "),(4,'a','b','c','" SHARDED("(grid={[(x=0,y=0) - "                                       \
                                                          "(x=1,y=1)]},shape={1,2},"                                   \
                                                          "orientation=ShardOrientation::X,"                           \
                                                          "mode=ShardMode::M,"                                         \
                                                          "physical_shard_shape=std::"                                 \
                                                          "nullopt)") "',0,NULL,0" rank "),(5,'a','b','c',"            \
                                                                      "'" SHARDED("{grid=[{"                           \
                                                                                  "\"start\":{\"x\":"                  \
                                                                                  "0,\"y\":0},"                        \
                                                                                  "\"end\":{\"x\":7,"                  \
                                                                                  "\"y\":7}], "                        \
                                                                                  "shape=[64, 32], "                   \
                                                                                  "orientation="                       \
                                                                                  "ShardOrientation:"                  \
                                                                                  ":COL_MAJOR}") "',"                  \
                                                                                                 "0,"                  \
                                                                                                 "30"                  \
                                                                                                 "0,"                  \
                                                                                                 "9" rank ");"         \
                                                                                                 "IN"                  \
                                                                                                 "SE"                  \
                                                                                                 "RT"                  \
                                                                                                 " I"                  \
                                                                                                 "NT"                  \
                                                                                                 "O "                  \
                                                                                                 "in"                  \
                                                                                                 "pu"                  \
                                                                                                 "t_"                  \
                                                                                                 "te"                  \
                                                                                                 "ns"                  \
                                                                                                 "or"                  \
                                                                                                 "s "                  \
                                                                                                 "VA"                  \
                                                                                                 "LU"                  \
                                                                                                 "ES"                  \
                                                                                                 " "                   \
                                                                                                 "(1"                  \
                                                                                                 ",0"                  \
                                                                                                 ","                   \
                                                                                                 "1" rank "),"         \
                                                                                                 "(3"                  \
                                                                                                 ",0"                  \
                                                                                                 ","                   \
                                                                                                 "1" rank "),"         \
                                                                                                 "(3"                  \
                                                                                                 ",1"                  \
                                                                                                 ",7"                  \
                                                                                                 "7" rank ");"         \
                                                                                                 "IN"                  \
                                                                                                 "SE"                  \
                                                                                                 "RT"                  \
                                                                                                 " I"                  \
                                                                                                 "NT"                  \
                                                                                                 "O "                  \
                                                                                                 "ou"                  \
                                                                                                 "tp"                  \
                                                                                                 "ut"                  \
                                                                                                 "_t"                  \
                                                                                                 "en"                  \
                                                                                                 "so"                  \
                                                                                                 "rs"                  \
                                                                                                 " V"                  \
                                                                                                 "AL"                  \
                                                                                                 "UE"                  \
                                                                                                 "S "                  \
                                                                                                 "(1"                  \
                                                                                                 ",0"                  \
                                                                                                 ","                   \
                                                                                                 "3" rank "),"         \
                                                                                                 "(3"                  \
                                                                                                 ",0"                  \
                                                                                                 ","                   \
                                                                                                 "1" rank "),"         \
                                                                                                 "(9"                  \
                                                                                                 ",0"                  \
                                                                                                 ","                   \
                                                                                                 "1" rank ");"         \
                                                                                                 "IN"                  \
                                                                                                 "SE"                  \
                                                                                                 "RT"                  \
                                                                                                 " I"                  \
                                                                                                 "NT"                  \
                                                                                                 "O "                  \
                                                                                                 "bu"                  \
                                                                                                 "ff"                  \
                                                                                                 "er"                  \
                                                                                                 "s "                  \
                                                                                                 "VA"                  \
                                                                                                 "LU"                  \
                                                                                                 "ES"                  \
                                                                                                 " "                   \
                                                                                                 "(1"                  \
                                                                                                 ",0"                  \
                                                                                                 ",1"                  \
                                                                                                 "00"                  \
                                                                                                 ",6"                  \
                                                                                                 "4,"                  \
                                                                                                 "1" rank "),"         \
                                                                                                 "(2"                  \
                                                                                                 ",0"                  \
                                                                                                 ",1"                  \
                                                                                                 "00"                  \
                                                                                                 ",6"                  \
                                                                                                 "4,"                  \
                                                                                                 "1" rank "),"         \
                                                                                                 "(1"                  \
                                                                                                 ",1"                  \
                                                                                                 ",2"                  \
                                                                                                 "00"                  \
                                                                                                 ",3"                  \
                                                                                                 "2,"                  \
                                                                                                 "'"                   \
                                                                                                 "L1"                  \
                                                                                                 "'" rank ")"          \
                                                                                                 ",("                  \
                                                                                                 "3,"                  \
                                                                                                 "0,"                  \
                                                                                                 "10"                  \
                                                                                                 "0,"                  \
                                                                                                 "NU"                  \
                                                                                                 "LL"                  \
                                                                                                 ","                   \
                                                                                                 "3" rank "),"         \
                                                                                                 "(3"                  \
                                                                                                 ",0"                  \
                                                                                                 ",0"                  \
                                                                                                 ",7"                  \
                                                                                                 ","                   \
                                                                                                 "0" rank "),"         \
                                                                                                 "(9"                  \
                                                                                                 ",0"                  \
                                                                                                 ",0"                  \
                                                                                                 ",7"                  \
                                                                                                 ",'"                  \
                                                                                                 "od"                  \
                                                                                                 "d"                   \
                                                                                                 "'" rank "),"         \
                                                                                                 "('"                  \
                                                                                                 "x'"                  \
                                                                                                 ",0"                  \
                                                                                                 ",0"                  \
                                                                                                 ",1"                  \
                                                                                                 ","                   \
                                                                                                 "1" rank ");"         \
                                                                                                 "IN"                  \
                                                                                                 "SE"                  \
                                                                                                 "RT"                  \
                                                                                                 " I"                  \
                                                                                                 "NT"                  \
                                                                                                 "O "                  \
                                                                                                 "de"                  \
                                                                                                 "vi"                  \
                                                                                                 "ce"                  \
                                                                                                 "s "                  \
                                                                                                 "VA"                  \
                                                                                                 "LU"                  \
                                                                                                 "ES"                  \
                                                                                                 " "                   \
                                                                                                 "(0"                  \
                                                                                                 ",1"                  \
                                                                                                 "49"                  \
                                                                                                 "91"                  \
                                                                                                 "36"                  \
                                                                                                 ",6"                  \
                                                                                                 "4,"                  \
                                                                                                 "10"                  \
                                                                                                 "00"                  \
                                                                                                 ",5"                  \
                                                                                                 "0,"                  \
                                                                                                 "64"                  \
                                                                                                 ","                   \
                                                                                                 "0" rank "),"         \
                                                                                                 "(1"                  \
                                                                                                 ",0"                  \
                                                                                                 ",0"                  \
                                                                                                 ",0"                  \
                                                                                                 ",0"                  \
                                                                                                 ",0"                  \
                                                                                                 ","                   \
                                                                                                 "0" rank ");"         \
                                                                                                 "IN"                  \
                                                                                                 "SE"                  \
                                                                                                 "RT"                  \
                                                                                                 " I"                  \
                                                                                                 "NT"                  \
                                                                                                 "O "                  \
                                                                                                 "st"                  \
                                                                                                 "ac"                  \
                                                                                                 "k_"                  \
                                                                                                 "tr"                  \
                                                                                                 "ac"                  \
                                                                                                 "es"                  \
                                                                                                 " V"                  \
                                                                                                 "AL"                  \
                                                                                                 "UE"                  \
                                                                                                 "S "                  \
                                                                                                 "(1"                  \
                                                                                                 ",'"                  \
                                                                                                 "Fi"                  \
                                                                                                 "le"                  \
                                                                                                 " "                   \
                                                                                                 "\""                  \
                                                                                                 "a"                   \
                                                                                                 "\""                  \
                                                                                                 ", "                  \
                                                                                                 "li"                  \
                                                                                                 "ne"                  \
                                                                                                 " "                   \
                                                                                                 "1,"                  \
                                                                                                 " i"                  \
                                                                                                 "n "                  \
                                                                                                 "f'"                  \
                                                                                                 " |"                  \
                                                                                                 "| "                  \
                                                                                                 "ch"                  \
                                                                                                 "ar"                  \
                                                                                                 "(1"                  \
                                                                                                 "0)"                  \
                                                                                                 " "                   \
                                                                                                 "||"                  \
                                                                                                 " '"                  \
                                                                                                 " c"                  \
                                                                                                 "od"                  \
                                                                                                 "e'"                  \
                                                                                                 " |"                  \
                                                                                                 "| "                  \
                                                                                                 "ch"                  \
                                                                                                 "ar"                  \
                                                                                                 "(1"                  \
                                                                                                 "0)"                  \
                                                                                                 " |"                  \
                                                                                                 "| "                  \
                                                                                                 "'F"                  \
                                                                                                 "il"                  \
                                                                                                 "e "                  \
                                                                                                 "\""                  \
                                                                                                 "b"                   \
                                                                                                 "\""                  \
                                                                                                 ", "                  \
                                                                                                 "li"                  \
                                                                                                 "ne"                  \
                                                                                                 " "                   \
                                                                                                 "2,"                  \
                                                                                                 " i"                  \
                                                                                                 "n "                  \
                                                                                                 "g"                   \
                                                                                                 "'" rank "),"         \
                                                                                                 "(3"                  \
                                                                                                 ",'"                  \
                                                                                                 " -"                  \
                                                                                                 "--"                  \
                                                                                                 " "                   \
                                                                                                 "na"                  \
                                                                                                 "ti"                  \
                                                                                                 "ve"                  \
                                                                                                 "'" rank ");"         \
                                                                                                 "IN"                  \
                                                                                                 "SE"                  \
                                                                                                 "RT"                  \
                                                                                                 " I"                  \
                                                                                                 "NT"                  \
                                                                                                 "O "                  \
                                                                                                 "ca"                  \
                                                                                                 "pt"                  \
                                                                                                 "ur"                  \
                                                                                                 "ed"                  \
                                                                                                 "_g"                  \
                                                                                                 "ra"                  \
                                                                                                 "ph"                  \
                                                                                                 " V"                  \
                                                                                                 "AL"                  \
                                                                                                 "UE"                  \
                                                                                                 "S "                  \
                                                                                                 "(1"                  \
                                                                                                 ",'"                  \
                                                                                                 "[]"                  \
                                                                                                 "'" rank ");"

const char profiler_report_usual[] = TABLES("") ROWS("") "COMMIT";
const char profiler_report_ranked[] = TABLES(", rank int") ROWS(", 0") ROWS(", 1") "COMMIT";
const char profiler_report_bare[] =
    "BEGIN; CREATE TABLE operations (operation_id int); CREATE TABLE buffers (operation_id int);"
    "CREATE TABLE operation_arguments (operation_id int); CREATE TABLE tensors (tensor_id int);"
    "CREATE TABLE input_tensors (operation_id int, tensor_id int); CREATE TABLE output_tensors (operation_id, tensor_id);"
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
