#include "formats/noc_capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"

/* Places of the header and of a section's entry. */
enum { MAGIC_LEN = 8, HEADER = 24, ENTRY = 40 };
static const char magic[] = "TSPROF01";

static uint32_t u16_at(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32_at(const unsigned char *p)
{
    return u16_at(p) | u16_at(p + 2) << 16;
}

static uint64_t u64_at(const unsigned char *p)
{
    return u32_at(p) | (uint64_t)u32_at(p + 4) << 32;
}

bool ts_noc_capture_is(struct ts_str bytes)
{
    return bytes.len >= MAGIC_LEN && memcmp(bytes.ptr, magic, MAGIC_LEN) == 0;
}

static enum ts_status damaged(const struct ts_noc_capture *capture, struct ts_error *error, const char *what)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_INPUT, "%s: %s; the capture is cut off or damaged: collect or copy it again",
                        ts_error_quote(&quote, ts_str_from(capture->path), TS_QUOTE_FILE), what);
}

/* Bytes of the file; *whole is false where it ends early. */
static enum ts_status read_at(const struct ts_noc_capture *capture, uint64_t offset, void *bytes, size_t len,
                              bool *whole, struct ts_error *error)
{
    size_t done = 0;
    while (done < len) {
        ssize_t got = pread(capture->fd, (char *)bytes + done, len - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ts_error_system(error, capture->path, "read", errno);
        if (got == 0)
            break;
        done += (size_t)got;
    }
    *whole = done == len;
    return TS_OK;
}

static enum ts_status read_description(struct ts_noc_capture *capture, size_t len, struct ts_error *error)
{
    struct ts_quote quote;
    const char *name = ts_error_quote(&quote, ts_str_from(capture->path), TS_QUOTE_FILE);
    if (len > TS_LIMIT_NOC_DESCRIPTION)
        return ts_error_set(error, TS_LIMIT, "%s: its description has %zu bytes; at most %zu are read", name, len,
                            (size_t)TS_LIMIT_NOC_DESCRIPTION);
    bool whole = false;
    char *text = malloc(len + 1);
    if (!text)
        return ts_error_no_memory(error);
    enum ts_status status = read_at(capture, HEADER, text, len, &whole, error);
    if (status == TS_OK && !whole)
        status = damaged(capture, error, "the file ends within its description");
    if (status == TS_OK) {
        status = ts_noc_description_parse((struct ts_str){text, len}, true, &capture->description, error);
        if (status != TS_OK)
            ts_error_prefix(error, "%s", name);
    }
    free(text);
    return status;
}

static enum ts_status read_section(struct ts_noc_capture *capture, const unsigned char *p, size_t number,
                                   struct ts_error *error)
{
    struct ts_noc_section s = {
        .kind = (uint16_t)u16_at(p),
        .risc = (uint16_t)u16_at(p + 2),
        .flat_id = (uint16_t)u16_at(p + 4),
        .dropped = p[6] & 1,
        .x = (int16_t)u16_at(p + 8),
        .y = (int16_t)u16_at(p + 10),
        .device = u32_at(p + 12),
        .offset = u64_at(p + 16),
        .words = u64_at(p + 24),
        .lost = u64_at(p + 32),
    };
    uint64_t size = capture->identity.size;
    if (s.offset % 8 != 0 || s.offset > size || s.words > (size - s.offset) / 4) {
        char what[160];
        snprintf(what, sizeof what,
                 "section %zu claims %" PRIu64 " words at byte %" PRIu64 " of a file of %" PRIu64 " bytes", number,
                 s.words, s.offset, size);
        return damaged(capture, error, what);
    }
    capture->sections[number] = s;
    return TS_OK;
}

static enum ts_status read_table(struct ts_noc_capture *capture, uint64_t offset, size_t count, struct ts_error *error)
{
    bool whole = false;
    uint64_t size = capture->identity.size;
    if (offset % 8 != 0 || offset > size || count > (size - offset) / ENTRY)
        return damaged(capture, error, "its table of sections does not lie within the file");
    unsigned char *table = malloc(count * ENTRY + 1);
    capture->sections = calloc(count + 1, sizeof *capture->sections);
    enum ts_status status = TS_OK;
    if (!table || !capture->sections)
        status = ts_error_no_memory(error);
    if (status == TS_OK)
        status = read_at(capture, offset, table, count * ENTRY, &whole, error);
    if (status == TS_OK && !whole)
        status = damaged(capture, error, "the file ends within its table of sections");
    for (size_t i = 0; status == TS_OK && i < count; i++)
        status = read_section(capture, table + i * ENTRY, i, error);
    if (status == TS_OK)
        capture->section_count = count;
    free(table);
    return status;
}

static enum ts_status read_header(struct ts_noc_capture *capture, struct ts_error *error)
{
    unsigned char head[HEADER];
    bool whole = false;
    struct ts_quote quote;
    const char *name = ts_error_quote(&quote, ts_str_from(capture->path), TS_QUOTE_FILE);
    enum ts_status status = read_at(capture, 0, head, HEADER, &whole, error);
    if (status != TS_OK)
        return status;
    if (!whole)
        return damaged(capture, error, "the file ends within its header");
    if (memcmp(head, magic, MAGIC_LEN) != 0)
        return ts_error_set(error, TS_INPUT, "%s: is no raw profiler capture (it does not begin with %s)", name, magic);
    if (u32_at(head + 8) != 1)
        return ts_error_set(error, TS_INPUT, "%s: is a raw capture of version %" PRIu32 "; only version 1 is read",
                            name, u32_at(head + 8));
    status = read_description(capture, u32_at(head + 12), error);
    if (status == TS_OK)
        status = read_table(capture, u32_at(head + 20), u32_at(head + 16), error);
    return status;
}

enum ts_status ts_noc_capture_open(struct ts_context *context, const char *path, struct ts_noc_capture **out,
                                   struct ts_error *error)
{
    struct ts_noc_capture *capture = calloc(1, sizeof *capture);
    if (!capture)
        return ts_error_no_memory(error);
    capture->context = context;
    capture->fd = -1;
    capture->path = strdup(path);
    enum ts_status status = capture->path ? ts_file_open(context, path, &capture->fd, &capture->identity, error)
                                          : ts_error_no_memory(error);
    if (status == TS_OK)
        status = read_header(capture, error);
    if (status != TS_OK) {
        ts_noc_capture_close(capture);
        return status;
    }
    *out = capture;
    return TS_OK;
}

void ts_noc_capture_close(struct ts_noc_capture *capture)
{
    if (!capture)
        return;
    if (capture->fd >= 0)
        close(capture->fd);
    ts_noc_description_destroy(capture->description);
    free(capture->sections);
    free(capture->path);
    free(capture);
}

enum ts_status ts_noc_capture_read(const struct ts_noc_capture *capture, uint64_t offset, uint32_t *words, size_t count,
                                   struct ts_error *error)
{
    bool whole = false;
    struct ts_quote quote;
    enum ts_status status = read_at(capture, offset, words, count * sizeof *words, &whole, error);
    if (status == TS_OK && !whole)
        status = ts_error_set(error, TS_CHANGED, "%s: got shorter while it was read",
                              ts_error_quote(&quote, ts_str_from(capture->path), TS_QUOTE_FILE));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; status == TS_OK && i < count; i++)
        words[i] = __builtin_bswap32(words[i]);
#endif
    return status;
}

enum ts_status ts_noc_capture_unchanged(const struct ts_noc_capture *capture, struct ts_error *error)
{
    struct ts_identity now;
    struct ts_quote quote;
    enum ts_status status = ts_file_identity_fd(capture->fd, capture->path, &now, error);
    if (status == TS_OK && (now.size != capture->identity.size || now.mtime_ns != capture->identity.mtime_ns))
        status = ts_error_set(error, TS_CHANGED, "%s: was changed while it was read; decode it again when it is whole",
                              ts_error_quote(&quote, ts_str_from(capture->path), TS_QUOTE_FILE));
    return status;
}
