/* "operation_link" and the operation ids of performance rows, in answers that carry them. */
#ifndef TS_QUESTIONS_PERF_LINKS_H
#define TS_QUESTIONS_PERF_LINKS_H

#include "models/perf_link.h"
#include "questions/question.h"

/* The operation of a row of the table under key, null when it has none. */
void ts_perf_links_add_id(struct ts_answer *answer, yyjson_mut_val *object, const char *key,
                          const struct ts_perf_link_state *link, uint32_t row);
/* "operation_link": status, and what was matched or why nothing was. Its object, for more. */
yyjson_mut_val *ts_perf_links_add(struct ts_answer *answer, const struct ts_perf_link_state *link);
/* "note", of a capture with a profiler report. */
void ts_perf_links_add_note(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_capture *capture,
                            const struct ts_perf_link_state *link);
/* The rows of the whole report that have no operation, when the link is there. */
void ts_perf_links_add_counts(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_perf_link_state *link);
/* "scope", when the answer is of a range and the capture has a profiler report: the link is not of the range. */
void ts_perf_links_add_scope(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_capture *capture,
                             bool ranged);

#define TS_PERF_LINKS_FIELDS                                                                                           \
    {.key = "status",                                                                                                  \
     .kind = TS_KIND_STRING,                                                                                           \
     .help = "linked; unlinked: both reports were read and do not line up; unavailable: not tried"},                   \
        {.key = "rank",                                                                                                \
         .kind = TS_KIND_INTEGER,                                                                                      \
         .nullable = true,                                                                                             \
         .sometimes = true,                                                                                            \
         .help = "when linked: of the operations; null: the profiler report has no ranks"},                            \
        {.key = "matched_on",                                                                                          \
         .kind = TS_KIND_STRING,                                                                                       \
         .sometimes = true,                                                                                            \
         .help = "when linked: the order of device operations that lined up"},                                         \
        {.key = "matched_rows",                                                                                        \
         .kind = TS_KIND_INTEGER,                                                                                      \
         .sometimes = true,                                                                                            \
         .help = "when linked: rows of the whole report with an operation"},                                           \
    {                                                                                                                  \
        .key = "reason", .kind = TS_KIND_STRING, .sometimes = true, .help = "why there is no link"                     \
    }
#define TS_PERF_LINKS_NOTE_FIELD                                                                                       \
    {                                                                                                                  \
        .key = "note", .kind = TS_KIND_STRING, .sometimes = true,                                                      \
        .help = "how to read operation ids, when the capture has a profiler report"                                    \
    }

/* Of operation_link: alone, with a note, and with a note and counts. */
extern const struct ts_field ts_perf_links_plain_fields[], ts_perf_links_note_fields[], ts_perf_links_count_fields[];
#define TS_PERF_LINKS_FIELD(fields)                                                                                    \
    {                                                                                                                  \
        .key = "operation_link", .kind = TS_KIND_OBJECT, .children = fields,                                           \
        .help = "how performance rows link to profiler operations"                                                     \
    }

#endif
