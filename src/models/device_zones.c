#include "models/device_zones.h"

#include <stdlib.h>

#include "base/thread.h"
#include "models/zone_tally.h"

enum { THREADS_MAX = 16, SLICES_TO_SPARE = 2, SLICES_MAX = THREADS_MAX + SLICES_TO_SPARE };

/* Threads take the next piece each, work it off in a slice, and put the slice down; whoever finds the next one in file order
 * put down adds it to the tally. */
struct reading {
    struct ts_context *context;
    struct ts_log_source *source;
    struct ts_device_log_layout layout;
    struct ts_zone_names *names;
    struct ts_core_spans *spans;
    pthread_t owner; /* the thread that asked: it reports progress */
    unsigned slice_count;
    struct ts_zone_slice slices[SLICES_MAX];
    size_t worker[SLICES_MAX]; /* who had the slice last */

    pthread_mutex_t lock;
    pthread_cond_t moved; /* a slice has become free, or something failed */
    struct ts_zone_slice *free[SLICES_MAX];
    unsigned free_count;
    struct ts_zone_slice *done[SLICES_MAX]; /* by index modulo slice_count */
    uint64_t next;                          /* the index to be added next */
    bool adding;                            /* somebody does */
    bool failed;
    struct ts_zone_tally tally;
};

/* ---- slices ---- */

/* A slice to work with, or NULL when another thread has failed. Whoever has taken a piece already has one, so one comes. The
 * one this thread had last is best: its memory lies in this core's cache. */
static struct ts_zone_slice *take_slice(struct reading *reading, size_t worker)
{
    struct ts_zone_slice *slice = NULL;
    pthread_mutex_lock(&reading->lock);
    while (reading->free_count == 0 && !reading->failed)
        pthread_cond_wait(&reading->moved, &reading->lock);
    if (!reading->failed) {
        unsigned place = reading->free_count - 1;
        for (unsigned i = reading->free_count; i-- > 0;)
            if (reading->worker[reading->free[i] - reading->slices] == worker) {
                place = i;
                break;
            }
        slice = reading->free[place];
        reading->free_count--;
        memmove(&reading->free[place], &reading->free[place + 1],
                (reading->free_count - place) * sizeof(struct ts_zone_slice *));
        reading->worker[slice - reading->slices] = worker;
    }
    pthread_mutex_unlock(&reading->lock);
    return slice;
}

static void give_back(struct reading *reading, struct ts_zone_slice *slice)
{
    reading->free[reading->free_count++] = slice;
    pthread_cond_signal(&reading->moved);
}

/* Add what is put down and next in order; the lock is held, and let go while one is added. */
static enum ts_status add_done(struct reading *reading, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    reading->adding = true;
    for (;;) {
        struct ts_zone_slice **place = &reading->done[reading->next % reading->slice_count];
        struct ts_zone_slice *slice = *place;
        if (!slice || status != TS_OK)
            break;
        *place = NULL;
        pthread_mutex_unlock(&reading->lock);
        status = ts_zone_tally_take(&reading->tally, slice, error);
        pthread_mutex_lock(&reading->lock);
        reading->next++;
        give_back(reading, slice);
    }
    reading->adding = false;
    return status;
}

static enum ts_status put_down(struct reading *reading, struct ts_zone_slice *slice, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    pthread_mutex_lock(&reading->lock);
    reading->done[slice->piece.index % reading->slice_count] = slice;
    if (!reading->adding && slice->piece.index == reading->next)
        status = add_done(reading, error);
    pthread_mutex_unlock(&reading->lock);
    return status;
}

static enum ts_status read_pieces(struct reading *reading, size_t worker, struct ts_error *error)
{
    bool owner = pthread_equal(pthread_self(), reading->owner);
    struct ts_zone_slice *slice;
    enum ts_status status = TS_OK;
    while (status == TS_OK && (slice = take_slice(reading, worker))) {
        bool more = false;
        if (owner)
            status = ts_log_source_progress(reading->source, error);
        if (status == TS_OK)
            status = ts_log_source_next(reading->source, &slice->piece, &more, error);
        if (status == TS_OK && more)
            status = ts_zone_slice_work(slice, error);
        if (status == TS_OK && more) {
            status = put_down(reading, slice, error);
            continue;
        }
        pthread_mutex_lock(&reading->lock);
        give_back(reading, slice);
        pthread_mutex_unlock(&reading->lock);
        if (!more)
            break;
    }
    return status;
}

static enum ts_status work(void *data, size_t index, struct ts_error *error)
{
    struct reading *reading = data;
    enum ts_status status = read_pieces(reading, index, error);
    if (status != TS_OK) {
        pthread_mutex_lock(&reading->lock);
        reading->failed = true;
        pthread_cond_broadcast(&reading->moved);
        pthread_mutex_unlock(&reading->lock);
    }
    return status;
}

