/* ts-make-man DOCS OUTDIR: write the man pages' sources for scdoc, tilesight.1.scd and one of each subcommand. Names, usage and
 * options come from the declarations that --help prints; DOCS/man/NAME.scd, where it is there, adds sections of its own, and
 * DOCS/examples/QUESTION.txt the example. */
#include <stdio.h>
#include <string.h>

#include "questions/table.h"
#include "subject.h"
#include "write.h"

static const char special[] = "\\_*#~`";

/* A paragraph: what the help breaks into lines is filled again. */
static void add_text(const char *text, struct ts_buf *out)
{
    char one[2] = "";
    for (; *text; text++) {
        one[0] = *text == '\n' ? ' ' : *text;
        tool_escape(one, special, out);
    }
}

static void add_values(const struct tool_option *option, struct ts_buf *out)
{
    struct ts_buf values;
    ts_buf_init(&values, 0);
    tool_values(option, " ", &values);
    struct ts_str rest = ts_buf_view(&values), value;
    const char *separator = option->takes == TOOL_TAKES_WORDS ? " Any of " : " One of ";
    for (bool done = false; ts_str_split(&rest, ' ', &value, &done); separator = ", ") {
        char text[128];
        snprintf(text, sizeof text, "%.*s", (int)value.len, value.ptr);
        ts_buf_printf(out, "%s*", separator);
        tool_escape(text, special, out);
        ts_buf_char(out, '*');
        if (option->param && option->param->standard && ts_str_is(value, option->param->standard))
            ts_buf_text(out, " (default)");
    }
    ts_buf_char(out, '.');
    ts_buf_free(&values);
}

static void add_option(const struct tool_subject *subject, const struct tool_option *option, struct ts_buf *out)
{
    const char *output = subject->command ? subject->command->output : NULL;
    if (output && strcmp(output, option->name) == 0)
        ts_buf_text(out, "*-o*, ");
    if (strcmp(option->name, "help") == 0)
        ts_buf_text(out, "*-h*, ");
    ts_buf_printf(out, "*--%s*", option->name);
    if (option->argument) {
        const char *shown = option->takes == TOOL_TAKES_WORD ? "WHAT" : option->argument;
        ts_buf_text(out, " _");
        tool_escape(shown, special, out);
        ts_buf_char(out, '_');
    }
    ts_buf_text(out, "\n\t");
    add_text(option->help, out);
    ts_buf_char(out, '.');
    if (option->takes == TOOL_TAKES_WORD || option->takes == TOOL_TAKES_WORDS)
        add_values(option, out);
    ts_buf_text(out, "\n\n");
}

static void add_usage(const struct tool_subject *subject, struct ts_buf *out)
{
    ts_buf_text(out, "# SYNOPSIS\n\n");
    if (subject->question) {
        struct ts_buf usage;
        ts_buf_init(&usage, 0);
        ts_command_question_usage(subject->question, &usage);
        add_text(usage.ptr ? usage.ptr : "", out);
        ts_buf_free(&usage);
    } else {
        add_text(subject->command->usage, out);
    }
    ts_buf_text(out, "\n\n# DESCRIPTION\n\n");
    if (subject->question) {
        add_text(subject->summary, out);
        ts_buf_text(out, ". ");
        add_text(subject->question->description, out);
    } else {
        add_text(subject->command->about, out);
    }
    ts_buf_text(out, "\n\n");
}

static bool write_page(const char *docs, const char *folder, const struct tool_subject *subject)
{
    struct ts_buf page;
    char name[128], man[4096], examples[4096];
    snprintf(man, sizeof man, "%s/man", docs);
    snprintf(examples, sizeof examples, "%s/examples", docs);
    ts_buf_init(&page, 0);
    ts_buf_printf(&page, "tilesight-%s(1)\n\n# NAME\n\ntilesight-%s - ", subject->name, subject->name);
    add_text(subject->summary, &page);
    ts_buf_text(&page, "\n\n");
    add_usage(subject, &page);
    ts_buf_text(&page, "# OPTIONS\n\n");
    for (unsigned i = 0; i < subject->option_count; i++)
        add_option(subject, &subject->options[i], &page);
    if (subject->command && subject->command->environment) {
        ts_buf_text(&page, "# ENVIRONMENT\n\n");
        add_text(subject->command->environment, &page);
        ts_buf_text(&page, "\n\n");
    }
    if (tool_read(man, subject->name, ".scd", &page))
        ts_buf_char(&page, '\n');
    struct ts_buf example;
    ts_buf_init(&example, 0);
    if (tool_read(examples, subject->question ? subject->question->name : subject->name, ".txt", &example))
        ts_buf_printf(&page, "# EXAMPLE\n\n```\n%s```\n\n", example.ptr ? example.ptr : "");
    ts_buf_free(&example);
    ts_buf_text(&page, "# EXIT STATUS\n\n*0* done, *1* refused or unreadable input, *2* wrong usage.\n\n"
                       "# SEE ALSO\n\n*tilesight*(1)\n");
    snprintf(name, sizeof name, "tilesight-%s.1.scd", subject->name);
    bool good = tool_write(folder, name, &page);
    ts_buf_free(&page);
    return good;
}

static void add_commands(bool questions, struct ts_buf *out)
{
    struct tool_subject subject;
    for (unsigned i = 0; tool_subject(i, &subject); i++)
        if ((subject.question != NULL) == questions) {
            ts_buf_printf(out, "*%s*\n\t", subject.name);
            add_text(subject.summary, out);
            ts_buf_text(out, ".\n\n");
        }
}

static bool write_main_page(const char *docs, const char *folder)
{
    struct ts_buf page;
    char man[4096];
    snprintf(man, sizeof man, "%s/man", docs);
    ts_buf_init(&page, 0);
    ts_buf_text(&page,
                "tilesight(1)\n\n# NAME\n\ntilesight - ask captures of tile-based AI accelerators what happened\n\n"
                "# SYNOPSIS\n\n*tilesight* _COMMAND_ [_PATH_...] [_OPTION_...]\n\n*tilesight* *--help*\n\n"
                "*tilesight* *--version*\n\n");
    tool_read(man, "tilesight", ".scd", &page);
    ts_buf_text(&page, "\n# QUESTIONS ABOUT A CAPTURE\n\n");
    add_commands(true, &page);
    ts_buf_text(&page, "# OTHER COMMANDS\n\n");
    add_commands(false, &page);
    ts_buf_text(&page,
                "# EXIT STATUS\n\n*0* answered, *1* refused or unreadable input, *2* wrong usage.\n\n# SEE ALSO\n\n");
    struct tool_subject subject;
    for (unsigned i = 0; tool_subject(i, &subject); i++)
        ts_buf_printf(&page, "%s*tilesight-%s*(1)", i ? ", " : "", subject.name);
    ts_buf_char(&page, '\n');
    bool good = tool_write(folder, "tilesight.1.scd", &page);
    ts_buf_free(&page);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s DOCS OUTDIR\n", argv[0]);
        return 2;
    }
    bool good = write_main_page(argv[1], argv[2]);
    struct tool_subject subject;
    for (unsigned i = 0; good && tool_subject(i, &subject); i++)
        good = write_page(argv[1], argv[2], &subject);
    return good ? 0 : 1;
}
