/* The launches of a report's graphs, read in stretches: whatever the number of threads, what a plain reading gives. */
#include "models/launch_order.h"

#include "support/db_case.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/graph_text.h"
#include "support/interpose_malloc.c"

enum { OPERATIONS = 1500, ROWS = 4200, NAMES = 7 };

/* What a row holds: launches of the operations A, B, ..., or something else. */
struct row {
    int operation;
    char names[8];
};
static struct row rows[ROWS];
static uint32_t state_of_random;

static unsigned pick(unsigned below)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % below;
}

/* Some graphs are longer than a page, so that SQLite reads them and not we. */
static void write_graph(struct ts_buf *nodes, const struct row *row)
{
    ts_buf_clear(nodes);
    ts_buf_text(nodes, "(ttnn.x");
    for (const char *name = row->names; *name; name++)
        ts_buf_printf(nodes, " (Op%c )Op%c", *name, *name);
    for (unsigned i = pick(50) == 0 ? 400 : 0; i > 0; i--)
        ts_buf_text(nodes, " x");
    ts_buf_text(nodes, " )ttnn.x");
}

static sqlite3_stmt *prepare(sqlite3 *to, const char *sql)
{
    sqlite3_stmt *stmt;
    assert_int_equal(sqlite3_prepare_v2(to, sql, -1, &stmt, NULL), SQLITE_OK);
    return stmt;
}

static void insert(sqlite3_stmt *stmt, int operation, const struct ts_buf *text)
{
    sqlite3_bind_int(stmt, 1, operation);
    if (text)
        sqlite3_bind_text64(stmt, 2, text->ptr, text->len, SQLITE_STATIC, SQLITE_UTF8);
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
    sqlite3_reset(stmt);
}

static void fill_rows(unsigned seed)
{
    state_of_random = seed;
    for (unsigned i = 0; i < ROWS; i++) {
        rows[i].operation = (int)(i / 3 + pick(5)) + (pick(100) == 0 ? 100000 : 0);
        unsigned count = pick(4);
        for (unsigned n = 0; n < count; n++)
            /* Some names come late only. */
            rows[i].names[n] = (char)('A' + (i + pick(1000)) * NAMES / (ROWS + 1000));
        rows[i].names[count] = '\0';
    }
}

/* The report of rows; its path. */
static const char *make_report(const char *name)
{
    struct ts_buf nodes, json;
    const char *path = scratch_path(&scratch, name);
    sqlite3 *to = profiler_database_open(path, "BEGIN; CREATE TABLE operations(operation_id int, name text);"
                                               "CREATE TABLE captured_graph(operation_id int, captured_graph)");
    ts_buf_init(&nodes, 0);
    ts_buf_init(&json, 0);
    sqlite3_stmt *stmt = prepare(to, "INSERT INTO operations VALUES (?1, 'x')");
    for (int i = OPERATIONS; i > 0; i--)
        insert(stmt, i, NULL);
    sqlite3_finalize(stmt);
    stmt = prepare(to, "INSERT INTO captured_graph VALUES (?1, ?2)");
    for (unsigned i = 0; i < ROWS; i++) {
        write_graph(&nodes, &rows[i]);
        ts_buf_clear(&json);
        graph_text_json(&json, nodes.ptr);
        insert(stmt, rows[i].operation, &json);
    }
    sqlite3_finalize(stmt);
    assert_int_equal(sqlite3_exec(to, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(to);
    ts_buf_free(&nodes);
    ts_buf_free(&json);
    return path;
}

/* ---- reading ---- */

static void add_list(struct ts_buf *out, const struct ts_launch_order *order, const struct ts_launch_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct ts_str name = ts_intern_text(&order->scopes.names, list->items[i].name);
        ts_buf_printf(out, "%lld%.*s ", (long long)list->items[i].operation, TS_STR_ARG(name));
    }
}

/* The order read by so many threads, or what stands in the way. */
static void read_order(const char *path, unsigned threads, struct ts_buf *out)
{
    struct ts_capture capture = {.database = (char *)(uintptr_t)path};
    struct ts_launch_order order = {.any_graph = false};
    context.threads = threads;
    open_at(path);
    struct ts_profiler profiler = {.capture = &capture, .db = db};
    enum ts_status status = ts_launch_order_read(&context, &profiler, &order, &error);
    if (status != TS_OK)
        ts_buf_printf(out, "failed %d", (int)status);
    else if (order.unreadable || order.too_large)
        ts_buf_printf(out, "%s %lld: %s", order.too_large ? "too large" : "unreadable", (long long)order.operation,
                      ts_graph_state_words(order.state));
    else if (!order.any_graph)
        ts_buf_text(out, "none");
    if (status == TS_OK && !order.unreadable) {
        struct ts_buf ends;
        ts_buf_init(&ends, 0);
        add_list(out, &order, &order.starts);
        add_list(&ends, &order, &order.ends);
        assert_string_equal(ends.ptr ? ends.ptr : "", out->ptr && order.starts.count > 0 ? out->ptr : "");
        ts_buf_free(&ends);
    }
    ts_launch_order_free(&order);
}

static void expect_order(const char *path, const char *expected)
{
    for (unsigned threads = 1; threads <= 9; threads++) {
        struct ts_buf got;
        ts_buf_init(&got, 0);
        read_order(path, threads, &got);
        ts_buf_text(&got, "");
        if (strcmp(got.ptr, expected) != 0)
            fail_msg("with %u threads: %.300s, not %.300s", threads, got.ptr, expected);
        ts_buf_free(&got);
    }
}

/* Of each operation the launches of its last row. */
static char *plain_order(void)
{
    struct ts_buf out;
    ts_buf_init(&out, 0);
    for (int operation = 1; operation <= OPERATIONS; operation++) {
        const struct row *last = NULL;
        for (unsigned i = 0; i < ROWS; i++)
            last = rows[i].operation == operation ? &rows[i] : last;
        for (const char *name = last ? last->names : ""; *name; name++)
            ts_buf_printf(&out, "%dOp%c ", operation, *name);
    }
    return out.ptr;
}

static void test_any_number_of_threads(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 4; seed++) {
        char name[32];
        snprintf(name, sizeof name, "%u.sqlite", seed);
        fill_rows(seed);
        char *expected = plain_order();
        expect_order(make_report(name), expected);
        free(expected);
    }
}

