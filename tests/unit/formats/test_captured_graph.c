#include "formats/captured_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "support/interpose_malloc.c"

/* The graph of a text, which is copied into *text. */
static enum ts_graph_state read_text(struct ts_graph *graph, struct ts_buf *text, struct ts_str json,
                                     enum ts_graph_parts parts, size_t max_memory)
{
    static const char slack[TS_GRAPH_SLACK] = {0};
    enum ts_graph_state state = TS_GRAPH_READ;
    ts_buf_clear(text);
    ts_buf_str(text, json);
    ts_buf_add(text, slack, sizeof slack);
    assert_int_equal(ts_graph_read(graph, text->ptr, json.len, parts, max_memory, &state, NULL), TS_OK);
    if (state != TS_GRAPH_READ)
        assert_int_equal(graph->nodes.count, 0);
    return state;
}

static void check_state(const char *json, enum ts_graph_state expected)
{
    struct ts_graph graph = {.doc = NULL};
    struct ts_buf text;
    ts_buf_init(&text, 0);
    assert_int_equal(read_text(&graph, &text, ts_str_from(json), TS_GRAPH_ALL, 0), expected);
    assert_int_equal(read_text(&graph, &text, ts_str_from(json), TS_GRAPH_SCOPES, 0), expected);
    ts_graph_free(&graph);
    ts_buf_free(&text);
}

static void test_what_is_no_graph(void **state)
{
    (void)state;
    check_state("", TS_GRAPH_READ);
    check_state("[]", TS_GRAPH_READ);
    check_state(" ", TS_GRAPH_NOT_JSON);
    check_state("nonsense", TS_GRAPH_NOT_JSON);
    check_state("[", TS_GRAPH_NOT_JSON);
    check_state("[{}]x", TS_GRAPH_NOT_JSON);
    check_state("[NaN]", TS_GRAPH_NOT_JSON);
    check_state("[\"\xff\"]", TS_GRAPH_NOT_JSON);
    check_state("{}", TS_GRAPH_NO_LIST);
    check_state("7", TS_GRAPH_NO_LIST);
    check_state("null", TS_GRAPH_NO_LIST);
    check_state("[{\"node_type\":\"function_start\"}]", TS_GRAPH_NAMELESS);
    check_state("[{\"node_type\":\"function_end\",\"params\":null}]", TS_GRAPH_NAMELESS);
    check_state("[{\"node_type\":\"function_end\",\"params\":[]}]", TS_GRAPH_NAMELESS);
    check_state("[{\"node_type\":\"function_start\",\"params\":{\"name\":7}}]", TS_GRAPH_NAMELESS);
    check_state("[{\"node_type\":\"function_start\",\"params\":{\"name\":\"\"}}]", TS_GRAPH_READ);
    check_state("[1,null,\"x\",[],{},{\"node_type\":7},{\"node_type\":\"new\",\"params\":7}]", TS_GRAPH_READ);
}

static void test_memory_needs_no_names(void **state)
{
    (void)state;
    struct ts_graph graph = {.doc = NULL};
    struct ts_buf text;
    ts_buf_init(&text, 0);
    const char json[] = "[{\"node_type\":\"function_start\"},{\"node_type\":\"circular_buffer_allocate\",\"params\":"
                        "{\"address\":5,\"size\":7}},{\"node_type\":\"function_end\",\"params\":{\"name\":7}}]";
    assert_int_equal(read_text(&graph, &text, ts_str_from(json), TS_GRAPH_MEMORY, 0), TS_GRAPH_READ);
    assert_int_equal(graph.nodes.count, 3);
    assert_int_equal(graph.nodes.items[0].kind, TS_GRAPH_SCOPE_START);
    assert_null(graph.nodes.items[0].text.ptr);
    assert_int_equal(graph.nodes.items[1].size, 7);
    assert_null(graph.nodes.items[2].text.ptr);
    assert_int_equal(read_text(&graph, &text, TS_STR("[{}"), TS_GRAPH_MEMORY, 0), TS_GRAPH_NOT_JSON);
    assert_int_equal(read_text(&graph, &text, TS_STR("{}"), TS_GRAPH_MEMORY, 0), TS_GRAPH_NO_LIST);
    ts_graph_free(&graph);
    ts_buf_free(&text);
}

