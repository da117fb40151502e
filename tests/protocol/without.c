/*
 * Runs a program on a kernel that lacks some system calls, as older ones do: they fail with ENOSYS.
 *
 *     without CALL[,CALL...] PROGRAM [ARGUMENT...]
 *
 * Exit status 77 when calls cannot be filtered here; else that of the program.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: without CALL[,CALL...] PROGRAM [ARGUMENT...]\n", stderr);
        return 1;
    }
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return 77;
    for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ",")) {
        int number = seccomp_syscall_resolve_name(name);
        if (number == __NR_SCMP_ERROR || seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number, 0) != 0) {
            fprintf(stderr, "without: there is no call %s\n", name);
            return 1;
        }
    }
    if (seccomp_load(filter) != 0)
        return 77;
    seccomp_release(filter);
    execv(argv[2], argv + 2);
    fprintf(stderr, "without: cannot run %s\n", argv[2]);
    return 1;
}
