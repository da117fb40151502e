/* Filling the columns of an operations table, row by row. */
#ifndef TS_FORMATS_OPS_CSV_COLUMNS_H
#define TS_FORMATS_OPS_CSV_COLUMNS_H

#include "formats/csv.h"
#include "formats/ops_csv.h"
#include "formats/ops_csv_header.h"
#include "formats/ops_csv_sets.h"

enum { TS_OPS_RECENT = 64 }; /* a power of two */

/* A text met lately; its bytes are the intern's. */
struct ts_ops_recent {
    const char *ptr;
    uint32_t len, id;
};

struct ts_ops_slot {
    uint32_t at; /* cell of a row */
    enum ts_ops_column column;
};

struct ts_ops_columns {
    struct ts_context *context;
    struct ts_ops_csv *ops;
    size_t capacity, first_capacity; /* rows that an allocated column has room for */
    /* The text columns, OP CODE first; then the columns of numbers, those of dimensions last. */
    struct ts_ops_slot texts[TS_OPS_COLUMN_COUNT], numbers[TS_OPS_COLUMN_COUNT];
    unsigned text_count, number_count, dimensions_from;
    uint32_t attributes_at; /* cell of a row, or TS_OPS_NOWHERE */
    struct ts_ops_sets sets;

    /* What is known of op codes, each where its id says. */
    uint32_t kind_codes[TS_OPS_RECENT];
    uint16_t kinds[TS_OPS_RECENT];
    /* By text column: pairs, the newer first, where the text hashes to. */
    struct ts_ops_recent recent[TS_OPS_COLUMN_COUNT][TS_OPS_RECENT];
};

/* ops is empty but for its arena and text; the header names OP CODE. columns is memory of the caller's, to be freed with
 * ts_ops_columns_free whatever happens. bytes: about how large the file is. Errors: TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_ops_columns_init(struct ts_ops_columns *columns, struct ts_context *context, struct ts_ops_csv *ops,
                                   const struct ts_ops_header *header, uint64_t bytes, struct ts_error *error);
void ts_ops_columns_free(struct ts_ops_columns *columns);
/* Take a row in. Errors: TS_NO_MEMORY, TS_LIMIT, TS_CANCELLED. */
enum ts_status ts_ops_columns_add(struct ts_ops_columns *columns, const struct ts_csv_row *row, struct ts_error *error);
/* Give back the room that no row has taken, and reckon ops->memory. */
void ts_ops_columns_finish(struct ts_ops_columns *columns);

/* A column of numbers or of ids, absent or empty in the first `rows`, with room for capacity. NULL when memory is out. */
void *ts_ops_columns_make(size_t capacity, size_t rows, bool number);
/* Bytes that ops holds, with room for capacity rows in its columns. */
size_t ts_ops_columns_memory(const struct ts_ops_csv *ops, size_t capacity);
/* A tensor dimension: "64", "32[7]" (then 32), 1 to 2^32; else absent. */
double ts_ops_columns_dimension(struct ts_str cell);

#endif
