#include "models/perf_selection.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"

enum { SUB_DEVICES_NAMED = 8 };

/* ---- files ---- */

static enum ts_status refuse_file(const char *path, const struct ts_ops_problem *problem, struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_INPUT, "%s: %s: %s", ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE),
                        problem->unusable ? "cannot be reported on" : "has rows that cannot be read", problem->message);
}

/* *out is NULL for a file that is good but has no data row: it adds nothing to a report. */
static enum ts_status read_file(struct ts_context *context, const char *path, struct ts_ops_csv **out,
                                struct ts_error *error)
{
    struct ts_ops_problem problem = {.unusable = false};
    struct ts_ops_csv *ops = NULL;
    enum ts_status status = ts_ops_csv_read(context, path, &ops, &problem, NULL, error);
    if (status != TS_OK)
        return status;
    if (!ops && !ts_str_starts_with(ts_str_from(problem.message), TS_STR("no data rows")))
        return refuse_file(path, &problem, error);
    *out = ops;
    return TS_OK;
}

/* How many devices a file was recorded on, as far as its ids tell; 0 when no id is usable. */
static uint32_t count_devices(const struct ts_ops_csv *ops)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < ops->rows; row++) {
        int32_t device = ts_ops_device(ops, row);
        if (device >= 0 && (uint32_t)device + 1 > count)
            count = (uint32_t)device + 1;
    }
    return count;
}

struct files {
    const struct ts_perf_selection_options *options;
    struct ts_perf_selection *selection;
    struct ts_ops_csv *ops; /* all files so far; NULL before the first with rows */
    uint32_t added;         /* files with rows */
    uint32_t devices;       /* of each file; 0 before the first that says */
    const char *devices_from;
};

static enum ts_status check_devices(struct files *files, const char *path, uint32_t count, struct ts_error *error)
{
    if (count == 0) {
        files->selection->files_without_devices++;
        return TS_OK;
    }
    if (files->devices == 0) {
        files->devices = count;
        files->devices_from = path;
    }
    if (count == files->devices)
        return TS_OK;
    struct ts_quote here, there;
    return ts_error_set(
        error, TS_INPUT,
        "%s: has %u devices (its largest DEVICE ID is %u), but %s has %u; files of one report must have as "
        "many devices each",
        ts_error_quote(&here, ts_str_from(path), TS_QUOTE_FILE), count, count - 1,
        ts_error_quote(&there, ts_str_from(files->devices_from), TS_QUOTE_FILE), files->devices);
}

static enum ts_status append(struct files *files, const char *path, const struct ts_ops_csv *ops,
                             struct ts_error *error)
{
    uint64_t offset = (uint64_t)files->added * files->devices;
    struct ts_quote quote;
    if (offset > INT32_MAX - (uint64_t)files->devices)
        return ts_error_set(error, TS_LIMIT, "%s: the device ids of so many files together exceed %d",
                            ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE), INT32_MAX);
    return ts_ops_csv_append(files->ops, ops, (uint32_t)offset, error);
}

static enum ts_status add_file(struct ts_context *context, struct files *files, const char *path,
                               struct ts_error *error)
{
    struct ts_ops_csv *ops = NULL;
    enum ts_status status = read_file(context, path, &ops, error);
    if (status != TS_OK || !ops)
        return status;
    if (files->options->file_count > 1)
        status = check_devices(files, path, count_devices(ops), error);
    if (status == TS_OK && !files->ops) {
        files->ops = ops;
        ops = NULL;
    } else if (status == TS_OK) {
        status = append(files, path, ops, error);
    }
    files->added++;
    ts_ops_csv_destroy(ops);
    return status;
}

/* ---- window ---- */

static bool is_named_signpost(const struct ts_ops_csv *ops, uint32_t row)
{
    return ts_str_is(ts_ops_text(ops, TS_OPS_OP_TYPE, row), "signpost") &&
           !ts_ops_cell_empty(ts_ops_text(ops, TS_OPS_OP_CODE, row));
}

/* By default a report is of what follows the last signpost by host start time; precisely what follows, in that order, the
 * first row that is called like it. That need not be a run of rows. */
