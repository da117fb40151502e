/* Reading rows and cells. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "formats/profiler_db_internal.h"

enum { CHECK_EVERY_ROWS = 1024, CHECK_EVERY_BYTES = 1 << 20 };

struct ts_db_rows {
    struct ts_db *db;
    sqlite3_stmt *stmt; /* NULL: there is nothing to read */
    struct ts_db_select select;
    unsigned column_count;
    bool have[TS_DB_COLUMNS_MAX];
    const struct ts_db_run *runs; /* still to be read; when found by an index */
    size_t run_count;
    bool by_runs, started, finished, failed;
    uint64_t rows;
    struct ts_db_digits digits[TS_DB_COLUMNS_MAX];
};

/* ---- cells ---- */

static bool whole(double value, int64_t *out)
{
    /* -2^63 and 2^63: what lies between is in range. */
    if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0) || value != floor(value))
        return false;
    *out = (int64_t)value;
    return true;
}

static struct ts_str stored_text(struct ts_db *db, sqlite3_stmt *stmt, int column)
{
    /* The text as the file holds it saves a copy with a NUL behind it. */
    const char *ptr = db->utf8 || sqlite3_column_type(stmt, column) == SQLITE_BLOB
                          ? sqlite3_column_blob(stmt, column)
                          : (const char *)sqlite3_column_text(stmt, column);
    return (struct ts_str){ptr, (size_t)sqlite3_column_bytes(stmt, column)};
}

bool ts_db_value_integer(struct ts_db *db, sqlite3_stmt *stmt, int column, int64_t *out)
{
    switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_INTEGER:
        *out = sqlite3_column_int64(stmt, column);
        return true;
    case SQLITE_FLOAT:
        return whole(sqlite3_column_double(stmt, column), out);
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        return ts_number_parse_whole(stored_text(db, stmt, column), out);
    default:
        return false;
    }
}

bool ts_db_rows_have(const struct ts_db_rows *rows, unsigned column)
{
    return rows->have[column];
}

bool ts_db_integer(const struct ts_db_rows *rows, unsigned column, int64_t *out)
{
    return rows->have[column] && ts_db_value_integer(rows->db, rows->stmt, (int)column, out);
}

double ts_db_number(const struct ts_db_rows *rows, unsigned column)
{
    if (!rows->have[column])
        return TS_ABSENT;
    switch (sqlite3_column_type(rows->stmt, (int)column)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        return sqlite3_column_double(rows->stmt, (int)column);
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        return ts_number_or_absent(stored_text(rows->db, rows->stmt, (int)column));
    default:
        return TS_ABSENT;
    }
}

static struct ts_str digits_of_integer(int64_t number, struct ts_db_digits *digits)
{
    snprintf(digits->text, sizeof digits->text, "%" PRId64, number);
    return ts_str_from(digits->text);
}

static struct ts_str digits_of_real(double number, struct ts_db_digits *digits)
{
    char text[TS_NUMBER_TEXT_MAX];
    ts_number_python(number, text);
    snprintf(digits->text, sizeof digits->text, "%.*s", (int)sizeof digits->text - 1, text);
    return ts_str_from(digits->text);
}

bool ts_db_text(struct ts_db_rows *rows, unsigned column, struct ts_str *out)
{
    if (!rows->have[column])
        return false;
    int at = (int)column;
    switch (sqlite3_column_type(rows->stmt, at)) {
    case SQLITE_INTEGER:
        *out = digits_of_integer(sqlite3_column_int64(rows->stmt, at), &rows->digits[column]);
        return true;
    case SQLITE_FLOAT:
        *out = digits_of_real(sqlite3_column_double(rows->stmt, at), &rows->digits[column]);
        return true;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        *out = stored_text(rows->db, rows->stmt, at);
        /* An empty blob has no address; a text that had to be converted has one unless memory was out. */
        if (!out->ptr && (out->len > 0 || (!rows->db->utf8 && sqlite3_column_type(rows->stmt, at) == SQLITE_TEXT))) {
            rows->failed = true;
            return false;
        }
        if (!out->ptr)
            out->ptr = "";
        rows->db->text_bytes += out->len;
        return true;
    default:
        return false;
    }
}

