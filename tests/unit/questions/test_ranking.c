#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "questions/ranking.h"

static const unsigned *values;

/* Large before small, ties by number: a strict order, and no two items are equal in it. */
static bool before(const void *data, uint32_t a, uint32_t b)
{
    const unsigned *of = data;
    return of[a] != of[b] ? of[a] > of[b] : a < b;
}

static int by_order(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return before(values, left, right) ? -1 : before(values, right, left);
}

static void expect_first(uint32_t count, int64_t limit, unsigned range, unsigned *seed)
{
    unsigned items[500] = {0};
    uint32_t sorted[500];
    for (uint32_t i = 0; i < count; i++) {
        *seed = *seed * 1103515245u + 12345u;
        items[i] = (*seed >> 16) % range;
        sorted[i] = i;
    }
    struct ts_ranking ranking;
    ts_ranking_init(&ranking, before, items, limit);
    for (uint32_t i = 0; i < count; i++)
        ts_ranking_add(&ranking, i);
    ts_ranking_finish(&ranking);
    values = items;
    qsort(sorted, count, sizeof *sorted, by_order);
    uint32_t expected = limit < 0 ? 0 : limit > TS_RANKING_MAX ? TS_RANKING_MAX : (uint32_t)limit;
    assert_int_equal(ranking.count, expected < count ? expected : count);
    for (uint32_t i = 0; i < ranking.count; i++)
        assert_int_equal(ranking.items[i], sorted[i]);
}

static void test_the_same_as_sorting(void **state)
{
    (void)state;
    static const int64_t limits[] = {-1, 0, 1, 2, 3, 10, 25, 100, TS_RANKING_MAX, 1000};
    static const uint32_t counts[] = {0, 1, 2, 3, 9, 10, 11, 100, 101, 500};
    unsigned seed = 1;
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (unsigned range = 1; range <= 1000; range *= 10)
                expect_first(counts[c], limits[l], range, &seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_same_as_sorting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
