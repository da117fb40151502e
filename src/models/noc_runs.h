/* NoC events of a profiled run by program and lane: an index over a raw capture or a device log, and the markers of one piece of
 * it at a time. A lane is one RISC of one core; a run is one execution of a program on one device, and one trace file. */
#ifndef TS_MODELS_NOC_RUNS_H
#define TS_MODELS_NOC_RUNS_H

#include "base/map.h"
#include "base/vec.h"
#include "formats/noc_capture.h"
#include "formats/noc_near_raw.h"

/* A marker that is kept: a zone's start or end, or a NoC event. */
struct ts_noc_marker {
    uint64_t key;  /* time << 20 | late << 19 | static id << 3 | packet type: sorts by time, then id */
    uint64_t data; /* of a zone the number of its name; of a 16-byte event its place in wide */
};
#define TS_NOC_KEY(time, late, id, type)                                                                               \
    ((uint64_t)(time) << 20 | (uint64_t)(late) << 19 | (uint64_t)(id) << 3 | (uint64_t)(type))
#define TS_NOC_KEY_TIME(key) ((key) >> 20)
#define TS_NOC_KEY_TYPE(key) ((unsigned)(key)&7)
#define TS_NOC_KEY_SAME(a, b) ((a) >> 3 == (b) >> 3)

struct ts_noc_wide {
    uint64_t data, trailer;
};
/* Markers of one run on one lane, as they stood on the wire. */
struct ts_noc_markers {
    TS_VEC(struct ts_noc_marker) body;
    TS_VEC(struct ts_noc_marker) guards; /* of guaranteed slots: each image repeats them, later than what follows */
    TS_VEC(struct ts_noc_wide) wide;
    bool unsorted; /* the body does not rise */
    size_t body_at, guards_at;
    struct ts_noc_marker previous; /* the last that came out; with a key of UINT64_MAX none did */
    uint64_t duplicates;
    uint64_t clashes; /* duplicates that are events and say something else than the one kept */
};
void ts_noc_markers_clear(struct ts_noc_markers *markers);
void ts_noc_markers_free(struct ts_noc_markers *markers);
/* Errors: TS_NO_MEMORY. */
enum ts_status ts_noc_markers_add(struct ts_noc_markers *markers, uint64_t key, uint64_t data, bool guard,
                                  struct ts_error *error);
/* Put all in order; after this ts_noc_markers_next. Errors: TS_NO_MEMORY. */
enum ts_status ts_noc_markers_sort(struct ts_noc_markers *markers, struct ts_error *error);
/* The next by time and id, each pair of these once; NULL at the end. Valid until the next call that changes markers. */
const struct ts_noc_marker *ts_noc_markers_next(struct ts_noc_markers *markers);

struct ts_noc_lane {
    uint32_t device, risc;
    int32_t x, y;
};
struct ts_noc_run {
    uint32_t device;
    bool traced;
    bool fabric;           /* holds fabric events */
    bool fabric2, fabric4; /* would hold some as W2, or as W4 or W5 */
    uint64_t host_id, trace, count;
    uint32_t run_counter; /* generation I1 */
    struct ts_str op;     /* empty: unknown */
    size_t first, last;   /* its segments */
};
/* A piece of the input: one run on one lane, unbroken. */
struct ts_noc_segment {
    uint32_t run, lane;
    uint64_t begin, end; /* bytes of the input */
};

/* What was seen on the way, for people. */
struct ts_noc_counts {
    uint64_t zones, events; /* kept markers in the input, duplicates included */
    uint64_t images;
    uint64_t locks, other_data; /* data that are no NoC events */
    uint64_t stopped_lanes;     /* a packet type of another backend: the rest of the buffer is skipped */
    uint64_t cut_lanes;         /* ended within a packet */
    uint64_t headless_words;    /* before the first image of a lane */
    uint64_t unmarked_words;    /* where a marker should have been */
    uint64_t mismatches;        /* images that name another RISC or core than their section */
    uint64_t stale;             /* older than the first marker of their image */
    uint64_t unknown_sections;
    uint64_t bad_rows;     /* of a device log */
    uint64_t lost;         /* events, as far as somebody counted them */
    uint64_t lost_unknown; /* lanes that dropped, but not how many */
    struct ts_noc_near_counts near;
};

enum { TS_NOC_NAME_KEEP = 1, TS_NOC_NAME_KEEP_DATA_MOVERS = 2, TS_NOC_NAME_KERNEL = 4 };

