#include "support/profiler_database.h"

#include <stdio.h>
#include <stdlib.h>

static void check(sqlite3 *db, int result, const char *sql)
{
    if (result == SQLITE_OK)
        return;
    fprintf(stderr, "%s: %s\n", sqlite3_errmsg(db), sql);
    abort();
}

sqlite3 *profiler_database_open(const char *path, const char *sql)
{
    sqlite3 *db;
    check(NULL, sqlite3_open(path, &db), path);
    check(db, sqlite3_exec(db, sql, NULL, NULL, NULL), sql);
    return db;
}

void profiler_database_run(const char *path, const char *sql)
{
    sqlite3_close(profiler_database_open(path, sql));
}
