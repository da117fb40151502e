/* The recorder of noc_trace.h, which includes this where PROFILE_NOC_EVENTS is set. Do not include it yourself.
 *
 * The surroundings define two functions:
 *
 *   uint32_t ts_noc_port_busy(void)
 *       Not 0 while a command buffer of the kernel's NoC has its linked bit set: nothing may be sent then.
 *   void ts_noc_port_send(uint32_t word, const uint32_t *words, uint32_t count)
 *       Copy words to word `word` of this RISC's region in DRAM and return when they have left; count is a multiple of 4.
 *       The registers of the command buffer are saved and restored around it.
 *
 * and may define these macros before they include noc_trace.h:
 *
 *   TS_NOC_INDEX           the NoC that records name when they name none: 0 or 1 (NOC_INDEX, else 0)
 *   TS_NOC_CLOCK_PAGE      upper 20 bits of the clock's registers
 *   TS_NOC_CLOCK(low, high)  read the clock in C
 *   TS_NOC_RECORDER        where the state is, for a host that runs several cores
 *   TS_NOC_OWN_REGISTERS   RV32 only: records with a calling convention of their own, in assembly. They keep every register
 *                          but t0 to t5.
 *   TS_NOC_NEAR_RAW        RV32 only: see noc_trace_near_raw.h
 *
 * A record is written first and the room is looked at behind it, so the flush comes right after the record that fills the
 * buffer: one test, and never a second copy of the writing. */
#ifndef TILESIGHT_NOC_TRACE_RECORD_H
#define TILESIGHT_NOC_TRACE_RECORD_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TS_NOC_INDEX
#ifdef NOC_INDEX
#define TS_NOC_INDEX (NOC_INDEX)
#else
#define TS_NOC_INDEX 0
#endif
#endif
#ifndef TS_NOC_CLOCK_PAGE
#define TS_NOC_CLOCK_PAGE 0xFFB12
#endif
#ifndef TS_NOC_CLOCK
/* Reading the low word holds the high word still at 0x1F8. */
#define TS_NOC_CLOCK(low, high)                                                                                        \
    ((low) = *(volatile uint32_t *)((uintptr_t)TS_NOC_CLOCK_PAGE << 12 | 0x1F0),                                       \
     (high) = *(volatile uint32_t *)((uintptr_t)TS_NOC_CLOCK_PAGE << 12 | 0x1F8))
#endif

/* Words of the control vector. */
#if TS_NOC_CONTROL == 0
enum { TS_NOC_HOST_END = 0, TS_NOC_DEVICE_END = 6, TS_NOC_RESET_H = 12, TS_NOC_DRAM = 14, TS_NOC_RUNS = 15 };
enum { TS_NOC_X = 16, TS_NOC_Y = 17, TS_NOC_FLAT = 18, TS_NOC_DROPPED = 19, TS_NOC_DONE = 20, TS_NOC_LOST = 30 };
#elif TS_NOC_CONTROL == 1 || TS_NOC_CONTROL == 2
enum { TS_NOC_HOST_END = 0, TS_NOC_DEVICE_END = 5, TS_NOC_RESET_H = 10, TS_NOC_DRAM = 12, TS_NOC_RUNS = 13 };
enum { TS_NOC_X = 14, TS_NOC_Y = 15, TS_NOC_FLAT = 16, TS_NOC_DROPPED = 18, TS_NOC_DONE = 19, TS_NOC_LOST = 30 };
#elif TS_NOC_CONTROL == 3
enum { TS_NOC_HOST_END = 0, TS_NOC_DEVICE_END = 24, TS_NOC_RESET_H = 48, TS_NOC_DRAM = 50, TS_NOC_RUNS = 51 };
enum { TS_NOC_X = 52, TS_NOC_Y = 53, TS_NOC_FLAT = 54, TS_NOC_DROPPED = 56, TS_NOC_DONE = 57, TS_NOC_LOST = 62 };
#else
#error "TS_NOC_CONTROL is 0, 1, 2 or 3"
#endif
/* Lost events are counted in a word that the other side does not use: NCRISC's behind that of BRISC and Ethernet. */
#define TS_NOC_LOST_WORD(risc) (TS_NOC_LOST + ((risc) == 1u ? 1u : 0u))

