/* Each dataflow call of the model does to memory what it does on a device, when it does. */
#include "support/grid_case.h"

enum { BASE = TS_GRID_L1_BASE, SLOT = 0x1000, SIZE = 96 };

/* What kernels saw, for the test to look at: it may not fail inside of one. */
static uint32_t seen[16];

static void fill(unsigned char *bytes, uint32_t size, uint32_t seed)
{
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 13 + seed * 71 + 1);
}

static void reads(void)
{
    uint64_t bank = get_noc_addr_from_bank_id(0, 0);
    noc_async_read(bank, BASE, SIZE);
    noc_async_read_one_packet(bank + 32, BASE + SLOT + 32, SIZE);
    noc_async_read_set_state(bank);
    noc_async_read_with_state(64, BASE + 2 * SLOT + 64, SIZE);
    noc_async_read_one_packet_set_state(bank, SIZE);
    noc_async_read_one_packet_with_state(128, BASE + 3 * SLOT);
    seen[0] = *TS_L1(BASE + 3 * SLOT); /* not there yet */
    noc_async_read_barrier();
    seen[1] = *TS_L1(BASE + 3 * SLOT);
    noc_async_read_one_packet_with_state_with_trid(100, 60, BASE + 4 * SLOT, 5);
    noc_async_read_set_trid(6);
    noc_async_read(bank + 192, BASE + 5 * SLOT, 20000); /* of several packets */
    noc_async_read_barrier_with_trid(5);
    seen[2] = *TS_L1(BASE + 4 * SLOT);
    seen[3] = *TS_L1(BASE + 5 * SLOT);
    noc_async_read_barrier_with_trid(6);
    seen[4] = *TS_L1(BASE + 5 * SLOT);
}

static void test_reads(void **state)
{
    (void)state;
    struct ts_grid *grid = make(1, 1, 1, TS_GRID_TRACER);
    unsigned char *bank = ts_grid_bank_memory(grid, 0, 0, 32768);
    static const uint32_t from[] = {0, 32, 64, 128, 160}, to[] = {0, 32, 64, 0, 0};
    fill(bank, 32768, 3);
    launch(grid, 0, 0, TS_GRID_BRISC, reads, 0);
    run(grid);
    for (uint32_t i = 0; i < 5; i++)
        assert_memory_equal(core_bytes(grid, 0, 0, BASE + i * SLOT + to[i], SIZE), bank + from[i], SIZE);
    assert_memory_equal(core_bytes(grid, 0, 0, BASE + 5 * SLOT, 20000), bank + 192, 20000);
    uint32_t word[3];
    memcpy(&word[0], bank + 128, 4);
    memcpy(&word[1], bank + 160, 4);
    memcpy(&word[2], bank + 192, 4);
    assert_int_equal(seen[0], 0);
    assert_int_equal(seen[1], word[0]);
    assert_int_equal(seen[2], word[1]);
    assert_int_equal(seen[3], 0);
    assert_int_equal(seen[4], word[2]);
    assert_int_equal(ts_grid_count(grid).calls, 12);
    ts_grid_destroy(grid);
}

static void writes(void)
{
    uint32_t x = TS_GRID_X(1), y = TS_GRID_Y(0);
    noc_async_write(BASE, get_noc_addr(x, y, BASE), SIZE);
    noc_async_write_one_packet(BASE, get_noc_addr_from_bank_id(1, 48), SIZE);
    noc_async_write_one_packet_with_trid(BASE, get_noc_addr(x, y, BASE + SLOT), SIZE, 3);
    noc_async_write_one_packet_set_state(get_noc_addr(x, y, 0), SIZE);
    noc_async_write_one_packet_with_state(BASE, BASE + 2 * SLOT);
    noc_async_write_one_packet_with_trid_set_state(get_noc_addr(x, y, 0));
    noc_async_write_one_packet_with_trid_with_state(BASE, BASE + 3 * SLOT, SIZE, 15);
    noc_async_write_flushed_with_trid(15);
    noc_async_writes_flushed();
    /* What has left is not changed any more, what has not yet left is. */
    *TS_L1(BASE) = 77;
    noc_async_write_set_trid(2);
    noc_async_write(BASE + 16, get_noc_addr(x, y, BASE + 4 * SLOT), 16);
    *TS_L1(BASE + 16) = 99;
    noc_async_full_barrier();
    noc_async_write_barrier();
}

static void test_writes(void **state)
{
    (void)state;
    struct ts_grid *grid = make(2, 1, 2, TS_GRID_TRACER);
    unsigned char pattern[SIZE];
    uint32_t changed = 99;
    fill(pattern, SIZE, 9);
    memcpy(core_bytes(grid, 0, 0, BASE, SIZE), pattern, SIZE);
    launch(grid, 0, 0, TS_GRID_NCRISC, writes, 0);
    run(grid);
    for (uint32_t i = 0; i < 4; i++)
        assert_memory_equal(core_bytes(grid, 1, 0, BASE + i * SLOT, SIZE), pattern, SIZE);
    assert_memory_equal(ts_grid_bank_memory(grid, 1, 48, SIZE), pattern, SIZE);
    assert_memory_equal(core_bytes(grid, 1, 0, BASE + 4 * SLOT, 4), &changed, 4);
    assert_int_equal(ts_grid_count(grid).calls, 13);
    ts_grid_destroy(grid);
}

