#include "formats/profiler_db_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Where SQLite's own locks lie in a database file. */
enum {
    PENDING_BYTE = 0x40000000,
    RESERVED_BYTE = PENDING_BYTE + 1,
    SHARED_FIRST = PENDING_BYTE + 2,
    SHARED_SIZE = 510
};

/* Pages are read in larger pieces once they are asked for one after the other. */
enum { READ_AHEAD = 128 * 1024 };

struct file {
    sqlite3_file base;
    int fd; /* -1: the empty write-ahead log of a database that has none */
    bool is_database;
    char *ahead; /* READ_AHEAD bytes, or NULL */
    int64_t ahead_from, ahead_len, next_read;
};

static struct ts_db_vfs *of_vfs(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

static struct file *of_file(sqlite3_file *file)
{
    return (struct file *)file;
}

/* ---- reading ---- */

/* As many bytes as there are, up to size; -1 after an error. */
static int64_t read_at(const struct file *file, void *buffer, size_t size, int64_t offset)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = pread(file->fd, (char *)buffer + got, size - got, offset + (int64_t)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (int64_t)got;
}

/* Through the read-ahead buffer when reads follow one another. */
static int64_t read_buffered(struct file *file, void *buffer, int64_t size, int64_t offset)
{
    bool inside = file->ahead && offset >= file->ahead_from && offset + size <= file->ahead_from + file->ahead_len;
    bool follows = offset == file->next_read;
    file->next_read = offset + size;
    if (!inside) {
        if (!follows || size > READ_AHEAD / 2)
            return read_at(file, buffer, (size_t)size, offset);
        if (!file->ahead)
            file->ahead = malloc(READ_AHEAD);
        if (!file->ahead)
            return read_at(file, buffer, (size_t)size, offset);
        int64_t got = read_at(file, file->ahead, READ_AHEAD, offset);
        file->ahead_from = offset;
        file->ahead_len = got < 0 ? 0 : got;
        if (got < size) {
            memcpy(buffer, file->ahead, (size_t)file->ahead_len);
            return got;
        }
    }
    memcpy(buffer, file->ahead + (offset - file->ahead_from), (size_t)size);
    return size;
}

static int file_read(sqlite3_file *base, void *buffer, int size, sqlite3_int64 offset)
{
    struct file *file = of_file(base);
    int64_t got = file->fd < 0 || size < 0 ? 0 : read_buffered(file, buffer, size, offset);
    if (got < 0)
        return SQLITE_IOERR_READ;
    if (got == size)
        return SQLITE_OK;
    memset((char *)buffer + got, 0, (size_t)(size - got));
    return SQLITE_IOERR_SHORT_READ;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size)
{
    struct file *file = of_file(base);
    off_t end = file->fd < 0 ? 0 : lseek(file->fd, 0, SEEK_END);
    if (end < 0)
        return SQLITE_IOERR_FSTAT;
    *size = end;
    return SQLITE_OK;
}

static int file_close(sqlite3_file *base)
{
    struct file *file = of_file(base);
    if (file->fd >= 0)
        close(file->fd);
    free(file->ahead);
    return SQLITE_OK;
}

/* ---- what is never done ---- */

static int file_write(sqlite3_file *base, const void *buffer, int size, sqlite3_int64 offset)
{
    (void)base, (void)buffer, (void)size, (void)offset;
    return SQLITE_READONLY;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    (void)base, (void)size;
    return SQLITE_READONLY;
}

static int file_sync(sqlite3_file *base, int flags)
{
    (void)base, (void)flags;
    return SQLITE_OK;
}

/* SQLite asks for this only of files that it takes for its own left-overs; leaving them is what is wanted. */
static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_OK;
}

/* ---- locks ---- */

/* Locks of the open file, not of the process, so that a lock of the host program itself is seen too. (That closing the file
 * gives up the host's own POSIX locks on it no lock of ours can change: a host that writes a database asks about it from
 * another process.) Where there are no such locks, whether the file moved meanwhile decides. */
static int set_lock(const struct file *file, short type, off_t from, off_t len)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = from, .l_len = len};
    if (fcntl(file->fd, F_OFD_SETLK, &lock) == 0)
        return SQLITE_OK;
    return errno == EAGAIN || errno == EACCES ? SQLITE_BUSY : SQLITE_OK;
}

