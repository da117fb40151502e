#include "transforms/clean_sim_trace_find.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"

enum { DEPTH_MAX = 6, FOLDERS_MAX = 20000, LISTED_MAX = 12 };
static const char *const names[] = {"visualize_data.bin", "visualize_data.bin.gz", "visualize_data.bin.zst"};
enum { NAMES = sizeof names / sizeof *names };

/* ---- paths ---- */

char *ts_clean_sim_path_tidy(struct ts_arena *arena, const char *path)
{
    size_t len = strlen(path);
    char *out = ts_arena_alloc(arena, len + 1), *at = out;
    if (!out)
        return NULL;
    if (path[0] == '/')
        *at++ = '/';
    struct ts_str rest = {path, len}, part;
    bool done = false, first = true;
    while (ts_str_split(&rest, '/', &part, &done)) {
        if (part.len == 0 || ts_str_is(part, "."))
            continue;
        if (!first)
            *at++ = '/';
        first = false;
        memcpy(at, part.ptr, part.len);
        at += part.len;
    }
    *at = '\0';
    return out;
}

char *ts_clean_sim_path_join(struct ts_arena *arena, const char *folder, const char *name)
{
    size_t len = strlen(folder);
    bool slash = len > 0 && folder[len - 1] != '/';
    return (char *)(uintptr_t)ts_arena_printf(arena, "%s%s%s", folder, slash ? "/" : "", name).ptr;
}

char *ts_clean_sim_path_folder(struct ts_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t len = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
    return ts_arena_strdup(arena, (struct ts_str){path, len});
}

/* ---- searching ---- */

static bool is_kind(const char *path, mode_t kind)
{
    struct stat info;
    return stat(path[0] ? path : ".", &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

/* The dump in this very folder: *out is NULL without one. False when memory is out. */
static bool look_in(struct ts_arena *arena, const char *folder, const char **out)
{
    *out = NULL;
    for (unsigned i = 0; i < NAMES && !*out; i++) {
        const char *file = ts_clean_sim_path_join(arena, folder, names[i]);
        if (!file)
            return false;
        if (is_kind(file, S_IFREG))
            *out = file;
    }
    return true;
}

struct search {
    struct ts_context *context;
    struct ts_arena *arena;
    const char *folder;
    unsigned depth, folders;
    const char *found[LISTED_MAX];
    size_t count;
};

static enum ts_status search_folder(struct search *search, const char *folder, struct ts_error *error);

static enum ts_status visit(void *data, const char *name, struct ts_error *error)
{
    struct search *search = data;
    struct stat info;
    /* A copy that an earlier run made beside its output is not another dump. */
    if (strcmp(name, "raw_simulator") == 0)
        return TS_OK;
    const char *path = ts_clean_sim_path_join(search->arena, search->folder, name);
    if (!path)
        return ts_error_no_memory(error);
    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return TS_OK;
    return search_folder(search, path, error);
}

static enum ts_status search_folder(struct search *search, const char *folder, struct ts_error *error)
{
    const char *outer = search->folder, *found;
    if (!look_in(search->arena, folder, &found))
        return ts_error_no_memory(error);
    if (found) {
        if (search->count < LISTED_MAX)
            search->found[search->count] = found;
        search->count++;
    }
    if (search->depth == DEPTH_MAX || ++search->folders > FOLDERS_MAX)
        return TS_OK;
    search->folder = folder;
    search->depth++;
    enum ts_status status = ts_directory_list(search->context, folder[0] ? folder : ".", visit, search, error);
    search->depth--;
    search->folder = outer;
    /* A folder that cannot be read holds no dump that could be. */
    return status == TS_IO || status == TS_INPUT || status == TS_REFUSED ? TS_OK : status;
}

static enum ts_status none_found(const char *path, struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_INPUT,
                        "no visualize_data.bin found at %s (expected a .bin file or a directory containing "
                        "simulator/visualize_data.bin)",
                        ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE));
}

static enum ts_status several_found(const struct search *search, const char *path, struct ts_error *error)
{
    struct ts_quote quote;
    struct ts_buf list;
    ts_buf_init(&list, 0);
    size_t listed = search->count < LISTED_MAX ? search->count : LISTED_MAX;
    for (size_t i = 0; i < listed; i++)
        ts_buf_printf(&list, "\n  %s", ts_error_quote(&quote, ts_str_from(search->found[i]), TS_QUOTE_FILE));
    if (search->count > listed)
        ts_buf_printf(&list, "\n  and %zu more", search->count - listed);
    enum ts_status status =
        ts_error_set(error, TS_INPUT, "there are %zu dumps below %s; name one of them:%s", search->count,
                     ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE), list.ptr ? list.ptr : "");
    ts_buf_free(&list);
    return status;
}

enum ts_status ts_clean_sim_find(struct ts_context *context, struct ts_arena *arena, const char *path, const char **out,
                                 struct ts_error *error)
{
    const char *tidy = ts_clean_sim_path_tidy(arena, path), *found = NULL;
    if (!tidy)
        return ts_error_no_memory(error);
    if (!is_kind(tidy, S_IFDIR)) {
        if (!is_kind(tidy, S_IFREG))
            return none_found(path, error);
        *out = tidy;
        return TS_OK;
    }
    const char *simulator = ts_clean_sim_path_join(arena, tidy, "simulator");
    if (!simulator || !look_in(arena, tidy, &found) || (!found && !look_in(arena, simulator, &found)))
        return ts_error_no_memory(error);
    if (found) {
        *out = found;
        return TS_OK;
    }
    struct search search = {.context = context, .arena = arena};
    enum ts_status status = search_folder(&search, tidy, error);
    if (status != TS_OK)
        return status;
    if (search.count == 0)
        return none_found(path, error);
    if (search.count > 1)
        return several_found(&search, path, error);
    *out = search.found[0];
    return TS_OK;
}
