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

static enum ts_status scan(struct ts_db *db, sqlite3_stmt *stmt, enum ts_db_table table, struct ts_db_index *index,
                           struct ts_error *error)
{
    uint64_t rows = 0;
    int result;
    while ((result = sqlite3_step(stmt)) == SQLITE_ROW) {
        int64_t key;
        enum ts_status status = ++rows % CHECK_EVERY_ROWS ? TS_OK : ts_context_check(db->context, error);
        if (status == TS_OK && ts_db_value_integer(db, stmt, 1, &key))
            status = add_row(db, index, key, sqlite3_column_int64(stmt, 0), error);
        else
            index->keyless++;
        if (status != TS_OK)
            return status;
    }
    if (result != SQLITE_DONE)
        return ts_db_failed(db, sqlite3_extended_errcode(db->handle), ts_db_table_name(table), error);
    return TS_OK;
}

enum ts_status ts_db_index_create(struct ts_context *context, struct ts_db *db, enum ts_db_table table, const char *key,
                                  struct ts_db_index *out, struct ts_error *error)
{
    struct ts_db_index index = {.count = 0};
    const char *rowid = db->tables[table].rowid;
    char sql[160];
    sqlite3_stmt *stmt;
    (void)context;
    if (!rowid || !ts_db_has_column(db, table, key)) {
        *out = index;
        return TS_OK;
    }
    snprintf(sql, sizeof sql, "SELECT %s, \"%s\" FROM main.%s", rowid, key, ts_db_table_name(table));
    enum ts_status status = ts_db_prepare(db, sql, &stmt, error);
    if (status != TS_OK)
        return status;
    status = scan(db, stmt, table, &index, error);
    ts_db_statement_done(db, stmt);
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
