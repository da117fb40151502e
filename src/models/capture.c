#include "models/capture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "models/capture_files.h"

/* How often a CSV that changes while it is being opened is read anew. */
enum { OPEN_TRIES = 3 };

/* ---- the kept parts ---- */

static void destroy_source(struct ts_part *part)
{
    ts_perf_source_release((struct ts_perf_source *)part);
}

static void destroy_report(struct ts_part *part)
{
    ts_perf_report_destroy((struct ts_perf_report *)part);
}

static void destroy_cache_reuse(struct ts_part *part)
{
    ts_cache_reuse_destroy((struct ts_cache_reuse *)part);
}

/* Nothing but that a range was asked, of a file in which no range applies. */
static void destroy_asked(struct ts_part *part)
{
    free(part);
}

static const struct ts_part_type source_type = {"perf_source", TS_PART_REFUSE, destroy_source};
static const struct ts_part_type report_type = {"perf_report", TS_PART_REFUSE, destroy_report};
static const struct ts_part_type cache_reuse_type = {"cache_reuse", TS_PART_REFUSE, destroy_cache_reuse};
static const struct ts_part_type asked_type = {"asked_range", TS_PART_REFUSE, destroy_asked};

/* What making a part of a capture needs to know. */
struct making {
    struct ts_capture *capture;
    struct ts_identity now;                /* of the CSV on disk */
    const struct ts_signpost_range *range; /* of a report; NULL: the whole file */
};

static enum ts_status
acquire(struct ts_context *context, struct making *making, const struct ts_part_type *type, const char *options,
        enum ts_status (*make)(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error),
        struct ts_part **out, struct ts_error *error)
{
    struct ts_capture *capture = making->capture;
    const struct ts_part_request request = {
        .type = type,
        .options = options,
        .pinned = &capture->csv_identity,
        .now = making->now,
        .path = capture->csv,
        .label = capture->label,
        .make = make,
        .data = making,
    };
    return ts_parts_acquire(context, capture->parts, &capture->pins, &request, out, error);
}

static const char *csv_name(const struct ts_capture *capture)
{
    const char *slash = strrchr(capture->csv, '/');
    return slash ? slash + 1 : capture->csv;
}

static enum ts_status refuse_problem(const struct ts_capture *capture, struct ts_error *error)
{
    struct ts_quote label, name;
    return ts_error_set(error, TS_REFUSED, "%s: %s %s: %s",
                        ts_error_quote(&label, ts_str_from(capture->label), TS_QUOTE_ARGUMENT),
                        ts_error_quote(&name, ts_str_from(csv_name(capture)), TS_QUOTE_FILE),
                        capture->csv_problem.unusable ? "cannot be reported on" : "has rows that cannot be read",
                        capture->csv_problem.message);
}

/* ---- the operations CSV ---- */

/* Rows that are there but that nothing can be told of. */
static void note_unreadable_rows(struct ts_ops_problem *problem, const char *message)
{
    problem->rows_unreadable = true;
    size_t len = (size_t)snprintf(problem->message, sizeof problem->message, "%s", message);
    if (len >= sizeof problem->message)
        problem->message[ts_utf8_valid_prefix(ts_str_from(problem->message))] = '\0';
}

static enum ts_status no_memory_for(const char *path, struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_NO_MEMORY, "%s: out of memory while it was read",
                        ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE));
}

/* A file that cannot be reported on makes no part; why not is left in the capture's csv_problem. */
static enum ts_status make_source(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    struct making *making = data;
    struct ts_capture *capture = making->capture;
    struct ts_ops_csv *ops = NULL;
    struct ts_ops_problem problem = {.unusable = false};
    struct ts_identity identity;
    enum ts_status status = ts_ops_csv_read(context, capture->csv, &ops, &problem, &identity, error);
    if (status == TS_NO_MEMORY)
        return no_memory_for(capture->csv, error);
    if (status != TS_OK)
        return status;
    if (!ops) {
        capture->csv_problem = problem;
        return refuse_problem(capture, error);
    }
    const struct ts_perf_source_options options = {.arch = NULL};
    struct ts_perf_source *source;
    struct ts_error refusal;
    memcpy(problem.has, ops->has, sizeof problem.has);
    status = ts_perf_source_create(context, ops, &options, &source, &refusal);
    if (status == TS_REFUSED) {
        note_unreadable_rows(&problem, refusal.message);
        capture->csv_problem = problem;
        return refuse_problem(capture, error);
    }
    if (status == TS_NO_MEMORY)
        return no_memory_for(capture->csv, error);
    if (status != TS_OK) {
        if (error)
            *error = refusal;
        return status;
    }
    source->part.identity = identity;
    *out = &source->part;
    return TS_OK;
}

