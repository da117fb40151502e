#include "models/circular_buffers.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "models/unrecorded_launches.h"
#include "support/graph_text.h"
#include "support/interpose_malloc.c"

struct reading {
    struct ts_context context;
    struct ts_graph graph;
    struct ts_buf text;
    struct ts_arena arena;
    struct ts_circular_buffers buffers;
    struct ts_unrecorded_launches unrecorded;
};

static void open_reading(struct reading *reading, const char *nodes)
{
    *reading = (struct reading){.graph = {.doc = NULL}};
    ts_context_init(&reading->context);
    ts_buf_init(&reading->text, 0);
    ts_arena_init(&reading->arena, 0);
    graph_text_read(&reading->graph, &reading->text, nodes);
    assert_int_equal(
        ts_circular_buffers_read(&reading->context, &reading->graph, &reading->arena, &reading->buffers, NULL), TS_OK);
    assert_int_equal(ts_unrecorded_launches_read(&reading->graph, &reading->arena, &reading->unrecorded, NULL), TS_OK);
}

static void close_reading(struct reading *reading)
{
    ts_graph_free(&reading->graph);
    ts_buf_free(&reading->text);
    ts_arena_free(&reading->arena);
}

/* "NAME*devices MOST?nowhere: ADDRESS+SIZE*devices/cores ...; ...": unattributed bytes only where there are some, then
 * " +N" for unlisted ones, then " unrecorded NAME launches*devices" and " first N". */
static const char *describe(const char *nodes)
{
    static char out[4096];
    size_t len = 0, size = sizeof out;
    struct reading reading;
    open_reading(&reading, nodes);
    out[0] = '\0';
#define ADD(...) (len += (size_t)snprintf(out + len, size - len, __VA_ARGS__))
    uint64_t rows = 0;
    for (uint32_t i = 0; i < reading.buffers.operation_count; i++) {
        const struct ts_circular_operation *operation = &reading.buffers.operations[i];
        ADD("%s%.*s*%" PRIu32 " %" PRId64, i > 0 ? "; " : "", TS_STR_ARG(operation->name), operation->device_count,
            operation->max_bytes_per_core);
        if (operation->unattributed_bytes > 0)
            ADD("?%" PRId64, operation->unattributed_bytes);
        for (uint32_t row = 0; row < operation->buffer_count; row++, rows++) {
            const struct ts_circular_buffer *buffer = &operation->buffers[row];
            ADD("%s%" PRId64 "+%" PRId64 "*%" PRIu32 "/%" PRIu32, row > 0 ? " " : ": ", buffer->node->address,
                buffer->node->size, buffer->device_count, buffer->core_count);
        }
    }
    assert_int_equal(rows, reading.buffers.buffer_count);
    assert_false(reading.buffers.too_large);
    if (reading.buffers.unlisted > 0)
        ADD(" +%" PRIu64, reading.buffers.unlisted);
    uint64_t launches = 0;
    for (size_t i = 0; i < reading.unrecorded.count; i++) {
        const struct ts_unrecorded_operation *operation = &reading.unrecorded.items[i];
        ADD(" unrecorded %.*s %" PRIu64 "*%" PRIu64, TS_STR_ARG(operation->name), operation->launches,
            operation->device_count);
        launches += operation->launches;
    }
    assert_int_equal(launches, reading.unrecorded.launches);
    if (reading.unrecorded.first_launches > 0)
        ADD(" first %" PRIu64, reading.unrecorded.first_launches);
    close_reading(&reading);
    return out;
}

#define ONE "/{[0-0_-_0-0]}"
#define ALL "/{[0-0_-_7-7]}"

static void test_a_launch(void **state)
{
    (void)state;
    assert_string_equal(describe("x (ttnn.a (A F C1000+64" ALL " C2000+32" ONE " P@0 )A )ttnn.a x"),
                        "A*1 96: 1000+64*1/64 2000+32*1/1");
    assert_string_equal(describe(""), "");
    assert_string_equal(describe("x (ttnn.a )ttnn.a x"), "");
}

static void test_two_launches_in_one_operation(void **state)
{
    (void)state;
    assert_string_equal(describe("x (ttnn.a (Halo F C1000+8" ALL " x )Halo (Conv F C1000+16" ALL " C1016+4" ONE
                                 " G9000+64" ALL " x )Conv )ttnn.a x"),
                        "Halo*1 8: 1000+8*1/64; Conv*1 20: 1000+16*1/64 1016+4*1/1 9000+64*1/64");
}

