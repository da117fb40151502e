/* Kernel zones folded into windows of firmware cycles, held against a loop over all of them; and what that costs where a CSV or
 * a log is made to be dear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "models/core_figures.h"
#include "support/perf_table.h"

#define HEADER "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,DEVICE FW START CYCLE,DEVICE FW END CYCLE\n"

struct zone {
    struct ts_log_lane lane;
    uint64_t start, end;
};
struct made {
    struct ts_perf_source *source;
    struct ts_core_spans *spans;
};

static uint32_t random_below(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

static struct made make(struct ts_buf *csv)
{
    struct made made;
    struct ts_context context;
    ts_context_init(&context);
    ts_buf_char(csv, '\0');
    assert_false(csv->failed);
    made.source = perf_table_source(csv->ptr, NULL);
    ts_buf_free(csv);
    assert_int_equal(ts_core_spans_create(&context, made.source, &made.spans, NULL), TS_OK);
    return made;
}

static void drop(struct made *made)
{
    ts_core_spans_destroy(made->spans);
    ts_perf_source_release(made->source);
}

static void begin(struct ts_buf *csv)
{
    ts_buf_init(csv, 0);
    ts_buf_text(csv, HEADER);
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- what lies in a window ---- */

static struct ts_span_time time_of(const struct zone *zones, unsigned count, const struct ts_span *span, uint32_t core,
                                   uint32_t risc)
{
    struct ts_span_time time = {UINT64_MAX, 0};
    for (unsigned i = 0; i < count; i++) {
        const struct zone *zone = &zones[i];
        if (zone->lane.core != core || zone->lane.risc != risc || zone->start < span->from || zone->end > span->to)
            continue;
        time.first = zone->start < time.first ? zone->start : time.first;
        time.last = zone->end > time.last ? zone->end : time.last;
    }
    return time;
}

enum { CORES = 3, RISCS = 12 };

static void compare_span(const struct ts_core_spans *spans, uint32_t number, const struct zone *zones, unsigned count)
{
    const struct ts_span *span = &spans->spans[number];
    struct ts_span_time have[CORES][RISCS + TS_SPAN_RISCS];
    struct ts_span_entry *entries;
    uint32_t entry_count;
    bool any = false;
    struct ts_context context;
    ts_context_init(&context);
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t risc = 0; risc < RISCS + TS_SPAN_RISCS; risc++)
            have[core][risc] = (struct ts_span_time){UINT64_MAX, 0};
    assert_int_equal(ts_core_spans_entries(&context, spans, number, &entries, &entry_count, NULL), TS_OK);
    for (uint32_t at = 0; at < entry_count; at++)
        for (unsigned i = 0; i < TS_SPAN_RISCS; i++) {
            struct ts_span_time *time = &have[entries[at].core][entries[at].risc + i];
            assert_true(time->first == UINT64_MAX && time->last == 0);
            *time = entries[at].times[i];
        }
    free(entries);
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t risc = 0; risc < RISCS; risc++) {
            struct ts_span_time want = time_of(zones, count, span, core, risc);
            assert_true(have[core][risc].first == want.first && have[core][risc].last == want.last);
            any = any || want.first <= want.last;
        }
    assert_int_equal(span->any, any);
}

/* Windows of every kind: apart, nested, crossing, alike, empty, turned round, too long for 32 bits; and rows without. */
static void add_windows(struct ts_buf *csv, uint64_t *state, unsigned count, unsigned crowd)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t from = random_below(state, 40) * (uint64_t)crowd, len = random_below(state, 100);
        switch (random_below(state, 12)) {
        case 0:
            ts_buf_printf(csv, "A,tt_dnn_device,1,0,2,,\n");
            break;
        case 1:
            ts_buf_printf(csv, "A,tt_dnn_device,1,0,2,%llu,%llu\n", (unsigned long long)(from + len),
                          (unsigned long long)from);
            break;
        case 2:
            ts_buf_printf(csv, "A,tt_dnn_device,1,0,2,%llu,%llu\n", (unsigned long long)from,
                          (unsigned long long)(from + UINT64_C(5000000000)));
            break;
        default:
            ts_buf_printf(csv, "A,tt_dnn_device,1,0,2,%llu,%llu\n", (unsigned long long)from,
                          (unsigned long long)(from + len));
        }
    }
}

