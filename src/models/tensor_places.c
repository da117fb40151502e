#include "models/tensor_places.h"

#include <stdlib.h>

#include "base/number.h"

/* ---- shapes ---- */

/* What stands between the brackets. */
static bool inside(struct ts_str shape, struct ts_str *out)
{
    static const char *const names[] = {"Shape([", "torch.Size(["};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ts_str name = ts_str_from(names[i]);
        if (!ts_str_starts_with(shape, name) || !ts_str_ends_with(shape, TS_STR("])")) || shape.len < name.len + 2)
            continue;
        *out = ts_str_sub(shape, name.len, shape.len - name.len - 2);
        return true;
    }
    return false;
}

bool ts_places_volume(struct ts_str shape, int64_t *out)
{
    struct ts_str rest, piece;
    bool done = false;
    int64_t volume = 1, extent;
    if (!shape.ptr || !inside(shape, &rest))
        return false;
    while (ts_str_split(&rest, ',', &piece, &done)) {
        piece = ts_str_trim(piece);
        if (piece.len == 0)
            continue;
        if (piece.ptr[0] < '0' || piece.ptr[0] > '9' || !ts_number_parse_i64(piece, &extent) ||
            __builtin_mul_overflow(volume, extent, &volume))
            return false;
    }
    *out = volume;
    return true;
}

/* ---- reading ---- */

static int by_tensor(const void *a, const void *b)
{
    const struct ts_place *left = a, *right = b;
    if (left->tensor != right->tensor)
        return left->tensor < right->tensor ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);
}

static int by_device(const void *a, const void *b)
{
    const struct ts_device_place *left = a, *right = b;
    if (left->tensor != right->tensor)
        return left->tensor < right->tensor ? -1 : 1;
    if (left->device != right->device)
        return left->device < right->device ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);
}

enum { TENSOR, SHAPE, MEMORY_CONFIG, DEVICE, ADDRESS, BUFFER_TYPE };

/* Of a tensor without an address the column says nothing. */
static enum ts_place_memory memory_of(const struct ts_db_cell *cells, bool has_address)
{
    struct ts_db_digits digits;
    struct ts_str text, type = {NULL, 0};
    if (!has_address && cells[MEMORY_CONFIG].kind == TS_DB_KIND_TEXT)
        ts_buffer_type_of_config(cells[MEMORY_CONFIG].text, &type);
    else if (has_address && ts_db_cell_text(&cells[BUFFER_TYPE], &digits, &text))
        type = ts_buffer_type_of_param(text);
    if (!type.ptr)
        return TS_PLACE_ELSEWHERE;
    return ts_str_is(type, "DRAM") ? TS_PLACE_DRAM : ts_buffer_type_is_l1(type) ? TS_PLACE_L1 : TS_PLACE_ELSEWHERE;
}

static enum ts_status read_tensor(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct ts_places *places = data;
    const struct ts_db_cell *address = &cells[ADDRESS], *device = &cells[DEVICE], *shape = &cells[SHAPE];
    struct ts_place place = {
        .tensor = cells[TENSOR].integer,
        .row = places->tensors.count,
        .address = address->is_integer ? address->integer : 0,
        .device = device->is_integer ? device->integer : 0,
    };
    if (!cells[TENSOR].is_integer)
        return TS_OK;
    place.memory = memory_of(cells, address->is_integer);
    place.has_address = address->is_integer && device->is_integer;
    place.has_volume = shape->kind == TS_DB_KIND_TEXT && ts_places_volume(shape->text, &place.volume);
    return ts_vec_push(&places->tensors, place) ? TS_OK : ts_error_no_memory(error);
}

static enum ts_status read_device(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct ts_places *places = data;
    struct ts_device_place place = {
        .tensor = cells[0].integer,
        .device = cells[1].integer,
        .address = cells[2].integer,
        .row = places->devices.count,
    };
    if (!cells[0].is_integer || !cells[1].is_integer || !cells[2].is_integer)
        return TS_OK;
    return ts_vec_push(&places->devices, place) ? TS_OK : ts_error_no_memory(error);
}

