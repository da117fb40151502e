#include "surfaces/cli/captures.h"

#include <stdlib.h>
#include <unistd.h>

static enum ts_status check_path(const char *path, struct ts_error *error)
{
    return *path ? TS_OK
                 : ts_error_set(error, TS_USAGE,
                                "a path is empty (an unset variable?); name the capture's folder or file");
}

static enum ts_status next_capture(struct ts_cli_captures *captures, struct ts_capture_paths **out,
                                   struct ts_error *error)
{
    if (captures->count == TS_CLI_CAPTURES_MAX)
        return ts_error_set(error, TS_USAGE, "more than %d captures were named", TS_CLI_CAPTURES_MAX);
    *out = &captures->paths[captures->count++];
    return TS_OK;
}

/* The capture that still lacks the half at `slot`, or the next one. */
static enum ts_status add_half(struct ts_cli_captures *captures, size_t slot, const char *path, struct ts_error *error)
{
    struct ts_capture_paths *paths = captures->count ? &captures->paths[captures->count - 1] : NULL;
    enum ts_status status = check_path(path, error);
    if (status)
        return status;
    if (!paths || *(const char **)((char *)paths + slot)) {
        status = next_capture(captures, &paths, error);
        if (status)
            return status;
    }
    *(const char **)((char *)paths + slot) = path;
    return TS_OK;
}

enum ts_status ts_cli_captures_performance(struct ts_cli_captures *captures, const char *path, struct ts_error *error)
{
    return add_half(captures, offsetof(struct ts_capture_paths, performance), path, error);
}

enum ts_status ts_cli_captures_profiler(struct ts_cli_captures *captures, const char *path, struct ts_error *error)
{
    return add_half(captures, offsetof(struct ts_capture_paths, profiler), path, error);
}

struct contents {
    bool performance, profiler;
};

static enum ts_status look_at_name(void *data, const char *name, struct ts_error *error)
{
    (void)error;
    struct contents *contents = data;
    struct ts_str text = ts_str_from(name);
    if (ts_str_is(text, "db.sqlite"))
        contents->profiler = true;
    if (ts_str_starts_with(text, TS_STR("ops_perf_results")) || ts_str_starts_with(text, TS_STR("profile_log_device")))
        contents->performance = true;
    return TS_OK;
}

static bool is_database(struct ts_context *context, const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof magic];
    int fd;
    if (ts_file_open(context, path, &fd, NULL, NULL))
        return false;
    ssize_t got = read(fd, head, sizeof head);
    close(fd);
    return got == (ssize_t)sizeof head && memcmp(head, magic, sizeof magic) == 0;
}

enum ts_status ts_cli_captures_bare(struct ts_context *context, struct ts_cli_captures *captures, const char *path,
                                    struct ts_error *error)
{
    char *resolved;
    enum ts_path_kind kind;
    enum ts_status status = check_path(path, error);
    if (!status)
        status = ts_path_resolve(context, path, &resolved, &kind, error);
    if (status)
        return status;
    struct contents contents = {false, false};
    if (kind == TS_PATH_DIRECTORY)
        status = ts_directory_list(context, resolved, look_at_name, &contents, error);
    else if (kind == TS_PATH_FILE)
        contents.profiler = is_database(context, resolved);
    free(resolved);
    if (status)
        return status;
    /* What is neither is opened as a performance report: opening it says best what it lacks. */
    if (contents.performance || !contents.profiler)
        status = ts_cli_captures_performance(captures, path, error);
    if (!status && contents.profiler)
        status = ts_cli_captures_profiler(captures, path, error);
    return status;
}
