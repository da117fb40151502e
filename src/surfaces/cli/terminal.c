#include "surfaces/cli/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/utf8.h"
#include "surfaces/cli/environment.h"

const char *ts_terminal_escape(struct ts_buf *buffer, const char *text)
{
    ts_buf_clear(buffer);
    ts_utf8_escape(buffer, ts_str_from(text));
    return buffer->failed ? "(a text that memory ran out for)" : buffer->ptr ? buffer->ptr : "";
}

/* What is quoted in a message was escaped there; this is for what was not. */
void ts_terminal_error(const char *message)
{
    struct ts_buf text;
    ts_buf_init(&text, 0);
    fprintf(stderr, "tilesight: %s\n", ts_terminal_escape(&text, message));
    ts_buf_free(&text);
}

int ts_terminal_exit_status(enum ts_status status)
{
    return status == TS_OK ? 0 : status == TS_USAGE ? 2 : 1;
}

int ts_terminal_fail(const struct ts_error *error, const char *command)
{
    ts_terminal_error(error->message);
    if (error->code == TS_USAGE)
        fprintf(stderr, "tilesight%s%s --help shows what it takes\n", command ? " " : "", command ? command : "");
    return ts_terminal_exit_status(error->code);
}

bool ts_terminal_write(struct ts_str text)
{
    size_t done = 0;
    while (done < text.len) {
        ssize_t wrote = write(STDOUT_FILENO, text.ptr + done, text.len - done);
        if (wrote >= 0) {
            done += (size_t)wrote;
        } else if (errno == EPIPE) {
            return true;
        } else if (errno != EINTR) {
            fprintf(stderr, "tilesight: cannot write the answer to standard output: %s\n", strerror(errno));
            return false;
        }
    }
    return true;
}

static void show_progress(void *data, uint64_t done, uint64_t total, const char *message)
{
    (void)data;
    const double mib = 1024.0 * 1024.0;
    if (total)
        fprintf(stderr, "\r\033[K%s: %.0f of %.0f MiB (%.0f %%)", message, (double)done / mib, (double)total / mib,
                100.0 * (double)done / (double)total);
    else
        fprintf(stderr, "\r\033[K%s: %.0f MiB", message, (double)done / mib);
    fflush(stderr);
}

void ts_terminal_progress(struct ts_context *context)
{
    if (isatty(STDERR_FILENO) != 1)
        return;
    context->progress = show_progress;
    context->now_ns = ts_clock_ns;
    context->progress_from_ns = ts_clock_ns() + 500000000u;
    context->progress_every_ns = 100000000u;
    context->progress_next_ns = 0;
}

void ts_terminal_progress_done(struct ts_context *context)
{
    if (context->progress && context->progress_next_ns)
        fputs("\r\033[K", stderr);
}
