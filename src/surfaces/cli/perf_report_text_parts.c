#include "surfaces/cli/perf_report_text_parts.h"

#include <wchar.h>

#include "base/number.h"
#include "base/utf8.h"

enum { WRAP_MIN = 40 };

/* ---- colours ---- */

static const char *const color_codes[] = {
    [TS_COLOR_PLAIN] = "",         [TS_COLOR_BOLD] = "\033[1m",
    [TS_COLOR_GREY] = "\033[90m",  [TS_COLOR_RED] = "\033[91m",
    [TS_COLOR_GREEN] = "\033[92m", [TS_COLOR_YELLOW] = "\033[93m",
    [TS_COLOR_BLUE] = "\033[94m",  [TS_COLOR_MAGENTA] = "\033[95m",
    [TS_COLOR_CYAN] = "\033[96m",  [TS_COLOR_ORANGE] = "\033[38;5;208m",
};

void ts_perf_text_colored(const struct ts_perf_text *text, enum ts_text_color color, struct ts_str what)
{
    if (!text->options->color || color == TS_COLOR_PLAIN || what.len == 0) {
        ts_buf_str(text->out, what);
        return;
    }
    ts_buf_text(text->out, color_codes[color]);
    ts_buf_str(text->out, what);
    ts_buf_text(text->out, "\033[0m");
}

enum ts_text_color ts_perf_text_op_color(struct ts_str name, bool host)
{
    static const struct {
        const char *part;
        enum ts_text_color color;
    } parts[] = {
        {"(torch)", TS_COLOR_RED},
        {"Matmul", TS_COLOR_MAGENTA},
        {"OptimizedConvNew", TS_COLOR_ORANGE},
        {"Conv2d", TS_COLOR_ORANGE},
        {"LayerNorm", TS_COLOR_CYAN},
        {"AllGather", TS_COLOR_CYAN},
        {"AllReduce", TS_COLOR_CYAN},
        {"DotProductAttention", TS_COLOR_BLUE},
        {"SDPA", TS_COLOR_BLUE},
        {"Sdpa", TS_COLOR_BLUE},
        {"Heads", TS_COLOR_BLUE},
        {"Cache", TS_COLOR_BLUE},
    };
    if (host)
        return TS_COLOR_RED;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (ts_str_contains(name, ts_str_from(parts[i].part)))
            return parts[i].color;
    return TS_COLOR_PLAIN;
}

/* ---- widths ---- */

static unsigned code_width(uint32_t code)
{
    if (code >= 0x20 && code < 0x7F)
        return 1;
    int columns = wcwidth((wchar_t)code);
    return columns < 0 ? 1 : (unsigned)columns;
}

unsigned ts_perf_text_width(struct ts_str text)
{
    unsigned width = 0;
    for (size_t at = 0, len; at < text.len; at += len)
        width += code_width(ts_utf8_decode(ts_str_sub(text, at, text.len), &len));
    return width;
}

/* Append characters from at on as long as they fit in width; returns what they took and moves *at behind them. */
static unsigned add_front(struct ts_buf *out, struct ts_str text, size_t *at, unsigned width)
{
    unsigned taken = 0;
    while (*at < text.len) {
        size_t len;
        unsigned columns = code_width(ts_utf8_decode(ts_str_sub(text, *at, text.len), &len));
        if (taken + columns > width)
            break;
        ts_buf_add(out, text.ptr + *at, len);
        taken += columns;
        *at += len;
    }
    return taken;
}

unsigned ts_perf_text_shorten(struct ts_buf *out, struct ts_str text, unsigned width)
{
    unsigned all = ts_perf_text_width(text);
    size_t at = 0;
    if (all <= width)
        return add_front(out, text, &at, width);
    if (width == 0)
        return 0;
    /* More of the front, where names differ; and the end, where shapes do. */
    unsigned front = (width - 1) - (width - 1) * 2 / 5;
    unsigned taken = add_front(out, text, &at, front);
    ts_buf_text(out, "\xe2\x80\xa6");
    unsigned left = ts_perf_text_width(ts_str_sub(text, at, text.len));
    while (taken + 1 + left > width) {
        size_t len;
        left -= code_width(ts_utf8_decode(ts_str_sub(text, at, text.len), &len));
        at += len;
    }
    ts_buf_str(out, ts_str_sub(text, at, text.len));
    return taken + 1 + left;
}

unsigned ts_perf_text_number(struct ts_buf *out, double value, int places, const char *unit)
{
    char digits[TS_NUMBER_TEXT_MAX];
    if (!ts_present(value))
        return 0;
    struct ts_str behind = ts_str_from(unit);
    size_t len = ts_number_grouped(value, places, digits);
    ts_buf_add(out, digits, len);
    ts_buf_str(out, behind);
    return (unsigned)len + ts_perf_text_width(behind);
}

/* ---- columns ---- */

static unsigned column_width(const struct ts_perf_text_grid *grid, const struct ts_perf_text_column *column)
{
    unsigned heading = ts_perf_text_width(ts_str_from(grid->compact ? column->compact_heading : column->heading));
    unsigned cells = grid->compact ? column->compact_width : column->width;
    return heading > cells ? heading : cells;
}

unsigned ts_perf_text_grid_width(const struct ts_perf_text_grid *grid)
{
    unsigned width = 0;
    for (unsigned i = 0; i < grid->count; i++)
        if (grid->columns[i].shown)
            width += (width ? TS_PERF_TEXT_GAP : 0) + column_width(grid, &grid->columns[i]);
    return width;
}

