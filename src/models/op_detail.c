#include "models/op_detail.h"

#include <limits.h>
#include <math.h>

#include "base/number.h"

/* How a field is read. */
enum reader {
    READ_FIDELITY,
    READ_TEXT,
    READ_FLAG,
    READ_COUNT, /* a TEXT column */
    READ_LIST,
    READ_NUMBER,
    READ_US,
    READ_MODELLED_US, /* null where its column holds the placeholder */
    READ_FPU,         /* null where PM COMPUTE does */
    READ_REPORT,      /* computed: report_value knows how */
    READ_NOTHING,
};

struct field {
    enum reader reader;
    enum ts_ops_column column; /* TS_OPS_COLUMN_COUNT: computed by the report */
};

#define CSV(name, how, where) [TS_FIELD_##name] = {.reader = READ_##how, .column = TS_OPS_##where}
#define REPORT(name) [TS_FIELD_##name] = {.reader = READ_REPORT, .column = TS_OPS_COLUMN_COUNT}

static const struct field fields[TS_DETAIL_FIELD_COUNT] = {
    CSV(MATH_FIDELITY, FIDELITY, MATH_FIDELITY),
    CSV(INPUT_0_DATATYPE, TEXT, INPUT_0_DATATYPE),
    CSV(INPUT_1_DATATYPE, TEXT, INPUT_1_DATATYPE),
    CSV(OUTPUT_DATATYPE, TEXT, OUTPUT_0_DATATYPE),
    CSV(INPUT_0_MEMORY, TEXT, INPUT_0_MEMORY),
    REPORT(DRAM_SHARDED),
    REPORT(INNER_DIM_BLOCK_SIZE),
    REPORT(OUTPUT_SUBBLOCK_H),
    REPORT(OUTPUT_SUBBLOCK_W),
    REPORT(DRAM_GB_PER_S),
    REPORT(DRAM_PERCENT),
    REPORT(TFLOPS),
    REPORT(FLOPS_PERCENT),
    CSV(IDEAL_US, MODELLED_US, PM_IDEAL),
    CSV(IDEAL_COMPUTE_US, MODELLED_US, PM_COMPUTE),
    CSV(IDEAL_BANDWIDTH_US, MODELLED_US, PM_BANDWIDTH),
    CSV(FPU_UTIL_PERCENT, FPU, PM_FPU_UTIL),
    CSV(NOC_UTIL_PERCENT, NUMBER, NOC_UTIL),
    CSV(MULTICAST_NOC_UTIL_PERCENT, NUMBER, MULTICAST_NOC_UTIL),
    CSV(DRAM_BW_UTIL_PERCENT, NUMBER, DRAM_BW_UTIL),
    CSV(DRAM_BW_UTIL_PER_CONTROLLER, TEXT, DRAM_BW_UTIL_PER_CTRL),
    CSV(ETH_BW_UTIL_PER_CORE, TEXT, ETH_BW_UTIL),
    CSV(NPE_CONGESTION_IMPACT_PERCENT, NUMBER, NPE_CONG_IMPACT),
    CSV(KERNEL_US, US, KERNEL_DURATION),
    CSV(BRISC_US, US, BRISC_DURATION),
    CSV(NCRISC_US, US, NCRISC_DURATION),
    CSV(TRISC0_US, US, TRISC0_DURATION),
    CSV(TRISC1_US, US, TRISC1_DURATION),
    CSV(TRISC2_US, US, TRISC2_DURATION),
    CSV(ERISC_US, US, ERISC_DURATION),
    CSV(COMPUTE_CB_WAIT_FRONT_US, US, CB_WAIT_FRONT),
    CSV(COMPUTE_CB_RESERVE_BACK_US, US, CB_RESERVE_BACK),
    REPORT(AVAILABLE_CORES),
    CSV(FIRST_TO_LAST_START_US, US, FIRST_TO_LAST_START),
    CSV(PER_CORE_MIN_US, US, PER_CORE_MIN),
    CSV(PER_CORE_MAX_US, US, PER_CORE_MAX),
    CSV(PER_CORE_AVG_US, US, PER_CORE_AVG),
    REPORT(OP_TO_OP_GAP_US),
    CSV(DISPATCH_CQ_CMD_OP_US, US, DISPATCH_CQ_CMD_OP),
    CSV(DISPATCH_GO_SEND_WAIT_US, US, DISPATCH_GO_SEND_WAIT),
    CSV(METAL_TRACE_ID, COUNT, METAL_TRACE_ID),
    CSV(METAL_TRACE_REPLAY_SESSION_ID, COUNT, METAL_TRACE_REPLAY_SESSION_ID),
    CSV(PROGRAM_HASH, TEXT, PROGRAM_HASH),
    CSV(PROGRAM_CACHE_HIT, FLAG, PROGRAM_CACHE_HIT),
    CSV(GLOBAL_CALL_COUNT, COUNT, GLOBAL_CALL_COUNT),
    CSV(COMPUTE_KERNELS, LIST, COMPUTE_KERNEL_SOURCE),
    CSV(COMPUTE_KERNEL_HASHES, LIST, COMPUTE_KERNEL_HASH),
    CSV(DATA_MOVEMENT_KERNELS, LIST, DATA_MOVEMENT_KERNEL_SOURCE),
    CSV(DATA_MOVEMENT_KERNEL_HASHES, LIST, DATA_MOVEMENT_KERNEL_HASH),
    [TS_FIELD_ADVICE] = {.reader = READ_NOTHING, .column = TS_OPS_COLUMN_COUNT},
};

