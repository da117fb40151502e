/* The scopes of captured graphs: which start belongs to which end, and which of them threw or never ended. */
#ifndef TS_MODELS_GRAPH_SCOPES_H
#define TS_MODELS_GRAPH_SCOPES_H

#include "base/intern.h"
#include "base/vec.h"
#include "formats/captured_graph.h"

enum ts_scope_outcome {
    TS_SCOPE_OPEN, /* it never ended */
    TS_SCOPE_ABORTED,
    TS_SCOPE_COMPLETED,
};
struct ts_graph_scope {
    uint32_t name;   /* in names */
    uint32_t node;   /* its start, by index of the graph's nodes */
    uint32_t below;  /* the scope of the same name that was open before it, + 1; 0: none */
    uint8_t outcome; /* enum ts_scope_outcome */
    bool device;     /* a device operation by its name */
};

/* Reads one graph after the other, and numbers equal names of all of them alike. */
struct ts_graph_scopes {
    struct ts_arena arena; /* the names */
    struct ts_intern names;
    TS_VEC(struct ts_name_use) uses;     /* by name */
    TS_VEC(struct ts_graph_scope) items; /* of the last graph, in order of their starts */
    TS_VEC(uint32_t) ended;              /* indices of items, in order of their ends */
};
struct ts_name_use {
    uint32_t open; /* the latest open scope of this name, + 1; 0: none */
    bool device;
};

/* max_names: bytes that the distinct names may take; 0: no limit. Errors: TS_NO_MEMORY. */
enum ts_status ts_graph_scopes_init(struct ts_graph_scopes *scopes, size_t max_names, struct ts_error *error);
void ts_graph_scopes_free(struct ts_graph_scopes *scopes); /* also after a failed init, or when zeroed */
/* Pair the scopes of a graph: an end closes the latest open start of its name; without one it closes nothing. The time is
 * linear whatever the graph holds. Errors: TS_NO_MEMORY, TS_LIMIT (names). */
enum ts_status ts_graph_scopes_read(struct ts_graph_scopes *scopes, const struct ts_graph *graph,
                                    struct ts_error *error);
/* The number of a name, new or not; UINT32_MAX as for ts_intern_add. */
uint32_t ts_graph_scopes_name(struct ts_graph_scopes *scopes, struct ts_str name);

#endif
