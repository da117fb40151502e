#include "transforms/perf_json.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/number.h"
#include "models/advice.h"
#include "models/perf_figures.h"
#include "models/perf_order.h"

enum { CHECK_EVERY_ROWS = 1024 };

struct report_json {
    const struct ts_perf_selection *selection;
    const struct ts_perf_json_options *options;
    struct ts_json_out json;
    struct ts_writer *writer;
    struct ts_buf scratch;
    bool failed; /* memory was out for something in scratch */
};

/* ---- values ---- */

/* Scratch, empty; whether the text before it failed stays known. */
static struct ts_buf *fresh(struct report_json *out)
{
    out->failed = out->failed || out->scratch.failed;
    ts_buf_clear(&out->scratch);
    return &out->scratch;
}

static void key(struct report_json *out, const char *name)
{
    ts_json_key(&out->json, ts_str_from(name));
}

static void add_number(struct report_json *out, const char *name, double value)
{
    key(out, name);
    ts_json_number(&out->json, value);
}

static void add_count(struct report_json *out, const char *name, uint64_t value)
{
    key(out, name);
    ts_json_integer(&out->json, (int64_t)value);
}

/* null below 0. */
static void add_integer(struct report_json *out, const char *name, int64_t value)
{
    key(out, name);
    if (value < 0)
        ts_json_null(&out->json);
    else
        ts_json_integer(&out->json, value);
}

/* null when empty. */
static void add_text(struct report_json *out, const char *name, struct ts_str text)
{
    key(out, name);
    if (text.len == 0)
        ts_json_null(&out->json);
    else
        ts_json_string(&out->json, text);
}

static void add_cell(struct report_json *out, const char *name, enum ts_ops_column column, uint32_t source)
{
    struct ts_str cell = ts_ops_text(out->selection->source->ops, column, source);
    add_text(out, name, ts_ops_cell_empty(cell) ? (struct ts_str){"", 0} : cell);
}

static void add_attribute(struct report_json *out, const char *name, int32_t value)
{
    key(out, name);
    if (value == TS_ATTRIBUTE_ABSENT)
        ts_json_null(&out->json);
    else
        ts_json_integer(&out->json, value);
}

/* A line of its own, which no JSON reader minds. */
static void new_line(struct report_json *out)
{
    ts_writer_add(out->writer, "\n", 1);
}

/* ---- the whole ---- */

static void add_notes(struct report_json *out)
{
    struct ts_str rest, line;
    bool done = false;
    ts_perf_selection_notices(out->selection, fresh(out));
    rest = ts_buf_view(&out->scratch);
    key(out, "notes");
    ts_json_open_array(&out->json);
    while (ts_str_split(&rest, '\n', &line, &done))
        if (line.len > 0)
            ts_json_string(&out->json, line);
    ts_json_close_array(&out->json);
}

static void add_counts(struct report_json *out, const struct ts_perf_report *report)
{
    uint32_t host = 0, signposts = 0;
    for (uint32_t row = 0; row < report->count; row++) {
        uint8_t kind = ts_perf_row_facts(report, row)->kind;
        host += kind == TS_ROW_HOST;
        signposts += kind == TS_ROW_SIGNPOST;
    }
    add_count(out, "row_count", report->count);
    add_count(out, "device_ops", report->device_ops);
    add_count(out, "timed_ops", report->timed_ops);
    add_count(out, "host_ops", host);
    add_count(out, "signposts", signposts);
    add_number(out, "device_time", report->device_time_total);
    add_number(out, "op_to_op_gap", report->gap_total);
}

static void add_source(struct report_json *out, const struct ts_perf_source *source)
{
    add_text(out, "arch", ts_str_from(source->arch->name));
    add_count(out, "worker_cores", source->fallback_cores);
    add_number(out, "peak_dram", source->arch->dram_gb_per_s);
    key(out, "devices");
    ts_json_open_array(&out->json);
    for (uint32_t i = 0; i < source->device_count; i++)
        ts_json_integer(&out->json, source->devices[i]);
    ts_json_close_array(&out->json);
}

static void add_head(struct report_json *out)
{
    const struct ts_perf_selection *selection = out->selection;
    double dram = TS_ABSENT, percent = TS_ABSENT;
    key(out, "report");
    ts_json_open_object(&out->json);
    key(out, "files");
    ts_json_open_array(&out->json);
    for (size_t i = 0; i < out->options->file_count; i++)
        ts_json_string(&out->json, ts_str_from(out->options->files[i]));
    ts_json_close_array(&out->json);
    add_text(out, "after_signpost", selection->after_signpost);
    if (selection->source)
        add_source(out, selection->source);
    if (selection->report) {
        add_counts(out, selection->report);
        ts_perf_selection_dram(selection, &dram, &percent);
    }
    add_number(out, "dram", dram);
    add_number(out, "dram_percent", percent);
    add_notes(out);
    ts_json_close_object(&out->json);
}

