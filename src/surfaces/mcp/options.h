/* The options of tilesight mcp. */
#ifndef TS_SURFACES_MCP_OPTIONS_H
#define TS_SURFACES_MCP_OPTIONS_H

#include "base/error.h"
#include "surfaces/cli/options.h"
#include "surfaces/mcp/log.h"

struct ts_mcp_options {
    bool help;
    const char *print_config; /* a client's name, or NULL */
    bool structured;
    bool no_sandbox;
    enum ts_mcp_level log_level;
    size_t cache_bytes, memory_limit;
    unsigned time_limit_s;
    char **roots; /* NULL-terminated, or NULL when there are none; owned, "~" replaced */
};

/* argv: the words behind "mcp". Errors: TS_USAGE, TS_NO_MEMORY. */
enum ts_status ts_mcp_options_parse(int argc, char **argv, struct ts_mcp_options *out, struct ts_error *error);
void ts_mcp_options_free(struct ts_mcp_options *options);
/* The options there are, for --help. */
extern const struct ts_option ts_mcp_option_table[];

#endif
