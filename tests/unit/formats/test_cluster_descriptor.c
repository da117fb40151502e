#include "formats/cluster_descriptor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "support/scratch.h"

static struct ts_arena arena;
static struct ts_context context;

static int set_up(void **state)
{
    (void)state;
    ts_arena_init(&arena, 0);
    ts_context_init(&context);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ts_arena_free(&arena);
    return 0;
}

/* expected NULL: none is found. */
static void expect_of(struct ts_str text, const char *expected)
{
    struct ts_str arch = {NULL, 0};
    bool found = !expected;
    assert_int_equal(ts_cluster_descriptor_parse(&context, &arena, text, &arch, &found, NULL), TS_OK);
    assert_int_equal(found, expected != NULL);
    if (expected) {
        if (!ts_str_is(arch, expected))
            fail_msg("\"%.*s\" instead of \"%s\"", TS_STR_ARG(arch), expected);
    }
}

static void expect(const char *text, const char *expected)
{
    expect_of(ts_str_from(text), expected);
}

static void test_both_forms(void **state)
{
    (void)state;
    expect("arch: {\n   0: Wormhole,\n   1: Wormhole,\n}\n\nchips: {\n   0: [0,0,0,0],\n}\nchips_with_mmio: [\n   0: "
           "0,\n]\n",
           "Wormhole");
    expect("arch:\n  0: wormhole_b0\n  1: wormhole_b0\nchips:\n  0:\n    - 1\n    - 0\n", "wormhole_b0");
    expect("chips:\n  0: [0, 0, 0, 0]\narch:\n  0: blackhole\n", "blackhole");
}

static void test_chips_that_differ(void **state)
{
    (void)state;
    expect("arch:\n  0: wormhole_b0\n  1: blackhole\n  2: wormhole_b0\n", "wormhole_b0, blackhole");
    expect("arch: {0: 'a b', 1: \"c\" } # comment\n", "a b, c");
}

static void test_several_documents(void **state)
{
    (void)state;
    expect("---\narch: {0: wormhole_b0}\n---\narch: {0: blackhole}\n...\n", "wormhole_b0, blackhole");
    expect("---\nchips: {}\n---\narch: {0: blackhole}\n", "blackhole");
    expect("- a\n---\narch: {0: blackhole}\n", "blackhole");
}

static void test_other_places_of_the_word(void **state)
{
    (void)state;
    expect("a: {arch: {0: no}}\n", NULL);
    expect("- arch: {0: no}\n", NULL);
    expect("a: arch\nb: {0: no}\n", NULL);
    expect("? {arch: {0: no}}\n: {arch: {0: no}}\n", NULL);
    expect("x: &x {0: no}\ny: *x\narch: {0: yes}\n", "yes");
    expect("arch: {0: {1: no}, 2: [no], 3: yes}\n", "yes");
    expect("arch: {{0: no}: a, [1]: b}\n", "a, b");
}

static void test_no_mapping(void **state)
{
    (void)state;
    static const char *const texts[] = {"",           "arch:\n",         "arch: wormhole_b0\n", "arch: [wormhole_b0]\n",
                                        "arch: {}\n", "arch: {0: ''}\n", "chips: {0: [0]}\n",   "Arch: {0: a}\n",
                                        "just text\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], NULL);
}

static void test_what_does_not_parse(void **state)
{
    (void)state;
    expect("arch: {0: a\n", NULL);
    expect("arch:\n  0: a\n b: c\n\t- d\n", NULL);
    expect("arch: {0: a}\nchips: [}\n", NULL);
    expect("arch: {0: \xff\xfe}\n", NULL);
    expect_of(TS_STR("arch: {0: a}\n\0"), NULL);
}

static void test_nesting_is_bounded(void **state)
{
    (void)state;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "arch: {0: a}\nx: ");
    for (int i = 0; i < 100000; i++)
        ts_buf_char(&text, '[');
    expect_of(ts_buf_view(&text), NULL);
    ts_buf_free(&text);
}

static void test_cancelled(void **state)
{
    (void)state;
    struct ts_str arch;
    bool found;
    atomic_store(&context.cancelled, true);
    assert_int_equal(ts_cluster_descriptor_parse(&context, &arena, TS_STR("arch: {0: a}"), &arch, &found, NULL),
                     TS_CANCELLED);
}

static void test_files(void **state)
{
    (void)state;
    struct scratch scratch;
    struct ts_str arch;
    bool found;
    scratch_create(&scratch);
    const char *path = scratch_put(&scratch, "a.yaml", TS_STR("arch: {0: blackhole}\n"));
    assert_int_equal(ts_cluster_descriptor_read(&context, &arena, path, &arch, &found, NULL), TS_OK);
    assert_true(found && ts_str_is(arch, "blackhole"));
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "arch: {0: blackhole}\n#");
    while (text.len <= TS_LIMIT_CLUSTER_FILE)
        ts_buf_text(&text, "0123456789012345678901234567890123456789012345678901234567890123456789\n#");
    path = scratch_put(&scratch, "b.yaml", ts_buf_view(&text));
    ts_buf_free(&text);
    assert_int_equal(ts_cluster_descriptor_read(&context, &arena, path, &arch, &found, NULL), TS_OK);
    assert_false(found);
    assert_int_equal(ts_cluster_descriptor_read(&context, &arena, scratch_path(&scratch, "none"), &arch, &found, NULL),
                     TS_INPUT);
    scratch_destroy(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_both_forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_chips_that_differ, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_documents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_places_of_the_word, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_mapping, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_does_not_parse, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nesting_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cancelled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
