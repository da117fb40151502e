#include "models/dram_fallback.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "formats/memory_config.h"
#include "models/allocation_failure.h"
#include "models/report_errors.h"
#include "models/tensor_places.h"

/* A retry is looked for among so many operations behind one that failed. With more pairs of outputs and inputs to compare than
 * that, which only a made report has, nothing is inferred. */
enum { RETRY_WITHIN = 3, PAIRS_MAX = 1 << 22 };

struct operation {
    int64_t id;
    struct ts_str name;
    uint64_t row;
    size_t failed;         /* index of the operation that failed and that this one tries again, + 1; 0: none */
    const char *requested; /* the first memory asked for; NULL: none, or not L1 */
    bool asked;            /* some configuration was seen */
    bool all_l1, any_dram; /* of what was asked for */
};
struct use {
    int64_t operation, tensor;
    uint64_t row;
};
struct uses {
    TS_VEC(struct use) items; /* by operation, in row order */
};
struct builder {
    struct ts_context *context;
    struct ts_profiler *profiler;
    TS_VEC(struct operation) operations; /* by id, each once: its first row */
    struct uses inputs, outputs;
    struct ts_places places;
    TS_VEC(struct ts_dram_fallback) found;
};

/* ---- rows ---- */

static enum ts_status read_operation(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct builder *builder = data;
    struct operation operation = {.id = cells[0].integer, .row = builder->operations.count, .all_l1 = true};
    if (!cells[0].is_integer)
        return TS_OK;
    enum ts_status status = ts_profiler_copy_cell(builder->profiler, &cells[1], &operation.name, error);
    if (status != TS_OK)
        return status;
    return ts_vec_push(&builder->operations, operation) ? TS_OK : ts_error_no_memory(error);
}

static int by_id(const void *a, const void *b)
{
    const struct operation *left = a, *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);
}

static enum ts_status read_operations(struct builder *builder, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", "name", NULL};
    enum ts_status status =
        ts_profiler_each_attributable(builder->profiler, TS_DB_OPERATIONS, columns, read_operation, builder, error);
    struct operation *items = builder->operations.items;
    size_t kept = 0;
    if (builder->operations.count > 1)
        qsort(items, builder->operations.count, sizeof *items, by_id);
    for (size_t i = 0; i < builder->operations.count; i++)
        if (kept == 0 || items[i].id != items[kept - 1].id)
            items[kept++] = items[i];
    builder->operations.count = kept;
    return status;
}

static struct operation *find_operation(struct builder *builder, int64_t id)
{
    size_t low = 0, high = builder->operations.count;
    struct operation *items = builder->operations.items;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < builder->operations.count && items[low].id == id ? &items[low] : NULL;
}

static enum ts_status read_use(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct uses *uses = data;
    struct use use = {cells[0].integer, cells[1].integer, uses->items.count};
    if (!cells[0].is_integer || !cells[1].is_integer)
        return TS_OK;
    return ts_vec_push(&uses->items, use) ? TS_OK : ts_error_no_memory(error);
}

static int by_operation(const void *a, const void *b)
{
    const struct use *left = a, *right = b;
    if (left->operation != right->operation)
        return left->operation < right->operation ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);
}

static enum ts_status read_uses(struct builder *builder, enum ts_db_table table, struct uses *uses,
                                struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", "tensor_id", NULL};
    enum ts_status status = ts_profiler_each_attributable(builder->profiler, table, columns, read_use, uses, error);
    if (uses->items.count > 1)
        qsort(uses->items.items, uses->items.count, sizeof *uses->items.items, by_operation);
    return status;
}

static const struct use *first_use(const struct uses *uses, int64_t operation)
{
    size_t low = 0, high = uses->items.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (uses->items.items[middle].operation < operation)
            low = middle + 1;
        else
            high = middle;
    }
    return uses->items.count > 0 ? uses->items.items + low : NULL;
}

static bool is_use(const struct uses *uses, const struct use *use, int64_t operation)
{
    return use && use < uses->items.items + uses->items.count && use->operation == operation;
}

/* ---- what was asked for ---- */

