/* The device operations that a profiler report's captured graphs launched, in order, and whether they line up with a list of
 * names. */
#ifndef TS_MODELS_LAUNCH_ORDER_H
#define TS_MODELS_LAUNCH_ORDER_H

#include "models/graph_scopes.h"
#include "models/profiler.h"

struct ts_launch {
    int64_t operation;
    uint32_t name; /* in scopes */
};
struct ts_launch_list {
    struct ts_launch *items; /* by operation, inside one in the graph's order */
    size_t count;
};
struct ts_launch_order {
    struct ts_graph_scopes scopes;      /* numbers the names */
    struct ts_launch_list starts, ends; /* of completed device operations */
    bool any_graph;                     /* captured_graph has a row at the rank */
    /* a graph that stands in the way: nothing lines up without it */
    bool unreadable, too_large; /* too_large: all graphs together are */
    int64_t operation;          /* of the unreadable one */
    enum ts_graph_state state;
};

/* Read all graphs of the profiler's rank. Freed with ts_launch_order_free, also after an error; zeroed before. Errors:
 * those of ts_db_next. */
enum ts_status ts_launch_order_read(struct ts_context *context, struct ts_profiler *profiler,
                                    struct ts_launch_order *out, struct ts_error *error);
void ts_launch_order_free(struct ts_launch_order *order);

/* Leave one of each operation's launches of a name where it has exactly `devices` of them; false when some have another
 * number, and the list is of no more use. */
bool ts_launch_list_collapse(struct ts_launch_order *order, struct ts_launch_list *list, size_t devices);

#endif
