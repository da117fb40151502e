/* The captured graph of one operation of a profiler report. */
#ifndef TS_MODELS_OPERATION_GRAPH_H
#define TS_MODELS_OPERATION_GRAPH_H

#include "formats/captured_graph.h"
#include "models/profiler.h"

struct ts_operation_graph {
    bool found; /* the report has one */
    const char
        *withheld; /* why it cannot be told, as the end of a sentence that begins with the graph; NULL when it can */
    struct ts_graph graph; /* when found and not withheld */
    struct ts_buf text;    /* that its nodes lie in */
};

/* Read it: the last one when the report has several. Free it whatever comes back. Errors: those of ts_profiler_rows and
 * ts_db_read_text. */
enum ts_status ts_operation_graph_read(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                       struct ts_operation_graph *out, struct ts_error *error);
void ts_operation_graph_free(struct ts_operation_graph *graph);

#endif
