/* How long each core worked on each operation: the kernel zones of a device log, folded into the rows of an operations CSV as
 * they pair. */
#ifndef TS_MODELS_CORE_SPANS_H
#define TS_MODELS_CORE_SPANS_H

#include "formats/device_log.h"
#include "models/perf_source.h"
#include "models/span_times.h"

#define TS_NO_SPAN UINT32_MAX
#define TS_NO_PAIR UINT32_MAX

/* Zones that lie in several windows at once, the same ones, are kept once and put together when a window is asked for:
 * adding them to each would cost zones times windows. Those of a window that overlaps no other are its own. */
struct ts_span_cell {
    struct ts_span_cell *next; /* of the pair */
    struct ts_span_times times;
    uint32_t from; /* number of the last window that begins at or before them */
    uint32_t to;   /* of the windows by their end the first that ends at or behind them */
};

/* Zones of one call count on one device. */
struct ts_span_pair {
    uint64_t run; /* GLOBAL CALL COUNT */
    uint32_t slot;
    uint32_t first_span, span_count; /* its spans, windows by their start, then the one without */
    uint32_t rows;                   /* device rows of the CSV that share it */
    bool overlap;                    /* windows of it do */
    bool any_zone;
    bool any_inside; /* in any window; by ts_core_spans_seal */
    uint64_t unpaired;
    struct ts_span_cell *cells; /* of windows that overlap */
};

/* What lies inside one window of firmware cycles; rows of one pair with the same window share it. */
struct ts_span {
    uint64_t from, to; /* inclusive; a row without cycles: everything */
    uint64_t last_to;  /* the largest `to` of its pair's spans up to this one */
    uint32_t pair;
    uint32_t to_rank;           /* its place among the windows by their end; where the pair's overlap */
    uint32_t least_to;          /* the least `to` of cells and own times whose `from` is this one */
    bool pooled;                /* the row has no firmware cycles */
    bool any;                   /* a zone lies inside; by ts_core_spans_seal */
    struct ts_span_times times; /* of zones in this window alone or, where windows overlap, in those up to this one by
                                   their start and from it on by their end */
};

struct ts_span_end;
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
    struct ts_span_end *ends;         /* of each pair whose windows overlap, by their end; NULL: there is none */
    struct ts_span_cell **cell_slots; /* hash table, while zones are added */
    uint32_t cell_slot_count, cell_count;
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
/* Add a kernel zone of a pair; one thread at a time. However many windows it lies in, it costs the same but for a search
 * among them. Memory that is out shows in spans->failed. */
void ts_core_spans_add(struct ts_core_spans *spans, uint32_t pair, struct ts_log_lane lane, uint64_t start,
                       uint64_t end);
/* Nothing will be added any more; before that nothing can be asked. */
void ts_core_spans_seal(struct ts_core_spans *spans);

/* The times of all that lies inside a span, by core and processor, each entry once; the list is the caller's to free.
 * Errors: TS_NO_MEMORY, those of ts_context_check: of windows that overlap there may be as many times as zones. */
enum ts_status ts_core_spans_entries(struct ts_context *context, const struct ts_core_spans *spans, uint32_t span,
                                     struct ts_span_entry **out, uint32_t *count, struct ts_error *error);

#endif
