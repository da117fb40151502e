/* What kernels do wrong ends the run with a message that says who, where and what; so do waits that cannot end. */
#include "support/grid_case.h"

#include <stdatomic.h>

enum { BASE = TS_GRID_L1_BASE, L1 = 1024 * 1024 };

static uint64_t core(uint32_t column, uint32_t address)
{
    return get_noc_addr(TS_GRID_X(column), TS_GRID_Y(0), address);
}
static uint64_t cores(uint32_t from, uint32_t to, uint32_t address)
{
    return get_noc_multicast_addr(TS_GRID_X(from), TS_GRID_Y(0), TS_GRID_X(to), TS_GRID_Y(0), address);
}

/* Without end, but for what the compiler does not know. */
static volatile bool enough;
static void deeper(uint32_t depth)
{
    volatile unsigned char held[2000];
    held[depth % sizeof held] = 1;
    noc_semaphore_set(TS_L1(get_semaphore(1)), depth);
    if (!enough)
        deeper(depth + held[depth % sizeof held]);
    held[0] = 0;
}

/* Each number is a mistake; the table below has what is said of it. */
static void mistake(void)
{
    uint64_t bank = get_noc_addr_from_bank_id(0, 0);
    static volatile uint32_t elsewhere;
    switch (get_arg_val(0)) {
    case 0:
        noc_async_read(bank, L1 - 16, 32);
        break;
    case 1:
        noc_async_write(BASE, bank + L1 - 32, 64);
        break;
    case 2:
        noc_async_write(BASE, core(1, 0xFFFFFFF0), 32);
        break;
    case 3:
        noc_async_read(core(1, 0x100), BASE + 0x100, 16);
        break;
    case 4:
        noc_async_read(get_noc_addr(20, 18, BASE), BASE, 16);
        break;
    case 5:
        noc_async_read(core(1, BASE) | UINT64_C(1) << 32, BASE, 16);
        break;
    case 6:
        noc_async_read(core(1, BASE + 4), BASE, 16);
        break;
    case 7:
        noc_async_read(bank + 16, BASE, 16);
        break;
    case 8:
        noc_async_read(bank, BASE, 0);
        break;
    case 9:
        noc_async_write_one_packet(BASE, core(1, BASE), 8193);
        break;
    case 10:
        noc_async_read_set_trid(16);
        break;
    case 11:
        noc_async_read_one_packet_with_state(BASE, BASE);
        break;
    case 12:
        noc_async_write_multicast(BASE, cores(0, 1, BASE), 32, 2);
        break;
    case 13:
        noc_async_write_multicast(BASE, cores(1, 0, BASE), 32, 1);
        break;
    case 14:
        noc_async_write_multicast(BASE, (bank & ~UINT64_C(0xFFFFFFFF)) | bank << 12 | BASE, 32, 1);
        break;
    case 15:
        noc_semaphore_inc(bank, 1);
        break;
    case 16:
        noc_semaphore_inc(core(1, BASE + 2), 1);
        break;
    case 17:
        noc_semaphore_wait(&elsewhere, 1);
        break;
    case 18:
        (void)TS_L1(L1);
        break;
    case 19:
        (void)get_arg_val(1);
        break;
    case 20:
        (void)get_semaphore(16);
        break;
    case 21:
        (void)get_noc_addr_from_bank_id(1, 0);
        break;
    case 22:
        noc_async_write(BASE, core(1, BASE), 32);
        break;
    case 23:
        noc_async_read(core(1, BASE), BASE, 32);
        break;
    case 24:
        noc_semaphore_inc(core(1, BASE), 1);
        break;
    case 25:
        (void)get_noc_addr(64 + 18, 18, BASE);
        break;
    case 26:
        (void)cores(0, UINT32_MAX - 63, BASE);
        break;
    case 27:
        deeper(0);
        break;
    default:
        break;
    }
}

