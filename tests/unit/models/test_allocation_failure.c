/* The four allocation failures in every wording that tt-metal has had, and why each did not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "models/allocation_failure.h"

#define BANK                                                                                                           \
    "Out of Memory: Not enough space to allocate 3276800 B L1 buffer across 4 banks, where each bank needs to store "
#define DEPENDENCIES "Out of Memory: Not enough space after considering dependencies to allocate "

static struct ts_allocation_failure read(const char *message)
{
    struct ts_allocation_failure failure;
    ts_allocation_failure_read(ts_str_from(message), &failure);
    return failure;
}

static void expect_none(const char *message)
{
    if (read(message).kind != TS_FAILURE_NONE)
        fail_msg("it is an allocation failure: %s", message);
}

static void expect_reason(const struct ts_allocation_failure *failure, enum ts_failure_reason reason, int64_t bytes)
{
    struct ts_failure_diagnosis diagnosis = ts_allocation_failure_diagnose(failure);
    assert_int_equal(diagnosis.reason, reason);
    assert_int_equal(diagnosis.bytes, bytes);
}

static void test_a_bank_of_old(void **state)
{
    (void)state;
    struct ts_allocation_failure failure =
        read("TT_FATAL @ a.cpp:9: x\ninfo:\n" BANK "819200 B, but bank size is only 1382720 B\nbacktrace:\n --- x");
    assert_int_equal(failure.kind, TS_FAILURE_BANK);
    assert_true(ts_str_is(failure.buffer_type, "L1"));
    assert_int_equal(failure.requested, 3276800);
    assert_int_equal(failure.banks, 4);
    assert_int_equal(failure.per_bank, 819200);
    assert_int_equal(failure.bank_size, 1382720);
    assert_false(failure.has_free);
    expect_reason(&failure, TS_REASON_NONE, 0);
}

static void test_a_bank_with_free_space(void **state)
{
    (void)state;
    struct ts_allocation_failure failure =
        read(BANK "819200 B, but bank size is 1382720 B (allocated: 1000000 B, free: "
                  "382720 B, largest free block: 300000 B).");
    assert_true(failure.has_free);
    assert_int_equal(failure.allocated, 1000000);
    assert_int_equal(failure.free, 382720);
    assert_int_equal(failure.largest_free, 300000);
    expect_reason(&failure, TS_REASON_NOT_ENOUGH, 436480);
    failure =
        read("Out of Memory: Not enough space to allocate 4194304 B L1 buffer across 72 banks, where each bank needs "
             "to store 59392 B, but bank size is 1360544 B (allocated: 1306624 B, free: 53920 B, largest free block: "
             "53920 B).");
    expect_reason(&failure, TS_REASON_NOT_ENOUGH, 5472);
    failure =
        read("Out of Memory: Not enough space to allocate 134217728 B L1 buffer across 64 banks, where each bank "
             "needs to store 2097152 B, but bank size is 1360544 B (allocated: 0 B, free: 1360544 B, largest free "
             "block: 1360544 B).");
    expect_reason(&failure, TS_REASON_LARGER_THAN_BANK, 736608);
}

static void test_a_bank_of_another_type(void **state)
{
    (void)state;
    static const char *const types[] = {"DRAM", "SYSTEM_MEMORY", "L1_SMALL", "TRACE"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct ts_buf text;
        ts_buf_init(&text, 0);
        ts_buf_printf(
            &text,
            "Out of Memory: Not enough space to allocate 8 B %s buffer across 1 banks, where each bank needs to "
            "store 8 B, but bank size is 4 B",
            types[i]);
        struct ts_allocation_failure failure = read(text.ptr);
        assert_true(ts_str_is(failure.buffer_type, types[i]));
        expect_reason(&failure, TS_REASON_LARGER_THAN_BANK, 4);
        ts_buf_free(&text);
    }
    struct ts_allocation_failure failure =
        read("Out of Memory: Not enough space to allocate 8 B NEW_one2 buffer across 1 "
             "banks, where each bank needs to store 8 B, but bank size is 4 B");
    assert_int_equal(failure.kind, TS_FAILURE_BANK);
    assert_null(failure.buffer_type.ptr);
}

/* Which reason decides when several could. */
static void test_the_order_of_reasons(void **state)
{
    (void)state;
    struct ts_allocation_failure failure = {
        .kind = TS_FAILURE_BANK, .per_bank = 100, .bank_size = 99, .has_free = true, .free = 400, .largest_free = 400};
    expect_reason(&failure, TS_REASON_LARGER_THAN_BANK, 1);
    failure.bank_size = failure.free = failure.largest_free = 100;
    expect_reason(&failure, TS_REASON_FREE_BLOCK_COULD_HOLD_IT, 0);
    failure.bank_size = failure.free = failure.largest_free = 400;
    expect_reason(&failure, TS_REASON_FREE_BLOCK_COULD_HOLD_IT, 0);
    failure.largest_free = 100;
    expect_reason(&failure, TS_REASON_FREE_BLOCK_COULD_HOLD_IT, 0);
    failure.largest_free = 99;
    expect_reason(&failure, TS_REASON_FRAGMENTED, 0);
    failure.free = 100;
    expect_reason(&failure, TS_REASON_FRAGMENTED, 0);
    failure.free = 99;
    expect_reason(&failure, TS_REASON_NOT_ENOUGH, 1);
    failure.has_free = false;
    expect_reason(&failure, TS_REASON_NONE, 0);
    failure.kind = TS_FAILURE_NONE;
    expect_reason(&failure, TS_REASON_NONE, 0);
}

