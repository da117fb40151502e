#include "models/profiler.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/map.h"
#include "base/number.h"
#include "models/profiler_stretches.h"

/* ---- what is kept between calls ---- */

/* Which rows of a table have which key. */
struct rows_part {
    struct ts_part part;
    struct ts_db_index index;
};

/* The ranks that operations names. */
struct ranks_part {
    struct ts_part part;
    size_t count;
    int64_t items[TS_PROFILER_RANKS_MAX];
};

static void destroy_rows(struct ts_part *part)
{
    ts_db_index_free(&((struct rows_part *)part)->index);
    free(part);
}

static void destroy_ranks(struct ts_part *part)
{
    free(part);
}

static const struct ts_part_type rows_type = {"profiler_rows", TS_PART_REREAD, destroy_rows};
static const struct ts_part_type ranks_type = {"profiler_ranks", TS_PART_REREAD, destroy_ranks};

struct making {
    struct ts_profiler *profiler;
    enum ts_db_table table;
    const char *key;
};

/* What was read is kept under the state of the database that this call reads. */
static enum ts_status finish_part(struct ts_db *db, struct ts_part *part, size_t size, struct ts_error *error)
{
    part->identity = *ts_db_read_identity(db);
    part->size = size;
    return ts_db_unchanged(db, error);
}

static enum ts_status acquire(struct ts_context *context, struct ts_capture *capture, struct ts_db *db,
                              const struct ts_part_type *type, const char *options, ts_profiler_make_fn *make,
                              void *data, struct ts_part **out, struct ts_error *error)
{
    const struct ts_part_request request = {
        .type = type,
        .options = options,
        .now = *ts_db_read_identity(db),
        .path = capture->database,
        .label = capture->profiler_label,
        .make = make,
        .data = data,
    };
    return ts_parts_acquire(context, capture->parts, &capture->pins, &request, out, error);
}

struct indexing {
    const struct making *making;
    struct ts_db_index parts[TS_PROFILER_STRETCHES_MAX];
};
/* A thread and its connection cost some 2 ms: that many rows' worth. Graphs are long. */
enum { ROWS_PER_STRETCH = 200000, LONG_ROWS_PER_STRETCH = 10000 };

static enum ts_status index_stretch(void *data, const struct ts_profiler_stretch *stretch, struct ts_error *error)
{
    struct indexing *indexing = data;
    const struct making *making = indexing->making;
    return ts_db_index_create(stretch->db, making->table, making->key, stretch->index, stretch->count,
                              &indexing->parts[stretch->index], error);
}

static enum ts_status read_index(struct ts_context *context, const struct making *making, struct ts_db_index *out,
                                 struct ts_error *error)
{
    struct indexing indexing = {.making = making};
    unsigned count = 1;
    bool is_long = making->table == TS_DB_CAPTURED_GRAPH;
    enum ts_status status = ts_profiler_count_stretches(
        context, making->profiler, making->table, is_long ? LONG_ROWS_PER_STRETCH : ROWS_PER_STRETCH, &count, error);
    if (status == TS_OK)
        status = ts_profiler_read_stretches(context, making->profiler, count, index_stretch, &indexing, error);
    for (unsigned i = 1; i < count; i++) {
        if (status == TS_OK)
            status = ts_db_index_join(&indexing.parts[0], &indexing.parts[i], context->memory_limit, error);
        ts_db_index_free(&indexing.parts[i]);
    }
    *out = indexing.parts[0];
    return status;
}

static enum ts_status make_rows(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    const struct making *making = data;
    struct rows_part *part = calloc(1, sizeof *part);
    if (!part)
        return ts_error_no_memory(error);
    enum ts_status status = read_index(context, making, &part->index, error);
    if (status == TS_OK)
        status = finish_part(making->profiler->db, &part->part, sizeof *part + ts_db_index_bytes(&part->index), error);
    if (status != TS_OK) {
        destroy_rows(&part->part);
        return status;
    }
    *out = &part->part;
    return TS_OK;
}

