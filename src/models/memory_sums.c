#include "models/memory_sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "models/profiler_stretches.h"

enum { OPERATION, TYPE, DEVICE, ADDRESS, SIZE };
static const char *const columns[] = {"operation_id", "buffer_type", "device_id", "address", "max_size_per_bank", NULL};
enum { KNOWN_TYPES = 5 };
#define UNKNOWN "UNKNOWN" /* the type of a buffer whose type is not recorded */

/* Rows come operation by operation in all but damaged reports: what belongs to the present one is gathered and settled when
 * the next begins. `stamp` says for which operation a gathered figure holds. */
struct type {
    struct ts_str name;
    uint64_t stamp;
    int64_t size;
    TS_VEC(struct ts_memory_sum) sums;
    TS_VEC(int64_t) devices;
    uint64_t rows, unsized;
    uint32_t last_device;
    bool is_l1, is_unknown;
};
struct device {
    int64_t id;
    struct ts_l1_window window;
    uint64_t stamp;
    TS_VEC(struct ts_l1_chunk) chunks; /* in the L1, of the present operation */
    uint64_t unplaced;                 /* its buffers that may lie there, too */
};
struct numbers {
    TS_VEC(uint32_t) list;
};

/* Of an operation; withheld: where its L1 buffers lay is not recorded. */
struct pressure {
    struct ts_memory_pressure found;
    bool withheld;
};

struct builder {
    struct ts_context *context;
    struct ts_profiler *profiler;
    struct ts_profiler_devices geometry;
    struct ts_arena keys; /* of the maps */
    struct ts_map type_map, device_map, pair_map;
    TS_VEC(struct type) types;
    TS_VEC(struct device) devices;
    uint32_t known[KNOWN_TYPES]; /* index + 1 of the type with this number */
    uint64_t stamp;
    int64_t operation;
    struct numbers touched_types, touched_devices;
    TS_VEC(struct pressure) pressures;
    bool pressure_only;  /* sums were taken before */
    uint64_t deviceless; /* buffers of the present operation that may lie in the L1 of any device */
    uint64_t keyless, unplaced;
};

/* ---- looking up ---- */

/* The number under a key, which is `next` when it is new; NULL when memory is out. */
static const uint64_t *number_of(struct builder *builder, struct ts_map *map, struct ts_str key, size_t next,
                                 bool *added)
{
    const uint64_t *known = ts_map_find(map, key);
    *added = false;
    if (known)
        return known;
    struct ts_str copy = ts_arena_copy(&builder->keys, key);
    uint64_t *number = copy.ptr ? ts_map_at(map, copy, added) : NULL;
    if (number)
        *number = next;
    return number;
}

static bool find_type(struct builder *builder, const struct ts_db_cell *cell, uint32_t *out)
{
    char digits[24];
    struct ts_str name = cell->text;
    if (cell->is_integer && cell->integer >= 0 && cell->integer < KNOWN_TYPES) {
        if (builder->known[cell->integer] > 0) {
            *out = builder->known[cell->integer] - 1;
            return true;
        }
        name = ts_str_from(ts_buffer_type_names[cell->integer]);
    } else if (cell->is_integer) {
        name.len = (size_t)snprintf(digits, sizeof digits, "%" PRId64, cell->integer);
        name.ptr = digits;
    } else {
        name = cell->text.ptr ? ts_buffer_type_of_param(cell->text) : TS_STR(UNKNOWN);
    }
    bool added;
    const uint64_t *number = number_of(builder, &builder->type_map, name, builder->types.count, &added);
    if (!number)
        return false;
    *out = (uint32_t)*number;
    struct type type = {.last_device = UINT32_MAX};
    if (added) {
        type.name = builder->type_map.entries[builder->type_map.count - 1].key;
        type.is_l1 = ts_str_is(type.name, ts_buffer_type_names[1]);
        type.is_unknown = ts_str_is(type.name, UNKNOWN);
        if (!ts_vec_push(&builder->types, type))
            return false;
    }
    if (cell->is_integer && cell->integer >= 0 && cell->integer < KNOWN_TYPES)
        builder->known[cell->integer] = *out + 1;
    return true;
}

