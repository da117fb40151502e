/* Launches whose circular buffers a captured graph does not show: most likely out of the program cache, since a program's
 * buffers are noted when it is built. */
#ifndef TS_MODELS_UNRECORDED_LAUNCHES_H
#define TS_MODELS_UNRECORDED_LAUNCHES_H

#include "base/arena.h"
#include "formats/captured_graph.h"

struct ts_unrecorded_operation {
    struct ts_str name;    /* of the device operation; borrowed from the graph */
    uint64_t launches;     /* on the device that has most */
    uint64_t device_count; /* distinct devices */
};
struct ts_unrecorded_launches {
    struct ts_unrecorded_operation *items; /* in order of the first start */
    size_t count;
    uint64_t launches;       /* of all */
    uint64_t first_launches; /* scopes known to have built their program: no launches out of the cache */
};

/* The scopes of device operations that directly hold a free-all and no circular buffer. In arena. Errors: TS_NO_MEMORY,
 * TS_LIMIT (arena). */
enum ts_status ts_unrecorded_launches_read(const struct ts_graph *graph, struct ts_arena *arena,
                                           struct ts_unrecorded_launches *out, struct ts_error *error);

#endif
