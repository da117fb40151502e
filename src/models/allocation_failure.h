/* What a recorded error message says about an allocation that failed: which of tt-metal's four failures it is, its figures,
 * and why the request did not fit. */
#ifndef TS_MODELS_ALLOCATION_FAILURE_H
#define TS_MODELS_ALLOCATION_FAILURE_H

#include <stdint.h>

#include "base/str.h"

enum ts_failure_kind {
    TS_FAILURE_NONE, /* no allocation failure, or one in words that carry no figures */
    TS_FAILURE_BANK,
    TS_FAILURE_BANK_DEPENDENCIES, /* the same, after what other buffers depend on was taken off */
    TS_FAILURE_BEYOND_L1,         /* circular (or dataflow) buffers grow past the end of the L1 */
    TS_FAILURE_CLASH,             /* they reach into an L1 buffer */
};

/* What a figure of more than 63 bits reads as; all others are 0 or more. */
enum { TS_FIGURE_TOO_LARGE = -1 };
/* Bytes, all but `requested` of one bank. */
struct ts_allocation_failure {
    enum ts_failure_kind kind;
    /* bank kinds */
    struct ts_str buffer_type; /* one of the five names, static; ptr NULL: another word */
    int64_t requested, banks, per_bank, bank_size;
    bool has_free; /* allocated, free, largest_free */
    int64_t allocated, free, largest_free;
    bool has_placeable;
    int64_t placeable, largest_placeable;
    /* the kinds of circular buffers */
    struct ts_str core_range; /* as written; borrowed from the message */
    int64_t region_end;       /* where the circular buffers end */
    int64_t limit;            /* the end of the L1, or the address of the L1 buffer */
};

enum ts_failure_reason {
    TS_REASON_NONE, /* the figures give none, or cannot be true */
    TS_REASON_LARGER_THAN_BANK,
    TS_REASON_FREE_BLOCK_COULD_HOLD_IT,
    TS_REASON_FRAGMENTED,
    TS_REASON_NOT_ENOUGH,
    TS_REASON_BEYOND_L1,
    TS_REASON_OVERLAP,
};
struct ts_failure_diagnosis {
    enum ts_failure_reason reason;
    int64_t bytes;      /* that it is over, short or overlaps by, at least 1; 0 for the other reasons */
    const char *unsaid; /* TS_REASON_NONE: why there is none, for a sentence: "its figures contradict each other" */
};

/* "bank_out_of_memory"; NULL for none. */
const char *ts_failure_kind_name(enum ts_failure_kind kind);
const char *ts_failure_reason_name(enum ts_failure_reason reason);
static inline bool ts_failure_is_of_bank(enum ts_failure_kind kind)
{
    return kind == TS_FAILURE_BANK || kind == TS_FAILURE_BANK_DEPENDENCIES;
}

/* Only so much of a message is read: several times the longest real one. */
enum { TS_FAILURE_MESSAGE_CHARACTERS = 32768 };
/* Find the failure anywhere in a message; the kind is TS_FAILURE_NONE when there is none. */
void ts_allocation_failure_read(struct ts_str message, struct ts_allocation_failure *out);
/* Why it did not fit. Figures that cannot be true together, as buffers that reach into one above their end, give no reason. */
struct ts_failure_diagnosis ts_allocation_failure_diagnose(const struct ts_allocation_failure *failure);

#endif
