/* The table of operations. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/utf8.h"
#include "models/fidelity.h"
#include "models/perf_figures.h"
#include "models/perf_order.h"
#include "surfaces/cli/perf_report_text_labels.h"

enum {
    OP_KEEP = 22,       /* columns for the operation's name before others have to go */
    OP_KEEP_CHEAP = 30, /* ... before figures go whose percentages stay */
    OP_PADDED_MAX = 64, /* a longer name takes room in its own line only */
    CHECK_EVERY_ROWS = 4096,
};
#define GAP_HIGH 6.5
#define CORES_FEW 10

enum {
    ID,
    TOTAL,
    BOUND,
    OP,
    DEVICE,
    SUB_DEVICE,
    TIME,
    GAP,
    CORES,
    AVAILABLE,
    DRAM,
    DRAM_PERCENT,
    TFLOPS,
    FLOPS_PERCENT,
    FIDELITY,
    COLUMNS
};

/* A line of the table: a row, or what repeated rows have in common. */
struct line {
    const struct ts_fold_item *item; /* NULL: just a row */
    uint32_t row;
    bool signpost, host;
    double total, time, gap, dram, dram_percent, tflops, flops_percent;
    uint8_t bound;
};

/* The largest of each column: as wide as it gets, since none is negative. */
struct largest {
    uint64_t id;
    double total, time, gap, cores, available, dram, dram_percent, tflops, flops_percent, device;
    unsigned op, fidelity, fidelity_compact, sub_device;
};

struct table {
    const struct ts_perf_text *text;
    const struct ts_perf_report *report;
    struct ts_perf_text_column columns[COLUMNS];
    struct ts_perf_text_grid grid;
    struct largest largest;
    uint32_t *order; /* rows to show, NULL: all as they come */
    uint32_t count;  /* lines */
    struct ts_perf_labels labels;
    struct ts_buf scratch, cell;
    double dram_total, dram_total_percent;
};

/* ---- lines ---- */

static struct line line_of_row(const struct table *table, uint32_t row)
{
    const struct ts_perf_row *figures = &table->report->rows[row];
    uint8_t kind = ts_perf_row_facts(table->report, row)->kind;
    return (struct line){
        .row = row,
        .signpost = kind == TS_ROW_SIGNPOST,
        .host = kind == TS_ROW_HOST,
        .total = figures->total_percent,
        .time = figures->device_time,
        .gap = figures->op_to_op_gap,
        .dram = figures->dram_gb_per_s,
        .dram_percent = figures->dram_percent,
        .tflops = figures->tflops,
        .flops_percent = figures->flops_percent,
        .bound = figures->bound,
    };
}

static struct line line_at(const struct table *table, uint32_t index)
{
    const struct ts_op_folding *folding = table->text->folding;
    if (!folding)
        return line_of_row(table, table->order ? table->order[index] : index);
    const struct ts_fold_item *item = &folding->items[index];
    struct line line = line_of_row(table, item->row);
    line.item = item;
    line.total = item->total_percent;
    line.time = item->device_time;
    line.gap = item->op_to_op_gap;
    line.dram = item->dram_gb_per_s;
    line.dram_percent = item->dram_percent;
    line.tflops = item->tflops;
    line.flops_percent = item->flops_percent;
    line.bound = item->bound;
    if (item->kind == TS_FOLD_BLOCK)
        line.signpost = line.host = false;
    return line;
}

static bool is_block(const struct line *line)
{
    return line->item && line->item->kind == TS_FOLD_BLOCK;
}

/* ---- names ---- */

/* What a line is called that is not just a row: a signpost, a block, a row within a block. Into scratch. */
static void name_line(struct table *table, const struct line *line)
{
    struct ts_buf *out = &table->scratch;
    uint32_t source = table->report->rows[line->row].source;
    ts_perf_text_reuse(table->text, out);
    for (unsigned i = 0; line->item && i < line->item->depth; i++)
        ts_buf_text(out, "\xe2\x94\x82 ");
    if (is_block(line)) {
        ts_buf_printf(out, "\xe2\x94\x8c %u x [%u operation%s]", line->item->repeats, line->item->period,
                      line->item->period == 1 ? "" : "s");
    } else if (line->signpost) {
        ts_buf_text(out, "\xe2\x9a\x91 ");
        ts_utf8_escape(out, ts_ops_text(table->report->source->ops, TS_OPS_OP_CODE, source));
    } else {
        ts_buf_str(out, ts_perf_label_name(&table->labels, line->row).text);
    }
}