static int by_device(const void *left, const void *right)
{
    const struct ts_profiler_device *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static bool find_device(struct builder *builder, int64_t id, uint32_t *out)
{
    bool added;
    if (builder->devices.count > 0 && builder->devices.items[*out].id == id)
        return true;
    const uint64_t *number = number_of(builder, &builder->device_map, (struct ts_str){(const char *)&id, sizeof id},
                                       builder->devices.count, &added);
    if (!number)
        return false;
    *out = (uint32_t)*number;
    if (!added)
        return true;
    struct device device = {.id = id};
    const struct ts_profiler_device wanted = {.id = id}, *geometry = NULL;
    if (builder->geometry.count > 0)
        geometry = bsearch(&wanted, builder->geometry.items, builder->geometry.count, sizeof wanted, by_device);
    if (geometry)
        device.window = ts_l1_window_of(geometry);
    return ts_vec_push(&builder->devices, device);
}

/* ---- one operation ---- */

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? INT64_MAX : INT64_MIN) : sum;
}

static bool settle_pressure(struct builder *builder)
{
    struct pressure pressure = {.found.operation = builder->operation, .withheld = builder->deviceless > 0};
    bool any = false;
    for (size_t i = 0; i < builder->touched_devices.list.count; i++) {
        struct device *device = &builder->devices.items[builder->touched_devices.list.items[i]];
        struct ts_l1_pressure now = {.device_id = device->id};
        bool known = device->window.end > device->window.start;
        if (known && device->chunks.count == 0 && device->unplaced + builder->deviceless > 0) {
            pressure.withheld = true;
        } else if (known) {
            ts_l1_pressure_of(device->window, device->chunks.items, device->chunks.count, &now);
            if (!any || ts_l1_pressure_tighter(&now, &pressure.found.tightest))
                pressure.found.tightest = now;
            any = true;
        }
        device->chunks.count = 0;
        device->unplaced = 0;
    }
    builder->touched_devices.list.count = 0;
    builder->deviceless = 0;
    pressure.withheld = pressure.withheld && !any;
    return !(any || pressure.withheld) || ts_vec_push(&builder->pressures, pressure);
}

/* The present operation is over. */
static bool settle(struct builder *builder)
{
    bool good = settle_pressure(builder);
    for (size_t i = 0; i < builder->touched_types.list.count && good; i++) {
        struct type *type = &builder->types.items[builder->touched_types.list.items[i]];
        struct ts_memory_sum sum = {builder->operation, type->size};
        good = builder->pressure_only || ts_vec_push(&type->sums, sum);
    }
    builder->touched_types.list.count = 0;
    builder->stamp++;
    return good;
}

static bool note_device(struct builder *builder, uint32_t type_index, uint32_t device_index)
{
    struct type *type = &builder->types.items[type_index];
    struct device *device = &builder->devices.items[device_index];
    if (device->stamp != builder->stamp) {
        device->stamp = builder->stamp;
        if (!ts_vec_push(&builder->touched_devices.list, device_index))
            return false;
    }
    if (type->last_device == device_index)
        return true;
    type->last_device = device_index;
    bool added;
    const uint32_t pair[] = {type_index, device_index};
    if (!number_of(builder, &builder->pair_map, (struct ts_str){(const char *)pair, sizeof pair}, 0, &added))
        return false;
    return !added || ts_vec_push(&type->devices, device->id);
}

/* A buffer that is not seen where it may lie: in the L1. */
static void note_unplaced(struct builder *builder, bool may_be_l1, uint64_t *count)
{
    *count += may_be_l1;
    builder->unplaced += may_be_l1 && !builder->pressure_only;
}

static bool take_row(struct builder *builder, const struct ts_db_cell *cells, uint32_t *last_device)
{
    uint32_t type_index;
    bool sized = cells[SIZE].is_integer && cells[SIZE].integer >= 0;
    int64_t size = sized ? cells[SIZE].integer : 0;
    if (!find_type(builder, &cells[TYPE], &type_index))
        return false;
    struct type *type = &builder->types.items[type_index];
    if (type->stamp != builder->stamp) {
        type->stamp = builder->stamp;
        type->size = 0;
        if (!ts_vec_push(&builder->touched_types.list, type_index))
            return false;
    }
    type->size = add(type->size, size);
    type->rows += !builder->pressure_only;
    type->unsized += !sized && !builder->pressure_only;
    if (!cells[DEVICE].is_integer) {
        note_unplaced(builder, type->is_l1 || type->is_unknown, &builder->deviceless);
        return true;
    }
    if (!find_device(builder, cells[DEVICE].integer, last_device) || !note_device(builder, type_index, *last_device))
        return false;
    struct device *device = &builder->devices.items[*last_device];
    if (!type->is_l1 || !cells[ADDRESS].is_integer || !sized) {
        note_unplaced(builder, type->is_l1 || type->is_unknown, &device->unplaced);
        return true;
    }
    struct ts_l1_chunk chunk = {cells[ADDRESS].integer, size};
    return device->window.end == device->window.start || ts_vec_push(&device->chunks, chunk);
}

