/* The memory configuration of a tensor, as text of three generations. */
#ifndef TS_FORMATS_MEMORY_CONFIG_H
#define TS_FORMATS_MEMORY_CONFIG_H

#include <stdint.h>

#include "base/arena.h"

struct ts_memory_config {
    struct ts_str layout;         /* "TensorMemoryLayout::INTERLEAVED"; ptr NULL: none */
    bool sharded;                 /* the rest is set */
    struct ts_str grid;           /* "[(x=0,y=0) - (x=7,y=6)]", whatever form it was written in */
    struct ts_str height, width;  /* of a shard; digits, whatever their size */
    struct ts_str orientation;    /* "ROW_MAJOR" */
    struct ts_str halo;           /* digits; ptr NULL: not written */
    struct ts_str mode, physical; /* ptr NULL: not written */
};

/* Whether the whole text is a memory configuration; *body is then what stands between its parentheses. */
bool ts_memory_config_body(struct ts_str text, struct ts_str *body);
/* *valid false for anything else. Texts are borrowed from text, the grid may be in arena. Errors: TS_NO_MEMORY. */
enum ts_status ts_memory_config_parse(struct ts_arena *arena, struct ts_str text, struct ts_memory_config *out,
                                      bool *valid, struct ts_error *error);

#endif
