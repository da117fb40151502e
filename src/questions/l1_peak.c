#include <inttypes.h>

#include "base/number.h"
#include "models/l1_replay.h"
#include "questions/profiler_common.h"

enum { ALSO_AT_MAX = 20 };

struct peak {
    struct ts_answer *answer;
    const struct ts_l1_replay *replay;
    const struct ts_l1_moment *fullest; /* NULL: nothing ever lay in L1 */
    bool withheld;
    int64_t limit;
    struct ts_caveat *caveat;
};

static const struct ts_l1_moment *stands_for(const struct ts_l1_replay *replay, const struct ts_l1_composition *alike)
{
    return &replay->moments.items[replay->order.items[alike->first]];
}

static void add_operation(const struct peak *peak, yyjson_mut_val *object, int64_t id)
{
    ts_profiler_add_operation(peak->answer, object, id, ts_l1_replay_name(peak->replay, id));
}

/* ---- one moment ---- */

static void add_composition(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_l1_moment *moment)
{
    yyjson_mut_val *parts = ts_answer_object(answer, object, "composition");
    ts_answer_number(answer, parts, "circular_buffers", moment->parts[TS_L1_CIRCULAR]);
    ts_answer_number(answer, parts, "intermediate_tensors", moment->parts[TS_L1_INTERMEDIATE]);
    ts_answer_number(answer, parts, "persistent_tensors", moment->parts[TS_L1_PERSISTENT]);
    ts_answer_number(answer, parts, "stale_tensors", moment->parts[TS_L1_STALE]);
}

static const char *kind_name(uint8_t kind)
{
    static const char *const names[TS_L1_KINDS] = {
        [TS_L1_CIRCULAR] = "circular-buffer",
        [TS_L1_INTERMEDIATE] = "intermediate-tensor",
        [TS_L1_PERSISTENT] = "persistent-tensor",
        [TS_L1_STALE] = "stale-tensor",
    };
    return names[kind];
}

static void add_largest(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_l1_moment *moment)
{
    yyjson_mut_val *resident = ts_answer_object(answer, object, "largest_resident");
    ts_answer_name(answer, resident, "kind", kind_name(moment->largest_kind));
    ts_answer_integer(answer, resident, "address", moment->largest_address);
    ts_answer_number(answer, resident, "size", moment->largest_size);
    if (moment->largest_used)
        ts_answer_integer(answer, resident, "last_used_by_operation_id", moment->largest_last_use);
    else
        ts_answer_null(answer, resident, "last_used_by_operation_id");
}

static void add_figures(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_l1_moment *moment)
{
    add_composition(answer, object, moment);
    ts_answer_name(answer, object, "precision", moment->several ? "upper-bound" : "exact");
    add_largest(answer, object, moment);
}

/* ---- the peak ---- */

