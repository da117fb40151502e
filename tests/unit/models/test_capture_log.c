/* A capture's device log that cannot be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <zlib.h>
#include <cmocka.h>

#include "models/capture_log.h"
#include "support/scratch.h"

static const char good[] = "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\nPCIe slot, core_x, core_y, RISC processor type, "
                           "timer_id, time[cycles since "
                           "reset], run host ID, zone name, type\n0,1,1,BRISC,7,5,1,A,ZONE_START\n";

/* load_report asks of each question whether it can be answered: a damaged log is not read for each of them. */
static void test_a_damaged_log_is_tried_once_in_a_call(void **state)
{
    (void)state;
    struct scratch scratch;
    struct ts_context context;
    struct ts_parts *parts;
    struct ts_capture *capture;
    struct ts_error error = {.code = TS_OK}, again = {.code = TS_OK};
    const struct ts_device_zones *log = NULL;
    scratch_create(&scratch);
    ts_context_init(&context);
    assert_int_equal(ts_parts_create(1 << 20, &parts, &error), TS_OK);
    scratch_put(&scratch, "profile_log_device.csv.gz", TS_STR("\x1f\x8b\x08 damaged"));
    const struct ts_capture_paths paths = {.performance = scratch.folder};
    assert_int_equal(ts_capture_create(&context, parts, &paths, NULL, &capture, &error), TS_OK);
    enum ts_status status = ts_capture_log_check(&context, capture, &log, &error);
    assert_int_not_equal(status, TS_OK);
    assert_null(log);
    gzFile file = gzopen(scratch_path(&scratch, "profile_log_device.csv.gz"), "wb");
    assert_int_equal(gzwrite(file, good, sizeof good - 1), sizeof good - 1);
    assert_int_equal(gzclose(file), Z_OK);
    assert_int_equal(ts_capture_log_check(&context, capture, &log, &again), status);
    assert_null(log);
    assert_string_equal(again.message, error.message);
    ts_capture_release(capture);
    assert_int_equal(ts_capture_log_check(&context, capture, &log, &error), TS_OK);
    assert_true(log->has_rows);
    ts_capture_release(capture);
    ts_capture_destroy(capture);
    ts_parts_destroy(parts);
    scratch_destroy(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_damaged_log_is_tried_once_in_a_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
