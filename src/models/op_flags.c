#include "models/op_flags.h"

#include <math.h>

#include "base/number.h"

/* Shares of a report below this are not worth a flag, except that a program was built again. */
static const double GATE_PERCENT = 0.5;
static const double LOW_UTILISATION = 0.3;
static const double FEW_CORES = 0.25;
enum { FALLBACK_CORES = 64 };

const char *ts_op_flag_name(enum ts_op_flag flag)
{
    static const char *const names[TS_FLAG_COUNT] = {
        [TS_FLAG_DRAM_BOUND] = "dram_bound",
        [TS_FLAG_LOW_UTILISATION] = "low_utilisation",
        [TS_FLAG_UNDERUTILISED_CORES] = "underutilised_cores",
        [TS_FLAG_RECOMPUTE_CANDIDATE] = "recompute_candidate",
    };
    return (unsigned)flag < TS_FLAG_COUNT ? names[flag] : NULL;
}

/* ---- the device's cores ---- */

const char *ts_max_cores_source_name(enum ts_max_cores_source source)
{
    switch (source) {
    case TS_MAX_CORES_DEVICE_LOG:
        return "device_log";
    case TS_MAX_CORES_ARCHITECTURE:
        return "architecture_default";
    case TS_MAX_CORES_ROWS:
        return "report_rows";
    case TS_MAX_CORES_FALLBACK:
        return "fallback_default";
    }
    return NULL;
}

struct ts_max_cores ts_max_cores(const struct ts_device_log_head *head, const struct ts_perf_report *whole)
{
    if (head && head->max_cores > 0) {
        uint32_t cores = head->max_cores > UINT32_MAX ? UINT32_MAX : (uint32_t)head->max_cores;
        return (struct ts_max_cores){cores, TS_MAX_CORES_DEVICE_LOG};
    }
    /* Streaming writers put 0 because they do not know. */
    if (head && head->max_cores == 0)
        return (struct ts_max_cores){FALLBACK_CORES, TS_MAX_CORES_FALLBACK};
    uint32_t standard = ts_arch_default_cores(head ? head->arch : (struct ts_str){NULL, 0});
    uint32_t used = (uint32_t)whole->most_cores;
    if (used > standard)
        return (struct ts_max_cores){used, TS_MAX_CORES_ROWS};
    return (struct ts_max_cores){standard, TS_MAX_CORES_ARCHITECTURE};
}

/* ---- one row ---- */

/* Cut to three decimals, so that a figure below the threshold never reads as at it. */
static double cut_percent(double utilisation)
{
    double percent = trunc(utilisation * 100 * 1000) / 1000;
    double below = LOW_UTILISATION * 100 - 0.001;
    return percent >= LOW_UTILISATION * 100 ? ts_round(below, 3) : percent;
}

static bool is_dram_bound(const struct ts_perf_row *figures, struct ts_op_flags *flags)
{
    flags->dram_from_bound = figures->bound == TS_BOUND_DRAM;
    return flags->dram_from_bound ||
           (figures->bound == TS_BOUND_SLOW && ts_present(figures->dram_percent) &&
            ts_present(figures->flops_percent) && figures->dram_percent > figures->flops_percent);
}

/* How much of the cores it could have had an operation put to use, by the time the performance model gives it. */
static double utilisation(const struct ts_perf_report *report, uint32_t row, double capacity)
{
    const struct ts_perf_row *figures = &report->rows[row];
    double ideal = ts_ops_number(report->source->ops, TS_OPS_PM_IDEAL, figures->source);
    int32_t cores = ts_perf_row_facts(report, row)->cores;
    /* 1 ns stands where nothing was modelled. */
    if (!ts_present(ideal) || ts_round(ideal, 3) == 1 || !ts_present(figures->device_time) || cores < 0)
        return TS_ABSENT;
    return (ideal / (figures->device_time * 1000)) * (capacity / cores);
}

struct ts_op_flags ts_op_flags(const struct ts_perf_report *report, uint32_t row, struct ts_max_cores max_cores,
                               bool repeat_miss)
{
    struct ts_op_flags flags = {.core_utilisation_percent = TS_ABSENT};
    const struct ts_perf_row *figures = &report->rows[row];
    const struct ts_op_facts *facts = ts_perf_row_facts(report, row);
    if (facts->kind == TS_ROW_SIGNPOST || facts->kind == TS_ROW_HOST || figures->bound == TS_BOUND_HOST)
        return flags;

    flags.capacity_from_available = facts->available_cores >= 0;
    flags.core_capacity = flags.capacity_from_available ? (uint32_t)facts->available_cores : max_cores.cores;
    double capacity = flags.core_capacity;
    if (ts_present(figures->total_percent) && figures->total_percent >= GATE_PERCENT) {
        if (is_dram_bound(figures, &flags))
            flags.set |= 1u << TS_FLAG_DRAM_BOUND;
        double used = utilisation(report, row, capacity);
        if (ts_present(used) && used > 0 && used < LOW_UTILISATION) {
            flags.set |= 1u << TS_FLAG_LOW_UTILISATION;
            flags.core_utilisation_percent = cut_percent(used);
        }
        if (facts->cores >= 0 && max_cores.cores > 0 && capacity > 0 && facts->cores / capacity < FEW_CORES)
            flags.set |= 1u << TS_FLAG_UNDERUTILISED_CORES;
    }
    if (repeat_miss)
        flags.set |= 1u << TS_FLAG_RECOMPUTE_CANDIDATE;
    return flags;
}
