#include "formats/ops_csv_columns.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/number.h"

enum {
    CHECK_EVERY_ROWS = 4096,
    KIND_HALO = 0x100,
    /* What a file's size makes expect: rows of less than a kilobyte are rare. Room that is not written to costs nothing. */
    ROW_BYTES = 512,
    FIRST_ROWS_MIN = 512,
    FIRST_ROWS_MAX = 1 << 17,
};

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

/* Room for more rows. */
static enum ts_status grow(struct ts_ops_columns *columns, struct ts_error *error)
{
    struct ts_ops_csv *ops = columns->ops;
    if (ops->rows >= TS_LIMIT_OPS_ROWS)
        return ts_error_set(error, TS_LIMIT, "more than %u rows, the most that are read of one operations CSV",
                            TS_LIMIT_OPS_ROWS);
    size_t capacity = columns->capacity ? columns->capacity * 2 : columns->first_capacity;
    if (capacity > TS_LIMIT_OPS_ROWS)
        capacity = TS_LIMIT_OPS_ROWS;
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

static inline uint64_t load64(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* Where a text stands among the recent ones: told by its length and by bytes at both ends and in the middle. */
static inline unsigned recent_place(struct ts_str text)
{
    uint64_t mixed = text.len;
    if (text.len >= 8) {
        uint64_t middle = load64(text.ptr + (text.len - 8) / 2), last = load64(text.ptr + text.len - 8);
        mixed += load64(text.ptr) ^ (middle << 7 | middle >> 57) ^ (last << 29 | last >> 35);
    } else {
        for (size_t i = 0; i < text.len; i++)
            mixed = mixed << 8 | (unsigned char)text.ptr[i];
    }
    return (unsigned)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 32) % TS_OPS_RECENT & ~1u;
}

/* The same text? Most are short, and calls of memcmp then cost more than what they do. */
static inline bool is_recent(const struct ts_ops_recent *recent, struct ts_str text)
{
    size_t len = text.len;
    if (recent->len != len)
        return false;
    if (len < 8) {
        for (size_t i = 0; i < len; i++) {
            if (recent->ptr[i] != text.ptr[i])
                return false;
        }
        return true;
    }
    if (load64(recent->ptr + len - 8) != load64(text.ptr + len - 8) || load64(recent->ptr) != load64(text.ptr))
        return false;
    return len <= 16 || memcmp(recent->ptr + 8, text.ptr + 8, len - 16) == 0;
}

/* The id of a cell that is not empty; UINT32_MAX when memory is out. */
static inline uint32_t text_id(struct ts_ops_columns *columns, unsigned slot, struct ts_str text)
{
    struct ts_ops_recent *recent = &columns->recent[slot][recent_place(text)];
    if (is_recent(&recent[0], text))
        return recent[0].id;
    if (is_recent(&recent[1], text)) {
        struct ts_ops_recent older = recent[0];
        recent[0] = recent[1];
        recent[1] = older;
        return recent[0].id;
    }
    uint32_t id = ts_intern_add(&columns->ops->text, text);
    if (id == UINT32_MAX)
        return UINT32_MAX;
    recent[1] = recent[0];
    recent[0] = (struct ts_ops_recent){ts_intern_text(&columns->ops->text, id).ptr, (uint32_t)text.len, id};
    return id;
}

/* Put an id, or the number of a set, in the row at hand; a column that has held nothing so far is made once it does. */
static inline bool put_id(struct ts_ops_columns *columns, uint32_t **column, uint32_t id)
{
    if (!*column) {
        if (id == 0)
            return true;
        *column = ts_ops_columns_make(columns->capacity, columns->ops->rows, false);
        if (!*column)
            return false;
    }
    (*column)[columns->ops->rows] = id;
    return true;
}

static bool put_texts(struct ts_ops_columns *columns, const struct ts_csv_row *row)
{
    for (unsigned i = 0; i < columns->text_count; i++) {
        struct ts_str cell = cell_at(row, columns->texts[i].at);
        uint32_t id = cell.len > 0 ? text_id(columns, i, cell) : 0;
        if (id == UINT32_MAX || !put_id(columns, &columns->ops->texts[columns->texts[i].column], id))
            return false;
    }
    return true;
}

/* ---- numbers ---- */

static inline bool put_number(struct ts_ops_columns *columns, double **column, double value)
{
    if (!*column) {
        if (!ts_present(value))
            return true;
        *column = ts_ops_columns_make(columns->capacity, columns->ops->rows, true);
        if (!*column)
            return false;
    }
    (*column)[columns->ops->rows] = value;
    return true;
}

static bool put_numbers(struct ts_ops_columns *columns, const struct ts_csv_row *row)
{
    for (unsigned i = 0; i < columns->number_count; i++) {
        struct ts_str cell = cell_at(row, columns->numbers[i].at);
        double value = TS_ABSENT;
        if (cell.len > 0)
            value = i < columns->dimensions_from ? ts_number_or_absent(cell) : ts_ops_columns_dimension(cell);
        if (!put_number(columns, &columns->ops->numbers[columns->numbers[i].column], value))
            return false;
    }
    return true;
}

/* ---- attributes ---- */

/* The kind of an operation, with KIND_HALO when it is displayed as a halo. */
static unsigned kind_of(struct ts_ops_columns *columns, uint32_t code)
{
    unsigned place = code % TS_OPS_RECENT;
    if (columns->kind_codes[place] != code) {
        struct ts_str text = ts_intern_text(&columns->ops->text, code);
        columns->kinds[place] =
            (uint16_t)((unsigned)ts_op_attributes_kind(text) | (ts_op_attributes_is_halo(text) ? KIND_HALO : 0u));
        columns->kind_codes[place] = code;
    }
    return columns->kinds[place];
}

static bool put_attributes(struct ts_ops_columns *columns, const struct ts_csv_row *row)
{
    const uint32_t *codes = columns->ops->texts[TS_OPS_OP_CODE];
    struct ts_str cell = columns->attributes_at == TS_OPS_NOWHERE ? TS_STR("") : cell_at(row, columns->attributes_at);
    unsigned kind = kind_of(columns, codes ? codes[columns->ops->rows] : 0);
    bool halo = (kind & KIND_HALO) != 0;
    uint32_t set = 0;
    if (cell.len > 0 && ts_ops_cell_empty(cell))
        cell.len = 0;
    /* A halo has a text even without attributes. */
    if (cell.len > 0 || halo)
        set = ts_ops_sets_find(&columns->sets, cell, (enum ts_op_attributes_kind)(kind & ~(unsigned)KIND_HALO), halo);
    return set != UINT32_MAX && put_id(columns, &columns->ops->attributes, set);
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
    if (!put_texts(columns, row) || !put_numbers(columns, row) || !put_attributes(columns, row))
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
                                   const struct ts_ops_header *header, uint64_t bytes, struct ts_error *error)
{
    uint64_t rows = bytes / ROW_BYTES;
    memset(columns, 0, sizeof *columns);
    columns->first_capacity = rows < FIRST_ROWS_MIN ? FIRST_ROWS_MIN : rows > FIRST_ROWS_MAX ? FIRST_ROWS_MAX : rows;
    columns->context = context;
    columns->ops = ops;
    columns->attributes_at = header->attributes;
    columns->text_count = add_slots(columns->texts, header, TS_OPS_TEXT);
    columns->dimensions_from = add_slots(columns->numbers, header, TS_OPS_NUMBER);
    columns->number_count =
        columns->dimensions_from + add_slots(columns->numbers + columns->dimensions_from, header, TS_OPS_DIMENSION);
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
