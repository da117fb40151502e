#include "formats/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"

static const size_t blocks[] = {1, 2, 3, 5, 16, 63, 64, 65, 1000, 0};
enum { BLOCK_COUNT = sizeof blocks / sizeof blocks[0] };

static uint32_t random_state = 4711;

static unsigned random_below(unsigned bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % bound;
}

/* ---- reading into a form that can be compared: "LINE: <cell><cell>;", and what is special behind it ---- */

static void open_text(struct ts_context *context, struct ts_str text, struct ts_csv_options options,
                      struct ts_reader **reader, struct ts_csv **csv)
{
    ts_context_init(context);
    assert_int_equal(ts_reader_open_memory(context, "text.csv", text, reader, NULL), TS_OK);
    assert_int_equal(ts_csv_create(context, *reader, &options, csv, NULL), TS_OK);
}

static void dump_row(struct ts_buf *out, const struct ts_csv_row *row)
{
    ts_buf_printf(out, "%llu: ", (unsigned long long)row->line);
    for (size_t i = 0; i < row->count; i++) {
        ts_buf_char(out, '<');
        ts_buf_str(out, row->cells[i]);
        ts_buf_char(out, '>');
    }
    if (row->unclosed_quote)
        ts_buf_printf(out, " unclosed %llu", (unsigned long long)row->quote_line);
    ts_buf_char(out, ';');
}

static void dump(struct ts_buf *out, struct ts_str text, size_t block, bool portable, uint64_t *bad_utf8)
{
    struct ts_context context;
    struct ts_reader *reader;
    struct ts_csv *csv;
    struct ts_csv_row row;
    bool more;
    open_text(&context, text, (struct ts_csv_options){.check_utf8 = true, .portable = portable, .block = block},
              &reader, &csv);
    ts_buf_clear(out);
    for (;;) {
        assert_int_equal(ts_csv_next(csv, &row, &more, NULL), TS_OK);
        if (!more)
            break;
        dump_row(out, &row);
    }
    assert_int_equal(ts_csv_next(csv, &row, &more, NULL), TS_OK);
    assert_false(more);
    assert_int_equal(ts_csv_bytes(csv), text.len);
    *bad_utf8 = ts_csv_bad_utf8(csv);
    assert_false(out->failed);
    ts_csv_destroy(csv);
    ts_reader_close(reader);
}

/* ---- the dialect told byte by byte ---- */

struct slow {
    struct ts_str text;
    size_t at;
    uint64_t line;
    bool separated, quoted, unclosed;
    uint64_t quote_line;
};

static char slow_byte(const struct slow *s, size_t at)
{
    return at < s->text.len ? s->text.ptr[at] : 'x';
}

static void slow_quoted(struct slow *s, struct ts_buf *row)
{
    s->quoted = s->unclosed = true;
    s->quote_line = s->line;
    for (s->at++; s->at < s->text.len; s->at++) {
        char c = s->text.ptr[s->at];
        if (c == '"' && slow_byte(s, s->at + 1) == '"') {
            s->at++;
        } else if (c == '"') {
            s->at++;
            s->unclosed = false;
            return;
        } else if (c == '\r' || (c == '\n' && s->text.ptr[s->at - 1] != '\r')) {
            s->line++;
        }
        ts_buf_char(row, c);
    }
}

static void slow_cell(struct slow *s, struct ts_buf *row)
{
    ts_buf_char(row, '<');
    if (s->at < s->text.len && s->text.ptr[s->at] == '"')
        slow_quoted(s, row);
    for (; s->at < s->text.len; s->at++) {
        char c = s->text.ptr[s->at];
        if (c == ',' || c == '\r' || c == '\n')
            break;
        ts_buf_char(row, c);
    }
    ts_buf_char(row, '>');
}

