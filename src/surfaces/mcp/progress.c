#include "surfaces/mcp/progress.h"

#include "surfaces/mcp/jsonrpc.h"

static void compose(const struct ts_mcp_progress *progress, uint64_t done, uint64_t total, const char *message,
                    struct ts_buf *out)
{
    struct ts_json_out json;
    ts_json_out_buf(&json, out);
    ts_json_open_object(&json);
    ts_json_key(&json, TS_STR("jsonrpc"));
    ts_json_string(&json, TS_STR("2.0"));
    ts_json_key(&json, TS_STR("method"));
    ts_json_string(&json, TS_STR("notifications/progress"));
    ts_json_key(&json, TS_STR("params"));
    ts_json_open_object(&json);
    ts_json_key(&json, TS_STR("progressToken"));
    ts_rpc_write_id(&json, progress->token);
    ts_json_key(&json, TS_STR("progress"));
    ts_json_integer(&json, (int64_t)done);
    if (total >= done && total <= INT64_MAX) {
        ts_json_key(&json, TS_STR("total"));
        ts_json_integer(&json, (int64_t)total);
    }
    if (progress->with_message && message) {
        ts_json_key(&json, TS_STR("message"));
        ts_json_string(&json, ts_str_from(message));
    }
    ts_json_close_object(&json);
    ts_json_close_object(&json);
    ts_buf_char(out, '\n');
}

void ts_mcp_progress_report(void *data, uint64_t done, uint64_t total, const char *message)
{
    struct ts_mcp_progress *progress = data;
    if (done < progress->current)
        progress->before += progress->current;
    progress->current = done;
    uint64_t sum = progress->before + done;
    if (sum <= progress->sent || sum > INT64_MAX)
        return;
    progress->sent = sum;
    struct ts_buf line;
    ts_buf_init(&line, 0);
    compose(progress, sum, total ? total + progress->before : 0, message, &line);
    if (!line.failed)
        ts_mcp_output_line(progress->output, ts_buf_view(&line));
    ts_buf_free(&line);
}
