#include "base/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/scratch.h"

struct fixture {
    struct scratch scratch;
    struct ts_context context;
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
    scratch_destroy(&f->scratch);
    free(f);
    return 0;
}

static struct ts_writer *begin(struct fixture *f, const char *path)
{
    struct ts_writer *writer = NULL;
    if (ts_writer_create(&f->context, path, &writer, &f->error) != TS_OK)
        fail_msg("%s", f->error.message);
    return writer;
}

static void write_whole(struct fixture *f, const char *path, struct ts_str text)
{
    struct ts_writer *writer = begin(f, path);
    ts_writer_str(writer, text);
    if (ts_writer_commit(writer, &f->error) != TS_OK)
        fail_msg("%s", f->error.message);
}

static struct ts_str pattern(struct fixture *f, size_t len)
{
    char *bytes = ts_arena_alloc(&f->scratch.arena, len);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)(i * 31 + i / 251);
    return (struct ts_str){bytes, len};
}

#define assert_content(f, name, expected) assert_true(ts_str_equal(scratch_get(&(f)->scratch, (name)), (expected)))

/* ---- new and replaced files ---- */

static void a_new_file_appears_at_commit_and_not_before(void **state)
{
    struct fixture *f = *state;
    struct ts_writer *writer = begin(f, scratch_path(&f->scratch, "out"));
    ts_writer_str(writer, TS_STR("hello "));
    ts_writer_str(writer, pattern(f, 200000));
    assert_int_equal(access(scratch_path(&f->scratch, "out"), F_OK), -1);
    ts_writer_str(writer, TS_STR("world"));
    assert_int_equal(ts_writer_size(writer), 200011);
    assert_int_equal(ts_writer_commit(writer, &f->error), TS_OK);
    struct ts_str got = scratch_get(&f->scratch, "out");
    assert_int_equal(got.len, 200011);
    assert_memory_equal(got.ptr, "hello ", 6);
    assert_memory_equal(got.ptr + 6, pattern(f, 200000).ptr, 200000);
    assert_memory_equal(got.ptr + 200006, "world", 5);
    assert_int_equal(scratch_count(&f->scratch, ""), 1);
}

static void an_existing_file_stays_until_commit_and_is_then_replaced(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_put(&f->scratch, "out", TS_STR("old"));
    int reader = open(path, O_RDONLY | O_CLOEXEC);
    struct ts_writer *writer = begin(f, path);
    ts_writer_str(writer, pattern(f, 100000));
    assert_content(f, "out", TS_STR("old"));
    assert_int_equal(ts_writer_commit(writer, &f->error), TS_OK);
    assert_content(f, "out", pattern(f, 100000));
    assert_int_equal(scratch_count(&f->scratch, ""), 1);
    /* Whoever reads the old one goes on reading the old one. */
    char room[10];
    assert_int_equal(read(reader, room, sizeof room), 3);
    close(reader);
}

static void pieces_of_every_size_come_out_in_order(void **state)
{
    struct fixture *f = *state;
    struct ts_str text = pattern(f, 1000000);
    static const size_t pieces[] = {1, 1000, 65535, 65536, 65537, 1000000};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct ts_writer *writer = begin(f, scratch_path(&f->scratch, "out"));
        for (size_t at = 0; at < text.len; at += pieces[i])
            ts_writer_str(writer, ts_str_sub(text, at, pieces[i]));
        ts_writer_add(writer, NULL, 0);
        assert_int_equal(ts_writer_commit(writer, &f->error), TS_OK);
        assert_content(f, "out", text);
    }
    write_whole(f, scratch_path(&f->scratch, "empty"), TS_STR(""));
    assert_content(f, "empty", TS_STR(""));
}

static void abandoning_leaves_nothing_of_it(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_put(&f->scratch, "out", TS_STR("old"));
    struct ts_writer *writer = begin(f, path);
    ts_writer_str(writer, pattern(f, 100000));
    ts_writer_abandon(writer);
    assert_content(f, "out", TS_STR("old"));
    assert_int_equal(scratch_count(&f->scratch, ""), 1);
    ts_writer_abandon(NULL);
}

