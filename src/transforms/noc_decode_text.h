/* The exact text of a NoC trace file. Records go out in the order they are given; nothing is kept of them. */
#ifndef TS_TRANSFORMS_NOC_DECODE_TEXT_H
#define TS_TRANSFORMS_NOC_DECODE_TEXT_H

#include "base/write.h"
#include "models/noc_runs.h"

/* J1: March 2025; J3: September 2025; J4: November 2025 on. */
enum ts_noc_format { TS_NOC_J1, TS_NOC_J3, TS_NOC_J4 };

struct ts_noc_text_type {
    char text[96];
    size_t len;
};
struct ts_noc_text {
    struct ts_writer *writer;
    enum ts_noc_format format;
    bool posted;     /* print posted as true or false, not as null */
    unsigned indent; /* blanks of one level */
    bool any;        /* a record was written */
    bool failed;     /* memory was out */
    uint64_t records;
    char *buffer;
    size_t used, capacity;
    struct ts_buf lane; /* the lines that all records of a lane have, from op_name to the word timestamp */
    size_t lane_posted; /* where in them posted goes */
    size_t lane_source; /* where src_addr goes */
    size_t lane_device; /* where src_device_id begins, for records without it */
    size_t lane_core;   /* and ends */
    unsigned risc;
    struct ts_noc_text_type types[64]; /* "type" lines by code, with the next one's key */
};

/* A place in the grid, or none. */
struct ts_noc_text_place {
    bool given;
    int x, y;
};
/* The lines of a record before its bytes: few differ in a whole run. */
struct ts_noc_text_head {
    unsigned len;
    char text[124];
};
struct ts_noc_text_target {
    struct ts_noc_text_place place;
    unsigned noc;
    int64_t bytes;
};
/* A fabric send: what was sent over which channel to where. */
struct ts_noc_text_fabric {
    const struct ts_noc_payload *first; /* the first fabric event */
    const struct ts_noc_payload *route;
    const struct ts_noc_payload *write; /* the local write */
    uint32_t channel;
    bool mux;
    int mux_x, mux_y;
    unsigned mux_noc;
    const struct ts_noc_text_target *targets;
    size_t target_count;
};

/* Begin a file. writer outlives the text's end. Errors: TS_NO_MEMORY. */
enum ts_status ts_noc_text_begin(struct ts_noc_text *text, struct ts_writer *writer, enum ts_noc_format format,
                                 enum ts_noc_wire wire, bool posted, struct ts_error *error);
/* What the next records have in common. */
void ts_noc_text_lane(struct ts_noc_text *text, const struct ts_noc_run *run, const struct ts_noc_lane *lane);
void ts_noc_text_zone(struct ts_noc_text *text, uint64_t time, bool start, struct ts_str name);
/* The head of records with this destination and NoC. */
void ts_noc_text_head(const struct ts_noc_text *text, struct ts_noc_text_place to, unsigned noc,
                      struct ts_noc_text_head *out);
/* A record of an event of 8 bytes, no multicast. */
void ts_noc_text_plain(struct ts_noc_text *text, uint64_t time, const struct ts_noc_text_head *head,
                       const struct ts_noc_payload *payload);
/* Any other; trailer may be NULL. */
void ts_noc_text_event(struct ts_noc_text *text, uint64_t time, const struct ts_noc_payload *payload,
                       struct ts_noc_text_place to, struct ts_noc_text_place end, const struct ts_noc_trailer *trailer);
void ts_noc_text_fabric(struct ts_noc_text *text, uint64_t time, const struct ts_noc_text_fabric *send);
/* End the array and hand everything to the writer. last: no further file follows in this text. Errors: TS_NO_MEMORY. */
enum ts_status ts_noc_text_end(struct ts_noc_text *text, struct ts_error *error);
void ts_noc_text_free(struct ts_noc_text *text);

#endif
