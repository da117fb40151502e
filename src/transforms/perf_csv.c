#include "transforms/perf_csv.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/write.h"
#include "models/advice.h"
#include "transforms/perf_csv_line.h"

enum { CHECK_EVERY_ROWS = 1024 };

/* ---- call counts ---- */

/* How the column is written depends on every cell of the file: whole numbers, else numbers, else text. */
enum call_counts { COUNTS_INTEGERS, COUNTS_DOUBLES, COUNTS_TEXTS };

static bool is_integer(struct ts_str cell)
{
    int64_t positive_or_not;
    uint64_t positive;
    return ts_number_parse_i64(cell, &positive_or_not) || ts_number_parse_u64(cell, &positive);
}

static enum call_counts judge_call_counts(const struct ts_perf_source *source)
{
    const struct ts_ops_csv *ops = source->ops;
    enum call_counts counts = source->any_call_count_missing ? COUNTS_DOUBLES : COUNTS_INTEGERS;
    for (uint32_t row = 0; row < ops->rows; row++) {
        struct ts_str cell = ts_ops_text(ops, TS_OPS_GLOBAL_CALL_COUNT, row);
        double number;
        if (is_integer(cell) || ts_ops_cell_empty(cell))
            continue;
        if (!ts_number_parse(cell, &number))
            return COUNTS_TEXTS;
        counts = COUNTS_DOUBLES;
    }
    return counts;
}

static void add_call_count(struct ts_perf_line *line, struct ts_str cell, enum call_counts counts)
{
    int64_t whole;
    uint64_t large;
    if (ts_ops_cell_empty(cell)) {
        ts_perf_line_word(line, "nan");
    } else if (counts == COUNTS_TEXTS) {
        ts_perf_line_text(line, cell);
    } else if (counts == COUNTS_DOUBLES) {
        ts_perf_line_double(line, ts_number_or_absent(cell));
    } else if (ts_number_parse_i64(cell, &whole)) {
        ts_perf_line_integer(line, whole);
    } else {
        ts_perf_line_next(line);
        if (ts_number_parse_u64(cell, &large))
            ts_buf_printf(&line->text, "%llu", (unsigned long long)large);
    }
}

/* ---- the row CSV ---- */

struct row_csv {
    const struct ts_perf_csv_options *options;
    const struct ts_perf_report *report;
    enum call_counts call_counts;
    struct ts_buf scratch;
    bool failed; /* memory was out for something in scratch */
    struct ts_perf_line line;
};

/* Scratch, empty; whether the text before it failed stays known. */
static struct ts_buf *fresh(struct row_csv *csv)
{
    csv->failed = csv->failed || csv->scratch.failed;
    ts_buf_clear(&csv->scratch);
    return &csv->scratch;
}

static void add_header(struct row_csv *csv)
{
    static const char columns[] =
        "ID,Total %,Bound,OP Code,Device,Device Time,Op-to-Op Gap,Cores,DRAM,DRAM %,FLOPs,FLOPs %,Math Fidelity,"
        "Output Datatype,Input 0 Datatype,Input 1 Datatype,DRAM Sharded,Input 0 Memory,Inner Dim Block Size,"
        "Output Subblock H,Output Subblock W,Global Call Count,Sub Device ID,Available Cores,Op Category,Bound "
        "Analysis";
    ts_perf_line_word(&csv->line, columns);
    if (!csv->options->no_advice)
        ts_perf_line_word(&csv->line, "Advice");
    if (csv->options->raw_op_codes)
        ts_perf_line_word(&csv->line, "Raw OP Code");
    ts_perf_line_end(&csv->line);
}

static void add_datatype(struct row_csv *csv, enum ts_ops_column column, uint32_t source)
{
    const struct ts_ops_csv *ops = csv->report->source->ops;
    struct ts_str cell = ts_ops_text(ops, column, source);
    if (!ops->has[column])
        ts_perf_line_blank(&csv->line);
    else if (ts_ops_cell_empty(cell))
        ts_perf_line_word(&csv->line, "nan");
    else
        ts_perf_line_text(&csv->line, cell);
}

