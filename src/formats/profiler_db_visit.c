/* Every row of a table: from its pages where they are all there is to it, and else from inside SQLite's loop, which is a third
 * cheaper than stepping. */
#include <stdio.h>
#include <strings.h>

#include "base/number.h"
#include "formats/profiler_db_internal.h"

struct visit {
    struct ts_db *db;
    const struct ts_db_select *select;
    sqlite3_stmt *stmt; /* made when SQLite is first asked */
    bool by_rank;
    struct ts_db_cell rank;
    ts_db_visit_fn *visit;
    void *data;
    unsigned count;                                    /* values that are there, the rowid last */
    struct ts_db_cell *present[TS_DB_COLUMNS_MAX + 1]; /* their cells */
    struct ts_db_cell cells[TS_DB_COLUMNS_MAX + 1];
    enum ts_status status;
    struct ts_error error;
    size_t text_bytes; /* handed out since the context was last checked */
};
enum { CHECK_EVERY_BYTES = 1 << 20 };

/* False when memory is out. */
static bool read_other(struct visit *visit, sqlite3_value *value, int type, struct ts_db_cell *cell)
{
    const struct ts_db *db = visit->db;
    if (type == SQLITE_FLOAT) {
        ts_db_cell_real(cell, sqlite3_value_double(value));
    } else if (type == SQLITE_NULL) {
        ts_db_cell_null(cell);
    } else {
        bool as_held = db->utf8 || type == SQLITE_BLOB;
        const char *text = as_held ? sqlite3_value_blob(value) : (const char *)sqlite3_value_text(value);
        if (!text && !as_held)
            return false;
        ts_db_cell_string(cell, (struct ts_str){text ? text : "", (size_t)sqlite3_value_bytes(value)});
        visit->text_bytes += cell->text.len;
    }
    return true;
}

static void on_row(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct ts_db *db = sqlite3_user_data(context);
    struct visit *visit = db->visit;
    (void)count;
    for (unsigned i = 0; i < visit->count; i++) {
        struct ts_db_cell *cell = visit->present[i];
        int type = sqlite3_value_type(values[i]);
        if (type == SQLITE_INTEGER) {
            ts_db_cell_integer(cell, sqlite3_value_int64(values[i]));
        } else if (!read_other(visit, values[i], type, cell)) {
            visit->status = ts_error_no_memory(&visit->error);
            sqlite3_result_error_nomem(context);
            return;
        }
    }
    if (visit->text_bytes >= CHECK_EVERY_BYTES) {
        visit->text_bytes = 0;
        visit->status = ts_context_check(visit->db->context, &visit->error);
    }
    if (visit->status == TS_OK)
        visit->status = visit->visit(visit->data, visit->cells, &visit->error);
    if (visit->status != TS_OK)
        sqlite3_result_error_code(context, SQLITE_ABORT);
}

static void on_end(sqlite3_context *context)
{
    sqlite3_result_null(context);
}

static void build_sql(const struct visit *visit, struct ts_buf *sql)
{
    const struct ts_db_select *select = visit->select;
    const char *rowid = visit->db->tables[select->table].rowid;
    unsigned count = 0;
    ts_buf_text(sql, "SELECT tilesight_visit(");
    for (unsigned i = 0; select->columns[i]; i++)
        if (ts_db_has_column(visit->db, select->table, select->columns[i]))
            ts_buf_printf(sql, "%s\"%s\"", count++ > 0 ? ", " : "", select->columns[i]);
    if (select->with_rowid)
        ts_buf_printf(sql, "%s%s", count > 0 ? ", " : "", rowid);
    /* An index would hand out the rows in its own order. */
    ts_buf_printf(sql, ") FROM main.%s NOT INDEXED", ts_db_table_name(select->table));
    if (rowid)
        ts_buf_printf(sql, " WHERE %s BETWEEN ?1 AND ?2", rowid);
    if (visit->by_rank)
        ts_buf_printf(sql, " %s rank = %lld", rowid ? "AND" : "WHERE", (long long)select->rank);
}

static int prepare(struct visit *visit, const char *sql)
{
    struct ts_db *db = visit->db;
    int result = SQLITE_OK;
    /* Once for all visits: a function cannot be set anew while another statement runs. */
    if (!db->can_visit)
        result = sqlite3_create_function_v2(db->handle, "tilesight_visit", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, db,
                                            NULL, on_row, on_end, NULL);
    db->can_visit = result == SQLITE_OK;
    return result == SQLITE_OK ? sqlite3_prepare_v2(db->handle, sql, -1, &visit->stmt, NULL) : result;
}