static void test_windows_of_every_kind(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed * 7919;
        struct zone zones[80];
        struct ts_buf csv;
        begin(&csv);
        add_windows(&csv, &random, 1 + random_below(&random, 30), seed % 3 ? 10 : 200);
        struct made made = make(&csv);
        for (unsigned i = 0; i < 80; i++) {
            uint64_t start = random_below(&random, seed % 3 ? 500 : 8000);
            uint64_t len = random_below(&random, i % 9 ? 30 : 300) + (i % 31 ? 0 : UINT64_C(4999999000));
            zones[i] = (struct zone){{random_below(&random, CORES), random_below(&random, RISCS)}, start, start + len};
            ts_core_spans_add(made.spans, 0, zones[i].lane, zones[i].start, zones[i].end);
        }
        ts_core_spans_seal(made.spans);
        assert_false(made.spans->failed);
        for (uint32_t i = 0; i < made.spans->span_count; i++)
            compare_span(made.spans, i, zones, 80);
        drop(&made);
    }
}

/* Of a row without zones, whether others of its pair have some. */
static void test_why_nothing_is_inside_where_windows_overlap(void **state)
{
    (void)state;
    struct ts_buf csv;
    begin(&csv);
    ts_buf_text(&csv, "A,tt_dnn_device,1,0,2,100,500\nA,tt_dnn_device,1,0,2,200,250\nA,tt_dnn_device,1,0,2,240,600\n");
    struct made made = make(&csv);
    ts_core_spans_add(made.spans, 0, (struct ts_log_lane){0, 0}, 90, 120);
    ts_core_spans_seal(made.spans);
    for (uint32_t row = 0; row < 3; row++)
        assert_int_equal(ts_core_spans_find_row(made.spans, row), TS_OTHER_EXECUTION);
    drop(&made);
    begin(&csv);
    ts_buf_text(&csv, "A,tt_dnn_device,1,0,2,100,500\nA,tt_dnn_device,1,0,2,200,250\nA,tt_dnn_device,1,0,2,240,600\n");
    made = make(&csv);
    ts_core_spans_add(made.spans, 0, (struct ts_log_lane){0, 0}, 300, 520);
    ts_core_spans_seal(made.spans);
    assert_int_equal(ts_core_spans_find_row(made.spans, 0), TS_DROPPED_REPLAY);
    assert_int_equal(ts_core_spans_find_row(made.spans, 1), TS_DROPPED_REPLAY);
    assert_int_equal(ts_core_spans_find_row(made.spans, 2), TS_IN_LOG);
    assert_true(ts_core_spans_in_log(made.spans, 2));
    drop(&made);
}

/* ---- what it costs ---- */

/* Zones times windows would be four thousand million steps. */
static void test_nested_windows_cost_no_more_than_others(void **state)
{
    (void)state;
    enum { WINDOWS = 20000, ZONES = 200000 };
    struct ts_buf csv;
    begin(&csv);
    for (unsigned i = 0; i < WINDOWS; i++)
        ts_buf_printf(&csv, "A,tt_dnn_device,1,0,4,%u,%u\n", i, 1000000 - i);
    struct made made = make(&csv);
    double before = seconds();
    for (unsigned i = 0; i < ZONES; i++)
        ts_core_spans_add(made.spans, 0, (struct ts_log_lane){i % 4, i % 5}, 20000 + i, 20010 + i);
    ts_core_spans_seal(made.spans);
    struct ts_log_core cores[4] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {0, 4, 1}};
    made.spans->cores = cores;
    made.spans->risc_count = 5;
    struct ts_arena arena;
    struct ts_core_figures figures;
    struct ts_context context;
    ts_context_init(&context);
    ts_arena_init(&arena, 0);
    for (uint32_t row = 0; row < WINDOWS; row += 800) {
        assert_int_equal(ts_core_spans_find_row(made.spans, row), TS_IN_LOG);
        assert_int_equal(ts_core_figures_of(&context, made.spans, made.spans->span_of_row[row], &arena, &figures, NULL),
                         TS_OK);
        assert_int_equal(figures.all.cores, 4);
        assert_true(figures.all.most == ZONES - 4 + 10);
    }
    ts_arena_free(&arena);
    assert_true(seconds() - before < 5);
    drop(&made);
}

static uint64_t checks;

static uint64_t count_a_check(void)
{
    return ++checks;
}

