#include "formats/noc_near_raw.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- packing, as noc_trace_record.h does it on the core ---- */

static uint32_t size_of(enum ts_noc_wire wire, uint32_t size)
{
    if (wire == TS_WIRE_W1)
        return size << 16;
    /* In 32 bits, as on the core. */
    uint32_t up = size + 31;
    return (up >= 8192 ? 255u : up >> 5) << (wire == TS_WIRE_W2 ? 8 : 16);
}

static uint32_t corner(enum ts_noc_wire wire, uint32_t high)
{
    uint32_t both = (high & 0x3F0) | (high << 2 & 0x3F000);
    return wire >= TS_WIRE_W3 ? both << 4 : both >> 4;
}

static uint32_t xy(enum ts_noc_wire wire, uint32_t x, uint32_t y)
{
    uint32_t both = (x & 0xFF) | (y & 0xFF) << 8;
    return wire >= TS_WIRE_W3 ? both << 8 : both;
}

static uint64_t pack_local(const struct ts_noc_site *site, const uint32_t *a)
{
    enum ts_noc_wire wire = site->wire;
    uint32_t lane = (site->noc + 1u) | ((uint32_t)site->vc & 15) << 4, low, high;
    if (wire >= TS_WIRE_W3) {
        low = site->type;
        high = lane << 8 | (wire >= TS_WIRE_W4 && site->posted ? UINT32_C(1) << 24 : 0);
    } else if (wire == TS_WIRE_W2) {
        low = 0;
        high = lane | (uint32_t)site->type << 16;
    } else {
        low = UINT32_C(0xFFFF0000);
        high = site->type | lane << 8;
    }
    switch (site->shape) {
    case TS_NOC_SHAPE_ADDRESS:
    case TS_NOC_SHAPE_WIDE:
        low |= corner(wire, a[0]);
        high |= size_of(wire, a[2]);
        break;
    case TS_NOC_SHAPE_MULTICAST:
    case TS_NOC_SHAPE_WIDE_MULTICAST: {
        /* The end corner stands where a unicast address has its destination, the start corner 12 bits above. */
        uint32_t x = a[0] >> 4 & 0x3F, y = a[0] >> 10 & 0x3F;
        low = (low & 0xFF) | corner(wire, a[0] >> 12) | (wire >= TS_WIRE_W3 ? x << 24 : x << 16 | y << 24);
        high |= size_of(wire, a[2]) | (wire >= TS_WIRE_W3 ? y : 0);
        break;
    }
    default:
        low |= wire >= TS_WIRE_W3 ? UINT32_C(0x00FFFF00) : UINT32_C(0x0000FFFF);
    }
    return (uint64_t)high << 32 | low;
}

static uint64_t pack_fabric(const struct ts_noc_site *site, const uint32_t *a)
{
    enum ts_noc_wire wire = site->wire;
    bool corners = site->shape == TS_NOC_SHAPE_FABRIC_CORNERS;
    uint32_t end_x = corners ? a[2] : UINT32_MAX, end_y = corners ? a[3] : UINT32_MAX;
    uint32_t noc = a[site->count - 2], packet = a[site->count - 1];
    uint32_t low = xy(wire, a[0], a[1]), high;
    if (wire >= TS_WIRE_W3) {
        low |= site->type | end_x << 24;
        high = (end_y & 0xFF) | (noc + 1) << 8 | packet << 12;
    } else {
        low |= UINT32_C(0xFFFF0000);
        high = packet | (uint32_t)site->type << 16;
    }
    return (uint64_t)high << 32 | low;
}

static uint64_t pack_scatter(const struct ts_noc_site *site, const uint32_t *a)
{
    uint32_t low = xy(site->wire, a[0], a[1]), high;
    if (site->wire >= TS_WIRE_W3) {
        low |= site->type;
        high = (a[2] & 0xFFFF) | (a[3] & 0xFF) << 16 | (a[4] + 1) << 24 | a[5] << 28;
    } else {
        low |= (a[2] & 0xFF) << 16 | a[3] << 24;
        high = a[5] | (uint32_t)site->type << 16;
    }
    return (uint64_t)high << 32 | low;
}

