#include <inttypes.h>
#include <stdlib.h>

#include "base/fold.h"
#include "base/map.h"
#include "base/number.h"
#include "questions/profiler_common.h"

enum { LISTED_MAX = 100 };

struct search {
    struct ts_context *context;
    struct ts_profiler *profiler;
    struct ts_buf name, caller; /* folded; empty: not asked */
    struct ts_buf text;         /* what is being searched, folded */
    bool by_caller, any_trace;
    TS_VEC(int64_t) called;          /* operations whose stack holds the caller, ascending, with repeats */
    const struct ts_db_index *index; /* of operations, by id */
    struct ts_map seen;              /* ids that may come again */
    int64_t limit, matches, repeats;
    struct ts_profiler_operation found[LISTED_MAX];
};

/* ---- by what called it ---- */

static enum ts_status read_trace(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct search *search = data;
    struct ts_db_digits digits;
    struct ts_str trace;
    if (!ts_db_cell_text(&cells[1], &digits, &trace))
        return TS_OK;
    search->any_trace = true;
    bool found;
    enum ts_status status = ts_fold_contains(search->context, trace, ts_buf_view(&search->caller), ts_fold_ascii,
                                             &search->text, &found, error);
    if (status == TS_OK && found && cells[0].is_integer && !ts_vec_push(&search->called, cells[0].integer))
        status = ts_error_no_memory(error);
    return status;
}

static int ascending(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static enum ts_status read_callers(struct search *search, struct ts_caveat *caveat, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", "stack_trace", NULL};
    static const enum ts_db_table traces[] = {TS_DB_STACK_TRACES};
    enum ts_status status = ts_profiler_attributable(search->profiler, traces, 1, error);
    ts_profiler_note_key(search->profiler, TS_DB_STACK_TRACES);
    if (status == TS_OK)
        status = ts_profiler_each(search->profiler, TS_DB_STACK_TRACES, columns, read_trace, search, error);
    if (status == TS_OK && search->called.count > 1)
        qsort(search->called.items, search->called.count, sizeof *search->called.items, ascending);
    if (status == TS_OK && !search->any_trace)
        ts_caveat_add(caveat, "The report records no stack traces: finding nothing is no evidence.");
    return status;
}

/* ---- the operations ---- */

static bool is_called(const struct search *search, int64_t id)
{
    return search->called.count > 0 &&
           bsearch(&id, search->called.items, search->called.count, sizeof *search->called.items, ascending);
}

/* Whether a row of this id came before: of several the first counts, here as everywhere. */
static enum ts_status is_repeat(struct search *search, int64_t id, bool *repeat, struct ts_error *error)
{
    size_t runs;
    const struct ts_db_run *run = ts_db_index_find(search->index, id, &runs);
    struct ts_str key = {(const char *)&id, sizeof id};
    bool added = true;
    if (runs != 1 || run->first != run->last) {
        key = ts_map_find(&search->seen, key) ? key : ts_arena_copy(&search->profiler->arena, key);
        if (!key.ptr)
            return ts_arena_error(&search->profiler->arena, error);
        if (!ts_map_at(&search->seen, key, &added))
            return ts_error_no_memory(error);
    }
    *repeat = !added;
    search->repeats += !added;
    return TS_OK;
}

static enum ts_status read_operation(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct search *search = data;
    struct ts_db_digits digits;
    struct ts_str name = TS_STR("");
    int64_t id = cells[0].integer;
    bool repeat = false, found_name;
    if (!cells[0].is_integer) {
        search->profiler->keyless[TS_DB_OPERATIONS]++;
        return TS_OK;
    }
    enum ts_status status = is_repeat(search, id, &repeat, error);
    if (status != TS_OK || repeat || (search->by_caller && !is_called(search, id)))
        return status;
    ts_db_cell_text(&cells[1], &digits, &name);
    status = ts_fold_contains(search->context, name, ts_buf_view(&search->name), ts_fold_text, &search->text,
                              &found_name, error);
    if (status != TS_OK || !found_name)
        return status;
    if (search->matches++ >= search->limit)
        return TS_OK;
    struct ts_profiler_operation *found = &search->found[search->matches - 1];
    found->id = id;
    found->duration = ts_db_cell_number(&cells[2]);
    return ts_profiler_copy_cell(search->profiler, &cells[1], &found->name, error);
}

/* The arguments, made ready. */
static enum ts_status begin(struct search *search, const struct ts_args *args, struct ts_error *error)
{
    struct ts_str caller = ts_str_trim(ts_args_get(args, "called_from")->text);
    search->limit = ts_args_get(args, "limit")->integer;
    search->by_caller = ts_args_get(args, "called_from")->given;
    if (search->by_caller && caller.len == 0)
        return ts_error_set(error, TS_USAGE, "called_from is empty; give part of a file, function or source line");
    ts_fold_text(&search->name, ts_str_trim(ts_args_get(args, "name_contains")->text));
    ts_fold_ascii(&search->caller, caller);
    enum ts_status status = ts_buf_status(&search->name, error);
    return status == TS_OK ? ts_buf_status(&search->caller, error) : status;
}

/* ---- the answer ---- */

static void add_argument(struct ts_answer *answer, const struct ts_args *args, const char *name)
{
    struct ts_str text = ts_args_get(args, name)->text;
    ts_profiler_add_text(answer, answer->root, name, text.len > 0 ? text : (struct ts_str){NULL, 0});
}

static void write_answer(struct ts_answer *answer, const struct ts_args *args, const struct search *search)
{
    int64_t returned = search->matches < search->limit ? search->matches : search->limit;
    add_argument(answer, args, "name_contains");
    add_argument(answer, args, "called_from");
    ts_answer_integer(answer, answer->root, "match_count", search->matches);
    ts_answer_integer(answer, answer->root, "returned", returned);
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "operations");
    for (int64_t i = 0; i < returned; i++) {
        yyjson_mut_val *object = ts_answer_push_object(answer, list);
        ts_profiler_add_operation(answer, object, search->found[i].id, search->found[i].name);
        ts_answer_number(answer, object, "duration", search->found[i].duration);
    }
    ts_answer_name(answer, answer->root, "duration_unit", "host_seconds");
}

