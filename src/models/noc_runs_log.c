/* A device log's rows, run by run and lane by lane. */
#include "formats/noc_log.h"
#include "models/noc_runs.h"

enum { EVENTS = 512 }; /* taken at a time */

/* Which generations a payload fits, and what follows what. Those that one payload does not fit are out. */
static void weigh(struct ts_noc_guess *guess, uint64_t data, bool same_lane)
{
    unsigned b0 = data & 255, b4 = data >> 32 & 255, b5 = data >> 40 & 255, b6 = data >> 48 & 255;
    unsigned lane1 = b5 & 15, lane2 = b4 & 15;
    guess->payloads++;
    if (!guess->misfit1)
        guess->misfit1 = !(b4 >= 1 && b4 < TS_NOC_W1_UNSUPPORTED && (lane1 == 1 || lane1 == 2));
    if (!guess->misfit2)
        guess->misfit2 = !(b6 >= 1 && b6 < TS_NOC_W2_UNSUPPORTED &&
                           (b6 < TS_NOC_W2_FABRIC_UNICAST_WRITE ? lane2 == 1 || lane2 == 2
                                                                : b6 == TS_NOC_W2_FABRIC_ROUTING_FIELDS || b4 <= 3));
    if (!guess->misfit4)
        guess->misfit4 = !(b0 >= 1 && b0 < TS_NOC_W5_UNSUPPORTED &&
                           (b0 >= TS_NOC_W4_FABRIC_UNICAST_WRITE || lane1 == 1 || lane1 == 2));
    guess->late |= b0 >= TS_NOC_W4_FABRIC_UNICAST_WRITE;
    if (same_lane && guess->before >= TS_NOC_W4_FABRIC_UNICAST_WRITE) {
        guess->like4 |= b0 == TS_NOC_W4_FABRIC_ROUTING_FIELDS_1D || b0 == TS_NOC_W4_FABRIC_ROUTING_FIELDS_2D;
        guess->like5 |= b0 == TS_NOC_W5_FABRIC_ROUTING_FIELDS_1D || b0 == TS_NOC_W5_FABRIC_ROUTING_FIELDS_2D;
    }
    guess->before = b0;
}

static enum ts_status lane_of(struct ts_noc_runs *runs, struct ts_map *lanes, const struct ts_noc_row *row,
                              uint32_t *out, struct ts_error *error)
{
    uint64_t bytes[4] = {row->slot, (uint64_t)row->x, (uint64_t)row->y, row->risc};
    struct ts_str text = {(const char *)bytes, sizeof bytes};
    uint64_t *number = ts_map_find(lanes, text);
    if (!number) {
        struct ts_noc_lane lane = {(uint32_t)row->slot, row->risc, (int32_t)row->x, (int32_t)row->y};
        text = ts_arena_copy(&runs->keys, text);
        number = text.ptr ? ts_map_at(lanes, text, NULL) : NULL;
        if (!number || !ts_vec_push(&runs->lanes, lane))
            return ts_error_no_memory(error);
        *number = runs->lanes.count - 1;
    }
    *out = (uint32_t)*number;
    return TS_OK;
}

/* The program of a row: its number is the host id's upper part, in the log of spring 2025 the whole. */
static void run_of(const struct ts_noc_runs *runs, const struct ts_noc_row *row, struct ts_noc_run *out)
{
    *out = (struct ts_noc_run){.device = (uint32_t)row->slot,
                               .traced = row->traced,
                               .host_id = row->host,
                               .trace = row->trace,
                               .count = row->trace_count,
                               .run_counter = (uint32_t)row->run};
    out->op = ts_noc_op_name(runs->description, runs->description->layout == TS_NOC_I1 ? row->host : row->host >> 10);
}

static inline void count_event(struct ts_noc_runs *runs, struct ts_noc_run *run, uint64_t data, bool same_lane)
{
    unsigned b0 = data & 255, b6 = data >> 48 & 255;
    run->fabric2 |= b6 >= TS_NOC_W2_FABRIC_UNICAST_WRITE;
    run->fabric4 |= b0 >= TS_NOC_W4_FABRIC_UNICAST_WRITE;
    if (!runs->description->wire_told)
        weigh(&runs->guess, data, same_lane);
}

