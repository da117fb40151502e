#include "questions/error_entry.h"
#include "questions/operation_memory.h"

/* ---- what lay in memory when the run stopped ---- */

struct last_completed {
    bool sought, found;
    const char *missing;                    /* why none was found, for a sentence */
    struct ts_profiler_operation operation; /* without a name when the report has no such operation */
    struct ts_operation_memory memory;
};

/* Whether the operation has buffers at the rank. */
static enum ts_status has_buffers(struct ts_context *context, struct ts_profiler *profiler, int64_t id, bool *has,
                                  struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", NULL};
    struct ts_db_rows *rows;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_BUFFERS, "operation_id", id, columns, &rows, error);
    if (status != TS_OK)
        return status;
    status = ts_db_next(rows, has, error);
    ts_db_rows_close(rows);
    return status;
}

/* The last operation behind which buffers were recorded. */
static enum ts_status find_last(struct ts_context *context, struct ts_profiler *profiler, struct last_completed *last,
                                struct ts_error *error)
{
    const struct ts_db_index *index;
    enum ts_status status = ts_profiler_index(context, profiler, TS_DB_BUFFERS, "operation_id", &index, error);
    for (size_t i = status == TS_OK ? index->count : 0; i > 0 && status == TS_OK && !last->found; i--) {
        last->operation = (struct ts_profiler_operation){.id = index->runs[i - 1].key};
        if (i == index->count || index->runs[i].key != last->operation.id)
            status = has_buffers(context, profiler, last->operation.id, &last->found, error);
    }
    if (!last->found)
        last->missing = ts_db_has_table(profiler->db, TS_DB_BUFFERS) ? "no operation has buffers recorded"
                                                                     : "the report has no table buffers";
    if (status != TS_OK || !last->found)
        return status;
    bool named;
    struct ts_profiler_operation operation;
    status = ts_profiler_find_operation(context, profiler, last->operation.id, &operation, &named, error);
    if (status == TS_OK && named)
        last->operation = operation;
    return status == TS_OK ? ts_operation_memory_read(context, profiler, last->operation.id, &last->memory, error)
                           : status;
}

static enum ts_status add_last(struct ts_context *context, struct ts_profiler *profiler, struct ts_answer *answer,
                               yyjson_mut_val *object, struct last_completed *last, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    if (!last->sought && ts_profiler_unattributable(profiler, TS_DB_BUFFERS))
        last->missing = "the table buffers carries no rank";
    else if (!last->sought)
        status = find_last(context, profiler, last, error);
    last->sought = true;
    if (status == TS_OK && last->found) {
        yyjson_mut_val *entry = ts_answer_object(answer, object, "last_completed_operation");
        ts_profiler_add_operation(answer, entry, last->operation.id, last->operation.name);
        ts_operation_memory_add(answer, entry, &last->memory);
    } else if (status == TS_OK) {
        ts_answer_null(answer, object, "last_completed_operation");
    }
    return status;
}

/* ---- the errors ---- */

struct gathering {
    struct ts_profiler *profiler;
    int64_t limit, count, attached;
    int64_t doubtful;               /* not attached, but with an id */
    int64_t unplaced;               /* not attached and without figures */
    struct ts_report_error *listed; /* the first of them, at most limit */
};

static enum ts_status gather(void *data, const struct ts_report_error *item, struct ts_error *error)
{
    struct gathering *gathering = data;
    gathering->attached += item->attached;
    gathering->doubtful += !item->attached && item->has_operation;
    gathering->unplaced += !item->attached && ts_str_is(item->type, "incomplete_operation");
    if (gathering->count++ >= gathering->limit)
        return TS_OK;
    struct ts_report_error *copy = &gathering->listed[gathering->count - 1];
    *copy = *item;
    return ts_report_error_copy(gathering->profiler, copy, error);
}

static enum ts_status add_error(struct ts_context *context, struct ts_profiler *profiler, struct ts_answer *answer,
                                yyjson_mut_val *list, const struct ts_report_error *item,
                                struct ts_error_graphs *graphs, struct last_completed *last, struct ts_error *error)
{
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    if (item->has_operation)
        ts_answer_integer(answer, object, "operation_id", item->operation);
    else
        ts_answer_null(answer, object, "operation_id");
    ts_profiler_add_text(answer, object, "operation_name", item->name);
    ts_profiler_add_text(answer, object, "error_type", item->type);
    ts_error_entry_message(answer, object, "message", item->message);
    ts_error_entry_timestamp(answer, object, item->timestamp);
    ts_answer_boolean(answer, object, "attached", item->attached);
    bool explained = false;
    enum ts_status status = ts_error_entry_launches(context, profiler, answer, object, item, graphs, error);
    if (status == TS_OK)
        status = ts_error_entry_failure(context, profiler, answer, object, item, &explained, error);
    if (status != TS_OK || explained || !ts_report_error_is_bare(item))
        return status;
    return add_last(context, profiler, answer, object, last, error);
}

