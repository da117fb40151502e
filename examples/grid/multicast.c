/* One core reads a tile from DRAM and multicasts it to all others: everybody says when there is room for it, and a flag that is
 * multicast behind the tile says that it has come. */
#include "example.h"

enum { COLUMNS = 4, ROWS = 2, RECEIVERS = COLUMNS * ROWS - 1, BYTES = 2048, TILE = TS_GRID_L1_BASE };
enum { ROOM, COME }; /* semaphores */

/* On core (0,0). Argument: the DRAM bank that holds the tile. */
static void sender(void)
{
    noc_async_read(get_noc_addr_from_bank_id(get_arg_val(0), 0), TILE, BYTES);
    noc_async_read_barrier();
    noc_semaphore_wait(TS_L1(get_semaphore(ROOM)), RECEIVERS);

    uint32_t come = get_semaphore(COME);
    uint32_t right = TS_GRID_X(COLUMNS - 1), bottom = TS_GRID_Y(ROWS - 1);
    noc_async_write_multicast(TILE, get_noc_multicast_addr(TS_GRID_X(0), TS_GRID_Y(0), right, bottom, TILE), BYTES,
                              RECEIVERS);
    /* The same way behind the tile, so it cannot overtake it. */
    noc_semaphore_set(TS_L1(come), 1);
    noc_async_write_multicast(come, get_noc_multicast_addr(TS_GRID_X(0), TS_GRID_Y(0), right, bottom, come), 4,
                              RECEIVERS);
    noc_async_write_barrier();
}

static void receiver(void)
{
    noc_semaphore_inc(get_noc_addr(TS_GRID_X(0), TS_GRID_Y(0), get_semaphore(ROOM)), 1);
    noc_semaphore_wait(TS_L1(get_semaphore(COME)), 1);
    noc_async_atomic_barrier();
}

int main(int argc, char **argv)
{
    enum { BANK = 3 };
    struct ts_grid *grid = make_grid(COLUMNS, ROWS, BANK + 1);
    unsigned char *tile = grid ? ts_grid_bank_memory(grid, BANK, 0, BYTES) : NULL;
    if (!tile)
        return 1;
    for (uint32_t i = 0; i < BYTES; i++)
        tile[i] = (unsigned char)(i * 7 + i / 256);

    bool good = true;
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t column = 0; column < COLUMNS; column++) {
            bool sends = row == 0 && column == 0;
            uint32_t bank = BANK;
            good = good && ts_grid_launch(grid, (struct ts_grid_place){column, row}, TS_GRID_BRISC,
                                          sends ? "sender" : "receiver", sends ? sender : receiver, &bank,
                                          sends ? 1 : 0, &error) == TS_OK;
        }
    }
    good = good && run(grid, "multicast");

    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < COLUMNS; column++)
            good = good && memcmp(ts_grid_core_memory(grid, (struct ts_grid_place){column, row}, TILE, BYTES), tile,
                                  BYTES) == 0;
    return finish(grid, "multicast", good, argc, argv);
}
