#include "base/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

/* One file at two states of its life, and another file. */
static const struct ts_identity OLD = {
    .device = 1, .inode = 2, .size = 10, .mtime_ns = 100, .ctime_ns = 100, .path_hash = 9};
static const struct ts_identity NEW = {
    .device = 1, .inode = 3, .size = 10, .mtime_ns = 200, .ctime_ns = 200, .path_hash = 9};
static const struct ts_identity OTHER = {
    .device = 1, .inode = 7, .size = 5, .mtime_ns = 1, .ctime_ns = 1, .path_hash = 8};
static const struct ts_identity GONE = {0};

struct made {
    struct ts_part part;
    unsigned number; /* which making this was, from 1 */
    unsigned *destroyed;
};

enum { LIMIT = 100 };

struct fixture {
    struct ts_context context;
    struct ts_error error;
    struct ts_parts *parts;
    struct ts_pins a, b; /* two captures */
    unsigned makes, destroyed;
    /* What the next making does. */
    size_t size;
    struct ts_identity read; /* the state of the file that is read */
    bool read_set;           /* else the state that was asked for */
    enum ts_status fails;
    const struct ts_part_request *request;
    const struct ts_identity *pinned; /* of parts that are kept; those that refuse are pinned at OLD */
};

static void destroy_made(struct ts_part *part)
{
    struct made *made = (struct made *)part;
    ++*made->destroyed;
    free(made);
}

static const struct ts_part_type REFUSE = {"rows", TS_PART_REFUSE, destroy_made};
static const struct ts_part_type KEEP = {"spans", TS_PART_KEEP, destroy_made};
static const struct ts_part_type REREAD = {"zones", TS_PART_REREAD, destroy_made};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    ts_context_init(&f->context);
    f->size = 10;
    assert_int_equal(ts_parts_create(LIMIT, &f->parts, &f->error), TS_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    ts_pins_free(&f->a, f->parts);
    ts_pins_free(&f->b, f->parts);
    ts_parts_destroy(f->parts);
    assert_int_equal(f->makes, f->destroyed);
    free(f);
    return 0;
}

static enum ts_status make(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    struct fixture *f = data;
    assert_ptr_equal(context, &f->context);
    if (f->fails != TS_OK)
        return ts_error_set(error, f->fails, "making failed");
    struct made *made = calloc(1, sizeof *made);
    made->number = ++f->makes;
    made->destroyed = &f->destroyed;
    made->part.size = f->size;
    made->part.identity = f->read_set ? f->read : f->request->now;
    *out = &made->part;
    return TS_OK;
}

static enum ts_status try_acquire(struct fixture *f, struct ts_pins *pins, const struct ts_part_type *type,
                                  const char *options, struct ts_identity now, struct made **out)
{
    struct ts_part_request request = {
        .type = type,
        .options = options,
        .pinned = type == &REFUSE ? &OLD : f->pinned,
        .now = now,
        .path = "/captures/ops.csv",
        .label = "report-7",
        .make = make,
        .data = f,
    };
    struct ts_part *part = NULL;
    f->request = &request;
    enum ts_status status = ts_parts_acquire(&f->context, f->parts, pins, &request, &part, &f->error);
    if (status != TS_OK)
        assert_null(part);
    else
        assert_true(part->users > 0);
    *out = (struct made *)part;
    return status;
}

/* Which making answered; the part is released at once, as at the end of a call. *changed as the call would say. */
static unsigned answer(struct fixture *f, struct ts_pins *pins, const struct ts_part_type *type, const char *options,
                       struct ts_identity now, bool *changed)
{
    struct made *made;
    if (try_acquire(f, pins, type, options, now, &made) != TS_OK)
        fail_msg("%s", f->error.message);
    unsigned number = made->number;
    *changed = pins->changed;
    ts_pins_release(pins, f->parts);
    return number;
}

static void assert_answer(struct fixture *f, struct ts_pins *pins, const struct ts_part_type *type, const char *options,
                          struct ts_identity now, unsigned making, bool changed)
{
    bool was_changed;
    assert_int_equal(answer(f, pins, type, options, now, &was_changed), making);
    assert_int_equal(was_changed, changed);
}

