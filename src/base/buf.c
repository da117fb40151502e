#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void ts_buf_init(struct ts_buf *buf, size_t limit)
{
    *buf = (struct ts_buf){.limit = limit};
}

void ts_buf_free(struct ts_buf *buf)
{
    free(buf->ptr);
    *buf = (struct ts_buf){.limit = buf->limit};
}

void ts_buf_clear(struct ts_buf *buf)
{
    buf->len = 0;
    if (buf->ptr)
        buf->ptr[0] = '\0';
    buf->failed = buf->over_limit = false;
}

/* Room for extra more bytes and the NUL behind them. */
static bool make_room(struct ts_buf *buf, size_t extra)
{
    if (buf->failed)
        return false;
    if (buf->limit && extra > buf->limit - buf->len) {
        buf->failed = buf->over_limit = true;
        return false;
    }
    if (extra < buf->capacity - buf->len)
        return true;
    if (extra > PTRDIFF_MAX - buf->len - 1) {
        buf->failed = true;
        return false;
    }
    size_t need = buf->len + extra + 1;
    size_t wanted = buf->capacity < 64 ? 64 : buf->capacity > PTRDIFF_MAX / 2 ? need : buf->capacity * 2;
    if (buf->limit && wanted - 1 > buf->limit)
        wanted = buf->limit + 1;
    if (wanted < need)
        wanted = need;
    char *grown = realloc(buf->ptr, wanted);
    if (!grown && wanted > need) {
        wanted = need;
        grown = realloc(buf->ptr, wanted);
    }
    if (!grown) {
        buf->failed = true;
        return false;
    }
    buf->ptr = grown;
    buf->capacity = wanted;
    return true;
}

void ts_buf_add(struct ts_buf *buf, const void *bytes, size_t len)
{
    if (!make_room(buf, len))
        return;
    if (len)
        memcpy(buf->ptr + buf->len, bytes, len);
    buf->len += len;
    buf->ptr[buf->len] = '\0';
}

char *ts_buf_extend(struct ts_buf *buf, size_t len)
{
    if (!make_room(buf, len))
        return NULL;
    char *room = buf->ptr + buf->len;
    buf->len += len;
    buf->ptr[buf->len] = '\0';
    return room;
}

void ts_buf_str(struct ts_buf *buf, struct ts_str s)
{
    ts_buf_add(buf, s.ptr, s.len);
}

void ts_buf_text(struct ts_buf *buf, const char *text)
{
    ts_buf_str(buf, ts_str_from(text));
}

void ts_buf_char(struct ts_buf *buf, char c)
{
    ts_buf_add(buf, &c, 1);
}

void ts_buf_printf(struct ts_buf *buf, const char *format, ...)
{
    if (!make_room(buf, 0))
        return;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t room = buf->capacity - buf->len;
    int len = vsnprintf(buf->ptr + buf->len, room, format, arguments);
    if (len >= 0 && (size_t)len >= room && make_room(buf, (size_t)len))
        len = vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, again);
    if (len < 0)
        buf->failed = true;
    if (buf->failed)
        buf->ptr[buf->len] = '\0';
    else
        buf->len += (size_t)len;
    va_end(again);
    va_end(arguments);
}

enum ts_status ts_buf_status(const struct ts_buf *buf, struct ts_error *error)
{
    if (!buf->failed)
        return TS_OK;
    if (!buf->over_limit)
        return ts_error_no_memory(error);
    return ts_error_set(error, TS_LIMIT, "the text grew beyond its limit of %zu bytes", buf->limit);
}
