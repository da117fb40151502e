#include "formats/profiler_db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "support/profiler_database.h"
#include "support/scratch.h"

static struct scratch scratch;
static struct ts_context context;
static struct ts_error error;
static struct ts_db *db;

static int set_up(void **state)
{
    (void)state;
    scratch_create(&scratch);
    ts_context_init(&context);
    db = NULL;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ts_db_close(db);
    scratch_destroy(&scratch);
    return 0;
}

static const char *make(const char *name, const char *sql)
{
    const char *path = scratch_path(&scratch, name);
    profiler_database_run(path, sql);
    return path;
}

static void open_at(const char *path)
{
    ts_db_close(db);
    db = NULL;
    if (ts_db_open(&context, path, &db, &error) != TS_OK)
        fail_msg("%s", error.message);
}

static void open_sql(const char *sql)
{
    static unsigned number;
    char name[32];
    snprintf(name, sizeof name, "%u.sqlite", number++);
    open_at(make(name, sql));
}

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

/* ---- what is there ---- */

static void test_tables_and_columns(void **state)
{
    (void)state;
    open_sql("CREATE TABLE operations (operation_id int, NAME text); CREATE TABLE Buffers (x, computed AS (x + 1));"
             "CREATE VIEW tensors AS SELECT 1 AS tensor_id; CREATE TABLE other (operation_id int);");
    assert_true(ts_db_has_table(db, TS_DB_OPERATIONS));
    assert_true(ts_db_has_table(db, TS_DB_BUFFERS));
    assert_false(ts_db_has_table(db, TS_DB_TENSORS));
    assert_false(ts_db_has_table(db, TS_DB_DEVICES));
    assert_true(ts_db_has_column(db, TS_DB_OPERATIONS, "name"));
    assert_false(ts_db_has_column(db, TS_DB_OPERATIONS, "duration"));
    assert_false(ts_db_has_column(db, TS_DB_BUFFERS, "computed"));
    assert_false(ts_db_has_column(db, TS_DB_TENSORS, "tensor_id"));
    for (unsigned table = 0; table < TS_DB_TABLES; table++)
        assert_true(strlen(ts_db_table_name((enum ts_db_table)table)) > 5);
}

/* A virtual table would run code of ours on what the file says. */
static void test_virtual_tables_are_none(void **state)
{
    (void)state;
    sqlite3 *maker =
        profiler_database_open(scratch_path(&scratch, "v.sqlite"), "CREATE TABLE operations (operation_id int)");
    int result = sqlite3_exec(maker, "CREATE VIRTUAL TABLE buffers USING rtree(id, a, b)", NULL, NULL, NULL);
    sqlite3_close(maker);
    if (result != SQLITE_OK)
        skip();
    open_at(scratch_path(&scratch, "v.sqlite"));
    assert_true(ts_db_has_table(db, TS_DB_OPERATIONS));
    assert_false(ts_db_has_table(db, TS_DB_BUFFERS));
}

/* ---- rows ---- */

static const char *const columns[] = {"operation_id", "name", "duration", "absent", NULL};

static struct ts_db_rows *select_rows(const struct ts_db_select *select)
{
    struct ts_db_rows *rows;
    assert_int_equal(ts_db_rows_open(db, select, &rows, &error), TS_OK);
    return rows;
}

static bool next(struct ts_db_rows *rows)
{
    bool more = false;
    if (ts_db_next(rows, &more, &error) != TS_OK)
        fail_msg("%s", error.message);
    return more;
}

static void expect_text(struct ts_db_rows *rows, unsigned column, const char *expected)
{
    struct ts_str text;
    assert_int_equal(ts_db_text(rows, column, &text), expected != NULL);
    if (expected && !ts_str_is(text, expected))
        fail_msg("\"%.*s\" instead of \"%s\"", TS_STR_ARG(text), expected);
}

