#include "transforms/noc_decode_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/limits.h"

/* A record without its lane's lines and a zone's name is smaller. */
enum { RECORD_MAX = 2048 };
/* Twice what a writer keeps, which so takes it as it is. */
enum { BUFFER = 131072 };

static const char *const nocs[] = {"UNDEF", "NOC_0", "NOC_1"};

static const char *noc_name(unsigned noc)
{
    return noc < sizeof nocs / sizeof nocs[0] ? nocs[noc] : "";
}

/* ---- bytes ---- */

static void flush(struct ts_noc_text *t)
{
    ts_writer_add(t->writer, t->buffer, t->used);
    t->used = 0;
}

/* Room for len bytes; false when memory is out. */
static bool reserve(struct ts_noc_text *t, size_t len)
{
    if (t->capacity - t->used >= len)
        return true;
    flush(t);
    if (t->capacity >= len)
        return true;
    char *grown = realloc(t->buffer, len);
    if (!grown) {
        t->failed = true;
        return false;
    }
    t->buffer = grown;
    t->capacity = len;
    return true;
}

static inline char *put(char *p, const char *bytes, size_t len)
{
    memcpy(p, bytes, len);
    return p + len;
}
#define PUT(p, literal) put((p), (literal), sizeof(literal) - 1)

static inline char *put_number(char *p, uint64_t value)
{
    char digits[20];
    unsigned n = 0;
    if (value < 10) {
        *p = (char)('0' + value);
        return p + 1;
    }
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n)
        *p++ = digits[--n];
    return p;
}

static inline char *put_integer(char *p, int64_t value)
{
    if (value < 0) {
        *p++ = '-';
        return put_number(p, 0 - (uint64_t)value);
    }
    return put_number(p, (uint64_t)value);
}

static inline char *put_blanks(char *p, unsigned count)
{
    memset(p, ' ', count);
    return p + count;
}

/* One line: two levels in, the key, the value, a comma. */
static inline char *put_key(const struct ts_noc_text *t, char *p, const char *key, size_t len)
{
    p = put_blanks(p, 2 * t->indent);
    *p++ = '"';
    p = put(p, key, len);
    return PUT(p, "\": ");
}
#define KEY(t, p, literal) put_key((t), (p), (literal), sizeof(literal) - 1)

static inline char *put_line(char *p)
{
    return PUT(p, ",\n");
}

static inline char *put_text(char *p, const char *text)
{
    *p++ = '"';
    p = put(p, text, strlen(text));
    *p++ = '"';
    return p;
}

#define INTEGER(t, p, literal, value) put_line(put_integer(KEY(t, p, literal), value))

/* ---- a file ---- */

enum ts_status ts_noc_text_begin(struct ts_noc_text *t, struct ts_writer *writer, enum ts_noc_format format,
                                 enum ts_noc_wire wire, bool posted, struct ts_error *error)
{
    unsigned count;
    const struct ts_noc_type *types = ts_noc_types(wire, &count);
    t->writer = writer;
    t->format = format;
    t->posted = posted;
    t->indent = format == TS_NOC_J1 ? 4 : 2;
    t->any = t->failed = false;
    t->used = 0;
    t->records = 0;
    if (!t->buffer) {
        t->buffer = malloc(BUFFER);
        t->capacity = BUFFER;
        ts_buf_init(&t->lane, 0);
        if (!t->buffer)
            return ts_error_no_memory(error);
    }
    for (unsigned i = 0; i < count; i++)
        t->types[i].len = (size_t)snprintf(t->types[i].text, sizeof t->types[i].text, ",\n%*s\"type\": \"%s\",\n",
                                           (int)(2 * t->indent), "", types[i].name);
    return TS_OK;
}

static void add_string_line(struct ts_noc_text *t, const char *key, struct ts_str value)
{
    struct ts_json_out json;
    ts_buf_printf(&t->lane, "%*s\"%s\": ", (int)(2 * t->indent), "", key);
    ts_json_out_buf(&json, &t->lane);
    ts_json_string(&json, value);
    ts_buf_text(&t->lane, ",\n");
}

static void add_number_line(struct ts_noc_text *t, const char *key, long long value)
{
    ts_buf_printf(&t->lane, "%*s\"%s\": %lld,\n", (int)(2 * t->indent), "", key, value);
}

void ts_noc_text_lane(struct ts_noc_text *t, const struct ts_noc_run *run, const struct ts_noc_lane *lane)
{
    const char *risc = ts_noc_risc_name(lane->risc);
    char other[24];
    if (!risc) {
        snprintf(other, sizeof other, "RISC_%u", (unsigned)lane->risc);
        risc = other;
    }
    ts_buf_clear(&t->lane);
    t->risc = lane->risc;
    add_string_line(t, "op_name", run->op);
    t->lane_posted = t->lane.len;
    add_string_line(t, "proc", ts_str_from(risc));
    add_number_line(t, "run_host_id", (long long)run->host_id);
    if (t->format == TS_NOC_J1)
        add_number_line(t, "run_id", run->run_counter);
    t->lane_source = t->lane_device = t->lane.len;
    if (t->format != TS_NOC_J1)
        add_number_line(t, "src_device_id", run->device);
    t->lane_core = t->lane.len;
    add_number_line(t, "sx", lane->x);
    add_number_line(t, "sy", lane->y);
    ts_buf_printf(&t->lane, "%*s\"timestamp\": ", (int)(2 * t->indent), "");
    t->failed |= t->lane.failed;
}

