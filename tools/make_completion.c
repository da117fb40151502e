/* ts-make-completion OUTDIR: write the completion of bash (tilesight.bash), zsh (_tilesight) and fish (tilesight.fish) from the
 * declarations that --help prints. */
#include <stdio.h>
#include <string.h>

#include "subject.h"
#include "write.h"

/* In single quotes of a POSIX shell, or with a backslash of fish, which knows \' inside them. */
static void add_quoted(const char *text, bool fish, struct ts_buf *out)
{
    ts_buf_char(out, '\'');
    for (; *text; text++)
        if (*text == '\'')
            ts_buf_text(out, fish ? "\\'" : "'\\''");
        else if (*text == '\\' && fish)
            ts_buf_text(out, "\\\\");
        else
            ts_buf_char(out, *text);
    ts_buf_char(out, '\'');
}

static bool takes_paths(const struct tool_subject *subject)
{
    return subject->question || subject->command->paths;
}

static const char *output_of(const struct tool_subject *subject)
{
    return subject->command ? subject->command->output : NULL;
}

/* ---- bash ---- */

static void add_bash_value(const struct tool_subject *subject, const struct tool_option *option, struct ts_buf *out)
{
    const char *output = output_of(subject);
    if (option->takes == TOOL_TAKES_NOTHING)
        return;
    ts_buf_printf(out, "        %s--%s) ", output && strcmp(output, option->name) == 0 ? "-o | " : "", option->name);
    switch (option->takes) {
    case TOOL_TAKES_WORD:
    case TOOL_TAKES_WORDS:
        ts_buf_printf(out, "_tilesight_%s '", option->takes == TOOL_TAKES_WORD ? "words" : "list");
        tool_values(option, " ", out);
        ts_buf_char(out, '\'');
        break;
    case TOOL_TAKES_FILE:
        ts_buf_text(out, "_tilesight_paths default");
        break;
    case TOOL_TAKES_FOLDER:
        ts_buf_text(out, "_tilesight_paths dirnames");
        break;
    default:
        ts_buf_char(out, ':');
    }
    ts_buf_text(out, " ;;\n");
}

static void add_bash_subject(const struct tool_subject *subject, struct ts_buf *out)
{
    ts_buf_printf(out, "    %s)\n        case $prev in\n", subject->name);
    for (unsigned i = 0; i < subject->option_count; i++)
        add_bash_value(subject, &subject->options[i], out);
    ts_buf_text(out, "        *) _tilesight_rest '");
    for (unsigned i = 0; i < subject->option_count; i++)
        ts_buf_printf(out, "%s--%s", i ? " " : "", subject->options[i].name);
    ts_buf_printf(out, "%s' %s ;;\n        esac\n        ;;\n", output_of(subject) ? " -o" : "",
                  takes_paths(subject) ? "default" : "''");
}

static bool write_bash(const char *folder)
{
    static const char head[] =
        "# Completion of tilesight for bash; made by ts-make-completion.\n\n"
        "_tilesight_words() {\n    COMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n}\n\n"
        "# What is in front of the last comma stays.\n"
        "_tilesight_list() {\n    local before=\n    [[ $cur != *,* ]] || before=${cur%,*},\n"
        "    COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\"))\n}\n\n"
        "_tilesight_paths() {\n    compopt -o \"$1\" 2>/dev/null\n}\n\n"
        "# _tilesight_rest OPTIONS HOW: an option, or else a path where HOW says so.\n"
        "_tilesight_rest() {\n    if [[ $cur == -* ]]; then\n        _tilesight_words \"$1\"\n"
        "    elif [[ $2 ]]; then\n        _tilesight_paths \"$2\"\n    fi\n}\n\n"
        "_tilesight() {\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n    COMPREPLY=()\n"
        "    # --option=value comes as three words.\n"
        "    if [[ $cur == = ]]; then\n        cur=\n"
        "    elif [[ $prev == = ]]; then\n        prev=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n"
        "    if ((COMP_CWORD == 1)); then\n        _tilesight_words '";
    struct ts_buf text;
    struct tool_subject subject;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, head);
    for (unsigned i = 0; tool_subject(i, &subject); i++)
        ts_buf_printf(&text, "%s ", subject.name);
    ts_buf_text(&text, "--help --version'\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (unsigned i = 0; tool_subject(i, &subject); i++)
        add_bash_subject(&subject, &text);
    ts_buf_text(&text, "    esac\n}\n\ncomplete -F _tilesight tilesight\n");
    bool good = tool_write(folder, "tilesight.bash", &text);
    ts_buf_free(&text);
    return good;
}

/* ---- zsh ---- */

static void add_zsh_value(const struct tool_option *option, struct ts_buf *out)
{
    switch (option->takes) {
    case TOOL_TAKES_WORD:
        ts_buf_text(out, ":value:(");
        tool_values(option, " ", out);
        ts_buf_char(out, ')');
        break;
    case TOOL_TAKES_WORDS:
        ts_buf_text(out, ":values:_sequence compadd - ");
        tool_values(option, " ", out);
        break;
    case TOOL_TAKES_FILE:
        ts_buf_text(out, ":path:_files");
        break;
    case TOOL_TAKES_FOLDER:
        ts_buf_text(out, ":folder:_files -/");
        break;
    default:
        ts_buf_printf(out, ":%s: ", option->argument);
    }
}

