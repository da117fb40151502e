#include <inttypes.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/number.h"
#include "models/capture_log.h"
#include "models/core_figures.h"
#include "questions/log_notes.h"
#include "questions/log_state.h"
#include "questions/perf_common.h"
#include "questions/ranking.h"

enum { LIMIT_MAX = 25 };

struct view {
    struct ts_context *context;
    const struct ts_perf_report *report;
    const struct ts_core_spans *spans;
    const struct ts_capture *capture;
    double clock;
};

/* ---- which rows ---- */

static const struct ts_op_facts *facts_of(const struct view *view, uint32_t row)
{
    return ts_perf_row_facts(view->report, row);
}

static bool takes_longer(const void *data, uint32_t a, uint32_t b)
{
    const struct ts_perf_report *report = data;
    double left = report->rows[a].device_time, right = report->rows[b].device_time;
    return left != right ? left > right : a < b;
}

/* The costliest; how many device operations have no time to be ranked by. */
static uint32_t rank(const struct view *view, int64_t limit, struct ts_ranking *ranking)
{
    uint32_t timeless = 0;
    ts_ranking_init(ranking, takes_longer, view->report, limit);
    for (uint32_t row = 0; row < view->report->count; row++) {
        if (facts_of(view, row)->kind != TS_ROW_DEVICE)
            continue;
        if (ts_present(view->report->rows[row].device_time))
            ts_ranking_add(ranking, row);
        else
            timeless++;
    }
    ts_ranking_finish(ranking);
    return timeless;
}

static enum ts_status refuse_kind(const struct ts_capture *capture, int64_t id, uint8_t kind, struct ts_error *error)
{
    struct ts_quote label;
    const char *what = kind == TS_ROW_SIGNPOST ? "a signpost"
                       : kind == TS_ROW_HOST   ? "a host operation"
                                               : "no device operation";
    return ts_error_set(error, TS_REFUSED,
                        "%s: row %" PRId64 " is %s, which runs on no core; give perf_id of a device operation, as "
                        "top_ops lists them",
                        ts_error_quote(&label, ts_str_from(capture->label), TS_QUOTE_ARGUMENT), id, what);
}

/* The row of the report with this id. */
static enum ts_status find_row(const struct ts_capture *capture, const struct view *view, int64_t id, uint32_t *out,
                               struct ts_error *error)
{
    struct ts_quote label;
    const char *name = ts_error_quote(&label, ts_str_from(capture->label), TS_QUOTE_ARGUMENT);
    uint32_t table_rows = view->report->source->ops->rows;
    for (uint32_t row = 0; row < view->report->count; row++) {
        if (view->report->rows[row].source != (uint64_t)id - 2)
            continue;
        *out = row;
        uint8_t kind = facts_of(view, row)->kind;
        return kind == TS_ROW_DEVICE ? TS_OK : refuse_kind(capture, id, kind, error);
    }
    if (id >= 2 && id < (int64_t)table_rows + 2)
        return ts_error_set(error, TS_REFUSED,
                            "%s: row %" PRId64
                            " is no row of the report, because devices are merged and its operation is "
                            "reported from another device's row; give the perf_id that top_ops lists",
                            name, id);
    return ts_error_set(error, TS_REFUSED, "%s: there is no row %" PRId64 "; rows are 2 to %" PRIu64, name, id,
                        (uint64_t)table_rows + 1);
}

/* ---- figures of one operation ---- */

static double us(const struct view *view, double cycles)
{
    return cycles / view->clock;
}

static void add_spread(struct ts_answer *answer, yyjson_mut_val *object, const struct view *view,
                       const struct ts_spread *spread)
{
    ts_answer_rounded(answer, object, "min_us", us(view, spread->least));
    ts_answer_rounded(answer, object, "median_us", us(view, spread->median));
    ts_answer_rounded(answer, object, "max_us", us(view, spread->most));
}

