/* Runs that send over the fabric. One send is several events on the wire (its headers, the routing fields, the local write of
 * the payload) and one record in the file; with a mux in between, the record needs a write of another core. So all events of
 * such a run are in memory at once. */
#include "transforms/noc_decode_run.h"

struct entry {
    uint64_t key;
    uint64_t data; /* payload; of a zone its name */
    uint64_t trailer;
    uint32_t lane;
    uint32_t group; /* of a fabric send: its number + 1 */
    bool dropped;   /* not written */
};
struct group {
    size_t first, parts, route, write; /* entries */
    bool mux;
    size_t mux_write;
};
struct mux {
    int16_t x, y;
    size_t next; /* entry to look for its next write at */
};
struct fabric {
    struct ts_noc_decoder *d;
    TS_VEC(struct entry) all; /* in the file's order */
    TS_VEC(uint32_t) events;  /* of them, those that are no zones */
    TS_VEC(struct group) groups;
    TS_VEC(struct mux) muxes;
};

enum { TOO_FAR = 1000 };

static const struct ts_noc_lane *lane_of(const struct fabric *f, const struct entry *e)
{
    return &f->d->runs->lanes.items[e->lane];
}

static void payload_of(const struct fabric *f, size_t event, struct ts_noc_payload *out)
{
    ts_noc_payload_read(f->d->wire, f->all.items[f->events.items[event]].data, out);
}

static enum ts_status load(struct fabric *f, const struct ts_noc_run *run, struct ts_error *error)
{
    struct ts_noc_decoder *d = f->d;
    for (size_t at = run->first; at < run->last;) {
        struct entry e = {.lane = d->runs->segments.items[at].lane};
        enum ts_status status = ts_noc_decode_load_lane(d, &at, error);
        if (status != TS_OK)
            return status;
        for (const struct ts_noc_marker *m; (m = ts_noc_markers_next(&d->markers));) {
            bool wide = TS_NOC_KEY_TYPE(m->key) == TS_NOC_DATA16;
            e.key = m->key;
            e.data = wide ? d->markers.wide.items[m->data].data : m->data;
            e.trailer = wide ? d->markers.wide.items[m->data].trailer : 0;
            if (TS_NOC_KEY_TYPE(m->key) > TS_NOC_ZONE_END && !ts_vec_push(&f->events, (uint32_t)f->all.count))
                return ts_error_no_memory(error);
            if (f->all.count >= UINT32_MAX)
                return ts_error_set(error, TS_LIMIT, "a program run with fabric events has more than %u of them",
                                    UINT32_MAX);
            if (!ts_vec_push(&f->all, e))
                return ts_error_no_memory(error);
        }
    }
    return TS_OK;
}

static struct mux *mux_at(struct fabric *f, int x, int y)
{
    for (size_t i = 0; i < f->muxes.count; i++)
        if (f->muxes.items[i].x == x && f->muxes.items[i].y == y)
            return &f->muxes.items[i];
    return NULL;
}

/* The next write of a core that nobody has taken; false when there is none. */
static enum ts_status take_mux_write(struct fabric *f, int x, int y, bool *found, size_t *out, struct ts_error *error)
{
    struct mux *mux = mux_at(f, x, y);
    if (!mux) {
        struct mux made = {(int16_t)x, (int16_t)y, 0};
        if (!ts_vec_push(&f->muxes, made))
            return ts_error_no_memory(error);
        mux = &f->muxes.items[f->muxes.count - 1];
    }
    *found = false;
    for (; mux->next < f->events.count && !*found; mux->next++) {
        const struct ts_noc_lane *lane = lane_of(f, &f->all.items[f->events.items[mux->next]]);
        struct ts_noc_payload payload;
        if (lane->x > x || (lane->x == x && lane->y > y))
            break;
        if (lane->x != x || lane->y != y)
            continue;
        payload_of(f, mux->next, &payload);
        *found = payload.kind == TS_NOC_PAYLOAD_LOCAL && payload.type->role == TS_NOC_ROLE_WRITE;
        *out = f->events.items[mux->next];
    }
    return TS_OK;
}

static uint64_t time_of(const struct fabric *f, size_t event)
{
    return TS_NOC_KEY_TIME(f->all.items[f->events.items[event]].key);
}

