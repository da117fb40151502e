#include "surfaces/cli/spelling.h"

#include <stdio.h>

#include "questions/table.h"

void ts_cli_spell(struct ts_buf *out, const char *name)
{
    for (; *name; name++)
        ts_buf_char(out, *name == '_' ? '-' : *name);
}

const char *ts_cli_name(struct ts_cli_name *buffer, const char *name)
{
    snprintf(buffer->text, sizeof buffer->text, "%s", name);
    for (char *c = buffer->text; *c; c++)
        *c = *c == '_' ? '-' : *c;
    return buffer->text;
}

static bool is_question(struct ts_str word)
{
    for (const struct ts_question *const *question = ts_questions; *question; question++)
        if (ts_str_is(word, (*question)->name))
            return true;
    return false;
}

static bool is_option(const struct ts_question *question, struct ts_str word)
{
    if (ts_str_is(word, "performance_path") || ts_str_is(word, "profiler_path"))
        return true;
    for (const struct ts_param *param = question->params; param->name; param++)
        if (ts_str_is(word, param->name))
            return true;
    return false;
}

/* A word of a sentence, not part of a path or of a name with dots. */
static bool stands_alone(const char *start, const char *word, size_t len)
{
    static const char before[] = " (\n", behind[] = " ,;.)\n";
    bool begins = word == start || strchr(before, word[-1]);
    const char *end = word + len;
    bool ends = !*end || strchr(behind, *end);
    return begins && ends && !(*end == '.' && end[1] && end[1] != ' ');
}

static void add_word(const struct ts_question *question, struct ts_str word, bool alone, struct ts_buf *out)
{
    bool command = alone && is_question(word);
    struct ts_cli_name name;
    char text[sizeof name.text];
    if (word.len >= sizeof text || !memchr(word.ptr, '_', word.len) ||
        !(command || (alone && is_option(question, word)))) {
        ts_buf_str(out, word);
        return;
    }
    memcpy(text, word.ptr, word.len);
    text[word.len] = '\0';
    ts_buf_text(out, command ? "" : "--");
    ts_cli_spell(out, text);
}

void ts_cli_spell_error(const struct ts_question *question, const char *label, struct ts_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    struct ts_buf out;
    ts_buf_init(&out, 0);
    const char *start = error->message, *at = start;
    bool quoted = false;
    if (label && strncmp(start, label, strlen(label)) == 0)
        at += strlen(label);
    ts_buf_add(&out, start, (size_t)(at - start));
    while (*at) {
        size_t len = strspn(at, letters);
        quoted = quoted != (*at == '"');
        if (len && !quoted)
            add_word(question, (struct ts_str){at, len}, stands_alone(start, at, len), &out);
        else
            ts_buf_add(&out, at, len ? len : 1);
        at += len ? len : 1;
    }
    if (!out.failed && out.len < sizeof error->message)
        memcpy(error->message, out.ptr ? out.ptr : "", out.len + 1);
    ts_buf_free(&out);
}
