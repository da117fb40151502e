#include "base/json.h"

#include <stdio.h>

#include "base/number.h"
#include "base/utf8.h"

/* ---- reading ---- */

/* Offset of the quote that ends the string beginning behind `at`, or len when there is none. */
static size_t string_end(struct ts_str text, size_t at)
{
    size_t begin = at;
    for (;;) {
        const char *quote = at < text.len ? memchr(text.ptr + at, '"', text.len - at) : NULL;
        if (!quote)
            return text.len;
        size_t end = (size_t)(quote - text.ptr), slashes = 0;
        while (end - slashes > begin && text.ptr[end - slashes - 1] == '\\')
            slashes++;
        if (slashes % 2 == 0)
            return end;
        begin = at = end + 1;
    }
}

/* Where the nesting first exceeds max_depth, or len. Counts brackets outside strings, leaves errors to the parser. */
static size_t too_deep(struct ts_str text, unsigned max_depth)
{
    unsigned depth = 0;
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '"':
            i = string_end(text, i + 1);
            break;
        case '{':
        case '[':
            if (++depth > max_depth)
                return i;
            break;
        case '}':
        case ']':
            depth -= depth > 0;
            break;
        default:
            break;
        }
    }
    return text.len;
}

enum ts_status ts_json_parse(struct ts_str text, unsigned max_depth, bool raw_numbers, yyjson_doc **out,
                             struct ts_error *error)
{
    size_t deep = too_deep(text, max_depth);
    if (deep < text.len)
        return ts_error_set(error, TS_INPUT, "JSON nested deeper than %u levels at byte %zu", max_depth, deep);
    yyjson_read_err failure;
    yyjson_read_flag flags = raw_numbers ? YYJSON_READ_NUMBER_AS_RAW : YYJSON_READ_NOFLAG;
    /* Not parsed in place, so the text is not written to. */
    yyjson_doc *doc = yyjson_read_opts((char *)text.ptr, text.len, flags, NULL, &failure);
    if (doc) {
        *out = doc;
        return TS_OK;
    }
    if (failure.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
        return ts_error_no_memory(error);
    if (text.len == 0)
        return ts_error_set(error, TS_INPUT, "expected JSON, found nothing");
    return ts_error_set(error, TS_INPUT, "not valid JSON at byte %zu: %s", failure.pos, failure.msg);
}

yyjson_val *ts_json_get(yyjson_val *object, const char *key)
{
    yyjson_val *found = NULL, *name;
    struct ts_str wanted = ts_str_from(key);
    yyjson_obj_iter members;
    if (!yyjson_obj_iter_init(object, &members))
        return NULL;
    while ((name = yyjson_obj_iter_next(&members)))
        if (ts_str_equal(ts_json_str(name), wanted))
            found = yyjson_obj_iter_get_val(name);
    return found;
}

struct ts_str ts_json_str(yyjson_val *string)
{
    if (yyjson_is_str(string))
        return (struct ts_str){yyjson_get_str(string), yyjson_get_len(string)};
    if (yyjson_is_raw(string))
        return (struct ts_str){yyjson_get_raw(string), yyjson_get_len(string)};
    return TS_STR("");
}

/* ---- writing ---- */

enum { LEVELS = sizeof((struct ts_json_out *)0)->comma };

static void sink_buf(void *data, const void *bytes, size_t len)
{
    ts_buf_add(data, bytes, len);
}

static void sink_writer(void *data, const void *bytes, size_t len)
{
    ts_writer_add(data, bytes, len);
}

void ts_json_out_init(struct ts_json_out *out, void (*sink)(void *, const void *, size_t), void *data)
{
    *out = (struct ts_json_out){.sink = sink, .data = data};
}

void ts_json_out_buf(struct ts_json_out *out, struct ts_buf *buf)
{
    ts_json_out_init(out, sink_buf, buf);
}

void ts_json_out_writer(struct ts_json_out *out, struct ts_writer *writer)
{
    ts_json_out_init(out, sink_writer, writer);
}

/* depth counts open containers; comma[depth - 1] is the innermost one's. Containers deeper than the table are written
 * as null, and what is put into them is swallowed: the text stays JSON. */
static bool swallowed(const struct ts_json_out *out)
{
    return out->depth > LEVELS;
}

static void emit(struct ts_json_out *out, const void *bytes, size_t len)
{
    out->sink(out->data, bytes, len);
}

/* What stands in front of a value: a comma unless it is the first of its level or belongs to a key. */
static void begin_value(struct ts_json_out *out)
{
    if (out->after_key)
        out->after_key = false;
    else if (out->depth > 0 && out->comma[out->depth - 1])
        emit(out, ",", 1);
    if (out->depth > 0)
        out->comma[out->depth - 1] = true;
}

static void put_value(struct ts_json_out *out, const char *text, size_t len)
{
    if (swallowed(out))
        return;
    begin_value(out);
    emit(out, text, len);
}

static void open_container(struct ts_json_out *out, const char *bracket)
{
    if (out->depth == LEVELS) {
        ts_json_null(out);
    } else if (!swallowed(out)) {
        begin_value(out);
        emit(out, bracket, 1);
        out->comma[out->depth] = false;
    }
    out->depth++;
}

static void close_container(struct ts_json_out *out, const char *bracket)
{
    if (out->depth == 0)
        return;
    if (!swallowed(out))
        emit(out, bracket, 1);
    out->depth--;
    out->after_key = false;
}

void ts_json_open_object(struct ts_json_out *out)
{
    open_container(out, "{");
}

void ts_json_close_object(struct ts_json_out *out)
{
    close_container(out, "}");
}

void ts_json_open_array(struct ts_json_out *out)
{
    open_container(out, "[");
}

void ts_json_close_array(struct ts_json_out *out)
{
    close_container(out, "]");
}

static void emit_escape(struct ts_json_out *out, unsigned char c)
{
    static const char short_forms[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    static const char digits[] = "0123456789abcdef";
    for (const char *form = short_forms; *form; form += 2) {
        if ((unsigned char)form[0] == c) {
            emit(out, (const char[]){'\\', form[1]}, 2);
            return;
        }
    }
    emit(out, (const char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]}, 6);
}

enum { ESCAPE_MAX = 12 }; /* of a character beyond the first 65,536: two halves */

/* \uXXXX of a character; its length. */
static size_t escape_code(uint32_t code, char text[ESCAPE_MAX + 1])
{
    if (code < 0x10000)
        return (size_t)snprintf(text, ESCAPE_MAX + 1, "\\u%04x", code & 0xFFFF);
    code -= 0x10000;
    return (size_t)snprintf(text, ESCAPE_MAX + 1, "\\u%04x\\u%04x", 0xD800 | (code >> 10 & 0x3FF),
                            0xDC00 | (code & 0x3FF));
}

/* The length of the character at i when it is one beyond ASCII's controls that must not reach a terminal, else 0. */
static size_t unsafe_at(struct ts_str valid, size_t i, uint32_t *code)
{
    size_t len;
    if ((unsigned char)valid.ptr[i] < 0x7F)
        return 0;
    *code = ts_utf8_decode(ts_str_sub(valid, i, valid.len), &len);
    return ts_utf8_unsafe(*code) ? len : 0;
}

bool ts_json_escape_unsafe(struct ts_buf *out, struct ts_str json)
{
    size_t written = 0;
    uint32_t code;
    for (size_t i = 0, len; i < json.len; i++) {
        if ((len = unsafe_at(json, i, &code)) == 0)
            continue;
        char escape[ESCAPE_MAX + 1];
        size_t size = escape_code(code, escape);
        ts_buf_add(out, json.ptr + written, i - written);
        ts_buf_add(out, escape, size);
        written = i + len;
    }
    if (written > 0)
        ts_buf_add(out, json.ptr + written, json.len - written);
    return written > 0;
}

/* Valid UTF-8 with what JSON asks to be escaped, and what must not reach a terminal. */
static void emit_escaped(struct ts_json_out *out, struct ts_str s)
{
    size_t written = 0;
    uint32_t code;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        size_t len = unsafe_at(s, i, &code);
        if (c >= 0x20 && c != '"' && c != '\\' && len == 0)
            continue;
        if (i > written)
            emit(out, s.ptr + written, i - written);
        if (len > 0) {
            char escape[ESCAPE_MAX + 1];
            emit(out, escape, escape_code(code, escape));
        } else {
            emit_escape(out, c);
        }
        written = i + (len > 0 ? len : 1);
    }
    if (s.len > written)
        emit(out, s.ptr + written, s.len - written);
}

