/* zone_timings and core_spread, asked of small captures whose answers can be worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "support/perf_capture.h"

#define HEAD "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
#define COLUMNS                                                                                                        \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace "    \
    "id, "                                                                                                             \
    "trace id counter, zone name, type, source line, source file, meta data\n"
#define CSV_COLUMNS                                                                                                    \
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,DEVICE FW START CYCLE,DEVICE FW END CYCLE,"                \
    "DEVICE KERNEL DURATION [ns]\n"
/* One kernel zone. */
#define ZONE(slot, core, risc, name, run, start, end)                                                                  \
    slot "," core "," risc ",7," start ",0," run ",,," name ",ZONE_START,1,f,\n" slot "," core "," risc ",7," end      \
         ",0," run ",,," name ",ZONE_END,1,f,\n"
#define KERNEL(core, risc, run, start, end) ZONE("0", core, risc, risc "-KERNEL", run, start, end)

static struct perf_bench *bench_of(void **state)
{
    return *state;
}

static int set_up(void **state)
{
    struct perf_bench *bench = calloc(1, sizeof *bench);
    perf_bench_make(bench);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    perf_bench_free(*state);
    free(*state);
    return 0;
}

/* Write a log, and where csv is not NULL an operations CSV, and open them. */
static void open_capture(struct perf_bench *bench, const char *log, const char *csv)
{
    perf_bench_write(bench, "c/profile_log_device.csv", log);
    if (csv)
        perf_bench_write(bench, "c/ops_perf_results.csv", csv);
    perf_bench_open(bench, "c");
}

/* ---- zone_timings ---- */

static yyjson_doc *zones(struct perf_bench *bench, const char *log)
{
    open_capture(bench, log, NULL);
    return perf_bench_ask_of(bench, bench->count - 1, "zone_timings", "{\"limit\":100}");
}

static void test_totals(void **state)
{
    yyjson_doc *answer = zones(bench_of(state), HEAD COLUMNS ZONE("0", "1,1", "BRISC", "A", "1", "100", "350")
                                                    ZONE("0", "1,1", "BRISC", "A", "1", "400", "401")
                                                        ZONE("1", "1,1", "BRISC", "A", "2", "10", "20"));
    perf_expect(answer, "/arch", "\"wormhole_b0\"");
    perf_expect(answer, "/clock_mhz", "1000");
    perf_expect(answer, "/zone_count", "1");
    perf_expect(answer, "/zones",
                "[{\"zone\":\"A\",\"risc\":\"BRISC\",\"occurrences\":3,\"cores\":2,\"total_cycles\":261,"
                "\"mean_cycles\":87,\"total_us\":0.261}]");
    assert_false(perf_has(answer, "/caveat"));
    assert_false(perf_has(answer, "/unpaired"));
    assert_false(perf_has(answer, "/runs"));
    yyjson_doc_free(answer);
}

static void test_header_only(void **state)
{
    yyjson_doc *answer = zones(bench_of(state), HEAD COLUMNS);
    perf_expect(answer, "/zones", "[]");
    perf_expect(answer, "/zone_count", "0");
    yyjson_doc_free(answer);
}

static void test_no_first_line(void **state)
{
    yyjson_doc *answer = zones(bench_of(state), COLUMNS ZONE("0", "1,1", "BRISC", "A", "1", "100", "350"));
    perf_expect(answer, "/arch", "null");
    perf_expect(answer, "/clock_mhz", "null");
    perf_expect(answer, "/zones/0/total_cycles", "250");
    perf_expect(answer, "/zones/0/total_us", "null");
    yyjson_doc_free(answer);
}

static void test_frequency_0(void **state)
{
    yyjson_doc *answer = zones(
        bench_of(state), "ARCH: quasar, CHIP_FREQ[MHz]: 0\n" COLUMNS ZONE("0", "1,1", "BRISC", "A", "1", "100", "350"));
    perf_expect(answer, "/clock_mhz", "0");
    perf_expect(answer, "/zones/0/total_us", "null");
    yyjson_doc_free(answer);
}