static enum ts_status add_errors(struct ts_context *context, struct gathering *gathering, struct ts_answer *answer,
                                 struct ts_caveat *caveat, struct ts_error *error)
{
    struct ts_error_graphs graphs = {.count = 0};
    struct last_completed last = {.sought = false};
    int64_t returned = gathering->count < gathering->limit ? gathering->count : gathering->limit;
    bool known = ts_report_errors_state(gathering->profiler) == TS_REPORT_ERRORS_THERE;
    if (known)
        ts_answer_integer(answer, answer->root, "error_count", gathering->count);
    else
        ts_answer_null(answer, answer->root, "error_count");
    ts_answer_integer(answer, answer->root, "attached_count", gathering->attached);
    ts_answer_integer(answer, answer->root, "returned", returned);
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "errors");
    enum ts_status status = TS_OK;
    for (int64_t i = 0; i < returned && status == TS_OK; i++)
        status = add_error(context, gathering->profiler, answer, list, &gathering->listed[i], &graphs, &last, error);
    if (!known)
        ts_caveat_add(caveat, "The report predates the table errors: whether anything failed cannot be told from it.");
    ts_error_graphs_caveat(&graphs, caveat);
    if (last.missing)
        ts_caveat_add(caveat, "last_completed_operation is not known: %s.", last.missing);
    if (ts_db_missing_key(gathering->profiler->db, TS_DB_ERRORS))
        ts_caveat_add(caveat, "Which operations failed is not known: the table errors lacks its column operation_id.");
    if (gathering->doubtful > 0)
        ts_caveat_add(caveat, "The operation_id of an error with attached false may name another operation: do not "
                              "open it.");
    if (gathering->unplaced > 0)
        ts_caveat_add(caveat, "Why the operation that never completed failed was not recorded; the console output of "
                              "the run may hold the message.");
    return status;
}

static enum ts_status answer_errors(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                    struct ts_capture *second, struct ts_answer *answer, struct ts_error *error)
{
    static const enum ts_db_table main_table[] = {TS_DB_ERRORS};
    struct ts_profiler profiler;
    struct ts_caveat caveat;
    struct ts_report_error listed[100];
    struct gathering gathering = {
        .profiler = &profiler, .limit = ts_args_get(args, "limit")->integer, .listed = listed};
    (void)second;
    enum ts_status status = ts_profiler_read(context, args, capture, &profiler, error);
    if (status != TS_OK)
        return status;
    ts_caveat_init(&caveat, &profiler);
    status = ts_profiler_attributable(&profiler, main_table, 1, error);
    if (status == TS_OK)
        status = ts_report_errors_visit(context, &profiler, gather, &gathering, error);
    if (status == TS_OK)
        status = add_errors(context, &gathering, answer, &caveat, error);
    if (status == TS_OK)
        ts_profiler_add_frame(answer, &profiler, &caveat);
    return ts_profiler_close(&profiler, &caveat, status, error);
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PROFILER_HANDLE_PARAM,
    TS_PROFILER_LIMIT_PARAM,
    TS_PROFILER_RANK_PARAM,
    {.name = NULL},
};

static const struct ts_field last_fields[] = {
    {.key = "operation_id", .kind = TS_KIND_INTEGER, .help = "the highest with recorded buffers"},
    {.key = "name", .kind = TS_KIND_STRING, .nullable = true, .help = "as recorded"},
    {.key = "allocations",
     .kind = TS_KIND_MAP,
     .of = TS_KIND_OBJECT,
     .children = ts_operation_allocation_fields,
     .help = "by buffer type, bytes per bank"},
    {.key = "l1_pressure",
     .kind = TS_KIND_OBJECT,
     .nullable = true,
     .children = ts_operation_pressure_fields,
     .help = "null: it cannot be told"},
    {.key = NULL},
};

static const struct ts_field row_fields[] = {
    {.key = "operation_id",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .heading = "id",
     .help = "for operation_detail, when attached"},
    {.key = "operation_name",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .heading = "operation",
     .help = "as recorded"},
    {.key = "error_type",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .heading = "type",
     .help = "incomplete_operation: it started and never completed; aborted_operation: the cause was not recorded"},
    {.key = "attached",
     .kind = TS_KIND_BOOLEAN,
     .show = TS_SHOW_COLUMN,
     .help = "false: of no operation of that id and name, or not its first error"},
    TS_ERROR_ENTRY_FIELDS,
    {.key = "last_completed_operation",
     .kind = TS_KIND_OBJECT,
     .sometimes = true,
     .nullable = true,
     .children = last_fields,
     .detail = true,
     .help = "where the cause was not recorded: what lay in memory when the run stopped"},
    {.key = "message", .kind = TS_KIND_STRING, .nullable = true, .detail = true, .help = "cut at 2000 characters"},
    {.key = "message_full_length",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .detail = true,
     .heading = "characters of the message",
     .help = "when it was cut"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "error_count",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .show = TS_SHOW_ABOVE,
     .heading = "errors",
     .help = "all; null: the report does not record any"},
    {.key = "attached_count", .kind = TS_KIND_INTEGER, .show = TS_SHOW_ABOVE, .heading = "attached", .help = "of them"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "how many are listed"},
    {.key = "errors",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = row_fields,
     .show = TS_SHOW_ROWS,
     .help = "in the report's order"},
    TS_PROFILER_FRAME_FIELDS,
    {.key = NULL},
};

static const enum ts_db_table tables[] = {TS_DB_OPERATIONS};
static const enum ts_db_table any_table[] = {TS_DB_ERRORS, TS_DB_BUFFERS};

const struct ts_question ts_question_errors = {
    .name = "errors",
    .title = "Recorded errors",
    .summary = "Where a run stopped, and why an allocation did not fit",
    .description = "The errors a run recorded: which operation, the device operations whose launch failed, and for a "
                   "failed allocation its figures and diagnosis. requested_bytes is over all banks, other figures "
                   "per bank. Where no cause was recorded: what lay in memory.",
    .params = params,
    .needs = TS_NEED_DATABASE,
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .any_table = any_table,
    .any_table_count = sizeof any_table / sizeof *any_table,
    .fields = fields,
    .link = TS_LINK_OPERATIONS,
    .too_large = "lower limit",
    .answer = answer_errors,
};