static enum ts_status acquire_source(struct ts_context *context, struct making *making, struct ts_perf_source **out,
                                     struct ts_error *error)
{
    struct ts_part *part;
    enum ts_status status = acquire(context, making, &source_type, "", make_source, &part, error);
    if (status == TS_OK)
        *out = (struct ts_perf_source *)part;
    return status;
}

/* ---- opening ---- */

static bool has_problem(const struct ts_capture *capture)
{
    return capture->csv_problem.unusable || capture->csv_problem.rows_unreadable;
}

/* The operations CSV that the path means now; *found false when there is none. */
static enum ts_status pick_csv(struct ts_context *context, const struct ts_capture *capture, char **path,
                               struct ts_identity *identity, struct ts_error *error)
{
    if (!capture->csv_named)
        return ts_capture_files_csv(context, capture->performance_path, path, identity, error);
    bool found;
    enum ts_status status = ts_file_identity(context, capture->csv, identity, &found, error);
    if (status != TS_OK)
        return status;
    *path = found ? strdup(capture->csv) : NULL;
    return found && !*path ? ts_error_no_memory(error) : TS_OK;
}

static void describe_csv(struct ts_capture *capture, const struct ts_perf_source *source)
{
    const bool *has = source ? source->ops->has : capture->csv_problem.has;
    capture->program_columns = has[TS_OPS_PROGRAM_HASH] && has[TS_OPS_PROGRAM_CACHE_HIT];
    if (source) {
        capture->signpost_count = source->signposts.count;
        capture->device_count = source->device_count;
    }
}

/* Read the CSV once, so that the capture belongs to it from now on. */
static enum ts_status open_csv(struct ts_context *context, struct ts_capture *capture, struct ts_error *error)
{
    enum ts_status status = TS_CHANGED;
    for (int tries = 0; status == TS_CHANGED && tries < OPEN_TRIES; tries++) {
        char *path = NULL;
        status = pick_csv(context, capture, &path, &capture->csv_identity, error);
        if (status != TS_OK)
            return status;
        free(capture->csv);
        capture->csv = path;
        if (!path)
            return TS_OK;
        struct making making = {.capture = capture, .now = capture->csv_identity};
        struct ts_perf_source *source = NULL;
        capture->csv_problem = (struct ts_ops_problem){.unusable = false};
        status = acquire_source(context, &making, &source, error);
        if (status == TS_OK || has_problem(capture)) {
            describe_csv(capture, source);
            return TS_OK;
        }
    }
    return status;
}

static enum ts_status refuse_path(struct ts_context *context, const char *argument, const char *path,
                                  const char *resolved, enum ts_path_kind kind, bool directories_only,
                                  struct ts_error *error)
{
    struct ts_quote quote;
    int fd;
    if (directories_only)
        return ts_error_set(error, TS_REFUSED, "%s: %s is not a directory; give the directory that holds the capture",
                            argument, ts_error_quote(&quote, ts_str_from(resolved), TS_QUOTE_FILE));
    /* Opening it says best what it is. */
    enum ts_status status = kind == TS_PATH_OTHER ? ts_file_open(context, path, &fd, NULL, error) : TS_OK;
    if (status == TS_OK && kind == TS_PATH_OTHER)
        close(fd);
    if (status == TS_OK)
        return ts_error_set(error, TS_REFUSED,
                            "%s: no such file or directory; give the directory that holds the capture",
                            ts_error_quote(&quote, ts_str_from(resolved), TS_QUOTE_FILE));
    if (status != TS_INPUT)
        return status;
    if (error)
        error->code = TS_REFUSED;
    return TS_REFUSED;
}

