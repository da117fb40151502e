/* ops_perf_results*.csv: tt-metal's table of operations, kept by column. Rows number from 0 in file order, blank lines not
 * counted; a row's id in every answer is its number + 2. */
#ifndef TS_FORMATS_OPS_CSV_H
#define TS_FORMATS_OPS_CSV_H

#include "base/arena.h"
#include "base/file.h"
#include "base/intern.h"
#include "formats/op_attributes.h"

/* COLUMN(name, header, kind): the columns that are kept; of equal headers the first counts. TEXT: the cell as written,
 * interned. NUMBER: a finite decimal number, else absent (NaN). DIMENSION: a tensor dimension (1 .. 2^32; "P[L]" reads
 * P), else absent; header without its "_PAD[LOGICAL]" suffix, which generation 1 lacks. */
#define TS_OPS_COLUMNS(COLUMN)                                                                                         \
    COLUMN(OP_CODE, "OP CODE", TEXT)                                                                                   \
    COLUMN(OP_TYPE, "OP TYPE", TEXT)                                                                                   \
    COLUMN(GLOBAL_CALL_COUNT, "GLOBAL CALL COUNT", TEXT)                                                               \
    COLUMN(DEVICE_ID, "DEVICE ID", TEXT)                                                                               \
    COLUMN(DEVICE_ARCH, "DEVICE ARCH", TEXT)                                                                           \
    COLUMN(MATH_FIDELITY, "MATH FIDELITY", TEXT)                                                                       \
    COLUMN(CORE_COUNT, "CORE COUNT", NUMBER)                                                                           \
    COLUMN(AVAILABLE_WORKER_CORE_COUNT, "AVAILABLE WORKER CORE COUNT", TEXT)                                           \
    COLUMN(SUB_DEVICE_ID, "SUB DEVICE ID", TEXT)                                                                       \
    COLUMN(HOST_START_TS, "HOST START TS", NUMBER)                                                                     \
    COLUMN(FW_START_CYCLE, "DEVICE FW START CYCLE", TEXT)                                                              \
    COLUMN(FW_END_CYCLE, "DEVICE FW END CYCLE", TEXT)                                                                  \
    COLUMN(OP_TO_OP_LATENCY, "OP TO OP LATENCY [ns]", NUMBER)                                                          \
    COLUMN(KERNEL_DURATION, "DEVICE KERNEL DURATION [ns]", NUMBER)                                                     \
    COLUMN(PER_CORE_MIN, "DEVICE KERNEL DURATION PER CORE MIN [ns]", NUMBER)                                           \
    COLUMN(PER_CORE_MAX, "DEVICE KERNEL DURATION PER CORE MAX [ns]", NUMBER)                                           \
    COLUMN(PER_CORE_AVG, "DEVICE KERNEL DURATION PER CORE AVG [ns]", NUMBER)                                           \
    COLUMN(FIRST_TO_LAST_START, "DEVICE KERNEL FIRST TO LAST START [ns]", NUMBER)                                      \
    COLUMN(BRISC_DURATION, "DEVICE BRISC KERNEL DURATION [ns]", NUMBER)                                                \
    COLUMN(NCRISC_DURATION, "DEVICE NCRISC KERNEL DURATION [ns]", NUMBER)                                              \
    COLUMN(TRISC0_DURATION, "DEVICE TRISC0 KERNEL DURATION [ns]", NUMBER)                                              \
    COLUMN(TRISC1_DURATION, "DEVICE TRISC1 KERNEL DURATION [ns]", NUMBER)                                              \
    COLUMN(TRISC2_DURATION, "DEVICE TRISC2 KERNEL DURATION [ns]", NUMBER)                                              \
    COLUMN(ERISC_DURATION, "DEVICE ERISC KERNEL DURATION [ns]", NUMBER)                                                \
    COLUMN(CB_WAIT_FRONT, "DEVICE COMPUTE CB WAIT FRONT [ns]", NUMBER)                                                 \
    COLUMN(CB_RESERVE_BACK, "DEVICE COMPUTE CB RESERVE BACK [ns]", NUMBER)                                             \
    COLUMN(DISPATCH_CQ_CMD_OP, "DISPATCH TOTAL CQ CMD OP TIME [ns]", NUMBER)                                           \
    COLUMN(DISPATCH_GO_SEND_WAIT, "DISPATCH GO SEND WAIT TIME [ns]", NUMBER)                                           \
    COLUMN(INPUT_0_W, "INPUT_0_W", DIMENSION)                                                                          \
    COLUMN(INPUT_0_Z, "INPUT_0_Z", DIMENSION)                                                                          \
    COLUMN(INPUT_0_Y, "INPUT_0_Y", DIMENSION)                                                                          \
    COLUMN(INPUT_0_X, "INPUT_0_X", DIMENSION)                                                                          \
    COLUMN(INPUT_1_W, "INPUT_1_W", DIMENSION)                                                                          \
    COLUMN(INPUT_1_Z, "INPUT_1_Z", DIMENSION)                                                                          \
    COLUMN(INPUT_1_Y, "INPUT_1_Y", DIMENSION)                                                                          \
    COLUMN(INPUT_1_X, "INPUT_1_X", DIMENSION)                                                                          \
    COLUMN(OUTPUT_0_W, "OUTPUT_0_W", DIMENSION)                                                                        \
    COLUMN(OUTPUT_0_Z, "OUTPUT_0_Z", DIMENSION)                                                                        \
    COLUMN(OUTPUT_0_Y, "OUTPUT_0_Y", DIMENSION)                                                                        \
    COLUMN(OUTPUT_0_X, "OUTPUT_0_X", DIMENSION)                                                                        \
    COLUMN(INPUT_0_DATATYPE, "INPUT_0_DATATYPE", TEXT)                                                                 \
    COLUMN(INPUT_1_DATATYPE, "INPUT_1_DATATYPE", TEXT)                                                                 \
    COLUMN(OUTPUT_0_DATATYPE, "OUTPUT_0_DATATYPE", TEXT)                                                               \
    COLUMN(INPUT_0_MEMORY, "INPUT_0_MEMORY", TEXT)                                                                     \
    COLUMN(INPUT_1_MEMORY, "INPUT_1_MEMORY", TEXT)                                                                     \
    COLUMN(OUTPUT_0_MEMORY, "OUTPUT_0_MEMORY", TEXT)                                                                   \
    COLUMN(METAL_TRACE_ID, "METAL TRACE ID", TEXT)                                                                     \
    COLUMN(METAL_TRACE_REPLAY_SESSION_ID, "METAL TRACE REPLAY SESSION ID", TEXT)                                       \
    COLUMN(COMPUTE_KERNEL_SOURCE, "COMPUTE KERNEL SOURCE", TEXT)                                                       \
    COLUMN(COMPUTE_KERNEL_HASH, "COMPUTE KERNEL HASH", TEXT)                                                           \
    COLUMN(DATA_MOVEMENT_KERNEL_SOURCE, "DATA MOVEMENT KERNEL SOURCE", TEXT)                                           \
    COLUMN(DATA_MOVEMENT_KERNEL_HASH, "DATA MOVEMENT KERNEL HASH", TEXT)                                               \
    COLUMN(PROGRAM_HASH, "PROGRAM HASH", TEXT)                                                                         \
    COLUMN(PROGRAM_CACHE_HIT, "PROGRAM CACHE HIT", TEXT)                                                               \
    COLUMN(PM_IDEAL, "PM IDEAL [ns]", NUMBER)                                                                          \
    COLUMN(PM_COMPUTE, "PM COMPUTE [ns]", NUMBER)                                                                      \
    COLUMN(PM_BANDWIDTH, "PM BANDWIDTH [ns]", NUMBER)                                                                  \
    COLUMN(PM_FPU_UTIL, "PM FPU UTIL (%)", NUMBER)                                                                     \
    COLUMN(NOC_UTIL, "NOC UTIL (%)", NUMBER)                                                                           \
    COLUMN(MULTICAST_NOC_UTIL, "MULTICAST NOC UTIL (%)", NUMBER)                                                       \
    COLUMN(DRAM_BW_UTIL, "DRAM BW UTIL (%)", NUMBER)                                                                   \
    COLUMN(DRAM_BW_UTIL_PER_CTRL, "DRAM BW UTIL PER CTRL (%)", TEXT)                                                   \
    COLUMN(ETH_BW_UTIL, "ETH BW UTIL (%)", TEXT)                                                                       \
    COLUMN(NPE_CONG_IMPACT, "NPE CONG IMPACT (%)", NUMBER)

