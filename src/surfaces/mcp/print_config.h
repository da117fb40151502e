/* How this server is registered with the clients people use. */
#ifndef TS_SURFACES_MCP_PRINT_CONFIG_H
#define TS_SURFACES_MCP_PRINT_CONFIG_H

#include "base/buf.h"

struct ts_mcp_registration {
    const char *program; /* absolute path */
    const char *folder;  /* the working directory, absolute: clients start servers in another one */
    int argc;            /* the words behind "mcp", --print-config among them */
    char **argv;
};
/* Append the text for the configuration file of the client called name, with a line end; *where says which file that is,
 * borrowed for ever. Errors: TS_USAGE (an unknown client: lists the known ones), TS_REFUSED (a path that no such file can
 * hold), TS_NO_MEMORY. */
enum ts_status ts_mcp_print_config(const char *name, const struct ts_mcp_registration *registration, struct ts_buf *out,
                                   const char **where, struct ts_error *error);

#endif
