/* Order among threads: work may be done in any order, its results are taken in the order of their numbers. */
#ifndef TS_FORMATS_SIM_DUMP_TURNS_H
#define TS_FORMATS_SIM_DUMP_TURNS_H

#include <pthread.h>

#include "base/context.h"

struct ts_sim_turns {
    struct ts_context *context;
    pthread_mutex_t lock;
    pthread_cond_t passed;
    size_t next;  /* whose turn it is */
    bool stopped; /* some turn failed: there are no more */
};

void ts_sim_turns_init(struct ts_sim_turns *turns, struct ts_context *context);
void ts_sim_turns_free(struct ts_sim_turns *turns);
/* Wait until all lower numbers have finished. False when one of them failed or the call was cancelled; the caller has
 * nothing to do then and nothing to report. */
bool ts_sim_turns_wait(struct ts_sim_turns *turns, size_t number);
/* End the turn that was waited for, or the work that never got so far; good false stops all later ones. */
void ts_sim_turns_finish(struct ts_sim_turns *turns, size_t number, bool good);

#endif
