#include "models/pipeline_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "models/pipeline_rows.h"

static struct ts_pipeline *read_events(const struct ts_buf *text, struct ts_pipeline_options options, unsigned threads,
                                       struct ts_error *error)
{
    struct ts_context context;
    struct ts_sim_dump *dump = NULL;
    struct ts_pipeline *pipeline = NULL;
    const struct ts_sim_block block = {.size = text->len, .type = TS_SIM_TRACE, .found = true};
    ts_context_init(&context);
    context.threads = threads;
    assert_false(text->failed);
    assert_int_equal(ts_sim_dump_open_memory("dump", ts_buf_view(text), &dump, NULL), TS_OK);
    if (ts_pipeline_read(&context, dump, &block, &options, &pipeline, error) != TS_OK)
        pipeline = NULL;
    ts_sim_dump_close(dump);
    return pipeline;
}

static void begin(struct ts_buf *text)
{
    ts_buf_init(text, 0);
    ts_buf_text(text, "{\"traceEvents\":[");
}

static void add_slice(struct ts_buf *text, const char *lane, double ts, double dur)
{
    ts_buf_printf(text,
                  "%s{\"ph\":\"X\",\"pid\":\"c\",\"tid\":\"%s\",\"name\":\"{},{\\\"ph\\\":1\",\"ts\":%.4f,\"dur\":%.4f,"
                  "\"args\":[{},{}]}",
                  text->ptr[text->len - 1] == '[' ? "" : ",", lane, ts, dur);
}

static void add_flag(struct ts_buf *text, const char *name, double at, unsigned number)
{
    ts_buf_printf(text,
                  ",{\"ph\":\"B\",\"pid\":\"c\",\"tid\":\"F\",\"name\":\"%s\",\"ts\":%.4f,\"args\":{\"detail\":\"PIPE:"
                  "A,TRIGGERPIPE:B,FLAGID:%u\"}}",
                  name, at, number);
    ts_buf_printf(text, ",{\"ph\":\"E\",\"pid\":\"c\",\"tid\":\"F\",\"name\":\"%s\",\"ts\":%.4f}", name, at + 0.5);
}

static void finish(struct ts_buf *text)
{
    ts_buf_text(text, "]}");
}

static uint64_t random_state = 88172645463325252u;
static unsigned random_below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 20) % limit;
}

/* Many slices at random: the rows are those of trying each row in turn. */
static void check_rows(bool compat)
{
    enum { COUNT = 3000 };
    struct ts_buf text;
    struct ts_error error;
    begin(&text);
    for (unsigned i = 0; i < COUNT; i++)
        add_slice(&text, i % 2 ? "A" : "B", random_below(60000) / 10.0,
                  random_below(4) ? random_below(90) / 10000.0 : random_below(900));
    finish(&text);
    struct ts_pipeline *pipeline = read_events(&text, (struct ts_pipeline_options){.compat = compat}, 1, &error);
    assert_non_null(pipeline);
    assert_int_equal(pipeline->slices.count, COUNT);
    double *us = calloc(COUNT, sizeof *us);
    int64_t *ns = calloc(COUNT, sizeof *ns);
    for (size_t l = 0; l < pipeline->lanes.count; l++) {
        const struct ts_pipeline_lane *lane = &pipeline->lanes.items[l];
        uint32_t rows = 0;
        /* Sorted by time only; put equal times in the order of length and file, as packing had them. */
        uint32_t *order = pipeline->order + lane->first;
        for (uint32_t i = 1; i < lane->count; i++)
            for (uint32_t j = i; j > 0; j--) {
                const struct ts_pipeline_slice *a = &pipeline->slices.items[order[j - 1]],
                                               *b = &pipeline->slices.items[order[j]];
                if (a->ts != b->ts || a->dur < b->dur || (a->dur == b->dur && order[j - 1] < order[j]))
                    break;
                uint32_t swapped = order[j];
                order[j] = order[j - 1];
                order[j - 1] = swapped;
            }
        for (uint32_t i = 0; i < lane->count; i++) {
            const struct ts_pipeline_slice *slice = &pipeline->slices.items[order[i]];
            uint32_t row = 0;
            while (row < rows && !(us[row] <= slice->ts && (compat || ns[row] <= slice->start_ns)))
                row++;
            assert_int_equal(slice->row, row);
            rows += row == rows;
            us[row] = slice->ts + slice->dur;
            ns[row] = slice->end_ns;
        }
        assert_int_equal(lane->rows, rows);
        assert_true(rows > 8);
    }
    free(us);
    free(ns);
    ts_pipeline_free(pipeline);
    ts_buf_free(&text);
}

