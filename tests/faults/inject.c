/* Preloaded into a program: makes its n-th allocation, read, write, open or thread fail, run after run without starting it
 * anew each time. Before main the process waits for lines on the descriptor TS_FAULT_IN, each "KIND MODE N", and forks: the
 * child goes on to main with that failure set, the parent answers on TS_FAULT_OUT with "STATUS REACHED LEAKED": what
 * waitpid gave, whether the N-th was ever asked for, and how many blocks were still allocated at the end.
 *
 * KIND is alloc, read, write, open or thread. MODE is once (the N-th fails), after (the N-th and all later ones fail),
 * short (the N-th read or write handles one byte only, or is interrupted where N is even) or kill (SIGKILL instead of it). */
/* Both names of each call are defined here; with 64-bit offsets asked for they would be one. */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

enum kind { NONE, ALLOC, READ, WRITE, OPEN, THREAD };
enum mode { ONCE, AFTER, SHORT, KILL };

static const char *const kind_names[] = {"none", "alloc", "read", "write", "open", "thread"};
static const char *const mode_names[] = {"once", "after", "short", "kill"};

/* What the child tells the parent. */
struct told {
    atomic_long blocks;
    atomic_bool reached;
};

static enum kind chosen;
static enum mode how;
static long nth;
static atomic_long asked;
static struct told *told;

/* Whether this call of `kind` is one that fails. */
static bool fails(enum kind kind)
{
    if (kind != chosen)
        return false;
    long number = atomic_fetch_add(&asked, 1) + 1;
    if (number == nth)
        told->reached = true;
    if (how == KILL && number == nth)
        kill(getpid(), SIGKILL);
    return how == AFTER ? number >= nth : number == nth;
}

static void count_block(const void *block, int change)
{
    if (told && block)
        atomic_fetch_add(&told->blocks, change);
}

static int find(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

/* --- the parent ---------------------------------------------------------------------------------------------------- */

/* One line of at most `size` - 1 characters; false at the end. */
static bool read_line(int fd, char *line, size_t size)
{
    size_t used = 0;
    char one;
    while (used + 1 < size && syscall(SYS_read, fd, &one, 1) == 1) {
        if (one == '\n') {
            line[used] = '\0';
            return true;
        }
        line[used++] = one;
    }
    return false;
}

static void choose(const char *line)
{
    char kind[16];
    char mode[16];
    long number = 0;
    if (sscanf(line, "%15s %15s %ld", kind, mode, &number) != 3)
        _exit(120);
    int at = find(kind, kind_names, 6);
    int mode_at = find(mode, mode_names, 4);
    if (at < 0 || mode_at < 0)
        _exit(121);
    how = (enum mode)mode_at;
    nth = number;
    chosen = (enum kind)at;
}

__attribute__((constructor)) static void serve(void)
{
    const char *in = getenv("TS_FAULT_IN");
    const char *out = getenv("TS_FAULT_OUT");
    char line[64];
    if (!in || !out)
        return;
    int from = atoi(in);
    int to = atoi(out);
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        _exit(122);
    while (read_line(from, line, sizeof line)) {
        told->blocks = 0;
        told->reached = false;
        pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(from);
            close(to);
            alarm(60);
            choose(line);
            return;
        }
        int status = 123 << 8;
        if (child > 0)
            waitpid(child, &status, 0);
        int len = snprintf(line, sizeof line, "%d %d %ld\n", status, (int)told->reached, (long)told->blocks);
        if (syscall(SYS_write, to, line, (size_t)len) != len)
            break;
    }
    _exit(0);
}

/* --- allocations ----------------------------------------------------------------------------------------------------- */

static void *refused(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    void *block = fails(ALLOC) ? refused() : __libc_malloc(size);
    count_block(block, 1);
    return block;
}

void *calloc(size_t count, size_t size)
{
    void *block = fails(ALLOC) ? refused() : __libc_calloc(count, size);
    count_block(block, 1);
    return block;
}

void *realloc(void *old, size_t size)
{
    void *block = fails(ALLOC) ? refused() : __libc_realloc(old, size);
    if (!old)
        count_block(block, 1);
    return block;
}

void *memalign(size_t alignment, size_t size)
{
    void *block = fails(ALLOC) ? refused() : __libc_memalign(alignment, size);
    count_block(block, 1);
    return block;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *got = memalign(alignment, size);
    if (!got)
        return ENOMEM;
    *block = got;
    return 0;
}

void free(void *block)
{
    int kept = errno;
    count_block(block, -1);
    __libc_free(block);
    errno = kept;
}

/* --- reads and writes ------------------------------------------------------------------------------------------------ */

/* What becomes of a transfer of `*size` bytes: true when it failed with errno set; it may have been made shorter. */
static bool transfer_fails(enum kind kind, size_t *size)
{
    if (!fails(kind))
        return false;
    if (how == SHORT && nth % 2 == 1) {
        *size = *size > 0 ? 1 : 0;
        return false;
    }
    if (how == SHORT)
        errno = EINTR;
    else
        errno = kind == READ ? EIO : ENOSPC;
    return true;
}

ssize_t read(int fd, void *bytes, size_t size)
{
    return transfer_fails(READ, &size) ? -1 : syscall(SYS_read, fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
    return transfer_fails(READ, &size) ? -1 : syscall(SYS_pread64, fd, bytes, size, offset);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset)
{
    return pread(fd, bytes, size, offset);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    return transfer_fails(WRITE, &size) ? -1 : syscall(SYS_write, fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    return transfer_fails(WRITE, &size) ? -1 : syscall(SYS_pwrite64, fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    return pwrite(fd, bytes, size, offset);
}

/* A write that is no transfer of bytes has no short form. */
static bool change_fails(void)
{
    if (how == SHORT || !fails(WRITE))
        return false;
    errno = ENOSPC;
    return true;
}

int fsync(int fd)
{
    return change_fails() ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return change_fails() ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t size)
{
    return change_fails() ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int renameat(int from, const char *old, int to, const char *new)
{
    return change_fails() ? -1 : (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

int rename(const char *old, const char *new)
{
    return renameat(AT_FDCWD, old, AT_FDCWD, new);
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
    return change_fails() ? -1 : (int)syscall(SYS_linkat, from, old, to, new, flags);
}

int mkdir(const char *path, mode_t mode)
{
    return change_fails() ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int mkdirat(int at, const char *path, mode_t mode)
{
    return change_fails() ? -1 : (int)syscall(SYS_mkdirat, at, path, mode);
}

/* --- opening and threads --------------------------------------------------------------------------------------------- */

static int open_at(int at, const char *path, int flags, mode_t mode)
{
    if (fails(OPEN)) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_openat, at, path, flags, mode);
}

#define MODE_OF(flags, mode)                                                                                           \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        (mode) = va_arg(arguments, mode_t);                                                                            \
        va_end(arguments);                                                                                             \
    } while (0)

int open(const char *path, int flags, ...)
{
    mode_t mode;
    MODE_OF(flags, mode);
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    mode_t mode;
    MODE_OF(flags, mode);
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    mode_t mode;
    MODE_OF(flags, mode);
    return open_at(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...)
{
    mode_t mode;
    MODE_OF(flags, mode);
    return open_at(at, path, flags, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (fails(THREAD))
        return EAGAIN;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return real ? real(thread, attributes, start, argument) : EAGAIN;
}
