/* The grid as the program sees it: made, given kernels, run, looked into. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid/model.h"

enum { MIB = 1024 * 1024, L1_MOST = 1464 * 1024, BANK_MOST = 64 * MIB, TRACE_LEAST = 1024, TRACE_MOST = 16 * MIB };

enum ts_status ts_grid_error(struct ts_error *error, enum ts_status code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    for (char *at = error->message; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7F)
            *at = '?';
    return code;
}

static enum ts_status no_memory(struct ts_error *error)
{
    return ts_grid_error(error, TS_NO_MEMORY, "out of memory for the grid; give it fewer cores or less memory");
}

/* ---- making one ---- */

struct option {
    const char *name;
    uint32_t least, most, usual; /* 0 means usual, where there is one */
    size_t at;
};
#define OPTION(name, least, most, usual) #name, least, most, usual, offsetof(struct ts_grid_options, name)
static const struct option known[] = {
    {OPTION(columns, 1, TS_GRID_COLUMNS, 0)}, {OPTION(rows, 1, TS_GRID_ROWS, 0)},
    {OPTION(banks, 0, TS_GRID_BANKS, 0)},     {OPTION(l1_bytes, 2 * TS_GRID_L1_BASE, L1_MOST, MIB)},
    {OPTION(bank_bytes, 32, BANK_MOST, MIB)}, {OPTION(trace_words, TRACE_LEAST, TRACE_MOST, 12000)},
    {OPTION(patience_ms, 1, 3600000, 5000)},
};

static enum ts_status check_options(struct ts_grid_options *options, struct ts_error *error)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint32_t *value = (uint32_t *)(void *)((char *)options + known[i].at);
        if (*value == 0)
            *value = known[i].usual;
        if (*value < known[i].least || *value > known[i].most)
            return ts_grid_error(error, TS_USAGE, "the grid's option %s is %u; it goes from %u to %u", known[i].name,
                                 (unsigned)*value, (unsigned)known[i].least, (unsigned)known[i].most);
    }
    /* Words and DRAM's alignment. */
    options->l1_bytes &= ~31u;
    options->bank_bytes &= ~31u;
    if (options->cycles == 0)
        options->cycles = 100000000;
    return TS_OK;
}

static bool make_processor(struct ts_grid *grid, uint32_t number)
{
    const struct ts_grid_options *o = &grid->options;
    struct ts_grid_processor *p = &grid->processors[number];
    uint32_t core = number / TS_GRID_RISCS, risc = number % TS_GRID_RISCS;
    p->grid = grid;
    p->core = &grid->nodes[core];
    p->column = core % o->columns;
    p->row = core / o->columns;
    p->noc = risc;
    unsigned char *buffers = p->core->memory + TS_GRID_L1_BUFFERS;
    p->lane = (struct ts_grid_lane){.risc = risc, .flat_id = core, .x = p->core->x, .y = p->core->y};
    p->lane.capacity = o->trace_words;
    ts_grid_save_zones(&p->lane);
    p->lane.control = (uint32_t *)(void *)(p->core->memory + TS_GRID_L1_CONTROL);
    p->lane.buffer = (uint32_t *)(void *)buffers + risc * TS_NOC_BUFFER_WORDS;
    if (o->tracer) {
        p->recorder = calloc(1, o->tracer->recorder_bytes);
        p->trace = calloc(o->trace_words, sizeof *p->trace);
    }
    return !o->tracer || (p->recorder && p->trace);
}

static bool make_parts(struct ts_grid *grid)
{
    const struct ts_grid_options *o = &grid->options;
    uint32_t cores = o->columns * o->rows;
    grid->nodes = calloc(cores + o->banks, sizeof *grid->nodes);
    grid->processors = calloc(cores * TS_GRID_RISCS, sizeof *grid->processors);
    if (!grid->nodes || !grid->processors)
        return false;
    grid->core_count = cores;
    grid->node_count = cores + o->banks;
    ts_grid_floor_lay(grid);
    for (uint32_t i = 0; i < grid->node_count; i++)
        if (!(grid->nodes[i].memory = calloc(grid->nodes[i].bytes, 1)))
            return false;
    for (uint32_t i = 0; i < cores * TS_GRID_RISCS; i++) {
        pthread_cond_init(&grid->processors[i].turn, NULL);
        grid->processor_count++;
        if (!make_processor(grid, i))
            return false;
    }
    return true;
}