/* ---- rows ---- */

static enum ts_status set_up(struct reading *reading, enum ts_log_vectors vectors, struct ts_error *error)
{
    struct ts_context *context = reading->context;
    unsigned threads = context->threads < THREADS_MAX ? context->threads : THREADS_MAX;
    unsigned slices = threads > 1 ? threads + SLICES_TO_SPARE : 1;
    enum ts_status status = ts_zone_names_create(context, ts_log_source_path(reading->source), &reading->names, error);
    reading->owner = pthread_self();
    ts_zone_tally_init(&reading->tally, reading->names, reading->spans);
    while (status == TS_OK && reading->slice_count < slices) {
        struct ts_zone_slice *slice = &reading->slices[reading->slice_count];
        status = ts_zone_slice_init(slice, reading->names, &reading->layout, reading->spans,
                                    ts_hash_seed(reading->names), vectors, error);
        if (status != TS_OK)
            break;
        reading->free[reading->free_count++] = slice;
        reading->slice_count++;
    }
    return status;
}

static void tear_down(struct reading *reading)
{
    for (unsigned i = 0; i < reading->slice_count; i++)
        ts_zone_slice_free(&reading->slices[i]);
    ts_zone_tally_free(&reading->tally);
    ts_zone_names_destroy(reading->names);
}

static enum ts_status read_rows(struct reading *reading, enum ts_log_vectors vectors, struct ts_error *error)
{
    enum ts_status status = set_up(reading, vectors, error);
    unsigned threads = reading->slice_count > 1 ? reading->slice_count - SLICES_TO_SPARE : 1;
    if (status == TS_OK)
        status = ts_parallel(reading->context, threads, work, reading, error);
    if (status == TS_OK)
        ts_zone_tally_finish(&reading->tally);
    return status;
}

/* Only look at all bytes, one piece after the other on each thread. */
static enum ts_status check_pieces(void *data, size_t index, struct ts_error *error)
{
    struct reading *reading = data;
    struct ts_log_piece piece = {.room = NULL};
    bool owner = pthread_equal(pthread_self(), reading->owner), more = true;
    enum ts_status status = TS_OK;
    (void)index;
    while (status == TS_OK && more) {
        if (owner)
            status = ts_log_source_progress(reading->source, error);
        if (status == TS_OK)
            status = ts_log_source_next(reading->source, &piece, &more, error);
    }
    ts_log_piece_free(&piece);
    return status;
}

static enum ts_status check_bytes(struct reading *reading, struct ts_error *error)
{
    unsigned threads = reading->context->threads < THREADS_MAX ? reading->context->threads : THREADS_MAX;
    reading->owner = pthread_self();
    return ts_parallel(reading->context, threads, check_pieces, reading, error);
}

/* ---- the result ---- */

/* Add the cores of one slice's group to those of another's. False when memory is out. */
static bool join_cores(struct ts_slice_group *to, const struct ts_slice_group *from)
{
    if (to->core_words < from->core_words) {
        uint64_t *larger = realloc(to->cores, from->core_words * sizeof *larger);
        if (!larger)
            return false;
        memset(larger + to->core_words, 0, (from->core_words - to->core_words) * sizeof *larger);
        to->cores = larger;
        to->core_words = from->core_words;
    }
    for (uint32_t i = 0; i < from->core_words; i++)
        to->cores[i] |= from->cores[i];
    return true;
}

/* How many cores have rows of each group, by its number; the caller's. NULL when memory is out. */
static uint32_t *count_cores(struct reading *reading)
{
    size_t groups = reading->names->groups.count;
    struct ts_slice_group **first = calloc(groups + 1, sizeof(struct ts_slice_group *));
    uint32_t *counts = calloc(groups + 1, sizeof *counts);
    bool good = first && counts;
    for (unsigned i = 0; good && i < reading->slice_count; i++)
        for (size_t at = 0; good && at < reading->slices[i].groups.count; at++) {
            struct ts_slice_group *group = &reading->slices[i].groups.items[at];
            if (first[group->group])
                good = join_cores(first[group->group], group);
            else
                first[group->group] = group;
        }
    for (size_t at = 0; good && at < groups; at++)
        for (uint32_t word = 0; first[at] && word < first[at]->core_words; word++)
            counts[at] += (uint32_t)__builtin_popcountll(first[at]->cores[word]);
    free(first);
    if (good)
        return counts;
    free(counts);
    return NULL;
}

static bool costs_more(const struct ts_zone_sums *a, const struct ts_zone_sums *b)
{
    if (a->cycles_high != b->cycles_high)
        return a->cycles_high > b->cycles_high;
    if (a->cycles != b->cycles)
        return a->cycles > b->cycles;
    return a->occurrences > b->occurrences;
}

