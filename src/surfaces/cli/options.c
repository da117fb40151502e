#include "surfaces/cli/options.h"

#include "base/number.h"

/* Compare an option as typed with a name, '_' and '-' being the same. */
static bool same_name(struct ts_str typed, const char *name)
{
    if (typed.len != strlen(name))
        return false;
    for (size_t i = 0; i < typed.len; i++) {
        char a = typed.ptr[i] == '_' ? '-' : typed.ptr[i];
        char b = name[i] == '_' ? '-' : name[i];
        if (a != b)
            return false;
    }
    return true;
}

static const struct ts_option *find_option(const struct ts_option *known, struct ts_str typed)
{
    for (; known->name; known++)
        if (same_name(typed, known->name))
            return known;
    return NULL;
}

static enum ts_option_found unknown_option(const char *word, struct ts_error *error)
{
    struct ts_quote quote;
    ts_error_set(error, TS_USAGE, "there is no option %s",
                 ts_error_quote(&quote, ts_str_from(word), TS_QUOTE_ARGUMENT));
    return TS_OPTION_WRONG;
}

enum ts_option_found ts_options_next(struct ts_options *options, const struct ts_option *known,
                                     const struct ts_option **found, const char **value, struct ts_error *error)
{
    if (options->next >= options->argc)
        return TS_OPTION_END;
    const char *word = options->argv[options->next++];
    if (options->only_positional || word[0] != '-' || word[1] == '\0') {
        *value = word;
        return TS_OPTION_POSITIONAL;
    }
    if (strcmp(word, "--") == 0) {
        options->only_positional = true;
        return ts_options_next(options, known, found, value, error);
    }
    if (strcmp(word, "-h") == 0)
        word = "--help";
    if (strncmp(word, "--", 2) != 0)
        return unknown_option(word, error);

    struct ts_str typed = ts_str_from(word + 2);
    const char *equals = strchr(word, '=');
    if (equals)
        typed.len = (size_t)(equals - word) - 2;
    const struct ts_option *option = find_option(known, typed);
    if (!option)
        return unknown_option(word, error);
    *found = option;
    *value = NULL;
    if (!option->argument) {
        if (!equals)
            return TS_OPTION_FOUND;
        ts_error_set(error, TS_USAGE, "--%.*s takes no value", TS_STR_ARG(typed));
        return TS_OPTION_WRONG;
    }
    if (equals) {
        *value = equals + 1;
        return TS_OPTION_FOUND;
    }
    if (options->next >= options->argc) {
        ts_error_set(error, TS_USAGE, "--%.*s needs a value: --%.*s %s", TS_STR_ARG(typed), TS_STR_ARG(typed),
                     option->argument);
        return TS_OPTION_WRONG;
    }
    *value = options->argv[options->next++];
    return TS_OPTION_FOUND;
}

/* "--limit N" with '-' for '_'. */
static void describe_name(const struct ts_option *option, struct ts_buf *out)
{
    ts_buf_text(out, "--");
    for (const char *c = option->name; *c; c++)
        ts_buf_char(out, *c == '_' ? '-' : *c);
    if (option->argument)
        ts_buf_printf(out, " %s", option->argument);
}

enum { NAME_WIDTH = 28, LINE_WIDTH = 108 };

/* Words of help in lines of their own column; the first line is there up to it. */
static void describe_help(struct ts_str help, struct ts_buf *out)
{
    struct ts_str word;
    bool done = false;
    size_t used = NAME_WIDTH;
    for (bool first = true; ts_str_split(&help, ' ', &word, &done); first = false) {
        if (!first && used + 1 + word.len > LINE_WIDTH) {
            ts_buf_printf(out, "\n%*s", NAME_WIDTH, "");
            used = NAME_WIDTH;
        } else if (!first) {
            ts_buf_char(out, ' ');
            used++;
        }
        ts_buf_str(out, word);
        used += word.len;
    }
    ts_buf_char(out, '\n');
}

void ts_options_describe(const struct ts_option *known, struct ts_buf *out)
{
    for (; known->name; known++) {
        size_t start = out->len;
        ts_buf_text(out, "  ");
        describe_name(known, out);
        size_t width = out->len - start;
        if (width + 2 > NAME_WIDTH)
            ts_buf_printf(out, "\n%*s", NAME_WIDTH, "");
        else
            ts_buf_printf(out, "%*s", (int)(NAME_WIDTH - width), "");
        describe_help(ts_str_from(known->help), out);
    }
}

enum ts_status ts_options_number(const char *name, const char *text, unsigned minimum, unsigned maximum, unsigned *out,
                                 struct ts_error *error)
{
    int64_t value;
    if (!ts_number_parse_i64(ts_str_from(text), &value) || value < (int64_t)minimum || value > (int64_t)maximum)
        return ts_error_set(error, TS_USAGE, "--%s takes a whole number from %u to %u", name, minimum, maximum);
    *out = (unsigned)value;
    return TS_OK;
}
