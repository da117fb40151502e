/* What answers from a profiler database share: their arguments, their frame, and how tensors and memory figures look. */
#ifndef TS_QUESTIONS_PROFILER_COMMON_H
#define TS_QUESTIONS_PROFILER_COMMON_H

#include "models/l1_pressure.h"
#include "models/profiler.h"
#include "questions/question.h"

#define TS_PROFILER_HANDLE_PARAM                                                                                       \
    {                                                                                                                  \
        .name = "handle", .kind = TS_PARAM_HANDLE, .required = true, .help = "from load_report"                        \
    }
#define TS_PROFILER_RANK_PARAM                                                                                         \
    {                                                                                                                  \
        .name = "rank", .kind = TS_PARAM_INTEGER, .help = "host rank of a multi-host report, default 0"                \
    }
#define TS_PROFILER_LIMIT_PARAM                                                                                        \
    {                                                                                                                  \
        .name = "limit", .kind = TS_PARAM_LIMIT, .default_integer = 10, .maximum = 100, .help = "rows listed"          \
    }

/* ---- the frame of an answer ---- */

/* Begin reading with the question's tables, at the rank of its arguments. Refuses as ts_profiler_begin does. */
enum ts_status ts_profiler_read(struct ts_context *context, const struct ts_args *args, struct ts_capture *capture,
                                struct ts_profiler *out, struct ts_error *error);
/* An answer's caveat: sentences with one blank between them. */
struct ts_caveat {
    struct ts_buf text;
};
/* Begins with what a rank means, on a multi-host report. */
void ts_caveat_init(struct ts_caveat *caveat, const struct ts_profiler *profiler);
__attribute__((format(printf, 2, 3))) void ts_caveat_add(struct ts_caveat *caveat, const char *format, ...);
/* Add "multi_host", "rank" and, if there is one, "caveat", which is freed. */
void ts_profiler_add_frame(struct ts_answer *answer, const struct ts_profiler *profiler, struct ts_caveat *caveat);
/* Frees caveat and profiler whatever status is; TS_CHANGED when all went well and the database moved meanwhile. */
enum ts_status ts_profiler_close(struct ts_profiler *profiler, struct ts_caveat *caveat, enum ts_status status,
                                 struct ts_error *error);
#define TS_PROFILER_FRAME_FIELDS                                                                                       \
    {.key = "multi_host", .kind = TS_KIND_BOOLEAN, .help = "true: the report carries ranks, and ids restart on each"}, \
        {.key = "rank",                                                                                                \
         .kind = TS_KIND_INTEGER,                                                                                      \
         .nullable = true,                                                                                             \
         .help = "the rank read; null: the report has none"},                                                          \
    {                                                                                                                  \
        .key = "caveat", .kind = TS_KIND_STRING, .sometimes = true, .show = TS_SHOW_BELOW,                             \
        .help = "what limits this answer"                                                                              \
    }

/* ---- operations ---- */

/* "operation_id" and "name" (null without one). */
void ts_profiler_add_operation(struct ts_answer *answer, yyjson_mut_val *object, int64_t id, struct ts_str name);
#define TS_PROFILER_OPERATION_FIELDS(id_help, name_help)                                                               \
    {.key = "operation_id", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .heading = "id", .help = id_help},        \
    {                                                                                                                  \
        .key = "name", .kind = TS_KIND_STRING, .nullable = true, .show = TS_SHOW_COLUMN, .help = name_help             \
    }
/* A text of the report, null when its ptr is NULL. */
void ts_profiler_add_text(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str text);

/* ---- tensors ---- */

/* "shape", "dtype", "layout", "memory_config", "size" (then "size_unit" when with_unit), "buffer_type". */
enum ts_status ts_profiler_add_tensor(struct ts_answer *answer, yyjson_mut_val *object, struct ts_profiler *profiler,
                                      const struct ts_profiler_tensor *tensor, bool with_unit, struct ts_error *error);
/* "bytes" or "bytes_per_bank". */
const char *ts_profiler_size_unit(const struct ts_profiler *profiler);
extern const struct ts_field ts_profiler_memory_config_fields[];
#define TS_PROFILER_TENSOR_FIELDS(optional)                                                                            \
    {.key = "shape",                                                                                                   \
     .kind = TS_KIND_STRING,                                                                                           \
     .nullable = true,                                                                                                 \
     .sometimes = optional,                                                                                            \
     .show = TS_SHOW_COLUMN,                                                                                           \
     .help = "as written"},                                                                                            \
        {.key = "dtype",                                                                                               \
         .kind = TS_KIND_STRING,                                                                                       \
         .nullable = true,                                                                                             \
         .sometimes = optional,                                                                                        \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .help = "as written"},                                                                                        \
        {.key = "layout", .kind = TS_KIND_STRING, .nullable = true, .sometimes = optional, .help = "as written"},      \
        {.key = "memory_config",                                                                                       \
         .kind = TS_KIND_OBJECT,                                                                                       \
         .nullable = true,                                                                                             \
         .sometimes = optional,                                                                                        \
         .children = ts_profiler_memory_config_fields,                                                                 \
         .help = "null: none, or of another form"},                                                                    \
        {.key = "size",                                                                                                \
         .kind = TS_KIND_INTEGER,                                                                                      \
         .nullable = true,                                                                                             \
         .sometimes = optional,                                                                                        \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .help = "in the size unit; null: not recorded"},                                                              \
    {                                                                                                                  \
        .key = "buffer_type", .kind = TS_KIND_STRING, .nullable = true, .sometimes = optional, .show = TS_SHOW_COLUMN, \
        .help = "DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE, or as written"                                              \
    }

/* ---- L1 pressure ---- */

/* "device_id", "fullness_pct", "free_segments", "largest_free_block", "largest_free_pct". */
void ts_profiler_add_pressure(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_l1_pressure *pressure);
#define TS_PROFILER_PRESSURE_FIELDS                                                                                    \
    {.key = "device_id",                                                                                               \
     .kind = TS_KIND_INTEGER,                                                                                          \
     .show = TS_SHOW_COLUMN,                                                                                           \
     .heading = "device",                                                                                              \
     .help = "the most constrained device"},                                                                           \
        {.key = "fullness_pct",                                                                                        \
         .kind = TS_KIND_NUMBER,                                                                                       \
         .unit = "percent",                                                                                            \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .heading = "full %",                                                                                          \
         .help = "used of the space for tensors"},                                                                     \
        {.key = "free_segments",                                                                                       \
         .kind = TS_KIND_INTEGER,                                                                                      \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .heading = "free segments",                                                                                   \
         .help = "gaps between buffers"},                                                                              \
        {.key = "largest_free_block",                                                                                  \
         .kind = TS_KIND_INTEGER,                                                                                      \
         .unit = "bytes_per_bank",                                                                                     \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .heading = "largest free",                                                                                    \
         .help = "the largest gap, an upper bound"},                                                                   \
    {                                                                                                                  \
        .key = "largest_free_pct", .kind = TS_KIND_NUMBER, .unit = "percent", .help = "of the space for tensors"       \
    }

#endif
