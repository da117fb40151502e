#include "models/perf_selection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "support/interpose_malloc.c"
#include "support/perf_table.h"
#include "support/scratch.h"

#define HEADER "OP CODE,OP TYPE,DEVICE ID,HOST START TS,DEVICE KERNEL DURATION [ns]\n"
#define OP(code, device, time) code ",tt_dnn_device," device "," time ",1000\n"
#define SIGNPOST(name, time) name ",signpost,," time ",\n"

struct bench {
    struct scratch scratch;
    struct ts_context context;
    struct ts_error error;
};

static int set_up(void **state)
{
    static struct bench bench;
    scratch_create(&bench.scratch);
    ts_context_init(&bench.context);
    bench.error = (struct ts_error){.code = TS_OK};
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    scratch_destroy(&bench->scratch);
    return 0;
}

static const char *put(struct bench *bench, const char *name, const char *text)
{
    return scratch_put(&bench->scratch, name, ts_str_from(text));
}

/* options without files: those are the texts, NULL-terminated. */
static enum ts_status select_texts(struct bench *bench, const char *const *texts,
                                   struct ts_perf_selection_options options, struct ts_perf_selection **out)
{
    static const char *const names[] = {"one.csv", "two.csv", "three.csv"};
    const char *files[3];
    for (options.file_count = 0; texts[options.file_count]; options.file_count++)
        files[options.file_count] = put(bench, names[options.file_count], texts[options.file_count]);
    options.files = files;
    return ts_perf_selection_create(&bench->context, &options, out, &bench->error);
}

static struct ts_perf_selection *selection_of(struct bench *bench, const char *text,
                                              struct ts_perf_selection_options options)
{
    struct ts_perf_selection *selection = NULL;
    const char *const texts[] = {text, NULL};
    enum ts_status status = select_texts(bench, texts, options, &selection);
    if (status != TS_OK)
        fail_msg("%s", bench->error.message);
    return selection;
}

static void check_rows(struct bench *bench, const char *text, struct ts_perf_selection_options options,
                       const char *expected)
{
    struct ts_perf_selection *selection = selection_of(bench, text, options);
    assert_string_equal(perf_table_rows(selection->report), expected);
    ts_perf_selection_destroy(selection);
}

static void check_refused(struct bench *bench, const char *const *texts, struct ts_perf_selection_options options,
                          enum ts_status status, const char *what)
{
    struct ts_perf_selection *selection = NULL;
    assert_int_equal(select_texts(bench, texts, options, &selection), status);
    assert_null(selection);
    if (!strstr(bench->error.message, what))
        fail_msg("'%s' lacks '%s'", bench->error.message, what);
}

static const char *notices(const struct ts_perf_selection *selection)
{
    static char text[4096];
    struct ts_buf buf;
    ts_buf_init(&buf, sizeof text - 1);
    ts_perf_selection_notices(selection, &buf);
    assert_false(buf.failed);
    memcpy(text, ts_buf_view(&buf).ptr, buf.len);
    text[buf.len] = '\0';
    ts_buf_free(&buf);
    return text;
}

static void check_notice(const struct ts_perf_selection *selection, const char *what, bool there)
{
    if ((strstr(notices(selection), what) != NULL) != there)
        fail_msg("'%s' is %s in '%s'", what, there ? "not" : "", notices(selection));
}

/* ---- windows ---- */

static const char marked[] = HEADER OP("A", "0", "1") SIGNPOST("s", "2") OP("B", "0", "3") SIGNPOST("t", "4")
    OP("C", "0", "5") SIGNPOST("u", "6") OP("D", "0", "7");

static void test_by_default_what_follows_the_last_signpost(void **state)
{
    struct bench *bench = *state;
    const struct ts_perf_selection_options standard = {.file_count = 0};
    struct ts_perf_selection *selection = selection_of(bench, marked, standard);
    assert_string_equal(perf_table_rows(selection->report), "8 D");
    assert_true(ts_str_is(selection->after_signpost, "u"));
    assert_int_equal(selection->after_row, 5);
    ts_perf_selection_destroy(selection);

    selection = selection_of(bench, HEADER OP("A", "0", "1") OP("B", "0", "2"), standard);
    assert_string_equal(perf_table_rows(selection->report), "2 A|3 B");
    assert_int_equal(selection->after_signpost.len, 0);
    check_notice(selection, "range does not apply", false);
    ts_perf_selection_destroy(selection);
}

