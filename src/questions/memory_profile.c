#include <inttypes.h>

#include "base/utf8.h"
#include "models/memory_sums.h"
#include "questions/profiler_common.h"
#include "questions/ranking.h"

enum { DEVICES_NAMED = 32 };

struct profile {
    struct ts_context *context;
    struct ts_profiler *profiler;
    struct ts_answer *answer;
    const struct ts_memory_sums *sums;
    struct ts_str type; /* asked; empty: all */
    int64_t limit;
    struct ts_caveat *caveat;
};

static bool is_wanted(const struct profile *profile, const struct ts_memory_type *type)
{
    return profile->type.len == 0 || ts_str_equal(profile->type, type->name);
}

static enum ts_status add_operation(const struct profile *profile, yyjson_mut_val *object, int64_t id,
                                    struct ts_error *error)
{
    struct ts_profiler_operation operation;
    bool found;
    enum ts_status status =
        ts_profiler_find_operation(profile->context, profile->profiler, id, &operation, &found, error);
    if (status == TS_OK)
        ts_profiler_add_operation(profile->answer, object, id, found ? operation.name : (struct ts_str){NULL, 0});
    return status;
}

/* ---- footprints by type ---- */

static bool is_larger(const void *data, uint32_t a, uint32_t b)
{
    const struct ts_memory_sum *sums = data;
    return sums[a].size != sums[b].size ? sums[a].size > sums[b].size : sums[a].operation < sums[b].operation;
}

static void rank_sums(const struct ts_memory_type *type, int64_t limit, struct ts_ranking *ranking, int64_t *peak,
                      int64_t *at_peak)
{
    *peak = type->count > 0 ? INT64_MIN : 0;
    *at_peak = 0;
    ts_ranking_init(ranking, is_larger, type->sums, limit);
    for (uint32_t i = 0; i < type->count; i++) {
        if (type->sums[i].size > *peak)
            *at_peak = 0;
        if (type->sums[i].size >= *peak) {
            *peak = type->sums[i].size;
            ++*at_peak;
        }
        ts_ranking_add(ranking, i);
    }
    ts_ranking_finish(ranking);
    if (*peak == 0)
        *at_peak = 0;
}

/* What follows from sizes is unknown when none is recorded. */
static void add_size(struct ts_answer *answer, yyjson_mut_val *object, const char *key, bool sized, int64_t value)
{
    if (sized)
        ts_answer_integer(answer, object, key, value);
    else
        ts_answer_null(answer, object, key);
}

static enum ts_status add_type(const struct profile *profile, yyjson_mut_val *map, const struct ts_memory_type *type,
                               struct ts_error *error)
{
    struct ts_answer *answer = profile->answer;
    struct ts_ranking ranking;
    int64_t peak, at_peak;
    bool sized = type->unsized < type->rows;
    enum ts_status status = TS_OK;
    yyjson_mut_val *object = ts_answer_object_at(answer, map, ts_utf8_cut(type->name, TS_QUOTE_ARGUMENT));
    rank_sums(type, profile->limit, &ranking, &peak, &at_peak);
    add_size(answer, object, "peak", sized, peak);
    add_size(answer, object, "operations_at_peak", sized, at_peak);
    ts_answer_integer(answer, object, "operation_count", (int64_t)type->count);
    ts_answer_integer(answer, object, "returned", ranking.count);
    yyjson_mut_val *list = ts_answer_list(answer, object, "operations");
    for (uint32_t i = 0; i < ranking.count && status == TS_OK; i++) {
        const struct ts_memory_sum *sum = &type->sums[ranking.items[i]];
        yyjson_mut_val *row = ts_answer_push_object(answer, list);
        status = add_operation(profile, row, sum->operation, error);
        add_size(answer, row, "size", sized, sum->size);
    }
    return status;
}

/* Buffers whose size is not recorded add nothing. */
static void note_sizes(const struct profile *profile)
{
    uint64_t unsized = 0;
    for (size_t i = 0; i < profile->sums->type_count; i++)
        if (is_wanted(profile, &profile->sums->types[i]))
            unsized += profile->sums->types[i].unsized;
    if (unsized > 0)
        ts_caveat_add(profile->caveat, "Not in the sizes: %" PRIu64 " buffers whose size is not recorded.", unsized);
}

static enum ts_status add_types(const struct profile *profile, struct ts_error *error)
{
    struct ts_answer *answer = profile->answer;
    enum ts_status status = TS_OK;
    yyjson_mut_val *map = ts_answer_object(answer, answer->root, "memory_by_buffer_type");
    for (size_t i = 0; i < profile->sums->type_count && status == TS_OK && !answer->failed; i++)
        if (is_wanted(profile, &profile->sums->types[i]))
            status = add_type(profile, map, &profile->sums->types[i], error);
    yyjson_mut_val *list = ts_answer_list(answer, answer->root, "buffer_types_present");
    for (size_t i = 0; i < profile->sums->type_count && !answer->failed; i++)
        ts_answer_push_text(answer, list, profile->sums->types[i].name);
    ts_answer_name(answer, answer->root, "size_unit", "bytes_per_bank");
    return status;
}

