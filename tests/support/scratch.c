#include "support/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void need(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    abort();
}

void scratch_create(struct scratch *scratch)
{
    ts_arena_init(&scratch->arena, 0);
    /* Resolved, so that tests can compare what is resolved with it; short, so that a socket's address can hold it. */
    const char *parent = getenv("TMPDIR");
    char *resolved = realpath(parent && strlen(parent) < 40 ? parent : "/tmp", NULL);
    need(resolved != NULL, "realpath");
    snprintf(scratch->folder, sizeof scratch->folder, "%s/tilesight-test-XXXXXX", resolved);
    free(resolved);
    need(mkdtemp(scratch->folder) != NULL, "mkdtemp");
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

void scratch_destroy(struct scratch *scratch)
{
    need(nftw(scratch->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0, "nftw");
    ts_arena_free(&scratch->arena);
}

const char *scratch_path(struct scratch *scratch, const char *name)
{
    const char *slash = *name ? "/" : "";
    struct ts_str path = ts_arena_printf(&scratch->arena, "%s%s%s", scratch->folder, slash, name);
    need(path.ptr != NULL, "scratch_path");
    return path.ptr;
}

const char *scratch_put(struct scratch *scratch, const char *name, struct ts_str content)
{
    const char *path = scratch_path(scratch, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    need(fd >= 0, path);
    for (size_t done = 0; done < content.len;) {
        ssize_t count = write(fd, content.ptr + done, content.len - done);
        need(count > 0, path);
        done += (size_t)count;
    }
    need(close(fd) == 0, path);
    return path;
}

struct ts_str scratch_get(struct scratch *scratch, const char *name)
{
    int fd = open(scratch_path(scratch, name), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return (struct ts_str){NULL, 0};
    struct stat info;
    need(fstat(fd, &info) == 0, name);
    size_t size = (size_t)info.st_size, done = 0;
    char *bytes = ts_arena_alloc(&scratch->arena, size);
    need(bytes != NULL, name);
    while (done < size) {
        ssize_t count = read(fd, bytes + done, size - done);
        need(count > 0, name);
        done += (size_t)count;
    }
    close(fd);
    return (struct ts_str){bytes, size};
}

const char *scratch_folder(struct scratch *scratch, const char *name)
{
    const char *path = scratch_path(scratch, name);
    need(mkdir(path, 0777) == 0, path);
    return path;
}

const char *scratch_link(struct scratch *scratch, const char *name, const char *target)
{
    const char *path = scratch_path(scratch, name);
    need(symlink(target, path) == 0, path);
    return path;
}

size_t scratch_count(struct scratch *scratch, const char *name)
{
    DIR *folder = opendir(scratch_path(scratch, name));
    need(folder != NULL, name);
    size_t count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2;
}

static bool filter_call(long number, int failure, unsigned argument, unsigned mask)
{
    unsigned where = offsetof(struct seccomp_data, args) + argument * (unsigned)sizeof(uint64_t);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    where += 4;
#endif
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, where),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, mask, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)failure),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int scratch_without_call(long number, int failure, unsigned argument, unsigned mask, int (*body)(void *data),
                         void *data)
{
    fflush(NULL);
    pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0)
        _exit(filter_call(number, failure, argument, mask) ? body(data) : 77);
    int status;
    need(waitpid(child, &status, 0) == child, "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