static void slow_row(struct slow *s, struct ts_buf *out, struct ts_buf *row)
{
    size_t start = s->at;
    uint64_t line = s->line;
    s->separated = s->quoted = s->unclosed = false;
    ts_buf_clear(row);
    ts_buf_printf(row, "%llu: ", (unsigned long long)line);
    slow_cell(s, row);
    while (slow_byte(s, s->at) == ',') {
        s->separated = true;
        s->at++;
        slow_cell(s, row);
    }
    bool blank = !s->separated && !s->quoted;
    for (size_t i = start; i < s->at; i++)
        blank &= s->text.ptr[i] == ' ' || s->text.ptr[i] == '\t';
    if (s->unclosed)
        ts_buf_printf(row, " unclosed %llu", (unsigned long long)s->quote_line);
    ts_buf_char(row, ';');
    if (!blank)
        ts_buf_str(out, ts_buf_view(row));
    s->line++;
    s->at += slow_byte(s, s->at) == '\r' && slow_byte(s, s->at + 1) == '\n' ? 2 : 1;
}

static void dump_slowly(struct ts_buf *out, struct ts_str text)
{
    struct slow s = {.text = text, .line = 1};
    struct ts_buf row;
    ts_buf_init(&row, 0);
    ts_buf_clear(out);
    if (ts_str_starts_with(text, TS_STR("\xef\xbb\xbf")))
        s.at = 3;
    while (s.at < text.len)
        slow_row(&s, out, &row);
    assert_false(out->failed);
    ts_buf_free(&row);
}

/* ---- both ways, all block sizes, both scanners ---- */

static void check(struct ts_str text)
{
    struct ts_buf wanted, found;
    ts_buf_init(&wanted, 0);
    ts_buf_init(&found, 0);
    dump_slowly(&wanted, text);
    size_t valid = ts_utf8_valid_prefix(text);
    for (size_t i = 0; i < BLOCK_COUNT * 2; i++) {
        uint64_t bad;
        dump(&found, text, blocks[i / 2], i % 2 == 0, &bad);
        if (!ts_str_equal(ts_buf_view(&wanted), ts_buf_view(&found)))
            fail_msg("block %zu, scanner %zu, text \"%s\"\nwanted %s\nfound  %s", blocks[i / 2], i % 2, text.ptr,
                     wanted.ptr, found.ptr);
        if (bad != (valid < text.len ? valid : UINT64_MAX))
            fail_msg("block %zu: bad UTF-8 at %llu, not %zu", blocks[i / 2], (unsigned long long)bad, valid);
    }
    ts_buf_free(&wanted);
    ts_buf_free(&found);
}

static void expect(const char *text, const char *wanted)
{
    struct ts_buf found;
    uint64_t bad;
    ts_buf_init(&found, 0);
    dump(&found, ts_str_from(text), 0, false, &bad);
    assert_string_equal(found.ptr ? found.ptr : "", wanted);
    ts_buf_free(&found);
    check(ts_str_from(text));
}

static void test_line_ends(void **state)
{
    (void)state;
    expect("", "");
    expect("a", "1: <a>;");
    expect("a,b\n", "1: <a><b>;");
    expect("a,b\r\nc,d\r\n", "1: <a><b>;2: <c><d>;");
    expect("a,b\rc,d", "1: <a><b>;2: <c><d>;");
    expect("a,\n,b\n,", "1: <a><>;2: <><b>;3: <><>;");
    expect("a\n\r\nb\n\n\nc", "1: <a>;3: <b>;6: <c>;");
    expect("a\r\r\nb", "1: <a>;3: <b>;");
    expect("\n\na", "3: <a>;");
}

static void test_blank_lines(void **state)
{
    (void)state;
    expect(" \t \na\n\t\n  ", "2: <a>;");
    expect("\"\"\n", "1: <>;");
    expect(" ,\n", "1: < ><>;");
    expect("\v\n", "1: <\v>;");
}

