/* Every row of a table, handed out from inside SQLite's loop: a third cheaper than stepping. */
#include <stdio.h>

#include "base/number.h"
#include "formats/profiler_db_internal.h"

struct visit {
    struct ts_db *db;
    enum ts_status (*visit)(void *data, const struct ts_db_cell *cells, struct ts_error *error);
    void *data;
    unsigned count;                                /* columns that are there */
    struct ts_db_cell *present[TS_DB_COLUMNS_MAX]; /* their cells */
    struct ts_db_cell cells[TS_DB_COLUMNS_MAX];
    enum ts_status status;
    struct ts_error error;
    size_t text_bytes; /* handed out since the context was last checked */
};
enum { CHECK_EVERY_BYTES = 1 << 20 };

/* False when memory is out. */
static bool read_other(struct visit *visit, sqlite3_value *value, int type, struct ts_db_cell *cell)
{
    const struct ts_db *db = visit->db;
    double number;
    cell->is_integer = false;
    cell->text = (struct ts_str){NULL, 0};
    if (type == SQLITE_FLOAT) {
        number = sqlite3_value_double(value);
        cell->is_integer = number >= -0x1p63 && number < 0x1p63 && (double)(int64_t)number == number;
        cell->integer = cell->is_integer ? (int64_t)number : 0;
    } else if (type != SQLITE_NULL) {
        bool as_held = db->utf8 || type == SQLITE_BLOB;
        cell->text.ptr = as_held ? sqlite3_value_blob(value) : (const char *)sqlite3_value_text(value);
        cell->text.len = (size_t)sqlite3_value_bytes(value);
        if (!cell->text.ptr && !as_held)
            return false;
        if (!cell->text.ptr)
            cell->text.ptr = "";
        cell->is_integer = ts_number_parse_whole(cell->text, &cell->integer);
        visit->text_bytes += cell->text.len;
    }
    return true;
}

static void on_row(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct visit *visit = sqlite3_user_data(context);
    (void)count;
    for (unsigned i = 0; i < visit->count; i++) {
        struct ts_db_cell *cell = visit->present[i];
        int type = sqlite3_value_type(values[i]);
        if (type == SQLITE_INTEGER) {
            cell->is_integer = true;
            cell->integer = sqlite3_value_int64(values[i]);
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

static enum ts_status run(struct visit *visit, const char *sql, enum ts_db_table table, struct ts_error *error)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3 *handle = visit->db->handle;
    int result = sqlite3_create_function_v2(handle, "tilesight_visit", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, visit, NULL,
                                            on_row, on_end, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(handle, sql, -1, &stmt, NULL);
    if (result == SQLITE_OK) {
        result = sqlite3_step(stmt);
        result = result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : sqlite3_extended_errcode(handle);
    }
    enum ts_status status = TS_OK;
    if (visit->status != TS_OK) {
        if (error)
            *error = visit->error;
        status = visit->status;
    } else if (result != SQLITE_OK) {
        status = ts_db_failed(visit->db, result, ts_db_table_name(table), error);
    }
    sqlite3_finalize(stmt);
    return status;
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

/* The condition that makes a part of the table; *empty when no row is in it. */
static enum ts_status add_part(struct ts_db *db, const struct ts_db_select *select, unsigned part, unsigned parts,
                               struct ts_buf *sql, bool *empty, struct ts_error *error)
{
    int64_t first, last;
    bool any = false;
    enum ts_status status = rowid_range(db, select->table, &first, &last, &any, error);
    uint64_t share = any ? ((uint64_t)last - (uint64_t)first) / parts : 0;
    *empty = any ? share == 0 && part > 0 : part > 0;
    if (status != TS_OK || !any || share == 0)
        return status;
    int64_t from = (int64_t)((uint64_t)first + share * part), to = (int64_t)((uint64_t)from + share);
    bool keyed = ts_db_has_column(db, select->table, select->columns[0]);
    if (part > 0 && keyed)
        status = align(db, select->table, select->columns[0], &from, error);
    if (status == TS_OK && part + 1 < parts && keyed)
        status = align(db, select->table, select->columns[0], &to, error);
    const char *rowid = db->tables[select->table].rowid;
    ts_buf_printf(sql, " WHERE %s >= %lld", rowid, (long long)from);
    if (part + 1 < parts)
        ts_buf_printf(sql, " AND %s < %lld", rowid, (long long)to);
    return status;
}

enum ts_status ts_db_visit_part(struct ts_db *db, const struct ts_db_select *select, unsigned part, unsigned parts,
                                enum ts_status (*visit)(void *data, const struct ts_db_cell *cells,
                                                        struct ts_error *error),
                                void *data, struct ts_error *error)
{
    struct visit state = {.db = db, .visit = visit, .data = data};
    struct ts_buf sql;
    bool empty = false;
    if (!ts_db_has_table(db, select->table))
        return TS_OK;
    ts_buf_init(&sql, 0);
    ts_buf_text(&sql, "SELECT tilesight_visit(");
    for (unsigned i = 0; select->columns[i]; i++) {
        if (!ts_db_has_column(db, select->table, select->columns[i]))
            continue;
        ts_buf_printf(&sql, "%s\"%s\"", state.count > 0 ? ", " : "", select->columns[i]);
        state.present[state.count++] = &state.cells[i];
    }
    ts_buf_printf(&sql, ") FROM main.%s", ts_db_table_name(select->table));
    size_t all = sql.len; /* what follows is a condition */
    enum ts_status status = parts > 1 ? add_part(db, select, part, parts, &sql, &empty, error) : TS_OK;
    if (select->by_rank && ts_db_has_column(db, select->table, "rank"))
        ts_buf_printf(&sql, " %s rank = %lld", sql.len > all ? "AND" : "WHERE", (long long)select->rank);
    if (status == TS_OK)
        status = ts_buf_status(&sql, error);
    if (status == TS_OK && !empty)
        status = run(&state, sql.ptr, select->table, error);
    ts_buf_free(&sql);
    return status;
}

enum ts_status ts_db_visit(struct ts_db *db, const struct ts_db_select *select,
                           enum ts_status (*visit)(void *data, const struct ts_db_cell *cells, struct ts_error *error),
                           void *data, struct ts_error *error)
{
    return ts_db_visit_part(db, select, 0, 1, visit, data, error);
}
