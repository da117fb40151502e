/* Kernels whose instructions are counted: straight code of NoC commands, with records when PROFILE_NOC_EVENTS is set. main runs
 * the kernel named by KERNEL as often as ROUNDS says, so that beginning and end can be taken away. */
#include "port.h"

#define TS_NOC_CLOCK_PAGE 0x50000
#define TS_NOC_TRACE_IMPLEMENTATION
#include <tilesight/noc_trace.h>

/* A NoC command as a core gives it: registers of a command buffer. */
static volatile uint32_t *const command = (volatile uint32_t *)0x50000800;
static inline __attribute__((always_inline)) void give(uint64_t address, uint32_t local, uint32_t size)
{
    command[0] = local;
    command[1] = (uint32_t)address;
    command[2] = (uint32_t)(address >> 32);
    command[3] = size;
    command[4] = 1;
}
static inline __attribute__((always_inline)) void wait(void)
{
    while (command[5])
        continue;
}

#if defined PROFILE_NOC_EVENTS
static uint32_t control[64], buffer[TS_NOC_BUFFER_WORDS];
__attribute__((noinline)) uint32_t ts_noc_port_busy(void)
{
    return *(volatile uint32_t *)0x50000900;
}
__attribute__((noinline)) void ts_noc_port_send(uint32_t word, const uint32_t *words, uint32_t count)
{
    command[0] = word;
    command[1] = (uint32_t)(uintptr_t)words;
    command[2] = count;
}
static inline void begin(void)
{
    static const struct ts_noc_setup setup = {buffer, control, 0, 0, 0, 0, 12000, 1};
    ts_noc_begin(&setup);
}
#endif

/* All arguments of a call, where the mode keeps them; with FEW those alone that the compatible mode packs. */
#ifdef FEW
#define ADDRESSED(type, address, local, size) TS_NOC_RECORD_ADDR(type, address, size, 1, 0)
#define SPREAD(type, address, local, size) TS_NOC_RECORD_MULTICAST(type, address, size, 4, 0)
#else
#define ADDRESSED(type, address, local, size) TS_NOC_RECORD_CALL(type, address, size, 1, 0, local)
#define SPREAD(type, address, local, size) TS_NOC_RECORD_MULTICAST_CALL(type, address, size, 4, 0, local, 8)
#endif
#define PLAIN(type) TS_NOC_RECORD(type)

#define READ_AT(n)                                                                                                     \
    do {                                                                                                               \
        ADDRESSED(READ, address + n, local + n, SIZE(n));                                                              \
        give(address + n, local + n, SIZE(n));                                                                         \
    } while (0)
#define BARRIER(type)                                                                                                  \
    do {                                                                                                               \
        PLAIN(type);                                                                                                   \
        wait();                                                                                                        \
    } while (0)

#define KERNEL_HEAD __attribute__((noinline, used)) static void
/* Sizes that only the run knows, and sizes that the compiler knows. */
#define SIZE(n) (size + n)
KERNEL_HEAD kernel_sized(uint64_t address, uint32_t local, uint32_t size)
{
    READ_AT(0);
    READ_AT(64);
    READ_AT(128);
    READ_AT(192);
    READ_AT(256);
    READ_AT(320);
}
#undef SIZE
#define SIZE(n) 2048
KERNEL_HEAD kernel_constant(uint64_t address, uint32_t local, uint32_t size)
{
    (void)size;
    READ_AT(0);
    READ_AT(64);
    READ_AT(128);
    READ_AT(192);
    READ_AT(256);
    READ_AT(320);
}
#undef SIZE
#define SIZE(n) size
KERNEL_HEAD kernel_plain(uint64_t address, uint32_t local, uint32_t size)
{
    (void)address, (void)local, (void)size;
    BARRIER(READ_BARRIER_START);
    BARRIER(READ_BARRIER_END);
    BARRIER(WRITE_BARRIER_START);
    BARRIER(WRITE_BARRIER_END);
    BARRIER(FULL_BARRIER);
    BARRIER(ATOMIC_BARRIER);
}
/* Six addressed and two plain. */
KERNEL_HEAD kernel_mixed(uint64_t address, uint32_t local, uint32_t size)
{
    READ_AT(0);
    READ_AT(64);
    READ_AT(128);
    BARRIER(READ_BARRIER_START);
    READ_AT(192);
    READ_AT(256);
    READ_AT(320);
    BARRIER(READ_BARRIER_END);
}
#define MULTICAST_AT(n)                                                                                                \
    do {                                                                                                               \
        SPREAD(WRITE_MULTICAST, address + n, local, size);                                                             \
        give(address + n, local, size);                                                                                \
    } while (0)
