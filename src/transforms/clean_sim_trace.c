#include "transforms/clean_sim_trace.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/output.h"
#include "base/write.h"
#include "transforms/clean_sim_trace_copy.h"
#include "transforms/clean_sim_trace_find.h"
#include "transforms/clean_sim_trace_metrics.h"
#include "transforms/clean_sim_trace_write.h"

struct cleaning {
    struct ts_context *context;
    const struct ts_clean_sim_options *options;
    void (*note)(void *data, enum ts_clean_sim_note what, const char *text, uint64_t number);
    void *note_data;
    struct ts_clean_sim_result *result;
    struct ts_arena *arena;
    const char *source, *output;           /* folders */
    const char *trace_path, *metrics_path; /* in output */
    struct ts_sim_dump *dump;
    struct ts_sim_blocks blocks;
    struct ts_pipeline *pipeline;
};

static void note(const struct cleaning *cleaning, enum ts_clean_sim_note what, const char *text, uint64_t number)
{
    if (cleaning->note)
        cleaning->note(cleaning->note_data, what, text, number);
}

/* ---- where to write ---- */

/* Whether both are there and one and the same file or folder, links followed. */
static bool same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a[0] ? a : ".", &x) == 0 && stat(b[0] ? b : ".", &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* Nothing may be written over the dump, nor one output over the other. */
static enum ts_status check_outputs(struct cleaning *cleaning, struct ts_error *error)
{
    struct ts_quote quote;
    cleaning->trace_path = ts_clean_sim_path_join(cleaning->arena, cleaning->output, "trace.clean.json");
    cleaning->metrics_path = ts_clean_sim_path_join(cleaning->arena, cleaning->output, "instr_metrics.json");
    if (!cleaning->trace_path || !cleaning->metrics_path)
        return ts_error_no_memory(error);
    const char *const paths[2] = {cleaning->trace_path, cleaning->metrics_path};
    for (unsigned i = 0; i < 2; i++)
        if (same(paths[i], cleaning->result->dump))
            return ts_error_set(error, TS_REFUSED,
                                "%s: is the input, and would be written over; nothing was written (name another "
                                "folder with -o, or rename the dump)",
                                ts_error_quote(&quote, ts_str_from(paths[i]), TS_QUOTE_FILE));
    struct stat info;
    if (same(paths[0], paths[1]) && stat(paths[0], &info) == 0 && S_ISREG(info.st_mode))
        return ts_error_set(error, TS_REFUSED,
                            "%s: is the same file as trace.clean.json there; nothing was written (remove the link)",
                            ts_error_quote(&quote, ts_str_from(paths[1]), TS_QUOTE_FILE));
    return TS_OK;
}

static enum ts_status open_dump(struct cleaning *cleaning, const char *path, struct ts_error *error)
{
    const char *found = NULL;
    enum ts_status status = ts_clean_sim_find(cleaning->context, cleaning->arena, path, &found, error);
    if (status != TS_OK)
        return status;
    cleaning->result->dump = found;
    cleaning->source = ts_clean_sim_path_folder(cleaning->arena, found);
    cleaning->output = cleaning->options->output ? ts_clean_sim_path_tidy(cleaning->arena, cleaning->options->output)
                                                 : cleaning->source;
    if (!cleaning->source || !cleaning->output)
        return ts_error_no_memory(error);
    status = check_outputs(cleaning, error);
    if (status == TS_OK)
        status = ts_sim_dump_open(cleaning->context, found, &cleaning->dump, error);
    if (status == TS_OK)
        status = ts_sim_dump_find(cleaning->context, cleaning->dump, &cleaning->blocks, error);
    if (status == TS_OK && !cleaning->blocks.trace.found)
        status = ts_error_set(error, TS_INPUT, "%s: no TRACE block found", ts_sim_dump_name(cleaning->dump));
    return status == TS_OK ? ts_output_folder(cleaning->output, error) : status;
}

/* ---- what was done ---- */

static struct ts_str copy_text(struct cleaning *cleaning, struct ts_str text)
{
    return ts_arena_copy(cleaning->arena, text);
}

static int by_order(const void *a, const void *b)
{
    const struct ts_pipeline_lane *const *x = a, *const *y = b;
    if ((*x)->style->order != (*y)->style->order)
        return (*x)->style->order < (*y)->style->order ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* The lanes of one core in dataflow order, added to the result. */
static bool add_lanes(struct cleaning *cleaning, uint32_t core)
{
    const struct ts_pipeline *pipeline = cleaning->pipeline;
    struct ts_clean_sim_result *result = cleaning->result;
    const struct ts_pipeline_core *owner = &pipeline->cores.items[core];
    const struct ts_pipeline_lane **lanes = malloc(owner->lane_count * sizeof(const struct ts_pipeline_lane *) + 1);
    if (!lanes)
        return false;
    for (uint32_t i = 0; i < owner->lane_count; i++)
        lanes[i] = &pipeline->lanes.items[pipeline->lane_order[owner->first_lane + i]];
    qsort(lanes, owner->lane_count, sizeof *lanes, by_order);
    struct ts_str name = copy_text(cleaning, owner->name.plain);
    for (uint32_t i = 0; i < owner->lane_count; i++)
        result->lanes[result->lane_count++] = (struct ts_clean_sim_lane){
            name, copy_text(cleaning, lanes[i]->name.plain), lanes[i]->count, lanes[i]->rows};
    free(lanes);
    return name.ptr != NULL;
}

static enum ts_status sum_up(struct cleaning *cleaning, struct ts_error *error)
{
    const struct ts_pipeline *pipeline = cleaning->pipeline;
    struct ts_clean_sim_result *result = cleaning->result;
    result->events = pipeline->top.events;
    result->counts = pipeline->counts;
    result->arrows = pipeline->arrows.count;
    result->backwards = pipeline->backwards;
    result->skipped_without_wait = pipeline->skipped_without_wait;
    result->skipped_without_slice = pipeline->skipped_without_slice;
    result->core_count = pipeline->core_count;
    result->lanes = TS_ARENA_ARRAY(cleaning->arena, struct ts_clean_sim_lane, pipeline->lanes.count);
    if (!result->lanes)
        return ts_error_no_memory(error);
    for (size_t i = 0; i < pipeline->core_count; i++)
        if (!add_lanes(cleaning, pipeline->core_order[i]))
            return ts_error_no_memory(error);
    return TS_OK;
}

/* ---- the two files ---- */

/* Begun, filled and flushed, but not in place yet. */
struct outputs {
    struct ts_writer *trace, *metrics;
};

static enum ts_status fill_trace(struct cleaning *cleaning, struct outputs *outputs, struct ts_error *error)
{
    enum ts_status status = ts_pipeline_read(cleaning->context, cleaning->dump, &cleaning->blocks.trace,
                                             &cleaning->options->pipeline, &cleaning->pipeline, error);
    if (status == TS_OK)
        status = sum_up(cleaning, error);
    if (status == TS_OK)
        status = ts_writer_create(cleaning->context, cleaning->trace_path, &outputs->trace, error);
    if (status == TS_OK)
        status = ts_clean_sim_write(cleaning->context, cleaning->dump, cleaning->pipeline, outputs->trace, error);
    ts_pipeline_free(cleaning->pipeline);
    cleaning->pipeline = NULL;
    return status == TS_OK ? ts_writer_flush(outputs->trace, error) : status;
}

static enum ts_status fill_metrics(struct cleaning *cleaning, struct outputs *outputs, struct ts_error *error)
{
    enum ts_status status = ts_writer_create(cleaning->context, cleaning->metrics_path, &outputs->metrics, error);
    if (status == TS_OK)
        status = ts_clean_sim_metrics(cleaning->context, cleaning->dump, &cleaning->blocks.api_instr,
                                      cleaning->options->raw_metrics, outputs->metrics, error);
    return status == TS_OK ? ts_writer_flush(outputs->metrics, error) : status;
}

static enum ts_status place_trace(struct cleaning *cleaning, struct outputs *outputs, struct ts_error *error)
{
    struct ts_clean_sim_result *result = cleaning->result;
    struct ts_writer *writer = outputs->trace;
    outputs->trace = NULL;
    enum ts_status status = ts_writer_commit(writer, error);
    if (status != TS_OK)
        return status;
    result->trace = cleaning->trace_path;
    note(cleaning, TS_CLEAN_WROTE_TRACE, result->trace, 0);
    uint64_t skipped = result->skipped_without_wait + result->skipped_without_slice;
    if (skipped)
        note(cleaning, TS_CLEAN_SKIPPED_FLAGS, NULL, skipped);
    return TS_OK;
}

static enum ts_status place_metrics(struct cleaning *cleaning, struct outputs *outputs, struct ts_error *error)
{
    struct ts_writer *writer = outputs->metrics;
    outputs->metrics = NULL;
    enum ts_status status = ts_writer_commit(writer, error);
    if (status != TS_OK)
        return status;
    cleaning->result->metrics = cleaning->metrics_path;
    note(cleaning, TS_CLEAN_WROTE_METRICS, cleaning->metrics_path, 0);
    return TS_OK;
}

static bool is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* The metrics block is wrong. A trace is of use without it, unless it would then stand beside the metrics of an earlier
 * run: those two files stay a pair. */
static enum ts_status place_trace_alone(struct cleaning *cleaning, struct outputs *outputs, struct ts_error *error)
{
    if (is_there(cleaning->metrics_path)) {
        note(cleaning, TS_CLEAN_KEPT_PAIR, cleaning->metrics_path, 0);
        return TS_INPUT;
    }
    struct ts_error failure;
    enum ts_status status = ts_sim_dump_unchanged(cleaning->dump, &failure);
    if (status == TS_OK)
        status = place_trace(cleaning, outputs, &failure);
    if (status == TS_OK)
        return TS_INPUT;
    if (error)
        *error = failure;
    return status;
}

static enum ts_status make_files(struct cleaning *cleaning, struct outputs *outputs, struct ts_error *error)
{
    bool with_metrics = cleaning->blocks.api_instr.found;
    enum ts_status status = fill_trace(cleaning, outputs, error);
    if (status == TS_OK && with_metrics) {
        status = fill_metrics(cleaning, outputs, error);
        if (status == TS_INPUT)
            return place_trace_alone(cleaning, outputs, error);
    }
    if (status == TS_OK)
        status = ts_sim_dump_unchanged(cleaning->dump, error);
    if (status == TS_OK)
        status = place_trace(cleaning, outputs, error);
    if (status != TS_OK || with_metrics)
        return status == TS_OK ? place_metrics(cleaning, outputs, error) : status;
    note(cleaning, TS_CLEAN_NO_METRICS, NULL, 0);
    if (is_there(cleaning->metrics_path))
        note(cleaning, TS_CLEAN_OLD_METRICS, cleaning->metrics_path, 0);
    return TS_OK;
}

static enum ts_status make_both(struct cleaning *cleaning, struct ts_error *error)
{
    struct outputs outputs = {NULL, NULL};
    enum ts_status status = make_files(cleaning, &outputs, error);
    ts_writer_abandon(outputs.trace);
    ts_writer_abandon(outputs.metrics);
    return status;
}

/* ---- the copy ---- */

static void warn_of_copy(void *data, const char *line)
{
    note(data, TS_CLEAN_COPY_WARNING, line, 0);
}

static enum ts_status make_copy(struct cleaning *cleaning, struct ts_error *error)
{
    const struct ts_clean_sim_options *options = cleaning->options;
    if (!options->output || options->no_copy)
        return TS_OK;
    const char *target = ts_clean_sim_path_join(cleaning->arena, cleaning->output, "raw_simulator");
    if (!target)
        return ts_error_no_memory(error);
    if (same(cleaning->source, cleaning->output) || same(cleaning->source, target)) {
        note(cleaning, TS_CLEAN_NOT_COPIED, cleaning->source[0] ? cleaning->source : ".", 0);
        return TS_OK;
    }
    bool copied = false;
    enum ts_status status = ts_clean_sim_copy(cleaning->context, cleaning->result->dump, target, options->copy_run_only,
                                              warn_of_copy, cleaning, &copied, error);
    if (status != TS_OK)
        return status;
    if (!copied) {
        note(cleaning, TS_CLEAN_COPY_LACKS_DUMP, target, 0);
        return TS_OK;
    }
    cleaning->result->copy = target;
    note(cleaning, TS_CLEAN_COPIED, target, 0);
    return TS_OK;
}

enum ts_status
ts_clean_sim_trace(struct ts_context *context, const char *path, const struct ts_clean_sim_options *options,
                   void (*note_to)(void *data, enum ts_clean_sim_note what, const char *text, uint64_t number),
                   void *note_data, struct ts_clean_sim_result *out, struct ts_error *error)
{
    struct ts_clean_sim_result result = {.dump = NULL};
    ts_arena_init(&result.arena, 0);
    struct cleaning cleaning = {.context = context,
                                .options = options,
                                .note = note_to,
                                .note_data = note_data,
                                .result = &result,
                                .arena = &result.arena};
    enum ts_status status = open_dump(&cleaning, path, error);
    if (status == TS_OK)
        status = make_both(&cleaning, error);
    if (status == TS_OK)
        status = make_copy(&cleaning, error);
    ts_sim_dump_close(cleaning.dump);
    if (status != TS_OK) {
        ts_arena_free(&result.arena);
        return status;
    }
    *out = result;
    return TS_OK;
}

void ts_clean_sim_result_free(struct ts_clean_sim_result *result)
{
    ts_arena_free(&result->arena);
}
