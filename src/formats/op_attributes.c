#include "formats/op_attributes.h"

#include "base/number.h"
#include "base/utf8.h"

#define NOT_FOUND ((size_t)-1)

static const double largest_dimension = 4294967296.0;

/* ---- pieces of text ---- */

static struct ts_str from(struct ts_str s, size_t start)
{
    return ts_str_sub(s, start, s.len);
}

/* The text before the first mark, or all of it. */
static struct ts_str before(struct ts_str s, struct ts_str mark)
{
    size_t at = ts_str_find(s, mark, 0);
    return at == NOT_FOUND ? s : ts_str_sub(s, 0, at);
}

/* The text behind the first key, up to the same key again or the end. False when the key does not occur. */
static bool after_key(struct ts_str text, struct ts_str key, struct ts_str *out)
{
    size_t at = ts_str_find(text, key, 0);
    if (at == NOT_FOUND)
        return false;
    *out = before(from(text, at + key.len), key);
    return true;
}

static struct ts_str without_first_character(struct ts_str s)
{
    size_t len;
    if (s.len == 0)
        return s;
    ts_utf8_decode(s, &len);
    return from(s, len);
}

static struct ts_str without_last_character(struct ts_str s)
{
    if (s.len == 0)
        return s;
    s.len--;
    while (s.len > 0 && ((unsigned char)s.ptr[s.len] & 0xc0) == 0x80)
        s.len--;
    return s;
}

/* ---- block sizes of a program config ---- */

/* The digits behind the first key that has some. */
static int32_t digits_after(struct ts_str text, struct ts_str key)
{
    for (size_t at = 0; (at = ts_str_find(text, key, at)) != NOT_FOUND;) {
        at += key.len;
        size_t end = at;
        while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9')
            end++;
        if (end == at)
            continue;
        int64_t value;
        bool fits = ts_number_parse_i64(ts_str_sub(text, at, end - at), &value) && value <= INT32_MAX;
        return fits ? (int32_t)value : TS_ATTRIBUTE_ABSENT;
    }
    return TS_ATTRIBUTE_ABSENT;
}

static void parse_program_config(struct ts_str cell, struct ts_op_attributes *out)
{
    if (!ts_str_contains(cell, TS_STR("program_config")))
        return;
    out->in0_block_w = digits_after(cell, TS_STR("in0_block_w="));
    out->out_subblock_h = digits_after(cell, TS_STR("out_subblock_h="));
    out->out_subblock_w = digits_after(cell, TS_STR("out_subblock_w="));
}

/* ---- matmul ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Where the value of a quoted name begins: behind QnameQ, a colon and white space; for the first occurrence at or after
 * *at, which moves behind it. NOT_FOUND when there is none. */
static size_t find_value(struct ts_str text, struct ts_str name, char quote, size_t *at)
{
    for (size_t found = *at; (found = ts_str_find(text, name, found)) != NOT_FOUND;) {
        size_t end = found + name.len;
        bool named = found > 0 && text.ptr[found - 1] == quote && text.len - end >= 2 && text.ptr[end] == quote &&
                     text.ptr[end + 1] == ':';
        found = end;
        if (!named)
            continue;
        *at = end;
        for (end += 2; end < text.len && is_space(text.ptr[end]);)
            end++;
        return end;
    }
    return NOT_FOUND;
}

/* The value in quotes of the same kind as those of the name, if it is not empty. */
static bool quoted_value(struct ts_str text, struct ts_str name, char quote, struct ts_str *out)
{
    for (size_t at = 0, value; (value = find_value(text, name, quote, &at)) != NOT_FOUND;) {
        if (value == text.len || text.ptr[value] != quote)
            continue;
        size_t end = ts_str_find(text, (struct ts_str){&quote, 1}, value + 1);
        if (end == NOT_FOUND || end == value + 1)
            continue;
        *out = ts_str_sub(text, value + 1, end - value - 1);
        return true;
    }
    return false;
}

