#include "formats/ops_csv_columns.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/number.h"

enum { FIRST_ROWS = 2048, CHECK_EVERY_ROWS = 4096, KIND_HALO = 0x100 };

/* ---- cells ---- */

static double dimension_of(struct ts_str text)
{
    const double largest = 4294967296.0;
    int64_t whole;
    if (!ts_number_parse_whole(text, &whole))
        return TS_ABSENT;
    double value = (double)whole;
    return value >= 1 && value <= largest ? value : TS_ABSENT;
}

/* Any cell: with both brackets somewhere, what stands before the first opening one. */
static double dimension_slowly(struct ts_str cell)
{
    size_t open = ts_str_find(cell, TS_STR("["), 0);
    if (open != (size_t)-1 && ts_str_contains(cell, TS_STR("]")))
        cell.len = open;
    return dimension_of(cell);
}

double ts_ops_columns_dimension(struct ts_str cell)
{
    /* "1024[1000]" and "1024" are all that real captures have. */
    uint64_t value = 0;
    size_t i = 0;
    for (; i < cell.len && i < 10 && cell.ptr[i] >= '0' && cell.ptr[i] <= '9'; i++)
        value = value * 10 + (uint64_t)(cell.ptr[i] - '0');
    bool plain = i > 0 && (i == cell.len || (cell.ptr[i] == '[' && cell.ptr[cell.len - 1] == ']'));
    if (!plain)
        return dimension_slowly(cell);
    return value >= 1 && value <= UINT64_C(4294967296) ? (double)value : TS_ABSENT;
}

static inline struct ts_str cell_at(const struct ts_csv_row *row, uint32_t at)
{
    return at < row->count ? row->cells[at] : (struct ts_str){"", 0};
}

/* ---- room ---- */

void *ts_ops_columns_make(size_t capacity, size_t rows, bool number)
{
    if (!number) {
        uint32_t *texts = reallocarray(NULL, capacity, sizeof *texts);
        if (texts)
            memset(texts, 0, rows * sizeof *texts);
        return texts;
    }
    double *numbers = reallocarray(NULL, capacity, sizeof *numbers);
    for (size_t i = 0; numbers && i < rows; i++)
        numbers[i] = TS_ABSENT;
    return numbers;
}

size_t ts_ops_columns_memory(const struct ts_ops_csv *ops, size_t capacity)
{
    size_t row = ops->attributes ? sizeof *ops->attributes : 0;
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++) {
        row += ops->numbers[i] ? sizeof *ops->numbers[i] : 0;
        row += ops->texts[i] ? sizeof *ops->texts[i] : 0;
    }
    return sizeof *ops + capacity * row + ops->attribute_set_count * sizeof *ops->attribute_sets + ops->arena.reserved +
           ops->text.capacity * sizeof *ops->text.texts + ops->text.slot_count * sizeof *ops->text.slots;
}

/* Change what every column there is has room for. False when memory is out; the larger of the two rooms is not relied
 * on then. */
static bool resize(struct ts_ops_csv *ops, size_t capacity)
{
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++) {
        void *grown;
        if (ops->numbers[i]) {
            if (!(grown = reallocarray(ops->numbers[i], capacity, sizeof *ops->numbers[i])))
                return false;
            ops->numbers[i] = grown;
        }
        if (ops->texts[i]) {
            if (!(grown = reallocarray(ops->texts[i], capacity, sizeof *ops->texts[i])))
                return false;
            ops->texts[i] = grown;
        }
    }
    if (ops->attributes) {
        void *grown = reallocarray(ops->attributes, capacity, sizeof *ops->attributes);
        if (!grown)
            return false;
        ops->attributes = grown;
    }
    return true;
}

static enum ts_status grow(struct ts_ops_columns *columns, struct ts_error *error)
{
    struct ts_ops_csv *ops = columns->ops;
    if (ops->rows >= TS_LIMIT_OPS_ROWS)
        return ts_error_set(error, TS_LIMIT, "more than %u rows, the most that are read of one operations CSV",
                            TS_LIMIT_OPS_ROWS);
    uint32_t capacity = columns->capacity ? columns->capacity * 2 : FIRST_ROWS;
    size_t limit = columns->context->memory_limit;
    if (limit && ts_ops_columns_memory(ops, capacity) > limit)
        return ts_error_set(error, TS_LIMIT,
                            "%u rows read, and more memory would be needed than the %zu bytes a call may use",
                            ops->rows, limit);
    if (!resize(ops, capacity))
        return ts_error_no_memory(error);
    columns->capacity = capacity;
    return TS_OK;
}