static const char *const said[] = {
    "noc_async_read: 32 bytes at 0xffff0 of its own L1, which ends at 0x100000",
    "noc_async_write: 64 bytes at 0xfffe0 of DRAM bank 0, which ends at 0x100000",
    "noc_async_write: 32 bytes at 0xfffffff0 of L1 of core (1,0), which ends at",
    "noc_async_read: 16 bytes at 0x100 of L1 of core (1,0): what lies below 0x1800 belongs to the recorder; use 0x2000",
    "there is neither a core nor a bank at (20,18) of NoC 0; cores are at (18,18) to (19,18)",
    "an address of more than 32 bits",
    "the addresses 0x2004 and 0x2000 differ in their last 4 bits",
    "the addresses 0x10 and 0x2000 differ in their last 5 bits",
    "noc_async_read: of no bytes",
    "noc_async_write_one_packet: 8193 bytes are more than a packet's 8192",
    "there is no transaction id 16; they go to 15",
    "no ..._set_state call came before",
    "it names 2 receivers, and 1 cores are reached (the sender is none)",
    "on NoC 0 a multicast goes from the lower corner to the higher",
    "a multicast reaches cores only, not DRAM",
    "noc_semaphore_inc: 0x0 of a DRAM bank is no word of L1",
    "noc_semaphore_inc: 0x2002 of a core is no word of L1",
    "the pointer is none into this core's L1; take it from TS_L1(address)",
    "TS_L1: 0x100000 is no word of L1, which goes from 0x1800 to 0x100000",
    "there is no argument 1; it was given 1",
    "there is no semaphore 16; a core has 16",
    "there is no bank 1; the grid has 1",
    "it returned while writes of it were on their way; end it with noc_async_write_barrier",
    "it returned while reads of it were on their way; end it with noc_async_read_barrier",
    "it returned while increments of it were on their way; end it with noc_async_atomic_barrier",
    "get_noc_addr: there is no (82,18): coordinates on a NoC go to 63",
    "get_noc_addr: there is no (4294967250,18): coordinates on a NoC go to 63",
    "of its 1024 KiB of stack are in use: does it call itself without end",
};

static enum ts_status fails(struct ts_grid *grid)
{
    problem.message[0] = '\0';
    enum ts_status status = ts_grid_run(grid, "test", &problem);
    assert_int_not_equal(status, TS_OK);
    assert_int_equal(status, problem.code);
    return status;
}

static void says(const char *text)
{
    if (!strstr(problem.message, text))
        fail_msg("'%s' lacks '%s'", problem.message, text);
}

static void test_mistakes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        struct ts_grid *grid = make(2, 1, 1, TS_GRID_TRACER);
        launch(grid, 0, 0, TS_GRID_BRISC, mistake, i);
        assert_int_equal(fails(grid), TS_REFUSED);
        says("kernel 'case' on core (0,0), BRISC, cycle 1");
        says(said[i]);
        ts_grid_destroy(grid);
    }
}

static void waits(void)
{
    noc_semaphore_wait_min(TS_L1(get_semaphore(0)), get_arg_val(0));
    noc_semaphore_wait(TS_L1(get_semaphore(1)), 7);
}

static void test_deadlock(void **state)
{
    (void)state;
    struct ts_grid *grid = make(2, 1, 0, TS_GRID_TRACER);
    *(uint32_t *)(void *)core_bytes(grid, 0, 0, 0x1800, 4) = 5;
    launch(grid, 0, 0, TS_GRID_BRISC, waits, 5);
    launch(grid, 1, 0, TS_GRID_NCRISC, waits, 1);
    assert_int_equal(fails(grid), TS_REFUSED);
    says("deadlock at cycle 1");
    says("'case' on core (0,0), BRISC, waits in noc_semaphore_wait for the word at 0x1810 to be 7, and it is 0; 'case' "
         "on core (1,0), NCRISC, waits in noc_semaphore_wait_min for the word at 0x1800 to be at least 1, and it is 0");
    /* Nothing more can be run on it. */
    assert_int_equal(ts_grid_run(grid, "again", &problem), TS_USAGE);
    says("make another grid");
    ts_grid_destroy(grid);

    grid = make(8, 10, 0, TS_GRID_TRACER);
    for (uint32_t i = 0; i < 80; i++)
        launch(grid, i % 8, i / 8, TS_GRID_BRISC, waits, 1);
    assert_int_equal(fails(grid), TS_REFUSED);
    says("; and 72 more");
    ts_grid_destroy(grid);
}

static void polls(void)
{
    while (*TS_L1(get_semaphore(0)) == 0)
        invalidate_l1_cache();
}

static atomic_bool let_go;
static void spins(void)
{
    while (!let_go)
        ;
}