/* ---- what stands in the way ---- */

static const char *make_damaged(const char *name, const char *sql)
{
    fill_rows(1);
    const char *path = make_report(name);
    profiler_database_run(path, sql);
    return path;
}

static void test_the_first_unreadable_graph_is_named(void **state)
{
    (void)state;
    expect_order(make_damaged("a",
                              "UPDATE captured_graph SET operation_id = 7, captured_graph = '[{' WHERE rowid = 4100;"
                              "UPDATE captured_graph SET operation_id = 8, captured_graph = '{}' WHERE rowid = 900;"
                              "UPDATE captured_graph SET operation_id = 9, captured_graph = 'x' WHERE rowid = 901"),
                 "unreadable 8: is not a list of nodes");
    expect_order(
        make_damaged("b", "UPDATE captured_graph SET operation_id = 7, captured_graph = '[{' WHERE rowid = 4199"),
        "unreadable 7: is not valid JSON");
    /* Numbers are no lists, whole or not; of an operation that there is not they do no harm. */
    expect_order(make_damaged("c", "UPDATE captured_graph SET operation_id = 7, captured_graph = 5 WHERE rowid = 4000"),
                 "unreadable 7: is not a list of nodes");
    expect_order(
        make_damaged("d", "UPDATE captured_graph SET operation_id = 7, captured_graph = 5.5 WHERE rowid = 2000"),
        "unreadable 7: is not a list of nodes");
    fill_rows(1);
    rows[0].operation = rows[2999].operation = rows[4198].operation = 100000;
    char *expected = plain_order();
    const char *path = make_report("e");
    profiler_database_run(path, "UPDATE captured_graph SET captured_graph = 5.5 WHERE rowid IN (1, 3000, 4199)");
    expect_order(path, expected);
    free(expected);
}

static void test_empty_graphs(void **state)
{
    (void)state;
    expect_order(make_damaged("a", "DELETE FROM captured_graph"), "none");
    /* All but one are empty, by NULL, by an empty text and by an empty blob. */
    expect_order(
        make_damaged("b", "UPDATE captured_graph SET captured_graph = CASE rowid % 3 WHEN 0 THEN NULL WHEN 1 THEN '' "
                          "ELSE x'' END; INSERT INTO captured_graph SELECT 3, '[]'"),
        "");
}

/* A table without rowids is one stretch. */
static void test_no_rowids(void **state)
{
    (void)state;
    const char *path =
        make_damaged("a", "ALTER TABLE captured_graph RENAME TO old;"
                          "CREATE TABLE captured_graph(place INTEGER PRIMARY KEY, operation_id int, "
                          "captured_graph) WITHOUT ROWID;"
                          "INSERT INTO captured_graph SELECT rowid, operation_id, captured_graph FROM old");
    char *expected = plain_order();
    expect_order(path, expected);
    free(expected);
}

/* ---- no second connection ---- */

/* Another process that begins to write, and wants to commit when it is told to. */
struct writer {
    pid_t pid;
    int tell, hear;
};

