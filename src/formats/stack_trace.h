/* Stack traces as reports keep them: frames of Python, innermost first, or the text of a native backtrace. */
#ifndef TS_FORMATS_STACK_TRACE_H
#define TS_FORMATS_STACK_TRACE_H

#include "base/str.h"

struct ts_stack_frame {
    struct ts_str file, function;
    struct ts_str line; /* digits, whatever their number */
    struct ts_str code; /* the source line; ptr NULL: not recorded */
};
struct ts_stack_trace {
    struct ts_str rest; /* not read yet */
};

void ts_stack_trace_init(struct ts_stack_trace *trace, struct ts_str text);
/* The next frame; false when there is none any more. A native backtrace has none at all. Texts are borrowed from the trace's. */
bool ts_stack_trace_next(struct ts_stack_trace *trace, struct ts_stack_frame *out);
/* Nothing but white space: the trace was not recorded. */
bool ts_stack_trace_is_blank(struct ts_str text);

#endif
