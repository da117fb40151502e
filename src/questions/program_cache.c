#include "base/number.h"
#include "questions/perf_common.h"
#include "questions/perf_flags.h"
#include "questions/perf_links.h"
#include "questions/ranking.h"

static void add_counts(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_cache_counts *counts)
{
    ts_answer_integer(answer, object, "calls", counts->calls);
    ts_answer_integer(answer, object, "programs", counts->programs);
    ts_answer_integer(answer, object, "repeat_calls", counts->repeat_calls);
    ts_answer_integer(answer, object, "repeat_hits", counts->repeat_hits);
    ts_answer_integer(answer, object, "repeat_misses", counts->repeat_misses);
    ts_answer_integer(answer, object, "repeat_unrecorded", counts->repeat_unrecorded);
}

static double hit_percent(const struct ts_cache_counts *counts)
{
    uint64_t recorded = (uint64_t)counts->repeat_hits + counts->repeat_misses;
    return recorded ? (double)counts->repeat_hits / (double)recorded * 100 : TS_ABSENT;
}

static void add_group(struct ts_answer *answer, yyjson_mut_val *list, const struct ts_cache_group *group,
                      const struct ts_perf_link_state *link)
{
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    ts_answer_text(answer, object, "op_code", group->op_code);
    add_counts(answer, object, &group->counts);
    if (group->first_repeat_miss == UINT32_MAX)
        ts_answer_null(answer, object, "first_repeat_miss_perf_id");
    else
        ts_perf_add_id(answer, object, "first_repeat_miss_perf_id", group->first_repeat_miss);
    ts_perf_links_add_id(answer, object, "first_repeat_miss_operation_id", link, group->first_repeat_miss);
}

/* ---- op codes that never use a program again ---- */

static bool is_called_more(const void *data, uint32_t a, uint32_t b)
{
    const struct ts_cache_reuse *reuse = data;
    const struct ts_cache_group *left = &reuse->groups[a], *right = &reuse->groups[b];
    if (left->counts.calls != right->counts.calls)
        return left->counts.calls > right->counts.calls;
    return ts_str_compare(left->op_code, right->op_code) < 0;
}

static void add_always_new(struct ts_answer *answer, const struct ts_cache_reuse *reuse, int64_t limit)
{
    if (reuse->always_new == 0)
        return;
    struct ts_ranking ranking;
    ts_ranking_init(&ranking, is_called_more, reuse, limit);
    for (uint32_t i = 0; i < reuse->count; i++) {
        const struct ts_cache_counts *counts = &reuse->groups[i].counts;
        if (counts->calls >= 2 && counts->programs == counts->calls)
            ts_ranking_add(&ranking, i);
    }
    ts_ranking_finish(&ranking);
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, "always_new");
    ts_answer_integer(answer, object, "op_code_count", reuse->always_new);
    yyjson_mut_val *list = ts_answer_list(answer, object, "op_codes");
    for (uint32_t i = 0; i < ranking.count; i++) {
        const struct ts_cache_group *group = &reuse->groups[ranking.items[i]];
        yyjson_mut_val *entry = ts_answer_push_object(answer, list);
        ts_answer_text(answer, entry, "op_code", group->op_code);
        ts_answer_integer(answer, entry, "calls", group->counts.calls);
    }
    ts_answer_name(
        answer, object, "note",
        "Every call built a new program: such op codes have no repeat calls and so no misses above, however often "
        "they compiled.");
}

/* ---- caveats ---- */

static void nothing_to_count(const struct ts_perf_report *whole, struct ts_buf *out)
{
    ts_buf_text(out, "No row has a program hash, so there is nothing to count: ");
    if (!whole->source->ops->has[TS_OPS_PROGRAM_HASH])
        ts_buf_text(out, "the CSV has no column PROGRAM HASH.");
    else if (whole->device_ops == 0)
        ts_buf_text(out, "the report has no device operations.");
    else
        ts_buf_text(out, "the column PROGRAM HASH is blank.");
}

static void add_caveat(struct ts_answer *answer, const struct ts_perf_report *whole, const struct ts_cache_reuse *reuse)
{
    const struct ts_cache_counts *totals = &reuse->totals;
    struct ts_buf caveat;
    ts_buf_init(&caveat, 0);
    if (totals->calls == 0)
        nothing_to_count(whole, &caveat);
    if (totals->repeat_unrecorded > 0)
        ts_buf_printf(&caveat, "%s%u of %u repeat calls recorded no result: they count as neither hit nor miss, %s.",
                      caveat.len ? " " : "", totals->repeat_unrecorded, totals->repeat_calls,
                      totals->repeat_hits + totals->repeat_misses
                          ? "and the percentage is out of the rest; the web view counts "
                            "them as misses"
                          : "so there is no percentage; the web view counts them as misses");
    if (ts_cache_reuse_all_missed(reuse))
        ts_buf_printf(&caveat, "%s%s", caveat.len ? " " : "", TS_PERF_CACHE_DISABLED);
    if (caveat.failed)
        answer->failed = true;
    if (caveat.len > 0)
        ts_answer_string(answer, answer->root, "caveat", ts_buf_view(&caveat));
    ts_buf_free(&caveat);
}

