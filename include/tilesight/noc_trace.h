/* NoC event tracing on a core: the words that go over the wire, and a recorder of them.
 *
 * Freestanding C11, also valid C++17; no library. Without PROFILE_NOC_EVENTS this header makes no code and no data, and
 * every record vanishes with its arguments' packing (`tilesight noc-flags` prints the flag when tracing is switched on).
 *
 * One source file of a kernel defines TS_NOC_TRACE_IMPLEMENTATION before it includes this header and so holds the routines
 * and the state. What the recorder needs of its surroundings are the macros of part 2; docs/noc-tracing.md shows a kernel.
 *
 * Part 1 is what both sides agree on: the decoder includes it too. Words are 32 bits, little-endian. */
#ifndef TILESIGHT_NOC_TRACE_H
#define TILESIGHT_NOC_TRACE_H

#include <stdint.h>

/* --- part 1: the wire ---------------------------------------------------------------------------------------------- */

/* Words of a buffer in L1. */
enum {
    TS_NOC_ID_HH = 0, /* two zero words announce an image */
    TS_NOC_ID_HL = 1,
    TS_NOC_ID_LH = 2,
    TS_NOC_ID_LL = 3,
    TS_NOC_GUARANTEED = 4, /* four slots of two words: outer zone start and end, kernel zone start and end */
    TS_NOC_CUSTOM = 12,    /* first word of a custom marker */
    TS_NOC_BUFFER_WORDS = 512,
    TS_NOC_HEADROOM = 16 /* words that records leave free */
};

/* A marker's first word: bit 31 set, bits 30..28 packet type, bits 27..12 static id, bits 11..0 the time's bits 43..32. */
enum {
    TS_NOC_ZONE_START = 0,
    TS_NOC_ZONE_END = 1,
    TS_NOC_ZONE_TOTAL = 2,
    TS_NOC_DATA = 3,  /* two more words: a payload's high half, then its low half */
    TS_NOC_EVENT = 4, /* the static id is the event */
    TS_NOC_DATA16 = 5 /* four more words: two payloads */
};
#define TS_NOC_MARKER_VALID UINT32_C(0x80000000)
#define TS_NOC_MARKER(type, id) (TS_NOC_MARKER_VALID | (uint32_t)(type) << 28 | ((uint32_t)(id)&0xFFFFu) << 12)
enum {
    TS_NOC_STATIC_ID = 12345, /* of NoC events */
    TS_NOC_LOCK_ID = 23456,   /* of lock events, which are none */
    TS_NOC_TIME_BITS = 44
};

/* The event types. Their numbers depend on the generation: W1 to W5, W3 numbered like W4. */
#define TS_NOC_TYPES_READ(X)                                                                                           \
    X(UNDEF)                                                                                                           \
    X(READ)                                                                                                            \
    X(READ_SET_STATE)                                                                                                  \
    X(READ_SET_TRID)                                                                                                   \
    X(READ_WITH_STATE)                                                                                                 \
    X(READ_WITH_STATE_AND_TRID)                                                                                        \
    X(READ_BARRIER_START)                                                                                              \
    X(READ_BARRIER_END)                                                                                                \
    X(READ_BARRIER_WITH_TRID)                                                                                          \
    X(READ_DRAM_SHARDED_SET_STATE)                                                                                     \
    X(READ_DRAM_SHARDED_WITH_STATE)                                                                                    \
    X(WRITE_)
#define TS_NOC_TYPES_WRITE(X)                                                                                          \
    X(WRITE_WITH_TRID)                                                                                                 \
    X(WRITE_INLINE)                                                                                                    \
    X(WRITE_MULTICAST)                                                                                                 \
    X(WRITE_SET_STATE)                                                                                                 \
    X(WRITE_WITH_STATE)                                                                                                \
    X(WRITE_WITH_TRID_SET_STATE)                                                                                       \
    X(WRITE_WITH_TRID_WITH_STATE)                                                                                      \
    X(WRITE_BARRIER_START)                                                                                             \
    X(WRITE_BARRIER_END)                                                                                               \
    X(WRITE_BARRIER_WITH_TRID)                                                                                         \
    X(WRITE_FLUSH)
