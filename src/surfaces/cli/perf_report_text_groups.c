/* The rows grouped, as a table with bars. */
#include "base/number.h"
#include "base/utf8.h"
#include "surfaces/cli/perf_report_text_labels.h"

enum { BAR_WIDTH = 24, NAME_KEEP = 32, NAME_PADDED_MAX = 72, EIGHTHS = 8 };
#define MICROSECONDS " \xce\xbcs"

enum { SHARE, NAME, DEVICE, TIME, COUNT, CATEGORY, LEAST, MOST, MEAN, DEVIATION, WEIGHTED, BAR, COLUMNS };

struct table {
    const struct ts_perf_text *text;
    const struct ts_stacked_line *lines;
    uint32_t count;
    struct ts_perf_text_column columns[COLUMNS];
    struct ts_perf_text_grid grid;
    double largest_share;
    struct ts_buf name, cell;
};

static void name_group(struct table *table, const struct ts_stacked_group *group)
{
    ts_perf_text_reuse(table->text, &table->name);
    ts_utf8_escape(&table->name, group->name);
}

static double figure(const struct ts_stacked_line *line, unsigned column)
{
    const struct ts_stacked_group *group = line->group;
    switch (column) {
    case SHARE:
        return ts_stacked_share(line);
    case DEVICE:
        return group->device >= 0 ? group->device : TS_ABSENT;
    case TIME:
        return group->device_time_kahan;
    case COUNT:
        return group->count;
    case LEAST:
        return group->flops_min;
    case MOST:
        return group->flops_max;
    case MEAN:
        return group->flops_mean;
    case DEVIATION:
        return group->flops_std;
    case WEIGHTED:
        return group->flops_weighted_mean;
    default:
        return TS_ABSENT;
    }
}

static const struct {
    int places;
    const char *unit; /* NULL: no number */
} forms[COLUMNS] = {
    [SHARE] = {2, " %"}, [DEVICE] = {0, ""}, [TIME] = {2, MICROSECONDS}, [COUNT] = {0, ""},      [LEAST] = {2, " %"},
    [MOST] = {2, " %"},  [MEAN] = {2, " %"}, [DEVIATION] = {2, " %"},    [WEIGHTED] = {2, " %"},
};

static void raise_width(unsigned *largest, unsigned width)
{
    if (width > *largest)
        *largest = width;
}

static void measure(struct table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            if (!forms[column].unit)
                continue;
            struct ts_perf_text_column *to = &table->columns[column];
            ts_perf_text_reuse(table->text, &table->cell);
            unsigned width =
                ts_perf_text_number(&table->cell, figure(&table->lines[i], column), forms[column].places, "");
            raise_width(&to->compact_width, width);
            raise_width(&to->width, width ? width + ts_perf_text_width(ts_str_from(forms[column].unit)) : 0);
        }
        double share = ts_stacked_share(&table->lines[i]);
        table->largest_share = share > table->largest_share ? share : table->largest_share;
        name_group(table, table->lines[i].group);
        raise_width(&table->columns[NAME].width, ts_perf_text_width(ts_buf_view(&table->name)));
    }
    if (table->text->options->width == 0 && table->columns[NAME].width > NAME_PADDED_MAX)
        table->columns[NAME].width = NAME_PADDED_MAX;
    table->columns[NAME].compact_width = table->columns[NAME].width;
}

static void lay_out(struct table *table)
{
    static const struct ts_perf_text_column columns[COLUMNS] = {
        [SHARE] = {.heading = "Total %", .compact_heading = "Total%", .shown = true},
        [NAME] = {.heading = "Op Code", .compact_heading = "Op Code", .left = true, .shown = true},
        [DEVICE] = {.heading = "Device", .compact_heading = "Dev"},
        [TIME] = {.heading = "Device Time Sum",
                  .compact_heading = "Time "
                                     "\xce\xbcs",
                  .shown = true},
        [COUNT] = {.heading = "Op Count", .compact_heading = "Ops", .shown = true},
        [CATEGORY] =
            {.heading = "Op Category", .compact_heading = "Category", .width = 7, .compact_width = 7, .drop = 5},
        [LEAST] = {.heading = "Min FLOPs", .compact_heading = "Min FL%", .drop = 2},
        [MOST] = {.heading = "Max FLOPs", .compact_heading = "Max FL%", .drop = 3},
        [MEAN] = {.heading = "Mean FLOPs", .compact_heading = "Mean FL%", .drop = 4},
        [DEVIATION] = {.heading = "Std FLOPs", .compact_heading = "Std FL%", .drop = 1},
        [WEIGHTED] = {.heading = "Weighted Mean FLOPs", .compact_heading = "FLOPs%", .drop = 6},
        [BAR] = {.heading = "",
                 .compact_heading = "",
                 .width = BAR_WIDTH,
                 .compact_width = BAR_WIDTH / 2,
                 .left = true,
                 .drop = 7,
                 .shown = true},
    };
    memcpy(table->columns, columns, sizeof columns);
    table->columns[DEVICE].shown = table->text->options->per_device;
    for (unsigned column = CATEGORY; column <= WEIGHTED; column++)
        table->columns[column].shown = table->text->options->by != TS_STACKED_CATEGORY;
    measure(table);
    table->grid =
        (struct ts_perf_text_grid){.columns = table->columns, .count = COLUMNS, .flexible = NAME, .keep = NAME_KEEP};
    ts_perf_text_fit(&table->grid, table->text->options->width);
}