/* A type that the report has no buffers of, though it has others. */
static enum ts_status check_type(const struct profile *profile, struct ts_error *error)
{
    struct ts_quote label;
    struct ts_buf present;
    ts_buf_init(&present, 0);
    for (size_t i = 0; i < profile->sums->type_count; i++) {
        struct ts_quote name;
        if (is_wanted(profile, &profile->sums->types[i])) {
            ts_buf_free(&present);
            return TS_OK;
        }
        ts_buf_printf(&present, "%s%s", i > 0 ? ", " : "",
                      ts_error_quote(&name, profile->sums->types[i].name, TS_QUOTE_ARGUMENT));
    }
    enum ts_status status = ts_buf_status(&present, error);
    if (status == TS_OK && profile->sums->type_count > 0)
        status = ts_error_set(
            error, TS_REFUSED, "%s: the report has no %.*s buffers; it has %s",
            ts_error_quote(&label, ts_str_from(profile->profiler->capture->profiler_label), TS_QUOTE_ARGUMENT),
            TS_STR_ARG(profile->type), present.ptr);
    ts_buf_free(&present);
    return status;
}

/* ---- devices ---- */

static void add_device(const struct profile *profile, const struct ts_profiler_devices *devices)
{
    struct ts_answer *answer = profile->answer;
    if (ts_profiler_unattributable(profile->profiler, TS_DB_DEVICES)) {
        ts_answer_null(answer, answer->root, "device");
        ts_caveat_add(profile->caveat, "device and l1_pressure are withheld: the devices table carries no rank.");
        return;
    }
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, "device");
    ts_answer_integer(answer, object, "devices", (int64_t)devices->count);
    if (devices->count > 0) {
        const struct ts_profiler_device *first = &devices->items[0];
        ts_answer_integer(answer, object, "geometry_from_device", first->id);
        ts_answer_integer(answer, object, "l1_bank_size", first->l1_bank_size);
        ts_answer_integer(answer, object, "l1_num_banks", first->l1_num_banks);
        ts_answer_integer(answer, object, "worker_l1_size", first->worker_l1_size);
        ts_answer_integer(answer, object, "num_compute_cores", first->num_compute_cores);
        ts_answer_integer(answer, object, "total_l1_for_tensors", first->total_l1_for_tensors);
    }
    ts_answer_null(answer, object, "dram_capacity");
}

/* The devices whose buffers the sums add up, when there are several. */
static void note_devices(const struct profile *profile)
{
    struct ts_buf names;
    int64_t last = INT64_MIN;
    size_t count = 0;
    ts_buf_init(&names, 0);
    for (bool more = true; more;) {
        int64_t next = INT64_MAX;
        more = false;
        for (size_t i = 0; i < profile->sums->type_count; i++) {
            const struct ts_memory_type *type = &profile->sums->types[i];
            for (size_t d = 0; is_wanted(profile, type) && d < type->device_count; d++)
                if ((count == 0 || type->devices[d] > last) && type->devices[d] <= next) {
                    next = type->devices[d];
                    more = true;
                    break;
                }
        }
        if (more && count < DEVICES_NAMED)
            ts_buf_printf(&names, "%s%" PRId64, count > 0 ? ", " : "", next);
        count += more;
        last = next;
        more = more && count <= DEVICES_NAMED;
    }
    if (count > 1)
        ts_caveat_add(profile->caveat, "Sizes add up the buffers of devices %s%s.", names.ptr ? names.ptr : "",
                      count > DEVICES_NAMED ? " and more" : "");
    profile->caveat->text.failed = profile->caveat->text.failed || names.failed;
    ts_buf_free(&names);
}

/* ---- L1 pressure ---- */

static const char *why_no_pressure(const struct profile *profile)
{
    if (!ts_db_has_table(profile->profiler->db, TS_DB_DEVICES))
        return "l1_pressure is null: the report has no devices table.";
    if (!profile->sums->geometry)
        return "l1_pressure is null: the report records no L1 geometry of its devices.";
    if (profile->sums->withheld > 0)
        return "l1_pressure is null: where L1 buffers lay is not recorded.";
    return "l1_pressure is null: no operation has buffers on a device whose L1 geometry is recorded.";
}

static void note_unplaced(const struct profile *profile)
{
    const struct ts_memory_sums *sums = profile->sums;
    if (sums->unplaced == 0 || !sums->geometry)
        return;
    ts_caveat_add(profile->caveat,
                  "l1_pressure leaves out %" PRIu64
                  " buffers that may lie in L1 (their type, device, address or size is not recorded), and so %zu "
                  "operations.",
                  sums->unplaced, sums->withheld);
}

