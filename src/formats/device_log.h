/* profile_log_device.csv: tt-metal's device profiler log. For now its first line: what was profiled, and at which clock. */
#ifndef TS_FORMATS_DEVICE_LOG_H
#define TS_FORMATS_DEVICE_LOG_H

#include "base/arena.h"
#include "base/file.h"

struct ts_device_log_pair {
    struct ts_str key, value;
};
struct ts_device_log_head {
    struct ts_device_log_pair
        *pairs; /* split at ',', each at its first ':', trimmed; pieces without ':' dropped; a later
                                         equal key has replaced the earlier. UTF-8 (bad bytes replaced). */
    size_t pair_count;
    struct ts_str arch; /* ARCH; ptr NULL when absent */
    double clock_mhz;   /* CHIP_FREQ[MHz]; absent (NaN) when missing or not a number */
    int64_t max_cores;  /* digits after "Max Compute Cores:"; -1 when absent */
};
/* Read the first line of the log. Empty (no pairs) when the line is already the column header (a field PCIe slot). Texts live
 * in arena. Errors: those of ts_reader_open and ts_reader_read, TS_LIMIT (first line too long). */
enum ts_status ts_device_log_head_read(struct ts_context *context, const char *path, struct ts_arena *arena,
                                       struct ts_device_log_head *out, struct ts_error *error);

#endif
