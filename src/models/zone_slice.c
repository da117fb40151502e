#include "models/zone_slice.h"

#include <stdlib.h>

#include "base/limits.h"

enum { ROWS_AT_ONCE = 64, SLOTS_AT_FIRST = 256 };

/* ---- texts by their first and last bytes ---- */

static inline uint64_t load(const char *bytes, size_t len)
{
    uint64_t word = 0;
    memcpy(&word, bytes, len);
    return word;
}

static inline struct ts_text_key key_of(struct ts_str text)
{
    if (text.len >= 8)
        return (struct ts_text_key){load(text.ptr, 8), load(text.ptr + text.len - 8, 8)};
    if (text.len >= 4)
        return (struct ts_text_key){load(text.ptr, 4), load(text.ptr + text.len - 4, 4)};
    struct ts_text_key key = {0, 0};
    for (size_t i = 0; i < text.len; i++)
        key.head = key.head << 8 | (unsigned char)text.ptr[i];
    return key;
}

static inline bool same_text(struct ts_text_key a, struct ts_str a_text, struct ts_text_key b, struct ts_str b_text)
{
    return a.head == b.head && a.tail == b.tail && a_text.len == b_text.len &&
           (a_text.len <= 16 || memcmp(a_text.ptr, b_text.ptr, a_text.len) == 0);
}

static inline uint32_t mix(uint64_t a, uint64_t b)
{
    uint64_t mixed = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(mixed >> 32);
}

/* ---- tables ---- */

/* A table of twice the slots, or the first; hash_at gives the hash of an item. */
static bool grow_slots(uint32_t **slots, uint32_t *count, uint32_t items,
                       uint32_t (*hash_at)(const void *data, uint32_t), const void *data)
{
    if (2 * items < *count)
        return true;
    uint32_t larger = *count ? 2 * *count : SLOTS_AT_FIRST;
    uint32_t *made = calloc(larger, sizeof *made);
    if (!made)
        return false;
    for (uint32_t i = 0; i < items; i++) {
        uint32_t at = hash_at(data, i) & (larger - 1);
        while (made[at])
            at = (at + 1) & (larger - 1);
        made[at] = i + 1;
    }
    free(*slots);
    *slots = made;
    *count = larger;
    return true;
}

static uint32_t lane_hash(const struct ts_log_core *core, struct ts_text_key key)
{
    return mix(((uint64_t)core->slot << 32 | core->x) ^ key.head, core->y ^ key.tail << 8);
}

static uint32_t lane_hash_at(const void *data, uint32_t i)
{
    const struct ts_zone_slice *slice = data;
    return lane_hash(&slice->lanes.items[i].core, slice->lanes.items[i].key);
}

static inline uint32_t group_hash(struct ts_text_key key, size_t len, uint32_t risc)
{
    return mix(key.head ^ len << 56, key.tail ^ risc);
}

static uint32_t group_hash_at(const void *data, uint32_t i)
{
    const struct ts_zone_slice *slice = data;
    const struct ts_slice_group *group = &slice->groups.items[i];
    return group_hash(group->key, group->zone.len, group->risc);
}

static uint32_t zone_hash_at(const void *data, uint32_t i)
{
    const struct ts_zone_slice *slice = data;
    return (uint32_t)ts_zone_key_hash(slice->zones.items[i].key);
}

enum ts_status ts_zone_slice_init(struct ts_zone_slice *slice, struct ts_zone_names *names,
                                  const struct ts_device_log_layout *layout, const struct ts_core_spans *spans,
                                  uint64_t seed, enum ts_log_vectors vectors, struct ts_error *error)
{
    *slice = (struct ts_zone_slice){.names = names, .spans = spans};
    slice->typed = layout->at[TS_LOG_TYPE] != TS_LOG_NOWHERE;
    ts_log_scanner_init(&slice->scanner, layout, seed, vectors);
    if (grow_slots(&slice->lane_slots, &slice->lane_slot_count, 0, lane_hash_at, slice) &&
        grow_slots(&slice->group_slots, &slice->group_slot_count, 0, group_hash_at, slice) &&
        grow_slots(&slice->zone_slots, &slice->zone_slot_count, 0, zone_hash_at, slice))
        return TS_OK;
    ts_zone_slice_free(slice);
    return ts_error_no_memory(error);
}