static void test_cells(void **state)
{
    (void)state;
    open_sql(
        "CREATE TABLE operations (operation_id, name, duration);"
        "INSERT INTO operations VALUES (7, 'a', 0.5), (3.0, NULL, NULL), (' 12 ', x'ff00', '1e3'), (3.5, 2.5, 'x'),"
        "('L1', 7, 4), (9223372036854775807, '', -0.0), (1e30, x'', x'3132'), (x'3132', 1e300, 1);");
    struct ts_db_rows *rows = select_rows(&(struct ts_db_select){.table = TS_DB_OPERATIONS, .columns = columns});
    int64_t id;
    assert_true(ts_db_rows_have(rows, 0));
    assert_false(ts_db_rows_have(rows, 3));
    assert_true(next(rows));
    assert_true(ts_db_integer(rows, 0, &id) && id == 7);
    expect_text(rows, 1, "a");
    assert_true(ts_db_number(rows, 2) == 0.5);
    assert_false(ts_db_integer(rows, 3, &id));
    assert_true(isnan(ts_db_number(rows, 3)));
    expect_text(rows, 3, NULL);
    assert_int_equal(ts_db_rowid(rows), 1);
    assert_true(next(rows));
    assert_true(ts_db_integer(rows, 0, &id) && id == 3);
    expect_text(rows, 1, NULL);
    assert_true(isnan(ts_db_number(rows, 2)));
    assert_true(next(rows));
    assert_true(ts_db_integer(rows, 0, &id) && id == 12);
    struct ts_str text;
    assert_true(ts_db_text(rows, 1, &text) && text.len == 2 && memcmp(text.ptr, "\xff", 2) == 0);
    assert_true(ts_db_number(rows, 2) == 1000);
    assert_true(next(rows));
    assert_false(ts_db_integer(rows, 0, &id));
    expect_text(rows, 1, "2.5");
    assert_true(isnan(ts_db_number(rows, 2)));
    assert_true(next(rows));
    assert_false(ts_db_integer(rows, 0, &id));
    expect_text(rows, 0, "L1");
    expect_text(rows, 1, "7");
    assert_true(next(rows));
    assert_true(ts_db_integer(rows, 0, &id) && id == INT64_MAX);
    expect_text(rows, 1, "");
    assert_true(next(rows));
    assert_false(ts_db_integer(rows, 0, &id));
    expect_text(rows, 1, "");
    assert_true(ts_db_number(rows, 2) == 12);
    assert_true(next(rows));
    assert_true(ts_db_integer(rows, 0, &id) && id == 12);
    expect_text(rows, 1, "1e+300");
    assert_false(next(rows));
    assert_false(next(rows));
    ts_db_rows_close(rows);
}

static void test_missing_table_has_no_rows(void **state)
{
    (void)state;
    open_sql("CREATE TABLE operations (operation_id int)");
    struct ts_db_rows *rows = select_rows(&(struct ts_db_select){.table = TS_DB_BUFFERS, .columns = columns});
    assert_false(next(rows));
    ts_db_rows_close(rows);
    rows = select_rows(
        &(struct ts_db_select){.table = TS_DB_OPERATIONS, .columns = columns, .key = "absent", .key_value = 0});
    assert_false(next(rows));
    ts_db_rows_close(rows);
}

/* The ids of the rows that are selected, as "1 2 3". */
static void expect_ids(const struct ts_db_select *select, const char *expected)
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

static void test_ranks(void **state)
{
    (void)state;
    open_sql("CREATE TABLE operations (operation_id int, rank int); INSERT INTO operations VALUES "
             "(1,0),(2,1),(3,0),(4,NULL);"
             "CREATE TABLE buffers (operation_id int); INSERT INTO buffers VALUES (5),(6);");
    struct ts_db_select select = {.table = TS_DB_OPERATIONS, .columns = columns, .by_rank = true};
    expect_ids(&select, "1 3");
    select.rank = 1;
    expect_ids(&select, "2");
    select.by_rank = false;
    expect_ids(&select, "1 2 3 4");
    select = (struct ts_db_select){.table = TS_DB_BUFFERS, .columns = columns, .by_rank = true, .rank = 9};
    expect_ids(&select, "5 6");
}