/* One node out of its params, in a list of its own. */
static struct ts_graph_node node_of(const char *type, const char *params)
{
    static struct ts_graph graph;
    static struct ts_buf text;
    char json[2048];
    snprintf(json, sizeof json, "[{\"params\":{%s},\"node_type\":\"%s\",\"stacking_level\":3}]", params, type);
    assert_int_equal(read_text(&graph, &text, ts_str_from(json), TS_GRAPH_ALL, 0), TS_GRAPH_READ);
    assert_int_equal(graph.nodes.count, 1);
    struct ts_graph_node node = graph.nodes.items[0];
    if (node.text.ptr) {
        static char copy[256];
        assert_true(node.text.len < sizeof copy);
        memcpy(copy, node.text.ptr, node.text.len);
        node.text.ptr = copy;
    }
    ts_graph_free(&graph);
    ts_buf_free(&text);
    ts_buf_init(&text, 0);
    return node;
}

static void test_scopes(void **state)
{
    (void)state;
    struct ts_graph_node node = node_of("function_start", "\"name\":\"Matmul\",\"program_cache_hit\":false");
    assert_int_equal(node.kind, TS_GRAPH_SCOPE_START);
    assert_true(ts_str_is(node.text, "Matmul"));
    assert_int_equal(node.program_cache_hit, 0);
    assert_int_equal(node.level, 3);
    assert_false(node.aborted);
    assert_int_equal(node_of("function_start", "\"name\":\"a\",\"program_cache_hit\":true").program_cache_hit, 1);
    assert_int_equal(node_of("function_start", "\"name\":\"a\",\"program_cache_hit\":\"true\"").program_cache_hit, -1);
    assert_true(node_of("function_end", "\"name\":\"a\",\"aborted\":\"true\"").aborted);
    assert_true(node_of("function_end", "\"name\":\"a\",\"aborted\":true").aborted);
    assert_false(node_of("function_end", "\"name\":\"a\",\"aborted\":1").aborted);
    assert_false(node_of("function_end", "\"name\":\"a\",\"aborted\":\"True\"").aborted);
    assert_true(ts_str_is(node_of("function_end", "\"name\":\"first\",\"name\":\"last\"").text, "last"));
}

static void test_circular_buffers(void **state)
{
    (void)state;
    struct ts_graph_node node =
        node_of("circular_buffer_allocate",
                "\"size\":\"4096\",\"address\":1024,\"core_range_set\":\"{[0-0 - 7-7]}\",\"globally_allocated\":\"1\","
                "\"device_id\":\"2\"");
    assert_int_equal(node.kind, TS_GRAPH_CIRCULAR_ALLOCATE);
    assert_true(node.has_size && node.has_address && node.has_device && node.globally_allocated);
    assert_int_equal(node.size, 4096);
    assert_int_equal(node.address, 1024);
    assert_int_equal(node.device, 2);
    assert_true(ts_str_is(node.text, "{[0-0 - 7-7]}"));
    node = node_of("circular_buffer_allocate",
                   "\"size\":null,\"address\":\"0x10\",\"device_id\":\"n300\",\"core_range_set\":5,"
                   "\"globally_allocated\":\"0\"");
    assert_false(node.has_size || node.has_address || node.has_device || node.globally_allocated);
    assert_null(node.text.ptr);
    assert_int_equal(node_of("circular_buffer_deallocate_all", "\"device_id\":7").device, 7);
    node = node_of("program_execution", "\"device_id\":1,\"physical_device_id\":4");
    assert_int_equal(node.kind, TS_GRAPH_PROGRAM_EXECUTION);
    assert_int_equal(node.device, 4);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is;
        int64_t value;
    } cases[] = {
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"18446744073709551616", false, 0},
        {"1e999", false, 0},
        {"4.0", true, 4},
        {"4.5", false, 0},
        {"1e300", false, 0},
        {"\" 12 \"", true, 12},
        {"\"-3\"", true, -3},
        {"\"99999999999999999999\"", false, 0},
        {"\"\"", false, 0},
        {"true", false, 0},
        {"[]", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char params[128];
        snprintf(params, sizeof params, "\"size\":%s", cases[i].text);
        struct ts_graph_node node = node_of("buffer_allocate", params);
        assert_int_equal(node.has_size, cases[i].is);
        if (cases[i].is)
            assert_int_equal(node.size, cases[i].value);
    }
}

