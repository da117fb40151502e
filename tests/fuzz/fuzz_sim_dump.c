/* Any bytes as a simulator dump: the walk over its blocks, then everything that is made of the first TRACE and API_INSTR. */
#include <stdint.h>
#include <stdlib.h>

#include "transforms/clean_sim_trace_metrics.h"
#include "transforms/clean_sim_trace_write.h"

static enum ts_status check_block(void *data, const struct ts_sim_block *block, struct ts_error *error)
{
    const struct ts_sim_dump *dump = data;
    (void)error;
    if (block->offset > ts_sim_dump_size(dump) || block->size > ts_sim_dump_size(dump) - block->offset)
        abort();
    return TS_OK;
}

static void make_trace(struct ts_context *context, const struct ts_sim_dump *dump, const struct ts_sim_block *block)
{
    const struct ts_pipeline_options options = {.keep_scalar = true};
    struct ts_pipeline *pipeline = NULL;
    struct ts_writer *writer = NULL;
    struct ts_error error;
    if (ts_pipeline_read(context, dump, block, &options, &pipeline, &error) != TS_OK)
        return;
    if (ts_writer_create(context, "/dev/null", &writer, &error) == TS_OK) {
        if (ts_clean_sim_write(context, dump, pipeline, writer, &error) != TS_OK)
            abort(); /* what was read once is read again */
        ts_writer_abandon(writer);
    }
    ts_pipeline_free(pipeline);
}

static void make_metrics(struct ts_context *context, const struct ts_sim_dump *dump, const struct ts_sim_block *block)
{
    struct ts_writer *writer = NULL;
    struct ts_error error;
    if (ts_writer_create(context, "/dev/null", &writer, &error) != TS_OK)
        return;
    (void)ts_clean_sim_metrics(context, dump, block, false, writer, &error);
    ts_writer_abandon(writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ts_context context;
    struct ts_sim_dump *dump = NULL;
    struct ts_sim_blocks blocks;
    struct ts_error error;
    ts_context_init(&context);
    if (ts_sim_dump_open_memory("fuzz", (struct ts_str){(const char *)data, size}, &dump, &error) != TS_OK)
        return 0;
    (void)ts_sim_dump_walk(&context, dump, check_block, dump, &error);
    if (ts_sim_dump_find(&context, dump, &blocks, &error) == TS_OK) {
        if (blocks.trace.found)
            make_trace(&context, dump, &blocks.trace);
        if (blocks.api_instr.found)
            make_metrics(&context, dump, &blocks.api_instr);
    }
    ts_sim_dump_close(dump);
    return 0;
}
