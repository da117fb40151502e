#include "models/pipeline_trace.h"

#include <stdlib.h>

#include "base/number.h"
#include "models/pipeline_arrows.h"
#include "models/pipeline_blocks.h"
#include "models/pipeline_rows.h"

enum { NOBODY = UINT32_MAX };

/* A flag that has begun. */
struct ts_pipeline_open {
    double begin;
    uint32_t detail;
    uint32_t below; /* on its stack, or the next free one */
};

/* ---- names ---- */

static struct ts_str keep(struct ts_pipeline *pipeline, struct ts_sim_out *out)
{
    struct ts_str text = {NULL, 0};
    if (!out->failed)
        text = ts_arena_copy(&pipeline->arena, (struct ts_str){out->ptr ? out->ptr : "", out->len});
    free(out->ptr);
    *out = (struct ts_sim_out){0};
    return text;
}

/* All digits of a whole double, as an integer is written. */
static struct ts_str whole_digits(struct ts_pipeline *pipeline, double value)
{
    char text[TS_NUMBER_TEXT_MAX];
    size_t len = ts_number_fixed(value == 0 ? 0 : value, 0, text);
    return ts_arena_copy(&pipeline->arena, (struct ts_str){text, len});
}

static struct ts_pipeline_value read_number(struct ts_pipeline *pipeline, struct ts_str raw)
{
    struct ts_sim_out out = {0};
    struct ts_pipeline_value value = {.kind = TS_PIPELINE_NUMBER};
    bool truth = raw.ptr[0] == 't', falsehood = raw.ptr[0] == 'f';
    struct ts_sim_number number = {.kind = TS_SIM_NUMBER_INTEGER, .value = truth ? 1 : 0};
    if (!truth && !falsehood)
        number = ts_sim_json_number(raw);
    ts_sim_json_write(&out, raw.ptr);
    value.json = value.plain = keep(pipeline, &out);
    value.number = number.value;
    if (truth || falsehood) {
        value.plain = truth ? TS_STR("True") : TS_STR("False");
        value.exact = truth ? TS_STR("1") : TS_STR("0");
    } else {
        bool whole_float = number.kind == TS_SIM_NUMBER_FLOAT && __builtin_floor(number.value) == number.value;
        value.exact = whole_float ? whole_digits(pipeline, number.value) : value.json;
    }
    return value;
}

/* raw is JSON as it stands, a scalar; absent is the empty text. json.ptr is NULL when memory is out. */
static struct ts_pipeline_value read_value(struct ts_pipeline *pipeline, struct ts_str raw)
{
    struct ts_sim_out out = {0};
    struct ts_pipeline_value value = {.kind = TS_PIPELINE_TEXT};
    if (!raw.ptr)
        raw = TS_STR("\"\"");
    if (raw.ptr[0] == 'n') {
        value.kind = TS_PIPELINE_NULL;
        value.json = TS_STR("null");
        value.plain = TS_STR("None");
    } else if (raw.ptr[0] != '"') {
        return read_number(pipeline, raw);
    } else {
        ts_sim_out_add(&out, TS_STR("\""));
        ts_sim_json_write_text(&out, raw);
        ts_sim_out_add(&out, TS_STR("\""));
        value.json = keep(pipeline, &out);
        ts_sim_json_decode(&out, raw);
        value.plain = keep(pipeline, &out);
        if (!value.plain.ptr)
            value.json.ptr = NULL;
    }
    return value;
}

/* What equal values have in common and others have not, behind a prefix. */
static struct ts_str identity_of(struct ts_pipeline *pipeline, uint32_t prefix, const struct ts_pipeline_value *value)
{
    struct ts_str text = value->kind == TS_PIPELINE_NUMBER ? value->exact : value->json;
    return ts_arena_printf(&pipeline->arena, "%u %d %.*s", prefix, (int)value->kind, TS_STR_ARG(text));
}

