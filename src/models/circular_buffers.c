#include "models/circular_buffers.h"

#include <stdlib.h>

#include "base/map.h"
#include "models/circular_view.h"
#include "models/core_ranges.h"

/* Steps that one graph may cost: far more than any real one does, and a second or two at most. */
enum { WORK_MAX = 400000000, COPY_WORK = 64, CHECK_EVERY = 1 << 22 };

/* One allocation, with what tells buffers apart in a form that compares fast. */
struct copy {
    const struct ts_graph_node *node;
    uint32_t text;     /* number of its core range set */
    uint32_t position; /* in view order */
    uint32_t turn;     /* which of equal buffers on one device it is */
};
/* Devices of an operation, ascending. */
struct devices {
    int64_t *ids;
    uint32_t count;
    bool nameless; /* and one that has no number */
};
struct builder {
    struct ts_context *context;
    struct ts_arena *arena;
    struct ts_map texts;
    struct ts_circular_view view;
    struct ts_circular_buffers *out;
    struct copy *all, *copies; /* of the view; of the snapshot at hand */
    struct devices *devices;   /* by operation */
    uint32_t *same;            /* by operation: the next one with the same name and buffers, + 1 */
    struct ts_map signatures;  /* name, buffers and perhaps devices, to where to look for their like */
    struct ts_core_mask mask;
    int64_t *grid; /* bytes by core of one device */
    size_t grid_capacity;
    uint64_t work;
};

static enum ts_status spend(struct builder *builder, uint64_t steps, struct ts_error *error)
{
    uint64_t before = builder->work / CHECK_EVERY;
    builder->work += steps;
    if (builder->work > WORK_MAX)
        builder->out->too_large = true;
    return builder->work / CHECK_EVERY > before ? ts_context_check(builder->context, error) : TS_OK;
}

static int64_t sum(int64_t a, int64_t b)
{
    int64_t result;
    return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
}

static int64_t bytes_of(const struct ts_graph_node *node)
{
    return node->has_size && node->size > 0 ? node->size : 0;
}

/* ---- order ---- */

static int compare_number(bool has_a, int64_t a, bool has_b, int64_t b)
{
    if (has_a != has_b)
        return has_a ? 1 : -1;
    return has_a ? (a > b) - (a < b) : 0;
}

static int compare_device(const struct copy *a, const struct copy *b)
{
    return compare_number(a->node->has_device, a->node->device, b->node->has_device, b->node->device);
}

static int compare_identity(const struct copy *a, const struct copy *b)
{
    const struct ts_graph_node *left = a->node, *right = b->node;
    int order = compare_number(left->has_address, left->address, right->has_address, right->address);
    if (order == 0)
        order = compare_number(left->has_size, left->size, right->has_size, right->size);
    if (order == 0)
        order = (a->text > b->text) - (a->text < b->text);
    return order != 0 ? order : left->globally_allocated - right->globally_allocated;
}

static int compare_position(const struct copy *a, const struct copy *b)
{
    return (a->position > b->position) - (a->position < b->position);
}

static int by_identity_device(const void *a, const void *b)
{
    int order = compare_identity(a, b);
    if (order == 0)
        order = compare_device(a, b);
    return order != 0 ? order : compare_position(a, b);
}

static int by_identity_turn(const void *a, const void *b)
{
    const struct copy *left = a, *right = b;
    int order = compare_identity(left, right);
    if (order == 0)
        order = (left->turn > right->turn) - (left->turn < right->turn);
    return order != 0 ? order : compare_position(left, right);
}

static int by_device(const void *a, const void *b)
{
    int order = compare_device(a, b);
    return order != 0 ? order : compare_position(a, b);
}

static int by_row_position(const void *a, const void *b)
{
    const struct ts_circular_buffer *left = a, *right = b;
    return (left->node > right->node) - (left->node < right->node);
}

/* ---- the copies of a mesh ---- */

/* Put the copies of one buffer side by side: the first of equal ones on one device belongs with the first on the others. */
static void pair(struct copy *copies, uint32_t count)
{
    qsort(copies, count, sizeof *copies, by_identity_device);
    for (uint32_t i = 1; i < count; i++)
        if (compare_identity(&copies[i], &copies[i - 1]) == 0 && compare_device(&copies[i], &copies[i - 1]) == 0)
            copies[i].turn = copies[i - 1].turn + 1;
    qsort(copies, count, sizeof *copies, by_identity_turn);
}

