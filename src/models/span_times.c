#include "models/span_times.h"

#include <stdlib.h>

/* A core and a group of processors is one entry; entries lie in blocks, times behind the keys. All blocks but the last are
 * full. */
struct ts_span_block {
    struct ts_span_block *next;
    uint32_t count, capacity;
    uint32_t keys[]; /* core * GROUPS_PER_CORE + processor / TS_SPAN_RISCS; then the times, narrow or wide */
};

struct narrow_time {
    uint32_t first, last; /* from base */
};

/* Entries by key, once there are more than a real device has cores. */
struct ts_span_index {
    uint32_t slot_count; /* a power of two */
    uint32_t slots[];    /* number of the entry + 1 */
};

enum { ROOM_MORE = 4, MORE_SHARE = 8, GROUPS_PER_CORE = 64, INDEX_FROM = 256 };

/* ---- blocks ---- */

static size_t time_size(const struct ts_span_times *times)
{
    return TS_SPAN_RISCS * (times->wide ? sizeof(struct ts_span_time) : sizeof(struct narrow_time));
}

/* Keys are followed by times on a boundary of 8. */
static size_t keys_size(uint32_t capacity)
{
    size_t size = sizeof(struct ts_span_block) + capacity * sizeof(uint32_t);
    return (size + 7) & ~(size_t)7;
}

static char *times_of(const struct ts_span_times *times, const struct ts_span_block *block, uint32_t index)
{
    return (char *)(uintptr_t)block + keys_size(block->capacity) + index * time_size(times);
}

/* Blocks grow with what is there, so that there are few of them and little of the last is unused. */
static struct ts_span_block *add_block(struct ts_span_times *times, struct ts_arena *arena)
{
    uint32_t more = times->count / MORE_SHARE;
    uint32_t capacity = !times->blocks ? times->room : more > ROOM_MORE ? more : ROOM_MORE;
    struct ts_span_block *block = ts_arena_alloc(arena, keys_size(capacity) + capacity * time_size(times));
    if (!block)
        return NULL;
    *block = (struct ts_span_block){.capacity = capacity};
    struct ts_span_block **link = &times->blocks;
    while (*link)
        link = &(*link)->next;
    *link = block;
    return block;
}

/* Go to the entry of a number. */
static void go_to(struct ts_span_times *times, uint32_t number)
{
    times->at = times->blocks;
    while (number >= times->at->count) {
        number -= times->at->count;
        times->at = times->at->next;
    }
    times->at_index = number;
}

/* ---- finding an entry ---- */

static uint32_t slot_of(const struct ts_span_index *index, uint32_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (index->slot_count - 1);
}

static void put_key(struct ts_span_index *index, uint32_t key, uint32_t number)
{
    uint32_t at = slot_of(index, key);
    while (index->slots[at])
        at = (at + 1) & (index->slot_count - 1);
    index->slots[at] = number + 1;
}

/* Make an index with room for more entries than there are. */
static bool make_index(struct ts_span_times *times)
{
    uint32_t slots = 2 * INDEX_FROM, number = 0;
    while (slots / 4 * 3 <= times->count + 1)
        slots *= 2;
    struct ts_span_index *index = calloc(1, sizeof *index + slots * sizeof *index->slots);
    if (!index)
        return false;
    index->slot_count = slots;
    for (const struct ts_span_block *block = times->blocks; block; block = block->next)
        for (uint32_t i = 0; i < block->count; i++)
            put_key(index, block->keys[i], number++);
    free(times->index);
    times->index = index;
    return true;
}

static bool look_up(struct ts_span_times *times, uint32_t key)
{
    const struct ts_span_index *index = times->index;
    for (uint32_t at = slot_of(index, key); index->slots[at]; at = (at + 1) & (index->slot_count - 1)) {
        go_to(times, index->slots[at] - 1);
        if (times->at->keys[times->at_index] == key)
            return true;
    }
    return false;
}

