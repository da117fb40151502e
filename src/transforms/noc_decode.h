/* NoC trace files out of a raw profiler capture or a device log: one for each program run on each device. */
#ifndef TS_TRANSFORMS_NOC_DECODE_H
#define TS_TRANSFORMS_NOC_DECODE_H

#include "transforms/noc_decode_text.h"

struct ts_noc_decode_options {
    const char *input;
    const char *folder;  /* where files go; made when it is not there. NULL: everything into `stream` */
    const char *stream;  /* a path for one array of all records */
    const char *scratch; /* a folder for what does not fit in memory, where there is no other; NULL: the system's */
    const char *tables;  /* a description, as JSON or in a raw capture; NULL: none, or the input's own */
    const char *const *sites; /* linked kernels, or their tables of call sites, of a near-raw capture */
    size_t site_count;
    enum ts_noc_format format;
    bool has_wire; /* wire wins over what the input says */
    enum ts_noc_wire wire;
    bool posted;             /* print the posted bit instead of null */
    bool repair;             /* balance zones that drops left open */
    bool assume_unharvested; /* place destinations as on a chip with all its rows */
};

/* Events that are in no file, and why. */
enum ts_noc_loss {
    TS_NOC_LOSS_BAD_CODE,
    TS_NOC_LOSS_ORPHAN_ROUTE,
    TS_NOC_LOSS_MISSING_CHUNKS,
    TS_NOC_LOSS_MISSING_PARTS,
    TS_NOC_LOSS_INVALID_CORE,
    TS_NOC_LOSS_MISSING_MUX,
    TS_NOC_LOSS_TOO_FAR,
    TS_NOC_LOSS_DYNAMIC_MESH,
    TS_NOC_LOSS_NO_CHANNEL,
    TS_NOC_LOSS_MULTICAST,
    TS_NOC_LOSS_SAME_TIME,
    TS_NOC_LOSS_COUNT,
};
struct ts_noc_decode_report {
    uint64_t files, records, bytes;
    uint64_t losses[TS_NOC_LOSS_COUNT];
    uint64_t unplaced; /* written without a destination, or with one as the core saw it */
    uint64_t duplicates;
    uint64_t repaired_open, repaired_orphans; /* zone ends made, and ends left out */
    struct ts_noc_counts counts;
    const char *wire;    /* the generation */
    struct ts_buf lanes; /* "device D core X,Y PROC", one a line: those whose buffers were full */
    uint64_t lane_count;
};

/* Decode. report is filled as far as it got and is to be freed with ts_noc_decode_report_free. Errors: those of reading and
 * writing; TS_INPUT with the place in the input; TS_REFUSED (a file would be written over the input). */
enum ts_status ts_noc_decode(struct ts_context *context, const struct ts_noc_decode_options *options,
                             struct ts_noc_decode_report *report, struct ts_error *error);
void ts_noc_decode_report_free(struct ts_noc_decode_report *report);
/* Sentences about what is not in the files, one a line; nothing when all is. */
void ts_noc_decode_describe(const struct ts_noc_decode_report *report, struct ts_buf *out);

#endif
