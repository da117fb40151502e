/* profile_log_device.csv: tt-metal's device profiler log. Here its first lines: what was profiled, at which clock, and which
 * column is which. The rows are device_log_rows.h, the file in pieces device_log_source.h. */
#ifndef TS_FORMATS_DEVICE_LOG_H
#define TS_FORMATS_DEVICE_LOG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"

struct ts_device_log_pair {
    struct ts_str key, value;
};
struct ts_device_log_head {
    struct ts_device_log_pair
        *pairs; /* split at ',', each at its first ':', trimmed; pieces without ':' dropped; a later
                                         equal key has replaced the earlier. UTF-8 (bad bytes replaced). */
    size_t pair_count;
    struct ts_str arch; /* ARCH; ptr NULL when absent */
    double clock_mhz;   /* CHIP_FREQ[MHz]; absent (NaN) when missing or not a number */
    int64_t max_cores;  /* digits after "Max Compute Cores:"; -1 when absent */
};
/* Read the first line of the log. Empty (no pairs) when the line is already the column header (a field PCIe slot). Texts live
 * in arena. Errors: those of ts_reader_open and ts_reader_read, TS_LIMIT (first line too long). */
enum ts_status ts_device_log_head_read(struct ts_context *context, const char *path, struct ts_arena *arena,
                                       struct ts_device_log_head *out, struct ts_error *error);
/* The same of a first line at hand. Errors: TS_NO_MEMORY, TS_LIMIT (of the arena). */
enum ts_status ts_device_log_head_parse(struct ts_str line, struct ts_arena *arena, struct ts_device_log_head *out,
                                        struct ts_error *error);
/* A first line without the byte order mark that a file may begin with, and that stands inside where files were joined. */
struct ts_str ts_device_log_unmarked(struct ts_str line);
/* Whether a line names the columns: one of its fields is PCIe slot. */
bool ts_device_log_is_header(struct ts_str line);

/* The columns that are read. */
enum ts_log_column {
    TS_LOG_SLOT,
    TS_LOG_X,
    TS_LOG_Y,
    TS_LOG_RISC,
    TS_LOG_TIME,
    TS_LOG_RUN,
    TS_LOG_ZONE,
    TS_LOG_TYPE, /* type, else zone phase; absent in logs that do not tell starts from ends */
    TS_LOG_COLUMN_COUNT
};
/* With what lines are read; rows are the same with any. */
enum ts_log_vectors {
    TS_LOG_VECTORS_BEST,  /* that this processor has */
    TS_LOG_VECTORS_SHORT, /* of 16 bytes, where it has such */
    TS_LOG_VECTORS_NONE,  /* as other processors run */
};

#define TS_LOG_NOWHERE UINT32_MAX
struct ts_device_log_layout {
    uint32_t at[TS_LOG_COLUMN_COUNT]; /* TS_LOG_NOWHERE: the header lacks it */
    bool has_timer;                   /* timer_id, which must be there though it is not read */
    bool phase;                       /* TYPE is zone phase: begin and end */
    struct ts_str lines[2];           /* the log's first lines as they stand; the second ptr NULL when there was one */
};
/* Find the columns in a header. lines is left alone. */
void ts_device_log_layout_parse(struct ts_str header, struct ts_device_log_layout *out);
/* Append the names of needed columns that lack, ", " between; false when none does. */
bool ts_device_log_missing(const struct ts_device_log_layout *layout, struct ts_buf *out);

#endif
