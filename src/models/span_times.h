/* First start and last end of each processor of each core, folded as zones come in. */
#ifndef TS_MODELS_SPAN_TIMES_H
#define TS_MODELS_SPAN_TIMES_H

#include "base/arena.h"
#include "models/zone_names.h"

enum { TS_SPAN_RISCS = 5 }; /* processors that one entry of a core holds */

struct ts_span_time {
    uint64_t first, last; /* first after last: nothing */
};

struct ts_span_times {
    uint64_t base; /* times that are not wide count from here, in 32 bits */
    struct ts_span_block *blocks, *at;
    uint32_t at_index; /* at: where the last zone went */
    uint32_t count;    /* entries; 0: no zone was added */
    struct ts_span_index *index;
    uint16_t room; /* entries to make room for at once, at least 1 */
    bool wide;
};

/* Add a zone; unless wide it lies less than 2^32 - 1 cycles behind base. The times are kept in arena, the same with each
 * call. False when memory is out. */
bool ts_span_times_add(struct ts_span_times *times, struct ts_arena *arena, struct ts_log_lane lane, uint64_t start,
                       uint64_t end);
/* Nothing will be added any more: gives back what only adding needs, and must be called before the arena goes. */
void ts_span_times_seal(struct ts_span_times *times);

/* An entry is a core and TS_SPAN_RISCS processors from risc on. */
struct ts_span_entry {
    uint32_t core, risc;
    struct ts_span_time times[TS_SPAN_RISCS];
};
/* Walk the entries in no order that says anything. */
struct ts_span_walk {
    const struct ts_span_times *times;
    const struct ts_span_block *block;
    uint32_t index;
};
static inline struct ts_span_walk ts_span_walk_begin(const struct ts_span_times *times)
{
    return (struct ts_span_walk){times, times->blocks, 0};
}
bool ts_span_walk_next(struct ts_span_walk *walk, struct ts_span_entry *out);

#endif
