/* A kernel for the tests that compare object code: with the recorder's header and tracing off, and without the header. */
#ifdef WITH_TRACE
#include <tilesight/noc_calls.h>
#else
#include <stdint.h>
void noc_async_read(uint64_t from, uint32_t to, uint32_t size);
void noc_async_read_barrier(void);
void noc_async_write(uint32_t from, uint64_t to, uint32_t size);
void noc_async_write_barrier(void);
void noc_semaphore_inc(uint64_t at, uint32_t by);
#define TS_NOC_ZONE_OPEN(id) 0
#define TS_NOC_ZONE_CLOSE(id, opened) ((void)(opened))
#define TS_NOC_RECORD_SCATTER(x, y, chunk, chunks, noc, packet) ((void)(chunk))
#endif

void kernel(uint64_t from, uint64_t to, uint64_t semaphore, uint32_t pages, uint32_t size);
void kernel(uint64_t from, uint64_t to, uint64_t semaphore, uint32_t pages, uint32_t size)
{
    uint32_t opened = TS_NOC_ZONE_OPEN(1234), chunk = size / 2; /* of use to records alone */
    for (uint32_t page = 0; page < pages; page++) {
        noc_async_read(from + (uint64_t)page * size, 0x20000, size);
        noc_async_read_barrier();
        TS_NOC_RECORD_SCATTER(page, 2, chunk, 2, 0, 1);
        noc_async_write(0x20000, to + (uint64_t)page * size, size);
#ifdef UNTRACED
        (noc_async_write)(0x30000, to, size);
#else
        noc_async_write(0x30000, to, size);
#endif
        noc_async_write_barrier();
    }
    noc_semaphore_inc(semaphore, 1);
    TS_NOC_ZONE_CLOSE(1234, opened);
}
