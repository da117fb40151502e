#include "questions/fallback_entry.h"

void ts_fallback_entry_add(struct ts_answer *answer, yyjson_mut_val *object, const struct ts_dram_fallback *fallback)
{
    if (fallback->signal == TS_FALLBACK_RETRY) {
        ts_answer_name(answer, object, "signal", "retry_after_failure");
        ts_answer_integer(answer, object, "failed_operation_id", fallback->failed);
        ts_profiler_add_text(answer, object, "failed_operation_name", fallback->name);
    } else {
        ts_answer_name(answer, object, "signal", "argument_mismatch");
        ts_answer_name(answer, object, "requested_buffer_type", fallback->requested);
    }
    ts_answer_integer(answer, object, "dram_output_count", fallback->dram_outputs);
    ts_answer_integer(answer, object, "output_count", fallback->outputs);
}
