#include "formats/noc_description.h"

#include <stdlib.h>

#include "base/limits.h"

enum { DEPTH = 16, WORMHOLE_X = 10, WORMHOLE_Y = 12 };

enum ts_status ts_noc_description_create(struct ts_noc_description **out, struct ts_error *error)
{
    struct ts_noc_description *d = calloc(1, sizeof *d);
    if (!d)
        return ts_error_no_memory(error);
    ts_arena_init(&d->arena, TS_LIMIT_NOC_TABLES);
    d->wormhole = true;
    d->wire = TS_WIRE_W5;
    d->layout = TS_NOC_I2;
    d->zone_names = TS_ARENA_ARRAY(&d->arena, uint32_t, 65536);
    enum ts_status status = ts_intern_init(&d->names, &d->arena, error);
    if (status == TS_OK && !d->zone_names)
        status = ts_error_no_memory(error);
    if (status != TS_OK) {
        ts_noc_description_destroy(d);
        return status;
    }
    *out = d;
    return TS_OK;
}

void ts_noc_description_destroy(struct ts_noc_description *description)
{
    if (!description)
        return;
    ts_intern_free(&description->names);
    ts_noc_sites_destroy(description->sites);
    ts_arena_free(&description->arena);
    free(description);
}

void ts_noc_description_set_arch(struct ts_noc_description *description, struct ts_str arch)
{
    description->wormhole = ts_str_is(arch, "wormhole_b0");
}

/* ---- reading ---- */

struct reading {
    struct ts_noc_description *d;
    struct ts_error *error;
};

static enum ts_status wrong(struct reading *r, const char *key, const char *expected)
{
    return ts_error_set(r->error, TS_INPUT, "the description's \"%s\" is not %s", key, expected);
}

static enum ts_status out_of_memory(struct reading *r)
{
    return ts_arena_error(&r->d->arena, r->error);
}

static bool integer_in(yyjson_val *value, int64_t minimum, int64_t maximum, int64_t *out)
{
    if (!yyjson_is_int(value) || (yyjson_is_uint(value) && yyjson_get_uint(value) > INT64_MAX))
        return false;
    *out = yyjson_get_sint(value);
    return *out >= minimum && *out <= maximum;
}

static enum ts_status read_zones(struct reading *r, yyjson_val *root)
{
    size_t index, count;
    yyjson_val *zone;
    yyjson_val *zones = ts_json_get(root, "zones");
    if (!zones)
        return TS_OK;
    if (!yyjson_is_arr(zones))
        return wrong(r, "zones", "a list");
    yyjson_arr_foreach(zones, index, count, zone)
    {
        int64_t id;
        yyjson_val *name = ts_json_get(zone, "name");
        if (!integer_in(ts_json_get(zone, "id"), 0, 65535, &id) || !yyjson_is_str(name))
            return wrong(r, "zones", "a list of objects with id (0 to 65535) and name");
        uint32_t number = ts_intern_add(&r->d->names, ts_json_str(name));
        if (number == UINT32_MAX)
            return out_of_memory(r);
        r->d->zone_names[id] = number;
    }
    return TS_OK;
}

static bool key_number(yyjson_val *key, uint64_t *out)
{
    struct ts_str text = ts_json_str(key);
    uint64_t value = 0;
    if (text.len == 0 || text.len > 18)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        value = 10 * value + (uint64_t)(text.ptr[i] - '0');
    }
    *out = value;
    return true;
}

