#include "models/device_merge.h"

#include <stdlib.h>

#include "base/number.h"
#include "models/perf_figures.h"

enum { ROUNDS_PER_CHECK = 4096, INSERTION_MAX = 32 };
#define NONE UINT32_MAX

/* Devices whose next row has one op code, linked through merger.next. */
struct waiting {
    uint32_t first, last;
    bool unsorted;
};

struct merger {
    const struct ts_perf_source *source;
    const double *durations, *latencies; /* NULL: all absent */
    struct ts_perf_report *report;
    uint32_t *queue;         /* table rows of device 0, then of device 1, ... */
    uint32_t *head, *end;    /* by device: the rest of its rows in queue */
    uint32_t *next;          /* by device */
    struct waiting *waiting; /* by op code */
    uint32_t *taken;         /* devices of the round, ascending */
    uint32_t devices;        /* with rows in the window */
    uint64_t device_sum;     /* of their indices */
    struct ts_device_merge merge;
    uint32_t member_count;
};

/* Rows of each device by counting, in the order of the sequence; all others are set aside. */
static void make_queues(struct merger *merger, const struct ts_row_sequence *sequence)
{
    const struct ts_op_facts *facts = merger->source->facts;
    uint32_t count = sequence->end - sequence->first, at = 0;

    for (uint32_t row = sequence->first; row < sequence->end; row++) {
        bool queued = facts[row].lane != TS_NO_LANE;
        merger->merge.round_of[row - sequence->first] = queued ? TS_ROW_MERGED_AWAY : TS_ROW_SET_ASIDE;
        if (queued)
            merger->end[facts[row].lane]++;
    }
    for (uint32_t device = 0; device < merger->source->device_count; device++) {
        uint32_t rows = merger->end[device];
        merger->devices += rows > 0;
        merger->device_sum += rows > 0 ? device : 0;
        merger->head[device] = merger->end[device] = at;
        at += rows;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = ts_row_sequence_at(sequence, i), device = facts[row].lane;
        if (device != TS_NO_LANE)
            merger->queue[merger->end[device]++] = row;
    }
}

/* Let a device wait with the others whose next row has the same op code. */
static void wait(struct merger *merger, uint32_t device)
{
    if (merger->head[device] == merger->end[device])
        return;
    struct waiting *waiting = &merger->waiting[merger->source->facts[merger->queue[merger->head[device]]].code];
    merger->next[device] = NONE;
    if (waiting->first == NONE) {
        waiting->first = device;
    } else {
        merger->next[waiting->last] = device;
        waiting->unsorted = waiting->unsorted || device < waiting->last;
    }
    waiting->last = device;
}

