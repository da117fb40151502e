/* tilesight perf-report: the performance report of operations CSVs, as tables, CSV or JSON. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/limits.h"
#include "models/capture_files.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/interrupt.h"
#include "surfaces/cli/perf_report_options.h"
#include "surfaces/cli/perf_report_text.h"
#include "surfaces/cli/terminal.h"
#include "transforms/perf_json.h"
#include "transforms/stacked_svg.h"

struct job {
    struct ts_context context;
    const struct ts_perf_report_request *request;
    struct ts_perf_selection *selection;
    struct ts_stacked *stacked; /* NULL: not wanted, or nothing to group */
    char **found;               /* by file: what a folder stands for, else NULL */
    struct ts_error error;
};

/* ---- making ---- */

/* A folder stands for the operations CSV in it, as in the questions. *file is then a path of our own, kept in *found. */
static enum ts_status find_csv(struct job *job, const char **file, char **found)
{
    char *resolved = NULL;
    enum ts_path_kind kind;
    struct ts_identity identity;
    struct ts_quote quote;
    enum ts_status status = ts_path_resolve(&job->context, *file, &resolved, &kind, &job->error);
    free(resolved);
    if (status != TS_OK || kind != TS_PATH_DIRECTORY)
        return status;
    status = ts_capture_files_csv(&job->context, *file, found, &identity, &job->error);
    if (status == TS_OK && !*found)
        return ts_error_set(&job->error, TS_INPUT, "%s: the folder holds no ops_perf_results*.csv; name the file",
                            ts_error_quote(&quote, ts_str_from(*file), TS_QUOTE_FILE));
    if (status == TS_OK)
        *file = *found;
    return status;
}

static enum ts_status find_csvs(struct job *job)
{
    size_t count = job->request->report.file_count;
    job->found = calloc(count, sizeof *job->found);
    if (!job->found)
        return ts_error_no_memory(&job->error);
    enum ts_status status = TS_OK;
    for (size_t i = 0; status == TS_OK && i < count; i++)
        status = find_csv(job, &job->request->files[i], &job->found[i]);
    return status;
}

static enum ts_status select_rows(struct job *job)
{
    const struct ts_perf_csv_options *report = &job->request->report;
    const struct ts_perf_selection_options options = {
        .files = report->files,
        .file_count = report->file_count,
        .range = report->range,
        .ignore_signposts = report->ignore_signposts,
        .print_signposts = report->print_signposts,
        .no_merge_devices = report->no_merge_devices,
        .tracing_mode = report->tracing_mode,
        .no_host_ops = report->no_host_ops,
        .ids = report->ids,
        .arch = report->arch,
        .active_experts = report->active_experts,
    };
    return ts_perf_selection_create(&job->context, &options, &job->selection, &job->error);
}

static enum ts_status stack_rows(struct job *job)
{
    const struct ts_perf_csv_options *report = &job->request->report;
    const struct ts_stacked_options options = {
        .by = report->group_by, .per_device = report->no_merge_devices, .no_host_ops = report->no_host_ops};
    if (report->no_summary || !job->selection->report)
        return TS_OK;
    return ts_stacked_create(&job->context, job->selection->report, &options, &job->stacked, &job->error);
}

static enum ts_status write_plot(struct job *job, const char *path)
{
    const struct ts_perf_csv_options *report = &job->request->report;
    const struct ts_stacked_svg_options options = {
        .by = report->group_by,
        .per_device = report->no_merge_devices,
        .classic_colors = job->request->classic_colors,
    };
    return ts_stacked_svg_write(&job->context, job->stacked, &options, path, &job->error);
}

/* Whatever goes to files: the row CSV, the stacked CSV and its plot. */
static enum ts_status write_files(struct job *job, struct ts_perf_csv_result *result)
{
    const struct ts_perf_csv_options *report = &job->request->report;
    if (!report->csv && !report->summary_base)
        return TS_OK;
    enum ts_status status = ts_perf_csv_write_report(&job->context, report, job->selection, result, &job->error);
    if (status == TS_OK && result->plot_path && job->stacked)
        status = write_plot(job, result->plot_path);
    return status;
}

/* ---- showing ---- */

