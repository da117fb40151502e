/* The rows of a table straight from its pages, several times faster than through SQLite's machine, which decodes a column at a
 * time. Only rows of the usual kind are decoded here; the rest, whatever it is, is left to SQLite, row by row. The layout is that
 * of the SQLite file format: https://www.sqlite.org/fileformat2.html, sections 1.3 to 1.6 and 2.1. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "formats/profiler_db_internal.h"

enum {
    DEPTH_MAX = 20, /* of SQLite's own cursors */
    CHECK_EVERY_PAGES = 256,
    FILE_HEADER = 100,
    INTERIOR = 5,
    LEAF = 13,
};

/* Rowids that may still come: they ascend, and what an interior page says of those below a child is true. */
struct range {
    int64_t least, most;
    bool spent; /* none */
};
struct level {
    unsigned char *page;
    unsigned head, count, next; /* where its header begins; cells; the next to be looked at */
    struct range range;
};

struct reader {
    const struct ts_db_pages *select;
    struct ts_db *db;
    sqlite3_file *file;
    uint32_t page_size, usable, page_count;
    uint64_t read; /* pages */
    unsigned depth;
    struct level levels[DEPTH_MAX];
};

bool ts_db_pages_can(const struct ts_db *db, enum ts_db_table table)
{
    const struct ts_db_columns *columns = &db->tables[table];
    return columns->plain && columns->rowid && columns->root > 0 && columns->names.count <= TS_DB_PAGES_COLUMNS &&
           !db->has_log;
}

static enum ts_status damaged(const struct reader *reader, struct ts_error *error)
{
    return ts_db_failed(reader->db, SQLITE_CORRUPT, ts_db_table_name(reader->select->table), error);
}

/* ---- numbers ---- */

