#include "formats/ops_csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/interpose_malloc.c"

/* Every allocation fails once, and from each on all of them; what comes out is the whole table or TS_NO_MEMORY. */

static struct ts_buf text;

static int set_up(void **state)
{
    (void)state;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES,CORE COUNT,INPUT_0_W,PROGRAM HASH\n");
    for (unsigned i = 0; i < 2100; i++)
        ts_buf_printf(&text, "%s%u,tt_dnn_device,%u,window_hw=(%u;3); ,%u,%u[1],\n",
                      i % 2 ? "Conv2d" : "HaloDeviceOperation", i % 40, i % 3, i % 91, i, i);
    ts_buf_text(&text, "\"a\"\"b\",,,,,,hash");
    for (unsigned i = 0; i < 300; i++)
        ts_buf_char(&text, ',');
    ts_buf_text(&text, "\n");
    return text.failed ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    ts_buf_free(&text);
    return 0;
}

static void check_table(const struct ts_ops_csv *ops)
{
    assert_int_equal(ops->rows, 2101);
    assert_int_equal(ops->attribute_set_count, 183);
    assert_true(ts_ops_number(ops, TS_OPS_CORE_COUNT, 2099) == 2099);
    assert_true(ts_str_is(ts_ops_text(ops, TS_OPS_PROGRAM_HASH, 2100), "hash"));
}

static bool read_failing(long good, bool once)
{
    struct ts_context context;
    struct ts_ops_csv *ops = (struct ts_ops_csv *)&context;
    struct ts_ops_problem problem;
    struct ts_error error = {0};
    ts_context_init(&context);
    if (once)
        interpose_fail_once(good);
    else
        interpose_fail_from(good);
    enum ts_status status = ts_ops_csv_read_memory(&context, ts_buf_view(&text), false, &ops, &problem, &error);
    bool failed = interpose_stop();
    if (status == TS_OK) {
        /* Only giving memory back may have failed. */
        assert_non_null(ops);
        check_table(ops);
        ts_ops_csv_destroy(ops);
    } else {
        assert_true(failed);
        assert_int_equal(status, TS_NO_MEMORY);
        assert_int_equal(error.code, TS_NO_MEMORY);
        assert_ptr_equal(ops, &context);
    }
    return failed;
}

static void test_reading(void **state)
{
    (void)state;
    for (int once = 0; once < 2; once++) {
        long good = 0;
        while (read_failing(good, once))
            good++;
        assert_true(good > 20 && good < 1000);
    }
}

static struct ts_ops_csv *read_whole(struct ts_str from)
{
    struct ts_context context;
    struct ts_ops_csv *ops;
    struct ts_ops_problem problem;
    ts_context_init(&context);
    assert_int_equal(ts_ops_csv_read_memory(&context, from, false, &ops, &problem, NULL), TS_OK);
    assert_non_null(ops);
    return ops;
}

static void test_appending(void **state)
{
    (void)state;
    struct ts_ops_csv *from = read_whole(ts_buf_view(&text));
    bool failed = true;
    for (long good = 0; failed; good++) {
        struct ts_ops_csv *to = read_whole(TS_STR("OP CODE,OP TYPE,DEVICE ID\nA,t,7\n"));
        struct ts_error error = {0};
        interpose_fail_from(good);
        enum ts_status status = ts_ops_csv_append(to, from, 1, &error);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        /* The rows there were are there in any case. */
        assert_int_equal(to->rows, failed ? 1 : 2102);
        assert_true(ts_str_is(ts_ops_text(to, TS_OPS_OP_CODE, 0), "A"));
        assert_int_equal(ts_ops_device(to, 0), 7);
        assert_int_equal(ts_ops_attributes(to, 0)->nnz, -1);
        assert_true(good < 1000);
        ts_ops_csv_destroy(to);
    }
    ts_ops_csv_destroy(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_appending),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
