#include "base/write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"

#define BUFFER_SIZE (64 * TS_KIB)
/* Most bytes of one write, so that the context is asked often enough. */
#define WRITE_MAX (4 * TS_MIB)

enum { LINKS_MAX = 40, NAME_TRIES = 100, TEMPORARY_NAME_MAX = 48, READER_STEP_MS = 20, READER_WAIT_MS = 5000 };

struct ts_writer {
    struct ts_context *context;
    char *path; /* as the caller said it, for messages */
    int fd;
    uint64_t size;
    enum ts_status status; /* of the first failure */
    struct ts_error error;

    /* Where the file goes; directory is -1 when the target is written straight through. */
    int directory;
    char *name;
    char temporary[TEMPORARY_NAME_MAX]; /* "" while what is written has no name */

    size_t used;
    char buffer[BUFFER_SIZE];
};

/* ---- where to write ---- */

/* /dev/stdout and its kin name a descriptor this process has already. Opening them anew would begin at offset 0 of a
 * file and fails for a socket, so the descriptor itself is taken. -1 for other paths. */
static int descriptor_named(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t len = strlen(folders[i]);
        if (strncmp(path, folders[i], len) != 0)
            continue;
        const char *digits = path + len;
        size_t count = strspn(digits, "0123456789");
        if (count > 0 && count < 7 && digits[count] == '\0')
            return atoi(digits);
    }
    return -1;
}

/* What was allocated, with errno when it is nothing: a compiler may take it that malloc leaves errno as it was. */
static void *allocated(void *pointer)
{
    if (!pointer)
        errno = ENOMEM;
    return pointer;
}

/* What the link at path says, malloc'ed and relative to the same place as path; NULL with errno EINVAL when there is no
 * link. */
static char *link_target(const char *path)
{
    char text[PATH_MAX];
    ssize_t length = readlink(path, text, sizeof text);
    if (length < 0)
        return NULL;
    if ((size_t)length == sizeof text) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    const char *slash = strrchr(path, '/');
    size_t folder = text[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
    char *target = allocated(malloc(folder + (size_t)length + 1));
    if (!target)
        return NULL;
    memcpy(target, path, folder);
    memcpy(target + folder, text, (size_t)length);
    target[folder + (size_t)length] = '\0';
    return target;
}

/* The path with links at its end followed, malloc'ed, so that the file is replaced and not the link to it. */
static char *follow_links(const char *path)
{
    char *current = allocated(strdup(path));
    for (int links = 0; current && links <= LINKS_MAX; links++) {
        char *target = link_target(current);
        int number = errno;
        if (!target && (number == EINVAL || number == ENOENT || number == ENOTDIR))
            return current;
        free(current);
        errno = number;
        current = target;
    }
    if (current) {
        free(current);
        errno = ELOOP;
    }
    return NULL;
}

static void random_name(char name[TEMPORARY_NAME_MAX], unsigned attempt)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
        number = ((uint64_t)getpid() << 16) ^ (uintptr_t)name ^ attempt;
    snprintf(name, TEMPORARY_NAME_MAX, ".tilesight-%016llx.tmp", (unsigned long long)number);
}

static int open_named(struct ts_writer *writer)
{
    for (unsigned attempt = 0; attempt < NAME_TRIES; attempt++) {
        char name[TEMPORARY_NAME_MAX];
        random_name(name, attempt);
        int fd = openat(writer->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0) {
            memcpy(writer->temporary, name, sizeof name);
            return fd;
        }
        if (errno != EEXIST && errno != EINTR)
            return -1;
    }
    return -1;
}

