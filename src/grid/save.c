/* The raw capture (.tsraw): the description, then what each processor's region in DRAM holds and each core's control vector. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grid/model.h"

enum { HEADER = 24, ENTRY = 40, KIND_DRAM = 1, KIND_CONTROL = 3, WHOLE_CORE = 0xFFFF };

/* Zones that every kernel has. */
static const char *const zone_names[] = {"BRISC-FW", "BRISC-KERNEL", "NCRISC-FW", "NCRISC-KERNEL",
                                         "PROFILER-NOC-QUICK-PUSH"};
enum { ZONE_NAMES = sizeof zone_names / sizeof zone_names[0] };
#define ZONE_FILE "tilesight/grid"

/* A zone's id is a hash of its place in the source, as the device compiler makes it: FNV-1a, the halves folded together. */
static uint32_t zone_id(unsigned number)
{
    char text[80];
    uint32_t hash = UINT32_C(2166136261);
    snprintf(text, sizeof text, "%s," ZONE_FILE ",%u,KERNEL_PROFILER", zone_names[number], number + 1);
    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT32_C(16777619);
    return (hash ^ hash >> 16) & 0xFFFF;
}

void ts_grid_save_zones(struct ts_grid_lane *lane)
{
    lane->outer_zone = zone_id(2 * lane->risc);
    lane->kernel_zone = zone_id(2 * lane->risc + 1);
    lane->flush_zone = zone_id(ZONE_NAMES - 1);
}

/* ---- a text and bytes that grow ---- */

struct out {
    char *bytes;
    size_t len, room;
    bool failed;
};

static void put(struct out *out, const void *bytes, size_t len)
{
    if (out->failed)
        return;
    if (len > out->room - out->len) {
        size_t room = 2 * (out->len + len);
        char *more = realloc(out->bytes, room);
        out->failed = !more;
        if (!more)
            return;
        out->bytes = more;
        out->room = room;
    }
    memcpy(out->bytes + out->len, bytes, len);
    out->len += len;
}

__attribute__((format(printf, 2, 3))) static void print(struct out *out, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out->failed |= len < 0 || (size_t)len >= sizeof text;
    if (!out->failed)
        put(out, text, (size_t)len);
}

/* `size` bytes of a number, the lowest first. */
static void number(struct out *out, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)(value >> 8 * i);
        put(out, &byte, 1);
    }
}

static void align(struct out *out)
{
    while (out->len % 8 != 0 && !out->failed)
        number(out, 0, 1);
}

/* ---- the description ---- */

static void describe_devices(const struct ts_grid *grid, struct out *out)
{
    print(out, "\"devices\":[{\"device\":0,\"grid\":[10,12],\"translated\":[");
    for (uint32_t i = 0; i < grid->core_count; i++)
        print(out, "%s[%u,%u,%u,%u,\"tensix\"]", i ? "," : "", (unsigned)TS_GRID_X(i % grid->options.columns),
              (unsigned)TS_GRID_Y(i / grid->options.columns), (unsigned)grid->nodes[i].x, (unsigned)grid->nodes[i].y);
    print(out, "]}]");
}

static void describe(const struct ts_grid *grid, struct out *out)
{
    const struct ts_grid_tracer *tracer = grid->options.tracer;
    print(
        out,
        "{\"format\":\"tilesight-profiler-capture\",\"version\":1,\"source\":\"tilesight grid: a model, no silicon\",");
    /* The decoder resolves coordinates as on this chip. */
    print(out, "\"arch\":\"wormhole_b0\",\"chip_freq_mhz\":1000,\"max_compute_cores\":%u,", (unsigned)grid->core_count);
    print(out, "\"wire\":\"W%u\",\"id_layout\":\"I%u\",\"noc_static_id\":%d,", (unsigned)tracer->wire,
          (unsigned)tracer->identity, TS_NOC_STATIC_ID);
    print(out, "\"zones\":[");
    for (unsigned i = 0; i < ZONE_NAMES; i++)
        print(out, "%s{\"id\":%u,\"name\":\"%s\",\"file\":\"" ZONE_FILE "\",\"line\":%u}", i ? "," : "",
              (unsigned)zone_id(i), zone_names[i], i + 1);
    for (uint32_t i = 0; i < grid->zone_count; i++)
        print(out, ",{\"id\":%u,\"name\":\"%s\",\"file\":\"\",\"line\":0}", (unsigned)grid->zones[i].id,
              grid->zones[i].text);
    print(out, "],\"ops\":{");
    for (uint32_t i = 0; i < grid->program_count; i++)
        print(out, "%s\"%u\":\"grid-model-%s\"", i ? "," : "", (unsigned)grid->programs[i].id, grid->programs[i].text);
    print(out, "},");
    describe_devices(grid, out);
    print(out, "}");
}

