/* The dataflow calls of C kernels, traced: which call records what.
 *
 * Declares the calls. With PROFILE_NOC_EVENTS each is recorded before it is made; without, this header declares and does
 * nothing else. At one call site a name in parentheses is not traced: (noc_async_write)(from, to, size). In C++ see
 * noc_trace.hpp. A source that defines the calls defines TS_NOC_CALLS_BARE first, and so never reaches itself through the
 * trace. Calls of generation 4 and later are declared always and traced there only. */
#ifndef TILESIGHT_NOC_CALLS_H
#define TILESIGHT_NOC_CALLS_H

#include <tilesight/noc_trace.h>

#ifdef __cplusplus
extern "C" {
#endif

void noc_async_read(uint64_t from, uint32_t to, uint32_t size);
void noc_async_read_one_packet(uint64_t from, uint32_t to, uint32_t size);
void noc_async_read_one_packet_set_state(uint64_t from, uint32_t size);
void noc_async_read_set_state(uint64_t from);
void noc_async_read_one_packet_with_state(uint32_t from, uint32_t to);
void noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t size);
void noc_async_read_one_packet_with_state_with_trid(uint32_t from, uint32_t offset, uint32_t to, uint32_t trid);
void noc_async_read_set_trid(uint32_t trid);
void noc_async_read_barrier(void);
void noc_async_read_barrier_with_trid(uint32_t trid);
void noc_async_write(uint32_t from, uint64_t to, uint32_t size);
void noc_async_write_one_packet(uint32_t from, uint64_t to, uint32_t size);
void noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to, uint32_t size, uint32_t trid);
void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers);
void noc_async_write_multicast_one_packet(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers);
void noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers);
void noc_async_write_one_packet_set_state(uint64_t to, uint32_t size);
void noc_async_write_one_packet_with_state(uint32_t from, uint32_t to);
void noc_async_write_one_packet_with_trid_set_state(uint64_t to);
void noc_async_write_one_packet_with_trid_with_state(uint32_t from, uint32_t to, uint32_t size, uint32_t trid);
void noc_async_write_barrier(void);
void noc_async_write_set_trid(uint32_t trid);
void noc_async_writes_flushed(void);
void noc_async_write_flushed_with_trid(uint32_t trid);
void noc_async_full_barrier(void);
void noc_async_atomic_barrier(void);
void noc_semaphore_inc(uint64_t at, uint32_t by);
void noc_semaphore_wait(volatile uint32_t *at, uint32_t value);
void noc_semaphore_wait_min(volatile uint32_t *at, uint32_t value);
void noc_semaphore_set(volatile uint32_t *at, uint32_t value);

#ifdef __cplusplus
}
#endif

/* What a call records: the event, and the arguments that only the near-raw mode keeps. READ_WITH_STATE and its like know a local
 * address alone, whose upper word is none. */
#define TS_NOC_ON_noc_async_read(from, to, size) TS_NOC_RECORD_CALL(READ, from, size, -1, 0, to)
#define TS_NOC_ON_noc_async_read_one_packet(from, to, size) TS_NOC_RECORD_CALL(READ, from, size, -1, 0, to)
#define TS_NOC_ON_noc_async_read_one_packet_set_state(from, size) TS_NOC_RECORD_ADDR(READ_SET_STATE, from, size, -1, 0)
#define TS_NOC_ON_noc_async_read_set_state(from) TS_NOC_RECORD_ADDR(READ_SET_STATE, from, 0, -1, 0)
#define TS_NOC_ON_noc_async_read_one_packet_with_state(from, to) TS_NOC_RECORD_CALL(READ_WITH_STATE, from, 0, -1, 0, to)
#define TS_NOC_ON_noc_async_read_with_state(from, to, size) TS_NOC_RECORD_CALL(READ_WITH_STATE, from, size, -1, 0, to)
#define TS_NOC_ON_noc_async_read_one_packet_with_state_with_trid(from, offset, to, trid)                               \
    TS_NOC_RECORD_PLAIN_CALL(READ_WITH_STATE_AND_TRID, from, offset, to, trid)
