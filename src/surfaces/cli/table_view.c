#include "surfaces/cli/table_view.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "questions/schema.h"
#include "surfaces/cli/bar_view.h"
#include "surfaces/cli/detail_view.h"

enum { COLUMNS_MAX = 96, GAP = 2, TEXT_WIDTH_WANTED = 40 };

/* One column of the table being made. */
struct column {
    const struct ts_field *field;
    const struct ts_field *within; /* the row's object that holds it; NULL: the row itself */
    char key[TS_VALUE_KEY_MAX];
    char heading[TS_VALUE_KEY_MAX];
    int places;   /* decimals shown, the most any cell needs, at most 3 */
    bool used;    /* some row holds something */
    size_t width; /* of its widest cell or its heading, in terminal columns */
};

/* A value with its unit behind `used` columns of a line, which it ends. */
static void add_wrapped(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *value,
                        size_t used, size_t indent)
{
    struct ts_buf text;
    struct ts_value_view into_text = {view->args, view->look, &text};
    ts_buf_init(&text, 0);
    ts_value_add(&into_text, field, value, -1);
    ts_value_unit(&into_text, field);
    ts_value_wrap(view->out, ts_buf_view(&text), used, indent, view->look->width);
    ts_buf_char(view->out, '\n');
    view->out->failed = view->out->failed || text.failed;
    ts_buf_free(&text);
}

/* The members of an object or a map, a line each. */
static void add_member_lines(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *object)
{
    size_t index, max;
    yyjson_mut_val *key, *value;
    yyjson_mut_obj_foreach(object, index, max, key, value)
    {
        struct ts_str name = {yyjson_mut_get_str(key), yyjson_mut_get_len(key)};
        const struct ts_field *child = ts_value_child(view, field, name);
        if (ts_value_is_empty(value))
            continue;
        ts_buf_text(view->out, "  ");
        ts_value_key(view, child, name);
        ts_buf_text(view->out, ": ");
        add_wrapped(view, child, value, 2 + ts_value_width(name) + 2, 4);
    }
}

/* "heading: value"; an object or a map has its members on lines of their own. */
static void add_line(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *answer)
{
    char key[TS_VALUE_KEY_MAX];
    yyjson_mut_val *value = yyjson_mut_obj_get(answer, ts_schema_key(field, view->args, key, sizeof key));
    if (ts_value_is_empty(value))
        return;
    if (field->detail) {
        ts_detail_view_field(view, field, value);
        return;
    }
    ts_value_heading(view, field, key);
    if (yyjson_mut_is_obj(value)) {
        ts_buf_char(view->out, '\n');
        add_member_lines(view, field, value);
        return;
    }
    ts_buf_char(view->out, ' ');
    add_wrapped(view, field, value, strlen(field->heading ? field->heading : key) + 2, 2);
}

static void add_lines(const struct ts_value_view *view, const struct ts_field *fields, enum ts_field_show show,
                      yyjson_mut_val *answer)
{
    for (const struct ts_field *field = fields; field->key; field++)
        if (field->show == show)
            add_line(view, field, answer);
}

static yyjson_mut_val *value_in(const struct column *column, yyjson_mut_val *row)
{
    return yyjson_mut_obj_get(column->within ? yyjson_mut_obj_get(row, column->within->key) : row, column->key);
}

/* The text of a cell; empty for what is null or not there. */
static void add_cell(const struct ts_value_view *view, const struct column *column, yyjson_mut_val *row,
                     struct ts_buf *out)
{
    struct ts_value_view into_cell = {view->args, view->look, out};
    yyjson_mut_val *value = value_in(column, row);
    if (!ts_value_is_empty(value))
        ts_value_add(&into_cell, column->field, value, ts_value_is_numeric(column->field->kind) ? column->places : -1);
}

