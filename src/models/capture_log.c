#include "models/capture_log.h"

#include <inttypes.h>
#include <stdio.h>

#include "models/capture_files.h"

static void destroy_zones(struct ts_part *part)
{
    ts_device_zones_destroy((struct ts_device_zones *)part);
}

static void destroy_spans(struct ts_part *part)
{
    ts_core_spans_destroy((struct ts_core_spans *)part);
}

static const struct ts_part_type zones_type = {"device_zones", TS_PART_KEEP, destroy_zones};
/* The same zones, of whatever is on disk: looking at them binds the capture to nothing. */
static const struct ts_part_type zones_now_type = {"device_zones", TS_PART_REREAD, destroy_zones};
static const struct ts_part_type check_type = {"device_log_check", TS_PART_REREAD, destroy_zones};
static const struct ts_part_type spans_type = {"core_spans", TS_PART_KEEP, destroy_spans};

enum { SPANS_OPTIONS_MAX = 160 };

/* One reading of the log gives zones and spans; the part that was not asked for waits here until it can be kept too. */
struct reading {
    struct ts_capture *capture;
    struct ts_identity now;              /* of the log on disk; all 0: it is gone */
    const struct ts_perf_source *source; /* whose spans are wanted; NULL: nobody's */
    char spans_options[SPANS_OPTIONS_MAX];
    struct ts_device_zones *zones;
    struct ts_core_spans *spans;
};

typedef enum ts_status make_part(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error);

static enum ts_status acquire(struct ts_context *context, struct reading *reading, struct ts_pins *pins,
                              const struct ts_part_type *type, make_part *make, struct ts_part **out,
                              struct ts_error *error)
{
    const struct ts_part_request request = {
        .type = type,
        .options = type == &spans_type ? reading->spans_options : "",
        .pinned = reading->capture->log_read.inode ? &reading->capture->log_read : &reading->now,
        .now = reading->now,
        .path = reading->capture->device_log,
        .label = reading->capture->label,
        .make = make,
        .data = reading,
    };
    return ts_parts_acquire(context, reading->capture->parts, pins, &request, out, error);
}

/* ---- keeping what came along ---- */

static enum ts_status make_nothing(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    (void)context;
    (void)data;
    (void)out;
    return ts_error_set(error, TS_REFUSED, "not kept");
}

static enum ts_status hand_zones(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    struct reading *reading = data;
    (void)context;
    (void)error;
    *out = &reading->zones->part;
    reading->zones = NULL;
    return TS_OK;
}

static enum ts_status hand_spans(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    struct reading *reading = data;
    (void)context;
    (void)error;
    *out = &reading->spans->part;
    reading->spans = NULL;
    return TS_OK;
}

/* Put a part that came along among those kept, without this capture having answered from it. */
static void keep(struct ts_context *context, struct reading *reading, const struct ts_part_type *type, make_part *make)
{
    struct ts_pins pins = {.items = NULL};
    struct ts_part *part;
    (void)acquire(context, reading, &pins, type, make, &part, NULL);
    ts_pins_free(&pins, reading->capture->parts);
}

static bool is_kept(struct ts_context *context, struct reading *reading, const struct ts_part_type *type)
{
    struct ts_pins pins = {.items = NULL};
    struct ts_part *part;
    bool kept = acquire(context, reading, &pins, type, make_nothing, &part, NULL) == TS_OK;
    ts_pins_free(&pins, reading->capture->parts);
    return kept;
}

/* ---- reading ---- */

/* Read the log; zones and, where a source is set, spans are then in reading. */
static enum ts_status read_log(struct ts_context *context, struct reading *reading, struct ts_error *error)
{
    const struct ts_device_zones_options options = {.block = 0};
    enum ts_status status = TS_OK;
    if (reading->source)
        status = ts_core_spans_create(context, reading->source, &reading->spans, error);
    if (status == TS_OK)
        status = ts_device_zones_read(context, reading->capture->device_log, &options, reading->spans, &reading->zones,
                                      error);
    if (status != TS_OK) {
        ts_core_spans_destroy(reading->spans);
        reading->spans = NULL;
    }
    return status;
}

static enum ts_status make_zones(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    struct reading *reading = data;
    enum ts_status status = read_log(context, reading, error);
    if (status == TS_OK)
        status = hand_zones(context, reading, out, error);
    if (status == TS_OK && reading->spans && reading->spans->failed) {
        ts_core_spans_destroy(reading->spans);
        reading->spans = NULL;
    }
    return status;
}

