#include "models/perf_figures.h"

/* Beyond this a gap beside a row without a usable duration is not believed, in ns. */
#define GAP_BELIEVED 1000000.0
#define BOUND_PERCENT 65.0

static enum ts_bound bound_of(const struct ts_op_facts *facts, const struct ts_perf_row *row)
{
    if (facts->analysis == TS_ANALYSIS_FULL && ts_present(row->dram_percent) && ts_present(row->flops_percent)) {
        bool dram = row->dram_percent >= BOUND_PERCENT, flops = row->flops_percent >= BOUND_PERCENT;
        if (dram && flops)
            return TS_BOUND_BOTH;
        return dram ? TS_BOUND_DRAM : flops ? TS_BOUND_FLOP : TS_BOUND_SLOW;
    }
    return facts->kind == TS_ROW_HOST ? TS_BOUND_HOST : TS_BOUND_NONE;
}

/* The order of operations decides the last digit of every figure. */
static void fill_roofline(const struct ts_op_facts *facts, const struct ts_arch *arch, double duration,
                          struct ts_perf_row *row)
{
    row->dram_gb_per_s = row->dram_percent = row->tflops = row->flops_percent = TS_ABSENT;
    if (facts->analysis == TS_ANALYSIS_NONE || row->invalid || !(duration > 0))
        return;
    double seconds = duration * 1e-9;
    if (ts_present(facts->flop)) {
        double flops = facts->flop / seconds;
        row->tflops = flops / 1e12;
        row->flops_percent = (flops / facts->peak_flops) * 100;
    }
    if (facts->dram_bytes > 0) {
        row->dram_gb_per_s = (facts->dram_bytes / seconds) / 1e9;
        row->dram_percent = (row->dram_gb_per_s / arch->dram_gb_per_s) * 100;
    }
}

/* latency in ns; previous: the row before that is no signpost, NULL for the first. */
static void fill_gap(double latency, const struct ts_perf_row *previous, struct ts_perf_row *row)
{
    row->op_to_op_gap = TS_ABSENT;
    row->gap_dropped = row->gap_negative = false;
    if (!previous || !ts_present(latency))
        return;
    row->gap_negative = latency < 0;
    row->gap_dropped = row->gap_negative || ((row->invalid || previous->invalid) && latency > GAP_BELIEVED);
    if (!row->gap_dropped)
        row->op_to_op_gap = latency / 1000;
}

void ts_perf_figures_fill(struct ts_perf_report *report)
{
    const struct ts_perf_source *source = report->source;
    const double *latencies = source->ops->numbers[TS_OPS_OP_TO_OP_LATENCY];
    const struct ts_perf_row *previous = NULL;

    for (uint32_t i = 0; i < report->count; i++) {
        struct ts_perf_row *row = &report->rows[i];
        const struct ts_op_facts *facts = &source->facts[row->source];
        double duration = row->device_time, latency = latencies ? latencies[row->source] : TS_ABSENT;
        bool timed = facts->kind == TS_ROW_DEVICE || facts->kind == TS_ROW_OTHER;

        row->invalid = ts_duration_invalid(duration, latency);
        row->device_time = timed && !row->invalid ? duration / 1000 : TS_ABSENT;
        fill_gap(latency, previous, row);
        fill_roofline(facts, source->arch, duration, row);
        row->bound = (uint8_t)bound_of(facts, row);
        if (facts->kind != TS_ROW_SIGNPOST)
            previous = row;
    }
}

static void count_row(struct ts_perf_report *report, const struct ts_perf_row *row, const struct ts_op_facts *facts)
{
    unsigned kind = facts->kind;
    report->most_cores = facts->cores > report->most_cores ? facts->cores : report->most_cores;
    if (kind != TS_ROW_SIGNPOST)
        report->invalid_durations += row->invalid;
    if (kind == TS_ROW_DEVICE) {
        report->device_ops++;
        report->timed_ops += ts_present(row->device_time);
    }
    report->gaps_dropped_negative += row->gap_dropped && row->gap_negative;
    report->gaps_dropped_invalid += row->gap_dropped && !row->gap_negative;
}

void ts_perf_figures_total(struct ts_perf_report *report)
{
    double device_time = 0, gaps = 0;

    for (uint32_t i = 0; i < report->count; i++) {
        const struct ts_perf_row *row = &report->rows[i];
        if (ts_present(row->device_time))
            device_time += row->device_time;
        if (ts_present(row->op_to_op_gap))
            gaps += row->op_to_op_gap;
        count_row(report, row, &report->source->facts[row->source]);
    }
    report->device_time_total = device_time;
    report->gap_total = gaps;

    double total = device_time + gaps;
    for (uint32_t i = 0; i < report->count; i++) {
        struct ts_perf_row *row = &report->rows[i];
        bool timed = ts_present(row->device_time), gap = ts_present(row->op_to_op_gap);
        double both = (timed ? row->device_time : 0) + (gap ? row->op_to_op_gap : 0);
        row->total_percent = (timed || gap) && total != 0 ? (both / total) * 100 : TS_ABSENT;
    }
}