static void add_sub_device(struct row_csv *csv, uint32_t source)
{
    char buffer[64];
    int64_t number;
    struct ts_str id = ts_perf_source_sub_device(csv->report->source, source, buffer);
    /* A number keeps its sign. */
    if (ts_number_parse_i64(id, &number))
        ts_perf_line_integer(&csv->line, number);
    else
        ts_perf_line_text(&csv->line, id);
}

static void add_math_fidelity(struct row_csv *csv, uint32_t row)
{
    ts_perf_row_math_fidelity(csv->report, row, fresh(csv));
    ts_perf_line_text(&csv->line, ts_buf_view(&csv->scratch));
}

static void add_advice(struct row_csv *csv, uint32_t row)
{
    struct ts_advice advice[TS_ADVICE_MAX];
    unsigned count = ts_advice_for(csv->report, row, advice);
    fresh(csv);
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            ts_buf_text(&csv->scratch, " \xe2\x80\xa2 ");
        if (csv->options->advice_codes)
            ts_advice_short_code(&advice[i], &csv->scratch);
        else
            ts_advice_sentence(&advice[i], &csv->scratch);
    }
    ts_perf_line_text(&csv->line, ts_buf_view(&csv->scratch));
}

static void add_figures(struct row_csv *csv, uint32_t row)
{
    struct ts_perf_line *line = &csv->line;
    const struct ts_perf_row *figures = &csv->report->rows[row];
    const struct ts_op_facts *facts = ts_perf_row_facts(csv->report, row);
    ts_perf_line_integer(line, (int64_t)figures->source + 2);
    ts_perf_line_double(line, figures->total_percent);
    ts_perf_line_word(line, ts_bound_name((enum ts_bound)figures->bound));
    ts_perf_line_text(line, ts_perf_source_name(csv->report->source, figures->source));
    ts_perf_line_count(line, facts->device);
    ts_perf_line_double(line, figures->device_time);
    ts_perf_line_double(line, figures->op_to_op_gap);
    ts_perf_line_count(line, facts->cores);
    ts_perf_line_double(line, figures->dram_gb_per_s);
    ts_perf_line_double(line, figures->dram_percent);
    ts_perf_line_double(line, figures->tflops);
    ts_perf_line_double(line, figures->flops_percent);
}

static void add_attribute(struct ts_perf_line *line, int32_t value)
{
    if (value != TS_ATTRIBUTE_ABSENT)
        ts_perf_line_integer(line, value);
    else
        ts_perf_line_blank(line);
}

static void add_row(struct row_csv *csv, uint32_t row)
{
    struct ts_perf_line *line = &csv->line;
    const struct ts_ops_csv *ops = csv->report->source->ops;
    const struct ts_op_facts *facts = ts_perf_row_facts(csv->report, row);
    uint32_t source = csv->report->rows[row].source;
    const struct ts_op_attributes *attributes = ts_ops_attributes(ops, source);
    add_figures(csv, row);
    add_math_fidelity(csv, row);
    add_datatype(csv, TS_OPS_OUTPUT_0_DATATYPE, source);
    add_datatype(csv, TS_OPS_INPUT_0_DATATYPE, source);
    add_datatype(csv, TS_OPS_INPUT_1_DATATYPE, source);
    ts_perf_line_word(line, facts->dram_sharded ? "True" : "False");
    struct ts_str memory = ts_ops_text(ops, TS_OPS_INPUT_0_MEMORY, source);
    ts_perf_line_text(line, ts_ops_cell_empty(memory) ? (struct ts_str){"", 0} : memory);
    add_attribute(line, attributes->in0_block_w);
    add_attribute(line, attributes->out_subblock_h);
    add_attribute(line, attributes->out_subblock_w);
    add_call_count(line, ts_ops_text(ops, TS_OPS_GLOBAL_CALL_COUNT, source), csv->call_counts);
    add_sub_device(csv, source);
    ts_perf_line_count(line, facts->available_cores);
    ts_perf_line_word(line, ts_op_category_name((enum ts_op_category)facts->category));
    ts_perf_line_word(line, ts_bound_analysis_name((enum ts_bound_analysis)facts->analysis));
    if (!csv->options->no_advice)
        add_advice(csv, row);
    if (csv->options->raw_op_codes)
        ts_perf_line_text(line, ts_ops_text(ops, TS_OPS_OP_CODE, source));
    ts_perf_line_end(line);
}

