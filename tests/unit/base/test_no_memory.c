/* What of base touches files, JSON, threads and kept parts, with every allocation made to fail, once and for good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <unistd.h>

#include "base/json.h"
#include "base/parts.h"
#include "base/thread.h"
#include "support/interpose_malloc.c"
#include "support/scratch.h"

/* The sanitizers cannot start a thread without memory. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

static struct scratch scratch;
static struct ts_context context;
/* Made beforehand: only the library's own allocations shall fail. */
static const char *folder, *linked, *missing, *missing_resolved, *plain, *gzip, *zstd, *out;
static struct ts_roots *roots;

static int set_up(void **state)
{
    (void)state;
    static const unsigned char packed[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    ts_context_init(&context);
    scratch_create(&scratch);
    folder = scratch_path(&scratch, "");
    plain = scratch_put(&scratch, "plain", TS_STR("some text"));
    gzip = scratch_put(&scratch, "empty.gz", (struct ts_str){(const char *)packed, sizeof packed});
    zstd = scratch_put(&scratch, "a.zst", TS_STR("\x28\xb5\x2f\xfd\x04\x58\x09\x00\x00\x61\x5b\x6e\x8c\xa9"));
    linked = scratch_link(&scratch, "link", "plain");
    missing = scratch_path(&scratch, "alias/no/../such/file");
    scratch_link(&scratch, "alias", ".");
    missing_resolved = scratch_path(&scratch, "such/file");
    out = scratch_path(&scratch, "out");
    const char *paths[] = {folder, NULL};
    return ts_roots_create(paths, &roots, NULL) == TS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ts_roots_destroy(roots);
    scratch_destroy(&scratch);
    return 0;
}

/* ---- what may fail ---- */

static enum ts_status make_roots(struct ts_error *error)
{
    const char *paths[] = {folder, "/", NULL};
    struct ts_roots *made = NULL;
    enum ts_status status = ts_roots_create(paths, &made, error);
    ts_roots_destroy(made);
    return status;
}

static enum ts_status open_file(struct ts_error *error)
{
    int fd;
    struct ts_identity identity;
    enum ts_status status = ts_file_open(&context, linked, &fd, &identity, error);
    if (status == TS_OK)
        close(fd);
    return status;
}

static enum ts_status open_file_in_root(struct ts_error *error)
{
    context.roots = roots;
    enum ts_status status = open_file(error);
    context.roots = NULL;
    return status;
}

static enum ts_status identify_missing(struct ts_error *error)
{
    struct ts_identity identity;
    bool found = false;
    context.roots = roots;
    enum ts_status status = ts_file_identity(&context, missing, &identity, &found, error);
    context.roots = NULL;
    assert_false(found);
    return status;
}

static enum ts_status resolve_missing(struct ts_error *error)
{
    char *resolved = NULL;
    enum ts_path_kind kind;
    enum ts_status status = ts_path_resolve(&context, missing, &resolved, &kind, error);
    if (status == TS_OK)
        assert_string_equal(resolved, missing_resolved);
    else
        assert_null(resolved);
    free(resolved);
    return status;
}

static enum ts_status resolve_relative(struct ts_error *error)
{
    char *resolved = NULL, here[PATH_MAX];
    enum ts_path_kind kind;
    enum ts_status status = ts_path_resolve(&context, "no/such/file", &resolved, &kind, error);
    if (status == TS_OK) {
        assert_non_null(getcwd(here, sizeof here));
        assert_memory_equal(resolved, here, strlen(here));
        assert_string_equal(resolved + strlen(here), "/no/such/file");
    }
    free(resolved);
    return status;
}

static enum ts_status count_name(void *data, const char *name, struct ts_error *error)
{
    (void)name, (void)error;
    ++*(unsigned *)data;
    return TS_OK;
}

static enum ts_status list_folder(struct ts_error *error)
{
    unsigned names = 0;
    enum ts_status status = ts_directory_list(&context, folder, count_name, &names, error);
    assert_int_equal(status == TS_OK, names >= 5);
    return status;
}

static enum ts_status read_all(const char *path, size_t expected, struct ts_error *error)
{
    struct ts_reader *reader;
    char room[64];
    size_t got = 1, total = 0;
    enum ts_status status = ts_reader_open(&context, path, &reader, error);
    if (status != TS_OK)
        return status;
    while (status == TS_OK && got > 0) {
        status = ts_reader_read(reader, room, sizeof room, &got, error);
        total += status == TS_OK ? got : 0;
    }
    ts_reader_close(reader);
    if (status == TS_OK)
        assert_int_equal(total, expected);
    return status;
}

static enum ts_status read_plain(struct ts_error *error)
{
    return read_all(plain, 9, error);
}

static enum ts_status read_gzip(struct ts_error *error)
{
    return read_all(gzip, 0, error);
}

static enum ts_status read_zstd(struct ts_error *error)
{
    return read_all(zstd, 1, error);
}

static enum ts_status write_file(struct ts_error *error)
{
    struct ts_writer *writer;
    enum ts_status status = ts_writer_create(&context, out, &writer, error);
    if (status != TS_OK)
        return status;
    ts_writer_str(writer, TS_STR("text"));
    status = ts_writer_commit(writer, error);
    if (status == TS_OK)
        assert_int_equal(access(out, F_OK), 0);
    return status;
}

static enum ts_status parse_json(struct ts_error *error)
{
    yyjson_doc *doc = NULL;
    enum ts_status status = ts_json_parse(TS_STR("{\"a\":[1,2.5,\"x\"]}"), 64, false, &doc, error);
    yyjson_doc_free(doc);
    return status;
}

static enum ts_status count_index(void *data, size_t index, struct ts_error *error)
{
    (void)index, (void)error;
    atomic_fetch_add((atomic_uint *)data, 1);
    return TS_OK;
}

__attribute__((unused)) static enum ts_status run_threads(struct ts_error *error)
{
    atomic_uint count = 0;
    context.threads = 3;
    enum ts_status status = ts_parallel(&context, 10, count_index, &count, error);
    context.threads = 1;
    assert_int_equal(count, status == TS_OK ? 10 : 0);
    return status;
}

static void destroy_part(struct ts_part *part)
{
    free(part);
}

static enum ts_status make_part(struct ts_context *unused, void *data, struct ts_part **part, struct ts_error *error)
{
    (void)unused;
    *part = calloc(1, sizeof **part);
    if (!*part)
        return ts_error_no_memory(error);
    (*part)->identity = *(const struct ts_identity *)data;
    return TS_OK;
}

static enum ts_status acquire_parts(struct ts_error *error)
{
    static const struct ts_part_type type = {"part", TS_PART_KEEP, destroy_part};
    static struct ts_identity now = {.size = 1};
    struct ts_part_request request = {.type = &type, .options = "x", .now = now, .make = make_part, .data = &now};
    struct ts_pins pins = {0};
    struct ts_parts *parts = NULL;
    struct ts_part *part;
    enum ts_status status = ts_parts_create(100, &parts, error);
    if (status != TS_OK)
        return status;
    for (int i = 0; i < 2 && status == TS_OK; i++)
        status = ts_parts_acquire(&context, parts, &pins, &request, &part, error);
    ts_pins_free(&pins, parts);
    ts_parts_destroy(parts);
    return status;
}

/* ---- all of it ---- */

typedef enum ts_status scenario(struct ts_error *error);

/* Fewest allocations each makes, so that a scenario that stopped reaching them is noticed. (Sanitizers hide strdup.) */
static const struct {
    const char *name;
    scenario *run;
    long fewest;
} SCENARIOS[] = {
    {"make_roots", make_roots, 1},
    {"open_file", open_file, 0},
    {"open_file_in_root", open_file_in_root, 0},
    {"identify_missing", identify_missing, 1},
    {"resolve_missing", resolve_missing, 1},
    {"resolve_relative", resolve_relative, 3},
    {"list_folder", list_folder, 3},
    {"read_plain", read_plain, 1},
    {"read_gzip", read_gzip, 3},
    {"read_zstd", read_zstd, 3},
    {"write_file", write_file, 1},
    {"parse_json", parse_json, 2},
#ifndef SANITIZED
    {"run_threads", run_threads, 1},
#endif
    {"acquire_parts", acquire_parts, 4},
};

static void run_failing(const char *name, scenario *run, bool once, long fewest)
{
    bool failed = true;
    for (long good = 0; failed; good++) {
        struct ts_error error = {0};
        if (once)
            interpose_fail_once(good);
        else
            interpose_fail_from(good);
        enum ts_status status = run(&error);
        failed = interpose_stop();
        /* With less memory than was asked for some get by; that they then did all they should they look at themselves. */
        if (status != TS_OK && !(failed && status == TS_NO_MEMORY))
            fail_msg("%s, allocation %ld: status %d, %s", name, good, (int)status, error.message);
        if (status != TS_OK)
            assert_int_equal(error.code, TS_NO_MEMORY);
        if (!failed && good < fewest)
            fail_msg("%s makes %ld allocations only", name, good);
        assert_true(good < 200);
    }
}

static void every_allocation_that_fails_once_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SCENARIOS / sizeof SCENARIOS[0]; i++)
        run_failing(SCENARIOS[i].name, SCENARIOS[i].run, true, SCENARIOS[i].fewest);
    assert_int_equal(scratch_count(&scratch, ""), 6);
}

static void memory_that_stays_out_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SCENARIOS / sizeof SCENARIOS[0]; i++)
        run_failing(SCENARIOS[i].name, SCENARIOS[i].run, false, SCENARIOS[i].fewest);
    assert_int_equal(scratch_count(&scratch, ""), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_that_fails_once_is_reported),
        cmocka_unit_test(memory_that_stays_out_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
