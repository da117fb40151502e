/* The dataflow calls that kernels make: each takes its cycles, is checked, and sends what it has to or waits. */
#include <stdio.h>

#include "grid/model.h"

/* A call begins: its cycles pass, and all that is earlier happens. NULL outside of kernels, where calls do nothing. */
static struct ts_grid_processor *begin(const char *name)
{
    struct ts_grid_processor *p = ts_grid_current();
    if (!p)
        return NULL;
    p->call = name;
    p->grid->calls++;
    p->time += TS_GRID_CALL;
    ts_grid_yield(p);
    return p;
}

/* ---- checks ---- */

static void check_range(struct ts_grid_processor *p, const struct ts_grid_node *node, uint32_t address, uint32_t size)
{
    char memory[40];
    bool below = address < node->lowest;
    if (!below && address <= node->bytes && size <= node->bytes - address)
        return;
    if (node->dram)
        snprintf(memory, sizeof memory, "DRAM bank %u", (unsigned)node->number);
    else if (node == p->core)
        snprintf(memory, sizeof memory, "its own L1");
    else
        snprintf(memory, sizeof memory, "L1 of core (%u,%u)", (unsigned)(node->number % p->grid->options.columns),
                 (unsigned)(node->number / p->grid->options.columns));
    if (below)
        ts_grid_fault(p, "%s: %u bytes at 0x%x of %s: what lies below 0x%x belongs to the recorder; use 0x%x and up",
                      p->call, (unsigned)size, (unsigned)address, memory, (unsigned)node->lowest,
                      (unsigned)TS_GRID_L1_BASE);
    ts_grid_fault(p, "%s: %u bytes at 0x%x of %s, which ends at 0x%x", p->call, (unsigned)size, (unsigned)address,
                  memory, (unsigned)node->bytes);
}

static struct ts_grid_node *find(struct ts_grid_processor *p, uint64_t address)
{
    uint32_t x = address >> 36 & 63, y = address >> 42 & 63;
    if (address >> 32 & 15)
        ts_grid_fault(p, "%s: an address of more than 32 bits is in no memory", p->call);
    struct ts_grid_node *node = ts_grid_floor_find(p->grid, p->noc, x, y);
    if (!node)
        ts_grid_fault(p, "%s: there is neither a core nor a bank at (%u,%u) of NoC %u; cores are at (18,18) to (%u,%u)",
                      p->call, (unsigned)x, (unsigned)y, (unsigned)p->noc,
                      (unsigned)TS_GRID_X(p->grid->options.columns - 1),
                      (unsigned)TS_GRID_Y(p->grid->options.rows - 1));
    return node;
}

static void check_trid(struct ts_grid_processor *p, uint32_t trid)
{
    if (trid >= TS_GRID_TRIDS)
        ts_grid_fault(p, "%s: there is no transaction id %u; they go to %d", p->call, (unsigned)trid,
                      TS_GRID_TRIDS - 1);
}

static void check_packet(struct ts_grid_processor *p, uint32_t size)
{
    if (size > TS_GRID_PACKET)
        ts_grid_fault(p, "%s: %u bytes are more than a packet's %d", p->call, (unsigned)size, TS_GRID_PACKET);
}

static void check_transfer(struct ts_grid_processor *p, const struct ts_grid_flight *f)
{
    unsigned bits = f->kind == TS_GRID_READ && f->far->dram ? 5 : 4;
    if (f->size == 0)
        ts_grid_fault(p, "%s: of no bytes", p->call);
    check_range(p, f->far, f->far_address, f->size);
    check_range(p, p->core, f->near_address, f->size);
    if ((f->far_address ^ f->near_address) & ((1u << bits) - 1))
        ts_grid_fault(p, "%s: the addresses 0x%x and 0x%x differ in their last %u bits, which the NoC cannot shift",
                      p->call, (unsigned)f->far_address, (unsigned)f->near_address, bits);
}

/* ---- sending ---- */

static void send(struct ts_grid_processor *p, struct ts_grid_flight *f)
{
    f->owner = p;
    f->noc = p->noc;
    if (!ts_grid_flight_send(p->grid, f))
        ts_grid_fault_memory(p);
}

