/* Rows read from pages are what SQLite reads, whatever is in them, and damaged pages are told. */
#include "support/db_case.h"

#include <stdlib.h>

#include "base/number.h"
#include "formats/profiler_db_internal.h"

static const char *const columns[] = {"operation_id", "device_id", "missing", "buffer_type", "address", NULL};
enum { COLUMNS = 5 };

static void make_and_open(const char *name, const char *before, const char *sql)
{
    const char *path = scratch_path(&scratch, name);
    sqlite3 *writer = profiler_database_open(path, before);
    char *message = NULL;
    if (sqlite3_exec(writer, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    sqlite3_close(writer);
    open_at(path);
}

/* ---- the same cells ---- */

struct seen {
    struct ts_buf text;
    unsigned rows;
};

static void add_cell(struct seen *seen, const struct ts_db_cell *cell)
{
    struct ts_db_digits digits;
    struct ts_str text = TS_STR("-");
    ts_db_cell_text(cell, &digits, &text);
    ts_buf_printf(&seen->text, "%u %zu:%.*s", cell->kind, text.len, TS_STR_ARG(text));
    if (cell->is_integer)
        ts_buf_printf(&seen->text, " = %lld", (long long)cell->integer);
    ts_buf_text(&seen->text, ",");
}

static enum ts_status see(void *data, const struct ts_db_cell *cells, struct ts_error *fault)
{
    struct seen *seen = data;
    (void)fault;
    for (unsigned i = 0; i < COLUMNS; i++)
        add_cell(seen, &cells[i]);
    ts_buf_text(&seen->text, "\n");
    seen->rows++;
    return TS_OK;
}

static void see_all(const struct ts_db_select *select, unsigned parts, struct seen *seen)
{
    ts_buf_init(&seen->text, 0);
    seen->rows = 0;
    for (unsigned part = 0; part < parts; part++)
        if (ts_db_visit_part(db, select, part, parts, see, seen, &error) != TS_OK)
            fail_msg("%s", error.message);
}

/* What SQLite hands out a row at a time. */
static void step_all(const struct ts_db_select *select, struct seen *seen)
{
    struct ts_db_rows *rows;
    bool more = false;
    ts_buf_init(&seen->text, 0);
    seen->rows = 0;
    assert_int_equal(ts_db_rows_open(db, select, &rows, &error), TS_OK);
    while (ts_db_next(rows, &more, &error) == TS_OK && more) {
        for (unsigned i = 0; i < COLUMNS; i++) {
            struct ts_db_cell cell;
            int64_t integer;
            ts_db_cell_of(rows, i, &cell);
            assert_int_equal(cell.is_integer, ts_db_integer(rows, i, &integer));
            assert_true(!cell.is_integer || cell.integer == integer);
            add_cell(seen, &cell);
        }
        ts_buf_text(&seen->text, "\n");
        seen->rows++;
    }
    ts_db_rows_close(rows);
}

static bool holds(const struct ts_db_index *index, int64_t key, int64_t rowid)
{
    size_t count;
    const struct ts_db_run *runs = ts_db_index_find(index, key, &count);
    for (size_t i = 0; i < count; i++)
        if (runs[i].first <= rowid && rowid <= runs[i].last)
            return true;
    return false;
}

static void make_index(const char *key, unsigned parts, struct ts_db_index *out)
{
    assert_int_equal(ts_db_index_create(db, TS_DB_BUFFERS, key, 0, parts, out, &error), TS_OK);
    for (unsigned part = 1; part < parts; part++) {
        struct ts_db_index index;
        assert_int_equal(ts_db_index_create(db, TS_DB_BUFFERS, key, part, parts, &index, &error), TS_OK);
        assert_int_equal(ts_db_index_join(out, &index, 0, &error), TS_OK);
        ts_db_index_free(&index);
    }
}

/* An index by `key` has each row that SQLite hands out with a whole number there, and counts the rest. */
static void expect_index(const char *key, unsigned parts)
{
    const char *const one[] = {key, NULL};
    const struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = one};
    struct ts_db_index index;
    struct ts_db_rows *rows;
    bool more = false;
    uint64_t keyed = 0, keyless = 0;
    make_index(key, parts, &index);
    assert_int_equal(ts_db_rows_open(db, &select, &rows, &error), TS_OK);
    while (ts_db_next(rows, &more, &error) == TS_OK && more) {
        int64_t value;
        bool is_key = ts_db_integer(rows, 0, &value);
        keyed += is_key;
        keyless += !is_key;
        assert_true(!is_key || holds(&index, value, ts_db_rowid(rows)));
    }
    ts_db_rows_close(rows);
    assert_int_equal(index.rows, keyed);
    assert_int_equal(index.keyless, keyless);
    for (size_t i = 1; i < index.count; i++)
        assert_true(index.runs[i - 1].key < index.runs[i].key ||
                    (index.runs[i - 1].key == index.runs[i].key && index.runs[i - 1].last < index.runs[i].first));
    ts_db_index_free(&index);
}

static void expect_same(bool pages, bool by_rank, int64_t rank)
{
    const struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = columns, .by_rank = by_rank, .rank = rank};
    struct seen stepped, seen;
    assert_int_equal(ts_db_pages_can(db, TS_DB_BUFFERS), pages);
    step_all(&select, &stepped);
    for (unsigned parts = 1; parts < 6; parts += 2) {
        see_all(&select, parts, &seen);
        assert_int_equal(seen.rows, stepped.rows);
        assert_int_equal(seen.text.len, stepped.text.len);
        assert_memory_equal(ts_buf_view(&seen.text).ptr, ts_buf_view(&stepped.text).ptr, seen.text.len);
        ts_buf_free(&seen.text);
    }
    ts_buf_free(&stepped.text);
    for (unsigned i = 0; columns[i]; i++)
        for (unsigned parts = 1; parts < 4; parts += 2)
            if (ts_db_has_column(db, TS_DB_BUFFERS, columns[i]) && ts_db_has_rowids(db, TS_DB_BUFFERS))
                expect_index(columns[i], parts);
}

