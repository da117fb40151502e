#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/utf8.h"
#include "formats/profiler_db_internal.h"

enum {
    OPEN_TRIES = 3,      /* of a database that changes while it is being opened */
    CHECK_EVERY = 20000, /* steps of SQLite's machine: well below 50 ms */
    STATEMENTS_KEPT = 24,
};

static const char *const table_names[TS_DB_TABLES] = {
    [TS_DB_OPERATIONS] = "operations",
    [TS_DB_OPERATION_ARGUMENTS] = "operation_arguments",
    [TS_DB_TENSORS] = "tensors",
    [TS_DB_DEVICE_TENSORS] = "device_tensors",
    [TS_DB_INPUT_TENSORS] = "input_tensors",
    [TS_DB_OUTPUT_TENSORS] = "output_tensors",
    [TS_DB_BUFFERS] = "buffers",
    [TS_DB_DEVICES] = "devices",
    [TS_DB_CAPTURED_GRAPH] = "captured_graph",
    [TS_DB_STACK_TRACES] = "stack_traces",
    [TS_DB_ERRORS] = "errors",
};

const char *ts_db_table_name(enum ts_db_table table)
{
    return table_names[table];
}

/* ---- identity ---- */

/* A write-ahead log is part of the database: what it holds is read, and a new one makes it another database. */
static enum ts_status add_log(struct ts_context *context, const char *path, struct ts_identity *identity, bool *has_log,
                              struct ts_error *error)
{
    struct ts_identity log;
    bool found = false;
    struct ts_buf name;
    ts_buf_init(&name, 0);
    ts_buf_printf(&name, "%s-wal", path);
    enum ts_status status = ts_buf_status(&name, error);
    if (status == TS_OK)
        status = ts_file_identity(context, name.ptr, &log, &found, error);
    *has_log = status == TS_OK && found && log.size > 0;
    if (*has_log)
        identity->ctime_ns ^= (int64_t)ts_hash(&log, sizeof log, 0x77616c);
    ts_buf_free(&name);
    return status;
}

static enum ts_status identify(struct ts_context *context, const char *path, struct ts_identity *identity, bool *found,
                               bool *has_log, struct ts_error *error)
{
    struct ts_identity now;
    bool there;
    *has_log = false;
    enum ts_status status = ts_file_identity(context, path, &now, &there, error);
    if (status == TS_OK && there)
        status = add_log(context, path, &now, has_log, error);
    if (status != TS_OK)
        return status;
    *identity = now;
    *found = there;
    return TS_OK;
}

enum ts_status ts_db_identity(struct ts_context *context, const char *path, struct ts_identity *identity, bool *found,
                              struct ts_error *error)
{
    bool has_log;
    return identify(context, path, identity, found, &has_log, error);
}

const struct ts_identity *ts_db_read_identity(const struct ts_db *db)
{
    return &db->identity;
}

static enum ts_status changed(const char *path, struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_CHANGED,
                        "%s: the database changed while it was being read; ask again when it is at rest",
                        ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE));
}

enum ts_status ts_db_unchanged(struct ts_db *db, struct ts_error *error)
{
    struct ts_identity now;
    bool found;
    enum ts_status status = ts_db_identity(db->context, db->path, &now, &found, error);
    if (status == TS_OK && !(found && ts_identity_equal(&now, &db->identity)))
        status = changed(db->path, error);
    return status;
}

/* ---- errors ---- */

static enum ts_status damaged(struct ts_db *db, int result, const char *name, const char *what, struct ts_error *error)
{
    struct ts_quote reason;
    bool told = (sqlite3_errcode(db->handle) & 0xff) == (result & 0xff);
    const char *text = told ? sqlite3_errmsg(db->handle) : sqlite3_errstr(result);
    return ts_error_set(error, TS_INPUT,
                        "%s%s%s: the database is damaged (%s); copy it again from where it was recorded", name,
                        what ? ": " : "", what ? what : "", ts_error_quote(&reason, ts_str_from(text), TS_QUOTE_FILE));
}

/* What became of a file that SQLite could not open or read. */
static enum ts_status file_failed(struct ts_db *db, int result, const char *name, struct ts_error *error)
{
    if (db->vfs.problem.code) {
        if (error)
            *error = db->vfs.problem;
        return db->vfs.problem.code;
    }
    return ts_error_set(error, TS_IO, "%s: cannot be read: %s", name, sqlite3_errstr(result));
}