static void the_umask_decides_the_mode(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_path(&f->scratch, "out");
    mode_t before = umask(027);
    write_whole(f, path, TS_STR("x"));
    umask(before);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

static void relative_names_are_meant_where_the_writer_was_made(void **state)
{
    struct fixture *f = *state;
    int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(chdir(scratch_path(&f->scratch, "")), 0);
    struct ts_writer *writer = begin(f, "out");
    assert_int_equal(fchdir(before), 0);
    close(before);
    ts_writer_str(writer, TS_STR("x"));
    assert_int_equal(ts_writer_commit(writer, &f->error), TS_OK);
    assert_content(f, "out", TS_STR("x"));
}

/* ---- links ---- */

static void a_link_stays_and_what_it_points_to_is_replaced(void **state)
{
    struct fixture *f = *state;
    struct scratch *s = &f->scratch;
    scratch_folder(s, "a");
    scratch_folder(s, "b");
    scratch_put(s, "b/real", TS_STR("old"));
    scratch_link(s, "a/second", "../b/real");
    const char *first = scratch_link(s, "first", "a/second");
    write_whole(f, first, TS_STR("new"));
    assert_content(f, "b/real", TS_STR("new"));

    const char *absolute = scratch_link(s, "absolute", scratch_path(s, "b/real"));
    write_whole(f, absolute, TS_STR("newer"));
    assert_content(f, "b/real", TS_STR("newer"));

    const char *dangling = scratch_link(s, "dangling", "b/made");
    write_whole(f, dangling, TS_STR("made"));
    assert_content(f, "b/made", TS_STR("made"));

    struct stat info;
    assert_int_equal(lstat(dangling, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat(first, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(scratch_count(s, "b"), 2);
}

/* ---- what cannot be written ---- */

static void assert_cannot_begin(struct fixture *f, const char *path)
{
    struct ts_writer *writer = NULL;
    assert_int_equal(ts_writer_create(&f->context, path, &writer, &f->error), TS_IO);
    assert_null(writer);
    assert_memory_equal(f->error.message, path, strlen(path));
}

static void what_is_no_place_for_a_file_fails_at_once(void **state)
{
    struct fixture *f = *state;
    assert_cannot_begin(f, scratch_path(&f->scratch, "missing/out"));
    assert_cannot_begin(f, scratch_path(&f->scratch, ""));
    assert_cannot_begin(f, scratch_path(&f->scratch, "missing/"));
    assert_cannot_begin(f, scratch_link(&f->scratch, "loop", "loop"));
    scratch_put(&f->scratch, "file", TS_STR(""));
    assert_cannot_begin(f, scratch_path(&f->scratch, "file/out"));
    assert_cannot_begin(f, "");
    assert_cannot_begin(f, "/dev/fd/9999");
    assert_int_equal(scratch_count(&f->scratch, ""), 2);
}

static void a_full_device_is_an_error_at_commit(void **state)
{
    struct fixture *f = *state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    struct ts_writer *writer = begin(f, "/dev/full");
    ts_writer_str(writer, TS_STR("x"));
    assert_int_equal(ts_writer_commit(writer, &f->error), TS_IO);
    assert_string_equal(f->error.message, "/dev/full: cannot write: No space left on device");
    /* Also when it showed long before. */
    writer = begin(f, "/dev/full");
    for (int i = 0; i < 10; i++)
        ts_writer_str(writer, pattern(f, 50000));
    assert_int_equal(ts_writer_commit(writer, NULL), TS_IO);
}

/* 0 when a file that does not fit leaves the old one and nothing else. */
static int run_out_of_room(void *data)
{
    struct fixture *f = data;
    struct rlimit limit = {150000, 150000};
    struct ts_writer *writer;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        ts_writer_create(&f->context, scratch_path(&f->scratch, "out"), &writer, &f->error) != TS_OK)
        return 1;
    for (int i = 0; i < 20; i++)
        ts_writer_str(writer, pattern(f, 10000));
    return ts_writer_commit(writer, &f->error) == TS_IO ? 0 : 2;
}

/* A call that nothing here makes, for children that need no filter. */
enum { NO_CALL = SYS_reboot };

static void a_file_that_does_not_fit_leaves_the_old_one(void **state)
{
    struct fixture *f = *state;
    scratch_put(&f->scratch, "out", TS_STR("old"));
    int result = scratch_without_call(NO_CALL, EPERM, 0, 0, run_out_of_room, f);
    if (result == 77)
        skip();
    assert_int_equal(result, 0);
    assert_content(f, "out", TS_STR("old"));
    assert_int_equal(scratch_count(&f->scratch, ""), 1);
}

static void cancelling_leaves_the_old_file(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_put(&f->scratch, "out", TS_STR("old"));
    struct ts_writer *writer = begin(f, path);
    ts_writer_str(writer, TS_STR("new"));
    atomic_store(&f->context.cancelled, true);
    assert_int_equal(ts_writer_commit(writer, &f->error), TS_CANCELLED);
    assert_int_equal(f->error.code, TS_CANCELLED);
    assert_content(f, "out", TS_STR("old"));
    assert_int_equal(scratch_count(&f->scratch, ""), 1);
}

static int be_killed_while_writing(void *data)
{
    struct fixture *f = data;
    struct ts_writer *writer;
    if (ts_writer_create(&f->context, scratch_path(&f->scratch, "out"), &writer, &f->error) != TS_OK)
        return 1;
    ts_writer_str(writer, pattern(f, 100000));
    kill(getpid(), SIGKILL);
    return 2;
}

static void a_killed_program_leaves_the_old_file_and_no_litter(void **state)
{
    struct fixture *f = *state;
    int probe = open(scratch_path(&f->scratch, ""), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    if (probe < 0)
        skip(); /* a file system without nameless files */
    close(probe);
    scratch_put(&f->scratch, "out", TS_STR("old"));
    assert_int_equal(scratch_without_call(NO_CALL, EPERM, 0, 0, be_killed_while_writing, f), 99);
    assert_content(f, "out", TS_STR("old"));
    assert_int_equal(scratch_count(&f->scratch, ""), 1);
}

/* ---- file systems without O_TMPFILE ---- */

/* 0 when writing by a name beside the target works, replaces, and cleans up. */
static int write_by_name(void *data)
{
    struct fixture *f = data;
    struct scratch *s = &f->scratch;
    struct ts_writer *writer;
    for (int i = 0; i < 2; i++) {
        if (ts_writer_create(&f->context, scratch_path(s, "out"), &writer, &f->error) != TS_OK)
            return 1;
        /* It has a name, so this is the other way of writing. */
        if (scratch_count(s, "") != (size_t)i + 1)
            return 2;
        ts_writer_str(writer, i ? TS_STR("second") : TS_STR("first"));
        if (ts_writer_commit(writer, &f->error) != TS_OK || scratch_count(s, "") != 1)
            return 3;
    }
    if (!ts_str_is(scratch_get(s, "out"), "second"))
        return 4;
    if (ts_writer_create(&f->context, scratch_path(s, "out"), &writer, &f->error) != TS_OK)
        return 5;
    ts_writer_str(writer, TS_STR("third"));
    ts_writer_abandon(writer);
    struct stat info;
    if (stat(scratch_path(s, "out"), &info) != 0 || (info.st_mode & 0777) != 0640)
        return 6;
    return scratch_count(s, "") == 1 && ts_str_is(scratch_get(s, "out"), "second") ? run_out_of_room(data) : 7;
}

static void without_nameless_files_a_name_beside_the_target_is_used(void **state)
{
    struct fixture *f = *state;
    mode_t before = umask(027);
    int result = scratch_without_call(SYS_openat, EOPNOTSUPP, 2, O_TMPFILE & ~(unsigned)O_DIRECTORY, write_by_name, f);
    umask(before);
    if (result == 77)
        skip();
    assert_int_equal(result, 0);
    assert_content(f, "out", TS_STR("second"));
    assert_int_equal(scratch_count(&f->scratch, ""), 1);
}

/* ---- what is not a file ---- */

/* A child that reads fd slowly to its end; its exit status is 0 when it read `expected`. */
static pid_t read_slowly(int fd, int close_too, struct ts_str expected)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    if (close_too >= 0)
        close(close_too);
    size_t at = 0;
    char room[5000];
    ssize_t count;
    while ((count = read(fd, room, sizeof room)) > 0) {
        if ((size_t)count > expected.len - at || memcmp(room, expected.ptr + at, (size_t)count) != 0)
            _exit(1);
        at += (size_t)count;
        usleep(100);
    }
    _exit(at == expected.len ? 0 : 2);
}

static void assert_child_content(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void a_named_pipe_is_written_through(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_path(&f->scratch, "fifo");
    assert_int_equal(mkfifo(path, 0666), 0);
    int keep = open(path, O_RDWR | O_CLOEXEC);
    pid_t child = read_slowly(open(path, O_RDONLY | O_CLOEXEC), keep, pattern(f, 300000));
    write_whole(f, path, pattern(f, 300000));
    close(keep);
    assert_child_content(child);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
}

static void a_descriptor_that_does_not_block_is_waited_for(void **state)
{
    struct fixture *f = *state;
    int ends[2];
    char path[64];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    pid_t child = read_slowly(ends[0], ends[1], pattern(f, 500000));
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    write_whole(f, path, pattern(f, 500000));
    /* The descriptor is the caller's still. */
    assert_int_equal(close(ends[1]), 0);
    close(ends[0]);
    assert_child_content(child);
}

static void a_descriptor_of_a_file_goes_on_where_it_stands(void **state)
{
    struct fixture *f = *state;
    char path[64];
    int fd = open(scratch_path(&f->scratch, "out"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    assert_int_equal(write(fd, "before ", 7), 7);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    write_whole(f, path, TS_STR("after"));
    close(fd);
    assert_content(f, "out", TS_STR("before after"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_file_appears_at_commit_and_not_before),
        TEST(an_existing_file_stays_until_commit_and_is_then_replaced),
        TEST(pieces_of_every_size_come_out_in_order),
        TEST(abandoning_leaves_nothing_of_it),
        TEST(the_umask_decides_the_mode),
        TEST(relative_names_are_meant_where_the_writer_was_made),
        TEST(a_link_stays_and_what_it_points_to_is_replaced),
        TEST(what_is_no_place_for_a_file_fails_at_once),
        TEST(a_full_device_is_an_error_at_commit),
        TEST(a_file_that_does_not_fit_leaves_the_old_one),
        TEST(cancelling_leaves_the_old_file),
        TEST(a_killed_program_leaves_the_old_file_and_no_litter),
        TEST(without_nameless_files_a_name_beside_the_target_is_used),
        TEST(a_named_pipe_is_written_through),
        TEST(a_descriptor_that_does_not_block_is_waited_for),
        TEST(a_descriptor_of_a_file_goes_on_where_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
