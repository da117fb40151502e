#include "models/noc_runs.h"

#include <string.h>

void ts_noc_markers_clear(struct ts_noc_markers *m)
{
    m->body.count = m->guards.count = m->wide.count = 0;
    m->unsorted = false;
    m->body_at = m->guards_at = 0;
    m->previous = (struct ts_noc_marker){UINT64_MAX, 0};
}

void ts_noc_markers_free(struct ts_noc_markers *m)
{
    ts_vec_free(&m->body);
    ts_vec_free(&m->guards);
    ts_vec_free(&m->wide);
}

/* The images of one launch repeat their guaranteed markers; keeping one of each keeps memory from growing with flushes. */
static bool guard_is_known(const struct ts_noc_markers *m, uint64_t key)
{
    enum { NEAR = 8 };
    size_t from = m->guards.count > NEAR ? m->guards.count - NEAR : 0;
    for (size_t i = m->guards.count; i-- > from;)
        if (m->guards.items[i].key == key)
            return true;
    return false;
}

enum ts_status ts_noc_markers_add(struct ts_noc_markers *m, uint64_t key, uint64_t data, bool guard,
                                  struct ts_error *error)
{
    struct ts_noc_marker marker = {key, data};
    bool added;
    if (guard) {
        if (guard_is_known(m, key)) {
            m->duplicates++;
            return TS_OK;
        }
        added = ts_vec_push(&m->guards, marker);
    } else {
        if (m->body.count && key >> 3 < m->body.items[m->body.count - 1].key >> 3)
            m->unsorted = true;
        added = ts_vec_push(&m->body, marker);
    }
    return added ? TS_OK : ts_error_no_memory(error);
}

/* ---- sorting: stable, since of two markers with one time and id the first on the wire has to stay the first ---- */

/* Markers beside those that are sorted: a lane may be most of what fits in memory. */
enum { SPARE = 32768 };

static uint64_t order_of(const struct ts_noc_marker *m)
{
    return m->key >> 3;
}

/* The first of count sorted items that is not less than order, or, with `behind`, that is more. */
static size_t bound(const struct ts_noc_marker *items, size_t count, uint64_t order, bool behind)
{
    size_t from = 0;
    while (count > 0) {
        size_t half = count / 2;
        uint64_t there = order_of(&items[from + half]);
        if (there < order || (behind && there == order)) {
            from += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return from;
}

static void reverse(struct ts_noc_marker *items, size_t count)
{
    for (size_t i = 0, j = count; i + 1 < j; i++, j--) {
        struct ts_noc_marker kept = items[i];
        items[i] = items[j - 1];
        items[j - 1] = kept;
    }
}

/* The shorter of two sorted neighbours fits into spare. */
static void merge_with_spare(struct ts_noc_marker *items, size_t middle, size_t count, struct ts_noc_marker *spare)
{
    size_t right = count - middle;
    if (middle <= right) {
        memcpy(spare, items, middle * sizeof *spare);
        for (size_t a = 0, b = middle, to = 0; a < middle;)
            items[to++] = b < count && order_of(&items[b]) < order_of(&spare[a]) ? items[b++] : spare[a++];
    } else {
        memcpy(spare, items + middle, right * sizeof *spare);
        for (size_t a = middle, b = right, to = count; b > 0;)
            items[--to] = a > 0 && order_of(&items[a - 1]) > order_of(&spare[b - 1]) ? items[--a] : spare[--b];
    }
}

/* Merge two sorted neighbours. Those that are too long are cut into two such pairs, one with at most three quarters of the items,
 * so that the depth of calls is a small multiple of the logarithm. */
static void merge(struct ts_noc_marker *items, size_t middle, size_t count, struct ts_noc_marker *spare)
{
    while (middle > 0 && middle < count && order_of(&items[middle - 1]) > order_of(&items[middle])) {
        /* What is in place already stays out of it. */
        size_t first = bound(items, middle, order_of(&items[middle]), true);
        items += first;
        middle -= first;
        count = middle + bound(items + middle, count - first - middle, order_of(&items[middle - 1]), false);
        size_t right = count - middle, a, b;
        if (middle <= SPARE || right <= SPARE) {
            merge_with_spare(items, middle, count, spare);
            return;
        }
        if (middle >= right) {
            a = middle / 2;
            b = middle + bound(items + middle, right, order_of(&items[a]), false);
        } else {
            b = middle + right / 2;
            a = bound(items, middle, order_of(&items[b]), true);
        }
        reverse(items + a, middle - a);
        reverse(items + middle, b - middle);
        reverse(items + a, b - a);
        size_t cut = a + (b - middle);
        merge(items, a, cut, spare);
        items += cut;
        middle = b - cut;
        count -= cut;
    }
}

static bool sort_stably(struct ts_noc_marker *items, size_t count)
{
    struct ts_noc_marker *spare = malloc((count < SPARE ? count : SPARE) * sizeof *spare);
    if (!spare)
        return false;
    for (size_t width = 1; width < count; width *= 2)
        for (size_t start = 0; start + width < count; start += 2 * width)
            merge(items + start, width, count - start < 2 * width ? count - start : 2 * width, spare);
    free(spare);
    return true;
}

enum ts_status ts_noc_markers_sort(struct ts_noc_markers *m, struct ts_error *error)
{
    if (m->guards.count > 1 && !sort_stably(m->guards.items, m->guards.count))
        return ts_error_no_memory(error);
    if (m->unsorted && !sort_stably(m->body.items, m->body.count))
        return ts_error_no_memory(error);
    return TS_OK;
}

static bool is_event(const struct ts_noc_marker *m)
{
    return TS_NOC_KEY_TYPE(m->key) == TS_NOC_DATA || TS_NOC_KEY_TYPE(m->key) == TS_NOC_DATA16;
}

static uint64_t payload_of(const struct ts_noc_markers *m, const struct ts_noc_marker *event)
{
    return TS_NOC_KEY_TYPE(event->key) == TS_NOC_DATA16 ? m->wide.items[event->data].data : event->data;
}

static void count_duplicate(struct ts_noc_markers *m, const struct ts_noc_marker *other)
{
    m->duplicates++;
    m->clashes += is_event(other) && is_event(&m->previous) && payload_of(m, other) != payload_of(m, &m->previous);
}

const struct ts_noc_marker *ts_noc_markers_next(struct ts_noc_markers *m)
{
    for (;;) {
        bool body = m->body_at < m->body.count, guard = m->guards_at < m->guards.count;
        const struct ts_noc_marker *next;
        if (guard && (!body || m->guards.items[m->guards_at].key >> 3 <= m->body.items[m->body_at].key >> 3))
            next = &m->guards.items[m->guards_at++];
        else if (body)
            next = &m->body.items[m->body_at++];
        else
            return NULL;
        if (next->key >> 3 != m->previous.key >> 3) {
            m->previous = *next;
            return next;
        }
        count_duplicate(m, next);
    }
}
