#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/interpose_malloc.c"

static void assert_holds(const struct ts_buf *buf, const char *expected)
{
    assert_true(ts_str_is(ts_buf_view(buf), expected));
    if (buf->ptr)
        assert_string_equal(buf->ptr, expected);
}

static void test_adding(void **state)
{
    (void)state;
    struct ts_buf buf;
    ts_buf_init(&buf, 0);
    assert_holds(&buf, "");
    ts_buf_add(&buf, NULL, 0);
    assert_holds(&buf, "");
    assert_non_null(buf.ptr);
    ts_buf_text(&buf, "a");
    ts_buf_text(&buf, NULL);
    ts_buf_str(&buf, TS_STR("bc"));
    ts_buf_char(&buf, 'd');
    ts_buf_printf(&buf, "-%d-%s", 12, "x");
    assert_holds(&buf, "abcd-12-x");
    ts_buf_clear(&buf);
    assert_holds(&buf, "");
    for (int i = 0; i < 1000; i++)
        ts_buf_printf(&buf, "%04d", i);
    assert_int_equal(buf.len, 4000);
    assert_memory_equal(buf.ptr + 4 * 765, "0765", 4);
    assert_int_equal(ts_buf_status(&buf, NULL), TS_OK);
    ts_buf_free(&buf);
    assert_null(buf.ptr);
}

static void test_printf_longer_than_the_room(void **state)
{
    (void)state;
    struct ts_buf buf;
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ts_buf_init(&buf, 0);
    ts_buf_printf(&buf, "%s", text);
    assert_holds(&buf, text);
    ts_buf_free(&buf);
}

static void test_limit(void **state)
{
    (void)state;
    struct ts_error error;
    struct ts_buf buf;
    ts_buf_init(&buf, 5);
    ts_buf_text(&buf, "12345");
    assert_false(buf.failed);
    ts_buf_char(&buf, '6');
    assert_true(buf.failed);
    assert_holds(&buf, "12345");
    assert_int_equal(ts_buf_status(&buf, &error), TS_LIMIT);
    assert_int_equal(error.code, TS_LIMIT);
    assert_non_null(strstr(error.message, "5 bytes"));
    ts_buf_free(&buf);

    ts_buf_text(&buf, "123");
    ts_buf_printf(&buf, "%d", 456);
    assert_true(buf.over_limit);
    assert_holds(&buf, "123");
    ts_buf_char(&buf, '4'); /* would fit, but a failure sticks */
    assert_holds(&buf, "123");
    ts_buf_clear(&buf);
    ts_buf_printf(&buf, "%d", 12345);
    assert_holds(&buf, "12345");
    assert_int_equal(ts_buf_status(&buf, &error), TS_OK);
    ts_buf_free(&buf);

    ts_buf_init(&buf, SIZE_MAX);
    ts_buf_text(&buf, "12");
    assert_holds(&buf, "12");
    ts_buf_free(&buf);
}

static void test_lengths_that_cannot_be(void **state)
{
    (void)state;
    struct ts_buf buf;
    ts_buf_init(&buf, 0);
    ts_buf_text(&buf, "ab");
    ts_buf_add(&buf, "", SIZE_MAX);
    assert_true(buf.failed);
    assert_false(buf.over_limit);
    assert_holds(&buf, "ab");
    ts_buf_free(&buf);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct ts_error error;
    struct ts_buf buf;
    ts_buf_init(&buf, 0);
    interpose_fail_from(0);
    ts_buf_text(&buf, "a");
    ts_buf_printf(&buf, "a");
    assert_true(interpose_stop());
    assert_true(buf.failed);
    assert_holds(&buf, "");
    assert_int_equal(ts_buf_status(&buf, &error), TS_NO_MEMORY);
    ts_buf_clear(&buf);
    ts_buf_text(&buf, "abc");
    interpose_fail_from(0);
    ts_buf_printf(&buf, "%1000d", 1);
    assert_true(interpose_stop());
    assert_true(buf.failed);
    assert_holds(&buf, "abc");
    ts_buf_clear(&buf);
    interpose_fail_once(0);
    ts_buf_printf(&buf, "%70d", 1);
    assert_true(interpose_stop());
    assert_false(buf.failed);
    assert_int_equal(buf.len, 70);
    ts_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adding),        cmocka_unit_test(test_printf_longer_than_the_room),
        cmocka_unit_test(test_limit),         cmocka_unit_test(test_lengths_that_cannot_be),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