static void test_what_does_not_pair(void **state)
{
    yyjson_doc *answer = zones(bench_of(state), HEAD COLUMNS
                               "0,1,1,BRISC,7,5,0,1,,,A,ZONE_END,1,f,\n0,1,1,BRISC,7,9,0,1,,,A,ZONE_START,1,f,\n"
                               "0,1,1,BRISC,7,30,0,1,,,B,ZONE_START,1,f,\n0,1,1,BRISC,7,29,0,1,,,B,ZONE_END,1,f,\n"
                               "x,1,1,BRISC,7,29,0,1,,,B,ZONE_END,1,f,\n0,1,1,BRI");
    perf_expect(answer, "/unpaired", "{\"starts\":2,\"ends\":2,\"dropped_starts\":0}");
    perf_expect(answer, "/unreadable_rows", "2");
    perf_expect_part(answer, "/caveat", "2 zone starts and 2 zone ends did not pair");
    perf_expect_part(answer, "/caveat", "2 rows could not be read");
    perf_expect(answer, "/zones/0/mean_cycles", "null");
    perf_expect(answer, "/zones/0/total_cycles", "0");
    yyjson_doc_free(answer);
}

/* Every start and every end is in a pair or among those that are not. */
static void test_a_start_that_replaces_an_open_one(void **state)
{
    struct perf_bench *bench = bench_of(state);
    yyjson_doc *answer = zones(bench, HEAD COLUMNS
                               "0,1,1,BRISC,7,100,0,1,,,A,ZONE_START,1,f,\n0,1,1,BRISC,7,110,0,1,,,A,ZONE_START,1,f,\n"
                               "0,1,1,BRISC,7,120,0,1,,,A,ZONE_END,1,f,\n");
    perf_expect(answer, "/zones/0/total_cycles", "10");
    perf_expect(answer, "/unpaired", "{\"starts\":1,\"ends\":0,\"dropped_starts\":0}");
    perf_expect_part(answer, "/caveat", "1 zone start and 0 zone ends did not pair");
    yyjson_doc_free(answer);
    answer = zones(bench,
                   HEAD COLUMNS "0,1,1,BRISC,7,100,0,1,,,A,ZONE_START,1,f,\n0,1,1,BRISC,7,110,0,1,,,A,ZONE_START,1,f,\n"
                                "0,1,1,BRISC,7,120,0,1,,,A,ZONE_END,1,f,\n0,1,1,BRISC,7,130,0,1,,,A,ZONE_END,1,f,\n");
    perf_expect(answer, "/zones/0/total_cycles", "10");
    perf_expect(answer, "/unpaired", "{\"starts\":1,\"ends\":1,\"dropped_starts\":0}");
    yyjson_doc_free(answer);
}

/* A byte order mark is no part of a line, at the beginning of the log or where one was joined to another. */
static void test_byte_order_marks(void **state)
{
#define MARK "\xef\xbb\xbf"
    static const char *const logs[] = {
        MARK COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150"),
        MARK COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150") COLUMNS,
        COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150") MARK COLUMNS,
        HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150") MARK HEAD COLUMNS,
        HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150") MARK "ARCH: other\n" COLUMNS,
    };
#undef MARK
    struct perf_bench *bench = bench_of(state);
    for (unsigned i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        perf_bench_free(bench);
        perf_bench_make(bench);
        yyjson_doc *answer = zones(bench, logs[i]);
        perf_expect(answer, "/zones/0/total_cycles", "40");
        assert_false(perf_has(answer, "/unreadable_rows"));
        yyjson_doc_free(answer);
    }
}