static void test_dependencies(void **state)
{
    (void)state;
    struct ts_allocation_failure failure =
        read(DEPENDENCIES
             "4096 B DRAM across 2 banks (2048 B per bank), bank size is 8192 B (allocated: 3072 B, free: 5120 "
             "B, largest free block: 3072 B). After subtracting 1 dependency range(s) and 0 additional occupied "
             "range(s), 2048 B remained placeable across 2 window(s), largest 1024 B");
    assert_int_equal(failure.kind, TS_FAILURE_BANK_DEPENDENCIES);
    assert_int_equal(failure.requested, 4096);
    assert_int_equal(failure.banks, 2);
    assert_int_equal(failure.per_bank, 2048);
    assert_int_equal(failure.bank_size, 8192);
    assert_true(failure.has_placeable);
    assert_int_equal(failure.placeable, 2048);
    assert_int_equal(failure.largest_placeable, 1024);
    expect_reason(&failure, TS_REASON_FREE_BLOCK_COULD_HOLD_IT, 0);
    failure = read(DEPENDENCIES
                   "1638400 B DRAM across 2 banks (819200 B per bank), bank size is 1382720 B (allocated: 382720 "
                   "B, free: 1000000 B, largest free block: 300000 B). After subtracting 1 dependency");
    assert_int_equal(failure.kind, TS_FAILURE_BANK_DEPENDENCIES);
    assert_false(failure.has_placeable);
    expect_reason(&failure, TS_REASON_FRAGMENTED, 0);
    expect_none(DEPENDENCIES "4096 B DRAM across 2 banks (2048 B per bank), bank size is 8192 B");
}

static void test_beyond_l1(void **state)
{
    (void)state;
    struct ts_allocation_failure failure =
        read("Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=7)] "
             "grow to 1600000 B which is beyond max L1 size of 1499136 B");
    assert_int_equal(failure.kind, TS_FAILURE_BEYOND_L1);
    assert_true(ts_str_is(failure.core_range, "[(x=0,y=0) - (x=7,y=7)]"));
    expect_reason(&failure, TS_REASON_BEYOND_L1, 100864);
    failure = read(
        "TT_THROW @ d.cpp:1: tt::exception\ninfo:\nStatically allocated dataflow buffers on core range [0-0 - 0-0] "
        "grow to 2205024 B which is beyond max L1 size of 1499136 B. Make them smaller.");
    assert_int_equal(failure.kind, TS_FAILURE_BEYOND_L1);
    assert_true(ts_str_is(failure.core_range, "[0-0 - 0-0]"));
    assert_int_equal(failure.region_end, 2205024);
    assert_int_equal(failure.limit, 1499136);
    expect_reason(&failure, TS_REASON_BEYOND_L1, 705888);
}

static void test_a_clash(void **state)
{
    (void)state;
    struct ts_allocation_failure failure =
        read("Statically allocated circular buffers in program 166 clash with L1 buffers on core range [(x=0,y=0) - "
             "(x=4,y=7)]. L1 buffer allocated at 600256 and static circular buffer region ends at 621824");
    assert_int_equal(failure.kind, TS_FAILURE_CLASH);
    assert_true(ts_str_is(failure.core_range, "[(x=0,y=0) - (x=4,y=7)]"));
    assert_int_equal(failure.limit, 600256);
    assert_int_equal(failure.region_end, 621824);
    expect_reason(&failure, TS_REASON_OVERLAP, 21568);
    failure =
        read("Statically allocated dataflow buffers in program 3 clash with L1 buffers on core range [0-0 - 1-1]. L1 "
             "buffer allocated at 100 and static dataflow buffer region ends at 150");
    assert_int_equal(failure.kind, TS_FAILURE_CLASH);
    expect_reason(&failure, TS_REASON_OVERLAP, 50);
}

