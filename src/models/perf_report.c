#include "models/perf_report.h"

#include <stdlib.h>

#include "base/number.h"
#include "models/device_merge.h"
#include "models/perf_figures.h"

const char *ts_bound_name(enum ts_bound bound)
{
    static const char *const names[] = {NULL, "DRAM", "FLOP", "BOTH", "SLOW", "HOST"};
    return names[bound];
}

const char *ts_bound_analysis_name(enum ts_bound_analysis analysis)
{
    static const char *const names[] = {"none", "full", "flops_only"};
    return names[analysis];
}

/* The rows of the window by HOST START TS, in scratch unless they are all of the file or in file order. */
static bool find_sequence(const struct ts_perf_source *source, const struct ts_perf_report_options *options,
                          struct ts_arena *scratch, struct ts_row_sequence *out)
{
    uint32_t rows = source->ops->rows;
    uint32_t end = options->window.end == 0 || options->window.end > rows ? rows : options->window.end;
    uint32_t first = options->window.first < end ? options->window.first : end;

    *out = (struct ts_row_sequence){NULL, first, end};
    if (!source->order || options->tracing_mode)
        return true;
    if (end - first == rows) {
        out->rows = source->order;
        return true;
    }
    uint32_t *kept = ts_arena_alloc(scratch, (end - first) * sizeof *kept), count = 0;
    if (!kept)
        return false;
    for (uint32_t i = 0; count < end - first; i++) {
        if (source->order[i] >= first && source->order[i] < end)
            kept[count++] = source->order[i];
    }
    out->rows = kept;
    return true;
}

/* How many numeric DEVICE IDs, usable or not, the window has: 0, 1, or 2 for more. */
static unsigned numeric_devices(const struct ts_perf_source *source, const struct ts_row_sequence *sequence)
{
    const struct ts_ops_csv *ops = source->ops;
    const uint32_t *cells = ops->texts[TS_OPS_DEVICE_ID];
    uint32_t seen = UINT32_MAX;

    for (uint32_t row = sequence->first; cells && row < sequence->end; row++) {
        if (cells[row] == seen || !source->facts[row].device_numeric)
            continue;
        double one, other;
        if (seen != UINT32_MAX && ts_number_parse(ts_intern_text(&ops->text, seen), &one) &&
            ts_number_parse(ts_intern_text(&ops->text, cells[row]), &other) && one != other)
            return 2;
        seen = cells[row];
    }
    return seen != UINT32_MAX;
}

static bool any_numeric_device(const struct ts_perf_source *source, const struct ts_row_sequence *sequence)
{
    uint32_t row = sequence->first;

    while (row < sequence->end && !source->facts[row].device_numeric)
        row++;
    return row < sequence->end;
}

static bool left_out(const struct ts_perf_report_options *options, const struct ts_op_facts *facts)
{
    return facts->kind == TS_ROW_LEFT_OUT || (options->drop_signposts && facts->kind == TS_ROW_SIGNPOST);
}

/* Every row of the sequence as it is. */
static bool take_rows(struct ts_perf_report *report, const struct ts_row_sequence *sequence,
                      const struct ts_perf_report_options *options)
{
    const struct ts_perf_source *source = report->source;
    const double *durations = source->ops->numbers[TS_OPS_KERNEL_DURATION];
    uint32_t rows = sequence->end - sequence->first;

    report->rows = ts_arena_alloc(&report->arena, rows * sizeof *report->rows);
    report->members = ts_arena_alloc(&report->arena, rows * sizeof *report->members);
    if (!report->rows || !report->members)
        return false;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = ts_row_sequence_at(sequence, i);
        const struct ts_op_facts *facts = &source->facts[row];
        if (left_out(options, facts))
            continue;
        struct ts_perf_row *out = &report->rows[report->count];
        report->members[report->count] = row;
        out->source = row;
        out->members = report->count++;
        out->member_count = facts->lane != TS_NO_LANE;
        out->device_time = durations ? durations[row] : TS_ABSENT;
    }
    return true;
}

/* One row per operation, the rows of all devices merged, by id. */
static enum ts_status take_merged(struct ts_context *context, struct ts_perf_report *report,
                                  const struct ts_row_sequence *sequence, const struct ts_perf_report_options *options,
                                  struct ts_arena *scratch, struct ts_error *error)
{
    const struct ts_perf_source *source = report->source;
    const double *durations = source->ops->numbers[TS_OPS_KERNEL_DURATION];
    uint32_t rows = sequence->end - sequence->first, kept = 0;
    struct ts_device_merge merge;