static const char *const place_columns[] = {"place", NULL};

static void test_rows_by_key(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "CREATE TABLE buffers (operation_id, place int, rank int)",
        "CREATE TABLE buffers (operation_id, place int, rank int); CREATE INDEX i ON buffers (operation_id)",
        "CREATE TABLE buffers (operation_id, place int, rank int, rowid text, oid text)",
        "CREATE TABLE buffers (operation_id, place int, rank int, rowid text, _rowid_ text, oid text)",
        "CREATE TABLE buffers (operation_id, place int PRIMARY KEY, rank int) WITHOUT ROWID",
        "CREATE TABLE buffers (operation_id, place INTEGER PRIMARY KEY, rank int)",
    };
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        char sql[512];
        snprintf(
            sql, sizeof sql,
            "%s; INSERT INTO buffers (operation_id, place, rank) VALUES (1,1,0),(1,2,0),(2,3,0),('1',4,0),(1.0,5,1),"
            "('x',6,0),(NULL,7,0),(1.5,8,0),(2,9,0),(2,10,0),(-3,11,0)",
            schemas[i]);
        open_sql(sql);
        struct ts_db_index index;
        assert_int_equal(ts_db_index_create(&context, db, TS_DB_BUFFERS, "operation_id", &index, &error), TS_OK);
        struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = place_columns, .key = "operation_id"};
        for (int with_index = 0; with_index < 2; with_index++) {
            select.index = with_index ? &index : NULL;
            select.by_rank = false;
            select.key_value = 1;
            expect_ids(&select, "1 2 4 5");
            select.key_value = 2;
            expect_ids(&select, "3 9 10");
            select.key_value = -3;
            expect_ids(&select, "11");
            select.key_value = 4;
            expect_ids(&select, "");
            select.by_rank = true;
            select.key_value = 1;
            expect_ids(&select, "1 2 4");
        }
        ts_db_index_free(&index);
    }
}

static void test_index(void **state)
{
    (void)state;
    open_sql("CREATE TABLE buffers (operation_id); INSERT INTO buffers VALUES (5),(5),(4),(5),(5),(NULL),('y'),(5);"
             "DELETE FROM buffers WHERE rowid = 4");
    struct ts_db_index index;
    size_t count;
    assert_int_equal(ts_db_index_create(&context, db, TS_DB_BUFFERS, "operation_id", &index, &error), TS_OK);
    assert_int_equal(index.count, 4);
    assert_int_equal(index.rows, 5);
    assert_int_equal(index.keyless, 2);
    assert_true(ts_db_index_bytes(&index) >= 4 * sizeof(struct ts_db_run));
    const struct ts_db_run *runs = ts_db_index_find(&index, 5, &count);
    assert_int_equal(count, 3);
    assert_true(runs[0].first == 1 && runs[0].last == 2);
    assert_true(runs[1].first == 5 && runs[1].last == 5);
    assert_true(runs[2].first == 8 && runs[2].last == 8);
    ts_db_index_find(&index, 3, &count);
    assert_int_equal(count, 0);
    ts_db_index_find(&index, 6, &count);
    assert_int_equal(count, 0);
    ts_db_index_free(&index);
    assert_int_equal(ts_db_index_create(&context, db, TS_DB_TENSORS, "tensor_id", &index, &error), TS_OK);
    assert_int_equal(index.count, 0);
    ts_db_index_free(&index);
    context.memory_limit = 2 * sizeof(struct ts_db_run);
    assert_int_equal(ts_db_index_create(&context, db, TS_DB_BUFFERS, "operation_id", &index, &error), TS_LIMIT);
}

/* ---- every row ---- */

struct sum {
    int64_t numbers, texts, nulls, total, missing;
    unsigned stop_after;
};

