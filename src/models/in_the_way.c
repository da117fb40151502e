#include "models/in_the_way.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "models/l1_pressure.h"

/* Tensors at one place that are looked at, the latest first. */
enum { CANDIDATES_MAX = 1000 };

struct buffer {
    int64_t device, address, size;
};
struct buffers {
    TS_VEC(struct buffer) rows;
};

static int by_place(const void *a, const void *b)
{
    const struct buffer *left = a, *right = b;
    if (left->device != right->device)
        return left->device < right->device ? -1 : 1;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return (left->size < right->size) - (left->size > right->size);
}

static int64_t end_of(const struct buffer *buffer)
{
    int64_t end;
    return __builtin_add_overflow(buffer->address, buffer->size, &end) ? INT64_MAX : end;
}

/* ---- what lay there ---- */

static enum ts_status read_buffers(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                   struct buffers *out, bool *any, struct ts_error *error)
{
    static const char *const columns[] = {"device_id", "address", "max_size_per_bank", "buffer_type", NULL};
    struct ts_db_rows *rows;
    bool more = false;
    *any = false;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_BUFFERS, "operation_id", operation, columns, &rows, error);
    if (status != TS_OK)
        return status;
    while (status == TS_OK && (status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        struct buffer buffer;
        struct ts_str type;
        *any = true;
        if (!ts_db_integer(rows, 0, &buffer.device) || !ts_db_integer(rows, 1, &buffer.address) ||
            !ts_db_integer(rows, 2, &buffer.size) || buffer.size <= 0 || !ts_db_text(rows, 3, &type) ||
            !ts_str_is(ts_buffer_type_of_param(type), "L1"))
            continue;
        if (!ts_vec_push(&out->rows, buffer))
            status = ts_error_no_memory(error);
    }
    ts_db_rows_close(rows);
    return status;
}

/* By place; of several rows of one the largest counts, as in the pressure: one buffer lies there. */
static void sort_buffers(struct buffers *buffers)
{
    struct buffer *rows = buffers->rows.items;
    size_t kept = 0;
    if (buffers->rows.count > 1)
        qsort(rows, buffers->rows.count, sizeof *rows, by_place);
    for (size_t i = 0; i < buffers->rows.count; i++)
        if (kept == 0 || rows[i].device != rows[kept - 1].device || rows[i].address != rows[kept - 1].address)
            rows[kept++] = rows[i];
    buffers->rows.count = kept;
}

/* The buffers behind the last operation before this one that has some recorded. */
static enum ts_status read_before(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                  struct buffers *out, int64_t *behind, bool *found, struct ts_error *error)
{
    const struct ts_db_index *index;
    enum ts_status status = ts_profiler_index(context, profiler, TS_DB_BUFFERS, "operation_id", &index, error);
    *found = false;
    for (size_t i = status == TS_OK ? index->count : 0; i > 0 && status == TS_OK && !*found; i--) {
        *behind = index->runs[i - 1].key;
        if (*behind < operation && (i == index->count || index->runs[i].key != *behind))
            status = read_buffers(context, profiler, *behind, out, found, error);
    }
    sort_buffers(out);
    return status;
}

/* ---- which of it was in the way ---- */

static void list(struct ts_in_the_way *out, const struct buffer *buffer)
{
    if (out->count < TS_RESIDENTS_LISTED)
        out->listed[out->count] = (struct ts_resident){.address = buffer->address, .size = buffer->size};
    out->count++;
    out->device = buffer->device;
}

/* Circular buffers grow from the start of the window up to where the message says. */
static void list_overlaps(const struct buffer *rows, size_t count, struct ts_l1_window window, int64_t region_end,
                          struct ts_in_the_way *out)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].address < region_end && end_of(&rows[i]) > window.start)
            list(out, &rows[i]);
}