static void add_peak(const struct peak *peak)
{
    struct ts_answer *answer = peak->answer;
    const struct ts_l1_moment *fullest = peak->withheld ? NULL : peak->fullest;
    ts_answer_boolean(answer, answer->root, "withheld", peak->withheld);
    if (peak->withheld)
        ts_answer_null(answer, answer->root, "peak");
    else
        ts_answer_number(answer, answer->root, "peak", fullest ? fullest->total : 0);
    ts_answer_name(answer, answer->root, "size_unit", "bytes_per_bank");
    if (fullest) {
        add_operation(peak, answer->root, fullest->operation);
        add_figures(answer, answer->root, fullest);
        return;
    }
    static const char *const keys[] = {"operation_id", "name", "composition", "precision", "largest_resident"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ts_answer_null(answer, answer->root, keys[i]);
}

static void add_capacity(const struct peak *peak)
{
    struct ts_answer *answer = peak->answer;
    int64_t capacity = peak->replay->capacity;
    if (capacity > 0)
        ts_answer_integer(answer, answer->root, "l1_size", capacity);
    else
        ts_answer_null(answer, answer->root, "l1_size");
    if (capacity > 0 && !peak->withheld)
        ts_answer_rounded(answer, answer->root, "l1_percent",
                          100 * (peak->fullest ? peak->fullest->total : 0) / (double)capacity);
    else
        ts_answer_null(answer, answer->root, "l1_percent");
}

static void add_top(const struct peak *peak)
{
    struct ts_answer *answer = peak->answer;
    const struct ts_l1_replay *replay = peak->replay;
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "top_operations");
    int64_t returned = 0;
    for (size_t i = 0; !peak->withheld && i < replay->compositions.count && returned < peak->limit; i++, returned++) {
        const struct ts_l1_composition *alike = &replay->compositions.items[i];
        const struct ts_l1_moment *moment = stands_for(replay, alike);
        yyjson_mut_val *row = ts_answer_push_object(answer, list);
        add_operation(peak, row, moment->operation);
        ts_answer_number(answer, row, "peak", moment->total);
        add_figures(answer, row, moment);
        yyjson_mut_val *others = ts_answer_list(answer, row, "also_at");
        for (uint32_t at = 1; at < alike->count && at <= ALSO_AT_MAX; at++)
            ts_answer_push_integer(answer, others,
                                   replay->moments.items[replay->order.items[alike->first + at]].operation);
        ts_answer_integer(answer, row, "also_at_count", alike->count - 1);
    }
    ts_answer_integer(answer, answer->root, "returned", returned);
    ts_answer_integer(answer, answer->root, "composition_count", (int64_t)replay->compositions.count);
    ts_answer_integer(answer, answer->root, "operation_count", (int64_t)replay->moments.count);
    ts_answer_integer(answer, answer->root, "reconciled_away_count", (int64_t)replay->reconciled);
    ts_answer_integer(answer, answer->root, "unattributable_stale_addresses", (int64_t)replay->unattributable);
}

/* ---- what freeing would give ---- */

static void add_freeing(const struct peak *peak)
{
    struct ts_answer *answer = peak->answer;
    const struct ts_l1_replay *replay = peak->replay;
    if (peak->withheld || !peak->fullest) {
        ts_answer_null(answer, answer->root, "freeing");
        return;
    }
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, "freeing");
    ts_answer_number(answer, object, "peak", replay->without_stale);
    if (replay->without_stale > 0) {
        add_operation(peak, object, replay->without_stale_operation);
    } else {
        ts_answer_null(answer, object, "operation_id");
        ts_answer_null(answer, object, "name");
    }
    size_t count = replay->stale.count, limit = (size_t)peak->limit;
    ts_answer_integer(answer, object, "resident_count", (int64_t)count);
    ts_answer_integer(answer, object, "returned", (int64_t)(count < limit ? count : limit));
    yyjson_mut_val *list = ts_answer_list(answer, object, "residents");
    for (size_t i = 0; i < count && i < limit; i++) {
        const struct ts_l1_stale *stale = &replay->stale.items[i];
        yyjson_mut_val *row = ts_answer_push_object(answer, list);
        ts_answer_integer(answer, row, "address", stale->address);
        ts_answer_number(answer, row, "size", stale->size);
        ts_answer_integer(answer, row, "free_after_operation_id", stale->last_use);
        ts_profiler_add_text(answer, row, "free_after_name", ts_l1_replay_name(replay, stale->last_use));
    }
}

/* ---- what limits the answer ---- */

static void add_reason(const struct peak *peak)
{
    char total[TS_NUMBER_TEXT_MAX], text[TS_NUMBER_TEXT_MAX + 640];
    if (!peak->withheld)
        return;
    ts_number_json(peak->fullest->total, total);
    int len =
        snprintf(text, sizeof text,
                 "The replay adds up to %s bytes per bank, more than the %" PRId64 " of a device's L1, so its "
                 "figures are wrong and withheld. Possible causes: occupancy summed across devices in a report of "
                 "several; a capture that cannot be reconstructed (a whole run under one operation, deallocations "
                 "without an address); residents on disjoint cores. See memory_profile and errors.",
                 total, peak->replay->capacity);
    ts_answer_string(peak->answer, peak->answer->root, "reason", (struct ts_str){text, (size_t)len});
}