#define TS_NOC_TYPES_SYNC(X)                                                                                           \
    X(FULL_BARRIER)                                                                                                    \
    X(ATOMIC_BARRIER)                                                                                                  \
    X(SEMAPHORE_INC)                                                                                                   \
    X(SEMAPHORE_WAIT)                                                                                                  \
    X(SEMAPHORE_SET)
#define TS_NOC_TYPES_FABRIC(X)                                                                                         \
    X(FABRIC_UNICAST_WRITE)                                                                                            \
    X(FABRIC_UNICAST_INLINE_WRITE)                                                                                     \
    X(FABRIC_UNICAST_ATOMIC_INC)                                                                                       \
    X(FABRIC_FUSED_UNICAST_ATOMIC_INC)                                                                                 \
    X(FABRIC_MULTICAST_WRITE)                                                                                          \
    X(FABRIC_MULTICAST_ATOMIC_INC)                                                                                     \
    X(FABRIC_UNICAST_SCATTER_WRITE)

#define TS_NOC_TYPES_W1(X) TS_NOC_TYPES_READ(X) TS_NOC_TYPES_WRITE(X) TS_NOC_TYPES_SYNC(X)
#define TS_NOC_TYPES_W2(X) TS_NOC_TYPES_W1(X) TS_NOC_TYPES_FABRIC(X) X(FABRIC_ROUTING_FIELDS)
#define TS_NOC_TYPES_LOCAL4(X)                                                                                         \
    TS_NOC_TYPES_READ(X)                                                                                               \
    X(WRITE_SET_TRID) TS_NOC_TYPES_WRITE(X) X(WRITE_FLUSH_WITH_TRID) TS_NOC_TYPES_SYNC(X)
#define TS_NOC_TYPES_ROUTING4(X) X(FABRIC_ROUTING_FIELDS_1D) X(FABRIC_ROUTING_FIELDS_2D)
#define TS_NOC_TYPES_W4(X) TS_NOC_TYPES_LOCAL4(X) TS_NOC_TYPES_FABRIC(X) TS_NOC_TYPES_ROUTING4(X)
#define TS_NOC_TYPES_W5(X)                                                                                             \
    TS_NOC_TYPES_LOCAL4(X)                                                                                             \
    X(SEMAPHORE_SET_REMOTE)                                                                                            \
    X(SEMAPHORE_SET_MULTICAST) X(SEMAPHORE_INC_MULTICAST) TS_NOC_TYPES_FABRIC(X) TS_NOC_TYPES_ROUTING4(X)

#define TS_NOC_ENUM_W1(name) TS_NOC_W1_##name,
#define TS_NOC_ENUM_W2(name) TS_NOC_W2_##name,
#define TS_NOC_ENUM_W4(name) TS_NOC_W4_##name,
#define TS_NOC_ENUM_W5(name) TS_NOC_W5_##name,
enum { TS_NOC_TYPES_W1(TS_NOC_ENUM_W1) TS_NOC_W1_UNSUPPORTED };
enum { TS_NOC_TYPES_W2(TS_NOC_ENUM_W2) TS_NOC_W2_UNSUPPORTED };
enum { TS_NOC_TYPES_W4(TS_NOC_ENUM_W4) TS_NOC_W4_UNSUPPORTED };
enum { TS_NOC_TYPES_W5(TS_NOC_ENUM_W5) TS_NOC_W5_UNSUPPORTED };

/* Near-raw records (tilesight/noc_trace_near_raw.h): a first word, the time's low word, and arguments of the call. The first
 * word's low 12 bits are the number of the call site: bits 11..10 how long the record is, 2, 4, 6 or 8 words, bits 9..0 which of
 * these sites, from 1 on. They are sign-extended, so that it is never a marker of a type above. Each image that holds such
 * records begins with an event marker, whose static id is the kernel's number and whose time is the whole one. */
