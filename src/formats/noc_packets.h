/* What NoC event packets hold: the 64-bit payloads of every generation. The constants are those of the recorder's header. */
#ifndef TS_FORMATS_NOC_PACKETS_H
#define TS_FORMATS_NOC_PACKETS_H

#include <stdbool.h>
#include <tilesight/noc_trace.h>

#include "base/str.h"

/* Generations of payloads. W3 has the numbers and places of W4. */
enum ts_noc_wire { TS_WIRE_W1, TS_WIRE_W2, TS_WIRE_W3, TS_WIRE_W4, TS_WIRE_W5, TS_WIRE_COUNT };
/* "W1" to "W5"; false when text is none. */
bool ts_noc_wire_parse(struct ts_str text, enum ts_noc_wire *out);
const char *ts_noc_wire_name(enum ts_noc_wire wire);

enum ts_noc_payload_kind {
    TS_NOC_PAYLOAD_BAD, /* a code that the generation does not know */
    TS_NOC_PAYLOAD_LOCAL,
    TS_NOC_PAYLOAD_FABRIC,
    TS_NOC_PAYLOAD_SCATTER,
    TS_NOC_PAYLOAD_ROUTE_1D,
    TS_NOC_PAYLOAD_ROUTE_2D,
};
/* Types that decide how a record looks; all others are alike. */
enum ts_noc_role {
    TS_NOC_ROLE_PLAIN,
    TS_NOC_ROLE_WRITE,
    TS_NOC_ROLE_MULTICAST,      /* the corners are printed */
    TS_NOC_ROLE_NO_DESTINATION, /* READ_WITH_STATE, WRITE_WITH_STATE: what stands there means nothing */
    TS_NOC_ROLE_UNICAST_FABRIC,
    TS_NOC_ROLE_OTHER_FABRIC,
};
struct ts_noc_type {
    const char *name;
    unsigned char kind; /* enum ts_noc_payload_kind */
    unsigned char role; /* enum ts_noc_role */
};
/* The types of a generation by code; *count is the first invalid code. */
const struct ts_noc_type *ts_noc_types(enum ts_noc_wire wire, unsigned *count);

struct ts_noc_payload {
    const struct ts_noc_type *type; /* NULL when bad */
    unsigned char kind, code;
    unsigned char noc;    /* 0 undefined, 1 NOC_0, 2 NOC_1; others are printed as "" */
    unsigned char packet; /* of fabric events: TS_NOC_FABRIC_... */
    signed char x, y, end_x, end_y, vc;
    bool posted;
    uint32_t bytes;         /* rounded up to 32 and at most 8160, but in W1 */
    int16_t chunk;          /* of a scatter's event: its bytes */
    int16_t chunks;         /* of a scatter */
    uint32_t route;         /* 1-D routing fields */
    uint8_t ns, east, west; /* 2-D */
    bool multicast;
};
/* Read a payload. Any 64 bits are read; kind says what they are. */
void ts_noc_payload_read(enum ts_noc_wire wire, uint64_t data, struct ts_noc_payload *out);

/* The second payload of a 16-byte packet. */
struct ts_noc_trailer {
    uint32_t destination, source, counter;
};
struct ts_noc_trailer ts_noc_trailer_read(uint64_t data);
uint64_t ts_noc_trailer_make(struct ts_noc_trailer trailer);

/* The static id of a zone: of the text "NAME,FILE,LINE,KERNEL_PROFILER". */
uint16_t ts_noc_zone_hash(struct ts_str text);

/* BRISC, NCRISC, TRISC_0 to TRISC_2, ERISC; NULL for other numbers. */
const char *ts_noc_risc_name(unsigned risc);
/* The number of such a name; false when it is none. */
bool ts_noc_risc_parse(struct ts_str name, unsigned *out);

#endif
