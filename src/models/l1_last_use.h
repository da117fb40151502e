/* Which operation last used what lies at an address of L1: behind it the tensor there is stale. */
#ifndef TS_MODELS_L1_LAST_USE_H
#define TS_MODELS_L1_LAST_USE_H

#include "models/profiler.h"

struct ts_l1_operation {
    int64_t id;
    uint32_t name;   /* in the caller's names, + 1; 0: none */
    bool deallocate; /* one that frees its inputs, which is no use of them */
};

struct ts_l1_use {
    int64_t address, operation;
};
struct ts_l1_last_uses {
    TS_VEC(struct ts_l1_use) items; /* by address */
    TS_VEC(struct ts_l1_use) order; /* the same by operation */
    uint64_t unattributable;        /* addresses that several tensors with a last use share: none of them is here */
    bool unknown;                   /* tensors or their consumers are not recorded for this rank */
};

/* Whether an operation of this name is no use of its inputs: ttnn.deallocate, ttnn::deallocate in any case. */
bool ts_l1_is_deallocate(struct ts_str name);
/* operations: of the rank, by id, each once. out begins zeroed; ts_l1_last_uses_free frees it, also after an error. Errors:
 * those of ts_db_next. */
enum ts_status ts_l1_last_uses_read(struct ts_profiler *profiler, const struct ts_l1_operation *operations,
                                    size_t operation_count, struct ts_l1_last_uses *out, struct ts_error *error);
void ts_l1_last_uses_free(struct ts_l1_last_uses *uses);
/* False when no single last use of the address is known. */
bool ts_l1_last_use(const struct ts_l1_last_uses *uses, int64_t address, int64_t *operation);

#endif
