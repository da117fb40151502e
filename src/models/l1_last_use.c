#include "models/l1_last_use.h"

#include <stdlib.h>

static const char *const tensor_columns[] = {"tensor_id", "address", "buffer_type", NULL};
static const char *const use_columns[] = {"operation_id", "tensor_id", NULL};

/* A tensor in L1. */
struct tensor {
    int64_t id, address, last;
    size_t row;
    bool used;
};
struct tensors {
    TS_VEC(struct tensor) list;
};

bool ts_l1_is_deallocate(struct ts_str name)
{
    static const char dotted[] = "ttnn.deallocate", scoped[] = "ttnn::deallocate";
    const char *wanted = name.len == sizeof dotted - 1 ? dotted : scoped;
    if (name.len != sizeof dotted - 1 && name.len != sizeof scoped - 1)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != wanted[i])
            return false;
    }
    return true;
}

/* ---- tensors ---- */

static int by_id(const void *a, const void *b)
{
    const struct tensor *left = a, *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);
}

/* Of several rows of an id the first counts; those that lie elsewhere stay in until then. */
static void keep_in_l1(struct tensors *tensors)
{
    size_t kept = 0;
    int64_t last = 0;
    if (tensors->list.count > 1)
        qsort(tensors->list.items, tensors->list.count, sizeof *tensors->list.items, by_id);
    for (size_t i = 0; i < tensors->list.count; i++) {
        struct tensor tensor = tensors->list.items[i];
        bool repeated = i > 0 && tensor.id == last;
        last = tensor.id;
        if (!repeated && tensor.used)
            tensors->list.items[kept++] = (struct tensor){.id = tensor.id, .address = tensor.address};
    }
    tensors->list.count = kept;
}

struct reading {
    struct ts_profiler *profiler;
    const struct ts_l1_operation *operations;
    size_t count;
    struct tensors *tensors;
};

static enum ts_status read_tensor(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct reading *reading = data;
    struct tensors *tensors = reading->tensors;
    struct tensor tensor = {.id = cells[0].integer, .row = tensors->list.count};
    struct ts_db_digits digits;
    struct ts_str type;
    if (!cells[0].is_integer) {
        reading->profiler->keyless[TS_DB_TENSORS]++;
        return TS_OK;
    }
    if (cells[1].is_integer) {
        tensor.address = cells[1].integer;
        tensor.used = ts_db_cell_text(&cells[2], &digits, &type) && ts_buffer_type_is_l1(ts_buffer_type_of_param(type));
    }
    return ts_vec_push(&tensors->list, tensor) ? TS_OK : ts_error_no_memory(error);
}

/* ---- what uses them ---- */

static int compare_operation(const void *a, const void *b)
{
    const struct ts_l1_operation *left = a, *right = b;
    return (left->id > right->id) - (left->id < right->id);
}

/* An operation that has no row of its own counts as a use. */
static bool is_use(const struct ts_l1_operation *operations, size_t count, int64_t id)
{
    const struct ts_l1_operation wanted = {.id = id}, *found = NULL;
    if (count > 0)
        found = bsearch(&wanted, operations, count, sizeof wanted, compare_operation);
    return !found || !found->deallocate;
}

static struct tensor *find_tensor(struct tensors *tensors, int64_t id)
{
    size_t first = 0, end = tensors->list.count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (tensors->list.items[middle].id < id)
            first = middle + 1;
        else
            end = middle;
    }
    return first < tensors->list.count && tensors->list.items[first].id == id ? &tensors->list.items[first] : NULL;
}

static enum ts_status read_use(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct reading *reading = data;
    (void)error;
    if (!cells[0].is_integer || !cells[1].is_integer) {
        reading->profiler->keyless[TS_DB_INPUT_TENSORS]++;
        return TS_OK;
    }
    int64_t operation = cells[0].integer;
    struct tensor *tensor = find_tensor(reading->tensors, cells[1].integer);
    if (!tensor || (tensor->used && tensor->last >= operation) ||
        !is_use(reading->operations, reading->count, operation))
        return TS_OK;
    tensor->last = operation;
    tensor->used = true;
    return TS_OK;
}

/* ---- by address ---- */

static int tensor_by_address(const void *a, const void *b)
{
    const struct tensor *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static int use_by_operation(const void *a, const void *b)
{
    const struct ts_l1_use *left = a, *right = b;
    if (left->operation != right->operation)
        return left->operation < right->operation ? -1 : 1;
    return (left->address > right->address) - (left->address < right->address);
}

static bool gather(struct tensors *tensors, struct ts_l1_last_uses *out)
{
    struct tensor *items = tensors->list.items;
    size_t count = 0;
    for (size_t i = 0; i < tensors->list.count; i++)
        if (items[i].used)
            items[count++] = items[i];
    if (count > 1)
        qsort(items, count, sizeof *items, tensor_by_address);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && items[end].address == items[first].address;)
            end++;
        struct ts_l1_use use = {items[first].address, items[first].last};
        if (end > first + 1)
            out->unattributable++;
        else if (!ts_vec_push(&out->items, use) || !ts_vec_push(&out->order, use))
            return false;
    }
    if (out->order.count > 1)
        qsort(out->order.items, out->order.count, sizeof *out->order.items, use_by_operation);
    return true;
}

/* Whether the table is there, with its columns, and of this rank. */
static bool is_told(const struct ts_profiler *profiler, enum ts_db_table table, const char *const *columns)
{
    if (ts_profiler_unattributable(profiler, table) || !ts_db_has_table(profiler->db, table))
        return false;
    for (; *columns; columns++)
        if (!ts_db_has_column(profiler->db, table, *columns))
            return false;
    return true;
}

enum ts_status ts_l1_last_uses_read(struct ts_profiler *profiler, const struct ts_l1_operation *operations,
                                    size_t operation_count, struct ts_l1_last_uses *out, struct ts_error *error)
{
    struct tensors tensors = {.list = {.count = 0}};
    out->unknown =
        !is_told(profiler, TS_DB_TENSORS, tensor_columns) || !is_told(profiler, TS_DB_INPUT_TENSORS, use_columns);
    if (out->unknown)
        return TS_OK;
    struct reading reading = {profiler, operations, operation_count, &tensors};
    enum ts_status status = ts_profiler_each(profiler, TS_DB_TENSORS, tensor_columns, read_tensor, &reading, error);
    keep_in_l1(&tensors);
    if (status == TS_OK)
        status = ts_profiler_each(profiler, TS_DB_INPUT_TENSORS, use_columns, read_use, &reading, error);
    if (status == TS_OK && !gather(&tensors, out))
        status = ts_error_no_memory(error);
    ts_vec_free(&tensors.list);
    return status;
}

void ts_l1_last_uses_free(struct ts_l1_last_uses *uses)
{
    ts_vec_free(&uses->items);
    ts_vec_free(&uses->order);
}

bool ts_l1_last_use(const struct ts_l1_last_uses *uses, int64_t address, int64_t *operation)
{
    size_t first = 0, end = uses->items.count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (uses->items.items[middle].address < address)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == uses->items.count || uses->items.items[first].address != address)
        return false;
    *operation = uses->items.items[first].operation;
    return true;
}
