#include "formats/device_log_source.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "formats/device_log_rows.h"

#define BLOCK_SIZE (256 * TS_KIB)
/* Read behind a range of a file, where its last line ends. */
#define TAIL_SIZE ((size_t)2048)
/* Of a line that is not over yet, what must be there for its fields to be told. */
#define LINE_ENOUGH (TS_LIMIT_LOG_LINE + 2)

struct ts_log_source {
    struct ts_context *context;
    char *path;
    char doing[256]; /* what progress says */
    size_t block;
    uint64_t rows_at; /* where the lines behind the header begin */
    struct ts_buf first_text;
    struct ts_log_first_lines first;
    struct ts_identity identity;
    atomic_uint_fast64_t done, total; /* of the bytes of the file, for progress */
    atomic_uint_fast64_t bad_byte;
    atomic_bool has_rows;

    /* A plain file. */
    int fd; /* -1: a stream */
    atomic_uint_fast64_t next;

    /* A stream: one thread reads at a time. */
    struct ts_reader *reader;
    struct ts_context quiet; /* of the reader: it may report from any thread, so it reports here */
    pthread_mutex_t lock;
    struct ts_buf carry; /* read, and not given yet; begins a line unless skipping */
    bool skipping;       /* in the rest of a line that was given cut */
    bool over;           /* the stream has ended */
    uint64_t index;
    uint64_t checked;  /* bytes that are UTF-8 so far */
    char unchecked[4]; /* the beginning of a character at the end of what was read */
    size_t unchecked_count;
};

/* ---- pieces ---- */

void ts_log_piece_free(struct ts_log_piece *piece)
{
    free(piece->room);
    *piece = (struct ts_log_piece){.room = NULL};
}

/* Room for size bytes and the padding, what is there kept. */
static enum ts_status make_room(struct ts_log_piece *piece, size_t size, struct ts_error *error)
{
    if (piece->room && size <= piece->capacity)
        return TS_OK;
    char *room = realloc(piece->room, size + TS_LOG_PAD);
    if (!room)
        return ts_error_no_memory(error);
    piece->room = room;
    piece->capacity = size;
    return TS_OK;
}

static const char *last_newline(const char *bytes, size_t len)
{
    return len ? memrchr(bytes, '\n', len) : NULL;
}

static void note_rows(struct ts_log_source *source, const char *bytes, size_t len)
{
    if (atomic_load_explicit(&source->has_rows, memory_order_relaxed))
        return;
    if (ts_str_trim((struct ts_str){bytes, len}).len > 0)
        atomic_store(&source->has_rows, true);
}

static void note_bad_byte(struct ts_log_source *source, uint64_t offset)
{
    uint64_t known = atomic_load(&source->bad_byte);
    while (offset < known && !atomic_compare_exchange_weak(&source->bad_byte, &known, offset))
        ;
}

/* ---- ranges of a plain file ---- */

static enum ts_status cut_short(const struct ts_log_source *source, struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_CHANGED,
                        "%s: the file became shorter while it was being read; load it again once it is written",
                        ts_error_quote(&quote, ts_str_from(source->path), TS_QUOTE_FILE));
}

static enum ts_status read_at(struct ts_log_source *source, char *to, size_t len, uint64_t offset,
                              struct ts_error *error)
{
    while (len > 0) {
        ssize_t count = pread(source->fd, to, len, (off_t)offset);
        if (count < 0 && errno == EINTR) {
            enum ts_status status = ts_context_check(source->context, error);
            if (status != TS_OK)
                return status;
            continue;
        }
        if (count < 0)
            return ts_error_system(error, source->path, "read", errno);
        if (count == 0)
            return cut_short(source, error);
        to += count;
        len -= (size_t)count;
        offset += (uint64_t)count;
    }
    return TS_OK;
}

/* Bytes of a file from `from` on, which grow as its last line needs them. */
struct stretch {
    uint64_t from;
    size_t len;
};

static enum ts_status lengthen(struct ts_log_source *source, struct ts_log_piece *piece, struct stretch *stretch,
                               size_t len, struct ts_error *error)
{
    uint64_t left = source->identity.size - stretch->from;
    if (len > left)
        len = (size_t)left;
    enum ts_status status = make_room(piece, len, error);
    if (status == TS_OK)
        status = read_at(source, piece->room + stretch->len, len - stretch->len, stretch->from + stretch->len, error);
    if (status == TS_OK)
        stretch->len = len;
    return status;
}

