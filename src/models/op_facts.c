#include "models/op_facts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "models/op_shape.h"

enum { CORES_MAX = 1048576, SUB_DEVICE_CHARACTERS = 32, ROWS_PER_CHECK = 4096 };

/* What a text of the table means in each column that may hold it, worked out when a row first needs it. */
enum { READ_CODE = 1, READ_TYPE = 2, READ_DEVICE = 4, READ_BUDGET = 8, READ_SUB_DEVICE = 16 };
enum { BUDGET_ABSENT = -1, BUDGET_NOT_NUMBER = -2, BUDGET_NOT_CORES = -3 };
enum type { TYPE_DEVICE, TYPE_SIGNPOST, TYPE_OTHER, TYPE_EMPTY };
struct reading {
    uint32_t code, sub_device;
    int32_t device, budget;
    uint8_t known; /* READ_* */
    uint8_t type;
    bool device_numeric;
};

/* One distinct op code. */
struct code {
    uint32_t name, signpost_name; /* ids in source->names; UINT32_MAX: not made yet */
    uint8_t analysis, category;
    bool host, sparse, halo, collective, unclassified;
};

/* One distinct combination of all that a name with a shape and its figures depend on. */
struct shaped {
    struct ts_op_shape_input input;
    struct ts_op_shape shape;
    uint32_t name;
};

struct builder {
    struct ts_context *context;
    struct ts_perf_source *source;
    const struct ts_ops_csv *ops;
    unsigned active_experts;
    struct ts_arena scratch;
    struct reading *readings; /* by text of the table */
    TS_VEC(struct code) codes;
    TS_VEC(int32_t) devices;
    struct ts_map shapes; /* struct ts_op_shape_input to struct shaped * */
    struct ts_buf text;
};

static uint32_t text_id(const struct ts_ops_csv *ops, enum ts_ops_column column, uint32_t row)
{
    return ops->texts[column] ? ops->texts[column][row] : 0;
}

/* A cell as the report sees it: empty for every spelling of a missing one. */
static struct ts_str cell(const struct ts_ops_csv *ops, uint32_t id)
{
    struct ts_str text = ts_intern_text(&ops->text, id);
    return ts_ops_cell_empty(text) ? (struct ts_str){"", 0} : text;
}

/* The id in source->names of what stands in builder->text; UINT32_MAX when memory is out. */
static uint32_t intern_text(struct builder *builder)
{
    return builder->text.failed ? UINT32_MAX : ts_intern_add(&builder->source->names, ts_buf_view(&builder->text));
}

static uint32_t strip(struct builder *builder, struct ts_str text)
{
    ts_buf_clear(&builder->text);
    ts_utf8_strip_controls(&builder->text, text);
    return intern_text(builder);
}

static bool read_code(struct builder *builder, struct reading *reading, uint32_t id)
{
    struct code code = {.signpost_name = UINT32_MAX};
    bool known;

    code.name = strip(builder, cell(builder->ops, id));
    if (code.name == UINT32_MAX)
        return false;
    struct ts_str name = ts_intern_text(&builder->source->names, code.name);
    code.host = ts_str_contains(name, TS_STR("(torch)"));
    if (ts_str_contains(name, TS_STR("Matmul")))
        code.analysis = TS_ANALYSIS_FULL;
    else if (ts_str_contains(name, TS_STR("OptimizedConvNew")) || ts_str_contains(name, TS_STR("Conv2d")))
        code.analysis = TS_ANALYSIS_FLOPS_ONLY;
    code.sparse = ts_str_contains(name, TS_STR("SparseMatmul"));
    code.halo = ts_str_contains(name, TS_STR("HaloDeviceOperation"));
    code.collective = ts_str_contains(name, TS_STR("AllGather")) || ts_str_contains(name, TS_STR("ReduceScatter")) ||
                      ts_str_contains(name, TS_STR("AllReduce"));
    code.category = (uint8_t)ts_op_category(name, &known);
    code.unclassified = !known;
    reading->code = (uint32_t)builder->codes.count;
    return ts_vec_push(&builder->codes, code);
}

static enum type type_of(struct ts_str text)
{
    if (text.len == 0)
        return TYPE_EMPTY;
    if (ts_str_contains(text, TS_STR("signpost")))
        return TYPE_SIGNPOST;
    return ts_str_is(text, "tt_dnn_device") ? TYPE_DEVICE : TYPE_OTHER;
}

static int32_t budget_of(struct ts_str text)
{
    double number;
    int64_t cores;

    if (text.len == 0)
        return BUDGET_ABSENT;
    if (!ts_number_parse(text, &number))
        return BUDGET_NOT_NUMBER;
    if (!ts_number_parse_whole(text, &cores) || cores < 1 || cores > CORES_MAX)
        return BUDGET_NOT_CORES;
    return (int32_t)cores;
}

