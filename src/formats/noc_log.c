#include "formats/noc_log.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST_BYTES = 65536 };

/* ---- the first lines ---- */

static const struct {
    const char *name;
    unsigned char column;
    bool needed;
} known[] = {
    {"PCIe slot", TS_NOC_LOG_SLOT, true},
    {"core_x", TS_NOC_LOG_X, true},
    {"core_y", TS_NOC_LOG_Y, true},
    {"RISC processor type", TS_NOC_LOG_RISC, true},
    {"timer_id", TS_NOC_LOG_ID, true},
    {"time[cycles since reset]", TS_NOC_LOG_TIME, true},
    {"data", TS_NOC_LOG_DATA, true},
    {"run ID", TS_NOC_LOG_RUN, false},
    {"run host ID", TS_NOC_LOG_HOST, true},
    {"trace id", TS_NOC_LOG_TRACE, false},
    {"trace id counter", TS_NOC_LOG_TRACE_COUNT, false},
    {"zone name", TS_NOC_LOG_ZONE, true},
    {"type", TS_NOC_LOG_TYPE, true},
    {"meta data", TS_NOC_LOG_META, false},
};

static bool take_line(struct ts_str *rest, struct ts_str *line)
{
    const char *end = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;
    if (!end)
        return false;
    *line = (struct ts_str){rest->ptr, (size_t)(end - rest->ptr)};
    rest->ptr = end + 1;
    rest->len -= line->len + 1;
    return true;
}

static void read_arch(struct ts_noc_log *log, struct ts_str line)
{
    struct ts_str rest = line, piece;
    bool done = false;
    while (ts_str_split(&rest, ',', &piece, &done)) {
        size_t colon = ts_str_find(piece, TS_STR(":"), 0);
        if (colon == (size_t)-1 || !ts_str_is(ts_str_trim(ts_str_sub(piece, 0, colon)), "ARCH"))
            continue;
        struct ts_str value = ts_str_trim(ts_str_sub(piece, colon + 1, piece.len));
        size_t len = value.len < sizeof log->arch - 1 ? value.len : sizeof log->arch - 1;
        memcpy(log->arch, value.ptr, len);
        log->arch[len] = '\0';
    }
}

static enum ts_status read_columns(struct ts_noc_log *log, struct ts_str header, struct ts_error *error)
{
    struct ts_str rest = header, name;
    struct ts_quote quote;
    bool done = false, have[TS_NOC_LOG_COLUMNS] = {false};
    const char *path = ts_error_quote(&quote, ts_str_from(log->path), TS_QUOTE_FILE);
    while (ts_str_split(&rest, ',', &name, &done)) {
        if (log->column_count == TS_NOC_LOG_MOST_COLUMNS)
            return ts_error_set(error, TS_INPUT, "%s: has more than %d columns; is it a device log?", path,
                                TS_NOC_LOG_MOST_COLUMNS);
        unsigned char what = TS_NOC_LOG_OTHER;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (ts_str_is(ts_str_trim(name), known[i].name) && !have[known[i].column])
                what = known[i].column;
        have[what] = true;
        log->columns[log->column_count++] = what;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].needed && !have[known[i].column])
            return ts_error_set(
                error, TS_INPUT,
                "%s: the device log has no column \"%s\"; NoC events are in the logs of tt-metal from 2025 on", path,
                known[i].name);
    log->quick = log->columns[0] == TS_NOC_LOG_SLOT && log->columns[1] == TS_NOC_LOG_X &&
                 log->columns[2] == TS_NOC_LOG_Y && log->columns[3] == TS_NOC_LOG_RISC;
    log->quick_data = log->quick && log->column_count > 7 && log->columns[4] == TS_NOC_LOG_ID &&
                      log->columns[5] == TS_NOC_LOG_TIME && log->columns[6] == TS_NOC_LOG_DATA;
    log->has_runs = have[TS_NOC_LOG_RUN];
    return TS_OK;
}

static enum ts_status read_head(struct ts_noc_log *log, struct ts_error *error)
{
    struct ts_quote quote;
    struct ts_str line, rest;
    char *bytes = malloc(FIRST_BYTES);
    ssize_t got = -1;
    if (!bytes)
        return ts_error_no_memory(error);
    do
        got = pread(log->fd, bytes, FIRST_BYTES, 0);
    while (got < 0 && errno == EINTR);
    enum ts_status status = got < 0 ? ts_error_system(error, log->path, "read", errno) : TS_OK;
    rest = (struct ts_str){bytes, got > 0 ? (size_t)got : 0};
    bool header = false;
    while (status == TS_OK && !header && take_line(&rest, &line)) {
        header = ts_str_contains(line, TS_STR("PCIe slot"));
        if (header)
            status = read_columns(log, line, error);
        else
            read_arch(log, line);
    }
    if (status == TS_OK && !header)
        status = ts_error_set(error, TS_INPUT,
                              "%s: is no device log: no line among its first names the column \"PCIe slot\"",
                              ts_error_quote(&quote, ts_str_from(log->path), TS_QUOTE_FILE));
    log->begin = (uint64_t)(rest.ptr - bytes);
    free(bytes);
    return status;
}

enum ts_status ts_noc_log_open(struct ts_context *context, const char *path, struct ts_noc_log **out,
                               struct ts_error *error)
{
    struct ts_quote quote;
    struct ts_str name = ts_str_from(path);
    if (ts_str_ends_with(name, TS_STR(".gz")) || ts_str_ends_with(name, TS_STR(".zst")))
        return ts_error_set(error, TS_INPUT,
                            "%s: is compressed; decompress it first, since pieces of it are read again",
                            ts_error_quote(&quote, name, TS_QUOTE_FILE));
    struct ts_noc_log *log = calloc(1, sizeof *log);
    if (!log)
        return ts_error_no_memory(error);
    log->context = context;
    log->fd = -1;
    log->path = strdup(path);
    enum ts_status status =
        log->path ? ts_file_open(context, path, &log->fd, &log->identity, error) : ts_error_no_memory(error);
    if (status == TS_OK)
        status = read_head(log, error);
    if (status != TS_OK) {
        ts_noc_log_close(log);
        return status;
    }
    *out = log;
    return TS_OK;
}

void ts_noc_log_close(struct ts_noc_log *log)
{
    if (!log)
        return;
    if (log->fd >= 0)
        close(log->fd);
    free(log->path);
    free(log);
}

enum ts_status ts_noc_log_unchanged(const struct ts_noc_log *log, struct ts_error *error)
{
    struct ts_identity now;
    struct ts_quote quote;
    enum ts_status status = ts_file_identity_fd(log->fd, log->path, &now, error);
    if (status == TS_OK && (now.size != log->identity.size || now.mtime_ns != log->identity.mtime_ns))
        status = ts_error_set(error, TS_CHANGED, "%s: was changed while it was read; decode it again when it is whole",
                              ts_error_quote(&quote, ts_str_from(log->path), TS_QUOTE_FILE));
    return status;
}
