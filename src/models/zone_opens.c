#include "models/zone_opens.h"

#include <stdlib.h>

void ts_zone_opens_free(struct ts_zone_opens *opens)
{
    free(opens->slots);
    *opens = (struct ts_zone_opens){.slots = NULL};
}

struct ts_zone_open *ts_zone_opens_find(const struct ts_zone_opens *opens, struct ts_zone_key key)
{
    if (opens->count == 0)
        return NULL;
    size_t mask = opens->capacity - 1;
    for (size_t at = ts_zone_key_hash(key) & mask; opens->slots[at].used; at = (at + 1) & mask)
        if (ts_zone_key_equal(opens->slots[at].key, key))
            return &opens->slots[at];
    return NULL;
}

static void put(struct ts_zone_opens *opens, const struct ts_zone_open *open)
{
    size_t mask = opens->capacity - 1, at = ts_zone_key_hash(open->key) & mask;
    while (opens->slots[at].used)
        at = (at + 1) & mask;
    opens->slots[at] = *open;
    opens->slots[at].used = true;
}

bool ts_zone_opens_add(struct ts_zone_opens *opens, const struct ts_zone_open *open)
{
    if (2 * (opens->count + 1) > opens->capacity) {
        struct ts_zone_opens larger = {.capacity = opens->capacity ? 2 * opens->capacity : 64};
        larger.slots = calloc(larger.capacity, sizeof *larger.slots);
        if (!larger.slots)
            return false;
        for (size_t i = 0; i < opens->capacity; i++)
            if (opens->slots[i].used)
                put(&larger, &opens->slots[i]);
        larger.count = opens->count;
        free(opens->slots);
        *opens = larger;
    }
    put(opens, open);
    opens->count++;
    return true;
}

void ts_zone_opens_remove(struct ts_zone_opens *opens, struct ts_zone_open *open)
{
    size_t mask = opens->capacity - 1, hole = (size_t)(open - opens->slots);
    opens->slots[hole].used = false;
    opens->count--;
    /* What was pushed behind the hole moves up, so that a search never stops too early. */
    for (size_t at = (hole + 1) & mask; opens->slots[at].used; at = (at + 1) & mask) {
        size_t home = ts_zone_key_hash(opens->slots[at].key) & mask;
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        opens->slots[hole] = opens->slots[at];
        opens->slots[at].used = false;
        hole = at;
    }
}
