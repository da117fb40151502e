#include "questions/answer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/utf8.h"

enum ts_status ts_answer_create(struct ts_answer **out, struct ts_error *error)
{
    struct ts_answer *answer = calloc(1, sizeof *answer);
    if (!answer)
        return ts_error_no_memory(error);
    answer->doc = yyjson_mut_doc_new(NULL);
    answer->root = yyjson_mut_obj(answer->doc);
    if (!answer->root) {
        ts_answer_free(answer);
        return ts_error_no_memory(error);
    }
    yyjson_mut_doc_set_root(answer->doc, answer->root);
    *out = answer;
    return TS_OK;
}

void ts_answer_free(struct ts_answer *answer)
{
    if (!answer)
        return;
    yyjson_mut_doc_free(answer->doc);
    free(answer->json);
    free(answer);
}

static bool over_limit(const struct ts_answer *answer)
{
    return answer->text_bytes > TS_LIMIT_ANSWER || answer->json_len > TS_LIMIT_ANSWER;
}

/* Text of a capture may hold what reorders or hides text where it is shown. False when memory is out. */
static bool escape_unsafe(struct ts_answer *answer)
{
    struct ts_buf plain;
    ts_buf_init(&plain, 0);
    bool found = ts_json_escape_unsafe(&plain, (struct ts_str){answer->json, answer->json_len});
    if (!found || plain.failed) {
        ts_buf_free(&plain);
        return !found;
    }
    free(answer->json);
    answer->json_len = plain.len;
    answer->json = plain.ptr;
    return true;
}

enum ts_status ts_answer_finish(struct ts_answer *answer, const char *advice, struct ts_error *error)
{
    if (!answer->failed) {
        free(answer->json);
        answer->json = yyjson_mut_write(answer->doc, YYJSON_WRITE_NOFLAG, &answer->json_len);
        answer->failed = !answer->json || !escape_unsafe(answer);
    }
    if (over_limit(answer)) {
        answer->failed = true;
        return ts_error_set(error, TS_LIMIT, "the answer is larger than %u bytes: %s", (unsigned)TS_LIMIT_ANSWER,
                            advice ? advice : "ask for less");
    }
    return answer->failed ? ts_error_no_memory(error) : TS_OK;
}

/* Every member takes at least this much of the text, so that an answer over the limit is known before it is written. */
static void charge(struct ts_answer *answer, size_t bytes)
{
    answer->text_bytes += bytes;
    if (over_limit(answer))
        answer->failed = true;
}

static void attach(struct ts_answer *answer, yyjson_mut_val *object, struct ts_str key, yyjson_mut_val *value)
{
    if (answer->failed)
        return;
    yyjson_mut_val *name = yyjson_mut_strncpy(answer->doc, key.ptr, key.len);
    if (!name || !value || !yyjson_mut_obj_add(object, name, value))
        answer->failed = true;
    charge(answer, key.len + sizeof "\"\":0" - 1);
}

/* A key that comes out of a capture, as valid UTF-8. Two that look alike once they are cut and mended are two members, the
 * later with a number behind it; the limit of an answer bounds how many there are to look through. */
static void clean_key(struct ts_answer *answer, yyjson_mut_val *object, struct ts_str key, struct ts_buf *out)
{
    ts_buf_init(out, 0);
    ts_utf8_clean(out, key);
    size_t len = out->len, number = 2;
    while (!answer->failed && !out->failed) {
        struct ts_str now = ts_buf_view(out);
        if (!yyjson_mut_obj_getn(object, now.ptr, now.len))
            break;
        out->len = len;
        ts_buf_printf(out, " (%zu)", number);
        number += number < 9 ? 1 : yyjson_mut_obj_size(object);
    }
    if (out->failed)
        answer->failed = true;
}

static yyjson_mut_val *string_value(struct ts_answer *answer, struct ts_str valid)
{
    if (answer->failed)
        return NULL;
    charge(answer, valid.len + sizeof "\"" - 1);
    return yyjson_mut_strncpy(answer->doc, valid.ptr ? valid.ptr : "", valid.len);
}

/* The first bytes of s, at most the limit of one text, ending with a whole character where the text is UTF-8. */
static struct ts_str cut(struct ts_str s)
{
    if (s.len <= TS_LIMIT_REPORT_TEXT)
        return s;
    size_t len = TS_LIMIT_REPORT_TEXT;
    for (unsigned back = 0; back < 3 && ((unsigned char)s.ptr[len] & 0xC0) == 0x80; back++)
        len--;
    return (struct ts_str){s.ptr, len};
}

/* text as a string value, with suffix behind it; bytes that are no UTF-8 replaced. */
static yyjson_mut_val *capture_value(struct ts_answer *answer, struct ts_str text, struct ts_str suffix)
{
    if (answer->failed)
        return NULL;
    if (suffix.len == 0 && ts_utf8_valid(text))
        return string_value(answer, text);
    struct ts_buf clean;
    ts_buf_init(&clean, 0);
    ts_utf8_clean(&clean, text);
    ts_buf_str(&clean, suffix);
    yyjson_mut_val *value = clean.failed ? NULL : string_value(answer, ts_buf_view(&clean));
    ts_buf_free(&clean);
    return value;
}

void ts_answer_string(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str ours)
{
    attach(answer, object, ts_str_from(key), string_value(answer, ours));
}

void ts_answer_name(struct ts_answer *answer, yyjson_mut_val *object, const char *key, const char *ours_or_null)
{
    if (ours_or_null)
        ts_answer_string(answer, object, key, ts_str_from(ours_or_null));
    else
        ts_answer_null(answer, object, key);
}

