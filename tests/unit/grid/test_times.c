/* The latency model, by the figures of docs/grid.md, each worked out by hand here. */
#include "support/grid_case.h"

enum { BASE = TS_GRID_L1_BASE, GAP = 1000, CALL = 30, POLL = 10, NIU = 10, HOP = 9, DRAM = 100, CORES = 80 };

static uint64_t times[CORES + 1];

static uint64_t now(void)
{
    uint32_t high, low = ts_grid_clock(&high);
    return (uint64_t)high << 32 | low;
}

static uint32_t here(void)
{
    return get_absolute_logical_y() * 8 + get_absolute_logical_x();
}

static const uint32_t columns[] = {1, 2, 3, 4, 6, 7, 8, 9}, rows[] = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11};

/* From core (c0,r0) to (c1,r1): NoC 0 goes east and south, NoC 1 north and west, both around. */
static uint32_t hops(uint32_t noc, uint32_t c0, uint32_t r0, uint32_t c1, uint32_t r1)
{
    uint32_t x = 10 + columns[c1] - columns[c0], y = 12 + rows[r1] - rows[r0];
    return noc == 0 ? x % 10 + y % 12 : (20 - x) % 10 + (24 - y) % 12;
}

static void signal_core(void)
{
    uint32_t core = get_arg_val(0);
    (noc_semaphore_inc)(get_noc_addr(TS_GRID_X(core % 8), TS_GRID_Y(core / 8), get_semaphore(0)), 1);
    (noc_async_atomic_barrier)();
    times[CORES] = now();
}

static void await_signal(void)
{
    (noc_semaphore_wait)(TS_L1(get_semaphore(0)), 1);
    times[here()] = now();
}

/* One flit: from the call's end out of the port, over the routers, into memory; one look later the waiting core has it. The
 * answer comes back the rest of the way. */
static void test_one_way(void **state)
{
    (void)state;
    static const uint32_t cores[] = {1, 2, 7, 8, 15, 40, 79};
    for (uint32_t noc = 0; noc < 2; noc++) {
        for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
            uint32_t core = cores[i];
            struct ts_grid *grid = make(8, 10, 0, NULL);
            launch(grid, 0, 0, noc ? TS_GRID_NCRISC : TS_GRID_BRISC, signal_core, core);
            launch(grid, core % 8, core / 8, TS_GRID_BRISC, await_signal, 0);
            run(grid);
            uint64_t landed = GAP + CALL + 1 + NIU + HOP * hops(noc, 0, 0, core % 8, core / 8);
            assert_int_equal(times[core], landed + POLL);
            assert_int_equal(times[CORES], landed + 1 + NIU + HOP * hops(noc, core % 8, core / 8, 0, 0) + POLL);
            ts_grid_destroy(grid);
        }
    }
    /* So a core farther along the flow hears later. */
    assert_true(hops(0, 0, 0, 1, 0) == 1 && hops(0, 0, 0, 7, 0) == 8 && hops(1, 0, 0, 7, 0) == 2);
}

static void write_some(void)
{
    uint32_t size = get_arg_val(0);
    (noc_async_write)(BASE, get_noc_addr(TS_GRID_X(1), TS_GRID_Y(0), BASE), size);
    (noc_async_writes_flushed)();
    times[0] = now();
    (noc_async_write_barrier)();
    times[1] = now();
}

/* A flit of 32 bytes a cycle, and a header for each packet of 8192 bytes. */
static void test_sizes(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4, 32, 2048, 8192, 8193, 100000}, flits[] = {2, 2, 65, 257, 259, 3138};
    uint64_t before = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct ts_grid *grid = make(2, 1, 0, NULL);
        launch(grid, 0, 0, TS_GRID_BRISC, write_some, sizes[i]);
        run(grid);
        uint64_t left = GAP + CALL + flits[i], flushed = left > GAP + 2 * CALL ? left : GAP + 2 * CALL;
        uint64_t acknowledged = left + NIU + HOP + 1 + NIU + 9 * HOP;
        assert_int_equal(times[0], flushed + POLL);
        assert_int_equal(times[1], acknowledged + POLL);
        assert_true(times[1] > before || sizes[i] == 32);
        before = times[1];
        ts_grid_destroy(grid);
    }
}