    enum ts_status status = ts_device_merge(context, source, sequence, scratch, report, &merge, error);
    if (status != TS_OK)
        return status;
    for (uint32_t i = 0; i < rows; i++)
        kept += merge.round_of[i] != TS_ROW_MERGED_AWAY;
    report->members = merge.members;
    report->rows = ts_arena_alloc(&report->arena, kept * sizeof *report->rows);
    if (!report->rows)
        return ts_arena_error(&report->arena, error);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = sequence->first + i, round = merge.round_of[i];
        if (round == TS_ROW_MERGED_AWAY || (round == TS_ROW_SET_ASIDE && left_out(options, &source->facts[row])))
            continue;
        struct ts_perf_row *out = &report->rows[report->count++];
        out->source = row;
        out->members = round == TS_ROW_SET_ASIDE ? 0 : merge.rounds[round].members;
        out->member_count = round == TS_ROW_SET_ASIDE ? 0 : merge.rounds[round].member_count;
        if (round == TS_ROW_SET_ASIDE)
            out->device_time = durations ? durations[row] : TS_ABSENT;
        else
            out->device_time = merge.rounds[round].duration;
    }
    return TS_OK;
}

static enum ts_status select_rows(struct ts_context *context, struct ts_perf_report *report,
                                  const struct ts_perf_report_options *options, struct ts_arena *scratch,
                                  struct ts_error *error)
{
    const struct ts_perf_source *source = report->source;
    struct ts_row_sequence sequence;
    bool merging;

    if (!find_sequence(source, options, scratch, &sequence))
        return ts_arena_error(scratch, error);
    /* Rows go back to file order whenever there is a device to merge by, and with several devices only if they are. */
    if (options->no_merge)
        merging = numeric_devices(source, &sequence) == 1;
    else
        merging = any_numeric_device(source, &sequence);
    for (uint32_t row = sequence.first; merging && row < sequence.end; row++) {
        const struct ts_op_facts *facts = &source->facts[row];
        report->unusable_device_rows += facts->kind == TS_ROW_DEVICE && facts->lane == TS_NO_LANE;
    }
    if (merging && !options->no_merge && source->device_count > 1)
        return take_merged(context, report, &sequence, options, scratch, error);
    if (merging)
        sequence.rows = NULL;
    report->order_by_time = sequence.rows != NULL;
    return take_rows(report, &sequence, options) ? TS_OK : ts_arena_error(&report->arena, error);
}

/* The range of ids first: its first row has nothing before it, and so no gap, also when it is a host row that goes next. */
static void filter(struct ts_perf_report *report, const struct ts_perf_report_options *options)
{
    bool ranged = options->ids.first != 0 || options->ids.last != 0, first = true;
    uint32_t kept = 0;

    if (!ranged && !options->no_host_ops)
        return;
    for (uint32_t i = 0; i < report->count; i++) {
        struct ts_perf_row row = report->rows[i];
        uint64_t id = (uint64_t)row.source + 2;
        if (ranged && (id < options->ids.first || id > options->ids.last))
            continue;
        if (ranged && first) {
            row.op_to_op_gap = TS_ABSENT;
            row.gap_dropped = row.gap_negative = false;
        }
        first = false;
        if (options->no_host_ops && report->source->facts[row.source].kind == TS_ROW_HOST)
            continue;
        report->rows[kept++] = row;
    }
    report->count = kept;
}

static int by_text(const void *a, const void *b)
{
    return ts_str_compare(*(const struct ts_str *)a, *(const struct ts_str *)b);
}

static bool find_sub_devices(struct ts_perf_report *report, struct ts_arena *scratch)
{
    const struct ts_perf_source *source = report->source;

    if (!source->any_sub_device)
        return true;
    bool *seen = TS_ARENA_ARRAY(scratch, bool, source->names.count);
    if (!seen)
        return false;
    for (uint32_t i = 0; i < report->count; i++) {
        uint32_t id = source->facts[report->rows[i].source].sub_device;
        if (id != 0 && !seen[id]) {
            seen[id] = true;
            report->distinct_sub_devices++;
        }
    }
    report->sub_devices = TS_ARENA_ARRAY(&report->arena, struct ts_str, report->distinct_sub_devices);
    if (!report->sub_devices)
        return false;
    uint32_t found = 0;
    for (uint32_t id = 0; found < report->distinct_sub_devices; id++) {
        if (seen[id])
            report->sub_devices[found++] = ts_intern_text(&source->names, id);
    }
    qsort(report->sub_devices, found, sizeof *report->sub_devices, by_text);
    return true;
}

