#include "surfaces/mcp/queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

struct fixture {
    struct ts_mcp_queue queue;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    ts_mcp_queue_init(&fixture.queue);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    ts_mcp_queue_free(&fixture->queue);
    return 0;
}

static struct ts_mcp_job *job_of(const char *const *keys)
{
    struct ts_mcp_job *job = ts_mcp_job_create(TS_STR("line"), TS_MCP_LINE_GOOD);
    assert_non_null(job);
    for (size_t i = 0; keys[i]; i++) {
        struct ts_mcp_request *request = ts_mcp_job_add(job, ts_str_from(keys[i]));
        assert_non_null(request);
        request->element = i;
        request->cancellable = true;
    }
    job->batch = keys[0] && keys[1];
    return job;
}

static void push(struct ts_mcp_queue *queue, const char *key)
{
    ts_mcp_queue_push(queue, job_of((const char *const[]){key, NULL}));
}

static void expect_next(struct ts_mcp_queue *queue, const char *key)
{
    struct ts_mcp_job *job = ts_mcp_queue_take(queue, false);
    assert_non_null(job);
    assert_int_equal(job->requests[0].key_len, strlen(key));
    assert_memory_equal(job->requests[0].key, key, strlen(key));
    ts_mcp_queue_retire(queue);
    ts_mcp_queue_done(queue);
    ts_mcp_job_free(job);
}

static void keeps_the_order(void **state)
{
    struct ts_mcp_queue *queue = &((struct fixture *)*state)->queue;
    assert_null(ts_mcp_queue_take(queue, false));
    push(queue, "a");
    push(queue, "b");
    push(queue, "c");
    expect_next(queue, "a");
    push(queue, "d");
    expect_next(queue, "b");
    expect_next(queue, "c");
    expect_next(queue, "d");
    assert_null(ts_mcp_queue_take(queue, false));
    ts_mcp_queue_end(queue);
    assert_null(ts_mcp_queue_take(queue, true));
}

static void counts_what_waits(void **state)
{
    struct ts_mcp_queue *queue = &((struct fixture *)*state)->queue;
    assert_int_equal(ts_mcp_queue_room(queue), TS_LIMIT_MCP_WAITING);
    ts_mcp_queue_push(queue, job_of((const char *const[]){"a", "b", "c", NULL}));
    ts_mcp_queue_push(queue, job_of((const char *const[]){NULL}));
    assert_int_equal(ts_mcp_queue_room(queue), TS_LIMIT_MCP_WAITING - 4);
    ts_mcp_job_free(ts_mcp_queue_take(queue, false));
    ts_mcp_queue_retire(queue);
    assert_int_equal(ts_mcp_queue_room(queue), TS_LIMIT_MCP_WAITING - 1);
    for (int i = 0; i < TS_LIMIT_MCP_WAITING + 10; i++)
        push(queue, "x");
    assert_int_equal(ts_mcp_queue_room(queue), 0);
}

static void knows_what_is_in_flight(void **state)
{
    struct ts_mcp_queue *queue = &((struct fixture *)*state)->queue;
    push(queue, "a");
    ts_mcp_queue_push(queue, job_of((const char *const[]){"b", "", "c", NULL}));
    assert_true(ts_mcp_queue_in_flight(queue, TS_STR("a")));
    assert_true(ts_mcp_queue_in_flight(queue, TS_STR("c")));
    assert_false(ts_mcp_queue_in_flight(queue, TS_STR("ab")));
    assert_false(ts_mcp_queue_in_flight(queue, TS_STR("")));
    struct ts_mcp_job *job = ts_mcp_queue_take(queue, false);
    assert_true(ts_mcp_queue_in_flight(queue, TS_STR("a")));
    ts_mcp_queue_retire(queue);
    assert_false(ts_mcp_queue_in_flight(queue, TS_STR("a")));
    ts_mcp_job_free(job);
}

