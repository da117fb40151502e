#include "transforms/stacked_svg.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/write.h"

enum {
    LEGEND_MAX = 24, /* entries; what is left goes into one more */
    DEVICES_MAX = 64,
    NAME_MAX = 52, /* characters of a name */
    SHADES = 4,
    CLASSIC = 20,
    TICKS_WANTED = 8,
};
/* Pixels. */
enum { TOP = 70, BOTTOM = 46, AXIS = 92, BAR = 150, BAR_OF_MANY = 56, BETWEEN = 18, ENTRY = 25, HEIGHT_MIN = 560 };
enum {
    LEADER = 60,
    SHARE_END = 70,
    NAME_AT = 80,
    TIME_END = 530,
    COUNT_END = 596,
    FLOPS_AT = 616,
    LEGEND = 790,
    KEY = 84
};

struct entry {
    struct ts_str name;
    enum ts_op_category category;
    const char *color;
    double time; /* us, over all devices */
    uint64_t count;
    double share; /* of all device time, percent */
    double flops_min, flops_max, flops_weighted_mean;
};
struct picture {
    const struct ts_stacked_svg_options *options;
    const struct ts_stacked_line *lines;
    uint32_t line_count;
    struct entry *entries;
    uint32_t entry_count;
    uint32_t others; /* groups in the last entry; 0: it is a group itself */
    struct ts_map by_name;
    int32_t devices[DEVICES_MAX];
    uint32_t device_count, devices_left_out;
    double highest; /* us of the highest bar */
    double all;     /* us of all bars */
    unsigned height;
    struct ts_buf *out;
};

/* ---- colours ---- */

/* Dark enough for white letters; shades of one category lie side by side. */
static const char *const category_colors[][SHADES] = {
    [TS_CATEGORY_COMPUTE] = {"#3b3f8f", "#5560b4", "#454ba3", "#6a78c9"},
    [TS_CATEGORY_CCL] = {"#0f6f7c", "#2a93a0", "#1b808d", "#4aa9b5"},
    [TS_CATEGORY_TM] = {"#96600a", "#b97f26", "#a86f16", "#c99442"},
    [TS_CATEGORY_DM] = {"#2f6f3a", "#4c9158", "#3c8048", "#68a873"},
    [TS_CATEGORY_HOST] = {"#9c2f2f", "#bd5050", "#ac3f3f", "#cd6b6b"},
    [TS_CATEGORY_OTHER] = {"#555a60", "#7a8087", "#676c73", "#90969d"},
    [TS_CATEGORY_NONE] = {"#555a60", "#7a8087", "#676c73", "#90969d"},
};
static const char *const classic_colors[CLASSIC] = {
    "#2b6cb0", "#dd6b20", "#2f855a", "#c53030", "#6b46c1", "#7b4b3a", "#b83280", "#4a5568", "#8a8d1f", "#0f8a96",
    "#7aa7d9", "#f0a468", "#7cc09a", "#e38a8a", "#ab97de", "#b3907f", "#dd92bd", "#98a2b3", "#c9cc6b", "#74c3cb",
};

static void color_entries(struct picture *picture)
{
    unsigned used[TS_CATEGORY_NONE + 1] = {0};
    for (uint32_t i = 0; i < picture->entry_count; i++) {
        struct entry *entry = &picture->entries[i];
        if (picture->others && i + 1 == picture->entry_count)
            entry->color = "#a8adb3";
        else if (picture->options->classic_colors)
            entry->color = classic_colors[i % CLASSIC];
        else
            entry->color = category_colors[entry->category][used[entry->category]++ % SHADES];
    }
}

/* ---- what is drawn ---- */

static bool add_device(struct picture *picture, int32_t device)
{
    for (uint32_t i = 0; i < picture->device_count; i++)
        if (picture->devices[i] == device)
            return true;
    if (picture->device_count == DEVICES_MAX)
        return false;
    picture->devices[picture->device_count++] = device;
    return true;
}