static void add_csv_times(struct ts_answer *answer, yyjson_mut_val *object, const struct view *view, uint32_t source)
{
    static const struct {
        enum ts_ops_column column;
        const char *key;
    } times[] = {{TS_OPS_PER_CORE_MIN, "min_us"}, {TS_OPS_PER_CORE_MAX, "max_us"}, {TS_OPS_PER_CORE_AVG, "avg_us"}};
    bool any = false;
    for (size_t i = 0; i < 3; i++)
        any = any || ts_present(ts_ops_number(view->report->source->ops, times[i].column, source));
    if (!any)
        return;
    yyjson_mut_val *csv = ts_answer_object(answer, object, "csv_per_core");
    for (size_t i = 0; i < 3; i++)
        ts_answer_number(answer, csv, times[i].key,
                         ts_ns_to_us(ts_ops_number(view->report->source->ops, times[i].column, source)));
}

static void add_figures(struct ts_answer *answer, yyjson_mut_val *object, const struct view *view,
                        const struct ts_core_figures *figures)
{
    ts_answer_integer(answer, object, "cores_in_log", figures->all.cores);
    add_spread(answer, object, view, &figures->all);
    ts_answer_rounded(answer, object, "imbalance", figures->imbalance);
    yyjson_mut_val *list = ts_answer_list(answer, object, "slowest_cores");
    for (uint32_t i = 0; i < figures->slowest_count; i++) {
        yyjson_mut_val *core = ts_answer_push_object(answer, list);
        ts_answer_integer(answer, core, "core_x", figures->slowest[i].core.x);
        ts_answer_integer(answer, core, "core_y", figures->slowest[i].core.y);
        ts_answer_rounded(answer, core, "span_us", us(view, figures->slowest[i].span));
    }
    list = ts_answer_list(answer, object, "riscs");
    for (uint32_t i = 0; i < figures->risc_count; i++) {
        yyjson_mut_val *risc = ts_answer_push_object(answer, list);
        ts_answer_text(answer, risc, "risc", view->spans->riscs[figures->riscs[i].risc]);
        ts_answer_integer(answer, risc, "cores", figures->riscs[i].spread.cores);
        add_spread(answer, risc, view, &figures->riscs[i].spread);
    }
}

/* ---- what the figures lack ---- */

static void say_not_in_log(struct ts_buf *out, const struct view *view, uint32_t row, enum ts_not_in_log why)
{
    uint32_t span = view->spans->span_of_row[view->report->rows[row].source];
    if (span == TS_NO_SPAN)
        ts_buf_printf(out, " The row has no usable %s, so its zones cannot be told.",
                      facts_of(view, row)->device < 0 ? "DEVICE ID" : ts_ops_column_header(TS_OPS_GLOBAL_CALL_COUNT));
    else if (why == TS_NO_ZONES && view->spans->pairs[view->spans->spans[span].pair].unpaired > 0)
        ts_buf_text(out, " No kernel zone of this call count and device has both its ends in the log.");
    else if (why == TS_NO_ZONES)
        ts_buf_text(out, " The log has no kernel zones of this call count and device: it covers other runs, or stops "
                         "before this operation.");
    else if (why == TS_OTHER_EXECUTION)
        ts_buf_text(out, " The log has zones of this call count and device, but none inside the firmware cycles of any "
                         "row that shares them: it belongs to another execution, most often it lies beside a different "
                         "run's CSV.");
    else
        ts_buf_text(out, " Other replays of this call count have zones inside their cycles and this one has none: most "
                         "likely the profiler's buffer filled partway through the trace, which drops later replays.");
}

static void say_cores(struct ts_buf *out, uint32_t in_log, int32_t cores)
{
    if (cores < 0 || in_log == (uint32_t)cores)
        return;
    if (in_log < (uint32_t)cores) {
        ts_buf_printf(out, " %" PRIu32 " of ", in_log);
        ts_log_notes_count(out, (uint64_t)cores, "core", "cores");
        ts_buf_text(out,
                    " recorded zones, and the figures cover no more: markers were dropped, which tt-metal tells in "
                    "its host log alone.");
        return;
    }
    ts_buf_char(out, ' ');
    ts_log_notes_count(out, in_log, "core", "cores");
    ts_buf_printf(out,
                  " recorded zones and the row has %" PRId32 ": helper cores with another role are among them (as a "
                  "DRAM-sharded matmul's), so the median and imbalance mix roles, while max_us and slowest_cores still "
                  "name what set the time.",
                  cores);
}

