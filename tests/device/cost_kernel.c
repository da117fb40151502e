/* Kernels whose instructions are counted: straight code of NoC commands, with records when PROFILE_NOC_EVENTS is set. main runs
 * the kernel named by KERNEL as often as ROUNDS says, so that beginning and end can be taken away. */
#include "port.h"

#define TS_NOC_CLOCK_PAGE 0x50000
#define TS_NOC_TRACE_IMPLEMENTATION
#ifdef NEAR_RAW
#define TS_NOC_RAW_IMPLEMENTATION
#include <tilesight/noc_raw.h>
#else
#include <tilesight/noc_trace.h>
#endif

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

#ifdef NEAR_RAW
#define ADDRESSED(type, address, local, size) TS_NOC_RAW_ADDR(type, address, local, size)
#define PLAIN(type) TS_NOC_RAW(type)
#else
#define ADDRESSED(type, address, local, size) TS_NOC_RECORD_ADDR(type, address, size, 1, 0)
#define PLAIN(type) TS_NOC_RECORD(type)
#endif

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
KERNEL_HEAD kernel_loop(uint64_t address, uint32_t local, uint32_t size)
{
    for (uint32_t i = 0; i < 6; i++)
        READ_AT(i);
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
#endif

int main(void)
{
    port_page(0x50000000);
#if defined PROFILE_NOC_EVENTS && defined NEAR_RAW
    ts_noc_raw_begin(buffer, control, 0, 1 << 20);
#elif defined PROFILE_NOC_EVENTS
    static const struct ts_noc_setup setup = {buffer, control, 0, 0, 0, 0, 12000, 1};
    ts_noc_begin(&setup);
#endif
    for (int i = 0; i < ROUNDS; i++)
        KERNEL((uint64_t)(18 << 4 | 20 << 10) << 32, 0x20000, 1000);
    return 0;
}
