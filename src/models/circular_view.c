#include "models/circular_view.h"

static const uint32_t NONE = UINT32_MAX;
/* Free-alls move to behind the buffers that they free, and one may be needed there several times. */
enum { VIEW_FACTOR = 2 };

/* Open starts, ends popping whatever is on top: the application does not look at names here. */
struct stack {
    uint32_t *nodes;
    uint32_t depth;
};

static uint32_t top(const struct stack *stack)
{
    return stack->depth > 0 ? stack->nodes[stack->depth - 1] : NONE;
}

static void follow(struct stack *stack, const struct ts_graph_node *node, uint32_t index)
{
    if (node->kind == TS_GRAPH_SCOPE_START)
        stack->nodes[stack->depth++] = index;
    else if (node->kind == TS_GRAPH_SCOPE_END)
        stack->depth -= stack->depth > 0;
}

struct view {
    const struct ts_graph_node *nodes;
    uint32_t node_count;
    struct stack stack;
    uint32_t *free_alls; /* by scope, the last for none: its latest free-all, or NONE */
    uint32_t *rest;      /* all other nodes */
    uint32_t rest_count;
    uint32_t *order; /* the nodes as they are shown */
    size_t order_count;
};

static enum ts_status make_view(const struct ts_graph *graph, struct ts_arena *arena, struct view *view,
                                struct ts_error *error)
{
    size_t count = graph->nodes.count;
    if (count >= NONE / VIEW_FACTOR - 1)
        return ts_error_set(error, TS_LIMIT, "a captured graph of %zu nodes has too many", count);
    *view = (struct view){.nodes = graph->nodes.items, .node_count = (uint32_t)count};
    /* Both passes share the stack, so a start may lie on it twice. */
    view->stack.nodes = ts_arena_calloc(arena, VIEW_FACTOR * count, sizeof(uint32_t));
    view->free_alls = ts_arena_calloc(arena, count + 1, sizeof(uint32_t));
    view->rest = ts_arena_calloc(arena, count, sizeof(uint32_t));
    view->order = ts_arena_calloc(arena, VIEW_FACTOR * count, sizeof(uint32_t));
    if (!view->stack.nodes || !view->free_alls || !view->rest || !view->order)
        return ts_arena_error(arena, error);
    for (size_t i = 0; i <= count; i++)
        view->free_alls[i] = NONE;
    return TS_OK;
}

static uint32_t *free_all_of(struct view *view, uint32_t scope)
{
    return &view->free_alls[scope == NONE ? view->node_count : scope];
}

static void take_out_free_alls(struct view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        if (view->nodes[i].kind == TS_GRAPH_CIRCULAR_FREE_ALL) {
            *free_all_of(view, top(&view->stack)) = i;
            continue;
        }
        follow(&view->stack, &view->nodes[i], i);
        view->rest[view->rest_count++] = i;
    }
}

/* A graph notes the free-all of the program before in front of a program's own buffers; shown is the one behind them. */
static void put_back_free_alls(struct view *view)
{
    for (uint32_t i = 0; i < view->rest_count; i++) {
        uint32_t node = view->rest[i];
        follow(&view->stack, &view->nodes[node], node);
        view->order[view->order_count++] = node;
        if (view->nodes[node].kind != TS_GRAPH_CIRCULAR_ALLOCATE || i + 1 == view->rest_count ||
            view->nodes[view->rest[i + 1]].kind == TS_GRAPH_CIRCULAR_ALLOCATE)
            continue;
        uint32_t free_all = *free_all_of(view, top(&view->stack));
        if (free_all != NONE)
            view->order[view->order_count++] = free_all;
    }
}

/* ---- snapshots ---- */

struct shots {
    struct ts_circular_snapshot *by_scope; /* end 0: none */
    struct ts_circular_view *out;
    uint32_t live; /* the first allocation that is not freed yet */
};

static void shoot(struct shots *shots, uint32_t scope, bool replace)
{
    struct ts_circular_snapshot *shot = &shots->by_scope[scope];
    if (shots->out->allocation_count > shots->live && (replace || shot->end == 0))
        *shot = (struct ts_circular_snapshot){scope, shots->live, shots->out->allocation_count};
}

static void walk(struct view *view, struct shots *shots)
{
    struct ts_circular_view *out = shots->out;
    view->stack.depth = 0;
    for (size_t i = 0; i < view->order_count; i++) {
        uint32_t index = view->order[i], scope = top(&view->stack);
        const struct ts_graph_node *node = &view->nodes[index];
        switch ((enum ts_graph_kind)node->kind) {
        case TS_GRAPH_CIRCULAR_ALLOCATE:
            out->allocations[out->allocation_count] = index;
            out->scopes[out->allocation_count++] = scope;
            shots->live += i == 0; /* the application begins behind the first node */
            break;
        case TS_GRAPH_CIRCULAR_FREE_ALL:
            if (scope != NONE)
                shoot(shots, scope, true);
            shots->live = out->allocation_count;
            break;
        case TS_GRAPH_SCOPE_END:
            if (scope != NONE)
                shoot(shots, scope, false);
            follow(&view->stack, node, index);
            break;
        case TS_GRAPH_SCOPE_START:
            if (i > 0)
                follow(&view->stack, node, index);
            break;
        default:
            break;
        }
    }
}

enum ts_status ts_circular_view_read(const struct ts_graph *graph, struct ts_arena *arena, struct ts_circular_view *out,
                                     struct ts_error *error)
{
    struct view view = {.nodes = NULL};
    *out = (struct ts_circular_view){.allocation_count = 0};
    enum ts_status status = make_view(graph, arena, &view, error);
    if (status != TS_OK)
        return status;
    take_out_free_alls(&view);
    put_back_free_alls(&view);
    struct shots shots = {.out = out};
    shots.by_scope = ts_arena_calloc(arena, view.node_count, sizeof *shots.by_scope);
    out->allocations = ts_arena_calloc(arena, view.node_count, sizeof *out->allocations);
    out->scopes = ts_arena_calloc(arena, view.node_count, sizeof *out->scopes);
    if (!shots.by_scope || !out->allocations || !out->scopes)
        return ts_arena_error(arena, error);
    walk(&view, &shots);
    out->snapshots = shots.by_scope;
    for (uint32_t i = 0; i < view.node_count; i++)
        if (shots.by_scope[i].end > 0)
            out->snapshots[out->snapshot_count++] = shots.by_scope[i];
    return TS_OK;
}
