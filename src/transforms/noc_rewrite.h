/* NoC trace files read, summarised, and written again in the text that noc_decode writes: sorted keys, one a line. Every key and
 * value stays, those nobody knows included. */
#ifndef TS_TRANSFORMS_NOC_REWRITE_H
#define TS_TRANSFORMS_NOC_REWRITE_H

#include "base/buf.h"
#include "base/context.h"
#include "base/str.h"
#include "base/vec.h"

enum ts_noc_dialect { TS_NOC_DIALECT_J0, TS_NOC_DIALECT_J1, TS_NOC_DIALECT_J2, TS_NOC_DIALECT_J3, TS_NOC_DIALECT_J4 };

struct ts_noc_type_count {
    char name[48]; /* cut */
    uint64_t count;
};
struct ts_noc_summary {
    uint64_t records, zone_starts, zone_ends, events, fabric, others;
    uint64_t bytes, saturated; /* saturated: events of exactly 8160 bytes, which may have been more */
    uint64_t zones_without_proc;
    bool any_time;
    int64_t first_time, last_time;
    enum ts_noc_dialect dialect;
    TS_VEC(struct ts_noc_type_count) types; /* by first appearance; at most 256 */
    bool seen_delta, seen_run_id, seen_long_phase, seen_source, seen_zone_source, seen_target, seen_hops;
};

/* Read input, and write it again to path, after making folder when that is neither NULL nor there. path NULL: summarise alone. The
 * summary is to be freed with ts_noc_summary_free. Errors: those of reading and writing; TS_REFUSED (path is the input). */
enum ts_status ts_noc_rewrite(struct ts_context *context, const char *input, const char *folder, const char *path,
                              struct ts_noc_summary *summary, struct ts_error *error);
void ts_noc_summary_free(struct ts_noc_summary *summary);
void ts_noc_summary_describe(const struct ts_noc_summary *summary, struct ts_buf *out);

#endif