/* Every zone lies in other windows, so that the outermost one gathers them all. */
static void test_gathering_stops_when_it_must(void **state)
{
    (void)state;
    enum { WINDOWS = 300, ZONES = 60000, MIDDLE = 100000 };
    struct ts_buf csv;
    begin(&csv);
    for (unsigned i = 0; i < WINDOWS; i++)
        ts_buf_printf(&csv, "A,tt_dnn_device,1,0,4,%u,%u\n", i, 2 * MIDDLE - i);
    struct made made = make(&csv);
    for (unsigned i = 0; i < ZONES; i++)
        ts_core_spans_add(made.spans, 0, (struct ts_log_lane){i % 4, i % 5}, i % WINDOWS,
                          2 * MIDDLE - i / WINDOWS % WINDOWS);
    ts_core_spans_seal(made.spans);
    uint32_t outermost = made.spans->span_of_row[0], count = 0;
    struct ts_span_entry *entries = NULL;
    struct ts_context context;
    ts_context_init(&context);
    context.now_ns = count_a_check;
    context.deadline_ns = UINT64_MAX;
    assert_int_equal(ts_core_spans_entries(&context, made.spans, outermost, &entries, &count, NULL), TS_OK);
    assert_int_equal(count, 4);
    assert_true(checks > ZONES / 2000);
    free(entries);
    context.deadline_ns = 2 * checks - 5;
    assert_int_equal(ts_core_spans_entries(&context, made.spans, outermost, &entries, &count, NULL), TS_LIMIT);
    atomic_store(&context.cancelled, true);
    assert_int_equal(ts_core_spans_entries(&context, made.spans, outermost, &entries, &count, NULL), TS_CANCELLED);
    drop(&made);
}

/* A lookup among all cores for each zone would be eighteen thousand million steps. */
static void test_many_cores_in_any_order(void **state)
{
    (void)state;
    enum { CORES_OF_ALL = 60000, ROUNDS = 10 };
    struct ts_buf csv;
    begin(&csv);
    ts_buf_text(&csv, "A,tt_dnn_device,1,0,64,1000,2000000\n");
    struct made made = make(&csv);
    uint64_t random = 1;
    double before = seconds();
    for (uint32_t i = 0; i < CORES_OF_ALL * ROUNDS; i++) {
        uint32_t core =
            i < CORES_OF_ALL ? (uint32_t)((uint64_t)i * 40507 % CORES_OF_ALL) : random_below(&random, CORES_OF_ALL);
        ts_core_spans_add(made.spans, 0, (struct ts_log_lane){core, i % TS_SPAN_RISCS}, 1000 + i, 1001 + i + core);
    }
    ts_core_spans_seal(made.spans);
    assert_true(seconds() - before < 5);
    assert_false(made.spans->failed);
    assert_true(made.spans->arena.reserved <= 64 * (size_t)CORES_OF_ALL);
    struct ts_span_entry *entries;
    uint32_t count;
    struct ts_context context;
    ts_context_init(&context);
    assert_int_equal(ts_core_spans_entries(&context, made.spans, 0, &entries, &count, NULL), TS_OK);
    assert_int_equal(count, CORES_OF_ALL);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(entries[i].core, i);
    free(entries);
    drop(&made);
}

/* What is kept of an ordinary report: cores of each operation one after the other, as a log has them. */
static void test_bytes_of_an_operation_and_core(void **state)
{
    (void)state;
    enum { OPERATIONS = 2000, DEVICE_CORES = 64 };
    struct ts_buf csv;
    begin(&csv);
    for (unsigned op = 0; op < OPERATIONS; op++)
        ts_buf_printf(&csv, "A,tt_dnn_device,%u,0,%u,%u,%u\n", op, DEVICE_CORES, op * 1000, op * 1000 + 999);
    struct made made = make(&csv);
    for (uint32_t core = 0; core < DEVICE_CORES; core++)
        for (uint32_t risc = 0; risc < TS_SPAN_RISCS; risc++)
            for (uint32_t op = 0; op < OPERATIONS; op++)
                ts_core_spans_add(made.spans, ts_core_spans_pair(made.spans, op, 0), (struct ts_log_lane){core, risc},
                                  op * 1000 + core, op * 1000 + 900);
    ts_core_spans_seal(made.spans);
    assert_true(made.spans->arena.reserved <= 64 * (size_t)OPERATIONS * DEVICE_CORES);
    for (uint32_t row = 0; row < OPERATIONS; row++)
        assert_true(ts_core_spans_in_log(made.spans, row));
    drop(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_of_every_kind),
        cmocka_unit_test(test_why_nothing_is_inside_where_windows_overlap),
        cmocka_unit_test(test_nested_windows_cost_no_more_than_others),
        cmocka_unit_test(test_gathering_stops_when_it_must),
        cmocka_unit_test(test_many_cores_in_any_order),
        cmocka_unit_test(test_bytes_of_an_operation_and_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