static void test_bytes_on_cores(void **state)
{
    (void)state;
    /* Different cores do not add up, a buffer of no core is told apart, a view takes nothing. */
    assert_string_equal(
        describe("x (A F C0+10/{[0-0_-_3-3]} C10+20/{[2-2_-_5-5]} C30+40/{[6-6_-_7-7]} C70+5/{} G0+99" ALL " x )A x"),
        "A*1 40?5: 0+10*1/16 10+20*1/16 30+40*1/4 70+5*1/0 0+99*1/64");
    /* Two rectangles of one buffer count once where they overlap. */
    assert_string_equal(describe("x (A F C0+10/{[0-0_-_1-1],_[1-1_-_2-2]} x )A x"), "A*1 10: 0+10*1/7");
}

static void test_copies_of_a_mesh(void **state)
{
    (void)state;
    assert_string_equal(describe("x (A F C0+8" ONE "@0 C8+4" ONE "@0 C0+8" ONE "@1 C8+4" ONE "@1 x )A x"),
                        "A*2 12: 0+8*2/1 8+4*2/1");
    /* Equal buffers on one device are two; the second pairs with the second of the other device. */
    assert_string_equal(describe("x (A F C0+8" ONE "@0 C0+8" ONE "@0 C0+8" ONE "@1 C0+8" ONE "@1 C0+8" ONE "@1 x )A x"),
                        "A*2 24: 0+8*2/1 0+8*2/1 0+8*1/1");
    /* Without a device all are on the same. */
    assert_string_equal(describe("x (A F C0+8" ONE " C0+8" ONE " x )A x"), "A*1 16: 0+8*1/1 0+8*1/1");
}

static void test_an_operation_a_device(void **state)
{
    (void)state;
    assert_string_equal(describe("x (A F@0 C0+8" ONE "@0 x )A (A F@1 C0+8" ONE "@1 x )A x"), "A*2 8: 0+8*2/1");
    /* Other buffers, or the same devices again: another one. */
    assert_string_equal(describe("x (A F@0 C0+8" ONE "@0 x )A (A F@1 C0+9" ONE "@1 x )A x"),
                        "A*1 8: 0+8*1/1; A*1 9: 0+9*1/1");
    assert_string_equal(describe("x (A F C0+8" ONE "@0 x )A (A F C0+8" ONE "@1 x )A (A F C0+8" ONE
                                 "@0 x )A (A F C0+8" ONE "@1 x )A (A F C0+8" ONE "@1 x )A x"),
                        "A*2 8: 0+8*2/1; A*2 8: 0+8*2/1; A*1 8: 0+8*1/1");
    assert_string_equal(describe("x (A F C0+8" ONE "@0 x )A (B F C0+8" ONE "@1 x )B x"),
                        "A*1 8: 0+8*1/1; B*1 8: 0+8*1/1");
}

static void test_relaunches(void **state)
{
    (void)state;
    assert_string_equal(describe("x (ttnn.a (A F )A (B F C0+8" ONE " x )B (A F )A )ttnn.a x"),
                        "B*1 8: 0+8*1/1 unrecorded A 2*1");
    /* Devices by the program executions, where there are some; a device counts once a launch. */
    assert_string_equal(describe("x (A F@9 F@9 P@0 P@1 )A (A F@9 P@0 )A x"), " unrecorded A 2*2");
    assert_string_equal(describe("x (A F@0 F@0 F@1 )A (A F@0 )A (A F )A x"), " unrecorded A 2*3");
    assert_string_equal(describe("x (!A F )A (A F )A (!B F )B x"), " unrecorded A 2*1 unrecorded B 1*1 first 2");
    /* Not of scopes that are no device operations, and not for what lies deeper. */
    assert_string_equal(describe("x F (ttnn.a F (A )A )ttnn.a x"), "");
    assert_string_equal(describe("x (A F (B C0+8" ONE " x F )B )A x"), "B*1 8: 0+8*1/1 unrecorded A 1*1");
}

static void test_what_is_in_no_operation(void **state)
{
    (void)state;
    /* Cut off right behind a launch's buffers. */
    assert_string_equal(describe("x (ttnn.a (A F C0+8" ONE " C8+8" ONE), " +2");
    /* Two runs in one launch: the second replaces the first. */
    assert_string_equal(describe("x (A F C0+8" ONE " x C8+4" ONE " x )A x"), "A*1 4: 8+4*1/1 +1");
    /* Copies of a mesh count once. */
    assert_string_equal(describe("x (A F C0+8" ONE "@0 C0+8" ONE "@1"), " +1");
    assert_string_equal(describe("x (A F C0+8" ONE "@0 x (B F C0+8" ONE "@1"), "A*1 8: 0+8*1/1 +1");
    assert_string_equal(describe("x C0+8" ONE), " +1");
}