enum { TS_NOC_NEAR_SITES = 1023, TS_NOC_NEAR_ARGUMENTS = 6 };
#define TS_NOC_NEAR_WORDS(first) (2u * (((uint32_t)(first) >> 10 & 3u) + 1u))
/* What the arguments of a site are. */
enum {
    TS_NOC_SHAPE_PLAIN = 0,     /* up to four, whatever the call has: they say nothing of the event */
    TS_NOC_SHAPE_ADDRESS = 1,   /* upper and lower word of the NoC address, size, and up to three others of the call */
    TS_NOC_SHAPE_MULTICAST = 2, /* the same */
    TS_NOC_SHAPE_WIDE = 3,      /* upper and lower word, size, local address, counter */
    TS_NOC_SHAPE_WIDE_MULTICAST = 4, /* the same */
    TS_NOC_SHAPE_WIDE_PLAIN = 5,     /* lower word, local address, counter */
    TS_NOC_SHAPE_FABRIC = 6,         /* x, y, noc, packet */
    TS_NOC_SHAPE_FABRIC_CORNERS = 7, /* x, y, end x, end y, noc, packet */
    TS_NOC_SHAPE_SCATTER = 8,        /* x, y, chunk, chunks, noc, packet */
    TS_NOC_SHAPE_ROUTING_1D = 9,     /* value */
    TS_NOC_SHAPE_ROUTING_2D = 10,    /* hops north or south, east, west, multicast */
    TS_NOC_SHAPES = 11
};

/* Packet types of a fabric event. */
enum {
    TS_NOC_FABRIC_REGULAR = 0,
    TS_NOC_FABRIC_LOW_LATENCY = 1,
    TS_NOC_FABRIC_LOW_LATENCY_MESH = 2,
    TS_NOC_FABRIC_DYNAMIC_MESH = 3
};

/* --- part 2: what the surroundings say ------------------------------------------------------------------------------ */

/* The payload generation: 1, 2, 3, 4 or 5. */
#ifndef TS_NOC_WIRE
#define TS_NOC_WIRE 5
#endif
/* The generation of the control vector: 0 to 3. */
#ifndef TS_NOC_CONTROL
#define TS_NOC_CONTROL 3
#endif
/* The generation of the identity words: 1, 2 or 3. */
#ifndef TS_NOC_IDENTITY
#define TS_NOC_IDENTITY 2
#endif

/* Types of that generation, TS_NOC_TYPE_READ and so on: whatever takes a type's name pastes it at once, so that a kernel may have
 * a macro READ. */
#define TS_NOC_ENUM_TYPE(name) TS_NOC_TYPE_##name,
#if TS_NOC_WIRE == 1
#define TS_NOC_TYPE(name) TS_NOC_W1_##name
enum { TS_NOC_TYPES_W1(TS_NOC_ENUM_TYPE) };
#elif TS_NOC_WIRE == 2
#define TS_NOC_TYPE(name) TS_NOC_W2_##name
enum { TS_NOC_TYPES_W2(TS_NOC_ENUM_TYPE) };
#elif TS_NOC_WIRE == 3 || TS_NOC_WIRE == 4
#define TS_NOC_TYPE(name) TS_NOC_W4_##name
enum { TS_NOC_TYPES_W4(TS_NOC_ENUM_TYPE) };
#elif TS_NOC_WIRE == 5
#define TS_NOC_TYPE(name) TS_NOC_W5_##name
enum { TS_NOC_TYPES_W5(TS_NOC_ENUM_TYPE) };
#else
#error "TS_NOC_WIRE is 1, 2, 3, 4 or 5"
#endif

/* One to four arguments that are not evaluated, but count as used. */
#define TS_NOC_UNUSED_ANY(...) TS_NOC_UNUSED_PICK(__VA_ARGS__, OF_4, OF_3, OF_2, OF_1, )(__VA_ARGS__)
#define TS_NOC_UNUSED_PICK(a, b, c, d, which, ...) TS_NOC_UNUSED_##which
#define TS_NOC_UNUSED_OF_1(a) (0 ? (void)(a) : (void)0)
#define TS_NOC_UNUSED_OF_2(a, b) (0 ? (void)(a) : TS_NOC_UNUSED_OF_1(b))
#define TS_NOC_UNUSED_OF_3(a, b, c) (0 ? (void)(a) : TS_NOC_UNUSED_OF_2(b, c))
#define TS_NOC_UNUSED_OF_4(a, b, c, d) (0 ? (void)(a) : TS_NOC_UNUSED_OF_3(b, c, d))

