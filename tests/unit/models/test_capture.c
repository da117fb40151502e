#include "models/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/interpose_malloc.c"
#include "support/scratch.h"

#define HEADER "OP CODE,OP TYPE,DEVICE ID,HOST START TS,DEVICE KERNEL DURATION [ns],PROGRAM HASH,PROGRAM CACHE HIT\n"
#define OP(code, time) code ",tt_dnn_device,0," time ",1000,7,False\n"
#define SIGNPOST(name, time) name ",signpost,," time ",,,\n"

static const char plain_csv[] = HEADER OP("A", "1") OP("B", "2");
static const char marked_csv[] =
    HEADER OP("A", "1") SIGNPOST("s", "2") OP("B", "3") SIGNPOST("t", "4") OP("C", "5") SIGNPOST("s", "6") OP("D", "7");

struct bench {
    struct scratch scratch;
    struct ts_context context;
    struct ts_parts *parts;
    struct ts_error error;
};

static int set_up(void **state)
{
    static struct bench bench;
    scratch_create(&bench.scratch);
    ts_context_init(&bench.context);
    bench.error = (struct ts_error){.code = TS_OK};
    *state = &bench;
    return ts_parts_create((size_t)1 << 30, &bench.parts, NULL) == TS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    ts_parts_destroy(bench->parts);
    scratch_destroy(&bench->scratch);
    return 0;
}

static const char *put(struct bench *bench, const char *name, const char *text)
{
    return scratch_put(&bench->scratch, name, ts_str_from(text));
}

static struct ts_capture *open_at(struct bench *bench, const char *performance)
{
    const struct ts_capture_paths paths = {.performance = performance};
    struct ts_capture *capture = NULL;
    enum ts_status status = ts_capture_create(&bench->context, bench->parts, &paths, "r-1", &capture, &bench->error);
    if (status != TS_OK)
        fail_msg("%s", bench->error.message);
    return capture;
}

static struct ts_capture *open_folder(struct bench *bench)
{
    return open_at(bench, bench->scratch.folder);
}

