/* What every example does around its kernels. The program's one argument, if any, is where the capture goes. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

/* The recorder's routines are in this program's one source file. */
#define TS_NOC_TRACE_IMPLEMENTATION
#include <stdio.h>
#include <string.h>

#include <tilesight/grid.h>

static struct ts_error error;

static struct ts_grid *make_grid(uint32_t columns, uint32_t rows, uint32_t banks)
{
    struct ts_grid_options options = {.columns = columns, .rows = rows, .banks = banks, .tracer = TS_GRID_TRACER};
    struct ts_grid *grid = NULL;
    if (ts_grid_create(&options, &grid, &error) != TS_OK)
        fprintf(stderr, "%s\n", error.message);
    return grid;
}

/* Run what was launched. */
static bool run(struct ts_grid *grid, const char *program)
{
    if (ts_grid_run(grid, program, &error) == TS_OK)
        return true;
    fprintf(stderr, "%s\n", error.message);
    return false;
}

/* Save the capture if somebody wants it, say what came of it all, and give the exit status. */
static int finish(struct ts_grid *grid, const char *program, bool right, int argc, char **argv)
{
    struct ts_grid_totals totals = ts_grid_count(grid);
    printf("%s: the data is %s; %llu calls in %llu cycles of the model\n", program, right ? "right" : "WRONG",
           (unsigned long long)totals.calls, (unsigned long long)totals.cycles);
    if (argc > 1 && ts_grid_save(grid, argv[1], &error) != TS_OK) {
        fprintf(stderr, "%s\n", error.message);
        right = false;
    }
    ts_grid_destroy(grid);
    return right ? 0 : 1;
}

#endif
