/* The container that the operator simulator leaves behind (visualize_data.bin): a run of blocks with 12-byte headers.
 * docs/formats/sim-dump.md describes it. */
#ifndef TS_FORMATS_SIM_DUMP_H
#define TS_FORMATS_SIM_DUMP_H

#include "base/context.h"
#include "base/file.h"

enum ts_sim_block_type { TS_SIM_SOURCE = 1, TS_SIM_TRACE = 2, TS_SIM_API_FILE = 3, TS_SIM_API_INSTR = 4 };
enum { TS_SIM_HEADER_SIZE = 12, TS_SIM_SOURCE_PATH = 4096 };

/* One block: where its header and its useful bytes lie in the file (unpacked, when the file is compressed). */
struct ts_sim_block {
    uint64_t header;
    uint64_t offset, size; /* of the payload, padding and SOURCE path left out */
    unsigned char type, version;
    bool found;
};

/* An open dump. Reading at an offset is safe from several threads at once. */
struct ts_sim_dump;

/* Open the file at path. A .gz or .zst file is unpacked into a temporary file without a name.
 * Errors: those of ts_reader_open, TS_IO. */
enum ts_status ts_sim_dump_open(struct ts_context *context, const char *path, struct ts_sim_dump **out,
                                struct ts_error *error);
/* The same over bytes in memory, which must outlive the dump. */
enum ts_status ts_sim_dump_open_memory(const char *name, struct ts_str bytes, struct ts_sim_dump **out,
                                       struct ts_error *error);
void ts_sim_dump_close(struct ts_sim_dump *dump);

uint64_t ts_sim_dump_size(const struct ts_sim_dump *dump);
/* For messages: the path, made fit for one. */
const char *ts_sim_dump_name(const struct ts_sim_dump *dump);
/* Read count bytes at offset. Errors: TS_IO, TS_CHANGED when the file has become shorter. */
enum ts_status ts_sim_dump_read(const struct ts_sim_dump *dump, uint64_t offset, void *buffer, size_t count,
                                struct ts_error *error);
/* TS_CHANGED when the file is not what it was at opening. Call after the last read. */
enum ts_status ts_sim_dump_unchanged(const struct ts_sim_dump *dump, struct ts_error *error);

/* Walk all blocks in order: visit gets each, and a status other than TS_OK ends the walk and is returned. Both readings
 * of a SOURCE block's size are understood. Up to 11 bytes behind the last block are ignored.
 * Errors: TS_INPUT naming the offset of the block and, where the file is too short, its last byte. */
enum ts_status ts_sim_dump_walk(struct ts_context *context, const struct ts_sim_dump *dump,
                                enum ts_status (*visit)(void *data, const struct ts_sim_block *block,
                                                        struct ts_error *error),
                                void *data, struct ts_error *error);

/* The first block of the types that matter here; the others are only walked over. */
struct ts_sim_blocks {
    struct ts_sim_block trace, api_instr;
};
enum ts_status ts_sim_dump_find(struct ts_context *context, const struct ts_sim_dump *dump, struct ts_sim_blocks *out,
                                struct ts_error *error);

#endif
