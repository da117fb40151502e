#include "models/l1_occupancy.h"

#include <stdlib.h>

#include "base/number.h"

void ts_l1_occupancy_init(struct ts_l1_occupancy *occupancy, const struct ts_l1_last_uses *uses, int64_t banks)
{
    *occupancy = (struct ts_l1_occupancy){.uses = uses, .banks = banks};
    ts_l1_residents_init(&occupancy->tensors);
    ts_l1_residents_init(&occupancy->circular);
    ts_l1_residents_init(&occupancy->live);
}

void ts_l1_occupancy_free(struct ts_l1_occupancy *occupancy)
{
    ts_l1_residents_free(&occupancy->tensors);
    ts_l1_residents_free(&occupancy->circular);
    ts_l1_residents_free(&occupancy->live);
    ts_vec_free(&occupancy->freed);
    ts_vec_free(&occupancy->gone);
}

/* ---- measuring ---- */

static void note_largest(struct ts_l1_occupancy *occupancy)
{
    const struct ts_l1_resident *circular = ts_l1_residents_largest(&occupancy->circular);
    const struct ts_l1_resident *largest = ts_l1_residents_largest(&occupancy->tensors);
    struct ts_l1_moment *moment = &occupancy->moment;
    if (!largest || (circular && (circular->size > largest->size ||
                                  (circular->size == largest->size && circular->address < largest->address))))
        largest = circular;
    moment->largest_size = TS_ABSENT;
    if (!largest)
        return;
    moment->largest_kind = largest->kind;
    moment->largest_address = largest->address;
    moment->largest_size = ts_l1_bytes_number(largest->size);
    /* An intermediate's address may have been another tensor's. */
    moment->largest_used = largest->used && largest->kind != TS_L1_INTERMEDIATE;
    moment->largest_last_use = largest->last_use;
}

static void note_best(struct ts_l1_occupancy *occupancy, ts_l1_bytes total)
{
    struct ts_l1_moment *moment = &occupancy->moment;
    occupancy->best = total;
    *moment = (struct ts_l1_moment){.operation = occupancy->operation, .total = ts_l1_bytes_number(total)};
    for (unsigned kind = 0; kind < TS_L1_KINDS; kind++)
        moment->parts[kind] = ts_l1_bytes_number(occupancy->tensors.sums[kind] + occupancy->circular.sums[kind]);
    moment->several = occupancy->tensors.items.count + occupancy->circular.items.count > 1;
    note_largest(occupancy);
}

/* first: the state that the operation begins with. */
static void measure(struct ts_l1_occupancy *occupancy, bool first)
{
    const ts_l1_bytes *sums = occupancy->tensors.sums;
    ts_l1_bytes kept = occupancy->circular.sums[TS_L1_CIRCULAR] + sums[TS_L1_INTERMEDIATE] + sums[TS_L1_PERSISTENT];
    ts_l1_bytes total = kept + sums[TS_L1_STALE];
    if (first || total > occupancy->best)
        note_best(occupancy, total);
    if (total > occupancy->peak) {
        occupancy->peak = total;
        occupancy->peak_operation = occupancy->operation;
        occupancy->peak_clock = occupancy->clock;
        occupancy->gone.count = 0;
    }
    if (kept > occupancy->without_stale) {
        occupancy->without_stale = kept;
        occupancy->without_stale_operation = occupancy->operation;
    }
}

/* ---- changes ---- */

/* Whether it lay there at the peak, unused from then on. */
static bool was_stale(const struct ts_l1_occupancy *occupancy, const struct ts_l1_resident *resident)
{
    return occupancy->peak > 0 && resident->born <= occupancy->peak_clock && resident->kind != TS_L1_INTERMEDIATE &&
           resident->used && resident->last_use < occupancy->peak_operation;
}

static bool remember(struct ts_l1_occupancy *occupancy, const struct ts_l1_resident *resident)
{
    if (!was_stale(occupancy, resident))
        return true;
    struct ts_l1_stale stale = {resident->address, resident->last_use, ts_l1_bytes_number(resident->size)};
    return ts_vec_push(&occupancy->gone, stale);
}

