#include "transforms/noc_decode_run.h"

#include "base/limits.h"

enum ts_status ts_noc_decode_load_lane(struct ts_noc_decoder *d, size_t *at, struct ts_error *error)
{
    const struct ts_noc_segment *segments = d->runs->segments.items;
    uint32_t lane = segments[*at].lane;
    enum ts_status status = TS_OK;
    ts_noc_markers_clear(&d->markers);
    for (; status == TS_OK && *at < d->run->last && segments[*at].lane == lane; ++*at)
        status = ts_noc_runs_load(d->runs, &segments[*at], &d->markers, error);
    return status == TS_OK ? ts_noc_markers_sort(&d->markers, error) : status;
}

void ts_noc_decode_begin_lane(struct ts_noc_decoder *d, const struct ts_noc_lane *lane)
{
    d->lane = lane;
    d->lane_begun = false;
    d->last_time = 0;
    d->open.count = 0;
}

enum ts_status ts_noc_decode_ready(struct ts_noc_decoder *d, struct ts_error *error)
{
    if (d->lane_begun)
        return TS_OK;
    enum ts_status status = ts_noc_decode_open(d, error);
    if (status == TS_OK) {
        ts_noc_text_lane(&d->text, d->run, d->lane);
        d->lane_begun = true;
    }
    return status;
}

struct ts_noc_text_place ts_noc_decode_place(struct ts_noc_decoder *d, int x, int y, unsigned noc)
{
    struct ts_noc_spot spot;
    bool placed = ts_noc_place(d->runs->description, d->device, x, y, noc, &spot);
    if (!placed)
        d->report->unplaced++;
    /* With a table that lacks it, as it stands; without any it would be a guess. */
    return (struct ts_noc_text_place){placed || d->device, spot.x, spot.y};
}

/* The head of an event's record, made where it is not known from another. */
static const struct ts_noc_text_head *head_of(struct ts_noc_decoder *d, const struct ts_noc_payload *payload)
{
    bool to = payload->x != -1 && payload->y != -1 && payload->type->role != TS_NOC_ROLE_NO_DESTINATION;
    uint32_t key = 1u << 31 | payload->noc;
    if (to)
        key |= 1u << 24 | (uint32_t)(unsigned char)payload->x << 16 | (uint32_t)(unsigned char)payload->y << 8;
    struct ts_noc_decode_known *known = &d->known[key * 0x9E3779B1u >> 24];
    if (known->key != key) {
        struct ts_noc_text_place place = {false, 0, 0};
        uint64_t unplaced = d->report->unplaced;
        if (to)
            place = ts_noc_decode_place(d, payload->x, payload->y, payload->noc);
        known->key = key;
        known->unplaced = d->report->unplaced != unplaced;
        d->report->unplaced = unplaced;
        ts_noc_text_head(&d->text, place, payload->noc, &known->head);
    }
    d->report->unplaced += known->unplaced;
    return &known->head;
}

/* Every record but the plain ones. */
static void write_event(struct ts_noc_decoder *d, uint64_t time, const struct ts_noc_payload *payload,
                        const struct ts_noc_wide *wide)
{
    struct ts_noc_text_place to = {false, 0, 0}, end = {false, 0, 0};
    struct ts_noc_trailer trailer;
    if (payload->x != -1 && payload->y != -1 && payload->type->role != TS_NOC_ROLE_NO_DESTINATION) {
        to = ts_noc_decode_place(d, payload->x, payload->y, payload->noc);
        if (payload->type->role == TS_NOC_ROLE_MULTICAST) {
            end = ts_noc_decode_place(d, payload->end_x, payload->end_y, payload->noc);
            to.given &= end.given;
        }
    }
    if (wide)
        trailer = ts_noc_trailer_read(wide->trailer);
    ts_noc_text_event(&d->text, time - d->reference, payload, to, end, wide ? &trailer : NULL);
}

