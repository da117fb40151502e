/* Equal texts stored once and named by a small number. Id 0 is always the empty text. */
#ifndef TS_BASE_INTERN_H
#define TS_BASE_INTERN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"

struct ts_intern {
    struct ts_arena *arena; /* the texts live here */
    struct ts_str *texts;   /* by id */
    uint32_t count, capacity;
    uint32_t *slots;        /* id + 1, 0 free; the hash's upper bits beside it in tags */
    uint32_t *tags;
    size_t slot_count;
    uint64_t seed;
};

enum ts_status ts_intern_init(struct ts_intern *intern, struct ts_arena *arena, struct ts_error *error);
void ts_intern_free(struct ts_intern *intern); /* the tables; the texts go with the arena */
/* Give up the look-up tables once nothing more is added; texts by id stay. */
void ts_intern_seal(struct ts_intern *intern);
/* The id of text, copied in when new; UINT32_MAX when memory is out. */
uint32_t ts_intern_add(struct ts_intern *intern, struct ts_str text);
static inline struct ts_str ts_intern_text(const struct ts_intern *intern, uint32_t id)
{
    return intern->texts[id];
}

#endif
