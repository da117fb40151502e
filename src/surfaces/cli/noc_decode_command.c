/* tilesight noc-decode: NoC trace files from raw profiler buffers or a device log. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "surfaces/cli/command.h"
#include "surfaces/cli/environment.h"
#include "surfaces/cli/interrupt.h"
#include "surfaces/cli/terminal.h"
#include "transforms/noc_decode.h"
#include "transforms/noc_rewrite.h"

#define FOLDER_VARIABLE "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH"

enum { OUTPUT = 1, FORMAT, WIRE, TABLES, SITES, POSTED, REPAIR, ASSUME, QUIET, HELP };
static const struct ts_option known[] = {
    {"output", "DIR",
     "where the files go (or -o DIR), - for one array on standard output; else the folder that " FOLDER_VARIABLE
     " names",
     OUTPUT},
    {"format", "j4|j3|j1", "j4 (November 2025 on), j3 (September 2025) or j1 (March 2025); j4", FORMAT},
    {"wire", "W1|W2|W3|W4|W5",
     "the generation of the events: March, June or August 2025, January 2026, or later; else what the "
     "capture says, or what fits a log",
     WIRE},
    {"tables", "FILE",
     "for a log, which holds neither: operations' names and where cores stand, from the .tsraw of the same "
     "run or a description as JSON",
     TABLES},
    {"sites", "FILE", "for a near-raw capture: a linked kernel, with the table of its call sites (repeatable)", SITES},
    {"assume-unharvested", NULL, "place destinations as on a chip with all its rows, where there is no table", ASSUME},
    {"posted", NULL, "print posted of 16-byte packets as true or false, not as null", POSTED},
    {"repair", NULL, "balance zones that full buffers left open, for tt-npe", REPAIR},
    {"quiet", NULL, "say nothing about what is missing from the files", QUIET},
    {"help", NULL, "show this", HELP},
    {NULL, NULL, NULL, 0},
};

extern const struct ts_command ts_command_noc_decode;

struct request {
    struct ts_noc_decode_options options;
    bool quiet, help;
    bool trace;          /* the input is a trace file */
    const char *decodes; /* an option that says how to decode, and does nothing for a trace file; NULL: there is none */
    struct ts_buf found; /* the input's path, where a folder was given */
    TS_VEC(const char *) sites;
};

static enum ts_status read_format(const char *value, enum ts_noc_format *out, struct ts_error *error)
{
    static const char *const names[] = {[TS_NOC_J1] = "j1", [TS_NOC_J3] = "j3", [TS_NOC_J4] = "j4"};
    struct ts_quote quote;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value, names[i]) == 0) {
            *out = (enum ts_noc_format)i;
            return TS_OK;
        }
    return ts_error_set(error, TS_USAGE, "--format is j1, j3 or j4, not %s",
                        ts_error_quote(&quote, ts_str_from(value), TS_QUOTE_ARGUMENT));
}

static enum ts_status take_option(int id, const char *value, struct request *r, struct ts_error *error)
{
    struct ts_quote quote;
    switch (id) {
    case OUTPUT:
        r->options.folder = value;
        break;
    case FORMAT:
        return read_format(value, &r->options.format, error);
    case WIRE:
        r->options.has_wire = true;
        if (!ts_noc_wire_parse(ts_str_from(value), &r->options.wire))
            return ts_error_set(error, TS_USAGE, "--wire is one of W1 to W5, not %s",
                                ts_error_quote(&quote, ts_str_from(value), TS_QUOTE_ARGUMENT));
        break;
    case TABLES:
        r->options.tables = value;
        break;
    case SITES:
        if (!ts_vec_push(&r->sites, value))
            return ts_error_no_memory(error);
        r->options.sites = r->sites.items;
        r->options.site_count = r->sites.count;
        break;
    case POSTED:
        r->options.posted = true;
        break;
    case REPAIR:
        r->options.repair = true;
        break;
    case ASSUME:
        r->options.assume_unharvested = true;
        break;
    case QUIET:
        r->quiet = true;
        break;
    default:
        r->help = true;
    }
    return TS_OK;
}

