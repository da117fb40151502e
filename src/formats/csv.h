/* Comma-separated values as a stream of rows: quotes, line ends inside quotes, CRLF, lone CR, a byte order mark, NULs.
 * The dialect is the one tt-metal writes and tt-perf-report reads; see docs/formats/ops-csv.md. */
#ifndef TS_FORMATS_CSV_H
#define TS_FORMATS_CSV_H

#include "base/file.h"
#include "base/str.h"

struct ts_csv_row {
    const struct ts_str *cells; /* borrowed until the next call; quotes undone */
    size_t count;               /* of cells: at most TS_LIMIT_CSV_COLUMNS */
    size_t surplus;             /* cells behind those, not kept */
    bool surplus_filled;        /* one of those holds something */
    uint64_t line;              /* of the row's first byte, from 1 */
    bool unclosed_quote;        /* the file ended inside a quoted cell; the row holds what there was */
    uint64_t quote_line;        /* then: where the quote opened */
};

struct ts_csv_options {
    size_t row_limit; /* bytes one row may have; TS_LIMIT with the line beyond it */
    bool check_utf8;  /* note the offset of the first byte that is not UTF-8 */
    bool portable;    /* plain C scanner even where a faster one exists (tests, benchmark) */
    size_t block;     /* bytes read at a time; 0: as suits large files (tests use small ones) */
};

struct ts_csv;
/* reader is borrowed and must outlive the scanner. Errors: TS_NO_MEMORY. */
enum ts_status ts_csv_create(struct ts_context *context, struct ts_reader *reader, const struct ts_csv_options *options,
                             struct ts_csv **out, struct ts_error *error);
void ts_csv_destroy(struct ts_csv *csv);
/* The next row that is not blank (empty, or spaces and tabs only); *more false at the end. Errors: TS_LIMIT (a row over the
 * limit; names the line), those of the reader. */
enum ts_status ts_csv_next(struct ts_csv *csv, struct ts_csv_row *row, bool *more, struct ts_error *error);
/* Whether the last ts_csv_next failed because its row is over the limit. The file can then still be read to its end with
 * ts_csv_skip_rest, but no more rows come. */
bool ts_csv_row_too_long(const struct ts_csv *csv);
/* The line where the row at hand begins: after a failure, that of the row which failed. */
uint64_t ts_csv_line(const struct ts_csv *csv);
/* Read the rest without making rows, so that UTF-8 is checked to the end. */
enum ts_status ts_csv_skip_rest(struct ts_csv *csv, struct ts_error *error);
/* Offset in the file of the first byte that is not UTF-8, as far as was read; UINT64_MAX when there is none. */
uint64_t ts_csv_bad_utf8(const struct ts_csv *csv);
/* Bytes read so far, decompressed. */
uint64_t ts_csv_bytes(const struct ts_csv *csv);

#endif
