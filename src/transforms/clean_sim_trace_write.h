/* Writing trace.clean.json. */
#ifndef TS_TRANSFORMS_CLEAN_SIM_TRACE_WRITE_H
#define TS_TRANSFORMS_CLEAN_SIM_TRACE_WRITE_H

#include "base/write.h"
#include "models/pipeline_trace.h"

/* Write the cleaned trace: metadata, slices in the order of the file, arrows. The slices' names and arguments are read from
 * the dump again. Errors: TS_CHANGED, TS_IO, TS_NO_MEMORY, TS_CANCELLED; those of the writer come out at its commit. */
enum ts_status ts_clean_sim_write(struct ts_context *context, const struct ts_sim_dump *dump,
                                  const struct ts_pipeline *pipeline, struct ts_writer *writer, struct ts_error *error);

#endif
