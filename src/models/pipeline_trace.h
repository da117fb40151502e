/* The pipeline of a simulator run: its slices by core and lane, each lane's slices packed into rows, and what a flag's
 * producer and consumer were, as arrows. */
#ifndef TS_MODELS_PIPELINE_TRACE_H
#define TS_MODELS_PIPELINE_TRACE_H

#include "base/arena.h"
#include "base/map.h"
#include "formats/sim_dump_trace.h"
#include "models/pipeline_batch.h"

enum ts_pipeline_value_kind { TS_PIPELINE_TEXT, TS_PIPELINE_NUMBER, TS_PIPELINE_NULL };
/* The name of a core or a lane: nearly always a text. Equal ones (1, 1.0 and true are) are one. */
struct ts_pipeline_value {
    enum ts_pipeline_value_kind kind;
    struct ts_str json;  /* as written: a text in its quotes */
    struct ts_str plain; /* of a text: UTF-8; of others: what a program in Python makes a text of them */
    struct ts_str exact; /* of a number: its whole value in decimal, or what it is written as */
    double number;
};

struct ts_pipeline_core {
    struct ts_pipeline_value name;
    uint32_t first_lane, lane_count; /* in lane_order: those that have slices */
};

struct ts_pipeline_lane {
    uint32_t core;
    struct ts_pipeline_value name;
    const struct ts_pipeline_style *style;
    /* Once packed. */
    uint32_t first, count; /* its slices in `order` */
    uint32_t rows;         /* as many as were alive at once */
    uint32_t first_row;    /* in row_first and row_last */
};

/* A flag's detail on a core. */
struct ts_pipeline_detail {
    uint32_t key; /* what a SET and its WAIT have in common, with the core */
    uint32_t core;
    struct ts_str text;  /* decoded */
    struct ts_str title; /* of an arrow, as written in quotes: "MTE2->VEC flag0" */
};

struct ts_pipeline_set {
    double begin;
    uint32_t detail;
};
struct ts_pipeline_wait {
    double begin, end;
    uint32_t key;
    uint32_t detail;
};
/* From the slice that produced to the one that consumed. */
struct ts_pipeline_arrow {
    uint32_t from, to, detail;
};

struct ts_pipeline {
    struct ts_pipeline_options options;
    struct ts_arena arena;
    struct ts_sim_trace_top top;
    struct ts_pipeline_counts counts;
    uint64_t skipped_without_wait, skipped_without_slice, backwards;

    TS_VEC(struct ts_pipeline_core) cores;
    TS_VEC(struct ts_pipeline_lane) lanes;
    TS_VEC(struct ts_pipeline_slice) slices; /* in the order of the file */
    TS_VEC(struct ts_pipeline_detail) details;
    TS_VEC(struct ts_pipeline_set) sets;
    TS_VEC(struct ts_pipeline_wait) waits;
    TS_VEC(struct ts_pipeline_set) block_sets; /* between the sub-cores of an AI core */
    TS_VEC(struct ts_pipeline_wait) block_waits;
    TS_VEC(struct ts_pipeline_arrow) arrows;
    uint32_t keys;

    uint32_t *order;     /* slices by lane, then by time */
    uint32_t *row_first; /* per row of each lane: the first and the last of its slices in the file */
    uint32_t *row_last;
    size_t row_count;

    uint32_t *core_order; /* the cores that have slices, as they are shown */
    size_t core_count;
    uint32_t *lane_order;

    /* While the trace is read. */
    struct ts_map core_map, lane_map, key_map;
    struct ts_map raw_map; /* pairs as they stand in the file */
    struct ts_sim_out raw;
    struct ts_pipeline_open *open; /* flags that have begun and not ended */
    size_t open_count, open_capacity;
    uint32_t open_free;
    TS_VEC(uint32_t) open_top; /* per lane and kind of flag */
};

/* Read the TRACE block, pack and connect. Errors: those of ts_sim_trace_read; TS_INPUT for an event that cannot be placed;
 * TS_LIMIT beyond 2^32 slices. */
enum ts_status ts_pipeline_read(struct ts_context *context, const struct ts_sim_dump *dump,
                                const struct ts_sim_block *block, const struct ts_pipeline_options *options,
                                struct ts_pipeline **out, struct ts_error *error);
void ts_pipeline_free(struct ts_pipeline *pipeline);

/* The lane of that name (a text) on a core, or UINT32_MAX. False when memory is out. */
bool ts_pipeline_find_lane(const struct ts_pipeline *pipeline, uint32_t core, struct ts_str name, uint32_t *out);

#endif