/* ---- rows ---- */

static void add_advice(struct report_json *out, uint32_t row)
{
    struct ts_advice advice[TS_ADVICE_MAX];
    unsigned count = ts_advice_for(out->selection->report, row, advice);
    key(out, "advice");
    ts_json_open_array(&out->json);
    for (unsigned i = 0; i < count; i++) {
        ts_json_open_object(&out->json);
        ts_advice_short_code(&advice[i], fresh(out));
        add_text(out, "code", ts_buf_view(&out->scratch));
        ts_advice_sentence(&advice[i], fresh(out));
        add_text(out, "text", ts_buf_view(&out->scratch));
        ts_json_close_object(&out->json);
    }
    ts_json_close_array(&out->json);
}

static void add_devices(struct report_json *out, const struct ts_perf_row *figures)
{
    const struct ts_perf_report *report = out->selection->report;
    key(out, "devices");
    ts_json_open_array(&out->json);
    for (uint32_t i = 0; i < figures->member_count; i++) {
        uint32_t source = report->members[figures->members + i];
        ts_json_open_object(&out->json);
        add_count(out, "id", (uint64_t)source + 2);
        add_integer(out, "device", report->source->facts[source].device);
        add_number(out, "device_time", ts_perf_own_device_time(report->source->ops, source));
        ts_json_close_object(&out->json);
    }
    ts_json_close_array(&out->json);
}

static const char *verdict_name(const struct ts_perf_report *report, uint32_t row)
{
    static const char *const names[] = {
        [TS_FIDELITY_UNKNOWN] = "unknown",       [TS_FIDELITY_NOT_APPLICABLE] = "not_applicable",
        [TS_FIDELITY_SUFFICIENT] = "sufficient", [TS_FIDELITY_TOO_HIGH] = "too_high",
        [TS_FIDELITY_TOO_LOW] = "too_low",
    };
    bool judged = ts_perf_row_facts(report, row)->analysis != TS_ANALYSIS_NONE;
    return judged ? names[ts_advice_fidelity(report, row).verdict] : NULL;
}

static void add_figures(struct report_json *out, uint32_t row)
{
    const struct ts_perf_report *report = out->selection->report;
    const struct ts_perf_row *figures = &report->rows[row];
    const struct ts_op_facts *facts = ts_perf_row_facts(report, row);
    add_count(out, "id", (uint64_t)figures->source + 2);
    add_number(out, "total_percent", figures->total_percent);
    add_text(out, "bound", ts_str_from(ts_bound_name((enum ts_bound)figures->bound)));
    key(out, "op_code");
    ts_json_string(&out->json, ts_perf_source_name(report->source, figures->source));
    add_integer(out, "device", facts->device);
    add_number(out, "device_time", figures->device_time);
    add_number(out, "op_to_op_gap", figures->op_to_op_gap);
    add_integer(out, "cores", facts->cores);
    add_number(out, "dram", figures->dram_gb_per_s);
    add_number(out, "dram_percent", figures->dram_percent);
    add_number(out, "flops", figures->tflops);
    add_number(out, "flops_percent", figures->flops_percent);
    ts_perf_row_math_fidelity(report, row, fresh(out));
    add_text(out, "math_fidelity", ts_buf_view(&out->scratch));
    add_text(out, "fidelity_verdict", ts_str_from(verdict_name(report, row)));
}

