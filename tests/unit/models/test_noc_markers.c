/* A lane's markers come out by time and id, the first on the wire of equal ones, whatever order they went in. */
#include "models/noc_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

/* Of an item: its time, from its place among count. */
typedef uint64_t (*shape)(size_t at, size_t count);

static uint64_t rising(size_t at, size_t count)
{
    (void)count;
    return at / 3;
}

static uint64_t falling(size_t at, size_t count)
{
    return (count - at) / 2;
}

/* Two halves that mix, as of a buffer that was written over. */
static uint64_t two_halves(size_t at, size_t count)
{
    return at < count / 2 ? 2 * at : 2 * (at - count / 2) + at % 2;
}

/* The second half lies before the first. */
static uint64_t exchanged(size_t at, size_t count)
{
    return (at + count / 2) % count;
}

static uint64_t scattered(size_t at, size_t count)
{
    return at * 2654435761u % (count + 1) / 4;
}

static uint64_t all_alike(size_t at, size_t count)
{
    (void)at;
    (void)count;
    return 7;
}

static uint64_t one_late(size_t at, size_t count)
{
    return at == 0 ? count + 5 : at;
}

static int compare(const void *a, const void *b)
{
    const struct ts_noc_marker *x = a, *y = b;
    uint64_t p = x->key >> 3, q = y->key >> 3;
    return p != q ? (p < q ? -1 : 1) : x->data < y->data ? -1 : x->data > y->data;
}

static void check(shape time, size_t count)
{
    struct ts_noc_markers markers = {0};
    struct ts_noc_marker *expected = calloc(count + 1, sizeof *expected);
    assert_non_null(expected);
    ts_noc_markers_clear(&markers);
    for (size_t i = 0; i < count; i++) {
        expected[i] = (struct ts_noc_marker){TS_NOC_KEY(time(i, count), 0, 12345 + i % 2, i % 4), i};
        assert_int_equal(ts_noc_markers_add(&markers, expected[i].key, i, false, NULL), TS_OK);
    }
    qsort(expected, count, sizeof *expected, compare);
    assert_int_equal(ts_noc_markers_sort(&markers, NULL), TS_OK);
    uint64_t doubles = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && TS_NOC_KEY_SAME(expected[i].key, expected[i - 1].key)) {
            doubles++;
            continue;
        }
        const struct ts_noc_marker *next = ts_noc_markers_next(&markers);
        assert_non_null(next);
        assert_int_equal(next->key, expected[i].key);
        assert_int_equal(next->data, expected[i].data);
    }
    assert_null(ts_noc_markers_next(&markers));
    assert_int_equal(markers.duplicates, doubles);
    ts_noc_markers_free(&markers);
    free(expected);
}

static void test_order(void **state)
{
    static const shape shapes[] = {rising, falling, two_halves, exchanged, scattered, all_alike, one_late};
    /* The last is past four times what is kept beside the items. */
    static const size_t counts[] = {0, 1, 2, 3, 7, 100, 1000, 65537, 200001};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
            check(shapes[i], counts[k]);
}

/* Guaranteed markers stand among the others by time, those that images repeat once. */
static void test_guards(void **state)
{
    struct ts_noc_markers markers = {0};
    static const uint64_t times[] = {10, 20, 30, 40};
    (void)state;
    ts_noc_markers_clear(&markers);
    for (int image = 0; image < 3; image++) {
        assert_int_equal(ts_noc_markers_add(&markers, TS_NOC_KEY(10, 0, 1, 0), 0, true, NULL), TS_OK);
        assert_int_equal(ts_noc_markers_add(&markers, TS_NOC_KEY(40, 0, 1, 1), 0, true, NULL), TS_OK);
    }
    assert_int_equal(ts_noc_markers_add(&markers, TS_NOC_KEY(30, 0, 2, 3), 0, false, NULL), TS_OK);
    assert_int_equal(ts_noc_markers_add(&markers, TS_NOC_KEY(20, 0, 2, 3), 0, false, NULL), TS_OK);
    assert_int_equal(ts_noc_markers_sort(&markers, NULL), TS_OK);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        const struct ts_noc_marker *next = ts_noc_markers_next(&markers);
        assert_non_null(next);
        assert_int_equal(TS_NOC_KEY_TIME(next->key), times[i]);
    }
    assert_null(ts_noc_markers_next(&markers));
    assert_int_equal(markers.duplicates, 4);
    ts_noc_markers_free(&markers);
}

/* Of events at one time the first stays; only those that say something else are told apart from it. */
static void test_clashes(void **state)
{
    struct ts_noc_markers markers = {0};
    static const uint64_t data[] = {5, 6, 5, 7};
    (void)state;
    ts_noc_markers_clear(&markers);
    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++)
        assert_int_equal(ts_noc_markers_add(&markers, TS_NOC_KEY(10, 0, 2, 3), data[i], false, NULL), TS_OK);
    const struct ts_noc_marker *next = ts_noc_markers_next(&markers);
    assert_non_null(next);
    assert_int_equal(next->data, 5);
    assert_null(ts_noc_markers_next(&markers));
    assert_int_equal(markers.duplicates, 3);
    assert_int_equal(markers.clashes, 2);
    ts_noc_markers_free(&markers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_guards),
                                       cmocka_unit_test(test_clashes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
