#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/map.h"

enum { DIRECTORY_ENTRIES_MAX = 1000000, CHECK_EVERY_ENTRIES = 4096, OPENAT2_TRIES = 16 };
/* Among errno values: a root is not the directory anymore that its path names. No call on files gives this one. */
enum { ROOT_MOVED = EREMCHG };

/* Fixed, so that the hash of a path is the same for every handle of a process. */
static const uint64_t PATH_HASH_SEED = 0x7473706174680001u;

struct root {
    int fd;
    char *path; /* resolved, without a slash at the end: "" for the root directory */
};
struct ts_roots {
    size_t count;
    struct root items[];
};

/* ---- names ---- */

/* The name the kernel has for an open descriptor. False without /proc, or when the name is too long. */
static bool descriptor_path(int fd, char buffer[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, buffer, PATH_MAX);
    if (length <= 0 || length >= PATH_MAX)
        return false;
    buffer[length] = '\0';
    return buffer[0] == '/';
}

/* The path as text from the root directory on, nothing resolved. *out is malloc'ed. Returns 0 or an errno value. */
static int make_absolute(const char *path, char **out)
{
    if (path[0] == '/') {
        *out = strdup(path);
        return *out ? 0 : ENOMEM;
    }
    char *here = getcwd(NULL, 0);
    if (!here)
        return errno;
    size_t size = strlen(here) + 1 + strlen(path) + 1;
    char *absolute = malloc(size);
    if (absolute)
        snprintf(absolute, size, "%s/%s", here, path);
    free(here);
    *out = absolute;
    return absolute ? 0 : ENOMEM;
}

/* Offset behind the first `count` components of an absolute path, or of all of them when there are fewer, which
 * *found tells. */
static size_t components_end(const char *path, size_t count, size_t *found)
{
    size_t end = 0, at = 0;
    for (*found = 0; *found < count; ++*found) {
        at += strspn(path + at, "/");
        if (!path[at])
            break;
        at += strcspn(path + at, "/");
        end = at;
    }
    return end;
}

/* Put the components of rest behind the resolved path front, taking "." and ".." by the text alone. The result is
 * malloc'ed, NULL when memory is out. */
static char *append_lexically(const char *front, const char *rest)
{
    char *path = malloc(strlen(front) + strlen(rest) + 2);
    if (!path)
        return NULL;
    size_t len = strcmp(front, "/") == 0 ? 0 : strlen(front);
    memcpy(path, front, len);
    while (*rest) {
        rest += strspn(rest, "/");
        size_t part = strcspn(rest, "/");
        if (part == 2 && rest[0] == '.' && rest[1] == '.') {
            while (len > 0 && path[--len] != '/')
                continue;
        } else if (part > 0 && !(part == 1 && rest[0] == '.')) {
            path[len++] = '/';
            memcpy(path + len, rest, part);
            len += part;
        }
        rest += part;
    }
    if (len == 0)
        path[len++] = '/';
    path[len] = '\0';
    return path;
}

/* Resolve a path whose end does not exist: the front that does exist with its links resolved, the rest as text. Whether
 * a front exists only ever turns from yes to no as it grows, so the longest is found by bisection; a long hostile path
 * costs a dozen look-ups. *out is malloc'ed. Returns 0 or an errno value. */
static int resolve_front(char *absolute, char **out)
{
    char *front = strdup("/");
    size_t low = 0, high, low_end = 0;
    components_end(absolute, SIZE_MAX, &high);
    while (front && high - low > 1) {
        size_t middle = low + (high - low) / 2, unused;
        size_t end = components_end(absolute, middle, &unused);
        char kept = absolute[end];
        absolute[end] = '\0';
        char *resolved = realpath(absolute, NULL);
        bool no_memory = !resolved && errno == ENOMEM;
        absolute[end] = kept;
        if (no_memory) {
            free(front);
            return ENOMEM;
        }
        if (resolved) {
            free(front);
            front = resolved;
            low = middle;
            low_end = end;
        } else {
            high = middle;
        }
    }
    *out = front ? append_lexically(front, absolute + low_end) : NULL;
    free(front);
    return *out ? 0 : ENOMEM;
}

/* The path absolute and with links resolved, as far as it exists. *out is malloc'ed. Returns 0 or an errno value. */
static int resolve_text(const char *path, char **out)
{
    *out = realpath(path, NULL);
    if (*out)
        return 0;
    if (errno == ENOMEM)
        return ENOMEM;
    char *absolute = NULL;
    int failure = make_absolute(path, &absolute);
    if (failure)
        return failure;
    failure = resolve_front(absolute, out);
    free(absolute);
    return failure;
}

/* ---- roots ---- */

