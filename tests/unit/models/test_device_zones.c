/* Device logs read fast against the slow reader of tests/support: any number of threads, any size of piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>

#include <zlib.h>
#include <zstd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "models/device_zones.h"
#include "support/perf_table.h"
#include "support/scratch.h"
#include "support/slow_log.h"

#define HEAD "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
#define COLUMNS                                                                                                        \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace "    \
    "id, "                                                                                                             \
    "trace id counter, zone name, type, source line, source file, meta data\n"
#define OLD_COLUMNS                                                                                                    \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], stat value, run ID, run "     \
    "host "                                                                                                            \
    "ID,  zone name, zone phase, source line, source file\n"
#define UNTYPED_COLUMNS                                                                                                \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, zone "     \
    "name, "                                                                                                           \
    "source line, source file\n"
#define OTHER_COLUMNS                                                                                                  \
    "zone name, type, core_y, core_x, RISC processor type, run host ID, timer_id, PCIe slot, time[cycles since "       \
    "reset]\n"

/* Rows of pairs that logs below have: two replays apart, one without cycles, one that nothing is logged of. */
#define CSV                                                                                                            \
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,DEVICE FW START CYCLE,DEVICE FW END CYCLE\n"               \
    "A,tt_dnn_device,1,0,2,0,400\nA,tt_dnn_device,1,0,2,401,100000\nA,tt_dnn_device,1,0,2,100,300\n"                   \
    "B,tt_dnn_device,2,1,1,,\nB,tt_dnn_device,2,1,4,50,\nC,tt_dnn_device,3,1,1,0,18446744073709551615\n"               \
    "D,tt_dnn_device,77,0,1,5,6\nE,tt_dnn_device,,0,1,5,6\nS,signpost,,,,,\nF,tt_dnn_device,2,0,1,900,100\n"

struct fixture {
    struct scratch scratch;
    struct ts_perf_source *source;
};

/* ---- comparing ---- */

static const struct slow_zone *slow_zone_of(const struct slow_log *slow, const struct ts_device_zone *zone)
{
    for (size_t i = 0; i < slow->zone_count; i++)
        if (ts_str_is(zone->zone, slow->zones[i].zone) && ts_str_is(zone->risc, slow->zones[i].risc))
            return &slow->zones[i];
    fail_msg("no zone %.*s in the slow log", TS_STR_ARG(zone->zone));
    return NULL;
}

static void compare_zones(const struct ts_device_zones *fast, const struct slow_log *slow)
{
    assert_int_equal(fast->count, slow->zone_count);
    const struct slow_zone *before = NULL;
    for (uint32_t i = 0; i < fast->count; i++) {
        const struct slow_zone *zone = slow_zone_of(slow, &fast->zones[i]);
        assert_int_equal(fast->zones[i].occurrences, zone->occurrences);
        assert_int_equal(fast->zones[i].whole_cycles, zone->cycles);
        assert_int_equal(fast->zones[i].cores, zone->core_count);
        if (before)
            assert_true(
                before->cycles > zone->cycles ||
                (before->cycles == zone->cycles && (before->occurrences > zone->occurrences ||
                                                    (before->occurrences == zone->occurrences && before < zone))));
        before = zone;
    }
    assert_int_equal(fast->unpaired_starts, slow->starts);
    assert_int_equal(fast->unpaired_ends, slow->ends);
    assert_int_equal(fast->dropped_starts, slow->dropped);
    assert_int_equal(fast->unreadable_rows, slow->unreadable);
    assert_int_equal(fast->runs, slow->runs);
}

static bool inside(const struct slow_kernel *kernel, const struct ts_span *span, const struct ts_span_pair *pair)
{
    return kernel->run == pair->run && kernel->slot == pair->slot && kernel->start >= span->from &&
           kernel->end <= span->to;
}