#define TS_NOC_ON_noc_async_read_set_trid(trid) TS_NOC_RECORD_PLAIN_CALL(READ_SET_TRID, trid)
#define TS_NOC_ON_noc_async_read_barrier() TS_NOC_RECORD(READ_BARRIER_START)
#define TS_NOC_ON_noc_async_read_barrier_with_trid(trid) TS_NOC_RECORD_PLAIN_CALL(READ_BARRIER_WITH_TRID, trid)
#define TS_NOC_ON_noc_async_write(from, to, size) TS_NOC_RECORD_CALL(WRITE_, to, size, 1, 0, from)
#define TS_NOC_ON_noc_async_write_one_packet(from, to, size) TS_NOC_RECORD_CALL(WRITE_, to, size, 1, 0, from)
#define TS_NOC_ON_noc_async_write_one_packet_with_trid(from, to, size, trid)                                           \
    TS_NOC_RECORD_CALL(WRITE_WITH_TRID, to, size, -1, 0, from, trid)
#define TS_NOC_ON_noc_async_write_multicast(from, to, size, receivers)                                                 \
    TS_NOC_RECORD_MULTICAST_CALL(WRITE_MULTICAST, to, size, 4, 0, from, receivers)
#define TS_NOC_ON_noc_async_write_multicast_one_packet(from, to, size, receivers)                                      \
    TS_NOC_RECORD_MULTICAST_CALL(WRITE_MULTICAST, to, size, 4, 0, from, receivers)
#define TS_NOC_ON_noc_async_write_multicast_loopback_src(from, to, size, receivers)                                    \
    TS_NOC_RECORD_MULTICAST_CALL(WRITE_MULTICAST, to, size, 4, 0, from, receivers)
#define TS_NOC_ON_noc_async_write_one_packet_set_state(to, size) TS_NOC_RECORD_ADDR(WRITE_SET_STATE, to, size, 1, 0)
#define TS_NOC_ON_noc_async_write_one_packet_with_state(from, to)                                                      \
    TS_NOC_RECORD_CALL(WRITE_WITH_STATE, from, 0, -1, 0, to)
#define TS_NOC_ON_noc_async_write_one_packet_with_trid_set_state(to)                                                   \
    TS_NOC_RECORD_ADDR(WRITE_WITH_TRID_SET_STATE, to, 0, 1, 0)
#define TS_NOC_ON_noc_async_write_one_packet_with_trid_with_state(from, to, size, trid)                                \
    TS_NOC_RECORD_CALL(WRITE_WITH_TRID_WITH_STATE, from, size, -1, 0, to, trid)
#define TS_NOC_ON_noc_async_write_barrier() TS_NOC_RECORD(WRITE_BARRIER_START)
#define TS_NOC_ON_noc_async_writes_flushed() TS_NOC_RECORD(WRITE_FLUSH)
#define TS_NOC_ON_noc_async_full_barrier() TS_NOC_RECORD(FULL_BARRIER)
#define TS_NOC_ON_noc_async_atomic_barrier() TS_NOC_RECORD(ATOMIC_BARRIER)
#define TS_NOC_ON_noc_semaphore_inc(at, by) TS_NOC_RECORD_CALL(SEMAPHORE_INC, at, 0, 1, 0, by)
#define TS_NOC_ON_noc_semaphore_wait(at, value) TS_NOC_RECORD_PLAIN_CALL(SEMAPHORE_WAIT, at, value)
#define TS_NOC_ON_noc_semaphore_wait_min(at, value) TS_NOC_RECORD_PLAIN_CALL(SEMAPHORE_WAIT, at, value)
#define TS_NOC_ON_noc_semaphore_set(at, value) TS_NOC_RECORD_PLAIN_CALL(SEMAPHORE_SET, at, value)
#define TS_NOC_AFTER_noc_async_read_barrier() TS_NOC_RECORD(READ_BARRIER_END)
#define TS_NOC_AFTER_noc_async_write_barrier() TS_NOC_RECORD(WRITE_BARRIER_END)
#if TS_NOC_WIRE >= 3
#define TS_NOC_ON_noc_async_write_set_trid(trid) TS_NOC_RECORD_PLAIN_CALL(WRITE_SET_TRID, trid)
#define TS_NOC_ON_noc_async_write_flushed_with_trid(trid) TS_NOC_RECORD_PLAIN_CALL(WRITE_FLUSH_WITH_TRID, trid)
#else
#define TS_NOC_ON_noc_async_write_set_trid(trid) ((void)0)
#define TS_NOC_ON_noc_async_write_flushed_with_trid(trid) ((void)0)
#endif