static enum ts_status write_rows(struct ts_context *context, struct row_csv *csv, struct ts_writer *writer,
                                 struct ts_error *error)
{
    uint32_t count = csv->report ? csv->report->count : 0;
    add_header(csv);
    for (uint32_t row = 0; row < count; row++) {
        add_row(csv, row);
        if (row % CHECK_EVERY_ROWS != CHECK_EVERY_ROWS - 1)
            continue;
        enum ts_status status = ts_context_check(context, error);
        if (status == TS_OK)
            status = ts_buf_status(&csv->line.text, error);
        if (status != TS_OK)
            return status;
        ts_writer_str(writer, ts_buf_view(&csv->line.text));
        ts_buf_clear(&csv->line.text);
    }
    ts_writer_str(writer, ts_buf_view(&csv->line.text));
    fresh(csv);
    return csv->failed ? ts_error_no_memory(error) : ts_buf_status(&csv->line.text, error);
}

static enum ts_status write_row_csv(struct ts_context *context, const struct ts_perf_csv_options *options,
                                    const struct ts_perf_selection *selection, struct ts_writer *writer,
                                    struct ts_error *error)
{
    struct row_csv csv = {.options = options, .report = selection->report, .line = {.end = "\r\n"}};
    ts_buf_init(&csv.scratch, 0);
    ts_buf_init(&csv.line.text, 0);
    if (selection->source)
        csv.call_counts = judge_call_counts(selection->source);
    enum ts_status status = write_rows(context, &csv, writer, error);
    ts_buf_free(&csv.scratch);
    ts_buf_free(&csv.line.text);
    return status;
}

/* ---- the stacked CSV ---- */

/* How zeros look follows from how the reference keeps its columns: a sum nothing was added to is the integer 0, and so is
 * a share of nothing. */
struct zeros {
    bool percent, time;
};

static struct zeros judge_zeros(const struct ts_stacked *stacked, const struct ts_stacked_line *lines, bool per_device)
{
    struct zeros zeros = {.percent = !per_device};
    for (uint32_t i = 0; i < stacked->count; i++)
        zeros.percent = zeros.percent && !(lines[i].total > 0);
    bool all_or_none = stacked->host_rows_seen == 0 || stacked->host_rows_seen == stacked->rows_seen;
    zeros.time = !per_device && !stacked->any_timed && all_or_none;
    return zeros;
}

static void add_stacked_header(struct ts_perf_line *line, const struct ts_perf_csv_options *options)
{
    ts_perf_line_word(line, "Total % [%],Op Code");
    if (options->no_merge_devices)
        ts_perf_line_word(line, "Device");
    ts_perf_line_word(line, "Device Time Sum [\xce\xbcs],Op Count");
    if (options->group_by != TS_STACKED_CATEGORY)
        ts_perf_line_word(
            line, "Op Category,Min FLOPs [%],Max FLOPs [%],Mean FLOPs [%],Std FLOPs [%],Weighted Mean FLOPs [%]");
    ts_perf_line_end(line);
}

