#include "models/l1_replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "models/unrecorded_launches.h"

enum { PROGRESS_OPERATIONS = 64, BANKS_ASSUMED = 64 };

/* Rows of a table, wanted operation by operation. Most reports hold them in that order, and one pass hands them out; where
 * they do not (disordered), an index finds them. */
struct cursor {
    enum ts_db_table table;
    const char *const *columns; /* the first is operation_id */
    struct ts_db_rows *rows;
    bool more, any;
    int64_t key; /* of the present row */
};
struct reader {
    struct ts_context *context;
    struct ts_profiler *profiler;
    struct ts_l1_replay *replay;
    struct ts_l1_last_uses uses;
    struct ts_l1_occupancy occupancy;
    struct cursor graphs, buffers;
    bool indexed, disordered;
    struct ts_buf text; /* of the operation's last graph */
    bool has_graph;
    size_t graph_len;
    size_t bytes; /* of graphs so far */
    struct ts_graph graph;
    uint64_t keyless[TS_DB_TABLES];
};

static const char *const graph_columns[] = {"operation_id", "captured_graph", NULL};
static const char *const buffer_columns[] = {"operation_id", "address", "max_size_per_bank", "buffer_type", NULL};
enum { KEY, GRAPH = 1, ADDRESS = 1, SIZE, TYPE };

/* ---- operations ---- */

static enum ts_status add_operation(void *data, const struct ts_db_cell *cells, struct ts_error *error)
{
    struct reader *reader = data;
    struct ts_l1_replay *replay = reader->replay;
    struct ts_l1_operation operation = {.id = cells[0].integer};
    struct ts_db_digits digits;
    struct ts_str name = TS_STR("");
    if (!cells[0].is_integer) {
        reader->profiler->keyless[TS_DB_OPERATIONS]++;
        return TS_OK;
    }
    if (ts_db_cell_text(&cells[1], &digits, &name)) {
        uint32_t number = ts_intern_add(&replay->names, name);
        if (number == UINT32_MAX)
            return ts_arena_error(&replay->arena, error);
        operation.name = number + 1;
        operation.deallocate = ts_l1_is_deallocate(name);
    }
    return ts_vec_push(&replay->operations, operation) ? TS_OK : ts_error_no_memory(error);
}

/* Of several rows of an id the first counts. */
struct numbered {
    struct ts_l1_operation operation;
    size_t row;
};

static int by_id_row(const void *a, const void *b)
{
    const struct numbered *left = a, *right = b;
    if (left->operation.id != right->operation.id)
        return left->operation.id < right->operation.id ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);
}

static enum ts_status sort_operations(struct ts_l1_replay *replay, struct ts_error *error)
{
    size_t count = replay->operations.count, kept = 0;
    struct ts_l1_operation *items = replay->operations.items;
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++)
        sorted = items[i - 1].id < items[i].id;
    if (sorted)
        return TS_OK;
    struct numbered *rows = malloc(count * sizeof *rows);
    if (!rows)
        return ts_error_no_memory(error);
    for (size_t i = 0; i < count; i++)
        rows[i] = (struct numbered){items[i], i};
    qsort(rows, count, sizeof *rows, by_id_row);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || rows[i].operation.id != rows[i - 1].operation.id)
            items[kept++] = rows[i].operation;
    free(rows);
    replay->operations.count = kept;
    return TS_OK;
}

static enum ts_status read_operations(struct reader *reader, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", "name", NULL};
    enum ts_status status = ts_profiler_each(reader->profiler, TS_DB_OPERATIONS, columns, add_operation, reader, error);
    return status == TS_OK ? sort_operations(reader->replay, error) : status;
}

/* ---- rows, operation by operation ---- */

typedef enum ts_status take_row(struct reader *reader, struct ts_db_rows *rows, struct ts_error *error);

static enum ts_status next_row(struct reader *reader, struct cursor *cursor, struct ts_error *error)
{
    int64_t key;
    enum ts_status status;
    while ((status = ts_db_next(cursor->rows, &cursor->more, error)) == TS_OK && cursor->more) {
        if (!ts_db_integer(cursor->rows, KEY, &key)) {
            reader->keyless[cursor->table]++;
            continue;
        }
        if (cursor->any && key < cursor->key) {
            reader->disordered = true;
            cursor->more = false;
        }
        cursor->any = true;
        cursor->key = key;
        break;
    }
    return status;
}

