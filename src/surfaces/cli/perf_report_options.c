#include "surfaces/cli/perf_report_options.h"

#include "base/number.h"

#define DEFAULT_MIN_PERCENTAGE 0.5

enum {
    START,
    END,
    IGNORE_SIGNPOSTS,
    PRINT_SIGNPOSTS,
    MIN_PERCENTAGE,
    ID_RANGE,
    ARCH,
    COLOR,
    NO_COLOR,
    CSV,
    JSON,
    NO_ADVICE,
    ADVICE_CODES,
    TRACING,
    RAW_OP_CODES,
    NO_HOST_OPS,
    NO_SUMMARY,
    GROUP_BY,
    CLASSIC_COLORS,
    SUMMARY_FILE,
    STACKED_CSV,
    NO_STACK_BY_IN0,
    NO_MERGE,
    ACTIVE_EXPERTS,
    TOP,
    DEVICES,
    FOLD_LAYERS,
    THREADS,
    HELP
};

const struct ts_option ts_perf_report_option_table[] = {
    {"csv", "FILE", "write the rows to FILE as CSV, and the stacked report beside it", CSV},
    {"json", NULL, "the report as JSON instead of tables", JSON},
    {"top", "N", "show only the N rows with the largest share of the time", TOP},
    {"fold-layers", NULL, "show repeated layers once: \"24 x [34 operations]\"", FOLD_LAYERS},
    {"devices", NULL, "show each device's time behind a merged row", DEVICES},
    {"start-signpost", "NAME", "report the rows behind this signpost", START},
    {"end-signpost", "NAME", "report the rows before this signpost", END},
    {"ignore-signposts", NULL, "report the whole file, signpost rows kept", IGNORE_SIGNPOSTS},
    {"print-signposts", NULL, "keep signpost rows inside a window", PRINT_SIGNPOSTS},
    {"id-range", "A-B", "keep rows by id, inclusive: A-B, A- or -B", ID_RANGE},
    {"min-percentage", "F", "grey rows with a smaller share of the time (default: 0.5)", MIN_PERCENTAGE},
    {"arch", "NAME", "measure against this architecture instead of the file's", ARCH},
    {"active-experts", "K", "experts active a group, for sparse matmuls", ACTIVE_EXPERTS},
    {"no-advice", NULL, "no advice below the table, no Advice column in the CSV", NO_ADVICE},
    {"advice-codes", NULL, "advice as short stable codes instead of sentences", ADVICE_CODES},
    {"raw-op-codes", NULL, "a last column in the CSV with the op code as recorded", RAW_OP_CODES},
    {"tracing-mode", NULL, "keep file order instead of ordering by host start time", TRACING},
    {"no-host-ops", NULL, "leave host operations out", NO_HOST_OPS},
    {"no-merge-devices", NULL, "keep each device's rows", NO_MERGE},
    {"no-summary", NULL, "no stacked report", NO_SUMMARY},
    {"group-by", "op|memory|category", "groups of the stacked report; memory", GROUP_BY},
    {"summary-file", "BASE", "write the stacked report to BASE.csv and its plot to BASE.svg", SUMMARY_FILE},
    {"classic-colors", NULL, "a plain palette in the plot instead of one by category", CLASSIC_COLORS},
    {"color", NULL, "colours also where standard output is no terminal", COLOR},
    {"no-color", NULL, "no colours; wins over --color", NO_COLOR},
    {"threads", "N", "use at most N threads (default: the cores this process may use)", THREADS},
    {"help", NULL, "show this", HELP},
    /* Older names. */
    {"no-stacked-report", NULL, "older name of --no-summary", NO_SUMMARY},
    {"stacked-csv", "BASE", "older name of --summary-file, which wins", STACKED_CSV},
    {"no-stack-by-in0", NULL, "accepted and without effect, as in tt-perf-report", NO_STACK_BY_IN0},
    {NULL, NULL, NULL, 0},
};

