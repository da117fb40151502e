#include "surfaces/cli/bar_view.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

enum { PARTS_MAX = 4, WIDTH_ASSUMED = 80, BAR_MIN = 4, PERCENT_WIDTH = 8, LEGEND_INDENT = 2 };

/* How the parts look, and what is free. */
static const char *const blocks[PARTS_MAX + 1] = {"\u2588", "\u2593", "\u2592", "\u2591", "\u00b7"};
static const char *const letters[PARTS_MAX + 1] = {"#", "+", "=", "!", "."};
static const char *const colors[PARTS_MAX + 1] = {"\033[34m", "\033[33m", "\033[32m", "\033[31m", "\033[2m"};

struct chart {
    const struct ts_value_view *view;
    const struct ts_field *parts[PARTS_MAX]; /* the object's columns */
    unsigned count;
    const struct ts_field *of, *id, *name; /* the object; the first two columns of a row, name may be NULL */
    double whole;                          /* 0: not known */
    double scale;                          /* what a full bar stands for */
    size_t id_width, name_width, bar_width;
};

static double number_of(yyjson_mut_val *value)
{
    double number = 0;
    if (yyjson_mut_is_raw(value))
        ts_number_parse((struct ts_str){yyjson_mut_get_raw(value), yyjson_mut_get_len(value)}, &number);
    else if (yyjson_mut_is_num(value))
        number = yyjson_mut_get_num(value);
    return number > 0 ? number : 0;
}

static double part_of(const struct chart *chart, yyjson_mut_val *row, unsigned part)
{
    return number_of(yyjson_mut_obj_get(yyjson_mut_obj_get(row, chart->of->key), chart->parts[part]->key));
}

static double total_of(const struct chart *chart, yyjson_mut_val *row)
{
    double total = 0;
    for (unsigned i = 0; i < chart->count; i++)
        total += part_of(chart, row, i);
    return total;
}

/* ---- texts beside the bar ---- */

static void add_label(const struct chart *chart, const struct ts_field *field, yyjson_mut_val *row, struct ts_buf *out)
{
    struct ts_value_view into = {chart->view->args, chart->view->look, out};
    yyjson_mut_val *value = field ? yyjson_mut_obj_get(row, field->key) : NULL;
    ts_buf_clear(out);
    if (!ts_value_is_empty(value))
        ts_value_add(&into, field, value, -1);
}

/* At most so many columns of a text, and blanks up to them. */
static void add_padded(struct ts_buf *out, struct ts_str text, size_t width, bool right)
{
    size_t taken = ts_value_width(text);
    bool cut = taken > width;
    while (taken > width - cut) {
        size_t at = text.len - 1;
        while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80)
            at--;
        text = ts_str_sub(text, 0, at);
        taken = ts_value_width(text);
    }
    if (right)
        ts_buf_printf(out, "%*s", (int)(width - taken - cut), "");
    ts_buf_str(out, text);
    ts_buf_text(out, cut ? "~" : "");
    if (!right)
        ts_buf_printf(out, "%*s", (int)(width - taken - cut), "");
}

/* ---- bars ---- */

/* Cells of each part: as near as whole cells come, at least one for what is there at all. */
static void share_cells(const struct chart *chart, yyjson_mut_val *row, size_t cells[PARTS_MAX])
{
    double total = total_of(chart, row);
    double full = (double)chart->bar_width * total / chart->scale;
    size_t used = 0, wanted = (size_t)(full + 0.5), there = 0;
    double rest[PARTS_MAX];
    for (unsigned i = 0; i < chart->count; i++) {
        double exact = (double)chart->bar_width * part_of(chart, row, i) / chart->scale;
        cells[i] = exact > 0 && exact < 1 ? 1 : (size_t)exact;
        rest[i] = exact - (double)cells[i];
        used += cells[i];
        there += exact > 0;
    }
    wanted = wanted < there ? there : wanted;
    wanted = wanted > chart->bar_width ? chart->bar_width : wanted;
    for (; used != wanted; used += used < wanted ? 1 : (size_t)-1) {
        unsigned best = 0;
        for (unsigned i = 1; i < chart->count; i++)
            if (used < wanted ? rest[i] > rest[best] : cells[i] > cells[best])
                best = i;
        if (used > wanted && cells[best] <= 1)
            break;
        cells[best] += used < wanted ? 1 : (size_t)-1;
        rest[best] += used < wanted ? -1 : 1;
    }
}

static void add_cells(const struct chart *chart, unsigned part, size_t count)
{
    const struct ts_table_look *look = chart->view->look;
    struct ts_buf *out = chart->view->out;
    if (count == 0)
        return;
    ts_buf_text(out, look->color ? colors[part] : "");
    for (size_t i = 0; i < count; i++)
        ts_buf_text(out, look->utf8 ? blocks[part] : letters[part]);
    ts_buf_text(out, look->color ? "\033[0m" : "");
}

static void add_bar(const struct chart *chart, yyjson_mut_val *row)
{
    size_t cells[PARTS_MAX] = {0}, used = 0;
    share_cells(chart, row, cells);
    for (unsigned i = 0; i < chart->count; i++) {
        add_cells(chart, i, cells[i]);
        used += cells[i];
    }
    if (chart->whole <= 0)
        return;
    add_cells(chart, PARTS_MAX, used < chart->bar_width ? chart->bar_width - used : 0);
    char percent[TS_NUMBER_TEXT_MAX];
    ts_number_grouped(100 * total_of(chart, row) / chart->whole, 1, percent);
    ts_buf_printf(chart->view->out, " %5s %%", percent);
}

