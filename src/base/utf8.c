#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { REPLACEMENT = 0xFFFD };

size_t ts_utf8_ascii_prefix_plain(struct ts_str s)
{
    size_t at = 0;
    for (; s.len - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, s.ptr + at, sizeof word);
        if (word & 0x8080808080808080u)
            break;
    }
    while (at < s.len && (unsigned char)s.ptr[at] < 0x80)
        at++;
    return at;
}

#ifdef __SSE2__
size_t ts_utf8_ascii_prefix(struct ts_str s)
{
    size_t at = 0;
    for (; s.len - at >= 64; at += 64) {
        const __m128i *block = (const __m128i *)(const void *)(s.ptr + at);
        __m128i first = _mm_or_si128(_mm_loadu_si128(block), _mm_loadu_si128(block + 1));
        __m128i second = _mm_or_si128(_mm_loadu_si128(block + 2), _mm_loadu_si128(block + 3));
        if (_mm_movemask_epi8(_mm_or_si128(first, second)))
            break;
    }
    for (; s.len - at >= 16; at += 16) {
        int high = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)(s.ptr + at)));
        if (high)
            return at + (size_t)__builtin_ctz((unsigned)high);
    }
    return at + ts_utf8_ascii_prefix_plain(ts_str_sub(s, at, s.len));
}
#else
size_t ts_utf8_ascii_prefix(struct ts_str s)
{
    return ts_utf8_ascii_prefix_plain(s);
}
#endif

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Length of the valid sequence of two to four bytes at p, 0 when there is none in the room. The narrower bounds on the
 * second byte shut out overlong forms, surrogates and what lies above U+10FFFF. */
static size_t multibyte_length(const unsigned char *p, size_t room)
{
    if (p[0] < 0xC2 || p[0] > 0xF4 || room < 2)
        return 0;
    if (p[0] < 0xE0)
        return is_continuation(p[1]) ? 2 : 0;
    unsigned char low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high || room < 3 || !is_continuation(p[2]))
        return 0;
    if (p[0] < 0xF0)
        return 3;
    return room >= 4 && is_continuation(p[3]) ? 4 : 0;
}

size_t ts_utf8_valid_prefix(struct ts_str s)
{
    const unsigned char *bytes = (const unsigned char *)s.ptr;
    size_t at = 0;
    for (;;) {
        at += ts_utf8_ascii_prefix(ts_str_sub(s, at, s.len));
        /* Text that is mostly not ASCII comes in words: stay here as long as one lasts. */
        while (at < s.len && bytes[at] >= 0x80) {
            size_t len = multibyte_length(bytes + at, s.len - at);
            if (len == 0)
                return at;
            at += len;
        }
        if (at == s.len)
            return at;
    }
}

uint32_t ts_utf8_decode(struct ts_str s, size_t *len)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    *len = 1;
    if (p[0] < 0x80)
        return p[0];
    size_t count = multibyte_length(p, s.len);
    if (count == 0)
        return REPLACEMENT;
    *len = count;
    uint32_t code = p[0] & (0x7Fu >> count);
    for (size_t i = 1; i < count; i++)
        code = code << 6 | (p[i] & 0x3Fu);
    return code;
}

size_t ts_utf8_count(struct ts_str s)
{
    size_t count = 0;
    for (size_t at = 0, len; at < s.len; at += len, count++)
        ts_utf8_decode(ts_str_sub(s, at, s.len), &len);
    return count;
}

struct ts_str ts_utf8_cut(struct ts_str s, size_t max)
{
    if (s.len <= max)
        return s;
    size_t at = 0;
    for (size_t len; at < s.len && max > 0; at += len, max--)
        ts_utf8_decode(ts_str_sub(s, at, s.len), &len);
    return ts_str_sub(s, 0, at);
}

void ts_utf8_clean(struct ts_buf *out, struct ts_str s)
{
    for (;;) {
        size_t valid = ts_utf8_valid_prefix(s);
        ts_buf_add(out, s.ptr, valid);
        if (valid == s.len)
            return;
        ts_buf_str(out, TS_STR("\xEF\xBF\xBD"));
        s = ts_str_sub(s, valid + 1, s.len);
    }
}

/* Beside the controls: what Unicode has shown as nothing (its property Default_Ignorable_Code_Point), line separators, and
 * annotations. */
bool ts_utf8_unsafe(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } unsafe[] = {
        {0x0000, 0x001F}, {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x061C, 0x061C},
        {0x115F, 0x1160}, {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
        {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
        {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
    };
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe && code >= unsafe[i].first; i++)
        if (code <= unsafe[i].last)
            return true;
    return false;
}

size_t ts_utf8_escape_one(struct ts_str s, size_t *len, char out[TS_UTF8_ESCAPE_MAX])
{
    static const char hex[] = "0123456789ABCDEF";
    uint32_t code = ts_utf8_decode(s, len);
    bool invalid = code == REPLACEMENT && *len == 1;
    if (!invalid && !ts_utf8_unsafe(code)) {
        memcpy(out, s.ptr, *len);
        return *len;
    }
    size_t at = 0;
    out[at++] = '\\';
    if (code == '\n' || code == '\t') {
        out[at++] = code == '\n' ? 'n' : 't';
    } else if (*len == 1) {
        out[at++] = 'x';
        out[at++] = hex[(unsigned char)s.ptr[0] >> 4];
        out[at++] = hex[(unsigned char)s.ptr[0] & 15];
    } else {
        out[at++] = 'u';
        out[at++] = '{';
        for (int shift = code > 0xFFFF ? 20 : 12; shift >= 0; shift -= 4)
            if (shift < 20 || code >> shift)
                out[at++] = hex[code >> shift & 15];
        out[at++] = '}';
    }
    return at;
}

void ts_utf8_escape(struct ts_buf *out, struct ts_str s)
{
    char text[TS_UTF8_ESCAPE_MAX];
    for (size_t at = 0, len; at < s.len; at += len) {
        size_t written = ts_utf8_escape_one(ts_str_sub(s, at, s.len), &len, text);
        ts_buf_add(out, text, written);
    }
}

/* Bytes, not characters, at s.ptr that make one control character to be left out; 0 when there is none. */
static size_t control_length(struct ts_str s)
{
    unsigned char first = (unsigned char)s.ptr[0];
    if (first < 0x20)
        return first == '\t' ? 0 : 1;
    if (first == 0x7F)
        return 1;
    return first == 0xC2 && s.len > 1 && (unsigned char)s.ptr[1] >= 0x80 && (unsigned char)s.ptr[1] < 0xA0 ? 2 : 0;
}

void ts_utf8_strip_controls(struct ts_buf *out, struct ts_str s)
{
    size_t kept = 0, at = 0;
    while (at < s.len) {
        size_t control = control_length(ts_str_sub(s, at, s.len));
        if (control == 0) {
            at++;
            continue;
        }
        ts_buf_add(out, s.ptr + kept, at - kept);
        at += control;
        kept = at;
    }
    ts_buf_add(out, s.ptr ? s.ptr + kept : NULL, at - kept);
}
