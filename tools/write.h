/* Reading and writing whole files, for the makers of pages. */
#ifndef TS_TOOLS_WRITE_H
#define TS_TOOLS_WRITE_H

#include <stdbool.h>

#include "base/buf.h"

/* Append all of FOLDER/NAME SUFFIX; false: it is not there. */
bool tool_read(const char *folder, const char *name, const char *suffix, struct ts_buf *out);
/* Write FOLDER/NAME; says on standard error why not, and returns false. */
bool tool_write(const char *folder, const char *name, const struct ts_buf *text);

#endif