struct visit {
    struct builder *builder;
    uint32_t last_device;
};

static enum ts_status visit_row(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct visit *visit = data;
    struct builder *builder = visit->builder;
    if (!cells[OPERATION].is_integer) {
        builder->keyless++;
        return TS_OK;
    }
    bool good = true;
    if (cells[OPERATION].integer != builder->operation) {
        good = settle(builder);
        builder->operation = cells[OPERATION].integer;
    }
    return good && take_row(builder, cells, &visit->last_device) ? TS_OK : ts_error_no_memory(error);
}

/* ---- operations whose rows lie apart ---- */

static int by_operation(const void *left, const void *right)
{
    const struct pressure *a = left, *b = right;
    return a->found.operation < b->found.operation ? -1 : a->found.operation > b->found.operation;
}

/* All rows of one operation, through the index. */
static enum ts_status gather(struct builder *builder, int64_t operation, struct ts_error *error)
{
    struct visit visit = {.builder = builder};
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status = ts_profiler_rows(builder->context, builder->profiler, TS_DB_BUFFERS, "operation_id",
                                             operation, columns, &rows, error);
    if (status != TS_OK)
        return status;
    builder->operation = operation;
    while (status == TS_OK && (status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        struct ts_db_cell cells[SIZE + 1];
        for (unsigned i = 0; i <= SIZE; i++)
            ts_db_cell_of(rows, i, &cells[i]);
        status = visit_row(&visit, cells, error);
    }
    ts_db_rows_close(rows);
    return status == TS_OK && !settle(builder) ? ts_error_no_memory(error) : status;
}

/* What was settled in parts is thrown away and settled as a whole. */
static enum ts_status settle_again(struct builder *builder, struct ts_error *error)
{
    struct pressure *items = builder->pressures.items;
    size_t count = builder->pressures.count, kept = 0;
    TS_VEC(int64_t) apart = {0};
    enum ts_status status = TS_OK;
    if (count > 1)
        qsort(items, count, sizeof *items, by_operation);
    for (size_t i = 0, next; i < count && status == TS_OK; i = next) {
        for (next = i + 1; next < count && items[next].found.operation == items[i].found.operation;)
            next++;
        if (next == i + 1)
            items[kept++] = items[i];
        else if (!ts_vec_push(&apart, items[i].found.operation))
            status = ts_error_no_memory(error);
    }
    builder->pressures.count = kept;
    builder->pressure_only = true;
    for (size_t i = 0; i < apart.count && status == TS_OK; i++)
        status = gather(builder, apart.items[i], error);
    ts_vec_free(&apart);
    return status;
}

/* ---- the result ---- */

static int by_id(const void *left, const void *right)
{
    const struct ts_memory_sum *a = left, *b = right;
    return a->operation < b->operation ? -1 : a->operation > b->operation;
}

static int ascending(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static int by_name(const void *left, const void *right)
{
    const struct ts_memory_type *a = left, *b = right;
    return ts_str_compare(a->name, b->name);
}

static int by_tightness(const void *left, const void *right)
{
    const struct ts_memory_pressure *a = left, *b = right;
    if (a->tightest.largest_free_block != b->tightest.largest_free_block)
        return a->tightest.largest_free_block < b->tightest.largest_free_block ? -1 : 1;
    return a->operation < b->operation ? -1 : a->operation > b->operation;
}

/* One sum an operation, in order. */
static void merge_sums(struct type *type)
{
    struct ts_memory_sum *items = type->sums.items;
    bool sorted = true;
    for (size_t i = 1; i < type->sums.count && sorted; i++)
        sorted = items[i - 1].operation < items[i].operation;
    if (sorted)
        return;
    qsort(items, type->sums.count, sizeof *items, by_id);
    size_t kept = 0;
    for (size_t i = 0; i < type->sums.count; i++) {
        if (kept > 0 && items[kept - 1].operation == items[i].operation)
            items[kept - 1].size = add(items[kept - 1].size, items[i].size);
        else
            items[kept++] = items[i];
    }
    type->sums.count = kept;
}

static void *copy(struct ts_arena *arena, const void *items, size_t bytes)
{
    void *out = ts_arena_alloc(arena, bytes);
    if (out && bytes > 0)
        memcpy(out, items, bytes);
    return out;
}

static bool copy_type(struct ts_arena *arena, struct type *type, struct ts_memory_type *out)
{
    merge_sums(type);
    if (type->devices.count > 1)
        qsort(type->devices.items, type->devices.count, sizeof *type->devices.items, ascending);
    *out = (struct ts_memory_type){
        .name = ts_arena_copy(arena, type->name),
        .sums = copy(arena, type->sums.items, type->sums.count * sizeof *type->sums.items),
        .count = type->sums.count,
        .devices = copy(arena, type->devices.items, type->devices.count * sizeof *type->devices.items),
        .device_count = type->devices.count,
        .rows = type->rows,
        .unsized = type->unsized,
    };
    return out->name.ptr && out->sums && out->devices;
}

static bool copy_pressures(struct ts_memory_sums *out, const struct builder *builder)
{
    struct ts_memory_pressure *items = TS_ARENA_ARRAY(&out->arena, struct ts_memory_pressure, builder->pressures.count);
    out->pressures = items;
    for (size_t i = 0; items && i < builder->pressures.count; i++) {
        if (builder->pressures.items[i].withheld)
            out->withheld++;
        else
            items[out->pressure_count++] = builder->pressures.items[i].found;
    }
    if (out->pressure_count > 1)
        qsort(items, out->pressure_count, sizeof *items, by_tightness);
    return items;
}

static enum ts_status finish(struct builder *builder, struct ts_memory_sums *out, struct ts_error *error)
{
    struct ts_memory_type *types = TS_ARENA_ARRAY(&out->arena, struct ts_memory_type, builder->types.count);
    bool good = types;
    for (size_t i = 0; i < builder->types.count && good; i++)
        good = copy_type(&out->arena, &builder->types.items[i], &types[i]);
    if (!good || !copy_pressures(out, builder))
        return ts_arena_error(&out->arena, error);
    if (builder->types.count > 1)
        qsort(types, builder->types.count, sizeof *types, by_name);
    out->types = types;
    out->type_count = builder->types.count;
    out->unplaced = builder->unplaced;
    out->keyless = builder->keyless;
    for (size_t i = 0; i < builder->geometry.count; i++) {
        struct ts_l1_window window = ts_l1_window_of(&builder->geometry.items[i]);
        out->geometry = out->geometry || window.end > window.start;
    }
    return TS_OK;
}

static void free_builder(struct builder *builder)
{
    for (size_t i = 0; i < builder->types.count; i++) {
        ts_vec_free(&builder->types.items[i].sums);
        ts_vec_free(&builder->types.items[i].devices);
    }
    for (size_t i = 0; i < builder->devices.count; i++)
        ts_vec_free(&builder->devices.items[i].chunks);
    ts_vec_free(&builder->types);
    ts_vec_free(&builder->devices);
    ts_vec_free(&builder->touched_types.list);
    ts_vec_free(&builder->touched_devices.list);
    ts_vec_free(&builder->pressures);
    ts_map_free(&builder->type_map);
    ts_map_free(&builder->device_map);
    ts_map_free(&builder->pair_map);
    ts_arena_free(&builder->keys);
}

/* ---- several threads ---- */

/* Rows that are worth a thread. */
enum { ROWS_PER_STRETCH = 100000 };

static void init_builder(struct builder *builder, struct ts_context *context, struct ts_profiler *profiler)
{
    *builder = (struct builder){.context = context, .profiler = profiler, .stamp = 1};
    ts_arena_init(&builder->keys, context->memory_limit);
    ts_map_init(&builder->type_map);
    ts_map_init(&builder->device_map);
    ts_map_init(&builder->pair_map);
}

static enum ts_status read_stretch(void *data, const struct ts_profiler_stretch *stretch, struct ts_error *error)
{
    struct builder *builder = (struct builder *)data + stretch->index;
    struct visit visit = {.builder = builder};
    const struct ts_db_select select = ts_profiler_select(builder->profiler, TS_DB_BUFFERS, columns);
    enum ts_status status =
        ts_db_visit_part(stretch->db, &select, stretch->index, stretch->count, visit_row, &visit, error);
    return status == TS_OK && !settle(builder) ? ts_error_no_memory(error) : status;
}

/* Add what was found in another stretch. */
static bool merge(struct builder *into, struct builder *from)
{
    bool good = ts_vec_reserve(&into->pressures, from->pressures.count);
    for (size_t i = 0; good && i < from->pressures.count; i++)
        good = ts_vec_push(&into->pressures, from->pressures.items[i]);
    for (size_t t = 0; good && t < from->types.count; t++) {
        const struct type *type = &from->types.items[t];
        struct ts_db_cell cell = {.text = type->name};
        uint32_t index, device = 0;
        good = find_type(into, &cell, &index) && ts_vec_reserve(&into->types.items[index].sums, type->sums.count);
        if (good) {
            into->types.items[index].rows += type->rows;
            into->types.items[index].unsized += type->unsized;
        }
        for (size_t i = 0; good && i < type->sums.count; i++)
            good = ts_vec_push(&into->types.items[index].sums, type->sums.items[i]);
        for (size_t i = 0; good && i < type->devices.count; i++)
            good = find_device(into, type->devices.items[i], &device) && note_device(into, index, device);
    }
    into->keyless += from->keyless;
    into->unplaced += from->unplaced;
    into->touched_devices.list.count = 0;
    into->stamp++;
    return good;
}

static enum ts_status read_stretches(struct builder *builder, unsigned count, struct ts_error *error)
{
    struct builder builders[TS_PROFILER_STRETCHES_MAX];
    builders[0] = *builder;
    for (unsigned i = 1; i < count; i++) {
        init_builder(&builders[i], builder->context, builder->profiler);
        builders[i].geometry = builder->geometry;
    }
    enum ts_status status =
        ts_profiler_read_stretches(builder->context, builder->profiler, count, read_stretch, builders, error);
    *builder = builders[0];
    for (unsigned i = 1; i < count; i++) {
        if (status == TS_OK && !merge(builder, &builders[i]))
            status = ts_error_no_memory(error);
        free_builder(&builders[i]);
    }
    return status;
}

static enum ts_status build(struct builder *builder, struct ts_memory_sums *out, struct ts_error *error)
{
    struct ts_profiler *profiler = builder->profiler;
    unsigned stretches = 1;
    enum ts_status status = ts_profiler_devices(builder->context, profiler, &builder->geometry, error);
    if (status == TS_OK && builder->geometry.count > 1)
        qsort(builder->geometry.items, builder->geometry.count, sizeof *builder->geometry.items, by_device);
    if (status == TS_OK)
        status =
            ts_profiler_count_stretches(builder->context, profiler, TS_DB_BUFFERS, ROWS_PER_STRETCH, &stretches, error);
    if (status == TS_OK)
        status = read_stretches(builder, stretches, error);
    if (status == TS_OK)
        status = settle_again(builder, error);
    return status == TS_OK ? finish(builder, out, error) : status;
}

/* ---- the kept part ---- */

static void destroy(struct ts_part *part)
{
    struct ts_memory_sums *sums = (struct ts_memory_sums *)part;
    ts_arena_free(&sums->arena);
    free(sums);
}

static const struct ts_part_type sums_type = {"memory_sums", TS_PART_REREAD, destroy};

static enum ts_status make(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    struct ts_profiler *profiler = data;
    struct ts_memory_sums *sums = calloc(1, sizeof *sums);
    if (!sums)
        return ts_error_no_memory(error);
    struct builder builder;
    init_builder(&builder, context, profiler);
    ts_arena_init(&sums->arena, context->memory_limit);
    enum ts_status status = build(&builder, sums, error);
    free_builder(&builder);
    if (status == TS_OK)
        status = ts_db_unchanged(profiler->db, error);
    if (status != TS_OK) {
        destroy(&sums->part);
        return status;
    }
    sums->part.identity = *ts_db_read_identity(profiler->db);
    sums->part.size = sizeof *sums + sums->arena.reserved;
    *out = &sums->part;
    return TS_OK;
}

enum ts_status ts_memory_sums_read(struct ts_context *context, struct ts_profiler *profiler,
                                   const struct ts_memory_sums **out, struct ts_error *error)
{
    struct ts_part *part;
    enum ts_status status = ts_profiler_part(context, profiler, &sums_type, make, &part, error);
    if (status == TS_OK)
        *out = (const struct ts_memory_sums *)part;
    return status;
}
