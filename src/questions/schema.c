#include "questions/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"

enum { KEY_MAX = 128 };

/* ---- keys ---- */

static const char placeholder[] = "{by}";

/* The key with value in place of "{by}". */
static const char *expand(const char *key, struct ts_str value, char *buffer, size_t size)
{
    const char *hole = strstr(key, placeholder);
    if (!hole || value.len == 0)
        snprintf(buffer, size, "%s", key);
    else
        snprintf(buffer, size, "%.*s%.*s%s", (int)(hole - key), key, TS_STR_ARG(value), hole + strlen(placeholder));
    return buffer;
}

const char *ts_schema_key(const struct ts_field *field, const struct ts_args *args, char *buffer, size_t size)
{
    return expand(field->key, args ? ts_args_get(args, "by")->text : TS_STR(""), buffer, size);
}

/* ---- what all answers share ---- */

const struct ts_field ts_schema_shared[] = {
    {.key = "handle",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "the report asked, for the next call; first, over MCP only, not in a comparison"},
    {.key = "capture_changed",
     .kind = TS_KIND_BOOLEAN,
     .sometimes = true,
     .help = "true: a file has changed on disk since it was read, and this answers from what was read"},
    {.key = "left_out",
     .kind = TS_KIND_MAP,
     .of = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "how many elements the ends of lists lost so that the answer fits, by list"},
    {.key = "app_link",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "opens the same in the web application; last"},
    {.key = "app_link_template",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .help = "opens an operation in the web application once {operation_id} is filled in; last"},
    {.key = NULL},
};

bool ts_schema_shares(const struct ts_question *question, const struct ts_field *shared)
{
    if (strcmp(shared->key, "handle") == 0)
        return !(question->needs & TS_NEED_TWO_CAPTURES);
    if (strcmp(shared->key, "app_link") == 0)
        return question->link == TS_LINK_REPORT || question->link == TS_LINK_OPERATION;
    if (strcmp(shared->key, "app_link_template") == 0)
        return question->link == TS_LINK_LINKED_OPERATIONS || question->link == TS_LINK_OPERATIONS;
    return true;
}

/* ---- schemas ---- */

static void member_text(struct ts_json_out *out, const char *key, const char *text)
{
    ts_json_key(out, ts_str_from(key));
    ts_json_string(out, ts_str_from(text));
}

static void member_integer(struct ts_json_out *out, const char *key, int64_t value)
{
    ts_json_key(out, ts_str_from(key));
    ts_json_integer(out, value);
}

static void member_names(struct ts_json_out *out, const char *key, const char *const *names)
{
    ts_json_key(out, ts_str_from(key));
    ts_json_open_array(out);
    for (; *names; names++)
        ts_json_string(out, ts_str_from(*names));
    ts_json_close_array(out);
}

static void param_schema(const struct ts_param *param, struct ts_json_out *out)
{
    ts_json_open_object(out);
    switch (param->kind) {
    case TS_PARAM_GROUPS:
        member_text(out, "type", "array");
        ts_json_key(out, TS_STR("items"));
        ts_json_open_object(out);
        member_text(out, "type", "string");
        member_names(out, "enum", param->values);
        ts_json_close_object(out);
        break;
    case TS_PARAM_LIMIT:
        member_text(out, "type", "integer");
        member_integer(out, "minimum", 1);
        member_integer(out, "maximum", param->maximum);
        member_integer(out, "default", param->default_integer);
        break;
    case TS_PARAM_INTEGER:
        member_text(out, "type", "integer");
        if (!param->required)
            member_integer(out, "default", param->default_integer);
        break;
    case TS_PARAM_ROW_ID:
        member_names(out, "type", (const char *const[]){"integer", "string", NULL});
        break;
    case TS_PARAM_ENUM:
        member_text(out, "type", "string");
        member_names(out, "enum", param->values);
        if (param->standard)
            member_text(out, "default", param->standard);
        break;
    case TS_PARAM_SIGNPOST:
        member_text(out, "type", "string");
        member_integer(out, "maxLength", TS_LIMIT_SIGNPOST);
        break;
    case TS_PARAM_HANDLE:
    case TS_PARAM_PATH:
    case TS_PARAM_TEXT:
        member_text(out, "type", "string");
        break;
    }
    if (param->help)
        member_text(out, "description", param->help);
    ts_json_close_object(out);
}

