/* The first few of many items in some order, without sorting them all. */
#ifndef TS_QUESTIONS_RANKING_H
#define TS_QUESTIONS_RANKING_H

#include <stdbool.h>
#include <stdint.h>

enum { TS_RANKING_MAX = 128 };

struct ts_ranking {
    bool (*before)(const void *data, uint32_t a, uint32_t b); /* a strict order: a stands before b */
    const void *data;
    uint32_t limit; /* at most TS_RANKING_MAX are kept */
    uint32_t count; /* kept so far */
    uint32_t items[TS_RANKING_MAX];
};

void ts_ranking_init(struct ts_ranking *ranking, bool (*before)(const void *data, uint32_t a, uint32_t b),
                     const void *data, int64_t limit);
void ts_ranking_add(struct ts_ranking *ranking, uint32_t item);
/* Put the kept items in order; nothing is added afterwards. */
void ts_ranking_finish(struct ts_ranking *ranking);

#endif
