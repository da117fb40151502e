#include "models/core_figures.h"

#include <stdlib.h>

#include "base/number.h"

/* One core of a span, or one processor of a core. */
struct piece {
    struct ts_log_core core;
    uint32_t number; /* of the core, or of the processor */
    struct ts_span_time time;
};

static double length(const struct piece *piece)
{
    return (double)(piece->time.last - piece->time.first);
}

static int three_way(double a, double b)
{
    return (a > b) - (a < b);
}

static int slowest_first(const void *a, const void *b)
{
    const struct piece *left = a, *right = b;
    int order = three_way(length(right), length(left));
    if (!order)
        order = three_way(left->core.y, right->core.y);
    return order ? order : three_way(left->core.x, right->core.x);
}

static int by_processor_and_length(const void *a, const void *b)
{
    const struct piece *left = a, *right = b;
    int order = three_way(left->number, right->number);
    return order ? order : three_way(length(right), length(left));
}

/* Of pieces sorted by length. */
static struct ts_spread spread_of(const struct piece *pieces, uint32_t count)
{
    double middle = length(&pieces[count / 2]);
    return (struct ts_spread){
        .cores = count,
        .least = length(&pieces[count - 1]),
        .median = count % 2 ? middle : (length(&pieces[count / 2 - 1]) + middle) / 2,
        .most = length(&pieces[0]),
    };
}

/* ---- gathering ---- */

static uint32_t count_processors(const struct ts_span_entry *entries, uint32_t entry_count)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < entry_count; at++)
        for (unsigned i = 0; i < TS_SPAN_RISCS; i++)
            count += entries[at].times[i].first <= entries[at].times[i].last;
    return count;
}

/* A core has an entry for each few of its processors, one behind the other; they become one piece. How many cores there
 * are. */
static uint32_t gather(const struct ts_core_spans *spans, const struct ts_span_entry *entries, uint32_t entry_count,
                       struct piece *cores, struct piece *processors)
{
    uint32_t count = 0, processor_count = 0;
    for (uint32_t at = 0; at < entry_count; at++) {
        const struct ts_span_entry *entry = &entries[at];
        if (at == 0 || entry->core != entries[at - 1].core)
            cores[count++] = (struct piece){spans->cores[entry->core], entry->core, {UINT64_MAX, 0}};
        struct piece *core = &cores[count - 1];
        for (uint32_t i = 0; i < TS_SPAN_RISCS; i++) {
            struct ts_span_time time = entry->times[i];
            if (time.first > time.last)
                continue;
            processors[processor_count++] = (struct piece){core->core, entry->risc + i, time};
            core->time.first = time.first < core->time.first ? time.first : core->time.first;
            core->time.last = time.last > core->time.last ? time.last : core->time.last;
        }
    }
    return count;
}

/* ---- processors ---- */

static void set_slowest(struct ts_core_figures *out, const struct piece *cores, uint32_t count)
{
    out->slowest_count = count < TS_SLOW_CORES ? count : TS_SLOW_CORES;
    for (uint32_t i = 0; i < out->slowest_count; i++)
        out->slowest[i] = (struct ts_slow_core){cores[i].core, length(&cores[i])};
}

static bool stands_before(const struct ts_core_spans *spans, uint32_t a, uint32_t b)
{
    if (a < TS_RISC_KNOWN || b < TS_RISC_KNOWN)
        return a < b;
    return ts_str_compare(spans->riscs[a], spans->riscs[b]) < 0;
}

static bool set_riscs(const struct ts_core_spans *spans, struct ts_core_figures *out, struct ts_arena *arena,
                      struct piece *processors, uint32_t count)
{
    qsort(processors, count, sizeof *processors, by_processor_and_length);
    out->riscs = TS_ARENA_ARRAY(arena, struct ts_risc_spread, spans->risc_count);
    if (!out->riscs)
        return false;
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && processors[next].number == processors[i].number; next++)
            ;
        uint32_t place = out->risc_count++;
        for (; place > 0 && stands_before(spans, processors[i].number, out->riscs[place - 1].risc); place--)
            out->riscs[place] = out->riscs[place - 1];
        out->riscs[place] = (struct ts_risc_spread){processors[i].number, spread_of(&processors[i], next - i)};
    }
    return true;
}

enum ts_status ts_core_figures_of(struct ts_context *context, const struct ts_core_spans *spans, uint32_t number,
                                  struct ts_arena *arena, struct ts_core_figures *out, struct ts_error *error)
{
    struct ts_span_entry *entries;
    uint32_t entry_count;
    enum ts_status status = ts_core_spans_entries(context, spans, number, &entries, &entry_count, error);
    if (status != TS_OK)
        return status;
    uint32_t processor_count = count_processors(entries, entry_count);
    struct piece *cores = malloc((entry_count + 1) * sizeof *cores);
    struct piece *processors = malloc((processor_count + 1) * sizeof *processors);
    *out = (struct ts_core_figures){.risc_count = 0};
    if (!cores || !processors) {
        status = ts_error_no_memory(error);
    } else {
        uint32_t count = gather(spans, entries, entry_count, cores, processors);
        qsort(cores, count, sizeof *cores, slowest_first);
        out->all = spread_of(cores, count);
        out->imbalance = out->all.median > 0 ? out->all.most / out->all.median : TS_ABSENT;
        set_slowest(out, cores, count);
        if (!set_riscs(spans, out, arena, processors, processor_count))
            status = ts_arena_error(arena, error);
    }
    free(entries);
    free(cores);
    free(processors);
    return status;
}

bool ts_core_spans_in_log(const struct ts_core_spans *spans, uint32_t row)
{
    uint32_t number = spans->span_of_row[row];
    return number != TS_NO_SPAN && spans->spans[number].any;
}

enum ts_not_in_log ts_core_spans_find_row(const struct ts_core_spans *spans, uint32_t row)
{
    uint32_t number = spans->span_of_row[row];
    if (number == TS_NO_SPAN)
        return TS_NO_ZONES;
    if (spans->spans[number].any)
        return TS_IN_LOG;
    const struct ts_span_pair *pair = &spans->pairs[spans->spans[number].pair];
    if (!pair->any_zone)
        return TS_NO_ZONES;
    return pair->any_inside ? TS_DROPPED_REPLAY : TS_OTHER_EXECUTION;
}
