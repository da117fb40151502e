#include "surfaces/mcp/usage_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "support/scratch.h"
#include "surfaces/mcp/usage_compact.h"

static void reads_the_switch(void **state)
{
    (void)state;
    static const char *const on[] = {"false", "0", "FALSE", " False\t", " 0 ", NULL};
    static const char *const off[] = {"true", "1", "yes", "", " ", "TRUE", " Yes ", NULL};
    static const char *const misspelt[] = {"maybe", "no", "off", "00", "falsee", "2", NULL};
    bool recognised;
    assert_false(ts_mcp_usage_disabled(NULL, &recognised));
    assert_true(recognised);
    for (size_t i = 0; on[i]; i++) {
        assert_false(ts_mcp_usage_disabled(on[i], &recognised));
        assert_true(recognised);
    }
    for (size_t i = 0; off[i]; i++) {
        assert_true(ts_mcp_usage_disabled(off[i], &recognised));
        assert_true(recognised);
    }
    for (size_t i = 0; misspelt[i]; i++) {
        assert_true(ts_mcp_usage_disabled(misspelt[i], &recognised));
        assert_false(recognised);
    }
}

static void expect_compacted(const char *log, const char *text, bool shorter)
{
    struct ts_buf out;
    struct ts_error error;
    bool fewer;
    ts_buf_init(&out, 0);
    assert_int_equal(ts_usage_compact_text(ts_str_from(log), &out, &fewer, &error), TS_OK);
    assert_string_equal(out.ptr ? out.ptr : "", text);
    assert_int_equal(fewer, shorter);
    ts_buf_free(&out);
}

static void compacts_the_older_half(void **state)
{
    (void)state;
    expect_compacted("ts=1 event=e schema_version=1 run_id=a tool=x outcome=ok\n"
                     "ts=3 event=e schema_version=1 run_id=b tool=x outcome=ok count=5\n"
                     "ts=2 event=e outcome=ok tool=x schema_version=1 run_id=a\n"
                     "ts=2 event=e schema_version=1 run_id=a tool=x outcome=refused\n"
                     "ts=9 event=e schema_version=1 run_id=a tool=x outcome=ok\n"
                     "young 1\nyoung 2\nyoung 3\nyoung 4\nyoung 5\nyoung 6\n",
                     "ts=2 event=e outcome=refused schema_version=1 tool=x count=1\n"
                     "ts=9 event=e outcome=ok schema_version=1 tool=x count=8\n"
                     "young 1\nyoung 2\nyoung 3\nyoung 4\nyoung 5\nyoung 6\n",
                     true);
}

static void keeps_what_it_cannot_read(void **state)
{
    (void)state;
    /* The older half of 23 lines are 11. */
    expect_compacted("nonsense\n"
                     "ts=1 schema_version=1 tool=x\n"
                     "ts=1 event=e tool=x\n"
                     "event=e schema_version=1 tool=x\n"
                     "ts=1 event=e schema_version=1 count=0\n"
                     "ts=1 event=e schema_version=1 count=-2\n"
                     "ts=1 event=e schema_version=1 count=x\n"
                     "ts=1 event=e  schema_version=1\n"
                     "\n"
                     "ts=1 event=e schema_version=1\n"
                     "ts=2 event=e schema_version=1\n"
                     "y\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny",
                     "ts=2 event=e schema_version=1 count=2\n"
                     "nonsense\n"
                     "ts=1 schema_version=1 tool=x\n"
                     "ts=1 event=e tool=x\n"
                     "event=e schema_version=1 tool=x\n"
                     "ts=1 event=e schema_version=1 count=0\n"
                     "ts=1 event=e schema_version=1 count=-2\n"
                     "ts=1 event=e schema_version=1 count=x\n"
                     "ts=1 event=e  schema_version=1\n"
                     "\n"
                     "y\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny",
                     true);
}

static void says_when_it_gains_nothing(void **state)
{
    (void)state;
    expect_compacted("", "", false);
    expect_compacted("one line\n", "one line\n", false);
    expect_compacted("ts=1 event=e schema_version=1 tool=a\nts=1 event=e schema_version=1 tool=b\n\n\n",
                     "ts=1 event=e schema_version=1 tool=a count=1\nts=1 event=e schema_version=1 tool=b count=1\n\n\n",
                     false);
    /* A sum that no longer fits stays at the largest. */
    expect_compacted(
        "ts=1 event=e schema_version=1 count=18446744073709551615\nts=1 event=e schema_version=1 count=2\na\nb\n",
        "ts=1 event=e schema_version=1 count=18446744073709551615\na\nb\n", true);
}

/* ---- writing ---- */

static uint64_t now = 1000;

static uint64_t clock_ns(void)
{
    return now;
}

static const struct ts_mcp_log silent = {TS_MCP_DEBUG, -1};

