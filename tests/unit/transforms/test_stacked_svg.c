#include "transforms/stacked_svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/number.h"
#include "support/interpose_malloc.c"
#include "support/perf_table.h"
#include "support/scratch.h"

#define HEADER "OP CODE,OP TYPE,DEVICE ID,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]\n"
#define OP(code, device, duration) code ",tt_dnn_device," device ",100," duration "\n"

static struct ts_stacked *stack(const struct ts_perf_report *report, bool per_device)
{
    struct ts_context context;
    struct ts_error error;
    struct ts_stacked *stacked = NULL;
    const struct ts_stacked_options options = {.by = TS_STACKED_OP, .per_device = per_device};
    ts_context_init(&context);
    assert_int_equal(ts_stacked_create(&context, report, &options, &stacked, &error), TS_OK);
    return stacked;
}

static struct scratch scratch;

static int set_up(void **state)
{
    (void)state;
    scratch_create(&scratch);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_destroy(&scratch);
    return 0;
}

/* The picture of a CSV text, until the next test. */
static const char *draw(const char *csv, struct ts_stacked_svg_options options)
{
    struct ts_context context;
    struct ts_error error;
    ts_context_init(&context);
    struct ts_perf_report *report =
        perf_table_report_of(csv, &(struct ts_perf_report_options){.no_merge = options.per_device});
    struct ts_stacked *stacked = stack(report, options.per_device);
    assert_int_equal(ts_stacked_svg_write(&context, stacked, &options, scratch_path(&scratch, "plot.svg"), &error),
                     TS_OK);
    ts_stacked_destroy(stacked);
    ts_perf_report_destroy(report);
    struct ts_str text = scratch_get(&scratch, "plot.svg");
    assert_non_null(text.ptr);
    const char *terminated = ts_arena_strdup(&scratch.arena, text);
    assert_non_null(terminated);
    return terminated;
}

static unsigned count_of(const char *text, const char *what)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        count++;
    return count;
}

#define SEGMENT "<title>"

static void test_a_segment_and_an_entry_for_each_group(void **state)
{
    (void)state;
    const char *svg = draw(HEADER OP("Matmul", "0", "3000") OP("Softmax", "0", "1000") OP("Matmul", "0", "4000"),
                           (struct ts_stacked_svg_options){.by = TS_STACKED_OP});
    assert_int_equal(count_of(svg, SEGMENT), 2);
    assert_non_null(strstr(svg, "<title>Matmul: 7.00 \xce\xbcs</title>"));
    assert_non_null(strstr(svg, ">87.5 %<"));
    assert_non_null(strstr(svg, "Device time by operation: 8.0 \xce\xbcs<"));
    assert_true(strstr(svg, ">Matmul<") < strstr(svg, ">Softmax<"));
    assert_string_equal(svg + strlen(svg) - 7, "</svg>\n");
}

static void test_names_cannot_leave_their_text(void **state)
{
    (void)state;
    const char *svg =
        draw(HEADER OP("<script>&\x1b[31m", "0", "3000"), (struct ts_stacked_svg_options){.by = TS_STACKED_OP});
    assert_null(strstr(svg, "<script"));
    assert_null(strchr(svg, '\x1b'));
    assert_non_null(strstr(svg, "&#60;script&#62;&#38;"));
}

static void test_a_bar_for_each_device(void **state)
{
    (void)state;
    const char *svg = draw(HEADER OP("A", "0", "3000") OP("A", "1", "5000") OP("B", "1", "1000"),
                           (struct ts_stacked_svg_options){.by = TS_STACKED_OP, .per_device = true});
    assert_int_equal(count_of(svg, SEGMENT), 3);
    assert_non_null(strstr(svg, "on 2 devices"));
    assert_non_null(strstr(svg, ">device<"));
    assert_int_equal(count_of(svg, ">A<"), 1); /* one entry in the legend for both */
    assert_non_null(strstr(svg, ">88.9 %<"));
}

static void test_many_groups(void **state)
{
    (void)state;
    struct ts_buf csv;
    ts_buf_init(&csv, 0);
    ts_buf_text(&csv, HEADER);
    for (int i = 0; i < 60; i++)
        ts_buf_printf(&csv, "Op%d,tt_dnn_device,0,100,%d\n", i, 60000 - i * 100);
    const char *svg = draw(ts_buf_view(&csv).ptr, (struct ts_stacked_svg_options){.by = TS_STACKED_OP});
    assert_int_equal(count_of(svg, SEGMENT), 25);
    assert_non_null(strstr(svg, ">36 more groups<"));
    assert_non_null(strstr(svg, ">Op23<"));
    assert_null(strstr(svg, ">Op24<"));
    ts_buf_free(&csv);
}

static void test_no_time_at_all(void **state)
{
    (void)state;
    const char *svg =
        draw(HEADER OP("A", "0", "") OP("B", "0", "0"), (struct ts_stacked_svg_options){.by = TS_STACKED_OP});
    assert_int_equal(count_of(svg, SEGMENT), 0);
    assert_null(strstr(svg, "nan"));
    assert_non_null(strstr(svg, ">A<"));
}

static void test_palettes(void **state)
{
    (void)state;
    static const char csv[] = HEADER OP("Matmul", "0", "3000") OP("AllGather", "0", "1000");
    const char *themed = draw(csv, (struct ts_stacked_svg_options){.by = TS_STACKED_OP});
    const char *plain = draw(csv, (struct ts_stacked_svg_options){.by = TS_STACKED_OP, .classic_colors = true});
    assert_non_null(strstr(themed, ">CCL<")); /* the key of colours */
    assert_null(strstr(plain, ">CCL<"));
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct ts_context context;
    const struct ts_stacked_svg_options options = {.by = TS_STACKED_OP};
    struct ts_perf_report *report = perf_table_report_of(HEADER OP("A", "0", "3000") OP("B<", "0", "1000"), NULL);
    ts_context_init(&context);
    const char *path = scratch_path(&scratch, "failing.svg");
    long good = 0;
    for (bool failed = true; failed; good++) {
        struct ts_error error = {0};
        struct ts_stacked *stacked = stack(report, false);
        interpose_fail_from(good);
        enum ts_status status = ts_stacked_svg_write(&context, stacked, &options, path, &error);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        assert_int_equal(access(path, F_OK) == 0, !failed);
        ts_stacked_destroy(stacked);
    }
    assert_true(good > 5);
    ts_perf_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_segment_and_an_entry_for_each_group, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names_cannot_leave_their_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_bar_for_each_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_groups, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_time_at_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_palettes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
