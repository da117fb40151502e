#include "models/graph_scopes.h"

enum ts_status ts_graph_scopes_init(struct ts_graph_scopes *scopes, size_t max_names, struct ts_error *error)
{
    *scopes = (struct ts_graph_scopes){.uses = {NULL, 0, 0}};
    ts_arena_init(&scopes->arena, max_names);
    enum ts_status status = ts_intern_init(&scopes->names, &scopes->arena, error);
    if (status != TS_OK)
        return status;
    /* The empty name, which is there from the start. */
    return ts_vec_push(&scopes->uses, ((struct ts_name_use){0, false})) ? TS_OK : ts_error_no_memory(error);
}

void ts_graph_scopes_free(struct ts_graph_scopes *scopes)
{
    ts_intern_free(&scopes->names);
    ts_arena_free(&scopes->arena);
    ts_vec_free(&scopes->uses);
    ts_vec_free(&scopes->items);
    ts_vec_free(&scopes->ended);
}

uint32_t ts_graph_scopes_name(struct ts_graph_scopes *scopes, struct ts_str name)
{
    /* Room first, so that there are never more names than uses. */
    if (!ts_vec_reserve(&scopes->uses, 1))
        return UINT32_MAX;
    uint32_t id = ts_intern_add(&scopes->names, name);
    if (id != UINT32_MAX && id == scopes->uses.count)
        scopes->uses.items[scopes->uses.count++] = (struct ts_name_use){0, ts_graph_is_device_operation(name)};
    return id;
}

static bool start(struct ts_graph_scopes *scopes, uint32_t name, uint32_t node)
{
    struct ts_name_use *use = &scopes->uses.items[name];
    const struct ts_graph_scope scope = {name, node, use->open, TS_SCOPE_OPEN, use->device};
    if (!ts_vec_push(&scopes->items, scope))
        return false;
    use->open = (uint32_t)scopes->items.count;
    return true;
}

static bool end(struct ts_graph_scopes *scopes, uint32_t name, bool aborted)
{
    struct ts_name_use *use = &scopes->uses.items[name];
    if (use->open == 0)
        return true;
    uint32_t index = use->open - 1;
    struct ts_graph_scope *scope = &scopes->items.items[index];
    scope->outcome = aborted ? TS_SCOPE_ABORTED : TS_SCOPE_COMPLETED;
    use->open = scope->below;
    return ts_vec_push(&scopes->ended, index);
}

static void forget(struct ts_graph_scopes *scopes)
{
    for (size_t i = 0; i < scopes->items.count; i++)
        scopes->uses.items[scopes->items.items[i].name].open = 0;
    scopes->items.count = scopes->ended.count = 0;
}

enum ts_status ts_graph_scopes_read(struct ts_graph_scopes *scopes, const struct ts_graph *graph,
                                    struct ts_error *error)
{
    forget(scopes);
    for (size_t i = 0; i < graph->nodes.count && i < UINT32_MAX; i++) {
        const struct ts_graph_node *node = &graph->nodes.items[i];
        if (node->kind != TS_GRAPH_SCOPE_START && node->kind != TS_GRAPH_SCOPE_END)
            continue;
        uint32_t name = ts_graph_scopes_name(scopes, node->text);
        if (name == UINT32_MAX)
            return ts_arena_error(&scopes->arena, error);
        bool done =
            node->kind == TS_GRAPH_SCOPE_START ? start(scopes, name, (uint32_t)i) : end(scopes, name, node->aborted);
        if (!done)
            return ts_error_no_memory(error);
    }
    return TS_OK;
}