struct ranked {
    const struct ts_zone_sums *sums;
    uint32_t place, group;
};

static int by_cost(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (costs_more(left->sums, right->sums))
        return -1;
    if (costs_more(right->sums, left->sums))
        return 1;
    return (left->place > right->place) - (left->place < right->place);
}

static bool set_zone(struct ts_device_zones *zones, struct ts_device_zone *zone, const struct reading *reading,
                     uint32_t group, uint32_t cores)
{
    const struct ts_zone_sums *sums = &reading->tally.sums.items[group];
    const struct ts_zone_group *names = &reading->names->groups.items[group];
    zone->zone = ts_arena_copy(&zones->arena, names->zone);
    zone->risc = ts_arena_copy(&zones->arena, reading->names->riscs.items[names->risc]);
    zone->occurrences = sums->occurrences;
    zone->cores = cores;
    zone->cycles = (double)sums->cycles_high * 18446744073709551616.0 + (double)sums->cycles;
    zone->whole_cycles = sums->cycles_high || sums->cycles > INT64_MAX ? UINT64_MAX : sums->cycles;
    return zone->zone.ptr && zone->risc.ptr;
}

static enum ts_status set_zones(struct ts_device_zones *zones, struct reading *reading, struct ts_error *error)
{
    const struct ts_zone_tally *tally = &reading->tally;
    uint32_t count = (uint32_t)tally->order.count;
    struct ranked *ranked = malloc((count ? count : 1) * sizeof *ranked);
    uint32_t *cores = count_cores(reading);
    if (!ranked || !cores) {
        free(ranked);
        free(cores);
        return ts_error_no_memory(error);
    }
    for (uint32_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){&tally->sums.items[tally->order.items[i]], i, tally->order.items[i]};
    qsort(ranked, count, sizeof *ranked, by_cost);
    zones->zones = TS_ARENA_ARRAY(&zones->arena, struct ts_device_zone, count);
    zones->count = count;
    bool good = zones->zones != NULL;
    for (uint32_t i = 0; good && i < count; i++)
        good = set_zone(zones, &zones->zones[i], reading, ranked[i].group, cores[ranked[i].group]);
    free(ranked);
    free(cores);
    if (!good)
        return ts_arena_error(&zones->arena, error);
    zones->unpaired_starts = tally->starts;
    zones->unpaired_ends = tally->ends;
    zones->dropped_starts = tally->dropped;
    zones->runs = ts_zone_tally_runs(tally);
    for (unsigned i = 0; i < reading->slice_count; i++)
        zones->unreadable_rows += reading->slices[i].unreadable_rows;
    return TS_OK;
}

/* What zones name by number. */
static bool set_span_names(struct ts_core_spans *spans, const struct ts_zone_names *names)
{
    spans->cores = TS_ARENA_ARRAY(&spans->arena, struct ts_log_core, names->cores.count);
    spans->riscs = TS_ARENA_ARRAY(&spans->arena, struct ts_str, names->riscs.count);
    if (!spans->cores || !spans->riscs)
        return false;
    if (names->cores.count > 0)
        memcpy(spans->cores, names->cores.items, names->cores.count * sizeof *spans->cores);
    spans->risc_count = (uint32_t)names->riscs.count;
    for (uint32_t i = 0; i < spans->risc_count; i++) {
        spans->riscs[i] = ts_arena_copy(&spans->arena, names->riscs.items[i]);
        if (!spans->riscs[i].ptr)
            return false;
    }
    return true;
}

static void set_spans(struct ts_core_spans *spans, const struct reading *reading)
{
    ts_core_spans_seal(spans);
    spans->runs = ts_zone_tally_runs(&reading->tally);
    for (unsigned i = 0; i < reading->slice_count; i++)
        spans->unreadable_kernel_rows += reading->slices[i].unreadable_kernel_rows;
    if (!set_span_names(spans, reading->names))
        spans->failed = true;
}

/* ---- the log ---- */

static enum ts_status set_head(struct ts_device_zones *zones, struct reading *reading, struct ts_error *error)
{
    const struct ts_log_first_lines *first = ts_log_source_first_lines(reading->source);
    struct ts_str metadata = first->metadata.ptr ? first->metadata : (struct ts_str){"", 0};
    enum ts_status status = ts_device_log_head_parse(metadata, &zones->arena, &zones->head, error);
    if (status != TS_OK)
        return status;
    zones->has_header = first->header.ptr != NULL;
    zones->missing = (struct ts_str){"", 0};
    if (!zones->has_header)
        return TS_OK;
    ts_device_log_layout_parse(first->header, &reading->layout);
    reading->layout.lines[0] = first->header;
    reading->layout.lines[1] = first->metadata;
    zones->typed = reading->layout.at[TS_LOG_TYPE] != TS_LOG_NOWHERE;
    struct ts_buf missing;
    ts_buf_init(&missing, 0);
    if (ts_device_log_missing(&reading->layout, &missing))
        zones->missing = ts_arena_copy(&zones->arena, ts_buf_view(&missing));
    status = ts_buf_status(&missing, error);
    ts_buf_free(&missing);
    return status == TS_OK && !zones->missing.ptr ? ts_arena_error(&zones->arena, error) : status;
}