static void test_quotes(void **state)
{
    (void)state;
    expect("\"a,b\",c\n", "1: <a,b><c>;");
    expect("\"a\"\"b\",\"\"\"\",\"\"\n", "1: <a\"b><\"><>;");
    expect("\"a\nb\",c\nd\n", "1: <a\nb><c>;3: <d>;");
    expect("\"a\r\nb\rc\n\",d\r\ne", "1: <a\r\nb\rc\n><d>;5: <e>;");
    expect("Mu\"l,x\n", "1: <Mu\"l><x>;");
    expect(" \"a\",b\n", "1: < \"a\"><b>;");
    expect("\"Ad\"d\"x,y\n", "1: <Add\"x><y>;");
    expect("\"a\"\"b\"c\"\"d,e\n", "1: <a\"bc\"\"d><e>;");
    expect("\"a\" ,b", "1: <a ><b>;");
    expect("\"a\"b", "1: <ab>;");
    expect("\"a\"", "1: <a>;");
}

static void test_open_quotes(void **state)
{
    (void)state;
    expect("\"", "1: <> unclosed 1;");
    expect("a\nb,\"c,d\n\ne", "1: <a>;2: <b><c,d\n\ne> unclosed 2;");
    expect("\"a\nb\",\"c\n", "1: <a\nb><c\n> unclosed 2;");
    expect("\"a\"\"", "1: <a\"> unclosed 1;");
    expect("\"a\"\"b\n", "1: <a\"b\n> unclosed 1;");
}

static void test_byte_order_mark(void **state)
{
    (void)state;
    expect("\xef\xbb\xbf\"a,b\",c\n", "1: <a,b><c>;");
    expect("\xef\xbb\xbf", "");
    expect("\xef\xbb\xbf\n\xef\xbb\xbfx", "2: <\xef\xbb\xbfx>;");
    check(TS_STR("\xef\xbb"));
}

static void test_nul_is_a_byte_like_others(void **state)
{
    (void)state;
    check(TS_STR("a\0b,\0\n\"\0\",c"));
    struct ts_buf found;
    uint64_t bad;
    ts_buf_init(&found, 0);
    dump(&found, TS_STR("a\0b,\0\n"), 0, false, &bad);
    assert_true(ts_str_equal(ts_buf_view(&found), TS_STR("1: <a\0b><\0>;")));
    ts_buf_free(&found);
}

static void test_random_texts(void **state)
{
    (void)state;
    static const char alphabet[] = "\",\n\rab \t\xc3\xa9";
    char text[301];
    for (unsigned i = 0; i < 3000; i++) {
        unsigned letters = 4 + random_below(sizeof alphabet - 3); /* with the NUL sometimes */
        size_t len = random_below(i < 1500 ? 20 : sizeof text);
        for (size_t j = 0; j < len; j++)
            text[j] = alphabet[random_below(letters)];
        text[len] = '\0';
        check((struct ts_str){text, len});
    }
}

/* Longer than what is scanned, and read, at a time. */
static void test_long_texts(void **state)
{
    (void)state;
    struct ts_buf text, wanted, found;
    ts_buf_init(&text, 0);
    ts_buf_init(&wanted, 0);
    ts_buf_init(&found, 0);
    while (text.len < 700000) {
        unsigned kind = random_below(50);
        if (kind == 0)
            ts_buf_text(&text, "\"q\"\"\r\n,\"");
        else if (kind < 5)
            ts_buf_text(&text, "\r\n");
        else
            ts_buf_add(&text, "0123456789012345678901234567890123456789", random_below(41));
        ts_buf_char(&text, ',');
    }
    dump_slowly(&wanted, ts_buf_view(&text));
    static const size_t some_blocks[] = {1000, 4096, 32768, 32769, 100000, 0};
    for (size_t i = 0; i < sizeof some_blocks / sizeof some_blocks[0]; i++) {
        uint64_t bad;
        dump(&found, ts_buf_view(&text), some_blocks[i], i % 2, &bad);
        assert_true(ts_str_equal(ts_buf_view(&wanted), ts_buf_view(&found)));
    }
    ts_buf_free(&text);
    ts_buf_free(&wanted);
    ts_buf_free(&found);
}

