/* The copy of a simulator's folder beside what was made of it. */
#ifndef TS_TRANSFORMS_CLEAN_SIM_TRACE_COPY_H
#define TS_TRANSFORMS_CLEAN_SIM_TRACE_COPY_H

#include "base/context.h"

/* Copy every entry of the folder of the file dump (run_only: the dump, trace.json and the folders of cores) into target, which is made:
 * contents, permissions and times, folders with what is in them. What is there already is overwritten, nothing is removed.
 * A link is copied as what it points to, unless that lies outside of that folder. The entry that holds target is left out. What
 * cannot be copied is told to warn, a line each, and the rest goes on; *copied tells whether the dump itself was.
 * Errors: TS_NO_MEMORY, TS_CANCELLED, TS_LIMIT; TS_IO when target cannot be made or is no folder, TS_REFUSED when the dump's
 * folder lies in it. */
enum ts_status ts_clean_sim_copy(struct ts_context *context, const char *dump, const char *target, bool run_only,
                                 void (*warn)(void *data, const char *line), void *warn_data, bool *copied,
                                 struct ts_error *error);

#endif