static int compare_ops(const void *a, const void *b)
{
    const struct ts_noc_op *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static enum ts_status read_ops(struct reading *r, yyjson_val *root)
{
    size_t index, count;
    yyjson_val *key, *value;
    yyjson_val *ops = ts_json_get(root, "ops");
    if (!ops)
        return TS_OK;
    if (!yyjson_is_obj(ops))
        return wrong(r, "ops", "an object of names by program id");
    r->d->ops = TS_ARENA_ARRAY(&r->d->arena, struct ts_noc_op, yyjson_obj_size(ops) + 1);
    if (!r->d->ops)
        return out_of_memory(r);
    yyjson_obj_foreach(ops, index, count, key, value)
    {
        struct ts_noc_op *op = &r->d->ops[r->d->op_count];
        if (!key_number(key, &op->id) || !yyjson_is_str(value))
            return wrong(r, "ops", "an object of names by program id");
        op->name = ts_arena_copy(&r->d->arena, ts_json_str(value));
        if (!op->name.ptr)
            return out_of_memory(r);
        r->d->op_count++;
    }
    qsort(r->d->ops, r->d->op_count, sizeof *r->d->ops, compare_ops);
    return TS_OK;
}

static int compare_programs(const void *a, const void *b)
{
    const struct ts_noc_program *x = a, *y = b;
    if (x->trace != y->trace)
        return x->trace < y->trace ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static enum ts_status read_programs(struct reading *r, yyjson_val *programs)
{
    size_t index, count, at, members, total = 0;
    yyjson_val *key, *value, *id;
    const char *expected = "an object with replayed (a list) and programs (lists of program ids by trace id)";
    if (!programs)
        return TS_OK;
    if (!yyjson_is_obj(programs))
        return wrong(r, "traces", expected);
    yyjson_obj_foreach(programs, index, count, key, value) total += yyjson_arr_size(value);
    r->d->programs = TS_ARENA_ARRAY(&r->d->arena, struct ts_noc_program, total + 1);
    if (!r->d->programs)
        return out_of_memory(r);
    yyjson_obj_foreach(programs, index, count, key, value)
    {
        uint64_t trace;
        if (!key_number(key, &trace) || !yyjson_is_arr(value))
            return wrong(r, "traces", expected);
        yyjson_arr_foreach(value, at, members, id)
        {
            int64_t number;
            if (!integer_in(id, 0, INT64_MAX, &number))
                return wrong(r, "traces", expected);
            r->d->programs[r->d->program_count++] = (struct ts_noc_program){trace, (uint64_t)number};
        }
    }
    qsort(r->d->programs, r->d->program_count, sizeof *r->d->programs, compare_programs);
    return TS_OK;
}

static enum ts_status read_traces(struct reading *r, yyjson_val *root)
{
    size_t index, count;
    yyjson_val *id;
    yyjson_val *traces = ts_json_get(root, "traces");
    yyjson_val *replayed = ts_json_get(traces, "replayed");
    const char *expected = "an object with replayed (a list) and programs (lists of program ids by trace id)";
    if (!traces)
        return TS_OK;
    if (!yyjson_is_obj(traces) || (replayed && !yyjson_is_arr(replayed)))
        return wrong(r, "traces", expected);
    r->d->replayed = TS_ARENA_ARRAY(&r->d->arena, uint64_t, yyjson_arr_size(replayed) + 1);
    if (!r->d->replayed)
        return out_of_memory(r);
    if (replayed) {
        yyjson_arr_foreach(replayed, index, count, id)
        {
            int64_t number;
            if (!integer_in(id, 0, UINT32_MAX, &number))
                return wrong(r, "traces", expected);
            r->d->replayed[r->d->replay_count++] = (uint64_t)number;
        }
    }
    return read_programs(r, ts_json_get(traces, "programs"));
}

/* [vx, vy, px, py, kind] */
static bool read_spot(yyjson_val *entry, struct ts_noc_device *device)
{
    int64_t at[4];
    if (!yyjson_is_arr(entry) || yyjson_arr_size(entry) != 5)
        return false;
    for (size_t i = 0; i < 4; i++)
        if (!integer_in(yyjson_arr_get(entry, i), 0, TS_NOC_SIDE - 1, &at[i]))
            return false;
    struct ts_str name = ts_json_str(yyjson_arr_get(entry, 4));
    uint8_t kind = ts_str_is(name, "tensix") ? TS_NOC_TENSIX : ts_str_is(name, "eth") ? TS_NOC_ETH : TS_NOC_DRAM;
    device->translated[at[1] * TS_NOC_SIDE + at[0]] = (struct ts_noc_spot){(int16_t)at[2], (int16_t)at[3], kind, true};
    device->kind_at[at[3] * TS_NOC_SIDE + at[2]] = (uint8_t)(kind + 1);
    return true;
}

static enum ts_status read_eth(struct reading *r, yyjson_val *channels, struct ts_noc_device *device)
{
    size_t index, count;
    yyjson_val *entry;
    if (!channels)
        return TS_OK;
    device->eth = TS_ARENA_ARRAY(&r->d->arena, struct ts_noc_eth, yyjson_arr_size(channels) + 1);
    if (!device->eth)
        return out_of_memory(r);
    yyjson_arr_foreach(channels, index, count, entry)
    {
        int64_t channel, x, y;
        if (!integer_in(yyjson_arr_get(entry, 0), 0, UINT32_MAX, &channel) ||
            !integer_in(yyjson_arr_get(entry, 1), 0, INT16_MAX, &x) ||
            !integer_in(yyjson_arr_get(entry, 2), 0, INT16_MAX, &y))
            return wrong(r, "devices", "a list whose eth_channels are lists of channel, x and y");
        device->eth[device->eth_count++] = (struct ts_noc_eth){(uint32_t)channel, (int16_t)x, (int16_t)y};
    }
    return TS_OK;
}

static enum ts_status read_device(struct reading *r, yyjson_val *object)
{
    size_t index, count;
    yyjson_val *entry;
    int64_t number, grid_x = WORMHOLE_X, grid_y = WORMHOLE_Y;
    yyjson_val *grid = ts_json_get(object, "grid"), *table = ts_json_get(object, "translated");
    if (!integer_in(ts_json_get(object, "device"), 0, UINT32_MAX, &number))
        return wrong(r, "devices", "a list of objects with a device number");
    if (grid && (!integer_in(yyjson_arr_get(grid, 0), 1, TS_NOC_SIDE, &grid_x) ||
                 !integer_in(yyjson_arr_get(grid, 1), 1, TS_NOC_SIDE, &grid_y)))
        return wrong(r, "devices", "a list whose grids are two numbers from 1 to 64");
    struct ts_noc_device *device = TS_ARENA_NEW(&r->d->arena, struct ts_noc_device);
    if (!device)
        return out_of_memory(r);
    *device = (struct ts_noc_device){.device = (uint32_t)number, .grid_x = (int16_t)grid_x, .grid_y = (int16_t)grid_y};
    if (table) {
        yyjson_arr_foreach(table, index, count, entry) if (!read_spot(entry, device)) return wrong(
            r, "devices", "a list whose translated entries are [vx, vy, px, py, kind] with coordinates to 63");
    }
    r->d->devices[r->d->device_count++] = device;
    return read_eth(r, ts_json_get(object, "eth_channels"), device);
}

static enum ts_status read_devices(struct reading *r, yyjson_val *root)
{
    size_t index, count;
    yyjson_val *object;
    enum ts_status status = TS_OK;
    yyjson_val *devices = ts_json_get(root, "devices");
    if (!devices)
        return TS_OK;
    if (!yyjson_is_arr(devices))
        return wrong(r, "devices", "a list");
    r->d->devices = TS_ARENA_ARRAY(&r->d->arena, struct ts_noc_device *, yyjson_arr_size(devices) + 1);
    if (!r->d->devices)
        return out_of_memory(r);
    yyjson_arr_foreach(devices, index, count, object) if (status == TS_OK) status = read_device(r, object);
    return status;
}

static enum ts_status read_generation(struct reading *r, yyjson_val *root, bool complete)
{
    yyjson_val *wire = ts_json_get(root, "wire"), *layout = ts_json_get(root, "id_layout");
    struct ts_str name = ts_json_str(layout);
    if (ts_str_is(ts_json_str(wire), "N1")) {
        enum ts_status status = ts_noc_sites_create(&r->d->sites, r->error);
        if (status != TS_OK)
            return status;
    } else if (wire || complete) {
        if (!yyjson_is_str(wire) || !ts_noc_wire_parse(ts_json_str(wire), &r->d->wire))
            return wrong(r, "wire", "one of W1, W2, W3, W4 and W5, or N1 (near-raw)");
        r->d->has_wire = true;
    }
    if (layout || complete) {
        if (!yyjson_is_str(layout) || name.len != 2 || name.ptr[0] != 'I' || name.ptr[1] < '1' || name.ptr[1] > '3')
            return wrong(r, "id_layout", "one of I1, I2 and I3");
        r->d->layout = (enum ts_noc_identity_layout)(name.ptr[1] - '0');
    }
    if (ts_json_get(root, "arch")) {
        struct ts_str arch = ts_json_str(ts_json_get(root, "arch"));
        ts_noc_description_set_arch(r->d, arch);
        r->d->arch = ts_arena_copy(&r->d->arena, arch);
        if (arch.len && !r->d->arch.len)
            return out_of_memory(r);
    }
    return TS_OK;
}

/* Tables of call sites, in hexadecimal digits. */
static enum ts_status read_sites(struct reading *r, yyjson_val *root)
{
    size_t index, count;
    yyjson_val *table;
    yyjson_val *tables = r->d->sites ? ts_json_get(root, "sites") : NULL;
    if (!tables)
        return TS_OK;
    if (!yyjson_is_arr(tables))
        return wrong(r, "sites", "a list of tables in hexadecimal digits");
    yyjson_arr_foreach(tables, index, count, table)
    {
        if (!yyjson_is_str(table))
            return wrong(r, "sites", "a list of tables in hexadecimal digits");
        enum ts_status status = ts_noc_sites_add_hex(r->d->sites, ts_json_str(table), r->error);
        if (status != TS_OK)
            return status;
    }
    return TS_OK;
}

enum ts_status ts_noc_description_parse(struct ts_str json, bool complete, struct ts_noc_description **out,
                                        struct ts_error *error)
{
    struct reading r = {NULL, error};
    yyjson_doc *doc = NULL;
    enum ts_status status = ts_json_parse(json, DEPTH, false, &doc, error);
    if (status != TS_OK)
        return status;
    yyjson_val *root = yyjson_doc_get_root(doc);
    if (!yyjson_is_obj(root))
        status = ts_error_set(error, TS_INPUT, "the description is not a JSON object");
    if (status == TS_OK)
        status = ts_noc_description_create(&r.d, error);
    if (status == TS_OK)
        status = read_generation(&r, root, complete);
    static enum ts_status (*const parts[])(struct reading *, yyjson_val *) = {read_zones, read_ops, read_traces,
                                                                              read_devices, read_sites};
    for (size_t i = 0; status == TS_OK && i < sizeof parts / sizeof parts[0]; i++)
        status = parts[i](&r, root);
    yyjson_doc_free(doc);
    if (status != TS_OK) {
        ts_noc_description_destroy(r.d);
        return status;
    }
    *out = r.d;
    return TS_OK;
}

/* ---- a chip with all its rows ---- */

static void assume_wormhole(struct ts_noc_device *device)
{
    static const int8_t columns[] = {1, 2, 3, 4, 6, 7, 8, 9}, rows[] = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11};
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 10; j++) {
            device->translated[(18 + j) * TS_NOC_SIDE + 18 + i] =
                (struct ts_noc_spot){columns[i], rows[j], TS_NOC_TENSIX, true};
            device->kind_at[rows[j] * TS_NOC_SIDE + columns[i]] = TS_NOC_TENSIX + 1;
        }
        for (int j = 0; j < 2; j++) {
            device->translated[(16 + j) * TS_NOC_SIDE + 18 + i] =
                (struct ts_noc_spot){columns[i], (int16_t)(6 * j), TS_NOC_ETH, true};
            device->kind_at[6 * j * TS_NOC_SIDE + columns[i]] = TS_NOC_ETH + 1;
        }
    }
}

