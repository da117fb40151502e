/* tilesight clean-sim-trace: from a simulator dump to a pipeline one can read. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/environment.h"
#include "surfaces/cli/interrupt.h"
#include "surfaces/cli/terminal.h"
#include "transforms/clean_sim_trace.h"

enum {
    OUTPUT,
    KEEP_SCALAR,
    RAW_METRICS,
    COPY_RAW,
    NO_COPY_RAW,
    COMPAT,
    TOLERANCE,
    DROP_ISSUE_TIMES,
    INTRA_BLOCK,
    COPY_RUN_ONLY,
    THREADS,
    COLOR,
    NO_COLOR,
    HELP
};

static const struct ts_option known_options[] = {
    {"output-dir", "DIR", "write there (-o DIR), with a copy of the run in DIR/raw_simulator", OUTPUT},
    {"keep-scalar", NULL, "keep the SCALAR lane", KEEP_SCALAR},
    {"raw-metrics", NULL, "instr_metrics.json as the simulator wrote it", RAW_METRICS},
    {"copy-raw", NULL, "copy the run into DIR/raw_simulator (the default)", COPY_RAW},
    {"no-copy-raw", NULL, "no copy of the run", NO_COPY_RAW},
    {"copy-run-only", NULL, "copy only what belongs to the run, not its whole folder", COPY_RUN_ONLY},
    {"compat", NULL, "write the very bytes of PyPTO's clean_sim_trace", COMPAT},
    {"tolerance", NULL, "slices that overlap by less than a clock cycle may share a row", TOLERANCE},
    {"drop-issue-times", NULL, "leave out cache_time and ccu_time slices", DROP_ISSUE_TIMES},
    {"intra-block", NULL, "arrows between the cube and vector cores of one AI core", INTRA_BLOCK},
    {"threads", "N", "use at most N threads (default: the cores this process may use)", THREADS},
    {"color", NULL, "accepted; nothing here has colours", COLOR},
    {"no-color", NULL, "accepted; nothing here has colours", NO_COLOR},
    {"help", NULL, "show this", HELP},
    {NULL, NULL, NULL, 0},
};

struct request {
    const char *path;
    struct ts_clean_sim_options options;
    unsigned threads;
    bool help;
};

/* ---- the command line ---- */

static enum ts_status take_option(struct request *request, int id, const char *value, struct ts_error *error)
{
    struct ts_clean_sim_options *options = &request->options;
    switch (id) {
    case OUTPUT:
        options->output = value;
        break;
    case KEEP_SCALAR:
        options->pipeline.keep_scalar = true;
        break;
    case RAW_METRICS:
        options->raw_metrics = true;
        break;
    case COPY_RAW:
        options->no_copy = false;
        break;
    case NO_COPY_RAW:
        options->no_copy = true;
        break;
    case COPY_RUN_ONLY:
        options->copy_run_only = true;
        break;
    case COMPAT:
        options->pipeline.compat = true;
        break;
    case TOLERANCE:
        options->pipeline.tolerance = true;
        break;
    case DROP_ISSUE_TIMES:
        options->pipeline.drop_issue_times = true;
        break;
    case INTRA_BLOCK:
        options->pipeline.intra_block = true;
        break;
    case THREADS:
        return ts_options_number("threads", value, 1, 1024, &request->threads, error);
    case HELP:
        request->help = true;
        break;
    default:
        break;
    }
    return TS_OK;
}

static enum ts_status take_path(struct request *request, const char *path, struct ts_error *error)
{
    if (request->path)
        return ts_error_set(error, TS_USAGE, "two paths were given; one dump, or the folder of its run, was expected");
    request->path = path;
    return TS_OK;
}

static enum ts_status check_request(const struct request *request, struct ts_error *error)
{
    const struct ts_clean_sim_options *options = &request->options;
    if (!request->path)
        return ts_error_set(error, TS_USAGE, "no path was given; name a dump, or the folder of its run");
    /* To PyPTO's tool the empty folder is the current one. */
    if (!request->path[0] && !options->pipeline.compat)
        return ts_error_set(error, TS_USAGE,
                            "the path is empty (an unset variable?); name a dump, or the folder of its run");
    if (options->output && !options->output[0] && !options->pipeline.compat)
        return ts_error_set(error, TS_USAGE,
                            "--output-dir was given an empty name; name a folder (. is the current one)");
    if (options->no_copy && options->copy_run_only)
        return ts_error_set(error, TS_USAGE,
                            "--no-copy-raw and --copy-run-only contradict each other; give one of them");
    return TS_OK;
}