struct words {
    struct ts_perf_report_request *request;
    const char *stacked_csv;
    bool color, no_color;
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
    if (range.last == 0)
        range.last = 1; /* no row has such an id, and 0 to 0 would stand for all */
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

static enum ts_status read_percentage(const char *value, double *out, struct ts_error *error)
{
    if (ts_number_parse(ts_str_from(value), out))
        return TS_OK;
    return ts_error_set(error, TS_USAGE, "--min-percentage takes a number, such as 0.5");
}

static enum ts_status take_value(struct words *words, int id, const char *value, struct ts_error *error)
{
    struct ts_perf_report_request *request = words->request;
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
        words->stacked_csv = value;
        return TS_OK;
    case ID_RANGE:
        return read_id_range(value, &report->ids, error);
    case ARCH:
        return read_arch(value, &report->arch, error);
    case GROUP_BY:
        return read_group_by(value, &report->group_by, error);
    case MIN_PERCENTAGE:
        return read_percentage(value, &request->min_percentage, error);
    case ACTIVE_EXPERTS:
        return ts_options_number("active-experts", value, 1, 1u << 20, &report->active_experts, error);
    case TOP:
        return ts_options_number("top", value, 1, UINT32_MAX, &request->top, error);
    case THREADS:
        return ts_options_number("threads", value, 1, 1024, &request->threads, error);
    default:
        return ts_error_set(error, TS_INTERNAL, "an option is not handled");
    }
}

static void take_flag(struct words *words, int id)
{
    struct ts_perf_report_request *request = words->request;
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
        [JSON] = &request->json,
        [DEVICES] = &request->devices,
        [FOLD_LAYERS] = &request->fold_layers,
        [CLASSIC_COLORS] = &request->classic_colors,
        [COLOR] = &words->color,
        [NO_COLOR] = &words->no_color,
        [HELP] = &request->help,
    };
    if (flags[id])
        *flags[id] = true;
}

static enum ts_status read_words(struct words *taken, int argc, char **argv, struct ts_error *error)
{
    struct ts_perf_report_request *request = taken->request;
    struct ts_options words = {argv, argc, 0, false};
    while (!request->help) {
        const struct ts_option *option;
        const char *value;
        switch (ts_options_next(&words, ts_perf_report_option_table, &option, &value, error)) {
        case TS_OPTION_END:
            return TS_OK;
        case TS_OPTION_WRONG:
            return error->code;
        case TS_OPTION_POSITIONAL:
            if (!*value)
                return ts_error_set(error, TS_USAGE, "a path is empty; name an operations CSV or its folder");
            request->files[request->report.file_count++] = value;
            break;
        case TS_OPTION_FOUND:
            if (!value)
                take_flag(taken, option->id);
            else if (!*value) /* an unset shell variable, most likely; it must not pass for an option not given */
                return ts_error_set(error, TS_USAGE, "--%s takes a value that is not empty", option->name);
            else if (take_value(taken, option->id, value, error))
                return error->code;
            break;
        }
    }
    return TS_OK;
}

static enum ts_status check(const struct ts_perf_report_request *request, struct ts_error *error)
{
    const struct ts_perf_csv_options *report = &request->report;
    if (report->file_count == 0)
        return ts_error_set(error, TS_USAGE, "perf-report reports on one operations CSV or several; none was named");
    if (report->no_summary && report->summary_base)
        return ts_error_set(error, TS_USAGE, "--no-summary and --summary-file contradict each other");
    if (report->ignore_signposts && ts_signpost_range_given(&report->range))
        return ts_error_set(
            error, TS_USAGE,
            "--ignore-signposts takes the whole file; it contradicts --start-signpost and --end-signpost");
    if (report->csv && request->json)
        return ts_error_set(error, TS_USAGE, "--csv and --json are two forms of the report; ask for one at a time");
    if (report->csv && (request->top || request->fold_layers || request->devices))
        return ts_error_set(error, TS_USAGE,
                            "--top, --fold-layers and --devices shape the table and the JSON; the CSV "
                            "has every row");
    if (request->fold_layers && (request->top || request->json))
        return ts_error_set(error, TS_USAGE,
                            "--fold-layers shows the rows of a table in their order; it goes neither "
                            "with --top nor with --json");
    return TS_OK;
}

enum ts_status ts_perf_report_options_read(struct ts_perf_report_request *request, int argc, char **argv,
                                           struct ts_error *error)
{
    struct words words = {.request = request};
    request->report =
        (struct ts_perf_csv_options){.files = request->files, .group_by = TS_STACKED_MEMORY, .plot = true};
    request->min_percentage = DEFAULT_MIN_PERCENTAGE;
    enum ts_status status = read_words(&words, argc, argv, error);
    if (status != TS_OK || request->help)
        return status;
    if (!request->report.summary_base)
        request->report.summary_base = words.stacked_csv;
    request->color = words.no_color ? TS_COLOR_NEVER : words.color ? TS_COLOR_ALWAYS : TS_COLOR_AUTO;
    return check(request, error);
}