/* What of an absolute resolved path lies beneath the root, "." for the root itself; NULL when it lies outside. */
static const char *beneath_root(const struct root *root, const char *path)
{
    size_t len = strlen(root->path);
    if (strncmp(path, root->path, len) != 0 || (path[len] != '/' && path[len] != '\0'))
        return NULL;
    path += len + strspn(path + len, "/");
    return *path ? path : ".";
}

static const struct root *find_root(const struct ts_roots *roots, const char *path, const char **relative)
{
    for (size_t i = 0; i < roots->count; i++) {
        *relative = beneath_root(&roots->items[i], path);
        if (*relative)
            return &roots->items[i];
    }
    return NULL;
}

/* Whether the root's path still names the directory that is held. What is beneath another one of that name was never allowed, and
 * what is beneath the one held would be taken for it. */
static bool root_stands(const struct root *root)
{
    struct stat held, named;
    return fstat(root->fd, &held) == 0 && stat(*root->path ? root->path : "/", &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

static enum ts_status open_root(const char *path, struct root *root, struct ts_error *error)
{
    char buffer[PATH_MAX];
    root->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root->fd < 0)
        return ts_error_system(error, path, "open the root directory", errno);
    root->path = descriptor_path(root->fd, buffer) ? strdup(buffer) : realpath(path, NULL);
    if (!root->path) {
        int number = errno;
        return number == ENOMEM ? ts_error_no_memory(error) : ts_error_system(error, path, "resolve", number);
    }
    if (strcmp(root->path, "/") == 0)
        root->path[0] = '\0';
    return TS_OK;
}

enum ts_status ts_roots_create(const char *const *paths, struct ts_roots **out, struct ts_error *error)
{
    size_t count = 0;
    while (paths[count])
        count++;
    struct ts_roots *roots = calloc(1, sizeof *roots + count * sizeof roots->items[0]);
    if (!roots)
        return ts_error_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        roots->count = i + 1;
        enum ts_status status = open_root(paths[i], &roots->items[i], error);
        if (status != TS_OK) {
            ts_roots_destroy(roots);
            return status;
        }
    }
    *out = roots;
    return TS_OK;
}

void ts_roots_destroy(struct ts_roots *roots)
{
    if (!roots)
        return;
    for (size_t i = 0; i < roots->count; i++) {
        if (roots->items[i].fd >= 0)
            close(roots->items[i].fd);
        free(roots->items[i].path);
    }
    free(roots);
}

int ts_roots_descriptor(const struct ts_roots *roots, size_t index)
{
    return index < roots->count ? roots->items[index].fd : -1;
}

/* ---- opening ---- */

static int open_at(int directory, const char *path, int flags)
{
    int fd;
    do
        fd = openat(directory, path, flags);
    while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

/* For kernels without openat2: take hold of the file without opening it, see where it lies, and only then open what is
 * held. Nobody can exchange it in between. Returns a descriptor or a negative errno value. */
static int open_and_compare(const struct root *root, const char *relative, int flags)
{
    char where[PATH_MAX], link[64];
    int held = open_at(root->fd, relative, O_PATH | O_CLOEXEC);
    if (held < 0)
        return held;
    int fd;
    if (!descriptor_path(held, where) || !beneath_root(root, where)) {
        fd = -EXDEV;
    } else if (flags & O_PATH) {
        return held;
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", held);
        fd = open_at(AT_FDCWD, link, flags);
    }
    close(held);
    return fd;
}

static int open_in_root(const struct root *root, const char *relative, int flags)
{
    struct open_how how = {
        .flags = (uint64_t)(unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    /* EAGAIN: something was renamed during the walk and the kernel cannot tell whether it stayed beneath. */
    for (int tries = 0; tries < OPENAT2_TRIES; tries++) {
        long fd = syscall(SYS_openat2, root->fd, relative, &how, sizeof how);
        if (fd >= 0)
            return (int)fd;
        /* EPERM is what container filters older than the call answer with. */
        if (errno == ENOSYS || errno == EPERM)
            return open_and_compare(root, relative, flags);
        if (errno != EAGAIN && errno != EINTR)
            return -errno;
    }
    return -EAGAIN;
}

/* The one place where a path of a capture becomes a descriptor. Returns it or a negative errno value, -EXDEV for
 * outside the roots, -ROOT_MOVED for beneath one that was moved or replaced. The path is resolved only to learn which name beneath which root is meant; that the open stays
 * beneath is seen to by the kernel, whatever happens to the links meanwhile. */
static int open_path(const struct ts_context *context, const char *path, int flags)
{
    if (!context->roots)
        return open_at(AT_FDCWD, path, flags);
    if (!*path)
        return -ENOENT;
    char *resolved;
    int failure = resolve_text(path, &resolved);
    if (failure)
        return -failure;
    const char *relative;
    const struct root *root = find_root(context->roots, resolved, &relative);
    int fd = !root ? -EXDEV : root_stands(root) ? open_in_root(root, relative, flags) : -ROOT_MOVED;
    free(resolved);
    return fd;
}

static bool means_no_such_file(int number)
{
    return number == ENOENT || number == ENOTDIR || number == ELOOP || number == ENAMETOOLONG;
}

static enum ts_status open_failed(struct ts_error *error, const char *path, const char *wanted, int number)
{
    struct ts_quote quote;
    const char *name = ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE);
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return ts_error_set(error, TS_INPUT, "%s: no such %s; check the path", name, wanted);
    case ELOOP:
        return ts_error_set(error, TS_INPUT, "%s: the symbolic links lead nowhere; check the path", name);
    case ENAMETOOLONG:
        return ts_error_set(error, TS_INPUT, "%s: the path is too long for this system", name);
    case ENXIO:
    case ENODEV:
        return ts_error_set(error, TS_INPUT, "%s: expected a %s, found a device or a socket", name, wanted);
    case EXDEV:
        return ts_error_set(error, TS_REFUSED,
                            "%s: lies outside the directories that captures may be read from; "
                            "move the capture into one of them, or start with that directory allowed",
                            name);
    case ROOT_MOVED:
        return ts_error_set(error, TS_REFUSED,
                            "%s: the directory beneath which it may be read was moved or replaced since the start; "
                            "start again to read what is there now",
                            name);
    case EAGAIN:
        return ts_error_set(error, TS_BUSY, "%s: is being moved or held by another program; try again", name);
    case ENOMEM:
        return ts_error_no_memory(error);
    default:
        return ts_error_system(error, path, "open", number);
    }
}

static const char *kind_text(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a pipe";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
    case S_IFBLK:
        return "a device";
    default:
        return "something else";
    }
}

