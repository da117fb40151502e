/* Flags as arrows: each SET_FLAG and the WAIT_FLAG that answers it, from the instruction that produced to the one that went
 * on. */
#ifndef TS_MODELS_PIPELINE_ARROWS_H
#define TS_MODELS_PIPELINE_ARROWS_H

#include "models/pipeline_trace.h"

/* Make `arrows` and count what could not become one. Uses up `sets` and `waits`. After ts_pipeline_pack.
 * Errors: TS_NO_MEMORY, TS_CANCELLED. */
enum ts_status ts_pipeline_connect(struct ts_context *context, struct ts_pipeline *pipeline, struct ts_error *error);

#endif
