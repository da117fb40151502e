/* A small model of a grid of cores, for kernels with noc_calls.h to run on where there is no chip.
 *
 * Kernels are C functions without arguments that make the same dataflow calls as on a device; the program that holds them puts
 * them on processors, runs them and looks at the memory afterwards. Compiled with `tilesight noc-flags` they record through
 * noc_trace.h as they do on a device, and ts_grid_save writes what was recorded for `tilesight noc-decode`.
 *
 * It is a model and no silicon: places are those of a Wormhole chip, times come from the few rules in docs/grid.md. The same
 * kernels on the same grid always take the same cycles and leave the same bytes. Link with -ltilesight_grid -pthread.
 *
 * One source file of the program defines TS_NOC_TRACE_IMPLEMENTATION before it includes this. */
#ifndef TILESIGHT_GRID_H
#define TILESIGHT_GRID_H

#include <tilesight/tilesight.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what the recorder finds on the grid; it has to be known before noc_trace.h is read ---- */

/* Where the state of the running kernel's recorder is. */
void *ts_grid_recorder(void);
/* The running kernel's clock: returns the low word. Each reading takes a cycle, so that no two records share a time. */
uint32_t ts_grid_clock(uint32_t *high);
/* The NoC of the running kernel's processor: BRISC works on NoC 0, NCRISC on NoC 1. */
uint32_t ts_grid_noc(void);

#ifdef __cplusplus
}
#endif

#ifdef TILESIGHT_NOC_TRACE_H
#error "include tilesight/grid.h instead of noc_trace.h or noc_calls.h, or before them"
#endif
#define TS_NOC_RECORDER (*(struct ts_noc_recorder *)ts_grid_recorder())
#define TS_NOC_CLOCK(low, high) ((low) = ts_grid_clock(&(high)))
#ifndef TS_NOC_INDEX
#define TS_NOC_INDEX ts_grid_noc()
#endif
#include <tilesight/noc_calls.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- for kernels, beside the calls of noc_calls.h; only kernels make them ---- */

/* Argument number `index` of this kernel. */
uint32_t get_arg_val(uint32_t index);
/* The L1 address of a semaphore, 0 to 15: a word that is 0 until somebody writes it. */
uint32_t get_semaphore(uint32_t id);
/* A NoC address: x and y as TS_GRID_X and TS_GRID_Y give them. */
uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address);
/* A rectangle of cores. On NoC 1, which flows the other way, it goes from the higher corner to the lower. */
uint64_t get_noc_multicast_addr(uint32_t start_x, uint32_t start_y, uint32_t end_x, uint32_t end_y, uint32_t address);
/* A byte of a DRAM bank. */
uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t offset);
/* Column and row of this core, from 0. */
uint32_t get_absolute_logical_x(void);
uint32_t get_absolute_logical_y(void);
/* Let that many cycles pass: what the kernel computes takes no time of itself. */
void riscv_wait(uint32_t cycles);
/* Inside a loop that polls memory through a pointer: only at calls does anything change. */
void invalidate_l1_cache(void);
/* A pointer to a word of this core's L1, valid as long as the grid. On a device an address is one. */
volatile uint32_t *ts_grid_l1(uint32_t address);
#define TS_L1(address) ts_grid_l1(address)

/* Coordinates of a core, as they go into a NoC address. */
#define TS_GRID_X(column) (18u + (column))
#define TS_GRID_Y(row) (18u + (row))

/* ---- for the program ---- */

enum { TS_GRID_L1_BASE = 0x2000 }; /* what lies below belongs to recorder and semaphores */
enum { TS_GRID_ARGUMENTS = 32 };   /* of one kernel, at most */
enum ts_grid_risc { TS_GRID_BRISC, TS_GRID_NCRISC };

struct ts_grid;
struct ts_grid_tracer;
typedef void (*ts_grid_kernel_fn)(void);

struct ts_grid_options {
    uint32_t columns, rows;              /* of cores: 1 to 8 and 1 to 10 */
    uint32_t banks;                      /* of DRAM, 0 to 12 */
    uint32_t l1_bytes;                   /* of each core; 0: 1 MiB; at most 1464 KiB */
    uint32_t bank_bytes;                 /* 0: 1 MiB; at most 64 MiB */
    uint32_t trace_words;                /* of each processor's trace in DRAM; 0: 12000, as on a device */
    uint32_t patience_ms;                /* processor time a kernel may take between two calls; 0: 5000 */
    uint64_t cycles;                     /* a run ends in an error when it takes more; 0: 100 million */
    const struct ts_grid_tracer *tracer; /* TS_GRID_TRACER */
};
struct ts_grid_place {
    uint32_t column, row;
};

/* What the calls of all runs came to. */
struct ts_grid_totals {
    uint64_t cycles; /* of the grid's clock */
    uint64_t calls;  /* of noc_calls.h, as they were made, traced or not */
    uint64_t lost;   /* records, where traces were full */
};

/* Errors: TS_USAGE (an option out of its range), TS_NO_MEMORY. */
enum ts_status ts_grid_create(const struct ts_grid_options *options, struct ts_grid **out, struct ts_error *error);
/* NULL is fine. A kernel that never came back (see ts_grid_run) leaves the memory it may still touch behind. */
void ts_grid_destroy(struct ts_grid *grid);
/* Put a kernel on a processor for the next run. name: up to 40 letters, digits, '_' and '-', copied; arguments are copied.
 * Errors: TS_USAGE (no such processor, it has a kernel, a name or number of arguments that cannot be). */
