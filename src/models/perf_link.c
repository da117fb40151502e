#include "models/perf_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/utf8.h"
#include "models/launch_order.h"

const char *ts_perf_link_order_name(enum ts_perf_link_order order)
{
    switch (order) {
    case TS_PERF_ORDER_START:
        return "function_start";
    case TS_PERF_ORDER_END:
        return "function_end";
    case TS_PERF_ORDER_START_COLLAPSED:
        return "function_start_collapsed";
    case TS_PERF_ORDER_END_COLLAPSED:
        return "function_end_collapsed";
    }
    return NULL;
}

struct making {
    struct ts_capture *capture;
    bool csv_failed; /* what failed was reading the performance report */
};
struct linker {
    struct ts_context *context;
    struct ts_capture *capture;
    struct ts_profiler profiler;
    struct ts_launch_order launches;
    size_t device_count;
    const struct ts_perf_report *report;
    /* Rows that an operation can have: of the table, of the report, and their raw op codes as names of launches. */
    uint32_t *rows, *reported, *names;
    uint32_t row_count;
    struct ts_perf_link *link;
    struct ts_buf reason;
};

/* ---- the performance side ---- */

static bool can_be_linked(const struct ts_op_facts *facts)
{
    return facts->kind == TS_ROW_DEVICE || facts->kind == TS_ROW_OTHER;
}

/* Raw op codes as the launches number names, each text looked up once. */
static enum ts_status name_rows(struct linker *linker, uint32_t *codes, struct ts_error *error)
{
    const struct ts_perf_report *report = linker->report;
    for (uint32_t i = 0; i < report->count; i++) {
        const struct ts_op_facts *facts = ts_perf_row_facts(report, i);
        if (!can_be_linked(facts))
            continue;
        uint32_t row = report->rows[i].source;
        if (codes[facts->code] == UINT32_MAX)
            codes[facts->code] =
                ts_graph_scopes_name(&linker->launches.scopes, ts_ops_text(report->source->ops, TS_OPS_OP_CODE, row));
        if (codes[facts->code] == UINT32_MAX)
            return ts_arena_error(&linker->launches.scopes.arena, error);
        linker->rows[linker->row_count] = row;
        linker->reported[linker->row_count] = i;
        linker->names[linker->row_count++] = codes[facts->code];
    }
    return TS_OK;
}

static enum ts_status read_rows(struct linker *linker, struct ts_error *error)
{
    size_t count = linker->report->count, code_count = linker->report->source->code_count;
    uint32_t *codes = malloc((code_count + 1) * sizeof *codes);
    linker->rows = malloc((count + 1) * sizeof *linker->rows);
    linker->reported = malloc((count + 1) * sizeof *linker->reported);
    linker->names = malloc((count + 1) * sizeof *linker->names);
    enum ts_status status =
        codes && linker->rows && linker->reported && linker->names ? TS_OK : ts_error_no_memory(error);
    for (size_t i = 0; codes && i < code_count; i++)
        codes[i] = UINT32_MAX;
    if (status == TS_OK)
        status = name_rows(linker, codes, error);
    free(codes);
    return status;
}

/* ---- lining up ---- */

/* Where the two lists first differ, or the end of the launches. */
static size_t aligned(const struct linker *linker, const struct ts_launch_list *launches)
{
    size_t at = 0;
    while (at < launches->count && at < linker->row_count && launches->items[at].name == linker->names[at])
        at++;
    return at;
}

static bool lines_up(const struct linker *linker, const struct ts_launch_list *launches)
{
    return launches->count > 0 && launches->count <= linker->row_count && aligned(linker, launches) == launches->count;
}

static void say_difference(struct linker *linker)
{
    const struct ts_launch_list *starts = &linker->launches.starts;
    struct ts_buf *out = &linker->reason;
    if (starts->count == 0) {
        ts_buf_text(out, "the captured graphs show no device operation that completed");
        return;
    }
    size_t at = aligned(linker, starts);
    /* By its place, not by the names: this is a sentence of ours, and they are a capture's. */
    ts_buf_text(out, "the device operations of the captured graphs and the performance rows do not line up: ");
    if (at == linker->row_count || at == starts->count)
        ts_buf_printf(out, "the graphs hold %zu and the performance report %" PRIu32, starts->count, linker->row_count);
    else
        ts_buf_printf(out, "number %zu, of operation %" PRId64 ", has another name in performance row %" PRIu32, at + 1,
                      starts->items[at].operation, linker->rows[at] + 2);
    ts_buf_text(out, "; most likely they are of two runs, or the performance capture stopped early");
}

