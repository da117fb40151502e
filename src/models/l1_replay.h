/* The L1 of a profiler report replayed operation by operation: where it was fullest, and what lay there. */
#ifndef TS_MODELS_L1_REPLAY_H
#define TS_MODELS_L1_REPLAY_H

#include "base/intern.h"
#include "models/l1_occupancy.h"

/* Operations whose fullest moments are alike in every part, as indices of order: the first one stands for them. */
struct ts_l1_composition {
    uint32_t first, count;
};
struct ts_l1_replay {
    struct ts_part part;
    bool multi_host;
    int64_t rank;
    uint64_t keyless[TS_DB_TABLES];
    int64_t capacity; /* bytes of a device's L1; 0: unknown */
    size_t device_count;
    bool devices_unattributable;

    struct ts_arena arena;
    struct ts_intern names;
    TS_VEC(struct ts_l1_operation) operations;     /* of the rank, by id */
    TS_VEC(struct ts_l1_moment) moments;           /* of each */
    TS_VEC(uint32_t) order;                        /* of moments with a total, alike ones side by side */
    TS_VEC(struct ts_l1_composition) compositions; /* the fullest first */
    TS_VEC(struct ts_l1_stale) stale;              /* at the peak */
    double without_stale;                          /* the peak without any stale tensor */
    int64_t without_stale_operation;               /* that holds it */
    uint64_t reconciled, unattributable, unreadable;
    uint64_t unsized;             /* sizes that count as 0, or as 2^48, for want of a possible one */
    int64_t unreadable_operation; /* the first whose graph cannot be read */
    uint64_t unrecorded_launches; /* whose circular buffers no graph shows */
    uint64_t graphless;           /* operations without a captured graph */
    uint64_t left_out;            /* buffers that may lie in L1, whose type, address or size is not recorded */
    bool uses_unknown;
};

struct ts_l1_replay_rank {
    bool given;
    int64_t rank;
};
/* Kept for the capture from the first call on; borrowed until ts_capture_release. needed: tables it cannot do without, for
 * refusals. Errors: those of ts_profiler_begin; TS_REFUSED (captured graphs past what is read), TS_LIMIT, TS_INPUT. */
enum ts_status ts_l1_replay_read(struct ts_context *context, struct ts_capture *capture, struct ts_l1_replay_rank rank,
                                 const enum ts_db_table *needed, size_t needed_count, const struct ts_l1_replay **out,
                                 struct ts_error *error);
/* ptr NULL: the operation has no row, or no name. */
struct ts_str ts_l1_replay_name(const struct ts_l1_replay *replay, int64_t operation);

#endif
