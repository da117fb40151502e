#include "transforms/clean_sim_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/buf.h"
#include "support/interpose_malloc.c"
#include "support/scratch.h"

/* Every allocation fails once, and from each on all of them: each file is whole or not there, and nothing leaks. */

static void add_block(struct ts_buf *out, unsigned char type, const char *text)
{
    size_t len = strlen(text), padding = (4 - len % 4) % 4;
    uint64_t size = len + padding;
    for (unsigned i = 0; i < 8; i++)
        ts_buf_char(out, (char)(size >> (8 * i)));
    const char rest[4] = {(char)type, (char)padding, 0x5a, 0x5a};
    ts_buf_add(out, rest, 4);
    ts_buf_text(out, text);
    ts_buf_add(out, "\0\0\0", padding);
}

static const char trace[] =
    "{\"schemaVersion\":2,\"traceEvents\":["
    "{\"ph\":\"X\",\"pid\":\"core0.cubecore0\",\"tid\":\"CUBE\",\"name\":\"MMAD\",\"ts\":1.25,\"dur\":1,\"args\":{"
    "\"a\":1,\"a\":[2]}},"
    "{\"ph\":\"X\",\"pid\":\"core0.cubecore0\",\"tid\":\"CUBE\",\"name\":\"\\u004d\",\"ts\":1.5,\"dur\":1e0},"
    "{\"ph\":\"B\",\"pid\":\"core0.cubecore0\",\"tid\":\"CUBE\",\"name\":\"SET_FLAG\",\"ts\":2,\"args\":{\"detail\":"
    "\"PIPE:M,TRIGGERPIPE:FIX,FLAGID:0\"}},"
    "{\"ph\":\"E\",\"pid\":\"core0.cubecore0\",\"tid\":\"CUBE\",\"name\":\"SET_FLAG\",\"ts\":2.5},"
    "{\"ph\":\"B\",\"pid\":\"core0.cubecore0\",\"tid\":\"FIXP\",\"name\":\"WAIT_FLAG\",\"ts\":2,\"args\":{\"detail\":"
    "\"PIPE:M,TRIGGERPIPE:FIX,FLAGID:0\"}},"
    "{\"ph\":\"E\",\"pid\":\"core0.cubecore0\",\"tid\":\"FIXP\",\"name\":\"WAIT_FLAG\",\"ts\":3},"
    "{\"ph\":\"B\",\"pid\":\"core0.cubecore0\",\"tid\":\"CUBE\",\"name\":\"SET_INTRA_BLOCK\",\"ts\":2,\"args\":{"
    "\"detail\":\"PIPE:CUBE,sync_id:1\"}},"
    "{\"ph\":\"E\",\"pid\":\"core0.cubecore0\",\"tid\":\"CUBE\",\"name\":\"SET_INTRA_BLOCK\",\"ts\":2.5},"
    "{\"ph\":\"B\",\"pid\":\"core0.veccore0\",\"tid\":\"MTE2\",\"name\":\"WAIT_INTRA_BLOCK\",\"ts\":2,\"args\":{"
    "\"detail\":\"PIPE:MTE2,sync_id:1\"}},"
    "{\"ph\":\"E\",\"pid\":\"core0.veccore0\",\"tid\":\"MTE2\",\"name\":\"WAIT_INTRA_BLOCK\",\"ts\":2.5},"
    "{\"ph\":\"X\",\"pid\":\"core0.veccore0\",\"tid\":\"MTE2\",\"name\":\"MOV\",\"ts\":4,\"dur\":0.5},"
    "{\"ph\":\"X\",\"pid\":\"core0.cubecore0\",\"tid\":\"FIXP\",\"name\":\"FIX\",\"ts\":3,\"dur\":0.5}]}";
static const char metrics[] =
    "{\"Cores\":[\"a\",\"b\"],\"Instructions\":[{\"Cycles\":[1,2],\"A B\":3,\"a_b\":4}],\"Instructions Dtype\":{}}";

static struct scratch scratch;

static int set_up(void **state)
{
    (void)state;
    struct ts_buf bytes;
    ts_buf_init(&bytes, 0);
    add_block(&bytes, TS_SIM_TRACE, trace);
    add_block(&bytes, TS_SIM_API_INSTR, metrics);
    scratch_create(&scratch);
    scratch_folder(&scratch, "run");
    scratch_put(&scratch, "run/visualize_data.bin", ts_buf_view(&bytes));
    ts_buf_free(&bytes);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_destroy(&scratch);
    return 0;
}

static enum ts_status clean(const char *from, const char *to, struct ts_error *error)
{
    struct ts_context context;
    struct ts_clean_sim_result result;
    const struct ts_clean_sim_options options = {.pipeline = {.intra_block = true}, .output = to};
    ts_context_init(&context);
    enum ts_status status = ts_clean_sim_trace(&context, from, &options, NULL, NULL, &result, error);
    if (status == TS_OK)
        ts_clean_sim_result_free(&result);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    struct ts_error error;
    const char *from = scratch_path(&scratch, "run"), *to = scratch_path(&scratch, "whole");
    assert_int_equal(clean(from, to, &error), TS_OK);
    struct ts_str whole = scratch_get(&scratch, "whole/trace.clean.json"),
                  numbers = scratch_get(&scratch, "whole/instr_metrics.json");
    assert_true(ts_str_contains(whole, TS_STR("M->FIX flag0")) && ts_str_contains(whole, TS_STR("CUBE->MTE2 sync1")));
    assert_true(ts_str_contains(numbers, TS_STR("{\"cycles\": 2, \"a_b\": 4}")));
    for (unsigned once = 0; once < 2; once++)
        for (long good = 0;; good++) {
            char name[32];
            snprintf(name, sizeof name, "out-%u-%ld", once, good);
            const char *out = scratch_path(&scratch, name);
            error = (struct ts_error){.code = TS_OK};
            if (once)
                interpose_fail_once(good);
            else
                interpose_fail_from(good);
            enum ts_status status = clean(from, out, &error);
            bool failed = interpose_stop();
            if (status != TS_OK && status != TS_NO_MEMORY)
                fail_msg("allocation %ld: %d %s", good, (int)status, error.message);
            char file[64];
            snprintf(file, sizeof file, "%s/trace.clean.json", name);
            struct ts_str got = scratch_get(&scratch, file);
            assert_true(got.ptr ? ts_str_equal(got, whole) : status != TS_OK);
            snprintf(file, sizeof file, "%s/instr_metrics.json", name);
            got = scratch_get(&scratch, file);
            assert_true(got.ptr ? ts_str_equal(got, numbers) : status != TS_OK);
            if (!failed)
                break;
        }
}

static void test_cancelled(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_clean_sim_result result;
    struct ts_error error;
    const struct ts_clean_sim_options options = {.output = scratch_path(&scratch, "cancelled")};
    for (unsigned threads = 1; threads < 4; threads++) {
        ts_context_init(&context);
        context.threads = threads;
        atomic_store(&context.cancelled, true);
        assert_int_equal(
            ts_clean_sim_trace(&context, scratch_path(&scratch, "run"), &options, NULL, NULL, &result, &error),
            TS_CANCELLED);
    }
    assert_null(scratch_get(&scratch, "cancelled/trace.clean.json").ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_cancelled)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