static unsigned two_bytes(const unsigned char *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static uint32_t four_bytes(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Of the first bytes, most significant first; signed. */
static int64_t signed_bytes(const unsigned char *at, unsigned size)
{
    uint64_t value = at[0] & 0x80 ? UINT64_MAX : 0;
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | at[i];
    return (int64_t)value;
}

/* A number of one to nine bytes; false when it does not end before end. */
static bool take_varint(const unsigned char **at, const unsigned char *end, uint64_t *out)
{
    const unsigned char *p = *at;
    uint64_t value = 0;
    for (unsigned i = 0; i < 9 && p < end; i++) {
        unsigned char byte = *p++;
        value = i < 8 ? value << 7 | (byte & 0x7F) : value << 8 | byte;
        if (i == 8 || !(byte & 0x80)) {
            *at = p;
            *out = value;
            return true;
        }
    }
    return false;
}

/* Take a rowid, or what stands for all up to it, out of a range; false when it is not in it. */
static bool advance(struct range *range, int64_t rowid)
{
    if (range->spent || rowid < range->least || rowid > range->most)
        return false;
    range->spent = rowid == INT64_MAX;
    range->least = range->spent ? rowid : rowid + 1;
    return true;
}

/* ---- pages ---- */

static enum ts_status read_bytes(const struct reader *reader, void *out, uint32_t size, uint32_t page,
                                 struct ts_error *error)
{
    sqlite3_int64 offset = (sqlite3_int64)(page - 1) * reader->page_size;
    int result = reader->file->pMethods->xRead(reader->file, out, (int)size, offset);
    return result == SQLITE_OK ? TS_OK
                               : ts_db_failed(reader->db, result, ts_db_table_name(reader->select->table), error);
}

static enum ts_status begin(struct reader *reader, struct ts_error *error)
{
    unsigned char head[FILE_HEADER];
    sqlite3_int64 size = 0;
    int result = sqlite3_file_control(reader->db->handle, "main", SQLITE_FCNTL_FILE_POINTER, &reader->file);
    if (result == SQLITE_OK)
        result = reader->file->pMethods->xFileSize(reader->file, &size);
    if (result != SQLITE_OK)
        return ts_db_failed(reader->db, result, ts_db_table_name(reader->select->table), error);
    reader->page_size = FILE_HEADER;
    enum ts_status status = read_bytes(reader, head, FILE_HEADER, 1, error);
    if (status != TS_OK)
        return status;
    uint32_t page_size = two_bytes(head + 16) == 1 ? 65536 : two_bytes(head + 16);
    if (page_size < 512 || (page_size & (page_size - 1)) != 0 || page_size - head[20] < 480 ||
        size / page_size > UINT32_MAX)
        return damaged(reader, error);
    reader->page_size = page_size;
    reader->usable = page_size - head[20];
    reader->page_count = (uint32_t)(size / page_size);
    return TS_OK;
}

/* Where a cell begins; NULL when it is not behind the pointers and within the page. */
static const unsigned char *cell_of(const struct reader *reader, const struct level *level, unsigned index)
{
    unsigned pointers = level->head + (level->page[level->head] == LEAF ? 8 : 12);
    unsigned at = two_bytes(level->page + pointers + 2 * index);
    return at >= pointers + 2 * level->count && at < reader->usable ? level->page + at : NULL;
}

/* A cell of an interior page: the child, and the last rowid that may be in it. */
static bool read_pointer(const struct reader *reader, const struct level *level, unsigned index, uint32_t *child,
                         int64_t *last)
{
    const unsigned char *at = cell_of(reader, level, index), *end = level->page + reader->usable;
    uint64_t key;
    if (!at || end - at < 4)
        return false;
    *child = four_bytes(at);
    at += 4;
    if (*child == 0 || !take_varint(&at, end, &key))
        return false;
    *last = (int64_t)key;
    return true;
}

/* All of them: of several who read a stretch each, none may be led past rows by a key that is not in order. */
static bool keys_ascend(const struct reader *reader, const struct level *level)
{
    struct range range = level->range;
    uint32_t child;
    int64_t last;
    for (unsigned i = 0; i < level->count; i++)
        if (!read_pointer(reader, level, i, &child, &last) || !advance(&range, last))
            return false;
    return true;
}

/* Go down to a page whose rowids lie in a range. Each page of a tree is read once, or the tree is none. */
static enum ts_status descend(struct reader *reader, uint32_t number, struct range range, struct ts_error *error)
{
    if (number < 1 || number > reader->page_count || reader->depth == DEPTH_MAX || reader->read++ >= reader->page_count)
        return damaged(reader, error);
    enum ts_status status = reader->read % CHECK_EVERY_PAGES ? TS_OK : ts_context_check(reader->db->context, error);
    if (status != TS_OK)
        return status;
    struct level *level = &reader->levels[reader->depth];
    if (!level->page)
        level->page = malloc(reader->page_size);
    if (!level->page)
        return ts_error_no_memory(error);
    status = read_bytes(reader, level->page, reader->page_size, number, error);
    if (status != TS_OK)
        return status;
    level->head = number == 1 ? FILE_HEADER : 0;
    level->count = two_bytes(level->page + level->head + 3);
    level->next = 0;
    level->range = range;
    unsigned char type = level->page[level->head];
    unsigned room = level->head + (type == LEAF ? 8 : 12);
    /* Only a table without rows has a page without cells. */
    bool bare = level->count == 0 && (type == INTERIOR || reader->depth > 0);
    if ((type != LEAF && type != INTERIOR) || bare || room + 2 * level->count > reader->usable)
        return damaged(reader, error);
    if (type == INTERIOR && !keys_ascend(reader, level))
        return damaged(reader, error);
    reader->depth++;
    return TS_OK;
}

/* ---- rows ---- */

/* SQLite keeps the whole numbers of a column of reals as integers. */
static void put_integer(const struct reader *reader, unsigned column, int64_t integer, struct ts_db_cell *cell)
{
    if (reader->select->reals >> column & 1)
        ts_db_cell_real(cell, (double)integer);
    else
        ts_db_cell_integer(cell, integer);
}

/* A value that is no integer of some bytes; false when it is one for SQLite. */
static bool read_other(const struct reader *reader, unsigned column, uint64_t type, const unsigned char *at,
                       struct ts_db_cell *cell)
{
    if (type == 8 || type == 9) {
        put_integer(reader, column, type == 9, cell);
    } else if (type == 7) {
        uint64_t bits = (uint64_t)signed_bytes(at, 8);
        double number;
        memcpy(&number, &bits, sizeof number);
        ts_db_cell_real(cell, number);
    } else if (type == 0) {
        ts_db_cell_null(cell);
    } else if (type < 12 || (type % 2 && !reader->db->utf8)) {
        return false;
    } else {
        ts_db_cell_string(cell, (struct ts_str){(const char *)at, (size_t)((type - 12) / 2)});
    }
    return true;
}

static uint64_t size_of(uint64_t type)
{
    static const unsigned char sizes[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < 12 ? sizes[type] : (type - 12) / 2;
}

/* The cells of a record of which all or the beginning lies between at and end; false when one is not there, or not of the usual
 * kind. */
static bool read_record(const struct reader *reader, const unsigned char *at, const unsigned char *end)
{
    const struct ts_db_pages *select = reader->select;
    const unsigned char *start = at;
    uint64_t head, type;
    if (!take_varint(&at, end, &head) || head > (uint64_t)(end - start))
        return false;
    const unsigned char *head_end = start + head, *value = head_end;
    for (unsigned i = 0; i < select->column_count; i++) {
        if (at < head_end && *at < 0x80)
            type = *at++;
        else if (!take_varint(&at, head_end, &type))
            return false;
        uint64_t size = size_of(type);
        if (size > (uint64_t)(end - value))
            return false;
        struct ts_db_cell *cell = select->cells[i];
        if (cell && type >= 1 && type <= 6) {
            put_integer(reader, i, signed_bytes(value, (unsigned)size), cell);
        } else if (cell && ((cell == select->compared && type >= 12) || !read_other(reader, i, type, value, cell))) {
            return false;
        }
        value += size;
    }
    return true;
}

/* Go over the rest of a leaf to its last rowid. */
static bool pass_over(const struct reader *reader, struct level *level, int64_t *last)
{
    for (; level->next < level->count; level->next++) {
        const unsigned char *at = cell_of(reader, level, level->next), *end = level->page + reader->usable;
        uint64_t size, rowid;
        if (!at || !take_varint(&at, end, &size) || !take_varint(&at, end, &rowid) ||
            !advance(&level->range, (int64_t)rowid))
            return false;
        *last = (int64_t)rowid;
    }
    return true;
}

/* The rest of a leaf, from a row on that is of no usual kind. */
static enum ts_status leave_to_sqlite(struct reader *reader, struct level *level, int64_t rowid, struct ts_error *error)
{
    const struct ts_db_pages *select = reader->select;
    int64_t last = rowid;
    if (!pass_over(reader, level, &last))
        return damaged(reader, error);
    return select->others(select->data, rowid, last < select->last ? last : select->last, error);
}

/* How much of a record of `size` bytes lies in its cell; the rest goes on in other pages. */
static uint64_t local_size(const struct reader *reader, uint64_t size)
{
    uint64_t most = reader->usable - 35, least = (reader->usable - 12) * 32 / 255 - 23;
    if (size <= most)
        return size;
    uint64_t filling = least + (size - least) % (reader->usable - 4);
    return filling <= most ? filling : least;
}

static enum ts_status read_leaf(struct reader *reader, struct level *level, struct ts_error *error)
{
    const struct ts_db_pages *select = reader->select;
    const unsigned char *end = level->page + reader->usable;
    enum ts_status status = TS_OK;
    while (level->next < level->count && status == TS_OK) {
        const unsigned char *at = cell_of(reader, level, level->next++);
        uint64_t size, number;
        if (!at || !take_varint(&at, end, &size) || !take_varint(&at, end, &number))
            return damaged(reader, error);
        int64_t rowid = (int64_t)number;
        if (!advance(&level->range, rowid))
            return damaged(reader, error);
        if (rowid < select->first || rowid > select->last)
            continue;
        uint64_t local = local_size(reader, size);
        if (local > (uint64_t)(end - at))
            return damaged(reader, error);
        if (select->rowid)
            ts_db_cell_integer(select->rowid, rowid);
        if (read_record(reader, at, at + local))
            status = select->row(select->data, error);
        else
            status = leave_to_sqlite(reader, level, rowid, error);
    }
    return status;
}

/* ---- the tree ---- */

/* The next page below an interior one that may hold rows that are wanted, and the range of its rowids; *child 0 when there is
 * none. */
static enum ts_status next_child(struct reader *reader, struct level *level, uint32_t *child, struct range *below,
                                 struct ts_error *error)
{
    const struct ts_db_pages *select = reader->select;
    *child = 0;
    while (*child == 0 && level->next < level->count) {
        uint32_t number;
        int64_t last;
        if (!read_pointer(reader, level, level->next, &number, &last))
            return damaged(reader, error);
        *below = (struct range){level->range.least, last, false};
        if (!advance(&level->range, last))
            return damaged(reader, error);
        /* What follows lies behind the last row when the key does. */
        level->next = last >= select->last ? level->count + 1 : level->next + 1;
        if (last >= select->first)
            *child = number;
    }
    if (*child == 0 && level->next == level->count) {
        *child = four_bytes(level->page + level->head + 8);
        *below = level->range;
        level->next++;
        if (*child == 0)
            return damaged(reader, error);
    }
    return TS_OK;
}

static enum ts_status walk(struct reader *reader, struct ts_error *error)
{
    const struct range all = {INT64_MIN, INT64_MAX, false};
    enum ts_status status = descend(reader, reader->db->tables[reader->select->table].root, all, error);
    while (status == TS_OK && reader->depth > 0) {
        struct level *level = &reader->levels[reader->depth - 1];
        uint32_t child = 0;
        struct range below = all;
        if (level->page[level->head] == LEAF)
            status = read_leaf(reader, level, error);
        else
            status = next_child(reader, level, &child, &below, error);
        if (status == TS_OK && child != 0)
            status = descend(reader, child, below, error);
        else
            reader->depth--;
    }
    return status;
}

enum ts_status ts_db_pages_read(struct ts_db *db, const struct ts_db_pages *select, struct ts_error *error)
{
    struct reader reader = {.select = select, .db = db};
    enum ts_status status = begin(&reader, error);
    if (status == TS_OK)
        status = walk(&reader, error);
    for (unsigned i = 0; i < DEPTH_MAX; i++)
        free(reader.levels[i].page);
    return status;
}
