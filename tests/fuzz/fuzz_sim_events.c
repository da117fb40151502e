/* A TRACE block's JSON behind one byte of options. Whatever is read must come out the same from small pieces on two threads,
 * no row may hold slices that a viewer would drop, and what is written must be JSON. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "transforms/clean_sim_trace_write.h"

static void check(bool condition)
{
    if (!condition)
        abort();
}

static void check_rows(const struct ts_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->lanes.count; i++) {
        const struct ts_pipeline_lane *lane = &pipeline->lanes.items[i];
        int64_t *ends = calloc((size_t)lane->rows + 1, sizeof *ends);
        bool *used = calloc((size_t)lane->rows + 1, sizeof *used);
        check(ends && used);
        double last = 0;
        for (uint32_t j = 0; j < lane->count; j++) {
            const struct ts_pipeline_slice *slice = &pipeline->slices.items[pipeline->order[lane->first + j]];
            check(slice->row < lane->rows && slice->lane == i && (j == 0 || slice->ts >= last));
            last = slice->ts;
        }
        /* Among slices of one time the order is no longer that of packing, so only those that last are compared. */
        for (uint32_t j = 0; j < lane->count && !pipeline->options.compat; j++) {
            const struct ts_pipeline_slice *slice = &pipeline->slices.items[pipeline->order[lane->first + j]];
            if (slice->end_ns <= slice->start_ns)
                continue;
            check(!used[slice->row] || ends[slice->row] <= slice->start_ns);
            used[slice->row] = true;
            ends[slice->row] = slice->end_ns;
        }
        free(ends);
        free(used);
    }
}

static void check_same(const struct ts_pipeline *a, const struct ts_pipeline *b)
{
    check(a->slices.count == b->slices.count && a->arrows.count == b->arrows.count && a->top.events == b->top.events);
    for (size_t i = 0; i < a->slices.count; i++)
        check(a->slices.items[i].offset == b->slices.items[i].offset &&
              a->slices.items[i].row == b->slices.items[i].row && a->slices.items[i].lane == b->slices.items[i].lane);
    for (size_t i = 0; i < a->arrows.count; i++)
        check(a->arrows.items[i].from == b->arrows.items[i].from && a->arrows.items[i].to == b->arrows.items[i].to &&
              a->arrows.items[i].detail == b->arrows.items[i].detail);
}

static void check_written(struct ts_context *context, const struct ts_sim_dump *dump,
                          const struct ts_pipeline *pipeline)
{
    struct ts_writer *writer = NULL;
    struct ts_error error;
    struct ts_sim_json_fault fault;
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    check(fd >= 0);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    check(ts_writer_create(context, path, &writer, &error) == TS_OK);
    check(ts_clean_sim_write(context, dump, pipeline, writer, &error) == TS_OK);
    size_t size = (size_t)ts_writer_size(writer);
    check(ts_writer_commit(writer, &error) == TS_OK);
    char *text = calloc(size + TS_SIM_JSON_PAD, 1);
    check(text && pread(fd, text, size, 0) == (ssize_t)size);
    const char *end = ts_sim_json_value(text, &fault);
    check(end == text + size);
    for (size_t i = 0; i < size; i++)
        check(text[i] >= 0x20 && text[i] < 0x7f);
    free(text);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct ts_pipeline_options options = {.compat = data[0] & 1,
                                          .keep_scalar = data[0] & 2,
                                          .tolerance = data[0] & 4,
                                          .drop_issue_times = data[0] & 8,
                                          .intra_block = data[0] & 16};
    struct ts_context context;
    struct ts_sim_dump *dump = NULL;
    struct ts_pipeline *whole = NULL, *pieces = NULL;
    struct ts_error error;
    const struct ts_sim_block block = {.header = 0, .offset = 1, .size = size - 1, .type = TS_SIM_TRACE, .found = true};
    ts_context_init(&context);
    if (ts_sim_dump_open_memory("fuzz", (struct ts_str){(const char *)data, size}, &dump, &error) != TS_OK)
        return 0;
    enum ts_status status = ts_pipeline_read(&context, dump, &block, &options, &whole, &error);
    if (data[0] & 32) {
        context.threads = 2;
        options.piece = 48;
        check(ts_pipeline_read(&context, dump, &block, &options, &pieces, &error) == status);
    }
    if (status == TS_OK) {
        check_rows(whole);
        check_written(&context, dump, whole);
    }
    if (status == TS_OK && pieces)
        check_same(whole, pieces);
    ts_pipeline_free(whole);
    ts_pipeline_free(pieces);
    ts_sim_dump_close(dump);
    return 0;
}
