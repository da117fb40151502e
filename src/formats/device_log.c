#include "formats/device_log.h"

#include "base/limits.h"
#include "base/map.h"
#include "base/number.h"
#include "base/utf8.h"

#define NOT_FOUND ((size_t)-1)

/* Read up to the first line end, or the end of the file. */
static enum ts_status read_first_line(struct ts_reader *reader, struct ts_buf *line, struct ts_error *error)
{
    char block[4096];
    for (;;) {
        size_t got;
        enum ts_status status = ts_reader_read(reader, block, sizeof block, &got, error);
        if (status != TS_OK || got == 0)
            return status;
        size_t end = 0;
        while (end < got && block[end] != '\n' && block[end] != '\r')
            end++;
        ts_buf_add(line, block, end);
        if (line->failed || end < got)
            break;
    }
    if (line->over_limit) {
        struct ts_quote quote;
        return ts_error_set(
            error, TS_LIMIT,
            "%s: the first line is longer than %zu bytes; a device log begins with a short line such as "
            "\"ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\"",
            ts_error_quote(&quote, ts_str_from(ts_reader_path(reader)), TS_QUOTE_FILE), TS_LIMIT_LOG_HEADER);
    }
    return ts_buf_status(line, error);
}

struct ts_str ts_device_log_unmarked(struct ts_str line)
{
    const struct ts_str mark = TS_STR("\xef\xbb\xbf");
    return ts_str_starts_with(line, mark) ? ts_str_sub(line, mark.len, line.len) : line;
}

bool ts_device_log_is_header(struct ts_str line)
{
    bool done = false;
    struct ts_str piece;
    line = ts_device_log_unmarked(line);
    while (ts_str_split(&line, ',', &piece, &done)) {
        if (ts_str_equal(ts_str_trim(piece), TS_STR("PCIe slot")))
            return true;
    }
    return false;
}

/* Take a pair in; a later equal key replaces the earlier. places holds where each key stands. False when memory is out. */
static bool set_pair(struct ts_device_log_head *head, struct ts_map *places, struct ts_str key, struct ts_str value)
{
    bool added;
    uint64_t *place = ts_map_at(places, key, &added);
    if (!place)
        return false;
    if (added)
        *place = head->pair_count++;
    head->pairs[*place] = (struct ts_device_log_pair){key, value};
    if (ts_str_equal(key, TS_STR("ARCH")))
        head->arch = value;
    else if (ts_str_equal(key, TS_STR("CHIP_FREQ[MHz]")))
        head->clock_mhz = ts_number_or_absent(value);
    return true;
}

/* The digits behind "Max Compute Cores:", wherever that stands. */
static int64_t find_max_cores(struct ts_str line)
{
    const struct ts_str key = TS_STR("Max Compute Cores:");
    size_t at = ts_str_find(line, key, 0), len = 0;
    if (at == NOT_FOUND)
        return -1;
    struct ts_str rest = ts_str_trim(ts_str_sub(line, at + key.len, line.len));
    while (len < rest.len && rest.ptr[len] >= '0' && rest.ptr[len] <= '9')
        len++;
    int64_t value;
    return ts_number_parse_i64(ts_str_sub(rest, 0, len), &value) ? value : -1;
}

static bool parse_pairs(struct ts_str line, struct ts_device_log_head *head)
{
    struct ts_map places;
    ts_map_init(&places);
    bool done = false, good = true;
    struct ts_str piece;
    while (good && ts_str_split(&line, ',', &piece, &done)) {
        size_t colon = ts_str_find(piece, TS_STR(":"), 0);
        if (colon != NOT_FOUND)
            good = set_pair(head, &places, ts_str_trim(ts_str_sub(piece, 0, colon)),
                            ts_str_trim(ts_str_sub(piece, colon + 1, piece.len)));
    }
    ts_map_free(&places);
    return good;
}

