#include "formats/ops_csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "base/limits.h"

static struct ts_ops_csv *table_of(const char *text)
{
    struct ts_context context;
    struct ts_ops_csv *ops;
    struct ts_ops_problem problem;
    ts_context_init(&context);
    assert_int_equal(ts_ops_csv_read_memory(&context, ts_str_from(text), false, &ops, &problem, NULL), TS_OK);
    assert_non_null(ops);
    return ops;
}

static void expect_text(const struct ts_ops_csv *ops, enum ts_ops_column column, uint32_t row, const char *text)
{
    struct ts_str found = ts_ops_text(ops, column, row);
    if (!ts_str_is(found, text))
        fail_msg("row %u: expected \"%s\", found \"%.*s\"", row, text, TS_STR_ARG(found));
}

static void test_rows_follow(void **state)
{
    (void)state;
    struct ts_ops_csv *to = table_of("OP CODE,OP TYPE,DEVICE ID,CORE COUNT,PROGRAM HASH\nA,t,0,1,h\nB,t,1,2,\n");
    struct ts_ops_csv *from = table_of(
        "OP TYPE,DEVICE ID,OP CODE,PM IDEAL [ns],METAL TRACE ID,DEVICE ARCH,ATTRIBUTES\n"
        "t,1,B,7,x,blackhole,'nnz': '4'\nt,0,CMatmul,8,,,'nnz': '4'\nt,0,HaloDeviceOperation,,,,window_hw=3\n");
    assert_int_equal(ts_ops_csv_append(to, from, 2, NULL), TS_OK);
    /* from stays as it was. */
    assert_int_equal(from->rows, 3);
    expect_text(from, TS_OPS_DEVICE_ID, 0, "1");
    uint64_t bytes = from->bytes;
    ts_ops_csv_destroy(from);

    assert_int_equal(to->rows, 5);
    assert_true(to->bytes > bytes);
    assert_int_equal(to->generation, TS_OPS_GENERATION_2_1);
    assert_true(to->has[TS_OPS_PROGRAM_HASH] && to->has[TS_OPS_PM_IDEAL] && to->has_attributes);
    static const char *const codes[] = {"A", "B", "B", "CMatmul", "HaloDeviceOperation"};
    static const char *const devices[] = {"0", "1", "3", "2", "2"};
    static const double cores[] = {1, 2, NAN, NAN, NAN}, ideal[] = {NAN, NAN, 7, 8, NAN};
    for (uint32_t row = 0; row < 5; row++) {
        expect_text(to, TS_OPS_OP_CODE, row, codes[row]);
        expect_text(to, TS_OPS_DEVICE_ID, row, devices[row]);
        expect_text(to, TS_OPS_PROGRAM_HASH, row, row == 0 ? "h" : "");
        expect_text(to, TS_OPS_METAL_TRACE_ID, row, row == 2 ? "x" : "");
        double core = ts_ops_number(to, TS_OPS_CORE_COUNT, row), time = ts_ops_number(to, TS_OPS_PM_IDEAL, row);
        assert_true(isnan(cores[row]) ? isnan(core) : core == cores[row]);
        assert_true(isnan(ideal[row]) ? isnan(time) : time == ideal[row]);
        assert_int_equal(ts_ops_attributes(to, row)->nnz, row == 3 ? 4 : -1);
    }
    assert_int_equal(to->texts[TS_OPS_OP_CODE][1], to->texts[TS_OPS_OP_CODE][2]);
    assert_string_equal(ts_intern_text(&to->text, ts_ops_attributes(to, 4)->halo).ptr, "w=3 s=x p=x d=x | x");
    ts_ops_csv_destroy(to);
}

static void test_only_usable_devices_are_raised(void **state)
{
    (void)state;
    struct ts_ops_csv *to = table_of("OP CODE,OP TYPE,DEVICE ID\nA,t,0\n");
    struct ts_ops_csv *from =
        table_of("OP CODE,OP TYPE,DEVICE ID\na,t,-1\na,t,\na,t,1.5\na,t,x\na,t,3.0\na,t,2147483647\n");
    assert_int_equal(ts_ops_csv_append(to, from, 8, NULL), TS_OK);
    static const char *const devices[] = {"0", "-1", "", "1.5", "x", "11", "2147483655"};
    for (uint32_t row = 0; row < 7; row++)
        expect_text(to, TS_OPS_DEVICE_ID, row, devices[row]);
    assert_int_equal(ts_ops_device(to, 5), 11);
    assert_int_equal(ts_ops_device(to, 6), -1);
    ts_ops_csv_destroy(to);
    to = table_of("OP CODE,OP TYPE,DEVICE ID\nA,t,0\n");
    assert_int_equal(ts_ops_csv_append(to, from, 0, NULL), TS_OK);
    expect_text(to, TS_OPS_DEVICE_ID, 5, "3.0");
    ts_ops_csv_destroy(to);
    ts_ops_csv_destroy(from);
}

static void test_many_files(void **state)
{
    (void)state;
    struct ts_ops_csv *to = table_of("OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES\nMatmul,t,0,'nnz': '1'\n");
    for (uint32_t i = 1; i < 100; i++) {
        char text[128];
        snprintf(text, sizeof text, "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES\nMatmul,t,0,'nnz': '%u'\n", i % 10);
        struct ts_ops_csv *from = table_of(text);
        assert_int_equal(ts_ops_csv_append(to, from, i, NULL), TS_OK);
        ts_ops_csv_destroy(from);
    }
    assert_int_equal(to->rows, 100);
    assert_int_equal(to->attribute_set_count, 11);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(ts_ops_device(to, i), (int)i);
        assert_int_equal(ts_ops_attributes(to, i)->nnz, i == 0 ? 1 : (int)(i % 10));
        assert_int_equal(to->texts[TS_OPS_OP_CODE][i], to->texts[TS_OPS_OP_CODE][0]);
    }
    ts_ops_csv_destroy(to);
}

static void test_row_limit(void **state)
{
    (void)state;
    struct ts_ops_csv *to = table_of("OP CODE,OP TYPE,DEVICE ID\nA,t,0\n");
    struct ts_ops_csv *from = table_of("OP CODE,OP TYPE,DEVICE ID\nA,t,0\n");
    struct ts_error error = {0};
    uint32_t rows = to->rows;
    to->rows = TS_LIMIT_OPS_ROWS; /* nothing is looked at before the limit is */
    assert_int_equal(ts_ops_csv_append(to, from, 1, &error), TS_LIMIT);
    assert_non_null(strstr(error.message, "100000000 rows"));
    to->rows = rows;
    ts_ops_csv_destroy(from);
    ts_ops_csv_destroy(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_follow),
        cmocka_unit_test(test_only_usable_devices_are_raised),
        cmocka_unit_test(test_many_files),
        cmocka_unit_test(test_row_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
