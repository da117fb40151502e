#include "questions/operation_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"

enum { ROWS_PLAIN = 100, ROWS_WITH_GROUPS = 25 };

static enum ts_status read_linked(struct ts_context *context, const struct ts_args *args,
                                  const struct ts_profiler *profiler, int64_t operation, struct ts_operation_rows *out,
                                  struct ts_error *error)
{
    uint32_t first;
    enum ts_status status = ts_capture_report(context, profiler->capture, &(struct ts_signpost_range){.start = {"", 0}},
                                              &out->report, NULL, error);
    if (status == TS_OK)
        status = ts_perf_extras_read(context, args, profiler->capture, out->report, &out->extras, error);
    if (status != TS_OK)
        return status;
    out->count = ts_perf_link_rows(out->link.link, operation, &first);
    out->rows = out->link.link->reported + first;
    if (out->extras.with_flags)
        ts_perf_flags_count(&out->extras.flags, out->report, out->rows, out->count);
    return TS_OK;
}

enum ts_status ts_operation_rows_read(struct ts_context *context, const struct ts_args *args,
                                      const struct ts_profiler *profiler, int64_t operation,
                                      struct ts_operation_rows *out, struct ts_error *error)
{
    *out = (struct ts_operation_rows){.link = {.status = TS_PERF_LINK_UNAVAILABLE}};
    if (profiler->rank != 0) {
        snprintf(out->link.reason, sizeof out->link.reason,
                 "performance rows link to operations of rank 0, and this answer is of rank %" PRId64, profiler->rank);
        return TS_OK;
    }
    enum ts_status status = ts_perf_link_read(context, profiler->capture, &out->link, error);
    return status == TS_OK && out->link.status == TS_PERF_LINKED
               ? read_linked(context, args, profiler, operation, out, error)
               : status;
}

void ts_operation_rows_free(struct ts_operation_rows *rows)
{
    ts_perf_extras_free(&rows->extras);
}

void ts_operation_rows_caveat(const struct ts_operation_rows *rows, struct ts_caveat *caveat)
{
    if (rows->link.status != TS_PERF_LINKED || rows->count == 0)
        return;
    struct ts_buf sentence;
    ts_buf_init(&sentence, 0);
    ts_perf_sub_device_caveat(&sentence, rows->report, NULL);
    if (sentence.failed)
        caveat->text.failed = true;
    else if (sentence.len > 0)
        ts_caveat_add(caveat, "%s", sentence.ptr);
    ts_buf_free(&sentence);
}

/* ---- rows ---- */

static double share_of(const struct ts_operation_rows *rows, double time)
{
    return ts_share(ts_perf_link_counts(time) ? time : TS_ABSENT, rows->link.link->device_time_total);
}

static void add_row(struct ts_answer *answer, yyjson_mut_val *list, const struct ts_operation_rows *rows, uint32_t row)
{
    const struct ts_perf_report *report = rows->report;
    double time = report->rows[row].device_time;
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    ts_perf_add_id(answer, object, "id", report->rows[row].source);
    ts_answer_text(answer, object, "op_code", ts_perf_op_code(report, row));
    ts_answer_rounded(answer, object, "device_time", time);
    ts_perf_row_add_cores(answer, object, report, row);
    ts_perf_row_add_bound(answer, object, report, row);
    ts_answer_number(answer, object, "device_time_share_percent", share_of(rows, time));
    if (rows->extras.with_flags)
        ts_answer_rounded(answer, object, "total_percent", report->rows[row].total_percent);
    ts_perf_extras_add_row(answer, object, &rows->extras, report, row);
}

/* Of all rows, those past the cap too. */
static void add_figures(struct ts_answer *answer, const struct ts_operation_rows *rows)
{
    double total = 0, longest = 0;
    uint32_t slowest = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        double time = rows->report->rows[rows->rows[i]].device_time;
        if (!ts_perf_link_counts(time))
            continue;
        total += time;
        if (time > longest) {
            longest = time;
            slowest = rows->rows[i];
        }
    }
    if (longest > 0) {
        ts_answer_rounded(answer, answer->root, "device_time", total);
        ts_answer_number(answer, answer->root, "device_time_share_percent", share_of(rows, total));
        ts_perf_add_id(answer, answer->root, "slowest_perf_id", rows->report->rows[slowest].source);
    }
    if (rows->count > 0)
        ts_answer_rounded(answer, answer->root, "report_device_time_total", rows->link.link->device_time_total);
}

static void add_linked(struct ts_answer *answer, const struct ts_operation_rows *rows)
{
    uint32_t cap = rows->extras.details.any ? ROWS_WITH_GROUPS : ROWS_PLAIN;
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "perf_rows");
    for (uint32_t i = 0; i < rows->count && i < cap; i++)
        add_row(answer, list, rows, rows->rows[i]);
    ts_answer_integer(answer, answer->root, "perf_row_count", rows->count);
    ts_answer_name(answer, answer->root, "device_time_unit", "us");
    ts_perf_add_projection(answer, NULL, false);
    ts_perf_extras_add_notes(answer, &rows->extras);
    add_figures(answer, rows);
}

void ts_operation_rows_add(struct ts_answer *answer, const struct ts_operation_rows *rows)
{
    if (rows->link.status == TS_PERF_LINKED)
        add_linked(answer, rows);
    ts_perf_links_add(answer, &rows->link);
}

/* ---- declaration ---- */

const struct ts_field ts_operation_row_fields[] = {
    {.key = "id",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .help = "row of the performance CSV; the first data row is 2"},
    {.key = "op_code",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .heading = "device operation",
     .help = "a matmul's with its shape"},
    {.key = "device_time",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "us",
     .show = TS_SHOW_COLUMN,
     .heading = "device time",
     .help = "of the device that stands for all; null: blank"},
    TS_PERF_ROW_FIELDS("Compute, CCL, DM, TM, Host, Other"),
    {.key = "device_time_share_percent",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "percent",
     .show = TS_SHOW_COLUMN,
     .heading = "share %",
     .help = "of report_device_time_total; null: no time that counts"},
    {.key = "total_percent",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .group = "flags",
     .unit = "percent",
     .help = "its share of all device time and gaps"},
    TS_PERF_EXTRA_FIELDS,
    {.key = NULL},
};
