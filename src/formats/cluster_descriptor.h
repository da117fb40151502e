/* What a cluster descriptor (YAML, written by the driver) says of its chips. */
#ifndef TS_FORMATS_CLUSTER_DESCRIPTOR_H
#define TS_FORMATS_CLUSTER_DESCRIPTOR_H

#include "base/arena.h"
#include "base/file.h"

/* The architectures that the mapping `arch` names, as written, each once, in order, joined by ", "; of several documents all.
 * *found false when there is none, or the text is no YAML. In arena. Errors: TS_NO_MEMORY, TS_CANCELLED, TS_LIMIT (time). */
enum ts_status ts_cluster_descriptor_parse(struct ts_context *context, struct ts_arena *arena, struct ts_str text,
                                           struct ts_str *arch, bool *found, struct ts_error *error);
/* The same of a file; one over TS_LIMIT_CLUSTER_FILE has none. Errors: also those of ts_reader_open and ts_reader_read. */
enum ts_status ts_cluster_descriptor_read(struct ts_context *context, struct ts_arena *arena, const char *path,
                                          struct ts_str *arch, bool *found, struct ts_error *error);

#endif
