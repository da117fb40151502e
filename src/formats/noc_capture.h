/* A raw profiler capture (.tsraw): a description, and the words of each RISC as they were collected. Words are read in blocks,
 * never mapped. */
#ifndef TS_FORMATS_NOC_CAPTURE_H
#define TS_FORMATS_NOC_CAPTURE_H

#include "base/file.h"
#include "formats/noc_description.h"

enum { TS_NOC_SECTION_DRAM = 1, TS_NOC_SECTION_L1 = 2, TS_NOC_SECTION_CONTROL = 3 };

struct ts_noc_section {
    uint16_t kind, risc, flat_id;
    bool dropped;
    int16_t x, y;
    uint32_t device;
    uint64_t offset, words; /* in the file */
    uint64_t lost;          /* events; 0: not known */
};

struct ts_noc_capture {
    struct ts_context *context;
    char *path;
    int fd;
    struct ts_identity identity;
    struct ts_noc_description *description;
    struct ts_noc_section *sections; /* as they stand in the file */
    size_t section_count;
};

/* Whether bytes begin like a raw capture. */
bool ts_noc_capture_is(struct ts_str bytes);
/* Read header, description and table, and check that all words lie within the file. Errors: those of ts_file_open; TS_INPUT
 * naming the place; TS_LIMIT, TS_NO_MEMORY, TS_IO. */
enum ts_status ts_noc_capture_open(struct ts_context *context, const char *path, struct ts_noc_capture **out,
                                   struct ts_error *error);
void ts_noc_capture_close(struct ts_noc_capture *capture);
/* Fill words from a place in the file that lies within a section; short only at the end of what the file now holds
 * (TS_CHANGED). */
enum ts_status ts_noc_capture_read(const struct ts_noc_capture *capture, uint64_t offset, uint32_t *words, size_t count,
                                   struct ts_error *error);
/* TS_CHANGED when the file is no longer what it was. */
enum ts_status ts_noc_capture_unchanged(const struct ts_noc_capture *capture, struct ts_error *error);

#endif
