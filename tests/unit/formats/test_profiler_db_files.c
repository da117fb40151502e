/* Profiler databases as files: what is none, where they may lie, and what others do to them meanwhile. */
#include "support/db_case.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const columns[] = {"operation_id", NULL};

static void expect_failure(const char *path, enum ts_status status, const char *part)
{
    struct ts_db *none = NULL;
    size_t before = scratch_count(&scratch, "");
    assert_int_equal(ts_db_open(&context, path, &none, &error), status);
    assert_null(none);
    if (!strstr(error.message, part))
        fail_msg("\"%s\" lacks \"%s\"", error.message, part);
    assert_int_equal(scratch_count(&scratch, ""), before);
}

/* ---- what is no good database ---- */

static struct ts_str bytes_of(const char *name)
{
    struct ts_str bytes = scratch_get(&scratch, name);
    assert_non_null(bytes.ptr);
    return bytes;
}

static const char some_rows[] = "CREATE TABLE operations (operation_id int, name text);"
                                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
                                "INSERT INTO operations SELECT i, printf('operation %d', i) FROM n;";

static void test_no_database(void **state)
{
    (void)state;
    expect_failure(scratch_path(&scratch, "none.sqlite"), TS_INPUT, "no such file");
    expect_failure(scratch_path(&scratch, ""), TS_INPUT, "directory");
    expect_failure(scratch_put(&scratch, "text",
                               TS_STR("this is some text and no database, however long it gets, "
                                      "at least a hundred bytes of it, so that a header would fit\n")),
                   TS_INPUT, "not an SQLite database");
    expect_failure(scratch_put(&scratch, "short", TS_STR("x")), TS_INPUT, "not an SQLite database");
    assert_int_equal(mkfifo(scratch_path(&scratch, "pipe"), 0600), 0);
    expect_failure(scratch_path(&scratch, "pipe"), TS_INPUT, "pipe");
}

static void test_empty_file(void **state)
{
    (void)state;
    open_at(scratch_put(&scratch, "db.sqlite", TS_STR("")));
    for (unsigned table = 0; table < TS_DB_TABLES; table++)
        assert_false(ts_db_has_table(db, (enum ts_db_table)table));
    assert_int_equal(scratch_count(&scratch, ""), 1);
    assert_int_equal(bytes_of("db.sqlite").len, 0);
}

static void test_cut(void **state)
{
    (void)state;
    make("db.sqlite", some_rows);
    struct ts_str bytes = bytes_of("db.sqlite");
    expect_failure(scratch_put(&scratch, "cut.sqlite", ts_str_sub(bytes, 0, bytes.len * 6 / 10)), TS_INPUT, "damaged");
    expect_failure(scratch_put(&scratch, "stub.sqlite", ts_str_sub(bytes, 0, 100)), TS_INPUT, "stub.sqlite");
}

static void test_encrypted(void **state)
{
    (void)state;
    make("db.sqlite", some_rows);
    struct ts_str bytes = bytes_of("db.sqlite");
    char *copy = malloc(bytes.len);
    for (size_t i = 0; i < bytes.len; i++)
        copy[i] = (char)(bytes.ptr[i] ^ 0x5a);
    expect_failure(scratch_put(&scratch, "secret.sqlite", (struct ts_str){copy, bytes.len}), TS_INPUT, "encrypted");
    free(copy);
}

/* Pages in the middle overwritten: whatever is read, nothing is read out of bounds, and nothing hangs. */
static void test_damaged_pages(void **state)
{
    (void)state;
    make("db.sqlite", some_rows);
    struct ts_str bytes = bytes_of("db.sqlite");
    for (unsigned seed = 1; seed < 60; seed++) {
        char *copy = malloc(bytes.len);
        memcpy(copy, bytes.ptr, bytes.len);
        uint32_t random = seed * 2654435761u;
        for (int i = 0; i < 40; i++) {
            random = random * 1664525u + 1013904223u;
            copy[100 + random % (bytes.len - 100)] = (char)(random >> 24);
        }
        const char *path = scratch_put(&scratch, "bad.sqlite", (struct ts_str){copy, bytes.len});
        free(copy);
        struct ts_db *bad;
        if (ts_db_open(&context, path, &bad, &error) != TS_OK)
            continue;
        struct ts_db_index index;
        struct ts_db_rows *rows;
        const struct ts_db_select select = {.table = TS_DB_OPERATIONS, .columns = columns};
        if (ts_db_index_create(bad, TS_DB_OPERATIONS, "operation_id", 0, 1, &index, &error) == TS_OK)
            ts_db_index_free(&index);
        if (ts_db_rows_open(bad, &select, &rows, &error) == TS_OK) {
            bool more = true;
            for (unsigned i = 0; i < 20000 && more && ts_db_next(rows, &more, &error) == TS_OK; i++) {
                struct ts_str text;
                ts_db_text(rows, 1, &text);
            }
            ts_db_rows_close(rows);
        }
        ts_db_close(bad);
    }
}