enum ts_status ts_profiler_index(struct ts_context *context, struct ts_profiler *profiler, enum ts_db_table table,
                                 const char *key, const struct ts_db_index **out, struct ts_error *error)
{
    struct making making = {profiler, table, key};
    struct ts_part *part;
    char options[96];
    snprintf(options, sizeof options, "%s.%s", ts_db_table_name(table), key);
    enum ts_status status =
        acquire(context, profiler->capture, profiler->db, &rows_type, options, make_rows, &making, &part, error);
    if (status == TS_OK)
        *out = &((struct rows_part *)part)->index;
    return status;
}

/* ---- ranks ---- */

/* Put a rank into its place; false when there are too many. */
static bool insert_rank(struct ranks_part *ranks, int64_t rank)
{
    size_t at = 0;
    while (at < ranks->count && ranks->items[at] < rank)
        at++;
    if (at < ranks->count && ranks->items[at] == rank)
        return true;
    if (ranks->count == TS_PROFILER_RANKS_MAX)
        return false;
    memmove(&ranks->items[at + 1], &ranks->items[at], (ranks->count - at) * sizeof ranks->items[0]);
    ranks->items[at] = rank;
    ranks->count++;
    return true;
}

static enum ts_status read_ranks(struct ts_db *db, struct ranks_part *ranks, struct ts_error *error)
{
    static const char *const columns[] = {"rank", NULL};
    const struct ts_db_select select = {.table = TS_DB_OPERATIONS, .columns = columns};
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status = ts_db_rows_open(db, &select, &rows, error);
    if (status != TS_OK)
        return status;
    while ((status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        int64_t rank;
        if (ts_db_integer(rows, 0, &rank) && !insert_rank(ranks, rank)) {
            status = ts_error_set(error, TS_LIMIT, "the operations of the database are of more than %d ranks",
                                  TS_PROFILER_RANKS_MAX);
            break;
        }
    }
    ts_db_rows_close(rows);
    return status;
}

static enum ts_status make_ranks(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    const struct making *making = data;
    (void)context;
    struct ranks_part *part = calloc(1, sizeof *part);
    if (!part)
        return ts_error_no_memory(error);
    enum ts_status status = read_ranks(making->profiler->db, part, error);
    if (status == TS_OK)
        status = finish_part(making->profiler->db, &part->part, sizeof *part, error);
    if (status != TS_OK) {
        free(part);
        return status;
    }
    *out = &part->part;
    return TS_OK;
}

static void list_ranks(struct ts_buf *out, const struct ts_profiler *profiler)
{
    enum { NAMED = 32 };
    for (size_t i = 0; i < profiler->rank_count && i < NAMED; i++)
        ts_buf_printf(out, "%s%" PRId64, i > 0 ? ", " : "", profiler->ranks[i]);
    if (profiler->rank_count > NAMED)
        ts_buf_printf(out, " and %zu more", profiler->rank_count - NAMED);
    if (profiler->rank_count == 0)
        ts_buf_text(out, "none");
}

static const char *label_of(const struct ts_profiler *profiler, struct ts_quote *quote)
{
    return ts_error_quote(quote, ts_str_from(profiler->capture->profiler_label), TS_QUOTE_ARGUMENT);
}

static enum ts_status refuse_rank(const struct ts_profiler *profiler, int64_t rank, struct ts_error *error)
{
    struct ts_quote label;
    if (!profiler->multi_host)
        return ts_error_set(error, TS_REFUSED,
                            "%s: rank %" PRId64 " was asked, but the report carries no ranks; leave rank out",
                            label_of(profiler, &label), rank);
    struct ts_buf ranks;
    ts_buf_init(&ranks, 0);
    list_ranks(&ranks, profiler);
    enum ts_status status = ts_buf_status(&ranks, error);
    if (status == TS_OK)
        status = ts_error_set(error, TS_REFUSED, "%s: the report has no operations of rank %" PRId64 "; its ranks: %s",
                              label_of(profiler, &label), rank, ranks.ptr);
    ts_buf_free(&ranks);
    return status;
}

static enum ts_status choose_rank(struct ts_context *context, struct ts_profiler *profiler, bool given, int64_t rank,
                                  struct ts_error *error)
{
    profiler->multi_host = ts_db_has_column(profiler->db, TS_DB_OPERATIONS, "rank");
    if (!profiler->multi_host)
        return rank != 0 ? refuse_rank(profiler, rank, error) : TS_OK;
    struct making making = {.profiler = profiler};
    struct ts_part *part;
    enum ts_status status =
        acquire(context, profiler->capture, profiler->db, &ranks_type, "", make_ranks, &making, &part, error);
    if (status != TS_OK)
        return status;
    profiler->ranks = ((struct ranks_part *)part)->items;
    profiler->rank_count = ((struct ranks_part *)part)->count;
    profiler->rank = rank;
    if (!given)
        return TS_OK;
    for (size_t i = 0; i < profiler->rank_count; i++)
        if (profiler->ranks[i] == rank)
            return TS_OK;
    return refuse_rank(profiler, rank, error);
}

bool ts_profiler_unattributable(const struct ts_profiler *profiler, enum ts_db_table table)
{
    return profiler->rank_count > 1 && ts_db_has_table(profiler->db, table) &&
           !ts_db_has_column(profiler->db, table, "rank");
}

enum ts_status ts_profiler_attributable(const struct ts_profiler *profiler, const enum ts_db_table *tables,
                                        size_t count, struct ts_error *error)
{
    struct ts_buf names, ranks;
    ts_buf_init(&names, 0);
    ts_buf_init(&ranks, 0);
    for (size_t i = 0; i < count; i++)
        if (ts_profiler_unattributable(profiler, tables[i]))
            ts_buf_printf(&names, "%s`%s`", names.len > 0 ? ", " : "", ts_db_table_name(tables[i]));
    enum ts_status status = TS_OK;
    if (names.len > 0 || names.failed) {
        list_ranks(&ranks, profiler);
        struct ts_quote label;
        status = names.failed || ranks.failed
                     ? ts_error_no_memory(error)
                     : ts_error_set(
                           error, TS_REFUSED,
                           "%s: the report carries `rank` on `operations` but not on %s: those rows are of ranks %s "
                           "together, and which are of rank %" PRId64 " cannot be told",
                           label_of(profiler, &label), names.ptr, ranks.ptr, profiler->rank);
    }
    ts_buf_free(&names);
    ts_buf_free(&ranks);
    return status;
}

/* ---- beginning and end ---- */

static enum ts_status check_tables(const struct ts_profiler *profiler, const enum ts_db_table *tables, size_t count,
                                   struct ts_error *error)
{
    struct ts_buf names;
    size_t missing = 0;
    ts_buf_init(&names, 0);
    for (size_t i = 0; i < count; i++)
        missing += !ts_db_usable(profiler->db, tables[i], &names);
    enum ts_status status = ts_buf_status(&names, error);
    struct ts_quote label;
    if (status == TS_OK && missing > 0)
        status = ts_error_set(error, TS_REFUSED,
                              "%s: the profiler database lacks the table%s %s; load_report tells what can "
                              "be answered without",
                              label_of(profiler, &label), missing > 1 ? "s" : "", names.ptr);
    ts_buf_free(&names);
    return status;
}

enum ts_status ts_profiler_open(struct ts_context *context, struct ts_capture *capture, bool rank_given, int64_t rank,
                                const enum ts_db_table *needed, size_t needed_count, struct ts_profiler *out,
                                struct ts_error *error)
{
    struct ts_profiler profiler = {.capture = capture};
    ts_arena_init(&profiler.arena, context->memory_limit);
    enum ts_status status = ts_capture_database(context, capture, &profiler.db, error);
    if (status == TS_OK)
        status = check_tables(&profiler, needed, needed_count, error);
    if (status == TS_OK)
        status = choose_rank(context, &profiler, rank_given, rank_given ? rank : 0, error);
    if (status != TS_OK) {
        ts_profiler_end(&profiler);
        return status;
    }
    *out = profiler;
    return TS_OK;
}

enum ts_status ts_profiler_begin(struct ts_context *context, struct ts_capture *capture, bool rank_given, int64_t rank,
                                 const enum ts_db_table *needed, size_t needed_count, struct ts_profiler *out,
                                 struct ts_error *error)
{
    struct ts_profiler profiler;
    enum ts_status status =
        ts_profiler_open(context, capture, rank_given, rank, needed, needed_count, &profiler, error);
    if (status != TS_OK)
        return status;
    status = ts_profiler_attributable(&profiler, needed, needed_count, error);
    if (status != TS_OK) {
        ts_profiler_end(&profiler);
        return status;
    }
    *out = profiler;
    return TS_OK;
}

void ts_profiler_end(struct ts_profiler *profiler)
{
    ts_arena_free(&profiler->arena);
}

enum ts_status ts_profiler_finish(struct ts_profiler *profiler, struct ts_error *error)
{
    return ts_db_unchanged(profiler->db, error);
}

/* ---- parts ---- */

enum ts_status ts_profiler_part(struct ts_context *context, struct ts_profiler *profiler,
                                const struct ts_part_type *type, ts_profiler_make_fn *make, struct ts_part **out,
                                struct ts_error *error)
{
    char options[32];
    snprintf(options, sizeof options, "%" PRId64, profiler->rank);
    return acquire(context, profiler->capture, profiler->db, type, options, make, profiler, out, error);
}

/* ---- rows ---- */

struct ts_db_select ts_profiler_select(const struct ts_profiler *profiler, enum ts_db_table table,
                                       const char *const *columns)
{
    return (struct ts_db_select){
        .table = table, .columns = columns, .by_rank = profiler->multi_host, .rank = profiler->rank};
}

enum ts_status ts_profiler_scan(struct ts_profiler *profiler, enum ts_db_table table, const char *const *columns,
                                struct ts_db_rows **out, struct ts_error *error)
{
    const struct ts_db_select select = ts_profiler_select(profiler, table, columns);
    return ts_db_rows_open(profiler->db, &select, out, error);
}

enum ts_status ts_profiler_each(struct ts_profiler *profiler, enum ts_db_table table, const char *const *columns,
                                ts_db_visit_fn *visit, void *data, struct ts_error *error)
{
    const struct ts_db_select select = ts_profiler_select(profiler, table, columns);
    return ts_db_visit(profiler->db, &select, visit, data, error);
}

enum ts_status ts_profiler_each_attributable(struct ts_profiler *profiler, enum ts_db_table table,
                                             const char *const *columns, ts_db_visit_fn *visit, void *data,
                                             struct ts_error *error)
{
    if (ts_profiler_unattributable(profiler, table))
        return TS_OK;
    return ts_profiler_each(profiler, table, columns, visit, data, error);
}

enum ts_status ts_profiler_rows(struct ts_context *context, struct ts_profiler *profiler, enum ts_db_table table,
                                const char *key, int64_t value, const char *const *columns, struct ts_db_rows **out,
                                struct ts_error *error)
{
    struct ts_db_select select = ts_profiler_select(profiler, table, columns);
    select.key = key;
    select.key_value = value;
    enum ts_status status = ts_profiler_index(context, profiler, table, key, &select.index, error);
    if (status != TS_OK)
        return status;
    /* A tensor without an address lies on the host: looked for by address it is rightly not found. */
    if (strcmp(key, "address") != 0)
        profiler->keyless[table] = select.index->keyless;
    ts_profiler_note_key(profiler, table);
    return ts_db_rows_open(profiler->db, &select, out, error);
}

void ts_profiler_note_key(struct ts_profiler *profiler, enum ts_db_table table)
{
    if (!profiler->missing_key[table])
        profiler->missing_key[table] = ts_db_missing_key(profiler->db, table);
}

static enum ts_status copy(struct ts_profiler *profiler, struct ts_str text, struct ts_str *out, struct ts_error *error)
{
    *out = text.ptr ? ts_arena_copy(&profiler->arena, text) : text;
    return out->ptr || !text.ptr ? TS_OK : ts_arena_error(&profiler->arena, error);
}

enum ts_status ts_profiler_copy_text(struct ts_profiler *profiler, struct ts_db_rows *rows, unsigned column,
                                     struct ts_str *out, struct ts_error *error)
{
    struct ts_str text = {NULL, 0};
    ts_db_text(rows, column, &text);
    return copy(profiler, text, out, error);
}

enum ts_status ts_profiler_copy_cell(struct ts_profiler *profiler, const struct ts_db_cell *cell, struct ts_str *out,
                                     struct ts_error *error)
{
    struct ts_db_digits digits;
    struct ts_str text = {NULL, 0};
    ts_db_cell_text(cell, &digits, &text);
    return copy(profiler, text, out, error);
}

/* ---- operations ---- */

enum ts_status ts_profiler_find_operation(struct ts_context *context, struct ts_profiler *profiler, int64_t id,
                                          struct ts_profiler_operation *out, bool *found, struct ts_error *error)
{
    static const char *const columns[] = {"name", "duration", NULL};
    struct ts_profiler_operation operation = {.id = id};
    struct ts_db_rows *rows;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_OPERATIONS, "operation_id", id, columns, &rows, error);
    if (status != TS_OK)
        return status;
    bool more = false;
    status = ts_db_next(rows, &more, error);
    if (status == TS_OK && more)
        status = ts_profiler_copy_text(profiler, rows, 0, &operation.name, error);
    if (status == TS_OK && more)
        operation.duration = ts_db_number(rows, 1);
    ts_db_rows_close(rows);
    if (status != TS_OK)
        return status;
    *found = more;
    *out = operation;
    return TS_OK;
}

