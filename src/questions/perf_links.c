#include "questions/perf_links.h"

#include "questions/perf_common.h"

void ts_perf_links_add_id(struct ts_answer *answer, yyjson_mut_val *object, const char *key,
                          const struct ts_perf_link_state *link, uint32_t row)
{
    int64_t operation;
    if (link->status == TS_PERF_LINKED && ts_perf_link_operation(link->link, row, &operation))
        ts_answer_integer(answer, object, key, operation);
    else
        ts_answer_null(answer, object, key);
}

yyjson_mut_val *ts_perf_links_add(struct ts_answer *answer, const struct ts_perf_link_state *link)
{
    static const char *const names[] = {"linked", "unlinked", "unavailable"};
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, "operation_link");
    ts_answer_name(answer, object, "status", names[link->status]);
    if (link->status != TS_PERF_LINKED) {
        ts_answer_string(answer, object, "reason", ts_str_from(link->reason));
        return object;
    }
    if (link->link->ranked)
        ts_answer_integer(answer, object, "rank", 0);
    else
        ts_answer_null(answer, object, "rank");
    ts_answer_name(answer, object, "matched_on", ts_perf_link_order_name(link->link->order));
    ts_answer_integer(answer, object, "matched_rows", link->link->matched);
    return object;
}

void ts_perf_links_add_note(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_capture *capture,
                            const struct ts_perf_link_state *link)
{
    if (!capture->profiler_path)
        return;
    ts_answer_name(answer, object, "note",
                   link->status == TS_PERF_LINKED
                       ? "Linked by order, not by a shared id. A row without an operation_id is a signpost, a host "
                         "operation, or past the end of the profiler capture."
                       : "operation_id is null on every row.");
}

void ts_perf_links_add_scope(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_capture *capture,
                             bool ranged)
{
    if (ranged && capture->profiler_path)
        ts_answer_name(answer, object, "scope", "whole_report");
}

void ts_perf_links_add_counts(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_link_state *link)
{
    static const char *const names[TS_UNLINKED_KINDS] = {"signpost", "host_op", "past_profiler_capture"};
    if (link->status != TS_PERF_LINKED)
        return;
    int64_t total = 0;
    for (size_t i = 0; i < TS_UNLINKED_KINDS; i++)
        total += link->link->unlinked[i];
    ts_answer_integer(answer, object, "unlinked_row_count", total);
    yyjson_mut_val *reasons = ts_answer_object(answer, object, "unlinked_by_reason");
    for (size_t i = 0; i < TS_UNLINKED_KINDS; i++)
        ts_answer_integer(answer, reasons, names[i], link->link->unlinked[i]);
    if (link->link->first_past == UINT32_MAX)
        ts_answer_null(answer, object, "first_past_profiler_capture_id");
    else
        ts_perf_add_id(answer, object, "first_past_profiler_capture_id", link->link->first_past);
}

/* ---- declarations ---- */

const struct ts_field ts_perf_links_plain_fields[] = {TS_PERF_LINKS_FIELDS, {.key = NULL}};
const struct ts_field ts_perf_links_note_fields[] = {TS_PERF_LINKS_FIELDS, TS_PERF_LINKS_NOTE_FIELD, {.key = NULL}};

static const struct ts_field unlinked_fields[] = {
    {.key = "signpost", .kind = TS_KIND_INTEGER, .help = "signposts"},
    {.key = "host_op", .kind = TS_KIND_INTEGER, .help = "host operations"},
    {.key = "past_profiler_capture",
     .kind = TS_KIND_INTEGER,
     .help = "rows behind the last device operation of the profiler capture, which stopped first"},
    {.key = NULL},
};

const struct ts_field ts_perf_links_count_fields[] = {
    TS_PERF_LINKS_FIELDS,
    TS_PERF_LINKS_NOTE_FIELD,
    {.key = "unlinked_row_count",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "when linked: rows of the whole report without an operation"},
    {.key = "unlinked_by_reason",
     .kind = TS_KIND_OBJECT,
     .sometimes = true,
     .children = unlinked_fields,
     .help = "when linked: why they have none"},
    {.key = "first_past_profiler_capture_id",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .sometimes = true,
     .help = "when linked: the first row past the profiler capture; null: none is"},
    {.key = "scope",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "over a range, when the capture has a profiler report: whole_report, which all here describes"},
    {.key = NULL},
};
