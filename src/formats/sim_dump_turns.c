#include "formats/sim_dump_turns.h"

#include <time.h>

void ts_sim_turns_init(struct ts_sim_turns *turns, struct ts_context *context)
{
    *turns = (struct ts_sim_turns){.context = context};
    pthread_mutex_init(&turns->lock, NULL);
    pthread_cond_init(&turns->passed, NULL);
}

void ts_sim_turns_free(struct ts_sim_turns *turns)
{
    pthread_cond_destroy(&turns->passed);
    pthread_mutex_destroy(&turns->lock);
}

/* A number whose work was never begun, because the call was cancelled just then, never finishes: so the wait looks up now
 * and then. */
static void wait_a_little(struct ts_sim_turns *turns)
{
    enum { LITTLE_NS = 20000000, SECOND_NS = 1000000000 };
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LITTLE_NS;
    if (until.tv_nsec >= SECOND_NS) {
        until.tv_nsec -= SECOND_NS;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&turns->passed, &turns->lock, &until);
}

bool ts_sim_turns_wait(struct ts_sim_turns *turns, size_t number)
{
    pthread_mutex_lock(&turns->lock);
    while (turns->next != number && !turns->stopped) {
        wait_a_little(turns);
        if (ts_context_check(turns->context, NULL) != TS_OK)
            turns->stopped = true;
    }
    bool mine = !turns->stopped;
    pthread_mutex_unlock(&turns->lock);
    return mine;
}

void ts_sim_turns_finish(struct ts_sim_turns *turns, size_t number, bool good)
{
    pthread_mutex_lock(&turns->lock);
    if (turns->next == number)
        turns->next = number + 1;
    if (!good)
        turns->stopped = true;
    pthread_cond_broadcast(&turns->passed);
    pthread_mutex_unlock(&turns->lock);
}