static void add_caveat(struct ts_answer *answer, yyjson_mut_val *object, const struct view *view, uint32_t row,
                       enum ts_not_in_log why, uint32_t cores_in_log)
{
    const struct ts_op_facts *facts = facts_of(view, row);
    uint32_t number = view->spans->span_of_row[view->report->rows[row].source];
    const struct ts_span *span = number == TS_NO_SPAN ? NULL : &view->spans->spans[number];
    const struct ts_span_pair *pair = span ? &view->spans->pairs[span->pair] : NULL;
    struct ts_buf caveat;
    ts_buf_init(&caveat, 0);
    if (why != TS_IN_LOG)
        say_not_in_log(&caveat, view, row, why);
    else if (span && span->pooled && pair->rows > 1)
        ts_buf_text(&caveat,
                    " The row has no firmware cycles and shares its call count and device with other rows: the "
                    "figures pool all of them.");
    if (why == TS_IN_LOG)
        say_cores(&caveat, cores_in_log, facts->cores);
    if (facts->collective && view->report->source->device_count > 1)
        ts_buf_text(&caveat, " device_time is the mean over devices, while the spans are one device's.");
    if (pair && pair->unpaired) {
        ts_buf_char(&caveat, ' ');
        ts_log_notes_count(&caveat, pair->unpaired, "kernel zone", "kernel zones");
        ts_buf_text(&caveat, " of this call count and device did not pair, counted over all its replays.");
    }
    if (caveat.failed)
        answer->failed = true;
    if (caveat.len > 0)
        ts_answer_string(answer, object, "caveat", ts_str_sub(ts_buf_view(&caveat), 1, caveat.len));
    ts_buf_free(&caveat);
}

/* ---- an operation ---- */

static void add_identity(struct ts_answer *answer, yyjson_mut_val *object, const struct view *view, uint32_t row)
{
    const struct ts_op_facts *facts = facts_of(view, row);
    uint32_t source = view->report->rows[row].source;
    int64_t call_count;
    ts_perf_add_id(answer, object, "id", source);
    ts_answer_text(answer, object, "op_code", ts_perf_op_code(view->report, row));
    ts_perf_add_device(answer, object, "device", facts->device);
    if (ts_number_parse_whole(ts_ops_text(view->report->source->ops, TS_OPS_GLOBAL_CALL_COUNT, source), &call_count))
        ts_answer_integer(answer, object, "global_call_count", call_count);
    else
        ts_answer_null(answer, object, "global_call_count");
    ts_answer_rounded(answer, object, "device_time", view->report->rows[row].device_time);
    ts_answer_number(answer, object, "cores", facts->cores < 0 ? TS_ABSENT : facts->cores);
    ts_answer_name(answer, object, "op_category", ts_op_category_name((enum ts_op_category)facts->category));
}

static enum ts_status add_op(struct ts_answer *answer, yyjson_mut_val *list, const struct view *view, uint32_t row,
                             struct ts_error *error)
{
    static const char *const reasons[] = {NULL, "no_zones", "other_execution", "dropped_replay"};
    yyjson_mut_val *object = ts_answer_push_object(answer, list);
    uint32_t source = view->report->rows[row].source, number = view->spans->span_of_row[source];
    enum ts_not_in_log why = ts_core_spans_find_row(view->spans, source);
    struct ts_core_figures figures = {.all = {.cores = 0}};
    enum ts_status status = TS_OK;
    add_identity(answer, object, view, row);
    ts_answer_boolean(answer, object, "in_log", why == TS_IN_LOG);
    if (why == TS_IN_LOG) {
        struct ts_arena arena;
        ts_arena_init(&arena, 0);
        status = ts_core_figures_of(view->context, view->spans, number, &arena, &figures, error);
        if (status == TS_OK)
            add_figures(answer, object, view, &figures);
        ts_arena_free(&arena);
        add_csv_times(answer, object, view, source);
    } else {
        ts_answer_name(answer, object, "not_in_log", reasons[why]);
    }
    if (number != TS_NO_SPAN && view->spans->pairs[view->spans->spans[number].pair].unpaired)
        ts_answer_integer(answer, object, "unpaired_zones",
                          (int64_t)view->spans->pairs[view->spans->spans[number].pair].unpaired);
    add_caveat(answer, object, view, row, why, figures.all.cores);
    return status;
}