/* Blackhole's workers stand where they say. */
static void assume_blackhole(struct ts_noc_device *device)
{
    device->grid_x = 17;
    for (int y = 2; y < 12; y++)
        for (int x = 1; x < 17; x++)
            if (x != 8 && x != 9) {
                device->translated[y * TS_NOC_SIDE + x] =
                    (struct ts_noc_spot){(int16_t)x, (int16_t)y, TS_NOC_TENSIX, true};
                device->kind_at[y * TS_NOC_SIDE + x] = TS_NOC_TENSIX + 1;
            }
}

enum ts_status ts_noc_description_assume(struct ts_noc_description *d, uint32_t number, struct ts_error *error)
{
    if (ts_noc_device_find(d, number))
        return TS_OK;
    struct ts_noc_device **devices = TS_ARENA_ARRAY(&d->arena, struct ts_noc_device *, d->device_count + 1);
    struct ts_noc_device *device = TS_ARENA_NEW(&d->arena, struct ts_noc_device);
    if (!devices || !device)
        return ts_arena_error(&d->arena, error);
    if (d->device_count)
        memcpy(devices, d->devices, d->device_count * sizeof *devices);
    *device = (struct ts_noc_device){.device = number, .grid_x = WORMHOLE_X, .grid_y = WORMHOLE_Y};
    if (d->wormhole)
        assume_wormhole(device);
    else
        assume_blackhole(device);
    devices[d->device_count++] = device;
    d->devices = devices;
    return TS_OK;
}