/* In order, and of a tensor's rows the first, of a device's the last. */
static void settle(struct ts_places *places)
{
    struct ts_place *tensors = places->tensors.items;
    struct ts_device_place *devices = places->devices.items;
    size_t kept = 0;
    if (places->tensors.count > 1)
        qsort(tensors, places->tensors.count, sizeof *tensors, by_tensor);
    for (size_t i = 0; i < places->tensors.count; i++)
        if (kept == 0 || tensors[i].tensor != tensors[kept - 1].tensor)
            tensors[kept++] = tensors[i];
    places->tensors.count = kept;
    kept = 0;
    if (places->devices.count > 1)
        qsort(devices, places->devices.count, sizeof *devices, by_device);
    for (size_t i = 0; i < places->devices.count; i++) {
        if (kept > 0 && devices[i].tensor == devices[kept - 1].tensor && devices[i].device == devices[kept - 1].device)
            kept--;
        devices[kept++] = devices[i];
    }
    places->devices.count = kept;
}

enum ts_status ts_places_read(struct ts_profiler *profiler, struct ts_places *places, struct ts_error *error)
{
    static const char *const tensor_columns[] = {"tensor_id",   "shape", "memory_config", "device_id", "address",
                                                 "buffer_type", NULL};
    static const char *const device_columns[] = {"tensor_id", "device_id", "address", NULL};
    enum ts_status status =
        ts_profiler_each_attributable(profiler, TS_DB_TENSORS, tensor_columns, read_tensor, places, error);
    if (status == TS_OK)
        status =
            ts_profiler_each_attributable(profiler, TS_DB_DEVICE_TENSORS, device_columns, read_device, places, error);
    if (status == TS_OK)
        settle(places);
    return status;
}

void ts_places_free(struct ts_places *places)
{
    ts_vec_free(&places->tensors);
    ts_vec_free(&places->devices);
}

/* ---- asking ---- */

const struct ts_place *ts_places_find(const struct ts_places *places, int64_t tensor)
{
    size_t low = 0, high = places->tensors.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (places->tensors.items[middle].tensor < tensor)
            low = middle + 1;
        else
            high = middle;
    }
    return low < places->tensors.count && places->tensors.items[low].tensor == tensor ? &places->tensors.items[low]
                                                                                      : NULL;
}

/* The addresses of one tensor, device after device: those of the mesh, and its own where the mesh says none of that device. */
struct walk {
    const struct ts_device_place *next, *end;
    bool own; /* still to come */
    int64_t own_device, own_address;
};

static struct walk walk_of(const struct ts_places *places, const struct ts_place *place)
{
    const struct ts_device_place *items = places->devices.items;
    size_t low = 0, high = places->devices.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items[middle].tensor < place->tensor)
            low = middle + 1;
        else
            high = middle;
    }
    struct walk walk = {.own = place->has_address, .own_device = place->device, .own_address = place->address};
    if (places->devices.count == 0)
        return walk;
    walk.next = walk.end = items + low;
    while (walk.end < items + places->devices.count && walk.end->tensor == place->tensor) {
        if (walk.own && walk.end->device == place->device)
            walk.own = false;
        walk.end++;
    }
    return walk;
}

static bool walk_on(struct walk *walk, int64_t *device, int64_t *address)
{
    bool row = walk->next < walk->end;
    if (walk->own && (!row || walk->own_device < walk->next->device)) {
        walk->own = false;
        *device = walk->own_device;
        *address = walk->own_address;
        return true;
    }
    if (!row)
        return false;
    *device = walk->next->device;
    *address = walk->next++->address;
    return true;
}

bool ts_places_may_be_view(const struct ts_places *places, const struct ts_place *output, const struct ts_place *input)
{
    if (output->has_volume && input->has_volume && output->volume != input->volume)
        return false;
    struct walk left = walk_of(places, output), right = walk_of(places, input);
    int64_t left_device, left_address, right_device, right_address;
    bool more_left = walk_on(&left, &left_device, &left_address);
    bool more_right = walk_on(&right, &right_device, &right_address);
    if (!more_left || !more_right)
        return true;
    bool shared = false;
    while (more_left && more_right) {
        if (left_device == right_device) {
            if (left_address != right_address)
                return false;
            shared = true;
        }
        bool advance_left = left_device <= right_device, advance_right = right_device <= left_device;
        if (advance_left)
            more_left = walk_on(&left, &left_device, &left_address);
        if (advance_right)
            more_right = walk_on(&right, &right_device, &right_address);
    }
    return shared;
}
