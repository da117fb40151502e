#include "models/op_folding.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/number.h"
#include "base/vec.h"

/* A block has to spare this many rows, which also means that its first GRAM rows come again behind it. */
enum { SPARED_MIN = 4, GRAM = 4, CANDIDATES_MAX = 256, CHECK_EVERY_ROWS = 4096 };
#define NONE UINT32_MAX
#define BASE UINT64_C(0x9E3779B97F4A7C15)
#define BOUND_PERCENT 65.0

/* What makes two rows the same operation, as numbers only. */
struct likeness {
    uint32_t name, sub_device, fidelity, input_0, input_1, output;
    int32_t cores, device;
};

struct run {
    uint32_t period, repeats;
};
struct block {
    struct run run;
    uint32_t first;
    uint32_t times; /* its rows come so often in the report, blocks around it included */
};

struct builder {
    struct ts_context *context;
    const struct ts_perf_report *report;
    uint32_t *symbols;                      /* by row: equal for rows that are alike */
    uint64_t *hashes;                       /* [i]: of the symbols before row i */
    uint64_t *powers;                       /* of BASE */
    uint32_t *next;                         /* by row: the next one where the same GRAM rows begin */
    struct block blocks[TS_FOLD_DEPTH_MAX]; /* around the place reached */
    unsigned depth;
    uint32_t seen; /* places looked at, for the check */
    TS_VEC(struct ts_fold_item) items;
    uint32_t block_count;
};

/* ---- symbols ---- */

static uint32_t text_id(const struct ts_ops_csv *ops, enum ts_ops_column column, uint32_t row)
{
    return ops->texts[column] ? ops->texts[column][row] : 0;
}

static bool name_rows(struct builder *builder, bool by_device, struct ts_arena *scratch)
{
    const struct ts_perf_report *report = builder->report;
    const struct ts_ops_csv *ops = report->source->ops;
    struct likeness *likenesses = TS_ARENA_ARRAY(scratch, struct likeness, (size_t)report->count + 1);
    struct ts_map known;
    bool good = likenesses != NULL;
    ts_map_init(&known);
    for (uint32_t i = 0; good && i < report->count; i++) {
        const struct ts_op_facts *facts = ts_perf_row_facts(report, i);
        uint32_t source = report->rows[i].source;
        likenesses[i] = (struct likeness){
            .name = facts->name,
            .sub_device = facts->sub_device,
            .fidelity = text_id(ops, TS_OPS_MATH_FIDELITY, source),
            .input_0 = text_id(ops, TS_OPS_INPUT_0_DATATYPE, source),
            .input_1 = text_id(ops, TS_OPS_INPUT_1_DATATYPE, source),
            .output = text_id(ops, TS_OPS_OUTPUT_0_DATATYPE, source),
            .cores = facts->cores,
            .device = by_device ? facts->device : 0,
        };
        uint64_t *symbol = ts_map_at(&known, (struct ts_str){(const char *)&likenesses[i], sizeof *likenesses}, NULL);
        good = symbol != NULL;
        if (!good)
            break;
        if (*symbol == 0)
            *symbol = known.count;
        builder->symbols[i] = (uint32_t)*symbol;
    }
    ts_map_free(&known);
    return good;
}

/* ---- comparing runs of rows ---- */

static uint64_t hash_of(const struct builder *builder, uint32_t first, uint32_t len)
{
    return builder->hashes[first + len] - builder->hashes[first] * builder->powers[len];
}

static bool link_grams(struct builder *builder, struct ts_arena *scratch)
{
    uint32_t count = builder->report->count;
    uint64_t *grams = TS_ARENA_ARRAY(scratch, uint64_t, (size_t)count + 1);
    struct ts_map last;
    bool good = grams != NULL;
    ts_map_init(&last);
    for (uint32_t i = count; good && i-- > 0;) {
        builder->next[i] = NONE;
        if (count - i < GRAM)
            continue;
        grams[i] = hash_of(builder, i, GRAM);
        bool added;
        uint64_t *place = ts_map_at(&last, (struct ts_str){(const char *)&grams[i], sizeof *grams}, &added);
        good = place != NULL;
        if (!good)
            break;
        if (!added)
            builder->next[i] = (uint32_t)*place;
        *place = i;
    }
    ts_map_free(&last);
    return good;
}

