/* A recorded error in answers: its texts, the device operations that failed, and what an allocation failure comes to. */
#ifndef TS_QUESTIONS_ERROR_ENTRY_H
#define TS_QUESTIONS_ERROR_ENTRY_H

#include "models/report_errors.h"
#include "questions/profiler_common.h"

/* Why graphs could not tell of failed launches, gathered over the errors of one answer. */
struct ts_error_graphs {
    int64_t operation; /* the first one */
    const char *why;   /* NULL: none */
    uint64_t count;
};

/* The message under a key, cut at 2,000 characters, with KEY_full_length (characters) when it was. */
void ts_error_entry_message(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str message);
/* "timestamp": null when it is empty. */
void ts_error_entry_timestamp(struct ts_answer *answer, yyjson_mut_val *object, struct ts_str timestamp);
/* For an error that is attached "failed_device_operations" and "failed_device_operation_count", when the operation has a graph
 * that can be read; graphs notes one that cannot. */
enum ts_status ts_error_entry_launches(struct ts_context *context, struct ts_profiler *profiler,
                                       struct ts_answer *answer, yyjson_mut_val *object,
                                       const struct ts_report_error *item, struct ts_error_graphs *graphs,
                                       struct ts_error *error);
/* "allocation_failure", "diagnosis" (or why there is none) and, for an error that is attached, "in_the_way"; *is false when the message tells of
 * none. */
enum ts_status ts_error_entry_failure(struct ts_context *context, struct ts_profiler *profiler,
                                      struct ts_answer *answer, yyjson_mut_val *object,
                                      const struct ts_report_error *item, bool *is, struct ts_error *error);
/* Say what graphs could not tell. */
void ts_error_graphs_caveat(const struct ts_error_graphs *graphs, struct ts_caveat *caveat);

extern const struct ts_field ts_error_failure_fields[], ts_error_diagnosis_fields[], ts_error_way_fields[];
/* What both answers declare alike. */
#define TS_ERROR_ENTRY_FIELDS                                                                                          \
    {.key = "timestamp", .kind = TS_KIND_STRING, .nullable = true, .help = "as recorded"},                             \
        {.key = "failed_device_operations",                                                                            \
         .kind = TS_KIND_LIST,                                                                                         \
         .of = TS_KIND_STRING,                                                                                         \
         .sometimes = true,                                                                                            \
         .detail = true,                                                                                               \
         .heading = "failed launches",                                                                                 \
         .help = "device operations whose launch did not complete, at most 20; empty: it failed outside of any"},      \
        {.key = "failed_device_operation_count", .kind = TS_KIND_INTEGER, .sometimes = true, .help = "all of them"},   \
        {.key = "allocation_failure",                                                                                  \
         .kind = TS_KIND_OBJECT,                                                                                       \
         .sometimes = true,                                                                                            \
         .children = ts_error_failure_fields,                                                                          \
         .detail = true,                                                                                               \
         .help = "figures of an allocation that failed, when the message has them"},                                   \
        {.key = "diagnosis",                                                                                           \
         .kind = TS_KIND_OBJECT,                                                                                       \
         .sometimes = true,                                                                                            \
         .nullable = true,                                                                                             \
         .children = ts_error_diagnosis_fields,                                                                        \
         .show = TS_SHOW_COLUMN,                                                                                       \
         .detail = true,                                                                                               \
         .help = "why it did not fit; null: no_diagnosis_because says why not"},                                       \
        {.key = "no_diagnosis_because",                                                                                \
         .kind = TS_KIND_STRING,                                                                                       \
         .sometimes = true,                                                                                            \
         .detail = true,                                                                                               \
         .help = "when diagnosis is null"},                                                                            \
    {                                                                                                                  \
        .key = "in_the_way", .kind = TS_KIND_OBJECT, .sometimes = true, .children = ts_error_way_fields,               \
        .detail = true, .help = "L1 buffers that the circular buffers reach into, or that split the free space"        \
    }

#endif