static void add_row(struct report_json *out, uint32_t row)
{
    char buffer[64];
    const struct ts_perf_report *report = out->selection->report;
    const struct ts_op_facts *facts = ts_perf_row_facts(report, row);
    uint32_t source = report->rows[row].source;
    const struct ts_op_attributes *attributes = ts_ops_attributes(report->source->ops, source);
    double calls = ts_number_or_absent(ts_ops_text(report->source->ops, TS_OPS_GLOBAL_CALL_COUNT, source));
    ts_json_open_object(&out->json);
    add_figures(out, row);
    add_cell(out, "output_datatype", TS_OPS_OUTPUT_0_DATATYPE, source);
    add_cell(out, "input_0_datatype", TS_OPS_INPUT_0_DATATYPE, source);
    add_cell(out, "input_1_datatype", TS_OPS_INPUT_1_DATATYPE, source);
    key(out, "dram_sharded");
    ts_json_boolean(&out->json, facts->dram_sharded);
    add_cell(out, "input_0_memory", TS_OPS_INPUT_0_MEMORY, source);
    add_attribute(out, "inner_dim_block_size", attributes->in0_block_w);
    add_attribute(out, "output_subblock_h", attributes->out_subblock_h);
    add_attribute(out, "output_subblock_w", attributes->out_subblock_w);
    add_number(out, "global_call_count", calls);
    add_text(out, "sub_device_id", ts_perf_source_sub_device(report->source, source, buffer));
    add_integer(out, "available_cores", facts->available_cores);
    add_text(out, "op_category", ts_str_from(ts_op_category_name((enum ts_op_category)facts->category)));
    add_text(out, "bound_analysis", ts_str_from(ts_bound_analysis_name((enum ts_bound_analysis)facts->analysis)));
    if (!out->options->no_advice)
        add_advice(out, row);
    if (out->options->raw_op_codes)
        add_text(out, "raw_op_code", ts_ops_text(report->source->ops, TS_OPS_OP_CODE, source));
    if (out->options->devices)
        add_devices(out, &report->rows[row]);
    ts_json_close_object(&out->json);
}

static enum ts_status add_rows(struct ts_context *context, struct report_json *out, struct ts_error *error)
{
    const struct ts_perf_report *report = out->selection->report;
    uint32_t count = report ? report->count : 0, *order = NULL;
    enum ts_status status = TS_OK;
    if (report && out->options->top) {
        order = ts_perf_order_by_share(report, out->options->top, &count);
        if (!order)
            return ts_error_no_memory(error);
    }
    key(out, "rows");
    ts_json_open_array(&out->json);
    for (uint32_t i = 0; status == TS_OK && i < count; i++) {
        new_line(out);
        add_row(out, order ? order[i] : i);
        if (i % CHECK_EVERY_ROWS == 0)
            status = ts_context_check(context, error);
    }
    ts_json_close_array(&out->json);
    free(order);
    return status;
}

/* ---- groups ---- */

static void add_group(struct report_json *out, const struct ts_stacked_line *line)
{
    const struct ts_stacked_group *group = line->group;
    ts_json_open_object(&out->json);
    add_number(out, "percent", ts_stacked_share(line));
    key(out, "name");
    ts_json_string(&out->json, group->name);
    if (out->options->per_device)
        add_integer(out, "device", group->device);
    add_number(out, "device_time", group->device_time_kahan);
    add_count(out, "count", group->count);
    if (out->options->by != TS_STACKED_CATEGORY) {
        add_text(out, "op_category", ts_str_from(ts_op_category_name(group->category)));
        add_number(out, "flops_percent_min", group->flops_min);
        add_number(out, "flops_percent_max", group->flops_max);
        add_number(out, "flops_percent_mean", group->flops_mean);
        add_number(out, "flops_percent_std", group->flops_std);
        add_number(out, "flops_percent_weighted_mean", group->flops_weighted_mean);
    }
    ts_json_close_object(&out->json);
}

static enum ts_status add_groups(struct report_json *out, struct ts_stacked *stacked, struct ts_error *error)
{
    const struct ts_stacked_line *lines = ts_stacked_rank(stacked);
    if (!lines)
        return ts_arena_error(&stacked->arena, error);
    key(out, "groups");
    ts_json_open_array(&out->json);
    for (uint32_t i = 0; i < stacked->count; i++) {
        new_line(out);
        add_group(out, &lines[i]);
    }
    ts_json_close_array(&out->json);
    return TS_OK;
}

enum ts_status ts_perf_json_write(struct ts_context *context, const struct ts_perf_selection *selection,
                                  struct ts_stacked *stacked, const struct ts_perf_json_options *options,
                                  struct ts_writer *writer, struct ts_error *error)
{
    struct report_json out = {.selection = selection, .options = options, .writer = writer};
    ts_buf_init(&out.scratch, 0);
    ts_json_out_writer(&out.json, writer);
    ts_json_open_object(&out.json);
    add_head(&out);
    new_line(&out);
    enum ts_status status = add_rows(context, &out, error);
    if (status == TS_OK && stacked) {
        new_line(&out);
        status = add_groups(&out, stacked, error);
    }
    ts_json_close_object(&out.json);
    new_line(&out);
    fresh(&out);
    if (status == TS_OK && out.failed)
        status = ts_error_no_memory(error);
    ts_buf_free(&out.scratch);
    return status;
}
