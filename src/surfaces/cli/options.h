/* Reading a command line against a table of options: --name VALUE, --name=VALUE, --name, and what is no option. */
#ifndef TS_SURFACES_CLI_OPTIONS_H
#define TS_SURFACES_CLI_OPTIONS_H

#include "base/buf.h"
#include "base/error.h"

struct ts_option {
    const char *name; /* without the dashes; NULL ends the table */
    /* What it takes, as help shows it: "N"; "FILE", "DIR", "PATH" or "BASE" of a path; "a|b" where these words are all; NULL:
     * nothing. */
    const char *argument;
    const char *help; /* one line */
    int id;           /* for the caller's switch */
};

struct ts_options {
    char **argv; /* words behind the command */
    int argc, next;
    bool only_positional; /* "--" was seen */
};

enum ts_option_found { TS_OPTION_END, TS_OPTION_POSITIONAL, TS_OPTION_FOUND, TS_OPTION_WRONG };
/* The next word: *value is the positional or the option's argument (borrowed from argv). '_' and '-' are the same in
 * names. TS_OPTION_WRONG sets error (TS_USAGE). */
enum ts_option_found ts_options_next(struct ts_options *options, const struct ts_option *known,
                                     const struct ts_option **found, const char **value, struct ts_error *error);
/* A table of options for --help. */
void ts_options_describe(const struct ts_option *known, struct ts_buf *out);
/* A whole number from text in minimum .. maximum. Errors: TS_USAGE naming the option. */
enum ts_status ts_options_number(const char *name, const char *text, unsigned minimum, unsigned maximum, unsigned *out,
                                 struct ts_error *error);

#endif
