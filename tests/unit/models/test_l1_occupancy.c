/* The replay of L1, sentence by sentence; then random operations against a slow model that keeps plain lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "models/l1_occupancy.h"

enum { NODES_MAX = 64, USES_MAX = 16, BANKS = 8 };

static struct ts_l1_last_uses uses;
static struct ts_l1_occupancy occupancy;
static struct ts_l1_moment moment; /* of the last operation */

/* ---- short hand ---- */

/* Nodes, divided by blanks: A1000+64 allocates 64 bytes per bank, S1000+64/4 64 bytes over 4 cores, N1000 of no size, R1000+64
 * in DRAM; D1000 frees, d1000 in DRAM, X without an address; C5000+64 a circular buffer, G5000+64 a view, Z+64 without an
 * address, c5000 of no size; F frees all circular buffers, f is the same without params. */
static struct ts_graph_node node_of(const char *word)
{
    struct ts_graph_node node = {.in_l1 = true, .has_params = word[0] != 'f'};
    char *end = NULL;
    node.address = strtol(word + 1, &end, 10);
    node.has_address = end != word + 1 && word[1] != '+';
    bool sized = *end == '+';
    int64_t size = sized ? strtol(end + 1, &end, 10) : 0;
    switch (word[0]) {
    case 'A':
    case 'R':
        node.kind = TS_GRAPH_BUFFER_ALLOCATE;
        node.in_l1 = word[0] == 'A';
        node.has_per_bank = true;
        node.per_bank = size;
        node.has_size = true; /* which the other figure goes before */
        node.size = 99999;
        break;
    case 'S':
    case 'N':
        node.kind = TS_GRAPH_BUFFER_ALLOCATE;
        node.has_size = sized;
        node.size = size;
        node.has_cores = *end == '/';
        node.cores = node.has_cores ? strtol(end + 1, NULL, 10) : 0;
        break;
    case 'D':
    case 'd':
    case 'X':
        node.kind = TS_GRAPH_BUFFER_FREE;
        node.in_l1 = word[0] != 'd';
        break;
    case 'C':
    case 'G':
    case 'Z':
    case 'c':
        node.kind = TS_GRAPH_CIRCULAR_ALLOCATE;
        node.globally_allocated = word[0] == 'G';
        node.has_address = word[0] != 'Z';
        node.has_size = sized;
        node.size = size;
        break;
    case 'F':
    case 'f':
        node.kind = TS_GRAPH_CIRCULAR_FREE_ALL;
        break;
    default:
        fail_msg("%s: no such node", word);
    }
    return node;
}

/* One operation with these nodes and this snapshot ("1000+64 2000+32"; NULL: none). */
static void run(int64_t operation, const char *nodes, const char *snapshot)
{
    struct ts_graph_node items[NODES_MAX];
    struct ts_graph graph = {.nodes = {.items = items}};
    char words[1024], *rest = words;
    ts_l1_occupancy_begin(&occupancy, operation);
    snprintf(words, sizeof words, "%s", nodes);
    for (char *word; (word = strtok_r(rest, " ", &rest));)
        items[graph.nodes.count++] = node_of(word);
    assert_true(ts_l1_occupancy_graph(&occupancy, &graph));
    snprintf(rest = words, sizeof words, "%s", snapshot ? snapshot : "");
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char *end;
        long address = strtol(word, &end, 10);
        assert_true(ts_l1_occupancy_buffer(&occupancy, address, strtol(end + 1, NULL, 10)));
    }
    assert_true(ts_l1_occupancy_end(&occupancy, &moment));
}

static int use_by_operation(const void *a, const void *b)
{
    const struct ts_l1_use *left = a, *right = b;
    return (left->operation > right->operation) - (left->operation < right->operation);
}

/* Last uses by ascending address. */
static void use(int64_t address, int64_t operation)
{
    struct ts_l1_use one = {address, operation};
    assert_true(ts_vec_push(&uses.items, one) && ts_vec_push(&uses.order, one));
    qsort(uses.order.items, uses.order.count, sizeof one, use_by_operation);
}

