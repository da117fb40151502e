#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/number.h"

/* The C library in the C locale is the measure: it rounds exactly both ways. */

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545F4914F6CDD1Du;
}

/* Finite doubles of every kind: any bits, whole ones, short decimals, and those next to ties. */
static double random_double(void)
{
    for (;;) {
        uint64_t bits = random_bits();
        double value;
        switch (random_bits() % 5) {
        case 0:
            memcpy(&value, &bits, sizeof value);
            break;
        case 1:
            value = (double)(int64_t)(bits >> (random_bits() % 64));
            break;
        case 2:
            value = (double)(bits % 10000000000u) / pow(10, (double)(random_bits() % 12));
            break;
        case 3: /* a tie at some number of places, or one step beside it */
            value = ((double)(bits % 1000000u) + 0.5) / pow(10, (double)(random_bits() % 9));
            value = nextafter(value, (double)((int)(random_bits() % 3) - 1) * INFINITY + value);
            break;
        default:
            value = ldexp((double)(bits >> 11), (int)(random_bits() % 140) - 110);
        }
        if (isfinite(value))
            return random_bits() % 4 == 0 ? -value : value;
    }
}

static const double edges[] = {
    0.0,
    0.5,
    1.5,
    2.5,
    0.125,
    0.375,
    0.0005,
    0.0015,
    0.0025,
    2.675,
    1.005,
    38999.5,
    39000.5,
    38.9995,
    1e22,
    1e21,
    1e23,
    1e15,
    1e16,
    1e17,
    123456789.5,
    0x1p-1022,
    0x1p-1074,
    0x1p52,
    0x1p52 + 1,
    0x1p53,
    0x1p53 + 2,
    0x1p53 - 1,
    0x1p63,
    0x1p64,
    0x1p127,
    0x1p128,
    0x1p1023,
    0x1.fffffffffffffp1023,
    4503599627370495.5,
    4503599627370497.5 / 8,
    9007199254740991.0 / 1000,
    999.9995,
    0.9995,
    9.995,
    99.95,
    999.5,
    1e-4,
    1e-5,
    9.999e-5,
    0.1,
    0.2,
    0.3,
    1e-3,
    1e12,
    999999999999.999,
    1e-7,
    1e-6,
    1e-9,
    5e-10,
    1.5e-9,
    4.9999e-10,
    123456.789,
    1.543618325417786e-05,
};
enum { EDGES = sizeof edges / sizeof *edges, ROUNDS = 100000 };

static double sample(size_t i)
{
    return i < EDGES ? edges[i] : i < 2 * EDGES ? -edges[i - EDGES] : random_double();
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static void assert_parses_like_c(const char *text)
{
    double value = 12345;
    double expected = strtod(text, NULL);
    bool parsed = ts_number_parse(ts_str_from(text), &value);
    if (isfinite(expected) ? !parsed || !same(value, expected) : parsed)
        fail_msg("\"%.100s\" is %.17g, not %.17g (%d)", text, expected, value, parsed);
}

static void test_parse_decimals(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "7",
        "42",
        "123",
        "1234",
        "12345",
        "123456",
        "1234567",
        "12345678",
        "123456789",
        "12345678901234567",
        "123456789012345678",
        "1234567890123456789",
        "12345678901234567890",
        "123456789012345678901",
        "000000000000012",
        "00000000000000000000000000000000000000000000000001.5",
        "+1",
        "-1",
        "-0",
        "+0.0",
        "1.",
        ".5",
        "-.5",
        "1e3",
        "1E3",
        "1e+3",
        "1e-3",
        "1500.5",
        "0.1",
        "0.30000000000000004",
        "9007199254740993",
        "9007199254740992.9999999999999999999",
        "1e22",
        "1e23",
        "123456789e30",
        "8.5e-30",
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e309",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "4.9e-324",
        "2.5e-324",
        "2.4e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "0.000000000000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000000000000",
        "5e-325",
        "1e-400",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_parses_like_c(texts[i]);
}

static void test_parse_refuses(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        " ",
        "+",
        "-",
        ".",
        "e5",
        ".e5",
        "1e",
        "1e+",
        "1e-",
        "1,000",
        "0x10",
        "inf",
        "-inf",
        "nan",
        "NaN",
        "infinity",
        "1 2",
        "1.2.3",
        "--1",
        "+-1",
        "- 1",
        "1f",
        "1e5.0",
        "1e 5",
        "12a",
        "a12",
        "1234567a",
        "a2345678",
        "123456789a",
        "12345678:",
        "12345678/",
        "1_",
        "_1",
        "1__0",
        "1_.5",
        "1._5",
        "1e_5",
        "1e5_",
        "1_e5",
        "\302\2401",
        "1\xB0",
        "9\xFF",
        "12345678\x80",
        "\xB1\xB1\xB1\xB1",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 7;
        if (ts_number_parse(ts_str_from(texts[i]), &value))
            fail_msg("\"%s\" was read as %.17g", texts[i], value);
        assert_true(isnan(ts_number_or_absent(ts_str_from(texts[i]))));
        assert_true(value == 7);
    }
    double value;
    assert_false(ts_number_parse((struct ts_str){NULL, 0}, &value));
    assert_false(ts_number_parse(TS_STR("1\0"), &value));
}