static enum ts_status read_argument(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    const struct ts_db_cell *id = &cells[0], *name = &cells[1], *value = &cells[2];
    struct builder *builder = data;
    struct ts_str body, type = {NULL, 0};
    struct operation *operation;
    (void)error;
    if (value->kind != TS_DB_KIND_TEXT || !ts_memory_config_body(value->text, &body) || !id->is_integer ||
        !(operation = find_operation(builder, id->integer)))
        return TS_OK;
    if (name->kind == TS_DB_KIND_TEXT && ts_str_contains(name->text, TS_STR("intermediate")))
        return TS_OK;
    bool l1 = ts_buffer_type_of_config(body, &type) && ts_buffer_type_is_l1(type);
    if (!operation->asked && l1)
        operation->requested = ts_str_is(type, "L1") ? "L1" : "L1_SMALL";
    operation->asked = true;
    operation->all_l1 = operation->all_l1 && l1;
    operation->any_dram = operation->any_dram || ts_str_is(type, "DRAM");
    return TS_OK;
}

static bool asked_for_l1(const struct operation *operation)
{
    return operation->asked && operation->all_l1;
}

/* ---- where it ended up ---- */

static bool may_be_view(const struct builder *builder, const struct ts_place *output, int64_t operation)
{
    for (const struct use *use = first_use(&builder->inputs, operation); is_use(&builder->inputs, use, operation);
         use++) {
        const struct ts_place *input = ts_places_find(&builder->places, use->tensor);
        if (input && input->memory == TS_PLACE_DRAM && ts_places_may_be_view(&builder->places, output, input))
            return true;
    }
    return false;
}

static uint64_t count_uses(const struct uses *uses, int64_t operation)
{
    uint64_t count = 0;
    for (const struct use *use = first_use(uses, operation); is_use(uses, use, operation); use++)
        count++;
    return count;
}

/* Whether all that the operation allocated for its outputs is in DRAM, and how many those are. */
static bool landed(const struct builder *builder, int64_t operation, int64_t *dram_outputs, int64_t *outputs)
{
    const struct uses *uses = &builder->outputs;
    const struct use *first = first_use(uses, operation);
    *dram_outputs = *outputs = 0;
    for (const struct use *use = first; is_use(uses, use, operation); use++) {
        const struct ts_place *output = ts_places_find(&builder->places, use->tensor);
        if (output && output->memory == TS_PLACE_L1)
            return false;
        *outputs += output != NULL;
    }
    if (count_uses(uses, operation) * count_uses(&builder->inputs, operation) > PAIRS_MAX)
        return false;
    for (const struct use *use = first; is_use(uses, use, operation); use++) {
        const struct ts_place *output = ts_places_find(&builder->places, use->tensor);
        if (output && output->memory == TS_PLACE_DRAM && !may_be_view(builder, output, operation))
            ++*dram_outputs;
    }
    return *dram_outputs > 0;
}

/* ---- retries ---- */

static bool is_l1_failure(const struct operation *operation, const struct ts_allocation_failure *failure)
{
    if (failure->kind == TS_FAILURE_NONE)
        return false;
    if (!ts_failure_is_of_bank(failure->kind))
        return asked_for_l1(operation);
    return failure->buffer_type.ptr && ts_buffer_type_is_l1(failure->buffer_type) && !operation->any_dram;
}

static enum ts_status read_failure(void *data, const struct ts_report_error *item, struct ts_error *error)
{
    struct builder *builder = data;
    struct ts_allocation_failure failure;
    struct operation *failed = item->attached ? find_operation(builder, item->operation) : NULL;
    (void)error;
    if (!failed)
        return TS_OK;
    ts_allocation_failure_read(item->message, &failure);
    if (!is_l1_failure(failed, &failure))
        return TS_OK;
    struct operation *end = builder->operations.items + builder->operations.count;
    for (struct operation *next = failed + 1; next < end && next <= failed + RETRY_WITHIN; next++)
        if (next->name.ptr && ts_str_equal(next->name, failed->name)) {
            next->failed = (size_t)(failed - builder->operations.items) + 1;
            break;
        }
    return TS_OK;
}

/* ---- all of it ---- */

static enum ts_status infer(struct builder *builder, struct ts_error *error)
{
    enum { CHECK_EVERY = 1024 };
    for (size_t i = 0; i < builder->operations.count; i++) {
        const struct operation *operation = &builder->operations.items[i];
        struct ts_dram_fallback fallback = {.operation = operation->id, .name = operation->name};
        if (i % CHECK_EVERY == 0) {
            enum ts_status status = ts_context_check(builder->context, error);
            if (status != TS_OK)
                return status;
        }
        if ((operation->failed == 0 && !asked_for_l1(operation)) ||
            !landed(builder, operation->id, &fallback.dram_outputs, &fallback.outputs))
            continue;
        if (operation->failed > 0) {
            fallback.signal = TS_FALLBACK_RETRY;
            fallback.failed = builder->operations.items[operation->failed - 1].id;
        } else {
            fallback.signal = TS_FALLBACK_ARGUMENTS;
            fallback.requested = operation->requested;
        }
        if (!ts_vec_push(&builder->found, fallback))
            return ts_error_no_memory(error);
    }
    return TS_OK;
}