static bool is_copy_of(const struct copy *a, const struct copy *b)
{
    return a->turn == b->turn && compare_identity(a, b) == 0;
}

static enum ts_status take(struct builder *builder, const struct ts_circular_snapshot *snapshot, struct ts_error *error)
{
    uint32_t count = snapshot->end - snapshot->first;
    memcpy(builder->copies, builder->all + snapshot->first, count * sizeof *builder->copies);
    return spend(builder, COPY_WORK * (uint64_t)count, error);
}

static uint32_t count_rows(const struct copy *copies, uint32_t count)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < count; i++)
        rows += i == 0 || !is_copy_of(&copies[i], &copies[i - 1]);
    return rows;
}

static enum ts_status make_rows(struct builder *builder, struct ts_circular_operation *operation, uint32_t count,
                                struct ts_error *error)
{
    struct copy *copies = builder->copies;
    pair(copies, count);
    operation->buffers = ts_arena_calloc(builder->arena, count_rows(copies, count), sizeof *operation->buffers);
    if (!operation->buffers)
        return ts_arena_error(builder->arena, error);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || !is_copy_of(&copies[i], &copies[i - 1]))
            operation->buffers[operation->buffer_count++] = (struct ts_circular_buffer){copies[i].node, 0, 0};
        operation->buffers[operation->buffer_count - 1].device_count++;
    }
    /* Nodes lie in the graph's order, which for allocations is the view's too. */
    qsort(operation->buffers, operation->buffer_count, sizeof *operation->buffers, by_row_position);
    return TS_OK;
}

/* ---- bytes on cores ---- */

static enum ts_status read_mask(struct builder *builder, const struct ts_graph_node *node, struct ts_error *error)
{
    struct ts_str set = node->text.ptr ? node->text : TS_STR("");
    enum ts_status status = ts_core_mask_read(&builder->mask, set, error);
    uint64_t cells = ((uint64_t)builder->mask.width + 1) * (builder->mask.height + 1);
    return status == TS_OK ? spend(builder, set.len + 2 * cells, error) : status;
}

static enum ts_status count_cores(struct builder *builder, struct ts_circular_operation *operation,
                                  struct ts_error *error)
{
    enum ts_status status = TS_OK;
    for (uint32_t i = 0; status == TS_OK && i < operation->buffer_count && !builder->out->too_large; i++) {
        status = read_mask(builder, operation->buffers[i].node, error);
        operation->buffers[i].core_count = builder->mask.count;
    }
    return status;
}

enum { GRID_SIDE = TS_CORE_COORDINATE_MAX + 1 };

/* The grid is as wide as any core can be far, and only as high as was needed so far. */
static enum ts_status raise_grid(struct builder *builder, uint32_t height, struct ts_error *error)
{
    size_t cells = (size_t)height * GRID_SIDE;
    if (cells <= builder->grid_capacity)
        return TS_OK;
    int64_t *grid = realloc(builder->grid, cells * sizeof *grid);
    if (!grid)
        return ts_error_no_memory(error);
    memset(grid + builder->grid_capacity, 0, (cells - builder->grid_capacity) * sizeof *grid);
    builder->grid = grid;
    builder->grid_capacity = cells;
    return TS_OK;
}

/* Add the buffer's bytes to its cores, or take them away again; the most that lie on one core are kept in *most. */
static enum ts_status put_on_cores(struct builder *builder, const struct ts_graph_node *node, bool away, int64_t *most,
                                   int64_t *nowhere, struct ts_error *error)
{
    enum ts_status status = read_mask(builder, node, error);
    if (status == TS_OK)
        status = raise_grid(builder, builder->mask.height, error);
    if (status != TS_OK)
        return status;
    if (builder->mask.count == 0)
        *nowhere = sum(*nowhere, bytes_of(node));
    for (uint32_t y = 0; y < builder->mask.height; y++)
        for (uint32_t x = 0; x < builder->mask.width; x++) {
            if (!ts_core_mask_has(&builder->mask, x, y))
                continue;
            int64_t *cell = &builder->grid[(size_t)y * GRID_SIDE + x];
            *cell = away ? 0 : sum(*cell, bytes_of(node));
            if (*cell > *most)
                *most = *cell;
        }
    return TS_OK;
}

