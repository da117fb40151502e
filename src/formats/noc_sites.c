#include "formats/noc_sites.h"

#include <stdlib.h>

#include "base/limits.h"

/* Places in an entry; the file's name stands behind it with a NUL, and entries begin at multiples of four. */
enum {
    AT_KERNEL = 4,
    AT_WIRE = 6,
    AT_SHAPE = 7,
    AT_TYPE = 8,
    AT_NOC = 9,
    AT_VC = 10,
    AT_POSTED = 11,
    AT_WORDS = 12,
    AT_KNOWN = 13,
    AT_COUNT = 14,
    AT_NUMBER = 16,
    AT_LINE = 20,
    AT_CONSTANTS = 24,
    ENTRY = 48
};
static const char magic[] = "TSN1";

static uint32_t u16_at(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32_at(const unsigned char *p)
{
    return u16_at(p) | u16_at(p + 2) << 16;
}

enum ts_status ts_noc_sites_create(struct ts_noc_sites **out, struct ts_error *error)
{
    struct ts_noc_sites *sites = calloc(1, sizeof *sites);
    if (!sites)
        return ts_error_no_memory(error);
    ts_arena_init(&sites->arena, TS_LIMIT_NOC_TABLES);
    *out = sites;
    return TS_OK;
}

void ts_noc_sites_destroy(struct ts_noc_sites *sites)
{
    if (!sites)
        return;
    ts_arena_free(&sites->arena);
    ts_vec_free(&sites->all);
    free(sites);
}

/* ---- one entry ---- */

/* How many arguments each shape has, and what its type is of. */
static const struct {
    unsigned char least, most, kind;
} shapes[TS_NOC_SHAPES] = {
    [TS_NOC_SHAPE_PLAIN] = {0, 4, TS_NOC_PAYLOAD_LOCAL},
    [TS_NOC_SHAPE_ADDRESS] = {3, 6, TS_NOC_PAYLOAD_LOCAL},
    [TS_NOC_SHAPE_MULTICAST] = {3, 6, TS_NOC_PAYLOAD_LOCAL},
    [TS_NOC_SHAPE_WIDE] = {5, 5, TS_NOC_PAYLOAD_LOCAL},
    [TS_NOC_SHAPE_WIDE_MULTICAST] = {5, 5, TS_NOC_PAYLOAD_LOCAL},
    [TS_NOC_SHAPE_WIDE_PLAIN] = {3, 3, TS_NOC_PAYLOAD_LOCAL},
    [TS_NOC_SHAPE_FABRIC] = {4, 4, TS_NOC_PAYLOAD_FABRIC},
    [TS_NOC_SHAPE_FABRIC_CORNERS] = {6, 6, TS_NOC_PAYLOAD_FABRIC},
    [TS_NOC_SHAPE_SCATTER] = {6, 6, TS_NOC_PAYLOAD_SCATTER},
    [TS_NOC_SHAPE_ROUTING_1D] = {1, 1, TS_NOC_PAYLOAD_ROUTE_1D},
    [TS_NOC_SHAPE_ROUTING_2D] = {4, 4, TS_NOC_PAYLOAD_ROUTE_2D},
};

/* What is wrong with an entry; NULL when nothing is. */
static const char *judge(const struct ts_noc_site *site, unsigned wire, uint32_t number)
{
    unsigned count, stored = 0;
    if (wire < 1 || wire > TS_WIRE_COUNT)
        return "its generation is none of W1 to W5";
    const struct ts_noc_type *types = ts_noc_types(site->wire, &count);
    if (site->shape >= TS_NOC_SHAPES)
        return "its shape is not known: another version of the recorder made it";
    /* A record of UNDEF is none in the end, and the decoder says so. */
    if (site->type >= count || (site->type && types[site->type].kind != shapes[site->shape].kind))
        return "its event type does not go with its shape";
    if (site->noc > 1)
        return "its NoC is neither 0 nor 1";
    if (site->count < shapes[site->shape].least || site->count > shapes[site->shape].most)
        return "its number of arguments does not go with its shape";
    for (unsigned i = 0; i < TS_NOC_NEAR_ARGUMENTS; i++) {
        stored += !(site->known >> i & 1);
        if (i >= site->count && !(site->known >> i & 1))
            return "an argument that it does not have is stored";
    }
    if (site->words != (2 + stored + 1) / 2 * 2)
        return "the length of its records is not that of its arguments";
    /* A number past the last one would be that of another length. */
    if ((number & 1023) == 0 || number >= TS_NOC_SITE_NUMBERS || TS_NOC_NEAR_WORDS(number) != site->words)
        return "its number is out of range: a kernel has at most 1023 sites whose records are of one length, so leave "
               "some "
               "untraced; an object file that is not linked has no numbers yet";
    return NULL;
}

static enum ts_status add_entry(struct ts_noc_sites *sites, const unsigned char *p, struct ts_str file, size_t at,
                                struct ts_error *error)
{
    uint32_t number = u32_at(p + AT_NUMBER);
    struct ts_noc_site site = {
        .kernel = (uint16_t)u16_at(p + AT_KERNEL),
        .number = (uint16_t)number,
        .words = p[AT_WORDS],
        .shape = p[AT_SHAPE],
        .count = p[AT_COUNT],
        .known = p[AT_KNOWN],
        .type = p[AT_TYPE],
        .noc = p[AT_NOC],
        .vc = (signed char)p[AT_VC],
        .posted = p[AT_POSTED] != 0,
        .wire = p[AT_WIRE] ? (enum ts_noc_wire)(p[AT_WIRE] - 1) : TS_WIRE_W1,
        .line = u32_at(p + AT_LINE),
    };
    for (unsigned i = 0; i < TS_NOC_NEAR_ARGUMENTS; i++)
        site.constants[i] = u32_at(p + AT_CONSTANTS + 4 * i);
    const char *wrong = judge(&site, p[AT_WIRE], number);
    if (wrong)
        return ts_error_set(error, TS_INPUT, "the table of call sites, entry at byte %zu: %s", at, wrong);
    site.file = ts_arena_copy(&sites->arena, file);
    if (!site.file.ptr)
        return ts_arena_error(&sites->arena, error);
    return ts_vec_push(&sites->all, site) ? TS_OK : ts_error_no_memory(error);
}

enum ts_status ts_noc_sites_add(struct ts_noc_sites *sites, struct ts_str table, struct ts_error *error)
{
    size_t at = 0;
    while (at < table.len) {
        const char *p = table.ptr + at, *end;
        /* Linkers fill up with zeros between files. */
        if (table.len - at >= 4 && memcmp(p, "\0\0\0", 4) == 0) {
            at += 4;
            continue;
        }
        if (table.len - at <= ENTRY || memcmp(p, magic, sizeof magic - 1) != 0 ||
            !(end = memchr(p + ENTRY, '\0', table.len - at - ENTRY)))
            return ts_error_set(
                error, TS_INPUT,
                "the table of call sites is damaged at byte %zu of %zu: an entry begins with TSN1, has %u "
                "bytes and then the name of a file; take the section .ts_noc_sites of the linked kernel",
                at, table.len, ENTRY);
        enum ts_status status = add_entry(sites, (const unsigned char *)p,
                                          (struct ts_str){p + ENTRY, (size_t)(end - p) - ENTRY}, at, error);
        if (status != TS_OK)
            return status;
        at += ((size_t)(end - p) + 1 + 3) / 4 * 4;
    }
    return TS_OK;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

enum ts_status ts_noc_sites_add_hex(struct ts_noc_sites *sites, struct ts_str digits, struct ts_error *error)
{
    char *bytes = malloc(digits.len / 2 + 1);
    enum ts_status status = TS_OK;
    if (!bytes)
        return ts_error_no_memory(error);
    for (size_t i = 0; status == TS_OK && i < digits.len / 2; i++) {
        int high = digit(digits.ptr[2 * i]), low = digit(digits.ptr[2 * i + 1]);
        if (high < 0 || low < 0)
            status = ts_error_set(error, TS_INPUT,
                                  "a table of call sites holds something else than pairs of hexadecimal "
                                  "digits");
        else
            bytes[i] = (char)(unsigned char)(high << 4 | low);
    }
    if (status == TS_OK && digits.len % 2)
        status = ts_error_set(error, TS_INPUT, "a table of call sites ends within a pair of hexadecimal digits");
    if (status == TS_OK)
        status = ts_noc_sites_add(sites, (struct ts_str){bytes, digits.len / 2}, error);
    free(bytes);
    return status;
}

/* ---- a linked kernel ---- */

enum { ELF_HEADER = 52, ELF_SECTION = 40, ELF_RELOCATABLE = 1 };

/* The bytes of the table in an ELF file; false when its headers do not lie within it. Empty: there is none. */
static bool find_section(struct ts_str elf, struct ts_str *out)
{
    const unsigned char *bytes = (const unsigned char *)elf.ptr;
    *out = (struct ts_str){"", 0};
    if (elf.len < ELF_HEADER)
        return false;
    size_t table = u32_at(bytes + 32), size = u16_at(bytes + 46), count = u16_at(bytes + 48);
    size_t names = u16_at(bytes + 50);
    if (count == 0)
        return true;
    if (size < ELF_SECTION || table > elf.len || count > (elf.len - table) / size || names >= count)
        return false;
    const unsigned char *texts = bytes + table + names * size;
    size_t texts_at = u32_at(texts + 16), texts_len = u32_at(texts + 20);
    if (texts_at > elf.len || texts_len > elf.len - texts_at)
        return false;
    for (size_t i = 0; i < count; i++) {
        static const char wanted[] = ".ts_noc_sites";
        const unsigned char *section = bytes + table + i * size;
        size_t name = u32_at(section), at = u32_at(section + 16), len = u32_at(section + 20);
        if (name > texts_len || texts_len - name < sizeof wanted ||
            memcmp(bytes + texts_at + name, wanted, sizeof wanted) != 0)
            continue;
        if (at > elf.len || len > elf.len - at)
            return false;
        *out = (struct ts_str){elf.ptr + at, len};
        return true;
    }
    return true;
}

static enum ts_status add_elf(struct ts_noc_sites *sites, struct ts_str elf, struct ts_error *error)
{
    struct ts_str table;
    if (elf.len < ELF_HEADER || elf.ptr[4] != 1 || elf.ptr[5] != 1)
        return ts_error_set(error, TS_INPUT, "not a little-endian ELF file of 32 bits, as kernels for RV32 are");
    if (u16_at((const unsigned char *)elf.ptr + 16) == ELF_RELOCATABLE)
        return ts_error_set(error, TS_INPUT,
                            "an object file: call sites get their numbers when it is linked, so name the "
                            "linked kernel");
    if (!find_section(elf, &table))
        return ts_error_set(error, TS_INPUT, "its sections do not lie within the file, which is cut off or damaged");
    if (table.len == 0)
        return ts_error_set(error, TS_INPUT,
                            "there is no section .ts_noc_sites in it: was it compiled with the flags of "
                            "noc-flags --near-raw, and linked without throwing sections away?");
    return ts_noc_sites_add(sites, table, error);
}

enum ts_status ts_noc_sites_add_file(struct ts_context *context, struct ts_noc_sites *sites, const char *path,
                                     struct ts_error *error)
{
    char block[4096];
    size_t got = 0;
    struct ts_buf bytes;
    struct ts_quote quote;
    struct ts_reader *reader = NULL;
    ts_buf_init(&bytes, TS_LIMIT_NOC_KERNEL);
    enum ts_status status = ts_reader_open(context, path, &reader, error);
    do {
        if (status == TS_OK)
            status = ts_reader_read(reader, block, sizeof block, &got, error);
        if (status == TS_OK)
            ts_buf_add(&bytes, block, got);
    } while (status == TS_OK && got && !bytes.failed);
    ts_reader_close(reader);
    if (status == TS_OK) {
        status = ts_buf_status(&bytes, error);
        struct ts_str all = ts_buf_view(&bytes);
        if (status == TS_OK)
            status = ts_str_starts_with(all, TS_STR("\x7F"
                                                    "ELF"))
                         ? add_elf(sites, all, error)
                         : ts_noc_sites_add(sites, all, error);
        if (status != TS_OK)
            ts_error_prefix(error, "%s", ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE));
    }
    ts_buf_free(&bytes);
    return status;
}

/* ---- all of them ---- */

static int compare_sites(const void *a, const void *b)
{
    const struct ts_noc_site *x = a, *y = b;
    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool same_site(const struct ts_noc_site *a, const struct ts_noc_site *b)
{
    return a->words == b->words && a->shape == b->shape && a->count == b->count && a->known == b->known &&
           a->type == b->type && a->noc == b->noc && a->vc == b->vc && a->posted == b->posted && a->wire == b->wire &&
           a->line == b->line && memcmp(a->constants, b->constants, sizeof a->constants) == 0 &&
           ts_str_equal(a->file, b->file);
}

enum ts_status ts_noc_sites_finish(struct ts_noc_sites *sites, enum ts_noc_wire *wire, struct ts_error *error)
{
    struct ts_noc_site *all = sites->all.items;
    size_t kept = 0;
    if (sites->all.count == 0)
        return ts_error_set(error, TS_INPUT,
                            "a near-raw capture is read with the tables of its kernels' call sites, and none "
                            "is given: name the linked kernels with --sites");
    qsort(all, sites->all.count, sizeof *all, compare_sites);
    for (size_t i = 0; i < sites->all.count; i++) {
        if (all[i].wire != all[0].wire)
            return ts_error_set(
                error, TS_INPUT, "kernel %u is of generation %s and kernel %u of %s; decode them one at a time",
                all[0].kernel, ts_noc_wire_name(all[0].wire), all[i].kernel, ts_noc_wire_name(all[i].wire));
        if (i > 0 && compare_sites(&all[kept - 1], &all[i]) == 0) {
            if (same_site(&all[kept - 1], &all[i]))
                continue;
            return ts_error_set(
                error, TS_INPUT,
                "two call sites of kernel %u have the number %u and differ: they are of different kernels; "
                "compile each with a number of its own (noc-flags --kernel N)",
                all[i].kernel, all[i].number);
        }
        all[kept++] = all[i];
    }
    sites->all.count = kept;
    *wire = all[0].wire;
    return TS_OK;
}

const struct ts_noc_site *ts_noc_sites_of(const struct ts_noc_sites *sites, uint16_t kernel, size_t *count)
{
    size_t low = 0, high = sites->all.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sites->all.items[middle].kernel < kernel)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < sites->all.count && sites->all.items[low + *count].kernel == kernel; ++*count)
        continue;
    return sites->all.items ? sites->all.items + low : NULL;
}
