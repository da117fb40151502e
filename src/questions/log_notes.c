#include "questions/log_notes.h"

#include <inttypes.h>

#include "base/number.h"

/* Devices run at some hundred to two thousand MHz; simulators and emulators far slower. */
static const double slowest_mhz = 0.1, fastest_mhz = 20000;

void ts_log_notes_count(struct ts_buf *out, uint64_t count, const char *one, const char *many)
{
    ts_buf_printf(out, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

void ts_log_notes_clock(struct ts_buf *out, double clock_mhz)
{
    char text[TS_NUMBER_TEXT_MAX];
    if (!(clock_mhz > 0) || (clock_mhz >= slowest_mhz && clock_mhz <= fastest_mhz))
        return;
    ts_number_json(clock_mhz, text);
    ts_buf_printf(out,
                  " No device runs at the %s MHz that the log's first line names: rely on cycles and ratios, not on "
                  "times in us.",
                  text);
}

void ts_log_notes_newer(struct ts_buf *out, const struct ts_capture *capture)
{
    if (ts_capture_log_is_newer(capture))
        ts_buf_text(out,
                    " The device log was replaced or written on after the capture was loaded and before it was first "
                    "read: this is the newer one.");
}
