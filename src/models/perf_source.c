#include "models/perf_source.h"

#include <stdlib.h>

#include "models/op_facts.h"
#include "models/row_order.h"

/* The architecture the file names first, or wormhole, which older captures do not name. */
static enum ts_status find_arch(struct ts_perf_source *source, struct ts_error *error)
{
    const struct ts_ops_csv *ops = source->ops;
    const uint32_t *cells = ops->texts[TS_OPS_DEVICE_ARCH];
    uint32_t chosen = 0, last = 0, row_of_chosen = 0;

    for (uint32_t row = 0; cells && row < ops->rows; row++) {
        if (cells[row] == last || cells[row] == chosen)
            continue;
        last = cells[row];
        if (ts_ops_cell_empty(ts_intern_text(&ops->text, last)))
            continue;
        if (chosen == 0) {
            chosen = last;
            row_of_chosen = row;
        } else {
            source->several_arches = true;
        }
    }
    if (source->arch)
        return TS_OK;
    struct ts_str name = chosen ? ts_intern_text(&ops->text, chosen) : TS_STR("wormhole");
    source->arch = ts_arch_find(name);
    if (source->arch)
        return TS_OK;
    struct ts_quote quote;
    return ts_error_set(
        error, TS_REFUSED,
        "the operations CSV names DEVICE ARCH \"%s\" (row id %llu), whose cores and peaks are not known; "
        "known are %s; say which of them to measure against",
        ts_error_quote(&quote, name, TS_QUOTE_FILE), (unsigned long long)row_of_chosen + 2, ts_arch_names());
}

static void find_missing_call_counts(struct ts_perf_source *source)
{
    const struct ts_ops_csv *ops = source->ops;
    const uint32_t *cells = ops->texts[TS_OPS_GLOBAL_CALL_COUNT];
    uint32_t row = 0;

    /* Call counts differ from row to row, so the first character tells most of them from the spellings of nothing. */
    while (cells && row < ops->rows) {
        struct ts_str cell = ts_intern_text(&ops->text, cells[row]);
        if (!(cell.len > 0 && cell.ptr[0] >= '0' && cell.ptr[0] <= '9') && ts_ops_cell_empty(cell))
            break;
        row++;
    }
    source->any_call_count_missing = row < ops->rows;
}

static enum ts_status fill(struct ts_context *context, struct ts_perf_source *source,
                           const struct ts_perf_source_options *options, struct ts_error *error)
{
    const struct ts_ops_csv *ops = source->ops;
    const double *times = options->tracing_mode ? NULL : ops->numbers[TS_OPS_HOST_START_TS];

    enum ts_status status = ts_intern_init(&source->names, &source->arena, error);
    if (status == TS_OK)
        status = find_arch(source, error);
    if (status == TS_OK && times)
        status = ts_row_order_create(times, ops->rows, &source->arena, &source->order, error);
    if (status == TS_OK)
        status = ts_signposts_find(ops, source->order, &source->arena, &source->signposts, error);
    if (status == TS_OK)
        status = ts_op_facts_create(context, source, options->active_experts, error);
    if (status != TS_OK)
        return status;
    find_missing_call_counts(source);
    ts_intern_seal(&source->names);
    source->part.identity = ops->identity;
    source->part.size = sizeof *source + ops->memory + source->arena.reserved +
                        source->names.capacity * sizeof *source->names.texts +
                        source->signposts.by_name.entry_capacity * sizeof(struct ts_map_entry) +
                        source->signposts.by_name.slot_count * sizeof(uint32_t);
    return TS_OK;
}

enum ts_status ts_perf_source_create(struct ts_context *context, struct ts_ops_csv *ops,
                                     const struct ts_perf_source_options *options, struct ts_perf_source **out,
                                     struct ts_error *error)
{
    struct ts_perf_source *source = calloc(1, sizeof *source);

    if (!source) {
        ts_ops_csv_destroy(ops);
        return ts_error_no_memory(error);
    }
    source->references = 1;
    source->ops = ops;
    source->arch = options->arch;
    ts_arena_init(&source->arena, context->memory_limit);
    ts_map_init(&source->signposts.by_name);
    enum ts_status status = fill(context, source, options, error);
    if (status != TS_OK) {
        ts_perf_source_release(source);
        return status;
    }
    *out = source;
    return TS_OK;
}

void ts_perf_source_retain(struct ts_perf_source *source)
{
    source->references++;
}

void ts_perf_source_release(struct ts_perf_source *source)
{
    if (!source || --source->references > 0)
        return;
    ts_signposts_free(&source->signposts);
    ts_intern_free(&source->names);
    ts_ops_csv_destroy(source->ops);
    ts_arena_free(&source->arena);
    free(source);
}

struct ts_str ts_perf_source_sub_device(const struct ts_perf_source *source, uint32_t row, char buffer[64])
{
    (void)buffer;
    return ts_intern_text(&source->names, source->facts[row].sub_device);
}