static void read(struct ts_grid_processor *p, struct ts_grid_node *far, uint32_t from, uint32_t to, uint32_t size,
                 uint32_t trid)
{
    struct ts_grid_flight f = {.kind = TS_GRID_READ, .far = far, .far_address = from, .near_address = to, .size = size};
    f.trid = trid;
    check_transfer(p, &f);
    p->reads[trid]++;
    send(p, &f);
}

static void write(struct ts_grid_processor *p, struct ts_grid_node *far, uint32_t from, uint32_t to, uint32_t size,
                  uint32_t trid)
{
    struct ts_grid_flight f = {.kind = TS_GRID_WRITE, .far = far, .far_address = to, .near_address = from};
    f.size = size;
    f.trid = trid;
    check_transfer(p, &f);
    p->unsent[trid]++;
    p->unacknowledged++;
    send(p, &f);
}

/* The rectangle's corners, the lower one first; returns the first core. */
static struct ts_grid_node *corners(struct ts_grid_processor *p, uint64_t to, uint32_t *corner)
{
    struct ts_grid_node *end = find(p, to), *start = find(p, (to >> 12 & UINT64_C(0xFFF) << 36));
    uint32_t columns = p->grid->options.columns, low = p->noc ? 2 : 0;
    if (start->dram || end->dram)
        ts_grid_fault(p, "%s: a multicast reaches cores only, not DRAM", p->call);
    corner[low] = start->number % columns;
    corner[low + 1] = start->number / columns;
    corner[2 - low] = end->number % columns;
    corner[3 - low] = end->number / columns;
    if (corner[0] > corner[2] || corner[1] > corner[3])
        ts_grid_fault(p, "%s: on NoC %u a multicast goes from the %s corner to the %s", p->call, (unsigned)p->noc,
                      p->noc ? "higher" : "lower", p->noc ? "lower" : "higher");
    return &p->grid->nodes[corner[1] * columns + corner[0]];
}

static void multicast(struct ts_grid_processor *p, uint32_t from, uint64_t to, uint32_t size, uint32_t receivers,
                      bool loopback)
{
    struct ts_grid_flight f = {.kind = TS_GRID_WRITE, .multicast = true, .loopback = loopback, .size = size};
    f.near_address = from;
    f.far_address = (uint32_t)to;
    f.far = corners(p, to, f.corner);
    check_transfer(p, &f);
    uint32_t inside = (f.corner[2] - f.corner[0] + 1) * (f.corner[3] - f.corner[1] + 1);
    bool own = p->column >= f.corner[0] && p->column <= f.corner[2] && p->row >= f.corner[1] && p->row <= f.corner[3];
    inside -= own && !loopback;
    if (receivers != inside)
        ts_grid_fault(p, "%s: it names %u receivers, and %u cores are reached%s", p->call, (unsigned)receivers,
                      (unsigned)inside, own && !loopback ? " (the sender is none)" : "");
    f.trid = p->write_trid;
    p->unsent[f.trid]++;
    p->unacknowledged += receivers;
    send(p, &f);
}

static struct ts_grid_node *state_node(struct ts_grid_processor *p, const struct ts_grid_state *state)
{
    if (!state->node)
        ts_grid_fault(p, "%s: no ..._set_state call came before", p->call);
    return state->node;
}

/* ---- reads ---- */

void noc_async_read(uint64_t from, uint32_t to, uint32_t size)
{
    struct ts_grid_processor *p = begin("noc_async_read");
    if (p)
        read(p, find(p, from), (uint32_t)from, to, size, p->read_trid);
}

void noc_async_read_one_packet(uint64_t from, uint32_t to, uint32_t size)
{
    struct ts_grid_processor *p = begin("noc_async_read_one_packet");
    if (!p)
        return;
    check_packet(p, size);
    read(p, find(p, from), (uint32_t)from, to, size, p->read_trid);
}