/* What is reported: the files, and which rows of them. */
static void make_title(const struct job *job, struct ts_buf *out)
{
    const struct ts_perf_csv_options *report = &job->request->report;
    struct ts_quote quote;
    for (size_t i = 0; i < report->file_count; i++)
        ts_buf_printf(out, "%s%s", i ? ", " : "", report->files[i]);
    if (report->ignore_signposts || !job->selection->report)
        return;
    if (job->selection->after_signpost.len)
        ts_buf_printf(out, ", behind signpost %s",
                      ts_error_quote(&quote, job->selection->after_signpost, TS_QUOTE_FILE));
    if (report->range.start.len)
        ts_buf_printf(out, ", from signpost %s", ts_error_quote(&quote, report->range.start, TS_QUOTE_FILE));
    if (report->range.end.len)
        ts_buf_printf(out, ", to signpost %s", ts_error_quote(&quote, report->range.end, TS_QUOTE_FILE));
}

static enum ts_status show_text(struct job *job, const struct ts_op_folding *folding)
{
    const struct ts_perf_report_request *request = job->request;
    struct ts_buf title, text;
    ts_buf_init(&title, 0);
    ts_buf_init(&text, job->context.memory_limit);
    make_title(job, &title);
    const struct ts_perf_text_options options = {
        .color = ts_use_color(request->color),
        .width = ts_output_width(),
        .min_percentage = request->min_percentage,
        .no_advice = request->report.no_advice,
        .advice_codes = request->report.advice_codes,
        .devices = request->devices,
        .per_device = request->report.no_merge_devices,
        .top = request->top,
        .title = title.ptr ? title.ptr : "",
        .by = request->report.group_by,
    };
    enum ts_status status =
        ts_perf_text_write(&job->context, job->selection, folding, job->stacked, &options, &text, &job->error);
    ts_terminal_progress_done(&job->context);
    if (status == TS_OK && !ts_terminal_write(ts_buf_view(&text)))
        status = ts_error_set(&job->error, TS_IO, "the report was not written");
    ts_buf_free(&title);
    ts_buf_free(&text);
    return status;
}

static enum ts_status show_table(struct job *job)
{
    struct ts_op_folding *folding = NULL;
    enum ts_status status = TS_OK;
    if (job->request->fold_layers)
        status = ts_op_folding_create(&job->context, job->selection->report, job->request->report.no_merge_devices,
                                      &folding, &job->error);
    if (status == TS_OK)
        status = show_text(job, folding);
    ts_op_folding_destroy(folding);
    return status;
}

static enum ts_status show_json(struct job *job)
{
    const struct ts_perf_report_request *request = job->request;
    const struct ts_perf_json_options options = {
        .files = request->report.files,
        .file_count = request->report.file_count,
        .no_advice = request->report.no_advice,
        .raw_op_codes = request->report.raw_op_codes,
        .devices = request->devices,
        .by = request->report.group_by,
        .per_device = request->report.no_merge_devices,
        .top = request->top,
    };
    struct ts_writer *writer;
    enum ts_status status = ts_writer_create(&job->context, "/dev/stdout", &writer, &job->error);
    if (status != TS_OK)
        return status;
    status = ts_perf_json_write(&job->context, job->selection, job->stacked, &options, writer, &job->error);
    ts_terminal_progress_done(&job->context);
    if (status == TS_OK)
        return ts_writer_commit(writer, &job->error);
    ts_writer_abandon(writer);
    return status;
}

/* ---- messages ---- */

/* A bound is the first of its name, so the window by default begins at the first signpost that is called as the last. */
static void say_window(const struct ts_perf_selection *selection)
{
    if (!selection->after_signpost.len)
        return;
    const struct ts_signposts *signposts = &selection->source->signposts;
    const uint64_t *index = ts_map_find(&signposts->by_name, selection->after_signpost);
    bool repeats = index && signposts->items[*index].occurrences > 1;
    struct ts_quote quote;
    fprintf(stderr,
            "tilesight: reporting the rows behind %s, %s (row id %llu); --ignore-signposts takes the whole file\n",
            repeats ? "the first signpost with the last one's name" : "the last signpost",
            ts_error_quote(&quote, selection->after_signpost, TS_QUOTE_FILE),
            (unsigned long long)(repeats ? signposts->items[*index].first : selection->after_row) + 2);
}

/* A report beside the captures it was made of must not be read as one of them. */
static void warn_of_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    struct ts_str name = ts_str_from(slash ? slash + 1 : path);
    struct ts_quote quote;
    if (path && ts_str_starts_with(name, TS_STR("ops_perf_results")) && ts_str_ends_with(name, TS_STR(".csv")))
        fprintf(stderr,
                "tilesight: %s will be taken for an operations CSV when its folder is read; give it another name\n",
                ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE));
}

