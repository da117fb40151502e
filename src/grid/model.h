/* The inside of the grid: cores, DRAM banks, what is on its way between them, and the processors that run kernels.
 *
 * Each processor has a thread, but only the one whose turn it is runs: the one furthest behind in simulated time. What has been
 * sent is an event in a queue; all events up to a processor's time have happened when it runs. So the outcome depends on nothing
 * but the kernels, and no two threads ever touch the model at once. */
#ifndef TS_GRID_MODEL_H
#define TS_GRID_MODEL_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <tilesight/tilesight.h>

#define TS_NOC_CALLS_BARE
#include <tilesight/grid.h>

/* The latency model, in cycles; docs/grid.md says where each figure is from. */
enum {
    TS_GRID_CALL = 30,      /* a call keeps its processor busy */
    TS_GRID_POLL = 10,      /* looking at a word of L1 once */
    TS_GRID_NIU = 5,        /* between a network interface and its router, each way */
    TS_GRID_HOP = 9,        /* from a router to its neighbour */
    TS_GRID_FLIT = 32,      /* bytes on a link in one cycle */
    TS_GRID_PACKET = 8192,  /* bytes behind one header flit */
    TS_GRID_DRAM = 100,     /* until a read's first byte comes out of DRAM */
    TS_GRID_DRAM_RATE = 24, /* bytes of a DRAM controller in one cycle */
    TS_GRID_GAP = 1000,     /* between two runs */
};

enum {
    TS_GRID_COLUMNS = 8,
    TS_GRID_ROWS = 10,
    TS_GRID_BANKS = 12,
    TS_GRID_RISCS = 2,
    TS_GRID_NOCS = 2,
    TS_GRID_TRIDS = 16,
    TS_GRID_NAME = 41,
    TS_GRID_PROGRAMS = 1000,
    TS_GRID_ZONES = 256,
};

/* L1 below TS_GRID_L1_BASE. */
enum {
    TS_GRID_L1_CONTROL = 0,
    TS_GRID_L1_BUFFERS = 4 * TS_GRID_CONTROL_WORDS,
    TS_GRID_L1_SEMAPHORES = 0x1800, /* the first address that kernels may touch */
    TS_GRID_SEMAPHORES = 16,
    TS_GRID_SEMAPHORE_STEP = 16,
};

/* What the NoCs lead to: a core or a DRAM bank. */
struct ts_grid_node {
    unsigned char *memory;
    uint32_t bytes, lowest; /* addresses that kernels may touch */
    bool dram;
    uint32_t number;                                        /* of a bank; of a core row * columns + column */
    uint32_t x, y;                                          /* on the chip */
    uint64_t out_free[TS_GRID_NOCS], in_free[TS_GRID_NOCS]; /* when the port has sent, or taken in, all before */
    uint64_t *bank_free;                                    /* of a bank: the same of its controller */
};

enum ts_grid_kind { TS_GRID_READ, TS_GRID_WRITE, TS_GRID_INC };
/* What happens next to a flight: its words leave the sender, come in, are in memory, and the sender learns of it. */
enum ts_grid_phase { TS_GRID_REQUEST, TS_GRID_LEAVE, TS_GRID_ARRIVE, TS_GRID_LAND, TS_GRID_ACK };

struct ts_grid_payload {
    uint32_t users;
    unsigned char bytes[];
};
struct ts_grid_processor;
struct ts_grid_flight {
    uint64_t time, number; /* equal times: in the order in which they were sent */
    enum ts_grid_phase phase;
    enum ts_grid_kind kind;
    struct ts_grid_processor *owner;
    struct ts_grid_node *far;
    uint32_t noc, near_address, far_address, size, trid, value;
    uint32_t corner[4]; /* of a multicast: lowest column and row, highest column and row */
    bool multicast, loopback;
    struct ts_grid_payload *payload;
};

enum ts_grid_wait {
    TS_GRID_NO_WAIT,
    TS_GRID_WAIT_READS,
    TS_GRID_WAIT_READS_TRID,
    TS_GRID_WAIT_SENT,
    TS_GRID_WAIT_SENT_TRID,
    TS_GRID_WAIT_WRITES,
    TS_GRID_WAIT_ATOMICS,
    TS_GRID_WAIT_ALL,
    TS_GRID_WAIT_EQUAL,
    TS_GRID_WAIT_AT_LEAST,
};
enum ts_grid_life { TS_GRID_IDLE, TS_GRID_LAUNCHED, TS_GRID_ALIVE, TS_GRID_ENDED };

