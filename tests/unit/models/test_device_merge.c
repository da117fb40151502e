#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/number.h"
#include "support/perf_table.h"

#define HEADER "OP CODE,OP TYPE,DEVICE ID,HOST START TS,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]\n"
#define OP(code, device, duration) code ",tt_dnn_device," device ",,," duration "\n"

static bool same(double a, double b)
{
    return a == b || (a != a && b != b);
}

static void check_row(const struct ts_perf_report *report, uint32_t row, int32_t device, double device_time,
                      uint32_t member_count)
{
    assert_true(row < report->count);
    assert_int_equal(ts_perf_row_facts(report, row)->device, device);
    if (!same(report->rows[row].device_time, device_time))
        fail_msg("row %u: %.17g us", row, report->rows[row].device_time);
    assert_int_equal(report->rows[row].member_count, member_count);
    bool itself = false;
    for (uint32_t i = 0; i < member_count; i++)
        itself = itself || report->members[report->rows[row].members + i] == report->rows[row].source;
    assert_true(itself || member_count == 0);
}

static void check_notice(const struct ts_perf_report *report, uint32_t notice, int32_t device, uint32_t first_row,
                         uint32_t index, uint32_t devices)
{
    assert_true(notice < report->notice_count && notice < TS_MERGE_NOTICES_MAX);
    assert_int_equal(report->notices[notice].device, device);
    assert_int_equal(report->notices[notice].first_row, first_row);
    assert_int_equal(report->notices[notice].index, index);
    assert_int_equal(report->notices[notice].devices, devices);
}

static void test_the_longest_row_or_a_collectives_mean(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(
        HEADER OP("A", "0", "100") OP("A", "1", "300") "AllGatherAsync,tt_dnn_device,0,,2000,100\n"
                                                       "AllGatherAsync,tt_dnn_device,1,,5000,500\n" OP("B", "0", "10")
                                                           OP("B", "1", "10"),
        NULL);

    assert_string_equal(perf_table_rows(report), "3 A|4 AllGatherAsync|6 B");
    check_row(report, 0, 1, 0.3, 2);
    check_row(report, 1, 0, 0.3, 2);
    assert_true(report->rows[1].op_to_op_gap == 2);
    check_row(report, 2, 0, 0.01, 2);
    assert_int_equal(report->members[report->rows[0].members], 0); /* lowest device first */
    assert_int_equal(report->notice_count, 0);
    assert_int_equal(report->unpaired_rows, 0);
    ts_perf_report_destroy(report);
}

static void test_a_device_that_lacks_the_first_operation(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(HEADER OP("A", "0", "1") OP("B", "0", "2") OP("B", "1", "3")
                                                             OP("C", "0", "4") OP("C", "1", "5") OP("D", "1", "6"),
                                                         NULL);

    assert_string_equal(perf_table_rows(report), "2 A|4 B|6 C|7 D");
    check_row(report, 0, 0, 0.001, 1);
    check_row(report, 1, 1, 0.003, 2);
    check_row(report, 2, 1, 0.005, 2);
    check_row(report, 3, 1, 0.006, 1);
    assert_int_equal(report->notice_count, 2);
    check_notice(report, 0, 1, 0, 0, 1); /* device 1 lacks A */
    check_notice(report, 1, 0, 5, 3, 1); /* device 0 has nothing left */
    assert_int_equal(report->unpaired_rows, 2);
    ts_perf_report_destroy(report);
}

static void test_a_lagging_device_may_pair_nothing(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(
        HEADER OP("B", "0", "1") OP("A", "1", "1") OP("B", "1", "1") OP("C", "0", "1") OP("C", "1", "1"), NULL);

    assert_string_equal(perf_table_rows(report), "2 B|3 A|4 B|5 C|6 C");
    assert_int_equal(report->notice_count, 5);
    check_notice(report, 0, 1, 0, 0, 1);
    check_notice(report, 1, 1, 3, 1, 1);
    check_notice(report, 2, 0, 1, 2, 1);
    ts_perf_report_destroy(report);
}

static void test_unusable_durations(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(
        HEADER OP("AllReduceX", "0", "-1") OP("AllReduceX", "1", "500") OP("AllReduceX", "0", "-1")
            OP("AllReduceX", "1", "") OP("A", "0", "") OP("A", "1", "0") OP("B", "0", "-5") OP("B", "1", ""),
        NULL);

    check_row(report, 0, 0, 0.5, 2);
    check_row(report, 1, 0, TS_ABSENT, 2);
    assert_true(report->rows[1].invalid);
    check_row(report, 2, 1, 0, 2); /* 0 is usable, nothing is not */
    check_row(report, 3, 0, TS_ABSENT, 2);
    assert_int_equal(report->invalid_durations, 2);
    ts_perf_report_destroy(report);
}

