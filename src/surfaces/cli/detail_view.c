#include "surfaces/cli/detail_view.h"

#include <stdio.h>
#include <string.h>

enum { INDENT = 2, LINES_MAX = 4, DEPTH_MAX = 4 };

static bool is_list_of_objects(yyjson_mut_val *value)
{
    return yyjson_mut_is_arr(value) && yyjson_mut_is_obj(yyjson_mut_arr_get_first(value));
}

/* What stands on a line of its own instead of beside other members. */
static bool stands_alone(yyjson_mut_val *value)
{
    return yyjson_mut_is_obj(value) || is_list_of_objects(value) ||
           (yyjson_mut_is_str(value) && strpbrk(yyjson_mut_get_str(value), " \n"));
}

/* Add what was gathered in text, behind `used` columns of the line. */
static void flush(const struct ts_value_view *view, struct ts_buf *text, size_t used, size_t indent)
{
    if (text->len == 0 && view->out->len > 0 && view->out->ptr[view->out->len - 1] == ' ')
        view->out->len--;
    ts_value_wrap(view->out, ts_buf_view(text), used, indent + 2 * INDENT, view->look->width);
    ts_buf_char(view->out, '\n');
    view->out->failed = view->out->failed || text->failed;
    ts_buf_clear(text);
}

/* Texts of several lines: the first ones as they are, the others counted. */
static void add_text(const struct ts_value_view *view, struct ts_str rest, size_t used, size_t indent)
{
    struct ts_buf text;
    struct ts_value_view into_text = {view->args, view->look, &text};
    struct ts_str line;
    bool done = false;
    unsigned count = 0;
    ts_buf_init(&text, 0);
    while (ts_str_split(&rest, '\n', &line, &done)) {
        if (done && line.len == 0 && count > 0)
            break;
        if (count++ >= LINES_MAX)
            continue;
        if (count > 1)
            ts_buf_printf(view->out, "%*s", (int)(indent + INDENT), "");
        ts_value_text(&into_text, line);
        flush(view, &text, count > 1 ? indent + INDENT : used, indent);
    }
    if (count > LINES_MAX)
        ts_buf_printf(view->out, "%*s(%u more line%s)\n", (int)(indent + INDENT), "", count - LINES_MAX,
                      count - LINES_MAX > 1 ? "s" : "");
    ts_buf_free(&text);
}

static void add_entry(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *value,
                      size_t used, size_t indent, unsigned depth);

/* The members that are short side by side; returns how many. */
static unsigned gather_short(const struct ts_value_view *into_text, const struct ts_field *field,
                             yyjson_mut_val *object)
{
    size_t index, max;
    yyjson_mut_val *key, *value;
    unsigned count = 0;
    yyjson_mut_obj_foreach(object, index, max, key, value)
    {
        struct ts_str name = {yyjson_mut_get_str(key), yyjson_mut_get_len(key)};
        const struct ts_field *child = ts_value_child(into_text, field, name);
        if (ts_value_is_empty(value) || stands_alone(value))
            continue;
        ts_buf_text(into_text->out, count++ > 0 ? ", " : "");
        ts_value_key(into_text, child, name);
        ts_buf_char(into_text->out, ' ');
        ts_value_add(into_text, child, value, -1);
        if (!ts_str_contains(name, TS_STR("bytes")))
            ts_value_unit(into_text, child);
    }
    return count;
}

