/* A profiler report as questions read it: one rank of it, its operations, devices and tensors. */
#ifndef TS_MODELS_PROFILER_H
#define TS_MODELS_PROFILER_H

#include "base/arena.h"
#include "formats/buffer_type.h"
#include "formats/profiler_db.h"
#include "models/capture.h"

enum { TS_PROFILER_RANKS_MAX = 4096 };

/* What makes a part, as struct ts_part_request has it. */
typedef enum ts_status ts_profiler_make_fn(struct ts_context *context, void *data, struct ts_part **out,
                                           struct ts_error *error);

/* For the length of one call. */
struct ts_profiler {
    struct ts_capture *capture;
    struct ts_db *db;     /* of the capture, open until ts_capture_release */
    bool multi_host;      /* operations has a rank column */
    int64_t rank;         /* that is read; 0 when not multi_host */
    const int64_t *ranks; /* that operations names, ascending */
    size_t rank_count;
    uint64_t keyless[TS_DB_TABLES]; /* rows left out of what was read, since their key is no number */
    const char
        *missing_key[TS_DB_TABLES]; /* of a table that was to be read: the column that it cannot be read without */
    struct ts_arena arena;          /* what this call read */
};

/* As ts_profiler_begin, but tables that carry no rank are not looked at. */
enum ts_status ts_profiler_open(struct ts_context *context, struct ts_capture *capture, bool rank_given, int64_t rank,
                                const enum ts_db_table *needed, size_t needed_count, struct ts_profiler *out,
                                struct ts_error *error);
/* Begin reading at a rank (rank_given false: 0). needed is a NULL-free list of tables that the question cannot do without; with
 * more than one rank each of them that exists must carry the rank. Errors: those of ts_capture_database; TS_REFUSED (tables
 * missing, all named; a rank the report has not; tables that cannot be attributed to a rank, all named). */
enum ts_status ts_profiler_begin(struct ts_context *context, struct ts_capture *capture, bool rank_given, int64_t rank,
                                 const enum ts_db_table *needed, size_t needed_count, struct ts_profiler *out,
                                 struct ts_error *error);
void ts_profiler_end(struct ts_profiler *profiler);
/* Call after the last read: TS_CHANGED when the database moved meanwhile. */
enum ts_status ts_profiler_finish(struct ts_profiler *profiler, struct ts_error *error);

/* More than one rank, and the table exists without a rank column: what it feeds is withheld, or refused. */
bool ts_profiler_unattributable(const struct ts_profiler *profiler, enum ts_db_table table);
/* Refuse if any of the tables is that; they are named in their order. */
enum ts_status ts_profiler_attributable(const struct ts_profiler *profiler, const enum ts_db_table *tables,
                                        size_t count, struct ts_error *error);

/* ---- what is kept between calls ---- */

/* A part made of the database at the rank, which make is called for with the profiler as its data, unless one is kept that
 * was made of the same state. Borrowed until ts_capture_release. Errors: those of ts_parts_acquire. */
enum ts_status ts_profiler_part(struct ts_context *context, struct ts_profiler *profiler,
                                const struct ts_part_type *type, ts_profiler_make_fn *make, struct ts_part **out,
                                struct ts_error *error);

/* ---- rows ---- */

/* What selects all rows of a table at the rank. */
struct ts_db_select ts_profiler_select(const struct ts_profiler *profiler, enum ts_db_table table,
                                       const char *const *columns);
/* Begin to read them. *out is the caller's. */
enum ts_status ts_profiler_scan(struct ts_profiler *profiler, enum ts_db_table table, const char *const *columns,
                                struct ts_db_rows **out, struct ts_error *error);
/* Hand them one after the other to visit, as ts_db_visit does: several times faster. */
enum ts_status ts_profiler_each(struct ts_profiler *profiler, enum ts_db_table table, const char *const *columns,
                                ts_db_visit_fn *visit, void *data, struct ts_error *error);
/* The same where ts_profiler_unattributable does not keep the table from being read; else it counts as empty. */
enum ts_status ts_profiler_each_attributable(struct ts_profiler *profiler, enum ts_db_table table,
                                             const char *const *columns, ts_db_visit_fn *visit, void *data,
                                             struct ts_error *error);

/* ---- rows by key ---- */

/* The rows at the rank of a table whose key column ("operation_id", "tensor_id") is value, in row order, found through an
 * index kept between calls. */