static char *begin_record(struct ts_noc_text *t, size_t more)
{
    if (t->failed || !reserve(t, RECORD_MAX + t->lane.len + more))
        return NULL;
    char *p = t->buffer + t->used;
    p = t->any ? PUT(p, ",\n") : PUT(p, "[\n");
    t->any = true;
    t->records++;
    p = put_blanks(p, t->indent);
    return PUT(p, "{\n");
}

static void end_record(struct ts_noc_text *t, char *p)
{
    p = PUT(p, "\n");
    p = put_blanks(p, t->indent);
    p = PUT(p, "}");
    t->used = (size_t)(p - t->buffer);
}

void ts_noc_text_zone(struct ts_noc_text *t, uint64_t time, bool start, struct ts_str name)
{
    /* Six bytes a byte is the most that escaping makes of a name. */
    char *p = begin_record(t, 6 * name.len);
    struct ts_buf escaped;
    struct ts_json_out json;
    if (!p)
        return;
    if (t->format == TS_NOC_J3) {
        p = put(p, t->lane.ptr, t->lane_device);
        p = put(p, t->lane.ptr + t->lane_core, t->lane.len - t->lane_core);
    } else {
        p = put(p, t->lane.ptr, t->lane.len);
    }
    p = put_line(put_number(p, time));
    p = KEY(t, p, "zone");
    ts_buf_init(&escaped, 0);
    ts_json_out_buf(&json, &escaped);
    ts_json_string(&json, name);
    t->failed |= escaped.failed;
    if (!escaped.failed)
        p = put(p, escaped.ptr, escaped.len);
    ts_buf_free(&escaped);
    p = put_line(p);
    p = KEY(t, p, "zone_phase");
    if (t->format == TS_NOC_J1)
        p = start ? PUT(p, "\"begin\"") : PUT(p, "\"end\"");
    else
        p = start ? PUT(p, "\"ZONE_START\"") : PUT(p, "\"ZONE_END\"");
    end_record(t, p);
}

static inline char *put_tail(struct ts_noc_text *t, char *p, uint64_t time, unsigned code, int vc)
{
    p = put_number(p, time);
    p = put(p, t->types[code].text, t->types[code].len);
    return put_integer(KEY(t, p, "vc"), vc);
}

/* op_name to timestamp with what a 16-byte packet adds. */
static char *put_wide_lane(const struct ts_noc_text *t, char *p, const struct ts_noc_trailer *trailer, bool posted)
{
    p = put(p, t->lane.ptr, t->lane_posted);
    p = KEY(t, p, "posted");
    p = !t->posted ? PUT(p, "null") : posted ? PUT(p, "true") : PUT(p, "false");
    p = put_line(p);
    p = put(p, t->lane.ptr + t->lane_posted, t->lane_source - t->lane_posted);
    p = INTEGER(t, p, "src_addr", trailer->source);
    return put(p, t->lane.ptr + t->lane_source, t->lane.len - t->lane_source);
}

void ts_noc_text_event(struct ts_noc_text *t, uint64_t time, const struct ts_noc_payload *payload,
                       struct ts_noc_text_place to, struct ts_noc_text_place end, const struct ts_noc_trailer *trailer)
{
    char *p = begin_record(t, 0);
    if (!p)
        return;
    if (trailer)
        p = INTEGER(t, p, "dst_addr", trailer->destination);
    if (to.given && payload->type->role == TS_NOC_ROLE_MULTICAST) {
        p = INTEGER(t, p, "mcast_end_x", end.x);
        p = INTEGER(t, p, "mcast_end_y", end.y);
        p = INTEGER(t, p, "mcast_start_x", to.x);
        p = INTEGER(t, p, "mcast_start_y", to.y);
    } else if (to.given) {
        p = INTEGER(t, p, "dx", to.x);
        p = INTEGER(t, p, "dy", to.y);
    }
    p = put_line(put_text(KEY(t, p, "noc"), noc_name(payload->noc)));
    if (trailer)
        p = INTEGER(t, p, "noc_status_counter", trailer->counter);
    p = INTEGER(t, p, "num_bytes", payload->bytes);
    if (trailer)
        p = put_wide_lane(t, p, trailer, payload->posted);
    else
        p = put(p, t->lane.ptr, t->lane.len);
    end_record(t, put_tail(t, p, time, payload->code, payload->vc));
}

/* ---- fabric ---- */