enum ts_status ts_noc_decode_event(struct ts_noc_decoder *d, uint64_t time, const struct ts_noc_payload *payload,
                                   const struct ts_noc_wide *wide, struct ts_error *error)
{
    if (payload->kind != TS_NOC_PAYLOAD_LOCAL) {
        d->report->losses[payload->kind == TS_NOC_PAYLOAD_BAD ? TS_NOC_LOSS_BAD_CODE : TS_NOC_LOSS_ORPHAN_ROUTE]++;
        return TS_OK;
    }
    enum ts_status status = ts_noc_decode_ready(d, error);
    if (status != TS_OK)
        return status;
    d->last_time = time;
    if (wide || payload->type->role == TS_NOC_ROLE_MULTICAST)
        write_event(d, time, payload, wide);
    else
        ts_noc_text_plain(&d->text, time - d->reference, head_of(d, payload), payload);
    return TS_OK;
}

static void write_zone(struct ts_noc_decoder *d, uint64_t time, bool start, uint32_t name)
{
    ts_noc_text_zone(&d->text, time - d->reference, start, ts_intern_text(&d->runs->description->names, name));
}

/* Which ends an end brings with it: those of zones inside that have none. False: it has no start itself. */
static bool close_zones(struct ts_noc_decoder *d, uint64_t time, uint32_t name)
{
    size_t depth = d->open.count;
    while (depth > 0 && d->open.items[depth - 1] != name)
        depth--;
    if (depth == 0) {
        d->report->repaired_orphans++;
        return false;
    }
    for (; d->open.count > depth; d->open.count--) {
        write_zone(d, time, false, d->open.items[d->open.count - 1]);
        d->report->repaired_open++;
    }
    d->open.count--;
    return true;
}

enum ts_status ts_noc_decode_zone(struct ts_noc_decoder *d, uint64_t time, bool start, uint32_t name,
                                  struct ts_error *error)
{
    unsigned flags;
    enum ts_status status = ts_noc_decode_ready(d, error);
    if (status != TS_OK)
        return status;
    if (!ts_noc_runs_name(d->runs, name, &flags))
        return ts_error_no_memory(error);
    if (d->runs->per_kernel && start && flags & TS_NOC_NAME_KERNEL)
        d->reference = time;
    d->last_time = time;
    if (d->options->repair) {
        if (start && !ts_vec_push(&d->open, name))
            return ts_error_no_memory(error);
        if (!start && !close_zones(d, time, name))
            return TS_OK;
    }
    write_zone(d, time, start, name);
    return TS_OK;
}

enum ts_status ts_noc_decode_end_lane(struct ts_noc_decoder *d, struct ts_error *error)
{
    (void)error;
    for (; d->open.count > 0; d->open.count--) {
        write_zone(d, d->last_time, false, d->open.items[d->open.count - 1]);
        d->report->repaired_open++;
    }
    return TS_OK;
}

static enum ts_status write_lane(struct ts_noc_decoder *d, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    unsigned count = 0;
    for (const struct ts_noc_marker *m; status == TS_OK && (m = ts_noc_markers_next(&d->markers));) {
        unsigned type = TS_NOC_KEY_TYPE(m->key);
        uint64_t time = TS_NOC_KEY_TIME(m->key);
        if (type <= TS_NOC_ZONE_END) {
            status = ts_noc_decode_zone(d, time, type == TS_NOC_ZONE_START, (uint32_t)m->data, error);
        } else {
            const struct ts_noc_wide *wide = type == TS_NOC_DATA16 ? &d->markers.wide.items[m->data] : NULL;
            struct ts_noc_payload payload;
            ts_noc_payload_read(d->wire, wide ? wide->data : m->data, &payload);
            status = ts_noc_decode_event(d, time, &payload, wide, error);
        }
        if (++count % 16384 == 0 && status == TS_OK)
            status = ts_context_check(d->context, error);
    }
    return status == TS_OK ? ts_noc_decode_end_lane(d, error) : status;
}

enum ts_status ts_noc_decode_run(struct ts_noc_decoder *d, const struct ts_noc_run *run, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    d->run = run;
    d->device = ts_noc_device_find(d->runs->description, run->device);
    d->reference = 0;
    if (d->known_on != d->device)
        memset(d->known, 0, sizeof d->known);
    d->known_on = d->device;
    if (run->fabric)
        return ts_noc_decode_fabric(d, run, error);
    for (size_t at = run->first; status == TS_OK && at < run->last;) {
        ts_noc_decode_begin_lane(d, &d->runs->lanes.items[d->runs->segments.items[at].lane]);
        status = ts_noc_decode_load_lane(d, &at, error);
        if (status == TS_OK)
            status = write_lane(d, error);
    }
    return status;
}
