#include "base/intern.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64, FIRST_TEXTS = 32 };

/* A table for at least count texts, filled with those there are. */
static bool make_slots(struct ts_intern *intern, size_t slot_count)
{
    struct ts_intern_slot *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    size_t last = slot_count - 1;
    for (uint32_t id = 0; id < intern->count; id++) {
        struct ts_str text = intern->texts[id];
        uint32_t hash = (uint32_t)ts_hash(text.ptr, text.len, intern->seed);
        size_t at = hash & last;
        while (slots[at].number)
            at = (at + 1) & last;
        slots[at] = (struct ts_intern_slot){hash, id + 1};
    }
    free(intern->slots);
    intern->slots = slots;
    intern->slot_count = slot_count;
    return true;
}

static bool grow_texts(struct ts_intern *intern)
{
    uint32_t capacity =
        intern->capacity ? intern->capacity > UINT32_MAX / 2 ? UINT32_MAX : intern->capacity * 2 : FIRST_TEXTS;
    struct ts_str *texts = reallocarray(intern->texts, capacity, sizeof *texts);
    if (!texts)
        return false;
    intern->texts = texts;
    intern->capacity = capacity;
    return true;
}

enum ts_status ts_intern_init(struct ts_intern *intern, struct ts_arena *arena, struct ts_error *error)
{
    *intern = (struct ts_intern){.arena = arena, .seed = ts_hash_seed(intern)};
    if (ts_intern_add(intern, TS_STR("")) != UINT32_MAX)
        return TS_OK;
    ts_intern_free(intern);
    return ts_arena_error(arena, error);
}

void ts_intern_free(struct ts_intern *intern)
{
    free(intern->texts);
    free(intern->slots);
    *intern = (struct ts_intern){.arena = intern->arena, .seed = intern->seed};
}

void ts_intern_seal(struct ts_intern *intern)
{
    free(intern->slots);
    intern->slots = NULL;
    intern->slot_count = 0;
}

/* The id for a text not seen before, not yet in the table. */
static uint32_t add_text(struct ts_intern *intern, struct ts_str text)
{
    if (intern->count == UINT32_MAX - 1 || (intern->count == intern->capacity && !grow_texts(intern)))
        return UINT32_MAX;
    struct ts_str copy = ts_arena_copy(intern->arena, text);
    if (!copy.ptr)
        return UINT32_MAX;
    intern->texts[intern->count] = copy;
    return intern->count++;
}

uint32_t ts_intern_add(struct ts_intern *intern, struct ts_str text)
{
    /* Room for one more before the search, so that the free slot it ends at can be used. */
    if (intern->count >= intern->slot_count / 2) {
        size_t wanted = intern->slot_count ? intern->slot_count : FIRST_SLOTS;
        while (intern->count >= wanted / 2)
            wanted *= 2;
        if (!make_slots(intern, wanted))
            return UINT32_MAX;
    }
    size_t last = intern->slot_count - 1;
    uint32_t hash = (uint32_t)ts_hash(text.ptr, text.len, intern->seed);
    size_t at = hash & last;
    for (; intern->slots[at].number; at = (at + 1) & last) {
        struct ts_intern_slot slot = intern->slots[at];
        if (slot.hash == hash && ts_str_equal(intern->texts[slot.number - 1], text))
            return slot.number - 1;
    }
    uint32_t id = add_text(intern, text);
    if (id != UINT32_MAX)
        intern->slots[at] = (struct ts_intern_slot){hash, id + 1};
    return id;
}
