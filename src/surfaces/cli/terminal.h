/* Writing to the terminal or whatever standard output is. */
#ifndef TS_SURFACES_CLI_TERMINAL_H
#define TS_SURFACES_CLI_TERMINAL_H

#include "base/buf.h"
#include "base/context.h"
#include "base/str.h"

/* All of text fit for a terminal (ts_utf8_escape), in a buffer of the caller's that is emptied first. */
const char *ts_terminal_escape(struct ts_buf *buffer, const char *text);
/* "tilesight: MESSAGE" on standard error. */
void ts_terminal_error(const char *message);
/* The exit status that goes with a status: 0, 2 for wrong usage, else 1. */
int ts_terminal_exit_status(enum ts_status status);
/* Report an error, for wrong usage with where to find help (command may be NULL), and return the exit status. */
int ts_terminal_fail(const struct ts_error *error, const char *command);
/* Write to standard output and flush. False, with a message on standard error, when that failed; a reader that went away
 * (EPIPE) is no failure. */
bool ts_terminal_write(struct ts_str text);
/* Let the context show progress on standard error when that is a terminal, from half a second on. */
void ts_terminal_progress(struct ts_context *context);
/* Wipe a progress line that was shown. */
void ts_terminal_progress_done(struct ts_context *context);

#endif
