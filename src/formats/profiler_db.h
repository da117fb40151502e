/* The database of a profiler report (db.sqlite), whatever release wrote it, read so that nothing beside it is ever made or
 * changed and nothing in it can do harm. Tables and columns that are not there read as absent; names start with ts_db_. */
#ifndef TS_FORMATS_PROFILER_DB_H
#define TS_FORMATS_PROFILER_DB_H

#include "base/buf.h"
#include "base/file.h"

enum ts_db_table {
    TS_DB_OPERATIONS,
    TS_DB_OPERATION_ARGUMENTS,
    TS_DB_TENSORS,
    TS_DB_DEVICE_TENSORS,
    TS_DB_INPUT_TENSORS,
    TS_DB_OUTPUT_TENSORS,
    TS_DB_BUFFERS,
    TS_DB_DEVICES,
    TS_DB_CAPTURED_GRAPH,
    TS_DB_STACK_TRACES,
    TS_DB_ERRORS,
    TS_DB_TABLES
};
const char *ts_db_table_name(enum ts_db_table table);

/* The database as it is on disk now: the identity of the file, with that of a -wal beside it worked in. found false (and
 * TS_OK) when there is no such regular file. Errors: those of ts_file_identity. */
enum ts_status ts_db_identity(struct ts_context *context, const char *path, struct ts_identity *identity, bool *found,
                              struct ts_error *error);

struct ts_db; /* open for the length of a call, in one read transaction */
/* The context must live as long. An empty file is a database without tables. Errors: those of ts_file_open; TS_INPUT (not a
 * database, damaged, encrypted, an interrupted write beside it), TS_BUSY (a writer holds it), TS_CHANGED, TS_IO, TS_NO_MEMORY,
 * TS_CANCELLED. */
enum ts_status ts_db_open(struct ts_context *context, const char *path, struct ts_db **out, struct ts_error *error);
/* Another connection to what is open, for another thread. It never waits: while a writer is about to write db may still be
 * read, but nothing else opened. Errors: those of ts_db_open; TS_CHANGED also when the file is no longer what db reads. */
enum ts_status ts_db_open_beside(const struct ts_db *db, struct ts_db **out, struct ts_error *error);
void ts_db_close(struct ts_db *db); /* accepts NULL; all rows must be closed */
/* As it was at opening. */
const struct ts_identity *ts_db_read_identity(const struct ts_db *db);
/* TS_OK when the database on disk is still what was opened; TS_CHANGED otherwise. Call after the last read of what is kept. */
enum ts_status ts_db_unchanged(struct ts_db *db, struct ts_error *error);

/* Views and virtual tables are none. */
bool ts_db_has_table(const struct ts_db *db, enum ts_db_table table);
/* Names are compared without regard to ASCII case, as SQL does. */
bool ts_db_has_column(const struct ts_db *db, enum ts_db_table table, const char *column);

/* The column without which no row of a table can be told from another ("operation_id", "tensor_id") and that the table, which
 * exists, lacks; NULL when it has what it needs. */
const char *ts_db_missing_key(const struct ts_db *db, enum ts_db_table table);
/* Whether a table is there with that column. If not, its name, and the column where only that is missing, are added to missing
 * (NULL: nowhere), behind a comma when something is in it. */
bool ts_db_usable(const struct ts_db *db, enum ts_db_table table, struct ts_buf *missing);

/* Whether its rows have numbers, as all but tables made WITHOUT ROWID do. */
bool ts_db_has_rowids(const struct ts_db *db, enum ts_db_table table);

/* ---- where rows lie ---- */

/* Rows that follow one another and have the same key. */
struct ts_db_run {
    int64_t key, first, last; /* rowids, both included */
};
/* Which rows of a table have which key: instead of an index, which most reports lack. */
struct ts_db_index {
    struct ts_db_run *runs; /* by key, then by rowid */
    size_t count, capacity;
    uint64_t rows;    /* with a key */
    uint64_t keyless; /* whose key is no whole number: nothing can find them */
};
/* One pass over one part of a table of so many, as for ts_db_visit_part. *out is the caller's. A table or column that is
 * missing, or a table without rowids, gives an index without runs. Errors: TS_INPUT, TS_BUSY, TS_LIMIT (memory), TS_NO_MEMORY,
 * TS_CANCELLED. */
enum ts_status ts_db_index_create(struct ts_db *db, enum ts_db_table table, const char *key, unsigned part,
                                  unsigned parts, struct ts_db_index *out, struct ts_error *error);
/* Take in what lies behind in the table. max_bytes: what the index may take; 0: no limit. Errors: TS_LIMIT, TS_NO_MEMORY. */
enum ts_status ts_db_index_join(struct ts_db_index *index, const struct ts_db_index *later, size_t max_bytes,
                                struct ts_error *error);
void ts_db_index_free(struct ts_db_index *index);
size_t ts_db_index_bytes(const struct ts_db_index *index);
/* The runs of a key; *count 0 and NULL when there are none. Borrowed from the index. */
const struct ts_db_run *ts_db_index_find(const struct ts_db_index *index, int64_t key, size_t *count);

/* ---- reading rows ---- */

