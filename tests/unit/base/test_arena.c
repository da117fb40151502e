#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "support/interpose_malloc.c"

/* Sizes from nothing to larger than a chunk, in no order. */
static size_t size_of(size_t i)
{
    return i % 50 == 49 ? 3000 * i : i * 7919 % 301;
}

static void test_blocks_stay_apart(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    unsigned char **blocks = calloc(COUNT, sizeof *blocks);
    struct ts_arena arena;
    ts_arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = ts_arena_alloc(&arena, size_of(i));
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        memset(blocks[i], (int)(i % 251), size_of(i));
        assert_int_equal(ts_arena_copy(&arena, TS_STR("odd")).len, 3); /* the next one must be aligned all the same */
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < size_of(i); k++)
            if (blocks[i][k] != i % 251)
                fail_msg("block %zu was overwritten at %zu", i, k);
    ts_arena_free(&arena);
    assert_int_equal(arena.reserved, 0);
    assert_null(arena.chunks);
    assert_non_null(ts_arena_alloc(&arena, 10));
    ts_arena_free(&arena);
    free(blocks);
}

static void test_calloc_clears(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 100, 4000, 5000, 3000000};
    struct ts_arena arena;
    ts_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int again = 0; again < 2; again++) {
            unsigned char *bytes = ts_arena_calloc(&arena, sizes[i], 1);
            assert_non_null(bytes);
            for (size_t k = 0; k < sizes[i]; k++)
                assert_true(bytes[k] == 0);
            memset(bytes, 0xAA, sizes[i]);
        }
    }
    uint64_t *array = TS_ARENA_ARRAY(&arena, uint64_t, 3);
    assert_int_equal(array[0] + array[1] + array[2], 0);
    ts_arena_free(&arena);
}

static void test_small_ones_share_memory(void **state)
{
    (void)state;
    struct ts_arena arena;
    ts_arena_init(&arena, 0);
    for (int i = 0; i < 100000; i++)
        assert_non_null(ts_arena_alloc(&arena, 16));
    assert_in_range(arena.reserved, 1600000, 3300000);
    size_t reserved = arena.reserved;
    char *next = arena.next;
    assert_non_null(ts_arena_alloc(&arena, 10000000)); /* must not throw the newest chunk's room away */
    assert_ptr_equal(arena.next, next);
    assert_in_range(arena.reserved - reserved, 10000000, 10000100);
    ts_arena_free(&arena);
}

static void test_sizes_that_cannot_be(void **state)
{
    (void)state;
    struct ts_arena arena;
    ts_arena_init(&arena, 0);
    assert_null(ts_arena_alloc(&arena, SIZE_MAX));
    assert_null(ts_arena_alloc(&arena, (size_t)PTRDIFF_MAX));
    assert_null(ts_arena_calloc(&arena, SIZE_MAX / 8, 16));
    assert_null(ts_arena_copy(&arena, (struct ts_str){"", SIZE_MAX}).ptr);
    assert_int_equal(ts_arena_error(&arena, NULL), TS_NO_MEMORY);
    assert_int_equal(arena.reserved, 0);
    ts_arena_free(&arena);
}

static void test_limit(void **state)
{
    (void)state;
    struct ts_error error;
    struct ts_arena arena;
    ts_arena_init(&arena, 100000);
    size_t given = 0;
    while (ts_arena_alloc(&arena, 64))
        given += 64;
    assert_in_range(given, 95000, 100000);
    assert_true(arena.reserved <= 100000);
    assert_true(arena.over_limit);
    assert_int_equal(ts_arena_error(&arena, &error), TS_LIMIT);
    assert_non_null(strstr(error.message, "100000 bytes"));
    ts_arena_free(&arena);
    assert_false(arena.over_limit);
    assert_null(ts_arena_alloc(&arena, 100000));
    assert_non_null(ts_arena_alloc(&arena, 99000));
    assert_non_null(ts_arena_alloc(&arena, 500));
    assert_null(ts_arena_calloc(&arena, 1, 500));
    ts_arena_free(&arena);
}

static void test_texts(void **state)
{
    (void)state;
    struct ts_arena arena;
    ts_arena_init(&arena, 0);
    struct ts_str nothing = ts_arena_copy(&arena, (struct ts_str){NULL, 0});
    assert_int_equal(nothing.len, 0);
    assert_string_equal(nothing.ptr, "");
    struct ts_str copy = ts_arena_copy(&arena, ts_str_sub(TS_STR("abcdef"), 1, 3));
    assert_true(ts_str_is(copy, "bcd"));
    assert_int_equal(copy.ptr[3], '\0');
    assert_true(ts_str_equal(ts_arena_copy(&arena, TS_STR("a\0b")), TS_STR("a\0b")));
    assert_string_equal(ts_arena_strdup(&arena, TS_STR("xyz")), "xyz");
    struct ts_str number = ts_arena_printf(&arena, "%d %s", 42, "rows");
    assert_int_equal(number.len, 7);
    assert_string_equal(number.ptr, "42 rows");
    assert_int_equal(ts_arena_printf(&arena, "%9000d", 1).len, 9000);
    assert_string_equal(copy.ptr, "bcd");
    ts_arena_free(&arena);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct ts_error error;
    struct ts_arena arena;
    ts_arena_init(&arena, 0);
    interpose_fail_from(0);
    void *alloc = ts_arena_alloc(&arena, 1), *array = ts_arena_calloc(&arena, 2, 5000);
    char *text = ts_arena_strdup(&arena, TS_STR("a"));
    struct ts_str copy = ts_arena_copy(&arena, TS_STR("a")), printed = ts_arena_printf(&arena, "%d", 1);
    assert_true(interpose_stop());
    assert_null(alloc);
    assert_null(array);
    assert_null(text);
    assert_null(copy.ptr);
    assert_null(printed.ptr);
    assert_int_equal(copy.len + printed.len, 0);
    assert_int_equal(ts_arena_error(&arena, &error), TS_NO_MEMORY);
    assert_int_equal(error.code, TS_NO_MEMORY);
    assert_non_null(ts_arena_alloc(&arena, 1));
    ts_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_stay_apart),
        cmocka_unit_test(test_calloc_clears),
        cmocka_unit_test(test_small_ones_share_memory),
        cmocka_unit_test(test_sizes_that_cannot_be),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