/* The short form of --output stands by itself: "-o DIR", "-oDIR". */
static bool take_short(struct ts_options *words, struct request *r, struct ts_error *error, enum ts_status *status)
{
    if (words->only_positional || words->next >= words->argc || strncmp(words->argv[words->next], "-o", 2) != 0)
        return false;
    const char *value = words->argv[words->next++] + 2;
    if (*value == '\0') {
        if (words->next >= words->argc) {
            *status = ts_error_set(error, TS_USAGE, "-o needs a folder");
            return true;
        }
        value = words->argv[words->next++];
    }
    r->options.folder = value;
    return true;
}

/* Of a folder the log in it: tt-metal's .logs is as good as the file. Files are left as they are. */
static enum ts_status find_input(struct request *r, struct ts_error *error)
{
    struct stat is;
    struct ts_quote quote;
    if (stat(r->options.input, &is) != 0 || !S_ISDIR(is.st_mode))
        return TS_OK;
    ts_buf_printf(&r->found, "%s/profile_log_device.csv", r->options.input);
    if (r->found.failed)
        return ts_error_no_memory(error);
    if (stat(r->found.ptr, &is) != 0)
        return ts_error_set(error, TS_INPUT,
                            "%s: is a folder without a profile_log_device.csv; tt-metal writes that to "
                            "generated/profiler/.logs, or name a .tsraw or .json file",
                            ts_error_quote(&quote, ts_str_from(r->options.input), TS_QUOTE_FILE));
    r->options.input = r->found.ptr;
    return TS_OK;
}

static bool is_trace(const char *input)
{
    struct ts_str name = ts_str_from(input);
    return ts_str_ends_with(name, TS_STR(".json")) || ts_str_ends_with(name, TS_STR(".json.gz")) ||
           ts_str_ends_with(name, TS_STR(".json.zst"));
}

static enum ts_status read_words(int argc, char **argv, struct request *r, struct ts_error *error)
{
    struct ts_options words = {.argv = argv, .argc = argc};
    enum ts_status status = TS_OK;
    while (status == TS_OK) {
        const struct ts_option *option;
        const char *value;
        if (take_short(&words, r, error, &status))
            continue;
        enum ts_option_found found = ts_options_next(&words, known, &option, &value, error);
        if (found == TS_OPTION_END)
            break;
        if (found == TS_OPTION_WRONG)
            return TS_USAGE;
        if (found == TS_OPTION_FOUND && option->id != OUTPUT && option->id != QUIET && option->id != HELP)
            r->decodes = option->name;
        if (found == TS_OPTION_FOUND)
            status = take_option(option->id, value, r, error);
        else if (r->options.input)
            status = ts_error_set(error, TS_USAGE, "there is one INPUT at a time");
        else
            r->options.input = value;
    }
    if (status != TS_OK || r->help)
        return status;
    if (!r->options.input)
        return ts_error_set(error, TS_USAGE,
                            "say which INPUT to decode: a profile_log_device.csv, a .tsraw or a trace file");
    status = find_input(r, error);
    if (status != TS_OK)
        return status;
    r->options.scratch = getenv("TMPDIR");
    if (r->options.scratch && !*r->options.scratch)
        r->options.scratch = NULL;
    r->trace = is_trace(r->options.input);
    if (r->trace && r->decodes)
        return ts_error_set(error, TS_USAGE,
                            "--%s is for raw captures%s; a trace file is written again with the records it has, so "
                            "leave it out",
                            r->decodes, strcmp(r->decodes, "sites") == 0 ? "" : " and logs");
    if (r->trace && !r->options.folder)
        return TS_OK;
    if (!r->options.folder)
        r->options.folder = getenv(FOLDER_VARIABLE);
    if (!r->options.folder || !*r->options.folder)
        return ts_error_set(error, TS_USAGE,
                            "say where the files go: -o DIR, or " FOLDER_VARIABLE " in the environment");
    if (strcmp(r->options.folder, "-") == 0) {
        r->options.folder = NULL;
        r->options.stream = "/dev/stdout";
    }
    return TS_OK;
}

static void tell(const struct request *r, const struct ts_noc_decode_report *report)
{
    struct ts_buf text;
    struct ts_str lines, line;
    bool done = false;
    if (r->quiet)
        return;
    ts_buf_init(&text, 0);
    ts_noc_decode_describe(report, &text);
    lines = ts_buf_view(&text);
    while (!text.failed && ts_str_split(&lines, '\n', &line, &done))
        if (line.len)
            fprintf(stderr, "tilesight: %.*s\n", TS_STR_ARG(line));
    if (r->options.folder)
        fprintf(stderr, "%" PRIu64 " %s with %" PRIu64 " records in %s\n", report->files,
                report->files == 1 ? "file" : "files", report->records, ts_terminal_escape(&text, r->options.folder));
    ts_buf_free(&text);
}

