#include "formats/stack_trace.h"

void ts_stack_trace_init(struct ts_stack_trace *trace, struct ts_str text)
{
    trace->rest = text;
}

/* Bytes of the line boundary at the start of s, as Unicode has them; 0: none is there. */
static size_t boundary(struct ts_str s)
{
    const unsigned char *at = (const unsigned char *)s.ptr;
    switch (at[0]) {
    case '\r':
        return s.len > 1 && at[1] == '\n' ? 2 : 1;
    case '\n':
    case '\v':
    case '\f':
    case 0x1C:
    case 0x1D:
    case 0x1E:
        return 1;
    case 0xC2: /* U+0085 */
        return s.len > 1 && at[1] == 0x85 ? 2 : 0;
    case 0xE2: /* U+2028, U+2029 */
        return s.len > 2 && at[1] == 0x80 && (at[2] == 0xA8 || at[2] == 0xA9) ? 3 : 0;
    default:
        return 0;
    }
}

/* The first line of *rest, which is taken from it; false at the end. */
static bool take_line(struct ts_str *rest, struct ts_str *line)
{
    if (rest->len == 0)
        return false;
    size_t len = 0, end = 0;
    while (len < rest->len && (end = boundary(ts_str_sub(*rest, len, 3))) == 0)
        len++;
    *line = ts_str_sub(*rest, 0, len);
    *rest = ts_str_sub(*rest, len + end, rest->len);
    return true;
}

static bool take(struct ts_str *rest, const char *literal)
{
    struct ts_str prefix = ts_str_from(literal);
    if (!ts_str_starts_with(*rest, prefix))
        return false;
    *rest = ts_str_sub(*rest, prefix.len, rest->len);
    return true;
}

/* File "FILE", line DIGITS, in FUNCTION */
static bool is_frame(struct ts_str line, struct ts_stack_frame *out)
{
    size_t len = 0;
    while (len < line.len && (line.ptr[len] == ' ' || line.ptr[len] == '\t'))
        len++;
    line = ts_str_sub(line, len, line.len);
    if (!take(&line, "File \""))
        return false;
    for (len = 0; len < line.len && line.ptr[len] != '"';)
        len++;
    out->file = ts_str_sub(line, 0, len);
    line = ts_str_sub(line, len, line.len);
    if (out->file.len == 0 || !take(&line, "\", line "))
        return false;
    for (len = 0; len < line.len && line.ptr[len] >= '0' && line.ptr[len] <= '9';)
        len++;
    out->line = ts_str_sub(line, 0, len);
    line = ts_str_sub(line, len, line.len);
    if (len == 0 || !take(&line, ", in ") || line.len == 0)
        return false;
    out->function = ts_str_trim(line);
    return true;
}

bool ts_stack_trace_next(struct ts_stack_trace *trace, struct ts_stack_frame *out)
{
    struct ts_str line;
    struct ts_stack_frame frame = {.code = {NULL, 0}}, next;
    do {
        if (!take_line(&trace->rest, &line))
            return false;
    } while (!is_frame(line, &frame));
    /* The next line that is not blank, unless it is a frame itself. */
    struct ts_str rest = trace->rest;
    while (take_line(&rest, &line)) {
        if (ts_str_trim(line).len == 0)
            continue;
        if (!is_frame(line, &next)) {
            frame.code = ts_str_trim(line);
            trace->rest = rest;
        }
        break;
    }
    *out = frame;
    return true;
}

bool ts_stack_trace_is_blank(struct ts_str text)
{
    struct ts_str line;
    while (take_line(&text, &line))
        if (ts_str_trim(line).len > 0)
            return false;
    return true;
}