/* Buffers first to end are one device's. */
static enum ts_status weigh_device(struct builder *builder, struct ts_circular_operation *operation,
                                   const struct copy *first, const struct copy *end, struct ts_error *error)
{
    int64_t most = 0, nowhere = 0, unused = 0;
    enum ts_status status = TS_OK;
    for (int away = 0; away < 2; away++)
        for (const struct copy *copy = first; status == TS_OK && copy < end && !builder->out->too_large; copy++)
            if (!copy->node->globally_allocated)
                status =
                    put_on_cores(builder, copy->node, away, away ? &unused : &most, away ? &unused : &nowhere, error);
    if (most > operation->max_bytes_per_core)
        operation->max_bytes_per_core = most;
    if (nowhere > operation->unattributed_bytes)
        operation->unattributed_bytes = nowhere;
    return status;
}

static enum ts_status weigh(struct builder *builder, struct ts_circular_operation *operation, struct devices *devices,
                            uint32_t count, struct ts_error *error)
{
    const struct copy *copies = builder->copies;
    enum ts_status status = TS_OK;
    qsort(builder->copies, count, sizeof *copies, by_device);
    devices->ids = ts_arena_calloc(builder->arena, count, sizeof *devices->ids);
    if (!devices->ids)
        return ts_arena_error(builder->arena, error);
    for (uint32_t first = 0, end; status == TS_OK && first < count; first = end) {
        for (end = first + 1; end < count && compare_device(&copies[first], &copies[end]) == 0;)
            end++;
        if (copies[first].node->has_device)
            devices->ids[devices->count++] = copies[first].node->device;
        else
            devices->nameless = true;
        operation->device_count++;
        status = weigh_device(builder, operation, copies + first, copies + end, error);
    }
    return status;
}

/* ---- operations that are one on several devices ---- */

static bool same_buffers(const struct ts_circular_operation *a, const struct ts_circular_operation *b)
{
    if (a->buffer_count != b->buffer_count || !ts_str_equal(a->name, b->name))
        return false;
    for (uint32_t i = 0; i < a->buffer_count; i++) {
        const struct ts_graph_node *left = a->buffers[i].node, *right = b->buffers[i].node;
        if (compare_number(left->has_address, left->address, right->has_address, right->address) != 0 ||
            compare_number(left->has_size, left->size, right->has_size, right->size) != 0 ||
            left->globally_allocated != right->globally_allocated || !ts_str_equal(left->text, right->text))
            return false;
    }
    return true;
}

static bool are_disjoint(const struct devices *a, const struct devices *b)
{
    if (a->nameless && b->nameless)
        return false;
    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->ids[i] == b->ids[j])
            return false;
        if (a->ids[i] < b->ids[j])
            i++;
        else
            j++;
    }
    return true;
}

static enum ts_status unite(struct builder *builder, struct devices *into, const struct devices *from,
                            struct ts_error *error)
{
    int64_t *ids = ts_arena_calloc(builder->arena, (size_t)into->count + from->count, sizeof *ids);
    if (!ids)
        return ts_arena_error(builder->arena, error);
    uint32_t i = 0, j = 0, count = 0;
    while (i < into->count || j < from->count)
        ids[count++] =
            j == from->count || (i < into->count && into->ids[i] < from->ids[j]) ? into->ids[i++] : from->ids[j++];
    into->ids = ids;
    into->count = count;
    into->nameless = into->nameless || from->nameless;
    return TS_OK;
}

/* What operations with the same name and buffers have in common, and with them those on the same devices: hashes, seeded
 * by the table. */
struct signature {
    uint64_t buffers, devices;
};

static struct signature sign(const struct builder *builder, const struct ts_circular_operation *operation,
                             const struct devices *devices)
{
    uint64_t seed = builder->signatures.seed;
    struct signature signature = {ts_hash(operation->name.ptr, operation->name.len, seed), devices->nameless};
    for (uint32_t i = 0; i < operation->buffer_count; i++) {
        const struct ts_graph_node *node = operation->buffers[i].node;
        const int64_t figures[] = {node->has_address ? node->address : -1, node->has_size ? node->size : -1,
                                   node->globally_allocated};
        signature.buffers = ts_hash(figures, sizeof figures, signature.buffers);
    }
    signature.devices =
        1 + (ts_hash(devices->ids, devices->count * sizeof *devices->ids, seed + signature.devices) >> 1);
    return signature;
}

static uint64_t *entry_of(struct builder *builder, struct signature signature, bool *added)
{
    struct signature *key = ts_arena_alloc(builder->arena, sizeof *key);
    if (!key)
        return NULL;
    *key = signature;
    return ts_map_at(&builder->signatures, (struct ts_str){(const char *)key, sizeof *key}, added);
}