/* Somebody asked to stop, or the time is up. */
static enum ts_status stopped(struct ts_db *db, struct ts_error *error)
{
    if (error)
        *error = db->stopped;
    return db->stopped.code;
}

/* What SQLite makes of a file that changes under it: a log cut short cannot be read, pages do not fit together. */
static bool may_have_changed(int result)
{
    switch (result & 0xff) {
    case SQLITE_NOMEM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_INTERRUPT:
        return false;
    default:
        return true;
    }
}

enum ts_status ts_db_failed(struct ts_db *db, int result, const char *what, struct ts_error *error)
{
    struct ts_quote quote;
    if (db->found && may_have_changed(result) && ts_db_unchanged(db, error) == TS_CHANGED)
        return TS_CHANGED;
    const char *name = ts_error_quote(&quote, ts_str_from(db->path), TS_QUOTE_FILE);
    if (result == SQLITE_READONLY_ROLLBACK || result == SQLITE_READONLY_RECOVERY)
        return ts_error_set(
            error, TS_INPUT,
            "%s: a write to the database was interrupted, and its journal lies beside it; open it once with "
            "sqlite3 where it was recorded, then copy it again",
            name);
    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return ts_error_no_memory(error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        if (db->stopped.code)
            return stopped(db, error);
        return ts_error_set(error, TS_BUSY,
                            "%s: the database is locked by a program that writes to it; try again when it is done",
                            name);
    case SQLITE_INTERRUPT:
        if (db->stopped.code)
            return stopped(db, error);
        break;
    case SQLITE_NOTADB:
        return ts_error_set(
            error, TS_INPUT,
            "%s: is not an SQLite database, or is encrypted; expected the db.sqlite of a profiler report", name);
    case SQLITE_TOOBIG:
        return ts_error_set(error, TS_LIMIT, "%s%s%s: a value is larger than %zu MiB", name, what ? ": " : "",
                            what ? what : "", TS_LIMIT_DB_VALUE / TS_MIB);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
        return file_failed(db, result, name, error);
    default:
        break;
    }
    return damaged(db, result, name, what, error);
}

/* ---- statements ---- */

static struct ts_db_statement *find_statement(struct ts_db *db, const char *sql)
{
    for (size_t i = 0; i < db->statements.count; i++) {
        struct ts_db_statement *statement = &db->statements.items[i];
        if (!statement->in_use && strcmp(statement->sql, sql) == 0)
            return statement;
    }
    return NULL;
}

enum ts_status ts_db_prepare(struct ts_db *db, const char *sql, sqlite3_stmt **out, struct ts_error *error)
{
    struct ts_db_statement *kept = find_statement(db, sql);
    if (kept) {
        kept->in_use = true;
        *out = kept->stmt;
        return TS_OK;
    }
    struct ts_db_statement statement = {.sql = strdup(sql), .in_use = true};
    if (!statement.sql || !ts_vec_reserve(&db->statements, 1)) {
        free(statement.sql);
        return ts_error_no_memory(error);
    }
    int result = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_NO_VTAB, &statement.stmt, NULL);
    if (result != SQLITE_OK) {
        free(statement.sql);
        return ts_db_failed(db, result, NULL, error);
    }
    ts_vec_push(&db->statements, statement);
    *out = statement.stmt;
    return TS_OK;
}

static void drop_statement(struct ts_db *db, size_t index)
{
    sqlite3_finalize(db->statements.items[index].stmt);
    free(db->statements.items[index].sql);
    db->statements.items[index] = db->statements.items[--db->statements.count];
}

void ts_db_statement_done(struct ts_db *db, sqlite3_stmt *stmt)
{
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
    for (size_t i = 0; i < db->statements.count; i++) {
        if (db->statements.items[i].stmt != stmt)
            continue;
        db->statements.items[i].in_use = false;
        if (db->statements.count > STATEMENTS_KEPT)
            drop_statement(db, i);
        return;
    }
}

/* ---- what is there ---- */

bool ts_db_has_table(const struct ts_db *db, enum ts_db_table table)
{
    return db->tables[table].exists;
}

int ts_db_column_place(const struct ts_db *db, enum ts_db_table table, const char *name)
{
    const struct ts_db_columns *columns = &db->tables[table];
    for (size_t i = 0; i < columns->names.count; i++)
        if (strcasecmp(columns->names.items[i], name) == 0)
            return (int)i;
    return -1;
}

