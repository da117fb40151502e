#include "questions/profiler_common.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/number.h"
#include "formats/memory_config.h"

/* ---- the frame of an answer ---- */

/* Refuse when there is none of the tables of which the question needs one. */
static enum ts_status check_any_table(const struct ts_profiler *profiler, const struct ts_question *question,
                                      struct ts_error *error)
{
    struct ts_buf names;
    struct ts_quote label;
    ts_buf_init(&names, 0);
    for (size_t i = 0; i < question->any_table_count; i++) {
        if (ts_db_has_table(profiler->db, question->any_table[i])) {
            ts_buf_free(&names);
            return TS_OK;
        }
        ts_buf_printf(&names, "%s%s", i > 0 ? " or " : "", ts_db_table_name(question->any_table[i]));
    }
    enum ts_status status = ts_buf_status(&names, error);
    if (status == TS_OK && question->any_table_count > 0)
        status = ts_error_set(
            error, TS_REFUSED,
            "%s: the profiler database has no table %s; load_report tells what can be answered without",
            ts_error_quote(&label, ts_str_from(profiler->capture->profiler_label), TS_QUOTE_ARGUMENT), names.ptr);
    ts_buf_free(&names);
    return status;
}

enum ts_status ts_profiler_read(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                struct ts_profiler *out, struct ts_error *error)
{
    const struct ts_question *question = args->question;
    const struct ts_arg *rank = ts_args_get(args, "rank");
    struct ts_profiler profiler;
    enum ts_status status = ts_profiler_begin(context, capture, rank->given, rank->integer, question->tables,
                                              question->table_count, &profiler, error);
    if (status != TS_OK)
        return status;
    status = check_any_table(&profiler, question, error);
    if (status != TS_OK)
        ts_profiler_end(&profiler);
    else
        *out = profiler;
    return status;
}

void ts_caveat_init(struct ts_caveat *caveat, const struct ts_profiler *profiler)
{
    ts_buf_init(&caveat->text, 0);
    if (profiler->multi_host)
        ts_caveat_add(caveat, "Read at rank %" PRId64 " only: ids restart on each rank, and figures are of this rank.",
                      profiler->rank);
}

void ts_caveat_add(struct ts_caveat *caveat, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (caveat->text.len > 0)
        ts_buf_char(&caveat->text, ' ');
    ts_buf_text(&caveat->text, text);
}

static void add_keyless(struct ts_caveat *caveat, const struct ts_profiler *profiler)
{
    for (unsigned i = 0; i < TS_DB_TABLES; i++) {
        if (profiler->missing_key[i])
            ts_caveat_add(caveat, "Left out: the table %s, which lacks its column %s.",
                          ts_db_table_name((enum ts_db_table)i), profiler->missing_key[i]);
        else if (profiler->keyless[i] > 0)
            ts_caveat_add(caveat, "Left out: %" PRIu64 " rows of %s whose id is no whole number.", profiler->keyless[i],
                          ts_db_table_name((enum ts_db_table)i));
    }
}

void ts_profiler_add_frame(struct ts_answer *answer, const struct ts_profiler *profiler, struct ts_caveat *caveat)
{
    ts_answer_boolean(answer, answer->root, "multi_host", profiler->multi_host);
    if (profiler->multi_host)
        ts_answer_integer(answer, answer->root, "rank", profiler->rank);
    else
        ts_answer_null(answer, answer->root, "rank");
    add_keyless(caveat, profiler);
    if (caveat->text.failed)
        answer->failed = true;
    if (caveat->text.len > 0)
        ts_answer_string(answer, answer->root, "caveat", ts_buf_view(&caveat->text));
    ts_buf_free(&caveat->text);
}

enum ts_status ts_profiler_close(struct ts_profiler *profiler, struct ts_caveat *caveat, enum ts_status status,
                                 struct ts_error *error)
{
    if (status == TS_OK)
        status = ts_profiler_finish(profiler, error);
    ts_buf_free(&caveat->text);
    ts_profiler_end(profiler);
    return status;
}

/* ---- operations ---- */

void ts_profiler_add_text(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str text)
{
    if (text.ptr)
        ts_answer_text(answer, object, key, text);
    else
        ts_answer_null(answer, object, key);
}

void ts_profiler_add_operation(struct ts_answer *answer, yyjson_mut_val *object, int64_t id, struct ts_str name)
{
    ts_answer_integer(answer, object, "operation_id", id);
    ts_profiler_add_text(answer, object, "name", name);
}

/* ---- tensors ---- */