/* How many continuation bytes stand at at: they belong to the range before. */
static size_t continued(const char *bytes, size_t at, size_t len)
{
    size_t count = 0;
    while (count < 3 && at + count < len && ((unsigned char)bytes[at + count] & 0xc0) == 0x80)
        count++;
    return count;
}

static void check_range(struct ts_log_source *source, const char *bytes, size_t from, size_t to, size_t len,
                        uint64_t offset)
{
    if (offset + from > source->rows_at)
        from += continued(bytes, from, len);
    to += continued(bytes, to, len);
    if (from >= to)
        return;
    size_t good = ts_utf8_valid_prefix((struct ts_str){bytes + from, to - from});
    if (good < to - from)
        note_bad_byte(source, offset + from + good);
}

/* The end of the lines that begin before `to`, whose last begins at or behind `line`. */
static enum ts_status find_end(struct ts_log_source *source, struct ts_log_piece *piece, struct stretch *stretch,
                               size_t line, size_t to, size_t *end, struct ts_error *error)
{
    size_t at = to - 1;
    const char *before = last_newline(piece->room + line, to - 1 - line);
    if (before)
        line = (size_t)(before - piece->room) + 1;
    for (;;) {
        const char *newline = memchr(piece->room + at, '\n', stretch->len - at);
        if (newline) {
            *end = (size_t)(newline - piece->room) + 1;
            return TS_OK;
        }
        at = stretch->len;
        if (stretch->from + stretch->len >= source->identity.size || at - line >= LINE_ENOUGH) {
            *end = at;
            return TS_OK;
        }
        enum ts_status status = lengthen(source, piece, stretch, stretch->len * 2 + TAIL_SIZE, error);
        if (status != TS_OK)
            return status;
    }
}

/* The lines that begin in the range of this index. */
static enum ts_status read_range(struct ts_log_source *source, struct ts_log_piece *piece, struct ts_error *error)
{
    uint64_t begin = source->rows_at + piece->index * source->block;
    uint64_t left = source->identity.size - begin;
    size_t before = piece->index > 0; /* the byte before tells whether a line begins with the range */
    struct stretch stretch = {.from = begin - before};
    size_t to = before + (left < source->block ? (size_t)left : source->block);
    enum ts_status status = lengthen(source, piece, &stretch, to + TAIL_SIZE, error);
    if (status != TS_OK)
        return status;
    check_range(source, piece->room, before, to, stretch.len, stretch.from);
    atomic_fetch_add_explicit(&source->done, to - before, memory_order_relaxed);
    piece->bytes = piece->room;
    piece->len = 0;
    size_t start = 0;
    if (before) {
        const char *newline = memchr(piece->room, '\n', to - 1);
        if (!newline)
            return TS_OK;
        start = (size_t)(newline - piece->room) + 1;
    }
    size_t end;
    status = find_end(source, piece, &stretch, start, to, &end, error);
    if (status != TS_OK)
        return status;
    piece->bytes = piece->room + start;
    piece->len = end - start;
    return TS_OK;
}

/* ---- stretches of a stream ---- */

static uint64_t always_now(void)
{
    return 1;
}

static void note_progress(void *data, uint64_t done, uint64_t total, const char *message)
{
    struct ts_log_source *source = data;
    (void)message;
    atomic_store_explicit(&source->done, done, memory_order_relaxed);
    atomic_store_explicit(&source->total, total, memory_order_relaxed);
}

/* Go on checking UTF-8 where the last bytes read ended. */
static void check_stream(struct ts_log_source *source, struct ts_str bytes)
{
    if (atomic_load_explicit(&source->bad_byte, memory_order_relaxed) != UINT64_MAX)
        return;
    while (source->unchecked_count > 0 && bytes.len > 0) {
        source->unchecked[source->unchecked_count++] = *bytes.ptr;
        bytes = ts_str_sub(bytes, 1, bytes.len);
        size_t good = ts_utf8_valid_prefix((struct ts_str){source->unchecked, source->unchecked_count});
        if (good > 0) {
            /* Its last byte ended the character, or was no part of it and ended nothing. */
            source->checked += good;
            source->unchecked_count = 0;
        } else if (source->unchecked_count == sizeof source->unchecked) {
            note_bad_byte(source, source->checked);
            return;
        }
    }
    size_t good = ts_utf8_valid_prefix(bytes);
    source->checked += good;
    bytes = ts_str_sub(bytes, good, bytes.len);
    if (bytes.len >= sizeof source->unchecked) {
        note_bad_byte(source, source->checked);
    } else if (bytes.len > 0) {
        memcpy(source->unchecked, bytes.ptr, bytes.len);
        source->unchecked_count = bytes.len;
    }
}