enum ts_status ts_profiler_operation(struct ts_context *context, struct ts_profiler *profiler, int64_t id,
                                     struct ts_profiler_operation *out, struct ts_error *error)
{
    struct ts_profiler_operation operation;
    bool found;
    enum ts_status status = ts_profiler_find_operation(context, profiler, id, &operation, &found, error);
    if (status != TS_OK)
        return status;
    struct ts_quote label;
    if (!found && profiler->multi_host)
        return ts_error_set(error, TS_REFUSED,
                            "%s: no operation %" PRId64 " in this report at rank %" PRId64
                            "; find_operations lists ids",
                            label_of(profiler, &label), id, profiler->rank);
    if (!found)
        return ts_error_set(error, TS_REFUSED, "%s: no operation %" PRId64 " in this report; find_operations lists ids",
                            label_of(profiler, &label), id);
    *out = operation;
    return TS_OK;
}

/* ---- devices ---- */

static const char *const device_columns[] = {"device_id",
                                             "worker_l1_size",
                                             "l1_num_banks",
                                             "l1_bank_size",
                                             "address_at_first_l1_cb_buffer",
                                             "num_compute_cores",
                                             "total_l1_for_tensors",
                                             NULL};

static int64_t integer_or_zero(const struct ts_db_rows *rows, unsigned column)
{
    int64_t value;
    return ts_db_integer(rows, column, &value) ? value : 0;
}

