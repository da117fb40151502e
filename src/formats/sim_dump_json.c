#include "formats/sim_dump_json.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "formats/sim_dump_scan.h"

/* ---- scanning ---- */

static bool is_hex(char c)
{
    return (unsigned char)(c - '0') <= 9 || (unsigned char)((c | 0x20) - 'a') <= 5;
}

const char *ts_sim_scan_escape(const char *p, struct ts_sim_json_fault *fault)
{
    p++;
    if (*p == 'u') {
        p++;
        for (unsigned i = 0; i < 4; i++, p++)
            if (!is_hex(*p))
                return ts_sim_scan_fault(fault, p, "four hexadecimal digits of an escape");
        return p;
    }
    if (*p && strchr("\"\\/bfnrt", *p))
        return p + 1;
    return ts_sim_scan_fault(fault, p, "an escape sequence of JSON");
}

bool ts_sim_scan_utf8(const char *from, const char *to, struct ts_sim_json_fault *fault)
{
    while (from < to) {
        from += ts_utf8_valid_prefix((struct ts_str){from, (size_t)(to - from)});
        if (from == to)
            break;
        const unsigned char *c = (const unsigned char *)from;
        bool surrogate = to - from >= 3 && c[0] == 0xed && c[1] >= 0xa0 && c[1] <= 0xbf && c[2] >= 0x80 && c[2] <= 0xbf;
        if (!surrogate)
            return ts_sim_scan_fault(fault, from, "valid UTF-8") != NULL;
        from += 3;
    }
    return true;
}

const char *ts_sim_json_string(const char *p, struct ts_sim_json_fault *fault)
{
    if (*p != '"')
        return ts_sim_scan_fault(fault, p, "a string in double quotes");
    return ts_sim_scan_string(p + 1, fault);
}

/* A quoted key, the colon and the space around it. */
static const char *scan_key(const char *p, struct ts_sim_json_fault *fault)
{
    p = ts_sim_json_string(p, fault);
    if (!p)
        return NULL;
    p = ts_sim_json_space(p);
    if (*p != ':')
        return ts_sim_scan_fault(fault, p, "a colon behind a key");
    return ts_sim_json_space(p + 1);
}

/* One bit a level: an object. */
struct nesting {
    uint64_t objects[TS_LIMIT_JSON_DEPTH / 64 + 1];
    unsigned depth;
};

static bool in_object(const struct nesting *nesting)
{
    unsigned level = nesting->depth - 1;
    return nesting->objects[level / 64] >> level % 64 & 1;
}

static bool enter(struct nesting *nesting, bool object)
{
    if (nesting->depth == TS_LIMIT_JSON_DEPTH)
        return false;
    unsigned level = nesting->depth++;
    uint64_t bit = UINT64_C(1) << level % 64;
    nesting->objects[level / 64] = (nesting->objects[level / 64] & ~bit) | (object ? bit : 0);
    return true;
}

/* After a value: behind the commas and brackets up to where the next value begins, or to where the outermost container has
 * ended (depth 0). */
static const char *leave(const char *p, struct nesting *nesting, struct ts_sim_json_fault *fault)
{
    while (nesting->depth > 0) {
        bool object = in_object(nesting);
        p = ts_sim_json_space(p);
        if (*p == ',') {
            p = ts_sim_json_space(p + 1);
            return object ? scan_key(p, fault) : p;
        }
        if (*p != (object ? '}' : ']'))
            return ts_sim_scan_fault(fault, p,
                                     object ? "a comma or the end of an object" : "a comma or the end of an array");
        p++;
        nesting->depth--;
    }
    return p;
}

const char *ts_sim_json_value(const char *p, struct ts_sim_json_fault *fault)
{
    struct nesting nesting;
    nesting.depth = 0;
    do {
        if (*p != '{' && *p != '[') {
            p = ts_sim_scan_scalar(p, fault);
        } else {
            bool object = *p == '{';
            if (!enter(&nesting, object))
                return ts_sim_scan_fault(fault, p, "values nested no deeper than 512 levels");
            p = ts_sim_json_space(p + 1);
            if (*p != (object ? '}' : ']')) {
                p = object ? scan_key(p, fault) : p;
                if (!p)
                    return NULL;
                continue;
            }
            p++;
            nesting.depth--;
        }
        if (p)
            p = leave(p, &nesting, fault);
    } while (p && nesting.depth > 0);
    return p;
}

/* ---- looking into what was scanned ---- */

