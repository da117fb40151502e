/* The sandbox from inside: each forbidden thing is tried by a process of its own, once free to do it and once confined. */
#include "surfaces/mcp/sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/scratch.h"

enum { FILES = 1, CALLS = 2 };
enum outcome { DONE, REFUSED, FAILED, NOT_CONFINED };

static struct scratch scratch;
static struct ts_sandbox offered;
/* Made before any sandbox, as a client might hand them down. */
static int writable_fd, tcp_socket, unix_socket, listener;
static struct sockaddr_in address;

static const char *inside(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", scratch.folder, name);
    return path;
}

/* ---- what is tried: each returns -1 with errno when it was not done ---- */

static int opened(int fd)
{
    return fd < 0 ? -1 : close(fd);
}

static int write_existing(void)
{
    return opened(open(inside("file"), O_WRONLY));
}
static int read_and_write(void)
{
    return opened(open(inside("file"), O_RDWR));
}
static int append_elsewhere(void)
{
    return opened(open(inside("file"), O_WRONLY | O_APPEND | O_CREAT, 0600));
}
static int make_file(void)
{
    return opened(open(inside("new"), O_WRONLY | O_CREAT, 0600));
}
static int make_unnamed(void)
{
    return opened(open(inside(""), O_WRONLY | O_TMPFILE, 0600));
}
static int call_creat(void)
{
    return opened((int)syscall(SYS_creat, inside("new"), 0600));
}
static int open_and_truncate(void)
{
    return opened(open(inside("file"), O_RDONLY | O_TRUNC));
}
static int write_by_openat2(void)
{
    const struct open_how how = {.flags = O_WRONLY};
    return opened((int)syscall(SYS_openat2, AT_FDCWD, inside("file"), &how, sizeof how));
}
static int write_by_descriptor(void)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", writable_fd);
    return opened(open(link, O_WRONLY));
}
static int write_own_memory(void)
{
    return opened(open("/proc/self/mem", O_RDWR));
}
static int truncate_path(void)
{
    return truncate(inside("file"), 1);
}
static int truncate_descriptor(void)
{
    return ftruncate(writable_fd, 1);
}
static int remove_file(void)
{
    return unlink(inside("file"));
}
static int remove_folder(void)
{
    return rmdir(inside("folder"));
}
static int rename_file(void)
{
    char from[512];
    snprintf(from, sizeof from, "%s", inside("file"));
    return rename(from, inside("new"));
}
static int make_link(void)
{
    return symlink("x", inside("new"));
}
static int make_hard_link(void)
{
    char from[512];
    snprintf(from, sizeof from, "%s", inside("file"));
    return link(from, inside("new"));
}
static int make_folder(void)
{
    return mkdir(inside("new"), 0700);
}
static int make_pipe(void)
{
    return mkfifo(inside("new"), 0600);
}
static int change_mode(void)
{
    return chmod(inside("file"), 0644);
}
static int change_descriptor_mode(void)
{
    return fchmod(writable_fd, 0644);
}
static int set_times(void)
{
    return utimensat(AT_FDCWD, inside("file"), NULL, 0);
}
static int make_tcp_socket(void)
{
    return opened(socket(AF_INET, SOCK_STREAM, 0));
}
static int make_unix_socket(void)
{
    return opened(socket(AF_UNIX, SOCK_DGRAM, 0));
}
static int make_socket_pair(void)
{
    int pair[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}
static int connect_inherited(void)
{
    return connect(tcp_socket, (struct sockaddr *)&address, sizeof address);
}
static int bind_inherited(void)
{
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return bind(tcp_socket, (const struct sockaddr *)&any, sizeof any);
}
static int listen_inherited(void)
{
    return listen(listener, 2);
}
static int send_inherited(void)
{
    struct sockaddr_un self = {.sun_family = AF_UNIX};
    socklen_t len = sizeof self;
    if (getsockname(unix_socket, (struct sockaddr *)&self, &len) != 0)
        return -1;
    return sendto(unix_socket, "x", 1, 0, (struct sockaddr *)&self, len) == 1 ? 0 : -1;
}
static int run_program(void)
{
    return execl("/bin/true", "true", (char *)NULL);
}
static int run_by_descriptor(void)
{
    int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
    char *const words[] = {(char[]){"true"}, NULL};
    return (int)syscall(SYS_execveat, fd, "", words, environ, AT_EMPTY_PATH);
}
static int make_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return child < 0 ? -1 : waitpid(child, NULL, 0) == child ? 0 : -1;
}
static int make_process_by_clone3(void)
{
    uint64_t arguments[8] = {[4] = SIGCHLD};
    long child = syscall(SYS_clone3, arguments, sizeof arguments);
    if (child == 0)
        _exit(0);
    return child < 0 ? -1 : 0;
}
static int be_traced(void)
{
    return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}
