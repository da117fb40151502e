#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/fidelity.h"

#define BF16 "BFLOAT16"
#define BFP8 "BFLOAT8_B"
#define BFP4 "BFLOAT4_B"
#define FP32 "FLOAT32"

static struct ts_fidelity judge(const char *input_0, const char *input_1, const char *output, const char *fidelity)
{
    return ts_fidelity_judge(ts_str_from(input_0), ts_str_from(input_1), ts_str_from(output), ts_str_from(fidelity));
}

static void check(const char *const datatypes[3], const enum ts_fidelity_verdict verdicts[4],
                  const enum ts_fidelity_advice advice[4])
{
    static const char *const fidelities[4] = {"HiFi4", "HiFi3", "HiFi2", "LoFi"};

    for (int i = 0; i < 4; i++) {
        struct ts_fidelity got = judge(datatypes[0], datatypes[1], datatypes[2], fidelities[i]);
        assert_int_equal(got.verdict, verdicts[i]);
        assert_int_equal(got.advice, advice[i]);
        assert_int_equal(got.unsupported.len, 0);
    }
}
#define CHECK(a, b, out, verdicts, advice) check((const char *const[3]){a, b, out}, verdicts, advice)

#define OK TS_FIDELITY_SUFFICIENT
#define HIGH TS_FIDELITY_TOO_HIGH
#define LOW TS_FIDELITY_TOO_LOW

static void test_bf16_activations(void **state)
{
    (void)state;
    static const enum ts_fidelity_verdict verdicts[4] = {OK, LOW, LOW, LOW};
    static const enum ts_fidelity_advice advice[4] = {TS_FIDELITY_BF16_HIFI4, TS_FIDELITY_BF16_BELOW_HIFI4,
                                                      TS_FIDELITY_BF16_BELOW_HIFI4, TS_FIDELITY_BF16_LOFI};
    CHECK(BF16, BF16, BF16, verdicts, advice);
    CHECK(BF16, BFP4, BFP8, verdicts, advice); /* the weights do not matter */
    CHECK(BF16, FP32, FP32, verdicts, advice);
}

static void test_bf16_activations_to_bfp4(void **state)
{
    (void)state;
    static const enum ts_fidelity_verdict verdicts[4] = {HIGH, HIGH, OK, LOW};
    static const enum ts_fidelity_advice advice[4] = {TS_FIDELITY_BF16_BFP4OUT_HIFI4, TS_FIDELITY_BF16_BFP4OUT_HIFI3,
                                                      TS_FIDELITY_BFP4OUT_HIFI2, TS_FIDELITY_BF16_BFP4OUT_LOFI};
    CHECK(BF16, BF16, BFP4, verdicts, advice);
    CHECK(BF16, BFP4, BFP4, verdicts, advice);
}

static void test_seven_bits_of_weights(void **state)
{
    (void)state;
    static const enum ts_fidelity_verdict verdicts[4] = {HIGH, HIGH, OK, LOW};
    static const enum ts_fidelity_advice advice[4] = {TS_FIDELITY_BFP8_HIFI4, TS_FIDELITY_BFP8_HIFI3,
                                                      TS_FIDELITY_NO_ADVICE, TS_FIDELITY_BFP8_LOFI};
    CHECK(BFP8, BFP8, BFP8, verdicts, advice);
    CHECK(FP32, BF16, BF16, verdicts, advice); /* FLOAT32 activations are not BF16 */
    CHECK(BFP4, BFP8, FP32, verdicts, advice);
}

static void test_seven_bits_of_weights_to_bfp4(void **state)
{
    (void)state;
    static const enum ts_fidelity_verdict verdicts[4] = {HIGH, HIGH, OK, LOW};
    static const enum ts_fidelity_advice advice[4] = {TS_FIDELITY_BFP8_HIFI4, TS_FIDELITY_BFP8_HIFI3,
                                                      TS_FIDELITY_BFP4OUT_HIFI2, TS_FIDELITY_BFP8_BFP4OUT_LOFI};
    CHECK(BFP8, BFP8, BFP4, verdicts, advice);
}

static void test_bfp4_weights(void **state)
{
    (void)state;
    static const enum ts_fidelity_verdict verdicts[4] = {HIGH, HIGH, HIGH, OK};
    static const enum ts_fidelity_advice advice[4] = {TS_FIDELITY_BFP4_ABOVE_LOFI, TS_FIDELITY_BFP4_ABOVE_LOFI,
                                                      TS_FIDELITY_BFP4_ABOVE_LOFI, TS_FIDELITY_NO_ADVICE};
    CHECK(BFP8, BFP4, BF16, verdicts, advice);
    CHECK(FP32, BFP4, BFP4, verdicts, advice);
}

static void test_integers_come_first(void **state)
{
    (void)state;
    static const char *const integers[] = {"UINT8", "UINT16", "INT32", "UINT32"};

    for (int i = 0; i < 4; i++) {
        assert_int_equal(judge(integers[i], BF16, BF16, "HiFi4").verdict, TS_FIDELITY_NOT_APPLICABLE);
        assert_int_equal(judge("odd", integers[i], BF16, "HiFi4").advice, TS_FIDELITY_INTEGER);
        assert_int_equal(judge(BF16, "odd", integers[i], "none").verdict, TS_FIDELITY_NOT_APPLICABLE);
    }
}

static void test_the_first_odd_datatype_is_named(void **state)
{
    (void)state;
    struct ts_fidelity got = judge(BF16, "FLOAT16", "odd", "HiFi4");

    assert_int_equal(got.verdict, TS_FIDELITY_UNKNOWN);
    assert_int_equal(got.advice, TS_FIDELITY_UNSUPPORTED);
    assert_true(ts_str_is(got.unsupported, "FLOAT16"));
    got = judge("", BF16, BF16, "HiFi4");
    assert_int_equal(got.advice, TS_FIDELITY_UNSUPPORTED);
    assert_int_equal(got.unsupported.len, 0);
}

static void test_an_odd_fidelity_is_not_judged(void **state)
{
    (void)state;
    static const char *const odd[] = {"", "HiFi1", "lofi"}, *const weights[] = {BF16, BFP8, BFP4};

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            struct ts_fidelity got = judge(BFP8, weights[i], BF16, odd[j]);
            assert_int_equal(got.verdict, TS_FIDELITY_UNKNOWN);
            assert_int_equal(got.advice, TS_FIDELITY_NO_ADVICE);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bf16_activations),
        cmocka_unit_test(test_bf16_activations_to_bfp4),
        cmocka_unit_test(test_seven_bits_of_weights),
        cmocka_unit_test(test_seven_bits_of_weights_to_bfp4),
        cmocka_unit_test(test_bfp4_weights),
        cmocka_unit_test(test_integers_come_first),
        cmocka_unit_test(test_the_first_odd_datatype_is_named),
        cmocka_unit_test(test_an_odd_fidelity_is_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
