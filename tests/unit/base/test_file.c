#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/scratch.h"

struct fixture {
    struct scratch scratch;
    struct ts_context context;
    struct ts_roots *roots;
    struct ts_error error;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    scratch_create(&f->scratch);
    ts_context_init(&f->context);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    ts_roots_destroy(f->roots);
    scratch_destroy(&f->scratch);
    free(f);
    return 0;
}

static void set_roots(struct fixture *f, const char *first, const char *second)
{
    const char *paths[] = {first, second, NULL};
    assert_int_equal(ts_roots_create(paths, &f->roots, &f->error), TS_OK);
    f->context.roots = f->roots;
}

static enum ts_status try_open(struct fixture *f, const char *path)
{
    int fd = -1;
    enum ts_status status = ts_file_open(&f->context, path, &fd, NULL, &f->error);
    assert_int_equal(status == TS_OK, fd >= 0);
    if (fd >= 0)
        close(fd);
    return status;
}

static struct ts_identity identity_of(struct fixture *f, const char *path)
{
    struct ts_identity identity;
    bool found = false;
    assert_int_equal(ts_file_identity(&f->context, path, &identity, &found, &f->error), TS_OK);
    assert_true(found);
    return identity;
}

#define assert_same(a, b) assert_true(ts_identity_equal(&(a), &(b)))
#define assert_differ(a, b) assert_false(ts_identity_equal(&(a), &(b)))

/* ---- opening ---- */

