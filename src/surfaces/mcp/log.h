/* What the server says on standard error: one line per event, "level: message". */
#ifndef TS_SURFACES_MCP_LOG_H
#define TS_SURFACES_MCP_LOG_H

#include "base/str.h"

enum ts_mcp_level { TS_MCP_ERROR, TS_MCP_WARNING, TS_MCP_INFO, TS_MCP_DEBUG };

struct ts_mcp_log {
    enum ts_mcp_level level; /* what is less important is not said */
    int fd;                  /* -1: nowhere */
};

/* The level called name, or false. */
bool ts_mcp_log_level(struct ts_str name, enum ts_mcp_level *out);
/* One line, control characters escaped, cut when very long, written by one call so that threads do not mix theirs. At level
 * info never a path or an argument of a call. */
__attribute__((format(printf, 3, 4))) void ts_mcp_log(const struct ts_mcp_log *log, enum ts_mcp_level level,
                                                      const char *format, ...);

#endif