/* Where a trace file is written again: under its own name in the folder. */
static char *trace_path(const struct request *r)
{
    const char *slash = strrchr(r->options.input, '/'), *name = slash ? slash + 1 : r->options.input;
    const char *end = strstr(name, ".json");
    struct ts_buf path;
    ts_buf_init(&path, 0);
    ts_buf_printf(&path, "%s/%.*s", r->options.folder, (int)(end + 5 - name), name);
    return path.ptr;
}

static enum ts_status rewrite(struct ts_context *context, const struct request *r, struct ts_error *error)
{
    struct ts_noc_summary summary;
    struct ts_buf text;
    char *path = r->options.folder ? trace_path(r) : NULL;
    ts_buf_init(&text, 0);
    if (r->options.folder && !path)
        return ts_error_no_memory(error);
    enum ts_status status = ts_noc_rewrite(context, r->options.input, r->options.folder,
                                           r->options.stream ? r->options.stream : path, &summary, error);
    ts_terminal_progress_done(context);
    if (status == TS_OK)
        ts_noc_summary_describe(&summary, &text);
    if (status == TS_OK)
        status = ts_buf_status(&text, error);
    /* Without files the summary is the answer. */
    if (status == TS_OK && !r->options.folder && !r->options.stream) {
        if (!ts_terminal_write(ts_buf_view(&text)))
            status = ts_error_set(error, TS_IO, "the summary was not written");
    } else if (status == TS_OK && !r->quiet) {
        fwrite(text.ptr, 1, text.len, stderr);
    }
    ts_noc_summary_free(&summary);
    ts_buf_free(&text);
    free(path);
    return status;
}

static int answer(int argc, char **argv, struct request *request)
{
    struct ts_noc_decode_report report;
    struct ts_context context;
    struct ts_error error;
    enum ts_status status = read_words(argc, argv, request, &error);
    if (status != TS_OK)
        return ts_terminal_fail(&error, "noc-decode");
    if (request->help)
        return ts_command_show_help(&ts_command_noc_decode);
    ts_context_init(&context);
    context.now_ns = ts_clock_ns;
    ts_terminal_progress(&context);
    ts_interrupt_cancels(&context);
    if (request->trace) {
        status = rewrite(&context, request, &error);
        return status == TS_OK ? 0 : ts_terminal_fail(&error, "noc-decode");
    }
    status = ts_noc_decode(&context, &request->options, &report, &error);
    ts_terminal_progress_done(&context);
    if (status == TS_OK)
        tell(request, &report);
    ts_noc_decode_report_free(&report);
    return status == TS_OK ? 0 : ts_terminal_fail(&error, "noc-decode");
}

static int run(int argc, char **argv)
{
    struct request request = {.options = {.format = TS_NOC_J4}};
    ts_buf_init(&request.found, 0);
    int exit_status = answer(argc, argv, &request);
    ts_vec_free(&request.sites);
    ts_buf_free(&request.found);
    return exit_status;
}

const struct ts_command ts_command_noc_decode = {
    .name = "noc-decode",
    .summary = "Turn raw profiler buffers or a device log into NoC trace files",
    .usage = "tilesight noc-decode INPUT -o DIR [OPTION...]",
    .about =
        "Turns the device log of a run, or raw profiler buffers, into NoC trace files as tt-metal writes them and\n"
        "tt-npe reads them: one for each program run on each device, named noc_trace_devD_OP_IDn.json.\n\n"
        "tilesight noc-decode generated/profiler/.logs/profile_log_device.csv -o traces\n\n"
        "INPUT is such a log or its folder, a .tsraw file, or a trace file (.json, of any age), which is summarised,\n"
        "and written again in today's layout where there is -o. A log holds NoC events when the run had\n"
        "TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 and a build with Tracy. It names no operations, and destinations whose\n"
        "place on the chip it does not tell are written without dx and dy: --tables or --assume-unharvested place "
        "them.\n"
        "What was lost, what could not be placed and why a result is empty is said on standard error. Files are put\n"
        "in place when they are whole; old ones of the same names are replaced.",
    .options = known,
    .output = "output",
    .paths = true,
    .run = run,
};