/* Integers of each width, fractions, texts, blobs, nothing, and rows that do not fit into a page; with gaps between rowids. */
#define VALUES                                                                                                         \
    "CREATE TEMP TABLE v(i INTEGER PRIMARY KEY, x); INSERT INTO v(x) VALUES (NULL),(0),(1),(-1),(127),(-128),(128),"   \
    "(32767),(-32769),(8388607),(-8388609),(2147483647),(-2147483649),(140737488355327),(-140737488355329),"           \
    "(9223372036854775807),(-9223372036854775808),(1.0),(0.5),(-3.0),(1e18),(9.3e18),(1e300),('x'),(''),('12'),"       \
    "(' 7'),(x'3132'),(x''),(printf('%5000d',1)),(printf('%70000d',1) || 'x'),('BufferType::L1');"
#define ROWS(more)                                                                                                     \
    VALUES "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"                            \
           "INSERT INTO buffers(operation_id, device_id, address, buffer_type" more ")"                                \
           " SELECT (SELECT x FROM v WHERE v.i = 1 + n.i / 7 % 32), (SELECT x FROM v WHERE v.i = 1 + n.i * 5 % 29),"   \
           " (SELECT x FROM v WHERE v.i = 1 + n.i * 11 % 24), (SELECT x FROM v WHERE v.i = 1 + n.i * 3 % 32)"

