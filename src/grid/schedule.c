/* Whose turn it is. Kernels run on threads of their own, of which one has the turn: it runs until it makes a call, and whoever
 * then is earliest in simulated time goes on. What was sent arrives between turns. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "grid/model.h"

enum { WATCH_MS = 50, STACK = 1024 * 1024, STACK_KEPT = 128 * 1024, LISTED = 8 };

/* The calls of a kernel name no grid: it is that of the thread. */
static _Thread_local struct ts_grid_processor *current;

struct ts_grid_processor *ts_grid_current(void)
{
    return current;
}

/* ---- what ends a run ---- */

/* The first failure counts. */
__attribute__((format(printf, 3, 4))) static void fail(struct ts_grid *grid, enum ts_status code, const char *format,
                                                       ...)
{
    va_list arguments;
    if (grid->failed)
        return;
    grid->failed = true;
    grid->fault.code = code;
    va_start(arguments, format);
    vsnprintf(grid->fault.message, sizeof grid->fault.message, format, arguments);
    va_end(arguments);
}

static const char *risc_name(const struct ts_grid_processor *p)
{
    return p->lane.risc == TS_GRID_BRISC ? "BRISC" : "NCRISC";
}

void ts_grid_fault(struct ts_grid_processor *p, const char *format, ...)
{
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail(p->grid, TS_REFUSED, "kernel '%s' on core (%u,%u), %s, cycle %llu: %s", p->name, (unsigned)p->column,
         (unsigned)p->row, risc_name(p), (unsigned long long)p->time, what);
    longjmp(p->end, 1);
}

static const char no_memory[] = "out of memory for what is on its way";

void ts_grid_fault_memory(struct ts_grid_processor *p)
{
    fail(p->grid, TS_NO_MEMORY, "%s", no_memory);
    longjmp(p->end, 1);
}

/* Nothing is on its way and nobody can go on: only semaphores are waited for so long. */
static void deadlock(struct ts_grid *grid)
{
    char text[TS_ERROR_MESSAGE_MAX - 200];
    size_t used = 0;
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < grid->processor_count; i++) {
        const struct ts_grid_processor *p = &grid->processors[i];
        if (p->life != TS_GRID_ALIVE || waiting++ >= LISTED)
            continue;
        uint32_t value;
        memcpy(&value, p->core->memory + p->wait_address, sizeof value);
        int len = snprintf(text + used, sizeof text - used,
                           "%s'%s' on core (%u,%u), %s, waits in %s for the word at 0x%x to be %s%u, and it is %u",
                           waiting > 1 ? "; " : "", p->name, (unsigned)p->column, (unsigned)p->row, risc_name(p),
                           p->call, (unsigned)p->wait_address, p->wait == TS_GRID_WAIT_EQUAL ? "" : "at least ",
                           (unsigned)p->wait_value, (unsigned)value);
        used += len > 0 ? (size_t)len : 0;
    }
    if (waiting > LISTED)
        snprintf(text + used, sizeof text - used, "; and %u more", (unsigned)(waiting - LISTED));
    fail(grid, TS_REFUSED, "deadlock at cycle %llu, nothing is on its way: %s", (unsigned long long)grid->now, text);
}

/* ---- whose turn ---- */

static bool none(const uint32_t *counts)
{
    uint32_t sum = 0;
    for (int i = 0; i < TS_GRID_TRIDS; i++)
        sum += counts[i];
    return sum == 0;
}

/* Whether what it waits for is there. */
static bool ready(const struct ts_grid_processor *p)
{
    uint32_t value;
    switch (p->wait) {
    case TS_GRID_NO_WAIT:
        return true;
    case TS_GRID_WAIT_READS:
        return none(p->reads);
    case TS_GRID_WAIT_READS_TRID:
        return p->reads[p->wait_value] == 0;
    case TS_GRID_WAIT_SENT:
        return none(p->unsent);
    case TS_GRID_WAIT_SENT_TRID:
        return p->unsent[p->wait_value] == 0;
    case TS_GRID_WAIT_WRITES:
        return p->unacknowledged == 0;
    case TS_GRID_WAIT_ATOMICS:
        return p->atomics == 0;
    case TS_GRID_WAIT_ALL:
        return none(p->reads) && p->unacknowledged == 0 && p->atomics == 0;
    case TS_GRID_WAIT_EQUAL:
    case TS_GRID_WAIT_AT_LEAST:
        break;
    }
    memcpy(&value, p->core->memory + p->wait_address, sizeof value);
    return p->wait == TS_GRID_WAIT_EQUAL ? value == p->wait_value : value >= p->wait_value;
}