void ts_db_cell_real(struct ts_db_cell *cell, double number)
{
    *cell = (struct ts_db_cell){.kind = isnan(number) ? TS_DB_KIND_NULL : TS_DB_KIND_REAL, .real = number};
    cell->is_integer = whole(number, &cell->integer);
}

void ts_db_cell_string(struct ts_db_cell *cell, struct ts_str text)
{
    *cell = (struct ts_db_cell){.kind = TS_DB_KIND_TEXT, .text = text};
    cell->is_integer = ts_number_parse_whole(text, &cell->integer);
}

void ts_db_cell_of(struct ts_db_rows *rows, unsigned column, struct ts_db_cell *out)
{
    int type = rows->have[column] ? sqlite3_column_type(rows->stmt, (int)column) : SQLITE_NULL;
    struct ts_str text;
    if (type == SQLITE_INTEGER)
        ts_db_cell_integer(out, sqlite3_column_int64(rows->stmt, (int)column));
    else if (type == SQLITE_FLOAT)
        ts_db_cell_real(out, sqlite3_column_double(rows->stmt, (int)column));
    else if (type != SQLITE_NULL && ts_db_text(rows, column, &text))
        ts_db_cell_string(out, text);
    else
        ts_db_cell_null(out);
}

bool ts_db_cell_text(const struct ts_db_cell *cell, struct ts_db_digits *digits, struct ts_str *out)
{
    switch ((enum ts_db_kind)cell->kind) {
    case TS_DB_KIND_INTEGER:
        *out = digits_of_integer(cell->integer, digits);
        return true;
    case TS_DB_KIND_REAL:
        *out = digits_of_real(cell->real, digits);
        return true;
    case TS_DB_KIND_TEXT:
        *out = cell->text;
        return true;
    default:
        return false;
    }
}

double ts_db_cell_number(const struct ts_db_cell *cell)
{
    switch ((enum ts_db_kind)cell->kind) {
    case TS_DB_KIND_INTEGER:
        return (double)cell->integer;
    case TS_DB_KIND_REAL:
        return cell->real;
    case TS_DB_KIND_TEXT:
        return ts_number_or_absent(cell->text);
    default:
        return TS_ABSENT;
    }
}

int64_t ts_db_rowid(const struct ts_db_rows *rows)
{
    return rows->db->tables[rows->select.table].rowid ? sqlite3_column_int64(rows->stmt, (int)rows->column_count) : 0;
}

/* ---- the statement ---- */

/* Columns that exist by name and NULL for the rest; then the rowid; then the key, where it is compared here. */
static void build_sql(struct ts_db_rows *rows, struct ts_buf *sql)
{
    const struct ts_db_select *select = &rows->select;
    const char *rowid = rows->db->tables[select->table].rowid;
    ts_buf_text(sql, "SELECT ");
    for (unsigned i = 0; i < rows->column_count; i++) {
        if (rows->have[i])
            ts_buf_printf(sql, "\"%s\", ", select->columns[i]);
        else
            ts_buf_text(sql, "NULL, ");
    }
    ts_buf_text(sql, rowid ? rowid : "0");
    if (select->key && !rows->by_runs)
        ts_buf_printf(sql, ", \"%s\"", select->key);
    ts_buf_printf(sql, " FROM main.%s", ts_db_table_name(select->table));
    if (rows->by_runs)
        ts_buf_printf(sql, " WHERE %s BETWEEN ?1 AND ?2", rowid);
    if (select->by_rank && ts_db_has_column(rows->db, select->table, "rank"))
        ts_buf_text(sql, rows->by_runs ? " AND rank = ?3" : " WHERE rank = ?3");
    if (rowid)
        ts_buf_printf(sql, " ORDER BY %s", rowid);
}

static enum ts_status prepare(struct ts_db_rows *rows, struct ts_error *error)
{
    struct ts_buf sql;
    ts_buf_init(&sql, 0);
    build_sql(rows, &sql);
    enum ts_status status = ts_buf_status(&sql, error);
    if (status == TS_OK)
        status = ts_db_prepare(rows->db, sql.ptr, &rows->stmt, error);
    ts_buf_free(&sql);
    if (status == TS_OK && sqlite3_bind_parameter_count(rows->stmt) >= 3)
        sqlite3_bind_int64(rows->stmt, 3, rows->select.rank);
    return status;
}