/* ---- identity ---- */

bool ts_identity_equal(const struct ts_identity *a, const struct ts_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size && a->mtime_ns == b->mtime_ns &&
           a->ctime_ns == b->ctime_ns && a->path_hash == b->path_hash;
}

static int64_t nanoseconds(struct timespec time)
{
    /* Unsigned, because file systems may hand out any time at all. */
    return (int64_t)((uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec);
}

static uint64_t hash_path(int fd, const char *path)
{
    char buffer[PATH_MAX];
    if (descriptor_path(fd, buffer))
        return ts_hash(buffer, strlen(buffer), PATH_HASH_SEED);
    const char *resolved = realpath(path, buffer);
    if (!resolved)
        resolved = path;
    return ts_hash(resolved, strlen(resolved), PATH_HASH_SEED);
}

static void fill_identity(int fd, const char *path, const struct stat *info, struct ts_identity *identity)
{
    *identity = (struct ts_identity){
        .device = info->st_dev,
        .inode = info->st_ino,
        .size = (uint64_t)info->st_size,
        .mtime_ns = nanoseconds(info->st_mtim),
        .ctime_ns = nanoseconds(info->st_ctim),
        .path_hash = hash_path(fd, path),
    };
}

enum ts_status ts_file_identity_fd(int fd, const char *path, struct ts_identity *identity, struct ts_error *error)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return ts_error_system(error, path, "examine", errno);
    fill_identity(fd, path, &info, identity);
    return TS_OK;
}

enum ts_status ts_file_identity(struct ts_context *context, const char *path, struct ts_identity *identity, bool *found,
                                struct ts_error *error)
{
    int fd = open_path(context, path, O_PATH | O_CLOEXEC);
    if (fd < 0 && fd != -ROOT_MOVED && !means_no_such_file(-fd))
        return open_failed(error, path, "file", -fd);
    struct ts_identity now = {0};
    bool regular = false;
    if (fd >= 0) {
        struct stat info;
        if (fstat(fd, &info) != 0) {
            int number = errno;
            close(fd);
            return ts_error_system(error, path, "examine", number);
        }
        regular = S_ISREG(info.st_mode);
        if (regular)
            fill_identity(fd, path, &info, &now);
        close(fd);
    }
    *identity = now;
    *found = regular;
    return TS_OK;
}

/* ---- what callers open and list ---- */

/* Whether an open file is made up by the kernel as it is read: regular by its kind, but some never end or wait for ever, and none
 * is part of a capture. */
static bool is_of_the_kernel(int fd)
{
    static const uint32_t kinds[] = {PROC_SUPER_MAGIC,    SYSFS_MAGIC,        DEBUGFS_MAGIC, TRACEFS_MAGIC,
                                     SECURITYFS_MAGIC,    CGROUP_SUPER_MAGIC, NSFS_MAGIC,    BPF_FS_MAGIC,
                                     CGROUP2_SUPER_MAGIC, DEVPTS_SUPER_MAGIC};
    struct statfs info;
    if (fstatfs(fd, &info) != 0)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((uint32_t)info.f_type == kinds[i])
            return true;
    return false;
}

