/* What lies in L1 at one moment, by address: kept so that putting, removing and finding the largest cost next to nothing
 * however many there are. Sizes are exact, fractions of a byte included. */
#ifndef TS_MODELS_L1_RESIDENTS_H
#define TS_MODELS_L1_RESIDENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* Bytes in units of 2^-56: a size shared evenly by cores need not be whole, and sums of such must not drift. */
__extension__ typedef __int128 ts_l1_bytes;

/* bytes / divisor; a negative size is none, one over 2^48 is 2^48. divisor is at least 1. */
ts_l1_bytes ts_l1_bytes_of(int64_t bytes, int64_t divisor);
/* Whether it takes them as they are. */
bool ts_l1_bytes_are_held(int64_t bytes);
double ts_l1_bytes_number(ts_l1_bytes bytes);

enum ts_l1_kind { TS_L1_CIRCULAR, TS_L1_INTERMEDIATE, TS_L1_PERSISTENT, TS_L1_STALE, TS_L1_KINDS };

struct ts_l1_resident {
    ts_l1_bytes size;
    int64_t address;
    uint64_t born;  /* when it was put there as it is */
    uint64_t stamp; /* the caller's */
    int64_t last_use;
    uint8_t kind; /* enum ts_l1_kind */
    bool used;    /* last_use is known */
};
struct ts_l1_rank; /* of the heap */
struct ts_l1_residents {
    TS_VEC(struct ts_l1_resident) items; /* in no order */
    uint32_t *slots;                     /* index + 1 of items, by hash of the address; 0: free */
    size_t slot_count;
    uint64_t seed;
    struct {
        struct ts_l1_rank *items;
        size_t count, capacity;
    } heap; /* the largest first; some are gone by now */
    ts_l1_bytes sums[TS_L1_KINDS];
};

void ts_l1_residents_init(struct ts_l1_residents *residents);
void ts_l1_residents_free(struct ts_l1_residents *residents);
/* Borrowed until the next change; NULL: nothing lies there. */
struct ts_l1_resident *ts_l1_residents_find(const struct ts_l1_residents *residents, int64_t address);
/* Put one where none lies. False when memory is out. */
bool ts_l1_residents_add(struct ts_l1_residents *residents, const struct ts_l1_resident *resident);
void ts_l1_residents_remove(struct ts_l1_residents *residents, struct ts_l1_resident *resident);
void ts_l1_residents_set_kind(struct ts_l1_residents *residents, struct ts_l1_resident *resident, enum ts_l1_kind kind);
void ts_l1_residents_clear(struct ts_l1_residents *residents);
/* The largest, of equal ones the one at the lowest address; NULL: there is none. */
const struct ts_l1_resident *ts_l1_residents_largest(struct ts_l1_residents *residents);

#endif