static void add_group(struct ts_perf_line *line, const struct ts_perf_csv_options *options,
                      const struct ts_stacked_line *entry, struct zeros zeros)
{
    const struct ts_stacked_group *group = entry->group;
    if (zeros.percent)
        ts_perf_line_integer(line, 0);
    else
        ts_perf_line_fixed(line, ts_stacked_share(entry));
    ts_perf_line_text(line, group->name);
    if (options->no_merge_devices)
        ts_perf_line_integer(line, group->device);
    if (zeros.time)
        ts_perf_line_integer(line, 0);
    else
        ts_perf_line_fixed(line, group->device_time_kahan);
    ts_perf_line_integer(line, group->count);
    if (options->group_by != TS_STACKED_CATEGORY) {
        ts_perf_line_word(line, ts_op_category_name(group->category));
        ts_perf_line_fixed(line, group->flops_min);
        ts_perf_line_fixed(line, group->flops_max);
        ts_perf_line_fixed(line, group->flops_mean);
        ts_perf_line_fixed(line, group->flops_std);
        ts_perf_line_fixed(line, group->flops_weighted_mean);
    }
    ts_perf_line_end(line);
}

static enum ts_status write_groups(const struct ts_perf_csv_options *options, struct ts_stacked *stacked,
                                   struct ts_writer *writer, struct ts_error *error)
{
    const struct ts_stacked_line *lines = ts_stacked_rank(stacked);
    if (!lines)
        return ts_arena_error(&stacked->arena, error);
    struct zeros zeros = judge_zeros(stacked, lines, options->no_merge_devices);
    struct ts_perf_line line = {.end = "\n"};
    ts_buf_init(&line.text, 0);
    add_stacked_header(&line, options);
    for (uint32_t i = 0; i < stacked->count; i++)
        add_group(&line, options, &lines[i], zeros);
    ts_writer_str(writer, ts_buf_view(&line.text));
    enum ts_status status = ts_buf_status(&line.text, error);
    ts_buf_free(&line.text);
    return status;
}

/* ---- both files ---- */

/* path without the extension of its last component, as "out.csv" is "out"; a leading dot begins no extension. */
static struct ts_str without_extension(struct ts_str path)
{
    size_t name = path.len;
    while (name > 0 && path.ptr[name - 1] != '/')
        name--;
    while (name < path.len && path.ptr[name] == '.')
        name++;
    for (size_t at = path.len; at > name; at--) {
        if (path.ptr[at - 1] == '.')
            return ts_str_sub(path, 0, at - 1);
    }
    return path;
}

/* Nothing goes beside a device or a pipe. */
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* *out is NULL when no stacked report is to be written. */
static enum ts_status choose_stacked_path(const struct ts_perf_csv_options *options, struct ts_arena *arena,
                                          const char **out, struct ts_error *error)
{
    struct ts_str path;
    *out = NULL;
    if (options->no_summary || (!options->summary_base && (!options->csv || is_special(options->csv))))
        return TS_OK;
    if (options->summary_base) {
        path = ts_arena_printf(arena, "%s.csv", options->summary_base);
    } else {
        struct ts_str base = without_extension(ts_str_from(options->csv));
        path = ts_arena_printf(arena, "%.*s_stacked.csv", TS_STR_ARG(base));
    }
    if (!path.ptr)
        return ts_arena_error(arena, error);
    *out = path.ptr;
    return TS_OK;
}

/* Where a plot of the stacked report goes: ".svg" for its ".csv". */
static const char *plot_path(struct ts_arena *arena, const char *stacked)
{
    struct ts_str base = ts_str_sub(ts_str_from(stacked), 0, strlen(stacked) - strlen(".csv"));
    return ts_arena_printf(arena, "%.*s.svg", TS_STR_ARG(base)).ptr;
}

/* Refuses an output that is one of the inputs, links followed, or the other output: it would be lost. */
static enum ts_status check_output(struct ts_context *context, const struct ts_perf_csv_options *options,
                                   const char *output, const char *other, struct ts_error *error)
{
    char *resolved = NULL;
    enum ts_path_kind kind;
    enum ts_status status = ts_path_resolve(context, output, &resolved, &kind, error);
    for (size_t i = 0; status == TS_OK && i <= options->file_count; i++) {
        const char *taken = i < options->file_count ? options->files[i] : other;
        char *against = NULL;
        if (taken)
            status = ts_path_resolve(context, taken, &against, &kind, error);
        struct ts_quote quote;
        if (status == TS_OK && taken && kind != TS_PATH_OTHER && strcmp(resolved, against) == 0)
            status = ts_error_set(error, TS_REFUSED, "%s: is %s; nothing was written, name another output",
                                  ts_error_quote(&quote, ts_str_from(output), TS_QUOTE_FILE),
                                  i < options->file_count ? "an input of this report" : "another output of it");
        free(against);
    }
    free(resolved);
    return status;
}