/* Events i and on are a send, or one that is broken: then it is counted. *next is where to go on. */
static enum ts_status take_send(struct fabric *f, size_t i, const struct ts_noc_payload *first, size_t *next,
                                struct ts_error *error)
{
    uint64_t *losses = f->d->report->losses;
    struct ts_noc_payload route, write;
    struct group g = {.first = i, .parts = 1};
    *next = i + 1;
    if (first->kind == TS_NOC_PAYLOAD_SCATTER) {
        if (first->chunks < 1 || (size_t)first->chunks > f->events.count - i) {
            losses[TS_NOC_LOSS_MISSING_CHUNKS]++;
            return TS_OK;
        }
        g.parts = (size_t)first->chunks;
    }
    size_t last = i + g.parts - 1;
    *next = last + 1;
    bool whole = last + 2 < f->events.count;
    if (whole) {
        payload_of(f, last + 1, &route);
        payload_of(f, last + 2, &write);
        whole = (route.kind == TS_NOC_PAYLOAD_ROUTE_1D || route.kind == TS_NOC_PAYLOAD_ROUTE_2D) &&
                write.kind == TS_NOC_PAYLOAD_LOCAL && write.type->role == TS_NOC_ROLE_WRITE;
    }
    if (!whole) {
        losses[TS_NOC_LOSS_MISSING_PARTS]++;
        return TS_OK;
    }
    *next = last + 3;
    g.route = last + 1;
    g.write = last + 2;
    struct ts_noc_spot to;
    ts_noc_place(f->d->runs->description, f->d->device, write.x, write.y, write.noc, &to);
    if (to.kind == TS_NOC_TENSIX) {
        enum ts_status status = take_mux_write(f, to.x, to.y, &g.mux, &g.mux_write, error);
        if (status != TS_OK)
            return status;
        if (!g.mux) {
            losses[TS_NOC_LOSS_MISSING_MUX]++;
            return TS_OK;
        }
    } else if (to.kind != TS_NOC_ETH) {
        losses[TS_NOC_LOSS_INVALID_CORE]++;
        return TS_OK;
    }
    if (time_of(f, g.write) - time_of(f, last) > TOO_FAR) {
        losses[TS_NOC_LOSS_TOO_FAR]++;
        return TS_OK;
    }
    if (!ts_vec_push(&f->groups, g))
        return ts_error_no_memory(error);
    f->all.items[f->events.items[g.write]].group = (uint32_t)f->groups.count;
    f->all.items[f->events.items[g.write]].dropped = false;
    return TS_OK;
}

static enum ts_status coalesce(struct fabric *f, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    for (size_t i = 0, next; status == TS_OK && i < f->events.count; i = next) {
        struct ts_noc_payload payload;
        payload_of(f, i, &payload);
        next = i + 1;
        if (payload.kind != TS_NOC_PAYLOAD_FABRIC && payload.kind != TS_NOC_PAYLOAD_SCATTER)
            continue;
        /* Whatever becomes of a send, its events are not records of their own. */
        size_t made = f->groups.count;
        status = take_send(f, i, &payload, &next, error);
        for (size_t k = i; k < next; k++)
            f->all.items[f->events.items[k]].dropped = true;
        if (f->groups.count > made)
            f->all.items[f->events.items[next - 1]].dropped = false;
        if (i % 16384 == 0 && status == TS_OK)
            status = ts_context_check(f->d->context, error);
    }
    /* What a mux core did itself is told with the sends that went through it. */
    for (size_t i = 0; f->muxes.count && i < f->events.count; i++) {
        struct entry *e = &f->all.items[f->events.items[i]];
        const struct ts_noc_lane *lane = lane_of(f, e);
        e->dropped |= e->group == 0 && mux_at(f, lane->x, lane->y);
    }
    return status;
}

