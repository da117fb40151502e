#include "transforms/clean_sim_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

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
    const char *source, *output; /* folders */
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

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The folder with all that are above it. */
static enum ts_status make_folder(struct ts_arena *arena, const char *path, struct ts_error *error)
{
    if (!path[0] || is_folder(path))
        return TS_OK;
    char *part = ts_arena_strdup(arena, ts_str_from(path));
    if (!part)
        return ts_error_no_memory(error);
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(part, 0777) != 0 && !(errno == EEXIST && is_folder(part)))
            return ts_error_system(error, part, "make the folder", errno == EEXIST ? ENOTDIR : errno);
        if (!slash)
            return TS_OK;
        *slash = '/';
    }
}

/* Links followed. */
static bool same_folder(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a[0] ? a : ".", &x) == 0 && stat(b[0] ? b : ".", &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
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
    status = ts_sim_dump_open(cleaning->context, found, &cleaning->dump, error);
    if (status == TS_OK)
        status = ts_sim_dump_find(cleaning->context, cleaning->dump, &cleaning->blocks, error);
    if (status == TS_OK && !cleaning->blocks.trace.found)
        status = ts_error_set(error, TS_INPUT, "%s: no TRACE block found", ts_sim_dump_name(cleaning->dump));
    return status == TS_OK ? make_folder(cleaning->arena, cleaning->output, error) : status;
}

/* ---- the two files ---- */

static enum ts_status write_file(struct cleaning *cleaning, const char *name,
                                 enum ts_status (*fill)(struct cleaning *, struct ts_writer *, struct ts_error *),
                                 const char **out, struct ts_error *error)
{
    struct ts_writer *writer = NULL;
    const char *path = ts_clean_sim_path_join(cleaning->arena, cleaning->output, name);
    if (!path)
        return ts_error_no_memory(error);
    enum ts_status status = ts_writer_create(cleaning->context, path, &writer, error);
    if (status != TS_OK)
        return status;
    status = fill(cleaning, writer, error);
    if (status == TS_OK)
        status = ts_sim_dump_unchanged(cleaning->dump, error);
    if (status != TS_OK) {
        ts_writer_abandon(writer);
        return status;
    }
    status = ts_writer_commit(writer, error);
    if (status == TS_OK)
        *out = path;
    return status;
}

static enum ts_status fill_trace(struct cleaning *cleaning, struct ts_writer *writer, struct ts_error *error)
{
    return ts_clean_sim_write(cleaning->context, cleaning->dump, cleaning->pipeline, writer, error);
}

static enum ts_status fill_metrics(struct cleaning *cleaning, struct ts_writer *writer, struct ts_error *error)
{
    return ts_clean_sim_metrics(cleaning->context, cleaning->dump, &cleaning->blocks.api_instr,
                                cleaning->options->raw_metrics, writer, error);
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

/* ---- the steps ---- */

static enum ts_status make_trace(struct cleaning *cleaning, struct ts_error *error)
{
    struct ts_clean_sim_result *result = cleaning->result;
    enum ts_status status = ts_pipeline_read(cleaning->context, cleaning->dump, &cleaning->blocks.trace,
                                             &cleaning->options->pipeline, &cleaning->pipeline, error);
    if (status == TS_OK)
        status = sum_up(cleaning, error);
    if (status == TS_OK)
        status = write_file(cleaning, "trace.clean.json", fill_trace, &result->trace, error);
    ts_pipeline_free(cleaning->pipeline);
    if (status != TS_OK)
        return status;
    note(cleaning, TS_CLEAN_WROTE_TRACE, result->trace, 0);
    uint64_t skipped = result->skipped_without_wait + result->skipped_without_slice;
    if (skipped)
        note(cleaning, TS_CLEAN_SKIPPED_FLAGS, NULL, skipped);
    return TS_OK;
}

static enum ts_status make_metrics(struct cleaning *cleaning, struct ts_error *error)
{
    if (!cleaning->blocks.api_instr.found) {
        note(cleaning, TS_CLEAN_NO_METRICS, NULL, 0);
        return TS_OK;
    }
    enum ts_status status = write_file(cleaning, "instr_metrics.json", fill_metrics, &cleaning->result->metrics, error);
    if (status == TS_OK)
        note(cleaning, TS_CLEAN_WROTE_METRICS, cleaning->result->metrics, 0);
    return status;
}

static void warn_of_copy(void *data, const char *line)
{
    note(data, TS_CLEAN_COPY_WARNING, line, 0);
}

static enum ts_status make_copy(struct cleaning *cleaning, struct ts_error *error)
{
    const struct ts_clean_sim_options *options = cleaning->options;
    if (!options->output || options->no_copy || same_folder(cleaning->source, cleaning->output))
        return TS_OK;
    const char *target = ts_clean_sim_path_join(cleaning->arena, cleaning->output, "raw_simulator");
    if (!target)
        return ts_error_no_memory(error);
    enum ts_status status = ts_clean_sim_copy(cleaning->context, cleaning->source, target, options->copy_run_only,
                                              warn_of_copy, cleaning, error);
    if (status != TS_OK)
        return status;
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
        status = make_trace(&cleaning, error);
    if (status == TS_OK)
        status = make_metrics(&cleaning, error);
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