static bool just_a_row(const struct line *line)
{
    return !line->item && !line->signpost;
}

static void put_op(struct table *table, const struct line *line, enum ts_text_color color)
{
    const struct ts_perf_text_column *column = &table->columns[OP];
    unsigned room = table->grid.compact ? column->compact_width : column->width;
    struct ts_perf_label label;
    if (table->text->options->width == 0)
        room = UINT32_MAX;
    if (just_a_row(line)) {
        label = ts_perf_label_fitted_name(&table->labels, line->row, room);
    } else {
        name_line(table, line);
        ts_perf_text_reuse(table->text, &table->cell);
        label.width = ts_perf_label_fit(&table->cell, ts_buf_view(&table->scratch), room);
        label.text = ts_buf_view(&table->cell);
    }
    ts_perf_text_cell(table->text, &table->grid, OP, label.text, label.width, color);
}

/* Signposts and blocks have none. */
static struct ts_perf_label fidelity_of(struct table *table, const struct line *line, bool compact)
{
    if (line->signpost || is_block(line))
        return (struct ts_perf_label){{"", 0}, 0};
    return ts_perf_label_fidelity(&table->labels, line->row, compact);
}

/* ---- measuring ---- */

static void raise(double *largest, double value)
{
    if (value > *largest)
        *largest = value;
}

static void raise_width(unsigned *largest, unsigned width)
{
    if (width > *largest)
        *largest = width;
}

static void measure_texts(struct table *table, const struct line *line)
{
    char buffer[64];
    struct largest *largest = &table->largest;
    const struct ts_perf_report *report = table->report;
    uint32_t source = report->rows[line->row].source;
    if (just_a_row(line)) {
        raise_width(&largest->op, ts_perf_label_name(&table->labels, line->row).width);
    } else {
        name_line(table, line);
        raise_width(&largest->op, ts_perf_text_width(ts_buf_view(&table->scratch)));
    }
    raise_width(&largest->fidelity, fidelity_of(table, line, false).width);
    raise_width(&largest->fidelity_compact, fidelity_of(table, line, true).width);
    if (report->source->facts[source].sub_device != 0)
        raise_width(&largest->sub_device,
                    ts_perf_text_width(ts_perf_source_sub_device(report->source, source, buffer)));
}

static enum ts_status measure(struct table *table, struct ts_error *error)
{
    struct largest *largest = &table->largest;
    const struct ts_perf_report *report = table->report;
    int32_t device = -1, available = -1;
    bool devices_differ = false, budgets_differ = false;
    for (uint32_t i = 0; i < table->count; i++) {
        if (i % CHECK_EVERY_ROWS == 0 && ts_context_check(table->text->context, error))
            return error->code;
        struct line line = line_at(table, i);
        const struct ts_op_facts *facts = ts_perf_row_facts(report, line.row);
        measure_texts(table, &line);
        uint64_t id = (uint64_t)report->rows[line.row].source + 2;
        largest->id = id > largest->id ? id : largest->id;
        raise(&largest->total, line.total);
        raise(&largest->time, line.time);
        raise(&largest->gap, line.gap);
        raise(&largest->cores, facts->cores);
        raise(&largest->available, facts->available_cores);
        raise(&largest->dram, line.dram);
        raise(&largest->dram_percent, line.dram_percent);
        raise(&largest->tflops, line.tflops);
        raise(&largest->flops_percent, line.flops_percent);
        raise(&largest->device, facts->device);
        if (facts->device >= 0) {
            devices_differ = devices_differ || (device >= 0 && device != facts->device);
            device = facts->device;
        }
        budgets_differ = budgets_differ || (available >= 0 && available != facts->available_cores);
        available = facts->available_cores;
    }
    table->columns[SUB_DEVICE].shown = report->distinct_sub_devices > 0;
    table->columns[AVAILABLE].shown = report->distinct_sub_devices > 0 || budgets_differ;
    table->columns[DEVICE].drop = devices_differ ? 7 : 4;
    return TS_OK;
}