static enum ts_status begin(struct visit *visit, struct ts_error *error)
{
    struct ts_buf sql;
    ts_buf_init(&sql, 0);
    build_sql(visit, &sql);
    enum ts_status status = ts_buf_status(&sql, error);
    int result = status == TS_OK ? prepare(visit, sql.ptr) : SQLITE_OK;
    ts_buf_free(&sql);
    return result == SQLITE_OK ? status
                               : ts_db_failed(visit->db, result, ts_db_table_name(visit->select->table), error);
}

/* The rows from first to last, by SQLite. */
static enum ts_status run(void *data, int64_t first, int64_t last, struct ts_error *error)
{
    struct visit *visit = data;
    sqlite3 *handle = visit->db->handle;
    enum ts_status status = visit->stmt ? TS_OK : begin(visit, error);
    if (status != TS_OK)
        return status;
    if (sqlite3_bind_parameter_count(visit->stmt) > 0) {
        sqlite3_bind_int64(visit->stmt, 1, first);
        sqlite3_bind_int64(visit->stmt, 2, last);
    }
    /* What is visited may be looked up in meanwhile by a visit of its own. */
    struct visit *outer = visit->db->visit;
    visit->db->visit = visit;
    int result = sqlite3_step(visit->stmt);
    visit->db->visit = outer;
    if (visit->status != TS_OK) {
        if (error)
            *error = visit->error;
        status = visit->status;
    } else if (result != SQLITE_ROW && result != SQLITE_DONE) {
        status =
            ts_db_failed(visit->db, sqlite3_extended_errcode(handle), ts_db_table_name(visit->select->table), error);
    }
    sqlite3_reset(visit->stmt);
    return status;
}

/* A row whose cells were filled from a page. */
static enum ts_status pass_on(void *data, struct ts_error *error)
{
    struct visit *visit = data;
    if (visit->by_rank && (!visit->rank.is_integer || visit->rank.integer != visit->select->rank))
        return TS_OK;
    return visit->visit(visit->data, visit->cells, error);
}

/* The first and the last rowid of a table; *any false when it has none. */
static enum ts_status rowid_range(struct ts_db *db, enum ts_db_table table, int64_t *first, int64_t *last, bool *any,
                                  struct ts_error *error)
{
    const char *rowid = db->tables[table].rowid;
    char sql[160];
    sqlite3_stmt *stmt;
    *any = false;
    if (!rowid)
        return TS_OK;
    /* Two look-ups; min and max in one statement would be a scan. */
    snprintf(sql, sizeof sql, "SELECT (SELECT min(%s) FROM main.%s), (SELECT max(%s) FROM main.%s)", rowid,
             ts_db_table_name(table), rowid, ts_db_table_name(table));
    enum ts_status status = ts_db_prepare(db, sql, &stmt, error);
    if (status != TS_OK)
        return status;
    if (sqlite3_step(stmt) != SQLITE_ROW) {
        status = ts_db_failed(db, sqlite3_extended_errcode(db->handle), ts_db_table_name(table), error);
    } else {
        *any = sqlite3_column_type(stmt, 0) == SQLITE_INTEGER;
        *first = sqlite3_column_int64(stmt, 0);
        *last = sqlite3_column_int64(stmt, 1);
    }
    ts_db_statement_done(db, stmt);
    return status;
}

enum ts_status ts_db_row_span(struct ts_db *db, enum ts_db_table table, uint64_t *span, struct ts_error *error)
{
    int64_t first, last;
    bool any = false;
    enum ts_status status = ts_db_has_table(db, table) ? rowid_range(db, table, &first, &last, &any, error) : TS_OK;
    *span = any ? (uint64_t)last - (uint64_t)first : 0;
    return status;
}

/* The first row at or behind a rowid that begins a run of equal values in a column, so that runs stay whole; *rowid stays
 * where it is when the run it lies in is very long. */
