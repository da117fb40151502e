#include "models/cache_reuse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "support/interpose_malloc.c"
#include "support/perf_table.h"

#define HEADER "OP CODE,OP TYPE,DEVICE ID,PROGRAM HASH,PROGRAM CACHE HIT\n"
#define OP(code, hash, hit) code ",tt_dnn_device,0," hash "," hit "\n"

static struct ts_cache_reuse *model_of(const struct ts_perf_report *report)
{
    struct ts_context context;
    struct ts_cache_reuse *model = NULL;
    struct ts_error error;
    ts_context_init(&context);
    assert_int_equal(ts_cache_reuse_create(&context, report, &model, &error), TS_OK);
    return model;
}

/* "CODE calls/programs repeat_calls=hits+misses+unrecorded @first miss" */
static const char *groups(const struct ts_cache_reuse *model)
{
    static char text[2048];
    size_t len = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < model->count; i++) {
        const struct ts_cache_group *group = &model->groups[i];
        const struct ts_cache_counts *counts = &group->counts;
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s %u/%u %u=%u+%u+%u", i > 0 ? "|" : "",
                                TS_STR_ARG(group->op_code), counts->calls, counts->programs, counts->repeat_calls,
                                counts->repeat_hits, counts->repeat_misses, counts->repeat_unrecorded);
        if (group->first_repeat_miss != UINT32_MAX)
            len += (size_t)snprintf(text + len, sizeof text - len, " @%u", group->first_repeat_miss);
    }
    return text;
}

static void check_groups(const char *csv, const char *expected)
{
    struct ts_perf_report *report = perf_table_report_of(csv, NULL);
    struct ts_cache_reuse *model = model_of(report);
    assert_string_equal(groups(model), expected);
    ts_cache_reuse_destroy(model);
    ts_perf_report_destroy(report);
}

static void test_first_calls_and_repeats(void **state)
{
    (void)state;
    struct ts_perf_report *report =
        perf_table_report_of(HEADER OP("A", "1", "False") OP("A", "1", "False") OP("B", "2", "False")
                                 OP("A", "1", "True") OP("B", "2", "") OP("B", "2", " True") OP("C", "1", "True"),
                             NULL);
    struct ts_cache_reuse *model = model_of(report);
    static const uint8_t missed[] = {0, 1, 0, 0, 0, 0, 0};
    assert_string_equal(groups(model), "A 3/1 2=1+1+0 @1|B 3/1 2=0+0+2|C 1/0 1=1+0+0");
    assert_int_equal(model->totals.calls, 7);
    assert_int_equal(model->totals.programs, 2);
    assert_int_equal(model->totals.repeat_calls, 5);
    assert_int_equal(model->totals.repeat_hits, 2);
    assert_int_equal(model->totals.repeat_misses, 1);
    assert_int_equal(model->totals.repeat_unrecorded, 2);
    assert_memory_equal(model->repeat_miss, missed, sizeof missed);
    assert_false(ts_cache_reuse_all_missed(model));
    assert_true(model->part.size > sizeof *model);
    ts_cache_reuse_destroy(model);
    ts_perf_report_destroy(report);
}

static void test_rows_without_a_hash(void **state)
{
    (void)state;
    check_groups(HEADER OP("A", "", "False") OP("A", "nan", "False") OP("A", "NaN", "False") OP("A", "None", "False")
                     OP("A", "  ", "False") OP("A", " nan ", "False") OP("A", "NA", "True"),
                 "A 1/1 0=0+0+0");
}

static void test_hashes_are_compared_exactly(void **state)
{
    (void)state;
    check_groups(HEADER OP("A", "1", "") OP("A", " 1", "") OP("A", "1.0", "") OP("A", "01", ""), "A 4/4 0=0+0+0");
}

static void test_codes_are_trimmed_and_raw(void **state)
{
    (void)state;
    check_groups(HEADER OP(" A", "1", "") OP("A ", "2", "") OP("A", "3", "") OP("a", "4", "") OP("A 64", "5", ""),
                 "A 3/3 0=0+0+0|A 64 1/1 0=0+0+0|a 1/1 0=0+0+0");
}

static void test_order_of_groups(void **state)
{
    (void)state;
    check_groups(HEADER OP("B", "1", "") OP("B", "1", "True") OP("A", "2", "") OP("A", "2", "True") OP("D", "3", "")
                     OP("D", "3", "False") OP("C", "4", "") OP("C", "4", "True") OP("C", "4", "True"),
                 "D 2/1 1=0+1+0 @5|C 3/1 2=2+0+0|A 2/1 1=1+0+0|B 2/1 1=1+0+0");
}

static void test_always_new(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(
        HEADER OP("A", "1", "") OP("A", "2", "") OP("B", "3", "") OP("C", "4", "") OP("C", "4", ""), NULL);
    struct ts_cache_reuse *model = model_of(report);
    assert_int_equal(model->always_new, 1);
    ts_cache_reuse_destroy(model);
    ts_perf_report_destroy(report);
}

static void test_all_missed(void **state)
{
    (void)state;
    struct ts_perf_report *report =
        perf_table_report_of(HEADER OP("A", "1", "False") OP("A", "1", "False") OP("A", "1", ""), NULL);
    struct ts_cache_reuse *model = model_of(report);
    assert_true(ts_cache_reuse_all_missed(model));
    ts_cache_reuse_destroy(model);
    ts_perf_report_destroy(report);
}

static void test_columns_may_lack(void **state)
{
    (void)state;
    check_groups("OP CODE,OP TYPE,DEVICE ID\nA,tt_dnn_device,0\n", "");
    check_groups("OP CODE,OP TYPE,DEVICE ID,PROGRAM HASH\nA,tt_dnn_device,0,1\nA,tt_dnn_device,0,1\n", "A 2/1 1=0+0+1");
}

/* The model outlives the report: the session may drop one and keep the other. */
static void test_outlives_its_report(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(HEADER OP("Long enough a name", "1", "False"), NULL);
    struct ts_cache_reuse *model = model_of(report);
    ts_perf_report_destroy(report);
    assert_string_equal(groups(model), "Long enough a name 1/1 0=0+0+0");
    ts_cache_reuse_destroy(model);
    ts_cache_reuse_destroy(NULL);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_perf_report *report =
        perf_table_report_of(HEADER OP("A", "1", "False") OP("B", "1", "False") OP("C", "2", ""), NULL);
    ts_context_init(&context);
    long good = 0;
    for (bool failed = true; failed; good++) {
        struct ts_error error = {0};
        struct ts_cache_reuse *model = NULL;
        interpose_fail_from(good);
        enum ts_status status = ts_cache_reuse_create(&context, report, &model, &error);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        assert_true(failed == (model == NULL));
        ts_cache_reuse_destroy(model);
    }
    assert_true(good > 4);
    context.cancelled = true;
    struct ts_cache_reuse *model = NULL;
    struct ts_error error;
    assert_int_equal(ts_cache_reuse_create(&context, report, &model, &error), TS_CANCELLED);
    ts_perf_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_calls_and_repeats),
        cmocka_unit_test(test_rows_without_a_hash),
        cmocka_unit_test(test_hashes_are_compared_exactly),
        cmocka_unit_test(test_codes_are_trimmed_and_raw),
        cmocka_unit_test(test_order_of_groups),
        cmocka_unit_test(test_always_new),
        cmocka_unit_test(test_all_missed),
        cmocka_unit_test(test_columns_may_lack),
        cmocka_unit_test(test_outlives_its_report),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
