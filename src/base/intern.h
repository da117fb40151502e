/* Equal texts stored once and named by a small number. Id 0 is always the empty text. */
#ifndef TS_BASE_INTERN_H
#define TS_BASE_INTERN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"

struct ts_intern_slot {
    uint32_t hash;   /* enough of it for the place in the table and to tell most texts apart */
    uint32_t number; /* id + 1; 0: free */
};
struct ts_intern {
    struct ts_arena *arena; /* the texts live here */
    struct ts_str *texts;   /* by id */
    uint32_t count, capacity;
    struct ts_intern_slot *slots;
    size_t slot_count;
    uint64_t seed;
};

/* The texts go into arena, which must live as long. Errors: TS_NO_MEMORY, TS_LIMIT (of the arena). */
enum ts_status ts_intern_init(struct ts_intern *intern, struct ts_arena *arena, struct ts_error *error);
void ts_intern_free(struct ts_intern *intern); /* the tables; the texts go with the arena */
/* Give up the look-up tables once nothing more is added; texts by id stay. Adding makes them again. */
void ts_intern_seal(struct ts_intern *intern);
/* The id of text, copied in when new; UINT32_MAX when memory, the arena's limit or the ids are out (ts_arena_error). */
uint32_t ts_intern_add(struct ts_intern *intern, struct ts_str text);
static inline struct ts_str ts_intern_text(const struct ts_intern *intern, uint32_t id)
{
    return intern->texts[id];
}

#endif
