/* What is on its way: reads, writes and increments, as events in a heap.
 *
 * A write leaves its core's outgoing port one flit a cycle, in the order of the calls; its bytes are taken from memory as the last
 * leaves. It crosses the routers, enters the receiver's port behind what came before, and is in memory when its last flit is.
 * The acknowledgement goes the rest of the way round. A read is a request of one flit, answered in the same way from the other
 * side. Ports and DRAM controllers are taken in turn; links between routers are never congested. */
#include <stdlib.h>
#include <string.h>

#include "grid/model.h"

static bool earlier(const struct ts_grid_flight *a, const struct ts_grid_flight *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static bool push(struct ts_grid *grid, const struct ts_grid_flight *flight)
{
    if (grid->flight_count == grid->flight_room) {
        uint32_t room = grid->flight_room ? 2 * grid->flight_room : 64;
        struct ts_grid_flight *more = realloc(grid->flights, room * sizeof *more);
        if (!more)
            return false;
        grid->flights = more;
        grid->flight_room = room;
    }
    struct ts_grid_flight moved = *flight;
    moved.number = grid->flight_number++;
    uint32_t at = grid->flight_count++;
    for (; at > 0 && earlier(&moved, &grid->flights[(at - 1) / 2]); at = (at - 1) / 2)
        grid->flights[at] = grid->flights[(at - 1) / 2];
    grid->flights[at] = moved;
    return true;
}

static struct ts_grid_flight pop(struct ts_grid *grid)
{
    struct ts_grid_flight first = grid->flights[0], last = grid->flights[--grid->flight_count];
    uint32_t at = 0, count = grid->flight_count;
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && earlier(&grid->flights[child + 1], &grid->flights[child]))
            child++;
        if (!earlier(&grid->flights[child], &last))
            break;
        grid->flights[at] = grid->flights[child];
    }
    grid->flights[at] = last;
    return first;
}

static void release(struct ts_grid_flight *flight)
{
    if (flight->payload && --flight->payload->users == 0)
        free(flight->payload);
    flight->payload = NULL;
}

uint64_t ts_grid_flight_next(const struct ts_grid *grid)
{
    return grid->flight_count ? grid->flights[0].time : UINT64_MAX;
}

void ts_grid_flight_clear(struct ts_grid *grid)
{
    for (uint32_t i = 0; i < grid->flight_count; i++)
        release(&grid->flights[i]);
    grid->flight_count = 0;
}

uint32_t ts_grid_flight_flits(uint32_t size)
{
    return (size + TS_GRID_FLIT - 1) / TS_GRID_FLIT + (size ? (size + TS_GRID_PACKET - 1) / TS_GRID_PACKET : 1);
}

/* ---- ports, wires and memories ---- */

/* Take `cycles` of something that is used by one at a time; returns when they are over. */
static uint64_t take(uint64_t *free_at, uint64_t from, uint32_t cycles)
{
    *free_at = (*free_at > from ? *free_at : from) + cycles;
    return *free_at;
}

static uint64_t wire(const struct ts_grid_flight *f, const struct ts_grid_node *from, const struct ts_grid_node *to)
{
    return 2 * TS_GRID_NIU + TS_GRID_HOP * (uint64_t)ts_grid_floor_hops(f->noc, from, to);
}

static uint64_t dram(const struct ts_grid_flight *f, uint64_t from)
{
    return take(f->far->bank_free, from, (f->size + TS_GRID_DRAM_RATE - 1) / TS_GRID_DRAM_RATE);
}

/* The bytes as they are now. */
static bool pick_up(struct ts_grid_flight *f, const struct ts_grid_node *from, uint32_t address)
{
    f->payload = malloc(sizeof *f->payload + f->size);
    if (!f->payload)
        return false;
    f->payload->users = 1;
    memcpy(f->payload->bytes, from->memory + address, f->size);
    return true;
}

static bool again(struct ts_grid *grid, struct ts_grid_flight *f, enum ts_grid_phase phase, uint64_t time)
{
    f->phase = phase;
    f->time = time;
    if (push(grid, f))
        return true;
    release(f);
    return false;
}

/* ---- what happens ---- */