bool ts_db_has_column(const struct ts_db *db, enum ts_db_table table, const char *column)
{
    return ts_db_column_place(db, table, column) >= 0;
}

const char *ts_db_missing_key(const struct ts_db *db, enum ts_db_table table)
{
    static const char *const keys[TS_DB_TABLES][2] = {
        [TS_DB_OPERATIONS] = {"operation_id"},
        [TS_DB_OPERATION_ARGUMENTS] = {"operation_id"},
        [TS_DB_TENSORS] = {"tensor_id"},
        [TS_DB_INPUT_TENSORS] = {"operation_id", "tensor_id"},
        [TS_DB_OUTPUT_TENSORS] = {"operation_id", "tensor_id"},
        [TS_DB_BUFFERS] = {"operation_id"},
        [TS_DB_CAPTURED_GRAPH] = {"operation_id"},
        [TS_DB_STACK_TRACES] = {"operation_id"},
        [TS_DB_ERRORS] = {"operation_id"},
    };
    for (size_t i = 0; i < 2 && keys[table][i] && ts_db_has_table(db, table); i++)
        if (!ts_db_has_column(db, table, keys[table][i]))
            return keys[table][i];
    return NULL;
}

bool ts_db_usable(const struct ts_db *db, enum ts_db_table table, struct ts_buf *missing)
{
    const char *key = ts_db_missing_key(db, table);
    bool there = ts_db_has_table(db, table);
    if (missing && (!there || key))
        ts_buf_printf(missing, "%s%s", missing->len > 0 ? ", " : "", table_names[table]);
    if (missing && key)
        ts_buf_printf(missing, " (its column \"%s\")", key);
    return there && !key;
}

static struct ts_db_columns *table_named(struct ts_db *db, const char *name)
{
    for (unsigned i = 0; i < TS_DB_TABLES; i++)
        if (strcasecmp(table_names[i], name) == 0)
            return &db->tables[i];
    return NULL;
}

/* Every table we know with its columns; neither views and virtual tables, nor generated columns, which the file would have
 * computed for us. */
static const char schema_sql[] =
    "SELECT m.name, c.name, m.rootpage, c.hidden, c.pk, c.type FROM main.sqlite_master AS m, "
    "pragma_table_xinfo(m.name, 'main') AS c "
    "WHERE m.type = 'table' AND m.rootpage > 0 AND lower(m.name) IN ("
    "'operations', 'operation_arguments', 'tensors', 'device_tensors', 'input_tensors', "
    "'output_tensors', 'buffers', 'devices', 'captured_graph', 'stack_traces', 'errors')";

static const char *const rowid_names[] = {"rowid", "_rowid_", "oid"};
enum { ROWID_NAMES = sizeof rowid_names / sizeof *rowid_names };

/* By the declared type, as https://www.sqlite.org/datatype3.html, section 3.1, has it. */
static bool has_real_affinity(const char *type)
{
    static const char *const others[] = {"INT", "CHAR", "CLOB", "TEXT", "BLOB"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasestr(type, others[i]))
            return false;
    return strcasestr(type, "REAL") || strcasestr(type, "FLOA") || strcasestr(type, "DOUB");
}

static enum ts_status read_schema_row(struct ts_db *db, sqlite3_stmt *stmt, struct ts_error *error)
{
    const char *table = (const char *)sqlite3_column_text(stmt, 0);
    const char *column = (const char *)sqlite3_column_text(stmt, 1);
    if (!table || !column)
        return ts_error_no_memory(error);
    struct ts_db_columns *columns = table_named(db, table);
    if (!columns)
        return TS_OK;
    if (!columns->exists)
        columns->plain = true;
    columns->exists = true;
    columns->root = (uint32_t)sqlite3_column_int64(stmt, 2);
    if (sqlite3_column_int(stmt, 3) != 0 || sqlite3_column_int(stmt, 4) != 0)
        columns->plain = false;
    for (unsigned i = 0; i < ROWID_NAMES; i++)
        columns->taken |= (unsigned)(strcasecmp(column, rowid_names[i]) == 0) << i;
    if (sqlite3_column_int(stmt, 3) != 0)
        return TS_OK;
    const char *type = (const char *)sqlite3_column_text(stmt, 5);
    if (columns->names.count < 64 && type && has_real_affinity(type))
        columns->reals |= UINT64_C(1) << columns->names.count;
    char *name = ts_arena_strdup(&db->arena, ts_str_from(column));
    if (!name || !ts_vec_push(&columns->names, name))
        return ts_error_no_memory(error);
    return TS_OK;
}