static enum ts_status take_in(struct builder *builder, uint32_t into, const struct ts_circular_operation *operation,
                              const struct devices *devices, struct ts_error *error)
{
    struct ts_circular_operation *other = &builder->out->operations[into];
    other->device_count += operation->device_count;
    for (uint32_t i = 0; i < other->buffer_count; i++)
        other->buffers[i].device_count += operation->buffers[i].device_count;
    if (operation->max_bytes_per_core > other->max_bytes_per_core)
        other->max_bytes_per_core = operation->max_bytes_per_core;
    if (operation->unattributed_bytes > other->unattributed_bytes)
        other->unattributed_bytes = operation->unattributed_bytes;
    return unite(builder, &builder->devices[into], devices, error);
}

static uint32_t append(struct builder *builder, const struct ts_circular_operation *operation,
                       const struct devices *devices)
{
    uint32_t index = builder->out->operation_count++;
    builder->out->operations[index] = *operation;
    builder->devices[index] = *devices;
    builder->out->buffer_count += operation->buffer_count;
    return index;
}

/* Older captures of a mesh give every device an operation of its own. The first from *at on that has the same buffers on
 * other devices takes this one in, or else it becomes one more. *at is then where it went. */
static enum ts_status fold(struct builder *builder, uint32_t *at, const struct ts_circular_operation *operation,
                           const struct devices *devices, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    for (;;) {
        status = spend(builder, 4 + (uint64_t)devices->count + operation->buffer_count, error);
        if (status != TS_OK || builder->out->too_large)
            return status;
        if (are_disjoint(&builder->devices[*at], devices) && same_buffers(&builder->out->operations[*at], operation))
            return take_in(builder, *at, operation, devices, error);
        if (builder->same[*at] == 0) {
            uint32_t index = append(builder, operation, devices);
            builder->same[*at] = index + 1;
            *at = index;
            return TS_OK;
        }
        *at = builder->same[*at] - 1;
    }
}

static enum ts_status add_operation(struct builder *builder, const struct ts_circular_operation *operation,
                                    const struct devices *devices, struct ts_error *error)
{
    struct signature signature = sign(builder, operation, devices);
    bool first, first_there;
    uint64_t *begin = entry_of(builder, (struct signature){signature.buffers, 0}, &first);
    if (!begin)
        return ts_error_no_memory(error);
    if (first)
        *begin = append(builder, operation, devices);
    uint32_t at = (uint32_t)*begin;
    /* Operations before the last one on the same devices have those devices by now: the search goes on from there. */
    uint64_t *last = entry_of(builder, signature, &first_there);
    if (!last)
        return ts_error_no_memory(error);
    if (!first_there)
        at = (uint32_t)*last;
    enum ts_status status = first ? TS_OK : fold(builder, &at, operation, devices, error);
    *last = at;
    return status;
}

static enum ts_status add_snapshot(struct builder *builder, const struct ts_graph *graph,
                                   const struct ts_circular_snapshot *snapshot, struct ts_error *error)
{
    struct ts_circular_operation operation = {.name = graph->nodes.items[snapshot->scope].text};
    struct devices devices = {NULL, 0, false};
    uint32_t count = snapshot->end - snapshot->first;
    enum ts_status status = take(builder, snapshot, error);
    if (status == TS_OK && !builder->out->too_large)
        status = make_rows(builder, &operation, count, error);
    if (status == TS_OK && !builder->out->too_large)
        status = count_cores(builder, &operation, error);
    if (status == TS_OK && !builder->out->too_large)
        status = weigh(builder, &operation, &devices, count, error);
    if (status == TS_OK && !builder->out->too_large)
        status = add_operation(builder, &operation, &devices, error);
    return status;
}

/* ---- buffers of no operation ---- */

struct unlisted {
    uint32_t scope, allocation;
};

static int by_scope(const void *a, const void *b)
{
    const struct unlisted *left = a, *right = b;
    if (left->scope != right->scope)
        return left->scope < right->scope ? -1 : 1;
    return (left->allocation > right->allocation) - (left->allocation < right->allocation);
}