/* The times of one processor of a core by the slow log; first after last: none. */
static struct ts_span_time slow_time(const struct slow_log *slow, const struct ts_span *span,
                                     const struct ts_span_pair *pair, struct ts_log_core core, struct ts_str risc)
{
    struct ts_span_time time = {UINT64_MAX, 0};
    for (size_t i = 0; i < slow->kernel_count; i++) {
        const struct slow_kernel *kernel = &slow->kernels[i];
        if (!inside(kernel, span, pair) || kernel->x != core.x || kernel->y != core.y || !ts_str_is(risc, kernel->risc))
            continue;
        time.first = kernel->start < time.first ? kernel->start : time.first;
        time.last = kernel->end > time.last ? kernel->end : time.last;
    }
    return time;
}

static void compare_span(const struct ts_core_spans *spans, uint32_t number, const struct slow_log *slow)
{
    const struct ts_span *span = &spans->spans[number];
    const struct ts_span_pair *pair = &spans->pairs[span->pair];
    struct ts_span_entry *entries;
    uint32_t count;
    size_t found = 0, wanted = 0;
    struct ts_context context;
    ts_context_init(&context);
    assert_int_equal(ts_core_spans_entries(&context, spans, number, &entries, &count, NULL), TS_OK);
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t i = 0; i < TS_SPAN_RISCS; i++) {
            const struct ts_span_entry *entry = &entries[at];
            if (entry->times[i].first > entry->times[i].last)
                continue;
            struct ts_span_time time =
                slow_time(slow, span, pair, spans->cores[entry->core], spans->riscs[entry->risc + i]);
            assert_int_equal(entry->times[i].first, time.first);
            assert_int_equal(entry->times[i].last, time.last);
            found++;
        }
    free(entries);
    for (size_t i = 0; i < slow->kernel_count; i++) {
        bool again = !inside(&slow->kernels[i], span, pair);
        for (size_t k = 0; k < i && !again; k++)
            again = inside(&slow->kernels[k], span, pair) && slow->kernels[k].x == slow->kernels[i].x &&
                    slow->kernels[k].y == slow->kernels[i].y && !strcmp(slow->kernels[k].risc, slow->kernels[i].risc);
        wanted += !again;
    }
    assert_int_equal(found, wanted);
    assert_int_equal(span->any, wanted > 0);
}

static void compare_spans(const struct ts_core_spans *spans, const struct slow_log *slow)
{
    assert_false(spans->failed);
    assert_int_equal(spans->unreadable_kernel_rows, slow->unreadable_kernels);
    assert_int_equal(spans->runs, slow->runs);
    for (uint32_t i = 0; i < spans->span_count; i++)
        compare_span(spans, i, slow);
    for (uint32_t i = 0; i < spans->pair_count; i++) {
        size_t unpaired = 0, zones = 0;
        for (size_t k = 0; k < slow->unpaired_count; k++)
            unpaired += slow->unpaired[k].run == spans->pairs[i].run && slow->unpaired[k].slot == spans->pairs[i].slot;
        for (size_t k = 0; k < slow->kernel_count; k++)
            zones += slow->kernels[k].run == spans->pairs[i].run && slow->kernels[k].slot == spans->pairs[i].slot;
        assert_int_equal(spans->pairs[i].unpaired, unpaired);
        assert_int_equal(spans->pairs[i].any_zone, zones > 0);
    }
}

/* Read a log in one way and hold it against the slow log. path NULL: from memory, as a stream. */
static void compare(struct fixture *fixture, const char *path, struct ts_str text, const struct slow_log *slow,
                    unsigned threads, size_t block, enum ts_log_vectors vectors)
{
    struct ts_context context;
    struct ts_error error = {.code = TS_OK};
    struct ts_core_spans *spans;
    struct ts_device_zones *zones;
    const struct ts_device_zones_options options = {.block = block, .vectors = vectors};
    ts_context_init(&context);
    context.threads = threads;
    assert_int_equal(ts_core_spans_create(&context, fixture->source, &spans, &error), TS_OK);
    enum ts_status status = path ? ts_device_zones_read(&context, path, &options, spans, &zones, &error)
                                 : ts_device_zones_read_memory(&context, text, &options, spans, &zones, &error);
    if (status != TS_OK)
        fail_msg("%s", error.message);
    compare_zones(zones, slow);
    compare_spans(spans, slow);
    ts_device_zones_destroy(zones);
    ts_core_spans_destroy(spans);
}