/* Starts and ends hold the same launches, since a launch has both or is in neither: nothing but their order can differ. */
static const struct ts_launch_list *find_order(struct linker *linker, enum ts_perf_link_order *order)
{
    struct ts_launch_list *starts = &linker->launches.starts, *ends = &linker->launches.ends;
    *order = TS_PERF_ORDER_START;
    if (lines_up(linker, starts))
        return starts;
    *order = TS_PERF_ORDER_END;
    if (lines_up(linker, ends))
        return ends;
    say_difference(linker); /* while the lists are whole */
    if (linker->device_count < 2)
        return NULL;
    *order = TS_PERF_ORDER_START_COLLAPSED;
    if (ts_launch_list_collapse(&linker->launches, starts, linker->device_count) && lines_up(linker, starts))
        return starts;
    *order = TS_PERF_ORDER_END_COLLAPSED;
    if (ts_launch_list_collapse(&linker->launches, ends, linker->device_count) && lines_up(linker, ends))
        return ends;
    return NULL;
}

/* ---- what becomes of it ---- */

static int by_number(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static enum ts_status keep_matches(struct linker *linker, const struct ts_launch_list *launches, struct ts_error *error)
{
    struct ts_perf_link *link = linker->link;
    size_t count = launches->count;
    link->rows = malloc(count * sizeof *link->rows);
    link->reported = malloc(count * sizeof *link->reported);
    link->operations = malloc(count * sizeof *link->operations);
    link->by_row = malloc(count * sizeof *link->by_row);
    uint64_t *sorted = malloc(count * sizeof *sorted);
    if (!link->rows || !link->reported || !link->operations || !link->by_row || !sorted) {
        free(sorted);
        return ts_error_no_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        link->rows[i] = linker->rows[i];
        link->reported[i] = linker->reported[i];
        link->operations[i] = launches->items[i].operation;
        sorted[i] = (uint64_t)linker->rows[i] << 32 | i;
    }
    qsort(sorted, count, sizeof *sorted, by_number);
    for (size_t i = 0; i < count; i++)
        link->by_row[i] = (uint32_t)sorted[i];
    free(sorted);
    link->status = TS_PERF_LINKED;
    link->matched = (uint32_t)count;
    return TS_OK;
}

static void count_rows(struct linker *linker)
{
    struct ts_perf_link *link = linker->link;
    for (uint32_t i = 0; i < linker->report->count; i++) {
        enum ts_row_kind kind = (enum ts_row_kind)ts_perf_row_facts(linker->report, i)->kind;
        if (kind == TS_ROW_SIGNPOST)
            link->unlinked[TS_UNLINKED_SIGNPOST]++;
        else if (kind == TS_ROW_HOST)
            link->unlinked[TS_UNLINKED_HOST_OP]++;
        else if (ts_perf_link_counts(linker->report->rows[i].device_time))
            link->device_time_total += linker->report->rows[i].device_time;
    }
    link->unlinked[TS_UNLINKED_PAST_CAPTURE] = linker->row_count - link->matched;
    link->first_past = link->matched < linker->row_count ? linker->rows[link->matched] : UINT32_MAX;
}

/* The profiler side, then whether anything stands in the way; a reason is given then. */
static enum ts_status read_launches(struct linker *linker, struct ts_error *error)
{
    struct ts_launch_order *launches = &linker->launches;
    struct ts_profiler_devices devices;
    struct ts_buf *reason = &linker->reason;
    if (ts_profiler_unattributable(&linker->profiler, TS_DB_CAPTURED_GRAPH) ||
        ts_profiler_unattributable(&linker->profiler, TS_DB_DEVICES)) {
        ts_buf_printf(reason, "the report holds several ranks, and its table %s carries none",
                      ts_profiler_unattributable(&linker->profiler, TS_DB_CAPTURED_GRAPH) ? "captured_graph"
                                                                                          : "devices");
        return TS_OK;
    }
    const struct ts_db *db = linker->profiler.db;
    const char *key = ts_db_missing_key(db, TS_DB_CAPTURED_GRAPH);
    if (ts_db_has_table(db, TS_DB_CAPTURED_GRAPH) && !ts_db_has_column(db, TS_DB_CAPTURED_GRAPH, "captured_graph"))
        key = "captured_graph";
    if (key) {
        ts_buf_printf(reason, "the table captured_graph lacks its column %s", key);
        return TS_OK;
    }
    enum ts_status status = ts_profiler_devices(linker->context, &linker->profiler, &devices, error);
    if (status == TS_OK)
        status = ts_launch_order_read(linker->context, &linker->profiler, launches, error);
    if (status != TS_OK)
        return status;
    linker->device_count = devices.count;
    if (launches->too_large)
        ts_buf_text(reason, "the captured graphs of the rank are together past the size that is read");
    else if (launches->unreadable)
        ts_buf_printf(reason, "the captured graph of operation %" PRId64 " %s", launches->operation,
                      ts_graph_state_words(launches->state));
    else if (!launches->any_graph)
        ts_buf_text(reason, "the profiler report records no captured graph");
    return TS_OK;
}

static enum ts_status line_up(struct linker *linker, bool *csv_failed, struct ts_error *error)
{
    enum ts_status status = ts_capture_report(
        linker->context, linker->capture, &(struct ts_signpost_range){.start = {"", 0}}, &linker->report, NULL, error);
    *csv_failed = status != TS_OK;
    if (status == TS_OK)
        status = read_rows(linker, error);
    if (status != TS_OK)
        return status;
    const struct ts_launch_list *launches = find_order(linker, &linker->link->order);
    linker->link->status = TS_PERF_UNLINKED;
    if (!launches)
        return TS_OK;
    ts_buf_clear(&linker->reason);
    status = keep_matches(linker, launches, error);
    if (status == TS_OK)
        count_rows(linker);
    return status;
}

static enum ts_status finish(struct linker *linker, struct ts_error *error)
{
    struct ts_perf_link *link = linker->link;
    enum ts_status status = ts_buf_status(&linker->reason, error);
    if (status == TS_OK && linker->reason.len > 0) {
        link->reason = strdup(linker->reason.ptr);
        status = link->reason ? TS_OK : ts_error_no_memory(error);
    }
    link->ranked = linker->profiler.multi_host;
    link->part.identity = *ts_db_read_identity(linker->profiler.db);
    link->part.size =
        sizeof *link + linker->reason.len + link->matched * (3 * sizeof *link->rows + sizeof *link->operations);
    return status == TS_OK ? ts_profiler_finish(&linker->profiler, error) : status;
}

static enum ts_status make_link(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error)
{
    static const enum ts_db_table needed[] = {TS_DB_OPERATIONS};
    struct making *making = data;
    struct linker linker = {.context = context, .capture = making->capture};
    enum ts_status status = ts_profiler_begin(context, making->capture, false, 0, needed, 1, &linker.profiler, error);
    if (status != TS_OK)
        return status;
    ts_buf_init(&linker.reason, TS_ERROR_MESSAGE_MAX - 1);
    linker.link = calloc(1, sizeof *linker.link);
    status = linker.link ? read_launches(&linker, error) : ts_error_no_memory(error);
    if (status == TS_OK && linker.reason.len > 0)
        linker.link->status = TS_PERF_LINK_UNAVAILABLE;
    else if (status == TS_OK)
        status = line_up(&linker, &making->csv_failed, error);
    if (status == TS_OK)
        status = finish(&linker, error);
    if (status == TS_OK)
        *out = &linker.link->part;
    else
        ts_perf_link_destroy(linker.link);
    free(linker.rows);
    free(linker.reported);
    free(linker.names);
    ts_buf_free(&linker.reason);
    ts_launch_order_free(&linker.launches);
    ts_profiler_end(&linker.profiler);
    return status;
}

void ts_perf_link_destroy(struct ts_perf_link *link)
{
    if (!link)
        return;
    free(link->reason);
    free(link->rows);
    free(link->reported);
    free(link->operations);
    free(link->by_row);
    free(link);
}

/* ---- once a capture ---- */

static void destroy_part(struct ts_part *part)
{
    ts_perf_link_destroy((struct ts_perf_link *)part);
}

static const struct ts_part_type link_type = {"perf_link", TS_PART_KEEP, destroy_part};

static void set_reason(struct ts_perf_link_state *state, const char *reason)
{
    size_t len = (size_t)snprintf(state->reason, sizeof state->reason, "%s", reason);
    if (len >= sizeof state->reason)
        state->reason[ts_utf8_valid_prefix(ts_str_from(state->reason))] = '\0';
}

/* What a pair of reports lacks, before anything is read. */
static const char *lacking(const struct ts_capture *capture)
{
    if (!capture->performance_path)
        return "no performance report was given with this one";
    if (!capture->profiler_path)
        return "no profiler report was given with this one";
    return capture->database ? NULL : "the profiler report has no db.sqlite";
}

static enum ts_status acquire(struct ts_context *context, struct ts_capture *capture, struct making *making,
                              struct ts_part **out, struct ts_error *error)
{
    const struct ts_identity *csv = &capture->csv_identity;
    char options[160];
    struct ts_part_request request = {.type = &link_type,
                                      .options = options,
                                      .path = capture->database,
                                      .label = capture->label,
                                      .make = make_link,
                                      .data = making};
    /* The other of the two files that a link is made of. */
    snprintf(options, sizeof options, "%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64,
             csv->device, csv->inode, csv->size, (uint64_t)csv->mtime_ns, (uint64_t)csv->ctime_ns, csv->path_hash);
    enum ts_status status = ts_capture_database_identity(context, capture, &request.now, error);
    return status == TS_OK ? ts_parts_acquire(context, capture->parts, &capture->pins, &request, out, error) : status;
}

/* Whether a failure to link ends the call, instead of leaving its rows without operations. */
static bool ends_the_call(struct ts_context *context, enum ts_status status, const struct making *making)
{
    switch (status) {
    case TS_CANCELLED:
    case TS_NO_MEMORY:
    case TS_INTERNAL:
        return true;
    case TS_CHANGED:
        return making->csv_failed;
    case TS_LIMIT:
        return ts_context_check(context, NULL) != TS_OK;
    default:
        return false;
    }
}

enum ts_status ts_perf_link_read(struct ts_context *context, struct ts_capture *capture, struct ts_perf_link_state *out,
                                 struct ts_error *error)
{
    out->link = NULL;
    out->status = TS_PERF_LINK_UNAVAILABLE;
    out->reason[0] = '\0';
    const char *lack = lacking(capture);
    if (lack) {
        set_reason(out, lack);
        return TS_OK;
    }
    struct making making = {capture, false};
    struct ts_part *part;
    struct ts_error failure;
    enum ts_status status = acquire(context, capture, &making, &part, &failure);
    if (status == TS_OK) {
        out->link = (const struct ts_perf_link *)part;
        out->status = out->link->status;
        set_reason(out, out->link->reason ? out->link->reason : "");
        return TS_OK;
    }
    if (ends_the_call(context, status, &making)) {
        if (error)
            *error = failure;
        return status;
    }
    set_reason(out, failure.message);
    return TS_OK;
}

bool ts_perf_link_operation(const struct ts_perf_link *link, uint32_t row, int64_t *operation)
{
    uint32_t first = 0, end = link ? link->matched : 0;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (link->rows[link->by_row[middle]] < row)
            first = middle + 1;
        else
            end = middle;
    }
    if (!link || first == link->matched || link->rows[link->by_row[first]] != row)
        return false;
    *operation = link->operations[link->by_row[first]];
    return true;
}

/* How many of the ascending operations are below the number. */
static uint32_t count_below(const struct ts_perf_link *link, int64_t operation)
{
    uint32_t first = 0, end = link->matched;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (link->operations[middle] < operation)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

uint32_t ts_perf_link_rows(const struct ts_perf_link *link, int64_t operation, uint32_t *first)
{
    *first = count_below(link, operation);
    uint32_t end = operation == INT64_MAX ? link->matched : count_below(link, operation + 1);
    return end - *first;
}
