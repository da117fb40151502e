#include "formats/noc_packets.h"

/* The tables are made of the recorder's lists, so the two cannot drift apart; what a type is follows from its name. */
#define IS(type, text) (__builtin_strcmp(#type, text) == 0)
#define BEGINS(type, text) (__builtin_strncmp(#type, text, sizeof(text) - 1) == 0)
#define KIND_OF(type)                                                                                                  \
    (IS(type, "UNDEF")                          ? TS_NOC_PAYLOAD_BAD                                                   \
     : IS(type, "FABRIC_ROUTING_FIELDS_2D")     ? TS_NOC_PAYLOAD_ROUTE_2D                                              \
     : BEGINS(type, "FABRIC_ROUTING_FIELDS")    ? TS_NOC_PAYLOAD_ROUTE_1D                                              \
     : IS(type, "FABRIC_UNICAST_SCATTER_WRITE") ? TS_NOC_PAYLOAD_SCATTER                                               \
     : BEGINS(type, "FABRIC_")                  ? TS_NOC_PAYLOAD_FABRIC                                                \
                                                : TS_NOC_PAYLOAD_LOCAL)
#define ROLE_OF(type)                                                                                                  \
    (IS(type, "WRITE_")                                                         ? TS_NOC_ROLE_WRITE                    \
     : IS(type, "WRITE_MULTICAST")                                              ? TS_NOC_ROLE_MULTICAST                \
     : IS(type, "READ_WITH_STATE") || IS(type, "WRITE_WITH_STATE")              ? TS_NOC_ROLE_NO_DESTINATION           \
     : BEGINS(type, "FABRIC_UNICAST_") || BEGINS(type, "FABRIC_FUSED_UNICAST_") ? TS_NOC_ROLE_UNICAST_FABRIC           \
     : BEGINS(type, "FABRIC_")                                                  ? TS_NOC_ROLE_OTHER_FABRIC             \
                                                                                : TS_NOC_ROLE_PLAIN)
#define ROW(type) {#type, KIND_OF(type), ROLE_OF(type)},
static const struct ts_noc_type types_w1[] = {TS_NOC_TYPES_W1(ROW)};
static const struct ts_noc_type types_w2[] = {TS_NOC_TYPES_W2(ROW)};
static const struct ts_noc_type types_w4[] = {TS_NOC_TYPES_W4(ROW)};
static const struct ts_noc_type types_w5[] = {TS_NOC_TYPES_W5(ROW)};

_Static_assert(sizeof types_w1 / sizeof types_w1[0] == TS_NOC_W1_UNSUPPORTED, "every code of W1 has its row");
_Static_assert(sizeof types_w2 / sizeof types_w2[0] == TS_NOC_W2_UNSUPPORTED, "every code of W2 has its row");
_Static_assert(sizeof types_w4 / sizeof types_w4[0] == TS_NOC_W4_UNSUPPORTED, "every code of W4 has its row");
_Static_assert(sizeof types_w5 / sizeof types_w5[0] == TS_NOC_W5_UNSUPPORTED, "every code of W5 has its row");
_Static_assert(TS_NOC_W1_UNSUPPORTED == 28 && TS_NOC_W2_UNSUPPORTED == 36, "the codes are those on the wire");
_Static_assert(TS_NOC_W4_UNSUPPORTED == 39 && TS_NOC_W5_UNSUPPORTED == 42, "the codes are those on the wire");

const struct ts_noc_type *ts_noc_types(enum ts_noc_wire wire, unsigned *count)
{
    switch (wire) {
    case TS_WIRE_W1:
        *count = TS_NOC_W1_UNSUPPORTED;
        return types_w1;
    case TS_WIRE_W2:
        *count = TS_NOC_W2_UNSUPPORTED;
        return types_w2;
    case TS_WIRE_W5:
        *count = TS_NOC_W5_UNSUPPORTED;
        return types_w5;
    default:
        *count = TS_NOC_W4_UNSUPPORTED;
        return types_w4;
    }
}

static const char *const wire_names[TS_WIRE_COUNT] = {"W1", "W2", "W3", "W4", "W5"};

bool ts_noc_wire_parse(struct ts_str text, enum ts_noc_wire *out)
{
    for (unsigned i = 0; i < TS_WIRE_COUNT; i++)
        if (ts_str_is(text, wire_names[i])) {
            *out = (enum ts_noc_wire)i;
            return true;
        }
    return false;
}

const char *ts_noc_wire_name(enum ts_noc_wire wire)
{
    return wire_names[wire];
}

static signed char byte_at(uint64_t data, unsigned byte)
{
    return (signed char)(unsigned char)(data >> 8 * byte);
}

static void read_lane(unsigned lane, struct ts_noc_payload *out)
{
    out->noc = lane & 15;
    out->vc = (signed char)((lane >> 4) > 7 ? (int)(lane >> 4) - 16 : (int)(lane >> 4));
}