#ifdef PROFILE_NOC_EVENTS
#include <tilesight/noc_trace_record.h>
#else

/* Off: nothing is left, not even the evaluation of an argument; but a variable that only records use counts as used. */
#define TS_NOC_UNUSED_2(a, b) (0 ? (void)(a) : 0 ? (void)(b) : (void)0)
#define TS_NOC_UNUSED_4(a, b, c, d) (0 ? TS_NOC_UNUSED_2(a, b) : TS_NOC_UNUSED_2(c, d))
#define TS_NOC_UNUSED_6(a, b, c, d, e, f) (0 ? TS_NOC_UNUSED_2(a, b) : TS_NOC_UNUSED_4(c, d, e, f))
#define TS_NOC_RECORD(type) ((void)0)
#define TS_NOC_RECORD_ADDR(type, address, size, vc, posted) TS_NOC_UNUSED_4(address, size, vc, posted)
#define TS_NOC_RECORD_MULTICAST(type, address, size, vc, posted) TS_NOC_UNUSED_4(address, size, vc, posted)
#define TS_NOC_RECORD_CALL(type, address, size, vc, posted, ...)                                                       \
    (0 ? TS_NOC_UNUSED_ANY(address, size, vc, posted) : TS_NOC_UNUSED_ANY(__VA_ARGS__))
#define TS_NOC_RECORD_MULTICAST_CALL(type, address, size, vc, posted, ...)                                             \
    (0 ? TS_NOC_UNUSED_ANY(address, size, vc, posted) : TS_NOC_UNUSED_ANY(__VA_ARGS__))
#define TS_NOC_RECORD_PLAIN_CALL(type, ...) TS_NOC_UNUSED_ANY(__VA_ARGS__)
#define TS_NOC_RECORD_WIDE(type, address, size, vc, posted, local, counter)                                            \
    TS_NOC_UNUSED_6(address, size, vc, posted, local, counter)
#define TS_NOC_RECORD_MULTICAST_WIDE(type, address, size, vc, posted, local, counter)                                  \
    TS_NOC_UNUSED_6(address, size, vc, posted, local, counter)
#define TS_NOC_RECORD_PLAIN_WIDE(type) ((void)0)
#define TS_NOC_RECORD_FABRIC(type, x, y, noc, packet) TS_NOC_UNUSED_4(x, y, noc, packet)
#define TS_NOC_RECORD_FABRIC_MULTICAST(type, x, y, end_x, end_y, noc, packet)                                          \
    TS_NOC_UNUSED_6(x, y, end_x, end_y, noc, packet)
#define TS_NOC_RECORD_SCATTER(x, y, chunk, chunks, noc, packet) TS_NOC_UNUSED_6(x, y, chunk, chunks, noc, packet)
#define TS_NOC_RECORD_ROUTING_1D(value) (0 ? (void)(value) : (void)0)
#define TS_NOC_RECORD_ROUTING_2D(ns, e, w, multicast) TS_NOC_UNUSED_4(ns, e, w, multicast)
#define TS_NOC_ZONE(slot, id) TS_NOC_UNUSED_2(slot, id)
#define TS_NOC_ZONE_OPEN(id) (0 ? (uint32_t)(id) : UINT32_C(0))
#define TS_NOC_ZONE_CLOSE(id, opened) TS_NOC_UNUSED_2(id, opened)
#define TS_NOC_BEFORE_LINKED() ((void)0)
#define TS_NOC_BEGIN(setup) ((void)0)
#define TS_NOC_FINISH() ((void)0)
#define TS_NOC_SEND() ((void)0)

#endif
#endif
