#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "formats/cluster_descriptor.h"
#include "models/capture_log.h"
#include "models/cluster_files.h"
#include "models/profiler_check.h"
#include "questions/perf_common.h"
#include "questions/table.h"

enum { SIGNPOSTS_LISTED = 20 };

static void add_path(struct ts_answer *answer, const char *key, const char *path)
{
    if (path)
        ts_answer_text(answer, answer->root, key, ts_str_from(path));
    else
        ts_answer_null(answer, answer->root, key);
}

/* A failure that is no reason not to say the rest. */
static bool is_passed_over(enum ts_status status)
{
    return status != TS_OK && status != TS_CANCELLED && status != TS_NO_MEMORY;
}

/* Say under `key` why a file could not be read, unless nothing more can be said at all. */
static enum ts_status pass_over(struct ts_answer *answer, const char *key, enum ts_status status,
                                const struct ts_error *problem, struct ts_error *error)
{
    if (is_passed_over(status)) {
        ts_answer_text(answer, answer->root, key, ts_str_from(problem->message));
        return TS_OK;
    }
    if (status != TS_OK && error)
        *error = *problem;
    return status;
}

/* What the cluster descriptor beside the database names. */
static enum ts_status add_cluster(struct ts_context *context, const struct ts_capture *capture,
                                  struct ts_answer *answer, yyjson_mut_val *object, struct ts_error *error)
{
    struct ts_arena arena;
    struct ts_error problem;
    struct ts_str arch;
    char *path = NULL;
    bool found = false;
    if (!capture->profiler_path)
        return TS_OK;
    ts_arena_init(&arena, 0);
    enum ts_status status = ts_cluster_files_first(context, capture->profiler_path, &path, &problem);
    if (status == TS_OK && path)
        status = ts_cluster_descriptor_read(context, &arena, path, &arch, &found, &problem);
    if (status == TS_OK && found)
        ts_answer_text(answer, object, "cluster_descriptor", arch);
    ts_arena_free(&arena);
    free(path);
    return pass_over(answer, "cluster_descriptor_problem", status, &problem, error);
}

/* "capture" and "arch": the device log's first line, and the cluster descriptor. */
static enum ts_status add_device_log(struct ts_context *context, struct ts_capture *capture, struct ts_answer *answer,
                                     struct ts_error *error)
{
    struct ts_arena arena;
    struct ts_error problem;
    struct ts_device_log_head head;
    bool found = false;
    ts_arena_init(&arena, 0);
    enum ts_status status = ts_capture_device_log(context, capture, &arena, &head, &found, &problem);
    found = found && status == TS_OK;
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, "capture");
    for (size_t i = 0; found && i < head.pair_count; i++)
        ts_answer_text_at(answer, object, head.pairs[i].key, head.pairs[i].value);
    object = ts_answer_object(answer, answer->root, "arch");
    if (found && head.arch.ptr)
        ts_answer_text(answer, object, "device_log", head.arch);
    /* Where no question about the log can be answered, why is told there. */
    if (!is_passed_over(status) || !capture->log_problem.code)
        status = pass_over(answer, "device_log_problem", status, &problem, error);
    else
        status = TS_OK;
    if (status == TS_OK)
        status = add_cluster(context, capture, answer, object, error);
    ts_arena_free(&arena);
    return status;
}

/* The database's devices, of every rank. */
static enum ts_status add_profiler_devices(struct ts_context *context, struct ts_capture *capture,
                                           struct ts_answer *answer, yyjson_mut_val *object, struct ts_error *error)
{
    int64_t count;
    struct ts_error problem;
    bool found = false;
    if (!capture->database)
        return TS_OK;
    enum ts_status status = ts_profiler_count_devices(context, capture, &count, &found, &problem);
    if (status == TS_OK && found)
        ts_answer_integer(answer, object, "profiler", count);
    /* A database that cannot be opened is told of with the questions about it. */
    if (is_passed_over(status) && capture->db_problem.code)
        return TS_OK;
    return pass_over(answer, "profiler_problem", status, &problem, error);
}

static enum ts_status add_profiler_caveat(struct ts_context *context, struct ts_capture *capture,
                                          struct ts_answer *answer, struct ts_error *error)
{
    struct ts_profiler_check check = {.mixed = false};
    char text[320];
    if (!capture->database)
        return TS_OK;
    enum ts_status status = ts_profiler_check(context, capture, &check, error);
    if (status == TS_OK && check.mixed) {
        snprintf(
            text, sizeof text,
            "Two runs seem to share this database: %" PRIu64 " operation ids have several graphs or stack traces, and "
            "%" PRIu64 " with graphs or traces are no operation's. Figures of such ids mix the runs; record each run "
            "into a folder of its own.",
            check.repeated, check.unknown);
        ts_answer_name(answer, answer->root, "profiler_caveat", text);
    }
    return is_passed_over(status) ? TS_OK : status;
}