void ts_schema_input(const struct ts_question *question, struct ts_json_out *out)
{
    ts_json_open_object(out);
    member_text(out, "type", "object");
    ts_json_key(out, TS_STR("properties"));
    ts_json_open_object(out);
    bool any_required = false;
    for (const struct ts_param *param = question->params; param->name; param++) {
        ts_json_key(out, ts_str_from(param->name));
        param_schema(param, out);
        any_required |= param->required;
    }
    ts_json_close_object(out);
    if (any_required) {
        ts_json_key(out, TS_STR("required"));
        ts_json_open_array(out);
        for (const struct ts_param *param = question->params; param->name; param++)
            if (param->required)
                ts_json_string(out, ts_str_from(param->name));
        ts_json_close_array(out);
    }
    ts_json_key(out, TS_STR("additionalProperties"));
    ts_json_boolean(out, false);
    ts_json_close_object(out);
}

static const char *const kind_names[] = {
    [TS_KIND_STRING] = "string",   [TS_KIND_INTEGER] = "integer", [TS_KIND_NUMBER] = "number",
    [TS_KIND_BOOLEAN] = "boolean", [TS_KIND_OBJECT] = "object",   [TS_KIND_LIST] = "array",
    [TS_KIND_MAP] = "object",
};

static const char *const *values_of_by(const struct ts_question *question)
{
    for (const struct ts_param *param = question->params; param->name; param++)
        if (param->kind == TS_PARAM_ENUM && strcmp(param->name, "by") == 0)
            return param->values;
    static const char *const none[] = {NULL};
    return none;
}

static bool has_plain_key(const struct ts_field *fields, const char *key)
{
    for (; fields->key; fields++)
        if (strcmp(fields->key, key) == 0)
            return true;
    return false;
}

static void value_schema(const struct ts_question *question, const struct ts_field *field, enum ts_field_kind kind,
                         bool nullable, struct ts_json_out *out);

static void shared_schema(const struct ts_question *question, struct ts_json_out *out)
{
    for (const struct ts_field *field = ts_schema_shared; field->key; field++)
        if (ts_schema_shares(question, field)) {
            ts_json_key(out, ts_str_from(field->key));
            value_schema(question, field, field->kind, field->nullable, out);
        }
}

static void members_schema(const struct ts_question *question, const struct ts_field *fields, struct ts_json_out *out)
{
    ts_json_key(out, TS_STR("properties"));
    ts_json_open_object(out);
    if (fields == question->fields)
        shared_schema(question, out);
    for (const struct ts_field *field = fields; field->key; field++) {
        if (!strstr(field->key, placeholder)) {
            ts_json_key(out, ts_str_from(field->key));
            value_schema(question, field, field->kind, field->nullable, out);
            continue;
        }
        for (const char *const *by = values_of_by(question); *by; by++) {
            char key[KEY_MAX];
            if (has_plain_key(fields, expand(field->key, ts_str_from(*by), key, sizeof key)))
                continue; /* it allows at least what this one does */
            ts_json_key(out, ts_str_from(key));
            value_schema(question, field, field->kind, field->nullable, out);
        }
    }
    ts_json_close_object(out);
    ts_json_key(out, TS_STR("required"));
    ts_json_open_array(out);
    for (const struct ts_field *field = fields; field->key; field++)
        if (!field->sometimes && !field->group && !strstr(field->key, placeholder))
            ts_json_string(out, ts_str_from(field->key));
    ts_json_close_array(out);
    ts_json_key(out, TS_STR("additionalProperties"));
    ts_json_boolean(out, true);
}

