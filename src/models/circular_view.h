/* A captured graph in the order in which the web application shows circular buffers, and the moments it shows: which buffers
 * lay in which scope when they were freed. */
#ifndef TS_MODELS_CIRCULAR_VIEW_H
#define TS_MODELS_CIRCULAR_VIEW_H

#include "base/arena.h"
#include "formats/captured_graph.h"

/* The buffers of one scope at one moment: allocations first to end, end not included. */
struct ts_circular_snapshot {
    uint32_t scope; /* node of its start */
    uint32_t first, end;
};
struct ts_circular_view {
    uint32_t *allocations; /* nodes of the circular buffers, in view order */
    uint32_t *scopes;      /* of each: the scope it was allocated in; UINT32_MAX: none */
    uint32_t allocation_count;
    struct ts_circular_snapshot *snapshots; /* one a scope at most, in order of the scopes' starts */
    uint32_t snapshot_count;
};

/* In arena. Errors: TS_NO_MEMORY, TS_LIMIT (of the arena, or too many nodes). */
enum ts_status ts_circular_view_read(const struct ts_graph *graph, struct ts_arena *arena, struct ts_circular_view *out,
                                     struct ts_error *error);

#endif