/* State of one RISC: what every record touches, and the rest. */
struct ts_noc_recorder {
    uint32_t *next;  /* first free word; unused where ts_noc_next is */
    uint32_t *limit; /* a record that ends here or behind makes a flush; unused where ts_noc_limit is */
    uint32_t *buffer;
    volatile uint32_t *control;
    volatile uint32_t *sent, *lost; /* words of the control vector */
    uint32_t bit;                   /* of this RISC among those that dropped */
    uint32_t capacity;              /* words of this RISC's region in DRAM that a flush may fill */
    uint32_t flush_marker;          /* of the start of the zone PROFILER-NOC-QUICK-PUSH */
    uint32_t risc;
};

/* What a RISC is told when a kernel begins. */
struct ts_noc_setup {
    uint32_t *buffer;           /* TS_NOC_BUFFER_WORDS words in L1 */
    volatile uint32_t *control; /* the core's control vector */
    uint32_t risc, flat_id, host_id;
    uint32_t trace; /* trace counter, 0 outside of replays */
    uint32_t capacity, flush_zone;
};

#ifndef TS_NOC_RECORDER
#define TS_NOC_OWN_STATE
extern struct ts_noc_recorder ts_noc_recorder;
#define TS_NOC_RECORDER ts_noc_recorder
#ifndef TS_NOC_RESERVED_REGISTERS
/* Variables of their own, so that one instruction reaches each. */
extern uint32_t *ts_noc_next, *ts_noc_limit;
#define TS_NOC_NEXT ts_noc_next
#define TS_NOC_LIMIT ts_noc_limit
#endif
#else
#define TS_NOC_NEXT (TS_NOC_RECORDER).next
#define TS_NOC_LIMIT (TS_NOC_RECORDER).limit
#endif
#ifndef TS_NOC_RESERVED_REGISTERS
#define TS_NOC_SET_NEXT(value) (TS_NOC_NEXT = (value))
#define TS_NOC_SET_LIMIT(value) (TS_NOC_LIMIT = (value))
#endif

uint32_t ts_noc_port_busy(void);
void ts_noc_port_send(uint32_t word, const uint32_t *words, uint32_t count);

/* Prepare the buffer (identity words, empty guaranteed slots) and begin. Where the firmware has prepared it, ts_noc_attach
 * alone. */
void ts_noc_begin(const struct ts_noc_setup *setup);
void ts_noc_attach(const struct ts_noc_setup *setup);
/* The kernel's end on this RISC: pad, and say how far the buffer is filled. */
void ts_noc_finish(void);
/* Send this RISC's buffer: all of it, or the guaranteed markers, or nothing, as room is left. What goes missing is counted. */
void ts_noc_send(void);
/* The same two for a whole core, from its master: buffers of `riscs` RISCs stand one behind the other. */
void ts_noc_launch_core(volatile uint32_t *control, uint32_t *buffers, uint32_t riscs, uint32_t x, uint32_t y);
void ts_noc_close_core(volatile uint32_t *control, uint32_t *buffers, uint32_t riscs, uint32_t capacity,
                       void (*send)(uint32_t risc, uint32_t word, const uint32_t *words, uint32_t count));
/* Send what is there now, however little. 0 when refused: linked commands, no region in DRAM, or events dropped before. */
uint32_t ts_noc_flush(void);
/* One of the four guaranteed slots: 0 and 1 outer zone start and end, 2 and 3 those of the kernel zone. */
void ts_noc_guaranteed(uint32_t slot, uint32_t id);
/* A zone with a static id. Not 0 when its start was written; then, and only then, there is room kept for its end. */
uint32_t ts_noc_zone_open(uint32_t id);
void ts_noc_zone_close(uint32_t id, uint32_t opened);

