#include "models/zone_tally.h"

#include "base/limits.h"

void ts_zone_tally_init(struct ts_zone_tally *tally, struct ts_zone_names *names, struct ts_core_spans *spans)
{
    *tally = (struct ts_zone_tally){.names = names, .spans = spans};
}

void ts_zone_tally_free(struct ts_zone_tally *tally)
{
    ts_zone_opens_free(&tally->opens);
    ts_vec_free(&tally->sums);
    ts_vec_free(&tally->met);
    ts_vec_free(&tally->order);
    ts_vec_free(&tally->lanes);
}

/* ---- kernels ---- */

static void add_kernel(struct ts_zone_tally *tally, uint32_t pair, uint32_t lane, uint64_t start, uint64_t end)
{
    if (pair != TS_NO_PAIR)
        ts_core_spans_add(tally->spans, pair, ts_zone_names_lane_info(tally->names, lane), start, end);
}

static void add_unpaired(struct ts_zone_tally *tally, uint32_t pair)
{
    if (pair != TS_NO_PAIR)
        tally->spans->pairs[pair].unpaired++;
}

static void add_records(struct ts_zone_tally *tally, const struct ts_zone_slice *slice)
{
    for (size_t i = 0; i < slice->records.count; i++) {
        const struct ts_kernel_record *record = &slice->records.items[i];
        if (record->lane == UINT32_MAX)
            tally->spans->pairs[record->pair].unpaired++;
        else
            ts_core_spans_add(tally->spans, record->pair, slice->lanes.items[record->lane].info, record->start,
                              record->end);
    }
}

/* ---- across the ends of pieces ---- */

static struct ts_zone_key shared_key(const struct ts_zone_slice *slice, struct ts_zone_key key)
{
    uint32_t text = key.group & TS_ZONE_RUN_TEXT;
    key.lane = slice->lanes.items[key.lane].lane;
    key.group = slice->groups.items[key.group & ~TS_ZONE_RUN_TEXT].group | text;
    return key;
}

/* A zone that is open where the piece begins, and that the piece knows: it begins with its end, or with another start. */
static void settle(struct ts_zone_tally *tally, struct ts_zone_slice *slice, struct ts_slice_zone *zone,
                   struct ts_zone_open *open)
{
    struct ts_zone_sums *sums = &slice->groups.items[zone->key.group & ~TS_ZONE_RUN_TEXT].sums;
    if (!(zone->flags & TS_ZONE_FIRST_END)) {
        sums->replaced++;
        add_unpaired(tally, zone->pair);
    } else if (zone->first_end < open->time) {
        sums->backwards++;
        add_unpaired(tally, zone->pair);
    } else {
        ts_zone_sums_add(sums, zone->first_end - open->time);
        add_kernel(tally, zone->pair, open->key.lane, open->time, zone->first_end);
    }
    zone->flags |= TS_ZONE_DONE;
    ts_zone_opens_remove(&tally->opens, open);
}

static void settle_opens(struct ts_zone_tally *tally, struct ts_zone_slice *slice)
{
    for (size_t i = 0; i < slice->zones.count && tally->opens.count > 0; i++) {
        struct ts_slice_zone *zone = &slice->zones.items[i];
        struct ts_zone_open *open = ts_zone_opens_find(&tally->opens, shared_key(slice, zone->key));
        if (open)
            settle(tally, slice, zone, open);
    }
}

static bool keep_opens(struct ts_zone_tally *tally, struct ts_zone_slice *slice)
{
    for (size_t i = 0; i < slice->zones.count; i++) {
        const struct ts_slice_zone *zone = &slice->zones.items[i];
        if ((zone->flags & (TS_ZONE_FIRST_END | TS_ZONE_DONE)) == TS_ZONE_FIRST_END) {
            slice->groups.items[zone->key.group & ~TS_ZONE_RUN_TEXT].sums.unmatched++;
            add_unpaired(tally, zone->pair);
        }
        if (!(zone->flags & TS_ZONE_OPEN))
            continue;
        struct ts_zone_open open = {.key = shared_key(slice, zone->key), .time = zone->time, .pair = zone->pair};
        if (!ts_zone_opens_add(&tally->opens, &open))
            return false;
    }
    return true;
}

/* ---- sums, order, clocks ---- */

static bool make_room(struct ts_zone_tally *tally, uint32_t group)
{
    while (tally->sums.count <= group)
        if (!ts_vec_push(&tally->sums, ((struct ts_zone_sums){0})))
            return false;
    while (tally->met.count <= group)
        if (!ts_vec_push(&tally->met, false))
            return false;
    return true;
}

static bool add_sums(struct ts_zone_tally *tally, const struct ts_zone_slice *slice)
{
    for (size_t i = 0; i < slice->met.count; i++) {
        const struct ts_slice_group *group = &slice->groups.items[slice->met.items[i]];
        if (!make_room(tally, group->group))
            return false;
        struct ts_zone_sums *sums = &tally->sums.items[group->group];
        sums->occurrences += group->sums.occurrences;
        sums->cycles += group->sums.cycles;
        sums->cycles_high += group->sums.cycles_high + (sums->cycles < group->sums.cycles);
        tally->starts += group->sums.backwards + group->sums.replaced;
        tally->ends += group->sums.backwards + group->sums.unmatched;
        if (tally->met.items[group->group])
            continue;
        tally->met.items[group->group] = true;
        if (!ts_vec_push(&tally->order, group->group))
            return false;
    }
    return true;
}

static bool add_clocks(struct ts_zone_tally *tally, const struct ts_zone_slice *slice)
{
    for (size_t i = 0; i < slice->started.count; i++) {
        const struct ts_slice_lane *from = &slice->lanes.items[slice->started.items[i]];
        while (tally->lanes.count <= from->lane)
            if (!ts_vec_push(&tally->lanes, ((struct ts_tally_lane){.started = false})))
                return false;
        struct ts_tally_lane *lane = &tally->lanes.items[from->lane];
        lane->backwards += from->backwards + (lane->started && from->first_start < lane->last_start);
        lane->started = true;
        lane->last_start = from->last_start;
    }
    return true;
}

enum ts_status ts_zone_tally_take(struct ts_zone_tally *tally, struct ts_zone_slice *slice, struct ts_error *error)
{
    bool good = true;
    if (tally->opens.count + slice->open_most > TS_LIMIT_LOG_OPEN) {
        enum ts_status status = ts_zone_slice_replay(slice, &tally->opens, &tally->dropped, error);
        if (status != TS_OK)
            return status;
    } else {
        settle_opens(tally, slice);
        good = keep_opens(tally, slice);
    }
    if (tally->spans)
        add_records(tally, slice);
    good = good && add_sums(tally, slice) && add_clocks(tally, slice);
    ts_zone_slice_reset(slice);
    return good ? TS_OK : ts_error_no_memory(error);
}

void ts_zone_tally_finish(struct ts_zone_tally *tally)
{
    for (size_t i = 0; i < tally->opens.capacity; i++) {
        if (!tally->opens.slots[i].used)
            continue;
        tally->starts++;
        add_unpaired(tally, tally->opens.slots[i].pair);
    }
}

uint32_t ts_zone_tally_runs(const struct ts_zone_tally *tally)
{
    uint32_t most = 0;
    for (size_t i = 0; i < tally->lanes.count; i++)
        if (tally->lanes.items[i].backwards > most)
            most = tally->lanes.items[i].backwards;
    return most + 1;
}
