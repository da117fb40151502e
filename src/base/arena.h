/* A growing block of memory given back all at once. Not for threads to share. */
#ifndef TS_BASE_ARENA_H
#define TS_BASE_ARENA_H

#include "base/error.h"
#include "base/str.h"

struct ts_arena_chunk;
struct ts_arena {
    struct ts_arena_chunk *chunks; /* newest first */
    char *next, *end;              /* free room of the newest chunk */
    size_t reserved;               /* bytes taken from malloc */
    size_t limit;                  /* most that may be reserved; 0: no limit */
    bool over_limit;               /* an allocation failed for the limit */
};

/* Takes no memory yet. limit: most bytes to reserve, 0 for none. */
void ts_arena_init(struct ts_arena *arena, size_t limit);
/* Gives everything back; the arena may be used again. */
void ts_arena_free(struct ts_arena *arena);
/* size bytes aligned for any type, not cleared; NULL when memory or the limit is out. size 0 gives a valid pointer. */
void *ts_arena_alloc(struct ts_arena *arena, size_t size);
/* count * size bytes, cleared, checked for overflow. */
void *ts_arena_calloc(struct ts_arena *arena, size_t count, size_t size);
/* A copy of s with a NUL behind it (not counted in len). ptr is NULL on failure. */
struct ts_str ts_arena_copy(struct ts_arena *arena, struct ts_str s);
/* The same as a terminated string. */
char *ts_arena_strdup(struct ts_arena *arena, struct ts_str s);
/* printf into the arena; ptr NULL on failure. */
__attribute__((format(printf, 2, 3))) struct ts_str ts_arena_printf(struct ts_arena *arena, const char *format, ...);
/* The error of an allocation that returned NULL: TS_LIMIT when the limit is out, else TS_NO_MEMORY. */
enum ts_status ts_arena_error(const struct ts_arena *arena, struct ts_error *error);

#define TS_ARENA_NEW(arena, type) ((type *)ts_arena_calloc((arena), 1, sizeof(type)))
#define TS_ARENA_ARRAY(arena, type, count) ((type *)ts_arena_calloc((arena), (count), sizeof(type)))

#endif
