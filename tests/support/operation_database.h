/* Profiler databases of operations with captured graphs, for tests. */
#ifndef TS_TESTS_OPERATION_DATABASE_H
#define TS_TESTS_OPERATION_DATABASE_H

#include <sqlite3.h>

#include "support/perf_capture.h"

/* The tables that operation_detail reads, with captured_graph and devices; ranked: each with a rank. */
extern const char operation_database_plain[], operation_database_ranked[];

/* Make FOLDER/name/db.sqlite out of statements, and leave it open for the caller to close with sqlite3_close. */
sqlite3 *operation_database_make(const struct perf_bench *bench, const char *name, const char *sql);
/* Run more statements. */
void operation_database_run(sqlite3 *db, const char *sql);
/* An operation, and its graph in the short hand of graph_text.h (NULL: none) or as JSON (begins with '['). rank negative: the
 * tables have none. */
void operation_database_add(sqlite3 *db, int rank, int id, const char *name, const char *nodes);

#endif
