/* What a grid saves: the words that the recorder sent, where and when they were sent, and how many are missing. */
#include "support/grid_case.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/interpose_malloc.c"
#include "support/scratch.h"

enum { MANY = 4000 };

struct lane {
    uint32_t risc, words, events, images, last_host_id, flush_zones;
    uint64_t lost;
    bool dropped, rising;
};

static struct scratch scratch;

/* The lane's words, walked as section 3 of the format has them. */
static void walk(const uint32_t *words, size_t count, struct lane *lane)
{
    uint64_t before = 0;
    lane->rising = true;
    for (size_t i = 0; i < count;) {
        if (words[i] == 0 && words[i + 1] == 0) {
            lane->images++;
            lane->last_host_id = words[i + 3];
            i += TS_NOC_CUSTOM;
            continue;
        }
        unsigned type = words[i] >> 28 & 7;
        uint64_t time = (uint64_t)(words[i] & 0xFFF) << 32 | words[i + 1];
        assert_true(words[i] & TS_NOC_MARKER_VALID);
        assert_true(type <= TS_NOC_DATA);
        if (words[i + 1] != 0) {
            lane->rising = lane->rising && time > before;
            before = time;
        }
        lane->events += type == TS_NOC_DATA && (words[i] >> 12 & 0xFFFF) == TS_NOC_STATIC_ID;
        lane->flush_zones += type == TS_NOC_ZONE_END;
        i += type == TS_NOC_DATA ? 4 : 2;
    }
}

static uint64_t number_at(const char *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    return value;
}

/* Save, and look at the first lane: section 14 of the format says where its entry and its words are. */
static struct lane first_lane(struct ts_grid *grid)
{
    struct lane lane = {0, 0, 0, 0, 0, 0, 0, false, false};
    static uint32_t words[100000];
    if (ts_grid_save(grid, scratch_path(&scratch, "test.tsraw"), &problem) != TS_OK)
        fail_msg("%s", problem.message);
    struct ts_str file = scratch_get(&scratch, "test.tsraw");
    assert_true(file.len > 24 && memcmp(file.ptr, "TSPROF01", 8) == 0);
    assert_int_equal(number_at(file.ptr + 16, 4), 2); /* and the control vector */
    const char *entry = file.ptr + number_at(file.ptr + 20, 4);
    assert_int_equal(number_at(entry, 2), 1);
    lane.risc = (uint32_t)number_at(entry + 2, 2);
    lane.dropped = number_at(entry + 6, 2) & 1;
    assert_int_equal(number_at(entry + 8, 4), 0x00010001); /* at (1,1) */
    uint64_t offset = number_at(entry + 16, 8), count = number_at(entry + 24, 8);
    lane.lost = number_at(entry + 32, 8);
    assert_true(offset % 8 == 0 && count < 100000 && offset + 4 * count <= file.len);
    for (uint64_t i = 0; i < count; i++)
        words[i] = (uint32_t)number_at(file.ptr + offset + 4 * i, 4);
    lane.words = (uint32_t)count;
    walk(words, count, &lane);
    assert_int_equal(number_at(entry + 40, 2), 3);
    assert_int_equal(number_at(entry + 40 + 24, 8), 64);
    assert_int_equal(number_at(entry + 40 + 16, 8) + 4 * 64, file.len);
    return lane;
}

static void sets(void)
{
    for (uint32_t i = 0; i < get_arg_val(0); i++)
        noc_semaphore_set(TS_L1(get_semaphore(0)), i);
}

static void test_flushes(void **state)
{
    (void)state;
    struct ts_grid *grid = make(1, 1, 0, TS_GRID_TRACER);
    launch(grid, 0, 0, TS_GRID_NCRISC, sets, 400);
    run(grid);
    struct lane lane = first_lane(grid);
    /* 121 events fill an image: three flushes, and what is left when the kernel ends. */
    assert_int_equal(lane.risc, 1);
    assert_int_equal(lane.images, 4);
    assert_int_equal(lane.events, 400);
    assert_int_equal(lane.flush_zones, 3);
    assert_int_equal(lane.lost, 0);
    assert_int_equal(lane.last_host_id, 1024);
    assert_false(lane.dropped);
    assert_true(lane.rising);
    ts_grid_destroy(grid);
}

static void test_overflow(void **state)
{
    (void)state;
    struct ts_grid *grid =
        make_with((struct ts_grid_options){.columns = 1, .rows = 1, .trace_words = 1100, .tracer = TS_GRID_TRACER});
    launch(grid, 0, 0, TS_GRID_BRISC, sets, MANY);
    run(grid);
    struct lane lane = first_lane(grid);
    assert_true(lane.dropped);
    assert_true(lane.events > 0);
    assert_int_equal(lane.events + lane.lost, MANY);
    assert_int_equal(ts_grid_count(grid).lost, lane.lost);
    assert_int_equal(ts_grid_count(grid).calls, MANY);
    ts_grid_destroy(grid);
}