static unsigned number_width(struct table *table, double value, int places, const char *unit)
{
    ts_perf_text_reuse(table->text, &table->scratch);
    return ts_perf_text_number(&table->scratch, value, places, unit);
}

static void set_widths(struct table *table, unsigned column, double largest, int places, const char *unit)
{
    table->columns[column].width = number_width(table, largest, places, unit);
    table->columns[column].compact_width = number_width(table, largest, places, "");
}

static void count_kinds(const struct ts_perf_report *report, uint32_t *host, uint32_t *signposts)
{
    *host = *signposts = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        uint8_t kind = ts_perf_row_facts(report, i)->kind;
        *host += kind == TS_ROW_HOST;
        *signposts += kind == TS_ROW_SIGNPOST;
    }
}

static void total_label(const struct table *table, bool compact, struct ts_buf *out)
{
    uint32_t host, signposts;
    count_kinds(table->report, &host, &signposts);
    ts_buf_printf(out, "%u device ops", table->report->device_ops);
    if (!compact)
        ts_buf_printf(out, ", %u host ops, %u signposts", host, signposts);
}

static void lay_out(struct table *table)
{
    static const struct ts_perf_text_column columns[COLUMNS] = {
        [ID] = {.heading = "ID", .compact_heading = "ID", .shown = true},
        [TOTAL] = {.heading = "Total %", .compact_heading = "Total", .shown = true},
        [BOUND] = {.heading = "Bound", .compact_heading = "Bound", .width = 5, .compact_width = 4, .shown = true},
        [OP] = {.heading = "OP Code", .compact_heading = "OP Code", .left = true, .shown = true},
        [DEVICE] = {.heading = "Device", .compact_heading = "Dev", .width = 7, .shown = true},
        [SUB_DEVICE] = {.heading = "Sub Device ID", .compact_heading = "Sub", .drop = 6},
        [TIME] = {.heading = "Device Time", .compact_heading = "Time \xce\xbcs", .shown = true},
        [GAP] = {.heading = "Op-to-Op Gap", .compact_heading = "Gap \xce\xbcs", .shown = true},
        [CORES] = {.heading = "Cores", .compact_heading = "Cores", .drop = 8, .shown = true},
        [AVAILABLE] = {.heading = "Available Cores", .compact_heading = "of", .drop = 3},
        [DRAM] = {.heading = "DRAM", .compact_heading = "GB/s", .drop = 1, .shown = true},
        [DRAM_PERCENT] = {.heading = "DRAM %", .compact_heading = "DRAM%", .drop = 9, .shown = true},
        [TFLOPS] = {.heading = "FLOPs", .compact_heading = "TFLOPs", .drop = 2, .shown = true},
        [FLOPS_PERCENT] = {.heading = "FLOPs %", .compact_heading = "FLOP%", .drop = 9, .shown = true},
        [FIDELITY] = {.heading = "Math Fidelity", .compact_heading = "Fidelity", .drop = 5, .shown = true},
    };
    bool shows[COLUMNS] = {
        [SUB_DEVICE] = table->columns[SUB_DEVICE].shown, [AVAILABLE] = table->columns[AVAILABLE].shown};
    unsigned device_drop = table->columns[DEVICE].drop;
    memcpy(table->columns, columns, sizeof columns);
    table->columns[SUB_DEVICE].shown = shows[SUB_DEVICE];
    table->columns[AVAILABLE].shown = shows[AVAILABLE];
    table->columns[DEVICE].drop = device_drop;

    const struct largest *largest = &table->largest;
    int id_width = snprintf(NULL, 0, "%" PRIu64, largest->id);
    table->columns[ID].width = table->columns[ID].compact_width = (unsigned)id_width;
    set_widths(table, TOTAL, 100, 1, " %");
    set_widths(table, TIME, largest->time, 0, " \xce\xbcs");
    set_widths(table, GAP, largest->gap, 0, " \xce\xbcs");
    set_widths(table, CORES, largest->cores, 0, "");
    set_widths(table, AVAILABLE, largest->available, 0, "");
    set_widths(table, DRAM, largest->dram, 0, " GB/s");
    set_widths(table, DRAM_PERCENT, largest->dram_percent, 1, " %");
    set_widths(table, TFLOPS, largest->tflops, 1, " TFLOPs");
    set_widths(table, FLOPS_PERCENT, largest->flops_percent, 1, " %");
    set_widths(table, DEVICE, largest->device, 0, "");
    if (table->columns[DEVICE].width < 7)
        table->columns[DEVICE].width = 7;
    table->columns[SUB_DEVICE].width = table->columns[SUB_DEVICE].compact_width = largest->sub_device;
    table->columns[FIDELITY].width = largest->fidelity;
    table->columns[FIDELITY].compact_width = largest->fidelity_compact;
    unsigned op = largest->op;
    if (table->text->options->width == 0 && op > OP_PADDED_MAX)
        op = OP_PADDED_MAX;
    table->columns[OP].width = table->columns[OP].compact_width = op;
    table->grid = (struct ts_perf_text_grid){.columns = table->columns,
                                             .count = COLUMNS,
                                             .flexible = OP,
                                             .keep = OP_KEEP,
                                             .cheap = 3,
                                             .keep_cheap = OP_KEEP_CHEAP};
    ts_perf_text_fit(&table->grid, table->text->options->width);
}