static enum ts_status add_cells(void *data, const struct ts_db_cell *cells, struct ts_error *fault)
{
    struct sum *sum = data;
    sum->numbers += cells[0].is_integer;
    sum->texts += !cells[0].is_integer && cells[0].text.ptr;
    sum->nulls += !cells[0].is_integer && !cells[0].text.ptr;
    sum->total += cells[0].is_integer ? cells[0].integer : 0;
    sum->missing += !cells[1].is_integer && !cells[1].text.ptr;
    if (sum->stop_after && sum->numbers == sum->stop_after)
        return ts_error_set(fault, TS_REFUSED, "enough");
    return TS_OK;
}

static void test_visit(void **state)
{
    (void)state;
    static const char *const visited[] = {"operation_id", "absent", NULL};
    const struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = visited, .by_rank = true, .rank = 2};
    struct sum sum = {.numbers = 0};
    open_sql("CREATE TABLE buffers (operation_id, rank int); INSERT INTO buffers VALUES (1,2),(2.0,2),('3',2),('x',2),"
             "(NULL,2),(0.5,2),(100,1),(x'34',2)");
    assert_int_equal(ts_db_visit(db, &select, add_cells, &sum, &error), TS_OK);
    assert_true(sum.numbers == 4 && sum.total == 10 && sum.texts == 1 && sum.nulls == 2 && sum.missing == 7);
    sum = (struct sum){.stop_after = 2};
    assert_int_equal(ts_db_visit(db, &select, add_cells, &sum, &error), TS_REFUSED);
    assert_string_equal(error.message, "enough");
    assert_int_equal(sum.numbers, 2);
    /* And the database goes on. */
    sum = (struct sum){.numbers = 0};
    assert_int_equal(ts_db_visit(db, &select, add_cells, &sum, &error), TS_OK);
    assert_int_equal(sum.total, 10);
    const struct ts_db_select none = {.table = TS_DB_TENSORS, .columns = visited};
    assert_int_equal(ts_db_visit(db, &none, add_cells, &sum, &error), TS_OK);
    assert_int_equal(sum.total, 10);
}

struct seen {
    unsigned rows[64];   /* by place */
    int64_t part_of[64]; /* of an operation: the part that has it, or -1 */
    int64_t part;
    bool apart;
};

static enum ts_status note_row(void *data, const struct ts_db_cell *cells, struct ts_error *fault)
{
    struct seen *seen = data;
    (void)fault;
    seen->rows[cells[1].integer]++;
    if (seen->part_of[cells[0].integer] >= 0 && seen->part_of[cells[0].integer] != seen->part)
        seen->apart = true;
    seen->part_of[cells[0].integer] = seen->part;
    return TS_OK;
}

static void visit_parts(const char *sql, unsigned parts, bool by_rank, struct seen *seen)
{
    static const char *const visited[] = {"operation_id", "place", NULL};
    const struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = visited, .by_rank = by_rank};
    open_sql(sql);
    memset(seen, 0, sizeof *seen);
    memset(seen->part_of, -1, sizeof seen->part_of);
    for (unsigned part = 0; part < parts; part++) {
        seen->part = part;
        if (ts_db_visit_part(db, &select, part, parts, note_row, seen, &error) != TS_OK)
            fail_msg("%s", error.message);
    }
}

