/*
 * Runs a program under restrictions that it cannot take back: no file may be written, made, or removed; no socket; no other
 * program; no new process. What it tries all the same ends it (SIGSYS), except writing to files, which is refused.
 *
 *     confine PROGRAM [ARGUMENT...]
 *
 * Exit status 77 when the kernel cannot do this, 1 after any other failure; else that of the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SKIPPED = 77 };

static int give_up(int status, const char *what)
{
    fprintf(stderr, "confine: %s: %s\n", what, strerror(errno));
    return status;
}

/* Reading and executing everywhere, nothing else. 0, or the exit status. */
static int forbid_writing(void)
{
    const struct landlock_ruleset_attr all = {
        .handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
                             LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                             LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                             LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
    };
    int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules < 0)
        return give_up(errno == ENOSYS || errno == EOPNOTSUPP ? SKIPPED : 1, "Landlock");
    struct landlock_path_beneath_attr reading = {
        .allowed_access = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
        .parent_fd = open("/", O_PATH | O_CLOEXEC),
    };
    if (reading.parent_fd < 0 || syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &reading, 0) != 0 ||
        syscall(SYS_landlock_restrict_self, rules, 0) != 0)
        return give_up(1, "Landlock");
    close(reading.parent_fd);
    close(rules);
    return 0;
}

/* What a server that reads files has no use for. */
static const char *const forbidden[] = {
    "socket",         "socketpair",       "connect",
    "bind",           "listen",           "accept",
    "accept4",        "sendto",           "sendmsg",
    "sendmmsg",       "recvfrom",         "recvmsg",
    "recvmmsg",       "execveat",         "fork",
    "vfork",          "ptrace",           "mount",
    "umount2",        "chroot",           "pivot_root",
    "setns",          "unshare",          "bpf",
    "io_uring_setup", "process_vm_readv", "process_vm_writev",
    "kexec_load",     "init_module",      "finit_module",
    "memfd_create",   "perf_event_open",  "userfaultfd",
    "add_key",        "keyctl",
};

/* 0, or the exit status. program: the one execve that is allowed is that of this very pointer. */
static int forbid_calls(const char *program)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return give_up(SKIPPED, "seccomp");
    int failed = 0;
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        int number = seccomp_syscall_resolve_name(forbidden[i]);
        if (number != __NR_SCMP_ERROR)
            failed |= seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, number, 0);
    }
    failed |= seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(execve), 1,
                               SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)(uintptr_t)program, 0));
    /* Threads yes, processes no. The newer call hides its flags in memory: without it the C library uses the older one. */
    failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    failed |= seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), 1,
                               SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    if (failed || seccomp_load(filter) != 0)
        return give_up(SKIPPED, "seccomp");
    seccomp_release(filter);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: confine PROGRAM [ARGUMENT...]\n", stderr);
        return 1;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return give_up(SKIPPED, "no_new_privs");
    int status = forbid_writing();
    if (status == 0)
        status = forbid_calls(argv[1]);
    if (status)
        return status;
    execve(argv[1], argv + 1, environ);
    return give_up(1, argv[1]);
}