static void check_refused(struct bench *bench, const struct ts_capture_paths *paths, enum ts_status status,
                          const char *what)
{
    struct ts_capture *capture = NULL;
    assert_int_equal(ts_capture_create(&bench->context, bench->parts, paths, "r-1", &capture, &bench->error), status);
    assert_null(capture);
    if (!strstr(bench->error.message, what))
        fail_msg("'%s' lacks '%s'", bench->error.message, what);
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static struct ts_signpost_range range_of(const char *start, const char *end)
{
    return (struct ts_signpost_range){ts_str_from(start), ts_str_from(end)};
}

/* Ask for the rows of a range ("" for none at both ends); how many there are, or -status. The call ends afterwards;
 * *changed tells what the answer would say. */
static long ask(struct bench *bench, struct ts_capture *capture, const char *start, const char *end, bool *changed)
{
    struct ts_signpost_range range = range_of(start, end);
    const struct ts_perf_report *report;
    struct ts_row_window window;
    enum ts_status status = ts_capture_report(&bench->context, capture, &range, &report, &window, &bench->error);
    long rows = status == TS_OK ? (long)report->count : -(long)status;
    if (changed)
        *changed = ts_capture_changed(capture);
    ts_capture_release(capture);
    return rows;
}

/* ---- which files ---- */

static void test_an_empty_folder_opens(void **state)
{
    struct bench *bench = *state;
    struct ts_capture *capture = open_folder(bench);
    struct ts_perf_source *source;
    assert_string_equal(capture->performance_path, bench->scratch.folder);
    assert_null(capture->csv);
    assert_null(capture->device_log);
    assert_null(capture->profiler_path);
    assert_int_equal(ts_capture_source(&bench->context, capture, &source, &bench->error), TS_REFUSED);
    assert_non_null(strstr(bench->error.message, "r-1"));
    assert_non_null(strstr(bench->error.message, "holds no operations CSV"));
    ts_capture_destroy(capture);
    ts_capture_destroy(NULL);
}

static void set_time(struct bench *bench, const char *name, const char *text)
{
    /* The change time cannot be set, only made later. */
    struct stat before, after;
    const char *path = scratch_path(&bench->scratch, name);
    bool existed = stat(path, &before) == 0;
    do {
        put(bench, name, text);
        assert_int_equal(stat(path, &after), 0);
    } while (existed && before.st_ctim.tv_sec == after.st_ctim.tv_sec &&
             before.st_ctim.tv_nsec == after.st_ctim.tv_nsec);
}

static void wait_for_a_later_time(struct bench *bench, const char *than)
{
    struct stat first, probe;
    assert_int_equal(stat(scratch_path(&bench->scratch, than), &first), 0);
    do {
        put(bench, "probe", "x");
        assert_int_equal(stat(scratch_path(&bench->scratch, "probe"), &probe), 0);
    } while (first.st_ctim.tv_sec == probe.st_ctim.tv_sec && first.st_ctim.tv_nsec == probe.st_ctim.tv_nsec);
}

static void check_csv(struct bench *bench, const char *expected)
{
    struct ts_capture *capture = open_folder(bench);
    if (expected)
        assert_string_equal(base_name(capture->csv), expected);
    else
        assert_null(capture->csv);
    ts_capture_destroy(capture);
}

static void test_the_newest_csv(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results_b.csv", plain_csv);
    wait_for_a_later_time(bench, "ops_perf_results_b.csv");
    put(bench, "ops_perf_results.csv", plain_csv);
    put(bench, "ops_perf_result.csv", plain_csv);
    put(bench, "ops_perf_results.csv.bak", plain_csv);
    put(bench, "ops_perf_resultsX.csv", plain_csv);
    put(bench, "my_ops_perf_results.csv", plain_csv);
    scratch_folder(&bench->scratch, "ops_perf_results_z.csv");
    check_csv(bench, "ops_perf_results.csv");
    wait_for_a_later_time(bench, "ops_perf_results.csv");
    assert_int_equal(chmod(scratch_path(&bench->scratch, "ops_perf_results_b.csv"), 0600), 0);
    check_csv(bench, "ops_perf_results_b.csv");
}

/* One file under several names has one change time. */
static void test_of_equal_times_the_last_name(void **state)
{
    struct bench *bench = *state;
    const char *first = put(bench, "ops_perf_results_b.csv", plain_csv);
    assert_int_equal(link(first, scratch_path(&bench->scratch, "ops_perf_results_c.csv")), 0);
    assert_int_equal(link(first, scratch_path(&bench->scratch, "ops_perf_results_a.csv")), 0);
    check_csv(bench, "ops_perf_results_c.csv");
}

static void test_plain_before_compressed(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results_a.csv", plain_csv);
    wait_for_a_later_time(bench, "ops_perf_results_a.csv");
    put(bench, "ops_perf_results_a.csv.gz", "newer, and not read");
    put(bench, "ops_perf_results_a.csv.zst", "newer, and not read");
    check_csv(bench, "ops_perf_results_a.csv");
    assert_int_equal(unlink(scratch_path(&bench->scratch, "ops_perf_results_a.csv")), 0);
    check_csv(bench, "ops_perf_results_a.csv.gz");
    assert_int_equal(unlink(scratch_path(&bench->scratch, "ops_perf_results_a.csv.gz")), 0);
    check_csv(bench, "ops_perf_results_a.csv.zst");
}

static void test_log_and_database(void **state)
{
    struct bench *bench = *state;
    put(bench, "profile_log_device.csv.gz", "x");
    put(bench, "db.sqlite", "SQLite format 3");
    const struct ts_capture_paths paths = {.performance = bench->scratch.folder, .profiler = bench->scratch.folder};
    struct ts_capture *capture;
    assert_int_equal(ts_capture_create(&bench->context, bench->parts, &paths, NULL, &capture, &bench->error), TS_OK);
    assert_string_equal(base_name(capture->device_log), "profile_log_device.csv.gz");
    assert_string_equal(base_name(capture->database), "db.sqlite");
    assert_string_equal(capture->profiler_path, bench->scratch.folder);
    assert_string_equal(capture->label, bench->scratch.folder);
    ts_capture_destroy(capture);
    put(bench, "profile_log_device.csv", "x");
    capture = open_folder(bench);
    assert_string_equal(base_name(capture->device_log), "profile_log_device.csv");
    assert_null(capture->database);
    ts_capture_destroy(capture);
}

static void test_a_path_may_name_the_csv(void **state)
{
    struct bench *bench = *state;
    const char *named = put(bench, "older.csv", plain_csv);
    put(bench, "ops_perf_results.csv", marked_csv);
    put(bench, "profile_log_device.csv", "ARCH: x");
    struct ts_capture *capture = open_at(bench, named);
    assert_true(capture->csv_named);
    assert_string_equal(capture->csv, named);
    assert_string_equal(capture->performance_path, bench->scratch.folder);
    assert_null(capture->device_log);
    assert_int_equal(ask(bench, capture, "", "", NULL), 2);
    ts_capture_destroy(capture);
}

static void check_is_log(struct bench *bench, const char *name, const char *text, bool expected)
{
    struct ts_capture *capture = open_at(bench, put(bench, name, text));
    struct ts_perf_source *source;
    assert_true(capture->log_named == expected);
    assert_true((capture->device_log != NULL) == expected);
    assert_true((capture->csv == NULL) == expected);
    if (expected) {
        assert_int_equal(ts_capture_source(&bench->context, capture, &source, &bench->error), TS_REFUSED);
        assert_non_null(strstr(bench->error.message, "device log"));
    }
    ts_capture_destroy(capture);
}

static void test_a_path_may_name_the_log(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", plain_csv);
    check_is_log(bench, "profile_log_device.csv", "whatever", true);
    check_is_log(bench, "profile_log_device_3.csv.gz", "whatever", true);
    check_is_log(bench, "mine.csv", "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\nPCIe slot,x\n", true);
    check_is_log(bench, "mine.csv", "PCIe slot, core_x, core_y\n0,1,2\n", true);
    check_is_log(bench, "mine.csv", plain_csv, false);
    check_is_log(bench, "mine.csv", HEADER OP("ARCH:", "PCIe slot"), false);
    check_is_log(bench, "mine.csv", "", false);
}

static void test_a_path_may_name_the_database(void **state)
{
    struct bench *bench = *state;
    const char *database = put(bench, "other.sqlite", "SQLite format 3");
    const struct ts_capture_paths paths = {.profiler = database};
    struct ts_capture *capture;
    struct ts_perf_source *source;
    assert_int_equal(ts_capture_create(&bench->context, bench->parts, &paths, "r-1", &capture, &bench->error), TS_OK);
    assert_string_equal(capture->database, database);
    assert_string_equal(capture->profiler_path, bench->scratch.folder);
    assert_int_equal(ts_capture_source(&bench->context, capture, &source, &bench->error), TS_REFUSED);
    assert_non_null(strstr(bench->error.message, "without performance_path"));
    ts_capture_destroy(capture);
}

static void test_paths_that_are_refused(void **state)
{
    struct bench *bench = *state;
    const char *file = put(bench, "ops_perf_results.csv", plain_csv);
    const char *nowhere = scratch_path(&bench->scratch, "nowhere");
    check_refused(bench, &(struct ts_capture_paths){.profiler = NULL}, TS_USAGE, "performance_path");
    check_refused(bench, &(struct ts_capture_paths){.performance = nowhere}, TS_REFUSED, nowhere);
    check_refused(bench, &(struct ts_capture_paths){.performance = file, .directories_only = true}, TS_REFUSED, file);
    check_refused(bench, &(struct ts_capture_paths){.performance = file, .directories_only = true}, TS_REFUSED,
                  "performance_path");
    check_refused(bench, &(struct ts_capture_paths){.profiler = file, .directories_only = true}, TS_REFUSED,
                  "profiler_path");
    const char *fifo = scratch_path(&bench->scratch, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    check_refused(bench, &(struct ts_capture_paths){.performance = fifo}, TS_REFUSED, "found a pipe; write what");
    check_refused(bench, &(struct ts_capture_paths){.profiler = fifo}, TS_REFUSED, "found a pipe; write what");
    check_refused(bench, &(struct ts_capture_paths){.performance = "/dev/null"}, TS_REFUSED, "found a device; write");
    check_refused(bench, &(struct ts_capture_paths){.performance = fifo, .directories_only = true}, TS_REFUSED,
                  "not a directory");
    check_refused(bench, &(struct ts_capture_paths){.performance = ""}, TS_USAGE, "performance_path is empty");
    check_refused(bench, &(struct ts_capture_paths){.profiler = ""}, TS_USAGE, "profiler_path is empty");
}

/* ---- what opening finds out ---- */

static void test_what_opening_counts(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", marked_csv);
    struct ts_capture *capture = open_folder(bench);
    assert_int_equal(capture->signpost_count, 2);
    assert_int_equal(capture->device_count, 1);
    assert_true(capture->program_columns);
    assert_false(capture->csv_problem.unusable || capture->csv_problem.rows_unreadable);
    ts_capture_destroy(capture);
    put(bench, "ops_perf_results.csv", "OP CODE,OP TYPE,DEVICE ID,PROGRAM HASH\nA,tt_dnn_device,0,1\n");
    capture = open_folder(bench);
    assert_false(capture->program_columns);
    ts_capture_destroy(capture);
}

static void check_problem(struct bench *bench, const char *csv, bool unusable, const char *what)
{
    struct ts_capture *capture;
    struct ts_perf_source *source;
    put(bench, "ops_perf_results.csv", csv);
    capture = open_folder(bench);
    assert_true(capture->csv_problem.unusable == unusable);
    assert_true(capture->csv_problem.rows_unreadable != unusable);
    if (!strstr(capture->csv_problem.message, what))
        fail_msg("'%s' lacks '%s'", capture->csv_problem.message, what);
    assert_int_equal(ts_capture_source(&bench->context, capture, &source, &bench->error), TS_REFUSED);
    assert_non_null(strstr(bench->error.message, what));
    assert_non_null(strstr(bench->error.message, "ops_perf_results.csv"));
    assert_int_equal(ask(bench, capture, "", "", NULL), -TS_REFUSED);
    /* What it was refused for is asked before whether the file has changed. */
    put(bench, "ops_perf_results.csv", plain_csv);
    assert_int_equal(ask(bench, capture, "no such name", "", NULL), -TS_REFUSED);
    ts_capture_destroy(capture);
}

static void test_files_that_cannot_be_reported_on(void **state)
{
    struct bench *bench = *state;
    check_problem(bench, "OP CODE,DEVICE ID\nA,0\n", true, "OP TYPE");
    check_problem(bench, "", true, "empty");
    check_problem(bench, HEADER, true, "no data rows");
    check_problem(bench, HEADER OP("A", "1") "B,tt_dnn_device,0,1,1000,7,False,surplus\n", false, "line 3");
    check_problem(bench, HEADER "\"A,tt_dnn_device\n", false, "quote");
    check_problem(bench, "OP CODE,OP TYPE,DEVICE ID,DEVICE ARCH\nA,tt_dnn_device,0,grayskull\n", false, "grayskull");
}

static void test_program_columns_of_unreadable_rows(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", HEADER OP("A", "1") "B,tt_dnn_device,0,1,1000,7,False,surplus\n");
    struct ts_capture *capture = open_folder(bench);
    assert_true(capture->csv_problem.rows_unreadable);
    assert_true(capture->program_columns);
    ts_capture_destroy(capture);
}

static void test_an_unreadable_file(void **state)
{
    struct bench *bench = *state;
    if (geteuid() == 0)
        skip();
    assert_int_equal(chmod(put(bench, "ops_perf_results.csv", plain_csv), 0), 0);
    struct ts_capture *capture = open_folder(bench);
    assert_true(capture->csv_problem.unusable);
    assert_non_null(strstr(capture->csv_problem.message, "unreadable"));
    ts_capture_destroy(capture);
}

/* ---- reading ---- */

static void test_reports_and_ranges(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", marked_csv);
    struct ts_capture *capture = open_folder(bench);
    assert_int_equal(ask(bench, capture, "", "", NULL), 7);
    assert_int_equal(ask(bench, capture, "s", "t", NULL), 1);
    assert_int_equal(ask(bench, capture, "s", "s", NULL), 3);
    assert_int_equal(ask(bench, capture, "t", "", NULL), 3);
    assert_int_equal(ask(bench, capture, "", "s", NULL), 1);
    assert_int_equal(ask(bench, capture, "nobody", "", NULL), -TS_REFUSED);
    assert_non_null(strstr(bench->error.message, "r-1"));
    assert_int_equal(ask(bench, capture, "t", "t", NULL), -TS_REFUSED);
    ts_capture_destroy(capture);
}

static void test_windows_are_told(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", marked_csv);
    struct ts_capture *capture = open_folder(bench);
    const struct ts_signpost_range range = range_of("s", "t");
    const struct ts_perf_report *first, *again, *whole;
    struct ts_row_window window;
    assert_int_equal(ts_capture_report(&bench->context, capture, &range, &first, &window, &bench->error), TS_OK);
    assert_int_equal(window.first, 2);
    assert_int_equal(window.end, 3);
    assert_false(window.ignored);
    assert_int_equal(ts_capture_report(&bench->context, capture, NULL, &whole, &window, &bench->error), TS_OK);
    assert_int_equal(window.first, 0);
    assert_int_equal(window.end, 7);
    assert_int_equal(ts_capture_report(&bench->context, capture, &range, &again, NULL, &bench->error), TS_OK);
    assert_ptr_equal(first, again);
    assert_ptr_not_equal(first, whole);
    ts_capture_destroy(capture);
}

static void test_a_range_of_a_report_without_signposts(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", plain_csv);
    struct ts_capture *capture = open_folder(bench);
    const struct ts_signpost_range range = range_of("s", "t");
    const struct ts_perf_report *ranged, *whole;
    struct ts_row_window window;
    assert_int_equal(ts_capture_report(&bench->context, capture, &range, &ranged, &window, &bench->error), TS_OK);
    assert_true(window.ignored);
    assert_int_equal(window.end, 2);
    assert_int_equal(ts_capture_report(&bench->context, capture, NULL, &whole, &window, &bench->error), TS_OK);
    assert_false(window.ignored);
    assert_ptr_equal(ranged, whole);
    ts_capture_destroy(capture);
}

/* Names that would run together if they were only put behind one another. */
static void test_ranges_are_not_confused(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv",
        HEADER SIGNPOST("a", "1") OP("A", "2") SIGNPOST("a/b", "3") OP("B", "4") SIGNPOST("b/c", "5") OP("C", "6")
            SIGNPOST("c", "7") OP("D", "8") SIGNPOST("a%2fb", "9"));
    struct ts_capture *capture = open_folder(bench);
    assert_int_equal(ask(bench, capture, "a", "b/c", NULL), 3);
    assert_int_equal(ask(bench, capture, "a/b", "c", NULL), 3);
    assert_int_equal(ask(bench, capture, "a", "a%2fb", NULL), 7);
    assert_int_equal(ask(bench, capture, "a", "a/b", NULL), 1);
    ts_capture_destroy(capture);
}

static void test_program_reuse(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", marked_csv);
    struct ts_capture *capture = open_folder(bench);
    const struct ts_cache_reuse *first, *again;
    assert_int_equal(ts_capture_cache_reuse(&bench->context, capture, &first, &bench->error), TS_OK);
    assert_int_equal(first->totals.repeat_misses, 3);
    ts_capture_release(capture);
    assert_int_equal(ts_capture_cache_reuse(&bench->context, capture, &again, &bench->error), TS_OK);
    assert_ptr_equal(first, again);
    ts_capture_destroy(capture);
}

static void test_device_log(void **state)
{
    struct bench *bench = *state;
    struct ts_arena arena;
    struct ts_device_log_head head;
    bool found = true;
    ts_arena_init(&arena, 0);
    struct ts_capture *capture = open_folder(bench);
    assert_int_equal(ts_capture_device_log(&bench->context, capture, &arena, &head, &found, &bench->error), TS_OK);
    assert_false(found);
    ts_capture_destroy(capture);
    const char *path = put(bench, "profile_log_device.csv", "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n");
    capture = open_folder(bench);
    assert_int_equal(ts_capture_device_log(&bench->context, capture, &arena, &head, &found, &bench->error), TS_OK);
    assert_true(found);
    assert_true(ts_str_is(head.arch, "wormhole_b0"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(ts_capture_device_log(&bench->context, capture, &arena, &head, &found, &bench->error), TS_OK);
    assert_false(found);
    ts_capture_destroy(capture);
    ts_arena_free(&arena);
}

/* ---- files that change ---- */

static void test_a_changed_file_answers_what_it_answered(void **state)
{
    struct bench *bench = *state;
    bool changed;
    put(bench, "ops_perf_results.csv", marked_csv);
    struct ts_capture *capture = open_folder(bench);
    assert_int_equal(ask(bench, capture, "", "", &changed), 7);
    assert_false(changed);
    assert_int_equal(ask(bench, capture, "s", "t", &changed), 1);
    assert_false(changed);
    set_time(bench, "ops_perf_results.csv", plain_csv);

    assert_int_equal(ask(bench, capture, "", "", &changed), 7);
    assert_true(changed);
    assert_int_equal(ask(bench, capture, "s", "t", &changed), 1);
    assert_true(changed);
    assert_int_equal(ask(bench, capture, "t", "", NULL), -TS_CHANGED);
    assert_non_null(strstr(bench->error.message, "r-1"));
    /* Whether the file changed comes before whether the name is one. */
    assert_int_equal(ask(bench, capture, "nobody", "", NULL), -TS_CHANGED);
    assert_int_equal(ask(bench, capture, "t", "t", NULL), -TS_CHANGED);

    /* Made from the rows that are there. */
    const struct ts_cache_reuse *reuse;
    assert_int_equal(ts_capture_cache_reuse(&bench->context, capture, &reuse, &bench->error), TS_OK);
    assert_int_equal(reuse->totals.repeat_misses, 3);
    assert_true(ts_capture_changed(capture));
    ts_capture_release(capture);

    struct ts_capture *fresh = open_folder(bench);
    assert_int_equal(ask(bench, fresh, "", "", &changed), 2);
    assert_false(changed);
    ts_capture_destroy(fresh);
    ts_capture_destroy(capture);
}

static void test_nothing_asked_nothing_answered(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", marked_csv);
    struct ts_capture *capture = open_folder(bench);
    ts_capture_release(capture);
    set_time(bench, "ops_perf_results.csv", plain_csv);
    const struct ts_cache_reuse *reuse;
    assert_int_equal(ask(bench, capture, "", "", NULL), -TS_CHANGED);
    assert_int_equal(ask(bench, capture, "s", "t", NULL), -TS_CHANGED);
    assert_int_equal(ts_capture_cache_reuse(&bench->context, capture, &reuse, &bench->error), TS_CHANGED);
    /* Another capture of the old file does not help: this one never answered from it. */
    ts_capture_destroy(capture);
}

static void test_another_captures_rows_are_not_ours(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", marked_csv);
    struct ts_capture *first = open_folder(bench), *second = open_folder(bench);
    assert_int_equal(ask(bench, first, "", "", NULL), 7);
    set_time(bench, "ops_perf_results.csv", plain_csv);
    assert_int_equal(ask(bench, first, "", "", NULL), 7);
    assert_int_equal(ask(bench, second, "", "", NULL), -TS_CHANGED);
    ts_capture_destroy(first);
    ts_capture_destroy(second);
}

static void test_a_superseded_file(void **state)
{
    struct bench *bench = *state;
    bool changed;
    put(bench, "ops_perf_results_1.csv", marked_csv);
    struct ts_capture *folder = open_folder(bench);
    struct ts_capture *named = open_at(bench, scratch_path(&bench->scratch, "ops_perf_results_1.csv"));
    assert_int_equal(ask(bench, folder, "", "", NULL), 7);
    wait_for_a_later_time(bench, "ops_perf_results_1.csv");
    put(bench, "ops_perf_results_2.csv", plain_csv);
    assert_int_equal(ask(bench, folder, "", "", &changed), 7);
    assert_true(changed);
    assert_int_equal(ask(bench, folder, "s", "t", NULL), -TS_CHANGED);
    /* Where the file itself was named, others beside it do not matter. */
    assert_int_equal(ask(bench, named, "s", "t", &changed), 1);
    assert_false(changed);
    ts_capture_destroy(folder);
    ts_capture_destroy(named);
}

static void test_a_file_that_is_gone(void **state)
{
    struct bench *bench = *state;
    bool changed;
    const char *path = put(bench, "ops_perf_results.csv", marked_csv);
    struct ts_capture *folder = open_folder(bench), *named = open_at(bench, path);
    assert_int_equal(ask(bench, folder, "", "", NULL), 7);
    assert_int_equal(ask(bench, named, "", "", NULL), 7);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(ask(bench, folder, "", "", &changed), 7);
    assert_true(changed);
    assert_int_equal(ask(bench, named, "", "", &changed), 7);
    assert_true(changed);
    assert_int_equal(ask(bench, named, "s", "", NULL), -TS_CHANGED);
    ts_capture_destroy(folder);
    ts_capture_destroy(named);
}

static void test_a_folder_that_is_gone(void **state)
{
    struct bench *bench = *state;
    bool changed;
    scratch_folder(&bench->scratch, "here");
    put(bench, "here/ops_perf_results.csv", marked_csv);
    struct ts_capture *capture = open_at(bench, scratch_path(&bench->scratch, "here"));
    assert_int_equal(ask(bench, capture, "", "", NULL), 7);
    assert_int_equal(rename(scratch_path(&bench->scratch, "here"), scratch_path(&bench->scratch, "there")), 0);
    assert_int_equal(ask(bench, capture, "", "", &changed), 7);
    assert_true(changed);
    assert_int_equal(ask(bench, capture, "s", "", NULL), -TS_CHANGED);
    ts_capture_destroy(capture);
}

static void test_an_ignored_range_of_a_changed_file(void **state)
{
    struct bench *bench = *state;
    bool changed;
    put(bench, "ops_perf_results.csv", plain_csv);
    struct ts_capture *capture = open_folder(bench);
    assert_int_equal(ask(bench, capture, "s", "t", NULL), 2);
    set_time(bench, "ops_perf_results.csv", marked_csv);
    assert_int_equal(ask(bench, capture, "s", "t", &changed), 2);
    assert_true(changed);
    ts_capture_destroy(capture);
}

/* ---- sharing and bounds ---- */

static void test_captures_share_rows(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", marked_csv);
    struct ts_capture *first = open_folder(bench), *second = open_folder(bench);
    const struct ts_perf_report *one, *two;
    assert_int_equal(ts_capture_report(&bench->context, first, NULL, &one, NULL, &bench->error), TS_OK);
    assert_int_equal(ts_capture_report(&bench->context, second, NULL, &two, NULL, &bench->error), TS_OK);
    assert_ptr_equal(one, two);
    ts_capture_destroy(first);
    /* Still borrowed by the second. */
    assert_int_equal(two->count, 7);
    ts_capture_destroy(second);
}

static void test_nothing_is_kept_without_room(void **state)
{
    struct bench *bench = *state;
    struct ts_parts *none;
    bool changed;
    assert_int_equal(ts_parts_create(1, &none, NULL), TS_OK);
    put(bench, "ops_perf_results.csv", marked_csv);
    const struct ts_capture_paths paths = {.performance = bench->scratch.folder};
    struct ts_capture *capture;
    assert_int_equal(ts_capture_create(&bench->context, none, &paths, "r-1", &capture, &bench->error), TS_OK);
    assert_int_equal(ask(bench, capture, "", "", NULL), 7);
    assert_int_equal(ts_parts_bytes(none), 0);
    assert_int_equal(ask(bench, capture, "s", "t", &changed), 1);
    assert_false(changed);
    set_time(bench, "ops_perf_results.csv", plain_csv);
    assert_int_equal(ask(bench, capture, "", "", NULL), -TS_CHANGED);
    ts_capture_destroy(capture);
    ts_parts_destroy(none);
}

static void test_every_allocation_may_fail(void **state)
{
    struct bench *bench = *state;
    put(bench, "ops_perf_results.csv", marked_csv);
    put(bench, "db.sqlite", "");
    const struct ts_capture_paths paths = {.performance = bench->scratch.folder, .profiler = bench->scratch.folder};
    long good = 0;
    for (bool failed = true; failed; good++) {
        struct ts_parts *parts;
        struct ts_capture *capture = NULL;
        assert_int_equal(ts_parts_create((size_t)1 << 20, &parts, NULL), TS_OK);
        interpose_fail_from(good);
        enum ts_status status = ts_capture_create(&bench->context, parts, &paths, "r-1", &capture, &bench->error);
        const struct ts_perf_report *report;
        const struct ts_cache_reuse *reuse;
        const struct ts_signpost_range range = range_of("s", "t");
        if (status == TS_OK)
            status = ts_capture_report(&bench->context, capture, &range, &report, NULL, &bench->error);
        if (status == TS_OK)
            status = ts_capture_cache_reuse(&bench->context, capture, &reuse, &bench->error);
        failed = interpose_stop();
        if (status != TS_OK)
            assert_int_equal(status, TS_NO_MEMORY);
        assert_true(failed == (status != TS_OK));
        ts_capture_destroy(capture);
        ts_parts_destroy(parts);
    }
    assert_true(good > 30);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_an_empty_folder_opens),
        TEST(test_the_newest_csv),
        TEST(test_of_equal_times_the_last_name),
        TEST(test_plain_before_compressed),
        TEST(test_log_and_database),
        TEST(test_a_path_may_name_the_csv),
        TEST(test_a_path_may_name_the_log),
        TEST(test_a_path_may_name_the_database),
        TEST(test_paths_that_are_refused),
        TEST(test_what_opening_counts),
        TEST(test_files_that_cannot_be_reported_on),
        TEST(test_program_columns_of_unreadable_rows),
        TEST(test_an_unreadable_file),
        TEST(test_reports_and_ranges),
        TEST(test_windows_are_told),
        TEST(test_a_range_of_a_report_without_signposts),
        TEST(test_ranges_are_not_confused),
        TEST(test_program_reuse),
        TEST(test_device_log),
        TEST(test_a_changed_file_answers_what_it_answered),
        TEST(test_nothing_asked_nothing_answered),
        TEST(test_another_captures_rows_are_not_ours),
        TEST(test_a_superseded_file),
        TEST(test_a_file_that_is_gone),
        TEST(test_a_folder_that_is_gone),
        TEST(test_an_ignored_range_of_a_changed_file),
        TEST(test_captures_share_rows),
        TEST(test_nothing_is_kept_without_room),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