static void measure_column(const struct ts_value_view *view, struct column *column, yyjson_mut_val *rows)
{
    size_t index, max;
    yyjson_mut_val *row;
    yyjson_mut_arr_foreach(rows, index, max, row)
    {
        yyjson_mut_val *value = value_in(column, row);
        column->used = column->used || !ts_value_is_empty(value);
        int places = value ? ts_value_places(value) : 0;
        column->places = places > column->places ? places : column->places;
    }
    struct ts_buf cell;
    ts_buf_init(&cell, 0);
    column->width = ts_value_width(ts_str_from(column->heading));
    yyjson_mut_arr_foreach(rows, index, max, row)
    {
        ts_buf_clear(&cell);
        add_cell(view, column, row, &cell);
        size_t width = ts_value_width(ts_buf_view(&cell));
        column->width = width > column->width ? width : column->width;
    }
    ts_buf_free(&cell);
}

static void name_column(const struct ts_value_view *view, struct column *column)
{
    ts_schema_key(column->field, view->args, column->key, sizeof column->key);
    snprintf(column->heading, sizeof column->heading, "%s",
             column->field->heading ? column->field->heading : column->key);
    if (!column->field->heading)
        for (char *c = column->heading; *c; c++)
            *c = *c == '_' ? ' ' : *c;
}

/* Columns that some row fills, in the order of declaration, added to the first count; how many there are now. */
static unsigned choose_columns(const struct ts_value_view *view, const struct ts_field *within,
                               const struct ts_field *children, yyjson_mut_val *rows,
                               struct column columns[COLUMNS_MAX], unsigned count)
{
    for (const struct ts_field *field = children; field->key && count < COLUMNS_MAX; field++) {
        if (field->show == TS_SHOW_COLUMNS && !within)
            count = choose_columns(view, field, field->children, rows, columns, count);
        if (field->show != TS_SHOW_COLUMN || count == COLUMNS_MAX)
            continue;
        struct column *column = &columns[count];
        *column = (struct column){.field = field, .within = within};
        name_column(view, column);
        /* A field that is named after an argument may coincide with one declared beside it. */
        bool twice = false;
        for (unsigned i = 0; i < count; i++)
            twice = twice || (columns[i].within == within && strcmp(columns[i].key, column->key) == 0);
        measure_column(view, column, rows);
        if (column->used && !twice)
            count++;
    }
    return count;
}

static struct libscols_column *new_column(struct libscols_table *table, const struct column *column,
                                          const struct ts_value_view *view)
{
    int flags = ts_value_is_numeric(column->field->kind) ? SCOLS_FL_RIGHT : 0;
    bool long_text = column->field->kind == TS_KIND_STRING || column->field->kind == TS_KIND_LIST;
    /* What is short keeps its place beside what is long. */
    size_t kept = view->look->width / 3 < TEXT_WIDTH_WANTED ? view->look->width / 3 : TEXT_WIDTH_WANTED;
    if (view->look->width && long_text && column->width > kept)
        flags |= SCOLS_FL_TRUNC;
    struct libscols_column *made = scols_table_new_column(table, column->heading, 0, flags);
    if (made && view->look->color)
        scols_cell_set_color(scols_column_get_header(made), "bold");
    return made;
}

static bool fill_row(struct libscols_line *line, const struct ts_value_view *view, const struct column *columns,
                     unsigned count, yyjson_mut_val *row)
{
    for (unsigned i = 0; i < count; i++) {
        struct ts_buf cell;
        ts_buf_init(&cell, 0);
        add_cell(view, &columns[i], row, &cell);
        bool good = !cell.failed && scols_line_set_data(line, i, cell.ptr ? cell.ptr : "") == 0;
        ts_buf_free(&cell);
        if (!good)
            return false;
    }
    return true;
}

static bool fill_table(struct libscols_table *table, const struct ts_value_view *view, const struct column *columns,
                       unsigned count, yyjson_mut_val *rows)
{
    /* Cells hold no character that drives a terminal; encoded again, their backslashes would not be what they were. */
    if (scols_table_enable_noencoding(table, 1) != 0)
        return false;
    if (view->look->color)
        scols_table_enable_colors(table, 1);
    if (view->look->width) {
        scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS);
        scols_table_set_termwidth(table, view->look->width);
    } else {
        scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
    }
    if (scols_table_set_column_separator(table, "  ") != 0)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!new_column(table, &columns[i], view))
            return false;
    size_t index, max;
    yyjson_mut_val *row;
    yyjson_mut_arr_foreach(rows, index, max, row)
    {
        struct libscols_line *line = scols_table_new_line(table, NULL);
        if (!line || !fill_row(line, view, columns, count, row))
            return false;
    }
    return true;
}

