#include <inttypes.h>
#include <stdlib.h>

#include "questions/profiler_common.h"

enum { LISTED_MAX = 100 };

static enum ts_status add_operations(struct ts_context *context, struct ts_profiler *profiler, struct ts_answer *answer,
                                     const char *key, const struct ts_profiler_operations *ids, struct ts_error *error)
{
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, key);
    for (size_t i = 0; i < ids->count && i < LISTED_MAX; i++) {
        struct ts_profiler_operation operation;
        bool found;
        enum ts_status status = ts_profiler_find_operation(context, profiler, ids->items[i], &operation, &found, error);
        if (status != TS_OK)
            return status;
        ts_profiler_add_operation(answer, ts_answer_push_object(answer, list), ids->items[i],
                                  found ? operation.name : (struct ts_str){NULL, 0});
    }
    return TS_OK;
}

/* What is known all the same of a tensor without a row. */
static void say_operations(struct ts_buf *out, const char *what, const struct ts_profiler_operations *ids)
{
    enum { NAMED = 20 };
    if (ids->count == 0)
        return;
    ts_buf_printf(out, "; %s operation%s ", what, ids->count > 1 ? "s" : "");
    for (size_t i = 0; i < ids->count && i < NAMED; i++)
        ts_buf_printf(out, "%s%" PRId64, i > 0 ? ", " : "", ids->items[i]);
    if (ids->count > NAMED)
        ts_buf_printf(out, " and %zu more", ids->count - NAMED);
}

static enum ts_status refuse(const struct ts_profiler *profiler, int64_t id,
                             const struct ts_profiler_operations *producers,
                             const struct ts_profiler_operations *consumers, struct ts_error *error)
{
    struct ts_quote label;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_printf(&text, "no tensor %" PRId64 " in this report", id);
    if (profiler->multi_host)
        ts_buf_printf(&text, " at rank %" PRId64, profiler->rank);
    if (producers->count + consumers->count > 0) {
        ts_buf_text(&text, ": it has no row in the table tensors");
        say_operations(&text, "output of", producers);
        say_operations(&text, "input of", consumers);
    } else {
        ts_buf_text(&text, "; operation_detail lists an operation's tensors");
    }
    enum ts_status status = ts_buf_status(&text, error);
    if (status == TS_OK)
        status = ts_error_set(error, TS_REFUSED, "%s: %s",
                              ts_error_quote(&label, ts_str_from(profiler->capture->profiler_label), TS_QUOTE_ARGUMENT),
                              text.ptr);
    ts_buf_free(&text);
    return status;
}

static enum ts_status write_answer(struct ts_context *context, struct ts_profiler *profiler, struct ts_answer *answer,
                                   const struct ts_profiler_tensor *tensor,
                                   const struct ts_profiler_operations *producers,
                                   const struct ts_profiler_operations *consumers, struct ts_error *error)
{
    ts_answer_integer(answer, answer->root, "tensor_id", tensor->id);
    enum ts_status status = add_operations(context, profiler, answer, "producers", producers, error);
    if (status == TS_OK)
        status = add_operations(context, profiler, answer, "consumers", consumers, error);
    if (status != TS_OK)
        return status;
    ts_answer_integer(answer, answer->root, "producer_count", (int64_t)producers->count);
    ts_answer_integer(answer, answer->root, "consumer_count", (int64_t)consumers->count);
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, "tensor");
    return ts_profiler_add_tensor(answer, object, profiler, tensor, true, error);
}

static enum ts_status answer_tensor_flow(struct ts_context *context, const struct ts_args *args,
                                         struct ts_capture *capture, struct ts_capture *second,
                                         struct ts_answer *answer, struct ts_error *error)
{
    (void)second;
    struct ts_profiler profiler;
    struct ts_profiler_tensor tensor;
    struct ts_caveat caveat;
    struct ts_profiler_operations producers = {.count = 0}, consumers = {.count = 0};
    int64_t id = ts_args_get(args, "tensor_id")->integer;
    enum ts_status status = ts_profiler_read(context, args, capture, &profiler, error);
    if (status != TS_OK)
        return status;
    ts_caveat_init(&caveat, &profiler);
    status = ts_profiler_tensor(context, &profiler, id, &tensor, error);
    if (status == TS_OK)
        status = ts_profiler_tensor_operations(context, &profiler, TS_DB_OUTPUT_TENSORS, id, &producers, error);
    if (status == TS_OK)
        status = ts_profiler_tensor_operations(context, &profiler, TS_DB_INPUT_TENSORS, id, &consumers, error);
    if (status == TS_OK && !tensor.found)
        status = refuse(&profiler, id, &producers, &consumers, error);
    if (status == TS_OK)
        status = write_answer(context, &profiler, answer, &tensor, &producers, &consumers, error);
    if (status == TS_OK)
        ts_profiler_add_frame(answer, &profiler, &caveat);
    ts_vec_free(&producers);
    ts_vec_free(&consumers);
    return ts_profiler_close(&profiler, &caveat, status, error);
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PROFILER_HANDLE_PARAM,
    {.name = "tensor_id", .kind = TS_PARAM_INTEGER, .required = true, .help = "from operation_detail"},
    TS_PROFILER_RANK_PARAM,
    {.name = NULL},
};

static const struct ts_field operation_fields[] = {
    TS_PROFILER_OPERATION_FIELDS("of the operation", "null: it has no row"),
    {.key = NULL},
};

static const struct ts_field tensor_fields[] = {
    TS_PROFILER_TENSOR_FIELDS(false),
    {.key = "size_unit", .kind = TS_KIND_STRING, .help = "bytes (of the whole tensor) or bytes_per_bank"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "tensor_id", .kind = TS_KIND_INTEGER, .show = TS_SHOW_ABOVE, .heading = "tensor", .help = "as given"},
    {.key = "producers",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = operation_fields,
     .show = TS_SHOW_ABOVE,
     .heading = "produced by",
     .help = "operations it is an output of, at most 100, by id"},
    {.key = "consumers",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = operation_fields,
     .show = TS_SHOW_ROWS,
     .heading = "consumed by",
     .help = "operations it is an input of, at most 100, by id"},
    {.key = "producer_count", .kind = TS_KIND_INTEGER, .help = "all of them"},
    {.key = "consumer_count",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_ABOVE,
     .heading = "consumers",
     .help = "all of them"},
    TS_PROFILER_FRAME_FIELDS,
    {.key = "tensor", .kind = TS_KIND_OBJECT, .children = tensor_fields, .show = TS_SHOW_BELOW, .help = "the tensor"},
    {.key = NULL},
};

static const enum ts_db_table tables[] = {TS_DB_OPERATIONS, TS_DB_TENSORS, TS_DB_INPUT_TENSORS, TS_DB_OUTPUT_TENSORS};

const struct ts_question ts_question_tensor_flow = {
    .name = "tensor_flow",
    .title = "Tensor flow",
    .summary = "Which operations made a tensor and which read it",
    .description =
        "Which operations produced one tensor and which consumed it. A failed operation may list inputs that it "
        "never read.",
    .params = params,
    .needs = TS_NEED_DATABASE,
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .fields = fields,
    .link = TS_LINK_OPERATIONS,
    .too_large = "the tensor's texts are unusually long",
    .answer = answer_tensor_flow,
};
