#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yyjson.h>

__extension__ typedef unsigned __int128 uint128;

/* 10^0 to 10^22 are exact doubles, so that one multiplication or division by them is rounded once. */
static const double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { LARGEST_EXACT_POWER = 22, MANTISSA_BITS = 53, MOST_PLACES = 17 };
#define TWO_TO_53 9007199254740992.0

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Up to eight digits in one word, the last in the highest byte, '0' in front. */
static inline uint64_t load_digits(const char *p, size_t len)
{
    uint64_t word;
    if (len == 8) {
        memcpy(&word, p, 8);
        return word;
    }
    if (len >= 4) {
        uint32_t first, last;
        memcpy(&first, p, 4);
        memcpy(&last, p + len - 4, 4);
        word = first | (uint64_t)last << (8 * (len - 4));
    } else {
        word = (uint64_t)(unsigned char)p[0] | (uint64_t)(unsigned char)p[len / 2] << (8 * (len / 2)) |
               (uint64_t)(unsigned char)p[len - 1] << (8 * (len - 1));
    }
    return word << (64 - 8 * len) | 0x3030303030303030u >> (8 * len);
}

/* The value of one to eight digits; false when something else is among them. Eight at a time: pairs, fours, eight. */
static inline bool parse_eight(const char *p, size_t len, uint64_t *out)
{
    uint64_t word = load_digits(p, len);
    uint64_t high = 0xF0F0F0F0F0F0F0F0u;
    if (((word & high) | ((word + 0x0606060606060606u) & high) >> 4) != 0x3333333333333333u)
        return false;
    word = (word & 0x0F0F0F0F0F0F0F0Fu) * (1 + (10u << 8)) >> 8;
    word = (word & 0x00FF00FF00FF00FFu) * (1 + (100u << 16)) >> 16;
    *out = (word & 0x0000FFFF0000FFFFu) * (1 + ((uint64_t)10000 << 32)) >> 32;
    return true;
}
#else
static inline bool parse_eight(const char *p, size_t len, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < len; i++) {
        if (!is_digit(p[i]))
            return false;
        value = value * 10 + (uint64_t)(p[i] - '0');
    }
    *out = value;
    return true;
}
#endif

/* What most cells are: one to 18 digits and nothing else. */
static inline bool parse_plain_digits(struct ts_str s, uint64_t *out)
{
    if (s.len - 1 < 8)
        return parse_eight(s.ptr, s.len, out);
    if (s.len == 0 || s.len > 18)
        return false;
    uint64_t value = 0;
    for (size_t at = 0, len = s.len % 8 ? s.len % 8 : 8; at < s.len; at += len, len = 8) {
        uint64_t part;
        if (!parse_eight(s.ptr + at, len, &part))
            return false;
        value = value * 100000000 + part;
    }
    *out = value;
    return true;
}

/* A number taken apart: mantissa * 10^exponent, where mantissa is the first 19 significant digits. */
struct decimal {
    bool negative;
    bool cut; /* digits other than 0 lie beyond the mantissa's */
    uint64_t mantissa;
    int64_t exponent;     /* of the mantissa */
    int64_t written;      /* the exponent behind the "e" */
    struct ts_str digits; /* all of them, with point and underscores */
};

struct cursor {
    const char *at, *end;
};

/* Add the digits at the cursor, with underscores between them, to the decimal. Their number, or -1 when an underscore is
 * not between two. */
static int64_t scan_digits(struct cursor *c, struct decimal *d, bool fraction)
{
    const uint64_t room = 1000000000000000000u;
    const char *at = c->at, *end = c->end;
    int64_t count = 0, kept = 0;
    uint64_t mantissa = d->mantissa;
    for (; at < end; at++) {
        unsigned digit = (unsigned char)*at - (unsigned)'0';
        if (digit > 9) {
            if (*at != '_')
                break;
            if (count == 0 || at + 1 == end || !is_digit(at[-1]) || !is_digit(at[1]))
                return -1;
            continue;
        }
        count++;
        if (mantissa < room) {
            mantissa = mantissa * 10 + digit;
            kept++;
        } else {
            d->cut |= digit != 0;
        }
    }
    c->at = at;
    d->mantissa = mantissa;
    d->exponent += fraction ? -kept : count - kept;
    return count;
}

