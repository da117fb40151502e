#include "models/operation_graph.h"

#include "base/limits.h"

/* Where the last graph of the operation lies; several are of several runs. */
static enum ts_status find_graph(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                 int64_t *rowid, bool *found, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", NULL};
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status =
        ts_profiler_rows(context, profiler, TS_DB_CAPTURED_GRAPH, "operation_id", operation, columns, &rows, error);
    if (status != TS_OK)
        return status;
    *found = false;
    while ((status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        *rowid = ts_db_rowid(rows);
        *found = true;
    }
    ts_db_rows_close(rows);
    return status;
}

static enum ts_status read_text(struct ts_profiler *profiler, int64_t rowid, struct ts_operation_graph *out,
                                struct ts_error *error)
{
    size_t length = 0;
    enum ts_db_text_state text = TS_DB_TEXT_NULL;
    enum ts_graph_state state = TS_GRAPH_READ;
    enum ts_status status = TS_OK;
    if (ts_db_has_column(profiler->db, TS_DB_CAPTURED_GRAPH, "captured_graph"))
        status = ts_db_read_text(profiler->db, TS_DB_CAPTURED_GRAPH, "captured_graph", rowid, TS_LIMIT_GRAPH,
                                 TS_GRAPH_SLACK, &out->text, &length, &text, error);
    if (status == TS_OK && text == TS_DB_TEXT_TOO_LONG)
        state = TS_GRAPH_TOO_LARGE;
    else if (status == TS_OK && text == TS_DB_TEXT_READ)
        status = ts_graph_read(&out->graph, out->text.ptr, length, TS_GRAPH_ALL, TS_LIMIT_GRAPH_PARSED, &state, error);
    if (state != TS_GRAPH_READ)
        out->withheld = ts_graph_state_words(state);
    else if (!ts_db_has_column(profiler->db, TS_DB_CAPTURED_GRAPH, "captured_graph"))
        out->withheld = "is not recorded: the table captured_graph lacks the column of that name";
    return status;
}

enum ts_status ts_operation_graph_read(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                       struct ts_operation_graph *out, struct ts_error *error)
{
    int64_t rowid = 0;
    *out = (struct ts_operation_graph){.found = false};
    ts_buf_init(&out->text, 0);
    if (ts_profiler_unattributable(profiler, TS_DB_CAPTURED_GRAPH)) {
        out->withheld =
            "cannot be attributed: the report holds several ranks, and its table captured_graph carries none";
        return TS_OK;
    }
    enum ts_status status = find_graph(context, profiler, operation, &rowid, &out->found, error);
    return status == TS_OK && out->found ? read_text(profiler, rowid, out, error) : status;
}

void ts_operation_graph_free(struct ts_operation_graph *graph)
{
    ts_graph_free(&graph->graph);
    ts_buf_free(&graph->text);
}
