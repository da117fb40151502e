#include "formats/noc_log.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/number.h"

enum { FIRST_BYTES = 65536, BLOCK = 262144 };

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

/* ---- rows ---- */

enum ts_status ts_noc_rows_begin(struct ts_noc_rows *rows, const struct ts_noc_log *log, uint64_t begin, uint64_t end,
                                 struct ts_error *error)
{
    if (!rows->buffer) {
        rows->buffer = malloc(BLOCK + 1);
        rows->capacity = BLOCK;
        if (!rows->buffer)
            return ts_error_no_memory(error);
    }
    rows->log = log;
    rows->at = rows->have = 0;
    rows->offset = begin;
    rows->end = end;
    rows->prefix_len = rows->suffix_len = 0;
    rows->filled = NULL;
    return TS_OK;
}

void ts_noc_rows_free(struct ts_noc_rows *rows)
{
    free(rows->buffer);
    rows->buffer = NULL;
}

/* More bytes behind those at hand. */
static enum ts_status fill(struct ts_noc_rows *rows, bool *more, struct ts_error *error)
{
    struct ts_quote quote;
    size_t rest = rows->have - rows->at;
    memmove(rows->buffer, rows->buffer + rows->at, rest);
    rows->at = 0;
    rows->have = rest;
    if (rest == rows->capacity) {
        if (rows->capacity >= TS_LIMIT_LOG_LINE)
            return ts_error_set(error, TS_LIMIT,
                                "%s: a line at byte %llu is longer than %zu bytes; is it a device log?",
                                ts_error_quote(&quote, ts_str_from(rows->log->path), TS_QUOTE_FILE),
                                (unsigned long long)(rows->offset - rest), (size_t)TS_LIMIT_LOG_LINE);
        char *grown = realloc(rows->buffer, 2 * rows->capacity + 1);
        if (!grown)
            return ts_error_no_memory(error);
        rows->buffer = grown;
        rows->capacity *= 2;
    }
    enum ts_status status = ts_context_check(rows->log->context, error);
    if (status != TS_OK)
        return status;
    size_t want = rows->capacity - rest;
    if (want > rows->end - rows->offset)
        want = (size_t)(rows->end - rows->offset);
    ssize_t got = 0;
    do
        got = pread(rows->log->fd, rows->buffer + rest, want, (off_t)rows->offset);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return ts_error_system(error, rows->log->path, "read", errno);
    rows->have += (size_t)got;
    rows->buffer[rows->have] = '\0'; /* ends a run of digits; there is room */
    rows->offset += (size_t)got;
    *more = got > 0;
    return TS_OK;
}

/* Digits up to a comma or the line's end; blanks around them pass. *p is left behind the comma. */
static inline bool take_number(const char **p, const char *end, uint64_t *out)
{
    const char *c = *p;
    uint64_t value = 0;
    while (c < end && *c == ' ')
        c++;
    const char *first = c;
    for (unsigned digit; c < end && (digit = (unsigned)(unsigned char)*c - '0') < 10; c++)
        value = 10 * value + digit;
    bool good = c > first;
    if (c - first > 19) {
        /* As many digits as may not fit. */
        good = ts_number_parse_u64((struct ts_str){first, (size_t)(c - first)}, &value);
    }
    while (c < end && *c == ' ')
        c++;
    if (c < end && *c != ',')
        return false;
    *p = c < end ? c + 1 : c + 1;
    *out = value;
    return good;
}

static inline struct ts_str take_text(const char **p, const char *end)
{
    const char *c = memchr(*p, ',', (size_t)(end - *p));
    struct ts_str text = {*p, (size_t)((c ? c : end) - *p)};
    *p = (c ? c : end) + 1;
    return text;
}

static bool type_of(struct ts_str text, unsigned *out)
{
    static const char *const names[] = {"ZONE_START", "ZONE_END", "ZONE_TOTAL", "TS_DATA", "TS_EVENT"};
    text = ts_str_trim(text);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ts_str_is(text, names[i])) {
            *out = i;
            return true;
        }
    return false;
}

static bool number_behind(struct ts_str text, const char *key, uint64_t *out)
{
    size_t at = ts_str_find(text, ts_str_from(key), 0);
    if (at == (size_t)-1)
        return false;
    at += strlen(key);
    size_t end = at;
    while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9')
        end++;
    return ts_number_parse_u64(ts_str_sub(text, at, end - at), out);
}

