#include "formats/cluster_descriptor.h"

#include <yaml.h>

#include "base/buf.h"
#include "base/limits.h"

enum { NESTING_MAX = 64, ARCHES_MAX = 32, NAME_MAX_BYTES = 256, CHECK_EVERY = 1024 };

/* Where in a document the parser is: its top mapping alternates keys and values, and so does that under `arch`. */
struct state {
    unsigned depth;   /* collections open */
    bool top_key;     /* the next node at depth 1 is a key */
    bool arch_value;  /* the next node at depth 1 is the value of `arch` */
    bool in_arch;     /* inside the mapping `arch` */
    bool arch_key;    /* the next node in there is a key */
    bool top_mapping; /* the document is a mapping */
    struct ts_str names[ARCHES_MAX];
    size_t count;
};

/* ---- names ---- */

static bool add_name(struct ts_arena *arena, struct state *state, const yaml_event_t *event)
{
    struct ts_str name = {(const char *)event->data.scalar.value, event->data.scalar.length};
    if (name.len == 0 || name.len > NAME_MAX_BYTES || state->count == ARCHES_MAX)
        return true;
    for (size_t i = 0; i < state->count; i++)
        if (ts_str_equal(state->names[i], name))
            return true;
    state->names[state->count] = ts_arena_copy(arena, name);
    return state->names[state->count++].ptr;
}

static enum ts_status join(struct ts_arena *arena, const struct state *state, struct ts_str *out,
                           struct ts_error *error)
{
    struct ts_buf text;
    ts_buf_init(&text, 0);
    for (size_t i = 0; i < state->count; i++) {
        ts_buf_text(&text, i > 0 ? ", " : "");
        ts_buf_str(&text, state->names[i]);
    }
    *out = text.failed ? (struct ts_str){NULL, 0} : ts_arena_copy(arena, ts_buf_view(&text));
    ts_buf_free(&text);
    return out->ptr ? TS_OK : ts_error_no_memory(error);
}

/* ---- events ---- */

/* A node of the top mapping is over: after a key comes its value. */
static void passed(struct state *state)
{
    if (state->depth == 1 && state->top_mapping) {
        state->arch_value = state->top_key && state->arch_value;
        state->top_key = !state->top_key;
    } else if (state->depth == 2 && state->in_arch) {
        state->arch_key = !state->arch_key;
    }
}

static bool on_scalar(struct ts_arena *arena, struct state *state, const yaml_event_t *event)
{
    bool good = true;
    if (state->depth == 1 && state->top_mapping && state->top_key)
        state->arch_value = event->data.scalar.length == 4 && memcmp(event->data.scalar.value, "arch", 4) == 0;
    else if (state->depth == 2 && state->in_arch && !state->arch_key)
        good = add_name(arena, state, event);
    passed(state);
    return good;
}

static void on_open(struct state *state, bool mapping)
{
    if (state->depth == 0) {
        state->top_mapping = mapping;
        state->top_key = true;
        state->arch_value = false;
    } else if (state->depth == 1 && state->top_mapping) {
        state->in_arch = mapping && !state->top_key && state->arch_value;
        state->arch_key = true;
    }
    state->depth++;
}

static void on_close(struct state *state)
{
    state->depth--;
    if (state->depth == 1)
        state->in_arch = false;
    passed(state);
}

/* False when memory is out. */
static bool on_event(struct ts_arena *arena, struct state *state, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(arena, state, event);
    case YAML_ALIAS_EVENT:
        passed(state);
        return true;
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        on_open(state, event->type == YAML_MAPPING_START_EVENT);
        return true;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        on_close(state);
        return true;
    default:
        return true;
    }
}

/* *valid false when the text is no YAML, or nested too deep. */
static enum ts_status parse(struct ts_context *context, yaml_parser_t *parser, struct ts_arena *arena,
                            struct state *state, bool *valid, struct ts_error *error)
{
    *valid = false;
    for (unsigned events = 0;; events++) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return parser->error == YAML_MEMORY_ERROR ? ts_error_no_memory(error) : TS_OK;
        bool end = event.type == YAML_STREAM_END_EVENT, good = on_event(arena, state, &event);
        yaml_event_delete(&event);
        if (!good)
            return ts_arena_error(arena, error);
        if (end || state->depth > NESTING_MAX) {
            *valid = end;
            return TS_OK;
        }
        enum ts_status status = events % CHECK_EVERY == 0 ? ts_context_check(context, error) : TS_OK;
        if (status != TS_OK)
            return status;
    }
}

enum ts_status ts_cluster_descriptor_parse(struct ts_context *context, struct ts_arena *arena, struct ts_str text,
                                           struct ts_str *arch, bool *found, struct ts_error *error)
{
    yaml_parser_t parser;
    struct state state = {.depth = 0};
    bool valid;
    if (!yaml_parser_initialize(&parser))
        return ts_error_no_memory(error);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(text.ptr ? text.ptr : ""), text.len);
    enum ts_status status = parse(context, &parser, arena, &state, &valid, error);
    yaml_parser_delete(&parser);
    if (status == TS_OK && valid && state.count > 0)
        status = join(arena, &state, arch, error);
    if (status == TS_OK)
        *found = valid && state.count > 0;
    return status;
}

enum ts_status ts_cluster_descriptor_read(struct ts_context *context, struct ts_arena *arena, const char *path,
                                          struct ts_str *arch, bool *found, struct ts_error *error)
{
    struct ts_reader *reader;
    struct ts_buf text;
    size_t got = 1;
    enum ts_status status = ts_reader_open(context, path, &reader, error);
    if (status != TS_OK)
        return status;
    ts_buf_init(&text, TS_LIMIT_CLUSTER_FILE);
    while (status == TS_OK && got > 0 && !text.failed) {
        char block[16384];
        status = ts_reader_read(reader, block, sizeof block, &got, error);
        if (status == TS_OK)
            ts_buf_add(&text, block, got);
    }
    ts_reader_close(reader);
    if (status == TS_OK && text.over_limit)
        *found = false;
    else if (status == TS_OK && text.failed)
        status = ts_error_no_memory(error);
    else if (status == TS_OK)
        status = ts_cluster_descriptor_parse(context, arena, ts_buf_view(&text), arch, found, error);
    ts_buf_free(&text);
    return status;
}