static void multicasts(void)
{
    uint32_t last = TS_GRID_X(2), first = TS_GRID_X(0), y = TS_GRID_Y(0);
    bool back = ts_grid_noc() == 1;
    uint32_t start = back ? last : first, end = back ? first : last;
    noc_async_write_multicast(BASE, get_noc_multicast_addr(start, y, end, y, BASE + SLOT), SIZE, 2);
    noc_async_write_multicast_one_packet(BASE, get_noc_multicast_addr(start, y, end, y, BASE + 2 * SLOT), SIZE, 2);
    noc_async_write_multicast_loopback_src(BASE, get_noc_multicast_addr(start, y, end, y, BASE + 3 * SLOT), SIZE, 3);
    noc_async_write_multicast(BASE, get_noc_multicast_addr(last, y, last, y, BASE + 4 * SLOT), SIZE, 1);
    noc_async_write_barrier();
}

static void test_multicasts(void **state)
{
    (void)state;
    for (int risc = 0; risc < 2; risc++) {
        struct ts_grid *grid = make(3, 1, 0, TS_GRID_TRACER);
        unsigned char pattern[SIZE], nothing[SIZE] = {0};
        fill(pattern, SIZE, 4);
        memcpy(core_bytes(grid, 1, 0, BASE, SIZE), pattern, SIZE);
        launch(grid, 1, 0, risc ? TS_GRID_NCRISC : TS_GRID_BRISC, multicasts, 0);
        run(grid);
        for (uint32_t column = 0; column < 3; column++)
            for (uint32_t i = 1; i < 5; i++) {
                bool gets = i == 3 || (i < 3 && column != 1) || (i == 4 && column == 2);
                assert_memory_equal(core_bytes(grid, column, 0, BASE + i * SLOT, SIZE), gets ? pattern : nothing, SIZE);
            }
        ts_grid_destroy(grid);
    }
}

static void counts(void)
{
    uint64_t there = get_noc_addr(TS_GRID_X(1), TS_GRID_Y(0), get_semaphore(2));
    for (uint32_t i = 0; i < 5; i++)
        noc_semaphore_inc(there, 10 + i);
    noc_async_atomic_barrier();
}

static void is_counted(void)
{
    noc_semaphore_wait_min(TS_L1(get_semaphore(2)), 60);
    seen[0] = *TS_L1(get_semaphore(2));
    noc_semaphore_set(TS_L1(get_semaphore(2)), 5);
    noc_semaphore_wait(TS_L1(get_semaphore(2)), 5);
    noc_semaphore_set(TS_L1(get_semaphore(3)), 1);
}

/* The other processor of the core: what is set there it sees, through a call and through a pointer. */
static void sibling(void)
{
    noc_semaphore_wait(TS_L1(get_semaphore(3)), 1);
    while (*TS_L1(get_semaphore(4)) != 8)
        invalidate_l1_cache();
    seen[1] = *TS_L1(get_semaphore(2));
}

static void pokes(void)
{
    riscv_wait(5000);
    uint64_t there = get_noc_addr(TS_GRID_X(1), TS_GRID_Y(0), get_semaphore(4));
    noc_semaphore_inc(there, 8);
    noc_async_atomic_barrier();
}

static void test_semaphores(void **state)
{
    (void)state;
    struct ts_grid *grid = make(2, 1, 0, TS_GRID_TRACER);
    launch(grid, 0, 0, TS_GRID_BRISC, counts, 0);
    launch(grid, 0, 0, TS_GRID_NCRISC, pokes, 0);
    launch(grid, 1, 0, TS_GRID_BRISC, is_counted, 0);
    launch(grid, 1, 0, TS_GRID_NCRISC, sibling, 0);
    run(grid);
    assert_int_equal(seen[0], 60);
    assert_int_equal(seen[1], 5);
    ts_grid_destroy(grid);
}

static void looks_around(void)
{
    seen[0] = get_arg_val(0);
    seen[1] = get_absolute_logical_x();
    seen[2] = get_absolute_logical_y();
    seen[3] = ts_grid_noc();
}

static void test_surroundings(void **state)
{
    (void)state;
    struct ts_grid *grid = make(4, 3, 0, TS_GRID_TRACER);
    launch(grid, 3, 2, TS_GRID_NCRISC, looks_around, 42);
    run(grid);
    assert_int_equal(seen[0], 42);
    assert_int_equal(seen[1], 3);
    assert_int_equal(seen[2], 2);
    assert_int_equal(seen[3], 1);
    /* Outside of kernels calls that are not traced do nothing. */
    (noc_async_write)(0, 0, 0);
    (noc_semaphore_set)(NULL, 1);
    assert_int_equal(get_arg_val(0), 0);
    assert_null(ts_grid_l1(BASE));
    ts_grid_destroy(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),      cmocka_unit_test(test_writes),       cmocka_unit_test(test_multicasts),
        cmocka_unit_test(test_semaphores), cmocka_unit_test(test_surroundings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