static enum ts_status open_cursor(struct reader *reader, struct cursor *cursor, enum ts_db_table table,
                                  const char *const *columns, struct ts_error *error)
{
    *cursor = (struct cursor){.table = table, .columns = columns};
    if (reader->indexed)
        return TS_OK;
    enum ts_status status = ts_profiler_scan(reader->profiler, table, columns, &cursor->rows, error);
    return status == TS_OK ? next_row(reader, cursor, error) : status;
}

static enum ts_status take_indexed(struct reader *reader, struct cursor *cursor, int64_t operation, take_row *take,
                                   struct ts_error *error)
{
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status = ts_profiler_rows(reader->context, reader->profiler, cursor->table, "operation_id",
                                             operation, cursor->columns, &rows, error);
    if (status != TS_OK)
        return status;
    while (status == TS_OK && (status = ts_db_next(rows, &more, error)) == TS_OK && more)
        status = take(reader, rows, error);
    ts_db_rows_close(rows);
    return status;
}

/* Hand out the operation's rows; those of operations that there are none of are passed over. */
static enum ts_status take_rows(struct reader *reader, struct cursor *cursor, int64_t operation, take_row *take,
                                struct ts_error *error)
{
    enum ts_status status = TS_OK;
    if (reader->indexed)
        return take_indexed(reader, cursor, operation, take, error);
    while (status == TS_OK && cursor->more && cursor->key <= operation) {
        if (cursor->key == operation)
            status = take(reader, cursor->rows, error);
        if (status == TS_OK)
            status = next_row(reader, cursor, error);
    }
    return status;
}

/* Rows behind the last operation may belong to an earlier one. */
static enum ts_status drain(struct reader *reader, struct cursor *cursor, struct ts_error *error)
{
    enum ts_status status = TS_OK;
    while (status == TS_OK && cursor->more)
        status = next_row(reader, cursor, error);
    return status;
}

/* ---- one operation ---- */

static enum ts_status take_graph(struct reader *reader, struct ts_db_rows *rows, struct ts_error *error)
{
    static const char slack[TS_GRAPH_SLACK] = {0};
    struct ts_str text = TS_STR("");
    if (!ts_db_text(rows, GRAPH, &text))
        text = TS_STR("");
    struct ts_quote label;
    reader->bytes += text.len;
    if (reader->bytes > TS_LIMIT_GRAPHS)
        return ts_error_set(
            error, TS_REFUSED,
            "%s: the captured graphs are together over %zu bytes, past what is replayed; capture fewer "
            "operations",
            ts_error_quote(&label, ts_str_from(reader->profiler->capture->profiler_label), TS_QUOTE_ARGUMENT),
            (size_t)TS_LIMIT_GRAPHS);
    ts_buf_clear(&reader->text);
    ts_buf_str(&reader->text, text);
    ts_buf_add(&reader->text, slack, sizeof slack);
    reader->graph_len = text.len;
    reader->has_graph = true;
    return ts_buf_status(&reader->text, error);
}

/* *told false: the row does not say where. */
static bool lies_in_l1(struct ts_db_rows *rows, bool *told)
{
    int64_t number;
    struct ts_str text;
    *told = true;
    if (ts_db_integer(rows, TYPE, &number))
        return number == 1 || number == 3;
    *told = ts_db_text(rows, TYPE, &text);
    return *told && ts_buffer_type_is_l1(ts_buffer_type_of_param(text));
}

static enum ts_status take_buffer(struct reader *reader, struct ts_db_rows *rows, struct ts_error *error)
{
    int64_t address, size;
    bool told, in_l1 = lies_in_l1(rows, &told);
    if (told && !in_l1)
        return TS_OK;
    bool placed = ts_db_integer(rows, ADDRESS, &address), sized = ts_db_integer(rows, SIZE, &size) && size >= 0;
    if (!told || !placed || !sized)
        reader->replay->left_out++;
    if (!told || !placed)
        return TS_OK;
    return ts_l1_occupancy_buffer(&reader->occupancy, address, sized ? size : 0) ? TS_OK : ts_error_no_memory(error);
}

static enum ts_status count_unrecorded(struct reader *reader, struct ts_error *error)
{
    struct ts_arena arena;
    struct ts_unrecorded_launches launches;
    bool any = false;
    for (size_t i = 0; i < reader->graph.nodes.count && !any; i++)
        any = reader->graph.nodes.items[i].kind == TS_GRAPH_CIRCULAR_FREE_ALL;
    if (!any)
        return TS_OK;
    ts_arena_init(&arena, reader->context->memory_limit);
    enum ts_status status = ts_unrecorded_launches_read(&reader->graph, &arena, &launches, error);
    if (status == TS_OK)
        reader->replay->unrecorded_launches += launches.launches;
    ts_arena_free(&arena);
    return status;
}