static void test_what_sqlite_reads(void **state)
{
    (void)state;
    static const struct {
        const char *before, *sql;
        bool pages;
    } cases[] = {
        {"", "CREATE TABLE buffers(operation_id, device_id, address, buffer_type);" ROWS("") " FROM n", true},
        {"PRAGMA page_size=512",
         "CREATE TABLE buffers(a, operation_id int, device_id blob, address real, "
         "buffer_type numeric, z);" ROWS("") " FROM n; DELETE FROM buffers WHERE rowid % 3 = 1",
         true},
        {"PRAGMA page_size=65536",
         "CREATE TABLE buffers(buffer_type, address, device_id, operation_id);" ROWS("") " FROM n", true},
        {"PRAGMA auto_vacuum=1",
         "CREATE TABLE x(y); CREATE TABLE buffers(buffer_type, address, device_id, operation_id);" ROWS(
             "") " FROM n; DELETE FROM buffers WHERE rowid BETWEEN 500 AND 2000; VACUUM",
         true},
        {"PRAGMA encoding='UTF-16'",
         "CREATE TABLE buffers(operation_id, device_id, address, buffer_type);" ROWS("") " FROM n", true},
        {"",
         "CREATE TABLE buffers(operation_id, device_id, address);" VALUES
         "INSERT INTO buffers SELECT a.i, b.i, a.x FROM v a, v b; ALTER TABLE buffers ADD COLUMN buffer_type DEFAULT 1;"
         "INSERT INTO buffers SELECT a.i, b.i, a.x, b.x FROM v a, v b",
         true},
        {"",
         "CREATE TABLE buffers(operation_id INTEGER PRIMARY KEY, device_id, address, buffer_type);" VALUES
         "INSERT INTO buffers(device_id, address, buffer_type) SELECT a.x, b.x, b.x FROM v a, v b",
         false},
        {"",
         "CREATE TABLE buffers(operation_id, device_id AS (operation_id || 'y'), address, buffer_type AS (1) "
         "STORED);" VALUES "INSERT INTO buffers(operation_id, address) SELECT a.x, b.x FROM v a, v b",
         false},
        {"",
         "CREATE TABLE buffers(operation_id, device_id, address, buffer_type, i PRIMARY KEY) WITHOUT ROWID;" VALUES
         "INSERT INTO buffers SELECT x, x, x, x, i FROM v",
         false},
        {"",
         "CREATE TABLE buffers(operation_id DOUBLE PRECISION, device_id float4, address \"floating point\", "
         "buffer_type \"text or real\");" ROWS("") " FROM n",
         true},
        {"", "CREATE TABLE buffers(operation_id, device_id, address, buffer_type)", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[16];
        snprintf(name, sizeof name, "%zu.sqlite", i);
        make_and_open(name, cases[i].before, cases[i].sql);
        expect_same(cases[i].pages, false, 0);
    }
}

static void test_ranks(void **state)
{
    (void)state;
    make_and_open("ranked.sqlite", "",
                  "CREATE TABLE buffers(operation_id, device_id, address, buffer_type, rank);" ROWS(
                      ", rank") ", (SELECT x FROM v WHERE v.i = 1 + n.i % 32) FROM n");
    /* A text that looks like a number is none to SQL: 7 and 12. */
    for (int64_t rank = -1; rank < 13; rank++)
        expect_same(true, true, rank);
}

/* What a log holds is not in the pages. */
static void test_log(void **state)
{
    (void)state;
    const char *path = scratch_path(&scratch, "log.sqlite");
    sqlite3 *writer =
        profiler_database_open(path, "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;"
                                     "CREATE TABLE buffers(operation_id); INSERT INTO buffers VALUES(1),(2)");
    assert_int_equal(ts_db_open(&context, path, &db, &error), TS_OK);
    expect_same(false, false, 0);
    sqlite3_close(writer);
}

/* ---- damage ---- */

static enum ts_status ignore(void *data, const struct ts_db_cell *cells, struct ts_error *fault)
{
    (void)data, (void)cells, (void)fault;
    return TS_OK;
}

/* Whatever a page says, the visit ends, and either reads or says that the database is damaged. */
static enum ts_status visit_file(const char *bytes, size_t len)
{
    const struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = columns};
    const char *path = scratch_put(&scratch, "bad.sqlite", (struct ts_str){bytes, len});
    struct ts_db *bad;
    if (ts_db_open(&context, path, &bad, &error) != TS_OK)
        return TS_OK;
    enum ts_status status = ts_db_visit(bad, &select, ignore, NULL, &error);
    ts_db_close(bad);
    return status;
}

