#include "base/fold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

static bool contains(struct ts_str text, struct ts_str wanted, void (*fold)(struct ts_buf *, struct ts_str))
{
    struct ts_context context;
    struct ts_error error;
    struct ts_buf work;
    bool found = false;
    ts_context_init(&context);
    ts_buf_init(&work, 0);
    assert_int_equal(ts_fold_contains(&context, text, wanted, fold, &work, &found, &error), TS_OK);
    ts_buf_free(&work);
    return found;
}

static void test_parts_of_texts(void **state)
{
    (void)state;
    assert_true(contains(TS_STR("xABx"), TS_STR("ab"), ts_fold_ascii));
    assert_false(contains(TS_STR("xAxB"), TS_STR("ab"), ts_fold_ascii));
    assert_false(contains(TS_STR(""), TS_STR("a"), ts_fold_text));
    assert_true(contains(TS_STR(""), TS_STR(""), ts_fold_text));
    assert_true(contains(TS_STR("ÉTÉ"), TS_STR("té"), ts_fold_text));
}

/* Wherever it lies, across any border of what is read at a time, and whatever character is cut by one. */
static void test_long_texts(void **state)
{
    (void)state;
    enum { PIECE = 256 * 1024, LONG = 3 * PIECE };
    static char text[LONG];
    struct ts_str whole = {text, LONG}, wanted = TS_STR("жéж");
    for (int shift = -8; shift <= 2; shift++)
        for (size_t piece = 1; piece <= 2; piece++) {
            memset(text, 'A', LONG);
            memcpy(text + (size_t)((int)(piece * PIECE) + shift), "ЖÉЖ", 6);
            assert_true(contains(whole, wanted, ts_fold_text));
            assert_false(contains(whole, TS_STR("жéжж"), ts_fold_text));
        }
    memset(text, '\xbf', LONG);
    assert_true(contains(whole, TS_STR("\xbf\xbf"), ts_fold_text));
    memset(text, 'A', LONG);
    text[LONG - 1] = 'B';
    char *large = malloc(LONG);
    memset(large, 'a', LONG);
    assert_false(contains(whole, (struct ts_str){large, LONG}, ts_fold_ascii));
    assert_true(contains(whole, (struct ts_str){large, LONG - 1}, ts_fold_ascii));
    free(large);
}

static void test_a_search_is_stopped(void **state)
{
    (void)state;
    enum { LONG = 600000 };
    char *text = calloc(1, LONG);
    struct ts_context context;
    struct ts_error error;
    struct ts_buf work;
    bool found;
    ts_context_init(&context);
    ts_buf_init(&work, 0);
    atomic_store(&context.cancelled, true);
    assert_int_equal(
        ts_fold_contains(&context, (struct ts_str){text, LONG}, TS_STR("a"), ts_fold_text, &work, &found, &error),
        TS_CANCELLED);
    assert_true(work.capacity < LONG);
    ts_buf_free(&work);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters),     cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_ascii_alone), cmocka_unit_test(test_parts_of_texts),
        cmocka_unit_test(test_long_texts),  cmocka_unit_test(test_a_search_is_stopped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
