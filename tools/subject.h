/* Every subcommand as the makers of man pages and completions see it, from the table of questions and that of the others. */
#ifndef TS_TOOLS_SUBJECT_H
#define TS_TOOLS_SUBJECT_H

#include "surfaces/cli/commands.h"

enum tool_takes {
    TOOL_TAKES_NOTHING,
    TOOL_TAKES_TEXT,
    TOOL_TAKES_WORD,  /* one of its values */
    TOOL_TAKES_WORDS, /* some of them, with commas between */
    TOOL_TAKES_FILE,
    TOOL_TAKES_FOLDER,
};

struct tool_option {
    char name[64]; /* "start-signpost" */
    const char *argument, *help;
    enum tool_takes takes;
    const struct ts_param *param; /* of a question, or NULL */
};

enum { TOOL_OPTIONS_MAX = 64 };
struct tool_subject {
    char name[64]; /* "top-ops" */
    const char *summary;
    const struct ts_question *question; /* or NULL, and then: */
    const struct ts_command *command;
    struct tool_option options[TOOL_OPTIONS_MAX];
    unsigned option_count;
};

/* Subject number index, questions first. False: there are not so many. */
bool tool_subject(unsigned index, struct tool_subject *out);
/* Append the values of an option that has some, with separator between them. */
void tool_values(const struct tool_option *option, const char *separator, struct ts_buf *out);
/* Append text with a backslash before each of these characters. */
void tool_escape(const char *text, const char *which, struct ts_buf *out);

#endif
