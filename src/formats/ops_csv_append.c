/* Several operations CSVs as one report. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "formats/ops_csv_columns.h"
#include "formats/ops_csv_sets.h"

/* What the ids and sets of one table are in the other. */
struct translation {
    uint32_t *texts; /* by id; UINT32_MAX: not asked for yet */
    uint32_t *sets;  /* by number; the same */
};

static uint32_t translate_text(struct ts_ops_csv *to, const struct ts_ops_csv *from, struct translation *t, uint32_t id)
{
    if (t->texts[id] == UINT32_MAX)
        t->texts[id] = ts_intern_add(&to->text, ts_intern_text(&from->text, id));
    return t->texts[id];
}

static uint32_t translate_set(struct ts_ops_csv *to, const struct ts_ops_csv *from, struct ts_ops_sets *sets,
                              struct translation *t, uint32_t number)
{
    if (t->sets[number] != UINT32_MAX)
        return t->sets[number];
    struct ts_op_attributes set = from->attribute_sets[number];
    set.halo = translate_text(to, from, t, set.halo);
    if (set.halo == UINT32_MAX)
        return UINT32_MAX;
    return t->sets[number] = ts_ops_sets_add(sets, &set);
}

/* The id of a DEVICE ID cell raised by offset, if it is usable; UINT32_MAX when memory is out. */
static uint32_t raise_device(struct ts_ops_csv *to, const struct ts_ops_csv *from, uint32_t row, uint32_t offset)
{
    char text[32];
    int32_t device = ts_ops_device(from, row);
    if (device < 0 || offset == 0)
        return ts_intern_add(&to->text, ts_ops_text(from, TS_OPS_DEVICE_ID, row));
    int len = snprintf(text, sizeof text, "%llu", (unsigned long long)device + offset);
    return ts_intern_add(&to->text, (struct ts_str){text, (size_t)len});
}

/* ---- columns ---- */

/* Room for the rows of both tables in every column that either has. False when memory is out; what was made larger
 * stays so. */
static bool make_room(struct ts_ops_csv *to, const struct ts_ops_csv *from, size_t rows)
{
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++) {
        void *grown = NULL;
        if (to->numbers[i] && !(grown = reallocarray(to->numbers[i], rows, sizeof *to->numbers[i])))
            return false;
        if (!to->numbers[i] && from->numbers[i] && !(grown = ts_ops_columns_make(rows, to->rows, true)))
            return false;
        if (grown)
            to->numbers[i] = grown;
        grown = NULL;
        if (to->texts[i] && !(grown = reallocarray(to->texts[i], rows, sizeof *to->texts[i])))
            return false;
        if (!to->texts[i] && from->texts[i] && !(grown = ts_ops_columns_make(rows, to->rows, false)))
            return false;
        if (grown)
            to->texts[i] = grown;
    }
    void *grown = NULL;
    if (to->attributes && !(grown = reallocarray(to->attributes, rows, sizeof *to->attributes)))
        return false;
    if (!to->attributes && from->attributes && !(grown = ts_ops_columns_make(rows, to->rows, false)))
        return false;
    if (grown)
        to->attributes = grown;
    return true;
}

static void append_numbers(struct ts_ops_csv *to, const struct ts_ops_csv *from, unsigned column)
{
    for (uint32_t row = 0; row < from->rows; row++)
        to->numbers[column][to->rows + row] = ts_ops_number(from, column, row);
}

static bool append_texts(struct ts_ops_csv *to, const struct ts_ops_csv *from, unsigned column, struct translation *t,
                         uint32_t device_offset)
{
    for (uint32_t row = 0; row < from->rows; row++) {
        uint32_t id = 0;
        if (from->texts[column])
            id = column == TS_OPS_DEVICE_ID ? raise_device(to, from, row, device_offset)
                                            : translate_text(to, from, t, from->texts[column][row]);
        if (id == UINT32_MAX)
            return false;
        to->texts[column][to->rows + row] = id;
    }
    return true;
}

static bool append_attributes(struct ts_ops_csv *to, const struct ts_ops_csv *from, struct ts_ops_sets *sets,
                              struct translation *t)
{
    for (uint32_t row = 0; row < from->rows; row++) {
        uint32_t set = from->attributes ? translate_set(to, from, sets, t, from->attributes[row]) : 0;
        if (set == UINT32_MAX)
            return false;
        to->attributes[to->rows + row] = set;
    }
    return true;
}

static bool append_columns(struct ts_ops_csv *to, const struct ts_ops_csv *from, struct ts_ops_sets *sets,
                           struct translation *t, uint32_t device_offset)
{
    if (!make_room(to, from, (size_t)to->rows + from->rows))
        return false;
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++) {
        if (to->numbers[i])
            append_numbers(to, from, i);
        if (to->texts[i] && !append_texts(to, from, i, t, device_offset))
            return false;
    }
    return !to->attributes || append_attributes(to, from, sets, t);
}

/* ---- tables ---- */

static void add_up(struct ts_ops_csv *to, const struct ts_ops_csv *from)
{
    to->rows += from->rows;
    to->bytes += from->bytes;
    to->has_attributes |= from->has_attributes;
    if (from->generation > to->generation)
        to->generation = from->generation;
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++)
        to->has[i] |= from->has[i];
    ts_intern_seal(&to->text);
    to->memory = ts_ops_columns_memory(to, to->rows);
}

enum ts_status ts_ops_csv_append(struct ts_ops_csv *to, const struct ts_ops_csv *from, uint32_t device_offset,
                                 struct ts_error *error)
{
    if (from->rows > TS_LIMIT_OPS_ROWS - to->rows)
        return ts_error_set(error, TS_LIMIT, "the files together have more than %u rows, the most that are read",
                            TS_LIMIT_OPS_ROWS);
    struct ts_ops_sets sets;
    struct translation t = {
        .texts = reallocarray(NULL, from->text.count, sizeof *t.texts),
        .sets = reallocarray(NULL, from->attribute_set_count, sizeof *t.sets),
    };
    bool good = t.texts && t.sets && ts_ops_sets_init(&sets, to);
    if (good) {
        memset(t.texts, 0xff, from->text.count * sizeof *t.texts);
        memset(t.sets, 0xff, from->attribute_set_count * sizeof *t.sets);
        good = append_columns(to, from, &sets, &t, device_offset);
        ts_ops_sets_free(&sets);
    }
    free(t.texts);
    free(t.sets);
    if (!good)
        return ts_arena_error(&to->arena, error);
    add_up(to, from);
    return TS_OK;
}
