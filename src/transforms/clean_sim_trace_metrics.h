/* Writing instr_metrics.json from the API_INSTR block. */
#ifndef TS_TRANSFORMS_CLEAN_SIM_TRACE_METRICS_H
#define TS_TRANSFORMS_CLEAN_SIM_TRACE_METRICS_H

#include "base/write.h"
#include "formats/sim_dump.h"

/* Write the block's records by core, each metric's list flattened to the core's own value; or, when raw, the block as it
 * stands. The block is held in memory for the first. Errors: TS_INPUT ("PATH: API_INSTR block: ..."), TS_NO_MEMORY, TS_IO,
 * TS_CANCELLED. */
enum ts_status ts_clean_sim_metrics(struct ts_context *context, const struct ts_sim_dump *dump,
                                    const struct ts_sim_block *block, bool raw, struct ts_writer *writer,
                                    struct ts_error *error);

#endif
