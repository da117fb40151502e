/* Cases of a test that asks after failed allocations. Include it first, like perf_case.h. */
#ifndef TS_TESTS_FAILURE_CASE_H
#define TS_TESTS_FAILURE_CASE_H

#include "support/operation_case.h"

/* Statements that make the tables which operation_database_plain and _ranked leave out; rank is "" or ", rank int". */
#define ERRORS(rank)                                                                                                   \
    "CREATE TABLE errors(operation_id int, operation_name text, error_type text, error_message text, timestamp "       \
    "text" rank ");"
#define ARGUMENTS(rank) "CREATE TABLE operation_arguments(operation_id int, name text, value text" rank ");"

/* Messages, as SQL texts. */
#define L1_FAILURE                                                                                                     \
    "'Out of Memory: Not enough space to allocate 800 B L1 buffer across 8 banks, where each bank needs to store 100 " \
    "B, but bank size is 1000 B (allocated: 50 B, free: 40 B, largest free block: 30 B)'"
#define CLASH                                                                                                          \
    "'Statically allocated dataflow buffers in program 3 clash with L1 buffers on core range [0-0 - 1-1]. L1 buffer "  \
    "allocated at 100 and static dataflow buffer region ends at 150'"

static inline int failure_case_begin(void **state)
{
    operation_case_begin(state);
    operation_database_run(db, ERRORS("") ARGUMENTS(""));
    return 0;
}

#define FAILURE_CASE(test) cmocka_unit_test_setup_teardown(test, failure_case_begin, operation_case_end)

#endif