/* *directory becomes the directory of the path, and *file the file it names or NULL; both are malloc'ed. */
static enum ts_status resolve(struct ts_context *context, const struct ts_capture_paths *paths, const char *argument,
                              const char *path, char **directory, char **file, struct ts_error *error)
{
    char *resolved;
    enum ts_path_kind kind;
    if (!*path)
        return ts_error_set(error, TS_USAGE, "%s is empty; give the directory that holds the capture", argument);
    enum ts_status status = ts_path_resolve(context, path, &resolved, &kind, error);
    if (status != TS_OK)
        return status;
    if (kind == TS_PATH_DIRECTORY) {
        *directory = resolved;
        return TS_OK;
    }
    if (kind != TS_PATH_FILE || paths->directories_only) {
        status = refuse_path(context, argument, path, resolved, kind, paths->directories_only, error);
        free(resolved);
        return status;
    }
    *file = resolved;
    *directory = ts_capture_files_parent(resolved);
    return *directory ? TS_OK : ts_error_no_memory(error);
}

static enum ts_status open_profiler(struct ts_context *context, struct ts_capture *capture,
                                    const struct ts_capture_paths *paths, struct ts_error *error)
{
    enum ts_status status =
        resolve(context, paths, "profiler_path", paths->profiler, &capture->profiler_path, &capture->database, error);
    if (status != TS_OK || capture->database)
        return status;
    return ts_capture_files_named(context, capture->profiler_path, "db.sqlite", false, &capture->database, error);
}

/* What a performance path leads to; the CSV is not read yet. */
static enum ts_status find_performance(struct ts_context *context, struct ts_capture *capture,
                                       const struct ts_capture_paths *paths, struct ts_error *error)
{
    char *file = NULL;
    enum ts_status status =
        resolve(context, paths, "performance_path", paths->performance, &capture->performance_path, &file, error);
    if (status != TS_OK) {
        free(file);
        return status;
    }
    if (!file)
        return ts_capture_files_named(context, capture->performance_path, "profile_log_device.csv", true,
                                      &capture->device_log, error);
    status = ts_capture_files_is_device_log(context, file, &capture->log_named, error);
    capture->csv_named = status == TS_OK && !capture->log_named;
    *(capture->log_named ? &capture->device_log : &capture->csv) = file;
    return status;
}

/* Which device log there is. One that cannot be opened is no reason not to load the rest. */
static enum ts_status note_device_log(struct ts_context *context, struct ts_capture *capture, struct ts_error *error)
{
    bool found = false;
    struct ts_identity identity;
    if (!capture->device_log)
        return TS_OK;
    enum ts_status status = ts_file_identity(context, capture->device_log, &identity, &found, error);
    if (status == TS_OK && found)
        capture->log_identity = identity;
    return status == TS_NO_MEMORY || status == TS_CANCELLED ? status : TS_OK;
}

static enum ts_status open_parts(struct ts_context *context, struct ts_capture *capture,
                                 const struct ts_capture_paths *paths, const char *label, struct ts_error *error)
{
    if (!paths->performance && !paths->profiler)
        return ts_error_set(error, TS_USAGE, "no path was given; give profiler_path, performance_path or both");
    capture->label = strdup(label ? label : paths->performance ? paths->performance : paths->profiler);
    capture->profiler_label = strdup(label ? label : paths->profiler ? paths->profiler : paths->performance);
    if (!capture->label || !capture->profiler_label)
        return ts_error_no_memory(error);
    enum ts_status status = TS_OK;
    if (paths->profiler)
        status = open_profiler(context, capture, paths, error);
    if (status == TS_OK && paths->performance)
        status = find_performance(context, capture, paths, error);
    if (status == TS_OK && paths->performance && !capture->log_named)
        status = open_csv(context, capture, error);
    return status == TS_OK ? note_device_log(context, capture, error) : status;
}