enum ts_status ts_device_log_head_parse(struct ts_str line, struct ts_arena *arena, struct ts_device_log_head *out,
                                        struct ts_error *error)
{
    struct ts_device_log_head head = {.clock_mhz = TS_ABSENT, .max_cores = -1};
    struct ts_buf clean;
    ts_buf_init(&clean, 0);
    ts_utf8_clean(&clean, line);
    enum ts_status status = ts_buf_status(&clean, error);
    line = status == TS_OK ? ts_arena_copy(arena, ts_buf_view(&clean)) : line;
    ts_buf_free(&clean);
    if (status != TS_OK)
        return status;
    if (!line.ptr)
        return ts_arena_error(arena, error);
    line = ts_device_log_unmarked(line);
    if (!ts_device_log_is_header(line)) {
        size_t pieces = 1;
        for (size_t i = 0; i < line.len; i++)
            pieces += line.ptr[i] == ',';
        head.pairs = TS_ARENA_ARRAY(arena, struct ts_device_log_pair, pieces);
        if (!head.pairs)
            return ts_arena_error(arena, error);
        if (!parse_pairs(line, &head))
            return ts_error_no_memory(error);
        head.max_cores = find_max_cores(line);
    }
    *out = head;
    return TS_OK;
}

enum ts_status ts_device_log_head_read(struct ts_context *context, const char *path, struct ts_arena *arena,
                                       struct ts_device_log_head *out, struct ts_error *error)
{
    struct ts_reader *reader;
    enum ts_status status = ts_reader_open(context, path, &reader, error);
    if (status != TS_OK)
        return status;
    struct ts_buf line;
    ts_buf_init(&line, TS_LIMIT_LOG_HEADER);
    status = read_first_line(reader, &line, error);
    if (status == TS_OK)
        status = ts_device_log_head_parse(ts_buf_view(&line), arena, out, error);
    ts_buf_free(&line);
    ts_reader_close(reader);
    return status;
}

/* ---- columns ---- */

/* In the order in which messages name them, behind timer_id. */
static const struct {
    const char *name;
    enum ts_log_column column;
} columns[] = {
    {"zone name", TS_LOG_ZONE},
    {"run host ID", TS_LOG_RUN},
    {"PCIe slot", TS_LOG_SLOT},
    {"RISC processor type", TS_LOG_RISC},
    {"core_x", TS_LOG_X},
    {"core_y", TS_LOG_Y},
    {"time[cycles since reset]", TS_LOG_TIME},
};

void ts_device_log_layout_parse(struct ts_str header, struct ts_device_log_layout *out)
{
    uint32_t type = TS_LOG_NOWHERE, phase = TS_LOG_NOWHERE, column = 0;
    for (size_t i = 0; i < TS_LOG_COLUMN_COUNT; i++)
        out->at[i] = TS_LOG_NOWHERE;
    out->has_timer = false;
    header = ts_device_log_unmarked(header);
    bool done = false;
    struct ts_str piece;
    for (; ts_str_split(&header, ',', &piece, &done); column++) {
        piece = ts_str_trim(piece);
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
            if (ts_str_is(piece, columns[i].name) && out->at[columns[i].column] == TS_LOG_NOWHERE)
                out->at[columns[i].column] = column;
        if (ts_str_is(piece, "timer_id"))
            out->has_timer = true;
        else if (ts_str_is(piece, "type") && type == TS_LOG_NOWHERE)
            type = column;
        else if (ts_str_is(piece, "zone phase") && phase == TS_LOG_NOWHERE)
            phase = column;
    }
    out->phase = type == TS_LOG_NOWHERE;
    out->at[TS_LOG_TYPE] = out->phase ? phase : type;
}

bool ts_device_log_missing(const struct ts_device_log_layout *layout, struct ts_buf *out)
{
    bool any = !layout->has_timer;
    if (any)
        ts_buf_text(out, "timer_id");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (layout->at[columns[i].column] != TS_LOG_NOWHERE)
            continue;
        ts_buf_text(out, any ? ", " : "");
        ts_buf_text(out, columns[i].name);
        any = true;
    }
    return any;
}