static int begin(void **state)
{
    (void)state;
    ts_l1_occupancy_init(&occupancy, &uses, BANKS);
    return 0;
}

static int end(void **state)
{
    (void)state;
    ts_l1_occupancy_free(&occupancy);
    ts_l1_last_uses_free(&uses);
    uses = (struct ts_l1_last_uses){.unattributable = 0};
    return 0;
}

static void expect(double circular, double intermediate, double persistent, double stale)
{
    const double wanted[TS_L1_KINDS] = {circular, intermediate, persistent, stale};
    for (unsigned kind = 0; kind < TS_L1_KINDS; kind++)
        assert_true(wanted[kind] == moment.parts[kind]);
    assert_true(moment.total == circular + intermediate + persistent + stale);
}

/* ---- the sentences ---- */

static void test_worked_example(void **state)
{
    (void)state;
    use(1000, 1);
    run(1, "A1000+400 C5000+600", "1000+400");
    expect(600, 0, 400, 0);
    assert_true(moment.several);
    run(2, "F A2000+300 D2000 C5000+100", "1000+400");
    expect(0, 300, 0, 400);
    run(3, "", NULL);
    expect(0, 0, 0, 400);
    assert_false(moment.several);
    assert_true(ts_l1_bytes_number(occupancy.peak) == 1000);
    assert_int_equal(occupancy.peak_operation, 1);
    assert_true(ts_l1_bytes_number(occupancy.without_stale) == 1000);
    assert_int_equal(occupancy.without_stale_operation, 1);
    assert_true(ts_l1_occupancy_finish(&occupancy));
    assert_int_equal(occupancy.gone.count, 0);
}

static void test_entry_is_measured(void **state)
{
    (void)state;
    run(1, "A1000+400", NULL);
    run(2, "D1000 A2000+100", "2000+100");
    expect(0, 0, 400, 0);
}

static void test_free_all_clears_circular_buffers(void **state)
{
    (void)state;
    run(1, "C5000+600 F C6000+500", NULL);
    expect(600, 0, 0, 0);
    run(2, "C5000+300 C5100+10 F C6000+305", NULL);
    expect(310, 0, 0, 0);
    run(3, "C5000+300 f C6000+5", NULL); /* a node without params is passed over */
    expect(305, 0, 0, 0);
}

static void test_circular_buffers_end_with_the_operation(void **state)
{
    (void)state;
    run(1, "C5000+600", NULL);
    run(2, "", NULL);
    expect(0, 0, 0, 0);
    assert_false(ts_present(moment.largest_size));
}

static void test_equal_addresses_collapse(void **state)
{
    (void)state;
    run(1, "C5000+600 C5000+600 C5100+7 C5100+9", NULL);
    expect(609, 0, 0, 0);
    run(2, "C5000+600 C5000+500 C5100+50", NULL);
    expect(600, 0, 0, 0);
}

static void test_views_and_unplaced_circular_buffers(void **state)
{
    (void)state;
    run(1, "G5000+600 Z7+500 c5100 C5200+3", NULL);
    expect(3, 0, 0, 0);
    assert_true(moment.several); /* a size that is absent counts 0, and is still a resident */
}

static void test_other_memory_and_no_address(void **state)
{
    (void)state;
    run(1, "R1000+400 A2000+10 d2000 X D3000", NULL);
    expect(0, 0, 10, 0);
}

