#include "formats/ops_csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "support/scratch.h"

static struct scratch scratch;

static int set_up(void **state)
{
    (void)state;
    scratch_create(&scratch);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_destroy(&scratch);
    return 0;
}

static struct ts_ops_csv *read_path(const char *path, struct ts_ops_problem *problem, struct ts_identity *identity)
{
    struct ts_context context;
    struct ts_ops_csv *ops;
    struct ts_error error;
    ts_context_init(&context);
    if (ts_ops_csv_read(&context, path, &ops, problem, identity, &error) != TS_OK)
        fail_msg("%s", error.message);
    return ops;
}

static void expect_problem(const char *path, const char *message)
{
    struct ts_ops_problem problem;
    assert_null(read_path(path, &problem, NULL));
    assert_true(problem.unusable);
    if (strncmp(problem.message, message, strlen(message)) != 0)
        fail_msg("expected \"%s\", found \"%s\"", message, problem.message);
    /* The caller knows which file it is. */
    assert_null(strstr(problem.message, scratch.folder));
}

static void expect_equal(const struct ts_ops_csv *a, const struct ts_ops_csv *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->generation, b->generation);
    for (unsigned column = 0; column < TS_OPS_COLUMN_COUNT; column++) {
        for (uint32_t row = 0; row < a->rows; row++) {
            assert_true(ts_str_equal(ts_ops_text(a, column, row), ts_ops_text(b, column, row)));
            double x = ts_ops_number(a, column, row), y = ts_ops_number(b, column, row);
            assert_true(x == y || (x != x && y != y));
        }
    }
}

static const char *put_gzip(const char *name, struct ts_str text)
{
    const char *path = scratch_path(&scratch, name);
    gzFile file = gzopen(path, "wb");
    assert_int_equal(gzwrite(file, text.ptr, (unsigned)text.len), (int)text.len);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

static const char *put_zstd(const char *name, struct ts_str text)
{
    size_t room = ZSTD_compressBound(text.len);
    char *packed = malloc(room);
    size_t len = ZSTD_compress(packed, room, text.ptr, text.len, 1);
    assert_false(ZSTD_isError(len));
    const char *path = scratch_put(&scratch, name, (struct ts_str){packed, len});
    free(packed);
    return path;
}

static void test_packings_are_equal(void **state)
{
    (void)state;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES,CORE COUNT\r\n");
    for (unsigned i = 0; i < 20000; i++)
        ts_buf_printf(&text, "\"Mat\"\"mul %u\",t,%u,in0_block_w=%u program_config,%u\r\n", i % 7, i % 3, i % 5, i);
    struct ts_ops_problem problem;
    struct ts_identity identity = {0};
    const char *path = scratch_put(&scratch, "ops.csv", ts_buf_view(&text));
    struct ts_ops_csv *plain = read_path(path, &problem, &identity);
    struct ts_ops_csv *gzip = read_path(put_gzip("ops.csv.gz", ts_buf_view(&text)), &problem, NULL);
    struct ts_ops_csv *zstd = read_path(put_zstd("ops.csv.zst", ts_buf_view(&text)), &problem, NULL);
    assert_true(plain && gzip && zstd);
    assert_int_equal(plain->rows, 20000);
    assert_int_equal(plain->bytes, text.len);
    expect_equal(plain, gzip);
    expect_equal(plain, zstd);
    assert_int_equal(identity.size, text.len);
    assert_true(ts_identity_equal(&plain->identity, &identity));
    assert_false(ts_identity_equal(&plain->identity, &gzip->identity));
    ts_ops_csv_destroy(plain);
    ts_ops_csv_destroy(gzip);
    ts_ops_csv_destroy(zstd);
    ts_buf_free(&text);
}

static void test_unreadable_files(void **state)
{
    (void)state;
    expect_problem(scratch_path(&scratch, "none.csv"), "unreadable: no such file");
    expect_problem(scratch_folder(&scratch, "folder.csv"), "unreadable: expected a regular file, found a directory");
    expect_problem(scratch_put(&scratch, "bad.csv.gz", TS_STR("OP CODE,OP TYPE\n")), "unreadable: ");
    const char *path = put_gzip("cut.csv.gz", TS_STR("OP CODE,OP TYPE,DEVICE ID\na,b,0\n"));
    assert_int_equal(truncate(path, 30), 0);
    expect_problem(path, "unreadable: ");
    path = scratch_put(&scratch, "closed.csv", TS_STR("OP CODE"));
    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) != 0)
        expect_problem(path, "unreadable: cannot open: Permission denied");
}

static void test_problems_come_with_the_identity(void **state)
{
    (void)state;
    struct ts_ops_problem problem;
    struct ts_identity identity = {0};
    assert_null(read_path(scratch_put(&scratch, "few.csv", TS_STR("OP CODE\nx\n")), &problem, &identity));
    assert_string_equal(problem.message, "missing columns: DEVICE ID, OP TYPE");
    assert_int_equal(identity.size, 10);
}

/* ---- a file that is written to while it is read ---- */

