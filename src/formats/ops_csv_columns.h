/* Filling the columns of an operations table, row by row. */
#ifndef TS_FORMATS_OPS_CSV_COLUMNS_H
#define TS_FORMATS_OPS_CSV_COLUMNS_H

#include "formats/csv.h"
#include "formats/ops_csv.h"
#include "formats/ops_csv_header.h"
#include "formats/ops_csv_sets.h"

enum { TS_OPS_RECENT = 64 }; /* a power of two */

struct ts_ops_slot {
    uint32_t at; /* cell of a row */
    enum ts_ops_column column;
    uint32_t recent[TS_OPS_RECENT]; /* of a text column: ids met lately, each where its text hashes to */
};

struct ts_ops_columns {
    struct ts_context *context;
    struct ts_ops_csv *ops;
    uint32_t capacity; /* rows that an allocated column has room for */
    struct ts_ops_slot *texts, *numbers, *dimensions;
    unsigned text_count, number_count, dimension_count;
    uint32_t attributes_at; /* cell of a row, or TS_OPS_NOWHERE */
    struct ts_ops_sets sets;
    uint16_t kinds[TS_OPS_RECENT]; /* what is known of the op codes below */
    uint32_t kind_codes[TS_OPS_RECENT];
    struct ts_ops_slot slots[TS_OPS_COLUMN_COUNT];
};

/* ops is empty but for its arena and text. columns is borrowed memory of the caller's, to be freed with
 * ts_ops_columns_free whatever happens. Errors: TS_NO_MEMORY. */
enum ts_status ts_ops_columns_init(struct ts_ops_columns *columns, struct ts_context *context, struct ts_ops_csv *ops,
                                   const struct ts_ops_header *header, struct ts_error *error);
void ts_ops_columns_free(struct ts_ops_columns *columns);
/* Take a row in. Errors: TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_ops_columns_add(struct ts_ops_columns *columns, const struct ts_csv_row *row, struct ts_error *error);
/* Give back what growing has reserved, and reckon ops->memory. */
void ts_ops_columns_finish(struct ts_ops_columns *columns);

/* Room for rows of a column of ops, filled as absent below row `rows`; size of an entry is that of its kind. For appending
 * too. NULL when memory is out. */
void *ts_ops_columns_make(size_t capacity, size_t rows, bool number);
/* Bytes that ops holds, with room for capacity rows in its columns. */
size_t ts_ops_columns_memory(const struct ts_ops_csv *ops, size_t capacity);
/* A tensor dimension: "64", "32[7]" (then 32), 1 to 2^32; else absent. */
double ts_ops_columns_dimension(struct ts_str cell);

#endif