/* Buffers that touch or overlap are one piece; it splits the free space when some is on both sides of it. */
static void list_splits(const struct buffer *rows, size_t count, struct ts_l1_window window, struct ts_in_the_way *out)
{
    int64_t used_to = window.start;
    for (size_t first = 0, end; first < count && rows[first].address < window.end; first = end) {
        int64_t piece_end = end_of(&rows[first]);
        for (end = first + 1; end < count && rows[end].address <= piece_end; end++)
            if (end_of(&rows[end]) > piece_end)
                piece_end = end_of(&rows[end]);
        if (rows[first].address > used_to && piece_end < window.end)
            for (size_t i = first; i < end; i++)
                list(out, &rows[i]);
        if (piece_end > used_to)
            used_to = piece_end;
    }
}

static struct ts_l1_window window_of(const struct ts_profiler_devices *devices, int64_t id)
{
    for (size_t i = 0; i < devices->count; i++)
        if (devices->items[i].id == id)
            return ts_l1_window_of(&devices->items[i]);
    return (struct ts_l1_window){0, 0};
}

/* Of the first device that has some. Circular buffers are told by where they end; gaps only within a known window. */
static void choose(const struct buffers *buffers, const struct ts_profiler_devices *devices,
                   const struct ts_allocation_failure *failure, struct ts_in_the_way *out)
{
    const struct buffer *rows = buffers->rows.items;
    size_t count = buffers->rows.count;
    for (size_t first = 0, end; first < count && out->count == 0; first = end) {
        for (end = first + 1; end < count && rows[end].device == rows[first].device;)
            end++;
        struct ts_l1_window window = window_of(devices, rows[first].device);
        if (failure->kind == TS_FAILURE_CLASH)
            list_overlaps(rows + first, end - first, window, failure->region_end, out);
        else if (window.end > window.start)
            list_splits(rows + first, end - first, window, out);
        else if (!out->unknown[0])
            snprintf(out->unknown, sizeof out->unknown, "the L1 geometry of device %" PRId64 " is not recorded",
                     rows[first].device);
    }
    if (out->count > 0)
        out->unknown[0] = '\0';
}

/* ---- whose they were ---- */

struct candidates {
    TS_VEC(int64_t) tensors;
};

static int descending(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;
    return (*left < *right) - (*left > *right);
}

/* The L1 tensors that say they lie at a place. */
static enum ts_status read_candidates(struct ts_context *context, struct ts_profiler *profiler, int64_t device,
                                      int64_t address, struct candidates *out, struct ts_error *error)
{
    static const char *const columns[] = {"tensor_id", "device_id", "buffer_type", NULL};
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_TENSORS, "address", address, columns, &rows, error);
    if (status != TS_OK)
        return status;
    while (status == TS_OK && (status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        int64_t tensor, its_device;
        struct ts_str type;
        if (ts_db_integer(rows, 0, &tensor) && ts_db_integer(rows, 1, &its_device) && its_device == device &&
            ts_db_text(rows, 2, &type) && ts_str_is(ts_buffer_type_of_param(type), "L1") &&
            !ts_vec_push(&out->tensors, tensor))
            status = ts_error_no_memory(error);
    }
    ts_db_rows_close(rows);
    if (out->tensors.count > 1)
        qsort(out->tensors.items, out->tensors.count, sizeof *out->tensors.items, descending);
    return status;
}

/* The last operation up to behind that has the tensor as an output. */
static enum ts_status find_maker(struct ts_context *context, struct ts_profiler *profiler, int64_t tensor,
                                 int64_t behind, int64_t *maker, bool *found, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", NULL};
    struct ts_db_rows *rows;
    bool more = false;
    *found = false;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_OUTPUT_TENSORS, "tensor_id", tensor, columns, &rows, error);
    if (status != TS_OK)
        return status;
    while ((status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        int64_t id;
        if (!ts_db_integer(rows, 0, &id) || id > behind || (*found && id <= *maker))
            continue;
        *maker = id;
        *found = true;
    }
    ts_db_rows_close(rows);
    return status;
}