/* ---- UTF-8 ---- */

static void test_utf8_across_blocks(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "a",        ",",        "\n",           "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
        "\xc3",     "\xe2\x82", "\xf0\x9f\x98", "\xff",     "\x80",         "\xed\xa0\x80",
        "\xc0\x80", "\xf4\x90"};
    for (unsigned i = 0; i < 2000; i++) {
        char text[128];
        size_t len = 0, count = random_below(30);
        for (size_t j = 0; j < count; j++) {
            /* Seldom one of the bad pieces, so that they come late too. */
            const char *piece = pieces[random_below(20) ? random_below(6) : random_below(14)];
            memcpy(text + len, piece, strlen(piece));
            len += strlen(piece);
        }
        text[len] = '\0';
        check((struct ts_str){text, len});
    }
}

static void test_utf8_is_not_looked_at_unless_asked(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_reader *reader;
    struct ts_csv *csv;
    open_text(&context, TS_STR("a\xff"), (struct ts_csv_options){.check_utf8 = false}, &reader, &csv);
    assert_int_equal(ts_csv_skip_rest(csv, NULL), TS_OK);
    assert_true(ts_csv_bad_utf8(csv) == UINT64_MAX);
    ts_csv_destroy(csv);
    ts_reader_close(reader);
}

static void test_skipping_the_rest(void **state)
{
    (void)state;
    struct ts_str text = TS_STR("a,b\nc,d\n\"e\n\xc3\xa9,f\n\xe2\x82");
    for (size_t i = 0; i < BLOCK_COUNT; i++) {
        for (unsigned rows = 0; rows < 3; rows++) {
            struct ts_context context;
            struct ts_reader *reader;
            struct ts_csv *csv;
            struct ts_csv_row row;
            bool more;
            open_text(&context, text, (struct ts_csv_options){.check_utf8 = true, .block = blocks[i]}, &reader, &csv);
            for (unsigned j = 0; j < rows; j++)
                assert_int_equal(ts_csv_next(csv, &row, &more, NULL), TS_OK);
            assert_int_equal(ts_csv_skip_rest(csv, NULL), TS_OK);
            assert_int_equal(ts_csv_bad_utf8(csv), text.len - 2);
            assert_int_equal(ts_csv_bytes(csv), text.len);
            assert_int_equal(ts_csv_next(csv, &row, &more, NULL), TS_OK);
            assert_false(more);
            ts_csv_destroy(csv);
            ts_reader_close(reader);
        }
    }
}

/* ---- limits ---- */

static void check_limit(struct ts_str text, size_t block, uint64_t line)
{
    struct ts_context context;
    struct ts_error error = {0};
    struct ts_reader *reader;
    struct ts_csv *csv;
    struct ts_csv_row row;
    bool more = true;
    char wanted[96];
    enum ts_status status = TS_OK;
    open_text(&context, text, (struct ts_csv_options){.row_limit = 100, .check_utf8 = true, .block = block}, &reader,
              &csv);
    while (status == TS_OK && more)
        status = ts_csv_next(csv, &row, &more, &error);
    assert_int_equal(ts_csv_row_too_long(csv), line > 0);
    if (line == 0) {
        assert_int_equal(status, TS_OK);
    } else {
        assert_int_equal(status, TS_LIMIT);
        assert_int_equal(ts_csv_line(csv), line);
        snprintf(wanted, sizeof wanted, "text.csv: the row at line %llu is longer than 100 bytes",
                 (unsigned long long)line);
        assert_non_null(strstr(error.message, wanted));
        /* Not more was read than had to be. */
        assert_true(ts_csv_bytes(csv) <= (block ? text.len / 2 + 200 + 3 * block : text.len));
        assert_int_equal(ts_csv_skip_rest(csv, NULL), TS_OK);
        assert_int_equal(ts_csv_bad_utf8(csv), text.len - 1);
    }
    ts_csv_destroy(csv);
    ts_reader_close(reader);
}