static struct ts_profiler_device read_device(const struct ts_db_rows *rows, int64_t id)
{
    return (struct ts_profiler_device){
        .id = id,
        .worker_l1_size = integer_or_zero(rows, 1),
        .l1_num_banks = integer_or_zero(rows, 2),
        .l1_bank_size = integer_or_zero(rows, 3),
        .l1_start = integer_or_zero(rows, 4),
        .num_compute_cores = integer_or_zero(rows, 5),
        .total_l1_for_tensors = integer_or_zero(rows, 6),
    };
}

/* The place of a device id in the list, made when it is new; NULL when memory is out. */
static struct ts_profiler_device *place_device(struct ts_profiler *profiler, struct ts_map *map,
                                               struct ts_profiler_devices *devices, size_t *capacity, int64_t id)
{
    bool added;
    uint64_t *index = ts_map_find(map, (struct ts_str){(const char *)&id, sizeof id});
    if (index)
        return &devices->items[*index];
    struct ts_str key = ts_arena_copy(&profiler->arena, (struct ts_str){(const char *)&id, sizeof id});
    index = key.ptr ? ts_map_at(map, key, &added) : NULL;
    if (!index)
        return NULL;
    if (devices->count == *capacity) {
        size_t grown = *capacity ? *capacity * 2 : 8;
        struct ts_profiler_device *items = TS_ARENA_ARRAY(&profiler->arena, struct ts_profiler_device, grown);
        if (!items)
            return NULL;
        if (devices->count > 0)
            memcpy(items, devices->items, devices->count * sizeof *items);
        devices->items = items;
        *capacity = grown;
    }
    *index = devices->count;
    return &devices->items[devices->count++];
}