static uint64_t ever_later(void)
{
    static uint64_t now;
    return now += 1000000000;
}

struct growing {
    const char *path;
    bool written;
};

static void write_more(void *data, uint64_t done, uint64_t total, const char *message)
{
    (void)done;
    (void)total;
    (void)message;
    struct growing *growing = data;
    if (growing->written)
        return;
    growing->written = true;
    FILE *file = fopen(growing->path, "ab");
    assert_non_null(file);
    fputs("more", file);
    fclose(file);
}

static void test_a_growing_file_has_changed(void **state)
{
    (void)state;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "OP CODE,OP TYPE,DEVICE ID\n");
    while (text.len < 1000000)
        ts_buf_text(&text, "a,b,0\n");
    const char *path = scratch_put(&scratch, "growing.csv", ts_buf_view(&text));
    struct growing growing = {.path = path};
    struct ts_context context;
    struct ts_ops_csv *ops = NULL;
    struct ts_ops_problem problem;
    struct ts_error error = {0};
    ts_context_init(&context);
    context.now_ns = ever_later;
    context.progress = write_more;
    context.progress_data = &growing;
    assert_int_equal(ts_ops_csv_read(&context, path, &ops, &problem, NULL, &error), TS_CHANGED);
    assert_int_equal(error.code, TS_CHANGED);
    assert_null(ops);
    assert_true(growing.written);
    ts_buf_free(&text);
}

/* ---- captures of real tools, where they are ---- */

static const char *shared_path(const char *name)
{
    const char *folder = getenv("TILESIGHT_SHARED");
    const char *path = folder ? ts_arena_printf(&scratch.arena, "%s/%s", folder, name).ptr : NULL;
    if (!path || access(path, R_OK) != 0)
        skip();
    return path;
}

static double sum_of(const struct ts_ops_csv *ops, enum ts_ops_column column)
{
    double sum = 0;
    for (uint32_t row = 0; row < ops->rows; row++) {
        double value = ts_ops_number(ops, column, row);
        sum += value == value ? value : 0;
    }
    return sum;
}

static void test_real_captures(void **state)
{
    (void)state;
    /* Counted with another CSV reader. */
    static const struct {
        const char *name;
        uint32_t rows;
        enum ts_ops_generation generation;
        double kernel_time, width;
        unsigned codes, signposts;
    } cases[] = {
        {"data/perf/bh20_oft.csv.gz", 1621, TS_OPS_GENERATION_2_1, 197010388, 1253292, 76, 50},
        {"data/perf/bh_64_clip_encoder_1.csv.gz", 660, TS_OPS_GENERATION_2_1, 7342805, 484608, 10, 0},
        {"data/perf/ops_perf_results_2025_09_18_11_39_20.csv.gz", 671, TS_OPS_GENERATION_2, 999206798, 182206, 41, 50},
        {"data/perf/wh_clip_encoder_2.csv.gz", 1872, TS_OPS_GENERATION_2_1, 63218148, 2516992, 10, 0},
        {"data/perf/golden-more/four_devices.csv.gz", 975, TS_OPS_GENERATION_2_1, 36531104, 1289216, 14, 9},
        {"data/real/ops-csv/seg_encoder_2025_02_16.csv", 1179, TS_OPS_GENERATION_1, 5182351, 77568, 20, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ts_ops_problem problem;
        struct ts_ops_csv *ops = read_path(shared_path(cases[i].name), &problem, NULL);
        assert_non_null(ops);
        assert_int_equal(ops->rows, cases[i].rows);
        assert_int_equal(ops->generation, cases[i].generation);
        assert_true(sum_of(ops, TS_OPS_KERNEL_DURATION) == cases[i].kernel_time);
        assert_true(sum_of(ops, TS_OPS_OUTPUT_0_X) == cases[i].width);
        unsigned signposts = 0, codes = 0;
        bool *seen = calloc(ops->text.count, sizeof *seen);
        for (uint32_t row = 0; row < ops->rows; row++) {
            signposts += ts_str_is(ts_ops_text(ops, TS_OPS_OP_TYPE, row), "signpost");
            bool *code = &seen[ops->texts[TS_OPS_OP_CODE][row]];
            codes += !*code;
            *code = true;
        }
        assert_int_equal(signposts, cases[i].signposts);
        assert_int_equal(codes, cases[i].codes);
        free(seen);
        ts_ops_csv_destroy(ops);
    }
}

static void test_real_device_only_capture(void **state)
{
    (void)state;
    struct ts_ops_problem problem;
    assert_null(read_path(shared_path("data/real/ops-csv/device_only_n300_slice.csv"), &problem, NULL));
    assert_non_null(strstr(problem.message, "missing columns: DEVICE ID, OP CODE, OP TYPE; this is a device-only"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packings_are_equal),
        cmocka_unit_test(test_unreadable_files),
        cmocka_unit_test(test_problems_come_with_the_identity),
        cmocka_unit_test(test_a_growing_file_has_changed),
        cmocka_unit_test(test_real_captures),
        cmocka_unit_test(test_real_device_only_capture),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