/* What a call records before it is made. For libraries of calls that trace themselves. */
#define TS_NOC_HOOK static inline __attribute__((always_inline, unused)) void
#if defined PROFILE_NOC_EVENTS && defined TS_NOC_NEAR_RAW
/* A hook does not know where it is called: its sites have no place. */
#pragma push_macro("TS_NOC_SITE_FILE")
#pragma push_macro("TS_NOC_SITE_LINE")
#undef TS_NOC_SITE_FILE
#undef TS_NOC_SITE_LINE
#define TS_NOC_SITE_FILE ""
#define TS_NOC_SITE_LINE 0
#endif
TS_NOC_HOOK ts_noc_on_noc_async_read(uint64_t from, uint32_t to, uint32_t size)
{
    (void)from;
    (void)to;
    (void)size;
    TS_NOC_ON_noc_async_read(from, to, size);
}
TS_NOC_HOOK ts_noc_on_noc_async_read_one_packet(uint64_t from, uint32_t to, uint32_t size)
{
    (void)from;
    (void)to;
    (void)size;
    TS_NOC_ON_noc_async_read_one_packet(from, to, size);
}
TS_NOC_HOOK ts_noc_on_noc_async_read_one_packet_set_state(uint64_t from, uint32_t size)
{
    (void)from;
    (void)size;
    TS_NOC_ON_noc_async_read_one_packet_set_state(from, size);
}
TS_NOC_HOOK ts_noc_on_noc_async_read_set_state(uint64_t from)
{
    (void)from;
    TS_NOC_ON_noc_async_read_set_state(from);
}
TS_NOC_HOOK ts_noc_on_noc_async_read_one_packet_with_state(uint32_t from, uint32_t to)
{
    (void)from;
    (void)to;
    TS_NOC_ON_noc_async_read_one_packet_with_state(from, to);
}
TS_NOC_HOOK ts_noc_on_noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t size)
{
    (void)from;
    (void)to;
    (void)size;
    TS_NOC_ON_noc_async_read_with_state(from, to, size);
}
TS_NOC_HOOK ts_noc_on_noc_async_read_one_packet_with_state_with_trid(uint32_t from, uint32_t offset, uint32_t to,
                                                                     uint32_t trid)
{
    (void)from;
    (void)offset;
    (void)to;
    (void)trid;
    TS_NOC_ON_noc_async_read_one_packet_with_state_with_trid(from, offset, to, trid);
}
TS_NOC_HOOK ts_noc_on_noc_async_read_set_trid(uint32_t trid)
{
    (void)trid;
    TS_NOC_ON_noc_async_read_set_trid(trid);
}
TS_NOC_HOOK ts_noc_on_noc_async_read_barrier(void)
{
    TS_NOC_ON_noc_async_read_barrier();
}
TS_NOC_HOOK ts_noc_on_noc_async_read_barrier_with_trid(uint32_t trid)
{
    (void)trid;
    TS_NOC_ON_noc_async_read_barrier_with_trid(trid);
}
TS_NOC_HOOK ts_noc_on_noc_async_write(uint32_t from, uint64_t to, uint32_t size)
{
    (void)from;
    (void)to;
    (void)size;
    TS_NOC_ON_noc_async_write(from, to, size);
}
TS_NOC_HOOK ts_noc_on_noc_async_write_one_packet(uint32_t from, uint64_t to, uint32_t size)
{
    (void)from;
    (void)to;
    (void)size;
    TS_NOC_ON_noc_async_write_one_packet(from, to, size);
}
TS_NOC_HOOK ts_noc_on_noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to, uint32_t size, uint32_t trid)
{
    (void)from;
    (void)to;
    (void)size;
    (void)trid;
    TS_NOC_ON_noc_async_write_one_packet_with_trid(from, to, size, trid);
}
TS_NOC_HOOK ts_noc_on_noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers)
{
    (void)from;
    (void)to;
    (void)size;
    (void)receivers;
    TS_NOC_ON_noc_async_write_multicast(from, to, size, receivers);
}
TS_NOC_HOOK ts_noc_on_noc_async_write_multicast_one_packet(uint32_t from, uint64_t to, uint32_t size,
                                                           uint32_t receivers)
{
    (void)from;
    (void)to;
    (void)size;
    (void)receivers;
    TS_NOC_ON_noc_async_write_multicast_one_packet(from, to, size, receivers);
}
TS_NOC_HOOK ts_noc_on_noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t size,
                                                             uint32_t receivers)
{
    (void)from;
    (void)to;
    (void)size;
    (void)receivers;
    TS_NOC_ON_noc_async_write_multicast_loopback_src(from, to, size, receivers);
}
TS_NOC_HOOK ts_noc_on_noc_async_write_one_packet_set_state(uint64_t to, uint32_t size)
{
    (void)to;
    (void)size;
    TS_NOC_ON_noc_async_write_one_packet_set_state(to, size);
}
TS_NOC_HOOK ts_noc_on_noc_async_write_one_packet_with_state(uint32_t from, uint32_t to)
{
    (void)from;
    (void)to;
    TS_NOC_ON_noc_async_write_one_packet_with_state(from, to);
}
TS_NOC_HOOK ts_noc_on_noc_async_write_one_packet_with_trid_set_state(uint64_t to)
{
    (void)to;
    TS_NOC_ON_noc_async_write_one_packet_with_trid_set_state(to);
}
TS_NOC_HOOK ts_noc_on_noc_async_write_one_packet_with_trid_with_state(uint32_t from, uint32_t to, uint32_t size,
                                                                      uint32_t trid)
{
    (void)from;
    (void)to;
    (void)size;
    (void)trid;
    TS_NOC_ON_noc_async_write_one_packet_with_trid_with_state(from, to, size, trid);
}
TS_NOC_HOOK ts_noc_on_noc_async_write_barrier(void)
{
    TS_NOC_ON_noc_async_write_barrier();
}
TS_NOC_HOOK ts_noc_on_noc_async_write_set_trid(uint32_t trid)
{
    (void)trid;
    TS_NOC_ON_noc_async_write_set_trid(trid);
}
TS_NOC_HOOK ts_noc_on_noc_async_writes_flushed(void)
{
    TS_NOC_ON_noc_async_writes_flushed();
}
TS_NOC_HOOK ts_noc_on_noc_async_write_flushed_with_trid(uint32_t trid)
{
    (void)trid;
    TS_NOC_ON_noc_async_write_flushed_with_trid(trid);
}
TS_NOC_HOOK ts_noc_on_noc_async_full_barrier(void)
{
    TS_NOC_ON_noc_async_full_barrier();
}
TS_NOC_HOOK ts_noc_on_noc_async_atomic_barrier(void)
{
    TS_NOC_ON_noc_async_atomic_barrier();
}
TS_NOC_HOOK ts_noc_on_noc_semaphore_inc(uint64_t at, uint32_t by)
{
    (void)at;
    (void)by;
    TS_NOC_ON_noc_semaphore_inc(at, by);
}
TS_NOC_HOOK ts_noc_on_noc_semaphore_wait(volatile uint32_t *at, uint32_t value)
{
    (void)at;
    (void)value;
    TS_NOC_ON_noc_semaphore_wait(at, value);
}
TS_NOC_HOOK ts_noc_on_noc_semaphore_wait_min(volatile uint32_t *at, uint32_t value)
{
    (void)at;
    (void)value;
    TS_NOC_ON_noc_semaphore_wait_min(at, value);
}
TS_NOC_HOOK ts_noc_on_noc_semaphore_set(volatile uint32_t *at, uint32_t value)
{
    (void)at;
    (void)value;
    TS_NOC_ON_noc_semaphore_set(at, value);
}

