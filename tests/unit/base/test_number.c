/* Numbers rounded and written. */
#include "support/number_case.h"

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

static void test_locale(void **state)
{
    (void)state;
    if (!set_comma_locale(TS_BUILD_DIR "/test-locales")) {
        setlocale(LC_ALL, "C");
        skip();
    }
    test_python_form(NULL);
    test_json_form(NULL);
    test_grouped(NULL);
    char text[TS_NUMBER_TEXT_MAX];
    ts_number_fixed(1e300, 1, text);
    assert_non_null(strchr(text, '.'));
    assert_true(same(ts_share(123456, 100), 123000.0));
    assert_true(same(ts_share(1.23456e-12, 100), 1.23e-12));
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
