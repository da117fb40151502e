#include "surfaces/mcp/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void ts_sandbox_probe(struct ts_sandbox *offered)
{
    const uint32_t refusing = SECCOMP_RET_ERRNO;
    long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
    *offered = (struct ts_sandbox){
        .landlock = abi > 0 ? (int)abi : 0,
        .seccomp = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &refusing) == 0,
    };
}

const char *ts_sandbox_word(const struct ts_sandbox *in_force)
{
    if (in_force->landlock)
        return in_force->seccomp ? "on" : "no seccomp";
    return in_force->seccomp ? "no landlock" : "off";
}

/* ---- Landlock ---- */

/* As the newest ABI has it: the headers at hand may be older than the kernel. A kernel takes a longer structure when what it
 * does not know is 0. */
struct ruleset {
    uint64_t fs, net, scoped;
};

enum {
    FS_ABI_1 = (1 << 13) - 1, /* LANDLOCK_ACCESS_FS_EXECUTE to ..._MAKE_SYM */
    FS_REFER = 1 << 13,
    FS_TRUNCATE = 1 << 14,
    FS_IOCTL_DEV = 1 << 15,
    NET_TCP = 3,    /* bind, connect */
    SCOPE_BOTH = 3, /* abstract sockets, signals */
    READING = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
};

/* Everything that an ABI can forbid. */
static struct ruleset forbidden_by(int abi)
{
    struct ruleset all = {.fs = FS_ABI_1};
    if (abi >= 2)
        all.fs |= FS_REFER;
    if (abi >= 3)
        all.fs |= FS_TRUNCATE;
    if (abi >= 4)
        all.net = NET_TCP;
    if (abi >= 5)
        all.fs |= FS_IOCTL_DEV;
    if (abi >= 6)
        all.scoped = SCOPE_BOTH;
    return all;
}

static int allow_beneath(int rules, int fd, uint64_t access)
{
    const struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = fd};
    return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0 ? 0 : errno;
}

/* The same by path; what is not there needs no rule. */
static int allow_path(int rules, const char *path, uint64_t access)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno;
    int failure = allow_beneath(rules, fd, access);
    close(fd);
    return failure;
}

static int allow_reading(int rules, const struct ts_roots *roots)
{
    if (!roots)
        return allow_path(rules, "/", READING);
    /* For the home folder of a user that a path names. */
    int failure = allow_path(rules, "/etc/passwd", LANDLOCK_ACCESS_FS_READ_FILE);
    for (size_t i = 0; !failure && ts_roots_descriptor(roots, i) >= 0; i++)
        failure = allow_beneath(rules, ts_roots_descriptor(roots, i), READING);
    return failure;
}

int ts_sandbox_restrict_files(int abi, const struct ts_roots *roots, const char *writable)
{
    const struct ruleset all = forbidden_by(abi);
    size_t size = abi >= 6 ? sizeof all : abi >= 4 ? 2 * sizeof all.fs : sizeof all.fs;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
    if (rules < 0)
        return errno;
    int failure = allow_reading(rules, roots);
    if (!failure && writable)
        failure = allow_path(rules, writable, LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG);
    if (!failure && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_landlock_restrict_self, rules, 0) != 0))
        failure = errno;
    close(rules);
    return failure;
}

/* ---- seccomp ---- */

/* What the server, the C library's allocator, its threads and its standard streams need, whatever they are called with. Names
 * that a machine does not have are passed over: libraries fall back when a call is not there. */
static const char *const allowed[] = {
    "read",
    "readv",
    "pread64",
    "write",
    "writev",
    "close",
    "lseek",
    "_llseek",
    "fadvise64",
    "fadvise64_64",
    "fstat",
    "fstat64",
    "stat",
    "stat64",
    "lstat",
    "lstat64",
    "newfstatat",
    "fstatat64",
    "statx",
    "access",
    "fstatfs",
    "fstatfs64",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
    "getdents64",
    "getcwd",
    "poll",
    "ppoll",
    "ppoll_time64",
    "restart_syscall",
    "brk",
    "munmap",
    "mremap",
    "madvise",
    "futex",
    "futex_time64",
    "set_robust_list",
    "rseq",
    "gettid",
    "getpid",
    "getuid",
    "sched_yield",
    "sched_getaffinity",
    "rt_sigprocmask",
    "rt_sigaction",
    "rt_sigreturn",
    "sigreturn",
    "sigaltstack",
    "exit",
    "exit_group",
    "clock_gettime",
    "clock_gettime64",
    "gettimeofday",
    "time",
    "nanosleep",
    "clock_nanosleep",
    "clock_nanosleep_time64",
    "getrandom",
    "sysinfo",
};

