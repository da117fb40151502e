/* Which dump a path means, and what paths look like in messages. */
#ifndef TS_TRANSFORMS_CLEAN_SIM_TRACE_FIND_H
#define TS_TRANSFORMS_CLEAN_SIM_TRACE_FIND_H

#include "base/arena.h"
#include "base/context.h"

/* The path without "." parts, doubled and last slashes; "" for the current folder. NULL when memory is out. */
char *ts_clean_sim_path_tidy(struct ts_arena *arena, const char *path);
/* folder/name, or name alone in the current folder. NULL when memory is out. */
char *ts_clean_sim_path_join(struct ts_arena *arena, const char *folder, const char *name);
/* The folder of a tidy path. */
char *ts_clean_sim_path_folder(struct ts_arena *arena, const char *path);

/* The dump: path itself when it is a file, path/visualize_data.bin, path/simulator/visualize_data.bin (each also
 * with .gz or .zst), or the only one further down. Errors: TS_INPUT when there is none or, listing them, several. */
enum ts_status ts_clean_sim_find(struct ts_context *context, struct ts_arena *arena, const char *path, const char **out,
                                 struct ts_error *error);

#endif