/* A bar in eighths of a column, the largest share filling the width; something is better seen than nothing. */
static unsigned add_bar(struct ts_buf *out, double share, double largest, unsigned width)
{
    double exact = largest > 0 ? share / largest * width * EIGHTHS : 0;
    unsigned eighths = exact > 0 ? exact < width * EIGHTHS ? (unsigned)(exact + 0.5) : width * EIGHTHS : 0;
    if (eighths == 0 && share > 0)
        eighths = 1;
    unsigned columns = 0;
    for (; eighths >= EIGHTHS; eighths -= EIGHTHS, columns++)
        ts_buf_text(out, "\xe2\x96\x88");
    if (eighths) {
        const char part[4] = {'\xe2', '\x96', (char)(0x90 - (int)eighths), '\0'};
        ts_buf_text(out, part);
        columns++;
    }
    return columns;
}

static enum ts_text_color category_color(enum ts_op_category category)
{
    static const enum ts_text_color colors[] = {
        [TS_CATEGORY_COMPUTE] = TS_COLOR_MAGENTA, [TS_CATEGORY_CCL] = TS_COLOR_CYAN,
        [TS_CATEGORY_TM] = TS_COLOR_YELLOW,       [TS_CATEGORY_DM] = TS_COLOR_GREEN,
        [TS_CATEGORY_HOST] = TS_COLOR_RED,        [TS_CATEGORY_OTHER] = TS_COLOR_GREY,
        [TS_CATEGORY_NONE] = TS_COLOR_PLAIN,
    };
    return colors[category];
}

static void put_cell(struct table *table, const struct ts_stacked_line *line, unsigned column)
{
    const struct ts_perf_text *text = table->text;
    const struct ts_stacked_group *group = line->group;
    unsigned width;
    enum ts_text_color color = TS_COLOR_PLAIN;
    ts_perf_text_reuse(table->text, &table->cell);
    if (column == NAME) {
        name_group(table, group);
        unsigned room = table->grid.compact ? table->columns[NAME].compact_width : table->columns[NAME].width;
        width = ts_perf_label_fit(&table->cell, ts_buf_view(&table->name), text->options->width ? room : UINT32_MAX);
        color = ts_perf_text_op_color(group->name, group->category == TS_CATEGORY_HOST);
    } else if (column == CATEGORY) {
        const char *name = ts_op_category_name(group->category);
        ts_buf_text(&table->cell, name ? name : "");
        width = (unsigned)table->cell.len;
    } else if (column == BAR) {
        width = add_bar(&table->cell, ts_stacked_share(line), table->largest_share,
                        table->grid.compact ? table->columns[BAR].compact_width : table->columns[BAR].width);
        color = category_color(group->category);
    } else {
        width = ts_perf_text_number(&table->cell, figure(line, column), forms[column].places,
                                    table->grid.compact ? "" : forms[column].unit);
    }
    ts_perf_text_cell(text, &table->grid, column, ts_buf_view(&table->cell), width, color);
}

static void put_table(struct table *table)
{
    unsigned width = ts_perf_text_grid_width(&table->grid);
    ts_perf_text_headings(table->text, &table->grid);
    ts_perf_text_rule(table->text, width);
    for (uint32_t i = 0; i < table->count; i++) {
        size_t start = table->text->out->len;
        for (unsigned column = 0; column < COLUMNS; column++)
            put_cell(table, &table->lines[i], column);
        ts_perf_text_end_line(table->text, start);
    }
    ts_perf_text_rule(table->text, width);
    ts_perf_text_left_out(table->text, &table->grid);
}

enum ts_status ts_perf_text_groups(const struct ts_perf_text *text, struct ts_error *error)
{
    if (!text->stacked || text->stacked->count == 0)
        return TS_OK;
    struct table table = {.text = text, .lines = ts_stacked_rank(text->stacked), .count = text->stacked->count};
    if (!table.lines)
        return ts_arena_error(&text->stacked->arena, error);
    ts_buf_init(&table.name, 0);
    ts_buf_init(&table.cell, 0);
    ts_perf_text_section(text, "Stacked report");
    ts_buf_char(text->out, '\n');
    lay_out(&table);
    put_table(&table);
    ts_perf_text_done(text, &table.name);
    ts_perf_text_done(text, &table.cell);
    return TS_OK;
}