static enum ts_status read_words(struct request *request, int argc, char **argv, struct ts_error *error)
{
    struct ts_options words = {argv, argc, 0, false};
    for (enum ts_status status = TS_OK; !status && !request->help;) {
        const struct ts_option *option;
        const char *value;
        switch (ts_options_next(&words, known_options, &option, &value, error)) {
        case TS_OPTION_END:
            return check_request(request, error);
        case TS_OPTION_WRONG:
            return error->code;
        case TS_OPTION_POSITIONAL:
            status = take_path(request, value, error);
            break;
        case TS_OPTION_FOUND:
            status = take_option(request, option->id, value, error);
            break;
        }
        if (status)
            return status;
    }
    return TS_OK;
}

/* The option that this one abbreviates, when there is only one (--copy-raw is, though --copy-run-only begins alike). */
static const char *full_name(const char *word, size_t len)
{
    const char *found = NULL;
    for (const struct ts_option *option = known_options; option->name; option++) {
        if (strncmp(option->name, word, len) != 0)
            continue;
        if (option->name[len] == '\0')
            return option->name;
        if (found)
            return NULL;
        found = option->name;
    }
    return found;
}

/* The words with -o and abbreviations written out. Words that are made anew are kept in made (free each). False when memory
 * is out. */
static bool write_out(int argc, char **argv, char **words, char **made)
{
    bool only_paths = false, value = false;
    for (int i = 0; i < argc; i++) {
        words[i] = argv[i];
        const char *word = argv[i];
        if (only_paths || value || word[0] != '-') {
            value = false;
            continue;
        }
        only_paths = strcmp(word, "--") == 0;
        const char *name = NULL, *rest = "";
        if (strncmp(word, "-o", 2) == 0) {
            name = "output-dir";
            rest = word + 2;
        } else if (strncmp(word, "--", 2) == 0 && word[2]) {
            size_t len = strcspn(word + 2, "=");
            name = full_name(word + 2, len);
            rest = word + 2 + len + (word[2 + len] == '=');
        }
        if (!name)
            continue;
        bool glued = *rest || strchr(word, '=');
        value = !glued && (strcmp(name, "output-dir") == 0 || strcmp(name, "threads") == 0);
        if (asprintf(&made[i], glued ? "--%s=%s" : "--%s", name, rest) < 0) {
            made[i] = NULL;
            return false;
        }
        words[i] = made[i];
    }
    return true;
}

static enum ts_status read_command_line(struct request *request, int argc, char **argv, struct ts_error *error)
{
    char **words = calloc((size_t)argc + 1, sizeof *words), **made = calloc((size_t)argc + 1, sizeof *made);
    enum ts_status status = TS_OK;
    if (!words || !made || !write_out(argc, argv, words, made))
        status = ts_error_no_memory(error);
    else
        status = read_words(request, argc, words, error);
    /* What the request keeps of a word that was made must outlive it. */
    if (status == TS_OK && request->options.output) {
        char *output = strdup(request->options.output);
        if (!output)
            status = ts_error_no_memory(error);
        request->options.output = output;
    } else {
        request->options.output = NULL;
    }
    for (int i = 0; made && i < argc; i++)
        free(made[i]);
    free(words);
    free(made);
    return status;
}

extern const struct ts_command ts_command_clean_sim_trace;

/* ---- what is said ---- */

struct report {
    struct ts_context *context;
    bool compat;
};

