#include "base/fold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void expect_with(void (*fold)(struct ts_buf *, struct ts_str), struct ts_str text, struct ts_str expected)
{
    struct ts_buf out;
    ts_buf_init(&out, 0);
    ts_buf_text(&out, "+");
    fold(&out, text);
    assert_int_equal(out.len, expected.len + 1);
    assert_memory_equal(out.ptr + 1, expected.ptr, expected.len);
    ts_buf_free(&out);
}

static void test_letters(void **state)
{
    (void)state;
    expect_with(ts_fold_text, TS_STR("AZaz09_[@"), TS_STR("azaz09_[@"));
    expect_with(ts_fold_text, TS_STR("Été ÀÖØÞ ×ß÷ÿ"), TS_STR("été àöøþ ×ß÷ÿ"));
    expect_with(ts_fold_text, TS_STR("ĀāŁłŽžŸ"), TS_STR("āāłłžžŸ"));
    expect_with(ts_fold_text, TS_STR("ΑΩ ΆΈΉΊΌΎΏ σς"), TS_STR("αω άέήίόύώ σς"));
    expect_with(ts_fold_text, TS_STR("АЯ ЀЏ Ѡѡ ая"), TS_STR("ая ѐџ ѡѡ ая"));
    expect_with(ts_fold_text, TS_STR("Ạạ 日本 😀"), TS_STR("ạạ 日本 😀"));
}

static void test_bytes_that_are_no_text(void **state)
{
    (void)state;
    expect_with(ts_fold_text, TS_STR("A\xff\xc3\0B\xe2\x80"), TS_STR("a\xff\xc3\0b\xe2\x80"));
    expect_with(ts_fold_text, TS_STR(""), TS_STR(""));
}

static void test_ascii_alone(void **state)
{
    (void)state;
    expect_with(ts_fold_ascii, TS_STR("AbZ\0É\xffQ@["), TS_STR("abz\0É\xffq@["));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_letters), cmocka_unit_test(test_bytes_that_are_no_text),
                                       cmocka_unit_test(test_ascii_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