static void write_and_wait(const char *path, int hear, int tell)
{
    sqlite3 *to =
        profiler_database_open(path, "BEGIN IMMEDIATE; UPDATE operations SET name = 'y' WHERE operation_id = 1");
    char byte = 'w';
    bool good = write(tell, &byte, 1) == 1 && read(hear, &byte, 1) == 1;
    byte = sqlite3_exec(to, "COMMIT", NULL, NULL, NULL) == SQLITE_BUSY ? 'b' : 'c';
    good = good && write(tell, &byte, 1) == 1;
    /* Until the test is over, or has failed. */
    while (good)
        good = read(hear, &byte, 1) == 1;
    _exit(0);
}

static struct writer start_writer(const char *path)
{
    int to[2], from[2];
    char byte;
    assert_true(pipe(to) == 0 && pipe(from) == 0);
    struct writer writer = {fork(), to[1], from[0]};
    assert_true(writer.pid >= 0);
    if (writer.pid == 0) {
        close(to[1]);
        close(from[0]);
        write_and_wait(path, to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    assert_int_equal(read(writer.hear, &byte, 1), 1);
    return writer;
}

static void let_commit(const struct writer *writer)
{
    char byte = 'c';
    assert_true(write(writer->tell, &byte, 1) == 1 && read(writer->hear, &byte, 1) == 1);
    assert_int_equal(byte, 'b');
}

static void stop_writer(const struct writer *writer)
{
    close(writer->tell);
    close(writer->hear);
    waitpid(writer->pid, NULL, 0);
}

/* A writer that waits for readers lets nobody new in: what was to be read beside is read after. */
static void test_a_writer_that_waits(void **state)
{
    (void)state;
    fill_rows(2);
    const char *path = make_report("a");
    char *expected = plain_order();
    struct writer writer = start_writer(path);
    struct ts_db *beside = NULL;
    open_at(path);
    let_commit(&writer);
    struct ts_capture capture = {.database = (char *)(uintptr_t)path};
    for (context.threads = 1; context.threads < 5; context.threads++) {
        struct ts_launch_order order = {.any_graph = false};
        struct ts_profiler profiler = {.capture = &capture, .db = db};
        struct ts_buf got;
        ts_buf_init(&got, 0);
        assert_int_equal(ts_db_open_beside(db, &beside, &error), TS_BUSY);
        if (ts_launch_order_read(&context, &profiler, &order, &error) != TS_OK)
            fail_msg("%s", error.message);
        add_list(&got, &order, &order.starts);
        assert_string_equal(got.ptr, expected);
        ts_buf_free(&got);
        ts_launch_order_free(&order);
    }
    stop_writer(&writer);
    free(expected);
}

static void test_no_files_left(void **state)
{
    (void)state;
    struct rlimit before, few;
    fill_rows(2);
    const char *path = make_report("a");
    char *expected = plain_order();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    /* The first connection wants two beside the database's. */
    for (unsigned more = 3; more < 9; more++) {
        int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
        close(first);
        few = (struct rlimit){(rlim_t)first + more, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        expect_order(path, expected);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        ts_db_close(db);
        db = NULL;
    }
    free(expected);
}

/* ---- failures ---- */

static void test_no_memory(void **state)
{
    (void)state;
    fill_rows(3);
    const char *path = make_report("a");
    struct ts_capture capture = {.database = (char *)(uintptr_t)path};
    unsigned failed = 0;
    open_at(path);
    for (unsigned threads = 1; threads <= 2; threads++) {
        /* Each of the first, then ever fewer: a failure long after the start is like any other. */
        for (long after = 0; after < 60000; after += 1 + after / 40) {
            struct ts_launch_order order = {.any_graph = false};
            struct ts_profiler profiler = {.capture = &capture, .db = db};
            context.threads = threads;
            interpose_fail_from(after);
            enum ts_status status = ts_launch_order_read(&context, &profiler, &order, &error);
            interpose_stop();
            assert_true(status == TS_OK || status == TS_NO_MEMORY);
            failed += status == TS_NO_MEMORY;
            ts_launch_order_free(&order);
        }
    }
    assert_true(failed > 50);
}

static void test_cancelled(void **state)
{
    (void)state;
    fill_rows(2);
    const char *path = make_report("a");
    struct ts_capture capture = {.database = (char *)(uintptr_t)path};
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct ts_launch_order order = {.any_graph = false};
        open_at(path);
        struct ts_profiler profiler = {.capture = &capture, .db = db};
        context.threads = threads;
        atomic_store(&context.cancelled, true);
        assert_int_equal(ts_launch_order_read(&context, &profiler, &order, &error), TS_CANCELLED);
        atomic_store(&context.cancelled, false);
        ts_launch_order_free(&order);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_CASE(test_any_number_of_threads),
        DB_CASE(test_the_first_unreadable_graph_is_named),
        DB_CASE(test_empty_graphs),
        DB_CASE(test_no_rowids),
        DB_CASE(test_a_writer_that_waits),
        DB_CASE(test_no_files_left),
        DB_CASE(test_no_memory),
        DB_CASE(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