void ts_zone_slice_free(struct ts_zone_slice *slice)
{
    for (size_t i = 0; i < slice->groups.count; i++)
        free(slice->groups.items[i].cores);
    ts_vec_free(&slice->lanes);
    ts_vec_free(&slice->groups);
    ts_vec_free(&slice->zones);
    ts_vec_free(&slice->met);
    ts_vec_free(&slice->started);
    ts_vec_free(&slice->records);
    free(slice->lane_slots);
    free(slice->group_slots);
    free(slice->zone_slots);
    slice->lane_slots = slice->group_slots = slice->zone_slots = NULL;
    ts_log_scanner_free(&slice->scanner);
    ts_log_piece_free(&slice->piece);
}

/* ---- what a row names ---- */

static enum ts_status add_lane(struct ts_zone_slice *slice, struct ts_slice_lane *lane, struct ts_str risc,
                               struct ts_error *error)
{
    enum ts_status status =
        ts_zone_names_lane(slice->names, &lane->core, risc, &lane->lane, &lane->info, &lane->risc, error);
    if (status != TS_OK)
        return status;
    uint32_t count = (uint32_t)slice->lanes.count;
    if (!ts_vec_push(&slice->lanes, *lane) ||
        !grow_slots(&slice->lane_slots, &slice->lane_slot_count, count + 1, lane_hash_at, slice))
        return ts_error_no_memory(error);
    return TS_OK;
}

static inline bool is_lane(const struct ts_slice_lane *have, const struct ts_log_row *row, struct ts_text_key key)
{
    return have->core.slot == row->slot && have->core.x == row->x && have->core.y == row->y &&
           same_text(have->key, have->risc, key, row->risc);
}

static enum ts_status look_up_lane(struct ts_zone_slice *slice, const struct ts_log_row *row, struct ts_text_key key,
                                   uint32_t *out, struct ts_error *error)
{
    struct ts_slice_lane lane = {.core = {row->slot, row->x, row->y}, .key = key};
    uint32_t hash = lane_hash(&lane.core, key), mask = slice->lane_slot_count - 1;
    for (uint32_t at = hash & mask; slice->lane_slots[at]; at = (at + 1) & mask) {
        *out = slice->lane_slots[at] - 1;
        if (is_lane(&slice->lanes.items[*out], row, key))
            return TS_OK;
    }
    uint32_t number = (uint32_t)slice->lanes.count;
    enum ts_status status = add_lane(slice, &lane, row->risc, error);
    if (status != TS_OK)
        return status;
    mask = slice->lane_slot_count - 1;
    uint32_t at = hash & mask;
    while (slice->lane_slots[at] && slice->lane_slots[at] != number + 1)
        at = (at + 1) & mask;
    slice->lane_slots[at] = number + 1;
    *out = number;
    return TS_OK;
}

/* Cores follow one another in the same order again and again, so the one that came next last time is tried first. */
static inline enum ts_status find_lane(struct ts_zone_slice *slice, const struct ts_log_row *row, uint32_t *out,
                                       struct ts_error *error)
{
    struct ts_text_key key = key_of(row->risc);
    uint32_t before = *out;
    if (before < slice->lanes.count) {
        uint32_t guess = slice->lanes.items[before].next;
        if (is_lane(&slice->lanes.items[guess], row, key)) {
            *out = guess;
            return TS_OK;
        }
    }
    enum ts_status status = look_up_lane(slice, row, key, out, error);
    if (status == TS_OK && before < slice->lanes.count)
        slice->lanes.items[before].next = *out;
    return status;
}