/* The range is the shortest text behind which the rest stands, on one line, and not empty. */
static void test_the_range(void **state)
{
    (void)state;
    struct ts_allocation_failure failure = read("Statically allocated circular buffers on core range a grow to b grow "
                                                "to 5 B which is beyond max L1 size of 4 B, "
                                                "x grow to 9 B which is beyond max L1 size of 3 B");
    assert_true(ts_str_is(failure.core_range, "a grow to b"));
    assert_int_equal(failure.region_end, 5);
    expect_none("Statically allocated circular buffers on core range  grow to 5 B which is beyond max L1 size of 4 B");
    expect_none(
        "Statically allocated circular buffers on core range [0-0\n] grow to 5 B which is beyond max L1 size of 4 B");
    /* What one beginning found does not hide what belongs to a later one. */
    failure =
        read("Statically allocated circular buffers on core range [a]\nStatically allocated circular buffers on core "
             "range [b]\rStatically allocated circular buffers on core range [c] grow to 5 B which is beyond max L1 "
             "size of 4 B");
    assert_true(ts_str_is(failure.core_range, "[c]"));
    failure = read(
        "Statically allocated circular buffers on core range [a]\nIt would grow to 5 B which is beyond max L1 size "
        "of 4 B\nStatically allocated circular buffers on core range [b] grow to 6 B which is beyond max L1 size of "
        "4 B");
    assert_true(ts_str_is(failure.core_range, "[b]"));
    assert_int_equal(failure.region_end, 6);
    failure =
        read("Statically allocated circular buffers on core range  grow to 5 B which is beyond max L1 size of 4 B "
             "grow to 6 B which is beyond max L1 size of 4 B");
    assert_int_equal(failure.region_end, 6);
    failure =
        read("Statically allocated circular buffers in program 1 clash with L1 buffers on core range [a]. L1 buffer "
             "allocated at 1\nStatically allocated dataflow buffers in program 2 clash with L1 buffers on core range "
             "[b]. L1 buffer allocated at x. L1 buffer allocated at 3 and static circular buffer region ends at 4");
    assert_true(ts_str_is(failure.core_range, "[b]. L1 buffer allocated at x"));
    assert_int_equal(failure.limit, 3);
    expect_none(
        "Statically allocated other buffers on core range [0-0] grow to 5 B which is beyond max L1 size of 4 B");
    expect_none(
        "Statically allocated circular buffers on core range [0-0] grow to  B which is beyond max L1 size of 4 B");
}

static void test_what_is_none(void **state)
{
    (void)state;
    expect_none("");
    expect_none("Out of Memory: Cannot allocate at an address below 5. Allocation at 4");
    expect_none("L1_SMALL only supports sharded allocations, see validate_num_banks");
    expect_none("LayerNorm streaming circular buffers require 9 bytes, but only 8 bytes are left");
    expect_none(BANK "819200 B, but bank size is  B");
    expect_none(BANK "B, but bank size is 5 B");
    expect_none(
        "Out of Memory: Not enough space to allocate 1 B  buffer across 4 banks, where each bank needs to store 1 B, "
        "but bank size is 5 B");
    /* Half of the figures are none. */
    assert_false(read(BANK "1 B, but bank size is 5 B (allocated: 1 B, free: 2 B)").has_free);
}

/* The first wording in the order of the kinds decides, not the first in the text; and a start that leads nowhere is passed over. */
static void test_several(void **state)
{
    (void)state;
    struct ts_allocation_failure failure =
        read("Statically allocated circular buffers on core range [0-0] grow to 5 B which is beyond max L1 size of 4 "
             "B\n" BANK "x\n" BANK "7 B, but bank size is 6 B\n" BANK "9 B, but bank size is 6 B");
    assert_int_equal(failure.kind, TS_FAILURE_BANK);
    assert_int_equal(failure.per_bank, 7);
}

static void expect_unsaid(const struct ts_allocation_failure *failure, const char *part)
{
    struct ts_failure_diagnosis diagnosis = ts_allocation_failure_diagnose(failure);
    assert_int_equal(diagnosis.reason, TS_REASON_NONE);
    assert_int_equal(diagnosis.bytes, 0);
    assert_non_null(strstr(diagnosis.unsaid, part));
}