static int by_number(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* One entry a name, all devices together. False when memory is out. */
static bool add_entries(struct picture *picture)
{
    for (uint32_t i = 0; i < picture->line_count; i++) {
        const struct ts_stacked_group *group = picture->lines[i].group;
        bool added;
        uint64_t *number = ts_map_at(&picture->by_name, group->name, &added);
        if (!number)
            return false;
        if (added) {
            *number = picture->entry_count;
            picture->entries[picture->entry_count++] = (struct entry){
                .name = group->name,
                .category = group->category,
                .flops_min = TS_ABSENT,
                .flops_max = TS_ABSENT,
                .flops_weighted_mean = group->flops_weighted_mean,
            };
        }
        struct entry *entry = &picture->entries[*number];
        entry->time += group->device_time_kahan;
        entry->count += group->count;
        if (!(entry->flops_min <= group->flops_min))
            entry->flops_min = group->flops_min;
        if (!(entry->flops_max >= group->flops_max))
            entry->flops_max = group->flops_max;
        picture->devices_left_out += !add_device(picture, group->device);
        picture->all += group->device_time_kahan;
    }
    return true;
}

static int by_time(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    return ts_str_compare(a->name, b->name);
}

/* The entries in order, those that do not fit as one. */
static bool rank_entries(struct picture *picture)
{
    qsort(picture->entries, picture->entry_count, sizeof *picture->entries, by_time);
    if (picture->entry_count > LEGEND_MAX + 1) {
        struct entry *last = &picture->entries[LEGEND_MAX];
        struct entry rest = {.category = TS_CATEGORY_OTHER,
                             .flops_min = TS_ABSENT,
                             .flops_max = TS_ABSENT,
                             .flops_weighted_mean = TS_ABSENT};
        picture->others = picture->entry_count - LEGEND_MAX;
        for (uint32_t i = LEGEND_MAX; i < picture->entry_count; i++) {
            rest.time += picture->entries[i].time;
            rest.count += picture->entries[i].count;
        }
        *last = rest;
        picture->entry_count = LEGEND_MAX + 1;
    }
    ts_map_free(&picture->by_name);
    ts_map_init(&picture->by_name);
    for (uint32_t i = 0; i < picture->entry_count; i++) {
        struct entry *entry = &picture->entries[i];
        entry->share = picture->all > 0 ? entry->time / picture->all * 100 : 0;
        bool other = picture->others && i + 1 == picture->entry_count;
        uint64_t *number = other ? NULL : ts_map_at(&picture->by_name, entry->name, NULL);
        if (!other && !number)
            return false;
        if (number)
            *number = i;
    }
    color_entries(picture);
    return true;
}

/* Times of the entries on one device; returns their sum. */
static double device_times(const struct picture *picture, int32_t device, double times[LEGEND_MAX + 1])
{
    double sum = 0;
    for (uint32_t i = 0; i <= LEGEND_MAX; i++)
        times[i] = 0;
    for (uint32_t i = 0; i < picture->line_count; i++) {
        const struct ts_stacked_group *group = picture->lines[i].group;
        if (group->device != device)
            continue;
        const uint64_t *number = ts_map_find(&picture->by_name, group->name);
        times[number ? *number : LEGEND_MAX] += group->device_time_kahan;
        sum += group->device_time_kahan;
    }
    return sum;
}

/* ---- writing ---- */

static void add_number(struct ts_buf *out, double value, int places)
{
    char text[TS_NUMBER_TEXT_MAX];
    if (ts_present(value))
        ts_buf_add(out, text, ts_number_fixed(value, places, text));
}

static void add_grouped(struct ts_buf *out, double value, int places)
{
    char text[TS_NUMBER_TEXT_MAX];
    if (ts_present(value))
        ts_buf_add(out, text, ts_number_grouped(value, places, text));
}

/* Text of a capture: no characters that XML forbids, none that it gives a meaning to. */
static void add_escaped(struct ts_buf *out, struct ts_str text)
{
    struct ts_buf safe;
    ts_buf_init(&safe, 0);
    ts_utf8_escape(&safe, ts_utf8_cut(text, NAME_MAX));
    struct ts_str view = ts_buf_view(&safe);
    for (size_t i = 0; i < view.len; i++) {
        char c = view.ptr[i];
        if (c == '&' || c == '<' || c == '>' || c == '"')
            ts_buf_printf(out, "&#%d;", c);
        else
            ts_buf_char(out, c);
    }
    if (ts_utf8_count(text) > NAME_MAX)
        ts_buf_text(out, "\xe2\x80\xa6");
    out->failed = out->failed || safe.failed;
    ts_buf_free(&safe);
}

static void add_name(struct picture *picture, uint32_t number)
{
    if (picture->others && number + 1 == picture->entry_count)
        ts_buf_printf(picture->out, "%u more groups", picture->others);
    else
        add_escaped(picture->out, picture->entries[number].name);
}

/* Begin a text element; what follows is its content. */
static void open_text(struct ts_buf *out, double x, double y, const char *attributes)
{
    ts_buf_text(out, "<text x=\"");
    add_number(out, x, 1);
    ts_buf_text(out, "\" y=\"");
    add_number(out, y, 1);
    ts_buf_printf(out, "\"%s>", attributes);
}

static void add_title(struct picture *picture, unsigned width)
{
    static const char *const by[] = {[TS_STACKED_OP] = "operation",
                                     [TS_STACKED_CATEGORY] = "category",
                                     [TS_STACKED_MEMORY] = "operation and memory"};
    struct ts_buf *out = picture->out;
    unsigned height = picture->height + TOP + BOTTOM;
    ts_buf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
                  "font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"13\" fill=\"#22262b\">\n"
                  "<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n",
                  width, height, width, height, width, height);
    open_text(out, AXIS, 32, " font-size=\"18\" font-weight=\"bold\"");
    ts_buf_printf(out, "Device time by %s: ", by[picture->options->by]);
    add_grouped(out, picture->all, 1);
    ts_buf_text(out, " \xce\xbcs");
    if (picture->device_count > 1)
        ts_buf_printf(out, " on %u devices", picture->device_count);
    ts_buf_text(out, "</text>\n");
}

