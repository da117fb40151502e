/* tilesight mcp: the questions as the tools of a stdio server of the Model Context Protocol. */
#ifndef TS_SURFACES_MCP_MCP_H
#define TS_SURFACES_MCP_MCP_H

#include "surfaces/cli/command.h"

/* Serves standard input until it ends and returns the exit status: 0; 1 when standard input or output failed; 2 after wrong
 * usage or --help, which standard error gets since standard output is the protocol's. */
extern const struct ts_command ts_mcp_command;

#endif