static inline uint32_t look_up_group(const struct ts_zone_slice *slice, struct ts_text_key key, struct ts_str zone,
                                     uint32_t risc)
{
    uint32_t mask = slice->group_slot_count - 1;
    for (uint32_t at = group_hash(key, zone.len, risc) & mask; slice->group_slots[at]; at = (at + 1) & mask) {
        const struct ts_slice_group *have = &slice->groups.items[slice->group_slots[at] - 1];
        if (have->risc == risc && same_text(have->key, have->zone, key, zone))
            return slice->group_slots[at] - 1;
    }
    return UINT32_MAX;
}

static enum ts_status add_group(struct ts_zone_slice *slice, struct ts_str zone, uint32_t risc, uint32_t *out,
                                struct ts_error *error)
{
    struct ts_slice_group group = {.key = key_of(zone), .risc = risc};
    struct ts_zone_group info;
    enum ts_status status = ts_zone_names_group(slice->names, zone, risc, &group.group, &info, error);
    if (status != TS_OK)
        return status;
    group.zone = info.zone;
    group.kernel = info.kernel;
    uint32_t number = (uint32_t)slice->groups.count;
    if (!ts_vec_push(&slice->groups, group) ||
        !grow_slots(&slice->group_slots, &slice->group_slot_count, number + 1, group_hash_at, slice))
        return ts_error_no_memory(error);
    uint32_t mask = slice->group_slot_count - 1, at = group_hash(group.key, zone.len, risc) & mask;
    while (slice->group_slots[at] && slice->group_slots[at] != number + 1)
        at = (at + 1) & mask;
    slice->group_slots[at] = number + 1;
    *out = number;
    return TS_OK;
}

/* A zone that this slice has not met under this name. */
static enum ts_status find_new_group(struct ts_zone_slice *slice, struct ts_str zone, uint32_t risc, uint32_t *out,
                                     struct ts_error *error)
{
    char buffer[TS_ZONE_FOLDED_MAX];
    *out = UINT32_MAX;
    if (ts_zone_name_fold(zone, buffer, &zone))
        *out = look_up_group(slice, key_of(zone), zone, risc);
    return *out != UINT32_MAX ? TS_OK : add_group(slice, zone, risc, out, error);
}

/* So do zones: after the start or end of one, the group that came next last time is tried first. */
static inline enum ts_status find_group(struct ts_zone_slice *slice, struct ts_str zone, uint32_t risc, uint32_t *out,
                                        struct ts_error *error)
{
    struct ts_text_key key = key_of(zone);
    uint32_t *guess = NULL;
    if (slice->last_group < slice->groups.count) {
        guess = &slice->groups.items[slice->last_group].next[slice->last_kind];
        const struct ts_slice_group *have = &slice->groups.items[*guess];
        if (have->risc == risc && same_text(have->key, have->zone, key, zone)) {
            *out = *guess;
            return TS_OK;
        }
    }
    *out = look_up_group(slice, key, zone, risc);
    if (*out == UINT32_MAX)
        return find_new_group(slice, zone, risc, out, error);
    if (guess)
        *guess = *out;
    return TS_OK;
}

/* The core has rows of the group. False when memory is out. */
static bool note_core(struct ts_slice_group *group, uint32_t core)
{
    uint32_t word = core / 64;
    if (word >= group->core_words) {
        uint32_t words = word + 1 + group->core_words / 2;
        uint64_t *larger = realloc(group->cores, words * sizeof *larger);
        if (!larger)
            return false;
        memset(larger + group->core_words, 0, (words - group->core_words) * sizeof *larger);
        group->cores = larger;
        group->core_words = words;
    }
    group->cores[word] |= UINT64_C(1) << core % 64;
    return true;
}

/* A row of the group: that it is in this piece, and on which core. False when memory is out. */
static inline bool note_row(struct ts_zone_slice *slice, uint32_t lane, uint32_t number)
{
    struct ts_slice_group *group = &slice->groups.items[number];
    if (!group->met) {
        group->met = true;
        if (!ts_vec_push(&slice->met, number))
            return false;
    }
    return note_core(group, slice->lanes.items[lane].info.core);
}

/* ---- pairing inside the piece ---- */

void ts_zone_sums_add(struct ts_zone_sums *sums, uint64_t cycles)
{
    sums->occurrences++;
    sums->cycles += cycles;
    sums->cycles_high += sums->cycles < cycles;
}