/* What was there when the capture was loaded is not said to be a wrong path. */
static void test_a_log_that_goes_before_it_is_read(void **state)
{
    struct perf_bench *bench = bench_of(state);
    char path[128];
    open_capture(bench, HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150"),
                 CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\n");
    snprintf(path, sizeof path, "%s/c/profile_log_device.csv", bench->folder);
    assert_int_equal(remove(path), 0);
    perf_bench_refused(bench, "zone_timings", "{}", TS_CHANGED, "profile_log_device.csv is gone|open it again");
    perf_bench_refused(bench, "core_spread", "{}", TS_CHANGED, "profile_log_device.csv is gone|open it again");
}

static void test_joined_logs(void **state)
{
    yyjson_doc *answer = zones(bench_of(state), HEAD COLUMNS ZONE("0", "1,1", "BRISC", "A", "1", "1000", "1100")
                                                    HEAD COLUMNS ZONE("0", "1,1", "BRISC", "A", "1", "500", "700"));
    perf_expect(answer, "/runs", "2");
    perf_expect(answer, "/zones/0/total_cycles", "300");
    assert_false(perf_has(answer, "/unreadable_rows"));
    perf_expect_part(answer, "/caveat", "2 runs");
    yyjson_doc_free(answer);
}

static void test_names_with_numbers_are_one_zone(void **state)
{
    yyjson_doc *answer =
        zones(bench_of(state), HEAD COLUMNS ZONE("0", "1,1", "BRISC", "CQ-DISPATCH:12:WRITE", "1", "1", "3")
                                   ZONE("0", "1,1", "BRISC", "CQ-DISPATCH:13:WRITE", "1", "5", "8"));
    perf_expect(answer, "/zone_count", "1");
    perf_expect(answer, "/zones/0/zone", "\"CQ-DISPATCH:*:WRITE\"");
    perf_expect(answer, "/zones/0/occurrences", "2");
    yyjson_doc_free(answer);
}

static void test_sums_past_63_bits(void **state)
{
    yyjson_doc *answer =
        zones(bench_of(state), HEAD COLUMNS ZONE("0", "1,1", "BRISC", "A", "1", "0", "18446744073709551615")
                                   ZONE("0", "1,1", "BRISC", "A", "1", "0", "18446744073709551615"));
    perf_expect(answer, "/zones/0/total_cycles", "null");
    double mean = yyjson_get_num(perf_at(answer, "/zones/0/mean_cycles"));
    assert_true(mean > 1.84e19 && mean < 1.85e19);
    yyjson_doc_free(answer);
}

static void test_logs_that_are_refused(void **state)
{
    struct perf_bench *bench = bench_of(state);
    open_capture(bench, "", NULL);
    perf_bench_refused(bench, "zone_timings", "{}", TS_REFUSED, "no header line|");
    open_capture(bench, HEAD, NULL);
    perf_bench_refused(bench, "zone_timings", "{}", TS_REFUSED, "no header line|");
    open_capture(bench, HEAD "PCIe slot,core_x,timer_id,zone name,Run ID\n0,1,1,a,b\n", NULL);
    perf_bench_refused(bench, "zone_timings", "{}", TS_REFUSED,
                       "run host ID, RISC processor type, core_y, time[cycles since reset]|");
    perf_bench_write(bench, "d/notes.txt", "");
    unsigned other = perf_bench_open(bench, "d");
    struct ts_capture *first = bench->captures[0];
    bench->captures[0] = bench->captures[other];
    bench->captures[other] = first;
    perf_bench_refused(bench, "zone_timings", "{}", TS_REFUSED, "holds no profile_log_device.csv|");
}

/* ---- core_spread ---- */

static yyjson_doc *spread(struct perf_bench *bench, const char *log, const char *csv)
{
    open_capture(bench, log, csv);
    return perf_bench_ask_of(bench, bench->count - 1, "core_spread", "{}");
}

static void test_spans_of_two_cores(void **state)
{
    yyjson_doc *answer = spread(
        bench_of(state),
        HEAD COLUMNS KERNEL("1,1", "BRISC", "1024", "1020", "1400") KERNEL("1,1", "TRISC_2", "1024", "1040", "1416")
            KERNEL("2,1", "BRISC", "1024", "1030", "1510") KERNEL("2,1", "NCRISC", "1024", "1031", "1526"),
        CSV_COLUMNS "Matmul,tt_dnn_device,1024,0,2,1000,1600,520\n");
    perf_expect(answer, "/op_count", "1");
    perf_expect(answer, "/in_log_count", "1");
    perf_expect(answer, "/ops/0/id", "\"2\"");
    perf_expect(answer, "/ops/0/device", "\"0\"");
    perf_expect(answer, "/ops/0/global_call_count", "1024");
    perf_expect(answer, "/ops/0/device_time", "0.52");
    perf_expect(answer, "/ops/0/cores_in_log", "2");
    perf_expect(answer, "/ops/0/min_us", "0.396");
    perf_expect(answer, "/ops/0/median_us", "0.446");
    perf_expect(answer, "/ops/0/max_us", "0.496");
    perf_expect(answer, "/ops/0/imbalance", "1.112");
    perf_expect(answer, "/ops/0/slowest_cores",
                "[{\"core_x\":2,\"core_y\":1,\"span_us\":0.496},{\"core_x\":1,\"core_y\":1,\"span_us\":0.396}]");
    perf_expect(answer, "/ops/0/riscs/0",
                "{\"risc\":\"BRISC\",\"cores\":2,\"min_us\":0.38,\"median_us\":0.43,\"max_us\":0.48}");
    perf_expect(answer, "/ops/0/riscs/2/risc", "\"TRISC_2\"");
    assert_false(perf_has(answer, "/ops/0/caveat"));
    assert_false(perf_has(answer, "/ops/0/csv_per_core"));
    assert_false(perf_has(answer, "/caveat"));
    yyjson_doc_free(answer);
}

static void test_why_a_row_is_not_in_the_log(void **state)
{
    yyjson_doc *answer =
        spread(bench_of(state),
               HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "190") KERNEL("1,1", "BRISC", "2", "900", "950"),
               CSV_COLUMNS "First,tt_dnn_device,1,0,1,100,200,90\nReplay,tt_dnn_device,1,0,1,300,400,80\n"
                           "Other,tt_dnn_device,2,0,1,100,200,70\nNone,tt_dnn_device,3,0,1,100,200,60\n"
                           "No call,tt_dnn_device,,0,1,100,200,50\n");
    perf_expect(answer, "/in_log_count", "1");
    perf_expect(answer, "/ops/0/in_log", "true");
    perf_expect(answer, "/ops/1/not_in_log", "\"dropped_replay\"");
    perf_expect(answer, "/ops/2/not_in_log", "\"other_execution\"");
    perf_expect(answer, "/ops/3/not_in_log", "\"no_zones\"");
    perf_expect(answer, "/ops/4/not_in_log", "\"no_zones\"");
    perf_expect(answer, "/ops/4/global_call_count", "null");
    perf_expect_part(answer, "/ops/1/caveat", "buffer filled");
    perf_expect_part(answer, "/ops/2/caveat", "another execution");
    perf_expect_part(answer, "/ops/3/caveat", "no kernel zones");
    perf_expect_part(answer, "/ops/4/caveat", "GLOBAL CALL COUNT");
    assert_false(perf_has(answer, "/ops/3/min_us"));
    yyjson_doc_free(answer);
}

