/* Streams over files: plain, gzip and zstd. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/file.h"
#include "base/limits.h"

#define INPUT_SIZE (256 * TS_KIB)
/* Most bytes of one read, so that the context is asked often enough. */
#define READ_MAX (4 * TS_MIB)

enum packing { PLAIN, GZIP, ZSTD };

struct ts_reader {
    struct ts_context *context;
    char *path;
    char doing[256]; /* what progress says */
    struct ts_identity identity;
    enum packing packing;
    int fd;                /* -1: memory is the source */
    struct ts_str memory;  /* what is not yet taken of it */
    uint64_t taken;        /* bytes read from the source */
    uint64_t given;        /* bytes handed to the caller */
    unsigned char head[4]; /* the first of them */

    /* Compressed streams only. */
    unsigned char *input;
    size_t input_at, input_end;
    bool input_over;  /* the source has ended */
    bool inside;      /* a member or frame has begun and not ended */
    uint64_t members; /* members or frames that have ended */
    bool padding;     /* only zeros may follow */
    bool inflating;   /* z has been set up */
    z_stream z;
    ZSTD_DCtx *zstd;
};

/* ---- the source ---- */

static enum ts_status read_source(struct ts_reader *reader, void *buffer, size_t capacity, size_t *got,
                                  struct ts_error *error)
{
    if (capacity > READ_MAX)
        capacity = READ_MAX;
    if (reader->fd < 0) {
        *got = reader->memory.len < capacity ? reader->memory.len : capacity;
        if (*got > 0)
            memcpy(buffer, reader->memory.ptr, *got);
        reader->memory = ts_str_sub(reader->memory, *got, reader->memory.len);
    } else {
        ssize_t count;
        do
            count = read(reader->fd, buffer, capacity);
        while (count < 0 && errno == EINTR && !atomic_load(&reader->context->cancelled));
        if (count < 0)
            return errno == EINTR ? ts_context_check(reader->context, error)
                                  : ts_error_system(error, reader->path, "read", errno);
        *got = (size_t)count;
    }
    reader->taken += *got;
    return TS_OK;
}

static size_t input_left(const struct ts_reader *reader)
{
    return reader->input_end - reader->input_at;
}

/* Have compressed bytes at hand unless the source has ended. */
static enum ts_status fill_input(struct ts_reader *reader, struct ts_error *error)
{
    if (input_left(reader) > 0 || reader->input_over)
        return TS_OK;
    size_t got;
    enum ts_status status = read_source(reader, reader->input, INPUT_SIZE, &got, error);
    if (status != TS_OK)
        return status;
    reader->input_at = 0;
    reader->input_end = got;
    reader->input_over = got == 0;
    return TS_OK;
}

/* ---- failures ---- */

static const char *packing_name(const struct ts_reader *reader)
{
    return reader->packing == GZIP ? "gzip" : "zstd";
}

static enum ts_status damaged(const struct ts_reader *reader, const char *reason, struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_INPUT,
                        "%s: damaged %s data after %" PRIu64 " decompressed bytes (compressed byte %" PRIu64
                        "): %s; copy or compress the file again",
                        ts_error_quote(&quote, ts_str_from(reader->path), TS_QUOTE_FILE), packing_name(reader),
                        reader->given, reader->taken - input_left(reader), reason);
}

static enum ts_status cut(const struct ts_reader *reader, struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_INPUT,
                        "%s: the %s data end in the middle, after %" PRIu64
                        " decompressed bytes (compressed byte %" PRIu64 "); the file was cut short, copy it again",
                        ts_error_quote(&quote, ts_str_from(reader->path), TS_QUOTE_FILE), packing_name(reader),
                        reader->given, reader->taken);
}

/* ---- gzip ---- */

/* Between two members: the next one's first byte, zeros (tape and disk block padding), or the end. */
static enum ts_status begin_member(struct ts_reader *reader, struct ts_error *error)
{
    while (reader->members > 0 && input_left(reader) > 0 && reader->input[reader->input_at] == 0) {
        reader->padding = true;
        reader->input_at++;
    }
    if (input_left(reader) == 0)
        return TS_OK;
    if (reader->padding)
        return damaged(reader, "something follows the padding behind its end", error);
    if (reader->members > 0 && inflateReset(&reader->z) != Z_OK)
        return ts_error_set(error, TS_INTERNAL, "%s: zlib cannot begin another member", reader->path);
    reader->inside = true;
    return TS_OK;
}