/* The best most often, the others now and then. */
static enum ts_log_vectors vectors_of(size_t number)
{
    return number < 2 ? TS_LOG_VECTORS_SHORT : number == 2 ? TS_LOG_VECTORS_NONE : TS_LOG_VECTORS_BEST;
}

/* Read the log in every way: as a file and as a stream, with one thread and several, with pieces of each size. */
static void compare_all(struct fixture *fixture, struct ts_str text, size_t from, size_t to, size_t step)
{
    struct slow_log *slow = slow_log_read(text.ptr, text.len, 200000);
    const char *path = scratch_put(&fixture->scratch, "profile_log_device.csv", text);
    compare(fixture, path, text, slow, 1, 0, TS_LOG_VECTORS_BEST);
    compare(fixture, path, text, slow, 2, 0, TS_LOG_VECTORS_NONE);
    compare(fixture, path, text, slow, 2, 0, TS_LOG_VECTORS_SHORT);
    compare(fixture, NULL, text, slow, 3, 0, TS_LOG_VECTORS_BEST);
    for (size_t block = from; block < to; block += step) {
        compare(fixture, path, text, slow, 1 + (unsigned)(block % 4), block, vectors_of(block % 8));
        compare(fixture, NULL, text, slow, 1 + (unsigned)(block % 3), block, vectors_of(7 - block % 8));
    }
    slow_log_free(slow);
}

/* ---- logs ---- */