/* What is told of the log as a whole stands with the spans too: they may outlive the zones. */
static void share_head(struct ts_core_spans *spans, const struct ts_device_zones *zones)
{
    spans->head = (struct ts_device_log_head){.clock_mhz = zones->head.clock_mhz, .max_cores = zones->head.max_cores};
    if (zones->head.arch.ptr) {
        spans->head.arch = ts_arena_copy(&spans->arena, zones->head.arch);
        spans->failed = spans->failed || !spans->head.arch.ptr;
    }
    spans->missing = zones->has_header ? ts_arena_copy(&spans->arena, zones->missing) : (struct ts_str){NULL, 0};
    spans->failed = spans->failed || (zones->has_header && !spans->missing.ptr);
    spans->typed = zones->typed;
    spans->has_rows = zones->has_rows;
    spans->bad_byte = zones->bad_byte;
    spans->part.identity = zones->part.identity;
    spans->part.size = sizeof *spans + spans->arena.reserved;
}

static enum ts_status read_log(struct reading *reading, const struct ts_device_zones_options *options,
                               struct ts_device_zones *zones, struct ts_error *error)
{
    bool rows = false;
    enum ts_status status = set_head(zones, reading, error);
    if (status == TS_OK)
        rows = zones->has_header && zones->missing.len == 0 && !options->check_only;
    if (status == TS_OK)
        status = rows ? read_rows(reading, options->vectors, error) : check_bytes(reading, error);
    if (status == TS_OK)
        status = ts_log_source_unchanged(reading->source, error);
    if (status == TS_OK && rows)
        status = set_zones(zones, reading, error);
    if (status != TS_OK)
        return status;
    zones->has_rows = zones->has_header && ts_log_source_has_rows(reading->source);
    zones->bad_byte = ts_log_source_bad_byte(reading->source);
    zones->part.identity = *ts_log_source_identity(reading->source);
    zones->part.size = sizeof *zones + zones->arena.reserved;
    if (reading->spans) {
        if (rows)
            set_spans(reading->spans, reading);
        share_head(reading->spans, zones);
    }
    return TS_OK;
}

static enum ts_status read_source(struct ts_context *context, struct ts_log_source *source,
                                  const struct ts_device_zones_options *options, struct ts_core_spans *spans,
                                  struct ts_device_zones **out, struct ts_error *error)
{
    struct ts_device_zones *zones = calloc(1, sizeof *zones);
    struct reading *reading = calloc(1, sizeof *reading);
    enum ts_status status = TS_OK;
    if (!zones || !reading) {
        status = ts_error_no_memory(error);
    } else {
        ts_arena_init(&zones->arena, context->memory_limit);
        zones->runs = 1;
        reading->context = context;
        reading->source = source;
        reading->spans = spans;
        pthread_mutex_init(&reading->lock, NULL);
        pthread_cond_init(&reading->moved, NULL);
        status = read_log(reading, options, zones, error);
        tear_down(reading);
        pthread_cond_destroy(&reading->moved);
        pthread_mutex_destroy(&reading->lock);
    }
    free(reading);
    if (status == TS_OK)
        *out = zones;
    else
        ts_device_zones_destroy(zones);
    return status;
}

enum ts_status ts_device_zones_read(struct ts_context *context, const char *path,
                                    const struct ts_device_zones_options *options, struct ts_core_spans *spans,
                                    struct ts_device_zones **out, struct ts_error *error)
{
    struct ts_log_source *source;
    enum ts_status status = ts_log_source_open(context, path, options->block, &source, error);
    if (status != TS_OK)
        return status;
    status = read_source(context, source, options, spans, out, error);
    ts_log_source_close(source);
    return status;
}

enum ts_status ts_device_zones_read_memory(struct ts_context *context, struct ts_str bytes,
                                           const struct ts_device_zones_options *options, struct ts_core_spans *spans,
                                           struct ts_device_zones **out, struct ts_error *error)
{
    struct ts_log_source *source;
    enum ts_status status = ts_log_source_open_memory(context, bytes, options->block, &source, error);
    if (status != TS_OK)
        return status;
    status = read_source(context, source, options, spans, out, error);
    ts_log_source_close(source);
    return status;
}

void ts_device_zones_destroy(struct ts_device_zones *zones)
{
    if (!zones)
        return;
    ts_arena_free(&zones->arena);
    free(zones);
}