static enum ts_status align(struct ts_db *db, enum ts_db_table table, const char *column, int64_t *rowid,
                            struct ts_error *error)
{
    enum { RUN_MAX = 100000 };
    const char *name = db->tables[table].rowid;
    char sql[192];
    sqlite3_stmt *stmt;
    int64_t value, first = 0;
    snprintf(sql, sizeof sql, "SELECT %s, \"%s\" FROM main.%s WHERE %s >= ?1 ORDER BY %s", name, column,
             ts_db_table_name(table), name, name);
    enum ts_status status = ts_db_prepare(db, sql, &stmt, error);
    if (status != TS_OK)
        return status;
    sqlite3_bind_int64(stmt, 1, *rowid - 1);
    int result = SQLITE_ROW;
    for (unsigned rows = 0; rows < RUN_MAX && (result = sqlite3_step(stmt)) == SQLITE_ROW; rows++) {
        bool known = ts_db_value_integer(db, stmt, 1, &value);
        if (rows == 0)
            first = known ? value : 0;
        if (rows > 0 && (!known || value != first)) {
            *rowid = sqlite3_column_int64(stmt, 0);
            break;
        }
    }
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        status = ts_db_failed(db, sqlite3_extended_errcode(db->handle), ts_db_table_name(table), error);
    ts_db_statement_done(db, stmt);
    return status;
}

/* The rowids that a part of the table is; *last < *first when no row is in it. */
static enum ts_status find_part(struct ts_db *db, const struct ts_db_select *select, unsigned part, unsigned parts,
                                int64_t *first, int64_t *last, struct ts_error *error)
{
    int64_t lowest, highest;
    bool any = false;
    *first = INT64_MIN;
    *last = INT64_MAX;
    enum ts_status status = parts > 1 ? rowid_range(db, select->table, &lowest, &highest, &any, error) : TS_OK;
    uint64_t share = any ? ((uint64_t)highest - (uint64_t)lowest) / parts : 0;
    if (status != TS_OK || parts == 1)
        return status;
    if (share == 0) {
        *last = part > 0 ? INT64_MIN : INT64_MAX;
        *first = part > 0 ? INT64_MAX : INT64_MIN;
        return TS_OK;
    }
    int64_t from = (int64_t)((uint64_t)lowest + share * part), to = (int64_t)((uint64_t)from + share);
    bool keyed = ts_db_has_column(db, select->table, select->columns[0]);
    if (part > 0 && keyed)
        status = align(db, select->table, select->columns[0], &from, error);
    if (status == TS_OK && part + 1 < parts && keyed)
        status = align(db, select->table, select->columns[0], &to, error);
    *first = part > 0 ? from : INT64_MIN;
    *last = part + 1 < parts ? to - 1 : INT64_MAX;
    return status;
}

static void want(struct ts_db_pages *pages, int place, struct ts_db_cell *cell)
{
    pages->cells[place] = cell;
    if ((unsigned)place >= pages->column_count)
        pages->column_count = (unsigned)place + 1;
}

static enum ts_status visit_rows(struct visit *visit, int64_t first, int64_t last, struct ts_error *error)
{
    const struct ts_db_select *select = visit->select;
    struct ts_db_pages pages = {
        .table = select->table, .first = first, .last = last, .row = pass_on, .others = run, .data = visit};
    bool can = ts_db_pages_can(visit->db, select->table);
    pages.reals = visit->db->tables[select->table].reals;
    unsigned i = 0;
    for (; select->columns[i]; i++) {
        int place = ts_db_column_place(visit->db, select->table, select->columns[i]);
        if (place < 0)
            continue;
        visit->present[visit->count++] = &visit->cells[i];
        /* A cell has room for one column's value only. */
        can = can && (!visit->by_rank || strcasecmp(select->columns[i], "rank") != 0);
        if (can)
            want(&pages, place, &visit->cells[i]);
    }
    if (select->with_rowid)
        visit->present[visit->count++] = pages.rowid = &visit->cells[i];
    if (can && visit->by_rank) {
        want(&pages, ts_db_column_place(visit->db, select->table, "rank"), &visit->rank);
        pages.compared = &visit->rank;
    }
    return can ? ts_db_pages_read(visit->db, &pages, error) : run(visit, first, last, error);
}

enum ts_status ts_db_visit_part(struct ts_db *db, const struct ts_db_select *select, unsigned part, unsigned parts,
                                ts_db_visit_fn *visit, void *data, struct ts_error *error)
{
    struct visit state = {.db = db, .select = select, .visit = visit, .data = data};
    int64_t first, last;
    if (!ts_db_has_table(db, select->table))
        return TS_OK;
    state.by_rank = select->by_rank && ts_db_has_column(db, select->table, "rank");
    enum ts_status status = find_part(db, select, part, parts, &first, &last, error);
    if (status != TS_OK || first > last)
        return status;
    status = visit_rows(&state, first, last, error);
    sqlite3_finalize(state.stmt);
    return status;
}

enum ts_status ts_db_visit(struct ts_db *db, const struct ts_db_select *select, ts_db_visit_fn *visit, void *data,
                           struct ts_error *error)
{
    return ts_db_visit_part(db, select, 0, 1, visit, data, error);
}
