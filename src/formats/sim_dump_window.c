#include "formats/sim_dump_window.h"

#include <stdlib.h>
#include <string.h>

#include "formats/sim_dump_json.h"

enum ts_status ts_sim_window_fill(struct ts_sim_window *window, uint64_t from, uint64_t want, struct ts_error *error)
{
    uint64_t left = window->block->size - from;
    size_t len = (size_t)(want < left ? want : left);
    if (len + TS_SIM_JSON_PAD > window->capacity) {
        free(window->bytes);
        window->capacity = 0;
        window->bytes = malloc(len + TS_SIM_JSON_PAD);
        if (!window->bytes)
            return ts_error_no_memory(error);
        window->capacity = len + TS_SIM_JSON_PAD;
    }
    enum ts_status status = ts_sim_dump_read(window->dump, window->block->offset + from, window->bytes, len, error);
    if (status != TS_OK)
        return status;
    memset(window->bytes + len, 0, TS_SIM_JSON_PAD);
    window->from = from;
    window->len = len;
    return TS_OK;
}

void ts_sim_window_free(struct ts_sim_window *window)
{
    free(window->bytes);
}
