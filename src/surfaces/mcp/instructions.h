/* What every agent is told before its first call. */
#ifndef TS_SURFACES_MCP_INSTRUCTIONS_H
#define TS_SURFACES_MCP_INSTRUCTIONS_H

/* The rules that all tools share: at most 2,500 bytes, since a client repeats them in every conversation. */
const char *ts_mcp_instructions(void);

#endif
