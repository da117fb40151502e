/* Kernels of a test on a grid of the model. Include it first: it holds the recorder that the kernels are traced with. */
#ifndef TS_TEST_GRID_CASE_H
#define TS_TEST_GRID_CASE_H

#define PROFILE_NOC_EVENTS 1
#define TS_NOC_TRACE_IMPLEMENTATION
#include <tilesight/grid.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct ts_error problem;

static inline struct ts_grid *make_with(struct ts_grid_options options)
{
    struct ts_grid *grid = NULL;
    problem.message[0] = '\0';
    if (ts_grid_create(&options, &grid, &problem) != TS_OK)
        fail_msg("%s", problem.message);
    return grid;
}

static inline struct ts_grid *make(uint32_t columns, uint32_t rows, uint32_t banks, const struct ts_grid_tracer *tracer)
{
    return make_with((struct ts_grid_options){.columns = columns, .rows = rows, .banks = banks, .tracer = tracer});
}

static inline void launch(struct ts_grid *grid, uint32_t column, uint32_t row, enum ts_grid_risc risc,
                          ts_grid_kernel_fn kernel, uint32_t argument)
{
    struct ts_grid_place core = {column, row};
    if (ts_grid_launch(grid, core, risc, "case", kernel, &argument, 1, &problem) != TS_OK)
        fail_msg("%s", problem.message);
}

static inline void run(struct ts_grid *grid)
{
    if (ts_grid_run(grid, "test", &problem) != TS_OK)
        fail_msg("%s", problem.message);
}

static inline unsigned char *core_bytes(struct ts_grid *grid, uint32_t column, uint32_t row, uint32_t address,
                                        uint32_t bytes)
{
    unsigned char *memory = ts_grid_core_memory(grid, (struct ts_grid_place){column, row}, address, bytes);
    assert_non_null(memory);
    return memory;
}

#endif
