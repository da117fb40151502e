#include "models/cluster_files.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/number.h"

enum { WORLD_MAX = 4096 };
static const char plain_name[] = "cluster_descriptor.yaml";

struct family {
    TS_VEC(uint32_t) indices, worlds; /* of the names found, in order */
    bool plain;
};

static bool take_number(struct ts_str text, int64_t *out)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return ts_number_parse_i64(text, out) && *out >= 1 && *out <= WORLD_MAX;
}

/* cluster_descriptor_N_of_WORLD.yaml */
static bool parse_name(struct ts_str name, int64_t *index, int64_t *world)
{
    struct ts_str prefix = TS_STR("cluster_descriptor_"), suffix = TS_STR(".yaml"), between = TS_STR("_of_");
    if (!ts_str_starts_with(name, prefix) || !ts_str_ends_with(name, suffix) || name.len < prefix.len + suffix.len)
        return false;
    name = ts_str_sub(name, prefix.len, name.len - prefix.len - suffix.len);
    size_t at = ts_str_find(name, between, 0);
    return at != (size_t)-1 && take_number(ts_str_sub(name, 0, at), index) &&
           take_number(ts_str_sub(name, at + between.len, name.len), world) && *index <= *world;
}

static enum ts_status visit(void *data, const char *name, struct ts_error *error)
{
    struct family *family = data;
    int64_t index, world;
    if (strcmp(name, plain_name) == 0)
        family->plain = true;
    if (!parse_name(ts_str_from(name), &index, &world))
        return TS_OK;
    if (!ts_vec_push(&family->indices, (uint32_t)index) || !ts_vec_push(&family->worlds, (uint32_t)world))
        return ts_error_no_memory(error);
    return TS_OK;
}

/* The world size that most names agree on, the first seen of equals; 0: there are none. */
static uint32_t choose_world(const struct family *family)
{
    static const uint32_t none = 0;
    uint32_t counts[WORLD_MAX + 1] = {0}, best = none;
    for (size_t i = 0; i < family->worlds.count; i++)
        counts[family->worlds.items[i]]++;
    for (size_t i = 0; i < family->worlds.count; i++)
        if (best == none || counts[family->worlds.items[i]] > counts[best])
            best = family->worlds.items[i];
    return best;
}

static char *path_of(const char *directory, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static char *member_path(const char *directory, uint32_t index, uint32_t world)
{
    char name[64];
    snprintf(name, sizeof name, "cluster_descriptor_%u_of_%u.yaml", index, world);
    return path_of(directory, name);
}

/* The modification time of a file; *found false when it is no regular one. */
static enum ts_status modified(struct ts_context *context, char *path, int64_t *time, bool *found,
                               struct ts_error *error)
{
    struct ts_identity identity;
    if (!path)
        return ts_error_no_memory(error);
    enum ts_status status = ts_file_identity(context, path, &identity, found, error);
    free(path);
    if (status == TS_OK)
        *time = identity.mtime_ns;
    return status;
}

/* Whether all members are there, and when the newest was written. */
static enum ts_status examine(struct ts_context *context, const char *directory, const struct family *family,
                              uint32_t world, bool *complete, int64_t *newest, struct ts_error *error)
{
    bool seen[WORLD_MAX + 1] = {false};
    uint32_t distinct = 0;
    enum ts_status status = TS_OK;
    *newest = INT64_MIN;
    for (size_t i = 0; i < family->worlds.count && status == TS_OK; i++) {
        uint32_t index = family->indices.items[i];
        int64_t time = 0;
        bool found = false;
        if (family->worlds.items[i] != world || seen[index])
            continue;
        status = modified(context, member_path(directory, index, world), &time, &found, error);
        if (status != TS_OK || !found)
            continue;
        seen[index] = true;
        distinct++;
        *newest = time > *newest ? time : *newest;
    }
    *complete = distinct == world;
    return status;
}

static enum ts_status choose(struct ts_context *context, const char *directory, const struct family *family, char **out,
                             struct ts_error *error)
{
    uint32_t world = choose_world(family);
    bool ranked = world > 0, plain = family->plain, complete;
    int64_t plain_time = 0, newest;
    enum ts_status status = TS_OK;
    if (plain)
        status = modified(context, path_of(directory, plain_name), &plain_time, &plain, error);
    if (status == TS_OK && plain && ranked) {
        status = examine(context, directory, family, world, &complete, &newest, error);
        ranked = complete && newest >= plain_time;
    }
    if (status != TS_OK || (!plain && !ranked))
        return status;
    char *path = ranked ? member_path(directory, 1, world) : path_of(directory, plain_name);
    bool found = false;
    int64_t time = 0;
    status = modified(context, path ? strdup(path) : NULL, &time, &found, error);
    if (status == TS_OK && found)
        *out = path;
    else
        free(path);
    return status;
}

enum ts_status ts_cluster_files_first(struct ts_context *context, const char *directory, char **out,
                                      struct ts_error *error)
{
    struct family family = {.plain = false};
    *out = NULL;
    enum ts_status status = ts_directory_list(context, directory, visit, &family, error);
    if (status == TS_OK)
        status = choose(context, directory, &family, out, error);
    ts_vec_free(&family.indices);
    ts_vec_free(&family.worlds);
    return status;
}
