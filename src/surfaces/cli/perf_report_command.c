/* tilesight perf-report: the performance report of operations CSVs, written as CSV. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/number.h"
#include "surfaces/cli/commands.h"
#include "surfaces/cli/environment.h"
#include "surfaces/cli/interrupt.h"
#include "surfaces/cli/options.h"
#include "surfaces/cli/terminal.h"
#include "transforms/perf_csv.h"

enum {
    START,
    END,
    IGNORE_SIGNPOSTS,
    PRINT_SIGNPOSTS,
    ID_RANGE,
    ARCH,
    CSV,
    NO_ADVICE,
    ADVICE_CODES,
    TRACING,
    RAW_OP_CODES,
    NO_HOST_OPS,
    NO_SUMMARY,
    GROUP_BY,
    SUMMARY_FILE,
    STACKED_CSV,
    NO_STACK_BY_IN0,
    NO_MERGE,
    ACTIVE_EXPERTS,
    THREADS,
    HELP
};

static const struct ts_option known_options[] = {
    {"csv", "FILE", "write the rows to FILE, and the stacked report beside it", CSV},
    {"start-signpost", "NAME", "report the rows behind this signpost", START},
    {"end-signpost", "NAME", "report the rows before this signpost", END},
    {"ignore-signposts", NULL, "report the whole file, signpost rows kept", IGNORE_SIGNPOSTS},
    {"print-signposts", NULL, "keep signpost rows inside a window", PRINT_SIGNPOSTS},
    {"id-range", "A-B", "keep rows by id, inclusive: A-B, A- or -B", ID_RANGE},
    {"arch", "NAME", "measure against this architecture instead of the file's", ARCH},
    {"active-experts", "K", "experts active a group, for sparse matmuls", ACTIVE_EXPERTS},
    {"no-advice", NULL, "no Advice column", NO_ADVICE},
    {"advice-codes", NULL, "advice as short stable codes instead of sentences", ADVICE_CODES},
    {"raw-op-codes", NULL, "a last column with the op code as recorded", RAW_OP_CODES},
    {"tracing-mode", NULL, "keep file order instead of ordering by host start time", TRACING},
    {"no-host-ops", NULL, "leave host operations out", NO_HOST_OPS},
    {"no-merge-devices", NULL, "keep each device's rows", NO_MERGE},
    {"no-summary", NULL, "no stacked report", NO_SUMMARY},
    {"group-by", "WHAT", "groups of the stacked report: op, memory (default) or category", GROUP_BY},
    {"summary-file", "BASE", "write the stacked report to BASE.csv", SUMMARY_FILE},
    {"threads", "N", "use at most N threads (default: the cores this process may use)", THREADS},
    {"help", NULL, "show this", HELP},
    /* Older names. */
    {"no-stacked-report", NULL, "the same as --no-summary", NO_SUMMARY},
    {"stacked-csv", "BASE", "older name of --summary-file, which wins", STACKED_CSV},
    {"no-stack-by-in0", NULL, "accepted and without effect, as in tt-perf-report", NO_STACK_BY_IN0},
    {NULL, NULL, NULL, 0},
};

struct request {
    struct ts_perf_csv_options report;
    const char **files;
    const char *stacked_csv;
    unsigned threads;
    bool help;
};

/* One bound of an id range: digits with commas between them. */
static bool id_bound(struct ts_str text, uint64_t *out)
{
    char digits[24];
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == ',')
            continue;
        if (count == sizeof digits)
            return false;
        digits[count++] = text.ptr[i];
    }
    return ts_number_parse_u64((struct ts_str){digits, count}, out);
}

