#include "models/noc_runs.h"

void ts_noc_markers_clear(struct ts_noc_markers *m)
{
    m->body.count = m->guards.count = m->wide.count = 0;
    m->unsorted = false;
    m->body_at = m->guards_at = 0;
    m->previous = UINT64_MAX;
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

/* Stable, bottom up: of two markers with one time and id the first on the wire has to stay the first. */
static bool sort_stably(struct ts_noc_marker *items, size_t count)
{
    struct ts_noc_marker *from = items, *to = malloc(count * sizeof *to), *spare = to;
    if (!to)
        return false;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = start + 2 * width < count ? start + 2 * width : count;
            size_t a = start, b = middle;
            for (size_t i = start; i < end; i++)
                to[i] = a < middle && (b >= end || from[a].key >> 3 <= from[b].key >> 3) ? from[a++] : from[b++];
        }
        struct ts_noc_marker *other = from;
        from = to;
        to = other;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
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
        if (next->key >> 3 != m->previous) {
            m->previous = next->key >> 3;
            return next;
        }
        m->duplicates++;
    }
}