/* libsmartcols pads the last column; a table that is piped on is easier to use without. */
static void add_without_trailing_blanks(struct ts_buf *out, struct ts_str text)
{
    struct ts_str line;
    bool done = false;
    while (ts_str_split(&text, '\n', &line, &done)) {
        while (line.len && line.ptr[line.len - 1] == ' ')
            line.len--;
        if (line.len == 0 && text.len == 0)
            break;
        ts_buf_str(out, line);
        ts_buf_char(out, '\n');
    }
}

/* The table as text, to be freed. NULL when there was no memory: libsmartcols' own way to a string does not tell then that
 * the text is cut, a stream does. */
static char *table_text(struct libscols_table *table)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    scols_table_set_stream(table, stream);
    bool good = scols_print_table(table) == 0 && fflush(stream) == 0 && !ferror(stream);
    good = fclose(stream) == 0 && good && size > 0;
    if (!good) {
        free(text);
        text = NULL;
    }
    return text;
}

static enum ts_status print_columns(const struct ts_value_view *view, const struct column *columns, unsigned count,
                                    yyjson_mut_val *rows, struct ts_error *error)
{
    struct libscols_table *table = scols_new_table();
    char *text = table && fill_table(table, view, columns, count, rows) ? table_text(table) : NULL;
    if (text) {
        ts_buf_char(view->out, '\n');
        add_without_trailing_blanks(view->out, ts_str_from(text));
    }
    scols_unref_table(table);
    bool good = text != NULL;
    free(text);
    return good ? TS_OK : ts_error_no_memory(error);
}

/* How many of the columns fit beside a first one of the given width; at least one. Long texts may be cut to fit. */
static unsigned columns_that_fit(const struct ts_value_view *view, size_t used, const struct column *columns,
                                 unsigned count)
{
    unsigned fit = 0;
    for (; fit < count; fit++) {
        size_t width = columns[fit].width;
        if (!ts_value_is_numeric(columns[fit].field->kind) && width > TEXT_WIDTH_WANTED)
            width = TEXT_WIDTH_WANTED;
        used += GAP + width;
        if (fit && view->look->width && used > view->look->width)
            break;
    }
    return fit;
}

/* The rows as a table; what does not fit beside goes into further tables below that repeat the first column. */
static enum ts_status add_table(const struct ts_value_view *view, const struct ts_field *list, yyjson_mut_val *rows,
                                struct ts_error *error)
{
    struct column columns[COLUMNS_MAX], part[COLUMNS_MAX];
    unsigned count = choose_columns(view, NULL, list->children, rows, columns, 0);
    if (count == 0)
        return TS_OK;
    unsigned next = 1;
    do {
        unsigned fit = columns_that_fit(view, columns[0].width, &columns[next], count - next);
        part[0] = columns[0];
        memcpy(&part[1], &columns[next], fit * sizeof *part);
        enum ts_status status = print_columns(view, part, fit + 1, rows, error);
        if (status)
            return status;
        next += fit;
    } while (next < count);
    ts_buf_char(view->out, '\n');
    return TS_OK;
}

enum ts_status ts_table_view(const struct ts_question *question, const struct ts_args *args, yyjson_mut_val *answer,
                             const struct ts_table_look *look, struct ts_buf *out, struct ts_error *error)
{
    struct ts_value_view view = {args, look, out};
    add_lines(&view, question->fields, TS_SHOW_ABOVE, answer);
    for (const struct ts_field *field = question->fields; field->key; field++) {
        yyjson_mut_val *rows = field->show == TS_SHOW_ROWS ? yyjson_mut_obj_get(answer, field->key) : NULL;
        if (ts_value_is_empty(rows))
            continue;
        enum ts_status status = add_table(&view, field, rows, error);
        if (status)
            return status;
        ts_bar_view_add(&view, question->fields, field->children, answer, rows);
        ts_detail_view_add(&view, field->children, rows);
    }
    add_lines(&view, question->fields, TS_SHOW_BELOW, answer);
    return TS_OK;
}
