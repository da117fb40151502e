/* Runs that send over the fabric. One send is several events on the wire (its headers, the routing fields, the local write of
 * the payload) and one record in the file; with a mux in between, the record needs a write of another core, and what the mux core
 * did itself is left out. So the run is read twice: first for the mux cores and what they wrote, then for the records. One
 * lane is in memory at a time, and the mux cores' writes are four bytes each that go to a file when they are many. */
#include <stdio.h>

#include "base/limits.h"
#include "base/spill.h"
#include "transforms/noc_decode_run.h"

enum { PARTS_MAX = 127, TOO_FAR = 1000, AHEAD = 64 };

/* What a record needs of a mux core's write: where it went. */
struct target {
    signed char x, y;
    unsigned char noc, unused;
};
struct mux {
    int16_t x, y;
    uint64_t next, end; /* of its writes: the first that no send has taken, and all */
    unsigned at, have;  /* of those at hand */
    struct target ahead[AHEAD];
};
struct send {
    enum { WHOLE, MISSING_CHUNKS, MISSING_PARTS } state;
    unsigned events; /* that it takes of its lane */
    unsigned parts;
    uint64_t part[PARTS_MAX], route, write; /* payloads */
    uint64_t sent, written;                 /* times of the last header and of the write */
    bool mux;
    struct target target; /* of the mux's write */
};
struct fabric {
    struct ts_noc_decoder *d;
    TS_VEC(struct mux) muxes;
    uint16_t mux_at[TS_NOC_SIDE * TS_NOC_SIDE]; /* number + 1 of the mux at a place */
    struct ts_spill writes;                     /* struct target, mux by mux */
    unsigned count;                             /* of markers, to look up now and then */
    struct send send;
};

/* ---- events of a lane ---- */

static uint64_t data_of(const struct ts_noc_markers *markers, const struct ts_noc_marker *m)
{
    return TS_NOC_KEY_TYPE(m->key) == TS_NOC_DATA16 ? markers->wide.items[m->data].data : m->data;
}

static const struct ts_noc_marker *next_event(struct ts_noc_markers *markers)
{
    const struct ts_noc_marker *m;
    do
        m = ts_noc_markers_next(markers);
    while (m && TS_NOC_KEY_TYPE(m->key) <= TS_NOC_ZONE_END);
    return m;
}

static bool next_payload(const struct fabric *f, struct ts_noc_markers *markers, uint64_t *data, uint64_t *time,
                         struct ts_noc_payload *out)
{
    const struct ts_noc_marker *m = next_event(markers);
    if (!m)
        return false;
    *data = data_of(markers, m);
    *time = TS_NOC_KEY_TIME(m->key);
    ts_noc_payload_read(f->d->wire, *data, out);
    return true;
}

static bool is_write(const struct ts_noc_payload *payload)
{
    return payload->kind == TS_NOC_PAYLOAD_LOCAL && payload->type->role == TS_NOC_ROLE_WRITE;
}

static bool is_fabric(const struct ts_noc_payload *payload)
{
    return payload->kind == TS_NOC_PAYLOAD_FABRIC || payload->kind == TS_NOC_PAYLOAD_SCATTER;
}

/* The send that begins with the lane's current event. A send is its core's own: it never goes on in another lane. */
static void find_send(const struct fabric *f, const struct ts_noc_marker *m, const struct ts_noc_payload *first,
                      struct send *send)
{
    struct ts_noc_markers ahead = f->d->markers; /* the place in it is a copy, too */
    struct ts_noc_payload payload;
    uint64_t time;
    int parts = first->kind == TS_NOC_PAYLOAD_SCATTER ? first->chunks : 1;
    *send = (struct send){.state = MISSING_CHUNKS, .events = 1};
    send->part[0] = data_of(&ahead, m);
    send->sent = TS_NOC_KEY_TIME(m->key);
    if (parts < 1)
        return;
    for (send->parts = 1; send->parts < (unsigned)parts; send->parts++)
        if (!next_payload(f, &ahead, &send->part[send->parts], &send->sent, &payload))
            return;
    send->state = MISSING_PARTS;
    send->events = send->parts;
    if (!next_payload(f, &ahead, &send->route, &time, &payload) ||
        (payload.kind != TS_NOC_PAYLOAD_ROUTE_1D && payload.kind != TS_NOC_PAYLOAD_ROUTE_2D) ||
        !next_payload(f, &ahead, &send->write, &send->written, &payload) || !is_write(&payload))
        return;
    send->state = WHOLE;
    send->events += 2;
}

/* ---- mux cores ---- */

static struct mux *mux_at(struct fabric *f, int x, int y)
{
    if (x < 0 || y < 0 || x >= TS_NOC_SIDE || y >= TS_NOC_SIDE)
        return NULL;
    unsigned number = f->mux_at[y * TS_NOC_SIDE + x];
    return number ? &f->muxes.items[number - 1] : NULL;
}

