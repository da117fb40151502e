#include "transforms/noc_decode_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/limits.h"

/* A record without its lane's lines and a zone's name is smaller. */
enum { RECORD_MAX = 2048 };
/* Files grow by whole pieces of this size, at multiples of it: the page cache takes these in large pages, which costs a third
 * less than pieces that end anywhere. */
enum { PIECE = 131072, BUFFER = PIECE + 8192 };

static const char *const nocs[] = {"UNDEF", "NOC_0", "NOC_1"};

static const char *noc_name(unsigned noc)
{
    return noc < sizeof nocs / sizeof nocs[0] ? nocs[noc] : "";
}

/* ---- bytes ---- */

/* Hand on whole pieces; what is left begins the next. */
static void flush_pieces(struct ts_noc_text *t)
{
    size_t whole = t->used - t->used % PIECE;
    ts_writer_add(t->writer, t->buffer, whole);
    memmove(t->buffer, t->buffer + whole, t->used - whole);
    t->used -= whole;
}

/* Room for len bytes, where there is none. */
static bool make_room(struct ts_noc_text *t, size_t len)
{
    flush_pieces(t);
    if (t->capacity - t->used >= len)
        return true;
    char *grown = realloc(t->buffer, t->used + len);
    if (!grown) {
        t->failed = true;
        return false;
    }
    t->buffer = grown;
    t->capacity = t->used + len;
    return true;
}

/* Room for len bytes; false when memory is out. */
static inline bool reserve(struct ts_noc_text *t, size_t len)
{
    return t->capacity - t->used >= len || make_room(t, len);
}

static inline char *put(char *p, const char *bytes, size_t len)
{
    memcpy(p, bytes, len);
    return p + len;
}
#define PUT(p, literal) put((p), (literal), sizeof(literal) - 1)

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051"
    "52535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
    "9899";

static inline char *put_pair(char *p, uint32_t value)
{
    memcpy(p, pairs + 2 * (size_t)value, 2);
    return p + 2;
}

static inline char *put_four(char *p, uint32_t value)
{
    return put_pair(put_pair(p, value / 100), value % 100);
}

/* Up to four digits. */
static inline char *put_short(char *p, uint32_t value)
{
    if (value < 10) {
        *p = (char)('0' + value);
        return p + 1;
    }
    if (value < 100)
        return put_pair(p, value);
    if (value >= 1000)
        return put_four(p, value);
    *p = (char)('0' + value / 100);
    return put_pair(p + 1, value % 100);
}

/* Up to eight digits. */
static inline char *put_medium(char *p, uint32_t value)
{
    return value < 10000 ? put_short(p, value) : put_four(put_short(p, value / 10000), value % 10000);
}

static inline char *put_eight(char *p, uint32_t value)
{
    return put_four(put_four(p, value / 10000), value % 10000);
}

static inline char *put_number(char *p, uint64_t value)
{
    const uint64_t eight = 100000000;
    if (value < eight)
        return put_medium(p, (uint32_t)value);
    uint64_t upper = value / eight;
    if (upper < eight)
        p = put_medium(p, (uint32_t)upper);
    else
        p = put_eight(put_short(p, (uint32_t)(upper / eight)), (uint32_t)(upper % eight));
    return put_eight(p, (uint32_t)(value % eight));
}

static inline char *put_integer(char *p, int64_t value)
{
    if (value < 0) {
        *p++ = '-';
        return put_number(p, 0 - (uint64_t)value);
    }
    return put_number(p, (uint64_t)value);
}

/* At most 16: four levels of four. */
static inline char *put_blanks(char *p, unsigned count)
{
    memcpy(p, "                ", 16);
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
        t->types[i].len = (size_t)snprintf(t->types[i].text, sizeof t->types[i].text,
                                           ",\n%*s\"type\": \"%s\",\n%*s\"vc\": ", (int)(2 * t->indent), "",
                                           types[i].name, (int)(2 * t->indent), "");
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

static inline char *put_begin(const struct ts_noc_text *t, char *p)
{
    p = put_line(p);
    p = put_blanks(p, t->indent);
    return PUT(p, "{\n");
}

static char *begin_record(struct ts_noc_text *t, size_t more)
{
    if (t->failed || !reserve(t, RECORD_MAX + t->lane.len + more))
        return NULL;
    char *start = t->buffer + t->used, *p = put_begin(t, start);
    if (!t->any)
        *start = '[';
    t->any = true;
    t->records++;
    return p;
}

static inline void end_record(struct ts_noc_text *t, char *p)
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

static inline char *put_tail(const struct ts_noc_text *t, char *p, uint64_t time, unsigned code, int vc)
{
    const struct ts_noc_text_type *type = &t->types[code];
    p = put_number(p, time);
    memcpy(p, type->text, sizeof type->text);
    return put_integer(p + type->len, vc);
}

void ts_noc_text_head(const struct ts_noc_text *t, struct ts_noc_text_place to, unsigned noc,
                      struct ts_noc_text_head *out)
{
    char *p = put_begin(t, out->text);
    if (to.given) {
        p = INTEGER(t, p, "dx", to.x);
        p = INTEGER(t, p, "dy", to.y);
    }
    p = put_line(put_text(KEY(t, p, "noc"), noc_name(noc)));
    p = KEY(t, p, "num_bytes");
    out->len = (unsigned)(p - out->text);
}

void ts_noc_text_plain(struct ts_noc_text *t, uint64_t time, const struct ts_noc_text_head *head,
                       const struct ts_noc_payload *payload)
{
    if (t->failed || !reserve(t, RECORD_MAX + t->lane.len))
        return;
    char *p = t->buffer + t->used;
    memcpy(p, head->text, sizeof head->text);
    if (!t->any)
        *p = '[';
    t->any = true;
    t->records++;
    p = put_line(put_number(p + head->len, payload->bytes));
    p = put(p, t->lane.ptr, t->lane.len);
    end_record(t, put_tail(t, p, time, payload->code, payload->vc));
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
        ts_writer_add(t->writer, t->buffer, (size_t)(p - t->buffer));
        t->used = 0;
    }
    return t->failed ? ts_error_no_memory(error) : TS_OK;
}

void ts_noc_text_free(struct ts_noc_text *t)
{
    free(t->buffer);
    ts_buf_free(&t->lane);
    t->buffer = NULL;
}
