#include "formats/csv.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "formats/csv_scan.h"

enum {
    BLOCK = 256 * 1024, /* read at a time: stays in the second-level cache */
    WINDOW = 32 * 1024, /* scanned at a time: its positions stay in the first-level cache */
    FIRST_CELLS = 128,
    ROW_LIMIT_MAX = 1 << 30, /* so that positions fit 32 bits */
};

enum state {
    OUTSIDE,  /* in a cell that did not begin with a quote, or between cells */
    INSIDE,   /* in a quoted cell */
    CLOSING,  /* behind a quote in a quoted cell: its end, or the first of two that mean one */
    TRAILING, /* in text behind the closing quote, where quotes are text */
};

struct ts_csv {
    struct ts_reader *reader;
    struct ts_csv_options options;
    ts_csv_scan_fn *scan;

    char *bytes; /* the row at hand and what was read behind it */
    size_t capacity, filled;
    size_t scanned;    /* bytes before this are done with or named in positions */
    uint64_t position; /* of bytes[0] in the file */
    bool at_end;

    uint32_t *positions; /* separators, quotes and line ends not looked at yet */
    size_t position_next, position_count;

    struct ts_str *cells;
    size_t cell_count, cell_capacity;
    size_t surplus;
    bool surplus_filled;

    size_t row_start, cell_start;
    enum state state;
    size_t quote;         /* offset of the last quote that ended, or may have ended, the cell at hand */
    bool quoted;          /* the cell at hand began with a quote */
    bool has_doubled;     /* and holds two quotes in a row */
    uint64_t line;        /* of row_start */
    uint64_t inner_lines; /* line ends inside quotes since row_start */
    uint64_t quote_line;
    bool after_return; /* the last row ended at a CR; an LF that follows at once belongs to it */
    bool too_long;

    uint64_t bad_utf8;
    char pending[4]; /* the first bytes of a character that a window cut */
    size_t pending_len;
};

enum ts_status ts_csv_create(struct ts_context *context, struct ts_reader *reader, const struct ts_csv_options *options,
                             struct ts_csv **out, struct ts_error *error)
{
    (void)context; /* the reader checks it, once per block */
    struct ts_csv *csv = calloc(1, sizeof *csv);
    if (!csv)
        return ts_error_no_memory(error);
    csv->reader = reader;
    csv->options = *options;
    if (csv->options.row_limit == 0 || csv->options.row_limit > ROW_LIMIT_MAX)
        csv->options.row_limit = ROW_LIMIT_MAX;
    if (csv->options.block == 0 || csv->options.block > ROW_LIMIT_MAX)
        csv->options.block = BLOCK;
    csv->scan = options->portable ? ts_csv_scan_portable : ts_csv_scan_best();
    csv->capacity = csv->options.block;
    csv->bytes = malloc(csv->capacity);
    csv->positions = malloc((WINDOW + TS_CSV_SCAN_SLACK) * sizeof *csv->positions);
    csv->cell_capacity = FIRST_CELLS;
    csv->cells = malloc(csv->cell_capacity * sizeof *csv->cells);
    csv->line = 1;
    csv->bad_utf8 = UINT64_MAX;
    if (!csv->bytes || !csv->positions || !csv->cells) {
        ts_csv_destroy(csv);
        return ts_error_no_memory(error);
    }
    *out = csv;
    return TS_OK;
}

void ts_csv_destroy(struct ts_csv *csv)
{
    if (!csv)
        return;
    free(csv->bytes);
    free(csv->positions);
    free(csv->cells);
    free(csv);
}

bool ts_csv_row_too_long(const struct ts_csv *csv)
{
    return csv->too_long;
}

uint64_t ts_csv_line(const struct ts_csv *csv)
{
    return csv->line;
}

uint64_t ts_csv_bad_utf8(const struct ts_csv *csv)
{
    return csv->bad_utf8;
}

uint64_t ts_csv_bytes(const struct ts_csv *csv)
{
    return csv->position + csv->filled;
}

/* ---- UTF-8 ---- */

/* Bytes of the character that begins with first; 0 when none does. */
static size_t sequence_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Complete the character that the last window cut. Returns how many bytes of text belong to it. */
static size_t check_pending(struct ts_csv *csv, struct ts_str text, uint64_t position)
{
    size_t need = sequence_length((unsigned char)csv->pending[0]), had = csv->pending_len, taken = 0;
    while (csv->pending_len < need && taken < text.len)
        csv->pending[csv->pending_len++] = text.ptr[taken++];
    if (csv->pending_len == need) {
        if (!ts_utf8_valid((struct ts_str){csv->pending, need}))
            csv->bad_utf8 = position - had;
        csv->pending_len = 0;
    }
    return taken;
}