static uint32_t random_below(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

static const char *pick(uint64_t *state, const char *const *texts, uint32_t count)
{
    return texts[random_below(state, count)];
}

static void add_odd_line(struct ts_buf *out, uint64_t *state)
{
    static const char *const lines[] = {
        "\n",
        " \t \n",
        HEAD,
        COLUMNS,
        "ARCH: other, CHIP_FREQ[MHz]: 2\r\n",
        "0,1,1,BRISC,7\n",
        "0,1,1,BRISC,7,,0,1,,,A-KERNEL,ZONE_START,1,f,\n",
        "0,1,1,BRISC,7,12x,0,1,,,,ZONE_START,1,f,\n",
        "0,1,one,BRISC,7,12,0,1,,,B-KERNEL,ZONE_END,1,f,\n",
        "-1,1,1,BRISC,7,12,0,1,,,Z,ZONE_END,1,f,\n",
        "4294967296,1,1,BRISC,7,12,0,1,,,Z,ZONE_END,1,f,\n",
        "4294967295,1,1,BRISC,7,12,0,1,,,Z,ZONE_START,1,f,\n",
        "0,1,1,BRISC,7,18446744073709551616,0,1,,,Z,ZONE_END,1,f,\n",
        "0,1,1,BRISC,7,18446744073709551615,0,18446744073709551615,,,Y,ZONE_START,1,f,\n",
        "0,1,1,BRISC,7,00000000000000000012,0,0001,,,A-KERNEL,ZONE_START,1,f,\n",
        "0,1,1,BRISC,7,1 2,0,1,,,Z,ZONE_END,1,f,\n",
        "0,1,1,\"BRISC\",7,15,0,1,,,\"A-KERNEL\",\"ZONE_START\",1,f,\n",
        "0,1,1,BRISC,7,16,0,1,,,\"say \"\"hi\"\", zone\",ZONE_START,1,f,\n",
        "0,1,1,BRISC,7,17,0,1,,,\"never closed,ZONE_START,1,f,\n",
        " 0 ,\t1, 1 ,  BRISC , 7 , 18 , 0 , 1 , , , A-KERNEL , ZONE_END , 1 , f ,\r\n",
        "0,1,1,BRISC,7,19,0,1,,,A-KERNEL,ZONE_END\n",
        "0,1,1,BRISC,7,19,0,1,,,A-KERNEL\n",
        "0,1,1,BRISC,7,20,99,1,,,,TS_DATA,0,,{\"a\":1;\"b\":2}\n",
        "0,1,1,BRISC,7,21,0,pid,,,A-KERNEL,ZONE_START,1,f,\n",
        "0,1,1,BRISC,7,22,0,pid,,,A-KERNEL,ZONE_END,1,f,{\"x\":\"y\"}\n",
        "0,1,1,BRISC,7,22,0,,,,A-KERNEL,ZONE_END,1,f,\n",
        "0,1,1,BRISC,7,23,0,1,,,CQ:12345:WRITE,ZONE_START,1,f,\n",
        "0,1,1,BRISC,7,24,0,1,,,CQ:77:WRITE,ZONE_END,1,f,\n",
        "0,1,1,BRISC,7,25,0,1,,,CQ:7x:WRITE,ZONE_START,1,f,\n",
        "0,1,1,BRISC,7,25,0,1,,,CQ:7:,ZONE_END,1,f,\n",
        "0,1,1,BRISC,7,25,0,1,,,a zone with quite a long name that goes past every block,ZONE_START,1,f,\n",
        "0,1,1,BRISC,7,29,0,1,,,a zone with quite a long name that goes past every block,ZONE_END,1,f,\n",
        "0,1,1,BRISC,7,29,0,1,,,-KERNEL,ZONE_START,1,f,\n",
        "0,1,1,BRISC,7,26,0,1,,,T,ZONE_TOTAL,1,f,\n",
        "0,1,1,BRISC,7,26,0,1,,,T,TS_EVENT,1,f,a,b,c,d,e,f,g\n",
        "0,1,1,BRISC,7,26,0,1,,,T,zone_start,1,f,\n",
        "\xff\xfe,,,,\n",
    };
    ts_buf_text(out, pick(state, lines, sizeof lines / sizeof lines[0]));
}

static void add_line(struct ts_buf *out, uint64_t *state, uint32_t span)
{
    static const char *const zones[] = {"BRISC-FW", "A-KERNEL", "B-KERNEL", "STAGE-1", "S"};
    static const char *const riscs[] = {"BRISC", "NCRISC", "TRISC_2", "ERISC", "QUASAR_DM3", "X"};
    ts_buf_printf(out, "%u,%u,%u,%s,%u,%u,0,%u,,,%s,%s,433,/opt/firmware/src/file.cc,\n", random_below(state, 2),
                  1 + random_below(state, 2), random_below(state, 2), pick(state, riscs, 6), random_below(state, 99999),
                  random_below(state, span), 1 + random_below(state, 3), pick(state, zones, 5),
                  random_below(state, 2) ? "ZONE_START" : "ZONE_END");
}

static void random_log(struct ts_buf *out, uint64_t seed, unsigned lines, unsigned odd_every, const char *columns)
{
    ts_buf_init(out, 0);
    ts_buf_text(out, HEAD);
    ts_buf_text(out, columns);
    for (unsigned i = 0; i < lines; i++) {
        if (odd_every && random_below(&seed, odd_every) == 0)
            add_odd_line(out, &seed);
        else
            add_line(out, &seed, seed & 16 ? 1000 : 200000);
    }
    if (seed & 8)
        out->len--; /* no last newline */
    assert_false(out->failed);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    scratch_create(&fixture->scratch);
    fixture->source = perf_table_source(CSV, NULL);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    ts_perf_source_release(fixture->source);
    scratch_destroy(&fixture->scratch);
    free(fixture);
    return 0;
}

/* ---- tests ---- */

static void test_every_cut_of_a_small_log(void **state)
{
    static const char log[] = HEAD COLUMNS "0,1,1,BRISC,7,100,0,1,,,BRISC-FW,ZONE_START,10,a.cc,\n"
                                           "0,1,1,BRISC,7,120,0,1,,,A-KERNEL,ZONE_START,10,a.cc,\n"
                                           "0,1,1,BRISC,7,130,0,1,,,A-KERNEL,ZONE_START,10,a.cc,\n"
                                           "0,1,1,BRISC,7,180,0,1,,,A-KERNEL,ZONE_END,10,a.cc,\n"
                                           "0,1,1,BRISC,7,190,0,1,,,A-KERNEL,ZONE_END,10,a.cc,\n"
                                           "0,1,1,BRISC,7,199,0,1,,,BRISC-FW,ZONE_END,10,a.cc,\n"
                                           "0,2,1,NCRISC,7,300,0,1,,,A-KERNEL,ZONE_END,10,a.cc,\n"
                                           "0,2,1,NCRISC,7,290,0,1,,,A-KERNEL,ZONE_START,10,a.cc,\n"
                                           "1,2,1,NCRISC,7,290,0,2,,,A-KERNEL,ZONE_START,10,a.cc,\n"
                                           "1,2,1,NCRISC,7,250,0,2,,,A-KERNEL,ZONE_END,10,a.cc,\n"
                                           "0,1,1,BRISC,7,90,0,1,,,BRISC-FW,ZONE_START,10,a.cc,\n"
                                           "1,2,1,TRISC_1,7,300,0,3,,,A-KERNEL,ZONE_START,10,a.cc,\n"
                                           "1,2,1,TRISC_1,7,8589934892,0,3,,,A-KERNEL,ZONE_END,10,a.cc,";
    compare_all(*state, TS_STR(log), 1, sizeof log, 1);
}

static void test_random_logs(void **state)
{
    static const char *const columns[] = {COLUMNS, COLUMNS, COLUMNS, OLD_COLUMNS, UNTYPED_COLUMNS, OTHER_COLUMNS};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct ts_buf log;
        random_log(&log, seed * 77, 20 + (unsigned)seed * 9, seed % 3 ? 4 : 0, columns[seed % 6]);
        compare_all(*state, ts_buf_view(&log), 1 + seed % 13, 3000, 131 + seed);
        ts_buf_free(&log);
    }
}

