/* Eight cores in a ring, each with one chunk; afterwards each has all of them. In every step a core hands the chunk that it got
 * last to its right neighbour. */
#include "example.h"

enum { CORES = 8, BYTES = 1024, CHUNKS = TS_GRID_L1_BASE };
enum { STEP_ZONE = 700 };

/* Argument: this core's place in the ring. */
static void gather(void)
{
    uint32_t me = get_arg_val(0), right = TS_GRID_X((me + 1) % CORES);
    uint32_t come = get_semaphore(0); /* chunks that came from the left */

    for (uint32_t step = 0; step < CORES - 1; step++) {
        uint32_t zone = TS_NOC_ZONE_OPEN(STEP_ZONE);
        uint32_t chunk = CHUNKS + (me + CORES - step) % CORES * BYTES;
        noc_async_write(chunk, get_noc_addr(right, TS_GRID_Y(0), chunk), BYTES);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(right, TS_GRID_Y(0), come), 1);
        /* What came in this step is what goes on in the next. */
        noc_semaphore_wait_min(TS_L1(come), step + 1);
        TS_NOC_ZONE_CLOSE(STEP_ZONE, zone);
        (void)zone;
    }
    noc_async_atomic_barrier();
}

static void fill(unsigned char *chunk, uint32_t owner)
{
    for (uint32_t i = 0; i < BYTES; i++)
        chunk[i] = (unsigned char)(owner * 31 + i);
}

int main(int argc, char **argv)
{
    struct ts_grid *grid = make_grid(CORES, 1, 0);
    if (!grid)
        return 1;
    bool good = ts_grid_name_zone(grid, STEP_ZONE, "STEP", &error) == TS_OK;
    for (uint32_t me = 0; me < CORES; me++) {
        struct ts_grid_place core = {me, 0};
        fill(ts_grid_core_memory(grid, core, CHUNKS + me * BYTES, BYTES), me);
        good = good && ts_grid_launch(grid, core, TS_GRID_BRISC, "gather", gather, &me, 1, &error) == TS_OK;
    }
    good = good && run(grid, "ring_all_gather");

    unsigned char expected[CORES * BYTES];
    for (uint32_t owner = 0; owner < CORES; owner++)
        fill(expected + owner * BYTES, owner);
    for (uint32_t me = 0; me < CORES; me++) {
        const void *chunks = ts_grid_core_memory(grid, (struct ts_grid_place){me, 0}, CHUNKS, sizeof expected);
        good = good && memcmp(chunks, expected, sizeof expected) == 0;
    }
    return finish(grid, "ring_all_gather", good, argc, argv);
}
