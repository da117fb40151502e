/* Numbers of simulator dumps: their value, and whether they are written as they stand. Times are most of what a dump holds,
 * and nearly all of them have 16 or 17 digits, where general functions are slow. */
#include <math.h>

#include "base/number.h"
#include "formats/sim_dump_json.h"

__extension__ typedef unsigned __int128 uint128;

static const uint64_t powers[] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
};
enum { POWERS = sizeof powers / sizeof *powers, EXACT_MAX = 15, SHORTEST_MAX = 17, FRACTION_MAX = 19 };
#define TWO_TO_52 (UINT64_C(1) << 52)
#define TWO_TO_53 (UINT64_C(1) << 53)

/* A number taken apart. */
struct parts {
    bool negative, point, exponent;
    struct ts_str whole, fraction;
    int64_t power; /* behind the "e", held at a size beyond all doubles */
};

static int64_t read_power(const char *p, const char *end)
{
    bool negative = p < end && *p == '-';
    int64_t power = 0;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end; p++)
        if (power < 1000000000)
            power = power * 10 + (*p - '0');
    return negative ? -power : power;
}

static struct parts take_apart(struct ts_str text)
{
    struct parts parts = {.negative = text.ptr[0] == '-'};
    const char *p = text.ptr + parts.negative, *end = text.ptr + text.len;
    parts.whole.ptr = p;
    while (p < end && (unsigned char)(*p - '0') <= 9)
        p++;
    parts.whole.len = (size_t)(p - parts.whole.ptr);
    parts.fraction.ptr = p;
    if (p < end && *p == '.') {
        parts.point = true;
        parts.fraction.ptr = ++p;
        while (p < end && (unsigned char)(*p - '0') <= 9)
            p++;
        parts.fraction.len = (size_t)(p - parts.fraction.ptr);
    }
    parts.exponent = p < end;
    if (parts.exponent)
        parts.power = read_power(p + 1, end);
    return parts;
}

/* The digits as an integer modulo 2^64, as viewers read them. */
static uint64_t read_digits(struct ts_str digits)
{
    const char *p = digits.ptr, *end = p + digits.len;
    uint64_t value = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; end - p >= 8; p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        word = (word & 0x0F0F0F0F0F0F0F0Fu) * (1 + (10u << 8)) >> 8;
        word = (word & 0x00FF00FF00FF00FFu) * (1 + (100u << 16)) >> 16;
        word = (word & 0x0000FFFF0000FFFFu) * (1 + ((uint64_t)10000 << 32)) >> 32;
        value = value * 100000000 + word;
    }
#endif
    for (; p < end; p++)
        value = value * 10 + (uint64_t)(*p - '0');
    return value;
}

/* ---- the value ---- */

/* value * 2^exponent for -1000 < exponent < 1000. */
static double scale(double value, int exponent)
{
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return value * factor;
}

/* mantissa / 10^places, correctly rounded, for a mantissa above 2^53 and places up to 19: a quotient of at least 63 bits,
 * whose remainder counts as one more bit, is rounded once by the conversion. */
static double divide(uint64_t mantissa, unsigned places)
{
    uint64_t divisor = powers[places];
    int up = __builtin_clzll(mantissa), divisor_up = __builtin_clzll(divisor);
    uint128 dividend = (uint128)(mantissa << up) << 63;
    divisor <<= divisor_up;
    uint64_t quotient = (uint64_t)(dividend / divisor);
    quotient |= dividend % divisor != 0;
    /* The quotient's exponent stays far from the ends of the range, so that scaling is exact. */
    return scale((double)quotient, divisor_up - up - 63);
}

static double convert_any(struct ts_str text, const struct parts *parts)
{
    double value;
    if (ts_number_parse(text, &value))
        return value;
    return parts->negative ? -HUGE_VAL : HUGE_VAL;
}

/* ---- whether the digits are the shortest ---- */

/* Whether value, which the decimal mantissa / 10^places of 16 or 17 digits reads as, has no shorter decimal that does, nor a
 * closer one of as many digits. All distances from the exact value are taken in units of 2^e / 10^places, which makes them
 * integers below 2^127. *sure is false in the few cases that this does not decide. */