static enum ts_status read_schema(struct ts_db *db, struct ts_error *error)
{
    sqlite3_stmt *stmt;
    int result = sqlite3_prepare_v2(db->handle, schema_sql, -1, &stmt, NULL);
    enum ts_status status = TS_OK;
    while (result == SQLITE_OK && status == TS_OK && (result = sqlite3_step(stmt)) == SQLITE_ROW) {
        status = read_schema_row(db, stmt, error);
        result = SQLITE_OK;
    }
    if (status == TS_OK && result != SQLITE_OK && result != SQLITE_DONE)
        status = ts_db_failed(db, sqlite3_extended_errcode(db->handle), NULL, error);
    sqlite3_finalize(stmt);
    return status;
}

/* How a table's rows can be called by number; a table made WITHOUT ROWID refuses the statement. */
static enum ts_status find_rowid(struct ts_db *db, enum ts_db_table table, struct ts_error *error)
{
    unsigned i = 0;
    while (i < ROWID_NAMES && db->tables[table].taken >> i & 1)
        i++;
    if (i == ROWID_NAMES)
        return TS_OK;
    char sql[128];
    sqlite3_stmt *stmt = NULL;
    snprintf(sql, sizeof sql, "SELECT %s FROM main.%s", rowid_names[i], table_names[table]);
    int result = sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL);
    sqlite3_finalize(stmt);
    if (result != SQLITE_OK && result != SQLITE_ERROR)
        return ts_db_failed(db, result, table_names[table], error);
    db->tables[table].rowid = result == SQLITE_OK ? rowid_names[i] : NULL;
    return TS_OK;
}

bool ts_db_has_rowids(const struct ts_db *db, enum ts_db_table table)
{
    return db->tables[table].rowid;
}