/* {"dst_addr":355287;"noc_status_counter":0;"src_addr":947956} */
static bool read_meta(struct ts_str meta, struct ts_noc_trailer *out)
{
    uint64_t to, from, counter;
    if (meta.len == 0 || !number_behind(meta, "\"dst_addr\":", &to) || !number_behind(meta, "\"src_addr\":", &from) ||
        !number_behind(meta, "\"noc_status_counter\":", &counter))
        return false;
    *out = (struct ts_noc_trailer){(uint32_t)(to & 0xFFFFFF), (uint32_t)(from & 0xFFFFFF), (uint32_t)(counter & 0xFFF)};
    return true;
}

static inline bool take_field(const struct ts_noc_rows *rows, unsigned column, const char **p, const char *end,
                              struct ts_noc_row *row, uint64_t *core)
{
    struct ts_str text;
    switch (rows->log->columns[column]) {
    case TS_NOC_LOG_SLOT:
        return take_number(p, end, &core[0]);
    case TS_NOC_LOG_X:
        return take_number(p, end, &core[1]);
    case TS_NOC_LOG_Y:
        return take_number(p, end, &core[2]);
    case TS_NOC_LOG_RISC:
        return ts_noc_risc_parse(ts_str_trim(take_text(p, end)), &row->risc);
    case TS_NOC_LOG_ID:
        return take_number(p, end, &row->id) && row->id < 0x80000;
    case TS_NOC_LOG_TIME:
        return take_number(p, end, &row->time) && row->time >> TS_NOC_TIME_BITS == 0;
    case TS_NOC_LOG_DATA:
        return take_number(p, end, &row->data);
    case TS_NOC_LOG_RUN:
        return take_number(p, end, &row->run);
    case TS_NOC_LOG_HOST:
        return take_number(p, end, &row->host);
    case TS_NOC_LOG_TRACE:
        if (*p < end && **p == ',') {
            ++*p;
            return true;
        }
        row->traced = true;
        return take_number(p, end, &row->trace);
    case TS_NOC_LOG_TRACE_COUNT:
        if (*p < end && **p == ',') {
            ++*p;
            return true;
        }
        return take_number(p, end, &row->trace_count);
    case TS_NOC_LOG_ZONE:
        row->zone = ts_str_trim(take_text(p, end));
        return true;
    case TS_NOC_LOG_TYPE:
        return type_of(take_text(p, end), &row->type);
    case TS_NOC_LOG_META:
        /* The last column: whatever commas a later tool puts into it belong to it. */
        text = (struct ts_str){*p, (size_t)(end - *p)};
        *p = end + 1;
        if (row->type == TS_NOC_DATA && read_meta(text, &row->trailer))
            row->type = TS_NOC_DATA16;
        return true;
    default:
        take_text(p, end);
        return true;
    }
}

static bool read_row(struct ts_noc_rows *rows, const char *p, const char *end, struct ts_noc_row *row)
{
    const char *begin = p;
    uint64_t core[3] = {0, 0, 0};
    unsigned column = 0;
    row->run = row->trace = row->trace_count = 0;
    row->traced = false;
    row->same_core =
        rows->prefix_len && (size_t)(end - p) > rows->prefix_len && memcmp(p, rows->prefix, rows->prefix_len) == 0;
    if (row->same_core) {
        p += rows->prefix_len;
        column = 4;
        row->slot = rows->slot;
        row->x = rows->x;
        row->y = rows->y;
        row->risc = rows->risc;
    }
    for (; column < rows->log->column_count; column++) {
        if (p > end || !take_field(rows, column, &p, end, row, core))
            return false;
        if (column == 3 && rows->log->quick && (size_t)(p - begin) <= sizeof rows->prefix) {
            rows->prefix_len = (size_t)(p - begin);
            memcpy(rows->prefix, begin, rows->prefix_len);
        }
    }
    if (!row->same_core) {
        if (core[0] > UINT32_MAX || core[1] > INT16_MAX || core[2] > INT16_MAX) {
            rows->prefix_len = 0;
            return false;
        }
        rows->slot = row->slot = core[0];
        rows->x = row->x = (int64_t)core[1];
        rows->y = row->y = (int64_t)core[2];
        rows->risc = row->risc;
    }
    return true;
}

static const char event_id[] = "12345,";
enum { EVENT_ID = sizeof event_id - 1, DIGITS = 19 };