static bool is_shortest(double value, uint64_t mantissa, unsigned places, bool *sure)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int shift = 1023 + 52 - (int)(bits >> 52); /* value = bits / 2^shift */
    bits = (bits & (TWO_TO_52 - 1)) | TWO_TO_52;
    *sure = shift > 0 && shift <= 67 && places > 0 && places <= 20 && bits != TWO_TO_52;
    if (!*sure)
        return false;
    uint128 power = places < POWERS ? powers[places] : (uint128)powers[POWERS - 1] * 10;
    uint128 exact = bits * power, own = (uint128)mantissa << shift;
    uint128 below = (uint128)(mantissa - mantissa % 10) << shift, above = below + ((uint128)10 << shift);
    uint128 to_own = own > exact ? own - exact : exact - own;
    uint128 to_below = below > exact ? below - exact : exact - below;
    uint128 to_above = above > exact ? above - exact : exact - above;
    *sure = to_own * 2 != (uint128)1 << shift && to_below * 2 != power && to_above * 2 != power;
    return to_own * 2 < (uint128)1 << shift && to_below * 2 > power && to_above * 2 > power;
}

static bool is_written_so(double value, struct ts_str text)
{
    char written[TS_NUMBER_TEXT_MAX];
    size_t len = ts_number_python(value, written);
    return ts_str_equal(text, (struct ts_str){written, len});
}

/* Whether the decimal without an exponent is written as it stands; value is what it reads as. */
static bool is_canonical(const struct parts *parts, struct ts_str text, uint64_t mantissa, double value)
{
    const char *last = parts->fraction.ptr + parts->fraction.len - 1;
    size_t places = parts->fraction.len;
    if (places == 1 && *last == '0') {
        if (mantissa / 10 <= TWO_TO_53 && parts->whole.len <= 16)
            return true;
        return is_written_so(value, text);
    }
    if (*last == '0')
        return false;
    unsigned digits = 0;
    while (digits < POWERS && mantissa >= powers[digits])
        digits++;
    if (places > (size_t)digits + 3) /* below 1e-4 */
        return false;
    if (digits <= EXACT_MAX)
        return true;
    if (digits > SHORTEST_MAX)
        return false;
    bool sure;
    bool shortest = is_shortest(fabs(value), mantissa, (unsigned)places, &sure);
    return sure ? shortest : is_written_so(value, text);
}

/* ---- what viewers make of it ---- */

static int64_t saturate(double nanoseconds)
{
    if (isnan(nanoseconds))
        return INT64_MAX;
    if (nanoseconds >= 9.2e18)
        return INT64_MAX;
    return nanoseconds <= -9.2e18 ? -INT64_MAX : (int64_t)llround(nanoseconds);
}

static int64_t whole_nanoseconds(const struct parts *parts)
{
    double estimate = 0;
    for (size_t i = 0; i < parts->whole.len; i++)
        estimate = estimate * 10 + (parts->whole.ptr[i] - '0');
    int64_t nanoseconds = estimate < 9.2e15 ? (int64_t)read_digits(parts->whole) * 1000 : INT64_MAX;
    return parts->negative ? -nanoseconds : nanoseconds;
}

static int64_t to_nanoseconds(const struct parts *parts, uint64_t whole, uint64_t fraction)
{
    uint64_t scale = 1;
    if (parts->fraction.len < POWERS)
        scale = powers[parts->fraction.len];
    else
        for (size_t i = 0; i < parts->fraction.len && scale; i++)
            scale *= 10;
    double value = (double)whole;
    if (parts->fraction.len)
        value += (double)fraction / (double)scale;
    if (parts->exponent && parts->power)
        value = parts->power > 0 ? value * pow(10, (double)parts->power) : value / pow(10, (double)-parts->power);
    return saturate((parts->negative ? -value : value) * 1000);
}

/* ---- the text in one word ---- */

/* The digits as an integer below 2^57, then a bit for the sign and six for the places behind the point; 63 of them stand
 * for an integer, so that the word is never 0. */
enum { DECIMAL_SHIFT = 7, INTEGER_PLACES = 63 };
#define DECIMAL_MAX (UINT64_C(1) << 57)

static uint64_t pack_decimal(uint64_t mantissa, bool negative, unsigned places)
{
    if (mantissa >= DECIMAL_MAX)
        return 0;
    return mantissa << DECIMAL_SHIFT | (uint64_t)negative << 6 | places;
}