#define TS_NOC_INLINE static inline __attribute__((always_inline, unused))

#ifdef TS_NOC_NEAR_RAW
#include <tilesight/noc_trace_near_raw.h>
#else

/* Records: what the macros below call. high_address is the upper word of a NoC address. */
void ts_noc_put(uint32_t low, uint32_t high);
void ts_noc_put_wide(uint32_t low, uint32_t high, uint32_t trailer_low, uint32_t trailer_high);
void ts_noc_put_address(uint32_t low, uint32_t high, uint32_t high_address, uint32_t size);
void ts_noc_put_multicast(uint32_t low, uint32_t high, uint32_t high_address, uint32_t size);

/* --- payloads -------------------------------------------------------------------------------------------------------- */

/* The constant part of a payload's two halves. */
#define TS_NOC_LANE(noc, vc) (((uint32_t)(noc) + 1u) | ((uint32_t)(vc)&15u) << 4)
#if TS_NOC_WIRE >= 3
#define TS_NOC_LOW(type) ((uint32_t)(type))
#define TS_NOC_HIGH(type, noc, vc, posted)                                                                             \
    (TS_NOC_LANE(noc, vc) << 8 | (TS_NOC_WIRE >= 4 && (posted) ? UINT32_C(1) << 24 : 0u))
#define TS_NOC_LOW_NOWHERE(type) ((uint32_t)(type) | UINT32_C(0x00FFFF00))
#elif TS_NOC_WIRE == 2
#define TS_NOC_LOW(type) 0u
#define TS_NOC_HIGH(type, noc, vc, posted) (TS_NOC_LANE(noc, vc) | (uint32_t)(type) << 16)
#define TS_NOC_LOW_NOWHERE(type) UINT32_C(0x0000FFFF)
#else
#define TS_NOC_LOW(type) UINT32_C(0xFFFF0000)
#define TS_NOC_HIGH(type, noc, vc, posted) ((uint32_t)(type) | TS_NOC_LANE(noc, vc) << 8)
#define TS_NOC_LOW_NOWHERE(type) UINT32_C(0xFFFFFFFF)
#endif

/* A size in its place in the high half: in chunks of 32 bytes, at most 255; in generation 1 bytes. */
TS_NOC_INLINE uint32_t ts_noc_size(uint32_t size)
{
#if TS_NOC_WIRE == 1
    return size << 16;
#else
    uint32_t up = size + 31;
    if (up >= 8192)
        up = 8160;
#ifdef __riscv
    /* Kept apart, the steps are a comparison and two shifts; put together they take instructions more. */
    if (!__builtin_constant_p(size))
        __asm__("" : "+r"(up));
    up >>= 5;
    if (!__builtin_constant_p(size))
        __asm__("" : "+r"(up));
#else
    up >>= 5;
#endif
    return up << (TS_NOC_WIRE == 2 ? 8 : 16);
#endif
}

/* A unicast destination in its place in the low half: bits 4..9 of the address' upper word are x, 10..15 y. */
TS_NOC_INLINE uint32_t ts_noc_destination(uint32_t high_address)
{
    uint32_t both = (high_address & 0x3F0) | (high_address << 2 & 0x3F000);
    return TS_NOC_WIRE >= 3 ? both << 4 : both >> 4;
}

/* A multicast's corners: the end corner stands where a unicast address has its destination, the start corner 12 bits above. */
TS_NOC_INLINE uint32_t ts_noc_corners_low(uint32_t high_address)
{
    uint32_t x = high_address >> 4 & 0x3F, y = high_address >> 10 & 0x3F;
    uint32_t start = ts_noc_destination(high_address >> 12);
    return TS_NOC_WIRE >= 3 ? start | x << 24 : start | x << 16 | y << 24;
}
TS_NOC_INLINE uint32_t ts_noc_corners_high(uint32_t high_address)
{
    return TS_NOC_WIRE >= 3 ? high_address >> 10 & 0x3F : 0;
}