/* Questions that are about one capture and not about what it is. */
static bool is_listed(const struct ts_question *question)
{
    return !(question->needs & (TS_NEED_NOTHING | TS_NEED_TWO_CAPTURES));
}

/* Each question is tried once: what passes the next moment would be in neither list or in both. */
static void add_answerable(struct ts_context *context, struct ts_capture *capture, struct ts_answer *answer)
{
    yyjson_mut_val *answerable = ts_answer_list(answer, answer->root, "answerable");
    yyjson_mut_val *unanswerable = ts_answer_list(answer, answer->root, "unanswerable");
    yyjson_mut_val *reasons = NULL;
    struct ts_buf why;
    ts_buf_init(&why, 0);
    for (const struct ts_question *const *at = ts_questions; *at; at++) {
        ts_buf_clear(&why);
        if (!is_listed(*at))
            continue;
        if (ts_question_answerable(context, *at, capture, &why)) {
            ts_answer_push_string(answer, answerable, ts_str_from((*at)->name));
            continue;
        }
        if (why.failed)
            answer->failed = true;
        if (!reasons)
            reasons = ts_answer_object(answer, answer->root, "unanswerable_why");
        ts_answer_push_string(answer, unanswerable, ts_str_from((*at)->name));
        ts_answer_text(answer, reasons, (*at)->name, ts_buf_view(&why));
    }
    ts_buf_free(&why);
}

static void add_csv(const struct ts_capture *capture, struct ts_answer *answer)
{
    const char *slash = capture->csv ? strrchr(capture->csv, '/') : NULL;
    add_path(answer, "performance_csv", slash ? slash + 1 : capture->csv);
    bool unusable = capture->csv && capture->csv_problem.unusable;
    add_path(answer, "performance_csv_problem", unusable ? capture->csv_problem.message : NULL);
}

static void add_signposts(const struct ts_signposts *signposts, struct ts_answer *answer)
{
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "signposts");
    uint32_t listed = 0, too_long = 0;
    for (uint32_t i = 0; i < signposts->count; i++) {
        const struct ts_signpost *signpost = &signposts->items[i];
        if (ts_utf8_count(signpost->name) > TS_LIMIT_SIGNPOST) {
            too_long++;
        } else if (listed < SIGNPOSTS_LISTED) {
            yyjson_mut_val *object = ts_answer_push_object(answer, list);
            ts_answer_text(answer, object, "name", signpost->name);
            ts_answer_integer(answer, object, "occurrences", signpost->occurrences);
            listed++;
        }
    }
    ts_answer_integer(answer, answer->root, "signpost_count", signposts->count);
    if (too_long > 0)
        ts_answer_integer(answer, answer->root, "signposts_unlisted_too_long", too_long);
}

static enum ts_status answer_load_report(struct ts_context *context, const struct ts_args *args,
                                         struct ts_capture *capture, struct ts_capture *second,
                                         struct ts_answer *answer, struct ts_error *error)
{
    (void)args;
    (void)second;
    bool usable = capture->csv && !capture->csv_problem.unusable;
    bool readable = usable && !capture->csv_problem.rows_unreadable;
    struct ts_perf_source *source = NULL;
    const struct ts_device_zones *log;
    enum ts_status status = readable ? ts_capture_source(context, capture, &source, error) : TS_OK;
    /* The one pass over the log that may take long; whatever it finds wrong is told where the tools are listed. */
    if (status)
        return status;
    status = ts_capture_log_check(context, capture, &log, error);
    if (status && !is_passed_over(status))
        return status;
    add_path(answer, "profiler_path", capture->profiler_path);
    add_path(answer, "performance_path", capture->performance_path);
    status = add_device_log(context, capture, answer, error);
    if (status)
        return status;
    yyjson_mut_val *devices = ts_answer_object(answer, answer->root, "device_count");
    if (readable)
        ts_answer_integer(answer, devices, "performance_csv", capture->device_count);
    status = add_profiler_devices(context, capture, answer, devices, error);
    if (status)
        return status;
    if (capture->performance_path)
        ts_answer_name(answer, answer->root, "tt_perf_report_version", TS_PERF_REPORT_RULES);
    add_answerable(context, capture, answer);
    /* What a question cannot be answered for must be the database's fault. */
    if (capture->db_problem.code != TS_OK && !is_passed_over(capture->db_problem.code)) {
        if (error)
            *error = capture->db_problem;
        return capture->db_problem.code;
    }
    add_csv(capture, answer);
    if (readable)
        add_signposts(&source->signposts, answer);
    else if (usable)
        ts_answer_text(answer, answer->root, "signposts_problem", ts_str_from(capture->csv_problem.message));
    ts_answer_list(answer, answer->root, "data_present_without_tools");
    status = add_profiler_caveat(context, capture, answer, error);
    return status ? status : ts_context_check(context, error);
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    {.name = "profiler_path", .kind = TS_PARAM_PATH, .help = "directory with db.sqlite"},
    {.name = "performance_path",
     .kind = TS_PARAM_PATH,
     .help = "directory with ops_perf_results*.csv and profile_log_device.csv"},
    {.name = NULL},
};

