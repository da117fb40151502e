/* Making a usage log shorter without losing its counts. */
#ifndef TS_SURFACES_MCP_USAGE_COMPACT_H
#define TS_SURFACES_MCP_USAGE_COMPACT_H

#include "base/buf.h"
#include "base/error.h"

/* Replace the older half of the lines by one line per distinct combination of their fields other than ts, run_id and count, with
 * the latest ts and the sum of the counts; then come the older lines that could not be read, as they are, then the younger
 * half. *fewer: the result has fewer lines. Errors: TS_NO_MEMORY. */
enum ts_status ts_usage_compact_text(struct ts_str log, struct ts_buf *out, bool *fewer, struct ts_error *error);
/* Do that to events.log in folder, one process at a time; when another is at it nothing is done. Errors: TS_IO, TS_NO_MEMORY. */
enum ts_status ts_usage_compact(const char *folder, struct ts_error *error);

#endif