static enum ts_status add_pressure(const struct profile *profile, struct ts_error *error)
{
    struct ts_answer *answer = profile->answer;
    const struct ts_memory_sums *sums = profile->sums;
    enum ts_status status = TS_OK;
    if (profile->type.len > 0 && !ts_str_is(profile->type, "L1"))
        return TS_OK;
    note_unplaced(profile);
    if (sums->pressure_count == 0) {
        ts_answer_null(answer, answer->root, "l1_pressure");
        if (!ts_profiler_unattributable(profile->profiler, TS_DB_DEVICES))
            ts_caveat_add(profile->caveat, "%s", why_no_pressure(profile));
        return TS_OK;
    }
    size_t limit = (size_t)profile->limit, returned = sums->pressure_count < limit ? sums->pressure_count : limit;
    yyjson_mut_val *object = ts_answer_object(answer, answer->root, "l1_pressure");
    ts_answer_name(answer, object, "size_unit", "bytes_per_bank");
    ts_answer_boolean(answer, object, "free_space_is_upper_bound", true);
    ts_answer_integer(answer, object, "operation_count", (int64_t)sums->pressure_count);
    ts_answer_integer(answer, object, "returned", (int64_t)returned);
    yyjson_mut_val *list = ts_answer_list(answer, object, "operations");
    for (size_t i = 0; i < returned && status == TS_OK; i++) {
        yyjson_mut_val *row = ts_answer_push_object(answer, list);
        status = add_operation(profile, row, sums->pressures[i].operation, error);
        ts_profiler_add_pressure(answer, row, &sums->pressures[i].tightest);
    }
    return status;
}

/* ---- the answer ---- */

static const char note[] = "A floor, not the peak: circular buffers and tensors freed within an operation are not in "
                           "it. Sizes are per bank of "
                           "their own memory type: never add types, nor multiply by banks. L1 compares with "
                           "l1_bank_size, a conservative bound; "
                           "DRAM capacity is not recorded. For an out-of-memory question read errors and l1_peak.";

static enum ts_status write_answer(const struct profile *profile, struct ts_error *error)
{
    struct ts_answer *answer = profile->answer;
    struct ts_profiler_devices devices;
    enum ts_status status = profile->type.len > 0 ? check_type(profile, error) : TS_OK;
    if (status == TS_OK)
        status = ts_profiler_devices(profile->context, profile->profiler, &devices, error);
    if (status != TS_OK)
        return status;
    ts_profiler_add_text(answer, answer->root, "buffer_type",
                         profile->type.len > 0 ? profile->type : (struct ts_str){NULL, 0});
    status = add_types(profile, error);
    if (status != TS_OK)
        return status;
    note_sizes(profile);
    note_devices(profile);
    add_device(profile, &devices);
    status = add_pressure(profile, error);
    ts_answer_name(answer, answer->root, "note", note);
    return status;
}

static enum ts_status answer_memory_profile(struct ts_context *context, const struct ts_args *args,
                                            struct ts_capture *capture, struct ts_capture *second,
                                            struct ts_answer *answer, struct ts_error *error)
{
    (void)second;
    struct ts_profiler profiler;
    struct ts_caveat caveat;
    struct profile profile = {
        .context = context,
        .profiler = &profiler,
        .answer = answer,
        .type = ts_args_get(args, "buffer_type")->text,
        .limit = ts_args_get(args, "limit")->integer,
        .caveat = &caveat,
    };
    enum ts_status status = ts_profiler_read(context, args, capture, &profiler, error);
    if (status != TS_OK)
        return status;
    ts_caveat_init(&caveat, &profiler);
    status = ts_memory_sums_read(context, &profiler, &profile.sums, error);
    if (status == TS_OK)
        status = write_answer(&profile, error);
    if (status == TS_OK) {
        profiler.keyless[TS_DB_BUFFERS] = profile.sums->keyless;
        ts_profiler_add_frame(answer, &profiler, &caveat);
    }
    return ts_profiler_close(&profiler, &caveat, status, error);
}

/* ---- declaration ---- */

static const struct ts_param params[] = {
    TS_PROFILER_HANDLE_PARAM,
    {.name = "buffer_type", .kind = TS_PARAM_ENUM, .values = ts_buffer_type_names, .help = "this memory only"},
    TS_PROFILER_LIMIT_PARAM,
    TS_PROFILER_RANK_PARAM,
    {.name = NULL},
};

static const struct ts_field row_fields[] = {
    {.key = "operation_id", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .help = "for operation_detail"},
    {.key = "name", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_COLUMN, .help = "null: it has no row"},
    {.key = "size",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .unit = "bytes_per_bank",
     .show = TS_SHOW_COLUMN,
     .help = "behind the operation; null: not recorded"},
    {.key = NULL},
};

