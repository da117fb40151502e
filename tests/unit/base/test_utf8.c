#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/utf8.h"

/* The Unicode standard's table of well-formed sequences, applied the slow way. */
static size_t sequence_length(const unsigned char *p, size_t room)
{
    static const struct {
        unsigned char low[4], high[4];
        size_t len;
    } rows[] = {
        {{0x00}, {0x7F}, 1},
        {{0xC2, 0x80}, {0xDF, 0xBF}, 2},
        {{0xE0, 0xA0, 0x80}, {0xE0, 0xBF, 0xBF}, 3},
        {{0xE1, 0x80, 0x80}, {0xEC, 0xBF, 0xBF}, 3},
        {{0xED, 0x80, 0x80}, {0xED, 0x9F, 0xBF}, 3},
        {{0xEE, 0x80, 0x80}, {0xEF, 0xBF, 0xBF}, 3},
        {{0xF0, 0x90, 0x80, 0x80}, {0xF0, 0xBF, 0xBF, 0xBF}, 4},
        {{0xF1, 0x80, 0x80, 0x80}, {0xF3, 0xBF, 0xBF, 0xBF}, 4},
        {{0xF4, 0x80, 0x80, 0x80}, {0xF4, 0x8F, 0xBF, 0xBF}, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t k = 0;
        while (k < rows[i].len && k < room && p[k] >= rows[i].low[k] && p[k] <= rows[i].high[k])
            k++;
        if (k == rows[i].len)
            return k;
    }
    return 0;
}

static size_t slow_valid_prefix(struct ts_str s)
{
    size_t at = 0;
    for (size_t len; at < s.len; at += len) {
        len = sequence_length((const unsigned char *)s.ptr + at, s.len - at);
        if (len == 0)
            break;
    }
    return at;
}

static void test_every_short_sequence(void **state)
{
    (void)state;
    static const unsigned char tails[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
    enum { TAILS = sizeof tails };
    for (unsigned first = 0; first < 256; first++)
        for (unsigned second = 0; second < 256; second++)
            for (unsigned rest = 0; rest < TAILS * TAILS; rest++) {
                char text[4] = {(char)first, (char)second, (char)tails[rest / TAILS], (char)tails[rest % TAILS]};
                for (size_t len = 0; len <= 4; len++) {
                    struct ts_str s = {text, len};
                    if (ts_utf8_valid_prefix(s) != slow_valid_prefix(s))
                        fail_msg("%02x %02x %02x %02x, %zu bytes", first, second, tails[rest / TAILS],
                                 tails[rest % TAILS], len);
                }
            }
}

/* Encode and decode every code point. */
static void test_every_code_point(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        char text[4];
        size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
        for (size_t i = len; i-- > 1;)
            text[i] = (char)(0x80 | (code >> (6 * (len - 1 - i)) & 0x3F));
        text[0] = (char)(lead[len] | code >> (6 * (len - 1)));
        bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        size_t read;
        uint32_t decoded = ts_utf8_decode((struct ts_str){text, len}, &read);
        assert_true(decoded == (surrogate ? 0xFFFD : code));
        assert_true(read == (surrogate ? 1 : len));
    }
}

/* Every place of one odd byte in texts of every length around the block sizes, at every alignment. */
static void test_fast_and_plain_agree(void **state)
{
    (void)state;
    enum { MOST = 200 };
    char memory[MOST + 16];
    for (size_t offset = 0; offset < 16; offset++)
        for (size_t len = 0; len <= MOST; len++)
            for (size_t odd = 0; odd <= len; odd++) {
                memset(memory, 0x7F, sizeof memory);
                memory[offset + odd] = (char)0x80; /* at len it lies just behind the text */
                struct ts_str s = {memory + offset, len};
                if (ts_utf8_ascii_prefix(s) != odd || ts_utf8_ascii_prefix_plain(s) != odd ||
                    ts_utf8_valid_prefix(s) != odd)
                    fail_msg("offset %zu, length %zu, odd byte at %zu", offset, len, odd);
            }
    struct ts_str nothing = {NULL, 0};
    assert_int_equal(ts_utf8_ascii_prefix(nothing) + ts_utf8_ascii_prefix_plain(nothing), 0);
    assert_true(ts_utf8_valid(nothing));
}

static void test_random_mixtures(void **state)
{
    (void)state;
    static const char *const pieces[] = {"abcdefgh",
                                         "\xC3\xA9",
                                         "\xE2\x82\xAC",
                                         "\xF0\x9F\x98\x80",
                                         "x",
                                         "\xE2\x82",
                                         "a long run of ASCII that fills more than one of the blocks that are read"};
    char text[4000];
    srand(1);
    for (int round = 0; round < 3000; round++) {
        size_t len = 0;
        int broken = rand() % 4; /* one text in four may hold a cut character */
        for (int count = rand() % 40; count > 0; count--) {
            const char *piece = pieces[rand() % 7];
            if (piece == pieces[5] && broken)
                continue;
            memcpy(text + len, piece, strlen(piece));
            len += strlen(piece);
        }
        struct ts_str s = {text, len};
        assert_int_equal(ts_utf8_valid_prefix(s), slow_valid_prefix(s));
        assert_true(!broken || ts_utf8_valid(s));
    }
}

static void test_count_and_cut(void **state)
{
    (void)state;
    struct ts_str s = TS_STR("a\xE2\x82\xAC\xFF\xF0\x9F\x98\x80z");
    assert_int_equal(ts_utf8_count(s), 5);
    assert_int_equal(ts_utf8_count((struct ts_str){NULL, 0}), 0);
    assert_int_equal(ts_utf8_cut(s, 0).len, 0);
    assert_int_equal(ts_utf8_cut(s, 2).len, 4);
    assert_int_equal(ts_utf8_cut(s, 3).len, 5);
    assert_int_equal(ts_utf8_cut(s, 4).len, 9);
    assert_int_equal(ts_utf8_cut(s, 5).len, 10);
    assert_int_equal(ts_utf8_cut(s, SIZE_MAX).len, 10);
    assert_int_equal(ts_utf8_cut((struct ts_str){NULL, 0}, 1).len, 0);
    assert_int_equal(ts_utf8_count(TS_STR("\xE2\x82")), 2);
    /* What lies behind the end is not looked at. */
    size_t len = 0;
    assert_int_equal(ts_utf8_decode((struct ts_str){"\xE2\x82\xAC", 2}, &len), 0xFFFD);
    assert_int_equal(len, 1);
}

static void assert_appends(void (*append)(struct ts_buf *, struct ts_str), struct ts_str s, const char *expected)
{
    struct ts_buf out;
    ts_buf_init(&out, 0);
    ts_buf_text(&out, ">");
    append(&out, s);
    assert_string_equal(out.ptr + 1, expected);
    assert_int_equal(out.len, strlen(expected) + 1);
    ts_buf_free(&out);
}

static void test_clean(void **state)
{
    (void)state;
    assert_appends(ts_utf8_clean, TS_STR("abc"), "abc");
    assert_appends(ts_utf8_clean, TS_STR("\xFF\x80z"), "\xEF\xBF\xBD\xEF\xBF\xBDz");
    assert_appends(ts_utf8_clean, TS_STR("a\xE2\x82"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_appends(ts_utf8_clean, (struct ts_str){NULL, 0}, "");
}

static void test_unsafe(void **state)
{
    (void)state;
    static const uint32_t unsafe[] = {0,      0x0A,   0x1F,   0x7F,    0x80,    0x9F,   0x200B, 0x200F,
                                      0x2028, 0x202A, 0x202E, 0x2060,  0x2066,  0x2069, 0xFEFF, 0x61C,
                                      0x34F,  0x3164, 0xFE0F, 0xE0061, 0xE01EF, 0xE0FFF};
    static const uint32_t safe[] = {0x20,   0x7E,   0xA0,   0xE9,    0x2010,  0x20AC,  0x202F,
                                    0x2070, 0xFFFD, 0xFDFF, 0xE1000, 0x1F600, 0x10FFFF};
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        assert_true(ts_utf8_unsafe(unsafe[i]));
    for (size_t i = 0; i < sizeof safe / sizeof *safe; i++)
        assert_false(ts_utf8_unsafe(safe[i]));
}

static void test_escape(void **state)
{
    (void)state;
    assert_appends(ts_utf8_escape, TS_STR("a\tb\nc\r\x1B[0m\x7F"), "a\\tb\\nc\\x0D\\x1B[0m\\x7F");
    assert_appends(ts_utf8_escape, TS_STR("\xFF\xC2\x85\xE2\x80\x8B"), "\\xFF\\u{0085}\\u{200B}");
    assert_appends(ts_utf8_escape, TS_STR("\xF3\xA0\x81\xA1"), "\\u{E0061}");
    assert_appends(ts_utf8_escape, TS_STR("\xE2\x82\xAC\xEF\xBF\xBD"), "\xE2\x82\xAC\xEF\xBF\xBD");
    assert_appends(ts_utf8_escape, TS_STR("\0"), "\\x00");
    assert_appends(ts_utf8_escape, (struct ts_str){NULL, 0}, "");
}

static void test_strip_controls(void **state)
{
    (void)state;
    assert_appends(ts_utf8_strip_controls, TS_STR("A\x1B[31m\tB\nC"), "A[31m\tBC");
    assert_appends(ts_utf8_strip_controls, TS_STR("\0a\x08\x1F\x7F\xC2\x80\xC2\x9F\xC2\xA0z"), "a\xC2\xA0z");
    assert_appends(ts_utf8_strip_controls, TS_STR("\xC2"), "\xC2");
    assert_appends(ts_utf8_strip_controls, TS_STR("\xE2\x80\xA8"), "\xE2\x80\xA8");
    assert_appends(ts_utf8_strip_controls, (struct ts_str){NULL, 0}, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_short_sequence),
        cmocka_unit_test(test_every_code_point),
        cmocka_unit_test(test_fast_and_plain_agree),
        cmocka_unit_test(test_random_mixtures),
        cmocka_unit_test(test_count_and_cut),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_unsafe),
        cmocka_unit_test(test_escape),
        cmocka_unit_test(test_strip_controls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
