/* Rows of a device log: from the bytes of whole lines to what each row says. No row is kept and nothing is copied, so that
 * several of these may read ranges of one file at the same time. */
#ifndef TS_FORMATS_DEVICE_LOG_ROWS_H
#define TS_FORMATS_DEVICE_LOG_ROWS_H

#include "base/buf.h"
#include "formats/device_log.h"

enum ts_log_kind {
    TS_LOG_OTHER, /* neither, or a log without a column for it */
    TS_LOG_START,
    TS_LOG_END,
};

enum ts_log_state {
    TS_LOG_GOOD,
    TS_LOG_BAD_NUMBER, /* slot, core or time is none: zone, kind, run and run_numeric are valid, the rest is not */
    TS_LOG_TOO_SHORT,  /* fewer fields than the columns that are read: nothing is valid */
};

/* Texts are trimmed; they point into the lines, or into the scanner until its next call. */
struct ts_log_row {
    struct ts_str zone; /* never empty */
    struct ts_str risc;
    uint64_t time; /* cycles */
    uint64_t run;  /* run host ID; of one that is no number a hash of its text */
    uint32_t slot, x, y;
    uint8_t kind;  /* enum ts_log_kind */
    uint8_t state; /* enum ts_log_state */
    bool run_numeric;
    bool same_core; /* slot, x, y and risc are those of the row before, of the same call */
};

/* Which field is which, in the order they stand. */
struct ts_log_target {
    uint32_t column;
    uint8_t what; /* enum ts_log_column */
};

/* Eight characters and the number they are. */
struct ts_log_digits {
    uint64_t text, value;
};

struct ts_log_scanner {
    const struct ts_device_log_layout *layout;
    struct ts_log_target targets[TS_LOG_COLUMN_COUNT];
    unsigned target_count;
    uint64_t seed;        /* of the hash of run host IDs that are no numbers */
    bool quick;           /* the columns stand where the quick way expects them */
    bool wide;            /* with vectors of 32 bytes */
    uint32_t quick_at[3]; /* of RUN, ZONE and TYPE, counted from the column behind RISC; TYPE UINT32_MAX: none */
    uint32_t quick_count; /* fields to find behind RISC */

    const char *at, *end;
    struct ts_buf scratch; /* unquoted texts of the rows last given */
    /* The first bytes of the row last read the quick way, up to the comma behind RISC, and what they say; 0: none. */
    char prefix[32];
    uint32_t prefix_len, risc_at, risc_len;
    uint32_t slot, x, y;
    struct ts_log_digits time_digits, run_digits; /* read last */
    bool fresh;                                   /* the next row's core need not be that of the row before */
};

/* layout must outlive the scanner. seed is the same for all that read one log. */
void ts_log_scanner_init(struct ts_log_scanner *scanner, const struct ts_device_log_layout *layout, uint64_t seed,
                         enum ts_log_vectors vectors);
void ts_log_scanner_free(struct ts_log_scanner *scanner);

/* Bytes that must be readable and writable behind those given to ts_log_scanner_begin; it writes there. */
enum { TS_LOG_PAD = 128 };
/* Begin with whole lines. The last may lack its newline: it ends the log, or it is cut behind more than
 * TS_LIMIT_LOG_LINE bytes. Nothing but the padding is written to, so the same bytes may be read again. */
void ts_log_scanner_begin(struct ts_log_scanner *scanner, char *bytes, size_t len);
/* Up to capacity rows; fewer only when texts had to be unquoted; 0 at the end. Left out are rows without a zone name, blank
 * lines and the log's first lines where they stand again. Memory that is out shows in scanner->scratch.failed and ends the
 * rows. */
size_t ts_log_scanner_next(struct ts_log_scanner *scanner, struct ts_log_row *rows, size_t capacity);

#endif
