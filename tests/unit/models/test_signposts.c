#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "support/perf_table.h"

#define HEADER "OP CODE,OP TYPE,DEVICE ID,HOST START TS\n"
#define SIGNPOST(name, time) name ",signpost,," time "\n"
#define OP(name, time) name ",tt_dnn_device,0," time "\n"

/* File order and order by time disagree on where S and E first occur. */
static const char *const shuffled = HEADER SIGNPOST("S", "70") OP("A", "71") SIGNPOST("S", "10") OP("B", "20")
    SIGNPOST("E", "30") OP("C", "72") SIGNPOST("E", "75");

static enum ts_status window_of(const struct ts_perf_source *source, const char *start, const char *end,
                                struct ts_row_window *window, struct ts_error *error)
{
    struct ts_signpost_range range = {ts_str_from(start), ts_str_from(end)};
    return ts_signposts_window(&source->signposts, &range, source->ops->rows, "report-1", window, error);
}

/* Rows of the window start..end as perf_table_rows gives them. */
static void check_rows(const char *csv, bool tracing_mode, const char *start, const char *end, const char *expected)
{
    struct ts_perf_source_options how = {.tracing_mode = tracing_mode};
    struct ts_perf_source *source = perf_table_source(csv, &how);
    struct ts_perf_report_options options = {0};
    struct ts_error error = {0};

    if (window_of(source, start, end, &options.window, &error) != TS_OK)
        fail_msg("%s", error.message);
    struct ts_perf_report *report = perf_table_report(source, &options);
    assert_string_equal(perf_table_rows(report), expected);
    ts_perf_report_destroy(report);
}

static void check_refused(const char *csv, const char *start, const char *end, const char *const parts[])
{
    struct ts_perf_source *source = perf_table_source(csv, NULL);
    struct ts_row_window window = {7, 8, true};
    struct ts_error error = {0};

    assert_int_equal(window_of(source, start, end, &window, &error), TS_REFUSED);
    assert_int_equal(error.code, TS_REFUSED);
    assert_int_equal(window.first, 7); /* untouched */
    for (size_t i = 0; parts[i]; i++) {
        if (!strstr(error.message, parts[i]))
            fail_msg("\"%s\" is not in: %s", parts[i], error.message);
    }
    ts_perf_source_release(source);
}
#define CHECK_REFUSED(csv, start, end, ...) check_refused(csv, start, end, (const char *const[]){__VA_ARGS__, NULL})

static void test_bounds_resolve_by_time_and_cut_by_position(void **state)
{
    (void)state;
    check_rows(shuffled, false, "S", "E", "5 B");
    check_rows(shuffled, true, "S", "E", "3 A|4 S (signpost)|5 B");
    check_rows(shuffled, false, "S", "", "5 B|6 E (signpost)|7 C|8 E (signpost)");
    check_rows(shuffled, false, "", "E", "2 S (signpost)|3 A|4 S (signpost)|5 B");
}

static void test_one_name_for_both_takes_its_second_occurrence(void **state)
{
    (void)state;
    check_rows(shuffled, false, "E", "E", "7 C");
    CHECK_REFUSED(shuffled, "S", "S", "report-1", "\"S\"", "row id 2", "row id 4", "HOST START TS");
}

static void test_listing_is_in_file_order(void **state)
{
    (void)state;
    struct ts_perf_source *source =
        perf_table_source(HEADER SIGNPOST("late", "50") OP("A", "60") SIGNPOST("first", "1") SIGNPOST("late", "70")
                              SIGNPOST("first", "0") SIGNPOST("late", "80"),
                          NULL);
    const struct ts_signposts *signposts = &source->signposts;

    assert_int_equal(signposts->count, 2);
    assert_true(ts_str_is(signposts->items[0].name, "late"));
    assert_int_equal(signposts->items[0].first, 0);
    assert_int_equal(signposts->items[0].second, 3);
    assert_int_equal(signposts->items[0].occurrences, 3);
    assert_true(ts_str_is(signposts->items[1].name, "first"));
    assert_int_equal(signposts->items[1].first, 4);
    assert_int_equal(signposts->items[1].second, 2);
    assert_int_equal(*ts_map_find(&signposts->by_name, TS_STR("late")), 0);
    assert_int_equal(*ts_map_find(&signposts->by_name, TS_STR("first")), 1);
    ts_perf_source_release(source);
}

static void test_only_named_rows_of_the_exact_type_count(void **state)
{
    (void)state;
    struct ts_perf_source *source = perf_table_source(
        HEADER SIGNPOST("NA", "1") SIGNPOST("", "2") SIGNPOST("  ", "3") "x,signposts,,4\n" OP("S", "5"), NULL);

    assert_int_equal(source->signposts.count, 1); /* two blanks are a name */
    assert_true(ts_str_is(source->signposts.items[0].name, "  "));
    ts_perf_source_release(source);
}

