#include "questions/args.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/utf8.h"
#include "questions/question.h"

/* ---- names in messages ---- */

const char *ts_args_spell(const struct ts_args *args, const char *name, struct ts_arg_name *buffer)
{
    if (!args->as_options)
        return name;
    snprintf(buffer->text, sizeof buffer->text, "--%s", name);
    for (char *c = buffer->text; *c; c++)
        *c = *c == '_' ? '-' : *c;
    return buffer->text;
}

static const struct ts_param *find_param(const struct ts_question *question, struct ts_str name)
{
    for (const struct ts_param *param = question->params; param->name; param++)
        if (ts_str_is(name, param->name))
            return param;
    return NULL;
}

void ts_args_explain(const struct ts_args *args, const char *text, struct ts_buf *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    while (*text) {
        struct ts_str word = {text, strspn(text, letters)};
        const struct ts_param *param = find_param(args->question, word);
        struct ts_arg_name name;
        if (word.len == 0)
            word.len = 1;
        if (param)
            ts_buf_text(out, ts_args_spell(args, param->name, &name));
        else
            ts_buf_str(out, word);
        text += word.len;
    }
}

/* ---- checks ---- */

/* Kinds that a surface may hand over beside the arguments: a capture. */
static bool given_apart(const struct ts_param *param, bool handles)
{
    return !handles && (param->kind == TS_PARAM_HANDLE || param->kind == TS_PARAM_PATH);
}

static bool is_given(yyjson_val *value)
{
    return value && !yyjson_is_null(value);
}

static const char *const type_names[] = {
    [TS_PARAM_HANDLE] = "the handle of a report, a string that load_report answers",
    [TS_PARAM_PATH] = "a path, a string",
    [TS_PARAM_ENUM] = "a string",
    [TS_PARAM_GROUPS] = "a list of strings",
    [TS_PARAM_LIMIT] = "an integer",
    [TS_PARAM_INTEGER] = "an integer",
    [TS_PARAM_ROW_ID] = "the id of a row, an integer or its digits in a string",
    [TS_PARAM_SIGNPOST] = "the name of a signpost, a string",
    [TS_PARAM_TEXT] = "a string",
};

/* An integer, however it is written (3, 3.0), also from a document whose numbers were kept as text. */
static bool integer_of(yyjson_val *value, int64_t *out)
{
    if (yyjson_is_sint(value)) {
        *out = yyjson_get_sint(value);
        return true;
    }
    if (yyjson_is_uint(value)) {
        *out = (int64_t)yyjson_get_uint(value);
        return yyjson_get_uint(value) <= INT64_MAX;
    }
    if (yyjson_is_raw(value))
        return ts_number_parse_whole(ts_json_str(value), out);
    double number = yyjson_get_real(value);
    if (!yyjson_is_real(value) || !(number >= -9223372036854775808.0 && number < 9223372036854775808.0))
        return false;
    *out = (int64_t)number;
    return (double)*out == number;
}

static bool digits_of(yyjson_val *value, int64_t *out)
{
    if (!yyjson_is_str(value))
        return integer_of(value, out);
    struct ts_str text = ts_json_str(value);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return ts_number_parse_i64(text, out);
}

static bool has_type(enum ts_param_kind kind, yyjson_val *value)
{
    switch (kind) {
    case TS_PARAM_GROUPS:
        return yyjson_is_arr(value);
    case TS_PARAM_LIMIT:
    case TS_PARAM_INTEGER:
        return yyjson_is_num(value) || yyjson_is_raw(value);
    case TS_PARAM_ROW_ID:
        return yyjson_is_num(value) || yyjson_is_raw(value) || yyjson_is_str(value);
    case TS_PARAM_HANDLE:
    case TS_PARAM_PATH:
    case TS_PARAM_ENUM:
    case TS_PARAM_SIGNPOST:
    case TS_PARAM_TEXT:
        break;
    }
    return yyjson_is_str(value);
}

static enum ts_status check_names(const struct ts_question *question, yyjson_val *object, bool handles,
                                  struct ts_error *error)
{
    yyjson_obj_iter members = yyjson_obj_iter_with(object);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&members));) {
        struct ts_str name = ts_json_str(key);
        bool known = false;
        for (const struct ts_param *param = question->params; param->name && !known; param++)
            known = !given_apart(param, handles) && ts_str_is(name, param->name);
        if (known)
            continue;
        struct ts_buf names;
        ts_buf_init(&names, 0);
        for (const struct ts_param *param = question->params; param->name; param++)
            if (!given_apart(param, handles))
                ts_buf_printf(&names, "%s%s", names.len ? ", " : "", param->name);
        struct ts_quote quote;
        ts_error_set(error, TS_USAGE, "%s has no argument \"%s\"; it takes %s", question->name,
                     ts_error_quote(&quote, name, TS_QUOTE_ARGUMENT), names.len ? names.ptr : "none");
        ts_buf_free(&names);
        return TS_USAGE;
    }
    return TS_OK;
}