static int signal_parent(void)
{
    return kill(getppid(), SIGCONT);
}
static int signal_parent_thread(void)
{
    return (int)syscall(SYS_tgkill, getppid(), getppid(), SIGCONT);
}
static int read_parent(void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {&address, 1};
    return syscall(SYS_process_vm_readv, getppid(), &here, 1UL, &there, 1UL, 0UL) == 1 ? 0 : -1;
}
static int make_memory_file(void)
{
    return opened(memfd_create("x", 0));
}
static int map_to_run(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
static int protect_to_run(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(page, 4096, PROT_READ | PROT_EXEC);
}
static int raise_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) ? -1 : setrlimit(RLIMIT_NOFILE, &limit);
}
static int own_descriptor(void)
{
    return fcntl(writable_fd, F_SETOWN, getpid());
}
static int control_terminal(void)
{
    int there = 0;
    return ioctl(writable_fd, FIONREAD, &there);
}
static int change_folder(void)
{
    return chdir("/");
}
static int change_name(void)
{
    return prctl(PR_SET_NAME, "x", 0, 0, 0);
}
static int make_ring(void)
{
    char parameters[128] = {0};
    return opened((int)syscall(SYS_io_uring_setup, 2, parameters));
}
static int leave_namespace(void)
{
    return unshare(CLONE_NEWUSER);
}
static int mount_something(void)
{
    return mount("none", inside("folder"), "tmpfs", 0, NULL);
}
static int load_program(void)
{
    return (int)syscall(SYS_bpf, 0, NULL, 0);
}
static int watch_counters(void)
{
    return (int)syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0);
}
static int use_keys(void)
{
    return (int)syscall(SYS_keyctl, 0, -3, 0);
}

