/* A device log read the slow and obvious way: line after line, whole log in memory, every list searched from its beginning. What
 * the fast reader says is held against it. */
#ifndef TS_TESTS_SLOW_LOG_H
#define TS_TESTS_SLOW_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slow_zone {
    char *zone, *risc;
    uint64_t occurrences, cycles;
    char **cores; /* "slot,x,y" */
    size_t core_count;
};
struct slow_kernel { /* a kernel zone that paired */
    uint64_t run, slot, x, y, start, end;
    char *risc;
};
struct slow_unpaired {
    uint64_t run, slot;
};
struct slow_log {
    struct slow_zone *zones; /* by first appearance */
    size_t zone_count;
    struct slow_kernel *kernels;
    size_t kernel_count;
    struct slow_unpaired *unpaired; /* one for each kernel start or end that did not pair */
    size_t unpaired_count;
    uint64_t starts, ends, dropped, unreadable, unreadable_kernels;
    uint64_t runs;
};

/* open_limit: starts open at once. Every text must have a header. */
struct slow_log *slow_log_read(const char *text, size_t len, size_t open_limit);
void slow_log_free(struct slow_log *log);

#endif
