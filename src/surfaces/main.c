/* The program: which subcommand, and nothing else. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <tilesight/tilesight.h>

#include "questions/table.h"
#include "surfaces/cli/commands.h"
#include "surfaces/cli/spelling.h"
#include "surfaces/cli/terminal.h"
#include "surfaces/mcp/sandbox.h"

static void add_command(struct ts_buf *out, const char *name, const char *summary)
{
    size_t start = out->len;
    ts_buf_text(out, "  ");
    ts_cli_spell(out, name);
    ts_buf_printf(out, "%*s%s\n", (int)(20 - (out->len - start)), "", summary);
}

static void describe(struct ts_buf *out)
{
    ts_buf_text(out, "tilesight: ask captures of tile-based AI accelerators what happened\n\n"
                     "usage: tilesight COMMAND [PATH...] [OPTION...]\n\nQuestions about a capture:\n");
    for (const struct ts_question *const *question = ts_questions; *question; question++)
        add_command(out, (*question)->name, (*question)->summary);
    ts_buf_text(out, "\nOther commands:\n");
    for (const struct ts_command *const *command = ts_commands; *command; command++)
        add_command(out, (*command)->name, (*command)->summary);
    ts_buf_text(out,
                "\ntilesight COMMAND --help shows what a command takes. tilesight --version prints the release.\n");
}

/* What --help and --version print; they stand alone, since a word behind them would be passed over. */
static int show(void (*write_text)(struct ts_buf *), int argc, char **argv)
{
    struct ts_buf text;
    if (argc > 2) {
        struct ts_error error;
        struct ts_quote quote;
        ts_error_set(&error, TS_USAGE,
                     "%s stands alone, so %s is too much; a command's own help is tilesight COMMAND --help", argv[1],
                     ts_error_quote(&quote, ts_str_from(argv[2]), TS_QUOTE_ARGUMENT));
        return ts_terminal_fail(&error, NULL);
    }
    ts_buf_init(&text, 0);
    write_text(&text);
    bool good = !text.failed && ts_terminal_write(ts_buf_view(&text));
    ts_buf_free(&text);
    return good ? 0 : 1;
}

static void write_version(struct ts_buf *out)
{
    struct ts_sandbox offered;
    ts_sandbox_probe(&offered);
    ts_buf_printf(out, "tilesight %s\nsandbox of mcp: ", ts_version());
    if (offered.landlock)
        ts_buf_printf(out, "Landlock ABI %d, ", offered.landlock);
    else
        ts_buf_text(out, "no Landlock in this kernel, ");
    ts_buf_text(out, offered.seccomp ? "seccomp\n" : "no seccomp in this kernel\n");
}

int main(int argc, char **argv)
{
    /* Widths of wide characters in tables; nothing else follows the locale. */
    setlocale(LC_CTYPE, "C.UTF-8");
    /* A file-size limit is then an error of the write, which says which file, instead of the end of the program. */
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) {
        struct ts_buf text;
        ts_buf_init(&text, 0);
        describe(&text);
        fputs(text.failed ? "tilesight: out of memory\n" : text.ptr, stderr);
        ts_buf_free(&text);
        return 2;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return show(describe, argc, argv);
    if (strcmp(name, "--version") == 0)
        return show(write_version, argc, argv);
    const struct ts_command *command = ts_command_find(name);
    if (command)
        return command->run(argc - 2, argv + 2);
    const struct ts_question *question = ts_question_find(ts_str_from(name));
    if (question)
        return ts_command_ask(question, argc - 2, argv + 2);

    struct ts_error error;
    struct ts_quote quote;
    ts_error_set(&error, TS_USAGE, "there is no command %s",
                 ts_error_quote(&quote, ts_str_from(name), TS_QUOTE_ARGUMENT));
    return ts_terminal_fail(&error, NULL);
}