static void test_windows_include_their_ends(void **state)
{
    yyjson_doc *answer =
        spread(bench_of(state),
               HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "100", "200") KERNEL("2,1", "BRISC", "1", "99", "180")
                   KERNEL("3,1", "BRISC", "1", "120", "201") KERNEL("1,1", "BRISC", "1", "300", "300"),
               CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\nA,tt_dnn_device,1,0,1,300,300,80\n");
    perf_expect(answer, "/ops/0/cores_in_log", "1");
    perf_expect(answer, "/ops/0/max_us", "0.1");
    perf_expect(answer, "/ops/1/max_us", "0");
    perf_expect(answer, "/ops/1/imbalance", "null");
    yyjson_doc_free(answer);
}

static void test_rows_without_cycles_pool(void **state)
{
    yyjson_doc *answer = spread(bench_of(state),
                                HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "190")
                                    KERNEL("1,1", "BRISC", "1", "300", "310") KERNEL("1,1", "BRISC", "2", "400", "430"),
                                CSV_COLUMNS "A,tt_dnn_device,1,0,1,,,90\nA,tt_dnn_device,1,0,1,100,200,80\n"
                                            "B,tt_dnn_device,2,0,1,,,70\n");
    perf_expect(answer, "/ops/0/max_us", "0.2");
    perf_expect(answer, "/ops/1/max_us", "0.08");
    perf_expect(answer, "/ops/2/max_us", "0.03");
    perf_expect_part(answer, "/ops/0/caveat", "pool");
    assert_false(perf_has(answer, "/ops/1/caveat"));
    assert_false(perf_has(answer, "/ops/2/caveat"));
    yyjson_doc_free(answer);
}