static void choose_default_window(struct ts_perf_selection *selection)
{
    struct ts_perf_source *source = selection->source;
    const struct ts_ops_csv *ops = source->ops;
    if (source->signposts.count == 0)
        return;
    uint32_t last = ops->rows - 1;
    while (last > 0 && !is_named_signpost(ops, source->order ? source->order[last] : last))
        last--;
    selection->after_row = source->order ? source->order[last] : last;
    selection->after_signpost = ts_ops_text(ops, TS_OPS_OP_CODE, selection->after_row);
    for (uint32_t i = 0; i < ops->rows; i++) {
        uint32_t row = source->order ? source->order[i] : i;
        bool found = ts_str_equal(ts_ops_text(ops, TS_OPS_OP_CODE, row), selection->after_signpost);
        ts_perf_source_leave_out(source, row);
        if (found)
            break;
    }
}

static enum ts_status make_report(struct ts_context *context, const struct ts_perf_selection_options *options,
                                  struct ts_perf_selection *selection, struct ts_error *error)
{
    struct ts_perf_source *source = selection->source;
    selection->window = (struct ts_row_window){0, source->ops->rows, false};
    enum ts_status status = TS_OK;
    struct ts_quote label;
    if (!options->ignore_signposts && ts_signpost_range_given(&options->range))
        status = ts_signposts_window(&source->signposts, &options->range, source->ops->rows,
                                     ts_error_quote(&label, ts_str_from(options->files[0]), TS_QUOTE_FILE),
                                     &selection->window, error);
    else if (!options->ignore_signposts)
        choose_default_window(selection);
    if (status != TS_OK)
        return status;
    const struct ts_perf_report_options report_options = {
        .window = selection->window,
        .no_merge = options->no_merge_devices,
        .no_host_ops = options->no_host_ops,
        .drop_signposts = !options->ignore_signposts && !options->print_signposts,
        .tracing_mode = options->tracing_mode,
        .ids = options->ids,
    };
    return ts_perf_report_create(context, source, &report_options, &selection->report, error);
}

/* ---- making ---- */

static enum ts_status make_source(struct ts_context *context, struct files *files, struct ts_error *error)
{
    const struct ts_perf_selection_options *options = files->options;
    const struct ts_perf_source_options source_options = {
        .arch = options->arch,
        .active_experts = options->active_experts,
        .tracing_mode = options->tracing_mode,
    };
    struct ts_ops_csv *ops = files->ops;
    files->ops = NULL;
    struct ts_quote quote;
    enum ts_status status = ts_perf_source_create(context, ops, &source_options, &files->selection->source, error);
    if (status == TS_REFUSED)
        ts_error_prefix(error, "%s", ts_error_quote(&quote, ts_str_from(options->files[0]), TS_QUOTE_FILE));
    return status;
}

enum ts_status ts_perf_selection_create(struct ts_context *context, const struct ts_perf_selection_options *options,
                                        struct ts_perf_selection **out, struct ts_error *error)
{
    if (options->file_count == 0)
        return ts_error_set(error, TS_USAGE, "no operations CSV was named");
    struct ts_perf_selection *selection = calloc(1, sizeof *selection);
    if (!selection)
        return ts_error_no_memory(error);
    struct files files = {.options = options, .selection = selection};
    enum ts_status status = TS_OK;
    for (size_t i = 0; status == TS_OK && i < options->file_count; i++)
        status = add_file(context, &files, options->files[i], error);
    if (status == TS_OK && files.ops)
        status = make_source(context, &files, error);
    ts_ops_csv_destroy(files.ops);
    if (status == TS_OK && selection->source)
        status = make_report(context, options, selection, error);
    if (status != TS_OK) {
        ts_perf_selection_destroy(selection);
        return status;
    }
    *out = selection;
    return TS_OK;
}

void ts_perf_selection_destroy(struct ts_perf_selection *selection)
{
    if (!selection)
        return;
    ts_perf_report_destroy(selection->report);
    ts_perf_source_release(selection->source);
    free(selection);
}

/* ---- notices ---- */

/* "1 row has", "2 rows have". */
static void count_notice(struct ts_buf *out, uint64_t count, const char *one, const char *many, const char *rest)
{
    if (count > 0)
        ts_buf_printf(out, "%llu %s%s\n", (unsigned long long)count, count == 1 ? one : many, rest);
}

static void window_notices(const struct ts_perf_selection *selection, struct ts_buf *out)
{
    if (selection->window.ignored)
        ts_buf_text(out, "The file has no signposts, so the range does not apply: the whole file is reported.\n");
}