static void test_random_pre_rename_logs(void **state)
{
    static const char *const kinds[] = {"begin", "end", " begin", "end ", "ZONE_START", "sum"};
    uint64_t seed = 5;
    struct ts_buf log;
    ts_buf_init(&log, 0);
    ts_buf_text(&log, HEAD OLD_COLUMNS);
    for (unsigned i = 0; i < 600; i++)
        ts_buf_printf(&log, "%u, %u, 1, TRISC_%u, 5, %u, 0, 0, %u, %s, %s, 1, brisc.cc\r\n", random_below(&seed, 2),
                      random_below(&seed, 3), random_below(&seed, 3), i * 10, 1 + random_below(&seed, 3),
                      random_below(&seed, 2) ? "TRISC-FW" : "TRISC-KERNEL", pick(&seed, kinds, 6));
    compare_all(*state, ts_buf_view(&log), 50, 4000, 97);
    ts_buf_free(&log);
}

/* More starts than may be open at once: which ones are dropped goes by file order, not by piece. */
static void test_the_limit_of_open_starts(void **state)
{
    struct fixture *fixture = *state;
    struct ts_buf log;
    uint64_t seed = 3;
    ts_buf_init(&log, 0);
    ts_buf_text(&log, HEAD COLUMNS);
    for (unsigned run = 0; run < 199990; run++)
        ts_buf_printf(&log, "0,1,1,BRISC,7,%u,0,%u,,,W-KERNEL,ZONE_START,1,f,\n", run, run);
    for (unsigned i = 0; i < 400; i++) {
        unsigned run = random_below(&seed, 4) ? 300000 + random_below(&seed, 40) : random_below(&seed, 40);
        ts_buf_printf(&log, "0,1,1,BRISC,7,%u,0,%u,,,%s,%s,1,f,\n", 300000 + i, run,
                      random_below(&seed, 3) ? "W-KERNEL" : "V", random_below(&seed, 3) ? "ZONE_START" : "ZONE_END");
    }
    struct ts_str text = ts_buf_view(&log);
    struct slow_log *slow = slow_log_read(text.ptr, text.len, 200000);
    assert_true(slow->dropped > 50);
    const char *path = scratch_put(&fixture->scratch, "profile_log_device.csv", text);
    compare(fixture, path, text, slow, 1, 0, TS_LOG_VECTORS_BEST);
    compare(fixture, path, text, slow, 3, 0, TS_LOG_VECTORS_BEST);
    compare(fixture, path, text, slow, 2, 100003, TS_LOG_VECTORS_NONE);
    compare(fixture, path, text, slow, 4, 8000, TS_LOG_VECTORS_BEST);
    compare(fixture, NULL, text, slow, 2, 30000, TS_LOG_VECTORS_BEST);
    slow_log_free(slow);
    ts_buf_free(&log);
}

