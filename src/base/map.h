/* Hash map from text (or any bytes) to a 64-bit value; seeded, so that hostile keys do not collide by design.
 * Keys are not copied: they must outlive the map. Iteration order is insertion order. */
#ifndef TS_BASE_MAP_H
#define TS_BASE_MAP_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct ts_map_entry {
    struct ts_str key;
    uint64_t hash;
    uint64_t value;
};
struct ts_map {
    struct ts_map_entry *entries; /* in insertion order */
    size_t count;
    uint32_t *slots; /* index + 1 into entries, 0 free */
    size_t slot_count, entry_capacity;
    uint64_t seed;
};

/* Takes no memory yet. The seed comes from the random bytes the kernel gives every process: no system call. */
void ts_map_init(struct ts_map *map);
void ts_map_free(struct ts_map *map);
/* The value under key, or NULL. Valid until the next insertion. */
uint64_t *ts_map_find(const struct ts_map *map, struct ts_str key);
/* The value under key, inserted as 0 when new (*added says so; may be NULL); NULL when memory is out. */
uint64_t *ts_map_at(struct ts_map *map, struct ts_str key, bool *added);
/* A fast, seeded hash of bytes: for tables in memory, not for files (it depends on the byte order). */
uint64_t ts_hash(const void *bytes, size_t len, uint64_t seed);
/* A seed for a table at this address, that nobody outside the process can tell. */
uint64_t ts_hash_seed(const void *table);

#endif