static enum ts_status replay_graph(struct reader *reader, int64_t operation, struct ts_error *error)
{
    enum ts_graph_state state;
    enum ts_status status = ts_graph_read(&reader->graph, reader->text.ptr, reader->graph_len, TS_GRAPH_MEMORY,
                                          TS_LIMIT_GRAPH_PARSED, &state, error);
    if (status != TS_OK)
        return status;
    if (state != TS_GRAPH_READ) {
        if (reader->replay->unreadable++ == 0)
            reader->replay->unreadable_operation = operation;
        return TS_OK;
    }
    if (!ts_l1_occupancy_graph(&reader->occupancy, &reader->graph))
        return ts_error_no_memory(error);
    return count_unrecorded(reader, error);
}

static enum ts_status replay_operation(struct reader *reader, const struct ts_l1_operation *operation,
                                       struct ts_error *error)
{
    struct ts_l1_moment moment;
    reader->has_graph = false;
    ts_l1_occupancy_begin(&reader->occupancy, operation->id);
    enum ts_status status = take_rows(reader, &reader->graphs, operation->id, take_graph, error);
    if (!reader->has_graph || reader->graph_len == 0)
        reader->replay->graphless++;
    if (status == TS_OK && reader->has_graph)
        status = replay_graph(reader, operation->id, error);
    if (status == TS_OK)
        status = take_rows(reader, &reader->buffers, operation->id, take_buffer, error);
    if (status != TS_OK)
        return status;
    if (!ts_l1_occupancy_end(&reader->occupancy, &moment))
        return ts_error_no_memory(error);
    moment.name = operation->name;
    return ts_vec_push(&reader->replay->moments, moment) ? TS_OK : ts_error_no_memory(error);
}

/* ---- all operations ---- */

static enum ts_status pass(struct reader *reader, int64_t banks, struct ts_error *error)
{
    struct ts_l1_replay *replay = reader->replay;
    ts_l1_occupancy_init(&reader->occupancy, &reader->uses, banks);
    replay->moments.count = 0;
    replay->unreadable = replay->unrecorded_launches = replay->left_out = replay->graphless = 0;
    reader->bytes = 0;
    reader->disordered = false;
    memset(reader->keyless, 0, sizeof reader->keyless);
    enum ts_status status = open_cursor(reader, &reader->graphs, TS_DB_CAPTURED_GRAPH, graph_columns, error);
    if (status == TS_OK)
        status = open_cursor(reader, &reader->buffers, TS_DB_BUFFERS, buffer_columns, error);
    for (size_t i = 0; status == TS_OK && i < replay->operations.count && !reader->disordered; i++) {
        if (i % PROGRESS_OPERATIONS == 0)
            status = ts_context_progress(reader->context, i, replay->operations.count, "operations replayed", error);
        if (status == TS_OK)
            status = replay_operation(reader, &replay->operations.items[i], error);
    }
    if (status == TS_OK && !reader->disordered)
        status = drain(reader, &reader->graphs, error);
    if (status == TS_OK && !reader->disordered)
        status = drain(reader, &reader->buffers, error);
    ts_db_rows_close(reader->graphs.rows);
    ts_db_rows_close(reader->buffers.rows);
    reader->graphs.rows = reader->buffers.rows = NULL;
    return status;
}

static enum ts_status keep(struct reader *reader, struct ts_error *error)
{
    struct ts_l1_replay *replay = reader->replay;
    struct ts_l1_occupancy *occupancy = &reader->occupancy;
    if (!ts_l1_occupancy_finish(occupancy) || !ts_vec_reserve(&replay->stale, occupancy->gone.count))
        return ts_error_no_memory(error);
    for (size_t i = 0; i < occupancy->gone.count; i++)
        replay->stale.items[replay->stale.count++] = occupancy->gone.items[i];
    replay->without_stale = ts_l1_bytes_number(occupancy->without_stale);
    replay->without_stale_operation = occupancy->without_stale_operation;
    replay->reconciled = occupancy->reconciled;
    replay->unsized = occupancy->unsized;
    replay->unattributable = reader->uses.unattributable;
    replay->uses_unknown = reader->uses.unknown;
    for (unsigned table = 0; table < TS_DB_TABLES; table++)
        replay->keyless[table] = reader->profiler->keyless[table] + reader->keyless[table];
    return TS_OK;
}

