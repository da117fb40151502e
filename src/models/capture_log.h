/* What is read of a capture's device log: its zones, and how they fell across cores in the operations of its CSV. */
#ifndef TS_MODELS_CAPTURE_LOG_H
#define TS_MODELS_CAPTURE_LOG_H

#include "models/capture.h"
#include "models/device_zones.h"

/* A capture answers from the log as it was when zones or spans were first asked for, both from the same; a change of the log
 * since then, or since opening, shows in ts_capture_changed. */

/* The zones of the log; borrowed for the call. The pass that reads them collects the spans of the capture's report as well.
 * Errors: TS_REFUSED (no performance path, no device log, a log without a header or without needed columns), TS_CHANGED (the
 * log was read before, has changed, and its zones are not kept), those of ts_device_zones_read. */
enum ts_status ts_capture_zones(struct ts_context *context, struct ts_capture *capture,
                                const struct ts_device_zones **out, struct ts_error *error);
/* The spans of the whole report, which is of this capture; borrowed for the call. Errors: TS_REFUSED (no device log),
 * TS_CHANGED as above, TS_NO_MEMORY, TS_LIMIT, those of ts_device_zones_read. */
enum ts_status ts_capture_spans(struct ts_context *context, struct ts_capture *capture,
                                const struct ts_perf_report *report, const struct ts_core_spans **out,
                                struct ts_error *error);
/* Whether the log on disk can be read: head, columns, rows and UTF-8, without zones; borrowed for the call, in which a log
 * that cannot be read is tried once. *out is NULL when there is no log. Errors: those of ts_device_zones_read. */
enum ts_status ts_capture_log_check(struct ts_context *context, struct ts_capture *capture,
                                    const struct ts_device_zones **out, struct ts_error *error);

#endif