static const struct attempt {
    const char *name;
    int (*run)(void);
    int by;         /* what refuses it, each alone */
    int least_abi;  /* of Landlock, for FILES; 0: any */
    bool uncertain; /* whether it works outside of a sandbox depends on the machine */
} attempts[] = {
    {"open a file for writing", write_existing, FILES | CALLS, 0, false},
    {"open a file for reading and writing", read_and_write, FILES | CALLS, 0, false},
    {"append to a file that is not the usage log", append_elsewhere, FILES | CALLS, 0, false},
    {"make a file", make_file, FILES | CALLS, 0, false},
    {"make a file without a name", make_unnamed, FILES | CALLS, 0, true},
    {"creat", call_creat, FILES | CALLS, 0, false},
    {"cut a file short while opening it", open_and_truncate, FILES | CALLS, 3, false},
    {"open a file for writing by openat2", write_by_openat2, FILES | CALLS, 0, false},
    {"open a descriptor of its own again", write_by_descriptor, FILES | CALLS, 0, false},
    {"write into its own memory", write_own_memory, FILES | CALLS, 0, false},
    {"truncate", truncate_path, FILES | CALLS, 3, false},
    {"ftruncate", truncate_descriptor, CALLS, 0, false},
    {"remove a file", remove_file, FILES | CALLS, 0, false},
    {"remove a folder", remove_folder, FILES | CALLS, 0, false},
    {"rename a file", rename_file, FILES | CALLS, 0, false},
    {"make a symbolic link", make_link, FILES | CALLS, 0, false},
    {"make a hard link", make_hard_link, FILES | CALLS, 0, false},
    {"make a folder", make_folder, FILES | CALLS, 0, false},
    {"make a pipe", make_pipe, FILES | CALLS, 0, false},
    {"chmod", change_mode, CALLS, 0, false},
    {"fchmod", change_descriptor_mode, CALLS, 0, false},
    {"change a file's times", set_times, CALLS, 0, false},
    {"make a TCP socket", make_tcp_socket, CALLS, 0, false},
    {"make a Unix socket", make_unix_socket, CALLS, 0, false},
    {"make a pair of sockets", make_socket_pair, CALLS, 0, false},
    {"connect a socket it was given", connect_inherited, FILES | CALLS, 4, false},
    {"bind a socket it was given", bind_inherited, FILES | CALLS, 4, false},
    {"listen on a socket it was given", listen_inherited, CALLS, 0, false},
    {"send through a socket it was given", send_inherited, CALLS, 0, false},
    {"run a program", run_program, FILES | CALLS, 0, false},
    {"run a program by its descriptor", run_by_descriptor, FILES | CALLS, 0, false},
    {"make a process", make_process, CALLS, 0, false},
    {"make a process by clone3", make_process_by_clone3, CALLS, 0, true},
    {"be traced", be_traced, CALLS, 0, true},
    {"signal another process", signal_parent, FILES | CALLS, 6, false},
    {"signal another process's thread", signal_parent_thread, FILES | CALLS, 6, false},
    {"read another process", read_parent, FILES | CALLS, 0, true},
    {"make a file in memory", make_memory_file, CALLS, 0, false},
    {"map memory to run", map_to_run, CALLS, 0, true},
    {"make what it wrote fit to run", protect_to_run, CALLS, 0, true},
    {"change another limit", raise_limit, CALLS, 0, false},
    {"be sent signals by a descriptor", own_descriptor, CALLS, 0, false},
    {"ioctl", control_terminal, CALLS, 0, false},
    {"change its folder", change_folder, CALLS, 0, false},
    {"prctl", change_name, CALLS, 0, false},
    {"make a ring of requests", make_ring, CALLS, 0, true},
    {"leave its namespace", leave_namespace, CALLS, 0, true},
    {"mount", mount_something, CALLS, 0, true},
    {"load a program into the kernel", load_program, CALLS, 0, true},
    {"watch counters", watch_counters, CALLS, 0, true},
    {"use keys", use_keys, CALLS, 0, true},
};

/* ---- trying ---- */

/* As the server does it. False when that failed. */
static bool confine(int by, const struct ts_roots *roots)
{
    if ((by & FILES) && ts_sandbox_restrict_files(offered.landlock, roots, inside("usage")) != 0)
        return false;
    return !(by & CALLS) || ts_sandbox_restrict_calls(by & FILES) == 0;
}

static enum outcome judge(int result)
{
    if (result >= 0)
        return DONE;
    return errno == ENOSYS || errno == EACCES || errno == EPERM || errno == EXDEV ? REFUSED : FAILED;
}

/* In a child, because a sandbox cannot be left. */
static enum outcome try(int (*run)(void), int by, const struct ts_roots *roots)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!confine(by, roots))
            _exit(NOT_CONFINED);
        _exit((int)judge(run()));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? (enum outcome)WEXITSTATUS(status) : FAILED;
}

static void expect(const struct attempt *attempt, int by, enum outcome wanted)
{
    enum outcome found = try(attempt->run, by, NULL);
    if (found != wanted)
        fail_msg("%s, sandbox %d: expected %d, found %d", attempt->name, by, wanted, found);
}

/* Fresh for every attempt, since those that succeed change it. */
static int set_up(void **state)
{
    (void)state;
    scratch_create(&scratch);
    scratch_put(&scratch, "file", TS_STR("content"));
    scratch_folder(&scratch, "folder");
    scratch_folder(&scratch, "usage");
    writable_fd = open(inside("file"), O_RDWR | O_CLOEXEC);
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr_un nameless = {.sun_family = AF_UNIX};
    socklen_t len = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    tcp_socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unix_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&any, sizeof any), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    /* The kernel chooses an abstract name. */
    assert_int_equal(bind(unix_socket, (const struct sockaddr *)&nameless, sizeof(sa_family_t)), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(writable_fd);
    close(tcp_socket);
    close(unix_socket);
    close(listener);
    scratch_destroy(&scratch);
    return 0;
}