enum ts_status ts_capture_create(struct ts_context *context, struct ts_parts *parts,
                                 const struct ts_capture_paths *paths, const char *label, struct ts_capture **out,
                                 struct ts_error *error)
{
    struct ts_capture *capture = calloc(1, sizeof *capture);
    if (!capture)
        return ts_error_no_memory(error);
    capture->parts = parts;
    enum ts_status status = open_parts(context, capture, paths, label, error);
    if (status != TS_OK) {
        ts_capture_destroy(capture);
        return status;
    }
    *out = capture;
    return TS_OK;
}

void ts_capture_destroy(struct ts_capture *capture)
{
    if (!capture)
        return;
    ts_db_close(capture->db);
    ts_pins_free(&capture->pins, capture->parts);
    free(capture->label);
    free(capture->profiler_label);
    free(capture->profiler_path);
    free(capture->performance_path);
    free(capture->database);
    free(capture->csv);
    free(capture->device_log);
    free(capture);
}

void ts_capture_release(struct ts_capture *capture)
{
    ts_db_close(capture->db);
    capture->db = NULL;
    capture->db_problem.code = TS_OK;
    capture->log_problem.code = TS_OK;
    ts_pins_release(&capture->pins, capture->parts);
}

/* ---- reading ---- */

/* Refuse for want of a file; where something of its name was passed over, with what that is. */
__attribute__((format(printf, 5, 6))) static enum ts_status refuse_lack(struct ts_context *context,
                                                                        const char *directory, const char *file,
                                                                        struct ts_error *error, const char *format, ...)
{
    struct ts_error passed;
    char text[TS_ERROR_MESSAGE_MAX];
    enum ts_status status = ts_capture_files_passed_over(context, directory, file, &passed, error);
    if (status != TS_OK)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ts_error_set(error, TS_REFUSED, "%s%s%s", text, passed.code ? "; passed over was " : "", passed.message);
}

/* Why this capture can answer nothing from an operations CSV, if so. */
static enum ts_status check_usable(struct ts_context *context, const struct ts_capture *capture, struct ts_error *error)
{
    struct ts_quote label, path;
    const char *name = ts_error_quote(&label, ts_str_from(capture->label), TS_QUOTE_ARGUMENT);
    if (!capture->performance_path)
        return ts_error_set(error, TS_REFUSED,
                            "%s: was loaded without performance_path; load it with the directory that holds its "
                            "ops_perf_results CSV",
                            name);
    if (capture->log_named)
        return ts_error_set(
            error, TS_REFUSED,
            "%s: is a device log alone; name the operations CSV (ops_perf_results*.csv), or the directory "
            "that holds both",
            name);
    if (!capture->csv)
        return refuse_lack(context, capture->performance_path, NULL, error,
                           "%s: %s holds no operations CSV (ops_perf_results.csv or ops_perf_results_*.csv)", name,
                           ts_error_quote(&path, ts_str_from(capture->performance_path), TS_QUOTE_FILE));
    return has_problem(capture) ? refuse_problem(capture, error) : TS_OK;
}

/* Check, and take the identity of the CSV that the path means now. One that cannot be found any more is another one. */
static enum ts_status begin(struct ts_context *context, struct ts_capture *capture, struct making *making,
                            struct ts_error *error)
{
    enum ts_status status = check_usable(context, capture, error);
    if (status != TS_OK)
        return status;
    char *path = NULL;
    *making = (struct making){.capture = capture};
    status = pick_csv(context, capture, &path, &making->now, error);
    free(path);
    if (status == TS_INPUT || status == TS_IO || status == TS_REFUSED) {
        making->now = (struct ts_identity){.inode = 0};
        status = TS_OK;
    }
    return status;
}

enum ts_status ts_capture_source(struct ts_context *context, struct ts_capture *capture, struct ts_perf_source **out,
                                 struct ts_error *error)
{
    struct making making;
    enum ts_status status = begin(context, capture, &making, error);
    return status == TS_OK ? acquire_source(context, &making, out, error) : status;
}

