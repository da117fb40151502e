/* Answers that are cut to fit: what goes, what is said of it, and that no more goes than has to. */
#include "questions/fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "support/interpose_malloc.c"

static void add_rows(struct ts_answer *answer, yyjson_mut_val *object, const char *key, unsigned count, size_t text)
{
    char filling[4096];
    memset(filling, 'x', sizeof filling);
    ts_answer_integer(answer, object, "returned", count);
    yyjson_mut_val *list = ts_answer_list(answer, object, key);
    for (unsigned i = 0; i < count; i++) {
        yyjson_mut_val *row = ts_answer_push_object(answer, list);
        ts_answer_integer(answer, row, "id", i);
        ts_answer_text(answer, row, "name", (struct ts_str){filling, text});
    }
}

static struct ts_answer *new_answer(void)
{
    struct ts_answer *answer;
    assert_int_equal(ts_answer_create(&answer, NULL), TS_OK);
    return answer;
}

static void finish(struct ts_answer *answer)
{
    struct ts_error error;
    if (ts_answer_finish(answer, NULL, &error))
        fail_msg("%s", error.message);
}

static uint64_t number_at(struct ts_answer *answer, const char *pointer)
{
    yyjson_mut_val *value = yyjson_mut_doc_ptr_get(answer->doc, pointer);
    assert_non_null(value);
    return yyjson_mut_get_uint(value);
}

static void what_fits_stays(void **state)
{
    (void)state;
    struct ts_answer *answer = new_answer();
    add_rows(answer, answer->root, "rows", 20, 100);
    finish(answer);
    size_t len = answer->json_len;
    assert_false(ts_fit_answer(answer, len));
    assert_null(yyjson_mut_obj_get(answer->root, "left_out"));
    assert_true(ts_fit_answer(answer, len - 1));
    assert_int_equal(number_at(answer, "/left_out/rows"), 2);
    ts_answer_free(answer);
}

static void the_longest_list_loses_its_end(void **state)
{
    (void)state;
    struct ts_answer *answer = new_answer();
    add_rows(answer, answer->root, "rows", 100, 3000);
    yyjson_mut_val *other = ts_answer_object(answer, answer->root, "L1");
    add_rows(answer, other, "operations", 10, 200);
    ts_answer_string(answer, answer->root, "note", TS_STR("behind"));
    ts_answer_string(answer, answer->root, "app_link_template", TS_STR("http://x"));
    finish(answer);
    assert_true(ts_fit_answer(answer, 64000));
    finish(answer);
    assert_in_range(answer->json_len, 64000 - 3300, 64000);
    uint64_t returned = number_at(answer, "/returned");
    assert_int_equal(yyjson_mut_arr_size(yyjson_mut_obj_get(answer->root, "rows")), returned);
    assert_int_equal(number_at(answer, "/left_out/rows"), 100 - returned);
    assert_int_equal(number_at(answer, "/rows/0/id"), 0);
    assert_int_equal(number_at(answer, "/L1/returned"), 10);
    /* Before the link, which comes last. */
    assert_non_null(strstr(answer->json, "\"note\":\"behind\",\"left_out\":{\"rows\":"));
    assert_string_equal(strstr(answer->json, "\"app_link"), "\"app_link_template\":\"http://x\"}");
    ts_answer_free(answer);
}

static void lists_deeper_down_are_cut_by_their_whole_name(void **state)
{
    (void)state;
    struct ts_answer *answer = new_answer();
    yyjson_mut_val *one = ts_answer_object(answer, answer->root, "L1"),
                   *two = ts_answer_object(answer, answer->root, "DRAM");
    add_rows(answer, one, "operations", 50, 1000);
    add_rows(answer, two, "operations", 60, 1000);
    finish(answer);
    assert_true(ts_fit_answer(answer, 20000));
    finish(answer);
    assert_in_range(answer->json_len, 10000, 20000);
    assert_int_equal(number_at(answer, "/left_out/DRAM.operations") + number_at(answer, "/DRAM/returned"), 60);
    assert_int_equal(number_at(answer, "/left_out/L1.operations") + number_at(answer, "/L1/returned"), 50);
    ts_answer_free(answer);
}

static void what_is_no_list_stays(void **state)
{
    (void)state;
    char text[4000];
    memset(text, 'x', sizeof text);
    struct ts_answer *answer = new_answer();
    for (unsigned i = 0; i < 10; i++) {
        char key[16];
        snprintf(key, sizeof key, "text%u", i);
        ts_answer_text(answer, answer->root, key, (struct ts_str){text, sizeof text});
    }
    finish(answer);
    assert_false(ts_fit_answer(answer, 20000));
    assert_null(yyjson_mut_obj_get(answer->root, "left_out"));
    ts_answer_free(answer);
}

static void memory_that_runs_out_is_told(void **state)
{
    (void)state;
    unsigned failures = 0;
    for (long n = 0;; n++) {
        struct ts_error error;
        struct ts_answer *answer = new_answer();
        add_rows(answer, answer->root, "rows", 40, 1000);
        finish(answer);
        interpose_fail_from(n);
        bool cut = ts_fit_answer(answer, 10000);
        enum ts_status status = cut || answer->failed ? ts_answer_finish(answer, NULL, &error) : TS_OK;
        bool reached = interpose_stop();
        if (status)
            assert_int_equal(status, TS_NO_MEMORY);
        else
            assert_true(answer->json_len <= 10000);
        ts_answer_free(answer);
        if (!reached)
            break;
        failures++;
    }
    assert_true(failures > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays),
        cmocka_unit_test(the_longest_list_loses_its_end),
        cmocka_unit_test(lists_deeper_down_are_cut_by_their_whole_name),
        cmocka_unit_test(what_is_no_list_stays),
        cmocka_unit_test(memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