/* Commands of fcntl: what is known of a descriptor, and the locks of an open file. */
static const unsigned allowed_fcntl[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_OFD_GETLK, F_OFD_SETLK};

enum { OPEN_KIND = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND };

#ifdef __s390__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif

/* Allow a call by name; with a comparison, only where it holds. What this machine does not have is passed over. */
static int allow(scmp_filter_ctx filter, const char *name, const struct scmp_arg_cmp *comparisons, unsigned count)
{
    int number = seccomp_syscall_resolve_name(name);
    return number < 0 ? 0 : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, count, comparisons);
}

static int allow_if(scmp_filter_ctx filter, const char *name, struct scmp_arg_cmp comparison)
{
    return allow(filter, name, &comparison, 1);
}

static int allow_opening(scmp_filter_ctx filter, bool may_append)
{
    int failure = allow_if(filter, "open", SCMP_A1(SCMP_CMP_MASKED_EQ, OPEN_KIND, O_RDONLY));
    if (!failure)
        failure = allow_if(filter, "openat", SCMP_A2(SCMP_CMP_MASKED_EQ, OPEN_KIND, O_RDONLY));
    if (failure || !may_append)
        return failure;
    failure = allow_if(filter, "openat", SCMP_A2(SCMP_CMP_MASKED_EQ, OPEN_KIND, O_WRONLY | O_CREAT | O_APPEND));
    /* Its flags stand in memory, where a filter cannot look: only under Landlock. Without it files are found the older way. */
    return failure ? failure : allow(filter, "openat2", NULL, 0);
}

static int allow_by_arguments(scmp_filter_ctx filter)
{
    int failure = 0;
    for (size_t i = 0; i < sizeof allowed_fcntl / sizeof *allowed_fcntl && !failure; i++) {
        failure = allow_if(filter, "fcntl", SCMP_A1(SCMP_CMP_EQ, allowed_fcntl[i], 0));
        if (!failure)
            failure = allow_if(filter, "fcntl64", SCMP_A1(SCMP_CMP_EQ, allowed_fcntl[i], 0));
    }
    /* Threads yes, processes no. (clone3, whose flags stand in memory, is not there, and the C library uses clone.) */
    if (!failure)
        failure = allow_if(filter, "clone",
                           (struct scmp_arg_cmp){CLONE_FLAGS, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD});
    /* Memory that is written is never run. */
    static const char *const mapping[] = {"mmap", "mmap2", "mprotect"};
    for (size_t i = 0; i < sizeof mapping / sizeof *mapping && !failure; i++)
        failure = allow_if(filter, mapping[i], SCMP_A2(SCMP_CMP_MASKED_EQ, 4 /* PROT_EXEC */, 0));
    /* The end of a program that found itself wrong. */
    if (!failure)
        failure = allow_if(filter, "tgkill", SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0));
    const struct scmp_arg_cmp memory_of_this[] = {SCMP_A0(SCMP_CMP_EQ, 0, 0), SCMP_A1(SCMP_CMP_EQ, RLIMIT_DATA, 0)};
    if (!failure)
        failure = allow(filter, "prlimit64", memory_of_this, 2);
    return failure;
}

int ts_sandbox_restrict_calls(bool may_append)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (!filter)
        return ENOMEM;
    int failure = 0;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed && !failure; i++)
        failure = allow(filter, allowed[i], NULL, 0);
    if (!failure)
        failure = allow_opening(filter, may_append);
    if (!failure)
        failure = allow_by_arguments(filter);
    if (!failure)
        failure = seccomp_load(filter);
    seccomp_release(filter);
    return -failure;
}
