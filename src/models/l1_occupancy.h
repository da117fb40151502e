/* L1 as operations go by: what their graphs put there and take away, what lay there behind each, and at which moment it was
 * fullest. The replay behind l1_peak, apart from where its input comes from. */
#ifndef TS_MODELS_L1_OCCUPANCY_H
#define TS_MODELS_L1_OCCUPANCY_H

#include "formats/captured_graph.h"
#include "models/l1_last_use.h"
#include "models/l1_residents.h"

/* Of one operation, where it was fullest. Bytes per bank. */
struct ts_l1_moment {
    int64_t operation;
    double total, parts[TS_L1_KINDS];
    int64_t largest_address; /* of the largest resident; total 0 and none: largest_size is absent */
    double largest_size;
    int64_t largest_last_use;
    uint32_t name;        /* the caller's */
    uint8_t largest_kind; /* enum ts_l1_kind */
    bool largest_used;    /* largest_last_use is known */
    bool several;         /* more than one resident */
};
/* A tensor that lay there at the peak though nothing uses it any more. */
struct ts_l1_stale {
    int64_t address, last_use;
    double size;
};

struct ts_l1_occupancy {
    const struct ts_l1_last_uses *uses;
    size_t next_use; /* in order of the operations: those before are over */
    int64_t banks;   /* that a size is shared by when a graph names no cores */
    int64_t operation;
    struct ts_l1_residents tensors, circular;
    struct ts_l1_residents live; /* allocations of the graph at hand; stamp: their nodes */
    TS_VEC(bool) freed;          /* by node: it lives within the operation alone */
    uint64_t clock;              /* of changes */
    ts_l1_bytes best;            /* of the operation */
    struct ts_l1_moment moment;
    bool snapshot; /* the operation has one */

    /* Of all operations so far. */
    ts_l1_bytes peak, without_stale;
    int64_t peak_operation, without_stale_operation;
    uint64_t peak_clock;
    TS_VEC(struct ts_l1_stale) gone; /* stale at the peak, and gone since */
    uint64_t reconciled;             /* tensors that a snapshot has not, though nothing freed them */
    uint64_t unsized; /* allocations of graphs without a size, and any of one that is not held as it is */
};

/* uses is borrowed; banks is at least 1. */
void ts_l1_occupancy_init(struct ts_l1_occupancy *occupancy, const struct ts_l1_last_uses *uses, int64_t banks);
void ts_l1_occupancy_free(struct ts_l1_occupancy *occupancy);

/* Operations come by id, each begun, then its graph if it has one, then its snapshot's rows if it has any, then ended. They
 * return false when memory is out. */
void ts_l1_occupancy_begin(struct ts_l1_occupancy *occupancy, int64_t operation);
bool ts_l1_occupancy_graph(struct ts_l1_occupancy *occupancy, const struct ts_graph *graph);
/* A row that lies in L1; of one address the last row counts. */
bool ts_l1_occupancy_buffer(struct ts_l1_occupancy *occupancy, int64_t address, int64_t bytes);
bool ts_l1_occupancy_end(struct ts_l1_occupancy *occupancy, struct ts_l1_moment *out);

/* After the last operation: add what was stale at the peak to gone, and put that in order, the largest first. */
bool ts_l1_occupancy_finish(struct ts_l1_occupancy *occupancy);

#endif