static enum ts_status answer_find_operations(struct ts_context *context, const struct ts_args *args,
                                             struct ts_capture *capture, struct ts_capture *second,
                                             struct ts_answer *answer, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", "name", "duration", NULL};
    (void)second;
    struct ts_profiler profiler;
    struct ts_caveat caveat;
    struct search search = {.context = context, .profiler = &profiler};
    enum ts_status status = ts_profiler_read(context, args, capture, &profiler, error);
    if (status != TS_OK)
        return status;
    ts_caveat_init(&caveat, &profiler);
    ts_map_init(&search.seen);
    status = begin(&search, args, error);
    if (status == TS_OK)
        status = ts_profiler_index(context, &profiler, TS_DB_OPERATIONS, "operation_id", &search.index, error);
    if (status == TS_OK && search.by_caller)
        status = read_callers(&search, &caveat, error);
    if (status == TS_OK)
        status = ts_profiler_each(&profiler, TS_DB_OPERATIONS, columns, read_operation, &search, error);
    if (status == TS_OK) {
        if (search.repeats > 0)
            ts_caveat_add(&caveat, "Left out: %" PRId64 " rows that repeat an operation's id; the first row counts.",
                          search.repeats);
        write_answer(answer, args, &search);
        ts_profiler_add_frame(answer, &profiler, &caveat);
    }
    ts_buf_free(&search.name);
    ts_buf_free(&search.caller);
    ts_buf_free(&search.text);
    ts_vec_free(&search.called);
    ts_map_free(&search.seen);
    return ts_profiler_close(&profiler, &caveat, status, error);
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PROFILER_HANDLE_PARAM,
    {.name = "name_contains", .kind = TS_PARAM_TEXT, .help = "part of the operation's name, any case"},
    {.name = "called_from", .kind = TS_PARAM_TEXT, .help = "part of its stack trace: a file, function or source line"},
    TS_PROFILER_LIMIT_PARAM,
    TS_PROFILER_RANK_PARAM,
    {.name = NULL},
};

static const struct ts_field row_fields[] = {
    TS_PROFILER_OPERATION_FIELDS("for operation_detail", "as recorded"),
    {.key = "duration",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "host_seconds",
     .show = TS_SHOW_COLUMN,
     .help = "on the host, not the device"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "name_contains", .kind = TS_KIND_STRING, .nullable = true, .help = "as given"},
    {.key = "called_from", .kind = TS_KIND_STRING, .nullable = true, .help = "as given"},
    {.key = "match_count",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_ABOVE,
     .heading = "operations found",
     .help = "all that match"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "how many are listed"},
    {.key = "operations",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = row_fields,
     .show = TS_SHOW_ROWS,
     .help = "in the order the report has them"},
    {.key = "duration_unit", .kind = TS_KIND_STRING, .help = "host_seconds"},
    TS_PROFILER_FRAME_FIELDS,
    {.key = NULL},
};

static const enum ts_db_table tables[] = {TS_DB_OPERATIONS};

const struct ts_question ts_question_find_operations = {
    .name = "find_operations",
    .title = "Find operations",
    .summary = "Operations by name, or by what called them",
    .description =
        "Profiler operations by name or call stack, with ids for the other operation tools. called_from also finds "
        "what helpers called.",
    .params = params,
    .needs = TS_NEED_DATABASE,
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .fields = fields,
    .link = TS_LINK_OPERATIONS,
    .too_large = "lower limit",
    .answer = answer_find_operations,
};