static void test_damage(void **state)
{
    (void)state;
    make_and_open("good.sqlite", "PRAGMA page_size=512",
                  "CREATE TABLE buffers(operation_id, device_id, address, buffer_type);" ROWS("") " FROM n LIMIT 300");
    struct ts_str good = scratch_get(&scratch, "good.sqlite");
    uint32_t root = db->tables[TS_DB_BUFFERS].root, random = 1, failures = 0;
    assert_true(root > 1 && (size_t)root * 512 <= good.len);
    char *copy = malloc(good.len);
    for (unsigned round = 0; round < 400; round++) {
        memcpy(copy, good.ptr, good.len);
        for (unsigned i = 0; i < 1 + round % 30; i++) {
            random = random * 1664525u + 1013904223u;
            size_t from = round % 2 ? 512 : (size_t)(root - 1) * 512, room = round % 2 ? good.len - 512 : 512;
            copy[from + (random >> 8) % room] = (char)(random >> 3);
        }
        enum ts_status status = visit_file(copy, good.len);
        assert_true(status == TS_OK || status == TS_INPUT || status == TS_LIMIT);
        failures += status == TS_INPUT;
    }
    assert_true(failures > 50);
    free(copy);
}

static void put_page(char *at, uint32_t page)
{
    at[0] = (char)(page >> 24), at[1] = (char)(page >> 16), at[2] = (char)(page >> 8), at[3] = (char)page;
}

/* Children that are their own parent, are the same, are none, or lie behind the end. */
static void test_trees_that_are_none(void **state)
{
    (void)state;
    make_and_open("good.sqlite", "PRAGMA page_size=512",
                  "CREATE TABLE buffers(operation_id, device_id, address, buffer_type);" ROWS("") " FROM n");
    struct ts_str good = scratch_get(&scratch, "good.sqlite");
    uint32_t root = db->tables[TS_DB_BUFFERS].root;
    const uint32_t children[] = {root, root + 1, 0, (uint32_t)(good.len / 512) + 1, UINT32_MAX};
    char *copy = malloc(good.len);
    for (size_t i = 0; i < sizeof children / sizeof *children; i++) {
        memcpy(copy, good.ptr, good.len);
        char *page = copy + (size_t)(root - 1) * 512;
        assert_int_equal(page[0], 5);
        unsigned count = (unsigned)((unsigned char)page[3] << 8 | (unsigned char)page[4]);
        for (unsigned cell = 0; cell < count; cell++)
            put_page(page + ((unsigned char)page[12 + 2 * cell] << 8 | (unsigned char)page[13 + 2 * cell]),
                     children[i]);
        put_page(page + 8, children[i]);
        assert_int_equal(visit_file(copy, good.len), TS_INPUT);
        assert_non_null(strstr(error.message, "damaged (database disk image is malformed)"));
    }
    free(copy);
}

