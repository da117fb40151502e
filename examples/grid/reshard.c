/* A matrix goes from height shards (each core has some rows) to width shards (each core has some columns). Every core fetches its
 * columns from all others, row by row: BRISC over NoC 0 from the even cores, NCRISC over NoC 1 from the odd ones. */
#include "example.h"

enum { CORES = 4, ROWS = 32, ROW_BYTES = 512 };
enum { SHARD_ROWS = ROWS / CORES, PART_BYTES = ROW_BYTES / CORES };
enum { FROM = TS_GRID_L1_BASE, TO = FROM + SHARD_ROWS * ROW_BYTES };

/* Arguments: this core's column, and the first core to fetch from. */
static void fetch(void)
{
    uint32_t me = get_arg_val(0);
    for (uint32_t core = get_arg_val(1); core < CORES; core += 2) {
        /* All parts of a core have one size, so each read needs no more than its two addresses. */
        noc_async_read_one_packet_set_state(get_noc_addr(TS_GRID_X(core), TS_GRID_Y(0), 0), PART_BYTES);
        for (uint32_t row = 0; row < SHARD_ROWS; row++)
            noc_async_read_one_packet_with_state(FROM + row * ROW_BYTES + me * PART_BYTES,
                                                 TO + (core * SHARD_ROWS + row) * PART_BYTES);
    }
    noc_async_read_barrier();
}

/* The element that stands there. */
static unsigned char element(uint32_t row, uint32_t column)
{
    return (unsigned char)(row * 37 + column * 5 + column / 64);
}

int main(int argc, char **argv)
{
    struct ts_grid *grid = make_grid(CORES, 1, 0);
    if (!grid)
        return 1;
    bool good = true;
    for (uint32_t core = 0; core < CORES; core++) {
        struct ts_grid_place place = {core, 0};
        unsigned char *shard = ts_grid_core_memory(grid, place, FROM, SHARD_ROWS * ROW_BYTES);
        for (uint32_t i = 0; i < SHARD_ROWS * ROW_BYTES; i++)
            shard[i] = element(core * SHARD_ROWS + i / ROW_BYTES, i % ROW_BYTES);
        uint32_t even[] = {core, 0}, odd[] = {core, 1};
        good = good && ts_grid_launch(grid, place, TS_GRID_BRISC, "fetch_even", fetch, even, 2, &error) == TS_OK;
        good = good && ts_grid_launch(grid, place, TS_GRID_NCRISC, "fetch_odd", fetch, odd, 2, &error) == TS_OK;
    }
    good = good && run(grid, "reshard");

    for (uint32_t core = 0; core < CORES; core++) {
        const unsigned char *shard = ts_grid_core_memory(grid, (struct ts_grid_place){core, 0}, TO, ROWS * PART_BYTES);
        for (uint32_t i = 0; i < ROWS * PART_BYTES; i++)
            good = good && shard[i] == element(i / PART_BYTES, core * PART_BYTES + i % PART_BYTES);
    }
    return finish(grid, "reshard", good, argc, argv);
}
