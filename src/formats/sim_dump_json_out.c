/* Writing what sim_dump_json scanned: everything in one form, whatever form it came in. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/number.h"
#include "base/vec.h"
#include "formats/sim_dump_scan.h"

bool ts_sim_out_grow(struct ts_sim_out *out, size_t extra)
{
    enum { FIRST = 512 };
    size_t capacity = out->capacity ? out->capacity : FIRST;
    while (capacity - out->len < extra && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    char *grown = capacity - out->len < extra ? NULL : realloc(out->ptr, capacity);
    if (!grown) {
        out->failed = true;
        return false;
    }
    out->ptr = grown;
    out->capacity = capacity;
    return true;
}

void ts_sim_out_unsigned(struct ts_sim_out *out, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    ts_sim_out_add(out, (struct ts_str){digits + at, sizeof digits - at});
}

/* ---- writing text ---- */

/* One character, code point in hand, as written. */
static void write_code(struct ts_sim_out *out, uint32_t code)
{
    static const char hex[] = "0123456789abcdef";
    if (!ts_sim_out_reserve(out, 12))
        return;
    char *p = out->ptr + out->len;
    static const char named[] = "\"\\\n\r\t\b\f", letters[] = "\"\\nrtbf";
    const char *found = code && code < 0x80 ? strchr(named, (int)code) : NULL;
    if (found) {
        *p++ = '\\';
        *p++ = letters[found - named];
    } else if (code >= 0x20 && code < 0x7f) {
        *p++ = (char)code;
    } else {
        uint32_t units[2] = {code, 0};
        unsigned count = 1;
        if (code >= 0x10000) {
            units[0] = 0xd800 | (code - 0x10000) >> 10;
            units[1] = 0xdc00 | (code & 0x3ff);
            count = 2;
        }
        for (unsigned i = 0; i < count; i++) {
            *p++ = '\\';
            *p++ = 'u';
            for (int shift = 12; shift >= 0; shift -= 4)
                *p++ = hex[units[i] >> shift & 15];
        }
    }
    out->len = (size_t)(p - out->ptr);
}

/* The character at p in UTF-8 that was checked: surrogates may be encoded. */
static uint32_t decode(const char **p, const char *end)
{
    const unsigned char *c = (const unsigned char *)*p;
    if (c[0] < 0x80 || end - *p < 2) {
        *p += 1;
        return c[0];
    }
    if (c[0] < 0xe0) {
        *p += 2;
        return (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
    }
    if (c[0] < 0xf0 && end - *p >= 3) {
        *p += 3;
        return (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
    }
    if (end - *p >= 4) {
        *p += 4;
        return (c[0] & 0x07u) << 18 | (c[1] & 0x3fu) << 12 | (c[2] & 0x3fu) << 6 | (c[3] & 0x3fu);
    }
    *p = end;
    return 0xfffd;
}

/* Printable ASCII that is written as it stands. */
static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void write_text(struct ts_sim_out *out, const char *p, const char *end, bool escaped)
{
    while (p < end) {
        const char *run = p;
        while (run < end && is_plain(*run))
            run++;
        ts_sim_out_add(out, (struct ts_str){p, (size_t)(run - p)});
        p = run;
        if (p < end)
            write_code(out, *p == '\\' && escaped ? ts_sim_scan_unescape(&p, end) : decode(&p, end));
    }
}

void ts_sim_json_write_text(struct ts_sim_out *out, struct ts_str quoted)
{
    write_text(out, quoted.ptr + 1, quoted.ptr + quoted.len - 1, true);
}

void ts_sim_json_escape(struct ts_sim_out *out, struct ts_str text)
{
    if (text.len)
        write_text(out, text.ptr, text.ptr + text.len, false);
}

/* ---- writing values ---- */

void ts_sim_json_write_number(struct ts_sim_out *out, struct ts_str text)
{
    struct ts_sim_number number = ts_sim_json_number(text);
    if (number.canonical) {
        ts_sim_out_add(out, text);
    } else if (number.kind == TS_SIM_NUMBER_INTEGER) {
        ts_sim_out_add(out, TS_STR("0")); /* "-0" */
    } else if (isinf(number.value)) {
        ts_sim_out_add(out, number.value < 0 ? TS_STR("-Infinity") : TS_STR("Infinity"));
    } else {
        char written[TS_NUMBER_TEXT_MAX];
        size_t len = ts_number_python(number.value, written);
        ts_sim_out_add(out, (struct ts_str){written, len});
    }
}

/* Set bits: which of 16 bytes are not written as they stand (or end the string). */
static inline unsigned not_plain(const char *p)
{
    unsigned high, special = ts_sim_scan_special(p, &high);
#if defined(__SSE2__)
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)p);
    unsigned rubout = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8(0x7f)));
#else
    unsigned rubout = 0;
    for (unsigned i = 0; i < 16; i++)
        rubout |= (unsigned)(p[i] == 0x7f) << i;
#endif
    return special | high | rubout;
}