/* What SQLite refuses: pages without cells, of which the rows are gone, and cells that lie in the page's header. */
static void test_lost_rows(void **state)
{
    (void)state;
    /* None that SQLite would be asked to read. */
    make_and_open("good.sqlite", "PRAGMA page_size=512",
                  "CREATE TABLE buffers(operation_id, device_id, address, buffer_type);"
                  "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
                  "INSERT INTO buffers SELECT i, i, i, i FROM n");
    struct ts_str good = scratch_get(&scratch, "good.sqlite");
    size_t root = (size_t)(db->tables[TS_DB_BUFFERS].root - 1) * 512, leaf = root;
    for (int depth = 0; good.ptr[leaf] == 5 && depth < 5; depth++)
        leaf = ((size_t)(unsigned char)good.ptr[leaf + 10] << 8 | (unsigned char)good.ptr[leaf + 11]) * 512 - 512;
    assert_int_equal(good.ptr[leaf], 13);
    const struct {
        size_t at;
        char high, low;
    } changes[] = {{root + 3, 0, 0}, {leaf + 3, 0, 0}, {root + 12, 0, 0}, {leaf + 8, 0, 9}};
    char *copy = malloc(good.len);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        memcpy(copy, good.ptr, good.len);
        copy[changes[i].at] = changes[i].high;
        copy[changes[i].at + 1] = changes[i].low;
        assert_int_equal(visit_file(copy, good.len), TS_INPUT);
    }
    free(copy);
}

/* Keys and rowids that do not ascend: whoever reads one stretch only could be led past rows. */
static void test_out_of_order(void **state)
{
    (void)state;
    make_and_open("good.sqlite", "PRAGMA page_size=512",
                  "CREATE TABLE buffers(operation_id, device_id, address, buffer_type);"
                  "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
                  "INSERT INTO buffers SELECT i, i, i, i FROM n");
    const struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = columns};
    struct ts_str good = scratch_get(&scratch, "good.sqlite");
    size_t root = (size_t)(db->tables[TS_DB_BUFFERS].root - 1) * 512;
    assert_int_equal(good.ptr[root], 5);
    char *copy = malloc(good.len);
    /* Of the third cell of the root the key, of some 80 rows: smaller than the one before, and larger than the one behind. */
    size_t cell = root + ((size_t)(unsigned char)good.ptr[root + 16] << 8 | (unsigned char)good.ptr[root + 17]);
    const char keys[][2] = {{1, 1}, {(char)0xFF, 0x7F}, {(char)0x80, 0x01}};
    /* And of a leaf the pointers to two rows: the other way round. */
    size_t leaf = ((size_t)(unsigned char)good.ptr[cell + 2] << 8 | (unsigned char)good.ptr[cell + 3]) * 512 - 512;
    assert_int_equal(good.ptr[leaf], 13);
    for (size_t i = 0; i < 4; i++) {
        memcpy(copy, good.ptr, good.len);
        if (i < 3) {
            memcpy(copy + cell + 4, keys[i], 2);
        } else {
            memcpy(copy + leaf + 8, good.ptr + leaf + 10, 2);
            memcpy(copy + leaf + 10, good.ptr + leaf + 8, 2);
        }
        assert_int_equal(visit_file(copy, good.len), TS_INPUT);
        for (unsigned parts = 2; parts < 6; parts++) {
            enum ts_status worst = TS_OK;
            open_at(scratch_path(&scratch, "bad.sqlite"));
            for (unsigned part = 0; part < parts && worst == TS_OK; part++)
                worst = ts_db_visit_part(db, &select, part, parts, ignore, NULL, &error);
            assert_int_equal(worst, TS_INPUT);
        }
    }
    free(copy);
}

static void test_stopped(void **state)
{
    (void)state;
    const struct ts_db_select select = {.table = TS_DB_BUFFERS, .columns = columns};
    make_and_open("good.sqlite", "PRAGMA page_size=512",
                  "CREATE TABLE buffers(operation_id, device_id, address, buffer_type);" ROWS("") " FROM n");
    atomic_store(&context.cancelled, true);
    assert_int_equal(ts_db_visit(db, &select, ignore, NULL, &error), TS_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_CASE(test_what_sqlite_reads),   DB_CASE(test_ranks),     DB_CASE(test_log),          DB_CASE(test_damage),
        DB_CASE(test_trees_that_are_none), DB_CASE(test_lost_rows), DB_CASE(test_out_of_order), DB_CASE(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
