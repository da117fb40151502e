#include "questions/error_entry.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "models/allocation_failure.h"
#include "models/failed_launches.h"
#include "models/in_the_way.h"
#include "models/operation_graph.h"

enum { MESSAGE_CHARACTERS = 2000, CORE_RANGE_CHARACTERS = 200 };

/* ---- texts ---- */

/* At most so many characters, and what one text of an answer may take. */
static struct ts_str cut(struct ts_str text, size_t characters)
{
    struct ts_str shown = ts_utf8_cut(text, characters);
    while (shown.len > TS_LIMIT_REPORT_TEXT)
        shown = ts_utf8_cut(text, characters -= characters / 4);
    return shown;
}

static void add_cut(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str text,
                    size_t characters)
{
    char full[64];
    struct ts_str shown = text.ptr ? cut(text, characters) : text;
    ts_profiler_add_text(answer, object, key, shown);
    if (shown.len == text.len)
        return;
    snprintf(full, sizeof full, "%s_full_length", key);
    ts_answer_integer(answer, object, full, (int64_t)ts_utf8_count(text));
}

void ts_error_entry_message(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str message)
{
    add_cut(answer, object, key, message, MESSAGE_CHARACTERS);
}

void ts_error_entry_timestamp(struct ts_answer *answer, yyjson_mut_val *object, struct ts_str timestamp)
{
    ts_profiler_add_text(answer, object, "timestamp", timestamp.len > 0 ? timestamp : (struct ts_str){NULL, 0});
}

/* ---- launches ---- */

static enum ts_status add_launches(struct ts_context *context, struct ts_answer *answer, yyjson_mut_val *object,
                                   const struct ts_graph *graph, struct ts_error *error)
{
    struct ts_failed_launches failed;
    enum ts_status status = ts_failed_launches_read(context, graph, &failed, error);
    if (status != TS_OK)
        return status;
    yyjson_mut_val *list = ts_answer_list(answer, object, "failed_device_operations");
    for (uint64_t i = 0; i < failed.count && i < TS_FAILED_LAUNCHES_LISTED; i++)
        ts_answer_push_text(answer, list, failed.names[i]);
    ts_answer_integer(answer, object, "failed_device_operation_count", (int64_t)failed.count);
    return TS_OK;
}

enum ts_status ts_error_entry_launches(struct ts_context *context, struct ts_profiler *profiler,
                                       struct ts_answer *answer, yyjson_mut_val *object,
                                       const struct ts_report_error *item, struct ts_error_graphs *graphs,
                                       struct ts_error *error)
{
    struct ts_operation_graph graph;
    if (!item->attached)
        return TS_OK;
    enum ts_status status = ts_operation_graph_read(context, profiler, item->operation, &graph, error);
    if (status == TS_OK && graph.withheld) {
        if (graphs->count++ == 0) {
            graphs->operation = item->operation;
            graphs->why = graph.withheld;
        }
    } else if (status == TS_OK && graph.found) {
        status = add_launches(context, answer, object, &graph.graph, error);
    }
    ts_operation_graph_free(&graph);
    return status;
}

void ts_error_graphs_caveat(const struct ts_error_graphs *graphs, struct ts_caveat *caveat)
{
    if (graphs->count == 0)
        return;
    ts_caveat_add(caveat, "failed_device_operations is left out of operation %" PRId64 ": its captured graph %s.",
                  graphs->operation, graphs->why);
    if (graphs->count > 1)
        ts_caveat_add(caveat, "It is left out of %" PRIu64 " more for such reasons.", graphs->count - 1);
}

/* ---- allocation failures ---- */

static void add_integer(struct ts_answer *answer, yyjson_mut_val *object, const char *key, bool has, int64_t value)
{
    if (has)
        ts_answer_integer(answer, object, key, value);
    else
        ts_answer_null(answer, object, key);
}

/* The figures of a failure by their keys. */
struct figure {
    const char *key;
    bool has;
    int64_t value;
};

static void add_figures(struct ts_answer *answer, yyjson_mut_val *object, const struct figure *figures, size_t count)
{
    yyjson_mut_val *list = NULL;
    for (size_t i = 0; i < count; i++)
        add_integer(answer, object, figures[i].key, figures[i].has && figures[i].value != TS_FIGURE_TOO_LARGE,
                    figures[i].value);
    for (size_t i = 0; i < count; i++) {
        if (!figures[i].has || figures[i].value != TS_FIGURE_TOO_LARGE)
            continue;
        if (!list)
            list = ts_answer_list(answer, object, "past_63_bits");
        ts_answer_push_text(answer, list, ts_str_from(figures[i].key));
    }
}

