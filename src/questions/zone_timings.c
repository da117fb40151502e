#include <inttypes.h>

#include "base/buf.h"
#include "base/number.h"
#include "models/capture_log.h"
#include "questions/log_notes.h"
#include "questions/perf_common.h"

static void add_cycles(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_device_zone *zone,
                       double clock)
{
    if (zone->whole_cycles == UINT64_MAX)
        ts_answer_null(answer, object, "total_cycles");
    else
        ts_answer_integer(answer, object, "total_cycles", (int64_t)zone->whole_cycles);
    double mean = zone->occurrences ? zone->cycles / (double)zone->occurrences : TS_ABSENT;
    ts_answer_number(answer, object, "mean_cycles", ts_round(mean, 1));
    ts_answer_rounded(answer, object, "total_us", clock > 0 ? zone->cycles / clock : TS_ABSENT);
}

static void add_zone(struct ts_answer *answer, yyjson_mut_val *list, const struct ts_device_zones *zones,
                     const struct ts_device_zone *zone)
{
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    ts_answer_text(answer, object, "zone", zone->zone);
    ts_answer_text(answer, object, "risc", zone->risc);
    ts_answer_integer(answer, object, "occurrences", (int64_t)zone->occurrences);
    ts_answer_integer(answer, object, "cores", zone->cores);
    if (zones->typed) {
        add_cycles(answer, object, zone, zones->head.clock_mhz);
        return;
    }
    ts_answer_null(answer, object, "total_cycles");
    ts_answer_null(answer, object, "mean_cycles");
    ts_answer_null(answer, object, "total_us");
}

static void add_head(struct ts_answer *answer, const struct ts_device_log_head *head)
{
    if (head->arch.ptr)
        ts_answer_text(answer, answer->root, "arch", head->arch);
    else
        ts_answer_null(answer, answer->root, "arch");
    ts_answer_number(answer, answer->root, "clock_mhz", head->clock_mhz);
}

static bool has_unpaired(const struct ts_device_zones *zones)
{
    return zones->unpaired_starts || zones->unpaired_ends || zones->dropped_starts;
}

static void add_lacks(struct ts_answer *answer, const struct ts_device_zones *zones)
{
    if (has_unpaired(zones)) {
        yyjson_mut_val *object = ts_answer_object(answer, answer->root, "unpaired");
        ts_answer_integer(answer, object, "starts", (int64_t)zones->unpaired_starts);
        ts_answer_integer(answer, object, "ends", (int64_t)zones->unpaired_ends);
        ts_answer_integer(answer, object, "dropped_starts", (int64_t)zones->dropped_starts);
    }
    if (zones->unreadable_rows)
        ts_answer_integer(answer, answer->root, "unreadable_rows", (int64_t)zones->unreadable_rows);
    if (zones->runs > 1)
        ts_answer_integer(answer, answer->root, "runs", zones->runs);
}

static void say_unpaired(struct ts_buf *out, const struct ts_device_zones *zones)
{
    if (zones->unpaired_starts || zones->unpaired_ends) {
        ts_buf_char(out, ' ');
        ts_log_notes_count(out, zones->unpaired_starts, "zone start", "zone starts");
        ts_buf_text(out, " and ");
        ts_log_notes_count(out, zones->unpaired_ends, "zone end", "zone ends");
        ts_buf_text(out, " did not pair, and totals cover what paired: usually the capture stopped mid-run or the "
                         "profiler's buffer was full.");
    }
    if (zones->dropped_starts) {
        ts_buf_char(out, ' ');
        ts_log_notes_count(out, zones->dropped_starts, "start was", "starts were");
        ts_buf_text(out, " dropped because 200,000 zones were open: the log is malformed.");
    }
}

static void add_caveat(struct ts_answer *answer, const struct ts_capture *capture, const struct ts_device_zones *zones)
{
    struct ts_buf caveat;
    ts_buf_init(&caveat, 0);
    ts_log_notes_newer(&caveat, capture);
    if (zones->typed)
        ts_log_notes_clock(&caveat, zones->head.clock_mhz);
    say_unpaired(&caveat, zones);
    if (zones->unreadable_rows) {
        ts_buf_char(&caveat, ' ');
        ts_log_notes_count(&caveat, zones->unreadable_rows, "row", "rows");
        ts_buf_text(&caveat, " could not be read: left out.");
    }
    if (zones->runs > 1)
        ts_buf_printf(&caveat,
                      " The log holds about %" PRIu32
                      " runs one after the other (the clock jumps back): totals cover all "
                      "of them.",
                      zones->runs);
    if (zones->bad_byte != UINT64_MAX)
        ts_buf_printf(&caveat, " The log is not UTF-8 from byte %" PRIu64 " on: it may be damaged.", zones->bad_byte);
    if (caveat.failed)
        answer->failed = true;
    if (caveat.len > 0)
        ts_answer_string(answer, answer->root, "caveat", ts_str_sub(ts_buf_view(&caveat), 1, caveat.len));
    ts_buf_free(&caveat);
}

