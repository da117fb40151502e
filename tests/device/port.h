/* What little a freestanding program needs: bytes in and out, the end, and a page where the clock's registers would be.
 * On RV32 by system calls of Linux, as an emulator of user programs has them; on the host by libc. */
#ifndef TS_TEST_PORT_H
#define TS_TEST_PORT_H

#include <stdint.h>

#if defined __riscv && !defined PORT_LIBC
static inline long port_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a3 __asm__("a3") = d;
    register long a4 __asm__("a4") = e, a5 __asm__("a5") = f, a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
    return a0;
}
static inline long port_read(void *bytes, long len)
{
    return port_call(63, 0, (long)bytes, len, 0, 0, 0);
}
static inline long port_write(const void *bytes, long len)
{
    return port_call(64, 1, (long)bytes, len, 0, 0, 0);
}
__attribute__((noreturn)) static inline void port_exit(int status)
{
    for (;;)
        port_call(93, status, 0, 0, 0, 0, 0);
}
static inline void *port_page(unsigned long address)
{
    return (void *)port_call(222, (long)address, 4096, 3, 0x32, -1, 0); /* MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS */
}
#else
#include <stdlib.h>
#include <unistd.h>
static inline long port_read(void *bytes, long len)
{
    return (long)read(0, bytes, (size_t)len);
}
static inline long port_write(const void *bytes, long len)
{
    return (long)write(1, bytes, (size_t)len);
}
#define port_exit(status) exit(status)
#endif

static inline void port_read_all(void *bytes, long len)
{
    char *at = (char *)bytes;
    while (len > 0) {
        long got = port_read(at, len);
        if (got <= 0)
            port_exit(3);
        at += got;
        len -= got;
    }
}
static inline void port_write_all(const void *bytes, long len)
{
    const char *at = (const char *)bytes;
    while (len > 0) {
        long put = port_write(at, len);
        if (put <= 0)
            port_exit(4);
        at += put;
        len -= put;
    }
}
#endif
