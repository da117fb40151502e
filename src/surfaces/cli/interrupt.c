#include "surfaces/cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static struct ts_context *interrupted_context;

static void cancel(int number)
{
    (void)number;
    atomic_store_explicit(&interrupted_context->cancelled, true, memory_order_relaxed);
}

void ts_interrupt_cancels(struct ts_context *context)
{
    interrupted_context = context;
    /* Calls that wait (a FIFO nobody reads) are not restarted: they end, and find the cancellation. */
    struct sigaction action = {.sa_handler = cancel, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