enum ts_detail_group ts_detail_group_of(enum ts_detail_field field)
{
    static const uint8_t groups[TS_DETAIL_FIELD_COUNT] = {
#define GROUP_OF(name, group) [TS_FIELD_##name] = TS_DETAIL_##group,
        TS_DETAIL_FIELDS(GROUP_OF)
#undef GROUP_OF
    };
    return (enum ts_detail_group)groups[field];
}

/* ---- values ---- */

static struct ts_detail_value null_value(void)
{
    return (struct ts_detail_value){.type = TS_DETAIL_NULL, .text = {"", 0}};
}

static struct ts_detail_value number_value(double value)
{
    struct ts_detail_value out = null_value();
    if (ts_present(value)) {
        out.type = TS_DETAIL_NUMBER;
        out.number = ts_round(value, 3);
    }
    return out;
}

static struct ts_detail_value integer_value(int64_t value)
{
    struct ts_detail_value out = null_value();
    out.type = TS_DETAIL_INTEGER;
    out.integer = value;
    return out;
}

static struct ts_detail_value boolean_value(bool value)
{
    struct ts_detail_value out = null_value();
    out.type = TS_DETAIL_BOOLEAN;
    out.boolean = value;
    return out;
}

static bool is_placeholder(double value)
{
    /* The bounds spare the rounding of nearly every value. */
    return value > 0.999 && value < 1.001 && ts_round(value, 3) == 1;
}

/* Whether trimmed text stands for no value. */
static bool is_null_text(struct ts_str trimmed)
{
    return trimmed.len == 0 || ts_str_is(trimmed, "nan") || ts_str_is(trimmed, "NaN") || ts_str_is(trimmed, "None");
}

static struct ts_detail_value text_value(struct ts_str cell)
{
    struct ts_detail_value out = null_value();
    struct ts_str text = ts_str_trim(cell);
    if (!is_null_text(text)) {
        out.type = TS_DETAIL_TEXT;
        out.text = text;
    }
    return out;
}

static struct ts_detail_value fidelity_value(struct ts_str cell)
{
    struct ts_str text = ts_str_trim(cell);
    bool known =
        ts_str_is(text, "LoFi") || ts_str_is(text, "HiFi2") || ts_str_is(text, "HiFi3") || ts_str_is(text, "HiFi4");
    return known ? text_value(text) : null_value();
}

static struct ts_detail_value flag_value(struct ts_str cell)
{
    if (ts_str_is(cell, "True"))
        return boolean_value(true);
    return ts_str_is(cell, "False") ? boolean_value(false) : null_value();
}

static struct ts_detail_value count_value(struct ts_str cell)
{
    int64_t integer;
    double number;
    if (ts_number_parse_i64(cell, &integer))
        return integer_value(integer);
    if (!ts_number_parse(cell, &number))
        return null_value();
    number = trunc(ts_round(number, 3));
    if (number >= -0x1p63 && number < 0x1p63)
        return integer_value((int64_t)number);
    return number_value(number);
}

static struct ts_detail_value list_value(struct ts_str cell)
{
    struct ts_detail_value out = text_value(cell);
    if (out.type == TS_DETAIL_NULL)
        return out;
    out.type = TS_DETAIL_LIST;
    struct ts_str text = out.text;
    if (text.len >= 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']')
        out.text = ts_str_sub(text, 1, text.len - 2);
    return out;
}