static void test_no_bounds_and_no_signposts(void **state)
{
    (void)state;
    struct ts_perf_source *source = perf_table_source(HEADER OP("A", "1") OP("B", "2"), NULL);
    struct ts_row_window window = {9, 9, true};

    assert_int_equal(window_of(source, "", "", &window, NULL), TS_OK);
    assert_int_equal(window.first, 0);
    assert_int_equal(window.end, 2);
    assert_false(window.ignored);
    assert_int_equal(window_of(source, "no such", "", &window, NULL), TS_OK);
    assert_int_equal(window.end, 2);
    assert_true(window.ignored);
    ts_perf_source_release(source);
    check_rows(shuffled, true, "", "", "2 S (signpost)|3 A|4 S (signpost)|5 B|6 E (signpost)|7 C|8 E (signpost)");
}

static void test_windows_may_be_empty(void **state)
{
    (void)state;
    const char *csv = HEADER SIGNPOST("S", "1") SIGNPOST("E", "2") OP("A", "3") SIGNPOST("end", "4");

    check_rows(csv, false, "S", "E", "");
    check_rows(csv, false, "end", "", "");
    check_rows(csv, false, "", "S", ""); /* nothing before the first row, and not the whole file */
}

static void test_refusals_name_what_would_do(void **state)
{
    (void)state;
    CHECK_REFUSED(shuffled, "nope", "neither", "report-1", "\"nope\"", "start_signpost", "\"S\", \"E\"");
    CHECK_REFUSED(shuffled, "S", "nope", "\"nope\"", "end_signpost");
    CHECK_REFUSED(shuffled, "s", "", "\"s\"");
    CHECK_REFUSED(shuffled, "E", "S", "\"E\" (row id 6)", "\"S\" (row id 4)");
    CHECK_REFUSED(HEADER SIGNPOST("S", "1") SIGNPOST("E", "2"), "S", "S", "\"S\" occurs once");
}

static void test_listing_in_a_refusal_is_bounded(void **state)
{
    (void)state;
    static char csv[20000];
    char expected[40];
    size_t len = (size_t)snprintf(csv, sizeof csv, "%s", HEADER);
    struct ts_error error = {0};
    struct ts_row_window window;

    len += (size_t)snprintf(csv + len, sizeof csv - len, "%0300d,signpost,,1\n", 7); /* too long to be asked for */
    for (int i = 1; i <= 25; i++)
        len += (size_t)snprintf(csv + len, sizeof csv - len, "mark %d,signpost,,%d\n", i, 1 + i);
    struct ts_perf_source *source = perf_table_source(csv, NULL);
    assert_int_equal(window_of(source, "nope", "", &window, &error), TS_REFUSED);
    assert_non_null(strstr(error.message, "\"mark 1\""));
    assert_non_null(strstr(error.message, "\"mark 20\" and 6 more"));
    assert_null(strstr(error.message, "\"mark 21\""));
    assert_null(strstr(error.message, "00000007"));
    ts_perf_source_release(source);

    len = (size_t)snprintf(csv, sizeof csv, "%s", HEADER);
    for (int i = 1; i <= 40; i++)
        len += (size_t)snprintf(csv + len, sizeof csv - len, "%0250d,signpost,,%d\n", i, 1 + i);
    source = perf_table_source(csv, NULL);
    assert_int_equal(window_of(source, "nope", "", &window, &error), TS_REFUSED);
    snprintf(expected, sizeof expected, "and %d more", 40 - 14); /* what fits, each cut to 200 */
    assert_non_null(strstr(error.message, expected));
    ts_perf_source_release(source);
}

static void test_order_without_times_is_the_files(void **state)
{
    (void)state;
    struct ts_perf_source *source =
        perf_table_source("OP CODE,OP TYPE,DEVICE ID\nS,signpost,\nA,tt_dnn_device,0\nS,signpost,\n", NULL);

    assert_null(source->order);
    assert_int_equal(source->signposts.items[0].first, 0);
    assert_int_equal(source->signposts.items[0].second, 2);
    ts_perf_source_release(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_resolve_by_time_and_cut_by_position),
        cmocka_unit_test(test_one_name_for_both_takes_its_second_occurrence),
        cmocka_unit_test(test_listing_is_in_file_order),
        cmocka_unit_test(test_only_named_rows_of_the_exact_type_count),
        cmocka_unit_test(test_no_bounds_and_no_signposts),
        cmocka_unit_test(test_windows_may_be_empty),
        cmocka_unit_test(test_refusals_name_what_would_do),
        cmocka_unit_test(test_listing_in_a_refusal_is_bounded),
        cmocka_unit_test(test_order_without_times_is_the_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