static void test_row_limit(void **state)
{
    (void)state;
    char row[101];
    memset(row, 'x', sizeof row);
    struct ts_buf text;
    ts_buf_init(&text, 0);
    for (size_t i = 0; i < BLOCK_COUNT; i++) {
        ts_buf_clear(&text);
        ts_buf_text(&text, "a\n\n");
        ts_buf_add(&text, row, 100);
        ts_buf_text(&text, "\n");
        ts_buf_add(&text, row, 100);
        check_limit(ts_buf_view(&text), blocks[i], 0);
        ts_buf_text(&text, "\n\"\n");
        for (size_t j = 0; j < 1000; j++)
            ts_buf_text(&text, ",");
        ts_buf_text(&text, "\"\nx");
        ts_buf_text(&text, "\xff");
        check_limit(ts_buf_view(&text), blocks[i], 5);
    }
    ts_buf_free(&text);
}

static void test_a_row_of_too_many_cells_is_counted(void **state)
{
    (void)state;
    enum { CELLS = TS_LIMIT_CSV_COLUMNS + 3 };
    for (unsigned filled = 0; filled < 2; filled++) {
        struct ts_buf text;
        ts_buf_init(&text, 0);
        ts_buf_text(&text, "a,b\n0");
        for (unsigned i = 1; i < CELLS; i++)
            ts_buf_text(&text, filled && i == TS_LIMIT_CSV_COLUMNS ? ",x" : ",");
        ts_buf_text(&text, "\nc,d");
        struct ts_context context;
        struct ts_reader *reader;
        struct ts_csv *csv;
        struct ts_csv_row row;
        bool more;
        open_text(&context, ts_buf_view(&text), (struct ts_csv_options){.block = 100}, &reader, &csv);
        assert_int_equal(ts_csv_next(csv, &row, &more, NULL), TS_OK);
        assert_int_equal(ts_csv_next(csv, &row, &more, NULL), TS_OK);
        assert_int_equal(row.count, TS_LIMIT_CSV_COLUMNS);
        assert_int_equal(row.surplus, 3);
        assert_int_equal(row.surplus_filled, filled);
        assert_true(ts_str_is(row.cells[0], "0"));
        assert_int_equal(row.cells[TS_LIMIT_CSV_COLUMNS - 1].len, 0);
        assert_int_equal(ts_csv_next(csv, &row, &more, NULL), TS_OK);
        assert_int_equal(row.count, 2);
        assert_int_equal(row.surplus, 0);
        assert_false(row.surplus_filled);
        ts_csv_destroy(csv);
        ts_reader_close(reader);
        ts_buf_free(&text);
    }
}

static void test_cancellation(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_reader *reader;
    struct ts_csv *csv;
    struct ts_csv_row row;
    bool more;
    open_text(&context, TS_STR("a\nb\n"), (struct ts_csv_options){.block = 1}, &reader, &csv);
    assert_int_equal(ts_csv_next(csv, &row, &more, NULL), TS_OK);
    context.cancelled = true;
    assert_int_equal(ts_csv_next(csv, &row, &more, NULL), TS_CANCELLED);
    assert_false(ts_csv_row_too_long(csv));
    ts_csv_destroy(csv);
    ts_reader_close(reader);
    ts_csv_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_blank_lines),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_open_quotes),
        cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_nul_is_a_byte_like_others),
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_utf8_across_blocks),
        cmocka_unit_test(test_utf8_is_not_looked_at_unless_asked),
        cmocka_unit_test(test_skipping_the_rest),
        cmocka_unit_test(test_row_limit),
        cmocka_unit_test(test_a_row_of_too_many_cells_is_counted),
        cmocka_unit_test(test_cancellation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
