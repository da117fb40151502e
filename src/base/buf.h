/* A growing run of bytes with a hard upper limit and a sticky failure, so that callers check once. */
#ifndef TS_BASE_BUF_H
#define TS_BASE_BUF_H

#include "base/error.h"
#include "base/str.h"

struct ts_buf {
    char *ptr; /* NUL-terminated whenever not NULL */
    size_t len, capacity;
    size_t limit; /* most bytes; 0: none */
    bool failed;  /* something did not fit or memory was out; ts_buf_status says which */
    bool over_limit;
};

void ts_buf_init(struct ts_buf *buf, size_t limit);
void ts_buf_free(struct ts_buf *buf);
void ts_buf_clear(struct ts_buf *buf); /* keeps the memory, clears the failure */
void ts_buf_add(struct ts_buf *buf, const void *bytes, size_t len);
/* Room for len more bytes, counted in at once, for the caller to fill; NULL when they do not fit. */
char *ts_buf_extend(struct ts_buf *buf, size_t len);
void ts_buf_str(struct ts_buf *buf, struct ts_str s);
void ts_buf_text(struct ts_buf *buf, const char *text);
void ts_buf_char(struct ts_buf *buf, char c);
__attribute__((format(printf, 2, 3))) void ts_buf_printf(struct ts_buf *buf, const char *format, ...);
static inline struct ts_str ts_buf_view(const struct ts_buf *buf)
{
    return (struct ts_str){buf->ptr ? buf->ptr : "", buf->len};
}
/* TS_OK, or why the buffer failed. */
enum ts_status ts_buf_status(const struct ts_buf *buf, struct ts_error *error);

#endif