static enum ts_status answer_program_cache(struct ts_context *context, const struct ts_args *args,
                                           struct ts_capture *capture, struct ts_capture *second,
                                           struct ts_answer *answer, struct ts_error *error)
{
    (void)second;
    const struct ts_perf_report *whole = NULL;
    const struct ts_cache_reuse *reuse = NULL;
    enum ts_status status =
        ts_capture_report(context, capture, &(struct ts_signpost_range){.start = {"", 0}}, &whole, NULL, error);
    if (!status)
        status = ts_capture_cache_reuse(context, capture, &reuse, error);
    struct ts_perf_link_state link;
    if (!status)
        status = ts_perf_link_read(context, capture, &link, error);
    if (status)
        return status;
    int64_t limit = ts_args_get(args, "limit")->integer;
    uint32_t returned = reuse->count > limit ? (uint32_t)limit : reuse->count;
    add_counts(answer, answer->root, &reuse->totals);
    ts_answer_rounded(answer, answer->root, "repeat_hit_percent", hit_percent(&reuse->totals));
    ts_answer_integer(answer, answer->root, "op_code_count", reuse->count);
    ts_answer_integer(answer, answer->root, "returned", returned);
    ts_answer_name(answer, answer->root, "grouped_by", "raw_op_code");
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "op_codes");
    for (uint32_t i = 0; i < returned; i++)
        add_group(answer, list, &reuse->groups[i], &link);
    add_always_new(answer, reuse, limit);
    ts_perf_add_projection(answer, NULL, false);
    ts_answer_name(
        answer, answer->root, "note",
        "A program's first call in the report builds it and misses by design. A repeat miss built it again.");
    add_caveat(answer, whole, reuse);
    ts_perf_links_add_note(answer, ts_perf_links_add(answer, &link), capture, &link);
    return TS_OK;
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PERF_HANDLE_PARAM,
    {.name = "limit", .kind = TS_PARAM_LIMIT, .default_integer = 10, .maximum = 100},
    {.name = NULL},
};

#define COUNT_FIELDS(where)                                                                                            \
    {.key = "calls", .kind = TS_KIND_INTEGER, .show = where, .help = "rows with a program hash"},                      \
        {.key = "programs", .kind = TS_KIND_INTEGER, .show = where, .help = "distinct programs, by their first call"}, \
        {.key = "repeat_calls", .kind = TS_KIND_INTEGER, .show = where, .help = "calls of a program called before"},   \
        {.key = "repeat_hits",                                                                                         \
         .kind = TS_KIND_INTEGER,                                                                                      \
         .show = where,                                                                                                \
         .help = "repeat calls that found their program"},                                                             \
        {.key = "repeat_misses", .kind = TS_KIND_INTEGER, .show = where, .help = "repeat calls that built it again"},  \
    {                                                                                                                  \
        .key = "repeat_unrecorded", .kind = TS_KIND_INTEGER, .show = where,                                            \
        .help = "repeat calls that recorded neither"                                                                   \
    }

static const struct ts_field group_fields[] = {
    {.key = "op_code",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .heading = "operation",
     .help = "raw op code: all shapes of a matmul together"},
    COUNT_FIELDS(TS_SHOW_COLUMN),
    {.key = "first_repeat_miss_perf_id",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .heading = "first miss",
     .help = "row of the performance CSV; null: none missed"},
    {.key = "first_repeat_miss_operation_id",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .help = "of the profiler report; null: not linked"},
    {.key = NULL},
};

static const struct ts_field new_code_fields[] = {
    {.key = "op_code", .kind = TS_KIND_STRING, .show = TS_SHOW_COLUMN, .help = "raw op code"},
    {.key = "calls", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "calls, each of a program of its own"},
    {.key = NULL},
};

static const struct ts_field always_new_fields[] = {
    {.key = "op_code_count",
     .kind = TS_KIND_INTEGER,
     .help = "op codes of two calls or more whose every call was a new program"},
    {.key = "op_codes",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = new_code_fields,
     .help = "at most limit of them, most calls first"},
    {.key = "note", .kind = TS_KIND_STRING, .help = "why they are not among the misses"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    COUNT_FIELDS(TS_SHOW_ABOVE),
    {.key = "repeat_hit_percent",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "percent",
     .show = TS_SHOW_ABOVE,
     .help = "hits of hits and misses; null: no repeat call recorded either"},
    {.key = "op_code_count", .kind = TS_KIND_INTEGER, .help = "op codes there are"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "op codes listed"},
    {.key = "grouped_by", .kind = TS_KIND_STRING, .help = "raw_op_code"},
    {.key = "op_codes",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = group_fields,
     .show = TS_SHOW_ROWS,
     .help = "most repeat misses first, then most repeat calls, then by name"},
    {.key = "always_new",
     .kind = TS_KIND_OBJECT,
     .sometimes = true,
     .children = always_new_fields,
     .show = TS_SHOW_BELOW,
     .heading = "always new",
     .help = "when op codes never call a program twice"},
    TS_PERF_PROJECTION_FIELD,
    {.key = "note", .kind = TS_KIND_STRING, .help = "what first calls and repeat misses are"},
    {.key = "caveat",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_BELOW,
     .help = "when there is nothing to count, results are missing, or every repeat call missed"},
    TS_PERF_LINKS_FIELD(ts_perf_links_note_fields),
    {.key = NULL},
};

const struct ts_question ts_question_program_cache = {
    .name = "program_cache",
    .title = "Program cache reuse",
    .summary = "Whether programs were built again rather than reused",
    .description =
        "Whether programs were built again: per raw op code (a matmul's shapes together) its calls, distinct "
        "programs, and the hits and misses of repeat calls. Reads the whole report, because a program first called "
        "before a range would look new inside it. always_new names op codes that never repeat a program.",
    .params = params,
    .needs = TS_NEED_REPORT | TS_NEED_CACHE_COLUMNS,
    .fields = fields,
    .link = TS_LINK_LINKED_OPERATIONS,
    .too_large = "lower limit",
    .answer = answer_program_cache,
};
