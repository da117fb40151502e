/* Tensors, and how large they are. */
#include <stdlib.h>

#include "models/profiler.h"

bool ts_profiler_sizes_are_whole(const struct ts_profiler *profiler)
{
    return ts_db_has_column(profiler->db, TS_DB_TENSORS, "size");
}

/* ---- which operations have a tensor ---- */

static int ascending(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

enum ts_status ts_profiler_tensor_operations(struct ts_context *context, struct ts_profiler *profiler,
                                             enum ts_db_table table, int64_t tensor, struct ts_profiler_operations *out,
                                             struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", NULL};
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status = ts_profiler_rows(context, profiler, table, "tensor_id", tensor, columns, &rows, error);
    if (status != TS_OK)
        return status;
    while ((status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        int64_t id;
        if (ts_db_integer(rows, 0, &id) && !ts_vec_push(out, id)) {
            status = ts_error_no_memory(error);
            break;
        }
    }
    ts_db_rows_close(rows);
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, ascending);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (kept == 0 || out->items[i] != out->items[kept - 1])
            out->items[kept++] = out->items[i];
    out->count = kept;
    return status;
}

/* ---- the size of a tensor whose row has none ---- */

/* The smallest buffer at the tensor's place behind an operation; *found false when there is none. */
static enum ts_status size_behind(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                  const struct ts_profiler_tensor *tensor, int64_t *size, bool *found,
                                  struct ts_error *error)
{
    static const char *const columns[] = {"address", "device_id", "max_size_per_bank", NULL};
    struct ts_db_rows *rows;
    bool more = false;
    *found = false;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_BUFFERS, "operation_id", operation, columns, &rows, error);
    if (status != TS_OK)
        return status;
    while ((status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        int64_t address, device, bytes;
        if (!ts_db_integer(rows, 0, &address) || address != tensor->address || !ts_db_integer(rows, 1, &device) ||
            device != tensor->device_id || !ts_db_integer(rows, 2, &bytes))
            continue;
        if (!*found || bytes < *size)
            *size = bytes;
        *found = true;
    }
    ts_db_rows_close(rows);
    return status;
}

/* Of the first operation that touched the tensor and left a buffer at its place: those that read it count, or where none
 * does those that wrote it. */
static enum ts_status size_by_buffers(struct ts_context *context, struct ts_profiler *profiler,
                                      struct ts_profiler_tensor *tensor, struct ts_error *error)
{
    struct ts_profiler_operations ids = {.count = 0};
    enum ts_status status = TS_OK;
    if (!tensor->has_address || !tensor->has_device)
        return TS_OK;
    status = ts_profiler_tensor_operations(context, profiler, TS_DB_INPUT_TENSORS, tensor->id, &ids, error);
    if (status == TS_OK && ids.count == 0)
        status = ts_profiler_tensor_operations(context, profiler, TS_DB_OUTPUT_TENSORS, tensor->id, &ids, error);
    for (size_t i = 0; i < ids.count && status == TS_OK && !tensor->has_size; i++)
        status = size_behind(context, profiler, ids.items[i], tensor, &tensor->size, &tensor->has_size, error);
    ts_vec_free(&ids);
    return status;
}

/* ---- the tensor's row ---- */

enum { SHAPE, DTYPE, LAYOUT, MEMORY_CONFIG, DEVICE, ADDRESS, BUFFER_TYPE, SIZE };
static const char *const tensor_columns[] = {"shape",       "dtype", "layout", "memory_config", "device_id", "address",
                                             "buffer_type", "size",  NULL};

/* Of a tensor without an address the column says nothing. */
static enum ts_status read_buffer_type(struct ts_profiler *profiler, struct ts_db_rows *rows,
                                       struct ts_profiler_tensor *tensor, struct ts_error *error)
{
    struct ts_str type = {NULL, 0};
    tensor->buffer_type = type;
    if (!tensor->has_address) {
        if (tensor->memory_config.ptr && ts_buffer_type_of_config(tensor->memory_config, &type))
            tensor->buffer_type = type;
        return TS_OK;
    }
    if (!ts_db_text(rows, BUFFER_TYPE, &type))
        return TS_OK;
    tensor->buffer_type = ts_arena_copy(&profiler->arena, ts_buffer_type_of_cell(type));
    return tensor->buffer_type.ptr ? TS_OK : ts_arena_error(&profiler->arena, error);
}

static enum ts_status read_tensor(struct ts_profiler *profiler, struct ts_db_rows *rows,
                                  struct ts_profiler_tensor *tensor, struct ts_error *error)
{
    struct ts_str *const texts[] = {&tensor->shape, &tensor->dtype, &tensor->layout, &tensor->memory_config};
    enum ts_status status = TS_OK;
    for (unsigned i = SHAPE; i <= MEMORY_CONFIG && status == TS_OK; i++)
        status = ts_profiler_copy_text(profiler, rows, i, texts[i], error);
    tensor->found = true;
    tensor->has_device = ts_db_integer(rows, DEVICE, &tensor->device_id);
    tensor->has_address = ts_db_integer(rows, ADDRESS, &tensor->address);
    tensor->has_size = ts_db_integer(rows, SIZE, &tensor->size);
    return status == TS_OK ? read_buffer_type(profiler, rows, tensor, error) : status;
}

enum ts_status ts_profiler_tensor(struct ts_context *context, struct ts_profiler *profiler, int64_t id,
                                  struct ts_profiler_tensor *out, struct ts_error *error)
{
    struct ts_profiler_tensor tensor = {.id = id};
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_TENSORS, "tensor_id", id, tensor_columns, &rows, error);
    if (status != TS_OK)
        return status;
    status = ts_db_next(rows, &more, error);
    if (status == TS_OK && more)
        status = read_tensor(profiler, rows, &tensor, error);
    ts_db_rows_close(rows);
    if (status == TS_OK && more && !ts_profiler_sizes_are_whole(profiler))
        status = size_by_buffers(context, profiler, &tensor, error);
    if (status == TS_OK)
        *out = tensor;
    return status;
}