/* ---- cells ---- */

static void put_number(struct table *table, unsigned column, double value, int places, const char *unit,
                       enum ts_text_color color)
{
    ts_perf_text_reuse(table->text, &table->cell);
    unsigned width = ts_perf_text_number(&table->cell, value, places, table->grid.compact ? "" : unit);
    ts_perf_text_cell(table->text, &table->grid, column, ts_buf_view(&table->cell), width, color);
}

static void put_text(struct table *table, unsigned column, const char *text, enum ts_text_color color)
{
    struct ts_str cell = ts_str_from(text);
    ts_perf_text_cell(table->text, &table->grid, column, cell, ts_perf_text_width(cell), color);
}

static enum ts_text_color fidelity_color(const struct table *table, const struct line *line)
{
    const struct ts_ops_csv *ops = table->report->source->ops;
    uint32_t row = table->report->rows[line->row].source;
    const struct ts_op_facts *facts = &table->report->source->facts[row];
    if (facts->analysis == TS_ANALYSIS_NONE)
        return TS_COLOR_PLAIN;
    switch (ts_fidelity_judge(
                ts_ops_text(ops, TS_OPS_INPUT_0_DATATYPE, row), ts_ops_text(ops, TS_OPS_INPUT_1_DATATYPE, row),
                ts_ops_text(ops, TS_OPS_OUTPUT_0_DATATYPE, row), ts_ops_text(ops, TS_OPS_MATH_FIDELITY, row))
                .verdict) {
    case TS_FIDELITY_SUFFICIENT:
        return TS_COLOR_GREEN;
    case TS_FIDELITY_TOO_HIGH:
        return TS_COLOR_RED;
    case TS_FIDELITY_TOO_LOW:
        return TS_COLOR_CYAN;
    default:
        return TS_COLOR_PLAIN;
    }
}

static enum ts_text_color cores_color(const struct ts_op_facts *facts)
{
    if (facts->dram_sharded || (facts->cores > 0 && facts->cores == facts->available_cores))
        return TS_COLOR_GREEN;
    bool few = facts->cores >= 0 && facts->cores < CORES_FEW && facts->cores * 2 < facts->available_cores;
    return few ? TS_COLOR_RED : TS_COLOR_PLAIN;
}

/* The colours of a line. */
struct colors {
    enum ts_text_color rest, bound, op, gap, cores, dram, flops, fidelity;
};