static void add_row(const struct chart *chart, yyjson_mut_val *row)
{
    struct ts_buf label;
    struct ts_buf *out = chart->view->out;
    ts_buf_init(&label, 0);
    add_label(chart, chart->id, row, &label);
    add_padded(out, ts_buf_view(&label), chart->id_width, true);
    ts_buf_char(out, ' ');
    if (chart->name_width > 0) {
        add_label(chart, chart->name, row, &label);
        add_padded(out, ts_buf_view(&label), chart->name_width, false);
        ts_buf_char(out, ' ');
    }
    add_bar(chart, row);
    ts_buf_char(out, '\n');
    out->failed = out->failed || label.failed;
    ts_buf_free(&label);
}

/* ---- the chart ---- */

static bool find_parts(struct chart *chart, const struct ts_field *children)
{
    for (const struct ts_field *field = children; field->key; field++) {
        if (field->show == TS_SHOW_COLUMN && !chart->id)
            chart->id = field;
        else if (field->show == TS_SHOW_COLUMN && !chart->name)
            chart->name = field;
        if (field->bar_of)
            chart->of = field;
    }
    for (const struct ts_field *part = chart->of ? chart->of->children : NULL; part && part->key; part++)
        if (part->show == TS_SHOW_COLUMN && chart->count < PARTS_MAX)
            chart->parts[chart->count++] = part;
    return chart->id && chart->count > 0;
}

static void measure(struct chart *chart, yyjson_mut_val *rows)
{
    size_t index, max, width = chart->view->look->width ? chart->view->look->width : WIDTH_ASSUMED;
    size_t name_most = width >= 60 ? 24 : width >= 40 ? 12 : 0;
    yyjson_mut_val *row;
    struct ts_buf label;
    ts_buf_init(&label, 0);
    yyjson_mut_arr_foreach(rows, index, max, row)
    {
        add_label(chart, chart->id, row, &label);
        size_t id = ts_value_width(ts_buf_view(&label));
        add_label(chart, chart->name, row, &label);
        size_t name = ts_value_width(ts_buf_view(&label));
        double total = total_of(chart, row);
        chart->id_width = id > chart->id_width ? id : chart->id_width;
        chart->name_width = name > chart->name_width ? name : chart->name_width;
        chart->scale = total > chart->scale ? total : chart->scale;
    }
    ts_buf_free(&label);
    chart->scale = chart->whole > chart->scale ? chart->whole : chart->scale;
    chart->name_width = chart->name_width > name_most ? name_most : chart->name_width;
    size_t beside = chart->id_width + 1 + (chart->name_width > 0 ? chart->name_width + 1 : 0) + PERCENT_WIDTH;
    chart->bar_width = width > beside + BAR_MIN ? width - beside : BAR_MIN;
}

static const char *heading_of(const struct ts_field *field)
{
    return field->heading ? field->heading : field->key;
}

/* What a full bar stands for. */
static void add_heading(const struct chart *chart, const struct ts_field *whole, yyjson_mut_val *value)
{
    const struct ts_table_look *look = chart->view->look;
    struct ts_buf *out = chart->view->out, rest;
    const char *name = heading_of(chart->of);
    ts_buf_init(&rest, 0);
    struct ts_value_view into = {chart->view->args, look, &rest};
    if (chart->whole > 0) {
        ts_buf_printf(&rest, ", of %s ", heading_of(whole));
        ts_value_add(&into, whole, value, -1);
        ts_value_unit(&into, whole);
    } else {
        ts_buf_text(&rest, ", to the scale of the fullest");
    }
    ts_buf_char(&rest, ':');
    ts_buf_printf(out, "%s%s%s", look->color ? "\033[1m" : "", name, look->color ? "\033[0m" : "");
    ts_value_wrap(out, ts_buf_view(&rest), ts_value_width(ts_str_from(name)), LEGEND_INDENT, look->width);
    ts_buf_char(out, '\n');
    out->failed = out->failed || rest.failed;
    ts_buf_free(&rest);
}

/* One look and what it stands for, on the next line when this one, used so far, has no room. */
static size_t add_meaning(const struct chart *chart, unsigned part, const char *meaning, size_t used)
{
    struct ts_buf *out = chart->view->out;
    size_t room = chart->view->look->width, needed = 2 + ts_value_width(ts_str_from(meaning));
    bool apart = used > 0 && (!room || used + 2 + needed <= room);
    ts_buf_text(out, apart ? "  " : used > 0 ? "\n" : "");
    add_cells(chart, part, 1);
    ts_buf_printf(out, " %s", meaning);
    return needed + (apart ? used + 2 : 0);
}

static void add_legend(const struct chart *chart)
{
    size_t used = 0;
    for (unsigned i = 0; i < chart->count; i++)
        used = add_meaning(chart, i, heading_of(chart->parts[i]), used);
    if (chart->whole > 0)
        add_meaning(chart, PARTS_MAX, "free", used);
    ts_buf_char(chart->view->out, '\n');
}

void ts_bar_view_add(const struct ts_value_view *view, const struct ts_field *fields, const struct ts_field *children,
                     yyjson_mut_val *answer, yyjson_mut_val *rows)
{
    struct chart chart = {.view = view};
    if (!find_parts(&chart, children))
        return;
    const struct ts_field *whole = fields;
    while (whole->key && strcmp(whole->key, chart.of->bar_of) != 0)
        whole++;
    yyjson_mut_val *value = whole->key ? yyjson_mut_obj_get(answer, whole->key) : NULL;
    chart.whole = number_of(value);
    measure(&chart, rows);
    if (chart.scale <= 0)
        return;
    size_t index, max;
    yyjson_mut_val *row;
    add_heading(&chart, whole, value);
    add_legend(&chart);
    yyjson_mut_arr_foreach(rows, index, max, row) add_row(&chart, row);
    ts_buf_char(view->out, '\n');
}
