#include "transforms/clean_sim_trace_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/write.h"
#include "transforms/clean_sim_trace_find.h"

enum { DEPTH_MAX = 32, PERMISSIONS = 07777 };
#define COPY_SIZE (256 * TS_KIB)

struct copying {
    struct ts_context *context;
    struct ts_arena arena; /* of paths */
    char root[PATH_MAX];   /* source, links resolved */
    char target[PATH_MAX]; /* links resolved */
    const char *dump;      /* its name in root */
    bool run_only;
    bool file_copied, dump_copied; /* the file at hand; the dump */
    void (*warn)(void *data, const char *line);
    void *warn_data;
    char *buffer;
    /* The folder at hand. */
    const char *source_folder, *target_folder;
    unsigned depth;
};

static void warn_text(struct copying *copying, const char *from, const char *to, const char *reason)
{
    struct ts_quote one, two;
    char line[2 * sizeof one.text + 512];
    if (!copying->warn)
        return;
    snprintf(line, sizeof line, "could not copy %s -> %s: %s", ts_error_quote(&one, ts_str_from(from), TS_QUOTE_FILE),
             ts_error_quote(&two, ts_str_from(to), TS_QUOTE_FILE), reason);
    copying->warn(copying->warn_data, line);
}

static void warn_number(struct copying *copying, const char *from, const char *to, int number)
{
    char reason[256];
    warn_text(copying, from, to, strerror_r(number, reason, sizeof reason));
}

/* Whether path is folder or lies in it; both resolved. */
static bool lies_in(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    if (strncmp(path, folder, len) != 0)
        return false;
    return path[len] == '\0' || path[len] == '/' || (len > 0 && folder[len - 1] == '/');
}

/* ---- one file ---- */

static enum ts_status copy_bytes(struct copying *copying, int from, struct ts_writer *writer, int *number,
                                 struct ts_error *error)
{
    for (;;) {
        enum ts_status status = ts_context_check(copying->context, error);
        if (status != TS_OK)
            return status;
        ssize_t got = read(from, copying->buffer, COPY_SIZE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            *number = errno;
        if (got <= 0)
            return TS_OK;
        ts_writer_add(writer, copying->buffer, (size_t)got);
    }
}

static void set_times(const char *path, const struct stat *info)
{
    const struct timespec times[2] = {info->st_atim, info->st_mtim};
    /* Like the permissions, they are not worth failing for. */
    (void)chmod(path, info->st_mode & PERMISSIONS);
    (void)utimensat(AT_FDCWD, path, times, 0);
}

/* A link in the way is replaced, not followed. */
static bool make_way(const char *path)
{
    struct stat there;
    if (lstat(path, &there) != 0 || S_ISREG(there.st_mode))
        return true;
    if (S_ISLNK(there.st_mode))
        return unlink(path) == 0;
    errno = S_ISDIR(there.st_mode) ? EISDIR : EEXIST;
    return false;
}

static enum ts_status write_copy(struct copying *copying, int from, const struct stat *info, const char *path,
                                 const char *shown, struct ts_error *error)
{
    struct ts_error failure;
    struct ts_writer *writer = NULL;
    enum ts_status status = ts_writer_create(copying->context, path, &writer, &failure);
    int number = 0;
    if (status == TS_OK) {
        status = copy_bytes(copying, from, writer, &number, &failure);
        if (status == TS_OK && !number) {
            status = ts_writer_commit(writer, &failure);
        } else {
            ts_writer_abandon(writer);
        }
    }
    if (status == TS_IO) {
        warn_text(copying, shown, path, failure.message);
        return TS_OK;
    }
    if (status != TS_OK) {
        if (error)
            *error = failure;
        return status;
    }
    if (number)
        warn_number(copying, shown, path, number);
    else
        set_times(path, info);
    copying->file_copied = !number;
    return TS_OK;
}

/* Whether what was opened is still what was resolved: a folder on the way may have been exchanged for a link meanwhile. */
static bool is_in_root(const struct copying *copying, int fd)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof path - 1);
    if (len < 0)
        return false;
    path[len] = '\0';
    return lies_in(path, copying->root);
}

/* real: where the file lies; shown: the path by which it was found. */
static enum ts_status copy_file(struct copying *copying, const char *real, const char *shown, const char *path,
                                struct ts_error *error)
{
    struct stat info;
    int from = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (from < 0) {
        warn_number(copying, shown, path, errno);
        return TS_OK;
    }
    enum ts_status status = TS_OK;
    if (fstat(from, &info) != 0 || !make_way(path))
        warn_number(copying, shown, path, errno);
    else if (!S_ISREG(info.st_mode))
        warn_text(copying, shown, path, "it is neither a file nor a folder");
    else if (!is_in_root(copying, from))
        warn_text(copying, shown, path, "where it lies cannot be told, or changed meanwhile");
    else
        status = write_copy(copying, from, &info, path, shown, error);
    close(from);
    return status;
}

/* ---- folders ---- */

static enum ts_status copy_folder(struct copying *copying, const char *source, const char *target,
                                  struct ts_error *error);

static bool belongs_to_run(const struct copying *copying, const char *name)
{
    struct ts_str text = ts_str_from(name);
    return strcmp(name, copying->dump) == 0 || ts_str_starts_with(text, TS_STR("visualize_data.bin")) ||
           ts_str_is(text, "trace.json") || ts_str_starts_with(text, TS_STR("core"));
}

