#include "models/report_errors.h"
#include "questions/fallback_entry.h"

/* Columns without which less can be inferred; error_operation is what the first importer called operation_name. */
static void say_missing_columns(const struct ts_profiler *profiler, struct ts_caveat *caveat)
{
    static const struct {
        enum ts_db_table table;
        const char *column, *older;
    } wanted[] = {
        {TS_DB_OPERATIONS, "name", NULL},      {TS_DB_OPERATION_ARGUMENTS, "value", NULL},
        {TS_DB_TENSORS, "shape", NULL},        {TS_DB_TENSORS, "memory_config", NULL},
        {TS_DB_TENSORS, "device_id", NULL},    {TS_DB_TENSORS, "address", NULL},
        {TS_DB_TENSORS, "buffer_type", NULL},  {TS_DB_ERRORS, "operation_name", "error_operation"},
        {TS_DB_ERRORS, "error_message", NULL},
    };
    const struct ts_db *db = profiler->db;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (ts_db_has_table(db, wanted[i].table) && !ts_db_has_column(db, wanted[i].table, wanted[i].column) &&
            !(wanted[i].older && ts_db_has_column(db, wanted[i].table, wanted[i].older)))
            ts_caveat_add(caveat, "Fewer fallbacks can be told: the table %s lacks its column %s.",
                          ts_db_table_name(wanted[i].table), wanted[i].column);
}

static void say_what_is_missing(const struct ts_profiler *profiler, struct ts_caveat *caveat)
{
    say_missing_columns(profiler, caveat);
    switch (ts_report_errors_state(profiler)) {
    case TS_REPORT_ERRORS_THERE:
        if (ts_db_missing_key(profiler->db, TS_DB_ERRORS))
            ts_caveat_add(caveat, "Retries after a failure are not looked for: the table errors lacks its column "
                                  "operation_id.");
        break;
    case TS_REPORT_ERRORS_MISSING:
        ts_caveat_add(caveat, "Retries after a failure are not looked for: the report has no table errors.");
        break;
    case TS_REPORT_ERRORS_UNATTRIBUTABLE:
        ts_caveat_add(caveat, "Retries after a failure are not looked for: the report holds several ranks, and its "
                              "table errors carries none.");
        break;
    }
    if (ts_profiler_unattributable(profiler, TS_DB_DEVICE_TENSORS))
        ts_caveat_add(caveat, "Addresses on the devices of a mesh are not compared: the table device_tensors carries "
                              "no rank.");
}

static void add_fallbacks(struct ts_answer *answer, const struct ts_dram_fallbacks *fallbacks, int64_t limit)
{
    int64_t count = (int64_t)fallbacks->count, returned = count < limit ? count : limit;
    ts_answer_integer(answer, answer->root, "fallback_count", count);
    ts_answer_integer(answer, answer->root, "returned", returned);
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "fallbacks");
    for (int64_t i = 0; i < returned; i++) {
        yyjson_mut_val *object = ts_answer_push_object(answer, list);
        ts_profiler_add_operation(answer, object, fallbacks->items[i].operation, fallbacks->items[i].name);
        ts_fallback_entry_add(answer, object, &fallbacks->items[i]);
    }
    ts_answer_name(answer, answer->root, "note",
                   "Inferred from arguments, outputs and errors: nothing records a fallback.");
}

static enum ts_status answer_dram_fallbacks(struct ts_context *context, const struct ts_args *args,
                                            struct ts_capture *capture, struct ts_capture *second,
                                            struct ts_answer *answer, struct ts_error *error)
{
    struct ts_profiler profiler;
    struct ts_caveat caveat;
    const struct ts_dram_fallbacks *fallbacks;
    (void)second;
    enum ts_status status = ts_profiler_read(context, args, capture, &profiler, error);
    if (status != TS_OK)
        return status;
    ts_caveat_init(&caveat, &profiler);
    status = ts_dram_fallbacks_read(context, &profiler, &fallbacks, error);
    if (status == TS_OK) {
        add_fallbacks(answer, fallbacks, ts_args_get(args, "limit")->integer);
        say_what_is_missing(&profiler, &caveat);
        ts_profiler_add_frame(answer, &profiler, &caveat);
    }
    return ts_profiler_close(&profiler, &caveat, status, error);
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PROFILER_HANDLE_PARAM,
    TS_PROFILER_LIMIT_PARAM,
    TS_PROFILER_RANK_PARAM,
    {.name = NULL},
};

static const struct ts_field row_fields[] = {
    TS_PROFILER_OPERATION_FIELDS("for operation_detail", "as recorded"),
    TS_FALLBACK_ENTRY_FIELDS,
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "fallback_count",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_ABOVE,
     .heading = "likely fallbacks",
     .help = "all of them"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "how many are listed"},
    {.key = "fallbacks",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = row_fields,
     .show = TS_SHOW_ROWS,
     .help = "by operation id"},
    {.key = "note", .kind = TS_KIND_STRING, .show = TS_SHOW_BELOW, .help = "that all of it is inferred"},
    TS_PROFILER_FRAME_FIELDS,
    {.key = NULL},
};

static const enum ts_db_table tables[] = {TS_DB_OPERATIONS, TS_DB_TENSORS, TS_DB_INPUT_TENSORS, TS_DB_OUTPUT_TENSORS,
                                          TS_DB_OPERATION_ARGUMENTS};

const struct ts_question ts_question_dram_fallbacks = {
    .name = "dram_fallbacks",
    .title = "Likely DRAM fallbacks",
    .summary = "Operations that likely fell back from L1 to DRAM",
    .description = "Operations that likely fell back to DRAM, inferred: all their memory configurations ask "
                   "for L1 while what they allocated is in DRAM, or soon retry one of their name that failed to "
                   "allocate L1. Possible views of a DRAM input do not count.",
    .params = params,
    .needs = TS_NEED_DATABASE,
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .fields = fields,
    .link = TS_LINK_OPERATIONS,
    .too_large = "lower limit",
    .answer = answer_dram_fallbacks,
};