/* --- the macros ------------------------------------------------------------------------------------------------------ */

#ifndef TS_NOC_OWN_REGISTERS
TS_NOC_INLINE void ts_noc_record_address(uint32_t low, uint32_t high, uint64_t address, uint32_t size)
{
    ts_noc_put_address(low, high, (uint32_t)(address >> 32), size);
}
TS_NOC_INLINE void ts_noc_record_plain(uint32_t low, uint32_t high)
{
    ts_noc_put(low, high);
}
#else
#if !defined __riscv || __riscv_xlen != 32 || TS_NOC_WIRE < 3
#error "TS_NOC_OWN_REGISTERS is for RV32 and TS_NOC_WIRE 3 or later"
#endif
/* The memory a record writes is not the kernel's, so none is clobbered: a record orders nothing. */
TS_NOC_INLINE void ts_noc_record_address(uint32_t low, uint32_t high, uint64_t address, uint32_t size)
{
    register uint32_t t1 __asm__("t1") = low;
    register uint32_t t2 __asm__("t2");
    register uint32_t t3 __asm__("t3") = (uint32_t)(address >> 32);
    if (__builtin_constant_p(size)) {
        t2 = high | ts_noc_size(size);
        __asm__ volatile("jal t0, ts_noc_own_address" : "+r"(t1), "+r"(t2), "+r"(t3) : : "t0", "t4", "t5");
    } else {
        register uint32_t t4 __asm__("t4") = size;
        t2 = high << 4; /* one instruction to load */
        __asm__ volatile("jal t0, ts_noc_own_sized" : "+r"(t1), "+r"(t2), "+r"(t3), "+r"(t4) : : "t0", "t5");
    }
}
TS_NOC_INLINE void ts_noc_record_plain(uint32_t low, uint32_t high)
{
    register uint32_t t1 __asm__("t1") = low;
    register uint32_t t2 __asm__("t2") = high;
    __asm__ volatile("jal t0, ts_noc_own_plain" : "+r"(t1), "+r"(t2) : : "t0", "t3", "t4", "t5");
}
#endif

/* Records name an event type without its prefix: TS_NOC_RECORD(READ_BARRIER_START). Those ending in _ON name the NoC.
 * address is a 64-bit NoC address, size in bytes, vc -1 for none, posted a constant. */
#define TS_NOC_PLAIN(noc, code) ts_noc_record_plain(TS_NOC_LOW_NOWHERE(code), TS_NOC_HIGH(code, noc, -1, 0))
#define TS_NOC_ADDRESS(noc, code, address, size, vc, posted)                                                           \
    ts_noc_record_address(TS_NOC_LOW(code), TS_NOC_HIGH(code, noc, vc, posted), address, size)
#define TS_NOC_MULTICAST(noc, code, address, size, vc, posted)                                                         \
    ts_noc_put_multicast(TS_NOC_LOW(code) & 0xFFu, TS_NOC_HIGH(code, noc, vc, posted),                                 \
                         (uint32_t)((uint64_t)(address) >> 32), size)
