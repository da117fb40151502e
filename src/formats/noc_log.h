/* The rows of a device log (profile_log_device.csv) that NoC traces are made of: zones and data packets. device_log.h reads
 * the same file for zones alone; here every row's data counts, and pieces of the file are read again. */
#ifndef TS_FORMATS_NOC_LOG_H
#define TS_FORMATS_NOC_LOG_H

#include "base/file.h"
#include "formats/noc_packets.h"

enum ts_noc_log_column {
    TS_NOC_LOG_OTHER,
    TS_NOC_LOG_SLOT,
    TS_NOC_LOG_X,
    TS_NOC_LOG_Y,
    TS_NOC_LOG_RISC,
    TS_NOC_LOG_ID,
    TS_NOC_LOG_TIME,
    TS_NOC_LOG_DATA,
    TS_NOC_LOG_RUN,
    TS_NOC_LOG_HOST,
    TS_NOC_LOG_TRACE,
    TS_NOC_LOG_TRACE_COUNT,
    TS_NOC_LOG_ZONE,
    TS_NOC_LOG_TYPE,
    TS_NOC_LOG_META,
    TS_NOC_LOG_COLUMNS,
};
enum { TS_NOC_LOG_MOST_COLUMNS = 64 };

struct ts_noc_log {
    struct ts_context *context;
    char *path;
    int fd;
    struct ts_identity identity;
    char arch[64];
    unsigned char columns[TS_NOC_LOG_MOST_COLUMNS]; /* enum ts_noc_log_column */
    unsigned column_count;
    bool quick;      /* the first columns are slot, x, y, RISC */
    bool quick_data; /* and then id, time, data */
    bool has_runs;   /* a column run ID: the log of spring 2025 */
    uint64_t begin;  /* of the first row */
};

/* Open a log and read its first lines. Errors: those of ts_file_open; TS_INPUT (compressed, no header, columns missing),
 * TS_IO, TS_NO_MEMORY. */
enum ts_status ts_noc_log_open(struct ts_context *context, const char *path, struct ts_noc_log **out,
                               struct ts_error *error);
void ts_noc_log_close(struct ts_noc_log *log);
/* TS_CHANGED when the file is no longer what it was. */
enum ts_status ts_noc_log_unchanged(const struct ts_noc_log *log, struct ts_error *error);

struct ts_noc_row {
    uint64_t begin, end; /* bytes of the file, newline included */
    uint64_t id, time, data, run, host, trace, trace_count;
    uint64_t slot;
    int64_t x, y;
    unsigned risc;
    unsigned type; /* TS_NOC_ZONE_START and so on; TS_NOC_DATA16 where the meta data column holds addresses */
    bool traced;
    bool same_core; /* as the row before */
    struct ts_str zone;
    struct ts_noc_trailer trailer;
};

enum { TS_NOC_ROWS_PREFIX = 80, TS_NOC_ROWS_LEAD = TS_NOC_ROWS_PREFIX + 8, TS_NOC_ROWS_TAIL = 64 };

/* Reads the rows of one range. */
struct ts_noc_rows {
    const struct ts_noc_log *log;
    char *buffer;
    size_t capacity, at, have;
    uint64_t offset; /* in the file, of the bytes behind those at hand */
    uint64_t end;
    uint64_t bad;                    /* rows that cannot be read; the header again is none */
    char prefix[TS_NOC_ROWS_PREFIX]; /* of the last row, up to the comma behind RISC */
    size_t prefix_len;
    uint64_t slot;
    int64_t x, y;
    unsigned risc;
    /* What stood before the time and behind the data of the last row, newline included, when that was a plain NoC event;
     * tail_len is 0 when it was not. */
    size_t lead_len, tail_len;
    char lead[TS_NOC_ROWS_LEAD], tail[TS_NOC_ROWS_TAIL];
};
/* A NoC event of 8 bytes. */
struct ts_noc_event {
    uint64_t time, data;
};
/* buffer is kept between ranges. Errors: TS_NO_MEMORY. */
enum ts_status ts_noc_rows_begin(struct ts_noc_rows *rows, const struct ts_noc_log *log, uint64_t begin, uint64_t end,
                                 struct ts_error *error);
/* The next good row; *found is false at the end. Texts point into the buffer until the next call. Errors: TS_IO, TS_LIMIT (a
 * line too long), TS_CANCELLED, TS_NO_MEMORY. */
enum ts_status ts_noc_rows_next(struct ts_noc_rows *rows, struct ts_noc_row *row, bool *found, struct ts_error *error);
/* The events that follow the row read last, of its core and program and without anything else between: at most `most` of those at
 * hand. *end is where the last of them ends in the file. 0 says nothing about what follows: ask ts_noc_rows_next. */
size_t ts_noc_rows_alike(struct ts_noc_rows *rows, struct ts_noc_event *events, size_t most, uint64_t *end);
void ts_noc_rows_free(struct ts_noc_rows *rows);

#endif