/* One past 63 bits is none, and gives no reason where it would decide. */
static void test_large_figures(void **state)
{
    (void)state;
    struct ts_allocation_failure failure =
        read(BANK "99999999999999999999999999 B, but bank size is 9223372036854775807 B (allocated: 0 B, free: "
                  "18446744073709551616123 B, largest free block: 9223372036854775808 B)");
    assert_int_equal(failure.per_bank, TS_FIGURE_TOO_LARGE);
    assert_int_equal(failure.bank_size, INT64_MAX);
    assert_int_equal(failure.free, TS_FIGURE_TOO_LARGE);
    assert_int_equal(failure.largest_free, TS_FIGURE_TOO_LARGE);
    expect_unsaid(&failure, "past 63 bits");
    failure.per_bank = 5;
    expect_unsaid(&failure, "past 63 bits");
    failure.bank_size = 4;
    expect_reason(&failure, TS_REASON_LARGER_THAN_BANK, 1);
    failure.bank_size = TS_FIGURE_TOO_LARGE;
    expect_unsaid(&failure, "past 63 bits");
    failure = (struct ts_allocation_failure){
        .kind = TS_FAILURE_BANK, .per_bank = 5, .bank_size = 9, .has_free = true, .free = 4};
    failure.largest_free = TS_FIGURE_TOO_LARGE;
    expect_unsaid(&failure, "past 63 bits");
    failure = (struct ts_allocation_failure){.kind = TS_FAILURE_CLASH, .limit = TS_FIGURE_TOO_LARGE};
    expect_unsaid(&failure, "past 63 bits");
    failure = (struct ts_allocation_failure){.kind = TS_FAILURE_BEYOND_L1, .region_end = TS_FIGURE_TOO_LARGE};
    expect_unsaid(&failure, "past 63 bits");
}

/* Figures that cannot be true together. */
static void test_contradictions(void **state)
{
    (void)state;
    struct ts_allocation_failure failure = {.kind = TS_FAILURE_CLASH, .region_end = 100, .limit = 100};
    expect_unsaid(&failure, "before the L1 buffer begins");
    failure.region_end = 101;
    expect_reason(&failure, TS_REASON_OVERLAP, 1);
    failure.kind = TS_FAILURE_BEYOND_L1;
    expect_reason(&failure, TS_REASON_BEYOND_L1, 1);
    failure.region_end = 100;
    expect_unsaid(&failure, "within the L1");
    failure = (struct ts_allocation_failure){
        .kind = TS_FAILURE_BANK, .per_bank = 50, .bank_size = 100, .has_free = true, .free = 60, .largest_free = 61};
    expect_unsaid(&failure, "contradict");
    failure.largest_free = 60;
    expect_reason(&failure, TS_REASON_FREE_BLOCK_COULD_HOLD_IT, 0);
    failure.free = 101;
    expect_unsaid(&failure, "contradict");
    failure.free = 100;
    expect_reason(&failure, TS_REASON_FREE_BLOCK_COULD_HOLD_IT, 0);
    failure.has_free = false;
    expect_unsaid(&failure, "older");
}

/* Characters, not bytes. */
static void test_only_the_beginning_is_read(void **state)
{
    static const char tail[] = BANK "7 B, but bank size is 6 B";
    (void)state;
    struct ts_buf text;
    struct ts_allocation_failure failure;
    ts_buf_init(&text, 0);
    for (size_t i = 0; i < TS_FAILURE_MESSAGE_CHARACTERS - (sizeof tail - 1); i++)
        ts_buf_text(&text, "\u00fc");
    ts_buf_text(&text, tail);
    ts_allocation_failure_read(ts_buf_view(&text), &failure);
    assert_int_equal(failure.kind, TS_FAILURE_BANK);
    ts_buf_clear(&text);
    for (size_t i = 0; i <= TS_FAILURE_MESSAGE_CHARACTERS - (sizeof tail - 1); i++)
        ts_buf_text(&text, "\u00fc");
    ts_buf_text(&text, tail);
    ts_allocation_failure_read(ts_buf_view(&text), &failure);
    assert_int_equal(failure.kind, TS_FAILURE_NONE);
    ts_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bank_of_old),
        cmocka_unit_test(test_a_bank_with_free_space),
        cmocka_unit_test(test_a_bank_of_another_type),
        cmocka_unit_test(test_the_order_of_reasons),
        cmocka_unit_test(test_dependencies),
        cmocka_unit_test(test_beyond_l1),
        cmocka_unit_test(test_a_clash),
        cmocka_unit_test(test_the_range),
        cmocka_unit_test(test_what_is_none),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_large_figures),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_only_the_beginning_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
