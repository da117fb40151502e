#include "support/operation_database.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "support/graph_text.h"
#include "support/profiler_database.h"

#define TABLES(rank)                                                                                                   \
    "CREATE TABLE operations(operation_id int, name text, duration float" rank ");"                                    \
    "CREATE TABLE captured_graph(operation_id int, captured_graph text" rank ");"                                      \
    "CREATE TABLE buffers(operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int" rank   \
    ");"                                                                                                               \
    "CREATE TABLE tensors(tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, "     \
    "address int, buffer_type int" rank ");"                                                                           \
    "CREATE TABLE input_tensors(operation_id int, input_index int, tensor_id int" rank ");"                            \
    "CREATE TABLE output_tensors(operation_id int, output_index int, tensor_id int" rank ");"                          \
    "CREATE TABLE devices(device_id int, worker_l1_size int, l1_bank_size int, address_at_first_l1_cb_buffer int" rank \
    ");"

const char operation_database_plain[] = TABLES("");
const char operation_database_ranked[] = TABLES(", rank int NOT NULL DEFAULT 0");

sqlite3 *operation_database_make(const struct perf_bench *bench, const char *name, const char *sql)
{
    char path[256];
    assert_true((size_t)snprintf(path, sizeof path, "%s/%s", bench->folder, name) < sizeof path);
    mkdir(path, 0700);
    assert_true((size_t)snprintf(path, sizeof path, "%s/%s/db.sqlite", bench->folder, name) < sizeof path);
    return profiler_database_open(path, sql);
}

void operation_database_run(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", message, sql);
}

static void insert(sqlite3 *db, const char *sql, int rank, int id, struct ts_str text)
{
    sqlite3_stmt *stmt;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    sqlite3_bind_int(stmt, 1, id);
    sqlite3_bind_text64(stmt, 2, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8);
    if (rank >= 0)
        sqlite3_bind_int(stmt, 3, rank);
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
    sqlite3_finalize(stmt);
}

void operation_database_add(sqlite3 *db, int rank, int id, const char *name, const char *nodes)
{
    insert(db,
           rank >= 0 ? "INSERT INTO operations VALUES(?1, ?2, 0.5, ?3)" : "INSERT INTO operations VALUES(?1, ?2, 0.5)",
           rank, id, ts_str_from(name));
    if (!nodes)
        return;
    struct ts_buf json;
    ts_buf_init(&json, 0);
    if (nodes[0] == '[')
        ts_buf_text(&json, nodes);
    else
        graph_text_json(&json, nodes);
    insert(db,
           rank >= 0 ? "INSERT INTO captured_graph VALUES(?1, ?2, ?3)" : "INSERT INTO captured_graph VALUES(?1, ?2)",
           rank, id, ts_buf_view(&json));
    ts_buf_free(&json);
}