/* A compressed log is one stream, read by one thread at a time. */
static void test_compressed_logs(void **state)
{
    struct fixture *fixture = *state;
    struct ts_buf log;
    random_log(&log, 4711, 9000, 9, COLUMNS);
    struct ts_str text = ts_buf_view(&log);
    struct slow_log *slow = slow_log_read(text.ptr, text.len, 200000);
    size_t room = ZSTD_compressBound(text.len);
    char *packed = malloc(room);
    size_t packed_len = ZSTD_compress(packed, room, text.ptr, text.len, 3);
    assert_false(ZSTD_isError(packed_len));
    const char *zst = scratch_put(&fixture->scratch, "log.csv.zst", (struct ts_str){packed, packed_len});
    const char *gz = scratch_path(&fixture->scratch, "log.csv.gz");
    gzFile file = gzopen(gz, "wb");
    assert_int_equal(gzwrite(file, text.ptr, (unsigned)text.len), (int)text.len);
    assert_int_equal(gzclose(file), Z_OK);
    for (unsigned threads = 1; threads < 5; threads++) {
        compare(fixture, zst, text, slow, threads, threads * 5000, TS_LOG_VECTORS_BEST);
        compare(fixture, gz, text, slow, threads, threads * 3000, vectors_of(threads));
    }
    free(packed);
    slow_log_free(slow);
    ts_buf_free(&log);
}

/* ---- more names than there are numbers for ---- */

static enum ts_status read_names(struct fixture *fixture, struct ts_buf *log, struct ts_device_zones **zones,
                                 struct ts_error *error)
{
    struct ts_context context;
    ts_context_init(&context);
    const char *path = scratch_put(&fixture->scratch, "profile_log_device.csv", ts_buf_view(log));
    enum ts_status status =
        ts_device_zones_read(&context, path, &(struct ts_device_zones_options){.block = 0}, NULL, zones, error);
    ts_buf_free(log);
    return status;
}

/* known of the names that have numbers beforehand, and others. */
static void name_riscs(struct ts_buf *log, unsigned known, unsigned others)
{
    static const char *const names[] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC"};
    ts_buf_init(log, 0);
    ts_buf_text(log, HEAD COLUMNS);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < known + others; i++) {
            if (i < known)
                ts_buf_printf(log, "0,1,1,%s", names[i]);
            else
                ts_buf_printf(log, "0,1,1,DM%u", i);
            ts_buf_printf(log, ",7,%u,0,1,,,A,%s,1,f,\n", 100 + round * (i + 1), round ? "ZONE_END" : "ZONE_START");
        }
}