static int open_unnamed(struct ts_writer *writer)
{
    /* It is given its name through /proc. */
    if (access("/proc/self/fd", X_OK) != 0)
        return -1;
    int fd;
    do
        fd = openat(writer->directory, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static bool open_beside(struct ts_writer *writer, char *target)
{
    char *slash = strrchr(target, '/');
    const char *folder = slash ? target : ".";
    writer->name = allocated(strdup(slash ? slash + 1 : target));
    if (!writer->name)
        return false;
    if (!writer->name[0]) {
        errno = slash ? EISDIR : ENOENT;
        return false;
    }
    if (slash)
        slash[slash == target] = '\0'; /* "/name" lies in "/" */
    writer->directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (writer->directory < 0)
        return false;
    writer->fd = open_unnamed(writer);
    /* Whatever was in the way of the unnamed file is reported, if it lasts, by the named one. */
    if (writer->fd < 0)
        writer->fd = open_named(writer);
    /* A private file must not become readable to all because it is replaced. */
    struct stat old;
    if (writer->fd >= 0 && fstatat(writer->directory, writer->name, &old, 0) == 0 && S_ISREG(old.st_mode))
        (void)!fchmod(writer->fd, old.st_mode & 0777);
    return writer->fd >= 0;
}

/* A device, or a pipe, whose reader may still be on its way: it is waited for, but not for ever. */
static void open_special(struct ts_writer *writer, const char *path, bool pipe)
{
    const struct timespec step = {.tv_nsec = READER_STEP_MS * 1000000};
    for (unsigned waited = 0;; waited += READER_STEP_MS) {
        writer->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (pipe ? O_NONBLOCK : 0));
        bool again = errno == EINTR || (pipe && errno == ENXIO && waited < READER_WAIT_MS);
        if (writer->fd >= 0 || !again || atomic_load(&writer->context->cancelled))
            return;
        if (errno == ENXIO)
            nanosleep(&step, NULL);
    }
}

/* Opens what shall be written to. False with errno. */
static bool open_output(struct ts_writer *writer, const char *path)
{
    struct stat info;
    int own = descriptor_named(path);
    if (own >= 0) {
        writer->fd = fcntl(own, F_DUPFD_CLOEXEC, 0);
        return writer->fd >= 0;
    }
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        if (S_ISDIR(info.st_mode)) {
            errno = EISDIR;
            return false;
        }
        open_special(writer, path, S_ISFIFO(info.st_mode));
        return writer->fd >= 0;
    }
    char *target = follow_links(path);
    bool opened = target && open_beside(writer, target);
    int number = errno;
    free(target);
    errno = number;
    return opened;
}

static enum ts_status create_failed(struct ts_error *error, const char *path, int number)
{
    struct ts_quote quote;
    if (number == ENOMEM)
        return ts_error_no_memory(error);
    if (number == ENXIO)
        return ts_error_set(error, TS_IO, "%s: is a pipe or a socket that no program reads from; name a file",
                            ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE));
    return ts_error_system(error, path, "create", number);
}

enum ts_status ts_writer_create(struct ts_context *context, const char *path, struct ts_writer **out,
                                struct ts_error *error)
{
    struct ts_writer *writer = malloc(sizeof *writer);
    if (!writer)
        return ts_error_no_memory(error);
    /* All but the buffer. */
    memset(writer, 0, offsetof(struct ts_writer, buffer));
    writer->context = context;
    writer->fd = writer->directory = -1;
    writer->path = strdup(path);
    enum ts_status status = TS_OK;
    if (!writer->path) {
        status = ts_error_no_memory(error);
    } else if (!open_output(writer, path)) {
        int number = errno;
        status = ts_context_check(context, error);
        if (status == TS_OK)
            status = create_failed(error, path, number);
    }
    if (status != TS_OK) {
        ts_writer_abandon(writer);
        return status;
    }
    *out = writer;
    return TS_OK;
}

/* ---- writing ---- */

/* One write(2), waiting where the descriptor does not block. Returns the bytes written or -1 with errno. */
static ssize_t write_some(int fd, const char *bytes, size_t len)
{
    ssize_t count = write(fd, bytes, len < WRITE_MAX ? len : WRITE_MAX);
    if (count < 0 && errno == EAGAIN) {
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        /* A short while only: the context is asked in between. */
        if (poll(&wait, 1, 50) < 0 && errno != EINTR)
            return -1;
        return 0;
    }
    if (count < 0 && errno == EINTR)
        return 0;
    return count;
}

