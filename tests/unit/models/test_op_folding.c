#include "models/op_folding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/number.h"
#include "support/interpose_malloc.c"
#include "support/perf_table.h"

#define HEADER "OP CODE,OP TYPE,DEVICE ID,CORE COUNT,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]\n"

/* A report with one operation a letter, its n-th row lasting 1000 + n ns; '|' is a signpost, a digit gives the operation
 * before it that many cores. */
static struct ts_perf_report *report_of(const char *letters)
{
    struct ts_buf csv;
    ts_buf_init(&csv, 0);
    ts_buf_text(&csv, HEADER);
    for (int row = 0; *letters; letters++, row++) {
        if (*letters == '|') {
            ts_buf_text(&csv, "mark,signpost,,,,\n");
            continue;
        }
        int cores = letters[1] >= '0' && letters[1] <= '9' ? letters[1] - '0' : 64;
        ts_buf_printf(&csv, "%c,tt_dnn_device,0,%d,100,%d\n", *letters, cores, 1000 + row);
        letters += cores != 64;
    }
    struct ts_perf_report *report = perf_table_report_of(ts_buf_view(&csv).ptr, NULL);
    ts_buf_free(&csv);
    return report;
}

static struct ts_op_folding *fold(const struct ts_perf_report *report)
{
    struct ts_context context;
    struct ts_error error;
    struct ts_op_folding *folding = NULL;
    ts_context_init(&context);
    assert_int_equal(ts_op_folding_create(&context, report, false, &folding, &error), TS_OK);
    return folding;
}

/* "A3(BC)D": blocks as how often (what). */
static const char *shape(const struct ts_perf_report *report, const struct ts_op_folding *folding)
{
    static char text[4096];
    size_t len = 0;
    unsigned depth = 0;
    for (uint32_t i = 0; i < folding->count; i++) {
        const struct ts_fold_item *item = &folding->items[i];
        for (; depth > item->depth; depth--)
            text[len++] = ')';
        if (item->kind == TS_FOLD_BLOCK) {
            len += (size_t)snprintf(text + len, sizeof text - len, "%u(", item->repeats);
            depth++;
            continue;
        }
        struct ts_str name = ts_ops_text(report->source->ops, TS_OPS_OP_CODE, report->rows[item->row].source);
        len += (size_t)snprintf(text + len, sizeof text - len, "%.*s", TS_STR_ARG(ts_str_sub(name, 0, 1)));
    }
    for (; depth > 0; depth--)
        text[len++] = ')';
    text[len] = '\0';
    return text;
}

static void check(const char *letters, const char *expected)
{
    struct ts_perf_report *report = report_of(letters);
    struct ts_op_folding *folding = fold(report);
    assert_string_equal(shape(report, folding), expected);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < folding->count; i++)
        rows += folding->items[i].kind == TS_FOLD_ROW ? folding->items[i].count : 0;
    assert_int_equal(rows, report->count);
    ts_op_folding_destroy(folding);
    ts_perf_report_destroy(report);
}

static void test_what_repeats_is_told_once(void **state)
{
    (void)state;
    check("EABCABCABCH", "E3(ABC)H");
    check("AAAAAAB", "6(A)B");
    check("ABABABAB", "4(AB)");
    check("ABCDABCD", "2(ABCD)");
    check("ABCDE", "ABCDE");
}

static void test_little_is_not_worth_a_block(void **state)
{
    (void)state;
    check("ABAB", "ABAB"); /* would spare two rows and add a line */
    check("ABCABC", "ABCABC");
    check("AAAA", "AAAA");
    check("AAAAA", "5(A)");
}

static void test_blocks_within_blocks(void **state)
{
    (void)state;
    check("EABCABCABCHEABCABCABCHEABCABCABCH", "3(E3(ABC)H)");
    check("T|XABCABCABC|XABCABCABC", "T2(mX3(ABC))");
}

static void test_a_remainder_stays(void **state)
{
    (void)state;
    check("ABCABCABCAB", "3(ABC)AB");
}

static void test_the_longest_run_wins_and_then_the_shortest_block(void **state)
{
    (void)state;
    check("ABABABABABABX", "6(AB)X"); /* not 3(ABAB), not 2(ABABAB) */
    check("ABCABDABCABDABCABD", "3(ABCABD)");
}

static void test_unlike_rows(void **state)
{
    (void)state;
    check("A8BCDA9BCD", "ABCDABCD"); /* cores differ */
    check("A8BCDA8BCD", "2(ABCD)");
}