static void assert_changed(struct fixture *f, struct ts_pins *pins, const struct ts_part_type *type,
                           const char *options, struct ts_identity now)
{
    unsigned makes = f->makes;
    struct made *made;
    assert_int_equal(try_acquire(f, pins, type, options, now, &made), TS_CHANGED);
    assert_int_equal(f->makes, makes);
    assert_int_equal(pins->held.count, 0);
    assert_false(pins->changed);
    assert_non_null(strstr(f->error.message, "report-7: the capture changed since it was loaded"));
    assert_non_null(strstr(f->error.message, "/captures/ops.csv"));
    assert_non_null(strstr(f->error.message, "open it again"));
}

/* Push everything unused out of the cache by a part that needs all the room. */
static void evict_all(struct fixture *f)
{
    bool changed;
    struct ts_pins pins = {0};
    size_t size = f->size;
    f->size = LIMIT;
    answer(f, &pins, &REREAD, "filler", OTHER, &changed);
    f->size = size;
    ts_pins_free(&pins, f->parts);
    assert_int_equal(ts_parts_bytes(f->parts), LIMIT);
}

/* ---- refuse: the operations CSV ---- */

static void refuse_reads_once_while_the_file_is_the_pinned_one(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
}

static void refuse_reads_each_range_by_itself(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
    assert_answer(f, &f->a, &REFUSE, "start..end", OLD, 2, false);
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
    assert_answer(f, &f->a, &REFUSE, "start..end", OLD, 2, false);
}

static void refuse_reads_again_after_eviction_while_unchanged(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
    evict_all(f);
    assert_answer(f, &f->a, &REFUSE, "", OLD, 3, false);
}

static void refuse_answers_after_a_change_from_what_it_answered_from_and_says_so(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
    assert_answer(f, &f->a, &REFUSE, "", NEW, 1, true);
    assert_answer(f, &f->a, &REFUSE, "", GONE, 1, true);
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
}

static void refuse_refuses_everything_when_it_changed_before_the_first_answer(void **state)
{
    struct fixture *f = *state;
    assert_changed(f, &f->a, &REFUSE, "", NEW);
    assert_changed(f, &f->a, &REFUSE, "", GONE);
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
}

static void refuse_refuses_after_a_change_a_range_not_asked_before(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
    assert_changed(f, &f->a, &REFUSE, "start..end", NEW);
    assert_answer(f, &f->a, &REFUSE, "", NEW, 1, true);
}

static void refuse_refuses_after_a_change_what_is_no_longer_kept(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
    evict_all(f);
    assert_changed(f, &f->a, &REFUSE, "", NEW);
}

static void refuse_refuses_after_a_change_what_only_another_capture_asked(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->b, &REFUSE, "", OLD, 1, false);
    assert_changed(f, &f->a, &REFUSE, "", NEW);
    assert_answer(f, &f->b, &REFUSE, "", NEW, 1, true);
}

static void refuse_without_an_identity_of_opening_is_a_defect(void **state)
{
    struct fixture *f = *state;
    struct ts_part_request request = {.type = &REFUSE, .options = "", .now = OLD, .make = make, .data = f};
    struct ts_part *part;
    assert_int_equal(ts_parts_acquire(&f->context, f->parts, &f->a, &request, &part, &f->error), TS_INTERNAL);
}

/* ---- keep: core spans, the L1 replay, the link ---- */

static void keep_pins_the_file_at_the_first_answer(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &KEEP, "", NEW, 1, false);
    assert_answer(f, &f->a, &KEEP, "", NEW, 1, false);
}

static void keep_goes_on_answering_after_a_change_and_says_so(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &KEEP, "", OLD, 1, false);
    assert_answer(f, &f->a, &KEEP, "", NEW, 1, true);
    assert_answer(f, &f->a, &KEEP, "", GONE, 1, true);
    assert_answer(f, &f->a, &KEEP, "", OLD, 1, false);
}

static void keep_reads_again_after_eviction_while_unchanged(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &KEEP, "", OLD, 1, false);
    evict_all(f);
    assert_answer(f, &f->a, &KEEP, "", OLD, 3, false);
}

static void keep_refuses_after_eviction_and_a_change(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &KEEP, "", OLD, 1, false);
    evict_all(f);
    assert_changed(f, &f->a, &KEEP, "", NEW);
}

/* An asker that keeps track of what answers: nothing is pinned at the first use, and all its parts answer from one state. */
static void keep_of_an_asker_that_pins_itself(void **state)
{
    struct fixture *f = *state;
    f->pinned = &OLD;
    assert_answer(f, &f->a, &KEEP, "x", OLD, 1, false);
    assert_changed(f, &f->a, &KEEP, "y", NEW);
    assert_answer(f, &f->a, &KEEP, "x", NEW, 1, true);
    f->pinned = &NEW;
    assert_answer(f, &f->a, &KEEP, "x", NEW, 2, false);
    f->pinned = &OLD;
    assert_answer(f, &f->a, &KEEP, "x", NEW, 1, true);
}