static void test_schema_that_wants_more(void **state)
{
    (void)state;
    /* A trigger, a view and an index with a function in them: they are there, and nothing of them runs. */
    open_sql("CREATE TABLE operations (operation_id int, name text); INSERT INTO operations VALUES (1, 'a');"
             "CREATE TRIGGER t AFTER INSERT ON operations BEGIN DELETE FROM operations; END;"
             "CREATE INDEX i ON operations (hex(name)); CREATE VIEW buffers AS SELECT randomblob(1000000000) AS "
             "operation_id;");
    const struct ts_db_select select = {.table = TS_DB_OPERATIONS, .columns = columns};
    expect_ids(&select, "1");
    assert_false(ts_db_has_table(db, TS_DB_BUFFERS));
}

/* ---- paths ---- */

static void test_odd_paths(void **state)
{
    (void)state;
    static const char *const folders[] = {"a#b", "a?b", "100%", "a b", "%41", "file:x", "a&mode=rwc", "ü\n"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char name[64];
        scratch_folder(&scratch, folders[i]);
        snprintf(name, sizeof name, "%s/db.sqlite", folders[i]);
        size_t before = scratch_count(&scratch, "");
        open_at(make(name, "CREATE TABLE operations (operation_id int); INSERT INTO operations VALUES (4)"));
        expect_ids(&(struct ts_db_select){.table = TS_DB_OPERATIONS, .columns = columns}, "4");
        assert_int_equal(scratch_count(&scratch, ""), before);
        assert_int_equal(scratch_count(&scratch, folders[i]), 1);
    }
}

static void test_outside_the_roots(void **state)
{
    (void)state;
    scratch_folder(&scratch, "in");
    scratch_folder(&scratch, "out");
    make("out/db.sqlite", "CREATE TABLE operations (operation_id int)");
    make("in/db.sqlite", "CREATE TABLE operations (operation_id int)");
    const char *const roots[] = {scratch_path(&scratch, "in"), NULL};
    struct ts_roots *allowed;
    assert_int_equal(ts_roots_create(roots, &allowed, &error), TS_OK);
    context.roots = allowed;
    expect_failure(scratch_path(&scratch, "out/db.sqlite"), TS_REFUSED, "outside");
    expect_failure(scratch_link(&scratch, "in/link.sqlite", "../out/db.sqlite"), TS_REFUSED, "outside");
    open_at(scratch_path(&scratch, "in/db.sqlite"));
    /* Nor is a log read that lies elsewhere. */
    scratch_put(&scratch, "out/log", TS_STR("0123456789"));
    scratch_link(&scratch, "in/db.sqlite-wal", "../out/log");
    expect_failure(scratch_path(&scratch, "in/db.sqlite"), TS_REFUSED, "outside");
    context.roots = NULL;
    ts_roots_destroy(allowed);
}

/* ---- databases that others work on ---- */

static const char in_log[] =
    "PRAGMA journal_mode=wal; CREATE TABLE operations (operation_id int);"
    "INSERT INTO operations VALUES (1); PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO operations VALUES (2)";

static void expect_unchanged(const char *folder, size_t files, const char *name, struct ts_str before)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct ts_str after = bytes_of(path);
    assert_true(ts_str_equal(before, after));
    assert_int_equal(scratch_count(&scratch, folder), files);
}