static struct colors colors_of(const struct table *table, const struct line *line)
{
    struct colors colors = {TS_COLOR_PLAIN, TS_COLOR_PLAIN, TS_COLOR_PLAIN, TS_COLOR_PLAIN,
                            TS_COLOR_PLAIN, TS_COLOR_PLAIN, TS_COLOR_PLAIN, TS_COLOR_PLAIN};
    if (!table->text->options->color)
        return colors;
    enum ts_text_color all = line->signpost || is_block(line) ? TS_COLOR_BOLD : TS_COLOR_GREY;
    bool counts = line->host || line->total >= table->text->options->min_percentage;
    if (all == TS_COLOR_BOLD || !counts)
        return (struct colors){all, all, all, all, all, all, all, all};
    const struct ts_op_facts *facts = ts_perf_row_facts(table->report, line->row);
    colors.op = ts_perf_text_op_color(ts_perf_source_name(table->report->source, table->report->rows[line->row].source),
                                      line->host);
    colors.gap = line->gap > GAP_HIGH ? TS_COLOR_RED : TS_COLOR_PLAIN;
    colors.cores = cores_color(facts);
    colors.fidelity = fidelity_color(table, line);
    switch (line->bound) {
    case TS_BOUND_DRAM:
        colors.bound = colors.dram = TS_COLOR_GREEN;
        break;
    case TS_BOUND_FLOP:
        colors.bound = colors.flops = TS_COLOR_GREEN;
        break;
    case TS_BOUND_BOTH:
        colors.bound = colors.dram = colors.flops = TS_COLOR_GREEN;
        break;
    case TS_BOUND_SLOW:
        colors.bound = TS_COLOR_YELLOW;
        *(line->dram_percent > line->flops_percent ? &colors.dram : &colors.flops) = TS_COLOR_YELLOW;
        break;
    case TS_BOUND_HOST:
        colors.bound = TS_COLOR_RED;
        break;
    default:
        break;
    }
    return colors;
}

static void put_id(struct table *table, uint32_t row, enum ts_text_color color)
{
    ts_perf_text_reuse(table->text, &table->cell);
    ts_buf_printf(&table->cell, "%" PRIu64, (uint64_t)table->report->rows[row].source + 2);
    ts_perf_text_cell(table->text, &table->grid, ID, ts_buf_view(&table->cell), (unsigned)table->cell.len, color);
}

static void put_sub_device(struct table *table, uint32_t row, enum ts_text_color color)
{
    char buffer[64];
    ts_perf_text_reuse(table->text, &table->cell);
    ts_utf8_escape(&table->cell,
                   ts_perf_source_sub_device(table->report->source, table->report->rows[row].source, buffer));
    struct ts_str cell = ts_buf_view(&table->cell);
    ts_perf_text_cell(table->text, &table->grid, SUB_DEVICE, cell, ts_perf_text_width(cell), color);
}

static void put_line(struct table *table, const struct line *line)
{
    const struct ts_op_facts *facts = ts_perf_row_facts(table->report, line->row);
    struct colors colors = colors_of(table, line);
    bool plain = line->signpost || is_block(line);
    size_t start = table->text->out->len;
    put_id(table, line->row, colors.rest);
    put_number(table, TOTAL, line->total, 1, " %", colors.rest);
    put_text(table, BOUND, is_block(line) ? NULL : ts_bound_name((enum ts_bound)line->bound), colors.bound);
    put_op(table, line, colors.op);
    put_number(table, DEVICE, !plain && facts->device >= 0 ? facts->device : TS_ABSENT, 0, "", colors.rest);
    if (table->columns[SUB_DEVICE].shown)
        put_sub_device(table, line->row, colors.rest);
    put_number(table, TIME, line->time, 0, " \xce\xbcs", colors.rest);
    put_number(table, GAP, line->gap, 0, " \xce\xbcs", colors.gap);
    put_number(table, CORES, !plain && facts->cores >= 0 ? facts->cores : TS_ABSENT, 0, "", colors.cores);
    put_number(table, AVAILABLE, plain ? TS_ABSENT : facts->available_cores, 0, "", colors.rest);
    put_number(table, DRAM, line->dram, 0, " GB/s", colors.dram);
    put_number(table, DRAM_PERCENT, line->dram_percent, 1, " %", colors.dram);
    put_number(table, TFLOPS, line->tflops, 1, " TFLOPs", colors.flops);
    put_number(table, FLOPS_PERCENT, line->flops_percent, 1, " %", colors.flops);
    struct ts_perf_label fidelity = fidelity_of(table, line, table->grid.compact);
    ts_perf_text_cell(table->text, &table->grid, FIDELITY, fidelity.text, fidelity.width, colors.fidelity);
    ts_perf_text_end_line(table->text, start);
}