/* Check what lies at position in the file. ascii: it is known to be. */
static void check_utf8(struct ts_csv *csv, struct ts_str text, uint64_t position, bool ascii)
{
    if (csv->bad_utf8 != UINT64_MAX || (ascii && csv->pending_len == 0))
        return;
    if (csv->pending_len > 0) {
        size_t taken = check_pending(csv, text, position);
        text = ts_str_sub(text, taken, text.len);
        position += taken;
        if (csv->bad_utf8 != UINT64_MAX)
            return;
    }
    size_t good = ts_utf8_valid_prefix(text), rest = text.len - good;
    if (rest == 0)
        return;
    if (rest < sequence_length((unsigned char)text.ptr[good])) {
        memcpy(csv->pending, text.ptr + good, rest);
        csv->pending_len = rest;
    } else {
        csv->bad_utf8 = position + good;
    }
}

/* At the end of the file a cut character is a wrong one. */
static void check_utf8_end(struct ts_csv *csv)
{
    if (csv->pending_len > 0 && csv->bad_utf8 == UINT64_MAX)
        csv->bad_utf8 = csv->position + csv->filled - csv->pending_len;
    csv->pending_len = 0;
}

/* ---- reading ---- */

/* Put the row at hand first in a buffer of capacity bytes: the same one, or a larger. False when memory is out. */
static bool move_row(struct ts_csv *csv, size_t capacity)
{
    if (capacity == csv->capacity && csv->row_start == 0)
        return true;
    char *to = capacity == csv->capacity ? csv->bytes : malloc(capacity);
    if (!to)
        return false;
    const char *from = csv->bytes + csv->row_start;
    for (size_t i = 0; i < csv->cell_count; i++)
        csv->cells[i].ptr = to + (csv->cells[i].ptr - from);
    memmove(to, from, csv->filled - csv->row_start);
    if (to != csv->bytes)
        free(csv->bytes);
    csv->bytes = to;
    csv->capacity = capacity;
    csv->position += csv->row_start;
    csv->filled -= csv->row_start;
    csv->scanned -= csv->row_start;
    csv->cell_start -= csv->row_start;
    csv->quote = csv->quote > csv->row_start ? csv->quote - csv->row_start : 0;
    csv->row_start = 0;
    return true;
}

static enum ts_status fail_too_long(struct ts_csv *csv, struct ts_error *error)
{
    struct ts_quote quote;
    csv->too_long = true;
    return ts_error_set(error, TS_LIMIT, "%s: the row at line %llu is longer than %zu bytes, the most a row may have",
                        ts_error_quote(&quote, ts_str_from(ts_reader_path(csv->reader)), TS_QUOTE_FILE),
                        (unsigned long long)csv->line, csv->options.row_limit);
}

/* Read a block behind the row at hand, all of which must have been looked at. */
static enum ts_status fill(struct ts_csv *csv, struct ts_error *error)
{
    size_t held = csv->filled - csv->row_start, capacity = csv->capacity, block = csv->options.block, got = 0;
    if (held > csv->options.row_limit)
        return fail_too_long(csv, error);
    if (capacity - held < (block + 1) / 2) {
        size_t most = csv->options.row_limit + block;
        capacity = capacity < most / 2 ? 2 * capacity : most;
    }
    if (!move_row(csv, capacity))
        return ts_error_no_memory(error);
    size_t room = csv->capacity - csv->filled;
    enum ts_status status =
        ts_reader_read(csv->reader, csv->bytes + csv->filled, room < block ? room : block, &got, error);
    if (status != TS_OK)
        return status;
    csv->filled += got;
    csv->at_end = got == 0;
    return TS_OK;
}

/* Read the beginning of the file and step over a byte order mark. */
static enum ts_status begin(struct ts_csv *csv, struct ts_error *error)
{
    while (!csv->at_end && csv->filled < 3) {
        enum ts_status status = fill(csv, error);
        if (status != TS_OK)
            return status;
    }
    if (csv->filled >= 3 && memcmp(csv->bytes, "\xef\xbb\xbf", 3) == 0)
        csv->row_start = csv->cell_start = csv->scanned = 3;
    return TS_OK;
}

