/* Which launches of a captured graph failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "models/failed_launches.h"

/* Nodes one after the other: "(Name" starts a scope, ")Name" ends it, ")!Name" aborts it; "@2" behind a start is its level. */
static void expect(const char *nodes, const char *failed)
{
    struct ts_graph graph = {.problem = 0};
    struct ts_failed_launches launches;
    struct ts_context context = {.memory_limit = 0};
    struct ts_str rest = ts_str_from(nodes), word;
    struct ts_buf names;
    bool done = false;
    ts_buf_init(&names, 0);
    while (ts_str_split(&rest, ' ', &word, &done)) {
        struct ts_graph_node node = {.kind = word.ptr[0] == '(' ? TS_GRAPH_SCOPE_START : TS_GRAPH_SCOPE_END,
                                     .level = -1};
        const char *at = memchr(word.ptr, '@', word.len);
        if (word.ptr[0] == 'x')
            node.kind = TS_GRAPH_CIRCULAR_FREE_ALL;
        if (at)
            node.level = atoi(at + 1);
        node.aborted = word.len > 1 && word.ptr[1] == '!';
        node.text = ts_str_sub(word, node.aborted ? 2 : 1, word.len);
        if (at)
            node.text.len = (size_t)(at - node.text.ptr);
        assert_true(ts_vec_push(&graph.nodes, node));
    }
    assert_int_equal(ts_failed_launches_read(&context, &graph, &launches, NULL), TS_OK);
    for (uint64_t i = 0; i < launches.count && i < TS_FAILED_LAUNCHES_LISTED; i++)
        ts_buf_printf(&names, "%s%.*s", i > 0 ? " " : "", TS_STR_ARG(launches.names[i]));
    assert_string_equal(names.ptr ? names.ptr : "", failed);
    ts_buf_free(&names);
    ts_vec_free(&graph.nodes);
}

static void test_ends(void **state)
{
    (void)state;
    expect("(A )A", "");
    expect("(A )!A", "A");
    expect("(A", "A");
    expect(")A", "");
    expect("(ttnn.x (A )!A )!ttnn.x", "A");
    expect("(A )A (A )!A (A )A (B", "A B");
    /* An end closes the latest of its name. */
    expect("(A (A )A", "A");
    expect("(A (A )!A )A", "A");
    expect("x (A x )!A x", "A");
}

static void test_names(void **state)
{
    (void)state;
    expect("(ttnn.x (Tensor::to_device ((torch) (", "");
}

/* What was started since is over when an end pairs, and has failed. */
static void test_an_end_closes_what_is_inside(void **state)
{
    (void)state;
    expect("(ttnn.x (A (B )ttnn.x )A (C )C", "A B");
    expect("(A (B )A )B", "B");
    expect("(A (B )A (B )B", "B");
}

static void test_levels(void **state)
{
    (void)state;
    /* The first is over where the second starts, so its own end comes too late. */
    expect("(Left@1 (Next@1 )Next )Left", "Left");
    expect("(Left@1 (Next@2 )Next )Left", "");
    expect("(Top@1 (Left@2 (Deep@3 (Next@2 )Next )Deep )Left )Top", "Left Deep");
    /* Only scopes whose levels were recorded take part. */
    expect("(Left (Next@1 )Next )Left", "");
    expect("(Left@1 (Next )Next )Left", "");
    expect("(A@1 (B (C@1 )C )B )A", "A");
}

static void test_many(void **state)
{
    (void)state;
    struct ts_buf nodes;
    ts_buf_init(&nodes, 0);
    for (int i = 0; i < 25; i++)
        ts_buf_printf(&nodes, "%s(A )!A", i > 0 ? " " : "");
    expect(nodes.ptr, "A A A A A A A A A A A A A A A A A A A A");
    ts_buf_free(&nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_an_end_closes_what_is_inside),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