/* Whole numbers are reported as integers, anything else as its text, cut. */
static bool read_sub_device(struct builder *builder, struct reading *reading, uint32_t id)
{
    uint32_t stripped = strip(builder, cell(builder->ops, id));
    double number;
    int64_t whole;

    if (stripped == UINT32_MAX)
        return false;
    struct ts_str text = ts_str_trim(ts_intern_text(&builder->source->names, stripped));
    ts_buf_clear(&builder->text);
    if (ts_number_parse_whole(text, &whole)) {
        ts_buf_printf(&builder->text, "%" PRId64, whole);
    } else if (ts_number_parse(text, &number) && (number > 1e15 || number < -1e15)) {
        char digits[TS_NUMBER_TEXT_MAX];
        ts_buf_add(&builder->text, digits, ts_number_fixed(number, 0, digits));
    } else {
        ts_buf_str(&builder->text, ts_utf8_cut(text, SUB_DEVICE_CHARACTERS));
    }
    reading->sub_device = intern_text(builder);
    return reading->sub_device != UINT32_MAX;
}

static bool read_device(struct builder *builder, struct reading *reading, uint32_t row)
{
    reading->device = ts_ops_device(builder->ops, row);
    reading->device_numeric = ts_ops_device_numeric(builder->ops, row);
    return reading->device < 0 || ts_vec_push(&builder->devices, reading->device);
}

/* The reading of a row's text in column, which bit stands for, completed where it was not needed before; NULL when memory
 * is out. */
static struct reading *read_text(struct builder *builder, enum ts_ops_column column, uint8_t bit, uint32_t row)
{
    uint32_t id = text_id(builder->ops, column, row);
    struct reading *reading = &builder->readings[id];
    bool good = true;

    if (reading->known & bit)
        return reading;
    if (bit == READ_CODE)
        good = read_code(builder, reading, id);
    else if (bit == READ_TYPE)
        reading->type = (uint8_t)type_of(cell(builder->ops, id));
    else if (bit == READ_DEVICE)
        good = read_device(builder, reading, row);
    else if (bit == READ_BUDGET)
        reading->budget = budget_of(cell(builder->ops, id));
    else
        good = read_sub_device(builder, reading, id);
    reading->known |= bit;
    return good ? reading : NULL;
}

/* The largest usable budget of the file stands in for rows without one. */
static bool read_budgets(struct builder *builder)
{
    struct ts_perf_source *source = builder->source;
    int32_t largest = 0;

    for (uint32_t row = 0; builder->ops->texts[TS_OPS_AVAILABLE_WORKER_CORE_COUNT] && row < builder->ops->rows; row++) {
        const struct reading *reading = read_text(builder, TS_OPS_AVAILABLE_WORKER_CORE_COUNT, READ_BUDGET, row);
        if (!reading)
            return false;
        source->budget_not_number += reading->budget == BUDGET_NOT_NUMBER;
        source->budget_not_cores += reading->budget == BUDGET_NOT_CORES;
        largest = reading->budget > largest ? reading->budget : largest;
    }
    source->fallback_cores = largest > 0 ? (uint32_t)largest : source->arch->worker_cores;
    return true;
}

static int32_t core_count(const struct ts_ops_csv *ops, uint32_t row)
{
    double cores = ts_ops_number(ops, TS_OPS_CORE_COUNT, row);
    return cores >= 1 && cores <= CORES_MAX && cores == (double)(int32_t)cores ? (int32_t)cores : -1;
}

static void gather_input(const struct ts_ops_csv *ops, uint32_t row, const struct code *code, uint32_t number,
                         int32_t cores, struct ts_op_shape_input *input)
{
    static const enum ts_ops_column first_dim[] = {TS_OPS_INPUT_0_W, TS_OPS_INPUT_1_W, TS_OPS_OUTPUT_0_W};
    static const enum ts_ops_column datatype[] = {TS_OPS_INPUT_0_DATATYPE, TS_OPS_INPUT_1_DATATYPE,
                                                  TS_OPS_OUTPUT_0_DATATYPE};
    static const enum ts_ops_column memory[] = {TS_OPS_INPUT_0_MEMORY, TS_OPS_INPUT_1_MEMORY, TS_OPS_OUTPUT_0_MEMORY};

    memset(input, 0, sizeof *input);
    input->code = number;
    input->attributes = ops->attributes ? ops->attributes[row] : 0;
    if (code->analysis == TS_ANALYSIS_NONE)
        return;
    input->fidelity = text_id(ops, TS_OPS_MATH_FIDELITY, row);
    input->cores = cores;
    for (int i = 0; i < TS_OPERANDS; i++) {
        for (int j = 0; j < TS_DIMS; j++)
            input->dims[i][j] = ts_ops_number(ops, first_dim[i] + (enum ts_ops_column)j, row);
        if (code->analysis == TS_ANALYSIS_FULL) {
            input->datatypes[i] = text_id(ops, datatype[i], row);
            input->memories[i] = text_id(ops, memory[i], row);
        }
    }
}