/* One flight to each receiver, sharing the bytes. */
static bool spread(struct ts_grid *grid, struct ts_grid_flight *f)
{
    struct ts_grid_node *core = f->owner->core;
    bool good = true;
    for (uint32_t row = f->corner[1]; row <= f->corner[3]; row++) {
        for (uint32_t column = f->corner[0]; column <= f->corner[2]; column++) {
            struct ts_grid_flight one = *f;
            one.far = &grid->nodes[row * grid->options.columns + column];
            if (one.far == core && !f->loopback)
                continue;
            one.payload->users++;
            good = good && again(grid, &one, TS_GRID_ARRIVE, f->time + wire(&one, core, one.far));
        }
    }
    release(f);
    return good;
}

/* The last flit has left the sender. */
static bool leave(struct ts_grid *grid, struct ts_grid_flight *f)
{
    struct ts_grid_processor *p = f->owner;
    struct ts_grid_node *core = p->core;
    if (f->kind == TS_GRID_READ)
        return pick_up(f, f->far, f->far_address) && again(grid, f, TS_GRID_ARRIVE, f->time + wire(f, f->far, core));
    if (f->kind == TS_GRID_WRITE) {
        p->unsent[f->trid]--;
        if (!pick_up(f, core, f->near_address))
            return false;
    }
    if (f->multicast)
        return spread(grid, f);
    return again(grid, f, TS_GRID_ARRIVE, f->time + wire(f, core, f->far));
}

/* It has come to the receiver's port, which takes it in behind all that came before. */
static bool arrive(struct ts_grid *grid, struct ts_grid_flight *f)
{
    struct ts_grid_node *receiver = f->kind == TS_GRID_READ ? f->owner->core : f->far;
    uint32_t flits = ts_grid_flight_flits(f->size);
    uint64_t landed = take(&receiver->in_free[f->noc], f->time - flits, flits);
    if (receiver->dram)
        landed = dram(f, landed);
    return again(grid, f, TS_GRID_LAND, landed);
}

static bool land(struct ts_grid *grid, struct ts_grid_flight *f)
{
    struct ts_grid_processor *p = f->owner;
    if (f->kind == TS_GRID_READ) {
        memcpy(p->core->memory + f->near_address, f->payload->bytes, f->size);
        p->reads[f->trid]--;
        release(f);
        return true;
    }
    if (f->kind == TS_GRID_WRITE)
        memcpy(f->far->memory + f->far_address, f->payload->bytes, f->size);
    else
        *(uint32_t *)(void *)(f->far->memory + f->far_address) += f->value;
    release(f);
    return again(grid, f, TS_GRID_ACK, f->time + 1 + wire(f, f->far, p->core));
}

/* A read's request is at the other side, which answers when the bytes are at hand and its port is free. */
static bool answer(struct ts_grid *grid, struct ts_grid_flight *f)
{
    uint64_t ready = f->far->dram ? dram(f, f->time) + TS_GRID_DRAM : f->time;
    return again(grid, f, TS_GRID_LEAVE, take(&f->far->out_free[f->noc], ready, ts_grid_flight_flits(f->size)));
}

bool ts_grid_flight_step(struct ts_grid *grid)
{
    struct ts_grid_flight f = pop(grid);
    grid->now = f.time;
    switch (f.phase) {
    case TS_GRID_REQUEST:
        return answer(grid, &f);
    case TS_GRID_LEAVE:
        return leave(grid, &f);
    case TS_GRID_ARRIVE:
        return arrive(grid, &f);
    case TS_GRID_LAND:
        return land(grid, &f);
    case TS_GRID_ACK:
        break;
    }
    if (f.kind == TS_GRID_WRITE)
        f.owner->unacknowledged--;
    else
        f.owner->atomics--;
    return true;
}

bool ts_grid_flight_send(struct ts_grid *grid, struct ts_grid_flight *f)
{
    struct ts_grid_processor *p = f->owner;
    bool read = f->kind == TS_GRID_READ;
    uint64_t left = take(&p->core->out_free[f->noc], p->time, ts_grid_flight_flits(read ? 0 : f->size));
    f->payload = NULL;
    if (read)
        return again(grid, f, TS_GRID_REQUEST, left + wire(f, p->core, f->far));
    return again(grid, f, TS_GRID_LEAVE, left);
}
