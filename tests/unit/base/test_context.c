#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/context.h"

static uint64_t now;

static uint64_t tell_time(void)
{
    return now;
}

struct heard {
    int calls;
    uint64_t done, total;
    const char *message;
};

static void listen(void *data, uint64_t done, uint64_t total, const char *message)
{
    struct heard *heard = data;
    *heard = (struct heard){heard->calls + 1, done, total, message};
}

static void test_defaults(void **state)
{
    (void)state;
    struct ts_context context;
    memset(&context, 0xFF, sizeof context);
    ts_context_init(&context);
    assert_int_equal(context.threads, 1);
    assert_int_equal(context.memory_limit, 0);
    assert_null(context.roots);
    assert_int_equal(ts_context_check(&context, NULL), TS_OK);
    assert_int_equal(ts_context_progress(&context, 1, 2, "reading", NULL), TS_OK);
}

static void test_cancelled(void **state)
{
    (void)state;
    struct ts_error error;
    struct ts_context context;
    struct heard heard = {0};
    ts_context_init(&context);
    context.now_ns = tell_time;
    context.progress = listen;
    context.progress_data = &heard;
    atomic_store(&context.cancelled, true);
    assert_int_equal(ts_context_check(&context, &error), TS_CANCELLED);
    assert_int_equal(error.code, TS_CANCELLED);
    assert_int_equal(ts_context_progress(&context, 1, 2, "reading", &error), TS_CANCELLED);
    assert_int_equal(heard.calls, 0);
    context.deadline_ns = 1; /* who asked to stop is told so, whatever the time */
    now = 5;
    assert_int_equal(ts_context_check(&context, NULL), TS_CANCELLED);
}

static void test_deadline(void **state)
{
    (void)state;
    struct ts_error error;
    struct ts_context context;
    ts_context_init(&context);
    context.deadline_ns = 100;
    assert_int_equal(ts_context_check(&context, &error), TS_OK); /* without a clock there is none */
    context.now_ns = tell_time;
    now = 99;
    assert_int_equal(ts_context_check(&context, &error), TS_OK);
    now = 100;
    assert_int_equal(ts_context_check(&context, &error), TS_LIMIT);
    assert_non_null(strstr(error.message, "time limit"));
    assert_int_equal(ts_context_progress(&context, 1, 2, "reading", &error), TS_LIMIT);
}

static void test_progress_is_told_when_due(void **state)
{
    (void)state;
    struct ts_context context;
    struct heard heard = {0};
    ts_context_init(&context);
    context.now_ns = tell_time;
    context.progress = listen;
    context.progress_data = &heard;
    context.progress_from_ns = 1000;
    context.progress_every_ns = 100;
    static const struct {
        uint64_t now;
        int calls;
    } steps[] = {{999, 0}, {1000, 1}, {1099, 1}, {1100, 2}, {1550, 3}, {1600, 3}, {1650, 4}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        now = steps[i].now;
        assert_int_equal(ts_context_progress(&context, i, 10, "reading", NULL), TS_OK);
        assert_int_equal(heard.calls, steps[i].calls);
    }
    assert_int_equal(heard.done, 6);
    assert_int_equal(heard.total, 10);
    assert_string_equal(heard.message, "reading");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_progress_is_told_when_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
