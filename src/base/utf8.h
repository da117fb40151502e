/* UTF-8: checking, counting, and making text safe to show. */
#ifndef TS_BASE_UTF8_H
#define TS_BASE_UTF8_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Length of the longest valid prefix (s.len when all is valid). An incomplete sequence at the end is not part of it.
 * Strict: no overlong forms, surrogates, or values above U+10FFFF. Runs at memory speed on ASCII. */
size_t ts_utf8_valid_prefix(struct ts_str s);
static inline bool ts_utf8_valid(struct ts_str s)
{
    return ts_utf8_valid_prefix(s) == s.len;
}
/* Length of the longest prefix of ASCII; how fast ts_utf8_valid_prefix is rests on it. */
size_t ts_utf8_ascii_prefix(struct ts_str s);
/* The same without vector instructions: what other processors run, and what tests compare with. */
size_t ts_utf8_ascii_prefix_plain(struct ts_str s);
/* Decode the character at s.ptr (s.len > 0): its code point and byte length; an invalid byte gives 0xFFFD and 1. */
uint32_t ts_utf8_decode(struct ts_str s, size_t *len);
/* Code points; an invalid byte counts as one. */
size_t ts_utf8_count(struct ts_str s);
/* The prefix of at most max code points. */
struct ts_str ts_utf8_cut(struct ts_str s, size_t max);
/* Append s with invalid bytes as U+FFFD. */
void ts_utf8_clean(struct ts_buf *out, struct ts_str s);
/* Characters that must not reach a terminal or a message: C0, DEL, C1 controls, bidirectional and zero-width ones. */
bool ts_utf8_unsafe(uint32_t code);
/* Write the character at s.ptr (s.len > 0) to out as ts_utf8_escape does, not terminated. Returns the bytes written;
 * *len is what was read. */
enum { TS_UTF8_ESCAPE_MAX = 10 };
size_t ts_utf8_escape_one(struct ts_str s, size_t *len, char out[TS_UTF8_ESCAPE_MAX]);
/* Append s for a terminal or a message: unsafe characters as \n, \t, \xNN or \u{NNNN}, invalid bytes as \xNN. */
void ts_utf8_escape(struct ts_buf *out, struct ts_str s);
/* Append s without the control characters U+0000-0008, U+000A-001F, U+007F-009F (tab stays). */
void ts_utf8_strip_controls(struct ts_buf *out, struct ts_str s);

#endif
