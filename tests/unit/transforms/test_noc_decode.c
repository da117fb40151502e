/* noc-decode without memory: whichever allocation fails, it says so and leaves nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/interpose_malloc.c"
#include "transforms/noc_decode.h"
#include "transforms/noc_rewrite.h"

enum { TRIES = 2000 };

static enum ts_status decode(const char *input)
{
    struct ts_context context;
    struct ts_error error = {0};
    struct ts_noc_decode_report report;
    const struct ts_noc_decode_options options = {
        .input = input, .stream = "/dev/null", .format = TS_NOC_J4, .repair = true, .assume_unharvested = true};
    ts_context_init(&context);
    enum ts_status status = ts_noc_decode(&context, &options, &report, &error);
    ts_noc_decode_report_free(&report);
    assert_true(status == TS_OK || error.message[0]);
    return status;
}

static enum ts_status rewrite(const char *input)
{
    struct ts_context context;
    struct ts_error error = {0};
    struct ts_noc_summary summary;
    ts_context_init(&context);
    enum ts_status status = ts_noc_rewrite(&context, input, NULL, "/dev/null", &summary, &error);
    ts_noc_summary_free(&summary);
    assert_true(status == TS_OK || error.message[0]);
    return status;
}

/* More and more allocations pass, until none fails any more. */
static void starve(enum ts_status (*run)(const char *), const char *input)
{
    assert_int_equal(run(input), TS_OK);
    for (long good = 0; good < TRIES; good++) {
        interpose_fail_from(good);
        enum ts_status status = run(input);
        bool failed = interpose_stop();
        if (!failed) {
            assert_int_equal(status, TS_OK);
            assert_true(good > 5);
            return;
        }
        assert_true(status == TS_NO_MEMORY || status == TS_IO);
    }
    fail_msg("%s takes more than %d allocations", input, TRIES);
}

static void test_captures(void **state)
{
    (void)state;
    static const char *const inputs[] = {"noc_capture/small",   "noc_capture/fabric", "noc_capture/wide",
                                         "noc_capture/i1",      "noc_capture/mux",    "noc_log/alike",
                                         "noc_log/small",       "noc_log/wide",       "noc_near_raw/small",
                                         "noc_near_raw/fabric", "noc_near_raw/wide"};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/tests/fuzz/%s", TS_SOURCE_DIR, inputs[i]);
        starve(decode, path);
    }
}

static void test_traces(void **state)
{
    (void)state;
    starve(rewrite, TS_SOURCE_DIR "/tests/fuzz/noc_json/small");
    starve(rewrite, TS_SOURCE_DIR "/tests/fuzz/noc_json/fabric");
    starve(rewrite, TS_SOURCE_DIR "/tests/fuzz/noc_json/j0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_captures), cmocka_unit_test(test_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
