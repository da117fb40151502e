/* Answering a line. */
#ifndef TS_SURFACES_MCP_SERVE_H
#define TS_SURFACES_MCP_SERVE_H

#include "surfaces/mcp/server.h"

/* Answer a job and write the answer, if there is one, as one line. queued: the job came from the queue, which is told before the
 * answer is written, so that the client may use its ids again, and after. The job is freed. */
void ts_mcp_serve(struct ts_mcp_server *server, struct ts_mcp_job *job, bool queued);
/* Say that memory ran out while a message was taken in: error -32603 without an id. */
void ts_mcp_serve_no_memory(struct ts_mcp_server *server);

#endif
