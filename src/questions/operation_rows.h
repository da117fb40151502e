/* The performance rows of an operation in answers: "perf_rows", their figures and shares, and the link they come by. */
#ifndef TS_QUESTIONS_OPERATION_ROWS_H
#define TS_QUESTIONS_OPERATION_ROWS_H

#include "questions/perf_common.h"
#include "questions/perf_links.h"
#include "questions/perf_row.h"
#include "questions/profiler_common.h"

struct ts_operation_rows {
    struct ts_perf_link_state link;
    /* when linked */
    const struct ts_perf_report *report; /* the whole one; borrowed for the call */
    const uint32_t *rows;                /* of it; borrowed from the link */
    uint32_t count;
    struct ts_perf_extras extras; /* its flags counted over rows */
};

/* Link, and read what the arguments include. At a rank that is not the link's there is no link. Freed with
 * ts_operation_rows_free also after a failure. Errors: those of ts_perf_link_read and of the capture. */
enum ts_status ts_operation_rows_read(struct ts_context *context, const struct ts_args *args,
                                      const struct ts_profiler *profiler, int64_t operation,
                                      struct ts_operation_rows *out, struct ts_error *error);
void ts_operation_rows_free(struct ts_operation_rows *rows);
/* A sentence for the caveat, when a total is given that sub-devices make unsound. */
void ts_operation_rows_caveat(const struct ts_operation_rows *rows, struct ts_caveat *caveat);
/* "perf_rows" and what belongs to them when linked, then "operation_link". */
void ts_operation_rows_add(struct ts_answer *answer, const struct ts_operation_rows *rows);

extern const struct ts_field ts_operation_row_fields[];
#define TS_OPERATION_ROWS_FIELDS                                                                                       \
    {.key = "perf_rows",                                                                                               \
     .kind = TS_KIND_LIST,                                                                                             \
     .of = TS_KIND_OBJECT,                                                                                             \
     .sometimes = true,                                                                                                \
     .children = ts_operation_row_fields,                                                                              \
     .show = TS_SHOW_ROWS,                                                                                             \
     .help = "when linked: the operation's rows in order, at most 100, with include 25"},                              \
        {.key = "perf_row_count", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "when linked: rows there are"},  \
        {.key = "device_time_unit", .kind = TS_KIND_STRING, .sometimes = true, .help = "when linked: us"},             \
        {.key = "projection",                                                                                          \
         .kind = TS_KIND_OBJECT,                                                                                       \
         .sometimes = true,                                                                                            \
         .children = ts_perf_projection_fields,                                                                        \
         .help = "when linked: which rows were read"},                                                                 \
        TS_PERF_DETAIL_NOTE_FIELDS,                                                                                    \
        {.key = "flag_basis",                                                                                          \
         .kind = TS_KIND_OBJECT,                                                                                       \
         .sometimes = true,                                                                                            \
         .group = "flags",                                                                                             \
         .children = ts_perf_flag_basis_fields,                                                                        \
         .show = TS_SHOW_BELOW,                                                                                        \
         .heading = "flag basis",                                                                                      \
         .help = "what the flags were read against"},                                                                  \
        {.key = "device_time",                                                                                         \
         .kind = TS_KIND_NUMBER,                                                                                       \
         .sometimes = true,                                                                                            \
         .unit = "us",                                                                                                 \
         .show = TS_SHOW_BELOW,                                                                                        \
         .heading = "device time",                                                                                     \
         .help = "of all its rows, when one has a time"},                                                              \
        {.key = "device_time_share_percent",                                                                           \
         .kind = TS_KIND_NUMBER,                                                                                       \
         .nullable = true,                                                                                             \
         .sometimes = true,                                                                                            \
         .unit = "percent",                                                                                            \
         .show = TS_SHOW_BELOW,                                                                                        \
         .heading = "share",                                                                                           \
         .help = "of report_device_time_total"},                                                                       \
        {.key = "slowest_perf_id",                                                                                     \
         .kind = TS_KIND_STRING,                                                                                       \
         .sometimes = true,                                                                                            \
         .help = "the slowest of all its rows, listed or not"},                                                        \
        {.key = "report_device_time_total",                                                                            \
         .kind = TS_KIND_NUMBER,                                                                                       \
         .sometimes = true,                                                                                            \
         .unit = "us",                                                                                                 \
         .help = "when it has rows: device time of every row that is no signpost and no host operation"},              \
        TS_PERF_LINKS_FIELD(ts_perf_links_plain_fields)

#endif
