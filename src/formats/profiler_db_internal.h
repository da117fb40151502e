/* What the files of the profiler database's reader share. */
#ifndef TS_FORMATS_PROFILER_DB_INTERNAL_H
#define TS_FORMATS_PROFILER_DB_INTERNAL_H

#include "base/arena.h"
#include "formats/profiler_db.h"
#include "formats/profiler_db_vfs.h"

/* A prepared statement, kept for the next one with the same text. */
struct ts_db_statement {
    char *sql;
    sqlite3_stmt *stmt;
    bool in_use;
};

struct ts_db_columns {
    bool exists;
    const char *rowid; /* a name for the rowid that is no column's; NULL: the table has none */
    TS_VEC(const char *) names;
    uint64_t reals; /* of the first 64 columns: those that SQLite makes reals of whole numbers of */
    unsigned taken; /* names of the rowid that are a column's, computed ones included */
    bool plain;     /* a record holds just these, in this order: none is computed, none is the rowid by another name */
    uint32_t root;  /* page */
};

struct ts_db {
    struct ts_context *context;
    char *path;
    struct ts_identity identity;
    bool has_log; /* a write-ahead log holds part of it */
    bool found;   /* there was a file when it was opened */
    struct ts_db_vfs vfs;
    bool registered;
    bool hasty; /* it does not wait for a writer */
    sqlite3 *handle;
    bool utf8; /* how the file holds text */
    struct ts_db_columns tables[TS_DB_TABLES];
    TS_VEC(struct ts_db_statement) statements;
    bool can_visit;      /* SQL knows our function */
    struct visit *visit; /* whose statement runs */
    size_t text_bytes;   /* handed out since the context was last checked: whoever reads them takes time */
    sqlite3_blob *blob;  /* last text read, to be pointed at the next */
    enum ts_db_table blob_table;
    const char *blob_column;
    struct ts_error stopped; /* why the progress handler ended a statement */
    struct ts_arena arena;
};

/* The error of an SQLite result, with the file's name and what was being read (NULL: nothing in particular). */
enum ts_status ts_db_failed(struct ts_db *db, int result, const char *what, struct ts_error *error);
/* A statement, given back with ts_db_statement_done. Errors: those of ts_db_failed. */
enum ts_status ts_db_prepare(struct ts_db *db, const char *sql, sqlite3_stmt **out, struct ts_error *error);
void ts_db_statement_done(struct ts_db *db, sqlite3_stmt *stmt);
/* A value as a whole number, see ts_db_integer. */
bool ts_db_value_integer(struct ts_db *db, sqlite3_stmt *stmt, int column, int64_t *out);
/* Where a column stands among those of its table; -1: it is not there. It stands there in a record too, where the table's
 * pages can be read. */
int ts_db_column_place(const struct ts_db *db, enum ts_db_table table, const char *name);

/* ---- filling a cell ---- */

static inline void ts_db_cell_null(struct ts_db_cell *cell)
{
    *cell = (struct ts_db_cell){.kind = TS_DB_KIND_NULL};
}
/* Most cells are these: what is not valid for them stays as it was. */
static inline void ts_db_cell_integer(struct ts_db_cell *cell, int64_t integer)
{
    cell->is_integer = true;
    cell->kind = TS_DB_KIND_INTEGER;
    cell->integer = integer;
}
void ts_db_cell_real(struct ts_db_cell *cell, double number); /* one that is no number is NULL to SQLite */
void ts_db_cell_string(struct ts_db_cell *cell, struct ts_str text);

/* ---- pages (profiler_db_pages.c) ---- */

enum { TS_DB_PAGES_COLUMNS = 64 };
/* Which rows of a table to read, and to whom they go. */
struct ts_db_pages {
    enum ts_db_table table;
    int64_t first, last;                           /* rowids, both included */
    unsigned column_count;                         /* of a record, up to the last that is wanted */
    struct ts_db_cell *cells[TS_DB_PAGES_COLUMNS]; /* to be filled, by column; NULL: not wanted */
    uint64_t reals;                                /* of the columns: those of ts_db_columns */
    const struct ts_db_cell *compared;             /* of them: by SQL, to which a text may be no number; or NULL */
    struct ts_db_cell *rowid;                      /* likewise; or NULL */
    /* After the cells of a row were filled. */
    enum ts_status (*row)(void *data, struct ts_error *error);
    /* Instead, for all rows from first to last: what is in them, only SQLite may read. */
    enum ts_status (*others)(void *data, int64_t first, int64_t last, struct ts_error *error);
    void *data;
};
/* Whether the table's pages are all there is to it. */
bool ts_db_pages_can(const struct ts_db *db, enum ts_db_table table);
/* Within the transaction of db. Errors: those of ts_db_failed and of the functions; TS_CANCELLED, TS_LIMIT. */
enum ts_status ts_db_pages_read(struct ts_db *db, const struct ts_db_pages *select, struct ts_error *error);

#endif