/* 1, 2 or 5 times a power of ten, so that about TICKS_WANTED ticks fit. */
static double tick_step(double highest)
{
    double step = 1e-3;
    static const double factors[] = {2, 2.5, 2};
    for (unsigned i = 0; highest / step > TICKS_WANTED && step < 1e15; i++)
        step *= factors[i % 3];
    return step;
}

static double y_of(const struct picture *picture, double time)
{
    return TOP + picture->height - (picture->highest > 0 ? time / picture->highest * picture->height : 0);
}

static void add_axis(struct picture *picture, unsigned bars_end)
{
    struct ts_buf *out = picture->out;
    double step = tick_step(picture->highest);
    int places = step < 0.01 ? 3 : step < 0.1 ? 2 : step < 1 ? 1 : 0;
    if (!(picture->highest > 0))
        return;
    for (unsigned i = 0; i <= 4 * TICKS_WANTED && step * i <= picture->highest; i++) {
        double y = y_of(picture, step * i);
        ts_buf_printf(out, "<line x1=\"%d\" x2=\"%u\" stroke=\"#d9dce0\" y1=\"", AXIS - 6, bars_end);
        add_number(out, y, 1);
        ts_buf_text(out, "\" y2=\"");
        add_number(out, y, 1);
        ts_buf_text(out, "\"/>\n");
        open_text(out, AXIS - 10, y + 4, " text-anchor=\"end\" fill=\"#5b6168\" font-size=\"12\"");
        add_grouped(out, step * i, places);
        ts_buf_text(out, "</text>\n");
    }
    open_text(out, AXIS - 10, TOP - 14, " text-anchor=\"end\" fill=\"#5b6168\" font-size=\"12\"");
    ts_buf_text(out, "\xce\xbcs</text>\n");
}

static void add_segment(struct picture *picture, uint32_t number, double x, double width, double from, double time)
{
    struct ts_buf *out = picture->out;
    double top = y_of(picture, from + time), height = y_of(picture, from) - top;
    ts_buf_text(out, "<rect x=\"");
    add_number(out, x, 1);
    ts_buf_text(out, "\" width=\"");
    add_number(out, width, 1);
    ts_buf_text(out, "\" y=\"");
    add_number(out, top, 2);
    ts_buf_text(out, "\" height=\"");
    add_number(out, height, 2);
    ts_buf_printf(out, "\" fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.5\"><title>",
                  picture->entries[number].color);
    add_name(picture, number);
    ts_buf_text(out, ": ");
    add_grouped(out, time, 2);
    ts_buf_text(out, " \xce\xbcs</title></rect>\n");
    if (height < 16 || picture->options->per_device)
        return;
    open_text(out, x + width / 2, top + height / 2 + 4.5, " text-anchor=\"middle\" fill=\"#ffffff\"");
    add_number(out, picture->entries[number].share, 1);
    ts_buf_text(out, " %</text>\n");
}