static enum ts_status read_id_range(const char *value, struct ts_id_range *out, struct ts_error *error)
{
    struct ts_str text = ts_str_trim(ts_str_from(value));
    size_t dash = ts_str_find(text, TS_STR("-"), 0);
    struct ts_id_range range = {0, UINT64_MAX};
    bool good = dash != (size_t)-1 && text.len > 1;
    if (good && dash > 0)
        good = id_bound(ts_str_sub(text, 0, dash), &range.first);
    if (good && dash + 1 < text.len)
        good = id_bound(ts_str_sub(text, dash + 1, text.len), &range.last);
    if (!good || range.first > range.last)
        return ts_error_set(error, TS_USAGE, "--id-range takes A-B, A- or -B with whole numbers, A not above B");
    *out = range;
    return TS_OK;
}

static enum ts_status read_arch(const char *value, const struct ts_arch **out, struct ts_error *error)
{
    *out = ts_arch_find(ts_str_from(value));
    if (*out)
        return TS_OK;
    struct ts_quote quote;
    return ts_error_set(error, TS_USAGE, "--arch %s is not known; known are %s",
                        ts_error_quote(&quote, ts_str_from(value), TS_QUOTE_ARGUMENT), ts_arch_names());
}

static enum ts_status read_group_by(const char *value, enum ts_stacked_by *out, struct ts_error *error)
{
    static const char *const names[] = {
        [TS_STACKED_OP] = "op", [TS_STACKED_CATEGORY] = "category", [TS_STACKED_MEMORY] = "memory"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            *out = (enum ts_stacked_by)i;
            return TS_OK;
        }
    }
    return ts_error_set(error, TS_USAGE, "--group-by is one of category, memory, op");
}

static enum ts_status take_value(struct request *request, int id, const char *value, struct ts_error *error)
{
    struct ts_perf_csv_options *report = &request->report;
    switch (id) {
    case START:
        report->range.start = ts_str_from(value);
        return TS_OK;
    case END:
        report->range.end = ts_str_from(value);
        return TS_OK;
    case CSV:
        report->csv = value;
        return TS_OK;
    case SUMMARY_FILE:
        report->summary_base = value;
        return TS_OK;
    case STACKED_CSV:
        request->stacked_csv = value;
        return TS_OK;
    case ID_RANGE:
        return read_id_range(value, &report->ids, error);
    case ARCH:
        return read_arch(value, &report->arch, error);
    case GROUP_BY:
        return read_group_by(value, &report->group_by, error);
    case ACTIVE_EXPERTS:
        return ts_options_number("active-experts", value, 1, 1u << 20, &report->active_experts, error);
    case THREADS:
        return ts_options_number("threads", value, 1, 1024, &request->threads, error);
    default:
        return ts_error_set(error, TS_INTERNAL, "an option is not handled");
    }
}

static void take_flag(struct request *request, int id)
{
    struct ts_perf_csv_options *report = &request->report;
    bool *const flags[HELP + 1] = {
        [IGNORE_SIGNPOSTS] = &report->ignore_signposts,
        [PRINT_SIGNPOSTS] = &report->print_signposts,
        [NO_ADVICE] = &report->no_advice,
        [ADVICE_CODES] = &report->advice_codes,
        [TRACING] = &report->tracing_mode,
        [RAW_OP_CODES] = &report->raw_op_codes,
        [NO_HOST_OPS] = &report->no_host_ops,
        [NO_MERGE] = &report->no_merge_devices,
        [NO_SUMMARY] = &report->no_summary,
        [HELP] = &request->help,
    };
    if (flags[id])
        *flags[id] = true;
}

static enum ts_status read_words(struct request *request, int argc, char **argv, struct ts_error *error)
{
    struct ts_options words = {argv, argc, 0, false};
    for (;;) {
        const struct ts_option *option;
        const char *value;
        switch (ts_options_next(&words, known_options, &option, &value, error)) {
        case TS_OPTION_END:
            if (!request->report.summary_base)
                request->report.summary_base = request->stacked_csv;
            return TS_OK;
        case TS_OPTION_WRONG:
            return error->code;
        case TS_OPTION_POSITIONAL:
            request->files[request->report.file_count++] = value;
            break;
        case TS_OPTION_FOUND:
            if (!value)
                take_flag(request, option->id);
            else if (take_value(request, option->id, value, error))
                return error->code;
            break;
        }
        if (request->help)
            return TS_OK;
    }
}