static void say_escaped(const struct report *report, enum ts_clean_sim_note what, const char *text, uint64_t number)
{
    switch (what) {
    case TS_CLEAN_WROTE_TRACE:
    case TS_CLEAN_WROTE_METRICS:
        printf("wrote %s\n", text);
        break;
    case TS_CLEAN_SKIPPED_FLAGS:
        printf("note: %llu sync flag(s) could not be re-anchored and were skipped\n", (unsigned long long)number);
        break;
    case TS_CLEAN_COPIED:
        printf("copied raw binary trace into %s\n", text);
        break;
    case TS_CLEAN_NO_METRICS:
        fflush(stdout);
        fputs("warning: no API_INSTR block found; skipping instr_metrics.json\n", stderr);
        break;
    case TS_CLEAN_OLD_METRICS:
        fflush(stdout);
        fprintf(stderr, "warning: %s was left as an earlier run wrote it; it does not belong to this trace\n", text);
        break;
    case TS_CLEAN_KEPT_PAIR:
        fflush(stdout);
        fprintf(
            stderr,
            "warning: the trace was not written, since %s of an earlier run would then stand beside it; remove that "
            "file to have the trace alone\n",
            text);
        break;
    case TS_CLEAN_NOT_COPIED:
        /* PyPTO's tool says nothing. */
        if (!report->compat)
            printf("no copy of the run was made: %s is it\n", text);
        break;
    case TS_CLEAN_COPY_LACKS_DUMP:
        fflush(stdout);
        fprintf(stderr, "warning: the dump itself was not copied into %s\n", text);
        break;
    case TS_CLEAN_COPY_WARNING:
        fflush(stdout);
        fprintf(stderr, "warning: %s\n", text);
        break;
    }
}

/* Line by line as things are done, so that after a failure the files that are there were named. */
static void say(void *data, enum ts_clean_sim_note what, const char *text, uint64_t number)
{
    const struct report *report = data;
    struct ts_buf escaped;
    ts_buf_init(&escaped, 0);
    ts_terminal_progress_done(report->context);
    say_escaped(report, what, text ? ts_terminal_escape(&escaped, text) : NULL, number);
    ts_buf_free(&escaped);
}

static void add_name(struct ts_buf *out, struct ts_str name)
{
    struct ts_quote quote;
    ts_buf_text(out, ts_error_quote(&quote, name, TS_QUOTE_ARGUMENT));
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* "core0.veccore0  MTE2 5  VECTOR  MTE3 2": a lane with the number of its rows when there are several. */
static void describe_cores(struct ts_buf *out, const struct ts_clean_sim_result *result)
{
    enum { CORES_SHOWN = 12 };
    size_t shown = 0;
    for (size_t i = 0; i < result->lane_count;) {
        const struct ts_clean_sim_lane *first = &result->lanes[i];
        if (shown++ == CORES_SHOWN) {
            size_t more = result->core_count - CORES_SHOWN;
            ts_buf_printf(out, "  ... and %zu more core%s\n", more, plural(more));
            return;
        }
        ts_buf_text(out, "  ");
        add_name(out, first->core);
        ts_buf_char(out, ':');
        for (; i < result->lane_count && result->lanes[i].core.ptr == first->core.ptr; i++) {
            ts_buf_char(out, ' ');
            add_name(out, result->lanes[i].lane);
            if (result->lanes[i].rows > 1)
                ts_buf_printf(out, " x%u", result->lanes[i].rows);
        }
        ts_buf_char(out, '\n');
    }
}

static void describe_dropped(struct ts_buf *out, const struct ts_clean_sim_result *result)
{
    static const char *const reasons[TS_PIPELINE_DROPS] = {NULL,  "SCALAR", "CACHEMISS", "FLOWCTRL",
                                                           "ALL", "flags",  "BAR",       "issue times"};
    bool any = false;
    for (unsigned i = 0; i < TS_PIPELINE_DROPS; i++) {
        if (!reasons[i] || !result->counts.dropped[i])
            continue;
        ts_buf_printf(out, "%s%llu %s", any ? ", " : "; left out: ", (unsigned long long)result->counts.dropped[i],
                      reasons[i]);
        any = true;
    }
    ts_buf_char(out, '\n');
}

/* What viewers leave out without a word. */
static void describe_unseen(struct ts_buf *out, const struct ts_clean_sim_result *result)
{
    const struct ts_pipeline_counts *counts = &result->counts;
    if (result->backwards)
        ts_buf_printf(out, "note: %llu arrow(s) point backwards in time; viewers leave them out without a word\n",
                      (unsigned long long)result->backwards);
    if (counts->without_duration)
        ts_buf_printf(out, "note: %llu slice(s) have no duration; viewers leave them out\n",
                      (unsigned long long)counts->without_duration);
    if (counts->negative)
        ts_buf_printf(out, "note: %llu slice(s) have a duration below 0; viewers leave them out\n",
                      (unsigned long long)counts->negative);
    if (counts->of_no_length)
        ts_buf_printf(out, "note: %llu slice(s) have a duration of 0; viewers hardly show them\n",
                      (unsigned long long)counts->of_no_length);
}

static void describe(struct ts_buf *out, const struct ts_clean_sim_result *result)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < result->lane_count; i++)
        rows += result->lanes[i].rows;
    ts_buf_printf(out, "\n%zu core%s, %zu lane%s in %llu row%s%s\n", result->core_count, plural(result->core_count),
                  result->lane_count, plural(result->lane_count), (unsigned long long)rows, plural(rows),
                  rows > result->lane_count ? " (x3: three instructions of a lane were alive at once)" : "");
    describe_cores(out, result);
    ts_buf_printf(out, "slices: %llu kept", (unsigned long long)result->counts.kept);
    describe_dropped(out, result);
    ts_buf_printf(out,
                  "arrows: %llu drawn; skipped: %llu without a wait, %llu without an instruction to start or end at\n",
                  (unsigned long long)result->arrows, (unsigned long long)result->skipped_without_wait,
                  (unsigned long long)result->skipped_without_slice);
    describe_unseen(out, result);
    struct ts_quote quote;
    ts_buf_printf(out, "open %s at https://ui.perfetto.dev or in chrome://tracing\n",
                  ts_error_quote(&quote, ts_str_from(result->trace), TS_QUOTE_FILE));
}

