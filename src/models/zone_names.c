#include "models/zone_names.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"

enum { LANES_PER_CORE = 8 };

enum ts_status ts_zone_names_create(struct ts_context *context, const char *path, struct ts_zone_names **out,
                                    struct ts_error *error)
{
    static const char *const known[TS_RISC_KNOWN] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC"};
    struct ts_zone_names *names = calloc(1, sizeof *names);
    if (!names)
        return ts_error_no_memory(error);
    names->path = path;
    pthread_mutex_init(&names->lock, NULL);
    ts_arena_init(&names->arena, context->memory_limit);
    ts_map_init(&names->core_map);
    ts_map_init(&names->risc_map);
    ts_map_init(&names->lane_map);
    ts_map_init(&names->group_map);
    for (unsigned i = 0; i < TS_RISC_KNOWN; i++) {
        uint64_t *number = ts_map_at(&names->risc_map, ts_str_from(known[i]), NULL);
        if (!number || !ts_vec_push(&names->riscs, ts_str_from(known[i]))) {
            ts_zone_names_destroy(names);
            return ts_error_no_memory(error);
        }
        *number = i;
    }
    *out = names;
    return TS_OK;
}

void ts_zone_names_destroy(struct ts_zone_names *names)
{
    if (!names)
        return;
    ts_map_free(&names->core_map);
    ts_map_free(&names->risc_map);
    ts_map_free(&names->lane_map);
    ts_map_free(&names->group_map);
    ts_vec_free(&names->cores);
    ts_vec_free(&names->riscs);
    ts_vec_free(&names->lanes);
    ts_vec_free(&names->groups);
    ts_arena_free(&names->arena);
    pthread_mutex_destroy(&names->lock);
    free(names);
}

/* ---- numbers ---- */

static enum ts_status too_many(const struct ts_zone_names *names, const char *what, uint32_t limit,
                               struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_LIMIT,
                        "%s: names more than %u %s, more than a profiler writes: it is damaged, or no device log; "
                        "capture it again",
                        ts_error_quote(&quote, ts_str_from(names->path), TS_QUOTE_FILE), (unsigned)limit, what);
}

/* The number under a key, or a new one, which is the next, with the key copied. Room for what the number stands for is made
 * before: a number without it would be found by the other threads. */
static enum ts_status number_of(struct ts_zone_names *names, struct ts_map *map, struct ts_str key, uint32_t limit,
                                const char *what, struct ts_str *kept, uint32_t *number, bool *added,
                                struct ts_error *error)
{
    const uint64_t *known = ts_map_find(map, key);
    *added = !known;
    if (known) {
        *number = (uint32_t)*known;
        return TS_OK;
    }
    if (map->count >= limit)
        return too_many(names, what, limit, error);
    *kept = ts_arena_copy(&names->arena, key);
    if (!kept->ptr)
        return ts_arena_error(&names->arena, error);
    *number = (uint32_t)map->count;
    uint64_t *value = ts_map_at(map, *kept, NULL);
    if (!value)
        return ts_error_no_memory(error);
    *value = *number;
    return TS_OK;
}

/* The limit is of names that the log has: the known ones have numbers even where it has none of them. */
static enum ts_status risc_number(struct ts_zone_names *names, struct ts_str text, uint32_t *risc,
                                  struct ts_error *error)
{
    static const char what[] = "kinds of processors";
    struct ts_str kept;
    bool added;
    if (!ts_vec_reserve(&names->riscs, 1))
        return ts_error_no_memory(error);
    enum ts_status status = number_of(names, &names->risc_map, text, UINT32_MAX, what, &kept, risc, &added, error);
    if (status != TS_OK)
        return status;
    if (added)
        (void)ts_vec_push(&names->riscs, kept);
    uint32_t known = *risc < TS_RISC_KNOWN ? UINT32_C(1) << *risc : 0;
    if (!added && (known == 0 || (names->known_riscs & known)))
        return TS_OK;
    names->known_riscs |= known;
    return ++names->risc_count > TS_LIMIT_LOG_RISCS ? too_many(names, what, TS_LIMIT_LOG_RISCS, error) : TS_OK;
}

static enum ts_status core_number(struct ts_zone_names *names, const struct ts_log_core *core, uint32_t *number,
                                  struct ts_error *error)
{
    struct ts_str kept;
    bool added;
    if (!ts_vec_reserve(&names->cores, 1))
        return ts_error_no_memory(error);
    enum ts_status status = number_of(names, &names->core_map, (struct ts_str){(const char *)core, sizeof *core},
                                      TS_LIMIT_LOG_CORES, "cores", &kept, number, &added, error);
    if (status == TS_OK && added)
        (void)ts_vec_push(&names->cores, *core);
    return status;
}