static void note_capacity(const struct peak *peak)
{
    const struct ts_l1_replay *replay = peak->replay;
    if (replay->capacity == 0)
        ts_caveat_add(peak->caveat,
                      "The capacity of L1 is unknown (%s), so nothing tells whether the replay is possible.",
                      replay->devices_unattributable ? "the devices table carries no rank"
                                                     : "the report records no worker_l1_size");
    if (replay->device_count > 1)
        ts_caveat_add(peak->caveat,
                      "The report has %zu devices: occupancy is summed across them while l1_size is one device's, and "
                      "equal addresses count once.",
                      replay->device_count);
}

static void note_stale(const struct peak *peak)
{
    const struct ts_l1_replay *replay = peak->replay;
    if (replay->uses_unknown)
        ts_caveat_add(
            peak->caveat,
            "No tensor counts as stale: tensors or input_tensors is missing, lacks a column or carries no rank.");
    if (replay->unattributable > 0)
        ts_caveat_add(peak->caveat,
                      "Stale is a floor: %" PRIu64
                      " addresses held several tensors with a last use each, and count as persistent.",
                      replay->unattributable);
}

static void note_gaps(const struct peak *peak)
{
    const struct ts_l1_replay *replay = peak->replay;
    if (replay->reconciled > 0)
        ts_caveat_add(peak->caveat,
                      "%" PRIu64 " residents were dropped because the buffers recorded behind an operation lack them: "
                      "graphs record fewer frees than allocations.",
                      replay->reconciled);
    if (replay->graphless > 0)
        ts_caveat_add(peak->caveat,
                      "The figures are a floor: %" PRIu64
                      " of %zu operations have no captured graph, so what lay in L1 only within them is not known.",
                      replay->graphless, replay->moments.count);
    if (replay->left_out > 0)
        ts_caveat_add(peak->caveat,
                      "The figures leave out %" PRIu64
                      " buffers that may lie in L1 (their type, address or size is not recorded).",
                      replay->left_out);
    if (replay->unsized > 0)
        ts_caveat_add(peak->caveat,
                      "%" PRIu64
                      " sizes in the captured graphs or buffers are absent, negative or past 2^48 bytes: they "
                      "count as 0 or as 2^48.",
                      replay->unsized);
    if (replay->unreadable > 0)
        ts_caveat_add(peak->caveat,
                      "%" PRIu64 " captured graphs cannot be read (first: operation %" PRId64
                      "); their operations were replayed without them.",
                      replay->unreadable, replay->unreadable_operation);
    if (replay->unrecorded_launches > 0)
        ts_caveat_add(peak->caveat,
                      "The circular-buffer part, hence the peak, is a floor: %" PRIu64
                      " launches show no circular buffers, which means not recorded rather than none.",
                      replay->unrecorded_launches);
}

/* ---- the answer ---- */

static void write_answer(const struct peak *peak)
{
    add_peak(peak);
    add_capacity(peak);
    add_top(peak);
    add_freeing(peak);
    add_reason(peak);
    note_capacity(peak);
    note_stale(peak);
    note_gaps(peak);
}

static enum ts_status answer_l1_peak(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                     struct ts_capture *second, struct ts_answer *answer, struct ts_error *error)
{
    (void)second;
    const struct ts_arg *rank = ts_args_get(args, "rank");
    const struct ts_l1_replay *replay;
    enum ts_status status = ts_l1_replay_read(context, capture, (struct ts_l1_replay_rank){rank->given, rank->integer},
                                              args->question->tables, args->question->table_count, &replay, error);
    if (status != TS_OK)
        return status;
    /* The frame of an answer that was read earlier: nothing is open any more. */
    struct ts_profiler read = {.capture = capture, .multi_host = replay->multi_host, .rank = replay->rank};
    memcpy(read.keyless, replay->keyless, sizeof read.keyless);
    struct ts_caveat caveat;
    ts_caveat_init(&caveat, &read);
    const struct ts_l1_moment *fullest =
        replay->compositions.count > 0 ? stands_for(replay, &replay->compositions.items[0]) : NULL;
    const struct peak peak = {
        .answer = answer,
        .replay = replay,
        .fullest = fullest,
        .withheld = fullest && replay->capacity > 0 && fullest->total > (double)replay->capacity,
        .limit = ts_args_get(args, "limit")->integer,
        .caveat = &caveat,
    };
    write_answer(&peak);
    ts_profiler_add_frame(answer, &read, &caveat);
    return TS_OK;
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PROFILER_HANDLE_PARAM,
    TS_PROFILER_LIMIT_PARAM,
    TS_PROFILER_RANK_PARAM,
    {.name = NULL},
};