static void test_rows(void **state)
{
    (void)state;
    check_rows(true);
    check_rows(false);
}

/* Arrows as a search from the first slice on finds them. */
static void test_arrows(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    struct ts_buf text;
    struct ts_error error;
    begin(&text);
    for (unsigned i = 0; i < COUNT; i++) {
        add_slice(&text, "A", random_below(3000) / 10.0, 0.1);
        add_slice(&text, "B", random_below(3000) / 10.0, 0.1);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        add_flag(&text, "SET_FLAG", random_below(3200) / 10.0, i % 3);
        if (i % 5)
            add_flag(&text, "WAIT_FLAG", random_below(3200) / 10.0, i % 3);
    }
    finish(&text);
    struct ts_pipeline *pipeline = read_events(&text, (struct ts_pipeline_options){.compat = true}, 1, &error);
    assert_non_null(pipeline);
    assert_int_equal(pipeline->skipped_without_wait, COUNT / 5);
    assert_true(pipeline->arrows.count > COUNT / 2);
    assert_int_equal(pipeline->arrows.count + pipeline->skipped_without_wait + pipeline->skipped_without_slice, COUNT);
    uint64_t backwards = 0;
    for (size_t i = 0; i < pipeline->arrows.count; i++) {
        const struct ts_pipeline_slice *from = &pipeline->slices.items[pipeline->arrows.items[i].from];
        const struct ts_pipeline_slice *to = &pipeline->slices.items[pipeline->arrows.items[i].to];
        assert_true(ts_str_is(pipeline->lanes.items[from->lane].name.plain, "A"));
        assert_true(ts_str_is(pipeline->lanes.items[to->lane].name.plain, "B"));
        /* Of equal times the last of the producers and the first of the consumers. */
        for (uint32_t j = 0; j < pipeline->slices.count; j++) {
            const struct ts_pipeline_slice *other = &pipeline->slices.items[j];
            if (other->lane == from->lane && other->ts == from->ts)
                assert_true(j <= pipeline->arrows.items[i].from);
            if (other->lane == to->lane && other->ts == to->ts)
                assert_true(j >= pipeline->arrows.items[i].to);
        }
        backwards += to->start_ns < from->start_ns;
    }
    assert_int_equal(pipeline->backwards, backwards);
    assert_true(backwards > 0);
    ts_pipeline_free(pipeline);
    ts_buf_free(&text);
}

/* However the block is cut, and by however many threads it is read. */
static void test_pieces(void **state)
{
    (void)state;
    struct ts_buf text;
    struct ts_error error;
    begin(&text);
    for (unsigned i = 0; i < 300; i++) {
        add_slice(&text, i % 2 ? "A" : "B", i * 0.7, 2);
        if (i % 3 == 0)
            add_flag(&text, i % 2 ? "SET_FLAG" : "WAIT_FLAG", i, 1);
    }
    finish(&text);
    struct ts_pipeline *whole = read_events(&text, (struct ts_pipeline_options){.compat = false}, 1, &error);
    assert_non_null(whole);
    for (size_t piece = 1; piece < 700; piece = piece * 2 + 1)
        for (unsigned threads = 1; threads < 4; threads++) {
            struct ts_pipeline *cut = read_events(&text, (struct ts_pipeline_options){.piece = piece}, threads, &error);
            assert_non_null(cut);
            assert_int_equal(cut->slices.count, whole->slices.count);
            assert_int_equal(cut->arrows.count, whole->arrows.count);
            for (size_t i = 0; i < cut->slices.count; i++) {
                assert_int_equal(cut->slices.items[i].offset, whole->slices.items[i].offset);
                assert_int_equal(cut->slices.items[i].row, whole->slices.items[i].row);
            }
            ts_pipeline_free(cut);
        }
    ts_pipeline_free(whole);
    ts_buf_free(&text);
}

