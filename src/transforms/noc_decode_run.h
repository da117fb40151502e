/* Part of noc_decode: the records of one program run, in the order of its file. */
#ifndef TS_TRANSFORMS_NOC_DECODE_RUN_H
#define TS_TRANSFORMS_NOC_DECODE_RUN_H

#include "transforms/noc_decode.h"

/* What was found out about a destination. */
struct ts_noc_decode_known {
    uint32_t key; /* 0: nothing here */
    bool unplaced;
    struct ts_noc_text_head head;
};
enum { TS_NOC_DECODE_KNOWN = 256 };

struct ts_noc_decoder {
    struct ts_context *context;
    const struct ts_noc_decode_options *options;
    struct ts_noc_decode_report *report;
    struct ts_noc_runs *runs;
    enum ts_noc_wire wire;
    struct ts_noc_text text;
    struct ts_writer *writer; /* of the file being written; NULL: none yet */
    struct ts_noc_markers markers;

    struct ts_noc_decode_known known[TS_NOC_DECODE_KNOWN]; /* by a hash of the key */
    const struct ts_noc_device *known_on;                  /* the device they are of */

    /* The run being written. */
    const struct ts_noc_run *run;
    const struct ts_noc_device *device;
    const struct ts_noc_lane *lane;
    bool lane_begun;       /* its lines are made */
    uint64_t reference;    /* what times count from, in formats per kernel */
    uint64_t last_time;    /* of the lane */
    TS_VEC(uint32_t) open; /* names of zones, to repair */
};

/* Write a run's records; the file is opened for the first. Errors: those of reading and writing. */
enum ts_status ts_noc_decode_run(struct ts_noc_decoder *d, const struct ts_noc_run *run, struct ts_error *error);
/* Open the run's file, unless it is. In noc_decode.c. */
enum ts_status ts_noc_decode_open(struct ts_noc_decoder *d, struct ts_error *error);

/* Make the folder that files go to, unless it is there. In noc_decode.c. */
enum ts_status ts_noc_decode_folder(struct ts_noc_decoder *d, struct ts_error *error);

/* ---- for runs with fabric events, in noc_decode_fabric.c ---- */

enum ts_status ts_noc_decode_fabric(struct ts_noc_decoder *d, const struct ts_noc_run *run, struct ts_error *error);
/* Load what the segments from *at on hold of one lane, and move on. */
enum ts_status ts_noc_decode_load_lane(struct ts_noc_decoder *d, size_t *at, struct ts_error *error);
void ts_noc_decode_begin_lane(struct ts_noc_decoder *d, const struct ts_noc_lane *lane);
enum ts_status ts_noc_decode_end_lane(struct ts_noc_decoder *d, struct ts_error *error);
/* Make ready for a record of the lane. */
enum ts_status ts_noc_decode_ready(struct ts_noc_decoder *d, struct ts_error *error);
enum ts_status ts_noc_decode_zone(struct ts_noc_decoder *d, uint64_t time, bool start, uint32_t name,
                                  struct ts_error *error);
/* wide may be NULL. */
enum ts_status ts_noc_decode_event(struct ts_noc_decoder *d, uint64_t time, const struct ts_noc_payload *payload,
                                   const struct ts_noc_wide *wide, struct ts_error *error);
/* A destination as it is printed. */
struct ts_noc_text_place ts_noc_decode_place(struct ts_noc_decoder *d, int x, int y, unsigned noc);

#endif