enum ts_status ts_grid_create(const struct ts_grid_options *options, struct ts_grid **out, struct ts_error *error)
{
    struct ts_grid *grid = calloc(1, sizeof *grid);
    if (!grid)
        return no_memory(error);
    grid->options = *options;
    enum ts_status status = check_options(&grid->options, error);
    if (status != TS_OK) {
        free(grid);
        return status;
    }
    pthread_mutex_init(&grid->lock, NULL);
    pthread_cond_init(&grid->idle, NULL);
    if (!make_parts(grid)) {
        ts_grid_destroy(grid);
        return no_memory(error);
    }
    *out = grid;
    return TS_OK;
}

void ts_grid_destroy(struct ts_grid *grid)
{
    if (!grid || atomic_load(&grid->stuck))
        return;
    ts_grid_flight_clear(grid);
    for (uint32_t i = 0; i < grid->processor_count; i++) {
        pthread_cond_destroy(&grid->processors[i].turn);
        free(grid->processors[i].recorder);
        free(grid->processors[i].trace);
    }
    for (uint32_t i = 0; i < grid->node_count; i++)
        free(grid->nodes[i].memory);
    pthread_cond_destroy(&grid->idle);
    pthread_mutex_destroy(&grid->lock);
    free(grid->flights);
    free(grid->processors);
    free(grid->nodes);
    free(grid);
}

/* ---- kernels ---- */

static bool is_name(const char *text)
{
    size_t good = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return good > 0 && good < TS_GRID_NAME && text[good] == '\0';
}

static enum ts_status check_name(const char *text, struct ts_error *error)
{
    if (is_name(text))
        return TS_OK;
    return ts_grid_error(error, TS_USAGE, "'%.60s' is no name: up to %d letters, digits, '_' and '-'", text,
                         TS_GRID_NAME - 1);
}

static enum ts_status usable(const struct ts_grid *grid, struct ts_error *error)
{
    if (!grid->failed && !atomic_load(&grid->stuck))
        return TS_OK;
    return ts_grid_error(error, TS_USAGE, "a run of this grid failed: make another grid to run more");
}

enum ts_status ts_grid_launch(struct ts_grid *grid, struct ts_grid_place core, enum ts_grid_risc risc, const char *name,
                              ts_grid_kernel_fn kernel, const uint32_t *arguments, uint32_t count,
                              struct ts_error *error)
{
    const struct ts_grid_options *o = &grid->options;
    enum ts_status status = usable(grid, error);
    if (status == TS_OK)
        status = check_name(name, error);
    if (status != TS_OK)
        return status;
    if (core.column >= o->columns || core.row >= o->rows || (risc != TS_GRID_BRISC && risc != TS_GRID_NCRISC))
        return ts_grid_error(
            error, TS_USAGE, "kernel '%s': there is no processor %d of core (%u,%u); the grid has %ux%u", name,
            (int)risc, (unsigned)core.column, (unsigned)core.row, (unsigned)o->columns, (unsigned)o->rows);
    struct ts_grid_processor *p =
        &grid->processors[(core.row * o->columns + core.column) * TS_GRID_RISCS + (uint32_t)risc];
    if (p->life == TS_GRID_LAUNCHED)
        return ts_grid_error(error, TS_USAGE, "kernel '%s': its processor of core (%u,%u) has kernel '%s' already",
                             name, (unsigned)core.column, (unsigned)core.row, p->name);
    if (count > TS_GRID_ARGUMENTS)
        return ts_grid_error(error, TS_USAGE, "kernel '%s': %u arguments are more than %d", name, (unsigned)count,
                             TS_GRID_ARGUMENTS);
    snprintf(p->name, sizeof p->name, "%s", name);
    p->kernel = kernel;
    p->argument_count = count;
    if (count)
        memcpy(p->arguments, arguments, count * sizeof *arguments);
    p->life = TS_GRID_LAUNCHED;
    return TS_OK;
}