enum ts_ops_column {
#define TS_OPS_ENUM(name, header, kind) TS_OPS_##name,
    TS_OPS_COLUMNS(TS_OPS_ENUM)
#undef TS_OPS_ENUM
        TS_OPS_COLUMN_COUNT
};

/* The header of a column ("INPUT_0_W" for a dimension whatever the generation). */
const char *ts_ops_column_header(enum ts_ops_column column);

enum ts_ops_generation {
    TS_OPS_GENERATION_1,   /* plain dimension columns */
    TS_OPS_GENERATION_2,   /* INPUT_0_W_PAD[LOGICAL] */
    TS_OPS_GENERATION_2_1, /* with DEVICE ARCH or AVAILABLE WORKER CORE COUNT */
};

struct ts_ops_csv {
    struct ts_arena arena; /* texts */
    struct ts_intern text; /* ids of TEXT columns; 0 is the empty cell */
    uint32_t rows;
    enum ts_ops_generation generation;
    bool has[TS_OPS_COLUMN_COUNT];           /* the header names the column */
    double *numbers[TS_OPS_COLUMN_COUNT];    /* by row; NULL: all absent (or a TEXT column) */
    uint32_t *texts[TS_OPS_COLUMN_COUNT];    /* by row; NULL: all empty (or not a TEXT column) */
    bool has_attributes;                     /* the header names ATTRIBUTES */
    uint32_t *attributes;                    /* by row: index into attribute_sets; NULL: no cell holds anything */
    struct ts_op_attributes *attribute_sets; /* [0] is that of an empty cell */
    uint32_t attribute_set_count;
    uint64_t bytes;              /* read, decompressed */
    size_t memory;               /* held, for the cache's bound */
    struct ts_identity identity; /* of the (first) file */
};