static void test_the_last_signpost_is_the_first_row_of_its_name(void **state)
{
    struct bench *bench = *state;
    const struct ts_perf_selection_options standard = {.file_count = 0}, printing = {.print_signposts = true};
    const char twice[] = HEADER OP("A", "0", "1") SIGNPOST("s", "2") OP("B", "0", "3") SIGNPOST("t", "4")
        OP("C", "0", "5") SIGNPOST("s", "6") OP("D", "0", "7");
    check_rows(bench, twice, standard, "4 B|6 C|8 D");
    check_rows(bench, twice, printing, "4 B|5 t (signpost)|6 C|7 s (signpost)|8 D");
    /* An operation may be called like it too. */
    check_rows(bench, HEADER OP("s", "0", "1") OP("A", "0", "2") SIGNPOST("s", "3") OP("B", "0", "4"), standard,
               "3 A|5 B");
    check_rows(bench, HEADER OP("A", "0", "1") SIGNPOST("s", "2"), standard, "");
}

/* The order is that of host start times, not of the file. */
static void test_the_default_window_need_not_be_a_run_of_rows(void **state)
{
    struct bench *bench = *state;
    const struct ts_perf_selection_options standard = {.file_count = 0}, tracing = {.tracing_mode = true};
    const char text[] =
        HEADER OP("A", "0", "10") OP("B", "0", "40") SIGNPOST("s", "20") OP("C", "0", "5") OP("D", "0", "30");
    check_rows(bench, text, standard, "3 B|6 D");
    check_rows(bench, text, tracing, "5 C|6 D");
    /* Of two devices: what is left out is paired with nothing, so the row of id 2 does not take that of id 3. */
    check_rows(bench,
               HEADER OP("A", "0", "10") OP("A", "1", "30") SIGNPOST("s", "20") OP("A", "0", "31") OP("B", "0", "32")
                   OP("B", "1", "33"),
               standard, "5 A|6 B");
}

static void test_ignoring_and_printing(void **state)
{
    struct bench *bench = *state;
    const struct ts_signpost_range range = {TS_STR("s"), TS_STR("u")};
    check_rows(bench, marked, (struct ts_perf_selection_options){.ignore_signposts = true},
               "2 A|3 s (signpost)|4 B|5 t (signpost)|6 C|7 u (signpost)|8 D");
    check_rows(bench, marked, (struct ts_perf_selection_options){.range = range}, "4 B|6 C");
    check_rows(bench, marked, (struct ts_perf_selection_options){.range = range, .print_signposts = true},
               "4 B|5 t (signpost)|6 C");
    check_rows(bench, marked, (struct ts_perf_selection_options){.range = range, .ignore_signposts = true},
               "2 A|3 s (signpost)|4 B|5 t (signpost)|6 C|7 u (signpost)|8 D");
}

static void test_ranges_that_do_not_apply(void **state)
{
    struct bench *bench = *state;
    const struct ts_perf_selection_options options = {.range = {.start = TS_STR("s")}};
    struct ts_perf_selection *selection = selection_of(bench, HEADER OP("A", "0", "1"), options);
    assert_true(selection->window.ignored);
    check_notice(selection, "range does not apply", true);
    ts_perf_selection_destroy(selection);
    const char *const texts[] = {marked, NULL};
    check_refused(bench, texts, (struct ts_perf_selection_options){.range = {.start = TS_STR("x")}}, TS_REFUSED,
                  "\"x\"");
    check_refused(bench, texts, (struct ts_perf_selection_options){.range = {.start = TS_STR("x")}}, TS_REFUSED,
                  "one.csv");
}

static void test_filters(void **state)
{
    struct bench *bench = *state;
    const char text[] = HEADER OP("A", "0", "1") "(torch) h,host,,2,\n" OP("B", "0", "3");
    check_rows(bench, text, (struct ts_perf_selection_options){.no_host_ops = true}, "2 A|4 B");
    check_rows(bench, text, (struct ts_perf_selection_options){.ids = {3, 4}}, "3 (torch) h|4 B");
}

/* ---- files ---- */