/* What the payloads of a device log look like; a raw capture says its generation. */
struct ts_noc_guess {
    uint64_t payloads;
    bool misfit1, misfit2, misfit4; /* some payload does not fit W1, W2, or W3 to W5 */
    bool late;                      /* there are codes where W4 and W5 differ */
    bool like4, like5;              /* routing fields directly behind a fabric event */
    unsigned before;
};

struct ts_noc_log;
struct ts_noc_rows;
struct ts_noc_runs {
    struct ts_context *context;
    struct ts_noc_description *description; /* borrowed */
    struct ts_noc_capture *capture;         /* or NULL */
    struct ts_noc_log *log;                 /* or NULL */
    bool per_kernel;                        /* of the older formats: which zones are kept, and events behind zones */
    TS_VEC(struct ts_noc_lane) lanes;
    TS_VEC(struct ts_noc_run) runs;
    TS_VEC(struct ts_noc_segment) segments; /* by run, lane, place */
    size_t joins_from;                      /* segments from this on may be joined with what follows them */
    TS_VEC(uint32_t) dropped;               /* lanes whose buffers were full */
    TS_VEC(unsigned char) names;            /* TS_NOC_NAME_... by number of a name */
    struct ts_map by_key;
    struct ts_arena keys;
    struct ts_noc_counts counts;
    uint32_t *block;              /* words read last */
    struct ts_noc_near_raw *near; /* of a near-raw capture; else NULL */
    struct ts_noc_guess guess;
    struct ts_noc_rows *rows;
};

/* Index a raw capture. capture and runs->description live longer. Errors: TS_IO, TS_CHANGED, TS_LIMIT, TS_NO_MEMORY,
 * TS_CANCELLED. */
enum ts_status ts_noc_runs_of_capture(struct ts_context *context, struct ts_noc_capture *capture, bool per_kernel,
                                      struct ts_noc_runs **out, struct ts_error *error);
/* Index a device log, whose zone names go into description. Errors: the same, TS_INPUT. */
enum ts_status ts_noc_runs_of_log(struct ts_context *context, struct ts_noc_log *log,
                                  struct ts_noc_description *description, bool per_kernel, struct ts_noc_runs **out,
                                  struct ts_error *error);
/* Of a log: guess the generation unless description->has_wire, and note which runs hold fabric events. Errors: TS_INPUT (the
 * payloads do not tell). */
enum ts_status ts_noc_runs_settle_wire(struct ts_noc_runs *runs, struct ts_error *error);
void ts_noc_runs_destroy(struct ts_noc_runs *runs);
/* Append a segment's markers. Errors: those of indexing. */
enum ts_status ts_noc_runs_load(struct ts_noc_runs *runs, const struct ts_noc_segment *segment,
                                struct ts_noc_markers *markers, struct ts_error *error);

/* ---- for the two makers ---- */

enum ts_status ts_noc_runs_create(struct ts_context *context, struct ts_noc_description *description, bool per_kernel,
                                  struct ts_noc_runs **out, struct ts_error *error);
/* The number of a run, which is made when new. Errors: TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_noc_runs_find(struct ts_noc_runs *runs, const struct ts_noc_run *key, uint32_t *out,
                                struct ts_error *error);
/* Append a piece, joined to the one before where it goes on. */
enum ts_status ts_noc_runs_add(struct ts_noc_runs *runs, const struct ts_noc_segment *segment, struct ts_error *error);
/* Sort lanes and segments, and note each run's. */
enum ts_status ts_noc_runs_finish(struct ts_noc_runs *runs, struct ts_error *error);
/* TS_NOC_NAME_... of a name; computed when first asked for. false: memory is out. */
bool ts_noc_runs_name(struct ts_noc_runs *runs, uint32_t name, unsigned *out);
static inline bool ts_noc_runs_keeps(unsigned name, uint32_t risc)
{
    return name & TS_NOC_NAME_KEEP || (name & TS_NOC_NAME_KEEP_DATA_MOVERS && risc < 2);
}
enum ts_status ts_noc_runs_load_capture(struct ts_noc_runs *runs, const struct ts_noc_segment *segment,
                                        struct ts_noc_markers *markers, struct ts_error *error);
enum ts_status ts_noc_runs_load_log(struct ts_noc_runs *runs, const struct ts_noc_segment *segment,
                                    struct ts_noc_markers *markers, struct ts_error *error);

#endif