static void drops_what_waits(void **state)
{
    struct ts_mcp_queue *queue = &((struct fixture *)*state)->queue;
    for (const char *key = "abcd"; *key; key++)
        push(queue, (const char[]){*key, '\0'});
    assert_true(ts_mcp_queue_cancel(queue, TS_STR("d")));
    assert_true(ts_mcp_queue_cancel(queue, TS_STR("b")));
    assert_true(ts_mcp_queue_cancel(queue, TS_STR("a")));
    assert_false(ts_mcp_queue_cancel(queue, TS_STR("a")));
    assert_int_equal(ts_mcp_queue_room(queue), TS_LIMIT_MCP_WAITING - 1);
    push(queue, "e");
    expect_next(queue, "c");
    expect_next(queue, "e");
    assert_false(ts_mcp_queue_cancel(queue, TS_STR("e")));
}

static void cancels_what_runs(void **state)
{
    struct ts_mcp_queue *queue = &((struct fixture *)*state)->queue;
    struct ts_context context;
    ts_context_init(&context);
    ts_mcp_queue_push(queue, job_of((const char *const[]){"a", "b", "c", NULL}));
    assert_true(ts_mcp_queue_cancel(queue, TS_STR("b")));
    struct ts_mcp_job *job = ts_mcp_queue_take(queue, false);
    assert_true(ts_mcp_queue_begin(queue, &job->requests[0], &context));
    assert_true(ts_mcp_queue_cancel(queue, TS_STR("a")));
    assert_true(context.cancelled);
    assert_false(ts_mcp_queue_finish(queue, &job->requests[0]));
    assert_false(ts_mcp_queue_begin(queue, &job->requests[1], &context));
    assert_true(ts_mcp_queue_begin(queue, &job->requests[2], NULL));
    assert_true(ts_mcp_queue_finish(queue, &job->requests[2]));
    /* Too late. */
    assert_false(ts_mcp_queue_cancel(queue, TS_STR("c")));
    assert_true(ts_mcp_queue_finish(queue, &job->requests[2]));
    ts_mcp_queue_retire(queue);
    ts_mcp_job_free(job);
}

static void leaves_alone_what_may_not_be_cancelled(void **state)
{
    struct ts_mcp_queue *queue = &((struct fixture *)*state)->queue;
    struct ts_mcp_job *job = job_of((const char *const[]){"a", NULL});
    job->requests[0].cancellable = false;
    ts_mcp_queue_push(queue, job);
    assert_false(ts_mcp_queue_cancel(queue, TS_STR("a")));
    expect_next(queue, "a");
}

static void stops_for_good(void **state)
{
    struct ts_mcp_queue *queue = &((struct fixture *)*state)->queue;
    struct ts_context context;
    ts_context_init(&context);
    push(queue, "a");
    push(queue, "b");
    struct ts_mcp_job *job = ts_mcp_queue_take(queue, true);
    assert_true(ts_mcp_queue_begin(queue, &job->requests[0], &context));
    ts_mcp_queue_abort(queue);
    assert_true(context.cancelled);
    assert_false(ts_mcp_queue_finish(queue, &job->requests[0]));
    ts_mcp_queue_retire(queue);
    ts_mcp_job_free(job);
    push(queue, "c");
    assert_null(ts_mcp_queue_take(queue, true));
}

static void settles_unless_a_tool_runs(void **state)
{
    struct ts_mcp_queue *queue = &((struct fixture *)*state)->queue;
    assert_true(ts_mcp_queue_settle(queue));
    struct ts_mcp_job *job = job_of((const char *const[]){"a", NULL});
    job->calls_tools = true;
    ts_mcp_queue_push(queue, job);
    assert_false(ts_mcp_queue_settle(queue));
    job = ts_mcp_queue_take(queue, true);
    assert_false(ts_mcp_queue_settle(queue));
    ts_mcp_queue_retire(queue);
    ts_mcp_queue_done(queue);
    assert_true(ts_mcp_queue_settle(queue));
    ts_mcp_job_free(job);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(keeps_the_order),  TEST(counts_what_waits),          TEST(knows_what_is_in_flight),
        TEST(drops_what_waits), TEST(cancels_what_runs),          TEST(leaves_alone_what_may_not_be_cancelled),
        TEST(stops_for_good),   TEST(settles_unless_a_tool_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
