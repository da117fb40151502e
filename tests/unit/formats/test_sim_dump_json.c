#include "formats/sim_dump_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "formats/sim_dump_case.h"
#include "formats/sim_dump_event.h"

/* A text with the NUL bytes behind it that scans want, at the very end of its memory. */
static char *padded(const char *text, size_t len)
{
    char *copy = calloc(len + TS_SIM_JSON_PAD, 1);
    assert_non_null(copy);
    memcpy(copy, text, len);
    return copy;
}

static void expect_written(const char *text, const char *wanted)
{
    struct ts_sim_json_fault fault = {NULL, NULL};
    struct ts_sim_out out = {0};
    char *copy = padded(text, strlen(text));
    const char *end = ts_sim_json_value(copy, &fault);
    assert_ptr_equal(end, copy + strlen(text));
    assert_ptr_equal(ts_sim_json_write(&out, copy), end);
    assert_false(out.failed);
    struct ts_str written = {out.ptr, out.len};
    if (!ts_str_is(written, wanted))
        fail_msg("%s became %.*s instead of %s", text, TS_STR_ARG(written), wanted);
    free(out.ptr);
    free(copy);
}

static void test_values(void **state)
{
    (void)state;
    expect_written("{ \"a\" : [ 1 ,2,\t{}\n] , \"b\":[]}", "{\"a\": [1, 2, {}], \"b\": []}");
    expect_written("\"\\/\\b\\f\\n\\r\\t\\\"\\\\\\u0041\\u007f\\u001f\"",
                   "\"/\\b\\f\\n\\r\\t\\\"\\\\A\\u007f\\u001f\"");
    expect_written("\"\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80 \xed\xa0\x80\"",
                   "\"\\u00e9 \\u4e2d \\ud83d\\ude00 \\ud800\"");
    expect_written("\"\\uD83D\\uDE00\\ud83dx\\ude00\"", "\"\\ud83d\\ude00\\ud83dx\\ude00\"");
    expect_written("\"0123456789abcdef0123456789abcde\x7f\"", "\"0123456789abcdef0123456789abcde\\u007f\"");
    expect_written("[NaN,Infinity,-Infinity,true,false,null]", "[NaN, Infinity, -Infinity, true, false, null]");
    expect_written("{\"a\":1,\"b\":2,\"\\u0061\":{\"x\":1,\"x\":2},\"c\":3,\"b\":4}",
                   "{\"a\": {\"x\": 2}, \"b\": 4, \"c\": 3}");
}

/* Many keys take another way than few. */
static void test_repeated_keys(void **state)
{
    (void)state;
    enum { KEYS = 40 };
    char text[KEYS * 40] = "{", wanted[KEYS * 40] = "{";
    for (unsigned i = 0; i < 2 * KEYS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"k%u\":%u", i ? "," : "", i % KEYS, i);
    for (unsigned i = 0; i < KEYS; i++)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s\"k%u\": %u", i ? ", " : "", i, i + KEYS);
    strcat(text, "}");
    strcat(wanted, "}");
    expect_written(text, wanted);
}

static void expect_fault(const char *text, size_t at)
{
    struct ts_sim_json_fault fault = {NULL, NULL};
    char *copy = padded(text, strlen(text));
    if (ts_sim_json_value(copy, &fault))
        fail_msg("%s was taken for a value", text);
    if (fault.at != copy + at)
        fail_msg("%s: wrong at %d, not at %zu", text, (int)(fault.at - copy), at);
    free(copy);
}

static void test_faults(void **state)
{
    (void)state;
    expect_fault("", 0);
    expect_fault("[1,]", 3);
    expect_fault("{\"a\":1,}", 7);
    expect_fault("{\"a\" 1}", 5);
    expect_fault("{a:1}", 1);
    expect_fault("[1 2]", 3);
    expect_fault("{\"a\":1]", 6);
    expect_fault("\"a\nb\"", 2);
    expect_fault("\"\\x\"", 2);
    expect_fault("\"\\u12g4\"", 5);
    expect_fault("\"a\xff\"", 2);
    expect_fault("\"\xc0\xaf\"", 1);
    expect_fault("1.", 2);
    expect_fault("-", 1);
    expect_fault("-a", 1);
    expect_fault("1e", 2);
    expect_fault("1e+", 3);
    expect_fault("[01]", 2);
    expect_fault("tru", 3);
    expect_fault("nul1", 3);
    /* Cut off: the fault lies at the end, so that whoever has more reads on. */
    expect_fault("{\"a\":[1,{\"b\":\"c", 15);
    expect_fault("[", 1);
    expect_fault("\"\\u12", 5);
}

