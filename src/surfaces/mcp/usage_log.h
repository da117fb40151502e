/* The usage log: which tool was called and how it went, one line per call, and nothing else. */
#ifndef TS_SURFACES_MCP_USAGE_LOG_H
#define TS_SURFACES_MCP_USAGE_LOG_H

#include <stdint.h>

#include "surfaces/mcp/log.h"

struct ts_mcp_usage {
    const struct ts_mcp_log *log;
    uint64_t (*now_ns)(void); /* monotonic */
    char *folder;             /* HOME/.tilesight/usage; NULL: nothing is recorded */
    char *file;               /* events.log in it */
    char *markers[2];         /* files whose presence switches recording off */
    bool off;                 /* by the environment */
    char run_id[9];           /* empty until the first line */
    bool failing;             /* the last write failed, and a warning said so */
    bool full, full_said;     /* the file was over its cap when last measured */
    uint64_t full_since_ns;
    bool settled; /* the folder is as it was made, and is not made again */
    bool keeps;   /* kept is open for as long as the process lives, and is what is written to */
    int kept;
};

/* Whether this value of USAGE_RECORDING_DISABLED (NULL: not set) switches recording off: all but "false" and "0" do, because a
 * misspelt wish must not read as consent. *recognised: it is one of the usual spellings. */
bool ts_mcp_usage_disabled(const char *value, bool *recognised);
/* Say on the log where calls are recorded and how to switch that off. home may be NULL: nothing is recorded. value: of
 * USAGE_RECORDING_DISABLED. Creates nothing. */
void ts_mcp_usage_start(struct ts_mcp_usage *usage, const struct ts_mcp_log *log, uint64_t (*now_ns)(void),
                        const char *home, const char *value);
/* Compact the file when it is over its cap: once, at the start. */
void ts_mcp_usage_compact(const struct ts_mcp_usage *usage);
/* Make the folder now and never again: a sandbox can only name what is there. keep: open the file now too, since no file can be
 * opened for writing later. Nothing is made where nothing is recorded. */
void ts_mcp_usage_settle(struct ts_mcp_usage *usage, bool keep);
void ts_mcp_usage_free(struct ts_mcp_usage *usage);
/* Record a call of a tool with its outcome ("ok", "refused", "error"). A failure is logged and nothing more. */
void ts_mcp_usage_record(struct ts_mcp_usage *usage, const char *tool, const char *outcome);

#endif