/* Parts are all rows, each once, and leave together what follows one another. */
static void test_visit_in_parts(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "CREATE TABLE buffers (operation_id int, place int, rank int);",
        "CREATE TABLE buffers (operation_id int, place int PRIMARY KEY, rank int) WITHOUT ROWID;"};
    for (size_t schema = 0; schema < 2; schema++)
        for (unsigned parts = 1; parts < 9; parts++)
            for (unsigned run = 1; run < 40; run += 7) {
                struct seen seen;
                char sql[512];
                snprintf(sql, sizeof sql,
                         "%s WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 50)"
                         "INSERT INTO buffers SELECT i / %u, i, 0 FROM n; INSERT INTO buffers VALUES (60, 60, 1)",
                         schemas[schema], run);
                visit_parts(sql, parts, true, &seen);
                for (unsigned i = 0; i < 51; i++)
                    assert_int_equal(seen.rows[i], 1);
                assert_int_equal(seen.rows[60], 0);
                assert_false(seen.apart);
                visit_parts(sql, parts, false, &seen);
                assert_int_equal(seen.rows[60], 1);
            }
    struct seen seen;
    visit_parts(schemas[0], 3, true, &seen);
    assert_int_equal(seen.rows[0], 0);
    visit_parts("CREATE TABLE buffers (place int); INSERT INTO buffers VALUES (1), (2), (3), (4)", 3, true, &seen);
    assert_true(seen.rows[1] == 1 && seen.rows[2] == 1 && seen.rows[3] == 1 && seen.rows[4] == 1);
    visit_parts("CREATE TABLE operations (x)", 3, true, &seen);
    uint64_t span = 7;
    assert_int_equal(ts_db_row_span(db, TS_DB_BUFFERS, &span, &error), TS_OK);
    assert_int_equal(span, 0);
    open_sql("CREATE TABLE buffers (operation_id int); INSERT INTO buffers (rowid) VALUES (-9223372036854775808), "
             "(9223372036854775807)");
    assert_int_equal(ts_db_row_span(db, TS_DB_BUFFERS, &span, &error), TS_OK);
    assert_true(span == UINT64_MAX);
    visit_parts(
        "CREATE TABLE buffers (operation_id int, place int); INSERT INTO buffers (rowid, operation_id, place) VALUES"
        "(-9223372036854775808, 1, 1), (0, 2, 2), (9223372036854775807, 3, 3)",
        4, false, &seen);
    assert_true(seen.rows[1] == 1 && seen.rows[2] == 1 && seen.rows[3] == 1);
}

/* ---- large texts ---- */

static void test_read_text(void **state)
{
    (void)state;
    static const char rows[] =
        "CREATE TABLE captured_graph (operation_id int, captured_graph text, plain);"
        "INSERT INTO captured_graph VALUES (1,'[1]',0),(2,NULL,0),(3,'',0),(4,17,0),(5,'[\xc3\xa9]',0),"
        "(6,replace(printf('%20000d',1),' ','x'),0); INSERT INTO captured_graph VALUES (7, x'5b5d', 5);";
    static const char *const encodings[] = {"", "PRAGMA encoding='UTF-16le';", "PRAGMA encoding='UTF-16be';"};
    for (size_t i = 0; i < 3; i++) {
        char sql[1024];
        struct ts_buf buf;
        size_t length;
        enum ts_db_text_state what;
        snprintf(sql, sizeof sql, "%s%s", encodings[i], rows);
        open_sql(sql);
        ts_buf_init(&buf, 0);
#define READ(rowid, max)                                                                                               \
    assert_int_equal(                                                                                                  \
        ts_db_read_text(db, TS_DB_CAPTURED_GRAPH, "captured_graph", rowid, max, 4, &buf, &length, &what, &error),      \
        TS_OK)
        READ(6, 1000000);
        assert_true(what == TS_DB_TEXT_READ && length == 20000 && buf.len == 20000);
        assert_memory_equal(buf.ptr + 19999, "1\0\0\0", 4);
        READ(1, 3);
        assert_true(what == TS_DB_TEXT_READ && length == 3 && ts_str_is(ts_buf_view(&buf), "[1]"));
        assert_memory_equal(buf.ptr, "[1]\0\0\0", 7);
        READ(1, 2);
        assert_true(what == TS_DB_TEXT_TOO_LONG && length == 3 && buf.len == 0);
        READ(2, 100);
        assert_true(what == TS_DB_TEXT_NULL && buf.len == 0);
        READ(3, 100);
        assert_true(what == TS_DB_TEXT_READ && length == 0);
        READ(4, 100);
        assert_true(what == TS_DB_TEXT_READ && ts_str_is(ts_buf_view(&buf), "17"));
        READ(5, 100);
        assert_true(what == TS_DB_TEXT_READ && ts_str_is(ts_buf_view(&buf), "[\xc3\xa9]"));
        READ(7, 100);
        assert_true(what == TS_DB_TEXT_READ && ts_str_is(ts_buf_view(&buf), "[]"));
        READ(99, 100);
        assert_true(what == TS_DB_TEXT_NULL);
        assert_int_equal(ts_db_read_text(db, TS_DB_CAPTURED_GRAPH, "plain", 7, 9, 0, &buf, &length, &what, &error),
                         TS_OK);
        assert_true(what == TS_DB_TEXT_READ && ts_str_is(ts_buf_view(&buf), "5"));
        READ(1, 100);
        assert_true(what == TS_DB_TEXT_READ && ts_str_is(ts_buf_view(&buf), "[1]"));
        ts_buf_free(&buf);
    }
}