/* Have positions to look at, unless the file is at its end. */
static enum ts_status find_positions(struct ts_csv *csv, struct ts_error *error)
{
    while (csv->position_next == csv->position_count && !csv->at_end) {
        if (csv->scanned == csv->filled) {
            enum ts_status status = csv->position + csv->filled == 0 ? begin(csv, error) : fill(csv, error);
            if (status != TS_OK)
                return status;
        }
        size_t len = csv->filled - csv->scanned;
        if (len > WINDOW)
            len = WINDOW;
        const char *window = csv->bytes + csv->scanned;
        bool high = false;
        csv->position_next = 0;
        csv->position_count = csv->scan(window, len, (uint32_t)csv->scanned, csv->positions, &high);
        if (csv->options.check_utf8)
            check_utf8(csv, (struct ts_str){window, len}, csv->position + csv->scanned, !high);
        csv->scanned += len;
        if (csv->at_end)
            check_utf8_end(csv);
    }
    return TS_OK;
}

/* ---- cells ---- */

/* Undo the quotes of a cell with more than one pair, in place. Returns the new length. */
static size_t unquote(char *cell, size_t len)
{
    size_t to = 0, from = 1;
    while (from < len) {
        if (cell[from] != '"') {
            cell[to++] = cell[from++];
        } else if (from + 1 < len && cell[from + 1] == '"') {
            cell[to++] = '"';
            from += 2;
        } else { /* the closing quote: the rest is text as it stands */
            from++;
            memmove(cell + to, cell + from, len - from);
            return to + len - from;
        }
    }
    return to;
}

static struct ts_str quoted_cell(struct ts_csv *csv, size_t end)
{
    char *cell = csv->bytes + csv->cell_start;
    size_t len = end - csv->cell_start;
    if (csv->state == INSIDE && !csv->has_doubled) /* never closed */
        return (struct ts_str){cell + 1, len - 1};
    if (csv->state == CLOSING && csv->quote + 1 == end && !csv->has_doubled)
        return (struct ts_str){cell + 1, len - 2};
    return (struct ts_str){cell, unquote(cell, len)};
}

/* Room for one more cell: false when memory is out. At the limit there is none, and cells are only counted. */
static bool grow_cells(struct ts_csv *csv)
{
    size_t capacity = csv->cell_capacity * 2;
    if (csv->cell_capacity == TS_LIMIT_CSV_COLUMNS)
        return true;
    if (capacity > TS_LIMIT_CSV_COLUMNS)
        capacity = TS_LIMIT_CSV_COLUMNS;
    struct ts_str *cells = realloc(csv->cells, capacity * sizeof *cells);
    if (!cells)
        return false;
    csv->cells = cells;
    csv->cell_capacity = capacity;
    return true;
}

/* The cell at hand ends before end. False when memory is out. */
static bool add_cell(struct ts_csv *csv, size_t end)
{
    struct ts_str cell = {csv->bytes + csv->cell_start, end - csv->cell_start};
    if (csv->quoted)
        cell = quoted_cell(csv, end);
    if (csv->cell_count == csv->cell_capacity && !grow_cells(csv))
        return false;
    if (csv->cell_count < csv->cell_capacity) {
        csv->cells[csv->cell_count++] = cell;
    } else {
        csv->surplus++;
        csv->surplus_filled |= cell.len > 0;
    }
    csv->cell_start = end + 1;
    csv->state = OUTSIDE;
    csv->quoted = csv->has_doubled = false;
    return true;
}

/* The common case at full speed: take cells that hold no quote until something else than a comma comes. */
static void add_plain_cells(struct ts_csv *csv)
{
    const uint32_t *next = csv->positions + csv->position_next, *end = csv->positions + csv->position_count;
    struct ts_str *cell = csv->cells + csv->cell_count, *last = csv->cells + csv->cell_capacity;
    const char *bytes = csv->bytes, *start = bytes + csv->cell_start;
    for (; next < end && cell < last; next++, cell++) {
        const char *comma = bytes + *next;
        if (*comma != ',')
            break;
        *cell = (struct ts_str){start, (size_t)(comma - start)};
        start = comma + 1;
    }
    csv->position_next = (size_t)(next - csv->positions);
    csv->cell_count = (size_t)(cell - csv->cells);
    csv->cell_start = (size_t)(start - bytes);
}

/* ---- rows ---- */

static bool is_blank(const struct ts_csv *csv, size_t end)
{
    if (csv->cell_count > 0 || csv->surplus > 0 || csv->quoted)
        return false;
    for (size_t i = csv->row_start; i < end; i++) {
        if (csv->bytes[i] != ' ' && csv->bytes[i] != '\t')
            return false;
    }
    return true;
}

