/* Tables of call sites: what a kernel compiled in the recorder's near-raw mode says of its records (noc_trace_near_raw.h). A table
 * is the section .ts_noc_sites of a linked kernel, one entry for each site. */
#ifndef TS_FORMATS_NOC_SITES_H
#define TS_FORMATS_NOC_SITES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/vec.h"
#include "formats/noc_packets.h"

struct ts_noc_site {
    uint16_t kernel, number; /* number: the low 12 bits of a record's first word */
    unsigned char words;     /* of a record */
    unsigned char shape;     /* TS_NOC_SHAPE_... */
    unsigned char count;     /* arguments */
    unsigned char known;     /* bit i: argument i is constants[i] and not stored */
    unsigned char type, noc; /* noc 0 or 1 */
    signed char vc;
    bool posted;
    enum ts_noc_wire wire;
    uint32_t line; /* 0: not known */
    uint32_t constants[TS_NOC_NEAR_ARGUMENTS];
    struct ts_str file; /* empty: not known */
};
enum { TS_NOC_SITE_NUMBERS = 4096 };

struct ts_noc_sites {
    struct ts_arena arena; /* file names */
    TS_VEC(struct ts_noc_site) all;
};

/* No sites. Errors: TS_NO_MEMORY. */
enum ts_status ts_noc_sites_create(struct ts_noc_sites **out, struct ts_error *error);
void ts_noc_sites_destroy(struct ts_noc_sites *sites);
/* Add the entries of a table. Errors: TS_INPUT naming the entry (damaged; numbers that do not go on), TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_noc_sites_add(struct ts_noc_sites *sites, struct ts_str table, struct ts_error *error);
/* The same of a table in hexadecimal digits, as a description holds it. */
enum ts_status ts_noc_sites_add_hex(struct ts_noc_sites *sites, struct ts_str digits, struct ts_error *error);
/* The same of a file: a linked kernel (ELF of 32 bits), or the bytes of its section alone. Errors: those of ts_noc_sites_add and of
 * reading; TS_INPUT (no table in it, not linked, damaged); messages name the file. */
enum ts_status ts_noc_sites_add_file(struct ts_context *context, struct ts_noc_sites *sites, const char *path,
                                     struct ts_error *error);
/* After the last table: put sites in order, equal ones once. *wire is the generation they are of. Errors: TS_INPUT (two that differ have
 * one number; generations that differ; no site at all). */
enum ts_status ts_noc_sites_finish(struct ts_noc_sites *sites, enum ts_noc_wire *wire, struct ts_error *error);
/* A kernel's sites, in order; *count is 0 when it has none. */
const struct ts_noc_site *ts_noc_sites_of(const struct ts_noc_sites *sites, uint16_t kernel, size_t *count);

#endif