static void test_more_and_fewer_cores_than_the_row(void **state)
{
    yyjson_doc *answer = spread(bench_of(state),
                                HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "190")
                                    KERNEL("2,1", "BRISC", "1", "110", "150") KERNEL("1,1", "BRISC", "2", "400", "430"),
                                CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\nB,tt_dnn_device,2,0,3,300,500,80\n");
    perf_expect_part(answer, "/ops/0/caveat", "2 cores recorded zones and the row has 1");
    perf_expect_part(answer, "/ops/1/caveat", "1 of 3 cores recorded zones");
    yyjson_doc_free(answer);
}

static void test_zones_of_one_device_only(void **state)
{
    yyjson_doc *answer =
        spread(bench_of(state),
               HEAD COLUMNS KERNEL("1,1", "BRISC", "5", "110", "150")
                   ZONE("1", "1,1", "BRISC", "BRISC-KERNEL", "5", "110", "190"),
               CSV_COLUMNS "AllGather,tt_dnn_device,5,0,1,100,200,50\nAllGather,tt_dnn_device,5,1,1,100,200,80\n"
                           "Matmul,tt_dnn_device,6,0,1,100,200,5\nMatmul,tt_dnn_device,6,1,1,100,200,8\n");
    perf_expect(answer, "/op_count", "2");
    perf_expect(answer, "/ops/0/op_code", "\"AllGather\"");
    perf_expect(answer, "/ops/0/device", "\"0\"");
    perf_expect(answer, "/ops/0/max_us", "0.04");
    perf_expect_part(answer, "/ops/0/caveat", "mean over devices");
    perf_expect(answer, "/ops/1/device", "\"1\"");
    perf_expect_part(answer, "/caveat", "slowest device");
    yyjson_doc_free(answer);
}

static void test_unpaired_and_unreadable_kernels(void **state)
{
    yyjson_doc *answer = spread(bench_of(state),
                                HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110",
                                                    "190") "0,1,1,NCRISC,7,120,0,1,,,NCRISC-KERNEL,ZONE_START,1,f,\n"
                                                           "0,1,1,BRISC,7,later,0,1,,,BRISC-KERNEL,ZONE_END,1,f,\n"
                                                           "0,1,1,BRISC,7,130,0,one,,,BRISC-KERNEL,ZONE_END,1,f,\n"
                                                           "0,1,1,BRISC,7,late,0,1,,,BRISC-FW,ZONE_END,1,f,\n",
                                CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\nA,tt_dnn_device,1,0,1,300,400,80\n");
    perf_expect(answer, "/unreadable_kernel_rows", "2");
    perf_expect(answer, "/ops/0/unpaired_zones", "1");
    perf_expect(answer, "/ops/1/unpaired_zones", "1");
    perf_expect_part(answer, "/ops/0/caveat", "did not pair");
    perf_expect_part(answer, "/caveat", "2 kernel rows");
    yyjson_doc_free(answer);
}

static void test_zones_longer_than_32_bits(void **state)
{
    yyjson_doc *answer = spread(bench_of(state), HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "1000", "8589935592"),
                                CSV_COLUMNS "A,tt_dnn_device,1,0,1,0,9000000000,90\n");
    perf_expect(answer, "/ops/0/max_us", "8589934.592");
    yyjson_doc_free(answer);
}

static void test_rows_that_are_refused(void **state)
{
    struct perf_bench *bench = bench_of(state);
    open_capture(bench, HEAD COLUMNS KERNEL("1,1", "BRISC", "5", "110", "150"),
                 CSV_COLUMNS "A,tt_dnn_device,5,0,1,100,200,50\nA,tt_dnn_device,5,1,1,100,200,80\nmark,signpost,,,,,,\n"
                             "(torch) add,python_fallback,7,,,,,\n");
    perf_bench_refused(bench, "core_spread", "{\"perf_id\":2}", TS_REFUSED, "row 2|devices are merged|");
    perf_bench_refused(bench, "core_spread", "{\"perf_id\":\"4\"}", TS_REFUSED, "row 4 is a signpost|");
    perf_bench_refused(bench, "core_spread", "{\"perf_id\":5}", TS_REFUSED, "row 5 is a host operation|");
    perf_bench_refused(bench, "core_spread", "{\"perf_id\":6}", TS_REFUSED, "no row 6|rows are 2 to 5|");
    perf_bench_refused(bench, "core_spread", "{\"perf_id\":-9223372036854775808}", TS_REFUSED, "no row|");
    perf_bench_refused(bench, "core_spread", "{\"perf_id\":9223372036854775807}", TS_REFUSED, "no row|");
    yyjson_doc *answer = perf_bench_ask(bench, "core_spread", "{\"perf_id\":\"3\",\"limit\":1}");
    perf_expect(answer, "/ops/0/id", "\"3\"");
    yyjson_doc_free(answer);
}