static bool make_shape(struct builder *builder, const struct code *code, struct shaped *shaped)
{
    const struct ts_ops_csv *ops = builder->ops;
    const struct ts_arch *arch = builder->source->arch;

    ts_buf_clear(&builder->text);
    ts_buf_str(&builder->text, ts_intern_text(&builder->source->names, code->name));
    if (code->analysis == TS_ANALYSIS_FULL) {
        shaped->shape =
            ts_op_shape_matmul(ops, &shaped->input, code->sparse, arch, builder->active_experts, &builder->text);
    } else if (code->analysis == TS_ANALYSIS_FLOPS_ONLY) {
        shaped->shape = ts_op_shape_conv(ops, &shaped->input, arch, &builder->text);
    } else {
        uint32_t halo = ops->attribute_sets[shaped->input.attributes].halo;
        ts_buf_char(&builder->text, ' ');
        ts_buf_str(&builder->text, halo ? ts_intern_text(&ops->text, halo) : TS_STR("w=x s=x p=x d=x | x"));
    }
    shaped->name = intern_text(builder);
    return shaped->name != UINT32_MAX;
}

/* The combination a row has, made when it is new; NULL when memory is out. */
static const struct shaped *find_shape(struct builder *builder, uint32_t row, const struct code *code, uint32_t number,
                                       int32_t cores)
{
    struct ts_op_shape_input input;

    gather_input(builder->ops, row, code, number, cores, &input);
    uint64_t *found = ts_map_find(&builder->shapes, (struct ts_str){(const char *)&input, sizeof input});
    if (found)
        return (const struct shaped *)(uintptr_t)*found;

    struct shaped *shaped = TS_ARENA_NEW(&builder->scratch, struct shaped);
    if (!shaped)
        return NULL;
    shaped->input = input;
    found = ts_map_at(&builder->shapes, (struct ts_str){(const char *)&shaped->input, sizeof input}, NULL);
    if (!found || !make_shape(builder, code, shaped))
        return NULL;
    *found = (uint64_t)(uintptr_t)shaped;
    return shaped;
}

static bool name_signpost(struct builder *builder, struct code *code, struct ts_op_facts *facts)
{
    if (code->signpost_name == UINT32_MAX) {
        ts_buf_clear(&builder->text);
        ts_buf_str(&builder->text, ts_intern_text(&builder->source->names, code->name));
        ts_buf_text(&builder->text, code->name == 0 ? "(signpost)" : " (signpost)");
        code->signpost_name = intern_text(builder);
    }
    facts->name = code->signpost_name;
    facts->category = TS_CATEGORY_NONE;
    return code->signpost_name != UINT32_MAX;
}

static bool fill_name(struct builder *builder, uint32_t row, enum type type, struct ts_op_facts *facts)
{
    struct code *code = &builder->codes.items[facts->code];

    if (type == TYPE_SIGNPOST) {
        facts->kind = TS_ROW_SIGNPOST;
        return name_signpost(builder, code, facts);
    }
    facts->kind = code->host ? TS_ROW_HOST : type == TYPE_DEVICE ? TS_ROW_DEVICE : TS_ROW_OTHER;
    facts->name = code->name;
    facts->category = code->category;
    builder->source->unclassified_names += code->unclassified;
    code->unclassified = false; /* told once */
    if (code->host || (code->analysis == TS_ANALYSIS_NONE && !code->halo))
        return true;

    const struct shaped *shaped = find_shape(builder, row, code, facts->code, facts->cores);
    if (!shaped)
        return false;
    facts->name = shaped->name;
    if (code->analysis == TS_ANALYSIS_NONE || type == TYPE_EMPTY)
        return true;
    facts->analysis = code->analysis;
    facts->sparse = code->sparse;
    facts->dram_sharded = shaped->shape.dram_sharded;
    facts->sparse_unknown = shaped->shape.sparse_unknown;
    facts->cores = shaped->shape.cores;
    facts->flop = shaped->shape.flop;
    facts->dram_bytes = shaped->shape.dram_bytes;
    facts->peak_flops = shaped->shape.peak_flops;
    return true;
}