/* Go to the entry with this key, which is most often the last one or the one behind it. */
static bool find_entry(struct ts_span_times *times, uint32_t key)
{
    struct ts_span_block *block = times->at;
    uint32_t index = times->at_index;
    if (block && index < block->count && block->keys[index] == key)
        return true;
    if (block && index + 1 < block->count && block->keys[index + 1] == key) {
        times->at_index++;
        return true;
    }
    if (times->index)
        return look_up(times, key);
    for (block = times->blocks; block; block = block->next)
        for (index = 0; index < block->count; index++)
            if (block->keys[index] == key) {
                times->at = block;
                times->at_index = index;
                return true;
            }
    return false;
}

/* ---- adding ---- */

static bool index_entry(struct ts_span_times *times, uint32_t key)
{
    if (times->count < INDEX_FROM)
        return true;
    if (!times->index || times->count + 1 >= times->index->slot_count / 4 * 3) {
        if (!make_index(times))
            return false;
    }
    put_key(times->index, key, times->count);
    return true;
}

static bool add_entry(struct ts_span_times *times, struct ts_arena *arena, uint32_t key)
{
    struct ts_span_block *block = times->blocks;
    while (block && block->count == block->capacity)
        block = block->next;
    if (!block)
        block = add_block(times, arena);
    if (!block || !index_entry(times, key))
        return false;
    times->count++;
    times->at = block;
    times->at_index = block->count++;
    block->keys[times->at_index] = key;
    char *at = times_of(times, block, times->at_index);
    for (unsigned i = 0; i < TS_SPAN_RISCS; i++) {
        if (times->wide)
            ((struct ts_span_time *)(void *)at)[i] = (struct ts_span_time){UINT64_MAX, 0};
        else
            ((struct narrow_time *)(void *)at)[i] = (struct narrow_time){UINT32_MAX, 0};
    }
    return true;
}

bool ts_span_times_add(struct ts_span_times *times, struct ts_arena *arena, struct ts_log_lane lane, uint64_t start,
                       uint64_t end)
{
    uint32_t key = lane.core * GROUPS_PER_CORE + lane.risc / TS_SPAN_RISCS, risc = lane.risc % TS_SPAN_RISCS;
    if (!find_entry(times, key) && !add_entry(times, arena, key))
        return false;
    char *at = times_of(times, times->at, times->at_index);
    if (times->wide) {
        struct ts_span_time *time = (struct ts_span_time *)(void *)at + risc;
        time->first = start < time->first ? start : time->first;
        time->last = end > time->last ? end : time->last;
    } else {
        struct narrow_time *time = (struct narrow_time *)(void *)at + risc;
        uint32_t from = (uint32_t)(start - times->base), to = (uint32_t)(end - times->base);
        time->first = from < time->first ? from : time->first;
        time->last = to > time->last ? to : time->last;
    }
    return true;
}

void ts_span_times_seal(struct ts_span_times *times)
{
    free(times->index);
    times->index = NULL;
}

/* ---- reading ---- */

bool ts_span_walk_next(struct ts_span_walk *walk, struct ts_span_entry *out)
{
    while (walk->block && walk->index >= walk->block->count) {
        walk->block = walk->block->next;
        walk->index = 0;
    }
    if (!walk->block)
        return false;
    const struct ts_span_times *times = walk->times;
    uint32_t key = walk->block->keys[walk->index];
    const char *at = times_of(times, walk->block, walk->index++);
    out->core = key / GROUPS_PER_CORE;
    out->risc = key % GROUPS_PER_CORE * TS_SPAN_RISCS;
    for (unsigned i = 0; i < TS_SPAN_RISCS; i++) {
        if (times->wide) {
            out->times[i] = ((const struct ts_span_time *)(const void *)at)[i];
            continue;
        }
        struct narrow_time time = ((const struct narrow_time *)(const void *)at)[i];
        if (time.first > time.last)
            out->times[i] = (struct ts_span_time){UINT64_MAX, 0};
        else
            out->times[i] = (struct ts_span_time){time.first + times->base, time.last + times->base};
    }
    return true;
}
