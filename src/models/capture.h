/* A capture: where its files lie, and the parts of it that were read, each once and shared by all captures of a session. */
#ifndef TS_MODELS_CAPTURE_H
#define TS_MODELS_CAPTURE_H

#include "base/parts.h"
#include "formats/device_log.h"
#include "formats/profiler_db.h"
#include "models/cache_reuse.h"
#include "models/perf_report.h"

struct ts_capture {
    struct ts_parts *parts; /* of the session, borrowed */
    struct ts_pins pins;
    char *label;                       /* how messages and answers call it */
    char *profiler_label;              /* how messages call its profiler report */
    char *profiler_path;               /* resolved absolute directory, or NULL */
    char *performance_path;            /* the same */
    char *database;                    /* db.sqlite in profiler_path, or the file that was named; NULL: none */
    struct ts_db *db;                  /* the database while a call reads it; see ts_capture_database */
    struct ts_error db_problem;        /* why it cannot be opened, once that was tried in a call */
    char *csv;                         /* the operations CSV in use when opened; NULL: none */
    bool csv_named;                    /* the path named the file itself: other files beside it do not matter */
    bool log_named;                    /* the path named the device log itself: there is no CSV */
    struct ts_identity csv_identity;   /* pinned at opening */
    struct ts_ops_problem csv_problem; /* why it cannot be reported on, or its rows not be read */
    char *device_log;                  /* NULL: none */
    struct ts_identity log_identity;   /* as it was at opening; all 0: it could not be told */
    struct ts_identity log_read;       /* as it was first answered from; all 0: not yet */
    struct ts_error log_problem;       /* why it cannot be read, once that was tried in a call */
    bool program_columns;              /* its header has PROGRAM HASH and PROGRAM CACHE HIT; valid unless unusable */
    uint32_t signpost_count, device_count; /* valid when the rows can be read */
};

struct ts_capture_paths {
    const char *profiler;    /* directory or db.sqlite; NULL: none */
    const char *performance; /* directory, operations CSV or device log; NULL: none */
    bool directories_only;   /* a path that is not a directory is refused (over MCP) */
};
/* Find the files (newest operations CSV by change time; plain before .gz before .zst), read the CSV and its signposts, and
 * pin its identity. A directory with nothing useful opens fine. label is copied; NULL: the path given, of each report its
 * own. What was read stays borrowed until ts_capture_release. Errors: TS_USAGE (no path), TS_REFUSED (not a directory or
 * file; names the argument and the resolved path), TS_CHANGED (the CSV kept changing while it was read), TS_LIMIT, TS_IO,
 * TS_NO_MEMORY, TS_CANCELLED. */
enum ts_status ts_capture_create(struct ts_context *context, struct ts_parts *parts,
                                 const struct ts_capture_paths *paths, const char *label, struct ts_capture **out,
                                 struct ts_error *error);
void ts_capture_destroy(struct ts_capture *capture);
/* End of a call: borrowed parts may go. */
void ts_capture_release(struct ts_capture *capture);

/* The operations CSV made ready; borrowed for the call. Errors: TS_REFUSED (no performance path: says the capture was
 * loaded without performance_path; no CSV; cannot be reported on, with why; rows cannot be read, with why), TS_CHANGED. */
enum ts_status ts_capture_source(struct ts_context *context, struct ts_capture *capture, struct ts_perf_source **out,
                                 struct ts_error *error);
/* Rows of the whole report or of a window; borrowed for the call. window_out may be NULL. Errors: as above and those of
 * ts_signposts_window. A window asked of a report whose file has changed is TS_CHANGED unless it was answered before. */
enum ts_status ts_capture_report(struct ts_context *context, struct ts_capture *capture,
                                 const struct ts_signpost_range *range, const struct ts_perf_report **out,
                                 struct ts_row_window *window_out, struct ts_error *error);
/* Program reuse over the whole report; borrowed for the call. */
enum ts_status ts_capture_cache_reuse(struct ts_context *context, struct ts_capture *capture,
                                      const struct ts_cache_reuse **out, struct ts_error *error);
/* The profiler database, opened by the first that asks in a call and closed by ts_capture_release; all of a call reads one
 * state of it. Errors: TS_REFUSED (no profiler path: says the capture was loaded without profiler_path; no db.sqlite), those
 * of ts_db_open. */
enum ts_status ts_capture_database(struct ts_context *context, struct ts_capture *capture, struct ts_db **out,
                                   struct ts_error *error);
/* The state of the database, which there must be: of the one that is open, else of the file, and all zeros when that is gone.
 * Does not open it. Errors: those of ts_db_identity. */
enum ts_status ts_capture_database_identity(struct ts_context *context, struct ts_capture *capture,
                                            struct ts_identity *out, struct ts_error *error);
/* First line of the device log; *found false when there is none. Texts live in arena. */
enum ts_status ts_capture_device_log(struct ts_context *context, struct ts_capture *capture, struct ts_arena *arena,
                                     struct ts_device_log_head *out, bool *found, struct ts_error *error);
/* The device log that is answered from is not the one that was there at opening. */
static inline bool ts_capture_log_is_newer(const struct ts_capture *capture)
{
    return capture->log_read.inode && !ts_identity_equal(&capture->log_read, &capture->log_identity);
}
/* A part used in this call was read from a file that has changed on disk since. */
static inline bool ts_capture_changed(const struct ts_capture *capture)
{
    return capture->pins.changed;
}

#endif
