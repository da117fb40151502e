#include "models/pipeline_batch.h"

#include "base/map.h"

enum { FIRST_SLOTS = 256 };

struct ts_pipeline_batch *ts_pipeline_batch_create(const struct ts_pipeline_options *options)
{
    struct ts_pipeline_batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return NULL;
    batch->options = options;
    batch->lanes.seed = batch->details.seed = ts_hash_seed(batch);
    return batch;
}

static void free_pairs(struct ts_pipeline_pairs *pairs)
{
    ts_vec_free(&pairs->list);
    free(pairs->slots);
}

void ts_pipeline_batch_destroy(struct ts_pipeline_batch *batch)
{
    if (!batch)
        return;
    free_pairs(&batch->lanes);
    free_pairs(&batch->details);
    ts_vec_free(&batch->slices);
    ts_vec_free(&batch->flags);
    free(batch);
}

/* ---- pairs of texts ---- */

/* An absent text is another than an empty one. */
static bool same_text(struct ts_str a, struct ts_str b)
{
    return a.len == b.len && !a.ptr == !b.ptr && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static bool grow_slots(struct ts_pipeline_pairs *pairs)
{
    size_t count = pairs->slot_count ? pairs->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < pairs->list.count; i++) {
        size_t at = pairs->list.items[i].hash & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(pairs->slots);
    pairs->slots = slots;
    pairs->slot_count = count;
    return true;
}

static struct ts_pipeline_pair *add_pair(struct ts_pipeline_pairs *pairs, size_t slot, struct ts_pipeline_pair pair)
{
    if (pairs->list.count >= UINT32_MAX - 1 || !ts_vec_push(&pairs->list, pair))
        return NULL;
    pairs->last = (uint32_t)pairs->list.count - 1;
    pairs->slots[slot] = pairs->last + 1;
    return &pairs->list.items[pairs->last];
}

/* The pair of these texts, added when new (*added); NULL when memory is out. */
static struct ts_pipeline_pair *find_pair(struct ts_pipeline_pairs *pairs, struct ts_str core, struct ts_str text,
                                          bool *added)
{
    *added = false;
    if (pairs->list.count) {
        struct ts_pipeline_pair *last = &pairs->list.items[pairs->last];
        if (same_text(last->text, text) && same_text(last->core, core))
            return last;
    }
    if (pairs->list.count * 2 >= pairs->slot_count && !grow_slots(pairs))
        return NULL;
    uint64_t hash = ts_hash(text.ptr, text.len, pairs->seed);
    hash = ts_hash(core.ptr, core.len, hash);
    size_t at = hash & (pairs->slot_count - 1);
    for (; pairs->slots[at]; at = (at + 1) & (pairs->slot_count - 1)) {
        struct ts_pipeline_pair *pair = &pairs->list.items[pairs->slots[at] - 1];
        if (pair->hash == hash && same_text(pair->text, text) && same_text(pair->core, core)) {
            pairs->last = pairs->slots[at] - 1;
            return pair;
        }
    }
    *added = true;
    return add_pair(pairs, at, (struct ts_pipeline_pair){core, text, hash, UINT32_MAX, TS_PIPELINE_KEPT});
}

/* ---- texts that decide ---- */

/* The inside of a quoted string; *decoded is where it is put when escapes are in it (free its ptr). */
static struct ts_str plain_text(struct ts_str quoted, struct ts_sim_out *decoded)
{
    struct ts_str inside = {quoted.ptr + 1, quoted.len - 2};
    if (!memchr(inside.ptr, '\\', inside.len))
        return inside;
    ts_sim_json_decode(decoded, quoted);
    return (struct ts_str){decoded->ptr ? decoded->ptr : "", decoded->len};
}

static bool is_quoted(struct ts_str value)
{
    return value.len >= 2 && value.ptr[0] == '"';
}

static enum ts_pipeline_drop drop_of_lane(struct ts_pipeline_batch *batch, struct ts_str lane)
{
    if (!is_quoted(lane))
        return TS_PIPELINE_KEPT;
    struct ts_sim_out decoded = {0};
    enum ts_pipeline_drop drop = ts_pipeline_drop_lane(batch->options, plain_text(lane, &decoded));
    batch->failed |= decoded.failed;
    free(decoded.ptr);
    return drop;
}

static enum ts_pipeline_drop drop_of_name(struct ts_pipeline_batch *batch, struct ts_str name)
{
    if (!is_quoted(name))
        return TS_PIPELINE_KEPT;
    /* Looking at one character settles nearly all of them. */
    char first = name.ptr[1];
    if (first != 'S' && first != 'W' && first != 'B' && first != 'c' && first != '\\')
        return TS_PIPELINE_KEPT;
    struct ts_sim_out decoded = {0};
    enum ts_pipeline_drop drop = ts_pipeline_drop_name(batch->options, plain_text(name, &decoded));
    batch->failed |= decoded.failed;
    free(decoded.ptr);
    return drop;
}

/* A list, an object, NaN or Infinity, by its first character. */
static bool names_nothing(char first)
{
    return first == '{' || first == '[' || first == 'N' || first == 'I';
}

static const char *check_names(const struct ts_sim_event *event)
{
    if (event->pid.ptr && names_nothing(event->pid.ptr[0]))
        return "has a \"pid\" that is neither a text nor a number; the name of a core was expected";
    if (event->tid.ptr && names_nothing(event->tid.ptr[0]))
        return "has a \"tid\" that is neither a text nor a number; the name of a lane was expected";
    return NULL;
}

/* The lane of an event, added when new. NULL with *problem, or without one when memory is out. */
static struct ts_pipeline_pair *find_lane(struct ts_pipeline_batch *batch, const struct ts_sim_event *event,
                                          const char **problem)
{
    bool added;
    *problem = check_names(event);
    if (*problem)
        return NULL;
    struct ts_pipeline_pair *lane = find_pair(&batch->lanes, event->pid, event->tid, &added);
    if (lane && added)
        lane->drop = (unsigned char)drop_of_lane(batch, event->tid);
    if (!lane)
        batch->failed = true;
    return lane;
}

/* ---- slices ---- */

static int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

static const char *add_slice(struct ts_pipeline_batch *batch, const struct ts_sim_event *event, uint64_t offset)
{
    const char *problem;
    struct ts_pipeline_pair *lane = find_lane(batch, event, &problem);
    if (!lane)
        return problem;
    enum ts_pipeline_drop drop = lane->drop;
    if (drop == TS_PIPELINE_KEPT && event->name.ptr)
        drop = drop_of_name(batch, event->name);
    if (drop != TS_PIPELINE_KEPT) {
        batch->counts.dropped[drop]++;
        return NULL;
    }
    if (!event->name.ptr)
        return "has no \"name\"";
    if (!event->ts.ptr)
        return "has no \"ts\"";
    struct ts_sim_number ts = ts_sim_json_number(event->ts);
    struct ts_sim_number dur = {.kind = TS_SIM_NUMBER_INTEGER, .canonical = true};
    if (event->dur.ptr)
        dur = ts_sim_json_number(event->dur);
    if (ts.kind == TS_SIM_NUMBER_NONE || !__builtin_isfinite(ts.value))
        return "has a \"ts\" that is no finite number";
    if (dur.kind == TS_SIM_NUMBER_NONE || !__builtin_isfinite(dur.value))
        return "has a \"dur\" that is no finite number";
    batch->counts.kept++;
    batch->counts.without_duration += !event->dur.ptr;
    batch->counts.of_no_length += event->dur.ptr && !(dur.value > 0) && !(dur.value < 0);
    batch->counts.negative += dur.value < 0;
    struct ts_pipeline_slice slice = {
        .offset = offset, .ts = ts.value, .dur = dur.value, .start_ns = ts.nanoseconds, .decimal = ts.decimal};
    slice.end_ns = add_saturated(ts.nanoseconds, dur.nanoseconds);
    slice.lane = (uint32_t)(lane - batch->lanes.list.items);
    batch->failed |= !ts_vec_push(&batch->slices, slice);
    return NULL;
}

/* ---- flags ---- */

#define FLAG_NAME(text, kind)                                                                                          \
    {                                                                                                                  \
        {text, sizeof text - 1}, kind                                                                                  \
    }
static const struct flag_name {
    struct ts_str name;
    enum ts_pipeline_flag_kind kind;
} flag_names[] = {
    /* The reference knows the first two, the rest but the last four are always looked for. */
    FLAG_NAME("SET_FLAG", TS_PIPELINE_SET),
    FLAG_NAME("WAIT_FLAG", TS_PIPELINE_WAIT),
    FLAG_NAME("set_event", TS_PIPELINE_SET_EVENT),
    FLAG_NAME("wait_event", TS_PIPELINE_WAIT_EVENT),
    FLAG_NAME("SET_INTRA_BLOCK", TS_PIPELINE_SET_BLOCK),
    FLAG_NAME("WAIT_INTRA_BLOCK", TS_PIPELINE_WAIT_BLOCK),
    FLAG_NAME("SET_INTRA_BLOCKI", TS_PIPELINE_SET_BLOCK),
    FLAG_NAME("WAIT_INTRA_BLOCKI", TS_PIPELINE_WAIT_BLOCK),
};
enum { COMPAT_NAMES = 2, PLAIN_NAMES = 4, ALL_NAMES = sizeof flag_names / sizeof *flag_names };

/* TS_PIPELINE_FLAG_KINDS for what is no flag. */
static enum ts_pipeline_flag_kind kind_of(const struct ts_pipeline_options *options, struct ts_str name)
{
    size_t count = options->compat ? COMPAT_NAMES : options->intra_block ? ALL_NAMES : PLAIN_NAMES;
    if (!is_quoted(name))
        return TS_PIPELINE_FLAG_KINDS;
    for (size_t i = 0; i < count; i++)
        if (ts_sim_json_is(name, flag_names[i].name))
            return flag_names[i].kind;
    return TS_PIPELINE_FLAG_KINDS;
}

/* The detail text of a flag's beginning, empty when absent or null. */
static const char *find_detail(const struct ts_sim_event *event, struct ts_str *out)
{
    *out = (struct ts_str){NULL, 0};
    if (!event->args.ptr)
        return NULL;
    if (event->args.ptr[0] != '{')
        return "has \"args\" that are no object";
    struct ts_str detail = ts_sim_json_member(event->args, "detail");
    if (!detail.ptr || detail.ptr[0] == 'n')
        return NULL;
    if (detail.ptr[0] != '"')
        return "has a \"detail\" that is no text";
    *out = detail;
    return NULL;
}

static const char *add_flag(struct ts_pipeline_batch *batch, const struct ts_sim_event *event, bool begins)
{
    enum ts_pipeline_flag_kind kind = kind_of(batch->options, event->name);
    if (kind == TS_PIPELINE_FLAG_KINDS)
        return NULL;
    const char *problem;
    struct ts_pipeline_pair *lane = find_lane(batch, event, &problem);
    if (!lane)
        return problem;
    struct ts_sim_number ts = {.kind = TS_SIM_NUMBER_FLOAT};
    if (event->ts.ptr)
        ts = ts_sim_json_number(event->ts);
    if (ts.kind == TS_SIM_NUMBER_NONE || !__builtin_isfinite(ts.value))
        return "has a \"ts\" that is no finite number";
    struct ts_pipeline_flag_event flag = {ts.value, (uint32_t)(lane - batch->lanes.list.items), 0, (unsigned char)kind,
                                          begins};
    if (begins) {
        struct ts_str text;
        bool added;
        problem = find_detail(event, &text);
        if (problem)
            return problem;
        struct ts_pipeline_pair *detail = find_pair(&batch->details, event->pid, text, &added);
        if (!detail) {
            batch->failed = true;
            return NULL;
        }
        flag.detail = (uint32_t)(detail - batch->details.list.items);
    }
    batch->failed |= !ts_vec_push(&batch->flags, flag);
    return NULL;
}

/* The letter of the phase, 0 for longer ones. */
static char phase_of(struct ts_str ph)
{
    if (ph.len == 3 && ph.ptr[0] == '"')
        return ph.ptr[1];
    static const char phases[] = "XBE";
    if (is_quoted(ph) && memchr(ph.ptr, '\\', ph.len))
        for (const char *phase = phases; *phase; phase++)
            if (ts_sim_json_is(ph, (struct ts_str){phase, 1}))
                return *phase;
    return 0;
}

const char *ts_pipeline_batch_add(struct ts_pipeline_batch *batch, const struct ts_sim_event *event, uint64_t offset)
{
    char phase = phase_of(event->ph);
    if (phase == 'X')
        return add_slice(batch, event, offset);
    batch->counts.other_phases++;
    if (phase == 'B' || phase == 'E')
        return add_flag(batch, event, phase == 'B');
    return NULL;
}