struct ts_slice_zone *ts_zone_slice_find(const struct ts_zone_slice *slice, struct ts_zone_key key)
{
    uint32_t mask = slice->zone_slot_count - 1;
    for (uint32_t at = (uint32_t)ts_zone_key_hash(key) & mask; slice->zone_slots[at]; at = (at + 1) & mask)
        if (ts_zone_key_equal(slice->zones.items[slice->zone_slots[at] - 1].key, key))
            return &slice->zones.items[slice->zone_slots[at] - 1];
    return NULL;
}

/* The entry of a key; a new one has no flags and no pair. NULL when memory is out. */
static inline struct ts_slice_zone *zone_at(struct ts_zone_slice *slice, struct ts_slice_lane *lane,
                                            struct ts_zone_key key, bool *added)
{
    /* What ends is most often what started last on the same processor, or what stands around that. */
    *added = false;
    for (unsigned i = 0; i < 2; i++)
        if (lane->recent[i] < slice->zones.count && ts_zone_key_equal(slice->zones.items[lane->recent[i]].key, key))
            return &slice->zones.items[lane->recent[i]];
    uint32_t mask = slice->zone_slot_count - 1, at = (uint32_t)ts_zone_key_hash(key) & mask;
    for (; slice->zone_slots[at]; at = (at + 1) & mask) {
        struct ts_slice_zone *zone = &slice->zones.items[slice->zone_slots[at] - 1];
        if (ts_zone_key_equal(zone->key, key))
            return zone;
    }
    *added = true;
    if (!ts_vec_push(&slice->zones, ((struct ts_slice_zone){.key = key, .pair = TS_NO_PAIR})))
        return NULL;
    uint32_t count = (uint32_t)slice->zones.count;
    if (2 * count >= slice->zone_slot_count) {
        if (!grow_slots(&slice->zone_slots, &slice->zone_slot_count, count, zone_hash_at, slice))
            return NULL;
    } else {
        slice->zone_slots[at] = count;
    }
    lane->recent[1] = lane->recent[0];
    lane->recent[0] = count - 1;
    return &slice->zones.items[count - 1];
}

static uint32_t wanted_pair(struct ts_zone_slice *slice, const struct ts_log_row *row)
{
    if (!slice->pair_known || slice->last_run != row->run || slice->last_slot != row->slot) {
        slice->last_run = row->run;
        slice->last_slot = row->slot;
        slice->last_pair = ts_core_spans_pair(slice->spans, row->run, row->slot);
        slice->pair_known = true;
    }
    return slice->last_pair;
}

static bool is_wanted(const struct ts_zone_slice *slice, const struct ts_log_row *row,
                      const struct ts_slice_group *group)
{
    return group->kernel && slice->spans && row->run_numeric;
}

static inline bool record(struct ts_zone_slice *slice, uint32_t pair, uint32_t lane, uint64_t start, uint64_t end)
{
    return pair == TS_NO_PAIR || ts_vec_push(&slice->records, ((struct ts_kernel_record){start, end, pair, lane}));
}

/* A start or an end of the zone. False when memory is out. */
static inline bool pair_row(struct ts_zone_slice *slice, const struct ts_log_row *row, uint32_t lane, uint32_t number)
{
    struct ts_slice_group *group = &slice->groups.items[number];
    bool added;
    struct ts_zone_key key = {row->run, lane, row->run_numeric ? number : number | TS_ZONE_RUN_TEXT};
    struct ts_slice_zone *zone = zone_at(slice, &slice->lanes.items[lane], key, &added);
    if (!zone)
        return false;
    if (added) {
        if (!note_row(slice, lane, number))
            return false;
        if (is_wanted(slice, row, group))
            zone->pair = wanted_pair(slice, row);
    }
    if (row->kind == TS_LOG_START) {
        bool was_open = zone->flags & TS_ZONE_OPEN;
        zone->flags |= TS_ZONE_OPEN;
        zone->time = row->time;
        if (was_open) {
            group->sums.replaced++;
            return record(slice, zone->pair, UINT32_MAX, 0, 0);
        }
        if (++slice->open_now > slice->open_most)
            slice->open_most = slice->open_now;
        return true;
    }
    if (added) {
        zone->flags = TS_ZONE_FIRST_END;
        zone->first_end = row->time;
        return true;
    }
    if (!(zone->flags & TS_ZONE_OPEN)) {
        group->sums.unmatched++;
        return record(slice, zone->pair, UINT32_MAX, 0, 0);
    }
    zone->flags &= ~(unsigned)TS_ZONE_OPEN;
    slice->open_now--;
    if (row->time < zone->time) {
        group->sums.backwards++;
        return record(slice, zone->pair, UINT32_MAX, 0, 0);
    }
    ts_zone_sums_add(&group->sums, row->time - zone->time);
    return record(slice, zone->pair, lane, zone->time, row->time);
}