/* ---- the sections ---- */

struct section {
    uint32_t kind, risc, flags, words;
    uint64_t lost;
    const struct ts_grid_node *core;
    const uint32_t *from;
};

/* Section `index` of the sections there can be, three a core; false when it is none. */
static bool section_at(const struct ts_grid *grid, uint32_t index, struct section *out)
{
    uint32_t core = index / (TS_GRID_RISCS + 1), part = index % (TS_GRID_RISCS + 1);
    const struct ts_grid_processor *p = &grid->processors[core * TS_GRID_RISCS];
    if (part == TS_GRID_RISCS) {
        *out = (struct section){.kind = KIND_CONTROL, .risc = WHOLE_CORE, .words = TS_GRID_CONTROL_WORDS};
        out->core = p->core;
        out->from = p->lane.control;
        return p[0].recorded || p[1].recorded;
    }
    p += part;
    if (!p->recorded)
        return false;
    struct ts_grid_lane lane = p->lane;
    grid->options.tracer->count(&lane);
    *out = (struct section){.kind = KIND_DRAM, .risc = part, .words = lane.sent, .lost = lane.lost};
    out->flags = lane.dropped;
    out->core = p->core;
    out->from = p->trace;
    return true;
}

static void put_entry(struct out *out, const struct section *s, uint64_t offset)
{
    number(out, s->kind, 2);
    number(out, s->risc, 2);
    number(out, s->core->number, 2);
    number(out, s->flags, 2);
    number(out, s->core->x, 2);
    number(out, s->core->y, 2);
    number(out, 0, 4);
    number(out, offset, 8);
    number(out, s->words, 8);
    number(out, s->lost, 8);
}

static void put_capture(const struct ts_grid *grid, struct out *out)
{
    struct out text = {NULL, 0, 0, false};
    struct section s;
    uint32_t count = 0, most = grid->core_count * (TS_GRID_RISCS + 1);
    describe(grid, &text);
    for (uint32_t i = 0; i < most; i++)
        count += section_at(grid, i, &s);
    uint64_t table = (HEADER + text.len + 7) & ~UINT64_C(7), at = table + (uint64_t)ENTRY * count;
    put(out, "TSPROF01", 8);
    number(out, 1, 4);
    number(out, text.len, 4);
    number(out, count, 4);
    number(out, table, 4);
    put(out, text.bytes ? text.bytes : "", text.len);
    align(out);
    for (uint32_t i = 0; i < most; i++)
        if (section_at(grid, i, &s)) {
            put_entry(out, &s, at);
            at += (4 * (uint64_t)s.words + 7) & ~UINT64_C(7);
        }
    for (uint32_t i = 0; i < most; i++)
        if (section_at(grid, i, &s)) {
            for (uint32_t word = 0; word < s.words; word++)
                number(out, s.from[word], 4);
            align(out);
        }
    out->failed |= text.failed;
    free(text.bytes);
}

/* ---- the file ---- */

/* A pipe or a device is written to; only a file is replaced, when the new one is whole. */
static bool is_replaced(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode);
}

static enum ts_status write_file(const char *path, const struct out *out, struct ts_error *error)
{
    bool replaced = is_replaced(path);
    size_t room = strlen(path) + sizeof ".part";
    char *part = malloc(room);
    if (!part)
        return ts_grid_error(error, TS_NO_MEMORY, "out of memory for the capture");
    snprintf(part, room, "%s%s", path, replaced ? ".part" : "");
    FILE *file = fopen(part, "wb");
    bool good = file && fwrite(out->bytes, 1, out->len, file) == out->len;
    int failure = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        failure = errno;
    }
    if (good && replaced && rename(part, path) != 0) {
        good = false;
        failure = errno;
    }
    if (!good && file && replaced)
        remove(part);
    free(part);
    return good ? TS_OK : ts_grid_error(error, TS_IO, "%s: cannot be written: %s", path, strerror(failure));
}

enum ts_status ts_grid_save(const struct ts_grid *grid, const char *path, struct ts_error *error)
{
    struct out out = {NULL, 0, 0, false};
    if (!grid->options.tracer)
        return ts_grid_error(
            error, TS_USAGE,
            "%s: nothing was recorded, since the program was compiled without tracing: compile it with "
            "TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 and the flags of `tilesight noc-flags`",
            path);
    if (atomic_load(&grid->stuck))
        return ts_grid_error(error, TS_USAGE, "%s: not written, since a kernel that never came back may still record",
                             path);
    put_capture(grid, &out);
    enum ts_status status = out.failed ? ts_grid_error(error, TS_NO_MEMORY, "%s: out of memory for the capture", path)
                                       : write_file(path, &out, error);
    free(out.bytes);
    return status;
}