/* ---- asking ---- */

const struct ts_noc_device *ts_noc_device_find(const struct ts_noc_description *d, uint32_t number)
{
    for (size_t i = 0; i < d->device_count; i++)
        if (d->devices[i]->device == number)
            return d->devices[i];
    return NULL;
}

bool ts_noc_place(const struct ts_noc_description *d, const struct ts_noc_device *device, int x, int y, unsigned noc,
                  struct ts_noc_spot *out)
{
    *out = (struct ts_noc_spot){(int16_t)x, (int16_t)y, TS_NOC_DRAM, false};
    if (!d->wormhole || x >= 18 || y >= 16) {
        if (!device || x < 0 || y < 0 || x >= TS_NOC_SIDE || y >= TS_NOC_SIDE)
            return false;
        const struct ts_noc_spot *spot = &device->translated[y * TS_NOC_SIDE + x];
        if (spot->known)
            *out = *spot;
        return spot->known;
    }
    if (noc != 1) {
        out->x = (int16_t)((device ? device->grid_x : WORMHOLE_X) - 1 - x);
        out->y = (int16_t)((device ? device->grid_y : WORMHOLE_Y) - 1 - y);
    }
    if (device && out->x >= 0 && out->y >= 0 && out->x < TS_NOC_SIDE && out->y < TS_NOC_SIDE) {
        uint8_t kind = device->kind_at[out->y * TS_NOC_SIDE + out->x];
        out->kind = kind ? (uint8_t)(kind - 1) : TS_NOC_DRAM;
    }
    out->known = true;
    return true;
}

bool ts_noc_channel(const struct ts_noc_device *device, int x, int y, uint32_t *out)
{
    for (size_t i = device ? device->eth_count : 0; i-- > 0;)
        if (device->eth[i].x == x && device->eth[i].y == y) {
            *out = device->eth[i].channel;
            return true;
        }
    return false;
}

struct ts_str ts_noc_op_name(const struct ts_noc_description *d, uint64_t id)
{
    struct ts_noc_op key = {id, {0}};
    const struct ts_noc_op *found = d->op_count ? bsearch(&key, d->ops, d->op_count, sizeof key, compare_ops) : NULL;
    return found ? found->name : (struct ts_str){"", 0};
}

bool ts_noc_replay(const struct ts_noc_description *d, uint64_t counter, uint64_t program, uint64_t *trace,
                   uint64_t *count)
{
    if (counter == 0 || counter > d->replay_count)
        return false;
    struct ts_noc_program key = {d->replayed[counter - 1], program};
    if (d->program_count == 0 || !bsearch(&key, d->programs, d->program_count, sizeof key, compare_programs))
        return false;
    *trace = key.trace;
    *count = 0;
    for (uint64_t i = 0; i < counter; i++)
        *count += d->replayed[i] == key.trace;
    return true;
}
