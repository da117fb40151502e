#include "formats/csv_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 400 };

static uint32_t random_state = 12345;

static unsigned random_below(unsigned bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % bound;
}

/* A scanner against one that looks at every byte. The text lies in a block of exactly its size, so that the address
 * sanitizer sees a read past its end. */
static void check(ts_csv_scan_fn *scan, const char *text, size_t len, uint32_t base)
{
    char *bytes = malloc(len > 0 ? len : 1);
    uint32_t *positions = malloc((len + TS_CSV_SCAN_SLACK) * sizeof *positions);
    assert_non_null(bytes);
    assert_non_null(positions);
    memcpy(bytes, text, len);
    bool high = false, is_high = false;
    size_t count = scan(bytes, len, base, positions, &high), expected = 0;
    for (size_t i = 0; i < len; i++) {
        is_high |= (unsigned char)bytes[i] >= 0x80;
        if (bytes[i] != ',' && bytes[i] != '"' && bytes[i] != '\n' && bytes[i] != '\r')
            continue;
        assert_true(expected < count);
        assert_int_equal(positions[expected], base + i);
        expected++;
    }
    assert_int_equal(count, expected);
    assert_int_equal(high, is_high);
    free(bytes);
    free(positions);
}

static void check_both(const char *text, size_t len, uint32_t base)
{
    check(ts_csv_scan_portable, text, len, base);
    check(ts_csv_scan_best(), text, len, base);
}

static void test_every_byte_at_every_place(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        for (size_t place = 0; place < 130; place++) {
            char text[130];
            memset(text, 'x', sizeof text);
            text[place] = (char)byte;
            check_both(text, sizeof text, 0);
        }
    }
}

static void test_neighbours_of_a_hit_are_left_alone(void **state)
{
    (void)state;
    /* A borrow or carry from one byte into the next would show here. */
    static const unsigned char near[] = {0x21, 0x22, 0x23, 0x2b, 0x2c, 0x2d, 0x09, 0x0a, 0x0b,
                                         0x0c, 0x0d, 0x0e, 0x8a, 0xac, 0xa2, 0x8d, 0x00, 0xff};
    for (size_t a = 0; a < sizeof near; a++) {
        for (size_t b = 0; b < sizeof near; b++) {
            char text[64];
            for (size_t i = 0; i < sizeof text; i++)
                text[i] = (char)(i % 2 ? near[a] : near[b]);
            check_both(text, sizeof text, 7);
        }
    }
}

static void test_random_texts_of_all_lengths(void **state)
{
    (void)state;
    static const char alphabet[] = ",\"\n\r,\"abc\xc3\xa9\xff";
    char text[LONGEST];
    for (size_t len = 0; len < LONGEST; len++) {
        unsigned letters = 1 + random_below(sizeof alphabet); /* the NUL too */
        for (size_t i = 0; i < len; i++)
            text[i] = alphabet[random_below(letters)];
        check_both(text, len, random_below(1u << 30));
    }
}

static void test_high_is_never_cleared(void **state)
{
    (void)state;
    uint32_t positions[64 + TS_CSV_SCAN_SLACK];
    bool high = true;
    ts_csv_scan_best()("abc", 3, 0, positions, &high);
    assert_true(high);
    ts_csv_scan_portable("abc", 3, 0, positions, &high);
    assert_true(high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_at_every_place),
        cmocka_unit_test(test_neighbours_of_a_hit_are_left_alone),
        cmocka_unit_test(test_random_texts_of_all_lengths),
        cmocka_unit_test(test_high_is_never_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
