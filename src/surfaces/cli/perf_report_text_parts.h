/* What the parts of the performance report's text share: colours, columns that adapt to a width, texts made safe. */
#ifndef TS_SURFACES_CLI_PERF_REPORT_TEXT_PARTS_H
#define TS_SURFACES_CLI_PERF_REPORT_TEXT_PARTS_H

#include "surfaces/cli/perf_report_text.h"

enum { TS_PERF_TEXT_GAP = 2 };

struct ts_perf_text {
    struct ts_context *context;
    const struct ts_perf_selection *selection;
    const struct ts_op_folding *folding; /* or NULL */
    struct ts_stacked *stacked;          /* or NULL */
    const struct ts_perf_text_options *options;
    struct ts_buf *out;
};

enum ts_text_color {
    TS_COLOR_PLAIN,
    TS_COLOR_BOLD,
    TS_COLOR_GREY,
    TS_COLOR_RED,
    TS_COLOR_GREEN,
    TS_COLOR_YELLOW,
    TS_COLOR_BLUE,
    TS_COLOR_MAGENTA,
    TS_COLOR_CYAN,
    TS_COLOR_ORANGE,
};

/* A column: its headings and widths in both forms, of which the compact one has units in the heading. */
struct ts_perf_text_column {
    const char *heading, *compact_heading;
    unsigned width, compact_width; /* of the widest cell */
    unsigned drop;                 /* which column goes first when there is no room: 1 goes first; 0 stays */
    bool left;                     /* aligned to the left */
    bool shown;                    /* set beforehand: has something to show; then: fits */
    bool dropped;                  /* does not fit */
    unsigned room;                 /* columns it has, once it is laid out */
};
struct ts_perf_text_grid {
    struct ts_perf_text_column *columns;
    unsigned count;
    unsigned flexible;   /* the column whose texts may be cut */
    unsigned keep;       /* no narrower than this while other columns can still go */
    unsigned cheap;      /* columns whose drop is at most this go sooner: */
    unsigned keep_cheap; /* while they are there, it is no narrower than this */
    bool compact;
    unsigned first;   /* column that is shown */
    unsigned dropped; /* columns there was no room for */
};

/* Decide form, columns and widths. width 0: the full form, nothing left out. */
void ts_perf_text_fit(struct ts_perf_text_grid *grid, unsigned width);
/* All of a line's width. */
unsigned ts_perf_text_grid_width(const struct ts_perf_text_grid *grid);
void ts_perf_text_headings(const struct ts_perf_text *text, const struct ts_perf_text_grid *grid);
void ts_perf_text_rule(const struct ts_perf_text *text, unsigned width);
/* A line that names the columns there was no room for; nothing when there was. */
void ts_perf_text_left_out(const struct ts_perf_text *text, const struct ts_perf_text_grid *grid);
/* One cell of a line, all columns in order; those not shown are ignored. width is what cell takes on the terminal. */
void ts_perf_text_cell(const struct ts_perf_text *text, const struct ts_perf_text_grid *grid, unsigned column,
                       struct ts_str cell, unsigned width, enum ts_text_color color);
/* End the line, without blanks before its end. start: out->len where it began. */
void ts_perf_text_end_line(const struct ts_perf_text *text, size_t start);

/* Empty a buffer of a part for its next text, and note in out when memory was out for the last. */
static inline void ts_perf_text_reuse(const struct ts_perf_text *text, struct ts_buf *buf)
{
    text->out->failed = text->out->failed || buf->failed;
    ts_buf_clear(buf);
}
/* The same for one that is not needed any more. */
static inline void ts_perf_text_done(const struct ts_perf_text *text, struct ts_buf *buf)
{
    text->out->failed = text->out->failed || buf->failed;
    ts_buf_free(buf);
}

/* text in a colour, or just text where colours are off. */
void ts_perf_text_colored(const struct ts_perf_text *text, enum ts_text_color color, struct ts_str what);
/* A heading with a rule below. */
void ts_perf_text_section(const struct ts_perf_text *text, const char *name);
/* Words of sentence with line breaks to the width, lines after the first indented. used: columns taken in the first. */
void ts_perf_text_wrapped(const struct ts_perf_text *text, struct ts_str sentence, unsigned used, unsigned indent);

/* Columns a text takes on a terminal. */
unsigned ts_perf_text_width(struct ts_str text);
/* Append what of text fits in width columns: a part in the middle is left out for "…". Returns the columns taken. */
unsigned ts_perf_text_shorten(struct ts_buf *out, struct ts_str text, unsigned width);
/* The colour an operation is known by, from its name. */
enum ts_text_color ts_perf_text_op_color(struct ts_str name, bool host);
/* Append a number with thousands commas and a unit ("" or " us"); nothing when absent. Returns the columns taken. */
unsigned ts_perf_text_number(struct ts_buf *out, double value, int places, const char *unit);

/* The parts. */
enum ts_status ts_perf_text_rows(const struct ts_perf_text *text, struct ts_error *error);
enum ts_status ts_perf_text_advice(const struct ts_perf_text *text, struct ts_error *error);
enum ts_status ts_perf_text_groups(const struct ts_perf_text *text, struct ts_error *error);

#endif