struct ts_grid_state { /* what a ..._set_state call leaves for the calls behind it */
    struct ts_grid_node *node;
    uint32_t size;
};

struct ts_grid_processor {
    struct ts_grid *grid;
    struct ts_grid_node *core;
    uint32_t column, row, noc;
    enum ts_grid_life life;
    char name[TS_GRID_NAME];
    ts_grid_kernel_fn kernel;
    uint32_t arguments[TS_GRID_ARGUMENTS], argument_count;

    pthread_t thread;
    pthread_cond_t turn;
    jmp_buf end;
    uintptr_t stack; /* where its own begins; it grows towards 0 */
    uint64_t time;
    const char *call; /* the one it is in, or made last */

    enum ts_grid_wait wait;
    uint32_t wait_address, wait_value; /* of a semaphore; of a transaction id the value */
    uint32_t reads[TS_GRID_TRIDS], unsent[TS_GRID_TRIDS], unacknowledged, atomics;
    uint32_t read_trid, write_trid;
    struct ts_grid_state read_state, write_state;

    struct ts_grid_lane lane;
    void *recorder;
    uint32_t *trace;          /* this processor's region in DRAM */
    bool recorded, recording; /* ever; now */
};

struct ts_grid_name {
    uint32_t id;
    char text[TS_GRID_NAME];
};

struct ts_grid {
    struct ts_grid_options options;
    struct ts_grid_node *nodes; /* cores by row and column, then banks */
    uint32_t core_count, node_count;
    uint64_t controller_free[TS_GRID_BANKS / 2];
    struct ts_grid_processor *processors; /* two a core */
    uint32_t processor_count;

    uint64_t now;
    struct ts_grid_flight *flights; /* a heap, the earliest first */
    uint32_t flight_count, flight_room;
    uint64_t flight_number, begun;

    pthread_mutex_t lock;
    pthread_cond_t idle;
    struct ts_grid_processor *turn; /* NULL: the program's */
    atomic_uint_fast64_t progress;  /* calls made, for the program's watch */
    bool failed;
    atomic_bool stuck; /* a kernel never came back: nothing is touched any more */
    struct ts_error fault;

    struct ts_grid_name programs[TS_GRID_PROGRAMS], zones[TS_GRID_ZONES];
    uint32_t program_count, zone_count;
    uint64_t calls;
};

/* Set an error; returns code. */
enum ts_status ts_grid_error(struct ts_error *error, enum ts_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* floor.c: where things stand. */
void ts_grid_floor_lay(struct ts_grid *grid);
/* Routers passed on the way; each NoC is a one-way torus. */
uint32_t ts_grid_floor_hops(uint32_t noc, const struct ts_grid_node *from, const struct ts_grid_node *to);
/* What stands at coordinates of a NoC address; NULL: nothing. */
struct ts_grid_node *ts_grid_floor_find(struct ts_grid *grid, uint32_t noc, uint32_t x, uint32_t y);

/* flight.c: what is on its way. */
/* Send a flight whose fields from kind to loopback are set. False: memory is out. */
bool ts_grid_flight_send(struct ts_grid *grid, struct ts_grid_flight *flight);
/* When the next thing happens; UINT64_MAX: never. */
uint64_t ts_grid_flight_next(const struct ts_grid *grid);
/* Let it happen. False: memory is out. */
bool ts_grid_flight_step(struct ts_grid *grid);
/* Forget all. */
void ts_grid_flight_clear(struct ts_grid *grid);
/* Cycles until a transfer of `size` bytes has left: a header for each packet, and the data. */
uint32_t ts_grid_flight_flits(uint32_t size);

/* save.c: the ids of the zones that every kernel has. */
void ts_grid_save_zones(struct ts_grid_lane *lane);

/* schedule.c: whose turn it is. */
/* The processor whose kernel this thread runs; NULL outside of kernels. */
struct ts_grid_processor *ts_grid_current(void);
/* Let all that is earlier than this processor happen. */
void ts_grid_yield(struct ts_grid_processor *p);
/* The same until what it waits for is there. */
void ts_grid_await(struct ts_grid_processor *p, enum ts_grid_wait wait, uint32_t address, uint32_t value);
/* End the run because of this processor's kernel. */
_Noreturn void ts_grid_fault(struct ts_grid_processor *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same because memory is out. */
_Noreturn void ts_grid_fault_memory(struct ts_grid_processor *p);
/* Run everything that was launched to its end. */
enum ts_status ts_grid_schedule(struct ts_grid *grid, struct ts_error *error);

#endif