static void test_write_ahead_log(void **state)
{
    (void)state;
    const struct ts_db_select select = {.table = TS_DB_OPERATIONS, .columns = columns};
    sqlite3 *writer = profiler_database_open(scratch_path(&scratch, "db.sqlite"), in_log);
    struct ts_str main_file = bytes_of("db.sqlite"), log = bytes_of("db.sqlite-wal"), index = bytes_of("db.sqlite-shm");
    assert_true(log.len > 0 && index.len > 0);
    open_at(scratch_path(&scratch, "db.sqlite"));
    expect_ids(&select, "1 2");
    assert_true(ts_str_equal(index, bytes_of("db.sqlite-shm")));

    scratch_folder(&scratch, "alone");
    scratch_put(&scratch, "alone/db.sqlite-wal", log);
    open_at(scratch_put(&scratch, "alone/db.sqlite", main_file));
    expect_ids(&select, "1 2");
    ts_db_close(db);
    db = NULL;
    expect_unchanged("alone", 2, "db.sqlite-wal", log);
    expect_unchanged("alone", 2, "db.sqlite", main_file);

    scratch_folder(&scratch, "both");
    scratch_put(&scratch, "both/db.sqlite-wal", log);
    scratch_put(&scratch, "both/db.sqlite-shm", index);
    open_at(scratch_put(&scratch, "both/db.sqlite", main_file));
    expect_ids(&select, "1 2");
    ts_db_close(db);
    db = NULL;
    expect_unchanged("both", 3, "db.sqlite-shm", index);
    expect_unchanged("both", 3, "db.sqlite-wal", log);

    scratch_folder(&scratch, "neither");
    open_at(scratch_put(&scratch, "neither/db.sqlite", main_file));
    expect_ids(&select, "1");
    ts_db_close(db);
    db = NULL;
    expect_unchanged("neither", 1, "db.sqlite", main_file);

    scratch_folder(&scratch, "empty");
    scratch_put(&scratch, "empty/db.sqlite-wal", TS_STR(""));
    open_at(scratch_put(&scratch, "empty/db.sqlite", main_file));
    expect_ids(&select, "1");
    assert_int_equal(scratch_count(&scratch, "empty"), 2);
    sqlite3_close(writer);
}

/* A log of another database, or of nothing, is passed over by its checksums. */
static void test_foreign_log(void **state)
{
    (void)state;
    scratch_folder(&scratch, "a");
    make("a/db.sqlite", "CREATE TABLE operations (operation_id int); INSERT INTO operations VALUES (7)");
    scratch_put(&scratch, "a/db.sqlite-wal",
                TS_STR("this is no write-ahead log, though it is as long as the header of one"));
    open_at(scratch_path(&scratch, "a/db.sqlite"));
    expect_ids(&(struct ts_db_select){.table = TS_DB_OPERATIONS, .columns = columns}, "7");
    assert_int_equal(scratch_count(&scratch, "a"), 2);
    /* SQLite would remove the log of an empty file. */
    scratch_folder(&scratch, "b");
    scratch_put(&scratch, "b/db.sqlite-wal", TS_STR("0123456789"));
    open_at(scratch_put(&scratch, "b/db.sqlite", TS_STR("")));
    assert_int_equal(scratch_count(&scratch, "b"), 2);
}

/* Another process that has run statements on a database and waits to be told to end. */
struct other {
    pid_t pid;
    int tell;
};

static struct other run_in_other(const char *path, const char *sql)
{
    int down[2], up[2];
    char ready;
    assert_int_equal(pipe(down), 0);
    assert_int_equal(pipe(up), 0);
    struct other other = {.pid = fork(), .tell = down[1]};
    if (other.pid == 0) {
        close(down[1]);
        sqlite3 *writer = profiler_database_open(path, sql);
        if (write(up[1], "x", 1) == 1 && read(down[0], &ready, 1) == 0)
            sqlite3_close(writer);
        _exit(0);
    }
    assert_int_equal(read(up[0], &ready, 1), 1);
    close(down[0]);
    close(up[0]);
    close(up[1]);
    return other;
}

static void end_other(struct other other)
{
    close(other.tell);
    waitpid(other.pid, NULL, 0);
}