static uint64_t pack_routing(const struct ts_noc_site *site, const uint32_t *a)
{
    if (site->shape == TS_NOC_SHAPE_ROUTING_2D)
        return (uint64_t)(a[3] ? 1 : 0) << 32 | site->type | xy(site->wire, a[0], a[1]) | a[2] << 24;
    if (site->wire >= TS_WIRE_W3)
        return (uint64_t)a[0] << 8 | site->type;
    return (uint64_t)site->type << 48 | a[0];
}

void ts_noc_near_raw_pack(const struct ts_noc_site *site, const uint32_t *stored, struct ts_noc_near_event *out)
{
    uint32_t a[TS_NOC_NEAR_ARGUMENTS] = {0};
    for (unsigned i = 0; i < site->count; i++)
        a[i] = site->known >> i & 1 ? site->constants[i] : *stored++;
    out->wide = false;
    switch (site->shape) {
    case TS_NOC_SHAPE_WIDE:
    case TS_NOC_SHAPE_WIDE_MULTICAST:
        out->wide = true;
        out->data = pack_local(site, a);
        out->trailer = ts_noc_trailer_make((struct ts_noc_trailer){a[1], a[3], a[4]});
        break;
    case TS_NOC_SHAPE_WIDE_PLAIN:
        out->wide = true;
        out->data = pack_local(site, a);
        out->trailer = ts_noc_trailer_make((struct ts_noc_trailer){a[0], a[1], a[2]});
        break;
    case TS_NOC_SHAPE_FABRIC:
    case TS_NOC_SHAPE_FABRIC_CORNERS:
        out->data = pack_fabric(site, a);
        break;
    case TS_NOC_SHAPE_SCATTER:
        out->data = pack_scatter(site, a);
        break;
    case TS_NOC_SHAPE_ROUTING_1D:
    case TS_NOC_SHAPE_ROUTING_2D:
        out->data = pack_routing(site, a);
        break;
    default:
        out->data = pack_local(site, a);
    }
}

/* ---- reading ---- */

enum ts_status ts_noc_near_raw_create(const struct ts_noc_sites *sites, struct ts_noc_near_raw **out,
                                      struct ts_error *error)
{
    struct ts_noc_near_raw *near = calloc(1, sizeof *near);
    if (!near)
        return ts_error_no_memory(error);
    near->sites = sites;
    near->loaded = -1;
    *out = near;
    return TS_OK;
}

void ts_noc_near_raw_destroy(struct ts_noc_near_raw *near)
{
    free(near);
}

void ts_noc_near_raw_image(struct ts_noc_near_raw *near)
{
    near->position = TS_NOC_GUARANTEED;
    near->named = near->table = false;
    near->since = 0;
}

static void load_table(struct ts_noc_near_raw *near, uint16_t kernel)
{
    size_t count;
    near->named = true;
    if (near->loaded == kernel) {
        near->table = near->by_number[0] != NULL;
        return;
    }
    const struct ts_noc_site *sites = ts_noc_sites_of(near->sites, kernel, &count);
    memset(near->by_number, 0, sizeof near->by_number);
    for (size_t i = 0; i < count; i++)
        near->by_number[sites[i].number] = &sites[i];
    near->loaded = kernel;
    near->table = count > 0;
    /* No site has the number 0; its place says that there is a table. */
    near->by_number[0] = count > 0 ? sites : NULL;
}

void ts_noc_near_raw_marker(struct ts_noc_near_raw *near, uint32_t first, uint32_t low, unsigned words)
{
    uint64_t time = (uint64_t)(first & 0xFFF) << 32 | low;
    bool leads = near->position == TS_NOC_CUSTOM, guard = near->position < TS_NOC_CUSTOM;
    near->position += words;
    /* Guaranteed slots hold times of long before or nothing, padding and sums none. */
    if (guard || (first & 0x7FFFFFFF) == 0 || (first >> 28 & 7) == TS_NOC_ZONE_TOTAL)
        return;
    if (leads && (first >> 28 & 7) == TS_NOC_EVENT)
        load_table(near, (uint16_t)(first >> 12));
    /* Between two records the low word has come round at most once; what the marker says shows when it was more. */
    else if (near->counting && near->since && time >= near->time && (time - near->time) >> 32)
        near->counts.uncertain += near->since;
    near->time = time;
    near->since = 0;
}