static struct ts_str unquoted(struct ts_str item)
{
    while (item.len > 0 && (item.ptr[0] == '\'' || item.ptr[0] == '"'))
        item = ts_str_sub(item, 1, item.len);
    while (item.len > 0 && (item.ptr[item.len - 1] == '\'' || item.ptr[item.len - 1] == '"'))
        item.len--;
    return item;
}

bool ts_detail_list_next(struct ts_str *rest, struct ts_str *item)
{
    while (rest->len > 0) {
        size_t end = ts_str_find(*rest, TS_STR(";"), 0);
        size_t len = end == (size_t)-1 ? rest->len : end;
        struct ts_str piece = unquoted(ts_str_trim(ts_str_sub(*rest, 0, len)));
        *rest = ts_str_sub(*rest, len == rest->len ? len : len + 1, rest->len);
        if (piece.len > 0) {
            *item = piece;
            return true;
        }
    }
    return false;
}

static struct ts_detail_value attribute_value(int32_t value)
{
    return value == TS_ATTRIBUTE_ABSENT ? null_value() : integer_value(value);
}

static struct ts_detail_value report_value(const struct ts_perf_report *report, uint32_t row,
                                           enum ts_detail_field field)
{
    const struct ts_perf_row *figures = &report->rows[row];
    const struct ts_op_facts *facts = ts_perf_row_facts(report, row);
    const struct ts_op_attributes *attributes = ts_ops_attributes(report->source->ops, figures->source);
    switch (field) {
    case TS_FIELD_DRAM_SHARDED:
        return boolean_value(facts->dram_sharded);
    case TS_FIELD_INNER_DIM_BLOCK_SIZE:
        return attribute_value(attributes->in0_block_w);
    case TS_FIELD_OUTPUT_SUBBLOCK_H:
        return attribute_value(attributes->out_subblock_h);
    case TS_FIELD_OUTPUT_SUBBLOCK_W:
        return attribute_value(attributes->out_subblock_w);
    case TS_FIELD_DRAM_GB_PER_S:
        return number_value(figures->dram_gb_per_s);
    case TS_FIELD_DRAM_PERCENT:
        return number_value(figures->dram_percent);
    case TS_FIELD_TFLOPS:
        return number_value(figures->tflops);
    case TS_FIELD_FLOPS_PERCENT:
        return number_value(figures->flops_percent);
    case TS_FIELD_AVAILABLE_CORES:
        return facts->available_cores < 0 ? null_value() : integer_value(facts->available_cores);
    case TS_FIELD_OP_TO_OP_GAP_US:
        return number_value(figures->op_to_op_gap);
    default:
        return null_value();
    }
}

static struct ts_detail_value us_value(double ns)
{
    return ts_present(ns) ? number_value(ts_ns_to_us(ns)) : null_value();
}

struct ts_detail_value ts_detail_value(const struct ts_perf_report *report, uint32_t row, enum ts_detail_field field)
{
    const struct ts_ops_csv *ops = report->source->ops;
    uint32_t source = report->rows[row].source;
    enum ts_ops_column column = fields[field].column;
    double number;
    switch (fields[field].reader) {
    case READ_FIDELITY:
        return fidelity_value(ts_ops_text(ops, column, source));
    case READ_TEXT:
        return text_value(ts_ops_text(ops, column, source));
    case READ_FLAG:
        return flag_value(ts_ops_text(ops, column, source));
    case READ_COUNT:
        return count_value(ts_ops_text(ops, column, source));
    case READ_LIST:
        return list_value(ts_ops_text(ops, column, source));
    case READ_NUMBER:
        return number_value(ts_ops_number(ops, column, source));
    case READ_US:
        return us_value(ts_ops_number(ops, column, source));
    case READ_MODELLED_US:
        number = ts_ops_number(ops, column, source);
        return is_placeholder(number) ? null_value() : us_value(number);
    case READ_FPU:
        if (is_placeholder(ts_ops_number(ops, TS_OPS_PM_COMPUTE, source)))
            return null_value();
        return number_value(ts_ops_number(ops, column, source));
    case READ_REPORT:
        return report_value(report, row, field);
    case READ_NOTHING:
        break;
    }
    return null_value();
}

/* ---- what no row carries ---- */

static bool is_numeric(enum reader reader)
{
    return reader == READ_NUMBER || reader == READ_US || reader == READ_MODELLED_US || reader == READ_FPU;
}

