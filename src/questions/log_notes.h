/* Sentences that both questions about a device log put into their caveats. Each begins with a blank. */
#ifndef TS_QUESTIONS_LOG_NOTES_H
#define TS_QUESTIONS_LOG_NOTES_H

#include "models/capture.h"

/* "1 row", "2 rows". */
void ts_log_notes_count(struct ts_buf *out, uint64_t count, const char *one, const char *many);
/* Of a clock that no device runs at: what is given in us comes of it. Nothing of one that is absent, 0 or negative, which
 * gives no us. */
void ts_log_notes_clock(struct ts_buf *out, double clock_mhz);
/* Where the log that is answered from is not the one that was there when the capture was loaded. */
void ts_log_notes_newer(struct ts_buf *out, const struct ts_capture *capture);

#endif