static void test_a_latency_can_make_a_duration_unusable(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(HEADER "A,tt_dnn_device,0,,-2000000,1000000\n"
                                                                "A,tt_dnn_device,1,,0,10\n"
                                                                "AllReduceX,tt_dnn_device,0,,-2000000,9000000\n"
                                                                "AllReduceX,tt_dnn_device,1,,0,1000000\n",
                                                         NULL);

    check_row(report, 0, 1, 0.01, 2);
    check_row(report, 1, 0, 5000, 2); /* the mean is judged with the first row's latency: 2 ms is below half */
    ts_perf_report_destroy(report);

    report = perf_table_report_of(HEADER "AllReduceX,tt_dnn_device,0,,-2000000,9000000\n"
                                         "AllReduceX,tt_dnn_device,1,,0,0\nAllReduceX,tt_dnn_device,2,,0,0\n",
                                  NULL);
    check_row(report, 0, 0, TS_ABSENT, 3); /* the mean, 3 ms, is not twice 2 ms */
    ts_perf_report_destroy(report);
}

static void test_what_is_set_aside(void **state)
{
    (void)state;
    struct ts_perf_report *report =
        perf_table_report_of(HEADER "S,signpost,,,,\n" OP("A", "1", "1") OP("A", "x", "2") OP("A", "-1", "3")
                                 OP("A", "0", "4") "(torch) A,host,0,,,\nA,other,0,,,7\n" OP("(torch) B", "0", "5")
                                     OP("(torch) B", "1", "6"),
                             NULL);

    assert_string_equal(perf_table_rows(report), "2 S (signpost)|4 A|5 A|6 A|7 (torch) A|8 A|10 (torch) B");
    check_row(report, 0, -1, TS_ABSENT, 0);
    check_row(report, 1, -1, 0.002, 0);
    check_row(report, 2, -1, 0.003, 0);
    check_row(report, 3, 0, 0.004, 2);
    check_row(report, 4, 0, TS_ABSENT, 0);
    check_row(report, 5, 0, 0.007, 0);
    check_row(report, 6, 1, TS_ABSENT, 2); /* merged by its type, a host row by its name */
    assert_int_equal(report->unusable_device_rows, 2);
    ts_perf_report_destroy(report);
}

static void test_rows_pair_by_time_and_are_reported_by_id(void **state)
{
    (void)state;
    struct ts_perf_report *report = perf_table_report_of(
        HEADER "B,tt_dnn_device,0,9,,1\nA,tt_dnn_device,0,3,,1\nA,tt_dnn_device,1,4,,2\nB,tt_dnn_device,1,8,,2\n",
        NULL);

    assert_string_equal(perf_table_rows(report), "4 A|5 B");
    assert_int_equal(report->notice_count, 0);
    assert_int_equal(report->order_by_time, 0);
    ts_perf_report_destroy(report);
}

static void test_notices_are_counted_beyond_those_kept(void **state)
{
    (void)state;
    static char csv[16384];
    size_t len = (size_t)snprintf(csv, sizeof csv, "%s", HEADER OP("A", "4", "1") OP("A", "9", "1") OP("A", "5", "1"));

    for (int i = 0; i < 100; i++)
        len += (size_t)snprintf(csv + len, sizeof csv - len, "B,tt_dnn_device,5,,,1\n");
    struct ts_perf_report *report = perf_table_report_of(csv, NULL);
    assert_int_equal(report->count, 101);
    assert_int_equal(report->notice_count, 100);
    assert_int_equal(report->unpaired_rows, 100);
    check_notice(report, 0, -1, 3, 1, 2);
    check_notice(report, TS_MERGE_NOTICES_MAX - 1, -1, 2 + TS_MERGE_NOTICES_MAX, TS_MERGE_NOTICES_MAX, 2);
    ts_perf_report_destroy(report);
}

/* ---- against the rules taken literally ---- */

enum { DEVICES = 5, ROWS = 120, CODES = 4 };
struct plain_row {
    int code, device;
    double duration;
};
struct plain_result {
    int row, members, notices;
    double duration;
};

static uint64_t random_state;

static int random_below(int limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (uint64_t)limit);
}

