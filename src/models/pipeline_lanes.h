/* What the lanes of a simulator trace are: which are left out, in which order and under what label the others stand, and
 * how flags spell them. */
#ifndef TS_MODELS_PIPELINE_LANES_H
#define TS_MODELS_PIPELINE_LANES_H

#include <stdint.h>

#include "base/str.h"

struct ts_pipeline_options {
    bool compat;           /* as the reference tool does it, slice for slice */
    bool keep_scalar;      /* keep the SCALAR lane */
    bool drop_issue_times; /* leave out cache_time and ccu_time slices */
    bool intra_block;      /* arrows between the sub-cores of one AI core */
    bool tolerance;        /* slices that overlap by less than a clock cycle may share a row */
    size_t piece;          /* bytes of the trace read at a time; 0: as many as is good */
};

/* Why slices are left out. */
enum ts_pipeline_drop {
    TS_PIPELINE_KEPT,
    TS_PIPELINE_SCALAR,
    TS_PIPELINE_CACHEMISS,
    TS_PIPELINE_FLOWCTRL,
    TS_PIPELINE_ALL,
    TS_PIPELINE_FLAG, /* SET_FLAG and WAIT_FLAG as slices */
    TS_PIPELINE_BAR,
    TS_PIPELINE_ISSUE, /* cache_time, ccu_time */
    TS_PIPELINE_DROPS
};
/* Of a lane's name, and of a slice's. */
enum ts_pipeline_drop ts_pipeline_drop_lane(const struct ts_pipeline_options *options, struct ts_str lane);
enum ts_pipeline_drop ts_pipeline_drop_name(const struct ts_pipeline_options *options, struct ts_str name);

struct ts_pipeline_style {
    const char *lane;
    unsigned order;    /* in dataflow order; TS_PIPELINE_OTHER for lanes without a place in it */
    const char *label; /* NULL: the lane's name */
    struct ts_str color;
};
enum { TS_PIPELINE_OTHER = 99 };
const struct ts_pipeline_style *ts_pipeline_style(const struct ts_pipeline_options *options, struct ts_str lane);

/* The lane that a flag means by this spelling. */
struct ts_str ts_pipeline_alias(const struct ts_pipeline_options *options, struct ts_str pipe);
/* The other name of the same pipe, whose lane counts too, or an empty text. */
struct ts_str ts_pipeline_twin(const struct ts_pipeline_options *options, struct ts_str lane);

/* A flag's detail text taken apart. */
struct ts_pipeline_flag {
    struct ts_str producer, consumer, id; /* as spelt; ptr is NULL when absent */
    struct ts_str sync;                   /* what sub-cores of one AI core wait for */
};
struct ts_pipeline_flag ts_pipeline_flag_parse(const struct ts_pipeline_options *options, struct ts_str detail);

/* Names by code point, or with runs of digits compared as numbers: negative, 0 or positive. */
int ts_pipeline_compare_names(const struct ts_pipeline_options *options, struct ts_str a, struct ts_str b);

#endif
