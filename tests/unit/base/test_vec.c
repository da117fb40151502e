#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "support/interpose_malloc.c"

static void test_push(void **state)
{
    (void)state;
    TS_VEC(int) numbers = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(ts_vec_push(&numbers, i));
    assert_int_equal(numbers.count, 1000);
    assert_true(numbers.capacity >= 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers.items[i], i);
    ts_vec_free(&numbers);
    assert_null(numbers.items);
    assert_int_equal(numbers.count + numbers.capacity, 0);
}

static void test_reserve(void **state)
{
    (void)state;
    TS_VEC(uint64_t) numbers = {0};
    assert_true(ts_vec_reserve(&numbers, 0));
    assert_null(numbers.items);
    assert_true(ts_vec_reserve(&numbers, 1000));
    assert_true(numbers.capacity >= 1000);
    uint64_t *items = numbers.items;
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(ts_vec_push(&numbers, i));
    assert_ptr_equal(numbers.items, items);
    ts_vec_free(&numbers);
}

static void test_overflow(void **state)
{
    (void)state;
    TS_VEC(uint64_t) numbers = {0};
    assert_true(ts_vec_push(&numbers, 7));
    size_t capacity = numbers.capacity;
    assert_false(ts_vec_reserve(&numbers, SIZE_MAX));
    assert_false(ts_vec_reserve(&numbers, SIZE_MAX / sizeof(uint64_t)));
    assert_false(ts_vec_reserve(&numbers, PTRDIFF_MAX / sizeof(uint64_t)));
    assert_int_equal(numbers.capacity, capacity);
    assert_int_equal(numbers.items[0], 7);
    ts_vec_free(&numbers);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    TS_VEC(int) numbers = {0};
    interpose_fail_from(0);
    bool pushed = ts_vec_push(&numbers, 1);
    assert_true(interpose_stop());
    assert_false(pushed);
    assert_int_equal(numbers.count, 0);
    for (int i = 0; numbers.count < numbers.capacity || i == 0; i++)
        assert_true(ts_vec_push(&numbers, i));
    int count = (int)numbers.count;
    interpose_fail_from(0);
    pushed = ts_vec_push(&numbers, count);
    interpose_stop();
    assert_false(pushed);
    assert_int_equal(numbers.count, count);

    /* When twice as much is too much, just enough may do. */
    interpose_fail_once(0);
    pushed = ts_vec_push(&numbers, count);
    assert_true(interpose_stop());
    assert_true(pushed);
    assert_int_equal(numbers.capacity, count + 1);
    for (int i = 0; i <= count; i++)
        assert_int_equal(numbers.items[i], i);
    ts_vec_free(&numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
