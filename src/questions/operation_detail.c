#include <inttypes.h>

#include "questions/error_entry.h"
#include "questions/fallback_entry.h"
#include "questions/operation_circular.h"
#include "questions/operation_memory.h"
#include "questions/operation_rows.h"

enum { TENSORS_LISTED = 100, BUFFERS_PLAIN = 100, BUFFERS_WITH_GROUPS = 25 };

/* ---- inputs and outputs ---- */

struct tensor_use {
    bool has_index;
    int64_t index, tensor;
};
struct tensor_uses {
    struct tensor_use items[TENSORS_LISTED];
    int64_t count;   /* all of them */
    int64_t skipped; /* whose tensor is no number */
};

static enum ts_status read_uses(struct ts_context *context, struct ts_profiler *profiler, enum ts_db_table table,
                                int64_t operation, struct tensor_uses *out, struct ts_error *error)
{
    const char *const columns[] = {table == TS_DB_INPUT_TENSORS ? "input_index" : "output_index", "tensor_id", NULL};
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status =
        ts_profiler_rows(context, profiler, table, "operation_id", operation, columns, &rows, error);
    if (status != TS_OK)
        return status;
    out->count = out->skipped = 0;
    while ((status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        struct tensor_use use = {.index = 0};
        use.has_index = ts_db_integer(rows, 0, &use.index);
        if (!ts_db_integer(rows, 1, &use.tensor)) {
            out->skipped++;
            continue;
        }
        if (out->count < TENSORS_LISTED)
            out->items[out->count] = use;
        out->count++;
    }
    ts_db_rows_close(rows);
    return status;
}

static enum ts_status add_tensor(struct ts_context *context, struct ts_profiler *profiler, struct ts_answer *answer,
                                 yyjson_mut_val *list, const struct tensor_use *use, struct ts_error *error)
{
    struct ts_profiler_tensor tensor;
    enum ts_status status = ts_profiler_tensor(context, profiler, use->tensor, &tensor, error);
    if (status != TS_OK)
        return status;
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    if (use->has_index)
        ts_answer_integer(answer, object, "index", use->index);
    else
        ts_answer_null(answer, object, "index");
    ts_answer_integer(answer, object, "tensor_id", use->tensor);
    return tensor.found ? ts_profiler_add_tensor(answer, object, profiler, &tensor, false, error) : TS_OK;
}

static enum ts_status add_tensors(struct ts_context *context, struct ts_profiler *profiler, struct ts_answer *answer,
                                  const char *key, const struct tensor_uses *uses, struct ts_error *error)
{
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, key);
    enum ts_status status = TS_OK;
    for (int64_t i = 0; status == TS_OK && i < uses->count && i < TENSORS_LISTED; i++)
        status = add_tensor(context, profiler, answer, list, &uses->items[i], error);
    return status;
}

static enum ts_status add_inputs_and_outputs(struct ts_context *context, struct ts_profiler *profiler,
                                             struct ts_answer *answer, int64_t operation, struct ts_caveat *caveat,
                                             struct ts_error *error)
{
    struct tensor_uses inputs, outputs;
    enum ts_status status = read_uses(context, profiler, TS_DB_INPUT_TENSORS, operation, &inputs, error);
    if (status == TS_OK)
        status = read_uses(context, profiler, TS_DB_OUTPUT_TENSORS, operation, &outputs, error);
    if (status == TS_OK)
        status = add_tensors(context, profiler, answer, "inputs", &inputs, error);
    if (status == TS_OK)
        status = add_tensors(context, profiler, answer, "outputs", &outputs, error);
    if (status != TS_OK)
        return status;
    ts_answer_integer(answer, answer->root, "input_count", inputs.count);
    ts_answer_integer(answer, answer->root, "output_count", outputs.count);
    if (inputs.skipped + outputs.skipped > 0)
        ts_caveat_add(caveat, "%" PRId64 " inputs or outputs are left out: their tensor ids are no numbers.",
                      inputs.skipped + outputs.skipped);
    return TS_OK;
}

/* ---- what went wrong ---- */

static enum ts_status add_error(struct ts_context *context, struct ts_profiler *profiler, struct ts_answer *answer,
                                const struct ts_profiler_operation *operation, struct ts_caveat *caveat,
                                struct ts_error *error)
{
    struct ts_report_error item;
    struct ts_error_graphs graphs = {.count = 0};
    bool found;
    if (ts_report_errors_state(profiler) == TS_REPORT_ERRORS_UNATTRIBUTABLE)
        ts_caveat_add(caveat, "error is left out: the report holds several ranks, and its table errors carries none.");
    enum ts_status status = ts_report_error_of(context, profiler, operation, &item, &found, error);
    if (status != TS_OK || !found)
        return status;
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, "error");
    ts_profiler_add_text(answer, object, "error_type", item.type);
    ts_error_entry_message(answer, object, "error_message", item.message);
    ts_error_entry_timestamp(answer, object, item.timestamp);
    status = ts_error_entry_launches(context, profiler, answer, object, &item, &graphs, error);
    if (status == TS_OK)
        status = ts_error_entry_failure(context, profiler, answer, object, &item, &found, error);
    ts_error_graphs_caveat(&graphs, caveat);
    return status;
}

