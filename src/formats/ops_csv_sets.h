/* The parsed attributes of operations, each different set kept once. The texts themselves are not kept: a cell met
 * before is known by its hash. */
#ifndef TS_FORMATS_OPS_CSV_SETS_H
#define TS_FORMATS_OPS_CSV_SETS_H

#include "formats/ops_csv.h"

struct ts_ops_sets {
    struct ts_ops_csv *ops;        /* gets the sets and their texts */
    uint32_t set_capacity;         /* of ops->attribute_sets */
    struct ts_ops_set_cell *cells; /* open addressing: cells met before */
    size_t cell_count, cell_slots;
    uint32_t *slots; /* open addressing: number of a set + 1 */
    size_t slot_count;
    uint64_t seed;
};

/* ops->text must be ready. Sets those there are already into the table; where there is none, [0] becomes that of an empty
 * cell. False when memory is out. */
bool ts_ops_sets_init(struct ts_ops_sets *sets, struct ts_ops_csv *ops);
void ts_ops_sets_free(struct ts_ops_sets *sets); /* the tables; what ops has got stays */
/* The number of the set that a cell holds. halo: its text is wanted though kind is another. UINT32_MAX when memory is
 * out. */
uint32_t ts_ops_sets_find(struct ts_ops_sets *sets, struct ts_str cell, enum ts_op_attributes_kind kind, bool halo);
/* The number of a set, taken in when it is new; UINT32_MAX when memory is out. */
uint32_t ts_ops_sets_add(struct ts_ops_sets *sets, const struct ts_op_attributes *set);

#endif