/* ---- the answer ---- */

/* What the log must have for spans; load_report says the same of it. */
static enum ts_status check_log(const struct ts_capture *capture, const struct ts_core_spans *spans,
                                struct ts_error *error)
{
    struct ts_quote label, path;
    struct ts_buf why;
    ts_buf_init(&why, 0);
    const struct ts_log_state state = {.has_header = spans->missing.ptr != NULL,
                                       .missing = spans->missing,
                                       .has_rows = spans->has_rows,
                                       .bad_byte = spans->bad_byte,
                                       .typed = spans->typed,
                                       .clock_mhz = spans->head.clock_mhz};
    enum ts_status status = TS_OK;
    if (!ts_log_state_answers(&state, true, &why)) {
        status = ts_buf_status(&why, error);
        if (status == TS_OK)
            status = ts_error_set(error, TS_REFUSED, "%s: %s: %s",
                                  ts_error_quote(&label, ts_str_from(capture->label), TS_QUOTE_ARGUMENT),
                                  ts_error_quote(&path, ts_str_from(capture->device_log), TS_QUOTE_FILE), why.ptr);
    }
    ts_buf_free(&why);
    return status;
}

static uint32_t count_in_log(const struct view *view, uint32_t *device_ops)
{
    uint32_t count = 0;
    *device_ops = 0;
    for (uint32_t row = 0; row < view->report->count; row++) {
        if (facts_of(view, row)->kind != TS_ROW_DEVICE)
            continue;
        ++*device_ops;
        count += ts_core_spans_in_log(view->spans, view->report->rows[row].source);
    }
    return count;
}

static void add_notes(struct ts_answer *answer, const struct view *view, uint32_t timeless)
{
    const struct ts_core_spans *spans = view->spans;
    struct ts_buf caveat;
    ts_buf_init(&caveat, 0);
    ts_perf_add_projection(answer, NULL, false);
    ts_log_notes_newer(&caveat, view->capture);
    ts_log_notes_clock(&caveat, view->clock);
    ts_answer_name(answer, answer->root, "note",
                   "Each operation is read on one device. A core's span runs from its first kernel start to its last "
                   "kernel end; imbalance is max over median; cores are NOC coordinates, not logical ones.");
    if (timeless) {
        ts_buf_char(&caveat, ' ');
        ts_log_notes_count(&caveat, timeless, "device operation has", "device operations have");
        ts_buf_text(&caveat, " no device_time and cannot be ranked: ask for one with perf_id.");
    }
    if (spans->unreadable_kernel_rows) {
        ts_answer_integer(answer, answer->root, "unreadable_kernel_rows", (int64_t)spans->unreadable_kernel_rows);
        ts_buf_char(&caveat, ' ');
        ts_log_notes_count(&caveat, spans->unreadable_kernel_rows, "kernel row is", "kernel rows are");
        ts_buf_text(&caveat, " left out, of which slot, core, call count or time is no number.");
    }
    if (spans->runs > 1) {
        ts_answer_integer(answer, answer->root, "runs", spans->runs);
        ts_buf_printf(&caveat, " The log holds about %" PRIu32 " runs: rows without firmware cycles pool them.",
                      spans->runs);
    }
    if (view->report->source->device_count > 1)
        ts_buf_text(&caveat, " A row is its slowest device's, except a collective's, which is the first device's.");
    if (caveat.failed)
        answer->failed = true;
    if (caveat.len > 0)
        ts_answer_string(answer, answer->root, "caveat", ts_str_sub(ts_buf_view(&caveat), 1, caveat.len));
    ts_buf_free(&caveat);
}

static enum ts_status read_view(struct ts_context *context, struct ts_capture *capture, struct view *view,
                                struct ts_error *error)
{
    enum ts_status status =
        ts_capture_report(context, capture, &(struct ts_signpost_range){.start = {"", 0}}, &view->report, NULL, error);
    if (status == TS_OK)
        status = ts_capture_spans(context, capture, view->report, &view->spans, error);
    if (status == TS_OK)
        status = check_log(capture, view->spans, error);
    if (status == TS_OK) {
        view->context = context;
        view->capture = capture;
        view->clock = view->spans->head.clock_mhz;
    }
    return status;
}

