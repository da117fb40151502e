#include "questions/ranking.h"

/* items is a heap with the last in order on top, the one that a better item replaces. */

void ts_ranking_init(struct ts_ranking *ranking, bool (*before)(const void *data, uint32_t a, uint32_t b),
                     const void *data, int64_t limit)
{
    ranking->before = before;
    ranking->data = data;
    ranking->limit = limit < 0 ? 0 : limit > TS_RANKING_MAX ? TS_RANKING_MAX : (uint32_t)limit;
    ranking->count = 0;
}

static bool is_before(const struct ts_ranking *ranking, uint32_t a, uint32_t b)
{
    return ranking->before(ranking->data, ranking->items[a], ranking->items[b]);
}

static void swap(struct ts_ranking *ranking, uint32_t a, uint32_t b)
{
    uint32_t item = ranking->items[a];
    ranking->items[a] = ranking->items[b];
    ranking->items[b] = item;
}

static void sift_down(struct ts_ranking *ranking, uint32_t count)
{
    for (uint32_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(ranking, child, child + 1))
            child++;
        if (!is_before(ranking, at, child))
            return;
        swap(ranking, at, child);
    }
}

void ts_ranking_add(struct ts_ranking *ranking, uint32_t item)
{
    if (ranking->count == ranking->limit) {
        if (ranking->limit == 0 || !ranking->before(ranking->data, item, ranking->items[0]))
            return;
        ranking->items[0] = item;
        sift_down(ranking, ranking->count);
        return;
    }
    uint32_t at = ranking->count++;
    ranking->items[at] = item;
    for (uint32_t parent; at > 0 && is_before(ranking, parent = (at - 1) / 2, at); at = parent)
        swap(ranking, parent, at);
}

void ts_ranking_finish(struct ts_ranking *ranking)
{
    for (uint32_t end = ranking->count; end > 1; end--) {
        swap(ranking, 0, end - 1);
        sift_down(ranking, end - 1);
    }
}
