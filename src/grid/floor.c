/* The floor plan: that of a Wormhole chip, so that tools which know one can place the traffic. Cores are known to kernels by
 * translated coordinates (18 and up), banks by those on the chip, which NoC 1 counts from the other corner. */
#include "grid/model.h"

enum { WIDTH = 10, HEIGHT = 12 };

static const uint32_t columns[TS_GRID_COLUMNS] = {1, 2, 3, 4, 6, 7, 8, 9};
static const uint32_t rows[TS_GRID_ROWS] = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11};
/* Two banks a controller, each at an endpoint of its own. */
static const uint32_t banks[TS_GRID_BANKS][2] = {{0, 0}, {0, 1}, {0, 5}, {0, 6}, {5, 0}, {5, 1},
                                                 {5, 2}, {5, 9}, {5, 3}, {5, 4}, {5, 5}, {5, 6}};

void ts_grid_floor_lay(struct ts_grid *grid)
{
    const struct ts_grid_options *o = &grid->options;
    for (uint32_t i = 0; i < grid->core_count; i++) {
        struct ts_grid_node *core = &grid->nodes[i];
        *core = (struct ts_grid_node){.bytes = o->l1_bytes, .lowest = TS_GRID_L1_SEMAPHORES, .number = i};
        core->x = columns[i % o->columns];
        core->y = rows[i / o->columns];
    }
    for (uint32_t i = 0; i < o->banks; i++) {
        struct ts_grid_node *bank = &grid->nodes[grid->core_count + i];
        *bank = (struct ts_grid_node){.bytes = o->bank_bytes, .dram = true, .number = i};
        bank->x = banks[i][0];
        bank->y = banks[i][1];
        bank->bank_free = &grid->controller_free[i / 2];
    }
}

uint32_t ts_grid_floor_hops(uint32_t noc, const struct ts_grid_node *from, const struct ts_grid_node *to)
{
    if (noc == 1)
        return ts_grid_floor_hops(0, to, from);
    return (to->x + WIDTH - from->x) % WIDTH + (to->y + HEIGHT - from->y) % HEIGHT;
}

struct ts_grid_node *ts_grid_floor_find(struct ts_grid *grid, uint32_t noc, uint32_t x, uint32_t y)
{
    const struct ts_grid_options *o = &grid->options;
    if (x >= TS_GRID_X(0) || y >= TS_GRID_Y(0)) {
        bool there = x >= TS_GRID_X(0) && y >= TS_GRID_Y(0) && x < TS_GRID_X(o->columns) && y < TS_GRID_Y(o->rows);
        return there ? &grid->nodes[(y - TS_GRID_Y(0)) * o->columns + x - TS_GRID_X(0)] : NULL;
    }
    if (noc == 1) {
        x = WIDTH - 1 - x;
        y = HEIGHT - 1 - y;
    }
    for (uint32_t i = 0; i < grid->node_count; i++)
        if (grid->nodes[i].x == x && grid->nodes[i].y == y)
            return &grid->nodes[i];
    return NULL;
}

uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t offset)
{
    struct ts_grid_processor *p = ts_grid_current();
    if (!p)
        return 0;
    struct ts_grid *grid = p->grid;
    if (bank >= grid->options.banks)
        ts_grid_fault(p, "get_noc_addr_from_bank_id: there is no bank %u; the grid has %u", (unsigned)bank,
                      (unsigned)grid->options.banks);
    const struct ts_grid_node *node = &grid->nodes[grid->core_count + bank];
    if (p->noc == 1)
        return get_noc_addr(WIDTH - 1 - node->x, HEIGHT - 1 - node->y, offset);
    return get_noc_addr(node->x, node->y, offset);
}
