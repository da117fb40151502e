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

/* Whether the line already names the columns: a field is the slot's. */
static bool is_column_header(struct ts_str line)
{
    bool done = false;
    struct ts_str piece;
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

static enum ts_status parse(struct ts_str line, struct ts_arena *arena, struct ts_device_log_head *out,
                            struct ts_error *error)
{
    struct ts_device_log_head head = {.clock_mhz = TS_ABSENT, .max_cores = -1};
    if (ts_str_starts_with(line, TS_STR("\xef\xbb\xbf")))
        line = ts_str_sub(line, 3, line.len);
    if (!is_column_header(line)) {
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
    struct ts_buf line, clean;
    ts_buf_init(&line, TS_LIMIT_LOG_HEADER);
    ts_buf_init(&clean, 0);
    status = read_first_line(reader, &line, error);
    if (status == TS_OK) {
        ts_utf8_clean(&clean, ts_buf_view(&line));
        status = ts_buf_status(&clean, error);
    }
    if (status == TS_OK) {
        struct ts_str text = ts_arena_copy(arena, ts_buf_view(&clean));
        status = text.ptr ? parse(text, arena, out, error) : ts_arena_error(arena, error);
    }
    ts_buf_free(&clean);
    ts_buf_free(&line);
    ts_reader_close(reader);
    return status;
}
