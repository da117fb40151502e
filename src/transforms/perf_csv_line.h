/* Lines of the CSV files that are written, cell by cell. */
#ifndef TS_TRANSFORMS_PERF_CSV_LINE_H
#define TS_TRANSFORMS_PERF_CSV_LINE_H

#include "base/buf.h"

/* Lines one after the other; text is the caller's to make, empty and free. */
struct ts_perf_line {
    struct ts_buf text;
    bool begun;      /* a cell of the present line is there */
    const char *end; /* of a line: "\r\n" or "\n" */
};
/* Begin a cell that the caller fills. */
void ts_perf_line_next(struct ts_perf_line *line);
void ts_perf_line_end(struct ts_perf_line *line);

/* A cell of text, quoted where it must be; what a spreadsheet would take for a formula gets an apostrophe. */
void ts_perf_line_text(struct ts_perf_line *line, struct ts_str text);
/* Of a word that needs no quotes, or several cells at once; NULL: blank. */
void ts_perf_line_word(struct ts_perf_line *line, const char *word);
void ts_perf_line_blank(struct ts_perf_line *line);
void ts_perf_line_integer(struct ts_perf_line *line, int64_t value);
/* Blank below 0. */
void ts_perf_line_count(struct ts_perf_line *line, int32_t value);
/* As Python writes it, or with two decimals; blank when absent. */
void ts_perf_line_double(struct ts_perf_line *line, double value);
void ts_perf_line_fixed(struct ts_perf_line *line, double value);

#endif
