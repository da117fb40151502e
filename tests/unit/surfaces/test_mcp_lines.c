#include "surfaces/mcp/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

struct heard {
    struct ts_buf text; /* lines, each with its end */
    unsigned good, too_long;
};

static void hear(void *data, struct ts_str line, enum ts_mcp_line_fault fault)
{
    struct heard *heard = data;
    heard->good += fault == TS_MCP_LINE_GOOD;
    heard->too_long += fault == TS_MCP_LINE_TOO_LONG;
    ts_buf_str(&heard->text, line);
    ts_buf_char(&heard->text, '\n');
}

/* What is heard of a stream that comes in pieces of this many bytes. */
static struct heard listen(struct ts_str stream, size_t piece)
{
    struct heard heard = {.good = 0};
    struct ts_mcp_lines lines;
    ts_buf_init(&heard.text, 0);
    ts_mcp_lines_init(&lines, hear, &heard);
    for (size_t at = 0; at < stream.len; at += piece)
        ts_mcp_lines_feed(&lines, ts_str_sub(stream, at, piece));
    ts_mcp_lines_end(&lines);
    ts_mcp_lines_free(&lines);
    return heard;
}

static void expect(struct ts_str stream, const char *text)
{
    for (size_t piece = 1; piece <= stream.len + 1; piece++) {
        struct heard heard = listen(stream, piece);
        assert_string_equal(heard.text.ptr ? heard.text.ptr : "", text);
        assert_int_equal(heard.too_long, 0);
        ts_buf_free(&heard.text);
    }
}

static void cuts_lines(void **state)
{
    (void)state;
    expect(TS_STR(""), "");
    expect(TS_STR("\n\r\n \t\r\n"), "");
    expect(TS_STR("a\nb\n"), "a\nb\n");
    expect(TS_STR("a\nb"), "a\nb\n");
    expect(TS_STR(" \ta b\t \r\n\n\rc\r"), "a b\nc\n");
    expect(TS_STR("\f\n"), "\f\n");
}

static void skips_one_mark(void **state)
{
    (void)state;
    expect(TS_STR("\xef\xbb\xbf"
                  "a\n\xef\xbb\xbf"
                  "b\n"),
           "a\n\xef\xbb\xbf"
           "b\n");
    expect(TS_STR("\xef\xbb\xbf\na\n"), "a\n");
    expect(TS_STR("\n\xef\xbb\xbf"
                  "a\n"),
           "\xef\xbb\xbf"
           "a\n");
    expect(TS_STR(" \xef\xbb\xbf"
                  "a\n"),
           "\xef\xbb\xbf"
           "a\n");
}

/* A line of this length behind a prefix, and a short line after it. */
static void expect_length(const char *prefix, size_t len, bool good)
{
    static const size_t pieces[] = {4096, 16384, 999999, 1000000, 1000001, 5000000};
    struct ts_buf stream;
    ts_buf_init(&stream, 0);
    ts_buf_text(&stream, prefix);
    for (size_t i = 0; i < len; i++)
        ts_buf_char(&stream, 'x');
    ts_buf_text(&stream, "\nshort\n");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct heard heard = listen(ts_buf_view(&stream), pieces[i]);
        assert_int_equal(heard.good, good ? 2 : 1);
        assert_int_equal(heard.too_long, good ? 0 : 1);
        assert_int_equal(heard.text.len, (good ? len : 0) + 1 + 6);
        ts_buf_free(&heard.text);
    }
    ts_buf_free(&stream);
}

static void refuses_long_lines(void **state)
{
    (void)state;
    expect_length("", TS_LIMIT_MCP_LINE, true);
    expect_length("", TS_LIMIT_MCP_LINE + 1, false);
    expect_length("", TS_LIMIT_MCP_LINE + 4, false);
    expect_length("", 3 * TS_LIMIT_MCP_LINE, false);
    expect_length("\xef\xbb\xbf", TS_LIMIT_MCP_LINE, true);
    expect_length("\xef\xbb\xbf", TS_LIMIT_MCP_LINE + 1, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_lines),
        cmocka_unit_test(skips_one_mark),
        cmocka_unit_test(refuses_long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