/* A clock that runs backwards between two starts of one processor tells where logs were joined. */
static inline bool note_start(struct ts_zone_slice *slice, uint32_t number, uint64_t time)
{
    struct ts_slice_lane *lane = &slice->lanes.items[number];
    if (!lane->started) {
        lane->started = true;
        lane->first_start = time;
        lane->backwards = 0;
        if (!ts_vec_push(&slice->started, number))
            return false;
    } else if (time < lane->last_start) {
        lane->backwards++;
    }
    lane->last_start = time;
    return true;
}

static bool is_kernel_name(struct ts_str zone)
{
    return ts_str_ends_with(zone, TS_STR("-KERNEL"));
}

static void note_unreadable(struct ts_zone_slice *slice, const struct ts_log_row *row)
{
    slice->unreadable_rows++;
    if (row->state == TS_LOG_BAD_NUMBER && row->kind != TS_LOG_OTHER && is_kernel_name(row->zone))
        slice->unreadable_kernel_rows++;
}

/* The lane and group of a row. */
static inline enum ts_status place_row(struct ts_zone_slice *slice, const struct ts_log_row *row, uint32_t *lane,
                                       uint32_t *group, struct ts_error *error)
{
    if (!row->same_core) {
        enum ts_status status = find_lane(slice, row, &slice->last_lane, error);
        if (status != TS_OK)
            return status;
    }
    *lane = slice->last_lane;
    enum ts_status status = find_group(slice, row->zone, slice->lanes.items[*lane].info.risc, group, error);
    slice->last_group = *group;
    slice->last_kind = row->kind;
    return status;
}

static inline enum ts_status work_row(struct ts_zone_slice *slice, const struct ts_log_row *row, struct ts_error *error)
{
    uint32_t lane, number;
    enum ts_status status = place_row(slice, row, &lane, &number, error);
    if (status != TS_OK)
        return status;
    bool good = true;
    if (row->kind == TS_LOG_OTHER) {
        good = note_row(slice, lane, number);
        slice->groups.items[number].sums.occurrences += !slice->typed;
    } else {
        if (row->kind == TS_LOG_START)
            good = note_start(slice, lane, row->time);
        if (!row->run_numeric && slice->groups.items[number].kernel)
            slice->unreadable_kernel_rows++;
        good = good && pair_row(slice, row, lane, number);
    }
    return good ? TS_OK : ts_error_no_memory(error);
}

enum ts_status ts_zone_slice_work(struct ts_zone_slice *slice, struct ts_error *error)
{
    struct ts_log_row rows[ROWS_AT_ONCE];
    size_t count;
    ts_log_scanner_begin(&slice->scanner, slice->piece.bytes, slice->piece.len);
    while ((count = ts_log_scanner_next(&slice->scanner, rows, ROWS_AT_ONCE)) > 0) {
        for (size_t i = 0; i < count; i++) {
            enum ts_status status = TS_OK;
            if (rows[i].state == TS_LOG_GOOD)
                status = work_row(slice, &rows[i], error);
            else
                note_unreadable(slice, &rows[i]);
            if (status != TS_OK)
                return status;
        }
    }
    return slice->scanner.scratch.failed ? ts_error_no_memory(error) : TS_OK;
}