void noc_async_read_one_packet_set_state(uint64_t from, uint32_t size)
{
    struct ts_grid_processor *p = begin("noc_async_read_one_packet_set_state");
    if (!p)
        return;
    check_packet(p, size);
    p->read_state = (struct ts_grid_state){find(p, from), size};
}

void noc_async_read_set_state(uint64_t from)
{
    struct ts_grid_processor *p = begin("noc_async_read_set_state");
    if (p)
        p->read_state = (struct ts_grid_state){find(p, from), 0};
}

void noc_async_read_one_packet_with_state(uint32_t from, uint32_t to)
{
    struct ts_grid_processor *p = begin("noc_async_read_one_packet_with_state");
    if (p)
        read(p, state_node(p, &p->read_state), from, to, p->read_state.size, p->read_trid);
}

void noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t size)
{
    struct ts_grid_processor *p = begin("noc_async_read_with_state");
    if (p)
        read(p, state_node(p, &p->read_state), from, to, size, p->read_trid);
}

void noc_async_read_one_packet_with_state_with_trid(uint32_t from, uint32_t offset, uint32_t to, uint32_t trid)
{
    struct ts_grid_processor *p = begin("noc_async_read_one_packet_with_state_with_trid");
    if (!p)
        return;
    check_trid(p, trid);
    read(p, state_node(p, &p->read_state), from + offset, to, p->read_state.size, trid);
}

void noc_async_read_set_trid(uint32_t trid)
{
    struct ts_grid_processor *p = begin("noc_async_read_set_trid");
    if (!p)
        return;
    check_trid(p, trid);
    p->read_trid = trid;
}

/* ---- writes ---- */

void noc_async_write(uint32_t from, uint64_t to, uint32_t size)
{
    struct ts_grid_processor *p = begin("noc_async_write");
    if (p)
        write(p, find(p, to), from, (uint32_t)to, size, p->write_trid);
}

void noc_async_write_one_packet(uint32_t from, uint64_t to, uint32_t size)
{
    struct ts_grid_processor *p = begin("noc_async_write_one_packet");
    if (!p)
        return;
    check_packet(p, size);
    write(p, find(p, to), from, (uint32_t)to, size, p->write_trid);
}

void noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to, uint32_t size, uint32_t trid)
{
    struct ts_grid_processor *p = begin("noc_async_write_one_packet_with_trid");
    if (!p)
        return;
    check_packet(p, size);
    check_trid(p, trid);
    write(p, find(p, to), from, (uint32_t)to, size, trid);
}

void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers)
{
    struct ts_grid_processor *p = begin("noc_async_write_multicast");
    if (p)
        multicast(p, from, to, size, receivers, false);
}

void noc_async_write_multicast_one_packet(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers)
{
    struct ts_grid_processor *p = begin("noc_async_write_multicast_one_packet");
    if (!p)
        return;
    check_packet(p, size);
    multicast(p, from, to, size, receivers, false);
}

void noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers)
{
    struct ts_grid_processor *p = begin("noc_async_write_multicast_loopback_src");
    if (p)
        multicast(p, from, to, size, receivers, true);
}

void noc_async_write_one_packet_set_state(uint64_t to, uint32_t size)
{
    struct ts_grid_processor *p = begin("noc_async_write_one_packet_set_state");
    if (!p)
        return;
    check_packet(p, size);
    p->write_state = (struct ts_grid_state){find(p, to), size};
}

void noc_async_write_one_packet_with_state(uint32_t from, uint32_t to)
{
    struct ts_grid_processor *p = begin("noc_async_write_one_packet_with_state");
    if (p)
        write(p, state_node(p, &p->write_state), from, to, p->write_state.size, p->write_trid);
}

void noc_async_write_one_packet_with_trid_set_state(uint64_t to)
{
    struct ts_grid_processor *p = begin("noc_async_write_one_packet_with_trid_set_state");
    if (p)
        p->write_state = (struct ts_grid_state){find(p, to), 0};
}