static char *put_inner(const struct ts_noc_text *t, char *p, unsigned level, const char *key)
{
    p = put_blanks(p, level * t->indent);
    p = put_text(p, key);
    return PUT(p, ": ");
}

static char *put_target(const struct ts_noc_text *t, char *p, const struct ts_noc_text_target *target)
{
    p = put_blanks(p, 3 * t->indent);
    p = PUT(p, "{\n");
    if (target->place.given) {
        p = put_line(put_integer(put_inner(t, p, 4, "dx"), target->place.x));
        p = put_line(put_integer(put_inner(t, p, 4, "dy"), target->place.y));
    }
    if (t->format == TS_NOC_J4)
        p = put_line(put_text(put_inner(t, p, 4, "noc"), noc_name(target->noc)));
    p = put_integer(put_inner(t, p, 4, "num_bytes"), target->bytes);
    p = PUT(p, "\n");
    p = put_blanks(p, 3 * t->indent);
    return PUT(p, "}");
}

/* Fields of two bits: hops that only forward, then hops that write. */
static void low_latency(uint32_t value, uint32_t *start, uint32_t *range)
{
    *start = 1;
    *range = 0;
    for (; (value & 3) == 2; value >>= 2)
        ++*start;
    for (; value & 1; value >>= 2)
        ++*range;
}

static char *put_mux(const struct ts_noc_text *t, char *p, const struct ts_noc_text_fabric *send)
{
    if (!send->mux)
        return p;
    p = put_inner(t, p, 3, "fabric_mux");
    p = PUT(p, "{\n");
    p = put_line(put_text(put_inner(t, p, 4, "noc"), noc_name(send->mux_noc)));
    p = put_line(put_integer(put_inner(t, p, 4, "x"), send->mux_x));
    p = put_integer(put_inner(t, p, 4, "y"), send->mux_y);
    p = PUT(p, "\n");
    p = put_blanks(p, 3 * t->indent);
    return put_line(PUT(p, "}"));
}

static char *put_send(const struct ts_noc_text *t, char *p, const struct ts_noc_text_fabric *send)
{
    const struct ts_noc_payload *route = send->route;
    bool mesh = send->first->packet == TS_NOC_FABRIC_LOW_LATENCY_MESH;
    uint32_t start = route->route & 15, range = (route->route & 255) >> 4;
    if (send->first->packet == TS_NOC_FABRIC_LOW_LATENCY)
        low_latency(route->route, &start, &range);
    p = KEY(t, p, "fabric_send");
    p = PUT(p, "{\n");
    if (mesh)
        p = put_line(put_number(put_inner(t, p, 3, "e_hops"), route->east));
    p = put_line(put_number(put_inner(t, p, 3, "eth_chan"), send->channel));
    p = put_mux(t, p, send);
    if (mesh) {
        p = put_inner(t, p, 3, "is_mcast");
        p = put_line(route->multicast ? PUT(p, "true") : PUT(p, "false"));
        p = put_line(put_number(put_inner(t, p, 3, "ns_hops"), route->ns));
        p = put_number(put_inner(t, p, 3, "w_hops"), route->west);
    } else {
        p = put_line(put_number(put_inner(t, p, 3, "range"), range));
        p = put_number(put_inner(t, p, 3, "start_distance"), start);
    }
    p = PUT(p, "\n");
    p = put_blanks(p, 2 * t->indent);
    return put_line(PUT(p, "}"));
}

void ts_noc_text_fabric(struct ts_noc_text *t, uint64_t time, const struct ts_noc_text_fabric *send)
{
    enum { TARGET_MAX = 256 };
    char *p = begin_record(t, TARGET_MAX * send->target_count);
    if (!p)
        return;
    p = KEY(t, p, "dst");
    p = PUT(p, "[\n");
    for (size_t i = 0; i < send->target_count; i++) {
        p = put_target(t, p, &send->targets[i]);
        p = i + 1 < send->target_count ? PUT(p, ",\n") : PUT(p, "\n");
    }
    p = put_blanks(p, 2 * t->indent);
    p = PUT(p, "],\n");
    p = put_send(t, p, send);
    p = put_line(put_text(KEY(t, p, "noc"), noc_name(send->write->noc)));
    p = INTEGER(t, p, "num_bytes", send->write->bytes);
    p = put(p, t->lane.ptr, t->lane.len);
    end_record(t, put_tail(t, p, time, send->first->code, send->write->vc));
}

enum ts_status ts_noc_text_end(struct ts_noc_text *t, struct ts_error *error)
{
    if (!t->failed && reserve(t, 16)) {
        char *p = t->buffer + t->used;
        p = t->any ? PUT(p, "\n]") : PUT(p, "[]");
        if (t->format == TS_NOC_J1)
            p = PUT(p, "\n");
        t->used = (size_t)(p - t->buffer);
        flush(t);
    }
    return t->failed ? ts_error_no_memory(error) : TS_OK;
}

void ts_noc_text_free(struct ts_noc_text *t)
{
    free(t->buffer);
    ts_buf_free(&t->lane);
    t->buffer = NULL;
}