KERNEL_HEAD kernel_multicast(uint64_t address, uint32_t local, uint32_t size)
{
    MULTICAST_AT(0);
    MULTICAST_AT(64);
    MULTICAST_AT(128);
    MULTICAST_AT(192);
    MULTICAST_AT(256);
    MULTICAST_AT(320);
}
#define WIDE_AT(n)                                                                                                     \
    do {                                                                                                               \
        TS_NOC_RECORD_WIDE(READ, address + n, size, -1, 0, local, n);                                                  \
        give(address + n, local, size);                                                                                \
    } while (0)
KERNEL_HEAD kernel_wide(uint64_t address, uint32_t local, uint32_t size)
{
    WIDE_AT(0);
    WIDE_AT(64);
    WIDE_AT(128);
    WIDE_AT(192);
    WIDE_AT(256);
    WIDE_AT(320);
}
/* Two sends: header, routing fields and the payload's write each. */
#define SEND_AT(n)                                                                                                     \
    do {                                                                                                               \
        TS_NOC_RECORD_FABRIC(FABRIC_UNICAST_WRITE, local, size, 0, TS_NOC_FABRIC_LOW_LATENCY);                         \
        TS_NOC_RECORD_ROUTING_1D(size);                                                                                \
        READ_AT(n);                                                                                                    \
    } while (0)
KERNEL_HEAD kernel_fabric(uint64_t address, uint32_t local, uint32_t size)
{
    SEND_AT(0);
    SEND_AT(64);
}
/* Once in a kernel; "off" has none of them. */
#ifdef PROFILE_NOC_EVENTS
#define ONCE(what) what
#else
#define ONCE(what) ((void)0)
#endif
#define KERNEL_ONCE(name, what)                                                                                        \
    KERNEL_HEAD name(uint64_t address, uint32_t local, uint32_t size)                                                  \
    {                                                                                                                  \
        (void)address, (void)local, (void)size;                                                                        \
        ONCE(what);                                                                                                    \
    }
KERNEL_ONCE(kernel_begin, begin())
KERNEL_ONCE(kernel_slot, ts_noc_guaranteed(2, 1))
KERNEL_ONCE(kernel_finish, ts_noc_finish())
KERNEL_ONCE(kernel_send, ts_noc_send())
KERNEL_ONCE(kernel_flush, ts_noc_flush())
/* Records in assembly say nothing of the memory they read and write. */
#define MEMORY_SETTLED() __asm__ volatile("" : : : "memory")
/* A buffer that is full and cannot be sent: every record is taken back and counted. */
KERNEL_HEAD kernel_dropped(uint64_t address, uint32_t local, uint32_t size)
{
    ONCE(control[TS_NOC_DROPPED] = 1);
    ONCE(TS_NOC_SET_NEXT(TS_NOC_LIMIT));
    MEMORY_SETTLED();
    READ_AT(0);
    READ_AT(64);
    READ_AT(128);
    READ_AT(192);
    READ_AT(256);
    READ_AT(320);
    MEMORY_SETTLED();
    ONCE(control[TS_NOC_DROPPED] = 0);
    ONCE(TS_NOC_SET_NEXT(buffer + TS_NOC_CUSTOM));
}
KERNEL_HEAD kernel_loop(uint64_t address, uint32_t local, uint32_t size)
{
    for (uint32_t i = 0; i < 6; i++)
        READ_AT(i);
}

int main(void)
{
    port_page(0x50000000);
#ifdef PROFILE_NOC_EVENTS
    begin();
#endif
    for (int i = 0; i < ROUNDS; i++)
        KERNEL((uint64_t)(18 << 4 | 20 << 10) << 32, 0x20000, 1000);
    return 0;
}