static void test_locked(void **state)
{
    (void)state;
    const struct ts_db_select select = {.table = TS_DB_OPERATIONS, .columns = columns};
    const char *path =
        make("db.sqlite", "CREATE TABLE operations (operation_id int); INSERT INTO operations VALUES (1)");
    struct other writer = run_in_other(path, "BEGIN IMMEDIATE; INSERT INTO operations VALUES (2)");
    open_at(path); /* It has not begun to write. */
    expect_ids(&select, "1");
    ts_db_close(db);
    db = NULL;
    end_other(writer);
    writer = run_in_other(path, "BEGIN EXCLUSIVE");
    expect_failure(path, TS_BUSY, "locked");
    atomic_store(&context.cancelled, true);
    expect_failure(path, TS_CANCELLED, "cancelled");
    atomic_store(&context.cancelled, false);
    end_other(writer);
    open_at(path);
    expect_ids(&select, "1");
    /* What a reader holds keeps a writer from changing what it reads, until it is done. */
    sqlite3 *late = profiler_database_open(path, "SELECT 1");
    assert_int_equal(sqlite3_exec(late, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_BUSY);
    ts_db_close(db);
    db = NULL;
    assert_int_equal(sqlite3_exec(late, "BEGIN EXCLUSIVE; COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(late);
}

static void test_interrupted_write(void **state)
{
    (void)state;
    const char *path = make("db.sqlite", some_rows);
    sqlite3 *writer = profiler_database_open(
        path, "PRAGMA cache_size=1; PRAGMA cache_spill=1; BEGIN; UPDATE operations SET name = 'changed ' || name");
    struct ts_str main_file = bytes_of("db.sqlite"), journal = bytes_of("db.sqlite-journal");
    assert_true(journal.len > 0);
    scratch_folder(&scratch, "copy");
    const char *copy = scratch_put(&scratch, "copy/db.sqlite", main_file);
    scratch_put(&scratch, "copy/db.sqlite-journal", journal);
    expect_failure(copy, TS_INPUT, "interrupted");
    expect_unchanged("copy", 2, "db.sqlite", main_file);
    expect_unchanged("copy", 2, "db.sqlite-journal", journal);
    sqlite3_close(writer);
}

static void test_identity(void **state)
{
    (void)state;
    struct ts_identity first, second;
    bool found;
    const char *path = make("db.sqlite", "CREATE TABLE operations (operation_id int)");
    assert_int_equal(ts_db_identity(&context, path, &first, &found, &error), TS_OK);
    assert_true(found);
    open_at(path);
    assert_true(ts_identity_equal(&first, ts_db_read_identity(db)));
    assert_int_equal(ts_db_unchanged(db, &error), TS_OK);
    /* A log beside it makes it another database, an empty one does not. */
    scratch_put(&scratch, "db.sqlite-wal", TS_STR(""));
    assert_int_equal(ts_db_unchanged(db, &error), TS_OK);
    scratch_put(&scratch, "db.sqlite-wal", TS_STR("x"));
    assert_int_equal(ts_db_unchanged(db, &error), TS_CHANGED);
    assert_int_equal(ts_db_identity(&context, path, &second, &found, &error), TS_OK);
    assert_false(ts_identity_equal(&first, &second));
    unlink(scratch_path(&scratch, "db.sqlite-wal"));
    assert_int_equal(ts_db_unchanged(db, &error), TS_OK);
    /* Replaced, and gone. */
    rename(make("new.sqlite", "CREATE TABLE operations (operation_id int)"), path);
    assert_int_equal(ts_db_unchanged(db, &error), TS_CHANGED);
    unlink(path);
    assert_int_equal(ts_db_unchanged(db, &error), TS_CHANGED);
    assert_int_equal(ts_db_identity(&context, path, &second, &found, &error), TS_OK);
    assert_false(found);
}

/* A log that is emptied while it is being read cannot be read: that is a change, not a failure of the disk. */
static void test_log_emptied_while_reading(void **state)
{
    (void)state;
    static const char *const names[] = {"name", NULL};
    const struct ts_db_select select = {.table = TS_DB_OPERATIONS, .columns = names};
    const char *path = make("log.sqlite", "CREATE TABLE operations (name text)");
    (void)state;
    sqlite3 *writer =
        profiler_database_open(path, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; WITH RECURSIVE n(i) AS "
                                     "(SELECT 1 UNION ALL SELECT i + 1 "
                                     "FROM n WHERE i < 4000) INSERT INTO operations SELECT printf('%4000d', i) FROM n");
    open_at(path);
    struct ts_db_rows *rows = select_rows(&select);
    bool more = false;
    assert_int_equal(ts_db_next(rows, &more, &error), TS_OK);
    assert_int_equal(sqlite3_exec(writer, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL), SQLITE_OK);
    enum ts_status status = TS_OK;
    for (more = true; more && status == TS_OK;)
        status = ts_db_next(rows, &more, &error);
    assert_int_equal(status, TS_CHANGED);
    assert_non_null(strstr(error.message, "changed while it was being read"));
    ts_db_rows_close(rows);
    sqlite3_close(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_CASE(test_log_emptied_while_reading),
        DB_CASE(test_no_database),
        DB_CASE(test_empty_file),
        DB_CASE(test_cut),
        DB_CASE(test_encrypted),
        DB_CASE(test_damaged_pages),
        DB_CASE(test_schema_that_wants_more),
        DB_CASE(test_odd_paths),
        DB_CASE(test_outside_the_roots),
        DB_CASE(test_write_ahead_log),
        DB_CASE(test_foreign_log),
        DB_CASE(test_locked),
        DB_CASE(test_interrupted_write),
        DB_CASE(test_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
