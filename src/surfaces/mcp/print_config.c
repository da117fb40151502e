#include "surfaces/mcp/print_config.h"

#include "base/json.h"
#include "base/utf8.h"

enum form {
    FORM_PLAIN, /* {KEY: {"tilesight": {"command": ..., "args": [...]}}} */
    FORM_TYPED, /* the same with "type": "stdio" */
    FORM_TOML,  /* [KEY.tilesight] */
};

static const struct client {
    const char *name;
    enum form form;
    const char *key;
    const char *where;
} clients[] = {
    {"claude-code", FORM_TYPED, "mcpServers",
     ".mcp.json in the project's folder (or ~/.claude.json, for every project)"},
    {"claude-desktop", FORM_PLAIN, "mcpServers", "claude_desktop_config.json (Settings, Developer, Edit Config)"},
    {"codex", FORM_TOML, "mcp_servers", "~/.codex/config.toml"},
    {"cursor", FORM_PLAIN, "mcpServers", ".cursor/mcp.json in the project's folder (or ~/.cursor/mcp.json)"},
    {"gemini", FORM_PLAIN, "mcpServers", "~/.gemini/settings.json (or .gemini/settings.json in the project's folder)"},
    {"vscode", FORM_TYPED, "servers", ".vscode/mcp.json in the project's folder"},
    {"windsurf", FORM_PLAIN, "mcpServers", "~/.codeium/windsurf/mcp_config.json"},
    {"zed", FORM_PLAIN, "context_servers", "~/.config/zed/settings.json"},
};
enum { CLIENTS = sizeof clients / sizeof *clients };

static const char option[] = "--print-config";

/* The value when the word at *i is --root; *i then stands on the last word of it. */
static bool is_root(const struct ts_mcp_registration *registration, int *i, struct ts_str *value)
{
    const struct ts_str sign = TS_STR("--root=");
    struct ts_str word = ts_str_from(registration->argv[*i]);
    if (ts_str_is(word, "--root") && *i + 1 < registration->argc)
        *value = ts_str_from(registration->argv[++*i]);
    else if (ts_str_starts_with(word, sign))
        *value = ts_str_sub(word, sign.len, word.len);
    else
        return false;
    return true;
}

/* What begins with "~" the server replaces itself. */
static bool is_relative(struct ts_str path)
{
    return path.len > 0 && path.ptr[0] != '/' && path.ptr[0] != '~';
}

/* A root as it is meant here, since clients start servers in another folder. */
static void write_root(const struct ts_mcp_registration *registration, struct ts_str path, struct ts_json_out *json,
                       struct ts_buf *out)
{
    struct ts_buf text;
    ts_buf_init(&text, 0);
    if (is_relative(path)) {
        ts_buf_text(&text, registration->folder);
        if (!ts_str_is(ts_buf_view(&text), "/"))
            ts_buf_char(&text, '/');
    }
    ts_buf_str(&text, path);
    ts_json_string(json, TS_STR("--root"));
    ts_json_string(json, ts_buf_view(&text));
    out->failed = out->failed || text.failed;
    ts_buf_free(&text);
}

/* The words to register: all but --print-config and its value. */
static void write_args(const struct ts_mcp_registration *registration, struct ts_json_out *json, struct ts_buf *out)
{
    struct ts_str root;
    ts_json_open_array(json);
    ts_json_string(json, TS_STR("mcp"));
    for (int i = 0; i < registration->argc; i++) {
        struct ts_str word = ts_str_from(registration->argv[i]);
        if (ts_str_is(word, option))
            i++;
        else if (is_root(registration, &i, &root))
            write_root(registration, root, json, out);
        else if (!ts_str_starts_with(word, TS_STR("--print-config=")))
            ts_json_string(json, word);
    }
    ts_json_close_array(json);
}

static void write_json(const struct client *client, const struct ts_mcp_registration *registration, struct ts_buf *out)
{
    struct ts_json_out json;
    ts_json_out_buf(&json, out);
    ts_json_open_object(&json);
    ts_json_key(&json, ts_str_from(client->key));
    ts_json_open_object(&json);
    ts_json_key(&json, TS_STR("tilesight"));
    ts_json_open_object(&json);
    if (client->form == FORM_TYPED) {
        ts_json_key(&json, TS_STR("type"));
        ts_json_string(&json, TS_STR("stdio"));
    }
    ts_json_key(&json, TS_STR("command"));
    ts_json_string(&json, ts_str_from(registration->program));
    ts_json_key(&json, TS_STR("args"));
    write_args(registration, &json, out);
    ts_json_close_object(&json);
    ts_json_close_object(&json);
    ts_json_close_object(&json);
    ts_buf_char(out, '\n');
}

/* TOML's basic strings and arrays are written as JSON's are, whose strings have no DEL either: TOML does not allow it. */
static void write_toml(const struct client *client, const struct ts_mcp_registration *registration, struct ts_buf *out)
{
    struct ts_json_out value;
    ts_buf_printf(out, "[%s.tilesight]\ncommand = ", client->key);
    ts_json_out_buf(&value, out);
    ts_json_string(&value, ts_str_from(registration->program));
    ts_buf_text(out, "\nargs = ");
    ts_json_out_buf(&value, out);
    write_args(registration, &value, out);
    ts_buf_char(out, '\n');
}

static enum ts_status unknown_client(const char *name, struct ts_error *error)
{
    struct ts_buf known;
    ts_buf_init(&known, 0);
    for (size_t i = 0; i < CLIENTS; i++)
        ts_buf_printf(&known, "%s%s", i ? ", " : "", clients[i].name);
    struct ts_quote quote;
    enum ts_status status =
        known.failed ? ts_error_no_memory(error)
                     : ts_error_set(error, TS_USAGE, "--print-config does not know the client %s; it knows %s",
                                    ts_error_quote(&quote, ts_str_from(name), TS_QUOTE_ARGUMENT), known.ptr);
    ts_buf_free(&known);
    return status;
}

static enum ts_status check_text(const struct ts_mcp_registration *registration, struct ts_error *error)
{
    bool valid = ts_utf8_valid(ts_str_from(registration->program));
    for (int i = 0; i < registration->argc; i++) {
        struct ts_str root;
        valid = valid && ts_utf8_valid(ts_str_from(registration->argv[i]));
        if (is_root(registration, &i, &root))
            valid = valid && ts_utf8_valid(root) &&
                    (!is_relative(root) || ts_utf8_valid(ts_str_from(registration->folder)));
    }
    return valid ? TS_OK
                 : ts_error_set(error, TS_REFUSED,
                                "a path is not valid UTF-8, which no configuration file can hold; use one "
                                "that is (a symbolic link will do)");
}

enum ts_status ts_mcp_print_config(const char *name, const struct ts_mcp_registration *registration, struct ts_buf *out,
                                   const char **where, struct ts_error *error)
{
    size_t index = 0;
    while (index < CLIENTS && strcmp(name, clients[index].name) != 0)
        index++;
    if (index == CLIENTS)
        return unknown_client(name, error);
    enum ts_status status = check_text(registration, error);
    if (status)
        return status;
    if (clients[index].form == FORM_TOML)
        write_toml(&clients[index], registration, out);
    else
        write_json(&clients[index], registration, out);
    *where = clients[index].where;
    return ts_buf_status(out, error);
}
