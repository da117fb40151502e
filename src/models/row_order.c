#include "models/row_order.h"

#include <stdlib.h>

enum { DIGIT_BITS = 8, DIGITS = 64 / DIGIT_BITS, DIGIT_VALUES = 1 << DIGIT_BITS };

struct keyed {
    uint64_t key;
    uint32_t row;
};

/* Unsigned integers in the order of the numbers they stand for, absent ones last. */
static uint64_t sort_key(double time)
{
    uint64_t bits;

    if (time != time)
        return UINT64_MAX;
    time += 0.0; /* -0 sorts as 0 */
    memcpy(&bits, &time, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static unsigned digit_of(uint64_t key, unsigned digit)
{
    return (unsigned)(key >> (digit * DIGIT_BITS)) & (DIGIT_VALUES - 1);
}

/* A stable sort from the lowest digit up; digits that all keys share are passed over. Returns the array that holds the
 * result, items or spare. */
static struct keyed *sort(struct keyed *items, struct keyed *spare, uint32_t count)
{
    uint32_t counts[DIGITS][DIGIT_VALUES] = {0};

    for (uint32_t i = 0; i < count; i++) {
        for (unsigned digit = 0; digit < DIGITS; digit++)
            counts[digit][digit_of(items[i].key, digit)]++;
    }
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        if (counts[digit][digit_of(items[0].key, digit)] == count)
            continue;
        uint32_t next = 0;
        for (unsigned value = 0; value < DIGIT_VALUES; value++) {
            uint32_t here = counts[digit][value];
            counts[digit][value] = next;
            next += here;
        }
        for (uint32_t i = 0; i < count; i++)
            spare[counts[digit][digit_of(items[i].key, digit)]++] = items[i];
        struct keyed *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

enum ts_status ts_row_order_create(const double *times, uint32_t count, struct ts_arena *arena, uint32_t **out,
                                   struct ts_error *error)
{
    uint32_t ordered = 1;

    while (ordered < count && sort_key(times[ordered - 1]) <= sort_key(times[ordered]))
        ordered++;
    if (ordered >= count)
        return TS_OK;

    uint32_t *rows = ts_arena_alloc(arena, count * sizeof *rows);
    if (!rows)
        return ts_arena_error(arena, error);
    struct keyed *items = reallocarray(NULL, count, 2 * sizeof *items);
    if (!items)
        return ts_error_no_memory(error);
    for (uint32_t i = 0; i < count; i++)
        items[i] = (struct keyed){sort_key(times[i]), i};
    const struct keyed *sorted = sort(items, items + count, count);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = sorted[i].row;
    free(items);
    *out = rows;
    return TS_OK;
}