static enum ts_status build(struct builder *builder, struct ts_error *error)
{
    static const char *const arguments[] = {"operation_id", "name", "value", NULL};
    enum ts_status status = read_operations(builder, error);
    if (status == TS_OK)
        status = ts_profiler_each_attributable(builder->profiler, TS_DB_OPERATION_ARGUMENTS, arguments, read_argument,
                                               builder, error);
    if (status == TS_OK)
        status = ts_report_errors_visit(builder->context, builder->profiler, read_failure, builder, error);
    if (status == TS_OK)
        status = read_uses(builder, TS_DB_INPUT_TENSORS, &builder->inputs, error);
    if (status == TS_OK)
        status = read_uses(builder, TS_DB_OUTPUT_TENSORS, &builder->outputs, error);
    if (status == TS_OK)
        status = ts_places_read(builder->profiler, &builder->places, error);
    return status == TS_OK ? infer(builder, error) : status;
}

/* ---- the kept part ---- */

static void destroy(struct ts_part *part)
{
    struct ts_dram_fallbacks *fallbacks = (struct ts_dram_fallbacks *)part;
    ts_arena_free(&fallbacks->arena);
    free(fallbacks);
}

static const struct ts_part_type fallbacks_type = {"dram_fallbacks", TS_PART_REREAD, destroy};

/* What was found goes into an arena of its own, names included. */
static enum ts_status keep(const struct builder *builder, struct ts_dram_fallbacks *out, struct ts_error *error)
{
    size_t count = builder->found.count;
    struct ts_dram_fallback *items = TS_ARENA_ARRAY(&out->arena, struct ts_dram_fallback, count);
    if (!items)
        return ts_arena_error(&out->arena, error);
    for (size_t i = 0; i < count; i++) {
        items[i] = builder->found.items[i];
        if (!items[i].name.ptr)
            continue;
        items[i].name = ts_arena_copy(&out->arena, items[i].name);
        if (!items[i].name.ptr)
            return ts_arena_error(&out->arena, error);
    }
    out->items = items;
    out->count = count;
    return TS_OK;
}

static enum ts_status make(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    struct builder builder = {.context = context, .profiler = data};
    struct ts_dram_fallbacks *fallbacks = calloc(1, sizeof *fallbacks);
    if (!fallbacks)
        return ts_error_no_memory(error);
    ts_arena_init(&fallbacks->arena, context->memory_limit);
    enum ts_status status = build(&builder, error);
    if (status == TS_OK)
        status = keep(&builder, fallbacks, error);
    if (status == TS_OK)
        status = ts_db_unchanged(builder.profiler->db, error);
    ts_vec_free(&builder.operations);
    ts_vec_free(&builder.inputs.items);
    ts_vec_free(&builder.outputs.items);
    ts_places_free(&builder.places);
    ts_vec_free(&builder.found);
    if (status != TS_OK) {
        destroy(&fallbacks->part);
        return status;
    }
    fallbacks->part.identity = *ts_db_read_identity(builder.profiler->db);
    fallbacks->part.size = sizeof *fallbacks + fallbacks->arena.reserved;
    *out = &fallbacks->part;
    return TS_OK;
}

enum ts_status ts_dram_fallbacks_read(struct ts_context *context, struct ts_profiler *profiler,
                                      const struct ts_dram_fallbacks **out, struct ts_error *error)
{
    struct ts_part *part;
    enum ts_status status = ts_profiler_part(context, profiler, &fallbacks_type, make, &part, error);
    if (status == TS_OK)
        *out = (const struct ts_dram_fallbacks *)part;
    return status;
}

const struct ts_dram_fallback *ts_dram_fallback_of(const struct ts_dram_fallbacks *fallbacks, int64_t operation)
{
    size_t low = 0, high = fallbacks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fallbacks->items[middle].operation < operation)
            low = middle + 1;
        else
            high = middle;
    }
    return low < fallbacks->count && fallbacks->items[low].operation == operation ? &fallbacks->items[low] : NULL;
}
