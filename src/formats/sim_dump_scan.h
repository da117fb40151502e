/* The inner loops of sim_dump_json and sim_dump_event, here so that both get them inlined. */
#ifndef TS_FORMATS_SIM_DUMP_SCAN_H
#define TS_FORMATS_SIM_DUMP_SCAN_H

#include "formats/sim_dump_json.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Behind an escape sequence whose backslash is at p, or NULL. */
const char *ts_sim_scan_escape(const char *p, struct ts_sim_json_fault *fault);
/* The character of the checked escape sequence at *p, which moves behind it: a pair of surrogates together is one. */
uint32_t ts_sim_scan_unescape(const char **p, const char *end);
/* Whether what lies between from and to is UTF-8, encoded surrogates included. */
bool ts_sim_scan_utf8(const char *from, const char *to, struct ts_sim_json_fault *fault);

static inline const char *ts_sim_scan_fault(struct ts_sim_json_fault *fault, const char *at, const char *expected)
{
    *fault = (struct ts_sim_json_fault){at, expected};
    return NULL;
}

#if defined(__SSE2__)
/* Set bits: which of 16 bytes are a quote, a backslash or a control character; *high: which are not ASCII. */
static inline unsigned ts_sim_scan_special(const char *p, unsigned *high)
{
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(0x1f)), text);
    __m128i quote = _mm_cmpeq_epi8(text, _mm_set1_epi8('"')), backslash = _mm_cmpeq_epi8(text, _mm_set1_epi8('\\'));
    *high = (unsigned)_mm_movemask_epi8(text);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash)));
}
#else
static inline unsigned ts_sim_scan_special(const char *p, unsigned *high)
{
    unsigned special = 0;
    *high = 0;
    for (unsigned i = 0; i < 16; i++) {
        unsigned char c = (unsigned char)p[i];
        special |= (unsigned)(c < 0x20 || c == '"' || c == '\\') << i;
        *high |= (unsigned)(c >= 0x80) << i;
    }
    return special;
}
#endif

/* Behind the closing quote of the string whose opening quote is at p - 1, or NULL. */
static inline const char *ts_sim_scan_string(const char *p, struct ts_sim_json_fault *fault)
{
    const char *start = p;
    unsigned any_high = 0;
    for (;;) {
        unsigned high, special = ts_sim_scan_special(p, &high);
        if (!special) {
            any_high |= high;
            p += 16;
            continue;
        }
        unsigned at = (unsigned)__builtin_ctz(special);
        any_high |= high & ((1u << at) - 1);
        p += at;
        if (*p == '"')
            break;
        if (*p != '\\')
            return ts_sim_scan_fault(fault, p, "the end of a string (control characters in one are escaped)");
        p = ts_sim_scan_escape(p, fault);
        if (!p)
            return NULL;
    }
    if (any_high && !ts_sim_scan_utf8(start, p, fault))
        return NULL;
    return p + 1;
}

static inline const char *ts_sim_scan_digits(const char *p)
{
    while ((unsigned char)(*p - '0') <= 9)
        p++;
    return p;
}

/* Behind the literal that should stand at p, or NULL. */
static inline const char *ts_sim_scan_literal(const char *p, const char *literal, struct ts_sim_json_fault *fault)
{
    for (; *literal; literal++, p++)
        if (*p != *literal)
            return ts_sim_scan_fault(fault, p, "a value");
    return p;
}

/* Behind the number that begins at p with a digit or a minus sign, or NULL. */
static inline const char *ts_sim_scan_number(const char *p, struct ts_sim_json_fault *fault)
{
    const char *start = p;
    if (*p == '-')
        p++;
    if (*p == 'I')
        return ts_sim_scan_literal(p, "Infinity", fault);
    const char *digits = p;
    p = *p == '0' ? p + 1 : ts_sim_scan_digits(p);
    if (p == digits)
        return ts_sim_scan_fault(fault, p, "a digit");
    if (*p == '.') {
        const char *fraction = ++p;
        p = ts_sim_scan_digits(p);
        if (p == fraction)
            return ts_sim_scan_fault(fault, p, "a digit behind the point");
    } else if (p - digits > TS_SIM_JSON_DIGITS_MAX && *p != 'e' && *p != 'E') {
        return ts_sim_scan_fault(fault, start, "a whole number of at most 4300 digits");
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '+' || *p == '-')
            p++;
        const char *exponent = p;
        p = ts_sim_scan_digits(p);
        if (p == exponent)
            return ts_sim_scan_fault(fault, p, "a digit of an exponent");
    }
    return p;
}

/* Behind a value that is no container, or NULL. */
static inline const char *ts_sim_scan_scalar(const char *p, struct ts_sim_json_fault *fault)
{
    switch (*p) {
    case '"':
        return ts_sim_scan_string(p + 1, fault);
    case 't':
        return ts_sim_scan_literal(p, "true", fault);
    case 'f':
        return ts_sim_scan_literal(p, "false", fault);
    case 'n':
        return ts_sim_scan_literal(p, "null", fault);
    case 'N':
        return ts_sim_scan_literal(p, "NaN", fault);
    case 'I':
        return ts_sim_scan_literal(p, "Infinity", fault);
    case '-':
        return ts_sim_scan_number(p, fault);
    default:
        if ((unsigned char)(*p - '0') <= 9)
            return ts_sim_scan_number(p, fault);
        return ts_sim_scan_fault(fault, p, "a value");
    }
}

#endif
