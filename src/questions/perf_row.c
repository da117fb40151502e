#include "questions/perf_row.h"

#include "base/number.h"

void ts_perf_row_add_cores(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report,
                           uint32_t row)
{
    int32_t cores = ts_perf_row_facts(report, row)->cores;
    ts_answer_number(answer, object, "cores", cores < 0 ? TS_ABSENT : cores);
}

void ts_perf_row_add_bound(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report,
                           uint32_t row)
{
    const struct ts_op_facts *facts = ts_perf_row_facts(report, row);
    ts_answer_name(answer, object, "bound", ts_bound_name((enum ts_bound)report->rows[row].bound));
    ts_answer_name(answer, object, "bound_analysis", ts_bound_analysis_name((enum ts_bound_analysis)facts->analysis));
    ts_answer_name(answer, object, "op_category", ts_op_category_name((enum ts_op_category)facts->category));
}

enum ts_status ts_perf_extras_read(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                   const struct ts_perf_report *report, struct ts_perf_extras *out,
                                   struct ts_error *error)
{
    out->with_flags = ts_args_has_group(args, "include", "flags");
    out->with_devices = ts_args_has_group(args, "include", "devices");
    enum ts_status status = ts_perf_details_read(context, args, capture, &out->details, error);
    if (status == TS_OK && out->with_flags)
        status = ts_perf_flags_read(context, capture, report, &out->flags, error);
    return status;
}

void ts_perf_extras_free(struct ts_perf_extras *extras)
{
    ts_perf_flags_free(&extras->flags);
}

void ts_perf_extras_add_row(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_extras *extras,
                            const struct ts_perf_report *report, uint32_t row)
{
    ts_perf_details_add_row(answer, object, &extras->details, report, row);
    if (extras->with_devices)
        ts_perf_devices_add(answer, object, report, row);
    if (extras->with_flags)
        ts_perf_flags_add_row(answer, object, &extras->flags, report, row,
                              extras->details.included[TS_DETAIL_UTILISATION]);
}

void ts_perf_extras_add_notes(struct ts_answer *answer, const struct ts_perf_extras *extras)
{
    ts_perf_details_add_notes(answer, &extras->details);
    if (extras->with_flags)
        ts_perf_flags_add_basis(answer, &extras->flags);
}
