#include "questions/operation_circular.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "models/circular_buffers.h"
#include "models/operation_graph.h"
#include "models/unrecorded_launches.h"

enum { OPERATIONS_LISTED = 500, CORE_RANGE_CHARACTERS = 200 };

/* ---- the answer ---- */

static void add_number(struct ts_answer *answer, yyjson_mut_val *object, const char *key, bool has, int64_t value)
{
    if (has)
        ts_answer_integer(answer, object, key, value);
    else
        ts_answer_null(answer, object, key);
}

static void add_buffer(struct ts_answer *answer, yyjson_mut_val *list, const struct ts_circular_buffer *buffer)
{
    const struct ts_graph_node *node = buffer->node;
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    add_number(answer, object, "address", node->has_address, node->address);
    add_number(answer, object, "size", node->has_size, node->size);
    struct ts_str shown = node->text.ptr ? ts_utf8_cut(node->text, CORE_RANGE_CHARACTERS) : node->text;
    ts_profiler_add_text(answer, object, "core_range_set", shown);
    if (shown.len < node->text.len)
        ts_answer_integer(answer, object, "core_range_set_full_length", (int64_t)ts_utf8_count(node->text));
    ts_answer_integer(answer, object, "core_count", buffer->core_count);
    ts_answer_boolean(answer, object, "globally_allocated", node->globally_allocated);
    ts_answer_integer(answer, object, "device_count", buffer->device_count);
}

static void add_operations(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_circular_buffers *buffers,
                           uint32_t row_cap)
{
    ts_answer_integer(answer, object, "device_operation_count", buffers->operation_count);
    ts_answer_integer(answer, object, "circular_buffer_count", (int64_t)buffers->buffer_count);
    ts_answer_integer(answer, object, "returned",
                      buffers->buffer_count < row_cap ? (int64_t)buffers->buffer_count : row_cap);
    yyjson_mut_val *list = ts_answer_list(answer, object, "device_operations");
    uint32_t returned = 0;
    for (uint32_t i = 0; i < buffers->operation_count && i < OPERATIONS_LISTED; i++) {
        const struct ts_circular_operation *operation = &buffers->operations[i];
        yyjson_mut_val *entry = ts_answer_push_object(answer, list);
        ts_answer_text(answer, entry, "name", operation->name);
        ts_answer_integer(answer, entry, "device_count", operation->device_count);
        ts_answer_integer(answer, entry, "circular_buffer_count", operation->buffer_count);
        ts_answer_integer(answer, entry, "max_bytes_per_core", operation->max_bytes_per_core);
        ts_answer_integer(answer, entry, "unattributed_bytes", operation->unattributed_bytes);
        yyjson_mut_val *rows = ts_answer_list(answer, entry, "buffers");
        for (uint32_t row = 0; row < operation->buffer_count && returned < row_cap; row++, returned++)
            add_buffer(answer, rows, &operation->buffers[row]);
    }
}

static void add_unrecorded(struct ts_answer *answer, yyjson_mut_val *object,
                           const struct ts_unrecorded_launches *unrecorded, struct ts_caveat *caveat)
{
    if (unrecorded->count == 0)
        return;
    ts_answer_integer(answer, object, "unrecorded_launch_count", (int64_t)unrecorded->launches);
    yyjson_mut_val *list = ts_answer_list(answer, object, "unrecorded_device_operations");
    for (size_t i = 0; i < unrecorded->count && i < OPERATIONS_LISTED; i++) {
        yyjson_mut_val *entry = ts_answer_push_object(answer, list);
        ts_answer_text(answer, entry, "name", unrecorded->items[i].name);
        ts_answer_integer(answer, entry, "launch_count", (int64_t)unrecorded->items[i].launches);
        ts_answer_integer(answer, entry, "device_count", (int64_t)unrecorded->items[i].device_count);
    }
    if (unrecorded->first_launches > 0)
        ts_answer_integer(answer, object, "unrecorded_first_launch_count", (int64_t)unrecorded->first_launches);
    ts_caveat_add(caveat,
                  "The graph shows no circular buffers for %" PRIu64 " launches, most likely relaunches out of the "
                  "program cache: theirs are unknown, not zero.",
                  unrecorded->launches);
    if (unrecorded->first_launches > 0)
        ts_caveat_add(caveat,
                      "%" PRIu64 " of them built their program, so are no relaunches: their buffers are of a kind the "
                      "capture does not record, and just as unknown.",
                      unrecorded->first_launches);
}

static void add_unlisted(struct ts_answer *answer, yyjson_mut_val *object, uint64_t unlisted, struct ts_caveat *caveat)
{
    if (unlisted == 0)
        return;
    ts_answer_integer(answer, object, "unlisted_circular_buffer_count", (int64_t)unlisted);
    ts_caveat_add(caveat,
                  "%" PRIu64 " more circular buffers belong to no listed device operation: circular_buffer_count and "
                  "device_operation_count leave them out.",
                  unlisted);
}

