#include "base/str.h"

int ts_str_compare(struct ts_str a, struct ts_str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common ? memcmp(a.ptr, b.ptr, common) : 0;
    if (order != 0)
        return order;
    return (a.len > b.len) - (a.len < b.len);
}

bool ts_str_starts_with(struct ts_str s, struct ts_str prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

bool ts_str_ends_with(struct ts_str s, struct ts_str suffix)
{
    return s.len >= suffix.len &&
           (suffix.len == 0 || memcmp(s.ptr + (s.len - suffix.len), suffix.ptr, suffix.len) == 0);
}

size_t ts_str_find(struct ts_str s, struct ts_str what, size_t from)
{
    if (from > s.len || what.len > s.len - from)
        return (size_t)-1;
    if (what.len == 0)
        return from;
    const char *start = s.ptr + from;
    size_t room = s.len - from;
    const char *found = what.len == 1 ? memchr(start, what.ptr[0], room) : memmem(start, room, what.ptr, what.len);
    return found ? (size_t)(found - s.ptr) : (size_t)-1;
}

struct ts_str ts_str_sub(struct ts_str s, size_t start, size_t len)
{
    if (start >= s.len)
        return (struct ts_str){s.ptr ? s.ptr + s.len : NULL, 0};
    size_t room = s.len - start;
    return (struct ts_str){s.ptr + start, len < room ? len : room};
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct ts_str ts_str_trim(struct ts_str s)
{
    while (s.len > 0 && is_space(s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    while (s.len > 0 && is_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

struct ts_str ts_str_first_word(struct ts_str s)
{
    size_t start = 0;
    while (start < s.len && is_space(s.ptr[start]))
        start++;
    size_t end = start;
    while (end < s.len && !is_space(s.ptr[end]))
        end++;
    return ts_str_sub(s, start, end - start);
}

bool ts_str_split(struct ts_str *rest, char separator, struct ts_str *piece, bool *done)
{
    if (*done)
        return false;
    const char *cut = rest->len ? memchr(rest->ptr, separator, rest->len) : NULL;
    if (!cut) {
        *piece = *rest;
        *rest = ts_str_sub(*rest, rest->len, 0);
        *done = true;
        return true;
    }
    size_t len = (size_t)(cut - rest->ptr);
    *piece = (struct ts_str){rest->ptr, len};
    *rest = (struct ts_str){cut + 1, rest->len - len - 1};
    return true;
}