static void say_files(const struct job *job, const struct ts_perf_csv_result *result)
{
    const char *csv = job->request->report.csv;
    struct ts_quote quote;
    if (csv)
        fprintf(stderr, "tilesight: %u rows in %s\n", result->rows,
                ts_error_quote(&quote, ts_str_from(csv), TS_QUOTE_FILE));
    if (result->stacked_path)
        fprintf(stderr, "tilesight: %u groups in %s\n", result->groups,
                ts_error_quote(&quote, ts_str_from(result->stacked_path), TS_QUOTE_FILE));
    if (result->plot_path)
        fprintf(stderr, "tilesight: the groups drawn in %s\n",
                ts_error_quote(&quote, ts_str_from(result->plot_path), TS_QUOTE_FILE));
    if (result->stacked_left)
        fprintf(stderr, "tilesight: no groups to write; %s is of an earlier run and was left as it is\n",
                ts_error_quote(&quote, ts_str_from(result->stacked_left), TS_QUOTE_FILE));
    warn_of_name(csv);
    warn_of_name(result->stacked_path);
}

/* A window without device operations: what could be asked instead. */
static void list_signposts(const struct ts_perf_selection *selection)
{
    struct ts_quote quote;
    if (!selection->source) {
        ts_terminal_error("there is nothing to report: no row of data behind the header");
        return;
    }
    ts_terminal_error("the rows reported hold no device operation");
    const struct ts_signposts *signposts = &selection->source->signposts;
    for (uint32_t i = 0; i < signposts->count; i++)
        fprintf(stderr, "%s  %s (%u)\n", i ? "" : "signposts of the file, with how often each occurs:\n",
                ts_error_quote(&quote, signposts->items[i].name, TS_QUOTE_FILE), signposts->items[i].occurrences);
}

/* ---- the command ---- */

static enum ts_status report(struct job *job, struct ts_perf_csv_result *result)
{
    const struct ts_perf_csv_options *options = &job->request->report;
    enum ts_status status = find_csvs(job);
    if (status == TS_OK)
        status = select_rows(job);
    if (status == TS_OK)
        status = stack_rows(job);
    if (status != TS_OK)
        return status;
    say_window(job->selection);
    status = write_files(job, result);
    if (status != TS_OK)
        return status;
    if (options->csv) {
        ts_terminal_progress_done(&job->context);
        fwrite(result->notices.ptr, 1, result->notices.len, stderr);
    } else if (job->request->json) {
        status = show_json(job);
    } else if (job->selection->report) {
        status = show_table(job);
    }
    return status;
}

static int run(const struct ts_perf_report_request *request)
{
    struct job job = {.request = request};
    struct ts_perf_csv_result result = {.rows = 0};
    ts_context_init(&job.context);
    job.context.memory_limit = TS_DEFAULT_CALL_MEMORY;
    job.context.threads = request->threads ? request->threads : ts_cores();
    ts_interrupt_cancels(&job.context);
    ts_terminal_progress(&job.context);
    enum ts_status status = report(&job, &result);
    int exit_status = 0;
    if (status != TS_OK) {
        ts_terminal_progress_done(&job.context);
        exit_status = ts_terminal_fail(&job.error, "perf-report");
    } else {
        say_files(&job, &result);
        if (!job.selection->report || job.selection->report->device_ops == 0) {
            list_signposts(job.selection);
            exit_status = 1;
        }
    }
    ts_perf_csv_result_free(&result);
    ts_stacked_destroy(job.stacked);
    ts_perf_selection_destroy(job.selection);
    for (size_t i = 0; job.found && i < request->report.file_count; i++)
        free(job.found[i]);
    free(job.found);
    return exit_status;
}

extern const struct ts_command ts_command_perf_report;

static int command(int argc, char **argv)
{
    struct ts_error error;
    struct ts_perf_report_request request = {.files = calloc((size_t)argc + 1, sizeof *request.files)};
    if (!request.files) {
        ts_terminal_error("out of memory");
        return 1;
    }
    int exit_status;
    if (ts_perf_report_options_read(&request, argc, argv, &error))
        exit_status = ts_terminal_fail(&error, "perf-report");
    else
        exit_status = request.help ? ts_command_show_help(&ts_command_perf_report) : run(&request);
    free(request.files);
    return exit_status;
}

const struct ts_command ts_command_perf_report = {
    .name = "perf-report",
    .summary = "The performance report of operations CSVs: table, CSV, JSON, plot",
    .usage = "tilesight perf-report FILE... [OPTION...]",
    .about = "The performance report of operations CSVs: one row an operation, devices merged, with gaps,\n"
             "rooflines and advice, and the same rows summed by operation. Without a signpost option the rows\n"
             "behind the last signpost are reported, or the whole file where there is none.",
    .options = ts_perf_report_option_table,
    .paths = true,
    .run = command,
};