static enum ts_status add_graph(struct ts_context *context, struct ts_answer *answer, const struct ts_graph *graph,
                                uint32_t row_cap, const char **withheld, struct ts_caveat *caveat,
                                struct ts_error *error)
{
    struct ts_arena arena;
    struct ts_circular_buffers buffers;
    struct ts_unrecorded_launches unrecorded;
    ts_arena_init(&arena, context->memory_limit);
    enum ts_status status = ts_circular_buffers_read(context, graph, &arena, &buffers, error);
    if (status == TS_OK)
        status = ts_unrecorded_launches_read(graph, &arena, &unrecorded, error);
    if (status == TS_OK && buffers.too_large)
        *withheld = ts_graph_state_words(TS_GRAPH_TOO_LARGE);
    if (status == TS_OK && !buffers.too_large) {
        yyjson_mut_val *object = ts_answer_object(answer, answer->root, "circular_buffers");
        ts_answer_name(answer, object, "size_unit", "bytes_per_bank");
        add_operations(answer, object, &buffers, row_cap);
        add_unrecorded(answer, object, &unrecorded, caveat);
        add_unlisted(answer, object, buffers.unlisted, caveat);
    }
    ts_arena_free(&arena);
    return status;
}

enum ts_status ts_operation_circular_add(struct ts_context *context, struct ts_answer *answer,
                                         struct ts_profiler *profiler, int64_t operation, uint32_t row_cap,
                                         struct ts_caveat *caveat, struct ts_error *error)
{
    struct ts_operation_graph graph;
    enum ts_status status = ts_operation_graph_read(context, profiler, operation, &graph, error);
    if (status == TS_OK && graph.found && !graph.withheld)
        status = add_graph(context, answer, &graph.graph, row_cap, &graph.withheld, caveat, error);
    if (status == TS_OK && graph.withheld)
        ts_caveat_add(caveat, "circular_buffers is left out: the captured graph %s.", graph.withheld);
    ts_operation_graph_free(&graph);
    return status;
}

/* ---- declarations ---- */

static const struct ts_field buffer_fields[] = {
    {.key = "address", .kind = TS_KIND_INTEGER, .nullable = true, .help = "on every core"},
    {.key = "size", .kind = TS_KIND_INTEGER, .nullable = true, .unit = "bytes_per_bank", .help = "on each core"},
    {.key = "core_range_set", .kind = TS_KIND_STRING, .nullable = true, .help = "as written; cut at 200 characters"},
    {.key = "core_range_set_full_length", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "when it was cut"},
    {.key = "core_count", .kind = TS_KIND_INTEGER, .help = "distinct cores of the whole of it"},
    {.key = "globally_allocated",
     .kind = TS_KIND_BOOLEAN,
     .help = "a view of an L1 tensor, which takes no memory of its own"},
    {.key = "device_count", .kind = TS_KIND_INTEGER, .help = "devices that allocated it"},
    {.key = NULL},
};

static const struct ts_field operation_fields[] = {
    {.key = "name", .kind = TS_KIND_STRING, .show = TS_SHOW_COLUMN, .help = "the device operation"},
    {.key = "device_count", .kind = TS_KIND_INTEGER, .help = "devices that it allocated buffers on"},
    {.key = "circular_buffer_count", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "all of its buffers"},
    {.key = "max_bytes_per_core",
     .kind = TS_KIND_INTEGER,
     .unit = "bytes_per_bank",
     .show = TS_SHOW_COLUMN,
     .help = "the most on any one core, views left out"},
    {.key = "unattributed_bytes",
     .kind = TS_KIND_INTEGER,
     .unit = "bytes_per_bank",
     .help = "of buffers whose core range covers no core"},
    {.key = "buffers",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = buffer_fields,
     .help = "a mesh's copies of one buffer are one"},
    {.key = NULL},
};

static const struct ts_field unrecorded_fields[] = {
    {.key = "name", .kind = TS_KIND_STRING, .show = TS_SHOW_COLUMN, .help = "the device operation"},
    {.key = "launch_count", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "on the device that has most"},
    {.key = "device_count", .kind = TS_KIND_INTEGER, .help = "devices that it was launched on"},
    {.key = NULL},
};

const struct ts_field ts_operation_circular_fields[] = {
    {.key = "size_unit", .kind = TS_KIND_STRING, .help = "bytes_per_bank: a bank is one core's L1"},
    {.key = "device_operation_count", .kind = TS_KIND_INTEGER, .help = "device operations that allocated some"},
    {.key = "circular_buffer_count", .kind = TS_KIND_INTEGER, .help = "buffers of all of them"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "buffers listed: at most 100, with include 25"},
    {.key = "device_operations",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = operation_fields,
     .show = TS_SHOW_COLUMN,
     .help = "in order of their starts"},
    {.key = "unrecorded_launch_count",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "launches whose buffers the graph does not show: most likely relaunches, unknown rather than zero"},
    {.key = "unrecorded_device_operations",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .sometimes = true,
     .children = unrecorded_fields,
     .help = "by name"},
    {.key = "unrecorded_first_launch_count",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "of them those known to have built their program, which are no relaunches"},
    {.key = "unlisted_circular_buffer_count",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "buffers that belong to no listed device operation"},
    {.key = NULL},
};
