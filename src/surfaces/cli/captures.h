/* Captures named on the command line: what each path holds, and which paths make one capture. */
#ifndef TS_SURFACES_CLI_CAPTURES_H
#define TS_SURFACES_CLI_CAPTURES_H

#include "base/context.h"
#include "models/capture.h"

enum { TS_CLI_CAPTURES_MAX = 2 };

/* Paths in the order given. Different kinds in a row make one capture; a kind that is already there begins the next. */
struct ts_cli_captures {
    struct ts_capture_paths paths[TS_CLI_CAPTURES_MAX];
    unsigned count;
};
/* Add a path whose kind an option gave. Errors: TS_USAGE (more captures than can be compared). */
enum ts_status ts_cli_captures_performance(struct ts_cli_captures *captures, const char *path, struct ts_error *error);
enum ts_status ts_cli_captures_profiler(struct ts_cli_captures *captures, const char *path, struct ts_error *error);
/* Add a bare path, its kind recognised from its content: a database, or a folder with one, is a profiler report; anything else a
 * performance report; a folder with both halves is both. Errors: TS_USAGE, TS_IO, TS_NO_MEMORY. */
enum ts_status ts_cli_captures_bare(struct ts_context *context, struct ts_cli_captures *captures, const char *path,
                                    struct ts_error *error);

#endif
