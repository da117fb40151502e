#include "questions/log_state.h"

#include <inttypes.h>

bool ts_log_state_answers(const struct ts_log_state *state, bool kernels, struct ts_buf *why)
{
    struct ts_buf reason;
    struct ts_quote missing;
    ts_buf_init(&reason, 0);
    if (!state->has_header)
        ts_buf_text(&reason, "the device log has no header line");
    else if (state->missing.len > 0)
        ts_buf_printf(&reason, "the device log lacks columns: %s",
                      ts_error_quote(&missing, state->missing, TS_QUOTE_FILE));
    else if (state->bad_byte != UINT64_MAX)
        ts_buf_printf(&reason, "the device log is not UTF-8 at byte %" PRIu64, state->bad_byte);
    else if (!state->has_rows)
        ts_buf_text(&reason, "the device log has no rows");
    else if (kernels && !state->typed)
        ts_buf_text(&reason, "the device log does not tell zone starts from ends: it has no column type or zone phase");
    else if (kernels && !(state->clock_mhz > 0))
        ts_buf_text(&reason, "the device log's first line names no positive CHIP_FREQ[MHz]");
    bool answers = reason.len == 0 && !reason.failed;
    if (why && reason.failed)
        why->failed = true;
    else if (why)
        ts_buf_str(why, ts_buf_view(&reason));
    ts_buf_free(&reason);
    return answers;
}
