#include "models/operation_graph.h"

#include "base/limits.h"

/* The last graph of an operation; several are of several runs. */
struct last_graph {
    int64_t rowid; /* where its text lies; of a table without rowids the text was read with its row: */
    enum ts_db_text_state state;
    size_t length;
};

static enum ts_status take_text(struct ts_db_rows *rows, struct ts_buf *out, struct last_graph *last,
                                struct ts_error *error)
{
    static const char slack[TS_GRAPH_SLACK] = {0};
    struct ts_str text;
    ts_buf_clear(out);
    last->state = TS_DB_TEXT_NULL;
    if (!ts_db_text(rows, 1, &text))
        return TS_OK;
    last->state = text.len > TS_LIMIT_GRAPH ? TS_DB_TEXT_TOO_LONG : TS_DB_TEXT_READ;
    last->length = text.len;
    if (last->state == TS_DB_TEXT_READ) {
        ts_buf_str(out, text);
        ts_buf_add(out, slack, sizeof slack);
    }
    return ts_buf_status(out, error);
}

static enum ts_status find_graph(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                 struct ts_operation_graph *out, struct last_graph *last, struct ts_error *error)
{
    static const char *const columns[] = {"operation_id", NULL}, *const with_text[] = {"operation_id", "captured_graph",
                                                                                       NULL};
    bool has_rowids = ts_db_has_rowids(profiler->db, TS_DB_CAPTURED_GRAPH);
    struct ts_db_rows *rows;
    bool more = false;
    enum ts_status status = ts_profiler_rows(context, profiler, TS_DB_CAPTURED_GRAPH, "operation_id", operation,
                                             has_rowids ? columns : with_text, &rows, error);
    if (status != TS_OK)
        return status;
    while (status == TS_OK && (status = ts_db_next(rows, &more, error)) == TS_OK && more) {
        last->rowid = ts_db_rowid(rows);
        out->found = true;
        if (!has_rowids)
            status = take_text(rows, &out->text, last, error);
    }
    ts_db_rows_close(rows);
    return status;
}

static enum ts_status read_text(struct ts_profiler *profiler, struct last_graph *last, struct ts_operation_graph *out,
                                struct ts_error *error)
{
    enum ts_graph_state state = TS_GRAPH_READ;
    enum ts_status status = TS_OK;
    bool there = ts_db_has_column(profiler->db, TS_DB_CAPTURED_GRAPH, "captured_graph");
    if (there && ts_db_has_rowids(profiler->db, TS_DB_CAPTURED_GRAPH))
        status = ts_db_read_text(profiler->db, TS_DB_CAPTURED_GRAPH, "captured_graph", last->rowid, TS_LIMIT_GRAPH,
                                 TS_GRAPH_SLACK, &out->text, &last->length, &last->state, error);
    if (status == TS_OK && last->state == TS_DB_TEXT_TOO_LONG)
        state = TS_GRAPH_TOO_LARGE;
    else if (status == TS_OK && last->state == TS_DB_TEXT_READ)
        status =
            ts_graph_read(&out->graph, out->text.ptr, last->length, TS_GRAPH_ALL, TS_LIMIT_GRAPH_PARSED, &state, error);
    if (state != TS_GRAPH_READ)
        out->withheld = ts_graph_state_words(state);
    else if (!there)
        out->withheld = "is not recorded: the table captured_graph lacks the column of that name";
    return status;
}

enum ts_status ts_operation_graph_read(struct ts_context *context, struct ts_profiler *profiler, int64_t operation,
                                       struct ts_operation_graph *out, struct ts_error *error)
{
    struct last_graph last = {.state = TS_DB_TEXT_NULL};
    *out = (struct ts_operation_graph){.found = false};
    ts_buf_init(&out->text, 0);
    if (ts_profiler_unattributable(profiler, TS_DB_CAPTURED_GRAPH)) {
        out->withheld =
            "cannot be attributed: the report holds several ranks, and its table captured_graph carries none";
        return TS_OK;
    }
    enum ts_status status = find_graph(context, profiler, operation, out, &last, error);
    return status == TS_OK && out->found ? read_text(profiler, &last, out, error) : status;
}

void ts_operation_graph_free(struct ts_operation_graph *graph)
{
    ts_graph_free(&graph->graph);
    ts_buf_free(&graph->text);
}
