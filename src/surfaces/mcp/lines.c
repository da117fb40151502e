#include "surfaces/mcp/lines.h"

#define MARK TS_STR("\xef\xbb\xbf")
/* A long line's memory is not worth keeping for the short ones that follow. */
#define KEPT (64 * TS_KIB)

void ts_mcp_lines_init(struct ts_mcp_lines *lines, void (*line)(void *, struct ts_str, enum ts_mcp_line_fault),
                       void *data)
{
    *lines = (struct ts_mcp_lines){.line = line, .data = data};
    ts_buf_init(&lines->partial, TS_LIMIT_MCP_LINE + 3); /* of the first line the mark does not count */
}

void ts_mcp_lines_free(struct ts_mcp_lines *lines)
{
    ts_buf_free(&lines->partial);
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct ts_str without_blanks(struct ts_str line)
{
    while (line.len > 0 && blank(line.ptr[0]))
        line = ts_str_sub(line, 1, line.len);
    while (line.len > 0 && blank(line.ptr[line.len - 1]))
        line.len--;
    return line;
}

static void complete(struct ts_mcp_lines *lines, struct ts_str line)
{
    if (!lines->begun && ts_str_starts_with(line, MARK))
        line = ts_str_sub(line, MARK.len, line.len);
    lines->begun = true;
    enum ts_mcp_line_fault fault = lines->fault;
    lines->fault = TS_MCP_LINE_GOOD;
    if (fault == TS_MCP_LINE_GOOD && line.len > TS_LIMIT_MCP_LINE)
        fault = TS_MCP_LINE_TOO_LONG;
    if (fault != TS_MCP_LINE_GOOD) {
        lines->line(lines->data, TS_STR(""), fault);
        return;
    }
    line = without_blanks(line);
    if (line.len > 0)
        lines->line(lines->data, line, TS_MCP_LINE_GOOD);
}

static void keep(struct ts_mcp_lines *lines, struct ts_str piece)
{
    if (lines->fault != TS_MCP_LINE_GOOD)
        return;
    ts_buf_str(&lines->partial, piece);
    if (lines->partial.failed) {
        lines->fault = lines->partial.over_limit ? TS_MCP_LINE_TOO_LONG : TS_MCP_LINE_NO_MEMORY;
        ts_buf_free(&lines->partial);
    }
}

static void complete_partial(struct ts_mcp_lines *lines)
{
    complete(lines, ts_buf_view(&lines->partial));
    if (lines->partial.capacity > KEPT)
        ts_buf_free(&lines->partial);
    else
        ts_buf_clear(&lines->partial);
}

void ts_mcp_lines_feed(struct ts_mcp_lines *lines, struct ts_str bytes)
{
    const char *end;
    while (bytes.len > 0 && (end = memchr(bytes.ptr, '\n', bytes.len))) {
        struct ts_str piece = {bytes.ptr, (size_t)(end - bytes.ptr)};
        if (lines->partial.len == 0 && lines->fault == TS_MCP_LINE_GOOD) {
            complete(lines, piece);
        } else {
            keep(lines, piece);
            complete_partial(lines);
        }
        bytes = ts_str_sub(bytes, piece.len + 1, bytes.len);
    }
    keep(lines, bytes);
}

void ts_mcp_lines_end(struct ts_mcp_lines *lines)
{
    if (lines->partial.len > 0 || lines->fault != TS_MCP_LINE_GOOD)
        complete_partial(lines);
}
