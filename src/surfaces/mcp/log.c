#include "surfaces/mcp/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/utf8.h"

static const char *const names[] = {"error", "warning", "info", "debug"};

bool ts_mcp_log_level(struct ts_str name, enum ts_mcp_level *out)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ts_str_is(name, names[i])) {
            *out = (enum ts_mcp_level)i;
            return true;
        }
    }
    return false;
}

/* PIPE_BUF: what a pipe takes whole. */
enum { LINE_MAX_BYTES = 4096 };

void ts_mcp_log(const struct ts_mcp_log *log, enum ts_mcp_level level, const char *format, ...)
{
    if (log->fd < 0 || level > log->level)
        return;
    char message[LINE_MAX_BYTES], line[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (len < 0)
        return;

    size_t used = (size_t)snprintf(line, sizeof line, "%s: ", names[level]);
    struct ts_str rest = ts_str_from(message);
    while (rest.len > 0 && sizeof line - used > TS_UTF8_ESCAPE_MAX) {
        size_t taken;
        used += ts_utf8_escape_one(rest, &taken, line + used);
        rest = ts_str_sub(rest, taken, rest.len);
    }
    line[used++] = '\n';
    while (write(log->fd, line, used) < 0 && errno == EINTR)
        continue;
}
