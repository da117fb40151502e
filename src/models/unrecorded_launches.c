#include "models/unrecorded_launches.h"

#include <stdlib.h>

#include "base/map.h"

/* What lies directly in the scope that a node starts. */
struct held {
    bool free_all, allocation, execution;
};
/* A device that a scope names. */
struct use {
    uint32_t name, scope;
    bool has_device;
    int64_t device;
};
struct walk {
    const struct ts_graph *graph;
    struct held *held; /* by node */
    uint32_t *open,
        *tops; /* nodes of open starts, ends popping whatever is on top; by node: the scope it is in, or NONE */
    struct use *uses;
    size_t use_count;
    struct ts_map names; /* of unrecorded operations, to their number */
};
static const uint32_t NONE = UINT32_MAX;

static void look(struct walk *walk)
{
    size_t depth = 0;
    for (uint32_t i = 0; i < walk->graph->nodes.count; i++) {
        const struct ts_graph_node *node = &walk->graph->nodes.items[i];
        walk->tops[i] = depth > 0 ? walk->open[depth - 1] : NONE;
        struct held *held = depth > 0 ? &walk->held[walk->open[depth - 1]] : NULL;
        if (node->kind == TS_GRAPH_SCOPE_START)
            walk->open[depth++] = i;
        else if (node->kind == TS_GRAPH_SCOPE_END)
            depth -= depth > 0;
        else if (held && node->kind == TS_GRAPH_CIRCULAR_FREE_ALL)
            held->free_all = true;
        else if (held && node->kind == TS_GRAPH_CIRCULAR_ALLOCATE)
            held->allocation = true;
        else if (held && node->kind == TS_GRAPH_PROGRAM_EXECUTION)
            held->execution = true;
    }
}

static bool is_unrecorded(const struct walk *walk, uint32_t scope)
{
    return walk->held[scope].free_all && !walk->held[scope].allocation &&
           ts_graph_is_device_operation(walk->graph->nodes.items[scope].text);
}

static enum ts_status name_operations(struct walk *walk, struct ts_unrecorded_launches *out, struct ts_error *error)
{
    for (uint32_t i = 0; i < walk->graph->nodes.count; i++) {
        if (!is_unrecorded(walk, i))
            continue;
        const struct ts_graph_node *start = &walk->graph->nodes.items[i];
        bool added;
        uint64_t *number = ts_map_at(&walk->names, start->text, &added);
        if (!number)
            return ts_error_no_memory(error);
        if (added) {
            *number = out->count;
            out->items[out->count++] = (struct ts_unrecorded_operation){start->text, 0, 0};
        }
        out->first_launches += start->program_cache_hit == 0;
    }
    return TS_OK;
}

/* Program executions name the chips of a launch; without them the free-alls do, as well as they can. */
static void collect_uses(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->graph->nodes.count; i++) {
        const struct ts_graph_node *node = &walk->graph->nodes.items[i];
        uint32_t scope = walk->tops[i];
        bool execution = node->kind == TS_GRAPH_PROGRAM_EXECUTION;
        if (scope == NONE || (!execution && node->kind != TS_GRAPH_CIRCULAR_FREE_ALL) || !is_unrecorded(walk, scope) ||
            execution != walk->held[scope].execution)
            continue;
        const uint64_t *name = ts_map_find(&walk->names, walk->graph->nodes.items[scope].text);
        walk->uses[walk->use_count++] =
            (struct use){(uint32_t)*name, scope, node->has_device, node->has_device ? node->device : 0};
    }
}

static int by_name_device_scope(const void *a, const void *b)
{
    const struct use *left = a, *right = b;
    if (left->name != right->name)
        return left->name < right->name ? -1 : 1;
    if (left->has_device != right->has_device)
        return left->has_device ? 1 : -1;
    if (left->device != right->device)
        return left->device < right->device ? -1 : 1;
    return (left->scope > right->scope) - (left->scope < right->scope);
}

static void count_launches(const struct walk *walk, struct ts_unrecorded_launches *out)
{
    uint64_t launches = 0;
    for (size_t i = 0; i < walk->use_count; i++) {
        const struct use *use = &walk->uses[i], *before = i > 0 ? use - 1 : NULL;
        struct ts_unrecorded_operation *operation = &out->items[use->name];
        bool same_device = before && before->name == use->name && before->has_device == use->has_device &&
                           before->device == use->device;
        if (!same_device) {
            operation->device_count++;
            launches = 0;
        }
        if (!same_device || before->scope != use->scope)
            launches++;
        if (launches > operation->launches)
            operation->launches = launches;
    }
    for (size_t i = 0; i < out->count; i++)
        out->launches += out->items[i].launches;
}

enum ts_status ts_unrecorded_launches_read(const struct ts_graph *graph, struct ts_arena *arena,
                                           struct ts_unrecorded_launches *out, struct ts_error *error)
{
    size_t count = graph->nodes.count;
    struct walk walk = {.graph = graph};
    *out = (struct ts_unrecorded_launches){.count = 0};
    if (count >= NONE)
        return ts_error_set(error, TS_LIMIT, "a captured graph of %zu nodes has too many", count);
    walk.held = ts_arena_calloc(arena, count, sizeof *walk.held);
    walk.open = ts_arena_calloc(arena, count, sizeof *walk.open);
    walk.tops = ts_arena_calloc(arena, count, sizeof *walk.tops);
    walk.uses = ts_arena_calloc(arena, count, sizeof *walk.uses);
    out->items = ts_arena_calloc(arena, count, sizeof *out->items);
    if (!walk.held || !walk.open || !walk.tops || !walk.uses || !out->items)
        return ts_arena_error(arena, error);
    look(&walk);
    ts_map_init(&walk.names);
    enum ts_status status = name_operations(&walk, out, error);
    if (status == TS_OK && out->count > 0) {
        collect_uses(&walk);
        qsort(walk.uses, walk.use_count, sizeof *walk.uses, by_name_device_scope);
        count_launches(&walk, out);
    }
    ts_map_free(&walk.names);
    return status;
}
