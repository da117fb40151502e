/* A likely DRAM fallback in answers. */
#ifndef TS_QUESTIONS_FALLBACK_ENTRY_H
#define TS_QUESTIONS_FALLBACK_ENTRY_H

#include "models/dram_fallback.h"
#include "questions/profiler_common.h"

/* "signal", what it rests on, "dram_output_count" and "output_count". */
void ts_fallback_entry_add(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_dram_fallback *fallback);

#define TS_FALLBACK_ENTRY_FIELDS                                                                                       \
    {.key = "signal",                                                                                                  \
     .kind = TS_KIND_STRING,                                                                                           \
     .show = TS_SHOW_COLUMN,                                                                                           \
     .help = "argument_mismatch: L1 was asked for; retry_after_failure: one of its name had just failed"},             \
        {.key = "requested_buffer_type",                                                                               \
         .kind = TS_KIND_STRING,                                                                                       \
         .sometimes = true,                                                                                            \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .heading = "asked for",                                                                                       \
         .help = "L1 or L1_SMALL"},                                                                                    \
        {.key = "failed_operation_id",                                                                                 \
         .kind = TS_KIND_INTEGER,                                                                                      \
         .sometimes = true,                                                                                            \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .heading = "failed",                                                                                          \
         .help = "that this one tries again"},                                                                         \
        {.key = "failed_operation_name", .kind = TS_KIND_STRING, .sometimes = true, .help = "as recorded"},            \
        {.key = "dram_output_count",                                                                                   \
         .kind = TS_KIND_INTEGER,                                                                                      \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .heading = "in DRAM",                                                                                         \
         .help = "outputs there that cannot be a view of an input"},                                                   \
    {                                                                                                                  \
        .key = "output_count", .kind = TS_KIND_INTEGER, .show = TS_SHOW_COLUMN, .heading = "outputs",                  \
        .help = "that the report describes"                                                                            \
    }

#endif