struct ts_sim_json_walk ts_sim_json_open(struct ts_str container)
{
    return (struct ts_sim_json_walk){ts_sim_json_space(container.ptr + 1), container.ptr[0] == '{'};
}

bool ts_sim_json_next(struct ts_sim_json_walk *walk, struct ts_str *key, struct ts_str *value)
{
    struct ts_sim_json_fault fault;
    const char *p = walk->at;
    *key = (struct ts_str){p, 0};
    if (*p == '}' || *p == ']')
        return false;
    if (walk->object) {
        const char *behind = ts_sim_scan_string(p + 1, &fault);
        if (!behind)
            return false;
        key->len = (size_t)(behind - p);
        p = ts_sim_json_space(ts_sim_json_space(behind) + 1);
    }
    const char *behind = ts_sim_json_value(p, &fault);
    if (!behind)
        return false;
    *value = (struct ts_str){p, (size_t)(behind - p)};
    p = ts_sim_json_space(behind);
    walk->at = *p == ',' ? ts_sim_json_space(p + 1) : p;
    return true;
}

struct ts_str ts_sim_json_member(struct ts_str object, const char *name)
{
    struct ts_str key, value, found = {NULL, 0};
    struct ts_sim_json_walk walk = ts_sim_json_open(object);
    while (ts_sim_json_next(&walk, &key, &value))
        if (ts_sim_json_is(key, ts_str_from(name)))
            found = value;
    return found;
}

/* The code unit of "\uXXXX" at p. */
static unsigned hex_unit(const char *p)
{
    unsigned unit = 0;
    for (unsigned i = 2; i < 6; i++) {
        unsigned char c = (unsigned char)p[i];
        unit = unit << 4 | (c <= '9' ? (unsigned)c - '0' : (c | 0x20u) - 'a' + 10);
    }
    return unit;
}

/* The character of the escape sequence at *p, which moves behind it: a pair of surrogates together is one. */
uint32_t ts_sim_scan_unescape(const char **p, const char *end)
{
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char *at = *p;
    if (at[1] != 'u') {
        const char *letter = strchr(letters, at[1]);
        *p += 2;
        return (unsigned char)(letter ? meanings[letter - letters] : at[1]);
    }
    uint32_t code = hex_unit(at);
    *p += 6;
    bool pair = (code & 0xfc00) == 0xd800 && end - *p >= 6 && at[6] == '\\' && at[7] == 'u';
    if (pair) {
        uint32_t low = hex_unit(at + 6);
        if ((low & 0xfc00) == 0xdc00) {
            *p += 6;
            return 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
        }
    }
    return code;
}

bool ts_sim_json_is(struct ts_str quoted, struct ts_str text)
{
    if (quoted.len < 2 || quoted.ptr[0] != '"')
        return false;
    struct ts_str inside = {quoted.ptr + 1, quoted.len - 2};
    if (ts_str_equal(inside, text))
        return true;
    if (!memchr(inside.ptr, '\\', inside.len))
        return false;
    const char *p = inside.ptr, *end = p + inside.len;
    size_t i = 0;
    while (p < end) {
        uint32_t code = *p == '\\' ? ts_sim_scan_unescape(&p, end) : (unsigned char)*p++;
        if (i == text.len || code != (unsigned char)text.ptr[i++])
            return false;
    }
    return i == text.len;
}

static void add_utf8(struct ts_sim_out *out, uint32_t code)
{
    char bytes[4];
    size_t len;
    if (code < 0x80) {
        bytes[0] = (char)code;
        len = 1;
    } else if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3f));
        len = 2;
    } else if (code < 0x10000) {
        bytes[0] = (char)(0xe0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (code & 0x3f));
        len = 3;
    } else {
        bytes[0] = (char)(0xf0 | code >> 18);
        bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[3] = (char)(0x80 | (code & 0x3f));
        len = 4;
    }
    ts_sim_out_add(out, (struct ts_str){bytes, len});
}

void ts_sim_json_decode(struct ts_sim_out *out, struct ts_str quoted)
{
    const char *p = quoted.ptr + 1, *end = quoted.ptr + quoted.len - 1;
    while (p < end) {
        if (*p == '\\') {
            add_utf8(out, ts_sim_scan_unescape(&p, end));
            continue;
        }
        const char *run = memchr(p, '\\', (size_t)(end - p));
        if (!run)
            run = end;
        ts_sim_out_add(out, (struct ts_str){p, (size_t)(run - p)});
        p = run;
    }
}