static enum ts_status begin(struct ts_db_rows *rows, struct ts_error *error)
{
    const struct ts_db *db = rows->db;
    const struct ts_db_select *select = &rows->select;
    if (!ts_db_has_table(db, select->table) || (select->key && !ts_db_has_column(db, select->table, select->key)))
        return TS_OK;
    for (; select->columns[rows->column_count]; rows->column_count++)
        rows->have[rows->column_count] = ts_db_has_column(db, select->table, select->columns[rows->column_count]);
    rows->by_runs = select->key && select->index && db->tables[select->table].rowid;
    if (rows->by_runs) {
        rows->runs = ts_db_index_find(select->index, select->key_value, &rows->run_count);
        if (rows->run_count == 0)
            return TS_OK;
    }
    return prepare(rows, error);
}

enum ts_status ts_db_rows_open(struct ts_db *db, const struct ts_db_select *select, struct ts_db_rows **out,
                               struct ts_error *error)
{
    struct ts_db_rows *rows = calloc(1, sizeof *rows);
    if (!rows)
        return ts_error_no_memory(error);
    rows->db = db;
    rows->select = *select;
    enum ts_status status = begin(rows, error);
    if (status != TS_OK) {
        ts_db_rows_close(rows);
        return status;
    }
    *out = rows;
    return TS_OK;
}

void ts_db_rows_close(struct ts_db_rows *rows)
{
    if (!rows)
        return;
    if (rows->stmt)
        ts_db_statement_done(rows->db, rows->stmt);
    free(rows);
}

/* ---- stepping ---- */

/* Point the statement at the next run; false when there is none. */
static bool next_run(struct ts_db_rows *rows)
{
    if (rows->run_count == 0)
        return false;
    if (rows->started)
        sqlite3_reset(rows->stmt);
    rows->started = true;
    sqlite3_bind_int64(rows->stmt, 1, rows->runs->first);
    sqlite3_bind_int64(rows->stmt, 2, rows->runs->last);
    rows->runs++;
    rows->run_count--;
    return true;
}

static bool is_wanted(struct ts_db_rows *rows)
{
    int64_t key;
    if (!rows->select.key || rows->by_runs)
        return true;
    return ts_db_value_integer(rows->db, rows->stmt, (int)rows->column_count + 1, &key) &&
           key == rows->select.key_value;
}

enum ts_status ts_db_next(struct ts_db_rows *rows, bool *more, struct ts_error *error)
{
    *more = false;
    if (rows->failed)
        return ts_error_no_memory(error);
    if (!rows->stmt || rows->finished || (rows->by_runs && !rows->started && !next_run(rows)))
        return TS_OK;
    for (;;) {
        if (++rows->rows % CHECK_EVERY_ROWS == 0 || rows->db->text_bytes >= CHECK_EVERY_BYTES) {
            rows->db->text_bytes = 0;
            enum ts_status status = ts_context_check(rows->db->context, error);
            if (status != TS_OK)
                return status;
        }
        int result = sqlite3_step(rows->stmt);
        if (result == SQLITE_ROW && is_wanted(rows)) {
            *more = true;
            return TS_OK;
        }
        if (result == SQLITE_DONE && rows->by_runs && next_run(rows))
            continue;
        if (result == SQLITE_DONE) {
            rows->finished = true; /* one step more would begin anew */
            return TS_OK;
        }
        if (result != SQLITE_ROW)
            return ts_db_failed(rows->db, sqlite3_extended_errcode(rows->db->handle),
                                ts_db_table_name(rows->select.table), error);
    }
}

/* ---- one large text ---- */

/* Point the open blob at the row, or open one; SQLITE_ERROR where there is no text. */
static int point_blob(struct ts_db *db, enum ts_db_table table, const char *column, int64_t rowid)
{
    if (db->blob && db->blob_table == table && strcmp(db->blob_column, column) == 0) {
        int result = sqlite3_blob_reopen(db->blob, rowid);
        if (result != SQLITE_ERROR)
            return result;
    }
    sqlite3_blob_close(db->blob);
    db->blob = NULL;
    db->blob_table = table;
    db->blob_column = column;
    return sqlite3_blob_open(db->handle, "main", ts_db_table_name(table), column, rowid, 0, &db->blob);
}