/* The exponent behind an "e", held at a size that no number of digits makes up for; false when it is none. */
static bool scan_exponent(struct cursor *c, int64_t *out)
{
    const int64_t most = INT64_C(1) << 61;
    bool negative = c->at < c->end && *c->at == '-';
    if (c->at < c->end && (*c->at == '-' || *c->at == '+'))
        c->at++;
    int64_t value = 0;
    const char *start = c->at;
    for (; c->at < c->end; c->at++) {
        if (*c->at == '_' && c->at > start && c->at + 1 < c->end && is_digit(c->at[-1]) && is_digit(c->at[1]))
            continue;
        if (!is_digit(*c->at))
            return false;
        value = value > most / 10 - 1 ? most : value * 10 + (*c->at - '0');
    }
    *out = negative ? -value : value;
    return c->at > start;
}

static bool take_apart(struct ts_str s, struct decimal *d)
{
    if (s.len == 0)
        return false;
    struct cursor c = {s.ptr, s.ptr + s.len};
    *d = (struct decimal){.negative = *c.at == '-'};
    if (*c.at == '-' || *c.at == '+')
        c.at++;
    const char *start = c.at;
    int64_t whole = scan_digits(&c, d, false), fraction = 0;
    if (whole >= 0 && c.at < c.end && *c.at == '.') {
        c.at++;
        fraction = scan_digits(&c, d, true);
    }
    if (whole < 0 || fraction < 0 || whole + fraction == 0)
        return false;
    d->digits = (struct ts_str){start, (size_t)(c.at - start)};
    if (c.at == c.end)
        return true;
    if (*c.at != 'e' && *c.at != 'E')
        return false;
    c.at++;
    if (!scan_exponent(&c, &d->written))
        return false;
    d->exponent += d->written;
    return true;
}

/* Any number, correctly rounded, through a JSON number with the same value: digits, then the exponent. */
static bool parse_exactly(const struct decimal *d, double *magnitude)
{
    /* No point midway between two doubles has more significant digits than 768: of what lies behind, it only matters
     * whether it is 0. yyjson takes what lies behind for other than 0 without looking, so that zeros are left out. */
    enum { MOST_DIGITS = 768 };
    char text[MOST_DIGITS + 32];
    size_t count = 0;
    int64_t exponent = d->written;
    bool in_fraction = false, more = false;
    for (size_t i = 0; i < d->digits.len; i++) {
        char c = d->digits.ptr[i];
        if (c == '.') {
            in_fraction = true;
        } else if (c != '_') {
            exponent -= in_fraction;
            if (count < MOST_DIGITS && (count > 0 || c != '0')) {
                text[count++] = c;
            } else if (count > 0) {
                more |= c != '0';
                exponent++;
            }
        }
    }
    if (more) {
        text[count++] = '1';
        exponent--;
    }
    int64_t first = exponent + (int64_t)count; /* the value is below 10^first, and not below 10^(first - 1) */
    if (first > 310)
        return false;
    *magnitude = 0;
    if (first < -330)
        return true;
    snprintf(text + count, sizeof text - count, "e%" PRId64, exponent);
    yyjson_val value;
    if (!yyjson_read_number(text, &value, 0, NULL, NULL))
        return false;
    *magnitude = yyjson_get_num(&value);
    return isfinite(*magnitude);
}

static __attribute__((noinline)) bool parse_any(struct ts_str s, double *out)
{
    struct decimal d;
    if (!take_apart(ts_str_trim(s), &d))
        return false;
    double magnitude;
    bool exact = !d.cut && d.mantissa <= (uint64_t)1 << MANTISSA_BITS;
    if (d.mantissa == 0)
        magnitude = 0;
    else if (exact && d.exponent < 0 && d.exponent >= -LARGEST_EXACT_POWER)
        magnitude = (double)d.mantissa / exact_power[-d.exponent];
    else if (exact && d.exponent >= 0 && d.exponent <= LARGEST_EXACT_POWER)
        magnitude = (double)d.mantissa * exact_power[d.exponent];
    else if (!parse_exactly(&d, &magnitude))
        return false;
    *out = d.negative ? -magnitude : magnitude;
    return true;
}