/* The tensor made last of those that could lie there: earlier ones have made room for it. */
static enum ts_status name_resident(struct ts_context *context, struct ts_profiler *profiler,
                                    const struct ts_in_the_way *way, struct ts_resident *resident,
                                    struct ts_error *error)
{
    struct candidates candidates = {.tensors = {.count = 0}};
    enum ts_status status = read_candidates(context, profiler, way->device, resident->address, &candidates, error);
    for (size_t i = 0; status == TS_OK && i < candidates.tensors.count && i < CANDIDATES_MAX; i++) {
        int64_t maker = 0;
        bool found;
        status = find_maker(context, profiler, candidates.tensors.items[i], way->behind, &maker, &found, error);
        if (status != TS_OK || !found || (resident->has_maker && maker <= resident->maker))
            continue;
        resident->has_tensor = resident->has_maker = true;
        resident->tensor = candidates.tensors.items[i];
        resident->maker = maker;
    }
    ts_vec_free(&candidates.tensors);
    if (status != TS_OK || !resident->has_maker)
        return status;
    struct ts_profiler_operation operation;
    bool found;
    status = ts_profiler_find_operation(context, profiler, resident->maker, &operation, &found, error);
    if (status == TS_OK && found)
        resident->maker_name = operation.name;
    return status;
}

/* ---- all of it ---- */

/* Whether something in particular can stand in the way, and what the request misses. */
static bool applies(const struct ts_allocation_failure *failure, int64_t *misses)
{
    struct ts_failure_diagnosis diagnosis = ts_allocation_failure_diagnose(failure);
    *misses = diagnosis.reason == TS_REASON_OVERLAP ? diagnosis.bytes : failure->per_bank - failure->largest_free;
    return diagnosis.reason == TS_REASON_OVERLAP ||
           (diagnosis.reason == TS_REASON_FRAGMENTED && ts_str_is(failure->buffer_type, "L1"));
}

static bool can_be_told(const struct ts_profiler *profiler, struct ts_in_the_way *way)
{
    static const enum ts_db_table read[] = {TS_DB_BUFFERS, TS_DB_DEVICES, TS_DB_TENSORS, TS_DB_OUTPUT_TENSORS};
    if (!ts_db_has_table(profiler->db, TS_DB_BUFFERS))
        snprintf(way->unknown, sizeof way->unknown, "the report has no table buffers");
    for (size_t i = 0; i < sizeof read / sizeof *read && !way->unknown[0]; i++)
        if (ts_profiler_unattributable(profiler, read[i]))
            snprintf(way->unknown, sizeof way->unknown, "the table %s carries no rank", ts_db_table_name(read[i]));
    return !way->unknown[0];
}

enum ts_status ts_in_the_way_read(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                  const struct ts_allocation_failure *failure, struct ts_in_the_way *out,
                                  struct ts_error *error)
{
    struct buffers buffers = {.rows = {.count = 0}};
    struct ts_profiler_devices devices;
    struct ts_in_the_way way = {.applies = true};
    *out = (struct ts_in_the_way){.applies = false};
    if (!applies(failure, &way.misses))
        return TS_OK;
    if (!can_be_told(profiler, &way)) {
        *out = way;
        return TS_OK;
    }
    enum ts_status status = read_before(context, profiler, operation, &buffers, &way.behind, &way.looked, error);
    if (status == TS_OK)
        status = ts_profiler_devices(context, profiler, &devices, error);
    if (status == TS_OK && way.looked)
        choose(&buffers, &devices, failure, &way);
    else if (status == TS_OK)
        snprintf(way.unknown, sizeof way.unknown, "no buffers are recorded behind an earlier operation");
    for (size_t i = 0; status == TS_OK && i < way.count && i < TS_RESIDENTS_LISTED; i++)
        status = name_resident(context, profiler, &way, &way.listed[i], error);
    ts_vec_free(&buffers.rows);
    if (status == TS_OK)
        *out = way;
    return status;
}