static void add_failure(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_allocation_failure *failure)
{
    bool free = failure->has_free, placeable = failure->has_placeable;
    const struct figure of_bank[] = {
        {"requested_bytes", true, failure->requested},
        {"num_banks", true, failure->banks},
        {"bytes_per_bank", true, failure->per_bank},
        {"bank_size_bytes", true, failure->bank_size},
        {"allocated_bytes", free, failure->allocated},
        {"free_bytes", free, failure->free},
        {"largest_free_block_bytes", free, failure->largest_free},
        {"placeable_bytes", placeable, failure->placeable},
        {"largest_placeable_bytes", placeable, failure->largest_placeable},
    };
    const struct figure of_circular[] = {
        {failure->kind == TS_FAILURE_CLASH ? "l1_buffer_address" : "max_l1_bytes", true, failure->limit},
        {"circular_buffer_region_end", true, failure->region_end},
    };
    size_t bank_count = sizeof of_bank / sizeof *of_bank;
    ts_answer_name(answer, object, "kind", ts_failure_kind_name(failure->kind));
    if (ts_failure_is_of_bank(failure->kind)) {
        ts_profiler_add_text(answer, object, "buffer_type", failure->buffer_type);
        add_figures(answer, object, of_bank, failure->kind == TS_FAILURE_BANK ? bank_count - 2 : bank_count);
        return;
    }
    add_cut(answer, object, "core_range", failure->core_range, CORE_RANGE_CHARACTERS);
    add_figures(answer, object, of_circular, sizeof of_circular / sizeof *of_circular);
}

/* Which key the figure of a diagnosis has, and what it means. */
static const struct explanation {
    const char *key, *detail;
} explanations[] = {
    [TS_REASON_NONE] = {NULL, NULL},
    [TS_REASON_LARGER_THAN_BANK] = {"over_by_bytes", "Each bank would have to hold more than an empty bank does: no "
                                                     "freeing helps, only a smaller or differently spread buffer."},
    [TS_REASON_FREE_BLOCK_COULD_HOLD_IT] = {NULL, "A free block is large enough, so what it may not overlap, or where "
                                                  "such a buffer may lie, stood in the way."},
    [TS_REASON_FRAGMENTED] = {NULL, "There is enough free space, but in pieces that are each too small."},
    [TS_REASON_NOT_ENOUGH] = {"short_by_bytes", "All free space together is less than each bank would have to hold."},
    [TS_REASON_BEYOND_L1] = {"over_by_bytes",
                             "The program's own circular buffers need more than the L1 has, whatever else lies in it."},
    [TS_REASON_OVERLAP] = {"overlap_bytes",
                           "The program's circular buffers grow upwards into an L1 buffer that lies above them."},
};

static void add_diagnosis(struct ts_answer *answer, yyjson_mut_val *parent, const struct ts_allocation_failure *failure)
{
    struct ts_failure_diagnosis diagnosis = ts_allocation_failure_diagnose(failure);
    const struct explanation *explanation = &explanations[diagnosis.reason];
    if (diagnosis.reason == TS_REASON_NONE) {
        ts_answer_null(answer, parent, "diagnosis");
        ts_answer_name(answer, parent, "no_diagnosis_because", diagnosis.unsaid);
        return;
    }
    yyjson_mut_val *object = ts_answer_object(answer, parent, "diagnosis");
    ts_answer_name(answer, object, "reason", ts_failure_reason_name(diagnosis.reason));
    if (explanation->key)
        ts_answer_integer(answer, object, explanation->key, diagnosis.bytes);
    ts_answer_name(answer, object, "detail", explanation->detail);
    if (failure->has_free && ts_str_is(failure->buffer_type, "L1"))
        ts_answer_boolean(answer, object, "interleaved_region_limit", true);
}

static void add_resident(struct ts_answer *answer, yyjson_mut_val *list, const struct ts_resident *resident)
{
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    ts_answer_integer(answer, object, "address", resident->address);
    ts_answer_integer(answer, object, "size", resident->size);
    add_integer(answer, object, "tensor_id", resident->has_tensor, resident->tensor);
    add_integer(answer, object, "made_by", resident->has_maker, resident->maker);
    ts_profiler_add_text(answer, object, "made_by_name", resident->maker_name);
}

static void add_way(struct ts_answer *answer, yyjson_mut_val *parent, const struct ts_in_the_way *way)
{
    int64_t returned = way->count < TS_RESIDENTS_LISTED ? (int64_t)way->count : TS_RESIDENTS_LISTED;
    yyjson_mut_val *object = ts_answer_object(answer, parent, "in_the_way");
    ts_answer_integer(answer, object, "misses_by_bytes", way->misses);
    add_integer(answer, object, "seen_behind_operation", way->looked, way->behind);
    add_integer(answer, object, "device_id", way->count > 0, way->device);
    add_integer(answer, object, "resident_count", !way->unknown[0], (int64_t)way->count);
    ts_answer_integer(answer, object, "returned", returned);
    yyjson_mut_val *list = ts_answer_list(answer, object, "residents");
    for (int64_t i = 0; i < returned; i++)
        add_resident(answer, list, &way->listed[i]);
    if (way->unknown[0])
        ts_answer_string(answer, object, "unknown_because", ts_str_from(way->unknown));
}

