/* The memory of one request, bounded by the kernel: whatever asks for more, SQLite and the other libraries included, gets none,
 * which is an error as any other. What counts its own memory, the arenas, refuses earlier and says how much it had. */
#ifndef TS_SURFACES_MCP_BUDGET_H
#define TS_SURFACES_MCP_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_mcp_budget {
    bool ready;
    int sizes;         /* /proc/self/statm, opened before the sandbox closes it off */
    uint64_t standing; /* the limit the process came with, in bytes */
};

/* Needs /proc; without it no request is bounded so. */
void ts_mcp_budget_open(struct ts_mcp_budget *budget);
void ts_mcp_budget_close(struct ts_mcp_budget *budget);
/* From now on the process may take `bytes` more than it has, and stacks for threads more. False when it is not bounded. */
bool ts_mcp_budget_begin(const struct ts_mcp_budget *budget, size_t bytes, unsigned threads);
void ts_mcp_budget_end(const struct ts_mcp_budget *budget);

#endif
