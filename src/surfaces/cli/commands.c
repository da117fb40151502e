#include "surfaces/cli/commands.h"

#include <string.h>

#include "surfaces/mcp/mcp.h"

extern const struct ts_command ts_command_clean_sim_trace;
extern const struct ts_command ts_command_perf_report;
extern const struct ts_command ts_command_noc_decode;
extern const struct ts_command ts_command_noc_flags;

const struct ts_command *const ts_commands[] = {
    &ts_mcp_command,        &ts_command_clean_sim_trace, &ts_command_perf_report,
    &ts_command_noc_decode, &ts_command_noc_flags,       NULL,
};

const struct ts_command *ts_command_find(const char *name)
{
    for (const struct ts_command *const *command = ts_commands; *command; command++)
        if (strcmp(name, (*command)->name) == 0)
            return *command;
    return NULL;
}