/* The value without quotes of a name in single ones: up to ; , } or white space. */
static bool bare_value(struct ts_str text, struct ts_str name, struct ts_str *out)
{
    for (size_t at = 0, value; (value = find_value(text, name, '\'', &at)) != NOT_FOUND;) {
        size_t end = value;
        while (end < text.len && text.ptr[end] != ';' && text.ptr[end] != ',' && text.ptr[end] != '}' &&
               !is_space(text.ptr[end]))
            end++;
        if (end == value)
            continue;
        *out = ts_str_sub(text, value, end - value);
        return true;
    }
    return false;
}

static bool named_value(struct ts_str text, struct ts_str name, struct ts_str *out)
{
    return ts_str_contains(text, name) &&
           (quoted_value(text, name, '\'', out) || quoted_value(text, name, '"', out) || bare_value(text, name, out));
}

static bool named_flag(struct ts_str text, struct ts_str name, bool absent)
{
    struct ts_str value;
    if (!named_value(text, name, &value))
        return absent;
    const char *wanted = "true";
    if (value.len != 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        char c = value.ptr[i];
        if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != wanted[i])
            return false;
    }
    return true;
}

static void parse_matmul(struct ts_str cell, struct ts_op_attributes *out)
{
    out->dram_sharded = ts_str_contains(cell, TS_STR("MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"));
    out->input_a_sparse = named_flag(cell, TS_STR("is_input_a_sparse"), out->input_a_sparse);
    out->input_b_sparse = named_flag(cell, TS_STR("is_input_b_sparse"), out->input_b_sparse);
    struct ts_str value;
    int64_t nnz;
    if (named_value(cell, TS_STR("nnz"), &value) && ts_number_parse_i64(value, &nnz)) {
        out->nnz = nnz;
        out->has_nnz = true;
    }
}

/* ---- convolution ---- */

/* The integer between the character behind the key and the next semicolon. */
static int64_t integer_after(struct ts_str cell, struct ts_str key)
{
    struct ts_str text;
    int64_t value;
    if (!after_key(cell, key, &text))
        return INT64_MIN;
    text = without_first_character(before(text, TS_STR(";")));
    return ts_number_parse_i64(text, &value) ? value : INT64_MIN;
}

/* Whether the convolution prints a flag: the attribute is absent or exactly true. key reaches up to the value. */
static bool flag_prints(struct ts_str cell, struct ts_str key)
{
    struct ts_str text;
    return !after_key(cell, key, &text) || ts_str_equal(before(text, TS_STR("'")), TS_STR("true"));
}

static double window_dimension(struct ts_str text)
{
    double value;
    int64_t whole;
    if (!ts_number_parse_whole(text, &whole))
        return TS_ABSENT;
    value = (double)whole;
    return value >= 1 && value <= largest_dimension ? value : TS_ABSENT;
}

/* "=(7;7); stride_hw=..." */
static void parse_window(struct ts_str cell, struct ts_op_attributes *out)
{
    struct ts_str text, piece;
    if (!after_key(cell, TS_STR("window_hw"), &text))
        return;
    text = before(text, TS_STR("; "));
    text = without_last_character(without_first_character(without_first_character(text)));
    piece = before(text, TS_STR(";"));
    if (piece.len == text.len)
        return;
    out->window_h = window_dimension(piece);
    out->window_w = window_dimension(before(from(text, piece.len + 1), TS_STR(";")));
}

static void parse_conv(struct ts_str cell, struct ts_op_attributes *out)
{
    out->act_double_buffer = flag_prints(cell, TS_STR("enable_act_double_buffer': '"));
    out->split_reader = flag_prints(cell, TS_STR("enable_split_reader': '"));
    out->act_block_h = integer_after(cell, TS_STR("act_block_h_ntiles"));
    out->per_core_out_h = integer_after(cell, TS_STR("per_core_out_matrix_height_ntile"));
    parse_window(cell, out);
}

