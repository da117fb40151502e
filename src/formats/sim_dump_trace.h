/* Reading a TRACE block: one event after the other, on several threads, without a tree and at flat memory.
 *
 * The block is cut into pieces of equal size. A piece that does not begin with the array guesses at its first event; when
 * the piece in front of it has been read up to there, the guess is known to be right or is dropped and the piece read
 * again. What a visitor sees therefore does not depend on the number of threads. */
#ifndef TS_FORMATS_SIM_DUMP_TRACE_H
#define TS_FORMATS_SIM_DUMP_TRACE_H

#include "formats/sim_dump.h"
#include "formats/sim_dump_event.h"

/* What the events of one piece become. begin, event and end may run on several threads at once, for different batches;
 * merge runs for one batch at a time, in the order of the file. */
struct ts_sim_trace_visitor {
    void *data;
    /* A new, empty batch; NULL when memory is out. */
    void *(*begin)(void *data);
    /* One event; offset is where in the file it begins, and its texts stay until the batch ends. Returns NULL, or what is
     * wrong with it for a message. */
    const char *(*event)(void *batch, const struct ts_sim_event *event, uint64_t offset);
    /* The batch is good and its turn has come. */
    enum ts_status (*merge)(void *data, void *batch, struct ts_error *error);
    void (*end)(void *batch);
    /* Forget all that was merged: the array is given a second time, and the last one counts. */
    void (*restart)(void *data);
    size_t piece; /* bytes read at a time; 0: as many as is good */
};

/* What stands beside the events, as it is written; empty when absent. Free both ptr. */
struct ts_sim_trace_top {
    struct ts_sim_out profiling_type, schema_version;
    uint64_t events;
};

/* Errors: TS_INPUT ("PATH: TRACE block: ...", with offset or event), TS_LIMIT (one event beyond
 * TS_LIMIT_SIM_EVENT), TS_IO, TS_CHANGED, TS_NO_MEMORY, TS_CANCELLED. */
enum ts_status ts_sim_trace_read(struct ts_context *context, const struct ts_sim_dump *dump,
                                 const struct ts_sim_block *block, const struct ts_sim_trace_visitor *visitor,
                                 struct ts_sim_trace_top *out, struct ts_error *error);

#endif