/* A processor as firmware leaves it for a kernel. */
static void prepare(struct ts_grid_processor *p)
{
    p->time = p->grid->now;
    p->call = "its start";
    p->wait = TS_GRID_NO_WAIT;
    p->read_trid = p->write_trid = 0;
    p->read_state = p->write_state = (struct ts_grid_state){NULL, 0};
    p->lane.program = p->grid->program_count;
}

enum ts_status ts_grid_run(struct ts_grid *grid, const char *program, struct ts_error *error)
{
    enum ts_status status = usable(grid, error);
    if (status == TS_OK)
        status = check_name(program, error);
    if (status == TS_OK && grid->program_count == TS_GRID_PROGRAMS)
        status = ts_grid_error(error, TS_USAGE, "a grid runs %d programs; make another", TS_GRID_PROGRAMS);
    if (status != TS_OK)
        return status;
    struct ts_grid_name *name = &grid->programs[grid->program_count++];
    name->id = grid->program_count;
    snprintf(name->text, sizeof name->text, "%s", program);
    grid->now += TS_GRID_GAP;
    grid->begun = grid->now;
    for (uint32_t i = 0; i < grid->processor_count; i++)
        if (grid->processors[i].life == TS_GRID_LAUNCHED)
            prepare(&grid->processors[i]);
    status = ts_grid_schedule(grid, error);
    if (atomic_load(&grid->stuck))
        return status;
    for (uint32_t i = 0; i < grid->processor_count; i++) {
        struct ts_grid_processor *p = &grid->processors[i];
        grid->now = p->time > grid->now ? p->time : grid->now;
        p->life = TS_GRID_IDLE;
    }
    return status;
}

enum ts_status ts_grid_name_zone(struct ts_grid *grid, uint32_t id, const char *name, struct ts_error *error)
{
    enum ts_status status = check_name(name, error);
    if (status != TS_OK)
        return status;
    if (id == 0 || id > 0xFFFF || grid->zone_count == TS_GRID_ZONES)
        return ts_grid_error(error, TS_USAGE, "zone '%s' cannot be number %u: there are %d, from 1 to 65535", name,
                             (unsigned)id, TS_GRID_ZONES);
    struct ts_grid_name *zone = &grid->zones[grid->zone_count++];
    zone->id = id;
    snprintf(zone->text, sizeof zone->text, "%s", name);
    return TS_OK;
}

/* ---- looking into it ---- */

static void *memory_of(struct ts_grid_node *node, uint32_t address, uint32_t bytes)
{
    bool there = address >= node->lowest && address <= node->bytes && bytes <= node->bytes - address;
    return there ? node->memory + address : NULL;
}

void *ts_grid_core_memory(struct ts_grid *grid, struct ts_grid_place core, uint32_t address, uint32_t bytes)
{
    const struct ts_grid_options *o = &grid->options;
    if (core.column >= o->columns || core.row >= o->rows)
        return NULL;
    return memory_of(&grid->nodes[core.row * o->columns + core.column], address, bytes);
}

void *ts_grid_bank_memory(struct ts_grid *grid, uint32_t bank, uint32_t offset, uint32_t bytes)
{
    return bank < grid->options.banks ? memory_of(&grid->nodes[grid->core_count + bank], offset, bytes) : NULL;
}

struct ts_grid_totals ts_grid_count(const struct ts_grid *grid)
{
    struct ts_grid_totals totals = {grid->now, grid->calls, 0};
    for (uint32_t i = 0; i < grid->processor_count; i++) {
        const struct ts_grid_processor *p = &grid->processors[i];
        struct ts_grid_lane lane = p->lane;
        if (!p->recorded)
            continue;
        grid->options.tracer->count(&lane);
        totals.lost += lane.lost;
    }
    return totals;
}
