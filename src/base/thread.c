#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { THREADS_MAX = 256 };

struct run {
    struct ts_context *context;
    size_t count;
    enum ts_status (*work)(void *data, size_t index, struct ts_error *error);
    void *data;
    atomic_size_t next; /* the index to start next */
    atomic_bool stop;
    pthread_mutex_t lock; /* of what stands below */
    enum ts_status status;
    size_t failed_index;
    struct ts_error *error;
};

static enum ts_status work_on(struct run *run, size_t index, struct ts_error *error)
{
    enum ts_status status = ts_context_check(run->context, error);
    return status == TS_OK ? run->work(run->data, index, error) : status;
}

/* Indices are handed out in order and every one that was started is finished, so whichever thread fails first, the
 * lowest failing index is always among those that ran. */
static void note_failure(struct run *run, size_t index, enum ts_status status, const struct ts_error *error)
{
    atomic_store(&run->stop, true);
    pthread_mutex_lock(&run->lock);
    if (run->status == TS_OK || index < run->failed_index) {
        run->status = status;
        run->failed_index = index;
        if (run->error)
            *run->error = *error;
    }
    pthread_mutex_unlock(&run->lock);
}

static void *take_work(void *data)
{
    struct run *run = data;
    struct ts_error error;
    while (!atomic_load(&run->stop)) {
        size_t index = atomic_fetch_add(&run->next, 1);
        if (index >= run->count)
            break;
        error = (struct ts_error){.code = TS_OK};
        enum ts_status status = work_on(run, index, &error);
        if (status != TS_OK)
            note_failure(run, index, status, &error);
    }
    return NULL;
}

static enum ts_status run_alone(struct run *run)
{
    for (size_t index = 0; index < run->count; index++) {
        enum ts_status status = work_on(run, index, run->error);
        if (status != TS_OK)
            return status;
    }
    return TS_OK;
}

enum ts_status ts_parallel(struct ts_context *context, size_t count,
                           enum ts_status (*work)(void *data, size_t index, struct ts_error *error), void *data,
                           struct ts_error *error)
{
    struct run run = {.context = context, .count = count, .work = work, .data = data, .error = error};
    size_t wanted = context->threads < count ? context->threads : count;
    if (wanted > THREADS_MAX)
        wanted = THREADS_MAX;
    if (wanted <= 1)
        return run_alone(&run);

    pthread_t *threads = malloc((wanted - 1) * sizeof *threads);
    if (!threads)
        return ts_error_no_memory(error);
    pthread_mutex_init(&run.lock, NULL);

    /* Signals are the business of the thread that called: its handlers and its interrupted system calls. */
    sigset_t all, before;
    sigfillset(&all);
    bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    size_t made = 0;
    while (made < wanted - 1 && pthread_create(&threads[made], NULL, take_work, &run) == 0)
        made++;
    if (masked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);

    /* This thread works too, so fewer threads than wanted, or none, only take longer. */
    take_work(&run);
    for (size_t i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&run.lock);
    free(threads);
    return run.status;
}