static void read_corners(enum ts_noc_wire wire, uint64_t data, struct ts_noc_payload *out)
{
    unsigned corner = wire >= TS_WIRE_W3 ? 1 : 0;
    out->x = byte_at(data, corner);
    out->y = byte_at(data, corner + 1);
    out->end_x = byte_at(data, corner + 2);
    out->end_y = byte_at(data, corner + 3);
}

static void read_local(enum ts_noc_wire wire, uint64_t data, struct ts_noc_payload *out)
{
    read_corners(wire, data, out);
    if (wire == TS_WIRE_W1) {
        read_lane(data >> 40 & 255, out);
        out->bytes = (uint32_t)(data >> 48);
        return;
    }
    unsigned lane = wire == TS_WIRE_W2 ? 4 : 5;
    read_lane(data >> 8 * lane & 255, out);
    out->bytes = 32 * (uint32_t)(data >> (8 * lane + 8) & 255);
    out->posted = wire >= TS_WIRE_W4 && (data >> 56 & 1);
}

static void read_fabric(enum ts_noc_wire wire, uint64_t data, struct ts_noc_payload *out)
{
    read_corners(wire, data, out);
    if (wire == TS_WIRE_W2) {
        out->noc = 1;
        out->packet = data >> 32 & 255;
    } else {
        out->noc = data >> 40 & 15;
        out->packet = data >> 44 & 15;
    }
}

static void read_scatter(uint64_t data, struct ts_noc_payload *out)
{
    out->x = byte_at(data, 1);
    out->y = byte_at(data, 2);
    out->chunk = (int16_t)(uint16_t)(data >> 32);
    out->chunks = byte_at(data, 6);
    out->noc = data >> 56 & 15;
    out->packet = (unsigned char)(data >> 60);
}

void ts_noc_payload_read(enum ts_noc_wire wire, uint64_t data, struct ts_noc_payload *out)
{
    unsigned count;
    const struct ts_noc_type *types = ts_noc_types(wire, &count);
    unsigned code = data >> (wire == TS_WIRE_W1 ? 32 : wire == TS_WIRE_W2 ? 48 : 0) & 255;
    *out = (struct ts_noc_payload){.code = (unsigned char)code};
    if (code == 0 || code >= count)
        return;
    out->type = &types[code];
    out->kind = types[code].kind;
    switch (out->kind) {
    case TS_NOC_PAYLOAD_FABRIC:
        read_fabric(wire, data, out);
        break;
    case TS_NOC_PAYLOAD_SCATTER:
        /* What W2 wrote of a scatter is not known well enough to put its chunks together. */
        if (wire == TS_WIRE_W2) {
            out->kind = TS_NOC_PAYLOAD_FABRIC;
            read_fabric(wire, data, out);
        } else {
            read_scatter(data, out);
        }
        break;
    case TS_NOC_PAYLOAD_ROUTE_1D:
        out->route = (uint32_t)(wire == TS_WIRE_W2 ? data : data >> 8);
        break;
    case TS_NOC_PAYLOAD_ROUTE_2D:
        out->ns = data >> 8 & 255;
        out->east = data >> 16 & 255;
        out->west = data >> 24 & 255;
        out->multicast = data >> 32 & 255;
        break;
    default:
        read_local(wire, data, out);
    }
}

struct ts_noc_trailer ts_noc_trailer_read(uint64_t data)
{
    return (struct ts_noc_trailer){
        .destination = (uint32_t)((data & 0x3FFFFF) << 2 | (data >> 22 & 3)),
        .source = (uint32_t)((data >> 26 & 0x3FFFFF) << 2 | (data >> 48 & 3)),
        .counter = (uint32_t)(data >> 52),
    };
}

uint64_t ts_noc_trailer_make(struct ts_noc_trailer trailer)
{
    uint64_t to = trailer.destination, from = trailer.source;
    return (to >> 2 & 0x3FFFFF) | (to & 3) << 22 | (from >> 2 & 0x3FFFFF) << 26 | (from & 3) << 48 |
           (uint64_t)trailer.counter << 52;
}

uint16_t ts_noc_zone_hash(struct ts_str text)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * 16777619u;
    return (uint16_t)((hash & 0xFFFF) ^ hash >> 16);
}

static const char *const risc_names[] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC"};

const char *ts_noc_risc_name(unsigned risc)
{
    return risc < sizeof risc_names / sizeof risc_names[0] ? risc_names[risc] : NULL;
}

bool ts_noc_risc_parse(struct ts_str name, unsigned *out)
{
    for (unsigned i = 0; i < sizeof risc_names / sizeof risc_names[0]; i++)
        if (ts_str_is(name, risc_names[i])) {
            *out = i;
            return true;
        }
    return false;
}
