/* Near-raw records: the words that the recorder's near-raw mode leaves in an image, read with the tables of call sites. Each gives
 * the packet that the compatible mode would have written for the call. */
#ifndef TS_FORMATS_NOC_NEAR_RAW_H
#define TS_FORMATS_NOC_NEAR_RAW_H

#include "base/buf.h"
#include "formats/noc_sites.h"

/* What a record is in the compatible mode. */
struct ts_noc_near_event {
    uint64_t time; /* the whole one, 44 bits */
    uint64_t data; /* a payload of the site's generation */
    uint64_t trailer;
    bool wide; /* a 16-byte packet: there is a trailer */
};

enum { TS_NOC_NEAR_NAMED = 8 };
/* Records of which there is nothing to tell, and why. Of sites and kernels that are not known the first few are named. */
struct ts_noc_near_counts {
    uint64_t records;         /* all, known or not */
    uint64_t unknown_sites;   /* records whose site is not in their kernel's table */
    uint64_t unknown_kernels; /* records of kernels without a table */
    uint64_t no_kernel;       /* records of images that do not say their kernel */
    uint64_t broken_images;   /* left at something that is no record */
    uint64_t uncertain;       /* times that may be a multiple of 2^32 too early */
    struct {
        uint32_t kernel, number;
        uint64_t records;
    } sites[TS_NOC_NEAR_NAMED], kernels[TS_NOC_NEAR_NAMED];
    unsigned site_count, kernel_count; /* named ones */
};

/* Reads the images of a lane. */
struct ts_noc_near_raw {
    const struct ts_noc_sites *sites;
    const struct ts_noc_site *by_number[TS_NOC_SITE_NUMBERS]; /* of the kernel that was named last */
    int32_t loaded;                                           /* that kernel; -1: none yet */
    bool counting;                                            /* add to counts */
    bool named, table;                                        /* the image's kernel is known, and has a table */
    unsigned position;                                        /* words of the image behind us */
    uint64_t time;                                            /* of the last record or marker */
    uint64_t since;                                           /* records since the last whole time */
    struct ts_noc_near_counts counts;
};

/* sites: finished, and lives longer. Errors: TS_NO_MEMORY. */
enum ts_status ts_noc_near_raw_create(const struct ts_noc_sites *sites, struct ts_noc_near_raw **out,
                                      struct ts_error *error);
void ts_noc_near_raw_destroy(struct ts_noc_near_raw *near);
/* An image begins: its four identity words are behind us. */
void ts_noc_near_raw_image(struct ts_noc_near_raw *near);
/* A marker of the image, of `words` words. */
void ts_noc_near_raw_marker(struct ts_noc_near_raw *near, uint32_t first, uint32_t low, unsigned words);
/* Whether a first word is a record's and not a marker's. */
static inline bool ts_noc_near_raw_is(uint32_t first)
{
    return !(first & TS_NOC_MARKER_VALID) || first >> 28 == 15;
}
/* The record that begins with two words, whose others are at words. *used of them belong to it. */
enum ts_noc_near_found {
    TS_NOC_NEAR_EVENT,   /* *out is filled */
    TS_NOC_NEAR_UNKNOWN, /* nobody knows what it is; it is counted and to be skipped */
    TS_NOC_NEAR_CUT,     /* it goes on behind the words at hand */
    TS_NOC_NEAR_BAD,     /* no record, or one longer than what is left of its image: what follows cannot be read */
};
enum ts_noc_near_found ts_noc_near_raw_record(struct ts_noc_near_raw *near, uint32_t first, uint32_t low,
                                              const uint32_t *words, size_t have, size_t *used,
                                              struct ts_noc_near_event *out);
/* Pack the arguments that a site's record stores (as many as it does). */
void ts_noc_near_raw_pack(const struct ts_noc_site *site, const uint32_t *stored, struct ts_noc_near_event *out);
/* Sentences about what was not told, one a line. */
void ts_noc_near_raw_describe(const struct ts_noc_near_counts *counts, struct ts_buf *out);

#endif
