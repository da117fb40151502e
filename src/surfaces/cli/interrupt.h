/* SIGINT and SIGTERM as a cancellation, for the commands that write files. */
#ifndef TS_SURFACES_CLI_INTERRUPT_H
#define TS_SURFACES_CLI_INTERRUPT_H

#include "base/context.h"

/* From now on the first of these signals cancels the context; a second one ends the program at once. Once per process. */
void ts_interrupt_cancels(struct ts_context *context);

#endif