/* The number of the core; NOBODY when memory is out. */
static uint32_t find_core(struct ts_pipeline *pipeline, struct ts_str raw)
{
    struct ts_pipeline_core core = {.name = read_value(pipeline, raw)};
    struct ts_str key = core.name.json.ptr ? identity_of(pipeline, 0, &core.name) : core.name.json;
    bool added;
    uint64_t *number = key.ptr ? ts_map_at(&pipeline->core_map, key, &added) : NULL;
    if (!number)
        return NOBODY;
    if (added) {
        *number = pipeline->cores.count;
        if (!ts_vec_push(&pipeline->cores, core))
            return NOBODY;
    }
    return (uint32_t)*number;
}

static bool add_lane(struct ts_pipeline *pipeline, const struct ts_pipeline_lane *lane)
{
    if (!ts_vec_push(&pipeline->lanes, *lane))
        return false;
    for (unsigned kind = 0; kind < TS_PIPELINE_FLAG_KINDS; kind++)
        if (!ts_vec_push(&pipeline->open_top, NOBODY))
            return false;
    return true;
}

static uint32_t find_lane(struct ts_pipeline *pipeline, struct ts_str raw_core, struct ts_str raw_name)
{
    struct ts_pipeline_lane lane = {.core = find_core(pipeline, raw_core), .name = read_value(pipeline, raw_name)};
    if (lane.core == NOBODY || !lane.name.json.ptr)
        return NOBODY;
    lane.style =
        ts_pipeline_style(&pipeline->options, lane.name.kind == TS_PIPELINE_TEXT ? lane.name.plain : TS_STR(""));
    struct ts_str key = identity_of(pipeline, lane.core, &lane.name);
    bool added;
    uint64_t *number = key.ptr ? ts_map_at(&pipeline->lane_map, key, &added) : NULL;
    if (!number)
        return NOBODY;
    if (added) {
        *number = pipeline->lanes.count;
        if (!add_lane(pipeline, &lane))
            return NOBODY;
    }
    return (uint32_t)*number;
}

/* ---- details of flags ---- */

/* What a SET and its WAIT share. */
static uint32_t find_key(struct ts_pipeline *pipeline, uint32_t core, const struct ts_pipeline_flag *flag)
{
    struct ts_str producer = ts_pipeline_alias(&pipeline->options, flag->producer);
    struct ts_str consumer = ts_pipeline_alias(&pipeline->options, flag->consumer);
    struct ts_sim_out text = {0};
    ts_sim_out_unsigned(&text, core);
    const struct ts_str parts[] = {producer, consumer, flag->id};
    for (unsigned i = 0; i < 3; i++) {
        ts_sim_out_add(&text, TS_STR("\""));
        ts_sim_json_escape(&text, parts[i]);
    }
    struct ts_str key = keep(pipeline, &text);
    bool added;
    uint64_t *number = key.ptr ? ts_map_at(&pipeline->key_map, key, &added) : NULL;
    if (!number)
        return NOBODY;
    if (added)
        *number = pipeline->keys++;
    return (uint32_t)*number;
}

static void add_part(struct ts_sim_out *out, struct ts_str text)
{
    if (text.ptr)
        ts_sim_json_escape(out, text);
    else
        ts_sim_out_add(out, TS_STR("?"));
}

static bool add_detail(struct ts_pipeline *pipeline, uint32_t core, struct ts_str raw)
{
    struct ts_sim_out text = {0}, title = {0};
    if (raw.ptr)
        ts_sim_json_decode(&text, raw);
    /* Kept, since the lanes meant are looked up by its parts later. */
    struct ts_str detail = keep(pipeline, &text);
    if (!detail.ptr)
        return false;
    struct ts_pipeline_flag flag = ts_pipeline_flag_parse(&pipeline->options, detail);
    ts_sim_out_add(&title, TS_STR("\""));
    add_part(&title, flag.producer);
    ts_sim_out_add(&title, TS_STR("->"));
    add_part(&title, flag.consumer);
    ts_sim_out_add(&title, TS_STR(" flag"));
    add_part(&title, flag.id);
    ts_sim_out_add(&title, TS_STR("\""));
    struct ts_pipeline_detail made = {
        .core = core, .key = find_key(pipeline, core, &flag), .title = keep(pipeline, &title)};
    made.text = detail;
    return made.key != NOBODY && made.title.ptr && ts_vec_push(&pipeline->details, made);
}