static void test_wrong_event_in_a_piece(void **state)
{
    (void)state;
    struct ts_buf text;
    struct ts_error error;
    begin(&text);
    for (unsigned i = 0; i < 200; i++)
        add_slice(&text, "A", i, 1);
    ts_buf_text(&text, ",{\"ph\":\"X\",\"name\":1}");
    for (unsigned i = 0; i < 200; i++)
        add_slice(&text, "A", i, 1);
    finish(&text);
    for (unsigned threads = 1; threads < 4; threads++) {
        assert_null(read_events(&text, (struct ts_pipeline_options){.piece = 100}, threads, &error));
        assert_int_equal(error.code, TS_INPUT);
        assert_non_null(strstr(error.message, "event 200 "));
    }
    ts_buf_free(&text);
}

static bool by_tens(const void *data, uint32_t a, uint32_t b)
{
    (void)data;
    return a / 16 < b / 16;
}

static void test_sorting(void **state)
{
    (void)state;
    enum { MOST = 500 };
    uint32_t numbers[MOST], temporary[MOST];
    for (unsigned count = 0; count < MOST; count += 7)
        for (unsigned kind = 0; kind < 3; kind++) {
            for (uint32_t i = 0; i < count; i++) {
                uint32_t place = kind == 0 ? random_below(1000) : kind == 1 ? count - i : i + random_below(3);
                numbers[i] = place * 16 + random_below(16);
                temporary[i] = 0;
            }
            uint64_t sum = 0, after = 0;
            for (uint32_t i = 0; i < count; i++)
                sum += numbers[i];
            ts_pipeline_sort(numbers, temporary, count, by_tens, NULL);
            for (uint32_t i = 0; i < count; i++) {
                after += numbers[i];
                assert_true(i == 0 || numbers[i - 1] / 16 <= numbers[i] / 16);
            }
            assert_int_equal(sum, after);
        }
    /* What is equal keeps its order. */
    for (uint32_t i = 0; i < MOST; i++)
        numbers[i] = (i % 3) * 16 * 1000 + i / 3 % 16;
    ts_pipeline_sort(numbers, temporary, MOST, by_tens, NULL);
    for (uint32_t i = 0; i < MOST / 3; i++)
        assert_int_equal(numbers[i], i % 16);
}

static void test_names(void **state)
{
    (void)state;
    const struct ts_pipeline_options ours = {.compat = false}, compat = {.compat = true};
    static const char *const sorted[] = {
        "core",    "core0.cubecore0", "core0.veccore0", "core0.veccore1", "core01.a",
        "core1.b", "core2",           "core10",         "core10.x",       "core100000000000000000000",
        "corex"};
    for (size_t i = 0; i < sizeof sorted / sizeof *sorted; i++)
        for (size_t j = 0; j < sizeof sorted / sizeof *sorted; j++) {
            int order = ts_pipeline_compare_names(&ours, ts_str_from(sorted[i]), ts_str_from(sorted[j]));
            assert_true(i < j ? order < 0 : i > j ? order > 0 : order == 0);
        }
    assert_true(ts_pipeline_compare_names(&compat, TS_STR("core10"), TS_STR("core2")) < 0);
    struct ts_pipeline_flag flag =
        ts_pipeline_flag_parse(&ours, TS_STR(" FLAGID : 3 ,TRIGGERPIPE:VECTOR, PIPE: MTE2 ,junk,x:y:z,PIPE:A"));
    assert_true(ts_str_is(flag.producer, "A") && ts_str_is(flag.consumer, "VECTOR") && ts_str_is(flag.id, "3"));
    flag = ts_pipeline_flag_parse(&ours, TS_STR("pipe_type:A,tigger_pipe:B,event_id:1"));
    assert_true(ts_str_is(flag.producer, "A") && ts_str_is(flag.consumer, "B") && ts_str_is(flag.id, "1"));
    assert_null(ts_pipeline_flag_parse(&compat, TS_STR("pipe_type:A")).producer.ptr);
    assert_null(ts_pipeline_flag_parse(&ours, TS_STR("")).id.ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_arrows),
        cmocka_unit_test(test_pieces),  cmocka_unit_test(test_wrong_event_in_a_piece),
        cmocka_unit_test(test_sorting), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
