#include "questions/perf_flags.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "questions/perf_common.h"

const struct ts_field ts_perf_flag_fields[] = {
    {.key = "flag",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .help = "dram_bound, low_utilisation, underutilised_cores or recompute_candidate"},
    {.key = "reason",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "of dram_bound: bound_dram, or slow_dram_above_flops when bound is SLOW"},
    {.key = "dram_percent",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .sometimes = true,
     .unit = "percent",
     .help = "of dram_bound, unless the row has it"},
    {.key = "flops_percent",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .sometimes = true,
     .unit = "percent",
     .help = "of dram_bound, unless the row has it"},
    {.key = "core_utilisation_percent",
     .kind = TS_KIND_NUMBER,
     .sometimes = true,
     .unit = "percent",
     .help = "of low_utilisation, below 30: ideal time of the device time, scaled by the cores left unused; cut, not "
             "rounded"},
    {.key = "roofline_modelled",
     .kind = TS_KIND_BOOLEAN,
     .nullable = true,
     .sometimes = true,
     .help = "of low_utilisation; false: the ideal time is less reliable"},
    {.key = "core_capacity",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "of underutilised_cores: cores there are, of which it used less than a quarter"},
    {.key = "core_capacity_from",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "available_cores (the row's own) or max_cores (the device's)"},
    {.key = NULL},
};

static const struct ts_field flagged_fields[] = {
    {.key = "dram_bound", .kind = TS_KIND_INTEGER, .help = "rows with this flag"},
    {.key = "low_utilisation", .kind = TS_KIND_INTEGER, .help = "rows with this flag"},
    {.key = "underutilised_cores", .kind = TS_KIND_INTEGER, .help = "rows with this flag"},
    {.key = "recompute_candidate", .kind = TS_KIND_INTEGER, .help = "rows with this flag"},
    {.key = NULL},
};

const struct ts_field ts_perf_flag_basis_fields[] = {
    {.key = "flagged_rows", .kind = TS_KIND_OBJECT, .children = flagged_fields, .help = "over every row read"},
    {.key = "max_cores", .kind = TS_KIND_INTEGER, .help = "cores of the device"},
    {.key = "max_cores_source",
     .kind = TS_KIND_STRING,
     .help = "device_log, architecture_default, report_rows or fallback_default"},
    {.key = "note", .kind = TS_KIND_STRING, .help = "what is read of the whole report whatever the range"},
    {.key = "caveat",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "when no repeat call ever hit the program cache"},
    {.key = NULL},
};

/* The device log's first line; *found false when there is none, or none that can be read: a log that is damaged costs what
 * it would tell, not the answer. */
static enum ts_status read_device_log(struct ts_context *context, struct ts_capture *capture, struct ts_arena *arena,
                                      struct ts_device_log_head *out, bool *found, struct ts_error *error)
{
    enum ts_status status = ts_capture_device_log(context, capture, arena, out, found, error);
    if (status == TS_OK || status == TS_NO_MEMORY || status == TS_CANCELLED)
        return status;
    *found = false;
    return ts_context_check(context, error);
}

static enum ts_status read_max_cores(struct ts_context *context, struct ts_capture *capture,
                                     const struct ts_perf_report *whole, struct ts_max_cores *out,
                                     struct ts_error *error)
{
    struct ts_arena arena;
    struct ts_device_log_head head;
    bool found = false;
    ts_arena_init(&arena, 0);
    enum ts_status status = read_device_log(context, capture, &arena, &head, &found, error);
    if (!status)
        *out = ts_max_cores(found ? &head : NULL, whole);
    ts_arena_free(&arena);
    return status;
}

/* Which rows of the table are repeat misses: first calls are those of the whole report, whatever rows are read. */
static enum ts_status read_repeat_misses(const struct ts_perf_report *whole, const struct ts_cache_reuse *reuse,
                                         struct ts_perf_flags *flags, struct ts_error *error)
{
    flags->repeat_miss = calloc(whole->source->ops->rows, 1);
    if (!flags->repeat_miss && whole->source->ops->rows > 0)
        return ts_error_no_memory(error);
    for (uint32_t row = 0; row < whole->count; row++)
        flags->repeat_miss[whole->rows[row].source] = reuse->repeat_miss[row];
    flags->all_missed = ts_cache_reuse_all_missed(reuse);
    return TS_OK;
}

static struct ts_op_flags flags_of(const struct ts_perf_flags *flags, const struct ts_perf_report *report, uint32_t row)
{
    return ts_op_flags(report, row, flags->max_cores, flags->repeat_miss[report->rows[row].source]);
}

static void count_flags(struct ts_perf_flags *flags, const struct ts_perf_report *report, uint32_t row)
{
    unsigned set = flags_of(flags, report, row).set;
    for (unsigned flag = 0; flag < TS_FLAG_COUNT; flag++)
        flags->flagged[flag] += set >> flag & 1;
}

