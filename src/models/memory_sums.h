/* What lay in memory behind each operation, by the type of the memory, and how full the L1 was. */
#ifndef TS_MODELS_MEMORY_SUMS_H
#define TS_MODELS_MEMORY_SUMS_H

#include "models/l1_pressure.h"
#include "models/profiler.h"

struct ts_memory_sum {
    int64_t operation, size; /* bytes per bank, of all devices together */
};
struct ts_memory_type {
    struct ts_str name;
    const struct ts_memory_sum *sums; /* of each operation that has such buffers, by id */
    size_t count;
    const int64_t *devices; /* that have such buffers, ascending */
    size_t device_count;
    uint64_t rows, unsized; /* of its buffers those whose size is not recorded: they add nothing */
};
struct ts_memory_pressure {
    int64_t operation;
    struct ts_l1_pressure tightest; /* of its most constrained device */
};
struct ts_memory_sums {
    struct ts_part part;
    const struct ts_memory_type *types; /* by name */
    size_t type_count;
    const struct ts_memory_pressure *pressures; /* the smallest largest block first, then by operation */
    size_t pressure_count;
    bool geometry; /* some device has a usable one */
    uint64_t
        unplaced; /* rows that may lie in L1 but do not say where: their type, device, address or size is not recorded */
    size_t withheld;  /* operations without a figure for that reason */
    uint64_t keyless; /* rows left out, since their operation is no number */
    struct ts_arena arena;
};

/* At the profiler's rank, kept between calls; borrowed until ts_capture_release. Errors: those of ts_db_visit. */
enum ts_status ts_memory_sums_read(struct ts_context *context, struct ts_profiler *profiler,
                                   const struct ts_memory_sums **out, struct ts_error *error);

#endif
