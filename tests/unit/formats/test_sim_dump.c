#include "formats/sim_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/scratch.h"

struct seen {
    struct ts_sim_block blocks[16];
    size_t count;
};

static void add_block(struct ts_buf *out, uint64_t size, unsigned type, unsigned padding, const char *body, size_t len)
{
    for (unsigned i = 0; i < 8; i++)
        ts_buf_char(out, (char)(size >> (8 * i)));
    char rest[4] = {(char)type, (char)padding, 0x5a, 0x5a};
    ts_buf_add(out, rest, 4);
    ts_buf_add(out, body, len);
}

static void add_source(struct ts_buf *out, const char *text, bool path_counted)
{
    char path[TS_SIM_SOURCE_PATH] = "/k.cpp";
    size_t len = strlen(text), padding = (4 - len % 4) % 4;
    add_block(out, len + padding + (path_counted ? sizeof path : 0), TS_SIM_SOURCE, (unsigned)padding, path,
              sizeof path);
    ts_buf_text(out, text);
    ts_buf_add(out, "\0\0\0", padding);
}

static enum ts_status note(void *data, const struct ts_sim_block *block, struct ts_error *error)
{
    struct seen *seen = data;
    (void)error;
    assert_true(seen->count < 16);
    seen->blocks[seen->count++] = *block;
    return TS_OK;
}

static enum ts_status walk(const struct ts_buf *bytes, struct seen *seen, struct ts_error *error)
{
    struct ts_context context;
    struct ts_sim_dump *dump = NULL;
    ts_context_init(&context);
    seen->count = 0;
    assert_int_equal(ts_sim_dump_open_memory("dump", ts_buf_view(bytes), &dump, error), TS_OK);
    enum ts_status status = ts_sim_dump_walk(&context, dump, note, seen, error);
    ts_sim_dump_close(dump);
    return status;
}

static void test_blocks(void **state)
{
    (void)state;
    struct ts_buf bytes;
    struct seen seen;
    ts_buf_init(&bytes, 0);
    add_block(&bytes, 4, TS_SIM_TRACE, 2, "{}\0\0", 4);
    add_block(&bytes, 0, 200, 0, "", 0);
    add_block(&bytes, 4, TS_SIM_TRACE, 0, "abcd", 4);
    add_block(&bytes, 3, TS_SIM_API_INSTR, 3, "\0\0\0", 3);
    ts_buf_text(&bytes, "left over..");
    assert_int_equal(walk(&bytes, &seen, NULL), TS_OK);
    assert_int_equal(seen.count, 4);
    assert_int_equal(seen.blocks[0].offset, 12);
    assert_int_equal(seen.blocks[0].size, 2);
    assert_int_equal(seen.blocks[1].type, 200);
    assert_int_equal(seen.blocks[2].header, 28);
    assert_int_equal(seen.blocks[3].size, 0);
    ts_buf_free(&bytes);
}

static void test_first_of_each_type(void **state)
{
    (void)state;
    struct ts_buf bytes;
    struct ts_context context;
    struct ts_sim_dump *dump = NULL;
    struct ts_sim_blocks blocks;
    ts_context_init(&context);
    ts_buf_init(&bytes, 0);
    add_block(&bytes, 4, TS_SIM_API_INSTR, 0, "aaaa", 4);
    add_block(&bytes, 4, TS_SIM_TRACE, 0, "bbbb", 4);
    add_block(&bytes, 4, TS_SIM_TRACE, 0, "cccc", 4);
    add_block(&bytes, 4, TS_SIM_API_INSTR, 0, "dddd", 4);
    assert_int_equal(ts_sim_dump_open_memory("dump", ts_buf_view(&bytes), &dump, NULL), TS_OK);
    assert_int_equal(ts_sim_dump_find(&context, dump, &blocks, NULL), TS_OK);
    assert_int_equal(blocks.api_instr.offset, 12);
    assert_int_equal(blocks.trace.offset, 28);
    char got[4];
    assert_int_equal(ts_sim_dump_read(dump, blocks.trace.offset, got, 4, NULL), TS_OK);
    assert_memory_equal(got, "bbbb", 4);
    assert_int_equal(ts_sim_dump_read(dump, ts_sim_dump_size(dump) - 3, got, 4, NULL), TS_INTERNAL);
    ts_sim_dump_close(dump);
    ts_buf_free(&bytes);
}