enum ts_status ts_grid_launch(struct ts_grid *grid, struct ts_grid_place core, enum ts_grid_risc risc, const char *name,
                              ts_grid_kernel_fn kernel, const uint32_t *arguments, uint32_t count,
                              struct ts_error *error);
/* Run what was launched until all kernels have returned and nothing is on its way. The trace names the run
 * "grid-model-PROGRAM". Errors: TS_REFUSED (a kernel broke a rule, or kernels wait for what never comes; the message says who
 * and where), TS_LIMIT (too many cycles, or a kernel that makes no call), TS_USAGE, TS_NO_MEMORY. After an error the trace
 * holds what was recorded until then, and nothing more can be run. */
enum ts_status ts_grid_run(struct ts_grid *grid, const char *program, struct ts_error *error);
/* A kernel's own zones are known by number; this is the name of one in the trace. */
enum ts_status ts_grid_name_zone(struct ts_grid *grid, uint32_t id, const char *name, struct ts_error *error);
/* Memory of a core or a bank, for the program between runs: a pointer to `bytes` bytes, valid as long as the grid; NULL when
 * they are not all there. */
void *ts_grid_core_memory(struct ts_grid *grid, struct ts_grid_place core, uint32_t address, uint32_t bytes);
void *ts_grid_bank_memory(struct ts_grid *grid, uint32_t bank, uint32_t offset, uint32_t bytes);
struct ts_grid_totals ts_grid_count(const struct ts_grid *grid);
/* Write what was recorded so far, as a raw capture (.tsraw). Errors: TS_USAGE (the program was compiled without tracing),
 * TS_IO, TS_NO_MEMORY. */
enum ts_status ts_grid_save(const struct ts_grid *grid, const char *path, struct ts_error *error);

/* ---- how the grid reaches the recorder that was compiled into the program ---- */

/* A processor's part of the recording. */
struct ts_grid_lane {
    uint32_t *control; /* the core's control vector, TS_GRID_CONTROL_WORDS words */
    uint32_t *buffer;  /* of this processor */
    uint32_t risc, flat_id, x, y, program, capacity;
    uint32_t outer_zone, kernel_zone, flush_zone; /* ids */
    uint32_t sent, lost, dropped;                 /* filled in by count */
};
enum { TS_GRID_CONTROL_WORDS = 64 };
struct ts_grid_tracer {
    uint32_t wire, identity, recorder_bytes;
    void (*begin)(const struct ts_grid_lane *lane);             /* on the processor, before the kernel */
    void (*end)(const struct ts_grid_lane *lane, int returned); /* behind it */
    void (*count)(struct ts_grid_lane *lane);
};
uint32_t ts_noc_port_busy(void);
void ts_noc_port_send(uint32_t word, const uint32_t *words, uint32_t count);

#ifdef PROFILE_NOC_EVENTS
extern const struct ts_grid_tracer ts_grid_tracer;
#define TS_GRID_TRACER (&ts_grid_tracer)
#else
#define TS_GRID_TRACER NULL
#endif

#if defined PROFILE_NOC_EVENTS && defined TS_NOC_TRACE_IMPLEMENTATION
static void ts_grid_trace_begin(const struct ts_grid_lane *lane)
{
    uint32_t host_id = TS_NOC_IDENTITY == 1 ? lane->program : lane->program << 10; /* of device 0 */
    struct ts_noc_setup setup = {lane->buffer,   lane->control,   lane->risc, lane->flat_id, host_id, 0,
                                 lane->capacity, lane->flush_zone};
    lane->control[TS_NOC_DRAM] = 1;
    lane->control[TS_NOC_RUNS] = lane->program - 1;
    lane->control[TS_NOC_X] = lane->x;
    lane->control[TS_NOC_Y] = lane->y;
    lane->control[TS_NOC_FLAT] = lane->flat_id;
    ts_noc_begin(&setup);
    ts_noc_guaranteed(0, lane->outer_zone);
    ts_noc_guaranteed(2, lane->kernel_zone);
}
static void ts_grid_trace_end(const struct ts_grid_lane *lane, int returned)
{
    if (returned) {
        ts_noc_guaranteed(3, lane->kernel_zone);
        ts_noc_guaranteed(1, lane->outer_zone);
    }
    ts_noc_finish();
    ts_noc_send();
}
static void ts_grid_trace_count(struct ts_grid_lane *lane)
{
    lane->sent = lane->control[TS_NOC_HOST_END + lane->risc];
    lane->lost = lane->control[TS_NOC_LOST_WORD(lane->risc)];
    lane->dropped = lane->control[TS_NOC_DROPPED] >> lane->risc & 1u;
}
const struct ts_grid_tracer ts_grid_tracer = {TS_NOC_WIRE,         TS_NOC_IDENTITY,   sizeof(struct ts_noc_recorder),
                                              ts_grid_trace_begin, ts_grid_trace_end, ts_grid_trace_count};
#endif

#ifdef __cplusplus
}
#endif
#endif
