/* The revisions of the protocol that are spoken. */
#ifndef TS_SURFACES_MCP_VERSIONS_H
#define TS_SURFACES_MCP_VERSIONS_H

#include "base/json.h"

/* In order of time, so that "since" is a comparison. */
enum ts_mcp_version {
    TS_MCP_2024_11_05,
    TS_MCP_2025_03_26,
    TS_MCP_2025_06_18,
    TS_MCP_2025_11_25, /* the newest that is opened by initialize */
    TS_MCP_2026_07_28, /* no handshake: every request carries its version */
    TS_MCP_VERSIONS,
};

const char *ts_mcp_version_name(enum ts_mcp_version version);
/* What initialize agrees on with a client that asks for this (NULL or any other value: a version we do not know). */
enum ts_mcp_version ts_mcp_version_agree(yyjson_val *asked);
/* ["2026-07-28",...], newest first. */
void ts_mcp_version_list(struct ts_json_out *out);

#endif