enum ts_status ts_profiler_rows(struct ts_context *context, struct ts_profiler *profiler, enum ts_db_table table,
                                const char *key, int64_t value, const char *const *columns, struct ts_db_rows **out,
                                struct ts_error *error);
/* The index itself, borrowed until ts_capture_release: keys of all ranks. */
enum ts_status ts_profiler_index(struct ts_context *context, struct ts_profiler *profiler, enum ts_db_table table,
                                 const char *key, const struct ts_db_index **out, struct ts_error *error);

/* Note when a table that is read lacks the column that tells its rows apart, for the caveat. ts_profiler_rows does. */
void ts_profiler_note_key(struct ts_profiler *profiler, enum ts_db_table table);

/* A copy of a cell in the profiler's arena: ptr NULL for NULL and for a column that is missing. */
enum ts_status ts_profiler_copy_text(struct ts_profiler *profiler, struct ts_db_rows *rows, unsigned column,
                                     struct ts_str *out, struct ts_error *error);
enum ts_status ts_profiler_copy_cell(struct ts_profiler *profiler, const struct ts_db_cell *cell, struct ts_str *out,
                                     struct ts_error *error);

/* ---- operations ---- */

struct ts_profiler_operation {
    int64_t id;
    struct ts_str name; /* ptr NULL: none; in the profiler's arena */
    double duration;    /* host seconds; absent: not recorded */
};
/* The first row of the id at the rank. Errors: TS_REFUSED (no such operation), those of ts_db_next. */
enum ts_status ts_profiler_operation(struct ts_context *context, struct ts_profiler *profiler, int64_t id,
                                     struct ts_profiler_operation *out, struct ts_error *error);
/* The same for an id that need not exist: *found false. */
enum ts_status ts_profiler_find_operation(struct ts_context *context, struct ts_profiler *profiler, int64_t id,
                                          struct ts_profiler_operation *out, bool *found, struct ts_error *error);

/* ---- devices ---- */

struct ts_profiler_device {
    int64_t id;
    /* 0: unknown */
    int64_t worker_l1_size, l1_num_banks, l1_bank_size, l1_start, num_compute_cores, total_l1_for_tensors;
};
struct ts_profiler_devices {
    struct ts_profiler_device
        *items; /* distinct ids in the order of their first rows, with the figures of their last */
    size_t count;
};
/* At the rank; none when there is no devices table or it cannot be attributed. In the profiler's arena. */
enum ts_status ts_profiler_devices(struct ts_context *context, struct ts_profiler *profiler,
                                   struct ts_profiler_devices *out, struct ts_error *error);

/* Distinct pairs of rank and device id in the whole report; *found false when it has no devices table. */
enum ts_status ts_profiler_count_devices(struct ts_context *context, struct ts_capture *capture, int64_t *count,
                                         bool *found, struct ts_error *error);

/* ---- tensors ---- */

struct ts_profiler_tensor {
    int64_t id;
    bool found;                         /* it has a row; else nothing below is set */
    struct ts_str shape, dtype, layout; /* ptr NULL: null; all in the profiler's arena */
    struct ts_str memory_config;        /* as written */
    struct ts_str buffer_type;          /* effective: by its memory_config when it has no address */
    bool has_address, has_size;
    int64_t address, device_id, size; /* size: bytes by ts_profiler_sizes_are_whole, else of one bank */
    bool has_device;
};
/* Ids of operations, ascending, each once; given back with ts_vec_free. */
struct ts_profiler_operations {
    int64_t *items;
    size_t count, capacity;
};
/* The operations that have the tensor in a table, TS_DB_INPUT_TENSORS or TS_DB_OUTPUT_TENSORS. *out is empty before, and to
 * be freed also after a failure. */
enum ts_status ts_profiler_tensor_operations(struct ts_context *context, struct ts_profiler *profiler,
                                             enum ts_db_table table, int64_t tensor, struct ts_profiler_operations *out,
                                             struct ts_error *error);
/* The tensor's row at the rank, with its size by the report's rule. */
enum ts_status ts_profiler_tensor(struct ts_context *context, struct ts_profiler *profiler, int64_t id,
                                  struct ts_profiler_tensor *out, struct ts_error *error);
/* Whether tensors carry whole-tensor sizes ("bytes"); else sizes are of one bank ("bytes_per_bank"). */
bool ts_profiler_sizes_are_whole(const struct ts_profiler *profiler);

#endif
