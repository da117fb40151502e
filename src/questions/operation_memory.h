/* What lay in memory behind an operation, in answers: "allocations" and "l1_pressure". */
#ifndef TS_QUESTIONS_OPERATION_MEMORY_H
#define TS_QUESTIONS_OPERATION_MEMORY_H

#include "questions/profiler_common.h"

struct ts_operation_allocation {
    struct ts_str type; /* of memory */
    int64_t buffers, size;
    int64_t unsized; /* of the buffers: their size is not recorded, and they add nothing to it */
};
struct ts_operation_memory {
    struct ts_operation_allocation *allocations; /* by type */
    size_t allocation_count;
    int64_t *devices; /* with buffers, ascending */
    size_t device_count;
    struct ts_l1_pressure *pressures; /* of the devices whose geometry is known, by id */
    size_t pressure_count;
    int64_t
        unplaced; /* buffers that may lie in L1 but do not say where: type, device, address or size is not recorded */
    const char *no_pressure; /* why there is none, as a sentence; NULL: there is */
};

/* Read the operation's buffers; in the profiler's arena. Errors: those of ts_profiler_rows and ts_db_next. */
enum ts_status ts_operation_memory_read(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                        struct ts_operation_memory *out, struct ts_error *error);
/* "allocations" and "l1_pressure" of an object of the answer, without a word on what they lack. */
void ts_operation_memory_add(struct ts_answer *answer, yyjson_mut_val *object,
                             const struct ts_operation_memory *memory);
/* "allocations" and "allocation_size_unit". */
void ts_operation_memory_add_allocations(struct ts_answer *answer, const struct ts_operation_memory *memory,
                                         struct ts_caveat *caveat);
/* "l1_pressure". */
void ts_operation_memory_add_pressure(struct ts_answer *answer, const struct ts_operation_memory *memory,
                                      struct ts_caveat *caveat);

extern const struct ts_field ts_operation_allocation_fields[], ts_operation_pressure_fields[];

#endif
