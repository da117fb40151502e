#include "models/capture_files.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"

static const char *const suffixes[] = {"", ".gz", ".zst"};
enum { SUFFIX_COUNT = 3, FIRST_LINE_LOOK = 4096 };

static char *join(const char *directory, struct ts_str name, const char *suffix)
{
    struct ts_buf path;
    ts_buf_init(&path, 0);
    ts_buf_text(&path, directory);
    ts_buf_char(&path, '/');
    ts_buf_str(&path, name);
    ts_buf_text(&path, suffix);
    if (path.failed)
        ts_buf_free(&path);
    return path.ptr;
}

/* name without the suffix of a compression; *which is that suffix's number. */
static struct ts_str plain_name(struct ts_str name, unsigned *which)
{
    for (unsigned i = SUFFIX_COUNT - 1; i > 0; i--) {
        struct ts_str suffix = ts_str_from(suffixes[i]);
        if (ts_str_ends_with(name, suffix)) {
            *which = i;
            return ts_str_sub(name, 0, name.len - suffix.len);
        }
    }
    *which = 0;
    return name;
}

/* Whether a failure only says that something is not there or cannot be read, and not that the call must end. */
static bool is_unreadable(enum ts_status status)
{
    return status == TS_INPUT || status == TS_IO || status == TS_REFUSED || status == TS_BUSY;
}

/* ---- the operations CSV ---- */

static bool is_ops_csv_name(struct ts_str plain)
{
    if (ts_str_is(plain, "ops_perf_results.csv"))
        return true;
    return ts_str_starts_with(plain, TS_STR("ops_perf_results_")) && ts_str_ends_with(plain, TS_STR(".csv"));
}

struct search {
    struct ts_context *context;
    const char *directory;
    char *newest;
    struct ts_identity identity;
};

struct passed_over {
    struct ts_context *context;
    const char *directory;
    const char *name; /* NULL: that of any operations CSV */
    struct ts_error *reason;
};

/* Whether the file is there with one of the suffixes before `which`, which are preferred. */
static enum ts_status has_preferred(struct search *search, struct ts_str plain, unsigned which, bool *out,
                                    struct ts_error *error)
{
    *out = false;
    for (unsigned i = 0; i < which && !*out; i++) {
        char *path = join(search->directory, plain, suffixes[i]);
        if (!path)
            return ts_error_no_memory(error);
        struct ts_identity identity;
        enum ts_status status = ts_file_identity(search->context, path, &identity, out, error);
        free(path);
        if (status != TS_OK)
            return status;
    }
    return TS_OK;
}

static enum ts_status consider(void *data, const char *name, struct ts_error *error)
{
    struct search *search = data;
    unsigned which;
    struct ts_str plain = plain_name(ts_str_from(name), &which);
    if (!is_ops_csv_name(plain))
        return TS_OK;
    bool preferred;
    enum ts_status status = has_preferred(search, plain, which, &preferred, error);
    if (status != TS_OK || preferred)
        return status;
    char *path = join(search->directory, plain, suffixes[which]);
    if (!path)
        return ts_error_no_memory(error);
    struct ts_identity identity;
    bool found;
    status = ts_file_identity(search->context, path, &identity, &found, error);
    /* Names come sorted, so of equal times the last one stays. */
    if (status == TS_OK && found && (!search->newest || identity.ctime_ns >= search->identity.ctime_ns)) {
        free(search->newest);
        search->newest = path;
        search->identity = identity;
        return TS_OK;
    }
    free(path);
    return status;
}

/* The first entry of that name that is no file, and why it is none. */
static enum ts_status note_passed_over(void *data, const char *name, struct ts_error *error)
{
    struct passed_over *passed = data;
    unsigned which;
    struct ts_str plain = plain_name(ts_str_from(name), &which);
    bool meant = passed->name ? ts_str_is(plain, passed->name) : is_ops_csv_name(plain);
    if (passed->reason->code || !meant)
        return TS_OK;
    char *path = join(passed->directory, ts_str_from(name), "");
    if (!path)
        return ts_error_no_memory(error);
    int fd;
    enum ts_status status = ts_file_open(passed->context, path, &fd, NULL, passed->reason);
    if (status == TS_OK)
        close(fd);
    free(path);
    return status == TS_NO_MEMORY ? ts_error_no_memory(error) : TS_OK;
}

enum ts_status ts_capture_files_passed_over(struct ts_context *context, const char *directory, const char *name,
                                            struct ts_error *reason, struct ts_error *error)
{
    struct passed_over passed = {context, directory, name, reason};
    reason->code = TS_OK;
    reason->message[0] = '\0';
    enum ts_status status = ts_directory_list(context, directory, note_passed_over, &passed, error);
    return is_unreadable(status) ? TS_OK : status;
}

enum ts_status ts_capture_files_csv(struct ts_context *context, const char *directory, char **out,
                                    struct ts_identity *identity, struct ts_error *error)
{
    struct search search = {.context = context, .directory = directory};
    enum ts_status status = ts_directory_list(context, directory, consider, &search, error);
    if (status != TS_OK) {
        free(search.newest);
        return status;
    }
    *out = search.newest;
    *identity = search.identity;
    return TS_OK;
}

/* ---- other files ---- */

enum ts_status ts_capture_files_named(struct ts_context *context, const char *directory, const char *name,
                                      bool compressed, char **out, struct ts_error *error)
{
    for (unsigned i = 0; i < (compressed ? SUFFIX_COUNT : 1u); i++) {
        char *path = join(directory, ts_str_from(name), suffixes[i]);
        if (!path)
            return ts_error_no_memory(error);
        struct ts_identity identity;
        bool found;
        enum ts_status status = ts_file_identity(context, path, &identity, &found, error);
        if (status == TS_OK && found) {
            *out = path;
            return TS_OK;
        }
        free(path);
        if (status != TS_OK)
            return status;
    }
    *out = NULL;
    return TS_OK;
}

static struct ts_str last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return ts_str_from(slash ? slash + 1 : path);
}

/* The first line is either "ARCH: ..., CHIP_FREQ[MHz]: ..." or already the header of the log. */
static bool looks_like_log(struct ts_str text)
{
    size_t end = ts_str_find(text, TS_STR("\n"), 0);
    struct ts_str line = ts_str_sub(text, 0, end == (size_t)-1 ? text.len : end);
    return ts_str_starts_with(line, TS_STR("ARCH:")) || ts_str_contains(line, TS_STR("CHIP_FREQ[MHz]")) ||
           ts_str_contains(line, TS_STR("PCIe slot"));
}

enum ts_status ts_capture_files_is_device_log(struct ts_context *context, const char *path, bool *out,
                                              struct ts_error *error)
{
    unsigned which;
    struct ts_str name = plain_name(last_component(path), &which);
    if (ts_str_starts_with(name, TS_STR("profile_log_device")) && ts_str_ends_with(name, TS_STR(".csv"))) {
        *out = true;
        return TS_OK;
    }
    struct ts_reader *reader;
    enum ts_status status = ts_reader_open(context, path, &reader, error);
    char block[FIRST_LINE_LOOK];
    size_t len = 0, got = 1;
    if (status == TS_OK) {
        while (status == TS_OK && got > 0 && len < sizeof block) {
            status = ts_reader_read(reader, block + len, sizeof block - len, &got, error);
            len += status == TS_OK ? got : 0;
        }
        ts_reader_close(reader);
    }
    if (status != TS_OK && !is_unreadable(status))
        return status;
    *out = looks_like_log((struct ts_str){block, len});
    return TS_OK;
}

char *ts_capture_files_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}