static void keep_pins_each_options_by_themselves(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &KEEP, "x", OLD, 1, false);
    assert_answer(f, &f->a, &KEEP, "y", NEW, 2, false);
    assert_answer(f, &f->a, &KEEP, "x", NEW, 1, true);
}

/* ---- read again: zone summary, database maps ---- */

static void reread_reads_once_while_unchanged(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REREAD, "", OLD, 1, false);
    assert_answer(f, &f->a, &REREAD, "", OLD, 1, false);
}

static void reread_reads_the_file_as_it_is_now(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REREAD, "", OLD, 1, false);
    assert_answer(f, &f->a, &REREAD, "", NEW, 2, false);
    assert_answer(f, &f->a, &REREAD, "", NEW, 2, false);
}

static void reread_drops_the_earlier_state_of_the_file(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REREAD, "", OLD, 1, false);
    assert_answer(f, &f->a, &REREAD, "other", OLD, 2, false);
    assert_answer(f, &f->a, &REREAD, "", OTHER, 3, false);
    assert_answer(f, &f->a, &REREAD, "", NEW, 4, false);
    assert_int_equal(f->destroyed, 1);
    assert_answer(f, &f->a, &REREAD, "other", OLD, 2, false);
    assert_answer(f, &f->a, &REREAD, "", OTHER, 3, false);
}

static void reread_keeps_an_earlier_state_that_is_in_use(void **state)
{
    struct fixture *f = *state;
    struct made *made;
    assert_int_equal(try_acquire(f, &f->a, &REREAD, "", OLD, &made), TS_OK);
    assert_answer(f, &f->b, &REREAD, "", NEW, 2, false);
    assert_int_equal(f->destroyed, 0);
    assert_int_equal(made->number, 1);
}

/* ---- sharing ---- */

static void captures_of_one_file_share_its_parts(void **state)
{
    struct fixture *f = *state;
    const struct ts_part_type *types[] = {&REFUSE, &KEEP, &REREAD};
    for (unsigned i = 0; i < 3; i++) {
        struct made *first, *second;
        assert_int_equal(try_acquire(f, &f->a, types[i], "", OLD, &first), TS_OK);
        assert_int_equal(try_acquire(f, &f->b, types[i], "", OLD, &second), TS_OK);
        assert_ptr_equal(first, second);
        assert_int_equal(first->part.users, 2);
        assert_int_equal(f->makes, i + 1);
    }
}

static void a_capture_loaded_after_a_change_reads_afresh_beside_the_old_one(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &KEEP, "", OLD, 1, false);
    assert_answer(f, &f->b, &KEEP, "", NEW, 2, false);
    assert_answer(f, &f->a, &KEEP, "", NEW, 1, true);
    assert_answer(f, &f->b, &KEEP, "", NEW, 2, false);
}

static void types_do_not_answer_for_each_other(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REFUSE, "", OLD, 1, false);
    assert_answer(f, &f->a, &KEEP, "", OLD, 2, false);
    assert_answer(f, &f->a, &REREAD, "", OLD, 3, false);
}

static void one_changed_part_marks_the_whole_call(void **state)
{
    struct fixture *f = *state;
    struct made *made;
    assert_answer(f, &f->a, &KEEP, "", OLD, 1, false);
    assert_int_equal(try_acquire(f, &f->a, &KEEP, "", NEW, &made), TS_OK);
    assert_int_equal(try_acquire(f, &f->a, &REREAD, "", NEW, &made), TS_OK);
    assert_true(f->a.changed);
    ts_pins_release(&f->a, f->parts);
    assert_false(f->a.changed);
}

/* ---- only whole parts are kept ---- */

static void a_failed_making_keeps_and_pins_nothing(void **state)
{
    struct fixture *f = *state;
    static const enum ts_status failures[] = {TS_INPUT, TS_CANCELLED, TS_BUSY, TS_LIMIT, TS_NO_MEMORY};
    const struct ts_part_type *types[] = {&REFUSE, &KEEP, &REREAD};
    for (size_t t = 0; t < 3; t++) {
        for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
            struct made *made;
            f->fails = failures[i];
            assert_int_equal(try_acquire(f, &f->a, types[t], "", OLD, &made), failures[i]);
            assert_string_equal(f->error.message, "making failed");
            assert_int_equal(ts_parts_bytes(f->parts), 0);
            assert_int_equal(f->a.count, 0);
        }
    }
    f->fails = TS_OK;
    /* Nothing is pinned: the keeper takes the file as it is by now. */
    assert_answer(f, &f->a, &KEEP, "", NEW, 1, false);
}