static enum ts_status write_send(struct fabric *f, const struct group *g, uint64_t time, struct ts_error *error)
{
    enum { PARTS_MAX = 127 };
    struct ts_noc_decoder *d = f->d;
    struct ts_noc_payload first, route, write, part;
    struct ts_noc_text_target targets[PARTS_MAX];
    struct ts_noc_text_fabric send = {.first = &first, .route = &route, .write = &write, .mux = g->mux};
    payload_of(f, g->first, &first);
    payload_of(f, g->route, &route);
    payload_of(f, g->write, &write);
    if (first.packet >= TS_NOC_FABRIC_DYNAMIC_MESH) {
        d->report->losses[TS_NOC_LOSS_DYNAMIC_MESH]++;
        return TS_OK;
    }
    struct ts_noc_text_place eth = ts_noc_decode_place(d, write.x, write.y, write.noc);
    if (g->mux) {
        struct ts_noc_payload mux;
        send.mux_x = eth.x;
        send.mux_y = eth.y;
        ts_noc_payload_read(d->wire, f->all.items[g->mux_write].data, &mux);
        send.mux_noc = mux.noc;
        eth = ts_noc_decode_place(d, mux.x, mux.y, mux.noc);
    }
    if (!ts_noc_channel(d->device, eth.x, eth.y, &send.channel)) {
        d->report->losses[TS_NOC_LOSS_NO_CHANNEL]++;
        return TS_OK;
    }
    if (first.type->role != TS_NOC_ROLE_UNICAST_FABRIC) {
        d->report->losses[TS_NOC_LOSS_MULTICAST]++;
        return TS_OK;
    }
    int64_t left = write.bytes;
    send.target_count = g->parts < PARTS_MAX ? g->parts : PARTS_MAX;
    for (size_t i = 0; i < send.target_count; i++) {
        payload_of(f, g->first + i, &part);
        int64_t bytes = part.kind == TS_NOC_PAYLOAD_SCATTER ? part.chunk : (int64_t)write.bytes;
        targets[i] = (struct ts_noc_text_target){ts_noc_decode_place(d, part.x, part.y, part.noc), part.noc, bytes};
        left -= bytes;
    }
    /* The last chunk takes the rest. */
    if (first.kind == TS_NOC_PAYLOAD_SCATTER)
        targets[send.target_count - 1].bytes = left;
    send.targets = targets;
    enum ts_status status = ts_noc_decode_ready(d, error);
    if (status == TS_OK)
        ts_noc_text_fabric(&d->text, time - d->reference, &send);
    return status;
}

static enum ts_status write_entry(struct fabric *f, const struct entry *e, struct ts_error *error)
{
    uint64_t time = TS_NOC_KEY_TIME(e->key);
    unsigned type = TS_NOC_KEY_TYPE(e->key);
    if (type <= TS_NOC_ZONE_END)
        return ts_noc_decode_zone(f->d, time, type == TS_NOC_ZONE_START, (uint32_t)e->data, error);
    if (e->group)
        return write_send(f, &f->groups.items[e->group - 1], time, error);
    struct ts_noc_payload payload;
    struct ts_noc_wide wide = {e->data, e->trailer};
    ts_noc_payload_read(f->d->wire, e->data, &payload);
    return ts_noc_decode_event(f->d, time, &payload, type == TS_NOC_DATA16 ? &wide : NULL, error);
}

static enum ts_status write_all(struct fabric *f, struct ts_error *error)
{
    struct ts_noc_decoder *d = f->d;
    enum ts_status status = TS_OK;
    for (size_t i = 0; status == TS_OK && i < f->all.count; i++) {
        const struct entry *e = &f->all.items[i];
        if (i == 0 || e->lane != f->all.items[i - 1].lane) {
            if (i > 0)
                status = ts_noc_decode_end_lane(d, error);
            ts_noc_decode_begin_lane(d, lane_of(f, e));
        }
        if (status == TS_OK && !e->dropped)
            status = write_entry(f, e, error);
    }
    if (status == TS_OK && f->all.count)
        status = ts_noc_decode_end_lane(d, error);
    return status;
}

enum ts_status ts_noc_decode_fabric(struct ts_noc_decoder *d, const struct ts_noc_run *run, struct ts_error *error)
{
    struct fabric f = {.d = d};
    enum ts_status status = load(&f, run, error);
    if (status == TS_OK)
        status = coalesce(&f, error);
    if (status == TS_OK)
        status = write_all(&f, error);
    ts_vec_free(&f.all);
    ts_vec_free(&f.events);
    ts_vec_free(&f.groups);
    ts_vec_free(&f.muxes);
    return status;
}