static uint32_t find_detail(struct ts_pipeline *pipeline, struct ts_str raw_core, struct ts_str raw)
{
    uint32_t core = find_core(pipeline, raw_core);
    if (core == NOBODY || pipeline->details.count >= NOBODY || !add_detail(pipeline, core, raw))
        return NOBODY;
    return (uint32_t)pipeline->details.count - 1;
}

/* Names as they stand in the file were nearly always seen in an earlier batch. */
static bool number_pair(struct ts_pipeline *pipeline, struct ts_pipeline_pair *pair, bool lane)
{
    struct ts_sim_out *raw = &pipeline->raw;
    char marks[2] = {lane ? 'l' : 'd', (char)('0' + !pair->core.ptr + 2 * !pair->text.ptr)};
    raw->len = 0;
    ts_sim_out_add(raw, (struct ts_str){marks, 2});
    ts_sim_out_add(raw, pair->core);
    ts_sim_out_add(raw, TS_STR("\0"));
    ts_sim_out_add(raw, pair->text);
    if (raw->failed)
        return false;
    const uint64_t *known = ts_map_find(&pipeline->raw_map, (struct ts_str){raw->ptr, raw->len});
    if (known) {
        pair->number = (uint32_t)*known;
        return true;
    }
    struct ts_str key = ts_arena_copy(&pipeline->arena, (struct ts_str){raw->ptr, raw->len});
    pair->number = lane ? find_lane(pipeline, pair->core, pair->text) : find_detail(pipeline, pair->core, pair->text);
    uint64_t *number = key.ptr && pair->number != NOBODY ? ts_map_at(&pipeline->raw_map, key, NULL) : NULL;
    if (number)
        *number = pair->number;
    return number != NULL;
}

/* ---- pairing ---- */

static uint32_t new_open(struct ts_pipeline *pipeline)
{
    uint32_t at = pipeline->open_free;
    if (at != NOBODY) {
        pipeline->open_free = pipeline->open[at].below;
        return at;
    }
    if (pipeline->open_count >= NOBODY - 1 ||
        !ts_vec_grow(&pipeline->open, &pipeline->open_capacity, pipeline->open_count, 1, sizeof *pipeline->open))
        return NOBODY;
    return (uint32_t)pipeline->open_count++;
}

static bool add_pair(struct ts_pipeline *pipeline, unsigned kind, const struct ts_pipeline_open *begun, double end)
{
    struct ts_pipeline_set set = {begun->begin, begun->detail};
    struct ts_pipeline_wait wait = {begun->begin, end, pipeline->details.items[begun->detail].key, begun->detail};
    switch (kind) {
    case TS_PIPELINE_SET:
    case TS_PIPELINE_SET_EVENT:
        return ts_vec_push(&pipeline->sets, set);
    case TS_PIPELINE_WAIT:
    case TS_PIPELINE_WAIT_EVENT:
        return ts_vec_push(&pipeline->waits, wait);
    case TS_PIPELINE_SET_BLOCK:
        return ts_vec_push(&pipeline->block_sets, set);
    case TS_PIPELINE_WAIT_BLOCK:
        return ts_vec_push(&pipeline->block_waits, wait);
    default:
        return true;
    }
}

