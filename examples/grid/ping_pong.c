/* Two cores throw a ball to and fro: a word of data is written to the other core, a semaphore there says that it has come. */
#include "example.h"

enum { ROUNDS = 20, BALL = TS_GRID_L1_BASE };

/* Arguments: the other core's x and y, and whether this one begins. */
static void player(void)
{
    uint32_t x = get_arg_val(0), y = get_arg_val(1), begins = get_arg_val(2);
    uint32_t semaphore = get_semaphore(0); /* counts the throws that came in; at the same address on both cores */
    volatile uint32_t *ball = TS_L1(BALL);

    for (uint32_t round = 1; round <= ROUNDS; round++) {
        /* Who does not begin catches first. */
        if (!begins)
            noc_semaphore_wait_min(TS_L1(semaphore), round);
        *ball += 1;
        noc_async_write(BALL, get_noc_addr(x, y, BALL), sizeof *ball);
        noc_async_write_barrier(); /* the ball is there before the semaphore says so */
        noc_semaphore_inc(get_noc_addr(x, y, semaphore), 1);
        if (begins)
            noc_semaphore_wait_min(TS_L1(semaphore), round);
    }
    noc_async_atomic_barrier(); /* a kernel must not end with something on its way */
}

int main(int argc, char **argv)
{
    struct ts_grid *grid = make_grid(2, 1, 0);
    if (!grid)
        return 1;
    bool good = true;
    for (uint32_t column = 0; column < 2; column++) {
        uint32_t arguments[] = {TS_GRID_X(1 - column), TS_GRID_Y(0), column == 0};
        good = good && ts_grid_launch(grid, (struct ts_grid_place){column, 0}, TS_GRID_BRISC, "player", player,
                                      arguments, 3, &error) == TS_OK;
    }
    good = good && run(grid, "ping_pong");

    /* Each throw added one. The core that begins has caught the last. */
    const uint32_t *ball = ts_grid_core_memory(grid, (struct ts_grid_place){0, 0}, BALL, sizeof *ball);
    return finish(grid, "ping_pong", good && ball && *ball == 2 * ROUNDS, argc, argv);
}
