/* Pieces of a device log put together in file order: what reaches across their ends is paired here, so that the sums are
 * those of one reader who goes through the whole log. */
#ifndef TS_MODELS_ZONE_TALLY_H
#define TS_MODELS_ZONE_TALLY_H

#include "models/zone_slice.h"

struct ts_tally_lane {
    bool started;
    uint32_t backwards;
    uint64_t last_start;
};

struct ts_zone_tally {
    struct ts_zone_names *names;
    struct ts_core_spans *spans; /* or NULL */
    struct ts_zone_opens opens;
    TS_VEC(struct ts_zone_sums) sums; /* by group */
    TS_VEC(bool) met;                 /* by group */
    TS_VEC(uint32_t) order;           /* groups by first appearance */
    TS_VEC(struct ts_tally_lane) lanes;
    uint64_t starts, ends, dropped; /* that did not pair */
};

void ts_zone_tally_init(struct ts_zone_tally *tally, struct ts_zone_names *names, struct ts_core_spans *spans);
void ts_zone_tally_free(struct ts_zone_tally *tally);
/* Take in the next piece, which the slice has worked off, and reset the slice. Errors: TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_zone_tally_take(struct ts_zone_tally *tally, struct ts_zone_slice *slice, struct ts_error *error);
/* Behind the last piece: starts that are still open did not pair. */
void ts_zone_tally_finish(struct ts_zone_tally *tally);
/* Runs of a program that the log was joined of, as far as its clocks tell. */
uint32_t ts_zone_tally_runs(const struct ts_zone_tally *tally);

#endif