static enum ts_status answer_zone_timings(struct ts_context *context, const struct ts_args *args,
                                          struct ts_capture *capture, struct ts_capture *second,
                                          struct ts_answer *answer, struct ts_error *error)
{
    (void)second;
    const struct ts_device_zones *zones;
    enum ts_status status = ts_capture_zones(context, capture, &zones, error);
    if (status)
        return status;
    int64_t limit = ts_args_get(args, "limit")->integer;
    uint32_t returned = zones->count > limit ? (uint32_t)limit : zones->count;
    add_head(answer, &zones->head);
    ts_answer_integer(answer, answer->root, "zone_count", zones->count);
    ts_answer_integer(answer, answer->root, "returned", returned);
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "zones");
    for (uint32_t i = 0; i < returned; i++)
        add_zone(answer, list, zones, &zones->zones[i]);
    add_lacks(answer, zones);
    ts_answer_name(answer, answer->root, "note",
                   zones->typed ? "Cycles are summed over all cores that ran the zone: occupancy, not elapsed time."
                                : "This log does not tell starts from ends (no type column): occurrences only.");
    add_caveat(answer, capture, zones);
    return TS_OK;
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PERF_HANDLE_PARAM,
    {.name = "limit", .kind = TS_PARAM_LIMIT, .default_integer = 10, .maximum = 100},
    {.name = NULL},
};

static const struct ts_field zone_fields[] = {
    {.key = "zone", .kind = TS_KIND_STRING, .show = TS_SHOW_COLUMN, .help = "name; a number between colons shows as *"},
    {.key = "risc", .kind = TS_KIND_STRING, .show = TS_SHOW_COLUMN, .help = "processor it ran on"},
    {.key = "occurrences",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_COLUMN,
     .help = "starts with their end; in a log without types rows"},
    {.key = "cores",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_COLUMN,
     .help = "cores that have it, each device's apart"},
    {.key = "total_cycles",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .unit = "cycles",
     .show = TS_SHOW_COLUMN,
     .heading = "cycles",
     .help = "summed over cores; null: the log does not tell starts from ends, or past 63 bits"},
    {.key = "mean_cycles",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "cycles",
     .show = TS_SHOW_COLUMN,
     .heading = "mean",
     .help = "of an occurrence"},
    {.key = "total_us",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "us",
     .show = TS_SHOW_COLUMN,
     .heading = "total us",
     .help = "total_cycles at clock_mhz; null without a clock"},
    {.key = NULL},
};

static const struct ts_field unpaired_fields[] = {
    {.key = "starts", .kind = TS_KIND_INTEGER, .help = "starts without an end of their own"},
    {.key = "ends", .kind = TS_KIND_INTEGER, .help = "ends without a start"},
    {.key = "dropped_starts", .kind = TS_KIND_INTEGER, .help = "starts past 200,000 open ones"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "arch", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_ABOVE, .help = "ARCH of the log"},
    {.key = "clock_mhz",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "MHz",
     .show = TS_SHOW_ABOVE,
     .heading = "clock",
     .help = "CHIP_FREQ[MHz] of the log"},
    {.key = "zone_count",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_ABOVE,
     .heading = "zones",
     .help = "zones there are, by name and processor"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "zones listed"},
    {.key = "zones",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = zone_fields,
     .show = TS_SHOW_ROWS,
     .help = "most cycles first, then most occurrences, then in the order of the log"},
    {.key = "unpaired",
     .kind = TS_KIND_OBJECT,
     .sometimes = true,
     .children = unpaired_fields,
     .help = "when starts or ends did not pair"},
    {.key = "unreadable_rows", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "rows left out, when there are any"},
    {.key = "runs", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "when the log holds several runs: how many"},
    {.key = "note", .kind = TS_KIND_STRING, .show = TS_SHOW_BELOW, .help = "what the cycles are"},
    {.key = "caveat",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_BELOW,
     .help = "when totals lack something"},
    {.key = NULL},
};

const struct ts_question ts_question_zone_timings = {
    .name = "zone_timings",
    .title = "Device zone totals",
    .summary = "Cycles of each zone of the device log, by processor",
    .description =
        "Totals per zone and RISC of profile_log_device.csv: firmware and kernel phases, and zones that kernels name "
        "themselves. Sums over all cores and devices.",
    .params = params,
    .needs = TS_NEED_DEVICE_LOG,
    .fields = fields,
    .too_large = "lower limit",
    .answer = answer_zone_timings,
};