enum ts_status ts_error_entry_failure(struct ts_context *context, struct ts_profiler *profiler,
                                      struct ts_answer *answer, yyjson_mut_val *object,
                                      const struct ts_report_error *item, bool *is, struct ts_error *error)
{
    struct ts_allocation_failure failure;
    struct ts_in_the_way way;
    ts_allocation_failure_read(item->message, &failure);
    *is = failure.kind != TS_FAILURE_NONE;
    if (!*is)
        return TS_OK;
    add_failure(answer, ts_answer_object(answer, object, "allocation_failure"), &failure);
    add_diagnosis(answer, object, &failure);
    if (!item->attached)
        return TS_OK;
    enum ts_status status = ts_in_the_way_read(context, profiler, item->operation, &failure, &way, error);
    if (status == TS_OK && way.applies)
        add_way(answer, object, &way);
    return status;
}

/* ---- declarations ---- */

const struct ts_field ts_error_failure_fields[] = {
    {.key = "kind",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .help = "bank_out_of_memory, bank_out_of_memory_with_dependencies, circular_buffers_beyond_l1 or "
             "circular_buffers_clash"},
    {.key = "buffer_type", .kind = TS_KIND_STRING, .sometimes = true, .nullable = true, .help = "that was asked for"},
    {.key = "requested_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .unit = "bytes",
     .help = "the whole request, of all banks"},
    {.key = "num_banks",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .help = "that it was to be spread over"},
    {.key = "bytes_per_bank",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .unit = "bytes_per_bank",
     .help = "that each bank was to hold; so are all that follow"},
    {.key = "bank_size_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .unit = "bytes_per_bank",
     .help = "of an empty bank"},
    {.key = "allocated_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .unit = "bytes_per_bank",
     .help = "null: an older message, or see past_63_bits"},
    {.key = "free_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .unit = "bytes_per_bank",
     .help = "in all"},
    {.key = "largest_free_block_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .unit = "bytes_per_bank",
     .help = "in one piece"},
    {.key = "placeable_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .unit = "bytes_per_bank",
     .help = "left without what other buffers depend on"},
    {.key = "largest_placeable_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .unit = "bytes_per_bank",
     .help = "of that in one piece"},
    {.key = "core_range", .kind = TS_KIND_STRING, .sometimes = true, .help = "of the program; cut at 200 characters"},
    {.key = "core_range_full_length", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "when it was cut"},
    {.key = "max_l1_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .unit = "bytes_per_bank",
     .help = "where the L1 ends"},
    {.key = "l1_buffer_address",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .help = "of the buffer they reach into"},
    {.key = "circular_buffer_region_end",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .nullable = true,
     .unit = "bytes_per_bank",
     .help = "where the circular (or dataflow) buffers end"},
    {.key = "past_63_bits",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_STRING,
     .sometimes = true,
     .help = "figures that are null because the message has them larger than that"},
    {.key = NULL},
};

const struct ts_field ts_error_diagnosis_fields[] = {
    {.key = "reason",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .help = "larger_than_empty_bank, free_block_could_hold_it, fragmented, not_enough_free_space, beyond_end_of_l1 or "
             "overlaps_l1_buffer"},
    {.key = "over_by_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .unit = "bytes_per_bank",
     .help = "past the bank, or the L1"},
    {.key = "short_by_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .unit = "bytes_per_bank",
     .help = "of free space"},
    {.key = "overlap_bytes",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .unit = "bytes_per_bank",
     .help = "with the L1 buffer"},
    {.key = "detail", .kind = TS_KIND_STRING, .help = "the reason in words"},
    {.key = "interleaved_region_limit",
     .kind = TS_KIND_BOOLEAN,
     .sometimes = true,
     .help = "true: an interleaved buffer may use only part of the free space, so more may be missing"},
    {.key = NULL},
};

static const struct ts_field resident_fields[] = {
    {.key = "address", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "in each bank"},
    {.key = "size", .kind = TS_KIND_INTEGER, .unit = "bytes_per_bank", .show = TS_SHOW_COLUMN, .help = "in each bank"},
    {.key = "tensor_id",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .help = "the latest that lay there; null: no tensor says so"},
    {.key = "made_by",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .help = "the operation that it is an output of"},
    {.key = "made_by_name", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_COLUMN, .help = "as recorded"},
    {.key = NULL},
};

const struct ts_field ts_error_way_fields[] = {
    {.key = "misses_by_bytes",
     .kind = TS_KIND_INTEGER,
     .unit = "bytes_per_bank",
     .help = "that they overlap by, or that the largest free block is too small by"},
    {.key = "seen_behind_operation",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .help = "the last one before the failure whose buffers are recorded"},
    {.key = "device_id", .kind = TS_KIND_INTEGER, .nullable = true, .help = "where they lie; null: none are listed"},
    {.key = "resident_count",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .help = "all of them; 0: none is recorded, as of what an operation makes and frees inside"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "listed, at most 10"},
    {.key = "residents",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = resident_fields,
     .show = TS_SHOW_COLUMN,
     .help = "by address"},
    {.key = "unknown_because",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "why it cannot be told; the count is null then"},
    {.key = NULL},
};
