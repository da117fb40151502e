#include "base/limits.h"
#include "base/number.h"
#include "base/utf8.h"
#include "formats/stack_trace.h"
#include "questions/profiler_common.h"

enum { ARGUMENTS_LISTED = 100, VALUE_CHARACTERS = 500 };

static const enum ts_db_table tables[] = {TS_DB_OPERATIONS, TS_DB_OPERATION_ARGUMENTS};
enum { TABLES = sizeof tables / sizeof *tables };
/* What it must be possible to tell the rank of; the traces need not be there. */
static const enum ts_db_table of_rank[] = {TS_DB_OPERATION_ARGUMENTS, TS_DB_STACK_TRACES};

/* ---- what it was called with ---- */

/* Characters of a text of any length; a piece at a time, each ending where a character does. */
static enum ts_status count_characters(struct ts_context *context, struct ts_str text, int64_t *count,
                                       struct ts_error *error)
{
    enum { PIECE = 1 << 20 };
    enum ts_status status = TS_OK;
    *count = 0;
    while (text.len > 0 && status == TS_OK) {
        size_t len = text.len < PIECE ? text.len : PIECE;
        for (unsigned back = 0; len < text.len && back < 3 && ((unsigned char)text.ptr[len] & 0xC0) == 0x80; back++)
            len--;
        *count += (int64_t)ts_utf8_count(ts_str_sub(text, 0, len));
        text = ts_str_sub(text, len, text.len);
        status = ts_context_check(context, error);
    }
    return status;
}

static enum ts_status add_argument(struct ts_context *context, struct ts_answer *answer, yyjson_mut_val *list,
                                   struct ts_db_rows *rows, int64_t *truncated, struct ts_error *error)
{
    struct ts_str name = {NULL, 0}, value;
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    ts_db_text(rows, 0, &name);
    ts_profiler_add_text(answer, object, "name", name);
    if (!ts_db_text(rows, 1, &value)) {
        ts_answer_null(answer, object, "value");
        ts_answer_boolean(answer, object, "recorded", false);
        return TS_OK;
    }
    struct ts_str shown = ts_utf8_cut(value, VALUE_CHARACTERS);
    ts_answer_text(answer, object, "value", shown);
    if (shown.len == value.len)
        return TS_OK;
    int64_t length;
    enum ts_status status = count_characters(context, value, &length, error);
    if (status != TS_OK)
        return status;
    ts_answer_boolean(answer, object, "truncated", true);
    ts_answer_integer(answer, object, "full_length", length);
    ++*truncated;
    return TS_OK;
}

static enum ts_status add_arguments(struct ts_context *context, struct ts_profiler *profiler, int64_t id,
                                    struct ts_answer *answer, struct ts_error *error)
{
    static const char *const columns[] = {"name", "value", NULL};
    struct ts_db_rows *rows;
    int64_t count = 0, truncated = 0;
    bool more = false;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_OPERATION_ARGUMENTS, "operation_id", id, columns, &rows, error);
    if (status != TS_OK)
        return status;
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "arguments");
    while (status == TS_OK && (status = ts_db_next(rows, &more, error)) == TS_OK && more)
        if (count++ < ARGUMENTS_LISTED)
            status = add_argument(context, answer, list, rows, &truncated, error);
    ts_db_rows_close(rows);
    ts_answer_integer(answer, answer->root, "argument_count", count);
    ts_answer_integer(answer, answer->root, "value_cap_chars", VALUE_CHARACTERS);
    ts_answer_integer(answer, answer->root, "truncated_count", truncated);
    return status;
}

/* ---- where it was called ---- */

static void fill_frame(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_stack_frame *frame)
{
    int64_t line;
    ts_answer_text(answer, object, "file", frame->file);
    if (ts_number_parse_i64(frame->line, &line))
        ts_answer_integer(answer, object, "line", line);
    else
        ts_answer_null(answer, object, "line");
    ts_answer_text(answer, object, "function", frame->function);
    ts_profiler_add_text(answer, object, "code", frame->code);
}