static void read_bank(void)
{
    (noc_async_read)(get_noc_addr_from_bank_id(get_arg_val(0), 0), BASE, 24000);
    (noc_async_read_barrier)();
    times[here()] = now();
}

/* A controller gives 24 bytes a cycle, and the first after 100. Bank 0 stands at (0,0), core (0,0) at (1,1): the request goes 9
 * east and 11 south, the answer 1 and 1. Core (3,0) at (4,1) is nearer to banks 1 and 2 at (0,1) and (0,5). */
static void test_dram(void **state)
{
    (void)state;
    uint64_t answer = DRAM + 753 + NIU + HOP * 2 + POLL;
    uint64_t asked = GAP + CALL + 1 + NIU + HOP * 20, asked_by_other = GAP + CALL + 1 + NIU + HOP * 6;
    /* The other core reads bank 1, which has the same controller and is asked first, or bank 2, which has another. */
    for (uint32_t other = 0; other < 3; other++) {
        struct ts_grid *grid = make(8, 1, 12, NULL);
        launch(grid, 0, 0, TS_GRID_BRISC, read_bank, 0);
        if (other)
            launch(grid, 3, 0, TS_GRID_BRISC, read_bank, other);
        run(grid);
        assert_int_equal(times[0], (other == 1 ? asked_by_other + 1000 : asked) + 1000 + answer);
        ts_grid_destroy(grid);
    }
}

static void flood(void)
{
    (noc_async_write)(BASE, get_noc_addr(TS_GRID_X(2), TS_GRID_Y(0), BASE + 0x8000 + 8192 * here()), 8192);
    (noc_async_write_barrier)();
    times[here()] = now();
}

/* Two senders share the receiver's port: the second's packet comes in behind the first's. */
static void test_congestion(void **state)
{
    (void)state;
    uint64_t alone[2];
    for (uint32_t column = 0; column < 2; column++) {
        struct ts_grid *grid = make(3, 1, 0, NULL);
        launch(grid, column, 0, TS_GRID_BRISC, flood, 0);
        run(grid);
        alone[column] = times[column];
        ts_grid_destroy(grid);
    }
    struct ts_grid *grid = make(3, 1, 0, NULL);
    launch(grid, 0, 0, TS_GRID_BRISC, flood, 0);
    launch(grid, 1, 0, TS_GRID_BRISC, flood, 0);
    run(grid);
    assert_int_equal(times[1], alone[1]); /* the nearer */
    assert_int_equal(times[0], alone[0] + 257 - HOP);
    ts_grid_destroy(grid);
    /* On the other NoC they do not meet. */
    grid = make(3, 1, 0, NULL);
    launch(grid, 0, 0, TS_GRID_NCRISC, flood, 0);
    launch(grid, 1, 0, TS_GRID_BRISC, flood, 0);
    run(grid);
    assert_int_equal(times[1], alone[1]);
    ts_grid_destroy(grid);
}

static void some_calls(void)
{
    for (int i = 0; i < 10; i++)
        noc_semaphore_set(TS_L1(get_semaphore(0)), 1);
    riscv_wait(500);
}

/* Each time the clock is read a cycle passes: a run that is traced takes so many more. */
static void test_tracing_costs_a_cycle_a_record(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (int traced = 0; traced < 2; traced++) {
        struct ts_grid *grid = make(1, 1, 0, TS_GRID_TRACER);
        launch(grid, 0, 0, TS_GRID_BRISC, some_calls, 0);
        run(grid);
        cycles[0] = ts_grid_count(grid).cycles;
        ts_grid_destroy(grid);
    }
    /* Two markers before the kernel, ten records, two markers behind; then 52 words leave, and with a header those are 8 flits. */
    cycles[1] = GAP + 10 * CALL + 500 + CALL;
    assert_int_equal(cycles[0], cycles[1] + 2 + 10 + 2 + 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_way),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_dram),
        cmocka_unit_test(test_congestion),
        cmocka_unit_test(test_tracing_costs_a_cycle_a_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
