#include "surfaces/mcp/usage_compact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/number.h"
#include "base/vec.h"

/* The largest log that is read in order to be shortened. */
#define LARGEST_READ ((off_t)(128 * TS_MIB))

/* ---- the text ---- */

enum { FIELDS_MAX = 32 };

struct line {
    struct ts_str ts;
    uint64_t count;
    struct ts_str event;
    struct ts_str others[FIELDS_MAX]; /* "name=value", sorted */
    size_t other_count;
};

static int by_name(const void *a, const void *b)
{
    return ts_str_compare(*(const struct ts_str *)a, *(const struct ts_str *)b);
}

/* "name=value" cut at the sign. */
static bool split_field(struct ts_str field, struct ts_str *name, struct ts_str *value)
{
    size_t sign = ts_str_find(field, TS_STR("="), 0);
    if (sign == (size_t)-1 || sign == 0)
        return false;
    *name = ts_str_sub(field, 0, sign);
    *value = ts_str_sub(field, sign + 1, field.len);
    return true;
}

static bool take_field(struct line *line, struct ts_str field, bool *version)
{
    struct ts_str name, value;
    if (!split_field(field, &name, &value))
        return false;
    if (ts_str_is(name, "ts")) {
        line->ts = value;
    } else if (ts_str_is(name, "event")) {
        line->event = value;
    } else if (ts_str_is(name, "count")) {
        return ts_number_parse_u64(value, &line->count) && line->count > 0;
    } else if (!ts_str_is(name, "run_id")) {
        if (line->other_count == FIELDS_MAX)
            return false;
        *version = *version || (ts_str_is(name, "schema_version") && value.len > 0);
        line->others[line->other_count++] = field;
    }
    return true;
}

static bool read_line(struct ts_str text, struct line *out)
{
    *out = (struct line){.count = 1};
    struct ts_str field;
    bool done = false, version = false;
    while (ts_str_split(&text, ' ', &field, &done))
        if (!take_field(out, field, &version))
            return false;
    qsort(out->others, out->other_count, sizeof *out->others, by_name);
    return out->ts.len > 0 && out->event.len > 0 && version;
}

/* Lines that differ only in when, by which run and how often. */
struct group {
    struct ts_str ts, key; /* key: "event=... others" */
    uint64_t count;
};

struct compaction {
    struct ts_arena arena; /* of the keys, which the map borrows */
    struct ts_map index;   /* of key to place in groups */
    TS_VEC(struct group) groups;
    struct ts_buf key, unreadable;
    size_t unreadable_count;
};

static void free_compaction(struct compaction *work)
{
    ts_arena_free(&work->arena);
    ts_map_free(&work->index);
    ts_vec_free(&work->groups);
    ts_buf_free(&work->key);
    ts_buf_free(&work->unreadable);
}

static bool add_group(struct compaction *work, const struct line *line)
{
    struct ts_str key = ts_arena_copy(&work->arena, ts_buf_view(&work->key));
    uint64_t *place = key.ptr ? ts_map_at(&work->index, key, NULL) : NULL;
    if (!place)
        return false;
    *place = work->groups.count;
    return ts_vec_push(&work->groups, ((struct group){line->ts, key, line->count}));
}

static bool add_line(struct compaction *work, const struct line *line)
{
    ts_buf_clear(&work->key);
    ts_buf_text(&work->key, "event=");
    ts_buf_str(&work->key, line->event);
    for (size_t i = 0; i < line->other_count; i++) {
        ts_buf_char(&work->key, ' ');
        ts_buf_str(&work->key, line->others[i]);
    }
    if (work->key.failed)
        return false;
    const uint64_t *place = ts_map_find(&work->index, ts_buf_view(&work->key));
    if (!place)
        return add_group(work, line);
    struct group *group = &work->groups.items[*place];
    group->count += line->count <= UINT64_MAX - group->count ? line->count : UINT64_MAX - group->count;
    if (ts_str_compare(line->ts, group->ts) > 0)
        group->ts = line->ts;
    return true;
}

/* The next line of *rest without its end. */
static bool next_line(struct ts_str *rest, struct ts_str *line)
{
    if (rest->len == 0)
        return false;
    size_t end = ts_str_find(*rest, TS_STR("\n"), 0);
    *line = ts_str_sub(*rest, 0, end == (size_t)-1 ? rest->len : end);
    *rest = ts_str_sub(*rest, line->len + 1, rest->len);
    return true;
}

/* One line per group, sorted as text. */
static bool write_groups(struct compaction *work, struct ts_buf *out)
{
    size_t count = work->groups.count;
    struct ts_str *lines = count ? TS_ARENA_ARRAY(&work->arena, struct ts_str, count) : NULL;
    if (count && !lines)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct group *group = &work->groups.items[i];
        lines[i] = ts_arena_printf(&work->arena, "ts=%.*s %.*s count=%llu\n", TS_STR_ARG(group->ts),
                                   TS_STR_ARG(group->key), (unsigned long long)group->count);
        if (!lines[i].ptr)
            return false;
    }
    if (count)
        qsort(lines, count, sizeof *lines, by_name);
    for (size_t i = 0; i < count; i++)
        ts_buf_str(out, lines[i]);
    return true;
}

