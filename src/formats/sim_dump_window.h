/* A stretch of a dump's block in memory, as the scans of sim_dump_json want their text. */
#ifndef TS_FORMATS_SIM_DUMP_WINDOW_H
#define TS_FORMATS_SIM_DUMP_WINDOW_H

#include "formats/sim_dump.h"

/* Begins with dump and block alone, both of which must outlive it. */
struct ts_sim_window {
    const struct ts_sim_dump *dump;
    const struct ts_sim_block *block;
    char *bytes; /* with TS_SIM_JSON_PAD NUL bytes behind them; owned */
    size_t capacity, len;
    uint64_t from; /* in the block's payload */
};
/* Move it to want bytes at from, or what of them the block has. Errors: those of ts_sim_dump_read, TS_NO_MEMORY. */
enum ts_status ts_sim_window_fill(struct ts_sim_window *window, uint64_t from, uint64_t want, struct ts_error *error);
void ts_sim_window_free(struct ts_sim_window *window);

#endif