static void value_schema(const struct ts_question *question, const struct ts_field *field, enum ts_field_kind kind,
                         bool nullable, struct ts_json_out *out)
{
    ts_json_open_object(out);
    if (nullable)
        member_names(out, "type", (const char *const[]){kind_names[kind], "null", NULL});
    else
        member_text(out, "type", kind_names[kind]);
    if (kind == TS_KIND_OBJECT) {
        members_schema(question, field->children, out);
    } else if (kind == TS_KIND_LIST || kind == TS_KIND_MAP) {
        ts_json_key(out, kind == TS_KIND_LIST ? TS_STR("items") : TS_STR("additionalProperties"));
        value_schema(question, field, field->of, false, out);
    }
    ts_json_close_object(out);
}

void ts_schema_output(const struct ts_question *question, struct ts_json_out *out)
{
    ts_json_open_object(out);
    member_text(out, "type", "object");
    members_schema(question, question->fields, out);
    ts_json_close_object(out);
}

/* ---- check ---- */

/* Where the check stands in the answer, "ops[3].device_time"; cut when it is too long. */
struct place {
    char text[256];
    size_t len;
};

struct check {
    const struct ts_question *question;
    const struct ts_args *args;
    struct place place;
    struct ts_error *error;
};

static size_t enter(struct check *check, const char *format, const char *name, size_t index)
{
    struct place *place = &check->place;
    size_t before = place->len, room = sizeof place->text - place->len;
    int len =
        name ? snprintf(place->text + before, room, format, name) : snprintf(place->text + before, room, format, index);
    place->len = len < 0 ? before : (size_t)len >= room ? sizeof place->text - 1 : before + (size_t)len;
    return before;
}

static void leave(struct check *check, size_t before)
{
    check->place.len = before;
    check->place.text[before] = '\0';
}

static enum ts_status complain(const struct check *check, const char *what)
{
    return ts_error_set(check->error, TS_INTERNAL, "answer: %s %s", check->place.len ? check->place.text : "the answer",
                        what);
}

/* Whether the arguments can bring the field. */
static bool applies(const struct check *check, const struct ts_field *field)
{
    return !field->group || ts_args_has_group(check->args, "include", field->group);
}

static bool is_kind(enum ts_field_kind kind, yyjson_val *value)
{
    switch (kind) {
    case TS_KIND_STRING:
        return yyjson_is_str(value);
    case TS_KIND_INTEGER:
        return yyjson_is_int(value);
    case TS_KIND_NUMBER:
        return yyjson_is_num(value);
    case TS_KIND_BOOLEAN:
        return yyjson_is_bool(value);
    case TS_KIND_LIST:
        return yyjson_is_arr(value);
    case TS_KIND_OBJECT:
    case TS_KIND_MAP:
        break;
    }
    return yyjson_is_obj(value);
}

static enum ts_status check_members(struct check *check, const struct ts_field *fields, yyjson_val *object);

static enum ts_status check_value(struct check *check, const struct ts_field *field, enum ts_field_kind kind,
                                  bool nullable, yyjson_val *value)
{
    if (yyjson_is_null(value))
        return nullable ? TS_OK : complain(check, "is null, which its declaration does not allow");
    if (!is_kind(kind, value))
        return complain(check, "is of another type than its declaration says");
    enum ts_status status = TS_OK;
    if (kind == TS_KIND_OBJECT)
        return check_members(check, field->children, value);
    if (kind == TS_KIND_LIST) {
        size_t index, max;
        yyjson_val *element;
        yyjson_arr_foreach(value, index, max, element)
        {
            size_t before = enter(check, "[%zu]", NULL, index);
            status = check_value(check, field, field->of, false, element);
            leave(check, before);
            if (status)
                break;
        }
    } else if (kind == TS_KIND_MAP) {
        size_t index, max;
        yyjson_val *key, *element;
        yyjson_obj_foreach(value, index, max, key, element)
        {
            size_t before = enter(check, "{%s}", yyjson_get_str(key), 0);
            status = check_value(check, field, field->of, false, element);
            leave(check, before);
            if (status)
                break;
        }
    }
    return status;
}