/* Whether all columns fit when the flexible one is narrowed to at least `keep`, which is done then. */
static bool narrow(struct ts_perf_text_grid *grid, unsigned width, unsigned keep)
{
    struct ts_perf_text_column *flexible = &grid->columns[grid->flexible];
    unsigned *cells = grid->compact ? &flexible->compact_width : &flexible->width;
    unsigned all = ts_perf_text_grid_width(grid), wide = column_width(grid, flexible);
    if (all <= width)
        return true;
    unsigned least = wide < keep ? wide : keep;
    if (all - wide + least > width)
        return false;
    *cells = wide - (all - width);
    return true;
}

static void choose(struct ts_perf_text_grid *grid, unsigned width)
{
    enum { FULL_KEEP = 40, AT_LEAST = 4 };
    if (width == 0 || narrow(grid, width, FULL_KEEP))
        return;
    grid->compact = true;
    for (unsigned drop = 1; !narrow(grid, width, drop <= grid->cheap ? grid->keep_cheap : grid->keep); drop++) {
        bool more = false;
        for (unsigned i = 0; i < grid->count; i++) {
            struct ts_perf_text_column *column = &grid->columns[i];
            more = more || column->drop > drop;
            if (column->drop != drop || !column->shown)
                continue;
            column->shown = false;
            column->dropped = true;
            grid->dropped++;
        }
        if (!more) {
            narrow(grid, width, AT_LEAST);
            return;
        }
    }
}

void ts_perf_text_fit(struct ts_perf_text_grid *grid, unsigned width)
{
    choose(grid, width);
    grid->first = grid->count;
    for (unsigned i = grid->count; i-- > 0;) {
        grid->columns[i].room = column_width(grid, &grid->columns[i]);
        if (grid->columns[i].shown)
            grid->first = i;
    }
}

static void pad(struct ts_buf *out, unsigned columns)
{
    static const char blanks[] = "                                                                ";
    for (unsigned left = columns; left > 0;) {
        unsigned some = left < sizeof blanks - 1 ? left : (unsigned)sizeof blanks - 1;
        ts_buf_add(out, blanks, some);
        left -= some;
    }
}

static void add_cell(const struct ts_perf_text *text, const struct ts_perf_text_grid *grid, unsigned column,
                     struct ts_str cell, unsigned width, bool left, enum ts_text_color color)
{
    if (!grid->columns[column].shown)
        return;
    unsigned room = grid->columns[column].room;
    if (column != grid->first)
        pad(text->out, TS_PERF_TEXT_GAP);
    if (!left && width < room)
        pad(text->out, room - width);
    ts_perf_text_colored(text, color, cell);
    if (left && width < room)
        pad(text->out, room - width);
}

void ts_perf_text_cell(const struct ts_perf_text *text, const struct ts_perf_text_grid *grid, unsigned column,
                       struct ts_str cell, unsigned width, enum ts_text_color color)
{
    add_cell(text, grid, column, cell, width, grid->columns[column].left, color);
}

void ts_perf_text_headings(const struct ts_perf_text *text, const struct ts_perf_text_grid *grid)
{
    size_t start = text->out->len;
    for (unsigned i = 0; i < grid->count; i++) {
        struct ts_str heading =
            ts_str_from(grid->compact ? grid->columns[i].compact_heading : grid->columns[i].heading);
        bool left = grid->columns[i].left || !grid->compact;
        add_cell(text, grid, i, heading, ts_perf_text_width(heading), left, TS_COLOR_BOLD);
    }
    ts_perf_text_end_line(text, start);
}

void ts_perf_text_left_out(const struct ts_perf_text *text, const struct ts_perf_text_grid *grid)
{
    if (grid->dropped == 0)
        return;
    struct ts_buf line;
    ts_buf_init(&line, 0);
    ts_buf_text(&line, "No room at this width for");
    for (unsigned i = 0, named = 0; i < grid->count; i++)
        if (grid->columns[i].dropped)
            ts_buf_printf(&line, "%s %s", named++ ? "," : "", grid->columns[i].heading);
    ts_buf_text(&line, "; standard output that is no terminal gets them all.");
    ts_perf_text_wrapped(text, ts_buf_view(&line), 0, 0);
    ts_perf_text_done(text, &line);
}

void ts_perf_text_rule(const struct ts_perf_text *text, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        ts_buf_char(text->out, '-');
    ts_buf_char(text->out, '\n');
}

void ts_perf_text_end_line(const struct ts_perf_text *text, size_t start)
{
    struct ts_buf *out = text->out;
    while (out->len > start && out->ptr[out->len - 1] == ' ')
        out->len--;
    ts_buf_char(out, '\n');
}

/* ---- prose ---- */

void ts_perf_text_section(const struct ts_perf_text *text, const char *name)
{
    ts_buf_char(text->out, '\n');
    ts_perf_text_colored(text, TS_COLOR_BOLD, ts_str_from(name));
    ts_buf_char(text->out, '\n');
    for (size_t i = strlen(name); i > 0; i--)
        ts_buf_char(text->out, '=');
    ts_buf_char(text->out, '\n');
}

void ts_perf_text_wrapped(const struct ts_perf_text *text, struct ts_str sentence, unsigned used, unsigned indent)
{
    unsigned width = text->options->width;
    struct ts_str word;
    bool done = false, begun = false;
    if (width && width < indent + WRAP_MIN)
        width = 0;
    while (ts_str_split(&sentence, ' ', &word, &done)) {
        unsigned columns = ts_perf_text_width(word);
        if (begun && width && used + 1 + columns > width && used > indent) {
            ts_buf_char(text->out, '\n');
            pad(text->out, indent);
            used = indent;
        } else if (begun) {
            ts_buf_char(text->out, ' ');
            used++;
        }
        used += width ? ts_perf_text_shorten(text->out, word, width - indent) : (ts_buf_str(text->out, word), columns);
        begun = true;
    }
    ts_buf_char(text->out, '\n');
}
