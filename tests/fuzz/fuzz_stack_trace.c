/* A stack trace of a profiler report. */
#include <stdint.h>
#include <stdlib.h>

#include "formats/stack_trace.h"

static void check_inside(struct ts_str part, struct ts_str text)
{
    if (part.ptr && (part.ptr < text.ptr || part.ptr + part.len > text.ptr + text.len))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ts_str text = {(const char *)data, size};
    struct ts_stack_trace trace;
    struct ts_stack_frame frame;
    size_t frames = 0;
    ts_stack_trace_init(&trace, text);
    while (ts_stack_trace_next(&trace, &frame)) {
        check_inside(frame.file, text);
        check_inside(frame.function, text);
        check_inside(frame.line, text);
        check_inside(frame.code, text);
        /* The shortest frame there is: File "f", line 1, in g */
        if (frame.file.len == 0 || frame.line.len == 0 || ++frames * 22 > size + 22)
            abort();
    }
    if (frames > 0 && ts_stack_trace_is_blank(text))
        abort();
    return 0;
}