static void test_parse_spaces_and_underscores(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{" 300 ", 300},     {"\t\r\n1\v\f", 1}, {"1_000", 1000},
                 {"1_0.0_1", 10.01}, {"1e1_0", 1e10},    {"1_2_3", 123},
                 {"0_0.5", 0.5},     {"-1_0", -10},      {"1_0000000000_0000000000_0", 1e21}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(same(ts_number_or_absent(ts_str_from(cases[i].text)), cases[i].value));
    }
}

/* A byte that is no digit at any place of a number of any length, digits behind its end, any alignment. */
static void test_parse_sees_every_byte(void **state)
{
    (void)state;
    char memory[64];
    for (size_t len = 1; len <= 24; len++) {
        for (size_t at = 0; at < len; at++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                memset(memory, '1', sizeof memory);
                memory[5 + at] = (char)byte;
                struct ts_str s = {memory + 5, len};
                char text[32] = {0};
                memcpy(text, s.ptr, len);
                uint64_t value;
                bool digit = byte >= '0' && byte <= '9';
                bool edge = at == 0 || at == len - 1;
                bool space = len > 1 && edge && (byte == ' ' || (byte >= 9 && byte <= 13));
                bool sign = len > 1 && at == 0 && byte == '+';
                errno = 0;
                uint64_t expected = strtoull(text, NULL, 10);
                bool parsed = ts_number_parse_u64(s, &value);
                if (parsed != ((digit || space || sign) && errno == 0) || (parsed && value != expected))
                    fail_msg("length %zu, byte %02x at %zu", len, byte, at);
            }
        }
    }
}

static void test_parse_random(void **state)
{
    (void)state;
    char text[64];
    for (size_t i = 0; i < ROUNDS; i++) {
        double value = sample(i);
        snprintf(text, sizeof text, "%.*g", (int)(random_bits() % 20) + 1, value);
        assert_parses_like_c(text);
        snprintf(text, sizeof text, "%" PRIu64, random_bits() >> (random_bits() % 64));
        assert_parses_like_c(text);
        if (fabs(value) < 1e20) {
            snprintf(text, sizeof text, "%.*f", (int)(random_bits() % 20), value);
            assert_parses_like_c(text);
        }
    }
}

/* The exact decimal midway between two doubles, and a hair beside it, has up to 767 digits. */
static void test_parse_long_ties(void **state)
{
    (void)state;
    char text[1300];
    for (int i = 0; i < 300; i++) {
        double value = i == 0 ? 0x1p-1074 : i == 1 ? 0x1.fffffffffffffp-1022 : fabs(random_double());
        double next = nextafter(value, INFINITY);
        if (value == 0 || !isfinite(next))
            continue;
        /* long double holds the point between two doubles exactly where it has more than 53 bits and the same range. */
        long double middle = ((long double)value + (long double)next) / 2;
        if (LDBL_MANT_DIG <= 53)
            continue;
        int len = snprintf(text, sizeof text - 2, "%.1150Lf", middle);
        if (len >= (int)sizeof text - 2)
            continue;
        assert_parses_like_c(text);
        strcpy(text + len, "1");
        assert_parses_like_c(text);
        text[len - 1] = '1';
        assert_parses_like_c(text);
    }
}

static void test_parse_very_long(void **state)
{
    (void)state;
    enum { LEN = 3000000 };
    char *text = malloc(LEN + 32);
    assert_non_null(text);
    memset(text, '0', LEN);
    memcpy(text, "0.", 2);
    strcpy(text + LEN, "125e2999998"); /* the zeros and the exponent make up for each other */
    assert_true(same(ts_number_or_absent(ts_str_from(text)), 0.125));
    text[0] = '3';
    text[1] = '0';
    strcpy(text + LEN, "e-2999999");
    assert_true(same(ts_number_or_absent(ts_str_from(text)), 3.0));
    memset(text, '9', LEN);
    assert_true(same(ts_number_or_absent(ts_str_from(text)), 10.0));
    strcpy(text + LEN, "");
    assert_true(isnan(ts_number_or_absent(ts_str_from(text))));
    free(text);
}