static void count_row(struct ts_noc_runs *runs, struct ts_noc_run *run, const struct ts_noc_row *row, bool same_lane)
{
    if (row->type == TS_NOC_ZONE_START || row->type == TS_NOC_ZONE_END) {
        runs->counts.zones++;
    } else if (row->type == TS_NOC_DATA || row->type == TS_NOC_DATA16) {
        if (row->id != TS_NOC_STATIC_ID) {
            *(row->id == TS_NOC_LOCK_ID ? &runs->counts.locks : &runs->counts.other_data) += 1;
            return;
        }
        runs->counts.events++;
        count_event(runs, run, row->data, same_lane);
    }
}

/* The events that follow a row, as long as they are like it. piece is that row's, and ends behind them afterwards. */
static void count_alike(struct ts_noc_runs *runs, struct ts_noc_rows *rows, struct ts_noc_segment *piece)
{
    struct ts_noc_event events[EVENTS];
    uint64_t end;
    for (size_t count; (count = ts_noc_rows_alike(rows, events, EVENTS, &end)) > 0; piece->end = end) {
        struct ts_noc_run *run = &runs->runs.items[piece->run];
        for (size_t i = 0; i < count; i++)
            count_event(runs, run, events[i].data, true);
        runs->counts.events += count;
    }
}

static enum ts_status index_rows(struct ts_noc_runs *runs, struct ts_map *lanes, struct ts_error *error)
{
    struct ts_noc_row row = {0}, before = {0};
    struct ts_noc_segment piece = {0};
    struct ts_noc_rows rows = {0};
    bool found = false, first = true;
    enum ts_status status = ts_noc_rows_begin(&rows, runs->log, runs->log->begin, runs->log->identity.size, error);
    while (status == TS_OK) {
        status = ts_noc_rows_next(&rows, &row, &found, error);
        if (status != TS_OK || !found)
            break;
        bool same = !first && row.same_core;
        if (!same)
            status = lane_of(runs, lanes, &row, &piece.lane, error);
        if (status == TS_OK && (!same || row.host != before.host || row.traced != before.traced ||
                                row.trace != before.trace || row.trace_count != before.trace_count)) {
            struct ts_noc_run run;
            run_of(runs, &row, &run);
            status = ts_noc_runs_find(runs, &run, &piece.run, error);
        }
        if (status != TS_OK)
            break;
        count_row(runs, &runs->runs.items[piece.run], &row, same);
        piece.begin = row.begin;
        piece.end = row.end;
        count_alike(runs, &rows, &piece);
        status = ts_noc_runs_add(runs, &piece, error);
        before = row;
        first = false;
    }
    runs->counts.bad_rows = rows.bad;
    ts_noc_rows_free(&rows);
    return status;
}

enum ts_status ts_noc_runs_of_log(struct ts_context *context, struct ts_noc_log *log,
                                  struct ts_noc_description *description, bool per_kernel, struct ts_noc_runs **out,
                                  struct ts_error *error)
{
    struct ts_noc_runs *runs = NULL;
    struct ts_map lanes;
    enum ts_status status = ts_noc_runs_create(context, description, per_kernel, &runs, error);
    if (status != TS_OK)
        return status;
    ts_map_init(&lanes);
    runs->log = log;
    status = index_rows(runs, &lanes, error);
    ts_map_free(&lanes);
    if (status == TS_OK)
        status = ts_noc_runs_finish(runs, error);
    if (status != TS_OK) {
        ts_noc_runs_destroy(runs);
        return status;
    }
    *out = runs;
    return TS_OK;
}

/* Whether all payloads can be of a generation, as far as they tell. */
static bool fits(const struct ts_noc_guess *g, enum ts_noc_wire wire)
{
    if (wire == TS_WIRE_W1 || wire == TS_WIRE_W2)
        return wire == TS_WIRE_W1 ? !g->misfit1 : !g->misfit2;
    bool other = wire == TS_WIRE_W5 ? g->like4 && !g->like5 : g->like5 && !g->like4;
    return !g->misfit4 && !(g->late && other);
}

/* Tables of another run can name another generation. Where none fits all payloads, some of these are damaged. */
static enum ts_status check_tables(const struct ts_noc_guess *g, enum ts_noc_wire wire, struct ts_error *error)
{
    static const enum ts_noc_wire others[] = {TS_WIRE_W1, TS_WIRE_W2, TS_WIRE_W4, TS_WIRE_W5};
    if (g->payloads == 0 || fits(g, wire))
        return TS_OK;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (fits(g, others[i]))
            return ts_error_set(error, TS_INPUT,
                                "the tables are of generation %s, which the log's NoC events are not (%s fits): name "
                                "the tables of the same run, or say the generation with --wire",
                                ts_noc_wire_name(wire), ts_noc_wire_name(others[i]));
    return TS_OK;
}