static enum ts_status check_outputs(struct ts_context *context, const struct ts_perf_csv_options *options,
                                    struct ts_arena *arena, struct ts_error *error)
{
    const char *stacked;
    enum ts_status status = choose_stacked_path(options, arena, &stacked, error);
    if (status == TS_OK && options->csv)
        status = check_output(context, options, options->csv, NULL, error);
    if (status == TS_OK && stacked)
        status = check_output(context, options, stacked, options->csv, error);
    if (status != TS_OK || !stacked || !options->plot)
        return status;
    const char *plot = plot_path(arena, stacked);
    return plot ? check_output(context, options, plot, options->csv, error) : ts_arena_error(arena, error);
}

/* A writer with the stacked report in it, NULL where there is none to write. */
static enum ts_status prepare_stacked(struct ts_context *context, const struct ts_perf_csv_options *options,
                                      const struct ts_perf_selection *selection, struct ts_perf_csv_result *result,
                                      struct ts_writer **out, struct ts_error *error)
{
    const char *path;
    enum ts_status status = choose_stacked_path(options, &result->arena, &path, error);
    if (status != TS_OK || !path || !selection->report)
        return status;
    const struct ts_stacked_options stacked_options = {
        .by = options->group_by,
        .per_device = options->no_merge_devices,
        .no_host_ops = options->no_host_ops,
    };
    struct ts_stacked *stacked;
    status = ts_stacked_create(context, selection->report, &stacked_options, &stacked, error);
    if (status != TS_OK)
        return status;
    if (stacked->count > 0) {
        status = ts_writer_create(context, path, out, error);
        if (status == TS_OK)
            status = write_groups(options, stacked, *out, error);
        result->stacked_path = path;
        result->plot_path = options->plot ? plot_path(&result->arena, path) : NULL;
        if (status == TS_OK && options->plot && !result->plot_path)
            status = ts_arena_error(&result->arena, error);
        result->groups = stacked->count;
    } else if (access(path, F_OK) == 0) {
        result->stacked_left = path;
    }
    ts_stacked_destroy(stacked);
    return status;
}

/* The stacked report goes first: whoever sees the row CSV has both. Neither goes when the other could not be written. */
static enum ts_status put_in_place(struct ts_writer *rows, struct ts_writer *stacked, struct ts_error *error)
{
    enum ts_status status = stacked ? ts_writer_flush(stacked, error) : TS_OK;
    if (status == TS_OK && rows)
        status = ts_writer_flush(rows, error);
    if (status != TS_OK) {
        ts_writer_abandon(rows);
        ts_writer_abandon(stacked);
        return status;
    }
    if (stacked)
        status = ts_writer_commit(stacked, error);
    if (status != TS_OK) {
        ts_writer_abandon(rows);
        return status;
    }
    return rows ? ts_writer_commit(rows, error) : TS_OK;
}

static enum ts_status write_files(struct ts_context *context, const struct ts_perf_csv_options *options,
                                  const struct ts_perf_selection *selection, struct ts_perf_csv_result *result,
                                  struct ts_error *error)
{
    struct ts_writer *rows = NULL, *stacked = NULL;
    enum ts_status status = check_outputs(context, options, &result->arena, error);
    if (status == TS_OK && options->csv)
        status = ts_writer_create(context, options->csv, &rows, error);
    if (status == TS_OK && rows)
        status = write_row_csv(context, options, selection, rows, error);
    if (status == TS_OK)
        status = prepare_stacked(context, options, selection, result, &stacked, error);
    if (status != TS_OK) {
        ts_writer_abandon(rows);
        ts_writer_abandon(stacked);
        return status;
    }
    return put_in_place(rows, stacked, error);
}