/* The earliest that can go on; waits that are over end at the time it is now. */
static struct ts_grid_processor *earliest(struct ts_grid *grid, bool *alive)
{
    struct ts_grid_processor *first = NULL;
    for (uint32_t i = 0; i < grid->processor_count; i++) {
        struct ts_grid_processor *p = &grid->processors[i];
        if (p->life != TS_GRID_ALIVE)
            continue;
        *alive = true;
        if (!ready(p))
            continue;
        if (p->wait != TS_GRID_NO_WAIT) {
            p->wait = TS_GRID_NO_WAIT;
            p->time = (p->time > grid->now ? p->time : grid->now) + TS_GRID_POLL;
        }
        if (!first || p->time < first->time)
            first = p;
    }
    return first;
}

/* Let what is on its way happen until a processor is the earliest. NULL: all is over. After a failure each gets its turn once
 * more, to end. */
static struct ts_grid_processor *choose(struct ts_grid *grid)
{
    while (!grid->failed) {
        bool alive = false;
        struct ts_grid_processor *first = earliest(grid, &alive);
        uint64_t event = ts_grid_flight_next(grid), next = first && first->time < event ? first->time : event;
        if (next == UINT64_MAX && !alive)
            return NULL;
        if (next == UINT64_MAX) {
            deadlock(grid);
        } else if (next - grid->begun > grid->options.cycles) {
            fail(grid, TS_LIMIT, "the kernels have not ended after %llu cycles; `cycles` in the options allows more",
                 (unsigned long long)grid->options.cycles);
        } else if (next < event) {
            grid->now = next;
            return first;
        } else if (!ts_grid_flight_step(grid)) {
            fail(grid, TS_NO_MEMORY, "%s", no_memory);
        }
    }
    for (uint32_t i = 0; i < grid->processor_count; i++)
        if (grid->processors[i].life == TS_GRID_ALIVE)
            return &grid->processors[i];
    return NULL;
}

static void give_turn(struct ts_grid *grid, struct ts_grid_processor *next)
{
    pthread_mutex_lock(&grid->lock);
    grid->turn = next;
    pthread_cond_signal(next ? &next->turn : &grid->idle);
    pthread_mutex_unlock(&grid->lock);
}

static void await_turn(struct ts_grid_processor *p)
{
    pthread_mutex_lock(&p->grid->lock);
    while (p->grid->turn != p)
        pthread_cond_wait(&p->turn, &p->grid->lock);
    pthread_mutex_unlock(&p->grid->lock);
}

/* A stack that overflows would end the program without a word. What is kept is for the run's end: its message, the last flush. */
static void check_stack(struct ts_grid_processor *p)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (p->stack - here > STACK - STACK_KEPT)
        ts_grid_fault(p,
                      "%s: %d of its %d KiB of stack are in use: does it call itself without end, or hold there what "
                      "belongs into L1?",
                      p->call, (int)((p->stack - here) / 1024), STACK / 1024);
}

void ts_grid_yield(struct ts_grid_processor *p)
{
    struct ts_grid *grid = p->grid;
    if (atomic_load(&grid->stuck))
        longjmp(p->end, 1);
    check_stack(p);
    atomic_fetch_add_explicit(&grid->progress, 1, memory_order_relaxed);
    struct ts_grid_processor *next = choose(grid);
    if (next != p) {
        give_turn(grid, next);
        await_turn(p);
    }
    if (grid->failed)
        longjmp(p->end, 1);
}

void ts_grid_await(struct ts_grid_processor *p, enum ts_grid_wait wait, uint32_t address, uint32_t value)
{
    p->wait = wait;
    p->wait_address = address;
    p->wait_value = value;
    ts_grid_yield(p);
}

/* ---- a kernel's life ---- */

static void check_nothing_left(struct ts_grid_processor *p)
{
    const char *left = !none(p->reads) ? "reads" : p->unacknowledged ? "writes" : p->atomics ? "increments" : NULL;
    const char *cure = !none(p->reads)     ? "noc_async_read_barrier"
                       : p->unacknowledged ? "noc_async_write_barrier"
                                           : "noc_async_atomic_barrier";
    if (left)
        ts_grid_fault(p, "it returned while %s of it were on their way; end it with %s", left, cure);
}

