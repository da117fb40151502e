#include "base/parts.h"

#include <stdlib.h>
#include <string.h>

struct ts_parts {
    size_t limit;
    uint64_t clock; /* counts acquisitions; ts_part.last_use is a time of this clock */
    struct ts_part *first;
};

/* What one capture has answered from: of a type and options, the identity it read first. */
struct ts_pin {
    const struct ts_part_type *type;
    char *options;
    struct ts_identity identity;
};

enum ts_status ts_parts_create(size_t limit, struct ts_parts **out, struct ts_error *error)
{
    struct ts_parts *parts = calloc(1, sizeof *parts);
    if (!parts)
        return ts_error_no_memory(error);
    parts->limit = limit;
    *out = parts;
    return TS_OK;
}

/* ---- the kept parts ---- */

static void drop(struct ts_parts *parts, struct ts_part *part)
{
    struct ts_part **link = &parts->first;
    while (*link != part)
        link = &(*link)->next;
    *link = part->next;
    free(part->options);
    part->type->destroy(part);
}

void ts_parts_destroy(struct ts_parts *parts)
{
    if (!parts)
        return;
    while (parts->first)
        drop(parts, parts->first);
    free(parts);
}

size_t ts_parts_bytes(const struct ts_parts *parts)
{
    size_t bytes = 0;
    for (const struct ts_part *part = parts->first; part; part = part->next)
        bytes += part->size;
    return bytes;
}

static bool same_kind(const struct ts_part *part, const struct ts_part_request *request)
{
    return strcmp(part->type->name, request->type->name) == 0 && strcmp(part->options, request->options) == 0;
}

static struct ts_part *find_part(const struct ts_parts *parts, const struct ts_part_request *request,
                                 const struct ts_identity *identity)
{
    struct ts_part *part = parts->first;
    while (part && !(ts_identity_equal(&part->identity, identity) && same_kind(part, request)))
        part = part->next;
    return part;
}

/* A part that alone is larger than the limit is nobody's loss once released: it goes first and pushes nothing out. */
static void drop_oversize(struct ts_parts *parts)
{
    for (struct ts_part *part = parts->first, *next; part; part = next) {
        next = part->next;
        if (part->users == 0 && part->size > parts->limit)
            drop(parts, part);
    }
}

static struct ts_part *least_recent_unused(const struct ts_parts *parts)
{
    struct ts_part *oldest = NULL;
    for (struct ts_part *part = parts->first; part; part = part->next)
        if (part->users == 0 && (!oldest || part->last_use < oldest->last_use))
            oldest = part;
    return oldest;
}

static void evict(struct ts_parts *parts)
{
    drop_oversize(parts);
    size_t bytes = 0;
    for (const struct ts_part *part = parts->first; part; part = part->next)
        if (part->size <= parts->limit)
            bytes += part->size;
    while (bytes > parts->limit) {
        struct ts_part *oldest = least_recent_unused(parts);
        if (!oldest)
            break;
        bytes -= oldest->size;
        drop(parts, oldest);
    }
}

/* Of a file that is always read as it is now, earlier states are never asked for again. */
static void drop_superseded(struct ts_parts *parts, const struct ts_part_request *request)
{
    for (struct ts_part *part = parts->first, *next; part; part = next) {
        next = part->next;
        if (part->users == 0 && part->identity.path_hash == request->now.path_hash &&
            !ts_identity_equal(&part->identity, &request->now) && same_kind(part, request))
            drop(parts, part);
    }
}

/* ---- what a capture has read ---- */

static struct ts_pin *find_pin(const struct ts_pins *pins, const struct ts_part_request *request)
{
    for (size_t i = 0; i < pins->count; i++) {
        struct ts_pin *pin = &pins->items[i];
        if (strcmp(pin->type->name, request->type->name) == 0 && strcmp(pin->options, request->options) == 0)
            return pin;
    }
    return NULL;
}

static enum ts_status add_pin(struct ts_pins *pins, const struct ts_part_request *request,
                              const struct ts_identity *identity, struct ts_error *error)
{
    char *options = strdup(request->options);
    if (!options)
        return ts_error_no_memory(error);
    if (!ts_vec_push(pins, ((struct ts_pin){request->type, options, *identity}))) {
        free(options);
        return ts_error_no_memory(error);
    }
    return TS_OK;
}