static enum ts_status fill(struct ts_buf *buf, size_t length, size_t slack, struct ts_error *error)
{
    static const char zeros[64] = {0};
    for (size_t left = slack; left > 0 && !buf->failed;) {
        size_t some = left < sizeof zeros ? left : sizeof zeros;
        ts_buf_add(buf, zeros, some);
        left -= some;
    }
    if (!buf->failed)
        buf->len = length;
    return ts_buf_status(buf, error);
}

/* For what blobs cannot read: numbers, NULL, text that is held in UTF-16. */
static enum ts_status read_by_select(struct ts_db *db, enum ts_db_table table, const char *column, int64_t rowid,
                                     size_t max, struct ts_buf *buf, size_t *length, enum ts_db_text_state *state,
                                     struct ts_error *error)
{
    const char *const columns[] = {column, NULL};
    struct ts_db_run run = {.key = 0, .first = rowid, .last = rowid};
    const struct ts_db_index index = {.runs = &run, .count = 1};
    const struct ts_db_select select = {.table = table, .columns = columns, .key = column, .index = &index};
    struct ts_db_rows *rows;
    struct ts_str text = {NULL, 0};
    bool more = false;
    enum ts_status status = ts_db_rows_open(db, &select, &rows, error);
    if (status != TS_OK)
        return status;
    status = ts_db_next(rows, &more, error);
    bool there = status == TS_OK && more && ts_db_text(rows, 0, &text);
    *length = text.len;
    *state = !there ? TS_DB_TEXT_NULL : text.len > max ? TS_DB_TEXT_TOO_LONG : TS_DB_TEXT_READ;
    if (*state == TS_DB_TEXT_READ)
        ts_buf_str(buf, text);
    if (status == TS_LIMIT) {
        *state = TS_DB_TEXT_TOO_LONG;
        *length = TS_LIMIT_DB_VALUE;
        status = TS_OK;
    }
    if (status == TS_OK && rows->failed)
        status = ts_error_no_memory(error);
    ts_db_rows_close(rows);
    return status;
}

/* Room for the text is taken before it is read, so that it goes straight to where it stays. */
static enum ts_status read_blob(struct ts_db *db, size_t length, struct ts_buf *buf, struct ts_error *error)
{
    enum { PIECE = 1 << 20 };
    char *room = ts_buf_extend(buf, length);
    if (!room)
        return ts_buf_status(buf, error);
    for (size_t at = 0; at < length;) {
        size_t some = length - at < PIECE ? length - at : PIECE;
        enum ts_status status = ts_context_check(db->context, error);
        if (status != TS_OK)
            return status;
        int result = sqlite3_blob_read(db->blob, room + at, (int)some, (int)at);
        if (result != SQLITE_OK)
            return ts_db_failed(db, sqlite3_extended_errcode(db->handle), ts_db_table_name(db->blob_table), error);
        at += some;
    }
    return TS_OK;
}

enum ts_status ts_db_read_text(struct ts_db *db, enum ts_db_table table, const char *column, int64_t rowid, size_t max,
                               size_t slack, struct ts_buf *buf, size_t *length, enum ts_db_text_state *state,
                               struct ts_error *error)
{
    ts_buf_clear(buf);
    *length = 0;
    int result = db->utf8 ? point_blob(db, table, column, rowid) : SQLITE_ERROR;
    enum ts_status status = TS_OK;
    if (result == SQLITE_ERROR) {
        status = read_by_select(db, table, column, rowid, max, buf, length, state, error);
    } else if (result != SQLITE_OK) {
        return ts_db_failed(db, result, ts_db_table_name(table), error);
    } else {
        *length = (size_t)sqlite3_blob_bytes(db->blob);
        *state = *length > max ? TS_DB_TEXT_TOO_LONG : TS_DB_TEXT_READ;
        if (*state == TS_DB_TEXT_READ)
            status = read_blob(db, *length, buf, error);
    }
    if (status == TS_OK && *state == TS_DB_TEXT_READ)
        status = fill(buf, *length, slack, error);
    return status;
}
