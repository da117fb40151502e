#include "questions/operation_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/vec.h"

enum { DEVICES_LISTED = 100, DEVICES_NAMED = 16 };

/* One row of the table buffers. */
struct buffer {
    struct ts_str type;
    bool has_device, has_address, has_size;
    int64_t device, address, size;
};

#define UNKNOWN "UNKNOWN" /* the type of a buffer whose type is not recorded */

static bool may_be_l1(const struct buffer *buffer)
{
    return ts_str_is(buffer->type, "L1") || ts_str_is(buffer->type, UNKNOWN);
}

static bool is_placed(const struct buffer *buffer)
{
    return buffer->has_address && buffer->has_size && buffer->has_device && ts_str_is(buffer->type, "L1");
}

struct buffers {
    TS_VEC(struct buffer) rows;
    struct ts_str last_type; /* of the row before: most rows have its type */
};

static int64_t sum(int64_t a, int64_t b)
{
    int64_t result;
    return __builtin_add_overflow(a, b, &result) ? (b > 0 ? INT64_MAX : INT64_MIN) : result;
}

/* ---- rows ---- */

static enum ts_status read_type(struct ts_profiler *profiler, struct ts_db_rows *rows, struct buffers *buffers,
                                struct ts_str *out, struct ts_error *error)
{
    struct ts_str cell, type = TS_STR(UNKNOWN);
    if (ts_db_text(rows, 3, &cell))
        type = ts_buffer_type_of_param(cell);
    if (!buffers->last_type.ptr || !ts_str_equal(type, buffers->last_type))
        buffers->last_type = ts_arena_copy(&profiler->arena, type);
    *out = buffers->last_type;
    return out->ptr ? TS_OK : ts_arena_error(&profiler->arena, error);
}

static enum ts_status read_buffer(struct ts_profiler *profiler, struct ts_db_rows *rows, struct buffers *buffers,
                                  struct ts_error *error)
{
    struct buffer buffer = {.size = 0};
    enum ts_status status = read_type(profiler, rows, buffers, &buffer.type, error);
    if (status != TS_OK)
        return status;
    buffer.has_device = ts_db_integer(rows, 0, &buffer.device);
    buffer.has_address = ts_db_integer(rows, 1, &buffer.address);
    buffer.has_size = ts_db_integer(rows, 2, &buffer.size) && buffer.size >= 0;
    if (!buffer.has_size)
        buffer.size = 0;
    return ts_vec_push(&buffers->rows, buffer) ? TS_OK : ts_error_no_memory(error);
}

static enum ts_status read_buffers(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                   struct buffers *buffers, struct ts_error *error)
{
    static const char *const columns[] = {"device_id", "address", "max_size_per_bank", "buffer_type", NULL};
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_BUFFERS, "operation_id", operation, columns, &rows, error);
    if (status != TS_OK)
        return status;
    while (status == TS_OK && (status = ts_db_next(rows, &more, error)) == TS_OK && more)
        status = read_buffer(profiler, rows, buffers, error);
    ts_db_rows_close(rows);
    return status;
}

/* ---- sums ---- */

static int by_type(const void *a, const void *b)
{
    const struct buffer *left = a, *right = b;
    return ts_str_compare(left->type, right->type);
}

static int by_device(const void *a, const void *b)
{
    const struct buffer *left = a, *right = b;
    if (left->has_device != right->has_device)
        return left->has_device ? -1 : 1;
    return (left->device > right->device) - (left->device < right->device);
}

static enum ts_status sum_types(struct ts_profiler *profiler, struct buffers *buffers, struct ts_operation_memory *out,
                                struct ts_error *error)
{
    struct buffer *rows = buffers->rows.items;
    size_t count = buffers->rows.count;
    out->allocations = ts_arena_calloc(&profiler->arena, count, sizeof *out->allocations);
    if (!out->allocations)
        return ts_arena_error(&profiler->arena, error);
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_type);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || by_type(&rows[i], &rows[i - 1]) != 0)
            out->allocations[out->allocation_count++].type = rows[i].type;
        struct ts_operation_allocation *allocation = &out->allocations[out->allocation_count - 1];
        allocation->buffers++;
        allocation->size = sum(allocation->size, rows[i].size);
        allocation->unsized += !rows[i].has_size;
    }
    return TS_OK;
}

/* ---- pressure ---- */

static struct ts_l1_window window_of(const struct ts_profiler_devices *devices, int64_t id)
{
    for (size_t i = 0; i < devices->count; i++)
        if (devices->items[i].id == id)
            return ts_l1_window_of(&devices->items[i]);
    return (struct ts_l1_window){0, 0};
}