static enum ts_status hold(struct ts_parts *parts, struct ts_pins *pins, struct ts_part *part, struct ts_error *error)
{
    part->last_use = ++parts->clock;
    for (size_t i = 0; i < pins->held.count; i++)
        if (pins->held.items[i] == part)
            return TS_OK;
    if (!ts_vec_push(&pins->held, part))
        return ts_error_no_memory(error);
    part->users++;
    return TS_OK;
}

void ts_pins_release(struct ts_pins *pins, struct ts_parts *parts)
{
    for (size_t i = 0; i < pins->held.count; i++)
        pins->held.items[i]->users--;
    pins->held.count = 0;
    pins->changed = false;
    evict(parts);
}

void ts_pins_free(struct ts_pins *pins, struct ts_parts *parts)
{
    ts_pins_release(pins, parts);
    for (size_t i = 0; i < pins->count; i++)
        free(pins->items[i].options);
    ts_vec_free(pins);
    ts_vec_free(&pins->held);
}

/* ---- acquiring ---- */

static enum ts_status changed(const struct ts_part_request *request, const char *when, struct ts_error *error)
{
    struct ts_quote label, path;
    return ts_error_set(
        error, TS_CHANGED,
        "%s: the capture changed %s: %s is no longer the file it was; open it again to read what is there now",
        ts_error_quote(&label, ts_str_from(request->label), TS_QUOTE_ARGUMENT), when,
        ts_error_quote(&path, ts_str_from(request->path), TS_QUOTE_FILE));
}

/* Which state of the file answers, and whether it may still be read. */
static enum ts_status choose_identity(const struct ts_part_request *request, const struct ts_pin *pin,
                                      struct ts_identity *identity, bool *readable, struct ts_error *error)
{
    switch (request->type->rule) {
    case TS_PART_REFUSE:
        if (!request->pinned)
            return ts_error_set(error, TS_INTERNAL, "%s: no identity was fixed at opening", request->type->name);
        *identity = *request->pinned;
        *readable = ts_identity_equal(&request->now, identity);
        return *readable || pin ? TS_OK : changed(request, "since it was loaded", error);
    case TS_PART_KEEP:
        *identity = pin ? pin->identity : request->pinned ? *request->pinned : request->now;
        *readable = ts_identity_equal(&request->now, identity);
        return TS_OK;
    case TS_PART_REREAD:
        *identity = request->now;
        *readable = true;
        return TS_OK;
    }
    return ts_error_set(error, TS_INTERNAL, "%s: unknown rule", request->type->name);
}

/* Make the part and keep it, provided it was read from the state of the file that was asked for. */
static enum ts_status make_part(struct ts_context *context, struct ts_parts *parts,
                                const struct ts_part_request *request, struct ts_part **out, struct ts_error *error)
{
    char *options = strdup(request->options);
    if (!options)
        return ts_error_no_memory(error);
    struct ts_part *part = NULL;
    enum ts_status status = request->make(context, request->data, &part, error);
    if (status != TS_OK) {
        free(options);
        return status;
    }
    part->type = request->type;
    part->users = 0;
    if (!ts_identity_equal(&part->identity, &request->now)) {
        free(options);
        part->type->destroy(part);
        return changed(request, "while it was being read", error);
    }
    if (request->type->rule == TS_PART_REREAD)
        drop_superseded(parts, request);
    part->options = options;
    part->next = parts->first;
    parts->first = part;
    *out = part;
    return TS_OK;
}

/* Whether the first use decides which state of the file answers from then on, or that it was used at all matters. */
static bool pins_at_use(const struct ts_part_request *request)
{
    return request->type->rule == TS_PART_REFUSE || (request->type->rule == TS_PART_KEEP && !request->pinned);
}

enum ts_status ts_parts_acquire(struct ts_context *context, struct ts_parts *parts, struct ts_pins *pins,
                                const struct ts_part_request *request, struct ts_part **out, struct ts_error *error)
{
    const struct ts_pin *pin = find_pin(pins, request);
    struct ts_identity identity;
    bool readable;
    enum ts_status status = choose_identity(request, pin, &identity, &readable, error);
    if (status != TS_OK)
        return status;

    struct ts_part *part = find_part(parts, request, &identity);
    if (!part && !readable)
        return changed(request, "since it was loaded", error);
    if (!part)
        status = make_part(context, parts, request, &part, error);
    if (status == TS_OK && !pin && pins_at_use(request))
        status = add_pin(pins, request, &identity, error);
    if (status == TS_OK)
        status = hold(parts, pins, part, error);
    if (status == TS_OK) {
        pins->changed = pins->changed || !readable;
        *out = part;
    }
    evict(parts);
    return status;
}