/* Why a file cannot be reported on, or its rows not be read; message is prose for the answer, file's name not in it. */
struct ts_ops_problem {
    bool unusable;                 /* the file cannot be reported on at all (performance_csv_problem) */
    bool rows_unreadable;          /* a ragged line, an unclosed quote, a row over the limit (signposts_problem) */
    bool has[TS_OPS_COLUMN_COUNT]; /* the header, if it could be read, names the column */
    char message[512];
};

/* Read one file. When it can be read as far as the disk goes but is no usable operations CSV: TS_OK, *out NULL and problem
 * filled, in the order of precedence: not opened, not UTF-8, malformed header, empty, missing columns (DEVICE ID, OP
 * CODE, OP TYPE; sorted), no data rows; and apart from these a ragged row or unclosed quote (rows_unreadable).
 * A device-only file (no OP CODE, no DEVICE ID) is recognised by name in its message. Surplus cells that are
 * all empty are dropped. *identity (may be NULL) is set whenever the file could be opened. Errors: TS_CANCELLED,
 * TS_LIMIT, TS_NO_MEMORY, TS_CHANGED (written to while being read). */
enum ts_status ts_ops_csv_read(struct ts_context *context, const char *path, struct ts_ops_csv **out,
                               struct ts_ops_problem *problem, struct ts_identity *identity, struct ts_error *error);
/* The same over bytes in memory (tests, fuzzing). */
enum ts_status ts_ops_csv_read_memory(struct ts_context *context, struct ts_str bytes, bool portable,
                                      struct ts_ops_csv **out, struct ts_ops_problem *problem, struct ts_error *error);
/* Append the rows of from to to (several files as one report). Device ids of from are raised by
 * device_offset where usable. from stays. Errors: TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_ops_csv_append(struct ts_ops_csv *to, const struct ts_ops_csv *from, uint32_t device_offset,
                                 struct ts_error *error);
void ts_ops_csv_destroy(struct ts_ops_csv *ops);

/* The cell; empty text when the column is absent. Borrowed from ops. */
static inline struct ts_str ts_ops_text(const struct ts_ops_csv *ops, enum ts_ops_column column, uint32_t row)
{
    return ops->texts[column] ? ts_intern_text(&ops->text, ops->texts[column][row]) : (struct ts_str){"", 0};
}
static inline double ts_ops_number(const struct ts_ops_csv *ops, enum ts_ops_column column, uint32_t row)
{
    return ops->numbers[column] ? ops->numbers[column][row] : __builtin_nan("");
}
static inline const struct ts_op_attributes *ts_ops_attributes(const struct ts_ops_csv *ops, uint32_t row)
{
    return &ops->attribute_sets[ops->attributes ? ops->attributes[row] : 0];
}
/* Whether a cell counts as missing in columns the report is computed from: empty, NA, None, nan, ... (19 spellings). */
bool ts_ops_cell_empty(struct ts_str cell);
/* A usable DEVICE ID: whole, >= 0, below 2^31; else -1. */
int32_t ts_ops_device(const struct ts_ops_csv *ops, uint32_t row);
/* Whether DEVICE ID is a number at all, usable or not. */
bool ts_ops_device_numeric(const struct ts_ops_csv *ops, uint32_t row);

#endif