static void emit_string(struct ts_json_out *out, struct ts_str s)
{
    emit(out, "\"", 1);
    while (s.len > 0) {
        size_t valid = ts_utf8_valid_prefix(s);
        emit_escaped(out, ts_str_sub(s, 0, valid));
        s = ts_str_sub(s, valid, s.len);
        if (s.len > 0) {
            emit(out, "\xef\xbf\xbd", 3);
            s = ts_str_sub(s, 1, s.len);
        }
    }
    emit(out, "\"", 1);
}

void ts_json_key(struct ts_json_out *out, struct ts_str key)
{
    if (swallowed(out))
        return;
    begin_value(out);
    emit_string(out, key);
    emit(out, ":", 1);
    out->after_key = true;
}

void ts_json_string(struct ts_json_out *out, struct ts_str s)
{
    if (swallowed(out))
        return;
    begin_value(out);
    emit_string(out, s);
}

void ts_json_integer(struct ts_json_out *out, int64_t value)
{
    char text[24];
    size_t at = sizeof text;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        text[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        text[--at] = '-';
    put_value(out, text + at, sizeof text - at);
}

void ts_json_number(struct ts_json_out *out, double value)
{
    char text[TS_NUMBER_TEXT_MAX];
    put_value(out, text, ts_number_json(value, text));
}

void ts_json_boolean(struct ts_json_out *out, bool value)
{
    put_value(out, value ? "true" : "false", value ? 4 : 5);
}

void ts_json_null(struct ts_json_out *out)
{
    put_value(out, "null", 4);
}

void ts_json_raw(struct ts_json_out *out, struct ts_str json)
{
    put_value(out, json.ptr, json.len);
}