static enum ts_status answer_core_spread(struct ts_context *context, const struct ts_args *args,
                                         struct ts_capture *capture, struct ts_capture *second,
                                         struct ts_answer *answer, struct ts_error *error)
{
    (void)second;
    struct view view;
    struct ts_ranking ranking;
    uint32_t timeless = 0;
    const struct ts_arg *id = ts_args_get(args, "perf_id");
    enum ts_status status = read_view(context, capture, &view, error);
    if (status == TS_OK && id->given) {
        ranking.count = 1;
        status = find_row(capture, &view, id->integer, &ranking.items[0], error);
    } else if (status == TS_OK) {
        timeless = rank(&view, ts_args_get(args, "limit")->integer, &ranking);
    }
    if (status != TS_OK)
        return status;
    if (view.spans->head.arch.ptr)
        ts_answer_text(answer, answer->root, "arch", view.spans->head.arch);
    else
        ts_answer_null(answer, answer->root, "arch");
    ts_answer_number(answer, answer->root, "clock_mhz", view.clock);
    uint32_t device_ops, in_log = count_in_log(&view, &device_ops);
    ts_answer_integer(answer, answer->root, "op_count", device_ops);
    ts_answer_integer(answer, answer->root, "in_log_count", in_log);
    ts_answer_integer(answer, answer->root, "returned", ranking.count);
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "ops");
    for (uint32_t i = 0; status == TS_OK && i < ranking.count; i++)
        status = add_op(answer, list, &view, ranking.items[i], error);
    add_notes(answer, &view, timeless);
    return status;
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PERF_HANDLE_PARAM,
    {.name = "perf_id", .kind = TS_PARAM_ROW_ID, .help = "id of one row; without it the costliest operations"},
    {.name = "limit", .kind = TS_PARAM_LIMIT, .default_integer = 10, .maximum = LIMIT_MAX},
    {.name = NULL},
};

#define SPREAD_FIELDS(where)                                                                                           \
    {.key = "min_us",                                                                                                  \
     .kind = TS_KIND_NUMBER,                                                                                           \
     .nullable = true,                                                                                                 \
     .unit = "us",                                                                                                     \
     .sometimes = true,                                                                                                \
     .show = where,                                                                                                    \
     .heading = "min us",                                                                                              \
     .help = "shortest span; null, as the others: past any number at this clock"},                                     \
        {.key = "median_us",                                                                                           \
         .kind = TS_KIND_NUMBER,                                                                                       \
         .nullable = true,                                                                                             \
         .unit = "us",                                                                                                 \
         .sometimes = true,                                                                                            \
         .show = where,                                                                                                \
         .heading = "median us",                                                                                       \
         .help = "of an even number the mean of the middle two"},                                                      \
    {                                                                                                                  \
        .key = "max_us", .kind = TS_KIND_NUMBER, .nullable = true, .unit = "us", .sometimes = true, .show = where,     \
        .heading = "max us", .help = "longest span"                                                                    \
    }

static const struct ts_field core_fields[] = {
    {.key = "core_x", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "NOC coordinate"},
    {.key = "core_y", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "NOC coordinate"},
    {.key = "span_us",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "us",
     .show = TS_SHOW_COLUMN,
     .help = "its span"},
    {.key = NULL},
};

static const struct ts_field risc_fields[] = {
    {.key = "risc", .kind = TS_KIND_STRING, .help = "processor"},
    {.key = "cores", .kind = TS_KIND_INTEGER, .help = "cores whose processor recorded kernels"},
    SPREAD_FIELDS(TS_SHOW_NOT),
    {.key = NULL},
};

static const struct ts_field csv_fields[] = {
    {.key = "min_us", .kind = TS_KIND_NUMBER, .nullable = true, .unit = "us", .help = "as the CSV has it"},
    {.key = "max_us", .kind = TS_KIND_NUMBER, .nullable = true, .unit = "us", .help = "as the CSV has it"},
    {.key = "avg_us", .kind = TS_KIND_NUMBER, .nullable = true, .unit = "us", .help = "as the CSV has it"},
    {.key = NULL},
};