void ts_sim_json_write_decimal(struct ts_sim_out *out, uint64_t decimal)
{
    enum { ROOM = 96 };
    uint64_t mantissa = decimal >> DECIMAL_SHIFT;
    unsigned places = decimal & INTEGER_PLACES;
    char text[ROOM];
    size_t at = ROOM;
    bool integer = places == INTEGER_PLACES;
    for (unsigned i = 0; !integer && i < places; i++, mantissa /= 10)
        text[--at] = (char)('0' + mantissa % 10);
    if (!integer)
        text[--at] = '.';
    do {
        text[--at] = (char)('0' + mantissa % 10);
        mantissa /= 10;
    } while (mantissa);
    if (decimal >> 6 & 1)
        text[--at] = '-';
    ts_sim_out_add(out, (struct ts_str){text + at, ROOM - at});
}

/* ---- all of it ---- */

static struct ts_sim_number read_literal(struct ts_str text)
{
    struct ts_sim_number number = {.kind = TS_SIM_NUMBER_NONE, .canonical = true};
    if (ts_str_is(text, "NaN"))
        number.value = TS_ABSENT;
    else if (ts_str_is(text, "Infinity"))
        number.value = HUGE_VAL;
    else if (ts_str_is(text, "-Infinity"))
        number.value = -HUGE_VAL;
    else
        return number;
    number.kind = TS_SIM_NUMBER_FLOAT;
    number.nanoseconds = INT64_MAX;
    return number;
}

/* A number that is rewritten: the nanoseconds are those of its new text. */
static int64_t rewritten_nanoseconds(double value)
{
    char written[TS_NUMBER_TEXT_MAX + 8];
    size_t len = ts_number_python(value, written);
    struct parts parts = take_apart((struct ts_str){written, len});
    return to_nanoseconds(&parts, read_digits(parts.whole), read_digits(parts.fraction));
}

static struct ts_sim_number read_whole(struct ts_str text, const struct parts *parts)
{
    struct ts_sim_number number = {.kind = TS_SIM_NUMBER_INTEGER};
    number.canonical = !(parts->negative && parts->whole.ptr[0] == '0');
    if (parts->whole.len <= 18)
        number.value = (double)(int64_t)read_digits(parts->whole) * (parts->negative ? -1 : 1);
    else
        number.value = convert_any(text, parts);
    number.nanoseconds = whole_nanoseconds(parts);
    if (number.canonical && parts->whole.len <= SHORTEST_MAX)
        number.decimal = pack_decimal(read_digits(parts->whole), parts->negative, INTEGER_PLACES);
    return number;
}

struct ts_sim_number ts_sim_json_number(struct ts_str text)
{
    if (text.len == 0 || (text.ptr[0] != '-' && (unsigned char)(text.ptr[0] - '0') > 9) ||
        (text.ptr[0] == '-' && (text.len < 2 || (unsigned char)(text.ptr[1] - '0') > 9)))
        return read_literal(text);
    struct parts parts = take_apart(text);
    if (!parts.exponent && !parts.point)
        return read_whole(text, &parts);
    struct ts_sim_number number = {.kind = TS_SIM_NUMBER_FLOAT};
    uint64_t whole = read_digits(parts.whole), fraction = read_digits(parts.fraction);
    size_t places = parts.fraction.len;
    /* All digits in one integer, where they fit: 0.xxx leaves one more place. */
    bool small = !parts.exponent && places <= FRACTION_MAX && parts.whole.len + places <= FRACTION_MAX + (whole == 0);
    if (!small) {
        number.value = convert_any(text, &parts);
        number.canonical = !isinf(number.value) && is_written_so(number.value, text);
    } else {
        uint64_t mantissa = whole * powers[places] + fraction;
        double magnitude =
            mantissa <= TWO_TO_53 ? (double)mantissa / (double)powers[places] : divide(mantissa, (unsigned)places);
        number.value = parts.negative ? -magnitude : magnitude;
        number.canonical = is_canonical(&parts, text, mantissa, number.value);
        if (number.canonical)
            number.decimal = pack_decimal(mantissa, parts.negative, (unsigned)places);
    }
    if (isinf(number.value))
        number.nanoseconds = INT64_MAX;
    else
        number.nanoseconds =
            number.canonical ? to_nanoseconds(&parts, whole, fraction) : rewritten_nanoseconds(number.value);
    return number;
}