/* After the two barriers that are measured. */
TS_NOC_HOOK ts_noc_after_noc_async_read_barrier(void)
{
    TS_NOC_AFTER_noc_async_read_barrier();
}
TS_NOC_HOOK ts_noc_after_noc_async_write_barrier(void)
{
    TS_NOC_AFTER_noc_async_write_barrier();
}

#if defined PROFILE_NOC_EVENTS && defined TS_NOC_NEAR_RAW
#pragma pop_macro("TS_NOC_SITE_FILE")
#pragma pop_macro("TS_NOC_SITE_LINE")
#endif

#if defined PROFILE_NOC_EVENTS && defined TS_NOC_NEAR_RAW && !defined TS_NOC_CALLS_BARE && !defined __cplusplus
/* Each call is recorded where it stands. */
#define TS_NOC_NEAR_CALL_0(name)                                                                                       \
    __extension__({                                                                                                    \
        TS_NOC_ON_##name();                                                                                            \
        (name)();                                                                                                      \
    })
#define TS_NOC_NEAR_CALL_1(name, t0, x0)                                                                               \
    __extension__({                                                                                                    \
        t0 ts_noc_0 = (x0);                                                                                            \
        TS_NOC_ON_##name(ts_noc_0);                                                                                    \
        (name)(ts_noc_0);                                                                                              \
    })
#define TS_NOC_NEAR_CALL_2(name, t0, t1, x0, x1)                                                                       \
    __extension__({                                                                                                    \
        t0 ts_noc_0 = (x0);                                                                                            \
        t1 ts_noc_1 = (x1);                                                                                            \
        TS_NOC_ON_##name(ts_noc_0, ts_noc_1);                                                                          \
        (name)(ts_noc_0, ts_noc_1);                                                                                    \
    })