static void test_parse_integers(void **state)
{
    (void)state;
    int64_t i64 = 5;
    uint64_t u64 = 5;
    assert_true(ts_number_parse_i64(TS_STR("9223372036854775807"), &i64) && i64 == INT64_MAX);
    assert_true(ts_number_parse_i64(TS_STR(" -9223372036854775808 "), &i64) && i64 == INT64_MIN);
    assert_false(ts_number_parse_i64(TS_STR("9223372036854775808"), &i64));
    assert_false(ts_number_parse_i64(TS_STR("-9223372036854775809"), &i64));
    assert_true(ts_number_parse_i64(TS_STR("+12"), &i64) && i64 == 12);
    assert_true(ts_number_parse_i64(TS_STR("0000000000000000000000000012"), &i64) && i64 == 12);
    assert_true(ts_number_parse_u64(TS_STR("18446744073709551615"), &u64) && u64 == UINT64_MAX);
    assert_false(ts_number_parse_u64(TS_STR("18446744073709551616"), &u64));
    assert_false(ts_number_parse_u64(TS_STR("99999999999999999999999"), &u64));
    assert_true(ts_number_parse_u64(TS_STR("-0"), &u64) && u64 == 0);
    assert_false(ts_number_parse_u64(TS_STR("-1"), &u64));
    static const char *const refused[] = {"", "+", "-", "1.0", "1e3", "1_0", "+-1", "1 2", "0x1", "a"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_false(ts_number_parse_i64(ts_str_from(refused[i]), &i64));
        assert_false(ts_number_parse_u64(ts_str_from(refused[i]), &u64));
    }
}

static void test_parse_whole(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"40.0", 40},
                {"1e3", 1000},
                {"-2.50e1", -25},
                {" 7 ", 7},
                {"-0.0", 0},
                {"9007199254740993", 9007199254740993},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808.0", INT64_MIN},
                {"1_000", 1000}};
    static const char *const refused[] = {"1.5", "9223372036854775808", "1e19", "-9.3e18", "", "x", "1e-1", "nan",
                                          "inf"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t value;
        assert_true(ts_number_parse_whole(ts_str_from(good[i].text), &value));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        int64_t value;
        assert_false(ts_number_parse_whole(ts_str_from(refused[i]), &value));
    }
}

/* --- Rounding ----------------------------------------------------------------------------------------------------- */

static double round_like_c(const char *format, int places, double value)
{
    char text[TS_NUMBER_TEXT_MAX];
    snprintf(text, sizeof text, format, places, value);
    double result = strtod(text, NULL);
    return result == 0 ? 0 : result;
}

static void test_round(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROUNDS; i++) {
        double value = sample(i);
        for (int places = 0; places <= 9; places++) {
            double expected = round_like_c("%.*f", places, value);
            double rounded = ts_round(value, places);
            if (!same(rounded, expected))
                fail_msg("%.17g to %d places is %.17g, not %.17g", value, places, expected, rounded);
        }
    }
    assert_true(same(ts_round(-0.0, 3), 0.0));
    assert_true(same(ts_round(-0.0001, 3), 0.0));
    assert_true(isnan(ts_round(TS_ABSENT, 3)));
    assert_true(ts_round(INFINITY, 3) == INFINITY);
    assert_true(ts_round(-INFINITY, 3) == -INFINITY);
}

static void test_share(void **state)
{
    (void)state;
    assert_true(same(ts_share(66.394, 100), 66.4));
    assert_true(same(ts_share(0.0012345, 100), 0.00123));
    assert_true(same(ts_share(0, 100), 0.0));
    assert_true(same(ts_share(-0.0, 100), 0.0));
    assert_true(same(ts_share(1, 1), 100.0));
    assert_true(isnan(ts_share(TS_ABSENT, 100)));
    assert_true(isnan(ts_share(1, 0)));
    assert_true(isnan(ts_share(1, -1)));
    assert_true(isnan(ts_share(1, TS_ABSENT)));
    assert_true(isnan(ts_share(1e308, 1e-10)));
    for (size_t i = 0; i < ROUNDS; i++) {
        double value = sample(i), total = i % 2 ? 100 : fabs(random_double());
        double share = value / total * 100;
        if (!(total > 0) || !isfinite(share))
            continue;
        double expected = round_like_c("%.*g", 3, share);
        if (!isfinite(expected))
            assert_true(isnan(ts_share(value, total)));
        else if (!same(ts_share(value, total), expected))
            fail_msg("%.17g of %.17g is %.17g, not %.17g", value, total, expected, ts_share(value, total));
    }
}