static enum ts_status replay_all(struct reader *reader, int64_t banks, struct ts_error *error)
{
    enum ts_status status = pass(reader, banks, error);
    if (status == TS_OK && reader->disordered) {
        ts_l1_occupancy_free(&reader->occupancy);
        reader->indexed = true;
        status = pass(reader, banks, error);
    }
    return status == TS_OK ? keep(reader, error) : status;
}

static enum ts_status read_geometry(struct reader *reader, int64_t *banks, struct ts_error *error)
{
    struct ts_l1_replay *replay = reader->replay;
    struct ts_profiler_devices devices;
    enum ts_status status = ts_profiler_devices(reader->context, reader->profiler, &devices, error);
    if (status != TS_OK)
        return status;
    *banks = devices.count > 0 && devices.items[0].l1_num_banks > 0 ? devices.items[0].l1_num_banks : BANKS_ASSUMED;
    replay->capacity = devices.count > 0 && devices.items[0].worker_l1_size > 0 ? devices.items[0].worker_l1_size : 0;
    replay->device_count = devices.count;
    replay->devices_unattributable = ts_profiler_unattributable(reader->profiler, TS_DB_DEVICES);
    return TS_OK;
}

/* ---- compositions ---- */

static int compare_numbers(double a, double b)
{
    return (a < b) - (a > b);
}

static int by_composition(const void *a, const void *b, void *data)
{
    const struct ts_l1_moment *moments = data, *left = &moments[*(const uint32_t *)a],
                              *right = &moments[*(const uint32_t *)b];
    int order = compare_numbers(left->total, right->total);
    for (unsigned kind = 0; kind < TS_L1_KINDS && order == 0; kind++)
        order = compare_numbers(left->parts[kind], right->parts[kind]);
    return order != 0 ? order : (left->operation > right->operation) - (left->operation < right->operation);
}

static bool are_alike(const struct ts_l1_moment *a, const struct ts_l1_moment *b)
{
    bool alike = a->total == b->total;
    for (unsigned kind = 0; kind < TS_L1_KINDS; kind++)
        alike = alike && a->parts[kind] == b->parts[kind];
    return alike;
}

static int by_total(const void *a, const void *b, void *data)
{
    const struct ts_l1_replay *replay = data;
    const struct ts_l1_composition *one = a, *other = b;
    const struct ts_l1_moment *left = &replay->moments.items[replay->order.items[one->first]],
                              *right = &replay->moments.items[replay->order.items[other->first]];
    int order = compare_numbers(left->total, right->total);
    return order != 0 ? order : (left->operation > right->operation) - (left->operation < right->operation);
}

static enum ts_status compose(struct ts_l1_replay *replay, struct ts_error *error)
{
    struct ts_l1_moment *moments = replay->moments.items;
    for (uint32_t i = 0; i < replay->moments.count; i++)
        if (moments[i].total > 0 && !ts_vec_push(&replay->order, i))
            return ts_error_no_memory(error);
    if (replay->order.count > 1)
        qsort_r(replay->order.items, replay->order.count, sizeof *replay->order.items, by_composition, moments);
    const uint32_t *order = replay->order.items;
    for (uint32_t first = 0, end; first < replay->order.count; first = end) {
        for (end = first + 1; end < replay->order.count && are_alike(&moments[order[first]], &moments[order[end]]);)
            end++;
        struct ts_l1_composition composition = {first, end - first};
        if (!ts_vec_push(&replay->compositions, composition))
            return ts_error_no_memory(error);
    }
    if (replay->compositions.count > 1)
        qsort_r(replay->compositions.items, replay->compositions.count, sizeof *replay->compositions.items, by_total,
                replay);
    return TS_OK;
}

/* ---- the kept part ---- */

static enum ts_status read_replay(struct reader *reader, struct ts_error *error)
{
    struct ts_l1_replay *replay = reader->replay;
    int64_t banks = BANKS_ASSUMED;
    ts_arena_init(&replay->arena, reader->context->memory_limit);
    enum ts_status status = ts_intern_init(&replay->names, &replay->arena, error);
    if (status == TS_OK)
        status = read_geometry(reader, &banks, error);
    if (status == TS_OK)
        status = read_operations(reader, error);
    if (status == TS_OK)
        status = ts_l1_last_uses_read(reader->profiler, replay->operations.items, replay->operations.count,
                                      &reader->uses, error);
    if (status == TS_OK)
        status = replay_all(reader, banks, error);
    if (status == TS_OK)
        status = compose(replay, error);
    ts_intern_seal(&replay->names);
    return status;
}

