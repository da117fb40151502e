#include "formats/stack_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct ts_stack_trace trace;
static struct ts_stack_frame frame;

static void begin(struct ts_str text)
{
    ts_stack_trace_init(&trace, text);
}

/* code NULL: none is expected. */
static void expect_frame(const char *file, const char *line, const char *function, const char *code)
{
    assert_true(ts_stack_trace_next(&trace, &frame));
    assert_true(ts_str_is(frame.file, file));
    assert_true(ts_str_is(frame.line, line));
    assert_true(ts_str_is(frame.function, function));
    if (!code)
        assert_null(frame.code.ptr);
    else
        assert_true(frame.code.ptr && ts_str_is(frame.code, code));
}

static void expect_end(void)
{
    assert_false(ts_stack_trace_next(&trace, &frame));
    assert_false(ts_stack_trace_next(&trace, &frame));
}

static void test_frames_innermost_first(void **state)
{
    (void)state;
    begin(TS_STR("  File \"m/a_b.py\", line 10, in __call__\n\n    x = ttnn.op(x)\n\tFile \"m/c.py\", line 20, in "
                 "outer \nnoise\n"
                 "  File \"m/d.py\", line 30, in last"));
    expect_frame("m/a_b.py", "10", "__call__", "x = ttnn.op(x)");
    expect_frame("m/c.py", "20", "outer", "noise");
    expect_frame("m/d.py", "30", "last", NULL);
    expect_end();
}

static void test_every_line_boundary(void **state)
{
    (void)state;
    begin(TS_STR("File \"a\", line 1, in a\r\nA\vFile \"b\", line 2, in b\fB\x1c"
                 "File \"c\", line 3, in c\x1d"
                 "C\x1e"
                 "File \"d\", line 4, in d\xc2\x85"
                 "D\xe2\x80\xa8"
                 "File \"e\", line 5, in e\xe2\x80\xa9"
                 "E\rFile \"f\", line 6, in f"));
    expect_frame("a", "1", "a", "A");
    expect_frame("b", "2", "b", "B");
    expect_frame("c", "3", "c", "C");
    expect_frame("d", "4", "d", "D");
    expect_frame("e", "5", "e", "E");
    expect_frame("f", "6", "f", NULL);
    expect_end();
    /* Other characters that begin with the same bytes are none. */
    begin(TS_STR("File \"a\", line 1, in a\xc2\x80\xe2\x80\xa7\xe2\x81\xa8z\n"));
    expect_frame("a", "1", "a\xc2\x80\xe2\x80\xa7\xe2\x81\xa8z", NULL);
    expect_end();
}

static void test_source_of_several_lines(void **state)
{
    (void)state;
    begin(TS_STR("File \"a\", line 1, in f\nfirst(\n  second)\nFile \"b\", line 2, in g\n"));
    expect_frame("a", "1", "f", "first(");
    expect_frame("b", "2", "g", NULL);
    expect_end();
}

static void test_what_is_no_frame(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "File \"a\", line 1",         "File \"a\" line 1, in f",  "File \"\", line 1, in f",
        "File \"a\", line x, in f",   "File \"a\", line , in f",  "File \"a\", line 1, in ",
        "x File \"a\", line 1, in f", "file \"a\", line 1, in f", "File \"a, line 1, in f",
        "File \"a\", line -1, in f",  " --- tt::run(...)",        "path/file.cpp:123",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        begin(ts_str_from(lines[i]));
        expect_end();
        assert_false(ts_stack_trace_is_blank(ts_str_from(lines[i])));
    }
    begin(TS_STR("\xc2\xa0"
                 "File \"a\", line 1, in f"));
    expect_end();
}

static void test_frames_between_native_lines(void **state)
{
    (void)state;
    begin(TS_STR(" --- native\nFile \"a\", line 99999999999999999999999, in <module>\n --- native"));
    expect_frame("a", "99999999999999999999999", "<module>", "--- native");
    expect_end();
}

static void test_blank(void **state)
{
    (void)state;
    assert_true(ts_stack_trace_is_blank(TS_STR("")));
    assert_true(ts_stack_trace_is_blank(TS_STR(" \t\n\v\f\r\n\x1c\xc2\x85\xe2\x80\xa8 ")));
    assert_false(ts_stack_trace_is_blank(TS_STR(" \n.")));
    begin(TS_STR(""));
    expect_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_innermost_first),      cmocka_unit_test(test_every_line_boundary),
        cmocka_unit_test(test_source_of_several_lines),     cmocka_unit_test(test_what_is_no_frame),
        cmocka_unit_test(test_frames_between_native_lines), cmocka_unit_test(test_blank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
