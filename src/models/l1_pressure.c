#include "models/l1_pressure.h"

#include <stdlib.h>

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? INT64_MAX : INT64_MIN) : sum;
}

struct ts_l1_window ts_l1_window_of(const struct ts_profiler_device *device)
{
    struct ts_l1_window window = {device->l1_start, add(device->l1_start, device->l1_bank_size)};
    if (device->worker_l1_size > 0 && device->worker_l1_size < window.end)
        window.end = device->worker_l1_size;
    /* An address below 0 is none; the difference of what is left cannot overflow. */
    if (device->l1_bank_size <= 0 || window.start < 0 || window.end <= window.start)
        window = (struct ts_l1_window){0, 0};
    return window;
}

static int by_address(const void *a, const void *b)
{
    const struct ts_l1_chunk *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

struct gaps {
    int64_t count, largest, total;
};

static void add_gap(struct gaps *gaps, int64_t size)
{
    if (size <= 0)
        return;
    gaps->count++;
    gaps->total += size;
    if (size > gaps->largest)
        gaps->largest = size;
}

void ts_l1_pressure_of(struct ts_l1_window window, struct ts_l1_chunk *chunks, size_t count, struct ts_l1_pressure *out)
{
    struct gaps gaps = {0, 0, 0};
    int64_t free_from = window.start;
    if (count > 0)
        qsort(chunks, count, sizeof *chunks, by_address);
    /* Chunks of one address lie in each other, so that the largest of them is what covers the rest. */
    for (size_t i = 0; i < count; i++) {
        int64_t start = chunks[i].address, end = add(start, chunks[i].size);
        start = start < window.start ? window.start : start;
        end = end > window.end ? window.end : end;
        if (end <= start)
            continue;
        add_gap(&gaps, start - free_from);
        if (end > free_from)
            free_from = end;
    }
    add_gap(&gaps, window.end - free_from);
    double size = (double)(window.end - window.start);
    out->free_segments = gaps.count;
    out->largest_free_block = gaps.largest;
    out->fullness_pct = size > 0 ? 100 * (size - (double)gaps.total) / size : 0;
    out->largest_free_pct = size > 0 ? 100 * (double)gaps.largest / size : 0;
}

bool ts_l1_pressure_tighter(const struct ts_l1_pressure *a, const struct ts_l1_pressure *b)
{
    if (a->largest_free_block != b->largest_free_block)
        return a->largest_free_block < b->largest_free_block;
    if (a->fullness_pct > b->fullness_pct || a->fullness_pct < b->fullness_pct)
        return a->fullness_pct > b->fullness_pct;
    return a->device_id < b->device_id;
}
