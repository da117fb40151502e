/* Events of one piece of a simulator trace, sorted out: slices that are kept, flags, and counts of the rest. Names are
 * numbered within the batch; merging gives them their numbers in the whole. */
#ifndef TS_MODELS_PIPELINE_BATCH_H
#define TS_MODELS_PIPELINE_BATCH_H

#include "base/vec.h"
#include "formats/sim_dump_event.h"
#include "models/pipeline_lanes.h"

/* One instruction that is kept. */
struct ts_pipeline_slice {
    uint64_t offset;          /* of its event in the file */
    double ts, dur;           /* microseconds; dur 0 when absent */
    int64_t start_ns, end_ns; /* as a viewer rounds what is written */
    uint64_t decimal;         /* of ts, for writing it; 0: only its event in the file tells */
    uint32_t lane;
    uint32_t row; /* of its lane */
};

enum ts_pipeline_flag_kind {
    TS_PIPELINE_SET,
    TS_PIPELINE_WAIT,
    TS_PIPELINE_SET_EVENT,
    TS_PIPELINE_WAIT_EVENT,
    TS_PIPELINE_SET_BLOCK,
    TS_PIPELINE_WAIT_BLOCK,
    TS_PIPELINE_FLAG_KINDS
};
/* The beginning or the end of a flag. */
struct ts_pipeline_flag_event {
    double ts;
    uint32_t lane;
    uint32_t detail; /* of a beginning */
    unsigned char kind;
    bool begins;
};

/* Two texts that stand together in the file: a core and its lane, a core and the detail of a flag. */
struct ts_pipeline_pair {
    struct ts_str core, text; /* JSON as it stands; ptr is NULL when absent */
    uint64_t hash;
    uint32_t number; /* in the whole, once merged */
    unsigned char drop;
};
struct ts_pipeline_pairs {
    TS_VEC(struct ts_pipeline_pair) list;
    uint32_t *slots; /* number + 1, 0 free */
    size_t slot_count;
    uint64_t seed;
    uint32_t last; /* found last: the next is often the same */
};

struct ts_pipeline_counts {
    uint64_t kept, without_duration, of_no_length, negative, other_phases; /* of kept: "dur" absent, 0, below 0 */
    uint64_t dropped[TS_PIPELINE_DROPS];
};

struct ts_pipeline_batch {
    const struct ts_pipeline_options *options;
    struct ts_pipeline_pairs lanes, details;
    TS_VEC(struct ts_pipeline_slice) slices;
    TS_VEC(struct ts_pipeline_flag_event) flags;
    struct ts_pipeline_counts counts;
    bool failed; /* memory was out */
};

/* For ts_sim_trace_visitor. create returns NULL when memory is out. */
struct ts_pipeline_batch *ts_pipeline_batch_create(const struct ts_pipeline_options *options);
const char *ts_pipeline_batch_add(struct ts_pipeline_batch *batch, const struct ts_sim_event *event, uint64_t offset);
void ts_pipeline_batch_destroy(struct ts_pipeline_batch *batch);

#endif
