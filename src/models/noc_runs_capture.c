/* A raw capture's words: images of a buffer, one behind the other, each with the markers of one RISC. */
#include "models/noc_runs.h"

/* PACKET_WORDS: a packet, a near-raw record and what shows an image behind a broken one are no longer. */
enum { BLOCK_WORDS = 65536, PACKET_WORDS = 12 };

enum item { ITEM_END, ITEM_IMAGE, ITEM_MARKER, ITEM_NONE };

struct walk {
    struct ts_noc_runs *runs;
    const uint32_t *words;
    size_t at, have;
    uint64_t offset; /* in the file, of the words behind those at hand */
    uint64_t left;   /* words behind those at hand */
    enum { SEEK, HEAD, BODY, LOST } state;
    bool stopped, cut;
    enum ts_status status; /* of reading */
    uint64_t headless, unmarked;
    uint32_t risc;

    /* The item. */
    uint32_t a, b; /* a marker's, or an image's last two identity words */
    uint64_t data, trailer;
    uint64_t image_at; /* of the image in the file */
    uint64_t started;  /* when the image's outer zone began, 0 where it does not say */
    unsigned position; /* words of the image up to the marker's end; past TS_NOC_CUSTOM it stands still */
};

static void walk_begin(struct walk *w, struct ts_noc_runs *runs, uint64_t begin, uint64_t words)
{
    *w = (struct walk){.runs = runs, .offset = begin, .left = words, .words = runs->block};
}

/* Of a near-raw capture: which RISC's images these are. */
static void walk_near(struct walk *w, uint32_t risc, bool counting)
{
    w->risc = risc;
    if (w->runs->near)
        w->runs->near->counting = counting;
}

static bool refill(struct walk *w, struct ts_error *error)
{
    size_t rest = w->have - w->at;
    if (w->left == 0)
        return false;
    uint32_t *block = w->runs->block;
    memmove(block, block + w->at, rest * sizeof *block);
    size_t take = BLOCK_WORDS - rest < w->left ? BLOCK_WORDS - rest : (size_t)w->left;
    w->at = 0;
    w->have = rest;
    w->status = ts_context_check(w->runs->context, error);
    if (w->status == TS_OK)
        w->status = ts_noc_capture_read(w->runs->capture, w->offset, block + rest, take, error);
    if (w->status != TS_OK)
        return false;
    w->have += take;
    w->offset += 4 * (uint64_t)take;
    w->left -= take;
    return true;
}

/* What a packet has behind its marker. */
static inline enum item packet(struct walk *w)
{
    unsigned type = w->a >> 28 & 7;
    size_t need = type == TS_NOC_DATA ? 2 : type == TS_NOC_DATA16 ? 4 : 0;
    if (w->at + need > w->have) {
        w->cut = true;
        return ITEM_END;
    }
    const uint32_t *p = w->words + w->at;
    if (need)
        w->data = (uint64_t)p[0] << 32 | p[1];
    if (need == 4)
        w->trailer = (uint64_t)p[2] << 32 | p[3];
    w->at += need;
    if (w->runs->near)
        ts_noc_near_raw_marker(w->runs->near, w->a, w->b, (unsigned)need + 2);
    if (type > TS_NOC_DATA16) {
        w->stopped = true;
        return ITEM_END;
    }
    return ITEM_MARKER;
}

/* A near-raw record, as the packet it stands for. ITEM_NONE: go on behind it. */
static enum item near_record(struct walk *w)
{
    struct ts_noc_near_event event;
    size_t used;
    enum ts_noc_near_found found =
        ts_noc_near_raw_record(w->runs->near, w->a, w->b, w->words + w->at, w->have - w->at, &used, &event);
    w->at += used;
    if (found == TS_NOC_NEAR_CUT) {
        w->cut = true;
        return ITEM_END;
    }
    if (found == TS_NOC_NEAR_BAD) {
        w->state = LOST;
        w->unmarked += 2;
    }
    if (found != TS_NOC_NEAR_EVENT)
        return ITEM_NONE;
    w->a = TS_NOC_MARKER(event.wide ? TS_NOC_DATA16 : TS_NOC_DATA, TS_NOC_STATIC_ID) | (uint32_t)(event.time >> 32);
    w->data = event.data;
    w->trailer = event.trailer;
    return ITEM_MARKER;
}

/* Behind something that is no record two zeros may be anything: an image of this RISC shows by its markers too. */
static bool image_follows(const struct walk *w)
{
    const uint32_t *p = w->words + w->at; /* the third word on */
    unsigned bits = w->runs->description->layout == TS_NOC_I3 ? 5 : 3;
    if ((w->a | w->b) != 0 || w->have - w->at < TS_NOC_CUSTOM - 2 || (p[0] & ((1u << bits) - 1)) != w->risc)
        return false;
    return p[2] & p[4] & p[6] & p[8] & TS_NOC_MARKER_VALID;
}

