#include "support/perf_case.h"

#include <stdlib.h>

#define COLUMNS "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],PROGRAM HASH,PROGRAM CACHE HIT\n"

static void test_counts(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "counts",
                       COLUMNS "B,tt_dnn_device,0,1,h1,False\n"
                               "A,tt_dnn_device,0,1,h2,False\n"
                               "A,tt_dnn_device,0,1,h2,True\n"
                               "A,tt_dnn_device,0,1,h1,False\n" /* the program was called under B */
                               "A,tt_dnn_device,0,1,h2, True\n"
                               "A,tt_dnn_device,0,1,nan,True\n"
                               "C,tt_dnn_device,0,1,h3,True\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "program_cache", NULL);
    perf_expect(answer, "/calls", "6");
    perf_expect(answer, "/programs", "3");
    perf_expect(answer, "/repeat_calls", "3");
    perf_expect(answer, "/repeat_hits", "1");
    perf_expect(answer, "/repeat_misses", "1");
    perf_expect(answer, "/repeat_unrecorded", "1");
    perf_expect(answer, "/repeat_hit_percent", "50");
    perf_expect(
        answer, "/op_codes/0",
        "{\"op_code\":\"A\",\"calls\":4,\"programs\":1,\"repeat_calls\":3,\"repeat_hits\":1,\"repeat_misses\":1,"
        "\"repeat_unrecorded\":1,\"first_repeat_miss_perf_id\":\"5\",\"first_repeat_miss_operation_id\":null}");
    perf_expect(answer, "/op_codes/1/op_code", "\"B\"");
    perf_expect(answer, "/op_codes/1/first_repeat_miss_perf_id", "null");
    perf_expect_part(answer, "/caveat", "1 of 3 repeat calls recorded no result");
    assert_false(perf_has(answer, "/always_new"));
    yyjson_doc_free(answer);
}

static void test_op_codes_that_never_call_a_program_twice(void **state)
{
    (void)state;
    perf_bench_capture(&bench, "new",
                       COLUMNS "P,tt_dnn_device,0,1,p1,False\n"
                               "P,tt_dnn_device,0,1,p2,False\n"
                               "R,tt_dnn_device,0,1,r1,False\n"
                               "R,tt_dnn_device,0,1,r2,False\n"
                               "R,tt_dnn_device,0,1,r3,False\n"
                               "Q,tt_dnn_device,0,1,q1,False\n"
                               "Q,tt_dnn_device,0,1,q2,False\n"
                               "Once,tt_dnn_device,0,1,o,False\n"
                               "Twice,tt_dnn_device,0,1,t,False\n"
                               "Twice,tt_dnn_device,0,1,t,True\n");
    yyjson_doc *answer = perf_bench_ask(&bench, "program_cache", NULL);
    perf_expect(answer, "/always_new/op_code_count", "3");
    perf_expect(answer, "/always_new/op_codes",
                "[{\"op_code\":\"R\",\"calls\":3},{\"op_code\":\"P\",\"calls\":2},{\"op_code\":\"Q\",\"calls\":2}]");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(&bench, "program_cache", "{\"limit\":1}");
    perf_expect(answer, "/always_new/op_code_count", "3");
    perf_expect(answer, "/always_new/op_codes", "[{\"op_code\":\"R\",\"calls\":3}]");
    perf_expect(answer, "/returned", "1");
    perf_expect(answer, "/op_code_count", "5");
    perf_expect(answer, "/op_codes/0/op_code", "\"Twice\"");
    yyjson_doc_free(answer);
}

static void expect_caveat(const char *csv, const char *what, const char *percent)
{
    struct perf_bench own;
    perf_bench_make(&own);
    perf_bench_capture(&own, "caveat", csv);
    yyjson_doc *answer = perf_bench_ask(&own, "program_cache", NULL);
    if (!strstr(perf_text(answer, "/caveat"), what))
        fail_msg("\"%s\" lacks \"%s\"", perf_text(answer, "/caveat"), what);
    perf_expect(answer, "/repeat_hit_percent", percent);
    yyjson_doc_free(answer);
    perf_bench_free(&own);
}

static void test_caveats(void **state)
{
    (void)state;
    expect_caveat("OP CODE,OP TYPE,DEVICE ID\nA,tt_dnn_device,0\n",
                  "nothing to count: the CSV has no column PROGRAM HASH.", "null");
    expect_caveat(COLUMNS "A,tt_dnn_device,0,1,,\n", "the column PROGRAM HASH is blank.", "null");
    expect_caveat(COLUMNS "S,signpost,,,,\n", "the report has no device operations.", "null");
    expect_caveat(COLUMNS "A,tt_dnn_device,0,1,h,False\nA,tt_dnn_device,0,1,h,False\n", "disabled", "0");
    expect_caveat(COLUMNS "A,tt_dnn_device,0,1,h,\nA,tt_dnn_device,0,1,h,\n", "so there is no percentage", "null");
    expect_caveat(COLUMNS "A,tt_dnn_device,0,1,h,\nA,tt_dnn_device,0,1,h,\nA,tt_dnn_device,0,1,h,False\n",
                  "and the percentage is out of the rest; the web view counts them as misses. Every repeat call", "0");
    expect_caveat("OP CODE,OP TYPE,DEVICE ID,PROGRAM HASH\nA,tt_dnn_device,0,h\nA,tt_dnn_device,0,h\n",
                  "1 of 1 repeat calls recorded no result", "null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERF_CASE(test_counts),
        PERF_CASE(test_op_codes_that_never_call_a_program_twice),
        cmocka_unit_test(test_caveats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