/* Which allocations no snapshot holds, by the scope they were made in. */
static enum ts_status find_unlisted(struct builder *builder, struct unlisted **out, uint32_t *out_count,
                                    struct ts_error *error)
{
    const struct ts_circular_view *view = &builder->view;
    int64_t *changes = ts_arena_calloc(builder->arena, (size_t)view->allocation_count + 1, sizeof *changes);
    *out = ts_arena_calloc(builder->arena, view->allocation_count, sizeof **out);
    *out_count = 0;
    if (!changes || !*out)
        return ts_arena_error(builder->arena, error);
    for (uint32_t i = 0; i < view->snapshot_count; i++) {
        changes[view->snapshots[i].first]++;
        changes[view->snapshots[i].end]--;
    }
    int64_t covered = 0;
    for (uint32_t i = 0; i < view->allocation_count; i++) {
        covered += changes[i];
        if (covered == 0)
            (*out)[(*out_count)++] = (struct unlisted){view->scopes[i], i};
    }
    qsort(*out, *out_count, sizeof **out, by_scope);
    return TS_OK;
}

static enum ts_status count_unlisted(struct builder *builder, struct ts_error *error)
{
    struct unlisted *unlisted;
    uint32_t count;
    enum ts_status status = find_unlisted(builder, &unlisted, &count, error);
    for (uint32_t first = 0, end; status == TS_OK && first < count; first = end) {
        for (end = first; end < count && unlisted[end].scope == unlisted[first].scope; end++)
            builder->copies[end - first] = builder->all[unlisted[end].allocation];
        pair(builder->copies, end - first);
        builder->out->unlisted += count_rows(builder->copies, end - first);
        status = spend(builder, COPY_WORK * (uint64_t)(end - first), error);
    }
    return status;
}

/* ---- building ---- */

static enum ts_status number_copies(struct builder *builder, const struct ts_graph *graph, struct ts_error *error)
{
    for (uint32_t i = 0; i < builder->view.allocation_count; i++) {
        const struct ts_graph_node *node = &graph->nodes.items[builder->view.allocations[i]];
        struct ts_str set = node->text.ptr ? node->text : TS_STR("");
        bool added;
        uint64_t *number = ts_map_at(&builder->texts, set, &added);
        if (!number)
            return ts_error_no_memory(error);
        if (added)
            *number = builder->texts.count;
        builder->all[i] = (struct copy){node, (uint32_t)*number, i, 0};
    }
    return TS_OK;
}

static enum ts_status allocate(struct builder *builder, struct ts_error *error)
{
    uint32_t allocations = builder->view.allocation_count, snapshots = builder->view.snapshot_count;
    struct ts_arena *arena = builder->arena;
    builder->all = ts_arena_calloc(arena, allocations, sizeof *builder->all);
    builder->copies = ts_arena_calloc(arena, allocations, sizeof *builder->copies);
    builder->devices = ts_arena_calloc(arena, snapshots, sizeof *builder->devices);
    builder->same = ts_arena_calloc(arena, snapshots, sizeof *builder->same);
    builder->out->operations = ts_arena_calloc(arena, snapshots, sizeof *builder->out->operations);
    if (!builder->all || !builder->copies || !builder->devices || !builder->same || !builder->out->operations)
        return ts_arena_error(arena, error);
    return TS_OK;
}

static enum ts_status build(struct builder *builder, const struct ts_graph *graph, struct ts_error *error)
{
    enum ts_status status = ts_circular_view_read(graph, builder->arena, &builder->view, error);
    if (status == TS_OK)
        status = allocate(builder, error);
    if (status == TS_OK)
        status = number_copies(builder, graph, error);
    for (uint32_t i = 0; status == TS_OK && i < builder->view.snapshot_count && !builder->out->too_large; i++)
        status = add_snapshot(builder, graph, &builder->view.snapshots[i], error);
    if (status == TS_OK && !builder->out->too_large)
        status = count_unlisted(builder, error);
    return status;
}

enum ts_status ts_circular_buffers_read(struct ts_context *context, const struct ts_graph *graph,
                                        struct ts_arena *arena, struct ts_circular_buffers *out, struct ts_error *error)
{
    struct builder builder = {.context = context, .arena = arena, .out = out};
    *out = (struct ts_circular_buffers){.operation_count = 0};
    ts_map_init(&builder.texts);
    ts_map_init(&builder.signatures);
    enum ts_status status = build(&builder, graph, error);
    ts_map_free(&builder.texts);
    ts_map_free(&builder.signatures);
    ts_core_mask_free(&builder.mask);
    free(builder.grid);
    return status;
}
