/* Where rows lie: runs of rowids by key. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "formats/profiler_db_internal.h"

enum { CHECK_EVERY_ROWS = 4096 };

void ts_db_index_free(struct ts_db_index *index)
{
    free(index->runs);
    *index = (struct ts_db_index){.count = 0};
}

size_t ts_db_index_bytes(const struct ts_db_index *index)
{
    return sizeof *index + index->capacity * sizeof *index->runs;
}

static int by_key(const void *left, const void *right)
{
    const struct ts_db_run *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static bool is_sorted(const struct ts_db_index *index)
{
    for (size_t i = 1; i < index->count; i++)
        if (by_key(&index->runs[i - 1], &index->runs[i]) > 0)
            return false;
    return true;
}

static enum ts_status add_row(struct ts_db *db, struct ts_db_index *index, int64_t key, int64_t rowid,
                              struct ts_error *error)
{
    struct ts_db_run *last = index->count > 0 ? &index->runs[index->count - 1] : NULL;
    index->rows++;
    if (last && last->key == key && last->last != INT64_MAX && last->last + 1 == rowid) {
        last->last = rowid;
        return TS_OK;
    }
    if (!ts_vec_grow(&index->runs, &index->capacity, index->count, 1, sizeof *index->runs))
        return ts_error_no_memory(error);
    index->runs[index->count++] = (struct ts_db_run){key, rowid, rowid};
    size_t limit = db->context->memory_limit;
    if (limit > 0 && index->count * sizeof *index->runs > limit)
        return ts_error_set(error, TS_LIMIT,
                            "the rows of the database are so mixed up that finding them takes over %zu MiB",
                            limit / TS_MIB);
    return TS_OK;
}

struct scan {
    struct ts_db *db;
    enum ts_db_table table;
    const char *key;
    struct ts_db_index *index;
    struct ts_db_cell cell; /* of a row read from its page */
    int64_t rowid;
    sqlite3_stmt *stmt; /* of rows from ?1 to ?2 */
};

static enum ts_status add_cell(void *data, struct ts_error *error)
{
    struct scan *scan = data;
    if (scan->cell.is_integer)
        return add_row(scan->db, scan->index, scan->cell.integer, scan->rowid, error);
    scan->index->keyless++;
    return TS_OK;
}

static enum ts_status prepare(struct scan *scan, struct ts_error *error)
{
    const char *rowid = scan->db->tables[scan->table].rowid;
    char sql[192];
    snprintf(sql, sizeof sql, "SELECT %s, \"%s\" FROM main.%s WHERE %s BETWEEN ?1 AND ?2", rowid, scan->key,
             ts_db_table_name(scan->table), rowid);
    return ts_db_prepare(scan->db, sql, &scan->stmt, error);
}

static enum ts_status step_through(void *data, int64_t first, int64_t last, struct ts_error *error)
{
    struct scan *scan = data;
    uint64_t rows = 0;
    int result;
    enum ts_status status = scan->stmt ? TS_OK : prepare(scan, error);
    if (status != TS_OK)
        return status;
    sqlite3_bind_int64(scan->stmt, 1, first);
    sqlite3_bind_int64(scan->stmt, 2, last);
    while (status == TS_OK && (result = sqlite3_step(scan->stmt)) == SQLITE_ROW) {
        int64_t key;
        status = ++rows % CHECK_EVERY_ROWS ? TS_OK : ts_context_check(scan->db->context, error);
        if (status != TS_OK)
            break;
        if (ts_db_value_integer(scan->db, scan->stmt, 1, &key))
            status = add_row(scan->db, scan->index, key, sqlite3_column_int64(scan->stmt, 0), error);
        else
            scan->index->keyless++;
    }
    if (status == TS_OK && result != SQLITE_DONE)
        status =
            ts_db_failed(scan->db, sqlite3_extended_errcode(scan->db->handle), ts_db_table_name(scan->table), error);
    sqlite3_reset(scan->stmt);
    return status;
}

/* From the pages where that can be, which takes a third of the time. */
static enum ts_status read_keys(struct scan *scan, struct ts_error *error)
{
    int place = ts_db_column_place(scan->db, scan->table, scan->key);
    if (place < 0 || !ts_db_pages_can(scan->db, scan->table))
        return step_through(scan, INT64_MIN, INT64_MAX, error);
    struct ts_db_pages pages = {
        .table = scan->table,
        .first = INT64_MIN,
        .last = INT64_MAX,
        .column_count = (unsigned)place + 1,
        .rowid = &scan->rowid,
        .row = add_cell,
        .others = step_through,
        .data = scan,
    };
    pages.cells[place] = &scan->cell;
    return ts_db_pages_read(scan->db, &pages, error);
}

enum ts_status ts_db_index_create(struct ts_context *context, struct ts_db *db, enum ts_db_table table, const char *key,
                                  struct ts_db_index *out, struct ts_error *error)
{
    struct ts_db_index index = {.count = 0};
    struct scan scan = {.db = db, .table = table, .key = key, .index = &index};
    (void)context;
    if (!db->tables[table].rowid || !ts_db_has_column(db, table, key)) {
        *out = index;
        return TS_OK;
    }
    enum ts_status status = read_keys(&scan, error);
    if (scan.stmt)
        ts_db_statement_done(db, scan.stmt);
    if (status != TS_OK) {
        ts_db_index_free(&index);
        return status;
    }
    /* A profiler writes its operations one after the other: sorting is for what was put together later. */
    if (!is_sorted(&index))
        qsort(index.runs, index.count, sizeof *index.runs, by_key);
    *out = index;
    return TS_OK;
}

const struct ts_db_run *ts_db_index_find(const struct ts_db_index *index, int64_t key, size_t *count)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->runs[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < index->count && index->runs[end].key == key)
        end++;
    *count = end - low;
    return index->runs + low;
}