/* ---- texts ---- */

/* Where a text's id is kept among the recent ones: told by its length and by bytes at both ends and in the middle. */
static inline unsigned recent_place(struct ts_str text)
{
    uint64_t mixed = text.len;
    if (text.len >= 8) {
        uint64_t first, middle, last;
        memcpy(&first, text.ptr, 8);
        memcpy(&middle, text.ptr + (text.len - 8) / 2, 8);
        memcpy(&last, text.ptr + text.len - 8, 8);
        mixed += first ^ (middle << 7 | middle >> 57) ^ (last << 29 | last >> 35);
    } else {
        for (size_t i = 0; i < text.len; i++)
            mixed = mixed << 8 | (unsigned char)text.ptr[i];
    }
    return (unsigned)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 58) % TS_OPS_RECENT;
}

/* The id of a cell that is not empty; UINT32_MAX when memory is out. */
static inline uint32_t text_id(struct ts_ops_columns *columns, struct ts_ops_slot *slot, struct ts_str text)
{
    uint32_t *recent = &slot->recent[recent_place(text)];
    struct ts_str known = ts_intern_text(&columns->ops->text, *recent);
    if (known.len == text.len && memcmp(known.ptr, text.ptr, text.len) == 0)
        return *recent;
    uint32_t id = ts_intern_add(&columns->ops->text, text);
    if (id != UINT32_MAX)
        *recent = id;
    return id;
}

static bool put_texts(struct ts_ops_columns *columns, const struct ts_csv_row *row)
{
    struct ts_ops_csv *ops = columns->ops;
    for (struct ts_ops_slot *slot = columns->texts, *end = slot + columns->text_count; slot < end; slot++) {
        struct ts_str cell = cell_at(row, slot->at);
        uint32_t **texts = &ops->texts[slot->column], id = 0;
        if (cell.len > 0) {
            id = text_id(columns, slot, cell);
            if (id == UINT32_MAX)
                return false;
            if (!*texts && !(*texts = ts_ops_columns_make(columns->capacity, ops->rows, false)))
                return false;
        }
        if (*texts)
            (*texts)[ops->rows] = id;
    }
    return true;
}

/* ---- numbers ---- */

static bool put_number(struct ts_ops_columns *columns, enum ts_ops_column column, double value)
{
    struct ts_ops_csv *ops = columns->ops;
    double **numbers = &ops->numbers[column];
    if (!*numbers) {
        if (!ts_present(value))
            return true;
        *numbers = ts_ops_columns_make(columns->capacity, ops->rows, true);
        if (!*numbers)
            return false;
    }
    (*numbers)[ops->rows] = value;
    return true;
}

static bool put_numbers(struct ts_ops_columns *columns, const struct ts_csv_row *row)
{
    const struct ts_ops_slot *slot = columns->numbers, *end = slot + columns->number_count;
    for (; slot < end; slot++) {
        struct ts_str cell = cell_at(row, slot->at);
        if (!put_number(columns, slot->column, cell.len > 0 ? ts_number_or_absent(cell) : TS_ABSENT))
            return false;
    }
    return true;
}

static bool put_dimensions(struct ts_ops_columns *columns, const struct ts_csv_row *row)
{
    const struct ts_ops_slot *slot = columns->dimensions, *end = slot + columns->dimension_count;
    for (; slot < end; slot++) {
        struct ts_str cell = cell_at(row, slot->at);
        if (!put_number(columns, slot->column, cell.len > 0 ? ts_ops_columns_dimension(cell) : TS_ABSENT))
            return false;
    }
    return true;
}

/* ---- attributes ---- */

/* The kind of the row's operation, with KIND_HALO when it is displayed as a halo. */
static unsigned kind_of_row(struct ts_ops_columns *columns)
{
    const struct ts_ops_csv *ops = columns->ops;
    uint32_t code = ops->texts[TS_OPS_OP_CODE] ? ops->texts[TS_OPS_OP_CODE][ops->rows] : 0;
    unsigned place = code % TS_OPS_RECENT;
    if (columns->kind_codes[place] != code) {
        struct ts_str text = ts_intern_text(&ops->text, code);
        columns->kinds[place] =
            (uint16_t)((unsigned)ts_op_attributes_kind(text) | (ts_op_attributes_is_halo(text) ? KIND_HALO : 0u));
        columns->kind_codes[place] = code;
    }
    return columns->kinds[place];
}

