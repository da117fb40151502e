#include "surfaces/mcp/queue.h"

#include <stdlib.h>
#include <string.h>

struct ts_mcp_job *ts_mcp_job_create(struct ts_str line, enum ts_mcp_line_fault fault)
{
    struct ts_mcp_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->line = malloc(line.len + 1);
    if (!job->line) {
        free(job);
        return NULL;
    }
    if (line.len > 0)
        memcpy(job->line, line.ptr, line.len);
    job->line[line.len] = '\0';
    job->len = line.len;
    job->fault = fault;
    return job;
}

struct ts_mcp_request *ts_mcp_job_add(struct ts_mcp_job *job, struct ts_str key)
{
    char *copy = NULL;
    if (key.len > 0 && !(copy = malloc(key.len)))
        return NULL;
    struct ts_mcp_request *grown = realloc(job->requests, (job->request_count + 1) * sizeof *grown);
    if (!grown) {
        free(copy);
        return NULL;
    }
    job->requests = grown;
    struct ts_mcp_request *request = &grown[job->request_count++];
    *request = (struct ts_mcp_request){.key = copy, .key_len = key.len};
    if (copy)
        memcpy(copy, key.ptr, key.len);
    return request;
}

static struct ts_mcp_request *find_in_job(const struct ts_mcp_job *job, struct ts_str key)
{
    for (size_t i = 0; i < job->request_count; i++) {
        struct ts_mcp_request *request = &job->requests[i];
        if (request->key && ts_str_equal((struct ts_str){request->key, request->key_len}, key))
            return request;
    }
    return NULL;
}

bool ts_mcp_job_has(const struct ts_mcp_job *job, struct ts_str key)
{
    return find_in_job(job, key) != NULL;
}

void ts_mcp_job_free(struct ts_mcp_job *job)
{
    if (!job)
        return;
    for (size_t i = 0; i < job->request_count; i++)
        free(job->requests[i].key);
    free(job->requests);
    free(job->line);
    free(job);
}

void ts_mcp_queue_init(struct ts_mcp_queue *queue)
{
    *queue = (struct ts_mcp_queue){
        .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .settled = PTHREAD_COND_INITIALIZER};
}

static void forget_waiting(struct ts_mcp_queue *queue)
{
    struct ts_mcp_job *job = queue->first;
    while (job) {
        struct ts_mcp_job *next = job->next;
        ts_mcp_job_free(job);
        job = next;
    }
    queue->first = queue->last = NULL;
    queue->waiting = 0;
}

void ts_mcp_queue_free(struct ts_mcp_queue *queue)
{
    forget_waiting(queue);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->filled);
    pthread_cond_destroy(&queue->settled);
}

static size_t weight(const struct ts_mcp_job *job)
{
    return job->request_count ? job->request_count : 1;
}

size_t ts_mcp_queue_room(struct ts_mcp_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    size_t room = queue->waiting < TS_LIMIT_MCP_WAITING ? TS_LIMIT_MCP_WAITING - queue->waiting : 0;
    pthread_mutex_unlock(&queue->lock);
    return room;
}

/* The request in flight with this key and the job it is of, or NULL. */
static struct ts_mcp_request *find(struct ts_mcp_queue *queue, struct ts_str key, struct ts_mcp_job **job)
{
    *job = queue->current;
    struct ts_mcp_request *found = *job ? find_in_job(*job, key) : NULL;
    for (struct ts_mcp_job *waiting = queue->first; waiting && !found; waiting = waiting->next) {
        *job = waiting;
        found = find_in_job(waiting, key);
    }
    return found;
}

bool ts_mcp_queue_in_flight(struct ts_mcp_queue *queue, struct ts_str key)
{
    pthread_mutex_lock(&queue->lock);
    struct ts_mcp_job *job;
    bool found = find(queue, key, &job) != NULL;
    pthread_mutex_unlock(&queue->lock);
    return found;
}