enum ts_status ts_profiler_devices(struct ts_context *context, struct ts_profiler *profiler,
                                   struct ts_profiler_devices *out, struct ts_error *error)
{
    struct ts_profiler_devices devices = {.count = 0};
    struct ts_db_rows *rows;
    struct ts_map map;
    size_t capacity = 0;
    bool more = false;
    (void)context;
    *out = devices;
    profiler->keyless[TS_DB_DEVICES] = 0;
    if (ts_profiler_unattributable(profiler, TS_DB_DEVICES))
        return TS_OK;
    enum ts_status status = ts_profiler_scan(profiler, TS_DB_DEVICES, device_columns, &rows, error);
    if (status != TS_OK)
        return status;
    ts_map_init(&map);
    while ((status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        int64_t id;
        if (!ts_db_integer(rows, 0, &id)) {
            profiler->keyless[TS_DB_DEVICES]++;
            continue;
        }
        struct ts_profiler_device *device = place_device(profiler, &map, &devices, &capacity, id);
        if (!device) {
            status = ts_error_no_memory(error);
            break;
        }
        *device = read_device(rows, id);
    }
    ts_map_free(&map);
    ts_db_rows_close(rows);
    if (status == TS_OK)
        *out = devices;
    return status;
}

struct device_count {
    struct ts_map map;
    struct ts_arena keys;
};

static enum ts_status count_device(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct device_count *count = data;
    const int64_t pair[] = {cells[0].is_integer ? cells[0].integer : 0, cells[1].integer};
    struct ts_str key = {(const char *)pair, sizeof pair};
    if (!cells[1].is_integer || ts_map_find(&count->map, key))
        return TS_OK;
    key = ts_arena_copy(&count->keys, key);
    return key.ptr && ts_map_at(&count->map, key, NULL) ? TS_OK : ts_error_no_memory(error);
}

enum ts_status ts_profiler_count_devices(struct ts_context *context, struct ts_capture *capture, int64_t *count,
                                         bool *found, struct ts_error *error)
{
    static const char *const columns[] = {"rank", "device_id", NULL};
    const struct ts_db_select select = {.table = TS_DB_DEVICES, .columns = columns};
    struct device_count state;
    struct ts_db *db;
    enum ts_status status = ts_capture_database(context, capture, &db, error);
    if (status != TS_OK)
        return status;
    ts_map_init(&state.map);
    ts_arena_init(&state.keys, context->memory_limit);
    status = ts_db_visit(db, &select, count_device, &state, error);
    if (status == TS_OK) {
        *count = (int64_t)state.map.count;
        *found = ts_db_has_table(db, TS_DB_DEVICES);
    }
    ts_map_free(&state.map);
    ts_arena_free(&state.keys);
    return status;
}