/* Behind a heading, then its members: the short ones beside it, a line for each of the others. */
static void add_object(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *object,
                       size_t used, size_t indent, unsigned depth)
{
    struct ts_buf text;
    struct ts_value_view into_text = {view->args, view->look, &text};
    size_t index, max;
    yyjson_mut_val *key, *value;
    ts_buf_init(&text, 0);
    gather_short(&into_text, field, object);
    flush(view, &text, used, indent);
    yyjson_mut_obj_foreach(object, index, max, key, value)
    {
        struct ts_str name = {yyjson_mut_get_str(key), yyjson_mut_get_len(key)};
        const struct ts_field *child = ts_value_child(view, field, name);
        if (ts_value_is_empty(value) || !stands_alone(value) || depth == DEPTH_MAX)
            continue;
        ts_value_key(&into_text, child, name);
        ts_buf_text(&text, ": ");
        size_t width = indent + INDENT + ts_value_width(ts_buf_view(&text));
        ts_buf_printf(view->out, "%*s", (int)(indent + INDENT), "");
        ts_buf_str(view->out, ts_buf_view(&text));
        ts_buf_clear(&text);
        add_entry(view, child, value, width, indent + INDENT, depth + 1);
    }
    ts_buf_free(&text);
}

/* A value behind its heading, which takes `used` columns. */
static void add_entry(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *value,
                      size_t used, size_t indent, unsigned depth)
{
    size_t index, max;
    yyjson_mut_val *element;
    struct ts_buf text;
    struct ts_value_view into_text = {view->args, view->look, &text};
    ts_buf_init(&text, 0);
    if (yyjson_mut_is_str(value)) {
        add_text(view, (struct ts_str){yyjson_mut_get_str(value), yyjson_mut_get_len(value)}, used, indent);
    } else if (yyjson_mut_is_obj(value)) {
        add_object(view, field, value, used, indent, depth);
    } else if (is_list_of_objects(value)) {
        flush(view, &text, used, indent);
        yyjson_mut_arr_foreach(value, index, max, element)
        {
            ts_buf_printf(view->out, "%*s- ", (int)(indent + INDENT), "");
            add_object(view, field, element, indent + 2 * INDENT, indent + INDENT, depth);
        }
    } else {
        ts_value_add(&into_text, field, value, -1);
        flush(view, &text, used, indent);
    }
    ts_buf_free(&text);
}

/* The first two cells of the row, as its heading. */
static void add_row_heading(const struct ts_value_view *view, const struct ts_field *children, yyjson_mut_val *row)
{
    unsigned count = 0;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    struct ts_value_view into = {view->args, view->look, &text};
    for (const struct ts_field *field = children; field->key && count < 2; field++) {
        yyjson_mut_val *value = yyjson_mut_obj_get(row, field->key);
        if (field->show != TS_SHOW_COLUMN || ts_value_is_empty(value))
            continue;
        ts_buf_text(&text, count++ > 0 ? " " : "");
        ts_value_add(&into, field, value, -1);
    }
    ts_buf_text(view->out, view->look->color ? "\033[1m" : "");
    ts_value_wrap(view->out, ts_buf_view(&text), 0, INDENT, view->look->width);
    ts_buf_text(view->out, view->look->color ? "\033[0m\n" : "\n");
    view->out->failed = view->out->failed || text.failed;
    ts_buf_free(&text);
}

static void add_field(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *value,
                      size_t indent)
{
    ts_value_heading(view, field, field->key);
    ts_buf_char(view->out, ' ');
    add_entry(view, field, value, indent + strlen(field->heading ? field->heading : field->key) + 2, indent, 0);
}

static void add_row(const struct ts_value_view *view, const struct ts_field *children, yyjson_mut_val *row)
{
    bool any = false;
    for (const struct ts_field *field = children; field->key; field++) {
        yyjson_mut_val *value = field->detail ? yyjson_mut_obj_get(row, field->key) : NULL;
        if (ts_value_is_empty(value))
            continue;
        if (!any)
            add_row_heading(view, children, row);
        any = true;
        ts_buf_printf(view->out, "%*s", INDENT, "");
        add_field(view, field, value, INDENT);
    }
    if (any)
        ts_buf_char(view->out, '\n');
}

void ts_detail_view_add(const struct ts_value_view *view, const struct ts_field *children, yyjson_mut_val *rows)
{
    size_t index, max;
    yyjson_mut_val *row;
    yyjson_mut_arr_foreach(rows, index, max, row) add_row(view, children, row);
}

void ts_detail_view_field(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *value)
{
    add_field(view, field, value, 0);
}
