/* The circular buffers of one operation, by the device operations that allocated them. */
#ifndef TS_MODELS_CIRCULAR_BUFFERS_H
#define TS_MODELS_CIRCULAR_BUFFERS_H

#include "base/arena.h"
#include "base/context.h"
#include "formats/captured_graph.h"

/* A buffer; a mesh's copies, one a device, are one. */
struct ts_circular_buffer {
    const struct ts_graph_node *node; /* address, size, core range set; borrowed from the graph */
    uint32_t core_count;              /* distinct cores */
    uint32_t device_count;
};
struct ts_circular_operation {
    struct ts_str name; /* of the scope; borrowed from the graph */
    struct ts_circular_buffer *buffers;
    uint32_t buffer_count;
    uint32_t device_count;
    int64_t max_bytes_per_core; /* of all buffers that take memory of their own */
    int64_t unattributed_bytes; /* of those on no core, on the device that has most */
};
struct ts_circular_buffers {
    struct ts_circular_operation *operations; /* in order of their starts */
    uint32_t operation_count;
    uint64_t buffer_count; /* of all operations */
    uint64_t unlisted; /* buffers of no operation: the graph ended early, or a second run of a launch replaced them */
    bool too_large;    /* there are more than can be told apart in reasonable time; nothing else is set */
};

/* In arena. Errors: TS_NO_MEMORY, TS_LIMIT, TS_CANCELLED. */
enum ts_status ts_circular_buffers_read(struct ts_context *context, const struct ts_graph *graph,
                                        struct ts_arena *arena, struct ts_circular_buffers *out,
                                        struct ts_error *error);

#endif