static void note(struct ts_noc_near_counts *counts, bool site, uint32_t kernel, uint32_t number)
{
    unsigned *count = site ? &counts->site_count : &counts->kernel_count;
    for (unsigned i = 0; i < TS_NOC_NEAR_NAMED; i++) {
        if (i == *count) {
            ++*count;
            if (site)
                counts->sites[i].kernel = kernel, counts->sites[i].number = number;
            else
                counts->kernels[i].kernel = kernel;
        }
        if (site && counts->sites[i].kernel == kernel && counts->sites[i].number == number) {
            counts->sites[i].records++;
            return;
        }
        if (!site && counts->kernels[i].kernel == kernel) {
            counts->kernels[i].records++;
            return;
        }
    }
}

static void count_unknown(struct ts_noc_near_raw *near, uint32_t number)
{
    struct ts_noc_near_counts *counts = &near->counts;
    if (!near->counting)
        return;
    if (!near->named) {
        counts->no_kernel++;
    } else if (!near->table) {
        counts->unknown_kernels++;
        note(counts, false, (uint32_t)near->loaded, 0);
    } else {
        counts->unknown_sites++;
        note(counts, true, (uint32_t)near->loaded, number);
    }
}

enum ts_noc_near_found ts_noc_near_raw_record(struct ts_noc_near_raw *near, uint32_t first, uint32_t low,
                                              const uint32_t *words, size_t have, size_t *used,
                                              struct ts_noc_near_event *out)
{
    uint32_t number = first & (TS_NOC_SITE_NUMBERS - 1);
    uint32_t whole = number & 0x800 ? number | UINT32_C(0xFFFFF000) : number;
    unsigned count = TS_NOC_NEAR_WORDS(number);
    *used = 0;
    if (whole != first || (number & 1023) == 0 || near->position < TS_NOC_CUSTOM ||
        near->position + count > TS_NOC_BUFFER_WORDS) {
        near->counts.broken_images += near->counting;
        return TS_NOC_NEAR_BAD;
    }
    if (have < count - 2)
        return TS_NOC_NEAR_CUT;
    *used = count - 2;
    near->position += count;
    near->counts.records += near->counting;
    uint64_t time = (near->time & ~(uint64_t)UINT32_MAX) | low;
    if (time < near->time)
        time += UINT64_C(1) << 32;
    near->time = time & ((UINT64_C(1) << TS_NOC_TIME_BITS) - 1);
    near->since++;
    const struct ts_noc_site *site = near->table ? near->by_number[number] : NULL;
    if (!near->named || !site) {
        count_unknown(near, number);
        return TS_NOC_NEAR_UNKNOWN;
    }
    out->time = near->time;
    ts_noc_near_raw_pack(site, words, out);
    return TS_NOC_NEAR_EVENT;
}

/* ---- what to tell ---- */

static void tell(struct ts_buf *out, uint64_t count, const char *one, const char *many)
{
    if (count)
        ts_buf_printf(out, "%" PRIu64 " near-raw %s\n", count, count == 1 ? one : many);
}

void ts_noc_near_raw_describe(const struct ts_noc_near_counts *c, struct ts_buf *out)
{
    tell(out, c->unknown_sites, "record left out: its site is not in the table, which is of another build",
         "records left out: their sites are not in the table, which is of another build");
    for (unsigned i = 0; i < c->site_count; i++)
        ts_buf_printf(out, "  site %" PRIu32 " of kernel %" PRIu32 ": %" PRIu64 " of them\n", c->sites[i].number,
                      c->sites[i].kernel, c->sites[i].records);
    tell(out, c->unknown_kernels, "record left out: nobody gave the table of its kernel (--sites)",
         "records left out: nobody gave the tables of their kernels (--sites)");
    for (unsigned i = 0; i < c->kernel_count; i++)
        ts_buf_printf(out, "  kernel %" PRIu32 ": %" PRIu64 " of them\n", c->kernels[i].kernel, c->kernels[i].records);
    tell(out, c->no_kernel, "record left out: its image does not say of which kernel it is",
         "records left out: their images do not say of which kernels they are");
    tell(out, c->broken_images, "image is left at something that is no record; what follows in it is skipped",
         "images are left at something that is no record; what follows in them is skipped");
    tell(out, c->uncertain,
         "record may be earlier than it was by a multiple of 2^32 cycles: the clock's low word came round "
         "unseen",
         "records may be earlier than they were by a multiple of 2^32 cycles: the clock's low word came round unseen");
}