#define TS_NOC_NEAR_CALL_3(name, t0, t1, t2, x0, x1, x2)                                                               \
    __extension__({                                                                                                    \
        t0 ts_noc_0 = (x0);                                                                                            \
        t1 ts_noc_1 = (x1);                                                                                            \
        t2 ts_noc_2 = (x2);                                                                                            \
        TS_NOC_ON_##name(ts_noc_0, ts_noc_1, ts_noc_2);                                                                \
        (name)(ts_noc_0, ts_noc_1, ts_noc_2);                                                                          \
    })
#define TS_NOC_NEAR_CALL_4(name, t0, t1, t2, t3, x0, x1, x2, x3)                                                       \
    __extension__({                                                                                                    \
        t0 ts_noc_0 = (x0);                                                                                            \
        t1 ts_noc_1 = (x1);                                                                                            \
        t2 ts_noc_2 = (x2);                                                                                            \
        t3 ts_noc_3 = (x3);                                                                                            \
        TS_NOC_ON_##name(ts_noc_0, ts_noc_1, ts_noc_2, ts_noc_3);                                                      \
        (name)(ts_noc_0, ts_noc_1, ts_noc_2, ts_noc_3);                                                                \
    })
#define noc_async_read(...) TS_NOC_NEAR_CALL_3(noc_async_read, uint64_t, uint32_t, uint32_t, __VA_ARGS__)
#define noc_async_read_one_packet(...)                                                                                 \
    TS_NOC_NEAR_CALL_3(noc_async_read_one_packet, uint64_t, uint32_t, uint32_t, __VA_ARGS__)
#define noc_async_read_one_packet_set_state(...)                                                                       \
    TS_NOC_NEAR_CALL_2(noc_async_read_one_packet_set_state, uint64_t, uint32_t, __VA_ARGS__)
#define noc_async_read_set_state(...) TS_NOC_NEAR_CALL_1(noc_async_read_set_state, uint64_t, __VA_ARGS__)
#define noc_async_read_one_packet_with_state(...)                                                                      \
    TS_NOC_NEAR_CALL_2(noc_async_read_one_packet_with_state, uint32_t, uint32_t, __VA_ARGS__)
#define noc_async_read_with_state(...)                                                                                 \
    TS_NOC_NEAR_CALL_3(noc_async_read_with_state, uint32_t, uint32_t, uint32_t, __VA_ARGS__)
#define noc_async_read_one_packet_with_state_with_trid(...)                                                            \
    TS_NOC_NEAR_CALL_4(noc_async_read_one_packet_with_state_with_trid, uint32_t, uint32_t, uint32_t, uint32_t,         \
                       __VA_ARGS__)
#define noc_async_read_set_trid(...) TS_NOC_NEAR_CALL_1(noc_async_read_set_trid, uint32_t, __VA_ARGS__)
#define noc_async_read_barrier()                                                                                       \
    __extension__({                                                                                                    \
        TS_NOC_ON_noc_async_read_barrier();                                                                            \
        (noc_async_read_barrier)();                                                                                    \
        TS_NOC_AFTER_noc_async_read_barrier();                                                                         \
    })
#define noc_async_read_barrier_with_trid(...)                                                                          \
    TS_NOC_NEAR_CALL_1(noc_async_read_barrier_with_trid, uint32_t, __VA_ARGS__)
#define noc_async_write(...) TS_NOC_NEAR_CALL_3(noc_async_write, uint32_t, uint64_t, uint32_t, __VA_ARGS__)
#define noc_async_write_one_packet(...)                                                                                \
    TS_NOC_NEAR_CALL_3(noc_async_write_one_packet, uint32_t, uint64_t, uint32_t, __VA_ARGS__)
#define noc_async_write_one_packet_with_trid(...)                                                                      \
    TS_NOC_NEAR_CALL_4(noc_async_write_one_packet_with_trid, uint32_t, uint64_t, uint32_t, uint32_t, __VA_ARGS__)
#define noc_async_write_multicast(...)                                                                                 \
    TS_NOC_NEAR_CALL_4(noc_async_write_multicast, uint32_t, uint64_t, uint32_t, uint32_t, __VA_ARGS__)
#define noc_async_write_multicast_one_packet(...)                                                                      \
    TS_NOC_NEAR_CALL_4(noc_async_write_multicast_one_packet, uint32_t, uint64_t, uint32_t, uint32_t, __VA_ARGS__)
