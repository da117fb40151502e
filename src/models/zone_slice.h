/* One piece of a device log worked off on its own: zones that start and end inside it are paired, what reaches across its
 * ends is kept for whoever puts the pieces together (zone_tally.h). */
#ifndef TS_MODELS_ZONE_SLICE_H
#define TS_MODELS_ZONE_SLICE_H

#include "formats/device_log_rows.h"
#include "formats/device_log_source.h"
#include "models/core_spans.h"
#include "models/zone_opens.h"

/* Up to 16 bytes of a text stand in head and tail, so that most comparisons are of two words. */
struct ts_text_key {
    uint64_t head, tail;
};

/* A processor of a core, as this slice has met it. */
struct ts_slice_lane {
    struct ts_log_core core;
    uint32_t lane; /* in names */
    struct ts_log_lane info;
    struct ts_text_key key;
    struct ts_str risc;
    uint32_t next;      /* the lane that followed it last */
    uint32_t recent[2]; /* where its last new zones are, or were in the piece before */
    /* Zone starts in this piece: */
    bool started;
    uint32_t backwards; /* starts earlier than the start before them */
    uint64_t first_start, last_start;
};

/* What pairs of one zone on one kind of processor come to. */
struct ts_zone_sums {
    uint64_t occurrences;
    uint64_t cycles, cycles_high; /* low and high half of the sum */
    uint64_t backwards;           /* pairs that end before they start */
    uint64_t replaced;            /* starts that another start of their zone came upon before their end */
    uint64_t unmatched;           /* ends without a start */
};
struct ts_slice_group {
    struct ts_text_key key;
    struct ts_str zone;
    uint32_t risc, group; /* group: in names */
    bool kernel;
    bool met;                 /* in this piece */
    uint32_t next[3];         /* the group that followed it last, by the kind of its row */
    struct ts_zone_sums sums; /* of this piece */
    uint64_t *cores;          /* bits by core: where any row of it was, in all pieces so far */
    uint32_t core_words;
};

enum { TS_ZONE_FIRST_END = 1, TS_ZONE_OPEN = 2, TS_ZONE_DONE = 4 };
/* What happened to one key in this piece. */
struct ts_slice_zone {
    struct ts_zone_key key; /* by the numbers of the slice */
    uint64_t time;          /* of the start that is open */
    uint64_t first_end;     /* FIRST_END: the piece begins with this end */
    uint32_t pair;
    uint32_t flags;
};

/* A kernel zone that paired, or (lane UINT32_MAX) something of a kernel that did not. */
struct ts_kernel_record {
    uint64_t start, end;
    uint32_t pair, lane; /* lane: of the slice */
};

struct ts_zone_slice {
    struct ts_zone_names *names;       /* shared */
    const struct ts_core_spans *spans; /* shared; NULL: nobody wants any */
    bool typed;                        /* the log tells starts from ends */
    struct ts_log_scanner scanner;
    struct ts_log_piece piece;

    TS_VEC(struct ts_slice_lane) lanes;
    TS_VEC(struct ts_slice_group) groups;
    uint32_t *lane_slots, *group_slots; /* hash tables: number + 1 */
    uint32_t lane_slot_count, group_slot_count;
    uint32_t last_lane, last_group;
    uint8_t last_kind;

    /* Of the piece: */
    TS_VEC(struct ts_slice_zone) zones;
    uint32_t *zone_slots;
    uint32_t zone_slot_count;
    TS_VEC(uint32_t) met;     /* groups in order of first appearance */
    TS_VEC(uint32_t) started; /* lanes with zone starts */
    TS_VEC(struct ts_kernel_record) records;
    uint32_t open_now, open_most; /* starts open at once, those of earlier pieces not counted */
    uint64_t last_run;            /* of the pair looked up last */
    uint32_t last_slot, last_pair;
    bool pair_known;

    /* Of all pieces so far: */
    uint64_t unreadable_rows, unreadable_kernel_rows;
};

/* names, layout and spans must outlive the slice. Errors: TS_NO_MEMORY. */
enum ts_status ts_zone_slice_init(struct ts_zone_slice *slice, struct ts_zone_names *names,
                                  const struct ts_device_log_layout *layout, const struct ts_core_spans *spans,
                                  uint64_t seed, enum ts_log_vectors vectors, struct ts_error *error);
void ts_zone_slice_free(struct ts_zone_slice *slice);
/* Work off slice->piece. Errors: TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_zone_slice_work(struct ts_zone_slice *slice, struct ts_error *error);
/* Forget the pairs of the piece, but not which groups it has. */
void ts_zone_slice_forget_pairs(struct ts_zone_slice *slice);
/* Forget the piece. */
void ts_zone_slice_reset(struct ts_zone_slice *slice);

/* Work off the piece again, row after row, against all that is open (opens, by the numbers of names) and with the limit of
 * open starts; those it drops are counted. Sums and records become those of the piece. */
enum ts_status ts_zone_slice_replay(struct ts_zone_slice *slice, struct ts_zone_opens *opens, uint64_t *dropped,
                                    struct ts_error *error);

/* NULL when the piece has no zone of this key (by the slice's numbers). */
struct ts_slice_zone *ts_zone_slice_find(const struct ts_zone_slice *slice, struct ts_zone_key key);
void ts_zone_sums_add(struct ts_zone_sums *sums, uint64_t cycles);

#endif
