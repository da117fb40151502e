/* Captures that were loaded, by the names the client knows them by: report-1, report-2, ... Names are never used again. */
#ifndef TS_SURFACES_MCP_HANDLES_H
#define TS_SURFACES_MCP_HANDLES_H

#include "base/vec.h"
#include "models/capture.h"

enum { TS_MCP_HANDLE_TEXT = 32 };

struct ts_mcp_handles {
    TS_VEC(struct ts_capture *) captures; /* the one at i is report-(i + 1); owned */
};

void ts_mcp_handles_free(struct ts_mcp_handles *handles);
/* The name that the next capture will get. */
void ts_mcp_handles_next(const struct ts_mcp_handles *handles, char out[TS_MCP_HANDLE_TEXT]);
/* Take over a capture made under that name. False when memory is out: it is still the caller's. */
bool ts_mcp_handles_add(struct ts_mcp_handles *handles, struct ts_capture *capture);
/* Errors: TS_REFUSED, naming the handles there are. */
enum ts_status ts_mcp_handles_find(const struct ts_mcp_handles *handles, struct ts_str name, struct ts_capture **out,
                                   struct ts_error *error);

#endif