#define noc_async_write_multicast_loopback_src(...)                                                                    \
    TS_NOC_NEAR_CALL_4(noc_async_write_multicast_loopback_src, uint32_t, uint64_t, uint32_t, uint32_t, __VA_ARGS__)
#define noc_async_write_one_packet_set_state(...)                                                                      \
    TS_NOC_NEAR_CALL_2(noc_async_write_one_packet_set_state, uint64_t, uint32_t, __VA_ARGS__)
#define noc_async_write_one_packet_with_state(...)                                                                     \
    TS_NOC_NEAR_CALL_2(noc_async_write_one_packet_with_state, uint32_t, uint32_t, __VA_ARGS__)
#define noc_async_write_one_packet_with_trid_set_state(...)                                                            \
    TS_NOC_NEAR_CALL_1(noc_async_write_one_packet_with_trid_set_state, uint64_t, __VA_ARGS__)
#define noc_async_write_one_packet_with_trid_with_state(...)                                                           \
    TS_NOC_NEAR_CALL_4(noc_async_write_one_packet_with_trid_with_state, uint32_t, uint32_t, uint32_t, uint32_t,        \
                       __VA_ARGS__)
#define noc_async_write_barrier()                                                                                      \
    __extension__({                                                                                                    \
        TS_NOC_ON_noc_async_write_barrier();                                                                           \
        (noc_async_write_barrier)();                                                                                   \
        TS_NOC_AFTER_noc_async_write_barrier();                                                                        \
    })
#define noc_async_write_set_trid(...) TS_NOC_NEAR_CALL_1(noc_async_write_set_trid, uint32_t, __VA_ARGS__)
#define noc_async_writes_flushed() TS_NOC_NEAR_CALL_0(noc_async_writes_flushed)
#define noc_async_write_flushed_with_trid(...)                                                                         \
    TS_NOC_NEAR_CALL_1(noc_async_write_flushed_with_trid, uint32_t, __VA_ARGS__)
#define noc_async_full_barrier() TS_NOC_NEAR_CALL_0(noc_async_full_barrier)
#define noc_async_atomic_barrier() TS_NOC_NEAR_CALL_0(noc_async_atomic_barrier)
#define noc_semaphore_inc(...) TS_NOC_NEAR_CALL_2(noc_semaphore_inc, uint64_t, uint32_t, __VA_ARGS__)
#define noc_semaphore_wait(...) TS_NOC_NEAR_CALL_2(noc_semaphore_wait, volatile uint32_t *, uint32_t, __VA_ARGS__)
#define noc_semaphore_wait_min(...)                                                                                    \
    TS_NOC_NEAR_CALL_2(noc_semaphore_wait_min, volatile uint32_t *, uint32_t, __VA_ARGS__)