static void test_figures(void **state)
{
    (void)state;
    struct ts_perf_report *report = report_of("EABCABCABCABCH");
    struct ts_op_folding *folding = fold(report);
    const struct ts_fold_item *block = &folding->items[1], *a = &folding->items[2];
    assert_int_equal(block->kind, TS_FOLD_BLOCK);
    assert_int_equal(block->repeats, 4);
    assert_int_equal(block->period, 3);
    assert_int_equal(block->count, 12);
    assert_int_equal(block->row, 1);
    /* A lasts 1001, 1004, 1007 and 1010 ns. */
    assert_int_equal(a->count, 4);
    assert_true(fabs(a->device_time - 1.0055) < 1e-9);
    assert_true(fabs(a->op_to_op_gap - 0.1) < 1e-9);
    double share = 0;
    for (uint32_t row = 1; row < 13; row += 3)
        share += report->rows[row].total_percent;
    assert_true(fabs(a->total_percent - share) < 1e-9);
    /* One repetition: A, B and C; all of them: what E and H leave. */
    assert_true(fabs(block->device_time - (1.0055 + 1.0065 + 1.0075)) < 1e-9);
    assert_true(fabs(block->op_to_op_gap - 0.3) < 1e-9);
    double rest = report->rows[0].total_percent + report->rows[13].total_percent;
    assert_true(fabs(block->total_percent - (100 - rest)) < 1e-9);
    assert_false(ts_present(block->dram_percent));
    ts_op_folding_destroy(folding);
    ts_perf_report_destroy(report);
}

static void test_times_of_nested_blocks_add_up(void **state)
{
    (void)state;
    struct ts_perf_report *report = report_of("XABCABCABCXABCABCABC");
    struct ts_op_folding *folding = fold(report);
    const struct ts_fold_item *outer = &folding->items[0], *inner = &folding->items[2];
    assert_string_equal(shape(report, folding), "2(X3(ABC))");
    assert_true(fabs(outer->device_time - report->device_time_total / 2) < 1e-9);
    assert_true(fabs(outer->device_time - folding->items[1].device_time - 3 * inner->device_time) < 1e-9);
    assert_true(fabs(outer->total_percent - 100) < 1e-9);
    assert_int_equal(inner->count, 18);
    ts_op_folding_destroy(folding);
    ts_perf_report_destroy(report);
}

/* Runs within runs within runs: depth and work stay bounded. */
static void test_deep_nesting(void **state)
{
    (void)state;
    char *letters = malloc(8192);
    assert_non_null(letters);
    size_t len = 0;
    letters[len++] = 'A';
    for (char next = 'B'; next < 'H'; next++) { /* x -> xxx + next */
        for (int copy = 0; copy < 2; copy++)
            memcpy(letters + len * (size_t)(copy + 1), letters, len);
        len *= 3;
        letters[len++] = next;
    }
    letters[len] = '\0';
    struct ts_perf_report *report = report_of(letters);
    struct ts_op_folding *folding = fold(report);
    for (uint32_t i = 0; i < folding->count; i++)
        assert_true(folding->items[i].depth <= TS_FOLD_DEPTH_MAX);
    assert_true(folding->count < report->count / 4);
    ts_op_folding_destroy(folding);
    ts_perf_report_destroy(report);
    free(letters);
}

static void test_devices_apart(void **state)
{
    (void)state;
    static const char csv[] = HEADER "A,tt_dnn_device,0,8,1,1\nB,tt_dnn_device,0,8,1,1\nC,tt_dnn_device,0,8,1,1\n"
                                     "D,tt_dnn_device,0,8,1,1\nA,tt_dnn_device,1,8,1,1\nB,tt_dnn_device,1,8,1,1\n"
                                     "C,tt_dnn_device,1,8,1,1\nD,tt_dnn_device,1,8,1,1\n";
    struct ts_perf_report *report = perf_table_report_of(csv, &(struct ts_perf_report_options){.no_merge = true});
    struct ts_context context;
    struct ts_error error;
    struct ts_op_folding *folding;
    ts_context_init(&context);
    for (int by_device = 0; by_device < 2; by_device++) {
        assert_int_equal(ts_op_folding_create(&context, report, by_device, &folding, &error), TS_OK);
        assert_int_equal(folding->blocks, by_device ? 0 : 1);
        ts_op_folding_destroy(folding);
    }
    ts_perf_report_destroy(report);
}

static void test_cancelled(void **state)
{
    (void)state;
    struct ts_perf_report *report = report_of("ABCABCABC");
    struct ts_context context;
    struct ts_error error;
    struct ts_op_folding *folding = NULL;
    ts_context_init(&context);
    context.cancelled = true;
    assert_int_equal(ts_op_folding_create(&context, report, false, &folding, &error), TS_CANCELLED);
    assert_null(folding);
    ts_op_folding_destroy(NULL);
    ts_perf_report_destroy(report);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct ts_perf_report *report = report_of("EABCABCABCABCH");
    struct ts_context context;
    ts_context_init(&context);
    long good = 0;
    for (bool failed = true; failed; good++) {
        struct ts_error error = {0};
        struct ts_op_folding *folding = NULL;
        interpose_fail_from(good);
        enum ts_status status = ts_op_folding_create(&context, report, false, &folding, &error);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        assert_true(failed == (folding == NULL));
        ts_op_folding_destroy(folding);
    }
    assert_true(good > 5);
    ts_perf_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_repeats_is_told_once),
        cmocka_unit_test(test_little_is_not_worth_a_block),
        cmocka_unit_test(test_blocks_within_blocks),
        cmocka_unit_test(test_a_remainder_stays),
        cmocka_unit_test(test_the_longest_run_wins_and_then_the_shortest_block),
        cmocka_unit_test(test_unlike_rows),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_times_of_nested_blocks_add_up),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_devices_apart),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