static enum ts_status inflate_some(struct ts_reader *reader, void *buffer, size_t capacity, size_t *got,
                                   struct ts_error *error)
{
    if (!reader->inside) {
        enum ts_status status = begin_member(reader, error);
        if (status != TS_OK || !reader->inside)
            return status;
    }
    z_stream *z = &reader->z;
    z->next_in = reader->input + reader->input_at;
    z->avail_in = (uInt)input_left(reader);
    z->next_out = buffer;
    z->avail_out = (uInt)capacity;
    int result = inflate(z, Z_NO_FLUSH);
    reader->input_at = reader->input_end - z->avail_in;
    *got = capacity - z->avail_out;
    switch (result) {
    case Z_STREAM_END:
        reader->inside = false;
        reader->members++;
        return TS_OK;
    case Z_OK:
    case Z_BUF_ERROR: /* needs more input */
        return TS_OK;
    case Z_MEM_ERROR:
        return ts_error_no_memory(error);
    default:
        return damaged(reader, z->msg ? z->msg : "it cannot be decoded", error);
    }
}

/* ---- zstd ---- */

static enum ts_status unpack_some(struct ts_reader *reader, void *buffer, size_t capacity, size_t *got,
                                  struct ts_error *error)
{
    ZSTD_inBuffer in = {reader->input, reader->input_end, reader->input_at};
    ZSTD_outBuffer out = {buffer, capacity, 0};
    size_t hint = ZSTD_decompressStream(reader->zstd, &out, &in);
    if (ZSTD_isError(hint)) {
        switch (ZSTD_getErrorCode(hint)) {
        case ZSTD_error_memory_allocation:
            return ts_error_no_memory(error);
        case ZSTD_error_frameParameter_windowTooLarge:
            return damaged(reader, "its window is larger than 128 MiB (compressed with --long or --ultra)", error);
        default:
            return damaged(reader, ZSTD_getErrorName(hint), error);
        }
    }
    reader->input_at = in.pos;
    *got = out.pos;
    /* 0: a frame has ended and all of it came out. */
    reader->inside = hint != 0;
    if (hint == 0)
        reader->members++;
    return TS_OK;
}

/* ---- opening ---- */

static enum packing packing_of(const char *name)
{
    struct ts_str text = ts_str_from(name);
    return ts_str_ends_with(text, TS_STR(".gz")) ? GZIP : ts_str_ends_with(text, TS_STR(".zst")) ? ZSTD : PLAIN;
}

static enum ts_status set_up(struct ts_reader *reader, const char *path, struct ts_error *error)
{
    struct ts_quote quote;
    const char *slash = strrchr(path, '/');
    reader->path = strdup(path);
    if (!reader->path)
        return ts_error_no_memory(error);
    snprintf(reader->doing, sizeof reader->doing, "reading %s",
             ts_error_quote(&quote, ts_str_from(slash ? slash + 1 : path), TS_QUOTE_ARGUMENT));
    reader->packing = packing_of(path);
    if (reader->packing == PLAIN)
        return TS_OK;
    reader->input = malloc(INPUT_SIZE);
    if (!reader->input)
        return ts_error_no_memory(error);
    if (reader->packing == GZIP)
        reader->inflating = inflateInit2(&reader->z, MAX_WBITS + 16) == Z_OK;
    else
        reader->zstd = ZSTD_createDCtx();
    return reader->inflating || reader->zstd ? TS_OK : ts_error_no_memory(error);
}

static struct ts_reader *new_reader(struct ts_context *context)
{
    struct ts_reader *reader = calloc(1, sizeof *reader);
    if (reader) {
        reader->context = context;
        reader->fd = -1;
    }
    return reader;
}