static void opens_a_regular_file_that_blocks_and_closes_on_exec(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_put(&f->scratch, "a.csv", TS_STR("hello"));
    struct ts_identity identity;
    int fd;
    assert_int_equal(ts_file_open(&f->context, path, &fd, &identity, &f->error), TS_OK);
    struct stat info;
    assert_int_equal(fstat(fd, &info), 0);
    assert_int_equal(identity.inode, info.st_ino);
    assert_int_equal(identity.device, info.st_dev);
    assert_int_equal(identity.size, 5);
    assert_int_equal(identity.mtime_ns, info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec);
    assert_int_equal(identity.ctime_ns, info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    assert_false(fcntl(fd, F_GETFL) & O_NONBLOCK);
    close(fd);
}

static void a_missing_file_is_bad_input_and_named(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(try_open(f, scratch_path(&f->scratch, "missing.csv")), TS_INPUT);
    assert_non_null(strstr(f->error.message, "missing.csv: no such file"));
    scratch_put(&f->scratch, "file", TS_STR(""));
    assert_int_equal(try_open(f, scratch_path(&f->scratch, "file/below")), TS_INPUT);
    assert_int_equal(try_open(f, ""), TS_INPUT);
}

static void links_that_lead_nowhere_are_bad_input(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(try_open(f, scratch_link(&f->scratch, "dangling", "gone")), TS_INPUT);
    assert_int_equal(try_open(f, scratch_link(&f->scratch, "loop", "loop")), TS_INPUT);
    char long_name[6000];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(try_open(f, long_name), TS_INPUT);
}

static void other_kinds_of_files_are_refused_by_kind_without_blocking(void **state)
{
    struct fixture *f = *state;
    alarm(20); /* a FIFO without a writer would block for ever */
    assert_int_equal(try_open(f, scratch_path(&f->scratch, "")), TS_INPUT);
    assert_non_null(strstr(f->error.message, "a directory"));
    assert_int_equal(mkfifo(scratch_path(&f->scratch, "fifo"), 0666), 0);
    assert_int_equal(try_open(f, scratch_path(&f->scratch, "fifo")), TS_INPUT);
    assert_non_null(strstr(f->error.message, "a pipe; write what comes out of it"));
    assert_int_equal(try_open(f, "/dev/null"), TS_INPUT);
    assert_non_null(strstr(f->error.message, "a device"));

    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", scratch_path(&f->scratch, "socket"));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(try_open(f, address.sun_path), TS_INPUT);
    close(fd);
    alarm(0);
}

static void an_unreadable_file_is_an_io_error(void **state)
{
    struct fixture *f = *state;
    if (geteuid() == 0)
        skip(); /* root reads everything */
    const char *path = scratch_put(&f->scratch, "secret", TS_STR("x"));
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(try_open(f, path), TS_IO);
}

static void names_with_control_characters_are_escaped_in_messages(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(try_open(f, "/nowhere/\033[2Jx"), TS_INPUT);
    assert_null(strchr(f->error.message, '\033'));
}

/* ---- identity ---- */

static void identity_is_the_same_by_every_way_to_the_file(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_put(&f->scratch, "a", TS_STR("1"));
    scratch_folder(&f->scratch, "sub");
    scratch_link(&f->scratch, "link", "a");
    struct ts_identity plain = identity_of(f, path), opened, by_fd;
    struct ts_identity linked = identity_of(f, scratch_path(&f->scratch, "link"));
    struct ts_identity dotted = identity_of(f, scratch_path(&f->scratch, "sub/../a"));
    int fd;
    assert_int_equal(ts_file_open(&f->context, scratch_path(&f->scratch, "link"), &fd, &opened, &f->error), TS_OK);
    assert_int_equal(ts_file_identity_fd(fd, "whatever", &by_fd, &f->error), TS_OK);
    close(fd);
    assert_same(plain, linked);
    assert_same(plain, dotted);
    assert_same(plain, opened);
    assert_same(plain, by_fd);
}

static void identity_tells_two_names_of_one_file_apart(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_put(&f->scratch, "a", TS_STR("1"));
    assert_int_equal(link(path, scratch_path(&f->scratch, "b")), 0);
    struct ts_identity a = identity_of(f, path), b = identity_of(f, scratch_path(&f->scratch, "b"));
    assert_int_equal(a.inode, b.inode);
    assert_differ(a, b);
}

static void identity_changes_when_the_file_does(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_put(&f->scratch, "a", TS_STR("1"));
    struct ts_identity first = identity_of(f, path);
    scratch_put(&f->scratch, "a", TS_STR("12"));
    struct ts_identity longer = identity_of(f, path);
    assert_differ(first, longer);

    struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1, .tv_nsec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    struct ts_identity touched = identity_of(f, path);
    assert_differ(longer, touched);
    assert_int_equal(touched.mtime_ns, 1000000001);

    scratch_put(&f->scratch, "new", TS_STR("12"));
    assert_int_equal(utimensat(AT_FDCWD, scratch_path(&f->scratch, "new"), times, 0), 0);
    assert_int_equal(rename(scratch_path(&f->scratch, "new"), path), 0);
    struct ts_identity replaced = identity_of(f, path);
    assert_differ(touched, replaced);
}

static void identity_of_what_is_no_file_is_not_found(void **state)
{
    struct fixture *f = *state;
    const char *paths[] = {scratch_path(&f->scratch, "missing"), scratch_path(&f->scratch, ""), "/dev/null"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct ts_identity identity = {.size = 7}, none = {0};
        bool found = true;
        assert_int_equal(ts_file_identity(&f->context, paths[i], &identity, &found, &f->error), TS_OK);
        assert_false(found);
        assert_same(identity, none);
    }
}

/* ---- roots ---- */

/* root/in, root/sub/deep, root-evil/x, outside/secret and links between them. */
static void build_tree(struct fixture *f)
{
    struct scratch *s = &f->scratch;
    scratch_folder(s, "root");
    scratch_folder(s, "root/sub");
    scratch_folder(s, "root-evil");
    scratch_folder(s, "outside");
    scratch_put(s, "root/in", TS_STR("in"));
    scratch_put(s, "root/sub/deep", TS_STR("deep"));
    scratch_put(s, "root-evil/x", TS_STR("x"));
    scratch_put(s, "outside/secret", TS_STR("secret"));
    scratch_link(s, "root/link_in", "sub/deep");
    scratch_link(s, "root/link_absolute_in", scratch_path(s, "root/in"));
    scratch_link(s, "root/link_out", "../outside/secret");
    scratch_link(s, "root/link_absolute_out", scratch_path(s, "outside/secret"));
    scratch_link(s, "root/folder_out", "../outside");
    scratch_link(s, "root/dangling_out", "../outside/missing");
    scratch_link(s, "outside/link_back", "../root/in");
    scratch_link(s, "alias", "root");
}

static const struct {
    const char *path;
    enum ts_status status;
} ROOT_CASES[] = {
    {"root/in", TS_OK},
    {"root/sub/deep", TS_OK},
    {"root/sub/../in", TS_OK},
    {"root/link_in", TS_OK},
    {"root/link_absolute_in", TS_OK},
    {"alias/in", TS_OK},
    {"outside/link_back", TS_OK}, /* what counts is where it ends */
    {"root/../root/in", TS_OK},
    {"root/missing", TS_INPUT},
    {"root/in/below", TS_INPUT},
    {"root/sub", TS_INPUT},
    {"root", TS_INPUT},
    {"outside/secret", TS_REFUSED},
    {"outside/missing", TS_REFUSED}, /* not even whether it exists is told */
    {"root/../outside/secret", TS_REFUSED},
    {"root/missing/../../outside/secret", TS_REFUSED},
    {"root/link_out", TS_REFUSED},
    {"root/link_absolute_out", TS_REFUSED},
    {"root/folder_out/secret", TS_REFUSED},
    {"root/folder_out/missing", TS_REFUSED},
    {"root-evil/x", TS_REFUSED}, /* begins like the root */
};
enum { ROOT_CASE_COUNT = sizeof ROOT_CASES / sizeof ROOT_CASES[0] };

/* The number of the first case that fails, counted from 1; 0 when all are well. */
static int check_root_cases(void *data)
{
    struct fixture *f = data;
    for (int i = 0; i < ROOT_CASE_COUNT; i++) {
        const char *path = scratch_path(&f->scratch, ROOT_CASES[i].path);
        struct ts_identity identity;
        bool found = false;
        int fd = -1;
        enum ts_status status = ts_file_open(&f->context, path, &fd, NULL, &f->error);
        if (fd >= 0)
            close(fd);
        enum ts_status expected = ROOT_CASES[i].status;
        enum ts_status identified = ts_file_identity(&f->context, path, &identity, &found, &f->error);
        if (status != expected || identified != (expected == TS_REFUSED ? TS_REFUSED : TS_OK) ||
            found != (expected == TS_OK))
            return i + 1;
    }
    return 0;
}

static void roots_hold_against_links_and_dots(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    set_roots(f, scratch_path(&f->scratch, "root"), NULL);
    int failed = check_root_cases(f);
    if (failed)
        fail_msg("%s: %s", ROOT_CASES[failed - 1].path, f->error.message);
    assert_int_equal(try_open(f, "/proc/self/fd/0"), TS_REFUSED);
    assert_int_equal(try_open(f, "/etc/passwd"), TS_REFUSED);
    assert_non_null(strstr(f->error.message, "/etc/passwd"));
    assert_int_equal(try_open(f, ""), TS_INPUT);
}

static void roots_hold_on_kernels_without_openat2(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    set_roots(f, scratch_path(&f->scratch, "root"), NULL);
    static const int answers[] = {ENOSYS, EPERM};
    for (size_t i = 0; i < 2; i++) {
        int failed = scratch_without_call(SYS_openat2, answers[i], 0, 0, check_root_cases, f);
        if (failed == 77)
            skip();
        if (failed)
            fail_msg("%s", failed <= ROOT_CASE_COUNT ? ROOT_CASES[failed - 1].path : "the child died");
    }
}

static void any_of_several_roots_will_do_and_links_to_roots_are_resolved(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    set_roots(f, scratch_path(&f->scratch, "outside"), scratch_path(&f->scratch, "alias"));
    assert_int_equal(try_open(f, scratch_path(&f->scratch, "root/in")), TS_OK);
    assert_int_equal(try_open(f, scratch_path(&f->scratch, "outside/secret")), TS_OK);
    assert_int_equal(try_open(f, scratch_path(&f->scratch, "root-evil/x")), TS_REFUSED);
}

static void the_root_directory_as_root_allows_every_file(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    set_roots(f, "/", NULL);
    assert_int_equal(try_open(f, scratch_path(&f->scratch, "root/link_absolute_out")), TS_OK);
}

static void a_root_that_is_no_directory_cannot_be_made(void **state)
{
    struct fixture *f = *state;
    const char *missing[] = {"/", scratch_path(&f->scratch, "missing"), NULL};
    const char *file[] = {scratch_put(&f->scratch, "file", TS_STR("")), NULL};
    struct ts_roots *roots = NULL;
    assert_int_equal(ts_roots_create(missing, &roots, &f->error), TS_IO);
    assert_int_equal(ts_roots_create(file, &roots, &f->error), TS_IO);
    assert_null(roots);
    ts_roots_destroy(NULL);
}

struct swapper {
    const char *folder, *link;
    atomic_bool stop;
    bool failed;
};

static void *swap_folder_and_link(void *data)
{
    struct swapper *swapper = data;
    while (!swapper->failed && !atomic_load(&swapper->stop))
        swapper->failed = renameat2(AT_FDCWD, swapper->folder, AT_FDCWD, swapper->link, RENAME_EXCHANGE) != 0;
    return NULL;
}

/* While a folder inside and a link to one outside exchange their names, whatever is opened must be the file inside.
 * 0 when so, 77 when this file system cannot exchange. */
static int open_during_exchanges(void *data)
{
    struct fixture *f = data;
    struct swapper swapper = {
        .folder = scratch_path(&f->scratch, "root/moving"),
        .link = scratch_path(&f->scratch, "root/spare"),
    };
    const char *path = scratch_path(&f->scratch, "root/moving/file");
    pthread_t thread;
    if (pthread_create(&thread, NULL, swap_folder_and_link, &swapper) != 0)
        return 1;
    int leaks = 0, opened = 0;
    for (int i = 0; i < 10000; i++) {
        int fd;
        char content[16] = {0};
        if (ts_file_open(&f->context, path, &fd, NULL, &f->error) != TS_OK)
            continue;
        opened++;
        leaks += read(fd, content, sizeof content - 1) < 0 || strcmp(content, "in") != 0;
        close(fd);
    }
    atomic_store(&swapper.stop, true);
    pthread_join(thread, NULL);
    return leaks > 0 ? 2 : swapper.failed ? 77 : opened == 0 ? 3 : 0;
}

static void no_exchange_of_names_opens_a_file_outside(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    scratch_folder(&f->scratch, "root/moving");
    scratch_put(&f->scratch, "root/moving/file", TS_STR("in"));
    scratch_put(&f->scratch, "outside/file", TS_STR("secret"));
    scratch_link(&f->scratch, "root/spare", "../outside");
    set_roots(f, scratch_path(&f->scratch, "root"), NULL);
    int with = open_during_exchanges(f);
    int without = scratch_without_call(SYS_openat2, ENOSYS, 0, 0, open_during_exchanges, f);
    if (with == 77)
        skip();
    assert_int_equal(with, 0);
    assert_true(without == 0 || without == 77);
}

/* ---- resolving ---- */

static void assert_resolves(struct fixture *f, const char *path, const char *expected, enum ts_path_kind expected_kind)
{
    char *resolved = NULL;
    enum ts_path_kind kind;
    assert_int_equal(ts_path_resolve(&f->context, path, &resolved, &kind, &f->error), TS_OK);
    assert_string_equal(resolved, expected);
    assert_int_equal(kind, expected_kind);
    free(resolved);
}

static void resolves_what_exists_by_its_links(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    const char *in = scratch_path(&f->scratch, "root/in");
    assert_resolves(f, scratch_path(&f->scratch, "alias/../alias/./in"), in, TS_PATH_FILE);
    assert_resolves(f, scratch_path(&f->scratch, "outside/link_back"), in, TS_PATH_FILE);
    assert_resolves(f, scratch_path(&f->scratch, "alias/"), scratch_path(&f->scratch, "root"), TS_PATH_DIRECTORY);
    assert_resolves(f, "/dev/null", "/dev/null", TS_PATH_OTHER);
    assert_resolves(f, "/", "/", TS_PATH_DIRECTORY);
    assert_resolves(f, "//..//", "/", TS_PATH_DIRECTORY);
}

static void resolves_what_is_missing_as_far_as_it_exists(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    struct scratch *s = &f->scratch;
    assert_resolves(f, scratch_path(s, "alias/no/where"), scratch_path(s, "root/no/where"), TS_PATH_NONE);
    assert_resolves(f, scratch_path(s, "alias/no/./../where/"), scratch_path(s, "root/where"), TS_PATH_NONE);
    assert_resolves(f, scratch_path(s, "root/in/below"), scratch_path(s, "root/in/below"), TS_PATH_NONE);
    assert_resolves(f, "/no_such_folder/../../../x", "/x", TS_PATH_NONE);
    assert_resolves(f, "/no_such_folder/..", "/", TS_PATH_NONE);
}

static void resolves_relative_paths_from_the_working_directory(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(chdir(scratch_path(&f->scratch, "root")), 0);
    assert_resolves(f, "sub/../in", scratch_path(&f->scratch, "root/in"), TS_PATH_FILE);
    assert_resolves(f, "none", scratch_path(&f->scratch, "root/none"), TS_PATH_NONE);
    assert_resolves(f, "../x/y", scratch_path(&f->scratch, "x/y"), TS_PATH_NONE);
    assert_resolves(f, "", scratch_path(&f->scratch, "root"), TS_PATH_NONE);
    assert_int_equal(fchdir(before), 0);
    close(before);
}

static void resolving_a_long_hostile_path_is_quick(void **state)
{
    struct fixture *f = *state;
    enum { STEPS = 2000 };
    char path[2 * STEPS + 10] = "/tmp";
    for (int i = 0; i < STEPS; i++)
        strcat(path + 2 * i, i % 2 ? "/." : "/x");
    alarm(20);
    char *resolved;
    enum ts_path_kind kind;
    assert_int_equal(ts_path_resolve(&f->context, path, &resolved, &kind, &f->error), TS_OK);
    assert_int_equal(kind, TS_PATH_NONE);
    assert_int_equal(strlen(resolved), strlen("/tmp") + STEPS);
    free(resolved);
    alarm(0);
}

static void a_root_that_is_not_there_any_more_opens_nothing(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    const char *root = scratch_path(&f->scratch, "root"), *file = scratch_put(&f->scratch, "root/file", TS_STR("x"));
    set_roots(f, root, NULL);
    assert_int_equal(try_open(f, file), TS_OK);
    assert_int_equal(rename(root, scratch_path(&f->scratch, "gone")), 0);
    assert_int_equal(try_open(f, file), TS_REFUSED);
    scratch_folder(&f->scratch, "root");
    scratch_put(&f->scratch, "root/file", TS_STR("another"));
    assert_int_equal(try_open(f, file), TS_REFUSED);
    assert_non_null(strstr(f->error.message, "start again"));
    struct ts_identity identity;
    bool found = true;
    assert_int_equal(ts_file_identity(&f->context, file, &identity, &found, &f->error), TS_OK);
    assert_false(found);
}

static void resolving_outside_the_roots_is_refused(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    set_roots(f, scratch_path(&f->scratch, "root"), NULL);
    static const char *const outside[] = {"outside", "outside/no", "root/link_out", "root/..", "root-evil"};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        char *resolved = NULL;
        enum ts_path_kind kind;
        const char *path = scratch_path(&f->scratch, outside[i]);
        assert_int_equal(ts_path_resolve(&f->context, path, &resolved, &kind, &f->error), TS_REFUSED);
        assert_null(resolved);
    }
    char *resolved = NULL;
    enum ts_path_kind kind;
    assert_int_equal(ts_path_resolve(&f->context, "", &resolved, &kind, &f->error), TS_REFUSED);
    assert_resolves(f, scratch_path(&f->scratch, "root"), scratch_path(&f->scratch, "root"), TS_PATH_DIRECTORY);
    assert_resolves(f, scratch_path(&f->scratch, "root/no"), scratch_path(&f->scratch, "root/no"), TS_PATH_NONE);
}