static enum ts_status add_frames(struct ts_context *context, struct ts_answer *answer, struct ts_str text,
                                 int64_t limit, struct ts_caveat *caveat, struct ts_error *error)
{
    enum { CHECK_EVERY_FRAMES = 1024 };
    struct ts_stack_trace trace;
    struct ts_stack_frame frame;
    enum ts_status status = TS_OK;
    bool whole = text.len <= TS_LIMIT_STACK_TRACE;
    text = ts_str_sub(text, 0, TS_LIMIT_STACK_TRACE);
    ts_stack_trace_init(&trace, text);
    bool found = ts_stack_trace_next(&trace, &frame);
    if (found)
        fill_frame(answer, ts_answer_object(answer, answer->root, "call_site"), &frame);
    else
        ts_answer_null(answer, answer->root, "call_site");
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "frames");
    int64_t callers = 0;
    for (; found && status == TS_OK && ts_stack_trace_next(&trace, &frame); callers++) {
        if (callers < limit)
            fill_frame(answer, ts_answer_push_object(answer, list), &frame);
        if (callers % CHECK_EVERY_FRAMES == 0)
            status = ts_context_check(context, error);
    }
    ts_answer_integer(answer, answer->root, "returned_frames", callers < limit ? callers : limit);
    ts_answer_integer(answer, answer->root, "chain_length", callers);
    if (!whole)
        ts_caveat_add(caveat, "Of the stack trace the first %zu MiB were read.", TS_LIMIT_STACK_TRACE / TS_MIB);
    if (ts_stack_trace_is_blank(text))
        ts_caveat_add(caveat, "No stack trace is recorded for this operation.");
    else if (!found)
        ts_caveat_add(
            caveat,
            "A stack trace is recorded but cannot be read, most likely a native one: the call site is unknown.");
    return status;
}

/* How much a row of the table tells: nothing, a text that cannot be read, or frames. */
enum worth { BLANK, UNREADABLE, READABLE };

static enum worth worth_of(struct ts_str text)
{
    struct ts_stack_trace trace;
    struct ts_stack_frame frame;
    ts_stack_trace_init(&trace, text);
    if (ts_stack_trace_next(&trace, &frame))
        return READABLE;
    return ts_stack_trace_is_blank(text) ? BLANK : UNREADABLE;
}