static void test_depth(void **state)
{
    (void)state;
    enum { DEEP = 512 };
    char text[2 * DEEP + 3];
    struct ts_sim_json_fault fault;
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    char *copy = padded(text, 2 * DEEP);
    assert_ptr_equal(ts_sim_json_value(copy, &fault), copy + 2 * DEEP);
    free(copy);
    memset(text, '[', DEEP + 1);
    copy = padded(text, DEEP + 1);
    assert_null(ts_sim_json_value(copy, &fault));
    assert_ptr_equal(fault.at, copy + DEEP);
    free(copy);
}

/* ---- numbers ---- */

static struct ts_sim_number read_number(const char *text)
{
    char *copy = padded(text, strlen(text));
    struct ts_sim_number number = ts_sim_json_number((struct ts_str){copy, strlen(text)});
    free(copy);
    return number;
}

/* The number's value and whether it is written as it stands, against the general functions. */
static void check_number(const char *text)
{
    struct ts_sim_number number = read_number(text);
    char written[TS_NUMBER_TEXT_MAX];
    double wanted;
    assert_true(ts_number_parse(ts_str_from(text), &wanted));
    if (number.value != wanted)
        fail_msg("%s read as %.17g", text, number.value);
    size_t len = ts_number_python(wanted, written);
    bool same = ts_str_is((struct ts_str){written, len}, text);
    if (number.kind == TS_SIM_NUMBER_FLOAT && number.canonical != same)
        fail_msg("%s is written %s, which was taken for %s", text, written, number.canonical ? "the same" : "another");
    if (number.decimal) {
        struct ts_sim_out out = {0};
        ts_sim_json_write_decimal(&out, number.decimal);
        if (!ts_str_is((struct ts_str){out.ptr, out.len}, text))
            fail_msg("%s packed and unpacked is %.*s", text, (int)out.len, out.ptr);
        free(out.ptr);
    }
}

static uint64_t random_state = 88172645463325252u;
static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static void test_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0.0",
        "-0.0",
        "1.0",
        "0.1",
        "-0.30000000000000004",
        "100.0",
        "0.0001",
        "0.00012207031250000003",
        "0.00009",
        "1.3486486673355103",
        "0.0005405405536293983",
        "9007199254740993.0",
        "9007199254740992.0",
        "1234567890123456.7",
        "0.50",
        "2.5e3",
        "1e22",
        "1e23",
        "1E-3",
        "123456789012345678.0",
        "18446744073709551615.5",
        "0.12345678901234567890",
        "4503599627370496.5",
        "72057594037927936.0",
        "0.99999999999999994",
        "1.7976931348623157e+308",
        "5e-324",
        "0.9999999999999999",
        "1.0000000000000002",
        "12345678901234567",
        "-17",
        "0",
        "2.0",
        "8.0",
        "4.000000000000001",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_number(texts[i]);
    assert_int_equal(read_number("-0").canonical, false);
    assert_int_equal(read_number("true").kind, TS_SIM_NUMBER_NONE);
    assert_int_equal(read_number("\"1\"").kind, TS_SIM_NUMBER_NONE);
    assert_true(isnan(read_number("NaN").value));
    assert_true(read_number("1e400").value == HUGE_VAL);
    assert_true(read_number("-1e400").value == -HUGE_VAL);
}