static enum ts_status add_fallback(struct ts_context *context, struct ts_profiler *profiler, struct ts_answer *answer,
                                   int64_t operation, struct ts_caveat *caveat, struct ts_error *error)
{
    static const enum ts_db_table read[] = {TS_DB_OPERATION_ARGUMENTS, TS_DB_ERRORS};
    const struct ts_dram_fallbacks *fallbacks;
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (ts_profiler_unattributable(profiler, read[i])) {
            ts_caveat_add(caveat,
                          "dram_fallback is left out: the report holds several ranks, and its table %s carries none.",
                          ts_db_table_name(read[i]));
            return TS_OK;
        }
    enum ts_status status = ts_dram_fallbacks_read(context, profiler, &fallbacks, error);
    const struct ts_dram_fallback *fallback = status == TS_OK ? ts_dram_fallback_of(fallbacks, operation) : NULL;
    if (!fallback)
        return status;
    ts_fallback_entry_add(answer, ts_answer_object(answer, answer->root, "dram_fallback"), fallback);
    if (ts_profiler_unattributable(profiler, TS_DB_DEVICE_TENSORS))
        ts_caveat_add(caveat, "dram_fallback does not compare addresses on the devices of a mesh: the table "
                              "device_tensors carries no rank.");
    return status;
}

/* ---- the answer ---- */

struct detail {
    struct ts_profiler profiler;
    struct ts_caveat caveat;
    struct ts_profiler_operation operation;
    struct ts_operation_memory memory;
    struct ts_operation_rows rows;
};

static enum ts_status read_detail(struct ts_context *context, const struct ts_args *args, struct detail *detail,
                                  struct ts_error *error)
{
    int64_t id = ts_args_get(args, "operation_id")->integer;
    enum ts_status status = ts_profiler_operation(context, &detail->profiler, id, &detail->operation, error);
    if (status == TS_OK)
        status = ts_operation_memory_read(context, &detail->profiler, id, &detail->memory, error);
    if (status == TS_OK)
        status = ts_operation_rows_read(context, args, &detail->profiler, id, &detail->rows, error);
    return status;
}

static enum ts_status add_detail(struct ts_context *context, const struct ts_args *args, struct detail *detail,
                                 struct ts_answer *answer, struct ts_error *error)
{
    struct ts_profiler *profiler = &detail->profiler;
    int64_t id = detail->operation.id;
    uint32_t buffer_cap = ts_args_get(args, "include")->groups ? BUFFERS_WITH_GROUPS : BUFFERS_PLAIN;
    ts_profiler_add_operation(answer, answer->root, id, detail->operation.name);
    ts_answer_number(answer, answer->root, "duration", detail->operation.duration);
    ts_answer_name(answer, answer->root, "duration_unit", "host_seconds");
    enum ts_status status = add_inputs_and_outputs(context, profiler, answer, id, &detail->caveat, error);
    if (status != TS_OK)
        return status;
    ts_operation_memory_add_allocations(answer, &detail->memory, &detail->caveat);
    ts_answer_name(answer, answer->root, "tensor_size_unit", ts_profiler_size_unit(profiler));
    ts_operation_memory_add_pressure(answer, &detail->memory, &detail->caveat);
    status = ts_operation_circular_add(context, answer, profiler, id, buffer_cap, &detail->caveat, error);
    if (status == TS_OK)
        status = add_error(context, profiler, answer, &detail->operation, &detail->caveat, error);
    if (status == TS_OK)
        status = add_fallback(context, profiler, answer, id, &detail->caveat, error);
    if (status != TS_OK)
        return status;
    ts_operation_rows_caveat(&detail->rows, &detail->caveat);
    ts_profiler_add_frame(answer, profiler, &detail->caveat);
    ts_operation_rows_add(answer, &detail->rows);
    return TS_OK;
}

static enum ts_status answer_operation_detail(struct ts_context *context, const struct ts_args *args,
                                              struct ts_capture *capture, struct ts_capture *second,
                                              struct ts_answer *answer, struct ts_error *error)
{
    (void)second;
    struct detail detail = {.rows = {.count = 0}};
    enum ts_status status = ts_profiler_read(context, args, capture, &detail.profiler, error);
    if (status != TS_OK)
        return status;
    ts_caveat_init(&detail.caveat, &detail.profiler);
    status = read_detail(context, args, &detail, error);
    if (status == TS_OK)
        status = add_detail(context, args, &detail, answer, error);
    ts_operation_rows_free(&detail.rows);
    return ts_profiler_close(&detail.profiler, &detail.caveat, status, error);
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PROFILER_HANDLE_PARAM,
    {.name = "operation_id",
     .kind = TS_PARAM_INTEGER,
     .required = true,
     .help = "of the profiler report: from find_operations, or a top_ops row's operation_id, never its id"},
    TS_PROFILER_RANK_PARAM,
    {.name = "include",
     .kind = TS_PARAM_GROUPS,
     .values = ts_perf_groups,
     .help = "groups of fields to add to each of perf_rows"},
    {.name = NULL},
};