/* ---- halo ---- */

/* The first count pieces between semicolons behind the key, joined by commas; "x" when the key does not occur. */
static void add_pieces(struct ts_buf *text, struct ts_str cell, struct ts_str key, unsigned count)
{
    struct ts_str rest;
    if (!after_key(cell, key, &rest)) {
        ts_buf_char(text, 'x');
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        struct ts_str piece = before(rest, TS_STR(";"));
        if (i > 0)
            ts_buf_char(text, ',');
        ts_buf_str(text, piece);
        if (piece.len == rest.len)
            return;
        rest = from(rest, piece.len + 1);
    }
}

/* "TensorMemoryLayout::HEIGHT_SHARDED" */
static struct ts_str halo_layout(struct ts_str cell)
{
    struct ts_str layout;
    if (after_key(cell, TS_STR("memory_layout="), &layout) &&
        after_key(before(layout, TS_STR(";")), TS_STR("::"), &layout))
        return layout;
    return TS_STR("x");
}

bool ts_op_attributes_parse_halo(struct ts_str cell, struct ts_intern *intern, struct ts_op_attributes *out)
{
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "w=");
    add_pieces(&text, cell, TS_STR("window_hw="), 2);
    ts_buf_text(&text, " s=");
    add_pieces(&text, cell, TS_STR("stride_hw="), 2);
    ts_buf_text(&text, " p=");
    add_pieces(&text, cell, TS_STR("padding="), 4);
    ts_buf_text(&text, " d=");
    add_pieces(&text, cell, TS_STR("dilation_hw="), 2);
    ts_buf_text(&text, " | ");
    ts_buf_str(&text, halo_layout(cell));
    uint32_t id = text.failed ? UINT32_MAX : ts_intern_add(intern, ts_buf_view(&text));
    ts_buf_free(&text);
    if (id == UINT32_MAX)
        return false;
    out->halo = id;
    return true;
}

/* ---- all of them ---- */

bool ts_op_attributes_parse(struct ts_str cell, enum ts_op_attributes_kind kind, struct ts_intern *intern,
                            struct ts_op_attributes *out)
{
    struct ts_op_attributes found = {
        .input_b_sparse = true,
        .act_double_buffer = true,
        .split_reader = true,
        .nnz = -1,
        .in0_block_w = TS_ATTRIBUTE_ABSENT,
        .out_subblock_h = TS_ATTRIBUTE_ABSENT,
        .out_subblock_w = TS_ATTRIBUTE_ABSENT,
        .act_block_h = INT64_MIN,
        .per_core_out_h = INT64_MIN,
        .window_h = TS_ABSENT,
        .window_w = TS_ABSENT,
    };
    parse_program_config(cell, &found);
    if (kind == TS_ATTRIBUTES_MATMUL)
        parse_matmul(cell, &found);
    else if (kind == TS_ATTRIBUTES_CONV)
        parse_conv(cell, &found);
    else if (kind == TS_ATTRIBUTES_HALO && !ts_op_attributes_parse_halo(cell, intern, &found))
        return false;
    *out = found;
    return true;
}

bool ts_op_attributes_is_halo(struct ts_str op_code)
{
    return ts_str_contains(op_code, TS_STR("HaloDeviceOperation"));
}

enum ts_op_attributes_kind ts_op_attributes_kind(struct ts_str op_code)
{
    if (ts_str_contains(op_code, TS_STR("Matmul")))
        return TS_ATTRIBUTES_MATMUL;
    if (ts_str_contains(op_code, TS_STR("OptimizedConvNew")) || ts_str_contains(op_code, TS_STR("Conv2d")))
        return TS_ATTRIBUTES_CONV;
    return ts_op_attributes_is_halo(op_code) ? TS_ATTRIBUTES_HALO : TS_ATTRIBUTES_PLAIN;
}