static void test_several_files_are_one_report(void **state)
{
    struct bench *bench = *state;
    const char *const texts[] = {HEADER OP("A", "0", "1") OP("A", "1", "2"),
                                 HEADER OP("A", "0", "3") OP("A", "1", "4") "x,y,-1,,\n", HEADER OP("A", "1", "5"),
                                 NULL};
    struct ts_perf_selection *selection = NULL;
    assert_int_equal(
        select_texts(bench, texts, (struct ts_perf_selection_options){.no_merge_devices = true}, &selection), TS_OK);
    assert_string_equal(perf_table_rows(selection->report), "2 A|3 A|4 A|5 A|7 A|6 x");
    static const int32_t devices[] = {0, 1, 2, 3, 5, -1};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(ts_perf_row_facts(selection->report, i)->device, devices[i]);
    ts_perf_selection_destroy(selection);
}

static void test_files_must_agree_in_their_devices(void **state)
{
    struct bench *bench = *state;
    const struct ts_perf_selection_options standard = {.file_count = 0};
    const char *const texts[] = {HEADER OP("A", "0", "1"), HEADER OP("A", "1", "1"), NULL};
    check_refused(bench, texts, standard, TS_INPUT, "two.csv");
    check_refused(bench, texts, standard, TS_INPUT, "has 2 devices");
    const char *const without[] = {HEADER OP("A", "-1", "1"), HEADER OP("B", "0", "1"), NULL};
    struct ts_perf_selection *selection = NULL;
    assert_int_equal(select_texts(bench, without, standard, &selection), TS_OK);
    assert_int_equal(selection->files_without_devices, 1);
    check_notice(selection, "1 file has no usable DEVICE ID", true);
    assert_int_equal(ts_perf_row_facts(selection->report, 1)->device, 1);
    ts_perf_selection_destroy(selection);
}

static void test_files_without_rows(void **state)
{
    struct bench *bench = *state;
    const struct ts_perf_selection_options standard = {.file_count = 0};
    struct ts_perf_selection *selection = selection_of(bench, HEADER, standard);
    double speed, percent;
    assert_null(selection->source);
    assert_null(selection->report);
    assert_string_equal(notices(selection), "");
    assert_false(ts_perf_selection_dram(selection, &speed, &percent));
    ts_perf_selection_destroy(selection);
    const char *const texts[] = {HEADER, HEADER OP("A", "0", "1"), NULL};
    assert_int_equal(select_texts(bench, texts, standard, &selection), TS_OK);
    assert_string_equal(perf_table_rows(selection->report), "2 A");
    assert_int_equal(ts_perf_row_facts(selection->report, 0)->device, 0);
    ts_perf_selection_destroy(selection);
    ts_perf_selection_destroy(NULL);
}

static void test_files_that_are_refused(void **state)
{
    struct bench *bench = *state;
    const struct ts_perf_selection_options standard = {.file_count = 0};
    const char *const nothing[] = {NULL}, *const empty[] = {"", NULL},
                      *const lacking[] = {"OP CODE,OP TYPE\nA,B\n", NULL},
                      *const ragged[] = {HEADER OP("A", "0", "1") "B,tt_dnn_device,0,1,1000,more\n", NULL},
                      *const arch[] = {"OP CODE,OP TYPE,DEVICE ID,DEVICE ARCH\nA,tt_dnn_device,0,odd\n", NULL};
    check_refused(bench, nothing, standard, TS_USAGE, "no operations CSV");
    check_refused(bench, empty, standard, TS_INPUT, "one.csv: cannot be reported on: empty");
    check_refused(bench, lacking, standard, TS_INPUT, "missing columns: DEVICE ID");
    check_refused(bench, ragged, standard, TS_INPUT, "line 3");
    check_refused(bench, arch, standard, TS_REFUSED, "odd");
    check_refused(bench, arch, standard, TS_REFUSED, "one.csv");
    const char *const files[] = {scratch_path(&bench->scratch, "nowhere.csv")};
    struct ts_perf_selection *selection;
    assert_int_equal(ts_perf_selection_create(&bench->context,
                                              &(struct ts_perf_selection_options){.files = files, .file_count = 1},
                                              &selection, &bench->error),
                     TS_INPUT);
    assert_non_null(strstr(bench->error.message, "nowhere.csv"));
}

/* ---- notices and figures ---- */