static enum ts_status fill(struct ts_context *context, struct ts_perf_report *report,
                           const struct ts_perf_report_options *options, struct ts_arena *scratch,
                           struct ts_error *error)
{
    enum ts_status status = ts_context_check(context, error);
    if (status == TS_OK)
        status = select_rows(context, report, options, scratch, error);
    if (status != TS_OK)
        return status;
    ts_perf_figures_fill(report);
    filter(report, options);
    status = ts_context_check(context, error);
    if (status != TS_OK)
        return status;
    ts_perf_figures_total(report);
    if (!find_sub_devices(report, scratch))
        return ts_arena_error(scratch->over_limit ? scratch : &report->arena, error);
    report->part.identity = report->source->part.identity;
    report->part.size = sizeof *report + report->arena.reserved;
    return TS_OK;
}

enum ts_status ts_perf_report_create(struct ts_context *context, struct ts_perf_source *source,
                                     const struct ts_perf_report_options *options, struct ts_perf_report **out,
                                     struct ts_error *error)
{
    struct ts_perf_report *report = calloc(1, sizeof *report);
    struct ts_arena scratch;

    if (!report)
        return ts_error_no_memory(error);
    ts_perf_source_retain(source);
    report->source = source;
    ts_arena_init(&report->arena, context->memory_limit);
    ts_arena_init(&scratch, context->memory_limit);
    enum ts_status status = fill(context, report, options, &scratch, error);
    ts_arena_free(&scratch);
    if (status != TS_OK) {
        ts_perf_report_destroy(report);
        return status;
    }
    *out = report;
    return TS_OK;
}

void ts_perf_report_destroy(struct ts_perf_report *report)
{
    if (!report)
        return;
    ts_perf_source_release(report->source);
    ts_arena_free(&report->arena);
    free(report);
}

/* A datatype as reports abbreviate it. */
static struct ts_str short_datatype(struct ts_str datatype)
{
#define NAMED(text)                                                                                                    \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }
    static const struct ts_str names[][2] = {
        {NAMED("BFLOAT16"), NAMED("BF16")},
        {NAMED("BFLOAT8_B"), NAMED("BFP8")},
        {NAMED("BFLOAT4_B"), NAMED("BFP4")},
        {NAMED("FLOAT32"), NAMED("FP32")},
    };
#undef NAMED

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ts_str_equal(datatype, names[i][0]))
            return names[i][1];
    }
    return datatype;
}

enum ts_status ts_perf_row_math_fidelity(const struct ts_perf_report *report, uint32_t row, struct ts_buf *out)
{
    static const enum ts_ops_column columns[] = {TS_OPS_INPUT_0_DATATYPE, TS_OPS_INPUT_1_DATATYPE,
                                                 TS_OPS_OUTPUT_0_DATATYPE};
    static const char *const between[] = {"", " x ", " => "}, *const before[] = {"", ", ", " => "};
    const struct ts_ops_csv *ops = report->source->ops;
    uint32_t source = report->rows[row].source;
    bool modelled = ts_perf_row_facts(report, row)->analysis != TS_ANALYSIS_NONE;
    size_t start = out->len;

    if (modelled && !ts_ops_cell_empty(ts_ops_text(ops, TS_OPS_MATH_FIDELITY, source))) {
        ts_buf_str(out, ts_ops_text(ops, TS_OPS_MATH_FIDELITY, source));
        ts_buf_char(out, ' ');
    }
    for (int i = 0; i < 3; i++) {
        struct ts_str datatype = ts_ops_text(ops, columns[i], source);
        bool empty = ts_ops_cell_empty(datatype);
        if (empty && (!modelled || !ops->has[columns[i]]))
            continue;
        ts_buf_text(out, modelled ? between[i] : before[i]);
        ts_buf_str(out, empty ? TS_STR("nan") : short_datatype(datatype));
    }
    if (out->failed || out->len == start)
        return ts_buf_status(out, NULL);
    struct ts_str trimmed = ts_str_trim(ts_str_sub(ts_buf_view(out), start, out->len));
    memmove(out->ptr + start, trimmed.ptr, trimmed.len);
    out->len = start + trimmed.len;
    out->ptr[out->len] = '\0';
    return TS_OK;
}
