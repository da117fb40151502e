#include "formats/ops_csv_sets.h"

#include <stdlib.h>

#include "base/map.h"

enum { FIRST_SLOTS = 64, KEY_WORDS = 8 };

/* That two different cells have one hash of 64 bits, and one length, happens to nobody: the seed is not known outside. */
struct ts_ops_set_cell {
    uint64_t hash;
    uint32_t len; /* lower half */
    uint32_t set; /* number + 1; 0: a free slot */
};

struct key {
    uint64_t words[KEY_WORDS];
};

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value == value ? bits : UINT64_MAX;
}

/* All that a set says, in a form that can be compared and hashed. */
static struct key key_of(const struct ts_op_attributes *set)
{
    uint64_t flags = (uint64_t)set->dram_sharded | (uint64_t)set->input_a_sparse << 1 |
                     (uint64_t)set->input_b_sparse << 2 | (uint64_t)set->act_double_buffer << 3 |
                     (uint64_t)set->split_reader << 4 | (uint64_t)set->has_nnz << 5 | (uint64_t)set->halo << 32;
    return (struct key){{
        flags,
        (uint64_t)set->nnz,
        (uint32_t)set->in0_block_w,
        (uint64_t)(uint32_t)set->out_subblock_h << 32 | (uint32_t)set->out_subblock_w,
        (uint64_t)set->act_block_h,
        (uint64_t)set->per_core_out_h,
        bits_of(set->window_h),
        bits_of(set->window_w),
    }};
}

/* ---- sets ---- */

/* The slot that holds a set of this key, or the free one where it belongs. */
static uint32_t *find_slot(const struct ts_ops_sets *sets, const struct key *key)
{
    size_t last = sets->slot_count - 1;
    for (size_t at = ts_hash(key, sizeof *key, sets->seed) & last;; at = (at + 1) & last) {
        uint32_t number = sets->slots[at];
        if (number == 0)
            return &sets->slots[at];
        struct key other = key_of(&sets->ops->attribute_sets[number - 1]);
        if (memcmp(&other, key, sizeof other) == 0)
            return &sets->slots[at];
    }
}

static bool grow_slots(struct ts_ops_sets *sets)
{
    size_t count = sets->slot_count ? sets->slot_count * 2 : FIRST_SLOTS;
    while (count / 2 < sets->ops->attribute_set_count)
        count *= 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(sets->slots);
    sets->slots = slots;
    sets->slot_count = count;
    for (uint32_t i = 0; i < sets->ops->attribute_set_count; i++) {
        struct key key = key_of(&sets->ops->attribute_sets[i]);
        *find_slot(sets, &key) = i + 1;
    }
    return true;
}

static bool grow_sets(struct ts_ops_sets *sets)
{
    uint32_t capacity = sets->set_capacity ? sets->set_capacity * 2 : FIRST_SLOTS;
    struct ts_op_attributes *grown = reallocarray(sets->ops->attribute_sets, capacity, sizeof *grown);
    if (!grown)
        return false;
    sets->ops->attribute_sets = grown;
    sets->set_capacity = capacity;
    return true;
}

uint32_t ts_ops_sets_add(struct ts_ops_sets *sets, const struct ts_op_attributes *set)
{
    struct ts_ops_csv *ops = sets->ops;
    if (ops->attribute_set_count >= sets->slot_count / 2 && !grow_slots(sets))
        return UINT32_MAX;
    struct key key = key_of(set);
    uint32_t *slot = find_slot(sets, &key);
    if (*slot)
        return *slot - 1;
    if (ops->attribute_set_count == sets->set_capacity && !grow_sets(sets))
        return UINT32_MAX;
    ops->attribute_sets[ops->attribute_set_count] = *set;
    *slot = ++ops->attribute_set_count;
    return *slot - 1;
}

/* ---- cells ---- */

static struct ts_ops_set_cell *find_cell(const struct ts_ops_sets *sets, uint64_t hash, size_t len)
{
    size_t last = sets->cell_slots - 1;
    for (size_t at = hash & last;; at = (at + 1) & last) {
        struct ts_ops_set_cell *cell = &sets->cells[at];
        if (cell->set == 0 || (cell->hash == hash && cell->len == (uint32_t)len))
            return cell;
    }
}

static bool grow_cells(struct ts_ops_sets *sets)
{
    size_t had = sets->cell_slots;
    struct ts_ops_set_cell *old = sets->cells;
    size_t count = had ? had * 2 : FIRST_SLOTS;
    struct ts_ops_set_cell *cells = calloc(count, sizeof *cells);
    if (!cells)
        return false;
    sets->cells = cells;
    sets->cell_slots = count;
    for (size_t i = 0; i < had; i++) {
        if (old[i].set)
            *find_cell(sets, old[i].hash, old[i].len) = old[i];
    }
    free(old);
    return true;
}

uint32_t ts_ops_sets_find(struct ts_ops_sets *sets, struct ts_str cell, enum ts_op_attributes_kind kind, bool halo)
{
    uint64_t way = (uint64_t)kind * 2 + halo;
    uint64_t hash = ts_hash(cell.ptr, cell.len, sets->seed + way * 0x9e3779b97f4a7c15u);
    if (sets->cell_count >= sets->cell_slots / 2 && !grow_cells(sets))
        return UINT32_MAX;
    struct ts_ops_set_cell *known = find_cell(sets, hash, cell.len);
    if (known->set)
        return known->set - 1;
    struct ts_op_attributes set;
    if (!ts_op_attributes_parse(cell, kind, &sets->ops->text, &set))
        return UINT32_MAX;
    if (halo && kind != TS_ATTRIBUTES_HALO && !ts_op_attributes_parse_halo(cell, &sets->ops->text, &set))
        return UINT32_MAX;
    uint32_t number = ts_ops_sets_add(sets, &set);
    if (number == UINT32_MAX)
        return UINT32_MAX;
    *known = (struct ts_ops_set_cell){hash, (uint32_t)cell.len, number + 1};
    sets->cell_count++;
    return number;
}

/* ---- life ---- */

bool ts_ops_sets_init(struct ts_ops_sets *sets, struct ts_ops_csv *ops)
{
    *sets = (struct ts_ops_sets){.ops = ops, .set_capacity = ops->attribute_set_count, .seed = ts_hash_seed(sets)};
    if (grow_slots(sets) &&
        (ops->attribute_set_count > 0 || ts_ops_sets_find(sets, TS_STR(""), TS_ATTRIBUTES_PLAIN, false) != UINT32_MAX))
        return true;
    ts_ops_sets_free(sets);
    return false;
}

void ts_ops_sets_free(struct ts_ops_sets *sets)
{
    free(sets->cells);
    free(sets->slots);
    sets->cells = NULL;
    sets->slots = NULL;
    sets->cell_count = sets->cell_slots = sets->slot_count = 0;
}
