/* Framing: bytes as they come from a client, cut into lines. */
#ifndef TS_SURFACES_MCP_LINES_H
#define TS_SURFACES_MCP_LINES_H

#include "base/buf.h"
#include "base/limits.h"

enum ts_mcp_line_fault {
    TS_MCP_LINE_GOOD,
    TS_MCP_LINE_TOO_LONG,  /* over TS_LIMIT_MCP_LINE; its bytes were not kept */
    TS_MCP_LINE_NO_MEMORY, /* the same for want of memory */
};

struct ts_mcp_lines {
    void (*line)(void *data, struct ts_str line, enum ts_mcp_line_fault fault);
    void *data;
    struct ts_buf partial; /* what came of a line that is not complete */
    enum ts_mcp_line_fault fault;
    bool begun; /* the first line of the stream, which may have a byte order mark, is over */
};

/* line is called for every line that is not blank, without its end and the blanks around it; the text is borrowed until it
 * returns, and empty when the line has a fault. */
void ts_mcp_lines_init(struct ts_mcp_lines *lines, void (*line)(void *, struct ts_str, enum ts_mcp_line_fault),
                       void *data);
void ts_mcp_lines_free(struct ts_mcp_lines *lines);
void ts_mcp_lines_feed(struct ts_mcp_lines *lines, struct ts_str bytes);
/* The stream is over: what has come of a last line counts as one. */
void ts_mcp_lines_end(struct ts_mcp_lines *lines);

#endif
