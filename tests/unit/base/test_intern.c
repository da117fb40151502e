#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/intern.h"
#include "support/interpose_malloc.c"

static struct ts_str name_of(char *out, size_t size, uint32_t i)
{
    return (struct ts_str){out, (size_t)snprintf(out, size, "%u", i)};
}

static void test_equal_texts_have_one_id(void **state)
{
    (void)state;
    enum { COUNT = 50000 };
    char text[16];
    struct ts_arena arena;
    struct ts_intern intern;
    ts_arena_init(&arena, 0);
    assert_int_equal(ts_intern_init(&intern, &arena, NULL), TS_OK);
    assert_int_equal(ts_intern_add(&intern, (struct ts_str){NULL, 0}), 0);
    assert_int_equal(ts_intern_text(&intern, 0).len, 0);
    for (int again = 0; again < 2; again++)
        for (uint32_t i = 1; i <= COUNT; i++)
            assert_int_equal(ts_intern_add(&intern, name_of(text, sizeof text, i)), i);
    assert_int_equal(intern.count, COUNT + 1);
    for (uint32_t i = 1; i <= COUNT; i++)
        assert_true(ts_str_equal(ts_intern_text(&intern, i), name_of(text, sizeof text, i)));
    ts_intern_free(&intern);
    ts_arena_free(&arena);
}

static void test_sealing(void **state)
{
    (void)state;
    char text[16];
    struct ts_arena arena;
    struct ts_intern intern;
    ts_arena_init(&arena, 0);
    assert_int_equal(ts_intern_init(&intern, &arena, NULL), TS_OK);
    for (uint32_t i = 1; i < 1000; i++)
        ts_intern_add(&intern, name_of(text, sizeof text, i));
    ts_intern_seal(&intern);
    assert_null(intern.slots);
    assert_true(ts_str_is(ts_intern_text(&intern, 999), "999"));
    assert_int_equal(ts_intern_add(&intern, TS_STR("500")), 500);
    assert_int_equal(ts_intern_add(&intern, TS_STR("new")), 1000);
    assert_int_equal(ts_intern_add(&intern, TS_STR("")), 0);
    ts_intern_seal(&intern);
    ts_intern_free(&intern);
    ts_arena_free(&arena);
}

static void test_limit_of_the_arena(void **state)
{
    (void)state;
    char text[16];
    struct ts_error error;
    struct ts_arena arena;
    struct ts_intern intern;
    ts_arena_init(&arena, 10000);
    assert_int_equal(ts_intern_init(&intern, &arena, NULL), TS_OK);
    uint32_t added = 1;
    while (ts_intern_add(&intern, name_of(text, sizeof text, added)) == added)
        added++;
    assert_in_range(added, 1000, 10000);
    assert_int_equal(ts_intern_add(&intern, TS_STR("another text that is new")), UINT32_MAX);
    assert_int_equal(ts_arena_error(&arena, &error), TS_LIMIT);
    assert_int_equal(ts_intern_add(&intern, TS_STR("17")), 17);
    ts_intern_free(&intern);
    ts_arena_free(&arena);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    bool failed = true;
    for (long good = 0; failed; good++) {
        char text[16];
        struct ts_error error;
        struct ts_arena arena;
        struct ts_intern intern;
        uint32_t missing = 0;
        ts_arena_init(&arena, 0);
        interpose_fail_once(good);
        enum ts_status status = ts_intern_init(&intern, &arena, &error);
        for (uint32_t i = 1; i < 500 && status == TS_OK; i++)
            missing += ts_intern_add(&intern, name_of(text, sizeof text, i)) == UINT32_MAX;
        failed = interpose_stop();
        assert_true(good < 100);
        if (status != TS_OK) {
            assert_int_equal(status, TS_NO_MEMORY);
            assert_int_equal(error.code, TS_NO_MEMORY);
            assert_null(intern.texts);
        } else {
            assert_int_equal(missing, failed ? 1 : 0);
            assert_int_equal(intern.count, 500 - missing);
            for (uint32_t id = 0; id < intern.count; id++)
                assert_int_equal(ts_intern_add(&intern, ts_intern_text(&intern, id)), id);
        }
        ts_intern_free(&intern);
        ts_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_texts_have_one_id),
        cmocka_unit_test(test_sealing),
        cmocka_unit_test(test_limit_of_the_arena),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
