/* What waits to be served and what is being served: the only state that the two threads share beside the output. */
#ifndef TS_SURFACES_MCP_QUEUE_H
#define TS_SURFACES_MCP_QUEUE_H

#include <pthread.h>

#include "base/context.h"
#include "base/limits.h"
#include "surfaces/mcp/lines.h"
#include "surfaces/mcp/versions.h"

/* A request whose line has arrived and whose answer has not been written. */
struct ts_mcp_request {
    char *key; /* of its id (ts_rpc_id_key), key_len bytes; NULL: its id was in flight already, so it is refused */
    size_t key_len;
    size_t element;              /* its place in the batch */
    enum ts_mcp_version version; /* what the session had agreed on when it came */
    bool cancellable;
    bool dropped, finished;     /* shared between the threads, as is context */
    struct ts_context *context; /* while a tool works on it */
};

/* One line, to be answered by at most one line. */
struct ts_mcp_job {
    struct ts_mcp_job *next;
    enum ts_mcp_line_fault fault;
    bool batch;
    bool calls_tools; /* it may take long */
    char *line;
    size_t len;
    struct ts_mcp_request *requests; /* those that wait, in the order of their elements; others find no room */
    size_t request_count;
};

/* line is copied. NULL when memory is out. */
struct ts_mcp_job *ts_mcp_job_create(struct ts_str line, enum ts_mcp_line_fault fault);
/* Add a request with a copy of the key (empty: refused for its id); NULL when memory is out. */
struct ts_mcp_request *ts_mcp_job_add(struct ts_mcp_job *job, struct ts_str key);
/* Whether it has a request with this key. */
bool ts_mcp_job_has(const struct ts_mcp_job *job, struct ts_str key);
void ts_mcp_job_free(struct ts_mcp_job *job); /* accepts NULL */

struct ts_mcp_queue {
    pthread_mutex_t lock;
    pthread_cond_t filled, settled;
    struct ts_mcp_job *first, *last, *current;
    size_t waiting; /* requests; a line without any counts as one */
    bool working;   /* a job was taken, and its answer is not written yet */
    bool ended;     /* nothing more will come */
    bool aborted;   /* nobody reads answers any more */
};

void ts_mcp_queue_init(struct ts_mcp_queue *queue);
void ts_mcp_queue_free(struct ts_mcp_queue *queue);

/* For the thread that reads. Room only grows between two calls of its own. */
size_t ts_mcp_queue_room(struct ts_mcp_queue *queue);
bool ts_mcp_queue_in_flight(struct ts_mcp_queue *queue, struct ts_str key);
/* Wait until all that was pushed is answered, unless that may take long: then false, at once. Needs the other thread. */
bool ts_mcp_queue_settle(struct ts_mcp_queue *queue);
void ts_mcp_queue_push(struct ts_mcp_queue *queue, struct ts_mcp_job *job); /* the job becomes the queue's */
/* Drop the request with this key, waiting or running, unless it may not be cancelled. False when there is none. */
bool ts_mcp_queue_cancel(struct ts_mcp_queue *queue, struct ts_str key);
void ts_mcp_queue_end(struct ts_mcp_queue *queue);

/* For the thread that works. The next job, which stays in flight until it is retired; NULL when there is none: at once, or with
 * wait when nothing more will come. */
struct ts_mcp_job *ts_mcp_queue_take(struct ts_mcp_queue *queue, bool wait);
/* Whether the request is still wanted; from now on a cancellation reaches the context (may be NULL). */
bool ts_mcp_queue_begin(struct ts_mcp_queue *queue, struct ts_mcp_request *request, struct ts_context *context);
/* The work is done: whether the answer is still wanted. From now on a cancellation comes too late. */
bool ts_mcp_queue_finish(struct ts_mcp_queue *queue, struct ts_mcp_request *request);
/* The ids of the job are free again; call it before the answer is written. The job is still the caller's. */
void ts_mcp_queue_retire(struct ts_mcp_queue *queue);
/* The answer is written. */
void ts_mcp_queue_done(struct ts_mcp_queue *queue);

/* For both: stop the work at hand and forget what waits. */
void ts_mcp_queue_abort(struct ts_mcp_queue *queue);

#endif