/* Refuse what is not a regular file, and let reads of it block from here on. */
static enum ts_status settle_descriptor(int fd, const char *path, struct ts_identity *identity, struct ts_error *error)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return ts_error_system(error, path, "examine", errno);
    if (!S_ISREG(info.st_mode)) {
        struct ts_quote quote;
        bool stream = S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode);
        return ts_error_set(error, TS_INPUT, "%s: expected a regular file, found %s%s",
                            ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE), kind_text(info.st_mode),
                            stream ? "; write what comes out of it into a file and name that" : "");
    }
    if (is_of_the_kernel(fd)) {
        struct ts_quote quote;
        return ts_error_set(error, TS_INPUT, "%s: is made up by the kernel, no file of a capture; check the path",
                            ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE));
    }
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
        return ts_error_system(error, path, "open", errno);
    if (identity)
        fill_identity(fd, path, &info, identity);
    return TS_OK;
}

enum ts_status ts_file_open(struct ts_context *context, const char *path, int *fd, struct ts_identity *identity,
                            struct ts_error *error)
{
    int opened = open_path(context, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (opened < 0)
        return open_failed(error, path, "file", -opened);
    enum ts_status status = settle_descriptor(opened, path, identity, error);
    if (status != TS_OK) {
        close(opened);
        return status;
    }
    *fd = opened;
    return TS_OK;
}

/* What lies at path, by a descriptor that opens nothing. Returns 0 or an errno value. */
static int find_kind(const struct ts_context *context, const char *path, enum ts_path_kind *kind)
{
    int fd = open_path(context, path, O_PATH | O_CLOEXEC);
    if (fd < 0) {
        *kind = TS_PATH_NONE;
        return means_no_such_file(-fd) ? 0 : -fd;
    }
    struct stat info;
    int failure = fstat(fd, &info) == 0 ? 0 : errno;
    close(fd);
    if (!failure)
        *kind = S_ISREG(info.st_mode) ? TS_PATH_FILE : S_ISDIR(info.st_mode) ? TS_PATH_DIRECTORY : TS_PATH_OTHER;
    return failure;
}

enum ts_status ts_path_resolve(struct ts_context *context, const char *path, char **out, enum ts_path_kind *kind,
                               struct ts_error *error)
{
    char *resolved = NULL;
    const char *relative;
    enum ts_path_kind found = TS_PATH_NONE;
    int failure = resolve_text(path, &resolved);
    if (!failure && context->roots && !find_root(context->roots, resolved, &relative))
        failure = EXDEV;
    if (!failure)
        failure = find_kind(context, path, &found);
    if (failure) {
        free(resolved);
        return open_failed(error, path, "file or directory", failure);
    }
    *out = resolved;
    *kind = found;
    return TS_OK;
}

typedef TS_VEC(char *) name_list;

/* Read the names of a directory into names; closes nothing. */
static enum ts_status read_names(struct ts_context *context, DIR *directory, const char *path, struct ts_arena *arena,
                                 name_list *names, struct ts_error *error)
{
    struct ts_quote quote;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (!entry)
            return errno ? ts_error_system(error, path, "list", errno) : TS_OK;
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (names->count == DIRECTORY_ENTRIES_MAX)
            return ts_error_set(error, TS_LIMIT, "%s: the directory has more than %d entries; name the file itself",
                                ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE), DIRECTORY_ENTRIES_MAX);
        if (names->count % CHECK_EVERY_ENTRIES == 0) {
            enum ts_status status = ts_context_check(context, error);
            if (status != TS_OK)
                return status;
        }
        char *copy = ts_arena_strdup(arena, ts_str_from(name));
        if (!copy)
            return ts_arena_error(arena, error);
        if (!ts_vec_push(names, copy))
            return ts_error_no_memory(error);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum ts_status ts_directory_list(struct ts_context *context, const char *path,
                                 enum ts_status (*visit)(void *data, const char *name, struct ts_error *error),
                                 void *data, struct ts_error *error)
{
    int fd = open_path(context, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return open_failed(error, path, "directory", -fd);
    DIR *directory = fdopendir(fd);
    if (!directory) {
        int number = errno;
        close(fd);
        return number == ENOMEM ? ts_error_no_memory(error) : ts_error_system(error, path, "list", number);
    }
    struct ts_arena arena;
    ts_arena_init(&arena, context->memory_limit);
    name_list names = {0};
    enum ts_status status = read_names(context, directory, path, &arena, &names, error);
    closedir(directory);
    if (status == TS_OK && names.count > 1)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
    for (size_t i = 0; status == TS_OK && i < names.count; i++)
        status = visit(data, names.items[i], error);
    ts_vec_free(&names);
    ts_arena_free(&arena);
    return status;
}