static void destroy(struct ts_part *part)
{
    struct ts_l1_replay *replay = (struct ts_l1_replay *)part;
    ts_vec_free(&replay->operations);
    ts_vec_free(&replay->moments);
    ts_vec_free(&replay->order);
    ts_vec_free(&replay->compositions);
    ts_vec_free(&replay->stale);
    ts_intern_free(&replay->names);
    ts_arena_free(&replay->arena);
    free(replay);
}

static const struct ts_part_type replay_type = {"l1_replay", TS_PART_KEEP, destroy};

static size_t bytes_of(const struct ts_l1_replay *replay)
{
    return sizeof *replay + replay->arena.reserved + replay->operations.capacity * sizeof *replay->operations.items +
           replay->moments.capacity * sizeof *replay->moments.items +
           replay->order.capacity * sizeof *replay->order.items +
           replay->compositions.capacity * sizeof *replay->compositions.items +
           replay->stale.capacity * sizeof *replay->stale.items + replay->names.capacity * sizeof *replay->names.texts;
}

struct making {
    struct ts_capture *capture;
    struct ts_l1_replay_rank rank;
    const enum ts_db_table *needed;
    size_t needed_count;
};

static enum ts_status make(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    const struct making *making = data;
    struct ts_profiler profiler;
    enum ts_status status = ts_profiler_begin(context, making->capture, making->rank.given, making->rank.rank,
                                              making->needed, making->needed_count, &profiler, error);
    if (status != TS_OK)
        return status;
    struct reader reader = {.context = context, .profiler = &profiler, .replay = calloc(1, sizeof *reader.replay)};
    ts_buf_init(&reader.text, 0);
    status = reader.replay ? read_replay(&reader, error) : ts_error_no_memory(error);
    if (status == TS_OK)
        status = ts_profiler_finish(&profiler, error);
    if (status == TS_OK) {
        struct ts_l1_replay *replay = reader.replay;
        replay->multi_host = profiler.multi_host;
        replay->rank = profiler.rank;
        replay->part.identity = *ts_db_read_identity(profiler.db);
        replay->part.size = bytes_of(replay);
        *out = &replay->part;
    } else if (reader.replay) {
        destroy(&reader.replay->part);
    }
    ts_l1_occupancy_free(&reader.occupancy);
    ts_l1_last_uses_free(&reader.uses);
    ts_graph_free(&reader.graph);
    ts_buf_free(&reader.text);
    ts_profiler_end(&profiler);
    return status;
}

enum ts_status ts_l1_replay_read(struct ts_context *context, struct ts_capture *capture, struct ts_l1_replay_rank rank,
                                 const enum ts_db_table *needed, size_t needed_count, const struct ts_l1_replay **out,
                                 struct ts_error *error)
{
    struct making making = {capture, rank, needed, needed_count};
    struct ts_part_request request = {.type = &replay_type,
                                      .path = capture->database,
                                      .label = capture->profiler_label,
                                      .make = make,
                                      .data = &making};
    struct ts_part *part;
    struct ts_db *db;
    char options[32] = "";
    /* Without a database its opening says so. Later calls need not open it again. */
    if (!capture->database)
        return ts_capture_database(context, capture, &db, error);
    if (rank.given)
        snprintf(options, sizeof options, "%" PRId64, rank.rank);
    request.options = options;
    enum ts_status status = ts_capture_database_identity(context, capture, &request.now, error);
    if (status == TS_OK)
        status = ts_parts_acquire(context, capture->parts, &capture->pins, &request, &part, error);
    if (status == TS_OK)
        *out = (const struct ts_l1_replay *)part;
    return status;
}

struct ts_str ts_l1_replay_name(const struct ts_l1_replay *replay, int64_t operation)
{
    const struct ts_l1_operation *items = replay->operations.items;
    size_t first = 0, end = replay->operations.count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (items[middle].id < operation)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == replay->operations.count || items[first].id != operation || items[first].name == 0)
        return (struct ts_str){NULL, 0};
    return ts_intern_text(&replay->names, items[first].name - 1);
}