static enum ts_status lane_number(struct ts_zone_names *names, const struct ts_log_core *core, struct ts_str risc,
                                  uint32_t *lane, struct ts_log_lane *info, struct ts_error *error)
{
    struct ts_str kept;
    bool added = false;
    enum ts_status status = risc_number(names, risc, &info->risc, error);
    if (status == TS_OK)
        status = core_number(names, core, &info->core, error);
    if (status == TS_OK && !ts_vec_reserve(&names->lanes, 1))
        status = ts_error_no_memory(error);
    if (status == TS_OK)
        status = number_of(names, &names->lane_map, (struct ts_str){(const char *)info, sizeof *info},
                           TS_LIMIT_LOG_CORES * LANES_PER_CORE, "processors", &kept, lane, &added, error);
    if (status == TS_OK && added)
        (void)ts_vec_push(&names->lanes, *info);
    return status;
}

enum ts_status ts_zone_names_lane(struct ts_zone_names *names, const struct ts_log_core *core, struct ts_str risc,
                                  uint32_t *lane, struct ts_log_lane *info, struct ts_str *risc_text,
                                  struct ts_error *error)
{
    pthread_mutex_lock(&names->lock);
    enum ts_status status = lane_number(names, core, risc, lane, info, error);
    if (status == TS_OK)
        *risc_text = names->riscs.items[info->risc];
    pthread_mutex_unlock(&names->lock);
    return status;
}

struct ts_log_lane ts_zone_names_lane_info(struct ts_zone_names *names, uint32_t lane)
{
    pthread_mutex_lock(&names->lock);
    struct ts_log_lane info = names->lanes.items[lane];
    pthread_mutex_unlock(&names->lock);
    return info;
}

static enum ts_status group_number(struct ts_zone_names *names, struct ts_str key, uint32_t risc, uint32_t *group,
                                   struct ts_error *error)
{
    struct ts_str kept;
    bool added;
    if (!ts_vec_reserve(&names->groups, 1))
        return ts_error_no_memory(error);
    enum ts_status status =
        number_of(names, &names->group_map, key, TS_LIMIT_LOG_ZONES, "zones", &kept, group, &added, error);
    if (status != TS_OK || !added)
        return status;
    struct ts_str zone = ts_str_sub(kept, sizeof risc, kept.len);
    struct ts_zone_group info = {zone, risc, ts_str_ends_with(zone, TS_STR("-KERNEL"))};
    (void)ts_vec_push(&names->groups, info);
    return TS_OK;
}

enum ts_status ts_zone_names_group(struct ts_zone_names *names, struct ts_str zone, uint32_t risc, uint32_t *group,
                                   struct ts_zone_group *info, struct ts_error *error)
{
    struct ts_buf key;
    ts_buf_init(&key, 0);
    ts_buf_add(&key, &risc, sizeof risc);
    ts_buf_str(&key, zone);
    enum ts_status status = ts_buf_status(&key, error);
    if (status == TS_OK) {
        pthread_mutex_lock(&names->lock);
        status = group_number(names, ts_buf_view(&key), risc, group, error);
        if (status == TS_OK)
            *info = names->groups.items[*group];
        pthread_mutex_unlock(&names->lock);
    }
    ts_buf_free(&key);
    return status;
}

/* ---- names with numbers in them ---- */

bool ts_zone_name_fold(struct ts_str zone, char buffer[TS_ZONE_FOLDED_MAX], struct ts_str *out)
{
    const char *colon = zone.len ? memchr(zone.ptr, ':', zone.len) : NULL;
    if (!colon || zone.len > TS_ZONE_FOLDED_MAX)
        return false;
    size_t before = (size_t)(colon - zone.ptr) + 1, after = before;
    while (after < zone.len && zone.ptr[after] >= '0' && zone.ptr[after] <= '9')
        after++;
    if (after == before || after == zone.len || zone.ptr[after] != ':')
        return false;
    memcpy(buffer, zone.ptr, before);
    buffer[before] = '*';
    memcpy(buffer + before + 1, zone.ptr + after, zone.len - after);
    *out = (struct ts_str){buffer, before + 1 + zone.len - after};
    return true;
}