static void a_file_that_changed_while_being_read_keeps_nothing(void **state)
{
    struct fixture *f = *state;
    const struct ts_part_type *types[] = {&REFUSE, &KEEP, &REREAD};
    f->read_set = true;
    f->read = NEW;
    for (unsigned t = 0; t < 3; t++) {
        struct made *made;
        assert_int_equal(try_acquire(f, &f->a, types[t], "", OLD, &made), TS_CHANGED);
        assert_non_null(strstr(f->error.message, "report-7: the capture changed while it was being read"));
        assert_int_equal(f->destroyed, t + 1);
        assert_int_equal(ts_parts_bytes(f->parts), 0);
        assert_int_equal(f->a.count, 0);
    }
}

static enum ts_status make_from_another(struct ts_context *context, void *data, struct ts_part **out,
                                        struct ts_error *error)
{
    struct fixture *f = data;
    struct made *inner;
    const struct ts_part_request *outer = f->request;
    for (int i = 0; i < 20; i++) {
        char options[8] = {(char)('a' + i)};
        assert_int_equal(try_acquire(f, &f->a, &KEEP, options, OLD, &inner), TS_OK);
    }
    f->request = outer;
    return make(context, data, out, error);
}

static void a_making_may_acquire_other_parts(void **state)
{
    struct fixture *f = *state;
    struct ts_part_request request = {
        .type = &KEEP, .options = "", .now = OLD, .path = "p", .label = "l", .make = make_from_another, .data = f};
    struct ts_part *part;
    f->request = &request;
    assert_int_equal(ts_parts_acquire(&f->context, f->parts, &f->a, &request, &part, &f->error), TS_OK);
    assert_int_equal(((struct made *)part)->number, 21);
    assert_int_equal(f->a.held.count, 21);
    assert_int_equal(f->destroyed, 0);
    ts_pins_release(&f->a, f->parts);
    assert_int_equal(ts_parts_bytes(f->parts), LIMIT);
}

/* ---- bounds ---- */

static void the_least_recently_used_goes_first(void **state)
{
    struct fixture *f = *state;
    f->size = 40;
    assert_answer(f, &f->a, &REREAD, "x", OLD, 1, false);
    assert_answer(f, &f->a, &REREAD, "y", OLD, 2, false);
    assert_answer(f, &f->b, &REREAD, "x", OLD, 1, false);
    assert_answer(f, &f->a, &REREAD, "z", OLD, 3, false); /* y goes */
    assert_int_equal(f->destroyed, 1);
    assert_int_equal(ts_parts_bytes(f->parts), 80);
    assert_answer(f, &f->a, &REREAD, "x", OLD, 1, false);
    assert_answer(f, &f->a, &REREAD, "z", OLD, 3, false);
    assert_answer(f, &f->a, &REREAD, "y", OLD, 4, false);
}

static void exactly_the_limit_is_kept(void **state)
{
    struct fixture *f = *state;
    f->size = 50;
    assert_answer(f, &f->a, &REREAD, "x", OLD, 1, false);
    assert_answer(f, &f->a, &REREAD, "y", OLD, 2, false);
    assert_int_equal(ts_parts_bytes(f->parts), 100);
    f->size = 1;
    assert_answer(f, &f->a, &REREAD, "z", OLD, 3, false);
    assert_int_equal(ts_parts_bytes(f->parts), 51);
}

static void a_held_part_stays_until_it_is_released(void **state)
{
    struct fixture *f = *state;
    struct made *x, *y;
    f->size = 60;
    assert_int_equal(try_acquire(f, &f->a, &REREAD, "x", OLD, &x), TS_OK);
    assert_int_equal(try_acquire(f, &f->a, &REREAD, "y", OLD, &y), TS_OK);
    assert_int_equal(f->destroyed, 0);
    assert_int_equal(x->number, 1);
    assert_int_equal(ts_parts_bytes(f->parts), 120);
    ts_pins_release(&f->a, f->parts);
    assert_int_equal(f->destroyed, 1);
    assert_answer(f, &f->a, &REREAD, "y", OLD, 2, false);
}