static void write_out(struct ts_writer *writer, const char *bytes, size_t len)
{
    while (len > 0 && writer->status == TS_OK) {
        writer->status = ts_context_check(writer->context, &writer->error);
        if (writer->status != TS_OK)
            return;
        ssize_t count = write_some(writer->fd, bytes, len);
        if (count < 0) {
            writer->status = ts_error_system(&writer->error, writer->path, "write", errno);
            return;
        }
        bytes += count;
        len -= (size_t)count;
    }
}

static void flush(struct ts_writer *writer)
{
    write_out(writer, writer->buffer, writer->used);
    writer->used = 0;
}

void ts_writer_add(struct ts_writer *writer, const void *bytes, size_t len)
{
    writer->size += len;
    if (writer->status != TS_OK || len == 0)
        return;
    if (len > BUFFER_SIZE - writer->used)
        flush(writer);
    if (len >= BUFFER_SIZE) {
        write_out(writer, bytes, len);
        return;
    }
    memcpy(writer->buffer + writer->used, bytes, len);
    writer->used += len;
}

uint64_t ts_writer_size(const struct ts_writer *writer)
{
    return writer->size;
}

/* ---- putting in place ---- */

/* Close a descriptor of the file and learn of writes that failed late, as network file systems report them. */
static bool close_checked(int fd)
{
    /* After EINTR Linux has closed it. */
    return close(fd) == 0 || errno == EINTR;
}

/* Give the unnamed file the name, in the directory of the target. */
static bool give_name(const struct ts_writer *writer, const char *name)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", writer->fd);
    return linkat(AT_FDCWD, link, writer->directory, name, AT_SYMLINK_FOLLOW) == 0;
}

/* A link cannot take the place of an existing file; a rename can. */
static bool give_temporary_name(struct ts_writer *writer)
{
    for (unsigned attempt = 0; attempt < NAME_TRIES; attempt++) {
        char name[TEMPORARY_NAME_MAX];
        random_name(name, attempt);
        if (give_name(writer, name)) {
            memcpy(writer->temporary, name, sizeof name);
            return true;
        }
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* False with errno; the descriptor may be closed or open afterwards. */
static bool put_in_place(struct ts_writer *writer)
{
    bool named = writer->temporary[0] != '\0';
    if (named || writer->directory < 0) {
        int fd = writer->fd;
        writer->fd = -1;
        if (!close_checked(fd))
            return false;
        if (!named)
            return true;
    } else {
        /* The name is given through the descriptor, which must stay open for it: any close of the file tells. */
        int probe = fcntl(writer->fd, F_DUPFD_CLOEXEC, 0);
        if (probe >= 0 && !close_checked(probe))
            return false;
        if (give_name(writer, writer->name))
            return true;
        if (errno != EEXIST || !give_temporary_name(writer))
            return false;
    }
    if (renameat(writer->directory, writer->temporary, writer->directory, writer->name) != 0)
        return false;
    writer->temporary[0] = '\0';
    return true;
}

enum ts_status ts_writer_flush(struct ts_writer *writer, struct ts_error *error)
{
    flush(writer);
    if (writer->status != TS_OK && error)
        *error = writer->error;
    return writer->status;
}

enum ts_status ts_writer_commit(struct ts_writer *writer, struct ts_error *error)
{
    flush(writer);
    if (writer->status == TS_OK)
        writer->status = ts_context_check(writer->context, &writer->error);
    if (writer->status == TS_OK && !put_in_place(writer))
        writer->status = ts_error_system(&writer->error, writer->path, "write", errno);
    enum ts_status status = writer->status;
    if (status != TS_OK && error)
        *error = writer->error;
    ts_writer_abandon(writer);
    return status;
}

void ts_writer_abandon(struct ts_writer *writer)
{
    if (!writer)
        return;
    if (writer->fd >= 0)
        close(writer->fd);
    if (writer->temporary[0])
        unlinkat(writer->directory, writer->temporary, 0);
    if (writer->directory >= 0)
        close(writer->directory);
    free(writer->name);
    free(writer->path);
    free(writer);
}
