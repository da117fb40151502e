#include "models/l1_pressure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define near(a, b, by) assert_true((a) - (b) < (by) && (b) - (a) < (by))

static const struct ts_profiler_device wormhole = {
    .id = 3, .worker_l1_size = 1499136, .l1_bank_size = 1370848, .l1_start = 103712};

static struct ts_l1_pressure pressure_of(struct ts_l1_chunk *chunks, size_t count)
{
    struct ts_l1_pressure pressure = {.device_id = 3};
    ts_l1_pressure_of(ts_l1_window_of(&wormhole), chunks, count, &pressure);
    return pressure;
}

static void check(struct ts_l1_chunk *chunks, size_t count, double fullness, int64_t segments, int64_t largest)
{
    struct ts_l1_pressure pressure = pressure_of(chunks, count);
    near(pressure.fullness_pct, fullness, 0.0005);
    assert_int_equal(pressure.free_segments, segments);
    assert_int_equal(pressure.largest_free_block, largest);
    near(pressure.largest_free_pct, 100.0 * (double)largest / 1370848.0, 1e-9);
    assert_int_equal(pressure.device_id, 3);
}

static void test_windows(void **state)
{
    (void)state;
    struct ts_profiler_device device = wormhole;
    struct ts_l1_window window = ts_l1_window_of(&device);
    assert_int_equal(window.start, 103712);
    assert_int_equal(window.end, 1474560);
    device.worker_l1_size = 200000; /* the L1 ends before the bank does */
    assert_int_equal(ts_l1_window_of(&device).end, 200000);
    device.worker_l1_size = 0; /* unknown */
    assert_int_equal(ts_l1_window_of(&device).end, 1474560);
    device.worker_l1_size = 103712;
    window = ts_l1_window_of(&device);
    assert_int_equal(window.end, window.start);
    device = (struct ts_profiler_device){.id = 1};
    window = ts_l1_window_of(&device);
    assert_int_equal(window.end, window.start);
    device = (struct ts_profiler_device){.l1_start = INT64_MAX - 1, .l1_bank_size = INT64_MAX};
    assert_int_equal(ts_l1_window_of(&device).end, INT64_MAX);
    device = (struct ts_profiler_device){.l1_start = INT64_MIN, .l1_bank_size = INT64_MAX};
    window = ts_l1_window_of(&device);
    assert_int_equal(window.end, window.start);
    device = (struct ts_profiler_device){.l1_start = 5, .l1_bank_size = -5};
    window = ts_l1_window_of(&device);
    assert_int_equal(window.end, window.start);
}

static void test_chunks(void **state)
{
    (void)state;
    check(NULL, 0, 0, 1, 1370848);
    struct ts_l1_chunk touching[] = {{1409024, 65536}, {1376256, 32768}};
    check(touching, 2, 7.171, 1, 1272544);
    struct ts_l1_chunk overlapping[] = {{200050, 200}, {200000, 100}};
    check(overlapping, 2, 100.0 * 250 / 1370848, 2, 1474560 - 200250);
    struct ts_l1_chunk same_address[] = {{200000, 100}, {200000, 300}, {200000, 200}};
    check(same_address, 3, 100.0 * 300 / 1370848, 2, 1474560 - 200300);
    struct ts_l1_chunk inside[] = {{200000, 1000}, {200100, 10}};
    check(inside, 2, 100.0 * 1000 / 1370848, 2, 1474560 - 201000);
}

static void test_what_lies_outside_and_what_is_nothing(void **state)
{
    (void)state;
    struct ts_l1_chunk outside[] = {{1480000, 100}, {0, 100}, {300000, 0}, {300000, -5}, {-7, INT64_MAX}};
    check(outside, 4, 0, 1, 1370848);
    check(outside, 5, 100, 0, 0);
    struct ts_l1_chunk across[] = {{103700, 112}, {1474500, 1000}};
    check(across, 2, 100.0 * 160 / 1370848, 1, 1370848 - 160);
    struct ts_l1_chunk far[] = {{INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN}};
    check(far, 2, 0, 1, 1370848);
}

static void test_a_real_run(void **state)
{
    (void)state;
    const struct ts_profiler_device device = {.l1_start = 105824, .l1_bank_size = 1360544};
    struct ts_l1_chunk chunks[22];
    for (int i = 0; i < 22; i++)
        chunks[i] = (struct ts_l1_chunk){159744 + 59392 * (int64_t)i, 59392};
    struct ts_l1_pressure pressure;
    ts_l1_pressure_of(ts_l1_window_of(&device), chunks, 22, &pressure);
    assert_int_equal(pressure.largest_free_block, 53920);
    near(pressure.fullness_pct, 96.037, 0.0005);
    assert_int_equal(pressure.free_segments, 1);
}

static void test_the_tighter_device(void **state)
{
    (void)state;
    struct ts_l1_pressure a = {.device_id = 0, .fullness_pct = 50, .largest_free_block = 10}, b = a;
    b.device_id = 1;
    assert_true(ts_l1_pressure_tighter(&a, &b));
    assert_false(ts_l1_pressure_tighter(&b, &a));
    b.fullness_pct = 51;
    assert_true(ts_l1_pressure_tighter(&b, &a));
    a.largest_free_block = 9;
    assert_true(ts_l1_pressure_tighter(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_what_lies_outside_and_what_is_nothing),
        cmocka_unit_test(test_a_real_run),
        cmocka_unit_test(test_the_tighter_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
