#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

static void assert_text(struct ts_str s, const char *expected)
{
    assert_int_equal(s.len, strlen(expected));
    assert_true(ts_str_is(s, expected));
}

static void test_compare(void **state)
{
    (void)state;
    struct ts_str nothing = {NULL, 0};
    assert_int_equal(ts_str_compare(nothing, TS_STR("")), 0);
    assert_true(ts_str_compare(nothing, TS_STR("a")) < 0);
    assert_true(ts_str_compare(TS_STR("ab"), TS_STR("a")) > 0);
    assert_true(ts_str_compare(TS_STR("a"), TS_STR("ab")) < 0);
    assert_true(ts_str_compare(TS_STR("b"), TS_STR("ab")) > 0);
    assert_true(ts_str_compare(TS_STR("\xFF"), TS_STR("a")) > 0);
    assert_true(ts_str_compare(TS_STR("a\0b"), TS_STR("a\0a")) > 0);
    assert_true(ts_str_equal(nothing, TS_STR("")));
    assert_true(ts_str_is(nothing, NULL));
    assert_false(ts_str_equal(TS_STR("a\0b"), TS_STR("a\0c")));
}

static void test_starts_and_ends(void **state)
{
    (void)state;
    struct ts_str nothing = {NULL, 0};
    assert_true(ts_str_starts_with(TS_STR("abc"), TS_STR("ab")));
    assert_true(ts_str_starts_with(TS_STR("abc"), nothing));
    assert_true(ts_str_starts_with(nothing, nothing));
    assert_false(ts_str_starts_with(TS_STR("ab"), TS_STR("abc")));
    assert_false(ts_str_starts_with(TS_STR("abc"), TS_STR("bc")));
    assert_true(ts_str_ends_with(TS_STR("abc"), TS_STR("bc")));
    assert_true(ts_str_ends_with(nothing, nothing));
    assert_false(ts_str_ends_with(TS_STR("bc"), TS_STR("abc")));
    assert_false(ts_str_ends_with(TS_STR("abc"), TS_STR("ab")));
}

static void test_find(void **state)
{
    (void)state;
    const size_t none = (size_t)-1;
    struct ts_str s = TS_STR("abcabc");
    assert_int_equal(ts_str_find(s, TS_STR("c"), 0), 2);
    assert_int_equal(ts_str_find(s, TS_STR("c"), 2), 2);
    assert_int_equal(ts_str_find(s, TS_STR("c"), 3), 5);
    assert_int_equal(ts_str_find(s, TS_STR("bc"), 2), 4);
    assert_int_equal(ts_str_find(s, TS_STR("ca"), 3), none);
    assert_int_equal(ts_str_find(s, TS_STR("abcabcd"), 0), none);
    assert_int_equal(ts_str_find(s, TS_STR(""), 3), 3);
    assert_int_equal(ts_str_find(s, TS_STR(""), 6), 6);
    assert_int_equal(ts_str_find(s, TS_STR(""), 7), none);
    assert_int_equal(ts_str_find(s, TS_STR("a"), SIZE_MAX), none);
    assert_int_equal(ts_str_find((struct ts_str){NULL, 0}, TS_STR("a"), 0), none);
    assert_true(ts_str_contains(TS_STR("a\0b"), TS_STR("\0b")));
    assert_false(ts_str_contains(s, TS_STR("d")));
}

static void test_sub(void **state)
{
    (void)state;
    struct ts_str s = TS_STR("abc");
    assert_text(ts_str_sub(s, 0, 3), "abc");
    assert_text(ts_str_sub(s, 1, SIZE_MAX), "bc");
    assert_text(ts_str_sub(s, 1, 1), "b");
    assert_text(ts_str_sub(s, 3, 1), "");
    assert_text(ts_str_sub(s, SIZE_MAX, SIZE_MAX), "");
    assert_ptr_equal(ts_str_sub(s, 9, 1).ptr, s.ptr + 3);
    assert_int_equal(ts_str_sub((struct ts_str){NULL, 0}, 1, 1).len, 0);
}

static void test_trim_and_first_word(void **state)
{
    (void)state;
    assert_text(ts_str_trim(TS_STR(" \t\n\v\f\r a b \t\n\v\f\r")), "a b");
    assert_text(ts_str_trim(TS_STR(" \r\n ")), "");
    assert_text(ts_str_trim((struct ts_str){NULL, 0}), "");
    assert_text(ts_str_trim(TS_STR("\xC2\xA0x\x1F")), "\xC2\xA0x\x1F");
    assert_text(ts_str_first_word(TS_STR("  one\ttwo")), "one");
    assert_text(ts_str_first_word(TS_STR("one")), "one");
    assert_text(ts_str_first_word(TS_STR(" \t")), "");
    assert_text(ts_str_first_word(TS_STR("")), "");
}

static void assert_pieces(struct ts_str rest, const char *const *expected)
{
    struct ts_str piece;
    bool done = false;
    while (ts_str_split(&rest, ';', &piece, &done)) {
        assert_non_null(*expected);
        assert_text(piece, *expected++);
    }
    assert_null(*expected);
    assert_int_equal(rest.len, 0);
    assert_false(ts_str_split(&rest, ';', &piece, &done));
}

static void test_split(void **state)
{
    (void)state;
    assert_pieces(TS_STR("a"), (const char *[]){"a", NULL});
    assert_pieces(TS_STR("a;"), (const char *[]){"a", "", NULL});
    assert_pieces(TS_STR(";a;;bc"), (const char *[]){"", "a", "", "bc", NULL});
    assert_pieces(TS_STR(""), (const char *[]){"", NULL});
    assert_pieces((struct ts_str){NULL, 0}, (const char *[]){"", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare), cmocka_unit_test(test_starts_and_ends),
        cmocka_unit_test(test_find),    cmocka_unit_test(test_sub),
        cmocka_unit_test(test_split),   cmocka_unit_test(test_trim_and_first_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
