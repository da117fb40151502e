#include "surfaces/mcp/versions.h"

static const char *const names[TS_MCP_VERSIONS] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
                                                   "2026-07-28"};

const char *ts_mcp_version_name(enum ts_mcp_version version)
{
    return names[version];
}

enum ts_mcp_version ts_mcp_version_agree(yyjson_val *asked)
{
    if (yyjson_is_str(asked))
        for (int version = TS_MCP_2024_11_05; version < TS_MCP_2025_11_25; version++)
            if (ts_str_is(ts_json_str(asked), names[version]))
                return (enum ts_mcp_version)version;
    return TS_MCP_2025_11_25;
}

void ts_mcp_version_list(struct ts_json_out *out)
{
    ts_json_open_array(out);
    for (int version = TS_MCP_VERSIONS - 1; version >= 0; version--)
        ts_json_string(out, ts_str_from(names[version]));
    ts_json_close_array(out);
}