void noc_async_write_one_packet_with_trid_with_state(uint32_t from, uint32_t to, uint32_t size, uint32_t trid)
{
    struct ts_grid_processor *p = begin("noc_async_write_one_packet_with_trid_with_state");
    if (!p)
        return;
    check_packet(p, size);
    check_trid(p, trid);
    write(p, state_node(p, &p->write_state), from, to, size, trid);
}

void noc_async_write_set_trid(uint32_t trid)
{
    struct ts_grid_processor *p = begin("noc_async_write_set_trid");
    if (!p)
        return;
    check_trid(p, trid);
    p->write_trid = trid;
}

/* ---- barriers ---- */

static void await(const char *name, enum ts_grid_wait wait)
{
    struct ts_grid_processor *p = begin(name);
    if (p)
        ts_grid_await(p, wait, 0, 0);
}

static void await_trid(const char *name, enum ts_grid_wait wait, uint32_t trid)
{
    struct ts_grid_processor *p = begin(name);
    if (!p)
        return;
    check_trid(p, trid);
    ts_grid_await(p, wait, 0, trid);
}

void noc_async_read_barrier(void)
{
    await("noc_async_read_barrier", TS_GRID_WAIT_READS);
}

void noc_async_read_barrier_with_trid(uint32_t trid)
{
    await_trid("noc_async_read_barrier_with_trid", TS_GRID_WAIT_READS_TRID, trid);
}

void noc_async_write_barrier(void)
{
    await("noc_async_write_barrier", TS_GRID_WAIT_WRITES);
}

void noc_async_writes_flushed(void)
{
    await("noc_async_writes_flushed", TS_GRID_WAIT_SENT);
}

void noc_async_write_flushed_with_trid(uint32_t trid)
{
    await_trid("noc_async_write_flushed_with_trid", TS_GRID_WAIT_SENT_TRID, trid);
}

void noc_async_full_barrier(void)
{
    await("noc_async_full_barrier", TS_GRID_WAIT_ALL);
}

void noc_async_atomic_barrier(void)
{
    await("noc_async_atomic_barrier", TS_GRID_WAIT_ATOMICS);
}

/* ---- semaphores ---- */

void noc_semaphore_inc(uint64_t at, uint32_t by)
{
    struct ts_grid_processor *p = begin("noc_semaphore_inc");
    if (!p)
        return;
    struct ts_grid_flight f = {.kind = TS_GRID_INC, .far = find(p, at), .far_address = (uint32_t)at, .value = by};
    check_range(p, f.far, f.far_address, sizeof by);
    if (f.far->dram || f.far_address % sizeof by != 0)
        ts_grid_fault(p, "%s: 0x%x of %s is no word of L1", p->call, (unsigned)f.far_address,
                      f.far->dram ? "a DRAM bank" : "a core");
    p->atomics++;
    send(p, &f);
}

/* The L1 address of a pointer. */
static uint32_t address_of(struct ts_grid_processor *p, volatile uint32_t *at)
{
    uintptr_t base = (uintptr_t)p->core->memory, place = (uintptr_t)at;
    if (place < base + p->core->lowest || place - base > p->core->bytes - sizeof *at || place % sizeof *at != 0)
        ts_grid_fault(p, "%s: the pointer is none into this core's L1; take it from TS_L1(address)", p->call);
    return (uint32_t)(place - base);
}

static void await_semaphore(const char *name, enum ts_grid_wait wait, volatile uint32_t *at, uint32_t value)
{
    struct ts_grid_processor *p = begin(name);
    if (p)
        ts_grid_await(p, wait, address_of(p, at), value);
}

void noc_semaphore_wait(volatile uint32_t *at, uint32_t value)
{
    await_semaphore("noc_semaphore_wait", TS_GRID_WAIT_EQUAL, at, value);
}

void noc_semaphore_wait_min(volatile uint32_t *at, uint32_t value)
{
    await_semaphore("noc_semaphore_wait_min", TS_GRID_WAIT_AT_LEAST, at, value);
}

void noc_semaphore_set(volatile uint32_t *at, uint32_t value)
{
    struct ts_grid_processor *p = begin("noc_semaphore_set");
    if (!p)
        return;
    address_of(p, at);
    *at = value;
}
