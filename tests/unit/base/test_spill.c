/* Bytes that do not fit in memory: they come back as they were, and no file is left behind. */
#include "base/spill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "support/scratch.h"

enum { MEMORY = 10000, ALL = 123457, STEP = 777 };

static unsigned char byte_of(size_t at)
{
    return (unsigned char)(at * 2654435761u >> 13);
}

/* Add bytes of the pattern in pieces until there are `all`. */
static enum ts_status add(struct ts_spill *spill, size_t all, struct ts_error *error)
{
    unsigned char piece[STEP];
    enum ts_status status = TS_OK;
    for (size_t at = (size_t)ts_spill_size(spill); status == TS_OK && at < all; at = (size_t)ts_spill_size(spill)) {
        size_t len = all - at < STEP ? all - at : STEP;
        for (size_t i = 0; i < len; i++)
            piece[i] = byte_of(at + i);
        status = ts_spill_add(spill, piece, len, error);
    }
    return status;
}

static void check(const struct ts_spill *spill, size_t offset, size_t len)
{
    unsigned char *bytes = malloc(len + 1);
    assert_non_null(bytes);
    assert_int_equal(ts_spill_read(spill, offset, bytes, len, NULL), TS_OK);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(bytes[i], byte_of(offset + i));
    free(bytes);
}

static void test_memory_alone(void **state)
{
    struct ts_spill spill;
    (void)state;
    ts_spill_init(&spill, "/nonexistent", MEMORY);
    assert_int_equal(add(&spill, MEMORY, NULL), TS_OK);
    assert_int_equal(ts_spill_size(&spill), MEMORY);
    check(&spill, 0, MEMORY);
    check(&spill, MEMORY - 1, 1);
    check(&spill, MEMORY, 0);
    ts_spill_free(&spill);
}

static void test_file(void **state)
{
    struct ts_spill spill;
    struct scratch scratch;
    (void)state;
    scratch_create(&scratch);
    ts_spill_init(&spill, scratch.folder, MEMORY);
    assert_int_equal(add(&spill, ALL, NULL), TS_OK);
    assert_int_equal(ts_spill_size(&spill), ALL);
    assert_true(spill.capacity <= MEMORY && spill.written > 0 && spill.used > 0);
    assert_int_equal(scratch_count(&scratch, ""), 0);
    for (size_t at = 0; at < ALL; at += 5000)
        check(&spill, at, ALL - at < 9000 ? ALL - at : 9000);
    check(&spill, (size_t)spill.written - 3, 6); /* in both */
    check(&spill, 0, ALL);
    /* Reading and adding may alternate. */
    assert_int_equal(add(&spill, ALL + 50000, NULL), TS_OK);
    check(&spill, 0, ALL + 50000);
    ts_spill_free(&spill);
    assert_int_equal(scratch_count(&scratch, ""), 0);
    scratch_destroy(&scratch);
}

/* Where files without a name are not to be had. */
static int with_a_name(void *data)
{
    struct ts_spill spill;
    ts_spill_init(&spill, data, MEMORY);
    bool good = add(&spill, ALL, NULL) == TS_OK;
    check(&spill, 0, ALL);
    ts_spill_free(&spill);
    return !good;
}

static void test_named(void **state)
{
    struct scratch scratch;
    (void)state;
    scratch_create(&scratch);
    int result = scratch_without_call(SYS_openat, EOPNOTSUPP, 2, O_TMPFILE & ~(unsigned)O_DIRECTORY, with_a_name,
                                      scratch.folder);
    size_t left = scratch_count(&scratch, "");
    scratch_destroy(&scratch);
    if (result == 77)
        skip();
    assert_int_equal(result, 0);
    assert_int_equal(left, 0);
}

static void test_no_folder(void **state)
{
    struct ts_spill spill;
    struct ts_error error = {0};
    (void)state;
    ts_spill_init(&spill, "/nonexistent", MEMORY);
    assert_int_equal(add(&spill, ALL, &error), TS_IO);
    assert_non_null(strstr(error.message, "/nonexistent"));
    ts_spill_free(&spill);
}

static void test_full(void **state)
{
    struct ts_spill spill;
    struct ts_error error = {0};
    struct scratch scratch;
    struct rlimit old, small;
    (void)state;
    scratch_create(&scratch);
    ts_spill_init(&spill, scratch.folder, MEMORY);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 3 * MEMORY;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum ts_status status = add(&spill, ALL, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, TS_IO);
    assert_non_null(strstr(error.message, scratch.folder));
    ts_spill_free(&spill);
    assert_int_equal(scratch_count(&scratch, ""), 0);
    scratch_destroy(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_alone), cmocka_unit_test(test_file),
                                       cmocka_unit_test(test_named), cmocka_unit_test(test_no_folder),
                                       cmocka_unit_test(test_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
