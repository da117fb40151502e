/* How SQLite reaches the files of one profiler database: through the one function that opens captures' files, for reading
 * alone. Nothing is created, written, removed or mapped, whatever state the database was left in. */
#ifndef TS_FORMATS_PROFILER_DB_VFS_H
#define TS_FORMATS_PROFILER_DB_VFS_H

#include <sqlite3.h>

#include "base/file.h"

/* How long a database that a writer holds is waited for, in steps. */
enum { TS_DB_VFS_LOCK_STEP_MS = 5, TS_DB_VFS_LOCK_STEPS = 200 };

/* Of one connection; registered with SQLite under a name of its own, so that it can hold the connection's context. Must stay
 * where it is while registered. */
struct ts_db_vfs {
    sqlite3_vfs vfs;
    char name[40];
    struct ts_context *context;
    struct ts_error problem; /* why a file could not be opened or read; code TS_OK: no problem so far */
};

/* Errors: TS_INTERNAL. */
enum ts_status ts_db_vfs_register(struct ts_db_vfs *vfs, struct ts_context *context, struct ts_error *error);
void ts_db_vfs_unregister(struct ts_db_vfs *vfs);

#endif
