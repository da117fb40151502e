#include "surfaces/mcp/options.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/number.h"
#include "surfaces/home.h"

enum { STRUCTURED = 1, HELP, NO_SANDBOX, LOG_LEVEL, CACHE, ROOT, TIME_LIMIT, MEMORY_LIMIT, PRINT_CONFIG };

const struct ts_option ts_mcp_option_table[] = {
    {"structured", NULL, "send answers as structured content too, and list output schemas", STRUCTURED},
    {"log-level", "error|warning|info|debug", "what is said on standard error; info", LOG_LEVEL},
    {"cache-mib", "N", "keep at most this much of what was read of reports; 1024", CACHE},
    {"root", "DIR", "open nothing outside DIR; may be given several times", ROOT},
    {"no-sandbox", NULL, "do not ask the kernel to cut off the network, other programs and writing", NO_SANDBOX},
    {"time-limit", "SECONDS", "refuse a call that takes longer; 120", TIME_LIMIT},
    {"memory-limit", "MIB", "refuse a call that needs more memory; 4096", MEMORY_LIMIT},
    {"print-config", "claude-code|claude-desktop|codex|cursor|gemini|vscode|windsurf|zed",
     "print the registration for this client, with the other options given here, and exit", PRINT_CONFIG},
    {"help", NULL, "print this and exit", HELP},
    {NULL, NULL, NULL, 0},
};

/* Of the options that take a number. */
static const struct {
    uint64_t least, most;
} bounds[] = {
    [CACHE] = {1, 1048576},
    [TIME_LIMIT] = {1, 86400},
    [MEMORY_LIMIT] = {1, 1048576},
    [PRINT_CONFIG] = {0, 0},
};

static enum ts_status add_root(struct ts_mcp_options *options, const char *value, struct ts_error *error)
{
    size_t count = 0;
    while (options->roots && options->roots[count])
        count++;
    char **grown = realloc(options->roots, (count + 2) * sizeof *grown);
    if (!grown)
        return ts_error_no_memory(error);
    options->roots = grown;
    /* No shell does it for who starts servers out of a configuration file. */
    grown[count] = ts_home_expand(ts_str_from(value));
    grown[count + 1] = NULL;
    return grown[count] ? TS_OK : ts_error_no_memory(error);
}

static enum ts_status take_number(const struct ts_option *option, const char *value, uint64_t *out,
                                  struct ts_error *error)
{
    struct ts_quote quote;
    uint64_t least = bounds[option->id].least, most = bounds[option->id].most;
    if (!ts_number_parse_u64(ts_str_from(value), out) || *out < least || *out > most)
        return ts_error_set(error, TS_USAGE, "--%s takes a whole number from %llu to %llu, not %s", option->name,
                            (unsigned long long)least, (unsigned long long)most,
                            ts_error_quote(&quote, ts_str_from(value), TS_QUOTE_ARGUMENT));
    return TS_OK;
}

static enum ts_status take(struct ts_mcp_options *options, const struct ts_option *option, const char *value,
                           struct ts_error *error)
{
    uint64_t number = 0;
    struct ts_quote quote;
    enum ts_status status = bounds[option->id].most ? take_number(option, value, &number, error) : TS_OK;
    if (status)
        return status;
    switch (option->id) {
    case STRUCTURED:
        options->structured = true;
        break;
    case NO_SANDBOX:
        options->no_sandbox = true;
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
    default:
        return ts_error_set(error, TS_INTERNAL, "option --%s is not handled", option->name);
    }
    return TS_OK;
}

/* The option that word names ("--name" or "--name=value"), or NULL. *value: what stands behind the sign, or NULL. */
static const struct ts_option *find(const char *word, const char **value)
{
    *value = NULL;
    if (strncmp(word, "--", 2) != 0)
        return NULL;
    const char *sign = strchr(word, '=');
    struct ts_str name = {word + 2, sign ? (size_t)(sign - word) - 2 : strlen(word + 2)};
    if (sign)
        *value = sign + 1;
    for (const struct ts_option *option = ts_mcp_option_table; option->name; option++)
        if (ts_str_is(name, option->name))
            return option;
    return NULL;
}

static enum ts_status parse(int argc, char **argv, struct ts_mcp_options *options, struct ts_error *error)
{
    struct ts_quote quote;
    for (int i = 0; i < argc; i++) {
        const char *value;
        const struct ts_option *option = find(strcmp(argv[i], "-h") == 0 ? "--help" : argv[i], &value);
        if (!option)
            return ts_error_set(error, TS_USAGE, "mcp has no option %s",
                                ts_error_quote(&quote, ts_str_from(argv[i]), TS_QUOTE_ARGUMENT));
        if (value && !option->argument)
            return ts_error_set(error, TS_USAGE, "--%s takes no value", option->name);
        if (option->argument && !value) {
            if (++i == argc)
                return ts_error_set(error, TS_USAGE, "--%s needs a value", option->name);
            value = argv[i];
        }
        enum ts_status status = take(options, option, value, error);
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
#ifdef TS_INSTRUMENTED
        /* What is built in to watch the program starts a process, or writes a file, at its end. */
        .no_sandbox = true,
#endif
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
    for (size_t i = 0; options->roots && options->roots[i]; i++)
        free(options->roots[i]);
    free(options->roots);
    options->roots = NULL;
}
