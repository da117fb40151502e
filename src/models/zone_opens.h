/* Zones of a device log that have started and not ended, by what makes them one zone. */
#ifndef TS_MODELS_ZONE_OPENS_H
#define TS_MODELS_ZONE_OPENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TS_ZONE_RUN_TEXT in group: run is the hash of a text. */
#define TS_ZONE_RUN_TEXT (UINT32_C(1) << 31)
struct ts_zone_key {
    uint64_t run;
    uint32_t lane, group;
};
struct ts_zone_open {
    struct ts_zone_key key;
    uint64_t time;
    uint32_t pair; /* of core spans, or TS_NO_PAIR */
    bool used;
};
struct ts_zone_opens {
    struct ts_zone_open *slots;
    size_t capacity, count; /* capacity: 0 or a power of two */
};

static inline uint64_t ts_zone_key_hash(struct ts_zone_key key)
{
    uint64_t place = (uint64_t)key.lane << 32 | key.group;
    uint64_t mixed = (key.run ^ place * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    return mixed ^ mixed >> 32;
}
static inline bool ts_zone_key_equal(struct ts_zone_key a, struct ts_zone_key b)
{
    return a.run == b.run && a.lane == b.lane && a.group == b.group;
}

void ts_zone_opens_free(struct ts_zone_opens *opens);
/* NULL: not open. Valid until the next change. */
struct ts_zone_open *ts_zone_opens_find(const struct ts_zone_opens *opens, struct ts_zone_key key);
/* Add what is not open; false when memory is out. */
bool ts_zone_opens_add(struct ts_zone_opens *opens, const struct ts_zone_open *open);
void ts_zone_opens_remove(struct ts_zone_opens *opens, struct ts_zone_open *open);

#endif