/* Where the payload of a send is written to. */
static void place_write(const struct fabric *f, const struct send *send, struct ts_noc_spot *out)
{
    struct ts_noc_payload write;
    ts_noc_payload_read(f->d->wire, send->write, &write);
    ts_noc_place(f->d->runs->description, f->d->device, write.x, write.y, write.noc, out);
}

/* Note the mux cores that the lane's sends go through. */
static enum ts_status survey_lane(struct fabric *f, struct ts_error *error)
{
    unsigned skip = 0;
    for (const struct ts_noc_marker *m; (m = next_event(&f->d->markers));) {
        struct ts_noc_payload payload;
        struct ts_noc_spot to;
        if (skip) {
            skip--;
            continue;
        }
        enum ts_status status = ++f->count % 16384 == 0 ? ts_context_check(f->d->context, error) : TS_OK;
        if (status != TS_OK)
            return status;
        ts_noc_payload_read(f->d->wire, data_of(&f->d->markers, m), &payload);
        if (!is_fabric(&payload))
            continue;
        find_send(f, m, &payload, &f->send);
        skip = f->send.events - 1;
        if (f->send.state != WHOLE)
            continue;
        place_write(f, &f->send, &to);
        if (to.kind != TS_NOC_TENSIX || mux_at(f, to.x, to.y))
            continue;
        struct mux mux = {.x = to.x, .y = to.y};
        if (!ts_vec_push(&f->muxes, mux))
            return ts_error_no_memory(error);
        f->mux_at[to.y * TS_NOC_SIDE + to.x] = (uint16_t)f->muxes.count;
    }
    return TS_OK;
}

/* The writes of a mux core's lane. The lanes of a core follow each other, and so do its writes. */
static enum ts_status collect_lane(struct fabric *f, struct mux *mux, struct ts_error *error)
{
    struct ts_noc_payload payload;
    uint64_t data, time;
    enum ts_status status = TS_OK;
    if (mux->end == 0)
        mux->next = ts_spill_size(&f->writes);
    while (status == TS_OK && next_payload(f, &f->d->markers, &data, &time, &payload)) {
        if (!is_write(&payload))
            continue;
        struct target target = {payload.x, payload.y, payload.noc, 0};
        status = ts_spill_add(&f->writes, &target, sizeof target, error);
    }
    mux->end = ts_spill_size(&f->writes);
    return status;
}

/* Read the run for all that its records need from elsewhere. */
static enum ts_status look_ahead(struct fabric *f, const struct ts_noc_run *run, struct ts_error *error)
{
    struct ts_noc_decoder *d = f->d;
    uint64_t duplicates = d->markers.duplicates, clashes = d->markers.clashes; /* are counted with the records */
    enum ts_status status = TS_OK;
    for (size_t at = run->first; status == TS_OK && at < run->last;) {
        status = ts_noc_decode_load_lane(d, &at, error);
        if (status == TS_OK)
            status = survey_lane(f, error);
    }
    /* The file that many writes go to lies in the folder. */
    if (status == TS_OK && f->muxes.count)
        status = ts_noc_decode_folder(d, error);
    for (size_t at = run->first; status == TS_OK && f->muxes.count && at < run->last;) {
        const struct ts_noc_lane *lane = &d->runs->lanes.items[d->runs->segments.items[at].lane];
        struct mux *mux = mux_at(f, lane->x, lane->y);
        if (!mux) {
            at++;
            continue;
        }
        status = ts_noc_decode_load_lane(d, &at, error);
        if (status == TS_OK)
            status = collect_lane(f, mux, error);
    }
    d->markers.duplicates = duplicates;
    d->markers.clashes = clashes;
    return status;
}

/* The next write of a mux core that no send has taken; send->mux stays false when there is none. */
static enum ts_status take_mux_write(struct fabric *f, struct mux *mux, struct send *send, struct ts_error *error)
{
    if (mux->at == mux->have) {
        uint64_t left = (mux->end - mux->next) / sizeof(struct target);
        mux->at = 0;
        mux->have = left < AHEAD ? (unsigned)left : AHEAD;
        enum ts_status status =
            ts_spill_read(&f->writes, mux->next, mux->ahead, mux->have * sizeof(struct target), error);
        if (status != TS_OK)
            return status;
        mux->next += mux->have * sizeof(struct target);
    }
    if (mux->at < mux->have) {
        send->target = mux->ahead[mux->at++];
        send->mux = true;
    }
    return TS_OK;
}

/* ---- records ---- */

