#include "formats/sim_dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"

enum { RESERVE = 0x5a, PADDING_MAX = 3 };
#define COPY_SIZE (256 * TS_KIB)
/* Most bytes of one read, so that a cancellation is seen soon. */
#define READ_MAX (4 * TS_MIB)

struct ts_sim_dump {
    int fd;        /* of the file or of the unpacked copy; -1: memory */
    bool unpacked; /* fd is a copy, which nobody else can change */
    char *path;    /* NULL for memory */
    struct ts_str memory;
    uint64_t size;
    struct ts_identity identity;
    struct ts_quote name;
};

/* ---- opening ---- */

static struct ts_sim_dump *new_dump(const char *name)
{
    struct ts_sim_dump *dump = calloc(1, sizeof *dump);
    if (!dump)
        return NULL;
    dump->fd = -1;
    ts_error_quote(&dump->name, ts_str_from(name), TS_QUOTE_FILE);
    return dump;
}

static bool is_packed(const char *path)
{
    struct ts_str name = ts_str_from(path);
    return ts_str_ends_with(name, TS_STR(".gz")) || ts_str_ends_with(name, TS_STR(".zst"));
}

static bool write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(fd, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* The blocks are read from several places, which a packed stream cannot do. */
static enum ts_status unpack(struct ts_reader *reader, struct ts_sim_dump *dump, char *buffer, struct ts_error *error)
{
    FILE *temporary = tmpfile();
    if (temporary)
        dump->fd = dup(fileno(temporary));
    int number = errno;
    if (temporary)
        fclose(temporary);
    if (dump->fd < 0)
        return ts_error_system(error, dump->path, "make a temporary file for unpacking", number);
    dump->unpacked = true;
    dump->identity = *ts_reader_identity(reader);
    for (;;) {
        size_t got;
        enum ts_status status = ts_reader_read(reader, buffer, COPY_SIZE, &got, error);
        if (status != TS_OK)
            return status;
        if (got == 0)
            return ts_reader_unchanged(reader, error);
        if (!write_all(dump->fd, buffer, got))
            return ts_error_system(error, dump->path, "unpack into a temporary file", errno);
        dump->size += got;
    }
}

static enum ts_status open_packed(struct ts_context *context, struct ts_sim_dump *dump, struct ts_error *error)
{
    struct ts_reader *reader = NULL;
    enum ts_status status = ts_reader_open(context, dump->path, &reader, error);
    if (status != TS_OK)
        return status;
    char *buffer = malloc(COPY_SIZE);
    status = buffer ? unpack(reader, dump, buffer, error) : ts_error_no_memory(error);
    free(buffer);
    ts_reader_close(reader);
    return status;
}

enum ts_status ts_sim_dump_open(struct ts_context *context, const char *path, struct ts_sim_dump **out,
                                struct ts_error *error)
{
    struct ts_sim_dump *dump = new_dump(path);
    if (!dump)
        return ts_error_no_memory(error);
    enum ts_status status = TS_OK;
    dump->path = strdup(path);
    if (!dump->path) {
        status = ts_error_no_memory(error);
    } else if (is_packed(path)) {
        status = open_packed(context, dump, error);
    } else {
        status = ts_file_open(context, path, &dump->fd, &dump->identity, error);
        dump->size = dump->identity.size;
    }
    if (status != TS_OK) {
        ts_sim_dump_close(dump);
        return status;
    }
    *out = dump;
    return TS_OK;
}

enum ts_status ts_sim_dump_open_memory(const char *name, struct ts_str bytes, struct ts_sim_dump **out,
                                       struct ts_error *error)
{
    struct ts_sim_dump *dump = new_dump(name);
    if (!dump)
        return ts_error_no_memory(error);
    dump->memory = bytes;
    dump->size = bytes.len;
    *out = dump;
    return TS_OK;
}

void ts_sim_dump_close(struct ts_sim_dump *dump)
{
    if (!dump)
        return;
    if (dump->fd >= 0)
        close(dump->fd);
    free(dump->path);
    free(dump);
}

uint64_t ts_sim_dump_size(const struct ts_sim_dump *dump)
{
    return dump->size;
}

const char *ts_sim_dump_name(const struct ts_sim_dump *dump)
{
    return dump->name.text;
}

/* ---- reading ---- */

static enum ts_status changed(const struct ts_sim_dump *dump, struct ts_error *error)
{
    return ts_error_set(error, TS_CHANGED,
                        "%s: the dump changed while it was being read; clean it again once it is written",
                        dump->name.text);
}

enum ts_status ts_sim_dump_read(const struct ts_sim_dump *dump, uint64_t offset, void *buffer, size_t count,
                                struct ts_error *error)
{
    if (offset > dump->size || count > dump->size - offset)
        return ts_error_set(error, TS_INTERNAL, "%s: a read beyond the end", dump->name.text);
    if (dump->fd < 0) {
        if (count > 0)
            memcpy(buffer, dump->memory.ptr + offset, count);
        return TS_OK;
    }
    char *at = buffer;
    while (count > 0) {
        ssize_t got = pread(dump->fd, at, count < READ_MAX ? count : READ_MAX, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ts_error_system(error, dump->path, "read", errno);
        if (got == 0)
            return changed(dump, error);
        at += got;
        offset += (uint64_t)got;
        count -= (size_t)got;
    }
    return TS_OK;
}

enum ts_status ts_sim_dump_unchanged(const struct ts_sim_dump *dump, struct ts_error *error)
{
    if (dump->fd < 0 || dump->unpacked)
        return TS_OK;
    struct ts_identity now;
    enum ts_status status = ts_file_identity_fd(dump->fd, dump->path, &now, error);
    if (status != TS_OK)
        return status;
    const struct ts_identity *then = &dump->identity;
    bool same = now.size == then->size && now.mtime_ns == then->mtime_ns;
    return same ? TS_OK : changed(dump, error);
}

/* ---- the walk ---- */

struct header {
    uint64_t size;
    unsigned char type, padding, version, reserve;
};

static uint64_t little_endian_64(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (unsigned i = 8; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static enum ts_status read_header(const struct ts_sim_dump *dump, uint64_t offset, struct header *out,
                                  struct ts_error *error)
{
    unsigned char bytes[TS_SIM_HEADER_SIZE];
    enum ts_status status = ts_sim_dump_read(dump, offset, bytes, sizeof bytes, error);
    if (status == TS_OK)
        *out = (struct header){little_endian_64(bytes), bytes[8], bytes[9], bytes[10], bytes[11]};
    return status;
}

/* Whether what begins at offset may be the next header, or the few bytes that may be left over at the end. */
static enum ts_status plausible(const struct ts_sim_dump *dump, uint64_t offset, bool *out, struct ts_error *error)
{
    *out = dump->size - offset < TS_SIM_HEADER_SIZE;
    if (*out)
        return TS_OK;
    struct header next;
    enum ts_status status = read_header(dump, offset, &next, error);
    if (status != TS_OK)
        return status;
    uint64_t room = dump->size - offset - TS_SIM_HEADER_SIZE;
    bool fits = next.size <= room;
    if (next.type == TS_SIM_SOURCE && next.size < TS_SIM_SOURCE_PATH)
        fits = room >= TS_SIM_SOURCE_PATH && next.size <= room - TS_SIM_SOURCE_PATH;
    *out = next.reserve == RESERVE && next.padding <= PADDING_MAX && next.padding <= next.size && fits;
    return TS_OK;
}

/* The writer's size of a SOURCE block does not count the path in front of the text, an older reading does. Which of them
 * holds is told by what follows. */
static enum ts_status place_source(const struct ts_sim_dump *dump, const struct header *header,
                                   struct ts_sim_block *block, uint64_t *next, struct ts_error *error)
{
    uint64_t body = block->header + TS_SIM_HEADER_SIZE, room = dump->size - body;
    bool good = false;
    if (room >= TS_SIM_SOURCE_PATH && header->size <= room - TS_SIM_SOURCE_PATH) {
        *next = body + TS_SIM_SOURCE_PATH + header->size;
        enum ts_status status = plausible(dump, *next, &good, error);
        if (status != TS_OK)
            return status;
    }
    if (!good && header->size >= TS_SIM_SOURCE_PATH && header->size <= room) {
        *next = body + header->size;
        enum ts_status status = plausible(dump, *next, &good, error);
        if (status != TS_OK)
            return status;
    }
    if (!good)
        return ts_error_set(
            error, TS_INPUT,
            "%s: corrupt SOURCE block at offset %" PRIu64 ": with size %" PRIu64
            " no block follows it, whether the %d bytes of its path are counted or not (the file ends at "
            "byte %" PRIu64 "); copy the dump again",
            dump->name.text, block->header, header->size, TS_SIM_SOURCE_PATH, dump->size);
    block->offset = body + TS_SIM_SOURCE_PATH;
    block->size = *next - block->offset;
    block->size -= header->padding <= block->size ? header->padding : block->size;
    return TS_OK;
}

static enum ts_status check_header(const struct ts_sim_dump *dump, uint64_t offset, const struct header *header,
                                   struct ts_error *error)
{
    if (header->reserve != RESERVE)
        return ts_error_set(error, TS_INPUT,
                            "%s: corrupt block at offset %" PRIu64 ": size=%" PRIu64
                            ", reserve=0x%x (0x5a expected); this is no simulator dump, or it is damaged here",
                            dump->name.text, offset, header->size, header->reserve);
    if (header->type != TS_SIM_SOURCE && header->size > dump->size - offset - TS_SIM_HEADER_SIZE)
        return ts_error_set(error, TS_INPUT,
                            "%s: corrupt block at offset %" PRIu64 ": size=%" PRIu64
                            ", reserve=0x%x: the file ends at byte %" PRIu64
                            ", inside this block; it was cut short, copy it again",
                            dump->name.text, offset, header->size, header->reserve, dump->size);
    if (header->padding > PADDING_MAX || header->padding > header->size)
        return ts_error_set(error, TS_INPUT,
                            "%s: corrupt block at offset %" PRIu64 ": size=%" PRIu64
                            ", padding=%u (0 to 3 and no more than the size expected); copy the dump again",
                            dump->name.text, offset, header->size, header->padding);
    return TS_OK;
}

static enum ts_status read_block(const struct ts_sim_dump *dump, uint64_t offset, struct ts_sim_block *block,
                                 uint64_t *next, struct ts_error *error)
{
    struct header header;
    enum ts_status status = read_header(dump, offset, &header, error);
    if (status == TS_OK)
        status = check_header(dump, offset, &header, error);
    if (status != TS_OK)
        return status;
    *block = (struct ts_sim_block){offset, offset + TS_SIM_HEADER_SIZE, 0, header.type, header.version, true};
    if (header.type == TS_SIM_SOURCE)
        return place_source(dump, &header, block, next, error);
    block->size = header.size - header.padding;
    *next = block->offset + header.size;
    return TS_OK;
}

enum ts_status ts_sim_dump_walk(struct ts_context *context, const struct ts_sim_dump *dump,
                                enum ts_status (*visit)(void *data, const struct ts_sim_block *block,
                                                        struct ts_error *error),
                                void *data, struct ts_error *error)
{
    uint64_t offset = 0;
    while (dump->size - offset >= TS_SIM_HEADER_SIZE) {
        struct ts_sim_block block;
        uint64_t next = offset;
        enum ts_status status = ts_context_check(context, error);
        if (status == TS_OK)
            status = read_block(dump, offset, &block, &next, error);
        if (status == TS_OK)
            status = visit(data, &block, error);
        if (status != TS_OK)
            return status;
        offset = next;
    }
    return TS_OK;
}

static enum ts_status note_block(void *data, const struct ts_sim_block *block, struct ts_error *error)
{
    struct ts_sim_blocks *blocks = data;
    (void)error;
    if (block->type == TS_SIM_TRACE && !blocks->trace.found)
        blocks->trace = *block;
    if (block->type == TS_SIM_API_INSTR && !blocks->api_instr.found)
        blocks->api_instr = *block;
    return TS_OK;
}

enum ts_status ts_sim_dump_find(struct ts_context *context, const struct ts_sim_dump *dump, struct ts_sim_blocks *out,
                                struct ts_error *error)
{
    struct ts_sim_blocks blocks = {.trace = {.found = false}};
    enum ts_status status = ts_sim_dump_walk(context, dump, note_block, &blocks, error);
    if (status == TS_OK)
        *out = blocks;
    return status;
}
