/* Cases of a test that asks questions, each with a bench of its own. Include it first: it holds what cmocka wants before it. */
#ifndef TS_TESTS_PERF_CASE_H
#define TS_TESTS_PERF_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/perf_capture.h"

/* The bench of the case that runs. */
static struct perf_bench bench;

static inline int perf_case_begin(void **state)
{
    (void)state;
    perf_bench_make(&bench);
    return 0;
}

static inline int perf_case_end(void **state)
{
    (void)state;
    perf_bench_free(&bench);
    return 0;
}

#define PERF_CASE(test) cmocka_unit_test_setup_teardown(test, perf_case_begin, perf_case_end)

#endif
