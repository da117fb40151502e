#include "models/report_errors.h"

#include "base/map.h"

/* error_operation is what the first importer called the name. */
enum { OPERATION, NAME, TYPE, MESSAGE, TIMESTAMP, OLD_NAME };
static const char *const columns[] = {"operation_id", "operation_name",  "error_type", "error_message",
                                      "timestamp",    "error_operation", NULL};

enum ts_report_errors_state ts_report_errors_state(const struct ts_profiler *profiler)
{
    if (!ts_db_has_table(profiler->db, TS_DB_ERRORS))
        return TS_REPORT_ERRORS_MISSING;
    return ts_profiler_unattributable(profiler, TS_DB_ERRORS) ? TS_REPORT_ERRORS_UNATTRIBUTABLE
                                                              : TS_REPORT_ERRORS_THERE;
}

bool ts_report_error_is_bare(const struct ts_report_error *item)
{
    return ts_str_is(item->type, "incomplete_operation") || ts_str_is(item->type, "aborted_operation");
}

static struct ts_str cell(struct ts_db_rows *rows, unsigned column)
{
    struct ts_str text;
    return ts_db_text(rows, column, &text) ? text : (struct ts_str){NULL, 0};
}

static struct ts_report_error read_row(struct ts_db_rows *rows)
{
    struct ts_report_error item = {
        .name = cell(rows, ts_db_rows_have(rows, NAME) ? NAME : OLD_NAME),
        .type = cell(rows, TYPE),
        .message = cell(rows, MESSAGE),
        .timestamp = cell(rows, TIMESTAMP),
    };
    item.has_operation = ts_db_integer(rows, OPERATION, &item.operation);
    return item;
}

static bool same_name(struct ts_str a, struct ts_str b)
{
    return a.ptr && b.ptr && ts_str_equal(a, b);
}

/* ---- all of them ---- */

struct attaching {
    struct ts_context *context;
    struct ts_profiler *profiler;
    struct ts_arena arena; /* keys of taken */
    struct ts_map taken;   /* operations that have their error */
};

static enum ts_status attach(struct attaching *attaching, struct ts_report_error *item, struct ts_error *error)
{
    struct ts_profiler_operation operation;
    bool found, added;
    struct ts_str key = {(const char *)&item->operation, sizeof item->operation};
    if (!item->has_operation || !item->name.ptr || ts_map_find(&attaching->taken, key))
        return TS_OK;
    enum ts_status status =
        ts_profiler_find_operation(attaching->context, attaching->profiler, item->operation, &operation, &found, error);
    if (status != TS_OK || !found || !same_name(operation.name, item->name))
        return status;
    key = ts_arena_copy(&attaching->arena, key);
    if (!key.ptr)
        return ts_arena_error(&attaching->arena, error);
    if (!ts_map_at(&attaching->taken, key, &added))
        return ts_error_no_memory(error);
    item->attached = true;
    return TS_OK;
}

enum ts_status ts_report_errors_visit(struct ts_context *context, struct ts_profiler *profiler,
                                      enum ts_status (*visit)(void *data, const struct ts_report_error *item,
                                                              struct ts_error *error),
                                      void *data, struct ts_error *error)
{
    struct attaching attaching = {.context = context, .profiler = profiler};
    struct ts_db_rows *rows;
    bool more = false;
    if (ts_report_errors_state(profiler) != TS_REPORT_ERRORS_THERE)
        return TS_OK;
    enum ts_status status = ts_profiler_scan(profiler, TS_DB_ERRORS, columns, &rows, error);
    if (status != TS_OK)
        return status;
    ts_arena_init(&attaching.arena, context->memory_limit);
    ts_map_init(&attaching.taken);
    while (status == TS_OK && (status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        struct ts_report_error item = read_row(rows);
        status = attach(&attaching, &item, error);
        if (status == TS_OK)
            status = visit(data, &item, error);
    }
    ts_db_rows_close(rows);
    ts_map_free(&attaching.taken);
    ts_arena_free(&attaching.arena);
    return status;
}

/* ---- of one operation ---- */

static enum ts_status copy(struct ts_profiler *profiler, struct ts_str *text, struct ts_error *error)
{
    if (!text->ptr)
        return TS_OK;
    *text = ts_arena_copy(&profiler->arena, *text);
    return text->ptr ? TS_OK : ts_arena_error(&profiler->arena, error);
}

enum ts_status ts_report_error_copy(struct ts_profiler *profiler, struct ts_report_error *item, struct ts_error *error)
{
    struct ts_str *const texts[] = {&item->name, &item->type, &item->message, &item->timestamp};
    enum ts_status status = TS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == TS_OK; i++)
        status = copy(profiler, texts[i], error);
    return status;
}

enum ts_status ts_report_error_of(struct ts_context *context, struct ts_profiler *profiler,
                                  const struct ts_profiler_operation *operation, struct ts_report_error *out,
                                  bool *found, struct ts_error *error)
{
    struct ts_db_rows *rows;
    bool more = false;
    *found = false;
    if (ts_report_errors_state(profiler) != TS_REPORT_ERRORS_THERE)
        return TS_OK;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_ERRORS, "operation_id", operation->id, columns, &rows, error);
    if (status != TS_OK)
        return status;
    while (!*found && (status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        *out = read_row(rows);
        *found = same_name(out->name, operation->name);
        out->attached = *found;
        if (*found && (status = ts_report_error_copy(profiler, out, error)) != TS_OK)
            break;
    }
    ts_db_rows_close(rows);
    return status;
}