/* A curve from the middle of a segment to its entry in the legend. */
static void add_leader(struct picture *picture, double x, double y, double to_x, double to_y, uint32_t number)
{
    struct ts_buf *out = picture->out;
    double middle = (x + to_x) / 2;
    const double points[] = {x, y, middle, y, middle, to_y, to_x, to_y};
    ts_buf_printf(out, "<path fill=\"none\" stroke=\"%s\" d=\"", picture->entries[number].color);
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++) {
        ts_buf_text(out, i == 0 ? "M" : i == 2 ? " C" : " ");
        add_number(out, points[i], 1);
    }
    ts_buf_text(out, "\"/>\n");
}

static double entry_y(uint32_t number)
{
    return TOP + ENTRY * (number + 0.5);
}

static void add_bars(struct picture *picture, unsigned bar, unsigned legend_x)
{
    double times[LEGEND_MAX + 1];
    struct ts_buf *out = picture->out;
    for (uint32_t device = 0; device < picture->device_count; device++) {
        double x = AXIS + (double)device * (bar + BETWEEN);
        double above = device_times(picture, picture->devices[device], times);
        for (uint32_t i = 0; i < picture->entry_count; i++) {
            above -= times[i];
            double bottom = above > 0 ? above : 0;
            if (times[i] > 0)
                add_segment(picture, i, x, bar, bottom, times[i]);
            double y = y_of(picture, bottom + times[i] / 2);
            if (picture->device_count == 1 && times[i] > 0)
                add_leader(picture, x + bar, y, legend_x, entry_y(i), i);
        }
        if (!picture->options->per_device)
            continue;
        open_text(out, x + bar / 2.0, TOP + picture->height + 20, " text-anchor=\"middle\"");
        ts_buf_printf(out, "%d</text>\n", picture->devices[device]);
    }
    if (!picture->options->per_device)
        return;
    open_text(out, AXIS, TOP + picture->height + 38, " fill=\"#5b6168\" font-size=\"12\"");
    ts_buf_text(out, "device");
    if (picture->devices_left_out)
        ts_buf_printf(out, " (the first %d; the others are not drawn)", DEVICES_MAX);
    ts_buf_text(out, "</text>\n");
}

static void add_legend_heading(struct picture *picture, unsigned x)
{
    static const char style[] = " fill=\"#5b6168\" font-size=\"12\"",
                      end[] = " text-anchor=\"end\" fill=\"#5b6168\" font-size=\"12\"";
    struct ts_buf *out = picture->out;
    open_text(out, x + TIME_END, TOP - 14, end);
    ts_buf_text(out, "\xce\xbcs</text>\n");
    open_text(out, x + COUNT_END, TOP - 14, end);
    ts_buf_text(out, "ops</text>\n");
    if (picture->options->by == TS_STACKED_CATEGORY)
        return;
    open_text(out, x + FLOPS_AT, TOP - 14, style);
    ts_buf_text(out, "% of peak FLOPs</text>\n");
}

static void add_flops(struct picture *picture, const struct entry *entry, double x, double y)
{
    struct ts_buf *out = picture->out;
    if (picture->options->by == TS_STACKED_CATEGORY || !ts_present(entry->flops_max))
        return;
    open_text(out, x, y, " fill=\"#5b6168\"");
    add_number(out, entry->flops_min, 1);
    if (entry->flops_max > entry->flops_min) {
        ts_buf_text(out, " to ");
        add_number(out, entry->flops_max, 1);
        if (ts_present(entry->flops_weighted_mean)) {
            ts_buf_text(out, ", mean ");
            add_number(out, entry->flops_weighted_mean, 1);
        }
    }
    ts_buf_text(out, "</text>\n");
}