static void a_part_held_by_two_captures_stays_until_both_release_it(void **state)
{
    struct fixture *f = *state;
    struct made *made;
    f->size = 1000;
    assert_int_equal(try_acquire(f, &f->a, &REREAD, "", OLD, &made), TS_OK);
    assert_int_equal(try_acquire(f, &f->b, &REREAD, "", OLD, &made), TS_OK);
    assert_int_equal(try_acquire(f, &f->b, &REREAD, "", OLD, &made), TS_OK);
    assert_int_equal(made->part.users, 2); /* twice in one call is held once */
    ts_pins_release(&f->b, f->parts);
    assert_int_equal(f->destroyed, 0);
    ts_pins_free(&f->a, f->parts);
    assert_int_equal(f->destroyed, 1);
}

static void an_oversize_part_answers_and_is_dropped_alone(void **state)
{
    struct fixture *f = *state;
    assert_answer(f, &f->a, &REREAD, "small", OLD, 1, false);
    f->size = LIMIT + 1;
    struct made *made;
    assert_int_equal(try_acquire(f, &f->a, &KEEP, "", OLD, &made), TS_OK);
    assert_int_equal(made->number, 2);
    assert_int_equal(ts_parts_bytes(f->parts), 10 + LIMIT + 1);
    ts_pins_release(&f->a, f->parts);
    assert_int_equal(f->destroyed, 1);
    assert_int_equal(ts_parts_bytes(f->parts), 10);
    assert_answer(f, &f->a, &REREAD, "small", OLD, 1, false);
    assert_answer(f, &f->a, &KEEP, "", OLD, 3, false);
    assert_changed(f, &f->a, &KEEP, "", NEW);
}

static void destroying_the_cache_gives_every_part_back(void **state)
{
    struct fixture *f = *state;
    struct ts_parts *parts;
    assert_answer(f, &f->a, &KEEP, "x", OLD, 1, false);
    assert_answer(f, &f->a, &REREAD, "y", OLD, 2, false);
    ts_parts_destroy(f->parts);
    assert_int_equal(f->destroyed, 2);
    assert_int_equal(ts_parts_create(LIMIT, &parts, &f->error), TS_OK);
    f->parts = parts;
    ts_parts_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(refuse_reads_once_while_the_file_is_the_pinned_one),
        TEST(refuse_reads_each_range_by_itself),
        TEST(refuse_reads_again_after_eviction_while_unchanged),
        TEST(refuse_answers_after_a_change_from_what_it_answered_from_and_says_so),
        TEST(refuse_refuses_everything_when_it_changed_before_the_first_answer),
        TEST(refuse_refuses_after_a_change_a_range_not_asked_before),
        TEST(refuse_refuses_after_a_change_what_is_no_longer_kept),
        TEST(refuse_refuses_after_a_change_what_only_another_capture_asked),
        TEST(refuse_without_an_identity_of_opening_is_a_defect),
        TEST(keep_pins_the_file_at_the_first_answer),
        TEST(keep_goes_on_answering_after_a_change_and_says_so),
        TEST(keep_reads_again_after_eviction_while_unchanged),
        TEST(keep_refuses_after_eviction_and_a_change),
        TEST(keep_of_an_asker_that_pins_itself),
        TEST(keep_pins_each_options_by_themselves),
        TEST(reread_reads_once_while_unchanged),
        TEST(reread_reads_the_file_as_it_is_now),
        TEST(reread_drops_the_earlier_state_of_the_file),
        TEST(reread_keeps_an_earlier_state_that_is_in_use),
        TEST(captures_of_one_file_share_its_parts),
        TEST(a_capture_loaded_after_a_change_reads_afresh_beside_the_old_one),
        TEST(types_do_not_answer_for_each_other),
        TEST(one_changed_part_marks_the_whole_call),
        TEST(a_failed_making_keeps_and_pins_nothing),
        TEST(a_file_that_changed_while_being_read_keeps_nothing),
        TEST(a_making_may_acquire_other_parts),
        TEST(the_least_recently_used_goes_first),
        TEST(exactly_the_limit_is_kept),
        TEST(a_held_part_stays_until_it_is_released),
        TEST(a_part_held_by_two_captures_stays_until_both_release_it),
        TEST(an_oversize_part_answers_and_is_dropped_alone),
        TEST(destroying_the_cache_gives_every_part_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