static enum ts_status make_report(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    struct making *making = data;
    struct ts_perf_source *source;
    struct ts_perf_report *report;
    struct ts_perf_report_options options = {.no_merge = false};
    enum ts_status status = acquire_source(context, making, &source, error);
    if (status == TS_OK && making->range)
        status = ts_signposts_window(&source->signposts, making->range, source->ops->rows, making->capture->label,
                                     &options.window, error);
    if (status == TS_OK)
        status = ts_perf_report_create(context, source, &options, &report, error);
    if (status != TS_OK)
        return status;
    report->part.identity = source->part.identity;
    *out = &report->part;
    return TS_OK;
}

static enum ts_status acquire_report(struct ts_context *context, struct making *making, const char *options,
                                     struct ts_perf_report **out, struct ts_error *error)
{
    struct ts_part *part;
    enum ts_status status = acquire(context, making, &report_type, options, make_report, &part, error);
    if (status == TS_OK)
        *out = (struct ts_perf_report *)part;
    return status;
}

/* A range as the options of a part: no two ranges share one, whatever bytes the names hold. */
static void encode_range(struct ts_buf *out, const struct ts_signpost_range *range)
{
    const struct ts_str names[] = {range->start, range->end};
    for (size_t i = 0; i < 2; i++) {
        for (size_t at = 0; at < names[i].len; at++) {
            char c = names[i].ptr[at];
            if (c == '\0' || c == '%' || c == '/')
                ts_buf_printf(out, "%%%02x", (unsigned)c);
            else
                ts_buf_char(out, c);
        }
        ts_buf_char(out, '/');
    }
}

/* The whole report, for a range that does not apply. */
static enum ts_status whole_report(struct ts_context *context, struct making *making, bool ignored,
                                   struct ts_perf_report **out, struct ts_row_window *window, struct ts_error *error)
{
    making->range = NULL;
    enum ts_status status = acquire_report(context, making, "", out, error);
    if (status == TS_OK)
        *window = (struct ts_row_window){0, (*out)->source->ops->rows, ignored};
    return status;
}

static enum ts_status make_asked(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    (void)context;
    const struct making *making = data;
    struct ts_part *part = calloc(1, sizeof *part);
    if (!part)
        return ts_error_no_memory(error);
    part->size = sizeof *part;
    part->identity = making->capture->csv_identity;
    *out = part;
    return TS_OK;
}

/* A range of a file without signposts is the whole report; like any range, one not asked before needs the file as it was. */
static enum ts_status inapplicable_range(struct ts_context *context, struct making *making, const char *options,
                                         struct ts_perf_report **out, struct ts_row_window *window,
                                         struct ts_error *error)
{
    struct ts_part *part;
    enum ts_status status = acquire(context, making, &asked_type, options, make_asked, &part, error);
    return status == TS_OK ? whole_report(context, making, true, out, window, error) : status;
}

static enum ts_status applicable_range(struct ts_context *context, struct making *making, const char *options,
                                       struct ts_perf_report **out, struct ts_row_window *window,
                                       struct ts_error *error)
{
    enum ts_status status = acquire_report(context, making, options, out, error);
    if (status != TS_OK)
        return status;
    /* From the report's own source: the session may have given up the part. */
    return ts_signposts_window(&(*out)->source->signposts, making->range, (*out)->source->ops->rows,
                               making->capture->label, window, error);
}

static enum ts_status range_report(struct ts_context *context, struct making *making,
                                   const struct ts_signpost_range *range, struct ts_perf_report **out,
                                   struct ts_row_window *window, struct ts_error *error)
{
    struct ts_buf options;
    ts_buf_init(&options, 0);
    encode_range(&options, range);
    enum ts_status status = ts_buf_status(&options, error);
    making->range = range;
    if (status == TS_OK && making->capture->signpost_count == 0)
        status = inapplicable_range(context, making, options.ptr, out, window, error);
    else if (status == TS_OK)
        status = applicable_range(context, making, options.ptr, out, window, error);
    ts_buf_free(&options);
    return status;
}