static void test_notices(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_selection *selection = selection_of(bench,
                                                       "OP CODE,OP TYPE,DEVICE ID,DEVICE ARCH,AVAILABLE WORKER CORE "
                                                       "COUNT,SUB DEVICE ID,DEVICE KERNEL DURATION [ns],ATTRIBUTES\n"
                                                       "Strange,tt_dnn_device,0,wormhole_b0,x,0,1000,\n"
                                                       "Strange,tt_dnn_device,1,blackhole,0,0,1000,\n"
                                                       "Strange,tt_dnn_device,1,blackhole,0,1,,\n"
                                                       "Odd,tt_dnn_device,-1,,,,,\n",
                                                       (struct ts_perf_selection_options){.file_count = 0});
    check_notice(selection, "several architectures", true);
    check_notice(selection, "measured against wormhole", true);
    check_notice(selection, "1 cell of AVAILABLE WORKER CORE COUNT is no number; 64 cores", true);
    check_notice(selection, "2 cells of AVAILABLE WORKER CORE COUNT are no core counts; 64 cores", true);
    check_notice(selection, "2 operation names are in no category", true);
    check_notice(selection, "2 rows have no usable device duration", true);
    check_notice(selection, "Device 0 lacks Strange", true);
    check_notice(selection, "1 device operation has no usable DEVICE ID", true);
    check_notice(selection, "2 sub-devices (0, 1)", true);
    ts_perf_selection_destroy(selection);
}

static void test_dram_speed(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_selection *selection = selection_of(
        bench,
        "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],MATH FIDELITY,CORE COUNT,INPUT_0_MEMORY,INPUT_1_MEMORY,"
        "OUTPUT_0_MEMORY,INPUT_0_DATATYPE,INPUT_1_DATATYPE,OUTPUT_0_DATATYPE,INPUT_0_W,INPUT_0_Z,INPUT_0_Y,INPUT_0_X,"
        "INPUT_1_W,INPUT_1_Z,INPUT_1_Y,INPUT_1_X,OUTPUT_0_W,OUTPUT_0_Z,OUTPUT_0_Y,OUTPUT_0_X\n"
        "Matmul,tt_dnn_device,0,100000,HiFi4,64,DRAM,DRAM,DRAM,BFLOAT16,BFLOAT16,BFLOAT16,1,1,1024,1024,1,1,1024,1024,"
        "1,1,"
        "1024,1024\n"
        "Matmul,tt_dnn_device,0,,HiFi4,64,DRAM,DRAM,DRAM,BFLOAT16,BFLOAT16,BFLOAT16,1,1,1024,1024,1,1,1024,1024,1,1,"
        "1024,1024\n"
        "Other,tt_dnn_device,0,100000,,64,DRAM,,DRAM,BFLOAT16,,BFLOAT16,1,1,1024,1024,,,,,1,1,1024,1024\n",
        (struct ts_perf_selection_options){.file_count = 0});
    double speed = 0, percent = 0;
    assert_true(ts_perf_selection_dram(selection, &speed, &percent));
    /* 6 MiB in 200 us; half of the time at 62.9 of 288 GB/s */
    assert_true(fabs(speed - 31.45728) < 1e-9);
    assert_true(fabs(percent - 21.845333333333333 / 2) < 1e-9);
    ts_perf_selection_destroy(selection);
}

static void test_every_allocation_may_fail(void **state)
{
    struct bench *bench = *state;
    const char *const files[] = {put(bench, "one.csv", marked), put(bench, "two.csv", marked)};
    const struct ts_perf_selection_options options = {.files = files, .file_count = 2};
    long good = 0;
    for (bool failed = true; failed; good++) {
        struct ts_perf_selection *selection = NULL;
        interpose_fail_from(good);
        enum ts_status status = ts_perf_selection_create(&bench->context, &options, &selection, &bench->error);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        assert_true(failed == (selection == NULL));
        ts_perf_selection_destroy(selection);
    }
    assert_true(good > 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_by_default_what_follows_the_last_signpost),
        TEST(test_the_last_signpost_is_the_first_row_of_its_name),
        TEST(test_the_default_window_need_not_be_a_run_of_rows),
        TEST(test_ignoring_and_printing),
        TEST(test_ranges_that_do_not_apply),
        TEST(test_filters),
        TEST(test_several_files_are_one_report),
        TEST(test_files_must_agree_in_their_devices),
        TEST(test_files_without_rows),
        TEST(test_files_that_are_refused),
        TEST(test_notices),
        TEST(test_dram_speed),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
