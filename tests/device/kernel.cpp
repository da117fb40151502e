/* The same in C++: the opt-out at one place is a template argument. */
#include <tilesight/noc_trace.hpp>

TILESIGHT_NOC_TRACED(noc_async_read)
TILESIGHT_NOC_TRACED(noc_async_write)
TILESIGHT_NOC_TRACED_BARRIER(noc_async_read_barrier)

void kernel(uint64_t from, uint64_t to, uint32_t size)
{
    tilesight::noc_async_read(from, 0x20000u, size);
    tilesight::noc_async_read_barrier();
    tilesight::noc_async_write(0x20000u, to, size);
    tilesight::noc_async_write<false>(0x30000u, to, size);
}