static enum ts_status read_encoding(struct ts_db *db, struct ts_error *error)
{
    sqlite3_stmt *stmt = NULL;
    int result = sqlite3_prepare_v2(db->handle, "PRAGMA encoding", -1, &stmt, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(stmt) == SQLITE_ROW ? SQLITE_OK : sqlite3_extended_errcode(db->handle);
    const char *name = result == SQLITE_OK ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    db->utf8 = name && strcmp(name, "UTF-8") == 0;
    sqlite3_finalize(stmt);
    if (result == SQLITE_OK && !name)
        return ts_error_no_memory(error);
    return result == SQLITE_OK ? TS_OK : ts_db_failed(db, result, NULL, error);
}

/* ---- opening ---- */

static int on_progress(void *data)
{
    struct ts_db *db = data;
    return ts_context_check(db->context, &db->stopped) != TS_OK;
}

static int on_busy(void *data, int tries)
{
    struct ts_db *db = data;
    if (db->hasty || tries >= TS_DB_VFS_LOCK_STEPS || ts_context_check(db->context, &db->stopped) != TS_OK)
        return 0;
    sqlite3_sleep(TS_DB_VFS_LOCK_STEP_MS);
    return 1;
}

/* Nothing that the file brings along may run: no trigger, no view, no function with effects, no extension. */
static void defend(sqlite3 *handle)
{
    static const struct {
        int what, value;
    } settings[] =
        {
            {SQLITE_DBCONFIG_DEFENSIVE, 1},
            {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
            {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
            {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
            {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
            {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
            {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
        },
      limits[] = {
          {SQLITE_LIMIT_LENGTH, (int)TS_LIMIT_DB_VALUE + 1024},
          {SQLITE_LIMIT_SQL_LENGTH, 1000000},
          {SQLITE_LIMIT_COLUMN, TS_LIMIT_DB_COLUMNS},
          {SQLITE_LIMIT_EXPR_DEPTH, 100},
          {SQLITE_LIMIT_COMPOUND_SELECT, 5},
          {SQLITE_LIMIT_VDBE_OP, 100000},
          {SQLITE_LIMIT_FUNCTION_ARG, 16},
          {SQLITE_LIMIT_ATTACHED, 0},
          {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
          {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
          {SQLITE_LIMIT_WORKER_THREADS, 0},
      };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_db_config(handle, settings[i].what, settings[i].value, (int *)NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(handle, limits[i].what, limits[i].value);
}

/* Exclusive locking keeps the index of a write-ahead log on the heap; no lock beyond a reader's is ever taken. */
static const char settings_sql[] = "PRAGMA locking_mode = exclusive; PRAGMA query_only = 1; PRAGMA temp_store = 2; "
                                   "PRAGMA mmap_size = 0; PRAGMA cell_size_check = 1; BEGIN";

static enum ts_status connect(struct ts_db *db, struct ts_error *error)
{
    enum ts_status status = ts_db_vfs_register(&db->vfs, db->context, error);
    if (status != TS_OK)
        return status;
    db->registered = true;
    int result = sqlite3_open_v2(db->path, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, db->vfs.name);
    if (!db->handle)
        return ts_error_no_memory(error);
    if (result != SQLITE_OK)
        return ts_db_failed(db, sqlite3_extended_errcode(db->handle), NULL, error);
    sqlite3_extended_result_codes(db->handle, 1);
    defend(db->handle);
    sqlite3_progress_handler(db->handle, CHECK_EVERY, on_progress, db);
    sqlite3_busy_handler(db->handle, on_busy, db);
    result = sqlite3_exec(db->handle, settings_sql, NULL, NULL, NULL);
    return result == SQLITE_OK ? TS_OK : ts_db_failed(db, result, NULL, error);
}

static enum ts_status open_once(struct ts_db *db, struct ts_error *error)
{
    enum ts_status status = identify(db->context, db->path, &db->identity, &db->found, &db->has_log, error);
    if (status == TS_OK)
        status = connect(db, error);
    if (status == TS_OK)
        status = read_schema(db, error);
    if (status == TS_OK)
        status = read_encoding(db, error);
    for (unsigned i = 0; i < TS_DB_TABLES && status == TS_OK; i++)
        if (db->tables[i].exists)
            status = find_rowid(db, (enum ts_db_table)i, error);
    /* A database that was being changed may read as damaged. */
    if (db->found && (status == TS_OK || status == TS_INPUT)) {
        struct ts_error moved;
        if (ts_db_unchanged(db, &moved) == TS_CHANGED)
            status = changed(db->path, error);
    }
    return status;
}

static enum ts_status open_new(struct ts_context *context, const char *path, bool hasty, struct ts_db **out,
                               struct ts_error *error)
{
    struct ts_db *db = calloc(1, sizeof *db);
    if (!db)
        return ts_error_no_memory(error);
    db->context = context;
    db->hasty = hasty;
    ts_arena_init(&db->arena, 0);
    db->path = strdup(path);
    enum ts_status status = db->path ? open_once(db, error) : ts_error_no_memory(error);
    if (status != TS_OK) {
        ts_db_close(db);
        return status;
    }
    *out = db;
    return TS_OK;
}

enum ts_status ts_db_open(struct ts_context *context, const char *path, struct ts_db **out, struct ts_error *error)
{
    enum ts_status status = TS_CHANGED;
    for (int tries = 0; status == TS_CHANGED && tries < OPEN_TRIES; tries++)
        status = open_new(context, path, false, out, error);
    return status;
}

enum ts_status ts_db_open_beside(const struct ts_db *db, struct ts_db **out, struct ts_error *error)
{
    struct ts_db *other = NULL;
    enum ts_status status = open_new(db->context, db->path, true, &other, error);
    if (status != TS_OK)
        return status;
    if (!ts_identity_equal(&other->identity, &db->identity)) {
        ts_db_close(other);
        return changed(db->path, error);
    }
    *out = other;
    return TS_OK;
}

void ts_db_close(struct ts_db *db)
{
    if (!db)
        return;
    while (db->statements.count > 0)
        drop_statement(db, db->statements.count - 1);
    ts_vec_free(&db->statements);
    sqlite3_blob_close(db->blob);
    sqlite3_close(db->handle);
    if (db->registered)
        ts_db_vfs_unregister(&db->vfs);
    for (unsigned i = 0; i < TS_DB_TABLES; i++)
        ts_vec_free(&db->tables[i].names);
    ts_arena_free(&db->arena);
    free(db->path);
    free(db);
}