/* The operation's first trace that can be read, or else the first that is not blank, copied. */
static enum ts_status choose_trace(struct ts_profiler *profiler, struct ts_db_rows *rows, struct ts_str *out,
                                   struct ts_error *error)
{
    enum worth best = BLANK;
    bool more = false;
    enum ts_status status = TS_OK;
    while (status == TS_OK && best < READABLE && (status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        struct ts_str text;
        if (!ts_db_text(rows, 0, &text))
            continue;
        /* One byte more than is looked at tells that there is more. */
        text = ts_str_sub(text, 0, TS_LIMIT_STACK_TRACE + 1);
        enum worth worth = worth_of(ts_str_sub(text, 0, TS_LIMIT_STACK_TRACE));
        if (worth <= best && out->len > 0)
            continue;
        best = worth;
        *out = ts_arena_copy(&profiler->arena, text);
        if (!out->ptr)
            status = ts_arena_error(&profiler->arena, error);
    }
    return status;
}

static enum ts_status add_trace(struct ts_context *context, struct ts_profiler *profiler, const struct ts_args *args,
                                struct ts_answer *answer, struct ts_caveat *caveat, struct ts_error *error)
{
    static const char *const columns[] = {"stack_trace", NULL};
    struct ts_db_rows *rows;
    struct ts_str text = TS_STR("");
    enum ts_status status = ts_profiler_rows(context, profiler, TS_DB_STACK_TRACES, "operation_id",
                                             ts_args_get(args, "operation_id")->integer, columns, &rows, error);
    if (status != TS_OK)
        return status;
    status = choose_trace(profiler, rows, &text, error);
    if (status == TS_OK)
        status = add_frames(context, answer, text, ts_args_get(args, "limit")->integer, caveat, error);
    ts_db_rows_close(rows);
    return status;
}

static enum ts_status answer_operation_provenance(struct ts_context *context, const struct ts_args *args,
                                                  struct ts_capture *capture, struct ts_capture *second,
                                                  struct ts_answer *answer, struct ts_error *error)
{
    (void)second;
    struct ts_profiler profiler;
    struct ts_profiler_operation operation;
    struct ts_caveat caveat;
    int64_t id = ts_args_get(args, "operation_id")->integer;
    const struct ts_arg *rank = ts_args_get(args, "rank");
    enum ts_status status =
        ts_profiler_open(context, capture, rank->given, rank->integer, tables, TABLES, &profiler, error);
    if (status != TS_OK)
        return status;
    ts_caveat_init(&caveat, &profiler);
    status = ts_profiler_attributable(&profiler, of_rank, sizeof of_rank / sizeof *of_rank, error);
    if (status == TS_OK)
        status = ts_profiler_operation(context, &profiler, id, &operation, error);
    if (status == TS_OK) {
        ts_profiler_add_operation(answer, answer->root, id, operation.name);
        status = add_arguments(context, &profiler, id, answer, error);
    }
    if (status == TS_OK)
        status = add_trace(context, &profiler, args, answer, &caveat, error);
    if (status == TS_OK)
        ts_profiler_add_frame(answer, &profiler, &caveat);
    return ts_profiler_close(&profiler, &caveat, status, error);
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PROFILER_HANDLE_PARAM,
    {.name = "operation_id", .kind = TS_PARAM_INTEGER, .required = true, .help = "of a profiler operation"},
    {.name = "limit",
     .kind = TS_PARAM_LIMIT,
     .default_integer = 10,
     .maximum = 100,
     .help = "callers of the call site; few are enough"},
    TS_PROFILER_RANK_PARAM,
    {.name = NULL},
};

static const struct ts_field argument_fields[] = {
    {.key = "name",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .heading = "argument",
     .help = "keyword, or position"},
    {.key = "value", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_COLUMN, .help = "as recorded, cut"},
    {.key = "recorded", .kind = TS_KIND_BOOLEAN, .sometimes = true, .help = "false: the value is missing"},
    {.key = "truncated", .kind = TS_KIND_BOOLEAN, .sometimes = true, .help = "true: the value was cut"},
    {.key = "full_length", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "characters it had"},
    {.key = NULL},
};

static const struct ts_field frame_fields[] = {
    {.key = "file", .kind = TS_KIND_STRING, .help = "as recorded"},
    {.key = "line", .kind = TS_KIND_INTEGER, .nullable = true, .help = "in the file; null: too large to be one"},
    {.key = "function", .kind = TS_KIND_STRING, .help = "as recorded"},
    {.key = "code", .kind = TS_KIND_STRING, .nullable = true, .help = "the source line"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "operation_id", .kind = TS_KIND_INTEGER, .show = TS_SHOW_ABOVE, .heading = "operation", .help = "as given"},
    {.key = "name", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_ABOVE, .help = "of the operation"},
    {.key = "arguments",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = argument_fields,
     .show = TS_SHOW_ROWS,
     .help = "at most 100, in order"},
    {.key = "argument_count", .kind = TS_KIND_INTEGER, .help = "all of them"},
    {.key = "value_cap_chars", .kind = TS_KIND_INTEGER, .help = "characters of a value shown"},
    {.key = "truncated_count", .kind = TS_KIND_INTEGER, .help = "listed values that were cut"},
    {.key = "call_site",
     .kind = TS_KIND_OBJECT,
     .nullable = true,
     .children = frame_fields,
     .show = TS_SHOW_BELOW,
     .heading = "called in",
     .help = "the innermost frame; null: see caveat"},
    {.key = "frames",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = frame_fields,
     .help = "its callers, nearest first"},
    {.key = "returned_frames", .kind = TS_KIND_INTEGER, .help = "callers listed"},
    {.key = "chain_length", .kind = TS_KIND_INTEGER, .help = "all callers"},
    TS_PROFILER_FRAME_FIELDS,
    {.key = NULL},
};

const struct ts_question ts_question_operation_provenance = {
    .name = "operation_provenance",
    .title = "Where an operation came from",
    .summary = "What an operation was called with, and where",
    .description =
        "What one profiler operation was called with, and the source line that called it. call_site is the call in "
        "the model's code; frames are its callers, outward, mostly of the test around.",
    .params = params,
    .needs = TS_NEED_DATABASE,
    .tables = tables,
    .table_count = TABLES,
    .fields = fields,
    .link = TS_LINK_OPERATION,
    .too_large = "lower limit",
    .answer = answer_operation_provenance,
};