/* The declaration of a key: the first whose type fits, since a metric can share its key with a plain field. */
static const struct ts_field *declaration(const struct check *check, const struct ts_field *fields, const char *key,
                                          yyjson_val *value)
{
    const struct ts_field *found = NULL;
    for (; fields->key; fields++) {
        char expanded[KEY_MAX];
        if (!applies(check, fields) || strcmp(ts_schema_key(fields, check->args, expanded, sizeof expanded), key) != 0)
            continue;
        if (yyjson_is_null(value) ? fields->nullable : is_kind(fields->kind, value))
            return fields;
        found = found ? found : fields;
    }
    return found;
}

/* The declaration of what ts_ask added, at the top of an answer only. */
static const struct ts_field *shared_declaration(const struct check *check, const struct ts_field *fields,
                                                 const char *key)
{
    for (const struct ts_field *field = ts_schema_shared; fields == check->question->fields && field->key; field++)
        if (strcmp(field->key, key) == 0 && ts_schema_shares(check->question, field))
            return field;
    return NULL;
}

/* KEY_full_length beside a declared text that was cut. */
static bool is_full_length(const struct check *check, const struct ts_field *fields, yyjson_val *object,
                           yyjson_val *key, yyjson_val *value)
{
    struct ts_str name = ts_json_str(key), suffix = TS_STR("_full_length");
    char base[KEY_MAX];
    if (!yyjson_is_int(value) || !ts_str_ends_with(name, suffix) || name.len - suffix.len >= sizeof base)
        return false;
    snprintf(base, sizeof base, "%.*s", (int)(name.len - suffix.len), name.ptr);
    yyjson_val *text = yyjson_obj_get(object, base);
    const struct ts_field *field = yyjson_is_str(text) ? declaration(check, fields, base, text) : NULL;
    return field && field->kind == TS_KIND_STRING;
}

static enum ts_status check_members(struct check *check, const struct ts_field *fields, yyjson_val *object)
{
    size_t index, max;
    yyjson_val *key, *value;
    yyjson_obj_foreach(object, index, max, key, value)
    {
        const char *name = yyjson_get_str(key);
        size_t before = enter(check, check->place.len ? ".%s" : "%s", name, 0);
        enum ts_status status = TS_OK;
        const struct ts_field *field = declaration(check, fields, name, value);
        if (!field)
            field = shared_declaration(check, fields, name);
        if (yyjson_obj_get(object, name) != value)
            status = complain(check, "is there twice");
        else if (field)
            status = check_value(check, field, field->kind, field->nullable, value);
        else if (!is_full_length(check, fields, object, key, value))
            status = complain(check, "is not declared for these arguments");
        leave(check, before);
        if (status)
            return status;
    }
    for (; fields->key; fields++) {
        char expanded[KEY_MAX];
        ts_schema_key(fields, check->args, expanded, sizeof expanded);
        if (fields->sometimes || !applies(check, fields) || yyjson_obj_get(object, expanded))
            continue;
        enter(check, check->place.len ? ".%s" : "%s", expanded, 0);
        return complain(check, "is missing");
    }
    return TS_OK;
}

enum ts_status ts_schema_check(const struct ts_question *question, const struct ts_args *args, yyjson_val *answer,
                               struct ts_error *error)
{
    struct check check = {.question = question, .args = args, .error = error};
    if (!yyjson_is_obj(answer))
        return complain(&check, "is not an object");
    enum ts_status status = check_members(&check, question->fields, answer);
    return status ? ts_error_prefix(error, "%s", question->name) : TS_OK;
}