static const struct ts_field type_fields[] = {
    {.key = "peak",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .unit = "bytes_per_bank",
     .help = "the largest footprint; null: no size is recorded"},
    {.key = "operations_at_peak",
     .kind = TS_KIND_INTEGER,
     .nullable = true,
     .help = "operations with it; many: a plateau; 0: nothing is taken"},
    {.key = "operation_count", .kind = TS_KIND_INTEGER, .help = "operations with such buffers"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "how many are listed"},
    {.key = "operations", .kind = TS_KIND_LIST, .of = TS_KIND_OBJECT, .children = row_fields, .help = "largest first"},
    {.key = NULL},
};

static const struct ts_field device_fields[] = {
    {.key = "devices", .kind = TS_KIND_INTEGER, .help = "distinct ids; a mesh has one beside its chips'"},
    {.key = "geometry_from_device", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "whose figures follow"},
    {.key = "l1_bank_size", .kind = TS_KIND_INTEGER, .sometimes = true, .unit = "bytes", .help = "0: unknown"},
    {.key = "l1_num_banks", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "0: unknown"},
    {.key = "worker_l1_size", .kind = TS_KIND_INTEGER, .sometimes = true, .unit = "bytes", .help = "0: unknown"},
    {.key = "num_compute_cores", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "0: unknown"},
    {.key = "total_l1_for_tensors", .kind = TS_KIND_INTEGER, .sometimes = true, .unit = "bytes", .help = "0: unknown"},
    {.key = "dram_capacity", .kind = TS_KIND_INTEGER, .nullable = true, .help = "always null: not recorded"},
    {.key = NULL},
};

static const struct ts_field pressure_row_fields[] = {
    TS_PROFILER_OPERATION_FIELDS("for operation_detail", "null: it has no row"),
    TS_PROFILER_PRESSURE_FIELDS,
    {.key = NULL},
};

static const struct ts_field pressure_fields[] = {
    {.key = "size_unit", .kind = TS_KIND_STRING, .help = "bytes_per_bank"},
    {.key = "free_space_is_upper_bound", .kind = TS_KIND_BOOLEAN, .help = "true: circular buffers are not in it"},
    {.key = "operation_count", .kind = TS_KIND_INTEGER, .help = "operations with figures"},
    {.key = "returned", .kind = TS_KIND_INTEGER, .help = "how many are listed"},
    {.key = "operations",
     .kind = TS_KIND_LIST,
     .of = TS_KIND_OBJECT,
     .children = pressure_row_fields,
     .help = "the smallest largest free block first"},
    {.key = NULL},
};

static const struct ts_field fields[] = {
    {.key = "buffer_type", .kind = TS_KIND_STRING, .nullable = true, .help = "as asked"},
    {.key = "memory_by_buffer_type",
     .kind = TS_KIND_MAP,
     .of = TS_KIND_OBJECT,
     .children = type_fields,
     .show = TS_SHOW_ABOVE,
     .heading = "footprint",
     .help = "for each memory type its largest footprints"},
    {.key = "buffer_types_present", .kind = TS_KIND_LIST, .of = TS_KIND_STRING, .help = "whatever was asked"},
    {.key = "size_unit", .kind = TS_KIND_STRING, .help = "bytes_per_bank"},
    {.key = "device",
     .kind = TS_KIND_OBJECT,
     .nullable = true,
     .children = device_fields,
     .show = TS_SHOW_ABOVE,
     .help = "what L1 figures compare with"},
    {.key = "l1_pressure",
     .kind = TS_KIND_OBJECT,
     .nullable = true,
     .sometimes = true,
     .children = pressure_fields,
     .show = TS_SHOW_BELOW,
     .heading = "L1 pressure",
     .help = "how full L1 was; null: see caveat; only of all types or L1"},
    {.key = "note", .kind = TS_KIND_STRING, .show = TS_SHOW_BELOW, .help = "how to read it"},
    TS_PROFILER_FRAME_FIELDS,
    {.key = NULL},
};

static const enum ts_db_table tables[] = {TS_DB_BUFFERS, TS_DB_OPERATIONS};

const struct ts_question ts_question_memory_profile = {
    .name = "memory_profile",
    .title = "Memory footprint",
    .summary = "Tensor memory behind each operation, and how full L1 was",
    .description =
        "Tensor memory behind each operation, ranked within each memory type, and where L1 was fullest. A floor: "
        "l1_peak counts circular buffers too.",
    .params = params,
    .needs = TS_NEED_DATABASE,
    .tables = tables,
    .table_count = sizeof tables / sizeof *tables,
    .fields = fields,
    .link = TS_LINK_OPERATIONS,
    .too_large = "lower limit, or ask for one buffer_type",
    .answer = answer_memory_profile,
};
