/* Bytes that are appended first and read later, of any number in bounded memory: what does not fit goes to a file without a name,
 * which is gone however the program ends. */
#ifndef TS_BASE_SPILL_H
#define TS_BASE_SPILL_H

#include <stddef.h>
#include <stdint.h>

#include <tilesight/tilesight.h>

struct ts_spill {
    const char *folder; /* of the file; borrowed */
    size_t memory;      /* most bytes in memory */
    char *buffer;       /* bytes from `written` on */
    size_t used, capacity;
    int fd;           /* -1: everything is in memory */
    uint64_t written; /* to the file */
};

/* Nothing is opened until more than memory bytes are added. */
void ts_spill_init(struct ts_spill *spill, const char *folder, size_t memory);
void ts_spill_free(struct ts_spill *spill);
/* Bytes added so far. */
uint64_t ts_spill_size(const struct ts_spill *spill);
/* Append. Errors: TS_NO_MEMORY; TS_IO naming the folder (full, not writable). */
enum ts_status ts_spill_add(struct ts_spill *spill, const void *bytes, size_t len, struct ts_error *error);
/* Bytes from an offset on, all of which were added. Errors: TS_IO naming the folder. */
enum ts_status ts_spill_read(const struct ts_spill *spill, uint64_t offset, void *bytes, size_t len,
                             struct ts_error *error);

#endif
