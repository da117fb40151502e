/* Writing a file so that there is either the old one or the whole new one, whatever interrupts us. */
#ifndef TS_BASE_WRITE_H
#define TS_BASE_WRITE_H

#include "base/context.h"
#include "base/str.h"

/* Buffered; errors are sticky and come out at commit. */
struct ts_writer;
/* Begin writing what shall become path. What is being written has no name (O_TMPFILE) where the file system allows,
 * else a name beside the target that is removed on failure. An existing non-regular target (a device, a FIFO, "/dev/
 * stdout") is written straight through. The mode is that of the file it replaces, else as the umask
 * says. Errors: TS_IO, TS_NO_MEMORY. */
enum ts_status ts_writer_create(struct ts_context *context, const char *path, struct ts_writer **out,
                                struct ts_error *error);
void ts_writer_add(struct ts_writer *writer, const void *bytes, size_t len);
static inline void ts_writer_str(struct ts_writer *writer, struct ts_str s)
{
    ts_writer_add(writer, s.ptr, s.len);
}
uint64_t ts_writer_size(const struct ts_writer *writer);
/* Write out what is buffered, so that a full disk is known before anything is put in place: of several files that belong
 * together all are flushed before the first is committed. The writer stays. Errors: TS_IO, TS_CANCELLED. */
enum ts_status ts_writer_flush(struct ts_writer *writer, struct ts_error *error);
/* Flush, close and put in place. The writer is gone afterwards, whatever the result. Errors: TS_IO, TS_CANCELLED. */
enum ts_status ts_writer_commit(struct ts_writer *writer, struct ts_error *error);
/* Throw away; accepts NULL. */
void ts_writer_abandon(struct ts_writer *writer);

#endif
