/* A captured graph, and all that is made of one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "models/circular_buffers.h"
#include "models/graph_scopes.h"
#include "models/unrecorded_launches.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_scopes(const struct ts_graph *graph)
{
    struct ts_graph_scopes scopes;
    size_t ended = 0;
    if (ts_graph_scopes_init(&scopes, 1 << 24, NULL) == TS_OK && ts_graph_scopes_read(&scopes, graph, NULL) == TS_OK) {
        for (size_t i = 0; i < scopes.items.count; i++)
            ended += scopes.items.items[i].outcome != TS_SCOPE_OPEN;
        check(ended == scopes.ended.count);
    }
    ts_graph_scopes_free(&scopes);
}

static void check_buffers(const struct ts_graph *graph)
{
    struct ts_context context;
    struct ts_arena arena;
    struct ts_circular_buffers buffers;
    ts_context_init(&context);
    ts_arena_init(&arena, 1 << 28);
    if (ts_circular_buffers_read(&context, graph, &arena, &buffers, NULL) == TS_OK && !buffers.too_large) {
        uint64_t rows = 0;
        for (uint32_t i = 0; i < buffers.operation_count; i++) {
            rows += buffers.operations[i].buffer_count;
            check(buffers.operations[i].buffer_count > 0 && buffers.operations[i].device_count > 0);
            check(buffers.operations[i].max_bytes_per_core >= 0);
        }
        check(rows == buffers.buffer_count);
        check(buffers.unlisted <= graph->nodes.count);
    }
    ts_arena_free(&arena);
}

/* Scopes may be without a name here. */
static void check_unrecorded(const struct ts_graph *graph)
{
    struct ts_arena arena;
    struct ts_unrecorded_launches unrecorded;
    ts_arena_init(&arena, 1 << 28);
    if (ts_unrecorded_launches_read(graph, &arena, &unrecorded, NULL) == TS_OK)
        check(unrecorded.count <= graph->nodes.count && unrecorded.launches >= unrecorded.count);
    ts_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum ts_graph_parts parts[] = {TS_GRAPH_SCOPES, TS_GRAPH_ALL, TS_GRAPH_MEMORY};
    struct ts_graph graph = {.doc = NULL};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        enum ts_graph_state state = TS_GRAPH_READ;
        char *text = calloc(1, size + TS_GRAPH_SLACK);
        if (!text)
            break;
        if (size > 0)
            memcpy(text, data, size);
        if (ts_graph_read(&graph, text, size, parts[i], 1 << 26, &state, NULL) == TS_OK && state == TS_GRAPH_READ) {
            check_unrecorded(&graph);
            if (parts[i] != TS_GRAPH_MEMORY) {
                check_scopes(&graph);
                check_buffers(&graph);
            }
        }
        check(state == TS_GRAPH_READ || graph.nodes.count == 0);
        ts_graph_free(&graph);
        free(text);
    }
    return 0;
}
