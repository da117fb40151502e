#include "formats/memory_config.h"

#include "base/number.h"

static const struct ts_str absent = {NULL, 0};

/* ---- taking a text apart ---- */

static bool take(struct ts_str *rest, const char *literal)
{
    struct ts_str prefix = ts_str_from(literal);
    if (!ts_str_starts_with(*rest, prefix))
        return false;
    *rest = ts_str_sub(*rest, prefix.len, rest->len);
    return true;
}

/* The longest run of characters for which is() holds; false when it is empty. */
static bool take_while(struct ts_str *rest, bool (*is)(char c), struct ts_str *out)
{
    size_t len = 0;
    while (len < rest->len && is(rest->ptr[len]))
        len++;
    *out = ts_str_sub(*rest, 0, len);
    *rest = ts_str_sub(*rest, len, rest->len);
    return len > 0;
}

/* What stands before the first `end`, which is taken too. */
static bool take_until(struct ts_str *rest, const char *end, struct ts_str *out)
{
    size_t at = ts_str_find(*rest, ts_str_from(end), 0);
    if (at == (size_t)-1)
        return false;
    *out = ts_str_sub(*rest, 0, at);
    *rest = ts_str_sub(*rest, at + strlen(end), rest->len);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
    return (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_layout(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z') || c == ':';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- the three forms ---- */

bool ts_memory_config_body(struct ts_str text, struct ts_str *body)
{
    if (text.len > 0 && text.ptr[text.len - 1] == '\n')
        text.len--;
    take(&text, "tt::tt_metal::");
    if (!take(&text, "MemoryConfig(") || text.len == 0 || text.ptr[text.len - 1] != ')')
        return false;
    text.len--;
    if (text.len > 0 && memchr(text.ptr, '\n', text.len))
        return false;
    *body = text;
    return true;
}

/* "{h, w}" or "[h, w]" without the opening bracket. */
static bool take_shape(struct ts_str *rest, const char *close, struct ts_memory_config *out)
{
    struct ts_str blanks;
    if (!take_while(rest, is_digit, &out->height) || !take(rest, ","))
        return false;
    take_while(rest, is_blank, &blanks);
    return take_while(rest, is_digit, &out->width) && take(rest, close);
}

static bool take_orientation(struct ts_str *rest, struct ts_memory_config *out)
{
    return take(rest, "orientation=ShardOrientation::") && take_while(rest, is_upper, &out->orientation);
}

/* ShardSpec(grid={[...]},shape={h, w},orientation=ShardOrientation::X, then halo or mode and what follows it. */
static bool take_round(struct ts_str rest, struct ts_memory_config *out)
{
    struct ts_str inner;
    if (!take(&rest, "ShardSpec(grid={[") || !take_until(&rest, "]}", &inner) || !take(&rest, ",shape={"))
        return false;
    out->grid = (struct ts_str){inner.ptr - 1, inner.len + 2};
    if (!take_shape(&rest, "}", out) || !take(&rest, ",") || !take_orientation(&rest, out))
        return false;
    if (take(&rest, ",halo="))
        return take_while(&rest, is_digit, &out->halo) && take(&rest, ")");
    if (take(&rest, ",mode=ShardMode::") && !take_while(&rest, is_upper, &out->mode))
        return false;
    if (take(&rest, ",physical_shard_shape=") && !take_until(&rest, ")", &out->physical))
        return false;
    return out->physical.ptr || take(&rest, ")");
}

/* The numbers behind "x": and "y": in turn, two points to a rectangle; false when they do not come out even. */
static bool write_rectangles(struct ts_str text, struct ts_buf *out)
{
    struct ts_str x[2], y[2], skipped;
    for (unsigned points = 0;; points++) {
        unsigned at = points % 2;
        if (!take_until(&text, "\"x\":", &skipped))
            return points > 0 && at == 0;
        if (!take_while(&text, is_digit, &x[at]) || !take_until(&text, "\"y\":", &skipped) ||
            !take_while(&text, is_digit, &y[at]))
            return false;
        if (at == 1)
            ts_buf_printf(out, "%s[(x=%.*s,y=%.*s) - (x=%.*s,y=%.*s)]", out->len > 0 ? ", " : "", TS_STR_ARG(x[0]),
                          TS_STR_ARG(y[0]), TS_STR_ARG(x[1]), TS_STR_ARG(y[1]));
    }
}

static enum ts_status set_grid(struct ts_arena *arena, struct ts_str written, struct ts_memory_config *out,
                               struct ts_error *error)
{
    struct ts_buf grid;
    ts_buf_init(&grid, 0);
    out->grid = written;
    if (write_rectangles(written, &grid))
        out->grid = grid.failed ? absent : ts_arena_copy(arena, ts_buf_view(&grid));
    ts_buf_free(&grid);
    return out->grid.ptr ? TS_OK : ts_error_no_memory(error);
}

/* ShardSpec{grid=[{"start":{"x":0,"y":0},"end":{"x":7,"y":7}], shape=[h, w], orientation=ShardOrientation::X}: the grid
 * looks like JSON but lacks every second of its doubled braces. */
static bool take_curly(struct ts_str rest, struct ts_memory_config *out, struct ts_str *grid)
{
    if (!take(&rest, "ShardSpec{grid=") || !take_until(&rest, ", shape=[", grid))
        return false;
    return take_shape(&rest, "]", out) && take(&rest, ", ") && take_orientation(&rest, out);
}

/* Behind the first "shard_spec=" that is a key of its own, not the end of another one. */
static bool find_shard_spec(struct ts_str body, struct ts_str *out)
{
    struct ts_str key = TS_STR("shard_spec=");
    for (size_t at = 0; (at = ts_str_find(body, key, at)) != (size_t)-1; at += key.len) {
        if (at > 0 && body.ptr[at - 1] != ',' && body.ptr[at - 1] != '(')
            continue;
        *out = ts_str_sub(body, at + key.len, body.len);
        return true;
    }
    return false;
}

enum ts_status ts_memory_config_parse(struct ts_arena *arena, struct ts_str text, struct ts_memory_config *out,
                                      bool *valid, struct ts_error *error)
{
    struct ts_memory_config config = {.sharded = false};
    struct ts_str body, spec, grid, key = TS_STR("memory_layout=");
    *valid = text.ptr && ts_memory_config_body(text, &body);
    if (!*valid)
        return TS_OK;
    size_t at = ts_str_find(body, key, 0);
    struct ts_str rest = at == (size_t)-1 ? TS_STR("") : ts_str_sub(body, at + key.len, body.len);
    if (!take_while(&rest, is_layout, &config.layout))
        config.layout = absent;
    enum ts_status status = TS_OK;
    struct ts_memory_config round = config, curly = config;
    if (find_shard_spec(body, &spec) && take_round(spec, &round)) {
        config = round;
        config.sharded = true;
    } else if (find_shard_spec(body, &spec) && take_curly(spec, &curly, &grid)) {
        config = curly;
        config.sharded = true;
        status = set_grid(arena, grid, &config, error);
    }
    if (status == TS_OK)
        *out = config;
    return status;
}
