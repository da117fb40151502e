/* A device log in pieces of whole lines, for several threads to read: ranges of a plain file, each read on its own, or
 * stretches of a stream. Which lines are in which piece depends on the size of pieces alone, and what the rows say not even
 * on that. */
#ifndef TS_FORMATS_DEVICE_LOG_SOURCE_H
#define TS_FORMATS_DEVICE_LOG_SOURCE_H

#include "formats/device_log.h"

struct ts_log_source;

struct ts_log_first_lines {
    struct ts_str metadata; /* line 1; ptr NULL when that is the header, or when there is none */
    struct ts_str header;   /* the first line behind it that is not blank; ptr NULL: none */
};

/* Open the log and read its first lines. block: bytes of a piece, about; 0: what is fast. Errors: those of ts_file_open,
 * ts_reader_open and ts_reader_read, TS_INPUT (compressed without saying so, UTF-16), TS_LIMIT (a first line too long),
 * TS_CHANGED. */
enum ts_status ts_log_source_open(struct ts_context *context, const char *path, size_t block,
                                  struct ts_log_source **out, struct ts_error *error);
/* The same over bytes in memory (tests, fuzzing), as a stream. */
enum ts_status ts_log_source_open_memory(struct ts_context *context, struct ts_str bytes, size_t block,
                                         struct ts_log_source **out, struct ts_error *error);
void ts_log_source_close(struct ts_log_source *source);
/* Borrowed from the source, as written. */
const struct ts_log_first_lines *ts_log_source_first_lines(const struct ts_log_source *source);
const char *ts_log_source_path(const struct ts_log_source *source);
const struct ts_identity *ts_log_source_identity(const struct ts_log_source *source);

/* Room for one piece, of whoever reads it. */
struct ts_log_piece {
    uint64_t index; /* pieces number from 0 in file order */
    char *bytes;    /* whole lines; the last may be cut behind more than TS_LIMIT_LOG_LINE bytes */
    size_t len;     /* TS_LOG_PAD bytes follow */
    char *room;
    size_t capacity;
};
void ts_log_piece_free(struct ts_log_piece *piece);
/* Read the next piece: true in *more, or false behind the last one. Any number of threads may call it at the same time;
 * each index is given once, in order. A piece may be empty. Errors: TS_IO, TS_INPUT, TS_CHANGED (the file has become
 * shorter), TS_CANCELLED, TS_LIMIT, TS_NO_MEMORY. */
enum ts_status ts_log_source_next(struct ts_log_source *source, struct ts_log_piece *piece, bool *more,
                                  struct ts_error *error);

/* Report how far reading has come. Only the thread that opened the source may. */
enum ts_status ts_log_source_progress(struct ts_log_source *source, struct ts_error *error);
/* Behind the last piece: TS_OK when the file is still what it was, else TS_CHANGED. */
enum ts_status ts_log_source_unchanged(struct ts_log_source *source, struct ts_error *error);
/* Behind the last piece: the offset of the first byte that is no UTF-8, in the decompressed log; UINT64_MAX: all is. */
uint64_t ts_log_source_bad_byte(const struct ts_log_source *source);
/* Behind the last piece: whether any line behind the header holds anything but blanks. */
bool ts_log_source_has_rows(const struct ts_log_source *source);

#endif
