#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>

#include <cmocka.h>

#include "models/row_order.h"

static uint64_t random_state = 0x1234567890ABCDEFu;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % limit;
}

static uint32_t *order_of(const double *times, uint32_t count, struct ts_arena *arena)
{
    uint32_t *order = NULL;

    ts_arena_init(arena, 0);
    assert_int_equal(ts_row_order_create(times, count, arena, &order, NULL), TS_OK);
    return order;
}

static void test_rows_in_order_need_none(void **state)
{
    (void)state;
    struct ts_arena arena;
    const double times[] = {-5, -0.0, 0, 0, 7, 7, 1e18, __builtin_nan(""), __builtin_nan("")};

    assert_null(order_of(times, sizeof times / sizeof *times, &arena));
    assert_null(order_of(times, 1, &arena));
    assert_null(order_of(times, 0, &arena));
    ts_arena_free(&arena);
}

static void test_absent_times_come_last(void **state)
{
    (void)state;
    struct ts_arena arena;
    const double times[] = {__builtin_nan(""), 9, -3, 9, 0, -0.0, __builtin_nan("")};
    const uint32_t expected[] = {2, 4, 5, 1, 3, 0, 6};
    uint32_t *order = order_of(times, 7, &arena);

    assert_non_null(order);
    assert_memory_equal(order, expected, sizeof expected);
    ts_arena_free(&arena);
}

static void test_many_with_ties_stay_stable(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static double times[COUNT];
    struct ts_arena arena;

    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < COUNT; i++) {
            times[i] = (double)random_below(round < 10 ? 300 : 1000000000) * (round % 3 == 0 ? 1e9 : 1) - 1000;
            if (random_below(50) == 0)
                times[i] = __builtin_nan("");
        }
        uint32_t *order = order_of(times, COUNT, &arena);
        bool seen[COUNT] = {false};
        assert_non_null(order);
        for (int i = 0; i < COUNT; i++) {
            assert_true(order[i] < COUNT && !seen[order[i]]);
            seen[order[i]] = true;
            if (i == 0)
                continue;
            double before = times[order[i - 1]], now = times[order[i]];
            bool tie = before == now || (before != before && now != now);
            assert_true(tie ? order[i - 1] < order[i] : before < now || now != now);
        }
        ts_arena_free(&arena);
    }
}

static void test_a_limit_is_told(void **state)
{
    (void)state;
    struct ts_arena arena;
    struct ts_error error = {0};
    uint32_t *order = NULL;
    static double times[4096];

    times[0] = 1;
    ts_arena_init(&arena, 64);
    assert_int_equal(ts_row_order_create(times, 4096, &arena, &order, &error), TS_LIMIT);
    assert_null(order);
    ts_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_in_order_need_none),
        cmocka_unit_test(test_absent_times_come_last),
        cmocka_unit_test(test_many_with_ties_stay_stable),
        cmocka_unit_test(test_a_limit_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