static void test_as_many_processors_as_the_limit_says(void **state)
{
    static const unsigned known[] = {0, 1, 6};
    for (unsigned i = 0; i < 3; i++) {
        struct ts_buf log;
        struct ts_error error;
        struct ts_device_zones *zones = NULL;
        name_riscs(&log, known[i], 255 - known[i]);
        if (read_names(*state, &log, &zones, &error) != TS_OK)
            fail_msg("%s", error.message);
        assert_int_equal(zones->count, 255);
        for (unsigned k = 0; k < 255; k++) {
            assert_int_equal(zones->zones[k].occurrences, 1);
            assert_int_equal(zones->zones[k].whole_cycles, 255 - k);
        }
        ts_device_zones_destroy(zones);
        name_riscs(&log, known[i], 256 - known[i]);
        assert_int_equal(read_names(*state, &log, &zones, &error), TS_LIMIT);
        assert_non_null(strstr(error.message, "profile_log_device.csv: names more than 255 kinds of processors"));
    }
}

static void test_more_zones_or_cores_than_the_limit(void **state)
{
    struct ts_error error;
    struct ts_device_zones *zones;
    struct ts_buf log;
    ts_buf_init(&log, 0);
    ts_buf_text(&log, HEAD COLUMNS);
    for (unsigned i = 0; i < 65537; i++)
        ts_buf_printf(&log, "0,1,1,BRISC,7,%u,0,1,,,A%u,ZONE_START,1,f,\n", i, i);
    assert_int_equal(read_names(*state, &log, &zones, &error), TS_LIMIT);
    assert_non_null(strstr(error.message, "profile_log_device.csv: names more than 65536 zones"));
    ts_buf_init(&log, 0);
    ts_buf_text(&log, HEAD COLUMNS);
    for (unsigned i = 0; i < 65537; i++)
        ts_buf_printf(&log, "%u,1,1,BRISC,7,%u,0,1,,,A,ZONE_START,1,f,\n", i, i);
    assert_int_equal(read_names(*state, &log, &zones, &error), TS_LIMIT);
    assert_non_null(strstr(error.message, "profile_log_device.csv: names more than 65536 cores"));
}

static uint64_t some_time(void)
{
    return 1;
}

static void cancel(void *data, uint64_t done, uint64_t total, const char *message)
{
    struct ts_context *context = data;
    assert_true(done <= total);
    assert_non_null(strstr(message, "cancelled.csv"));
    if (done > total / 4)
        atomic_store(&context->cancelled, true);
}

static void test_progress_and_cancellation(void **state)
{
    struct fixture *fixture = *state;
    struct ts_buf log;
    random_log(&log, 5, 4000, 0, COLUMNS);
    const char *path = scratch_put(&fixture->scratch, "cancelled.csv", ts_buf_view(&log));
    for (unsigned threads = 1; threads < 4; threads++) {
        for (int check_only = 0; check_only < 2; check_only++) {
            struct ts_context context;
            struct ts_device_zones *zones = NULL;
            const struct ts_device_zones_options options = {.block = 1000, .check_only = check_only};
            ts_context_init(&context);
            context.threads = threads;
            context.now_ns = some_time;
            context.progress = cancel;
            context.progress_data = &context;
            enum ts_status status = ts_device_zones_read(&context, path, &options, NULL, &zones, NULL);
            /* Other threads may have come to the end before this one reported. */
            assert_true(status == TS_CANCELLED || (status == TS_OK && threads > 1));
            ts_device_zones_destroy(zones);
        }
    }
    ts_buf_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut_of_a_small_log),
        cmocka_unit_test(test_random_logs),
        cmocka_unit_test(test_random_pre_rename_logs),
        cmocka_unit_test(test_the_limit_of_open_starts),
        cmocka_unit_test(test_compressed_logs),
        cmocka_unit_test(test_progress_and_cancellation),
        cmocka_unit_test(test_as_many_processors_as_the_limit_says),
        cmocka_unit_test(test_more_zones_or_cores_than_the_limit),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