static void test_endless(void **state)
{
    (void)state;
    struct ts_grid *grid = make_with((struct ts_grid_options){.columns = 1, .rows = 1, .cycles = 5000});
    launch(grid, 0, 0, TS_GRID_BRISC, polls, 0);
    assert_int_equal(fails(grid), TS_LIMIT);
    says("the kernels have not ended after 5000 cycles");
    ts_grid_destroy(grid);

    grid = make_with((struct ts_grid_options){.columns = 2, .rows = 1, .patience_ms = 100, .tracer = TS_GRID_TRACER});
    launch(grid, 0, 0, TS_GRID_BRISC, waits, 1);
    launch(grid, 1, 0, TS_GRID_BRISC, spins, 0);
    assert_int_equal(fails(grid), TS_LIMIT);
    says("kernel 'case' on core (1,0), BRISC, has made no call for 100 ms of processor time");
    says("needs invalidate_l1_cache()");
    struct ts_grid_place place = {0, 0};
    assert_int_equal(ts_grid_run(grid, "again", &problem), TS_USAGE);
    assert_int_equal(ts_grid_launch(grid, place, TS_GRID_NCRISC, "x", polls, NULL, 0, &problem), TS_USAGE);
    assert_int_equal(ts_grid_save(grid, "not-there", &problem), TS_USAGE);
    says("a kernel that never came back may still record");
    ts_grid_destroy(grid); /* keeps what the kernel may touch */
    let_go = true;
}

static void test_usage(void **state)
{
    (void)state;
    struct ts_grid *grid = NULL;
    static const struct {
        struct ts_grid_options options;
        const char *said;
    } cases[] = {
        {{.columns = 0, .rows = 1}, "option columns is 0; it goes from 1 to 8"},
        {{.columns = 1, .rows = 11}, "option rows is 11; it goes from 1 to 10"},
        {{.columns = 1, .rows = 1, .banks = 13}, "option banks is 13; it goes from 0 to 12"},
        {{.columns = 1, .rows = 1, .l1_bytes = 100}, "option l1_bytes is 100; it goes from 16384 to 1499136"},
        {{.columns = 1, .rows = 1, .bank_bytes = 1u << 31}, "option bank_bytes"},
        {{.columns = 1, .rows = 1, .trace_words = 512}, "option trace_words is 512; it goes from 1024"},
        {{.columns = 1, .rows = 1, .patience_ms = 4000000}, "option patience_ms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(ts_grid_create(&cases[i].options, &grid, &problem), TS_USAGE);
        says(cases[i].said);
    }
    assert_null(grid);
    ts_grid_destroy(NULL);

    grid = make(2, 2, 1, NULL);
    struct ts_grid_place inside = {1, 1}, outside = {2, 0};
    uint32_t many[TS_GRID_ARGUMENTS + 1] = {0};
    assert_int_equal(ts_grid_launch(grid, outside, TS_GRID_BRISC, "k", polls, NULL, 0, &problem), TS_USAGE);
    says("there is no processor 0 of core (2,0); the grid has 2x2");
    assert_int_equal(ts_grid_launch(grid, inside, (enum ts_grid_risc)2, "k", polls, NULL, 0, &problem), TS_USAGE);
    assert_int_equal(ts_grid_launch(grid, inside, TS_GRID_BRISC, "k", polls, many, 33, &problem), TS_USAGE);
    says("33 arguments are more than 32");
    assert_int_equal(ts_grid_launch(grid, inside, TS_GRID_BRISC, "a b", polls, NULL, 0, &problem), TS_USAGE);
    says("'a b' is no name");
    assert_int_equal(ts_grid_run(grid, "\"", &problem), TS_USAGE);
    assert_int_equal(ts_grid_name_zone(grid, 0, "zone", &problem), TS_USAGE);
    assert_int_equal(ts_grid_launch(grid, inside, TS_GRID_BRISC, "first", polls, NULL, 0, &problem), TS_OK);
    assert_int_equal(ts_grid_launch(grid, inside, TS_GRID_BRISC, "second", polls, NULL, 0, &problem), TS_USAGE);
    says("kernel 'second': its processor of core (1,1) has kernel 'first' already");
    assert_int_equal(ts_grid_save(grid, "not-there", &problem), TS_USAGE);
    says("compiled without tracing");
    assert_null(ts_grid_core_memory(grid, inside, 0x100, 4));
    assert_null(ts_grid_core_memory(grid, inside, L1 - 2, 4));
    assert_null(ts_grid_core_memory(grid, outside, BASE, 4));
    assert_null(ts_grid_bank_memory(grid, 1, 0, 4));
    assert_non_null(ts_grid_bank_memory(grid, 0, L1 - 4, 4));
    ts_grid_destroy(grid);

    grid = make(1, 1, 0, TS_GRID_TRACER);
    assert_int_equal(ts_grid_save(grid, "/nowhere/at/all.tsraw", &problem), TS_IO);
    says("/nowhere/at/all.tsraw: cannot be written: ");
    ts_grid_destroy(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
