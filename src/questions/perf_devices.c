/* The group "devices": the times behind a row that stands for several devices. */
#include <stdlib.h>

#include "models/perf_figures.h"
#include "questions/perf_common.h"
#include "questions/perf_fields.h"

enum { DEVICES_LISTED = 32 };

const struct ts_field ts_perf_device_fields[] = {
    {.key = "device", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_COLUMN, .help = "its id"},
    {.key = "device_time",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "us",
     .show = TS_SHOW_COLUMN,
     .help = "the device's own; null when its duration is not usable"},
    {.key = NULL},
};

struct device_time {
    int32_t device; /* -1: not usable */
    double ns;      /* negative: not usable */
};

static struct device_time device_time_of(const struct ts_perf_report *report, uint32_t source)
{
    const struct ts_ops_csv *ops = report->source->ops;
    double duration = ts_ops_number(ops, TS_OPS_KERNEL_DURATION, source);
    bool invalid = ts_duration_invalid(duration, ts_ops_number(ops, TS_OPS_OP_TO_OP_LATENCY, source));
    return (struct device_time){report->source->facts[source].device, invalid ? -1 : duration};
}

/* Keep the slowest devices, the slowest first, and of equal ones those met first. */
static uint32_t keep(struct device_time kept[DEVICES_LISTED], uint32_t count, struct device_time one)
{
    if (count == DEVICES_LISTED && !(one.ns > kept[count - 1].ns))
        return count;
    uint32_t at = count < DEVICES_LISTED ? count : DEVICES_LISTED - 1;
    for (; at > 0 && one.ns > kept[at - 1].ns; at--)
        kept[at] = kept[at - 1];
    kept[at] = one;
    return count < DEVICES_LISTED ? count + 1 : count;
}

static int by_device(const void *a, const void *b)
{
    const struct device_time *left = a, *right = b;
    return (left->device > right->device) - (left->device < right->device);
}

void ts_perf_devices_add(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_report *report,
                         uint32_t row)
{
    const struct ts_perf_row *figures = &report->rows[row];
    yyjson_mut_val *list = ts_answer_list(answer, object, "devices");
    if (ts_perf_row_facts(report, row)->kind != TS_ROW_DEVICE)
        return;
    struct device_time kept[DEVICES_LISTED];
    uint32_t count = 0, total = figures->member_count;
    for (uint32_t i = 0; i < total; i++)
        count = keep(kept, count, device_time_of(report, report->members[figures->members + i]));
    if (total == 0) /* set aside while devices were merged, for its device is not known */
        count = total = keep(kept, 0, device_time_of(report, figures->source));
    qsort(kept, count, sizeof *kept, by_device);
    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_val *entry = ts_answer_push_object(answer, list);
        ts_perf_add_device(answer, entry, "device", kept[i].device);
        if (kept[i].ns < 0)
            ts_answer_null(answer, entry, "device_time");
        else
            ts_answer_rounded(answer, entry, "device_time", kept[i].ns / 1000);
    }
    if (total > count)
        ts_answer_integer(answer, object, "device_count", total);
}
