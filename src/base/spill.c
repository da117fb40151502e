#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

enum { FIRST_CAPACITY = 4096, NAME_MAX_LEN = 4200 };

void ts_spill_init(struct ts_spill *spill, const char *folder, size_t memory)
{
    *spill = (struct ts_spill){.folder = folder, .memory = memory, .fd = -1};
}

void ts_spill_free(struct ts_spill *spill)
{
    if (spill->fd >= 0)
        close(spill->fd);
    free(spill->buffer);
    spill->fd = -1;
    spill->buffer = NULL;
}

uint64_t ts_spill_size(const struct ts_spill *spill)
{
    return spill->written + spill->used;
}

static enum ts_status failed(const struct ts_spill *spill, const char *verb, int number, struct ts_error *error)
{
    return ts_error_system(error, spill->folder, verb, number);
}

/* Where the file system knows no files without a name, the name is taken away at once. */
static int open_unnamed(const char *folder)
{
    char name[NAME_MAX_LEN];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    if ((size_t)snprintf(name, sizeof name, "%s/.tilesight-XXXXXX", folder) >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

/* What is in memory goes to the file. */
static enum ts_status write_out(struct ts_spill *spill, struct ts_error *error)
{
    if (spill->fd < 0)
        spill->fd = open_unnamed(spill->folder);
    if (spill->fd < 0)
        return failed(spill, "create a temporary file in", errno, error);
    for (size_t done = 0; done < spill->used;) {
        ssize_t count = pwrite(spill->fd, spill->buffer + done, spill->used - done, (off_t)(spill->written + done));
        if (count < 0 && errno != EINTR)
            return failed(spill, "write a temporary file in", errno, error);
        done += count > 0 ? (size_t)count : 0;
    }
    spill->written += spill->used;
    spill->used = 0;
    return TS_OK;
}

static enum ts_status grow(struct ts_spill *spill, struct ts_error *error)
{
    size_t capacity = spill->capacity ? 2 * spill->capacity : FIRST_CAPACITY;
    if (capacity > spill->memory)
        capacity = spill->memory;
    char *grown = realloc(spill->buffer, capacity);
    if (!grown)
        return ts_error_no_memory(error);
    spill->buffer = grown;
    spill->capacity = capacity;
    return TS_OK;
}

enum ts_status ts_spill_add(struct ts_spill *spill, const void *bytes, size_t len, struct ts_error *error)
{
    for (size_t done = 0; done < len;) {
        enum ts_status status = TS_OK;
        if (spill->used == spill->capacity)
            status = spill->capacity < spill->memory ? grow(spill, error) : write_out(spill, error);
        if (status != TS_OK)
            return status;
        size_t room = spill->capacity - spill->used, take = len - done < room ? len - done : room;
        memcpy(spill->buffer + spill->used, (const char *)bytes + done, take);
        spill->used += take;
        done += take;
    }
    return TS_OK;
}

enum ts_status ts_spill_read(const struct ts_spill *spill, uint64_t offset, void *bytes, size_t len,
                             struct ts_error *error)
{
    char *out = bytes;
    while (len > 0 && offset < spill->written) {
        size_t want = len < spill->written - offset ? len : (size_t)(spill->written - offset);
        ssize_t count = pread(spill->fd, out, want, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return failed(spill, "read a temporary file in", count < 0 ? errno : EIO, error);
        out += count;
        offset += (uint64_t)count;
        len -= (size_t)count;
    }
    if (len > 0)
        memcpy(out, spill->buffer + (offset - spill->written), len);
    return TS_OK;
}
