/* One event of a TRACE block: the values that cleaning looks at, where they stand. */
#ifndef TS_FORMATS_SIM_DUMP_EVENT_H
#define TS_FORMATS_SIM_DUMP_EVENT_H

#include "formats/sim_dump_json.h"

/* Each value as text, strings with their quotes; ptr is NULL when the key is absent. Of repeated keys the last counts. */
struct ts_sim_event {
    struct ts_str name, ph, pid, tid, ts, dur, args;
};

/* Behind the event (an object) that begins at p, or NULL. See sim_dump_json.h for what must follow the bytes. */
const char *ts_sim_event_scan(const char *p, struct ts_sim_event *event, struct ts_sim_json_fault *fault);

#endif