/* An end belongs to the last beginning of its kind on its lane that has none yet. */
static bool pair_flag(struct ts_pipeline *pipeline, const struct ts_pipeline_flag_event *event, uint32_t lane,
                      uint32_t detail)
{
    uint32_t *top = &pipeline->open_top.items[(size_t)lane * TS_PIPELINE_FLAG_KINDS + event->kind];
    if (event->begins) {
        uint32_t at = new_open(pipeline);
        if (at == NOBODY)
            return false;
        pipeline->open[at] = (struct ts_pipeline_open){event->ts, detail, *top};
        *top = at;
        return true;
    }
    uint32_t at = *top;
    if (at == NOBODY)
        return true;
    struct ts_pipeline_open begun = pipeline->open[at];
    *top = begun.below;
    pipeline->open[at].below = pipeline->open_free;
    pipeline->open_free = at;
    return add_pair(pipeline, event->kind, &begun, event->ts);
}

/* ---- merging ---- */

static bool number_names(struct ts_pipeline *pipeline, struct ts_pipeline_batch *batch)
{
    for (size_t i = 0; i < batch->lanes.list.count; i++)
        if (!number_pair(pipeline, &batch->lanes.list.items[i], true))
            return false;
    for (size_t i = 0; i < batch->details.list.count; i++)
        if (!number_pair(pipeline, &batch->details.list.items[i], false))
            return false;
    return true;
}

static bool take_events(struct ts_pipeline *pipeline, struct ts_pipeline_batch *batch)
{
    if (!ts_vec_reserve(&pipeline->slices, batch->slices.count))
        return false;
    for (size_t i = 0; i < batch->slices.count; i++) {
        struct ts_pipeline_slice slice = batch->slices.items[i];
        slice.lane = batch->lanes.list.items[slice.lane].number;
        pipeline->slices.items[pipeline->slices.count++] = slice;
    }
    for (size_t i = 0; i < batch->flags.count; i++) {
        const struct ts_pipeline_flag_event *event = &batch->flags.items[i];
        uint32_t detail = event->begins ? batch->details.list.items[event->detail].number : 0;
        if (!pair_flag(pipeline, event, batch->lanes.list.items[event->lane].number, detail))
            return false;
    }
    return true;
}

static void add_counts(struct ts_pipeline_counts *sum, const struct ts_pipeline_counts *more)
{
    sum->kept += more->kept;
    sum->without_duration += more->without_duration;
    sum->of_no_length += more->of_no_length;
    sum->negative += more->negative;
    sum->other_phases += more->other_phases;
    for (unsigned i = 0; i < TS_PIPELINE_DROPS; i++)
        sum->dropped[i] += more->dropped[i];
}

static enum ts_status merge(void *data, void *given, struct ts_error *error)
{
    struct ts_pipeline *pipeline = data;
    struct ts_pipeline_batch *batch = given;
    if (pipeline->slices.count + batch->slices.count >= NOBODY)
        return ts_error_set(error, TS_LIMIT, "TRACE block: more than %u instructions on kept lanes", NOBODY - 1);
    if (batch->failed || !number_names(pipeline, batch) || !take_events(pipeline, batch))
        return ts_error_no_memory(error);
    add_counts(&pipeline->counts, &batch->counts);
    return TS_OK;
}

static void *begin_batch(void *data)
{
    struct ts_pipeline *pipeline = data;
    return ts_pipeline_batch_create(&pipeline->options);
}

static const char *add_event(void *batch, const struct ts_sim_event *event, uint64_t offset)
{
    return ts_pipeline_batch_add(batch, event, offset);
}

static void end_batch(void *batch)
{
    ts_pipeline_batch_destroy(batch);
}

static void restart(void *data)
{
    struct ts_pipeline *pipeline = data;
    pipeline->slices.count = pipeline->sets.count = pipeline->waits.count = pipeline->open_count = 0;
    pipeline->block_sets.count = pipeline->block_waits.count = 0;
    pipeline->open_free = NOBODY;
    for (size_t i = 0; i < pipeline->open_top.count; i++)
        pipeline->open_top.items[i] = NOBODY;
    pipeline->counts = (struct ts_pipeline_counts){0};
}

