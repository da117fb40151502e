/* Rows of several devices made one row per operation. */
#ifndef TS_MODELS_DEVICE_MERGE_H
#define TS_MODELS_DEVICE_MERGE_H

#include "models/perf_report.h"

/* What one operation became: the row that stands for it. */
struct ts_merge_round {
    uint32_t row;                   /* of the table */
    uint32_t members, member_count; /* its rows in ts_device_merge.members, lowest device first */
    double duration;                /* ns: the row's own, or a collective's mean */
};

/* Rows that a report reads, in the order in which each device's are paired: first <= row < end. */
struct ts_row_sequence {
    const uint32_t *rows; /* NULL: first, first + 1, ... */
    uint32_t first, end;
};
static inline uint32_t ts_row_sequence_at(const struct ts_row_sequence *sequence, uint32_t index)
{
    return sequence->rows ? sequence->rows[index] : sequence->first + index;
}

#define TS_ROW_MERGED_AWAY UINT32_MAX
#define TS_ROW_SET_ASIDE (UINT32_MAX - 1)
struct ts_device_merge {
    uint32_t *round_of; /* by row - first: the round it stands for, TS_ROW_MERGED_AWAY or TS_ROW_SET_ASIDE */
    struct ts_merge_round *rounds;
    uint32_t round_count;
    uint32_t *members; /* table rows, by round */
};

/* Pair the rows of the devices of source. Each device's rows form a queue; in every round the lowest device that has rows
 * left names the operation, and each device whose queue begins with that operation gives it. members is allocated in
 * the report's arena, the rest in scratch; notices and counts go into the report. Linear in the rows, whatever the
 * devices hold. Errors: TS_NO_MEMORY, TS_LIMIT, TS_CANCELLED. */
enum ts_status ts_device_merge(struct ts_context *context, const struct ts_perf_source *source,
                               const struct ts_row_sequence *sequence, struct ts_arena *scratch,
                               struct ts_perf_report *report, struct ts_device_merge *out, struct ts_error *error);

#endif