static void test_bytes_in_a_bank(void **state)
{
    (void)state;
    run(1, "S1000+100/4 S2000+80/0 S3000+16 N4000 A5000+7", NULL);
    expect(0, 0, 25 + 10 + 2 + 0 + 7, 0);
    run(2, "D1000 D2000 D3000 D4000 D5000", NULL);
    run(3, "S1000+1/3", NULL);
    expect(0, 0, 1.0 / 3, 0);
    run(4, "S2000+1/3 S3000+1/3", NULL);
    expect(0, 0, 1, 0);
    run(5, "D1000 D2000 D3000", NULL);
    run(6, "", NULL);
    expect(0, 0, 0, 0); /* nothing is left of thirds that came and went */
    run(7, "S1000+-5/2 A2000+-5", "1000+-9");
    expect(0, 0, 0, 0);
    run(8, "A2000+-5 S3000+-64 C5000+-3 A4000+7", "4000+7 1000+-9");
    expect(0, 0, 7, 0);
}

static void test_sizes_beyond_any_device(void **state)
{
    (void)state;
    run(1, "A1000+9223372036854775807 A2000+9223372036854775807", NULL);
    expect(0, 0, 562949953421312.0, 0);
    run(2, "D1000 D2000 A3000+5", "3000+5");
    run(3, "", NULL);
    expect(0, 0, 5, 0);
}

static void test_occurrences(void **state)
{
    (void)state;
    run(1, "A1000+10 D1000 A1000+20", "1000+20"); /* the second one lives on */
    expect(0, 0, 20, 0);
    run(2, "D1000", NULL);
    run(3, "A1000+10 D1000 A1000+30 D1000", NULL);
    expect(0, 30, 0, 0);
    run(4, "A1000+40 A1000+30 D1000 D1000", NULL); /* only what is alive is freed: the second one */
    expect(0, 0, 40, 0);
    run(5, "D1000 A1000+50", NULL); /* a free before the allocation */
    expect(0, 0, 50, 0);
}

static void test_a_snapshot_drops_and_sets(void **state)
{
    (void)state;
    run(1, "A1000+10 A2000+20 A3000+30", "1000+100 4000+40 1000+15");
    expect(0, 0, 60, 0); /* before; behind it 15 + 40 */
    assert_int_equal(occupancy.reconciled, 2);
    run(2, "", NULL); /* no snapshot: nothing is dropped */
    expect(0, 0, 55, 0);
    assert_int_equal(occupancy.reconciled, 2);
    run(3, "A5000+5 D5000 A6000+6", "6000+6");
    expect(0, 0, 61, 0);
    assert_int_equal(occupancy.reconciled, 4);
}

static void test_a_snapshot_makes_an_intermediate_stay(void **state)
{
    (void)state;
    run(1, "A1000+10 A1000+10 D1000", "1000+10");
    run(2, "", NULL);
    expect(0, 0, 10, 0);
    run(3, "A2000+5 D2000 A3000+9 D3000", "2000+5"); /* what the graph freed is there all the same */
    run(4, "", NULL);
    expect(0, 0, 5, 0);
}

static void test_the_snapshot_is_measured_with_circular_buffers(void **state)
{
    (void)state;
    run(1, "C5000+3000", "7000+4000 8000+2000");
    expect(3000, 0, 6000, 0);
}

static void test_a_tie_keeps_the_first_moment(void **state)
{
    (void)state;
    run(1, "A1000+50 D1000 C5000+50", NULL);
    expect(0, 50, 0, 0);
    run(2, "A2000+40", NULL);
    run(3, "C5000+10", NULL);
    assert_int_equal(occupancy.peak_operation, 1);
}

static void test_stale(void **state)
{
    (void)state;
    use(1000, 2);
    use(2000, 3);
    run(1, "A1000+10 A2000+20 A3000+30", NULL);
    run(2, "", NULL);
    expect(0, 0, 60, 0); /* its own last use */
    run(3, "", NULL);
    expect(0, 0, 50, 10);
    run(7, "A1000+15 D1000 ", NULL); /* what is freed again is intermediate, whatever lay there */
    expect(0, 15, 30, 20);
    run(8, "A1000+15", NULL); /* an address whose last use is over */
    expect(0, 0, 30, 35);
}