static int file_lock(sqlite3_file *base, int level)
{
    struct file *file = of_file(base);
    /* A higher level is only ever taken to have the database alone, for a log whose index is kept in memory. */
    if (!file->is_database || level != SQLITE_LOCK_SHARED)
        return SQLITE_OK;
    int result = set_lock(file, F_RDLCK, PENDING_BYTE, 1);
    if (result == SQLITE_OK) {
        result = set_lock(file, F_RDLCK, SHARED_FIRST, SHARED_SIZE);
        set_lock(file, F_UNLCK, PENDING_BYTE, 1);
    }
    return result;
}

static int file_unlock(sqlite3_file *base, int level)
{
    struct file *file = of_file(base);
    if (file->is_database && level == SQLITE_LOCK_NONE)
        set_lock(file, F_UNLCK, PENDING_BYTE, SHARED_SIZE + 2);
    return SQLITE_OK;
}

static int file_check_reserved(sqlite3_file *base, int *held)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = RESERVED_BYTE, .l_len = 1};
    *held = fcntl(of_file(base)->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int what, void *argument)
{
    (void)base, (void)what, (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *base)
{
    (void)base;
    return 4096;
}

static int file_characteristics(sqlite3_file *base)
{
    (void)base;
    return 0;
}

/* Version 1: without shared memory, so that the index of a write-ahead log is kept on the heap. */
static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

/* ---- opening ---- */

/* A file beside the database: there and not empty. A failure is kept as the problem and means it is not. */
static bool is_beside(struct ts_db_vfs *vfs, const char *path)
{
    struct ts_identity identity;
    bool found;
    struct ts_error error;
    if (ts_file_identity(vfs->context, path, &identity, &found, &error) != TS_OK) {
        vfs->problem = error;
        return false;
    }
    return found && identity.size > 0;
}

static int vfs_open(sqlite3_vfs *base, const char *path, sqlite3_file *out, int flags, int *flags_out)
{
    struct ts_db_vfs *vfs = of_vfs(base);
    struct file *file = of_file(out);
    memset(file, 0, sizeof *file);
    file->fd = -1;
    file->next_read = -1;
    if (!path || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)))
        return SQLITE_CANTOPEN;
    if (!(flags & SQLITE_OPEN_WAL) || is_beside(vfs, path)) {
        struct ts_error error;
        if (ts_file_open(vfs->context, path, &file->fd, NULL, &error) != TS_OK) {
            vfs->problem = error;
            file->fd = -1;
            return SQLITE_CANTOPEN;
        }
    }
    file->is_database = flags & SQLITE_OPEN_MAIN_DB;
    if (flags_out)
        *flags_out = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    file->base.pMethods = &methods;
    return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *base, const char *path, int what, int *result)
{
    struct ts_db_vfs *vfs = of_vfs(base);
    *result = what == SQLITE_ACCESS_EXISTS && is_beside(vfs, path);
    return vfs->problem.code ? SQLITE_IOERR_ACCESS : SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *out)
{
    (void)vfs;
    int len = snprintf(out, (size_t)size, "%s", path);
    return len < 0 || len >= size ? SQLITE_CANTOPEN : SQLITE_OK;
}

/* ---- the world around ---- */

static int vfs_randomness(sqlite3_vfs *vfs, int size, char *out)
{
    (void)vfs;
    memset(out, 0, (size_t)size);
    return size;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    struct timespec time = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
    nanosleep(&time, NULL);
    return microseconds;
}

/* No statement of ours asks for the time, and none in the file is let near it. */
static int vfs_time(sqlite3_vfs *vfs, double *out)
{
    (void)vfs;
    *out = 0;
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *out)
{
    (void)vfs, (void)size, (void)out;
    return 0;
}

enum ts_status ts_db_vfs_register(struct ts_db_vfs *vfs, struct ts_context *context, struct ts_error *error)
{
    memset(vfs, 0, sizeof *vfs);
    snprintf(vfs->name, sizeof vfs->name, "tilesight-%p", (void *)vfs);
    vfs->context = context;
    vfs->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(struct file),
        .mxPathname = PATH_MAX,
        .zName = vfs->name,
        .pAppData = vfs,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
    };
    int code = sqlite3_vfs_register(&vfs->vfs, 0);
    if (code == SQLITE_NOMEM)
        return ts_error_no_memory(error);
    if (code != SQLITE_OK)
        return ts_error_set(error, TS_INTERNAL, "SQLite cannot be made ready");
    return TS_OK;
}

void ts_db_vfs_unregister(struct ts_db_vfs *vfs)
{
    sqlite3_vfs_unregister(&vfs->vfs);
}
