/* A subcommand that is no question, declared once: its --help, its man page and the shells' completion are made from this. */
#ifndef TS_SURFACES_CLI_COMMAND_H
#define TS_SURFACES_CLI_COMMAND_H

#include "surfaces/cli/options.h"

struct ts_command {
    const char *name, *summary; /* "perf-report"; what it does, one line without a full stop */
    const char *usage;          /* "tilesight perf-report FILE... [OPTION...]" */
    const char *about;          /* what --help says of it: lines, without the last line end */
    const struct ts_option *options;
    const char *output;                /* the option that -o abbreviates, or NULL */
    bool paths;                        /* words that are no options are paths */
    const char *environment;           /* the variables it heeds, as about; or NULL */
    int (*run)(int argc, char **argv); /* the words behind the name; returns the exit status */
};

/* Append what --help shows. */
void ts_command_help(const struct ts_command *command, struct ts_buf *out);
/* Print it on standard output; the exit status. */
int ts_command_show_help(const struct ts_command *command);

#endif
