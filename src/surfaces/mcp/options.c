#include "surfaces/mcp/options.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/number.h"

static const char help[] =
    "usage: tilesight mcp [OPTION...]\n"
    "\n"
    "Serve the questions to an agent: the Model Context Protocol on standard input and output. An MCP client starts "
    "this\n"
    "itself; --print-config shows what to register. Nothing is written into a report, and no network is used.\n"
    "\n"
    "  --structured          send answers as structured content too, and list output schemas\n"
    "  --log-level LEVEL     say on standard error: error, warning, info or debug (info)\n"
    "  --cache-mib N         keep at most this much of what was read of reports (1024)\n"
    "  --root DIR            open nothing outside DIR; may be given several times\n"
    "  --time-limit SECONDS  refuse a call that takes longer (120)\n"
    "  --memory-limit MIB    refuse a call that needs more memory (4096)\n"
    "  --print-config CLIENT print the registration for claude-code, claude-desktop, codex, cursor, gemini, vscode,\n"
    "                        windsurf or zed, with the other options given here, and exit\n"
    "  --help                print this and exit\n"
    "\n"
    "Environment: TTNN_VISUALIZER_URL, where links in answers point to (http://localhost:8000);\n"
    "USAGE_RECORDING_DISABLED=true, keep no record of which tools were called (~/.tilesight/usage/events.log).\n";

const char *ts_mcp_options_help(void)
{
    return help;
}

enum option { STRUCTURED, HELP, LOG_LEVEL, CACHE, ROOT, TIME_LIMIT, MEMORY_LIMIT, PRINT_CONFIG };

static const struct {
    const char *name;
    enum option option;
    bool has_value;
    uint64_t least, most; /* of a number */
} table[] = {
    {"structured", STRUCTURED, false, 0, 0},
    {"help", HELP, false, 0, 0},
    {"log-level", LOG_LEVEL, true, 0, 0},
    {"cache-mib", CACHE, true, 1, 1048576},
    {"root", ROOT, true, 0, 0},
    {"time-limit", TIME_LIMIT, true, 1, 86400},
    {"memory-limit", MEMORY_LIMIT, true, 1, 1048576},
    {"print-config", PRINT_CONFIG, true, 0, 0},
};
enum { OPTIONS = sizeof table / sizeof *table };

static enum ts_status add_root(struct ts_mcp_options *options, const char *value, struct ts_error *error)
{
    size_t count = 0;
    while (options->roots && options->roots[count])
        count++;
    const char **grown = realloc(options->roots, (count + 2) * sizeof *grown);
    if (!grown)
        return ts_error_no_memory(error);
    grown[count] = value;
    grown[count + 1] = NULL;
    options->roots = grown;
    return TS_OK;
}

static enum ts_status take_number(size_t index, const char *value, uint64_t *out, struct ts_error *error)
{
    struct ts_quote quote;
    if (!ts_number_parse_u64(ts_str_from(value), out) || *out < table[index].least || *out > table[index].most)
        return ts_error_set(error, TS_USAGE, "--%s takes a whole number from %llu to %llu, not %s", table[index].name,
                            (unsigned long long)table[index].least, (unsigned long long)table[index].most,
                            ts_error_quote(&quote, ts_str_from(value), TS_QUOTE_ARGUMENT));
    return TS_OK;
}

static enum ts_status take(struct ts_mcp_options *options, size_t index, const char *value, struct ts_error *error)
{
    uint64_t number = 0;
    struct ts_quote quote;
    enum ts_status status = table[index].most ? take_number(index, value, &number, error) : TS_OK;
    if (status)
        return status;
    switch (table[index].option) {
    case STRUCTURED:
        options->structured = true;
        break;
    case HELP:
        options->help = true;
        break;
    case LOG_LEVEL:
        if (!ts_mcp_log_level(ts_str_from(value), &options->log_level))
            return ts_error_set(error, TS_USAGE, "--log-level is error, warning, info or debug, not %s",
                                ts_error_quote(&quote, ts_str_from(value), TS_QUOTE_ARGUMENT));
        break;
    case CACHE:
        options->cache_bytes = (size_t)number * TS_MIB;
        break;
    case ROOT:
        if (!*value)
            return ts_error_set(error, TS_USAGE, "--root is empty (an unset variable?); name a directory");
        return add_root(options, value, error);
    case TIME_LIMIT:
        options->time_limit_s = (unsigned)number;
        break;
    case MEMORY_LIMIT:
        options->memory_limit = (size_t)number * TS_MIB;
        break;
    case PRINT_CONFIG:
        options->print_config = value;
        break;
    }
    return TS_OK;
}

/* The option that word names ("--name" or "--name=value"), or OPTIONS. *value: what stands behind the sign, or NULL. */
static size_t find(const char *word, const char **value)
{
    *value = NULL;
    if (strncmp(word, "--", 2) != 0)
        return OPTIONS;
    const char *sign = strchr(word, '=');
    struct ts_str name = {word + 2, sign ? (size_t)(sign - word) - 2 : strlen(word + 2)};
    if (sign)
        *value = sign + 1;
    size_t index = 0;
    while (index < OPTIONS && !ts_str_is(name, table[index].name))
        index++;
    return index;
}

static enum ts_status parse(int argc, char **argv, struct ts_mcp_options *options, struct ts_error *error)
{
    struct ts_quote quote;
    for (int i = 0; i < argc; i++) {
        const char *value;
        size_t index = strcmp(argv[i], "-h") == 0 ? (size_t)HELP : find(argv[i], &value);
        if (index == HELP)
            value = NULL;
        if (index == OPTIONS)
            return ts_error_set(error, TS_USAGE, "mcp has no option %s",
                                ts_error_quote(&quote, ts_str_from(argv[i]), TS_QUOTE_ARGUMENT));
        if (value && !table[index].has_value)
            return ts_error_set(error, TS_USAGE, "--%s takes no value", table[index].name);
        if (table[index].has_value && !value) {
            if (++i == argc)
                return ts_error_set(error, TS_USAGE, "--%s needs a value", table[index].name);
            value = argv[i];
        }
        enum ts_status status = take(options, index, value, error);
        if (status)
            return status;
    }
    return TS_OK;
}

enum ts_status ts_mcp_options_parse(int argc, char **argv, struct ts_mcp_options *out, struct ts_error *error)
{
    struct ts_mcp_options options = {
        .log_level = TS_MCP_INFO,
        .cache_bytes = TS_DEFAULT_CACHE,
        .memory_limit = TS_DEFAULT_CALL_MEMORY,
        .time_limit_s = 120,
    };
    enum ts_status status = parse(argc, argv, &options, error);
    if (status)
        ts_mcp_options_free(&options);
    else
        *out = options;
    return status;
}

void ts_mcp_options_free(struct ts_mcp_options *options)
{
    free(options->roots);
    options->roots = NULL;
}