static void both_ways(void)
{
    noc_semaphore_set(TS_L1(get_semaphore(0)), 1);
    (noc_semaphore_set)(TS_L1(get_semaphore(0)), 2);
    noc_semaphore_set(TS_L1(get_semaphore(0)), 3);
}

/* A name in parentheses is made and not recorded; each run has an image of its own, and a number. */
static void test_runs(void **state)
{
    (void)state;
    struct ts_grid *grid = make(1, 1, 0, TS_GRID_TRACER);
    for (uint32_t i = 1; i <= 3; i++) {
        launch(grid, 0, 0, TS_GRID_BRISC, both_ways, 0);
        run(grid);
        struct lane lane = first_lane(grid);
        assert_int_equal(lane.events, 2 * i);
        assert_int_equal(lane.images, i);
        assert_int_equal(lane.last_host_id, 1024 * i);
        assert_int_equal(ts_grid_count(grid).calls, 3 * i);
    }
    ts_grid_destroy(grid);
}

static void gives_up(void)
{
    for (int i = 0; i < 5; i++)
        noc_semaphore_set(TS_L1(get_semaphore(0)), 1);
    noc_semaphore_wait(TS_L1(get_semaphore(0)), 2);
}

static void test_what_led_to_a_failure_is_kept(void **state)
{
    (void)state;
    struct ts_grid *grid = make(1, 1, 0, TS_GRID_TRACER);
    launch(grid, 0, 0, TS_GRID_BRISC, gives_up, 0);
    assert_int_equal(ts_grid_run(grid, "test", &problem), TS_REFUSED);
    struct lane lane = first_lane(grid);
    assert_int_equal(lane.events, 6);
    assert_int_equal(lane.images, 1);
    ts_grid_destroy(grid);
}

static void sends(void)
{
    for (uint32_t i = 0; i < 100; i++)
        noc_async_write(TS_GRID_L1_BASE, get_noc_addr(TS_GRID_X(1), TS_GRID_Y(0), TS_GRID_L1_BASE), 64);
    noc_async_write_barrier();
}

/* Every allocation fails once: the status says so, or the grid was done with it. */
/* Somebody who saves to a device means what it does, not its place in the folder. */
static void test_a_pipe_stays_one(void **state)
{
    (void)state;
    const char *path = scratch_path(&scratch, "pipe");
    char first[8];
    struct stat about;
    struct ts_grid *grid = make(1, 1, 0, TS_GRID_TRACER);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(ts_grid_save(grid, path, &problem), TS_OK);
    assert_true(stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
    assert_int_equal(read(reader, first, sizeof first), sizeof first);
    assert_memory_equal(first, "TSPROF01", sizeof first);
    close(reader);
    /* Nor is a folder one's file. */
    assert_int_equal(ts_grid_save(grid, scratch.folder, &problem), TS_IO);
    assert_true(stat(scratch.folder, &about) == 0 && S_ISDIR(about.st_mode));
    ts_grid_destroy(grid);
}

static void test_no_memory(void **state)
{
    (void)state;
    const char *path = scratch_path(&scratch, "none.tsraw");
    struct ts_grid_options options = {.columns = 2, .rows = 1, .tracer = TS_GRID_TRACER};
    bool failed = true;
    long good = 0;
    for (; failed; good++) {
        struct ts_grid *grid = NULL;
        interpose_fail_once(good);
        enum ts_status status = ts_grid_create(&options, &grid, &problem);
        if (status == TS_OK)
            status = ts_grid_launch(grid, (struct ts_grid_place){0, 0}, TS_GRID_BRISC, "k", sends, NULL, 0, &problem);
        if (status == TS_OK)
            status = ts_grid_run(grid, "test", &problem);
        if (status == TS_OK)
            status = ts_grid_save(grid, path, &problem);
        failed = interpose_stop();
        /* A thread that could not be started is TS_LIMIT, a file without a buffer TS_IO. */
        if (status != TS_OK)
            assert_true(status == TS_NO_MEMORY || status == TS_LIMIT || status == TS_IO);
        assert_true(failed || status == TS_OK);
        ts_grid_destroy(grid);
    }
    assert_true(good > 10);
}

static int set_up(void **state)
{
    (void)state;
    scratch_create(&scratch);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_destroy(&scratch);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flushes),
        cmocka_unit_test(test_a_pipe_stays_one),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_what_led_to_a_failure_is_kept),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