static bool drop_tensor(struct ts_l1_occupancy *occupancy, struct ts_l1_resident *resident)
{
    if (!remember(occupancy, resident))
        return false;
    ts_l1_residents_remove(&occupancy->tensors, resident);
    return true;
}

static bool put_tensor(struct ts_l1_occupancy *occupancy, int64_t address, ts_l1_bytes size, bool intermediate)
{
    struct ts_l1_resident *there = ts_l1_residents_find(&occupancy->tensors, address);
    if (there && there->size == size && (there->kind == TS_L1_INTERMEDIATE) == intermediate) {
        there->stamp = (uint64_t)occupancy->snapshot;
        return true;
    }
    struct ts_l1_resident resident = {
        .size = size, .address = address, .born = ++occupancy->clock, .stamp = (uint64_t)occupancy->snapshot};
    resident.used = ts_l1_last_use(occupancy->uses, address, &resident.last_use);
    bool stale = resident.used && resident.last_use < occupancy->operation;
    resident.kind = intermediate ? TS_L1_INTERMEDIATE : stale ? TS_L1_STALE : TS_L1_PERSISTENT;
    return (!there || drop_tensor(occupancy, there)) && ts_l1_residents_add(&occupancy->tensors, &resident);
}

static bool put_circular(struct ts_l1_occupancy *occupancy, int64_t address, ts_l1_bytes size)
{
    struct ts_l1_resident *there = ts_l1_residents_find(&occupancy->circular, address);
    const struct ts_l1_resident resident = {
        .size = size, .address = address, .born = ++occupancy->clock, .kind = TS_L1_CIRCULAR};
    if (there && there->size == size)
        return true;
    if (there)
        ts_l1_residents_remove(&occupancy->circular, there);
    return ts_l1_residents_add(&occupancy->circular, &resident);
}

/* ---- one operation ---- */

void ts_l1_occupancy_begin(struct ts_l1_occupancy *occupancy, int64_t operation)
{
    const struct ts_l1_last_uses *uses = occupancy->uses;
    occupancy->operation = operation;
    for (; occupancy->next_use < uses->order.count; occupancy->next_use++) {
        const struct ts_l1_use *use = &uses->order.items[occupancy->next_use];
        if (use->operation >= operation)
            break;
        struct ts_l1_resident *resident = ts_l1_residents_find(&occupancy->tensors, use->address);
        if (resident && resident->kind == TS_L1_PERSISTENT)
            ts_l1_residents_set_kind(&occupancy->tensors, resident, TS_L1_STALE);
    }
    occupancy->snapshot = false;
    measure(occupancy, true);
}

static bool is_buffer(const struct ts_graph_node *node)
{
    return (node->kind == TS_GRAPH_BUFFER_ALLOCATE || node->kind == TS_GRAPH_BUFFER_FREE) && node->in_l1 &&
           node->has_address;
}