static enum ts_status check_presence(const struct ts_args *args, yyjson_val *object, bool handles,
                                     struct ts_error *error)
{
    struct ts_arg_name name;
    for (const struct ts_param *param = args->question->params; param->name; param++)
        if (param->required && !given_apart(param, handles) && !is_given(ts_json_get(object, param->name)))
            return ts_error_set(error, TS_USAGE, "%s needs the %s %s: %s", args->question->name,
                                args->as_options ? "option" : "argument", ts_args_spell(args, param->name, &name),
                                type_names[param->kind]);
    return TS_OK;
}

static enum ts_status check_types(const struct ts_args *args, yyjson_val *object, struct ts_error *error)
{
    struct ts_arg_name name;
    for (const struct ts_param *param = args->question->params; param->name; param++) {
        yyjson_val *value = ts_json_get(object, param->name);
        if (is_given(value) && !has_type(param->kind, value))
            return ts_error_set(error, TS_USAGE, "%s must be %s, not %s", ts_args_spell(args, param->name, &name),
                                type_names[param->kind], yyjson_is_raw(value) ? "number" : yyjson_get_type_desc(value));
    }
    return TS_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The members of an ENUM or GROUPS parameter, "a, b, c"; those of an ENUM sorted. */
static void list_values(const struct ts_param *param, struct ts_buf *out)
{
    const char *sorted[32];
    size_t count = 0;
    while (param->values[count] && count < sizeof sorted / sizeof *sorted) {
        sorted[count] = param->values[count];
        count++;
    }
    assert(!param->values[count]);
    if (param->kind == TS_PARAM_ENUM)
        qsort(sorted, count, sizeof *sorted, by_bytes);
    for (size_t i = 0; i < count; i++)
        ts_buf_printf(out, "%s%s", i ? ", " : "", sorted[i]);
}

static bool member_index(const struct ts_param *param, struct ts_str text, unsigned *index)
{
    for (unsigned i = 0; param->values[i]; i++)
        if (ts_str_is(text, param->values[i])) {
            *index = i;
            return true;
        }
    return false;
}

enum { QUOTED_GROUP = 40 };

static enum ts_status take_enum(const struct ts_param *param, const char *name, struct ts_str text, struct ts_arg *out,
                                struct ts_error *error)
{
    unsigned index;
    if (member_index(param, text, &index)) {
        out->text = ts_str_from(param->values[index]);
        return TS_OK;
    }
    struct ts_buf values;
    ts_buf_init(&values, 0);
    list_values(param, &values);
    struct ts_quote quote;
    ts_error_set(error, TS_USAGE, "%s must be one of %s, not \"%s\" (%s)", name, ts_buf_view(&values).ptr,
                 ts_error_quote(&quote, text, TS_QUOTE_ARGUMENT), param->help);
    ts_buf_free(&values);
    return TS_USAGE;
}

static enum ts_status take_groups(const struct ts_param *param, const char *name, yyjson_val *list, struct ts_arg *out,
                                  struct ts_error *error)
{
    yyjson_arr_iter members = yyjson_arr_iter_with(list);
    for (yyjson_val *member; (member = yyjson_arr_iter_next(&members));) {
        unsigned index;
        if (yyjson_is_str(member) && member_index(param, ts_json_str(member), &index)) {
            out->groups |= 1u << index;
            continue;
        }
        struct ts_buf values;
        ts_buf_init(&values, 0);
        list_values(param, &values);
        struct ts_quote quote;
        bool text = yyjson_is_str(member);
        ts_error_set(error, TS_USAGE, "%s takes any of %s, not %s%s%s", name, ts_buf_view(&values).ptr,
                     text ? "\"" : "",
                     text ? ts_error_quote(&quote, ts_json_str(member), QUOTED_GROUP) : yyjson_get_type_desc(member),
                     text ? "\"" : "");
        ts_buf_free(&values);
        return TS_USAGE;
    }
    return TS_OK;
}

static enum ts_status take_integer(const struct ts_param *param, const char *name, yyjson_val *value,
                                   struct ts_arg *out, struct ts_error *error)
{
    bool row_id = param->kind == TS_PARAM_ROW_ID;
    if (!(row_id ? digits_of(value, &out->integer) : integer_of(value, &out->integer))) {
        struct ts_quote quote;
        if (yyjson_is_str(value) || yyjson_is_raw(value))
            return ts_error_set(error, TS_USAGE, "%s must be %s of 64 bits, not %s", name, type_names[param->kind],
                                ts_error_quote(&quote, ts_json_str(value), TS_QUOTE_ARGUMENT));
        return ts_error_set(error, TS_USAGE, "%s must be %s of 64 bits, without a fraction", name,
                            type_names[param->kind]);
    }
    return TS_OK;
}

static enum ts_status take_path(const char *name, struct ts_str text, struct ts_error *error)
{
    if (text.len == 0 || text.len > TS_LIMIT_PATH || memchr(text.ptr, '\0', text.len))
        return ts_error_set(error, TS_USAGE, "%s must be a path of 1 to %d bytes without NUL; this one has %zu", name,
                            TS_LIMIT_PATH, text.len);
    return TS_OK;
}

static enum ts_status take_signpost(const char *name, struct ts_str text, struct ts_error *error)
{
    size_t count = ts_utf8_count(text);
    if (count > TS_LIMIT_SIGNPOST)
        return ts_error_set(error, TS_USAGE, "%s is %zu characters long; a signpost's name may have at most %d", name,
                            count, TS_LIMIT_SIGNPOST);
    return TS_OK;
}

static enum ts_status take_value(const struct ts_param *param, const char *name, yyjson_val *value, struct ts_arg *out,
                                 struct ts_error *error)
{
    out->given = true;
    out->text = yyjson_is_str(value) ? ts_json_str(value) : TS_STR("");
    switch (param->kind) {
    case TS_PARAM_ENUM:
        return take_enum(param, name, out->text, out, error);
    case TS_PARAM_GROUPS:
        return take_groups(param, name, value, out, error);
    case TS_PARAM_LIMIT:
    case TS_PARAM_INTEGER:
    case TS_PARAM_ROW_ID:
        return take_integer(param, name, value, out, error);
    case TS_PARAM_PATH:
        return take_path(name, out->text, error);
    case TS_PARAM_SIGNPOST:
        return take_signpost(name, out->text, error);
    case TS_PARAM_HANDLE:
    case TS_PARAM_TEXT:
        break;
    }
    return TS_OK;
}

/* Limits come last: the cap may depend on whether groups were asked for. */
static void clamp_limits(struct ts_args *args)
{
    bool groups = false;
    const struct ts_param *params = args->question->params;
    for (size_t i = 0; params[i].name; i++)
        groups = groups || args->values[i].groups;
    for (size_t i = 0; params[i].name; i++) {
        struct ts_arg *arg = &args->values[i];
        if (params[i].kind != TS_PARAM_LIMIT)
            continue;
        int64_t cap = groups && params[i].maximum_with_groups ? params[i].maximum_with_groups : params[i].maximum;
        arg->asked = arg->integer;
        arg->integer = arg->integer < 1 ? 1 : arg->integer > cap ? cap : arg->integer;
    }
}

static enum ts_status check(struct ts_args *args, yyjson_val *object, bool handles, struct ts_error *error)
{
    const struct ts_question *question = args->question;
    if (object && !yyjson_is_obj(object))
        return ts_error_set(error, TS_USAGE, "the arguments of %s must be an object", question->name);
    enum ts_status status = check_names(question, object, handles, error);
    if (!status)
        status = check_presence(args, object, handles, error);
    if (!status)
        status = check_types(args, object, error);
    for (size_t i = 0; !status && question->params[i].name; i++) {
        const struct ts_param *param = &question->params[i];
        struct ts_arg *arg = &args->values[i];
        struct ts_arg_name name;
        assert(i < TS_ARGS_MAX);
        arg->text = ts_str_from(param->kind == TS_PARAM_ENUM && param->standard ? param->standard : "");
        arg->integer = param->default_integer;
        yyjson_val *value = ts_json_get(object, param->name);
        if (is_given(value))
            status = take_value(param, ts_args_spell(args, param->name, &name), value, arg, error);
    }
    if (!status)
        clamp_limits(args);
    return status;
}

enum ts_status ts_args_check(const struct ts_question *question, yyjson_val *object, bool handles, struct ts_args *out,
                             struct ts_error *error)
{
    struct ts_args args = {.question = question};
    enum ts_status status = check(&args, object, handles, error);
    if (!status)
        *out = args;
    return status;
}

enum ts_status ts_args_check_options(const struct ts_question *question, yyjson_val *object, struct ts_args *out,
                                     struct ts_error *error)
{
    struct ts_args args = {.question = question, .as_options = true};
    enum ts_status status = check(&args, object, false, error);
    if (!status)
        *out = args;
    return status;
}

static size_t index_of(const struct ts_args *args, const char *name)
{
    const struct ts_param *params = args->question->params;
    size_t index = 0;
    while (params[index].name && strcmp(params[index].name, name) != 0)
        index++;
    return index;
}

const struct ts_arg *ts_args_get(const struct ts_args *args, const char *name)
{
    static const struct ts_arg none = {.text = {"", 0}};
    size_t index = index_of(args, name);
    return args->question->params[index].name ? &args->values[index] : &none;
}

bool ts_args_has_group(const struct ts_args *args, const char *name, const char *member)
{
    size_t index = index_of(args, name);
    const struct ts_param *param = &args->question->params[index];
    unsigned bit;
    return param->name && param->values && member_index(param, ts_str_from(member), &bit) &&
           (args->values[index].groups >> bit & 1);
}