static void source_notices(const struct ts_perf_source *source, struct ts_buf *out)
{
    char rest[64];
    snprintf(rest, sizeof rest, "; %u cores are assumed there.", source->fallback_cores);
    if (source->several_arches)
        ts_buf_printf(out, "The file names several architectures (DEVICE ARCH); figures are measured against %s.\n",
                      source->arch->name);
    count_notice(out, source->budget_not_number, "cell of AVAILABLE WORKER CORE COUNT is no number",
                 "cells of AVAILABLE WORKER CORE COUNT are no numbers", rest);
    count_notice(out, source->budget_not_cores, "cell of AVAILABLE WORKER CORE COUNT is no core count",
                 "cells of AVAILABLE WORKER CORE COUNT are no core counts", rest);
    count_notice(out, source->unclassified_names, "operation name is in no category",
                 "operation names are in no category", " and counted as Other.");
}

static void merge_notices(const struct ts_perf_report *report, struct ts_buf *out)
{
    const struct ts_perf_source *source = report->source;
    uint32_t listed = report->notice_count < TS_MERGE_NOTICES_MAX ? report->notice_count : TS_MERGE_NOTICES_MAX;
    struct ts_quote quote;
    for (uint32_t i = 0; i < listed; i++) {
        const struct ts_merge_notice *notice = &report->notices[i];
        struct ts_str name = notice->first_row == UINT32_MAX
                                 ? TS_STR("an operation")
                                 : ts_ops_text(source->ops, TS_OPS_OP_CODE, notice->first_row);
        const char *shown = ts_error_quote(&quote, name, TS_QUOTE_ARGUMENT);
        if (notice->devices == 1 && notice->device >= 0)
            ts_buf_printf(out, "Device %d lacks", notice->device);
        else
            ts_buf_printf(out, "%u devices lack", notice->devices);
        ts_buf_printf(out, " %s (row id %llu) when its turn comes; do not trust it nor later rows of that name.\n",
                      shown, (unsigned long long)notice->first_row + 2);
    }
    count_notice(out, report->notice_count - listed, "more operation is", "more operations are",
                 " missing on some device.");
    count_notice(out, report->unusable_device_rows, "device operation has", "device operations have",
                 " no usable DEVICE ID and was merged with nothing.");
}

static void report_notices(const struct ts_perf_report *report, struct ts_buf *out)
{
    uint32_t sparse = 0;
    for (uint32_t row = 0; row < report->count; row++)
        sparse += ts_perf_row_facts(report, row)->sparse_unknown;
    count_notice(out, report->invalid_durations, "row has", "rows have",
                 " no usable device duration: no device time, no figures, no part in totals.");
    count_notice(out, sparse, "sparse matmul does not", "sparse matmuls do not",
                 " say how many of the batches are active and has no figures; see --active-experts.");
    merge_notices(report, out);
    if (report->distinct_sub_devices < 2)
        return;
    ts_buf_printf(out, "Operations ran on %u sub-devices (", report->distinct_sub_devices);
    struct ts_quote quote;
    for (uint32_t i = 0; i < report->distinct_sub_devices && i < SUB_DEVICES_NAMED; i++)
        ts_buf_printf(out, "%s%s", i > 0 ? ", " : "",
                      ts_error_quote(&quote, report->sub_devices[i], TS_QUOTE_ARGUMENT));
    ts_buf_printf(out, "%s) and may overlap, so device time, total percentages and gaps overstate elapsed time.\n",
                  report->distinct_sub_devices > SUB_DEVICES_NAMED ? ", ..." : "");
}

void ts_perf_selection_notices(const struct ts_perf_selection *selection, struct ts_buf *out)
{
    count_notice(out, selection->files_without_devices, "file has", "files have",
                 " no usable DEVICE ID and counts for no device.");
    if (!selection->source)
        return;
    window_notices(selection, out);
    source_notices(selection->source, out);
    report_notices(selection->report, out);
}

/* ---- roofline ---- */

bool ts_perf_selection_dram(const struct ts_perf_selection *selection, double *gb_per_s, double *percent)
{
    const struct ts_perf_report *report = selection->report;
    double time = 0, bytes = 0, weighted = 0;
    for (uint32_t row = 0; report && row < report->count; row++) {
        const struct ts_perf_row *figures = &report->rows[row];
        if (!ts_present(figures->device_time))
            continue;
        time += figures->device_time;
        if (!ts_present(figures->dram_percent))
            continue;
        bytes += ts_perf_row_facts(report, row)->dram_bytes;
        weighted += figures->dram_percent * figures->device_time;
    }
    if (!(time > 0) || !(bytes > 0))
        return false;
    *gb_per_s = bytes / (time * 1e-6) / 1e9;
    *percent = weighted / time;
    return true;
}