enum ts_status ts_noc_runs_settle_wire(struct ts_noc_runs *runs, struct ts_error *error)
{
    const struct ts_noc_guess *g = &runs->guess;
    struct ts_noc_description *d = runs->description;
    if (!d->has_wire && g->payloads) {
        bool w1 = !g->misfit1, w2 = !g->misfit2, w4 = !g->misfit4;
        if (w1 + w2 + w4 != 1)
            return ts_error_set(error, TS_INPUT,
                                "the log does not tell which generation its NoC events are of (%s); say so with --wire",
                                (w1 + w2 + w4) != 0 ? "several fit" : "none fits all of them");
        if (w4 && g->late && g->like4 == g->like5)
            return ts_error_set(
                error, TS_INPUT,
                "the log does not tell whether its NoC events are of generation W4 or W5: they differ in the "
                "numbers of fabric events; say so with --wire");
        d->wire = w1 ? TS_WIRE_W1 : w2 ? TS_WIRE_W2 : g->like4 ? TS_WIRE_W4 : TS_WIRE_W5;
        d->has_wire = true;
    } else if (d->has_wire && !d->wire_told) {
        enum ts_status status = check_tables(g, d->wire, error);
        if (status != TS_OK)
            return status;
    }
    for (size_t i = 0; i < runs->runs.count; i++) {
        struct ts_noc_run *run = &runs->runs.items[i];
        run->fabric = d->wire >= TS_WIRE_W3 ? run->fabric4 : d->wire == TS_WIRE_W2 && run->fabric2;
    }
    return TS_OK;
}

static enum ts_status load_row(struct ts_noc_runs *runs, const struct ts_noc_row *row, struct ts_noc_markers *markers,
                               struct ts_error *error)
{
    unsigned flags;
    uint64_t id = row->id & 0xFFFF;
    if (row->type == TS_NOC_DATA || row->type == TS_NOC_DATA16) {
        if (id != TS_NOC_STATIC_ID)
            return TS_OK;
        uint64_t data = row->data;
        if (row->type == TS_NOC_DATA16) {
            struct ts_noc_wide wide = {row->data, ts_noc_trailer_make(row->trailer)};
            if (!ts_vec_push(&markers->wide, wide))
                return ts_error_no_memory(error);
            data = markers->wide.count - 1;
        }
        return ts_noc_markers_add(markers, TS_NOC_KEY(row->time, runs->per_kernel, id, row->type), data, false, error);
    }
    if (row->type > TS_NOC_ZONE_END)
        return TS_OK;
    uint32_t name = ts_intern_add(&runs->description->names, row->zone);
    if (name == UINT32_MAX)
        return ts_arena_error(&runs->description->arena, error);
    if (!ts_noc_runs_name(runs, name, &flags))
        return ts_error_no_memory(error);
    if (!ts_noc_runs_keeps(flags, row->risc))
        return TS_OK;
    return ts_noc_markers_add(markers, TS_NOC_KEY(row->time, 0, id, row->type), name, false, error);
}

static enum ts_status load_alike(struct ts_noc_runs *runs, struct ts_noc_markers *markers, struct ts_error *error)
{
    struct ts_noc_event events[EVENTS];
    uint64_t end;
    enum ts_status status = TS_OK;
    for (size_t count; (count = ts_noc_rows_alike(runs->rows, events, EVENTS, &end)) > 0 && status == TS_OK;)
        for (size_t i = 0; i < count && status == TS_OK; i++)
            status =
                ts_noc_markers_add(markers, TS_NOC_KEY(events[i].time, runs->per_kernel, TS_NOC_STATIC_ID, TS_NOC_DATA),
                                   events[i].data, false, error);
    return status;
}

enum ts_status ts_noc_runs_load_log(struct ts_noc_runs *runs, const struct ts_noc_segment *segment,
                                    struct ts_noc_markers *markers, struct ts_error *error)
{
    struct ts_noc_row row = {0};
    bool found = true;
    if (!runs->rows) {
        runs->rows = calloc(1, sizeof *runs->rows);
        if (!runs->rows)
            return ts_error_no_memory(error);
    }
    enum ts_status status = ts_noc_rows_begin(runs->rows, runs->log, segment->begin, segment->end, error);
    while (status == TS_OK && found) {
        status = ts_noc_rows_next(runs->rows, &row, &found, error);
        if (status == TS_OK && found)
            status = load_row(runs, &row, markers, error);
        if (status == TS_OK && found)
            status = load_alike(runs, markers, error);
    }
    return status;
}
