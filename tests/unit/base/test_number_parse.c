/* Numbers read from text. */
#include "support/number_case.h"

#include <errno.h>
#include <inttypes.h>

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

static void test_locale(void **state)
{
    (void)state;
    if (!set_comma_locale(TS_BUILD_DIR "/test-locales-parse")) {
        setlocale(LC_ALL, "C");
        skip();
    }
    test_parse_spaces_and_underscores(NULL);
    assert_true(same(ts_number_or_absent(TS_STR("0.12345678901234567890123")), 0.12345678901234568));
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
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