static inline enum item walk_next(struct walk *w, struct ts_error *error)
{
    for (;;) {
        if (w->at + PACKET_WORDS > w->have && w->left && !refill(w, error))
            return ITEM_END;
        if (w->at + 2 > w->have) {
            w->cut |= w->at < w->have && w->state != SEEK;
            return ITEM_END;
        }
        w->a = w->words[w->at];
        w->b = w->words[w->at + 1];
        w->at += 2;
        w->position += w->position <= TS_NOC_CUSTOM ? 2 : 0;
        if (w->state == HEAD) {
            w->state = BODY;
            if (w->runs->near)
                ts_noc_near_raw_image(w->runs->near);
            return ITEM_IMAGE;
        }
        if (w->state == LOST && !image_follows(w)) {
            w->unmarked += 2;
            continue;
        }
        if ((w->a | w->b) == 0) {
            w->state = HEAD;
            w->position = 2;
            w->started = 0;
            w->image_at = w->offset - 4 * (uint64_t)(w->have - w->at) - 8;
        } else if (w->state == SEEK) {
            w->headless += 2;
        } else if (w->runs->near && ts_noc_near_raw_is(w->a)) {
            enum item item = near_record(w);
            if (item != ITEM_NONE)
                return item;
        } else if (!(w->a & TS_NOC_MARKER_VALID)) {
            w->unmarked += 2;
        } else {
            return packet(w);
        }
    }
}

/* ---- indexing ---- */

static void identity_of(const struct ts_noc_runs *runs, const struct walk *w, uint32_t device, struct ts_noc_run *run,
                        uint32_t *risc, uint32_t *flat)
{
    unsigned bits = runs->description->layout == TS_NOC_I3 ? 5 : 3;
    uint64_t counter = 0, program;
    *risc = w->a & ((1u << bits) - 1);
    *flat = w->a >> bits & 0xFF;
    *run = (struct ts_noc_run){.device = device};
    if (runs->description->layout == TS_NOC_I1) {
        program = run->host_id = w->b >> 16;
        run->run_counter = w->b & 0xFFFF;
    } else {
        run->host_id = w->b;
        program = w->b >> 10;
        counter = w->a >> (bits + 8) & 0xFFFF;
    }
    run->traced = ts_noc_replay(runs->description, counter, program, &run->trace, &run->count);
    run->op = ts_noc_op_name(runs->description, program);
}

/* What stands in an image before its first zone does not belong there. */
static inline void count_stale(struct ts_noc_runs *runs, struct walk *w)
{
    uint64_t time = (uint64_t)(w->a & 0xFFF) << 32 | w->b;
    if (w->position == TS_NOC_GUARANTEED + 2)
        w->started = (w->a & 0x7FFFFFFF) && (w->a >> 28 & 7) == TS_NOC_ZONE_START ? time : 0;
    else if (w->position > TS_NOC_CUSTOM && time < w->started && (w->a >> 28 & 7) != TS_NOC_ZONE_TOTAL &&
             (w->a & 0x7FFFFFFF))
        runs->counts.stale++;
}

static void count_marker(struct ts_noc_runs *runs, const struct walk *w, uint32_t run)
{
    unsigned type = w->a >> 28 & 7, id = w->a >> 12 & 0xFFFF;
    if (type == TS_NOC_ZONE_START || type == TS_NOC_ZONE_END) {
        runs->counts.zones += id != 0 || (w->a & 0xFFF) != 0 || type == TS_NOC_ZONE_END;
    } else if (type == TS_NOC_DATA || type == TS_NOC_DATA16) {
        if (id != TS_NOC_STATIC_ID) {
            *(id == TS_NOC_LOCK_ID ? &runs->counts.locks : &runs->counts.other_data) += 1;
            return;
        }
        runs->counts.events++;
        if (!runs->runs.items[run].fabric) {
            struct ts_noc_payload payload;
            ts_noc_payload_read(runs->description->wire, w->data, &payload);
            runs->runs.items[run].fabric =
                payload.kind == TS_NOC_PAYLOAD_FABRIC || payload.kind == TS_NOC_PAYLOAD_SCATTER;
        }
    }
}

