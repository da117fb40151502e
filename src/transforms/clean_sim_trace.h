/* From a simulator dump to a pipeline one can read: trace.clean.json, instr_metrics.json and a copy of what they were made
 * from. docs/clean-sim-trace.md tells what is done. */
#ifndef TS_TRANSFORMS_CLEAN_SIM_TRACE_H
#define TS_TRANSFORMS_CLEAN_SIM_TRACE_H

#include "models/pipeline_trace.h"

struct ts_clean_sim_options {
    struct ts_pipeline_options pipeline;
    const char *output; /* the folder to write to; NULL: beside the dump */
    bool raw_metrics;   /* the metrics block as it stands */
    bool no_copy;       /* no raw copy */
    bool copy_run_only; /* of the dump's folder only what belongs to the run */
};

enum ts_clean_sim_note {
    TS_CLEAN_WROTE_TRACE,   /* text: its path */
    TS_CLEAN_SKIPPED_FLAGS, /* number */
    TS_CLEAN_WROTE_METRICS, /* text: its path */
    TS_CLEAN_NO_METRICS,
    TS_CLEAN_OLD_METRICS,     /* text: a file of an earlier run that is not of this dump's trace */
    TS_CLEAN_KEPT_PAIR,       /* text: the metrics of an earlier run, because of which the trace was not replaced */
    TS_CLEAN_COPIED,          /* text: the folder */
    TS_CLEAN_NOT_COPIED,      /* text: the dump's folder, which is the output's or its copy already */
    TS_CLEAN_COPY_LACKS_DUMP, /* text: the folder, into which the dump could not be copied; warnings said why */
    TS_CLEAN_COPY_WARNING,    /* text: a line */
};

struct ts_clean_sim_lane {
    struct ts_str core, lane; /* plain names */
    uint32_t slices, rows;
};

/* What was done. */
struct ts_clean_sim_result {
    struct ts_arena arena;                     /* holds all texts */
    const char *dump, *trace, *metrics, *copy; /* paths; NULL: not written */
    uint64_t events;
    struct ts_pipeline_counts counts;
    uint64_t arrows, backwards, skipped_without_wait, skipped_without_slice;
    size_t core_count, lane_count;
    struct ts_clean_sim_lane *lanes; /* by core, then in dataflow order */
};

/* Clean the dump at path: a file, a folder that holds one (itself or in simulator/), or a folder above exactly one. The two
 * files are put in place once both are complete; when the metrics block is wrong the trace alone is, unless metrics of an
 * earlier run stand there. `note` (or NULL) learns of each file as it is put there, so that after a failure it is known
 * what is there. Errors: TS_REFUSED (an output is the dump; nothing is written), TS_INPUT, TS_IO, TS_CHANGED, TS_LIMIT, TS_NO_MEMORY, TS_CANCELLED. */
enum ts_status
ts_clean_sim_trace(struct ts_context *context, const char *path, const struct ts_clean_sim_options *options,
                   void (*note)(void *data, enum ts_clean_sim_note what, const char *text, uint64_t number),
                   void *note_data, struct ts_clean_sim_result *out, struct ts_error *error);
void ts_clean_sim_result_free(struct ts_clean_sim_result *result);

#endif
