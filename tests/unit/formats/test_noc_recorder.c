/* The recorder on a buffer of its own: zones within zones, more of them than the buffer can close. */
#define PROFILE_NOC_EVENTS 1
#define TS_NOC_TRACE_IMPLEMENTATION
#include <stdint.h>
static uint32_t clock_now;
#define TS_NOC_CLOCK(low, high) ((low) = ++clock_now, (high) = 0)
#include <tilesight/noc_trace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

enum { ZONES = 400, BEHIND = 512, CAPACITY = 1 << 20, CONTROL_WORDS = 64 };

static uint32_t buffer[TS_NOC_BUFFER_WORDS + BEHIND], control[CONTROL_WORDS], opened[ZONES];
static uint32_t starts, ends;
static uint32_t linked;

/* Zone markers of the test's own ids, 1 and up; the flush's zone has another. */
static void count_zones(const uint32_t *words, uint32_t count)
{
    for (uint32_t i = TS_NOC_CUSTOM; i + 1 < count;) {
        uint32_t type = words[i] >> 28 & 7, id = words[i] >> 12 & 0xFFFF;
        starts += type == TS_NOC_ZONE_START && id >= 1 && id <= ZONES;
        ends += type == TS_NOC_ZONE_END && id >= 1 && id <= ZONES;
        i += type == TS_NOC_DATA ? 4 : 2;
    }
}

uint32_t ts_noc_port_busy(void)
{
    return linked;
}

void ts_noc_port_send(uint32_t word, const uint32_t *words, uint32_t count)
{
    (void)word;
    count_zones(words, count);
}

static void nest(uint32_t busy)
{
    struct ts_noc_setup setup = {.buffer = buffer, .control = control, .capacity = CAPACITY, .flush_zone = 60000};
    memset(control, 0, sizeof control);
    memset(buffer, 0xAA, sizeof buffer);
    control[TS_NOC_DRAM] = 1;
    starts = ends = 0;
    linked = busy;
    ts_noc_begin(&setup);
    for (uint32_t i = 0; i < ZONES; i++) {
        opened[i] = ts_noc_zone_open(i + 1);
        TS_NOC_RECORD(READ_BARRIER_START);
    }
    for (uint32_t i = ZONES; i-- > 0;) {
        TS_NOC_RECORD(READ_BARRIER_END);
        ts_noc_zone_close(i + 1, opened[i]);
    }
    ts_noc_finish();
    count_zones(buffer, control[TS_NOC_DEVICE_END]);
}

/* Room for the end of each open zone is kept in the buffer: when there is none, a zone does not open. */
static void test_deep_zones(void **state)
{
    (void)state;
    for (uint32_t busy = 0; busy < 2; busy++) {
        nest(busy);
        assert_true(control[TS_NOC_DEVICE_END] <= TS_NOC_BUFFER_WORDS);
        for (size_t i = TS_NOC_BUFFER_WORDS; i < TS_NOC_BUFFER_WORDS + BEHIND; i++)
            assert_int_equal(buffer[i], 0xAAAAAAAA);
        assert_true(starts > 50 && starts < ZONES);
        assert_int_equal(starts, ends);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_deep_zones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
