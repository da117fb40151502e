#include "models/graph_scopes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "support/graph_text.h"
#include "support/interpose_malloc.c"

static struct ts_graph_scopes scopes;
static struct ts_graph graph;
static struct ts_buf text;

static int set_up(void **state)
{
    (void)state;
    ts_buf_init(&text, 0);
    return ts_graph_scopes_init(&scopes, 0, NULL) == TS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ts_graph_scopes_free(&scopes);
    ts_graph_free(&graph);
    ts_buf_free(&text);
    return 0;
}

/* Scopes in order of their starts with their outcome, and the starts in order of the ends: "a+ b! c?|b a" */
static const char *scopes_of(const char *nodes)
{
    static char out[1024];
    size_t len = 0;
    graph_text_read(&graph, &text, nodes);
    assert_int_equal(ts_graph_scopes_read(&scopes, &graph, NULL), TS_OK);
    out[0] = '\0';
    for (size_t i = 0; i < scopes.items.count; i++) {
        const struct ts_graph_scope *scope = &scopes.items.items[i];
        struct ts_str name = ts_intern_text(&scopes.names, scope->name);
        assert_true(ts_str_equal(name, graph.nodes.items[scope->node].text));
        assert_int_equal(scope->device, ts_graph_is_device_operation(name));
        len += (size_t)snprintf(out + len, sizeof out - len, "%s%.*s%c", i > 0 ? " " : "", TS_STR_ARG(name),
                                "?!+"[scope->outcome]);
    }
    for (size_t i = 0; i < scopes.ended.count; i++) {
        struct ts_str name = ts_intern_text(&scopes.names, scopes.items.items[scopes.ended.items[i]].name);
        len += (size_t)snprintf(out + len, sizeof out - len, "%c%.*s", i > 0 ? ' ' : '|', TS_STR_ARG(name));
    }
    return out;
}

static void test_pairs(void **state)
{
    (void)state;
    assert_string_equal(scopes_of(""), "");
    assert_string_equal(scopes_of("(a x )a (b )b"), "a+ b+|a b");
    assert_string_equal(scopes_of("(a (b )b )a"), "a+ b+|b a");
    assert_string_equal(scopes_of("(ttnn.a (A )!A )!ttnn.a (A )A"), "ttnn.a! A! A+|A ttnn.a A");
    assert_string_equal(scopes_of("(a (b )a"), "a+ b?|a");
}

static void test_an_end_closes_the_latest_start_of_its_name(void **state)
{
    (void)state;
    assert_string_equal(scopes_of("(a (a )!a"), "a? a!|a");
    assert_string_equal(scopes_of("(a (a (b )a )!a )b"), "a! a+ b+|a a b");
    assert_string_equal(scopes_of(")a (a )b )a )a"), "a+|a");
}

static void test_graphs_do_not_reach_into_each_other(void **state)
{
    (void)state;
    assert_string_equal(scopes_of("(a (b"), "a? b?");
    uint32_t a = scopes.items.items[0].name;
    assert_string_equal(scopes_of(")a (a )a"), "a+|a");
    assert_int_equal(scopes.items.items[0].name, a);
    assert_int_equal(ts_graph_scopes_name(&scopes, TS_STR("a")), a);
    assert_true(ts_graph_scopes_name(&scopes, TS_STR("new")) > a);
}

static void test_many_open_scopes_take_no_longer(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    struct ts_buf nodes;
    ts_buf_init(&nodes, 0);
    for (int i = 0; i < MANY; i++)
        ts_buf_text(&nodes, i % 2 ? "(a " : "(b ");
    for (int i = 0; i < MANY; i++)
        ts_buf_text(&nodes, i % 4 ? ")c " : ")a ");
    graph_text_read(&graph, &text, nodes.ptr);
    assert_int_equal(ts_graph_scopes_read(&scopes, &graph, NULL), TS_OK);
    assert_int_equal(scopes.items.count, MANY);
    assert_int_equal(scopes.ended.count, MANY / 4);
    ts_buf_free(&nodes);
}

static void test_names_are_bounded(void **state)
{
    (void)state;
    struct ts_graph_scopes bounded;
    assert_int_equal(ts_graph_scopes_init(&bounded, 4096, NULL), TS_OK);
    struct ts_buf nodes;
    ts_buf_init(&nodes, 0);
    for (int i = 0; i < 1000; i++)
        ts_buf_printf(&nodes, "(name_%d ", i);
    graph_text_read(&graph, &text, nodes.ptr);
    assert_int_equal(ts_graph_scopes_read(&bounded, &graph, NULL), TS_LIMIT);
    ts_buf_free(&nodes);
    ts_graph_scopes_free(&bounded);
}

static void test_without_memory(void **state)
{
    (void)state;
    graph_text_read(&graph, &text, "(a (b )b )a (c )c");
    bool failed = true;
    for (long good = 0; failed; good++) {
        struct ts_graph_scopes own;
        interpose_fail_from(good);
        enum ts_status status = ts_graph_scopes_init(&own, 0, NULL);
        if (status == TS_OK)
            status = ts_graph_scopes_read(&own, &graph, NULL);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        ts_graph_scopes_free(&own);
        assert_true(good < 50);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_pairs),
        TEST(test_an_end_closes_the_latest_start_of_its_name),
        TEST(test_graphs_do_not_reach_into_each_other),
        TEST(test_many_open_scopes_take_no_longer),
        TEST(test_names_are_bounded),
        TEST(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