/* ---- listing ---- */

struct visits {
    char text[256];
    const char *stop_at;
};

static enum ts_status note_name(void *data, const char *name, struct ts_error *error)
{
    struct visits *visits = data;
    strcat(strcat(visits->text, name), " ");
    if (visits->stop_at && strcmp(name, visits->stop_at) == 0)
        return ts_error_set(error, TS_BUSY, "stopped");
    return TS_OK;
}

static void lists_names_in_byte_order_without_dots(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"b", "B", "a10", "a9", ".hidden", "\xc3\xa4", "_"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        scratch_put(&f->scratch, names[i], TS_STR(""));
    struct visits visits = {0};
    const char *folder = scratch_path(&f->scratch, "");
    assert_int_equal(ts_directory_list(&f->context, folder, note_name, &visits, &f->error), TS_OK);
    assert_string_equal(visits.text, ".hidden B _ a10 a9 b \xc3\xa4 ");
}

static void listing_stops_when_the_visitor_says_so(void **state)
{
    struct fixture *f = *state;
    scratch_put(&f->scratch, "a", TS_STR(""));
    scratch_put(&f->scratch, "b", TS_STR(""));
    scratch_put(&f->scratch, "c", TS_STR(""));
    struct visits visits = {.stop_at = "b"};
    const char *folder = scratch_path(&f->scratch, "");
    assert_int_equal(ts_directory_list(&f->context, folder, note_name, &visits, &f->error), TS_BUSY);
    assert_string_equal(visits.text, "a b ");
    assert_string_equal(f->error.message, "stopped");
}

