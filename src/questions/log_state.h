/* Whether a device log answers the questions about it, and why not. */
#ifndef TS_QUESTIONS_LOG_STATE_H
#define TS_QUESTIONS_LOG_STATE_H

#include "base/buf.h"

struct ts_log_state {
    bool has_header, has_rows, typed;
    struct ts_str missing; /* columns it lacks */
    uint64_t bad_byte;     /* that is no UTF-8; UINT64_MAX: none */
    double clock_mhz;
};
/* kernels: zones are to be told apart and given a time. why may be NULL. */
bool ts_log_state_answers(const struct ts_log_state *state, bool kernels, struct ts_buf *why);

#endif