static enum ts_status make_spans(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    struct reading *reading = data;
    enum ts_status status = read_log(context, reading, error);
    if (status != TS_OK)
        return status;
    if (!reading->spans->failed)
        return hand_spans(context, reading, out, error);
    status = ts_arena_error(&reading->spans->arena, error);
    ts_core_spans_destroy(reading->spans);
    reading->spans = NULL;
    return status;
}

static enum ts_status make_check(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    struct reading *reading = data;
    const struct ts_device_zones_options options = {.check_only = true};
    enum ts_status status =
        ts_device_zones_read(context, reading->capture->device_log, &options, NULL, &reading->zones, error);
    return status == TS_OK ? hand_zones(context, reading, out, error) : status;
}

/* ---- asking ---- */

static enum ts_status refuse_no_log(struct ts_context *context, const struct ts_capture *capture,
                                    struct ts_error *error)
{
    struct ts_error passed;
    struct ts_quote label, path;
    const char *name = ts_error_quote(&label, ts_str_from(capture->label), TS_QUOTE_ARGUMENT);
    if (!capture->performance_path)
        return ts_error_set(error, TS_REFUSED,
                            "%s: was loaded without performance_path; load it with the directory that holds its "
                            "profile_log_device.csv",
                            name);
    if (capture->csv_named)
        return ts_error_set(error, TS_REFUSED,
                            "%s: is an operations CSV alone; name the directory that holds it and its "
                            "profile_log_device.csv",
                            name);
    enum ts_status status =
        ts_capture_files_passed_over(context, capture->performance_path, "profile_log_device.csv", &passed, error);
    if (status != TS_OK)
        return status;
    return ts_error_set(error, TS_REFUSED,
                        "%s: %s holds no profile_log_device.csv; run with the device profiler on "
                        "(TT_METAL_DEVICE_PROFILER=1) to get one%s%s",
                        name, ts_error_quote(&path, ts_str_from(capture->performance_path), TS_QUOTE_FILE),
                        passed.code ? "; passed over was " : "", passed.message);
}

/* Spans belong to a log and to the CSV whose rows they are of. */
static void name_spans(struct reading *reading)
{
    const struct ts_identity *csv = &reading->capture->csv_identity;
    snprintf(reading->spans_options, sizeof reading->spans_options,
             "%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIx64, csv->device, csv->inode, csv->size,
             (uint64_t)csv->mtime_ns, (uint64_t)csv->ctime_ns, csv->path_hash);
}

/* Take the identity of the log as it is now; one that cannot be found any more is another one. */
static enum ts_status begin(struct ts_context *context, struct ts_capture *capture, struct reading *reading,
                            struct ts_error *error)
{
    bool found = false;
    *reading = (struct reading){.capture = capture};
    if (!capture->device_log)
        return refuse_no_log(context, capture, error);
    name_spans(reading);
    enum ts_status status = ts_file_identity(context, capture->device_log, &reading->now, &found, error);
    if (status == TS_OK && !found)
        reading->now = (struct ts_identity){.inode = 0};
    return status;
}

/* The same for an answer. A log that was there when the capture was loaded, and is gone before anything was read of it, is
 * no path that was wrong. */
static enum ts_status begin_answer(struct ts_context *context, struct ts_capture *capture, struct reading *reading,
                                   struct ts_error *error)
{
    struct ts_quote label, path;
    enum ts_status status = begin(context, capture, reading, error);
    if (status != TS_OK || reading->now.inode || capture->log_read.inode || !capture->log_identity.inode)
        return status;
    return ts_error_set(
        error, TS_CHANGED,
        "%s: the capture changed since it was loaded: %s is gone; open it again to read what is there now",
        ts_error_quote(&label, ts_str_from(capture->label), TS_QUOTE_ARGUMENT),
        ts_error_quote(&path, ts_str_from(capture->device_log), TS_QUOTE_FILE));
}

/* The report's source, when its spans can be collected and are not kept yet. The CSV must be the one that was loaded:
 * zones do not depend on it, and shall not be said to come from a changed capture. */
static enum ts_status find_source(struct ts_context *context, struct reading *reading, struct ts_error *error)
{
    struct ts_capture *capture = reading->capture;
    struct ts_identity csv;
    struct ts_perf_source *source;
    bool found;
    if (!capture->csv || capture->csv_problem.unusable || capture->csv_problem.rows_unreadable ||
        ts_file_identity(context, capture->csv, &csv, &found, NULL) != TS_OK || !found ||
        !ts_identity_equal(&csv, &capture->csv_identity) || is_kept(context, reading, &spans_type))
        return TS_OK;
    bool changed = capture->pins.changed;
    enum ts_status status = ts_capture_source(context, capture, &source, error);
    if (status == TS_OK)
        reading->source = source;
    capture->pins.changed = changed;
    return status == TS_CANCELLED || status == TS_NO_MEMORY ? status : TS_OK;
}