/* An allocation is intermediate when the graph frees what was last allocated at its address while that is alive. */
static bool find_freed(struct ts_l1_occupancy *occupancy, const struct ts_graph *graph)
{
    size_t count = graph->nodes.count;
    if (count > occupancy->freed.capacity && !ts_vec_reserve(&occupancy->freed, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct ts_graph_node *node = &graph->nodes.items[i];
        occupancy->freed.items[i] = false;
        if (!is_buffer(node))
            continue;
        struct ts_l1_resident *live = ts_l1_residents_find(&occupancy->live, node->address);
        const struct ts_l1_resident allocated = {.address = node->address, .stamp = i};
        if (node->kind == TS_GRAPH_BUFFER_ALLOCATE && live)
            live->stamp = i;
        else if (node->kind == TS_GRAPH_BUFFER_ALLOCATE && !ts_l1_residents_add(&occupancy->live, &allocated))
            return false;
        else if (node->kind == TS_GRAPH_BUFFER_FREE && live) {
            occupancy->freed.items[live->stamp] = true;
            ts_l1_residents_remove(&occupancy->live, live);
        }
    }
    ts_l1_residents_clear(&occupancy->live);
    return true;
}

static ts_l1_bytes bytes_of(struct ts_l1_occupancy *occupancy, bool has, int64_t bytes, int64_t divisor)
{
    occupancy->unsized += !has || !ts_l1_bytes_are_held(bytes);
    return has ? ts_l1_bytes_of(bytes, divisor) : 0;
}

static ts_l1_bytes bytes_in_bank(struct ts_l1_occupancy *occupancy, const struct ts_graph_node *node)
{
    if (node->has_per_bank)
        return bytes_of(occupancy, true, node->per_bank, 1);
    return bytes_of(occupancy, node->has_size, node->size,
                    node->has_cores && node->cores > 0 ? node->cores : occupancy->banks);
}

static bool apply(struct ts_l1_occupancy *occupancy, const struct ts_graph_node *node, bool freed)
{
    switch ((enum ts_graph_kind)node->kind) {
    case TS_GRAPH_CIRCULAR_FREE_ALL:
        if (node->has_params)
            ts_l1_residents_clear(&occupancy->circular);
        return true;
    case TS_GRAPH_CIRCULAR_ALLOCATE:
        return node->globally_allocated || !node->has_address ||
               put_circular(occupancy, node->address, bytes_of(occupancy, node->has_size, node->size, 1));
    case TS_GRAPH_BUFFER_ALLOCATE:
        return !is_buffer(node) || put_tensor(occupancy, node->address, bytes_in_bank(occupancy, node), freed);
    case TS_GRAPH_BUFFER_FREE: {
        struct ts_l1_resident *there =
            is_buffer(node) ? ts_l1_residents_find(&occupancy->tensors, node->address) : NULL;
        return !there || drop_tensor(occupancy, there);
    }
    case TS_GRAPH_OTHER:
    case TS_GRAPH_SCOPE_START:
    case TS_GRAPH_SCOPE_END:
    case TS_GRAPH_PROGRAM_EXECUTION:
        break;
    }
    return true;
}

bool ts_l1_occupancy_graph(struct ts_l1_occupancy *occupancy, const struct ts_graph *graph)
{
    if (!find_freed(occupancy, graph))
        return false;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (!apply(occupancy, &graph->nodes.items[i], occupancy->freed.items[i]))
            return false;
        measure(occupancy, false);
    }
    return true;
}

bool ts_l1_occupancy_buffer(struct ts_l1_occupancy *occupancy, int64_t address, int64_t bytes)
{
    occupancy->snapshot = true;
    return put_tensor(occupancy, address, bytes_of(occupancy, true, bytes, 1), false);
}

/* Where the operation has a snapshot, nothing else survived it. */
static bool reconcile(struct ts_l1_occupancy *occupancy)
{
    for (size_t i = 0; i < occupancy->tensors.items.count;) {
        struct ts_l1_resident *resident = &occupancy->tensors.items.items[i];
        if (resident->stamp) {
            resident->stamp = 0;
            i++;
            continue;
        }
        occupancy->reconciled++;
        if (!drop_tensor(occupancy, resident)) /* another one takes its place */
            return false;
    }
    return true;
}

bool ts_l1_occupancy_end(struct ts_l1_occupancy *occupancy, struct ts_l1_moment *out)
{
    if (occupancy->snapshot && !reconcile(occupancy))
        return false;
    /* The program's circular buffers are still there. */
    measure(occupancy, false);
    ts_l1_residents_clear(&occupancy->circular);
    *out = occupancy->moment;
    return true;
}

/* ---- what was stale at the peak ---- */

static int by_size(const void *a, const void *b)
{
    const struct ts_l1_stale *left = a, *right = b;
    if (left->size != right->size)
        return left->size > right->size ? -1 : 1;
    return (left->address > right->address) - (left->address < right->address);
}

bool ts_l1_occupancy_finish(struct ts_l1_occupancy *occupancy)
{
    for (size_t i = 0; i < occupancy->tensors.items.count; i++)
        if (!remember(occupancy, &occupancy->tensors.items.items[i]))
            return false;
    if (occupancy->gone.count > 1)
        qsort(occupancy->gone.items, occupancy->gone.count, sizeof *occupancy->gone.items, by_size);
    return true;
}
