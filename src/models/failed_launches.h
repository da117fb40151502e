/* Which device operations of an operation that failed did not complete, by its captured graph. */
#ifndef TS_MODELS_FAILED_LAUNCHES_H
#define TS_MODELS_FAILED_LAUNCHES_H

#include "base/context.h"
#include "formats/captured_graph.h"

enum { TS_FAILED_LAUNCHES_LISTED = 20 };

struct ts_failed_launches {
    struct ts_str names[TS_FAILED_LAUNCHES_LISTED]; /* the first, in order of their starts; borrowed from the graph */
    uint64_t count;                                 /* all of them */
};

/* Scopes of device operations that were aborted, that something else closed, or that never ended. Linear whatever the graph
 * holds. Errors: TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_failed_launches_read(struct ts_context *context, const struct ts_graph *graph,
                                       struct ts_failed_launches *out, struct ts_error *error);

#endif