static const struct ts_field op_fields[] = {
    {.key = "id", .kind = TS_KIND_STRING, .show = TS_SHOW_COLUMN, .help = "row of the performance CSV"},
    {.key = "op_code",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .heading = "operation",
     .help = "a matmul's with its shape"},
    {.key = "device",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .help = "whose zones are read: the row's DEVICE ID, the log's PCIe slot"},
    {.key = "global_call_count", .kind = TS_KIND_INTEGER, .nullable = true, .help = "the log's run host ID"},
    {.key = "device_time",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "us",
     .show = TS_SHOW_COLUMN,
     .heading = "device us",
     .help = "of the row"},
    {.key = "cores", .kind = TS_KIND_NUMBER, .nullable = true, .show = TS_SHOW_COLUMN, .help = "of the row"},
    {.key = "op_category", .kind = TS_KIND_STRING, .nullable = true, .help = "Compute, CCL, DM, TM, Other"},
    {.key = "in_log", .kind = TS_KIND_BOOLEAN, .help = "whether the log has kernel zones of it"},
    {.key = "cores_in_log",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .show = TS_SHOW_COLUMN,
     .heading = "in log",
     .help = "cores that recorded kernel zones"},
    SPREAD_FIELDS(TS_SHOW_COLUMN),
    {.key = "imbalance",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .sometimes = true,
     .show = TS_SHOW_COLUMN,
     .help = "max over median; null: the median is 0"},
    {.key = "slowest_cores",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .sometimes = true,
     .children = core_fields,
     .show = TS_SHOW_COLUMN,
     .heading = "slowest cores, x: y us",
     .help = "up to 5, longest first"},
    {.key = "riscs",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .sometimes = true,
     .children = risc_fields,
     .help = "the same of each processor"},
    {.key = "csv_per_core",
     .kind = TS_KIND_OBJECT,
     .sometimes = true,
     .children = csv_fields,
     .help = "DEVICE KERNEL DURATION PER CORE, where the CSV has it"},
    {.key = "not_in_log",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_COLUMN,
     .heading = "not in log",
     .help = "no_zones, other_execution or dropped_replay"},
    {.key = "unpaired_zones",
     .kind = TS_KIND_INTEGER,
     .sometimes = true,
     .help = "of its call count and device, when there are any"},
    {.key = "caveat",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .detail = true,
     .help = "when the figures lack something"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "arch", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_ABOVE, .help = "ARCH of the log"},
    {.key = "clock_mhz",
     .kind = TS_KIND_NUMBER,
     .unit = "MHz",
     .show = TS_SHOW_ABOVE,
     .heading = "clock",
     .help = "CHIP_FREQ[MHz] of the log"},
    {.key = "op_count",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_ABOVE,
     .heading = "device operations",
     .help = "device operations of the report"},
    {.key = "in_log_count",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_ABOVE,
     .heading = "in the log",
     .help = "how many of them have zones"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "operations listed"},
    {.key = "ops",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = op_fields,
     .show = TS_SHOW_ROWS,
     .help = "longest device_time first"},
    TS_PERF_PROJECTION_FIELD,
    {.key = "note", .kind = TS_KIND_STRING, .show = TS_SHOW_BELOW, .help = "what spans and coordinates are"},
    {.key = "unreadable_kernel_rows", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "kernel rows left out"},
    {.key = "runs", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "when the log holds several runs: how many"},
    {.key = "caveat",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_BELOW,
     .help = "when rows of the log or devices need care"},
    {.key = NULL},
};

const struct ts_question ts_question_core_spread = {
    .name = "core_spread",
    .title = "Spread across cores",
    .summary = "How evenly an operation's kernel time fell across its cores",
    .description = "How evenly kernel time fell across cores, from the device log: spans of cores and of each RISC, "
                   "imbalance, the slowest cores, cores in the log against cores of the row. One operation, or the "
                   "costliest.",
    .params = params,
    .needs = TS_NEED_REPORT | TS_NEED_DEVICE_LOG | TS_NEED_KERNEL_ZONES,
    .fields = fields,
    .too_large = "lower limit",
    .answer = answer_core_spread,
};
