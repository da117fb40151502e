#include "surfaces/mcp/output.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

void ts_mcp_output_init(struct ts_mcp_output *output, int fd, struct ts_buf *copy, const struct ts_mcp_log *log)
{
    *output = (struct ts_mcp_output){.lock = PTHREAD_MUTEX_INITIALIZER, .fd = fd, .copy = copy, .log = log};
}

void ts_mcp_output_free(struct ts_mcp_output *output)
{
    pthread_mutex_destroy(&output->lock);
}

static enum ts_mcp_output_state write_whole(struct ts_mcp_output *output, struct ts_str line)
{
    while (line.len > 0) {
        ssize_t wrote = write(output->fd, line.ptr, line.len);
        if (wrote >= 0) {
            line = ts_str_sub(line, (size_t)wrote, line.len);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            /* Somebody who shares the descriptor made it non-blocking. */
            struct pollfd full = {.fd = output->fd, .events = POLLOUT};
            poll(&full, 1, -1);
        } else if (errno == EPIPE) {
            ts_mcp_log(output->log, TS_MCP_INFO, "the client has closed standard output");
            return TS_MCP_OUTPUT_GONE;
        } else if (errno != EINTR) {
            const char *reason = strerrordesc_np(errno);
            ts_mcp_log(output->log, TS_MCP_ERROR, "cannot write to standard output: %s",
                       reason ? reason : "unknown error");
            return TS_MCP_OUTPUT_FAILED;
        }
    }
    return TS_MCP_OUTPUT_OPEN;
}

void ts_mcp_output_line(struct ts_mcp_output *output, struct ts_str line)
{
    pthread_mutex_lock(&output->lock);
    if (output->copy)
        ts_buf_str(output->copy, line);
    else if (output->state == TS_MCP_OUTPUT_OPEN)
        output->state = write_whole(output, line);
    pthread_mutex_unlock(&output->lock);
}

enum ts_mcp_output_state ts_mcp_output_state(struct ts_mcp_output *output)
{
    pthread_mutex_lock(&output->lock);
    enum ts_mcp_output_state state = output->state;
    pthread_mutex_unlock(&output->lock);
    return state;
}