#define TS_NOC_RECORD_ON(noc, type) TS_NOC_PLAIN(noc, TS_NOC_TYPE_##type)
#define TS_NOC_RECORD_ADDR_ON(noc, type, address, size, vc, posted)                                                    \
    TS_NOC_ADDRESS(noc, TS_NOC_TYPE_##type, address, size, vc, posted)
#define TS_NOC_RECORD_MULTICAST_ON(noc, type, address, size, vc, posted)                                               \
    TS_NOC_MULTICAST(noc, TS_NOC_TYPE_##type, address, size, vc, posted)
#define TS_NOC_RECORD(type) TS_NOC_PLAIN(TS_NOC_INDEX, TS_NOC_TYPE_##type)
#define TS_NOC_RECORD_ADDR(type, address, size, vc, posted)                                                            \
    TS_NOC_ADDRESS(TS_NOC_INDEX, TS_NOC_TYPE_##type, address, size, vc, posted)
#define TS_NOC_RECORD_MULTICAST(type, address, size, vc, posted)                                                       \
    TS_NOC_MULTICAST(TS_NOC_INDEX, TS_NOC_TYPE_##type, address, size, vc, posted)

/* 16-byte packets, of debug dumps: also the local L1 address and the NoC's counter that belongs to the call. */
TS_NOC_INLINE void ts_noc_record_wide(uint32_t low, uint32_t high, uint32_t to, uint32_t local, uint32_t counter)
{
    uint32_t to4 = (to >> 2 & 0x3FFFFF) | (to & 3) << 22;
    uint32_t from4 = local >> 2 & 0x3FFFFF;
    ts_noc_put_wide(low, high, to4 | from4 << 26, from4 >> 6 | (local & 3) << 16 | counter << 20);
}
#define TS_NOC_RECORD_WIDE(type, address, size, vc, posted, local, counter)                                            \
    ts_noc_record_wide(TS_NOC_LOW(TS_NOC_TYPE_##type) | ts_noc_destination((uint32_t)((uint64_t)(address) >> 32)),     \
                       TS_NOC_HIGH(TS_NOC_TYPE_##type, TS_NOC_INDEX, vc, posted) | ts_noc_size(size),                  \
                       (uint32_t)(address), local, counter)
#define TS_NOC_RECORD_MULTICAST_WIDE(type, address, size, vc, posted, local, counter)                                  \
    ts_noc_record_wide((TS_NOC_LOW(TS_NOC_TYPE_##type) & 0xFFu) |                                                      \
                           ts_noc_corners_low((uint32_t)((uint64_t)(address) >> 32)),                                  \
                       TS_NOC_HIGH(TS_NOC_TYPE_##type, TS_NOC_INDEX, vc, posted) | ts_noc_size(size) |                 \
                           ts_noc_corners_high((uint32_t)((uint64_t)(address) >> 32)),                                 \
                       (uint32_t)(address), local, counter)
#define TS_NOC_RECORD_PLAIN_WIDE(type)                                                                                 \
    ts_noc_record_wide(TS_NOC_LOW_NOWHERE(TS_NOC_TYPE_##type), TS_NOC_HIGH(TS_NOC_TYPE_##type, TS_NOC_INDEX, -1, 0),   \
                       0, 0, 0)

/* A fabric send: its events directly before the write of the payload. noc is the one at the destination. */
#if TS_NOC_WIRE >= 3
#define TS_NOC_XY(x, y) (((uint32_t)(x)&0xFFu) << 8 | ((uint32_t)(y)&0xFFu) << 16)
#define TS_NOC_FABRIC_LOW(code, x, y, end_x) ((uint32_t)(code) | TS_NOC_XY(x, y) | (uint32_t)(end_x) << 24)
#define TS_NOC_FABRIC_HIGH(code, end_y, noc, packet)                                                                   \
    (((uint32_t)(end_y)&0xFFu) | ((uint32_t)(noc) + 1u) << 8 | (uint32_t)(packet) << 12)
#define TS_NOC_RECORD_FABRIC_MULTICAST(type, x, y, end_x, end_y, noc, packet)                                          \
    ts_noc_put(TS_NOC_FABRIC_LOW(TS_NOC_TYPE_##type, x, y, end_x),                                                     \
               TS_NOC_FABRIC_HIGH(TS_NOC_TYPE_##type, end_y, noc, packet))
#define TS_NOC_RECORD_SCATTER(x, y, chunk, chunks, noc, packet)                                                        \
    ts_noc_put((uint32_t)TS_NOC_TYPE(FABRIC_UNICAST_SCATTER_WRITE) | TS_NOC_XY(x, y),                                  \
               ((uint32_t)(chunk)&0xFFFFu) | ((uint32_t)(chunks)&0xFFu) << 16 | ((uint32_t)(noc) + 1u) << 24 |         \
                   (uint32_t)(packet) << 28)
#define TS_NOC_RECORD_ROUTING_1D(value)                                                                                \
    ts_noc_put((uint32_t)TS_NOC_TYPE(FABRIC_ROUTING_FIELDS_1D) | (uint32_t)(value) << 8, (uint32_t)(value) >> 24)
#define TS_NOC_RECORD_ROUTING_2D(ns, e, w, multicast)                                                                  \
    ts_noc_put((uint32_t)TS_NOC_TYPE(FABRIC_ROUTING_FIELDS_2D) | TS_NOC_XY(ns, e) | (uint32_t)(w) << 24,               \
               (multicast) ? 1u : 0u)
#elif TS_NOC_WIRE == 2
/* Without corners, and a chunk of a scatter is named by its number. */
#define TS_NOC_XY(x, y) (((uint32_t)(x)&0xFFu) | ((uint32_t)(y)&0xFFu) << 8)
#define TS_NOC_FABRIC_LOW(code, x, y, end_x) (TS_NOC_XY(x, y) | UINT32_C(0xFFFF0000))
#define TS_NOC_FABRIC_HIGH(code, end_y, noc, packet) ((uint32_t)(packet) | (uint32_t)(code) << 16)
#define TS_NOC_RECORD_SCATTER(x, y, index, chunks, noc, packet)                                                        \
    ts_noc_put(TS_NOC_XY(x, y) | ((uint32_t)(index)&0xFFu) << 16 | (uint32_t)(chunks) << 24,                           \
               (uint32_t)(packet) | (uint32_t)TS_NOC_TYPE(FABRIC_UNICAST_SCATTER_WRITE) << 16)
#define TS_NOC_RECORD_ROUTING_1D(value)                                                                                \
    ts_noc_put((uint32_t)(value), (uint32_t)TS_NOC_TYPE(FABRIC_ROUTING_FIELDS) << 16)
#endif
#if TS_NOC_WIRE >= 2
#define TS_NOC_RECORD_FABRIC(type, x, y, noc, packet)                                                                  \
    ts_noc_put(TS_NOC_FABRIC_LOW(TS_NOC_TYPE_##type, x, y, -1), TS_NOC_FABRIC_HIGH(TS_NOC_TYPE_##type, -1, noc, packet))
#endif

/* What stands behind posted, or behind the type, only the near-raw mode keeps; here it is not even evaluated. */
#define TS_NOC_RECORD_CALL(type, address, size, vc, posted, ...)                                                       \
    TS_NOC_ADDRESS(TS_NOC_INDEX, TS_NOC_TYPE_##type, address, size, vc, posted)
#define TS_NOC_RECORD_MULTICAST_CALL(type, address, size, vc, posted, ...)                                             \
    TS_NOC_MULTICAST(TS_NOC_INDEX, TS_NOC_TYPE_##type, address, size, vc, posted)
#define TS_NOC_RECORD_PLAIN_CALL(type, ...) TS_NOC_PLAIN(TS_NOC_INDEX, TS_NOC_TYPE_##type)

#endif

#define TS_NOC_ZONE(slot, id) ts_noc_guaranteed(slot, id)
#define TS_NOC_ZONE_OPEN(id) ts_noc_zone_open(id)
#define TS_NOC_ZONE_CLOSE(id, opened) ts_noc_zone_close(id, opened)
/* Before a multicast that will set the linked bit. */
#define TS_NOC_BEFORE_LINKED() ((void)ts_noc_flush())
#define TS_NOC_BEGIN(setup) ts_noc_begin(setup)
#define TS_NOC_FINISH() ts_noc_finish()
#define TS_NOC_SEND() ts_noc_send()

#ifdef __cplusplus
}
#endif

#ifdef TS_NOC_TRACE_IMPLEMENTATION
#include <tilesight/noc_trace_routines.h>
#endif
#endif
