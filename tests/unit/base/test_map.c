#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/map.h"
#include "support/interpose_malloc.c"

enum { KEYS = 20000 };
static char names[KEYS][16];

static struct ts_str key_of(size_t i)
{
    snprintf(names[i], sizeof names[i], "key %zu", i);
    return ts_str_from(names[i]);
}

static void test_insert_and_find(void **state)
{
    (void)state;
    struct ts_map map;
    ts_map_init(&map);
    assert_null(ts_map_find(&map, TS_STR("a")));
    for (size_t i = 0; i < KEYS; i++) {
        bool added = false;
        uint64_t *value = ts_map_at(&map, key_of(i), &added);
        assert_non_null(value);
        assert_true(added);
        assert_int_equal(*value, 0);
        *value = i * 3;
    }
    assert_int_equal(map.count, KEYS);
    for (size_t i = 0; i < KEYS; i++) {
        bool added = true;
        assert_int_equal(*ts_map_find(&map, key_of(i)), i * 3);
        assert_int_equal(*ts_map_at(&map, key_of(i), &added), i * 3);
        assert_false(added);
        assert_true(ts_str_equal(map.entries[i].key, key_of(i)));
    }
    assert_null(ts_map_find(&map, TS_STR("key")));
    assert_null(ts_map_find(&map, TS_STR("key 20000")));
    assert_int_equal(map.count, KEYS);
    ts_map_free(&map);
    assert_null(ts_map_find(&map, TS_STR("key 1")));
    assert_non_null(ts_map_at(&map, TS_STR("key 1"), NULL));
    ts_map_free(&map);
}

static void test_odd_keys(void **state)
{
    (void)state;
    struct ts_map map;
    ts_map_init(&map);
    *ts_map_at(&map, (struct ts_str){NULL, 0}, NULL) = 1;
    *ts_map_at(&map, TS_STR("\0"), NULL) = 2;
    *ts_map_at(&map, TS_STR("\0\0"), NULL) = 3;
    assert_int_equal(map.count, 3);
    assert_int_equal(*ts_map_find(&map, TS_STR("")), 1);
    assert_int_equal(*ts_map_find(&map, TS_STR("\0")), 2);
    assert_int_equal(*ts_map_find(&map, TS_STR("\0\0")), 3);
    ts_map_free(&map);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    bool failed = true;
    for (long good = 0; failed; good++) {
        struct ts_map map;
        size_t inserted = 0;
        ts_map_init(&map);
        interpose_fail_once(good);
        for (size_t i = 0; i < 200; i++) {
            uint64_t *value = ts_map_at(&map, ts_str_sub(TS_STR("0123456789"), i % 10, 1), NULL);
            inserted += value != NULL;
        }
        for (size_t i = 0; i < 200; i++)
            if (ts_map_at(&map, key_of(i), NULL))
                inserted++;
        failed = interpose_stop();
        assert_int_equal(inserted, failed ? 399 : 400);
        assert_int_equal(map.entries[map.count - 1].key.len, strlen("key 199"));
        for (size_t i = 0; i < map.count; i++)
            assert_ptr_equal(ts_map_find(&map, map.entries[i].key), &map.entries[i].value);
        ts_map_free(&map);
        assert_true(good < 100);
    }
}

/* Flipping any bit of a key flips each bit of its hash about half of the time, for every length. */
static void test_hash_mixes(void **state)
{
    (void)state;
    unsigned char bytes[48];
    for (size_t len = 1; len <= sizeof bytes; len++) {
        unsigned flips = 0, least = 64;
        for (size_t i = 0; i < len; i++)
            bytes[i] = (unsigned char)(i * 37 + len);
        uint64_t before = ts_hash(bytes, len, 42);
        for (size_t bit = 0; bit < len * 8; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            unsigned changed = (unsigned)__builtin_popcountll(before ^ ts_hash(bytes, len, 42));
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            flips += changed;
            least = changed < least ? changed : least;
        }
        assert_in_range(flips / (len * 8), 26, 38);
        assert_true(least >= 10);
        assert_true(before != ts_hash(bytes, len - 1, 42));
        assert_true(before != ts_hash(bytes, len, 43));
        assert_true(before == ts_hash(bytes, len, 42));
    }
}

/* Keys that differ in little fill a table's low bits as evenly as chance would. */
static void test_hash_spreads(void **state)
{
    (void)state;
    enum { SLOTS = 4096 };
    static unsigned slots[SLOTS];
    for (uint32_t i = 0; i < SLOTS * 16; i++) {
        uint32_t number = i << 8;
        slots[ts_hash(&number, sizeof number, 7) % SLOTS]++;
    }
    double chi = 0;
    for (size_t i = 0; i < SLOTS; i++)
        chi += (slots[i] - 16.0) * (slots[i] - 16.0) / 16.0;
    assert_true(chi > 3600 && chi < 4600); /* 4095 degrees of freedom: five standard deviations */
}

static void test_seeds_differ(void **state)
{
    (void)state;
    struct ts_map maps[2];
    ts_map_init(&maps[0]);
    ts_map_init(&maps[1]);
    assert_true(maps[0].seed != maps[1].seed);
    assert_true(ts_hash("a", 1, maps[0].seed) != ts_hash("a", 1, maps[1].seed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_insert_and_find), cmocka_unit_test(test_odd_keys),
        cmocka_unit_test(test_out_of_memory),   cmocka_unit_test(test_hash_mixes),
        cmocka_unit_test(test_hash_spreads),    cmocka_unit_test(test_seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