enum ts_status ts_reader_open(struct ts_context *context, const char *path, struct ts_reader **out,
                              struct ts_error *error)
{
    struct ts_reader *reader = new_reader(context);
    if (!reader)
        return ts_error_no_memory(error);
    enum ts_status status = ts_file_open(context, path, &reader->fd, &reader->identity, error);
    if (status == TS_OK)
        status = set_up(reader, path, error);
    if (status != TS_OK) {
        ts_reader_close(reader);
        return status;
    }
    /* A hint only: without it reading is slower. */
    (void)posix_fadvise(reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    *out = reader;
    return TS_OK;
}

enum ts_status ts_reader_open_memory(struct ts_context *context, const char *name, struct ts_str bytes,
                                     struct ts_reader **out, struct ts_error *error)
{
    struct ts_reader *reader = new_reader(context);
    if (!reader)
        return ts_error_no_memory(error);
    reader->memory = bytes;
    reader->identity.size = bytes.len;
    enum ts_status status = set_up(reader, name, error);
    if (status != TS_OK) {
        ts_reader_close(reader);
        return status;
    }
    *out = reader;
    return TS_OK;
}

void ts_reader_close(struct ts_reader *reader)
{
    if (!reader)
        return;
    if (reader->fd >= 0)
        close(reader->fd);
    if (reader->inflating)
        inflateEnd(&reader->z);
    ZSTD_freeDCtx(reader->zstd);
    free(reader->input);
    free(reader->path);
    free(reader);
}

/* ---- reading ---- */

/* Decompress until something came out or the stream has ended. Every turn takes input, gives output or ends. */
static enum ts_status read_packed(struct ts_reader *reader, void *buffer, size_t capacity, size_t *got,
                                  struct ts_error *error)
{
    if (capacity > READ_MAX)
        capacity = READ_MAX;
    *got = 0;
    while (*got == 0) {
        enum ts_status status = fill_input(reader, error);
        if (status != TS_OK)
            return status;
        size_t left_before = input_left(reader);
        if (left_before > 0 || reader->inside)
            status = reader->packing == GZIP ? inflate_some(reader, buffer, capacity, got, error)
                                             : unpack_some(reader, buffer, capacity, got, error);
        if (status != TS_OK)
            return status;
        if (*got == 0 && left_before == 0 && reader->input_over) {
            if (reader->inside || reader->members == 0)
                return cut(reader, error);
            break;
        }
        status = ts_context_check(reader->context, error);
        if (status != TS_OK)
            return status;
    }
    return TS_OK;
}

enum ts_status ts_reader_read(struct ts_reader *reader, void *buffer, size_t capacity, size_t *got,
                              struct ts_error *error)
{
    size_t count = 0;
    enum ts_status status =
        ts_context_progress(reader->context, reader->taken, reader->identity.size, reader->doing, error);
    if (status == TS_OK && capacity > 0)
        status = reader->packing == PLAIN ? read_source(reader, buffer, capacity, &count, error)
                                          : read_packed(reader, buffer, capacity, &count, error);
    if (status != TS_OK)
        return status;
    for (uint64_t at = reader->given; at < sizeof reader->head && at - reader->given < count; at++)
        reader->head[at] = ((const unsigned char *)buffer)[at - reader->given];
    reader->given += count;
    *got = count;
    return TS_OK;
}

const char *ts_reader_guess(struct ts_str beginning)
{
    if (ts_str_starts_with(beginning, TS_STR("\x1f\x8b")))
        return "gzip data: decompress it, or end its name with .gz";
    if (ts_str_starts_with(beginning, TS_STR("\x28\xb5\x2f\xfd")))
        return "Zstandard data: decompress it, or end its name with .zst";
    if (ts_str_starts_with(beginning, TS_STR("\xff\xfe")) || ts_str_starts_with(beginning, TS_STR("\xfe\xff")))
        return "UTF-16 text: save it as UTF-8";
    return NULL;
}

const char *ts_reader_looks_like(const struct ts_reader *reader)
{
    return ts_reader_guess((struct ts_str){(const char *)reader->head, sizeof reader->head});
}

const char *ts_reader_path(const struct ts_reader *reader)
{
    return reader->path;
}

const struct ts_identity *ts_reader_identity(const struct ts_reader *reader)
{
    return &reader->identity;
}

enum ts_status ts_reader_unchanged(struct ts_reader *reader, struct ts_error *error)
{
    struct ts_quote quote;
    struct ts_identity now;
    bool found;
    if (reader->fd < 0)
        return TS_OK;
    /* By path, not by descriptor: a file that was replaced meanwhile is another capture's now. */
    enum ts_status status = ts_file_identity(reader->context, reader->path, &now, &found, error);
    if (status != TS_OK || (found && ts_identity_equal(&now, &reader->identity)))
        return status;
    return ts_error_set(error, TS_CHANGED,
                        "%s: the capture changed while it was being read; load it again once it is written",
                        ts_error_quote(&quote, ts_str_from(reader->path), TS_QUOTE_FILE));
}