static void test_the_largest(void **state)
{
    (void)state;
    use(2000, 9);
    run(1, "A3000+20 A2000+20 C5000+20", NULL);
    assert_int_equal(moment.largest_address, 2000);
    assert_int_equal(moment.largest_kind, TS_L1_PERSISTENT);
    assert_true(moment.largest_used && moment.largest_last_use == 9);
    run(2, "C1000+20", NULL);
    assert_int_equal(moment.largest_address, 1000);
    assert_int_equal(moment.largest_kind, TS_L1_CIRCULAR);
    assert_false(moment.largest_used);
    run(3, "D2000 A2000+25 D2000", NULL);
    assert_int_equal(moment.largest_kind, TS_L1_INTERMEDIATE);
    assert_false(moment.largest_used); /* its address may have been another tensor's */
    assert_true(moment.largest_size == 25);
}

static void test_what_freeing_gives(void **state)
{
    (void)state;
    use(1000, 1);
    use(2000, 2);
    use(3000, 9);
    run(1, "A1000+70 A2000+30", NULL);
    run(2, "A3000+10", NULL);
    run(3, "A4000+5 D4000", NULL);
    expect(0, 5, 10, 100);
    run(4, "D1000 A1000+70", "2000+31 3000+10"); /* both change afterwards */
    assert_true(ts_l1_occupancy_finish(&occupancy));
    assert_int_equal(occupancy.peak_operation, 3);
    assert_int_equal(occupancy.gone.count, 2);
    assert_true(occupancy.gone.items[0].address == 1000 && occupancy.gone.items[0].size == 70 &&
                occupancy.gone.items[0].last_use == 1);
    assert_true(occupancy.gone.items[1].address == 2000 && occupancy.gone.items[1].size == 30 &&
                occupancy.gone.items[1].last_use == 2);
    /* Not the peak less its stale tensors: the first operation is the fullest then. */
    assert_true(ts_l1_bytes_number(occupancy.without_stale) == 100);
    assert_int_equal(occupancy.without_stale_operation, 1);
}

/* ---- against a slow model ---- */

enum { ADDRESSES = 6, SLOW_MAX = 256 };

struct slow_tensor {
    bool there, intermediate;
    int64_t size;
};
struct slow_state {
    struct slow_tensor tensors[ADDRESSES];
    int64_t circular[ADDRESSES]; /* -1: none */
    int64_t last[ADDRESSES];     /* 0: none */
};
struct slow_figures {
    int64_t operation, total, parts[TS_L1_KINDS], largest_size, largest_address;
    int residents, largest_kind;
};

static struct slow_figures slow_measure(const struct slow_state *state, int64_t operation)
{
    struct slow_figures figures = {.operation = operation, .largest_size = -1};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < ADDRESSES; i++) {
            const struct slow_tensor *tensor = &state->tensors[i];
            if (pass == 0 ? !tensor->there : state->circular[i] < 0)
                continue;
            int64_t size = pass == 0 ? tensor->size : state->circular[i], address = pass == 0 ? 1000 * (i + 1) : i + 1;
            int kind = pass == 1                                      ? TS_L1_CIRCULAR
                       : tensor->intermediate                         ? TS_L1_INTERMEDIATE
                       : state->last[i] && state->last[i] < operation ? TS_L1_STALE
                                                                      : TS_L1_PERSISTENT;
            figures.parts[kind] += size;
            figures.total += size;
            figures.residents++;
            if (size > figures.largest_size || (size == figures.largest_size && address < figures.largest_address)) {
                figures.largest_size = size;
                figures.largest_address = address;
                figures.largest_kind = kind;
            }
        }
    return figures;
}

struct slow_run {
    struct slow_state state, at_peak;
    struct slow_figures best, peak;
    int64_t without, without_operation, reconciled;
};

static void slow_look(struct slow_run *slow, int64_t operation, bool first)
{
    struct slow_figures now = slow_measure(&slow->state, operation);
    if (first || now.total > slow->best.total)
        slow->best = now;
    if (now.total > slow->peak.total) {
        slow->peak = now;
        slow->at_peak = slow->state;
    }
    if (now.total - now.parts[TS_L1_STALE] > slow->without) {
        slow->without = now.total - now.parts[TS_L1_STALE];
        slow->without_operation = operation;
    }
}