void ts_zone_slice_forget_pairs(struct ts_zone_slice *slice)
{
    for (size_t i = 0; i < slice->met.count; i++)
        slice->groups.items[slice->met.items[i]].sums = (struct ts_zone_sums){0};
    if (slice->zones.count > 0)
        memset(slice->zone_slots, 0, slice->zone_slot_count * sizeof *slice->zone_slots);
    slice->zones.count = 0;
    slice->records.count = 0;
    slice->open_now = slice->open_most = 0;
}

void ts_zone_slice_reset(struct ts_zone_slice *slice)
{
    ts_zone_slice_forget_pairs(slice);
    for (size_t i = 0; i < slice->met.count; i++)
        slice->groups.items[slice->met.items[i]].met = false;
    for (size_t i = 0; i < slice->started.count; i++)
        slice->lanes.items[slice->started.items[i]].started = false;
    slice->met.count = 0;
    slice->started.count = 0;
}

/* ---- row after row ---- */

static bool open_exactly(struct ts_zone_slice *slice, struct ts_slice_group *group, struct ts_zone_opens *opens,
                         const struct ts_zone_open *start, uint64_t *dropped)
{
    struct ts_zone_open *open = ts_zone_opens_find(opens, start->key);
    if (open) {
        open->time = start->time;
        group->sums.replaced++;
        return record(slice, start->pair, UINT32_MAX, 0, 0);
    }
    if (opens->count < TS_LIMIT_LOG_OPEN)
        return ts_zone_opens_add(opens, start);
    ++*dropped;
    return record(slice, start->pair, UINT32_MAX, 0, 0);
}

static bool replay_row(struct ts_zone_slice *slice, const struct ts_log_row *row, uint32_t lane, uint32_t number,
                       struct ts_zone_opens *opens, uint64_t *dropped)
{
    struct ts_slice_group *group = &slice->groups.items[number];
    struct ts_zone_open this = {.time = row->time, .pair = TS_NO_PAIR};
    this.key = (struct ts_zone_key){row->run, slice->lanes.items[lane].lane,
                                    row->run_numeric ? group->group : group->group | TS_ZONE_RUN_TEXT};
    if (is_wanted(slice, row, group))
        this.pair = wanted_pair(slice, row);
    if (row->kind == TS_LOG_START)
        return open_exactly(slice, group, opens, &this, dropped);
    struct ts_zone_open *open = ts_zone_opens_find(opens, this.key);
    if (!open) {
        group->sums.unmatched++;
        return record(slice, this.pair, UINT32_MAX, 0, 0);
    }
    uint64_t start = open->time;
    ts_zone_opens_remove(opens, open);
    if (row->time < start) {
        group->sums.backwards++;
        return record(slice, this.pair, UINT32_MAX, 0, 0);
    }
    ts_zone_sums_add(&group->sums, row->time - start);
    return record(slice, this.pair, lane, start, row->time);
}

enum ts_status ts_zone_slice_replay(struct ts_zone_slice *slice, struct ts_zone_opens *opens, uint64_t *dropped,
                                    struct ts_error *error)
{
    struct ts_log_row rows[ROWS_AT_ONCE];
    size_t count;
    ts_zone_slice_forget_pairs(slice);
    ts_log_scanner_begin(&slice->scanner, slice->piece.bytes, slice->piece.len);
    while ((count = ts_log_scanner_next(&slice->scanner, rows, ROWS_AT_ONCE)) > 0) {
        for (size_t i = 0; i < count; i++) {
            uint32_t lane, group;
            if (rows[i].state != TS_LOG_GOOD)
                continue;
            enum ts_status status = place_row(slice, &rows[i], &lane, &group, error);
            if (status != TS_OK)
                return status;
            if (rows[i].kind != TS_LOG_OTHER && !replay_row(slice, &rows[i], lane, group, opens, dropped))
                return ts_error_no_memory(error);
        }
    }
    return slice->scanner.scratch.failed ? ts_error_no_memory(error) : TS_OK;
}
