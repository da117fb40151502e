#include "base/map.h"

#include <stdlib.h>
#include <sys/auxv.h>

enum { FIRST_SLOTS = 16 };

static uint64_t load64(const unsigned char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static uint64_t load32(const unsigned char *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* Both halves of the product, folded: every bit of a and b reaches every bit of the result. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t ts_hash(const void *bytes, size_t len, uint64_t seed)
{
    /* Whoever could make a factor 0 would decide the result, so that both are masked with what only the seed tells. */
    const uint64_t mask = seed ^ 0xA24BAED4963EE407u;
    uint64_t state = (seed << 29 | seed >> 35) ^ 0x9FB21C651E98DF25u;
    const unsigned char *p = bytes;
    uint64_t first = 0, last = 0;
    if (len > 16) {
        size_t rest = len;
        for (; rest > 16; rest -= 16, p += 16)
            state = fold(load64(p) ^ mask, load64(p + 8) ^ state);
        p += rest;
        first = load64(p - 16);
        last = load64(p - 8);
    } else if (len >= 8) {
        first = load64(p);
        last = load64(p + len - 8);
    } else if (len >= 4) {
        first = load32(p);
        last = load32(p + len - 4);
    } else if (len > 0) {
        first = (uint64_t)p[0] << 16 | (uint64_t)p[len / 2] << 8 | p[len - 1];
    }
    return fold(fold(first ^ mask, last ^ state) ^ len, 0xD6E8FEB86659FD93u);
}

uint64_t ts_hash_seed(const void *table)
{
    uint64_t random[2] = {0};
    const void *given = (const void *)getauxval(AT_RANDOM);
    if (given)
        memcpy(random, given, sizeof random);
    return fold(random[0] ^ (uintptr_t)table, random[1] ^ 0xC2B2AE3D27D4EB4Fu) ^ (uintptr_t)&ts_hash_seed;
}

void ts_map_init(struct ts_map *map)
{
    *map = (struct ts_map){.seed = ts_hash_seed(map)};
}

void ts_map_free(struct ts_map *map)
{
    free(map->entries);
    free(map->slots);
    ts_map_init(map);
}

/* The slot that holds key, or the free one where it belongs. */
static uint32_t *find_slot(const struct ts_map *map, struct ts_str key, uint64_t hash)
{
    size_t last = map->slot_count - 1;
    for (size_t at = hash & last;; at = (at + 1) & last) {
        uint32_t *slot = &map->slots[at];
        if (*slot == 0)
            return slot;
        const struct ts_map_entry *entry = &map->entries[*slot - 1];
        if (entry->hash == hash && ts_str_equal(entry->key, key))
            return slot;
    }
}

uint64_t *ts_map_find(const struct ts_map *map, struct ts_str key)
{
    if (map->count == 0)
        return NULL;
    uint32_t *slot = find_slot(map, key, ts_hash(key.ptr, key.len, map->seed));
    return *slot ? &map->entries[*slot - 1].value : NULL;
}

static bool grow_slots(struct ts_map *map)
{
    size_t count = map->slot_count ? map->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < map->count; i++) {
        size_t at = map->entries[i].hash & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(map->slots);
    map->slots = slots;
    map->slot_count = count;
    return true;
}

static bool grow_entries(struct ts_map *map)
{
    size_t capacity = map->entry_capacity ? map->entry_capacity * 2 : FIRST_SLOTS / 2;
    struct ts_map_entry *entries = reallocarray(map->entries, capacity, sizeof *entries);
    if (!entries)
        return false;
    map->entries = entries;
    map->entry_capacity = capacity;
    return true;
}

uint64_t *ts_map_at(struct ts_map *map, struct ts_str key, bool *added)
{
    uint64_t hash = ts_hash(key.ptr, key.len, map->seed);
    uint32_t *slot = map->slot_count ? find_slot(map, key, hash) : NULL;
    bool is_new = !slot || *slot == 0;
    if (added)
        *added = is_new;
    if (!is_new)
        return &map->entries[*slot - 1].value;

    if (map->count >= UINT32_MAX - 1 || (map->count == map->entry_capacity && !grow_entries(map)))
        return NULL;
    if (map->count >= map->slot_count / 2) {
        if (!grow_slots(map))
            return NULL;
        slot = find_slot(map, key, hash);
    }
    struct ts_map_entry *entry = &map->entries[map->count++];
    *entry = (struct ts_map_entry){.key = key, .hash = hash};
    *slot = (uint32_t)map->count;
    return &entry->value;
}