/* Whether a row's number is a value, without the rounding that an answer does. */
static bool carries_number(const struct ts_ops_csv *ops, const struct field *field, uint32_t source)
{
    double value = ops->numbers[field->column][source];
    if (!ts_present(value))
        return false;
    if (field->reader == READ_MODELLED_US)
        return !is_placeholder(value);
    return field->reader != READ_FPU || !is_placeholder(ts_ops_number(ops, TS_OPS_PM_COMPUTE, source));
}

static bool any_number(const struct ts_perf_report *report, const struct field *field)
{
    const struct ts_ops_csv *ops = report->source->ops;
    if (!ops->numbers[field->column])
        return false;
    for (uint32_t row = 0; row < report->count; row++) {
        if (carries_number(ops, field, report->rows[row].source))
            return true;
    }
    return false;
}

/* Whatever a text is, one look tells for all rows that repeat it. */
static bool any_text(const struct ts_perf_report *report, enum ts_detail_field field)
{
    const uint32_t *texts = report->source->ops->texts[fields[field].column];
    if (!texts)
        return false;
    uint32_t null_text = 0;
    for (uint32_t row = 0; row < report->count; row++) {
        uint32_t text = texts[report->rows[row].source];
        if (text == null_text || text == 0)
            continue;
        if (ts_detail_value(report, row, field).type != TS_DETAIL_NULL)
            return true;
        null_text = text;
    }
    return false;
}

/* Whether any set of attributes has what the field shows; rows share few of them. */
static bool in_any_attributes(const struct ts_ops_csv *ops, enum ts_detail_field field)
{
    for (uint32_t set = 0; set < ops->attribute_set_count; set++) {
        const struct ts_op_attributes *attributes = &ops->attribute_sets[set];
        int32_t value = field == TS_FIELD_INNER_DIM_BLOCK_SIZE ? attributes->in0_block_w
                        : field == TS_FIELD_OUTPUT_SUBBLOCK_H  ? attributes->out_subblock_h
                                                               : attributes->out_subblock_w;
        if (value != TS_ATTRIBUTE_ABSENT)
            return true;
    }
    return false;
}

static bool from_attributes(enum ts_detail_field field)
{
    return field == TS_FIELD_INNER_DIM_BLOCK_SIZE || field == TS_FIELD_OUTPUT_SUBBLOCK_H ||
           field == TS_FIELD_OUTPUT_SUBBLOCK_W;
}

static bool any_computed(const struct ts_perf_report *report, enum ts_detail_field field)
{
    if (from_attributes(field) && !in_any_attributes(report->source->ops, field))
        return false;
    for (uint32_t row = 0; row < report->count; row++) {
        if (report_value(report, row, field).type != TS_DETAIL_NULL)
            return true;
    }
    return false;
}

static bool carried(const struct ts_perf_report *report, enum ts_detail_field field)
{
    switch (fields[field].reader) {
    case READ_NOTHING: /* a list, and an empty list is a value */
        return true;
    case READ_REPORT:
        return any_computed(report, field);
    default:
        return is_numeric(fields[field].reader) ? any_number(report, &fields[field]) : any_text(report, field);
    }
}

static bool is_modelled(enum ts_detail_field field)
{
    return fields[field].reader == READ_MODELLED_US || fields[field].reader == READ_FPU;
}

static bool needs_capture_option(enum ts_detail_field field)
{
    return ts_detail_group_of(field) == TS_DETAIL_NOC || field == TS_FIELD_DISPATCH_CQ_CMD_OP_US ||
           field == TS_FIELD_DISPATCH_GO_SEND_WAIT_US || field == TS_FIELD_METAL_TRACE_ID ||
           field == TS_FIELD_METAL_TRACE_REPLAY_SESSION_ID;
}

enum ts_detail_absence ts_detail_absence(const struct ts_perf_report *whole, enum ts_detail_field field)
{
    if (carried(whole, field))
        return TS_PRESENT_SOMEWHERE;
    enum ts_ops_column column = fields[field].column;
    if (column != TS_OPS_COLUMN_COUNT && !whole->source->ops->has[column])
        return TS_ABSENT_NO_COLUMN;
    if (is_modelled(field))
        return TS_ABSENT_MODELLED;
    return needs_capture_option(field) ? TS_ABSENT_CAPTURE_OPTION : TS_ABSENT_EMPTY;
}