static const struct ts_field arch_fields[] = {
    {.key = "device_log", .kind = TS_KIND_STRING, .sometimes = true, .help = "ARCH of the device log"},
    {.key = "cluster_descriptor",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "of rank 0's cluster_descriptor.yaml, as written"},
    {.key = NULL},
};

static const struct ts_field device_count_fields[] = {
    {.key = "performance_csv",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "devices that the performance CSV has rows of; answers merge them"},
    {.key = "profiler",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "of the profiler database, every rank's; a mesh has an id beside its chips'"},
    {.key = NULL},
};

static const struct ts_field signpost_fields[] = {
    {.key = "name",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .heading = "signpost",
     .help = "as a range takes it"},
    {.key = "occurrences",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_COLUMN,
     .help = "one name bounds both ends of a range when it occurs twice"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "profiler_path",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_ABOVE,
     .heading = "profiler report",
     .help = "the directory, links resolved"},
    {.key = "performance_path",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_ABOVE,
     .heading = "performance report",
     .help = "the directory, links resolved"},
    {.key = "capture",
     .kind = TS_KIND_MAP,
     .of = TS_KIND_STRING,
     .show = TS_SHOW_ABOVE,
     .heading = "device log",
     .help = "what the device log's first line says; {} without a log"},
    {.key = "arch",
     .kind = TS_KIND_OBJECT,
     .children = arch_fields,
     .show = TS_SHOW_ABOVE,
     .heading = "architecture",
     .help = "the architecture, by the file that names it"},
    {.key = "device_count",
     .kind = TS_KIND_OBJECT,
     .children = device_count_fields,
     .show = TS_SHOW_ABOVE,
     .heading = "devices",
     .help = "distinct devices, by the file that has them"},
    {.key = "tt_perf_report_version",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "the tt-perf-report release whose rules performance answers follow"},
    {.key = "answerable",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_STRING,
     .show = TS_SHOW_ABOVE,
     .help = "tools that can answer"},
    {.key = "unanswerable", .kind = TS_KIND_LIST, .of = TS_KIND_STRING, .help = "tools that cannot"},
    {.key = "unanswerable_why",
     .kind = TS_KIND_MAP,
     .of = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_ABOVE,
     .heading = "not answerable",
     .help = "for each tool that cannot answer, what this report lacks"},
    {.key = "performance_csv",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_ABOVE,
     .heading = "performance CSV",
     .help = "file name of the CSV in use"},
    {.key = "performance_csv_problem",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_ABOVE,
     .heading = "problem",
     .help = "why the CSV cannot be reported on"},
    {.key = "signposts",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .sometimes = true,
     .children = signpost_fields,
     .show = TS_SHOW_ROWS,
     .help = "names a range takes, at most 20; an end listed later than the start is a good range"},
    {.key = "signpost_count",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .show = TS_SHOW_ABOVE,
     .heading = "signposts",
     .help = "distinct names, listed or not"},
    {.key = "signposts_unlisted_too_long",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "names too long for a range: over 256 characters"},
    {.key = "device_log_problem",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_ABOVE,
     .heading = "problem",
     .help = "why the device log's first line cannot be read"},
    {.key = "cluster_descriptor_problem",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_ABOVE,
     .heading = "problem",
     .help = "why it cannot be read"},
    {.key = "profiler_problem",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_ABOVE,
     .heading = "problem",
     .help = "why its devices cannot be counted"},
    {.key = "signposts_problem",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_ABOVE,
     .heading = "problem",
     .help = "why the CSV's rows cannot be read"},
    {.key = "data_present_without_tools", .kind = TS_KIND_LIST, .of = TS_KIND_STRING, .help = "always []"},
    {.key = "profiler_caveat",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_BELOW,
     .heading = "caveat",
     .help = "when the database holds two runs"},
    {.key = "sandbox",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "what holds the server: on, no landlock, no seccomp, off"},
    {.key = NULL},
};

const struct ts_question ts_question_load_report = {
    .name = "load_report",
    .title = "Load a report",
    .summary = "What a capture holds and which questions it can answer",
    .description =
        "Open a report: answers its handle, the tools that apply and why others do not, its signposts and devices. "
        "Opens whatever directory the user can read; a server's --root confines that. Give at least one path. Load "
        "again after files changed.",
    .params = params,
    .needs = TS_NEED_NOTHING,
    .fields = fields,
    .link = TS_LINK_REPORT,
    .too_large = "the device log's first line is unusually long",
    .answer = answer_load_report,
};
