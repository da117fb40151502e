/* tilesight mcp: the questions as the tools of a stdio server of the Model Context Protocol. */
#ifndef TS_SURFACES_MCP_MCP_H
#define TS_SURFACES_MCP_MCP_H

/* argv: the words behind "mcp". Serves standard input until it ends and returns the exit status: 0; 1 when standard input
 * or output failed; 2 after wrong usage or --help. */
int ts_mcp_main(int argc, char **argv);

#endif