static void refused_log(struct perf_bench *bench, const char *log, const char *why)
{
    open_capture(bench, log, CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\n");
    bench->captures[0] = bench->captures[bench->count - 1];
    perf_bench_refused(bench, "core_spread", "{}", TS_REFUSED, why);
    if (bench->count > 1)
        bench->count--;
}

static void test_logs_without_what_spans_need(void **state)
{
    struct perf_bench *bench = bench_of(state);
    open_capture(bench, HEAD COLUMNS, CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\n");
    perf_bench_refused(bench, "core_spread", "{}", TS_REFUSED, "the device log has no rows|");
}

static void test_a_log_that_is_not_utf8(void **state)
{
    struct perf_bench *bench = bench_of(state);
    refused_log(bench, HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150") "0,1,1,\xff\n", "not UTF-8 at byte|");
    yyjson_doc *answer = perf_bench_ask(bench, "zone_timings", "{}");
    perf_expect(answer, "/zone_count", "1");
    perf_expect_part(answer, "/caveat", "not UTF-8");
    yyjson_doc_free(answer);
}

static void test_a_log_without_a_clock(void **state)
{
    refused_log(bench_of(state), "ARCH: a\n" COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150"), "CHIP_FREQ[MHz]|");
}

static void test_a_log_without_types(void **state)
{
    refused_log(bench_of(state),
                HEAD
                "PCIe slot,core_x,core_y,RISC processor type,timer_id,time[cycles since reset],run host ID,zone name\n"
                "0,1,1,BRISC,1,2,3,A-KERNEL\n",
                "zone starts from ends|");
}

/* ---- what is kept ---- */

static void test_a_log_that_changes(void **state)
{
    struct perf_bench *bench = bench_of(state);
    open_capture(bench, HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150"),
                 CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\n");
    yyjson_doc *answer = perf_bench_ask(bench, "core_spread", "{}");
    perf_expect(answer, "/ops/0/max_us", "0.04");
    assert_false(perf_has(answer, "/capture_changed"));
    yyjson_doc_free(answer);
    perf_bench_write(bench, "c/profile_log_device.csv",
                     "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 500\n" COLUMNS KERNEL("1,1", "BRISC", "1", "110", "190"));
    /* Both answer from the log first read, at the clock it was read at. */
    for (unsigned round = 0; round < 2; round++) {
        answer = perf_bench_ask(bench, "core_spread", "{}");
        perf_expect(answer, "/ops/0/max_us", "0.04");
        perf_expect(answer, "/clock_mhz", "1000");
        perf_expect(answer, "/capture_changed", "true");
        assert_false(perf_has(answer, "/caveat"));
        yyjson_doc_free(answer);
        answer = perf_bench_ask(bench, "zone_timings", "{}");
        perf_expect(answer, "/zones/0/total_cycles", "40");
        perf_expect(answer, "/clock_mhz", "1000");
        perf_expect(answer, "/capture_changed", "true");
        assert_false(perf_has(answer, "/caveat"));
        yyjson_doc_free(answer);
    }
    /* A fresh capture reads afresh. */
    unsigned fresh = perf_bench_open(bench, "c");
    answer = perf_bench_ask_of(bench, fresh, "core_spread", "{}");
    perf_expect(answer, "/ops/0/max_us", "0.16");
    assert_false(perf_has(answer, "/capture_changed"));
    yyjson_doc_free(answer);
    answer = perf_bench_ask_of(bench, fresh, "zone_timings", "{}");
    perf_expect(answer, "/zones/0/total_cycles", "80");
    assert_false(perf_has(answer, "/capture_changed"));
    yyjson_doc_free(answer);
}

/* The pass of the first zone_timings collects the spans too: what is asked of them later is of the same log. */
static void test_zones_bring_spans_along(void **state)
{
    struct perf_bench *bench = bench_of(state);
    open_capture(bench, HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150"),
                 CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\n");
    yyjson_doc *answer = perf_bench_ask(bench, "zone_timings", "{}");
    assert_false(perf_has(answer, "/capture_changed"));
    yyjson_doc_free(answer);
    perf_bench_write(bench, "c/profile_log_device.csv", HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "160"));
    answer = perf_bench_ask(bench, "core_spread", "{}");
    perf_expect(answer, "/ops/0/max_us", "0.04");
    perf_expect(answer, "/capture_changed", "true");
    yyjson_doc_free(answer);
}

/* A log that changes before anything was asked of it is read as it is then, which the answer says. */
static void test_a_log_that_changes_before_it_is_read(void **state)
{
    static const char *const questions[] = {"zone_timings", "core_spread"};
    struct perf_bench *bench = bench_of(state);
    for (unsigned i = 0; i < 2; i++) {
        open_capture(bench, HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150"),
                     CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\n");
        unsigned capture = bench->count - 1;
        yyjson_doc *answer = perf_bench_ask_of(bench, capture, "load_report", "{}");
        yyjson_doc_free(answer);
        perf_bench_write(bench, "c/profile_log_device.csv",
                         "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 500\n" COLUMNS KERNEL("1,1", "BRISC", "1", "110", "190"));
        for (unsigned k = 0; k < 2; k++) {
            answer = perf_bench_ask_of(bench, capture, questions[(i + k) % 2], "{}");
            perf_expect(answer, "/clock_mhz", "500");
            perf_expect(answer, "/capture_changed", "true");
            perf_expect_part(answer, "/caveat", "this is the newer one");
            yyjson_doc_free(answer);
        }
    }
}

/* Zones that another capture has read bind no other. */
static void test_captures_of_one_log_change_apart(void **state)
{
    struct perf_bench *bench = bench_of(state);
    const char *csv = CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\n";
    open_capture(bench, HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150"), csv);
    yyjson_doc *answer = perf_bench_ask(bench, "zone_timings", "{}");
    yyjson_doc_free(answer);
    unsigned other = perf_bench_open(bench, "c");
    answer = perf_bench_ask_of(bench, other, "load_report", "{}");
    yyjson_doc_free(answer);
    perf_bench_write(bench, "c/profile_log_device.csv", HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "160"));
    answer = perf_bench_ask_of(bench, other, "zone_timings", "{}");
    perf_expect(answer, "/zones/0/total_cycles", "50");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(bench, "zone_timings", "{}");
    perf_expect(answer, "/zones/0/total_cycles", "40");
    yyjson_doc_free(answer);
}

/* ---- odd first lines, odd counts ---- */

static void test_clocks_that_no_device_has(void **state)
{
    static const char *const odd[] = {"1e-300", "0.001", "1e9", "99999999999999999999"};
    static const char *const usual[] = {"1", "1000", "1350.5", "0", "-5", "inf", ""};
    struct perf_bench *bench = bench_of(state);
    char log[1024];
    for (unsigned i = 0; i < sizeof odd / sizeof odd[0] + sizeof usual / sizeof usual[0]; i++) {
        bool is_odd = i < sizeof odd / sizeof odd[0];
        snprintf(log, sizeof log, "ARCH: a, CHIP_FREQ[MHz]: %s\n%s", is_odd ? odd[i] : usual[i - 4],
                 COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150"));
        perf_bench_free(bench);
        perf_bench_make(bench);
        open_capture(bench, log, CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,90\n");
        yyjson_doc *answer = perf_bench_ask(bench, "zone_timings", "{}");
        assert_int_equal(perf_has(answer, "/caveat"), is_odd);
        if (is_odd) {
            perf_expect_part(answer, "/caveat", "No device runs at the");
            yyjson_doc_free(answer);
            answer = perf_bench_ask(bench, "core_spread", "{}");
            perf_expect_part(answer, "/caveat", "No device runs at the");
        }
        yyjson_doc_free(answer);
    }
}

/* Times that are past what a number holds are null, as is declared of them, and cycles and ratios are still told. */
static void test_times_past_any_number(void **state)
{
    yyjson_doc *answer =
        spread(bench_of(state),
               "ARCH: a, CHIP_FREQ[MHz]: 1e-308\n" COLUMNS KERNEL("1,1", "BRISC", "1", "110", "18000000000000000110"),
               "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE KERNEL DURATION [ns]\nA,tt_dnn_device,1,0,9\n");
    perf_expect(answer, "/ops/0/max_us", "null");
    perf_expect(answer, "/ops/0/riscs/0/median_us", "null");
    perf_expect(answer, "/ops/0/slowest_cores/0/span_us", "null");
    perf_expect(answer, "/ops/0/imbalance", "1");
    perf_expect_part(answer, "/caveat", "rely on cycles and ratios");
    yyjson_doc_free(answer);
}

/* What has no time to be ranked by is not left out without a word, and can be asked for. */
static void test_operations_without_a_time(void **state)
{
    struct perf_bench *bench = bench_of(state);
    yyjson_doc *answer =
        spread(bench, HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110", "150"),
               CSV_COLUMNS "A,tt_dnn_device,1,0,1,100,200,\nB,tt_dnn_device,2,0,1,300,400,90\nC,host,3,,,,,\n");
    perf_expect(answer, "/op_count", "2");
    perf_expect(answer, "/returned", "1");
    perf_expect(answer, "/ops/0/id", "\"3\"");
    perf_expect_part(answer, "/caveat", "1 device operation has no device_time and cannot be ranked");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(bench, "core_spread", "{\"perf_id\":2}");
    perf_expect(answer, "/ops/0/max_us", "0.04");
    assert_false(perf_has(answer, "/caveat"));
    yyjson_doc_free(answer);
}

static void test_one_of_a_thing(void **state)
{
    yyjson_doc *answer = spread(bench_of(state),
                                HEAD COLUMNS KERNEL("1,1", "BRISC", "1", "110",
                                                    "190") "0,1,1,NCRISC,7,120,0,1,,,NCRISC-KERNEL,ZONE_START,1,f,\n"
                                                           "0,1,1,BRISC,7,later,0,1,,,BRISC-KERNEL,ZONE_END,1,f,\n",
                                CSV_COLUMNS "A,tt_dnn_device,1,0,2,100,200,90\n");
    perf_expect_part(answer, "/ops/0/caveat", "1 of 2 cores recorded zones");
    perf_expect_part(answer, "/ops/0/caveat", " 1 kernel zone of this call count");
    perf_expect_part(answer, "/caveat", "1 kernel row is left out");
    yyjson_doc_free(answer);
    answer = perf_bench_ask(bench_of(state), "zone_timings", "{}");
    perf_expect_part(answer, "/caveat", "1 zone start and 0 zone ends did not pair");
    perf_expect_part(answer, "/caveat", " 1 row could not be read");
    yyjson_doc_free(answer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_totals),
        TEST(test_header_only),
        TEST(test_no_first_line),
        TEST(test_frequency_0),
        TEST(test_what_does_not_pair),
        TEST(test_a_start_that_replaces_an_open_one),
        TEST(test_joined_logs),
        TEST(test_byte_order_marks),
        TEST(test_a_log_that_goes_before_it_is_read),
        TEST(test_names_with_numbers_are_one_zone),
        TEST(test_sums_past_63_bits),
        TEST(test_logs_that_are_refused),
        TEST(test_spans_of_two_cores),
        TEST(test_why_a_row_is_not_in_the_log),
        TEST(test_windows_include_their_ends),
        TEST(test_rows_without_cycles_pool),
        TEST(test_more_and_fewer_cores_than_the_row),
        TEST(test_zones_of_one_device_only),
        TEST(test_unpaired_and_unreadable_kernels),
        TEST(test_zones_longer_than_32_bits),
        TEST(test_rows_that_are_refused),
        TEST(test_logs_without_what_spans_need),
        TEST(test_a_log_that_is_not_utf8),
        TEST(test_a_log_without_a_clock),
        TEST(test_a_log_without_types),
        TEST(test_a_log_that_changes),
        TEST(test_zones_bring_spans_along),
        TEST(test_a_log_that_changes_before_it_is_read),
        TEST(test_captures_of_one_log_change_apart),
        TEST(test_clocks_that_no_device_has),
        TEST(test_one_of_a_thing),
        TEST(test_times_past_any_number),
        TEST(test_operations_without_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
