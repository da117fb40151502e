#include "surfaces/cli/value_view.h"

#include <stdio.h>
#include <wchar.h>

#include "base/number.h"
#include "base/utf8.h"
#include "questions/schema.h"

bool ts_value_is_numeric(enum ts_field_kind kind)
{
    return kind == TS_KIND_NUMBER || kind == TS_KIND_INTEGER;
}

/* Answers hold a number whose shortest text has an exponent as that text. */
static bool is_number(yyjson_mut_val *value)
{
    return yyjson_mut_is_num(value) || yyjson_mut_is_raw(value);
}

static double number_of(yyjson_mut_val *value)
{
    double number = TS_ABSENT;
    if (yyjson_mut_is_raw(value))
        ts_number_parse((struct ts_str){yyjson_mut_get_raw(value), yyjson_mut_get_len(value)}, &number);
    else
        number = yyjson_mut_get_num(value);
    return number;
}

/* From here on digits in full say more than is known, and are harder to read than an exponent. */
static const double shown_in_full = 1e15;

int ts_value_places(yyjson_mut_val *value)
{
    double number = is_number(value) ? number_of(value) : 0;
    if (yyjson_mut_is_int(value) || !(number < shown_in_full && number > -shown_in_full))
        return 0;
    int places = 0;
    while (places < 3 && ts_round(number, places) != ts_round(number, 3))
        places++;
    return places;
}

const struct ts_field *ts_value_child(const struct ts_value_view *view, const struct ts_field *field, struct ts_str key)
{
    char declared[TS_VALUE_KEY_MAX];
    for (const struct ts_field *child = field ? field->children : NULL; child && child->key; child++)
        if (ts_str_is(key, ts_schema_key(child, view->args, declared, sizeof declared)))
            return child;
    return NULL;
}

void ts_value_text(const struct ts_value_view *view, struct ts_str text)
{
    struct ts_str piece;
    bool done = false, first = true;
    while (ts_str_split(&text, '\\', &piece, &done)) {
        ts_buf_text(view->out, first ? "" : "\\\\");
        ts_utf8_escape(view->out, piece);
        first = false;
    }
}

/* Whole numbers of 64 bits exactly: a double may not hold them. */
static void add_whole(const struct ts_value_view *view, uint64_t magnitude)
{
    if (magnitude >= 1000)
        add_whole(view, magnitude / 1000);
    ts_buf_printf(view->out, magnitude >= 1000 ? ",%03u" : "%u", (unsigned)(magnitude % 1000));
}

static void add_number(const struct ts_value_view *view, yyjson_mut_val *value, int places)
{
    char text[TS_NUMBER_TEXT_MAX];
    if (yyjson_mut_is_int(value)) {
        int64_t number = yyjson_mut_get_sint(value);
        bool negative = yyjson_mut_is_sint(value) && number < 0;
        ts_buf_text(view->out, negative ? "-" : "");
        add_whole(view, negative ? 0 - (uint64_t)number : yyjson_mut_get_uint(value));
        if (places > 0)
            ts_buf_printf(view->out, ".%0*d", places, 0);
        return;
    }
    double number = number_of(value);
    if (number < shown_in_full && number > -shown_in_full)
        ts_number_grouped(number, places < 0 ? ts_value_places(value) : places, text);
    else
        ts_number_json(number, text);
    ts_buf_text(view->out, text);
}

/* An object within a line: the values of the members that are declared as columns, "0: 48.3"; where none is, all members
 * with their keys. */
static void add_object(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *object)
{
    unsigned shown = 0;
    size_t index, max;
    yyjson_mut_val *key, *value;
    yyjson_mut_obj_foreach(object, index, max, key, value)
    {
        struct ts_str name = {yyjson_mut_get_str(key), yyjson_mut_get_len(key)};
        const struct ts_field *child = ts_value_child(view, field, name);
        if (!child || child->show != TS_SHOW_COLUMN)
            continue;
        ts_buf_text(view->out, shown == 0 ? "" : shown == 1 ? ": " : " ");
        shown++;
        if (yyjson_mut_is_null(value))
            ts_buf_char(view->out, '-');
        ts_value_add(view, child, value, -1);
    }
    if (shown)
        return;
    yyjson_mut_obj_foreach(object, index, max, key, value)
    {
        ts_buf_text(view->out, index ? ", " : "");
        ts_value_text(view, (struct ts_str){yyjson_mut_get_str(key), yyjson_mut_get_len(key)});
        ts_buf_char(view->out, ' ');
        ts_value_add(view, NULL, value, -1);
    }
}