static const struct ts_field shard_spec_fields[] = {
    {.key = "grid", .kind = TS_KIND_STRING, .help = "core ranges, [(x=0,y=0) - (x=7,y=7)]"},
    {.key = "shape", .kind = TS_KIND_LIST, .of = TS_KIND_INTEGER, .help = "height and width of a shard"},
    {.key = "orientation", .kind = TS_KIND_STRING, .help = "ROW_MAJOR or COL_MAJOR"},
    {.key = "halo", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "where the report writes it"},
    {.key = "mode", .kind = TS_KIND_STRING, .sometimes = true, .help = "where the report writes it"},
    {.key = "physical_shard_shape", .kind = TS_KIND_STRING, .sometimes = true, .help = "where the report writes it"},
    {.key = NULL},
};

const struct ts_field ts_profiler_memory_config_fields[] = {
    {.key = "memory_layout",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .help = "TensorMemoryLayout::INTERLEAVED, or how it is sharded"},
    {.key = "shard_spec",
     .kind = TS_KIND_OBJECT,
     .sometimes = true,
     .children = shard_spec_fields,
     .help = "of a sharded tensor"},
    {.key = "shard_spec", .kind = TS_KIND_STRING, .sometimes = true, .help = "std::nullopt: not sharded"},
    {.key = NULL},
};

const char *ts_profiler_size_unit(const struct ts_profiler *profiler)
{
    return ts_profiler_sizes_are_whole(profiler) ? "bytes" : "bytes_per_bank";
}

static int64_t digits(struct ts_str text)
{
    int64_t value;
    return ts_number_parse_i64(text, &value) ? value : INT64_MAX;
}

static void add_shard_spec(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_memory_config *config)
{
    yyjson_mut_val *spec = ts_answer_object(answer, object, "shard_spec");
    ts_answer_text(answer, spec, "grid", config->grid);
    yyjson_mut_val *shape = ts_answer_list(answer, spec, "shape");
    ts_answer_push_integer(answer, shape, digits(config->height));
    ts_answer_push_integer(answer, shape, digits(config->width));
    ts_answer_text(answer, spec, "orientation", config->orientation);
    if (config->halo.ptr)
        ts_answer_integer(answer, spec, "halo", digits(config->halo));
    if (config->mode.ptr)
        ts_answer_text(answer, spec, "mode", config->mode);
    if (config->physical.ptr)
        ts_answer_text(answer, spec, "physical_shard_shape", config->physical);
}

static enum ts_status add_memory_config(struct ts_answer *answer, yyjson_mut_val *object, struct ts_profiler *profiler,
                                        struct ts_str text, struct ts_error *error)
{
    struct ts_memory_config config;
    bool valid;
    enum ts_status status = ts_memory_config_parse(&profiler->arena, text, &config, &valid, error);
    if (status != TS_OK)
        return status;
    if (!valid) {
        ts_answer_null(answer, object, "memory_config");
        return TS_OK;
    }
    yyjson_mut_val *inner = ts_answer_object(answer, object, "memory_config");
    ts_profiler_add_text(answer, inner, "memory_layout", config.layout);
    if (config.sharded)
        add_shard_spec(answer, inner, &config);
    else
        ts_answer_name(answer, inner, "shard_spec", "std::nullopt");
    return TS_OK;
}

enum ts_status ts_profiler_add_tensor(struct ts_answer *answer, yyjson_mut_val *object, struct ts_profiler *profiler,
                                      const struct ts_profiler_tensor *tensor, bool with_unit, struct ts_error *error)
{
    ts_profiler_add_text(answer, object, "shape", tensor->shape);
    ts_profiler_add_text(answer, object, "dtype", tensor->dtype);
    ts_profiler_add_text(answer, object, "layout", tensor->layout);
    enum ts_status status = add_memory_config(answer, object, profiler, tensor->memory_config, error);
    if (tensor->has_size)
        ts_answer_integer(answer, object, "size", tensor->size);
    else
        ts_answer_null(answer, object, "size");
    if (with_unit)
        ts_answer_name(answer, object, "size_unit", ts_profiler_size_unit(profiler));
    ts_profiler_add_text(answer, object, "buffer_type", tensor->buffer_type);
    return status;
}

/* ---- L1 pressure ---- */

void ts_profiler_add_pressure(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_l1_pressure *pressure)
{
    ts_answer_integer(answer, object, "device_id", pressure->device_id);
    ts_answer_rounded(answer, object, "fullness_pct", pressure->fullness_pct);
    ts_answer_integer(answer, object, "free_segments", pressure->free_segments);
    ts_answer_integer(answer, object, "largest_free_block", pressure->largest_free_block);
    ts_answer_rounded(answer, object, "largest_free_pct", pressure->largest_free_pct);
}
