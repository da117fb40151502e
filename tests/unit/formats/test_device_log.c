#include "formats/device_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "support/scratch.h"

static struct scratch scratch;
static struct ts_arena arena;

static int set_up(void **state)
{
    (void)state;
    scratch_create(&scratch);
    ts_arena_init(&arena, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ts_arena_free(&arena);
    scratch_destroy(&scratch);
    return 0;
}

static enum ts_status read_head(const char *path, struct ts_device_log_head *head, struct ts_error *error)
{
    struct ts_context context;
    ts_context_init(&context);
    return ts_device_log_head_read(&context, path, &arena, head, error);
}

static struct ts_device_log_head head_of(struct ts_str text)
{
    struct ts_device_log_head head;
    assert_int_equal(read_head(scratch_put(&scratch, "profile_log_device.csv", text), &head, NULL), TS_OK);
    return head;
}

static void expect_pair(const struct ts_device_log_head *head, size_t at, const char *key, const char *value)
{
    assert_true(at < head->pair_count);
    assert_true(ts_str_is(head->pairs[at].key, key));
    assert_true(ts_str_is(head->pairs[at].value, value));
}

static void test_usual_line(void **state)
{
    (void)state;
    struct ts_device_log_head head =
        head_of(TS_STR("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\nPCIe slot, core_x\n"));
    assert_int_equal(head.pair_count, 3);
    expect_pair(&head, 0, "ARCH", "wormhole_b0");
    expect_pair(&head, 1, "CHIP_FREQ[MHz]", "1000");
    expect_pair(&head, 2, "Max Compute Cores", "64");
    assert_true(ts_str_is(head.arch, "wormhole_b0"));
    assert_true(head.clock_mhz == 1000);
    assert_int_equal(head.max_cores, 64);
}

static void test_older_and_odd_lines(void **state)
{
    (void)state;
    struct ts_device_log_head head = head_of(TS_STR("ARCH: grayskull, CHIP_FREQ[MHz]: 1202.5\r\n"));
    assert_int_equal(head.pair_count, 2);
    assert_true(head.clock_mhz == 1202.5);
    assert_int_equal(head.max_cores, -1);

    head = head_of(TS_STR("\xef\xbb\xbf"
                          "ARCH:a:b,,no colon, ARCH : second ,CHIP_FREQ[MHz]: fast,Max Compute Cores:0"));
    assert_int_equal(head.pair_count, 3);
    expect_pair(&head, 0, "ARCH", "second");
    expect_pair(&head, 1, "CHIP_FREQ[MHz]", "fast");
    assert_true(ts_str_is(head.arch, "second"));
    assert_true(isnan(head.clock_mhz));
    assert_int_equal(head.max_cores, 0);

    head = head_of(TS_STR("ARCH: , Max Compute Cores: 130x"));
    assert_non_null(head.arch.ptr);
    assert_int_equal(head.arch.len, 0);
    assert_true(isnan(head.clock_mhz));
    assert_int_equal(head.max_cores, 130);

    assert_int_equal(head_of(TS_STR("Max Compute Cores: many")).max_cores, -1);
    assert_int_equal(head_of(TS_STR("Max Compute Cores: 99999999999999999999")).max_cores, -1);
    assert_int_equal(head_of(TS_STR("x\nMax Compute Cores: 5")).max_cores, -1);
    assert_int_equal(head_of(TS_STR("ARCH: a\rMax Compute Cores: 5")).max_cores, -1);
}

static void test_no_metadata(void **state)
{
    (void)state;
    static const char *const texts[] = {"PCIe slot, core_x, time[cycles since reset]: x\n", "core_x, PCIe slot ", "",
                                        "\nARCH: a", "no colon at all"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct ts_device_log_head head = head_of(ts_str_from(texts[i]));
        assert_int_equal(head.pair_count, 0);
        assert_null(head.arch.ptr);
        assert_true(isnan(head.clock_mhz));
        assert_int_equal(head.max_cores, -1);
    }
}

static void test_bad_utf8_is_replaced(void **state)
{
    (void)state;
    struct ts_device_log_head head = head_of(TS_STR("ARCH: \xff!, k\0y: v\n"));
    expect_pair(&head, 0, "ARCH", "\xef\xbf\xbd!");
    assert_true(ts_str_equal(head.pairs[1].key, TS_STR("k\0y")));
}

static void test_many_pairs(void **state)
{
    (void)state;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    while (text.len < TS_LIMIT_LOG_HEADER - 20)
        ts_buf_printf(&text, "%zx:%zu,", text.len % 1000, text.len);
    struct ts_device_log_head head = head_of(ts_buf_view(&text));
    assert_true(head.pair_count > 500 && head.pair_count <= 1000);
    for (size_t i = 1; i < head.pair_count; i++)
        assert_false(ts_str_equal(head.pairs[0].key, head.pairs[i].key));
    ts_buf_free(&text);
}

static void test_limit(void **state)
{
    (void)state;
    struct ts_device_log_head head = {.max_cores = 42};
    struct ts_error error = {0};
    char *text = malloc(TS_LIMIT_LOG_HEADER + 2);
    memset(text, 'x', TS_LIMIT_LOG_HEADER + 1);
    const char *path = scratch_put(&scratch, "log.csv", (struct ts_str){text, TS_LIMIT_LOG_HEADER + 1});
    assert_int_equal(read_head(path, &head, &error), TS_LIMIT);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(head.max_cores, 42);
    text[TS_LIMIT_LOG_HEADER] = '\n';
    text[TS_LIMIT_LOG_HEADER + 1] = 'y';
    path = scratch_put(&scratch, "log.csv", (struct ts_str){text, TS_LIMIT_LOG_HEADER + 2});
    assert_int_equal(read_head(path, &head, &error), TS_OK);
    assert_int_equal(head.max_cores, -1);
    free(text);
}

static void test_compressed_and_missing(void **state)
{
    (void)state;
    const char *path = scratch_path(&scratch, "log.csv.gz");
    gzFile file = gzopen(path, "wb");
    assert_true(gzputs(file, "ARCH: blackhole, CHIP_FREQ[MHz]: 1350\nx\n") > 0);
    gzclose(file);
    struct ts_device_log_head head;
    struct ts_error error = {0};
    assert_int_equal(read_head(path, &head, NULL), TS_OK);
    assert_true(ts_str_is(head.arch, "blackhole"));
    assert_int_equal(read_head(scratch_path(&scratch, "none.csv"), &head, &error), TS_INPUT);
    assert_non_null(strstr(error.message, "none.csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual_line),
        cmocka_unit_test(test_older_and_odd_lines),
        cmocka_unit_test(test_no_metadata),
        cmocka_unit_test(test_bad_utf8_is_replaced),
        cmocka_unit_test(test_many_pairs),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_compressed_and_missing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