static int ascending(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* Most reports have a handful of devices, too few for a call per comparison. */
static void sort_devices(uint32_t *devices, uint32_t count)
{
    if (count > INSERTION_MAX) {
        qsort(devices, count, sizeof *devices, ascending);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t device = devices[i], at = i;
        for (; at > 0 && devices[at - 1] > device; at--)
            devices[at] = devices[at - 1];
        devices[at] = device;
    }
}

/* All devices that wait with device, ascending, into merger->taken; they wait no more. */
static uint32_t take_all(struct merger *merger, uint32_t device)
{
    struct waiting *waiting = &merger->waiting[merger->source->facts[merger->queue[merger->head[device]]].code];
    uint32_t count = 0;

    for (uint32_t other = waiting->first; other != NONE; other = merger->next[other])
        merger->taken[count++] = other;
    if (waiting->unsorted)
        sort_devices(merger->taken, count);
    *waiting = (struct waiting){NONE, NONE, false};
    return count;
}

static double duration_of(const struct merger *merger, uint32_t row, bool *usable)
{
    double duration = merger->durations ? merger->durations[row] : TS_ABSENT;
    double latency = merger->latencies ? merger->latencies[row] : TS_ABSENT;

    *usable = !ts_duration_invalid(duration, latency);
    return duration;
}

/* One row of those taken: a collective's first with the mean duration, else the one that took longest. */
static struct ts_merge_round merge_rows(const struct merger *merger, const uint32_t *rows, uint32_t count)
{
    struct ts_merge_round round = {.row = rows[0], .member_count = count};
    double sum = 0, longest = -1;
    uint32_t usable_count = 0;

    for (uint32_t i = 0; i < count; i++) {
        bool usable;
        double duration = duration_of(merger, rows[i], &usable);
        if (i == 0)
            round.duration = duration;
        if (!usable)
            continue;
        sum += duration;
        usable_count++;
        if (duration > longest) {
            longest = duration;
            if (!merger->source->facts[rows[0]].collective) {
                round.row = rows[i];
                round.duration = duration;
            }
        }
    }
    if (merger->source->facts[rows[0]].collective)
        round.duration = usable_count > 0 ? sum / usable_count : TS_ABSENT;
    return round;
}

/* Some devices lack the operation of this round. */
static void note(struct merger *merger, uint32_t taken, uint64_t taken_sum, uint32_t first_row)
{
    struct ts_perf_report *report = merger->report;
    uint32_t lacking = merger->devices - taken;

    if (report->notice_count < TS_MERGE_NOTICES_MAX) {
        report->notices[report->notice_count] = (struct ts_merge_notice){
            .device = lacking == 1 ? merger->source->devices[merger->device_sum - taken_sum] : -1,
            .first_row = first_row,
            .index = merger->merge.round_count,
            .devices = lacking,
        };
    }
    report->notice_count++;
    report->unpaired_rows++;
}

static void merge_round(struct merger *merger, uint32_t lowest, uint32_t first)
{
    uint32_t taken = take_all(merger, lowest);
    uint32_t *rows = merger->merge.members + merger->member_count;
    uint64_t taken_sum = 0;

    for (uint32_t i = 0; i < taken; i++) {
        uint32_t device = merger->taken[i];
        rows[i] = merger->queue[merger->head[device]++];
        taken_sum += device;
        wait(merger, device);
    }
    if (taken < merger->devices)
        note(merger, taken, taken_sum, rows[0]);
    struct ts_merge_round round = merge_rows(merger, rows, taken);
    round.members = merger->member_count;
    merger->member_count += taken;
    merger->merge.round_of[round.row - first] = merger->merge.round_count;
    merger->merge.rounds[merger->merge.round_count++] = round;
}

static bool allocate(struct merger *merger, uint32_t rows, struct ts_arena *scratch)
{
    uint32_t devices = merger->source->device_count, codes = merger->source->code_count;

    merger->merge.round_of = ts_arena_alloc(scratch, rows * sizeof *merger->merge.round_of);
    merger->merge.rounds = ts_arena_alloc(scratch, rows * sizeof *merger->merge.rounds);
    merger->merge.members = ts_arena_alloc(&merger->report->arena, rows * sizeof *merger->merge.members);
    merger->report->notices = TS_ARENA_ARRAY(&merger->report->arena, struct ts_merge_notice, TS_MERGE_NOTICES_MAX);
    merger->queue = ts_arena_alloc(scratch, rows * sizeof *merger->queue);
    merger->head = TS_ARENA_ARRAY(scratch, uint32_t, devices);
    merger->end = TS_ARENA_ARRAY(scratch, uint32_t, devices);
    merger->next = TS_ARENA_ARRAY(scratch, uint32_t, devices);
    merger->taken = TS_ARENA_ARRAY(scratch, uint32_t, devices);
    merger->waiting = ts_arena_alloc(scratch, codes * sizeof *merger->waiting);
    if (!merger->merge.round_of || !merger->merge.rounds || !merger->merge.members || !merger->report->notices ||
        !merger->queue || !merger->head || !merger->end || !merger->next || !merger->taken || !merger->waiting)
        return false;
    for (uint32_t code = 0; code < codes; code++)
        merger->waiting[code] = (struct waiting){NONE, NONE, false};
    return true;
}

enum ts_status ts_device_merge(struct ts_context *context, const struct ts_perf_source *source,
                               const struct ts_row_sequence *sequence, struct ts_arena *scratch,
                               struct ts_perf_report *report, struct ts_device_merge *out, struct ts_error *error)
{
    struct merger merger = {
        .source = source,
        .durations = source->ops->numbers[TS_OPS_KERNEL_DURATION],
        .latencies = source->ops->numbers[TS_OPS_OP_TO_OP_LATENCY],
        .report = report,
    };

    if (!allocate(&merger, sequence->end - sequence->first, scratch))
        return ts_arena_error(scratch->over_limit ? scratch : &report->arena, error);
    make_queues(&merger, sequence);
    for (uint32_t device = 0; device < source->device_count; device++)
        wait(&merger, device);
    for (uint32_t lowest = 0; lowest < source->device_count;) {
        if (merger.head[lowest] == merger.end[lowest]) {
            lowest++;
            continue;
        }
        if (merger.merge.round_count % ROUNDS_PER_CHECK == 0) {
            enum ts_status status = ts_context_check(context, error);
            if (status != TS_OK)
                return status;
        }
        merge_round(&merger, lowest, sequence->first);
    }
    *out = merger.merge;
    return TS_OK;
}
