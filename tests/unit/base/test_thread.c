#include "base/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 1000 };

struct job {
    atomic_int runs[COUNT];
    atomic_int started;
    pthread_t caller;
    atomic_int elsewhere; /* runs on other threads than the caller's */
    size_t fail_from;     /* this index and all behind it fail */
    size_t slow;          /* this index takes a while */
    struct ts_context *cancel;
    size_t cancel_at;
    atomic_int unmasked; /* other threads that let signals in */
};

static void prepare(struct job *job, struct ts_context *context, unsigned threads)
{
    *job = (struct job){.caller = pthread_self(), .fail_from = SIZE_MAX, .slow = SIZE_MAX};
    ts_context_init(context);
    context->threads = threads;
}

static enum ts_status run(void *data, size_t index, struct ts_error *error)
{
    struct job *job = data;
    atomic_fetch_add(&job->runs[index], 1);
    atomic_fetch_add(&job->started, 1);
    if (!pthread_equal(pthread_self(), job->caller)) {
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        atomic_fetch_add(&job->unmasked, !sigismember(&mask, SIGINT) || !sigismember(&mask, SIGTERM));
        atomic_fetch_add(&job->elsewhere, 1);
    }
    if (job->cancel && index == job->cancel_at)
        atomic_store(&job->cancel->cancelled, true);
    if (index == job->slow)
        usleep(20000);
    if (index >= job->fail_from)
        return ts_error_set(error, TS_INPUT, "index %zu failed", index);
    return TS_OK;
}

static void every_index_runs_once_whatever_the_threads(void **state)
{
    (void)state;
    static const unsigned threads[] = {0, 1, 2, 3, 8, 5000};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct job job;
        struct ts_context context;
        struct ts_error error;
        prepare(&job, &context, threads[t]);
        assert_int_equal(ts_parallel(&context, COUNT, run, &job, &error), TS_OK);
        for (size_t i = 0; i < COUNT; i++)
            assert_int_equal(job.runs[i], 1);
    }
}

static void one_thread_or_one_index_makes_no_thread(void **state)
{
    (void)state;
    struct job job;
    struct ts_context context;
    struct ts_error error;
    prepare(&job, &context, 1);
    assert_int_equal(ts_parallel(&context, COUNT, run, &job, &error), TS_OK);
    assert_int_equal(job.elsewhere, 0);
    prepare(&job, &context, 8);
    assert_int_equal(ts_parallel(&context, 1, run, &job, &error), TS_OK);
    assert_int_equal(ts_parallel(&context, 0, run, &job, &error), TS_OK);
    assert_int_equal(job.elsewhere, 0);
    assert_int_equal(job.started, 1);
}

static enum ts_status wait_for_all(void *data, size_t index, struct ts_error *error)
{
    (void)index, (void)error;
    int result = pthread_barrier_wait(data);
    return result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD ? TS_OK : TS_INTERNAL;
}

static void as_many_indices_run_at_once_as_there_are_threads(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_error error;
    pthread_barrier_t barrier;
    ts_context_init(&context);
    context.threads = 4;
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 4), 0);
    alarm(20); /* with fewer than 4 at once nobody gets past the barrier */
    assert_int_equal(ts_parallel(&context, 8, wait_for_all, &barrier, &error), TS_OK);
    alarm(0);
    pthread_barrier_destroy(&barrier);
}

static void the_lowest_failure_is_returned_and_little_else_started(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct job job;
        struct ts_context context;
        struct ts_error error = {0};
        prepare(&job, &context, threads);
        job.fail_from = 10;
        job.slow = 10; /* the lowest failure comes last */
        assert_int_equal(ts_parallel(&context, COUNT, run, &job, &error), TS_INPUT);
        assert_string_equal(error.message, "index 10 failed");
        assert_true(job.started <= 10 + (int)threads);
        assert_int_equal(ts_parallel(&context, COUNT, run, &job, NULL), TS_INPUT);
    }
}

static void cancellation_stops_what_is_not_started(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct job job;
        struct ts_context context;
        struct ts_error error = {0};
        prepare(&job, &context, threads);
        job.cancel = &context;
        job.cancel_at = 5;
        assert_int_equal(ts_parallel(&context, COUNT, run, &job, &error), TS_CANCELLED);
        assert_true(job.started < COUNT);
    }
}

static void signals_stay_with_the_caller(void **state)
{
    (void)state;
    struct job job;
    struct ts_context context;
    struct ts_error error;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    for (int tries = 0; tries < 100; tries++) {
        prepare(&job, &context, 4);
        job.slow = 0;
        assert_int_equal(ts_parallel(&context, COUNT, run, &job, &error), TS_OK);
        assert_int_equal(job.unmasked, 0);
        if (job.elsewhere > 0)
            break;
    }
    assert_true(job.elsewhere > 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
    assert_int_equal(sigismember(&after, SIGTERM), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_runs_once_whatever_the_threads),
        cmocka_unit_test(one_thread_or_one_index_makes_no_thread),
        cmocka_unit_test(as_many_indices_run_at_once_as_there_are_threads),
        cmocka_unit_test(the_lowest_failure_is_returned_and_little_else_started),
        cmocka_unit_test(cancellation_stops_what_is_not_started),
        cmocka_unit_test(signals_stay_with_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
