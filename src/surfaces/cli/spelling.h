/* Names as a person types them: commands and options with dashes, where the library has words with underscores. */
#ifndef TS_SURFACES_CLI_SPELLING_H
#define TS_SURFACES_CLI_SPELLING_H

#include "questions/question.h"

/* Append "top-ops" for "top_ops". */
void ts_cli_spell(struct ts_buf *out, const char *name);
/* The same into a buffer of the caller's, cut where it is too long. Returns it. */
struct ts_cli_name {
    char text[64];
};
const char *ts_cli_name(struct ts_cli_name *buffer, const char *name);
/* Rewrite a message of the library: names of questions become commands, names of the question's arguments and of the two
 * paths become options. Words in double quotes, parts of paths and names without an underscore are left alone, as is what
 * the message begins with when that is label, the capture's name. A message that finds no room stays as it is. */
void ts_cli_spell_error(const struct ts_question *question, const char *label, struct ts_error *error);

#endif
