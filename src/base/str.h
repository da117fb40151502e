/* Text as a pointer and a length: not terminated, may hold NUL, owned by somebody else. */
#ifndef TS_BASE_STR_H
#define TS_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct ts_str {
    const char *ptr;
    size_t len;
};

#define TS_STR(literal) ((struct ts_str){(literal), sizeof(literal) - 1})
/* printf arguments for "%.*s"; the text is cut at INT_MAX. */
#define TS_STR_ARG(s) (int)(s).len, (s).ptr ? (s).ptr : ""

/* From a terminated string; NULL is the empty text. */
static inline struct ts_str ts_str_from(const char *text)
{
    return (struct ts_str){text, text ? strlen(text) : 0};
}

static inline bool ts_str_equal(struct ts_str a, struct ts_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool ts_str_is(struct ts_str a, const char *text)
{
    return ts_str_equal(a, ts_str_from(text));
}

/* Byte order: negative, 0 or positive. */
int ts_str_compare(struct ts_str a, struct ts_str b);
bool ts_str_starts_with(struct ts_str s, struct ts_str prefix);
bool ts_str_ends_with(struct ts_str s, struct ts_str suffix);
/* Offset of the first occurrence of what in s at or after from, or (size_t)-1. An empty what is found at from. */
size_t ts_str_find(struct ts_str s, struct ts_str what, size_t from);
static inline bool ts_str_contains(struct ts_str s, struct ts_str what)
{
    return ts_str_find(s, what, 0) != (size_t)-1;
}
/* s from start (cut to its length) for at most len bytes. */
struct ts_str ts_str_sub(struct ts_str s, size_t start, size_t len);
/* Without ASCII white space (space, \t \n \v \f \r) at both ends. */
struct ts_str ts_str_trim(struct ts_str s);
/* The first word by ASCII white space, leading white space skipped; empty when there is none. */
struct ts_str ts_str_first_word(struct ts_str s);
/* Take the pieces of *rest between separators one after the other: true with the next piece in *piece, false after the
 * last. *done must be false at first and is the function's own from then on. There is always one piece more than there
 * are separators: "a;" gives "a" and "", the empty text gives "". */
bool ts_str_split(struct ts_str *rest, char separator, struct ts_str *piece, bool *done);

#endif