static void test_buffers(void **state)
{
    (void)state;
    static const struct {
        const char *params;
        bool l1;
    } cases[] = {
        {"\"type\":\"L1\"", true},
        {"\"type\":\"DRAM\",\"buffer_type\":1", false},
        {"\"type\":null,\"buffer_type\":\"3\"", true},
        {"\"exact_buffer_type\":\"L1_SMALL\",\"buffer_type\":0", true},
        {"\"exact_buffer_type\":\"BufferType::L1\"", true},
        {"\"buffer_type\":\"BufferType::DRAM\"", false},
        {"\"buffer_type\":1", true},
        {"\"buffer_type\":2", false},
        {"\"size\":5", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(node_of("buffer_allocate", cases[i].params).in_l1, cases[i].l1);
        assert_int_equal(node_of("buffer_deallocate", cases[i].params).in_l1, cases[i].l1);
    }
    struct ts_graph_node node = node_of(
        "buffer_allocate", "\"max_size_per_bank\":\"2048\",\"num_cores\":\"0\",\"address\":null,\"size\":65536");
    assert_int_equal(node.per_bank, 2048);
    assert_true(node.has_per_bank && node.has_cores && node.has_size);
    assert_false(node.has_address);
    assert_int_equal(node_of("buffer_deallocate", "\"address\":\"77\"").address, 77);
    assert_int_equal(node_of("buffer_deallocate", "").kind, TS_GRAPH_BUFFER_FREE);
}

static void test_scopes_alone(void **state)
{
    (void)state;
    struct ts_graph graph = {.doc = NULL};
    struct ts_buf text;
    ts_buf_init(&text, 0);
    struct ts_str json = TS_STR("[{\"node_type\":\"capture_start\",\"params\":null},"
                                "{\"node_type\":\"function_start\",\"params\":{\"name\":\"a\"}},"
                                "{\"node_type\":\"buffer_allocate\",\"params\":{\"type\":\"L1\"}},"
                                "{\"node_type\":\"function_end\",\"params\":{\"name\":\"a\"}}]");
    assert_int_equal(read_text(&graph, &text, json, TS_GRAPH_SCOPES, 0), TS_GRAPH_READ);
    assert_int_equal(graph.nodes.count, 2);
    assert_int_equal(graph.nodes.items[1].kind, TS_GRAPH_SCOPE_END);
    assert_int_equal(read_text(&graph, &text, json, TS_GRAPH_ALL, 0), TS_GRAPH_READ);
    assert_int_equal(graph.nodes.count, 4);
    assert_true(graph.nodes.items[2].in_l1);
    assert_false(graph.nodes.items[0].has_params); /* null */
    assert_true(graph.nodes.items[2].has_params);
    ts_graph_free(&graph);
    ts_buf_free(&text);
}

static void repeat(struct ts_buf *out, const char *piece, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ts_buf_text(out, piece);
}

static void test_depth(void **state)
{
    static const struct {
        const char *open, *innermost, *close;
    } shapes[] = {
        {"[", "[]", "]"},
        {"[[1,2],{\"a\":1},[],", "[1,2]", "]"},
        {"{\"a\":", "{\"b\":3}", ",\"c\":[4]}"},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        struct ts_graph graph = {.doc = NULL};
        struct ts_buf json, text;
        size_t depth = TS_LIMIT_JSON_DEPTH + i % 2;
        ts_buf_init(&json, 0);
        ts_buf_init(&text, 0);
        ts_buf_text(&json, "[");
        repeat(&json, shapes[i / 2].open, depth - 2);
        ts_buf_text(&json, shapes[i / 2].innermost);
        repeat(&json, shapes[i / 2].close, depth - 2);
        ts_buf_text(&json, "]");
        assert_int_equal(read_text(&graph, &text, ts_buf_view(&json), TS_GRAPH_ALL, 0),
                         depth > TS_LIMIT_JSON_DEPTH ? TS_GRAPH_TOO_DEEP : TS_GRAPH_READ);
        ts_graph_free(&graph);
        ts_buf_free(&json);
        ts_buf_free(&text);
    }
}

static void test_large_and_hostile(void **state)
{
    (void)state;
    struct ts_graph graph = {.doc = NULL};
    struct ts_buf json, text;
    ts_buf_init(&json, 0);
    ts_buf_init(&text, 0);
    /* 100,000 nodes nested in each other. */
    repeat(&json, "[{\"connections\":", 100000);
    ts_buf_char(&json, '0');
    repeat(&json, "}]", 100000);
    assert_int_equal(read_text(&graph, &text, ts_buf_view(&json), TS_GRAPH_ALL, TS_LIMIT_GRAPH_PARSED),
                     TS_GRAPH_TOO_DEEP);
    /* A name of 10 MB. */
    ts_buf_clear(&json);
    ts_buf_text(&json, "[{\"node_type\":\"function_start\",\"params\":{\"name\":\"");
    repeat(&json, "0123456789", 1000000);
    ts_buf_text(&json, "\"}}]");
    assert_int_equal(read_text(&graph, &text, ts_buf_view(&json), TS_GRAPH_ALL, TS_LIMIT_GRAPH_PARSED), TS_GRAPH_READ);
    assert_int_equal(graph.nodes.items[0].text.len, 10000000);
    /* Small elements that would take far more memory than they have bytes. */
    ts_buf_clear(&json);
    ts_buf_text(&json, "[0");
    repeat(&json, ",0", 200000);
    ts_buf_text(&json, "]");
    assert_int_equal(read_text(&graph, &text, ts_buf_view(&json), TS_GRAPH_ALL, 1000000), TS_GRAPH_TOO_LARGE);
    assert_int_equal(read_text(&graph, &text, ts_buf_view(&json), TS_GRAPH_ALL, 10000000), TS_GRAPH_TOO_LARGE);
    assert_int_equal(read_text(&graph, &text, ts_buf_view(&json), TS_GRAPH_ALL, 0), TS_GRAPH_READ);
    assert_int_equal(graph.nodes.count, 200001);
    ts_graph_free(&graph);
    ts_buf_free(&json);
    ts_buf_free(&text);
}

static void test_device_operations(void **state)
{
    (void)state;
    assert_true(ts_graph_is_device_operation(TS_STR("MatmulDeviceOperation")));
    assert_true(ts_graph_is_device_operation(TS_STR("ttnn")));
    assert_false(ts_graph_is_device_operation(TS_STR("")));
    assert_false(ts_graph_is_device_operation(TS_STR("ttnn.matmul")));
    assert_false(ts_graph_is_device_operation(TS_STR("Tensor::to_device")));
    assert_false(ts_graph_is_device_operation(TS_STR("MISSING (torch) add")));
}

static void test_without_memory(void **state)
{
    (void)state;
    static const char json[] = "[{\"node_type\":\"function_start\",\"params\":{\"name\":\"a\"}}]";
    bool failed = true;
    for (long good = 0; failed; good++) {
        char text[sizeof json + TS_GRAPH_SLACK] = {0};
        memcpy(text, json, sizeof json);
        struct ts_graph graph = {.doc = NULL};
        enum ts_graph_state read = TS_GRAPH_READ;
        interpose_fail_from(good);
        enum ts_status status = ts_graph_read(&graph, text, sizeof json - 1, TS_GRAPH_ALL, 0, &read, NULL);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        ts_graph_free(&graph);
        assert_true(good < 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_graph),
        cmocka_unit_test(test_memory_needs_no_names),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_circular_buffers),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_scopes_alone),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_large_and_hostile),
        cmocka_unit_test(test_device_operations),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
