#include "questions/perf_fields.h"

#include "base/number.h"
#include "models/advice.h"

const char *const ts_perf_groups[] = {"config", "utilisation", "noc",    "riscs",   "cores", "dispatch",
                                      "cache",  "kernels",     "advice", "devices", "flags", NULL};

static const char *const keys[] = {
#define KEY_OF(name, type, include, measure, words) name,
    TS_PERF_DETAIL(KEY_OF)
#undef KEY_OF
};
_Static_assert(sizeof keys / sizeof *keys == TS_DETAIL_FIELD_COUNT, "a declaration for every field");

/* ---- which ---- */

enum ts_status ts_perf_details_read(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                    struct ts_perf_details *out, struct ts_error *error)
{
    *out = (struct ts_perf_details){.args = args, .any = ts_args_get(args, "include")->groups != 0};
    for (unsigned group = 0; group < TS_DETAIL_GROUP_COUNT; group++) {
        out->included[group] = ts_args_has_group(args, "include", ts_perf_groups[group]);
        out->any_csv |= out->included[group];
    }
    if (!out->any_csv)
        return TS_OK;
    enum ts_status status =
        ts_capture_report(context, capture, &(struct ts_signpost_range){.start = {"", 0}}, &out->whole, NULL, error);
    for (unsigned field = 0; !status && field < TS_DETAIL_FIELD_COUNT; field++)
        if (field != TS_FIELD_ADVICE && out->included[ts_detail_group_of((enum ts_detail_field)field)])
            out->absence[field] = ts_detail_absence(out->whole, (enum ts_detail_field)field);
    return status;
}

/* ---- values ---- */

static void add_list(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str rest)
{
    yyjson_mut_val *list = ts_answer_list(answer, object, key);
    struct ts_str item;
    while (!answer->failed && ts_detail_list_next(&rest, &item))
        ts_answer_push_text(answer, list, item);
}

static void add_advice(struct ts_answer *answer, yyjson_mut_val *object, const char *key,
                       const struct ts_perf_report *report, uint32_t row)
{
    yyjson_mut_val *list = ts_answer_list(answer, object, key);
    struct ts_advice advice[TS_ADVICE_MAX];
    unsigned count = ts_advice_for(report, row, advice);
    struct ts_buf sentence;
    ts_buf_init(&sentence, 0);
    for (unsigned i = 0; i < count; i++) {
        ts_buf_clear(&sentence);
        ts_advice_sentence(&advice[i], &sentence);
        if (sentence.failed)
            answer->failed = true;
        ts_answer_push_text(answer, list, ts_buf_view(&sentence));
    }
    ts_buf_free(&sentence);
}

static void add_value(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_detail_value value)
{
    switch (value.type) {
    case TS_DETAIL_NULL:
        ts_answer_null(answer, object, key);
        break;
    case TS_DETAIL_NUMBER:
        ts_answer_number(answer, object, key, value.number);
        break;
    case TS_DETAIL_INTEGER:
        ts_answer_integer(answer, object, key, value.integer);
        break;
    case TS_DETAIL_BOOLEAN:
        ts_answer_boolean(answer, object, key, value.boolean);
        break;
    case TS_DETAIL_TEXT:
        ts_answer_text(answer, object, key, value.text);
        break;
    case TS_DETAIL_LIST:
        add_list(answer, object, key, value.text);
        break;
    }
}

void ts_perf_details_add_row(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_details *details,
                             const struct ts_perf_report *report, uint32_t row)
{
    for (unsigned i = 0; details->any_csv && i < TS_DETAIL_FIELD_COUNT; i++) {
        enum ts_detail_field field = (enum ts_detail_field)i;
        if (!details->included[ts_detail_group_of(field)] || details->absence[field] != TS_PRESENT_SOMEWHERE)
            continue;
        if (field == TS_FIELD_ADVICE)
            add_advice(answer, object, keys[field], report, row);
        else
            add_value(answer, object, keys[field], ts_detail_value(report, row, field));
    }
}

/* ---- what is empty ---- */

static const char *capture_option(enum ts_detail_field field)
{
    switch (field) {
    case TS_FIELD_DISPATCH_CQ_CMD_OP_US:
    case TS_FIELD_DISPATCH_GO_SEND_WAIT_US:
        return "profile with --profile-dispatch-cores";
    case TS_FIELD_METAL_TRACE_ID:
    case TS_FIELD_METAL_TRACE_REPLAY_SESSION_ID:
        return "run from a captured metal trace";
    default:
        return "profile with --collect-noc-traces";
    }
}

static const char *absence_text(enum ts_detail_absence absence, enum ts_detail_field field)
{
    switch (absence) {
    case TS_ABSENT_NO_COLUMN:
        return "no column of this CSV; no capture option fills it on the tt-metal that wrote it";
    case TS_ABSENT_MODELLED:
        return "needs a tt-metal performance model of these operations";
    case TS_ABSENT_CAPTURE_OPTION:
        return capture_option(field);
    case TS_ABSENT_EMPTY:
    case TS_PRESENT_SOMEWHERE:
        break;
    }
    return "blank on every row";
}

void ts_perf_details_add_notes(struct ts_answer *answer, const struct ts_perf_details *details)
{
    if (!details->any_csv)
        return;
    yyjson_mut_val *included = ts_answer_list(answer, answer->root, "included");
    for (unsigned group = 0; group < TS_DETAIL_GROUP_COUNT; group++)
        if (details->included[group])
            ts_answer_push_string(answer, included, ts_str_from(ts_perf_groups[group]));
    yyjson_mut_val *empty = ts_answer_object(answer, answer->root, "empty_in_report");
    for (unsigned field = 0; field < TS_DETAIL_FIELD_COUNT; field++)
        if (details->absence[field] != TS_PRESENT_SOMEWHERE)
            ts_answer_name(answer, empty, keys[field],
                           absence_text(details->absence[field], (enum ts_detail_field)field));
    ts_answer_name(
        answer, answer->root, "detail_note",
        "Fields are those of the row that stands for all devices: the slowest's, of a collective the first's, so that "
        "kernel_us is one device's while device_time is the mean. Times are in us; tt-metal's 1 ns placeholder is "
        "null, as is math_fidelity where there is none. Fields in empty_in_report are on no row of the whole report.");
}
