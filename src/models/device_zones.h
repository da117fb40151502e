/* What a device log's zones come to: per zone and kind of processor how often and how long, over all cores. */
#ifndef TS_MODELS_DEVICE_ZONES_H
#define TS_MODELS_DEVICE_ZONES_H

#include "models/core_spans.h"

struct ts_device_zone {
    struct ts_str zone, risc;
    uint64_t occurrences;
    uint32_t cores;        /* of all devices */
    double cycles;         /* the whole sum, exact below 2^53 */
    uint64_t whole_cycles; /* the same when it is below 2^63, else UINT64_MAX */
};

struct ts_device_zones {
    struct ts_part part; /* first: kept by the session */
    struct ts_arena arena;
    struct ts_device_log_head head;
    bool has_header;
    struct ts_str
        missing; /* needed columns that the header lacks, ", " between; empty: none, and only then were rows read */
    bool typed;  /* the log tells starts from ends: cycles are known */
    bool has_rows;
    uint64_t bad_byte;            /* the first that is no UTF-8; UINT64_MAX: none */
    struct ts_device_zone *zones; /* most cycles first, then most occurrences, then by first appearance */
    uint32_t count;
    uint64_t unpaired_starts, unpaired_ends, dropped_starts, unreadable_rows;
    uint32_t runs; /* that the log was joined of, at least 1 */
};

struct ts_device_zones_options { /* zero: as questions read it */
    size_t block;                /* bytes of a piece; 0: what is fast */
    enum ts_log_vectors vectors;
    bool check_only; /* only look whether it can be read: columns, rows, UTF-8 */
};

/* Read the log. spans (may be NULL) is what ts_core_spans_create made: it is filled from the same pass, its identity
 * included; where memory for it is out, spans->failed is set and the zones are good. A log without a header, or one that
 * lacks columns, makes zones without rows. Errors: those of ts_log_source_open and ts_log_source_next, TS_CHANGED. */
enum ts_status ts_device_zones_read(struct ts_context *context, const char *path,
                                    const struct ts_device_zones_options *options, struct ts_core_spans *spans,
                                    struct ts_device_zones **out, struct ts_error *error);
/* The same over bytes in memory (tests, fuzzing). */
enum ts_status ts_device_zones_read_memory(struct ts_context *context, struct ts_str bytes,
                                           const struct ts_device_zones_options *options, struct ts_core_spans *spans,
                                           struct ts_device_zones **out, struct ts_error *error);
void ts_device_zones_destroy(struct ts_device_zones *zones); /* accepts NULL */

#endif