/* Rows from left on that equal those from right on (left < right), before end. By hashes: to be confirmed. */
static uint32_t common_rows(const struct builder *builder, uint32_t left, uint32_t right, uint32_t end)
{
    uint32_t low = 0, high = end - right;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (hash_of(builder, left, middle) == hash_of(builder, right, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The best run that begins at first and ends at most at end; repeats 0: none. */
static struct run find_run(const struct builder *builder, uint32_t first, uint32_t end)
{
    struct run best = {0, 0};
    uint32_t at = first;
    for (unsigned tried = 0; tried < CANDIDATES_MAX; tried++) {
        at = builder->next[at];
        if (at == NONE || at >= end)
            break;
        uint32_t period = at - first;
        if (end - at < period || hash_of(builder, first, period) != hash_of(builder, at, period))
            continue; /* not even twice */
        uint32_t repeats = common_rows(builder, first, at, end) / period + 1;
        if (repeats < 2 || (uint64_t)period * (repeats - 1) < SPARED_MIN ||
            (uint64_t)period * repeats <= (uint64_t)best.period * best.repeats)
            continue;
        if (memcmp(&builder->symbols[first], &builder->symbols[at],
                   (size_t)period * (repeats - 1) * sizeof *builder->symbols) == 0)
            best = (struct run){period, repeats};
    }
    return best;
}

/* ---- items ---- */

/* A mean that leaves out what is absent. */
struct mean {
    double sum;
    uint32_t count;
};

static void mean_add(struct mean *mean, double value)
{
    if (!ts_present(value))
        return;
    mean->sum += value;
    mean->count++;
}

static double mean_of(struct mean mean)
{
    return mean.count ? mean.sum / mean.count : TS_ABSENT;
}

struct figures {
    struct mean time, gap, dram, dram_percent, tflops, flops_percent, total;
    uint32_t rows;
    uint8_t bound;
    bool bounds_differ;
};

static void add_figures(struct figures *figures, const struct ts_perf_row *row)
{
    mean_add(&figures->time, row->device_time);
    mean_add(&figures->gap, row->op_to_op_gap);
    mean_add(&figures->dram, row->dram_gb_per_s);
    mean_add(&figures->dram_percent, row->dram_percent);
    mean_add(&figures->tflops, row->tflops);
    mean_add(&figures->flops_percent, row->flops_percent);
    mean_add(&figures->total, row->total_percent);
    if (figures->rows++ == 0)
        figures->bound = row->bound;
    figures->bounds_differ = figures->bounds_differ || row->bound != figures->bound;
}

/* The rows that first stands for: itself in every repetition of the blocks around it, from the outermost on. */
static void gather(const struct builder *builder, unsigned depth, uint32_t row, struct figures *figures)
{
    if (depth == builder->depth) {
        add_figures(figures, &builder->report->rows[row]);
        return;
    }
    const struct run *run = &builder->blocks[depth].run;
    for (uint32_t i = 0; i < run->repeats; i++)
        gather(builder, depth + 1, row + i * run->period, figures);
}

static uint8_t bound_of_means(double dram_percent, double flops_percent)
{
    if (!ts_present(dram_percent) || !ts_present(flops_percent))
        return TS_BOUND_NONE;
    bool dram = dram_percent >= BOUND_PERCENT, flops = flops_percent >= BOUND_PERCENT;
    return dram && flops ? TS_BOUND_BOTH : dram ? TS_BOUND_DRAM : flops ? TS_BOUND_FLOP : TS_BOUND_SLOW;
}

static bool add_row(struct builder *builder, uint32_t row)
{
    struct figures figures = {.rows = 0};
    gather(builder, 0, row, &figures);
    struct ts_fold_item item = {
        .kind = TS_FOLD_ROW,
        .depth = (uint8_t)builder->depth,
        .row = row,
        .count = figures.rows,
        .device_time = mean_of(figures.time),
        .op_to_op_gap = mean_of(figures.gap),
        .total_percent = figures.total.count ? figures.total.sum : TS_ABSENT,
        .dram_gb_per_s = mean_of(figures.dram),
        .dram_percent = mean_of(figures.dram_percent),
        .tflops = mean_of(figures.tflops),
        .flops_percent = mean_of(figures.flops_percent),
        .bound = figures.bound,
    };
    if (figures.bounds_differ)
        item.bound = bound_of_means(item.dram_percent, item.flops_percent);
    return ts_vec_push(&builder->items, item);
}

static double plus(double sum, double value)
{
    return !ts_present(value) ? sum : ts_present(sum) ? sum + value : value;
}

/* Give a block the sums of what stands directly in it; a block within it counts as often as it repeats. */
static void close_block(struct builder *builder, size_t index)
{
    struct ts_fold_item *block = &builder->items.items[index];
    for (size_t i = index + 1; i < builder->items.count; i++) {
        const struct ts_fold_item *item = &builder->items.items[i];
        if (item->depth != block->depth + 1)
            continue;
        double times = item->kind == TS_FOLD_BLOCK ? item->repeats : 1;
        block->device_time = plus(block->device_time, item->device_time * times);
        block->op_to_op_gap = plus(block->op_to_op_gap, item->op_to_op_gap * times);
        block->total_percent = plus(block->total_percent, item->total_percent);
    }
}

static enum ts_status fold(struct builder *builder, uint32_t first, uint32_t end, struct ts_error *error);

static enum ts_status add_block(struct builder *builder, uint32_t first, struct run run, struct ts_error *error)
{
    uint32_t times = builder->depth ? builder->blocks[builder->depth - 1].times : 1;
    struct ts_fold_item item = {
        .kind = TS_FOLD_BLOCK,
        .depth = (uint8_t)builder->depth,
        .row = first,
        .count = times * run.repeats * run.period,
        .repeats = run.repeats,
        .period = run.period,
        .device_time = TS_ABSENT,
        .op_to_op_gap = TS_ABSENT,
        .total_percent = TS_ABSENT,
        .dram_gb_per_s = TS_ABSENT,
        .dram_percent = TS_ABSENT,
        .tflops = TS_ABSENT,
        .flops_percent = TS_ABSENT,
    };
    size_t index = builder->items.count;
    if (!ts_vec_push(&builder->items, item))
        return ts_error_no_memory(error);
    builder->block_count++;
    builder->blocks[builder->depth++] = (struct block){run, first, times * run.repeats};
    enum ts_status status = fold(builder, first, first + run.period, error);
    builder->depth--;
    if (status == TS_OK)
        close_block(builder, index);
    return status;
}

/* The rows first .. end, which lie in the blocks that are open. Deeper by one at most TS_FOLD_DEPTH_MAX times. */
static enum ts_status fold(struct builder *builder, uint32_t first, uint32_t end, struct ts_error *error)
{
    while (first < end) {
        if (builder->seen++ % CHECK_EVERY_ROWS == 0) {
            enum ts_status status = ts_context_check(builder->context, error);
            if (status != TS_OK)
                return status;
        }
        struct run run = builder->depth < TS_FOLD_DEPTH_MAX ? find_run(builder, first, end) : (struct run){0, 0};
        if (run.repeats == 0) {
            if (!add_row(builder, first))
                return ts_error_no_memory(error);
            first++;
            continue;
        }
        enum ts_status status = add_block(builder, first, run, error);
        if (status != TS_OK)
            return status;
        first += run.period * run.repeats;
    }
    return TS_OK;
}

/* ---- making ---- */

static bool prepare(struct builder *builder, bool by_device, struct ts_arena *scratch)
{
    uint32_t count = builder->report->count;
    builder->symbols = TS_ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    builder->next = TS_ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    builder->hashes = TS_ARENA_ARRAY(scratch, uint64_t, (size_t)count + 1);
    builder->powers = TS_ARENA_ARRAY(scratch, uint64_t, (size_t)count + 1);
    if (!builder->symbols || !builder->next || !builder->hashes || !builder->powers ||
        !name_rows(builder, by_device, scratch))
        return false;
    builder->powers[0] = 1;
    for (uint32_t i = 0; i < count; i++) {
        builder->powers[i + 1] = builder->powers[i] * BASE;
        builder->hashes[i + 1] = builder->hashes[i] * BASE + builder->symbols[i];
    }
    return link_grams(builder, scratch);
}

static enum ts_status build(struct ts_context *context, const struct ts_perf_report *report, bool by_device,
                            struct ts_op_folding *folding, struct ts_error *error)
{
    struct builder builder = {.context = context, .report = report};
    struct ts_arena scratch;
    ts_arena_init(&scratch, context->memory_limit);
    enum ts_status status = TS_OK;
    if (!prepare(&builder, by_device, &scratch))
        status = scratch.over_limit ? ts_arena_error(&scratch, error) : ts_error_no_memory(error);
    if (status == TS_OK)
        status = fold(&builder, 0, report->count, error);
    if (status == TS_OK) {
        folding->items = TS_ARENA_ARRAY(&folding->arena, struct ts_fold_item, builder.items.count + 1);
        if (!folding->items)
            status = ts_arena_error(&folding->arena, error);
    }
    if (status == TS_OK && builder.items.count > 0) {
        memcpy(folding->items, builder.items.items, builder.items.count * sizeof *folding->items);
        folding->count = (uint32_t)builder.items.count;
        folding->blocks = builder.block_count;
    }
    ts_vec_free(&builder.items);
    ts_arena_free(&scratch);
    return status;
}

enum ts_status ts_op_folding_create(struct ts_context *context, const struct ts_perf_report *report, bool by_device,
                                    struct ts_op_folding **out, struct ts_error *error)
{
    struct ts_op_folding *folding = calloc(1, sizeof *folding);
    if (!folding)
        return ts_error_no_memory(error);
    ts_arena_init(&folding->arena, context->memory_limit);
    enum ts_status status = build(context, report, by_device, folding, error);
    if (status != TS_OK) {
        ts_op_folding_destroy(folding);
        return status;
    }
    *out = folding;
    return TS_OK;
}

void ts_op_folding_destroy(struct ts_op_folding *folding)
{
    if (!folding)
        return;
    ts_arena_free(&folding->arena);
    free(folding);
}