static void add_legend(struct picture *picture, unsigned x)
{
    struct ts_buf *out = picture->out;
    add_legend_heading(picture, x);
    for (uint32_t i = 0; i < picture->entry_count; i++) {
        const struct entry *entry = &picture->entries[i];
        double y = entry_y(i) + 4.5;
        ts_buf_printf(out, "<rect x=\"%u\" width=\"8\" height=\"16\" rx=\"2\" fill=\"%s\" y=\"", x, entry->color);
        add_number(out, y - 12.5, 1);
        ts_buf_text(out, "\"/>\n");
        open_text(out, x + SHARE_END, y, " text-anchor=\"end\" font-weight=\"bold\"");
        add_number(out, entry->share, 1);
        ts_buf_text(out, " %</text>\n");
        open_text(out, x + NAME_AT, y, "");
        add_name(picture, i);
        ts_buf_text(out, "</text>\n");
        open_text(out, x + TIME_END, y, " text-anchor=\"end\"");
        add_grouped(out, entry->time, 1);
        ts_buf_text(out, "</text>\n");
        open_text(out, x + COUNT_END, y, " text-anchor=\"end\"");
        add_grouped(out, (double)entry->count, 0);
        ts_buf_text(out, "</text>\n");
        add_flops(picture, entry, x + FLOPS_AT, y);
    }
}

/* Which category a colour stands for, below the legend. */
static void add_color_key(struct picture *picture, unsigned x)
{
    bool there[TS_CATEGORY_NONE + 1] = {false};
    struct ts_buf *out = picture->out;
    unsigned y = TOP + picture->height + 26;
    if (picture->options->classic_colors)
        return;
    for (uint32_t i = 0; i < picture->entry_count - (picture->others > 0); i++)
        there[picture->entries[i].category] = true;
    for (unsigned category = 0; category < TS_CATEGORY_NONE; category++) {
        if (!there[category])
            continue;
        ts_buf_printf(out, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" rx=\"2\" fill=\"%s\"/>\n", x, y - 9,
                      category_colors[category][0]);
        open_text(out, x + 15, y, " fill=\"#5b6168\" font-size=\"12\"");
        ts_buf_printf(out, "%s</text>\n", ts_op_category_name((enum ts_op_category)category));
        x += KEY;
    }
}

static void draw(struct picture *picture)
{
    double times[LEGEND_MAX + 1];
    unsigned bar = picture->device_count > 1 ? BAR_OF_MANY : BAR;
    unsigned bars_end = AXIS + picture->device_count * (bar + BETWEEN) - BETWEEN;
    unsigned legend_x = bars_end + LEADER;
    unsigned legend_height = ENTRY * picture->entry_count;
    picture->height = legend_height > HEIGHT_MIN ? legend_height : HEIGHT_MIN;
    for (uint32_t i = 0; i < picture->device_count; i++) {
        double sum = device_times(picture, picture->devices[i], times);
        picture->highest = sum > picture->highest ? sum : picture->highest;
    }
    add_title(picture, legend_x + LEGEND);
    add_axis(picture, bars_end);
    add_bars(picture, bar, legend_x - 4);
    add_legend(picture, legend_x);
    add_color_key(picture, legend_x);
    ts_buf_text(picture->out, "</svg>\n");
}

static enum ts_status make(struct picture *picture, struct ts_stacked *stacked, struct ts_error *error)
{
    picture->lines = ts_stacked_rank(stacked);
    picture->entries = TS_ARENA_ARRAY(&stacked->arena, struct entry, (size_t)stacked->count + 1);
    if (!picture->lines || !picture->entries)
        return ts_arena_error(&stacked->arena, error);
    picture->line_count = stacked->count;
    if (!add_entries(picture) || !rank_entries(picture))
        return ts_error_no_memory(error);
    qsort(picture->devices, picture->device_count, sizeof *picture->devices, by_number);
    draw(picture);
    return ts_buf_status(picture->out, error);
}

enum ts_status ts_stacked_svg_write(struct ts_context *context, struct ts_stacked *stacked,
                                    const struct ts_stacked_svg_options *options, const char *path,
                                    struct ts_error *error)
{
    struct ts_buf out;
    struct picture picture = {.options = options, .out = &out};
    struct ts_writer *writer;
    ts_buf_init(&out, context->memory_limit);
    ts_map_init(&picture.by_name);
    enum ts_status status = make(&picture, stacked, error);
    if (status == TS_OK)
        status = ts_writer_create(context, path, &writer, error);
    if (status == TS_OK) {
        ts_writer_str(writer, ts_buf_view(&out));
        status = ts_writer_commit(writer, error);
    }
    ts_map_free(&picture.by_name);
    ts_buf_free(&out);
    return status;
}