static void test_ten_megabytes_of_text(void **state)
{
    (void)state;
    open_sql("CREATE TABLE operations (operation_id int, name text); INSERT INTO operations VALUES (1, "
             "printf('%10485760d', 1))");
    struct ts_db_rows *rows = select_rows(&(struct ts_db_select){.table = TS_DB_OPERATIONS, .columns = columns});
    struct ts_str text;
    assert_true(next(rows));
    assert_true(ts_db_text(rows, 1, &text) && text.len == 10 * TS_MIB);
    ts_db_rows_close(rows);
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
        if (ts_db_index_create(&context, bad, TS_DB_OPERATIONS, "operation_id", &index, &error) == TS_OK)
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

static void test_cancelled(void **state)
{
    (void)state;
    open_sql("CREATE TABLE operations (operation_id int);"
             "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO operations "
             "SELECT i FROM n");
    struct ts_db_index index;
    struct sum sum = {.numbers = 0};
    const struct ts_db_select select = {.table = TS_DB_OPERATIONS, .columns = columns};
    atomic_store(&context.cancelled, true);
    assert_int_equal(ts_db_index_create(&context, db, TS_DB_OPERATIONS, "operation_id", &index, &error), TS_CANCELLED);
    assert_int_equal(ts_db_visit(db, &select, add_cells, &sum, &error), TS_CANCELLED);
    struct ts_db_rows *rows = select_rows(&select);
    bool more = true;
    enum ts_status status = TS_OK;
    while (more && status == TS_OK)
        status = ts_db_next(rows, &more, &error);
    assert_int_equal(status, TS_CANCELLED);
    ts_db_rows_close(rows);
}

/* Whoever takes a long text out of a row may take long over it: the next row is asked for after a look at the context. */
static void test_stopped_between_long_texts(void **state)
{
    (void)state;
    static const char *const names[] = {"name", NULL};
    const struct ts_db_select select = {.table = TS_DB_OPERATIONS, .columns = names};
    open_sql(
        "CREATE TABLE operations (name text); INSERT INTO operations VALUES (printf('%2000000d', 1)), ('b'), ('c')");
    struct ts_db_rows *rows = select_rows(&select);
    struct ts_str text;
    bool more = false;
    assert_int_equal(ts_db_next(rows, &more, &error), TS_OK);
    assert_true(ts_db_text(rows, 0, &text) && text.len == 2000000);
    atomic_store(&context.cancelled, true);
    assert_int_equal(ts_db_next(rows, &more, &error), TS_CANCELLED);
    ts_db_rows_close(rows);
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
        cmocka_unit_test_setup_teardown(test_tables_and_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_virtual_tables_are_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_table_has_no_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ranks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rows_by_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_index, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stopped_between_long_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_log_emptied_while_reading, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_visit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_visit_in_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_read_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ten_megabytes_of_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_database, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_encrypted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged_pages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_schema_that_wants_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_paths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_outside_the_roots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_write_ahead_log, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_foreign_log, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_locked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_interrupted_write, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_identity, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cancelled, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
