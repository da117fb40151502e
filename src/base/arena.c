#include "base/arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

struct ts_arena_chunk {
    struct ts_arena_chunk *older;
    size_t size; /* bytes of the whole chunk */
    max_align_t room[];
};

#define ALIGNMENT _Alignof(max_align_t)

void ts_arena_init(struct ts_arena *arena, size_t limit)
{
    *arena = (struct ts_arena){.limit = limit};
}

void ts_arena_free(struct ts_arena *arena)
{
    for (struct ts_arena_chunk *chunk = arena->chunks, *older; chunk; chunk = older) {
        older = chunk->older;
        free(chunk);
    }
    ts_arena_init(arena, arena->limit);
}

/* A chunk of size bytes, header included, accounted for but not yet linked. */
static struct ts_arena_chunk *reserve(struct ts_arena *arena, size_t size, bool cleared)
{
    if (arena->limit && size > arena->limit - arena->reserved) {
        arena->over_limit = true;
        return NULL;
    }
    struct ts_arena_chunk *chunk = cleared ? calloc(1, size) : malloc(size);
    if (!chunk)
        return NULL;
    chunk->size = size;
    arena->reserved += size;
    return chunk;
}

/* Room for size bytes that the newest chunk does not have. */
static void *alloc_from_new_chunk(struct ts_arena *arena, size_t size, bool cleared)
{
    if (size > PTRDIFF_MAX - sizeof(struct ts_arena_chunk))
        return NULL;
    size_t need = sizeof(struct ts_arena_chunk) + size;
    size_t usual = arena->reserved < FIRST_CHUNK ? FIRST_CHUNK : arena->reserved;
    if (usual > LARGEST_CHUNK)
        usual = LARGEST_CHUNK;
    if (arena->limit && usual > arena->limit - arena->reserved)
        usual = arena->limit - arena->reserved;

    /* What is large beside a chunk gets one of its own, behind the newest, whose room is still good for small ones. */
    if (need > usual / 4) {
        struct ts_arena_chunk *chunk = reserve(arena, need, cleared);
        if (!chunk)
            return NULL;
        struct ts_arena_chunk **place = arena->chunks ? &arena->chunks->older : &arena->chunks;
        chunk->older = *place;
        *place = chunk;
        return chunk->room;
    }
    struct ts_arena_chunk *chunk = reserve(arena, usual, false);
    if (!chunk)
        return NULL;
    chunk->older = arena->chunks;
    arena->chunks = chunk;
    arena->next = (char *)chunk->room + size;
    arena->end = (char *)chunk + usual;
    if (cleared)
        memset(chunk->room, 0, size);
    return chunk->room;
}

/* The newest chunk's room, or NULL when it has not enough. */
static inline char *alloc_from_room(struct ts_arena *arena, size_t size, size_t alignment)
{
    size_t padding = -(uintptr_t)arena->next & (alignment - 1);
    size_t room = (size_t)(arena->end - arena->next);
    if (!arena->next || padding > room || size > room - padding)
        return NULL;
    char *start = arena->next + padding;
    arena->next = start + size;
    return start;
}

void *ts_arena_alloc(struct ts_arena *arena, size_t size)
{
    char *start = alloc_from_room(arena, size, ALIGNMENT);
    return start ? start : alloc_from_new_chunk(arena, size, false);
}

void *ts_arena_calloc(struct ts_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    char *start = alloc_from_room(arena, bytes, ALIGNMENT);
    return start ? memset(start, 0, bytes) : alloc_from_new_chunk(arena, bytes, true);
}

/* Text needs no alignment: short texts lie close together. */
static char *alloc_text(struct ts_arena *arena, size_t len)
{
    if (len >= PTRDIFF_MAX)
        return NULL;
    char *start = alloc_from_room(arena, len + 1, 1);
    return start ? start : alloc_from_new_chunk(arena, len + 1, false);
}

struct ts_str ts_arena_copy(struct ts_arena *arena, struct ts_str s)
{
    char *text = alloc_text(arena, s.len);
    if (!text)
        return (struct ts_str){NULL, 0};
    if (s.len)
        memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return (struct ts_str){text, s.len};
}

char *ts_arena_strdup(struct ts_arena *arena, struct ts_str s)
{
    return (char *)ts_arena_copy(arena, s).ptr;
}

struct ts_str ts_arena_printf(struct ts_arena *arena, const char *format, ...)
{
    char *text = NULL;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int len = vsnprintf(NULL, 0, format, arguments);
    if (len >= 0)
        text = alloc_text(arena, (size_t)len);
    if (text && vsnprintf(text, (size_t)len + 1, format, again) != len)
        text = NULL;
    va_end(again);
    va_end(arguments);
    return (struct ts_str){text, text ? (size_t)len : 0};
}

enum ts_status ts_arena_error(const struct ts_arena *arena, struct ts_error *error)
{
    if (!arena->over_limit)
        return ts_error_no_memory(error);
    return ts_error_set(error, TS_LIMIT, "more memory would be needed than the %zu bytes this call may use",
                        arena->limit);
}