/* A line of sums: whatever is not given stays empty. */
static void put_sums(struct table *table, struct ts_str label, const double figures[COLUMNS], enum ts_text_color color)
{
    static const struct {
        int places;
        const char *unit;
    } forms[COLUMNS] = {[TOTAL] = {1, " %"},
                        [TIME] = {0, " \xce\xbcs"},
                        [GAP] = {0, " \xce\xbcs"},
                        [DRAM] = {0, " GB/s"},
                        [DRAM_PERCENT] = {1, " %"}};
    size_t start = table->text->out->len;
    for (unsigned i = 0; i < COLUMNS; i++) {
        if (i == OP)
            ts_perf_text_cell(table->text, &table->grid, OP, label, ts_perf_text_width(label), color);
        else if (forms[i].unit)
            put_number(table, i, figures[i], forms[i].places, forms[i].unit, color);
        else
            put_text(table, i, NULL, color);
    }
    ts_perf_text_end_line(table->text, start);
}

static void put_devices(struct table *table, uint32_t row)
{
    const struct ts_perf_report *report = table->report;
    const struct ts_perf_row *figures = &report->rows[row];
    double least = TS_ABSENT, most = TS_ABSENT;
    ts_perf_text_reuse(table->text, &table->scratch);
    for (uint32_t i = 0; i < figures->member_count; i++) {
        uint32_t source = report->members[figures->members + i];
        double time = ts_perf_own_device_time(report->source->ops, source);
        ts_buf_printf(&table->scratch, "%s%d: ", i ? ", " : "", report->source->facts[source].device);
        if (ts_perf_text_number(&table->scratch, time, 1, "") == 0)
            ts_buf_char(&table->scratch, '-');
        least = !(least <= time) && ts_present(time) ? time : least;
        most = !(most >= time) && ts_present(time) ? time : most;
    }
    ts_buf_text(&table->scratch, " \xce\xbcs");
    if (least > 0 && most > least) {
        ts_buf_text(&table->scratch, "; slowest ");
        ts_perf_text_number(&table->scratch, most / least, 2, " x fastest");
    }
    unsigned indent = table->columns[ID].width + TS_PERF_TEXT_GAP;
    size_t start = table->text->out->len;
    for (unsigned i = 0; i < indent; i++)
        ts_buf_char(table->text->out, ' ');
    ts_buf_text(table->text->out, "devices ");
    ts_perf_text_wrapped(table->text, ts_buf_view(&table->scratch), (unsigned)(table->text->out->len - start),
                         indent + 8);
}

/* ---- the table ---- */

/* What --top leaves out, in one line. */
static void put_rest(struct table *table)
{
    double figures[COLUMNS] = {0};
    uint32_t rest = table->report->count - table->count;
    if (!table->order || rest == 0)
        return;
    for (uint32_t i = table->count; i < table->report->count; i++) {
        const struct ts_perf_row *row = &table->report->rows[table->order[i]];
        figures[TOTAL] += ts_present(row->total_percent) ? row->total_percent : 0;
        figures[TIME] += ts_present(row->device_time) ? row->device_time : 0;
        figures[GAP] += ts_present(row->op_to_op_gap) ? row->op_to_op_gap : 0;
    }
    figures[DRAM] = figures[DRAM_PERCENT] = TS_ABSENT;
    char label[48];
    int len = snprintf(label, sizeof label, "%u more rows", rest);
    put_sums(table, (struct ts_str){label, (size_t)len}, figures, TS_COLOR_GREY);
}