static bool fill_row(struct builder *builder, uint32_t row)
{
    struct ts_perf_source *source = builder->source;
    struct ts_op_facts *facts = &source->facts[row];
    const struct reading *code = read_text(builder, TS_OPS_OP_CODE, READ_CODE, row);
    const struct reading *type = read_text(builder, TS_OPS_OP_TYPE, READ_TYPE, row);
    const struct reading *device = read_text(builder, TS_OPS_DEVICE_ID, READ_DEVICE, row);
    const struct reading *budget = read_text(builder, TS_OPS_AVAILABLE_WORKER_CORE_COUNT, READ_BUDGET, row);
    const struct reading *sub_device = read_text(builder, TS_OPS_SUB_DEVICE_ID, READ_SUB_DEVICE, row);

    if (!code || !type || !device || !budget || !sub_device)
        return false;
    *facts = (struct ts_op_facts){
        .device_numeric = device->device_numeric,
        .device = device->device,
        .cores = core_count(builder->ops, row),
        .available_cores = budget->budget > 0 ? budget->budget : (int32_t)source->fallback_cores,
        .collective = builder->codes.items[code->code].collective,
        .sub_device = sub_device->sub_device,
        .code = code->code,
        .lane = type->type == TYPE_DEVICE && device->device >= 0 ? 0 : TS_NO_LANE,
        .flop = TS_ABSENT,
        .dram_bytes = TS_ABSENT,
        .peak_flops = TS_ABSENT,
    };
    source->any_sub_device = source->any_sub_device || sub_device->sub_device != 0;
    return fill_name(builder, row, type->type, facts);
}

static int by_value(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return left < right ? -1 : left > right;
}

/* The distinct devices in ascending order, and each row's place among them. */
static bool number_devices(struct builder *builder)
{
    struct ts_perf_source *source = builder->source;
    size_t count = builder->devices.count;

    if (count == 0)
        return true;
    qsort(builder->devices.items, count, sizeof *builder->devices.items, by_value);
    source->devices = ts_arena_alloc(&source->arena, count * sizeof *source->devices);
    if (!source->devices)
        return false;
    for (size_t i = 0; i < count; i++) {
        int32_t device = builder->devices.items[i];
        if (i == 0 || device != source->devices[source->device_count - 1])
            source->devices[source->device_count++] = device;
    }
    int32_t device = source->devices[0];
    uint32_t lane = 0;
    for (uint32_t row = 0; source->device_count > 1 && row < builder->ops->rows; row++) {
        struct ts_op_facts *facts = &source->facts[row];
        if (facts->lane == TS_NO_LANE)
            continue;
        if (facts->device != device) {
            device = facts->device;
            const int32_t *found = bsearch(&device, source->devices, source->device_count, sizeof device, by_value);
            lane = (uint32_t)(found - source->devices);
        }
        facts->lane = lane;
    }
    return true;
}

static enum ts_status build(struct builder *builder, struct ts_error *error)
{
    struct ts_perf_source *source = builder->source;
    uint32_t rows = builder->ops->rows;

    builder->readings = calloc(builder->ops->text.count, sizeof *builder->readings);
    source->facts = ts_arena_alloc(&source->arena, rows * sizeof *source->facts);
    if (!builder->readings || !source->facts || !read_budgets(builder))
        return ts_arena_error(&source->arena, error);
    for (uint32_t row = 0; row < rows; row++) {
        if (row % ROWS_PER_CHECK == 0) {
            enum ts_status status = ts_context_check(builder->context, error);
            if (status != TS_OK)
                return status;
        }
        if (!fill_row(builder, row))
            return ts_arena_error(builder->scratch.over_limit ? &builder->scratch : &source->arena, error);
    }
    source->code_count = (uint32_t)builder->codes.count;
    return number_devices(builder) ? TS_OK : ts_arena_error(&source->arena, error);
}

enum ts_status ts_op_facts_create(struct ts_context *context, struct ts_perf_source *source, unsigned active_experts,
                                  struct ts_error *error)
{
    struct builder builder = {
        .context = context, .source = source, .ops = source->ops, .active_experts = active_experts};

    ts_arena_init(&builder.scratch, context->memory_limit);
    ts_map_init(&builder.shapes);
    ts_buf_init(&builder.text, 0);
    enum ts_status status = build(&builder, error);
    ts_buf_free(&builder.text);
    ts_map_free(&builder.shapes);
    ts_arena_free(&builder.scratch);
    ts_vec_free(&builder.codes);
    ts_vec_free(&builder.devices);
    free(builder.readings);
    return status;
}
