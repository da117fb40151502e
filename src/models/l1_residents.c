#include "models/l1_residents.h"

#include <string.h>

#include "base/map.h"

enum { FRACTION_BITS = 56, SLOTS_FIRST = 64 };
static const int64_t size_max = (int64_t)1 << 48;

/* An entry of the heap holds for the resident that lies at the address since then; for another one it is out of date. */
struct ts_l1_rank {
    ts_l1_bytes size;
    int64_t address;
    uint64_t born;
};

ts_l1_bytes ts_l1_bytes_of(int64_t bytes, int64_t divisor)
{
    if (bytes <= 0)
        return 0;
    ts_l1_bytes whole = bytes > size_max ? size_max : bytes;
    return whole * ((ts_l1_bytes)1 << FRACTION_BITS) / divisor;
}

bool ts_l1_bytes_are_held(int64_t bytes)
{
    return bytes >= 0 && bytes <= size_max;
}

double ts_l1_bytes_number(ts_l1_bytes bytes)
{
    return (double)bytes / (double)((int64_t)1 << FRACTION_BITS);
}

void ts_l1_residents_init(struct ts_l1_residents *residents)
{
    *residents = (struct ts_l1_residents){.seed = ts_hash_seed(residents)};
}

void ts_l1_residents_free(struct ts_l1_residents *residents)
{
    ts_vec_free(&residents->items);
    ts_vec_free(&residents->heap);
    free(residents->slots);
    residents->slots = NULL;
    residents->slot_count = 0;
}

/* ---- by address ---- */

static size_t home(const struct ts_l1_residents *residents, int64_t address)
{
    return (size_t)ts_hash(&address, sizeof address, residents->seed) & (residents->slot_count - 1);
}

/* Where the address is, or else where it would go. */
static size_t slot_of(const struct ts_l1_residents *residents, int64_t address)
{
    size_t slot = home(residents, address);
    while (residents->slots[slot] > 0 && residents->items.items[residents->slots[slot] - 1].address != address)
        slot = (slot + 1) & (residents->slot_count - 1);
    return slot;
}

static bool grow(struct ts_l1_residents *residents)
{
    size_t count = residents->slot_count > 0 ? 2 * residents->slot_count : SLOTS_FIRST;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(residents->slots);
    residents->slots = slots;
    residents->slot_count = count;
    for (size_t i = 0; i < residents->items.count; i++)
        slots[slot_of(residents, residents->items.items[i].address)] = (uint32_t)i + 1;
    return true;
}

/* Entries behind a freed slot move up, so that none is cut off from its home. */
static void free_slot(struct ts_l1_residents *residents, size_t slot)
{
    size_t mask = residents->slot_count - 1;
    for (size_t next = (slot + 1) & mask; residents->slots[next] > 0; next = (next + 1) & mask) {
        size_t wanted = home(residents, residents->items.items[residents->slots[next] - 1].address);
        if (((next - wanted) & mask) < ((next - slot) & mask))
            continue;
        residents->slots[slot] = residents->slots[next];
        slot = next;
    }
    residents->slots[slot] = 0;
}

struct ts_l1_resident *ts_l1_residents_find(const struct ts_l1_residents *residents, int64_t address)
{
    if (residents->items.count == 0)
        return NULL;
    uint32_t number = residents->slots[slot_of(residents, address)];
    return number > 0 ? &residents->items.items[number - 1] : NULL;
}

/* ---- the largest ---- */

static bool is_before(const struct ts_l1_rank *a, const struct ts_l1_rank *b)
{
    return a->size != b->size ? a->size > b->size : a->address < b->address;
}

static void sift_down(struct ts_l1_residents *residents, size_t at)
{
    struct ts_l1_rank *heap = residents->heap.items;
    for (size_t child; (child = 2 * at + 1) < residents->heap.count; at = child) {
        if (child + 1 < residents->heap.count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &heap[at]))
            return;
        struct ts_l1_rank moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

static bool is_current(const struct ts_l1_residents *residents, const struct ts_l1_rank *rank)
{
    const struct ts_l1_resident *resident = ts_l1_residents_find(residents, rank->address);
    return resident && resident->born == rank->born && resident->size == rank->size;
}

/* Entries out of date go once they are most of the heap. */
static void tidy(struct ts_l1_residents *residents)
{
    size_t kept = 0;
    for (size_t i = 0; i < residents->heap.count; i++)
        if (is_current(residents, &residents->heap.items[i]))
            residents->heap.items[kept++] = residents->heap.items[i];
    residents->heap.count = kept;
    for (size_t i = kept / 2; i-- > 0;)
        sift_down(residents, i);
}

static bool rank(struct ts_l1_residents *residents, const struct ts_l1_resident *resident)
{
    if (residents->heap.count > 2 * residents->items.count + SLOTS_FIRST)
        tidy(residents);
    struct ts_l1_rank entry = {resident->size, resident->address, resident->born};
    if (!ts_vec_push(&residents->heap, entry))
        return false;
    struct ts_l1_rank *heap = residents->heap.items;
    size_t at = residents->heap.count - 1;
    for (; at > 0 && is_before(&entry, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = entry;
    return true;
}

const struct ts_l1_resident *ts_l1_residents_largest(struct ts_l1_residents *residents)
{
    while (residents->heap.count > 0 && !is_current(residents, &residents->heap.items[0])) {
        residents->heap.items[0] = residents->heap.items[--residents->heap.count];
        sift_down(residents, 0);
    }
    return residents->heap.count > 0 ? ts_l1_residents_find(residents, residents->heap.items[0].address) : NULL;
}

/* ---- changes ---- */

bool ts_l1_residents_add(struct ts_l1_residents *residents, const struct ts_l1_resident *resident)
{
    if (residents->items.count >= UINT32_MAX - 1 ||
        (2 * (residents->items.count + 1) > residents->slot_count && !grow(residents)) ||
        !ts_vec_push(&residents->items, *resident))
        return false;
    residents->slots[slot_of(residents, resident->address)] = (uint32_t)residents->items.count;
    residents->sums[resident->kind] += resident->size;
    return rank(residents, resident);
}

void ts_l1_residents_remove(struct ts_l1_residents *residents, struct ts_l1_resident *resident)
{
    size_t index = (size_t)(resident - residents->items.items), last = residents->items.count - 1;
    residents->sums[resident->kind] -= resident->size;
    free_slot(residents, slot_of(residents, resident->address));
    if (index != last) {
        residents->slots[slot_of(residents, residents->items.items[last].address)] = (uint32_t)index + 1;
        *resident = residents->items.items[last];
    }
    residents->items.count = last;
}

void ts_l1_residents_set_kind(struct ts_l1_residents *residents, struct ts_l1_resident *resident, enum ts_l1_kind kind)
{
    residents->sums[resident->kind] -= resident->size;
    residents->sums[kind] += resident->size;
    resident->kind = (uint8_t)kind;
}

void ts_l1_residents_clear(struct ts_l1_residents *residents)
{
    /* One by one, backwards: a table once grown would take long to wipe for each of many small programs. */
    while (residents->items.count > 0) {
        const struct ts_l1_resident *last = &residents->items.items[residents->items.count - 1];
        free_slot(residents, slot_of(residents, last->address));
        residents->items.count--;
    }
    residents->items.count = residents->heap.count = 0;
    memset(residents->sums, 0, sizeof residents->sums);
}