/* What dumps hold: single-precision values with all digits of double precision; and digits at random. */
static void test_random_numbers(void **state)
{
    (void)state;
    char text[TS_NUMBER_TEXT_MAX];
    for (unsigned i = 0; i < 60000; i++) {
        float single = (float)((double)(random_number() >> 20) / (double)(UINT64_C(1) << (random_number() % 54)));
        size_t len = ts_number_python(single, text);
        text[len] = '\0';
        check_number(text);
        unsigned whole = (unsigned)(random_number() % 4), places = 1 + (unsigned)(random_number() % 19);
        snprintf(text, sizeof text, "%u.", whole ? (unsigned)(random_number() % 100000) : 0);
        for (unsigned j = 0; j < places; j++)
            strcat(text, (const char[]){(char)('0' + random_number() % 10), '\0'});
        check_number(text);
    }
}

static void test_nanoseconds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t nanoseconds;
    } cases[] = {
        {"0.0004", 0},
        {"0.0005", 1},
        {"0.0015", 2},
        {"1.9999", 2000},
        {"0.00054054", 1},
        {"-0.0004", 0},
        {"-0.0005", -1},
        {"3", 3000},
        {"-3", -3000},
        {"2.5e1", 25000},
        {"1e-3", 1},
        {"9300000000000000", INT64_MAX},
        {"10.0006", 10001},
        {"11.0012", 11001},
        {"0", 0},
        {"0.00054054055362939835", 1},
        {"0.00032956212316547954", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_sim_number number = read_number(cases[i].text);
        /* The last but one is written with a digit less; of the last a viewer makes that, since it has 20 places. */
        if (number.nanoseconds != cases[i].nanoseconds)
            fail_msg("%s is %lld ns", cases[i].text, (long long)number.nanoseconds);
    }
}

/* ---- events, names ---- */

static void test_event(void **state)
{
    (void)state;
    struct ts_sim_event event;
    struct ts_sim_json_fault fault;
    const char *text = "{ \"name\":\"old\",\"n\\u0061me\" : \"new\",\"ts\":1.5 "
                       ",\"other\":[{\"ts\":2}],\"args\":{\"a\":\"b\",\"c\":{}},"
                       "\"tid\":null,\"pid\":\"p\",\"ph\":\"X\",\"dur\":-2} ";
    char *copy = padded(text, strlen(text));
    assert_ptr_equal(ts_sim_event_scan(copy, &event, &fault), copy + strlen(text) - 1);
    assert_true(ts_str_is(event.name, "\"new\"") && ts_str_is(event.ts, "1.5") && ts_str_is(event.tid, "null"));
    assert_true(ts_str_is(event.args, "{\"a\":\"b\",\"c\":{}}") && ts_str_is(event.dur, "-2") &&
                ts_str_is(event.ph, "\"X\""));
    assert_true(ts_sim_json_is(ts_sim_json_member(event.args, "a"), TS_STR("b")));
    assert_null(ts_sim_json_member(event.args, "d").ptr);
    free(copy);
    copy = padded("{}", 2);
    assert_ptr_equal(ts_sim_event_scan(copy, &event, &fault), copy + 2);
    assert_null(event.name.ptr);
    free(copy);
    /* Every prefix is cut off, none is wrong before its end. */
    for (size_t len = 1; len + 1 < strlen(text); len++) {
        copy = padded(text, len);
        assert_null(ts_sim_event_scan(copy, &event, &fault));
        assert_ptr_equal(fault.at, copy + len);
        free(copy);
    }
}

static void test_folding(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"\"Vector Utilization Percentage\"", "vector_utilization_percentage"},
        {"\"\xc3\x89 \xc4\xb0\"", "\\u00e9_i\\u0307"},
        {"\"tab\\tA\"", "tab\\ta"},
        {"\"\xd0\x96\xce\xa9\"", "\\u0436\\u03c9"},
        {"\"\\ud800Z\"", "\\ud800z"},
        {"\"\"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_sim_out out = {0};
        ts_sim_case_fold(&out, ts_str_from(cases[i][0]));
        assert_true(ts_str_is((struct ts_str){out.ptr ? out.ptr : "", out.len}, cases[i][1]));
        free(out.ptr);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),      cmocka_unit_test(test_repeated_keys), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_depth),       cmocka_unit_test(test_numbers),       cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_nanoseconds), cmocka_unit_test(test_event),         cmocka_unit_test(test_folding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
