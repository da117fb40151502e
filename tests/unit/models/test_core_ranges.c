#include "models/core_ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t cores(const char *set)
{
    struct ts_core_mask mask = {NULL, 0, 0, 0, 0};
    assert_int_equal(ts_core_mask_read(&mask, ts_str_from(set), NULL), TS_OK);
    uint32_t count = mask.count, covered = 0;
    for (uint32_t y = 0; y < mask.height; y++)
        for (uint32_t x = 0; x < mask.width; x++)
            covered += ts_core_mask_has(&mask, x, y);
    assert_int_equal(covered, count);
    ts_core_mask_free(&mask);
    return count;
}

static void test_both_notations(void **state)
{
    (void)state;
    assert_int_equal(cores("{[(x=0,y=0) - (x=7,y=7)], [(x=0,y=8) - (x=3,y=8)]}"), 68);
    assert_int_equal(cores("{[0-0 - 7-7]}"), 64);
    assert_int_equal(cores("{[0-0 - 10-4], [0-5 - 8-5]}"), 64);
    assert_int_equal(cores("[0-0 - 0-0]"), 1);
    assert_int_equal(cores("{[0-0 - 7-3], [0-5 - 7-7]}"), 56);
    assert_int_equal(cores("{[7-7 - 0-0]}"), 64); /* either corner first */
    assert_int_equal(cores("{[7-0 - 0-7]}"), 64);
}

static void test_a_core_counts_once(void **state)
{
    (void)state;
    assert_int_equal(cores("{[0-0 - 3-3], [2-2 - 5-5]}"), 28);
    assert_int_equal(cores("{[1-1 - 1-1], [1-1 - 1-1], [1-1 - 1-1]}"), 1);
}

static void test_texts_without_cores(void **state)
{
    (void)state;
    static const char *const sets[] = {"",
                                       "{}",
                                       "[]",
                                       "[0-0]",
                                       "[0-0 - ",
                                       "0-0 - 7-7",
                                       "[x=0,y=0 - (x=1,y=1)]",
                                       "[a-b - c-d]",
                                       "[(x=0,y=0 - (x=1,y=1)]",
                                       "[99999999999999999999-0 - 0-0]",
                                       "[512-0 - 513-0]"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        assert_int_equal(cores(sets[i]), 0);
    assert_int_equal(cores("{[oops], [0-0 - 1-1]}"), 4);
    assert_int_equal(cores("{[0-0 - 511-511]}"), 512 * 512);
}

static void test_a_mask_is_used_again(void **state)
{
    (void)state;
    struct ts_core_mask mask = {NULL, 0, 0, 0, 0};
    assert_int_equal(ts_core_mask_read(&mask, TS_STR("[0-0 - 9-9]"), NULL), TS_OK);
    assert_int_equal(mask.count, 100);
    assert_int_equal(ts_core_mask_read(&mask, TS_STR("[1-1 - 1-1]"), NULL), TS_OK);
    assert_int_equal(mask.count, 1);
    assert_false(ts_core_mask_has(&mask, 0, 0));
    assert_true(ts_core_mask_has(&mask, 1, 1));
    ts_core_mask_free(&mask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_notations),
        cmocka_unit_test(test_a_core_counts_once),
        cmocka_unit_test(test_texts_without_cores),
        cmocka_unit_test(test_a_mask_is_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