/* Read the first `older` lines of *rest. */
static bool gather(struct compaction *work, struct ts_str *rest, size_t older)
{
    struct ts_str text;
    for (size_t i = 0; i < older && next_line(rest, &text); i++) {
        struct line line;
        if (!read_line(text, &line)) {
            ts_buf_str(&work->unreadable, text);
            ts_buf_char(&work->unreadable, '\n');
            work->unreadable_count++;
        } else if (!add_line(work, &line)) {
            return false;
        }
    }
    return true;
}

enum ts_status ts_usage_compact_text(struct ts_str log, struct ts_buf *out, bool *fewer, struct ts_error *error)
{
    size_t lines = 0;
    struct ts_str rest = log, line;
    while (next_line(&rest, &line))
        lines++;
    struct compaction work = {.groups = {0}};
    ts_arena_init(&work.arena, 0);
    ts_map_init(&work.index);
    ts_buf_init(&work.key, 0);
    ts_buf_init(&work.unreadable, 0);
    rest = log;
    bool good = gather(&work, &rest, lines / 2) && write_groups(&work, out);
    ts_buf_str(out, ts_buf_view(&work.unreadable));
    ts_buf_str(out, rest);
    good = good && !out->failed && !work.unreadable.failed;
    if (good)
        *fewer = work.groups.count + work.unreadable_count < lines / 2;
    free_compaction(&work);
    return good ? TS_OK : ts_error_no_memory(error);
}

/* ---- the file ---- */

/* Everything from the descriptor's place to the end of the file, appended to out. */
static enum ts_status read_rest(int fd, const char *path, struct ts_buf *out, struct ts_error *error)
{
    char block[16384];
    for (;;) {
        ssize_t got = read(fd, block, sizeof block);
        if (got == 0)
            return ts_buf_status(out, error);
        if (got > 0)
            ts_buf_add(out, block, (size_t)got);
        else if (errno != EINTR)
            return ts_error_system(error, path, "read", errno);
        if (out->failed)
            return ts_buf_status(out, error);
    }
}

static bool write_all(int fd, struct ts_str text)
{
    while (text.len > 0) {
        ssize_t wrote = write(fd, text.ptr, text.len);
        if (wrote < 0 && errno != EINTR)
            return false;
        if (wrote > 0)
            text = ts_str_sub(text, (size_t)wrote, text.len);
    }
    return true;
}

/* Put text where the log is. Lines that other servers appended since it was read are taken along. */
static enum ts_status replace(const char *path, int log, struct ts_buf *text, struct ts_error *error)
{
    char *beside;
    if (asprintf(&beside, "%s.compacting", path) < 0)
        return ts_error_no_memory(error);
    enum ts_status status = TS_OK;
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        status = ts_error_system(error, beside, "write", errno);
    } else {
        bool good = write_all(fd, ts_buf_view(text));
        ts_buf_clear(text);
        if (good)
            status = read_rest(log, path, text, error);
        good = good && !status && write_all(fd, ts_buf_view(text));
        good = close(fd) == 0 && good;
        if (!status && !(good && rename(beside, path) == 0))
            status = ts_error_system(error, beside, "write", errno);
        if (status)
            unlink(beside);
    }
    free(beside);
    return status;
}

static enum ts_status compact_file(const char *path, struct ts_error *error)
{
    int log = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (log < 0)
        return ts_error_system(error, path, "read", errno);
    struct stat about;
    enum ts_status status = TS_OK;
    /* Another process may have been faster; and what no server can have written is left alone. */
    bool due = fstat(log, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > TS_LIMIT_USAGE_LOG &&
               about.st_size <= LARGEST_READ;
    struct ts_buf text, shorter;
    ts_buf_init(&text, 0);
    ts_buf_init(&shorter, 0);
    bool fewer = false;
    if (due)
        status = read_rest(log, path, &text, error);
    if (due && !status)
        status = ts_usage_compact_text(ts_buf_view(&text), &shorter, &fewer, error);
    if (fewer && !status)
        status = replace(path, log, &shorter, error);
    ts_buf_free(&text);
    ts_buf_free(&shorter);
    close(log);
    return status;
}

enum ts_status ts_usage_compact(const char *folder, struct ts_error *error)
{
    char *path, *lock;
    if (asprintf(&path, "%s/events.log", folder) < 0)
        return ts_error_no_memory(error);
    if (asprintf(&lock, "%s/.compaction.lock", folder) < 0) {
        free(path);
        return ts_error_no_memory(error);
    }
    enum ts_status status = TS_OK;
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        status = ts_error_system(error, lock, "open", errno);
    else if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        status = compact_file(path, error);
    else if (errno != EWOULDBLOCK)
        status = ts_error_system(error, lock, "lock", errno);
    if (fd >= 0)
        close(fd);
    free(path);
    free(lock);
    return status;
}
