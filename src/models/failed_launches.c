#include "models/failed_launches.h"

#include "base/intern.h"
#include "base/vec.h"

enum state { OPEN, FAILED, COMPLETED };

struct scope {
    uint32_t node;
    uint32_t below; /* the scope of the same name that was open before it, + 1; 0: none */
    uint8_t state;
};
struct reader {
    struct ts_arena arena;
    struct ts_intern names;
    TS_VEC(uint32_t) latest;     /* by name: the latest open scope of it, + 1; may hold closed ones */
    TS_VEC(struct scope) scopes; /* in order of their starts */
    TS_VEC(uint32_t) open;       /* in order of their starts; may hold closed ones */
    TS_VEC(uint32_t) levelled;   /* of them those whose level was recorded: the levels rise */
    const struct ts_graph *graph;
};

static bool number_of(struct reader *reader, struct ts_str text, uint32_t *name)
{
    *name = ts_intern_add(&reader->names, text);
    while (*name != UINT32_MAX && reader->latest.count <= *name)
        if (!ts_vec_push(&reader->latest, 0))
            return false;
    return *name != UINT32_MAX;
}

/* An open scope ends where the next one of its level, or of a level above, starts. */
static void close_levels(struct reader *reader, int32_t level)
{
    while (reader->levelled.count > 0) {
        struct scope *scope = &reader->scopes.items[reader->levelled.items[reader->levelled.count - 1]];
        if (scope->state == OPEN && reader->graph->nodes.items[scope->node].level < level)
            return;
        if (scope->state == OPEN)
            scope->state = FAILED;
        reader->levelled.count--;
    }
}

static bool start(struct reader *reader, uint32_t name, uint32_t node)
{
    int32_t level = reader->graph->nodes.items[node].level;
    uint32_t index = (uint32_t)reader->scopes.count;
    if (level >= 0)
        close_levels(reader, level);
    struct scope scope = {node, reader->latest.items[name], OPEN};
    if (!ts_vec_push(&reader->scopes, scope) || !ts_vec_push(&reader->open, index) ||
        (level >= 0 && !ts_vec_push(&reader->levelled, index)))
        return false;
    reader->latest.items[name] = index + 1;
    return true;
}

/* An end closes the latest open scope of its name, and with it what was started since and is still open. */
static void end(struct reader *reader, uint32_t name, bool aborted)
{
    uint32_t *latest = &reader->latest.items[name];
    struct scope *scopes = reader->scopes.items;
    while (*latest > 0 && scopes[*latest - 1].state != OPEN)
        *latest = scopes[*latest - 1].below;
    if (*latest == 0)
        return;
    uint32_t index = *latest - 1;
    *latest = scopes[index].below;
    while (reader->open.count > 0) {
        uint32_t top = reader->open.items[--reader->open.count];
        if (top == index)
            break;
        if (scopes[top].state == OPEN)
            scopes[top].state = FAILED;
    }
    scopes[index].state = aborted ? FAILED : COMPLETED;
}

static enum ts_status read_scopes(struct reader *reader, struct ts_error *error)
{
    const struct ts_graph *graph = reader->graph;
    for (size_t i = 0; i < graph->nodes.count && i < UINT32_MAX - 1; i++) {
        const struct ts_graph_node *node = &graph->nodes.items[i];
        uint32_t name;
        if (node->kind != TS_GRAPH_SCOPE_START && node->kind != TS_GRAPH_SCOPE_END)
            continue;
        if (!number_of(reader, node->text, &name))
            return ts_arena_error(&reader->arena, error);
        if (node->kind == TS_GRAPH_SCOPE_END)
            end(reader, name, node->aborted);
        else if (!start(reader, name, (uint32_t)i))
            return ts_error_no_memory(error);
    }
    return TS_OK;
}

enum ts_status ts_failed_launches_read(struct ts_context *context, const struct ts_graph *graph,
                                       struct ts_failed_launches *out, struct ts_error *error)
{
    struct reader reader = {.graph = graph};
    *out = (struct ts_failed_launches){.count = 0};
    ts_arena_init(&reader.arena, context->memory_limit);
    enum ts_status status = ts_intern_init(&reader.names, &reader.arena, error);
    if (status == TS_OK)
        status = read_scopes(&reader, error);
    for (size_t i = 0; status == TS_OK && i < reader.scopes.count; i++) {
        struct ts_str name = graph->nodes.items[reader.scopes.items[i].node].text;
        if (reader.scopes.items[i].state == COMPLETED || !ts_graph_is_device_operation(name))
            continue;
        if (out->count < TS_FAILED_LAUNCHES_LISTED)
            out->names[out->count] = name;
        out->count++;
    }
    ts_intern_free(&reader.names);
    ts_arena_free(&reader.arena);
    ts_vec_free(&reader.latest);
    ts_vec_free(&reader.scopes);
    ts_vec_free(&reader.open);
    ts_vec_free(&reader.levelled);
    return status;
}
