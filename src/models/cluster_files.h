/* Which cluster descriptor of a profiler report is that of rank 0. */
#ifndef TS_MODELS_CLUSTER_FILES_H
#define TS_MODELS_CLUSTER_FILES_H

#include "base/file.h"

/* Of cluster_descriptor.yaml and the family cluster_descriptor_N_of_WORLD.yaml: the first of the family when it is complete and
 * not older than the other one, which else is meant; without the other one the first of the family all the same. *out is
 * malloc'ed, or NULL when there is none. Errors: those of ts_directory_list and ts_file_identity. */
enum ts_status ts_cluster_files_first(struct ts_context *context, const char *directory, char **out,
                                      struct ts_error *error);

#endif
