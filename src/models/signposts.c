#include "models/signposts.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"

enum { NAMES_LISTED = 20, BYTES_LISTED = 3000 };

static int by_position(const void *a, const void *b)
{
    uint32_t left = ((const struct ts_signpost *)a)->first, right = ((const struct ts_signpost *)b)->first;
    return left < right ? -1 : left > right;
}

/* Whether row is a signpost that has a name. The last two distinct types are remembered: a file has few. */
struct type_memo {
    uint32_t signpost, other;
};
static bool named_signpost(const struct ts_ops_csv *ops, uint32_t row, struct type_memo *memo)
{
    uint32_t type = ops->texts[TS_OPS_OP_TYPE] ? ops->texts[TS_OPS_OP_TYPE][row] : 0;

    if (type == memo->other)
        return false;
    if (type != memo->signpost) {
        if (!ts_str_is(ts_intern_text(&ops->text, type), "signpost")) {
            memo->other = type;
            return false;
        }
        memo->signpost = type;
    }
    return !ts_ops_cell_empty(ts_ops_text(ops, TS_OPS_OP_CODE, row));
}

static enum ts_status add_row(struct ts_arena *arena, struct ts_signposts *out, size_t *capacity, struct ts_str name,
                              uint32_t row, struct ts_error *error)
{
    bool added;
    uint64_t *index = ts_map_at(&out->by_name, name, &added);

    if (!index)
        return ts_error_no_memory(error);
    if (!added) {
        struct ts_signpost *known = &out->items[*index];
        if (known->occurrences++ == 1)
            known->second = row;
        return TS_OK;
    }
    if (out->count == *capacity) {
        size_t larger = *capacity ? *capacity * 2 : 64;
        struct ts_signpost *items = TS_ARENA_ARRAY(arena, struct ts_signpost, larger);
        if (!items)
            return ts_arena_error(arena, error);
        if (out->count > 0)
            memcpy(items, out->items, out->count * sizeof *items);
        out->items = items;
        *capacity = larger;
    }
    *index = out->count;
    out->items[out->count++] = (struct ts_signpost){name, row, UINT32_MAX, 1};
    return TS_OK;
}

enum ts_status ts_signposts_find(const struct ts_ops_csv *ops, const uint32_t *order, struct ts_arena *arena,
                                 struct ts_signposts *out, struct ts_error *error)
{
    struct ts_signposts found = {0};
    struct type_memo memo = {UINT32_MAX, UINT32_MAX};
    size_t capacity = 0;

    ts_map_init(&found.by_name);
    for (uint32_t i = 0; i < ops->rows; i++) {
        uint32_t row = order ? order[i] : i;
        if (!named_signpost(ops, row, &memo))
            continue;
        enum ts_status status = add_row(arena, &found, &capacity, ts_ops_text(ops, TS_OPS_OP_CODE, row), row, error);
        if (status != TS_OK) {
            ts_map_free(&found.by_name);
            return status;
        }
    }
    if (found.count > 1)
        qsort(found.items, found.count, sizeof *found.items, by_position);
    for (uint32_t i = 0; i < found.count; i++)
        *ts_map_find(&found.by_name, found.items[i].name) = i;
    *out = found;
    return TS_OK;
}

void ts_signposts_free(struct ts_signposts *signposts)
{
    ts_map_free(&signposts->by_name);
}

/* The names a bound can take, at most NAMES_LISTED of them and what fits into a message, and how many more there are. */
static void list_names(const struct ts_signposts *signposts, struct ts_buf *out)
{
    uint32_t listed = 0;

    for (uint32_t i = 0; i < signposts->count && listed < NAMES_LISTED; i++) {
        struct ts_str name = signposts->items[i].name;
        struct ts_quote quote;
        if (ts_utf8_count(name) > TS_LIMIT_SIGNPOST)
            continue;
        const char *text = ts_error_quote(&quote, name, TS_QUOTE_FILE);
        if (out->len + strlen(text) > BYTES_LISTED)
            break;
        ts_buf_printf(out, "%s\"%s\"", listed > 0 ? ", " : "", text);
        listed++;
    }
    if (listed < signposts->count)
        ts_buf_printf(out, "%s%u more", listed > 0 ? " and " : "", signposts->count - listed);
}

static enum ts_status resolve(const struct ts_signposts *signposts, struct ts_str name, const char *bound,
                              const char *label, const struct ts_signpost **out, struct ts_error *error)
{
    const uint64_t *index = ts_map_find(&signposts->by_name, name);
    struct ts_quote quote;

    if (index) {
        *out = &signposts->items[*index];
        return TS_OK;
    }
    struct ts_buf names;
    ts_buf_init(&names, TS_ERROR_MESSAGE_MAX);
    list_names(signposts, &names);
    enum ts_status status =
        ts_error_set(error, TS_REFUSED, "%s: no signpost is called \"%s\" (%s); the report's signposts are %s", label,
                     ts_error_quote(&quote, name, TS_QUOTE_ARGUMENT), bound, ts_buf_view(&names).ptr);
    ts_buf_free(&names);
    return status;
}

static enum ts_status refuse_backwards(const struct ts_signpost_range *range, uint32_t start, uint32_t end,
                                       const char *label, struct ts_error *error)
{
    struct ts_quote first, second;

    return ts_error_set(
        error, TS_REFUSED,
        "%s: the end signpost \"%s\" (row id %llu) lies before the start signpost \"%s\" (row id %llu); a "
        "name means its first occurrence by HOST START TS, an end of the same name its second; swap the "
        "two or choose other names",
        label, ts_error_quote(&first, range->end, TS_QUOTE_ARGUMENT), (unsigned long long)end + 2,
        ts_error_quote(&second, range->start, TS_QUOTE_ARGUMENT), (unsigned long long)start + 2);
}

enum ts_status ts_signposts_window(const struct ts_signposts *signposts, const struct ts_signpost_range *range,
                                   uint32_t rows, const char *label, struct ts_row_window *out, struct ts_error *error)
{
    struct ts_row_window window = {0, rows, false};
    const struct ts_signpost *start = NULL, *end = NULL;
    enum ts_status status = TS_OK;

    if (!ts_signpost_range_given(range) || signposts->count == 0) {
        window.ignored = ts_signpost_range_given(range);
        *out = window;
        return TS_OK;
    }
    if (range->start.len > 0)
        status = resolve(signposts, range->start, "start_signpost", label, &start, error);
    if (status == TS_OK && range->end.len > 0)
        status = resolve(signposts, range->end, "end_signpost", label, &end, error);
    if (status != TS_OK)
        return status;

    if (start)
        window.first = start->first + 1;
    if (end)
        window.end = end == start ? end->second : end->first;
    if (end && end == start && end->occurrences == 1) {
        struct ts_quote quote;
        return ts_error_set(
            error, TS_REFUSED,
            "%s: signpost \"%s\" occurs once, so it cannot be both start and end; give another name for "
            "one of them, or leave one out",
            label, ts_error_quote(&quote, range->start, TS_QUOTE_ARGUMENT));
    }
    if (start && end && window.end < start->first)
        return refuse_backwards(range, start->first, window.end, label, error);
    if (window.end == 0)
        window.first = window.end = 1; /* nothing lies before the first row; an end of 0 would mean the whole file */
    *out = window;
    return TS_OK;
}