enum ts_status ts_capture_report(struct ts_context *context, struct ts_capture *capture,
                                 const struct ts_signpost_range *range, const struct ts_perf_report **out,
                                 struct ts_row_window *window_out, struct ts_error *error)
{
    struct making making;
    struct ts_perf_report *report;
    struct ts_row_window window;
    enum ts_status status = begin(context, capture, &making, error);
    if (status != TS_OK)
        return status;
    if (range && ts_signpost_range_given(range))
        status = range_report(context, &making, range, &report, &window, error);
    else
        status = whole_report(context, &making, false, &report, &window, error);
    if (status != TS_OK)
        return status;
    *out = report;
    if (window_out)
        *window_out = window;
    return TS_OK;
}

static enum ts_status make_cache_reuse(struct ts_context *context, void *data, struct ts_part **out,
                                       struct ts_error *error)
{
    struct making *making = data;
    struct ts_perf_report *report;
    struct ts_row_window window;
    struct ts_cache_reuse *model;
    enum ts_status status = whole_report(context, making, false, &report, &window, error);
    if (status == TS_OK)
        status = ts_cache_reuse_create(context, report, &model, error);
    if (status != TS_OK)
        return status;
    model->part.identity = report->part.identity;
    *out = &model->part;
    return TS_OK;
}

enum ts_status ts_capture_cache_reuse(struct ts_context *context, struct ts_capture *capture,
                                      const struct ts_cache_reuse **out, struct ts_error *error)
{
    struct making making;
    struct ts_part *part;
    enum ts_status status = begin(context, capture, &making, error);
    if (status != TS_OK)
        return status;
    status = acquire(context, &making, &cache_reuse_type, "", make_cache_reuse, &part, error);
    if (status == TS_CHANGED) {
        /* Where the whole report is still there, it is made from that; no file is read. */
        struct ts_perf_report *report;
        struct ts_row_window window;
        status = whole_report(context, &making, false, &report, &window, error);
        making.now = capture->csv_identity;
        if (status == TS_OK)
            status = acquire(context, &making, &cache_reuse_type, "", make_cache_reuse, &part, error);
    }
    if (status == TS_OK)
        *out = (const struct ts_cache_reuse *)part;
    return status;
}

enum ts_status ts_capture_device_log(struct ts_context *context, struct ts_capture *capture, struct ts_arena *arena,
                                     struct ts_device_log_head *out, bool *found, struct ts_error *error)
{
    bool there = false;
    struct ts_identity identity;
    enum ts_status status = TS_OK;
    if (capture->device_log)
        status = ts_file_identity(context, capture->device_log, &identity, &there, error);
    if (status == TS_OK && there)
        status = ts_device_log_head_read(context, capture->device_log, arena, out, error);
    if (status == TS_OK)
        *found = there;
    return status;
}

/* ---- the profiler database ---- */

enum ts_status ts_capture_database(struct ts_context *context, struct ts_capture *capture, struct ts_db **out,
                                   struct ts_error *error)
{
    struct ts_quote label, path;
    const char *name = ts_error_quote(&label, ts_str_from(capture->profiler_label), TS_QUOTE_ARGUMENT);
    if (!capture->profiler_path)
        return ts_error_set(error, TS_REFUSED,
                            "%s: was loaded without profiler_path; load it with the directory that holds its db.sqlite",
                            name);
    if (!capture->database)
        return refuse_lack(context, capture->profiler_path, "db.sqlite", error, "%s: no db.sqlite in %s", name,
                           ts_error_quote(&path, ts_str_from(capture->profiler_path), TS_QUOTE_FILE));
    if (!capture->db && !capture->db_problem.code)
        capture->db_problem.code = ts_db_open(context, capture->database, &capture->db, &capture->db_problem);
    if (!capture->db && error)
        *error = capture->db_problem;
    if (capture->db)
        *out = capture->db;
    return capture->db_problem.code;
}

enum ts_status ts_capture_database_identity(struct ts_context *context, struct ts_capture *capture,
                                            struct ts_identity *out, struct ts_error *error)
{
    if (capture->db) {
        *out = *ts_db_read_identity(capture->db);
        return TS_OK;
    }
    bool found = true;
    struct ts_identity now = {.inode = 0};
    enum ts_status status = ts_db_identity(context, capture->database, &now, &found, error);
    if (status == TS_OK)
        *out = found ? now : (struct ts_identity){.inode = 0};
    return status;
}