/* Step over the row that ends before end. */
static void begin_row(struct ts_csv *csv, size_t end)
{
    csv->line += 1 + csv->inner_lines;
    csv->inner_lines = 0;
    csv->row_start = csv->cell_start = end + 1;
    csv->after_return = end < csv->filled && csv->bytes[end] == '\r';
}

/* The row at hand ends before end. *made false: it was blank. */
static enum ts_status end_row(struct ts_csv *csv, size_t end, struct ts_csv_row *row, bool *made,
                              struct ts_error *error)
{
    *made = !is_blank(csv, end);
    if (end - csv->row_start > csv->options.row_limit)
        return fail_too_long(csv, error);
    if (*made) {
        bool unclosed = csv->state == INSIDE;
        if (!add_cell(csv, end))
            return ts_error_no_memory(error);
        *row = (struct ts_csv_row){
            .cells = csv->cells,
            .count = csv->cell_count,
            .surplus = csv->surplus,
            .surplus_filled = csv->surplus_filled,
            .line = csv->line,
            .unclosed_quote = unclosed,
            .quote_line = unclosed ? csv->quote_line : 0,
        };
        csv->cell_count = csv->surplus = 0;
        csv->surplus_filled = false;
    }
    begin_row(csv, end);
    return TS_OK;
}

/* A byte inside quotes, or right behind a closing one. True when the byte at position at is done with. */
static bool look_inside_quotes(struct ts_csv *csv, size_t at)
{
    char c = csv->bytes[at];
    if (csv->state == CLOSING) {
        if (at != csv->quote + 1) {
            csv->state = TRAILING;
        } else if (c == '"') {
            csv->state = INSIDE;
            csv->has_doubled = true;
            return true;
        }
        return false;
    }
    if (csv->state != INSIDE)
        return false;
    if (c == '"') {
        csv->state = CLOSING;
        csv->quote = at;
    } else if (c == '\r' || (c == '\n' && csv->bytes[at - 1] != '\r')) {
        csv->inner_lines++;
    }
    return true;
}

/* Look at the byte at position at, which add_plain_cells did not take. *made true: it ended a row. */
static enum ts_status look(struct ts_csv *csv, size_t at, struct ts_csv_row *row, bool *made, struct ts_error *error)
{
    *made = false;
    if (csv->state != OUTSIDE && look_inside_quotes(csv, at))
        return TS_OK;
    switch (csv->bytes[at]) {
    case ',':
        return add_cell(csv, at) ? TS_OK : ts_error_no_memory(error);
    case '"':
        if (csv->state == OUTSIDE && at == csv->cell_start) {
            csv->state = INSIDE;
            csv->quoted = true;
            csv->quote_line = csv->line + csv->inner_lines;
        }
        return TS_OK;
    case '\n':
        if (csv->after_return && at == csv->row_start) {
            csv->row_start = csv->cell_start = at + 1;
            csv->after_return = false;
            return TS_OK;
        }
        return end_row(csv, at, row, made, error);
    default:
        return end_row(csv, at, row, made, error);
    }
}

enum ts_status ts_csv_next(struct ts_csv *csv, struct ts_csv_row *row, bool *more, struct ts_error *error)
{
    bool made = false;
    enum ts_status status;
    while (!made) {
        status = find_positions(csv, error);
        if (status != TS_OK)
            return status;
        if (csv->position_next == csv->position_count)
            break;
        if (csv->state == OUTSIDE)
            add_plain_cells(csv);
        if (csv->position_next < csv->position_count) {
            status = look(csv, csv->positions[csv->position_next++], row, &made, error);
            if (status != TS_OK)
                return status;
        }
    }
    if (!made && csv->row_start < csv->filled) { /* a last row without a line end */
        status = end_row(csv, csv->filled, row, &made, error);
        if (status != TS_OK)
            return status;
        csv->row_start = csv->filled;
    }
    *more = made;
    return TS_OK;
}

enum ts_status ts_csv_skip_rest(struct ts_csv *csv, struct ts_error *error)
{
    /* What was read but not scanned yet was not checked either. */
    for (;;) {
        struct ts_str text = {csv->bytes + csv->scanned, csv->filled - csv->scanned};
        if (csv->options.check_utf8)
            check_utf8(csv, text, csv->position + csv->scanned, false);
        csv->scanned = csv->row_start = csv->cell_start = csv->filled;
        csv->position_next = csv->position_count = csv->cell_count = 0;
        if (csv->at_end) {
            check_utf8_end(csv);
            return TS_OK;
        }
        enum ts_status status = fill(csv, error);
        if (status != TS_OK)
            return status;
    }
}