bool ts_number_parse(struct ts_str s, double *out)
{
    uint64_t plain;
    if (!parse_plain_digits(s, &plain))
        return parse_any(s, out);
    *out = (double)(int64_t)plain; /* below 2^63, and signed is one instruction where unsigned is several */
    return true;
}

double ts_number_or_absent(struct ts_str s)
{
    double value;
    return ts_number_parse(s, &value) ? value : TS_ABSENT;
}

/* An optional sign and digits, trimmed. */
static bool parse_signed(struct ts_str s, bool *negative, uint64_t *magnitude)
{
    *negative = false;
    if (parse_plain_digits(s, magnitude))
        return true;
    s = ts_str_trim(s);
    if (s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+')) {
        *negative = s.ptr[0] == '-';
        s = ts_str_sub(s, 1, s.len);
    }
    *magnitude = 0;
    for (size_t i = 0; i < s.len; i++)
        if (!is_digit(s.ptr[i]) || __builtin_mul_overflow(*magnitude, 10, magnitude) ||
            __builtin_add_overflow(*magnitude, (uint64_t)(s.ptr[i] - '0'), magnitude))
            return false;
    return s.len > 0;
}

bool ts_number_parse_i64(struct ts_str s, int64_t *out)
{
    bool negative;
    uint64_t magnitude;
    if (!parse_signed(s, &negative, &magnitude) || magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool ts_number_parse_u64(struct ts_str s, uint64_t *out)
{
    bool negative;
    uint64_t magnitude;
    if (!parse_signed(s, &negative, &magnitude) || (negative && magnitude != 0))
        return false;
    *out = magnitude;
    return true;
}

bool ts_number_parse_whole(struct ts_str s, int64_t *out)
{
    double value;
    if (ts_number_parse_i64(s, out))
        return true;
    if (!ts_number_parse(s, &value) || value < -0x1p63 || value >= 0x1p63 || value != trunc(value))
        return false;
    *out = (int64_t)value;
    return true;
}

/* --- Rounding ----------------------------------------------------------------------------------------------------- */

static int clamp_places(int places)
{
    return places < 0 ? 0 : places > MOST_PLACES ? MOST_PLACES : places;
}

/* magnitude * 10^places to the nearest whole number, ties to even, computed exactly. magnitude < 2^53, so that the
 * result has less than 53 + 57 bits. */
static uint128 scale_exactly(double magnitude, int places)
{
    int exponent;
    double mantissa = frexp(magnitude, &exponent);
    uint128 scaled = (uint128)(uint64_t)(mantissa * TWO_TO_53) * (uint64_t)exact_power[places];
    int shift = MANTISSA_BITS - exponent; /* not negative */
    if (shift >= 112)
        return 0;
    uint128 whole = scaled >> shift, rest = scaled - (whole << shift);
    uint128 half = ((uint128)1 << shift) >> 1;
    bool up = shift > 0 && (rest > half || (rest == half && (whole & 1)));
    return whole + up;
}

double ts_round(double value, int places)
{
    places = clamp_places(places);
    double magnitude = fabs(value);
    double power = exact_power[places];
    double scaled = magnitude * power;
    /* Beyond, doubles lie further apart than decimals: the value itself is what reads back. NaN and infinity too. */
    if (!(scaled < 2 * TWO_TO_53))
        return value;
    double rounded;
    if (scaled < 0x1p50) {
        /* Points midway are doubles here, and rounding keeps order: where the product is not on one, it lies on the
         * same side as the exact value. */
        rounded = (double)(int64_t)(scaled + 0.5);
        if (!(fabs(scaled - rounded) < 0.5))
            rounded = (double)scale_exactly(magnitude, places);
    } else if (magnitude < TWO_TO_53) {
        uint128 exact = scale_exactly(magnitude, places);
        if (exact >= (uint128)1 << MANTISSA_BITS)
            return value;
        rounded = (double)exact;
    } else {
        return value;
    }
    double result = rounded / power;
    return value < 0 && result != 0 ? -result : result;
}

double ts_share(double x, double total)
{
    if (!ts_present(x) || !(total > 0))
        return TS_ABSENT;
    double share = x / total * 100;
    double magnitude = fabs(share);
    if (!ts_present(share))
        return TS_ABSENT;
    if (magnitude == 0)
        return 0;
    if (magnitude < 1000 && magnitude >= 1e-7) {
        int places = 0;
        for (double bound = 100; magnitude < bound; bound /= 10)
            places++;
        return ts_round(share, places);
    }
    char text[32], digits[32];
    snprintf(text, sizeof text, "%.2e", magnitude);
    /* The point may be any text in the locale of the host program: it is passed over. */
    const char *e = strchr(text, 'e');
    snprintf(digits, sizeof digits, "%c%c%ce%d", text[0], e[-2], e[-1], atoi(e + 1) - 2);
    double result = ts_number_or_absent(ts_str_from(digits));
    return share < 0 ? -result : result;
}

double ts_ns_to_us(double ns)
{
    return ts_round(ts_round(ns, 3) / 1000, 3);
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* Decimal digits of value, at least `least`, not terminated; their number. */
static size_t write_digits(uint64_t value, size_t least, char *out)
{
    char reversed[24];
    size_t count = 0;
    for (; value > 0 || count < least; value /= 10)
        reversed[count++] = (char)('0' + value % 10);
    for (size_t i = 0; i < count; i++)
        out[i] = reversed[count - 1 - i];
    return count;
}

static size_t write_word(const char *word, char *out)
{
    size_t len = strlen(word);
    memcpy(out, word, len + 1);
    return len;
}

/* Shortest text as yyjson has it, for a finite value; works in memory of its own only. */
static size_t write_shortest(double value, char out[TS_NUMBER_TEXT_MAX])
{
    char memory[1024];
    yyjson_alc pool;
    yyjson_val number = {0};
    size_t len = 0;
    yyjson_alc_pool_init(&pool, memory, sizeof memory);
    unsafe_yyjson_set_real(&number, value);
    const char *text = yyjson_val_write_opts(&number, 0, &pool, &len, NULL);
    if (!text || len >= TS_NUMBER_TEXT_MAX)
        return write_word("null", out);
    memcpy(out, text, len + 1);
    return len;
}

/* value = d.ddd * 10^exponent, without zeros at the end. */
struct shortest {
    char digits[24];
    size_t count;
    int exponent;
};

static void shorten(struct shortest *s)
{
    while (s->count > 1 && s->digits[s->count - 1] == '0')
        s->count--;
}

/* Most figures are whole or were rounded to three places. A decimal of at most 15 digits that reads back to the value is
 * the shortest, since no two of them read back to the same. */
static bool is_short(double magnitude, struct shortest *out)
{
    if (!(magnitude < 1e12 && magnitude >= 1e-3))
        return false;
    double scaled = magnitude * 1000;
    uint64_t whole = (uint64_t)scaled;
    if ((double)whole != scaled || (double)whole / 1000 != magnitude)
        return false;
    out->count = write_digits(whole, 1, out->digits);
    out->exponent = (int)out->count - 4;
    shorten(out);
    return true;
}

/* The digits of a positive, finite value. */
static void find_shortest(double magnitude, struct shortest *out)
{
    if (is_short(magnitude, out))
        return;
    char text[TS_NUMBER_TEXT_MAX];
    write_shortest(magnitude, text);
    out->count = 0;
    out->exponent = -1;
    bool point = false;
    const char *p = text;
    for (; *p == '.' || is_digit(*p); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        bool leading = out->count == 0 && *p == '0';
        if (!point && !leading)
            out->exponent++;
        if (point && leading)
            out->exponent--;
        if (!leading && out->count < sizeof out->digits)
            out->digits[out->count++] = *p;
    }
    if (*p == 'e')
        out->exponent += atoi(p + 1);
    shorten(out);
}

static size_t write_positional(const struct shortest *s, bool always_point, char *out)
{
    size_t at = 0;
    if (s->exponent < 0) {
        out[at++] = '0';
        out[at++] = '.';
        for (int zeros = -1 - s->exponent; zeros > 0; zeros--)
            out[at++] = '0';
        memcpy(out + at, s->digits, s->count);
        return at + s->count;
    }
    size_t whole = (size_t)s->exponent + 1;
    for (size_t i = 0; i < whole; i++)
        out[at++] = i < s->count ? s->digits[i] : '0';
    if (s->count <= whole && !always_point)
        return at;
    out[at++] = '.';
    if (s->count <= whole)
        out[at++] = '0';
    for (size_t i = whole; i < s->count; i++)
        out[at++] = s->digits[i];
    return at;
}

static size_t write_scientific(const struct shortest *s, char *out)
{
    size_t at = 0;
    out[at++] = s->digits[0];
    if (s->count > 1) {
        out[at++] = '.';
        memcpy(out + at, s->digits + 1, s->count - 1);
        at += s->count - 1;
    }
    out[at++] = 'e';
    out[at++] = s->exponent < 0 ? '-' : '+';
    return at + write_digits((uint64_t)(s->exponent < 0 ? -s->exponent : s->exponent), 2, out + at);
}

/* "nan", "inf" or "-inf". */
static size_t write_not_finite(double value, char *out)
{
    return write_word(isnan(value) ? "nan" : value < 0 ? "-inf" : "inf", out);
}

size_t ts_number_python(double value, char out[TS_NUMBER_TEXT_MAX])
{
    if (!ts_present(value))
        return write_not_finite(value, out);
    size_t at = 0;
    if (signbit(value))
        out[at++] = '-';
    struct shortest s = {.digits = "0", .count = 1};
    if (value != 0)
        find_shortest(fabs(value), &s);
    if (s.exponent >= -4 && s.exponent < 16)
        at += write_positional(&s, true, out + at);
    else
        at += write_scientific(&s, out + at);
    out[at] = '\0';
    return at;
}

size_t ts_number_json(double value, char out[TS_NUMBER_TEXT_MAX])
{
    if (!ts_present(value))
        return write_word("null", out);
    double magnitude = fabs(value);
    size_t at = 0;
    if (value < 0)
        out[at++] = '-';
    struct shortest s;
    if (magnitude < TWO_TO_53 && magnitude == (double)(uint64_t)magnitude)
        at += write_digits((uint64_t)magnitude, 1, out + at);
    else if (is_short(magnitude, &s))
        at += write_positional(&s, false, out + at);
    else
        return write_shortest(value, out);
    out[at] = '\0';
    return at;
}

/* A whole number of 2^53 or more in full. */
static size_t write_large(double magnitude, char *out)
{
    if (magnitude < 0x1p64)
        return write_digits((uint64_t)magnitude, 1, out);
    /* Without places there is no decimal point for a locale to change. */
    return (size_t)snprintf(out, TS_NUMBER_TEXT_MAX - 32, "%.0f", magnitude);
}

size_t ts_number_fixed(double value, int places, char out[TS_NUMBER_TEXT_MAX])
{
    if (!ts_present(value))
        return write_not_finite(value, out);
    places = clamp_places(places);
    double magnitude = fabs(value);
    size_t at = 0;
    if (signbit(value))
        out[at++] = '-';
    uint64_t fraction = 0;
    if (magnitude < TWO_TO_53) {
        uint128 scaled = scale_exactly(magnitude, places);
        uint64_t power = (uint64_t)exact_power[places];
        /* Mostly 64 bits do, and dividing those is several times as fast. */
        uint64_t whole = scaled <= UINT64_MAX ? (uint64_t)scaled / power : (uint64_t)(scaled / power);
        fraction = (uint64_t)scaled - whole * power;
        at += write_digits(whole, 1, out + at);
    } else {
        at += write_large(magnitude, out + at);
    }
    if (places > 0) {
        out[at++] = '.';
        at += write_digits(fraction, (size_t)places, out + at);
    }
    out[at] = '\0';
    return at;
}

size_t ts_number_grouped(double value, int places, char out[TS_NUMBER_TEXT_MAX])
{
    char plain[TS_NUMBER_TEXT_MAX];
    size_t len = ts_number_fixed(value, places, plain);
    size_t at = 0, first = plain[0] == '-';
    size_t whole = first;
    while (is_digit(plain[whole]))
        whole++;
    for (size_t i = 0; i < len; i++) {
        if (i > first && i < whole && (whole - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = plain[i];
    }
    out[at] = '\0';
    return at;
}