/* Append up to `wanted` bytes of the stream to what the piece holds. */
static enum ts_status pull(struct ts_log_source *source, struct ts_log_piece *piece, size_t *len, size_t wanted,
                           struct ts_error *error)
{
    enum ts_status status = ts_context_check(source->context, error);
    if (status == TS_OK)
        status = make_room(piece, *len + wanted, error);
    size_t got = 0;
    if (status == TS_OK)
        status = ts_reader_read(source->reader, piece->room + *len, wanted, &got, error);
    if (status != TS_OK)
        return status;
    check_stream(source, (struct ts_str){piece->room + *len, got});
    source->over = got == 0;
    if (source->over && source->unchecked_count > 0)
        note_bad_byte(source, source->checked);
    *len += got;
    return TS_OK;
}

/* Drop what is left of a line that was given cut. */
static void skip_line(struct ts_log_source *source, char *bytes, size_t *len)
{
    const char *newline = *len ? memchr(bytes, '\n', *len) : NULL;
    size_t drop = newline ? (size_t)(newline - bytes) + 1 : *len;
    memmove(bytes, bytes + drop, *len - drop);
    *len -= drop;
    source->skipping = !newline;
}

static enum ts_status read_stretch(struct ts_log_source *source, struct ts_log_piece *piece, struct ts_error *error)
{
    size_t len = source->carry.len, cut = 0;
    enum ts_status status = make_room(piece, len > source->block ? len : source->block, error);
    if (status != TS_OK)
        return status;
    memcpy(piece->room, source->carry.ptr ? source->carry.ptr : "", len);
    ts_buf_clear(&source->carry);
    for (;;) {
        if (source->skipping)
            skip_line(source, piece->room, &len);
        const char *newline = len >= source->block ? last_newline(piece->room, len) : NULL;
        cut = newline ? (size_t)(newline - piece->room) + 1 : len;
        if (newline || source->over)
            break;
        if (len >= source->block && len >= LINE_ENOUGH) {
            source->skipping = true;
            break;
        }
        size_t wanted = len < source->block ? source->block - len : source->block;
        status = pull(source, piece, &len, wanted, error);
        if (status != TS_OK)
            return status;
    }
    ts_buf_add(&source->carry, piece->room + cut, len - cut);
    piece->bytes = piece->room;
    piece->len = cut;
    return ts_buf_status(&source->carry, error);
}

static enum ts_status next_stretch(struct ts_log_source *source, struct ts_log_piece *piece, bool *more,
                                   struct ts_error *error)
{
    enum ts_status status = TS_OK;
    pthread_mutex_lock(&source->lock);
    *more = !source->over || source->carry.len > 0;
    if (*more) {
        piece->index = source->index++;
        status = read_stretch(source, piece, error);
    }
    pthread_mutex_unlock(&source->lock);
    return status;
}

static enum ts_status next_range(struct ts_log_source *source, struct ts_log_piece *piece, bool *more,
                                 struct ts_error *error)
{
    uint64_t size = source->identity.size, rows = size > source->rows_at ? size - source->rows_at : 0;
    piece->index = atomic_fetch_add(&source->next, 1);
    *more = piece->index < rows / source->block + (rows % source->block > 0);
    return *more ? read_range(source, piece, error) : TS_OK;
}

enum ts_status ts_log_source_next(struct ts_log_source *source, struct ts_log_piece *piece, bool *more,
                                  struct ts_error *error)
{
    enum ts_status status = ts_context_check(source->context, error);
    if (status == TS_OK)
        status = source->fd >= 0 ? next_range(source, piece, more, error) : next_stretch(source, piece, more, error);
    if (status == TS_OK && *more)
        note_rows(source, piece->bytes, piece->len);
    return status;
}

/* ---- the first lines ---- */

static enum ts_status line_too_long(const struct ts_log_source *source, struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_LIMIT,
                        "%s: the first lines are longer than %zu bytes; a device log begins with a short line such as "
                        "\"ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\" and one that names its columns",
                        ts_error_quote(&quote, ts_str_from(source->path), TS_QUOTE_FILE), TS_LIMIT_LOG_HEADER);
}

