#include "transforms/perf_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/limits.h"
#include "support/interpose_malloc.c"
#include "support/scratch.h"

static struct scratch scratch;
static struct ts_perf_selection *selection;
static const char *const files[] = {TS_SOURCE_DIR "/tests/golden/perf_report/captures/hostile.csv"};

static int set_up(void **state)
{
    (void)state;
    const struct ts_perf_selection_options options = {.files = files, .file_count = 1, .ignore_signposts = true};
    struct ts_context context;
    struct ts_error error;
    ts_context_init(&context);
    scratch_create(&scratch);
    return ts_perf_selection_create(&context, &options, &selection, &error) == TS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ts_perf_selection_destroy(selection);
    scratch_destroy(&scratch);
    return 0;
}

static enum ts_status write_json(struct ts_context *context, const char *name, unsigned top)
{
    const struct ts_stacked_options stacked_options = {.by = TS_STACKED_MEMORY};
    const struct ts_perf_json_options options = {
        .files = files, .file_count = 1, .raw_op_codes = true, .devices = true, .by = TS_STACKED_MEMORY, .top = top};
    struct ts_stacked *stacked = NULL;
    struct ts_writer *writer = NULL;
    struct ts_error error;
    enum ts_status status = ts_stacked_create(context, selection->report, &stacked_options, &stacked, &error);
    if (status == TS_OK)
        status = ts_writer_create(context, scratch_path(&scratch, name), &writer, &error);
    if (status == TS_OK)
        status = ts_perf_json_write(context, selection, stacked, &options, writer, &error);
    if (status == TS_OK)
        status = ts_writer_commit(writer, &error);
    else
        ts_writer_abandon(writer);
    ts_stacked_destroy(stacked);
    return status;
}

static void test_it_is_json_whatever_names_hold(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_error error;
    yyjson_doc *doc;
    ts_context_init(&context);
    assert_int_equal(write_json(&context, "report.json", 0), TS_OK);
    struct ts_str text = scratch_get(&scratch, "report.json");
    assert_non_null(text.ptr);
    for (size_t i = 0; i < text.len; i++)
        assert_true((unsigned char)text.ptr[i] >= 0x20 || text.ptr[i] == '\n');
    assert_int_equal(ts_json_parse(text, TS_LIMIT_MCP_DEPTH, false, &doc, &error), TS_OK);
    yyjson_val *rows = ts_json_get(yyjson_doc_get_root(doc), "rows");
    assert_int_equal(yyjson_arr_size(rows), selection->report->count);
    yyjson_val *first = yyjson_arr_get_first(rows);
    assert_string_equal(yyjson_get_str(ts_json_get(first, "raw_op_code")), "Evil\x1b[31mRed\x1b]0;owned\x07Operation");
    yyjson_doc_free(doc);
}

static void test_the_largest_shares_come_first(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_error error;
    yyjson_doc *doc;
    ts_context_init(&context);
    assert_int_equal(write_json(&context, "report.json", 3), TS_OK);
    struct ts_str text = scratch_get(&scratch, "report.json");
    assert_int_equal(ts_json_parse(text, TS_LIMIT_MCP_DEPTH, false, &doc, &error), TS_OK);
    yyjson_val *rows = ts_json_get(yyjson_doc_get_root(doc), "rows"), *row;
    assert_int_equal(yyjson_arr_size(rows), 3);
    double before = 101;
    size_t index, max;
    yyjson_arr_foreach(rows, index, max, row)
    {
        double share = yyjson_get_num(ts_json_get(row, "total_percent"));
        assert_true(share <= before);
        before = share;
    }
    yyjson_doc_free(doc);
}

/* Memory that is out is an error, never a report with something missing. */
static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct ts_context context;
    ts_context_init(&context);
    assert_int_equal(write_json(&context, "whole.json", 5), TS_OK);
    struct ts_str whole = scratch_get(&scratch, "whole.json");
    long good = 0;
    for (bool failed = true; failed; good++) {
        interpose_fail_once(good); /* a buffer may do with less then */
        enum ts_status status = write_json(&context, "failing.json", 5);
        failed = interpose_stop();
        if (!failed || status != TS_NO_MEMORY)
            assert_int_equal(status, TS_OK);
        struct ts_str text = scratch_get(&scratch, "failing.json");
        if (status == TS_OK)
            assert_true(ts_str_equal(text, whole));
    }
    assert_true(good > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_it_is_json_whatever_names_hold, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_largest_shares_come_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
