/* How long each core worked on each operation: the kernel zones of a device log, folded into the rows of an operations CSV as
 * they pair. */
#ifndef TS_MODELS_CORE_SPANS_H
#define TS_MODELS_CORE_SPANS_H

#include "formats/device_log.h"
#include "models/perf_source.h"
#include "models/zone_names.h"

#define TS_NO_SPAN UINT32_MAX
#define TS_NO_PAIR UINT32_MAX

/* Zones of one call count on one device. */
struct ts_span_pair {
    uint64_t run; /* GLOBAL CALL COUNT */
    uint32_t slot;
    uint32_t first_span, span_count; /* its spans, windows by their start, then the one without */
    uint32_t rows;                   /* device rows of the CSV that share it */
    bool any_zone;
    uint64_t unpaired;
};

/* What lies inside one window of firmware cycles; rows of one pair with the same window share it. */
struct ts_span {
    uint64_t from, to; /* inclusive; a row without cycles: everything */
    uint64_t last_to;  /* the largest `to` of its pair's spans up to this one */
    uint32_t pair;
    bool pooled;                       /* the row has no firmware cycles */
    bool wide;                         /* times do not fit into 32 bits */
    uint16_t cores;                    /* how many its row says it ran on: room to take at once */
    struct ts_span_block *blocks, *at; /* at: where the last zone went */
    uint32_t at_index;
};

enum { TS_SPAN_RISCS = 5 }; /* processors that one entry of a core holds */

/* First start and last end of one processor of a core. */
struct ts_span_time {
    uint64_t first, last;
};

struct ts_core_spans {
    struct ts_part part; /* first: kept by the session */
    struct ts_arena arena;
    struct ts_device_log_head head; /* of the log it was read from */
    bool typed, has_rows;           /* the log tells starts from ends; has rows */
    struct ts_str missing;          /* columns that the log lacks; ptr NULL: it has no header */
    uint64_t bad_byte;              /* UINT64_MAX: the log is UTF-8 */
    uint32_t row_count;
    uint32_t *span_of_row; /* by row of the table; TS_NO_SPAN: not a device row, or it lacks call count or device */
    struct ts_span *spans;
    uint32_t span_count;
    struct ts_span_pair *pairs;
    uint32_t pair_count;
    uint32_t *pair_slots; /* hash table of pairs: number + 1 */
    uint32_t pair_slot_count;
    uint64_t unreadable_kernel_rows;
    uint32_t runs;
    struct ts_log_core *cores; /* by number, as spans name them */
    struct ts_str *riscs;
    uint32_t risc_count;
    bool failed; /* memory was out while zones were added */
};

/* What the rows of a report want of the log; nothing is in it yet. Errors: TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_core_spans_create(struct ts_context *context, const struct ts_perf_source *source,
                                    struct ts_core_spans **out, struct ts_error *error);
void ts_core_spans_destroy(struct ts_core_spans *spans); /* accepts NULL */

/* Any thread may ask at any time. TS_NO_PAIR: no row wants it. */
uint32_t ts_core_spans_pair(const struct ts_core_spans *spans, uint64_t run, uint32_t slot);
/* Add a kernel zone of a pair; one thread at a time. Memory that is out shows in spans->failed. */
void ts_core_spans_add(struct ts_core_spans *spans, uint32_t pair, struct ts_log_lane lane, uint64_t start,
                       uint64_t end);

/* Walk the entries of a span: each is a core and TS_SPAN_RISCS processors from risc on; times whose first is after last
 * hold nothing. */
struct ts_span_entry {
    uint32_t core, risc;
    struct ts_span_time times[TS_SPAN_RISCS];
};
struct ts_span_walk {
    const struct ts_span *span;
    const struct ts_span_block *block;
    uint32_t index;
};
static inline struct ts_span_walk ts_span_walk_begin(const struct ts_span *span)
{
    return (struct ts_span_walk){span, span->blocks, 0};
}
bool ts_span_walk_next(struct ts_span_walk *walk, struct ts_span_entry *out);

#endif