/* Each attempt in surroundings of its own. */
static void try_each(int by)
{
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        const struct attempt *attempt = &attempts[i];
        bool refused = by & attempt->by & CALLS || (by & attempt->by & FILES && offered.landlock >= attempt->least_abi);
        if (!refused && (by || attempt->uncertain))
            continue;
        set_up(NULL);
        expect(attempt, by, refused ? REFUSED : DONE);
        tear_down(NULL);
    }
}

static void outside_of_it_they_are_done(void **state)
{
    (void)state;
    try_each(0);
}

static void confined_they_are_refused(void **state)
{
    (void)state;
    if (!offered.landlock || !offered.seccomp)
        skip();
    try_each(FILES | CALLS);
}

/* A kernel without seccomp. */
static void landlock_alone_refuses_its_part(void **state)
{
    (void)state;
    if (!offered.landlock)
        skip();
    try_each(FILES);
}

/* A kernel without Landlock. */
static void seccomp_alone_refuses_its_part(void **state)
{
    (void)state;
    if (!offered.seccomp)
        skip();
    try_each(CALLS);
}

/* ---- what stays possible ---- */

static void *touch(void *data)
{
    char *memory = malloc(64 << 20);
    if (memory)
        memset(memory, 1, 64 << 20);
    *(bool *)data = memory;
    free(memory);
    return NULL;
}

static int do_what_answering_takes(void)
{
    char byte;
    bool done = false;
    pthread_t thread;
    int fd = open(inside("file"), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, &byte, 1) != 1 || pread(fd, &byte, 1, 2) != 1 || byte != 'n' || close(fd))
        return -1;
    fd = open(inside(""), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || syscall(SYS_getdents64, fd, (char[4096]){0}, 4096UL) <= 0 || close(fd))
        return -1;
    if (pthread_create(&thread, NULL, touch, &done) != 0 || pthread_join(thread, NULL) != 0 || !done)
        return -1;
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) || setrlimit(RLIMIT_DATA, &limit))
        return -1;
    return lseek(writable_fd, 0, SEEK_SET) == 0 && write(writable_fd, "x", 1) == 1 ? 0 : -1;
}

static int add_to_usage(void)
{
    for (int i = 0; i < 2; i++) {
        int fd = open(inside("usage/events.log"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || write(fd, "line\n", 5) != 5 || close(fd))
            return -1;
    }
    return 0;
}
static int remove_usage(void)
{
    return unlink(inside("usage/events.log"));
}
static int make_usage_folder(void)
{
    return mkdir(inside("usage/x"), 0700);
}

static void what_answering_takes_goes_on(void **state)
{
    (void)state;
    set_up(NULL);
    for (int by = 0; by <= (FILES | CALLS); by++)
        if ((!(by & FILES) || offered.landlock) && (!(by & CALLS) || offered.seccomp))
            assert_int_equal(try(do_what_answering_takes, by, NULL), DONE);
    if (offered.landlock && offered.seccomp) {
        assert_int_equal(try(add_to_usage, FILES | CALLS, NULL), DONE);
        assert_int_equal(try(remove_usage, FILES | CALLS, NULL), REFUSED);
        assert_int_equal(try(make_usage_folder, FILES | CALLS, NULL), REFUSED);
        assert_true(ts_str_is(scratch_get(&scratch, "usage/events.log"), "line\nline\n"));
    }
    tear_down(NULL);
}

/* ---- roots ---- */

static int read_inside(void)
{
    return opened(open(inside("root/in"), O_RDONLY));
}
static int read_outside(void)
{
    return opened(open(inside("file"), O_RDONLY));
}
static int read_with_the_same_beginning(void)
{
    return opened(open(inside("root-evil/in"), O_RDONLY));
}
static int read_through_a_link(void)
{
    return opened(open(inside("root/link"), O_RDONLY));
}
static int read_through_a_folder_link(void)
{
    return opened(open(inside("root/folder/in"), O_RDONLY));
}
static int read_upwards(void)
{
    return opened(open(inside("root/../file"), O_RDONLY));
}
static int list_outside(void)
{
    return opened(open(inside(""), O_RDONLY | O_DIRECTORY));
}
static int read_through_proc(void)
{
    return opened(open("/proc/self/environ", O_RDONLY));
}

/* SQLite's own opens, by a file system layer that is not ours. */
static int open_database(const char *path)
{
    sqlite3 *db = NULL;
    int result = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, "unix");
    if (result == SQLITE_OK)
        result = sqlite3_exec(db, "SELECT * FROM sqlite_master", NULL, NULL, NULL);
    sqlite3_close(db);
    errno = EACCES;
    return result == SQLITE_OK ? 0 : -1;
}
static int open_database_inside(void)
{
    return open_database(inside("root/in"));
}
static int open_database_outside(void)
{
    return open_database(inside("root/link"));
}

