/* The message of a recorded error. */
#include <stdint.h>
#include <stdlib.h>

#include "models/allocation_failure.h"

static void check_figures(const struct ts_allocation_failure *failure)
{
    const int64_t figures[] = {failure->requested,    failure->banks,     failure->per_bank,
                               failure->bank_size,    failure->allocated, failure->free,
                               failure->largest_free, failure->placeable, failure->largest_placeable,
                               failure->region_end,   failure->limit};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (figures[i] < TS_FIGURE_TOO_LARGE)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ts_str text = {(const char *)data, size};
    struct ts_allocation_failure failure;
    ts_allocation_failure_read(text, &failure);
    struct ts_str range = failure.core_range;
    if (range.ptr && (range.ptr < text.ptr || range.ptr + range.len > text.ptr + text.len || range.len == 0))
        abort();
    check_figures(&failure);
    struct ts_failure_diagnosis diagnosis = ts_allocation_failure_diagnose(&failure);
    if (diagnosis.bytes < 0 || (diagnosis.reason == TS_REASON_NONE) != (diagnosis.unsaid != NULL))
        abort();
    if ((failure.kind == TS_FAILURE_NONE) != !ts_failure_kind_name(failure.kind) ||
        (diagnosis.reason == TS_REASON_NONE) != !ts_failure_reason_name(diagnosis.reason))
        abort();
    return 0;
}