static const struct ts_field composition_fields[] = {
    {.key = "circular_buffers",
     .kind = TS_KIND_NUMBER,
     .unit = "bytes_per_bank",
     .show = TS_SHOW_COLUMN,
     .heading = "circular",
     .help = "0 can mean not recorded, see caveat"},
    {.key = "intermediate_tensors",
     .kind = TS_KIND_NUMBER,
     .unit = "bytes_per_bank",
     .show = TS_SHOW_COLUMN,
     .heading = "intermediate",
     .help = "allocated and freed within the operation"},
    {.key = "persistent_tensors",
     .kind = TS_KIND_NUMBER,
     .unit = "bytes_per_bank",
     .show = TS_SHOW_COLUMN,
     .heading = "persistent",
     .help = "still to be used, or not known to be stale"},
    {.key = "stale_tensors",
     .kind = TS_KIND_NUMBER,
     .unit = "bytes_per_bank",
     .show = TS_SHOW_COLUMN,
     .heading = "stale",
     .help = "allocated after their last use"},
    {.key = NULL},
};

static const struct ts_field largest_fields[] = {
    {.key = "kind",
     .kind = TS_KIND_STRING,
     .show = TS_SHOW_COLUMN,
     .help = "circular-buffer, intermediate-tensor, persistent-tensor or stale-tensor"},
    {.key = "address", .kind = TS_KIND_INTEGER, .help = "in the bank"},
    {.key = "size", .kind = TS_KIND_NUMBER, .unit = "bytes_per_bank", .show = TS_SHOW_COLUMN, .help = "in one bank"},
    {.key = "last_used_by_operation_id",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .help = "null: not known, or of no meaning"},
    {.key = NULL},
};

static const struct ts_field row_fields[] = {
    TS_PROFILER_OPERATION_FIELDS("the first with this composition", "null: it has none"),
    {.key = "peak",
     .kind = TS_KIND_NUMBER,
     .unit = "bytes_per_bank",
     .show = TS_SHOW_COLUMN,
     .help = "at the operation's fullest moment"},
    {.key = "composition",
     .kind = TS_KIND_OBJECT,
     .children = composition_fields,
     .show = TS_SHOW_COLUMNS,
     .bar_of = "l1_size",
     .help = "what it is made of"},
    {.key = "precision", .kind = TS_KIND_STRING, .help = "exact: a single resident; else upper-bound"},
    {.key = "largest_resident",
     .kind = TS_KIND_OBJECT,
     .children = largest_fields,
     .show = TS_SHOW_COLUMN,
     .heading = "largest",
     .help = "the largest, at the lowest address"},
    {.key = "also_at", .kind = TS_KIND_LIST, .of = TS_KIND_INTEGER, .help = "operations like it, at most 20"},
    {.key = "also_at_count",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_COLUMN,
     .heading = "others like it",
     .help = "all of them"},
    {.key = NULL},
};

static const struct ts_field resident_fields[] = {
    {.key = "address", .kind = TS_KIND_INTEGER, .help = "in the bank"},
    {.key = "size", .kind = TS_KIND_NUMBER, .unit = "bytes_per_bank", .show = TS_SHOW_COLUMN, .help = "in one bank"},
    {.key = "free_after_operation_id",
     .kind = TS_KIND_INTEGER,
     .show = TS_SHOW_COLUMN,
     .help = "the last that uses it"},
    {.key = "free_after_name",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .show = TS_SHOW_COLUMN,
     .help = "of that operation"},
    {.key = NULL},
};

