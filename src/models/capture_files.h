/* Which files a path of a capture means. */
#ifndef TS_MODELS_CAPTURE_FILES_H
#define TS_MODELS_CAPTURE_FILES_H

#include "base/file.h"

/* The operations CSV of a directory: of the regular files ops_perf_results.csv and ops_perf_results_*.csv (each also with
 * .gz or .zst, where the name without it is not there) the one whose inode changed last; of several the name that sorts
 * last. *out is malloc'ed, or NULL and *identity all 0 when there is none. Errors: those of ts_directory_list and
 * ts_file_identity. */
enum ts_status ts_capture_files_csv(struct ts_context *context, const char *directory, char **out,
                                    struct ts_identity *identity, struct ts_error *error);
/* Why an entry of a directory is not taken for the file of that name (NULL: for an operations CSV), also with .gz or .zst: a
 * pipe, a directory, a link that leads nowhere. reason->code is TS_OK and its message empty when there is no such entry. Errors: TS_NO_MEMORY,
 * TS_CANCELLED, TS_LIMIT. */
enum ts_status ts_capture_files_passed_over(struct ts_context *context, const char *directory, const char *name,
                                            struct ts_error *reason, struct ts_error *error);
/* The regular file of that name in a directory, or where compressed is set with .gz or .zst behind the name. *out is
 * malloc'ed, or NULL when there is none. Errors: those of ts_file_identity, TS_NO_MEMORY. */
enum ts_status ts_capture_files_named(struct ts_context *context, const char *directory, const char *name,
                                      bool compressed, char **out, struct ts_error *error);
/* Whether a file is a device log rather than an operations CSV, by its name or else by its first line. A file that cannot
 * be read is none. */
enum ts_status ts_capture_files_is_device_log(struct ts_context *context, const char *path, bool *out,
                                              struct ts_error *error);
/* The directory that a file with an absolute path lies in; malloc'ed, NULL when memory is out. */
char *ts_capture_files_parent(const char *path);

#endif