/* Whether something is in flight that may take long. */
static bool busy(const struct ts_mcp_queue *queue)
{
    bool found = queue->current && queue->current->calls_tools;
    for (const struct ts_mcp_job *job = queue->first; job && !found; job = job->next)
        found = job->calls_tools;
    return found;
}

bool ts_mcp_queue_settle(struct ts_mcp_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while ((queue->first || queue->working) && !busy(queue))
        pthread_cond_wait(&queue->settled, &queue->lock);
    bool settled = !queue->first && !queue->working;
    pthread_mutex_unlock(&queue->lock);
    return settled;
}

void ts_mcp_queue_push(struct ts_mcp_queue *queue, struct ts_mcp_job *job)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->aborted) {
        ts_mcp_job_free(job);
    } else {
        if (queue->last)
            queue->last->next = job;
        else
            queue->first = job;
        queue->last = job;
        queue->waiting += weight(job);
        pthread_cond_signal(&queue->filled);
    }
    pthread_mutex_unlock(&queue->lock);
}

static void drop(struct ts_mcp_request *request)
{
    request->dropped = true;
    if (request->context)
        atomic_store(&request->context->cancelled, true);
}

/* Take a job that waits out of the queue and give it back. */
static void remove_waiting(struct ts_mcp_queue *queue, struct ts_mcp_job *job)
{
    struct ts_mcp_job *before = NULL, *at = queue->first;
    while (at != job) {
        before = at;
        at = at->next;
    }
    if (before)
        before->next = job->next;
    else
        queue->first = job->next;
    if (queue->last == job)
        queue->last = before;
    queue->waiting -= weight(job);
    ts_mcp_job_free(job);
}

bool ts_mcp_queue_cancel(struct ts_mcp_queue *queue, struct ts_str key)
{
    pthread_mutex_lock(&queue->lock);
    struct ts_mcp_job *job;
    struct ts_mcp_request *request = find(queue, key, &job);
    bool stopped = request && request->cancellable && !request->finished;
    if (stopped && job != queue->current && !job->batch)
        remove_waiting(queue, job);
    else if (stopped)
        drop(request);
    pthread_mutex_unlock(&queue->lock);
    return stopped;
}

void ts_mcp_queue_end(struct ts_mcp_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->ended = true;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

struct ts_mcp_job *ts_mcp_queue_take(struct ts_mcp_queue *queue, bool wait)
{
    pthread_mutex_lock(&queue->lock);
    while (wait && !queue->first && !queue->ended && !queue->aborted)
        pthread_cond_wait(&queue->filled, &queue->lock);
    struct ts_mcp_job *job = queue->first;
    if (job) {
        queue->first = job->next;
        if (!queue->first)
            queue->last = NULL;
        job->next = NULL;
        queue->waiting -= weight(job);
        queue->current = job;
        queue->working = true;
    }
    pthread_mutex_unlock(&queue->lock);
    return job;
}

bool ts_mcp_queue_begin(struct ts_mcp_queue *queue, struct ts_mcp_request *request, struct ts_context *context)
{
    pthread_mutex_lock(&queue->lock);
    bool wanted = !request->dropped && !queue->aborted;
    if (wanted)
        request->context = context;
    pthread_mutex_unlock(&queue->lock);
    return wanted;
}

bool ts_mcp_queue_finish(struct ts_mcp_queue *queue, struct ts_mcp_request *request)
{
    pthread_mutex_lock(&queue->lock);
    request->finished = true;
    request->context = NULL;
    bool wanted = !request->dropped && !queue->aborted;
    pthread_mutex_unlock(&queue->lock);
    return wanted;
}

void ts_mcp_queue_retire(struct ts_mcp_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->current = NULL;
    pthread_mutex_unlock(&queue->lock);
}

void ts_mcp_queue_done(struct ts_mcp_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->working = false;
    pthread_cond_signal(&queue->settled);
    pthread_mutex_unlock(&queue->lock);
}

void ts_mcp_queue_abort(struct ts_mcp_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->aborted = true;
    forget_waiting(queue);
    for (size_t i = 0; queue->current && i < queue->current->request_count; i++)
        drop(&queue->current->requests[i]);
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}
