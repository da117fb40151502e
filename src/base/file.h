/* Files of captures: the one function that opens them, and reading them as a stream, decompressed on the way. */
#ifndef TS_BASE_FILE_H
#define TS_BASE_FILE_H

#include <stdint.h>

#include "base/context.h"
#include "base/vec.h"

/* Which file, at which state: equal identities mean the same unchanged file. All members 0: no file. */
struct ts_identity {
    uint64_t device, inode, size;
    int64_t mtime_ns, ctime_ns;
    uint64_t path_hash; /* of the resolved path */
};
bool ts_identity_equal(const struct ts_identity *a, const struct ts_identity *b);

/* Directories that captures must lie in; made by surfaces, shared read-only. */
struct ts_roots;
/* paths is NULL-terminated. Errors: TS_IO. */
enum ts_status ts_roots_create(const char *const *paths, struct ts_roots **out, struct ts_error *error);
void ts_roots_destroy(struct ts_roots *roots);
/* The open directory (O_PATH) of the root at index, borrowed; -1 past the last. */
int ts_roots_descriptor(const struct ts_roots *roots, size_t index);

/* Open a capture's regular file for reading: O_CLOEXEC, never blocking on a FIFO, refusing anything that is not a
 * regular file or that the kernel makes up (/proc), and anything outside the context's roots, links included. identity (may be NULL) is taken from the open
 * descriptor. Errors: TS_INPUT (no such file, not a regular file), TS_REFUSED (outside the roots), TS_IO. */
enum ts_status ts_file_open(struct ts_context *context, const char *path, int *fd, struct ts_identity *identity,
                            struct ts_error *error);
/* The identity of the file at path now. found false (and TS_OK) when there is no such regular file. */
enum ts_status ts_file_identity(struct ts_context *context, const char *path, struct ts_identity *identity, bool *found,
                                struct ts_error *error);
/* The identity of an open descriptor; path only names it. */
enum ts_status ts_file_identity_fd(int fd, const char *path, struct ts_identity *identity, struct ts_error *error);

enum ts_path_kind { TS_PATH_NONE, TS_PATH_FILE, TS_PATH_DIRECTORY, TS_PATH_OTHER };
/* Absolute, links resolved, by realpath(3) where the path exists; else so far as it exists, and the rest by its text.
 * *out is malloc'ed. kind says what is there. Errors: TS_REFUSED outside the roots, TS_NO_MEMORY, TS_IO. */
enum ts_status ts_path_resolve(struct ts_context *context, const char *path, char **out, enum ts_path_kind *kind,
                               struct ts_error *error);
/* Call visit for each entry of a directory (no "." and ".."), in byte order of names, until it returns a status
 * other than TS_OK, which is then returned. At most 1,000,000 entries. */
enum ts_status ts_directory_list(struct ts_context *context, const char *path,
                                 enum ts_status (*visit)(void *data, const char *name, struct ts_error *error),
                                 void *data, struct ts_error *error);

/* A stream over a file, decompressed when the name ends in .gz or .zst. */
struct ts_reader;
/* Errors: those of ts_file_open, TS_NO_MEMORY. */
enum ts_status ts_reader_open(struct ts_context *context, const char *path, struct ts_reader **out,
                              struct ts_error *error);
/* The same over bytes in memory (tests, fuzzing); name is for messages and says whether they are compressed. */
enum ts_status ts_reader_open_memory(struct ts_context *context, const char *name, struct ts_str bytes,
                                     struct ts_reader **out, struct ts_error *error);
void ts_reader_close(struct ts_reader *reader);
/* Up to capacity bytes into buffer; *got is 0 only at the end. Checks the context and reports progress.
 * Errors: TS_IO, TS_INPUT (a damaged or cut compressed stream, naming file and offset), TS_CANCELLED, TS_LIMIT. */
enum ts_status ts_reader_read(struct ts_reader *reader, void *buffer, size_t capacity, size_t *got,
                              struct ts_error *error);
const char *ts_reader_path(const struct ts_reader *reader);
/* What the content that was read looks like though it is not read as that, with the cure ("gzip data: ..."); NULL: nothing
 * known. */
const char *ts_reader_looks_like(const struct ts_reader *reader);
/* The same of content that begins like this. */
const char *ts_reader_guess(struct ts_str beginning);
/* As it was at opening. */
const struct ts_identity *ts_reader_identity(const struct ts_reader *reader);
/* TS_OK when the file is still what it was at opening; TS_CHANGED otherwise. Call after the last read. */
enum ts_status ts_reader_unchanged(struct ts_reader *reader, struct ts_error *error);

#endif