static enum ts_status write_send(struct fabric *f, const struct send *g, struct ts_error *error)
{
    struct ts_noc_decoder *d = f->d;
    struct ts_noc_payload first, route, write, part;
    struct ts_noc_text_target targets[PARTS_MAX];
    struct ts_noc_text_fabric send = {.first = &first, .route = &route, .write = &write, .mux = g->mux};
    ts_noc_payload_read(d->wire, g->part[0], &first);
    ts_noc_payload_read(d->wire, g->route, &route);
    ts_noc_payload_read(d->wire, g->write, &write);
    if (first.packet >= TS_NOC_FABRIC_DYNAMIC_MESH) {
        d->report->losses[TS_NOC_LOSS_DYNAMIC_MESH]++;
        return TS_OK;
    }
    struct ts_noc_text_place eth = ts_noc_decode_place(d, write.x, write.y, write.noc);
    if (g->mux) {
        send.mux_x = eth.x;
        send.mux_y = eth.y;
        send.mux_noc = g->target.noc;
        eth = ts_noc_decode_place(d, g->target.x, g->target.y, g->target.noc);
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
    send.target_count = g->parts;
    for (size_t i = 0; i < send.target_count; i++) {
        ts_noc_payload_read(d->wire, g->part[i], &part);
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
        ts_noc_text_fabric(&d->text, g->written - d->reference, &send);
    return status;
}

/* Whether a send that begins here becomes a record; what does not is counted. */
static enum ts_status settle(struct fabric *f, struct send *send, bool *record, struct ts_error *error)
{
    uint64_t *losses = f->d->report->losses;
    struct ts_noc_spot to;
    *record = false;
    if (send->state != WHOLE) {
        losses[send->state == MISSING_CHUNKS ? TS_NOC_LOSS_MISSING_CHUNKS : TS_NOC_LOSS_MISSING_PARTS]++;
        return TS_OK;
    }
    place_write(f, send, &to);
    if (to.kind == TS_NOC_TENSIX) {
        struct mux *mux = mux_at(f, to.x, to.y);
        enum ts_status status = mux ? take_mux_write(f, mux, send, error) : TS_OK;
        if (status != TS_OK)
            return status;
        if (!send->mux) {
            losses[TS_NOC_LOSS_MISSING_MUX]++;
            return TS_OK;
        }
    } else if (to.kind != TS_NOC_ETH) {
        losses[TS_NOC_LOSS_INVALID_CORE]++;
        return TS_OK;
    }
    if (send->written - send->sent > TOO_FAR)
        losses[TS_NOC_LOSS_TOO_FAR]++;
    else
        *record = true;
    return TS_OK;
}

/* A send's record stands where its write does; its other events are none of their own, whatever becomes of it. */
static enum ts_status write_lane(struct fabric *f, bool mux, struct ts_error *error)
{
    struct ts_noc_decoder *d = f->d;
    unsigned skip = 0;
    bool record = false;
    enum ts_status status = TS_OK;
    for (const struct ts_noc_marker *m; status == TS_OK && (m = ts_noc_markers_next(&d->markers));) {
        unsigned type = TS_NOC_KEY_TYPE(m->key);
        uint64_t time = TS_NOC_KEY_TIME(m->key);
        struct ts_noc_payload payload;
        if (++f->count % 16384 == 0)
            status = ts_context_check(d->context, error);
        if (status != TS_OK)
            break;
        if (type <= TS_NOC_ZONE_END) {
            status = ts_noc_decode_zone(d, time, type == TS_NOC_ZONE_START, (uint32_t)m->data, error);
            continue;
        }
        if (skip) {
            if (--skip == 0 && record)
                status = write_send(f, &f->send, error);
            continue;
        }
        ts_noc_payload_read(d->wire, data_of(&d->markers, m), &payload);
        if (is_fabric(&payload)) {
            find_send(f, m, &payload, &f->send);
            skip = f->send.events - 1;
            status = settle(f, &f->send, &record, error);
        } else if (!mux) {
            /* What a mux core did itself is told with the sends that went through it. */
            const struct ts_noc_wide *wide = type == TS_NOC_DATA16 ? &d->markers.wide.items[m->data] : NULL;
            status = ts_noc_decode_event(d, time, &payload, wide, error);
        }
    }
    return status == TS_OK ? ts_noc_decode_end_lane(d, error) : status;
}

enum ts_status ts_noc_decode_fabric(struct ts_noc_decoder *d, const struct ts_noc_run *run, struct ts_error *error)
{
    struct fabric *f = calloc(1, sizeof *f);
    if (!f)
        return ts_error_no_memory(error);
    f->d = d;
    const char *scratch = d->options->scratch ? d->options->scratch : P_tmpdir;
    ts_spill_init(&f->writes, d->options->folder ? d->options->folder : scratch, TS_LIMIT_NOC_MUX_WRITES);
    enum ts_status status = look_ahead(f, run, error);
    for (size_t at = run->first; status == TS_OK && at < run->last;) {
        const struct ts_noc_lane *lane = &d->runs->lanes.items[d->runs->segments.items[at].lane];
        ts_noc_decode_begin_lane(d, lane);
        status = ts_noc_decode_load_lane(d, &at, error);
        if (status == TS_OK)
            status = write_lane(f, mux_at(f, lane->x, lane->y) != NULL, error);
    }
    ts_vec_free(&f->muxes);
    ts_spill_free(&f->writes);
    free(f);
    return status;
}
