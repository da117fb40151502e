/* What a kernel can ask of its surroundings besides the dataflow calls, and what its recorder asks. */
#include <string.h>

#include "grid/model.h"

uint32_t get_arg_val(uint32_t index)
{
    struct ts_grid_processor *p = ts_grid_current();
    if (!p)
        return 0;
    if (index >= p->argument_count)
        ts_grid_fault(p, "get_arg_val: there is no argument %u; it was given %u", (unsigned)index,
                      (unsigned)p->argument_count);
    return p->arguments[index];
}

uint32_t get_semaphore(uint32_t id)
{
    struct ts_grid_processor *p = ts_grid_current();
    if (p && id >= TS_GRID_SEMAPHORES)
        ts_grid_fault(p, "get_semaphore: there is no semaphore %u; a core has %d", (unsigned)id, TS_GRID_SEMAPHORES);
    return TS_GRID_L1_SEMAPHORES + TS_GRID_SEMAPHORE_STEP * (id % TS_GRID_SEMAPHORES);
}

uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address)
{
    struct ts_grid_processor *p = ts_grid_current();
    if (p && (x > 63 || y > 63))
        ts_grid_fault(p, "get_noc_addr: there is no (%u,%u): coordinates on a NoC go to 63", (unsigned)x, (unsigned)y);
    return (uint64_t)(x & 63) << 36 | (uint64_t)(y & 63) << 42 | address;
}

uint64_t get_noc_multicast_addr(uint32_t start_x, uint32_t start_y, uint32_t end_x, uint32_t end_y, uint32_t address)
{
    return get_noc_addr(start_x, start_y, 0) << 12 | get_noc_addr(end_x, end_y, address);
}

uint32_t get_absolute_logical_x(void)
{
    struct ts_grid_processor *p = ts_grid_current();
    return p ? p->column : 0;
}

uint32_t get_absolute_logical_y(void)
{
    struct ts_grid_processor *p = ts_grid_current();
    return p ? p->row : 0;
}

static void pass(const char *name, uint32_t cycles)
{
    struct ts_grid_processor *p = ts_grid_current();
    if (!p)
        return;
    p->call = name;
    p->time += cycles;
    ts_grid_yield(p);
}

void riscv_wait(uint32_t cycles)
{
    pass("riscv_wait", cycles);
}

void invalidate_l1_cache(void)
{
    pass("invalidate_l1_cache", TS_GRID_POLL);
}

volatile uint32_t *ts_grid_l1(uint32_t address)
{
    struct ts_grid_processor *p = ts_grid_current();
    if (!p)
        return NULL;
    if (address < p->core->lowest || address > p->core->bytes - sizeof(uint32_t) || address % sizeof(uint32_t) != 0)
        ts_grid_fault(p, "TS_L1: 0x%x is no word of L1, which goes from 0x%x to 0x%x", (unsigned)address,
                      (unsigned)p->core->lowest, (unsigned)p->core->bytes);
    return (volatile uint32_t *)(void *)(p->core->memory + address);
}

/* ---- the recorder's port ---- */

void *ts_grid_recorder(void)
{
    struct ts_grid_processor *p = ts_grid_current();
    return p ? p->recorder : NULL;
}

uint32_t ts_grid_clock(uint32_t *high)
{
    struct ts_grid_processor *p = ts_grid_current();
    uint64_t time = p ? p->time++ : 0;
    *high = (uint32_t)(time >> 32);
    return (uint32_t)time;
}

uint32_t ts_grid_noc(void)
{
    struct ts_grid_processor *p = ts_grid_current();
    return p ? p->noc : 0;
}

/* No call links commands. */
uint32_t ts_noc_port_busy(void)
{
    return 0;
}

/* The words go out of the core's port like any other, and the processor waits until they have left. It does not give up its turn
 * here: the recorder's state is between two places. */
void ts_noc_port_send(uint32_t word, const uint32_t *words, uint32_t count)
{
    struct ts_grid_processor *p = ts_grid_current();
    if (!p || count > p->lane.capacity || word > p->lane.capacity - count)
        return;
    memcpy(p->trace + word, words, count * sizeof *words);
    uint64_t *free_at = &p->core->out_free[p->noc];
    uint64_t from = *free_at > p->time ? *free_at : p->time;
    p->time = *free_at = from + ts_grid_flight_flits(count * (uint32_t)sizeof *words);
}