/* Rows of one device. chunks has room for all of them. A device of whose L1 buffers none says where it lay has no figure: it
 * would look empty. deviceless: buffers that may be of this device as of any. */
static void press(const struct buffer *rows, size_t count, struct ts_l1_window window, int64_t deviceless,
                  struct ts_l1_chunk *chunks, struct ts_operation_memory *out)
{
    size_t chunk_count = 0;
    int64_t unplaced = deviceless;
    out->devices[out->device_count++] = rows[0].device;
    if (window.start == window.end)
        return;
    for (size_t i = 0; i < count; i++) {
        if (is_placed(&rows[i]))
            chunks[chunk_count++] = (struct ts_l1_chunk){rows[i].address, rows[i].size};
        else
            unplaced += may_be_l1(&rows[i]);
    }
    if (chunk_count == 0 && unplaced > 0)
        return;
    struct ts_l1_pressure *pressure = &out->pressures[out->pressure_count++];
    pressure->device_id = rows[0].device;
    ts_l1_pressure_of(window, chunks, chunk_count, pressure);
}

static enum ts_status press_devices(struct ts_profiler *profiler, struct buffers *buffers,
                                    const struct ts_profiler_devices *devices, struct ts_operation_memory *out,
                                    struct ts_error *error)
{
    struct buffer *rows = buffers->rows.items;
    size_t count = buffers->rows.count;
    struct ts_l1_chunk *chunks = ts_arena_calloc(&profiler->arena, count, sizeof *chunks);
    out->devices = ts_arena_calloc(&profiler->arena, count, sizeof *out->devices);
    out->pressures = ts_arena_calloc(&profiler->arena, count, sizeof *out->pressures);
    if (!chunks || !out->devices || !out->pressures)
        return ts_arena_error(&profiler->arena, error);
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_device);
    int64_t deviceless = 0;
    for (size_t i = 0; i < count; i++) {
        bool lost = may_be_l1(&rows[i]) && !is_placed(&rows[i]);
        out->unplaced += lost;
        deviceless += lost && !rows[i].has_device;
    }
    for (size_t first = 0, end; first < count && rows[first].has_device; first = end) {
        for (end = first + 1; end < count && by_device(&rows[first], &rows[end]) == 0;)
            end++;
        press(rows + first, end - first, window_of(devices, rows[first].device), deviceless, chunks, out);
    }
    return TS_OK;
}

static const char *why_no_pressure(const struct ts_profiler *profiler, const struct ts_profiler_devices *devices,
                                   size_t rows, int64_t unplaced)
{
    if (ts_profiler_unattributable(profiler, TS_DB_DEVICES))
        return "l1_pressure is null: the report holds several ranks, and its table devices carries none.";
    if (rows == 0)
        return "l1_pressure is null: no buffers are recorded for this operation, as for one that failed; the operation "
               "before it shows what it met.";
    bool geometry = false;
    for (size_t i = 0; i < devices->count; i++) {
        struct ts_l1_window window = ts_l1_window_of(&devices->items[i]);
        geometry = geometry || window.end > window.start;
    }
    if (geometry && unplaced > 0)
        return "l1_pressure is null: where its L1 buffers lay is not recorded.";
    return devices->count == 0
               ? "l1_pressure is null: the report records no devices."
               : "l1_pressure is null: the report records no L1 geometry for the devices of its buffers.";
}

enum ts_status ts_operation_memory_read(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                        struct ts_operation_memory *out, struct ts_error *error)
{
    struct buffers buffers = {.last_type = {NULL, 0}};
    struct ts_profiler_devices devices;
    *out = (struct ts_operation_memory){.allocation_count = 0};
    enum ts_status status = read_buffers(context, profiler, operation, &buffers, error);
    if (status == TS_OK)
        status = ts_profiler_devices(context, profiler, &devices, error);
    if (status == TS_OK)
        status = sum_types(profiler, &buffers, out, error);
    if (status == TS_OK)
        status = press_devices(profiler, &buffers, &devices, out, error);
    if (status == TS_OK && out->pressure_count == 0)
        out->no_pressure = why_no_pressure(profiler, &devices, buffers.rows.count, out->unplaced);
    ts_vec_free(&buffers.rows);
    return status;
}

/* ---- answers ---- */

static void say_devices(const struct ts_operation_memory *memory, struct ts_caveat *caveat)
{
    if (memory->device_count < 2)
        return;
    struct ts_buf names;
    ts_buf_init(&names, 0);
    for (size_t i = 0; i < memory->device_count && i < DEVICES_NAMED; i++)
        ts_buf_printf(&names, "%s%" PRId64, i > 0 ? ", " : "", memory->devices[i]);
    if (memory->device_count > DEVICES_NAMED)
        ts_buf_text(&names, ", ...");
    if (names.failed)
        caveat->text.failed = true;
    else
        ts_caveat_add(caveat, "allocations add up the buffers of %zu devices (%s).", memory->device_count, names.ptr);
    ts_buf_free(&names);
}

