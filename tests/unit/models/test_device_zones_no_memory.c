#include "models/device_zones.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/interpose_malloc.c"
#include "support/perf_table.h"

/* Every allocation fails once, and from each on all of them; what comes out are all zones or TS_NO_MEMORY. */

static struct ts_buf text;
static struct ts_perf_source *source;

static int set_up(void **state)
{
    (void)state;
    ts_buf_init(&text, 0);
    ts_buf_text(&text,
                "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\nPCIe slot, core_x, core_y, RISC processor type, timer_id, "
                "time[cycles since reset], run host ID, zone name, type\n");
    for (unsigned i = 0; i < 900; i++)
        ts_buf_printf(&text, "0,%u,%u,BRISC,7,%u,%u,%s%u%s,%s\n", i % 7, i % 3, i, i % 40, i % 50 ? "A" : "\"A",
                      i % 200, i % 50 ? "-KERNEL" : "-KERNEL\"", i % 5 ? "ZONE_START" : "ZONE_END");
    source = perf_table_source(
        "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID\nA,tt_dnn_device,1,0\nB,tt_dnn_device,20,0\n", NULL);
    return text.failed ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    ts_buf_free(&text);
    ts_perf_source_release(source);
    return 0;
}

static bool read_failing(long good, bool once, unsigned threads)
{
    struct ts_context context;
    struct ts_core_spans *spans = NULL;
    struct ts_device_zones *zones = NULL;
    struct ts_error error = {.code = TS_OK};
    const struct ts_device_zones_options options = {.block = 5000};
    ts_context_init(&context);
    context.threads = threads;
    if (once)
        interpose_fail_once(good);
    else
        interpose_fail_from(good);
    enum ts_status status = ts_core_spans_create(&context, source, &spans, &error);
    if (status == TS_OK)
        status = ts_device_zones_read_memory(&context, ts_buf_view(&text), &options, spans, &zones, &error);
    bool failed = interpose_stop();
    if (status == TS_OK) {
        assert_int_equal(zones->count, 200);
        assert_int_equal(zones->unreadable_rows, 0);
        assert_true(failed || !spans->failed);
    } else {
        assert_true(failed);
        assert_int_equal(status, TS_NO_MEMORY);
        assert_int_equal(error.code, TS_NO_MEMORY);
        assert_null(zones);
    }
    ts_device_zones_destroy(zones);
    ts_core_spans_destroy(spans);
    return failed;
}

static void test_no_memory(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        long good = 0;
        while (read_failing(good, false, threads))
            good++;
        if (threads == 1) /* with more, what this thread allocates depends on what it gets to do */
            assert_true(good > 100);
        for (good = 0; read_failing(good, true, threads);)
            good++;
        if (threads == 1) /* with more, what this thread allocates depends on what it gets to do */
            assert_true(good > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
