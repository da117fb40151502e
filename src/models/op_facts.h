/* What every row of an operations CSV comes to before any window is chosen. All work on text is done here, once per
 * distinct text or combination of them. */
#ifndef TS_MODELS_OP_FACTS_H
#define TS_MODELS_OP_FACTS_H

#include "models/perf_source.h"

/* Fill source->facts and what goes with them: names, devices, code_count, fallback_cores, and the notices on budgets and
 * names. Needs source->ops and source->arch. active_experts 0: not given. Errors: TS_NO_MEMORY, TS_LIMIT, TS_CANCELLED. */
enum ts_status ts_op_facts_create(struct ts_context *context, struct ts_perf_source *source, unsigned active_experts,
                                  struct ts_error *error);

#endif