static void add_list(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *list)
{
    size_t index, max;
    yyjson_mut_val *value;
    yyjson_mut_arr_foreach(list, index, max, value)
    {
        ts_buf_text(view->out, index ? ", " : "");
        ts_value_add(view, field, value, -1);
    }
}

void ts_value_add(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *value, int places)
{
    switch (yyjson_mut_get_type(value)) {
    case YYJSON_TYPE_STR:
        ts_value_text(view, (struct ts_str){yyjson_mut_get_str(value), yyjson_mut_get_len(value)});
        break;
    case YYJSON_TYPE_NUM:
    case YYJSON_TYPE_RAW:
        add_number(view, value, places);
        break;
    case YYJSON_TYPE_BOOL:
        ts_buf_text(view->out, yyjson_mut_get_bool(value) ? "yes" : "no");
        break;
    case YYJSON_TYPE_ARR:
        add_list(view, field, value);
        break;
    case YYJSON_TYPE_OBJ:
        add_object(view, field, value);
        break;
    default: /* null: nothing to show */
        break;
    }
}

bool ts_value_is_empty(yyjson_mut_val *value)
{
    return !value || yyjson_mut_is_null(value) ||
           ((yyjson_mut_is_arr(value) || yyjson_mut_is_obj(value)) && yyjson_mut_get_len(value) == 0);
}

void ts_value_heading(const struct ts_value_view *view, const struct ts_field *field, const char *key)
{
    const char *heading = field->heading ? field->heading : key;
    ts_buf_text(view->out, view->look->color ? "\033[1m" : "");
    for (const char *c = heading; *c; c++)
        ts_buf_char(view->out, field->heading || *c != '_' ? *c : ' ');
    ts_buf_text(view->out, view->look->color ? ":\033[0m" : ":");
}

void ts_value_key(const struct ts_value_view *view, const struct ts_field *field, struct ts_str key)
{
    if (!field)
        ts_value_text(view, key);
    for (size_t i = 0; field && i < key.len; i++)
        ts_buf_char(view->out, key.ptr[i] == '_' ? ' ' : key.ptr[i]);
}

void ts_value_unit(const struct ts_value_view *view, const struct ts_field *field)
{
    if (field && field->unit && ts_value_is_numeric(field->kind))
        ts_buf_printf(view->out, " %s", strcmp(field->unit, "percent") == 0 ? "%" : field->unit);
}

size_t ts_value_width(struct ts_str text)
{
    size_t width = 0;
    while (text.len) {
        size_t len;
        int columns = wcwidth((wchar_t)ts_utf8_decode(text, &len));
        width += columns > 0 ? (size_t)columns : 0;
        text = ts_str_sub(text, len, text.len);
    }
    return width;
}

static void break_line(struct ts_buf *out, size_t indent)
{
    ts_buf_printf(out, "\n%*s", (int)indent, "");
}

/* A word that is longer than a line, over as many as it takes; returns how much of the last one is used. */
static size_t add_long_word(struct ts_buf *out, struct ts_str word, size_t used, size_t indent, size_t width)
{
    while (word.len > 0) {
        size_t len;
        ts_utf8_decode(word, &len);
        size_t columns = ts_value_width(ts_str_sub(word, 0, len));
        if (used + columns > width && used > indent) {
            break_line(out, indent);
            used = indent;
        }
        ts_buf_add(out, word.ptr, len);
        used += columns;
        word = ts_str_sub(word, len, word.len);
    }
    return used;
}

void ts_value_wrap(struct ts_buf *out, struct ts_str text, size_t used, size_t indent, size_t width)
{
    struct ts_str word;
    bool done = false, first = true;
    while (ts_str_split(&text, ' ', &word, &done)) {
        size_t columns = ts_value_width(word);
        if (width && used + !first + columns > width && (!first || used > indent)) {
            break_line(out, indent);
            used = indent;
        } else if (!first) {
            ts_buf_char(out, ' ');
            used++;
        }
        first = false;
        if (width && columns > width - (indent < width ? indent : 0)) {
            used = add_long_word(out, word, used, indent, width);
            continue;
        }
        ts_buf_str(out, word);
        used += columns;
    }
}