static void count_lines(struct scratch *scratch, size_t expected)
{
    struct ts_str text = scratch_get(scratch, ".tilesight/usage/events.log");
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    assert_int_equal(lines, expected);
}

static void measures_a_full_file_again_after_a_minute(void **state)
{
    (void)state;
    struct scratch scratch;
    struct ts_mcp_usage usage;
    scratch_create(&scratch);
    ts_mcp_usage_start(&usage, &silent, clock_ns, scratch_path(&scratch, ""), NULL);
    ts_mcp_usage_record(&usage, "top_ops", "ok");
    count_lines(&scratch, 1);

    struct ts_buf large;
    ts_buf_init(&large, 0);
    for (size_t i = 0; i < TS_LIMIT_USAGE_LOG; i++)
        ts_buf_char(&large, 'x');
    ts_buf_char(&large, '\n');
    scratch_put(&scratch, ".tilesight/usage/events.log", ts_buf_view(&large));
    ts_buf_free(&large);
    ts_mcp_usage_record(&usage, "top_ops", "ok");
    count_lines(&scratch, 1);
    assert_true(usage.full);

    scratch_put(&scratch, ".tilesight/usage/events.log", TS_STR(""));
    now += 59 * (uint64_t)1000000000;
    ts_mcp_usage_record(&usage, "top_ops", "ok");
    count_lines(&scratch, 0);
    now += 2 * (uint64_t)1000000000;
    ts_mcp_usage_record(&usage, "top_ops", "ok");
    count_lines(&scratch, 1);
    ts_mcp_usage_free(&usage);
    scratch_destroy(&scratch);
}

static void writes_nothing_unfit(void **state)
{
    (void)state;
    struct scratch scratch;
    struct ts_mcp_usage usage;
    scratch_create(&scratch);
    ts_mcp_usage_start(&usage, &silent, clock_ns, scratch_path(&scratch, ""), NULL);
    ts_mcp_usage_record(&usage, "a b", "ok");
    ts_mcp_usage_record(&usage, "a\n", "ok");
    ts_mcp_usage_record(&usage, "", "ok");
    ts_mcp_usage_record(&usage, "a", "o=k");
    assert_int_equal(scratch_count(&scratch, ""), 0);
    ts_mcp_usage_record(&usage, "A.b_c:+-9", "ok");
    count_lines(&scratch, 1);
    ts_mcp_usage_free(&usage);
    scratch_destroy(&scratch);
}

static void without_a_home_records_nothing(void **state)
{
    (void)state;
    struct ts_mcp_usage usage;
    ts_mcp_usage_start(&usage, &silent, clock_ns, NULL, NULL);
    ts_mcp_usage_record(&usage, "top_ops", "ok");
    ts_mcp_usage_compact(&usage);
    ts_mcp_usage_free(&usage);
}

/* A large file becomes smaller; one that gains nothing keeps its very bytes. */
static void compacts_the_file(void **state)
{
    (void)state;
    struct scratch scratch;
    struct ts_error error;
    struct ts_buf text;
    scratch_create(&scratch);
    ts_buf_init(&text, 0);
    for (unsigned i = 0; text.len <= TS_LIMIT_USAGE_LOG; i++)
        ts_buf_printf(&text, "ts=2026-01-01T00:00:%02uZ event=e schema_version=1 run_id=%08x tool=t%u\n", i % 60, i,
                      i % 3);
    const char *path = scratch_put(&scratch, "events.log", ts_buf_view(&text));
    assert_int_equal(ts_usage_compact(scratch_path(&scratch, ""), &error), TS_OK);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_true((size_t)about.st_size < text.len / 2 + 1000);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(scratch_count(&scratch, ""), 2);

    ts_buf_clear(&text);
    for (unsigned i = 0; text.len <= TS_LIMIT_USAGE_LOG; i++)
        ts_buf_printf(&text, "unreadable %u\n", i);
    scratch_put(&scratch, "events.log", ts_buf_view(&text));
    assert_int_equal(ts_usage_compact(scratch_path(&scratch, ""), &error), TS_OK);
    struct ts_str after = scratch_get(&scratch, "events.log");
    assert_int_equal(after.len, text.len);
    assert_memory_equal(after.ptr, text.ptr, text.len);

    assert_int_equal(ts_usage_compact("/nonexistent/folder", &error), TS_IO);
    ts_buf_free(&text);
    scratch_destroy(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_switch),
        cmocka_unit_test(compacts_the_older_half),
        cmocka_unit_test(keeps_what_it_cannot_read),
        cmocka_unit_test(says_when_it_gains_nothing),
        cmocka_unit_test(measures_a_full_file_again_after_a_minute),
        cmocka_unit_test(writes_nothing_unfit),
        cmocka_unit_test(without_a_home_records_nothing),
        cmocka_unit_test(compacts_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