static void put_total(struct table *table)
{
    const struct ts_perf_report *report = table->report;
    double figures[COLUMNS] = {[TOTAL] = 100, [TIME] = report->device_time_total, [GAP] = report->gap_total};
    figures[DRAM] = table->dram_total;
    figures[DRAM_PERCENT] = table->dram_total_percent;
    struct ts_buf label;
    ts_buf_init(&label, 0);
    total_label(table, table->grid.compact, &label);
    put_sums(table, ts_buf_view(&label), figures, TS_COLOR_BOLD);
    ts_perf_text_done(table->text, &label);
}

static void measure_totals(struct table *table)
{
    struct ts_buf label;
    ts_buf_init(&label, 0);
    total_label(table, false, &label);
    raise_width(&table->largest.op, ts_perf_text_width(ts_buf_view(&label)));
    ts_perf_text_done(table->text, &label);
    raise(&table->largest.time, table->report->device_time_total);
    raise(&table->largest.gap, table->report->gap_total);
    if (!ts_perf_selection_dram(table->text->selection, &table->dram_total, &table->dram_total_percent))
        table->dram_total = table->dram_total_percent = TS_ABSENT;
    raise(&table->largest.dram, table->dram_total);
    raise(&table->largest.dram_percent, table->dram_total_percent);
}

static void put_table(struct table *table)
{
    lay_out(table);
    unsigned width = ts_perf_text_grid_width(&table->grid);
    ts_perf_text_headings(table->text, &table->grid);
    ts_perf_text_rule(table->text, width);
    for (uint32_t i = 0; i < table->count; i++) {
        struct line line = line_at(table, i);
        put_line(table, &line);
        bool several = !line.item || line.item->count == 1;
        if (table->text->options->devices && several && table->report->rows[line.row].member_count > 1)
            put_devices(table, line.row);
    }
    put_rest(table);
    ts_perf_text_rule(table->text, width);
    put_total(table);
}

/* What has to be known to read the table. */
static void put_footnotes(struct table *table)
{
    const struct ts_perf_report *report = table->report;
    struct ts_buf *line = &table->scratch;
    ts_buf_char(table->text->out, '\n');
    ts_perf_text_reuse(table->text, line);
    ts_buf_printf(line, "Coverage: %u of %u device operations have a device time", report->timed_ops,
                  report->device_ops);
    if (report->timed_ops < report->device_ops)
        ts_buf_text(line, "; totals and shares are of these alone");
    ts_buf_char(line, '.');
    if (table->grid.compact) {
        uint32_t host, signposts;
        count_kinds(report, &host, &signposts);
        ts_buf_printf(line, " Besides them %u host ops and %u signposts.", host, signposts);
    }
    ts_perf_text_wrapped(table->text, ts_buf_view(line), 0, 0);
    if (table->text->folding && table->text->folding->blocks > 0)
        ts_perf_text_wrapped(table->text,
                             TS_STR("Folded: Total % is the sum over all repetitions, every other figure the mean of "
                                    "one, and IDs are of the first."),
                             0, 0);
    ts_perf_text_left_out(table->text, &table->grid);
}

enum ts_status ts_perf_text_rows(const struct ts_perf_text *text, struct ts_error *error)
{
    struct table table = {.text = text, .report = text->selection->report};
    table.count = text->folding ? text->folding->count : table.report->count;
    ts_buf_init(&table.scratch, 0);
    ts_buf_init(&table.cell, 0);
    enum ts_status status = ts_perf_labels_init(&table.labels, table.report) ? TS_OK : ts_error_no_memory(error);
    if (status == TS_OK && text->options->top) {
        table.order = ts_perf_order_by_share(table.report, text->options->top, &table.count);
        if (!table.order)
            status = ts_error_no_memory(error);
    }
    if (status == TS_OK)
        status = measure(&table, error);
    if (status == TS_OK) {
        measure_totals(&table);
        put_table(&table);
        put_footnotes(&table);
        if (table.labels.failed)
            text->out->failed = true;
    }
    ts_perf_text_done(text, &table.scratch);
    ts_perf_text_done(text, &table.cell);
    ts_perf_labels_free(&table.labels);
    free(table.order);
    return status;
}