/* Whether a later free in the same operation takes the allocation at index away. */
static bool slow_is_freed(char kinds[], const int at[], int count, int index)
{
    for (int free = 0, live[ADDRESSES] = {0}; free < count; free++) {
        if (kinds[free] == 'A')
            live[at[free]] = free + 1;
        if (kinds[free] != 'D')
            continue;
        if (live[at[free]] == index + 1)
            return true;
        live[at[free]] = 0;
    }
    return false;
}

static uint64_t random_state;
static int draw(int below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (uint64_t)below);
}

static void random_operation(struct slow_run *slow, int64_t operation)
{
    static const char choice[] = "AAADDCCF";
    char kinds[12], nodes[512] = "", snapshot[256] = "";
    int at[12], sizes[12], count = draw(12);
    size_t len = 0;
    for (int i = 0; i < count; i++) {
        kinds[i] = choice[draw((int)sizeof choice - 1)];
        at[i] = draw(ADDRESSES);
        sizes[i] = draw(5) * 8;
        len += (size_t)snprintf(nodes + len, sizeof nodes - len, "%c%d+%d ", kinds[i],
                                kinds[i] == 'C' ? at[i] + 1 : 1000 * (at[i] + 1), sizes[i]);
    }
    slow_look(slow, operation, true);
    for (int i = 0; i < count; i++) {
        struct slow_tensor *tensor = &slow->state.tensors[at[i]];
        if (kinds[i] == 'A')
            *tensor = (struct slow_tensor){true, slow_is_freed(kinds, at, count, i), sizes[i]};
        else if (kinds[i] == 'D')
            tensor->there = false;
        else if (kinds[i] == 'C')
            slow->state.circular[at[i]] = sizes[i];
        else
            memset(slow->state.circular, -1, sizeof slow->state.circular);
        slow_look(slow, operation, false);
    }
    if (draw(3) > 0) {
        bool any = false, kept[ADDRESSES] = {false};
        len = 0;
        for (int i = draw(5); i > 0; i--) {
            int address = draw(ADDRESSES), size = draw(5) * 8;
            any = kept[address] = true;
            len += (size_t)snprintf(snapshot + len, sizeof snapshot - len, "%d+%d ", 1000 * (address + 1), size);
            if (!slow->state.tensors[address].there)
                slow->state.tensors[address].there = true;
            slow->state.tensors[address].intermediate = false;
            slow->state.tensors[address].size = size;
        }
        for (int i = 0; i < ADDRESSES && any; i++) {
            slow->reconciled += slow->state.tensors[i].there && !kept[i];
            slow->state.tensors[i].there = slow->state.tensors[i].there && kept[i];
        }
    }
    slow_look(slow, operation, false);
    memset(slow->state.circular, -1, sizeof slow->state.circular);
    run(operation, nodes, snapshot);
}

static void compare_moment(const struct slow_figures *wanted)
{
    assert_true(moment.total == (double)wanted->total);
    for (unsigned kind = 0; kind < TS_L1_KINDS; kind++)
        assert_true(moment.parts[kind] == (double)wanted->parts[kind]);
    assert_int_equal(moment.several, wanted->residents > 1);
    assert_int_equal(ts_present(moment.largest_size), wanted->residents > 0);
    if (wanted->residents == 0)
        return;
    assert_true(moment.largest_size == (double)wanted->largest_size);
    assert_int_equal(moment.largest_address, wanted->largest_address);
    assert_int_equal(moment.largest_kind, wanted->largest_kind);
}