static void live(struct ts_grid_processor *p)
{
    const struct ts_grid_tracer *tracer = p->grid->options.tracer;
    if (tracer) {
        tracer->begin(&p->lane);
        p->recorded = p->recording = true;
    }
    p->kernel();
    p->call = "its end";
    p->time += TS_GRID_CALL;
    ts_grid_yield(p);
    check_nothing_left(p);
    p->recording = false;
    if (tracer)
        tracer->end(&p->lane, 1);
}

static void *run_kernel(void *data)
{
    struct ts_grid_processor *p = data;
    struct ts_grid *grid = p->grid;
    current = p;
    p->stack = (uintptr_t)__builtin_frame_address(0);
    await_turn(p);
    if (setjmp(p->end) == 0) {
        if (!grid->failed)
            live(p);
    } else if (atomic_load(&grid->stuck)) {
        return NULL;
    }
    /* Of a kernel that was ended: what it recorded. */
    if (p->recording)
        grid->options.tracer->end(&p->lane, 0);
    p->recording = false;
    p->life = TS_GRID_ENDED;
    give_turn(grid, choose(grid));
    return NULL;
}

/* Processor time of the thread whose turn it is, in milliseconds. */
static int64_t spent(const struct ts_grid_processor *p)
{
    clockid_t clock;
    struct timespec time;
    if (pthread_getcpuclockid(p->thread, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Wait until the turn is the program's again. False: a kernel has kept it too long without a call. */
static bool watch(struct ts_grid *grid, struct ts_error *error)
{
    const struct ts_grid_processor *seen = NULL;
    uint64_t progress = 0;
    int64_t since = 0;
    bool good = true;
    pthread_mutex_lock(&grid->lock);
    while (grid->turn && good) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += WATCH_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&grid->idle, &grid->lock, &until);
        const struct ts_grid_processor *p = grid->turn;
        uint64_t now = atomic_load(&grid->progress);
        if (!p || p != seen || now != progress) {
            seen = p;
            progress = now;
            since = p ? spent(p) : 0;
        } else if (spent(p) - since > grid->options.patience_ms) {
            ts_grid_error(error, TS_LIMIT,
                          "kernel '%s' on core (%u,%u), %s, has made no call for %u ms of processor time. A loop that "
                          "polls memory needs invalidate_l1_cache() in it. Its thread cannot be ended: end the program",
                          p->name, (unsigned)p->column, (unsigned)p->row, risc_name(p),
                          (unsigned)grid->options.patience_ms);
            atomic_store(&grid->stuck, true);
            good = false;
        }
    }
    pthread_mutex_unlock(&grid->lock);
    return good;
}

static int start(struct ts_grid_processor *p)
{
    pthread_attr_t attributes;
    int failure = pthread_attr_init(&attributes);
    if (failure)
        return failure;
    pthread_attr_setstacksize(&attributes, STACK);
    failure = pthread_create(&p->thread, &attributes, run_kernel, p);
    pthread_attr_destroy(&attributes);
    return failure;
}

enum ts_status ts_grid_schedule(struct ts_grid *grid, struct ts_error *error)
{
    uint32_t started = 0;
    for (; started < grid->processor_count && !grid->failed; started++) {
        struct ts_grid_processor *p = &grid->processors[started];
        int failure = p->life == TS_GRID_LAUNCHED ? start(p) : 0;
        if (failure)
            fail(grid, TS_LIMIT, "no thread could be started for kernel '%s': %s", p->name, strerror(failure));
        else if (p->life == TS_GRID_LAUNCHED)
            p->life = TS_GRID_ALIVE;
    }
    give_turn(grid, choose(grid));
    bool good = watch(grid, error);
    for (uint32_t i = 0; i < grid->processor_count; i++) {
        struct ts_grid_processor *p = &grid->processors[i];
        if (p->life == TS_GRID_IDLE || p->life == TS_GRID_LAUNCHED)
            continue;
        if (good)
            pthread_join(p->thread, NULL);
        else
            pthread_detach(p->thread);
    }
    ts_grid_flight_clear(grid);
    if (good && grid->failed)
        return ts_grid_error(error, grid->fault.code, "%s", grid->fault.message);
    return good ? TS_OK : TS_LIMIT;
}
