/* Cases of a test that asks of a profiler database, which each of them fills for itself. Include it first, like perf_case.h. */
#ifndef TS_TESTS_OPERATION_CASE_H
#define TS_TESTS_OPERATION_CASE_H

#include "support/perf_case.h"

#include <stdio.h>

#include "support/operation_database.h"

/* The open database of the case that runs, "prof" of its bench. */
static sqlite3 *db;

static inline int operation_case_begin_with(void **state, const char *tables)
{
    perf_case_begin(state);
    db = operation_database_make(&bench, "prof", tables);
    operation_database_run(db, "PRAGMA synchronous = OFF");
    return 0;
}

static inline int operation_case_begin(void **state)
{
    return operation_case_begin_with(state, operation_database_plain);
}

static inline int operation_case_begin_ranked(void **state)
{
    return operation_case_begin_with(state, operation_database_ranked);
}

static inline int operation_case_end(void **state)
{
    sqlite3_close(db);
    return perf_case_end(state);
}

#define OPERATION_CASE(test) cmocka_unit_test_setup_teardown(test, operation_case_begin, operation_case_end)
#define RANKED_CASE(test) cmocka_unit_test_setup_teardown(test, operation_case_begin_ranked, operation_case_end)

/* Ask of the database; the first to do so opens it as a capture. The answer is the caller's. */
static inline yyjson_doc *ask(const char *question, const char *arguments)
{
    if (bench.count == 0)
        perf_bench_open_pair(&bench, "prof", NULL);
    return perf_bench_ask(&bench, question, arguments);
}

static inline yyjson_doc *detail(int operation)
{
    char arguments[64];
    snprintf(arguments, sizeof arguments, "{\"operation_id\":%d}", operation);
    return ask("operation_detail", arguments);
}

static inline void expect_caveat(yyjson_doc *answer, const char *part)
{
    perf_expect_part(answer, "/caveat", part);
}

#endif