/* ---- all of it ---- */

static int compare_cores(const struct ts_pipeline *pipeline, uint32_t a, uint32_t b)
{
    const struct ts_pipeline_value *x = &pipeline->cores.items[a].name, *y = &pipeline->cores.items[b].name;
    if (x->kind != TS_PIPELINE_NUMBER || y->kind != TS_PIPELINE_NUMBER)
        return ts_pipeline_compare_names(&pipeline->options, x->plain, y->plain);
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    /* Beyond 2^53: as many digits, or more of them. */
    int sign = x->number < 0 ? -1 : 1;
    if (x->exact.len != y->exact.len)
        return x->exact.len < y->exact.len ? -sign : sign;
    return sign * ts_str_compare(x->exact, y->exact);
}

static bool core_before(const void *data, uint32_t a, uint32_t b)
{
    return compare_cores(data, a, b) < 0;
}

/* The lanes that have slices, by core. */
static void group_lanes(struct ts_pipeline *pipeline)
{
    uint32_t first = 0;
    for (size_t i = 0; i < pipeline->lanes.count; i++)
        if (pipeline->lanes.items[i].count > 0)
            pipeline->cores.items[pipeline->lanes.items[i].core].lane_count++;
    for (uint32_t core = 0; core < pipeline->cores.count; core++) {
        struct ts_pipeline_core *owner = &pipeline->cores.items[core];
        owner->first_lane = first;
        first += owner->lane_count;
        if (owner->lane_count > 0)
            pipeline->core_order[pipeline->core_count++] = core;
        owner->lane_count = 0;
    }
    for (uint32_t i = 0; i < pipeline->lanes.count; i++) {
        struct ts_pipeline_core *owner = &pipeline->cores.items[pipeline->lanes.items[i].core];
        if (pipeline->lanes.items[i].count > 0)
            pipeline->lane_order[owner->first_lane + owner->lane_count++] = i;
    }
}

/* Cores of different kinds have no order. */
static enum ts_status check_cores(const struct ts_pipeline *pipeline, const struct ts_sim_dump *dump,
                                  struct ts_error *error)
{
    for (size_t i = 1; i < pipeline->core_count; i++) {
        const struct ts_pipeline_value *first = &pipeline->cores.items[pipeline->core_order[0]].name;
        const struct ts_pipeline_value *name = &pipeline->cores.items[pipeline->core_order[i]].name;
        struct ts_quote one, other;
        if (name->kind != first->kind)
            return ts_error_set(
                error, TS_INPUT,
                "%s: TRACE block: some cores are named by texts and others are not (%s and %s); one kind of "
                "\"pid\" was expected",
                ts_sim_dump_name(dump), ts_error_quote(&one, first->json, TS_QUOTE_ARGUMENT),
                ts_error_quote(&other, name->json, TS_QUOTE_ARGUMENT));
    }
    return TS_OK;
}

static enum ts_status order_cores(struct ts_pipeline *pipeline, const struct ts_sim_dump *dump, struct ts_error *error)
{
    pipeline->core_order = malloc(pipeline->cores.count * sizeof *pipeline->core_order + 1);
    pipeline->lane_order = malloc(pipeline->lanes.count * sizeof *pipeline->lane_order + 1);
    uint32_t *temporary = malloc(pipeline->cores.count * sizeof *temporary + 1);
    enum ts_status status = TS_OK;
    if (!pipeline->core_order || !pipeline->lane_order || !temporary) {
        status = ts_error_no_memory(error);
    } else {
        group_lanes(pipeline);
        status = check_cores(pipeline, dump, error);
        if (status == TS_OK)
            ts_pipeline_sort(pipeline->core_order, temporary, pipeline->core_count, core_before, pipeline);
    }
    free(temporary);
    return status;
}

