/* Tables, columns, rows and cells of a profiler database. */
#include "support/db_case.h"

#include <math.h>

#include "base/limits.h"

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
        "CREATE TABLE buffers (operation_id, place int, rank int, rowid int AS (5), _rowid_ int AS (6) STORED)",
        "CREATE TABLE buffers (operation_id, place int, rank int, rowid AS (5), _rowid_ AS (6), oid AS (7))",
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
        assert_int_equal(ts_db_index_create(db, TS_DB_BUFFERS, "operation_id", 0, 1, &index, &error), TS_OK);
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
    assert_int_equal(ts_db_index_create(db, TS_DB_BUFFERS, "operation_id", 0, 1, &index, &error), TS_OK);
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
    assert_int_equal(ts_db_index_create(db, TS_DB_TENSORS, "tensor_id", 0, 1, &index, &error), TS_OK);
    assert_int_equal(index.count, 0);
    ts_db_index_free(&index);
    context.memory_limit = 2 * sizeof(struct ts_db_run);
    assert_int_equal(ts_db_index_create(db, TS_DB_BUFFERS, "operation_id", 0, 1, &index, &error), TS_LIMIT);
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

/* Rows that are visited may be looked up in by a visit of their own, and while others are being read. */
static enum ts_status visit_again(void *data, const struct ts_db_cell *cells, struct ts_error *fault)
{
    static const char *const visited[] = {"operation_id", NULL};
    const struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = visited};
    struct sum *outer = data, sum = {.numbers = 0};
    enum ts_status status = ts_db_visit(db, &select, add_cells, &sum, fault);
    assert_int_equal(sum.total, 6);
    outer->total += cells[0].integer;
    return status;
}

static void test_visits_inside_each_other(void **state)
{
    (void)state;
    static const char *const visited[] = {"operation_id", NULL};
    const struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = visited};
    static const char *const schemas[] = {"(operation_id int)", "(operation_id int PRIMARY KEY) WITHOUT ROWID"};
    for (size_t i = 0; i < 2; i++) {
        char sql[160];
        struct sum sum = {.numbers = 0};
        snprintf(sql, sizeof sql, "CREATE TABLE buffers %s; INSERT INTO buffers VALUES (1), (2), (3)", schemas[i]);
        open_sql(sql);
        assert_int_equal(ts_db_visit(db, &select, add_cells, &sum, &error), TS_OK);
        struct ts_db_rows *rows = select_rows(&select);
        assert_true(next(rows));
        sum.total = 0;
        if (ts_db_visit(db, &select, visit_again, &sum, &error) != TS_OK)
            fail_msg("%s", error.message);
        assert_int_equal(sum.total, 6);
        assert_true(next(rows) && next(rows) && !next(rows));
        ts_db_rows_close(rows);
    }
}

/* An index does not change the order, and the number of a row comes last. */
static enum ts_status expect_next_row(void *data, const struct ts_db_cell *cells, struct ts_error *fault)
{
    int64_t *last = data;
    (void)fault;
    assert_true(cells[2].is_integer && cells[2].integer == ++*last && cells[0].integer == 100 - *last);
    assert_int_equal(cells[1].kind, TS_DB_KIND_NULL);
    return TS_OK;
}

static void test_visit_in_row_order(void **state)
{
    (void)state;
    static const char *const visited[] = {"operation_id", "absent", NULL};
    static const char *const kinds[] = {"", "PRAGMA encoding = 'UTF-16';"};
    for (size_t i = 0; i < 2; i++) {
        char sql[512];
        int64_t last = 0;
        const struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = visited, .with_rowid = true};
        snprintf(sql, sizeof sql,
                 "%s CREATE TABLE buffers (operation_id int); CREATE INDEX i ON buffers (operation_id);"
                 "WITH RECURSIVE n(i) AS (SELECT 99 UNION ALL SELECT i - 1 FROM n WHERE i > 50)"
                 "INSERT INTO buffers SELECT CASE i WHEN 70 THEN '70' ELSE i END FROM n",
                 kinds[i]);
        open_sql(sql);
        assert_int_equal(ts_db_visit(db, &select, expect_next_row, &last, &error), TS_OK);
        assert_int_equal(last, 50);
    }
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

/* ---- stopped ---- */

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
    assert_int_equal(ts_db_index_create(db, TS_DB_OPERATIONS, "operation_id", 0, 1, &index, &error), TS_CANCELLED);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_CASE(test_tables_and_columns),
        DB_CASE(test_virtual_tables_are_none),
        DB_CASE(test_cells),
        DB_CASE(test_missing_table_has_no_rows),
        DB_CASE(test_ranks),
        DB_CASE(test_rows_by_key),
        DB_CASE(test_index),
        DB_CASE(test_stopped_between_long_texts),
        DB_CASE(test_visit),
        DB_CASE(test_visits_inside_each_other),
        DB_CASE(test_visit_in_row_order),
        DB_CASE(test_visit_in_parts),
        DB_CASE(test_read_text),
        DB_CASE(test_ten_megabytes_of_text),
        DB_CASE(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