/* The line at *at without its end. False when it may go on behind the text. */
static bool take_line(struct ts_str text, bool all, size_t *at, struct ts_str *line)
{
    const char *newline = *at < text.len ? memchr(text.ptr + *at, '\n', text.len - *at) : NULL;
    if (!newline && !all)
        return false;
    size_t end = newline ? (size_t)(newline - text.ptr) : text.len;
    *line = ts_str_sub(text, *at, end - *at);
    *at = newline ? end + 1 : end;
    if (line->len > 0 && line->ptr[line->len - 1] == '\r')
        line->len--;
    return true;
}

/* Find the first lines in the beginning of the log. False when more of it is needed. */
static bool find_first_lines(struct ts_log_source *source, struct ts_str text, bool all)
{
    struct ts_log_first_lines first = {.metadata = {NULL, 0}};
    struct ts_str line;
    size_t at = 0;
    if (!take_line(text, all, &at, &line))
        return false;
    if (ts_device_log_is_header(line)) {
        first.header = line;
    } else {
        first.metadata = line;
        while (!first.header.ptr && at < text.len) {
            if (!take_line(text, all, &at, &line))
                return false;
            if (ts_str_trim(line).len > 0)
                first.header = line;
        }
        if (!first.header.ptr && !all)
            return false;
    }
    source->first = first;
    source->rows_at = at;
    return true;
}

/* More of the log's beginning into text. */
static enum ts_status read_more(struct ts_log_source *source, struct ts_buf *text, bool *all, struct ts_error *error)
{
    char block[4096];
    size_t got = sizeof block;
    enum ts_status status;
    if (source->fd < 0) {
        status = ts_reader_read(source->reader, block, sizeof block, &got, error);
        check_stream(source, (struct ts_str){block, got});
    } else {
        if (got > source->identity.size - text->len)
            got = (size_t)(source->identity.size - text->len);
        status = read_at(source, block, got, text->len, error);
    }
    *all = got == 0;
    if (status == TS_OK) {
        ts_buf_add(text, block, got);
        status = ts_buf_status(text, error);
    }
    return status;
}

/* What is packed or encoded in a way that its name does not tell has no lines to be looked for. */
static enum ts_status check_beginning(const struct ts_log_source *source, struct ts_str text, struct ts_error *error)
{
    struct ts_quote quote;
    const char *like = ts_reader_guess(text);
    return like ? ts_error_set(error, TS_INPUT, "%s: is no device log as it is; it looks like %s",
                               ts_error_quote(&quote, ts_str_from(source->path), TS_QUOTE_FILE), like)
                : TS_OK;
}

static enum ts_status read_first_lines(struct ts_log_source *source, struct ts_error *error)
{
    struct ts_buf *text = &source->first_text;
    bool all = false;
    enum ts_status status;
    do {
        status = read_more(source, text, &all, error);
        if (status == TS_OK)
            status = check_beginning(source, ts_buf_view(text), error);
        if (status != TS_OK)
            return status;
        if (find_first_lines(source, ts_buf_view(text), all))
            break;
        if (text->len > 2 * TS_LIMIT_LOG_HEADER)
            return line_too_long(source, error);
    } while (!all);
    struct ts_str read = ts_buf_view(text);
    source->over = all;
    if (source->fd < 0) {
        ts_buf_str(&source->carry, ts_str_sub(read, (size_t)source->rows_at, read.len));
        if (all && source->unchecked_count > 0)
            note_bad_byte(source, source->checked);
        return ts_buf_status(&source->carry, error);
    }
    size_t good = ts_utf8_valid_prefix(ts_str_sub(read, 0, (size_t)source->rows_at));
    if (good < source->rows_at)
        note_bad_byte(source, good);
    return TS_OK;
}

/* ---- opening ---- */

static enum ts_status new_source(struct ts_context *context, const char *path, size_t block, struct ts_log_source **out,
                                 struct ts_error *error)
{
    struct ts_log_source *source = calloc(1, sizeof *source);
    if (!source)
        return ts_error_no_memory(error);
    struct ts_quote quote;
    const char *slash = strrchr(path, '/');
    source->context = context;
    source->fd = -1;
    source->block = block ? block : BLOCK_SIZE;
    atomic_init(&source->bad_byte, UINT64_MAX);
    ts_buf_init(&source->first_text, 0);
    ts_buf_init(&source->carry, 0);
    pthread_mutex_init(&source->lock, NULL);
    ts_context_init(&source->quiet);
    source->quiet.roots = context->roots;
    source->quiet.now_ns = always_now;
    source->quiet.progress = note_progress;
    source->quiet.progress_data = source;
    snprintf(source->doing, sizeof source->doing, "reading %s",
             ts_error_quote(&quote, ts_str_from(slash ? slash + 1 : path), TS_QUOTE_ARGUMENT));
    source->path = strdup(path);
    if (!source->path) {
        ts_log_source_close(source);
        return ts_error_no_memory(error);
    }
    *out = source;
    return TS_OK;
}

