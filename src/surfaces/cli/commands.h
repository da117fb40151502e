/* The subcommands: the questions, and the others in a table. */
#ifndef TS_SURFACES_CLI_COMMANDS_H
#define TS_SURFACES_CLI_COMMANDS_H

#include "questions/question.h"
#include "surfaces/cli/command.h"

/* All that are no questions; NULL-terminated. A new one is a declaration in a file of its own and its line in commands.c. */
extern const struct ts_command *const ts_commands[];
/* NULL: there is none of that name. */
const struct ts_command *ts_command_find(const char *name);

/* A question as a subcommand: the words behind its name; returns the exit status. */
int ts_command_ask(const struct ts_question *question, int argc, char **argv);
/* Its options: the parameters that stand for no capture, then those of all questions, then the end of the table. */
enum { TS_COMMAND_OPTIONS_MAX = TS_ARGS_MAX + 16 };
void ts_command_question_options(const struct ts_question *question, struct ts_option out[TS_COMMAND_OPTIONS_MAX]);
/* "tilesight top-ops PATH... [OPTION...]". */
void ts_command_question_usage(const struct ts_question *question, struct ts_buf *out);
/* "--by is one of device_time (default), ...", a line each, an empty one before it. */
void ts_command_question_choices(const struct ts_question *question, struct ts_buf *out);

#endif