static void compare_stale(const struct slow_run *slow)
{
    size_t stale = 0;
    for (int i = 0; i < ADDRESSES; i++) {
        const struct slow_tensor *tensor = &slow->at_peak.tensors[i];
        if (slow->peak.total == 0 || !tensor->there || tensor->intermediate || !slow->at_peak.last[i] ||
            slow->at_peak.last[i] >= slow->peak.operation)
            continue;
        size_t at = 0;
        while (at < occupancy.gone.count && occupancy.gone.items[at].address != 1000 * (i + 1))
            at++;
        assert_true(at < occupancy.gone.count);
        assert_true(occupancy.gone.items[at].size == (double)tensor->size);
        assert_int_equal(occupancy.gone.items[at].last_use, slow->at_peak.last[i]);
        stale++;
    }
    assert_int_equal(occupancy.gone.count, stale);
}

static void test_random_operations(void **state)
{
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        struct slow_run slow = {.without = 0};
        random_state = seed * 7919;
        memset(slow.state.circular, -1, sizeof slow.state.circular);
        for (int i = 0; i < ADDRESSES; i++)
            if (draw(2) > 0) {
                slow.state.last[i] = 1 + draw(9);
                use(1000 * (i + 1), slow.state.last[i]);
            }
        for (int64_t operation = 1; operation <= 12; operation += 1 + draw(2)) {
            random_operation(&slow, operation);
            compare_moment(&slow.best);
        }
        assert_true(ts_l1_occupancy_finish(&occupancy));
        assert_true(ts_l1_bytes_number(occupancy.peak) == (double)slow.peak.total);
        assert_int_equal(occupancy.peak_operation, slow.peak.operation);
        assert_true(ts_l1_bytes_number(occupancy.without_stale) == (double)slow.without);
        assert_int_equal(occupancy.without_stale_operation, slow.without_operation);
        assert_int_equal(occupancy.reconciled, slow.reconciled);
        compare_stale(&slow);
        end(state);
        begin(state);
    }
}

/* Many residents: the tables grow, shrink and are tidied. */
static void test_many_residents(void **state)
{
    (void)state;
    struct ts_l1_residents residents;
    ts_l1_residents_init(&residents);
    for (int round = 0; round < 3; round++) {
        for (int64_t i = 0; i < 20000; i++) {
            const struct ts_l1_resident one = {
                .address = i * 64, .size = ts_l1_bytes_of(1 + i % 977, 1), .born = (uint64_t)i, .kind = TS_L1_STALE};
            assert_true(ts_l1_residents_add(&residents, &one));
        }
        assert_int_equal(ts_l1_residents_largest(&residents)->address, 976 * 64);
        for (int64_t i = 0; i < 20000; i++)
            if (i % 977 > 500)
                ts_l1_residents_remove(&residents, ts_l1_residents_find(&residents, i * 64));
        assert_int_equal(ts_l1_residents_largest(&residents)->address, 500 * 64);
        for (int64_t i = 0; i < 20000; i++)
            assert_int_equal(ts_l1_residents_find(&residents, i * 64) != NULL, i % 977 <= 500);
        ts_l1_residents_clear(&residents);
        assert_null(ts_l1_residents_largest(&residents));
        assert_null(ts_l1_residents_find(&residents, 0));
    }
    ts_l1_residents_free(&residents);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_worked_example),
        CASE(test_entry_is_measured),
        CASE(test_free_all_clears_circular_buffers),
        CASE(test_circular_buffers_end_with_the_operation),
        CASE(test_equal_addresses_collapse),
        CASE(test_views_and_unplaced_circular_buffers),
        CASE(test_other_memory_and_no_address),
        CASE(test_bytes_in_a_bank),
        CASE(test_sizes_beyond_any_device),
        CASE(test_occurrences),
        CASE(test_a_snapshot_drops_and_sets),
        CASE(test_a_snapshot_makes_an_intermediate_stay),
        CASE(test_the_snapshot_is_measured_with_circular_buffers),
        CASE(test_a_tie_keeps_the_first_moment),
        CASE(test_stale),
        CASE(test_the_largest),
        CASE(test_what_freeing_gives),
        CASE(test_random_operations),
        CASE(test_many_residents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
