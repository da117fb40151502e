#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/op_category.h"

static void check(const char *op_code, enum ts_op_category category, bool known)
{
    bool got = !known;

    if (ts_op_category(ts_str_from(op_code), &got) != category || got != known)
        fail_msg("\"%s\" is not what it should be", op_code);
}

static void test_every_list(void **state)
{
    (void)state;
    check("Matmul", TS_CATEGORY_COMPUTE, true);
    check("Accumulation", TS_CATEGORY_COMPUTE, true); /* first and last of the whole table */
    check("Where", TS_CATEGORY_DM, true);
    check("AllGatherAsync", TS_CATEGORY_CCL, true);
    check("ReshapeView", TS_CATEGORY_TM, true);
    check("InterleavedToSharded", TS_CATEGORY_DM, true);
    check("Embeddings", TS_CATEGORY_COMPUTE, true);
    check("RMSAllGather", TS_CATEGORY_COMPUTE, true);
    check("DeepseekMoEReduceScatter", TS_CATEGORY_CCL, true);
}

static void test_the_suffix_may_be_there(void **state)
{
    (void)state;
    check("MatmulDeviceOperation", TS_CATEGORY_COMPUTE, true);
    check("PadDeviceOperation", TS_CATEGORY_TM, true);
    check("PadDeviceOperationDeviceOperation", TS_CATEGORY_TM, true);
    check("Pad", TS_CATEGORY_OTHER, false);
    check("PagedUpdateCacheDeviceOperation", TS_CATEGORY_DM, true);
    check("PagedUpdateCache", TS_CATEGORY_OTHER, false);
    check("DeviceOperation", TS_CATEGORY_OTHER, false);
}

static void test_no_prefix_and_no_case_counts(void **state)
{
    (void)state;
    check("AllReduce", TS_CATEGORY_OTHER, false);
    check("AllGatherMatmulAsync", TS_CATEGORY_OTHER, false);
    check("RingJointSDPADeviceOperation", TS_CATEGORY_OTHER, false);
    check("matmul", TS_CATEGORY_OTHER, false);
    check("Matmu", TS_CATEGORY_OTHER, false);
}

static void test_first_word_of_a_displayed_name(void **state)
{
    (void)state;
    check("Matmul b={4} x 1024 x 1024 x 1024", TS_CATEGORY_COMPUTE, true);
    check("  Softmax\tx", TS_CATEGORY_COMPUTE, true);
    check("x Matmul", TS_CATEGORY_OTHER, false);
}

static void test_host_and_empty(void **state)
{
    (void)state;
    check("(torch) contiguous", TS_CATEGORY_HOST, true);
    check("Matmul (torch)", TS_CATEGORY_HOST, true);
    check("(Torch) x", TS_CATEGORY_OTHER, false);
    check("", TS_CATEGORY_OTHER, true);
    check("  \t", TS_CATEGORY_OTHER, true);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(ts_op_category_name(TS_CATEGORY_COMPUTE), "Compute");
    assert_string_equal(ts_op_category_name(TS_CATEGORY_CCL), "CCL");
    assert_string_equal(ts_op_category_name(TS_CATEGORY_TM), "TM");
    assert_string_equal(ts_op_category_name(TS_CATEGORY_DM), "DM");
    assert_string_equal(ts_op_category_name(TS_CATEGORY_HOST), "Host");
    assert_string_equal(ts_op_category_name(TS_CATEGORY_OTHER), "Other");
    assert_null(ts_op_category_name(TS_CATEGORY_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_list),
        cmocka_unit_test(test_the_suffix_may_be_there),
        cmocka_unit_test(test_no_prefix_and_no_case_counts),
        cmocka_unit_test(test_first_word_of_a_displayed_name),
        cmocka_unit_test(test_host_and_empty),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