static bool put_attributes(struct ts_ops_columns *columns, const struct ts_csv_row *row)
{
    struct ts_ops_csv *ops = columns->ops;
    struct ts_str cell = columns->attributes_at == TS_OPS_NOWHERE ? TS_STR("") : cell_at(row, columns->attributes_at);
    unsigned kind = kind_of_row(columns);
    uint32_t set = 0;
    /* A halo has a text even without attributes. */
    if (cell.len > 0 || (kind & KIND_HALO)) {
        if (ts_ops_cell_empty(cell))
            cell.len = 0;
        set = ts_ops_sets_find(&columns->sets, cell, (enum ts_op_attributes_kind)(kind & ~(unsigned)KIND_HALO),
                               (kind & KIND_HALO) != 0);
        if (set == UINT32_MAX)
            return false;
    }
    if (set > 0 && !ops->attributes && !(ops->attributes = ts_ops_columns_make(columns->capacity, ops->rows, false)))
        return false;
    if (ops->attributes)
        ops->attributes[ops->rows] = set;
    return true;
}

/* ---- rows ---- */

enum ts_status ts_ops_columns_add(struct ts_ops_columns *columns, const struct ts_csv_row *row, struct ts_error *error)
{
    struct ts_ops_csv *ops = columns->ops;
    enum ts_status status = TS_OK;
    if (ops->rows == columns->capacity)
        status = grow(columns, error);
    else if (ops->rows % CHECK_EVERY_ROWS == 0)
        status = ts_context_check(columns->context, error);
    if (status != TS_OK)
        return status;
    if (!put_texts(columns, row) || !put_numbers(columns, row) || !put_dimensions(columns, row) ||
        !put_attributes(columns, row))
        return ts_arena_error(&ops->arena, error);
    ops->rows++;
    return TS_OK;
}

/* ---- life ---- */

/* Put the columns of one kind that the header names behind each other. Returns how many there are. */
static unsigned add_slots(struct ts_ops_slot *slots, const struct ts_ops_header *header, enum ts_ops_column_kind kind)
{
    unsigned count = 0;
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++) {
        if (ts_ops_column_kind(i) != kind || header->at[i] == TS_OPS_NOWHERE)
            continue;
        slots[count].at = header->at[i];
        slots[count].column = i;
        count++;
    }
    return count;
}

enum ts_status ts_ops_columns_init(struct ts_ops_columns *columns, struct ts_context *context, struct ts_ops_csv *ops,
                                   const struct ts_ops_header *header, struct ts_error *error)
{
    memset(columns, 0, sizeof *columns);
    columns->context = context;
    columns->ops = ops;
    columns->attributes_at = header->attributes;
    columns->texts = columns->slots;
    columns->text_count = add_slots(columns->texts, header, TS_OPS_TEXT);
    columns->numbers = columns->texts + columns->text_count;
    columns->number_count = add_slots(columns->numbers, header, TS_OPS_NUMBER);
    columns->dimensions = columns->numbers + columns->number_count;
    columns->dimension_count = add_slots(columns->dimensions, header, TS_OPS_DIMENSION);
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++)
        ops->has[i] = header->at[i] != TS_OPS_NOWHERE;
    ops->has_attributes = header->attributes != TS_OPS_NOWHERE;
    ops->generation = header->generation;
    return ts_ops_sets_init(&columns->sets, ops) ? TS_OK : ts_arena_error(&ops->arena, error);
}

void ts_ops_columns_free(struct ts_ops_columns *columns)
{
    if (columns->ops)
        ts_ops_sets_free(&columns->sets);
}

void ts_ops_columns_finish(struct ts_ops_columns *columns)
{
    struct ts_ops_csv *ops = columns->ops;
    ts_intern_seal(&ops->text);
    /* Giving back may fail: then the columns stay as large as they are. */
    size_t rows = ops->rows > 0 ? ops->rows : 1;
    if (!resize(ops, rows))
        rows = columns->capacity;
    ops->memory = ts_ops_columns_memory(ops, rows);
}