static void add_allocations(struct ts_answer *answer, yyjson_mut_val *parent, const struct ts_operation_memory *memory)
{
    yyjson_mut_val *object = ts_answer_object(answer, parent, "allocations");
    for (size_t i = 0; i < memory->allocation_count; i++) {
        const struct ts_operation_allocation *allocation = &memory->allocations[i];
        yyjson_mut_val *entry = ts_answer_object_at(answer, object, allocation->type);
        ts_answer_integer(answer, entry, "buffers", allocation->buffers);
        if (allocation->unsized == allocation->buffers)
            ts_answer_null(answer, entry, "size");
        else
            ts_answer_integer(answer, entry, "size", allocation->size);
    }
}

void ts_operation_memory_add_allocations(struct ts_answer *answer, const struct ts_operation_memory *memory,
                                         struct ts_caveat *caveat)
{
    add_allocations(answer, answer->root, memory);
    ts_answer_name(answer, answer->root, "allocation_size_unit", "bytes_per_bank");
    int64_t unsized = 0;
    for (size_t i = 0; i < memory->allocation_count; i++)
        unsized += memory->allocations[i].unsized;
    if (unsized > 0)
        ts_caveat_add(caveat, "allocations count %" PRId64 " buffers whose size is not recorded and not in the sums.",
                      unsized);
    say_devices(memory, caveat);
}

static void add_pressure(struct ts_answer *answer, yyjson_mut_val *parent, const struct ts_operation_memory *memory)
{
    if (memory->pressure_count == 0) {
        ts_answer_null(answer, parent, "l1_pressure");
        return;
    }
    const struct ts_l1_pressure *tightest = memory->pressures;
    for (size_t i = 1; i < memory->pressure_count; i++)
        if (ts_l1_pressure_tighter(&memory->pressures[i], tightest))
            tightest = &memory->pressures[i];
    yyjson_mut_val *object = ts_answer_object(answer, parent, "l1_pressure");
    ts_answer_name(answer, object, "size_unit", "bytes_per_bank");
    ts_answer_boolean(answer, object, "free_space_is_upper_bound", true);
    ts_profiler_add_pressure(answer, object, tightest);
    ts_answer_integer(answer, object, "device_count", (int64_t)memory->pressure_count);
    if (memory->pressure_count == 1)
        return;
    yyjson_mut_val *list = ts_answer_list(answer, object, "devices");
    for (size_t i = 0; i < memory->pressure_count && i < DEVICES_LISTED; i++)
        ts_profiler_add_pressure(answer, ts_answer_push_object(answer, list), &memory->pressures[i]);
}

void ts_operation_memory_add_pressure(struct ts_answer *answer, const struct ts_operation_memory *memory,
                                      struct ts_caveat *caveat)
{
    add_pressure(answer, answer->root, memory);
    if (memory->pressure_count == 0)
        ts_caveat_add(caveat, "%s", memory->no_pressure);
    if (memory->unplaced > 0)
        ts_caveat_add(caveat,
                      "l1_pressure leaves out %" PRId64
                      " buffers that may lie in L1: their type, device, address or size is not recorded.",
                      memory->unplaced);
}

void ts_operation_memory_add(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_operation_memory *memory)
{
    add_allocations(answer, object, memory);
    add_pressure(answer, object, memory);
}

/* ---- declarations ---- */

const struct ts_field ts_operation_allocation_fields[] = {
    {.key = "buffers", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "rows in the report, on all devices"},
    {.key = "size",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .unit = "bytes_per_bank",
     .show = TS_SHOW_COLUMN,
     .help = "their sum; null: not recorded"},
    {.key = NULL},
};

static const struct ts_field device_fields[] = {TS_PROFILER_PRESSURE_FIELDS, {.key = NULL}};

const struct ts_field ts_operation_pressure_fields[] = {
    {.key = "size_unit", .kind = TS_KIND_STRING, .help = "bytes_per_bank"},
    {.key = "free_space_is_upper_bound",
     .kind = TS_KIND_BOOLEAN,
     .help = "true: circular buffers and tensors that lived inside an operation are not counted"},
    TS_PROFILER_PRESSURE_FIELDS,
    {.key = "device_count", .kind = TS_KIND_INTEGER, .help = "devices with buffers and a known geometry"},
    {.key = "devices",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .sometimes = true,
     .children = device_fields,
     .help = "each of them when there are several, by id, at most 100"},
    {.key = NULL},
};