static bool sum_up(const struct ts_clean_sim_result *result)
{
    struct ts_buf text;
    ts_buf_init(&text, 0);
    describe(&text, result);
    bool good = !text.failed && ts_terminal_write(ts_buf_view(&text));
    ts_buf_free(&text);
    return good;
}

/* ---- doing it ---- */

static int fail(const struct ts_error *error)
{
    struct ts_buf text;
    ts_buf_init(&text, 0);
    fflush(stdout);
    fprintf(stderr, "error: %s\n", ts_terminal_escape(&text, error->message));
    ts_buf_free(&text);
    return ts_terminal_exit_status(error->code);
}

static int clean(struct request *request)
{
    struct ts_context context;
    struct ts_clean_sim_result result;
    struct ts_error error;
    ts_context_init(&context);
    context.memory_limit = TS_DEFAULT_CALL_MEMORY;
    context.threads = request->threads ? request->threads : ts_cores();
    ts_terminal_progress(&context);
    ts_interrupt_cancels(&context);
    struct report report = {&context, request->options.pipeline.compat};
    enum ts_status status =
        ts_clean_sim_trace(&context, request->path, &request->options, say, &report, &result, &error);
    ts_terminal_progress_done(&context);
    if (status != TS_OK)
        return fail(&error);
    bool good = fflush(stdout) == 0;
    if (!good)
        fputs("error: cannot write to standard output; the files are written\n", stderr);
    else if (!request->options.pipeline.compat)
        good = sum_up(&result);
    ts_clean_sim_result_free(&result);
    return good ? 0 : 1;
}

static int run(int argc, char **argv)
{
    struct request request = {.path = NULL};
    struct ts_error error;
    enum ts_status status = read_command_line(&request, argc, argv, &error);
    int code = status != TS_OK ? ts_terminal_fail(&error, "clean-sim-trace")
               : request.help  ? ts_command_show_help(&ts_command_clean_sim_trace)
                               : clean(&request);
    free((char *)(uintptr_t)request.options.output);
    return code;
}

const struct ts_command ts_command_clean_sim_trace = {
    .name = "clean-sim-trace",
    .summary = "Make a readable pipeline trace from a simulator dump",
    .usage = "tilesight clean-sim-trace PATH [OPTION...]",
    .about = "Make a readable pipeline trace (trace.clean.json) and instruction metrics (instr_metrics.json)\n"
             "from a simulator dump. PATH is a visualize_data.bin, the OPPROF_* folder of a run, or a folder\n"
             "above one; the files are written beside the dump, or to DIR. Open the trace at\n"
             "https://ui.perfetto.dev or in chrome://tracing.",
    .options = known_options,
    .output = "output-dir",
    .paths = true,
    .run = run,
};
