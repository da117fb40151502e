#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "questions/table.h"
#include "surfaces/cli/spelling.h"

static enum tool_takes takes_of(const struct ts_option *option, const struct ts_param *param)
{
    static const char *const files[] = {"FILE", "PATH", "BASE"};
    if (!option->argument)
        return TOOL_TAKES_NOTHING;
    if (param && param->values)
        return param->kind == TS_PARAM_GROUPS ? TOOL_TAKES_WORDS : TOOL_TAKES_WORD;
    if (strchr(option->argument, '|'))
        return TOOL_TAKES_WORD;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(option->argument, files[i]) == 0)
            return TOOL_TAKES_FILE;
    return strcmp(option->argument, "DIR") == 0 ? TOOL_TAKES_FOLDER : TOOL_TAKES_TEXT;
}

static const struct ts_param *param_of(const struct ts_question *question, const char *name)
{
    for (const struct ts_param *param = question ? question->params : NULL; param && param->name; param++)
        if (strcmp(param->name, name) == 0)
            return param;
    return NULL;
}

static void add_options(struct tool_subject *subject, const struct ts_option *options)
{
    for (; options->name; options++) {
        if (subject->option_count == TOOL_OPTIONS_MAX) {
            fprintf(stderr, "%s has more options than TOOL_OPTIONS_MAX\n", subject->name);
            exit(1);
        }
        struct tool_option *option = &subject->options[subject->option_count++];
        struct ts_cli_name name;
        *option = (struct tool_option){.argument = options->argument, .help = options->help};
        snprintf(option->name, sizeof option->name, "%s", ts_cli_name(&name, options->name));
        option->param = param_of(subject->question, options->name);
        option->takes = takes_of(options, option->param);
    }
}

bool tool_subject(unsigned index, struct tool_subject *out)
{
    unsigned questions = 0, commands = 0;
    while (ts_questions[questions])
        questions++;
    while (ts_commands[commands])
        commands++;
    if (index >= questions + commands)
        return false;
    *out = (struct tool_subject){.option_count = 0};
    if (index < questions) {
        struct ts_option options[TS_COMMAND_OPTIONS_MAX];
        struct ts_cli_name name;
        out->question = ts_questions[index];
        out->summary = out->question->summary;
        snprintf(out->name, sizeof out->name, "%s", ts_cli_name(&name, out->question->name));
        ts_command_question_options(out->question, options);
        add_options(out, options);
    } else {
        out->command = ts_commands[index - questions];
        out->summary = out->command->summary;
        snprintf(out->name, sizeof out->name, "%s", out->command->name);
        add_options(out, out->command->options);
    }
    return true;
}

void tool_values(const struct tool_option *option, const char *separator, struct ts_buf *out)
{
    if (option->param && option->param->values) {
        for (const char *const *value = option->param->values; *value; value++)
            ts_buf_printf(out, "%s%s", value == option->param->values ? "" : separator, *value);
        return;
    }
    for (const char *c = option->argument; *c; c++)
        if (*c == '|')
            ts_buf_text(out, separator);
        else
            ts_buf_char(out, *c);
}

void tool_escape(const char *text, const char *which, struct ts_buf *out)
{
    for (; *text; text++) {
        if (strchr(which, *text))
            ts_buf_char(out, '\\');
        ts_buf_char(out, *text);
    }
}