static enum ts_status check_words(const struct request *request, struct ts_error *error)
{
    if (request->report.file_count == 0)
        return ts_error_set(error, TS_USAGE, "perf-report reports on one operations CSV or several; none was named");
    if (!request->report.csv)
        return ts_error_set(error, TS_USAGE, "perf-report writes a CSV: say where with --csv FILE");
    return TS_OK;
}

static int show_help(void)
{
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text,
                "usage: tilesight perf-report FILE... --csv OUT [OPTION...]\n\n"
                "The performance report of operations CSVs: one row an operation, devices merged, with gaps,\n"
                "rooflines and advice, and the same rows summed by operation. Without a signpost option the rows\n"
                "behind the last signpost are reported, or the whole file where there is none.\n\n");
    ts_options_describe(known_options, &text);
    bool good = !text.failed && ts_terminal_write(ts_buf_view(&text));
    ts_buf_free(&text);
    return good ? 0 : 1;
}

/* A window without device operations: what could be asked instead. */
static void list_signposts(const struct ts_perf_csv_result *result)
{
    fputs("tilesight: the rows reported hold no device operation\n", stderr);
    struct ts_quote quote;
    for (uint32_t i = 0; i < result->signpost_count; i++)
        fprintf(stderr, "%s  %s (%u)\n", i ? "" : "signposts of the file, with how often each occurs:\n",
                ts_error_quote(&quote, result->signposts[i].name, TS_QUOTE_FILE), result->signposts[i].occurrences);
}

static int say_result(const struct ts_perf_csv_result *result, const struct ts_perf_csv_options *report)
{
    struct ts_quote quote;
    fwrite(result->notices.ptr, 1, result->notices.len, stderr);
    if (result->after_signpost.len)
        fprintf(stderr,
                "tilesight: reporting the rows behind the last signpost, %s; --ignore-signposts takes the whole file\n",
                ts_error_quote(&quote, result->after_signpost, TS_QUOTE_FILE));
    fprintf(stderr, "tilesight: %u rows in %s", result->rows,
            ts_error_quote(&quote, ts_str_from(report->csv), TS_QUOTE_FILE));
    if (result->stacked_path)
        fprintf(stderr, ", %u groups in %s", result->groups,
                ts_error_quote(&quote, ts_str_from(result->stacked_path), TS_QUOTE_FILE));
    fputc('\n', stderr);
    if (result->device_ops)
        return 0;
    list_signposts(result);
    return 1;
}

static int run(struct request *request)
{
    struct ts_error error;
    struct ts_context context;
    ts_context_init(&context);
    context.memory_limit = TS_DEFAULT_CALL_MEMORY;
    context.threads = request->threads ? request->threads : ts_cores();
    ts_interrupt_cancels(&context);
    ts_terminal_progress(&context);
    struct ts_perf_csv_result result = {.rows = 0};
    request->report.files = request->files;
    enum ts_status status = ts_perf_csv_write(&context, &request->report, &result, &error);
    ts_terminal_progress_done(&context);
    int exit_status = status ? ts_terminal_fail(&error, "perf-report") : say_result(&result, &request->report);
    ts_perf_csv_result_free(&result);
    return exit_status;
}

int ts_command_perf_report(int argc, char **argv)
{
    struct ts_error error;
    struct request request = {.report = {.group_by = TS_STACKED_MEMORY}};
    request.files = calloc((size_t)argc + 1, sizeof *request.files);
    if (!request.files) {
        ts_terminal_error("out of memory");
        return 1;
    }
    enum ts_status status = read_words(&request, argc, argv, &error);
    int exit_status;
    if (!status && request.help)
        exit_status = show_help();
    else if (status || (status = check_words(&request, &error)))
        exit_status = ts_terminal_fail(&error, "perf-report");
    else
        exit_status = run(&request);
    free(request.files);
    return exit_status;
}
