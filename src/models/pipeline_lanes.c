#include "models/pipeline_lanes.h"

/* ---- what is left out ---- */

enum ts_pipeline_drop ts_pipeline_drop_lane(const struct ts_pipeline_options *options, struct ts_str lane)
{
    if (ts_str_is(lane, "SCALAR"))
        return options->keep_scalar ? TS_PIPELINE_KEPT : TS_PIPELINE_SCALAR;
    if (ts_str_is(lane, "CACHEMISS"))
        return TS_PIPELINE_CACHEMISS;
    if (ts_str_is(lane, "FLOWCTRL"))
        return TS_PIPELINE_FLOWCTRL;
    return ts_str_is(lane, "ALL") ? TS_PIPELINE_ALL : TS_PIPELINE_KEPT;
}

enum ts_pipeline_drop ts_pipeline_drop_name(const struct ts_pipeline_options *options, struct ts_str name)
{
    if (ts_str_is(name, "SET_FLAG") || ts_str_is(name, "WAIT_FLAG"))
        return TS_PIPELINE_FLAG;
    if (ts_str_is(name, "BAR"))
        return TS_PIPELINE_BAR;
    if (options->drop_issue_times && (ts_str_is(name, "cache_time") || ts_str_is(name, "ccu_time")))
        return TS_PIPELINE_ISSUE;
    return TS_PIPELINE_KEPT;
}

/* ---- how lanes look ---- */

static const struct ts_pipeline_style styles[] = {
    {"MTE2", 0, "MTE2 (load GM->UB)", {"thread_state_iowait", 19}},
    {"MTE1", 1, "MTE1 (load L1->L0)", {"thread_state_iowait", 19}},
    {"CUBE", 2, "CUBE (matmul)", {"rail_response", 13}},
    {"VECTOR", 3, "VECTOR (compute)", {"good", 4}},
    {"FIXPIPE", 4, "FIXPIPE (quant/out)", {"yellow", 6}},
    {"MTE3", 5, "MTE3 (store UB->GM)", {"cq_build_passed", 15}},
    {"SCALAR", 6, "SCALAR (setup)", {"grey", 4}},
};
/* The name by which the simulator really writes the pipe that FIXPIPE means. */
static const struct ts_pipeline_style fixp = {"FIXP", 4, "FIXP (quant/out)", {"yellow", 6}};
static const struct ts_pipeline_style other = {NULL, TS_PIPELINE_OTHER, NULL, {"grey", 4}};

const struct ts_pipeline_style *ts_pipeline_style(const struct ts_pipeline_options *options, struct ts_str lane)
{
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (ts_str_is(lane, styles[i].lane))
            return &styles[i];
    return !options->compat && ts_str_is(lane, fixp.lane) ? &fixp : &other;
}

/* ---- flags ---- */

struct ts_str ts_pipeline_alias(const struct ts_pipeline_options *options, struct ts_str pipe)
{
    static const struct {
        const char *spelling, *lane;
    } aliases[] = {
        {"VEC", "VECTOR"}, /* the only one of the reference */
        {"V", "VECTOR"},   {"VEC0", "VECTOR"},   {"M", "CUBE"},       {"S", "SCALAR"},
        {"FIX", "FIXP"},   {"FIX_PIPE", "FIXP"}, {"FIXPIPE", "FIXP"},
    };
    size_t count = options->compat ? 1 : sizeof aliases / sizeof *aliases;
    for (size_t i = 0; i < count; i++)
        if (ts_str_is(pipe, aliases[i].spelling))
            return ts_str_from(aliases[i].lane);
    return pipe;
}

struct ts_str ts_pipeline_twin(const struct ts_pipeline_options *options, struct ts_str lane)
{
    return !options->compat && ts_str_is(lane, "FIXP") ? TS_STR("FIXPIPE") : TS_STR("");
}

struct ts_pipeline_flag ts_pipeline_flag_parse(const struct ts_pipeline_options *options, struct ts_str detail)
{
    struct ts_pipeline_flag flag = {.producer = {NULL, 0}}, event = flag;
    struct ts_str rest = detail, part;
    bool done = false;
    while (ts_str_split(&rest, ',', &part, &done)) {
        const char *colon = part.len ? memchr(part.ptr, ':', part.len) : NULL;
        if (!colon)
            continue;
        struct ts_str key = ts_str_trim((struct ts_str){part.ptr, (size_t)(colon - part.ptr)});
        struct ts_str value = ts_str_trim((struct ts_str){colon + 1, part.len - (size_t)(colon - part.ptr) - 1});
        struct ts_str *place = ts_str_is(key, "PIPE")          ? &flag.producer
                               : ts_str_is(key, "TRIGGERPIPE") ? &flag.consumer
                               : ts_str_is(key, "FLAGID")      ? &flag.id
                               : ts_str_is(key, "sync_id")     ? &flag.sync
                               : ts_str_is(key, "pipe_type")   ? &event.producer
                               : ts_str_is(key, "tigger_pipe") ? &event.consumer /* spelt so */
                               : ts_str_is(key, "event_id")    ? &event.id
                                                               : NULL;
        if (place)
            *place = value;
    }
    if (options->compat)
        return flag;
    if (!flag.producer.ptr)
        flag.producer = event.producer;
    if (!flag.consumer.ptr)
        flag.consumer = event.consumer;
    if (!flag.id.ptr)
        flag.id = event.id;
    return flag;
}

/* ---- order of cores ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The run of digits at the beginning, zeros in front of it left out; *s moves behind it. */
static struct ts_str take_digits(struct ts_str *s)
{
    size_t len = 0, zeros = 0;
    while (len < s->len && is_digit(s->ptr[len]))
        len++;
    while (zeros + 1 < len && s->ptr[zeros] == '0')
        zeros++;
    struct ts_str digits = {s->ptr + zeros, len - zeros};
    *s = ts_str_sub(*s, len, s->len);
    return digits;
}

static int compare_naturally(struct ts_str a, struct ts_str b)
{
    struct ts_str left = a, right = b;
    while (left.len && right.len) {
        if (is_digit(left.ptr[0]) && is_digit(right.ptr[0])) {
            struct ts_str x = take_digits(&left), y = take_digits(&right);
            int order = x.len != y.len ? (x.len < y.len ? -1 : 1) : ts_str_compare(x, y);
            if (order)
                return order;
            continue;
        }
        if (left.ptr[0] != right.ptr[0])
            return (unsigned char)left.ptr[0] < (unsigned char)right.ptr[0] ? -1 : 1;
        left = ts_str_sub(left, 1, left.len);
        right = ts_str_sub(right, 1, right.len);
    }
    if (left.len != right.len)
        return left.len < right.len ? -1 : 1;
    return ts_str_compare(a, b); /* "core01" and "core1" */
}

int ts_pipeline_compare_names(const struct ts_pipeline_options *options, struct ts_str a, struct ts_str b)
{
    return options->compat ? ts_str_compare(a, b) : compare_naturally(a, b);
}