static const struct ts_field tensor_fields[] = {
    {.key = "index", .kind = TS_KIND_INTEGER, .nullable = true, .show = TS_SHOW_COLUMN, .help = "as stored"},
    {.key = "tensor_id",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_COLUMN,
     .help = "for tensor_flow; alone when the report does not describe the tensor"},
    TS_PROFILER_TENSOR_FIELDS(true),
    {.key = NULL},
};

static const struct ts_field error_fields[] = {
    {.key = "error_type", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_COLUMN, .help = "as recorded"},
    {.key = "error_message",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .help = "cut at 2000 characters"},
    {.key = "error_message_full_length",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "characters, when it was cut"},
    TS_ERROR_ENTRY_FIELDS,
    {.key = NULL},
};

static const struct ts_field fallback_fields[] = {TS_FALLBACK_ENTRY_FIELDS, {.key = NULL}};

static const struct ts_field fields[] = {
    {.key = "operation_id", .kind = TS_KIND_INTEGER, .show = TS_SHOW_ABOVE, .heading = "operation", .help = "as asked"},
    {.key = "name", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_ABOVE, .help = "as recorded"},
    {.key = "duration",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "host_seconds",
     .show = TS_SHOW_ABOVE,
     .help = "on the host, not the device"},
    {.key = "duration_unit", .kind = TS_KIND_STRING, .help = "host_seconds"},
    {.key = "inputs",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = tensor_fields,
     .show = TS_SHOW_BELOW,
     .help = "in the report's order, at most 100"},
    {.key = "outputs",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = tensor_fields,
     .show = TS_SHOW_BELOW,
     .help = "in the report's order, at most 100"},
    {.key = "input_count", .kind = TS_KIND_INTEGER, .help = "all inputs"},
    {.key = "output_count", .kind = TS_KIND_INTEGER, .help = "all outputs"},
    {.key = "allocations",
     .kind = TS_KIND_MAP,
     .of = TS_KIND_OBJECT,
     .children = ts_operation_allocation_fields,
     .show = TS_SHOW_BELOW,
     .help = "tensor buffers that lay in memory behind the operation, by buffer type; never add types"},
    {.key = "allocation_size_unit", .kind = TS_KIND_STRING, .help = "bytes_per_bank"},
    {.key = "tensor_size_unit",
     .kind = TS_KIND_STRING,
     .help = "of the tensors' sizes: bytes of the whole tensor, or bytes_per_bank"},
    {.key = "l1_pressure",
     .kind = TS_KIND_OBJECT,
     .nullable = true,
     .children = ts_operation_pressure_fields,
     .show = TS_SHOW_BELOW,
     .heading = "L1 pressure",
     .help = "of the most constrained device; null: caveat says why"},
    {.key = "circular_buffers",
     .kind = TS_KIND_OBJECT,
     .sometimes = true,
     .children = ts_operation_circular_fields,
     .show = TS_SHOW_BELOW,
     .heading = "circular buffers",
     .help = "of the operation's device operations; absent when no graph was captured, or caveat says why"},
    {.key = "error",
     .kind = TS_KIND_OBJECT,
     .sometimes = true,
     .children = error_fields,
     .show = TS_SHOW_BELOW,
     .help = "the one attached to the operation"},
    {.key = "dram_fallback",
     .kind = TS_KIND_OBJECT,
     .sometimes = true,
     .children = fallback_fields,
     .show = TS_SHOW_BELOW,
     .heading = "likely DRAM fallback",
     .help = "inferred, as by dram_fallbacks"},
    TS_PROFILER_FRAME_FIELDS,
    TS_OPERATION_ROWS_FIELDS,
    {.key = NULL},
};

static const enum ts_db_table tables[] = {TS_DB_OPERATIONS, TS_DB_BUFFERS, TS_DB_TENSORS, TS_DB_INPUT_TENSORS,
                                          TS_DB_OUTPUT_TENSORS};

const struct ts_question ts_question_operation_detail = {
    .name = "operation_detail",
    .title = "One operation",
    .summary = "One operation: its tensors, its memory, and the performance rows it launched",
    .description =
        "One profiler operation: input and output tensors with shape, dtype, layout and memory config (sharding), "
        "what lay in memory behind it, how full the L1 was, and the circular buffers of its device operations. When "
        "the capture's performance rows are linked, also those it launched, with device time, share and the same "
        "include as top_ops. duration is host time. A launch without recorded circular buffers is unknown, not zero.",
    .params = params,
    .needs = TS_NEED_DATABASE,
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .fields = fields,
    .link = TS_LINK_OPERATION,
    .too_large = "ask for fewer groups in include",
    .answer = answer_operation_detail,
};