static void test_ns_to_us(void **state)
{
    (void)state;
    assert_true(same(ts_ns_to_us(1234567), 1234.567));
    assert_true(same(ts_ns_to_us(0.4), 0.0));
    assert_true(same(ts_ns_to_us(1234.5), 1.234)); /* 1.2345 lies a little below the tie */
    assert_true(same(ts_ns_to_us(38999.5), round_like_c("%.*f", 3, 38.9995)));
    assert_true(isnan(ts_ns_to_us(TS_ABSENT)));
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static void assert_python(double value, const char *expected)
{
    char text[TS_NUMBER_TEXT_MAX];
    assert_int_equal(ts_number_python(value, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void test_python_form(void **state)
{
    (void)state;
    assert_python(0, "0.0");
    assert_python(-0.0, "-0.0");
    assert_python(100, "100.0");
    assert_python(-1.5, "-1.5");
    assert_python(0.1, "0.1");
    assert_python(1e-4, "0.0001");
    assert_python(1e-5, "1e-05");
    assert_python(0.0001524027949442718, "0.0001524027949442718");
    assert_python(1.543618325417786e-05, "1.543618325417786e-05");
    assert_python(9.9999e-05, "9.9999e-05");
    assert_python(1e15, "1000000000000000.0");
    assert_python(123456789012345.6, "123456789012345.6");
    assert_python(9999999999999998, "9999999999999998.0");
    assert_python(1e16, "1e+16");
    assert_python(1.2345678901234568e+16, "1.2345678901234568e+16");
    assert_python(1e22, "1e+22");
    assert_python(1e100, "1e+100");
    assert_python(-1e-100, "-1e-100");
    assert_python(5e-324, "5e-324");
    assert_python(1.7976931348623157e308, "1.7976931348623157e+308");
    assert_python(0.30000000000000004, "0.30000000000000004");
    assert_python(2.0555555555555554, "2.0555555555555554");
    assert_python(999999999999.999, "999999999999.999");
    assert_python(0.001, "0.001");
    assert_python(NAN, "nan");
    assert_python(INFINITY, "inf");
    assert_python(-INFINITY, "-inf");
}

/* The significant digits of a number's text, zeros at both ends left out. */
static size_t significant(const char *text, char *out)
{
    size_t count = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0'))
            out[count++] = *text;
    while (count > 0 && out[count - 1] == '0')
        count--;
    out[count] = '\0';
    return count;
}

static void test_shortest_reads_back(void **state)
{
    (void)state;
    char text[TS_NUMBER_TEXT_MAX], shortest[64], digits[TS_NUMBER_TEXT_MAX], expected[64];
    for (size_t i = 0; i < ROUNDS; i++) {
        double value = sample(i);
        int precision = 1; /* the C library's way: the fewest digits that read back, and of those the nearest */
        do
            snprintf(shortest, sizeof shortest, "%.*e", precision - 1, value);
        while (strtod(shortest, NULL) != value && precision++ < 17);
        size_t count = significant(shortest, expected);

        ts_number_python(value, text);
        if (!same(strtod(text, NULL), value))
            fail_msg("%s does not read back to %.17g", text, value);
        if (significant(text, digits) != count || strcmp(digits, expected) != 0)
            fail_msg("%s is not the shortest and nearest: %s", text, shortest);
        assert_non_null(strpbrk(text, ".e"));

        ts_number_json(value, text);
        if (strtod(text, NULL) != value)
            fail_msg("%s does not read back to %.17g", text, value);
        if (fabs(value) >= 0x1p53 || value != trunc(value))
            assert_int_equal(significant(text, digits), count);
        else
            assert_null(strpbrk(text, ".e"));
    }
}

static void assert_json(double value, const char *expected)
{
    char text[TS_NUMBER_TEXT_MAX];
    assert_int_equal(ts_number_json(value, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void test_json_form(void **state)
{
    (void)state;
    assert_json(0, "0");
    assert_json(-0.0, "0");
    assert_json(64, "64");
    assert_json(-64, "-64");
    assert_json(9007199254740991.0, "9007199254740991");
    assert_json(-9007199254740991.0, "-9007199254740991");
    assert_json(0.5, "0.5");
    assert_json(-12.125, "-12.125");
    assert_json(0.001, "0.001");
    assert_json(1234.567, "1234.567");
    assert_json(1e-7, "1e-7");
    assert_json(NAN, "null");
    assert_json(INFINITY, "null");
    assert_json(-INFINITY, "null");
}

static void test_fixed(void **state)
{
    (void)state;
    char text[TS_NUMBER_TEXT_MAX], expected[TS_NUMBER_TEXT_MAX];
    for (size_t i = 0; i < ROUNDS; i++) {
        double value = sample(i);
        int places = (int)(random_bits() % 10);
        int len = snprintf(expected, sizeof expected, "%.*f", places, value);
        assert_int_equal(ts_number_fixed(value, places, text), len);
        if (strcmp(text, expected) != 0)
            fail_msg("%.17g to %d places is %s, not %s", value, places, expected, text);
    }
    for (size_t i = 0; i < 2 * EDGES; i++)
        for (int places = 0; places <= 9; places++) {
            snprintf(expected, sizeof expected, "%.*f", places, sample(i));
            ts_number_fixed(sample(i), places, text);
            assert_string_equal(text, expected);
        }
    ts_number_fixed(NAN, 2, text);
    assert_string_equal(text, "nan");
    ts_number_fixed(-INFINITY, 2, text);
    assert_string_equal(text, "-inf");
}

static void assert_grouped(double value, int places, const char *expected)
{
    char text[TS_NUMBER_TEXT_MAX];
    assert_int_equal(ts_number_grouped(value, places, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void test_grouped(void **state)
{
    (void)state;
    assert_grouped(0, 0, "0");
    assert_grouped(12, 1, "12.0");
    assert_grouped(999, 0, "999");
    assert_grouped(999.96, 1, "1,000.0");
    assert_grouped(12345.6, 1, "12,345.6");
    assert_grouped(-123456.7891, 4, "-123,456.7891");
    assert_grouped(-123, 0, "-123");
    assert_grouped(1e15, 2, "1,000,000,000,000,000.00");
    assert_grouped(NAN, 1, "nan");
    char text[TS_NUMBER_TEXT_MAX];
    assert_int_equal(ts_number_grouped(-1.7976931348623157e308, 9, text), 1 + 309 + 102 + 1 + 9);
    assert_memory_equal(text, "-179,769,313,486,231,570,", 25);
}

/* Places out of range must not leave the buffer. */
static void test_places_are_held_in_range(void **state)
{
    (void)state;
    char text[TS_NUMBER_TEXT_MAX];
    assert_true(ts_number_fixed(1.5, INT32_MAX, text) < sizeof text);
    assert_int_equal(ts_number_fixed(2.5, INT32_MIN, text), 1);
    assert_true(ts_number_grouped(-1.7976931348623157e308, INT32_MAX, text) < sizeof text);
    assert_true(ts_round(1.25, INT32_MAX) == 1.25);
    assert_true(ts_round(2.5, -5) == 2);
}

/* A locale with a decimal comma: one that is installed, else one made here; false when there is neither. */
static bool set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "ru_RU.UTF-8", "de_DE.utf8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0)
            return true;
    const char *folder = TS_BUILD_DIR "/test-locales";
    mkdir(folder, 0777);
    if (system("localedef -i de_DE -f UTF-8 " TS_BUILD_DIR "/test-locales/de_DE.UTF-8 2>/dev/null >&2") != 0)
        return false;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && strcmp(localeconv()->decimal_point, ",") == 0;
}

static void test_locale(void **state)
{
    (void)state;
    if (!set_comma_locale()) {
        setlocale(LC_ALL, "C");
        skip();
    }
    test_python_form(NULL);
    test_json_form(NULL);
    test_grouped(NULL);
    test_parse_spaces_and_underscores(NULL);
    char text[TS_NUMBER_TEXT_MAX];
    ts_number_fixed(1e300, 1, text);
    assert_non_null(strchr(text, '.'));
    assert_true(same(ts_number_or_absent(TS_STR("0.12345678901234567890123")), 0.12345678901234568));
    assert_true(same(ts_share(123456, 100), 123000.0));
    assert_true(same(ts_share(1.23456e-12, 100), 1.23e-12));
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_decimals),
        cmocka_unit_test(test_parse_refuses),
        cmocka_unit_test(test_parse_spaces_and_underscores),
        cmocka_unit_test(test_parse_sees_every_byte),
        cmocka_unit_test(test_parse_random),
        cmocka_unit_test(test_parse_long_ties),
        cmocka_unit_test(test_parse_very_long),
        cmocka_unit_test(test_parse_integers),
        cmocka_unit_test(test_parse_whole),
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_ns_to_us),
        cmocka_unit_test(test_python_form),
        cmocka_unit_test(test_shortest_reads_back),
        cmocka_unit_test(test_json_form),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_grouped),
        cmocka_unit_test(test_places_are_held_in_range),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
