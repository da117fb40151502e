/* The reference page of a question, in Markdown. */
#include <string.h>

#include "base/limits.h"
#include "questions/schema.h"

static void add_escaped(struct ts_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            ts_buf_char(out, '\\');
        ts_buf_char(out, *text);
    }
}

/* "top-ops" of "top_ops". */
static void add_option_name(struct ts_buf *out, const char *name)
{
    for (; *name; name++)
        ts_buf_char(out, *name == '_' ? '-' : *name);
}

static bool is_capture(const struct ts_param *param)
{
    return param->kind == TS_PARAM_HANDLE || param->kind == TS_PARAM_PATH;
}

static void add_usage(const struct ts_question *question, struct ts_buf *out)
{
    ts_buf_text(out, "    tilesight ");
    add_option_name(out, question->name);
    ts_buf_text(out, question->needs & TS_NEED_TWO_CAPTURES ? " BEFORE AFTER" : " CAPTURE");
    for (const struct ts_param *param = question->params; param->name; param++) {
        if (is_capture(param))
            continue;
        ts_buf_text(out, param->required ? " --" : " [--");
        add_option_name(out, param->name);
        ts_buf_text(out, param->kind == TS_PARAM_LIMIT || param->kind == TS_PARAM_INTEGER ? " N"
                         : param->kind == TS_PARAM_ROW_ID                                 ? " ID"
                         : param->kind == TS_PARAM_GROUPS                                 ? " GROUP,..."
                         : param->kind == TS_PARAM_ENUM                                   ? " NAME"
                                                                                          : " TEXT");
        if (!param->required)
            ts_buf_char(out, ']');
    }
    ts_buf_text(out, " [--json]\n\n");
}

static void add_values(const struct ts_param *param, struct ts_buf *out)
{
    switch (param->kind) {
    case TS_PARAM_ENUM:
    case TS_PARAM_GROUPS:
        ts_buf_text(out, param->kind == TS_PARAM_ENUM ? "one of" : "any of");
        for (size_t i = 0; param->values[i]; i++)
            ts_buf_printf(out, "%s `%s`", i ? "," : "", param->values[i]);
        break;
    case TS_PARAM_LIMIT:
        ts_buf_printf(out, "1 to %lld", (long long)param->maximum);
        break;
    case TS_PARAM_INTEGER:
        ts_buf_text(out, "integer");
        break;
    case TS_PARAM_ROW_ID:
        ts_buf_text(out, "id of a row");
        break;
    case TS_PARAM_SIGNPOST:
        ts_buf_text(out, "name of a signpost");
        break;
    case TS_PARAM_HANDLE:
        ts_buf_text(out, "handle; on the command line a path");
        break;
    case TS_PARAM_PATH:
        ts_buf_text(out, "path");
        break;
    case TS_PARAM_TEXT:
        ts_buf_text(out, "text");
        break;
    }
}

static void add_params(const struct ts_question *question, struct ts_buf *out)
{
    ts_buf_text(out, "## Arguments\n\n| argument | values | default | meaning |\n|---|---|---|---|\n");
    for (const struct ts_param *param = question->params; param->name; param++) {
        ts_buf_printf(out, "| `%s` | ", param->name);
        add_values(param, out);
        ts_buf_text(out, " | ");
        if (param->required)
            ts_buf_text(out, "required");
        else if (param->kind == TS_PARAM_ENUM && param->standard)
            ts_buf_printf(out, "`%s`", param->standard);
        else if (param->kind == TS_PARAM_LIMIT || param->kind == TS_PARAM_INTEGER)
            ts_buf_printf(out, "%lld", (long long)param->default_integer);
        ts_buf_text(out, " | ");
        add_escaped(out, param->help ? param->help : "");
        ts_buf_text(out, " |\n");
    }
    ts_buf_char(out, '\n');
}

static void add_type(const struct ts_field *field, struct ts_buf *out)
{
    static const char *const names[] = {
        [TS_KIND_STRING] = "string",   [TS_KIND_INTEGER] = "integer", [TS_KIND_NUMBER] = "number",
        [TS_KIND_BOOLEAN] = "boolean", [TS_KIND_OBJECT] = "object",   [TS_KIND_LIST] = "list",
        [TS_KIND_MAP] = "map",
    };
    ts_buf_text(out, names[field->kind]);
    if (field->kind == TS_KIND_LIST || field->kind == TS_KIND_MAP)
        ts_buf_printf(out, " of %ss", names[field->of]);
    if (field->nullable)
        ts_buf_text(out, " or null");
}

/* How a member of field is written behind the field's own path. */
static const char *member_of(const struct ts_field *field)
{
    return field->kind == TS_KIND_LIST ? "[]." : field->kind == TS_KIND_MAP ? "{}." : ".";
}

struct path {
    const struct path *before;
    const struct ts_field *field;
};

static void add_path(const struct path *path, struct ts_buf *out)
{
    if (!path)
        return;
    add_path(path->before, out);
    ts_buf_text(out, path->field->key);
    ts_buf_text(out, member_of(path->field));
}

static void add_field(const struct ts_field *field, const struct path *before, struct ts_buf *out)
{
    ts_buf_text(out, "| `");
    add_path(before, out);
    ts_buf_printf(out, "%s` | ", field->key);
    add_type(field, out);
    ts_buf_printf(out, " | %s | ", field->unit ? field->unit : "");
    if (field->group)
        ts_buf_printf(out, "with `%s`%s", field->group, field->sometimes ? ", sometimes" : "");
    else
        ts_buf_text(out, field->sometimes ? "sometimes" : "always");
    ts_buf_text(out, " | ");
    add_escaped(out, field->help ? field->help : "");
    ts_buf_text(out, " |\n");
}

static void add_fields(const struct ts_field *fields, const struct path *before, struct ts_buf *out)
{
    for (const struct ts_field *field = fields; field->key; field++) {
        add_field(field, before, out);
        if (field->children)
            add_fields(field->children, &(struct path){before, field}, out);
    }
}

static bool has_argument(const struct ts_question *question, const char *name)
{
    for (const struct ts_param *param = question->params; param->name; param++)
        if (strcmp(param->name, name) == 0)
            return true;
    return false;
}

void ts_schema_page(const struct ts_question *question, struct ts_str example, struct ts_buf *out)
{
    ts_buf_printf(out, "# %s: %s\n\n", question->name, question->title);
    ts_buf_text(out, "<!-- Made by ts-make-pages from the question's declaration; do not edit. -->\n\n");
    ts_buf_printf(out, "%s.\n\n%s\n\n", question->summary, question->description);
    add_usage(question, out);
    if (example.len) {
        ts_buf_text(out, "## Example\n\nOn a capture in `examples/`; a test runs it:\n\n```\n");
        ts_buf_str(out, example);
        ts_buf_text(out, "```\n\n");
    }
    add_params(question, out);
    ts_buf_text(out, "## Answer\n\n");
    if (has_argument(question, "by"))
        ts_buf_text(out, "In a key, `{by}` stands for the value of the argument `by`. ");
    ts_buf_printf(out,
                  "A text that comes out of the capture and is longer than %u bytes is cut; beside it stands "
                  "`KEY_full_length`.\n\n",
                  (unsigned)TS_LIMIT_REPORT_TEXT);
    ts_buf_text(out, "| key | type | unit | there | meaning |\n|---|---|---|---|---|\n");
    add_fields(question->fields, NULL, out);
    for (const struct ts_field *field = ts_schema_shared; field->key; field++)
        if (ts_schema_shares(question, field))
            add_field(field, NULL, out);
}