static void forget_names(struct ts_pipeline *pipeline)
{
    ts_map_free(&pipeline->core_map);
    ts_map_free(&pipeline->key_map);
    ts_map_free(&pipeline->raw_map);
    free(pipeline->raw.ptr);
    pipeline->raw = (struct ts_sim_out){0};
    free(pipeline->open);
    pipeline->open = NULL;
    ts_vec_free(&pipeline->open_top);
}

bool ts_pipeline_find_lane(const struct ts_pipeline *pipeline, uint32_t core, struct ts_str name, uint32_t *out)
{
    struct ts_sim_out key = {0};
    ts_sim_out_unsigned(&key, core);
    ts_sim_out_add(&key, TS_STR(" 0 \""));
    ts_sim_json_escape(&key, name);
    ts_sim_out_add(&key, TS_STR("\""));
    bool good = !key.failed;
    const uint64_t *number = good ? ts_map_find(&pipeline->lane_map, (struct ts_str){key.ptr, key.len}) : NULL;
    *out = number ? (uint32_t)*number : NOBODY;
    free(key.ptr);
    return good;
}

static enum ts_status build(struct ts_context *context, struct ts_pipeline *pipeline, const struct ts_sim_dump *dump,
                            const struct ts_sim_block *block, struct ts_error *error)
{
    struct ts_sim_trace_visitor visitor = {
        pipeline, begin_batch, add_event, merge, end_batch, restart, pipeline->options.piece};
    enum ts_status status = ts_sim_trace_read(context, dump, block, &visitor, &pipeline->top, error);
    if (status != TS_OK)
        return status;
    forget_names(pipeline);
    status = ts_pipeline_pack(context, pipeline, error);
    if (status == TS_OK)
        status = order_cores(pipeline, dump, error);
    if (status == TS_OK)
        status = ts_pipeline_connect(context, pipeline, error);
    if (status == TS_OK)
        status = ts_pipeline_connect_blocks(pipeline, error);
    return status;
}

enum ts_status ts_pipeline_read(struct ts_context *context, const struct ts_sim_dump *dump,
                                const struct ts_sim_block *block, const struct ts_pipeline_options *options,
                                struct ts_pipeline **out, struct ts_error *error)
{
    struct ts_pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline)
        return ts_error_no_memory(error);
    pipeline->options = *options;
    pipeline->open_free = NOBODY;
    ts_arena_init(&pipeline->arena, 0);
    ts_map_init(&pipeline->core_map);
    ts_map_init(&pipeline->lane_map);
    ts_map_init(&pipeline->key_map);
    ts_map_init(&pipeline->raw_map);
    enum ts_status status = build(context, pipeline, dump, block, error);
    if (status != TS_OK) {
        ts_pipeline_free(pipeline);
        return status;
    }
    *out = pipeline;
    return TS_OK;
}

void ts_pipeline_free(struct ts_pipeline *pipeline)
{
    if (!pipeline)
        return;
    forget_names(pipeline);
    ts_map_free(&pipeline->lane_map);
    ts_vec_free(&pipeline->cores);
    ts_vec_free(&pipeline->lanes);
    ts_vec_free(&pipeline->slices);
    ts_vec_free(&pipeline->details);
    ts_vec_free(&pipeline->sets);
    ts_vec_free(&pipeline->waits);
    ts_vec_free(&pipeline->block_sets);
    ts_vec_free(&pipeline->block_waits);
    ts_vec_free(&pipeline->arrows);
    free(pipeline->order);
    free(pipeline->row_first);
    free(pipeline->row_last);
    free(pipeline->core_order);
    free(pipeline->lane_order);
    free(pipeline->top.profiling_type.ptr);
    free(pipeline->top.schema_version.ptr);
    ts_arena_free(&pipeline->arena);
    free(pipeline);
}
