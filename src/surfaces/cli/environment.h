/* What the surroundings of the program say: clock, cores, terminal, colours. Only surfaces may ask these. */
#ifndef TS_SURFACES_CLI_ENVIRONMENT_H
#define TS_SURFACES_CLI_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/* A monotonic clock in nanoseconds. */
uint64_t ts_clock_ns(void);
/* Cores this process may use, at least 1. */
unsigned ts_cores(void);

enum ts_color_choice { TS_COLOR_AUTO, TS_COLOR_ALWAYS, TS_COLOR_NEVER };
/* Whether the locale's characters are Unicode's, in UTF-8; by the variables alone, as a locale need not be installed. */
bool ts_output_is_utf8(void);
/* Whether standard output gets colours: the choice; else only a terminal without NO_COLOR and TERM=dumb. */
bool ts_use_color(enum ts_color_choice choice);
/* Columns of standard output when it is a terminal (COLUMNS wins), else 0: as wide as it gets. */
unsigned ts_output_width(void);

#endif
