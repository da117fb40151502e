/* Where rows lie: runs of rowids by key. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "formats/profiler_db_internal.h"

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

static enum ts_status check_size(const struct ts_db_index *index, size_t max_bytes, struct ts_error *error)
{
    if (max_bytes == 0 || index->count * sizeof *index->runs <= max_bytes)
        return TS_OK;
    return ts_error_set(error, TS_LIMIT,
                        "the rows of the database are so mixed up that finding them takes over %zu MiB",
                        max_bytes / TS_MIB);
}

struct scan {
    struct ts_db_index *index;
    size_t max_bytes;
};

static enum ts_status add_row(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct scan *scan = data;
    struct ts_db_index *index = scan->index;
    struct ts_db_run *last = index->count > 0 ? &index->runs[index->count - 1] : NULL;
    int64_t key = cells[0].integer, rowid = cells[1].integer;
    if (!cells[0].is_integer) {
        index->keyless++;
        return TS_OK;
    }
    index->rows++;
    if (last && last->key == key && last->last != INT64_MAX && last->last + 1 == rowid) {
        last->last = rowid;
        return TS_OK;
    }
    if (!ts_vec_grow(&index->runs, &index->capacity, index->count, 1, sizeof *index->runs))
        return ts_error_no_memory(error);
    index->runs[index->count++] = (struct ts_db_run){key, rowid, rowid};
    return check_size(index, scan->max_bytes, error);
}

/* A profiler writes its operations one after the other: sorting is for what was put together later. */
static void sort(struct ts_db_index *index)
{
    if (!is_sorted(index))
        qsort(index->runs, index->count, sizeof *index->runs, by_key);
}

enum ts_status ts_db_index_create(struct ts_db *db, enum ts_db_table table, const char *key, unsigned part,
                                  unsigned parts, struct ts_db_index *out, struct ts_error *error)
{
    const char *const columns[] = {key, NULL};
    const struct ts_db_select select = {.table = table, .columns = columns, .with_rowid = true};
    struct scan scan = {out, db->context->memory_limit};
    *out = (struct ts_db_index){.count = 0};
    if (!db->tables[table].rowid || !ts_db_has_column(db, table, key))
        return TS_OK;
    enum ts_status status = ts_db_visit_part(db, &select, part, parts, add_row, &scan, error);
    if (status != TS_OK)
        ts_db_index_free(out);
    else
        sort(out);
    return status;
}

enum ts_status ts_db_index_join(struct ts_db_index *index, const struct ts_db_index *later, size_t max_bytes,
                                struct ts_error *error)
{
    if (!ts_vec_grow(&index->runs, &index->capacity, index->count, later->count, sizeof *index->runs))
        return ts_error_no_memory(error);
    if (later->count > 0)
        memcpy(index->runs + index->count, later->runs, later->count * sizeof *later->runs);
    index->count += later->count;
    index->rows += later->rows;
    index->keyless += later->keyless;
    sort(index);
    return check_size(index, max_bytes, error);
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
    return *count > 0 ? index->runs + low : NULL;
}