/* An option of _arguments: '*--by=[what it does]:value:(one two)'. */
static void add_zsh_option(const char *name, const struct tool_option *option, struct ts_buf *out)
{
    struct ts_buf spec;
    ts_buf_init(&spec, 0);
    ts_buf_printf(&spec, "*%s%s[", name, option->argument && name[1] == '-' ? "=" : "");
    tool_escape(option->help, "[]\\:", &spec);
    ts_buf_char(&spec, ']');
    if (option->argument)
        add_zsh_value(option, &spec);
    ts_buf_text(out, " \\\n            ");
    add_quoted(spec.ptr ? spec.ptr : "", false, out);
    out->failed = out->failed || spec.failed;
    ts_buf_free(&spec);
}

static void add_zsh_subject(const struct tool_subject *subject, struct ts_buf *out)
{
    const char *output = output_of(subject);
    ts_buf_printf(out, "    %s)\n        _arguments -S", subject->name);
    for (unsigned i = 0; i < subject->option_count; i++) {
        char name[80];
        snprintf(name, sizeof name, "--%s", subject->options[i].name);
        add_zsh_option(name, &subject->options[i], out);
        if (output && strcmp(output, subject->options[i].name) == 0)
            add_zsh_option("-o", &subject->options[i], out);
    }
    if (takes_paths(subject))
        ts_buf_text(out, " \\\n            '*:path:_files'");
    ts_buf_text(out, "\n        ;;\n");
}

static bool write_zsh(const char *folder)
{
    struct ts_buf text;
    struct tool_subject subject;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "#compdef tilesight\n# Completion of tilesight for zsh; made by ts-make-completion.\n\n"
                       "local -a commands\ncommands=(\n");
    for (unsigned i = 0; tool_subject(i, &subject); i++) {
        struct ts_buf line;
        ts_buf_init(&line, 0);
        ts_buf_printf(&line, "%s:%s", subject.name, subject.summary);
        ts_buf_text(&text, "    ");
        add_quoted(line.ptr ? line.ptr : "", false, &text);
        ts_buf_char(&text, '\n');
        ts_buf_free(&line);
    }
    ts_buf_text(&text, "    '--help:show what there is'\n    '--version:print the release'\n)\n\n"
                       "if ((CURRENT == 2)); then\n    _describe command commands\n    return\nfi\n"
                       "shift words\n((CURRENT--))\ncase $words[1] in\n");
    for (unsigned i = 0; tool_subject(i, &subject); i++)
        add_zsh_subject(&subject, &text);
    ts_buf_text(&text, "esac\n");
    bool good = tool_write(folder, "_tilesight", &text);
    ts_buf_free(&text);
    return good;
}

/* ---- fish ---- */

static void add_fish_option(const struct tool_subject *subject, const struct tool_option *option, struct ts_buf *out)
{
    const char *output = output_of(subject);
    ts_buf_printf(out, "complete -c tilesight -n '__fish_seen_subcommand_from %s' -l %s", subject->name, option->name);
    if (output && strcmp(output, option->name) == 0)
        ts_buf_text(out, " -s o");
    switch (option->takes) {
    case TOOL_TAKES_NOTHING:
        break;
    case TOOL_TAKES_WORD:
        ts_buf_text(out, " -x -a '");
        tool_values(option, " ", out);
        ts_buf_char(out, '\'');
        break;
    case TOOL_TAKES_WORDS:
        ts_buf_text(out, " -x -a '(__fish_append , ");
        tool_values(option, " ", out);
        ts_buf_text(out, ")'");
        break;
    case TOOL_TAKES_FILE:
        ts_buf_text(out, " -r -F");
        break;
    case TOOL_TAKES_FOLDER:
        ts_buf_text(out, " -x -a '(__fish_complete_directories)'");
        break;
    case TOOL_TAKES_TEXT:
        ts_buf_text(out, " -x");
        break;
    }
    ts_buf_text(out, " -d ");
    add_quoted(option->help, true, out);
    ts_buf_char(out, '\n');
}

static bool write_fish(const char *folder)
{
    struct ts_buf text;
    struct tool_subject subject;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "# Completion of tilesight for fish; made by ts-make-completion.\n\ncomplete -c tilesight -f\n"
                       "complete -c tilesight -n __fish_use_subcommand -l help -d 'show what there is'\n"
                       "complete -c tilesight -n __fish_use_subcommand -l version -d 'print the release'\n");
    for (unsigned i = 0; tool_subject(i, &subject); i++) {
        ts_buf_printf(&text, "\ncomplete -c tilesight -n __fish_use_subcommand -a %s -d ", subject.name);
        add_quoted(subject.summary, true, &text);
        ts_buf_char(&text, '\n');
        if (takes_paths(&subject))
            ts_buf_printf(&text, "complete -c tilesight -n '__fish_seen_subcommand_from %s' -F\n", subject.name);
        for (unsigned k = 0; k < subject.option_count; k++)
            add_fish_option(&subject, &subject.options[k], &text);
    }
    bool good = tool_write(folder, "tilesight.fish", &text);
    ts_buf_free(&text);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s OUTDIR\n", argv[0]);
        return 2;
    }
    return write_bash(argv[1]) && write_zsh(argv[1]) && write_fish(argv[1]) ? 0 : 1;
}