static enum ts_status copy_real(struct copying *copying, const char *real, const char *shown, const char *path,
                                struct ts_error *error)
{
    struct stat info;
    if (!lies_in(real, copying->root)) {
        warn_text(copying, shown, path, "it is a link out of the folder");
        return TS_OK;
    }
    if (lies_in(copying->target, real))
        return TS_OK;
    if (stat(real, &info) != 0) {
        warn_number(copying, shown, path, errno);
        return TS_OK;
    }
    if (!S_ISDIR(info.st_mode))
        return copy_file(copying, real, shown, path, error);
    if (copying->depth == DEPTH_MAX || lies_in(copying->source_folder, real)) {
        warn_text(copying, shown, path, "it is a link to a folder that holds it, or lies too deep");
        return TS_OK;
    }
    enum ts_status status = copy_folder(copying, real, path, error);
    if (status == TS_OK)
        set_times(path, &info);
    return status;
}

static enum ts_status copy_entry(void *data, const char *name, struct ts_error *error)
{
    struct copying *copying = data;
    if (copying->depth == 1 && copying->run_only && !belongs_to_run(copying, name))
        return TS_OK;
    const char *shown = ts_clean_sim_path_join(&copying->arena, copying->source_folder, name);
    const char *path = ts_clean_sim_path_join(&copying->arena, copying->target_folder, name);
    if (!shown || !path)
        return ts_error_no_memory(error);
    char real[PATH_MAX];
    if (!realpath(shown, real)) {
        warn_number(copying, shown, path, errno);
        return TS_OK;
    }
    copying->file_copied = false;
    enum ts_status status = copy_real(copying, real, shown, path, error);
    if (copying->depth == 1 && strcmp(name, copying->dump) == 0)
        copying->dump_copied = copying->file_copied;
    return status;
}

static enum ts_status copy_folder(struct copying *copying, const char *source, const char *target,
                                  struct ts_error *error)
{
    const char *outer_source = copying->source_folder, *outer_target = copying->target_folder;
    struct stat info;
    struct ts_error failure;
    if (mkdir(target, 0777) != 0 && errno != EEXIST) {
        warn_number(copying, source, target, errno);
        return TS_OK;
    }
    if (lstat(target, &info) != 0 || !S_ISDIR(info.st_mode)) {
        warn_number(copying, source, target, ENOTDIR);
        return TS_OK;
    }
    copying->source_folder = source;
    copying->target_folder = target;
    copying->depth++;
    enum ts_status status = ts_directory_list(copying->context, source, copy_entry, copying, &failure);
    copying->depth--;
    copying->source_folder = outer_source;
    copying->target_folder = outer_target;
    if (status == TS_IO || status == TS_INPUT || status == TS_REFUSED) {
        warn_text(copying, source, target, failure.message);
        return TS_OK;
    }
    if (status != TS_OK && error)
        *error = failure;
    return status;
}

/* The folder to copy into, not followed when it is a link: what it leads to may be anything. */
static enum ts_status make_target(struct copying *copying, const char *source, const char *target,
                                  struct ts_error *error)
{
    struct ts_quote one, two;
    struct stat info;
    if (mkdir(target, 0777) != 0 && errno != EEXIST)
        return ts_error_system(error, target, "make", errno);
    if (lstat(target, &info) != 0 || !S_ISDIR(info.st_mode))
        return ts_error_set(error, TS_IO,
                            "%s: a folder for the copy of the run was expected there, but it is a %s; the run was not "
                            "copied (remove it, or give --no-copy-raw)",
                            ts_error_quote(&one, ts_str_from(target), TS_QUOTE_FILE),
                            S_ISLNK(info.st_mode) ? "link" : "file");
    if (!realpath(source[0] ? source : ".", copying->root))
        return ts_error_system(error, source, "resolve", errno);
    if (!realpath(target, copying->target))
        return ts_error_system(error, target, "resolve", errno);
    if (lies_in(copying->root, copying->target))
        return ts_error_set(
            error, TS_REFUSED,
            "%s: the dump's folder %s lies in it, and a copy might write over the dump; the run was not "
            "copied (give another -o, or --no-copy-raw)",
            ts_error_quote(&one, ts_str_from(target), TS_QUOTE_FILE),
            ts_error_quote(&two, ts_str_from(source), TS_QUOTE_FILE));
    return TS_OK;
}

enum ts_status ts_clean_sim_copy(struct ts_context *context, const char *dump, const char *target, bool run_only,
                                 void (*warn)(void *data, const char *line), void *warn_data, bool *copied,
                                 struct ts_error *error)
{
    struct copying copying = {.context = context, .run_only = run_only, .warn = warn, .warn_data = warn_data};
    const char *slash = strrchr(dump, '/');
    copying.dump = slash ? slash + 1 : dump;
    ts_arena_init(&copying.arena, 0);
    copying.buffer = malloc(COPY_SIZE);
    const char *source = ts_clean_sim_path_folder(&copying.arena, dump);
    enum ts_status status =
        copying.buffer && source ? make_target(&copying, source, target, error) : ts_error_no_memory(error);
    if (status == TS_OK)
        status = copy_folder(&copying, copying.root, target, error);
    *copied = copying.dump_copied;
    free(copying.buffer);
    ts_arena_free(&copying.arena);
    return status;
}