/* The size of a SOURCE block counts its path or does not; what follows tells. */
static void test_source_layouts(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "x", "int main(void)\r\n{\r\n}\r\n", NULL};
    for (unsigned counted = 0; counted < 2; counted++)
        for (unsigned i = 0; texts[i]; i++) {
            struct ts_buf bytes;
            struct seen seen;
            ts_buf_init(&bytes, 0);
            add_source(&bytes, texts[i], counted);
            add_block(&bytes, 4, TS_SIM_TRACE, 0, "{  }", 4);
            add_source(&bytes, texts[i], counted);
            assert_int_equal(walk(&bytes, &seen, NULL), TS_OK);
            assert_int_equal(seen.count, 3);
            assert_int_equal(seen.blocks[0].size, strlen(texts[i]));
            assert_int_equal(seen.blocks[0].offset, 12 + TS_SIM_SOURCE_PATH);
            assert_int_equal(seen.blocks[1].type, TS_SIM_TRACE);
            assert_int_equal(seen.blocks[2].size, strlen(texts[i]));
            ts_buf_free(&bytes);
        }
}

static void expect_refusal(struct ts_buf *bytes, const char *says)
{
    struct seen seen;
    struct ts_error error;
    assert_int_equal(walk(bytes, &seen, &error), TS_INPUT);
    if (!strstr(error.message, says))
        fail_msg("\"%s\" does not say \"%s\"", error.message, says);
    ts_buf_free(bytes);
    ts_buf_init(bytes, 0);
}

static void test_refusals(void **state)
{
    (void)state;
    struct ts_buf bytes;
    ts_buf_init(&bytes, 0);
    add_block(&bytes, 4, TS_SIM_TRACE, 0, "{", 1);
    expect_refusal(&bytes, "the file ends at byte 13");
    add_block(&bytes, UINT64_MAX, TS_SIM_TRACE, 0, "{}", 2);
    expect_refusal(&bytes, "size=18446744073709551615");
    add_block(&bytes, 8, TS_SIM_TRACE, 4, "{}      ", 8);
    expect_refusal(&bytes, "padding=4");
    add_block(&bytes, 2, TS_SIM_TRACE, 3, "{}", 2);
    expect_refusal(&bytes, "padding=3");
    add_block(&bytes, 0, 7, 0, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    expect_refusal(&bytes, "offset 12: size=0, reserve=0x0");
    add_block(&bytes, 100, TS_SIM_SOURCE, 0, "short", 5);
    expect_refusal(&bytes, "corrupt SOURCE block at offset 0");
    add_block(&bytes, UINT64_MAX - 4000, TS_SIM_SOURCE, 0, "short", 5);
    expect_refusal(&bytes, "the file ends at byte 17");
}

static void test_files(void **state)
{
    (void)state;
    struct scratch scratch;
    struct ts_context context;
    struct ts_sim_dump *dump = NULL;
    struct ts_error error;
    char byte;
    ts_context_init(&context);
    scratch_create(&scratch);
    const char *path = scratch_put(&scratch, "visualize_data.bin", TS_STR("0123456789"));
    assert_int_equal(ts_sim_dump_open(&context, path, &dump, &error), TS_OK);
    assert_int_equal(ts_sim_dump_size(dump), 10);
    assert_int_equal(ts_sim_dump_read(dump, 9, &byte, 1, &error), TS_OK);
    assert_int_equal(byte, '9');
    assert_int_equal(ts_sim_dump_unchanged(dump, &error), TS_OK);
    /* Somebody cuts it short meanwhile. */
    scratch_put(&scratch, "visualize_data.bin", TS_STR("012"));
    assert_int_equal(ts_sim_dump_unchanged(dump, &error), TS_CHANGED);
    assert_int_equal(ts_sim_dump_read(dump, 9, &byte, 1, &error), TS_CHANGED);
    ts_sim_dump_close(dump);
    assert_int_equal(ts_sim_dump_open(&context, scratch_path(&scratch, "none"), &dump, &error), TS_INPUT);
    ts_sim_dump_close(NULL);
    scratch_destroy(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),         cmocka_unit_test(test_first_of_each_type),
        cmocka_unit_test(test_source_layouts), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
