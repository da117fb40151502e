#include "models/core_ranges.h"

#include <stdlib.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits at *at; false and *at behind them when the number is past every chip. */
static bool read_number(struct ts_str text, size_t *at, uint32_t *out)
{
    size_t begin = *at;
    uint32_t number = 0;
    for (; *at < text.len && is_digit(text.ptr[*at]); (*at)++)
        if (number <= TS_CORE_COORDINATE_MAX)
            number = number * 10 + (uint32_t)(text.ptr[*at] - '0');
    *out = number;
    return *at > begin && number <= TS_CORE_COORDINATE_MAX;
}

static bool read_literal(struct ts_str text, size_t *at, const char *literal)
{
    size_t len = strlen(literal);
    if (text.len - *at < len || memcmp(text.ptr + *at, literal, len) != 0)
        return false;
    *at += len;
    return true;
}

/* "(x=1,y=2)" or "1-2" at *at. */
static bool read_point(struct ts_str text, size_t *at, uint32_t *x, uint32_t *y)
{
    size_t here = *at;
    bool old = read_literal(text, &here, "(x=");
    bool found = read_number(text, &here, x) && read_literal(text, &here, old ? ",y=" : "-") &&
                 read_number(text, &here, y) && (!old || read_literal(text, &here, ")"));
    if (found)
        *at = here;
    return found;
}

/* The next point in the group; what is none is passed over, a run of digits as a whole. */
static bool find_point(struct ts_str group, size_t *at, uint32_t *x, uint32_t *y)
{
    while (*at < group.len) {
        if (read_point(group, at, x, y))
            return true;
        bool digits = is_digit(group.ptr[*at]);
        do
            (*at)++;
        while (digits && *at < group.len && is_digit(group.ptr[*at]));
    }
    return false;
}

static void order(uint32_t *a, uint32_t *b)
{
    if (*a > *b) {
        uint32_t swapped = *a;
        *a = *b;
        *b = swapped;
    }
}

bool ts_core_ranges_next(struct ts_str set, size_t *at, struct ts_core_range *out)
{
    while (*at < set.len) {
        const char *open = memchr(set.ptr + *at, '[', set.len - *at);
        const char *close = open ? memchr(open, ']', set.len - (size_t)(open - set.ptr)) : NULL;
        if (!close)
            break;
        struct ts_str group = {open + 1, (size_t)(close - open) - 1};
        *at = (size_t)(close - set.ptr) + 1;
        size_t inside = 0;
        if (find_point(group, &inside, &out->left, &out->top) &&
            find_point(group, &inside, &out->right, &out->bottom)) {
            order(&out->left, &out->right);
            order(&out->top, &out->bottom);
            return true;
        }
    }
    *at = set.len;
    return false;
}

/* ---- masks ---- */

static enum ts_status clear(struct ts_core_mask *mask, struct ts_str set, struct ts_error *error)
{
    struct ts_core_range range;
    mask->width = mask->height = mask->count = 0;
    for (size_t at = 0; ts_core_ranges_next(set, &at, &range);) {
        mask->width = range.right >= mask->width ? range.right + 1 : mask->width;
        mask->height = range.bottom >= mask->height ? range.bottom + 1 : mask->height;
    }
    size_t cells = ((size_t)mask->width + 1) * (mask->height + 1);
    if (cells > mask->capacity) {
        int32_t *grown = realloc(mask->cells, cells * sizeof *grown);
        if (!grown)
            return ts_error_no_memory(error);
        mask->cells = grown;
        mask->capacity = cells;
    }
    memset(mask->cells, 0, cells * sizeof *mask->cells);
    return TS_OK;
}

/* Rectangles leave their corners; summing up once along both axes then covers all of them, however many there are. */
static void add_corners(struct ts_core_mask *mask, struct ts_core_range range)
{
    size_t pitch = (size_t)mask->width + 1;
    mask->cells[range.top * pitch + range.left]++;
    mask->cells[range.top * pitch + range.right + 1]--;
    mask->cells[(range.bottom + 1) * pitch + range.left]--;
    mask->cells[(range.bottom + 1) * pitch + range.right + 1]++;
}

static void sum_up(struct ts_core_mask *mask)
{
    size_t pitch = (size_t)mask->width + 1;
    for (uint32_t y = 0; y < mask->height; y++) {
        int32_t along = 0;
        for (uint32_t x = 0; x < mask->width; x++) {
            int32_t *cell = &mask->cells[y * pitch + x];
            along += *cell;
            *cell = along + (y > 0 ? cell[-(ptrdiff_t)pitch] : 0);
            mask->count += *cell > 0;
        }
    }
}

enum ts_status ts_core_mask_read(struct ts_core_mask *mask, struct ts_str set, struct ts_error *error)
{
    enum ts_status status = clear(mask, set, error);
    if (status != TS_OK)
        return status;
    struct ts_core_range range;
    for (size_t at = 0; ts_core_ranges_next(set, &at, &range);)
        add_corners(mask, range);
    sum_up(mask);
    return TS_OK;
}

void ts_core_mask_free(struct ts_core_mask *mask)
{
    free(mask->cells);
    *mask = (struct ts_core_mask){NULL, 0, 0, 0, 0};
}