static void test_without_a_free_all_the_end_shows_them(void **state)
{
    (void)state;
    assert_string_equal(describe("x (A C0+8" ONE " )A x"), "A*1 8: 0+8*1/1");
    /* They stay, so that the scope around has them too, as the application has it. */
    assert_string_equal(describe("x (ttnn.a (A C0+8" ONE " )A )ttnn.a x"), "ttnn.a*1 8: 0+8*1/1; A*1 8: 0+8*1/1");
}

static void test_a_scope_left_open(void **state)
{
    (void)state;
    /* The failed launch never ended: its buffers stand under it all the same. */
    assert_string_equal(describe("x (ttnn.a (A F C0+8" ONE " x (ttnn.b (B F C0+4" ONE " x )B )ttnn.b x"),
                        "A*1 8: 0+8*1/1; B*1 4: 0+4*1/1");
}

static void test_odd_figures(void **state)
{
    (void)state;
    struct reading reading;
    open_reading(&reading, "x (A F C0+9223372036854775807" ONE " C0+9223372036854775807" ONE " C0+-5" ONE
                           " C0+7/{} C0+9223372036854775807/{}"
                           " x )A x");
    assert_int_equal(reading.buffers.operations[0].max_bytes_per_core, INT64_MAX);
    assert_int_equal(reading.buffers.operations[0].unattributed_bytes, INT64_MAX);
    close_reading(&reading);
}

static void repeat(struct ts_buf *out, const char *piece, int count)
{
    for (int i = 0; i < count; i++)
        ts_buf_text(out, piece);
}

static void test_large_graphs(void **state)
{
    (void)state;
    struct reading reading;
    struct ts_buf nodes;
    ts_buf_init(&nodes, 0);
    /* The same launch over and over, as in a graph of a whole run. */
    ts_buf_text(&nodes, "x ");
    repeat(&nodes, "(A F C0+8" ALL " C8+8" ALL " x )A ", 10000);
    open_reading(&reading, nodes.ptr);
    assert_false(reading.buffers.too_large);
    assert_int_equal(reading.buffers.operation_count, 10000);
    close_reading(&reading);
    /* Relaunches nested in each other. */
    ts_buf_clear(&nodes);
    repeat(&nodes, "(A F ", 50000);
    repeat(&nodes, ")A ", 50000);
    open_reading(&reading, nodes.ptr);
    assert_int_equal(reading.unrecorded.launches, 50000);
    close_reading(&reading);
    /* Every scope that ends shows all buffers so far: more than anybody would read. */
    ts_buf_clear(&nodes);
    repeat(&nodes, "(A ", 20000);
    repeat(&nodes, "C0+8/{[0-0_-_300-300]} )A ", 20000);
    open_reading(&reading, nodes.ptr);
    assert_true(reading.buffers.too_large);
    close_reading(&reading);
    ts_buf_free(&nodes);
}

static void test_without_memory(void **state)
{
    (void)state;
    struct reading reading;
    open_reading(&reading, "x (A F C0+8" ONE "@0 x )A (A F C0+8" ONE "@1 x )A (B F )B (C F C0+1" ONE);
    bool failed = true;
    for (long good = 0; failed; good++) {
        struct ts_arena arena;
        ts_arena_init(&arena, 0);
        interpose_fail_from(good);
        enum ts_status status =
            ts_circular_buffers_read(&reading.context, &reading.graph, &arena, &reading.buffers, NULL);
        if (status == TS_OK)
            status = ts_unrecorded_launches_read(&reading.graph, &arena, &reading.unrecorded, NULL);
        failed = interpose_stop();
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        ts_arena_free(&arena);
        assert_true(good < 100);
    }
    close_reading(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_launch),
        cmocka_unit_test(test_two_launches_in_one_operation),
        cmocka_unit_test(test_bytes_on_cores),
        cmocka_unit_test(test_copies_of_a_mesh),
        cmocka_unit_test(test_an_operation_a_device),
        cmocka_unit_test(test_relaunches),
        cmocka_unit_test(test_what_is_in_no_operation),
        cmocka_unit_test(test_without_a_free_all_the_end_shows_them),
        cmocka_unit_test(test_a_scope_left_open),
        cmocka_unit_test(test_odd_figures),
        cmocka_unit_test(test_large_graphs),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
