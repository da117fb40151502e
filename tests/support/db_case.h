/* Cases of a test that opens profiler databases of its own making. Include it first: it holds what cmocka wants before it. */
#ifndef TS_TESTS_DB_CASE_H
#define TS_TESTS_DB_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "formats/profiler_db.h"
#include "support/profiler_database.h"
#include "support/scratch.h"

/* Of the case that runs: db is the last that was opened, or NULL. */
static struct scratch scratch;
static struct ts_context context;
static struct ts_error error;
static struct ts_db *db;

static inline int db_case_begin(void **state)
{
    (void)state;
    scratch_create(&scratch);
    ts_context_init(&context);
    db = NULL;
    return 0;
}

static inline int db_case_end(void **state)
{
    (void)state;
    ts_db_close(db);
    scratch_destroy(&scratch);
    return 0;
}

#define DB_CASE(test) cmocka_unit_test_setup_teardown(test, db_case_begin, db_case_end)

/* ---- databases ---- */

/* A database made by statements, below the scratch folder; its path. */
static inline const char *make(const char *name, const char *sql)
{
    const char *path = scratch_path(&scratch, name);
    profiler_database_run(path, sql);
    return path;
}

/* Open the one at path as db, instead of what db was. */
static inline void open_at(const char *path)
{
    ts_db_close(db);
    db = NULL;
    if (ts_db_open(&context, path, &db, &error) != TS_OK)
        fail_msg("%s", error.message);
}

/* Make one and open it. */
static inline void open_sql(const char *sql)
{
    static unsigned number;
    char name[32];
    snprintf(name, sizeof name, "%u.sqlite", number++);
    open_at(make(name, sql));
}

/* ---- rows of db ---- */

static inline struct ts_db_rows *select_rows(const struct ts_db_select *select)
{
    struct ts_db_rows *rows;
    assert_int_equal(ts_db_rows_open(db, select, &rows, &error), TS_OK);
    return rows;
}

static inline bool next(struct ts_db_rows *rows)
{
    bool more = false;
    if (ts_db_next(rows, &more, &error) != TS_OK)
        fail_msg("%s", error.message);
    return more;
}

/* The ids of the rows that are selected, as "1 2 3". */
static inline void expect_ids(const struct ts_db_select *select, const char *expected)
{
    char list[256] = "";
    struct ts_db_rows *rows = select_rows(select);
    while (next(rows)) {
        int64_t id = -1;
        ts_db_integer(rows, 0, &id);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%d", *list ? " " : "", (int)id);
    }
    ts_db_rows_close(rows);
    assert_string_equal(list, expected);
}

#endif