static void listing_what_is_no_directory_fails_by_name(void **state)
{
    struct fixture *f = *state;
    struct visits visits = {0};
    const char *file = scratch_put(&f->scratch, "file", TS_STR(""));
    assert_int_equal(ts_directory_list(&f->context, file, note_name, &visits, &f->error), TS_INPUT);
    assert_non_null(strstr(f->error.message, "file: no such directory"));
    const char *missing = scratch_path(&f->scratch, "missing");
    assert_int_equal(ts_directory_list(&f->context, missing, note_name, &visits, &f->error), TS_INPUT);
    assert_string_equal(visits.text, "");
}

static void listing_heeds_roots_and_cancellation(void **state)
{
    struct fixture *f = *state;
    build_tree(f);
    set_roots(f, scratch_path(&f->scratch, "root"), NULL);
    struct visits visits = {0};
    const char *out = scratch_path(&f->scratch, "root/folder_out");
    assert_int_equal(ts_directory_list(&f->context, out, note_name, &visits, &f->error), TS_REFUSED);
    const char *sub = scratch_path(&f->scratch, "root/sub");
    assert_int_equal(ts_directory_list(&f->context, sub, note_name, &visits, &f->error), TS_OK);
    assert_string_equal(visits.text, "deep ");
    const char *root = scratch_path(&f->scratch, "root");
    assert_int_equal(ts_directory_list(&f->context, root, note_name, &(struct visits){0}, &f->error), TS_OK);
    atomic_store(&f->context.cancelled, true);
    assert_int_equal(ts_directory_list(&f->context, root, note_name, &visits, &f->error), TS_CANCELLED);
    assert_string_equal(visits.text, "deep ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(opens_a_regular_file_that_blocks_and_closes_on_exec),
        TEST(a_missing_file_is_bad_input_and_named),
        TEST(links_that_lead_nowhere_are_bad_input),
        TEST(other_kinds_of_files_are_refused_by_kind_without_blocking),
        TEST(an_unreadable_file_is_an_io_error),
        TEST(names_with_control_characters_are_escaped_in_messages),
        TEST(identity_is_the_same_by_every_way_to_the_file),
        TEST(identity_tells_two_names_of_one_file_apart),
        TEST(identity_changes_when_the_file_does),
        TEST(identity_of_what_is_no_file_is_not_found),
        TEST(roots_hold_against_links_and_dots),
        TEST(roots_hold_on_kernels_without_openat2),
        TEST(any_of_several_roots_will_do_and_links_to_roots_are_resolved),
        TEST(the_root_directory_as_root_allows_every_file),
        TEST(a_root_that_is_no_directory_cannot_be_made),
        TEST(no_exchange_of_names_opens_a_file_outside),
        TEST(resolves_what_exists_by_its_links),
        TEST(resolves_what_is_missing_as_far_as_it_exists),
        TEST(resolves_relative_paths_from_the_working_directory),
        TEST(resolving_a_long_hostile_path_is_quick),
        TEST(resolving_outside_the_roots_is_refused),
        TEST(a_root_that_is_not_there_any_more_opens_nothing),
        TEST(lists_names_in_byte_order_without_dots),
        TEST(listing_stops_when_the_visitor_says_so),
        TEST(listing_what_is_no_directory_fails_by_name),
        TEST(listing_heeds_roots_and_cancellation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