#define noc_semaphore_set(...) TS_NOC_NEAR_CALL_2(noc_semaphore_set, volatile uint32_t *, uint32_t, __VA_ARGS__)
#elif defined PROFILE_NOC_EVENTS && !defined TS_NOC_CALLS_BARE && !defined __cplusplus
TS_NOC_HOOK ts_noc_traced_noc_async_read(uint64_t from, uint32_t to, uint32_t size)
{
    ts_noc_on_noc_async_read(from, to, size);
    noc_async_read(from, to, size);
}
TS_NOC_HOOK ts_noc_traced_noc_async_read_one_packet(uint64_t from, uint32_t to, uint32_t size)
{
    ts_noc_on_noc_async_read_one_packet(from, to, size);
    noc_async_read_one_packet(from, to, size);
}
TS_NOC_HOOK ts_noc_traced_noc_async_read_one_packet_set_state(uint64_t from, uint32_t size)
{
    ts_noc_on_noc_async_read_one_packet_set_state(from, size);
    noc_async_read_one_packet_set_state(from, size);
}
TS_NOC_HOOK ts_noc_traced_noc_async_read_set_state(uint64_t from)
{
    ts_noc_on_noc_async_read_set_state(from);
    noc_async_read_set_state(from);
}
TS_NOC_HOOK ts_noc_traced_noc_async_read_one_packet_with_state(uint32_t from, uint32_t to)
{
    ts_noc_on_noc_async_read_one_packet_with_state(from, to);
    noc_async_read_one_packet_with_state(from, to);
}
TS_NOC_HOOK ts_noc_traced_noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t size)
{
    ts_noc_on_noc_async_read_with_state(from, to, size);
    noc_async_read_with_state(from, to, size);
}
TS_NOC_HOOK ts_noc_traced_noc_async_read_one_packet_with_state_with_trid(uint32_t from, uint32_t offset, uint32_t to,
                                                                         uint32_t trid)
{
    ts_noc_on_noc_async_read_one_packet_with_state_with_trid(from, offset, to, trid);
    noc_async_read_one_packet_with_state_with_trid(from, offset, to, trid);
}
TS_NOC_HOOK ts_noc_traced_noc_async_read_set_trid(uint32_t trid)
{
    ts_noc_on_noc_async_read_set_trid(trid);
    noc_async_read_set_trid(trid);
}
TS_NOC_HOOK ts_noc_traced_noc_async_read_barrier(void)
{
    ts_noc_on_noc_async_read_barrier();
    noc_async_read_barrier();
    ts_noc_after_noc_async_read_barrier();
}
TS_NOC_HOOK ts_noc_traced_noc_async_read_barrier_with_trid(uint32_t trid)
{
    ts_noc_on_noc_async_read_barrier_with_trid(trid);
    noc_async_read_barrier_with_trid(trid);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write(uint32_t from, uint64_t to, uint32_t size)
{
    ts_noc_on_noc_async_write(from, to, size);
    noc_async_write(from, to, size);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_one_packet(uint32_t from, uint64_t to, uint32_t size)
{
    ts_noc_on_noc_async_write_one_packet(from, to, size);
    noc_async_write_one_packet(from, to, size);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to, uint32_t size, uint32_t trid)
{
    ts_noc_on_noc_async_write_one_packet_with_trid(from, to, size, trid);
    noc_async_write_one_packet_with_trid(from, to, size, trid);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers)
{
    ts_noc_on_noc_async_write_multicast(from, to, size, receivers);
    noc_async_write_multicast(from, to, size, receivers);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_multicast_one_packet(uint32_t from, uint64_t to, uint32_t size,
                                                               uint32_t receivers)
{
    ts_noc_on_noc_async_write_multicast_one_packet(from, to, size, receivers);
    noc_async_write_multicast_one_packet(from, to, size, receivers);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t size,
                                                                 uint32_t receivers)
{
    ts_noc_on_noc_async_write_multicast_loopback_src(from, to, size, receivers);
    noc_async_write_multicast_loopback_src(from, to, size, receivers);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_one_packet_set_state(uint64_t to, uint32_t size)
{
    ts_noc_on_noc_async_write_one_packet_set_state(to, size);
    noc_async_write_one_packet_set_state(to, size);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_one_packet_with_state(uint32_t from, uint32_t to)
{
    ts_noc_on_noc_async_write_one_packet_with_state(from, to);
    noc_async_write_one_packet_with_state(from, to);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_one_packet_with_trid_set_state(uint64_t to)
{
    ts_noc_on_noc_async_write_one_packet_with_trid_set_state(to);
    noc_async_write_one_packet_with_trid_set_state(to);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_one_packet_with_trid_with_state(uint32_t from, uint32_t to, uint32_t size,
                                                                          uint32_t trid)
{
    ts_noc_on_noc_async_write_one_packet_with_trid_with_state(from, to, size, trid);
    noc_async_write_one_packet_with_trid_with_state(from, to, size, trid);
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_barrier(void)
{
    ts_noc_on_noc_async_write_barrier();
    noc_async_write_barrier();
    ts_noc_after_noc_async_write_barrier();
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_set_trid(uint32_t trid)
{
    ts_noc_on_noc_async_write_set_trid(trid);
    noc_async_write_set_trid(trid);
}
TS_NOC_HOOK ts_noc_traced_noc_async_writes_flushed(void)
{
    ts_noc_on_noc_async_writes_flushed();
    noc_async_writes_flushed();
}
TS_NOC_HOOK ts_noc_traced_noc_async_write_flushed_with_trid(uint32_t trid)
{
    ts_noc_on_noc_async_write_flushed_with_trid(trid);
    noc_async_write_flushed_with_trid(trid);
}
TS_NOC_HOOK ts_noc_traced_noc_async_full_barrier(void)
{
    ts_noc_on_noc_async_full_barrier();
    noc_async_full_barrier();
}
TS_NOC_HOOK ts_noc_traced_noc_async_atomic_barrier(void)
{
    ts_noc_on_noc_async_atomic_barrier();
    noc_async_atomic_barrier();
}
TS_NOC_HOOK ts_noc_traced_noc_semaphore_inc(uint64_t at, uint32_t by)
{
    ts_noc_on_noc_semaphore_inc(at, by);
    noc_semaphore_inc(at, by);
}
TS_NOC_HOOK ts_noc_traced_noc_semaphore_wait(volatile uint32_t *at, uint32_t value)
{
    ts_noc_on_noc_semaphore_wait(at, value);
    noc_semaphore_wait(at, value);
}
TS_NOC_HOOK ts_noc_traced_noc_semaphore_wait_min(volatile uint32_t *at, uint32_t value)
{
    ts_noc_on_noc_semaphore_wait_min(at, value);
    noc_semaphore_wait_min(at, value);
}
TS_NOC_HOOK ts_noc_traced_noc_semaphore_set(volatile uint32_t *at, uint32_t value)
{
    ts_noc_on_noc_semaphore_set(at, value);
    noc_semaphore_set(at, value);
}
#define noc_async_read(...) ts_noc_traced_noc_async_read(__VA_ARGS__)
#define noc_async_read_one_packet(...) ts_noc_traced_noc_async_read_one_packet(__VA_ARGS__)
#define noc_async_read_one_packet_set_state(...) ts_noc_traced_noc_async_read_one_packet_set_state(__VA_ARGS__)
#define noc_async_read_set_state(...) ts_noc_traced_noc_async_read_set_state(__VA_ARGS__)
#define noc_async_read_one_packet_with_state(...) ts_noc_traced_noc_async_read_one_packet_with_state(__VA_ARGS__)
#define noc_async_read_with_state(...) ts_noc_traced_noc_async_read_with_state(__VA_ARGS__)
#define noc_async_read_one_packet_with_state_with_trid(...)                                                            \
    ts_noc_traced_noc_async_read_one_packet_with_state_with_trid(__VA_ARGS__)
#define noc_async_read_set_trid(...) ts_noc_traced_noc_async_read_set_trid(__VA_ARGS__)
#define noc_async_read_barrier() ts_noc_traced_noc_async_read_barrier()
#define noc_async_read_barrier_with_trid(...) ts_noc_traced_noc_async_read_barrier_with_trid(__VA_ARGS__)
#define noc_async_write(...) ts_noc_traced_noc_async_write(__VA_ARGS__)
#define noc_async_write_one_packet(...) ts_noc_traced_noc_async_write_one_packet(__VA_ARGS__)
#define noc_async_write_one_packet_with_trid(...) ts_noc_traced_noc_async_write_one_packet_with_trid(__VA_ARGS__)
#define noc_async_write_multicast(...) ts_noc_traced_noc_async_write_multicast(__VA_ARGS__)
#define noc_async_write_multicast_one_packet(...) ts_noc_traced_noc_async_write_multicast_one_packet(__VA_ARGS__)
#define noc_async_write_multicast_loopback_src(...) ts_noc_traced_noc_async_write_multicast_loopback_src(__VA_ARGS__)
#define noc_async_write_one_packet_set_state(...) ts_noc_traced_noc_async_write_one_packet_set_state(__VA_ARGS__)
#define noc_async_write_one_packet_with_state(...) ts_noc_traced_noc_async_write_one_packet_with_state(__VA_ARGS__)
#define noc_async_write_one_packet_with_trid_set_state(...)                                                            \
    ts_noc_traced_noc_async_write_one_packet_with_trid_set_state(__VA_ARGS__)
#define noc_async_write_one_packet_with_trid_with_state(...)                                                           \
    ts_noc_traced_noc_async_write_one_packet_with_trid_with_state(__VA_ARGS__)
#define noc_async_write_barrier() ts_noc_traced_noc_async_write_barrier()
#define noc_async_write_set_trid(...) ts_noc_traced_noc_async_write_set_trid(__VA_ARGS__)
#define noc_async_writes_flushed() ts_noc_traced_noc_async_writes_flushed()
#define noc_async_write_flushed_with_trid(...) ts_noc_traced_noc_async_write_flushed_with_trid(__VA_ARGS__)
#define noc_async_full_barrier() ts_noc_traced_noc_async_full_barrier()
#define noc_async_atomic_barrier() ts_noc_traced_noc_async_atomic_barrier()
#define noc_semaphore_inc(...) ts_noc_traced_noc_semaphore_inc(__VA_ARGS__)
#define noc_semaphore_wait(...) ts_noc_traced_noc_semaphore_wait(__VA_ARGS__)
#define noc_semaphore_wait_min(...) ts_noc_traced_noc_semaphore_wait_min(__VA_ARGS__)
#define noc_semaphore_set(...) ts_noc_traced_noc_semaphore_set(__VA_ARGS__)
#endif
#endif