static void roots_hold_for_every_open(void **state)
{
    (void)state;
    static int (*const refused[])(void) = {
        read_outside,        read_with_the_same_beginning,
        read_through_a_link, read_through_a_folder_link,
        read_upwards,        list_outside,
        read_through_proc,   open_database_outside,
    };
    struct ts_roots *roots = NULL;
    struct ts_error error;
    if (!offered.landlock)
        skip();
    set_up(NULL);
    scratch_folder(&scratch, "root");
    scratch_folder(&scratch, "root-evil");
    scratch_put(&scratch, "root/in", TS_STR(""));
    scratch_put(&scratch, "root-evil/in", TS_STR(""));
    scratch_put(&scratch, "file", TS_STR(""));
    scratch_link(&scratch, "root/link", "../file");
    scratch_link(&scratch, "root/folder", "../root-evil");
    assert_int_equal(ts_roots_create((const char *const[]){scratch_path(&scratch, "root"), NULL}, &roots, &error), 0);
    assert_int_equal(try(read_inside, FILES, roots), DONE);
    assert_int_equal(try(open_database_inside, FILES, roots), DONE);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(try(refused[i], 0, roots), DONE);
        assert_int_equal(try(refused[i], FILES, roots), REFUSED);
    }
    ts_roots_destroy(roots);
    tear_down(NULL);
}

/* ---- degrees ---- */

static void each_degree_has_a_word(void **state)
{
    (void)state;
    assert_string_equal(ts_sandbox_word(&(struct ts_sandbox){7, true}), "on");
    assert_string_equal(ts_sandbox_word(&(struct ts_sandbox){1, false}), "no seccomp");
    assert_string_equal(ts_sandbox_word(&(struct ts_sandbox){0, true}), "no landlock");
    assert_string_equal(ts_sandbox_word(&(struct ts_sandbox){0, false}), "off");
}

/* What an older kernel forbids is asked of it alone: an ABI below the kernel's is accepted, and forbids no less than files. */
static void every_older_abi_is_accepted(void **state)
{
    (void)state;
    if (!offered.landlock)
        skip();
    const int newest = offered.landlock;
    for (offered.landlock = 1; offered.landlock <= newest; offered.landlock++) {
        set_up(NULL);
        assert_int_equal(try(make_file, FILES, NULL), REFUSED);
        assert_int_equal(try(read_outside, FILES, NULL), DONE);
        tear_down(NULL);
    }
    offered.landlock = newest;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside_of_it_they_are_done),     cmocka_unit_test(confined_they_are_refused),
        cmocka_unit_test(landlock_alone_refuses_its_part), cmocka_unit_test(seccomp_alone_refuses_its_part),
        cmocka_unit_test(what_answering_takes_goes_on),    cmocka_unit_test(roots_hold_for_every_open),
        cmocka_unit_test(each_degree_has_a_word),          cmocka_unit_test(every_older_abi_is_accepted),
    };
    ts_sandbox_probe(&offered);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