/* The string whose opening quote is at p. */
static const char *write_string(struct ts_sim_out *out, const char *p)
{
    ts_sim_out_add(out, (struct ts_str){p++, 1});
    for (;;) {
        if (!ts_sim_out_reserve(out, 16))
            return p;
        unsigned stop = not_plain(p);
        memcpy(out->ptr + out->len, p, 16);
        if (!stop) {
            out->len += 16;
            p += 16;
            continue;
        }
        unsigned at = (unsigned)__builtin_ctz(stop);
        out->len += at;
        p += at;
        if (*p == '"')
            break;
        /* Most escapes are written as they came; the longest character has 4 bytes, the longest escape is a pair. */
        if (*p == '\\' && p[1] != 'u' && p[1] != '/') {
            ts_sim_out_add(out, (struct ts_str){p, 2});
            p += 2;
        } else {
            write_code(out, *p == '\\' ? ts_sim_scan_unescape(&p, p + 12) : decode(&p, p + 4));
        }
    }
    ts_sim_out_add(out, (struct ts_str){p, 1});
    return p + 1;
}

/* Where a member stands in what was written: key and value up to its end. */
struct member {
    size_t key, value, end;
};
typedef TS_VEC(struct member) members;

static struct ts_str key_of(const struct ts_sim_out *out, const struct member *member)
{
    return (struct ts_str){out->ptr + member->key, member->value - member->key};
}

/* Write the members anew, of equal keys the last value in the first one's place. */
static void rebuild(struct ts_sim_out *out, const struct member *all, const struct ts_map *map)
{
    struct ts_sim_out copy = {0};
    size_t start = all[0].key;
    for (size_t i = 0; i < map->count; i++) {
        const struct member *last = &all[map->entries[i].value - 1];
        if (i > 0)
            ts_sim_out_add(&copy, TS_STR(", "));
        ts_sim_out_add(&copy, (struct ts_str){out->ptr + last->key, last->end - last->key});
    }
    out->failed |= copy.failed;
    out->len = start;
    ts_sim_out_add(out, (struct ts_str){copy.ptr ? copy.ptr : "", copy.len});
    free(copy.ptr);
}

static void merge_repeated(struct ts_sim_out *out, const struct member *all, size_t count)
{
    struct ts_map map;
    ts_map_init(&map);
    for (size_t i = 0; i < count && !out->failed; i++) {
        uint64_t *last = ts_map_at(&map, key_of(out, &all[i]), NULL);
        if (last)
            *last = i + 1;
        else
            out->failed = true;
    }
    if (!out->failed && map.count < count)
        rebuild(out, all, &map);
    ts_map_free(&map);
}

/* Whether some of few keys are equal. */
static bool any_repeated(const struct ts_sim_out *out, const struct member *all, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (ts_str_equal(key_of(out, &all[i]), key_of(out, &all[j])))
                return true;
    return false;
}

static const char *write_value(struct ts_sim_out *out, const char *p);

static const char *write_member(struct ts_sim_out *out, const char *p, struct member *member)
{
    member->key = out->len;
    p = ts_sim_json_space(write_string(out, p));
    member->value = out->len;
    ts_sim_out_add(out, TS_STR(": "));
    p = write_value(out, ts_sim_json_space(p + 1));
    member->end = out->len;
    return ts_sim_json_space(p);
}

static const char *write_object(struct ts_sim_out *out, const char *p)
{
    enum { FEW = 12 };
    struct member few[FEW];
    members many = {0};
    size_t count = 0;
    ts_sim_out_add(out, TS_STR("{"));
    p = ts_sim_json_space(p + 1);
    while (*p != '}' && !out->failed) {
        struct member member;
        if (count > 0)
            ts_sim_out_add(out, TS_STR(", "));
        p = write_member(out, p, &member);
        if (count < FEW)
            few[count] = member;
        if (count == FEW)
            for (size_t i = 0; i < FEW && !out->failed; i++)
                out->failed |= !ts_vec_push(&many, few[i]);
        if (count >= FEW)
            out->failed |= !ts_vec_push(&many, member);
        count++;
        if (*p == ',')
            p = ts_sim_json_space(p + 1);
    }
    if (!out->failed && (count > FEW || any_repeated(out, few, count)))
        merge_repeated(out, count > FEW ? many.items : few, count);
    ts_vec_free(&many);
    ts_sim_out_add(out, TS_STR("}"));
    return p + 1;
}

static const char *write_array(struct ts_sim_out *out, const char *p)
{
    bool first = true;
    ts_sim_out_add(out, TS_STR("["));
    p = ts_sim_json_space(p + 1);
    while (*p != ']' && !out->failed) {
        if (!first)
            ts_sim_out_add(out, TS_STR(", "));
        first = false;
        p = ts_sim_json_space(write_value(out, p));
        if (*p == ',')
            p = ts_sim_json_space(p + 1);
    }
    ts_sim_out_add(out, TS_STR("]"));
    return p + 1;
}

/* Nested as deep as the scan allowed. */
static const char *write_value(struct ts_sim_out *out, const char *p)
{
    struct ts_sim_json_fault fault;
    switch (*p) {
    case '"':
        return write_string(out, p);
    case '{':
        return write_object(out, p);
    case '[':
        return write_array(out, p);
    default:
        break;
    }
    const char *behind = ts_sim_scan_scalar(p, &fault);
    if (!behind)
        return p; /* was scanned before */
    struct ts_str text = {p, (size_t)(behind - p)};
    if (*p == '-' || (unsigned char)(*p - '0') <= 9)
        ts_sim_json_write_number(out, text);
    else
        ts_sim_out_add(out, text);
    return behind;
}

const char *ts_sim_json_write(struct ts_sim_out *out, const char *p)
{
    return write_value(out, p);
}
