#include "surfaces/cli/command.h"

#include "surfaces/cli/terminal.h"

void ts_command_help(const struct ts_command *command, struct ts_buf *out)
{
    ts_buf_printf(out, "usage: %s\n\n%s\n\n", command->usage, command->about);
    ts_options_describe(command->options, out);
    if (command->environment)
        ts_buf_printf(out, "\n%s\n", command->environment);
}

int ts_command_show_help(const struct ts_command *command)
{
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_command_help(command, &text);
    bool good = !text.failed && ts_terminal_write(ts_buf_view(&text));
    ts_buf_free(&text);
    return good ? 0 : 1;
}