struct ts_db_select {
    enum ts_db_table table;
    const char *const *columns; /* NULL-terminated, at most TS_DB_COLUMNS_MAX; a missing column reads as absent */
    bool by_rank;               /* only rows of this rank, where the table has the column */
    int64_t rank;
    const char *key; /* only rows whose whole number in this column is key_value; NULL: all rows */
    int64_t key_value;
    const struct ts_db_index *index; /* of that column, to find them by; NULL: the table is scanned */
    bool with_rowid;                 /* ts_db_visit: one cell more, behind the columns; the table has rowids */
};
enum { TS_DB_COLUMNS_MAX = 16 };
struct ts_db_rows;
/* Begin reading, in row order; a table that is missing has no rows. *out is the caller's. Errors: as for ts_db_next. */
enum ts_status ts_db_rows_open(struct ts_db *db, const struct ts_db_select *select, struct ts_db_rows **out,
                               struct ts_error *error);
void ts_db_rows_close(struct ts_db_rows *rows); /* accepts NULL */
/* The next row; *more false behind the last. Checks the context. Errors: TS_INPUT (damaged), TS_BUSY, TS_LIMIT (a value over
 * TS_LIMIT_DB_VALUE), TS_IO, TS_NO_MEMORY, TS_CANCELLED. */
enum ts_status ts_db_next(struct ts_db_rows *rows, bool *more, struct ts_error *error);
/* Whether the select's column is in the table at all. */
bool ts_db_rows_have(const struct ts_db_rows *rows, unsigned column);

/* Cells of the present row, by position in select->columns. A whole number in any form (integer, 3.0, text "3") is that
 * number; false for anything else and for a missing column. */
bool ts_db_integer(const struct ts_db_rows *rows, unsigned column, int64_t *out);
/* Any number in any form; absent for anything else. */
double ts_db_number(const struct ts_db_rows *rows, unsigned column);
/* Text as stored (it may hold NUL and need not be UTF-8), numbers as decimal text, blobs as bytes; false for NULL and for a
 * missing column. Borrowed until the next row. Memory that runs out reads as NULL and fails the next ts_db_next. */
bool ts_db_text(struct ts_db_rows *rows, unsigned column, struct ts_str *out);
int64_t ts_db_rowid(const struct ts_db_rows *rows); /* 0 where the table has none */

/* ---- every row, fast ---- */

enum ts_db_kind { TS_DB_KIND_NULL, TS_DB_KIND_INTEGER, TS_DB_KIND_REAL, TS_DB_KIND_TEXT };
/* A value of a row. All zeros: NULL, as in a missing column. */
struct ts_db_cell {
    bool is_integer; /* a whole number in any form: integer, 3.0, text "3" */
    uint8_t kind;    /* enum ts_db_kind: as it is stored, blobs as texts */
    int64_t integer; /* valid when it is one */
    double real;     /* valid for that kind */
    /* for that kind as stored (it may hold NUL and need not be UTF-8), borrowed for the visit; ptr NULL for the others unless
     * they are integers, when it is not valid */
    struct ts_str text;
};
/* Where the text of a number is written. */
struct ts_db_digits {
    char text[40];
};
/* A cell of the present row. */
void ts_db_cell_of(struct ts_db_rows *rows, unsigned column, struct ts_db_cell *out);
/* As ts_db_text and ts_db_number. */
bool ts_db_cell_text(const struct ts_db_cell *cell, struct ts_db_digits *digits, struct ts_str *out);
double ts_db_cell_number(const struct ts_db_cell *cell);

typedef enum ts_status ts_db_visit_fn(void *data, const struct ts_db_cell *cells, struct ts_error *error);
/* Call visit for every row that select wants (which has no key here), in row order, until it fails. Errors: as
 * for ts_db_next, and visit's. */
enum ts_status ts_db_visit(struct ts_db *db, const struct ts_db_select *select, ts_db_visit_fn *visit, void *data,
                           struct ts_error *error);
/* The same of one part of several, each a stretch of the table: together they are all of its rows, each once. Rows that follow
 * one another with the same number in the first column stay together, unless they are very many or the table's last. A table without rowids is all in part 0. */
enum ts_status ts_db_visit_part(struct ts_db *db, const struct ts_db_select *select, unsigned part, unsigned parts,
                                ts_db_visit_fn *visit, void *data, struct ts_error *error);
/* How far apart the first and the last rowid of a table are: about its rows, at the cost of nothing. 0 where it has none. */
enum ts_status ts_db_row_span(struct ts_db *db, enum ts_db_table table, uint64_t *span, struct ts_error *error);

/* ---- one large text ---- */

enum ts_db_text_state { TS_DB_TEXT_READ, TS_DB_TEXT_NULL, TS_DB_TEXT_TOO_LONG };
/* The text in a column of one row, straight into buf (cleared first; its memory is used again), with `slack` zero bytes
 * behind what buf->len counts. One over max bytes is not read: *length tells its bytes all the same. Errors: as for
 * ts_db_next. */
enum ts_status ts_db_read_text(struct ts_db *db, enum ts_db_table table, const char *column, int64_t rowid, size_t max,
                               size_t slack, struct ts_buf *buf, size_t *length, enum ts_db_text_state *state,
                               struct ts_error *error);

#endif