/* ---- result ---- */

static void count_rows(const struct ts_perf_report *report, struct ts_perf_csv_result *result)
{
    result->rows = report->count;
    result->device_ops = report->device_ops;
    for (uint32_t row = 0; row < report->count; row++) {
        uint8_t kind = ts_perf_row_facts(report, row)->kind;
        result->host_ops += kind == TS_ROW_HOST;
        result->signpost_rows += kind == TS_ROW_SIGNPOST;
    }
}

static bool list_signposts(const struct ts_signposts *signposts, struct ts_perf_csv_result *result)
{
    result->signposts = TS_ARENA_ARRAY(&result->arena, struct ts_perf_csv_signpost, (size_t)signposts->count + 1);
    if (!result->signposts)
        return false;
    for (uint32_t i = 0; i < signposts->count; i++) {
        struct ts_str name = ts_arena_copy(&result->arena, signposts->items[i].name);
        if (!name.ptr)
            return false;
        result->signposts[i] = (struct ts_perf_csv_signpost){name, signposts->items[i].occurrences};
    }
    result->signpost_count = signposts->count;
    return true;
}

static enum ts_status describe(const struct ts_perf_selection *selection, struct ts_perf_csv_result *result,
                               struct ts_error *error)
{
    struct ts_buf notices;
    ts_buf_init(&notices, 0);
    ts_perf_selection_notices(selection, &notices);
    enum ts_status status = ts_buf_status(&notices, error);
    if (status == TS_OK) {
        result->notices = ts_arena_copy(&result->arena, ts_buf_view(&notices));
        result->after_signpost = ts_arena_copy(&result->arena, selection->after_signpost);
        if (!result->notices.ptr || !result->after_signpost.ptr)
            status = ts_arena_error(&result->arena, error);
    }
    ts_buf_free(&notices);
    if (status != TS_OK || !selection->report)
        return status;
    count_rows(selection->report, result);
    result->has_dram = ts_perf_selection_dram(selection, &result->dram_gb_per_s, &result->dram_percent);
    if (result->device_ops == 0 && !list_signposts(&selection->source->signposts, result))
        return ts_arena_error(&result->arena, error);
    return TS_OK;
}

enum ts_status ts_perf_csv_write_report(struct ts_context *context, const struct ts_perf_csv_options *options,
                                        const struct ts_perf_selection *selection, struct ts_perf_csv_result *result,
                                        struct ts_error *error)
{
    ts_arena_init(&result->arena, context->memory_limit);
    enum ts_status status = describe(selection, result, error);
    return status == TS_OK ? write_files(context, options, selection, result, error) : status;
}

enum ts_status ts_perf_csv_write(struct ts_context *context, const struct ts_perf_csv_options *options,
                                 struct ts_perf_csv_result *result, struct ts_error *error)
{
    const struct ts_perf_selection_options selection_options = {
        .files = options->files,
        .file_count = options->file_count,
        .range = options->range,
        .ignore_signposts = options->ignore_signposts,
        .print_signposts = options->print_signposts,
        .no_merge_devices = options->no_merge_devices,
        .tracing_mode = options->tracing_mode,
        .no_host_ops = options->no_host_ops,
        .ids = options->ids,
        .arch = options->arch,
        .active_experts = options->active_experts,
    };
    struct ts_perf_selection *selection;
    enum ts_status status = ts_perf_selection_create(context, &selection_options, &selection, error);
    if (status != TS_OK)
        return status;
    status = ts_perf_csv_write_report(context, options, selection, result, error);
    ts_perf_selection_destroy(selection);
    return status;
}

void ts_perf_csv_result_free(struct ts_perf_csv_result *result)
{
    ts_arena_free(&result->arena);
    *result = (struct ts_perf_csv_result){.rows = 0};
}
