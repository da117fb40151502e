/* Synchronisation between the sub-cores of one AI core, as arrows. */
#ifndef TS_MODELS_PIPELINE_BLOCKS_H
#define TS_MODELS_PIPELINE_BLOCKS_H

#include "models/pipeline_trace.h"

/* Add to `arrows`: from each SET_INTRA_BLOCK of a sub-core to the WAIT_INTRA_BLOCK of each sub-core of the other kind (cube
 * or vector) in its AI core, the n-th of a sync_id with the n-th. From the last slice of the pipe that sets to the first of
 * the pipe that waits, as for flags; what has no partner is not counted, since not every sub-core waits. Uses up
 * `block_sets` and `block_waits`. Errors: TS_NO_MEMORY. */
enum ts_status ts_pipeline_connect_blocks(struct ts_pipeline *pipeline, struct ts_error *error);

#endif