static bool is_packed(const char *path)
{
    struct ts_str text = ts_str_from(path);
    return ts_str_ends_with(text, TS_STR(".gz")) || ts_str_ends_with(text, TS_STR(".zst"));
}

static enum ts_status open_file(struct ts_log_source *source, struct ts_error *error)
{
    if (!is_packed(source->path)) {
        enum ts_status status = ts_file_open(&source->quiet, source->path, &source->fd, &source->identity, error);
        atomic_store(&source->total, source->identity.size);
        return status;
    }
    enum ts_status status = ts_reader_open(&source->quiet, source->path, &source->reader, error);
    if (status == TS_OK)
        source->identity = *ts_reader_identity(source->reader);
    return status;
}

/* The rest of opening, where status is that of what came before; the source is the caller's, or gone. */
static enum ts_status finish_open(enum ts_status status, struct ts_log_source *source, struct ts_log_source **out,
                                  struct ts_error *error)
{
    if (status == TS_OK)
        status = read_first_lines(source, error);
    if (status == TS_OK)
        *out = source;
    else
        ts_log_source_close(source);
    return status;
}

enum ts_status ts_log_source_open(struct ts_context *context, const char *path, size_t block,
                                  struct ts_log_source **out, struct ts_error *error)
{
    struct ts_log_source *source;
    enum ts_status status = new_source(context, path, block, &source, error);
    if (status != TS_OK)
        return status;
    status = open_file(source, error);
    return finish_open(status, source, out, error);
}

enum ts_status ts_log_source_open_memory(struct ts_context *context, struct ts_str bytes, size_t block,
                                         struct ts_log_source **out, struct ts_error *error)
{
    struct ts_log_source *source;
    enum ts_status status = new_source(context, "profile_log_device.csv", block, &source, error);
    if (status != TS_OK)
        return status;
    status = ts_reader_open_memory(&source->quiet, source->path, bytes, &source->reader, error);
    return finish_open(status, source, out, error);
}

void ts_log_source_close(struct ts_log_source *source)
{
    if (!source)
        return;
    if (source->fd >= 0)
        close(source->fd);
    ts_reader_close(source->reader);
    pthread_mutex_destroy(&source->lock);
    ts_buf_free(&source->carry);
    ts_buf_free(&source->first_text);
    free(source->path);
    free(source);
}

/* ---- what it is ---- */

const struct ts_log_first_lines *ts_log_source_first_lines(const struct ts_log_source *source)
{
    return &source->first;
}

const char *ts_log_source_path(const struct ts_log_source *source)
{
    return source->path;
}

const struct ts_identity *ts_log_source_identity(const struct ts_log_source *source)
{
    return &source->identity;
}

enum ts_status ts_log_source_progress(struct ts_log_source *source, struct ts_error *error)
{
    uint64_t done = atomic_load_explicit(&source->done, memory_order_relaxed);
    uint64_t total = atomic_load_explicit(&source->total, memory_order_relaxed);
    return ts_context_progress(source->context, done, total, source->doing, error);
}

enum ts_status ts_log_source_unchanged(struct ts_log_source *source, struct ts_error *error)
{
    struct ts_quote quote;
    struct ts_identity now;
    bool found;
    if (source->reader)
        return ts_reader_unchanged(source->reader, error);
    enum ts_status status = ts_file_identity(source->context, source->path, &now, &found, error);
    if (status != TS_OK || (found && ts_identity_equal(&now, &source->identity)))
        return status;
    return ts_error_set(error, TS_CHANGED,
                        "%s: the capture changed while it was being read; load it again once it is written",
                        ts_error_quote(&quote, ts_str_from(source->path), TS_QUOTE_FILE));
}

uint64_t ts_log_source_bad_byte(const struct ts_log_source *source)
{
    return atomic_load(&source->bad_byte);
}

bool ts_log_source_has_rows(const struct ts_log_source *source)
{
    return atomic_load(&source->has_rows);
}