/* From now on the capture answers from the log that this part is of. One that gives no answer binds nobody: it may be that
 * it is only being written. */
static void bind_log(const struct reading *reading, const struct ts_part *part)
{
    struct ts_capture *capture = reading->capture;
    if (!capture->log_read.inode)
        capture->log_read = part->identity;
    if (!ts_identity_equal(&reading->now, &capture->log_identity))
        capture->pins.changed = true;
}

static enum ts_status check_columns(const struct ts_capture *capture, const struct ts_device_zones *zones,
                                    struct ts_error *error)
{
    struct ts_quote label, path, missing;
    const char *name = ts_error_quote(&label, ts_str_from(capture->label), TS_QUOTE_ARGUMENT);
    const char *log = ts_error_quote(&path, ts_str_from(capture->device_log), TS_QUOTE_FILE);
    if (!zones->has_header)
        return ts_error_set(error, TS_REFUSED,
                            "%s: %s has no header line; a device log names its columns on line 2. The capture may have "
                            "stopped before anything was read from the device",
                            name, log);
    if (zones->missing.len > 0)
        return ts_error_set(
            error, TS_REFUSED,
            "%s: %s lacks columns that are needed: %s; a very old tt-metal wrote it, or something saved "
            "it anew in another form: capture it again with a newer one",
            name, log, ts_error_quote(&missing, zones->missing, TS_QUOTE_FILE));
    return TS_OK;
}

enum ts_status ts_capture_zones(struct ts_context *context, struct ts_capture *capture,
                                const struct ts_device_zones **out, struct ts_error *error)
{
    struct reading reading;
    struct ts_part *part = NULL;
    enum ts_status status = begin_answer(context, capture, &reading, error);
    if (status == TS_OK && !is_kept(context, &reading, &zones_type))
        status = find_source(context, &reading, error);
    if (status == TS_OK)
        status = acquire(context, &reading, &capture->pins, &zones_type, make_zones, &part, error);
    if (status == TS_OK && reading.spans)
        keep(context, &reading, &spans_type, hand_spans);
    ts_core_spans_destroy(reading.spans);
    if (status == TS_OK)
        status = check_columns(capture, (const struct ts_device_zones *)part, error);
    if (status == TS_OK) {
        bind_log(&reading, part);
        *out = (const struct ts_device_zones *)part;
    }
    return status;
}

enum ts_status ts_capture_spans(struct ts_context *context, struct ts_capture *capture,
                                const struct ts_perf_report *report, const struct ts_core_spans **out,
                                struct ts_error *error)
{
    struct reading reading;
    struct ts_part *part = NULL;
    enum ts_status status = begin_answer(context, capture, &reading, error);
    reading.source = report->source;
    if (status == TS_OK)
        status = acquire(context, &reading, &capture->pins, &spans_type, make_spans, &part, error);
    if (status == TS_OK && reading.zones)
        keep(context, &reading, &zones_type, hand_zones);
    ts_device_zones_destroy(reading.zones);
    if (status == TS_OK) {
        *out = (const struct ts_core_spans *)part;
        if ((*out)->missing.len == 0 && (*out)->has_rows)
            bind_log(&reading, part);
    }
    return status;
}

enum ts_status ts_capture_log_check(struct ts_context *context, struct ts_capture *capture,
                                    const struct ts_device_zones **out, struct ts_error *error)
{
    struct reading reading;
    struct ts_part *part = NULL;
    *out = NULL;
    if (!capture->device_log)
        return TS_OK;
    if (capture->log_problem.code != TS_OK) {
        if (error)
            *error = capture->log_problem;
        return capture->log_problem.code;
    }
    enum ts_status status = begin(context, capture, &reading, error);
    if (status != TS_OK || reading.now.inode == 0)
        return status;
    bool whole = is_kept(context, &reading, &zones_now_type);
    status = acquire(context, &reading, &capture->pins, whole ? &zones_now_type : &check_type,
                     whole ? make_zones : make_check, &part, &capture->log_problem);
    if (status == TS_OK)
        *out = (const struct ts_device_zones *)part;
    else if (error)
        *error = capture->log_problem;
    /* What was cancelled may be tried again. */
    capture->log_problem.code = status == TS_CANCELLED ? TS_OK : status;
    return status;
}