enum ts_status ts_perf_flags_read(struct ts_context *context, struct ts_capture *capture,
                                  const struct ts_perf_report *report, struct ts_perf_flags *out,
                                  struct ts_error *error)
{
    const struct ts_perf_report *whole = NULL;
    const struct ts_cache_reuse *reuse = NULL;
    *out = (struct ts_perf_flags){.repeat_miss = NULL};
    enum ts_status status =
        ts_capture_report(context, capture, &(struct ts_signpost_range){.start = {"", 0}}, &whole, NULL, error);
    if (!status)
        status = read_max_cores(context, capture, whole, &out->max_cores, error);
    if (!status)
        status = ts_capture_cache_reuse(context, capture, &reuse, error);
    if (!status)
        status = read_repeat_misses(whole, reuse, out, error);
    for (uint32_t row = 0; !status && row < report->count; row++) {
        count_flags(out, report, row);
        status = ts_perf_check_row(context, row, error);
    }
    return status;
}

void ts_perf_flags_count(struct ts_perf_flags *flags, const struct ts_perf_report *report, const uint32_t *rows,
                         uint32_t count)
{
    memset(flags->flagged, 0, sizeof flags->flagged);
    for (uint32_t i = 0; i < count; i++)
        count_flags(flags, report, rows[i]);
}

void ts_perf_flags_free(struct ts_perf_flags *flags)
{
    free(flags->repeat_miss);
    flags->repeat_miss = NULL;
}

static void add_modelled(struct ts_answer *answer, yyjson_mut_val *entry, const struct ts_perf_report *report,
                         uint32_t row)
{
    bool modelled = ts_perf_row_facts(report, row)->analysis != TS_ANALYSIS_NONE;
    ts_answer_boolean(answer, entry, "roofline_modelled", modelled);
}

void ts_perf_flags_add_row(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_flags *flags,
                           const struct ts_perf_report *report, uint32_t row, bool percentages_given)
{
    const struct ts_perf_row *figures = &report->rows[row];
    struct ts_op_flags found = flags_of(flags, report, row);
    yyjson_mut_val *list = ts_answer_list(answer, object, "flags");
    for (unsigned flag = 0; flag < TS_FLAG_COUNT; flag++) {
        if (!(found.set >> flag & 1))
            continue;
        yyjson_mut_val *entry = ts_answer_push_object(answer, list);
        ts_answer_name(answer, entry, "flag", ts_op_flag_name((enum ts_op_flag)flag));
        switch ((enum ts_op_flag)flag) {
        case TS_FLAG_DRAM_BOUND:
            ts_answer_name(answer, entry, "reason", found.dram_from_bound ? "bound_dram" : "slow_dram_above_flops");
            if (percentages_given)
                break;
            ts_answer_rounded(answer, entry, "dram_percent", figures->dram_percent);
            ts_answer_rounded(answer, entry, "flops_percent", figures->flops_percent);
            break;
        case TS_FLAG_LOW_UTILISATION:
            ts_answer_number(answer, entry, "core_utilisation_percent", found.core_utilisation_percent);
            add_modelled(answer, entry, report, row);
            break;
        case TS_FLAG_UNDERUTILISED_CORES:
            ts_answer_integer(answer, entry, "core_capacity", found.core_capacity);
            ts_answer_name(answer, entry, "core_capacity_from",
                           found.capacity_from_available ? "available_cores" : "max_cores");
            break;
        case TS_FLAG_RECOMPUTE_CANDIDATE:
        case TS_FLAG_COUNT:
            break;
        }
    }
}

void ts_perf_flags_add_basis(struct ts_answer *answer, const struct ts_perf_flags *flags)
{
    yyjson_mut_val *basis = ts_answer_object(answer, answer->root, "flag_basis");
    yyjson_mut_val *flagged = ts_answer_object(answer, basis, "flagged_rows");
    for (unsigned flag = 0; flag < TS_FLAG_COUNT; flag++)
        ts_answer_integer(answer, flagged, ts_op_flag_name((enum ts_op_flag)flag), flags->flagged[flag]);
    ts_answer_integer(answer, basis, "max_cores", flags->max_cores.cores);
    ts_answer_name(answer, basis, "max_cores_source", ts_max_cores_source_name(flags->max_cores.source));
    ts_answer_name(
        answer, basis, "note",
        "Over a range too, first calls and a max_cores of report_rows are the whole report's. A 1 ns ideal time is no "
        "model and never flags low_utilisation.");
    if (flags->all_missed)
        ts_answer_name(answer, basis, "caveat", TS_PERF_CACHE_DISABLED);
}