static const struct ts_field freeing_fields[] = {
    {.key = "peak",
     .kind = TS_KIND_NUMBER,
     .unit = "bytes_per_bank",
     .help = "that would remain; another moment can be the fullest then"},
    {.key = "operation_id", .kind = TS_KIND_INTEGER, .nullable = true, .help = "that would hold it"},
    {.key = "name", .kind = TS_KIND_STRING, .nullable = true, .help = "of that operation"},
    {.key = "resident_count", .kind = TS_KIND_INTEGER, .help = "stale at the peak"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "how many are listed"},
    {.key = "residents",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = resident_fields,
     .help = "the largest first"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "withheld", .kind = TS_KIND_BOOLEAN, .help = "true: the replay exceeds the device, see reason"},
    {.key = "peak",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "bytes_per_bank",
     .show = TS_SHOW_ABOVE,
     .help = "most L1 in use at one moment"},
    {.key = "size_unit", .kind = TS_KIND_STRING, .help = "bytes_per_bank"},
    {.key = "operation_id",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .show = TS_SHOW_ABOVE,
     .heading = "at operation",
     .help = "the first that reaches it"},
    {.key = "name", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_ABOVE, .help = "of that operation"},
    {.key = "composition",
     .kind = TS_KIND_OBJECT,
     .nullable = true,
     .children = composition_fields,
     .show = TS_SHOW_ABOVE,
     .help = "adds up to the peak"},
    {.key = "precision",
     .kind = TS_KIND_STRING,
     .nullable = true,
     .help = "upper-bound: which cores each resident is on is not recorded; exact: a single one"},
    {.key = "largest_resident",
     .kind = TS_KIND_OBJECT,
     .nullable = true,
     .children = largest_fields,
     .help = "the largest, at the lowest address"},
    {.key = "l1_size",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .unit = "bytes",
     .show = TS_SHOW_ABOVE,
     .heading = "L1 of a core",
     .help = "null: unknown"},
    {.key = "l1_percent",
     .kind = TS_KIND_NUMBER,
     .nullable = true,
     .unit = "percent",
     .show = TS_SHOW_ABOVE,
     .heading = "share of it",
     .help = "the peak of l1_size"},
    {.key = "top_operations",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = row_fields,
     .show = TS_SHOW_ROWS,
     .help = "the fullest first, one for each composition"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "how many are listed"},
    {.key = "composition_count", .kind = TS_KIND_INTEGER, .help = "entries in all"},
    {.key = "operation_count", .kind = TS_KIND_INTEGER, .help = "operations replayed"},
    {.key = "reconciled_away_count", .kind = TS_KIND_INTEGER, .help = "residents dropped, see caveat"},
    {.key = "unattributable_stale_addresses", .kind = TS_KIND_INTEGER, .help = "over 0: stale is a floor"},
    {.key = "freeing",
     .kind = TS_KIND_OBJECT,
     .nullable = true,
     .children = freeing_fields,
     .show = TS_SHOW_BELOW,
     .detail = true,
     .heading = "were stale tensors freed",
     .help = "what freeing each stale tensor after its last use would give"},
    {.key = "reason",
     .kind = TS_KIND_STRING,
     .sometimes = true,
     .show = TS_SHOW_BELOW,
     .help = "why figures are withheld"},
    TS_PROFILER_FRAME_FIELDS,
    {.key = NULL},
};

static const enum ts_db_table tables[] = {TS_DB_OPERATIONS, TS_DB_BUFFERS, TS_DB_CAPTURED_GRAPH};

const struct ts_question ts_question_l1_peak = {
    .name = "l1_peak",
    .title = "L1 peak",
    .summary = "Where L1 was fullest, what filled it, and what freeing would give",
    .description =
        "The run's L1 peak per bank: circular buffers, tensors within an operation, persistent and stale ones; the "
        "operations nearest to it, and what freeing stale tensors would give.",
    .params = params,
    .needs = TS_NEED_DATABASE,
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .fields = fields,
    .link = TS_LINK_OPERATIONS,
    .too_large = "lower limit",
    .answer = answer_l1_peak,
};