/* Round by round over all devices. Code 0 is a collective. Returns the number of results, by row. */
static int merge_literally(const struct plain_row *rows, int count, struct plain_result *by_row)
{
    int head[DEVICES] = {0}, merged = 0;

    for (int i = 0; i < count; i++)
        by_row[i].members = 0;
    for (;;) {
        int code = -1, best = -1, first = -1, members = 0, usable = 0;
        double longest = -2, sum = 0;
        for (int device = 0; device < DEVICES; device++) {
            while (head[device] < count && rows[head[device]].device != device)
                head[device]++;
            if (head[device] == count || (code >= 0 && rows[head[device]].code != code))
                continue;
            int row = head[device]++;
            code = rows[row].code;
            first = first < 0 ? row : first;
            members++;
            double duration = rows[row].duration >= 0 ? rows[row].duration : -1;
            if (duration >= 0) {
                usable++;
                sum += duration;
            }
            if (duration > longest) {
                longest = duration;
                best = row;
            }
        }
        if (members == 0)
            return merged;
        int kept = code == 0 ? first : best;
        double duration = code == 0 ? (usable > 0 ? sum / usable : TS_ABSENT) : rows[best].duration;
        by_row[kept] = (struct plain_result){kept, members, 0, duration >= 0 ? duration / 1000 : TS_ABSENT};
        merged++;
    }
}

static void test_random_reports_follow_the_rules(void **state)
{
    (void)state;
    static const char *const codes[CODES] = {"AllGatherX", "A", "B", "C"};
    struct plain_row rows[ROWS];
    struct plain_result expected[ROWS];
    struct ts_buf csv;

    ts_buf_init(&csv, 0);
    for (int round = 0; round < 400; round++) {
        random_state = (uint64_t)round;
        int count = 2 + random_below(ROWS - 2), lockstep = random_below(3);
        ts_buf_clear(&csv);
        ts_buf_text(&csv, HEADER);
        for (int i = 0; i < count; i++) {
            rows[i].device = lockstep && random_below(30) ? i % DEVICES : random_below(DEVICES);
            rows[i].code = lockstep ? i / DEVICES % CODES : random_below(CODES);
            rows[i].duration = random_below(8) ? random_below(50) : -1;
            ts_buf_printf(&csv, "%s,tt_dnn_device,%d,,,%d\n", codes[rows[i].code], rows[i].device,
                          (int)rows[i].duration);
        }
        int merged = merge_literally(rows, count, expected);
        struct ts_perf_report *report = perf_table_report_of(ts_buf_view(&csv).ptr, NULL);
        assert_int_equal(report->count, merged);
        for (uint32_t i = 0, at = 0; i < report->count; i++, at++) {
            while (expected[at].members == 0)
                at++;
            assert_int_equal(report->rows[i].source, at);
            check_row(report, i, rows[at].device, expected[at].duration, (uint32_t)expected[at].members);
        }
        ts_perf_report_destroy(report);
    }
    ts_buf_free(&csv);
}

/* One long device and many that never come to match: work per round must not grow with the devices. */
static void test_many_devices_that_wait_cost_nothing(void **state)
{
    (void)state;
    enum { MANY = 60000 };
    struct ts_buf csv;

    ts_buf_init(&csv, 0);
    ts_buf_text(&csv, HEADER);
    for (int i = 0; i < MANY; i++)
        ts_buf_printf(&csv, "A,tt_dnn_device,0,,,1\n%s,tt_dnn_device,%d,,,1\n", i % 2 ? "B" : "C", MANY - i);
    struct ts_perf_report *report = perf_table_report_of(ts_buf_view(&csv).ptr, NULL);
    assert_int_equal(report->count, MANY + 2);
    assert_int_equal(report->notice_count, MANY + 2);
    ts_perf_report_destroy(report);
    ts_buf_free(&csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_longest_row_or_a_collectives_mean),
        cmocka_unit_test(test_a_device_that_lacks_the_first_operation),
        cmocka_unit_test(test_a_lagging_device_may_pair_nothing),
        cmocka_unit_test(test_unusable_durations),
        cmocka_unit_test(test_a_latency_can_make_a_duration_unusable),
        cmocka_unit_test(test_what_is_set_aside),
        cmocka_unit_test(test_rows_pair_by_time_and_are_reported_by_id),
        cmocka_unit_test(test_notices_are_counted_beyond_those_kept),
        cmocka_unit_test(test_random_reports_follow_the_rules),
        cmocka_unit_test(test_many_devices_that_wait_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
