#include "surfaces/cli/perf_report_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <locale.h>

#include <cmocka.h>

#include "models/perf_selection.h"
#include "support/interpose_malloc.c"
#include "surfaces/cli/perf_report_text_parts.h"

/* ---- shortening ---- */

static void check_short(const char *text, unsigned room, const char *expected, unsigned width)
{
    struct ts_buf out;
    ts_buf_init(&out, 0);
    assert_int_equal(ts_perf_text_shorten(&out, ts_str_from(text), room), width);
    assert_string_equal(ts_buf_view(&out).ptr, expected);
    assert_int_equal(ts_perf_text_width(ts_buf_view(&out)), width);
    ts_buf_free(&out);
}

static void test_shorten(void **state)
{
    (void)state;
    check_short("Matmul", 6, "Matmul", 6);
    check_short("", 4, "", 0);
    check_short("Matmul", 0, "", 0);
    check_short("Matmul", 1, "\xe2\x80\xa6", 1);
    check_short("Matmul 32 x 64", 9, "Matmu\xe2\x80\xa6 64", 9);
    /* Two columns each: what is left of the room stays empty. */
    check_short("\xe6\xbc\xa2\xe5\xad\x97\xe6\x93\x8d\xe4\xbd\x9c", 6, "\xe6\xbc\xa2\xe2\x80\xa6\xe4\xbd\x9c", 5);
}

static void test_shorten_never_exceeds_its_room(void **state)
{
    (void)state;
    static const char mixed[] = "a\xe6\xbc\xa2"
                                "bc\xe5\xad\x97"
                                "d\xcc\x81"
                                "e\xf0\x9f\x9a\x80 x 12";
    for (unsigned room = 0; room < 24; room++) {
        struct ts_buf out;
        ts_buf_init(&out, 0);
        unsigned width = ts_perf_text_shorten(&out, ts_str_from(mixed), room);
        assert_true(width <= room);
        assert_int_equal(width, ts_perf_text_width(ts_buf_view(&out)));
        ts_buf_free(&out);
    }
}

/* ---- columns ---- */

static void test_columns_adapt(void **state)
{
    (void)state;
    for (unsigned width = 20; width < 100; width++) {
        struct ts_perf_text_column columns[] = {
            {.heading = "ID", .compact_heading = "ID", .width = 3, .compact_width = 3, .shown = true},
            {.heading = "Name",
             .compact_heading = "Name",
             .width = 50,
             .compact_width = 50,
             .left = true,
             .shown = true},
            {.heading = "Time taken", .compact_heading = "us", .width = 9, .compact_width = 4, .shown = true},
            {.heading = "More", .compact_heading = "More", .width = 9, .compact_width = 5, .drop = 1, .shown = true},
            {.heading = "Never", .compact_heading = "Never", .width = 9, .compact_width = 5, .drop = 2, .shown = false},
        };
        struct ts_perf_text_grid grid = {.columns = columns, .count = 5, .flexible = 1, .keep = 12};
        ts_perf_text_fit(&grid, width);
        assert_true(ts_perf_text_grid_width(&grid) <= width);
        assert_true(columns[0].shown && columns[1].shown && columns[2].shown && !columns[4].shown);
        assert_true(grid.compact || width >= 40 + 3 + 10 + 9 + 6);
        assert_true(columns[3].shown || (columns[3].dropped && grid.dropped == 1 && width < 12 + 3 + 4 + 5 + 6));
    }
}

/* ---- the whole ---- */

static void every_part(struct ts_context *context, const struct ts_perf_selection *selection, unsigned width,
                       enum ts_status *status, struct ts_buf *out)
{
    const struct ts_stacked_options stacked_options = {.by = TS_STACKED_MEMORY};
    const struct ts_perf_text_options options = {.color = true, .width = width, .devices = true, .title = "a capture"};
    struct ts_op_folding *folding = NULL;
    struct ts_stacked *stacked = NULL;
    struct ts_error error;
    *status = ts_op_folding_create(context, selection->report, false, &folding, &error);
    if (*status == TS_OK)
        *status = ts_stacked_create(context, selection->report, &stacked_options, &stacked, &error);
    if (*status == TS_OK)
        *status = ts_perf_text_write(context, selection, folding, stacked, &options, out, &error);
    ts_stacked_destroy(stacked);
    ts_op_folding_destroy(folding);
}

/* Memory that is out is an error, never a text with something missing. */
static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    static const char path[] = TS_SOURCE_DIR "/tests/golden/perf_report/captures/hostile.csv";
    const char *files[] = {path};
    const struct ts_perf_selection_options options = {.files = files, .file_count = 1, .ignore_signposts = true};
    struct ts_perf_selection *selection;
    struct ts_context context;
    struct ts_error error;
    struct ts_buf whole;
    enum ts_status status;
    ts_context_init(&context);
    assert_int_equal(ts_perf_selection_create(&context, &options, &selection, &error), TS_OK);
    ts_buf_init(&whole, 0);
    every_part(&context, selection, 100, &status, &whole);
    assert_int_equal(status, TS_OK);
    assert_true(whole.len > 2000);
    long good = 0;
    for (bool failed = true; failed; good++) {
        struct ts_buf out;
        ts_buf_init(&out, 0);
        interpose_fail_once(good); /* a buffer may do with less then */
        every_part(&context, selection, 100, &status, &out);
        failed = interpose_stop();
        if (!failed || status != TS_NO_MEMORY)
            assert_int_equal(status, TS_OK);
        if (status == TS_OK)
            assert_true(ts_str_equal(ts_buf_view(&out), ts_buf_view(&whole)));
        ts_buf_free(&out);
    }
    assert_true(good > 50);
    ts_buf_free(&whole);
    ts_perf_selection_destroy(selection);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shorten),
        cmocka_unit_test(test_shorten_never_exceeds_its_room),
        cmocka_unit_test(test_columns_adapt),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