/* key is valid UTF-8. */
static void add_text(struct ts_answer *answer, yyjson_mut_val *object, struct ts_str key, struct ts_str from_capture)
{
    struct ts_str shown = cut(from_capture);
    attach(answer, object, key, capture_value(answer, shown, TS_STR("")));
    if (shown.len == from_capture.len || answer->failed)
        return;
    struct ts_buf name;
    ts_buf_init(&name, 0);
    ts_buf_str(&name, key);
    ts_buf_text(&name, "_full_length");
    if (name.failed)
        answer->failed = true;
    attach(answer, object, ts_buf_view(&name), yyjson_mut_uint(answer->doc, from_capture.len));
    ts_buf_free(&name);
}

void ts_answer_text(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str from_capture)
{
    add_text(answer, object, ts_str_from(key), from_capture);
}

void ts_answer_text_at(struct ts_answer *answer, yyjson_mut_val *object, struct ts_str key, struct ts_str from_capture)
{
    struct ts_buf clean;
    clean_key(answer, object, cut(key), &clean);
    add_text(answer, object, ts_buf_view(&clean), from_capture);
    ts_buf_free(&clean);
}

void ts_answer_integer(struct ts_answer *answer, yyjson_mut_val *object, const char *key, int64_t value)
{
    attach(answer, object, ts_str_from(key), answer->failed ? NULL : yyjson_mut_sint(answer->doc, value));
}

static yyjson_mut_val *number_value(struct ts_answer *answer, double value)
{
    if (answer->failed)
        return NULL;
    if (!ts_present(value))
        return yyjson_mut_null(answer->doc);
    const double integers = 9223372036854775808.0; /* 2^63 */
    if (value > -integers && value < integers) {
        int64_t whole = (int64_t)value;
        return (double)whole == value ? yyjson_mut_sint(answer->doc, whole) : yyjson_mut_real(answer->doc, value);
    }
    /* Whole, and yyjson would print a fraction. */
    char text[TS_NUMBER_TEXT_MAX];
    size_t len = ts_number_json(value, text);
    return yyjson_mut_rawncpy(answer->doc, text, len);
}

void ts_answer_number(struct ts_answer *answer, yyjson_mut_val *object, const char *key, double value)
{
    attach(answer, object, ts_str_from(key), number_value(answer, value));
}

void ts_answer_rounded(struct ts_answer *answer, yyjson_mut_val *object, const char *key, double value)
{
    ts_answer_number(answer, object, key, ts_round(value, 3));
}

void ts_answer_boolean(struct ts_answer *answer, yyjson_mut_val *object, const char *key, bool value)
{
    attach(answer, object, ts_str_from(key), answer->failed ? NULL : yyjson_mut_bool(answer->doc, value));
}

void ts_answer_null(struct ts_answer *answer, yyjson_mut_val *object, const char *key)
{
    attach(answer, object, ts_str_from(key), answer->failed ? NULL : yyjson_mut_null(answer->doc));
}

/* A container, or after a failure the root: nothing is added to it any more. */
static yyjson_mut_val *container(struct ts_answer *answer, yyjson_mut_val *value)
{
    if (!value)
        answer->failed = true;
    return answer->failed ? answer->root : value;
}

yyjson_mut_val *ts_answer_object(struct ts_answer *answer, yyjson_mut_val *object, const char *key)
{
    yyjson_mut_val *value = yyjson_mut_obj(answer->doc);
    attach(answer, object, ts_str_from(key), value);
    return container(answer, value);
}

yyjson_mut_val *ts_answer_object_at(struct ts_answer *answer, yyjson_mut_val *object, struct ts_str key)
{
    struct ts_buf clean;
    clean_key(answer, object, cut(key), &clean);
    yyjson_mut_val *value = yyjson_mut_obj(answer->doc);
    attach(answer, object, ts_buf_view(&clean), value);
    ts_buf_free(&clean);
    return container(answer, value);
}

yyjson_mut_val *ts_answer_list(struct ts_answer *answer, yyjson_mut_val *object, const char *key)
{
    yyjson_mut_val *value = yyjson_mut_arr(answer->doc);
    attach(answer, object, ts_str_from(key), value);
    return container(answer, value);
}

static void push(struct ts_answer *answer, yyjson_mut_val *list, yyjson_mut_val *value)
{
    if (answer->failed)
        return;
    if (!value || !yyjson_mut_arr_append(list, value))
        answer->failed = true;
    charge(answer, sizeof "0" - 1);
}

yyjson_mut_val *ts_answer_push_object(struct ts_answer *answer, yyjson_mut_val *list)
{
    yyjson_mut_val *value = yyjson_mut_obj(answer->doc);
    push(answer, list, value);
    return container(answer, value);
}

void ts_answer_push_integer(struct ts_answer *answer, yyjson_mut_val *list, int64_t value)
{
    push(answer, list, answer->failed ? NULL : yyjson_mut_sint(answer->doc, value));
}

void ts_answer_push_string(struct ts_answer *answer, yyjson_mut_val *list, struct ts_str ours)
{
    push(answer, list, string_value(answer, ours));
}

void ts_answer_push_text(struct ts_answer *answer, yyjson_mut_val *list, struct ts_str from_capture)
{
    struct ts_str shown = cut(from_capture);
    struct ts_str ellipsis = shown.len < from_capture.len ? TS_STR("\xE2\x80\xA6") : TS_STR("");
    push(answer, list, capture_value(answer, shown, ellipsis));
}
