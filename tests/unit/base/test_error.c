#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/utf8.h"

static void test_set(void **state)
{
    (void)state;
    struct ts_error error;
    assert_int_equal(ts_error_set(&error, TS_INPUT, "row %d", 3), TS_INPUT);
    assert_int_equal(error.code, TS_INPUT);
    assert_string_equal(error.message, "row 3");
    assert_int_equal(ts_error_set(NULL, TS_REFUSED, "row %d", 3), TS_REFUSED);
    assert_int_equal(ts_error_no_memory(&error), TS_NO_MEMORY);
    assert_string_equal(error.message, "out of memory");
    assert_int_equal(ts_error_no_memory(NULL), TS_NO_MEMORY);
}

static void test_prefix(void **state)
{
    (void)state;
    struct ts_error error;
    ts_error_set(&error, TS_INPUT, "row 3");
    assert_int_equal(ts_error_prefix(&error, "%s.csv", "ops"), TS_INPUT);
    assert_string_equal(error.message, "ops.csv: row 3");
    assert_int_equal(ts_error_prefix(NULL, "x"), TS_INTERNAL);
}

/* A text of size bytes: fill, then as many three-byte characters as fit. */
static char *text_of(size_t size, size_t fill)
{
    char *text = test_malloc(size + 1);
    memset(text, 'a', fill);
    size_t at = fill;
    for (; at + 3 <= size; at += 3)
        memcpy(text + at, "\xE2\x82\xAC", 3);
    text[at] = '\0';
    return text;
}

static void assert_cut_at_character(const struct ts_error *error)
{
    struct ts_str message = ts_str_from(error->message);
    assert_true(ts_utf8_valid(message));
    assert_in_range(message.len, TS_ERROR_MESSAGE_MAX - 3, TS_ERROR_MESSAGE_MAX - 1);
}

static void test_cut_at_a_character(void **state)
{
    (void)state;
    struct ts_error error;
    for (size_t fill = 0; fill < 3; fill++) {
        char *text = text_of(2 * TS_ERROR_MESSAGE_MAX, fill);
        ts_error_set(&error, TS_INPUT, "%s", text);
        assert_cut_at_character(&error);

        text[TS_ERROR_MESSAGE_MAX - 151 + fill] = '\0'; /* whole characters, and the prefix pushes the last ones out */
        ts_error_set(&error, TS_INPUT, "%s", text);
        for (int i = 0; i < 50; i++) {
            ts_error_prefix(&error, "%d", i);
            assert_true(ts_utf8_valid(ts_str_from(error.message)));
        }
        assert_cut_at_character(&error);
        assert_memory_equal(error.message, "49: 48: ", 8);
        test_free(text);
    }
    char *exact = text_of(TS_ERROR_MESSAGE_MAX - 1, 0); /* 4095 is a multiple of three: the last one just fits */
    ts_error_set(&error, TS_INPUT, "%s", exact);
    assert_string_equal(error.message, exact);
    ts_error_set(&error, TS_INPUT, "cause");
    ts_error_prefix(&error, "%s", exact);
    assert_string_equal(error.message, exact);
    test_free(exact);
}

static void test_system(void **state)
{
    (void)state;
    struct ts_error error;
    setlocale(LC_ALL, "");
    assert_int_equal(ts_error_system(&error, "/a/b\n", "open", ENOENT), TS_IO);
    assert_string_equal(error.message, "/a/b\\n: cannot open: No such file or directory");
    assert_int_equal(ts_error_system(&error, "x", "read", EINTR), TS_IO);
    assert_int_equal(ts_error_system(&error, "x", "read", ENOMEM), TS_NO_MEMORY);
    assert_int_equal(error.code, TS_NO_MEMORY);
    assert_int_equal(ts_error_system(&error, "x", "read", 99999), TS_IO);
    assert_string_equal(error.message, "x: cannot read: unknown error");
    assert_int_equal(ts_error_system(NULL, "x", "read", EACCES), TS_IO);
}

static const char *quote(struct ts_str text, size_t max)
{
    static struct ts_quote buffer;
    memset(&buffer, 'Z', sizeof buffer);
    return ts_error_quote(&buffer, text, max);
}

static void test_quote(void **state)
{
    (void)state;
    assert_string_equal(quote(TS_STR("matmul"), 64), "matmul");
    assert_string_equal(quote(TS_STR(""), 64), "");
    assert_string_equal(quote((struct ts_str){NULL, 0}, 64), "");
    assert_string_equal(quote(TS_STR("a\x1B[31m\n\xFF\0"), 64), "a\\x1B[31m\\n\\xFF\\x00");
    assert_string_equal(quote(TS_STR("\xE2\x80\xAEgnp"), 64), "\\u{202E}gnp");
    assert_string_equal(quote(TS_STR("abcd"), 4), "abcd");
    assert_string_equal(quote(TS_STR("abcde"), 4), "abcd...");
    assert_string_equal(quote(TS_STR("a"), 0), "...");
    assert_string_equal(quote(TS_STR("\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"), 2), "\xE2\x82\xAC\xE2\x82\xAC...");
}

/* What is escaped grows up to fourfold and more: the buffer ends the text then, at a whole escape. */
static void test_quote_fills_its_buffer(void **state)
{
    (void)state;
    char text[4 * 1000];
    for (size_t i = 0; i < sizeof text; i += 4)
        memcpy(text + i, "\xF3\xA0\x80\x81", 4); /* U+E0001, nine bytes when escaped */
    const char *quoted = quote((struct ts_str){text, sizeof text}, 1000);
    size_t len = strlen(quoted);
    assert_int_equal(len, 9 * 113 + 3);
    assert_string_equal(quoted + len - 12, "\\u{E0001}...");
    for (size_t tail = 0; tail < 12; tail++) {
        memset(text, 'x', sizeof text);
        struct ts_quote buffer;
        ts_error_quote(&buffer, (struct ts_str){text, 1015 + tail}, SIZE_MAX);
        assert_int_equal(strlen(buffer.text), tail <= 5 ? 1015 + tail : 1023);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),    cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_system), cmocka_unit_test(test_cut_at_a_character),
        cmocka_unit_test(test_quote),  cmocka_unit_test(test_quote_fills_its_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