static enum ts_status index_section(struct ts_noc_runs *runs, uint32_t number, struct ts_error *error)
{
    const struct ts_noc_section *s = &runs->capture->sections[number];
    struct ts_noc_lane lane = {s->device, s->risc, s->x, s->y};
    struct ts_noc_segment piece = {.lane = (uint32_t)runs->lanes.count};
    struct walk w;
    bool open = false, mismatch = false;
    enum ts_status status = TS_OK;
    if (!ts_vec_push(&runs->lanes, lane) || (s->dropped && !ts_vec_push(&runs->dropped, piece.lane)))
        return ts_error_no_memory(error);
    runs->counts.lost += s->lost;
    runs->counts.lost_unknown += s->dropped && s->lost == 0;
    /* Sections are read apart, also where one ends at the next one's first byte. */
    runs->joins_from = runs->segments.count;
    walk_begin(&w, runs, s->offset, s->words);
    walk_near(&w, s->risc, true);
    for (enum item item; status == TS_OK && (item = walk_next(&w, error)) != ITEM_END;) {
        if (item == ITEM_MARKER) {
            count_marker(runs, &w, piece.run);
            count_stale(runs, &w);
            continue;
        }
        struct ts_noc_run run;
        uint32_t risc, flat;
        if (open) {
            piece.end = w.image_at;
            status = ts_noc_runs_add(runs, &piece, error);
        }
        identity_of(runs, &w, s->device, &run, &risc, &flat);
        mismatch |= risc != s->risc || flat != (s->flat_id & 0xFFu);
        runs->counts.images++;
        piece.begin = w.image_at;
        open = true;
        if (status == TS_OK)
            status = ts_noc_runs_find(runs, &run, &piece.run, error);
    }
    if (status == TS_OK)
        status = w.status;
    if (status == TS_OK && open) {
        piece.end = s->offset + 4 * s->words;
        status = ts_noc_runs_add(runs, &piece, error);
    }
    runs->counts.mismatches += mismatch;
    runs->counts.stopped_lanes += w.stopped;
    runs->counts.cut_lanes += w.cut;
    runs->counts.headless_words += w.headless;
    runs->counts.unmarked_words += w.unmarked;
    return status;
}

enum ts_status ts_noc_runs_of_capture(struct ts_context *context, struct ts_noc_capture *capture, bool per_kernel,
                                      struct ts_noc_runs **out, struct ts_error *error)
{
    struct ts_noc_runs *runs = NULL;
    enum ts_status status = ts_noc_runs_create(context, capture->description, per_kernel, &runs, error);
    if (status != TS_OK)
        return status;
    runs->capture = capture;
    runs->block = malloc(BLOCK_WORDS * sizeof *runs->block);
    if (!runs->block)
        status = ts_error_no_memory(error);
    if (status == TS_OK && capture->description->sites)
        status = ts_noc_near_raw_create(capture->description->sites, &runs->near, error);
    for (size_t i = 0; status == TS_OK && i < capture->section_count; i++) {
        unsigned kind = capture->sections[i].kind;
        if (kind == TS_NOC_SECTION_DRAM || kind == TS_NOC_SECTION_L1)
            status = index_section(runs, (uint32_t)i, error);
        else if (kind != TS_NOC_SECTION_CONTROL)
            runs->counts.unknown_sections++;
    }
    if (runs->near)
        runs->counts.near = runs->near->counts;
    if (status == TS_OK)
        status = ts_noc_runs_finish(runs, error);
    if (status != TS_OK) {
        ts_noc_runs_destroy(runs);
        return status;
    }
    *out = runs;
    return TS_OK;
}

/* ---- loading ---- */

static enum ts_status load_marker(struct ts_noc_runs *runs, const struct walk *w, uint32_t risc,
                                  struct ts_noc_markers *markers, struct ts_error *error)
{
    unsigned type = w->a >> 28 & 7, id = w->a >> 12 & 0xFFFF;
    uint64_t time = (uint64_t)(w->a & 0xFFF) << 32 | w->b;
    if (type == TS_NOC_DATA) {
        if (id != TS_NOC_STATIC_ID)
            return TS_OK;
        return ts_noc_markers_add(markers, TS_NOC_KEY(time, runs->per_kernel, id, type), w->data, false, error);
    }
    if (type == TS_NOC_DATA16) {
        if (id != TS_NOC_STATIC_ID)
            return TS_OK;
        struct ts_noc_wide wide = {w->data, w->trailer};
        if (!ts_vec_push(&markers->wide, wide))
            return ts_error_no_memory(error);
        return ts_noc_markers_add(markers, TS_NOC_KEY(time, runs->per_kernel, id, type), markers->wide.count - 1, false,
                                  error);
    }
    /* An empty slot or padding, whatever its low word is. */
    if (type > TS_NOC_ZONE_END || (w->a & 0x7FFFFFFF) == 0)
        return TS_OK;
    uint32_t name = runs->description->zone_names[id];
    unsigned flags;
    if (!ts_noc_runs_name(runs, name, &flags))
        return ts_error_no_memory(error);
    if (!ts_noc_runs_keeps(flags, risc))
        return TS_OK;
    return ts_noc_markers_add(markers, TS_NOC_KEY(time, 0, id, type), name, w->position <= TS_NOC_CUSTOM, error);
}

enum ts_status ts_noc_runs_load_capture(struct ts_noc_runs *runs, const struct ts_noc_segment *segment,
                                        struct ts_noc_markers *markers, struct ts_error *error)
{
    struct walk w;
    uint32_t risc = runs->lanes.items[segment->lane].risc;
    enum ts_status status = TS_OK;
    walk_begin(&w, runs, segment->begin, (segment->end - segment->begin) / 4);
    walk_near(&w, risc, false);
    for (enum item item; status == TS_OK && (item = walk_next(&w, error)) != ITEM_END;)
        if (item == ITEM_MARKER)
            status = load_marker(runs, &w, risc, markers, error);
    return status == TS_OK ? w.status : status;
}