/* Digits to the first other character; false past as many as surely fit. */
static inline bool take_digits(const char **p, uint64_t *out)
{
    const char *c = *p;
    uint64_t value = 0;
    for (unsigned digit; (digit = (unsigned)(unsigned char)*c - '0') < 10; c++)
        value = 10 * value + digit;
    bool good = c > *p && c - *p <= DIGITS;
    *p = c;
    *out = value;
    return good;
}

/* A row that is the one before but for time and data. False: it is to be read as any other. */
static inline bool read_alike(struct ts_noc_rows *rows, const char *line, size_t rest, struct ts_noc_row *row)
{
    const char *p = line + rows->prefix_len;
    uint64_t time, data;
    /* A byte behind those at hand ends any run of digits. */
    if (!rows->suffix_len || rest < rows->prefix_len + EVENT_ID + rows->suffix_len ||
        memcmp(line, rows->prefix, rows->prefix_len) != 0 || memcmp(p, event_id, EVENT_ID) != 0)
        return false;
    p += EVENT_ID;
    if (!take_digits(&p, &time) || *p++ != ',' || !take_digits(&p, &data))
        return false;
    if ((size_t)(line + rest - p) < rows->suffix_len || memcmp(p, rows->suffix, rows->suffix_len) != 0 ||
        time >> TS_NOC_TIME_BITS)
        return false;
    if (rows->filled != row) {
        *row = rows->last;
        rows->filled = row;
    }
    row->begin = rows->offset - rest;
    row->end = row->begin + (uint64_t)(p - line) + rows->suffix_len;
    row->time = time;
    row->data = data;
    rows->at += (size_t)(p - line) + rows->suffix_len;
    return true;
}

/* Note a plain event for the rows behind it. newline: where its line ends. */
static void note_event(struct ts_noc_rows *rows, const char *line, const char *newline, const struct ts_noc_row *row)
{
    rows->suffix_len = 0;
    rows->filled = NULL;
    if (!newline || !rows->log->quick_data || row->type != TS_NOC_DATA || row->id != TS_NOC_STATIC_ID ||
        row->zone.len || !rows->prefix_len)
        return;
    const char *p = line + rows->prefix_len;
    for (int commas = 0; commas < 2; commas++)
        p = (const char *)memchr(p, ',', (size_t)(newline - p)) + 1;
    while (p < newline && *p != ',')
        p++;
    if ((size_t)(newline + 1 - p) > sizeof rows->suffix)
        return;
    rows->suffix_len = (size_t)(newline + 1 - p);
    memcpy(rows->suffix, p, rows->suffix_len);
    rows->last = *row;
    rows->last.zone = (struct ts_str){"", 0};
    rows->last.same_core = rows->last.same_run = true;
}

enum ts_status ts_noc_rows_next(struct ts_noc_rows *rows, struct ts_noc_row *row, bool *found, struct ts_error *error)
{
    for (;;) {
        char *line = rows->buffer + rows->at;
        size_t rest = rows->have - rows->at;
        if (read_alike(rows, line, rest, row)) {
            *found = true;
            return TS_OK;
        }
        char *newline = rest ? memchr(line, '\n', rest) : NULL;
        if (!newline) {
            bool more = false;
            enum ts_status status = fill(rows, &more, error);
            if (status != TS_OK)
                return status;
            if (more)
                continue;
            rest = rows->have - rows->at;
            line = rows->buffer;
            if (rest == 0) {
                *found = false;
                return TS_OK;
            }
        }
        const char *end = newline ? newline : line + rest;
        row->begin = rows->offset - rest;
        row->end = row->begin + (uint64_t)(end - line) + (newline != NULL);
        rows->at += (size_t)(end - line) + (newline != NULL);
        if (end > line && end[-1] == '\r')
            end--;
        if (end == line)
            continue;
        row->same_run = false;
        if (read_row(rows, line, end, row)) {
            note_event(rows, line, newline, row);
            *found = true;
            return TS_OK;
        }
        rows->prefix_len = rows->suffix_len = 0;
        /* A second pass may have written the first lines again. */
        if (!ts_str_starts_with((struct ts_str){line, (size_t)(end - line)}, TS_STR("ARCH:")) &&
            !ts_str_starts_with((struct ts_str){line, (size_t)(end - line)}, TS_STR("PCIe slot")))
            rows->bad++;
    }
}
